"""Of a tf.function object that was made anew and closes over, or binds, something else: could one serve both."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from tb_retrace_plugin.explain.differences.closure import ARRAY, DATASET, OF, ClosureChange, holds_variables
from tb_retrace_plugin.explain.differences.keras_metrics import are_closed_over
from tb_retrace_plugin.explain.differences.number_holders import closes_over_another_class, closes_over_another_holder
from tb_retrace_plugin.explain.differences.value_texts import are_bools, holds_strings, is_number, is_whole
from tb_retrace_plugin.explain.verdict.evidence import (
    AFTER_ONE_OF,
    ALIKE_VARIABLES,
    ANOTHER_METRIC,
    COULD_SERVE_BOTH,
    EACH_CHOSEN,
    EACH_FUNCTION,
    FRACTIONS_ALONE,
    IF_MADE_ALIKE,
    IS_KEPT,
    MADE_FOR_EACH_RUN,
    OBJECTS_WITH_SUCH,
    OF_EACH_STEP,
    OF_OTHER_DATA,
    OF_OTHER_SHAPES,
    OF_TWO_CLASSES,
    OF_TWO_VALUES,
    OTHER_TENSORS,
    OTHER_TENSORS_AND_NUMBERS,
    OTHER_TENSORS_BY_NAME,
    OTHER_VARIABLES_BY_NAME,
    closed_over,
    has_it,
    is_a_method,
    other_attributes,
    told_of_asked,
    told_of_decided,
    told_of_reads,
)
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.keras_models import of_a_model_or_compile, of_another_model
from tb_retrace_plugin.explain.verdict.keras_pipelines import BY_EACH_CALL_OF_KERAS, MADE_OF_ARRAYS, MADE_OF_OTHERS
from tb_retrace_plugin.explain.verdict.objects import decides

_OF_THE_SAME_CAPTURES = (
    "It captures what an earlier one does. If what it closes over is made anew of those, such as a Keras model"
    " of the same layers, make that once and keep it, and this function with it; whether it is, is not known."
)
#: All that advice sets back.
_MOST_HOLDERS = 8
_IF_ALL_MADE_ALIKE = IF_MADE_ALIKE.format("all that was", "them, and this function,")
_OTHER_METRICS = (
    f"{{}} {ANOTHER_METRIC}, and the graph is the same but for the variables. If {{}} made anew for each pass over the"
    " data, make {}, and this function, once, and call `reset_state()` before each pass: that needs no trace. Metrics"
    " that are kept side by side need a function each."
)
#: A tensor, a variable, a model: by its number.
_NUMBERED = re.compile(r"(?!array )[^\W\d]\w* #\d+(?: of .+)?")
#: What a tf.Variable is within a distribution strategy's scope: it has no `variables`.
_OF_STRATEGIES = ("MirroredVariable object", "SyncOnReadVariable object")
ONE_THAT_IS_PASSED = "One object that is passed"
NUMBERS_AND_TENSORS = f"{ONE_THAT_IS_PASSED} them, the numbers as tensors, as arguments would do."
_OF_UNKNOWN_SIZES = NUMBERS_AND_TENSORS.replace(", as arguments", ", and of unknown sizes, as arguments")
#: Begins a list or a tuple of such.
_OF_VARIABLES = ("[tf.Variable ", "(tf.Variable ")
_OF_THOSE_VARIABLES = (
    "The graph holds what is done with each variable of `{0}`: more or fewer need a graph of their own. Where they are"
    " the same again, keep the function that was made for them."
)
_OF_A_BOOL = "`{}` is a bool: two values, two traces. What is a number could be passed as a tensor."
_OF_NONE = "`{}` is None or not: two ways, two traces."
_OF_EACH_STEP = (
    f"{OF_EACH_STEP} this one is of its `{{}}`, the earlier one of its `{{}}`. Each needs a trace of its own."
)

_OF_ANOTHERS_STEP = (
    "Keras makes one such function for each of a model's steps. This one is of another model, and of `{}`, of which"
    " there was none before: each needs a trace of its own."
)

_Closure = tuple[ClosureChange, ...]
_Rule = Callable[[Facts, _Closure, str], Verdict | None]


def judge_closure(facts: Facts, closure: _Closure) -> Verdict:
    """`closure`: what it closes over that an earlier one does not."""
    verb = has_it(closure)
    verb = "is of a functools.partial that binds" if verb == "binds" else verb
    made = f"The new tf.function object {verb}"
    found = (rule(facts, closure, made) for rule in _RULES)
    verdict = next((one for one in found if one is not None), None)
    is_open = verdict is None or verdict.word == "unknown" or any(c.cause == "structure" for c in facts.changes)
    if is_open and (kept := facts.kept_objects.get("()")):
        return Verdict("bounded", f"{made} {closed_over(closure)}. {IS_KEPT.format(kept)}")
    told = told_of_reads(facts.read_otherwise, without=[name for c in closure for name in c.name.split(OF)])
    besides = f", {told}" if verb == "reads" else f". It reads {told}"
    reads = besides if told else ""
    return verdict or Verdict("unknown", f"{made} {closed_over(closure)}{reads}. {COULD_SERVE_BOTH}")


def _something_else_too(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    made = f"{made} {closed_over(closure)}"
    if facts.other_data and all(c.is_number or c.is_tensor or c.is_resized for c in closure):
        return Verdict("unknown", f"{made}. {OF_OTHER_DATA}")
    if facts.captures_others and all(c.is_number or c.is_tensor for c in closure):
        return Verdict("unknown", f"{made}, and something else that its graph captures is another one too.")
    if all(c.is_number or c.is_tensor or c.is_resized for c in closure) and (told := _told_besides(facts, closure)):
        besides = f", {told}" if has_it(closure) == "reads" else f". It reads {told}"
        return Verdict("unknown", f"{made}{besides}. {COULD_SERVE_BOTH}")
    # an array is a constant of the graph, which names the shapes of what it takes
    by_size = any(ARRAY in c.new for c in closure) or any(c.cause == "shape" for c in facts.changes)
    is_other = facts.other_size if by_size else facts.other_nodes
    if is_other and all(c.is_tensor for c in closure):
        return Verdict("unknown", f"{made}, and its graph is another one too: it reads something else.")
    return None


def _told_besides(facts: Facts, closure: _Closure) -> str:
    return told_of_reads(_besides(facts, closure))


def _besides(facts: Facts, closure: _Closure) -> dict[str, tuple[str, str]]:
    return read_besides(facts, [c.name for c in closure])


def read_besides(facts: Facts, own: Collection[str]) -> dict[str, tuple[str, str]]:
    """What it reads otherwise, and is no part of what has these names: a list, a text, a setting of an object."""
    parts = tuple(f"{one}{mark}" for one in own for mark in (".", "["))
    return {
        name: (old, new)
        for name, (old, new) in (facts.read_otherwise or {}).items()
        if name not in own and not name.startswith(parts)
        if not _NUMBERED.fullmatch(old) and not _NUMBERED.fullmatch(new)
    }


def _asked_in_python(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    made = f"{made} {closed_over(closure)}"
    if asked := next((c.name for c in closure if c.name in facts.asked_in_python), ""):
        return Verdict("unknown", f"{made}. {told_of_asked(asked, facts.asked_in_python[asked])}")
    if told := [facts.asked_of_holders[c.name] for c in closure if c.name in facts.asked_of_holders]:
        return Verdict("unknown", f"{made}. {told[0]}")
    return None


def _decided(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    if decided := next((c.name for c in closure if c.name in facts.decided_in_python), ""):
        told = told_of_decided(decided, facts.decided_in_python[decided])
        return Verdict("unknown", f"{made} {closed_over(closure)}. {told}")
    return None


def _chosen_by_a_number(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """What it chooses among is what else is read otherwise, or captured."""
    return _chosen(facts, closure, made) if len(closure) == 1 and closure[0].is_number else None


def _chosen(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Texts by which the code chooses, and does nothing else: whatever else is another one, they need the trace. Of a
    number beside a model, say, it is not known."""
    chosen = [c for c in closure if c.name in facts.chosen_in_python]
    are_texts = bool(chosen) and all(map(holds_strings, (chosen[0].old, chosen[0].new)))
    if not chosen or not (are_texts or all(c in chosen or _is_beside(c) for c in closure)):
        return None
    how = ", ".join(f"`{facts.chosen_in_python[c.name]}`" for c in chosen[:3])
    it = (
        "it"
        if len(closure) == 1
        else "them"
        if len(chosen) == len(closure)
        else " and ".join(f"`{c.name}`" for c in chosen)
    )
    return Verdict(
        "bounded",
        f"{made} {closed_over(closure)}. Python chooses by {it} among what the code has ({how}){EACH_CHOSEN}",
    )


