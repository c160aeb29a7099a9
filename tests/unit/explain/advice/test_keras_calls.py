"""Calls of a Keras model on arrays: what stands in their place, where arrays or models are others each time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.verdict.keras_pipelines import GENERATED_AGAIN
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, keras, numbers, tensor

ONCE = "  # once, before the loop, if the arrays are always the same"
FILE = "/keras/src/trainers/data_adapters/a.py"


def called(line: str, method: str, *, alike: bool = True) -> list[Traced]:
    traces = [replace(t, stack=(*t.stack[:-1], replace(t.stack[-1], source=line))) for t in keras(3, method)]
    if alike:
        return traces
    return [replace(t, evidence="The new tf.function object closes over the same values.") for t in traces]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (
            "avg = np.mean([m.predict(x, verbose=0) for m in members], 0)",
            "avg = np.mean([m.predict_on_batch(x) for m in members], 0)",
        ),
        (
            "same = np.allclose(é.predict(x), models[0].predict([a, b], 16))",
            "same = np.allclose(é.predict_on_batch(x), models[0].predict_on_batch([a, b]))",
        ),
        ("p = self.model.predict(x=batch['x'], batch_size=len(b))", "p = self.model.predict_on_batch(batch['x'])"),
        ("net.predict(", "model.predict_on_batch(x)"),
    ],
)
def test_predict_on_batch_is_the_users_own_line(line: str, code: str) -> None:
    (found,) = advice(called(line, "predict"), "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_predict_once", 3, 0)]
    assert found.code == f"{code}  # in place of: {line}"


@pytest.mark.parametrize(
    "line", ["m.predict(x, callbacks=[c])", "m.predict(x, steps=4)", "m.predict(*x)", "m.predict(n.predict(x))"]
)
def test_what_predict_on_batch_does_not_take_gets_no_code(line: str) -> None:
    (found,) = advice(called(line, "predict"), "permutation", library=True, file=FILE)
    assert (found.rule, found.code) == ("keras_predict_once", None)


@pytest.mark.parametrize(
    ("line", "alike", "once"),
    [
        ("net.fit(x, self.y)", True, True),
        ("net.fit(x, y)", False, False),  # of other sizes
        ("net.fit(x[rows], y[rows])", True, False),
        ("net.fit(batch['x'], y)", True, False),
        ("net.fit(shuffled(x), y)", True, False),
    ],
)
def test_a_dataset_is_made_once_only_where_nothing_says_that_the_arrays_are_others(
    line: str, alike: bool, once: bool
) -> None:
    (found,) = advice(called(line, "fit", alike=alike), "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_dataset_once", 3, 0)]
    assert found.code is not None
    made = found.code.splitlines()[0]
    assert made.endswith("# once, before the loop, if the arrays are always the same" if once else "# before each call")
    assert ("call `fit` once" in found.in_one, "once, where they are the same" in found.in_one) == (once, once)
    assert list(found.warnings) == ["This changes the order of rows: the dataset shuffles in one of its own."]


def test_what_calls_fit_is_passed_the_dataset() -> None:
    """A tuner's `search` passes on what `fit` takes."""
    line = "tuner.search(x, y, epochs=2, batch_size=16)"
    (found,) = advice(called(line, "fit"), "permutation", library=True, file=FILE)
    assert (found.code or "").splitlines()[-1] == f"tuner.search(batches, epochs=2)  # in place of: {line}"
    assert "`tuner.search` calls `fit`: what it passes on may be a dataset." in found.in_one
    other = "study.run(x, 3, verbose=0)"
    (found,) = advice(called(other, "fit"), "permutation", library=True, file=FILE)
    assert (found.code or "").splitlines()[-1] == f"model.fit(batches, …)  # in place of: {other}"
    assert "calls `fit`" not in found.in_one


