"""Advice on Python's numbers and lists, done by hand: each function as its author wrote it and as the advice says.

What is promised is what TensorFlow traces of the second; nothing is promised where no tensor can be passed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tests.capture.test_neutral_values import record
from tests.support.stores import load

pytestmark = pytest.mark.newest  # what code does with Python's values is read of its lines, the promise is replayed

X3 = tf.ones([2, 3])
X = tf.ones([4])
OPS = [tf.nn.relu, tf.nn.tanh, tf.nn.sigmoid, tf.nn.elu]
NAMED = dict(enumerate(OPS))
RATES = [0.1, 0.2, 0.3]
DEPTHS = [0, 2, 5, 3]
LISTS = [(0.5, 1.0, 2.0, 3.0), (1.0, 1.0, 0.0, 2.0), (3.0, 2.0, 1.0, 0.5)]
ARCHITECTURES = [(0, 1, 2, 3), (1, 1, 2, 0), (3, 2, 1, 0)]


def advised(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], log_dir: Path, **options: Any
) -> list[Advice]:
    traced = tf.function(function, **options)
    with record(log_dir):
        for call in calls:
            traced(*call)
    (session,) = load(log_dir).sessions
    return advice_of(next(iter(session.functions.values())))


def traces(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], **options: Any) -> int:
    traced = tf.function(function, **options)
    for call in calls:
        traced(*call)
    count: int = traced.experimental_get_tracing_count()
    return count


def delayed(x: Any, n: Any) -> Any:
    return tf.roll(x, int(n * 0.5), 0)


def weighted(x: Any, n: Any) -> Any:
    return x * n + tf.cast(tf.range(4) + n, tf.float32)


def weighted_with_casts(x: Any, n: Any) -> Any:
    return x * tf.cast(n, tf.float32) + tf.cast(tf.range(4) + n, tf.float32)


def headed(x: Any, heads: Any) -> Any:
    size = x.shape[-1] // heads
    return tf.reshape(x, (heads, size)) / size**0.5


def headed_with_casts(x: Any, heads: Any) -> Any:
    size = x.shape[-1] // heads
    return tf.reshape(x, (heads, size)) / tf.cast(size, tf.float32) ** 0.5


def cut(x: Any, n: Any) -> Any:
    return x[(9 - n) // 3 :] * 0.5 + tf.roll(X, int(n * 0.5), 0)[0]


def cut_with_casts(x: Any, n: Any) -> Any:
    return x[(9 - n) // 3 :] * 0.5 + tf.roll(X, int(tf.cast(n, tf.float32) * 0.5), 0)[0]


def discounted(rewards: Any) -> Any:
    total, out = 0.0, []
    for reward in rewards[::-1]:
        total = reward + 0.9 * total
        out.append(total)
    return tf.stack(out)


def discounted_of_a_tensor(rewards: Any) -> Any:
    total, out = 0.0, []
    for reward in tf.unstack(rewards)[::-1]:
        total = reward + 0.9 * total
        out.append(total)
    return tf.stack(out)


def polynomial(coefficients: Any) -> Any:
    return sum(c * X**i for i, c in enumerate(coefficients))


def polynomial_of_a_tensor(coefficients: Any) -> Any:
    return sum(c * X**i for i, c in enumerate(tf.unstack(coefficients)))


def labelled(labels: Any) -> Any:
    return X * tf.constant(labels, tf.float32)


def labelled_by_a_tensor(labels: Any) -> Any:
    return X * tf.convert_to_tensor(labels, tf.float32)


def summed(x: Any, n: Any) -> Any:
    total = 0
    for _ in range(n):
        total += tf.reduce_sum(x)
    return total


def continued(ids: Any, n: Any) -> Any:
    for _ in range(n):
        ids = tf.concat([ids, ids[-1:] + 1.0], axis=0)
    return ids


def continued_in_a_loop_of_the_graph(ids: Any, n: Any) -> Any:
    for _ in range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(ids, tf.TensorShape([None]))])
        ids = tf.concat([ids, ids[-1:] + 1.0], axis=0)
    return ids


def summed_in_fractions(x: Any, n: Any) -> Any:
    total = 0.0
    for _ in range(n):
        total += tf.reduce_sum(x)
    return total


def summed_from_a_float64(x: Any, n: Any) -> Any:
    total = tf.zeros([], tf.float64)
    for _ in range(n):
        total += tf.reduce_sum(x)
    return total


def diffused(x: Any, t: Any) -> Any:
    beta = 0.1 + 0.2 * t / 10
    return math.sqrt(beta) * x


def diffused_by_a_tensor(x: Any, t: Any) -> Any:
    beta = 0.1 + 0.2 * t / 10
    return tf.math.sqrt(beta) * x


def rotated(x: Any, degrees: Any) -> Any:
    angle = degrees * math.pi / 180
    c, s = math.cos(angle), math.sin(angle)
    return tf.linalg.matvec(tf.constant([[c, -s], [s, c]]), x[:2])


def rotated_by_a_tensor(x: Any, degrees: Any) -> Any:
    angle = degrees * math.pi / 180
    c, s = tf.math.cos(angle), tf.math.sin(angle)
    return tf.linalg.matvec(tf.convert_to_tensor([[c, -s], [s, c]]), x[:2])


def averaged(x: Any, n: Any) -> Any:
    total = [tf.zeros_like(x)]
    for _ in range(n):
        total = [each + x for each in total]
    return total[0] / n


def averaged_by_a_tensor(x: Any, n: Any) -> Any:
    total = [tf.zeros_like(x)]
    for _ in range(n):
        total = [each + x for each in total]
    return total[0] / tf.cast(n, tf.float32)


HELD = SimpleNamespace(gamma=0.5)


def decayed(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x + 1.0
    return x * HELD.gamma**n


def decayed_by_a_tensor(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x + 1.0
    return x * HELD.gamma ** tf.cast(n, tf.float32)


def ranged(x: Any, n: Any) -> Any:
    return x + tf.cast(tf.reduce_sum(list(range(n))), tf.float32)


def ranged_by_a_tensor(x: Any, n: Any) -> Any:
    return x + tf.cast(tf.reduce_sum(tf.range(n)), tf.float32)


def stepped(x: Any, n: Any) -> Any:
    for i in range(n):
        x -= RATES[i % 3] * RATES[i - 1] * x
    return x


def stepped_by_a_tensor(x: Any, n: Any) -> Any:
    for i in range(n):
        x -= tf.gather(RATES, i % 3) * tf.gather(RATES, tf.math.floormod(i - 1, 3)) * x
    return x


def filled(x: Any, n: Any) -> Any:
    return x[None] + tf.constant(n, shape=[2, 4], dtype=tf.float32)


def filled_by_a_tensor(x: Any, n: Any) -> Any:
    return x[None] + tf.fill([2, 4], n)


def one_of_two(x: Any, n: Any) -> Any:
    return tf.sin(x) if n in (1, 2) else x


def one_of_two_by_a_tensor(x: Any, n: Any) -> Any:
    return tf.sin(x) if tf.reduce_any(tf.equal(n, (1, 2))) else x


def affine(pairs: Any) -> Any:
    x = X
    for a, b in pairs:
        x = a * x + b
    return x


def affine_of_a_tensor(pairs: Any) -> Any:
    x = X
    for a, b in map(tf.unstack, tf.unstack(pairs)):
        x = a * x + b
    return x


def scaled_by_the_largest(weights: Any) -> Any:
    return X * max(weights)


def scaled_by_the_largest_of_a_tensor(weights: Any) -> Any:
    return X * tf.reduce_max(weights)


NUMBERS = [(X, n) for n in (1, 2, 4)]


@pytest.mark.parametrize(
    ("function", "calls", "mended", "dtype", "said"),
    [
        (delayed, NUMBERS, delayed, tf.float32, "Pass it as a tensor at every call."),
        (
            weighted, NUMBERS, weighted_with_casts, tf.int32,
            "computes `x * n` with fractions, which a tensor of int32 fails at: write `tf.cast(…, tf.float32)` around",
        ),
        (
            headed, NUMBERS, headed_with_casts, tf.int32,
            "computes `(x.shape[-1] // heads) ** 0.5` with fractions, which a tensor of int32 fails at: write",
        ),
        (
            cut, NUMBERS, cut_with_casts, tf.int32,
            "computes `n * 0.5` with fractions, which a tensor of int32 fails at: write",
        ),
        (
            discounted, [(each,) for each in LISTS], discounted_of_a_tensor, tf.float32,
            "`for … in rewards[::-1]` in it goes through no tensor: write `tf.unstack(rewards)` there",
        ),
        (
            polynomial, [(each,) for each in LISTS], polynomial_of_a_tensor, tf.float32,
            "`enumerate(coefficients)` in it goes through no tensor: write `tf.unstack(coefficients)` there",
        ),
        (
            summed, NUMBERS, summed_in_fractions, tf.int32,
            "A loop of the graph keeps dtypes: where `total = 0` becomes a fraction, begin with 0.0.",
        ),
        (
            summed_in_fractions, [(tf.cast(X, tf.float64), n) for _, n in NUMBERS], summed_from_a_float64, tf.int32,
            "where `total = 0.0` becomes a float64, begin with that: `tf.zeros([], tf.float64)`, for 0.",
        ),
        (summed_in_fractions, NUMBERS, summed_in_fractions, tf.int32, "Pass it as a tensor at every call."),
        (
            continued, NUMBERS, continued_in_a_loop_of_the_graph, tf.int32,
            "with `tf.autograph.experimental.set_loop_options(shape_invariants=[(ids, tf.TensorShape([None]))])`",
        ),
        (
            diffused, NUMBERS, diffused_by_a_tensor, tf.float32,
            "`math.sqrt(t)` in it takes no tensor: write `tf.math.sqrt(…)`.",
        ),
        (
            rotated, NUMBERS, rotated_by_a_tensor, tf.float32,
            "`tf.constant([…degrees…])` in it takes no tensor: write `tf.convert_to_tensor([…degrees…])`.",
        ),
        (
            averaged, NUMBERS, averaged_by_a_tensor, tf.int32,
            "Where `total[0] / n` is of float32, write `tf.cast(n, tf.float32)` in it.",
        ),
        (
            decayed, NUMBERS, decayed_by_a_tensor, tf.int32,
            "Where `HELD.gamma ** n` is of float32, write `tf.cast(n, tf.float32)` in it.",
        ),
        (ranged, NUMBERS, ranged_by_a_tensor, tf.int32, "`list(range(n))` in it takes no tensor: write `tf.range(n)`."),
        (
            stepped, NUMBERS, stepped_by_a_tensor, tf.int32,
            "`RATES[i]` in it takes no tensor: write `tf.gather(RATES, i)`. `i` is what the loop over",
        ),
        (filled, NUMBERS, filled_by_a_tensor, tf.float32, "in it takes no tensor: write `tf.fill(…, n)`."),
        (
            one_of_two, NUMBERS, one_of_two_by_a_tensor, tf.int32,
            "`n in (…)` in it takes no tensor: write `tf.reduce_any(tf.equal(n, (…)))`.",
        ),
        (
            affine, [([(0.5 * k, 1.0), (1.0, 2.0)],) for k in (1, 2, 3)], affine_of_a_tensor, tf.float32,
            "`for …, … in pairs` in it goes through no tensor: write `map(tf.unstack, tf.unstack(pairs))` there",
        ),
        (
            scaled_by_the_largest, [(each,) for each in LISTS], scaled_by_the_largest_of_a_tensor, tf.float32,
            "`max(weights)` in it goes through no tensor: write `tf.reduce_max(weights)`.",
        ),
        (
            labelled, [(each,) for each in ARCHITECTURES], labelled_by_a_tensor, tf.float32,
            "`tf.constant(labels)` in it takes no tensor: write `tf.convert_to_tensor(labels)`.",
        ),
    ],
)  # fmt: skip
def test_the_text_says_what_the_code_needs(
    function: Any, calls: Sequence[tuple[Any, ...]], mended: Any, dtype: tf.DType, said: str, tmp_path: Path
) -> None:
    found = advised(function, calls, tmp_path)[0]
    assert said in found.in_one
    tensors = [(*call[:-1], tf.constant(call[-1], dtype)) for call in calls]
    assert found.apply == {"tensors": {function.__code__.co_varnames[len(calls[0]) - 1]: dtype.name}}
    assert traces(mended, tensors) == found.traces_after == 1
    for call, tensor in zip(calls, tensors, strict=True):
        assert tf.function(mended)(*tensor).numpy() == pytest.approx(function(*call).numpy(), rel=1e-5)


def chosen(x: Any, k: Any) -> Any:
    return OPS[k](x)


def chosen_by_name(x: Any, k: Any) -> Any:
    return NAMED[k](x)


def one_of_several(x: Any, k: Any) -> Any:
    hidden = [tf.exp(x), tf.sin(x), tf.cos(x), x]
    return hidden[k]


def some_of_several(x: Any, k: Any) -> Any:
    for op in OPS[:k]:
        x = op(x)
    return x


def numbered(x: Any, k: Any) -> Any:
    for i, rate in enumerate(RATES[:k]):
        x += rate * float(i)
    return x


def by_turns(x: Any, k: Any) -> Any:
    for rate in RATES[:k]:
        x *= rate
    return x


def as_deep(x: Any, k: Any) -> Any:
    for _ in range(DEPTHS[k]):
        x = tf.sin(x)
    return x


def collected(x: Any, k: Any) -> Any:
    out = [x]
    for _ in range(k):
        out.append(out[-1] * 2.0)
    return tf.stack(out)


def recursive(x: Any, k: Any) -> Any:
    def doubled(y: Any, n: Any) -> Any:
        return y if n == 0 else doubled(y * 2.0, n - 1)

    return doubled(x, k)


def recursive_until(x: Any, k: Any) -> Any:
    """The number is asked for around it."""

    def bits(y: Any, found: list[Any]) -> Any:
        if len(found) == k:
            return tf.stack(found)
        return bits(y * 2.0, [*found, y])

    return bits(x, [])


def keyed(x: Any, k: Any) -> Any:
    return {k: x * 2.0}[k]


def shifted(x: Any, k: Any) -> Any:
    return tf.stack([tf.roll(x, i, 0) for i in range(k + 1)])


def of_an_architecture(x: Any, arch: Any) -> Any:
    for op in arch:
        x = OPS[op](x)
    return x


def of_an_architecture_by_place(x: Any, arch: Any) -> Any:
    for i in range(len(arch)):
        x = NAMED[arch[i]](x)
    return x


def of_an_architecture_by_ifs(x: Any, arch: Any) -> Any:
    for op in arch:
        x = tf.nn.relu(x) if op == 0 else tf.nn.tanh(x) if op == 1 else tf.nn.elu(x)
    return x


def of_widths(x: Any, sizes: Any) -> Any:
    x = x[None]
    for units in sizes:
        x = tf.matmul(x, tf.ones([x.shape[1], units + 1]))
    return x


@pytest.mark.parametrize("function", [some_of_several, numbered, by_turns, as_deep])
def test_what_python_builds_of_a_part_of_a_list_needs_so_many_graphs(function: Any, tmp_path: Path) -> None:
    assert advised(function, [(X, k) for k in range(1, 4)], tmp_path) == []
    (session,) = load(tmp_path).sessions
    (found,) = session.functions.values()
    assert [event.record.verdict for event in found.successful] == ["needed", "bounded", "bounded"]


@pytest.mark.parametrize(
    "function",
    [one_of_several, collected, shifted, recursive, recursive_until, keyed],
)
def test_no_number_is_promised_where_python_decides_by_it(function: Any, tmp_path: Path) -> None:
    calls = [(X, k) for k in range(1, 4)]
    told = {advice.rule: advice for advice in advised(function, calls, tmp_path)}
    assert told.keys() == {"decided_in_python"}
    assert (told["decided_in_python"].traces_after, told["decided_in_python"].code) == (None, None)
    with pytest.raises(Exception, match=r".*"):
        traces(function, [(X, tf.constant(k)) for _, k in calls])


@pytest.mark.parametrize("function", [chosen, chosen_by_name])
def test_of_what_lies_in_a_table_there_is_only_so_much(function: Any, tmp_path: Path) -> None:
    """No advice: each operation there needs a graph, and takes no tensor in place of the number."""
    calls = [(X, k) for k in range(1, 4)]
    assert advised(function, calls, tmp_path) == []
    with pytest.raises(Exception, match=r".*"):
        traces(function, [(X, tf.constant(k)) for _, k in calls])


def bucketed(x: Any, edges: Any) -> Any:
    return tf.raw_ops.Bucketize(input=x, boundaries=edges)


def colored(x: Any, color: Any) -> Any:
    return x + tf.constant(color, tf.float32)


def colored_by_tensors(x: Any, color: Any) -> Any:
    return x + tf.convert_to_tensor(color, tf.float32)


def test_a_short_tuple_is_converted_too(tmp_path: Path) -> None:
    calls = [(tf.ones([2]), (k, 2)) for k in range(3)]
    (found,) = advised(colored, calls, tmp_path)
    assert found.text.endswith("`tf.constant(color)` in it takes no tensor: write `tf.convert_to_tensor(color)`.")
    tensors = [(x, tuple(tf.constant(n, tf.float32) for n in color)) for x, color in calls]
    assert traces(colored_by_tensors, tensors) == found.traces_after == 1


def test_a_list_that_is_an_attribute_of_an_operation_is_told_so(tmp_path: Path) -> None:
    (found,) = advised(bucketed, [(X, [0.1 * k, 0.5, 1.0, 2.0]) for k in range(3)], tmp_path)
    assert (found.rule, found.traces_after) == ("decided_in_python", None)
    assert "the graphs differ in `boundaries` of `Bucketize`" in found.text
    assert found.text.endswith("TensorFlow takes no tensor for it.")


@pytest.mark.parametrize(
    "function", [of_an_architecture, of_an_architecture_by_place, of_an_architecture_by_ifs, of_widths]
)
def test_so_it_is_of_lists(function: Any, tmp_path: Path) -> None:
    told = advised(function, [(X, each) for each in ARCHITECTURES], tmp_path)
    assert [(advice.rule, advice.traces_after) for advice in told] == [("decided_in_python", None)]


class Scheduled:
    def __init__(self) -> None:
        self.rates = RATES

    def step(self, x: Any, k: Any) -> Any:
        x = x * self.rates[k]
        return x + self.rates[k] if k > 0 else x

    def step_of_a_tensor(self, x: Any, k: Any) -> Any:
        x = x * tf.gather(self.rates, k)
        return x + tf.gather(self.rates, k) if k > 0 else x


def test_numbers_that_are_looked_up_are_no_choice(tmp_path: Path) -> None:
    """It is the `if` that decides, which a tensor can."""
    one = Scheduled()
    best = advised(one.step, [(X, k) for k in range(3)], tmp_path)[0]
    assert (best.rule, best.traces_after) == ("tensor_for_python_number", 1)
    assert traces(one.step_of_a_tensor, [(X, tf.constant(k)) for k in range(3)]) == 1


def drawn(shape: Any) -> Any:
    return tf.reduce_sum(tf.random.normal(shape) + tf.zeros(shape))


SIGNATURE_OF_INTS = [tf.TensorSpec([None], tf.int32)]


def masked(lengths: Any) -> Any:
    return tf.reduce_sum(tf.sequence_mask(lengths, 4, tf.float32), 1) / tf.cast(lengths, tf.float32)


def test_a_shape_of_several_lengths_is_one_tensor(tmp_path: Path) -> None:
    shapes = [(2, 3), (3, 2), (6,), (4,), (1, 2, 3), (3, 2, 1), (2, 2)]
    best, alone, *_ = advised(drawn, [(shape,) for shape in shapes], tmp_path)
    assert (best.rule, best.traces_after) == ("tensor_for_python_sequence+input_signature", 1)
    assert (alone.rule, alone.traces_after) == ("tensor_for_python_sequence", 3)
    tensors = [(tf.constant(shape),) for shape in shapes]
    assert traces(drawn, tensors) == 3
    assert traces(drawn, tensors, input_signature=SIGNATURE_OF_INTS) == 1
    lengths = [[2, 1], [1], [3]]
    best = advised(masked, [(each,) for each in lengths], tmp_path / "masked")[0]
    assert (best.rule, best.traces_after) == ("tensor_for_python_sequence+input_signature", 1)
    assert traces(masked, [(tf.constant(each),) for each in lengths], input_signature=SIGNATURE_OF_INTS) == 1


def of_classes(x: Any, classes: Any = None) -> Any:
    if classes is not None:
        x = tf.gather(x, classes, axis=-1)
    return tf.reduce_sum(x)


def asked_otherwise(x: Any, classes: Any = None) -> Any:
    return tf.reduce_sum(tf.gather(x, classes, axis=-1) if classes else x)


def test_a_list_that_some_calls_leave_out_is_one_tensor(tmp_path: Path) -> None:
    classes = [None, [0, 1], [0, 2], [1], [2]]
    best, *_, alone = advised(of_classes, [(X3, each) for each in classes], tmp_path)
    assert (best.rule, best.traces_after) == ("tensor_for_python_sequence+trace_beforehand", 2)
    assert (alone.rule, alone.traces_after) == ("tensor_for_python_sequence", 3)
    assert traces(of_classes, [(X3, None if each is None else tf.constant(each)) for each in classes]) == 3
    told = advised(asked_otherwise, [(X3, each) for each in classes], tmp_path / "asked_otherwise")
    assert "tensor_for_python_sequence" not in [one.rule for one in told]  # a tensor of several has no truth


def of_no_epoch(x: Any, epoch: Any, rate: Any) -> Any:
    return tf.reduce_sum(x) * rate


def test_a_number_that_nothing_reads_is_left_out(tmp_path: Path) -> None:
    best, *_ = advised(of_no_epoch, [(X, epoch, 0.5**epoch) for epoch in (0, 1, 1, 2)], tmp_path)
    assert (best.rule, best.traces_after) == ("unused_argument+tensor_for_python_number", 1)
    assert "nothing in its code reads it. Leave it out" in best.text
    alone, *rest = advised(of_no_epoch, [(X, epoch, 0.5) for epoch in range(3)], tmp_path / "alone")
    assert (alone.rule, alone.traces_after, rest) == ("unused_argument", 1, [])


def of_no_name(x: Any, name: Any) -> Any:
    return tf.reduce_sum(x)


def test_a_string_that_nothing_reads_is_left_out_beside_sizes(tmp_path: Path) -> None:
    calls = [(tf.ones([rows, 4]), name) for rows, name in ((1, "car"), (2, "dog"), (3, "car"), (4, "dog"))]
    best, *_ = advised(of_no_name, calls, tmp_path)
    assert (best.rule, best.traces_after) == ("unused_argument+input_signature", 1)


def returned(rewards: Any) -> Any:
    return tf.stack([sum(0.9**k * r for k, r in enumerate(rewards[i:])) for i in range(len(rewards))])


def returned_of_a_tensor(rewards: Any) -> Any:
    rows = tf.unstack(rewards)
    return tf.stack([sum(0.9**k * r for k, r in enumerate(rows[i:])) for i in range(len(rows))])


def test_each_length_that_python_goes_through_is_traced(tmp_path: Path) -> None:
    lists = [[1.0, 0.0, 0.5, 2.0], [1.0, 0.0, 0.5, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0]]
    told = advised(returned, [(each,) for each in lists], tmp_path)
    assert [(advice.rule, advice.traces_after) for advice in told] == [("tensor_for_python_sequence", 2)]
    assert traces(returned_of_a_tensor, [(tf.constant(each),) for each in lists]) == 2


def filtered(x: Any, rate: Any) -> Any:
    weights = tf.signal.linear_to_mel_weight_matrix(
        num_mel_bins=4, num_spectrogram_bins=9, sample_rate=rate, lower_edge_hertz=20.0, upper_edge_hertz=rate / 2 - 1
    )
    return tf.matmul(x, weights)


def test_what_a_library_asks_in_a_long_call_is_no_tensor(tmp_path: Path) -> None:
    (told,) = advised(filtered, [(tf.ones([2, 9]), rate) for rate in (8000, 16000, 22050)], tmp_path)
    assert (told.rule, told.traces_after) == ("operation_attribute", None)
    assert "which is `upper_edge_hertz` of `tf.signal.linear_to_mel_weight_matrix`" in told.text


def normed(ord: Any) -> Callable[..., Any]:
    @tf.function
    def closed(x: Any) -> Any:
        return tf.norm(x, ord=ord)

    return closed


def test_so_it_is_with_what_a_function_made_anew_closes_over(tmp_path: Path) -> None:
    """TensorFlow refuses a tensor for an order, as which `inf` would be one."""
    with record(tmp_path):
        for ord in (1, 2, math.inf):
            normed(ord)(X)
    with pytest.raises(TypeError):
        normed(tf.constant(2.0))(X)
    (session,) = load(tmp_path).sessions
    (function,) = session.functions.values()
    assert [event.record.verdict for event in function.events[1:]] == ["unknown"] * 2
    (told,) = advice_of(function)
    assert (told.rule, told.traces_after) == ("operation_attribute", None)
    assert "for each value of `ord`, which is `ord` of `tf.norm` in its code" in told.text


def accumulated(x: Any, rate: Any, clip: Any = None) -> Any:
    total = x
    for i in range(3):
        total = x if i == 0 else total + x * i if i else total
    if clip is not None:
        total = tf.clip_by_norm(total, clip)
    return total * rate + math.sqrt(2.0)


def test_nothing_is_said_of_a_truth_that_nobody_asks(tmp_path: Path) -> None:
    """It is a loop's own variable of which it is asked, and `is not None` is written already."""
    rates = [(X, rate, clip) for rate in (0.0, 0.1, 0.2) for clip in (None, 1.0, 2.0)]
    for advice in advised(accumulated, rates, tmp_path):
        assert "if rate" not in advice.in_one
        assert "if clip" not in advice.in_one
        assert "if i" not in advice.in_one


