"""Plain values that the user's functions are passed by those that call them, and by Keras."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.code.code_names import PARAMETERS, Item, Name, names_of, rest_of, unread_rest
from tb_retrace_plugin.capture.code.made_keys import made_keys
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.code.said_parameters import said_parameters
from tb_retrace_plugin.capture.code.source_calls import Call, named_for, passed_to, passes, read_for
from tb_retrace_plugin.capture.code.source_places import Place
from tb_retrace_plugin.capture.code.unreached import parameters_of, tests_of
from tb_retrace_plugin.capture.python_state.callees import Called, PassedOn
from tb_retrace_plugin.capture.python_state.holders import may_hold
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: What Keras passes the layers of a model where their own code is not passed it.
TRAINING = "training"
#: Of one helper, with a key each.
_MOST_CALLS = 16


def passed_by_keras(function: FunctionType, trains: bool, asked: Collection[str]) -> dict[str, Any]:
    """What Keras passes a layer's or a model's `call`, itself or through the layers around it."""
    return {TRAINING: trains} if _is_a_layers(function) and TRAINING in asked else {}


def is_passed_as_written(value: Any, called: Called) -> bool:
    """Whether what a call of `value` is passed goes to `called` as it is: a partial adds to it, and others may."""
    bound = is_a(value, (MethodType, staticmethod, classmethod))
    return called.function is (value.__func__ if bound else value) or called.instance is value


def with_what_is_passed(
    called: Called, calls: Sequence[Call], known: Mapping[str, Any], caller: Called, *, is_outermost: bool = False
) -> Called:
    """`known`: what the code that calls it knows of. Keras' layers are passed `training` by those around them, and have
    their default value where there are none: `is_outermost`: the caller is the function that is traced."""
    function = called.function
    code = function.__code__
    names = names_of(code)
    if called.passed or not (names.keys or tests_of(code, names).of_parameters or made_keys(code)):
        return called
    parameters = _by_place(called)
    defaults = defaults_of(function)
    is_layer = _is_a_layers(function)
    is_alone = is_outermost and not _is_a_layers(caller.function) and not is_of_keras_2(called.instance)
    if is_layer and not is_alone:
        defaults.pop(TRAINING, None)
    passed = passed_to(calls, known, parameters, defaults)
    if is_layer and not is_alone and passed.get(TRAINING) is None:
        passed.pop(TRAINING, None)
        place = parameters.index(TRAINING) if TRAINING in parameters else -1
        if _is_a_layers(caller.function) and not passes(calls, TRAINING, place):
            passed.update({name: value for name, value in caller.passed.items() if name == TRAINING})
    return called._replace(passed=passed)


def by_keys(called: Called, calls: Sequence[Call]) -> list[Sequence[Call]]:
    """The calls one by one where they may pass keys of what is read, of which each reads another one; else together."""
    code = called.function.__code__
    is_one_by_one = 1 < len(calls) <= _MOST_CALLS and bool(names_of(code).keys or made_keys(code))
    return [(call,) for call in calls] if is_one_by_one else [calls]


def with_keys(loaded: Name, passed: Mapping[str, Any], keys: Collection[str]) -> Name:
    """`self.params['rate']` for `self.params[name]`, where that is what is passed for `name`."""
    path = tuple(
        Item(passed[part.key.name])
        if isinstance(part, Item)
        and isinstance(part.key, Name)
        and part.key.base in PARAMETERS
        and not part.key.path
        and part.key.name in keys
        and type(passed.get(part.key.name)) in (str, int)
        else part
        for part in loaded.path
    )
    return loaded._replace(path=path)


def with_objects(called: Called, calls: Sequence[Call], objects: Mapping[str, PassedOn]) -> Called:
    """`objects`: by their names in the code that calls it. And those that parameters have by default."""
    parameters = _by_place(called)
    passed = named_for(calls, parameters)
    if len(calls) == 1 and (spread := calls[0].spread) is not None:
        passed = {**_named_by_spread(calls[0], spread, parameters, objects), **passed}
    found = {name: objects[text] for name, text in passed.items() if text in objects}
    if calls and not any(call.is_open for call in calls):
        for name, value in defaults_of(called.function).items():
            place = parameters.index(name) if name in parameters else -1
            if may_hold(value) and not passes(calls, name, place):
                found[name] = PassedOn(name, value)
    return called._replace(objects=found) if found else called


def arrays_of_each(
    called: Called, calls: Sequence[Call], objects: Mapping[str, PassedOn]
) -> Iterator[tuple[Name, Any, Called]]:
    """Arrays that it reads all of, by the caller's names, where each call may pass it another."""
    code, parameters = called.function.__code__, _by_place(called)
    for call in calls if len(calls) > 1 else ():
        for parameter, text in named_for([call], parameters).items():
            _, value, route = objects.get(text, (text, None, None))
            if route is None or type(value) is not np.ndarray or parameter in names_of(code).reassigned:
                continue
            if parameter in read_whole(code).read:
                yield route[0], value, route[1]


