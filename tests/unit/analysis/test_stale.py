"""Python values that changed after the trace that read them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.pages.detail import trace_detail
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.sessions.stale import stale_names, stale_sentence, stale_way_out, values_read
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.explain.verdict.evidence import IS_GONE
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.stores import load, new_recording


def stale_of(store: Store) -> list[dict[str, Any]]:
    return [stale for s in report(store)["sessions"] for function in s["functions"] for stale in function["stale"]]


def lines_of(directory: Path) -> str:
    return "\n".join(report_lines(load(directory), False, Style(colour=False)))


def test_the_latest_record_of_a_name_counts_in_whatever_order(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.stale(1, "external", "10", "50")
    recording.stale(1, "other", "'a'", "'b'", kind="closure")
    recording.stale(1, "external", "10", "100")
    recording.stale(1, "other", "'a'", "'a'", kind="closure")  # changed back
    recording.stale(77, "lost", "1", "2")
    items = list(read_logdir(str(tmp_path)))
    for seed in range(20):
        random.Random(seed).shuffle(items)
        store = Store()
        for item in items:
            store.add([item])
        assert stale_of(store) == [
            {"seq": 1, "n": 1, "name": "external", "kind": "global", "traced": "10", "now": "100", "step": 15}
        ]


def test_what_a_function_draws_while_it_is_traced_is_told_however_often_it_was(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("quiet")
    trace = recording.trace("noisy", write=False)
    trace.function.drawn.extend(["np.random.normal()", "self.updates"])
    recording.write(trace)
    assert (
        "    drawn: `np.random.normal()` and `self.updates` are evaluated in Python while the function is traced, and"
        " not at each call: calls that one trace serves share what came of it." in lines_of(tmp_path)
    )
    (session,) = report(load(tmp_path))["sessions"]
    assert [one["drawn"] for one in session["functions"]] == [[], ["np.random.normal()", "self.updates"]]


def test_what_a_function_counts_for_its_own_sake_is_told_where_no_advice_notes_it(tmp_path: Path) -> None:
    """`agent.inferences += 1`, which stays 1; a library's is its own."""
    recording = new_recording(tmp_path)
    for name, is_library in (("inference", False), ("of_a_library", True)):
        trace = recording.trace(name, write=False)
        trace.function.counted.extend(["agent.inferences", "losses.append(…)"])
        trace.function.library = is_library
        recording.write(trace)
    counted = [line.strip() for line in lines_of(tmp_path).splitlines() if "counted:" in line]
    assert [line[:70] for line in counted] == [
        "counted: `agent.inferences` is counted when the function is traced, an",
        "counted: `losses.append(…)` runs when the function is traced, and not ",
    ]
    (session,) = report(load(tmp_path))["sessions"]
    assert [one["counted"] for one in session["functions"]] == [["agent.inferences", "losses.append(…)"], []]


