"""A Python number that takes many values: each is a constant of a graph of its own. A tensor is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.asked_for import takes_tensors
from tb_retrace_plugin.explain.advice.evidence.constant_values import fits, holds
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import is_declared, is_none, names_of_closure, node_of, nodes_at
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import sizes_of_numbers
from tb_retrace_plugin.explain.advice.python_values import tensor_for_sequence
from tb_retrace_plugin.explain.advice.python_values.decided_in_python import decided_by, is_of_another_object
from tb_retrace_plugin.explain.advice.python_values.number_in_words import what_is_not_known, what_it_decides
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.other_fractions import beside_other_fractions, of_double_precision
from tb_retrace_plugin.explain.advice.python_values.python_uses import (
    asks_size_of_part,
    asks_whether_zero,
    begun,
    is_a_place,
    is_read,
    is_unread,
    looks_up,
    what_a_loop_lengthens,
    what_has_no_size,
    what_is_made_anew,
    what_takes_no_tensor,
)
from tb_retrace_plugin.explain.advice.python_values.tensor_for_sequence import (
    NO_CONSTANT,
    fits_int32,
    is_whole,
)
from tb_retrace_plugin.explain.advice.python_values.use import FLOATS, Use
from tb_retrace_plugin.explain.advice.python_values.with_fractions import (
    divides,
    is_computed_with,
    is_made_a_size,
    with_fractions,
)
from tb_retrace_plugin.explain.advice.source.code import plural, whole_arguments
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.paths import sequence_of
from tb_retrace_plugin.explain.verdict.evidence import A_BOOL_WOULD_DO, CREATES_VARIABLES_LATE
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_bool, is_number
from tb_retrace_plugin.schema.signature import iter_leaves

NEEDS_A_NUMBER = "What needs a Python number, such as `tf.split`, cannot take a tensor."
COMPUTED_IN_PYTHON = (
    "What is computed of a number by Python's own means, such as `or`, `min`, `math.sqrt` or an index of a list, cannot"
    " take a tensor: compute that before the call, and pass what comes of it."
)
OVERFLOWS = (
    "Whole numbers that are computed of it have no limit in Python, and those of a tensor overflow without an error."
)
#: Before what is done with a number that is a bool in some calls.
UNLESS_BOOL = "{0} if isinstance({0}, bool) else "
_A_LOOP = "a loop may take a tensor where those in it keep their shapes, with a `tf.TensorArray` in place of a list"
#: Of a whole number of which graphs do not tell what it is there, as each has other operations.
_MEETS_FRACTIONS = "Where the code computes with it in fractions, it has to `tf.cast` it."
NEEDS_A_NUMBER_TO_CHOOSE = "What is decided in Python, such as by an `if`, may not take a tensor."
#: Of what is None in some calls: a tensor that is not one of bools is neither true nor false in a graph.
ASKED_BY_IS = "`if {0}:` has to be `if {0} is not None:` then."
#: Of a number that is 0 in some calls and decides what is built.
ASKED_BY_ZERO = "Where the code asks `if {0}:`, it has to be `if {0} != 0:` then."
OR_ELSE = (
    "If it is not the number that decides it, but something that each trace reads anew, such as which layers are"
    " trainable, calls run with what the first trace has read."
)
_HIDDEN_BOOL = (
    "No number: {} is a bool in some calls, and whether others pass the bool that is equal to a recorded number, which"
    " served them, is not recorded. As a bool it has a trace of its own."
)
_OF_SHAPES = "No number: {} is a `tf.TensorShape` in some calls of the line, and how many sizes it has is not recorded."
_SHAPE = "TensorShape"
#: Ends of a clause on constants that differ where a number does.
_AS_FLOAT64 = ", in Python with more digits than a tensor has, so that the last ones of results may differ"
_BESIDE = ", not all of which are the number itself: others are computed from it, or read anew by each trace"
#: Of tensors, which what Python's numbers become cannot be added to.
_OTHER_FRACTIONS = frozenset({"float64", "float16", "bfloat16", "complex64", "complex128"})
_LESS_PRECISE = frozenset({"float32", "float16", "bfloat16"})


def number_paths(function: FunctionFacts) -> list[str]:
    """Of what may be numbers, where traces were made for other ones; of a short list, all that it holds."""
    paths: dict[str, None] = {}
    changed = _changed(function)
    for path in dict.fromkeys(change.path for _, change in changed):  # each is looked up in all traces
        root = path.rpartition("[")[0]
        # where some calls pass a tensor in its place, of those that pass a list
        around = next((node for node in nodes_at(function, root) if node.kind in ("list", "tuple")), None)
        if around is None:
            paths[path] = None
        elif tensor_for_sequence.dtype_of_list(function, sequence_of(path)) is None:
            paths |= dict.fromkeys(root + key for key, _ in around.children)
            paths[path] = None
    return list(paths)


def _changed(function: FunctionFacts) -> list[tuple[Traced, Change]]:
    """Without those of traces that failed because they created variables: the number may say which; and what another
    tf.function's partial binds, or has by default (`lambda x, mu=mu: …`), which no call passes."""
    found = function.with_cause("python_value", "python_type")
    found = [(t, c) for t, c in found if not (is_of_another_object(t) and _is_its_own(t, c.path))]
    return [(t, change) for t, change in found if not (t.lookup.failed and t.evidence == CREATES_VARIABLES_LATE)]


