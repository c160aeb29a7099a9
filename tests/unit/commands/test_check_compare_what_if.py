"""The verbs `check`, `compare` and `what-if`: exit codes, formats, and what is said where nothing can be done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tb_retrace_plugin.commands.main import main
from tests.support.stores import new_recording


@pytest.fixture
def logs(tmp_path: Path) -> str:
    recording = new_recording(tmp_path / "logs")
    for n in (1, 2, 3):
        recording.trace(shape=(n, 10))
    recording.trace("evaluate")
    recording.end(60)
    return str(tmp_path / "logs")


@pytest.fixture
def evil(tmp_path: Path) -> str:
    """What a recording may hold to steer a terminal or break XML."""
    recording = new_recording(tmp_path / "evil")
    for n in (1, 2):
        trace = recording.trace("evil", write=False, shape=(n, 1))
        trace.function.name = "a\x1b[2J<b>&\u202e\ufffe]]>"
        recording.write(trace)
    recording.end(9)
    return str(tmp_path / "evil")


Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def budget(tmp_path: Path, text: str) -> str:
    (tmp_path / "retrace.toml").write_text(text)
    return str(tmp_path / "retrace.toml")


# --- check ---


def test_within(logs: str, tmp_path: Path, capsys: Capture) -> None:
    code, out, err = run(capsys, "check", logs, "--budget", budget(tmp_path, "[default]\ntraces = 3\n"))
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "within: train_step (/home/user/train.py:51): 3 traces",
        "within: evaluate (/home/user/train.py:65): 1 trace",
        "Within the budget: 2 functions.",
    ]


def test_over(logs: str, tmp_path: Path, capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", logs, "--budget", budget(tmp_path, "[default]\ntraces = 1\ncauses = []\n"))
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "over budget: `train_step` (/home/user/train.py:51) was traced 3 times; 1 allowed."
    assert "because `x` changed shape: (1, 10) → (2, 10)" in out
    assert any(line.startswith("over budget: ") and "no cause is allowed" in line for line in lines[1:])
    assert lines[-1] == "OVER BUDGET: 1 of 2 checks failed."


def test_json(logs: str, tmp_path: Path, capsys: Capture) -> None:
    path = budget(tmp_path, "[functions.train_step]\ntraces = 1\n")
    code, out, err = run(capsys, "check", logs, "--budget", path, "--format", "json")
    answer = json.loads(out)
    assert (code, err, answer["schema"], answer["result"]) == (1, "", 1, "over")
    (function,) = answer["functions"]
    assert function["limits"] == {"traces": 1, "failed_traces": 0}
    assert (function["run"], function["traces"], function["function"]["name"]) == ("fit/retrace", 3, "train_step")
    (finding,) = function["findings"]
    assert (finding["limit"], finding["allowed"], finding["measured"]) == ("traces", 1, 3)
    assert finding["explanation"]


def test_junit(logs: str, tmp_path: Path, capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", logs, "--budget", budget(tmp_path, "[default]\ntraces=1\n[all]\ntraces=9\n"),
                       "--format", "junit")  # fmt: skip
    assert code == 1
    suites = ElementTree.fromstring(out)
    assert suites.attrib == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0"}
    cases = {case.attrib["name"]: case for case in suites.iter("testcase")}
    assert [len(case) for case in cases.values()] == [1, 0, 0]
    failure = cases["train_step (/home/user/train.py:51)"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "train_step (/home/user/train.py:51) was traced 3 times; 1 allowed."
    assert "x changed shape: (1, 10) → (2, 10)" in (failure.text or "")


@pytest.mark.parametrize("how", ["text", "json", "junit"])
def test_what_is_recorded_steers_nothing(how: str, evil: str, tmp_path: Path, capsys: Capture) -> None:
    path = budget(tmp_path, "[all]\nretraces = 0\n[default]\ntraces = 1\n")
    code, out, _ = run(capsys, "check", evil, "--budget", path, "--format", how)
    assert code == 1
    assert "\x1b" not in out
    assert "\u202e" not in out
    if how == "junit":
        assert "<b>&" in str(ElementTree.fromstring(out).find("testsuite/testcase").attrib["name"])  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["text", "json", "junit"])
def test_unjudged(how: str, logs: str, tmp_path: Path, capsys: Capture) -> None:
    path = budget(tmp_path, "[functions.gone]\ntraces = 1\n")
    code, out, _ = run(capsys, "check", logs, "--budget", path, "--format", how)
    assert code == 2
    assert "no function of the budget was traced" in out
    if how == "junit":
        assert ElementTree.fromstring(out).attrib["errors"] == "1"
    if how == "json":
        assert json.loads(out)["result"] == "unjudged"


@pytest.mark.parametrize(
    ("logdir", "text", "said"),
    [
        ("nowhere", "[all]\ntraces = 1", "no such directory"),
        ("empty", "[all]\ntraces = 1", "no recording below"),
        ("gs://bucket", "[all]\ntraces = 1", "not a local directory"),
        ("logs", "[all]\ntrace = 1", "`all.trace` is not known here. Allowed are traces"),
    ],
)
def test_nothing_to_judge(logdir: str, text: str, said: str, logs: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "empty").mkdir()
    place = logdir if "://" in logdir else str(tmp_path / logdir)
    path = budget(tmp_path, text)
    assert run(capsys, "check", place, "--budget", path)[0] == 2
    code, out, err = run(capsys, "check", place, "--budget", path, "--format", "json")
    assert (code, said in err, said in json.loads(out)["error"]) == (2, True, True)
    code, out, err = run(capsys, "check", place, "--budget", path, "--format", "junit")
    suites = ElementTree.fromstring(out)
    error = suites.find("testsuite/testcase/error")
    assert (code, said in err, suites.attrib["errors"]) == (2, True, "1")
    assert error is not None
    assert said.replace("`", "") in error.attrib["message"]


def test_a_budget_is_written_once(logs: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "check", logs, "--write-budget", "--warm-up-steps", "20")
    assert (code, out) == (0, "Wrote retrace.toml. From now on: tb-retrace check LOGDIR --budget retrace.toml\n")
    text = (tmp_path / "retrace.toml").read_text()
    assert "warm_up_steps = 20" in text
    assert "[functions.train_step]\ntraces = 2\n" in text
    assert run(capsys, "check", logs)[0] == 0
    code, _, err = run(capsys, "check", logs, "--write-budget")
    assert (code, "is there already" in err) == (2, True)
    assert (tmp_path / "retrace.toml").read_text() == text
    assert run(capsys, "check", logs, "--write-budget", "nowhere/b.toml")[0] == 2
    assert run(capsys, "check", logs, "--write-budget", "-", "--warm-up-steps", "-1")[0] == 2
    code, out, _ = run(capsys, "check", logs, "--write-budget", "-")
    assert (code, "[functions.train_step]\ntraces = 3\n" in out) == (0, True)


# --- compare ---


def test_compare(logs: str, tmp_path: Path, capsys: Capture) -> None:
    recording = new_recording(tmp_path / "after")
    recording.trace(shape=(9, 9))
    recording.trace("evaluate")
    recording.end(60)
    code, out, _ = run(capsys, "compare", logs, str(tmp_path / "after"))
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == (
        "`train_step` was traced 3 times and is now traced once: 400 ms lost to retraces before, 0 s after."
    )
    assert lines[1] == "Nothing that is in both is traced more often. No longer a cause of retraces: shape."
    assert (
        " ".join(lines[4].split()) == "train_step /home/user/train.py:51 3 → 1 400 ms → 0 s 600 ms → 200 ms 0 s → 0 s"
    )
    assert lines[5] == "    before: retraced by shape 2"
    assert lines[-1] == "As often in both: evaluate."
    code, out, _ = run(capsys, "compare", logs, str(tmp_path / "after"), "--format", "json")
    answer = json.loads(out)
    assert (code, answer["schema"], answer["functions"][0]["change"]) == (0, 1, "better")


def test_compare_with_nothing(logs: str, tmp_path: Path, capsys: Capture) -> None:
    code, _, err = run(capsys, "compare", logs, str(tmp_path / "nowhere"))
    assert (code, "tb-retrace compare: no such directory" in err) == (2, True)


def test_compare_shows_control_characters(evil: str, logs: str, capsys: Capture) -> None:
    code, out, _ = run(capsys, "compare", logs, evil)
    assert (code, "\x1b" in out, "\\x1b[2J" in out) == (0, False, True)


# --- what-if ---


def test_what_if(logs: str, capsys: Capture) -> None:
    # the synthetic recording's `training` has no identity, so that no two signatures differ by it
    code, out, _ = run(capsys, "what-if", logs, "--function", "train_step", "--unknown", "x[0]")
    assert code == 0
    assert out.startswith("`train_step` was traced 3 times; with `x[0]` of unknown size it would be once, 400 ms less.")
    code, out, _ = run(
        capsys, "what-if", logs, "--function", "train.py:51", "--input-signature", "[tf.TensorSpec([None, 9])]"
    )
    assert code == 0
    assert "none of these calls would fit" in out
    assert "does not fit: trace #1: `x` has shape (1, 10), float32 (None, 9) is declared" in out
    code, out, _ = run(capsys, "what-if", logs, "--function", "train_step", "--reduce-retracing", "--format", "json")
    answer: dict[str, Any] = json.loads(out)
    assert (code, answer["schema"], answer["answers"][0]["traces_after"]) == (0, 1, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--function", "train_stp", "--unknown", "x"], "Recorded: Trainer.train_step, Trainer.evaluate."),
        (["--function", "train_step"], "Say what to change"),
        (["--function", "train_step", "--unknown", "y"], "Tensors in the recorded calls: `x`."),
        (["--function", "train_step", "--input-signature", "[x]"], "is no specification"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], said: str, logs: str, capsys: Capture) -> None:
    code, _, err = run(capsys, "what-if", logs, *arguments)
    assert (code, said in err) == (2, True), err
