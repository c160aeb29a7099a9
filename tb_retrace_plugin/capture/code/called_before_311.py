"""Where what is called begins, which bytecode says since Python 3.11, by a `PUSH_NULL`. Nothing is run."""

from __future__ import annotations

import dis
from collections.abc import Sequence

#: What they take from the stack beside what is called, of their argument `n`: `CALL_FUNCTION_EX` has a dictionary if
#: its lowest bit is set.
_CALLS = {
    "CALL_FUNCTION": lambda n: n,
    "CALL_FUNCTION_KW": lambda n: n + 1,
    "CALL_FUNCTION_EX": lambda n: 1 + (n & 1),
}
#: After them comes what another jumps to, with the depth of there.
_LEAVE = frozenset({"JUMP_FORWARD", "JUMP_ABSOLUTE", "RAISE_VARARGS", "RERAISE", "RETURN_VALUE"})
#: Which jump or not with the same value: `stack_effect` knows both ways.
_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})


def starts_of_called(code: Sequence[dis.Instruction]) -> list[int]:
    """For each call the place, in `code`, of the first instruction of what it calls; sorted, once for each call.

    By the depth of the stack: what is called lies below its arguments, so it begins where the depth was last as low.
    """
    starts = []
    last_at: dict[int, int] = {}
    coming: dict[int, int] = {}  # depths at what is jumped to, by offset
    depth = 0
    for place, one in enumerate(code):
        depth = coming.get(one.offset, depth)
        arguments = _CALLS.get(one.opname)
        if arguments is not None and one.arg is not None and not _leaves_a_with(code, place):
            start = last_at.get(depth - arguments(one.arg) - 1)
            starts += [] if start is None else [start]
        last_at[depth] = place
        if one.opcode in _JUMPS:
            coming.setdefault(one.argval, depth + _effect(one, jump=True))
        depth = 0 if one.opname in _LEAVE else depth + _effect(one, jump=False)
    return sorted(starts)


def _effect(one: dis.Instruction, *, jump: bool) -> int:
    return dis.stack_effect(one.opcode, one.arg if one.opcode >= dis.HAVE_ARGUMENT else None, jump=jump)


def _leaves_a_with(code: Sequence[dis.Instruction], place: int) -> bool:
    """What is called at the end of a `with` block was given by `SETUP_WITH`, not by a line's own load."""
    return [one.opname for one in code[max(place - 2, 0) : place]] == ["DUP_TOP", "DUP_TOP"]
