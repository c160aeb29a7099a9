"""What loops read, and calls run or are handed, of what a function's code has. Nothing is run."""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.code.code_names import CodeNames, Item, Name
from tb_retrace_plugin.capture.code.gives_itself import gives_attribute
from tb_retrace_plugin.capture.code.read_of_each import read_of_each
from tb_retrace_plugin.capture.code.read_whole import Whole, read_whole
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of, is_users_class
from tb_retrace_plugin.capture.python_state.name_values import gone_through, keys_of, value_of, value_or_whole
from tb_retrace_plugin.capture.values.containers import items_of, unwrapped
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.plain_values import is_plain

#: Told of where they are read whole.
CONTAINERS = (list, tuple, deque, dict, set, frozenset, np.ndarray)
#: `cfgs[0]`, `cfgs['of a discriminator']`.
_AN_ITEM = re.compile(r"([^\W\d]\w*)\[(?:'([^'\\]*)'|(\d+))\]")
#: Of a list of layers, that are followed.
MAX_ITEMS = 16


class Reached(NamedTuple):
    """A name that code loads. `written`, `loaded`: as the code has it; `called`: what it runs."""

    written: str
    loaded: Name
    name: Name
    value: Any
    reader: Called
    called: Called | None


def values_asked(
    reached: Sequence[Reached], asked: Collection[str], changing: Collection[str | Item]
) -> dict[str, Any]:
    """By names as they are written; of a property that gives a plain attribute what that has, also by the attribute's.

    `changing`: last names of what is not known at the time that it is asked for.
    """
    found = {one.written: one.value for one in reached if one.written in asked}
    for one in reached:
        attribute = gives_attribute(one.value.fget) if one.written in found and type(one.value) is property else ""
        if not attribute or attribute in changing or not one.name.path:
            continue
        try:
            name = one.name._replace(path=(*one.name.path[:-1], attribute))
            given = value_of(name, one.reader.function, one.reader.instance)
        except LookupError:
            continue
        if is_plain(given):
            found |= {one.written: given, f"{one.written.rpartition('.')[0]}.{attribute}": given}
    return found


def keys_of_loops(
    code: CodeType, names: CodeNames, reached: Sequence[Reached],
    passed: Callable[[Collection[str]], Mapping[str, Any]] | None,
) -> dict[str, Sequence[str | int]]:  # fmt: skip
    """By name, what loops are given of dictionaries and lists, with which they look up others. `passed`: what is known
    of what the function is passed, as in `reads_of`; None: nothing is."""
    if not any(_is_one(one.value) for one in reached):  # source is parsed for what holds something alone
        return {}
    texts = {of.keys_of for each in read_of_each(code).values() for of in each} - {""}
    found: dict[str, Sequence[str | int]] = {
        one.written: gone_through(one.value, MAX_ITEMS)
        for one in reached
        if one.written in texts and _is_one(one.value)
    }
    asked = {f"list({text})": text for text in texts if text.isidentifier() and text not in names.reassigned}
    if asked and passed is not None:
        found |= {asked[text]: keys for text, keys in passed(asked.keys()).items() if text in asked}
    return found


def read_by_loops(one: Reached, code: CodeType, keys_of_names: Mapping[str, Sequence[str | int]]) -> Iterator[Reached]:
    """What loops read of each item of a container. `keys_of_names`: of `keys_of_loops`."""
    for of in read_of_each(code).get(one.written, ()):
        if not of.path and one.written in read_whole(code).read:  # told as a whole
            continue
        keys = of.keys if of.keys or of.keys_of else keys_of(one.value, MAX_ITEMS)
        for key in keys_of_names.get(of.keys_of, ()) if of.keys_of else keys:
            try:
                name = one.name._replace(path=(*one.name.path, Item(key), *of.path), is_called=of.is_called)
                name, value = value_or_whole(name, one.reader.function, one.reader.instance, of_arrays=True)
                runs = of.is_called or is_a(value, property)
                called = callee_of(value, name, one.reader) if runs else None
            except LookupError:
                continue
            # a container is what another loop goes through; of anything else the text is the first item's alone
            yield Reached(of.written if _is_one(value) else name.text, name, name, value, one.reader, called)


def read_by_keys(one: Reached, keys: Sequence[str | int]) -> Iterator[tuple[Name, Any]]:
    for key in keys:
        name = one.name._replace(path=(*one.name.path, Item(key)))
        with contextlib.suppress(LookupError):
            yield value_or_whole(name, one.reader.function, one.reader.instance, of_arrays=True)


def read_all_of(value: Any, whole: Whole) -> frozenset[str]:
    """What the code reads all of, if it stands for this: `[None]` of a dictionary is one item."""
    return whole.read - whole.by_an_index if is_a(unwrapped(value), dict) else whole.read


def read_by_parts(one: Reached, whole: Whole) -> Iterator[tuple[Name, Any]]:
    """Of an array, and of a dictionary that has None for a key, as the code writes them, where nothing reads all of it;
    of an array of one dimension the loop that goes through a part tells each number by itself."""
    is_told = one.written in read_all_of(one.value, whole) or len(one.name.path) < len(one.loaded.path)
    if is_told or (one.written in whole.by_turns and type(one.value) is np.ndarray and one.value.ndim == 1):
        return
    for part in sorted(whole.parts.get(one.written, ())):
        name = one.name._replace(path=(*one.name.path, Item(part)))
        with contextlib.suppress(LookupError):
            yield name, value_of(name, one.reader.function, one.reader.instance)


def read_of_arguments(code: CodeType, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Name]]:
    """What loops over parameters read of each object in them: `c.rate` of `for c in cfgs`, as `cfgs[0].rate`.

    `arguments`: objects, as in `reads_of`."""
    items = [found for text in arguments if (found := _AN_ITEM.fullmatch(text)) is not None]
    each = read_of_each(code) if items else {}
    for item in items:
        key = int(item[3]) if item[3] else item[2]
        for of in each.get(item[1], ()):
            if of.path and (key in of.keys or not (of.keys or of.keys_of)):
                name = Name("argument", item[1], (Item(key), *of.path), of.is_called)
                yield name.text, name


def called_of_each(value: Any, name: Name, reader: Called) -> Iterator[tuple[Name, Any, Called | None]]:
    """The items of a list of which each is called, with the user's own functions that these calls run."""
    for place, one in enumerate(items_of(value, MAX_ITEMS)):
        item = name._replace(path=(*name.path, Item(place)), is_called=True)
        yield item, one, callee_of(one, item, reader)


def _is_one(value: Any) -> bool:
    return is_a(unwrapped(value), CONTAINERS)


def is_handed_on(one: Reached, handed: Mapping[str, Collection[str]], reached: Sequence[Reached]) -> bool:
    """Whether an array is passed to what is not the user's own, whose graph has its values then: a model, a
    loss, a distribution's method. Functions of the user's are gone through themselves."""
    return type(one.value) is np.ndarray and goes_to_others(one, handed, reached)


def goes_to_others(one: Reached, handed: Mapping[str, Collection[str]], reached: Sequence[Reached]) -> bool:
    """Also to a tf.function, which is not gone through: it has traces of its own."""
    if one.written not in handed:
        return False
    users = {other.written for other in reached if other.called is not None or is_users_class(other.value)}
    return not users.issuperset(handed[one.written])