def layered(x: Any) -> Any:
    hidden = tf.nn.relu(x)
    for _ in range(2):
        hidden = tf.matmul(hidden, tf.ones([hidden.shape[1], 4]))
    return hidden


def layered_by_a_list(x: Any) -> Any:
    hidden = [tf.nn.relu(x)]
    for _ in range(2):
        hidden.append(tf.matmul(hidden[-1], tf.ones([hidden[-1].shape[1], 4])))
    return hidden[-1]


def layered_by_a_size(x: Any) -> Any:
    hidden = tf.nn.relu(x)
    for _ in range(2):
        hidden = tf.matmul(hidden, tf.ones([tf.shape(hidden)[1], 4]))
    return hidden


def alike(x: Any) -> Any:
    return x + tf.ones_like(x)


def test_what_is_made_as_large_as_a_size_is_told(tmp_path: Path) -> None:
    """By its name, where the source tells that; else by the graphs."""
    calls = [(tf.ones([2, size]),) for size in (3, 5, 7)]
    by_name, in_the_graphs = "`hidden.shape[1]` in it follows from `x`", "made as large as dimension 1 of `x`"
    for function, said in ((layered, by_name), (layered_by_a_list, in_the_graphs)):
        told = advised(function, calls, tmp_path / function.__name__)
        assert [one.rule for one in told] == ["input_signature", "reduce_retracing"]
        assert all(said in one.in_one for one in told)
    assert not any(in_the_graphs in one.in_one for one in advised(alike, calls, tmp_path / "alike"))
    assert traces(layered_by_a_size, calls, input_signature=[tf.TensorSpec([2, None])]) == 1


