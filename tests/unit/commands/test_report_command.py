from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.commands import report_text
from tb_retrace_plugin.commands.main import main
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.verdict.evidence import SAME_GRAPH_AND_CAPTURES
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import SECOND, write_recording
from tests.support.stores import new_recording


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["report", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_lookups_are_said_where_they_were_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(32, 10))
    recording.trace(shape=(7, 10), trace_duration_ns=SECOND, lookup_duration_ns=3 * SECOND, cached_before=1200)
    recording.end(25)
    _, out, _ = report(capsys, str(tmp_path))
    lines = out.splitlines()
    assert lines[0] == "`train_step` was traced twice: 4.0 s lost, 16 % of the run."
    assert lines[1].endswith("4.0 s of lookups, tracing and first executions can be avoided.")
    assert "tracing 1.2 s, lookups 3.0 s, 4.0 s lost to retraces, 4.0 s avoidable" in out
    assert "1.0 s + 3.0 s looking through 1,200 cached signatures [avoidable]" in out
    assert main(["compare", str(tmp_path), str(tmp_path)]) == 0
    assert "lookups" in capsys.readouterr().out


def test_what_is_nested_is_told_beside_own_tracing_where_more_was_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace("outer", trace_duration_ns=SECOND)
    again = recording.trace("outer", trace_duration_ns=3 * SECOND, nested_duration_ns=2 * SECOND, write=False)
    recording.trace("inner", trace_duration_ns=2 * SECOND, nested=True, parent_seq=again.seq)
    recording.write(again)
    recording.end(25)
    _, out, _ = report(capsys, str(tmp_path), "--all")
    assert "tracing 2.0 s, 2.0 s of traces nested in it, 3.0 s lost to retraces" in out
    assert out.count("nested in it") == 1


def test_the_verdict_comes_first_then_every_retrace_with_its_place_and_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(32, 10))
    recording.trace(shape=(7, 10), trace_duration_ns=2 * SECOND)
    recording.first_call(2, 0.5, k=1)
    recording.trace("evaluate")
    recording.end(25)
    code, out, err = report(capsys, str(tmp_path))
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "`train_step` was traced twice: 2.5 s lost, 10 % of the run.",
        "All of it by `x` changing shape. 2.5 s of tracing and first execution can be avoided.",
        "",
        "fit/retrace: train.py · TensorFlow 2.21.0 · 25 s",
        "",
        "  train_step  /home/user/train.py:51",
        "  2 traces, 1 retrace · tracing 2.2 s, first executions 500 ms, 2.5 s lost to retraces, 2.5 s avoidable",
        "    #2    `train_step` was traced again at step 20 because `x` changed shape: (32, 10) → (7, 10). "
        "2.0 s + 500 ms first execution [avoidable]",
        "          called from /home/user/train.py:57   train_step(batch)",
        "    fix: `x` of `train_step` changes shape. Declare it with unknown dimensions: one trace serves all.",
        "           @tf.function(input_signature=[tf.TensorSpec([None, 10], tf.float32)])",
        "           def train_step(…, training=True):",
        "         note: `training` is the same at every call and stays undeclared, with that value as its default;"
        " TensorFlow then refuses any other.",
        "         2 traces → 1, 2.5 s saved. Replayed by TensorFlow's rules, the 2 recorded signatures need 1 trace; it"
        " assumes that the code does not need the unknown dimensions while it is traced, and that no call passes"
        " another `training`.",
        "",
        "  Not retraced: evaluate.",
    ]


def test_functions_come_by_what_they_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    for _ in range(9):
        recording.trace("cheap", trace_duration_ns=1000)
    for _ in range(2):
        recording.trace("costly", trace_duration_ns=SECOND)
    _, out, _ = report(capsys, str(tmp_path))
    assert out.index("  costly  ") < out.index("  cheap  ")


def test_long_lists_for_one_reason_are_folded_unless_all_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_recording(tmp_path, traces=33, functions=1)
    _, out, _ = report(capsys, str(tmp_path))
    assert out.count("was traced again") == 3
    assert "… and 29 more for the same reason (#5 to #33" in out
    assert out.count("called from") == 1
    _, everything, _ = report(capsys, str(tmp_path), "--all")
    assert everything.count("was traced again") == 32
    assert everything.count("was traced for the first time") == 1
    assert "more for the same reason" not in everything


