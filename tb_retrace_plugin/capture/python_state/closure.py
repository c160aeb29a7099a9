"""What a Python function closes over and reads, as numbers and short texts that keep nothing of the user's alive."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.before_autograph import as_written
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import Item
from tb_retrace_plugin.capture.code.function_place import function_of, key_of, place_of
from tb_retrace_plugin.capture.code.python_uses import may_ask_of_itself, python_uses
from tb_retrace_plugin.capture.python_state.found_reads import Read
from tb_retrace_plugin.capture.python_state.functional_models import MODELS, made_of
from tb_retrace_plugin.capture.python_state.items_read import items_read
from tb_retrace_plugin.capture.python_state.python_reads import reads_of
from tb_retrace_plugin.capture.values.identity import SameObjects, text_identity
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_list_of_numbers, is_number, is_plain, plain_identity
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.values.told_by_contents import parts_of
from tb_retrace_plugin.explain.differences.closure import (
    ARRAY,
    DATASET,
    ITERATOR,
    OF_ITSELF,
    UNTRAINABLE,
    VARIABLE,
    Callee,
    ClosedOver,
    Passed,
)
from tb_retrace_plugin.explain.differences.keras_losses import LOSS, is_a_loss_of_keras
from tb_retrace_plugin.explain.differences.keras_metrics import METRIC, is_a_metric
from tb_retrace_plugin.explain.verdict.asked_in_python import ASKED
from tb_retrace_plugin.explain.verdict.random_generators import GENERATOR
from tb_retrace_plugin.schema.signature import shape_text

_MAX_DEPTH = 4
#: Of functions that one value leads to.
_MAX_FUNCTIONS = 64
#: Of functions that functions close over.
_MAX_INSIDE = 2
#: Keras models that are known by their layers.
_MAX_MODELS = 1024
_MAX_ITEMS = 64
_MAX_TEXT = 60
#: Of a tuple or list, items that are written out.
_MAX_SHOWN = 8
#: What steps call of metrics.
_OF_METRICS = ("update_state", "result", "reset_state")
#: AutoGraph's own, in a function that it has made of one within a converted one.
_AUTOGRAPH = "ag__"


class ClosureReader:
    """Numbers stay a value's own for the session. Not thread-safe."""

    def __init__(self, values: Values) -> None:
        self._values = values
        import tensorflow as tf

        self._objects = SameObjects()
        #: Which of those that the value at hand leads to it is: functions that close over one another have no end.
        self._functions: dict[int, int] = {}
        #: Of those that are read at the moment, by their ids: what they are, what they hold, and what that is.
        self._identities: dict[int, tuple[int, Callee | None]] = {}
        self._held: dict[int, list[Any]] = {}
        self._within: dict[tuple[int, int], tuple[ClosedOver, ...]] = {}
        self._by_name = self._by_layers = False
        #: Of Keras models, what is one for those that are made of the same layers.
        self._models: dict[int, int] = {}
        self._tf_function: Any = tf.types.experimental.PolymorphicFunction
        self._tensor, self._variable, self._generator = tf.Tensor, tf.Variable, tf.random.Generator
        self._specs = (tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, tf.TensorShape, tf.DType)

    def read(
        self, function: Any, partials: Sequence[Any] = (), instance: Any = None, *, by_name: bool = False
    ) -> tuple[ClosedOver, ...] | None:
        """Free variables, plain attributes that are read of them, default values, what `partials` bind, and the globals
        read that are plain values, tensors, arrays or metrics.

        Of a callable object: itself; of a method beside these the `instance` that it is bound to, where that is no
        argument, and plain attributes that it reads of that. None for what is neither that nor a plain Python function.

        Values are compared by value where they are Python's own plain types or TensorFlow's specs of tensors, functions
        by their code and what they close over in turn, everything else by identity. `by_name`: but for tensors of the
        graph around it.
        """
        self._by_name = by_name
        # Keras makes its own for each model, and says so
        self._by_layers = type(function) is FunctionType and is_user_file(function.__code__.co_filename)
        try:
            return self._closure(function, partials, instance)
        finally:
            self._forget()

    def _closure(self, function: Any, partials: Sequence[Any], instance: Any) -> tuple[ClosedOver, ...] | None:
        if type(function) is not FunctionType:
            kind = type(function)
            if not callable(function) or not isinstance(kind.__call__, FunctionType):
                return None
            return (self._object(function),)
        # what a partial binds is in a default value's place
        bound = dict(_bound(function, partials))
        own = [(item, item[0] in bound) for item in {**dict(_closed_over(function)), **bound}.items()]
        return (
            *(() if instance is None else (self._object(instance),)),
            *(
                self._closed_over(*part, is_bound=is_bound)
                for item, is_bound in own
                for part in _parts_read(function, *_as_its_user_knows_it(item))
            ),
            *(
                self._closed_over(name, value, is_global=is_global)
                for name, value, is_global in self._read(function, instance)
            ),
        )

    def _object(self, value: Any) -> ClosedOver:
        return ClosedOver(type(value).__name__, self._objects.number(value), self._text(value, ""), False)

    def passed(self, function: Any) -> Passed:
        """Of a function, method or partial that is an argument."""
        try:
            return self._passed(function)
        finally:
            self._forget()

    def _passed(self, function: Any) -> Passed:
        identity = self._identity(function)[0]
        is_partial = type(function) is functools.partial
        called = function.func if is_partial else function
        of_instance: list[ClosedOver] = []
        if type(called) is MethodType and type(called.__func__) is FunctionType:
            if not may_ask_of_itself(called.__func__.__code__):  # of which object's numbers is not read
                of_instance = [self._closed_over(*read, is_global=True) for read in _read_of_itself(called)]
            called = called.__func__
        if type(called) is not FunctionType:
            return Passed(identity)
        # by its place: what is compiled anew at each call is no other code
        code = text_identity(":".join(map(str, place_of(function_of(called)))).encode())
        closure = self._closure(called, [function] if is_partial else (), None) or ()
        asked = tuple([use for use in python_uses(called.__code__, called) if ASKED.match(use)])
        return Passed(identity, code, (*of_instance, *closure), asked)

    def are_of(self, closure: Sequence[ClosedOver], tensors: Sequence[Any]) -> bool:
        """Whether all of them are tensors that it closes over or reads."""
        own = {identity for value in closure for identity in value.tensors}
        return all(self._objects.number(tensor) in own for tensor in tensors)

    def _closed_over(
        self, name: str, value: Any, *, is_global: bool = False, is_bound: bool = False, depth: int = 0
    ) -> ClosedOver:
        are_numbers = is_list_of_numbers(value, _MAX_ITEMS)
        spec = f"{len(value)} numbers" if are_numbers else self._spec(value, 0)
        are_tensors = bool(spec) and not are_numbers
        identity, callee = self._identity(value)
        inside = self._inside(value, depth)
        tensors = tuple(self._tensors_in(value)) if are_tensors else tuple([t for part in inside for t in part.tensors])
        return ClosedOver(
            name, identity, self._text(value, spec), are_numbers or is_number(value), is_global,
            are_tensors, callee, spec, tensors, inside, tf_seam.holds_tensors(value), is_bound,
        )  # fmt: skip

    def _inside(self, value: Any, depth: int) -> tuple[ClosedOver, ...]:
        """Of a function of the user's, or a tf.function of one: what it closes over, and the globals that it reads."""
        value = value.python_function if is_a(value, self._tf_function) else value
        if type(value) is not FunctionType or depth >= _MAX_INSIDE:
            return ()
        if not is_user_file(as_written(value).__code__.co_filename):
            return ()
        if (known := self._within.get((id(value), depth))) is None:
            own = [(name, part, False) for name, part in _closed_over(value)]
            own += [read for read in self._read(value) if read[2]] if not _runs_later(value) else []
            parts = [self._closed_over(*part, is_global=g, depth=depth + 1) for *part, g in own[:_MAX_ITEMS]]
            known = self._within[id(value), depth] = tuple(parts)
        return known

    def _tensors_in(self, value: Any) -> Iterator[int]:
        """Identities of those in what has a spec: an array is a constant of the graph, which captures it not."""
        if is_a(value, self._tensor):
            yield self._number(value)
            return
        if is_a(value, np.ndarray):
            return
        if is_a(value, self._variable):
            yield self._objects.number(tf_seam.variable_handle(value))
            return
        if (dataset := tf_seam.elements_and_variant(value)) is not None:
            yield self._objects.number(dataset[1])
            return
        for item in value.values() if type(value) is dict else value:
            yield from self._tensors_in(item)

    def _spec(self, value: Any, depth: int, *, of_elements: bool = False) -> str:
        """Of a tensor, array, variable or dataset of tensors, or tuples, lists and dictionaries that hold nothing else;
        "" of all else."""
        if not depth and (dataset := tf_seam.elements_and_variant(value)) is not None:
            elements = self._spec(dataset[0], 1, of_elements=True)
            return f"{ITERATOR if tf_seam.is_an_iterator(value) else DATASET}{elements}" if elements else ""
        if type(value) is np.ndarray and value.ndim and value.dtype.kind in "iufcb":
            return f"{ARRAY}{value.dtype.name} {shape_text(value.shape)}"
        is_variable = is_a(value, self._variable)
        if is_variable and tf_seam.variable_handle(value) is None:
            return ""
        if is_variable or is_a(value, self._specs[0] if of_elements else self._tensor):
            shape = None if value.shape.rank is None else tuple(-1 if d is None else d for d in value.shape.as_list())
            before = ("", UNTRAINABLE, VARIABLE)[is_variable + (is_variable and value.trainable)]
            return f"{before}{value.dtype.name} {shape_text(shape)}"
        kind = type(value)
        if kind not in (tuple, list, dict) or not 0 < len(value) <= _MAX_ITEMS or depth == _MAX_DEPTH:
            return ""
        parts = value.values() if kind is dict else value
        items = [self._spec(item, depth + 1, of_elements=of_elements) for item in parts]
        if not all(items):
            return ""
        if kind is dict:
            items = [f"{key!r}: {item}" for key, item in zip(value, items, strict=True) if type(key) is str]
            return f"{{{', '.join(items)}}}" if len(items) == len(value) else ""
        return f"[{', '.join(items)}]" if kind is list else f"({', '.join(items)}{',' if len(items) == 1 else ''})"

    def _number(self, value: Any) -> int:
        if self._by_name and (name := tf_seam.name_in_its_graph(value)):
            return text_identity(name.encode())
        number = self._objects.number(value)
        if not (self._by_layers and is_written_in(type(value), MODELS)):
            return number
        if len(self._models) >= _MAX_MODELS:  # oldest first
            del self._models[next(iter(self._models))]
        if number not in self._models and (layers := made_of(value, self._objects.number)) is not None:
            self._models[number] = text_identity(repr(layers).encode())
        return self._models.setdefault(number, number)  # for good: it may be compiled in between

    def _forget(self) -> None:
        """Nothing of the program's is kept."""
        self._by_name = self._by_layers = False
        for known in (self._identities, self._held, self._within):
            known.clear()

    def _identity(self, value: Any) -> tuple[int, Callee | None]:
        self._functions.clear()
        if type(value) is not FunctionType:
            return self._known(value, 0)
        if (known := self._identities.get(id(value))) is None:
            known = self._identities[id(value)] = self._known(value, 0)
        return known

    def _known(self, value: Any, depth: int) -> tuple[int, Callee | None]:
        """Its identity; and what it is as a function or class, None for all else."""
        kind = type(value)
        if is_plain(value):
            return plain_identity(value), None
        if kind in (tuple, list) and len(value) <= _MAX_ITEMS and depth < _MAX_DEPTH:
            return self._combined(kind.__name__, value, depth)[0], None
        if kind is dict and len(value) <= _MAX_ITEMS and depth < _MAX_DEPTH:
            return self._combined("dict", [part for item in value.items() for part in item], depth)[0], None
        if kind is functools.partial and depth < _MAX_DEPTH:
            bound = [part for item in value.keywords.items() for part in item]
            identity, parts = self._combined(f"partial of {len(value.args)}", [value.func, *value.args, *bound], depth)
            return identity, _with_parts(parts[0], parts[1:])
        if kind is MethodType:
            identity, parts = self._combined("method", [value.__self__, value.__func__], depth)
            return identity, _with_parts(parts[1], parts[:1])
        if is_a(value, self._specs) and is_written_in(kind, "tensorflow."):  # TensorFlow's own, of values
            return text_identity(f"{kind.__name__} {value!r}".encode()), None
        if (generator := tf_seam.generator_of(value)) is not None:
            return self._combined("generator", generator, depth)[0], None
        if is_a(value, self._tf_function):  # made anew, it is the function that it was made of
            identity, parts = self._combined("tf.function", [value.python_function], depth)
            return identity, _with_parts(parts[0], ())
        if kind is FunctionType:
            return self._known_function(value)
        if is_a(value, type) or kind is BuiltinFunctionType:
            callee = Callee(f"{value.__module__}:{value.__qualname__}", _last_name(value))
            return self._objects.number(value), callee
        return self._by_contents(value, depth), None

    def _by_contents(self, value: Any, depth: int) -> int:
        """By identity what can be referred to weakly; else a new number each time would call the same one another."""
        parts = parts_of(value, _MAX_ITEMS if depth < _MAX_DEPTH else 0)
        if parts is None:
            return self._number(value)
        return self._combined(f"object of {self._objects.number(type(value))}", parts, depth)[0]

    def _known_function(self, value: FunctionType) -> tuple[int, Callee | None]:
        place = self._functions.get(id(value))
        if place is not None:
            return text_identity(f"function {place} of these".encode()), _callee_of(value)
        if len(self._functions) >= _MAX_FUNCTIONS:  # which it is, and no more
            number = self._objects.number(value)
            return number, replace(_callee_of(value), parts=(number,))
        self._functions[id(value)] = len(self._functions)
        if (held := self._held.get(id(value))) is None:
            held = self._held[id(value)] = [part for _, part in _closed_over(value)]
            held += [part for _, part, is_global in self._read(value) if is_global] if not _runs_later(value) else []
        code = as_written(value).__code__  # which is one, whether the function around it was converted or not
        identity, parts = self._combined(f"function{self._code(code)}", held, 0)
        return identity, _with_parts(_callee_of(value), parts)

    def _read(self, function: FunctionType, instance: Any = None) -> Iterator[tuple[str, Any, bool]]:
        """Of plain values, tensors, arrays and metrics: a module holds all kinds of things that it was not traced for.
        Of an object that is closed over, or that a method is bound to, attributes that are plain values. The last of
        three: whether it is a global's."""
        function = as_written(function)
        if not is_user_file(function.__code__.co_filename):
            return
        metrics: dict[str, Any] = {}
        for read, value in reads_of(function, instance):
            base, path = read.name.base, read.name.path
            if base == "self" and is_plain(value):
                yield read.name.text, value, False
            if base == "closure" and (not path or isinstance(path[0], Item)):
                continue  # what a variable of its own holds, and items of that, are known by themselves
            if base not in ("closure", "global"):
                continue
            is_global = base == "global"
            is_taken = is_a(value, (self._tensor, self._variable, np.ndarray)) or tf_seam.is_an_iterator(value)
            if is_plain(value) or (is_global and is_taken):
                yield read.name.text, value, is_global
            elif is_global and (metric := _metric_of(read, value)) is not None:
                metrics[read.name.text if metric is value else read.name._replace(path=path[:-1]).text] = metric
        yield from ((name, metric, True) for name, metric in metrics.items())

    def _combined(self, word: str, parts: Any, depth: int) -> tuple[int, tuple[Callee | int, ...]]:
        """The identity of a whole; and what its parts are, identities where they are no functions."""
        found = [self._known(part, depth + 1) for part in parts]
        numbers = ",".join([str(identity) for identity, _ in found])
        return text_identity(f"{word}({numbers})".encode()), tuple([callee or number for number, callee in found])

    def _code(self, code: CodeType) -> int:
        return self._objects.number(code)

    def _text(self, value: Any, spec: str) -> str:
        """A user's `__repr__` is not run. `spec`: of tensors."""
        if is_plain(value):
            return self._values.text(value, _MAX_TEXT)
        if type(value) in (tuple, list) and len(value) <= _MAX_SHOWN and all(map(is_plain, value)):
            items = ", ".join(self._values.text(item, _MAX_TEXT) for item in value)
            text = f"[{items}]" if type(value) is list else f"({items}{',' if len(value) == 1 else ''})"
            return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
        if type(value) is FunctionType:
            return f"function {value.__name__}"[:_MAX_TEXT]
        if is_a(value, self._generator):
            return GENERATOR
        if spec:
            return spec if len(spec) <= _MAX_TEXT else spec[: _MAX_TEXT - 1] + "…"
        kind = type(value)
        what = METRIC if is_a_metric(kind) else LOSS if is_a_loss_of_keras(kind) else " object"
        return f"{kind.__name__[:_MAX_TEXT]}{what}"


