"""A verdict that rests on another trace than the closest: one from which every difference can be avoided, or, where the
closest's is not known, is one of few.

The closest differs in the fewest leaves, and one of them may be a flag that another trace has had as it is now, or an
object whose graph is another, where an earlier one's is the same, or is but for sizes or for numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.earlier_traces.history import Entry, History
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge, what_stays
from tb_retrace_plugin.schema.signature import Signature

#: Times that what is found differs in something else that cannot be avoided.
_MAX_LOOKS = 4
_SHOWN = 3
_RESTS_ON = re.compile(
    r"Trace (\d+) had the (?:same graph(?: but for (?:sizes and names|numbers))?|(?:same|like of) `.*?);"
    r" compared with that one: "
)


def judge_by_an_earlier(
    facts: Facts, history: History, wanted: Signature, graph_key: str, number: int, scope: str,
    facts_of: Callable[..., Facts], *, without_sizes: str = "", without_numbers: str = "",
    holdings: Mapping[str, object] = {},
) -> Verdict | None:  # fmt: skip
    """None if no trace of the same object and scope is known from which all can be avoided, or, where the closest is
    told to be one of few ways, one that has been in this one already, or, where the closest has another object and is
    not known to be needed, one from which it is.

    `facts`: of the closest. `facts_of` takes an entry and what differs from it. `without_sizes`, `without_numbers`:
    of the graph. `holdings`: of objects that it is passed, what they hold, by path.
    """
    same_graph = history.with_graph(graph_key) if graph_key and not facts.same_graph else None
    but_sizes = history.with_graph_but_sizes(without_sizes) if without_sizes and not facts.sizes_alone else None
    but_numbers = (
        None if facts.numbers_alone or not without_numbers else history.with_graph_but_numbers(without_numbers)
    )
    twins = (same_graph, ""), (but_sizes, " but for sizes and names"), (but_numbers, " but for numbers")
    for twin, but_for in twins:
        if twin is not None and twin.n and (twin.object_number, twin.scope) == (number, scope):
            verdict = judge(facts_of(twin, diff_signatures(twin.signature, wanted)))
            if verdict.word == "avoidable":
                told = f"Trace {twin.n} had the same graph{but_for}; compared with that one: {verdict.evidence}"
                return Verdict("avoidable", told)
    others = [path for path in holdings if path not in facts.hold_the_same]
    holds_the_same = history.holding_the_same(holdings, number, scope) if others else None
    if holds_the_same is not None and holds_the_same.n:
        changes = diff_signatures(holds_the_same.signature, wanted)
        verdict = judge(facts_of(holds_the_same, changes))
        if verdict.word == "avoidable":
            what = "the like of" if any(change.path in others for change in changes) else "the same"
            return Verdict("avoidable", _had(holds_the_same, what, others) + verdict.evidence)
    same: list[str] = []
    of_the_closest = facts
    of_few: Verdict | None = None
    for _ in range(_MAX_LOOKS):
        stays = [path for path in what_stays(facts) if path not in same]
        if not stays or "" in stays:
            return of_few
        same += stays
        found = history.closest_with(wanted, same, number, scope)
        if found is None or not found[0].n:
            break
        facts = facts_of(*found)
        verdict = judge(facts)
        if verdict.word == "avoidable":
            return Verdict("avoidable", _had(found[0], "the same", same) + verdict.evidence)
        is_of_objects = all(c.cause == "object_identity" for c in of_the_closest.changes if c.path in same)
        if verdict.word == "bounded" and of_few is None and is_of_objects and judge(of_the_closest).word == "unknown":
            of_few = Verdict("bounded", _had(found[0], "the same", same) + verdict.evidence)
    if by_its_length := _by_the_same_structure(history, wanted, number, scope, of_the_closest, facts_of):
        return by_its_length
    # a tensor where None has been is avoidable where another tensor has been too
    found = history.closest_alike(wanted, same, number, scope)
    if found is None or not found[0].n:
        other = history.closest_alike(wanted, same, number, scope, of_another_structure=True)
        return _by_another_structure(other, same, facts_of) or of_few
    verdict = judge(facts_of(*found))
    # and it is no other way of two, where what is now has been one of them
    if verdict.word == "avoidable" or (verdict.word == "unknown" and judge(of_the_closest).word == "bounded"):
        return Verdict(verdict.word, _had(found[0], "the like of", same) + verdict.evidence)
    return of_few


def _by_the_same_structure(
    history: History, wanted: Signature, number: int, scope: str, facts: Facts, facts_of: Callable[..., Facts]
) -> Verdict | None:
    """A list of other numbers, which are more changes than another length is: one of its length has been there."""
    paths = [change.path for change in facts.changes if change.cause == "structure"]
    found = history.closest_of_its_structure(wanted, number, scope) if paths else None
    return _if_avoidable(found, "the like of", paths, facts_of)


def _by_another_structure(
    found: tuple[Entry, list[Change]] | None, same: Sequence[str], facts_of: Callable[..., Facts]
) -> Verdict | None:
    """Where the flag that the closest lacks was there beside other keys, or a list of another length."""
    if found is None or not any(change.cause == "structure" for change in found[1]):
        return None
    return _if_avoidable(found, "the same", same, facts_of)


def _if_avoidable(
    found: tuple[Entry, list[Change]] | None, what: str, paths: Sequence[str], facts_of: Callable[..., Facts]
) -> Verdict | None:
    if found is None or not found[0].n:
        return None
    verdict = judge(facts_of(*found))
    is_avoidable = verdict.word == "avoidable"
    return Verdict("avoidable", _had(found[0], what, paths) + verdict.evidence) if is_avoidable else None


def judge_by_the_same_closure(
    facts: Facts, found: tuple[Entry, list[Change]] | None, facts_of: Callable[..., Facts]
) -> Verdict | None:
    """Of a tf.function made anew. `found`: the trace of an earlier one that closes over the same, where the closest is
    of one that does not; None if that one would not do either."""
    if found is None or not found[0].n or not facts.closure:
        return None
    verdict = judge(facts_of(*found))
    needs_one = verdict.word == "bounded" and judge(facts).word == "unknown"
    names = [change.name for change in facts.closure]
    if verdict.word != "avoidable" and not needs_one:
        return None
    return Verdict(verdict.word, _had(found[0], "the same", names) + verdict.evidence)


def _had(entry: Entry, what: str, paths: Sequence[str]) -> str:
    names = [f"`{path}`" for path in paths[:_SHOWN]]
    names += [f"{len(paths) - _SHOWN} more"] if len(paths) > _SHOWN else []
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"Trace {entry.n} had {what} {listed}; compared with that one: "


def rests_on(evidence: str) -> tuple[int, str] | None:
    """The number of the trace that it is judged by, and what is said of that; None: by the closest."""
    match = _RESTS_ON.match(evidence)
    return (int(match[1]), evidence[match.end() :]) if match else None