def _is_beside(change: ClosureChange) -> bool:
    """Whether a trace for it is none that something else needs as well: a number, or a bool, of which there are two."""
    return _is_number(change) or are_bools(change.old, change.new)


def _is_number(change: ClosureChange) -> bool:
    """Its own, or of a function that it closes over, which it can make itself."""
    return change.is_number or (OF in change.name and is_number(change.old) and is_number(change.new))


def _numbers(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    if not all(c.is_number for c in closure):
        return None
    made = f"{made} {closed_over(closure)}"
    if facts.other_attributes and all(is_whole(c.new) for c in closure):
        names = " or ".join(f"`{c.name}`" for c in closure[:3])
        return Verdict("unknown", f"{made}. {other_attributes(names, closure)}")
    if facts.in_a_pipeline_of_keras:  # which makes them, too
        return Verdict("avoidable", f"{made}. {BY_EACH_CALL_OF_KERAS}")
    them = "it as a tensor" if len(closure) == 1 else "them as tensors"
    return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {them} would do.")


def _numbers_of_functions(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Also beside its own: whether such work as tensors is known of the graphs alone."""
    if not all(map(_is_number, closure)):
        return None
    if not facts.numbers_alone or len(facts.changes) > 1 or facts.captures_others or facts.in_a_dataset:
        return None
    own = {name for c in closure for name in c.name.split(OF)}
    if told_of_reads({name: both for name, both in _besides(facts, closure).items() if name not in own}):
        return None
    return Verdict("avoidable", f"{made} {closed_over(closure)}, and {FRACTIONS_ALONE}")


def _tensors(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    it = "it" if len(closure) == 1 else "them"
    as_arguments = "as an argument" if len(closure) == 1 else "as arguments"
    if facts.in_a_dataset and any(DATASET in c.new for c in closure):  # no variable holds one
        return None
    if all(c.is_tensor for c in closure):
        made = f"{made} {', '.join(f'another `{c.name}` of {c.new}' for c in closure)}"
        return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {it} {as_arguments} would do.")
    are_tensors = all(c.is_tensor or c.is_resized for c in closure)
    if not are_tensors or facts.other_size or facts.captures_others or facts.in_a_dataset:
        return None
    made = f"{made} {', '.join(map(_another_tensor, closure))}"
    return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {it}, of unknown sizes, {as_arguments} would do.")


def _numbers_and_tensors(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    # a whole number may choose what is built, which other tensors hide if there are other operations
    may_be_resized = not (facts.captures_others or facts.in_a_dataset)
    could_be_passed = all(
        c.is_tensor
        or (c.is_resized and may_be_resized)
        or (c.is_number and (facts.same_operations or not is_whole(c.new)))
        for c in closure
    )
    if not could_be_passed or facts.other_size or facts.other_attributes:
        return None
    if facts.in_a_dataset and any(DATASET in c.new for c in closure):
        return None
    both = [f"`{c.name}`: {c.old} → {c.new}" for c in closure if c.is_number]
    both += [_another_tensor(c) for c in closure if not c.is_number]
    them = _OF_UNKNOWN_SIZES if any(c.is_resized for c in closure) else NUMBERS_AND_TENSORS
    return Verdict("avoidable", f"{made} {', '.join(both)}. {them}")


def _another_tensor(change: ClosureChange) -> str:
    before = AFTER_ONE_OF + change.old.rpartition(" (")[2] if change.is_resized else ""
    return f"another `{change.name}` of {change.new}{before}"


def _functions(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    if not all(c.is_function for c in closure):
        steps = [c for c in closure if c.is_function] if facts.made_by_each_compile else []
        if steps and facts.other_functions:
            return Verdict("bounded", _OF_ANOTHERS_STEP.format(steps[0].new))
        return of_another_model(facts) if steps else None  # an earlier one of this step takes other data
    if facts.other_functions and facts.made_by_each_compile:
        now, before = (text.rpartition(".")[2] for text in (closure[0].new, closure[0].old))
        return Verdict("bounded", _OF_EACH_STEP.format(now, before))
    if facts.made_by_each_compile:
        return of_a_model_or_compile(facts)
    functions = ", ".join(f"`{c.name}` is `{c.new}`, was `{c.old}`" for c in closure[:3])
    made = f"{made} another function: {functions}"
    if not facts.other_functions:
        return Verdict("unknown", f"{made}, as an earlier one did. Whether that one could serve is not known.")
    return Verdict("bounded", f"{made}. {EACH_FUNCTION}")


def _bools(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    bools = [c for c in closure if are_bools(c.old, c.new)]
    if not bools or not all(map(_is_beside, closure)):
        return None
    two = OF_TWO_VALUES if len(bools) == len(closure) else _OF_A_BOOL.format(bools[0].name)
    return Verdict("bounded", f"{made} {closed_over(closure)}. {two}")


def _none_or_not(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Which of both it is decides what is built, as of an argument; a text is one of many."""
    nones = [c for c in closure if "None" in (c.old, c.new) and not any(map(holds_strings, (c.old, c.new)))]
    if not nones or not all(c in nones or _is_beside(c) for c in closure):
        return None
    return Verdict("bounded", f"{made} {closed_over(closure)}. {_OF_NONE.format(nones[0].name)}")


def _metrics(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Also with numbers beside them, which could be tensors."""
    metrics = [c for c in closure if are_closed_over([c])]
    if not metrics or facts.same_graph is not False or not all(c in metrics or c.is_number for c in closure):
        return None
    is_same = not facts.other_nodes if len(metrics) == len(closure) else facts.same_operations
    if not is_same or facts.other_size:
        return None
    words = ("It", "it is", "it") if len(metrics) == 1 else ("Each of these", "they are", "them")
    if len(metrics) == len(closure):
        return Verdict("unknown", f"{made} {closed_over(closure)}. {_OTHER_METRICS.format(*words)}")
    told = closed_over([*metrics, *(c for c in closure if c not in metrics)])
    words = (f"`{metrics[0].name}`", *words[1:]) if len(metrics) == 1 else ("Each of the metrics", *words[1:])
    but_for = "the graph is the same but for the variables and these numbers, which can be tensors"
    others = _OTHER_METRICS.format(*words).replace("the graph is the same but for the variables", but_for)
    return Verdict("unknown", f"{made} {told}. {others}")


def _in_a_pipeline_of_keras(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    if not facts.in_a_pipeline_of_keras:
        return None
    return MADE_OF_ARRAYS if facts.of_arrays else MADE_OF_OTHERS


def _holders(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Objects, of which the graphs hold numbers or variables; numbers and tensors beside them could be passed."""
    verb = made
    made = f"{made} {closed_over(closure, _MOST_HOLDERS)}"
    objects = [c for c in closure if closes_over_another_holder(c)]
    holders = [*objects, *(c for c in closure if are_closed_over([c]))]
    if len(objects) == len(closure) and facts.numbers_alone and len(facts.changes) == 1:
        return Verdict("avoidable", f"{made}, and {FRACTIONS_ALONE}")
    if len(objects) == len(closure) and len(facts.changes) == 1 and not facts.in_a_dataset:
        told = told_of_reads(facts.read_otherwise, without=[c.name for c in closure])
        reads = f", reads {told}" if told else ""
        if facts.other_tensors:
            return Verdict("avoidable", f"{made}{reads}, and {OTHER_TENSORS}")
        if facts.other_tensors_and_numbers:
            return Verdict("avoidable", f"{made}{reads}, and {OTHER_TENSORS_AND_NUMBERS}")
    if facts.same_captures and all(c.new == c.old for c in closure):
        return Verdict("unknown", f"{made}. {_OF_THE_SAME_CAPTURES}")
    variables = [c for c in closure if _is_of_variables(c)]
    could_be_passed = [c for c in closure if c.is_tensor or (c.is_resized and facts.variables_fit is False)]
    tensors = [] if facts.in_a_dataset else [c for c in could_be_passed if c not in variables]
    numbers = [c for c in closure if c.is_number]
    if not all(c in holders or c in variables or c in tensors or c in numbers for c in closure):
        return None
    fit = facts.variables_fit and not any(decides(*both) for both in _besides(facts, closure).values())
    passed = ", ".join(
        filter(None, (closed_over(numbers), f"{OTHER_TENSORS_BY_NAME} ({_names(tensors)})" if tensors else ""))
    )
    if fit and variables:
        others = f" {OBJECTS_WITH_SUCH} ({_names(holders)})" if holders else ""
        if methods := [c for c in holders if is_a_method(c)]:
            others += f", with {closed_over(methods)}"
        told = ", ".join(filter(None, (passed, f"{OTHER_VARIABLES_BY_NAME} ({_names(variables)}){others}")))
        return Verdict("unknown", f"{verb} {told}, and {ALIKE_VARIABLES}. {_IF_ALL_MADE_ALIKE}")
    if variables or not holders:
        return None
    if tensors:
        made = f"{verb} {passed}, {closed_over(holders, _MOST_HOLDERS)}"
    if facts.variables_fit is False:
        return Verdict("bounded", f"{made}, and {OF_OTHER_SHAPES}")
    if fit:
        it = ("it was", "it, and this function,") if len(holders) == 1 else ("they were", "them, and this function,")
        if facts.made_for_each_run:
            alike = MADE_FOR_EACH_RUN.format(facts.made_for_each_run, it[1])
            return Verdict("avoidable", f"{made}, and {ALIKE_VARIABLES}. {alike}")
        return Verdict("unknown", f"{made}, and {ALIKE_VARIABLES}. {IF_MADE_ALIKE.format(*it)}")
    return None


def _more_or_fewer_variables(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Lists of variables of other lengths, which the graph goes through one by one: those that are trained, say. They
    need the trace, whatever else is another one."""
    lists = [c for c in closure if c.old.startswith(_OF_VARIABLES) and c.new.startswith(_OF_VARIABLES)]
    longer = [c.name for c in lists if f"len({c.name})" in (facts.read_otherwise or {})]
    if not longer or not facts.other_nodes:
        return None
    return Verdict("bounded", f"{made} {closed_over(closure)}. {_OF_THOSE_VARIABLES.format(longer[0])}")


def _of_two_classes(facts: Facts, closure: _Closure, made: str) -> Verdict | None:
    """Beside others that are made anew with it: what its class does is in the graph."""
    others = [c for c in closure if closes_over_another_class(c)]
    besides = [c for c in closure if c not in others]
    if not others or not all(c.is_number or c.is_tensor or c.is_function or c.old == c.new for c in besides):
        return None
    if facts.same_graph is not False or not (facts.other_classes and facts.other_nodes) or facts.same_operations:
        return None
    return Verdict("bounded", f"{made} {closed_over(closure)}. {OF_TWO_CLASSES.format(others[0].name)}")


def _names(closure: Iterable[ClosureChange]) -> str:
    return ", ".join(f"`{c.name}`" for c in closure)


def _is_of_variables(change: ClosureChange) -> bool:
    return (change.is_tensor and holds_variables(change.new)) or change.new in _OF_STRATEGIES


#: The first that has one gives the verdict.
_RULES: tuple[_Rule, ...] = (
    _chosen_by_a_number, _something_else_too, _asked_in_python, _decided, _chosen, _numbers, _numbers_of_functions,
    _tensors, _numbers_and_tensors, _functions, _bools, _none_or_not, _metrics, _in_a_pipeline_of_keras, _holders,
    _more_or_fewer_variables, _of_two_classes,
)  # fmt: skip
