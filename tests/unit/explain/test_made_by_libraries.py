"""What Keras and TensorFlow make is told by the calls of the user's that it is made for."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.words.made_by_libraries import made_by, named_text, whole_of
from tb_retrace_plugin.explain.words.place import is_of_keras_or_tensorflow, place_text, user_frame
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

SITE = "/venv/lib/python3.11/site-packages"
KERAS = f"{SITE}/keras/src"
ARRAYS = f"{KERAS}/trainers/data_adapters/array_data_adapter.py"
TRAINER = f"{KERAS}/backend/tensorflow/trainer.py"
GENERATORS = f"{SITE}/tensorflow/python/data/ops/from_generator_op.py"


def function(name: str, file: str, qualname: str = "", library: bool = True) -> pb.Function:
    return pb.Function(name=name, file=file, qualname=qualname or name, library=library)


def stack(*calls: tuple[str, str], user: bool = True) -> pb.Stack:
    """(file, function), innermost first, and the user's line."""
    frames = [pb.Frame(file=file, function=called) for file, called in calls]
    frames += [pb.Frame(file="train.py", function="<module>", user=True)] if user else []
    frames += [pb.Frame(file=f"{KERAS}/other.py", function="not_it")]
    return pb.Stack(frames=frames)


def fit(method: str = "fit", *inner: tuple[str, str]) -> pb.Stack:
    around = (f"{KERAS}/utils/traceback_utils.py", "error_handler")
    return stack(*inner, (TRAINER, method), around)


def role(made: pb.Function, *stacks: pb.Stack) -> str | None:
    found = made_by(made, stacks)
    return found.role if found is not None else None


def test_parts_of_an_input_pipeline() -> None:
    part = function("grab_batch", ARRAYS, "ArrayDataAdapter.get_tf_dataset.<locals>.grab_batch")
    assert role(part, fit()) == "a part of the input pipeline that `fit` makes of arrays"
    made = made_by(part, [fit(), fit("predict"), fit()])
    assert made == (
        "a part of the input pipeline that `fit` and `predict` make of arrays",
        "pipeline of fit, predict · grab_batch",
    )
    assert whole_of(made.role) == "the input pipeline that `fit` and `predict` make of arrays"


@pytest.mark.parametrize(
    ("adapter", "source", "told"),
    [
        (f"{KERAS}/trainers/data_adapters/py_dataset_adapter.py", "", "a PyDataset"),
        (f"{KERAS}/trainers/data_adapters/generator_data_adapter.py", "", "a generator"),
        (f"{SITE}/tf_keras/src/engine/data_adapter.py", "super().__init__(", "a Sequence"),
    ],
)
def test_what_tensorflow_makes_for_a_dataset_of_keras(adapter: str, source: str, told: str) -> None:
    of_keras = fit("fit", (GENERATORS, "_from_generator"), (GENERATORS, "from_generator"), (adapter, "__init__"))
    of_keras.frames[2].source = source
    assert role(function("flat_map_fn", GENERATORS), of_keras) == f"a part of the dataset that `fit` makes of {told}"


def test_a_dataset_of_the_users() -> None:
    data = f"{SITE}/tensorflow/python/data/ops/dataset_ops.py"
    around = (f"{SITE}/tensorflow/python/util/deprecation.py", "new_func")
    made = stack((GENERATORS, "_from_generator"), (data, "from_generator"), around)
    assert role(function("flat_map_fn", GENERATORS), made) == "a part of the dataset that `from_generator` makes"
    series = f"{KERAS}/utils/timeseries_dataset_utils.py"
    made = stack((data, "map"), (series, "timeseries_dataset_from_array"))
    told = "a part of the dataset that `timeseries_dataset_from_array` makes"
    assert role(function("<lambda>", series), made) == told


def test_a_lambda_is_told_by_what_it_is_given_to() -> None:
    """A line may have several."""
    data = f"{SITE}/tensorflow/python/data/ops/dataset_ops.py"
    mine = function("<lambda>", "train.py", library=False)
    stacks = [stack((data, "_map_v2"), (data, method)) for method in ("map", "filter")]
    assert made_by(mine, stacks[:1]) == ("the lambda that `map` is given", "map · <lambda>")
    assert role(mine, *stacks) == "the lambda that `map` and `filter` are given"
    assert role(function("parse", "train.py", library=False), stacks[0]) is None
    assert role(mine, stack((f"{SITE}/tensorflow/python/eager/f.py", "__call__"))) is None


def test_what_tf_data_makes_of_a_tf_function_is_told_by_what_makes_it() -> None:
    data = f"{SITE}/tensorflow/python/data/ops/dataset_ops.py"
    mine = function("parse", "train.py", library=False)
    mine.variant = "tf.data"
    stacks = [stack((data, "_map_v2"), (data, method)) for method in ("map", "filter")]
    assert made_by(mine, stacks[:1]) == ("what `map` makes of a tf.function", "map · parse")
    assert role(mine, *stacks) == "what `map` and `filter` make of a tf.function"
    assert role(mine) == "what `tf.data` makes of a tf.function"


