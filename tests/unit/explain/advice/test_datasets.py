"""Functions that are given to `tf.data`: what is advised by the lines and library frames of their traces' stacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Beside, Frame, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.new_objects import ITERATED_AGAIN
from tests.unit.explain.advice.test_advice_rules import (
    advice,
    history,
    iterator,
    numbers,
    of_tensors,
    recreated,
    tensor,
)

OPS = "/site-packages/tensorflow/python/data/ops"
MAPPED = (("structured_function.py", "__init__"), ("map_op.py", "_map_v2"), ("dataset_ops.py", "map"))
REDUCED = (("structured_function.py", "__init__"), ("dataset_ops.py", "reduce"))
CONVERTED = Frame("/site-packages/tensorflow/python/autograph/operators/control_flow.py", 449, "for_stmt", "", False)
TRACING = Frame("/site-packages/tensorflow/python/framework/func_graph.py", 1060, "func_graph_from_py_func", "", False)


def data(frames: Sequence[tuple[str, str]] = MAPPED) -> tuple[Frame, ...]:
    return tuple(Frame(f"{OPS}/{file}", 9, function, "", False) for file, function in frames)


def user(source: str, line: int = 7, function: str = "main") -> Frame:
    return Frame("/home/user/train.py", line, function, source, True)


def built(*stacks: tuple[Frame, ...], closure: tuple[ClosureChange, ...] = ()) -> list[Traced]:
    traces = recreated(len(stacks), closure, same_graph=not closure)
    return [replace(trace, stack=stack) for trace, stack in zip(traces, stacks, strict=True)]


def test_what_reduce_runs_is_not_of_a_dataset_that_is_built_again() -> None:
    (found,) = advice(built(*[(*data(REDUCED), user("total = ds.reduce(start, add)"))] * 4), "add")
    assert numbers([found]) == [("reduce_in_a_function", 4, 1)]
    assert found.code == (
        "@tf.function  # once, before the loop\ndef reduced(ds, start):\n    return ds.reduce(start, add)\n…\n"
        "total = reduced(ds, start)"
    )
    (found,) = advice(built(*[(*data(REDUCED), user("return ds.reduce(0.0, add)", function="score"))] * 4), "add")
    assert found.code == "@tf.function  # made once\ndef score(…):\n    …\n    return ds.reduce(0.0, add)"
    for line, passed in (
        ("total = loader.data(2).take(n).reduce(start, add)", "reduced(loader.data(2), n, start)"),
        ("return loader.data(2).reduce(start, add)", "reduced(loader.data(2), start)"),
        ("total = ds.map(lambda x: x + 1).reduce(start, add)", "reduced(ds, start)"),
        ("total = ds.filter(lambda x: x > lo).reduce(start, add)", None),  # of what dtype it would be a tensor
    ):
        (found,) = advice(built(*[(*data(REDUCED), user(line))] * 4), "add")
        assert (found.code or "").endswith(f" {passed}") if passed else not found.code
    closure = (ClosureChange("k", "1", "2", True),)
    (found,) = advice(built(*[(*data(REDUCED), user("ds.reduce(0, f)"))] * 2, closure=closure), "f")
    assert numbers([found]) == [("reduce_in_a_function", 2, 1)]
    assert "pass `k`, and what else is another each time, to it as tensors" in found.in_one


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("ds = ds.map(f).shuffle(9, seed=7).batch(2)", True),
        ("for x in ds.shuffle(9, 7).map(f):", True),
        ("ds = ds.map(f).shuffle(9).batch(2)", False),  # in any order
        ("ds = ds.map(f).shuffle(9, seed=None).batch(2)", False),
        ("ds = ds.map(f).shuffle(9, seed=7, reshuffle_each_iteration=False)", False),
    ],
)
def test_a_shuffle_goes_on_in_a_dataset_that_is_built_once(line: str, is_told: bool) -> None:
    (found,) = advice(built(*[(*data(), user(line))] * 3), "f")
    assert found.in_one.startswith("This changes the order of elements: a `shuffle` begins anew") == is_told
    assert "with a `shuffle` that goes on with its order" in found.evidence


def test_each_pass_over_a_dataset_begins_its_random_numbers_anew() -> None:
    """As each dataset that is built does (measured)."""
    traces = [replace(trace, nodes=9) for trace in built(*[(*data(), user("ds = ds.map(f)"))] * 3)]
    seeded = Graphs(lambda one, other: GraphPair(True, seeded=True))
    (found,) = advice(traces, "f", graphs=seeded)
    assert (found.rule, found.warnings) == ("build_dataset_once", ())


def test_one_order_for_all_passes_where_each_dataset_had_its_own() -> None:
    for given, is_told in (("9", True), ("9, None", True), ("9, 7", False), ("9, seed=7", False)):
        line = f"ds = ds.map(f).shuffle({given}, reshuffle_each_iteration=False)"
        (found,) = advice(built(*[(*data(), user(line))] * 3), "f")
        assert any("each pass has the first one's." in warning for warning in found.warnings) == is_told, given


@pytest.mark.parametrize(
    ("line", "is_told"),
    [("ds = ds.map(f).cache().batch(2)", True), ("ds = ds.cache().map(f).batch(2)", False)],
)
def test_a_cache_keeps_what_was_made_with_the_first_number(line: str, is_told: bool) -> None:
    closure = (ClosureChange("k", "1", "2", True),)
    (found,) = advice(built(*[(*data(), user(line))] * 3, closure=closure), "f")
    assert found.rule == "number_in_dataset"
    told = [
        "This changes results unless all of the dataset is gone through",
        "This changes results: a `cache` keeps the",
    ]
    assert [warning[: len(one)] for warning, one in zip(found.warnings, told, strict=False)] == told[: 1 + is_told]
    assert "no `cache` keeps the elements that were made before" in found.evidence
    (same,) = advice(built(*[(*data(), user(line))] * 3), "f")
    assert "`cache`" not in same.in_one


def test_what_makes_a_tensor_of_the_number_makes_none_of_a_variable() -> None:
    closure = (ClosureChange("k", "1", "2", True),)
    traces = built(*[(*data(), user("ds = ds.map(f)"))] * 3, closure=closure)
    pair = GraphPair(True, (Constant("float32", 0.5, 0.25),))  # of `math.exp(k)`
    (found,) = advice(traces, "f", graphs=Graphs(lambda one, other: pair))
    assert "and `tf.constant`, cannot take a tf.Variable: compute that where it is assigned" in found.in_one
    (found,) = advice(traces, "f", python_uses=["tf.constant(…k…) anew"])
    assert found.rule == "number_in_dataset"
    assert list(found.notes) == ["`tf.constant(…k…)` in it takes no tensor: write `tf.convert_to_tensor(…k…)`."]


def test_elements_of_another_shape_for_a_later_step_are_told_of_first() -> None:
    """`padded_batch(8, [limit])`, which a tf.Variable does not change any more."""
    closure = (ClosureChange("limit", "4", "6", True),)
    traces = built(*[(*data(), user("ds = ds.map(f)"))] * 3, closure=closure)
    (found,) = advice(traces, "f", given_others=["<lambda> of line 9"])
    assert found.rule == "number_in_dataset"
    assert found.warnings[0].startswith(
        "This may change results, or fail: `<lambda> of line 9` gets elements of another shape from each dataset."
    )
    (plain,) = advice(traces, "f")
    assert found.warnings[1:] == plain.warnings


def test_what_is_another_one_in_the_same_dataset_is_told_first() -> None:
    beside = (Beside("two_views", ("epoch", "strength"), True), Beside("crop", (), False))
    (found,) = advice(built(*[(*data(), user("ds = ds.map(f).map(two_views)"))] * 3), "f", beside=beside)
    assert found.warnings == (
        "This changes results by itself: `two_views`, which the same line gives to the dataset, closes over another"
        " `epoch` and `strength` each time, and a dataset that is built once keeps the first. Do what is advised of"
        " `two_views` as well, or build one dataset for each.",
        "This changes results where `crop` is a part of the same dataset: it closes over something else each time, and"
        " a dataset that is built once keeps the first. Do what is advised of `crop` as well, or build one dataset"
        " for each.",
    )


def test_what_a_traced_loop_or_function_builds_is_not_told_to_be_built_before() -> None:
    loop = (*data(REDUCED), CONVERTED, user("for x in dataset:"), TRACING, user("update(dataset)"))
    within = (*data(), user("ds = ds.map(f)"), TRACING, user("update(ds)"))
    for stack in (loop, within):
        for library in (False, True):
            assert advice(built(*[stack] * 3), "scan_body", library=library) == []


def test_one_line_that_calls_twice_for_datasets_of_its_own() -> None:
    """Only the instruction tells them apart: of the calls that are shown each builds one."""
    made = user("return ds.map(half)", 15, "make")
    fit = user("model.fit(make('train', 4), validation_data=make('test', 5), verbose=0)", 27)
    calls = [replace(fit, instruction=at) for at in (40, 62)]
    for library, name in ((False, "half"), (True, "mapped")):
        (found,) = advice(built(*[(*data(), made, call) for call in calls * 3]), name, library=library)
        assert numbers([found]) == [("build_dataset_once", 6, 2)]
        assert found.code == (
            "dataset_1 = make('train', 4)  # once, before the loop\n"
            "dataset_2 = make('test', 5)  # once, before the loop"
        )
        # each of them once: nothing was built again
        assert advice(built(*[(*data(), made, call) for call in calls]), name, library=library) == []
    line = "print(total(make('train', 4)), make('test', 5).reduce(start, add))"
    (found,) = advice(built(*[(*data(), made, replace(c, source=line)) for c in calls * 3]), "half")
    assert "dataset_1 = make('test', 5)  # once" in (found.code or "")


def test_a_dataset_is_not_called_as_the_function_that_builds_it() -> None:
    made = user("return ds.map(half)", 15, "dataset")
    lines = [user("for x in dataset(a, 4):", 27), user("for x in data.dataset(b):", 29)]
    (found,) = advice(built(*[(*data(), made, lines[0])] * 2), "half")
    assert found.code == "batches = dataset(a, 4)  # once, before the loop"
    (found,) = advice(built(*[(*data(), made, lines[1])] * 2), "half")
    assert found.code == "dataset = data.dataset(b)  # once, before the loop"


def test_each_line_builds_a_dataset_of_its_own() -> None:
    made = user("return ds.map(half)", 15, "make")
    lines = [user("for x in make(a, 4):", 27), user("for x in make(b, 5):", 29)]
    traces = built(*[(*data(), made, line) for line in lines * 3])
    (found,) = advice(traces, "half")
    assert numbers([found]) == [("build_dataset_once", 6, 2)]
    assert found.code == (
        "dataset_1 = make(a, 4)  # once, before the loop\ndataset_2 = make(b, 5)  # once, before the loop"
    )
    # each of them once: nothing was built again
    assert advice(traces[:2], "half") == []
    (found,) = advice(traces, "mapped", library=True)
    assert numbers([found]) == [("build_dataset_once", 6, 2)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("data = data.map(f).batch(2)", "data = data.map(f).batch(2)"),
        ("for i, x in enumerate(data.map(f).batch(2)):", "dataset = data.map(f).batch(2)"),
        ("model.fit(data.map(f), epochs=2)", "dataset = data.map(f)"),
        ("return data.map(f).reduce(0, add)", "dataset = data.map(f)"),
        ("total = sum(x for x in data.map(f).as_numpy_iterator())", "dataset = data.map(f)"),
        (".map(f)", ".map(f)"),
    ],
)
def test_the_line_that_builds_is_what_is_shown(line: str, code: str) -> None:
    (found,) = advice(built(*[(*data(), user(line))] * 2), "f")
    assert found.code == f"{code}  # once, before the loop"


def test_the_line_that_goes_through_it_is_shown_whoever_calls_that() -> None:
    """A training function that is called for each of several models: the loop is within it."""
    made = user("return ds.map(half)", 15, "make")
    loops = {"for x in make(n):": "make(n)", "total = train(make(n), verbose)": "make(n)"}
    for line, code in loops.items():
        calls = [user(f"{name} = fit({name})", 30 + i) for i, name in enumerate("ab")]
        (found,) = advice(built(*[(*data(), made, user(line, 20, "fit"), call) for call in calls * 3]), "half")
        assert numbers([found]) == [("build_dataset_once", 6, 2)]
        assert found.code == f"dataset = {code}  # once for each, before the loop"
        assert "Build the 2 datasets that differ once each" in found.text


def test_a_property_that_builds_a_dataset() -> None:
    """Two datasets in one line: `model.fit` is not what is to be run once."""
    made = user("return ds.map(split)", 15, "make")
    properties = [user(f"return self.make({name})", line, name) for line, name in ((21, "train"), (25, "val"))]
    line = user("model.fit(w.train, validation_data=w.val)", 30)
    (found,) = advice(built(*[(*data(), made, one, line) for one in properties * 3]), "split")
    assert found.code == "dataset_1 = w.train  # once, before the loop\ndataset_2 = w.val  # once, before the loop"


def test_a_part_of_a_part_is_built_by_the_outermost_line() -> None:
    inner = (*data(), user("data.flat_map(lambda x: x.map(f))", 3), TRACING, *data(), user("data = windows()", 8))
    (found,) = advice(built(*[inner] * 2), "f")
    assert found.code == "data = windows()  # once, before the loop"


def test_another_tensor_in_a_dataset_is_read_from_a_variable() -> None:
    traces = built(*[(*data(), user("scores = rows.map(f)"))] * 4, closure=of_tensors("query"))
    (found,) = advice(traces, "f")
    assert numbers([found]) == [("tensor_in_dataset", 4, 1)]
    assert found.code == (
        "kept_query = tf.Variable(query)  # once, before the dataset is built\n"
        "…  # `f` reads kept_query in place of query\nkept_query.assign(…)  # before each use"
    )
    assert found.apply is None
    for name in ("query", "query[1]"):  # an array that is closed over, or one number of it, is told as stale, too
        read = {name: [f"array #{n}" for n in range(4)]}
        (same,) = advice(traces, "f", values_read=read)
        assert numbers([same]) == [("tensor_in_dataset", 4, 1)]
        assert not any("anew" in warning for warning in same.warnings)
    (other,) = advice(traces, "f", values_read={"scale": ["1.0", "2.0", "3.0", "4.0"]})
    assert any("reads `scale`" in warning for warning in other.warnings)


def test_two_datasets_with_the_same_tensors_that_are_others_each_time() -> None:
    """Of a function that is called again: the second line's is compared with the first's, and that with the second's
    of the call before."""
    stacks = [(*data(), user("train = train.map(prep)", 7)), (*data(), user("test = test.map(prep)", 8))] * 3
    others = built(*stacks, closure=of_tensors("mean"))
    equal = built(*stacks)
    (found,) = advice([equal[place] if place % 2 else others[place] for place in range(6)], "prep")
    assert numbers([found]) == [("tensor_in_dataset", 6, 2)]
    assert "it was built 6 times, each time for another tensor: `mean`" in found.in_one


@pytest.mark.parametrize(
    ("line", "advised"),
    [
        ("ds = ds.map(lambda x: x * n)", True),
        ("ds = ds.filter(lambda x: x > n).map(lambda x: x * n)", True),
        ("ds = ds.map(times(n))", True),
        ("ds = ds.map(map_func=times(n), num_parallel_calls=2)", True),
        (".map(lambda x: x * n)", True),  # a part of a statement: what else is in it is assumed
        # read once, while the dataset is built
        ("return ds.window(n, shift=2).map(lambda x: x * n)", False),
        ("ds = ds.map(lambda x: x * n, num_parallel_calls=n)", False),
        ("ds = ds.map(lambda x: x * n).batch(n)", False),
    ],
)
def test_a_number_that_the_dataset_itself_is_built_with_is_no_variable(line: str, advised: bool) -> None:
    closure = (ClosureChange("n", "1", "2", True),)
    for closed_over in (closure, of_tensors("n")):
        found = advice(built(*[(*data(), user(line))] * 3, closure=closed_over), "<lambda>")
        assert [one.traces_after for one in found] == ([1] if advised else [])
        assert all("nothing else that the dataset is built of is another each time" in one.evidence for one in found)


def test_a_variable_has_the_dtype_that_the_number_has_in_the_graphs() -> None:
    closure = (ClosureChange("n", "1", "2", True),)
    traces = [replace(t, nodes=9) for t in built(*[(*data(), user("ds.map(f)"))] * 3, closure=closure)]
    graphs = Graphs(lambda one, other: GraphPair(True, (Constant("int64", 1, 2),)))
    (found,) = advice(traces, "f", graphs=graphs)
    assert (found.code or "").startswith("kept_n = tf.Variable(n, dtype=tf.int64)  # once")


def test_a_function_of_tf_data_is_not_declared() -> None:
    traces = built(*[(*data(), user("ds = ds.map(f)"))] * 3)
    other = replace(
        traces[1].lookup.signature, arguments=(("x", replace(traces[0].lookup.signature.arguments[0][1], shape=(5,))),)
    )
    traces[1] = replace(traces[1], lookup=replace(traces[1].lookup, signature=other))
    assert [a.rule for a in advice(traces, "f")] == ["build_dataset_once"]


def test_a_dataset_that_keras_distributes() -> None:
    def stack(line: str, number: int, *methods: str) -> tuple[Frame, ...]:
        distribute = Frame("/tensorflow/python/distribute/x.py", 9, "experimental_distribute_dataset", "", False)
        keras = [Frame("/keras/src/backend/tensorflow/trainer.py", 9, method, "", False) for method in methods]
        return *data(), distribute, *keras, user(line, number)

    fit, evaluate = stack("model.fit(ds, epochs=2)", 8, "fit"), stack("model.evaluate(ds)", 9, "evaluate")
    (found,) = advice(built(fit, evaluate), "normalize", library=True)
    assert numbers([found]) == [("distribute_dataset_once", 2, 1)]
    assert found.code == "ds = strategy.experimental_distribute_dataset(ds)  # once"
    # another one, and one that is not known
    assert advice(built(fit, stack("model.evaluate(test)", 9, "evaluate")), "normalize", library=True) == []
    assert advice(built(fit, stack("model.evaluate(*given)", 9, "evaluate")), "normalize", library=True) == []
    validated = stack("model.fit(ds, validation_data=test)", 8, "evaluate", "fit")
    assert advice(built(fit, validated), "normalize", library=True) == []


def test_iterators_over_a_distributed_dataset() -> None:
    file = "/site-packages/tensorflow/python/data/ops/multi_device_iterator_ops.py"
    traces = built(
        *[
            (Frame(file, 9, "__init__", "", False), user(line, 7))
            for line in ["for x, y in train:"] * 3 + ["use(data)"] * 2
        ]
    )
    again = [replace(trace, evidence=ITERATED_AGAIN) for trace in traces]
    traces = [traces[0], *again[1:3], replace(traces[3], verdict="bounded"), again[4]]
    (found,) = advice(traces, "_next_func", library=True, file=file)
    assert numbers([found]) == [("distributed_iterator_once", 5, 2)]
    made = "iter(strategy.experimental_distribute_dataset(dataset.repeat()))  # once, before all loops"
    assert found.code == (
        f"train_batches = {made}; dataset: what `train` was made of\n"
        "for _ in range(len(dataset)):  # in place of: for x, y in train:\n    (x, y) = next(train_batches)\n"
        f"batches = {made}\nfor _ in range(len(dataset)):\n    batch = next(batches)"
    )
    assert advice(built(*[(*data(), user("for x in train:"))] * 2), "_next_func", library=True, file=file) == []

    def code(*lines: str) -> str:
        stacks = [(Frame(file, 9, "__init__", "", False), user(line, n)) for n, line in enumerate(lines)]
        traces = [replace(trace, evidence=ITERATED_AGAIN) for trace in built(*stacks)]
        (found,) = advice(traces, "_next_func", library=True, file=file)
        return found.code or ""

    assert "  # in place of: for x in test:\n" in code("", "for x in test: step(x)")
    assert code("use(data)", "use(data)", "use(more)").count("once, before all loops") == 1
    assert code("", "for (x, y), z in zip(train, test):").endswith("    batch = next(batches)")
    numbered = "for step, (x, y) in enumerate(train):"
    assert code("", numbered).endswith(
        f"for step in range(len(dataset)):  # in place of: {numbered}\n    (x, y) = next(train_batches)"
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (
            "net.fit(a, b, batch_size=n)",
            "batches = tf.data.Dataset.from_tensor_slices((a, b)).shuffle(len(b)).batch(n)",
        ),
        ("net.fit(dataset)", ""),  # it is the user's
    ],
)
def test_batches_of_arrays_have_sizes_and_those_of_a_dataset_none(line: str, code: str) -> None:
    keras = Frame("/keras/src/backend/tensorflow/trainer.py", 399, "fit", "", False)
    traces = history(*({"iterator": iterator(size, 3)} for size in (4, 2)))
    traces = [replace(trace, stack=(keras, user(line))) for trace in traces]
    again = replace(traces[0], lookup=replace(traces[0].lookup, object_number=2), kind="recreated", verdict="bounded")
    file = "/site-packages/keras/src/backend/tensorflow/trainer.py"
    found = advice([*traces, again], "multi_step_on_iterator", library=True, file=file)
    assert numbers(found) == ([("keras_unknown_batch_size", 3, 2)] if code else [])
    assert [(one.code or "").split("  # ")[0] for one in found] == ([code] if code else [])


def test_one_line_that_builds_datasets_that_differ() -> None:
    """Of other images, say, or of another size that is closed over: one of each will do."""
    line = (*data(), user("ds = make(images[k]).map(half)"))
    elements = [{"x": tensor(4)}, {"x": tensor(6)}, {"x": tensor(4)}, {"x": tensor(6)}]
    traces = [
        replace(trace, stack=line, closest=place % 2 if place > 1 else trace.closest, lookup=one.lookup)
        for place, (trace, one) in enumerate(zip(built(*[line] * 4), history(*elements), strict=True))
    ]
    traces = [
        replace(trace, lookup=replace(trace.lookup, object_number=place + 1)) for place, trace in enumerate(traces)
    ]
    (found,) = advice(traces, "half")
    assert numbers([found]) == [("build_dataset_once", 4, 2)]
    assert "it was built 4 times. Build the 2 datasets that differ once each, outside the loop" in found.in_one
    assert found.code == "ds = make(images[k]).map(half)  # once for each, before the loop"


@pytest.mark.parametrize(
    "line", ["if train: ds = ds.map(half)", "else: ds = ds.map(half)", "elif n: ds = ds.map(half)"]
)
def test_a_statement_in_the_line_of_its_condition_is_one_of_several(line: str) -> None:
    """It is what the function is called for that is built once; its places are those of the line."""
    stack = (*data(), user(line, function="make"), user("for batch in make(path, train):", line=30))
    (found,) = advice(built(*[stack] * 3), "half")
    assert found.code == "dataset = make(path, train)  # once, before the loop"
    (found,) = advice(built(*[(*data(), user("else: run(ds.map(half))"))] * 3), "half")
    assert found.code == "dataset = ds.map(half)  # once, before the loop"


def test_elements_are_not_cast_before_a_call() -> None:
    line = (*data(), user("ds = make(images[k]).map(half)"))
    dtypes = [{"x": tensor(4)}, {"x": tensor(4, dtype="float64")}]
    traces = [
        replace(trace, stack=line, lookup=replace(one.lookup, object_number=place + 1))
        for place, (trace, one) in enumerate(zip(built(*[line] * 2), history(*dtypes), strict=True))
    ]
    traces[1] = replace(traces[1], changes=(*traces[1].changes, *history(*dtypes)[1].changes))
    assert advice(traces, "half") == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("data = data.skip(epoch).map(f)", ", or with another `epoch`"),
        ("data = data.take(n).batch(SIZE, drop_remainder=last).map(f)", ", or with another `last` or `n`"),
        ("data = data.batch(8 if epoch < size(2) else 4).map(f)", ", or with another `epoch`"),
        ("data = data.skip(epoch).map(partial(f, size=n))", ", or with another `n` or `epoch`"),
        ("data = data.batch(2 + epoch).map(f)", ", or with another `epoch`"),
        ("data = make(files[fold]).map(f)", ", or with another `files` or `fold`"),
        ("data = data.map(f).batch(SIZE)", ""),
        ("data = data.map(lambda x: f(x, n))", ""),
        ("seen = [int(v) for v in data.skip(n).map(f)]", ", or with another `n`"),
        ("loss = evaluate(data.batch(n).map(f), epoch)", ", or with another `n`"),
        ("data = data.map(f).apply(output_signature=sig)", ""),
        ("seen = [step(v, 0.1 / (epoch + 1)) for v in data.skip(n).map(f)]", ", or with another `n`"),
        ("data = data.map(f).batch(n).map(g)", ", or with another `n`"),
    ],
)
def test_what_else_the_line_is_passed_is_named(line: str, names: str) -> None:
    (found,) = advice(built(*[(*data(), user(line))] * 2), "f")
    assert f"If it is built of other data each time{names}, build one for each." in found.in_one
    assert "kept" not in (found.code or "")


@pytest.mark.parametrize(
    ("line", "rest", "names"),
    [
        ("data = data.map(f).skip(epoch)", "data = kept.skip(epoch)", ""),
        (
            "data = data.map(f).take(n).batch(SIZE, drop_remainder=last)",
            "data = kept.take(n).batch(SIZE, drop_remainder=last)",
            "",
        ),
        ("for x in data.map(partial(f, size=n)).skip(epoch):", "for x in kept.skip(epoch):", ", or with another `n`"),
        ("seen = [int(v) for v in data.map(f).skip(n)]", "seen = [int(v) for v in kept.skip(n)]", ""),
        ("def make(size): return data.map(f).batch(size)", "def make(size): return kept.batch(size)", ""),
        ("data = data.map(f).map(g).batch(n)", "data = kept.batch(n)", ""),
        ("return data.take(n).map(f).take(n)", "return kept.take(n)", ", or with another `n`"),
    ],
)
def test_what_names_choose_after_the_function_is_built_each_time(line: str, rest: str, names: str) -> None:
    """Another batch size is another dataset, of the same function: what is built once ends with that."""
    (found,) = advice(built(*[(*data(), user(line))] * 2), "f")
    assert (found.traces_before, found.traces_after) == (2, 1)
    once, each = (found.code or "").split("\n")
    assert once.startswith("kept = data.")
    assert once.endswith(")  # once, before the loop")
    assert each == f"{rest}  # in its place, each time"
    assert f"If it is built of other data each time{names}, build one for each." in found.in_one


def test_a_line_that_builds_for_other_callers_too_is_left_as_it_is() -> None:
    """What it would keep is the data, and what is read of them, of the first of those."""
    lines = [(*data(), user("return files.map(f).batch(n)", line=3), user(f"ds = make({n})", line=n)) for n in (7, 9)]
    traces = built(lines[0], lines[1], lines[0])
    traces[1], traces[2] = replace(traces[1], verdict="bounded"), replace(traces[2], closest=0)
    (found,) = advice(traces, "f")
    assert found.code == "ds = make(7)  # once, before the loop"
    (alone,) = advice(built(lines[0], lines[0]), "f")
    assert (alone.code or "").startswith("kept = files.map(f)  # once")


def test_so_it_is_where_several_lines_build_one_each() -> None:
    lines = [(*data(), user("return files.map(f).batch(n)", line=3), user(f"ds = make({n})", line=9)) for n in ("k", 4)]
    traces = [replace(trace, closest=max(place - 2, 0)) for place, trace in enumerate(built(*lines * 2))]
    traces[1] = replace(traces[1], verdict="bounded")
    (found,) = advice(traces, "f")
    assert "Build the 2 datasets that differ once each" in found.in_one
    assert "If one is built of other data each time, or with another `n` or `k`, build one for each." in found.in_one


def test_what_a_model_of_a_library_builds_in_its_fit_is_no_dataset_of_the_users() -> None:
    """KerasHub's tasks map what they are given, in `fit` and `predict` of their own."""
    of_the_library = Frame("/site-packages/keras_hub/src/utils/pipeline_model.py", 9, "predict", "", False)
    line = user("print(model.predict(x))")
    assert advice(built(*[(*data(), of_the_library, line)] * 3), "preprocess_samples", library=True) == []
    loads = Frame("/site-packages/other/loader.py", 9, "load", "", False)
    (found,) = advice(built(*[(*data(), loads, user("ds = loader.load()"))] * 3), "parse", library=True)
    assert found.rule == "build_dataset_once"


