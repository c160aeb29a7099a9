"""Budgets: read with helpful errors, judged, and written from a recording."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tb_retrace_plugin.analysis.budgets import budget
from tb_retrace_plugin.analysis.budgets.budget import Budget, BudgetError, Limits, load_budget, read_budget
from tb_retrace_plugin.analysis.budgets.judge_budget import Judgement, judge
from tb_retrace_plugin.analysis.budgets.write_budget import budget_text
from tests.support.logdirs import SECOND
from tests.support.stores import load, new_recording

# --- reading ---


def test_all_that_a_budget_can_say(tmp_path: Path) -> None:
    (tmp_path / "retrace.toml").write_text(
        """
        warm_up_steps = 10
        [all]
        avoidable_seconds = 1.5
        [default]
        retraces = 0
        [functions.train_step]
        traces = 2
        failed_traces = 1
        recompilations = 3
        causes = ["shape", "dtype"]
        [functions."model.py:Model.call"]
        traces = 1
        """
    )
    assert load_budget(str(tmp_path / "retrace.toml")) == Budget(
        functions={
            "train_step": Limits(traces=2, failed_traces=1, recompilations=3, causes=("shape", "dtype")),
            "model.py:Model.call": Limits(traces=1),
        },
        default=Limits(retraces=0),
        all=Limits(failed_traces=None, avoidable_seconds=1.5),
        warm_up_steps=10,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "limits nothing. Give [all], [default] or [functions.NAME]"),
        ("warmup = 3", "`warmup` is not known here. Allowed are warm_up_steps, all, default, functions."),
        ("warm_up_steps = -1", "`warm_up_steps` is -1; a whole number from 0 on is allowed."),
        ("warm_up_steps = true", "`warm_up_steps` is True"),
        ("functions = 3", "`functions` is 3; tables such as [functions.train_step]"),
        ("[functions]\nf = 3", "`functions.f` is 3; a table with some of traces, retraces"),
        ("[functions.f]", "`functions.f` limits nothing. Allowed are traces"),
        ("[default]\ntrace = 3", "`default.trace` is not known here. Allowed are traces, retraces"),
        ("[all]\ntraces = 1.5", "`all.traces` is 1.5; a whole number"),
        ("[all]\ntraces = '3'", "`all.traces` is '3'; a whole number"),
        ("[all]\navoidable_seconds = -1", "`all.avoidable_seconds` is -1; a number of seconds from 0 on"),
        ("[all]\navoidable_seconds = nan", "`all.avoidable_seconds` is nan"),
        ("[all]\navoidable_seconds = inf", "`all.avoidable_seconds` is inf"),
        ("[all]\ncauses = 'shape'", "`all.causes` is 'shape'; a list such as [\"shape\"]"),
        ("[all]\ncauses = ['shapes']", "`all.causes` has 'shapes'; allowed are shape, rank, dtype"),
        ("[all]\ncauses = [1]", "`all.causes` has 1"),
        ("all = 1\nall = 2", "is not TOML"),
        ("[all\n", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "retrace.toml"
    path.write_text(text)
    with pytest.raises(BudgetError, match=re.escape(said)) as raised:
        load_budget(str(path))
    assert str(raised.value).startswith(str(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BudgetError, match=r"cannot read .*nowhere\.toml: No such file"):
        load_budget(str(tmp_path / "nowhere.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BudgetError, match="is not TOML"):
        load_budget(str(tmp_path / "binary.toml"))


def test_python_3_10_reads_it_with_tomli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(file: Any) -> dict[str, Any]:
        return {"all": {"traces": int(file.read())}}

    tomli = SimpleNamespace(load=loads, TOMLDecodeError=ValueError)
    monkeypatch.setattr(budget, "sys", SimpleNamespace(version_info=(3, 10)))
    monkeypatch.setitem(sys.modules, "tomli", tomli)
    (tmp_path / "retrace.toml").write_text("7")
    assert load_budget(str(tmp_path / "retrace.toml")).all == Limits(traces=7, failed_traces=None)


# --- judging ---


def recorded(folder: Path, **end: Any) -> Path:
    """`train_step` at steps 10 (first), 20 and 30 (shape), `evaluate` once at 40, `fit` of a library twice."""
    recording = new_recording(folder)
    for n in (1, 2, 3):
        recording.trace(shape=(n, 10))
    recording.trace("evaluate")
    for n in (1, 2):
        trace = recording.trace("fit", shape=(n, 2), write=False)
        trace.function.library = True
        recording.write(trace)
    recording.end(60, **end)
    return folder


def judged(folder: Path, **tables: Any) -> Judgement:
    store = load(folder)
    judgement = judge(store.sessions, read_budget(tables), store.problems)
    json.dumps(judgement.to_json(), allow_nan=False)
    return judgement


def found(judgement: Judgement) -> list[tuple[str, str, Any, Any]]:
    return [
        (one.function.name if one.function is not None else "*", f.limit, f.allowed, f.measured)
        for one in judgement.judged
        for f in one.findings
    ]


@pytest.mark.parametrize(
    ("tables", "findings"),
    [
        ({"functions": {"train_step": {"traces": 3}}}, []),
        ({"functions": {"train_step": {"traces": 2}}}, [("train_step", "traces", 2, 3)]),
        ({"functions": {"train.py:train_step": {"retraces": 1}}}, [("train_step", "retraces", 1, 2)]),
        ({"functions": {"Trainer.train_step": {"causes": ["shape"]}}}, []),
        ({"functions": {"train_step": {"causes": ["dtype"]}}}, [("train_step", "causes", ["dtype"], ["shape"])]),
        ({"functions": {"train_step": {"avoidable_seconds": 0.4}}}, []),
        ({"functions": {"fit": {"traces": 1}}}, [("fit", "traces", 1, 2)]),
        # for functions of the user's alone that have no entry
        ({"default": {"retraces": 0}}, [("train_step", "retraces", 0, 2)]),
        ({"default": {"retraces": 0}, "functions": {"train_step": {"traces": 9}}}, []),
        # with those of libraries
        ({"all": {"retraces": 2}}, [("*", "retraces", 2, 3)]),
        ({"all": {"traces": 6, "retraces": 3}}, []),
        # traces before step 20 are free: the first one is
        ({"warm_up_steps": 20, "functions": {"train_step": {"traces": 2}}}, []),
        ({"warm_up_steps": 21, "functions": {"train_step": {"traces": 0}}}, [("train_step", "traces", 0, 1)]),
        ({"warm_up_steps": 31, "functions": {"train_step": {"traces": 0, "causes": []}}}, []),
    ],
)
def test_limits(tables: dict[str, Any], findings: list[Any], tmp_path: Path) -> None:
    judgement = judged(recorded(tmp_path), **tables)
    assert found(judgement) == findings
    assert judgement.result == ("over" if findings else "within")
    assert (judgement.unsure, judgement.notes) == ([], [])


def test_seconds(tmp_path: Path) -> None:
    (finding,) = found(judged(recorded(tmp_path), all={"avoidable_seconds": 0.5}))
    assert finding == ("*", "avoidable_seconds", 0.5, pytest.approx(0.6))


def test_failed_traces_are_over_unless_they_are_allowed(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(failed=True)
    recording.end(9)
    assert found(judged(tmp_path, default={"traces": 1})) == [("train_step", "failed_traces", 0, 1)]
    assert found(judged(tmp_path, default={"traces": 1, "failed_traces": 1})) == []


def test_compilations(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    for n in (32, 7, 8):
        recording.compilation(1, (n, 10))
    recording.end(9)
    assert found(judged(tmp_path, default={"recompilations": 1})) == [("train_step", "recompilations", 1, 2)]
    # at steps 11 and 12
    assert found(judged(tmp_path, default={"recompilations": 1}, warm_up_steps=12)) == []


def test_the_explanation_says_why_and_where(tmp_path: Path) -> None:
    (one,) = judged(recorded(tmp_path), functions={"train_step": {"traces": 1}}).judged
    (finding,) = one.findings
    assert finding.text == "`train_step` (/home/user/train.py:51) was traced 3 times; 1 allowed."
    assert finding.explanation[:2] == [
        "  #1  `train_step` was traced for the first time at step 10.",
        "        called from /home/user/train.py:57: train_step(batch)",
    ]
    assert finding.explanation[2] == (
        "  #2  `train_step` was traced again at step 20 because `x` changed shape: (1, 10) → (2, 10)."
    )
    # in warm-up are the others: they are compared with, and not told
    (one,) = judged(recorded(tmp_path), functions={"train_step": {"traces": 0}}, warm_up_steps=30).judged
    assert one.findings[0].text.endswith("was traced once after 30 steps of warm-up; 0 allowed.")
    assert one.findings[0].explanation[0].startswith("  #3  ")


def test_many_alike_are_folded(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for n in range(40):
        recording.trace(shape=(n, 10))
    recording.end(99)
    (one,) = judged(tmp_path, default={"traces": 1}).judged
    assert "  … and 36 more for the same reasons" in one.findings[0].explanation


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ({"losses": {"traces_not_recorded": 2}}, "fit/retrace: not all traces were recorded (traces not recorded: 2)."),
        ({"traces": 9}, "fit/retrace: 3 traces missing from the files."),
        ({"ran_eagerly": True}, "fit/retrace: functions ran eagerly for some time and were not traced meanwhile."),
    ],
)
def test_a_recording_that_lacks_something_is_over_or_not_judged(end: Any, said: str, tmp_path: Path) -> None:
    recorded(tmp_path, **end)
    judgement = judged(tmp_path, default={"traces": 9})
    assert (judgement.result, judgement.unsure) == ("unjudged", [said])
    assert judged(tmp_path, default={"traces": 1}).result == "over"


def test_lost_graphs_are_no_lost_traces(tmp_path: Path) -> None:
    recorded(tmp_path, losses={"graphs_over_budget": 2})
    assert judged(tmp_path, default={"traces": 9}).result == "within"


def test_a_damaged_file_is_not_judged(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.file.write_raw(b"\0" * 64)
    judgement = judged(tmp_path, default={"traces": 9})
    assert judgement.result == "unjudged"
    assert "damaged" in judgement.unsure[0]
    assert "has no end" in judgement.notes[0]


def test_functions_that_are_not_there(tmp_path: Path) -> None:
    recorded(tmp_path)
    judgement = judged(tmp_path, functions={"train_step": {"traces": 3}, "gone": {"traces": 1}})
    assert (judgement.result, judgement.notes) == ("within", ["in the budget and not traced: `gone`."])
    judgement = judged(tmp_path, functions={"gone": {"traces": 1}})
    assert judgement.result == "unjudged"
    assert judgement.unsure == ["no function of the budget was traced: `gone`. Were they renamed?"]


def test_a_recording_without_traces_of_ones_own_is_not_within(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.end(9)
    assert judged(tmp_path, default={"traces": 1}).result == "unjudged"


def test_warm_up_without_steps_is_said(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(step=None)
    recording.trace(step=None, shape=(7, 10))
    recording.end(9)
    judgement = judged(tmp_path, default={"retraces": 0}, warm_up_steps=5)
    assert judgement.is_over
    assert "no trace has a step" in judgement.notes[0]


def test_sessions_are_judged_each_by_itself(tmp_path: Path) -> None:
    recorded(tmp_path / "a")
    recorded(tmp_path / "b")
    store = load(tmp_path)  # the same session twice: counted once
    assert len(judge(store.sessions, read_budget({"default": {"traces": 3}})).judged) == 2


# --- writing ---


def test_what_was_recorded_is_within_what_is_written(tmp_path: Path) -> None:
    store = load(recorded(tmp_path / "logs"))
    text = budget_text(store.sessions)
    assert text.splitlines()[2:] == [
        "[all]",
        "avoidable_seconds = 1.2  # measured: 0.6",
        "",
        "[default]  # functions that are not named below",
        "retraces = 0",
        "",
        "[functions.evaluate]",
        "traces = 1",
        "causes = []",
        "",
        "[functions.train_step]",
        "traces = 3",
        'causes = ["shape"]',
    ]
    (tmp_path / "retrace.toml").write_text(text)
    assert judge(store.sessions, load_budget(str(tmp_path / "retrace.toml"))).result == "within"


def test_names_that_need_more_to_be_told_apart(tmp_path: Path) -> None:
    recording = new_recording(tmp_path / "logs")
    for file, qualname in (("/a/x.py", "f"), ("/a/y.py", "f"), ("/a/y.py", 'g.<locals>.f"\n')):
        trace = recording.trace("f", write=False, jit_compile=True, failed=qualname != "f")
        trace.function.file, trace.function.qualname, trace.function.line = file, qualname, len(qualname)
        recording.write(trace)
    recording.end(9)
    store = load(tmp_path / "logs")
    text = budget_text(store.sessions, warm_up_steps=3, libraries=True)
    assert "warm_up_steps = 3" in text
    assert '[functions."x.py:f"]' in text
    assert "failed_traces = 1" in text
    assert "recompilations = 0" in text
    (tmp_path / "retrace.toml").write_text(text)
    written = load_budget(str(tmp_path / "retrace.toml"))
    assert found(judge(store.sessions, written)) == []
    assert 'g.<locals>.f"\n' in written.functions


def test_keras_functions_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    sessions = load(recorded(tmp_path)).sessions
    assert "[functions.fit]" not in budget_text(sessions)
    assert "[functions.fit]" in budget_text(sessions, libraries=True)


def test_seconds_are_rounded_up(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(trace_duration_ns=int(1.2345 * SECOND))
    recording.end(9)
    assert "avoidable_seconds = 2.5  # measured: 1.3" in budget_text(load(tmp_path).sessions)
