"""Tensors of changing shapes: an input signature, `reduce_retracing`, or, where XLA compiles, one shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.asked_for import takes_tensors
from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import decided_by_rank
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import depends_on_the_size
from tb_retrace_plugin.explain.advice.evidence.reading import is_written_as_default, node_of, nodes_at
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import of_each_object, size_changes, variables_need_sizes
from tb_retrace_plugin.explain.advice.evidence.sizes_in_graphs import told_of_sizes
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number
from tb_retrace_plugin.explain.advice.shapes.bound_by_partials import are_several, bound_by_partials, told_of
from tb_retrace_plugin.explain.advice.shapes.built_by_size import AS_AN_ATTRIBUTE, built_by_size
from tb_retrace_plugin.explain.advice.shapes.left_to_defaults import left_to_defaults
from tb_retrace_plugin.explain.advice.shapes.sizes_of_objects import (
    OF_ANY_SIZE,
    declared_by_each,
    told_of_each_objects_own,
)
from tb_retrace_plugin.explain.advice.shapes.unknown_rank import told_of_rank
from tb_retrace_plugin.explain.advice.source.class_names import told_of_classes
from tb_retrace_plugin.explain.advice.source.code import replacement, signature_code, spec_code
from tb_retrace_plugin.explain.differences.diff import diff_nodes
from tb_retrace_plugin.explain.verdict.evidence import (
    CREATES_VARIABLES_EACH_TIME,
    CREATES_VARIABLES_LATE,
    LAST_BATCH,
    says_of_another_model,
)
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE, Candidate, changed_node, is_number
from tb_retrace_plugin.explain.what_if.last_batch import smaller_batch, without_shapes
from tb_retrace_plugin.explain.what_if.replay import common_arguments, fits, shape_serves, some_is_served
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves, shape_text

_Arguments = tuple[tuple[str, Node], ...]
_PAD = "tf.pad({}, …)"
#: Looked at for which one changes.
_MOST_AXES = 8
_FAILS = (
    "A Python loop over a dimension fails where its size is unknown, and an `if` that asks for that is not met, without"
    " an error."
)
_OWN_DEFAULT = "{} {} undeclared, as the default value that {}."
_OF_EACH, _OF_ONE = "each function has of its own", "no call passes"
_CREATE_VARIABLES = (CREATES_VARIABLES_EACH_TIME, CREATES_VARIABLES_LATE)
#: The end of a sentence that begins with "it assumes that".
UNKNOWN_DIMENSIONS_DO = "the code does not need the unknown dimensions while it is traced"


def changing_paths(function: FunctionFacts) -> list[str]:
    """Arguments whose shape, or nothing but shapes in them, changed in a trace that can be avoided. Not in those that
    failed, but for the variables that they created: of such a shape it may well fail all the same."""
    found = [
        change.path
        for trace, change in function.with_cause("shape", "rank")
        if not trace.lookup.failed or trace.evidence in _CREATE_VARIABLES
    ]
    for trace, change in function.with_cause("composite_spec"):
        if _in_dimensions_alone(function, trace, change.path):
            found.append(change.path)
    return list(dict.fromkeys(found))


def are_of_other_models(function: FunctionFacts) -> bool:
    """Whether some sizes come with a model of these sizes: what serves all of them would run with one model."""
    return any(says_of_another_model(trace.evidence) for trace in function.traces)


def _in_dimensions_alone(function: FunctionFacts, trace: Traced, path: str) -> bool:
    """Of a ragged or sparse tensor: whatever else the trace's verdict is for."""
    old = node_of(function.traces[trace.closest], path) if trace.closest is not None else None
    new = node_of(trace, path)
    changes = diff_nodes(old, new, path) if old is not None and new is not None else []
    return bool(changes) and all(change.parts and {*change.parts} <= {"shape", "rank"} for change in changes)


def of_other_lengths(function: FunctionFacts, base: Candidate) -> list[str]:
    """Of lists that become tensors those whose shapes differ then."""
    shapes = {
        path: {changed_node(node, path, base).shape for node in nodes_at(function, path)} for path in base.stacked
    }
    return [path for path, found in shapes.items() if len(found) > 1]