def measured(words: Any) -> Any:
    return tf.strings.length(words)


def joined(words: Any) -> Any:
    return tf.strings.join(words)


def test_strings_that_the_graph_holds_as_one_are_one_tensor(tmp_path: Path) -> None:
    lists = [["a", "b"], ["cc", "d"], ["e", "fff"]]
    (told,) = advised(measured, [(each,) for each in lists], tmp_path / "measured")
    assert (told.rule, told.traces_after) == ("tensor_for_python_string", 1)
    assert "Pass them as one tensor at every call." in told.text
    assert traces(measured, [(tf.constant(each),) for each in lists]) == 1
    (told,) = advised(joined, [(each,) for each in lists], tmp_path / "joined")
    assert "Pass them as tensors at every call." in told.text


def of_mean_length(words: Any) -> Any:
    return tf.reduce_sum(tf.strings.length(words)) / len(words)


def test_lists_of_strings_of_several_lengths_are_one_tensor_of_unknown_length(tmp_path: Path) -> None:
    lists = [["a", "b"], ["cc", "d", "e"], ["fff"], ["g", "b"]]
    told = advised(measured, [(each,) for each in lists], tmp_path / "measured")[0]
    assert (told.rule, told.traces_after) == ("tensor_for_python_string+input_signature", 1)
    assert "`tf.shape(words)[0]` is its length" not in told.in_one
    signature = [tf.TensorSpec([None], tf.string)]
    assert traces(measured, [(tf.constant(each),) for each in lists], input_signature=signature) == 1
    told = advised(of_mean_length, [(each,) for each in lists], tmp_path / "mean")[0]
    assert "where the code asks for `len(words)`, a tensor has none" in told.in_one


