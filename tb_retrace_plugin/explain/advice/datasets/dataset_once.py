"""A dataset that is built again and again of one function: `tf.data` makes a tf.function of it each time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tb_retrace_plugin.explain.advice.datasets.dataset_code import built_once, lines_that_build, names_passed
from tb_retrace_plugin.explain.advice.datasets.split_line import Split, split_line
from tb_retrace_plugin.explain.advice.datasets.what_stays import (
    SAME_EACH_TIME,
    told_of_beside,
    told_of_data,
    told_of_shuffle,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import (
    for_wider_states,
    is_a_loops,
    is_given_to_tf_data,
    is_within_a_trace,
    lines_of,
    method_that_runs,
    objects_by_line,
)
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import CLOSES_OVER, names_of_closure, times_text
from tb_retrace_plugin.explain.what_if.candidate import Candidate


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    traces = [trace for trace in recreated if is_given_to_tf_data(trace) and is_built_by_itself(trace)]
    objects = objects_by_line(function, traces)
    if not objects:
        return None
    built = f"it was built {function.at_least}{times_text(times_built(function, objects))}"
    if names := _of_other_kinds(function, objects):
        built += f" for {listed(names)} that came more than once"
    text = f"`tf.data` makes a function of `{function.name}` each time that the dataset is built, and {built}."
    again = built_again(function, objects)
    split = split_line(again) if not names and not _builds_for_others(function, again) else None
    shuffles = told_of_shuffle(traces) if split is None or "shuffle" in split.built else ()
    return Fix(
        "build_dataset_once", f"{text} {_remedy(function, objects, names, split)}",
        Candidate(objects=objects), outside={"one_pipeline": True},
        other=split.code if split else built_once(again, datasets_left(function, objects), names),
        assumes=SAME_EACH_TIME, notes=other_data(function, objects, names, split.chosen_by if split else ()),
        warnings=(*told_of_beside(function.beside), *told_of_data(traces), *shuffles),
    )  # fmt: skip


def _remedy(function: FunctionFacts, objects: dict[int, int], names: Sequence[str], split: Split | None) -> str:
    if split is None:
        return _remedy_of_kinds(names) if names else remedy(function, objects)
    return f"Build what comes before `{split.after}` once, outside the loop, and the rest of it each time."


def _of_other_kinds(function: FunctionFacts, objects: dict[int, int]) -> list[str]:
    """What it closes over, of which other datasets of the same lines were built with other values."""
    lines = set(map(lines_of, built_again(function, objects)))
    traces = [trace for trace, _ in function.with_cause("recreated_function") if trace.evidence.endswith(CLOSES_OVER)]
    traces = [trace for trace in traces if is_given_to_tf_data(trace) and lines_of(trace) in lines]
    return list(dict.fromkeys(name for trace in traces for name in names_of_closure(trace.evidence)))


def _builds_for_others(function: FunctionFacts, again: Sequence[Traced]) -> bool:
    """Whether the line that builds these is called from elsewhere, too: for other data, say, or other values of what
    it closes over."""
    lines = set(map(lines_of, again))
    all_lines = {lines_of(trace) for trace in function.traces if is_given_to_tf_data(trace)}
    return any(one[:1] == other[:1] for one in lines for other in all_lines - lines)


def _remedy_of_kinds(names: Sequence[str]) -> str:
    return (
        f"Build one dataset for each {listed(names)}, outside the loop, keep them, and iterate over that of the pass:"
        " one for all would keep the first."
    )


def is_built_by_itself(trace: Traced) -> bool:
    """Whether it can be built before: not while a tf.function is traced, nor run at each call."""
    return not (is_a_loops(trace) or is_within_a_trace(trace) or method_that_runs(trace))


def built_again(function: FunctionFacts, objects: dict[int, int]) -> list[Traced]:
    return [trace for trace in function.traces if trace.lookup.object_number in objects]


def datasets_left(function: FunctionFacts, objects: Mapping[int, int]) -> int:
    """How many datasets are built in place of those that were; `objects`: as `objects_by_line` has them."""
    return len(set(objects.values()) - for_wider_states(function))


def times_built(function: FunctionFacts, objects: Mapping[int, int]) -> int:
    wider = for_wider_states(function)
    return len([number for number in objects.keys() | objects.values() if objects.get(number, number) not in wider])


def remedy(function: FunctionFacts, objects: dict[int, int]) -> str:
    """`objects`: as `objects_by_line` has them."""
    several = datasets_left(function, objects)
    lines = lines_that_build(built_again(function, objects))
    which = "the dataset" if several == 1 else f"the datasets of these {several} lines"
    if lines < several:
        which = f"the {several} datasets that differ"
    them, once = ("it", "once") if several == 1 else ("them", "once each")
    return f"Build {which} {once}, outside the loop, and iterate over {them} again."


def other_data(
    function: FunctionFacts, objects: dict[int, int], told: Sequence[str] = (), later: Collection[str] = ()
) -> list[str]:
    """A note for one dataset in place of several. `told`: names of which it is said already that each needs one;
    `later`: of what is built anew each time."""
    # what a function closes over, of which more is told, may be computed of those
    found = names_passed(built_again(function, objects), computed=not (told or function.beside))
    names = [name for name in found if name not in told and name not in later]
    if told and names:
        return [f"Where {' or '.join(f'`{name}`' for name in names)} is another, build one of each, too."]
    are_several = datasets_left(function, objects) > 1
    if told or (are_several and not names):
        return []
    named = f", or with another {' or '.join(f'`{name}`' for name in names)}" if names else ""
    return [f"If {'one' if are_several else 'it'} is built of other data each time{named}, build one for each."]
