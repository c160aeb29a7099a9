"""What code of Keras' own reads of a layer or an optimizer while it is traced: a rate, an epsilon, an activation.

Nothing is run.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import Name, names_of
from tb_retrace_plugin.capture.code.unreached import Tests, parameter_in, tests_of, unreached
from tb_retrace_plugin.capture.python_state.code_walk import Passed
from tb_retrace_plugin.capture.python_state.contents import code_of_function
from tb_retrace_plugin.capture.python_state.found_reads import Found, found_by
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: What is told; texts (`padding`) say what a layer is, and stay.
_NUMBERS = frozenset({bool, int, float})
#: Of an optimizer None is "no clipping", say.
_OF_AN_OPTIMIZER = _NUMBERS | {type(None)}


class _Settings(NamedTuple):
    """Of one class: what its `call` loads of the layer itself; and by what it decides what of that it comes to, which
    takes its source, once a layer has a number."""

    code: CodeType
    names: tuple[tuple[Name, str, str], ...]  # with its text, and the attribute
    tests: Tests | None = None
    asked: tuple[str, ...] = ()


_known: weakref.WeakKeyDictionary[type, dict[CodeType, _Settings]] = weakref.WeakKeyDictionary()


def settings_read(call: FunctionType, layer: Any, text: str, *passed: Passed) -> list[Found]:
    """Numbers and functions that `call` itself loads, but for those behind an `if` that was not taken and what it
    assigns; nothing of what it calls. A model has hundreds of layers, for which `reads_of` would take as many times
    longer.

    `text`: what the layer is called. `passed`: what is known of the arguments; of several it is not known which holds.
    """
    return _read(call, layer, Name("layer", text, ()), _NUMBERS, passed)


def read_of_an_optimizer(method: FunctionType, optimizer: Any, text: str) -> list[Found]:
    """As `settings_read`, of what one of its methods loads."""
    return _read(method, optimizer, Name("layer", text, ()), _OF_AN_OPTIMIZER, (_nothing_known,))


def _nothing_known(asked: Collection[str]) -> dict[str, Any]:
    return {}


def _read(call: FunctionType, holder: Any, name: Name, told: Collection[type], passed: Sequence[Passed]) -> list[Found]:
    kind, code = type(holder), call.__code__
    by_code = _known.get(kind)
    if by_code is None:
        by_code = _known[kind] = {}
    settings = by_code.get(code)
    if settings is None:
        settings = by_code[code] = _settings_of(kind, code)
    held = vars(holder)
    values = [(loaded, text, held[attribute]) for loaded, text, attribute in settings.names if attribute in held]
    values = [one for one in values if type(one[2]) in told or type(one[2]) is FunctionType]
    if not values:
        return []
    if settings.tests is None:
        settings = by_code[code] = _with_tests(settings)
    behind: set[str] = set()
    if settings.tests is not None and settings.tests.branches:
        known = {text: value for _, text, value in values}
        for one in passed:
            behind |= unreached(settings.tests, {**one(settings.asked), **known}).behind
    return [
        found_by(call, holder, name._replace(path=loaded.path), code_of_function(value) or value)
        for loaded, text, value in values
        if text not in behind
    ]


def whether_trained(read: Any, layer: Any, text: str) -> Found:
    """What `read`, which is not called, reads of it."""
    return found_by(read, layer, Name("self", text, ("_trainable",)), vars(layer)["_trainable"])


def _settings_of(kind: type, code: CodeType) -> _Settings:
    """Without what a class has for all its layers, or computes."""
    names = names_of(code)
    of_layers = [
        (name, text, str(name.path[0]))
        for text, name in names.by_text
        if name.base == "self" and len(name.path) == 1 and name.path[0] not in names.stored
    ]
    held = tuple([one for one in of_layers if in_class(kind, one[2]) is MISSING])
    return _Settings(code, held)


def _with_tests(settings: _Settings) -> _Settings:
    names = names_of(settings.code)
    tests = tests_of(settings.code, names)
    asked = tuple([one for one in tests.of_parameters if parameter_in(one) not in names.reassigned])
    return settings._replace(tests=tests, asked=asked)
