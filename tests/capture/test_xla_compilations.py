"""XLA compilations, those without a trace too; XLA's own dumps are the oracle."""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import textwrap
import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tests.capture.conftest import Recorded, RecordFixture
from tests.support.xla_constants_program import COMPILATIONS, NOT_NEEDED

ROOT = Path(__file__).resolve().parents[2]


def compilations(recorded: Recorded) -> list[tuple[int, int, dict[str, list[int]], list[tuple[str, str, str]]]]:
    return [
        (x.seq, x.k, {s.path: list(s.dims) for s in x.shapes}, [(c.path, c.old, c.new) for c in x.changes])
        for x in recorded.xla
    ]


def test_each_new_shape_of_an_unknown_dimension(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([2])])
    def total(x: Any, y: Any) -> Any:
        return tf.reduce_sum(x) + y

    with recording() as r:
        tf.summary.experimental.set_step(7)
        for length in (4, 5, 4, 9, 5):
            total(tf.ones([length, 3]), tf.ones([2]))
        tf.summary.experimental.set_step(None)
    assert r.count("total") == 1
    assert compilations(r) == [
        (1, 1, {"x": [4, 3]}, []),
        (1, 2, {"x": [5, 3]}, [("x", "(4, 3)", "(5, 3)")]),
        (1, 3, {"x": [9, 3]}, [("x", "(5, 3)", "(9, 3)")]),
    ]
    assert all(x.step == 7 and x.duration_ns > 0 and not x.gradient for x in r.xla)
    lines = {next(f.source for f in r.stacks[x.stack_id].frames if f.user) for x in r.xla}
    assert lines == {"total(tf.ones([length, 3]), tf.ones([2]))"}
    assert 1 in r.first_calls


def test_paths_in_nested_arguments(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True, reduce_retracing=True)
    def total(batch: Any, scale: int) -> Any:
        return tf.reduce_sum(batch["z"]["x"]) * scale + batch["a"]

    with recording() as r:
        for length in (1, 2, 3, 4, 2):
            total({"z": {"x": tf.ones([length])}, "a": tf.constant(1.0)}, scale=2)
    path = "batch['z']['x']"
    assert compilations(r) == [
        (1, 1, {}, []),  # no dimension is unknown: compiled once, in its first call
        (2, 1, {path: [2]}, []),
        (2, 2, {path: [3]}, [(path, "(2,)", "(3,)")]),
        (2, 3, {path: [4]}, [(path, "(3,)", "(4,)")]),
    ]


def test_functions_without_xla_have_none(recording: RecordFixture) -> None:
    total = tf.function(tf.reduce_sum, input_signature=[tf.TensorSpec([None])])
    with recording() as r:
        for length in (1, 2):
            total(tf.ones([length]))
    assert r.xla == []
    assert "_call_flat" not in total.get_concrete_function().__dict__


def test_calls_are_watched_only_while_recording(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with recording() as r:
        total(tf.ones([1]))
        assert "_call_flat" in total.get_concrete_function().__dict__
    total(tf.ones([2]))
    assert "_call_flat" not in total.get_concrete_function().__dict__
    assert len(r.xla) == 1


def test_a_compilation_that_fails_is_recorded_and_raised(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.string)])
    def upper(x: Any) -> Any:
        return tf.strings.upper(x)

    failures = []
    with recording() as r:
        for length in (1, 2):
            try:
                upper(tf.constant(["a"] * length))
            except tf.errors.InvalidArgumentError as error:
                failures.append(error)
    assert len(failures) == 2
    assert [x.failed for x in r.xla] == [True, True]


PROGRAM = textwrap.dedent(
    """
    import sys
    import tensorflow as tf
    from tb_retrace_plugin import record

    scale = tf.Variable(2.0)

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([2])])
    def f(x, y):
        return tf.reduce_sum(tf.nn.relu(x) * 2) + y

    @tf.function(jit_compile=True)
    def known(x):
        return tf.nn.relu(x) * 3

    @tf.function(jit_compile=True, reduce_retracing=True)
    def g(batch):
        return tf.reduce_sum(batch["x"] * scale)

    with record(sys.argv[1]):
        for length in (4, 4, 5, 6, 4, 5, 7):
            f(tf.ones([length, 3]), tf.ones([2]))
        for length in (3, 3, 4):
            known(tf.ones([length]))
        for length in (4, 5, 6, 7, 6):
            g({"x": tf.ones([length])})
        with tf.GradientTape() as tape:  # the forward pass for a gradient is compiled apart
            g({"x": tf.ones([6])})
    """
)


def _modules(dumps: Path) -> list[str]:
    return [path.name for path in dumps.iterdir() if path.name.endswith("before_optimizations.txt")]


