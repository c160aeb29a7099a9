"""Bytes on disk for eight retraces of a small conv net's train step: Retrace beside TensorFlow's `trace_export`.

`make bench`, or `.venv/bin/python -m tests.benchmarks.graph_bytes`. Bars of the project: at most 1/20 of what
`tf.summary.trace_on(graph=True)` + `trace_export` write for the same calls; a later trace of a function takes at most
3 % of its raw GraphDef.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.schema import retrace_pb2 as pb

BATCHES = range(1, 9)


def make_train_step() -> Any:
    model = keras.Sequential(
        [
            keras.layers.Input((28, 28, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10),
        ]
    )
    optimizer = keras.optimizers.Adam(0.001)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    return train_step


def batch(size: int) -> tuple[Any, Any]:
    return tf.ones([size, 28, 28, 1]), tf.zeros([size], tf.int64)


def bytes_below(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as name:
        ours, theirs = Path(name) / "retrace", Path(name) / "trace_export"
        train_step = make_train_step()
        with record(ours):
            for size in BATCHES:
                train_step(*batch(size))
        raw = [
            train_step.get_concrete_function(*batch(size)).graph.as_graph_def(add_shapes=True).ByteSize()
            for size in BATCHES
        ]
        train_step = make_train_step()
        writer = tf.summary.create_file_writer(str(theirs))
        for size in BATCHES:
            tf.summary.trace_on(graph=True)
            train_step(*batch(size))
            with writer.as_default():
                tf.summary.trace_export("train_step", step=size)
        writer.close()
        own, peer = bytes_below(ours), bytes_below(theirs)
        traces = [r.message for r in read_logdir(str(ours)) if isinstance(getattr(r, "message", None), pb.Trace)]
        steps = [trace for trace in traces if trace.function.name == "train_step"]
        assert len(steps) == len(BATCHES), len(steps)
        with record(Path(name) / "first"):
            make_train_step()(*batch(1))
        first = bytes_below(Path(name) / "first")
        print(
            f"eight retraces, bytes on disk    Retrace {own:>9,}   trace_export {peer:>9,}   ratio 1/{peer / own:.1f}"
        )
        later = (own - first) / (len(BATCHES) - 1)
        part = f"{later / raw[1]:.2%} of its GraphDef of {raw[1]:,} bytes"
        print(f"a later trace, record and graph  {later:,.0f} bytes: {part}")


if __name__ == "__main__":
    main()
