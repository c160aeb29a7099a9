"""Python values that graphs still hold although the program has changed them: who, which, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.analysis.sessions.wording import list_text, quoted
from tb_retrace_plugin.explain.advice.results.counters import counted_texts
from tb_retrace_plugin.explain.verdict import evidence
from tb_retrace_plugin.explain.words.place import is_of_keras
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import parameter_of
from tb_retrace_plugin.schema.vocabulary import ANSWER, CHOSEN_GLOBAL

#: Values, names and functions that a sentence lists before it counts the others.
_LISTED = 3
_SET_BACK = "If it is set back before each call, there is nothing to do."
#: Traces within one that are looked at.
_MOST_WITHIN = 50
#: Graphs that hold an old value, of one name.
_MOST_COMPARED = 50
#: Kinds of values of which there is one.
_GLOBAL = ("global", CHOSEN_GLOBAL)
#: No array: it is a constant of each graph, as a number is.
_LENGTH = "len("
#: A tensor: its dtype, and its shape.
_TENSOR = re.compile(r"tensor #\d+ of (\w+) (.+)")
_ARRAY = re.compile(r"array #\d+")
_OBJECT = re.compile(r"(?!array #)[^\W\d]\w* #\d+(?: of .+)?")


@dataclass(slots=True)
class StaleName:
    """One name, over all traces of one code whose graphs hold an old value of it."""

    name: str
    found: list[tuple[TraceEvent, pb.StaleValue]] = field(default_factory=list)

    @property
    def is_object(self) -> bool:
        """Whether it is a model, a variable or a tensor, as they are numbered."""
        return all(_OBJECT.fullmatch(text) for _, value in self.found for text in (value.traced, value.now))

    @property
    def is_array(self) -> bool:
        """Whether it is one at the trace and now, perhaps the same one: only that its numbers are others is known."""
        return all(_ARRAY.fullmatch(text) for _, value in self.found for text in (value.traced, value.now))

    @property
    def now(self) -> str:
        """As it was when last looked at."""
        return max((value for _, value in self.found), key=lambda value: value.time_ns).now

    @property
    def nows(self) -> list[str]:
        """As each object that has it was when last looked at: instances have values of their own."""
        parameter = parameter_of(self.name)
        latest: dict[object, pb.StaleValue] = {}
        for event, value in self.found:
            owner = None if value.kind in _GLOBAL else _owner(event, parameter)
            if owner not in latest or value.time_ns >= latest[owner].time_ns:
                latest[owner] = value
        return list(dict.fromkeys(value.now for value in latest.values()))


def stale_names(events: Iterable[TraceEvent]) -> list[StaleName]:
    """In the order of the first trace that is stale by them."""
    return _by_name((event, value) for event in events for value in event.stale_values)


def _by_name(found: Iterable[tuple[TraceEvent, pb.StaleValue]]) -> list[StaleName]:
    names: dict[str, StaleName] = {}
    for event, value in found:
        names.setdefault(value.name, StaleName(value.name)).found.append((event, value))
    return list(names.values())


def values_read(events: Sequence[TraceEvent], *, of_objects: bool = False) -> dict[str, list[str | None]]:
    """For each name of which some trace read an old value, the value that each trace read; None: none, or not known.

    What is not stale has the value of now, but before one that is: a first trace that variables were created in, which
    TensorFlow lets go, has that of the second one, and a trace of another function object may have been gone by then.
    Of an attribute that is so within one function object, and of an argument's for the same argument: others have
    values of their own. `of_objects`: of models, variables and tensors, else of the others.
    """
    found: dict[str, list[str | None]] = {}
    # traces for an object that was gone, perhaps before the change, as later ones say that were compared with them
    gone = {event.record.closest_seq for event in events if evidence.IS_GONE in event.record.evidence}
    for stale in _by_name((event, value) for event in events for value in event.changed_values):
        old = {event.seq for event, _ in stale.found}
        if stale.is_object != of_objects:
            continue
        is_shared = any(value.kind in _GLOBAL for _, value in stale.found)
        parameter = parameter_of(stale.name)
        by_owner: dict[object, StaleName] = {}
        for event, value in stale.found:
            owner = None if is_shared else _owner(event, parameter)
            by_owner.setdefault(owner, StaleName(stale.name)).found.append((event, value))
        found[stale.name] = [
            None
            if event.failed or event.has_not_read(stale.name) or (event.seq in gone and event.seq not in old)
            else _read_by(event, by_owner.get(None if is_shared else _owner(event, parameter)))
            for event in events
        ]
    return found


def _read_by(event: TraceEvent, stale: StaleName | None) -> str | None:
    """`stale`: of what this trace reads; None: nothing of that is known."""
    if stale is None:
        return None
    old = {one.seq: value.traced for one, value in stale.found}
    if was := event.once_stale(stale.name):  # or has changed since, and decides alike
        return was
    return old.get(event.seq, _read_before(event, stale) if event.seq < max(old) else stale.now)


def _read_before(event: TraceEvent, stale: StaleName) -> str | None:
    """Of a trace that is not stale, before some that are: it was so for a while, if something else was read then."""
    of_its_object = [(one, value) for one, value in stale.found if one.record.object == event.record.object]
    later = [(one, value) for one, value in of_its_object if one.seq > event.seq]
    second = next(
        (value for one, value in later if one.record.n == event.record.n + 1 and one.kind == "variable_creation"), None
    )
    if second is not None:
        return second.traced
    return later[0][1].now if later else None


def read_by_keras(events: Sequence[TraceEvent]) -> frozenset[str]:
    """Names of values that code of Keras' own reads, in these traces or those within them."""
    if not any(event.session.stale_values for event in events[:1]):
        return frozenset()
    all_events = [one for event in events for one in (event, *traced_within(event))]
    return frozenset(value.name for event in all_events for value in event.changed_values if value.kind == "layer")


