"""What a re-created function closes over or reads, and what of it is not as it was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace

#: Before dtype and shape of what is an array, no tensor.
ARRAY = "ndarray "
#: Before those of what is a variable.
VARIABLE = "tf.Variable "
#: The same of one that is not trainable, which TensorFlow tells apart.
UNTRAINABLE = "tf.Variable (trainable=False) "
#: Before what the elements of a dataset are.
DATASET = "tf.data.Dataset of "
#: The same of an iterator over one.
ITERATOR = f"iterator over {DATASET}"
#: Begins what a method that is passed reads of its own object, as Python has it: `loss.__self__.weight`.
OF_ITSELF = "__self__"
#: What is in one closure only: a global of a helper's that was not found yet, say, as in a module that is loaded later.
NOT_SET, NOT_READ = "not set", "not read"
#: `batch` of the function `loss`, which the tf.function closes over.
WITHIN = "{} of {}"
OF = " of "
_SIZE = re.compile(r"\d+")
_ONE_TENSOR = re.compile(r"([\w ]+) (\((?:\d+, )*\d+,?\))")


@dataclass(frozen=True, slots=True)
class Callee:
    """A function or class: `place` is its code's. `parts`: what it closes over in turn, identities of all else."""

    place: str
    name: str
    parts: tuple[Callee | int, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosedOver:
    """A free variable, a default value, or (`is_global`) a global that the function reads, a plain value or tensor.

    Equal identities within a session: the same value. `is_number`: or a list or tuple of numbers; `is_tensor`: or
    an array, a variable, a dataset, or containers of these. Of those, equal `spec`: one dtype and shape, as tensors or
    variables; `tensors`: identities of those. `inside`: what a function closes over or reads in turn, whose `tensors`
    are its own.
    `is_tracked`: TensorFlow tracks what it holds, as of a model or an optimizer. `is_bound`: by a `functools.partial`.
    """

    name: str
    identity: int
    text: str
    is_number: bool
    is_global: bool = False
    is_tensor: bool = False
    callee: Callee | None = None
    spec: str = ""
    tensors: tuple[int, ...] = ()
    inside: tuple[ClosedOver, ...] = ()
    is_tracked: bool = False
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """A function, method or partial that is an argument. Equal identities: the same code, and all that it closes over,
    binds and reads. `code`: 0 of what is no function itself. `asked`: what it passes to what asks numbers in Python."""

    identity: int
    code: int = 0
    closure: tuple[ClosedOver, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosureChange:
    """`is_number`: both are; `is_tensor`: both are, of one dtype and shape; `is_function`: both are, `old` and `new`
    are the names of those that it comes from, and they are of other code; `is_bound`: by a `functools.partial`;
    `is_resized`: both are tensors of one dtype and rank, and of other sizes."""

    name: str
    old: str
    new: str
    is_number: bool
    is_global: bool = False
    is_tensor: bool = False
    is_function: bool = False
    is_bound: bool = False
    is_resized: bool = False


def diff_closures(
    old: tuple[ClosedOver, ...] | None, new: tuple[ClosedOver, ...] | None
) -> tuple[ClosureChange, ...] | None:
    """What differs, of two functions of the same code; None if either is not known."""
    if old is None or new is None:
        return None
    before = dict(_by_name(old))
    changes = []
    are_apart_alike = _shared(old) == _shared(new)
    # objects of a function that are told of by themselves, as the one around it has those, too
    own = {value.name: value.identity for value in old}
    objects = [value for value in new if not (value.is_global or value.is_number or value.is_tensor)]
    alone = {(value.name, own.get(value.name, 0), value.identity) for value in objects}
    for key, value in _by_name(new):
        earlier = before.pop(key, None)
        if earlier is None:
            changes.append(
                ClosureChange(value.name, _missing(value), value.text, False, value.is_global, is_bound=value.is_bound)
            )
        elif earlier.identity != value.identity:
            alike = earlier.spec == value.spec
            numbers = earlier.is_number and value.is_number and alike
            tensors = earlier.is_tensor and value.is_tensor and alike
            # one trace serves variables of which the same are one and the same
            tensors = tensors and (are_apart_alike or not holds_variables(value.spec))
            names = _other_functions(earlier.callee, value.callee)
            if not names and (within := _changes_within(earlier, value, alone)) is not None:
                changes += within
                continue
            was, now = names[0] if names else (earlier.text, value.text)
            changes.append(
                ClosureChange(
                    value.name, was, now, numbers, value.is_global, tensors, bool(names),
                    is_bound=earlier.is_bound and value.is_bound, is_resized=_is_resized(earlier, value),
                )
            )  # fmt: skip
    changes += (
        ClosureChange(value.name, value.text, _missing(value), False, value.is_global, is_bound=value.is_bound)
        for value in before.values()
    )
    others = {change.name for change in changes}  # of another object, attributes are others by themselves
    if any(change.new == f"{change.name} object" for change in changes):  # whose method it is: called by its class
        others.add("self")
    # what a function that is closed over reads is read by way of it
    inner = {c.name.partition(OF)[0] for c in changes if c.is_global and OF in c.name}
    return tuple([c for c in changes if not _is_of_one_of(c.name, others) and not (c.is_global and c.name in inner)])


def _by_name(values: Iterable[ClosedOver]) -> Iterator[tuple[tuple[str, int], ClosedOver]]:
    """By the name and how many had it before: helpers in several modules may read globals of one name."""
    seen: Counter[str] = Counter()
    for value in values:
        yield (value.name, seen[value.name]), value
        seen[value.name] += 1


def holds_variables(spec: str) -> bool:
    return VARIABLE in spec or UNTRAINABLE in spec


def _is_resized(old: ClosedOver, new: ClosedOver) -> bool:
    """A variable's shape is its own, and what holds several tensors is not compared."""
    specs = [_ONE_TENSOR.fullmatch(value.spec) for value in (old, new) if value.is_tensor]
    one, other = specs if len(specs) == 2 else (None, None)
    if one is None or other is None or holds_variables(new.spec) or old.spec == new.spec:
        return False
    return one[1] == other[1] and len(_SIZE.findall(one[2])) == len(_SIZE.findall(other[2]))


def _missing(value: ClosedOver) -> str:
    """What a name is where there is none: of what code reads from around it, other code, that another helper runs."""
    return NOT_READ if value.is_global or "." in value.name or "[" in value.name else NOT_SET


def _shared(closure: tuple[ClosedOver, ...]) -> list[list[int]]:
    """Which variables are one and the same: each numbered by the first place that it has."""
    numbers: dict[int, int] = {}
    held = [value.tensors for value in closure if holds_variables(value.spec)]
    return [[numbers.setdefault(one, len(numbers)) for one in tensors] for tensors in held]


def _is_of_one_of(name: str, objects: set[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:count]) in objects for count in range(1, len(parts)))


def _changes_within(old: ClosedOver, new: ClosedOver, alone: Set[tuple[str, int, int]]) -> list[ClosureChange] | None:
    """What differs in what two functions of the same code close over, but for what the one around them does as well;
    None if that is not known.

    A number is not known to work as a tensor, nor a tensor of unknown sizes: what is read of the source is the
    tf.function's own.
    """
    if old.callee is None or new.callee is None or old.callee.place != new.callee.place:
        return None
    if [value.name for value in old.inside] != [value.name for value in new.inside]:
        return None
    parts = [(a, b) for a, b in zip(old.inside, new.inside, strict=True) if a.identity != b.identity]
    kept = [(a, b) for a, b in parts if (a.name, a.identity, b.identity) not in alone]
    if not parts:
        return None
    changes = diff_closures(tuple([a for a, _ in kept]), tuple([b for _, b in kept])) or ()
    return [replace(c, name=WITHIN.format(c.name, new.name), is_number=False, is_resized=False) for c in changes]


def diff_passed(old: Passed, new: Passed) -> tuple[ClosureChange, ...]:
    """What differs, of functions of one code; () if they are not, or nothing does, or it is not known what."""
    if not old.code or old.code != new.code or old.identity == new.identity:
        return ()
    return diff_closures(old.closure, new.closure) or ()


def distance(old: tuple[ClosedOver, ...], new: tuple[ClosedOver, ...]) -> int:
    """0: the same. Other numbers, and other tensors of one dtype and shape, count one each, functions of the same code
    what they close over, or two, all else three: what could be passed is less of a difference."""
    if [value.name for value in old] != [value.name for value in new]:
        return 3 * len(diff_closures(old, new) or ())
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a.identity != b.identity]
    return sum([_how_far(a, b) for a, b in differing])


