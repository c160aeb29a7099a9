from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tb_retrace_plugin.analysis.pages.detail import trace_detail
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import Recording
from tests.support.stores import load, new_recording


def detail_of(directory: Path, seq: int) -> dict[str, Any]:
    detail = trace_detail(load(directory).sessions[0].events[seq])
    document: dict[str, Any] = json.loads(json.dumps(detail, allow_nan=False))
    return document


def add_argument(trace: pb.Trace, path: str, value: str) -> None:
    argument = trace.signature.arguments.add(path=path)
    argument.type.kind = pb.TypeNode.LITERAL
    argument.type.value = value


def test_a_retrace_in_full(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(32, 10))
    recording.trace(shape=(7, 10), graph_omitted="it has more than 100 nodes", graph_attributes_dropped=2)
    detail = detail_of(tmp_path, 2)
    assert set(detail) == {
        "session", "run", "function", "event", "sentence", "kind_text", "evidence", "closest", "signature", "context",
        "traced_signature", "stack", "stack_frames_left_out", "graph", "memory", "thread", "reduce_retracing",
        "jit_compile", "cached_before", "xla_compilations", "xla", "stale", "advice", "previous_same_cause",
        "next_same_cause",
    }  # fmt: skip
    assert (
        detail["sentence"] == "`train_step` was traced again at step 20 because `x` changed shape: (32, 10) → (7, 10)."
    )
    assert detail["kind_text"].startswith("the same tf.function object")
    assert detail["closest"] == {"seq": 1, "n": 1}
    assert detail["signature"] == [
        {"path": "x", "now": "float32 (7, 10)", "closest": "float32 (32, 10)", "changed": True, "cause": "shape"},
        {"path": "training", "now": "True", "closest": "True", "changed": False, "cause": None},
    ]
    assert detail["context"] == {"device": "/cpu:0"}
    assert [frame["user"] for frame in detail["stack"]] == [False, True, True]
    assert detail["stack_frames_left_out"] == 3
    assert detail["graph"] == {
        "nodes": 120, "bytes": 9000, "sha256": None, "omitted": "it has more than 100 nodes", "attributes_dropped": 2,
    }  # fmt: skip
    assert detail["memory"] == {"before_bytes": 100_000_000, "after_bytes": 104_000_000}
    assert detail["cached_before"] == 1


def test_a_first_trace_is_compared_with_nothing(tmp_path: Path) -> None:
    new_recording(tmp_path).trace()
    detail = detail_of(tmp_path, 1)
    assert detail["closest"] is None
    assert [row["closest"] for row in detail["signature"]] == [None, None]
    assert not any(row["changed"] for row in detail["signature"])


def test_what_came_and_what_went_are_rows(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    first = recording.trace(write=False)
    add_argument(first, "data['old']", "1")
    recording.write(first)
    changes = [pb.Change(cause="structure", path="data['new']", old="no such key", new="2")]
    second = recording.trace(write=False, changes=changes)
    add_argument(second, "data['new']", "2")
    recording.write(second)
    rows = {row["path"]: row for row in detail_of(tmp_path, 2)["signature"]}
    assert rows["data['new']"] == {
        "path": "data['new']", "now": "2", "closest": "not there", "changed": True, "cause": "structure",
    }  # fmt: skip
    assert (rows["data['old']"]["now"], rows["data['old']"]["closest"]) == ("not there", "1")


def test_a_change_of_a_container_marks_its_leaves_and_no_namesake(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for length in (1, 2):
        changes = [pb.Change(cause="structure", path="history")] if length == 2 else []
        trace = recording.trace(write=False, changes=changes)
        for index in range(length):
            add_argument(trace, f"history[{index}]", "0")
        add_argument(trace, "history_length", "5")
        recording.write(trace)
    causes = {row["path"]: row["cause"] for row in detail_of(tmp_path, 2)["signature"]}
    assert causes["history[0]"] == causes["history[1]"] == "structure"
    assert causes["history_length"] is None


def test_a_generalized_trace_shows_what_was_traced_and_later_ones_compare_with_that(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    wide = recording.trace(shape=(7, 10), generalized=True, write=False)
    argument = wide.traced_signature.arguments.add(path="x")
    argument.type.CopyFrom(wide.signature.arguments[0].type)
    argument.type.shape[0] = -1
    recording.write(wide)
    recording.trace(shape=(7, 11))
    assert detail_of(tmp_path, 1)["traced_signature"] == [{"path": "x", "type": "float32 (None, 10)"}]
    later = detail_of(tmp_path, 2)
    assert later["traced_signature"] == []
    assert later["signature"][0]["closest"] == "float32 (None, 10)"


def test_neighbours_have_the_same_cause_and_path_in_the_same_function(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()  # 1
    recording.trace()  # 2: shape of x
    recording.trace(changes=[pb.Change(cause="python_value", path="x")])  # 3
    recording.trace("other")  # 4
    recording.trace("other")  # 5: shape of x, of another function
    recording.trace()  # 6: shape of x
    neighbours = {
        seq: (detail["previous_same_cause"], detail["next_same_cause"])
        for seq in (1, 2, 3, 5, 6)
        if (detail := detail_of(tmp_path, seq))
    }
    assert neighbours == {1: (None, None), 2: (None, 6), 3: (None, None), 5: (None, None), 6: (2, None)}


def test_what_is_not_known_is_null(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(memory_before_bytes=0, memory_after_bytes=0, stack_id="lost", closest_seq=99, kind="of the future")
    detail = detail_of(tmp_path, 1)
    assert detail["memory"] == {"before_bytes": None, "after_bytes": None}
    assert detail["stack"] == []
    assert detail["closest"] is None
    assert detail["kind_text"] == ""


def test_a_signature_deeper_than_any_real_one_leaves_the_rest_readable(tmp_path: Path) -> None:
    recording: Recording = new_recording(tmp_path)
    trace = recording.trace(write=False)
    node = trace.signature.arguments.add(path="deep").type
    for _ in range(80):
        node.kind = pb.TypeNode.LIST
        node = node.children.add()
    recording.write(trace)
    detail = detail_of(tmp_path, 1)
    assert [row["now"] for row in detail["signature"]] == ["nested too deeply to be shown"]
    assert detail["sentence"].startswith("`train_step` was traced")
