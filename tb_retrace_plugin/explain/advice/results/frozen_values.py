"""Python values that each trace reads anew: with fewer traces, calls run with what an earlier one has read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.constant_values import natural_dtype
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts, Traced, merged
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import how_many_numbers, is_number_text
from tb_retrace_plugin.explain.advice.evidence.reading import names_of_closure
from tb_retrace_plugin.explain.advice.python_values.other_fractions import FRACTIONS, dtype_of_fractions
from tb_retrace_plugin.explain.advice.source.code import untrained
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.differences.value_texts import is_whole
from tb_retrace_plugin.schema.vocabulary import ANSWER

#: Of the evidence of advice on what could be a tensor.
HAS_TO_BE_A_TENSOR = "The code has to work on a tensor for"
_CHANGES_RESULTS = "By itself this can change results: "
#: Ends the name of an item of a list (`self.history[-1]`): it is not always the same one.
_AT_A_PLACE = re.compile(r"\[-?\d+\]\Z")
#: A field of an object that is not the method's own: `settings.rate`, `self.settings.rate`.
_FIELD = re.compile(r"((?:self\.)?(?!(?:self|cls|model)\b)[^\W\d]\w*(?:\.\w+)*)\.\w+")
#: As a NumPy array is told, which a tensor can be.
_ARRAY = "array #"
#: Of that on what would keep other tensors.
HAS_TO_TAKE_TENSORS = "The code has to take the tensors that it reads from around it in another way, too."
#: Rules that keep or pass what is closed over, whatever it is.
_OF_TENSORS = frozenset({"tensor_in_dataset", "pass_closed_over_tensor"})
#: Traces that are looked at for what came of what was drawn.
_MOST_PAIRS = 3
#: With which the function is another's, or passed another model: its graph has other operations for that.
_OF_ANOTHER = frozenset({"object_identity", "recreated_function"})
#: Values that are listed.
_MOST_LISTED = 3


def told_of_frozen_values(
    advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool] | None = None
) -> Advice:
    """The advice, with what it would freeze. `stays`: which traces remain; None: not known."""
    advice = _told_of_draws(_told_of_reads(advice, function, fixes, stays), function, stays)
    return _told_of_tensors(advice, function, fixes, stays)


def _told_of_draws(advice: Advice, function: FunctionFacts, stays: Sequence[bool] | None) -> Advice:
    """Of what is drawn while the function is traced, where the graphs do not say that nothing came of it."""
    if not function.drawn or not _show_in_graphs(function, stays):
        return advice
    names, one = listed(function.drawn), len(function.drawn) == 1
    warning = (
        f"{_CHANGES_RESULTS}{names} {'is' if one else 'are'} evaluated in Python whenever the function is traced,"
        " and not at each call: with fewer traces more calls share what came of it. Draw random numbers with"
        f" `tf.random`, count in a tf.Variable, or pass {'it as a tensor' if one else 'them as tensors'}."
    )
    return replace(
        advice.warned(warning),
        evidence=f"{advice.evidence} {HAS_TO_BE_A_TENSOR} {names}, too.".lstrip(),
        apply=None,
    )


def _told_of_tensors(
    advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool] | None
) -> Advice:
    """Of tensors and variables that are read from around the function, and are others at a trace that goes."""
    passed = {name for fix in fixes for name in fix.reads_anew}
    frozen = _frozen(function, function.objects_read, fixes, stays).keys() - passed
    if not frozen and not any(_reads_others(function.traces[place]) for _, place in _pairs_that_go(function, stays)):
        return advice
    what = listed(sorted(frozen)) if frozen else "an attribute or a global"
    warning = (
        f"{_CHANGES_RESULTS}the function reads other tensors or variables from around it, {what},"
        " in later traces: each graph keeps its own, and with fewer traces calls run with an earlier one's."
        " Keep them in tf.Variables that are assigned to, or pass them as arguments."
    )
    return replace(
        advice.warned(warning),
        evidence=f"{advice.evidence} {HAS_TO_TAKE_TENSORS}".lstrip(),
        apply=None,
    )


def _reads_others(trace: Traced) -> bool:
    """Not of what a Python iterator that is passed has given."""
    return trace.other_tensors and not any(is_iterator(change.new) for change in trace.changes)


def _pairs_that_go(function: FunctionFacts, stays: Sequence[bool] | None) -> Iterator[tuple[int, int]]:
    """Traces that go, after what each was compared with."""
    for place, trace in enumerate(function.traces):
        goes = not stays[place] if stays is not None else trace.verdict == "avoidable"
        if goes and trace.closest is not None:
            yield trace.closest, place


def _show_in_graphs(function: FunctionFacts, stays: Sequence[bool] | None) -> bool:
    """Whether anything in the graphs may have come of what was drawn; the first few are looked into."""
    pairs = list(_pairs_that_go(function, stays))
    if any(function.traces[one].nodes != function.traces[other].nodes for one, other in pairs):
        return True
    for pair in pairs[:_MOST_PAIRS]:
        graphs = function.graphs.compare(*pair)
        if graphs is None or not graphs.alike or graphs.constants or graphs.attribute:
            return True
    return False


def _told_of_reads(
    advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool] | None
) -> Advice:
    passed = {name for fix in fixes for name in fix.reads_anew}
    if any(fix.rule in _OF_TENSORS for fix in fixes):  # arrays among them
        passed |= {name for trace in function.traces for name in names_of_closure(trace.evidence)}
    within = tuple(f"{name}[" for name in passed)  # one number of an array
    read = _frozen(function, function.values_read, fixes, stays)
    frozen = {name: values for name, values in read.items() if name not in passed and not name.startswith(within)}
    if not frozen:
        return advice
    names = listed(list(frozen))
    shown = " and ".join(f"`{name}` ({_listed(values)})" for name, values in list(frozen.items())[:_MOST_LISTED])
    text = (
        f"{_CHANGES_RESULTS}each trace reads {shown} anew, and with fewer traces calls run with what"
        " an earlier one has read. "
    )
    one = len(frozen) == 1
    if of_keras := [name for name in frozen if name in function.read_by_keras]:
        return replace(
            advice.warned(
                f"{text}Keras' own code reads {listed(of_keras)}, and may take no tensor there: each value needs a"
                " trace of its own then."
            ),
            traces_after=None, seconds_saved=None, apply=None,
            evidence=f"Not replayed: each value of {listed(of_keras)} may need a trace of its own.",
        )  # fmt: skip
    arrays = [name for name, values in frozen.items() if any(value.startswith(_ARRAY) for value in values)]
    lists = [name for name, values in frozen.items() if len({*map(how_many_numbers, values)}) == 1]
    lists = [name for name in lists if how_many_numbers(frozen[name][0])]
    others = [values for name, values in frozen.items() if name not in (*arrays, *lists)]
    answers = [name for name in frozen if ANSWER.match(name)]  # what is in a list decides what is built
    if answers or not all(is_number_text(value) for values in others for value in values):
        return replace(
            advice.warned(f"{text}Pass {'it as an argument' if one else 'them as arguments'}, too."),
            traces_after=None, seconds_saved=None, apply=None,
            evidence=f"Not replayed: each value of {names} that is passed, and is no tensor, needs a trace of its own.",
        )  # fmt: skip
    kept = [name for name in frozen if not _AT_A_PLACE.search(name)]  # another one may come to be there
    how = "Make it a tf.Variable, or pass it as a tensor" if one else "Make them tf.Variables, or pass them as tensors"
    if lists:
        how = f"Make each number of {listed(lists)} a tf.Variable{'' if one else ', as all others'}"
    if len(kept) < len(frozen):
        how = "Pass it as a tensor" if one else "Pass them as tensors"
    code = "".join(
        f"{name} = [tf.Variable(one{how_made}) for one in {name}]  # once; later: {name}[i].assign(…)\n"
        if name in lists
        else f"{name} = tf.Variable(…{how_made})  # once; later: {name}.assign(…)\n"
        for name in kept
        for how_made in [f"{untrained(name)}{_dtype(function, frozen[name])}"]
    )
    if code and advice.code:
        held = dict.fromkeys(found[1] for name in kept if (found := _FIELD.fullmatch(name)))
        for holder in (one for one in held if one != function.name):  # a function takes any attribute
            note = (
                f"If `{holder}` is a named tuple or a frozen dataclass, whose fields cannot be assigned to, make it"
                " with the tf.Variable in it, once."
            )
            advice = replace(advice, notes=(*advice.notes, note))
    if arrays:
        note = (
            f"An array ({listed(arrays)}) becomes a constant of the dtype that it is computed with, and a tf.Variable"
            " does not: give it that dtype, and `shape=[None, …]` where its sizes change."
        )
        advice = replace(advice, notes=(*advice.notes, note))
    if code and advice.code and (deciding := [name for name in kept if _may_decide(function, name)]):
        note = (
            f"Graphs of other values of {listed(deciding)} have other numbers of nodes: Python may decide by"
            f" {'it' if len(deciding) == 1 else 'them'} (`if`, `range`). With a tf.Variable AutoGraph does, which Keras"
            " 3 does not apply to a layer's `call` or a model's `train_step`: write `tf.cond` or `tf.where` there."
        )
        advice = replace(advice, notes=(*advice.notes, note))
    return replace(
        advice.warned(f"{text}{how}, too."),
        code="\n".join([*([code] if code else []), advice.code]) if advice.code else None,
        evidence=f"{advice.evidence} {HAS_TO_BE_A_TENSOR} {names}, too.".lstrip(),
        apply=None,
    )


def _dtype(function: FunctionFacts, values: Sequence[str]) -> str:
    """As an argument, where fractions become a tf.Variable of another dtype than all tensors that it is passed are."""
    natural = {natural_dtype([value]) for value in values if not value.startswith(_ARRAY)}
    dtype = dtype_of_fractions(function)
    return f", dtype=tf.{dtype}" if dtype and natural and natural <= FRACTIONS and natural != {dtype} else ""


def _may_decide(function: FunctionFacts, name: str) -> bool:
    """Whether graphs of two of its values have other numbers of nodes."""
    values = function.values_read[name]
    for place, trace in enumerate(function.traces[: len(values)]):
        if trace.closest is None or trace.closest >= place or None in (values[place], values[trace.closest]):
            continue
        if any(change.cause in _OF_ANOTHER or _may_decide_itself(change) for change in trace.changes):
            continue
        one, other = function.traces[trace.closest].nodes, trace.nodes
        if values[place] != values[trace.closest] and one and other and one != other:
            return True
    return False


def _may_decide_itself(change: Change) -> bool:
    """An argument that is another whole number, or a text: Python may decide by that."""
    return change.cause == "python_value" and not (is_number_text(change.new) and not is_whole(change.new))


def _frozen(
    function: FunctionFacts, read: Mapping[str, Sequence[str | None]], fixes: Sequence[Fix],
    stays: Sequence[bool] | None,
) -> dict[str, list[str]]:  # fmt: skip
    """Names of which a trace that goes has read another value than an earlier one; with all that were read.

    Of the same function object, with the change: each has traces of its own, and an instance attributes of its own.
    Where no trace that remains has read it (`for i in range(n)` of 0), the one that serves the others will have.
    """
    made_one = merged(fixes).objects
    numbers = [trace.lookup.object_number for trace in function.traces]
    objects = [made_one.get(number, number) if stays is not None else 0 for number in numbers]
    found: dict[str, list[str]] = {}
    for name, values in read.items():
        earlier: dict[int, set[str]] = {}
        by_server: dict[int, set[str]] = {}
        for place, value in enumerate(values[: len(function.traces)]):
            goes = not stays[place] if stays is not None else function.traces[place].verdict == "avoidable"
            if value is None:
                continue
            before = earlier.setdefault(objects[place], set())
            served = by_server.setdefault(_served_by(function, place, stays), set()) if goes and stays else set[str]()
            if goes and (before or served) - {value}:
                found[name] = list(dict.fromkeys(v for v in values if v is not None))
                break
            served.add(value)
            if not goes or stays is None:
                before.add(value)
    return found


def _served_by(function: FunctionFacts, place: int, stays: Sequence[bool]) -> int:
    """The trace that remains which this one's calls are likeliest to find; -1: not known."""
    while not stays[place]:
        closest = function.traces[place].closest
        if closest is None or closest >= place:
            return -1
        place = closest
    return place


def _listed(values: Sequence[str]) -> str:
    shown = [value.replace("`", "'") for value in values[:_MOST_LISTED]]
    return ", ".join([*shown, *(["…"] if len(values) > _MOST_LISTED else [])])
