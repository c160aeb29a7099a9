"""Every rule's proposal, alone and together, replayed on what was recorded; what helps is advice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, replace

from tb_retrace_plugin.explain.advice import stands_in, within_another
from tb_retrace_plugin.explain.advice.applicable import applicable
from tb_retrace_plugin.explain.advice.code_of_fixes import code_of
from tb_retrace_plugin.explain.advice.datasets import distributed_batches
from tb_retrace_plugin.explain.advice.evidence.asked_for import is_asked_for
from tb_retrace_plugin.explain.advice.evidence.facts import NOT_BY_ITSELF, Advice, Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import made_of_others
from tb_retrace_plugin.explain.advice.made_anew import closed_over_number, passed_of_instances, variables_first
from tb_retrace_plugin.explain.advice.python_values import number_use, of_a_loaded_function, tensor_for_number
from tb_retrace_plugin.explain.advice.results.called_by_libraries import told_of_the_caller
from tb_retrace_plugin.explain.advice.results.frozen_values import told_of_frozen_values
from tb_retrace_plugin.explain.advice.results.initial_values import told_of_building
from tb_retrace_plugin.explain.advice.results.made_of_pairs import told_of_counters_passed
from tb_retrace_plugin.explain.advice.results.no_data import PADS, told_of_no_data
from tb_retrace_plugin.explain.advice.results.told import told_of_results
from tb_retrace_plugin.explain.advice.rules import LIBRARY, RULES, SHAPE_RULES, UNKNOWN, UNKNOWN_OF_LIBRARIES, UNTRIED
from tb_retrace_plugin.explain.advice.shapes import compiled_again, compiled_in_part, shapes, traced_beforehand
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE, Candidate
from tb_retrace_plugin.explain.what_if.replay import Lookup, Memory, fits, replay, reproduces
from tb_retrace_plugin.schema.signature import iter_leaves

#: Made for what other fixes change before.
_DECLARE = frozenset({"input_signature", "trace_beforehand"})
_CLOSED_OVER = "pass_closed_over_number"
_OF_TYPES = "same_type"
_KEYWORDS = "same_keywords"
#: First of all, although its number is not known.
_FOR_CALLS_THAT_FAIL = frozenset({"create_variables_before", "keep_instance"})
_THERE = "a tensor there"
_COMPILED_IN_PART = (
    "XLA compiles some of the tf.function objects that are made (`jit_compile=True`), and others not: each needs one as"
    " it is made now."
)
_NOT_REPLAYED = "Not replayed: the recorded signatures alone do not explain every trace."
_NOT_COMPARED = "Not replayed: traces that these were compared with, and which objects were alike, are not recorded."


def advise(function: FunctionFacts, memory: Memory | None = None) -> list[Advice]:
    """What to change, by traces removed; nothing where every trace is needed, bounded, or not known to be avoidable,
    but for what tells why a number cannot be a tensor, or of a metric or a generator that is another one.

    `memory`: of the same function, for when it is asked about again with more traces.
    """
    memory = memory if memory is not None else Memory()
    compiled = compiled_again.propose_in_keras(function) if function.library else compiled_again.propose(function)
    of_compilations = [_untried(function, fix) for fix in compiled]
    of_first_calls = _of_first_calls(function, memory)
    if not function.avoidable:
        fixes = [fix for rule in (UNKNOWN_OF_LIBRARIES if function.library else UNKNOWN) if (fix := rule(function))]
        untried = [_untried(function, fix) for fix in fixes]
        return [*untried, *_of_instances(function, memory), *of_first_calls, *of_compilations]
    found = _of_avoidable(function, memory)
    if not found and (fix := within_another.propose(function)):
        found = [_untried(function, fix)]
    elif not found and not function.library:
        found = _Study(function, memory).none_of_which_helps_by_itself()
    elif found:
        found = within_another.told_of_the_outer(found, function)
    found = [told_of_counters_passed(one, function) for one in found]
    found = _best_first(found, _of_instances(function, memory))
    return found + of_first_calls + of_compilations


def _of_first_calls(function: FunctionFacts, memory: Memory) -> list[Advice]:
    fix = variables_first.propose(function)
    return [] if fix is None else _Study(function, memory).whatever_it_helps(fix)


def _of_instances(function: FunctionFacts, memory: Memory) -> list[Advice]:
    fix = None if function.library else passed_of_instances.propose(function)
    return [] if fix is None else _Study(function, memory).of_instances(fix)


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
            return [_untried(function, fix)]
        fixes = [fix for rule in LIBRARY if (fix := rule(function))]
        study = _Study(function, memory)
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
    found = _Study(function, memory).advice()
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
    without = _Study(function, memory).advice()
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
    fix, study = tensor_for_number.propose(function), _Study(function, memory)
    trial = study.trial([fix]) if fix is not None and fix.candidate is not None else None
    return [_untried(function, fix, NOT_BY_ITSELF)] if fix and trial and not study.helps(trial) else []


@dataclass(slots=True)
class _Trial:
    """Fixes that were replayed together. `stays`: for each trace, whether it would still be made."""

    fixes: list[Fix]
    stays: list[bool]

    @property
    def remaining(self) -> int:
        return sum(self.stays)


class _Study:
    def __init__(self, function: FunctionFacts, memory: Memory) -> None:
        self._function = function
        self._lookups: Sequence[Lookup] = [trace.lookup for trace in function.traces]
        self._memory = memory
        # by the fixes' ids; they are held, so that these stay theirs
        self._trials: dict[tuple[int, ...], tuple[list[Fix], _Trial | None]] = {}
        self._avoidable = [trace.verdict == "avoidable" for trace in function.traces]
        # what tf.data makes of a function is declared by the dataset's elements, however the function is decorated
        self._in_datasets = all(is_given_to_tf_data(trace) for trace in function.traces)

    def advice(self) -> list[Advice]:
        function = self._function
        proposed = [fix for rule in (*RULES, *UNTRIED) if (fix := rule(function))]
        proposed_shapes = [fix for rule in SHAPE_RULES if not self._in_datasets and (fix := rule(function))]
        fixes = [fix for fix in proposed if fix.candidate is not None]
        shape_fixes = [fix for fix in proposed_shapes if fix.candidate is not None]
        untried = [_untried(function, fix) for fix in proposed + proposed_shapes if fix.candidate is None]
        if not reproduces(self._lookups, self._memory):
            # the rules do not explain the recording itself: what they say of a change is worth nothing
            return [_untried(function, fix, _NOT_REPLAYED) for fix in fixes + shape_fixes] + untried
        alone = [trial for fix in fixes + shape_fixes if not fix.only_together and (trial := self.trial([fix]))]
        alone += self._signature_trials(fixes, alone=True)
        alone.sort(key=lambda trial: trial.fixes[0].rule != "trace_beforehand")  # rather than what changes the data
        useful = [trial for trial in alone if self.helps(trial) and not self._declares_one_of_two(trial)]
        behind = {rule for fix in shape_fixes for rule in fix.before}
        best = min((t.remaining for t in useful if t.fixes[0].rule not in behind), default=len(self._lookups) + 1)
        first = [fix for fix in shape_fixes if fix.rule not in behind]
        declares = "input_signature" not in behind
        together = self._together(fixes, first, declares=declares)
        if together is not None and self.helps(together) and together.remaining < best and len(together.fixes) > 1:
            useful.append(together)
            if _pads(together):  # what leaves the data as they are, too
                kept = self._together(fixes, [fix for fix in first if fix.rule not in PADS], declares=declares)
                least = min((t.remaining for t in useful if not _pads(t)), default=len(self._lookups) + 1)
                if kept is not None and self.helps(kept) and kept.remaining < least and len(kept.fixes) > 1:
                    useful.append(kept)
        useful.sort(key=lambda trial: (trial.fixes[0].rule in behind, trial.remaining, len(trial.fixes)))
        if untried:  # with one of those it may well do
            shown = {id(fix) for trial in useful for fix in trial.fixes}
            done = merged([fix for trial in useful for fix in trial.fixes]).numbers.keys()
            others = [fix for fix in fixes if id(fix) not in shown and not fix.only_together]
            idle = [fix for fix in others if self.trial([fix]) and not _is_of(fix, done)]
            untried += [_untried(function, fix, NOT_BY_ITSELF) for fix in idle]
        tried = sorted(map(self._tried, useful), key=lambda one: one.traces_after is None)  # for what is read anew
        return tried + untried

    def none_of_which_helps_by_itself(self) -> list[Advice]:
        """Where several things changed at the same calls, and no proposals together save a trace that can be avoided:
        one may save others, which TensorFlow widened for what had changed with it."""
        rules = (*RULES, *UNTRIED)
        fixes = [fix for rule in rules if (fix := rule(self._function)) and fix.candidate and not fix.only_together]
        trials = [trial for fix in fixes if (trial := self.trial([fix]))]
        return [
            self._tried(trial) if not all(trial.stays) else _untried(self._function, trial.fixes[0], NOT_BY_ITSELF)
            for trial in sorted(trials, key=lambda trial: trial.remaining)
        ]

    def each(self, fixes: Sequence[Fix]) -> list[Advice]:
        """Of each fix by itself."""
        found = []
        for fix in fixes:
            if fix.candidate is None:
                found.append(_untried(self._function, fix))
            elif not reproduces(self._lookups, self._memory):
                found.append(_untried(self._function, fix, _NOT_REPLAYED))
            elif (trial := self.trial([fix])) is not None and self.helps(trial):
                found.append(self._tried(trial))
        return found

    def of_what_is_loaded(self) -> list[Advice]:
        """Values and shapes at once, where that leaves fewer traces than either: nothing can be declared there."""
        rules = (of_a_loaded_function.propose_numbers, of_a_loaded_function.propose_strings)
        values = [fix for rule in rules if (fix := rule(self._function)) is not None]
        wide = traced_beforehand.propose_loaded(self._function, merged(values)) if values else None
        if wide is None or not reproduces(self._lookups, self._memory):
            return []
        together, alone = self.trial([*values, wide]), [self.trial([fix]) for fix in (*values, wide)]
        least = min((trial.remaining for trial in alone if trial is not None), default=len(self._lookups))
        is_better = together is not None and self.helps(together) and together.remaining < least
        return [self._tried(together)] if together is not None and is_better else []

    def whatever_it_helps(self, fix: Fix) -> list[Advice]:
        """Of a fix by itself, for traces that count as needed."""
        trial = self.trial([fix]) if reproduces(self._lookups, self._memory) else None
        return [self._tried(trial)] if trial is not None else [_untried(self._function, fix, _NOT_REPLAYED)]

    def of_instances(self, fix: Fix) -> list[Advice]:
        """With what changes their calls alone, where that leaves fewer traces than each by itself; and of it alone."""
        changed = [one for rule in RULES if (one := rule(self._function)) and one.changes_calls_alone]
        alone = [trial.remaining for one in (fix, *changed) if (trial := self.trial([one]))]
        together = (
            self._together([fix, *changed], [], declares=False) if reproduces(self._lookups, self._memory) else None
        )
        is_better = together is not None and len(together.fixes) > 1 and together.remaining < min(alone, default=0)
        found = [self._tried(together)] if together is not None and is_better else []
        return [*found, *self.whatever_it_helps(fix)]

    def trial(self, fixes: list[Fix]) -> _Trial | None:
        """None if TensorFlow's answer is not known, or it would open a length that the code needs."""
        key = tuple(sorted(map(id, fixes)))
        if key not in self._trials:
            is_known = not _opens_a_length(fixes) and self._takes_all(merged(fixes))
            stays = replay(self._lookups, merged(fixes), self._memory) if is_known else None
            self._trials[key] = fixes, None if stays is None else _Trial(fixes, stays)
        return self._trials[key][1]

    def _takes_all(self, candidate: Candidate) -> bool:
        """Whether no call that works is refused: one with a list where a tuple is declared, say."""
        return candidate.input_signature is None or all(
            fits(lookup.signature, candidate) for lookup in self._lookups if not lookup.failed
        )

    def helps(self, trial: _Trial) -> bool:
        return any(can and not stays for can, stays in zip(self._avoidable, trial.stays, strict=True))

    def _declares_one_of_two(self, trial: _Trial) -> bool:
        """Of a tf.function and the one that is made of it: the other goes on as it was, until the two are one."""
        objects = merged(trial.fixes).objects
        is_declared = any(fix.decorator for fix in trial.fixes)
        return is_declared and bool(made_of_others(self._function) - {*objects.keys(), *objects.values()})

    def _signature_trials(self, fixes: list[Fix], *, alone: bool) -> list[_Trial]:
        """An input signature makes tensors of numbers by itself; what else it needs is done before."""
        if self._in_datasets:
            return []
        numbers = [fix for fix in fixes if _is_done_by_a_signature(fix)]
        others = [] if alone else [fix for fix in fixes if fix not in numbers]
        undeclared = [fix for fix in others if not all(fix.added.values())]
        if undeclared:
            if not all(fix.asked_with for fix in undeclared):
                return []
            asked_with = {path: code for fix in undeclared for path, code in fix.asked_with.items()}
            done = merged(undeclared).identities.keys()  # these are one already
            others = [fix for fix in others if fix in undeclared or not _makes_one_of(fix, done)]
            asked = traced_beforehand.propose(self._function, merged(numbers + others), asked_with)
            trial = self.trial([*numbers, *others, asked]) if asked is not None else None
            return [trial] if trial is not None else []
        found = shapes.propose_input_signature(self._function, merged(numbers + others))
        if found is None and numbers:  # without, it is one of the rules
            found = distributed_batches.propose(self._function, merged(numbers + others))
        proposed = [] if found is None else [[*others, found]]
        if found is None or traced_beforehand.opens_the_batch_alone(self._function, merged(numbers + others)):
            added = {name: spec for fix in others for name, spec in fix.added.items()}
            found = traced_beforehand.propose(self._function, merged(numbers + others), added)
            proposed += [] if found is None else [[*numbers, *others, found]]
        return [trial for together in proposed if (trial := self.trial(together)) is not None]

    def _together(self, fixes: list[Fix], shape_fixes: list[Fix], *, declares: bool) -> _Trial | None:
        """The fewest fixes that together remove the most traces. `declares`: an input signature may be one of them."""
        if either := _of_which_one_is_done(fixes):
            ways = [
                self._together([fix for fix in fixes if fix is not one], shape_fixes, declares=declares)
                for one in either
            ]
            return min((way for way in ways if way is not None), key=_fewest, default=None)
        trials = self._signature_trials(fixes, alone=False) if declares else []
        trials += [trial for fix in shape_fixes if (trial := self.trial([*fixes, fix]))]
        if trial := self.trial(fixes):
            trials.append(trial)
        if not trials:
            return None
        best = min(trials, key=_fewest)
        for fix in list(best.fixes):
            rest = [other for other in best.fixes if other is not fix]
            if fix.rule in _DECLARE or not self._is_declared_for(rest, fixes):  # it was made for the others
                continue
            fewer = self.trial(rest)
            if fewer is not None and fewer.remaining <= best.remaining:
                best = fewer
        return best

    def _is_declared_for(self, rest: Sequence[Fix], fixes: Sequence[Fix]) -> bool:
        """Whether an input signature among `rest` is the one that these calls need: it takes no other dtype, say."""
        declared = next((fix.candidate for fix in rest if fix.rule == "input_signature"), None)
        if declared is None:  # what is traced beforehand is written for the others as they are
            return not any(fix.rule in _DECLARE for fix in rest)
        base = merged([fix for fix in (*fixes, *rest) if _is_done_by_a_signature(fix)])
        base = base.with_(merged([fix for fix in rest if fix.rule != "input_signature"]))
        again = shapes.propose_input_signature(self._function, base)
        return again is not None and again.candidate == declared

    def _tried(self, trial: _Trial) -> Advice:
        function, fixes = self._function, list(map(self._beside_casts(trial.fixes), trial.fixes))
        gone = [trace for trace, stays in zip(function.traces, trial.stays, strict=True) if not stays]
        assumes = [_assumed(fix, alone=len(fixes) == 1) for fix in fixes if fix.assumes]
        evidence = (
            f"Replayed by TensorFlow's rules, the {plural(len(self._lookups), 'recorded signature')}"
            f" {'needs' if len(self._lookups) == 1 else 'need'} {plural(trial.remaining, 'trace')}"
        )
        evidence += f"; it assumes that {', and that '.join(assumes)}." if assumes else "."
        executes = any(fix.executes for fix in fixes)
        saved: float | None = sum(trace.cost_ns - (trace.first_call_ns if executes else 0) for trace in gone) / 1e9
        remaining: int | None = trial.remaining
        if _needs_the_compared(fixes) and not function.knows_what_is_compared:
            remaining, saved, evidence = None, None, _NOT_COMPARED
        elif why := [fix.evidence for fix in fixes if fix.candidate is not None and fix.evidence]:
            remaining, saved, evidence = None, None, " ".join(why)
        advice = Advice(
            rule="+".join(fix.rule for fix in fixes),
            text=" ".join(fix.text for fix in fixes),
            code=code_of(function, fixes) or None,
            traces_before=len(self._lookups),
            traces_after=remaining,
            seconds_saved=saved,
            evidence=evidence,
            apply=applicable(fixes) if remaining is not None and not self._casts_specifications(fixes) else None,
            warnings=_warnings(fixes),
            notes=_notes(function, fixes),
        )
        return told_of_results(advice, function, fixes, trial.stays)

    def _beside_casts(self, fixes: Sequence[Fix]) -> Callable[[Fix], Fix]:
        """What a fix says where others cast to one dtype what the numbers meet that it makes tensors."""
        dtypes = {*merged(fixes).dtypes.values()}
        cast_to = dtypes.pop() if len(dtypes) == 1 else ""

        def beside(fix: Fix) -> Fix:
            again = (
                closed_over_number.propose(self._function, cast_to) if fix.rule == _CLOSED_OVER and cast_to else None
            )
            return again or fix

        return beside

    def _casts_specifications(self, fixes: Sequence[Fix]) -> bool:
        """Whether it would, where concrete functions are asked for."""
        return bool(merged(fixes).dtypes) and any(map(is_asked_for, self._function.traces))