def _is_its_own(trace: Traced, path: str) -> bool:
    return path in trace.bound_by_name or path in names_of_closure(trace.evidence)


def propose(function: FunctionFacts) -> Fix | None:
    paths = [p for p in number_paths(function) if p not in function.python_numbers and not is_unread(function, p)]
    changed = {change.path for _, change in _changed(function)}
    flags = {c.path for t in function.avoidable if t.evidence.endswith(A_BOOL_WOULD_DO) for c in t.changes}
    paths = [path for path in paths if path not in flags]
    # beside one that stays a Python number, what has never changed does too
    lists = {path.rpartition("[")[0] for path in paths if path in changed}
    paths = [path for path in paths if path in changed or path.rpartition("[")[0] in lists]
    dtypes, wraps, values = {}, {}, {}
    for path in paths:
        found = number_dtype(function, path)
        if found is not None and not use_of(function, path).attribute and not decided_by(function, path):
            dtypes[path], is_plain, values[path] = found
            wraps[path] = "tf.constant({})" if is_plain else f"tf.constant({{}}, tf.{dtypes[path]})"
    _make_alike(function, dtypes, wraps, values)
    _write_alike(wraps, dtypes)
    with_bools = [path for path in wraps if dtypes[path] != "bool" and any(map(is_bool, nodes_at(function, path)))]
    for path in with_bools:
        wraps[path] = UNLESS_BOOL + wraps[path].replace("{}", "{0}")
    hidden = [path for path in with_bools if _may_hide_a_bool(function, path)]
    if not dtypes:
        return None
    named = [path for path in dtypes if values[path] > 1] or list(dtypes)
    names = listed(named)
    has_bools = "bool" in dtypes.values()
    noun, them = ("value", "the Python values") if has_bools else ("number", "values of the Python numbers")
    if set(values.values()) == {1}:
        are = (
            "is a Python number in some calls and a tensor"
            if len(dtypes) == 1
            else "are Python numbers in some calls and tensors"
        )
        text = f"{names} of `{function.name}` {are} in others."
    elif len(changing := [count for count in values.values() if count > 1]) == 1:
        seen = function.at_least + plural(changing[0], "value")
        text = f"`{function.name}` is traced for each value of the Python {noun} {names} ({seen} so far)."
    else:
        text = f"`{function.name}` is traced for each combination of {them} {names}."
    what = listed(list(dtypes)) if len(named) < len(dtypes) else "them"
    text += f" Pass {'it as a tensor' if len(dtypes) == 1 else f'{what} as tensors'} at every call."
    casts = casts_within(function, dtypes)
    text += casts
    anew = list(dict.fromkeys(sentence for path in dtypes for sentence in what_is_made_anew(function, path)))
    text += "".join(f" {sentence}" for sentence in anew)
    notes = takes_tensors(function, dtypes) + where_a_number_is_needed(function, dtypes, casts_told=bool(casts))
    told = [path for path in dtypes if len(use_of(function, path).dtypes) > 1]  # of these it is known what they became
    notes = [note for note in notes if not (anew and note == NO_CONSTANT)]
    others = beside_other_fractions(function, {path: dtype for path, dtype in dtypes.items() if path not in told})
    notes += [others] if others else []
    options = [path for path in dtypes if any(map(is_none, nodes_at(function, path)))]
    notes += [ASKED_BY_IS.format(p) for p in options if asks_whether_zero(function, p) or not is_read(function)]
    compiled_in = [path for path in dtypes if function.jit_compile and use_of(function, path).compiled_in]
    if compiled_in:
        notes.append(_compiled_in(compiled_in, alone=len(dtypes) == 1))
    # written as `tuple(… for n in size)`, a number's container becomes one kind of sequence too
    whole = whole_arguments(function, wraps)
    kinds = {
        path: "list" if code.startswith("[") else "tuple"
        for path, code in whole.items()
        if path not in wraps and len({node.kind for node in nodes_at(function, path)}) > 1
    }
    assumes = "the code works on a tensor there" + works_on_tensors(function, dtypes)
    assumes += ", and that no call passes an equal number of another Python type"
    if by_default := [path for path in dtypes if path in function.with_default]:
        assumes += f", or leaves {listed(by_default)} to {'its' if len(by_default) == 1 else 'their'} default"
    return Fix(
        "tensor_for_python_number", text, Candidate(numbers=dtypes, sequences=kinds), calls=whole,
        evidence=_HIDDEN_BOOL.format(listed(hidden)) if hidden else _of_shapes(function, whole),
        assumes=assumes, executes=bool(compiled_in), notes=notes, beside_others=others,
    )  # fmt: skip


