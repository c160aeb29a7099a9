"""A code object's instructions, with those taken apart that Python 3.13 and later join two of into one."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType

#: `STORE_FAST_LOAD_FAST`, of `("i", "self")`; 3.14 has `LOAD_FAST_BORROW_LOAD_FAST_BORROW`, too.
_PARTS = ("STORE_FAST", "LOAD_FAST_BORROW", "LOAD_FAST")


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
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
