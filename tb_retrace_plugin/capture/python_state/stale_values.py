"""Python values that a traced function read, and that have changed since: its graph still holds the old ones.

TensorFlow does not look at them again, so nothing of ours runs when they change or when the graph is called: they are
compared at later traces, at steps that the Keras callback sees, when what holds them is freed, and when recording ends.
"""

from __future__ import annotations

import collections
import gc
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import Name, names_of
from tb_retrace_plugin.capture.code.unreached import asks_in_tests
from tb_retrace_plugin.capture.python_state.all_reads import all_reads, reads_of_keras
from tb_retrace_plugin.capture.python_state.code_walk import Passed
from tb_retrace_plugin.capture.python_state.compared_values import (
    GONE,
    Texts,
    are_same,
    is_same,
    kept_contents,
    kept_elements,
    value_now,
)
from tb_retrace_plugin.capture.python_state.contents import (
    Member,
)
from tb_retrace_plugin.capture.python_state.found_reads import Read, leads_elsewhere, read_by_stand_in
from tb_retrace_plugin.capture.python_state.freed import Freed
from tb_retrace_plugin.capture.python_state.keras_steps import (
    KerasStep,
    call_of_a_layer,
    keras_step,
    runs_of,
    trained_layers,
)
from tb_retrace_plugin.capture.python_state.layer_settings import whether_trained
from tb_retrace_plugin.capture.python_state.library_tensors import tensors_of_libraries, without_those_not_captured
from tb_retrace_plugin.capture.python_state.name_values import NOT_THERE, length_of
from tb_retrace_plugin.capture.python_state.tensor_arrays import ELEMENTS, read_of_arrays
from tb_retrace_plugin.capture.python_state.watched_trace import Watched
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.values.static_attribute import MISSING
from tb_retrace_plugin.schema.vocabulary import CHOSEN_GLOBAL

#: The latest traces of one code that are watched; an older one's graph is called more rarely.
_MAX_TRACES_PER_CODE = 50
#: Traces with which later ones are compared.
_MAX_COMPARED = 256
_MAX_ENDED = 1000
_MAX_HELD_TEXT = 1000
#: Where a layer has whether it is trained.
_TRAINED = ("_trainable",)
#: Bases of names that a function finds by itself.
_READ_BY_FUNCTION = ("closure", "global")
#: What most names hold that are none.
_NOT_HELD = frozenset({ModuleType, FunctionType, BuiltinFunctionType, type})


class Stale(NamedTuple):
    """`traced`, `now`: texts; equal if the value is again what it was, "" if the trace has not read it, as others of
    its code have. `is_chosen`: another graph, which calls tell from this one, or which has taken its place, holds what
    is now."""

    seq: int
    name: Name
    traced: str
    now: str
    is_chosen: bool = False


class Asked(NamedTuple):
    """What was traced. `arguments`: those that are objects, by parameter: TensorFlow compares which objects they are,
    and no more. `passed`: what is known of others. `arrays`: those that are `tf.TensorArray`s.
    `concrete_function`: once it is gone nothing can run the graph; None where another trace's graph holds it too.
    `graph`: then the graph itself, which goes with the last of those that hold it.
    """

    function: Any
    instance: Any = None
    concrete_function: Any = None
    arguments: Mapping[str, Any] | None = None
    passed: Passed | None = None
    arrays: Mapping[str, Any] | None = None
    graph: Any = None


class _WhatItReads(NamedTuple):
    code: CodeType
    reads: list[Read]
    values: list[Any]
    step: KerasStep | None


class _Ended(NamedTuple):
    """What a graph still held when what it was read of was freed. `is_replaced`: that is the function itself, or an
    object that it is passed, or one in whose place its name has another one now, for which another function may have
    been made. `value`: the new one; MISSING if it is not plain. `graph_first`: that went before the object."""

    watched: Watched
    place: int
    traced: str
    now: str
    is_replaced: bool
    value: Any
    graph_first: bool = False


