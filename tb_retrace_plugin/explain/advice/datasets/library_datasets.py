"""Datasets that TensorFlow or another library builds of functions of its own, for a line that runs again and again."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.datasets import distributed_iterators
from tb_retrace_plugin.explain.advice.datasets.dataset_code import built_once
from tb_retrace_plugin.explain.advice.datasets.dataset_once import (
    built_again,
    datasets_left,
    is_built_by_itself,
    other_data,
    remedy,
)
from tb_retrace_plugin.explain.advice.datasets.what_stays import SAME_EACH_TIME, told_of_beside, told_of_shuffle
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data, objects_by_line
from tb_retrace_plugin.explain.advice.evidence.reading import CLOSES_OVER_NUMBERS, how_often
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_FROM_GENERATOR = "/data/ops/from_generator_op.py"
#: Methods of a Keras model, which build datasets of what they are given.
_OF_A_MODEL = frozenset({"evaluate", "fit", "predict"})


def propose(function: FunctionFacts) -> Fix | None:
    if distributed_iterators.makes(function):
        return None
    traces = [t for t, _ in function.with_cause("recreated_function") if is_given_to_tf_data(t)]
    if any(_is_within_another(t) or not _is_the_users(t) or not is_built_by_itself(t) for t in traces):
        return None
    # of other numbers it is another dataset
    objects = objects_by_line(function, [t for t in traces if not t.evidence.endswith(CLOSES_OVER_NUMBERS)])
    if not objects:
        return None
    built = f"and it was built {function.at_least}{how_often(objects)}"
    if function.file.replace("\\", "/").endswith(_FROM_GENERATOR):
        text = f"`Dataset.from_generator` makes functions of its own each time that the dataset is built, {built}."
        assumes = "the generator can be the same each time; it is called anew for each iteration over the dataset"
    else:
        text = f"`{function.name}` is a part of a dataset: it is made each time that the dataset is built, {built}."
        assumes = SAME_EACH_TIME
    return Fix(
        "build_dataset_once",
        f"{text} {remedy(function, objects)}",
        Candidate(objects=objects),
        other=built_once(built_again(function, objects), datasets_left(function, objects)),
        assumes=assumes,
        warnings=(*told_of_beside(function.beside), *told_of_shuffle(traces)),
        notes=other_data(function, objects),
    )


def _is_the_users(trace: Traced) -> bool:
    """Whether a line of the user's builds the dataset, and not a model, of what its `fit` is given."""
    for frame in trace.stack:
        file = frame.file.replace("\\", "/")
        if frame.user:
            return True
        if "/data_adapters/" in file or frame.function in _OF_A_MODEL:  # a library's own model has such, too
            return False
    return False


def _is_within_another(trace: Traced) -> bool:
    """Whether it is a part of a part: that one's advice is its own."""
    made = [f for f in trace.stack if f.file.replace("\\", "/").endswith("/structured_function.py")]
    return sum(frame.function == "__init__" for frame in made) > 1