def _may_hide_a_bool(function: FunctionFacts, path: str) -> bool:
    """Whether the other bool may have been served by the number that it is equal to, as no tensor serves it."""
    values = {is_bool(node): set[str]() for node in nodes_at(function, path)}
    for node in nodes_at(function, path):
        values[is_bool(node)].add(node.value)
    equal = {"True": {"1", "1.0"}, "False": {"0", "0.0", "-0.0"}}
    return any(name not in values[True] and values.get(False, set()) & numbers for name, numbers in equal.items())


def _of_shapes(function: FunctionFacts, whole: Iterable[str]) -> str:
    """Where the line that is to make tensors of what it passes has passed a `tf.TensorShape`, of which it makes some as
    well: how many are in that is not recorded."""
    of_shapes: dict[str, set[tuple[str, int]]] = {}
    of_others: dict[str, set[tuple[str, int]]] = {}
    for trace in function.traces:
        for path in whole:
            node, frame = node_of(trace, path), function.caller(trace)
            if node is not None and frame is not None:
                is_one = node.kind == "object" and node.type_name.endswith(_SHAPE)
                (of_shapes if is_one else of_others).setdefault(path, set()).add((frame.file, frame.line))
    shared = [path for path, lines in of_shapes.items() if lines & of_others.get(path, set())]
    return _OF_SHAPES.format(listed(shared)) if shared else ""


def _make_alike(
    function: FunctionFacts, dtypes: dict[str, str], wraps: dict[str, str], values: Mapping[str, int]
) -> None:
    """A whole number that never changed, of which no graph tells, is what the whole ones beside it in its list are."""
    of_lists: dict[str, set[str]] = {}
    for path in dtypes:
        types = {node.type_name for node in nodes_at(function, path) if is_number(node)}
        if values[path] > 1 and types == {"int"} and (around := path.rpartition("[")[0]):
            of_lists.setdefault(around, set()).add(dtypes[path])
    for path in [path for path in dtypes if values[path] == 1 and dtypes[path] == "int32"]:
        beside = of_lists.get(path.rpartition("[")[0], set())
        if len(beside) == 1 and beside != {"int32"} and not use_of(function, path).dtypes:
            (dtypes[path],) = beside
            wraps[path] = f"tf.constant({{}}, tf.{dtypes[path]})"


def _write_alike(wraps: dict[str, str], dtypes: Mapping[str, str]) -> None:
    """Numbers of one list and one dtype: they are converted by one comprehension."""
    told = {(path.rpartition("[")[0], dtypes[path]) for path, wrap in wraps.items() if ", tf." in wrap}
    for path in wraps:
        if (around := path.rpartition("[")[0]) and (around, dtypes[path]) in told:
            wraps[path] = f"tf.constant({{}}, tf.{dtypes[path]})"


