"""Advice on traces that have read other values of what is no argument: with fewer of them it stays what it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, recreated, tensor

SIZES = [{"x": tensor(n)} for n in (2, 3, 4)]
WARNED = "By itself this can change results: "


def with_values(**values: list[str | None]) -> list[Advice]:
    names = {name.replace("_", "."): found for name, found in values.items()}
    return advise(FunctionFacts("step", history(*SIZES), values_read=names))


def test_a_number_that_changed_between_the_traces_is_said_first() -> None:
    for one, before in zip(with_values(self_rate=["0.1", "0.2", "0.3"]), with_values(), strict=True):
        assert one.in_one == (
            f"{WARNED}each trace reads `self.rate` (0.1, 0.2, 0.3) anew, and with fewer traces calls run with what an"
            f" earlier one has read. Make it a tf.Variable, or pass it as a tensor, too. {before.in_one}"
        )
        made = "self.rate = tf.Variable(…, trainable=False)  # once; later: self.rate.assign(…)"
        assert one.code == f"{made}\n\n{before.code}"
        assert one.traces_after == before.traces_after
        assert one.evidence == f"{before.evidence} The code has to work on a tensor for `self.rate`, too."
        # from outside it would be frozen
        assert before.apply is not None
        assert one.apply is None
        assert why_by_hand(one.rule, one.evidence).startswith("a Python value that it reads would stay")


def test_so_can_each_number_of_a_list() -> None:
    """Weights of losses, say, that Python goes through: a tensor of all of them takes no `zip`."""
    lists = [
        (["[1.0, 0.5]", "[1.0, 0.5]", "[np.float64(0.8), 2]"], True),
        (["(1.0,)", "(2.0,)", "(3.0,)"], True),
        (["[1.0, 0.5]", "[1.0]", "[1.0, 2.0]"], False),  # as many as there are decide what is built
        (["['a', 0.5]", "['a', 1.0]", "['b', 2.0]"], False),
        (["[1.0, 0.5, …]", "[1.0, 0.6, …]", "[1.0, 0.7, …]"], False),
    ]
    before = with_values()[0]
    for values, is_one in lists:
        one = with_values(self_weights=[*values])[0]
        assert (one.traces_after == before.traces_after) == is_one
        made = "self.weights = [tf.Variable(one, trainable=False) for one in self.weights]  # once; later:"
        assert (one.code or "").startswith(made) == is_one
        assert ("Make each number of `self.weights` a tf.Variable, too." in one.in_one) == is_one


def test_a_number_of_numpys_is_a_number() -> None:
    found = with_values(self_rate=["1.0", "np.float64(0.7)", "np.float32(0.4)"])[0]
    assert found.traces_after == 1
    assert "Make it a tf.Variable, or pass it as a tensor, too." in found.in_one
    assert with_values(self_mode=["np.str_('a')", "np.str_('b')", "np.str_('c')"])[0].traces_after is None


def test_such_a_variable_is_of_the_dtype_that_the_tensors_are_of() -> None:
    """Which a Python number, and one of NumPy's, takes by itself."""
    fractions, of_numpy = ["0.1", "0.2", "0.3"], ["np.float64(0.1)", "np.float64(0.2)", "0.3"]

    def made(dtypes: list[str], values: list[str]) -> str:
        traces = history(*({"x": tensor(n, dtype=dtype)} for n, dtype in enumerate(dtypes, 2)))
        code = advise(FunctionFacts("step", traces, values_read={"self.rate": [*values]}))[0].code
        return (code or "").partition(")")[0]

    assert made(["float64"] * 3, fractions).endswith("trainable=False, dtype=tf.float64")
    assert made(["float32"] * 3, of_numpy).endswith("trainable=False, dtype=tf.float32")
    assert made(["float32"] * 3, fractions).endswith("trainable=False")
    assert made(["int32"] * 3, of_numpy).endswith("trainable=False")
    assert made(["float64"] * 3, ["1", "2", "3"]).endswith("trainable=False")  # it may be a size