def _owner(event: TraceEvent, parameter: str) -> tuple[str, int]:
    """Equal where a trace reads of the same: of an object that is an argument, or in one function object."""
    arguments = event.record.signature.arguments
    identity = next((one.type.identity for one in arguments if one.path == parameter), 0)
    return ("argument", identity) if identity else ("function", event.record.object)


def values_read_within(events: Sequence[TraceEvent], *, of_objects: bool = False) -> dict[str, list[str | None]]:
    """As `values_read`, of other functions that were traced within these: their graphs are parts of these ones'."""
    if not any(event.session.stale_values for event in events[:1]):
        return {}
    around: dict[int, list[tuple[int, TraceEvent]]] = {}  # by function: what was traced at which place
    for place, event in enumerate(events):
        for inner in traced_within(event):
            if inner.function is not event.function:
                around.setdefault(inner.function.index, []).append((place, inner))
    found: dict[str, list[str | None]] = {}
    for inner_ones in around.values():
        for name, values in values_read([inner for _, inner in inner_ones], of_objects=of_objects).items():
            read = found.setdefault(name, [None] * len(events))
            for (place, _), value in zip(inner_ones, values, strict=True):
                read[place] = value if value is not None else read[place]
    return found


def traced_within(event: TraceEvent) -> Iterator[TraceEvent]:
    """The traces nested in it, as far as they came one after the other; the first few."""
    if event.record.nested_duration_ns <= 0:
        return
    for seq in range(event.seq + 1, event.seq + 1 + _MOST_WITHIN):
        inner = event.session.events.get(seq)
        if inner is None or event not in inner.ancestors:
            return
        yield inner


def changed_alike(names: Iterable[StaleName]) -> list[list[StaleName]]:
    """Those of which the same graphs hold the same, which is the same now: layers that are frozen together, say."""
    alike: dict[tuple[object, ...], list[StaleName]] = {}
    for stale in names:
        values = ((event.seq, value.traced, value.now, value.kind) for event, value in stale.found)
        ending = stale.name.rpartition(".")[2] if stale.name.endswith(".trainable") else stale.name
        alike.setdefault((ending, *values), []).append(stale)
    return list(alike.values())