def test_a_loaded_function_that_is_asked_with_lists_of_strings(tmp_path: Path) -> None:
    class Sizes(tf.Module):
        @tf.function
        def __call__(self, words: Any) -> Any:
            return tf.strings.length(words)

    made = Sizes()
    made.__call__.get_concrete_function(tf.TensorSpec([None], tf.string))
    tf.saved_model.save(made, str(tmp_path / "saved"))
    lists = [["a", "b"], ["cc", "d", "e"], ["fff"], ["g", "b"]]
    loaded = tf.saved_model.load(str(tmp_path / "saved"))
    with record(tmp_path / "recorded"):
        for words in lists:
            loaded(words)
    (session,) = load(tmp_path / "recorded").sessions
    (function,) = (f for key, f in session.functions.items() if "restored_function_body" in str(key))
    told = advice_of(function)[0]
    assert (told.rule, told.traces_before, told.traces_after) == (
        "tensor_for_python_string+trace_beforehand", 4, 1,
    )  # fmt: skip
    assert told.code is not None
    assert "\nloaded.__call__.get_concrete_function(tf.TensorSpec([None], tf.string))\n" in told.code
    assert "\nloaded(tf.constant(words))" in told.code
    again = tf.saved_model.load(str(tmp_path / "saved"))
    again.__call__.get_concrete_function(tf.TensorSpec([None], tf.string))
    for words in lists:
        again(tf.constant(words))
    assert again.__call__.experimental_get_tracing_count() == 1


