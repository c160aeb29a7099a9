"""What the code of a layer of Keras' own reads of that layer while it is traced: a rate, an epsilon. Nothing is run."""

from __future__ import annotations

import weakref
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture.code_names import names_of
from tb_retrace_plugin.capture.plain_values import is_plain
from tb_retrace_plugin.capture.python_reads import Found, Passed, Read
from tb_retrace_plugin.capture.static_attribute import static_attribute
from tb_retrace_plugin.capture.unreached import parameter_in, tests_of, unreached


def settings_read(call: FunctionType, layer: Any, text: str, passed: Passed) -> list[Found]:
    """Plain values that `call` itself loads, but for those behind an `if` that was not taken and what it assigns;
    nothing of what it calls. A model has hundreds of layers, for which `reads_of` would take as many times longer.

    `text`: what the layer is called. `passed`: what is known of the arguments.
    """
    code = call.__code__
    names = names_of(code)
    values = {}
    for name in names.loaded:
        if name.base == "self" and len(name.path) == 1 and not name.is_called and name.path[0] not in names.stored:
            value = static_attribute(layer, str(name.path[0]))
            if is_plain(value):
                values[name] = value
    if not values:
        return []
    tests = tests_of(code, names.loaded)
    known = {tests.asked[id(name)]: value for name, value in values.items() if id(name) in tests.asked}
    asked = [one for one in tests.of_parameters if parameter_in(one) not in names.reassigned and one not in known]
    behind = unreached(tests, {**passed(asked), **known}) if tests.branches else ()
    function, instance = weakref.ref(call), weakref.ref(layer)
    return [
        Found(Read(name._replace(base="layer", name=text), function, instance), value)
        for name, value in values.items()
        if name.text not in behind
    ]
