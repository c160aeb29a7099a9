"""A code object's instructions as Python 3.12 has them: earlier ones do not say what is called, later ones join two."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType

from tb_retrace_plugin.capture.code.called_before_311 import starts_of_called

#: `STORE_FAST_LOAD_FAST`, of `("i", "self")`; 3.14 has `LOAD_FAST_BORROW_LOAD_FAST_BORROW`, too.
_PARTS = ("STORE_FAST", "LOAD_FAST_BORROW", "LOAD_FAST")


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    if sys.version_info < (3, 11):
        yield from _with_what_is_called(code)
        return
    for instruction in dis.get_instructions(code):
        names = instruction.argval
        if isinstance(names, tuple) and len(names) == 2 and instruction.opname.startswith(_PARTS):
            first = next(part for part in _PARTS if instruction.opname.startswith(part))
            second = instruction.opname[len(first) + 1 :]
            yield instruction._replace(opname=first, argval=names[0])
            yield instruction._replace(opname=second, argval=names[1])
        elif instruction.opname == "BINARY_OP" and instruction.argrepr == "[]":  # of Python 3.14
            yield instruction._replace(opname="BINARY_SUBSCR")
        elif instruction.opname == "LOAD_SMALL_INT":
            yield instruction._replace(opname="LOAD_CONST")
        else:
            yield instruction


def _with_what_is_called(code: CodeType) -> Iterator[dis.Instruction]:
    """With a `PUSH_NULL` before it."""
    listed = list(dis.get_instructions(code))
    starts = starts_of_called(listed)
    for place, instruction in enumerate(listed):
        while starts and starts[0] == place:
            del starts[0]
            yield instruction._replace(opname="PUSH_NULL", arg=None, argval=None, argrepr="")
        yield instruction
