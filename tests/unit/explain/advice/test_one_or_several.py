"""One Python number in some calls and several in others: as many everywhere."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, number, tensor


def several(*values: int, kind: str = "tuple") -> Node:
    children = tuple((f"[{place}]", number(value)) for place, value in enumerate(values))
    return Node(kind, type_name=kind, children=children)


def told(*sizes: Node, source: str = "crop(x, size)") -> list[Advice]:
    traces = history(*({"x": tensor(9), "size": size} for size in sizes), source=source)
    judged = [
        replace(t, verdict="unknown" if any(c.cause == "structure" for c in t.changes) else t.verdict) for t in traces
    ]
    return [one for one in advice(judged, "crop") if one.rule == "one_or_several"]


def test_as_many_are_passed_everywhere() -> None:
    (found,) = told(number(5), number(6), several(4, 5))
    assert found.text == (
        "`size` of `crop` is one Python number in some calls, and a tuple of 2 in others, and it is traced for each"
        " value. If one stands for 2 equal ones, pass as many at every call, as tensors."
    )
    assert (found.code or "").splitlines() == [
        "size = size if isinstance(size, tuple) else (size, size)  # before the call",
        "tuple(tf.constant(n) for n in size)  # in place of size, at each call",
    ]
    assert (found.traces_after, found.apply) == (None, None)
    assert why_by_hand(found.rule) == "what one number stands for, only the author of the code knows"
    (found,) = told(number(5), number(6), several(4, kind="list"), source="crop(x, n)")
    assert (found.code or "").splitlines()[0] == "n = n if isinstance(n, list) else [n]  # before the call"


def test_not_where_that_is_not_one_thing() -> None:
    assert not told(number(5), number(6))
    assert not told(several(4, 5), several(4, 6))
    assert not told(number(5), number(6), several(4, 5), several(4, 5, 6))  # of several lengths
    assert not told(number(5), number(6), tensor(2), several(4, 5))