def test_which_reason_is_folded_is_said_where_there_are_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step", kind="first")
    for number in range(10):
        path = ("x", "rate")[number % 2]
        change = pb.Change(cause="shape" if path == "x" else "python_value", path=path, old="1", new="2")
        recording.trace("train_step", changes=[change])
    _, out, _ = report(capsys, str(tmp_path))
    assert "… and 2 more for the same reason as #2 (#8 to #10" in out
    assert "… and 2 more for the same reason as #3 (#9 to #11" in out


def test_traces_of_another_verdict_are_no_same_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step", kind="first")
    for verdict in ["unknown"] * 4 + ["bounded"]:
        recording.trace("train_step", changes=[pb.Change(cause="object_identity", path="self")], verdict=verdict)
    _, out, _ = report(capsys, str(tmp_path))
    assert "… and 1 more for the same reason as #2 (#5" in out
    assert "#6    `train_step` was traced again" in out


def test_what_was_told_of_an_earlier_trace_is_referred_to_after_another_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step", kind="first")
    for reason in ("one", "one", "another", "one"):
        change = pb.Change(cause="object_identity", path=reason)
        recording.trace("train_step", changes=[change], verdict="unknown", evidence=f"It reads {reason}.")
    _, out, _ = report(capsys, str(tmp_path))
    lines = [line.strip() for line in out.splitlines()]
    told = [line for line in lines if line.startswith(("#", "It reads", "as #"))]
    assert [line[:14].split(" ")[0] if line[0] == "#" else line for line in told] == [
        *("#2", "It reads one.", "#3", "#4", "It reads another.", "#5", "as #2"),
    ]


def test_new_function_objects_that_differ_in_something_else_are_no_same_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step", kind="first")
    for number in range(10):
        model = f"It closes over another `model`: {number} → {number + 1}."
        evidence = model if number % 2 else f"It closes over another `rate`: 0.{number} → '{number}'. Pass it."
        change = pb.Change(cause="recreated_function")
        recording.trace("train_step", kind="recreated", changes=[change], verdict="unknown", evidence=evidence)
    _, out, _ = report(capsys, str(tmp_path))
    assert "… and 2 more for the same reason as #2 (#8 to #10" in out
    assert "… and 2 more for the same reason as #3 (#9 to #11" in out


@pytest.mark.parametrize(
    ("evidence", "is_shown"),
    [
        ("The code asks for the rank of `x` in Python (`len(x.shape)`): each rank needs one.", True),
        ("`x` is None or not: two ways, two traces.", False),  # as the sentence has it
    ],
)
def test_why_a_trace_is_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], evidence: str, is_shown: bool
) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step", kind="first")
    change = pb.Change(cause="rank", path="x", old="(2,)", new="(2, 2)")
    recording.trace("train_step", changes=[change], verdict="bounded", evidence=evidence)
    _, out, _ = report(capsys, str(tmp_path))
    assert (evidence in out) == is_shown


