"""Functions that XLA compiles, each called with several values of `n`: how often, is for XLA's dumps to say.

`python -m tests.support.xla_constants_program LOGDIR`, with `XLA_FLAGS=--xla_dump_to=…`. `NEEDED`: those that need the
value of `n` while they are compiled, by TensorFlow's kernels.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.api import record

BLOCK = tf.constant(range(16), tf.float32, shape=[2, 2, 2, 2])


@tf.function
def head(x: Any, n: Any) -> Any:
    return tf.reduce_sum(x[:n])


def of(n: Any) -> Any:
    return tf.cast(n, tf.float32)


def repeated(x: Any, until: Any, body: Callable[[Any, Any], Any]) -> Any:
    return tf.while_loop(lambda i, y: i < until, lambda i, y: (i + 1, body(i, y)), [0, x])[1]


NEEDED: dict[str, Callable[[Any, Any], Any]] = {
    "argmax_axis": lambda x, n: tf.argmax(BLOCK, axis=n)[0, 0, 0],
    "at": lambda x, n: x[n],
    "broadcast_to": lambda x, n: tf.reduce_sum(tf.broadcast_to(1.0, [n])),
    "computed": lambda x, n: tf.reduce_sum(x[: tf.minimum(n * 2 // 2, tf.shape(x)[0])]),
    "concat_axis": lambda x, n: tf.concat([BLOCK, BLOCK], axis=n)[0, 0, 0, 0],
    "cumsum_axis": lambda x, n: tf.cumsum(BLOCK, axis=n),
    "diagonal": lambda x, n: tf.reduce_sum(tf.linalg.diag(x, k=n)),
    "expand_dims": lambda x, n: tf.reduce_sum(tf.expand_dims(BLOCK, n)),
    "eye": lambda x, n: tf.reduce_sum(tf.eye(n)),
    "fill": lambda x, n: tf.reduce_sum(tf.fill([n], 2.0)),
    "gather_axis": lambda x, n: tf.gather(BLOCK, [0], axis=n),
    "in_a_branch": lambda x, n: tf.cond(x[0] > 0.0, lambda: head(x, n), lambda: tf.reduce_sum(x)),
    "in_a_function": head.python_function,
    "in_a_loop": lambda x, n: repeated(x, 3, lambda i, y: y + head(x, n)),
    "in_an_inner_function": lambda x, n: head(x, n),
    "linspace": lambda x, n: tf.reduce_sum(tf.linspace(0.0, 1.0, n)),
    "one_hot": lambda x, n: tf.reduce_sum(tf.one_hot([1, 2], n)),
    "pad": lambda x, n: tf.reduce_sum(tf.pad(x, [[0, n]])),
    "random": lambda x, n: tf.reduce_sum(tf.random.stateless_uniform([n], seed=[1, 2])),
    "range": lambda x, n: tf.reduce_sum(tf.range(n)),
    "reduce_axis": lambda x, n: tf.reduce_sum(tf.reduce_sum(BLOCK, axis=n)),
    "reshape": lambda x, n: tf.reduce_sum(tf.reshape(tf.range(12.0), [n, -1])),
    "resize": lambda x, n: tf.reduce_sum(tf.image.resize(tf.ones([1, 4, 4, 1]), tf.stack([n, n]))),
    "reverse_axis": lambda x, n: tf.reverse(BLOCK, [n]),
    "scatter": lambda x, n: tf.reduce_sum(tf.scatter_nd([[0]], [1.0], tf.stack([n]))),
    "segments": lambda x, n: tf.reduce_sum(tf.math.unsorted_segment_sum(x, tf.constant([0, 1, 0, 1]), n)),
    "slice": lambda x, n: tf.slice(x, [n], [1]),
    "split_axis": lambda x, n: tf.split(BLOCK, 2, axis=n)[0][0, 0, 0, 0],
    "tile": lambda x, n: tf.reduce_sum(tf.tile(x, [n])),
    "top_k": lambda x, n: tf.reduce_sum(tf.math.top_k(x, k=n).values),
    "transpose": lambda x, n: tf.transpose(tf.ones([2, 2]), tf.stack([n % 2, (n + 1) % 2])),
    "unused": lambda x, n: (tf.range(n), x * 2.0)[1],
}  # fmt: skip
NOT_NEEDED: dict[str, Callable[[Any, Any], Any]] = {
    "band": lambda x, n: tf.linalg.band_part(tf.ones([4, 4]), n, 0),
    "case": lambda x, n: tf.switch_case(n - 1, [lambda: x, lambda: x + 1.0, lambda: x + 2.0]),
    "clip": lambda x, n: tf.clip_by_value(x, 0.0, of(n)),
    "cond": lambda x, n: tf.cond(n > 1, lambda: x + 1.0, lambda: x - 1.0),
    "gather": lambda x, n: tf.gather(x, n),
    "gather_in_a_loop": lambda x, n: repeated(x, n, lambda i, y: y + tf.gather(x, i)),
    "linspace_stop": lambda x, n: tf.reduce_sum(tf.linspace(0.0, of(n), 4)),
    "loop": lambda x, n: repeated(x, n, lambda i, y: y * 1.5),
    "one_hot_index": lambda x, n: tf.one_hot(n, 8),
    "pad_value": lambda x, n: tf.pad(x, [[0, 1]], constant_values=of(n)),
    "plus": lambda x, n: x + of(n),
    "random_seed": lambda x, n: tf.random.stateless_uniform([3], seed=tf.stack([n, 2])),
    "roll": lambda x, n: tf.roll(x, shift=n, axis=0),
    "sequence_mask": lambda x, n: tf.sequence_mask(n, 8),
    "shape_of_another": lambda x, n: tf.tile(x, tf.shape(x)[:1] // 4) + of(n),
    "update": lambda x, n: tf.tensor_scatter_nd_update(x, tf.stack([[n]]), [5.0]),
    "where": lambda x, n: tf.where(tf.range(4) < n, x, 0.0),
}
VALUES = (1, 2, 3, 2)
#: Times that XLA compiles a function: for each value, or once.
COMPILATIONS = {**dict.fromkeys(NEEDED, len(set(VALUES))), **dict.fromkeys(NOT_NEEDED, 1)}


def main(log_dir: str) -> None:
    with record(log_dir):
        for name, function in {**NEEDED, **NOT_NEEDED}.items():

            def named(x: Any, n: Any, function: Any = function) -> Any:
                return function(x, n)

            named.__name__ = f"case_{name}"
            compiled = tf.function(named, jit_compile=True)
            for value in VALUES:
                compiled(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(value))


if __name__ == "__main__":
    main(sys.argv[1])
