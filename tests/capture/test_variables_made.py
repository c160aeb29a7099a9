"""Whose the variables are that a first call creates, for real models and optimizers."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_LATE
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.capture.conftest import RecordFixture


def told(trace: pb.Trace) -> list[tuple[str, str, str, int]]:
    return [(one.name, one.kind, one.given, one.count) for one in trace.created_for]


# AutoGraph of the oldest TensorFlow converts all of tf_keras' code that runs: 15 s for one model
@pytest.fixture(params=["keras", pytest.param("tf_keras", marks=pytest.mark.newest)])
def keras(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def apply(optimizer: Any, model: Any, loss: Any, tape: tf.GradientTape, more: Any = ()) -> None:
    variables = [*model.trainable_variables, *more]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


def test_of_a_model_and_its_optimizer(recording: RecordFixture, keras: Any) -> None:
    """A frozen layer is none of what the optimizer is built for; a metric has its variables before."""
    model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2, trainable=False), keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam()
    metric = keras.metrics.Mean()

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x / 2.0, training=True))
        apply(optimizer, model, loss, tape)
        metric.update_state(loss)
        return loss

    with recording() as r:
        step(tf.ones([2, 4]))
        step(tf.ones([2, 4]))
    first, second = [trace for trace in r.traces if trace.function.name == "step"]
    assert told(first) == [
        ("optimizer", "optimizer", "model.trainable_variables", 8),
        ("model", "layer", "x / 2.0", 6),
    ]
    assert not told(second)


def test_of_a_list_that_the_optimizer_is_applied_to(recording: RecordFixture, keras: Any) -> None:
    class Inverse:
        def __init__(self) -> None:
            self.net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
            self.rate = tf.Variable(1.0)
            self.fitted = [*self.net.trainable_variables, self.rate]
            self.opt = keras.optimizers.Adam()

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self.net(x)) * self.rate
            self.opt.apply_gradients(zip(tape.gradient(loss, self.fitted), self.fitted, strict=True))
            return loss

    with recording() as r:
        inverse = Inverse()
        inverse.step(tf.ones([2, 4]))
    assert [one[:3] for one in told(r.of("step")[0])] == [("self.opt", "optimizer", "self.fitted")]


def test_of_what_a_strategy_is_handed(recording: RecordFixture) -> None:
    """Keras makes an optimizer's variables in the scope of its strategy alone."""
    keras = pytest.importorskip("keras")
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])

    class Trainer:
        def __init__(self) -> None:
            with strategy.scope():
                self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
                self.opt = keras.optimizers.Adam()

        def step_of_one(self, x: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self.model(x, training=True))
            apply(self.opt, self.model, loss, tape)
            return loss

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            return strategy.run(self.step_of_one, args=(x,))

    with recording() as r:
        trainer = Trainer()
        trainer.step(tf.ones([2, 4]))
    assert told(r.of("step")[0]) == [("self.opt", "optimizer in a scope", "self.model.trainable_variables", 4)]


def test_of_attributes_and_of_what_a_helper_reads(recording: RecordFixture, keras: Any) -> None:
    bias = tf.Variable(1.0)

    class Trainer:
        def __init__(self) -> None:
            self.parts = {"net": keras.Sequential([keras.layers.Dense(1)])}
            self._optimizer = keras.optimizers.SGD(0.1, momentum=0.9)
            self.scale: Any = None
            self.head: Any = None

        def loss(self, x: tf.Tensor) -> tf.Tensor:
            if self.scale is None:
                self.scale = tf.Variable(tf.ones([2, 1]))
                self.head = keras.layers.Dense(1)
            return tf.reduce_mean(self.head(self.parts["net"](x)) * self.scale) + bias

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = self.loss(x)
            apply(self._optimizer, self.parts["net"], loss, tape, [bias])
            return loss

    with recording() as r:
        trainer = Trainer()
        trainer.step(tf.ones([2, 4]))
    first = next(trace for trace in r.traces if trace.function.name == "step")
    optimizer, *others = told(first)
    assert optimizer[:3] == ("self._optimizer", "optimizer", "[bias] + self.parts['net'].trainable_variables")
    assert sorted(others) == [
        ("self.head", "made", "", 2),
        ("self.parts['net']", "layer", "", 2),
        ("self.scale", "variable", "float32 (2, 1)", 1),
    ]


