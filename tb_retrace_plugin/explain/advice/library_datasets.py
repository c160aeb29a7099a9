"""Datasets that TensorFlow or another library builds of functions of its own, for a line that runs again and again."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.code import source_line
from tb_retrace_plugin.explain.advice.create_once import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.reading import merged_objects, times_made
from tb_retrace_plugin.explain.what_if import Candidate

_FROM_GENERATOR = "/data/ops/from_generator_op.py"


def propose(function: FunctionFacts) -> Fix | None:
    traces = [t for t, _ in function.with_cause("recreated_function") if is_given_to_tf_data(t)]
    objects = merged_objects(function, traces)
    if not objects or any(_is_within_another(trace) or not _is_the_users(trace) for trace in traces):
        return None
    line = source_line(function.caller(traces[0]))
    built = f"and it was built {function.at_least}{times_made(objects)} times"
    if function.file.replace("\\", "/").endswith(_FROM_GENERATOR):
        text = f"`Dataset.from_generator` makes functions of its own each time that the dataset is built, {built}."
        assumes = "the generator can be the same each time; it is called anew for each iteration over the dataset"
    else:
        text = f"`{function.name}` is a part of a dataset: it is made each time that the dataset is built, {built}."
        assumes = "the dataset can be the same each time"
    return Fix(
        "build_dataset_once",
        f"{text} Build the dataset once, outside the loop, and iterate over it again.",
        Candidate(objects=objects),
        other=f"{line}  # once, before the loop" if line else "",
        assumes=assumes,
    )


def _is_the_users(trace: Traced) -> bool:
    """Whether a line of the user's builds the dataset, and not Keras, of what `fit` is given."""
    for frame in trace.stack:
        if frame.user:
            return True
        if "/data_adapters/" in frame.file.replace("\\", "/"):
            return False
    return False


def _is_within_another(trace: Traced) -> bool:
    """Whether it is a part of a part: that one's advice is its own."""
    made = [f for f in trace.stack if f.file.replace("\\", "/").endswith("/structured_function.py")]
    return sum(frame.function == "__init__" for frame in made) > 1