def test_how_many_layers_there_are_can_be_no_variable() -> None:
    """`self.blocks.append(Block())`: a graph for each number of them is what the program is after."""
    traces = history(*SIZES)
    (one, *_) = advise(FunctionFacts("step", traces, values_read={"len(self.blocks)": ["1", "2", "3"]}))
    assert "each trace reads `len(self.blocks)` (1, 2, 3) anew" in one.in_one
    assert "Pass it as an argument, too." in one.in_one
    assert "tf.Variable" not in one.in_one + (one.code or "")
    assert (one.traces_after, one.seconds_saved, one.apply) == (None, None, None)


def test_an_array_can_be_a_variable() -> None:
    """Statistics that are computed anew, say."""
    (one, *_), (before, *_) = with_values(self_mean=["array #1", "array #1", "array #2"]), with_values()
    assert (
        one.code == f"self.mean = tf.Variable(…, trainable=False)  # once; later: self.mean.assign(…)\n\n{before.code}"
    )
    assert one.traces_after == before.traces_after
    assert "An array (`self.mean`) becomes a constant of the dtype that it is computed with" in one.in_one
    (beside, *_) = with_values(self_mean=["array #1", "array #1", "array #2"], self_mode=["'a'", "'a'", "'b'"])
    assert beside.traces_after is None


def test_what_the_first_trace_had_no_need_to_read_is_said() -> None:
    """`for i in range(n)` of 0 reads nothing in it: with a tensor for `n` it does, once for all calls."""
    calls = [{"x": tensor(2), "n": Node("literal", type_name="int", value=str(n), identity=n)} for n in (0, 1, 3)]
    for values, is_said in (([None, "0.1", "0.2"], True), ([None, "0.1", "0.1"], False), ([None, None, "0.1"], False)):
        (one, *_) = advise(FunctionFacts("step", history(*calls), values_read={"self.rate": values}))
        assert one.traces_after == 1
        assert one.in_one.startswith(WARNED) == is_said


def test_variables_that_were_replaced_beside_a_number_are_said_first() -> None:
    """An embedding that is made larger, or a target network: a graph with the number as a tensor keeps the first."""
    calls = [{"x": tensor(2), "n": Node("literal", type_name="int", value=str(n), identity=n)} for n in (1, 2, 3)]
    plain = FunctionFacts("step", history(*calls), graphs=Graphs(lambda one, other: GraphPair(False)))
    for objects, is_told in ((["A #1", "A #1", "A #2"], True), (["A #1"] * 3, False), (["A #1", None, None], False)):
        (found, *_) = advise(replace(plain, objects_read={"self.emb": objects}))
        assert ("reads other tensors or variables from around it, `self.emb`, in" in found.in_one) == is_told
        assert (found.apply is None) == is_told
    # of the graphs of other variables nothing is said that the number would explain
    pair = GraphPair(True, (Constant("int32", 10, 14), Constant("float32", 0.1, 0.05)))
    numbers = [Node("literal", type_name="float", value=str(n), identity=place) for place, n in ((1, 0.1), (2, 0.05))]
    traces = [replace(trace, nodes=9) for trace in history(*({"n": n} for n in numbers))]
    for emb, is_said in (("A #1", True), ("A #2", False)):
        objects = {"self.emb": ["A #1", emb]}
        facts = FunctionFacts("step", traces, objects_read=objects, graphs=Graphs(lambda one, other: pair))
        assert ("became constants of int32" in advise(facts)[0].in_one) == is_said


def test_an_item_at_a_place_of_a_list_is_to_be_passed() -> None:
    """`self.losses[-1]` is another one after each `append`: a variable there would not be read again."""
    for one, before in zip(with_values(**{"self_losses[-1]": ["0.1", "0.2", "0.3"]}), with_values(), strict=True):
        assert "an earlier one has read. Pass it as a tensor, too. " in one.in_one
        assert one.code == before.code
    (both, *_) = with_values(**{"self_losses[-1]": ["0.1", "0.2", "0.3"], "self_rate": ["1", "2", "3"]})
    assert "Pass them as tensors, too. " in both.in_one
    assert both.code is not None
    assert both.code.startswith("self.rate = tf.Variable(…, trainable=False)  # once")