def test_of_an_optimizer_that_has_no_build(recording: RecordFixture) -> None:
    keras = pytest.importorskip("tf_keras")
    weight, optimizer = tf.Variable(1.0), keras.optimizers.legacy.Adam()

    @tf.function
    def step() -> None:
        optimizer.apply_gradients([(weight * 2.0, weight)])

    with recording() as r:
        step()
    assert [one[:3] for one in told(r.traces[0])] == [("optimizer", "", "")]


def test_of_what_has_no_name(recording: RecordFixture) -> None:
    kept: dict[Any, tf.Variable] = {}

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        key = (1, 2)  # no name of an item is written with it
        if key not in kept:
            kept[key] = tf.Variable(2.0, name="hidden")
        return x * kept[key]

    with recording() as r:
        step(tf.ones([2]))
    first = next(trace for trace in r.traces if trace.function.name == "step")
    assert told(first) == [("hidden", "", "", 1)]


def test_nothing_of_the_users_runs_for_it(recording: RecordFixture) -> None:
    class Holder:
        def __init__(self) -> None:
            self.v: Any = None
            self.hidden: list[Any] = []

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

        @property
        def worst(self) -> Any:
            raise AssertionError

        def __iter__(self) -> Any:
            raise AssertionError

    class Hidden:
        """Asked for anything it fails, once it is made."""

        @property
        def __class__(self) -> Any:
            raise AssertionError

        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise AssertionError

    holder = Holder()
    holder.hidden = [Hidden()]

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        if holder.v is None:
            holder.v = tf.Variable(2.0)
        return x * holder.v

    with recording() as r:
        step(tf.ones([2]))
    assert told(r.traces[0]) == [("holder.v", "variable", "float32 ()", 1)]


def test_not_where_values_are_hidden(recording: RecordFixture) -> None:
    kept: dict[str, tf.Variable] = {}

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        if "secret" not in kept:
            kept["secret"] = tf.Variable(2.0)
        return x * kept["secret"]

    with recording(values="none") as r:
        step(tf.ones([2]))
    assert len(r.traces) > 1
    assert not any(told(trace) for trace in r.traces)


