"""Of an argument that TensorFlow compares by identity: whether one object would do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.number_holders import are_of_two_classes, is_another_holder, is_beside
from tb_retrace_plugin.explain.differences.value_texts import (
    DTYPE,
    MEMBER_NAME,
    OF_NUMPY,
    are_bools,
    holds_strings,
    is_number,
    is_whole,
)
from tb_retrace_plugin.explain.verdict.evidence import (
    A_FUNCTION_MADE_ANEW,
    ALIKE_VARIABLES,
    ANOTHER_METRIC,
    AS_AN_EARLIER_GRAPH,
    BUT_FOR_ITS_OWN,
    CAPTURES_THE_SAME,
    EACH_FUNCTION,
    FRACTIONS_ALONE,
    FRACTIONS_OF_ITS_OWN,
    HOLDS_OTHERS,
    IF_MADE_ALIKE,
    IS_GONE,
    IS_KEPT,
    MADE_FOR_EACH_CALL,
    MADE_FOR_EACH_RUN,
    MAKES_ANOTHER,
    MEMBER,
    OF_OTHER_SHAPES,
    OF_TWO_CLASSES,
    OF_TWO_VALUES,
    OTHER_RESOURCE,
    OTHER_TENSORS,
    OTHER_TENSORS_AND_NUMBERS,
    OTHER_VARIABLES_OF_OBJECTS,
    TENSORS_OF_A_FUNCTION,
    TENSORS_OF_ITS_OWN,
    THESE_ALONE,
    WHICH_HOLDS,
    closed_over,
    has_it,
    told_of_reads,
    told_of_values,
)
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict

#: Of one with a graph of the same size, as that of a model with variables of its own is.
_MAY_BE_MADE_ANEW = (
    "If `{}` is made or loaded anew for each call, such as a model or an optimizer, make it once, keep it, and assign"
    " to its variables; whether it is, is not known. Different ones need a trace each."
)
#: Where the graph captures the same, and other things differ too.
_IF_MADE_OF_THE_SAME = (
    "If `{}` is made anew of the same for each call, such as a Keras model of the same layers, make it once and keep"
    " it: that needs no trace of its own."
)
_HOLDS_A_RESOURCE = (
    f"`{{}}` is another object, and {OTHER_RESOURCE}, which it keeps."
    " If a new one is made for each call, make one, keep it and pass that; those that hold other things, or write"
    " elsewhere, need a trace each. Which of it holds is not known."
)
_IF_MADE_ANEW = (
    "If {} made for each call, or for each run of several, make {} once and assign to the variables: that needs no"
    " trace. Those that are kept side by side need one each."
)
_PASS_WHAT_IS_READ = (
    "What the function reads of `{}` can be passed in arguments of their own, numbers as tensors; what else decides"
    " what is built needs a trace each."
)
_OF_A_METHOD = (
    "What the method reads of its own object can be passed in arguments of their own, tensors and variables as they are"
    " and numbers as tensors; what else decides what is built needs a trace each."
)
_EACH_INSTANCE = "Each instance is traced for itself"
_MADE_OF_THE_SAME = (
    "If what it holds is made anew of that, such as a Keras model of the same layers, make one instance and keep it:"
    " that needs no trace. Whether it is, is not known; what else decides what is built needs a trace each."
)
_OUTSIDE = (
    "If instances are many, a function outside of the class, decorated there and passed {}, needs no trace for each."
)
_ITS_TENSORS = "their tensors and variables as arguments"
#: Of several that are others at once.
_MOST_NAMED = 3
#: Objects as they are told of; arrays, which are data, and functions are not meant.
_HAS_VARIABLES = re.compile(r"(?!array )\S+ #\d+(?: of .+)?")
_SAME_BUT_VARIABLES, _SAME_OPERATIONS = "is the same but for the variables", "has the same operations"
_OTHER_METRIC = (
    f"`{{}}` {ANOTHER_METRIC}, and its graph {_SAME_BUT_VARIABLES}. If it is made anew for each pass over"
    " the data, make it once and call its `reset_state()` before each pass: that needs no trace. Metrics that are kept"
    " side by side need one each."
)


def judge_object(change: Change, facts: Facts) -> Verdict:
    path = change.path
    if DTYPE.fullmatch(change.old) and DTYPE.fullmatch(change.new):
        return Verdict("bounded", f"`{path}` is a dtype, of which there are only so many.")
    if MEMBER_NAME.fullmatch(change.old) and MEMBER_NAME.fullmatch(change.new):
        return Verdict("bounded", MEMBER.format(path))
    if path in facts.asked_of_holders and not facts.same_graph:
        return Verdict("unknown", facts.asked_of_holders[path])
    if facts.passed_numbers_alone and any(name.startswith(f"{path}.") for name in facts.held):
        functions = _other_functions(facts, path)
        return Verdict("avoidable", f"`{path}` {WHICH_HOLDS} {_numbers(facts)}{functions}, and {THESE_ALONE}")
    if facts.passed_numbers_alone and path in facts.passed and all(c.is_number for c in facts.passed[path]):
        made = _made_anew(path, facts.passed[path])
        return Verdict("avoidable", f"{made}{_other_functions(facts, path)}, and {THESE_ALONE}")
    if facts.same_graph or facts.sizes_alone or facts.passed_numbers_alone:
        but_for = "sizes and names" if facts.sizes_alone else "numbers that are passed"
        graph = "the graph is the same" + ("" if facts.same_graph else f" but for {but_for}")
        so = "; and" if path in facts.gone else ", and"
        graph += f", {HOLDS_OTHERS}" if path in facts.hold_others and facts.same_graph else ""
        return Verdict("avoidable", f"TensorFlow {_by(path, facts)}{so} {graph}: one object would do.")
    # where nothing else is another one, something that is not known makes the graph differ
    is_another = facts.same_graph is False and nothing_differs(facts)
    if path in facts.hold_the_same and not is_another and not all(_is_the_same(one, facts) for one in facts.changes):
        return Verdict("avoidable", f"TensorFlow {_by(path, facts)}; this one holds the same: one object would do.")
    if closure := facts.passed.get(path):
        made = _made_anew(path, closure)
        if _are_fractions(closure) and differ_in_fractions(facts):
            return Verdict("avoidable", f"{made}{_other_functions(facts, path)}, and {FRACTIONS_ALONE}")
        is_same = facts.same_operations and not (facts.captures_unpassed or facts.other_size)
        if is_same and _are_tensors_and_fractions(closure):
            return Verdict("avoidable", f"{made}, and {TENSORS_OF_A_FUNCTION}")
        return Verdict("unknown", f"{made}. What is passed as an argument of its own needs no function made anew.")
    if path in facts.functions_of_other_code:
        return Verdict("bounded", f"`{path}` is a function of other code. {EACH_FUNCTION}")
    if facts.other_metrics:
        return Verdict("unknown", _OTHER_METRIC.format(path))
    if facts.variables_alone:
        holders = [one for one in facts.changes if is_another_holder(one)]
        are, them = _are_others(holders), "it" if len(holders) == 1 else "them"
        if facts.variables_fit is False:
            return Verdict("bounded", f"{are}, and {OF_OTHER_SHAPES}")
        beside = [f"`{one.path}`" for one in facts.changes if is_beside(one)]
        more = (
            f" What changed with {them} ({', '.join(beside[:_MOST_NAMED])}) can be avoided by itself." if beside else ""
        )
        if facts.metrics_beside:
            metrics = _OTHER_METRIC.format(path).replace(_SAME_BUT_VARIABLES, _SAME_OPERATIONS)
            return Verdict("unknown", f"{metrics}{more}")
        if all(one.path in facts.kept_objects for one in holders):
            kept = IS_KEPT.format(facts.kept_objects[holders[0].path])
            return Verdict("bounded", f"{are}, and {OTHER_VARIABLES_OF_OBJECTS}. {kept}{more}")
        if all(one.path in facts.made_for_each_call for one in holders):
            return Verdict(
                "avoidable", f"{are}, and {OTHER_VARIABLES_OF_OBJECTS}. {_made_for_each(holders, facts)}{more}"
            )
        if facts.made_for_each_run:
            made = MADE_FOR_EACH_RUN.format(facts.made_for_each_run, them)
            return Verdict("avoidable", f"{are}, and {OTHER_VARIABLES_OF_OBJECTS}. {made}{more}")
        if_anew = _IF_MADE_ANEW.format("a new one is" if them == "it" else "new ones are", them)
        return Verdict("unknown", f"{are}, and {OTHER_VARIABLES_OF_OBJECTS}. {if_anew}{more}")
    if facts.variables_fit is not None and all(_is_of_objects(one, facts) for one in facts.changes):
        holders = [one for one in facts.changes if is_another_holder(one)]
        are = _are_others(holders)
        if not facts.variables_fit:
            return Verdict("bounded", f"{are}, and {OF_OTHER_SHAPES}")
        is_made_anew = any(one.cause == "recreated_function" for one in facts.changes)
        if not is_made_anew and all(one.path in facts.kept_objects for one in holders):
            kept = IS_KEPT.format(facts.kept_objects[holders[0].path])
            return Verdict("bounded", f"{are}, and {AS_AN_EARLIER_GRAPH}. {kept}")
        if facts.made_for_each_run and not is_made_anew:
            made = MADE_FOR_EACH_RUN.format(facts.made_for_each_run, "it" if len(holders) == 1 else "them")
            return Verdict("avoidable", f"{are}, and {AS_AN_EARLIER_GRAPH}. {made}")
        if not any(one.path in facts.made_for_each_call for one in holders):
            if_anew = _IF_MADE_ANEW.format(*(("a new one is", "it") if len(holders) == 1 else ("new ones are", "them")))
            return Verdict("unknown", f"{are}, and {AS_AN_EARLIER_GRAPH}. {if_anew}")
    holders = [one for one in facts.changes if is_another_holder(one) and not _is_the_same(one, facts)]
    are_holders = change in holders and all(one in holders or _is_the_same(one, facts) for one in facts.changes)
    if facts.other_tensors and are_holders:
        return Verdict("avoidable", f"{_are_others(holders)}, and {OTHER_TENSORS}")
    if facts.other_tensors_and_numbers and are_holders:
        return Verdict("avoidable", f"{_are_others(holders)}, and {OTHER_TENSORS_AND_NUMBERS}")
    if is_another_holder(change) and differ_in_fractions(facts):
        return held(path, facts)
    if facts.same_graph is None or len(facts.changes) > 1:
        if facts.same_functions.get(path) is False:
            return Verdict(
                "unknown",
                f"The function that is passed as `{path}` has other code, or closes over other values, than the earlier"
                " one; whether one would do is not known.",
            )
        if facts.same_functions.get(path) and not is_another:  # made anew
            return Verdict("avoidable", f"TensorFlow {_by(path, facts)}; one object would not differ.")
        if path in facts.made_for_each_call:
            return Verdict("avoidable", f"TensorFlow {_by(path, facts)}. {_made_for_each([change], facts)}")
        captures = f"{CAPTURES_THE_SAME}, and " if facts.captures_the_same else ""
        kept = f" {_IF_MADE_OF_THE_SAME.format(path)}" if captures and is_another_holder(change) else ""
        if is_another:
            captures, kept = "the graph is another one, of which it is not known why, and ", ""
        return Verdict(
            "unknown",
            f"TensorFlow {_by(path, facts)}; {captures}whether one object would do is not known.{kept}"
            f"{_holding(path, facts)}",
        )
    if facts.other_tensors:
        return Verdict("unknown", f"`{path}` is another object, and {OTHER_TENSORS}")
    if facts.other_resources:
        if path in facts.made_for_each_call and not facts.other_nodes:
            return Verdict(
                "avoidable", f"{_are_others([change])}, and {OTHER_RESOURCE}. {_made_for_each([change], facts)}"
            )
        return Verdict("unknown", _HOLDS_A_RESOURCE.format(path))
    other = f"`{path}` is another object, and the graph is another or captures other objects."
    if change.new.startswith("method "):
        return Verdict("unknown", f"{other} {_OF_A_METHOD}")
    if not is_another_holder(change):
        return Verdict("unknown", other)
    if facts.captures_variables and not facts.other_size:
        return Verdict("unknown", f"{other} {_MAY_BE_MADE_ANEW.format(path)}")
    passes = "" if facts.captures_variables else f" {_PASS_WHAT_IS_READ.format(path)}"
    return Verdict("unknown", f"{other}{passes}{_holding(path, facts)}")


def _holding(path: str, facts: Facts) -> str:
    """Which numbers that are read of it are others, whatever else is."""
    own = {name: both for name, both in facts.held.items() if name.startswith(f"{path}.")}
    return f" This one has {told_of_values(own)}." if own else ""


def _by(path: str, facts: Facts) -> str:
    """Why it is another one to TensorFlow."""
    if path in facts.gone:  # a class with `__eq__` is not compared by identity, but what is gone equals nothing
        return f"holds `{path}` by a weak reference, and {IS_GONE}, so nothing can match its trace"
    return f"compares `{path}` {'by its `__eq__`, and it is not equal' if path in facts.own_eq else 'by identity'}"


def of_an_instance(facts: Facts) -> Verdict:
    """Of a method's `self` that is another one."""
    if facts.variables_fit is False:
        return Verdict("bounded", f"{_EACH_INSTANCE}, and {OF_OTHER_SHAPES}")
    if facts.other_metrics:
        return Verdict("unknown", _OTHER_METRIC.format("self"))
    its_own = _its_own(facts)
    of_variables = bool(facts.own_tensors) and not (facts.other_tensors or facts.other_tensors_and_numbers)
    if (kept := facts.kept_objects.get("self")) and (of_variables or not its_own):
        is_alike = facts.same_graph is False and not facts.other_nodes
        outside = f" {_OUTSIDE.format(_ITS_TENSORS)}" if is_alike else ""
        return Verdict("bounded", f"{_EACH_INSTANCE}. {IS_KEPT.format(kept)}{outside}")
    is_of_flags = bool(facts.flags) and not (facts.held or facts.captures_others)
    if is_of_flags and all(are_bools(*pair) for pair in facts.flags.values()):
        return Verdict(
            "bounded", f"{_EACH_INSTANCE}, and this one reads {told_of_values(facts.flags)}. {OF_TWO_VALUES}"
        )
    if _needed_by_its_class(facts) and not its_own:
        return Verdict("bounded", f"{_EACH_INSTANCE}. {OF_TWO_CLASSES.format('self')}")
    return Verdict("unknown", _of_an_instance(facts, its_own))


