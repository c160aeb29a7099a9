"""The user's own line of a call, found by the function's name or, where that is another one, by what it passes."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.advice.call_lines import rewritten
from tb_retrace_plugin.explain.advice.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.what_if import Lookup
from tb_retrace_plugin.schema.signature import Signature

PARAMETERS = ("x", "lr", "training")
WRAPS = {"lr": "tf.constant({})"}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("loss = agent.step(x, 0.1 / (i + 1))", "loss = agent.step(x, tf.constant(0.1 / (i + 1)))"),
        ("loss = agent(x, lr=rate(i), training=True)", "loss = agent(x, lr=tf.constant(rate(i)), training=True)"),
        ("print(float(agent(x, i)))", "print(float(agent(x, tf.constant(i))))"),
        ("for loss in steps[0](x, 2): # of two", "for loss in steps[0](x, tf.constant(2)):"),
        ("loss = agent(*batch, 0.1)", None),
        ("loss = agent(x, **options)", None),
        ("loss = agent(x)", None),  # it is passed by somebody else
        ("loss = agent(x, 0.1, verbose=True)", None),
        ("loss = tf.add(x, 0.1)", None),
        ("agent(x, 0.1) + other(x, 0.2)", None),  # which of them?
        ("loss = x @ y", None),
    ],
)
def test_a_call_by_another_name(line: str, changed: str | None) -> None:
    assert rewritten(line, "_step", PARAMETERS, WRAPS, optional={"training"}, any_name=True) == changed
    assert rewritten(line, "_step", PARAMETERS, WRAPS) is None  # where another function may have called it


def test_the_functions_own_name_comes_first() -> None:
    line = "loss = step(x, decay(0.1, i))"
    assert rewritten(line, "step", PARAMETERS, WRAPS, any_name=True) == "loss = step(x, tf.constant(decay(0.1, i)))"


def frame(file: str, *, user: bool = False) -> Frame:
    return Frame(file, 1, "f", "", user)


@pytest.mark.parametrize(
    ("within", "directly"),
    [
        ((), True),
        (("/x/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py",), True),
        (("C:\\tensorflow\\python\\eager\\x.py",), True),
        (("/x/tensorflow/python/eager/x.py", "/x/site-packages/scipy/optimize/_minimize.py"), False),
        (("/x/keras/src/trainer.py",), False),
    ],
)
def test_who_called(within: tuple[str, ...], directly: bool) -> None:
    stack = (*map(frame, within), frame("/home/user/train.py", user=True), frame("/usr/lib/python3/runpy.py"))
    traced = Traced(Lookup(Signature()), stack=stack)
    assert FunctionFacts("step", [traced]).calls_directly(traced) is directly