def propose_input_signature(function: FunctionFacts, base: Candidate) -> Fix | None:
    """`base`: what other fixes change before."""
    paths = list(dict.fromkeys([*changing_paths(function), *of_other_lengths(function, base)]))
    if not paths or function.jit_compile or are_of_other_models(function):
        return None
    working = [
        t.lookup.traced or t.lookup.signature for t in function.traces if base.variables_outside or not t.lookup.failed
    ]
    own = _objects_by_default(function, base)
    bound = bound_by_partials(function, base)
    base = base.with_(Candidate(identities=own, bound=bound))
    arguments = common_arguments(working, base)
    if arguments is None or unknown_dimensions_fail(function, base):
        return None
    if variables_need_sizes(function) and not base.variables_outside:
        return None
    left_out = left_to_defaults(function)
    objects = {path for path, _ in own} | left_out
    declared, undeclared_ones = declared_and_defaults(arguments, objects)
    defaults = tuple(pair for pair in undeclared_ones if pair[0] not in objects)
    code = signature_code(declared)
    if code is None or not any(is_open(node) for _, node in declared):
        return None
    if any(path in function.keyword_only for path, _ in declared):  # TensorFlow refuses to declare them
        return None
    if function.bound_as and not function.undecorated:  # by its name alone it knows what a method need not declare
        return None
    if function.self_is_passed:  # what it knows so is not passed to the others' places
        return None
    text = f"{changing(function, paths)} shape. Declare {'it' if len(paths) == 1 else 'them'} with unknown dimensions:"
    text += (
        " one trace of each tf.function serves all its calls."
        if are_several(function, base)
        else " one trace serves all."
    )
    unknown_ranks = [path for name, node in declared for path, leaf in iter_leaves(name, node) if leaf.shape is None]
    by_each = declared_by_each(function, declared) if base == NO_CHANGE and not defaults else ""
    notes = [
        *fails_where_unknown(function, paths, unknown_ranks),
        *told_of_classes(function, (node for _, node in declared)),
        *([OF_ANY_SIZE] if by_each else told_of_each_objects_own(function, declared) if not base.objects else ()),
    ]
    said, assumed = of_numbers(function, base)
    notes += said
    assumes = UNKNOWN_DIMENSIONS_DO + assumed
    outside = None
    if defaults:
        if function.is_object or not function.name.isidentifier():  # whose parameters are written elsewhere
            return None
        if _are_others_where_it_failed(function, defaults):  # what is to work once it is mended would be refused
            return None
        notes.append(stay_undeclared([path for path, _ in defaults]))
        assumes += f", and that no call passes another {listed([path for path, _ in defaults])}"
        if not base.objects:  # else they are written where it is defined once
            code += f"\ndef {function.name}(…, {defaults_code(function, defaults)}):"
        if all(path in function.with_default for path, _ in defaults):
            outside = {"input_signature": f"[{', '.join(str(spec_code(node)) for _, node in declared)}]"}
    if bound:
        notes.append(told_of(function, base, bound))
        assumes += f", and that no call passes another {listed(sorted(bound))}"
    if objects:
        whose = _OF_ONE if objects == left_out else _OF_EACH
        notes.append(_OWN_DEFAULT.format(listed(sorted(objects)), "stays" if len(objects) == 1 else "stay", whose))
        assumes += f", and that no call passes another {listed(sorted(objects))}"
        outside = None
    candidate = Candidate(input_signature=arguments, numbers=base.numbers, identities=own, bound=bound)
    if not base.variables_outside:
        notes += _refused(function, base.with_(candidate))
    undeclared = {path: node.value for path, node in defaults} if base.objects else {}
    return Fix(
        "input_signature", text, candidate,
        decorator="" if by_each else code, other=by_each,
        assumes=assumes, outside=outside, notes=notes, undeclared=undeclared,
    )  # fmt: skip


