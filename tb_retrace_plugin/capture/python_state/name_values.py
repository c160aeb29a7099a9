"""What a name in a function's code stands for now. No property, `__getattr__` or `__getitem__` of the user's is run."""

from __future__ import annotations

import collections
import contextlib
import enum
import itertools
import os
import sys
import weakref
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import ENTERED, OBJECTS, REFERENT, Item, Name, Part, is_key
from tb_retrace_plugin.capture.code.gives_itself import gives_attribute, gives_itself, gives_path
from tb_retrace_plugin.capture.values.containers import SEQUENCES, items_of, unwrapped
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.static_attribute import MISSING, has_attribute, in_class, static_attribute

_OWN_CLASS = Name("closure", "__class__", ())
#: Of Python's own, that hold what they are shown to.
DICTIONARIES = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
#: Of an array of NumPy's own.
_OF_ARRAYS = frozenset({"shape", "ndim", "size"})
#: Descriptors written in C that hold a field: `collections.namedtuple`, `typing.NamedTuple`; `__slots__`.
_FIELDS = (type(NamedTuple("_Any", [("field", int)]).field), MemberDescriptorType)  # type: ignore[attr-defined]
#: What every member of an `enum.Enum` has -> where it lies.
_OF_MEMBERS = {"value": "_value_", "name": "_name_"}
_KINDS: tuple[Any, ...] = (*SEQUENCES, dict, set, frozenset)
_KEYED: tuple[Any, ...] = (*SEQUENCES, dict)
#: Of what a list holds, that are looked at.
_MAX_LOOKED_AT = 64
#: Of an array's dtype.
_NUMBERS = "biufc"
#: That give one another (`return self.net`, itself a property).
_MOST_PROPERTIES = 4
#: Of `sys`, what each import adds to.
_OF_IMPORTS = frozenset({"modules", "path", "path_importer_cache"})
_GETTERS: dict[type, Any] = {kind: kind.__getitem__ for kind in _KEYED}


class _NotThere:
    """No value, of which the code takes its default: `CONFIG.get("rate", 0.5)`."""

    __slots__ = ()


NOT_THERE = _NotThere()


def value_of(name: Name, function: FunctionType, instance: Any) -> Any:
    """`NOT_THERE` of what is asked for by `get`, if it is not. Raises LookupError."""
    if name.base == "global":
        value = function.__globals__[name.name]
    elif name.base == "closure":
        try:
            value = (function.__closure__ or ())[function.__code__.co_freevars.index(name.name)].cell_contents
        except ValueError as error:
            raise LookupError from error
    elif instance is None:
        raise LookupError
    else:
        value = type(instance) if name.base == "class" else instance
    path = name.path
    if name.base == "super" and path:
        value, path = _of_a_class_above(instance, function, path[0]), path[1:]
    holder = owner = instance if name.base == "super" else None
    for left, part in enumerate(path, 1 - len(path)):
        if type(value) is property:
            value = _given_by(value, holder)
        owner, holder = holder, value
        if isinstance(part, Item):
            key = _key(part.key, name, function, instance) if isinstance(part.key, Name) else part.key
            if name.or_default and not left and _lacks(value, key):
                return NOT_THERE
            value = _item(value, key)
            continue
        if part is ENTERED:
            if not gives_itself(in_class(type(value), "__enter__")):
                raise LookupError
            continue
        if part is REFERENT:
            # a class derived from it may have a `__call__`
            value = value() if type(value) is weakref.ref else _returned_by(value, owner)
            if value is None:
                raise LookupError
            continue
        if value is sys and part in _OF_IMPORTS:
            raise LookupError
        if type(value) is ModuleType and part in value.__dict__:  # `tf.reduce_sum`: the same in a fraction of the time
            value = value.__dict__[part]
            continue
        if name.or_default and not left and has_attribute(value, part) is False:
            return NOT_THERE
        value = _attribute(value, part)
    # of one that is only read the code that gives it is read, which says by what name its object has it
    return _given_by(value, holder) if type(value) is property and name.is_called else value


def object_of(name: Name, function: FunctionType, instance: Any) -> Any:
    """As `value_of`, where something is read of it, and so not of the property that gives it. Raises LookupError."""
    return value_of(name._replace(is_called=True), function, instance)


def _given_by(value: property, holder: Any) -> Any:
    """What a property gives that gives back an attribute of its object (`return self._net`), which may be one itself;
    of others itself."""
    if holder is None or is_a(holder, type):
        return value
    found: Any = value
    for _ in range(_MOST_PROPERTIES):
        given = gives_attribute(found.fget)
        if not given:
            return found
        found = _attribute(holder, given)
        if type(found) is not property:
            return found
    return value


