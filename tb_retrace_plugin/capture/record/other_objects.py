"""Which objects are others than in an earlier trace, and whether these are models or have such, whose variables
TensorFlow tracks."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MethodType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.only_said import only_put_into
from tb_retrace_plugin.capture.python_state.keras_steps import is_keras_own
from tb_retrace_plugin.capture.record.read_trace import ReadTrace
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosedOver, holds_variables
from tb_retrace_plugin.explain.earlier_traces.history import Entry
from tb_retrace_plugin.schema import retrace_pb2 as pb


def are_models(entry: Entry, changes: Sequence[Change], record: pb.Trace, trace: ReadTrace, o: Observation) -> bool:
    """Whether what is another object is one whose variables TensorFlow tracks (a model, an optimizer, a module), or has
    such in an attribute, as a trainer has its model."""
    others = [change.path for change in changes if change.cause == "object_identity"]
    is_made_anew = any(change.cause == "recreated_function" for change in changes) or not others
    if record.kind != "recreated" or not is_made_anew:
        objects = [objects_of(o, changes).get(path) for path in others]
        models = [tf_seam.holds_tensors(one) or tf_seam.has_models(one, alone_in=o.result) for one in objects]
        others_are = all(map(operator.or_, models, map(_is_a_loss_or_metric, objects)))
        return others_are and (any(models) or not objects)
    before = {(value.name, value.identity) for value in _with_inside(entry.closure or ())}
    closure = trace.code.closures.get(record.object) or ()
    new = [value for value in _with_inside(closure) if (value.name, value.identity) not in before]
    if tf_seam.holds_tensors(o.traced.python):  # a model that tf.function was passed itself
        return True
    if not new and o.instance is not None:
        return tf_seam.has_models(o.instance)
    held = _around(o.traced.python)
    # a tensor is passed beside models
    made_anew = [v for v in new if not (v.is_number or (v.is_tensor and not holds_variables(v.spec)))]
    models = [value.is_tracked or _has_models(held.get(value.name), o) for value in made_anew]
    filled = only_put_into(getattr(o.traced.python, "__code__", None))
    beside = (_are_losses_or_metrics(held.get(value.name)) or value.name in filled for value in made_anew)
    return all(map(operator.or_, models, beside)) and (any(models) or all(value.is_number for value in new))


def _with_inside(closure: Iterable[ClosedOver]) -> Iterator[ClosedOver]:
    """What functions among them close over in their place."""
    for value in closure:
        if value.inside:
            yield from _with_inside(value.inside)
        else:
            yield value


def reads_models(record: pb.Trace, trace: ReadTrace, o: Observation) -> bool:
    """From around it: variables by themselves may be of unknown sizes."""
    closure = trace.code.closures.get(record.object) or ()
    held = _around(o.traced.python)
    has_some = any(value.is_tracked or _has_models(held.get(value.name), o) for value in closure)
    return has_some or tf_seam.has_models(o.instance)


def _around(function: Any) -> Mapping[str, Any]:
    return around(function, function.__code__) if hasattr(function, "__code__") else {}


def _has_models(value: Any, o: Observation) -> bool:
    """An object, or the one that a method is of."""
    return tf_seam.has_models(value.__self__ if type(value) is MethodType else value, alone_in=o.result)


def _are_losses_or_metrics(value: Any) -> bool:
    """Also in a list or a dictionary."""
    items = list(value.values()) if type(value) is dict else value if type(value) in (list, tuple) else [value]
    return bool(items) and all(map(_is_a_loss_or_metric, items))


def _is_a_loss_or_metric(value: Any) -> bool:
    """Of Keras', which is passed beside a model: a graph captures no variable of it that could be passed."""
    return any(is_keras_own(kind, ("Loss", "Metric")) for kind in type(value).__mro__)


def objects_of(o: Observation, changes: Sequence[Change]) -> dict[str, Any]:
    """By path, those that are passed, in containers too where one there is another, and the one that a method is of."""
    held = any(change.cause == "object_identity" and "[" in change.path for change in changes)
    in_containers = tf_seam.objects_in_containers(o.function_type) if held else {}
    of_a_method = {} if o.instance is None else {"self": o.instance}
    return {**tf_seam.object_arguments(o.function_type), **in_containers, **of_a_method}
