"""`tb-retrace try`: the change is made from outside, and gives what was predicted."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.capture.applied import equal_classes
from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.commands.main import main
from tests.support.advised_gallery import PUTS
from tests.support.counted_demo import ROOT

GALLERY = ROOT / "demo" / "gallery"
ENVIRONMENT = {
    **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1", "KERAS_BACKEND": "tensorflow",
}  # fmt: skip

#: Program -> (function, rule, traces before, and both predicted and counted after), failed ones too.
APPLICABLE = {
    "batches_with_other_keys": [("loss", "same_keys", 3, 2)],
    "concrete_functions_for_export": [("scaled", "tensor_for_python_number", 2, 1)],
    "dataset_iterators": [("first", "alike_datasets", 2, 1)],
    "dtype_of_an_argument": [("add", "one_dtype", 3, 1)],
    "equal_looking_objects": [("scaled", "equal_objects", 2, 1)],
    "function_defined_in_a_loop": [("square", "create_function_once", 3, 1)],
    "hash_without_eq": [("scaled", "equal_objects", 2, 1)],
    "layer_created_on_every_call": [("blur", "create_variables_outside", 2, 1)],
    "layer_created_on_every_call_other_batch": [("blur", "create_variables_outside+input_signature", 3, 1)],
    "method_of_throwaway_instances": [("smooth", "one_instance", 3, 1)],
    "nested_functions": [("normalized", "input_signature", 2, 1), ("entropy", "input_signature", 2, 1)],
    "number_from_the_enclosing_function": [("power", "pass_closed_over_number", 3, 1)],
    "numpy_arrays_of_two_dtypes": [("spread", "one_dtype", 2, 1)],
    "python_number_in_a_loop": [("learning_rate", "tensor_for_python_number", 4, 1)],
    "python_number_or_tensor": [("resize", "input_signature", 3, 1)],
    "ragged_tensors": [("words_per_text", "input_signature", 2, 1)],
    "rank_of_an_argument": [("norm", "input_signature", 3, 1)],
    "several_threads": [("total", "input_signature", 4, 1)],
    "shape_of_a_matrix": [("total", "input_signature", 2, 1)],
    "shape_of_an_argument": [("total", "input_signature", 3, 1)],
    "tf_data_functions": [("double", "build_dataset_once", 2, 1)],
}
#: What failed before and works now prints otherwise.
PRINTS_OTHERWISE = {"dtype_of_an_argument", "layer_created_on_every_call", "layer_created_on_every_call_other_batch"}
NO_ADVICE = {
    "keras_fit": "there is nothing to try",
    "keras_predict_in_a_loop": "none of the advice can be applied from outside",
    "functions_run_eagerly": "traced no tf.function",
    "failed_trace": "there is nothing to try",
}
SIZES = """
import tensorflow as tf

@tf.function
def f(image, size):
    return tf.image.resize(image, size)

for size in ((4, 4), (5, 5), [4, 4]):
    print(f(tf.ones([1, 8, 8, 3]), size).shape)
"""
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
#: Not all of what is made again is the same: two traces are left, and what is printed stays as it was.
OBJECTS_OF_TWO_KINDS = {
    "functions": """
def make(config):
    @tf.function
    def f(x):
        return x * config["scale"] + helper(x)
    return f

def helper(x):
    return x * offset[0]

offset = [1.0]
for scale in (1.0, 1.0, 2.0):
    print(make({"scale": scale})(tf.ones([2])).numpy())
offset = [5.0]
print(make({"scale": 1.0})(tf.ones([2])).numpy())
""",
    "methods": """
class Scale:
    def __init__(self, by):
        self.by = by

    @tf.function
    def f(self, x):
        return x * self.by

kept = [Scale(by) for by in (1.0, 1.0, 2.0)]  # a method has a weak reference to its instance
for scale in kept:
    print(scale.f(tf.ones([2])).numpy())
""",
    "classes": """
class Settings:
    def __init__(self, by):
        self.by = by

@tf.function
def f(x, settings):
    return x * settings.by

kept = [Settings(by) for by in (1.0, 1.0, 2.0)]
for settings in kept:
    print(f(tf.ones([2]), settings).numpy())
""",
    "datasets": """
for offset in ([1], [1], [2]):
    def f(x):
        return x + offset[0]
    print(list(tf.data.Dataset.range(3).map(f).as_numpy_iterator()))