def _opens_a_length(fixes: Sequence[Fix]) -> bool:
    """Whether a length is unknown then that the code needs, as it goes through it in Python."""
    paths, change = {path for fix in fixes for path in fix.lengths_known}, merged(fixes)
    declared = (leaf for name, node in change.input_signature or () for leaf in iter_leaves(name, node))
    is_open = change.reduce_retracing or change.traced_wide
    return bool(paths) and (is_open or any(path in paths and -1 in (node.shape or ()) for path, node in declared))


def _fewest(trial: _Trial) -> tuple[int, int]:
    return trial.remaining, len(trial.fixes)


def _of_which_one_is_done(fixes: Sequence[Fix]) -> tuple[Fix, Fix] | None:
    """Of an argument that is to be a Python bool at every call, and that is to be a tensor at every call."""
    bools = [fix for fix in fixes if fix.rule == "python_bool"]
    return next(
        (
            (one, other)
            for one in bools
            for other in fixes
            if other is not one and one.calls.keys() & other.calls.keys()
        ),
        None,
    )


def _makes_one_of(fix: Fix, objects: Collection[tuple[str, int]]) -> bool:
    """Whether it does no more than that, of some of those."""
    identities = fix.candidate.identities if fix.candidate is not None else {}
    return bool(identities) and fix.candidate == Candidate(identities=identities) and identities.keys() <= set(objects)


