"""Advice on `train_on_batch` and its like, in the names of what the user passes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import tensor

TRAINER = "/site-packages/keras/src/backend/tensorflow/trainer.py"


def passed(method: str, data: Sequence[Node]) -> list[Advice]:
    """Of a call with each. Each is compared with the one before."""
    stack = (
        Frame(TRAINER, 134, "one_step_on_data", "", False),
        Frame(TRAINER, 630, method, "", False),
        Frame("/home/user/train.py", 9, "main", f"model.{method}(x, y)", True),
    )
    signatures = [Signature((("data", node),)) for node in data]
    traces = [Traced(Lookup(signatures[0], 1), "first", "needed", stack=stack)]
    for place, signature in enumerate(signatures[1:], 1):
        changes = tuple(diff_signatures(signatures[place - 1], signature))
        traces.append(Traced(Lookup(signature, 1), changes=changes, closest=place - 1, stack=stack))
    return advise(FunctionFacts("one_step_on_data", traces, library=True, file=TRAINER))


def of(*items: Node) -> Node:
    return Node("tuple", "tuple", children=tuple((f"[{n}]", item) for n, item in enumerate(items)))


def named(**items: Node) -> Node:
    return Node("dict", "dict", children=tuple((f"[{key!r}]", item) for key, item in items.items()))


@pytest.mark.parametrize("method", ["train_on_batch", "test_on_batch"])
def test_arrays_of_several_dtypes(method: str) -> None:
    x, y = tensor(4, 3), tensor(4, dtype="int64")
    (found,) = passed(method, [of(x, y), of(tensor(4, 3, dtype="float64"), y), of(x, tensor(4, dtype="int32"))])
    assert (found.rule, found.traces_before, found.traces_after) == ("one_dtype", 3, 1)
    assert found.in_one.startswith(f"`{method}` casts nothing: `x` and `y` come in several dtypes")
    assert found.text.endswith("In the traces of Keras' function `data[0]` is your `x` and `data[1]` is your `y`.")
    assert found.code is not None
    assert found.code.splitlines() == [
        'x = np.asarray(x, "float32")  # before each call', 'y = np.asarray(y, "int64")  # before each call',
    ]  # fmt: skip


def test_what_predict_on_batch_is_passed_lies_deeper() -> None:
    batches = [of(of(named(a=tensor(4, dtype=dtype)))) for dtype in ("float32", "float64")]
    (found,) = passed("predict_on_batch", batches)
    assert found.code == "x['a'] = np.asarray(x['a'], \"float32\")  # before each call"


def test_predict_casts_fractions_alone() -> None:
    (found,) = passed("predict", [of(tensor(4, dtype=dtype)) for dtype in ("float32", "int64")])
    assert found.in_one.startswith("`predict` casts fractions alone, to one dtype: `x` comes in several dtypes")
    (found,) = passed("predict", [of(of(of(tensor(4, dtype=dtype), tensor(2)))) for dtype in ("float32", "int64")])
    assert found.code == 'x[0] = np.asarray(x[0], "float32")  # before each call'


def test_keys_in_some_calls() -> None:
    a, key = tensor(4), tensor(4, dtype="int64")
    (found,) = passed("predict_on_batch", [of(of(named(a=a))), of(of(named(a=a, id=key)))])
    assert (found.rule, found.traces_after, found.code) == ("same_keys", None, None)
    assert found.in_one.startswith("`x['id']` is there in some calls of `predict_on_batch` and missing in others.")


def test_nothing_of_what_fit_was_given() -> None:
    assert not passed("fit", [of(tensor(4)), of(tensor(4, dtype="float64"))])


def test_predict_beside_predict_on_batch() -> None:
    """Keras' function of both gets an input as it is from the one, and in a tuple from the other."""
    inputs = ("predict", tensor(10, 3)), ("predict_on_batch", tensor(2, 3)), ("predict", tensor(11, 3))
    traces: list[Traced] = []
    for method, x in inputs:
        data = Node("list", "list", children=(("[0]", of(x) if method == "predict_on_batch" else x),))
        signature = Signature((("data", data),))
        before = traces[-1].lookup.signature if traces else signature
        stack = (
            Frame(TRAINER, 630, method, "", False),
            Frame("/home/user/train.py", 9, "main", f"y = model.{method}(x)", True),
        )
        place, kind = len(traces), "retrace" if traces else "first"
        traces.append(
            Traced(
                Lookup(signature, reduce_retracing=True), kind, "avoidable" if traces else "needed", stack=stack,
                changes=tuple(diff_signatures(before, signature)), closest=place - 1 if traces else None,
            )
        )  # fmt: skip
    (found,) = advise(FunctionFacts("one_step_on_data_distributed", traces, library=True, file=TRAINER))
    assert (found.rule, found.traces_before, found.traces_after) == ("keras_predict_once", 3, 2)
    assert found.code == "y = model.predict_on_batch(x)  # in place of: y = model.predict(x)"
    alone = [traces[0], traces[2]]
    assert advise(FunctionFacts("one_step_on_data_distributed", alone, library=True, file=TRAINER)) == []