def test_whether_an_earlier_graph_has_variables_of_the_same_shapes(
    recording: RecordFixture, tmp_path: pathlib.Path
) -> None:
    """Of what a function closes over, of a method's instance, and of what is passed; of a class that TensorFlow knows
    nothing of, variables of any shape might be passed in their own arguments."""

    class Plain:
        def __init__(self, size: int) -> None:
            self.weights = tf.Variable(tf.ones([size]))

        @tf.function
        def method(self) -> tf.Tensor:
            return tf.reduce_sum(self.weights)

    class Module(tf.Module):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.weights = tf.Variable(tf.ones([size]))

        @tf.function
        def of_module(self) -> tf.Tensor:
            return tf.reduce_sum(self.weights)

    class Trainer:
        """Of its own it has a variable that is of one shape always, or of any."""

        def __init__(self, model: Module, own: tf.Variable | None = None) -> None:
            self.model, self.steps, self.own = model, tf.Variable(1.0), [own]

        @tf.function
        def of_trainer(self) -> tf.Tensor:
            return tf.reduce_sum(self.model.weights) * self.steps

        @tf.function
        def of_its_own(self) -> tf.Tensor:
            return tf.reduce_sum(self.model.weights) * tf.reduce_sum(self.own[0])

    @tf.function
    def taking(one: Any) -> tf.Tensor:
        return tf.reduce_sum(one.weights)

    written = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def writing(one: Any) -> tf.Tensor:
        with written.as_default():
            tf.summary.scalar("weights", tf.reduce_sum(one.weights), step=0)
        return tf.reduce_sum(one.weights)

    @tf.function
    def beside(one: Any, loss: Any, seen: Any) -> tf.Tensor:
        seen.update_state(tf.constant(1.0))
        return loss(one.weights, one.weights)

    def make(one: Any) -> Any:
        @tf.function
        def closed() -> tf.Tensor:
            return tf.reduce_sum(one.weights)

        return closed

    def make_of_plain(one: Any) -> Any:
        @tf.function
        def around() -> tf.Tensor:
            return tf.reduce_sum(one.weights)

        return around

    def make_beside_metrics(one: Any) -> Any:
        seen, several = tf.keras.metrics.Mean(), {"more": tf.keras.metrics.Mean()}
        traced: list[Any] = []

        @tf.function
        def measured() -> tf.Tensor:
            seen.update_state(1.0)
            several["more"].update_state(2.0)
            total = tf.reduce_sum(one.weights)
            traced.append(total)
            return total

        return measured

    sizes = (2, 3, 2)
    plain, modules = [Plain(size) for size in sizes], [Module(size) for size in sizes]
    trainers, others = [*map(Trainer, modules)], [Trainer(modules[0], tf.Variable(tf.ones([size]))) for size in sizes]
    with recording() as r:
        for one, module, trainer, other in zip(plain, modules, trainers, others, strict=True):
            one.method()
            module.of_module()
            trainer.of_trainer()
            other.of_its_own()
            taking(module)
            writing(module)
            beside(module, tf.keras.losses.MeanSquaredError(), tf.keras.metrics.Mean())
            make(module)()
            make_beside_metrics(module)()
            make_of_plain(one)()
    told: dict[str, list[tuple[str, str]]] = {}
    for trace in r.traces:
        told.setdefault(trace.function.name, []).append((trace.verdict, trace.evidence))
    alike = "as many operations as an earlier one, on other variables of the same shapes"
    for name, second, of_third in (
        ("method", "unknown", alike), ("of_module", "bounded", alike), ("taking", "bounded", ""),
        ("writing", "bounded", ""),
        ("beside", "bounded", ""),
        ("closed", "bounded", alike), ("measured", "bounded", alike), ("around", "unknown", alike),
        ("of_trainer", "bounded", alike), ("of_its_own", "unknown", alike),
    ):  # fmt: skip
        (_, (word, why), (third, why_third)) = told[name]
        assert (word, third) == (second, "unknown"), name
        assert ("no earlier graph has variables of such shapes" in why) == (second == "bounded")
        assert of_third in why_third


