"""Arguments in several dtypes, among tensors and beside what is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import GraphPair, Graphs
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, mapping, number, numbers, tensor

NONE = Node("literal", "NoneType", value="None", identity=1)


def ragged(dtype: str, rank: int = 1, rows: int = 2, splits: str = "int64") -> Node:
    parts = tensor(rows, -1, dtype=""), tensor(dtype=dtype), literal(rank), tensor(dtype=splits)
    text = f"RaggedTensorSpec(([{rows}, None]), {dtype}, {rank}, {splits})"
    return Node(
        "composite",
        "RaggedTensorSpec",
        value=text,
        identity=1,
        children=tuple((f"#{i}", p) for i, p in enumerate(parts)),
    )


def sequence(*items: float) -> Node:
    return Node("list", "list", children=tuple((f"[{i}]", literal(item)) for i, item in enumerate(items)))


def test_a_number_beside_tensors_is_cast_too() -> None:
    values = (literal(0.1), tensor(dtype="float64"), tensor(), literal(0.5))
    traces = history(*({"lr": value} for value in values), source="sgd(g, lr)")
    found = advice(traces, "sgd")
    assert numbers(found) == [("one_dtype", 4, 1)]
    assert "(float64, float32, and as Python numbers). Cast to float64" in found[0].in_one
    assert found[0].apply == {"tensors": {"lr": "float64"}, "casts": {"lr": "float64"}}
    assert "takes a tensor where Python numbers came" in found[0].evidence


@pytest.mark.parametrize(
    ("dtypes", "chosen"),
    [
        (("int32", "int64"), "int64"), (("int64", "int32"), "int64"), (("uint8", "int32"), "int32"),
        (("float16", "float32"), "float32"), (("float32", "float64"), "float32"), (("float64", "float32"), "float64"),
        (("int64", "float16", "float32"), "float32"),
    ],
)  # fmt: skip
def test_a_cast_goes_to_what_holds_the_others(dtypes: tuple[str, ...], chosen: str) -> None:
    (found,) = advice(history(*({"x": tensor(dtype=dtype)} for dtype in dtypes)), "total")
    assert f"Cast to {chosen} before the call." in found.text
    assert not found.warnings


def test_strings_among_numbers_stay_as_they_are() -> None:
    columns = [{"column": tensor(10, dtype=dtype)} for dtype in ("int64", "float64", "string", "bool")]
    (found,) = advice(history(*columns, source="summary(table[name])"), "summary")
    assert numbers([found]) == [("one_dtype", 4, 2)]
    assert "(int64, float64, bool). Cast to float64 before the call. Strings stay as they are." in found.text
    assert found.code == (
        "summary(given if (given := tf.convert_to_tensor(table[name])).dtype == tf.string else"
        " tf.cast(given, tf.float64))"
    )
    of_strings = history({"x": tensor(dtype="string")}, {"x": tensor(dtype="int64")})
    assert advice(of_strings, "summary") == []  # and of one dtype beside


def test_row_splits_of_two_dtypes() -> None:
    """`tf.ragged.constant(rows, row_splits_dtype=tf.int32)`, and what `tf.ragged` makes unasked."""
    of_two = ragged("float32", splits="int32"), ragged("float32")
    (found,) = advice(history(*({"x": x} for x in of_two), source="total += pool(x)"), "pool")
    assert (found.rule, found.traces_after) == ("one_row_splits_dtype", 1)
    assert found.code == "total += pool(x.with_row_splits_dtype(tf.int64))"
    assert found.apply is None
    assert "`row_lengths()` and `nrows()`, is int64 then, too." in found.notes[0]
    (found,) = advice(history(*({"x": x} for x in of_two), source="pool(a + b)"), "pool")
    assert found.code == "pool((a + b).with_row_splits_dtype(tf.int64))"
    beside = [{"x": x, "n": tensor(dtype=dtype)} for x, dtype in zip(of_two, ("int32", "int64"), strict=True)]
    found = advice(history(*beside, source="pool(x, n)"), "pool")
    assert numbers(found) == [("one_dtype+one_row_splits_dtype", 2, 1)]
    assert found[0].code == "pool(x.with_row_splits_dtype(tf.int64), tf.cast(n, tf.int64))"
    both = history({"x": ragged("float32", splits="int32")}, {"x": ragged("int32")})
    assert numbers(advice(both, "pool"))[:1] == [("one_dtype+one_row_splits_dtype", 2, 1)]
    assert all(one.rule != "one_row_splits_dtype" for one in advice(history({"x": of_two[0]}, {"x": tensor(2)})))


def test_what_a_cast_may_lose_is_said() -> None:
    (found,) = advice(history({"x": tensor(dtype="int32")}, {"x": tensor(dtype="uint32")}), "hashed")
    assert "Cast to int32" in found.text
    assert found.warnings[0].startswith("This may change results: int32 does not hold every number of uint32")
    (found,) = advice(history({"x": tensor(dtype="float32")}, {"x": tensor(dtype="int64")}), "loss")
    assert "nothing is lost by the cast (float32 holds each whole number up to 16,777,216, and" in found.evidence
    (found,) = advice(history({"x": tensor(dtype="float32")}, {"x": tensor(dtype="uint8")}), "loss")
    assert "nothing is lost by the cast." in found.evidence


def test_identifiers_that_are_handed_on_are_none_as_fractions() -> None:
    """Merlin's `list_col_to_ragged` of columns of item ids and of prices."""
    calls = history({"x": tensor(dtype="int64")}, {"x": tensor(dtype="float32")})
    traces = [replace(trace, nodes=9) for trace in calls]
    pair = GraphPair(True, gives=("int64", "float32"))
    (found,) = advise(FunctionFacts("ragged", traces, graphs=Graphs(lambda one, other: pair)))
    assert "for int64 of `x` what it gives is of int64, and of float32 then" in found.warnings[0]
    (found,) = advise(FunctionFacts("ragged", traces, graphs=Graphs(lambda one, other: GraphPair(True))))
    assert not found.warnings


