"""What advice takes grows with the number of traces, and not with its square: a function may have 50,000."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import history, literal, mapping, number, recreated, tensor, thing

FEW, TIMES = 40, 3


def _failing(count: int) -> list[Traced]:
    traces = history(*({"x": tensor(n % 3 or -1, n + 1)} for n in range(count)))
    return [replace(t, lookup=replace(t.lookup, failed=n % 2 == 0)) for n, t in enumerate(traces)]


def _sequence(*items: Node, kind: str = "list") -> Node:
    return Node(kind, type_name=kind, children=tuple((f"[{i}]", item) for i, item in enumerate(items)))


#: What the n-th lookup is passed.
ARGUMENTS: dict[str, Callable[[int], dict[str, Node]]] = {
    "shapes": lambda n: {"x": tensor(n + 1, 10), "y": tensor(3)},
    "two sizes of many": lambda n: {"x": tensor(8 - n % 2, n + 1)},
    "ranks": lambda n: {"x": tensor(*range(1, 2 + n % 7), n)},
    "shapes in a dict": lambda n: {"x": mapping(a=tensor(n), b=tensor(n, 2))},
    "numbers": lambda n: {"k": literal(n)},
    "numbers, shapes": lambda n: {"x": tensor(n % 9), "k": number(n / 2)},
    "numbers at many paths": lambda n: {"x": mapping(**{f"k{i}": literal(n if i == n % 9 else 0) for i in range(9)})},
    "flags, numbers": lambda n: {"training": literal(n % 2 == 0), "k": literal(n // 2)},
    "objects": lambda n: {"x": thing(n + 1)},
    "objects, numbers": lambda n: {"x": thing(n + 1), "k": literal(n)},
    "objects, shapes": lambda n: {"x": thing(n % 4 + 1), "y": tensor(n, 2)},
    "objects in a dict": lambda n: {"x": mapping(a=thing(n + 1), b=tensor(n % 3))},
    "strings": lambda n: {"x": literal(f"name {n}"), "y": tensor(2)},
    "strings, shapes": lambda n: {"x": literal(f"{n % 3}"), "y": tensor(n)},
    "dtypes, shapes": lambda n: {"x": tensor(n // 2 + 1, 2, dtype=("float32", "float64")[n % 2])},
    "keys": lambda n: {"x": mapping(**{f"k{n}": tensor(2), "all": tensor(3)})},
    "a key of several shapes": lambda n: {"x": mapping(**{"mask": tensor(n)} if n % 2 else {}, all=tensor(n, 3))},
    "keys of nested dictionaries": lambda n: {"x": mapping(**{f"[{n}]": mapping(**{f"{n % 3}": tensor(2)})})},
    "none and tensors": lambda n: {"x": literal(None) if n % 2 else tensor(n)},
    "other types": lambda n: {"x": (literal(n), literal(f"{n}"), thing(n + 1))[n % 3]},
    "lengths": lambda n: {"x": _sequence(*[tensor(n, 2)] * (n % 7))},
    "lists of numbers": lambda n: {"x": _sequence(*[literal(n + i) for i in range(n % 7)], kind="tuple")},
    "lists of other types": lambda n: {"x": _sequence(literal(n), thing(n + 1), literal(f"{n % 2}"))},
    "names": lambda n: {"x": Node("tensor", dtype="float32", shape=(2,), value=f"x{n}")},
    "variables": lambda n: {"x": Node("variable", dtype="float32", shape=(2,), identity=n + 1)},
}
OTHERS: dict[str, Callable[[int], list[Traced]]] = {
    "failing": _failing,
    "made anew": recreated,
    "made anew, closing over numbers": lambda count: recreated(
        count, (ClosureChange("rate", "0.1", "0.2", True),), same_graph=False
    ),
    "made anew, closing over tensors": lambda count: recreated(
        count, (ClosureChange("x", "float32 (2,)", "float32 (2,)", False, is_tensor=True),), same_graph=False
    ),
    "made anew, something unknown": lambda count: recreated(count, None, same_graph=False),
}  # fmt: skip


def calls_of(function: Callable[[], Any]) -> int:
    """Python functions and C functions that are called by it: comparisons of signatures are some of them."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(entry.callcount + entry.reccallcount for entry in profile.getstats())


def assert_linear(facts_of: Callable[[int], FunctionFacts]) -> None:
    def calls(count: int) -> int:
        facts = facts_of(count)
        return calls_of(lambda: advise(facts))

    few, many = calls(FEW), calls(FEW * TIMES)
    assert many < 1.5 * TIMES * few, f"{few} calls for {FEW} traces, {many} for {FEW * TIMES}"


@pytest.mark.parametrize("same_graph", [None, True])
@pytest.mark.parametrize("kind", ARGUMENTS)
def test_it_grows_with_the_traces(kind: str, same_graph: bool | None) -> None:
    parameters = [*ARGUMENTS[kind](0)]

    def facts(count: int) -> FunctionFacts:
        signatures = [ARGUMENTS[kind](n) for n in range(count)]
        source = f"out = step({', '.join(parameters)})"
        return FunctionFacts("step", history(*signatures, source=source, same_graph=same_graph))

    assert_linear(facts)


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_so_it_does_where_graphs_are_known(kind: str) -> None:
    constants = Constant("float32", 0.5, 0.25), Constant("int32", 1, 2)

    def facts(count: int) -> FunctionFacts:
        traces = history(*map(ARGUMENTS[kind], range(count)))
        traces = [replace(trace, nodes=9 + (n % 30 == 29)) for n, trace in enumerate(traces)]
        values = ["0.5" if n < 20 else "0.25" for n in range(count)]
        graphs = Graphs(lambda a, b: GraphPair(bool((a + b) % 3), constants, seeded=True))
        return FunctionFacts("step", traces, graphs=graphs, values_read={"self.rate": values}, drawn=("next(it)",))

    assert_linear(facts)


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_so_it_does_with_xla(kind: str) -> None:
    assert_linear(lambda count: FunctionFacts("step", history(*map(ARGUMENTS[kind], range(count))), jit_compile=True))


@pytest.mark.parametrize("kind", OTHERS)
def test_so_it_does_with_traces_of_other_kinds(kind: str) -> None:
    assert_linear(lambda count: FunctionFacts("step", OTHERS[kind](count)))
