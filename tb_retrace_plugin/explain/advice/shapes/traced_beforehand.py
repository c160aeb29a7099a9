"""Changing shapes beside what no input signature can declare: trace with unknown dimensions before the first call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.asked_for import is_asked_for, is_saved
from tb_retrace_plugin.explain.advice.evidence.built_by_keras import is_called_of_a_layer
from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import decided_by_rank
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.library_code import is_called_by_the_user
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import name_of_kept, passed_objects
from tb_retrace_plugin.explain.advice.evidence.reading import line_of, node_of, nodes_at
from tb_retrace_plugin.explain.advice.python_values.python_uses import OF_OBJECTS
from tb_retrace_plugin.explain.advice.shapes.all_made_one import as_one
from tb_retrace_plugin.explain.advice.shapes.batch_alone import (
    asked_of_the_batch,
    size_beyond_the_batch,
)
from tb_retrace_plugin.explain.advice.shapes.built_by_size import built_by_size
from tb_retrace_plugin.explain.advice.shapes.concrete_function_code import (
    ASKS,
    by_one_name,
    code_that_asks,
    compiled_name,
    is_loaded,
    of_a_helper,
)
from tb_retrace_plugin.explain.advice.shapes.kinds_of_calls import (
    Kind,
    are_of_several_dtypes,
    creates_no_variables,
    differing_paths,
    is_of_one_kind,
    is_to_be_asked_for,
    is_wide,
    kinds_of,
    opened,
    own_sizes,
    paths_of_sizes,
)
from tb_retrace_plugin.explain.advice.shapes.objects_beside import (
    are_passed_by_turns,
    are_those_of_each,
    arguments_of_others,
    by_what,
    made_one,
    objects_of,
)
from tb_retrace_plugin.explain.advice.shapes.open_dimensions import open_dimensions, told_of_own_sizes
from tb_retrace_plugin.explain.advice.shapes.shapes import (
    UNKNOWN_DIMENSIONS_DO,
    are_of_other_models,
    changing,
    failed_where_unknown,
    fails_where_unknown,
    is_open,
)
from tb_retrace_plugin.explain.advice.shapes.values_of_objects import as_of_one, values_of_each
from tb_retrace_plugin.explain.advice.source.class_names import told_of_classes
from tb_retrace_plugin.explain.advice.source.code import spec_code
from tb_retrace_plugin.explain.verdict.asked_in_python import is_about
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_LATE
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE, Candidate, is_number
from tb_retrace_plugin.explain.what_if.replay import common_arguments
from tb_retrace_plugin.schema.signature import Node, Signature, is_of_star_keywords, iter_leaves

_NOTHING: Mapping[str, str] = {}
#: Traces that are asked for: with more of them it is what tells these apart that is to be changed.
_MOST_KINDS = 6
_OF_A_LAYER = (  # Keras marks one that holds others as built, and makes nothing of these (measured)
    "It is the `call` of a Keras layer, which has to be built before that, or that trace is made twice:"
    " `….build(input_shape)`; of a class that holds other layers, and has no `build` of its own, each of those instead."
)
_AFTER = (
    "The first call of `{}` makes the variables of {}: if this function uses them, ask for the trace after that call,"
    " or make them before. Else it makes them, in one trace more."
)
_WITH_OTHERS = (
    "{} changed together with {} alone so far: a Python number is traced for each value that it takes beside that, and"
    " a tensor in its place is not."
)


def opens_the_batch_alone(function: FunctionFacts, base: Candidate) -> bool:
    """Whether it is the one dimension that no trace needs to know, of several that change."""
    return bool(size_beyond_the_batch(function, paths_of_sizes(function, base)))


def propose(function: FunctionFacts, base: Candidate, asked_with: Mapping[str, str] = _NOTHING) -> Fix | None:
    """`base`: what other fixes change before. `asked_with`: as these have it."""
    function, base = as_one(function, base)
    found = _asked_for(function, base, asked_with)
    if found is None or are_of_other_models(function):
        return None
    if function.self_is_passed:  # by a wrapper, whose name the function's users know
        return None
    kinds, code = found
    paths = paths_of_sizes(function, base)
    in_the_way = _in_the_way(function, kinds)
    with_others = _numbers_with_others(function, kinds, in_the_way)
    names = [name for name in in_the_way if name not in with_others] or [function.bound_as]
    text = f"{changing(function, paths)} shape, and an input signature cannot declare {listed(names)}."
    if ranks := decided_by_rank(function):
        text = f"{changing(function, paths)} shape. {ranks}: each rank needs a trace of its own."
    if of_batch := size_beyond_the_batch(function, paths):
        text = f"{changing(function, paths)} shape. {of_batch}: each size needs a trace of its own."
    outside = [trace for trace in function.traces if not trace.nested]
    first = "the first call" if len(outside) == len(function.traces) else "the first call outside of other functions"
    text += f" Trace it with {'an unknown batch size' if of_batch else 'unknown dimensions'} before {first}"
    objects = len(objects_of(function))
    if objects > 1:
        text += f" of each of the {objects} tf.function objects"
    wide = [kind for kind in kinds if is_wide(kind)]
    are_alone = all(_is_alone(function, kinds, traces) for traces, _ in wide)
    # in lines of their own one of each is named
    left = _left(function, base)
    others = {name for name in arguments_of_others(function) if left.get(name) != 1}
    several = sorted(name for name in others if not are_alone or any(_are_several(one, name) for one, _ in wide))
    several = [*several, *sorted(_by_turns(function, kinds))] if objects == 1 else []
    if several:
        text += f" with each {listed(several)}"
    # of several kinds each object may be passed in some alone: the others would be traced for nothing
    so = f" that {'it is' if len(several) == 1 else 'they are'} passed in" if several and len(code) > 1 else ""
    text += _served(code, so, "batch size" if of_batch else "shape")
    each = f" with each {' and '.join(several)}{so and ' that is passed so'}" if several else ""
    calls = replace(function, traces=outside)
    when = f"before {first}{_by_another_name(calls, code)}{of_a_helper(calls, code, several)}"
    if objects > 1:
        when = f"for each of the {objects} tf.function objects, before its first call"
        its = [n for n in sorted(arguments_of_others(function)) if any(re.search(rf", {n}[,)]", line) for line in code)]
        when += f", with the {listed(its).replace('`', '')} that it is passed" if its else ""
    fails = fails_where_unknown(function, paths, [path for path, at in opened(kinds) if at == -1])
    if of_batch:
        fails = asked_of_the_batch(function, [traces for traces, _ in kinds], paths)
    return Fix(
        "trace_beforehand", text, _traced_wide(function, base), assumes=UNKNOWN_DIMENSIONS_DO,
        other="\n".join([f"# once{each}{' ' if objects > 1 else ', '}{when}", *code]),
        notes=[
            *fails, *_built_before(function), *_made_before(function), *_looked_up(function, kinds),
            *_classes(function, wide), *told_of_own_sizes(own_sizes(function, base, kinds)),
            *(_WITH_OTHERS.format(listed(with_others), listed(names)) for _ in with_others[:1]),
        ],
    )  # fmt: skip


def _numbers_with_others(function: FunctionFacts, kinds: Sequence[Kind], in_the_way: Sequence[str]) -> list[str]:
    """Of those, Python numbers that were others beside others of the rest alone: they could be tensors."""
    by_path = [dict(arguments) for _, arguments in kinds]
    found = [path for path in in_the_way if all(path in one and is_number(one[path]) for one in by_path)]
    found = [path for path in found if path not in function.python_numbers]
    rest = [path for path in in_the_way if path not in found]
    differing = differing_paths(kinds)
    beside = {tuple(str(one.get(path)) for path in rest) for one in by_path}
    are_told = len(kinds) == len(beside) and any(path in differing for path in rest)
    return [path for path in found if path in differing] if are_told else []


def _built_before(function: FunctionFacts) -> list[str]:
    """A note where Keras, which builds a layer that it calls, is left out."""
    return [_OF_A_LAYER] if function.name == "call" and any(map(is_called_of_a_layer, function.traces)) else []


def _made_before(function: FunctionFacts) -> list[str]:
    made = function.made_before
    if made is None:
        return []
    return [_AFTER.format(made.called, "the model" if made.names == ("self",) else listed(list(made.names)))]


def _by_another_name(function: FunctionFacts, code: Sequence[str]) -> str:
    """A wrapper calls it by a name of its own, and the function's name may be the wrapper's, which has no traces."""
    callee = code[0].partition(ASKS)[0]
    if function.undecorated and callee == compiled_name(function):
        return f", where `{callee}` is what `tf.function({function.passed})` makes"
    frame = function.caller(function.traces[0])
    if frame is None or frame.function == "<module>" or not callee.isidentifier() or callee == function.name:
        return ""
    is_hidden = function.library or not function.name.isidentifier()
    return f", where `{callee}` is {'the' if is_hidden else f'`{function.name}`, the'} tf.function"


_NOT_ASKED_BEFORE = "Not replayed: which of the library's own calls come later is not known."
_FOLLOW_THE_SIZES = (
    "The graphs hold numbers that follow these sizes: where the library's Python computes them of a shape, the trace"
    " fails once that is unknown. Then pad to one shape, or to a few."
)
_OF_WHAT_IS_LOADED = "`…` stands for what was loaded, and its function, as the line that calls it has them."


def propose_loaded(function: FunctionFacts, base: Candidate = NO_CHANGE) -> Fix | None:
    """Of a SavedModel's function, which is traced anew for each shape whatever it was saved with.

    `base`: what other fixes change before.
    """
    if not (is_loaded(function) and all(map(is_called_by_the_user, function.traces))):
        return None
    why = "what is loaded is traced for each. Trace it with unknown dimensions once it is loaded"
    return _of_others(function, why, "after it is loaded", "it was saved for unknown dimensions", base)


def propose_of_a_library(function: FunctionFacts) -> Fix | None:
    """Of a library's function that the user's code calls by itself."""
    why = "it is a library's function. Trace it with unknown dimensions before the first call"
    return _of_others(function, why, "before the first call", UNKNOWN_DIMENSIONS_DO)


def propose_of_a_library_beside_it(function: FunctionFacts, own: Sequence[Traced]) -> Fix | None:
    """Of one that the library calls, too: asked for before that, it would hold what the library has not set yet."""
    found = _asked_for(replace(function, traces=own), NO_CHANGE)
    if found is None:
        return None
    text = (
        f"{changing(function, paths_of_sizes(function, NO_CHANGE))} shape, and it is a library's function. Trace it"
        " with unknown dimensions before the first of your own calls of it: those of every shape find that trace. What"
        " the library has traced before stays."
    )
    code = "\n".join(["# once, before the first of these calls", *found[1]])
    notes = [*_follow_the_sizes(function), *_classes(function, found[0])]
    return Fix("trace_beforehand", text, None, other=code, notes=notes, evidence=_NOT_ASKED_BEFORE)


def _follow_the_sizes(function: FunctionFacts) -> list[str]:
    """A library's code is not the user's to change."""
    return [_FOLLOW_THE_SIZES] if fails_where_unknown(function, paths_of_sizes(function, NO_CHANGE)) else []


def _of_others(
    function: FunctionFacts, why: str, when: str, assumes: str, base: Candidate = NO_CHANGE
) -> Fix | None:  # fmt: skip
    found = _asked_for(function, base)
    if found is None:
        return None
    kinds, code = found
    objects = len(objects_of(function))
    which = f" for each of the {objects} tf.function objects" if objects > 1 else ""
    text = f"{changing(function, paths_of_sizes(function, base))} shape, and {why}{which}{_served(code)}"
    return Fix(
        "trace_beforehand", text, _traced_wide(function, base), assumes=assumes,
        other="\n".join([f"# once{which}, {when}", *code]),
        notes=[
            *([] if is_loaded(function) else _follow_the_sizes(function)),
            *([_OF_WHAT_IS_LOADED] if any(line[0] == "…" for line in code) else []),
            *_classes(function, kinds),
        ],
    )  # fmt: skip


def _traced_wide(function: FunctionFacts, base: Candidate) -> Candidate:
    of_sizes = bool(size_beyond_the_batch(function, paths_of_sizes(function, base)))
    return Candidate(traced_wide=True, traced_by_rank=bool(decided_by_rank(function)), traced_by_sizes=of_sizes)


def _classes(function: FunctionFacts, kinds: Sequence[Kind]) -> list[str]:
    return told_of_classes(function, (node for _, arguments in kinds for _, node in arguments))


def _served(code: Sequence[str], so: str = "", what: str = "shape") -> str:
    asked_for = {line.partition(ASKS)[2] for line in code}  # of whatever function object
    kinds = f", once for each of {len(asked_for)} kinds of calls{so}" if len(asked_for) > 1 else ""
    return f"{kinds}: calls of every {what} find that trace."


def _asked_for(
    function: FunctionFacts, base: Candidate, asked_with: Mapping[str, str] = _NOTHING
) -> tuple[list[Kind], list[str]] | None:  # fmt: skip
    """The kinds of calls, and the lines that ask for a trace of each that has changing shapes; None: none would do."""
    paths = paths_of_sizes(function, base)
    if built_by_size(function, paths) and not size_beyond_the_batch(function, paths):
        return None
    # what was traced for a SavedModel follows what was traced before
    function = replace(function, traces=[trace for trace in function.traces if not is_saved(trace)])
    if not paths or not _can_be_asked_for(function) or base.objects or failed_where_unknown(function, base):
        return None
    named = values_of_each(function)
    function = as_of_one(function, named)
    kinds = kinds_of(function, base.with_(made_one(function)))
    if not kinds or not _are_outside(kinds):
        return None
    of_each = kinds_of(function, base)
    more = opened(kinds) - opened(of_each) if of_each else set()
    of_ranks = any(at == -1 for _, at in more)
    if len(objects_of(function)) == 1 and of_each and opened(kinds) != opened(of_each):
        code = _lines(function, of_each, base, paths, asked_with, named)
        if code is not None or of_ranks:
            return None if code is None else (of_each, code)
    elif of_ranks:  # of two models that a trainer has, say: each takes its own
        kinds = kinds_of(function, base.with_(made_one(function)), by_rank=True) or []
    code = _lines(function, kinds, base, paths, asked_with, named)
    return None if code is None else (kinds, code)


def _lines(
    function: FunctionFacts, kinds: Sequence[Kind], base: Candidate, paths: Sequence[str],
    asked_with: Mapping[str, str], named: Set[str],
) -> list[str] | None:  # fmt: skip
    """A line for each kind that has changing shapes; None: not all can be written, or none would do. `named`: as
    `values_of_each` has them."""
    beside = _beside_an_object(function, kinds)
    asked_for = [kind for kind in kinds if is_to_be_asked_for(kind) and not _is_within(kind)]
    if (len(asked_for) > _MOST_KINDS and not beside) or are_of_several_dtypes(function, kinds):
        return None
    with_all = base.with_(made_one(function))
    if len(objects_of(function)) > 1 and not all(_is_of_all_objects(function, kind, with_all) for kind in kinds):
        return None
    shared = {path for path, _ in kinds[0][1]} - differing_paths(kinds) | _by_turns(function, kinds)
    each = arguments_of_others(function)
    if len(objects_of(function)) > 1:  # each has its own
        shared |= each
    kept, own = _names_of_kept(function, base), own_sizes(function, base, kinds)
    codes = []
    for traces, arguments in sorted(asked_for, key=creates_no_variables):
        held = {path for path, _ in arguments} if _is_alone(function, kinds, traces) else shared
        first_of_each = {by_what(function, trace): trace for trace in reversed(traces)}
        passed = [(path, _as_passed(function, base, path, node)) for path, node in arguments]
        asking = [
            (number, code_that_asks(function, trace, passed, held, each, beside, kept, asked_with, own, named))
            for (number, _), trace in sorted(first_of_each.items(), key=lambda one: one[0])
        ]
        if not are_those_of_each(asking):
            return None
        codes += [line for _, line in asking]
    code = [line for line in codes if line is not None]
    if len(objects_of(function)) == 1:
        code = by_one_name(code)
    code = list(dict.fromkeys(code)) if len(code) == len(codes) else []
    return code if 0 < len(code) <= _MOST_KINDS else None


def _as_passed(function: FunctionFacts, base: Candidate, path: str, node: Node) -> Node:
    """With the Python values that another fix has all calls pass in place of others."""
    if node.kind == "literal" and any(at == path for at, _ in base.identities):
        return next((one for one in nodes_at(function, path) if one.identity == node.identity), node)
    children = tuple((key, _as_passed(function, base, path + key, child)) for key, child in node.children)
    return replace(node, children=children) if children != node.children else node


def _names_of_kept(function: FunctionFacts, base: Candidate) -> dict[str, str]:
    """By path, of objects of which another fix makes one of several."""
    names = {path: name_of_kept(path, left) for path, left in _left(function, base).items()}
    return names | {one.path: one.kept_as(function) for one in passed_objects(function) if one.path in names}


def _left(function: FunctionFacts, base: Candidate) -> dict[str, int]:
    """By path, how many objects are left where another fix makes one of several."""
    left: dict[str, int] = {}
    for path in dict.fromkeys(path for path, _ in base.identities):
        numbers = [node.identity for node in nodes_at(function, path) if node.kind == "object"]
        left[path] = len({base.identities.get((path, number), number) for number in numbers})
    return left


def _beside_an_object(function: FunctionFacts, kinds: Sequence[Kind]) -> set[str]:
    """Numbers and such that are others in each kind where one line passes an object of its own with each: the weight of
    a phase beside its optimizer. The names of both are in the line for all."""
    if len(objects_of(function)) > 1 or len({line for traces, _ in kinds for line in _lines_of(function, traces)}) != 1:
        return set()
    paths = {path for path, _ in made_one(function).identities}
    if not any(is_of_one_kind(kinds, path) for path in paths):
        return set()
    by_path = [dict(arguments) for _, arguments in kinds]
    found = differing_paths(kinds) - arguments_of_others(function)
    return {p for p in found if all(p in one and _is_of_python(p, one[p]) for one in by_path)}


def _is_of_python(path: str, node: Node) -> bool:
    """A number, such as the weight of a phase, a list of them, or an object that is None in some."""
    return all(leaf.kind in ("literal", "object", "list", "tuple") for _, leaf in iter_leaves(path, node))


def _is_of_all_objects(function: FunctionFacts, kind: Kind, base: Candidate) -> bool:
    """Whether each tf.function object has such calls, and dimensions are unknown that change in calls of one object: of
    models of several widths what one's calls have in common is not unknown."""
    traces, arguments = kind
    if not is_wide(kind):
        has_such = {trace.lookup.object_number for trace in traces}
        return not is_to_be_asked_for(kind) or has_such == objects_of(function)
    of_each: dict[int, list[Signature]] = {}
    for trace in traces:
        of_each.setdefault(trace.lookup.object_number, []).append(trace.lookup.signature)
    if of_each.keys() != objects_of(function):
        return False
    found = [common_arguments(signatures, base) for signatures in of_each.values()]
    opened = [open_dimensions(one) for one in found if one is not None]
    return len(opened) == len(found) and open_dimensions(arguments) == set().union(*opened)


