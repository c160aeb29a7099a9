"""`tb-retrace compare-graphs`: which two, what it says of them, and what it says where there is nothing to compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_retrace_plugin.commands.main import main
from tests.support.small_graphs import record_small_graphs

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def logs(tmp_path: Path) -> str:
    record_small_graphs(tmp_path)
    return str(tmp_path)


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = main(["compare-graphs", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_retrace_and_its_closest_earlier_trace(logs: str, capsys: Capture) -> None:
    code, out, _ = run(capsys, logs, "train_step#2")
    assert code == 0
    assert out.splitlines() == [
        "train_step #1 → train_step #2  /home/user/train.py:51",
        "Same structure: 4 ops; 4 output shapes differ, all dimension 0 of `x` (2 → 5): "
        "one graph with that dimension unknown would have served both.",
        "  nodes: 1 same, 4 changed",
        "",
        "  ~  x  Placeholder",
        "       output shapes: (2,) → (5,)",
        "  ~  Relu_0  Relu",
        "       output shapes: (2,) → (5,)",
        "  ~  Relu_1  Relu",
        "       output shapes: (2,) → (5,)",
        "  ~  Relu_2  Relu",
        "       output shapes: (2,) → (5,)",
        "",
        "Side by side, in TensorBoard: #retrace&p.retrace.graphs=session-1/1..session-1/2",
    ]


def test_any_two_and_as_many_differences_as_are_wanted(logs: str, capsys: Capture) -> None:
    _, there, _ = run(capsys, logs, "session-1/2", "train.py:51#3")
    assert "Another structure: 1 op is new." in there
    assert "  +  Relu_3  Relu\n" in there
    assert "  ⤳  identity_retval  _Retval\n       input Relu_2:activations:0 → Relu_3:activations:0\n" in there
    _, back, _ = run(capsys, logs, "train_step#3", "train_step#2", "--differences", "1")
    assert "Another structure: 1 of 5 ops is gone." in back
    assert "  −  Relu_3  Relu\n" in back
    assert "… and 1 more node (" in back
    _, itself, _ = run(capsys, logs, "train_step#3", "train_step#3")
    assert "One trace on both sides: 5 ops.\n  nodes: 6 same\n\nSide by side" in itself


def test_without_a_choice_the_costliest_retrace_with_graphs(logs: str, capsys: Capture) -> None:
    code, out, _ = run(capsys, logs, "--format", "json")
    answer = json.loads(out)
    assert (code, answer["schema"]) == (0, 1)
    assert answer["b"]["seq"] in (2, 3), "4 and 5 have no graph"
    assert answer["a"]["seq"] == answer["b"]["seq"] - 1


def test_json(logs: str, capsys: Capture) -> None:
    _, out, _ = run(capsys, logs, "train_step#2", "--format", "json", "--differences", "1")
    answer = json.loads(out)
    assert answer["sentence"].startswith("Same structure: 4 ops")
    assert answer["counts"] == {"same": 1, "changed": 4, "rewired": 0, "added": 0, "removed": 0, "renamed": 0}
    assert [graph["name_b"] for graph in answer["graphs"]] == ["__inference_train_step_0"]
    assert answer["differences_left_out"] == 3
    assert answer["differences"] == [
        {
            "graph": 0, "node": 0, "kinds": ["changed"], "name_a": "x", "name_b": "x", "op_a": "Placeholder",
            "op_b": "Placeholder", "inputs": [], "device_a": "", "device_b": "",
            "attributes": [{"key": "output shapes", "a": "(2,)", "b": "(5,)", "changed": True}],
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("traces", "text"),
    [
        (["train_step#1"], "has no earlier trace to be compared with"),
        (["train_step#9"], "has no trace #9; the last is #5"),
        (["session-1/77"], "no trace 77 in the recording session-1"),
        (["nobody#1"], "no function 'nobody' in the recording. Recorded: train_step."),
        (["train_step"], "names no trace. Say FUNCTION#N"),
        (["train_step#4"], "was not stored: it has more than 9 nodes"),
        (["train_step#5"], "not in the logdir any more"),
        (["train_step#1", "train_step#2", "train_step#3"], "two traces at most"),
        (["train_step#2", "--differences", "-1"], "a number of nodes, 0 or more"),
    ],
)
def test_what_cannot_be_compared_is_said(logs: str, capsys: Capture, traces: list[str], text: str) -> None:
    code, out, err = run(capsys, logs, *traces)
    assert (code, out) == (2, "")
    assert text in err


def test_several_recordings_are_told_apart(tmp_path: Path, capsys: Capture) -> None:
    for session in ("session-1", "session-2"):
        record_small_graphs(tmp_path / session, session)
    code, _, err = run(capsys, str(tmp_path), "train_step#2")
    assert code == 2
    assert "'train_step#2' names several traces: session-1/2 (" in err
    assert "session-2/2 (" in err
    _, out, _ = run(capsys, str(tmp_path), "session-1/3", "session-2/3")
    assert "The same graph: 5 ops. It was paid for twice." in out


def test_nothing_recorded(tmp_path: Path, capsys: Capture) -> None:
    code, _, err = run(capsys, str(tmp_path / "none"))
    assert (code, "no such directory" in err) == (2, True)
