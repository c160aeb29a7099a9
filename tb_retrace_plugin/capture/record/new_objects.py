"""What is known of a trace of a new tf.function object: who made it, for which dataset, and what it closes over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import (
    carries_a_state,
    is_a_call_of_a_model,
    is_in_a_pipeline_of_keras,
    is_made_by_each_call,
    is_made_by_each_compile,
    is_made_by_each_export,
    is_made_by_each_iterator,
    is_made_of_arrays,
    is_of_a_loop,
    is_of_class_weights,
    is_restored,
    runs_what_it_is_given,
)
from tb_retrace_plugin.capture.code.kept_beside import kept_beside
from tb_retrace_plugin.capture.code.kept_objects import kept_object
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.passed_in_lines import ITSELF
from tb_retrace_plugin.capture.python_state.drawn import drawn_by
from tb_retrace_plugin.capture.record.other_captures import same_captures
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.closure import ClosedOver, diff_closures
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.keras_metrics import are_closed_over
from tb_retrace_plugin.explain.differences.nearness import is_within
from tb_retrace_plugin.explain.differences.number_holders import closes_over_another_class
from tb_retrace_plugin.explain.earlier_traces.compiled import Compiled, recompiled
from tb_retrace_plugin.explain.earlier_traces.history import Dataset, Entry, History, has_unknown_dimension
from tb_retrace_plugin.explain.earlier_traces.kind import has_other_classes, has_other_functions
from tb_retrace_plugin.explain.verdict.evidence import COMPILED_ALIKE, COMPILED_FOR_OTHER_PARTS
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Signature

#: That are looked at for what a model was compiled with.
_LATEST = 64
#: Of the texts of those of which two may be of the same layers, and so one in what a function closes over.
_MODELS = ("Functional #", "Sequential #")
#: How an object is told.
_NUMBERED = re.compile(r" #\d+$")
#: As what reads it of the model is told.
_OPTIMIZER = "model.optimizer"


def add_facts_of_a_new_object(
    facts: Facts, entry: Entry | None, record: pb.Trace, closures: dict[int, tuple[ClosedOver, ...] | None],
    history: History, wanted: Signature, graph_key: str, o: Observation,
) -> None:  # fmt: skip
    """`entry`: of the trace that it is compared with; `closures`: of the function's code, by object."""
    facts.wraps = _wraps(o)
    facts.made_by_each_call = not record.nested and is_made_by_each_call(record.function)
    facts.made_by_each_compile = is_made_by_each_compile(record.function)
    facts.in_a_pipeline_of_keras = is_in_a_pipeline_of_keras(record.function, o.call_site.stack)
    facts.in_a_dataset = o.traced.structured is not None and not facts.in_a_pipeline_of_keras
    is_for_each_call = facts.in_a_pipeline_of_keras and not is_of_class_weights(record.function)
    if is_for_each_call and (dataset := dataset_of(o)):
        record.output_signature = dataset.output_signature
        facts.other_calls = not history.has_lines(dataset)
        facts.other_methods = not history.has_graph_and_methods(graph_key, dataset)
        facts.of_arrays = is_made_of_arrays(record.function)
        if dataset.output_signature:
            before = entry.dataset if entry is not None else None
            was_alike = before is not None and before._replace(data=dataset.data) == dataset
            facts.generated = "elsewhere" if facts.other_calls else "again" if was_alike else ""
    if facts.in_a_dataset and entry is not None and carries_a_state(o.call_site.stack.frames):
        facts.wider = _has_a_wider_state(entry.signature, wanted)
    if facts.in_a_dataset and entry is not None and entry.dataset and (dataset := dataset_of(o)):
        facts.other_lines = not history.has_lines(dataset)
        facts.other_data = b"" not in (entry.dataset.data, dataset.data) and entry.dataset.data != dataset.data
        facts.kept_beside = "" if facts.other_lines else kept_beside(o.call_site)
    facts.of_a_loop = record.nested and is_of_a_loop(record.function)
    facts.restored = is_restored(record.function)
    facts.made_by_each_export = is_made_by_each_export(record.function, o.call_site.stack)
    if is_made_by_each_iterator(record.function):
        facts.made_by_each_iterator = _iterated_before(history, o)
    if entry is None:
        return
    facts.compiled_otherwise = bool(history.compiled) and record.jit_compile not in history.compiled
    facts.widened_otherwise = bool(history.widened) and record.reduce_retracing not in history.widened
    closure = closures.get(record.object)
    facts.closure = diff_closures(entry.closure, closure)
    if facts.read_otherwise and closure:
        earlier = {value.name: value.identity for value in entry.closure or ()}
        same = {value.name for value in closure if earlier.get(value.name) == value.identity}
        others = facts.read_otherwise
        facts.made_again = tuple(n for n in others if n in same and others[n][1].startswith(_MODELS))
        facts.read_otherwise = {name: texts for name, texts in others.items() if name not in facts.made_again}
    if facts.closure and _reads_other_objects(facts):  # metrics are told by themselves where they alone are others
        facts.closure = tuple(one for one in facts.closure if not (one.is_global and are_closed_over([one])))
    if facts.closure and record.jit_compile:  # XLA compiles for each size all the same
        facts.closure = tuple(replace(one, is_resized=False) for one in facts.closure)
    facts.same_captures |= same_captures(entry.graph_key, graph_key)
    facts.narrower = _is_narrower(wanted, entry.signature)
    if any(change.is_function for change in facts.closure or ()):
        facts.other_functions = has_other_functions(closures, record.object)
    if any(map(closes_over_another_class, facts.closure or ())):
        facts.other_classes = has_other_classes(closures, record.object)


