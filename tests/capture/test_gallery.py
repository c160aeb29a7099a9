"""Every program of `demo/gallery/`, recorded by `tb-retrace run`: the report against what TensorFlow really did.

The numbers and causes below were found without Retrace (`python -m tests.support.run_gallery DIR --bare program.py`
shows what TensorFlow does) and are what an expert would answer, not what the tool prints: where it answers otherwise,
that one expectation is marked `wrong`, a strict xfail.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.advised_gallery import NO_ADVICE, PUTS, WITHOUT_A_NUMBER, Put
from tests.support.advised_source import advised
from tests.support.counted_demo import ROOT, UNCOUNTED

GALLERY = ROOT / "demo" / "gallery"
PROGRAMS = {path.stem: path for path in sorted(GALLERY.glob("*.py"))}


@dataclass(frozen=True)
class Change:
    """`old`, `new`: regular expressions for the whole text."""

    cause: str
    path: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class Trace:
    """`wrong`: what the tool says otherwise, of all but the verdict."""

    kind: str
    verdict: str
    changes: tuple[Change, ...] = ()
    closest: int | None = None
    failed: bool = False
    nested: bool = False
    generalized: bool = False
    object: int = 1
    wrong: str = ""


@dataclass(frozen=True)
class Function:
    name: str
    traces: tuple[Trace, ...]
    library: bool = False

    @property
    def objects(self) -> int:
        return len({trace.object for trace in self.traces})


@dataclass(frozen=True)
class Expected:
    """`case`: of shared/facts/source-cases.md. `mended`: the change that the program names, and what it leaves, where
    that is not the change that its advice names (tests/support/advised_gallery.py)."""

    functions: tuple[Function, ...] = ()
    case: str = ""
    mended: tuple[tuple[str, str], ...] = field(default=())
    traces_mended: int = -1


def once(name: str, *, library: bool = False, nested: bool = False) -> Function:
    return Function(name, (Trace("first", "needed", nested=nested),), library)


def change(cause: str, path: str = "", old: str = "", new: str = "") -> Change:
    """With texts to be matched as they are."""
    return Change(cause, path, re.escape(old), re.escape(new))


def retrace(verdict: str, closest: int | None, *changes: Change, **more: Any) -> Trace:
    return Trace("retrace", verdict, changes, closest, **more)


def again(object_number: int, verdict: str, *changes: Change, closest: int | None = None, **more: Any) -> Trace:
    """In a new function object, which is compared with the latest."""
    new = change("recreated_function", "", f"object {object_number - 1}", f"object {object_number}")
    found = changes or (new,)
    return Trace("recreated", verdict, found, closest or object_number - 1, object=object_number, **more)


FIRST = Trace("first", "needed")
SMOOTHER = r".*\bSmoother object #\d"
VARIABLES = Function(UNCOUNTED, (Trace("variable_creation", "needed", (Change("variable_creation"),)),), library=True)
SECOND_OF_FIRST_CALL = (Change("variable_creation"),)
#: What Keras builds anew in each call on arrays: its input pipeline's three functions.
PIPELINE = ("permutation", "slice_batch_indices", "grab_batch")
INPUT_SIGNATURE = "@tf.function(input_signature=[tf.TensorSpec([None])])"

EXPECTED: dict[str, Expected] = {
    # --- the source cases ---
    "layer_created_on_every_call": Expected(
        (
            Function(
                "blur",
                (FIRST, Trace("variable_creation", "avoidable", SECOND_OF_FIRST_CALL, closest=1, failed=True)),
            ),
            VARIABLES,
        ),
        case="A1",
    ),
    "variable_created_once": Expected(
        (
            Function("count", (FIRST, Trace("variable_creation", "needed", SECOND_OF_FIRST_CALL, closest=1))),
            VARIABLES,
        ),
        case="A1b",
        mended=(("= []", "= [tf.Variable(0.0)]"),),
        traces_mended=1,
    ),
    "layer_created_on_every_call_other_batch": Expected(
        (
            Function(
                "blur",
                (
                    FIRST,
                    Trace("variable_creation", "avoidable", SECOND_OF_FIRST_CALL, closest=1, failed=True),
                    retrace("avoidable", 1, change("shape", "images", "(1, 8, 8, 1)", "(2, 8, 8, 1)"), failed=True),
                ),
            ),
            VARIABLES,
        ),
        case="A2",
    ),
    "functions_run_eagerly": Expected(case="A3"),
    "shape_of_an_argument": Expected(
        (
            Function(
                "total",
                (
                    FIRST,
                    retrace("avoidable", 1, change("shape", "data", "(3,)", "(5,)")),
                    retrace("avoidable", 2, change("shape", "data", "(5,)", "(2,)")),
                ),
            ),
        ),
        case="B1",
    ),
    "dtype_of_an_argument": Expected(
        (
            Function(
                "add",
                (
                    Trace("first", "avoidable", failed=True),
                    FIRST,
                    retrace("avoidable", 1, change("dtype", "x", "float32", "int64"), failed=True),
                ),
            ),
        ),
        case="B2",
    ),
    "equal_looking_objects": Expected(
        (
            Function(
                "scaled",
                (
                    FIRST,
                    retrace(
                        "avoidable",
                        1,
                        change("object_identity", "settings", "Settings object #1", "Settings object #2"),
                    ),
                ),
            ),
        ),
        case="B3",
        mended=(
            ("    def __init__(self, scale: float) -> None:", "    scale: float"),
            ("        self.scale = scale", ""),
            ("class Settings:", "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass Settings:"),
        ),
        traces_mended=1,
    ),
    "equal_objects": Expected((once("scaled"),), case="B3"),
    "hash_without_eq": Expected(
        (
            Function(
                "scaled",
                (
                    FIRST,
                    retrace(
                        "avoidable",
                        1,
                        change("object_identity", "settings", "Settings object #1", "Settings object #2"),
                    ),
                ),
            ),
        ),
        case="B3",
    ),
    "python_number_or_tensor": Expected(
        (
            Function(
                "resize",
                (
                    FIRST,
                    retrace("avoidable", 1, change("shape", "x", "(1, 100, 100, 3)", "(1, 120, 120, 3)")),
                    retrace("avoidable", 1, change("python_type", "new_height", "50", "int32 ()")),
                ),
            ),
        ),
        case="C1",
    ),
    "input_signature_with_unknown_dimensions": Expected((once("resize"),), case="C2"),
    "concrete_function": Expected((once("dense"),), case="C3"),
    "python_global_changed_later": Expected((once("shifted"),), case="C4"),
    "comparison_without_decorator": Expected(case="D1"),
    "comparison_of_tensors": Expected((once("larger"),), case="D1b"),
    "shapes_without_decorator": Expected(case="D2"),
    "other_values_of_tensors": Expected((once("add"),), case="D3"),
    "shape_of_a_matrix": Expected(
        (Function("total", (FIRST, retrace("avoidable", 1, change("shape", "matrix", "(10, 20)", "(10, 21)")))),),
        case="E1",
    ),
    "input_signature_for_all_shapes": Expected((once("total"),), case="E2"),
    "reshape_with_unknown_dimensions": Expected((once("flat"),), case="E3"),
    # --- the causes that no source case shows ---
    "numpy_arrays_of_two_dtypes": Expected(
        (Function("spread", (FIRST, retrace("avoidable", 1, change("dtype", "data", "float32", "float64")))),),
        mended=(("4.0]))", "4.0], np.float32))"), ("9.0]))", "9.0], np.float32))")),
        traces_mended=1,
    ),
    "rank_of_an_argument": Expected(
        (
            Function(
                "norm",
                (
                    FIRST,
                    retrace("avoidable", 1, change("rank", "x", "(4,)", "(4, 4)")),
                    retrace("avoidable", 2, change("rank", "x", "(4, 4)", "()")),
                ),
            ),
        ),
    ),
    "python_number_in_a_loop": Expected(
        (
            Function(
                "learning_rate",
                (
                    FIRST,
                    retrace("avoidable", 1, change("python_value", "step", "0", "1")),
                    retrace("avoidable", 2, change("python_value", "step", "1", "2")),
                    retrace("avoidable", 3, change("python_value", "step", "2", "3")),
                ),
            ),
        ),
    ),
    "equal_numbers_of_other_types": Expected((once("filled"),)),
    "training_flag": Expected(
        (Function("dropped", (FIRST, retrace("bounded", 1, change("python_value", "training", "True", "False")))),),
    ),
    # it is compared with what is written there, and nothing else: others would have one of these graphs
    "name_of_a_metric": Expected(
        (Function("reduced", (FIRST, retrace("bounded", 1, change("python_value", "how", "'sum'", "'mean'")))),),
    ),
    "optional_argument": Expected(
        (Function("mean", (FIRST, retrace("bounded", 1, change("python_type", "weights", "None", "float32 (2,)")))),),
    ),
    "batches_with_other_keys": Expected(
        (
            Function(
                "loss",
                (
                    FIRST,
                    retrace("avoidable", 1, change("structure", "batch['mask']", "no such key", "float32 (2,)")),
                    retrace("avoidable", 1, change("structure", "batch['parts']", "list of 2", "list of 3")),
                ),
            ),
        ),
    ),
    "variable_passed_twice": Expected(
        (
            Function(
                "move",
                (
                    FIRST,
                    retrace(
                        "bounded",
                        1,
                        change("variable_identity", "target", "the same variable as source", "a variable of its own"),
                    ),
                ),
            ),
        ),
    ),
    "ragged_tensors": Expected(
        (
            Function(
                "words_per_text",
                (
                    FIRST,
                    retrace(
                        "avoidable",
                        1,
                        Change(
                            "composite_spec",
                            "texts",
                            r"RaggedTensorSpec\(.*2, None.*",
                            r"RaggedTensorSpec\(.*3, None.*",
                        ),
                    ),
                ),
            ),
        ),
    ),
    "dataset_iterators": Expected(
        (
            Function(
                "first",
                (
                    FIRST,
                    retrace(
                        "avoidable",
                        1,
                        Change("composite_spec", "batches", r"IteratorSpec.*\(4,\).*", r"IteratorSpec.*\(None,\).*"),
                    ),
                ),
            ),
        ),
    ),
    "value_captured_by_reference": Expected((once("scaled"),)),
    "inside_another_graph": Expected(
        (Function("double", (FIRST, retrace("bounded", 1, Change("context", "parent_graph", "none", "Graph.*")))),),
    ),
    "function_defined_in_a_loop": Expected(
        (Function("square", (FIRST, again(2, "avoidable"), again(3, "avoidable"))),),
    ),
    "number_from_the_enclosing_function": Expected(
        (Function("power", (FIRST, again(2, "avoidable"), again(3, "avoidable"))),),
    ),
    # --- the ways of being traced ---
    "nested_functions": Expected(
        (
            Function("entropy", (FIRST, retrace("avoidable", 1, change("shape", "x", "(2,)", "(4,)")))),
            Function(
                "normalized",
                (
                    Trace("first", "needed", nested=True),
                    retrace("avoidable", 1, change("shape", "x", "(2,)", "(4,)"), nested=True),
                ),
            ),
        ),
    ),
    "failed_trace": Expected(
        (
            Function(
                "product",
                (
                    FIRST,
                    retrace("avoidable", 1, change("shape", "b", "(3, 2)", "(4, 2)"), failed=True),
                    retrace("avoidable", 1, change("shape", "b", "(3, 2)", "(4, 2)"), failed=True),
                ),
            ),
        ),
        mended=(("tf.ones([4, 2])", "tf.ones([3, 2])"),),
        traces_mended=1,
    ),
    "reduce_retracing": Expected(
        (Function("total", (FIRST, retrace("bounded", 1, change("shape", "data", "(2,)", "(3,)"), generalized=True))),),
        mended=(("@tf.function(reduce_retracing=True)", INPUT_SIGNATURE),),
        traces_mended=1,
    ),
    "concrete_functions_for_export": Expected(
        (Function("scaled", (FIRST, retrace("avoidable", 1, change("python_value", "by", "2.0", "0.5")))),),
    ),
    # whether a third instance will come, nobody can tell from two
    "methods_of_several_instances": Expected(
        (
            Function(
                "__call__",
                (FIRST, again(2, "unknown", change("object_identity", "self", "Scale object #1", "Scale object #2"))),
            ),
        ),
    ),
    "method_of_throwaway_instances": Expected(
        (
            Function(
                "smooth",
                (
                    FIRST,
                    again(2, "avoidable", Change("object_identity", "self", SMOOTHER, SMOOTHER)),
                    again(3, "avoidable", Change("object_identity", "self", SMOOTHER, SMOOTHER)),
                ),
            ),
        ),
    ),
    "tf_data_functions": Expected(
        (Function("double", (FIRST, again(2, "avoidable"))),),
    ),
    "keras_fit": Expected(
        (
            *(once(name, library=True) for name in PIPELINE),
            once("multi_step_on_iterator", library=True),
            once("one_step_on_data", library=True, nested=True),
        ),
    ),
    "keras_train_on_batch": Expected(
        (
            Function(
                "one_step_on_data",
                (
                    FIRST,
                    retrace(
                        "bounded",
                        1,
                        change("shape", "data[0]", "(4, 4)", "(6, 4)"),
                        change("shape", "data[1]", "(4, 2)", "(6, 2)"),
                        generalized=True,
                    ),
                ),
                library=True,
            ),
        ),
    ),
    "keras_predict_in_a_loop": Expected(
        (
            *(Function(name, (FIRST, again(2, "avoidable"), again(3, "avoidable")), library=True) for name in PIPELINE),
            once("one_step_on_data_distributed", library=True),
        ),
        mended=(
            ("verbose=0", ""),
            ("model.predict(np.ones((2, 4), np.float32), )", "model.predict_on_batch(np.ones((2, 4), np.float32))"),
        ),
        traces_mended=1,
    ),
    "saved_and_restored": Expected(
        (
            Function("double", (FIRST, retrace("bounded", 1, Change("context", "variable_policy", "none", "NONE")))),
            once("signature_wrapper", library=True),
            once("_traced_save", library=True),
            once("_traced_restore", library=True),
            once("restored_function_body", library=True),
        ),
    ),
    # which thread comes first is chance
    "several_threads": Expected(
        (
            Function(
                "total",
                (FIRST, *3 * (retrace("avoidable", None, Change("shape", "data", r"\(\d,\)", r"\(\d,\)")),)),
            ),
        ),
    ),
    "mirrored_strategy": Expected(
        (
            Function(
                "step",
                (
                    FIRST,
                    retrace(
                        "bounded",
                        1,
                        # no address of an object: it tells nobody anything
                        Change("context", "device_functions", "none", "(?!.*0x).+"),
                        change("context", "in_cross_replica_context", "none", "True"),
                    ),
                ),
            ),
            once("on_all_devices"),
            once("wrapped_fn", library=True, nested=True),
        ),
    ),
    "compiled_again_for_each_shape": Expected((once("total"),)),
}

MENDED = [name for name, expected in EXPECTED.items() if expected.mended]
SOURCE_CASES = ["A1", "A1b", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "C4", "D1", "D1b", "D2", "D3"]
SOURCE_CASES += ["E1", "E2", "E3"]


@dataclass(frozen=True)
class Outcome:
    """What TensorFlow did, and the session that Retrace recorded of it."""

    by_tensorflow: dict[str, Any]
    session: dict[str, Any]
    log_dir: Path

    def function(self, name: str) -> dict[str, Any]:
        (found,) = (f for f in self.session["functions"] if f["name"] == name)
        return dict(found)

    @property
    def events(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """All functions' events with their functions, in the order of their traces."""
        found = [(event, function) for function in self.session["functions"] for event in function["events"]]
        return sorted(found, key=lambda pair: pair[0]["seq"])