def of_numbers(function: FunctionFacts, base: Candidate) -> tuple[list[str], str]:
    """Notes on numbers that are declared as tensors, and what is assumed of them."""
    if not base.numbers:
        return [], ""
    names = listed(list(base.numbers))
    what = "a tensor; a Python number that is passed is" if len(base.numbers) == 1 else "tensors; Python numbers are"
    casts = tensor_for_number.casts_within(function, base.numbers)
    said = [f"It takes {names} as {what} converted.{casts}"]
    said += takes_tensors(function, base.numbers)
    said += tensor_for_number.where_a_number_is_needed(function, base.numbers, casts_told=bool(casts))
    return said, f", and works on a tensor for {names}{tensor_for_number.works_on_tensors(function, base.numbers)}"


def declared_and_defaults(arguments: _Arguments, objects: Collection[str]) -> tuple[_Arguments, _Arguments]:
    """What an input signature can hold; and what comes after it, Python values that can be written as defaults.
    `objects`: such that are default values already."""
    end = len(arguments)
    while end and (arguments[end - 1][0] in objects or is_written_as_default(*arguments[end - 1])):
        end -= 1
    return arguments[:end], arguments[end:]


def _objects_by_default(function: FunctionFacts, base: Candidate) -> dict[tuple[str, int], int]:
    """Of `lambda x, m=m: m(x)`, made for one object after the other: as a Candidate makes them one. Each function has
    one of its own, so that none takes another's place."""
    found: dict[tuple[str, int], int] = {}
    for path in function.with_default:
        given: dict[int, set[int]] = {}
        for trace in function.traces:
            node = dict(trace.lookup.signature.arguments).get(path)
            if node is None or node.kind != "object":
                break
            number = trace.lookup.object_number
            given.setdefault(base.objects.get(number, number), set()).add(node.identity)
        else:
            identities = set().union(*given.values())
            if len(identities) > 1 and all(len(each) == 1 for each in given.values()):
                found |= {(path, identity): min(identities) for identity in identities}
    return found


def _are_others_where_it_failed(function: FunctionFacts, defaults: _Arguments) -> bool:
    given = (dict(t.lookup.signature.arguments) for t in function.traces if t.lookup.failed)
    return any(one.get(path, node) != node for one in given for path, node in defaults)


def _refused(function: FunctionFacts, candidate: Candidate) -> list[str]:
    """Notes on calls that failed while they were traced, and would fail otherwise, or later; none if there are none."""
    failed = [t.lookup.signature for t in function.traces if t.lookup.failed]
    declared = {path: node for path, node in candidate.input_signature or () if node.kind == "tensor"}
    served = [signature for signature in failed if fits(signature, candidate)]
    refused = [one for one in failed if one not in served and not _may_be_converted(one, declared)]
    notes = []
    if refused:
        such = _with_shapes(refused, lambda path, node: not shape_serves(declared[path].shape, node.shape), declared)
        notes.append(f"Calls that failed{such} are refused with a TypeError then, whatever they raised before.")
    if served:
        such = _with_shapes(served, lambda path, node: is_open(declared[path]), declared)
        notes.append(
            f"Calls that failed{such} are served by that graph then: what is wrong with them is raised when it runs, as"
            " an error of `tf.errors`, if at all."
        )
    return notes


def _with_shapes(
    signatures: list[Signature], is_told: Callable[[str, Node], bool], declared: Mapping[str, Node]
) -> str:
    shapes = [
        f"`{path}` of {shape_text(node.shape)}"
        for signature in signatures
        for path, node in signature.arguments
        if node.kind == "tensor" and path in declared and is_told(path, node)
    ]
    return f", with {' or '.join(list(dict.fromkeys(shapes))[:3])}," if shapes else ""


def _may_be_converted(signature: Signature, declared: Mapping[str, Node]) -> bool:
    """Whether it holds Python's numbers where tensors are declared, of which TensorFlow makes such if it can."""
    given = [(node, declared.get(path)) for path, node in signature.arguments]
    return any(t is not None and t.kind == "tensor" and _is_of_numbers(node) for node, t in given)