def test_xla_itself_compiled_as_often(tmp_path: Path) -> None:
    script, dumps, logs = tmp_path / "program.py", tmp_path / "dumps", tmp_path / "logs"
    script.write_text(PROGRAM)
    env = {
        **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": f"--xla_dump_to={dumps} --xla_dump_hlo_as_text",
    }  # fmt: skip
    subprocess.run([sys.executable, script, logs], check=True, env=env, timeout=300)
    modules = _modules(dumps)
    r = Recorded(logs).read()
    names = {t.seq: t.function.name for t in r.traces}
    by_function = {name: sum(names[x.seq] == name for x in r.xla) for name in ("f", "g", "known")}
    dumped = {name: sum(f"_{name}_" in module for module in modules) for name in by_function}
    assert by_function == dumped
    assert sum(dumped.values()) == len(modules) == 11


def test_each_value_that_xla_needs_while_it_compiles(tmp_path: Path) -> None:
    """For each operation of `COMPILATIONS`: what was recorded, and XLA's own dumps."""
    dumps, logs = tmp_path / "dumps", tmp_path / "logs"
    env = {
        **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": f"--xla_dump_to={dumps} --xla_dump_hlo_as_text",
    }  # fmt: skip
    program = [sys.executable, "-m", "tests.support.xla_constants_program", str(logs)]
    subprocess.run(program, check=True, env=env, cwd=ROOT, timeout=300)
    modules = _modules(dumps)
    r = Recorded(logs).read()
    # functions of one code, told apart by their names
    names = {t.seq: t.function.name.removeprefix("case_") for t in r.traces}
    dumped = {
        name: sum(re.search(rf"_case_{name}_\d", module) is not None for module in modules) for name in COMPILATIONS
    }
    assert dumped == COMPILATIONS
    assert {name: sum(names[x.seq] == name for x in r.xla) for name in COMPILATIONS} == COMPILATIONS
    values = [[(v.path, v.text) for v in x.values] for x in r.xla if names[x.seq] == "tile"]
    assert values == [[("n", "1")], [("n", "2")], [("n", "3")]]
    changes = [[(c.cause, c.path, c.old, c.new) for c in x.changes] for x in r.xla if names[x.seq] == "tile"]
    assert changes == [[], [("value", "n", "1", "2")], [("value", "n", "2", "3")]]
    assert not any(x.values for x in r.xla if names[x.seq] in NOT_NEEDED)


def test_shapes_and_values_that_are_new_together(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32)])
    def reshaped(x: Any, sizes: Any) -> Any:
        return tf.reduce_sum(tf.reshape(x, sizes))

    with recording() as r:
        for length, sizes in ((4, [2, 2]), (6, [3, 2]), (6, [2, 3]), (6, [3, 2]), (6, [6])):
            reshaped(tf.ones([length]), tf.constant(sizes))
    assert [[(c.cause, c.path, c.old, c.new) for c in x.changes] for x in r.xla] == [
        [],
        [("shape", "x", "(4,)", "(6,)"), ("value", "sizes", "[2, 2]", "[3, 2]")],
        [("value", "sizes", "[3, 2]", "[2, 3]")],
        [("shape", "sizes", "(2,)", "(1,)"), ("value", "sizes", "[2, 3]", "[6]")],
    ]


def test_values_that_are_not_recorded(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True)
    def head(x: Any, n: Any) -> Any:
        return x[:n]

    with recording(values="none") as r:
        for n in (12, 13, 12):
            head(tf.ones([14]), tf.constant(n))
    first, second = (x.values[0].text for x in r.xla)
    assert first != second
    assert not {"12", "13"} & {first, second}


@pytest.mark.newest
def test_what_is_padded_as_advised_is_compiled_as_often_as_told(tmp_path: Path) -> None:
    program = (ROOT / "tests" / "support" / "unseen" / "sentences_compiled_by_xla.py").read_text("utf-8")
    found, printed = _recorded(tmp_path / "before", program)
    assert found["xla_compilations"] == 5
    (advice,) = found["advice"]
    *helpers, call = advice["code"].rpartition("\n\n")
    assert advice["rule"] == "pad_for_xla"
    assert "5 compilations → 2" in advice["evidence"]
    assert call == "print(float(encode(pad_to_bucket(sentence, 0, (4, 11)))))"
    padded = program.replace("for length in", f"{helpers[0]}\n\nfor length in").replace(
        "print(float(encode(sentence)))", call
    )
    mended, printed_then = _recorded(tmp_path / "after", padded)
    assert mended["xla_compilations"] == 2
    assert mended["traces"] == 1
    assert printed_then == printed  # zeros add nothing to this sum