def _is_of(fix: Fix, numbers: Set[str]) -> bool:
    """Whether it makes tensors of these numbers alone, which another fix does."""
    return fix.rule == "tensor_for_python_number" and merged([fix]).numbers.keys() <= numbers


def _pads(trial: _Trial) -> bool:
    return any(fix.rule in PADS for fix in trial.fixes)


def _is_done_by_a_signature(fix: Fix) -> bool:
    """Whether it makes tensors of numbers alone, which TensorFlow does for what is declared; it casts no tensors."""
    candidate = fix.candidate or NO_CHANGE
    if candidate.dtypes or candidate.objects:  # one function in place of several is none that a signature makes
        return False
    return bool(candidate.numbers) and "string" not in candidate.numbers.values()


def _needs_the_compared(fixes: Sequence[Fix]) -> bool:
    """Whether objects are made one that are alike by what each trace was compared with."""
    return any(fix.candidate is not None and bool(fix.candidate.objects or fix.candidate.identities) for fix in fixes)


def _notes(function: FunctionFacts, fixes: Sequence[Fix]) -> tuple[str, ...]:
    """Each once: of two changes both may need the same of the code."""
    casts = set(merged(fixes).dtypes.values())
    own = [note for fix in fixes for note in fix.notes if not _is_done_by(casts, fix, note)]
    if function.compiled_in_part and merged(fixes).objects:
        own.append(_COMPILED_IN_PART)
    return tuple(dict.fromkeys([*own, *told_of_the_caller(function, fixes)]))


