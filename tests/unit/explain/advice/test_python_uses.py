"""What the code does with a number by Python's own means: said with the advice to pass it as a tensor."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.python_values.python_uses import what_takes_no_tensor
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import COMPUTED_IN_PYTHON, OVERFLOWS
from tb_retrace_plugin.explain.advice.python_values.with_fractions import divides
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.asked_in_python import asked_in_python
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import history, mapping, number, recreated, tensor
from tests.unit.explain.advice.test_number_use import sized
from tests.unit.explain.advice.test_sequences import sequence

COMPUTED = GraphPair(True, (Constant("float32", 0.25, 0.125),))


def told(*uses: str, pair: GraphPair = COMPUTED) -> Advice:
    traces = sized(history(*({"x": tensor(2), "n": number(n)} for n in (2, 3))), 9, 9)
    (found,) = advise(FunctionFacts("train_step", traces, python_uses=uses, graphs=Graphs(lambda one, other: pair)))
    return found


def test_a_number_that_the_code_keeps_is_warned_of() -> None:
    """Of a tensor that is one of a graph, which nothing else can read."""
    found, other = told("self.level = n kept"), told("self.level = k kept")
    assert "the code keeps `n`, or what it computes of it (`self.level = n`): of a tensor" in found.warnings[0]
    assert found.apply is None
    assert found.traces_after == other.traces_after == 1
    assert why_by_hand(found.rule, found.evidence) == "a number that the code keeps would be a tensor of one graph's"
    assert not any("keeps" in warning for warning in other.warnings)
    assert not any("kept" in note for note in (*found.notes, *other.notes))


def test_sizes_of_what_is_made_of_a_number_are_told() -> None:
    """`tf.random.normal([n, 8])` of a tensor has a size that is unknown, and fails where Python asks for it."""
    sizes = GraphPair(True, (Constant("int32", (0, 2), (0, 3)),))
    made = "`tf.zeros(z.shape)` in it fails where a size is unknown that follows from `n`. `tf.zeros(tf.shape(z))` does"
    assert any(note.startswith(made) for note in told("tf.zeros(z.shape) follows .n", pair=sizes).notes)
    asked = "z.shape[0] follows .n"
    assert any("may be None then" in note for note in told(asked, pair=sizes).notes)
    assert not any("z.shape" in note for note in told("z.shape[0] follows .x", pair=sizes).notes)
    fractions = GraphPair(True, (Constant("float32", 2.0, 3.0),))  # which no size is
    assert not any("z.shape" in note for note in told(asked, pair=fractions).notes)


@pytest.mark.parametrize(
    ("passed", "rule", "said"),
    [
        (tensor(3), "tensor_for_python_number", ""),
        (Node("list", children=(("[0]", tensor(2)), ("[1]", tensor(2)))), "tensor_for_python_number", "tf.stack(x)[n]"),
        (Node("list", children=(("[0]", tensor(2)), ("[1]", tensor(3)))), "decided_in_python", "`x[n]`"),
    ],
)
def test_what_a_number_chooses_of_an_argument(passed: Node, rule: str, said: str) -> None:
    """A part of a tensor, of a list of such as are alike, or of others, which no tensor can."""
    traces = sized(history(*({"x": passed, "n": number(n)} for n in (2, 3))), 9, 9)
    graphs = Graphs(lambda one, other: COMPUTED)
    (found,) = advise(FunctionFacts("pick", traces, python_uses=("x[n] of an argument",), graphs=graphs))
    assert found.rule == rule
    assert said in found.in_one
    assert ("x[n]" in found.in_one) == bool(said)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("math.exp(n)", " `math.exp(n)` in it takes no tensor: write `tf.math.exp(…)`."),
        ("np.sqrt(n)", " `np.sqrt(n)` in it takes no tensor: write `tf.math.sqrt(…)`."),
        ("min(n)", " `min(n)` in it takes no tensor: write `tf.minimum(…)`."),
        (
            "tf.image.random_hue(n)",
            " `tf.image.random_hue(n)` in it takes no tensor: write"
            " `tf.image.adjust_hue(…, tf.random.uniform([], …))`.",
        ),
        (
            "image.stateless_random_contrast(n)",
            " `image.stateless_random_contrast(n)` in it takes no tensor: write"
            " `tf.image.adjust_contrast(…, tf.random.stateless_uniform([], …))`.",
        ),
        ("y.set_shape(n)", " `y.set_shape(n)` in it takes no tensor: a size that a tensor holds is not known there,"),
        (
            "tf.TensorShape(n)",
            " `tf.TensorShape(n)` in it takes no tensor: a size that a tensor holds is not known there",
        ),
        (
            "if n > 3: raise",
            " `if n > 3: raise` in it raises while it is traced, whatever a tensor's value: check that before",
        ),
        (
            "assert n > 0",
            " `assert n > 0` in it fails while it is traced, whatever a tensor's value: check that before",
        ),
        (
            "if n > 3: mode = '…'",
            " `if n > 3: mode = '…'` in it takes no tensor: decide that before the call, and pass what comes of it.",
        ),
        (
            "tf.py_function runs n",
            " What `tf.py_function` runs has no value of a tensor that it reads from around it: pass `n` in its `inp`,"
            " and take it as an argument there.",
        ),
        (
            "tf.data.Dataset.from_generator runs n",
            " What `tf.data.Dataset.from_generator` runs has no value of a tensor that it reads from around it: pass"
            " `n` in its `args`, and",
        ),
        ("to_tensor([None, n])", " `to_tensor([None, n])` in it takes no tensor beside None: write -1 there."),
        ("match n:", " `match n:` in it takes no tensor: write `if n == …:` in its place."),
        ("tf.ensure_shape(n)", " `tf.ensure_shape(n)` in it takes no tensor: a size that a tensor holds is not known"),
        ("{…}.get(n)", " `{…}.get(n)` in it takes no tensor: compute it before the call, and pass what comes of it."),
        ("round(n)", " `round(n)` in it takes no tensor: compute it before the call, and pass what comes of it."),
        (
            "1 if n > 2 else 3 of whole numbers",
            " `1 if n > 2 else 3` in it is a tensor of int32 then: where it meets fractions, write `tf.cast(…,",
        ),
        ("math.factorial(n)", " `math.factorial(n)` in it takes no tensor: compute it before the call, and pass"),
        ("NAMES[n] of a dict", " `NAMES[n]` in it takes no tensor: compute it before the call, and pass what comes"),
    ],
)
def test_what_takes_no_tensor(use: str, said: str) -> None:
    found = told(use)
    assert f"at every call.{said}" in found.in_one
    assert COMPUTED_IN_PYTHON not in found.in_one  # it is said of this one
    assert found.code == "train_step(x, tf.constant(n, tf.float32))"


def test_what_a_loop_has_by_turns_is_of_each_number_of_the_list() -> None:
    lists = [sequence(number(1), number(k)) for k in (2, 3)]
    traces = history(*({"x": tensor(2), "arch": each} for each in lists))
    uses = ["OPS[arch[...]] of a list of objects"]
    (found,) = advise(FunctionFacts("evaluate", traces, python_uses=uses))
    assert (found.rule, found.traces_after) == ("decided_in_python", None)
    assert "Python decides by it what is built: `OPS[arch[...]]`. No tensor" in found.text
    assert found.text.endswith("by `tf.switch_case` with each item of `arch` between functions that each build one.")


def test_a_list_that_grows_with_what_decides_is_told_beside_it() -> None:
    """`project(q, k)` with all of `q` so far: with `k` as a tensor each length would be traced all the same."""

    def growing(k: int) -> dict[str, Node]:
        items = tuple((f"[{place}]", tensor(8)) for place in range(k))
        return {"q": Node("list", type_name="list", children=items), "k": number(k)}

    traces = history(*map(growing, (1, 2, 3)))
    all_of_it = advise(FunctionFacts("project", traces, python_uses=["h.append(…) in range(k)"]))
    (found,) = (one for one in all_of_it if one.rule == "decided_in_python")
    assert found.text.endswith(
        "`q` has another length at the same calls, which needs a trace for itself: pass one tensor of the largest"
        " length in place of it, too."
    )


def test_what_goes_through_a_dictionary_does_so_with_each_of_its_numbers() -> None:
    """`for name, w in weights.items(): total += min(w, 1.0) * losses[name]`."""
    weights = [mapping(kl=number(1.0), l2=number(w)) for w in (0.5, 0.25)]
    traces = history(*({"x": tensor(2), "weights": each} for each in weights))
    (found,) = advise(FunctionFacts("step", traces, python_uses=["min(weights[...])"]))
    assert "`min(weights[...])` in it takes no tensor: write `tf.minimum(…)`." in found.in_one
    (other,) = advise(FunctionFacts("step", traces, python_uses=["min(rates[...])"]))
    assert "tf.minimum" not in other.in_one


def test_what_a_library_asks_in_python_is_to_be_no_tensor() -> None:
    """`tf.nn.softmax(x, axis=n)` fails of a tensor, and there is nothing else to write."""
    found = told("tf.nn.softmax(axis=n)")
    assert (found.rule, found.traces_after) == ("operation_attribute", None)
    assert (
        "for each value of `n`, which is `axis` of `tf.nn.softmax` in its code: TensorFlow takes a Python" in found.text
    )


def test_a_list_of_sizes_may_be_a_tensor_to_split_by() -> None:
    """`tf.split(x, sizes)` takes one of several numbers, and of one alone none."""
    uses = ("tf.split(num_or_size_splits=n)",)
    assert asked_in_python(uses, "n") == "`num_or_size_splits` of `tf.split`"
    assert asked_in_python(uses, "n[0]") == ""


def test_of_other_names_nothing_is_said() -> None:
    for use in ("math.exp(k)", "math.exp(self.n)", "math.exp(n.step)", "math.exp(number)"):
        assert told(use).in_one.endswith(COMPUTED_IN_PYTHON)


def test_an_index_of_a_list_is_whole() -> None:
    """`RATES[n]` becomes a float32 in the graph, and a tensor of that cannot be an index."""
    found = told("RATES[n] of a list")
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.in_one.endswith("`RATES[n]` in it takes no tensor: write `tf.gather(RATES, n)`.")


def test_an_index_of_what_an_object_holds_is_whole() -> None:
    """The noise schedule of a diffusion model, `self.alphas[t]`: what it is, a list, array or tensor, is not known."""
    found = told("self.alphas[n] of a member")
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.in_one.endswith(
        " `self.alphas[n]` in it takes no tensor where that is a list or an array: of numbers,"
        " write `tf.gather(self.alphas, n)`."
    )
    assert told("ALPHAS[n] of a ndarray").in_one.endswith("write `tf.gather(ALPHAS, n)`.")
    assert told("ALPHAS[n] of a float64 ndarray").in_one.endswith(
        "write `tf.gather(ALPHAS, n)`. That is of float64: cast it to what it is computed with."
    )


def test_what_an_index_chooses_between_is_no_table() -> None:
    for use in ("LOSSES[n] of a list of objects", "LOSSES[n] of a dict of objects"):
        found = told(use)
        assert (found.rule, found.code, found.traces_after) == ("decided_in_python", None, None)
        assert found.text.startswith(
            "`train_step` is traced for each value of `n` (2 so far), and Python decides by it what is built:"
            " `LOSSES[n]`. No tensor can be passed there as the code is"
        )
        assert found.text.endswith(
            "pass `n` as a tensor, and choose by `tf.switch_case` with `n` between functions that each build one."
        )


def test_of_a_number_that_is_closed_over_it_is_a_note() -> None:
    def notes(use: str) -> list[str]:
        return what_takes_no_tensor(FunctionFacts("step", (), python_uses=[use]), ["n"])

    assert notes("[… for … in range(n)]") == [
        "`[… for … in range(n)]` in it takes no tensor: where these are tensors of one shape, write"
        " `tf.map_fn(…, tf.range(n), fn_output_signature=…)`."
    ]
    assert notes("LOSSES[n] of a dict of objects") == [
        "`LOSSES[n]` in it takes no tensor: `tf.switch_case` chooses between functions in the graph."
    ]
    assert notes("[…n…] + ….shape") == ["`[…n…] + ….shape` in it takes no tensor: write `[…] + list(….shape)`."]
    assert notes("if i >= n: break") == [
        "`if i >= n: break` in it takes no tensor in a loop that Python goes through: write `tf.range(…)` in place of"
        " `range`."
    ]
    assert notes("not n % 3") == [
        "TensorFlow takes no tensor of numbers for a condition: write `n % 3 == 0` for `not n % 3`."
    ]
    for use in (
        "n * 2.0 with fractions",
        "n - 1 with whole numbers",
        "n < k compared with k",
        "out.append(…) in range(n)",
        "out[…] = … in range(n)",
        "for … in n by turns",
        "tf.constant(n) anew",
    ):
        assert notes(use) == []


def test_a_list_that_is_repeated_is_said_first() -> None:
    found = told("[…] * n", pair=GraphPair(False))
    assert found.in_one.startswith(
        "This may change results: the code repeats a list (`[…] * n`), and of a tensor that is a product, without an"
    )
    assert found.apply is None
    assert why_by_hand(found.rule, found.evidence).startswith("a list that is repeated by a number")


@pytest.mark.parametrize("use", ["self.layers[n] of a member", "[…][n]", "NAMES[n] of a dict", "RATES[n] of a list"])
def test_what_is_looked_up_decides_where_the_graphs_have_other_operations(use: str) -> None:
    """`hidden[layer]` is a layer's output, and `RATES[n]` a number, which a tensor can be."""
    found = told(use, pair=GraphPair(alike=False))
    assert (found.rule, found.traces_after) == ("decided_in_python", None)
    assert told(use).traces_after == 1


