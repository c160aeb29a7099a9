"""Python objects as arguments, compared by identity, that cannot be made equal: one of them is kept, and passed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import HELD, Fix, FunctionFacts, is_idle
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import (
    PassedObjects,
    objects_needed_elsewhere,
    passed_objects,
)
from tb_retrace_plugin.explain.advice.evidence.reading import node_of, nodes_at
from tb_retrace_plugin.explain.advice.objects.kept_method import are_kept
from tb_retrace_plugin.explain.advice.objects.kept_model import RATE, are_optimizers
from tb_retrace_plugin.explain.advice.source.call_lines import is_written_at_a_call, variable_passed
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.advice.source.edited_calls import rewritten
from tb_retrace_plugin.explain.differences.number_holders import is_another_holder
from tb_retrace_plugin.explain.verdict.evidence import (
    HOLDS_OTHERS,
    OTHER_RESOURCE,
    SAME_GRAPH_OF_OBJECTS,
    told_of_functions,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_FUNCTION = re.compile(r"function ([^\W\d]\w*) #\d+")
#: `sparse_softmax_cross_entropy_with_logits_v2`, which users call by another name.
_OF_TENSORFLOW = re.compile(r"_v[12]$")
_SHAPE = "TensorShape"
_OF_A_TUPLE = (
    "A tuple has no `as_list()`, `rank` or `num_elements()`: where the code asks for these, write `list(…)`, `len(…)`"
    " and `math.prod(…)`."
)
_OF_THE_SAME = "; this one holds the same: one object would do.", SAME_GRAPH_OF_OBJECTS
_GOES_ON = (
    "This changes results: `{0}` goes on with the variables that the call before has left, where a new one begins anew."
    " Where that is meant, set them back before each call: `for variable, start in zip({0}.variables, initial):"
    " variable.assign(start)`, with `initial = [variable.numpy() for variable in {0}.variables]` once all are made."
)
#: Of what has no variables.
_STAYS = "This changes results where something is put or written there: what calls before have put into `{}` stays."
_COMPARE = (
    "These objects hold other values, on which the graph does not depend: where they cannot be kept, give `{}` an"
    " `__eq__` and a `__hash__` that leave these values out."
)


def propose(function: FunctionFacts) -> Fix | None:
    return _of_objects(function, _to_be_kept(function))


def propose_beside_numbers(function: FunctionFacts) -> Fix | None:
    """Of those that hold no other numbers in any trace, where others do, of which these are passed."""
    holding = {
        change.path
        for trace in function.avoidable
        if trace.evidence.endswith(HELD)
        for change in trace.changes
        if change.path in told_of_functions(trace.evidence)
        or (is_another_holder(change) and not is_idle(trace, change))
    }
    objects = _to_be_kept(function)
    others = [one for one in objects if one.path not in holding]
    fix = _of_objects(function, others) if len(others) < len(objects) else None
    return fix and replace(fix, only_together=True)


def _to_be_kept(function: FunctionFacts) -> list[PassedObjects]:
    objects = [one for one in passed_objects(function) if not one.can_be_equal and not one.is_named]
    return [one for one in objects if one.owner != _SHAPE and one.path not in are_kept(function)]


def _of_objects(function: FunctionFacts, objects: Sequence[PassedObjects]) -> Fix | None:
    if not objects:
        return None
    identities = {key: root for one in objects for key, root in one.identities.items()}
    several = [one.path for one in objects if one.left(function) > 1]
    what = "one object can serve all calls" + (" of one graph" if several else "")
    return Fix(
        "same_object", " ".join(_text(function, one) for one in objects), Candidate(identities=identities),
        other="\n".join(dict.fromkeys(line for one in objects for line in _made(function, one))),
        calls={
            one.path: one.kept_as(function)
            for one in objects
            if _is_made_at_the_call(function, one)
        },
        assumes=what, warnings=[
            (_STAYS if _are_tables(one) else _GOES_ON).format(_name(function, one)) for one in objects if one.codes
        ],
        notes=list(dict.fromkeys(note for one in objects for note in _notes(function, one))),
    )  # fmt: skip


def _are_tables(one: PassedObjects) -> bool:
    return any(OTHER_RESOURCE in trace.evidence for trace, _ in one.found)


def propose_named(function: FunctionFacts) -> Fix | None:
    """Classes and members of an Enum: there is nothing to make once."""
    objects = [one for one in passed_objects(function) if one.is_named]
    if not objects:
        return None
    paths, change = [one.path for one in objects], objects[0].found[0][1]
    text = (
        f"{listed(paths)} of `{function.name}` can be another one with the same graph, such as {change.new} in place of"
        f" {change.old}. Pass one in place of those that give the same graph, or none, if it makes no difference at"
        " all."
    )
    identities = {key: root for one in objects for key, root in one.identities.items()}
    return Fix(
        "unused_argument", text, Candidate(identities=identities),
        assumes=f"nothing but the graph depends on {listed(paths)}",
    )  # fmt: skip


def propose_what_is_read(function: FunctionFacts) -> Fix | None:
    """Objects that give one graph in some calls and others in other calls: one cannot be passed to all of them."""
    objects = objects_needed_elsewhere(function)
    if not objects:
        return None
    paths = [one.path for one in objects]
    are, them = ("is another object", "it") if len(paths) == 1 else ("are other objects", "them")
    text = (
        f"{listed(paths)} of `{function.name}` {are} in each trace, with the graph of an earlier one in some calls and"
        f" another graph in others: one object in place of all would change results. Pass what the function reads of"
        f" {them} as arguments of their own, numbers as tensors; what differs and is no number needs a trace each."
    )
    return Fix("same_object", text, None, evidence="What each call reads of an object is not recorded.")


def propose_dimensions(function: FunctionFacts) -> Fix | None:
    """A shape is an object that is compared by identity; what it holds are numbers."""
    objects = [one for one in passed_objects(function) if one.owner == _SHAPE]
    if not objects:
        return None
    paths = [one.path for one in objects]
    what = f"is a `{_SHAPE}`" if len(paths) == 1 else f"are of the class `{_SHAPE}`"
    text = (
        f"{listed(paths)} of `{function.name}` {what}, which TensorFlow holds by a weak reference only. Pass the"
        f" dimensions: `tuple({paths[0]})` is compared by its numbers. Where the code works on a tensor of them, pass"
        " `tf.shape(…)` of the tensor: one trace serves all shapes."
    )
    if all(_holds_the_same(trace.evidence) for one in objects for trace, _ in one.found):
        # each becomes a tuple, also the first of several that hold the same
        identities = {
            (one.path, node.identity): -1 - one.identities.get((one.path, node.identity), node.identity)
            for one in objects
            for node in nodes_at(function, one.path)
            if node.kind == "object"
        }
        assumes = f"nothing but the dimensions of {listed(paths)} is read"
        return Fix(
            "same_object", text, Candidate(identities=identities),
            calls=dict.fromkeys(paths, "tuple({})"), assumes=assumes, notes=[_OF_A_TUPLE],
        )  # fmt: skip
    lines: dict[str, None] = {}
    for frame in objects[0].frames(function, kept=False) if len(paths) == 1 else ():
        if line := rewritten(frame.source, function.name, _parameters(function), {paths[0]: "tuple({})"}):
            lines[line] = None
    code = list(lines)[:3] or [f"{path} = tuple({path})" for path in paths if path.isidentifier()]
    evidence = "Which of the shapes are equal is not recorded."
    return Fix("same_object", text, None, other="\n".join(code), evidence=evidence, notes=[_OF_A_TUPLE])


def _holds_the_same(evidence: str) -> bool:
    """Of what it is recorded of each shape which those of the same dimensions are."""
    return evidence.endswith(_OF_THE_SAME) and HOLDS_OTHERS not in evidence


def _text(function: FunctionFacts, one: PassedObjects) -> str:
    how = "compares it by its `__eq__`" if one.compares else "compares it by identity"
    if one.is_gone:
        how = "holds it by a weak reference only"
    left = one.left(function)
    if codes := one.all_codes:
        made = f"`{one.path}` of `{function.name}` is made for each call ({listed(codes)}), and TensorFlow {how}."
        if len(codes) > 1:
            return (
                f"{made} Make one for each of these lines, outside the loop, keep them, and pass the same ones there."
            )
        return f"{made} Make it once, outside the loop, keep it, and pass the same object each time."
    which = _which(function, one)
    text = f"`{one.path}` of `{function.name}` is {which}, and TensorFlow {how}."
    if left == 1:
        text += " Make it once, outside the loop, keep it, and pass the same object each time."
    else:
        text += (
            f" Make one for each graph ({left} at most), outside the loop, keep them, and pass the same object where"
            " the graph is the same."
        )
    return text


def _which(function: FunctionFacts, one: PassedObjects) -> str:
    """Of a few that come again, such as the losses of two callers, none is made for each trace."""
    nodes = (node_of(trace, one.path) for trace in function.traces)
    passed = [node.identity for node in nodes if node is not None and node.kind == "object"]
    several = len(set(passed))
    if several == len(passed) or len(passed) - several < several:
        return "another Python object in each trace"
    return f"one of {several} Python objects"


def _notes(function: FunctionFacts, one: PassedObjects) -> list[str]:
    if one.codes:
        optimizer = _name(function, one)
        return [RATE.format(f"{optimizer}.learning_rate.assign(…)")] if are_optimizers(function, one.path) else []
    if one.differ and one.is_plain and not one.is_theirs:
        return [_COMPARE.format(one.owner)]
    if not (one.is_gone and one.is_plain):
        return []
    note = f"`__eq__` would not help: the earlier `{one.owner}` no longer exists when the next one is compared."
    if not one.is_theirs:
        note += " A `__tf_tracing_type__` would: TensorFlow keeps what it returns as long as the trace."
    return [note]


def _made(function: FunctionFacts, one: PassedObjects) -> list[str]:
    if not one.path.isidentifier():
        return _made_for_a_container(function, one)
    made = f"{one.owner}(…)" if one.is_plain else _kept_function(function, one) or "…"
    name = _name(function, one)
    if len(one.codes) == 1:
        made = _value(one.codes[0])
    lines = [f"{name} = {made}  # once, before the loop"]
    if len(one.all_codes) > 1:
        made = ", ".join(map(_value, one.codes))
        lines = [f"kept_{one.path} = [{made}]  # one for each line, once, before the loop"]
    elif one.left(function) > 1 and not one.all_codes:
        made = f"{one.owner}(…)" if one.is_plain else "…"
        lines = [f"kept_{one.path} = {{…: {made}, …}}  # one for each graph, once, before the loop"]
    replaced = one.frames(function, kept=False)
    for frame in one.frames(function, kept=True):  # the number needs that this one passes what is kept as well
        if frame not in replaced and frame.source:
            lines.append(f"# to be passed in line {frame.line} too: {source_line(frame)}")
    return lines


def _made_for_a_container(function: FunctionFacts, one: PassedObjects) -> list[str]:
    """`net = Net(…)`, where that is to be `parts['net']`."""
    if not one.is_plain:
        return []
    key = re.search(r"\['([^\W\d]\w*)'\]$", one.path)
    name, made = (key[1] if key else "kept"), f"{one.owner}(…)"
    if one.left(function) > 1:
        return [f"kept_{name} = {{…: {made}, …}}  # one for each graph, once, before the loop: for {one.path}"]
    return [f"{name} = {made}  # once, before the loop: for {one.path} at every call"]


def _name(function: FunctionFacts, one: PassedObjects) -> str:
    """Of what is kept, if that is one."""
    is_passed_so = len(one.codes) < 2 and not _is_made_at_the_call(function, one)
    return (_variable(function, one) if is_passed_so else "") or one.path


def _value(code: str) -> str:
    """Of what makes it, without the variable."""
    return re.sub(r"^[^\W\d]\w* = ", "", code)


def _kept_function(function: FunctionFacts, one: PassedObjects) -> str:
    """Name of the function that is passed in place of the others, where they have other names: a default, say."""
    names: dict[int, str] = {}
    for node in nodes_at(function, one.path):
        match = _FUNCTION.fullmatch(node.value)
        names[node.identity] = match[1] if match else ""
    kept = {names.get(number, "") for number in one.identities.values()}
    replaced = {names.get(number, "") for _, number in one.identities}
    (name,) = kept if len(kept) == 1 else ("",)
    return name if name not in replaced and not _OF_TENSORFLOW.search(name) else ""


def _is_made_at_the_call(function: FunctionFacts, one: PassedObjects) -> bool:
    """Whether the user's line makes it where it is passed, so that the line has to pass what was kept."""
    traces = [trace for trace, _ in one.found]
    is_written = is_written_at_a_call(function, one.path, traces) or not _variable(function, one)
    return one.path.isidentifier() and is_written


def _variable(function: FunctionFacts, one: PassedObjects) -> str:
    """The variable that calls pass, which can be assigned to; ""."""
    name = variable_passed(function, one.path, [trace for trace, _ in one.found])
    is_method = "." in name and not one.is_plain  # each `self.loss` is another object
    return "" if is_method else name


def _parameters(function: FunctionFacts) -> Sequence[str]:
    return [name for name, _ in function.traces[0].lookup.signature.arguments if name != "self"]
