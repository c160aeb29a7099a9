"""What is said of one function, and its signatures as a table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tb_retrace_plugin.analysis.pages import function_page as module
from tb_retrace_plugin.analysis.pages import leaf_columns as columns_module
from tb_retrace_plugin.analysis.pages.detail import trace_detail
from tb_retrace_plugin.analysis.pages.function_page import function_page
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.support.recorded_calls import function_of
from tests.support.stores import load, new_recording


def tensor(*shape: int, dtype: str = "float32") -> Node:
    return Node("tensor", dtype=dtype, shape=shape)


def literal(value: Any) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=(hash(value) % 2**60) + 1000)


def mapping(**children: Node) -> Node:
    return Node("dict", type_name="dict", children=tuple((f"['{key}']", node) for key, node in children.items()))


def calls(*arguments: dict[str, Node]) -> Any:
    """Each compared with the one before it."""
    group = function_of([Lookup(Signature(tuple(one.items()))) for one in arguments])
    for event in group.events[1:]:
        event.record.closest_seq = event.seq - 1
    return group


def leaf(page: dict[str, Any], path: str) -> dict[str, Any]:
    (found,) = [one for one in page["leaves"] if one["path"] == path]
    assert isinstance(found, dict)
    return found


def row_of(column: dict[str, Any]) -> list[str | None]:
    return [None if place < 0 else column["texts"][place] for place in column["cells"]]


def test_where_it_was_called_from_the_commonest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SITES_LISTED", 2)
    group = calls(*({"step": literal(number)} for number in range(7)))
    for event, line in zip(group.events, (5, 9, 9, 0, 7, 9, 7), strict=True):
        if not line:
            continue  # called from a library's thread
        event.record.stack_id = f"at {line}"
        stack = event.session.stacks.setdefault(f"at {line}", pb.Stack())
        stack.frames.add(file="keras.py", line=1, function="fit")
        stack.frames.add(file="train.py", line=line, function="main", user=True)
        stack.frames.add(file="train.py", line=99, function="<module>", user=True)
    page = function_page(group)
    site = {"file": "train.py", "function": "main"}
    assert page["called_from"] == [{**site, "line": 9, "traces": 3}, {**site, "line": 7, "traces": 2}]
    assert page["called_from_left_out"] == 1


def test_leaves_that_varied_are_columns_and_the_others_are_told_once() -> None:
    page = function_page(
        calls(
            {"x": tensor(32, 10), "step": literal(0), "training": literal(True)},
            {"x": tensor(32, 10), "step": literal(1), "training": literal(True)},
            {"x": tensor(7, 10), "step": literal(2), "training": literal(True)},
        )
    )
    json.dumps(page, allow_nan=False)
    assert [one["path"] for one in page["leaves"]] == ["step", "x"]  # what made more traces comes first
    assert row_of(leaf(page, "step")) == ["0", "1", "2"]
    x = leaf(page, "x")
    assert row_of(x) == ["float32 (32, 10)", "float32 (32, 10)", "float32 (7, 10)"]
    assert (x["marked"], [x["texts"][place] for place in x["was"]]) == ([2], ["float32 (32, 10)"])
    assert [(one["path"], one["text"]) for one in page["constant"]] == [("training", "True")]
    assert page["rows"] == {"seq": [1, 2, 3], "closest_seq": [None, 1, 2]}
    assert page["varied"] == "What varied: `step` (3 values) and `x` (2 shapes)."
    assert page["sentence"] == "`f` was traced 3 times: 2.0 s lost."


def test_values_are_counted_and_sizes_spread_over_bars() -> None:
    page = function_page(calls(*({"x": tensor(size, 3), "lr": literal(size / 4)} for size in (1, 2, 2, 9))))
    x = leaf(page, "x")
    counted = {x["texts"][place]: count for place, count in x["values"]}
    assert counted == {"float32 (1, 3)": 1, "float32 (2, 3)": 2, "float32 (9, 3)": 1}
    assert x["dimensions"] == [
        {"unknown": 0, "histogram": {"low": 1, "high": 9, "distinct": 3, "bars": [[1, 1, 1], [2, 2, 2], [9, 9, 1]]}},
        {"unknown": 0, "histogram": {"low": 3, "high": 3, "distinct": 1, "bars": [[3, 3, 4]]}},
    ]
    lr = leaf(page, "lr")
    assert (lr["number"], lr["dimensions"], lr["histogram"]["high"]) == (True, None, 2.25)


@pytest.mark.parametrize(
    "values",
    [
        [n / 8 for n in range(100)],
        [float(n) for n in range(-20, 80)],
        [n * 1e307 for n in range(-17, 18)],
        [n * 5e-324 for n in range(40)],
        [10**300 + n for n in range(40)],
    ],
)
def test_many_numbers_share_bars(values: list[float]) -> None:
    histogram = leaf(function_page(calls(*({"n": literal(value)} for value in values))), "n")["histogram"]
    assert len(histogram["bars"]) <= 24
    assert sum(count for _, _, count in histogram["bars"]) == len(values)
    assert all(histogram["low"] <= low <= high <= histogram["high"] for low, high, _ in histogram["bars"])
    json.dumps(histogram, allow_nan=False)


def test_whole_numbers_are_spread_evenly() -> None:
    histogram = leaf(function_page(calls(*({"n": literal(n)} for n in range(30)))), "n")["histogram"]
    assert histogram["bars"][:2] == [[0, 1, 2], [2, 3, 2]]
    assert {count for _, _, count in histogram["bars"]} == {2}


def test_numbers_that_are_none_have_no_bars() -> None:
    page = function_page(calls({"n": literal(float("inf"))}, {"n": literal(1.0)}))
    assert leaf(page, "n")["histogram"] is None
    assert leaf(page, "n")["number"] is True
    page = function_page(calls({"n": literal("a")}, {"n": literal(1)}))
    assert (leaf(page, "n")["histogram"], leaf(page, "n")["number"]) == (None, False)


def test_what_came_and_went_is_marked() -> None:
    page = function_page(
        calls(
            {"batch": mapping(x=tensor(2))},
            {"batch": mapping(x=tensor(2), mask=tensor(2))},
            {"batch": mapping(x=tensor(2))},
        )
    )
    (column,) = page["leaves"]
    assert (column["path"], row_of(column)) == ("batch['mask']", [None, "float32 (2,)", None])
    assert (column["marked"], column["was"], column["absent"]) == ([1, 2], [-1, 0], 2)
    assert [one["path"] for one in page["constant"]] == ["batch['x']"]


def test_a_change_marks_what_no_text_shows() -> None:
    group = calls({"x": tensor(1), "config": mapping(a=literal(1))}, {"x": tensor(1), "config": mapping(a=literal(1))})
    assert function_page(group)["leaves"] == []
    group = calls({"x": tensor(1), "config": mapping(a=literal(1))}, {"x": tensor(1), "config": mapping(a=literal(1))})
    group.events[1].record.changes.add(cause="structure", path="config")
    (column,) = function_page(group)["leaves"]
    assert (column["path"], column["marked"]) == ("config['a']", [1])


def test_every_mark_is_the_one_of_the_traces_own_table(tmp_path: Any) -> None:
    recording = new_recording(tmp_path)
    for size in (3, 4, 3, 9):
        recording.trace(shape=(size, 2))
    for size, wide in ((5, True), (6, False)):
        trace = recording.trace(shape=(size, 2), write=False)
        if wide:
            trace.generalized = True
            argument = trace.traced_signature.arguments.add(path="x")
            argument.type.CopyFrom(trace.signature.arguments[0].type)
            argument.type.shape[:] = [-1, 2]
            trace.traced_signature.arguments.add().CopyFrom(trace.signature.arguments[1])
        trace.signature.context["device"] = f"/gpu:{size}"
        recording.write(trace)
    recording.end(60)
    (group,) = load(tmp_path).functions
    page = function_page(group)
    device = leaf(page, "device")
    assert (device["part"], device["number"], device["dimensions"]) == ("context", False, None)
    for row, event in enumerate(group.events):
        rows = [one for one in trace_detail(event)["signature"] if one["changed"]]
        expected = {one["path"]: one["closest"] for one in rows}
        found = {
            column["path"]: column["texts"][column["was"][column["marked"].index(row)]]
            for column in page["leaves"]
            if column["part"] != "context" and row in column["marked"]
        }
        assert found == expected
    assert leaf(page, "x")["texts"][-1] == "float32 (None, 2)"  # what the last one was compared with


def test_rows_and_columns_have_limits_and_what_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [{f"x{i}": tensor(n + i) for i in range(20)} for n in range(30)]
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    page = function_page(calls(*many))
    assert (page["rows"]["seq"], page["rows_left_out"], len(page["leaves"])) == (list(range(21, 31)), 20, 20)
    assert leaf(page, "x0")["marked"] == list(range(10))  # the first row is compared with a trace left out
    assert leaf(page, "x0")["texts"][leaf(page, "x0")["was"][0]] == "float32 (19,)"
    monkeypatch.setattr(module, "MOST_CELLS", 50)
    page = function_page(calls(*many))
    assert (len(page["leaves"]), page["leaves_left_out"]) == (5, 15)
    monkeypatch.setattr(columns_module, "_MOST_WORK", 40)
    monkeypatch.setattr(columns_module, "_FEWEST_ROWS", 3)
    page = function_page(calls(*many))
    assert (page["rows"]["seq"], page["rows_left_out"]) == ([28, 29, 30], 27)
    assert page["traces"] == 30


def test_an_argument_that_only_a_trace_left_out_had_otherwise_has_all_its_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    page = function_page(calls({"x": tensor(1)}, {"x": tensor(2)}, {"x": tensor(2)}))
    x = leaf(page, "x")
    assert (row_of(x), x["marked"]) == (["float32 (2,)", "float32 (2,)"], [0])


def test_what_one_change_would_do_and_that_there_is_none() -> None:
    advice: dict[str, Any] = {"text": "Do it.", "traces_before": 5, "traces_after": 1, "seconds_saved": 3.0}
    assert module._fix(calls({"x": tensor(1)}), [advice]) == "Do it. 5 traces → 1, 3.0 s saved."
    advice["traces_after"] = None
    assert module._fix(calls({"x": tensor(1)}), [advice]) == "Do it."
    assert module._fix(calls({"x": tensor(1)}), []) == ""


@pytest.mark.parametrize(
    ("verdict", "said"),
    [("avoidable", "how is not known"), ("unknown", "not known"), ("bounded", "There is nothing to change")],
)
def test_without_advice_the_verdicts_speak(verdict: str, said: str) -> None:
    group = calls({"x": tensor(1)}, {"x": tensor(2)})
    group.events[1].record.verdict = verdict
    assert said in module._fix(group, [])


def test_signatures_are_gone_through_once_until_there_is_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def count(traces: Any, most: int) -> Any:
        asked.append(len(traces))
        return columns_module.leaf_columns(traces, most)

    monkeypatch.setattr(module, "leaf_columns", count)
    group = calls({"x": tensor(1)}, {"x": tensor(2)}, {"x": tensor(3)})
    for events in (group.events[:2], group.events[:2], group.events, group.events):
        function_page(replace(group, events=list(events)))
    assert asked == [2, 3]


def test_costs_are_split_and_nothing_is_counted_twice(tmp_path: Any) -> None:
    recording = new_recording(tmp_path)
    outer = recording.trace("f", nested_duration_ns=100_000_000, trace_duration_ns=300_000_000)
    recording.trace(
        "f", parent_seq=outer.seq, nested=True, trace_duration_ns=100_000_000, nested_duration_ns=40_000_000
    )
    recording.trace("g", parent_seq=2, nested=True, trace_duration_ns=40_000_000)
    recording.first_call(1, 0.5, k=1)
    recording.end(60)
    group = load(tmp_path).functions[0]
    cost = function_page(group)["cost"]
    assert function_page(replace(group, events=list(group.events)))["cost"] == cost  # as the route asks
    assert cost["own_seconds"] == pytest.approx(0.26)
    assert cost["nested_seconds"] == pytest.approx(0.04)
    assert cost["first_call_seconds"] == pytest.approx(0.5)
    assert cost["lost_seconds"] == pytest.approx(0.1)


def test_failed_traces_objects_and_stale_values_are_told(tmp_path: Any) -> None:
    recording = new_recording(tmp_path)
    recording.trace("f")
    recording.trace("f", object=2, kind="recreated")
    recording.trace("f", failed=True)
    recording.stale(1, "rate", "0.1", "0.2")
    recording.trace("predict", jit_compile=True)
    recording.compilation(4, (4, 3))
    recording.compilation(4, (7, 3), seconds=0.5)
    recording.end(60)
    group, compiled = load(tmp_path).functions
    sentence = "`predict` was traced once and recompiled by XLA once: 500 ms lost."
    assert (function_page(compiled)["sentence"], function_page(compiled)["jit_compile"]) == (sentence, True)
    page = function_page(group)
    assert page["sentence"].startswith("`f` was traced twice by 2 tf.function objects; 1 trace failed")
    assert page["varied"].startswith("What varied: the tf.function object itself")
    assert page["stale"] == [{"name": "rate", "text": "graph #1 still uses 0.1; `rate` is now 0.2"}]
    assert (page["traces"], page["failed_traces"], page["objects"]) == (2, 1, 2)


def test_what_is_drawn_while_it_is_traced_is_told() -> None:
    group = calls({"x": tensor(1)})
    assert function_page(group)["drawn"] == ""
    group.function.drawn.append("random.random()")
    told = "`random.random()` is evaluated in Python while the function is traced, and not at each call"
    assert function_page(group)["drawn"].startswith(told)


def test_signatures_that_cannot_be_read_leave_the_rest() -> None:
    group = calls({"x": tensor(1)}, {"x": tensor(2)})
    node = group.events[1].record.signature.arguments[0].type
    for _ in range(70):
        node.kind = pb.TypeNode.LIST
        node = node.children.add()
    page = function_page(group)
    assert (page["leaves"], page["constant"], page["rows"]["seq"]) == ([], [], [1, 2])
    assert "nested more than 64 deep" in page["problem"]