def test_a_recording_without_retraces_says_so_kindly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    for number in range(12):
        recording.trace(f"f{number}")
    recording.end(5)
    code, out, _ = report(capsys, str(tmp_path))
    assert code == 0
    assert out.startswith("Nothing was traced twice: 12 functions, 12 traces.\n")
    assert "Not retraced: f0, f1, f2, f3, f4, f5, f6, f7, and 4 more." in out


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ("ValueError: in user code:\n\n    File x\n\n    ValueError: no\n", "ValueError: no"),
        ("ValueError: in user code:\n\n    File x\n\n    ValueError: no\n    such thing\n", "ValueError: no"),
        ("KeyError: in user code:\n\n    File x\n\n    that is odd", "that is odd"),
        # of a SavedModel: then what it was called with
        ("ValueError: Could not find it. Got:\n  Positional arguments:\n  Keyword arguments: {}",
         "ValueError: Could not find it. Got:"),
        ("TypeError: Exception encountered when calling A.\n\nno\n\nArguments received by A.call():\n  • x", "no"),
    ],
)  # fmt: skip
def test_a_failed_trace_shows_its_error(
    error: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    recording.trace(failed=True, error=error)
    _, out, _ = report(capsys, str(tmp_path))
    assert "failed" in out
    assert f"\n          {line}\n" in out


def test_several_recordings_each_have_their_own_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_recording(tmp_path / "a", traces=2, session="s1", functions=1)
    write_recording(tmp_path / "b", traces=3, session="s2", functions=1)
    _, out, _ = report(capsys, str(tmp_path))
    assert out.startswith("`step_0` was traced 5 times:")
    assert "a/retrace: train.py" in out
    assert "`step_0` was traced twice:" in out
    assert "`step_0` was traced 3 times:" in out


def test_json_is_the_documented_report_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_recording(tmp_path, traces=4)
    code, out, err = report(capsys, str(tmp_path), "--format", "json")
    document = json.loads(out)
    assert (code, err, document["schema"]) == (0, "", 1)
    assert sum(f["traces"] for f in document["sessions"][0]["functions"]) == 4


def test_control_characters_of_a_recording_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "\x1b]0;owned\x07\x1b[31mred\r\nline\u202e"
    recording = new_recording(tmp_path)
    recording.start(program=hostile)
    for _ in range(2):
        recording.trace(hostile, source=hostile)
    recording.trace(hostile, failed=True, error=hostile)
    recording.end(5, losses={hostile: 1})
    _, out, err = report(capsys, str(tmp_path), "--all")
    for text in (out, err):
        assert not {c for c in text if ord(c) < 32 or c == "\x7f" or c == "\u202e"} - {"\n"}
    assert "\\x1b[31mred" in out


def test_problems_go_to_stderr_and_the_rest_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_recording(tmp_path, traces=3).file.path
    path.write_bytes(path.read_bytes()[:-4])
    code, out, err = report(capsys, str(tmp_path), "--format", "json")
    assert code == 0
    assert json.loads(out)["sessions"]
    assert err.startswith("tb-retrace: warning: ")
    assert "cut off" in err


@pytest.mark.parametrize("kind", ["empty", "other data", "junk"])
def test_no_recording_teaches_how_to_record(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    if kind == "other data":
        (tmp_path / "events.out.tfevents.1.host").write_bytes(b"scalars")
    if kind == "junk":
        (tmp_path / "events.out.tfevents.1.host.retrace").write_bytes(b"junk" * 100)
    code, out, err = report(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert f"no recording below {tmp_path}" in err
    assert f"tb-retrace run --logdir {tmp_path}" in err
    assert "RetraceCallback(" in err
    assert "with record(" in err


@pytest.mark.parametrize(
    ("logdir", "words"), [("/no/such/directory", "no such directory"), ("gs://bucket/logs", "not a local directory")]
)
def test_a_wrong_logdir_is_told_in_one_line(capsys: pytest.CaptureFixture[str], logdir: str, words: str) -> None:
    code, out, err = report(capsys, logdir)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def run_module(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tb_retrace_plugin", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_a_warning_stands_below_the_advice_and_in_full_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    for rows in (1, 2, 3):
        recording.trace(shape=(rows, 10))
    recording.stale(1, "self.rate", "0.1", "0.2", kind="attribute")
    _, out, _ = report(capsys, str(tmp_path))
    lines = [line.strip() for line in out.splitlines()]
    careful = [line for line in lines if line.startswith("careful: ")]
    assert careful[0].startswith("careful: By itself this can change results: each trace reads `self.rate` (0.1, 0.2)")
    assert careful[1:] == ["careful: as above"]
    assert lines[lines.index(careful[0]) - 1].startswith("fix: ")
    assert lines[lines.index(careful[1]) - 1].startswith("or: ")


def test_a_terminal_without_arrows_gets_a_question_mark(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=4, functions=1)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = run_module("report", str(tmp_path), env=environment)
    assert done.returncode == 0, done.stderr
    assert b"(1, 10) ? (2, 10)" in done.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=300, functions=1)
    command = f"{sys.executable} -m tb_retrace_plugin report --all {tmp_path} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("`step_0` was traced 300 times")
    assert done.stderr == ""


def test_it_does_not_import_tensorflow(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=2)
    code = (
        "import sys; sys.modules['tensorflow'] = None\n"
        "from tb_retrace_plugin.commands.main import main\n"
        f"sys.exit(main(['report', {str(tmp_path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "run " in out
    assert "report " in out


def test_no_verb_is_an_error_that_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    assert "usage: tb-retrace" in capsys.readouterr().err


def test_a_session_can_be_picked_where_programs_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_recording(tmp_path / "a", 3, "session-1")
    write_recording(tmp_path / "b", 2, "session-2")
    _, out, _ = report(capsys, str(tmp_path), "--format", "json", "--session", "session-2")
    assert [session["id"] for session in json.loads(out)["sessions"]] == ["session-2"]
    code, _, err = report(capsys, str(tmp_path), "--format", "csv", "--session", "session-3")
    assert (code, "no session session-3; there are session-1, session-2." in err) == (2, True), err
    code, _, err = report(capsys, str(tmp_path), "--session", "session-2")
    assert (code, "--session is for --format json, csv and chrome-trace" in err) == (2, True)


def test_what_alternatives_and_functions_of_a_library_share_is_shown_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = new_recording(tmp_path)
    for name in ("mine", "theirs", "theirs_too"):
        for _ in range(2):
            trace = recording.trace(name, write=False)
            trace.function.library = name != "mine"
            recording.write(trace)

    def advised(group: FunctionGroup) -> list[Advice]:
        if group.function.library:
            return [Advice("r", "Build it once.", "data = build()", 2, 1, 1.0, "Replayed.")]
        codes = [f"def pad(x):\n    ...\n\nf(pad({name}))" for name in "ab"]
        return [Advice("r", "Pad.", code, 2, 1, 1.0, "Replayed.") for code in codes]

    monkeypatch.setattr(report_text, "advice_of", advised)
    _, out, _ = report(capsys, str(tmp_path))
    assert out.count("def pad(x):") == 1
    assert "f(pad(a))" in out
    assert "           # with what is defined above\n           f(pad(b))" in out
    assert out.count("data = build()") == 1
    assert "fix: The same change as for `theirs`, above.\n         2 traces → 1" in out


def test_one_line_that_builds_a_dataset_is_mended_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = new_recording(tmp_path)
    data = "/lib/site-packages/tensorflow/python/data/ops/dataset_ops.py"
    line = "ds = data.map(lambda x: x).filter(lambda x: x > 1)"
    for column, method in enumerate(("map", "filter")):
        frames = [pb.Frame(file=data, function="_made"), pb.Frame(file=data, function=method)]
        mine = pb.Frame(file="/home/user/train.py", line=57, function="main", source=line, user=True)
        stack = pb.Stack(frames=[*frames, mine])
        recording.file.write(tags.stack_tag(recording.id, method), stack, recording.started_ns)
        for number in range(3):
            fields: dict[str, object] = {"kind": "recreated", "object": number + 1, "stack_id": method}
            change = pb.Change(cause="recreated_function", old=f"object {number}", new=f"object {number + 1}")
            fields |= {"changes": [change], "evidence": SAME_GRAPH_AND_CAPTURES} if number else {"kind": "first"}
            trace = recording.trace(f"<lambda>{column}", write=False, **fields)  # type: ignore[arg-type]
            trace.function.MergeFrom(pb.Function(name="<lambda>", qualname=f"main.<locals>.<lambda>{column}"))
            recording.write(trace)
    assert main(["report", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "  The lambda that `filter` is given: <lambda>  " in out
    assert out.count("Build the dataset once, outside the loop") == 1
    assert "fix: The same change as for the lambda that `map` is given (`<lambda>`), above.\n" in out
    assert out.count(f"{line}  # once, before the loop") == 1


def test_what_keras_made_is_told_by_what_it_is_and_its_parts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = new_recording(tmp_path)
    for name in ("grab_batch", "permutation"):
        for number in range(3):
            trace = recording.trace(name, shape=(number + 1, 10), write=False)
            trace.function.library, trace.function.qualname = True, "ArrayDataAdapter.f"
            trace.function.file = "/lib/site-packages/keras/src/trainers/data_adapters/array_data_adapter.py"
            recording.write(trace)
    recording.trace("quiet", write=False).function.library = True
    recording.write(recording.traces[-1])
    recording.trace("mine")
    assert main(["report", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    what = "A part of the input pipeline that `fit` makes of arrays"
    assert f"  {what}: grab_batch  keras/src/trainers/data_adapters/array_data_adapter.py:" in out
    assert "#2    `grab_batch` was traced again" in out
    assert f"  {what}: permutation  " in out
    assert "    traced again twice (400 ms) by the same calls as `grab_batch`, above; --all shows why\n" in out
    assert "`permutation` was traced again" not in out
    assert "  Not retraced: mine.\n  Not retraced, made by libraries: quiet.\n" in out
    assert main(["report", str(tmp_path), "--all"]) == 0
    assert "`permutation` was traced again" in capsys.readouterr().out