def stale_sentence(stale: StaleName, group: FunctionGroup, alike: Sequence[StaleName] = ()) -> str:
    """``graph #1 still uses 10; `external` is now 100``. Graphs of traces that were counted only are not looked at.

    `alike`: others that have changed as it has.
    """
    return _sentence(stale, group, alike) + _found_by(stale, group)


def _found_by(stale: StaleName, group: FunctionGroup) -> str:
    """Which calls alone find these graphs, where that is a Python value that no call of the others has: `epoch`."""
    old = [event for event, _ in stale.found]
    seqs = {event.seq for event in old}
    own = list(map(_literals, old))
    others = [_literals(event) for event in group.successful if event.seq not in seqs]
    if not others or len(own) > _MOST_COMPARED:
        return ""
    for path in own[0]:
        values = [one.get(path) for one in own]
        if None not in values and not {one.get(path) for one in others} & {*values, None}:
            shown = list_text(list(dict.fromkeys(f"{value}" for value in values)), _LISTED)
            return f"; only calls with {shown} for {quoted(path)} find {'it' if len(old) == 1 else 'them'}"
    return ""


def _literals(event: TraceEvent) -> dict[str, str]:
    arguments = event.record.signature.arguments
    return {one.path: one.type.value for one in arguments if one.type.kind == pb.TypeNode.LITERAL}


def _sentence(stale: StaleName, group: FunctionGroup, alike: Sequence[StaleName]) -> str:
    graphs = f"{len(group.successful):,} {'recorded ' if group.omitted else ''}graphs"
    name = list_text([quoted(one.name) for one in (stale, *alike)], _LISTED)
    if len(stale.found) == 1:
        event, value = stale.found[0]
        if stale.is_array:
            return f"graph #{event.record.n} still uses the numbers that {name} held; it holds others now"
        are = "are" if alike else "is"
        return f"graph #{event.record.n} still uses {_value(value.traced)}; {name} {are} now {_value(value.now)}"
    which = "both graphs" if graphs == "2 graphs" else f"all {graphs}"
    which = f"{len(stale.found):,} of {graphs}" if len(stale.found) < len(group.successful) else which
    if stale.is_array:
        return f"{which} still use numbers that {name} held; it holds others now"
    values = list(dict.fromkeys(_value(value.traced) for _, value in stale.found))
    are, it = ("are", "they are") if alike else ("is", "it is")
    if len(values) == 1:
        return f"{which} still use {values[0]}; {name} {are} now {_values(stale.nows)}"
    return f"{which} still use older values of {name} ({list_text(values, _LISTED)}); {it} now {_values(stale.nows)}"


def stale_way_out(stale: StaleName, group: FunctionGroup) -> str:
    """What to do; Keras' functions a user does not call with arguments."""
    if any(value.kind == "argument" for _, value in stale.found):
        return "Pass the tensor that its `stack()` gives: TensorFlow looks at which tf.TensorArray it is, and no more."
    is_read_by_keras = any(value.kind == "layer" for _, value in stale.found)  # whose code may not take a variable
    if is_read_by_keras and not group.function.library:
        return "Define the function again after it: Keras' code may not take a tensor there."
    if group.function.library and stale.name.endswith(".trainable"):
        return f"Call `compile` again, which makes Keras trace anew. {_SET_BACK}"
    if is_read_by_keras:
        return "Call `compile` again, which makes Keras trace anew."
    if group.function.library and not is_of_keras(group.function.file):
        return "Define the function again after it, or make it a tf.Variable."
    if group.function.library:
        return "Call `compile` again, which makes Keras trace anew, or make it a tf.Variable."
    if stale.name.endswith(".trainable"):  # no call is looked at, and steps of a GAN freeze each other's layers
        return f"Define the function again after it: what is trained is read while it is traced. {_SET_BACK}"
    if stale.is_object and not stale.now.startswith("tensor #"):
        return (
            "Define the function again after it, or pass it as an argument; or keep the first one (a metric begins anew"
            " with `reset_state()`)."
        )
    if stale.name.startswith(_LENGTH):  # of a list of layers that grows, say: what is in it is built in
        return "Define the function again after it, or pass it as an argument: there is a trace for each length."
    if any(map(_is_no_tensor, (text for _, value in stale.found for text in (value.traced, value.now)))):
        return "Define the function again after it, or pass it as an argument: there is a trace for each."
    if ANSWER.match(stale.name):
        return "Define the function again after it, or pass it as an argument: there is a trace for each answer."
    if any(text.startswith(("[", "(", "{")) for _, value in stale.found for text in (value.traced, value.now)):
        return "Pass it as an argument, or keep what it holds in tf.Variables."
    specs = [found for _, value in stale.found for text in (value.traced, value.now) if (found := _TENSOR.match(text))]
    if len({found[1] for found in specs}) > 1:  # no variable holds tensors of several dtypes
        return "Pass it as an argument, or cast to one dtype what a tf.Variable in its place is to hold."
    is_attribute = any(value.kind == "attribute" for _, value in stale.found)  # of what may train all that it has
    shape = "shape=tf.TensorShape(None)" if len({found[2] for found in specs}) > 1 else ""
    given = ", ".join(filter(None, ("trainable=False" if is_attribute else "", shape)))
    are_whole = all(text.removeprefix("-").isdigit() for _, value in stale.found for text in (value.traced, value.now))
    dtype = ", of a fraction dtype where it meets fractions" if are_whole else ""  # as a Python number does by itself
    return f"Pass it as an argument or make it a tf.Variable{f' (`{given}`)' if given else ''}{dtype}."


