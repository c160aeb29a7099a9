"""When buckets are advised, before what, and with which numbers."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.what_if.candidate import Candidate, bucket_of
from tb_retrace_plugin.explain.what_if.near_shapes import differ_by_near_sizes
from tb_retrace_plugin.explain.what_if.replay import Lookup, replay
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, history, mapping, number, numbers, tensor

LENGTHS = (3, 64, 17, 4, 33, 18, 34, 62, 5, 19)


def test_under_xla_buckets_come_before_one_shape() -> None:
    traces = history(*({"x": tensor(n, 8)} for n in LENGTHS), source="y = train_step(data)")
    buckets, one_shape = advice(traces, jit_compile=True)
    assert numbers([buckets, one_shape]) == [("shape_buckets", 10, 3), ("pad_to_one_shape", 10, 1)]
    assert buckets.in_one.startswith("This changes results unless it is masked or cut off: padding counts as data in a")
    assert (
        "Pad dimension 0 of `x` to the next of 3 buckets 5, 19, 64: at most 48 % of it is padding, " in buckets.in_one
    )
    assert "17 % on average over the sizes seen (with one size for all 60 %)" in buckets.in_one
    assert "How often each size came is not recorded" in buckets.in_one
    assert "a mask where it is needed" in buckets.evidence
    assert buckets.apply is None
    assert buckets.code is not None
    assert buckets.code.endswith("\n\ny = train_step(pad_to_bucket(data, 0, (5, 19, 64)))")
    # traces stay where a bucket is met first: 3, 64 and 17
    assert buckets.seconds_saved == 7


def test_the_code_pads() -> None:
    """Without TensorFlow here; tests/capture has it."""
    (buckets, _) = advice(history(*({"x": tensor(n, 8)} for n in LENGTHS)), jit_compile=True)
    assert buckets.code is not None
    padded: list[object] = []

    class Tf:
        @staticmethod
        def pad(x: object, paddings: object) -> None:
            padded.append(paddings)

    names: dict[str, object] = {"tf": Tf, "train_step": lambda x: None}
    for size in (4, 5, 6, 64, 65):
        exec(buckets.code, {**names, "x": replace(tensor(size, 8))})
    assert padded == [[[n, m], [0, 0]] for n, m in ((0, 1), (0, 0), (0, 13), (0, 0), (0, 0))]


def test_dimensions_that_vary_together_have_the_same_buckets() -> None:
    traces = history(*({"x": tensor(n, 8), "batch": mapping(mask=tensor(2, n))} for n in LENGTHS))
    best = advice(traces, jit_compile=True)[0]
    assert numbers([best]) == [("shape_buckets", 10, 3)]
    assert "Pad dimension 0 of `x` and dimension 1 of `batch['mask']` to the next of 3 buckets 5, 19, 64" in best.in_one
    assert best.code is not None
    assert "batch['mask'] = pad_to_bucket(batch['mask'], 1, (5, 19, 64))" in best.code


def test_dimensions_that_vary_apart_have_their_own() -> None:
    traces = history(*({"x": tensor(n, 100 - n if n % 2 else 7)} for n in LENGTHS))
    best = advice(traces, jit_compile=True)[0]
    assert best.in_one.count("Pad dimension 0 of `x` to the next of") == 1
    assert best.in_one.count("Pad dimension 1 of `x` to the next of") == 1
    assert best.code is not None
    assert "pad_to_bucket(pad_to_bucket(x, 0, (5, 19, 64)), 1, (" in best.code


def test_what_cannot_be_assigned_is_shown_in_place() -> None:
    traces = history(*({"pair": Node("tuple", "tuple", children=(("[0]", tensor(n)),))} for n in LENGTHS))
    code = advice(traces, jit_compile=True)[0].code
    assert code is not None
    assert "pad_to_bucket(pair[0], 0, (5, 19, 64))  # in place of pair[0]" in code


@pytest.mark.parametrize(
    "lengths",
    [(3, 64, 17), (60, 61, 62, 63, 64), (20, 21, 22, 23, 24, 30)],
    ids=["few sizes", "one size wastes little", "nor here"],
)
def test_one_shape_where_buckets_are_not_worth_it(lengths: tuple[int, ...]) -> None:
    found = advice(history(*({"x": tensor(n, 8)} for n in lengths)), jit_compile=True)
    assert [one.rule for one in found] == ["pad_to_one_shape"]


def test_without_xla_an_unknown_dimension_is_better() -> None:
    found = advice(history(*({"x": tensor(n, 8)} for n in LENGTHS)))
    assert [one.rule for one in found] == ["input_signature", "reduce_retracing"]


def with_failed(failed: dict[str, Node], lengths: tuple[int, ...] = LENGTHS) -> list[Traced]:
    traces = history(*({"x": tensor(n, 8)} for n in lengths), failed)
    return [*traces[:-1], replace(traces[-1], lookup=replace(traces[-1].lookup, failed=True))]


def test_without_xla_buckets_where_the_unknown_dimension_failed() -> None:
    (found,) = advice(with_failed({"x": tensor(-1, 8)}))
    assert numbers([found]) == [("shape_buckets", 11, 4)]  # the failed one stays
    assert "`x` of `train_step` changes shape, and a trace with unknown dimensions failed." in found.in_one


def test_what_else_failed_says_nothing_of_unknown_dimensions() -> None:
    other = [tensor(-1, 8, dtype="string"), tensor(-1, -1), tensor(-1, 9), tensor(70, 8)]
    for node in other:
        rules = [one.rule for one in advice(with_failed({"x": node}))]
        assert "shape_buckets" not in rules, node


def test_nothing_where_what_was_served_is_not_known() -> None:
    traces = history(*({"x": tensor(n, 8)} for n in (*LENGTHS, -1)))
    assert "shape_buckets" not in [one.rule for one in advice(traces, jit_compile=True)]
    widened = replace(traces[3].lookup, traced=Signature((("x", tensor(-1, 8)),)), reduce_retracing=True)
    traces = [*traces[:3], replace(traces[3], lookup=widened), *traces[4:-1]]
    assert "shape_buckets" not in [one.rule for one in advice(traces, jit_compile=True)]
    variables = history(*({"x": Node("variable", dtype="float32", shape=(n,), identity=n)} for n in LENGTHS))
    assert advice(variables, jit_compile=True) == []


def test_together_with_a_number_that_varies() -> None:
    traces = history(*({"x": tensor(n, 8), "step": number(i)} for i, n in enumerate(LENGTHS)))
    assert numbers(advice(traces, jit_compile=True)) == [("tensor_for_python_number+shape_buckets", 10, 3)]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 300), min_size=4, max_size=40, unique=True))
def test_promised_traces_are_the_buckets_that_are_hit(lengths: list[int]) -> None:
    found = advice(history(*({"x": tensor(n)} for n in lengths)), jit_compile=True)
    (promised,) = [one for one in found if one.rule == "shape_buckets"] or [None]
    if promised is None:
        assert (max(lengths) - sum(lengths) / len(lengths)) / max(lengths) <= 1 / 3 + 1e-9
        return
    assert promised.code is not None
    buckets = eval(promised.code.rpartition("pad_to_bucket(x, 0, ")[2].removesuffix("))"))
    assert promised.traces_after == len({bucket_of(n, buckets) for n in lengths}) == len(buckets) < len(lengths)


def test_in_the_replay_larger_and_unknown_sizes_stay() -> None:
    lookups = [Lookup(Signature((("x", tensor(n, 2)),))) for n in (1, 4, 3, 9, -1, 10)]
    assert replay(lookups, Candidate(buckets={"x": {0: (4, 8)}})) == [True, False, False, True, True, False]
    lookups[4], lookups[5] = lookups[5], lookups[4]
    assert replay(lookups, Candidate(buckets={"x": {0: (4, 8)}})) == [True, False, False, True, True, True]


@given(st.sets(st.integers(0, 300), min_size=4, max_size=25))
def test_what_was_padded_as_advised_is_near_to_nothing(sizes: set[int]) -> None:
    """So no trace that remains is judged avoidable, and nothing is advised again."""
    found = advice(history(*({"x": tensor(n)} for n in sorted(sizes))), jit_compile=True)
    promised = next((one for one in found if one.rule == "shape_buckets"), None)
    if promised is None:
        return
    (shown,) = re.findall(r"buckets ([\d, ]+): at most", promised.in_one)
    buckets = [int(size) for size in shown.split(", ")]
    padded = [Signature((("x", tensor(n)),)) for n in buckets]
    assert len(padded) == promised.traces_after
    assert not any(differ_by_near_sizes(a, b) for a, b in itertools.combinations(padded, 2))


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [((9,), (6,), True), ((9,), (5,), False), ((0,), (1,), False), ((9, 4), (8, 4), True), ((9, 4), (8, 1), False),
     ((9,), (9, 9), False), (None, (9,), False), ((-1,), (9,), False)],
)  # fmt: skip
def test_near_shapes(one: tuple[int, ...] | None, other: tuple[int, ...] | None, near: bool) -> None:
    a, b = (Signature((("x", mapping(m=Node("tensor", dtype="float32", shape=s), k=number(1))),)) for s in (one, other))
    assert differ_by_near_sizes(a, b) == differ_by_near_sizes(b, a) == near
    flag = Node("literal", "bool", value="True", identity=1)
    beside = [
        Signature((("x", mapping(m=Node("tensor", dtype="float32", shape=other), k=k)),)) for k in (number(2), flag)
    ]
    assert [differ_by_near_sizes(a, one) for one in beside] == [near, False]
