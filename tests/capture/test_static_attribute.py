"""`static_attribute` tells what `inspect.getattr_static` tells, of whatever objects and classes a program has."""

from __future__ import annotations

import collections
import enum
import functools
import inspect
import types
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class, static_attribute


class Ran(Exception):
    pass


class Plain:
    held: Any = "the class's"

    def __init__(self) -> None:
        self.held = "its own"
        self.own = 1

    def method(self) -> None: ...

    @property
    def computed(self) -> None:
        raise Ran

    @staticmethod
    def static() -> None: ...

    @classmethod
    def of_class(cls) -> None: ...

    @functools.cached_property
    def cached(self) -> None:
        raise Ran


class Child(Plain):
    own = "hidden by the instance's"


class Shadowed(Plain):
    """A property in the class's `__dict__` goes before what lies in the instance's."""

    def __init__(self) -> None:
        super().__init__()
        self.__dict__["computed"] = "not seen"
        self.__dict__["method"] = "seen"


class Slots:
    __slots__ = ("empty", "full")

    def __init__(self) -> None:
        self.full = 1


class SlotsAndNames(Slots):
    def __init__(self) -> None:
        super().__init__()
        self.other = 2


class Asks:
    """Nothing of what it says of itself is asked."""

    def __getattribute__(self, name: str) -> Any:
        raise Ran

    def __getattr__(self, name: str) -> Any:
        raise Ran


class OwnDict:
    own = "the class's"

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise Ran


class Names(dict[str, Any]):
    def get(self, *_: Any) -> Any:
        raise Ran

    def __getitem__(self, _: str) -> Any:
        raise Ran


def with_names_of_its_own() -> Plain:
    made = Plain()
    made.__dict__ = Names(own="there")
    return made


class Meta(type):
    own = "the metaclass's"

    @property
    def computed(cls) -> Any:
        raise Ran

    def __getattr__(cls, name: str) -> Any:
        raise Ran

    @property
    def __mro__(cls) -> Any:
        raise Ran


class OfMeta(metaclass=Meta):
    held = 1


class Colour(enum.Enum):
    own = 1


class Tuple(NamedTuple):
    own: int = 1
    held: int = 2


HOLDERS = [
    Plain(), Child(), Shadowed(), Slots(), SlotsAndNames(), Asks(), OwnDict(), with_names_of_its_own(), OfMeta(),
    Plain, Child, Slots, Meta, OfMeta, type, object, object(), 1, "text", None, Colour.own, Colour, Tuple(), Tuple,
    types, types.SimpleNamespace(own=1), collections.namedtuple("A", "own")(1), functools.partial(len), len,
    with_names_of_its_own, Plain().method, Exception("own"), {"own": 1}, [1],
]  # fmt: skip
NAMES = [
    "held", "own", "method", "computed", "static", "of_class", "cached", "empty", "full", "other", "missing",
    "__dict__", "__class__", "__doc__", "__init__", "__mro__", "__name__", "__getitem__", "get", "mro",
    "args", "func", "_value_",
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOLDERS)))
def test_it_tells_what_inspect_tells(number: int) -> None:
    holder = HOLDERS[number]  # pytest would ask some for what they run at that
    for name in NAMES:
        assert static_attribute(holder, name) is inspect.getattr_static(holder, name, MISSING), name


@given(st.data())
def test_of_made_up_classes(data: st.DataObject) -> None:
    kinds = st.sampled_from([1, property(lambda _: 1 / 0), len, Plain.method, classmethod(len), staticmethod(len)])
    names = st.dictionaries(st.sampled_from("abc"), kinds)
    bases = [type("Base", (), data.draw(names)) for _ in range(2)]
    middle = type("Middle", (bases[0],), {**data.draw(names), **data.draw(st.sampled_from([{}, {"__slots__": ()}]))})
    holder = type("Holder", (middle, bases[1]), data.draw(names))()
    holder.__dict__.update(data.draw(st.dictionaries(st.sampled_from("abc"), st.integers())))
    for name in "abc":
        assert static_attribute(holder, name) is inspect.getattr_static(holder, name, MISSING)
        assert in_class(type(holder), name) is inspect.getattr_static(type(holder), name, MISSING)


def test_a_metaclass_is_not_asked_for_what_instances_find() -> None:
    assert in_class(OfMeta, "held") == 1
    assert in_class(OfMeta, "own") is MISSING
