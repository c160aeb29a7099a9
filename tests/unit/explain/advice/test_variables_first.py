"""First calls that are traced twice because they create variables: it is said where that is worth a change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, Owner, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_EACH_TIME
from tests.unit.explain.advice.test_advice_rules import (
    SECOND,
    advice,
    call,
    history,
    literal,
    numbers,
    recreated,
    tensor,
)


def creating(count: int, *, nodes: int = 10, served: str = "unknown") -> list[Traced]:
    """Each of so many tf.function objects is traced twice in its first call. `served`: verdict on the later objects."""
    traces: list[Traced] = []
    for first in recreated(count, None, same_graph=False):
        first = replace(first, nodes=nodes, verdict=served if first.kind == "recreated" else "needed")
        lookup = replace(first.lookup, variables_created=True)
        again = replace(first, kind="variable_creation", verdict="needed", lookup=lookup, first_call_ns=SECOND // 4)
        traces += [first, replace(again, changes=(Change("variable_creation", ""),), closest=len(traces))]
    return traces


def test_of_several_objects_where_nothing_else_can_be_avoided() -> None:
    (found,) = advice(creating(3), name="step")
    assert numbers([found]) == [("create_variables_first", 6, 3)]
    assert found.seconds_saved == pytest.approx(3 * 0.75)  # the graphs that are left are executed all the same
    assert "each of 3 tf.function objects of `step`" in found.in_one
    assert found.apply is None
    assert not advice(creating(2))
    assert "create_variables_first" not in [one.rule for one in advice(creating(3, served="avoidable"))]


def test_of_a_large_graph_whatever_else_there_is() -> None:
    (found,) = advice(creating(1, nodes=5000))
    assert numbers([found]) == [("create_variables_first", 2, 1)]
    assert "The first call of `train_step` creates" in found.in_one
    numbered = history(*({"x": tensor(2), "n": literal(n)} for n in (0.5, 1.5)))
    second = replace(creating(1, nodes=5000)[1], lookup=replace(numbered[0].lookup, variables_created=True))
    assert ("create_variables_first", 3, 2) in numbers(advice([numbered[0], second, numbered[1]]))
    assert not advice(creating(1))


def test_not_where_the_second_trace_fails() -> None:
    traces = creating(1, nodes=5000)
    failed = replace(
        traces[1], lookup=replace(traces[1].lookup, failed=True), verdict="avoidable",
        evidence=CREATES_VARIABLES_EACH_TIME,
    )  # fmt: skip
    assert [one.rule for one in advice([traces[0], failed])] == ["create_variables_outside"]
    trainer = "/venv/site-packages/keras/src/backend/tensorflow/trainer.py"  # of a loss that makes one, say
    (found,) = advice([traces[0], failed], name="one_step_on_data", library=True, file=trainer)
    assert numbers([found]) == [("create_variables_outside", 2, 1)]
    assert "the loss or a metric) creates variables on every call" in found.text
    assert not advice([traces[0], failed], library=True, file="/venv/site-packages/other.py")


def test_of_kerass_own_step_it_is_the_optimizers_that_a_train_step_applies() -> None:
    traces = creating(1, nodes=5000)
    trainer = "/venv/site-packages/keras/src/backend/tensorflow/trainer.py"
    (found,) = advice(traces, name="one_step_on_data", library=True, file=trainer)
    assert numbers([found]) == [("create_variables_first", 2, 1)]
    assert found.code is not None
    assert found.code.splitlines()[1:] == ["optimizer.build(model.trainable_variables)"]
    assert not advice(traces, name="other", library=True, file="/venv/site-packages/other.py")
    between = (
        Frame("/venv/site-packages/keras/src/backend/tensorflow/trainer.py", 320, "fit", "", False),
        Frame("/venv/site-packages/scikeras/wrappers.py", 500, "_fit_keras_model", "", False),
    )
    by_a_library = [replace(trace, stack=(*between, *trace.stack)) for trace in traces]
    assert not advice(by_a_library, name="one_step_on_data", library=True, file=trainer)


def test_items_of_a_list_are_made_as_one() -> None:
    """An empty list, or None, takes no items by their places."""
    (trace, again) = creating(1, nodes=5000)

    def of(*names: str) -> tuple[str, list[str]]:
        owners = tuple(Owner(name, "variable", f"float32 ({n},)", 1) for n, name in enumerate(names))
        (found,) = advice([replace(trace, created_for=owners), again], name="step")
        return found.text, (found.code or "").splitlines()[1:]

    gives = "with the initial value that `step` gives it"
    text, lines = of("opt.avg[0]", "opt.avg[1]", "opt.avg[2]", "opt.steps")
    assert text.endswith("those of `opt.avg` and `opt.steps`.")
    assert lines == [
        f"opt.avg = [tf.Variable(…), …]  # float32 (0,), float32 (1,), …: each {gives}",
        f"opt.steps = tf.Variable(…)  # float32 (3,), {gives}",
    ]
    assert of("a[0]", "a[1]")[1] == [f"a = [tf.Variable(…), …]  # float32 (0,), float32 (1,): each {gives}"]
    for others in (("a[1]", "a[2]"), ("a[0]",), ("a['x']", "a['y']")):  # what else it holds is there before
        assert of(*others)[1] == [
            f"{name} = tf.Variable(…)  # float32 ({n},), {gives}" for n, name in enumerate(others)
        ]


def test_what_a_strategy_has_is_made_in_its_scope() -> None:
    traces = creating(3)
    traces[0] = replace(traces[0], created_for=(Owner("opt", "optimizer", "net.trainable_variables", in_a_scope=True),))
    (found,) = advice(traces, name="step")
    assert (found.code or "").splitlines()[1:] == [
        "with strategy.scope():  # the one that they are used in", "    opt.build(net.trainable_variables)",
    ]  # fmt: skip


def test_what_not_all_objects_have() -> None:
    """Agents with a second critic, and solvers that fit other variables each."""
    traces = creating(3)
    critic = Owner("self.critic_opt", "optimizer", "self.critic.trainable_variables")
    both = (Owner("self.opt", "optimizer", "a.trainable_variables"), critic)
    traces[0] = replace(traces[0], created_for=both)
    traces[2] = replace(traces[2], created_for=(Owner("self.opt", "optimizer", "b.trainable_variables"),))
    (found,) = advice(traces, name="step")
    assert (found.code or "").splitlines()[1:] == [
        "self.opt.build(…)  # with the variables that `step` applies it to",
        "self.critic_opt.build(self.critic.trainable_variables)  # where there is one",
    ]


def test_what_is_created_is_written_by_the_names_that_calls_have() -> None:
    """What is not passed has the name of the function's own code; what is not known is left to its author."""
    line = Frame("/train.py", 9, "<module>", "trainer.step(net, batch)", True)
    owners = (
        Owner("self.opt", "optimizer", "model.trainable_variables + self.head.trainable_variables"),
        Owner("model", "layer", "x / 255.0"),
        Owner("self.head", "made", ""),
        Owner("scale", "variable", "float32 (2,)"),
        Owner("other", "optimizer", ""),
        Owner("a, b", "", "", 2),
    )
    (trace, again) = creating(1, nodes=5000)
    arguments = (("self", literal(1)), ("model", literal(2)), ("x", tensor(3)))
    lookup = replace(trace.lookup, signature=replace(trace.lookup.signature, arguments=arguments))
    traces = [
        replace(one, stack=(line,), lookup=replace(lookup, variables_created=one is again)) for one in (trace, again)
    ]
    (found,) = advice([replace(traces[0], created_for=owners), traces[1]], name="step")
    assert found.code is not None
    assert found.code.splitlines() == [
        "# before the first call",
        "trainer.head = …  # as `step` makes it",
        "trainer.head(…)  # once, as `step` calls it: it makes its variables",
        "net(batch / 255.0)  # once: it makes its variables",
        "scale = tf.Variable(…)  # float32 (2,), with the initial value that `step` gives it",
        "trainer.opt.build(net.trainable_variables + trainer.head.trainable_variables)",
        "other.build(…)  # with the variables that `step` applies it to",
        "# and 2 variables more: a, b",
    ]
    assert [note[:30] for note in found.notes] == ["Each call is one more of `trai", "An initial value that `tf.rand"]
    assert "those of `trainer.head`, `net`, `scale` and 2 more, and what else there is." in found.text