def test_what_a_library_calls_is_not_the_users_call() -> None:
    """scikit-learn's `fit` takes arrays alone."""
    sklearn = Frame("/v/lib/site-packages/sklearn/model_selection/_search.py", 9, "fit", "", False)
    wrapper = Frame("/v/lib/site-packages/scikeras/wrappers.py", 9, "_fit_keras_model", "", False)
    traces = [
        replace(t, stack=(*t.stack[:-1], wrapper, sklearn, t.stack[-1])) for t in called("search.fit(x, y)", "fit")
    ]
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert (found.rule, found.code, found.traces_after) == ("keras_dataset_once", None, None)
    assert "`scikeras/wrappers.py` calls it" in found.in_one
    tuned = [replace(t, stack=(*t.stack[:-1], replace(t.stack[-1], source=_SEARCH))) for t in traces]
    (found,) = advice(tuned, "permutation", library=True, file=FILE)
    assert (found.code or "").splitlines()[-1] == f"tuner.search(batches, epochs=2)  # in place of: {_SEARCH}"


def test_the_pipeline_of_keras_2_is_advised_on() -> None:
    file = "/site-packages/tf_keras/src/engine/data_adapter.py"
    training = Frame("/site-packages/tf_keras/src/engine/training.py", 9, "predict", "", False)
    of_its_own = Frame("/site-packages/transformers/modeling_tf_utils.py", 9, "predict", "", False)
    traces = [replace(t, stack=(training, of_its_own, t.stack[-1])) for t in called("m.predict(x)", "predict")]
    (found,) = advice(traces, "permutation", library=True, file=file)
    assert numbers([found]) == [("keras_predict_once", 3, 0)]


_SEARCH = "tuner.search(x, y, epochs=2, batch_size=16)"


def test_what_fit_did_not_shuffle_keeps_its_order() -> None:
    (found,) = advice(called("net.fit(x, y, shuffle=False)", "fit"), "permutation", library=True, file=FILE)
    assert "order of its own" not in found.in_one


def test_batches_of_a_fixed_size_are_told_of_where_rows_stay_in_order() -> None:
    """As a stateful RNN is fitted: without `drop_remainder=True` the size of a dataset's batches is unknown."""
    notes = {}
    for line in ("net.fit(x, y, batch_size=n, shuffle=False)", "net.fit(x, y, batch_size=n)", "net.evaluate(x, y, n)"):
        method = "fit" if ".fit(" in line else "evaluate"
        (found,) = advice(called(line, method), "permutation", library=True, file=FILE)
        notes[line] = [note for note in found.notes if ".batch(n, drop_remainder=True)" in note]
    assert list(map(len, notes.values())) == [1, 0, 0]


def test_what_a_dictionary_of_options_may_pass_is_told() -> None:
    (found,) = advice(called("net.fit(x, y, epochs=2, **kw)", "fit"), "permutation", library=True, file=FILE)
    assert [note for note in found.notes if note.startswith("Of `**kw` what is of the arrays, such as `batch_size`, ")]
    assert ".batch(…)" in (found.code or "")


def test_what_computes_the_arrays_runs_once() -> None:
    (found,) = advice(called("net.fit(draw(9), np.eye(9), 4)", "fit"), "permutation", library=True, file=FILE)
    assert found.code is not None
    assert found.code.splitlines()[:2] == [
        "batches = tf.data.Dataset.from_tensor_slices((draw(9), np.eye(9)))  # before each call",
        "batches = batches.shuffle(batches.cardinality()).batch(4)",
    ]


def test_sizes_that_another_line_has_too_are_others_all_the_same() -> None:
    other = Frame("/home/user/train.py", 20, "main", "net.evaluate(x, y)", True)
    small, large = called("net.fit(x, y)", "fit"), called("net.evaluate(x, y)", "evaluate")
    large = [replace(t, stack=(t.stack[0], replace(t.stack[1], function="evaluate"), other)) for t in large]
    traces = [*small, *large]
    # each size was there before, and the line in question has both
    places = [None, 0, None, 2, 1, 3]
    traces = [
        replace(
            trace, closest=place, kind="first" if place is None else "recreated",
            lookup=replace(trace.lookup, object_number=number),
        )
        for number, (trace, place) in enumerate(zip(traces, places, strict=True), 1)
    ]  # fmt: skip
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert found.code is not None
    assert found.code.splitlines()[0].endswith("# before each call")


def of_validation(traces: list[Traced]) -> list[Traced]:
    """Each call makes one more, in another line of Keras'."""
    both = []
    for number, trace in enumerate(traces):
        adapter, fit, user = trace.stack
        for kind, frame in enumerate((fit, replace(fit, line=99))):
            closest = None if not number else 2 * (number - 1) + kind
            lookup = replace(trace.lookup, object_number=2 * number + kind + 1)
            both.append(replace(trace, stack=(adapter, frame, user), closest=closest, lookup=lookup))
    return both


