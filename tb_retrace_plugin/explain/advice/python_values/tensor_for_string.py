"""A Python string that can be a tensor: one is passed in some calls, or graphs hold it as a constant and no more."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import is_declared, nodes_at
from tb_retrace_plugin.explain.advice.evidence.strings_in_graphs import holds_strings
from tb_retrace_plugin.explain.advice.python_values.python_uses import what_raises
from tb_retrace_plugin.explain.advice.python_values.tensor_for_sequence import IN_PYTHON, NO_CONSTANT
from tb_retrace_plugin.explain.advice.source.code import plural, whole_arguments
from tb_retrace_plugin.explain.differences.paths import sequence_of
from tb_retrace_plugin.explain.verdict.evidence import says_a_string_is_a_constant
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_string, stacked_shape
from tb_retrace_plugin.schema.signature import parameter_of

_WRAP = "tf.constant({})"
#: What makes a graph another one by itself: casts, further operations.
_BUILD_ANOTHER = frozenset({"dtype", "rank", "structure"})
#: What is computed of it in Python would be another constant of the graph; what is asked of it leaves no trace there.
_NO_TENSOR = (
    "What Python asks of a text (`path.endswith(…)`, `os.path`, `in`) takes no tensor: ask `tf.strings`, or before the"
    " call.",
    NO_CONSTANT,
)
_NO_LENGTH = (
    "With other lengths graphs differ in more than the strings: where the code asks for `len({0})`, a tensor has none"
    " if its size is unknown, and `tf.shape({0})[0]` is its length."
)


def propose(function: FunctionFacts) -> Fix | None:
    lists = _lists_in_some_calls(function)
    if lists:
        is_one = len(lists) == 1
        are, tensors = ("is a list of Python strings", "a tensor") if is_one else ("are lists of them", "tensors")
        return Fix(
            "tensor_for_python_string",
            f"{listed(lists)} of `{function.name}` {are} in some calls and {tensors} in others. Pass {tensors} at"
            " every call.",
            Candidate(stacked=dict.fromkeys(lists, "string")), calls=dict.fromkeys(lists, _WRAP),
            assumes="the code does with a list of strings what it does with a tensor", notes=[IN_PYTHON],
        )  # fmt: skip
    paths = dict.fromkeys(change.path for _, change in function.with_cause("python_value", "python_type"))
    strings = [path for path in paths if _can_be_a_tensor(function, path)]
    found = [path for path in strings if _is_one_in_some_calls(function, path)]
    notes: Sequence[str] = ()
    if found:
        text = _of_mixed_calls(function, found)
        assumes = "the code does with a string what it does with a tensor"
    else:
        found = [path for path in strings if _is_a_constant(function, path)]
        if not found:
            return _of_other_lengths(function)
        lists = [path for path in dict.fromkeys(map(sequence_of, found)) if _is_held_whole(function, path)]
        text, notes = _of_constants(function, found), [*_NO_TENSOR, *_lengths_that_count(function, lists)]
        if lists and all(sequence_of(path) in lists for path in found):
            text = f"`{function.name}` is traced for each combination of the Python strings in {listed(lists)}. Pass"
            text += f" {'them as one tensor' if len(lists) == 1 else 'each as one tensor'} at every call."
        others = any(_is_built_otherwise(trace) for path in found for trace in _for_another(function, path))
        where = " where nothing else changed" if others else ""
        held = f"the graphs hold these strings as constants, and differ in no more{where}"
        assumes = f"the code works on a tensor there ({held})"
    alone = [path for path in found if sequence_of(path) not in lists]
    stacked = dict.fromkeys(lists, "string")
    return Fix(
        "tensor_for_python_string", text, Candidate(numbers=dict.fromkeys(alone, "string"), stacked=stacked),
        calls={**whole_arguments(function, dict.fromkeys(alone, _WRAP)), **dict.fromkeys(lists, _WRAP)},
        assumes=assumes, notes=[*what_raises(function, found), *notes],
    )  # fmt: skip


def _of_other_lengths(function: FunctionFacts) -> Fix | None:
    """Lists of strings that are longer or shorter in other calls, each of which the graph holds as a constant."""
    found: dict[str, list[Traced]] = {}
    for trace, change in function.with_cause("structure"):
        if not change.is_of_a_key:
            found.setdefault(change.path, []).append(trace)
    lists = [
        path
        for path, traces in found.items()
        if all(stacked_shape(node, of_strings=True) is not None for node in nodes_at(function, path))
        and (own := [trace for trace in traces if not _is_built_otherwise(trace)])
        and all(trace.verdict == "avoidable" and says_a_string_is_a_constant(trace.evidence) for trace in own)
    ]
    if not lists:
        return None
    them = "it as one tensor" if len(lists) == 1 else "each as one tensor"
    are = "is a list of Python strings" if len(lists) == 1 else "are lists of Python strings"
    return Fix(
        "tensor_for_python_string",
        f"{listed(lists)} of `{function.name}` {are}, and it is traced for each length. Pass {them} at every call.",
        Candidate(stacked=dict.fromkeys(lists, "string")), calls=dict.fromkeys(lists, _WRAP), notes=_NO_TENSOR,
        assumes="the code works on a tensor there (the graphs hold these strings as constants, and differ in no more)",
    )  # fmt: skip


def propose_what_is_asked(function: FunctionFacts) -> Fix | None:
    """Of a string that is a constant of graphs, which for some of its values are others: something is asked of it."""
    paths = dict.fromkeys(change.path for _, change in function.with_cause("python_value"))
    strings = [path for path in paths if _can_be_a_tensor(function, path)]
    found = [path for path in strings if not _is_a_constant(function, path) and _is_asked(function, path)]
    if not found or any(_is_one_in_some_calls(function, path) for path in found):
        return None
    one = len(found) == 1
    are, it, that = ("is a Python string", "it", "that text") if one else ("are Python strings", "them", "these texts")
    texts, tensors = ("the text", "a tensor") if one else ("the texts", "tensors")
    return Fix(
        "tensor_for_python_string",
        f"{listed(found)} of `{function.name}` {are}: for some values the graphs differ in nothing but {that}, and for"
        f" others in more, so Python asks something of {it}, such as `{found[0]}.endswith(…)`. Ask that before the"
        f" call, and pass the answer as an argument of its own, and {texts} as {tensors}: each answer needs a trace"
        " then, not each text.",
        None, evidence="Not replayed: what Python asks of a text is not recorded.",
    )  # fmt: skip


def _is_asked(function: FunctionFacts, path: str) -> bool:
    """Whether some values made the graph another one in nothing but constants, and others in something else."""
    traces = _for_another(function, path)
    are_constants = [trace for trace in traces if says_a_string_is_a_constant(trace.evidence)]
    return bool(are_constants) and any(
        trace.verdict == "unknown" and not _is_built_otherwise(trace) for trace in traces
    )


def _lists_in_some_calls(function: FunctionFacts) -> list[str]:
    """Paths of what is a list or tuple of Python strings in some calls, and a tensor of strings in all others."""
    changes = [change for _, change in function.with_cause("structure", "python_value", "python_type")]
    found = []
    for path in dict.fromkeys(sequence_of(change.path) for change in changes if not change.is_of_a_key):
        nodes = list(nodes_at(function, path))
        lists = [node for node in nodes if stacked_shape(node, of_strings=True) is not None]
        tensors = [node for node in nodes if node.kind == "tensor" and node.dtype == "string"]
        works = any(node.kind == "tensor" for node in nodes_at(function, path, failed=False))
        if lists and works and len(lists) + len(tensors) == len(nodes):
            found.append(path)
    return found


def _is_held_whole(function: FunctionFacts, path: str) -> bool:
    """Whether it is always a list of strings, and graphs hold it as one constant, and none of it by itself."""
    shapes = [stacked_shape(node, of_strings=True) for node in nodes_at(function, path)]
    if any(shape is None or len(shape) > 1 for shape in shapes):
        return False
    for place, trace in enumerate(function.traces):
        others = (c for c in trace.changes if c.cause == "python_value")  # of another length it is another constant
        if trace.closest is None or not any(sequence_of(change.path) == path for change in others):
            continue
        pair = function.graphs.compare(trace.closest, place)
        held = [c.old for c in pair.constants if c.dtype == "string"] if pair is not None and pair.alike else []
        return bool(held) and all(isinstance(one, tuple) and (len(one),) in shapes for one in held)
    return False


def _lengths_that_count(function: FunctionFacts, lists: Sequence[str]) -> list[str]:
    """Of each list of which it is not known that its length changed nothing else in the graph."""
    changes = [c for trace in function.traces if trace.verdict == "unknown" for c in trace.changes]
    others = {change.path for change in changes if change.cause == "structure"}
    return [_NO_LENGTH.format(path) for path in lists if path in others]


def _of_mixed_calls(function: FunctionFacts, paths: list[str]) -> str:
    one = len(paths) == 1
    strings, tensors = ("is a Python string", "a tensor") if one else ("are Python strings", "tensors")
    text = f"{listed(paths)} of `{function.name}` {strings} in some calls and {tensors} in others."
    return f"{text} Pass {'it' if one else 'them'} as {tensors} at every call."


def _of_constants(function: FunctionFacts, paths: list[str]) -> str:
    roots = list(dict.fromkeys(parameter_of(path) for path in paths))
    if len(paths) == 1:
        count = len({node.identity for node in nodes_at(function, paths[0])})
        seen = f"{function.at_least}{plural(count, 'value')} so far"
        text = f"`{function.name}` is traced for each value of the Python string {listed(paths)} ({seen}). Pass it as a"
        return f"{text} tensor at every call."
    what = f"in {listed(roots)}" if len(roots) < len(paths) else listed(paths)
    text = f"`{function.name}` is traced for each combination of the Python strings {what}. Pass them as tensors at"
    return f"{text} every call."


def _can_be_a_tensor(function: FunctionFacts, path: str) -> bool:
    if is_declared(function, path):
        return False
    nodes = [node for node in nodes_at(function, path) if node.value != "None"]
    strings = [node for node in nodes if is_string(node)]
    tensors = [node for node in nodes if node.kind == "tensor" and node.dtype == "string"]
    return bool(strings) and len(strings) + len(tensors) == len(nodes)


def _is_one_in_some_calls(function: FunctionFacts, path: str) -> bool:
    """Which shows that the code works on a tensor."""
    return any(node.kind == "tensor" for node in nodes_at(function, path, failed=False))


def _is_a_constant(function: FunctionFacts, path: str) -> bool:
    """Whether each trace for another string there has nothing else in its graph that differs, but for those that what
    changed beside it needs, of which it is not known."""
    traces = [trace for trace in _for_another(function, path) if not _is_built_otherwise(trace)]
    return bool(traces) and all(t.verdict == "avoidable" and holds_strings(function, t, path) for t in traces)


def _for_another(function: FunctionFacts, path: str) -> list[Traced]:
    return [t for t in function.traces if any(c.path == path and c.cause == "python_value" for c in t.changes)]


def _is_built_otherwise(trace: Traced) -> bool:
    """Whether its graph is another for what changed beside the string, whatever that does."""
    if trace.verdict == "bounded":
        return len(trace.changes) > 1
    return trace.verdict == "unknown" and any(change.cause in _BUILD_ANOTHER for change in trace.changes)