def test_what_a_loop_over_its_range_looks_up_does_not_decide() -> None:
    """`for i in range(n): x -= RATES[i]`: there are more operations, whatever is looked up; a member may be layers."""
    found = told("RATES[n[...]] of a list", pair=GraphPair(alike=False))
    assert (found.rule, found.traces_after) == ("tensor_for_python_number", 1)
    assert (
        "`RATES[i]` in it takes no tensor: write `tf.gather(RATES, i)`. `i` is what the loop over the `range` of `n`"
        " has." in found.in_one
    )
    other = told("self.layers[n[...]] of a member", pair=GraphPair(alike=False))
    assert (other.rule, other.traces_after) == ("decided_in_python", None)
    assert "what is built: `self.layers[i]`. `i` is what the loop over the `range` of `n` has." in other.text
    assert other.text.endswith("by `tf.switch_case` with `i` between functions that each build one.")


def test_a_number_that_looks_up_is_not_what_is_computed_with() -> None:
    facts = FunctionFacts("step", (), python_uses=["x * n with another", "x * RATES[n] with another"])
    assert divides(facts, "n") == ["x * n"]
    of_a_loop = FunctionFacts("step", (), python_uses=["x * n[...] with another", "RATES[n[...]] * x with another"])
    assert divides(of_a_loop, "n") == ["x * n[...]"]