def _is_of_numbers(node: Node) -> bool:
    if node.kind in ("list", "tuple"):
        return bool(node.children) and all(_is_of_numbers(child) for _, child in node.children)
    return is_number(node)


def stay_undeclared(names: list[str]) -> str:
    if len(names) == 1:
        how = "is the same at every call and stays undeclared, with that value as its default"
    else:
        how = "are the same at every call and stay undeclared, with those values as defaults"
    return f"{listed(names)} {how}; TensorFlow then refuses any other."


def defaults_code(function: FunctionFacts, defaults: _Arguments) -> str:
    parts = [f"{path}={node.value}" for path, node in defaults]
    by_keyword = next((i for i, (path, _) in enumerate(defaults) if path in function.keyword_only), len(parts))
    return ", ".join([*parts[:by_keyword], *(["*"] if by_keyword < len(parts) else []), *parts[by_keyword:]])


def propose_reduce_retracing(function: FunctionFacts) -> Fix | None:
    paths = changing_paths(function)
    if not paths or function.jit_compile or any(trace.lookup.reduce_retracing for trace in function.traces):
        return None
    if unknown_dimensions_fail(function):
        return None
    text = (
        f"{changing(function, paths)} shape. `reduce_retracing=True` lets TensorFlow widen a dimension"
        " when it changes, at the price of one more trace."
    )
    return Fix(
        "reduce_retracing", text, Candidate(reduce_retracing=True),
        decorator="@tf.function(reduce_retracing=True)", assumes=UNKNOWN_DIMENSIONS_DO,
        notes=fails_where_unknown(function, paths, of_each=True),
    )  # fmt: skip


def propose_one_shape(function: FunctionFacts) -> Fix | None:
    """XLA compiles for each concrete shape: unknown dimensions would save traces and cost as many compilations.

    And a dimension that decides what is built, or a last batch where an argument cannot be declared.
    """
    paths = [] if are_of_other_models(function) else changing_paths(function)
    sizes = [] if function.jit_compile else _batches_of_last_ones(function, paths)
    is_unrolled = not function.jit_compile and built_by_size(function, paths)
    if not paths or not (function.jit_compile or is_unrolled or (sizes and not _can_be_declared(function))):
        return None
    padded: dict[str, tuple[int, ...]] = {}
    for path in paths:
        shapes = [node.shape for node in nodes_at(function, path, failed=False) if node.kind == "tensor"]
        if any(shape is None or -1 in shape for shape in shapes) or len({len(shape or ()) for shape in shapes}) > 1:
            continue
        padded[path] = tuple(max(dims) for dims in zip(*[shape or () for shape in shapes], strict=True))
    if function.jit_compile and _are_last_batches(function) and padded and all(padded.values()):
        sizes = _batches_of_each_object(function) or [next(iter(padded.values()))[0]]
    text = f"{changing(function, paths)} shape"
    if function.jit_compile:
        text += ", and with `jit_compile=True` XLA compiles for each shape: unknown dimensions would save the trace and"
        text += " not the compilation"
    elif is_unrolled:
        text += f". {is_unrolled}: {depends_on_the_size(function)}"
    if sizes:
        text += ". If the smaller ones are a dataset's last batches, batch with `drop_remainder=True`, or pad those to"
        text += " the size of the others; else pad to one shape."
    else:
        text += ". Pad to one shape, or to a few."
    if set(padded) != set(paths):
        return Fix("pad_to_one_shape", text, None, evidence="Which shape all calls could have is not recorded.")
    assumes = "padding, with a mask where it is needed, does not change the result"
    before = ("input_signature", "reduce_retracing") if is_unrolled else ()  # which would fail
    if not sizes:
        comments = {path: f"to {list(shape)}, the largest so far" for path, shape in padded.items()}
        candidate = Candidate(padded=padded)
        if axes := _axes_alone(function, padded):
            sized = {path: {axis: padded[path][axis] for axis in axes[path]} for path in padded}
            comments = {path: f"dimension {_listed_sizes(to)}, the largest so far" for path, to in sized.items()}
            candidate = Candidate(buckets={p: {a: (size,) for a, size in to.items()} for p, to in sized.items()})
        code = "\n".join(replacement(function, path, _PAD, comment) for path, comment in comments.items())
        return Fix("pad_to_one_shape", text, candidate, other=code, assumes=assumes, before=before)
    batch = "\n".join(
        f"dataset = dataset.batch({size}, drop_remainder=True)  # if a dataset makes them" for size in sizes
    )
    rows = "to its batch's rows" if len(sizes) > 1 else f"to {sizes[0]:,} rows"
    pads = "\n".join(replacement(function, path, _PAD, rows) for path in padded)
    buckets = {path: {0: (max(shape[0], *sizes),)} for path, shape in padded.items()}
    return Fix(
        "pad_to_one_shape", text, Candidate(buckets=buckets), other=f"{batch}\n# or, with all of the examples:\n{pads}",
        assumes=f"the examples left out do not matter, or {assumes}",
        before=before,
    )  # fmt: skip


