"""Whether code may do anything by Python's own means that is looked for in its source: parsing takes longer."""

from __future__ import annotations

import dis
from types import CodeType

from tb_retrace_plugin.capture.code.gone_through import FEWEST_UNPACKED
from tb_retrace_plugin.capture.code.instructions import instructions

#: Of the bytecode of what is looked for: texts that are formatted, `in`, lists, slices, what is raised, and
#: what is given an attribute.
_OPERATIONS = bytes(
    dis.opmap[name]
    for name in (
        *("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONTAINS_OP", "BUILD_LIST", "BUILD_SLICE"),
        *("BUILD_MAP", "BUILD_CONST_KEY_MAP", "BINARY_SUBSCR"),
        *("BINARY_SLICE", "RAISE_VARARGS", "STORE_ATTR"),
    )
    if name in dis.opmap
)  # fmt: skip
#: What may come between what is loaded and what is decided by it.
_BETWEEN = frozenset({"CACHE", "COPY", "DUP_TOP", "TO_BOOL"})
_UNPACKS = dis.opmap["UNPACK_SEQUENCE"]
#: Of the bytecode of `self.table[n]`.
_ITEM_OF_AN_ATTRIBUTE = {dis.opmap[name] for name in ("LOAD_ATTR", "BINARY_SUBSCR") if name in dis.opmap}
#: Of the bytecode of a loop, and of `/` and `/=`: an operation of its own until Python 3.10.
_LOOPS = dis.opmap["FOR_ITER"]
_DIVIDES, _BINARY = (dis.opmap.get(name, -1) for name in ("BINARY_TRUE_DIVIDE", "BINARY_OP"))
_DIVISIONS = (11, 24)


def may_use(code: CodeType, names: frozenset[str], keywords: frozenset[str]) -> bool:
    """Whether its source is worth parsing, by names and operations of its bytecode. `names`, `keywords`: of what is
    looked for."""
    if not names.isdisjoint(code.co_names) or not set(_OPERATIONS).isdisjoint(code.co_code[::2]):
        return True
    if any(
        op == _UNPACKS and many >= FEWEST_UNPACKED
        for op, many in zip(code.co_code[::2], code.co_code[1::2], strict=True)
    ):
        return True
    if _may_be_gone_through(code):
        return True
    if set(code.co_code[::2]) >= _ITEM_OF_AN_ATTRIBUTE or code.co_name == "<genexpr>" or _asks_for_truth(code):
        return True
    if any(isinstance(known, tuple) and not keywords.isdisjoint(known) for known in code.co_consts):
        return True
    within = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return any(isinstance(c, str) and "%" in c for c in code.co_consts) or any(
        may_use(each, names, keywords) for each in within
    )


def _may_be_gone_through(code: CodeType) -> bool:
    """Whether there is a loop, a division, or a fraction that is written out."""
    operations = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    if any(op in (_LOOPS, _DIVIDES) or (op == _BINARY and of in _DIVISIONS) for op, of in operations):
        return True
    return any(type(constant) is float for constant in code.co_consts)


def _asks_for_truth(code: CodeType) -> bool:
    """Whether something, or what is computed (`n % 2`), decides by itself, without a comparison."""
    loaded = False
    for instruction in instructions(code):
        operation = instruction.opname
        if loaded and (("JUMP" in operation and "_IF_" in operation) or operation == "UNARY_NOT"):
            return True
        loaded = operation.startswith(("LOAD_", "BINARY_")) or (loaded and operation in _BETWEEN)
    return False
