"""Sizes that the code is known to ask for in Python: said with the advice to leave them unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Graphs
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import history, literal, mapping, numbers_of, tensor

FAILS = "is None then: what Python computes of it fails, and an `if` that compares it with a number is not met"
CAST = " of int32: `tf.cast` it where it meets fractions."


def told(nodes: list[Node], *uses: str) -> str:
    traces = history(*({"x": node} for node in nodes))
    return advise(FunctionFacts("train_step", traces, python_uses=uses))[0].in_one


def test_it_is_told_of_a_dimension_that_changes() -> None:
    said = f" `x.shape[0]` in it {FAILS}, without an error. `tf.shape(x)[0]` is a tensor{CAST}"
    sizes = [tensor(2, 4), tensor(3, 4)]
    assert said in told(sizes, "x.shape[0]", "x.shape[1]", "y.shape[0]", "x.shape[7]")
    assert f"`x.shape[-2]` in it {FAILS}" in told(sizes, "x.shape[-2]")
    # of a list of numbers, in the place of which there is to be a tensor
    assert f"`x.shape[-1]` in it {FAILS}" in told([tensor(1, 3), numbers_of("list", 1.0, 2.0)], "x.shape[-1]")


def test_a_loop_over_a_size_needs_to_know_it() -> None:
    """Of two sizes, one of which is 1, graphs do not tell: TensorFlow broadcasts it."""
    over = ("x.shape[1]", "for … in range(x.shape[1])")
    traces = history({"x": tensor(4, 8)}, {"x": tensor(1, 5)})
    traces = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (30, 24), strict=True)]
    first, second = advise(FunctionFacts("viterbi", traces, python_uses=over))
    assert (first.rule, second.rule) == ("pad_to_one_shape", "input_signature")
    assert "`for … in range(x.shape[1])` in it goes over a size that changes: what is built depends on" in first.in_one
    assert "A Python loop over a dimension fails where its size is unknown" in second.in_one
    # of another dimension, and where graphs of two sizes have as many nodes
    (found,) = advise(FunctionFacts("viterbi", traces, python_uses=("for … in range(x.shape[2])",)))
    assert found.rule == "input_signature"
    alike = [replace(trace, nodes=30) for trace in traces]
    assert advise(FunctionFacts("viterbi", alike, python_uses=over))[0].rule == "input_signature"


def test_a_loop_over_a_size_of_what_is_computed_needs_to_know_it() -> None:
    """Which may be of another dimension: graphs of one number of nodes each tell that it is not."""
    over = ("h.shape[1] follows .x", "for … in range(h.shape[1]) follows .x")
    traces = history({"x": tensor(4, 8)}, {"x": tensor(2, 8)}, {"x": tensor(4, 5)})
    for nodes, rule in (((30, 30, 24), "pad_to_one_shape"), ((30, 24, 24), "input_signature")):
        facts = FunctionFacts(
            "tag", [replace(t, nodes=n) for t, n in zip(traces, nodes, strict=True)], python_uses=over
        )
        first, *_ = advise(facts)
        assert first.rule == rule
        told = "`for … in range(h.shape[1])` in it goes over a size that changes" in first.in_one
        assert told == (rule == "pad_to_one_shape")


def test_so_it_is_of_what_a_loop_over_a_list_of_tensors_has_by_turns() -> None:
    """`for t, p in zip(truths, predictions): grid = t.shape[1]` of a detector's loss."""
    lists = [
        Node("list", type_name="list", children=(("[0]", tensor(2, n)), ("[1]", tensor(2, 2 * n)))) for n in (4, 6)
    ]
    assert f"`x[...].shape[1]` in it {FAILS}" in told(lists, "x[...].shape[1]")
    assert "is None then" not in told(lists, "x[...].shape[0]", "y[...].shape[1]")