def _listed_sizes(sizes: Mapping[int, int]) -> str:
    return " and ".join(f"{axis} to {size}" for axis, size in sizes.items())


def _axes_alone(function: FunctionFacts, padded: Collection[str]) -> dict[str, list[int]]:
    """Dimensions that change in the traces that can be avoided, where in others one does with another argument's: rows
    of a batch, that all of its parts have; {} if there are none such."""
    changing: dict[str, set[int]] = {}
    changed: dict[str, set[int]] = {path: set() for path in padded}
    for trace in function.traces:
        before = function.traces[trace.closest] if trace.closest is not None else None
        for path, node in trace.lookup.signature.arguments if before is not None else ():
            old = node_of(before, path) if before is not None else None
            if trace.lookup.failed or old is None or not (node.shape and old.shape) or node.kind != "tensor":
                continue
            axes = {i for i, (a, b) in enumerate(zip(old.shape, node.shape, strict=False)) if a != b}
            changing.setdefault(path, set()).update(axes)
            if path in padded and trace.verdict == "avoidable":
                changed[path] |= axes
    beside = set().union(*(axes for path, axes in changing.items() if path not in padded))
    is_shared = any(beside & (changing.get(path, set()) - axes) for path, axes in changed.items())
    return {path: sorted(axes) for path, axes in changed.items()} if is_shared and all(changed.values()) else {}


def fails_where_unknown(
    function: FunctionFacts, paths: list[str], unknown_ranks: Sequence[str] | None = None, *, of_each: bool = False
) -> list[str]:
    """Notes on what is unrolled over a dimension or made of its size; none if nothing is known to be.

    `unknown_ranks`: of `paths` those whose rank is to be unknown, too; None: of which several are passed. `of_each`:
    each tf.function object leaves those sizes unknown of which it has several itself."""
    clause = built_by_size(function, paths)
    fails = f"{_FAILS} {_loop_of_the_graph(function, paths)}"
    if clause.endswith(AS_AN_ATTRIBUTE):
        fails = "The trace fails where that size is unknown."
    built = f"{clause}. {fails}" if clause else ""
    of_rank = told_of_rank(function, paths if unknown_ranks is None else unknown_ranks)
    asked = [told_of_sizes(one, paths) for one in (of_each_object(function) if of_each else [function])]
    return [note for note in (built, *dict.fromkeys(asked), of_rank) if note]


def _loop_of_the_graph(function: FunctionFacts, paths: list[str]) -> str:
    """What such a loop is written as: AutoGraph leaves one over `range`, or over a list, to Python."""
    changing_axes = [(path, axis) for path in paths for axis in range(_MOST_AXES) if size_changes(function, path, axis)]
    over = "tf.shape({})[{}]".format(*(changing_axes[0] if len(changing_axes) == 1 else "……"))
    return (
        f"`for i in tf.range({over})` is a loop of the graph, which takes one, and collects in a `tf.TensorArray` in"
        " place of a list. `i` is a tensor there, with which no operation can be named."
    )