def test_bytes_that_wrap() -> None:
    calls = history({"x": tensor(dtype="uint8")}, {"x": tensor(dtype="int32")})
    traces = [replace(trace, nodes=9) for trace in calls]
    pair = GraphPair(True, computes=("AddV2", "uint8", "int32"))
    (found,) = advise(FunctionFacts("brighten", traces, graphs=Graphs(lambda one, other: pair)))
    assert "for uint8 of `x` the graphs compute `AddV2` in uint8, which wraps" in found.warnings[0]


def test_other_numbers_than_a_cast_makes() -> None:
    """`loss * scaler.value`, an attribute that has changed between the calls of both dtypes."""
    traces = [
        replace(trace, nodes=nodes)
        for trace, nodes in zip(history({"x": tensor(2)}, {"x": tensor(2, dtype="float16")}), (9, 10), strict=True)
    ]

    def text(pair: GraphPair) -> str:
        (found,) = advise(FunctionFacts("scaled", traces, graphs=Graphs(lambda one, other: pair)))
        return found.in_one

    assert text(GraphPair(False, fractions=(8.0, 16.0))).startswith(
        "This may change results: for float32 and float16 of `x` the graphs hold other numbers (8 and 16). If it is"
        " something that each trace reads anew"
    )
    assert text(GraphPair(False)).startswith("`x` of `scaled` comes in several dtypes")
    read = FunctionFacts(
        "scaled",
        traces,
        values_read={"self.scale": ["8.0", "16.0"]},
        graphs=Graphs(lambda one, other: GraphPair(False, fractions=(8.0, 16.0))),
    )
    (told,) = advise(read)
    assert "each trace reads `self.scale` (8.0, 16.0) anew" in told.in_one
    assert "hold other numbers" not in told.in_one


def test_none_stays_none() -> None:
    traces = history(*({"x": value} for value in (NONE, tensor(2), tensor(2, dtype="float64"))), source="loss(x)")
    (found,) = advice(traces, "loss")
    assert numbers([found]) == [("one_dtype", 3, 2)]
    assert found.code == "loss(None if x is None else tf.cast(x, tf.float32))"


def test_a_list_of_numbers_is_cast_too() -> None:
    values = (sequence(1, 2), tensor(2, dtype="float64"), tensor(2))
    (found,) = advice(history(*({"x": value} for value in values)))
    assert numbers([found]) == [("one_dtype", 3, 1)]


def test_of_composite_tensors_the_values_are_cast() -> None:
    traces = history(*({"r": ragged(dtype)} for dtype in ("int32", "float32", "float64")), source="lengths(r)")
    (found,) = advice(traces, "lengths")
    assert numbers([found]) == [("one_dtype", 3, 1)]
    assert found.code == "lengths(tf.cast(r, tf.float32))"
    assert found.apply == {"casts": {"r": "float32"}}
    ranks = history(*({"r": ragged(dtype, rank)} for dtype, rank in (("int32", 1), ("float32", 2))))
    assert advice(ranks) == []