def test_what_variables_are_made_of_cannot_be_unknown() -> None:
    """Of instances of a layer that create their weights in the first call, each with another width."""
    sizes = [tensor(2, 3), tensor(2, 3), tensor(4, 3), tensor(2, 5), tensor(2, 5), tensor(4, 5)]
    traces = list(history(*({"x": node} for node in sizes)))
    for place in range(6):
        traces[place] = replace(traces[place], lookup=replace(traces[place].lookup, object_number=1 + place // 3))
    for place in (1, 4):
        created = replace(traces[place].lookup, variables_created=True)
        traces[place] = replace(traces[place], kind="variable_creation", verdict="needed", changes=(), lookup=created)
    traces[3] = replace(traces[3], kind="recreated", verdict="unknown", changes=())

    def rules(*uses: str) -> list[str]:
        return [fix.rule for fix in advise(FunctionFacts("call", traces, python_uses=uses))]

    assert "input_signature" in rules("x.shape[7]")
    assert "input_signature" not in rules("x.shape[-1]")
    assert "input_signature" in rules("x.shape[0]")  # each instance has served several sizes with what it created


def test_what_each_object_has_one_size_of_stays_known_to_what_widens_each() -> None:
    traces = list(history(*({"x": tensor(*shape)} for shape in ((2, 4), (3, 4), (5, 4), (2, 6), (3, 6), (5, 6)))))
    for place in (3, 4, 5):
        traces[place] = replace(traces[place], lookup=replace(traces[place].lookup, object_number=2))
    traces[3] = replace(traces[3], kind="recreated", verdict="unknown", changes=())
    fixes = {fix.rule: fix for fix in advise(FunctionFacts("f", traces, python_uses=("x.shape[0]", "x.shape[-1]")))}
    assert "`x.shape[0]` and `x.shape[-1]` in it are None then" in " ".join(fixes["input_signature"].notes)
    assert "`x.shape[0]` in it is None then" in " ".join(fixes["reduce_retracing"].notes)


def test_several_are_told_together() -> None:
    text = told([tensor(2, 4), tensor(3, 5)], "x.shape[0]", "x.shape[1]")
    assert "`x.shape[0]` and `x.shape[1]` in it are None then: what Python computes of them fails" in text
    assert text.endswith("`tf.shape(x)[1]` are tensors of int32: `tf.cast` them where they meet fractions.")


def test_so_it_is_of_what_lies_in_an_argument() -> None:
    text = told([mapping(image=tensor(2, 4)), mapping(image=tensor(3, 4))], "x['image'].shape[0]")
    assert f"`x['image'].shape[0]` in it {FAILS}" in text


def test_so_it_may_be_of_what_is_computed_of_an_argument() -> None:
    uses = (
        "h.shape[1] follows .x",
        "tf.ones(h.shape) follows .k, .x",
        "h.shape[0] follows .k",
        "h.shape[2] follows .x",
    )
    text = told([tensor(4, 2), tensor(4, 3)], *uses)
    assert "`h.shape[1]` in it follows from `x`, and may be None then: what Python computes of it fails" in text
    assert "without an error. `tf.shape(h)[1]` is a tensor. `tf.ones(h.shape)` in it fails where a size" in text
    assert text.endswith("is unknown that follows from `x`. `tf.ones(tf.shape(h))` does not.")
    assert "h.shape" not in told(
        [tensor(4, 2), tensor(5, 2)], "h.shape[1] follows .x", "tf.ones(h.shape[1:]) follows .x"
    )
    drawn = "`np.random.normal(h.shape)` in it fails where a size is unknown that follows from `x`."
    assert told([tensor(4), tensor(5)], "np.random.normal(h.shape) follows .x").endswith(drawn)


def test_what_a_helper_names_as_the_argument_that_it_is_computed_of_is_told_too() -> None:
    text = told([tensor(4, 2), tensor(5, 2)], "x.shape[0] follows .x")
    assert "`x.shape[0]` in it follows from `x`, and may be None then" in text
    assert "tf.ones(x.shape)" in told([tensor(4), tensor(5)], "tf.ones(x.shape) follows .x")
    assert "x.shape" not in told([tensor(4, 2), tensor(5, 2)], "x.shape[0] follows .k")


def test_what_is_made_of_a_whole_shape_fails() -> None:
    sizes = [tensor(2, 4), tensor(3, 4)]
    said = " `tf.zeros(x.shape)` in it fails then, and `tf.zeros(tf.shape(x))` does not."
    assert said in told(sizes, "tf.zeros(x.shape)", "tf.ones(k.shape)", "x.shape[1]")
    assert "and `tf.reshape(…, tf.shape(x))` does not" in told(sizes, "tf.reshape(…, x.shape)")
    drawn = "`np.zeros(x.shape)` and `np.random.normal(x.shape)` in it fail then, and `tf.zeros(tf.shape(x))` does not."
    assert drawn in told(sizes, "np.zeros(x.shape)", "np.random.normal(x.shape)")
    product = "`np.prod(x.shape[:-1])` in it fails then, and `tf.reduce_prod(tf.shape(x)[:-1])` does not."
    assert product in told(sizes, "np.prod(x.shape[:-1])")
    both = told(sizes, "tf.zeros(x.shape)", "rng.normal(x.shape)")
    assert "`tf.zeros(x.shape)` and `rng.normal(x.shape)` in it fail then" in both


@pytest.mark.parametrize(
    ("use", "instead"),
    [
        ("tf.ones(x.shape[:-1])", "tf.ones(tf.shape(x)[:-1])"),
        ("tf.reshape(…, x.shape[:-1] + …)", "tf.reshape(…, tf.concat([tf.shape(x)[:-1], …], 0))"),
        ("tf.zeros(… + x.shape[:1])", "tf.zeros(tf.concat([…, tf.shape(x)[:1]], 0))"),
        ("tf.zeros([*x.shape[:-1], …])", "tf.zeros(tf.concat([tf.shape(x)[:-1], …], 0))"),
    ],
)
def test_so_does_what_is_made_of_a_part_of_one(use: str, instead: str) -> None:
    sizes = [tensor(2, 4), tensor(3, 4)]
    assert f" `{use}` in it fails then, and `{instead}` does not." in told(sizes, use)
    assert "fails then" not in told([tensor(4, 2), tensor(4, 3)], use)


def test_no_array_is_sliced_by_a_length_that_is_unknown() -> None:
    said = (
        "`self.noise[:len(x)]` in it fails of an array or a list: `len` of an unknown size is a tensor, by which"
        " `tf.convert_to_tensor(self.noise)` can be sliced."
    )
    assert said in told([tensor(2, 4), tensor(3, 4)], "self.noise[:len(x)] sliced by x")
    assert "`len` of" not in told([tensor(2, 4), tensor(2, 5)], "self.noise[:len(x)] sliced by x")
    assert "`len` of" not in told([tensor(2, 4), tensor(3, 4)], "self.noise[:len(y)] sliced by y")


def test_a_length_that_is_unknown_meets_no_fractions() -> None:
    said = "`len(x)` in it is a tensor of int32 then: `tf.cast` it where it meets fractions;"
    assert said in told([tensor(2, 4), tensor(3, 4)], "len(x) computed", "len(y) computed")
    assert "`len(x)` in it" not in told([tensor(2, 4), tensor(2, 5)], "len(x) computed")


def test_a_list_of_unknown_size_cannot_be_made() -> None:
    said = (
        " `tf.unstack(x)` in it makes a list of a size that has to be known, and fails then: `tf.map_fn(…, x)` takes"
        " any."
    )
    assert said in told([tensor(2, 4), tensor(3, 4)], "tf.unstack(x) of shape")
    assert "makes a list" not in told([tensor(2, 4), tensor(2, 5)], "tf.unstack(x) of shape")
    assert "`tf.map_fn(…, x[:2])` takes any" in told([tensor(2, 4), tensor(3, 4)], "tf.unstack(x[:2]) of shape")


def test_of_what_stays_known_nothing_is_said() -> None:
    assert "None then" not in told(
        [tensor(2, 4), tensor(3, 4)], "x.shape[1]", "x.shape[-1]", "k.shape[0]", "math.exp(x)"
    )


@pytest.mark.parametrize(
    "use", ["x.shape[0] is None", "x.shape[0] or …", "if x.shape[0]", "x.shape.is_fully_defined()"]
)
def test_what_asks_whether_a_size_is_known_is_said_first(use: str) -> None:
    """`tf.reduce_sum(x) / (x.shape[0] or 1)` is another sum once it is not, without an error."""
    sizes = [tensor(2, 4), tensor(3, 4)]
    said = f"This may change results: the code asks whether a size is known (`{use}`), and does something else once it"
    assert told(sizes, use).startswith(said)
    for other in (use.replace("[0]", "[1]") if "[0]" in use else use.replace("x", "y"), use.replace("x", "y", 1)):
        assert "may change results" not in told(sizes, other)


@pytest.mark.parametrize("use", ["[:x.shape[0]]", "[x.shape[0]:]"])
def test_a_slice_by_a_size_is_said_first(use: str) -> None:
    """`tf.reduce_sum(self.noise[:x.shape[0]])` is that of all of it once the size is None."""
    sizes = [tensor(2, 4), tensor(3, 4)]
    said = f"This may change results: a slice by a size (`{use}`) takes everything once it is unknown, without an error"
    assert told(sizes, use).startswith(said)
    assert "a slice" not in told(sizes, use.replace("[0]", "[1]"))


def test_what_is_rounded_after_a_division_by_a_size_is_said_first() -> None:
    """Of another kind of calls as well: one graph of each is asked for."""
    calls = [{"x": tensor(2, 4), "way": literal(1)}, {"x": tensor(3, 4), "way": literal(1)}]
    traces = history(*calls, {"x": tensor(3, 4), "way": literal(2)})
    asked: list[int] = []
    graphs = Graphs(rounds=lambda place: asked.append(place) or ("Sign" if place == 2 else ""))  # type: ignore[func-returns-value]
    found = advise(FunctionFacts("train_step", traces, graphs=graphs))
    said = "This may change results: the graphs divide by a size, and round what comes of it (`Sign`)."
    assert any(said in warning for advice in found for warning in advice.warnings)
    assert set(asked) == {0, 2}


def test_a_list_that_is_repeated_by_a_size_is_not_by_a_tensor() -> None:
    """`tf.expand_dims([1] * x.shape[0], 1)` with `tf.shape(x)[0]` has one row, which is broadcast."""
    sizes = [tensor(2, 4), tensor(3, 4)]
    text = told(sizes, "[…] * x.shape[0]", "x.shape[0]")
    assert (
        f"`tf.shape(x)[0]` is a tensor{CAST} `[…] * x.shape[0]` in it repeats a list, and a tensor there multiplies"
        " what is in it instead, without an error: write `tf.fill([tf.shape(x)[0]], …)`."
    ) in text
    assert "repeats" not in told(sizes, "[…] * x.shape[1]", "[…] * y.shape[0]", "x.shape[0]")