class StaleValues:
    """Not thread-safe: the recorder holds its lock."""

    def __init__(self, values: Values) -> None:
        self._texts = Texts(values)
        self._by_code: dict[Any, collections.deque[Watched]] = {}
        self._freed = Freed(self._look_at_freed)
        self._ended: collections.deque[_Ended] = collections.deque(maxlen=_MAX_ENDED)
        self._outlived: collections.deque[_Ended] = collections.deque(maxlen=_MAX_ENDED)
        self._changed_further: collections.deque[tuple[Watched, int]] = collections.deque(maxlen=_MAX_ENDED)
        self._latest: tuple[int, _WhatItReads] | None = None
        self._read_by: dict[int, dict[Name, Any]] = {}  # what the latest traces read, whose functions may be gone

    def watch(
        self, seq: int, code_key: Any, asked: Asked,
        chosen_by: Callable[[], Any] = lambda: None, owner: int = 0,
    ) -> None:  # fmt: skip
        """Remembers the plain values (numbers, strings, bools, None; lists and dictionaries of these that are read
        whole) and members of Enums that a user's code was just traced with; and which models, variables and tensors.

        `chosen_by`: alike for traces that calls do not tell apart by more than their tensors.
        `owner`: number of the tf.function object among those of the code.
        """
        latest, self._latest = self._latest, None
        found = latest[1] if latest is not None and latest[0] == seq else self._what_it_reads(asked)
        if found is None:
            return
        code, reads, values, step = found
        if step is None or runs_of(asked.function) is not None:
            self._read_by[seq] = {read.name: value for read, value in zip(reads, values, strict=True)}
            if len(self._read_by) > _MAX_COMPARED:
                del self._read_by[next(iter(self._read_by))]
        if reads or asks_in_tests(code):  # other traces of it may read some
            watched = self._by_code.setdefault(code_key, collections.deque(maxlen=_MAX_TRACES_PER_CODE))
            choice = chosen_by() if any(read.name.path == _TRAINED for read in reads) else None
            one = Watched(seq, owner, reads, values, step, choice)
            watched.append(one)
            if asked.concrete_function is not None:
                one.graph = weakref.ref(asked.concrete_function, lambda _: self._look_at_the_last(one))
                one.passed = tuple([weakref.ref(argument) for argument in (asked.arguments or {}).values()])
            elif asked.graph is not None:
                one.graph = weakref.ref(asked.graph)
            if step is None:
                self._freed.notice_collections()
                holders = [*one.passed, *(holder for read in reads for holder in _holders(read))]
                for holder in {id(holder): holder for holder in holders}.values():
                    self._freed.follow(holder)

    def read_otherwise(
        self, seq: int, before_seq: int, code_key: Any, asked: Asked
    ) -> dict[str, tuple[str, str]] | None:
        """What a trace that is about to be watched reads otherwise than that earlier one of its code, by name, as
        texts; "" of what the one or the other does not read. None: not known."""
        before = next((one for one in self._by_code.get(code_key, ()) if one.seq == before_seq), None)
        was = self._read_by.get(before_seq)
        if was is None and before is not None and before.step is None:
            was = {read.name: value for read, value in zip(before.reads, before.values, strict=True)}
        if was is None:
            return None
        if self._latest is None or self._latest[0] != seq:  # it may be compared with several
            found = self._what_it_reads(asked)
            if found is None:
                return None
            self._latest = seq, found
        found = self._latest[1]
        now = {read.name: value for read, value in zip(found.reads, found.values, strict=True)}
        others = {n: self._texts.of_change(was[n], now[n]) for n in was if n in now and not are_same(was[n], now[n])}
        others |= {name: (self._texts.of(value), "") for name, value in was.items() if name not in now}
        others |= {name: ("", self._texts.of(value)) for name, value in now.items() if name not in was}
        return {_shown(name).text: texts for name, texts in others.items()}

    def _what_it_reads(self, asked: Asked) -> _WhatItReads | None:
        """None of what reads nothing, and of no user's code."""
        function, instance, arguments = asked.function, asked.instance, asked.arguments
        is_users = type(function) is FunctionType and is_user_file(function.__code__.co_filename)
        if not arguments and reads_nothing(function):
            return None
        calls = () if is_users else call_of_a_layer(function, instance, asked.passed)
        if type(function) is not FunctionType:  # an object that tf.function was passed
            called = type(function).__call__ if callable(function) else None
            if type(called) is not FunctionType or not (calls or is_user_file(called.__code__.co_filename)):
                return None
            function, instance = called, function
            is_users = is_user_file(function.__code__.co_filename)
            if is_users and not names_of(function.__code__).by_text and not arguments:  # as above
                return None
        step, found = None, []
        if is_users:
            models: list[Any] = []
            found = all_reads(function, instance, arguments=arguments, passed=asked.passed, trained=models)
            if asked.arrays:
                found += read_of_arrays(function, asked.arrays, asked.passed)
            for model in {id(model): model for model in models}.values():
                found += [whether_trained(run.function, run.instance(), run.text) for run in trained_layers(model)]
        elif calls:
            found = [one for run in calls for one in reads_of_keras(run.training, run)]
        elif (step := keras_step(function)) is not None:
            found = [one for run in step.runs for one in reads_of_keras(step.trains, run)]
            step = step._replace(runs=())  # a loss is not kept alive, nor what it closes over
        found = without_those_not_captured(found, asked.concrete_function)
        if asked.concrete_function is not None and step is None:
            everything = {**(arguments or {}), "self": instance}
            found += tensors_of_libraries(function, found, everything, asked.concrete_function)
        reads, values = [], []
        for read, value in found:
            if value is NOT_THERE:
                pass
            elif is_plain(value):
                if isinstance(value, (str, bytes)) and len(value) > _MAX_HELD_TEXT:
                    continue
            elif type(value) in _NOT_HELD:
                continue
            elif (known := kept_contents(value) or kept_elements(read, value) or self._texts.held(value)) is not None:
                value = known
            elif (length := length_of(value)) is not None:  # of objects, say
                read, value = read._replace(name=read.name._replace(asks="len")), length
            else:
                continue
            is_its_name = type(value) is Member and read.name.path and value.text.endswith(f".{read.name.path[-1]}")
            if is_its_name and not (value.is_itself and read.asked_by):
                continue  # `tf.float32`; `Mode.FAST`, but for tests
            reads.append(read)
            values.append(value)
        return _WhatItReads(function.__code__, reads, values, step)

    def _look_at_freed(self, reference: weakref.ReferenceType[Any], stand_in: Any) -> None:
        """Of graphs that could be run until now. Called wherever the last reference to an object goes."""
        of_function = type(stand_in) is FunctionType
        for watched in [watched for traces in list(self._by_code.values()) for watched in list(traces)]:
            is_passed = any(one is reference for one in watched.passed)
            if watched.is_gone_but_for(reference) or watched.step is not None:
                continue
            for place, (read, traced) in enumerate(zip(watched.reads, watched.values, strict=True)):
                is_known = place in watched.ended or read.name.path == _TRAINED
                is_its_own = any(one is reference for one in _holders(read))
                if is_known or not (is_passed or is_its_own):
                    continue
                now = value_now(read_by_stand_in(read, reference, stand_in))
                if now is stand_in or now is GONE or is_same(now, traced):
                    continue
                if (told := watched.told.get(place)) is not None:
                    after = self._texts.of_change(traced, now)[1]
                    stays = is_passed or not (of_function or leads_elsewhere(read, reference, stand_in))
                    if stays and is_plain(now) and after != told[0]:
                        watched.told[place] = after, told[1]
                        self._changed_further.append((watched, place))
                    continue
                if not watched.decides_alike(place, lambda one: value_now(read_by_stand_in(one, reference, stand_in))):
                    watched.ended.add(place)
                    is_replaced = of_function or not is_its_own or leads_elsewhere(read, reference, stand_in)
                    self._ended.append(
                        _Ended(watched, place, *self._texts.of_change(traced, now), is_replaced, _plain(now))
                    )

    def _look_at_the_last(self, watched: Watched) -> None:
        """Of a graph that could be run until now, and whose function goes after it: one that a local function was
        traced into. Not of one that Python's collector has found: nothing could run that for a while."""
        if watched.step is not None or self._freed.is_collecting:
            return
        try:
            for place, (read, traced) in enumerate(zip(watched.reads, watched.values, strict=True)):
                is_known = place in watched.told or place in watched.ended or read.name.path == _TRAINED
                if is_known:
                    continue
                now = value_now(read)
                if now is not GONE and not is_same(now, traced):
                    watched.ended.add(place)
                    texts = self._texts.of_change(traced, now)
                    self._ended.append(_Ended(watched, place, *texts, True, _plain(now), graph_first=True))
        except Exception:  # as in freed.py
            pass

    def _freed_since(self) -> list[_Ended]:
        """Of what objects still held once a graph was freed, what is of those that have gone, too, by the end."""
        if self._outlived and gc.isenabled():
            gc.collect()  # Keras' models refer to themselves
        freed = [one for one in self._outlived if not (_is_kept(one) or self._is_taken_over(one))]
        self._outlived.clear()
        return freed

    def _is_chosen(self, watched: Watched, read: Read, now: Any) -> bool:
        """Whether another graph trains the layer, or does not, as it is set now: programs that freeze layers by turns,
        as those of GANs, set them before each call of either, and calls of other arguments or functions find it."""
        layer = read.instance() if read.instance is not None else None
        others = (other for traces in self._by_code.values() for other in traces if other.chosen_by is not None)
        return layer is not None and any(
            one.name.path == _TRAINED and one.instance is not None and one.instance() is layer and is_same(now, traced)
            for other in others
            if other.chosen_by != watched.chosen_by and (other.graph is None or other.graph() is not None)
            for one, traced in zip(other.reads, other.values, strict=True)
        )

    def check(self, *, final: bool = False) -> Iterator[Stale]:
        """What became stale, or fresh again, since the last check; `final`: and what changed further since.

        Of a function that is gone once another of its code was made and has read what is now, as what calls choose."""
        ended = [self._ended.popleft() for _ in range(len(self._ended))]  # beside which more may come
        ended = [one for one in ended if not (one.is_replaced and self._is_taken_over(one))]
        outlived = [one.graph_first and _is_kept(one) for one in ended]
        self._outlived.extend(itertools.compress(ended, outlived))
        ended = [one for one, is_kept in zip(ended, outlived, strict=True) if not is_kept]
        if final:
            ended += self._freed_since()
        while self._changed_further:
            gone_since, place = self._changed_further.popleft()
            if (told := gone_since.told.get(place)) is not None:
                traced = self._texts.of(gone_since.values[place])
                yield _stale(gone_since.seq, gone_since.reads[place].name, traced, *told)
        values: dict[tuple[Any, ...], Any] = {}  # a function's traces read the same
        made_again: list[tuple[Watched, int]] = []
        for watched_traces in self._by_code.values():
            stale: dict[Name, None] = {}
            alike: list[tuple[Watched, int]] = []
            for watched in list(watched_traces):
                if watched.step is not None and not watched.step.is_current():
                    watched_traces.remove(watched)
                    for index in watched.told:  # what is to be done about it is done
                        text = self._texts.of(watched.values[index])
                        yield Stale(watched.seq, _shown(watched.reads[index].name), text, text)
                    continue
                if watched.is_gone:
                    yield from self._taken_over(watched, watched_traces)
                    made_again += [(watched, i) for i in watched.told if _is_made_again(watched, i, watched_traces)]
                    if not watched.told and not watched.is_kept:
                        watched_traces.remove(watched)
                    continue
                gone = 0
                for index, (read, traced) in enumerate(zip(watched.reads, watched.values, strict=True)):
                    key = read.key
                    now = values.get(key, MISSING)
                    if now is MISSING:
                        now = values[key] = value_now(read)
                    if now is GONE:
                        gone += 1
                        continue
                    told = watched.told.get(index)
                    if (same := is_same(now, traced)) or watched.decides_alike(index, value_now):
                        alike += [] if same else [(watched, index)]
                        if told is not None:
                            del watched.told[index]
                            yield Stale(watched.seq, _shown(read.name), self._texts.of(traced), self._texts.of(traced))
                    elif told is None or final or read.name.path == _TRAINED:
                        before, after = self._texts.of_change(traced, now)
                        is_chosen = read.name.path == _TRAINED and self._is_chosen(watched, read, now)
                        if _is_made_again(watched, index, watched_traces):
                            made_again.append((watched, index))
                            is_chosen = told is None or told[1]  # until it is known whether it is gone
                        watched.told[index] = after, is_chosen
                        if told != (after, is_chosen):
                            yield _stale(watched.seq, read.name, before, after, is_chosen)
                if watched.reads and gone == len(watched.reads):  # the function itself is gone
                    watched_traces.remove(watched)
                stale.update((watched.reads[index].name, None) for index in watched.told)
            for watched, index in alike:  # of another one, for which it is stale, it is told what this one read
                if watched.reads[index].name in stale and index not in watched.alike:
                    watched.alike.add(index)
                    text = self._texts.of(watched.values[index])
                    yield Stale(watched.seq, _shown(watched.reads[index].name), text, text)
            for watched in (one for one in watched_traces if stale and not one.is_gone):
                known = watched.unread.union(read.name for read in watched.reads) if watched.step is None else stale
                for name in stale.keys() - known:
                    watched.unread.add(name)
                    yield Stale(watched.seq, _shown(name), "", "")
        values.clear()  # objects that may go now
        now = None
        if final and made_again:
            yield from self._settled(made_again)
        if not final:
            self._ended.extendleft(reversed(ended))
            return
        self._freed.stop()
        for one in (one for one in ended if one.place not in one.watched.told):
            yield _stale(one.watched.seq, one.watched.reads[one.place].name, one.traced, one.now, False)

    def _taken_over(self, watched: Watched, traces: Iterable[Watched]) -> Iterator[Stale]:
        """Of a graph for an object that is gone: what graphs for later ones have read anew."""
        later = [other for other in traces if other.seq > watched.seq] if watched.is_kept else []
        now = {read.key: value for one in later for read, value in zip(one.reads, one.values, strict=True)}
        for index, (read, traced) in enumerate(zip(watched.reads, watched.values, strict=True)):
            if index not in watched.told and not are_same(now.get(read.key, traced), traced):
                before, after = self._texts.of_change(traced, now[read.key])
                watched.told[index] = after, True
                yield _stale(watched.seq, read.name, before, after, True)

    def _is_taken_over(self, ended: _Ended) -> bool:
        """Whether a later trace, of whatever function, has read the new value by that name; of what is not plain,
        another one."""
        name, traced = ended.watched.reads[ended.place].name, ended.watched.values[ended.place]
        return any(
            read.name == name
            and (not are_same(value, traced) if ended.value is MISSING else are_same(value, ended.value))
            for traces in self._by_code.values()
            for other in traces
            if other.seq > ended.watched.seq
            for read, value in zip(other.reads, other.values, strict=True)
        )

    def _settled(self, made_again: list[tuple[Watched, int]]) -> Iterator[Stale]:
        """Of each function that another of its code has followed, whether it is still there, beside that, to be run."""
        if gc.isenabled() and not all(watched.is_gone for watched, _ in made_again):
            gc.collect()  # functions of TensorFlow's refer to themselves
        for watched, index in made_again:
            now, is_chosen = watched.told[index]
            if is_chosen != watched.is_gone:
                watched.told[index] = now, watched.is_gone
                name, traced = watched.reads[index].name, self._texts.of(watched.values[index])
                yield _stale(watched.seq, name, traced, now, watched.is_gone)