""",
    "datasets of other data": """
def f(x):
    return x + 1

for size in (3, 3, 4):
    print(list(tf.data.Dataset.range(size).map(f).as_numpy_iterator()))
""",
}
#: With the reason why a change is not made, or not everywhere.
NOT_AS_SAID = {
    "variables": (
        """
@tf.function
def f(x):
    v = tf.Variable(tf.zeros_like(x))
    return x + v

for n in (1, 2):
    try:
        f(tf.ones([n]))
    except ValueError:
        print("failed")
""",
        "a variable cannot be created outside of it: ",
    ),
}
#: Says what is patched in TensorFlow and in Python: nothing, but for what a change asks for.
PATCHES = """
import builtins
from tensorflow.python.data.ops.structured_function import StructuredFunctionWrapper

changed = [builtins.__build_class__, tf.data.Dataset.batch, StructuredFunctionWrapper.__init__]
changed += [type(tf.function(print)).__call__, type(tf.function(print)).get_concrete_function]
print([hasattr(one, "__wrapped__") or "retrace" in str(one.__module__) for one in changed])
"""
BY_HAND = """
@tf.function
def f(parts):
    return sum(parts)

for n in range(2):
    f(tf.ones([2]) for _ in range(2))

@tf.function(jit_compile=True)
def g(x):
    return tf.reduce_sum(x)

for n in (7, 8):
    g(tf.ones([n]))
"""
#: The last call was served because 1.0 equals 1, and no recorder has seen it: as a tensor it needs a trace.
EQUAL_NUMBERS = """
import tensorflow as tf

@tf.function
def f(step):
    return tf.cast(step, tf.float32) * 2.0

for step in (1, 2, 3, 1.0):
    print(f(step).numpy())
"""
#: Both are `<lambda>` of one line; what is advised of the first leaves the second as it is.
LAMBDAS_OF_A_LINE = """
import tensorflow as tf

for scale in (1.0, 2.0, 3.0):
    data = tf.data.Dataset.range(4).filter(lambda v: v > 1).map(lambda v: tf.cast(v, tf.float32) * scale)
    print(list(data.as_numpy_iterator()))
"""
PROGRAMS = {
    "points": POINTS,
    "numbers": NUMBERS,
    "needs_shape": NEEDS_SHAPE,
    "sizes": SIZES,
    "called": CALLED,
    "two": CALLED + LOCAL.replace("make", "other") + "\nother(3)\n",
    "bad_name": POINTS.replace("Point = collections.namedtuple", "Point = __import__('collections').namedtuple"),
    "patches": CALLED + PATCHES,
    **{name: f"import tensorflow as tf\n{source}" for name, source in OBJECTS_OF_TWO_KINDS.items()},
    **{name: f"import tensorflow as tf\n{source}" for name, (source, _) in NOT_AS_SAID.items()},
    "by_hand": f"import tensorflow as tf\n{BY_HAND}",
    "equal_numbers": EQUAL_NUMBERS,
    "lambdas": LAMBDAS_OF_A_LINE,
}
SIGNATURE = "[tf.TensorSpec([None])]"
POINT = "[Point(x=tf.TensorSpec([None]), y={'z': tf.TensorSpec([2])}), tf.TensorSpec([])]"
ARGUMENTS = {
    "points": ["--function", "Model.total", "--input-signature", POINT],
    "numbers": ["--from-advice"],
    "needs_shape": ["--from-advice", "--repeat", "2"],
    "called": ["--function", "f", "--reduce-retracing"],
    "patches": ["--function", "f", "--reduce-retracing"],
    "two": ["--function", "f", "--input-signature", SIGNATURE],
    "bad_name": ["--function", "total", "--input-signature", POINT.replace("Point", "Pointt")],
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code, output and what was said of each try: `gallery:<name>` of a program, else of PROGRAMS."""
    folder = tmp_path_factory.mktemp("try")
    gallery = [GALLERY / f"{name}.py" for name in (*APPLICABLE, *NO_ADVICE)]
    wanted = {f"gallery:{path.stem}": ["--from-advice", "--format", "json", str(path)] for path in gallery}
    for name, source in PROGRAMS.items():
        (folder / f"{name}.py").write_text(source)
        wanted[name] = [*ARGUMENTS.get(name, ["--from-advice"]), "--format", "json", str(folder / f"{name}.py")]
    wanted["text"] = [*ARGUMENTS["points"], str(folder / "points.py"), "--an", "argument"]
    wanted["equal numbers text"] = ["--from-advice", str(folder / "equal_numbers.py")]
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