def _needed_by_its_class(facts: Facts) -> bool:
    """Whether it is of another class, of another graph: but for a number, which both may have."""
    if facts.kind != "recreated" or facts.same_graph is not False or not facts.other_nodes:
        return False
    is_another = any(one.path == "self" and are_of_two_classes(one) for one in facts.changes)
    return is_another and (facts.captures_others or not facts.same_operations)


def _its_own(facts: Facts) -> str:
    """What it has of its own that is all that makes its graph another one, if that is known by name."""
    tensors = f"{TENSORS_OF_ITS_OWN} ({', '.join(f'`{name}`' for name in facts.own_tensors)})"
    numbers = _numbers(facts)
    if facts.own_tensors and (facts.other_tensors or not facts.other_nodes):
        return tensors
    if not numbers:
        return ""
    if facts.passed_numbers_alone:
        return numbers
    known = facts.held.keys() | {*facts.own_tensors}
    if facts.read_otherwise is None or not facts.read_otherwise.keys() <= known:
        return ""
    if facts.own_tensors and facts.other_tensors_and_numbers:
        return f"{tensors}, {FRACTIONS_OF_ITS_OWN} {numbers}"
    is_alone = facts.numbers_alone and all(change.path == "self" for change in facts.changes)
    return f"{FRACTIONS_OF_ITS_OWN} {numbers}" if is_alone else ""