def _metric_of(read: Read, value: Any) -> Any:
    """Of Keras, or that whose method it is (`seen.update_state`); None for all else."""
    if type(value) is FunctionType:
        if value.__name__ not in _OF_METRICS:
            return None
        with contextlib.suppress(LookupError):
            value = read.holder()
    return value if is_a_metric(type(value)) else None


def _read_of_itself(method: MethodType) -> Iterator[tuple[str, Any]]:
    """What a method reads of its object, by name, but for other methods of it, of which it is told what they read."""
    if is_user_file(method.__func__.__code__.co_filename):
        for read, value in reads_of(method.__func__, method.__self__, OF_ITSELF):  # type: ignore[arg-type]
            if read.name.base == "self" and type(value) is not MethodType:
                yield read.name.text, value


def _runs_later(function: FunctionType) -> bool:
    """A generator does, and reads what is there then."""
    return bool(function.__code__.co_flags & inspect.CO_GENERATOR)


def _callee_of(function: FunctionType) -> Callee:
    return Callee(":".join(map(str, key_of(function_of(function)))), _last_name(function))


def _with_parts(function: Callee | int, parts: Sequence[Callee | int]) -> Callee | None:
    """With what is bound to it, or what it closes over; None for what is no function, and for too much."""
    if not isinstance(function, Callee) or len(parts) > _MAX_ITEMS:
        return None
    return replace(function, parts=(*function.parts, *parts))


