"""Traces functions for ever and prints after each call which trace is finished: `python … <log_dir>`; to be killed."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf

from tb_retrace_plugin import start


def main(log_dir: str) -> None:
    start(log_dir)

    @tf.function
    def small(x: Any, number: int) -> Any:
        return x * 2.0 + number

    @tf.function
    def large(x: Any, number: int) -> Any:
        for _ in range(100):
            x = tf.nn.relu(x @ tf.ones([4, 4])) + number
        return x

    small(tf.ones([2, 4]), 0)  # AutoGraph and what else is slow once
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        function = large if number % 3 == 0 else small
        function(tf.ones([2, 4]), number)
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
