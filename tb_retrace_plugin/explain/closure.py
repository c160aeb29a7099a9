"""What a re-created function closes over or reads, and what of it is not as it was."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClosedOver:
    """A free variable, a default value, or (`is_global`) a global that the function reads, a plain value or tensor.

    Equal identities within a session: the same value.
    """

    name: str
    identity: int
    text: str
    is_number: bool
    is_global: bool = False
    is_tensor: bool = False


@dataclass(frozen=True, slots=True)
class ClosureChange:
    """`is_number`: both are; `is_tensor`: both are, of one dtype and shape."""

    name: str
    old: str
    new: str
    is_number: bool
    is_global: bool = False
    is_tensor: bool = False


def diff_closures(
    old: tuple[ClosedOver, ...] | None, new: tuple[ClosedOver, ...] | None
) -> tuple[ClosureChange, ...] | None:
    """What differs, of two functions of the same code; None if either is not known."""
    if old is None or new is None:
        return None
    before = {value.name: value for value in old}
    changes = []
    for value in new:
        earlier = before.pop(value.name, None)
        if earlier is None:
            changes.append(ClosureChange(value.name, "not set", value.text, False, value.is_global))
        elif earlier.identity != value.identity:
            numbers = earlier.is_number and value.is_number
            tensors = earlier.is_tensor and value.is_tensor and earlier.text == value.text
            changes.append(ClosureChange(value.name, earlier.text, value.text, numbers, value.is_global, tensors))
    changes += (ClosureChange(value.name, value.text, "not set", False, value.is_global) for value in before.values())
    return tuple(changes)