def run_programs(results: Path, programs: list[Path], *options: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment |= {"CUDA_VISIBLE_DEVICES": "-1", "KERAS_BACKEND": "tensorflow"}
    command = [sys.executable, "-m", "tests.support.run_gallery", str(results), *options, *map(str, programs)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    results = tmp_path_factory.mktemp("gallery")
    run_programs(results, list(PROGRAMS.values()))
    command = [sys.executable, "-m", "tb_retrace_plugin", "report", str(results), "--format", "json"]
    report = json.loads(subprocess.check_output(command, cwd=ROOT))
    sessions = {session["run"].removesuffix("/retrace"): session for session in report["sessions"]}
    assert len(sessions) == len(report["sessions"]) == len(PROGRAMS)
    return {
        name: Outcome(json.loads((results / f"{name}.json").read_text()), sessions[name], results / name)
        for name in PROGRAMS
    }


def test_every_program_has_an_expectation_and_a_line_in_the_table() -> None:
    assert set(EXPECTED) == set(PROGRAMS)
    table = re.findall(r"^\| \[`(\w+)\.py`\]\((\w+)\.py\) \|.*\| (.+) \|$", (GALLERY / "README.md").read_text(), re.M)
    assert sorted(name for name, _, _ in table) == sorted(PROGRAMS)
    for name, link, numbers in table:
        functions = [f for f in EXPECTED[name].functions if f.name != UNCOUNTED]
        failed = sum(trace.failed for function in functions for trace in function.traces)
        traces = sum(len(function.traces) for function in functions) - failed
        assert (link, numbers) == (name, f"{traces}, {failed} failed" if failed else f"{traces}")


def test_every_source_case_is_there() -> None:
    assert [case for case in SOURCE_CASES if case not in {expected.case for expected in EXPECTED.values()}] == []
    for name, expected in EXPECTED.items():
        assert (ast.get_docstring(ast.parse(PROGRAMS[name].read_text())) or "").startswith(expected.case)


def test_every_cause_of_the_vocabulary_is_there() -> None:
    from tb_retrace_plugin.schema.vocabulary import CAUSES

    shown = {c.cause for e in EXPECTED.values() for f in e.functions for trace in f.traces for c in trace.changes}
    # by-reference captures never are part of a lookup in TensorFlow 2.16 to 2.21: see value_captured_by_reference.py
    assert set(CAUSES) - shown == {"capture", "unknown"}


def test_the_programs_know_nothing_of_retrace() -> None:
    for path in PROGRAMS.values():
        assert "tb_retrace" not in path.read_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_report_has_every_trace_that_tensorflow_made(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert outcome.session["losses"] == {}
    functions = outcome.session["functions"]
    reported = {f"{f['file']}:{f['line']}": f["traces"] for f in functions if f["name"] != UNCOUNTED and f["traces"]}
    counted = {place: count for place, count in outcome.by_tensorflow["counts"].items() if count}
    assert reported == counted
    attempts = [(a["place"], a["failed"], a["nested"]) for a in outcome.by_tensorflow["attempts"]]
    assert [(f"{f['file']}:{f['line']}", e["failed"], e["nested"]) for e, f in outcome.events] == attempts
    for function in functions:
        assert function["failed_traces"] == sum(event["failed"] for event in function["events"])
        objects = outcome.by_tensorflow["objects"].get(f"{function['file']}:{function['line']}", 0)
        assert function["objects"] == objects or function["name"] == UNCOUNTED


@pytest.mark.parametrize("name", EXPECTED)
def test_functions(name: str, outcomes: dict[str, Outcome]) -> None:
    reported = {
        f["name"]: (f["traces"], f["failed_traces"], f["objects"], f["library"])
        for f in outcomes[name].session["functions"]
    }
    assert reported == {
        f.name: (sum(not t.failed for t in f.traces), sum(t.failed for t in f.traces), f.objects, f.library)
        for f in EXPECTED[name].functions
    }


def each_trace(*, verdicts: bool) -> list[Any]:
    found = []
    for name, expected in EXPECTED.items():
        for function in expected.functions:
            for index, trace in enumerate(function.traces):
                wrong = "" if verdicts else trace.wrong
                marks = [pytest.mark.xfail(raises=AssertionError, strict=True, reason=wrong)] if wrong else []
                test_id = f"{name}-{function.name}-{index}"
                found.append(pytest.param(name, function.name, index, trace, id=test_id, marks=marks))
    return found


@pytest.mark.parametrize(("name", "function", "index", "expected"), each_trace(verdicts=False))
def test_trace(name: str, function: str, index: int, expected: Trace, outcomes: dict[str, Outcome]) -> None:
    event = outcomes[name].function(function)["events"][index]
    assert (event["kind"], event["failed"], event["nested"], event["generalized"], event["object"]) == (
        expected.kind,
        expected.failed,
        expected.nested,
        expected.generalized,
        expected.object,
    )
    assert [(c["cause"], c["path"]) for c in event["changes"]] == [(c.cause, c.path) for c in expected.changes]
    for said, right in zip(event["changes"], expected.changes, strict=True):
        assert re.fullmatch(right.old, said["old"])
        assert re.fullmatch(right.new, said["new"])
    if name != "several_threads":
        assert event["closest_n"] == expected.closest
    assert bool(event["error"]) == expected.failed


@pytest.mark.parametrize(("name", "function", "index", "expected"), each_trace(verdicts=True))
def test_verdict(name: str, function: str, index: int, expected: Trace, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[name].function(function)["events"][index]["verdict"] == expected.verdict


@pytest.mark.parametrize("name", PROGRAMS)
def test_traces_are_called_from_the_program(name: str, outcomes: dict[str, Outcome]) -> None:
    """The innermost frame of the user's is a line of the program, as it is written there."""
    lines = PROGRAMS[name].read_text().splitlines()
    for event, _ in outcomes[name].events:
        # the watcher of `run_gallery` lies on the stack of nested traces
        frame = next(f for f in event["stack"] if f["user"] and not f["file"].endswith("/run_gallery.py"))
        assert frame["file"] == str(PROGRAMS[name])
        assert frame["source"].strip() == lines[frame["line"] - 1].strip()


@pytest.mark.parametrize("name", PROGRAMS)
def test_avoidable_time_is_that_of_avoidable_traces(name: str, outcomes: dict[str, Outcome]) -> None:
    for function in outcomes[name].session["functions"]:
        avoidable = any(event["verdict"] == "avoidable" for event in function["events"])
        assert (function["avoidable_seconds"] > 0) == avoidable


def test_the_numbers_of_the_source_cases(outcomes: dict[str, Outcome]) -> None:
    # C1: each of the three traces was executed, and both parts of its cost are there
    for event in outcomes["python_number_or_tensor"].function("resize")["events"]:
        assert event["trace_seconds"] > 0
        assert event["first_call_seconds"] > 0
    # C3: Placeholder a, b; MatMul; Const add/y; AddV2 add; Relu; Identity; never executed
    (event,) = outcomes["concrete_function"].function("dense")["events"]
    assert (event["nodes"], event["first_call_seconds"]) == (7, None)
    # A1: the error is TensorFlow's own
    failed = outcomes["layer_created_on_every_call"].function("blur")["events"][1]
    assert "tf.function only supports singleton tf.Variables" in failed["error"]


#: What the text of `tb-retrace report` must hold, or must not ("!"), and what it says otherwise.
TEXTS = [
    ("shape_of_an_argument", r"`data` changed shape: \(3,\) → \(5,\)", ""),
    ("shape_of_an_argument", r"called from .*shape_of_an_argument.py:17 +print\(total", ""),
    ("layer_created_on_every_call", "!that is needed", ""),
    ("variable_created_once", "!Not traced again", ""),
    ("number_from_the_enclosing_function", "`exponent`", ""),
    ("reduce_retracing", r"\(None,\)", ""),
    ("python_global_changed_later", r"still uses 10; `offset` is now 100", ""),
    ("functions_run_eagerly", r"\ANo `tf.function` was traced while recording: functions ran eagerly", ""),
    ("compiled_again_for_each_shape", r"compiled by XLA twice without a trace: ", ""),
    ("saved_and_restored", "!none → NONE", ""),
    ("inside_another_graph", "!parent_graph", ""),
    ("name_of_a_metric", "'sum' → 'mean'.*\\[bounded\\]", ""),
    ("failed_trace", "!fit a signature", ""),
    ("batches_with_other_keys", "leave its first dimension open.*: another length is another shape", ""),
    ("nested_functions", "(inside|within|part of).*`entropy`", ""),
    (
        "dtype_of_an_argument",
        r"\A[^\n]*failed",
        "",
    ),
]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        pytest.param(
            name,
            pattern,
            marks=[pytest.mark.xfail(raises=AssertionError, strict=True, reason=wrong)] if wrong else [],
        )
        for name, pattern, wrong in TEXTS
    ],
)
def test_text(name: str, pattern: str, outcomes: dict[str, Outcome]) -> None:
    command = [sys.executable, "-m", "tb_retrace_plugin", "report", str(outcomes[name].log_dir)]
    text = subprocess.check_output(command, cwd=ROOT, text=True)
    assert text.strip()
    assert (re.search(pattern.removeprefix("!"), text) is None) == pattern.startswith("!"), text


def test_a_stale_python_value_is_told(outcomes: dict[str, Outcome]) -> None:
    (stale,) = outcomes["python_global_changed_later"].function("shifted")["stale"]
    assert {key: stale[key] for key in ("name", "kind", "traced", "now")} == {
        "name": "offset",
        "kind": "global",
        "traced": "10",
        "now": "100",
    }
    others = {
        name: stale
        for name, outcome in outcomes.items()
        for function in outcome.session["functions"]
        for stale in function["stale"]
        if name != "python_global_changed_later"
    }
    assert others == {}


def test_compilations_without_a_trace_are_told(outcomes: dict[str, Outcome]) -> None:
    """XLA's own dumps are the oracle in test_xla_compilations.py; here each program's, by what it calls."""
    compiled = {
        name: function["xla_compilations"]
        for name, outcome in outcomes.items()
        for function in outcome.session["functions"]
        if function["xla_compilations"] is not None
    }
    assert compiled == {"compiled_again_for_each_shape": 3}


def test_a_nested_trace_names_the_one_around_it(outcomes: dict[str, Outcome]) -> None:
    outer, inner = (outcomes["nested_functions"].function(name)["events"] for name in ("entropy", "normalized"))
    assert [event["parent_seq"] for event in inner] == [event["seq"] for event in outer]
    assert all(event["own_trace_seconds"] < event["trace_seconds"] for event in outer)


def test_the_advice_that_needs_no_other_source_is_tried(outcomes: dict[str, Outcome]) -> None:
    from tests.capture.test_try import APPLICABLE

    found = {
        name: sum(any(advice["apply"] for advice in function["advice"]) for function in outcome.session["functions"])
        for name, outcome in outcomes.items()
    }
    assert {name: count for name, count in found.items() if count} == {n: len(f) for n, f in APPLICABLE.items()}


def test_threads_add_one_trace_each(outcomes: dict[str, Outcome]) -> None:
    events = outcomes["several_threads"].function("total")["events"]
    assert sorted(event["n"] for event in events) == [1, 2, 3, 4]
    assert len({event["changes"][0]["new"] for event in events[1:]}) == 3
    assert all(event["closest_n"] < event["n"] for event in events[1:])


@pytest.fixture(scope="module")
def attempts(outcomes: dict[str, Outcome], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What TensorFlow alone traces, successfully or not, once each program is changed: as its docstring says (by its
    name), and as each piece of its advice says (by the `Put`)."""
    results = tmp_path_factory.mktemp("changed")
    sources = {}
    for name in MENDED:
        sources[name] = PROGRAMS[name].read_text()
        for old, new in EXPECTED[name].mended:
            assert old in sources[name], f"{name}: {old}"
            sources[name] = sources[name].replace(old, new)
    for put in PUTS:
        code = advice_on(put, outcomes)["code"]
        sources[str(put)] = advised(PROGRAMS[put.program].read_text(), code, put.edits, put.own)
    run_as = {source: name for name, source in sources.items()}  # what several give is run once
    for source, name in run_as.items():
        (results / f"{name}.py").write_text(source)
    run_programs(results, [results / f"{name}.py" for name in run_as.values()], "--bare")
    return {
        n: json.loads((results / f"{run_as[source]}.json").read_text())["attempts"] for n, source in sources.items()
    }


def advice_on(put: Put, outcomes: dict[str, Outcome]) -> dict[str, Any]:
    (found,) = (a for a in outcomes[put.program].function(put.function)["advice"] if a["rule"] == put.rule)
    return dict(found)


@pytest.mark.parametrize("name", MENDED)
def test_the_change_that_a_program_names_helps(name: str, attempts: dict[str, list[dict[str, Any]]]) -> None:
    assert len(attempts[name]) == EXPECTED[name].traces_mended


def test_each_program_with_an_avoidable_cause_has_its_advice_put_in(outcomes: dict[str, Outcome]) -> None:
    given = {
        (name, function["name"], advice["rule"]): advice["traces_after"]
        for name, outcome in outcomes.items()
        for function in outcome.session["functions"]
        for advice in function["advice"]
    }
    numbered = sorted(key for key, after in given.items() if after is not None)
    assert numbered == sorted((put.program, put.function, put.rule) for put in PUTS)
    assert given.keys() - set(numbered) == WITHOUT_A_NUMBER
    avoidable = {
        name for name, e in EXPECTED.items() if any(t.verdict == "avoidable" for f in e.functions for t in f.traces)
    }
    assert avoidable - {put.program for put in PUTS} == NO_ADVICE.keys()
    # and no rule fires where every trace is needed, bounded, or not known to be avoidable
    compiled_again = {"compiled_again_for_each_shape"}
    assert {name for name, _, _ in given} <= avoidable | compiled_again
    assert {rule for name, _, rule in given if name in compiled_again} == {"pad_for_xla"}


@pytest.mark.parametrize("put", PUTS, ids=str)
def test_the_code_of_the_advice_gives_the_traces_that_it_promises(
    put: Put, outcomes: dict[str, Outcome], attempts: dict[str, list[dict[str, Any]]]
) -> None:
    advice = advice_on(put, outcomes)
    before = outcomes[put.program].function(put.function)
    assert advice["traces_before"] == before["traces"] + before["failed_traces"]
    traced = [attempt for attempt in attempts[str(put)] if attempt["name"] == put.function]
    assert len(traced) == advice["traces_after"]
    assert not any(attempt["failed"] for attempt in traced)