def _reads_other_objects(facts: Facts) -> bool:
    """Or may: beside what its closure tells."""
    if facts.read_otherwise is None:
        return True
    told = {one.name for one in facts.closure or ()}
    others = (both for name, both in facts.read_otherwise.items() if name not in told)
    return any(all(map(_NUMBERED.search, both)) for both in others)


def drawn_now(drawn: Sequence[str], o: Observation) -> tuple[str, ...]:
    """Of what the code draws what this trace of it came to."""
    if not drawn:
        return ()
    arguments = tf_seam.object_arguments(o.function_type) | tf_seam.value_arguments(o.function_type)
    now = {clean(text, 100) for text in drawn_by(o.traced.python, o.instance, arguments, now=True)}
    return tuple(text for text in drawn if text in now)


def dataset_of(o: Observation) -> Dataset | None:
    """As `Entry` has it; None also of one that no line of the user's builds, and of what is run at each call.

    Of one that a function of a dataset builds, what that dataset is made of; of what fetches the elements of one, that.
    """
    if is_made_by_each_iterator(o.function):
        lines = _lines_of(o)
        return Dataset(lines, o.data) if lines else None
    outer = o
    while outer.traced.structured is not None and outer.parent is not None:
        outer = outer.parent
    if outer.traced.structured is None:
        return None
    frames = o.call_site.stack.frames
    lines = _lines_of(o)
    if not lines or runs_what_it_is_given(frames):
        return None
    if is_in_a_pipeline_of_keras(o.function, o.call_site.stack):
        # `fit` makes one for validation, too
        methods = tuple([(frame.file, frame.line, 0) for frame in frames if is_a_call_of_a_model(frame)])
        signature = tf_seam.output_signature_of(outer.traced.structured)
        return Dataset(lines + methods, outer.data, signature, methods)
    return Dataset(lines, outer.data)


def kept_with_the_outer(o: Observation, outer: Observation) -> str:
    """Of a function that the one around it closes over, as that is kept."""
    function = outer.traced.python
    code = getattr(function, "__code__", None)
    held = {} if code is None else around(function, code)
    if not any(tf_seam.plain_function(held.get(name)) is o.traced.python for name in getattr(code, "co_freevars", ())):
        return ""
    found = kept_object(outer.call_site, outer.function.name, (), ITSELF, outer.function.file)
    return found or ("" if outer.parent is None else kept_with_the_outer(outer, outer.parent))


def _lines_of(o: Observation) -> tuple[tuple[str, int, int], ...]:
    """Of the user's, innermost first; two calls in one line apart."""
    return tuple([(frame.file, frame.line, frame.instruction) for frame in o.call_site.stack.frames if frame.user])


def _iterated_before(history: History, o: Observation) -> str:
    """As `Facts` has it, of what is made by each iterator."""
    dataset = dataset_of(o)
    if dataset is None or not dataset.data:
        return "unknown"
    if any(map(is_a_call_of_a_model, o.call_site.stack.frames)):
        return "keras"
    return "again" if history.with_dataset(dataset) is not None else "elsewhere"


def _has_a_wider_state(before: Signature, wanted: Signature) -> bool:
    """Whether the first argument alone differs, and it serves what there was before."""
    changes = diff_signatures(before, wanted)
    state = wanted.arguments[0][0] if wanted.arguments else ""
    return bool(changes) and all(is_within(c.path, state) for c in changes) and not diff_signatures(wanted, before)


def _wraps(o: Observation) -> str:
    """As `Facts` has it."""
    inner = tf_seam.wrapped_function(o.options)
    if inner is None or o.traced.structured is not None:
        return ""
    return "alike" if tf_seam.compiles_alike(o.options, inner) else "otherwise"


def _is_narrower(wanted: Signature, cached: Signature) -> bool:
    """Of a signature that the cached one serves, whether that has unknown dimensions which this one has not."""
    return has_unknown_dimension(cached) and cached.arguments != wanted.arguments


def compare_compiled(facts: Facts, entry: Entry, now: Compiled, history: History) -> None:
    """Of a step of the same model as `entry`; one around another step reads nothing itself."""
    of_the_step = [
        one.compiled for one in history.entries[-_LATEST:] if diff_closures(one.closure, entry.closure) == ()
    ]
    if entry.compiled is not None:
        facts.recompiled = recompiled(entry.compiled, now, of_the_step)
        others = None if facts.read_otherwise is None else facts.read_otherwise.keys() - {_OPTIMIZER}  # in `compiled`
        alike_within = facts.step_within in (COMPILED_ALIKE, COMPILED_FOR_OTHER_PARTS)
        reads_the_same = alike_within or facts.same_graph or (others == set() and not facts.step_within)
        facts.compiled_alike = now.is_again(entry.compiled) and bool(reads_the_same)