@pytest.mark.parametrize(
    ("line", "function", "names"),
    [
        ("ds = tf.data.Dataset.from_tensor_slices(lines).map(f)", "handle", "`lines` is"),
        ("ds = tf.data.Dataset.from_tensor_slices((x, np.array(y))).map(f)", "handle", "`x` and `y` are"),
        ("ds = tf.data.Dataset.from_tensor_slices(lines).map(f)", "<module>", ""),  # in a loop over epochs, say
        ("ds = tf.data.Dataset.from_tensor_slices(LINES).map(f)", "handle", ""),
        ("ds = tf.data.Dataset.from_tensor_slices(X[: 8 * epoch]).map(f)", "<module>", "`X[:8 * epoch]` is"),
        ("ds = tf.data.Dataset.from_tensor_slices((x[rows], y[rows])).map(f)", "fit", "`x[rows]` and `y[rows]` are"),
        ("ds = tf.data.Dataset.from_tensor_slices(X[:8]).map(f)", "<module>", ""),
        ("ds = data.map(f)", "handle", ""),
    ],
)
def test_data_that_a_function_is_handed_may_be_others(line: str, function: str, names: str) -> None:
    (found,) = advice(built(*[(*data(), user(line, function=function))] * 2), "f")
    assert found.in_one.startswith(f"This changes results where {names} other data") == bool(names)