@pytest.mark.parametrize(
    ("line", "held", "called_anew"),
    [
        (
            "h = net.fit(x, y, 4, validation_data=(xv, yv), shuffle=False)",
            "(xv, yv)).batch(4)", "h = net.fit(batches, validation_data=held_batches)",
        ),
        (
            "net.fit(x, y, validation_data=v, validation_batch_size=8, verbose=0)",
            "v).batch(8)", "net.fit(batches, validation_data=held_batches, verbose=0)",
        ),
    ],
)  # fmt: skip
def test_arrays_for_validation_have_a_pipeline_of_their_own(line: str, held: str, called_anew: str) -> None:
    (found,) = advice(of_validation(called(line, "fit")), "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_dataset_once", 6, 0)]
    assert found.code is not None
    made, of_held, call = found.code.splitlines()
    assert made.endswith("# once, before the loop, if the arrays are always the same")
    assert of_held.startswith("held_batches = tf.data.Dataset.from_tensor_slices(")
    assert of_held.endswith(held)
    assert call == f"{called_anew}  # in place of: {line}"
    assert "3 calls, 6 traces" in found.in_one
    assert "hold" not in found.in_one


def test_what_keras_would_hold_out_is_taken_of_one_dataset() -> None:
    line = "net.fit(x, y, batch_size=size, epochs=2, validation_split=0.1 * k)"
    (found,) = advice(of_validation(called(line, "fit")), "permutation", library=True, file=FILE)
    assert found.code == (
        "batches = tf.data.Dataset.from_tensor_slices((x, y))"
        "  # once, before the loop, if the arrays and `size` are always the same\n"
        "batches_kept = int(len(batches) * (1 - (0.1 * k)))  # `validation_split` holds out the rows after these\n"
        "held_batches = batches.skip(batches_kept).batch(size)\n"
        "batches = batches.take(batches_kept).shuffle(batches_kept).batch(size)\n"
        f"net.fit(batches, validation_data=held_batches, epochs=2)  # in place of: {line}"
    )


@pytest.mark.parametrize(
    ("arrays", "rows"),
    [
        ("inputs, labels", "labels"),  # a dictionary's length is that of its keys
        ("{'a': a, 'b': b}", "a"),
        ("{'a': a}, (first, second)", "first"),
        ("x", "x"),
        ("[pictures, facts], labels", "pictures"),  # a dictionary of labels, perhaps
        ("[pictures, facts], self.labels", "pictures"),
        ("inputs, [labels, ages]", "labels"),
    ],
)
def test_as_many_are_shuffled_as_there_are_examples(arrays: str, rows: str) -> None:
    (found,) = advice(called(f"net.fit({arrays})", "fit"), "permutation", library=True, file=FILE)
    assert f".shuffle(len({rows}))" in (found.code or "")


def test_a_list_of_arrays_is_a_tuple_of_a_dataset() -> None:
    line = "net.evaluate(pairs, same)"
    (found,) = advice(called(line, "evaluate"), "permutation", library=True, file=FILE)
    assert "If `pairs` is a list of arrays, write `tuple(pairs)`." in found.in_one
    pair = Node("tuple", children=(("0", tensor(8, 3)), ("1", tensor(8, 3))))
    data = Node("tuple", children=(("0", pair), ("1", tensor(8, 1))))
    traces = [
        replace(t, lookup=replace(t.lookup, signature=Signature((("data", data),)))) for t in called(line, "evaluate")
    ]
    (found,) = advice(traces, "grab_batch", library=True, file=FILE)
    assert "tuple(pairs)" not in found.in_one
    assert "from_tensor_slices((tuple(pairs), same))" in (found.code or "")


def test_a_dictionary_of_targets_is_shuffled_by_its_rows() -> None:
    """Its length is that of its keys."""
    traces = called("net.fit(x, y)", "fit")
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert "If `y` is a list or a dictionary of arrays, `len(y)` is how many these are" in found.in_one
    data = Node("tuple", children=(("0", tensor(8, 3)), ("1", Node("dict", children=(("['a']", tensor(8, 1)),)))))
    traces = [replace(t, lookup=replace(t.lookup, signature=Signature((("data", data),)))) for t in traces]
    (found,) = advice(traces, "grab_batch", library=True, file=FILE)
    assert "\nbatches = batches.shuffle(batches.cardinality()).batch(32)\n" in (found.code or "")
    assert "len(y)" not in found.in_one


