"""A program that records and profiles itself: `python -m tests.support.profiled_program LOGDIR`."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf

from tb_retrace_plugin import record, set_step


@tf.function
def train_step(x: Any, k: int) -> Any:
    return tf.reduce_sum(x * 2.0) + float(k)


def main(log_dir: str) -> None:
    """Traces 1 and 5 are in no profile, 2 and 3 in one, 4 in one that is not kept."""
    with record(f"{log_dir}/fit", graphs_tab=["train_step"]):
        train_step(tf.ones([2, 3]), 1)
        tf.profiler.experimental.start(f"{log_dir}/fit")
        for step, (rows, k) in enumerate([(7, 1), (7, 2), (7, 2)]):
            set_step(step)
            train_step(tf.ones([rows, 3]), k)
        tf.profiler.experimental.stop()
        tf.profiler.experimental.start("")
        train_step(tf.ones([8, 3]), 2)
        tf.profiler.experimental.stop(save=False)
        train_step(tf.ones([9, 3]), 2)


if __name__ == "__main__":
    main(sys.argv[1])