def _returned_by(value: Any, owner: Any) -> Any:
    """What a call without arguments of the user's function gives that gives what lies in a global or an attribute:
    `get_config()`, `Config.instance()`. `owner`: of what it was found. Raises LookupError."""
    function = value.__func__ if is_a(value, (classmethod, staticmethod, MethodType)) else value
    if type(function) is not FunctionType or not is_user_file(function.__code__.co_filename):
        raise LookupError
    path, code = gives_path(function), function.__code__
    if not path:
        raise LookupError
    needed = code.co_argcount - len(function.__defaults__ or ())
    if path[0] not in code.co_varnames[: code.co_argcount]:
        found = function.__globals__[path[0]]
    elif needed > 1 or is_a(value, staticmethod) or not path[1:]:
        raise LookupError
    elif is_a(value, classmethod):
        found = owner if is_a(owner, type) else type(owner)
    elif is_a(value, MethodType):
        found = value.__self__
    elif owner is not None and not is_a(owner, type) and in_class(type(owner), function.__name__) is function:
        found = owner
    else:
        raise LookupError
    for part in path[1:]:
        found = _attribute(found, part)
    return found


def _key(key: Name, name: Name, function: FunctionType, instance: Any) -> Any:
    """What the key of an item of `name` stands for. `instance` is what `name` is of: another parameter is not known."""
    if key.base in OBJECTS and "argument" in (key.base, name.base) and key.name != name.name:
        raise LookupError
    return value_of(key, function, instance)


def value_or_whole(name: Name, function: FunctionType, instance: Any, *, of_arrays: bool = False) -> tuple[Name, Any]:
    """The name and its value now; of what holds no items as a dictionary does, an array or a tensor, itself.
    `of_arrays`: the numbers of arrays, too, and what is not there."""
    first = next((place for place, part in enumerate(name.path) if isinstance(part, Item)), None)
    if first is None or (first == 0 and name.base in OBJECTS):
        value = value_of(name, function, instance)
        if value is NOT_THERE and not of_arrays:
            raise LookupError
        return name, value
    whole = name._replace(path=name.path[:first], is_called=False)
    holder = value_of(whole, function, instance)
    if type(holder) is np.ndarray and not of_arrays:
        return whole, holder
    try:
        value = value_of(name, function, instance)
    except LookupError:
        return whole, holder
    return (whole, holder) if value is NOT_THERE and not of_arrays else (name, value)


def _of_a_class_above(instance: Any, function: FunctionType, part: str | Item) -> Any:
    """What `super()` finds in a method. Raises LookupError."""
    classes = (instance if is_a(instance, type) else type(instance)).__mro__
    if _OWN_CLASS.name in function.__code__.co_freevars:
        above = value_of(_OWN_CLASS, function, None)
        place = next((place for place, kind in enumerate(classes) if kind is above), len(classes))
    else:  # `super(Net, self)` has no such cell
        written_in = function.__module__, function.__qualname__.rpartition(".")[0]
        place = next((i for i, kind in enumerate(classes) if _named(kind) == written_in), len(classes))
    for kind in classes[place + 1 :]:
        if isinstance(part, str) and part in vars(kind):
            return vars(kind)[part]
    raise LookupError


