"""Containers that come with other lengths or classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.neutral_by_graph import taken_by_graph
from tb_retrace_plugin.explain.advice.evidence.reading import is_none, leads, node_of, nodes_at
from tb_retrace_plugin.explain.advice.python_values import one_dtype, tensor_for_sequence, tensor_for_string
from tb_retrace_plugin.explain.advice.python_values.python_uses import (
    needs_its_length,
    what_needs_its_length,
    what_takes_no_tensor,
)
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.advice.structures import as_one_tensor, left_out_keywords
from tb_retrace_plugin.explain.advice.structures.made_of import made_of
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number
from tb_retrace_plugin.schema.signature import NOT_PASSED, Node, iter_leaves

#: That are looked for in a graph.
_MOST_ITEMS = 4
_CONCATENATES = "ConcatV2"
#: Of tensors that differ in a dimension. What asks for their number, or goes through them in Python, takes no such.
_RAGGED = (
    " Make one ragged tensor of what {} (`tf.ragged.stack`), and leave its dimensions open"
    " (`reduce_retracing=True`): another length is another shape."
)
#: Of a list of pairs, whose length a dataset's type does not hold.
_DATASET = (
    " If the code does nothing but go through {} with a `for`, make a dataset of it: TensorFlow's loop takes one of any"
    " length with one trace, if what changes in the loop keeps its dtype and shape."
)
#: Of a list of dictionaries, say, that hold the same.
_BY_LEAVES = (
    " The items of {} are alike. Stack them part by part into one of that structure, whose tensors have one dimension"
    " more, and leave that open (`reduce_retracing=True`, or None in an `input_signature`): another length is another"
    " shape."
)
_STACKED_BY_LEAVES = "tf.nest.map_structure(lambda *parts: tf.stack(parts), *{})"
_BY_LEAVES_TAKEN = (
    "The function takes one structure of stacked tensors then: an operation that takes all at once, `tf.map_fn` and"
    " `tf.vectorized_map`, or `for i in tf.range(…)` that takes the parts at `[i]`, in place of a Python loop over the"
    " list."
)
_NO_GRADIENT = "No gradient goes through a loop over a dataset: what is trained by it takes the list stacked instead."
_A_DATASET = "DatasetSpec("
_MADE_A_DATASET = "tf.data.Dataset.from_tensor_slices(tuple(map(list, zip(*{}))))"
#: Of an empty list, in place of which there are to be zeros.
_FILLED = (
    "This changes results unless what is filled in is masked, or only added: zeros count as data in a mean or a"
    " `tf.concat`, without an error."
)
#: What is not found by an error is the `tf.concat`: a warning where graphs are known to have it, else a note.
_CONCAT = ", and which `tf.concat` gives back as it is, without an error"
_OF_GRAPHS = (
    "The graphs pass what {} to `tf.concat`, which gives a stacked tensor back as it is, without an error: along the"
    " first axis `tf.reshape({}, [-1, …])` joins what is stacked."
)
_TAKEN = (
    "The function takes a tensor then, of which `tf.add_n` is `tf.reduce_sum(…, 0)`{}.",
    "No comprehension (`[f(x) for x in …]`) goes through a tensor: `tf.map_fn` does. A `for` loop over it is one of the"
    " graph, which collects in a `tf.TensorArray` in place of a list.",
)
_RAGGED_TAKEN = "The function takes that then, by operations that take ragged tensors."
_AS_MANY = "Or pass as many each time."


def propose(function: FunctionFacts) -> Fix | None:
    """Other changes of structure: what would be the same in all calls is the program's to say."""
    found = [c for _, c in function.with_cause("structure") if not c.is_of_a_key]
    for rule in (
        tensor_for_sequence.propose,
        tensor_for_string.propose,
        one_dtype.propose,
    ):  # what it is instead is known
        if fix := rule(function):
            found = [c for c in found if not any(leads(path, c.path) for path in fix.calls)]
    if left_out_keywords.propose(function) is not None:
        found = [c for c in found if NOT_PASSED not in (c.old, c.new)]
    if not found:
        return None
    if fix := _one_sequence(function, list(dict.fromkeys(change.path for change in found))):
        return fix
    change = found[0]
    paths = list(dict.fromkeys(c.path for c in found))
    verb = "changes its structure" if len(paths) == 1 else "change their structure"
    text = f"{listed(paths)} of `{function.name}` {verb}, such as {change.old} → {change.new}."
    code = ""
    notes: list[str] = []
    warnings: list[str] = []
    # what is a dataset in some calls is made one in all
    sequences = {path: [node for node in nodes_at(function, path) if not _is_a_dataset(node)] for path in paths}
    stacked = [path for path, nodes in sequences.items() if nodes and all(_can_be_stacked(n, nodes[0]) for n in nodes)]
    # Python goes through no tensor of an open length, for which there are operations where it holds tensors
    stacked = [p for p in stacked if not (_holds_numbers(sequences[p][0]) and needs_its_length(function, p))]
    of_one_size = stacked
    stacked = stacked or [path for path, nodes in sequences.items() if nodes and _can_be_stacked_by_call(nodes)]
    ragged = [path for path, nodes in sequences.items() if nodes and all(_can_be_ragged(n, nodes[0]) for n in nodes)]
    whole = "it holds" if len(paths) == 1 else "each holds"
    is_left_out = all(NOT_PASSED in (change.old, change.new) for change in found)
    is_filled = not {"list of 0", "tuple of 0"}.isdisjoint((change.old, change.new))
    if is_left_out:
        are, them = ("is", "it") if len(paths) == 1 else ("are", "them")
        text = (
            f"{listed(paths)} of `{function.name}` {are} passed in some calls and left out in others. Pass {them} in"
            f" all calls, as what the code takes where one leaves {them} out, or in none if nothing depends on {them}."
        )
    elif is_filled:
        text += " Pass as many each time: where there are none yet, zeros of the later shape and dtype."
        warnings = [_FILLED]
    elif stacked:
        what = whole if stacked == paths else f"{listed(stacked)} {'holds' if len(stacked) == 1 else 'hold'}"
        opened = "first dimension" if of_one_size else "first dimension, and those that change,"
        text += (
            f" Stack what {what} into one tensor, and leave its {opened} open (`reduce_retracing=True`, or None"
            " in an `input_signature`): another length is another shape."
        )
        if any(node.kind == "tensor" for path in stacked for _, node in sequences[path][0].children):
            joined = [path for path in stacked if _are_joined(function, path)]
            warnings = [_OF_GRAPHS.format(f"`{path}` holds", path) for path in joined]
            notes += [_TAKEN[0].format("" if joined == stacked else _CONCAT), *_TAKEN[1:]]
        notes += [*what_takes_no_tensor(function, stacked), *what_needs_its_length(function, stacked), _AS_MANY]
        code = made_of(function, stacked, "tf.stack({})")
    elif ragged == paths and not function.jit_compile:  # XLA takes none
        text += _RAGGED.format(whole)
        notes = [_RAGGED_TAKEN, _AS_MANY]
        code = made_of(function, ragged, "tf.ragged.stack({})")
    elif (are_pairs := all(map(_are_of_pairs, sequences.values()))) and not _differentiates(function):
        text += _DATASET.format(listed(paths))
        notes = [_NO_GRADIENT, _AS_MANY]
        code = made_of(function, paths, _MADE_A_DATASET)
    elif are_pairs or all(nodes and _hold_alike(nodes) for nodes in sequences.values()):
        text += _BY_LEAVES.format(listed(paths))
        notes = [_BY_LEAVES_TAKEN, _AS_MANY]
        code = made_of(function, paths, _STACKED_BY_LEAVES)
    else:
        text += " Pass one structure at every call."
    evidence = "Which structure all calls could have is not recorded."
    is_stacked = not (is_left_out or is_filled) and of_one_size == paths and _hold_tensors(sequences.values())
    if is_stacked and (one := as_one_tensor.declared(function, paths)) is not None:
        evidence = (
            f"Replayed by TensorFlow's rules, {plural(len(function.traces), 'signature')} with such a tensor in place"
            f" of a list need {plural(one.traces, 'trace')} where {'it is' if len(paths) == 1 else 'they are'} declared"
            f" as shown; it assumes that the function takes that, and that {one.fix.assumes}."
        )
        return Fix(
            "same_structure", text, None, other=code, decorator=one.fix.decorator, evidence=evidence,
            traces_after=one.traces, notes=[*notes, *one.fix.notes], warnings=warnings,
        )  # fmt: skip
    return Fix("same_structure", text, None, other=code, evidence=evidence, notes=notes, warnings=warnings)