def length_of(pair: Any, text: Any) -> Any:
    return tf.reduce_sum(pair[0]) * pair[1] + tf.cast(tf.strings.length(text), tf.float32)


def test_what_saves_no_trace_that_could_be_avoided_by_itself_may_save_those_that_were_widened(tmp_path: Path) -> None:
    """The trace for another text would have been made for the other size all the same, and then served the others."""
    calls = [((tf.ones([n + 1]), 1.0), "ab"[n % 2]) for n in range(4)]
    assert traces(length_of, calls, reduce_retracing=True) == 4
    (found,) = advised(length_of, calls, tmp_path, reduce_retracing=True)
    assert (found.rule, found.traces_after) == ("tensor_for_python_string+trace_beforehand", 1)
    with_tensors = [(pair, tf.constant(text)) for pair, text in calls]
    assert traces(length_of, with_tensors, reduce_retracing=True) == 2
    traced = tf.function(length_of, reduce_retracing=True)
    traced.get_concrete_function((tf.TensorSpec([None]), 1.0), tf.TensorSpec([], tf.string))
    for call in with_tensors:
        traced(*call)
    assert traced.experimental_get_tracing_count() == 1


def test_what_is_decided_within_another_function_is_for_the_outer_one(tmp_path: Path) -> None:
    @tf.function
    def stacked(x: Any, n: Any) -> Any:
        return tf.stack([x * i for i in range(n)])

    @tf.function
    def outer(x: Any, count: Any, k: Any) -> Any:
        return tf.reduce_sum(stacked(x, count)) * k

    with record(tmp_path):
        for count, k in ((1, 2), (2, 2), (2, 3), (3, 2)):
            outer(X, count, k)
    (session,) = load(tmp_path).sessions
    (group,) = (one for one in session.functions.values() if one.function.name == "outer")
    _, decided, number, again = group.events
    assert [event.record.verdict for event in (decided, number, again)] == ["unknown", "avoidable", "unknown"]
    assert "decides by `count` what is built (`stacked(n=…)`), and takes no tensor" in decided.record.evidence
    (found, _) = advice_of(group)
    assert (found.rule, found.traces_after) == ("tensor_for_python_number", 3)