def _of_an_instance(facts: Facts, its_own: str) -> str:
    if its_own:
        them = "them as arguments" if not facts.held else "them as tensors"
        return f"{_EACH_INSTANCE}, {BUT_FOR_ITS_OWN} {its_own}. {_OUTSIDE.format(them)}"
    if facts.same_graph is False and not facts.other_nodes:
        its_own = "its graph is the same but for what this one has of its own"
        return f"{_EACH_INSTANCE}, and {its_own}. {_OUTSIDE.format(_ITS_TENSORS)}"
    if facts.variables_fit and not any(decides(*both) for both in (facts.read_otherwise or {}).values()):
        reads, made_alike = _reads(facts, of_objects=False), IF_MADE_ALIKE.format("it was", "one")
        made = facts.made_for_each_call.get("self", "")
        again = f" `{made}` {MAKES_ANOTHER}." if made else ""
        return f"{_EACH_INSTANCE}, and {ALIKE_VARIABLES}{reads}.{again} {made_alike}"
    if facts.same_captures:
        captures = f"this one captures what an earlier one does{_reads(facts)}"
        return f"{_EACH_INSTANCE}, and {captures}. {_MADE_OF_THE_SAME}"
    return f"{_EACH_INSTANCE}; this one has another graph or captures other objects{_reads(facts)}."