def _compiled_in(paths: Sequence[str], *, alone: bool) -> str:
    what = "it" if alone else listed(list(paths))
    return (
        f"XLA needs {what} while it compiles, as it does shapes, and compiles for each value, with or without a trace:"
        " the traces are saved, not the compilations."
    )


def where_a_number_is_needed(
    function: FunctionFacts, dtypes: Mapping[str, str], *, casts_told: bool = False
) -> list[str]:
    """Notes on what cannot take a tensor for these arguments, as far as is known; none if nothing says so.

    `casts_told`: what the code has to cast is said elsewhere.
    """
    uses = {path: use_of(function, path) for path in dtypes}
    # what was looked up is what the graphs hold
    uses |= {
        path: replace(use, dtypes=(), floats="")
        for path, use in uses.items()
        if looks_up(function, path)
        or (casts_told and (len(use.dtypes) > 1 or is_made_a_size(function, path)))
        or (use.computed and with_fractions(function, path))  # `int(n * 0.5)` of a tensor is one of whole numbers
    }
    types = {node.type_name for path in dtypes for node in nodes_at(function, path) if is_number(node)}
    refused = what_takes_no_tensor(function, dtypes)
    deciding = [path for path, use in uses.items() if use.decides or use.may_decide]
    # what its source asks is told as it is written there
    deciding = [] if is_read(function) else deciding
    zeros = [path for path in deciding if _is_zero_or_not(function, path)]
    notes = where_one_is_needed(uses, dtypes, are_whole="int" in types, refused=refused, casts_told=casts_told)
    if is_read(function):  # what its source gives to `tf.constant` is told as it is written there
        notes = [note for note in notes if note != NO_CONSTANT]
    computed = [path for path, use in uses.items() if use.computed or use.partly]
    if computed and all(is_computed_with(function, path) for path in computed):
        notes = [note for note in notes if note != COMPUTED_IN_PYTHON]  # it is by what takes a tensor
    is_resized = any(use.resizes for use in uses.values()) or asks_size_of_part(function, dtypes)
    if is_resized or not all(map(_is_known, uses.values())):
        notes += what_has_no_size(function, dtypes)
    notes += [text for path in dtypes for text in what_a_loop_lengthens(function, path)]
    sizes = [path for path, use in uses.items() if _may_be_a_size(function, path, use)]
    notes += filter(None, [sizes_of_numbers(function, sizes)])
    return [*notes, *map(ASKED_BY_ZERO.format, zeros), *_mixed(function, dtypes)]


def _may_be_a_size(function: FunctionFacts, path: str, use: Use) -> bool:
    """Whether it is whole, and not known to be but a number that is computed with in fractions."""
    numbers = [node for node in nodes_at(function, path) if is_number(node)]
    is_fraction = bool(use.dtypes) and all(dtype.startswith(FLOATS) for dtype in use.dtypes)
    return all(node.type_name == "int" for node in numbers) and not is_fraction


def _is_zero_or_not(function: FunctionFacts, path: str) -> bool:
    """Whether it is a number at every call, and 0 at some: TensorFlow asks for the truth of a bool tensor alone."""
    nodes = list(nodes_at(function, path))
    zeros = [node.value in ("0", "0.0") for node in nodes if is_number(node)]
    return len(zeros) == len(nodes) and any(zeros) and not all(zeros)


def _mixed(function: FunctionFacts, dtypes: Mapping[str, str]) -> list[str]:
    """A note, if Python's whole numbers become tensors of several dtypes, which do not mix as those do."""
    whole = [path for path in dtypes if {n.type_name for n in nodes_at(function, path) if is_number(n)} == {"int"}]
    first = next((path for path in whole if dtypes[path] != dtypes[whole[0]]), None)
    if first is None:
        return []
    return [
        f"`{whole[0]}` is a tensor of {dtypes[whole[0]]} then, and `{first}` one of {dtypes[first]}: where the code"
        " computes with both, it has to cast one."
    ]