def test_no_fraction_is_cut_off() -> None:
    def chosen(*values: Node) -> str:
        found = [a for a in advice(history(*({"x": value} for value in values))) if a.rule == "one_dtype"]
        return (found[0].code or "").rpartition("tf.")[2].rstrip(")") if found else ""

    ints, longs, floats = tensor(2, dtype="int32"), tensor(2, dtype="int64"), tensor(2)
    assert chosen(ints, longs, ints) == "int64"
    assert chosen(ints, floats, ints) == "float32"
    assert chosen(tensor(2, dtype="bool"), ints) == "int32"
    assert chosen(floats, tensor(2, dtype="complex64")) == "complex64"
    assert chosen(ints, longs, literal(0.5)) == ""
    assert chosen(ints, floats, literal(True)) == ""


@pytest.mark.parametrize("value", [mapping(a=tensor(2)), Node("variable", dtype="float32", shape=(2,), identity=4)])
def test_what_cannot_be_cast_is_left_alone(value: Node) -> None:
    traces = history({"x": tensor(2)}, {"x": tensor(2, dtype="float64")}, {"x": value})
    assert not any(a.rule == "one_dtype" for a in advice(traces))


def test_a_signature_does_not_cast() -> None:
    values = (literal(0.1), tensor(dtype="float64"), tensor())
    traces = history(*({"x": tensor(n), "lr": value} for n, value in enumerate(values)))
    rules = {a.rule for a in advise(FunctionFacts("sgd", traces))}
    assert "one_dtype+input_signature" in rules
    assert "input_signature" not in rules


@pytest.mark.parametrize(
    ("dtypes", "computes", "said"),
    [
        (("int32", "float32"), ("Mean", "int32", "float32"), "first"),
        (("float32", "uint8"), ("AddV2", "float32", "uint8"), "first"),
        (("float32", "float64"), ("Mul", "float32", "float64"), "digits of float32 then."),
        (("int32", "int64"), ("AddV2", "int32", "int64"), ""),
        (("int32", "float32"), None, ""),
    ],
)
def test_what_is_computed_of_whole_numbers(
    dtypes: tuple[str, str], computes: tuple[str, str, str] | None, said: str
) -> None:
    """`tf.reduce_mean(x)` of whole numbers is whole; where the code casts first, nothing changes."""
    calls = [{"x": tensor(size, dtype=dtype)} for size, dtype in zip((2, 3), dtypes, strict=True)]
    traces = [replace(trace, nodes=9) for trace in history(*calls)]
    pair = GraphPair(True, computes=computes)
    text = advise(FunctionFacts("total", traces, graphs=Graphs(lambda one, other: pair)))[0].in_one
    assert text.startswith("This may change results: for ") == (said == "first")
    assert (said if said != "first" else "the graphs compute `") in text
    assert ("digits of" in text) == said.startswith("digits")


def test_of_other_types_is_told_once_what_the_cast_beside_it_leaves() -> None:
    """A reward that may decide what is built is left out of one study, and cast in the other."""
    flag = Node("variable", dtype="bool", shape=(), value="trainable=True", identity=7)
    rewards = number(0.0), tensor(dtype="float64"), tensor(), number(1)
    done = literal(False), flag, literal(False), literal(True)
    traces = history(*({"r": r, "d": d} for r, d in zip(rewards, done, strict=True)))
    compared = [replace(trace, closest=0, nodes=13) for trace in traces[1:]]
    signatures = [trace.lookup.signature for trace in traces]
    changes = [tuple(diff_signatures(signatures[0], signature)) for signature in signatures[1:]]
    traces[1:] = [replace(one, changes=change) for one, change in zip(compared, changes, strict=True)]
    traces[0] = replace(traces[0], nodes=14)
    found = advice(traces)
    assert [one.rule for one in found] == ["one_dtype", "same_type"]
    assert found[1].in_one.startswith("`d` of `train_step` is of another Python type: False → Variable bool ().")
    # nothing is left where the flag is a tensor, which all calls can pass
    traces[1] = replace(traces[1], lookup=Lookup(Signature((("r", rewards[1]), ("d", tensor(dtype="bool"))))))
    traces[1] = replace(traces[1], changes=tuple(diff_signatures(signatures[0], traces[1].lookup.signature)))
    assert [one.rule for one in advice(traces)] == ["tensor_for_python_bool+one_dtype", "one_dtype"]