def test_what_a_librarys_wrapper_builds_is_found_in_the_line_by_the_name_that_is_called() -> None:
    library = tuple(
        Frame(f"/site-packages/replay/{file}.py", 9, function, "", False)
        for file, function in (("uniform", "_as_dataset"), ("buffer", "as_dataset"), ("config", "wrapper"))
    )
    stack = (*data(), *library, user("batch, _ = next(iter(rb.as_dataset(sample_batch_size=n)))"))
    (found,) = advice(built(*[stack] * 3), "get_next", library=True, file="/site-packages/replay/uniform.py")
    assert numbers([found]) == [("build_dataset_once", 3, 1)]
    assert found.code == "dataset = rb.as_dataset(sample_batch_size=n)  # once, before the loop"


def test_a_librarys_datasets_with_other_numbers_are_built_once_each() -> None:
    library = Frame("/site-packages/replay/buffer.py", 9, "as_dataset", "", False)
    stack = (*data(), library, user("for batch in rb.as_dataset(n):"))
    closes_over = (
        "The new tf.function object closes over `n`: 4 → 6. One object that is passed it as a tensor would do."
    )
    traces = built(*[stack] * 6)
    traces[1] = replace(traces[1], evidence=closes_over)
    traces = [replace(t, closest=i - 2) if i > 1 else t for i, t in enumerate(traces)]
    (found,) = advice(traces, "get_next", library=True, file="/site-packages/replay/buffer.py")
    assert numbers([found]) == [("build_dataset_once", 6, 2)]
    assert "Build the 2 datasets that differ once each" in found.in_one


def test_of_a_dataset_that_was_built_for_other_numbers_too_one_is_kept_for_each() -> None:
    """As of sizes 12, 16, 12: a dataset that is built once would have the first one's."""
    line = (*data(), user("ds = ds.map(lambda x: resize(x, size))"))
    other = built(line, line, closure=(ClosureChange("size", "12", "16", True),))
    again = replace(built(line, line)[1], lookup=replace(other[1].lookup, object_number=3), closest=0)
    found = advice([*other, again], "<lambda>")
    assert numbers(found) == [("number_in_dataset", 3, 1), ("build_dataset_once", 3, 2)]
    assert "built twice for `size` that came more than once. Build one dataset for each `size`" in found[1].in_one
    assert (found[1].code or "").endswith("  # once for each size, before the loop")
