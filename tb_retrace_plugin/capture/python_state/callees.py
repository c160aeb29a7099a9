"""The user's own functions that calls in a function's code run. None is called here."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.before_autograph import as_written
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import OBJECTS, Item, Name
from tb_retrace_plugin.capture.python_state.name_values import object_of
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: Of decorators within each other.
_MAX_DEPTH = 3
#: The end of the file of TensorFlow's that makes `@tf.numpy_function` and `@tf.py_function`.
_RUN_WITH_THE_GRAPH = "script_ops.py"


class Called(NamedTuple):
    """A function that runs, what it is bound to, and what the code that calls it calls that ("": as it does itself).

    `passed`: plain values by what its code asks of its parameters, as far as they are known. `objects`: that it is
    passed, by its parameters. `route`: by which name, of what other function, the object that it is bound to was found;
    None: it was given. `part`: of what it gives, the one that is asked for, by its key; None: all of it.
    """

    function: Any  # a FunctionType, which mypy would take for a method here
    instance: Any = None
    text: str = ""
    passed: Mapping[str, Any] = {}
    route: Route | None = None
    objects: Mapping[str, PassedOn] = {}
    part: str | int | None = None


Route = tuple[Name, Called]


class PassedOn(NamedTuple):
    """`text`: what it is called where it comes from. `route`: as in `Called`."""

    text: str
    value: Any
    route: Route | None = None


def callee_of(value: Any, name: Name, reader: Called) -> Called | None:
    """The user's own function that a call of `value` runs, or a property; a tf.function has traces of its own."""
    function = getattr(value, "__func__", None) if is_a(value, (MethodType, staticmethod, classmethod)) else value
    if is_a(value, property):
        function = value.fget
    if type(function) is functools.partial:
        return _called_of_partial(function, name, reader)
    if type(function).__name__ == "Bind" and is_written_in(type(function), "tensorflow."):
        function = vars(function).get("__wrapped__")  # of `tf.custom_gradient`
    if type(function) is FunctionType:
        if (function := _users_own(function)) is None:
            return None
        if is_a(value, MethodType):
            return Called(function, value.__self__)
        if is_a(value, staticmethod) or not name.path:
            return Called(function)
        if name.base == "super" and len(name.path) == 1 and not is_a(value, classmethod):
            return Called(function, reader.instance, reader.text, route=reader.route)
        holder = object_of(name._replace(path=name.path[:-1]), reader.function, reader.instance)
        if is_a(value, classmethod):
            kind = holder if is_a(holder, type) else type(holder)
            return Called(function, kind, kind.__name__)
        last = name.path[-1]
        if isinstance(last, Item) or in_class(type(holder), last) is not value:
            # of a module, a class or an object that holds it: it is not bound, and a property there does not run
            return None if is_a(value, property) else Called(function)
        return Called(function, holder, name._replace(path=name.path[:-1]).text, route=_route(name, reader))
    written = None if is_a(value, type) else written_by_the_user(type(value))
    return (
        None if written is None else Called(written, value, name.text, route=(name._replace(is_called=False), reader))
    )


def given_or_none(name: Name, reader: Called) -> Any:
    """What a property gives; None if that is not known."""
    try:
        return object_of(name, reader.function, reader.instance)
    except LookupError:
        return None


def callee_of_lookup(name: Name, reader: Called) -> tuple[Name, Any, Called] | None:
    """Of `cfg["rate"]` and `cfg.rate`, that an object has by the `__getitem__` or `__getattr__` of its class: the
    object, and that method, if it is the user's own. None where there is no such object, too."""
    if not name.path or name.asks:
        return None
    last = name.path[-1]
    key, method = (last.key, "__getitem__") if isinstance(last, Item) else (last, "__getattr__")
    holder_name = name._replace(path=name.path[:-1], is_called=False)
    holder = given_or_none(holder_name, reader)
    function = in_class(type(holder), method)
    if type(key) not in (str, int) or type(function) is not FunctionType or not is_users(function):
        return None
    code = function.__code__
    if code.co_argcount != 2:
        return None
    passed = {code.co_varnames[1]: key}
    return holder_name, holder, Called(function, holder, holder_name.text, passed, _route(name, reader))


def _route(name: Name, reader: Called) -> Route | None:
    """To the object of which the name is a method."""
    is_own = name.base in OBJECTS and len(name.path) == 1
    return reader.route if is_own else (name._replace(path=name.path[:-1], is_called=False), reader)


def _called_of_partial(partial: functools.partial[Any], name: Name, reader: Called) -> Called | None:
    """Of a function that it binds no object to, the first of what it does bind is what a method has as `self`."""
    if type(partial.func) is functools.partial:  # functools makes one of two
        return None
    called = callee_of(partial.func, name._replace(path=()), reader)
    if called is None or called.instance is not None or not partial.args:
        return called
    return called._replace(instance=partial.args[0])


def written_by_the_user(kind: type) -> FunctionType | None:
    """What a call of such an object runs of the user's own: its `__call__`, or the `call` of a Keras layer or model."""
    for attribute in ("__call__", "call"):
        method = in_class(kind, attribute)
        if type(method) is FunctionType and is_users(method):
            return method
    return None


def _users_own(function: FunctionType) -> FunctionType | None:
    """The function; what it was made of, where a library's decorator (`tf.custom_gradient`) has put one around it. None
    of what `@tf.numpy_function(Tout=…)` runs: with the graph, each time, where it reads the values of then."""
    for _ in range(_MAX_DEPTH):
        if is_users(function := as_written(function)):
            return function
        if function.__code__.co_filename.endswith(_RUN_WITH_THE_GRAPH):
            return None
        inner = vars(function).get("__wrapped__")
        if type(inner) is not FunctionType:
            return None
        function = inner
    return None


def is_users(function: FunctionType) -> bool:
    return is_user_file(function.__code__.co_filename)


def is_users_class(value: Any) -> bool:
    return is_a(value, type) and any(type(one) is FunctionType and is_users(one) for one in vars(value).values())