def _recorded(directory: Path, program: str) -> tuple[dict[str, Any], str]:
    """The function as the report has it, and what the program prints."""
    directory.mkdir()
    (directory / "program.py").write_text(program)
    run = [sys.executable, "-m", "tb_retrace_plugin", "run", "--logdir", str(directory), str(directory / "program.py")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    shown = [sys.executable, "-m", "tb_retrace_plugin", "report", str(directory), "--format", "json"]
    report = json.loads(subprocess.run(shown, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    (function,) = report["sessions"][0]["functions"]
    return function, "".join(line for line in done.stdout.splitlines(keepends=True) if "retrace" not in line)


#: Each function in calls with and without a gradient tape, in one order or the other.
PASSES = textwrap.dedent(
    """
    import sys
    import tensorflow as tf
    from tb_retrace_plugin import record

    w = tf.Variable([2.0, 3.0])


    def made(name, **options):
        def body(x):
            return tf.reduce_sum(tf.square(x)) * tf.reduce_sum(w)
        body.__name__ = name
        return tf.function(body, jit_compile=True, **options)


    def learned(f, x, persistent=False):
        with tf.GradientTape(persistent=persistent) as tape:
            y = f(x)
        return tape.gradient(y, w)


    x = tf.ones([3])
    with record(sys.argv[1]):
        both = made("plain_then_tape")
        both(x)
        for _ in range(2):
            learned(both, x)
            both(x)
        both = made("tape_then_plain")
        for _ in range(2):
            learned(both, x)
            both(x)
        either = made("either_tape")
        for persistent in (False, True, False):
            learned(either, x, persistent)
        unasked = made("unasked")
        for _ in range(2):
            with tf.GradientTape() as tape:
                unasked(x)
        of_any = made("of_any_size", input_signature=[tf.TensorSpec([None])])
        for size in (3, 4, 3, 4):
            learned(of_any, tf.ones([size]))
            of_any(tf.ones([size]))
        within = made("within")

        @tf.function
        def around(x):
            return learned(within, x)

        around(x)
        within(x)
        learned(within, x)
    """
)


def test_each_pass_is_compiled_apart(tmp_path: Path) -> None:
    script, dumps, logs = tmp_path / "program.py", tmp_path / "dumps", tmp_path / "logs"
    script.write_text(PASSES)
    env = {
        **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": f"--xla_dump_to={dumps} --xla_dump_hlo_as_text",
    }  # fmt: skip
    subprocess.run([sys.executable, script, logs], check=True, env=env, timeout=300)
    r = Recorded(logs).read()
    names = {t.seq: t.function.name for t in r.traces}
    ours = Counter(
        (names[x.seq], "forward" if x.gradient else "inference___backward" if x.backward else "inference")
        for x in r.xla
    )
    dumped = Counter(
        (found[2], found[1])
        for module in _modules(dumps)
        if (
            found := re.match(r"module_\d+\.a_(inference___backward|inference|forward)_(.+?)(?:_\d+)+__XlaMust", module)
        )
    )
    assert ours == dumped
    passes = ("inference", "forward", "inference___backward")
    assert {name: [dumped[name, one] for one in passes] for name, _ in dumped} == {
        "plain_then_tape": [1, 1, 1],
        "tape_then_plain": [1, 1, 1],
        "either_tape": [0, 2, 2],
        "unasked": [0, 1, 0],
        "of_any_size": [2, 2, 2],
        "within": [1, 1, 1],
    }
    seq = next(seq for seq, name in names.items() if name == "of_any_size")
    assert [(x.shapes[0].dims[0], x.gradient, x.backward, len(x.changes)) for x in r.xla if x.seq == seq] == [
        (3, True, False, 0), (3, False, True, 0), (3, False, False, 0),
        (4, True, False, 1), (4, False, True, 1), (4, False, False, 1),
    ]  # fmt: skip
    assert all(x.duration_ns > 0 and x.stack_id for x in r.xla)


def test_calls_after_each_pass_was_seen_run_nothing_of_ours(recording: RecordFixture) -> None:
    weight = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def product(x: Any) -> Any:
        return x * weight

    def call(with_tape: bool) -> None:
        with tf.GradientTape() as tape:
            y = product(tf.ones([]))
        if with_tape:
            tape.gradient(y, weight)
        product(tf.ones([]))

    ours: list[str] = []

    def profile(frame: Any, event: str, argument: object) -> None:
        if event == "call" and "tb_retrace_plugin" in frame.f_code.co_filename:
            ours.append(frame.f_code.co_qualname)

    with recording() as r:
        for _ in range(2):
            call(with_tape=True)
        sys.setprofile(profile)
        try:
            call(with_tape=True)
        finally:
            sys.setprofile(None)
    assert ours == []
    assert [(x.gradient, x.backward) for x in r.xla] == [(True, False), (False, True), (False, False)]


def test_a_forward_pass_that_fails_is_recorded_and_raised(recording: RecordFixture) -> None:
    @tf.function(jit_compile=True)
    def halved(x: Any, words: Any) -> Any:
        return x / 2.0 + tf.cast(tf.strings.length(words), tf.float32)

    weight = tf.Variable(2.0)
    with recording() as r:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError), tf.GradientTape():
                halved(weight, tf.constant("a"))
    assert [(x.gradient, x.failed) for x in r.xla] == [(True, True)]


def test_nothing_is_kept_alive_by_what_is_watched(recording: RecordFixture) -> None:
    weight = tf.Variable(2.0)

    def build() -> weakref.ref[Any]:
        product = tf.function(lambda x: x * weight, jit_compile=True)
        with tf.GradientTape() as tape:
            y = product(tf.ones([]))
        tape.gradient(y, weight)
        product(tf.ones([]))
        return weakref.ref(product.get_concrete_function(tf.ones([])))

    with recording():
        gone = build()
        gc.collect()
        assert gone() is None