def _looked_up(function: FunctionFacts, kinds: Sequence[Kind]) -> list[str]:
    """A note on what the code looks up by what tells the kinds apart, in a list that may be filled later."""
    paths = differing_paths(kinds)
    found = [use for use in function.python_uses if use.endswith(OF_OBJECTS) and any(is_about(use, p) for p in paths)]
    if not found:
        return []
    shown = listed([use.partition(" of a ")[0] for use in found])
    return [f"{shown} in it {'is' if len(found) == 1 else 'are'} looked up then: ask for each kind once that is there."]


def _is_alone(function: FunctionFacts, kinds: Sequence[Kind], traces: Sequence[Traced]) -> bool:
    """Whether the lines of one kind's calls are no other kind's."""
    called_from = Counter(line for others, _ in kinds for line in _lines_of(function, others))
    return all(called_from[line] == 1 for line in _lines_of(function, traces))


def _lines_of(function: FunctionFacts, traces: Sequence[Traced]) -> set[tuple[str, int]]:
    """That the calls are written in."""
    return {line_of(function, trace) for trace in traces}


def _by_turns(function: FunctionFacts, kinds: Sequence[Kind]) -> set[str]:
    """What holds variables that are others in each kind, and is passed by one line by turns: a list that is longer once
    layers are no longer frozen. It is named in the line for all."""
    if function.library or len({line for traces, _ in kinds for line in _lines_of(function, traces)}) != 1:
        return set()
    by_path = [dict(arguments) for _, arguments in kinds]
    return {p for p in differing_paths(kinds) if all(p in one and _holds_variables(one[p]) for one in by_path)}