@pytest.mark.parametrize(
    ("use", "instead"),
    [
        ("out.append(…) in range(n)", "let the loop fill a `tf.TensorArray` in place of the list."),
        ("out += […] in range(n)", "let the loop fill a `tf.TensorArray` in place of the list."),
        ("gates.add(…) in range(n)", "with tensors in place of the object that its turns change."),
        ("… | … in range(n)", "with tensors in place of the object that its turns change."),
        ("out[…] = … in range(n)", "let the loop fill a `tf.TensorArray` in place of the list."),
        ("[… for … in range(n)]", "or one tensor of all, by `tf.map_fn` over `tf.range`."),
        ("if n > 2: out.append(…)", "by `tf.switch_case` with `n` between functions that each build one."),
        ("for … in range(n) unconverted", "of which it makes a loop, or a condition, of the graph."),
        ("[… for … in self.layers[…n…]]", "go through all at every call, and let a mask leave some out."),
        ("for … in self.layers[…n…] by a number", "go through all at every call, and let a mask leave some out."),
    ],
)
def test_a_list_that_is_as_long_as_a_number_is_built_in_python(use: str, instead: str) -> None:
    found = told(use, pair=GraphPair(alike=False))
    assert (found.rule, found.traces_after) == ("decided_in_python", None)
    assert found.text.endswith(instead)


