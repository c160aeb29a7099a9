"""Through a function's code, and that of the user's own functions that it calls: what they read. Nothing is run."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.code_names import CodeNames, Item, Name, names_of
from tb_retrace_plugin.capture.code.compiled_tests import COUNTED
from tb_retrace_plugin.capture.code.first_values import AT_FIRST
from tb_retrace_plugin.capture.code.given_parts import read_for_others
from tb_retrace_plugin.capture.code.made_keys import made_keys
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.code.source_calls import Call
from tb_retrace_plugin.capture.code.source_places import Place
from tb_retrace_plugin.capture.code.unreached import NO_TESTS, Tests, parameter_in, tests_of, unreached
from tb_retrace_plugin.capture.python_state.assigned_by import assigned_by
from tb_retrace_plugin.capture.python_state.callees import Called, PassedOn, callee_of, callee_of_lookup, given_or_none
from tb_retrace_plugin.capture.python_state.contents import code_of_function, contents_of, contents_of_array
from tb_retrace_plugin.capture.python_state.found_reads import (
    AskedBy,
    Found,
    asked_by,
    found_by,
    read_by_route,
    without_assigned_routes,
)
from tb_retrace_plugin.capture.python_state.holders import holder_of, is_kept_function, may_hold, reads_holder
from tb_retrace_plugin.capture.python_state.name_values import NOT_THERE, keys_of, length_of, object_of, value_or_whole
from tb_retrace_plugin.capture.python_state.passed_on import (
    arrays_of_each,
    by_keys,
    is_passed_as_written,
    read_to_be_said,
    with_keys,
    with_objects,
    with_what_is_passed,
)
from tb_retrace_plugin.capture.python_state.reads_answered import reads_answered
from tb_retrace_plugin.capture.python_state.reads_of_items import (
    CONTAINERS,
    MAX_ITEMS,
    Reached,
    called_of_each,
    goes_to_others,
    is_handed_on,
    keys_of_loops,
    read_all_of,
    read_by_keys,
    read_by_loops,
    read_by_parts,
    read_of_arguments,
    values_asked,
)
from tb_retrace_plugin.capture.values.containers import items_of, unwrapped
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: A helper function's helper's helper… is followed so far, and so many functions in all.
_MAX_DEPTH = 5
_MAX_FUNCTIONS = 50
_MAX_READS = 200
#: By which a step asks a model of Keras' what to train.
TRAINED = ("trainable_variables", "trainable_weights")
_TRAINABLE = "trainable"
_KERAS = ("keras.", "tf_keras.")
#: Of what functions are passed, beside what holds something.
_HANDED_ON = (np.ndarray, FunctionType, MethodType)
#: `table.T`: of an array it is all of it.
_TRANSPOSED = ("T",)


class KerasCall(NamedTuple):
    """Of an object of Keras' own (`holder`), or of a `method` of it; `name`: what is called, as its user knows it.
    `is_overridden`: its class has another one by that name, which has called `super()`.

    `calls`: as they are written, with what is `known` of names in them; () where that is not known. `caller`: by what.
    """

    holder: Any
    name: Name
    calls: Sequence[Call]
    known: Mapping[str, Any]
    caller: Called
    method: str = ""
    is_overridden: bool = False


#: Plain values by what is asked of parameters: `training`, `x.shape.rank`.
Passed = Callable[[Collection[str]], Mapping[str, Any]]
#: Of a read: whether of `super()`, what it asks, its name and path, by which globals, and of which instance.
_Key = tuple[bool, str, str, tuple[str | Item, ...], int, int]


def nothing(value: Any) -> bool:
    return False


class _Tested(NamedTuple):
    """What tests of a function's code ask, with what is `known` of that; what is written `behind` those is not run, and
    nothing else reads what is `only_asked`.

    `reads_it`: the function, with what it is passed. `objects`: by name, those that it may pass on, as in `Called`.
    `keys`: by name, what loops are given of dictionaries and lists, with which they look up others. `plain`: plain
    values, by name, that others may be looked up with. `reached`: all that the code loads.
    """

    tests: Tests
    reads_it: Called
    known: Mapping[str, Any] = {}
    behind: Collection[str] = ()
    only_asked: Collection[str] = ()
    objects: Mapping[str, PassedOn] = {}
    keys: Mapping[str, Sequence[str | int]] = {}
    plain: Mapping[str, Any] = {}
    reached: Sequence[Reached] = ()


class Walk:
    """Through a function's code, and that of the user's own functions that it calls."""

    def __init__(
        self, arguments: Mapping[str, Any], is_told: Callable[[Any], bool], passed: Passed | None,
        trained: list[Any] | None, changing: frozenset[str | Item],
    ) -> None:  # fmt: skip
        """`changing`: last names of what is assigned somewhere in all this: what it was when it was asked is not known.
        Else as in `reads_of` (python_reads.py)."""
        self._arguments = arguments
        self._is_told = is_told
        self._passed = passed
        self._trained = trained
        self._changing = changing
        self._looks_at_all = is_told is not nothing
        self._found: dict[_Key, Found] = {}
        self._containers: list[_Key] = []
        self._of_containers: list[_Key] = []
        self._relied_on: set[str] = set()
        self._counted_on = False
        self._only_asked: dict[_Key, list[AskedBy] | None] = {}
        self._left_out: list[Called] = []
        self._left_of_items = _MAX_READS
        self._seen: dict[tuple[int, int, tuple[Any, ...]], CodeType] = {}
        self._todo: collections.deque[tuple[Called, int]] = collections.deque()
        self.stored: set[str | Item] = set()
        self.counted: set[str] = set()
        self.of_keras: list[KerasCall] | None = None

    def go_through(self, function: Called) -> None:
        self._todo.append((function, 0))
        while self._todo and len(self._seen) < _MAX_FUNCTIONS:
            reads_it, depth = self._todo.popleft()
            code = reads_it.function.__code__
            if reads_it.route is not None and (not self._looks_at_all or self._is_told(reads_it.instance)):
                reads_it = reads_it._replace(route=None)  # that it is another one is told itself
            if self._is_seen(reads_it, code):
                continue
            names = names_of(code)
            self.stored |= names.stored
            self.counted |= names.counted
            if names.keys and not depth and self._passed is not None:
                reads_it = reads_it._replace(passed=self._passed(names.keys))
            if depth and reads_it.objects and self._looks_at_all:
                self._read_of_what_it_is_handed(names, reads_it)
            reached = list(self._reached(code, names, reads_it, depth))
            tested = self._tested(code, names, reached, reads_it, depth)
            if self._looks_at_all:
                keys = keys_of_loops(code, names, reached, None if depth else self._passed)
                plain = {one.written: one.value for one in reached if is_plain(one.value)} if made_keys(code) else {}
                tested = tested._replace(keys=keys, plain=plain, reached=reached)
                self._add_answers(code, [one for one in reached if one.written not in tested.behind], reads_it)
            for one in reached:
                if not tested.behind or one.written not in tested.behind:
                    self._read(one, tested, names, depth)
                elif one.name.is_called and one.called is not None:
                    self._left_out.append(one.called)

    def filled(self) -> set[str | Item]:
        """Last names of lists and such that the code fills or empties, where that is of use."""
        if not (
            self._containers or self._counted_on or any(one.read.route is not None for one in self._found.values())
        ):
            return set()
        return {name for code in self._seen.values() for name in read_whole(code).filled}

    def assigned_of_what_was_relied_on(self, filled: set[str | Item]) -> set[str | Item]:
        """Of what tests were decided by: what is assigned somewhere in all this."""
        if not self._relied_on:
            return set()
        assigned = self.stored | filled | assigned_by(self._left_out, counted_on=self._counted_on)
        return {name for name in self._relied_on if name in assigned}

    def without_what_it_changes(self, filled: set[str | Item]) -> list[Found]:
        for key in self._containers:  # that the code may change itself
            if key in self._found and self._found[key].read.name.last_name in filled:
                del self._found[key]
        for key in self._of_containers:  # that the code may replace itself
            if key in self._found and self._found[key].read.name.last_name in self.stored:
                del self._found[key]
        without_assigned_routes(self._found, self.stored | filled)
        for key, asked in self._only_asked.items():
            if asked and key in self._found:
                read, value = self._found[key]
                self._found[key] = Found(read._replace(asked_by=tuple(asked)), value)
        if self._trained and _TRAINABLE in self.stored:  # which the code sets itself, for a part of it
            self._trained.clear()
        return list(self._found.values())

    def _is_seen(self, reads_it: Called, code: CodeType) -> bool:
        """Whether it was before, passed the same."""
        given = [(one, v if is_plain(v) else id(v)) for one, v in reads_it.passed.items()] if reads_it.passed else []
        given += [(name, id(one.value)) for name, one in reads_it.objects.items()]
        given += [("", reads_it.part)] * (reads_it.part is not None)
        key = id(code), id(reads_it.instance), tuple(given)
        if key in self._seen:
            return True
        self._seen[key] = code
        return False

    def _reached(self, code: CodeType, names: CodeNames, reads_it: Called, depth: int) -> Iterator[Reached]:
        of_loops = read_of_arguments(code, self._arguments) if not depth and self._arguments else ()
        for_others = read_for_others(code, reads_it.part) if reads_it.part is not None else ()
        for written, loaded in (*names.by_text, *of_loops):
            reader = reads_it
            if written in for_others:
                continue
            if names.keys and reads_it.passed:
                loaded = with_keys(loaded, reads_it.passed, names.keys)
            name = loaded._replace(name=reader.text) if loaded.base == "self" and reader.text else loaded
            if name.base == "self" and reader.instance is None:
                name = name._replace(base="argument")
            if name.base == "argument":
                if name.name in names.reassigned:
                    continue
                own, path = self._argument(name, reads_it, depth)
                if own.value is MISSING:
                    continue
                name = name._replace(name=own.text, path=path)
                reader = reader._replace(instance=own.value, route=own.route)
            # a function that is handed on runs as what it was read as: the method of an object
            read_as = own.route if name.base == "argument" and own.route is not None and not name.path else None
            asked = name
            try:
                name, value = value_or_whole(name, reader.function, reader.instance, of_arrays=self._looks_at_all)
            except LookupError:
                value = MISSING
            is_whole = value is MISSING or len(name.path) < len(asked.path)
            if is_whole and (looked_up := callee_of_lookup(asked, reader)) is not None:
                yield Reached(written, loaded, looked_up[0], looked_up[1], reader, looked_up[2])
                continue
            if value is MISSING:
                continue
            if is_a(value, property) and is_a(unwrapped(given := given_or_none(name, reader)), CONTAINERS):
                name, value = name._replace(is_called=True), given  # of which this code says what it asks for
            runs = name.is_called or names.passed_on_runs or is_a(value, property)
            called = callee_of(value, *(read_as or (name, reader))) if runs else None
            if called is not None and is_whole and isinstance(part := asked.path[len(name.path)], Item):
                called = called._replace(part=part.key if isinstance(part.key, str | int) else None)
            yield Reached(written, loaded, name, value, reader, called)

    def _argument(self, name: Name, reads_it: Called, depth: int) -> tuple[PassedOn, tuple[str | Item, ...]]:
        """And what is read of it; of one that is no object that is known, and holds none there, MISSING."""
        parameter, path = name.name, name.path
        if depth:
            return reads_it.objects.get(parameter, PassedOn(parameter, MISSING)), path
        places = [place for place, part in enumerate(path, start=1) if isinstance(part, Item)]
        for place in (0, *places):
            text = name._replace(path=path[:place], asks="").text
            if (held := self._arguments.get(text, MISSING)) is not MISSING:
                return PassedOn(text, held), path[place:]
        return PassedOn(parameter, MISSING), path

    def _tested(
        self, code: CodeType, names: CodeNames, reached: list[Reached], reads_it: Called, depth: int
    ) -> _Tested:
        tests = tests_of(code, names) if self._looks_at_all else NO_TESTS
        if tests is NO_TESTS:
            return _Tested(tests, reads_it)
        calls = [one for one in reached if one.called is not None and one.written in tests.calls] if tests.calls else []
        if not depth and tests.of_parameters:
            parameters = {one.replace(AT_FIRST, "") for one in tests.of_parameters}
            objects = {one: self._arguments[one] for one in parameters if one in self._arguments}
            more = self._passed(parameters) if self._passed is not None else {}
            reads_it = reads_it._replace(passed={**objects, **more})
        asked = values_asked(reached, tests.asked, self._changing)
        if reads_it.passed:
            hidden = names.reassigned
            asked |= {one: v for one, v in reads_it.passed.items() if parameter_in(one) not in hidden}
            at_first = {one: one.replace(AT_FIRST, "") for one in tests.of_parameters if AT_FIRST in one}
            asked |= {one: reads_it.passed[text] for one, text in at_first.items() if text in reads_it.passed}
        # a parameter itself is no attribute of its name: `self.training = training`
        own = {text for text in reads_it.passed if text.isidentifier()}
        known = {text: value for text, value in asked.items() if text in own or _end(text) not in self._changing}
        said: frozenset[Place] = frozenset()
        for one in calls:
            if one.called is not None and is_passed_as_written(one.value, one.called):
                said |= read_to_be_said(one.called, tests.calls[one.written])
        left = unreached(tests, known, said)
        if left.behind:
            self._relied_on.update(_end(text) for text in known if text not in own)
            self._counted_on = self._counted_on or any(type(value) in COUNTED for value in known.values())
        objects = self._may_be_passed_on(names, reached, reads_it, depth) if tests.calls else {}
        return _Tested(tests, reads_it, known, *left, objects)

    def _may_be_passed_on(
        self, names: CodeNames, reached: list[Reached], reads_it: Called, depth: int
    ) -> dict[str, PassedOn]:
        """Objects by their names, but for those of what the code gives a value itself."""
        found = {
            one.written: PassedOn(one.name.text, one.value, None if is_told else (one.name, one.reader))
            for one in reached
            if (is_told := self._is_told(one.value))
            or (not one.name.is_called and (may_hold(one.value) or type(one.value) in _HANDED_ON))
        }
        own = reads_it.objects if depth else {name: PassedOn(name, one) for name, one in self._arguments.items()}
        found |= {name: one for name, one in own.items() if name not in names.reassigned}
        return {text: one for text, one in found.items() if _end(text) not in names.stored}

    def _read(self, one: Reached, tested: _Tested, names: CodeNames, depth: int) -> None:
        """What it is, and what it runs, if it is to be gone through."""
        written, _, name, value, reader, called = one
        if self._trained is not None and name.path and name.path[-1] in TRAINED:
            asked_of = Name(name.base, name.name, name.path[:-1])
            self._trained.append(object_of(asked_of, reader.function, reader.instance))
        if self.of_keras is not None and name.is_called and called is None:
            self._note_keras(one, tested)
        of_holder = self._looks_at_all and (reads_holder(name, value) or name.path[-1:] == _TRANSPOSED)
        if of_holder and (holder := holder_of(name, reader, self._is_told)) is not None:
            key = _add(self._found, *holder, reader)
            self._note_asked(key, one, tested)
            if is_a(holder[1], np.ndarray):  # that the code may fill itself
                self._containers.append(key)
        if depth < _MAX_DEPTH and called is not None:
            calls = tested.tests.calls
            if written in calls and is_passed_as_written(value, called):
                for array in arrays_of_each(called, calls[written], tested.objects):
                    self._containers.append(_add(self._found, *array))
                for some in by_keys(called, calls[written]):
                    one_call = with_what_is_passed(called, some, tested.known, tested.reads_it, is_outermost=not depth)
                    self._todo.append((with_objects(one_call, some, tested.objects), depth + 1))
            else:
                self._todo.append((called, depth + 1))
            is_a_function = called.function is value or type(value) is functools.partial
            if self._looks_at_all and is_a_function and (code := code_of_function(value)) is not None:
                self._is_read(names, written, _add(self._found, name, code, reader))  # it may be another one later
            if not self._is_told(value):
                return
        if self._looks_at_all and called is None and is_kept_function(name, value, reader):
            _add(self._found, name, code_of_function(value), reader)  # a library's: `self.policy = tf.nn.relu`
        elif self._looks_at_all and is_a(unwrapped(value), CONTAINERS):
            self._read_of_a_container(one, tested, depth)
            for item in read_by_loops(one, tested.reads_it.function.__code__, tested.keys):
                if self._left_of_items:  # what loops within loops come to may be much
                    self._left_of_items -= 1
                    self._read(item, tested, names, depth)
            self._read_by_made_keys(one, tested, names, depth)
        else:
            key = _add(self._found, name, value, reader)
            self._note_asked(key, one, tested)
            self._is_read(names, written, key)
            if value is NOT_THERE:  # the code may put it there itself
                self._containers.append(key)

    def _note_asked(self, key: _Key, one: Reached, tested: _Tested) -> None:
        before = self._only_asked.get(key, [])
        if one.written not in tested.only_asked or before is None:  # another function may compute with it
            self._only_asked[key] = None
        else:
            asked = asked_by(one.reader.function, one.written, tested.known, tested.reads_it.passed)
            self._only_asked[key] = [*before, asked]

    def _read_by_made_keys(self, one: Reached, tested: _Tested, names: CodeNames, depth: int) -> None:
        """What keys that the code makes of plain values which it is passed look up in a dictionary or a list."""
        for key in made_keys(tested.reads_it.function.__code__).get(one.written, ()):
            passed = tested.reads_it.passed if depth or self._passed is None else self._passed([key.parameter])
            if key.parameter not in names.reassigned:
                made_of = passed.get(key.parameter, tested.plain.get(key.parameter))
                for name, value in read_by_keys(one, key.of(made_of)):
                    if is_plain(value) or self._is_told(value):
                        self._containers.append(_add(self._found, name, value, one.reader))

    def _note_keras(self, one: Reached, tested: _Tested) -> None:
        _, _, name, holder, reader, _ = one
        method, is_overridden = "", False
        if type(holder) is FunctionType:
            if not name.path or isinstance(name.path[-1], Item) or not str(holder.__module__).startswith(_KERAS):
                return
            function, holder = holder, object_of(name._replace(path=name.path[:-1]), reader.function, reader.instance)
            method = name.path[-1]
            is_overridden = in_class(type(holder), method) is not function
            if is_overridden and (name.base != "super" or len(name.path) > 1):  # an activation that a layer keeps
                return
        if self.of_keras is not None and any(is_written_in(kind, _KERAS) for kind in type(holder).__mro__):
            calls = tested.tests.calls.get(one.written, ())
            self.of_keras.append(KerasCall(holder, name, calls, tested.known, tested.reads_it, method, is_overridden))

    def _is_read(self, names: CodeNames, written: str, key: _Key) -> None:
        if written in names.keyed:  # an item of what the code may change itself
            self._containers.append(key)

    def _read_of_a_container(self, one: Reached, tested: _Tested, depth: int) -> None:
        """How many it holds, or all of it, as far as the code asks for that."""
        _, loaded, name, value, reader, _ = one
        whole = read_whole(tested.reads_it.function.__code__)
        all_of = read_all_of(value, whole)
        if depth < _MAX_DEPTH and one.written in whole.called:
            for item, what, called in called_of_each(value, name, reader):
                self._todo += [(called, depth + 1)] if called is not None else []
                if (told := what if self._is_told(what) else code_of_function(what)) is not None:
                    self._containers.append(_add(self._found, item, told, reader))
        if len(name.path) == len(loaded.path) and one.written in whole.by_turns:
            self._add_items(name, reader, value, whole.by_turns[one.written])
        for part, of_it in read_by_parts(one, whole):
            self._containers.append(_add(self._found, part, of_it, reader))
        if len(name.path) == len(loaded.path) and one.written in whole.by_keys:
            self._add_one_of(name, reader, value)
        if one.written in whole.counted and (length := length_of(value)) is not None:
            name, value = name._replace(asks="len"), length
        elif len(name.path) < len(loaded.path):
            return  # of an item the others say nothing
        elif one.written not in all_of | whole.asked and not is_handed_on(one, whole.handed, tested.reached):
            if goes_to_others(one, whole.handed, tested.reached):
                self._add_one_of(name, reader, value)
            return
        elif one.written in whole.asked:
            return  # what else it holds says nothing of the one that is asked for
        else:
            self._add_parts(name, reader, value)
        self._containers.append(_add(self._found, name, value, reader))

    def _add_answers(self, code: CodeType, reached: Sequence[Reached], reads_it: Called) -> None:
        """What it asks besides reading: whether there is a key or an attribute, whether a list holds anything."""
        for name, value, reader in reads_answered(code, reached, reads_it):
            self._containers.append(_add(self._found, name, value, reader))

    def _add_parts(self, name: Name, reader: Called, value: Any) -> None:
        """Each tensor that a tuple or a dictionary holds (`X, Y = self.data`), and values that lie beside objects,
        with which they are not told as a whole (`self.loss(*self.arguments)`)."""
        beside_objects = contents_of(value) is None
        for key in keys_of(value, MAX_ITEMS):
            one = unwrapped(value)[key]
            is_value = is_plain(one) or (contents_of(one) or contents_of_array(one)) is not None
            if (beside_objects and is_value) or (not is_plain(one) and self._is_told(one)):
                item = name._replace(path=(*name.path, Item(key)))
                self._containers.append(_add(self._found, item, one, reader))
                self._of_containers += [] if is_value else [self._containers[-1]]

    def _add_one_of(self, name: Name, reader: Called, value: Any) -> None:
        """The tensors among which a name looks one up (`targets[n]`), and no variables, which nothing tells so."""
        before = {*self._found}
        self._add_parts(name, reader, value)
        for key in [one for one in self._found if one not in before]:  # in their order
            read, one = self._found.pop(key)
            if tf_seam.is_eager_tensor(one):
                self._found[key] = Found(read._replace(is_one_of=True), one)

    def _read_of_what_it_is_handed(self, names: CodeNames, helper: Called) -> None:
        """Of lists and such that the function is passed, all of what it goes through, by the caller's names."""
        whole = read_whole(helper.function.__code__)
        for parameter, (_, value, route) in helper.objects.items():
            if route is None or parameter in names.reassigned or not is_a(unwrapped(value), CONTAINERS):
                continue
            if parameter in whole.read:
                self._containers.append(_add(self._found, route[0], value, route[1]))
            elif parameter in whole.by_turns:
                self._add_items(*route, value, whole.by_turns[parameter])
            elif parameter in whole.by_keys:
                self._add_one_of(*route, value)
            elif parameter in whole.counted and (length := length_of(value)) is not None:
                self._containers.append(_add(self._found, route[0]._replace(asks="len"), length, route[1]))

    def _add_items(self, name: Name, reader: Called, value: Any, places: Collection[int]) -> None:
        """Each by itself: a list that grows is no other one to a loop that takes as many as before."""
        rows = value[:MAX_ITEMS] if type(value) is np.ndarray and value.ndim else items_of(value, MAX_ITEMS)
        for place, one in enumerate(rows):
            if place in places and (is_plain(one) or self._is_told(one)):
                item = name._replace(path=(*name.path, Item(place)))
                self._containers.append(_add(self._found, item, one, reader))
                self._of_containers += [] if is_plain(one) else [self._containers[-1]]


def _add(found: dict[_Key, Found], name: Name, value: Any, reader: Called) -> _Key:
    is_of_super, known_by = name.base == "super", (id(reader.function.__globals__), id(reader.instance))
    key = (is_of_super, name.asks, name.name, name.path, *known_by)
    if key not in found and len(found) < _MAX_READS:
        found[key] = found_by(reader.function, reader.instance, name, value, read_by_route(reader.route))
    return key


def _end(text: str) -> str:
    return text.rpartition(".")[2]
