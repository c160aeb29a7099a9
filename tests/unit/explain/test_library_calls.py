"""What a library makes, or calls with what it chooses, is not known to be avoidable."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.closed_over_anew import NUMBERS_AND_TENSORS
from tb_retrace_plugin.explain.verdict.evidence import (
    COULD_SERVE_BOTH,
    OTHER_TENSORS,
    OTHER_TENSORS_AND_NUMBERS,
    SAME_GRAPH_AND_CAPTURES,
)
from tb_retrace_plugin.explain.verdict.facts import Verdict
from tb_retrace_plugin.explain.verdict.library_calls import left_to_a_library
from tb_retrace_plugin.schema import retrace_pb2 as pb

_LIBRARY = "/venv/lib/python3.11/site-packages/gp/models.py"
_TENSORFLOW = "/venv/lib/python3.11/site-packages/tensorflow/python/eager/polymorphic_function.py"
_MADE_ANEW = Verdict("avoidable", SAME_GRAPH_AND_CAPTURES)
_NEW_OBJECT = (Change("recreated_function", ""),)


def _function(qualname: str = "Model.loss", file: str = _LIBRARY, *, library: bool = True) -> pb.Function:
    return pb.Function(name=qualname.rpartition(".")[2], qualname=qualname, file=file, library=library)


def _frames(*callers: tuple[str, str]) -> list[pb.Frame]:
    """What TensorFlow calls, then `callers`, then the user's line."""
    found = [pb.Frame(file=_TENSORFLOW, function="_call")]
    found += [pb.Frame(file=file, function=function) for file, function in callers]
    return [*found, pb.Frame(file="train.py", function="<module>", user=True), pb.Frame(file=_LIBRARY, function="run")]


def test_what_a_library_made_and_calls_is_not_known_to_be_avoidable() -> None:
    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, _function(), _frames((_LIBRARY, "closure")))

    assert found is not None
    assert found.word == "unknown"
    assert found.evidence.startswith(SAME_GRAPH_AND_CAPTURES)
    assert "make that once and keep it" in found.evidence


def test_what_makes_it_is_named() -> None:
    function = _function("Model.compile.<locals>.outputs")

    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, _frames((_LIBRARY, "train")))

    assert found is not None
    assert "The library's `Model.compile` makes it." in found.evidence


def test_parts_of_a_dataset_of_a_generator_are_told_by_that() -> None:
    file = "/venv/lib/python3.11/site-packages/tensorflow/python/data/ops/from_generator_op.py"
    frames = _frames((file, "from_generator"))
    another = Verdict("unknown", f"The new tf.function object closes over another `finalize_fn`. {COULD_SERVE_BOTH}")
    found = left_to_a_library(another, _NEW_OBJECT, _function("flat_map_fn", file), frames)
    array = "The new tf.function object closes over another `idx` of ndarray int64 (9,). One object that is passed it"
    of_an_array = Verdict("avoidable", f"{array} as an argument would do.")
    assert left_to_a_library(of_an_array, _NEW_OBJECT, _function("finalize_fn", file), frames, is_nested=True) == found
    assert found is not None
    assert found.evidence.startswith("`Dataset.from_generator` makes this function for each dataset, and the generator")
    for verdict in (_MADE_ANEW, Verdict("unknown", f"It captures others. {COULD_SERVE_BOTH}")):
        assert left_to_a_library(verdict, _NEW_OBJECT, _function("flat_map_fn", file), frames) is None


def test_what_a_call_of_a_library_makes_and_calls_is_the_calls() -> None:
    function = _function("Model.predict.<locals>.op")

    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, _frames((_LIBRARY, "predict")))

    assert found is not None
    assert "A library makes it in each call of its `predict`" in found.evidence


def test_what_tensorflow_makes_of_a_dataset_that_a_library_builds_is_the_librarys() -> None:
    data = "/site-packages/tensorflow/python/data/ops/from_generator_op.py"
    function = _function("_from_generator.<locals>.get_iterator_id_fn", data)

    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, _frames((data, "flat_map"), (_LIBRARY, "fit")))

    assert found is not None
    assert found.word == "unknown"
    assert "anew in each call of its `fit`" in found.evidence
    keras = "/site-packages/keras/src/trainers/trainer.py"
    for callers in (((data, "flat_map"),), ((data, "flat_map"), (keras, "fit")), ((data, "map"), (_LIBRARY, "load"))):
        assert left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, _frames(*callers)) is None


def test_a_dataset_that_a_library_builds_within_a_graph_is_built_with_each() -> None:
    data = "/site-packages/tensorflow/python/data/ops/map_op.py"
    function, frames = _function("TopK.call.<locals>.rows"), _frames((data, "map"), (_LIBRARY, "call"))

    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, frames, is_nested=True)

    assert found is not None
    assert found.word == "unknown"
    assert "in each call of its `call`" in found.evidence
    assert left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, frames) is None