def decides(before: str, now: str) -> bool:
    """Whether what is read, such as a list, a bool or a function, makes another graph of as many operations: no number,
    which may be assigned, no text, which may be a name, and no object that has variables."""
    return bool(before and now) and not all(map(_is_no_setting, (before, now)))


def _is_no_setting(text: str) -> bool:
    is_a_number = is_number(text) or OF_NUMPY.fullmatch(text) is not None
    return is_a_number or holds_strings(text) or _HAS_VARIABLES.fullmatch(text) is not None


def _reads(facts: Facts, *, of_objects: bool = True) -> str:
    others = facts.read_otherwise or {}
    without = () if of_objects else [name for name, (_, now) in others.items() if _HAS_VARIABLES.fullmatch(now)]
    told = told_of_reads(others, {**facts.held, **facts.flags}, without)
    return f", and it reads {told}" if told else ""


def _numbers(facts: Facts) -> str:
    """Those that are read of objects."""
    return told_of_values(facts.held)


def differ_in_fractions(facts: Facts) -> bool:
    """Whether graphs do in nothing else, and arguments in what may have set these, and in what leaves no trace."""
    return facts.numbers_alone and all(
        is_another_holder(change)
        or change.cause == "shape"
        or _is_the_same(change, facts)
        or _are_fractions(facts.passed.get(change.path, ()))
        or (change.cause == "python_value" and is_number(change.old) and is_number(change.new))
        for change in facts.changes
    )