def _is_done_by(casts: Set[str], fix: Fix, note: str) -> bool:
    numbers = fix.candidate.numbers.values() if fix.candidate is not None else ()
    return note == fix.beside_others and bool(casts) and casts <= set(numbers)


def _warnings(fixes: Sequence[Fix]) -> tuple[str, ...]:
    return tuple(warning for fix in fixes for warning in fix.warnings)


def _untried(function: FunctionFacts, fix: Fix, why: str = "") -> Advice:
    before = len(function.traces)
    saved = None
    if fix.traces_after is not None and not why:  # the dearest stay
        saved = sum(sorted(trace.cost_ns for trace in function.traces)[: before - fix.traces_after]) / 1e9
    advice = Advice(
        rule=fix.rule,
        text=fix.text,
        code=code_of(function, [fix]) or None,
        traces_before=before,
        traces_after=None if why else fix.traces_after,
        seconds_saved=saved,
        evidence=why or fix.evidence,
        apply=applicable([fix]) if fix.traces_after is not None and not why else None,
        warnings=_warnings([fix]),
        notes=_notes(function, [fix]),
    )
    return told_of_frozen_values(told_of_no_data(advice, [fix]), function, [fix])


def _assumed(fix: Fix, *, alone: bool) -> str:
    """Of one of several: "there" is where the text, which is far above then, has said."""
    paths = [*fix.candidate.numbers, *fix.candidate.stacked] if fix.candidate is not None else []
    if alone or not paths:
        return fix.assumes
    return fix.assumes.replace(_THERE, f"{'a tensor' if len(paths) == 1 else 'tensors'} for {listed(paths)}")