def test_what_a_function_that_is_called_within_has_and_does(recording: RecordFixture) -> None:
    """It is a tf.function, which has no `variables`, and counts by what its graph does."""

    def make(weights: Any, deep: bool) -> Any:
        one = tf.Module()
        one.weights = weights

        @tf.function
        def inner(x: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(tf.tanh(x * one.weights) if deep else x * one.weights)

        @tf.function
        def outer(x: tf.Tensor) -> tf.Tensor:
            return inner(x)

        return outer

    with recording() as r:
        for deep in (False, True, False):
            make(tf.Variable([1.0, 2.0]), deep)(tf.ones([2]))
    second, third = (trace.evidence for trace in r.of("outer")[1:])
    assert second == (
        "The new tf.function object closes over `deep of inner`: False → True, another `one of inner`. Whether one"
        " object could serve both is not known."
    )
    assert third.startswith(
        "The new tf.function object closes over another `one of inner`, and its graph has as many operations as an"
    )


def test_models_that_are_given_to_tf_function_themselves(recording: RecordFixture) -> None:
    class Scaling(tf.Module):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.scale = tf.Variable(tf.ones([size]))

        def __call__(self, x: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(x * self.scale)

    with recording() as r:
        for size in (2, 3, 2):
            tf.function(Scaling(size))(tf.ones([]))
    assert [trace.verdict for trace in r.traces] == ["needed", "bounded", "unknown"]


def test_metrics_that_compile_is_given_by_name(recording: RecordFixture) -> None:
    """Those that are objects have their variables before."""
    keras = pytest.importorskip("keras")

    def nearest(y: tf.Tensor, p: tf.Tensor) -> tf.Tensor:
        return tf.reduce_min(tf.abs(y - p))

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae", nearest, keras.metrics.MeanSquaredError()])
    model.optimizer.build(model.trainable_variables)
    with recording() as r:
        model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
    (found,) = [told(trace) for trace in r.traces if trace.created_for]
    assert found == [
        (
            "mae, nearest",
            "metrics",
            "keras.metrics.MeanAbsoluteError(name='mae'), keras.metrics.MeanMetricWrapper(nearest, name='nearest')",
            4,
        )
    ]


@pytest.mark.parametrize("is_called", [False, True])
def test_losses_of_several_outputs(recording: RecordFixture, is_called: bool) -> None:
    """Keras keeps the mean of each: one call of `compute_loss` makes them, and one of one output's has none."""
    keras = pytest.importorskip("keras")
    x, y = np.ones([4, 2], np.float32), {"a": np.ones([4, 1], np.float32), "b": np.zeros([4, 1], np.float32)}
    inputs = keras.Input((2,))
    model = keras.Model(inputs, {name: keras.layers.Dense(1, name=name)(inputs) for name in y})
    model.compile("sgd", {"a": "mse", "b": "mae"})
    model.optimizer.build(model.trainable_variables)
    if is_called:
        model.compute_loss(x, y, model(x))
    with recording() as r:
        model.fit(x, y, verbose=0)
    assert [told(trace) for trace in r.of("one_step_on_data")] == (
        [[]] if is_called else [[("a_loss, b_loss", "losses", "", 4)], []]
    )


def test_a_later_call_with_a_model_whose_layers_are_not_built(recording: RecordFixture) -> None:
    """Keras 3 hides that TensorFlow refuses the variables, and fails where the gradients are taken."""
    keras = pytest.importorskip("keras")

    class Net(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.head = keras.layers.Dense(2)

        def call(self, x: tf.Tensor) -> Any:
            return self.head(x)

    @tf.function
    def step(model: Any, optimizer: Any, x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x))
        apply(optimizer, model, loss, tape)

    with recording() as r:
        step(Net(), keras.optimizers.SGD(), tf.ones([2, 3]))
        with pytest.raises(AttributeError):
            step(Net(), keras.optimizers.SGD(), tf.ones([2, 3]))
    failed = r.of("step")[-1]
    assert (failed.failed, failed.verdict, failed.evidence) == (True, "avoidable", CREATES_VARIABLES_LATE)


@pytest.mark.parametrize(
    ("written", "layers"),
    [
        ("self.second(self.first(x))", ["self.first", "self.second"]),
        ("self(self.first(x) * 0.0 + x)", ["self"]),
        ("self.call(self.first(x) * 0.0 + x)", ["self"]),
        ("self.through(self.first(x) * 0.0 + x)", ["self"]),
        ("super().predict_step(self.first(x) * 0.0 + x)", ["self"]),
    ],
)
def test_a_model_of_which_a_step_calls_the_parts(
    recording: RecordFixture, keras: Any, written: str, layers: list[str]
) -> None:
    """It may have no `call`; where it is called itself, that makes all of them."""
    source = f"""
class Halves(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = keras.layers.Dense(2), keras.layers.Dense(1)

    def call(self, inputs, training=False):
        return self.second(self.first(inputs))

    def through(self, x):
        return self(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((y - {written}) ** 2)
        variables = self.second.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {{"loss": loss}}
"""
    names: dict[str, Any] = {"keras": keras, "tf": tf, "__name__": __name__}
    exec(compile(source, "halves.py", "exec"), names)
    model = names["Halves"]()
    model.compile("sgd", "mse")
    with recording() as r:
        model.fit(tf.ones([4, 2]), tf.ones([4, 2]), verbose=0)
    assert [one.name for trace in r.traces for one in trace.created_for if one.kind == "layer"] == layers


def test_by_the_property_that_gives_what_has_them(recording: RecordFixture, keras: Any) -> None:
    """The model that holds it is not called itself."""

    class Adversarial(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, critic: Any) -> None:
            super().__init__()
            self._critic = critic

        @property
        def critic(self) -> Any:
            return self._critic

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(self.critic(x))

    gan = Adversarial(keras.Sequential([keras.layers.Dense(1)]))
    with recording() as r:
        gan.step(tf.ones([2, 4]))
    assert told(next(t for t in r.traces if t.function.name == "step")) == [("self.critic", "layer", "x", 2)]