def test_class_weights_are_a_part_of_the_dataset() -> None:
    line = "net.fit(x, y, class_weight=w, shuffle=False)"
    (found,) = advice(called(line, "fit"), "permutation", library=True, file=FILE)
    assert "With `class_weight` Keras maps a dataset anew in each call" in found.in_one
    (found,) = advice(called("net.fit(data, class_weight=w)", "fit"), "class_weights_map_fn", library=True, file=FILE)
    assert (found.rule, found.code, found.traces_after) == ("keras_dataset_once", None, 0)
    assert "as its sample weight" in found.in_one
    assert "on arrays" not in found.in_one
    assert "train_on_batch" not in found.in_one


def test_class_weights_of_keras_2() -> None:
    """Which makes a dataset of each batch for them; one of another line is of other elements."""
    traces = called("net.train_on_batch(x, y, class_weight=w)", "train_on_batch")
    (found,) = advice(traces, "_class_weights_map_fn", library=True, file="/tf_keras/src/engine/data_adapter.py")
    assert numbers([found]) == [("keras_dataset_once", 3, 0)]
    assert found.text == (
        "Each call of `train_on_batch` with `class_weight` maps a dataset anew: 3 calls. Pass `train_on_batch` the"
        " class weight of each row as its `sample_weight`, and leave `class_weight` out."
    )
    traces = each_in_a_line_of_its_own([("train_on_batch", "a.train_on_batch(x, y, class_weight=w)"), ("fit", "")] * 3)
    (both,) = advice(traces, "_class_weights_map_fn", library=True, file="/tf_keras/src/engine/data_adapter.py")
    assert "as its sample weight" in both.text
    assert "`train_on_batch` the class weight" in both.text


def test_with_replicas_the_model_itself_is_called() -> None:
    """`predict_on_batch` runs all rows on each of them, and returns what all of them gave (measured)."""
    traces = called("net.predict(x)", "predict")
    (found,) = advise(FunctionFacts("permutation", traces, library=True, file=FILE, distributes=True))
    assert numbers([found]) == [("keras_predict_once", 3, 0)]
    assert found.code is None
    assert "`model(x, training=False)`" in found.in_one


def each_in_a_line_of_its_own(calls: list[tuple[str, str]]) -> list[Traced]:
    """(method, line) of each."""
    traces = []
    for number, (trace, (method, line)) in enumerate(zip(keras(len(calls)), calls, strict=True), 1):
        adapter, of_keras, user = trace.stack
        stack = (adapter, replace(of_keras, function=method), replace(user, line=10 * number, source=line))
        traces.append(replace(trace, stack=stack))
    return traces


def test_a_loop_that_is_written_out_is_told_as_the_loop_is() -> None:
    fit, evaluate = "m.fit(x, y, 4, shuffle=False)", "m.evaluate(x, y)"
    traces = each_in_a_line_of_its_own([("fit", fit), ("evaluate", evaluate)] * 3)
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_dataset_once", 6, 0)]
    assert found.text.startswith("Each call of `fit` or `evaluate` on arrays")
    assert "6 calls, 6 traces" in found.in_one
    assert found.code == (
        "batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)  # before each call\n"
        f"m.fit(batches)  # in place of: {fit}\n"
        "batches_2 = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)  # before each call\n"
        f"m.evaluate(batches_2)  # in place of: {evaluate}"
    )


def test_a_dataset_gets_a_name_that_the_lines_do_not_have() -> None:
    fit, evaluate = "m.fit(batches, y)", "m.evaluate(data, batch_size=8)"
    traces = each_in_a_line_of_its_own([("fit", fit), ("evaluate", evaluate)] * 3)
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert found.code is not None
    assert [line.split(" = ")[0] for line in found.code.splitlines()] == [
        "dataset", "m.fit(dataset)  # in place of: m.fit(batches, y)",
        "dataset_2", "m.evaluate(dataset_2)  # in place of: m.evaluate(data, batch_size=8)",
    ]  # fmt: skip


