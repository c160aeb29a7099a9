"""`tb-retrace try`: the change is made from outside, and gives what was predicted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.commands.main import main
from tests.support.advised_gallery import PUTS
from tests.support.advised_source import DECORATOR, METHODS
from tests.support.counted_demo import ROOT

GALLERY = ROOT / "demo" / "gallery"
ENVIRONMENT = {
    **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1", "KERAS_BACKEND": "tensorflow",
}  # fmt: skip

#: Program -> (function, rule, traces before, predicted, after), failed ones too: the best advice that needs no source.
APPLICABLE = {
    "concrete_functions_for_export": [("scaled", "tensor_for_python_number", 2, 1, 1)],
    "dtype_of_an_argument": [("add", "one_dtype", 3, 1, 1)],
    "nested_functions": [("normalized", "input_signature", 2, 1, 1), ("entropy", "input_signature", 2, 1, 1)],
    "numpy_arrays_of_two_dtypes": [("spread", "one_dtype", 2, 1, 1)],
    # its last line passes 2.0 and True, which equalled numbers that had been traced: a tensor does not, as advice says
    "python_number_in_a_loop": [("learning_rate", "tensor_for_python_number", 4, 1, 3)],
    "python_number_or_tensor": [("resize", "input_signature", 3, 1, 1)],
    "ragged_tensors": [("words_per_text", "input_signature", 2, 1, 1)],
    "rank_of_an_argument": [("norm", "input_signature", 3, 1, 1)],
    "several_threads": [("total", "input_signature", 4, 1, 1)],
    "shape_of_a_matrix": [("total", "input_signature", 2, 1, 1)],
    "shape_of_an_argument": [("total", "input_signature", 3, 1, 1)],
}
NO_ADVICE = {
    "keras_fit": "there is nothing to try",
    "functions_run_eagerly": "traced no tf.function",
    "failed_trace": "there is nothing to try",
}
EQUAL = "which attributes make two objects equal, only the author of their class knows"
#: All other advice of the gallery, and why it has to be tried in the source.
BY_HAND = {
    "batches_with_other_keys": "which value is neutral for a missing key, only the author of the code knows",
    "dataset_iterators": "a dataset that drops its last batch yields other elements",
    "equal_looking_objects": EQUAL,
    "function_defined_in_a_loop": "where a function, a dataset or an object is made is written in the source",
    "hash_without_eq": EQUAL,
    "keras_predict_in_a_loop": "which calls can be one is written in the source",
    "layer_created_on_every_call": "where variables are created is written in the source",
    "layer_created_on_every_call_other_batch": "where variables are created is written in the source",
    "method_of_throwaway_instances": "where a function, a dataset or an object is made is written in the source",
    "number_from_the_enclosing_function": "the function has to take the number as an argument",
    "tf_data_functions": "where a function, a dataset or an object is made is written in the source",
}

POINTS = """
import collections
import tensorflow as tf

Point = collections.namedtuple("Point", ["x", "y"])

class Model:
    @tf.function
    def total(self, point, scale=1.0):
        return tf.reduce_sum(point.x) * scale + tf.reduce_sum(point.y["z"])

model = Model()
for n in range(1, 4):
    print(model.total(Point(tf.ones([n]), {"z": tf.ones([2])})).numpy())
"""
NUMBERS = """
import tensorflow as tf

@tf.function
def f(batch, *rest, rate=0.5, **more):
    return batch["x"][0] * tf.cast(rest[1], tf.float32) + more["step"] * rate

for step in range(3):
    print(f({"x": [tf.ones([2])], "name": "a"}, 0, step, step=float(step)).numpy(), f.experimental_get_tracing_count())
"""
NEEDS_SHAPE = """
import tensorflow as tf

@tf.function
def f(x):
    return tf.reduce_sum(tf.stack([x] * x.shape[0]))

for n in range(1, 3):
    print(f(tf.ones([n])).numpy())
