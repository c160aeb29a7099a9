"""What every rule proposes of a function, and in which order what helps is told: see `study.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice import stands_in, within_another
from tb_retrace_plugin.explain.advice.advice_of_fixes import advice_untried
from tb_retrace_plugin.explain.advice.evidence.facts import NOT_BY_ITSELF, Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.made_anew import closed_over_number, passed_of_instances, variables_first
from tb_retrace_plugin.explain.advice.python_values import number_use, tensor_for_number
from tb_retrace_plugin.explain.advice.results.initial_values import told_of_building
from tb_retrace_plugin.explain.advice.results.made_of_pairs import told_of_counters_passed
from tb_retrace_plugin.explain.advice.rules import LIBRARY, UNKNOWN, UNKNOWN_OF_LIBRARIES
from tb_retrace_plugin.explain.advice.shapes import compiled_again, compiled_in_part
from tb_retrace_plugin.explain.advice.study import Study
from tb_retrace_plugin.explain.what_if.replay import Memory

_CLOSED_OVER = "pass_closed_over_number"
_OF_TYPES = "same_type"
_KEYWORDS = "same_keywords"
#: First of all, although its number is not known.
_FOR_CALLS_THAT_FAIL = frozenset({"create_variables_before", "keep_instance"})


def advise(function: FunctionFacts, memory: Memory | None = None) -> list[Advice]:
    """What to change, by traces removed; nothing where every trace is needed, bounded, or not known to be avoidable,
    but for what tells why a number cannot be a tensor, or of a metric or a generator that is another one.

    `memory`: of the same function, for when it is asked about again with more traces.
    """
    memory = memory if memory is not None else Memory()
    compiled = compiled_again.propose_in_keras(function) if function.library else compiled_again.propose(function)
    of_compilations = [advice_untried(function, fix) for fix in compiled]
    of_first_calls = _of_first_calls(function, memory)
    if not function.avoidable:
        fixes = [fix for rule in (UNKNOWN_OF_LIBRARIES if function.library else UNKNOWN) if (fix := rule(function))]
        untried = [advice_untried(function, fix) for fix in fixes]
        return [*untried, *_of_instances(function, memory), *of_first_calls, *of_compilations]
    found = _of_avoidable(function, memory)
    if not found and (fix := within_another.propose(function)):
        found = [advice_untried(function, fix)]
    elif not found and not function.library:
        found = Study(function, memory).none_of_which_helps_by_itself()
    elif found:
        found = within_another.told_of_the_outer(found, function)
    found = [told_of_counters_passed(one, function) for one in found]
    found = _best_first(found, _of_instances(function, memory))
    return found + of_first_calls + of_compilations


def _of_first_calls(function: FunctionFacts, memory: Memory) -> list[Advice]:
    fix = variables_first.propose(function)
    return [] if fix is None else Study(function, memory).whatever_it_helps(fix)


def _of_instances(function: FunctionFacts, memory: Memory) -> list[Advice]:
    fix = None if function.library else passed_of_instances.propose(function)
    return [] if fix is None else Study(function, memory).of_instances(fix)


def _best_first(found: Sequence[Advice], more: Sequence[Advice]) -> list[Advice]:
    """`more` before what leaves more traces, or is not known to leave fewer; not what may change results."""
    place = len(found)
    for one in more:
        if one.traces_after is not None and not one.warnings:
            left = one.traces_after
            is_behind = (
                other.rule not in _FOR_CALLS_THAT_FAIL and (other.traces_after is None or other.traces_after > left)
                for other in found
            )
            place = min(place, next((at for at, behind in enumerate(is_behind) if behind), place))
    return [*found[:place], *more, *found[place:]]


def _of_avoidable(function: FunctionFacts, memory: Memory) -> list[Advice]:
    if function.library:
        if fix := stands_in.propose(function):
            return [advice_untried(function, fix)]
        fixes = [fix for rule in LIBRARY if (fix := rule(function))]
        study = Study(function, memory)
        return [*study.of_what_is_loaded(), *study.each(fixes)]
    found = sorted(_of_the_users(function, memory), key=lambda one: one.rule not in _FOR_CALLS_THAT_FAIL)
    found = _with_keywords_first(found)
    return [told_of_building(one, function) for one in found]


def _with_keywords_first(found: list[Advice]) -> list[Advice]:
    """Where they leave fewer traces than all else: their number is known without the study."""
    numbers = [one.traces_after for one in found if one.traces_after is not None and one.rule != _KEYWORDS]
    least = min(numbers, default=None)
    own = [one for one in found if one.rule == _KEYWORDS]
    is_first = least is None or any(one.traces_after is not None and one.traces_after < least for one in own)
    return [*own, *(one for one in found if one.rule != _KEYWORDS)] if is_first else found


def _of_the_users(function: FunctionFacts, memory: Memory) -> list[Advice]:
    """Where XLA compiles some of the function's objects alone, first what all can be declared with."""
    compiled = _of_one_kind(function, memory)
    if not compiled_in_part.calls_for_both(function):
        return compiled
    declared = compiled_in_part.declared(_of_one_kind(replace(function, jit_compile=False), memory))
    rules = {one.rule for one in declared}
    return declared + [one for one in compiled if one.rule not in rules]


def _of_one_kind(function: FunctionFacts, memory: Memory) -> list[Advice]:
    found = Study(function, memory).advice()
    deciding = number_use.deciding(function, tensor_for_number.number_paths(function)) if found else frozenset()
    if (choosing := deciding & number_use.choosing(function)) and choosing != deciding:  # these can be no tensors
        found = _without_first(replace(function, python_numbers=choosing), found, memory)
    if deciding:
        found = _without_first(replace(function, python_numbers=deciding), found, memory)
    if any(_CLOSED_OVER in one.rule for one in found) and closed_over_number.may_decide(function):
        found = _without_first(replace(function, python_numbers=deciding, closed_over_stay=True), found, memory)
    return found


def _without_first(function: FunctionFacts, found: Sequence[Advice], memory: Memory) -> list[Advice]:
    """First what leaves numbers that decide what is built as they are, then what removes more traces with them."""
    without = Study(function, memory).advice()
    counted = [one for one in without if one.traces_after is not None]
    left = min((one.traces_after for one in counted if one.traces_after is not None), default=len(function.traces) + 1)
    fewer = [one for one in found if one.traces_after is not None and one.traces_after < left]
    counted += fewer
    rules = {one.rule for one in counted}
    rest = [one for one in (*without, *found) if one.traces_after is None and one.rule not in rules]
    # of both that name what is passed as several types, the one beside what is shown
    beside = [one for one in (found if fewer else without) if one.rule == _OF_TYPES]
    rest = [one for one in rest if one.rule != _OF_TYPES or one in beside or not (beside or fewer)]
    rest = [one for one in rest if one.evidence != NOT_BY_ITSELF or not any(one.text in more.text for more in counted)]
    if rest and not any("tensor_for_python_number" in one.rule for one in (*counted, *rest)):
        rest += _numbers_that_are_idle(replace(function, python_numbers=frozenset()), memory)
    return counted + list({(one.rule, one.text): one for one in rest}.values())


def _numbers_that_are_idle(function: FunctionFacts, memory: Memory) -> list[Advice]:
    """Beside what cannot be replayed: numbers that would be traced all the same once that is done."""
    fix, study = tensor_for_number.propose(function), Study(function, memory)
    trial = study.trial([fix]) if fix is not None and fix.candidate is not None else None
    return [advice_untried(function, fix, NOT_BY_ITSELF)] if fix and trial and not study.helps(trial) else []