def test_two_methods_that_one_line_calls_take_a_dataset_each() -> None:
    line = "m.fit(x, y, epochs=2); print(m.evaluate(x, y))"
    (found,) = advice([*called(line, "fit"), *called(line, "evaluate")], "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_dataset_once", 6, 0)]
    assert found.code == (
        f"batches = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(y)).batch(32){ONCE}\n"
        f"batches_2 = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)  # before each call\n"
        f"m.fit(batches, epochs=2); print(m.evaluate(batches_2))  # in place of: {line}"
    )
    part = "m.fit(x, y), m.evaluate(x, y)),"  # of a statement
    (found,) = advice([*called(part, "fit"), *called(part, "evaluate")], "permutation", library=True, file=FILE)
    assert "model.fit(batches, …)  # in place of" in (found.code or "")
    assert "model.evaluate(batches_2, …)  # in place of" in (found.code or "")


def test_predict_in_several_lines() -> None:
    traces = each_in_a_line_of_its_own([("predict", "a = m.predict(x)"), ("predict", "b = m.predict(z)"), ("fit", "")])
    (found,) = advice(traces, "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_predict_once", 3, 1)]
    assert [line.partition("  #")[0] for line in (found.code or "").splitlines()] == [
        "a = m.predict_on_batch(x)", "b = m.predict_on_batch(z)",
    ]  # fmt: skip
    assert any("where some of these lines pass float64" in note for note in found.notes)
    (one_line,) = advice(called("a = m.predict(x)", "predict"), "permutation", library=True, file=FILE)
    assert not any("float64" in note for note in one_line.notes)


def test_a_line_that_makes_one_is_not_told_beside_one_that_repeats() -> None:
    repeated = called("m.evaluate(x, y)", "evaluate")
    (single,) = each_in_a_line_of_its_own([("fit", "m.fit(x, y)")])
    single = replace(single, lookup=replace(single.lookup, object_number=9))
    (found,) = advice([*repeated, single], "permutation", library=True, file=FILE)
    assert numbers([found]) == [("keras_dataset_once", 4, 1)]


def test_what_evaluates_again_and_again_is_told_beside_what_predicts() -> None:
    """As in a callback at the end of each epoch."""
    lines = [("predict", "p = m.predict(x)"), ("evaluate", "m.evaluate(x, y)")]
    pairs = [each_in_a_line_of_its_own(lines) for _ in range(3)]
    traces = [
        replace(trace, lookup=replace(trace.lookup, object_number=number))
        for number, trace in enumerate((trace for pair in pairs for trace in pair), 1)
    ]
    found = advice(traces, "permutation", library=True, file=FILE)
    assert numbers(found) == [("keras_predict_once", 6, 3), ("keras_dataset_once", 6, 3)]
    assert found[1].text.startswith("Each call of `evaluate` on arrays builds an input pipeline of its own")
    assert found[1].evidence.endswith("With the change above as well 0 traces are left.")
    (fit,) = each_in_a_line_of_its_own([("fit", "m.fit(x, y)")])
    fit = replace(fit, lookup=replace(fit.lookup, object_number=9))
    found = advice([*traces, fit], "permutation", library=True, file=FILE)
    assert found[1].evidence.endswith("With the change above as well 1 trace is left.")


@pytest.mark.parametrize(
    ("line", "made", "changed"),
    [
        ("m.fit(*batch, verbose=0)", "tuple(batch)).shuffle(len(batch[0])).batch(32)", "m.fit(batches, verbose=0)"),
        ("a, b = m.evaluate(*held, batch_size=8)", "tuple(held)).batch(8)", "a, b = m.evaluate(batches)"),
        ("m.evaluate(*self.held)", "tuple(self.held)).batch(32)", "m.evaluate(batches)"),
        ("m.evaluate(*held, sample_weight=w)", "(x, y)).batch(…)", "model.evaluate(batches, …)"),
        ("m.evaluate(x, *rest)", "(x, y)).batch(…)", "model.evaluate(batches, …)"),
    ],
)
def test_a_starred_name_holds_all_the_arrays(line: str, made: str, changed: str) -> None:
    (found,) = advice(called(line, "fit" if "fit" in line else "evaluate"), "permutation", library=True, file=FILE)
    first, second = (found.code or "").splitlines()
    assert first == f"batches = tf.data.Dataset.from_tensor_slices({made}{ONCE}"
    assert second == f"{changed}  # in place of: {line}"


