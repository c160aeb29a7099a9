"""What a Python function could see while it is traced, to be compared: where it is equal, another trace gives the same.

Numbers, strings, containers of them, arrays and eager tensors are compared by value, functions by their code and what
they see in turn, objects of the user's own classes by these and their attributes, all else by identity. What is inside
such an object is compared where the code names it (`config.scale`), not where it is only passed on.
"""

from __future__ import annotations

import inspect
import re
import sys
import weakref
from collections.abc import Collection, Hashable, Iterator, Mapping
from hashlib import blake2b
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import Name, names_with_inner_functions
from tb_retrace_plugin.capture.values.identity import SameObjects
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain, plain_identity

_MAX_DEPTH = 4
_MAX_ITEMS = 1000
_MAX_BYTES = 1 << 20
_MAX_HELD = 10_000

_BASE = re.compile(r"[.\[]")
#: Attributes that TensorFlow gives a tf.Module, whose name is another one's, and where it has tf.functions.
_TENSORFLOWS = ("_self_", "_name_scope")
_OF_TF_FUNCTIONS = "tensorflow.python.eager.polymorphic_function"

State = Mapping[str, Hashable]


class PythonState:
    """Numbers stay an object's own as long as it lives. Not thread-safe."""

    def __init__(self) -> None:
        self._objects = SameObjects()
        self._held: dict[int, Any] = {}
        self._instance: Any = None  # while it is gone through

    def of(self, traced: tf_seam.TracedFunction, instance: Any = None, without: Collection[str] = ()) -> State:
        """By the name in the code. `instance`: what a method is bound to; all of its attributes count."""
        self._instance = instance
        try:
            return self._of(traced, instance, without)
        finally:
            self._instance = None

    def _of(self, traced: tf_seam.TracedFunction, instance: Any, without: Collection[str]) -> State:
        function = traced.python
        if not isinstance(function, FunctionType):
            return {type(function).__name__: self._number(function)}
        seen = self._seen_by(function, 0, instance)
        found = {name: key for name, key in seen if _BASE.split(name, maxsplit=1)[0] not in without}
        for number, partial in enumerate(traced.partials):
            found[f"functools.partial {number}"] = self._key(partial.args, 0), self._key(partial.keywords, 0)
        if instance is not None:
            has_attributes = hasattr(instance, "__dict__")
            found["self"] = self._number(type(instance) if has_attributes else instance)
            if has_attributes:
                held = vars(instance).items()
                found |= {f"self.{n}": self._key(value, 0) for n, value in held if not n.startswith(_TENSORFLOWS)}
        return found

    def _seen_by(self, function: FunctionType, depth: int, instance: Any = None) -> Iterator[tuple[str, Hashable]]:
        yield "its code", self._number(function.__code__)
        yield "its globals", id(function.__globals__)
        for name in names_with_inner_functions(function.__code__):
            if name.base == "self" and instance is None:
                continue
            try:
                base = instance if name.base == "self" else _base(name, function)
                yield name.text, "itself" if base is function else self._named(base, name, depth)
            except LookupError:  # a builtin, or not assigned yet
                yield name.text, None
        code = function.__code__
        defaults = function.__defaults__ or ()
        for parameter, value in zip(code.co_varnames[code.co_argcount - len(defaults) :], defaults, strict=False):
            yield f"{parameter}=", self._key(value, depth + 1)
        for parameter, value in (function.__kwdefaults__ or {}).items():
            yield f"{parameter}=", self._key(value, depth + 1)

    def _named(self, base: Any, name: Name, depth: int) -> Hashable:
        owner, value, path = None, base, list(name.path)
        while path and isinstance(path[0], str):  # of what holds items, all that it holds counts
            try:  # no property and no `__getattr__` of the user's is run
                found = inspect.getattr_static(value, path[0])
            except AttributeError:
                break
            owner, value = value, found
            del path[0]
        if is_plain(value) and not path:
            return self._key(value, depth)
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        seen = self._key(value, depth + 1) if isinstance(value, FunctionType) else None
        if name.base == "self" and (owner is None or owner is base):
            return seen  # all attributes of the instance count anyway
        if owner is None or isinstance(owner, ModuleType):
            return self._key(value, depth + 1)
        return self._key(owner, depth + 1), seen  # a method of it sees all of it

    def _key(self, value: Any, depth: int) -> Hashable:
        if value is self._instance and value is not None:
            return "self"
        value = _unwrapped(value)
        kind = type(value)
        if is_plain(value):
            return plain_identity(value)
        if depth < _MAX_DEPTH and kind in (tuple, list, set, frozenset) and len(value) <= _MAX_ITEMS:
            parts = [self._key(part, depth + 1) for part in value]
            return kind.__name__, frozenset(parts) if kind in (set, frozenset) else tuple(parts)
        if depth < _MAX_DEPTH and kind is dict and len(value) <= _MAX_ITEMS:
            return "dict", tuple((self._key(k, depth + 1), self._key(v, depth + 1)) for k, v in value.items())
        if isinstance(value, MethodType):
            return "method", self._key(value.__self__, depth + 1), self._key(value.__func__, depth + 1)
        if depth < _MAX_DEPTH and is_written_in(kind, _OF_TF_FUNCTIONS) and hasattr(value, "python_function"):
            traced = tf_seam.unwrapped(value.python_function)
            reference = tf_seam.bound_instance(traced)
            if reference is not None and self._instance is not None and reference() is self._instance:
                return "tf.function", self._key(traced.python, depth + 1)
        if depth < _MAX_DEPTH and _is_of_the_users(kind):
            held = vars(value)
            if len(held) <= _MAX_ITEMS:
                return self._number(kind), tuple((name, self._key(one, depth + 1)) for name, one in held.items())
        if kind is FunctionType and depth < _MAX_DEPTH and is_user_file(value.__code__.co_filename):
            return "function", tuple(self._seen_by(value, depth + 1))
        array = _array(value)
        if array is not None and array.dtype != object and array.nbytes <= _MAX_BYTES:
            return kind.__name__, array.dtype.str, array.shape, blake2b(array.tobytes()).digest()
        return self._number(value)

    def _number(self, value: Any) -> int:
        """Its own, by `is`."""
        try:
            weakref.ref(value)
        except TypeError:  # then it is kept, so that its id stays its own
            if id(value) in self._held or len(self._held) < _MAX_HELD:
                self._held[id(value)] = value
                return -id(value)
        return self._objects.number(value)


def _unwrapped(value: Any) -> Any:
    """The list or dictionary that a tf.Module has in another's place."""
    if type(value).__module__ != "tensorflow.python.trackable.data_structures":
        return value
    return list(value) if isinstance(value, list) else getattr(value, "__wrapped__", value)


def _is_of_the_users(kind: type) -> bool:
    """Whether all that an object of the class has is in its attributes."""
    modules = [sys.modules.get(one.__module__) for one in kind.__mro__[:-1]]
    files = [getattr(module, "__file__", None) for module in modules]
    return all(file is not None and is_user_file(file) for file in files) and kind.__dictoffset__ != 0


def _base(name: Name, function: FunctionType) -> Any:
    if name.base == "global":
        return function.__globals__[name.name]
    try:
        return (function.__closure__ or ())[function.__code__.co_freevars.index(name.name)].cell_contents
    except ValueError as error:
        raise LookupError from error


def _array(value: Any) -> Any:
    """Of NumPy's own arrays and eager tensors; None of all else, variables among it."""
    if type(value) is np.ndarray:
        return value
    if type(value).__name__ != "EagerTensor":
        return None
    try:
        return value.numpy()
    except Exception:  # a resource
        return None
