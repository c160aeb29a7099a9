"""An attribute as it lies in an object or its class: no property and no `__getattr__` of the user's is run.

`inspect.getattr_static` tells the same and takes ten times as long of a Keras model, whose class has many bases.
"""

from __future__ import annotations

import inspect
from types import FunctionType, GetSetDescriptorType, SimpleNamespace
from typing import Any, cast

#: What nothing has.
MISSING: Any = object()
# of any class, whatever its metaclass makes of these names
_bases_of = cast(Any, type.__dict__["__mro__"]).__get__
_names_in = cast(Any, type.__dict__["__dict__"]).__get__


#: That look where everyone can.
_OF_PYTHON = tuple(kind.__getattribute__ for kind in (object, FunctionType, SimpleNamespace))


def in_class(kind: type, name: str) -> Any:
    """What instances of `kind` find in their class; not what a metaclass has. MISSING if there is none."""
    for base in _bases_of(kind):
        found = _names_in(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def static_attribute(holder: Any, name: str) -> Any:
    """As `inspect.getattr_static`; MISSING where that raises AttributeError."""
    kind = type(holder)
    if issubclass(kind, type):
        return inspect.getattr_static(holder, name, MISSING)
    found, has_names = MISSING, False
    for base in _bases_of(kind):
        names = _names_in(base)
        if found is MISSING:
            found = names.get(name, MISSING)
        if "__dict__" in names:
            if type(names["__dict__"]) is not GetSetDescriptorType:  # a user's property, say
                return inspect.getattr_static(holder, name, MISSING)
            has_names = True
    if not has_names:
        return found
    held = dict.get(object.__getattribute__(holder, "__dict__"), name, MISSING)  # it may be a subclass
    return found if held is MISSING or (found is not MISSING and _is_data_descriptor(type(found))) else held


def has_attribute(value: Any, name: str) -> bool | None:
    """None of what the user's code has a say in: a property may have none."""
    found = static_attribute(value, name)
    if found is not MISSING:
        return None if issubclass(type(found), property) else True
    kind = type(value)
    if issubclass(kind, type) or in_class(kind, "__getattr__") is not MISSING:
        return None
    looks_up = in_class(kind, "__getattribute__")
    return False if any(looks_up is one for one in _OF_PYTHON) else None


def _is_data_descriptor(kind: type) -> bool:
    return in_class(kind, "__get__") is not MISSING and in_class(kind, "__set__") is not MISSING