def test_what_code_of_keras_reads_is_no_variable_to_be() -> None:
    read = {"drop.rate": ["0.1", "0.2", "0.3"]}
    function = FunctionFacts("step", history(*SIZES), values_read=read, read_by_keras={"drop.rate"})
    for found in advise(function):
        assert (found.traces_after, found.apply) == (None, None)
        assert "tf.Variable" not in (found.code or "")
        assert "Keras' own code reads `drop.rate`, and may take no tensor there" in found.warnings[0]


@pytest.mark.parametrize(
    "values",
    [
        ["0.1", "0.1", "0.1"],  # it changed after the last one
        [None, "0.1", None],
        ["0.1", None, None],
    ],
)
def test_what_was_the_same_at_all_traces_is_not_told(values: list[str | None]) -> None:
    assert with_values(self_rate=values) == with_values()


def test_a_number_that_is_passed_by_the_advice_is_not_frozen() -> None:
    closure = (ClosureChange("rate", "0.1", "0.2", is_number=True),)
    traces = recreated(3, closure, same_graph=False)
    plain, read = advice(traces), advice(traces, values_read={"rate": ["0.1", "0.2", "0.3"]})
    assert [one.rule for one in plain] == ["pass_closed_over_number"]
    assert read == plain
    (other,) = advice(recreated(3, closure, same_graph=False), values_read={"momentum": ["0.1", "0.2", "0.3"]})
    assert other.in_one.startswith(WARNED)


def test_a_text_is_an_argument_and_no_number_is_promised() -> None:
    for one in with_values(mode=["'train'", "'test'", "'test'"], depth=["2", "2", "3"]):
        assert one.in_one.startswith(
            f"{WARNED}each trace reads `mode` ('train', 'test') and `depth` (2, 3) anew, and with fewer traces calls"
            " run with what an earlier one has read. Pass them as arguments, too. "
        )
        assert (one.traces_after, one.seconds_saved, one.apply) == (None, None, None)
        assert one.evidence.startswith("Not replayed: each value of `mode` and `depth`")


def test_advice_that_is_not_replayed_says_so_too() -> None:
    variable = Node("variable", dtype="float32", shape=(2,))
    found = advice(history({"x": variable}, {"x": tensor(2)}), values_read={"rate": ["1", "2"]})
    assert found[0].traces_after is None
    assert found
    assert all(one.in_one.startswith(WARNED) for one in found)


def with_draws(pair: GraphPair | None, nodes: tuple[int, ...] = (4, 4, 4), **values: list[str | None]) -> list[Advice]:
    traces = [replace(trace, nodes=n) for trace, n in zip(history(*SIZES), nodes, strict=True)]
    graphs = Graphs(lambda one, other: pair)
    return advise(FunctionFacts("step", traces, drawn=["np.random.normal()"], values_read=values, graphs=graphs))


@pytest.mark.parametrize("pair", [None, GraphPair(False), GraphPair(True, (Constant("float32", 0.1, 0.7),))])
def test_what_is_drawn_while_it_is_traced_is_said_first(pair: GraphPair | None) -> None:
    for one, before in zip(with_draws(pair), with_values(), strict=True):
        assert one.in_one.startswith(
            f"{WARNED}`np.random.normal()` is evaluated in Python whenever the function is traced,"
        )
        assert one.in_one.endswith(f" or pass it as a tensor. {before.in_one}")
        assert (one.code, one.traces_after, one.apply) == (before.code, before.traces_after, None)


def test_nothing_is_said_of_draws_of_which_nothing_came() -> None:
    """As of those of a first call alone, which initialize a variable."""
    same = GraphPair(True)
    assert with_draws(same) == with_values()
    assert with_draws(same, nodes=(4, 4, 5))[0].in_one.startswith(
        WARNED
    )  # one that is not looked into: they chose a branch


def test_what_is_drawn_beside_what_is_read() -> None:
    (one, *_) = with_draws(None, rate=["0.1", "0.2", "0.3"])
    assert all(warning.startswith(WARNED) for warning in one.warnings)
    assert ["each trace reads `rate` (0.1, 0.2, 0.3) anew" in warning for warning in one.warnings] == [True, False]
    assert ["is evaluated in Python whenever" in warning for warning in one.warnings] == [False, True]