def _last_name(value: Any) -> str:
    """`Model.step` of `make.<locals>.Model.step`."""
    return str(value.__qualname__).rpartition("<locals>.")[2][:_MAX_TEXT]


def _parts_read(function: FunctionType, name: str, value: Any) -> list[tuple[str, Any]]:
    """What the function reads of a dictionary, where that is all that it does with it; all else as it is."""
    return (type(value) is dict and items_read(function, name)) or [(name, value)]


def _as_its_user_knows_it(item: tuple[str, Any]) -> tuple[str, Any]:
    generator = tf_seam.generator_of(item[1])
    return item if generator is None else ("generator", *generator)


def _closed_over(function: FunctionType) -> list[tuple[str, Any]]:
    found = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        if name != _AUTOGRAPH and not _is_itself(
            value, function
        ):  # a function that calls itself, or has attributes of its own
            digest = tf_seam.digest_of_arguments(function, name, value)  # made of them anew for each dataset
            found.append((name, value if digest is None else digest))
    defaults = function.__defaults__ or ()
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    found += zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    found += (function.__kwdefaults__ or {}).items()
    return found


def _is_itself(value: Any, function: FunctionType) -> bool:
    """Or what TensorFlow has made of it."""
    if value is function or not is_written_in(type(value), "tensorflow."):
        return value is function
    return getattr(value, "__dict__", {}).get("__wrapped__") is function


def _bound(function: FunctionType, partials: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """What each `functools.partial` around a function (outermost first) binds: the innermost the first arguments."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    index = int(any(type(partial.func) is MethodType for partial in partials))  # `self` is bound by the method
    for partial in reversed(partials):
        for value in partial.args:
            yield names[index] if index < len(names) else f"args[{index}]", value
            index += 1
        yield from partial.keywords.items()