def _named_by_spread(
    call: Call, spread: tuple[str, str], parameters: Sequence[str], objects: Mapping[str, PassedOn]
) -> dict[str, str]:
    """By parameter, `args[1]` or `kwargs['cfg']`, as far as these are objects that are known."""
    first, (by_place, by_name) = len(call.positional) - bool(spread[0]), spread
    found: dict[str, str] = {}
    for place, name in enumerate(parameters):
        texts = [f"{by_place}[{place - first}]"] if by_place and place >= first else []
        texts += [f"{by_name}[{name!r}]"] if by_name else []
        found.update((name, text) for text in texts if text in objects)
    return {**found, **{p: text for p, text in call.names.items() if isinstance(p, str)}}


def defaults_of(function: FunctionType) -> dict[str, Any]:
    code = function.__code__
    by_place = dict(zip(code.co_varnames[: code.co_argcount][::-1], (function.__defaults__ or ())[::-1], strict=False))
    return {**by_place, **(function.__kwdefaults__ or {})}


def training_of(holder: Any, calls: Sequence[Call], known: Mapping[str, Any], caller: Called) -> bool | None:
    """What a layer of Keras' own is told by these calls of it, or by the layer around them; None: not known."""
    call = in_class(type(holder), "call")
    if not calls or type(call) is not FunctionType:
        return None
    parameters = parameters_of(call.__code__)[1 : call.__code__.co_argcount]
    told = passed_to(calls, known, parameters, {}).get(TRAINING)
    place = parameters.index(TRAINING) if TRAINING in parameters else -1
    if told is None and _is_a_layers(caller.function) and not passes(calls, TRAINING, place):
        told = caller.passed.get(TRAINING)
    return told if type(told) is bool else None


def read_to_be_said(called: Called, calls: Sequence[Call]) -> frozenset[Place]:
    """What is read for parameters that it does nothing with, or no more than print or log them."""
    code, by_place = called.function.__code__, _by_place(called)
    rest, rest_by_name = rest_of(code)
    said = said_parameters(code).union(names_of(code).unread, unread_rest(code))

    def parameter_of(place: int | str) -> str:
        if isinstance(place, int):
            return by_place[place] if place < len(by_place) else rest
        return place if place in parameters_of(code) else rest_by_name

    return read_for(calls, parameter_of, said) if said else frozenset()


def _by_place(called: Called) -> tuple[str, ...]:
    code = called.function.__code__
    return parameters_of(code)[called.instance is not None : code.co_argcount]


def is_of_keras_2(layer: Any) -> bool:
    """Whose learning phase a program may set, for those that are told nothing."""
    return any(is_written_in(kind, "tf_keras") for kind in type.__dict__["__mro__"].__get__(type(layer)))


def _is_a_layers(function: FunctionType) -> bool:
    return function.__name__ == "call"