def test_tensors_that_are_read_from_around_are_said_first() -> None:
    """A state that is kept in an attribute is a constant of each graph."""
    plain = history(*SIZES)
    for one, before in zip(
        advise(FunctionFacts("step", [plain[0], *(replace(one, other_tensors=True) for one in plain[1:])])),
        advise(FunctionFacts("step", plain)),
        strict=True,
    ):
        assert one.in_one.startswith(f"{WARNED}the function reads other tensors or variables from around it")
        assert one.in_one.endswith(before.in_one)
        assert (one.code, one.traces_after, one.apply) == (before.code, before.traces_after, None)
        assert why_by_hand(one.rule, one.evidence).startswith("a tensor that it reads from around it")


def test_what_each_instance_has_of_its_own_is_not_read_anew() -> None:
    """Two trainers of other rates, whose traces do not serve one another."""

    def of(*values: str) -> list[Advice]:
        traces = [*history(*SIZES[:2]), *history(*SIZES[:2])]
        own = [replace(t, lookup=replace(t.lookup, object_number=1 + n // 2)) for n, t in enumerate(traces)]
        own = [replace(t, verdict="unknown" if n == 2 else t.verdict) for n, t in enumerate(own)]
        return advice(own, values_read={"self.rate": values})

    assert not any(one.in_one.startswith(WARNED) for one in of("0.1", "0.1", "0.2", "0.2"))
    assert all(one.in_one.startswith(WARNED) for one in of("0.1", "0.1", "0.2", "0.3"))


def test_a_field_that_may_not_be_assigned_to_is_told() -> None:
    ((one, *_), (own, *_)) = with_values(settings_rate=["0.1", "0.2", "0.3"]), with_values(self_rate=["1", "2", "3"])
    assert one.notes[-1].startswith("If `settings` is a named tuple or a frozen dataclass")
    assert "named tuple" not in own.in_one
    (held, *_) = with_values(self_settings_rate=["0.1", "0.2", "0.3"])
    assert held.notes[-1].startswith("If `self.settings` is a named tuple")
    (itself, *_) = with_values(step_rate=["0.1", "0.2", "0.3"])
    assert "`step.rate`" in itself.in_one
    assert "named tuple" not in itself.in_one


def test_what_python_may_decide_by_is_told() -> None:
    """Keras does not convert a layer's `call`: an `if` there takes no variable."""

    def notes(nodes: tuple[int, ...], rates: list[str | None], *others: Change) -> str:
        traces = [replace(trace, nodes=n) for trace, n in zip(history(*SIZES), nodes, strict=True)]
        traces = [replace(trace, changes=(*trace.changes, *others)) for trace in traces]
        (one, *_) = advise(FunctionFacts("step", traces, values_read={"net.rate": rates}))
        return " ".join(one.notes)

    assert "Graphs of other values of `net.rate` have other numbers of nodes" in notes((9, 12, 12), ["0", "1", "2"])
    assert "other numbers of nodes" not in notes((9, 9, 9), ["0", "1", "2"])
    assert "other numbers of nodes" not in notes((9, 12, 12), ["1", "1", "2"])
    of_another = Change("object_identity", "self", "Net object #1", "Net object #2")  # which may have other layers
    assert "other numbers of nodes" not in notes((9, 12, 12), ["0", "1", "2"], of_another)
    of_steps, of_a_rate = (Change("python_value", "n", old, new) for old, new in (("1", "2"), ("0.5", "0.25")))
    assert "other numbers of nodes" not in notes((9, 12, 12), ["0", "1", "2"], of_steps)  # which explains them
    assert "other numbers of nodes" in notes((9, 12, 12), ["0", "1", "2"], of_a_rate)


def test_what_is_counted_for_its_own_sake_is_noted() -> None:
    """Nothing that is computed comes of it: that it counts traces is no other result of theirs."""
    traces = history(*({"x": tensor(n)} for n in (2, 3)))
    for counted, said in (
        (["self.calls"], "`self.calls` is counted when the function is traced, and not at each call"),
        (["calls", "traces[0]"], "`calls` and `traces[0]` are counted when the function is traced"),
        (["calls", "seen.append(…)"], "`seen.append(…)` runs when the function is traced, and not at each call"),
    ):
        for found in advice(traces, counted=counted):
            assert found.notes[-1].startswith(said)
            assert not found.warnings
    assert not any("counted" in note for found in advice(traces) for note in found.notes)