def where_one_is_needed(
    uses: Mapping[str, Use], dtypes: Mapping[str, str], *, are_whole: bool, refused: Sequence[str] = (),
    casts_told: bool = False,
) -> list[str]:  # fmt: skip
    """`are_whole`: some of the numbers are. `dtypes`: of the tensors. `refused`: notes on what takes none.
    `casts_told`: what the code has to cast is said elsewhere."""
    notes = []
    decides = what_it_decides(uses)
    if decides and not are_whole:
        notes.append(f"{decides}. {NEEDS_A_NUMBER_TO_CHOOSE}")
    elif decides:
        is_whole = any(dtypes.get(path, "").startswith(("int", "uint")) for path in uses)
        meets = f" {_MEETS_FRACTIONS}" if is_whole and not casts_told else ""
        notes.append(f"{decides}: {_A_LOOP}; {NEEDS_A_NUMBER[0].lower()}{NEEDS_A_NUMBER[1:]}{meets}")
    else:
        if not refused and any(use.computed or use.partly for use in uses.values()):
            notes.append(COMPUTED_IN_PYTHON)
        if are_whole and any(use.resizes or not _is_known(use) for use in uses.values()):
            is_unseen = any(
                dtypes.get(path, "").startswith(("int", "uint")) and not (use.dtypes or use.computed or _is_known(use))
                for path, use in uses.items()
            )
            notes.append(f"{NEEDS_A_NUMBER} {_MEETS_FRACTIONS}" if is_unseen and not casts_told else NEEDS_A_NUMBER)
    if any(use.anew for use in uses.values()):
        notes.append(OR_ELSE)
    if any(use.by_itself and not use.step for use in uses.values()):  # a summary makes one of its step
        notes.append(NO_CONSTANT)
    if are_whole and any(use.computed and use.dtype.startswith("int") for use in uses.values()):
        notes.append(OVERFLOWS)
    return [*refused, *notes, *what_is_not_known(uses, dtypes, is_used=bool(refused))]  # what is certain first


def _is_known(use: Use) -> bool:
    return bool(use.example or use.captures or use.same_graphs or use.texts)


def works_on_tensors(function: FunctionFacts, paths: Iterable[str]) -> str:
    """The end of a sentence that begins with "it assumes that the code", with what the graphs say for it."""
    return seen_in_graphs([use_of(function, path) for path in paths])


def seen_in_graphs(uses: Sequence[Use]) -> str:
    if any(not use.is_constant for use in uses):
        return ""
    shown = []
    for use in uses[:2]:
        computed = _AS_FLOAT64 if use.computed and use.dtype in _LESS_PRECISE else ""
        computed = f" that are computed from it{computed}" if use.computed else _BESIDE if use.beside else ""
        shown.append(f"for {use.example} the graphs differ in nothing but {use.dtype} constants{computed}")
    return f" ({'; '.join(shown)})"


def number_dtype(function: FunctionFacts, path: str) -> tuple[str, bool, int] | None:
    """(dtype, whether `tf.constant` gives it unasked, number of values); None if a tensor cannot stand for it."""
    if is_declared(function, path):
        return None
    if _is_one_of_bools(function, path):
        return "bool", True, 2
    types, values = set(), set()
    for node in nodes_at(function, path):
        if is_number(node):
            types.add(node.type_name)
            values.add(node.value)
        elif node.kind != "tensor" and not (is_none(node) or is_bool(node)):  # an option not given, or a flag
            return None
    tensors = {node.dtype for node in nodes_at(function, path, failed=False) if node.kind == "tensor"}
    works = bool(tensors)
    if types == {"int"} and not all(fits("int64", value) for value in values):
        return None
    if not values or len(tensors) > 1 or use_of(function, path).seeds:  # a seed is an operation's attribute
        return None
    natural = "complex128" if "complex" in types else "float32"
    if types == {"int"}:
        natural = "int32" if all(map(fits_int32, values)) else "int64"
    if tensors:
        dtype = tensors.pop()
    else:
        use = use_of(function, path)
        in_graphs = "" if looks_up(function, path) else use.dtype or use.only  # an index is whole
        is_one_of_few = types == {"int"} and not use.computed and all(fits(in_graphs, value) for value in values)
        dtype = in_graphs if holds(in_graphs, natural) or is_one_of_few else natural
        if dtype == "float32" and not in_graphs and not looks_up(function, path) and of_double_precision(function):
            dtype = "float64"
        if types == {"int"} and _is_only_in_fractions(function, path, dtype):
            dtype = "float32"
        if types == {"int"} and dtype.startswith(FLOATS) and is_made_a_size(function, path):
            dtype = natural
        # `step // 1000` of `tf.summary.scalar`, or the step itself
        if types == {"int"} and (use.summaries or (use.step and "int64" in (use.dtypes or ("int64",)))):
            dtype = "int64"
    if not holds(dtype, natural) and natural not in ("int32", "int64"):
        return None  # a tensor of whole numbers, or of real ones, cannot hold them
    if not dtype.startswith(("float", "bfloat", "int", "uint", "complex")):
        return None
    if not works and any(node.kind == "tensor" and node.dtype == dtype for node in nodes_at(function, path)):
        return None  # each call with such a one failed
    plain = dtype == natural and len(types) == 1 and natural != "int64"
    if types == {"float"} and any(map(is_whole, values)):
        plain = False  # `1` finds the trace of `1.0`, and is not recorded: as a tensor it would be an int32
    return dtype, plain, len(values)


