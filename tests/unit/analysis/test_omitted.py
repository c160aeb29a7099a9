"""Traces that were counted and not recorded one by one: what is said of them everywhere, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.analysis.budgets.budget import read_budget
from tb_retrace_plugin.analysis.budgets.judge_budget import Judgement, judge
from tb_retrace_plugin.analysis.budgets.write_budget import budget_text
from tb_retrace_plugin.analysis.exports.chrome_trace import chrome_trace
from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.exports.traces_csv import traces_csv
from tb_retrace_plugin.analysis.pages.compare_runs import compare_runs
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.pages.function_page import function_page
from tb_retrace_plugin.analysis.pages.what_if import Change, what_if
from tb_retrace_plugin.analysis.sessions.notices import notices
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style
from tb_retrace_plugin.events.files import read_logdir
from tests.support.logdirs import Recording
from tests.support.stores import load, new_recording


def begun(folder: Path, **fields: Any) -> Recording:
    """`train_step` first at step 10, retraced at 20 and 30 by the shape of `x`; 97 more are counted, 0.2 s each."""
    recording = new_recording(folder)
    for n in (1, 2, 3):
        last = recording.trace(shape=(n, 10), **fields)
    recording.omit(97, last, first_calls=10)
    return recording


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    begun(tmp_path).end(3600)
    return tmp_path


def judged(folder: Path, **tables: Any) -> Judgement:
    judgement = judge(load(folder).sessions, read_budget(tables))
    json.dumps(judgement.to_json(), allow_nan=False)
    return judgement


# --- budgets ---


@pytest.mark.parametrize(
    ("limits", "findings"),
    [
        ({"traces": 100, "retraces": 99, "avoidable_seconds": 20.9, "causes": ["shape"]}, []),
        ({"traces": 99}, [("traces", 100)]),
        ({"retraces": 98}, [("retraces", 99)]),
        # (2 + 97) x 0.2 s of tracing, 10 x 0.1 s of first executions
        ({"avoidable_seconds": 20.7}, [("avoidable_seconds", 20.8)]),
        ({"causes": ["dtype"]}, [("causes", ["shape"])]),
    ],
)
@pytest.mark.parametrize("table", ["function", "all"])
def test_counted_traces_are_judged_exactly(
    limits: dict[str, Any], findings: list[tuple[str, Any]], table: str, folder: Path
) -> None:
    judgement = judged(folder, **({"all": limits} if table == "all" else {"functions": {"train_step": limits}}))
    (one,) = judgement.judged
    assert [(found.limit, pytest.approx(found.measured)) for found in one.findings] == findings
    assert (judgement.result, judgement.unsure, one.traces) == ("over" if findings else "within", [], 100)


def test_counted_failures_are_failures(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.omit(5, recording.trace(failed=True))
    recording.end(60)
    (one,) = judged(tmp_path, functions={"train_step": {"failed_traces": 5}}).judged
    assert [(found.limit, found.measured) for found in one.findings] == [("failed_traces", 6)]
    assert judged(tmp_path, functions={"train_step": {"failed_traces": 6, "traces": 1}}).result == "within"


def test_over_budget_says_how_many_of_them_are_told(folder: Path) -> None:
    (one,) = judged(folder, functions={"train_step": {"traces": 1, "causes": []}}).judged
    assert [found.text.partition(") ")[2] for found in one.findings] == [
        "was traced 100 times; 1 allowed.",
        "was traced again for shape (99 times); no cause is allowed.",
    ]
    lines = one.findings[0].explanation
    assert "  … and 97 traces like others of it, counted and not recorded one by one" in lines
    assert "        3 recorded traces → 2" in lines
    (together,) = judged(folder, all={"traces": 1}).judged
    assert "train.py" in together.findings[0].explanation[0]
    assert together.findings[0].explanation[0].endswith(": 99 retraces")


def test_causes_beside_the_first_are_not_counted(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    both = recording.trace(write=False)
    both.changes.add(cause="dtype", path="y", old="float32", new="float64")
    recording.write(both)
    recording.omit(5, both)
    recording.end(60)
    (one,) = judged(tmp_path, functions={"train_step": {"causes": []}}).judged
    assert "shape (at least 6 times) and dtype (at least once)" in one.findings[0].text


def test_after_a_warm_up_only_what_has_a_step_is_certain(folder: Path) -> None:
    def result(**limits: Any) -> tuple[str, list[Any], list[str]]:
        judgement = judged(folder, warm_up_steps=20, functions={"train_step": limits})
        return judgement.result, [found.measured for found in judgement.judged[0].findings], judgement.unsure

    assert result(traces=99) == ("within", [], [])  # even if all of them came later
    assert result(traces=1) == ("over", [2], [])
    word, measured, unsure = result(traces=50)
    assert (word, measured) == ("unjudged", [])
    assert unsure == [
        "fit/retrace: 97 repetitive traces counted, not recorded one by one: how many of them came after the warm-up is"
        " not known, and with all of them `traces` would be passed."
    ]
    (one,) = judged(folder, warm_up_steps=20, functions={"train_step": {"traces": 1}}).judged
    assert "was traced at least twice after 20 steps of warm-up; 1 allowed." in one.findings[0].text


@pytest.mark.parametrize(("shape", "known"), [((32, 10), True), ((-1, 10), False)])
def test_what_xla_did_with_them_is_not_recorded(shape: tuple[int, ...], known: bool, tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for _ in range(2):
        last = recording.trace(shape=shape, jit_compile=True)
    recording.omit(5, last)
    recording.end(60)
    judgement = judged(tmp_path, functions={"train_step": {"recompilations": 0}})
    assert judgement.result == ("within" if known else "unjudged")
    assert len(judgement.unsure) == (0 if known else 1)
    assert judged(tmp_path, functions={"train_step": {"traces": 7}}).result == "within"


def test_counts_without_any_trace_of_the_function_are_a_doubt(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    other = recording.trace("other")
    lost = recording.trace("train_step", write=False)
    recording.traces.remove(lost)
    recording.omit(5, lost)
    recording.end(60)
    judgement = judged(tmp_path, functions={other.function.name: {"traces": 1}})
    assert judgement.unsure == ["fit/retrace: 5 traces of functions of which none is recorded."]


def test_one_notice_says_what_is_counted_only(tmp_path: Path) -> None:
    recording = begun(tmp_path)
    recording.omit(1000, recording.trace("evaluate"))
    gone = recording.trace("gone", write=False)
    recording.traces.remove(gone)
    recording.omit(2, gone)
    recording.end(3600)
    assert [problem.text for problem in notices(load(tmp_path))] == [
        "fit/retrace: 1,097 traces like others that are shown (1,000 of `evaluate` and 97 of `train_step`) were counted"
        " and not recorded one by one: all totals are exact, lists and timelines show a part.",
        "fit/retrace: 2 traces of functions of which none is recorded; counts and costs are too low by that.",
    ]


def test_a_written_budget_holds_for_its_own_recording(folder: Path) -> None:
    text = budget_text(load(folder).sessions)
    assert "traces = 100\n" in text
    assert "avoidable_seconds = 42.0  # measured: 21.0" in text
    late = budget_text(load(folder).sessions, warm_up_steps=25)
    assert "# Of 97 traces no step is recorded: counted here as later ones.\n" in late
    assert "traces = 98\n" in late
    assert judged(folder, warm_up_steps=25, functions={"train_step": {"traces": 98}}).result == "within"


# --- what is shown ---


def test_runs_are_compared_with_all_that_was_counted(folder: Path, tmp_path: Path) -> None:
    before = load(folder)
    after = new_recording(tmp_path / "after", "session-2")
    after.trace()
    after.end(60)
    found = compare_runs(before.sessions, load(tmp_path / "after").sessions)
    assert found["sentence"].startswith("`train_step` was traced 100 times and is now traced once: 21 s lost")
    assert found["notices"] == []
    (row,) = found["functions"]
    assert (row["a"]["traces"], row["a"]["retraces"], row["a"]["causes"]) == (100, 99, {"shape": 99})
    assert (found["a"]["traces"], found["a"]["seconds_lost"]) == (100, pytest.approx(20.8))
    assert row["a"]["avoidable_seconds"] == pytest.approx(20.8)


def test_advice_says_of_which_traces_its_numbers_are(folder: Path) -> None:
    (session,) = report(load(folder))["sessions"]
    (function,) = session["functions"]
    assert (function["traces"], function["omitted_traces"], len(function["events"])) == (100, 97, 3)
    for advice in function["advice"]:
        assert (advice["traces_before"], advice["traces_not_tried"]) == (3, 97)
        assert advice["evidence"].endswith(" Of 100 traces 3 were recorded one by one: numbers are of these alone.")
        assert advice["seconds_saved"] == pytest.approx(
            {"input_signature": 0.4, "reduce_retracing": 0.2}[advice["rule"]]
        )


def test_numbers_in_advice_are_at_least(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for step in range(4):
        trace = recording.trace(write=False)
        argument = trace.signature.arguments.add(path="step")
        argument.type.CopyFrom(trace.signature.arguments[1].type)
        argument.type.type_name, argument.type.value = "int", str(step)
        if step:
            del trace.changes[:]
            trace.changes.add(cause="python_value", path="step", old=str(step - 1), new=str(step))
        recording.write(trace)
    recording.omit(9, trace)
    recording.end(60)
    (advice, *_) = report(load(tmp_path))["sessions"][0]["functions"][0]["advice"]
    assert "of the Python number `step` (at least 4 values so far)." in advice["text"]


def test_objects_that_were_compared_with_others_that_are_not_recorded(tmp_path: Path) -> None:
    """Each is like the one before, of which most are counted only: how many traces remain cannot be replayed."""

    def evidence(folder: Path, closest_seq: int) -> tuple[int | None, str]:
        recording = new_recording(folder, folder.name)
        for number in (1, 2, 3):
            last = recording.trace(object=number, write=False, evidence="It has the same graph and captures.")
            if number > 1:
                last.kind, last.closest_seq = "recreated", closest_seq if number == 3 else 1
                del last.changes[:]
                last.changes.add(cause="recreated_function", old="object 1", new=f"object {number}")
            recording.write(last)
        recording.omit(97, last)
        recording.end(600)
        (advice, *_) = report(load(folder))["sessions"][0]["functions"][0]["advice"]
        assert advice["rule"] == "create_function_once"
        return advice["traces_after"], advice["evidence"]

    assert evidence(tmp_path / "recorded", closest_seq=2)[0] == 1
    remaining, why = evidence(tmp_path / "counted", closest_seq=50)
    assert remaining is None
    assert why.startswith("Not replayed: traces that these were compared with")


def test_what_is_nested_in_counted_retraces_is_lost_once(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("outer")
    recording.trace("inner", parent_seq=1, nested=True)
    outer = recording.trace("outer")
    recording.omit(5, outer)
    recording.trace("inner", shape=(2, 2), parent_seq=6, nested=True)  # 4 to 8 are counted only
    recording.end(60)
    store = load(tmp_path)
    assert summarize(store.sessions).seconds_lost == pytest.approx(6 * 0.2)


def test_the_page_of_a_function(folder: Path) -> None:
    page = function_page(load(folder).functions[0])
    assert page["sentence"] == (
        "`train_step` was traced 100 times: 21 s lost. 3 traces were recorded one by one, the others were counted."
    )
    assert page["varied"] == "What varied in the recorded traces: `x` (3 shapes)."
    assert "3 recorded traces → 1, 400 ms saved." in page["fix"]
    assert (page["omitted_traces"], page["rows_left_out"], len(page["rows"]["seq"])) == (97, 0, 3)


def test_time_of_other_functions_within_counted_traces(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    last = recording.trace(nested_duration_ns=50_000_000)
    sums = recording.omit(10, last)
    sums.nested_duration_ns = 500_000_000
    recording.omit(10, last)  # writes all counts so far again
    recording.end(60)
    cost = function_page(load(tmp_path).functions[0])["cost"]
    assert (cost["own_seconds"], cost["nested_seconds"]) == (pytest.approx(0.15 + 1.5 + 2), pytest.approx(0.55))


def test_a_change_is_asked_of_the_recorded_traces(folder: Path) -> None:
    answer = what_if(load(folder).functions[0], Change(reduce_retracing=True))
    assert answer["sentence"].startswith("`train_step` was traced 3 times in what is recorded one by one; with ")
    assert answer["caveats"][-1] == "Of 100 traces 3 were recorded one by one: numbers are of these alone."


def test_objects_are_told_by_the_highest_number(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in (1, 2, 90):
        last = recording.trace(object=number, kind="recreated" if number > 1 else "first")
    recording.omit(200, last)
    recording.trace("damaged", object=1)
    recording.omit(3, recording.trace("damaged", object=10**15))
    recording.end(60)
    store = load(tmp_path)
    train_step, damaged = store.functions
    assert (train_step.objects, damaged.objects) == (90, 5)  # no more than there were traces
    assert "by at least 90 tf.function objects" in function_page(train_step)["sentence"]


def test_the_text_report_orders_by_all_that_was_lost(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("slow")
    recording.trace("slow", trace_duration_ns=5_000_000_000)
    recording.trace("many")
    recording.omit(97, recording.trace("many"))
    recording.end(3600)
    lines = list(report_lines(load(tmp_path), everything=False, style=Style(False)))
    names = [line.split()[0] for line in lines if "train.py:" in line and not line.startswith("   ")]
    assert names == ["many", "slow"]
    assert "    … and 97 traces like these, counted and not recorded one by one (19 s lost)" in lines


def test_stale_values_are_of_the_graphs_that_are_recorded(tmp_path: Path) -> None:
    recording = begun(tmp_path)
    for seq in (1, 2, 3):
        recording.stale(seq, "scale", "10", "100")
    recording.end(3600)
    (stale,) = function_page(load(tmp_path).functions[0])["stale"]
    assert stale["text"] == "all 3 recorded graphs still use 10; `scale` is now 100"


def test_exports_hold_what_is_recorded_and_the_timeline_says_so(folder: Path) -> None:
    sessions = load(folder).sessions
    assert len(list(traces_csv(sessions))) == 1 + 3
    about = json.loads("".join(chrome_trace(sessions)))["otherData"]
    assert about["traces counted and not recorded one by one, not shown"] == "97"


def test_new_counts_alone_are_news(tmp_path: Path) -> None:
    """The overview of a function is sent again although no trace of it was recorded since."""
    recording = begun(tmp_path)
    store = Store()
    digest = Digest(store)
    store.add(read_logdir(str(tmp_path)))
    first = digest.answer(None, 0)
    assert [(f["traces"], f["omitted_traces"]) for f in first["functions"]] == [(100, 97)]
    recording.omit(1000, recording.traces[-1])
    store.add(read_logdir(str(tmp_path)))
    news = digest.answer(first["generation"], first["revision"])
    assert [(f["traces"], f["omitted_traces"]) for f in news["functions"]] == [(1100, 1097)]
    assert news["summary"]["traces"] == 1100 == summarize(store.sessions).traces
    recording.end(3600)