def _holders(read: Read) -> list[weakref.ReferenceType[Any]]:
    """What a value lies in, with what leads to it."""
    own = [] if read.instance is None else [read.instance]
    own += [read.function] if read.name.base in _READ_BY_FUNCTION else []
    return own if read.route is None else [*own, *_holders(read.route)]


def _is_kept(ended: _Ended) -> bool:
    """Whether an object whose attribute it is has outlived the graph, which another one may have replaced."""
    read = ended.watched.reads[ended.place]
    return read.name.base not in _READ_BY_FUNCTION and any(one() is not None for one in _holders(read))


def reads_nothing(function: Any) -> bool:
    """By any name, as many a small function of the user's."""
    code = function.__code__ if type(function) is FunctionType else None
    return code is not None and is_user_file(code.co_filename) and not names_of(code).by_text


def _plain(value: Any) -> Any:
    return value if is_plain(value) else MISSING


def _stale(seq: int, name: Name, traced: str, now: str, is_chosen: bool) -> Stale:
    """Of a global it stays known that it is one: other functions read it, too."""
    if is_chosen and name.kind == "global":
        return Stale(seq, name._replace(base=CHOSEN_GLOBAL), traced, now)
    return Stale(seq, _shown(name), traced, now, is_chosen)


def _shown(name: Name) -> Name:
    """As its user knows it."""
    if name.path == ELEMENTS:
        return name._replace(path=())
    return name._replace(path=("trainable",)) if name.path == _TRAINED else name


def _is_made_again(watched: Watched, index: int, traces: Iterable[Watched]) -> bool:
    """Whether another function of the same code, made later, has read something else by that name, of the same object,
    since. Keras makes one for each model, and which layers are trained is set before each call."""
    if watched.graph is None or watched.step is not None or watched.reads[index].name.path == _TRAINED:
        return False
    (name, _, instance, *_), traced = watched.reads[index], watched.values[index]
    others = [one for one in traces if one.seq > watched.seq and one.owner != watched.owner]
    made_for = {one.owner: one for one in reversed(others)}  # what changes later than the first is another change
    return any(
        read.name == name
        and (read.instance is instance or name.base in _READ_BY_FUNCTION)
        and not are_same(value, traced)
        for other in made_for.values()
        for read, value in zip(other.reads, other.values, strict=True)
    )
