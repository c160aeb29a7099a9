from __future__ import annotations

from pathlib import Path

import pytest

from tb_retrace_plugin.analysis.sessions.summary import Summary, summarize
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import SECOND, EventFile, Recording
from tests.support.stores import load, new_recording


def summary_of(directory: Path) -> Summary:
    return summarize(load(directory).sessions)


def test_nothing_recorded() -> None:
    assert summarize([]).sentence == "Nothing is recorded here yet."


def test_a_recording_without_a_trace(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    assert summary_of(tmp_path).sentence == "No `tf.function` has been traced yet."
    recording.end(5)
    assert summary_of(tmp_path).sentence == "No `tf.function` was traced while recording."


def test_a_recording_without_a_trace_says_why_if_functions_ran_eagerly(tmp_path: Path) -> None:
    new_recording(tmp_path).end(5, ran_eagerly=True)
    assert summary_of(tmp_path).sentence == (
        "No `tf.function` was traced while recording: functions ran eagerly "
        "(`tf.config.run_functions_eagerly(True)`, or Keras' `run_eagerly=True`)."
    )


def test_no_retrace_is_said_plainly(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for name in ("a", "b", "c"):
        recording.trace(name)
    recording.end(10)
    summary = summary_of(tmp_path)
    assert summary.sentence == "Nothing was traced twice: 3 functions, 3 traces."
    assert summary.detail == ""
    assert (summary.seconds_lost, summary.share) == (0.0, 0.0)


def test_what_ran_eagerly_beside_what_was_traced_is_said(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.end(10, ran_eagerly=True)
    summary = summary_of(tmp_path)
    assert summary.sentence == "Nothing was traced twice: 1 function, 1 trace."
    assert summary.detail.startswith("Not everything was traced: functions ran eagerly (")


def test_a_second_trace_for_variables_is_explained_and_not_blamed(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(kind="variable_creation", verdict="needed", changes=[])
    recording.end(10)
    summary = summary_of(tmp_path)
    assert summary.sentence == "Nothing was retraced: 1 function, 2 traces."
    assert "where they are created before it, once is enough" in summary.detail


def test_one_function_retraced(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for size in range(1, 38):
        recording.trace(shape=(size, 10), trace_duration_ns=SECOND)
    recording.end(200)
    summary = summary_of(tmp_path)
    assert summary.sentence == "`train_step` was traced 37 times: 36 s lost, 18 % of the run."
    assert summary.detail == "All of it by `x` changing shape. 36 s of tracing and first execution can be avoided."
    assert (summary.traces, summary.retraces, summary.failed, summary.functions) == (37, 36, 0, 1)
    assert (summary.seconds_lost, summary.run_seconds, summary.share) == (36.0, 200.0, 0.18)
    assert summary.avoidable_seconds == 36.0


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("bounded", "bounded"), "Each of these traces is needed once: nothing has to be changed."),
        (("bounded", "unknown"), "None of it is known to be avoidable."),
        (("bounded", "avoidable"), "1.0 s of tracing and first execution can be avoided."),
    ],
)
def test_it_says_whether_anything_has_to_be_changed(tmp_path: Path, verdicts: tuple[str, str], said: str) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    for size, verdict in enumerate(verdicts, 2):
        recording.trace(shape=(size, 10), verdict=verdict, trace_duration_ns=SECOND)
    recording.end(200)
    assert summary_of(tmp_path).detail == f"All of it by `x` changing shape. {said}"


def test_several_functions_retraced_names_the_costliest(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for _ in range(3):
        recording.trace("cheap", trace_duration_ns=SECOND // 10)
    for _ in range(2):
        recording.trace("costly", trace_duration_ns=8 * SECOND)
    recording.end(100)
    summary = summary_of(tmp_path)
    assert summary.sentence == "2 functions were traced again, 3 retraces in all: 8.2 s lost, 8 % of the run."
    assert summary.detail.startswith(
        "Most of it: `costly` was traced twice, 8.0 s lost. All of it by `x` changing shape."
    )


def test_the_share_of_the_main_cause_and_what_changed_along_with_it(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    shape, other = pb.Change(cause="shape", path="x"), pb.Change(cause="shape", path="y")
    recording.trace(trace_duration_ns=92, changes=[shape, other])
    recording.trace(trace_duration_ns=8, changes=[pb.Change(cause="python_value", path="step")])
    assert summary_of(tmp_path).detail.startswith("92 % by `x` changing shape, with `y`.")


def test_what_the_verdict_rests_on_is_to_blame(tmp_path: Path) -> None:
    """Two agents, and a number that is new in each round: the closest call is the other agent's, with that number."""
    recording = new_recording(tmp_path)

    def trace(agent: str, number: str, changed: str, evidence: str = "") -> None:
        arguments = [
            pb.Argument(
                path=path, type=pb.TypeNode(kind=pb.TypeNode.LITERAL, type_name=of, value=value, identity=which)
            )
            for path, of, value, which in (
                ("agent", "str", agent, 1 + (agent == "'b'")),
                ("epsilon", "float", number, int(2 * float(number))),
            )
        ]
        changes = [pb.Change(cause="python_value", path=changed)] if changed else []
        made = recording.trace(write=False, trace_duration_ns=SECOND, evidence=evidence, changes=changes)
        made.signature.CopyFrom(pb.Signature(arguments=arguments))
        recording.write(made)

    trace("'a'", "1.0", "")
    trace("'b'", "1.0", "agent")
    trace("'a'", "0.5", "epsilon")
    trace("'b'", "0.5", "agent", "Trace 2 had the same `agent`; compared with that one: Each value is traced.")
    assert summary_of(tmp_path).detail.startswith("67 % by new Python values of `epsilon`.")


def test_a_function_first_traced_before_the_recording_was_traced_again(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(kind="retrace", trace_duration_ns=SECOND)
    recording.end(10)
    assert summary_of(tmp_path).sentence == "`train_step` was traced again: 1.0 s lost, 10 % of the run."


def test_failed_traces_are_told_apart(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(failed=True, trace_duration_ns=SECOND)
    recording.end(10)
    summary = summary_of(tmp_path)
    assert summary.sentence == "1 of 2 traces of `train_step` failed."
    assert summary.detail == "That took 1.0 s. Nothing else was traced again: 1 function, 1 trace."
    assert (summary.traces, summary.retraces, summary.failed) == (1, 0, 1)


def test_a_function_that_creates_variables_on_every_call_is_told_what_to_do(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("blur")
    recording.trace("initialize_variables", kind="variable_creation")
    recording.trace("blur", kind="variable_creation", failed=True)
    recording.end(10)
    sentence = summary_of(tmp_path).sentence
    assert sentence.startswith("1 of 2 traces of `blur` failed: ")
    assert sentence.endswith("Create them outside of it, once.")


def test_the_same_code_in_two_sessions_is_one_function(tmp_path: Path) -> None:
    for number in (1, 2):
        recording = Recording(EventFile(tmp_path / f"run{number}"), f"session-{number}")
        recording.trace()
        recording.trace()
        recording.end(10)
    summary = summary_of(tmp_path)
    assert summary.functions == 1
    assert summary.sentence.startswith("`train_step` was traced 4 times:")
    assert summary.run_seconds == 20.0


def test_no_share_is_claimed_where_it_cannot_be(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(trace_duration_ns=50 * SECOND)
    recording.end(10)  # several threads traced at once: more time than the run has
    summary = summary_of(tmp_path)
    assert summary.share is None
    assert "of the run" not in summary.sentence


@pytest.mark.parametrize(("start", "share"), [(5, 0.3), (6, 0.3), (4, None)])
def test_no_share_is_claimed_of_threads_that_traced_at_once(tmp_path: Path, start: int, share: float | None) -> None:
    recording = new_recording(tmp_path)
    first = recording.trace()
    for thread, second in (("one", 3), ("other", start), ("one", 9)):
        began = first.time_ns + second * SECOND
        recording.trace(thread=thread, time_ns=began, trace_duration_ns=2 * SECOND)
    recording.end(20)
    assert summary_of(tmp_path).share == share


@pytest.mark.parametrize("cause", ["recreated_function", "unknown", "context", "from the future"])
def test_every_cause_has_words(tmp_path: Path, cause: str) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(changes=[pb.Change(cause=cause)])
    assert summary_of(tmp_path).detail.startswith("All of it by ")


def test_a_backtick_in_a_name_cannot_end_the_code(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("a`b")
    recording.trace("a`b")
    assert summary_of(tmp_path).sentence.startswith("`a'b` was traced twice")


def test_a_librarys_function_is_told_with_the_users_lines_that_lead_to_it(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in range(4):
        recording.trace("grab_batch", shape=(number + 1, 10), write=False).function.library = True
        recording.write(recording.traces[-1])
    assert " Called from `train.py:57`." in summary_of(tmp_path).detail


def test_a_librarys_function_that_no_line_of_the_users_leads_to(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in range(2):
        trace = recording.trace("grab_batch", shape=(number + 1, 10), write=False, stack_id="lost")
        trace.function.library = True
        recording.write(trace)
    assert "Called from" not in summary_of(tmp_path).detail


def test_the_users_own_function_is_known_to_him(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in range(2):
        recording.trace(shape=(number + 1, 10))
    assert "Called from" not in summary_of(tmp_path).detail


def made_by_keras(recording: Recording, name: str, maker: str, *, times: int) -> None:
    file = f"/site-packages/keras/src/{maker}"
    fit = pb.Frame(file="/site-packages/keras/src/backend/tensorflow/trainer.py", function="fit")
    stack = pb.Stack(frames=[fit, pb.Frame(file="train.py", user=True)])
    recording.file.write(tags.stack_tag(recording.id, name), stack, recording.started_ns)
    for number in range(times):
        trace = recording.trace(name, shape=(number + 1, 10), write=False, stack_id=name)
        trace.function.MergeFrom(pb.Function(library=True, file=file, qualname="ArrayDataAdapter.f"))
        recording.write(trace)


def test_what_keras_made_is_told_by_the_call_that_it_is_made_for(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    made_by_keras(recording, "grab_batch", "data_adapters/a.py", times=2)
    summary = summary_of(tmp_path)
    assert summary.sentence.startswith(
        "A part of the input pipeline that `fit` makes of arrays (`grab_batch`) was traced twice"
    )
    made_by_keras(recording, "permutation", "data_adapters/a.py", times=3)
    summary = summary_of(tmp_path)
    assert summary.sentence.startswith(
        "2 parts of the input pipeline that `fit` makes of arrays were traced again, 3 retraces in all"
    )
    assert "Most of it: `permutation` was traced 3 times" in summary.detail
    made_by_keras(recording, "one_step_on_data", "backend/tensorflow/trainer.py", times=9)
    summary = summary_of(tmp_path)
    assert summary.sentence.startswith("3 functions that Keras or TensorFlow made were traced again")
    assert "Most of it: the step that `fit` runs on a batch (`one_step_on_data`) was traced 9" in summary.detail


def test_fields_of_a_context_are_told_as_what_changed_around_it(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    fields = ("device_functions", "in_cross_replica_context")
    recording.trace(changes=[pb.Change(cause="context", path=field, old="1", new="2") for field in fields])
    detail = summary_of(tmp_path).detail
    assert detail.startswith("All of it by calls from elsewhere: the distribution strategy around it changed.")


@pytest.mark.parametrize(("traces", "told"), [(1, "The trace"), (2, "Both traces"), (3, "All 3 traces")])
def test_where_every_trace_failed(tmp_path: Path, traces: int, told: str) -> None:
    recording = new_recording(tmp_path)
    for _ in range(traces):
        recording.trace(kind="first", failed=True)
    assert summary_of(tmp_path).sentence == f"{told} of `train_step` failed."
