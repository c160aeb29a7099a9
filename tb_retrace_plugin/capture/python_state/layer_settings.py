"""What the code of a layer of Keras' own reads of that layer while it is traced: a rate, an epsilon. Nothing is run."""

from __future__ import annotations

import weakref
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import Name, names_of
from tb_retrace_plugin.capture.code.unreached import Tests, parameter_in, tests_of, unreached
from tb_retrace_plugin.capture.python_state.python_reads import Found, Passed, found_by
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: What is told; texts (`padding`) say what a layer is, and stay.
_NUMBERS = frozenset({bool, int, float})


class _Settings(NamedTuple):
    """Of one class: what its `call` loads of the layer itself; and by what it decides what of that it comes to, which
    takes its source, once a layer has a number."""

    code: CodeType
    names: tuple[tuple[Name, str], ...]
    tests: Tests | None = None
    asked: tuple[str, ...] = ()


_known: weakref.WeakKeyDictionary[type, _Settings] = weakref.WeakKeyDictionary()


def settings_read(call: FunctionType, layer: Any, text: str, passed: Passed) -> list[Found]:
    """Numbers that `call` itself loads, but for those behind an `if` that was not taken and what it assigns; nothing of
    what it calls. A model has hundreds of layers, for which `reads_of` would take as many times longer.

    `text`: what the layer is called. `passed`: what is known of the arguments.
    """
    kind = type(layer)
    settings = _known.get(kind)
    if settings is None or settings.code is not call.__code__:
        settings = _known[kind] = _settings_of(kind, call.__code__)
    held = vars(layer)
    values = [(name, held.get(attribute)) for name, attribute in settings.names]
    values = [(name, value) for name, value in values if type(value) in _NUMBERS]
    if not values:
        return []
    if settings.tests is None:
        settings = _known[kind] = _with_tests(settings)
    behind: set[str] = set()
    if settings.tests is not None and settings.tests.branches:
        known = {name.text: value for name, value in values}
        behind = unreached(settings.tests, {**passed(settings.asked), **known})
    return [
        found_by(call, layer, Name("layer", text, name.path), value)
        for name, value in values
        if name.text not in behind
    ]


def whether_trained(read: Any, layer: Any, text: str) -> Found:
    """What `read`, which is not called, reads of it."""
    return found_by(read, layer, Name("self", text, ("_trainable",)), vars(layer)["_trainable"])


def _settings_of(kind: type, code: CodeType) -> _Settings:
    """Without what a class has for all its layers, or computes."""
    names = names_of(code)
    of_layers = [
        (name, str(name.path[0]))
        for _, name in names.by_text
        if name.base == "self" and len(name.path) == 1 and not name.is_called and name.path[0] not in names.stored
    ]
    held = tuple([(name, attribute) for name, attribute in of_layers if in_class(kind, attribute) is MISSING])
    return _Settings(code, held)


def _with_tests(settings: _Settings) -> _Settings:
    names = names_of(settings.code)
    tests = tests_of(settings.code, names)
    asked = tuple([one for one in tests.of_parameters if parameter_in(one) not in names.reassigned])
    return settings._replace(tests=tests, asked=asked)