def _named(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _attribute(holder: Any, name: str) -> Any:
    """As it lies there; of a field of a named tuple or of `__slots__` its value. Raises LookupError."""
    if name == "__class__":
        return type(holder)
    if name == "__dict__" and type(static_attribute(holder, name)) is GetSetDescriptorType:
        return object.__getattribute__(holder, name)  # Python's own
    if type(holder) is np.ndarray and name in _OF_ARRAYS:
        return getattr(holder, name)
    value = static_attribute(holder, name)
    if name in _OF_MEMBERS and value is vars(enum.Enum)[name] and is_a(holder, enum.Enum):
        return vars(holder)[_OF_MEMBERS[name]]
    if value is MISSING:
        value = _of_flags(holder, name) if type(holder).__name__ == "FlagValues" else _item_as_attribute(holder, name)
    if is_a(value, _FIELDS) and not is_a(holder, type):
        try:
            return value.__get__(holder, type(holder))  # CPython's own: none of the user's code runs
        except (AttributeError, TypeError) as error:
            raise LookupError from error
    return value


def _of_flags(holder: Any, name: str) -> Any:
    """Of what absl's flags (`FLAGS.rate`) have been given, as far as they are parsed. Raises LookupError."""
    if not is_written_in(type(holder), "absl.flags"):
        raise LookupError
    flags = vars(holder).get("__flags", {})
    flag = flags.get(name) if type(flags) is dict else None
    value = MISSING if flag is None else vars(flag).get("_value", MISSING)
    if value is MISSING:
        raise LookupError
    return value


def _item_as_attribute(holder: Any, name: str) -> Any:
    """Of a dictionary whose class gives its items as attributes (`cfg.TRAIN.LR` of yacs, addict, Munch), which its
    `__getattr__` is for. Raises LookupError."""
    if not is_a(holder, dict) or is_a(holder, type) or in_class(type(holder), "__getattr__") is MISSING:
        raise LookupError
    return _item(holder, name)


def length_of(value: Any) -> int | None:
    """Of a list, a tuple, a deque, a dictionary or a set; None of all else, and of what was filled in a trace."""
    value = unwrapped(value)
    if not is_a(value, _KINDS):
        return None
    kind = next((kind for kind in _KINDS if in_class(type(value), "__len__") is kind.__len__), None)
    if kind is None:  # it is the user's to say
        return None
    items = dict.values(value) if kind is dict else kind.__iter__(value)
    symbolic = any(type(one).__name__ == "SymbolicTensor" for one in itertools.islice(items, _MAX_LOOKED_AT))
    return None if symbolic else int(kind.__len__(value))


def keys_of(value: Any, most: int) -> list[str | int]:
    """By which the items of a list, a tuple or a dictionary are found that it is gone through by Python's own means, as
    Keras' `TrackedList` is; but for other keys."""
    value = unwrapped(value)
    kind = next((kind for kind in _KEYED if is_a(value, kind)), None)
    is_plain_one = type(value) in DICTIONARIES
    if kind is None or not (is_plain_one or in_class(type(value), "__iter__") is kind.__iter__):
        return []
    if kind is dict:
        keys = iter(value) if is_plain_one else dict.__iter__(value)
        return [key for key in itertools.islice(keys, most) if type(key) in (str, int)]
    return [*range(min(kind.__len__(value), most))]


def gone_through(value: Any, most: int) -> list[str | int]:
    """The keys of such a dictionary, or the items of such a list or tuple, that are texts or whole numbers."""
    keys = keys_of(value, most)
    if is_a(unwrapped(value), dict):
        return keys
    return [one for one in items_of(value, len(keys)) if type(one) in (str, int)]


def _lacks(value: Any, key: Any) -> bool:
    """Of a dictionary whose class is Python's own, and of `os.environ`."""
    value = unwrapped(value)
    if type(key) not in (str, int):
        return False
    if value is os.environ and type(value).__module__ == os.__name__:
        return type(key) is str and key not in value
    return type(value) in DICTIONARIES and key not in value


def _item(value: Any, key: Any) -> Any:
    """Without running a `__getitem__` or a `__missing__` of the user's. Raises LookupError."""
    value = unwrapped(value)
    if type(key) is Part:
        return _part(value, key)
    if not is_key(key):  # by which a dictionary runs nothing of the user's
        raise LookupError
    kind = type(value)
    getter = _GETTERS.get(kind) or in_class(kind, "__getitem__")
    if value is os.environ and kind is type(os.environ):  # Python's own
        found = value.get(key, MISSING) if type(key) is str else MISSING
    elif getter is dict.__getitem__:
        found = dict.get(value, key, MISSING)
    elif isinstance(key, int) and any(getter is kind.__getitem__ for kind in SEQUENCES):
        found = value[key]
    elif kind is np.ndarray and not isinstance(key, str):
        places = key if isinstance(key, tuple) else (key,)
        is_there = value.dtype.kind in _NUMBERS and len(places) <= value.ndim
        is_there = is_there and all(-size <= place < size for place, size in zip(places, value.shape, strict=False))
        found = value[key] if is_there else MISSING
    else:
        found = MISSING
    if found is MISSING:
        raise LookupError
    return found


def _part(value: Any, part: Part) -> Any:
    """Raises LookupError."""
    if type(value) is np.ndarray and value.dtype.kind in _NUMBERS:
        with contextlib.suppress(IndexError, ValueError):  # of another shape; of a step of 0
            return value[part.as_index]
    if type(value) in DICTIONARIES and part.places == (None,) and None in value:
        return value[None]
    raise LookupError
