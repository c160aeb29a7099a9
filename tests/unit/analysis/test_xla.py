"""Compilations by XLA: counted, costed, told, and in whatever order and shape they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.pages.detail import COMPILATIONS_SHOWN, trace_detail
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.sessions.cost import total_cost
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import SECOND
from tests.support.stores import load, new_recording


def functions_of(directory: Path) -> dict[str, dict[str, Any]]:
    document = json.loads(json.dumps(report(load(directory)), allow_nan=False))
    return {f["name"]: f for session in document["sessions"] for f in session["functions"]}


def lines_of(directory: Path, everything: bool = False) -> list[str]:
    return list(report_lines(load(directory), everything, Style(colour=False)))


def test_advice_comes_when_something_was_compiled_again(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.compilation(1, (32, 3))
    store = load(tmp_path)
    (group,) = store.sessions[0].functions.values()
    assert advice_of(group) == []
    recording.compilation(1, (6, 3))
    store.add(read_logdir(str(tmp_path)))
    (found,) = advice_of(group)
    assert found.rule == "pad_for_xla"
    assert "2 compilations → 1 if it is padded so, 20 ms less" in found.evidence
    assert found.code is not None
    assert found.code.splitlines()[0] == "# the largest so far: x [32, 3]"


def test_each_compilation_is_in_the_report(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.compilation(1, (4, 3), seconds=0.5)
    recording.compilation(1, (5, 3), seconds=0.25)
    recording.compilation(1, (6, 3), failed=True)
    recording.compilation(1, (5, 3), old=(5, 3), gradient=True)
    function = functions_of(tmp_path)["train_step"]
    assert function["xla_compilations"] == 3
    first, second, failed, gradient = function["xla"]
    assert (first["seq"], first["n"], first["k"], first["step"], first["seconds"]) == (1, 1, 1, 10, 0.5)
    assert (first["shapes"], first["changes"]) == ({"x": "(4, 3)"}, [])
    assert second["changes"] == [{"cause": "shape", "path": "x", "old": "(4, 3)", "new": "(5, 3)"}]
    assert [c["failed"] for c in function["xla"]] == [False, False, True, False]
    assert (failed["k"], gradient["gradient"], gradient["changes"]) == (3, True, [])
    assert second["stack"][1]["source"] == "    predict(batch)"


def test_what_is_not_known_is_null_and_not_zero(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("plain")
    recording.trace("not_called", jit_compile=True)
    recording.trace("inner", jit_compile=True, nested=True, parent_seq=1)
    recording.trace("both", jit_compile=True, nested=True, parent_seq=1)
    recording.compilation(4)
    recording.trace("only_failed", jit_compile=True)
    recording.compilation(5, failed=True)
    recording.trace("from_elsewhere")
    recording.compilation(6)
    functions = functions_of(tmp_path)
    assert {name: f["xla_compilations"] for name, f in functions.items()} == {
        "plain": None, "not_called": 0, "inner": None, "both": 1, "only_failed": 0, "from_elsewhere": 1,
    }  # fmt: skip
    assert {name for name, f in functions.items() if f["hidden_compilations"]} == {"inner", "both"}
    hidden = "  XLA's compilations of a function inside another function's graph are not seen: inner and both."
    assert lines_of(tmp_path).count(hidden) == 1


def test_the_step_of_a_model_is_said_to_be_compiled_for_each_size_of_a_batch(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("multi_step_on_iterator")
    for name in ("one_step_on_data", "own"):
        step = recording.trace(name, write=False, jit_compile=True, nested=True, parent_seq=1)
        if name != "own":
            step.function.library, step.function.file = True, "/site-packages/keras/src/backend/tensorflow/trainer.py"
        recording.write(step)
    (told,) = [line for line in lines_of(tmp_path) if "are not seen" in line]
    assert told.endswith(
        ": the step that `fit` runs on a batch and own. XLA compiles a step for each size of a batch: where all are of"
        " one size, once."
    )


def test_inside_a_graph_that_xla_compiles_it_is_a_part_of_that(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("outer", jit_compile=True)
    recording.trace("between", nested=True, parent_seq=1)
    recording.trace("inner", jit_compile=True, nested=True, parent_seq=2)
    recording.trace("circle", jit_compile=True, nested=True, parent_seq=4)
    hidden = {name: f["hidden_compilations"] for name, f in functions_of(tmp_path).items()}
    assert hidden == {"outer": False, "between": False, "inner": False, "circle": True}


def test_only_recompilations_for_new_shapes_are_lost_time(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True, trace_duration_ns=SECOND, first_calls=[pb.FirstCall(seq=1, duration_ns=SECOND)])
    recording.compilation(1, (4, 3), seconds=1)  # the first call itself
    recording.compilation(1, (4, 3), seconds=1, gradient=True)
    recording.compilation(1, (5, 3), seconds=1)
    recording.compilation(1, (6, 3), seconds=2, failed=True)
    recording.compilation(1, (7, 3), seconds=-4)
    recording.end(30)
    store = load(tmp_path)
    cost = total_cost(store.sessions[0].events.values())
    assert (cost.first_call_ns, cost.recompilation_ns, cost.lost_ns, cost.avoidable_ns) == (
        SECOND,
        3 * SECOND,
        3 * SECOND,
        0,
    )
    summary = summarize(store.sessions)
    expected = "`train_step` was recompiled by XLA twice for new shapes of `x`: 3.0 s lost, 10 % of the run."
    assert (summary.sentence, summary.detail, summary.recompilations) == (expected, "", 2)


def test_values_that_xla_needs(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    for k, n in enumerate((4, 5, 7)):
        record = recording.compilation(1, (4, 3), seconds=1, write=False)
        record.values.add(path="n", text=str(n))
        if k:
            record.changes.add(cause="value", path="n", old="4", new=str(n))
        recording.file.write(tags.xla_tag(recording.id, k + 1), record, record.time_ns)
    recording.compilation(1, (5, 3), seconds=0.5)
    recording.trace(jit_compile=True, trace_duration_ns=SECOND // 2)
    recording.end(30)
    summary = summarize(load(tmp_path).sessions)
    assert summary.sentence.endswith(
        "recompiled by XLA 3 times for new shapes of `x` and values of `n`: 3.0 s lost, 10 % of the run."
    )
    assert summary.detail.startswith("67 % by XLA compiling for new values of `n`.")
    lines = lines_of(tmp_path)
    assert "    compiled by XLA twice without a trace: value of `n` 4 → 5, 7  1.0 s each" in lines
    second = functions_of(tmp_path)["train_step"]["xla"][1]
    assert (second["values"], second["changes"]) == (
        {"n": "5"}, [{"cause": "value", "path": "n", "old": "4", "new": "5"}],
    )  # fmt: skip


def test_a_retraced_function_that_recompiles_says_both(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.trace(jit_compile=True, trace_duration_ns=SECOND)
    for size in range(4):
        recording.compilation(2, (size, 3), seconds=1)
    recording.end(100)
    summary = summarize(load(tmp_path).sessions)
    assert summary.sentence == (
        "`train_step` was traced twice and recompiled by XLA 3 times for new shapes of `x`: 4.0 s lost, 4 % of the run."
    )
    assert summary.detail.startswith("75 % by XLA compiling for new shapes of `x`.")


def test_several_functions(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for _ in range(2):
        recording.trace("again", trace_duration_ns=SECOND)
    for name in ("f", "g"):
        seq = recording.trace(name, jit_compile=True).seq
        for size in range(3):
            recording.compilation(seq, (size,), path=name.upper(), seconds=2)
    recording.end(90)
    summary = summarize(load(tmp_path).sessions)
    assert summary.sentence == (
        "`again` was traced twice, and 2 functions were recompiled by XLA, 4 times in all: 9.0 s lost, 10 % of the run."
    )
    assert summary.detail.startswith("Most of it: `f` was recompiled by XLA twice for new shapes of `F`, 4.0 s lost.")


def test_a_function_traced_once_is_told_if_it_recompiles(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("predict", jit_compile=True)
    recording.trace("quiet")
    for size in range(4, 11):
        recording.compilation(1, (size, 3), seconds=0.018)
    lines = lines_of(tmp_path)
    assert "  1 trace, 7 XLA compilations · tracing 200 ms, 108 ms lost to recompilations" in lines
    line = "    compiled by XLA 6 times without a trace: `x` (4, 3) → (5, 3), (6, 3), (7, 3), (8, 3) …  18 ms each"
    assert lines[lines.index(line) + 1] == "          called from /home/user/train.py:57   predict(batch)"
    assert any(line.endswith(": quiet.") for line in lines)
    everything = lines_of(tmp_path, everything=True)
    assert "    graph #1 was compiled by XLA a 2nd time at step 11 for `x` (4, 3) → (5, 3). 18 ms" in everything
    assert sum("was compiled by XLA a" in line for line in everything) == 6


def test_giant_records_are_cut_short(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("`x\x1b" * 3, jit_compile=True)
    recording.compilation(1)
    giant = recording.compilation(1, (1,), write=False)
    for number in range(5000):
        giant.shapes.add(path=f"{number}\x1b`", dims=[-(2**60), 2**60])
        giant.changes.add(cause="shape", path=f"{number}\x1b`", old="o" * 50, new="n" * 50)
    recording.file.write(tags.xla_tag(recording.id, 2), giant, giant.time_ns)
    for line in lines_of(tmp_path) + lines_of(tmp_path, everything=True):
        assert len(line) < 1000
        assert "\x1b" not in line
    (function,) = functions_of(tmp_path).values()
    shown = function["xla"][1]
    assert (len(shown["shapes"]), len(shown["changes"]), shown["shapes_left_out"]) == (200, 200, 4801)


def test_a_compilation_of_a_trace_that_is_not_there_shows_when_it_comes(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(write=False, jit_compile=True)
    recording.compilation(1)
    recording.compilation(1, (7, 3))
    recording.compilation(99)
    recording.stale(1, "rate", "1", "2")
    store = load(tmp_path)
    digest = Digest(store)
    before = digest.answer(None, 0)
    assert (before["recompilations"]["seq"], before["traces"]["seq"]) == ([], [])
    assert report(store)["sessions"][0]["functions"] == []
    recording.write(recording.traces[0])
    store.add(read_logdir(str(tmp_path)))
    after = digest.answer(store.generation, before["revision"])
    assert {name: column[0] for name, column in after["recompilations"].items()} == {
        "session": 0, "seq": 1, "k": 2, "step": 11, "start_us": 1_400_000, "us": 20_000,
        "change": "x: shape (32, 10) → (7, 3)", "failed": False,
    }  # fmt: skip
    assert [after["traces"][name] for name in ("recompilations", "recompilation_us", "stale")] == [[1], [20_000], [1]]
    (function,) = after["functions"]
    assert (function["xla_compilations"], function["recompilations"], function["stale"]) == (2, 1, ["rate"])


def test_a_digest_carries_new_compilations_only_and_updates_their_trace(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.trace("other")
    for size in (3, 4):
        recording.compilation(1, (size,))
    store = load(tmp_path)
    digest = Digest(store)
    revision = digest.answer(None, 0)["revision"]
    store.add(read_logdir(str(tmp_path)))
    assert store.revision == revision
    recording.compilation(1, (5,))
    store.add(read_logdir(str(tmp_path)))
    later = digest.answer(store.generation, revision)
    assert (later["traces"]["seq"], later["recompilations"]["k"]) == ([1], [3])


def test_a_start_that_arrives_late_moves_compilations(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    for size in (3, 4):
        recording.compilation(1, (size,))
    items = list(read_logdir(str(tmp_path)))
    store = Store()
    store.add(i for i in items if isinstance(i, Record) and i.tag.kind != "session")
    digest = Digest(store)
    assert digest.answer(None, 0)["recompilations"]["start_us"] == [400_000]
    store.add(items)
    assert digest.answer(store.generation, 1)["recompilations"]["start_us"] == [1_400_000]


def test_two_different_records_of_one_compilation_are_told(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.compilation(1)
    recording.compilation(1, (9, 9), k=1)
    store = load(tmp_path)
    assert ["compilation 1 of trace 1 was recorded twice" in p.text for p in store.problems] == [True]
    assert functions_of(tmp_path)["train_step"]["xla_compilations"] == 1


def test_a_trace_with_very_many_compilations_shows_the_latest(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    for size in range(COMPILATIONS_SHOWN + 5):
        recording.compilation(1, (size, 3))
    detail = trace_detail(load(tmp_path).sessions[0].events[1])
    assert detail["xla_compilations"] == COMPILATIONS_SHOWN + 5
    assert [detail["xla"][0]["k"], detail["xla"][-1]["k"]] == [6, COMPILATIONS_SHOWN + 5]


def test_the_overview_tells_what_was_new_at_once(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.compilation(1, (4, 3))
    again = recording.compilation(1, (5, 3), write=False)
    for name in ("n", "m"):
        again.changes.add(cause="value", path=name, old="1", new="2")
    recording.file.write(tags.xla_tag(recording.id, 2), again, again.time_ns)
    answer = Digest(load(tmp_path)).answer(None, 0)
    assert answer["recompilations"]["change"] == ["x: shape (4, 3) → (5, 3); n: value 1 → 2 and 1 more"]