def _hold_tensors(sequences: Iterable[Sequence[Node]]) -> bool:
    return all(child.kind == "tensor" for nodes in sequences for node in nodes for _, child in node.children)


def _differentiates(function: FunctionFacts) -> bool:
    """Whether a graph is known to hold a gradient, which a loop over a dataset has none for."""
    places = [place for place, trace in enumerate(function.traces) if not trace.lookup.failed]
    return bool(places) and bool(function.graphs.differentiates(places[-1]))


def _is_a_dataset(node: Node) -> bool:
    return node.kind == "composite" and node.value.startswith(_A_DATASET)


def _are_joined(function: FunctionFacts, path: str) -> bool:
    """Whether one of the graphs is known to pass all that a list of several holds to `tf.concat`."""
    for place, trace in enumerate(function.traces):
        node = node_of(trace, path)
        if trace.lookup.failed or node is None or len(node.children) < 2:
            continue
        taken = (taken_by_graph(function, place, path + key) for key, _ in node.children[:_MOST_ITEMS])
        return all(_CONCATENATES in names for names in taken)
    return False


def _can_be_stacked(sequence: Node, like: Node) -> bool:
    """Whether it holds numbers, or tensors of one shape and dtype, as `like` does."""
    items = [node for _, node in (*sequence.children, *like.children)]
    if not sequence.children or sequence.kind not in ("list", "tuple"):
        return False
    if all(is_number(node) for node in items):
        return True
    return all(node.kind == "tensor" and (node.shape, node.dtype) == (items[0].shape, items[0].dtype) for node in items)