def _is_no_tensor(text: str) -> bool:
    """A function, a text, which Python compares or looks something up by, and None: of no use as a tf.Variable; nor is
    a list of texts, or of objects."""
    if text.startswith(("[", "(")):
        return text[1:2] in ("'", '"')
    return text in ("None", "list object", "tuple object") or text.startswith(("function ", "'", '"', "b'", 'b"'))


def drawn_sentence(function: pb.Function, warnings: Sequence[str]) -> str:
    """What each graph has of its own trace, however often it is called; "" where nothing is known to be, or one of its
    advice's `warnings` says so."""
    names = [quoted(name) for name in function.drawn]
    if not names or any(names[0] in text for text in warnings):
        return ""
    is_one = len(names) == 1
    return (
        f"{list_text(names, _LISTED)} {'is' if is_one else 'are'} evaluated in Python while the function is traced, and"
        " not at each call: calls that one trace serves share what came of it. Draw random numbers with `tf.random`,"
        f" count in a tf.Variable, or pass {'it as a tensor' if is_one else 'them as tensors'}."
    )


def counted_texts_of(group: FunctionGroup) -> list[str]:
    """Of what the user's own code counts or adds to a list for its own sake, and users take for one of each call."""
    return [] if group.function.library else counted_texts(group.function.counted, are_fewer=False)


def stale_summary(functions: Iterable[tuple[str, list[StaleName]]]) -> str:
    """One sentence over functions (name as code, stale names); "" if there are none."""
    stale = [(name, names) for name, names in functions if names]
    if not stale:
        return ""
    if len(stale) == 1:
        function, names = stale[0]
        if len(names) == 1 and len(names[0].found) == 1:
            value = names[0].found[0][1]
            if names[0].is_array:
                return f"{function} uses a stale Python value: {quoted(value.name)} holds other numbers now."
            what = f"{quoted(value.name)} is {_value(value.traced)} in its graph, {_value(value.now)} now"
            return f"{function} uses a stale Python value: {what}."
        if len(names) == 1:
            now = "holds other numbers now" if names[0].is_array else f"is now {_values(names[0].nows)}"
            return f"{function} uses stale Python values of {quoted(names[0].name)}, which {now}."
        return f"{function} uses stale Python values: {list_text([quoted(n.name) for n in names], _LISTED)}."
    texts = [f"{function} ({list_text([quoted(n.name) for n in names], _LISTED)})" for function, names in stale]
    return f"{len(stale)} functions use stale Python values: {list_text(texts, _LISTED)}."


def _values(texts: Sequence[str]) -> str:
    return list_text([_value(text) for text in texts], _LISTED)


def _value(text: str) -> str:
    """A value as recorded; a backtick in it would begin code."""
    return text.replace("`", "'")
