"""`tf.TensorArray`s that are arguments: TensorFlow compares which one it is, and the graph has what it held then.

None of it is kept, nor run.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.code_names import Name, names_of
from tb_retrace_plugin.capture.code.unreached import tests_of, unreached
from tb_retrace_plugin.capture.python_state.code_walk import Passed
from tb_retrace_plugin.capture.python_state.found_reads import Found, found_by

#: Methods that read elements.
_READ = frozenset({"concat", "gather", "read", "stack"})
#: Where one that is not of a graph has them.
ELEMENTS = ("_implementation", "_tensor_array")
_MAX_ELEMENTS = 1000


class Elements(NamedTuple):
    """What one held."""

    tensors: tuple[weakref.ReferenceType[Any] | None, ...]

    def are(self, held: Any) -> bool:
        if type(held) is not list or len(held) != len(self.tensors):
            return False
        # `==` of two tensors would compute something
        return all((one and one()) is now for one, now in zip(self.tensors, held, strict=True))


def elements_of(held: Any) -> Elements | None:
    """None of what is no list of a program's own tensors."""
    if type(held) is not list or not 0 < len(held) <= _MAX_ELEMENTS:
        return None
    if not all(one is None or tf_seam.is_eager_tensor(one) for one in held) or all(one is None for one in held):
        return None
    return Elements(tuple([None if one is None else weakref.ref(one) for one in held]))


def read_of_arrays(function: FunctionType, arrays: Mapping[str, Any], passed: Passed | None) -> Iterator[Found]:
    """`arrays`: by parameter. `passed`: what is known of other arguments."""
    code = function.__code__
    names = names_of(code)
    tests = tests_of(code, names)
    behind = unreached(tests, {} if passed is None else passed(tests.of_parameters)).behind
    read = {
        name.name
        for text, name in names.by_text
        if name.path and name.path[-1] in _READ and len(name.path) == 1 and text not in behind
    }
    for parameter in read.intersection(arrays).difference(names.reassigned):
        name, array = Name("argument", parameter, ELEMENTS), arrays[parameter]
        found = found_by(function, array, name, None)
        try:
            yield found._replace(value=found.read.value())
        except LookupError:
            continue