def test_a_starred_call_is_no_dataset_for_all_calls() -> None:
    """It may draw others each time; and is not to run twice."""
    line = "m.fit(*draw(9), epochs=2)"
    (found,) = advice(called(line, "fit"), "permutation", library=True, file=FILE)
    assert found.code is not None
    assert found.code.splitlines() == [
        "batches = tf.data.Dataset.from_tensor_slices(tuple(draw(9)))  # before each call",
        "batches = batches.shuffle(batches.cardinality()).batch(32)",
        f"m.fit(batches, epochs=2)  # in place of: {line}",
    ]


PAIR = "(tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None], tf.int64))"


def generated(
    line: str, method: str, *, adapter: str = "generator_data", spec: str = PAIR, built: str = "epoch", where: str = "f"
) -> list[Traced]:
    """The first is of the same call."""
    source = f"{built}_iterator = TFEpochIterator("
    stack = (
        Frame(f"/keras/src/trainers/data_adapters/{adapter}_adapter.py", 70, "get_tf_dataset", "", False),
        Frame("/keras/src/backend/tensorflow/trainer.py", 526 + len(built), method, source, False),
        Frame("/home/user/train.py", 9, where, line, True),
    )
    first, *others = [replace(trace, stack=stack) for trace in keras(3, method)]
    return [first, *(replace(t, evidence=GENERATED_AGAIN, output_signature=spec) for t in others)]


def of_generators(traces: list[Traced]) -> Advice:
    (found,) = advice(traces, "flat_map_fn", library=True, file="/tensorflow/python/data/ops/from_generator_op.py")
    assert found.rule == "keras_generator_once"
    return found


def test_a_dataset_of_a_generator_is_built_once() -> None:
    line = "history = self.net.fit(rows(x[keep], n), steps_per_epoch=4, epochs=2)"
    found = of_generators(generated(line, "fit", where="<module>"))
    assert numbers([found]) == [("keras_generator_once", 3, 1)]
    assert found.code == (
        "batches = tf.data.Dataset.from_generator(\n"
        "    lambda: rows(x[keep], n),\n"
        f"    output_signature={PAIR},\n"
        ").prefetch(tf.data.AUTOTUNE)  # once, before the loop\n"
        f"history = self.net.fit(batches, steps_per_epoch=4, epochs=2)  # in place of: {line}"
    )
    assert (found.warnings, found.notes) == ((), ())
    assert "it was built 3 times. Build a tf.data.Dataset of it once" in found.text


@pytest.mark.parametrize(
    ("line", "where", "notes"),
    [
        ("m.fit(rows(), steps_per_epoch=9)", "<module>", []),
        ("m.fit(rows(x), steps_per_epoch=9)", "train", []),
        ("m.fit(self.rows, steps_per_epoch=9)", "train", ["Or, of one model, call `fit` once"]),
        ("m.fit(rows(), epochs=2)", "<module>", ["It asks for a new generator in every epoch", "A generator does not"]),
        (
            "m.fit(some, steps_per_epoch=1, class_weight=w)",
            "<module>",
            ["Or, of one model, call `fit` once", "With `class_weight`"],
        ),
    ],
)
def test_what_is_to_be_known_of_a_dataset_of_a_generator(line: str, where: str, notes: list[str]) -> None:
    told = of_generators(generated(line, "fit", where=where)).notes
    assert [bool(note.startswith(start)) for note, start in zip(told, notes, strict=True)] == [True] * len(notes)


@pytest.mark.parametrize(
    ("line", "method", "spec", "function", "element"),
    [
        ("m.fit(rows)", "fit", PAIR, "in_any_order", "tuple(data[i]) for i in order"),
        ("m.fit(rows, shuffle=False)", "fit", PAIR, "in_order", "tuple(data[i]) for i in range(len(data))"),
        ("m.evaluate(rows)", "evaluate", "{'x': tf.TensorSpec([], tf.int64)}", "in_order", "data[i] for i in"),
        ("m.predict(rows)", "predict", "(tf.TensorSpec([], tf.int64),)", "in_order", "(data[i],) for i in"),
    ],
)
def test_a_py_dataset_is_gone_through(line: str, method: str, spec: str, function: str, element: str) -> None:
    found = of_generators(generated(line, method, adapter="py_dataset", spec=spec))
    assert found.code is not None
    assert ("import random" in found.code) == (function == "in_any_order")
    assert f"return ({element}" in found.code
    assert f"lambda: {function}(current['batches']),\n    output_signature={spec},\n" in found.code
    assert found.code.splitlines()[-2] == "current['batches'] = rows  # before each call"
    assert f"{line.replace('rows', 'batches')}  # in place of: {line}" in found.code