def _holds_variables(node: Node) -> bool:
    return node.kind == "variable" or (bool(node.children) and all(_holds_variables(n) for _, n in node.children))


def _are_several(traces: Sequence[Traced], path: str) -> bool:
    """Whether the calls of one kind pass several objects there, or what holds several."""
    nodes = [node for trace in traces if (node := node_of(trace, path)) is not None]
    return len({tuple(leaf.identity for _, leaf in iter_leaves(path, node)) for node in nodes}) > 1


def _can_be_asked_for(function: FunctionFacts) -> bool:
    """By a line before the first call of each function object."""
    if function.jit_compile or (len(objects_of(function)) > 1 and are_passed_by_turns(function)):
        return False
    if any(trace.lookup.signature.context for trace in function.traces):  # such as a scope, which that line is not in
        return False
    return not any(_is_asked_anyhow(trace) or _creates_too_late(trace) for trace in function.traces)


def _are_outside(kinds: Sequence[Kind]) -> bool:
    """Whether no call of changing shapes is another function's, whose own shapes decide."""
    return not any(is_wide(kind) and _is_within(kind) for kind in kinds)


def _is_within(kind: Kind) -> bool:
    return any(trace.nested for trace in kind[0])


def _is_asked_anyhow(trace: Traced) -> bool:
    """Not for unknown dimensions, as of what is exported: such a trace serves what comes after it."""
    return is_asked_for(trace) and not any(is_open(node) for _, node in trace.lookup.signature.arguments)


def _creates_too_late(trace: Traced) -> bool:
    return trace.lookup.failed and (trace.lookup.variables_created or trace.evidence == CREATES_VARIABLES_LATE)


def _in_the_way(function: FunctionFacts, kinds: Sequence[Kind]) -> list[str]:
    """Arguments that cannot be declared, by what they are or how they are passed, or are another kind of thing in other
    calls."""
    differing = differing_paths(kinds)
    by_name = function.keyword_only | {path for path, _ in kinds[0][1] if is_of_star_keywords(path)}
    pairs = [pair for _, arguments in kinds for pair in arguments]
    found = (p for p, node in pairs if p in differing or p in by_name or spec_code(node) is None)
    return list(dict.fromkeys(found))
