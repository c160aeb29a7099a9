"""A library's tf.function that the user's line calls with Python numbers."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tests.unit.explain.advice.test_advice_rules import history, number, numbers, tensor

_FILE = "/site-packages/gpflow/models/model.py"
_CALL = Frame("/site-packages/tensorflow/python/eager/polymorphic_function.py", 3, "__call__", "", False)


def _advice(traces: list[Traced], *within: Frame, uses: tuple[str, ...] = ()) -> list[Advice]:
    called = [replace(trace, nodes=9, stack=(*within, *trace.stack)) for trace in traces]
    pair = GraphPair(True, (Constant("int32", 2, 3),))
    graphs = Graphs(lambda one, other: pair)
    facts = FunctionFacts("samples", called, library=True, file=_FILE, graphs=graphs, python_uses=uses)
    return advise(facts)


def test_a_number_that_is_handed_on_is_passed_as_a_tensor() -> None:
    traces = history(*({"x": tensor(4), "n": number(n)} for n in (2, 3)), source="samples(x, n)")
    (found,) = _advice(traces, _CALL)
    assert numbers([found]) == [("tensor_for_python_number", 2, 1)]
    assert found.code == "samples(x, tf.constant(n))"
    (note,) = found.notes
    assert "It is a library's function: if its code" in note


def test_no_tensor_where_its_code_would_have_to_be_another() -> None:
    traces = history(*({"x": tensor(4), "n": number(n)} for n in (2, 3)), source="samples(x, n)")
    assert _advice(traces, _CALL, uses=("math.exp(n)",)) == []
    between = Frame("/site-packages/gpflow/monitor.py", 7, "run", "", False)
    assert _advice(traces, _CALL, between) == []  # what the library passes is its own to choose


def test_where_the_library_calls_it_too_it_is_asked_for_before_the_users_own_calls() -> None:
    """Asked for before the library's it could hold what that sets first: a mean that it trains with."""
    sizes = (40, 10, 1, 5, 9)
    traces = history(*({"x": tensor(n, 3)} for n in sizes), source="net.predict(x)")
    library = Frame("/site-packages/gpflow/monitor.py", 7, "run", "", False)
    within = [replace(trace, nested=True, nodes=9, stack=(_CALL, library, _CALL, *trace.stack)) for trace in traces[:2]]
    own = [replace(trace, nodes=9, stack=(_CALL, *trace.stack)) for trace in traces[2:]]

    def advice(traces: list[Traced]) -> list[Advice]:
        return advise(FunctionFacts("predict", traces, library=True, file=_FILE))

    (found,) = advice([*within, *own])
    assert numbers([found]) == [("trace_beforehand", 5, None)]
    assert found.code is not None
    assert found.code.splitlines() == [
        "# once, before the first of these calls",
        "net.predict.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))",
    ]
    assert not advice(within)
    assert not advice([*within, own[0]])


def test_a_tf_function_of_what_is_loaded_is_the_users_to_ask() -> None:
    """`infer = tf.function(tf.saved_model.load(path))`: the user's own call, where nothing is declared."""
    traces = history(*({"args[0]": tensor(1, n)} for n in (5, 6, 8)), source="infer(ids)")
    called = [replace(trace, nodes=9, stack=(_CALL, *trace.stack)) for trace in traces]
    file = "/site-packages/tensorflow/python/saved_model/{}.py"
    facts = FunctionFacts(
        "_UserObject", called, qualname="_UserObject.__call__", library=True, file=file.format("load")
    )
    (found,) = advise(facts)
    assert numbers([found]) == [("trace_beforehand", 3, 1)]
    assert "infer.get_concrete_function(tf.TensorSpec([1, None], tf.float32))" in (found.code or "")
    assert advise(replace(facts, file=file.format("save"))) == []