def test_a_sequence_of_keras_2_is_gone_through_as_fit_does() -> None:
    traces = generated("m.fit(rows, epochs=1)", "fit", where="<module>")
    file = "/site-packages/tf_keras/src/engine/data_adapter.py"
    sources = "dataset = tf.data.Dataset.from_generator(", "super().__init__("
    stack = tuple(Frame(file, 929 + i, "__init__", source, False) for i, source in enumerate(sources))
    trainer = Frame("/site-packages/tf_keras/src/engine/training.py", 1742, "fit", "", False)
    for frames, is_sequence in ((stack, True), (stack[:1], False)):
        found = of_generators([replace(t, stack=(*frames, trainer, t.stack[-1])) for t in traces])
        assert ("lambda: in_any_order(rows),\n" in (found.code or "")) == is_sequence
        assert ("on a Sequence builds" in found.text) == is_sequence


def test_what_fit_validates_with_has_a_dataset_of_its_own() -> None:
    line = "m.fit(x, y, validation_data=rows(n), validation_steps=2)"
    found = of_generators(generated(line, "fit", built="self._eval_epoch"))
    assert found.code is not None
    made = "held_batches = tf.data.Dataset.from_generator(\n    lambda: current['held_batches'],\n"
    assert f"current = {{}}  # once, as what follows, outside of the function\n{made}" in found.code
    assert "\ncurrent['held_batches'] = rows(n)  # before each call\n" in found.code
    assert "m.fit(x, y, validation_data=held_batches, validation_steps=2)" in found.code
    both = "é.fit(rows(k), validation_data=rows(n), steps_per_epoch=2)"
    (first, *of_x), (_, *held) = (generated(both, "fit", built=built) for built in ("epoch", "self._eval_epoch"))
    traces = [first, *of_x, *held]
    traces = [replace(trace, lookup=replace(trace.lookup, object_number=i)) for i, trace in enumerate(traces)]
    found = of_generators(traces)
    assert found.code is not None
    assert "é.fit(batches, validation_data=held_batches, steps_per_epoch=2)" in found.code
    assert "it was built 6 times. Build a tf.data.Dataset for each once" in found.text


def test_a_call_that_is_not_read_gets_code_of_its_kind() -> None:
    found = of_generators(generated("trainer.run(", "fit"))
    assert found.code is not None
    assert found.code.endswith("model.fit(batches, …)  # in place of: trainer.run(")
    assert "current['batches'] = …  # before each call\n" in found.code


def of_signatures(*specs: str) -> list[Traced]:
    """Each of them three times."""
    made = generated("m.fit(rows(n), steps_per_epoch=4)", "fit", where="<module>")
    traces = [replace(trace, output_signature=spec) for spec in specs for trace in made]
    return [replace(trace, lookup=replace(trace.lookup, object_number=i)) for i, trace in enumerate(traces)]


def test_one_dataset_of_elements_of_several_sizes() -> None:
    """One that is built with the sizes of one call would refuse those of another."""
    found = of_generators(of_signatures(PAIR, PAIR.replace(", 4]", ", 9]")))
    assert numbers([found]) == [("keras_generator_once", 6, 1)]
    assert f"output_signature={PAIR.replace(', 4]', ', None]')},\n" in (found.code or "")
    assert "it was built 6 times" in found.text
    assert found.notes[0].startswith("Sizes that are others in other calls are unknown to it")
    for other in ("(tf.TensorSpec([None, 4], tf.float32),)", PAIR.replace("[None, 4]", "[4]")):
        file = "/tensorflow/python/data/ops/from_generator_op.py"
        assert not advice(of_signatures(PAIR, other), "flat_map_fn", library=True, file=file)