def test_a_part_of_a_table_is_one_of_a_tensor_of_it() -> None:
    found = told("TABLE[n:k] of a ndarray")
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.in_one.endswith("`TABLE[n:k]` in it takes no tensor: write `tf.convert_to_tensor(TABLE)[n:k]`.")
    assert "`tf.convert_to_tensor(TABLE)[:, n]`" in told("TABLE[:, n] of a list").in_one
    # Python goes through no symbolic tensor
    assert "`tf.reduce_sum(tf.convert_to_tensor(TABLE)[:n])`" in told("sum(TABLE[:n]) of a list").in_one


def test_a_part_of_what_an_object_holds_is_one_of_a_tensor_of_it() -> None:
    """`loader.images[first:last]`, whose elements the graph holds: a bound is whole all the same."""
    found = told("loader.images[n:k] of a member")
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.in_one.endswith(
        "where that is a list or an array: of numbers, write `tf.convert_to_tensor(loader.images)[n:k]`."
    )
    # as of a tensor there: what else decides is not known
    assert told("loader.images[n:k] of a member", pair=GraphPair(alike=False)).traces_after == 1


def test_a_part_of_a_tensor_has_no_known_size() -> None:
    """Where the graphs differ in nothing but the bound, nobody asks for it, but where the source does."""
    said = "`x[:n]` in it has no known size then: `.shape` of it is None there, and `tf.shape` gives it."
    assert said not in told("x[:n] in parts").in_one
    assert said in told("x[:n] in parts", pair=GraphPair(alike=False)).in_one
    assert said in told("x[:n].shape in parts", "x[:n] in parts").in_one


