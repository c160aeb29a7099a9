"""What functions that are made again close over beside each other: numbers of an object, tensors, models, metrics."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.capture.conftest import RecordFixture
from tests.capture.test_advice_is_exact import run
from tests.capture.test_objects_are_exact import Changed

pytestmark = pytest.mark.newest  # closures are read alike on both in test_python_reads.py

PROGRAMS = {
    # AutoGraph, which converts the first one, has given that its own `ag__`; smaller tensors are constants
    "a function that is made within a converted one, and by itself": Changed(
        """
def search(x):
    @tf.function
    def f():
        return x * 2.0
    return f()

@tf.function
def train(x):
    return search(x)

train(tf.ones([200]))
for _ in range(2):
    search(tf.ones([200]))
""",
        "pass_closed_over_tensor",
        """
@tf.function
def f(x):
    return x * 2.0

@tf.function
def train(x):
    return f(x)

train(tf.ones([200]))
for _ in range(2):
    f(tf.ones([200]))
""",
        (3, 1),
    ),
    "tensors and a number of an object that each fit has": Changed(
        """
class Problem:
    def __init__(self, scale, ridge):
        self.x = scale * tf.range(200.0)
        self.ridge = ridge

    def penalty(self, theta):
        return self.ridge * tf.reduce_sum(theta ** 2)

    def objective(self):
        @tf.function
        def f(theta):
            return tf.reduce_sum(theta * self.x) + self.penalty(theta)
        return f

for scale, ridge in ((1.0, 0.0), (2.0, 0.1), (3.0, 0.2)):
    Problem(scale, ridge).objective()(tf.ones([200]))
""",
        "pass_tensors_of_object",
        """
class Problem:
    def __init__(self, scale, ridge):
        self.x = scale * tf.range(200.0)
        self.ridge = ridge

@tf.function
def f(theta, self_tensors, self_number):
    return tf.reduce_sum(theta * self_tensors[0]) + self_number * tf.reduce_sum(theta ** 2)

for scale, ridge in ((1.0, 0.0), (2.0, 0.1), (3.0, 0.2)):
    problem = Problem(scale, ridge)
    f(tf.ones([200]), (problem.x,), tf.constant(problem.ridge))
""",
        (3, 1),
    ),
    "an item of a dictionary": Changed(
        """
def make(options):
    @tf.function
    def f(x):
        return tf.reduce_sum(x) * options['rate']
    return f

for rate in (0.5, 0.25, 0.125):
    make({'rate': rate, 'name': 'a'})(tf.ones([3]))
""",
        "pass_closed_over_number",
        """
@tf.function
def f(x, rate):
    return tf.reduce_sum(x) * rate

for rate in (0.5, 0.25, 0.125):
    options = {'rate': rate, 'name': 'a'}
    f(tf.ones([3]), tf.constant(options['rate']))
""",
        (3, 1),
    ),
    "numbers of an object, a tensor and a number": Changed(
        """
class Config:
    def __init__(self, scale, name):
        self.scale, self.name = scale, name

def make(config, weight, rate):
    @tf.function
    def f(x):
        return tf.reduce_sum(x * weight) * config.scale + rate
    return f

for number in range(3):
    make(Config(0.5 + number, "a"), tf.random.normal([3]), 0.25 + number)(tf.ones([3]))
""",
        "pass_closed_over_tensor",
        """
class Config:
    def __init__(self, scale, name):
        self.scale, self.name = scale, name

@tf.function
def f(x, weight, scale, rate):
    return tf.reduce_sum(x * weight) * scale + rate

for number in range(3):
    config, weight, rate = Config(0.5 + number, "a"), tf.random.normal([3]), 0.25 + number
    f(tf.ones([3]), weight, tf.constant(config.scale), tf.constant(rate))
""",
        (3, 1),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_advice_gives_the_promised_traces(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    program = PROGRAMS[name]
    before, (found, *_) = run(program.source, "before", tmp_path, recording)
    assert (before, found.rule, found.traces_after) == (program.traces[0], program.rule, program.traces[1])
    (defined,) = (line.partition(":")[0] for line in (found.code or "").splitlines() if line.startswith("def "))
    assert defined in program.mended
    assert (found.code or "").splitlines()[-1].partition("(x, ")[2] in program.mended
    after, remaining = run(program.mended, "after", tmp_path, recording)
    assert after == program.traces[1]
    assert not [one for one in remaining if one.traces_after is not None]


def test_a_configuration_beside_a_model_is_nothing_to_set_back(tmp_path: Path, recording: RecordFixture) -> None:
    source = """
class Config:
    def __init__(self, clip):
        self.clip = clip

def make(model, config):
    @tf.function
    def f(x):
        return tf.clip_by_value(model(x), -config.clip, config.clip)
    return f

for clip in (0.5, 0.25, 0.125):
    make(tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)]), Config(clip))(tf.ones([1, 3]))
"""
    _, (found, *_) = run(source, "program", tmp_path, recording)
    assert (found.rule, found.traces_after) == ("keep_model", None)
    assert "config.variables" not in (found.code or "")
    assert "Pass `config.clip` as a tensor, too." in found.text


def test_models_that_a_function_within_closes_over_can_be_kept(tmp_path: Path, recording: RecordFixture) -> None:
    source = """
