"""Advice on shapes and values for which XLA compiled again without a trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Compiled, Frame, FunctionFacts
from tests.unit.explain.advice.test_advice_rules import history, tensor

MS = 1_000_000
LINE = Frame("train.py", 7, "main", "loss = step(batch, rate)", True)
Shapes = Mapping[str, tuple[int, ...]]


def advice(*shapes: Shapes, values: Sequence[str] = (), frame: Frame | None = LINE, name: str = "step") -> list[Advice]:
    """Compiled for these, one after another, in 10 ms each."""
    compiled = []
    for k, shape in enumerate(shapes):
        changed = {path for path in shape if k and shape[path] != shapes[k - 1][path]}
        n = {"n": values[k]} if values else {}
        changed |= {"n"} if values and k and values[k] != values[k - 1] else set()
        compiled.append(Compiled(0, shape, n, frozenset(changed), cost_ns=10 * MS, frame=frame if k else None))
    (trace,) = history({"x": tensor(-1, 3), "rate": tensor()})
    return advise(FunctionFacts(name, [trace], jit_compile=True, compiled=compiled))


def test_many_sizes_are_padded_to_a_few() -> None:
    (found,) = advice(*({"x": (n, 3)} for n in (2, 3, 4, 5)))
    assert (found.rule, found.traces_before, found.traces_after, found.apply) == ("pad_for_xla", 1, None, None)
    assert found.text.startswith("XLA compiled `step` for 4 shapes of `x`, each at its first call: unknown dimensions")
    assert "Pad dimension 0 of `x` to the next of 2 buckets 3, 5: at most 33 % of it is padding" in found.in_one
    assert "Without `jit_compile=True` one graph serves all of them." in found.notes
    assert found.code is not None
    assert found.code.endswith("\nloss = step(pad_to_bucket(batch, 0, (3, 5)), rate)")
    assert found.evidence.startswith("XLA compiles once for each shape: 4 compilations → 2 if it is padded so, 20 ms")
    assert [warning.partition(":")[0] for warning in found.warnings] == [
        "This changes results unless it is masked or cut off"
    ]
    assert why_by_hand(found.rule).startswith("padding can change results")


@pytest.mark.parametrize(("file", "told"), [("/keras/src/backend/tensorflow/trainer.py", 1), ("/gpflow/models.py", 0)])
def test_the_step_of_a_model_is_told_of_as_what_keras_compiles(file: str, told: int) -> None:
    (trace,) = history({"data[0]": tensor(8, -1)})
    shapes = [{"data[0]": (8, n)} for n in (3, 5, 4)]
    compiled = [Compiled(0, one, {}, frozenset(one if k else ()), cost_ns=10 * MS) for k, one in enumerate(shapes)]
    found = advise(FunctionFacts("step", [trace], file=file, library=True, jit_compile=True, compiled=compiled))
    assert [one.rule for one in found] == ["pad_for_xla"] * told
    for one in found:
        assert "for 3 shapes of `data[0]`" in one.text
        assert one.code == "model.compile(…, jit_compile=False)  # or pad what it is given"


def test_two_sizes_may_be_a_last_batch() -> None:
    (found,) = advice({"x": (32, 3)}, {"x": (6, 3)}, {"x": (32, 3)}, {"x": (6, 3)})
    assert "for 2 shapes of `x`" in found.in_one
    assert "Of a dataset's last batch, `drop_remainder=True` leaves it out." in found.in_one
    assert found.code == "# the largest so far: x [32, 3]\n\nloss = step(tf.pad(batch, …), rate)"
    assert "2 compilations → 1 if it is padded so, 10 ms less" in found.evidence
    (found,) = advice({"x": (32, 3)}, {"x": (32, 4)})
    assert "last batch" not in found.in_one


def test_a_line_that_cannot_be_read() -> None:
    (found,) = advice({"x": (32, 3)}, {"x": (6, 3)}, frame=None)
    assert found.code == "# the largest so far: x [32, 3]\n\ntf.pad(x, …)  # in place of x, at each call"


def test_other_ranks_have_no_largest_shape() -> None:
    (found,) = advice({"x": (32, 3)}, {"x": (6, 3, 1)})
    assert found.code == "loss = step(tf.pad(batch, …), rate)"


def test_values_that_xla_needs() -> None:
    (found,) = advice({"x": (4,)}, {"x": (4,)}, {"x": (4,)}, values=["1", "2", "3"])
    assert (found.rule, found.code, found.traces_after) == ("few_values_for_xla", None, None)
    assert found.text.startswith("XLA needs the value of `n` of `step` while it compiles")
    assert "for each new one: 2 times so far" in found.in_one
    assert why_by_hand(found.rule) == "which values the program can do with, only its author knows"


def test_shapes_that_change_with_values_help_only_together() -> None:
    values, shapes = advice(*({"x": (n,)} for n in range(2, 7)), values=[str(n) for n in range(5)])
    assert (values.rule, shapes.rule) == ("few_values_for_xla", "pad_for_xla")
    assert shapes.evidence.startswith("By itself it saves no compilation")


@pytest.mark.parametrize("size", [-1, -(2**63)])
def test_impossible_sizes_are_not_padded_to(size: int) -> None:
    (found,) = advice(*({"x": (n, 3)} for n in (2, 3, 4, 5, size)))
    assert "bucket" not in found.in_one


def test_what_was_compiled_once_needs_no_advice() -> None:
    assert advice({"x": (4,)}) == []
