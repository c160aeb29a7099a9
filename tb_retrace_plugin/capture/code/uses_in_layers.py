"""What Keras layers, and functions below `do_not_convert`, decide in Python by numbers that a function hands them:
AutoGraph converts none of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.by_code import ByCalled, ByCode
from tb_retrace_plugin.capture.code.helpers import IS_OTHER, called_in_turn
from tb_retrace_plugin.capture.code.layers_called import decides, layers_held, layers_known, left_to_python
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.python_uses import called_by, leads_to
from tb_retrace_plugin.capture.code.source_tree import leave_out, source_tree
from tb_retrace_plugin.capture.code.unconverted import in_what_is_called

_MOST = 6
#: Of objects, of which it is told what a function does with them.
_MOST_KINDS = 64
_known = ByCalled(_MOST_KINDS)
_deciding: ByCode[bool] = ByCode()
_to_layers: ByCode[bool] = ByCode()


def uses_in_layers(function: Any, instance: Any, arguments: Mapping[str, Any]) -> list[str]:
    """`… if alpha < 1.0 else … of a layer unconverted`, or without "of a layer", of its parameters, and of numbers that
    it closes over or reads as globals. `instance`: of which it is a method; `arguments`: objects that it is passed.
    Nothing of it is run."""
    code = getattr(function, "__code__", None)
    if type(code) is not CodeType:
        return []
    try:
        held = layers_held(code, instance, arguments)
        codes = [(name, each.__code__) for name, each in held.items()]
        return _known.of(code, codes, lambda: _read(function, code, held))
    except Exception as error:  # a trace is recorded whatever its source is
        leave_out(uses_in_layers.__name__, code, error)
        return []


def _read(function: Any, code: CodeType, held: Mapping[str, FunctionType]) -> list[str]:
    layers = _Layers(code, held)
    called = layers.called_by(function, code)
    source = source_tree(code) if called else None
    if source is None:
        return []
    parameters = parameters_of(code)
    numbers = parameters | {n for n, value in around(function, code).items() if type(value) in (int, float)}
    uses: dict[str, None] = {}
    try:
        tree = by_parameters(source.tree, code, parameters, numbers)
        for helper, within in called_in_turn(tree, numbers, function, code, layers.called_by):
            if layers.runs(helper):
                found = in_what_is_called(within, numbers, of_a_layer=layers.is_of_a_layer(helper))
                uses |= dict.fromkeys(IS_OTHER.sub("…", text) for text in found)
    except RecursionError:
        return []
    return list(uses)[:_MOST]


class _Layers:
    """What is called in turn, where that leads to what a layer's `call` decides in Python."""

    def __init__(self, code: CodeType, held: Mapping[str, FunctionType]) -> None:
        self._code, self._held = code, held
        self._run: set[int] = set()
        self._kept: set[int] = set()

    def runs(self, helper: FunctionType) -> bool:
        """Whether a layer does, of those that were found so far: what its `call` calls is not converted either."""
        return id(helper.__code__) in self._run

    def is_of_a_layer(self, helper: FunctionType) -> bool:
        """And not one that AutoGraph is told to leave."""
        return id(helper.__code__) not in self._kept

    def called_by(self, function: Any, code: CodeType) -> dict[str, FunctionType]:
        found = called_by(function, code)
        run = found
        if id(code) not in self._run:
            known = around(function, code)
            kept = left_to_python(function, code, known)
            self._kept |= {id(one.__code__) for one in kept.values()}
            run = layers_known(function, code, known) | kept
            run |= self._held if code is self._code else {}
        self._run |= {id(one.__code__) for one in run.values()}
        # `net.call(x)` is converted
        found = {name: one for name, one in found.items() if name in run or not self.runs(one)}
        return {name: one for name, one in {**found, **run}.items() if self._leads_to_one(one)}

    def _leads_to_one(self, helper: FunctionType) -> bool:
        if self.runs(helper):
            return leads_to(helper, _deciding, decides, called_by)
        return leads_to(helper, _to_layers, lambda code: code.co_name == "call" and decides(code), called_by)