def _are_fractions(closure: Sequence[ClosureChange]) -> bool:
    """A whole number may choose what is built."""
    return bool(closure) and all(c.is_number and not (is_whole(c.old) and is_whole(c.new)) for c in closure)


def _are_tensors_and_fractions(closure: Sequence[ClosureChange]) -> bool:
    others = [c for c in closure if not c.is_tensor]
    return len(others) < len(closure) and (not others or _are_fractions(others))


def _is_the_same(change: Change, facts: Facts) -> bool:
    """An object that holds the same, or a function made anew, of the same code, that closes over the same: one that is
    kept leaves no trace."""
    if change.cause != "object_identity":
        return False
    return change.path in facts.hold_the_same or facts.same_functions.get(change.path, False)


def nothing_differs(facts: Facts) -> bool:
    """Whether the function is made anew, if it is, over the same, and so is what it is passed: a graph that is another
    one all the same has read something that is not known."""
    return all(
        facts.closure == () if change.cause == "recreated_function" else _is_the_same(change, facts)
        for change in facts.changes
    )


def held(path: str, facts: Facts) -> Verdict:
    is_another = f"`{path}` is another object"
    if any(name.startswith(f"{path}.") for name in facts.held):
        is_another = f"`{path}` {WHICH_HOLDS} {_numbers(facts)}"
    return Verdict("avoidable", f"{is_another}{_other_functions(facts, path)}, and {FRACTIONS_ALONE}")


def _other_functions(facts: Facts, path: str) -> str:
    """What is told beside the change at `path`: functions whose numbers the fractions may be, too."""
    return "".join(f", {_made_anew(other, closure)}" for other, closure in facts.passed.items() if other != path)


def _made_anew(path: str, closure: Sequence[ClosureChange]) -> str:
    return f"`{path}` is {A_FUNCTION_MADE_ANEW} {has_it(closure)} {closed_over(closure)}"


def _is_of_objects(change: Change, facts: Facts) -> bool:
    """Whether it is one of those, or what may change with them; or the function, made anew over the same."""
    return (
        is_another_holder(change) or is_beside(change) or (change.cause == "recreated_function" and facts.closure == ())
    )


def _made_for_each(changes: Sequence[Change], facts: Facts) -> str:
    codes = dict.fromkeys(facts.made_for_each_call[one.path] for one in changes[:_MOST_NAMED])
    return MADE_FOR_EACH_CALL.format("`, `".join(codes))


def _are_others(changes: Sequence[Change]) -> str:
    names = [f"`{change.path}`" for change in changes[:_MOST_NAMED]]
    if len(names) == 1:
        return f"{names[0]} is another object"
    return f"{', '.join(names[:-1])} and {names[-1]} are other objects"