def test_what_another_function_chooses_within_is_for_the_outer_one(tmp_path: Path) -> None:
    heads = {"a": tf.Variable([1.0]), "b": tf.Variable([[1.0], [2.0]])}

    @tf.function
    def headed(x: Any, head: Any) -> Any:
        return x * heads[head]

    @tf.function
    def outer(x: Any, task: Any) -> Any:
        return tf.reduce_sum(headed(x, task))

    with record(tmp_path):
        outer(X, "a")
        outer(X, "b")
    (session,) = load(tmp_path).sessions
    (group,) = (one for one in session.functions.values() if one.function.name == "outer")
    assert group.events[1].record.verdict == "bounded"
    assert "chooses by `task` among what the code has (`heads[head] of headed`)" in group.events[1].record.evidence


def factor(x: Any, l: Any) -> Any:  # noqa: E741
    def hankel(y: Any) -> Any:
        if l == 0:
            return tf.ones_like(y)
        return 1 + y * y if l < 2 else 9 + y * y * (3.0 + y * y)

    return hankel(x) if l is not None else x


def test_without_autograph_python_asks_what_no_tensor_answers(tmp_path: Path) -> None:
    calls = [(X, number) for number in (0, 1, 2)]
    (found,) = advised(factor, calls, tmp_path / "off", autograph=False)
    assert (found.rule, found.traces_after) == ("decided_in_python", None)
    assert "`if l == 0: …` and `… if l < 2 else …`" in found.text
    with pytest.raises(TypeError):
        traces(factor, [(X, tf.constant(number)) for _, number in calls], autograph=False)
    as_tensors = next(one for one in advised(factor, calls, tmp_path / "on") if one.traces_after is not None)
    assert (as_tensors.rule, as_tensors.traces_after) == ("tensor_for_python_number", 1)
    assert traces(factor, [(X, tf.constant(number)) for _, number in calls]) == 1