def test_a_function_traced_once_is_told_if_it_is_stale(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("train_step")
    recording.trace("quiet")
    recording.stale(1, "external", "10", "100")
    text = lines_of(tmp_path)
    assert "`train_step` uses a stale Python value: `external` is 10 in its graph, 100 now." in text.splitlines()
    assert (
        "    stale: graph #1 still uses 10; `external` is now 100. Pass it as an argument or make it a tf.Variable, of"
        " a fraction dtype where it meets fractions." in text
    )
    assert "  Not retraced: quiet." in text


def test_what_to_do_about_a_function_of_keras_is_to_compile_again(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    trace = recording.trace("one_step_on_data", write=False)
    trace.function.library, trace.function.file = True, "/site-packages/keras/src/backend/tensorflow/trainer.py"
    recording.write(trace)
    recording.stale(1, "model.k", "2", "3")
    assert "`model.k` is now 3. Call `compile` again, which makes Keras trace anew, or" in lines_of(tmp_path)
    recording.stale(1, "dropout.rate", "0.5", "0.1", kind="layer")  # `if rate > 0` takes no tf.Variable
    (line,) = [line for line in lines_of(tmp_path).splitlines() if "dropout.rate" in line and "Call" in line]
    assert line.endswith("Call `compile` again, which makes Keras trace anew.")


def test_one_of_another_library_is_defined_again(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    trace = recording.trace("predict_f", write=False)
    trace.function.library, trace.function.file = True, "/site-packages/gpflow/models/gpr.py"
    recording.write(trace)
    recording.stale(1, "self.data[0]", "tensor #1", "tensor #2")
    assert "Define the function again after it, or make it a tf.Variable." in lines_of(tmp_path)


def test_many_graphs_with_one_name_are_one_line(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for _ in range(20):
        recording.trace()
    for seq in range(2, 21):
        recording.stale(seq, "lr", "0.1", "0.01")
    assert lines_of(tmp_path).count("stale: ") == 1
    assert "stale: 19 of 20 graphs still use 0.1; `lr` is now 0.01." in lines_of(tmp_path)
    assert "uses stale Python values of `lr`, which is now 0.01." in lines_of(tmp_path)


def test_graphs_with_several_older_values(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for seq in range(1, 7):
        recording.trace()
        recording.stale(seq, "lr", str(seq), "7")
        if seq == 2:
            assert "both graphs still use older values of `lr` (1 and 2); it is now 7." in lines_of(tmp_path)
    assert "all 6 graphs still use older values of `lr` (1, 2, 3 and 3 more); it is now 7." in lines_of(tmp_path)


def test_graphs_of_objects_that_have_values_of_their_own(tmp_path: Path) -> None:
    """The latest of each, and of a global the latest of all."""
    recording = new_recording(tmp_path)
    for seq, now in ((1, "2.0"), (2, "3.0"), (3, "3.0")):
        recording.trace(object=seq)
        recording.stale(seq, "self.scale", "1.0", now, kind="attribute")
        recording.stale(seq, "rate", "1.0", now)
    assert "all 3 graphs still use 1.0; `self.scale` is now 2.0 and 3.0." in lines_of(tmp_path)
    assert "all 3 graphs still use 1.0; `rate` is now 3.0." in lines_of(tmp_path)


@pytest.mark.parametrize(
    ("stale", "sentence"),
    [
        ([], ""),
        ([("f", "a"), ("f", "b")], "`f` uses stale Python values: `a` and `b`."),
        ([("f", n) for n in "abcde"], "`f` uses stale Python values: `a`, `b`, `c` and 2 more."),
        ([("f", "a"), ("g", "b"), ("g", "c")], "2 functions use stale Python values: `f` (`a`) and `g` (`b` and `c`)."),
    ],
)
def test_the_verdict_says_it_in_a_line_of_its_own(tmp_path: Path, stale: list[tuple[str, str]], sentence: str) -> None:
    recording = new_recording(tmp_path)
    recording.trace("f")
    recording.trace("g")
    for function, name in stale:
        recording.stale({"f": 1, "g": 2}[function], name, "1", "2")
    summary = summarize(load(tmp_path).sessions)
    assert summary.stale == sentence
    assert summary.sentence == "Nothing was traced twice: 2 functions, 2 traces."


def test_a_trace_in_full_and_the_digest_follow(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace()
    store = load(tmp_path)
    digest = Digest(store)
    revision = digest.answer(None, 0)["revision"]
    for now, count in (("2", 1), ("3", 1), ("1", 0)):
        recording.stale(2, "rate", "1", now)
        store.add(read_logdir(str(tmp_path)))
        answer = digest.answer(store.generation, revision)
        revision = answer["revision"]
        assert (answer["traces"]["seq"], answer["traces"]["stale"]) == ([2], [count])
        assert [s["now"] for s in trace_detail(store.sessions[0].events[2])["stale"]] == ([now] if count else [])


def test_hostile_names_and_values_stay_text(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    for number in range(50):
        recording.stale(1, f"`na\x1bme{number}", "`\x1b[31m", "\n`")
    text = lines_of(tmp_path)
    assert "\x1b" not in text
    assert text.count("stale: ") == 5
    assert "… and 45 more names" in text


def test_what_each_trace_read_is_the_old_value_or_the_one_of_now(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in (1, 1, 2, 1):
        recording.trace(shape=(recording.traces[-1].seq if recording.traces else 0, 1), object=number)
    recording.trace(shape=(9, 9), failed=True)
    recording.stale(1, "rate", "0.1", "0.2")
    recording.stale(2, "rate", "0.2", "0.3")
    recording.stale(1, "self.width", "4", "8", kind="attribute")
    (function,) = load(tmp_path).sessions[0].functions.values()
    assert values_read(function.events) == {
        "rate": ["0.1", "0.2", "0.3", "0.3", None],
        "self.width": ["4", "8", None, "8", None],  # another instance has its own
    }


def test_an_arguments_attribute_is_that_of_the_same_argument(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number, identity in enumerate((1, 1, 2)):
        trace = recording.trace(shape=(number, 1), object=number, write=False)
        trace.signature.arguments.add(path="options").type.identity = identity
        recording.write(trace)
    recording.stale(1, "options.rate", "0.1", "0.2", kind="attribute")
    (function,) = load(tmp_path).sessions[0].functions.values()
    assert values_read(function.events) == {"options.rate": ["0.1", "0.2", None]}


def test_advice_that_would_freeze_a_value_says_so_before_anything_else(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for rows in (1, 2, 3):
        recording.trace(shape=(rows, 10))
    recording.stale(1, "self.rate", "0.1", "0.2", kind="attribute")
    store = load(tmp_path)
    (function,) = report(store)["sessions"][0]["functions"]
    assert all(one["warnings"][0].startswith("By itself this can change results: ") for one in function["advice"])
    assert function["advice"]


def test_a_trace_that_has_not_read_it_has_no_value_of_it(tmp_path: Path) -> None:
    """It is not stale, and has not read the value of now."""
    recording = new_recording(tmp_path)
    for rows in (1, 2, 3, 4):
        recording.trace(shape=(rows, 10))
    recording.stale(1, "self.rate", "0.1", "0.2", kind="attribute")
    recording.stale(2, "self.rate", "", "", kind="attribute")
    recording.stale(3, "self.rate", "0.2", "0.2", kind="attribute")  # it was 0.1 at the next trace
    recording.stale(4, "self.rate", "0.1", "0.2", kind="attribute")
    store = load(tmp_path)
    ((function,),) = [session.functions.values() for session in store.sessions]
    assert values_read(function.events) == {"self.rate": ["0.1", None, "0.2", "0.1"]}
    assert [stale["seq"] for stale in stale_of(store)] == [1, 4]
    assert "stale: 2 of 4 graphs still use 0.1; `self.rate` is now 0.2." in lines_of(tmp_path)


def test_a_trace_before_the_stale_ones_has_not_read_the_value_of_now(tmp_path: Path) -> None:
    """Of a function object that is gone it is not known; TensorFlow lets go the first trace that made variables."""
    recording = new_recording(tmp_path)
    for rows, number, kind in ((1, 1, "first"), (2, 2, "recreated"), (2, 2, "variable_creation"), (4, 2, "retrace")):
        recording.trace(shape=(rows, 10), object=number, kind=kind)
    recording.stale(3, "scale", "2.0", "5.0", kind="global")
    (function,) = load(tmp_path).sessions[0].functions.values()
    assert values_read(function.events) == {"scale": [None, "2.0", "2.0", "5.0"]}


def test_what_is_set_back_was_so_before_the_stale_trace_as_well(tmp_path: Path) -> None:
    """Which was not looked at in between: a layer that is thawed for one phase."""
    recording = new_recording(tmp_path)
    for rows in (1, 2, 3):
        recording.trace(shape=(rows, 10))
    recording.stale(2, "layer.trainable", "True", "False", kind="global")
    (function,) = load(tmp_path).sessions[0].functions.values()
    assert values_read(function.events) == {"layer.trainable": ["False", "True", "False"]}


def test_models_that_were_replaced_are_told_and_are_no_values(tmp_path: Path) -> None:
    """What is to be done about them is another thing, and a trace for other variables says so by itself."""
    recording = new_recording(tmp_path)
    for rows in (1, 2):
        recording.trace(shape=(rows, 10))
    recording.stale(1, "model", "Sequential #1", "Sequential #2")
    recording.stale(1, "state", "tensor #3", "tensor #4")
    store = load(tmp_path)
    (function,) = store.sessions[0].functions.values()
    assert values_read(function.events) == {}
    assert values_read(function.events, of_objects=True) == {
        "model": ["Sequential #1", "Sequential #2"],
        "state": ["tensor #3", "tensor #4"],
    }
    model, state = stale_names(function.events)
    assert stale_sentence(model, function) == "graph #1 still uses Sequential #1; `model` is now Sequential #2"
    assert stale_way_out(model, function).startswith("Define the function again after it")
    assert stale_way_out(state, function) == "Pass it as an argument or make it a tf.Variable."


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("float32 (3,)", "Pass it as an argument or make it a tf.Variable."),
        ("float32 (4,)", "Pass it as an argument or make it a tf.Variable (`shape=tf.TensorShape(None)`)."),
        ("int32 (3,)", "Pass it as an argument, or cast to one dtype what a tf.Variable in its place is to hold."),
    ],
)
def test_a_variable_in_place_of_tensors_takes_each_of_them(tmp_path: Path, now: str, told: str) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.stale(1, "state", "tensor #3 of float32 (3,)", f"tensor #4 of {now}")
    (function,) = load(tmp_path).sessions[0].functions.values()
    (state,) = stale_names(function.events)
    assert state.is_object
    assert stale_way_out(state, function) == told


def test_what_code_of_keras_reads_is_not_to_be_a_variable(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.stale(1, "net.drop.rate", "0.5", "0.1", kind="layer")
    recording.stale(1, "array", "elements of then", "other elements", kind="argument")
    (function,) = load(tmp_path).sessions[0].functions.values()
    array, rate = sorted(stale_names(function.events), key=lambda one: one.name)
    assert stale_way_out(rate, function).startswith("Define the function again after it")
    assert stale_way_out(array, function).startswith("Pass the tensor that its `stack()` gives")


def test_whether_a_layer_is_trained_is_no_variable_either(tmp_path: Path) -> None:
    """Steps of a GAN freeze each other's layers, and set that back before the next call."""
    recording = new_recording(tmp_path)
    recording.trace()
    recording.stale(1, "dense.trainable", "True", "False", kind="attribute")
    (function,) = load(tmp_path).sessions[0].functions.values()
    (frozen,) = stale_names(function.events)
    way_out = stale_way_out(frozen, function)
    assert way_out.startswith("Define the function again after it")
    assert "tf.Variable" not in way_out
    assert way_out.endswith("If it is set back before each call, there is nothing to do.")


def test_the_graph_that_made_the_variables_is_not_called_again(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(kind="variable_creation", closest_seq=1)
    recording.stale(1, "external", "10", "100")
    recording.stale(2, "external", "10", "100")
    store = load(tmp_path)
    assert [stale["seq"] for stale in stale_of(store)] == [2]
    assert "stale: graph #2 still uses 10; `external` is now 100." in lines_of(tmp_path)
    ((group,),) = [session.functions.values() for session in store.sessions]
    assert values_read(group.events) == {"external": ["10", "10"]}


def test_a_text_none_or_a_list_of_such_is_no_variable(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(1, 10))
    recording.stale(1, "MODE", "'mean'", "'sum'")
    recording.stale(1, "SCALE", "None", "2.0")
    recording.stale(1, "self.active", "['mse']", "['mse', 'l1']")
    recording.stale(1, "self.hooks", "[]", "list object")
    (function,) = load(tmp_path).sessions[0].functions.values()
    for stale in stale_names(function.events):
        way_out = "Define the function again after it, or pass it as an argument: there is a trace for each."
        assert stale_way_out(stale, function) == way_out


def test_a_list_is_no_variable(tmp_path: Path) -> None:
    """It may be of another length now. An array is one as a number is, a constant of each graph."""
    recording = new_recording(tmp_path)
    recording.trace(shape=(1, 10))
    recording.stale(1, "RATES", "[0.1]", "[0.1, 0.2]")
    recording.stale(1, "TABLE", "array #1", "array #2")
    (function,) = load(tmp_path).sessions[0].functions.values()
    rates, table = stale_names(function.events)
    assert values_read(function.events) == {"RATES": ["[0.1]"], "TABLE": ["array #1"]}
    assert stale_way_out(table, function) == "Pass it as an argument or make it a tf.Variable."
    assert "stale: graph #1 still uses the numbers that `TABLE` held; it holds others now." in lines_of(tmp_path)
    recording.trace("other")
    recording.stale(2, "TABLE", "array #1", "array #2")
    assert "array #" not in lines_of(tmp_path)
    assert stale_way_out(rates, function) == "Pass it as an argument, or keep what it holds in tf.Variables."


def test_a_list_that_grew_is_no_variable(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("forward")
    recording.stale(1, "len(self.blocks)", "1", "2")
    text = lines_of(tmp_path)
    assert (
        "`len(self.blocks)` is now 2. Define the function again after it, or pass it as an argument: there is" in text
    )
    assert "tf.Variable" not in text


def test_layers_that_are_frozen_together_are_one_line(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    for layer in ("base", "one", "x", "y"):
        recording.stale(1, f"{layer}.trainable", "True", "False", kind="attribute")
    recording.stale(1, "last.trainable", "False", "True", kind="attribute")
    recording.stale(1, "SCALE", "True", "False")
    lines = [line for line in lines_of(tmp_path).splitlines() if "stale:" in line]
    assert [line.partition(". ")[0].strip() for line in lines] == [
        "stale: graph #1 still uses True; `SCALE` is now False",
        "stale: graph #1 still uses True; `base.trainable`, `one.trainable`, `x.trainable` and 1 more are now False",
        "stale: graph #1 still uses False; `last.trainable` is now True",
    ]


def test_what_calls_choose_between_is_not_told(tmp_path: Path) -> None:
    """Another graph, for other calls, holds what is now; advice knows of it all the same."""
    recording = new_recording(tmp_path)
    recording.trace()
    recording.stale(1, "dense.trainable", "True", "False", kind="chosen")
    store = load(tmp_path)
    assert stale_of(store) == []
    ((group,),) = [session.functions.values() for session in store.sessions]
    assert values_read(group.events) == {"dense.trainable": ["True"]}


def test_which_calls_alone_find_graphs_that_hold_old_values(tmp_path: Path) -> None:
    """Where these and the others are told apart by a Python value, such as an epoch's number."""
    recording = new_recording(tmp_path)
    for epoch in range(3):
        trace = recording.trace(write=False)
        argument = trace.signature.arguments.add(path="epoch")
        argument.type.kind, argument.type.type_name, argument.type.value = pb.TypeNode.LITERAL, "int", str(epoch)
        recording.write(trace)
    recording.stale(1, "gain", "1.0", "3.0")
    told = "graph #1 still uses 1.0; `gain` is now 3.0"
    assert f"{told}; only calls with 0 for `epoch` find it. Pass" in lines_of(tmp_path)
    recording.stale(2, "gain", "1.0", "3.0")
    assert "is now 3.0; only calls with 0 and 1 for `epoch` find them. Pass" in lines_of(tmp_path)
    recording.stale(3, "gain", "1.0", "3.0")
    assert "only calls" not in lines_of(tmp_path)


def test_a_trace_whose_object_is_gone_has_not_read_the_value_of_now(tmp_path: Path) -> None:
    """It was gone before the value changed, and nothing was told of it."""
    recording = new_recording(tmp_path)
    for rows in (1, 2, 3):
        trace = recording.trace(shape=(rows, 10), write=False)
        if rows > 1:
            trace.closest_seq, trace.evidence = rows - 1, f"TensorFlow holds `x` by a weak reference, and {IS_GONE}"
        recording.write(trace)
    recording.stale(3, "scale", "1.0", "2.0", kind="global")
    (function,) = load(tmp_path).sessions[0].functions.values()
    assert values_read(function.events) == {"scale": [None, None, "1.0"]}