def _batches_of_last_ones(function: FunctionFacts, paths: Collection[str]) -> list[int]:
    """Sizes of the batches whose last one alone was smaller, among calls that differ in nothing but shapes, and numbers
    that can be tensors; [] if not all of those are of that kind, or one of `paths` never had as many rows: it changes
    for another reason."""
    found = _larger_ones(function, lambda trace: None)
    rows = [max((node.shape[0] for node in nodes_at(function, path) if node.shape), default=0) for path in paths]
    return found if set(rows) <= set(found) else []


def _batches_of_each_object(function: FunctionFacts) -> list[int]:
    """The same where each tf.function object has a batch size of its own: none is padded to another one's."""
    return _larger_ones(function, lambda trace: trace.lookup.object_number)


def _larger_ones(function: FunctionFacts, part_of: Callable[[Traced], Hashable]) -> list[int]:
    """Of each group in which nothing but a smaller batch differs; [] if there is another one."""
    numbers = tensor_for_number.propose(function)
    base = (numbers.candidate if numbers is not None else None) or NO_CHANGE
    groups: dict[Hashable, list[Signature]] = {}
    for trace in function.traces:
        if not trace.lookup.failed:
            signature = trace.lookup.signature
            if base is not NO_CHANGE:
                arguments = tuple((path, changed_node(node, path, base)) for path, node in signature.arguments)
                signature = replace(signature, arguments=arguments)
            group = groups.setdefault((part_of(trace), without_shapes(signature)), [])
            if len(group) <= 2 and signature not in group:  # a third one decides: of thousands no more
                group.append(signature)
    sizes = [smaller_batch(*group) if len(group) == 2 else None for group in groups.values() if len(group) > 1]
    found = [size[0] for size in sizes if size is not None]
    return list(dict.fromkeys(found)) if len(found) == len(sizes) else []


def _are_last_batches(function: FunctionFacts) -> bool:
    """Whether the verdicts say so of all shapes that changed."""
    told = [trace.evidence for trace, _ in function.with_cause("shape", "rank", "composite_spec")]
    return all(LAST_BATCH in evidence for evidence in told)


def _can_be_declared(function: FunctionFacts) -> bool:
    """As it is called, or with tensors for its numbers."""
    numbers = tensor_for_number.propose(function)
    bases = [NO_CHANGE, *([numbers.candidate] if numbers is not None and numbers.candidate is not None else [])]
    return any(propose_input_signature(function, base) is not None for base in bases)


def unknown_dimensions_fail(function: FunctionFacts, base: Candidate = NO_CHANGE) -> bool:
    """Whether a trace failed for unknown ones; or would be traced for an unknown rank, where ranks decide what is
    built."""
    return bool(decided_by_rank(function)) or failed_where_unknown(function, base)


def failed_where_unknown(function: FunctionFacts, base: Candidate) -> bool:
    """Whether a trace failed in which no more was unknown than would have to be to serve all that worked."""
    if base.variables_outside:
        return False
    working = [t.lookup.traced or t.lookup.signature for t in function.traces if not t.lookup.failed]
    failed = [t.lookup.traced or t.lookup.signature for t in function.traces if t.lookup.failed]
    failed = [signature for signature in failed if any(is_open(node) for _, node in signature.arguments)]
    arguments = common_arguments(working, base) if failed else None
    if arguments is None:
        return False
    # it would have served what worked: nothing but the unknown dimensions made it fail
    return some_is_served(working, [one for one in failed if _serve(dict(arguments), one, base)])


def _serve(arguments: Mapping[str, Node], signature: Signature, base: Candidate) -> bool:
    given = {path: node for path, node in signature.arguments if path != "self"}
    if {path for path in arguments if path != "self"} != given.keys():
        return False
    return not any(diff_nodes(arguments[p], changed_node(node, p, base), p) for p, node in given.items())


def changing(function: FunctionFacts, paths: list[str]) -> str:
    return f"{listed(paths)} of `{function.name}` {'changes' if len(paths) == 1 else 'change'}"


def is_open(node: Node) -> bool:
    if node.kind == "tensor" and (node.shape is None or -1 in node.shape):
        return True
    return any(is_open(child) for _, child in node.children)