def fit(x):
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
    weights = model.trainable_variables

    def loss(x):
        return tf.reduce_mean(model(x) ** 2) + tf.add_n([tf.reduce_sum(one ** 2) for one in weights])

    @tf.function
    def f(x):
        return 2.0 * loss(x)

    return f(x)

for fold in range(3):
    fit(tf.ones([1, 3]))
"""
    traces, (found, *_) = run(source, "program", tmp_path, recording)
    assert (traces, found.rule, found.traces_after) == (3, "keep_model", None)
    assert "`model of loss` and `weights of loss` of `f` are other objects" in found.text
    assert "for variable, start in zip(model.variables, initial_model)" in (found.code or "")
    assert "for one in tf.nest.flatten(weights)" in (found.code or "")


def test_a_metric_beside_a_number_is_kept(tmp_path: Path, recording: RecordFixture) -> None:
    source = """
def evaluate(threshold):
    seen = tf.keras.metrics.Mean()
    @tf.function
    def f(x):
        seen.update_state(tf.where(x > threshold, x, 0.0))
    f(tf.ones([3]))

for threshold in (0.5, 0.25, 0.125):
    evaluate(threshold)
"""
    _, (found, *_) = run(source, "program", tmp_path, recording)
    assert (found.rule, found.code) == (
        "keep_metric", "seen.reset_state()  # before each pass, in place of making another",
    )  # fmt: skip
    assert found.text.endswith("Pass `threshold` as a tensor, too.")


@pytest.mark.parametrize("also", ["pass", "weight = tf.Variable(2.0)"])
def test_a_metric_that_a_function_reads_at_module_level_is_kept(
    tmp_path: Path, recording: RecordFixture, also: str
) -> None:
    """In a cell of a notebook that is run again; what else is made in it has to be set back as well."""
    source = f"""
GAIN, weight = 0.5, tf.Variable(2.0)
for _ in range(3):
    {also}
    seen = tf.keras.metrics.Mean()
    @tf.function
    def f(x):
        seen.update_state(x * weight * GAIN)
    f(tf.ones([3]))
"""
    _, (found, *_) = run(source, "program", tmp_path, recording)
    assert found.rule == ("keep_metric" if also == "pass" else "keep_model")
    assert "seen.reset_state()  # before each pass" in (found.code or "") or also != "pass"


def test_a_list_and_a_text_that_are_globals_beside_a_number(tmp_path: Path, recording: RecordFixture) -> None:
    """One that is passed the number alone serves no other list, whether or not the text is the same."""
    source = """
def make():
    @tf.function
    def f(x):
        for scale in SCALES:
            x = x * scale
        if MODE == "a":
            x = x + 1.0
        return x * RATE
    return f

for number in range(3):
    MODE, RATE, SCALES = "ab"[number % 2], 0.5 + number, [1.0] * (number + 1)
    make()(tf.ones([3]))
"""
    _, found = run(source, "program", tmp_path, recording)
    assert not found


def test_models_of_other_shapes_beside_a_function_that_closes_over_tensors(
    tmp_path: Path, recording: RecordFixture
) -> None:
    """The tensors can be passed; the model needs its trace."""
    source = """
def fit(x, width, eps):
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(width)])
    bound, offset = tf.constant(eps), tf.zeros([width])

    def clipped(x):
        return tf.clip_by_value(model(x), -bound, bound)

    @tf.function
    def f(x):
        return clipped(x) + offset

    return f(x)

for width in (1, 2):
    fit(tf.ones([1, 3]), width, 0.5)
"""
    (tmp_path / "program.py").write_text("import tensorflow as tf\n" + source)
    with recording() as r:
        runpy.run_path(str(tmp_path / "program.py"))
    assert r.of("f")[1].verdict == "bounded"
    assert "no earlier graph has variables of such shapes" in r.of("f")[1].evidence


def test_a_text_that_chooses_beside_another_model(tmp_path: Path, recording: RecordFixture) -> None:
    """As a factory makes a step for each kind of model; one that is made again by the same text is told to be."""
    source = """
def make_step(model, kind):
    @tf.function
    def f(x):
        return tf.tanh(model(x)) if kind == "bounded" else model(x)

    return f

for kind in ("free", "bounded", "free"):
    make_step(tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)]), kind)(tf.ones([1, 3]))
"""
    (tmp_path / "program.py").write_text("import tensorflow as tf\n" + source)
    with recording() as r:
        runpy.run_path(str(tmp_path / "program.py"))
    _, other, again = r.of("f")
    assert (other.verdict, again.verdict) == ("bounded", "unknown")
    assert "Python chooses by `kind`" in other.evidence
    assert "as many operations" in again.evidence


def test_graphs_that_differ_in_names_alone(tmp_path: Path, recording: RecordFixture) -> None:
    """An optimizer that is built while a first function is traced takes a name of the graph's."""
    source = """
model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
for epoch in range(2):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    f(tf.ones([1, 3]))
"""
    traces, (found, *_) = run(source, "program", tmp_path, recording)
    assert (traces, found.rule, found.traces_after) == (2, "create_function_once", 1)