def test_what_cannot_be_done_from_outside_is_said_with_why_and_how(answers: dict[str, tuple[int, str, str]]) -> None:
    code, out, said = answers["by_hand"]
    assert (code, out) == (2, "")
    assert "none of the advice can be applied from outside; it is a change of the source" in said
    assert ": python_iterator: the code reads the iterator that it is given.\n  " in said
    assert "\n      parts = list(parts)  # or a tf.data.Dataset\n" in said
    assert (
        ": pad_to_one_shape: padding can change results: whether the code needs a mask, only its author knows." in said
    )
    assert "2 traces → 1 promised" in said


def test_every_program_with_avoidable_traces_is_tried() -> None:
    assert {put.program for put in PUTS} - NO_ADVICE.keys() == APPLICABLE.keys()


@pytest.mark.parametrize("name", APPLICABLE)
def test_the_gallery_gets_the_traces_that_are_predicted(name: str, answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, f"gallery:{name}")
    wanted = [(function, rule, before, after, after) for function, rule, before, after in APPLICABLE[name]]
    assert sorted(rows(answer)) == sorted(wanted)
    assert [change["problems"] for change in answer["changes"]] == [[]] * len(wanted)
    assert bool(answer["output_differences"]) == (name in PRINTS_OTHERWISE)
    assert answer["same_end"]


@pytest.mark.parametrize("name", OBJECTS_OF_TWO_KINDS)
def test_what_is_not_the_same_is_not_made_one(name: str, answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, name)
    (change,) = answer["changes"]
    assert change["traces_before"] == change["traces_after"] + 1
    assert change["traces_predicted"] == change["traces_after"]
    assert answer["output_differences"] == []


@pytest.mark.parametrize("name", NOT_AS_SAID)
def test_a_change_that_cannot_be_made_is_told(name: str, answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, name)
    (change,) = answer["changes"]
    assert change["traces_before"] == change["traces_after"]
    assert any(NOT_AS_SAID[name][1] in problem for problem in change["problems"])
    assert answer["output_differences"] == []


def test_nothing_is_patched_that_the_change_does_not_ask_for(answers: dict[str, tuple[int, str, str]]) -> None:
    answer = answer_of(answers, "patches")
    assert answer["changes"][0]["objects"] == 2
    assert answer["output_differences"] == []


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


def test_a_tuple_in_some_calls_and_a_list_in_others_is_made_one(answers: dict[str, tuple[int, str, str]]) -> None:
    (change,) = answer_of(answers, "sizes")["changes"]
    assert change["apply"]["sequences"] == {"size": "tuple"}
    assert (change["traces_before"], change["traces_predicted"], change["traces_after"]) == (3, 1, 1)


def test_functions_of_one_line_are_counted_and_predicted_together(answers: dict[str, tuple[int, str, str]]) -> None:
    assert rows(answer_of(answers, "lambdas")) == [("<lambda>", "build_dataset_once", 6, 4, 4)]


def test_what_was_served_by_an_equal_number_is_assumed_not_to_be_there(
    answers: dict[str, tuple[int, str, str]],
) -> None:
    answer = answer_of(answers, "equal_numbers")
    (change,) = answer["changes"]
    assert (change["traces_before"], change["traces_predicted"], change["traces_after"]) == (3, 1, 2)
    assert answer["output_differences"] == change["problems"] == []
    _, out, _ = answers["equal numbers text"]
    assert "A call that was served before, and so was not recorded, may need a trace now" in out


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


@pytest.mark.newest
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


def test_a_class_with_an_eq_of_its_own_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is asked for of such a class; another of its name may be one."""
    monkeypatch.setattr(builtins, "__build_class__", builtins.__build_class__)
    change = AppliedChange("train.py", 1, "f", equal_classes=["Settings"])
    equal_classes.install([change])

    class Settings:
        def __eq__(self, other: object) -> bool:
            return self is other

        def __hash__(self) -> int:
            return 7

    assert Settings() != Settings()
    assert hash(Settings()) == 7
    assert "the class Settings has an `__eq__` of its own" in change.all_problems()
    assert not change.done