def test_steps_are_told_by_the_method_that_runs_them() -> None:
    step, loop = function("one_step_on_data", TRAINER), function("multi_step_on_iterator", TRAINER)
    within_fit = fit("fit", (TRAINER, "evaluate"))
    assert role(step, fit(), within_fit) == "the step that `fit` and `evaluate` run on a batch"
    assert role(loop, fit()) == "the loop over batches that `fit` runs"
    assert role(step, fit("train_on_batch")) == "the step that `train_on_batch` runs"
    assert role(function("train_function", f"{SITE}/tf_keras/src/engine/training.py"), fit()) == (
        "the step that `fit` runs on a batch"
    )


def test_what_is_saved_and_loaded() -> None:
    loaded = function("restored_function_body", f"{SITE}/tensorflow/python/saved_model/function_deserialization.py")
    assert role(loaded) == "a function of a SavedModel that was loaded"
    forward = function("_jvp_helper_wrapper", f"{SITE}/tensorflow/python/eager/forwardprop.py")
    assert role(forward, stack((f"{SITE}/tensorflow/python/ops/math_ops.py", "binary_op_wrapper"))) == (
        "a function that `tf.autodiff.ForwardAccumulator` traces for a kind of operation"
    )
    layer = f"{KERAS}/backend/tensorflow/layer.py"
    exported = stack((layer, "_tracked"), (f"{KERAS}/models/model.py", "export"))
    assert role(function("serving_default", layer), exported) == "a function that `export` traces"
    weights = function("class_weights_map_fn", f"{KERAS}/trainers/data_adapters/tf_dataset_adapter.py")
    assert role(weights, fit()) == "what `fit` makes of `class_weight`"


def test_what_the_user_knows_by_its_name_has_none() -> None:
    assert role(function("train_step", "train.py", library=False), fit()) is None
    assert role(function("Sequential", f"{KERAS}/utils/traceback_utils.py"), fit()) is None
    assert role(function("generate", f"{SITE}/transformers/generation.py"), fit()) is None
    assert role(function("initialize_variables", f"{SITE}/tensorflow/python/eager/f.py"), fit()) is None


def test_what_is_called_by_no_name() -> None:
    """`for batch in dataset:`, `layer(x)`: what these call within says nothing to the user."""
    data = f"{SITE}/tensorflow/python/data/ops/some_op.py"
    for called in ("__iter__", "__call__", "__init__", "_call_attribute"):
        assert role(function("f", data), stack((data, "get_concrete_function"), (data, called))) is None
    iterator = f"{SITE}/tensorflow/python/data/ops/multi_device_iterator_ops.py"
    loop = function("scan_body", f"{SITE}/tensorflow/python/data/ops/dataset_autograph.py")
    assert role(loop) == "the body of a `for` loop over a dataset"
    assert role(function("_next_func", iterator)) == "a part of the iterators over a distributed dataset"


def test_nothing_is_told_of_what_no_line_of_the_users_called() -> None:
    step = function("one_step_on_data", TRAINER)
    assert role(step, stack((TRAINER, "fit"), user=False)) is None
    assert role(step) is None


def test_in_sentences() -> None:
    told = "the step that `fit` runs on a batch"
    trace = pb.Trace(function=function("one_step_on_data", TRAINER), kind="first")
    trace.function.line = 12
    assert trace_sentence(trace, told) == (
        "The step that `fit` runs on a batch (`one_step_on_data`) was traced for the first time."
    )
    assert trace_sentence(trace) == "`one_step_on_data` was traced for the first time."
    assert named_text("f`g", "") == "`f'g`"
    assert place_text(trace.function, told) == (
        "The step that `fit` runs on a batch (`one_step_on_data`, keras/src/backend/tensorflow/trainer.py:12)"
    )


def test_the_line_that_calls_what_a_decorator_hands_on_is_the_one_that_is_told() -> None:
    library = pb.Frame(file="/site-packages/tensorflow/x.py", line=1, source="return f(*args, **kwargs)")
    timed = pb.Frame(file="jit.py", line=14, source="return fn(*args, **kwargs)", user=True)
    logged = pb.Frame(file="jit.py", line=24, source="result = self.f(name, *args, **kwargs)", user=True)
    calls = pb.Frame(file="main.py", line=43, source="loss = step(x, y, lr)", user=True)
    spreads = pb.Frame(file="main.py", line=50, source="train(*batch, **options(step))", user=True)
    for frames, told in (
        ([library, timed, logged, calls, spreads], calls),
        ([library, spreads, calls], spreads),
        ([library, timed], timed),
        ([library], None),
    ):
        assert user_frame(pb.Stack(frames=frames)) == told


@pytest.mark.parametrize(
    ("file", "is_theirs"),
    [
        ("/v/lib/site-packages/keras/src/trainers/trainer.py", True),
        ("/v/lib/site-packages/tensorflow/python/data/ops/map_op.py", True),
        (r"C:\v\Lib\site-packages\tf_keras\src\engine\training.py", True),
        ("/src/tensorflow/python/data/ops/map_op.py", True),  # of one that is built from its sources
        ("/v/lib/site-packages/optimizers/tensorflow/minimise.py", False),
        ("/v/lib/dist-packages/layers/backend/keras/model.py", False),
    ],
)
def test_other_packages_have_folders_of_these_names(file: str, is_theirs: bool) -> None:
    assert is_of_keras_or_tensorflow(file) is is_theirs