"""
LOCAL = (
    "import tensorflow as tf\n\ndef make(n):\n    @tf.function\n    def f(x):\n        return x\n    f(tf.ones([n]))\n"
)
CALLED = LOCAL + "\nmake(1)\nmake(2)\n"
PROGRAMS = {
    "points": POINTS,
    "numbers": NUMBERS,
    "needs_shape": NEEDS_SHAPE,
    "called": CALLED,
    "two": CALLED + LOCAL.replace("make", "other") + "\nother(3)\n",
    "bad_name": POINTS.replace("Point = collections.namedtuple", "Point = __import__('collections').namedtuple"),
}
SIGNATURE = "[tf.TensorSpec([None])]"
POINT = "[Point(x=tf.TensorSpec([None]), y={'z': tf.TensorSpec([2])}), tf.TensorSpec([])]"
ARGUMENTS = {
    "points": ["--function", "Model.total", "--input-signature", POINT],
    "numbers": ["--from-advice"],
    "needs_shape": ["--from-advice", "--repeat", "2"],
    "called": ["--function", "f", "--reduce-retracing"],
    "two": ["--function", "f", "--input-signature", SIGNATURE],
    "bad_name": ["--function", "total", "--input-signature", POINT.replace("Point", "Pointt")],
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code, output and what was said of each try: `gallery:<name>` of a program, else of PROGRAMS."""
    folder = tmp_path_factory.mktemp("try")
    gallery = [GALLERY / f"{name}.py" for name in (*APPLICABLE, *BY_HAND, *NO_ADVICE)]
    wanted = {f"gallery:{path.stem}": ["--from-advice", "--format", "json", str(path)] for path in gallery}
    for name, source in PROGRAMS.items():
        (folder / f"{name}.py").write_text(source)
        wanted[name] = [*ARGUMENTS[name], "--format", "json", str(folder / f"{name}.py")]
    wanted["text"] = [*ARGUMENTS["points"], str(folder / "points.py"), "--an", "argument"]
    wanted["failing text"] = ["--from-advice", str(folder / "needs_shape.py")]
    command = [sys.executable, "-m", "tests.support.try_programs", str(folder / "answers.json")]
    done = subprocess.run(
        command, input=json.dumps(wanted), env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name, source in PROGRAMS.items():
        assert (folder / f"{name}.py").read_text() == source
    found: dict[str, tuple[int, str, str]] = json.loads((folder / "answers.json").read_text())
    return found


def answer_of(answers: dict[str, tuple[int, str, str]], name: str, code: int = 0) -> dict[str, Any]:
    said, out, err = answers[name]
    assert said == code, out + err
    answer: dict[str, Any] = json.loads(out)
    return answer


def rows(answer: dict[str, Any]) -> list[tuple[str, str, int, int, int]]:
    return [
        (c["function"]["name"], c["rule"], c["traces_before"], c["traces_predicted"], c["traces_after"])
        for c in answer["changes"]
    ]


@pytest.mark.parametrize("name", NO_ADVICE)
def test_where_there_is_nothing_to_try(name: str, answers: dict[str, tuple[int, str, str]]) -> None:
    code, _, said = answers[f"gallery:{name}"]
    assert (code, NO_ADVICE[name] in said) == (2, True)


@pytest.mark.parametrize("name", BY_HAND)
def test_what_cannot_be_done_from_outside_is_said_with_why_and_how(
    name: str, answers: dict[str, tuple[int, str, str]]
) -> None:
    code, out, said = answers[f"gallery:{name}"]
    assert (code, out) == (2, "")
    assert "none of the advice can be applied from outside; it is a change of the source" in said
    assert f": {BY_HAND[name]}.\n  " in said
    for put in PUTS:  # the code that test_gallery.py puts in by hand
        if put.program == name:
            lines = [line for _, new in put.edits if new not in (DECORATOR, METHODS) for line in new.splitlines()]
            assert [line for line in lines if line not in said] == []


def test_every_program_with_avoidable_traces_is_tried() -> None:
    assert {put.program for put in PUTS} <= APPLICABLE.keys() | BY_HAND.keys()
    assert not APPLICABLE.keys() & BY_HAND.keys()


@pytest.mark.parametrize("name", APPLICABLE)
def test_the_gallery_gets_the_traces_that_are_predicted(name: str, answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, f"gallery:{name}")
    assert sorted(rows(answer)) == sorted(APPLICABLE[name])
    assert [change["problems"] for change in answer["changes"]] == [[]] * len(APPLICABLE[name])
    # what failed before and works now prints otherwise
    assert bool(answer["output_differences"]) == (name == "dtype_of_an_argument")


def test_a_method_with_a_named_tuple_is_declared(answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, "points")
    (change,) = answer["changes"]
    assert (change["traces_before"], change["traces_after"]) == (3, 1)
    assert answer["output_differences"] == []
    assert answer["same_end"]
    assert answer["compared"]["functions"][0]["change"] == "better"


def test_numbers_are_converted_wherever_they_are_passed(answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, "numbers")
    (change,) = answer["changes"]
    assert change["apply"] == {"tensors": {"rest[1]": "int32", "more['step']": "float32"}}
    assert (change["traces_before"], change["traces_predicted"], change["traces_after"]) == (3, 1, 1)
    # the program prints TensorFlow's own count: 1, 2, 3 before, and 1, 1, 1 after
    printed = [line for line in answer["output_differences"] if line.startswith("+")]
    assert [line[-1] for line in printed] == ["1", "1"]


def test_a_change_that_breaks_the_program_is_told(answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, "needs_shape", code=1)
    assert not answer["same_end"]
    assert [run["exit"] for run in answer["before"]] == [0, 0]
    assert [run["exit"] for run in answer["after"]] == [1, 1]
    assert "TypeError" in answer["after"][0]["exception"]
    assert answer["before"][0]["exception"] is None
    _, out, _ = answers["failing text"]
    assert "ended: before: exit code 0" in out
    assert re.search(r"after: TypeError: .*NoneType", out)


def test_a_function_that_is_made_several_times_is_changed_each_time(answers: dict[str, tuple[int, str, str]]) -> None:
    (change,) = answer_of(answers, "called")["changes"]
    assert (change["objects"], change["traces_before"], change["traces_after"]) == (2, 2, 2)


def test_a_name_of_several_functions_is_asked_about(answers: dict[str, tuple[int, str, str]]) -> None:
    code, _, said = answers["two"]
    assert code == 2
    assert re.search(r"'f' names several functions: \S+two.py:4, \S+two.py:14", said)


def test_a_program_without_tensorflow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text("raise OSError('no such data')\n")
    assert main(["try", str(tmp_path / "program.py")]) == 2
    assert "did not import TensorFlow (OSError: no such data)" in capsys.readouterr().err


def test_a_named_tuple_that_is_not_there_changes_nothing_and_is_told(answers: dict[str, tuple[int, str, str]]) -> None:
    (change,) = answer_of(answers, "bad_name")["changes"]
    assert (change["objects"], change["traces_before"], change["traces_after"]) == (0, 3, 3)
    assert "Pointt is not to be found" in change["problems"][0]


def test_the_text_says_what_is_changed_before_it_is_run(answers: dict[str, tuple[int, str, str]]) -> None:
    code, out, _ = answers["text"]
    assert code == 0
    lines = out.splitlines()
    before, after = (
        next(i for i, line in enumerate(lines) if line.startswith(word)) for word in ("before: ", "after: ")
    )
    assert lines[before].endswith("points.py --an argument")
    assert f"      is declared with input_signature={POINT}" in lines[before:after]
    assert any(re.fullmatch(r"`total` \(.*points.py:8\): 3 traces → 1", line) for line in lines[after:])
    assert "  printed: the same" in lines


def test_a_fresh_python_runs_the_program(tmp_path: Path) -> None:
    """As the command does outside these tests: a module, its arguments, its own exit code, both recordings kept."""
    package = tmp_path / "here" / "training"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    source = NEEDS_SHAPE.replace("x.shape[0]", "1") + "import sys\nprint(sys.argv[1:])\nsys.exit(3)\n"
    (package / "__main__.py").write_text(source)
    arguments = ["--from-advice", "--logdir", str(tmp_path / "kept"), "-m", "training", "--epochs", "3"]
    command = [sys.executable, "-m", "tb_retrace_plugin", "try", *arguments]

    def run() -> subprocess.CompletedProcess[str]:
        here = tmp_path / "here"
        return subprocess.run(command, env=ENVIRONMENT, cwd=here, capture_output=True, text=True, check=False)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "`f` (training/__main__.py:4): 2 traces → 1, as predicted" in done.stdout
    assert "ended: exit code 3, both times" in done.stdout
    assert (tmp_path / "kept" / "before" / "stdout").read_text().endswith("['--epochs', '3']\n")
    again = run()
    assert (again.returncode, "holds an earlier try" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--input-signature", SIGNATURE, "x.py"], "say with --function"),
        (["--function", "f", "--input-signature", "[print('hello')]", str(ROOT / "setup.py")], "is no specification"),
        (["--from-advice", "--function", "f", "--reduce-retracing", "x.py"], "--from-advice takes the change"),
        (["--repeat", "0", "x.py"], "--repeat"),
        (["nowhere.py"], "no such file"),
    ],
)
def test_what_cannot_be_tried(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", *arguments]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert "hello" not in out