def _is_only_in_fractions(function: FunctionFacts, path: str, dtype: str) -> bool:
    """Whether a tensor of whole numbers would fail, though the graphs hold whole ones: `int(n * 0.5)`."""
    use = use_of(function, path)
    is_itself = (any(not one.startswith(FLOATS) for one in use.dtypes) and not use.computed) or is_a_place(
        function, path
    )
    is_whole_tensor = not dtype.startswith((*FLOATS, "complex"))
    return is_whole_tensor and not is_itself and not use.decides and bool(with_fractions(function, path))


def casts_within(function: FunctionFacts, dtypes: Mapping[str, str]) -> str:
    """A sentence on whole numbers that the code computes with fractions as well, which a tensor of them fails at."""
    sentences = []
    for path, dtype in dtypes.items():
        if dtype.startswith((*FLOATS, "complex")) or any(n.type_name == "float" for n in nodes_at(function, path)):
            continue
        shown = with_fractions(function, path)
        # what is looked up is no matter of the index
        dtypes_there = () if looks_up(function, path) else use_of(function, path).dtypes
        of_floats = [one for one in dtypes_there if one.startswith(FLOATS)]
        to = of_floats[0] if of_floats else "float32"
        if shown:
            it, what = ("it", "that") if len(shown) == 1 else ("them", "these")
            sentences.append(
                f" The code computes {listed(shown[:3])} with fractions, which a tensor of {dtype} fails at: write"
                f" `tf.cast(…, tf.{to})` around what is whole in {what if len(shown) > 1 else it}."
            )
        elif (divided := divides(function, path)) and (of_floats or not dtypes_there):
            are = "is" if len(divided[:3]) == 1 else "are"
            sentences.append(f" Where {listed(divided[:3])} {are} of {to}, write `tf.cast({path}, tf.{to})` in it.")
        elif of_floats:
            name = "it" if len(dtypes) == 1 else f"`{path}`"
            sentences.append(f" Where the code computes with {name} in {to}, write `tf.cast({path}, tf.{to})`.")
        sentences.append(_begun_otherwise(function, path))
    return "".join(sentences)


def _begun_otherwise(function: FunctionFacts, path: str) -> str:
    """A sentence on what is begun with a number before a loop over this one, where that may become of another dtype."""
    number = begun(function, path)
    if not number:
        return ""
    keeps = " A loop of the graph keeps dtypes: where"
    arguments = function.traces[0].lookup.signature.arguments
    nodes = (leaf for argument, node in arguments for _, leaf in iter_leaves(argument, node))
    other = next((leaf.dtype for leaf in nodes if leaf.kind == "tensor" and leaf.dtype in _OTHER_FRACTIONS), "")
    if other:
        return f"{keeps} `{number}` becomes a {other}, begin with that: `tf.zeros([], tf.{other})`, for 0."
    return f"{keeps} `{number}` becomes a fraction, begin with 0.0." if "." not in number else ""


def _is_one_of_bools(function: FunctionFacts, path: str) -> bool:
    """Whether a bool in a list or tuple of several is all that is passed there: one alone chooses the code, mostly."""
    around = [node for node in nodes_at(function, path.rpartition("[")[0]) if not is_none(node)]  # an option
    nodes = [node for node in nodes_at(function, path) if node.kind != "tensor" or node.dtype != "bool"]
    if not nodes or any(node.type_name != "bool" for node in nodes):
        return False
    several = [sum(child.type_name == "bool" for _, child in node.children) > 1 for node in around]
    return any(several) and all(node.kind in ("list", "tuple") for node in around)