def _holds_numbers(sequence: Node) -> bool:
    return all(is_number(node) for _, node in sequence.children)


def _can_be_stacked_by_call(sequences: Sequence[Node]) -> bool:
    """Whether each holds tensors of one shape, such as a batch's, and all of them of one dtype and rank."""
    alike = all(_can_be_stacked(one, one) for one in sequences)
    return alike and all(_can_be_ragged(one, sequences[0]) for one in sequences)


def _are_of_pairs(sequences: Sequence[Node]) -> bool:
    return bool(sequences) and all(_is_of_pairs(one, sequences[0]) for one in sequences)


def _is_of_pairs(sequence: Node, like: Node) -> bool:
    """Whether it holds tuples, of as many numbers or tensors of one shape and dtype each as those of `like`."""
    items = [node for _, node in (*sequence.children, *like.children)]
    if not sequence.children or not like.children or sequence.kind not in ("list", "tuple"):
        return False
    length = len(items[0].children)
    if length < 2 or any(item.kind != "tuple" or len(item.children) != length for item in items):
        return False
    columns = zip(*[[node for _, node in item.children] for item in items], strict=True)
    return all(_are_alike(column) for column in columns)


def _hold_alike(sequences: Sequence[Node]) -> bool:
    """Whether they hold dictionaries or tuples of tensors, all with the same parts of the same shapes and dtypes."""
    if any(sequence.kind not in ("list", "tuple") or not sequence.children for sequence in sequences):
        return False
    items = [item for sequence in sequences for _, item in sequence.children]
    if any(item.kind not in ("dict", "named_tuple", "list", "tuple") or not item.children for item in items):
        return False
    leaves = [tuple(iter_leaves("", item)) for item in items]
    are_tensors = all(leaf.kind == "tensor" for one in leaves for _, leaf in one)
    return are_tensors and len({tuple((path, n.dtype, n.shape) for path, n in one) for one in leaves}) == 1


def _are_alike(nodes: Sequence[Node]) -> bool:
    """Numbers of one Python type, or tensors of one shape and dtype."""
    if all(is_number(node) for node in nodes):
        return len({node.type_name for node in nodes}) == 1
    return all(node.kind == "tensor" and (node.shape, node.dtype) == (nodes[0].shape, nodes[0].dtype) for node in nodes)


def _can_be_ragged(sequence: Node, like: Node) -> bool:
    """Whether it holds tensors of one dtype and rank, none of which is a scalar, as `like` does."""
    items = [node for _, node in (*sequence.children, *like.children)]
    if not sequence.children or sequence.kind not in ("list", "tuple"):
        return False
    ranks = {len(node.shape or ()) for node in items}
    return (
        all(node.kind == "tensor" and node.dtype == items[0].dtype for node in items) and len(ranks) == 1 and all(ranks)
    )


def _are_as_long(function: FunctionFacts, path: str) -> bool:
    if len({len(node.children) for node in nodes_at(function, path) if not is_none(node)}) == 1:
        return True
    changed = [t for t, change in function.with_cause("structure") if change.path == path]
    compared = [
        (node_of(t, path), node_of(function.traces[t.closest], path) if t.closest is not None else None)
        for t in changed
    ]
    return all(now and before and len(now.children) == len(before.children) for now, before in compared)


def _one_sequence(function: FunctionFacts, paths: list[str]) -> Fix | None:
    """What is a tuple in some calls and a list in others, where nothing but that can be avoided: of as many items. It
    may be None in some."""
    words: dict[str, str] = {}
    for path in paths:
        nodes = [node for node in nodes_at(function, path) if not is_none(node)]
        if {node.kind for node in nodes} == {"tuple", "list"} and _are_as_long(function, path):
            words[path] = nodes[0].kind
    if not words or set(words) != set(paths):
        return None
    names = listed(list(words))
    one = len(words) == 1
    what = "is a tuple in some calls and a list in others" if one else "are tuples in some calls, else lists"
    text = f"{names} of `{function.name}` {what}. Pass one of the two."
    calls = {path: word + "({})" for path, word in words.items()}
    return Fix("same_structure", text, Candidate(sequences=words), calls=calls)