def test_what_is_made_with_an_object_of_a_library_is_the_objects() -> None:
    function = _function("Saver.__init__.<locals>.action")

    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, function, _frames((_LIBRARY, "__init__")))

    assert found is not None
    assert "A library makes it with each `Saver`" in found.evidence


def test_of_a_number_that_a_library_passes_it_is_not_known_who_decides_it() -> None:
    number = Verdict("avoidable", "Each value of the Python number `n` is traced; a tensor would not be.")

    found = left_to_a_library(number, (Change("python_value", "n", "1", "2"),), _function(), _frames((_LIBRARY, "run")))

    assert found is not None
    assert found.word == "unknown"
    assert "a library calls it" in found.evidence


@pytest.mark.parametrize("evidence", [OTHER_TENSORS, OTHER_TENSORS_AND_NUMBERS])
def test_captured_tensors_of_a_librarys_object_are_no_arguments_that_the_user_can_write(evidence: str) -> None:
    told = Verdict("avoidable", f"`dist` is another object, and {evidence}")

    found = left_to_a_library(told, _NEW_OBJECT, _function(), _frames())

    assert found is not None
    assert found.word == "unknown"
    assert "passed as arguments" not in found.evidence
    assert "a tf.function of yours" in found.evidence


@pytest.mark.parametrize(
    ("function", "changes", "frames"),
    [
        # the user's own line calls it
        (_function(), _NEW_OBJECT, _frames()),
        # sizes are those of the user's data as a rule
        (_function(), (Change("shape", "x", "(1,)", "(2,)"),), _frames((_LIBRARY, "predict"))),
        # a part of a dataset, which may be built once
        (_function(), _NEW_OBJECT, _frames(("/x/tensorflow/python/data/ops/map_op.py", "map"), (_LIBRARY, "load"))),
        # of Keras there are rules of their own
        (_function(file="/x/site-packages/keras/src/trainer.py"), _NEW_OBJECT, _frames((_LIBRARY, "fit"))),
        # the user's function
        (_function(file="train.py", library=False), _NEW_OBJECT, _frames((_LIBRARY, "minimize"))),
    ],
)
def test_what_the_user_can_change_stays_avoidable(
    function: pb.Function, changes: tuple[Change, ...], frames: list[pb.Frame]
) -> None:
    assert left_to_a_library(_MADE_ANEW, changes, function, frames) is None


@pytest.mark.parametrize(
    "callers",
    [
        [("/x/tensorflow/python/data/ops/dataset_ops.py", "reduce"), (_LIBRARY, "call")],
        [("/x/tensorflow/python/data/ops/dataset_ops.py", "map"), (_LIBRARY, "fit")],
    ],
)
def test_a_dataset_that_a_call_of_a_library_builds_and_runs_is_not_the_users_to_build_once(
    callers: list[tuple[str, str]],
) -> None:
    found = left_to_a_library(_MADE_ANEW, _NEW_OBJECT, _function(), _frames(*callers))

    assert found is not None
    assert found.word == "unknown"


def test_a_number_that_a_part_of_a_librarys_dataset_holds_is_the_librarys_to_pass() -> None:
    held = Verdict("avoidable", "It closes over `n`: 4 → 6. One object that is passed it as a tensor would do.")
    frames = _frames(("/x/tensorflow/python/data/ops/map_op.py", "map"), (_LIBRARY, "as_dataset"))

    found = left_to_a_library(held, _NEW_OBJECT, _function(), frames)

    assert found is not None
    assert found.word == "unknown"


def test_a_number_that_the_users_line_passes() -> None:
    """Whether the code of a library takes a tensor for it is not known, and less of what it hands on."""

    def told(path: str) -> Verdict:
        changes = (Change("python_value", path, "4", "6"),)
        verdict = Verdict("avoidable", f"Each value of the Python number `{path}` is traced; a tensor would not be.")
        return left_to_a_library(verdict, changes, _function(), _frames()) or verdict

    assert told("n") == Verdict(
        "avoidable",
        "Each value of the Python number `n` is traced; a tensor would not be, where the library's code takes one.",
    )
    assert told("kwargs['max_length']") == Verdict(
        "unknown",
        "Each value of the Python number `kwargs['max_length']` is traced. It is a library's function; whether its"
        " code takes a tensor there is not known.",
    )


def test_a_librarys_code_is_not_the_users_to_pass_what_it_closes_over() -> None:
    verdict = Verdict("avoidable", f"The new tf.function object closes over another `L`. {NUMBERS_AND_TENSORS}")
    found = left_to_a_library(verdict, _NEW_OBJECT, _function("make.<locals>.func"), _frames())
    assert found is not None
    assert found.word == "unknown"
    assert found.evidence.startswith("The new tf.function object closes over another `L`. It is a library's: a tf.func")