def test_what_tf_print_is_given_is_printed_of_a_tensor_too() -> None:
    texts = GraphPair(True, attribute=("StringFormat", "template"))
    assert told("tf.print(n)", pair=texts).in_one.endswith("Pass it as a tensor at every call.")
    assert told(pair=texts).in_one.startswith(
        "This may change results: for 2 and 3 of `n` the graphs hold other texts."
    )
    assert "writes `n` into a text" in told("tf.print(n)", 'f"{n}"', pair=texts).in_one


@pytest.mark.parametrize("use", ['f"{n}"', '"%" % n', "str(n)", "str.format(n)"])
def test_what_is_written_into_a_text_is_said_first(use: str) -> None:
    """The key of a dictionary, which no graph shows."""
    found = told(use, pair=GraphPair(True))
    assert found.in_one.startswith(
        f"This may change results: the code writes `n` into a text (`{use}`). There a tensor becomes `Tensor(…)`,"
    )
    assert found.apply is None


def test_numbers_that_are_closed_over() -> None:
    closure = (ClosureChange("rate", "0.1", "0.2", is_number=True),)
    facts = FunctionFacts("step", recreated(3, closure, same_graph=False), python_uses=["math.sqrt(rate)"])
    (found,) = advise(facts)
    assert found.rule == "pass_closed_over_number"
    assert "`math.sqrt(rate)` in it takes no tensor: write `tf.math.sqrt(…)`." in found.in_one


def test_whole_numbers_of_tensors_overflow() -> None:
    assert OVERFLOWS in told(pair=GraphPair(True, (Constant("int32", 826, 5),))).in_one
    assert OVERFLOWS not in told(pair=GraphPair(True, (Constant("int32", 2, 3),))).in_one
    assert OVERFLOWS not in told().in_one


def test_what_the_list_is_given_to_that_the_number_lies_in() -> None:
    """`lo, hi = sorted(limits)`: tensors have no order while a graph is made."""
    limits = [Node("tuple", "tuple", children=(("[0]", number(n)), ("[1]", number(n + 2)))) for n in (2, 3)]
    traces = sized(history(*({"x": tensor(2), "limits": pair} for pair in limits)), 9, 9)
    uses = "sorted(limits)", "max(limit)", "min(limits.sizes)"
    graphs = Graphs(lambda one, other: COMPUTED)
    (found,) = advise(FunctionFacts("clip", traces, python_uses=uses, graphs=graphs))
    assert "`sorted(limits)` in it takes no tensor: compute it before the call" in found.in_one
    assert "`max(limit)`" not in found.in_one
    assert "`min(" not in found.in_one.replace("such as `or`, `min`", "")
