"""Datasets of one line that the program keeps beside each other, and those that take the place of the last."""

from __future__ import annotations

import pathlib

import pytest

from tests.capture.conftest import RecordFixture

pytestmark = pytest.mark.newest  # lines and classes of Python's: TensorFlow has no part in it

_BUILDS = """
import tensorflow as tf

def build(k, n=4):
    data = tf.data.Dataset.range(n)
    def scaled(row):
        return tf.cast(row, tf.float32) * k
    data = data.map(scaled)
    if n > 2:
        data = data.batch(2)
    return data.prefetch(1)
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("kept = [build(k) for k in (0.5, 1.5, 2.5)]", "bounded bounded"),
        ("kept = {k: build(k).repeat(2) for k in (0.5, 1.5)}", "bounded"),
        ("kept = [(k, build(k)) for k in (0.5, 1.5)]", "bounded"),
        ("both = tf.data.Dataset.zip((build(0.5), build(1.5)))", "bounded"),
        ("kept = {}\nfor k in (0.5, 1.5):\n    kept[k] = build(k)", "bounded"),
        ("kept = []\nfor k in (0.5, 1.5):\n    data = build(k)\n    kept.append((k, data))", "bounded"),
        ("def all_of(ks):\n    return [build(k) for k in ks]\nkept = all_of((0.5, 1.5))", "bounded"),
        # other data too
        ("kept = {k: build(k, n) for k, n in ((0.5, 4), (1.5, 8))}", "bounded"),
        # as often as the loop runs
        ("for k in (0.5, 7.5):\n    kept = {n: build(k + n) for n in (1, 2)}", "unknown unknown unknown"),
        (
            "def all_of(ks):\n    return [build(k) for k in ks]\nfor k in (1, 2):\n    all_of((k, -k))",
            "unknown " * 3,
        ),
        (
            "kept = {}\nfor k in (0.5, 1.5):\n    if k > 1:\n        data = build(k)\n    else:\n"
            "        data = build(k)\n    kept[k] = data",
            "bounded",
        ),
        # one takes the other's place
        ("for k in (0.5, 1.5):\n    data = build(k)", "avoidable"),
        ("for k in (0.5, 1.5):\n    list(build(k)); list(build(k + 5.0))", "bounded avoidable avoidable"),
        ("sums = [sum(float(v) for v in build(k, 2)) for k in (0.5, 1.5)]", "avoidable"),
        ("kept = {}\nfor k in (0.5, 1.5):\n    kept['train'] = build(k)", "avoidable"),
        ("sums = []\nfor k in (0.5, 1.5):\n    sums.append(len(list(build(k))))", "avoidable"),
        (
            "sums = []\nfor k in (0.5, 1.5):\n    total = build(k).reduce(0, lambda s, v: s)\n    sums.append(total)",
            "avoidable",
        ),
        # the name stood for something else where that was kept
        (
            "kept = {}\nfor n in (1, 2):\n    data = object()\n    kept[n] = data\n"
            "for k in (0.5, 1.5):\n    data = build(k)",
            "avoidable",
        ),
        ("def length(k):\n    return len(list(build(k)))\nkept = [length(k) for k in (0.5, 1.5)]", "avoidable"),
        ("one, other = (lambda k: build(k)), 3\none(0.5)\none(1.5)", "bounded"),  # of two lines
        ("one = lambda k: build(k)\nkept = list(map(one, (0.5, 1.5)))", "avoidable"),  # whether it is is not seen
    ],
)
def test_what_is_kept(recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(_BUILDS + program)
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    traces = [trace for trace in r.traces if trace.function.name == "scaled"]
    assert [trace.verdict for trace in traces][1:] == words.split()


def test_equal_ones_that_are_kept_could_be_one(recording: RecordFixture, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(_BUILDS + "kept = [build(0.5) for _ in range(2)]")
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    assert [trace.verdict for trace in r.traces if trace.function.name == "scaled"][1:] == ["avoidable"]


def test_a_file_that_is_gone_tells_nothing(recording: RecordFixture, tmp_path: pathlib.Path) -> None:
    text = _BUILDS + "kept = [build(k) for k in (0.5, 1.5)]"
    with recording() as r:
        exec(compile(text, str(tmp_path / "gone.py"), "exec"), {"__name__": "__main__"})
    assert [trace.verdict for trace in r.traces if trace.function.name == "scaled"][1:] == ["avoidable"]