def _how_far(old: ClosedOver, new: ClosedOver) -> int:
    if _could_be_passed(old, new):
        return 1
    if old.callee is None or not _have_the_same_code(old, new):
        return 3
    return distance(old.inside, new.inside) or 2


def has_the_same_code(old: tuple[ClosedOver, ...], new: tuple[ClosedOver, ...]) -> bool:
    """Whether what the one closes over, where it is functions, is of the same code as what the other does."""
    return [v.name for v in old] == [v.name for v in new] and all(map(_have_the_same_code, old, new))


def _have_the_same_code(old: ClosedOver, new: ClosedOver) -> bool:
    a, b = old.callee, new.callee
    return (a is None) == (b is None) and (a is None or b is None or _places(a) == _places(b))


def _places(callee: Callee) -> tuple[object, ...]:
    return callee.place, *[_places(part) for part in callee.parts if isinstance(part, Callee)]


def _could_be_passed(old: ClosedOver, new: ClosedOver) -> bool:
    return old.spec == new.spec and ((old.is_number and new.is_number) or (old.is_tensor and new.is_tensor))


def _other_functions(old: Callee | int | None, new: Callee | int | None) -> list[tuple[str, str]]:
    """Names of the functions, in the one's place and the other's, that make all of the difference; [] if more does."""
    if not isinstance(old, Callee) or not isinstance(new, Callee):
        return []
    if old.place != new.place:
        return [(old.name, new.name)]
    if len(old.parts) != len(new.parts):
        return []
    found = []
    for before, now in zip(old.parts, new.parts, strict=True):
        if before != now:
            names = _other_functions(before, now)
            if not names:
                return []
            found += names
    return found
