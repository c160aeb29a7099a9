"""A function given to `tf.data` that closes over another number or tensor each time: a variable is read anew.

Its arguments are the dataset's elements, so what changes in between cannot be passed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.datasets import dataset_reduce
from tb_retrace_plugin.explain.advice.datasets.dataset_code import names_passed, uses_besides_the_function
from tb_retrace_plugin.explain.advice.datasets.what_stays import (
    NO_CACHE,
    told_of_beside,
    told_of_cache,
    told_of_elements,
    told_of_shuffle,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import (
    builders,
    is_a_loops,
    is_within_a_trace,
    method_that_builds,
    method_that_runs,
    objects_by_line,
)
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import how_often
from tb_retrace_plugin.explain.differences.closure import ARRAY
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_AROUND_ALL = (
    "Or put all of it into a tf.function that is made once, from what is passed to what comes out of the dataset."
)
_ARRAYS = (
    ", and that the code works on a variable where it has an array, which `tf.constant` and NumPy's functions do not"
)
_PREFETCHED = (
    "This changes results unless all of the dataset is gone through before the next value is assigned: elements that a"
    " `prefetch` has made have the one before, and datasets that are gone through together, as zipped ones, have one"
    " value in common: those need one each, and a trace."
)
#: A name with attributes and items, as code has it.
_READ = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*|\[(-?\d+|'\w+')\])*")
_SAME_DATASET = f"nothing else that the dataset is built of is another each time, and {NO_CACHE}"


def in_a_dataset(
    function: FunctionFacts, traces: Sequence[Traced], names: Sequence[str], why: str, *, tensors: bool,
    dtypes: Mapping[str, str] | None = None, equal: Sequence[Traced] = (), hold_numbers: bool = False,
    refused: Sequence[str] = (),
) -> Fix | None:  # fmt: skip
    """`names`: of what it closes over; `why`: a clause on that, after how often the dataset was built. `dtypes`: of
    variables that `tf.Variable` would not make so by itself. `equal`: further ones, for what is equal to an earlier
    one's, as of a second dataset that is built with the same tensors each time. `hold_numbers`: they are objects, of
    which some are read. `refused`: notes on what takes no tensor."""
    objects = objects_by_line(function, [*traces, *equal])
    if not objects or any(is_a_loops(trace) or is_within_a_trace(trace) for trace in traces):
        return None
    if method_that_runs(traces[0]):
        return dataset_reduce.fix(function, traces, objects, names)
    if any(uses_besides_the_function(builders(trace), method_that_builds(trace), names) for trace in traces):
        return None
    kept = "it in a tf.Variable" if len(names) == 1 else "them in tf.Variables"
    kept = "one, with tf.Variables for the numbers that are read of it" if hold_numbers else kept
    # of a tf.function TensorFlow makes one of its own for the dataset, within which that is traced
    within = {trace.lookup.object_number for trace in function.traces if trace.nested}
    of_datasets = {number: kept_one for number, kept_one in objects.items() if number not in within} or objects
    text = (
        f"`tf.data` makes a function of `{function.name}` each time that the dataset is built, and it was built"
        f" {function.at_least}{how_often(of_datasets)}, {why}. Keep {kept}, which the function reads anew for each"
        " element, and build the dataset once."
    )
    where = "before each use" if tensors else "in the loop"
    # of another name: the loop may call its own value so
    code = "\n".join(
        f"{(own := _own_name(name))} = tf.Variable({name}{_dtype(name, dtypes or {})})"
        "  # once, before the dataset is built\n"
        f"…  # `{function.name}` reads {own} in place of {name}\n{own}.assign(…)  # {where}"
        for name in names
        if _READ.fullmatch(name)
    )
    if hold_numbers:
        what = f"{listed(names)} with tf.Variables for its numbers".replace("`", "")
        code = f"kept = …  # once, before the dataset is built: {what}\n…\nkept.….assign(…)  # in the loop"
    warnings = (_PREFETCHED, *told_of_cache(traces), *told_of_shuffle(traces))
    warnings = (*told_of_beside(function.beside), *told_of_elements(function.given_others), *warnings)
    others = [name for name in names_passed(traces, computed=False) if name not in names]
    of_each = [f"Where {' or '.join(f'`{name}`' for name in others)} is another, build one of each."] if others else []
    are_arrays = any(ARRAY in trace.evidence for trace in traces)
    if tensors:
        return Fix(
            "tensor_in_dataset", text, Candidate(objects=objects), other=code,
            assumes=f"nothing else that it reads has changed, and {_SAME_DATASET}{_ARRAYS if are_arrays else ''}",
            warnings=warnings, notes=[_AROUND_ALL, *of_each],
        )  # fmt: skip
    return Fix(
        "number_in_dataset", text, Candidate(objects=objects), other=code, reads_anew=names,
        assumes=f"the code works on a tensor for {'numbers of ' if hold_numbers else ''}{listed(names)}, and"
        f" {_SAME_DATASET}",
        warnings=warnings, notes=[*refused, *of_each],
    )  # fmt: skip


def _own_name(name: str) -> str:
    """`kept_weights_1` of `weights[1]`."""
    return "kept_" + re.sub(r"\W+", "_", name.removeprefix("self.")).strip("_")


def _dtype(name: str, dtypes: Mapping[str, str]) -> str:
    return f", dtype=tf.{dtypes[name]}" if name in dtypes else ""