def test_metrics_that_compile_is_given_by_name_are_objects_in_their_place() -> None:
    metrics = Owner("accuracy, f", "metrics", "keras.metrics.BinaryAccuracy(name='accuracy'), …", 4)
    optimizer = Owner("self.optimizer", "optimizer", "self.trainable_variables")
    trainer = "/venv/site-packages/keras/src/backend/tensorflow/trainer.py"
    (trace, again) = creating(1, nodes=5000)
    traces = [replace(trace, created_for=(optimizer, metrics)), again]
    (found,) = advice(traces, name="one_step_on_data", library=True, file=trainer)
    assert found.code is not None
    assert found.code.splitlines() == [
        "# before `fit`",
        "model.compile(…, metrics=[keras.metrics.BinaryAccuracy(name='accuracy'), …])"
        "  # objects in place of names: they have their variables",
        "model.optimizer.build(model.trainable_variables)",
    ]
    assert found.text.endswith("those of metrics that `compile` is given by name and `model.optimizer`.")
    called = [replace(trace, stack=call("hist = self.nnet.vae.fit(x, epochs=2)")) for trace in traces]
    (found,) = advice(called, name="one_step_on_data", library=True, file=trainer)
    assert (found.code or "").endswith("self.nnet.vae.optimizer.build(self.nnet.vae.trainable_variables)")
    called = [*called, replace(traces[0], stack=call("other.fit(x)"))]
    (found,) = advice(called, name="one_step_on_data", library=True, file=trainer)
    assert (found.code or "").endswith("\nmodel.optimizer.build(model.trainable_variables)")


def test_losses_of_several_outputs_are_called_once() -> None:
    losses = Owner("age_loss, sex_loss", "losses", "", 4)
    metrics = Owner("mae", "metrics", "keras.metrics.MeanAbsoluteError(name='mae')", 2)
    optimizer = Owner("self.optimizer", "optimizer", "self.trainable_variables")
    (trace, again) = creating(1, nodes=5000)
    traces = [replace(trace, created_for=(optimizer, losses, metrics), stack=call("net.fit(x, y)")), again]
    trainer = "/venv/site-packages/keras/src/backend/tensorflow/trainer.py"
    (found,) = advice(traces, name="one_step_on_data", library=True, file=trainer)
    assert (found.code or "").splitlines()[2:] == [
        "net.compute_loss(x, y, net(x))  # once, of some rows: it makes the means of age_loss, sex_loss",
        "net.optimizer.build(net.trainable_variables)",
    ]
    assert found.text.endswith(
        "those of metrics that `compile` is given by name, losses of several outputs and `net.optimizer`."
    )
