"""Dictionaries that have a key in some calls only."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import NeutralValue
from tb_retrace_plugin.explain.advice.evidence.key_defaults import default_of
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.neutral_by_graph import NONE, ONES, ZEROS, is_neutral, neutral_by_graph
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.source.call_lines import (
    calling_frame,
    lines_without_the_variable,
    variable_passed,
)
from tb_retrace_plugin.explain.advice.source.code import unless_around_is_none
from tb_retrace_plugin.explain.advice.structures.neutral_values import Neutral, neutral_value
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number
from tb_retrace_plugin.schema.signature import CONTAINERS, Node, node_text, parameter_of

_MAX_BY_HAND = 3
_NEUTRAL = "Ones are neutral for what the code multiplies with, such as a mask or weights; for what it adds, zeros are."
_WHOLE = (
    "`tf.constant` makes a whole number one of int32: where the code computes in fractions, write"
    " `tf.constant(…, tf.float32)`."
)
_MAX_TOLD = 3
_SUMS = frozenset({"Sum", "Prod"})
#: In a text that Python makes of an object which has none of its own.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
#: Of more keys than this nobody writes a neutral value for each.
_MOST_KEYS = 20


@dataclass(frozen=True, slots=True)
class _Key:
    """One that is missing in some calls. `node`: what others pass. `value`: what is neutral there; None: not known.

    `refused`: what graphs tell of those of its tensors for which nothing is known to be. `passed`: how the call has the
    dictionary. `like`: what it is in all calls, of one shape. `default`: what the code takes where it is missing; "":
    not known.
    """

    container: str
    key: str
    node: Node
    value: Neutral | None
    passed: str
    refused: Mapping[str, NeutralValue]
    like: str
    default: str = ""

    @property
    def path(self) -> str:
        return self.container + self.key

    @property
    def is_by_default(self) -> bool:
        """Whether what stands for it is what the code itself takes."""
        return self.value is not None and "" in self.value.tensors and bool(self.value.tensors[""].written)

    @property
    def line(self) -> str:
        name = self.key[1:-1]
        if self.value is not None and self.is_by_default:
            return f"{self.passed}.setdefault({name}, {self.value.code(self.passed)})  # as the code has it"
        if self.value is not None:
            return f"{self.passed}.setdefault({name}, {self.value.code(self.passed)})  # or what is neutral"
        if is_number(self.node):
            default, said = (self.default, "as the code has it") if self.default else ("…", "what is neutral")
            return f"{self.passed}{self.key} = tf.constant({self.passed}.get({name}, {default}))  # {said}"
        if self.default:
            return f"{self.passed}.setdefault({name}, {self.default})  # as the code has it"
        if self.refused:
            like = self.like or "in the size of this call"
            return f"{self.passed}.setdefault({name}, …)  # what you choose: {like}"
        return f"{self.passed}.setdefault({name}, …)  # what is neutral, in the size of this call"


def propose(function: FunctionFacts) -> Fix | None:
    """Those for which a neutral value can be written: it is of the same type in each call."""
    found = [key for key in _missing_keys(function) if key.value is not None]
    if not found:
        return None
    keys: dict[str, dict[str, Node]] = {}
    shaped_like: dict[str, tuple[str, int]] = {}
    outside: dict[str, dict[str, object]] = {}
    for one in found:
        if one.value is not None:
            keys.setdefault(one.container, {})[one.key] = one.value.node
            shaped_like |= {one.container + leaf: like for leaf, like in one.value.shaped_like(one.key).items()}
            if one.value.is_of_one_shape and not one.is_by_default:
                outside[one.path] = {"shape": list(one.value.node.shape or ()), "dtype": one.value.node.dtype}
                if one.value.tensors[""].is_added:
                    outside[one.path]["zeros"] = True
    value = "what the code has by default" if all(one.is_by_default for one in found) else "a neutral value"
    as_there = "shape and dtype as in the calls that have the key"
    if shaped_like:
        as_there = "dtype as in the calls that have the key, in that shape"
    return Fix(
        "same_keys", _text(function, found),
        Candidate(keys={path: tuple(added.items()) for path, added in keys.items()}, shaped_like=shaped_like),
        other="\n".join([*(_line(function, one) for one in found), *_by_hand(function, found)]),
        outside={"keys": outside} if len(outside) == len(found) else None,
        assumes=f"{value} can be passed, of the same {as_there}", notes=_notes(function, found),
    )  # fmt: skip


def propose_unknown(function: FunctionFacts) -> Fix | None:
    """The others. What a Python value is, is a part of the signature: a neutral one would be another trace."""
    if named := [path for path, one in _sometimes(function).items() if _are_of_addresses(one)]:
        return _by_addresses(function, named)
    found = [key for key in _missing_keys(function) if key.value is None]
    if found:
        open_ones = [one for one in found if not one.default]
        notes = [note for one in open_ones for note in _told_of_refused(one)]
        notes = notes or (_notes(function, open_ones) if open_ones else [])
        if numbers := [one.path for one in found if is_number(one.node)]:
            tensors = "a tensor" if len(numbers) == 1 else "tensors"
            notes.append(f"Pass {listed(numbers)} as {tensors}: a Python number that is another one is traced.")
            if any(one.node.type_name == "int" for one in found if is_number(one.node)):
                notes.append(_WHOLE)
        code = "\n".join([*(_line(function, one) for one in found), *_by_hand(function, found)])
        evidence = "Which shape a neutral value would have is not known."
        if all(one.default for one in found):
            evidence = "Which shape it has is not known."
        elif any(one.refused for one in found) or all(one.node.kind != "tensor" for one in found):
            evidence = "What a neutral value would be is not known."
        return Fix("same_keys", _text(function, found), None, other=code, evidence=evidence, notes=notes)
    sometimes = _sometimes(function)
    many = {path: one for path, one in sometimes.items() if one.missing and _can_be_in_one([*one.keys])}
    if many and not _missing_keys(function):
        return _too_many(function, many)
    mixed = [path for path, one in sometimes.items() if not _can_be_in_one([*one.keys])]
    if not mixed:
        return None
    text = (
        f"{listed(mixed)} of `{function.name}` {'has' if len(mixed) == 1 else 'have'} other keys in other calls, which"
        " are not known to fit into one dictionary: TensorFlow sorts keys. Use the same keys at every call."
    )
    return Fix("same_keys", text, None, evidence="Which keys all calls could have is not recorded.")


def _are_of_addresses(one: _Dictionaries) -> bool:
    return bool(one.missing) and all(map(_ADDRESS.search, one.missing))


def _by_addresses(function: FunctionFacts, paths: Sequence[str]) -> Fix:
    """Texts of objects, which are others for each object and in each run: no value stands for such a key."""
    have = "has" if len(paths) == 1 else "have"
    text = (
        f"{listed(paths)} of `{function.name}` {have} keys that hold an object's address in memory (`at 0x…`), such as"
        " `str()` makes of it: another object is another key, and each set of keys is traced. Use keys that name what"
        " is stored there, or its place (`dict(enumerate(…))`), so that they are the same for other objects."
    )
    notes = ["What looks something up by such a key has to use the new one, too."]
    evidence = "Which of the objects would have one key is not recorded."
    return Fix("same_keys", text, None, evidence=evidence, notes=notes)


def _too_many(function: FunctionFacts, sometimes: Mapping[str, _Dictionaries]) -> Fix:
    """Such as names of what is in a batch: they are data, and no structure."""
    keys = sum(len(one.missing) for one in sometimes.values())
    paths = list(sometimes)
    text = (
        f"{listed(paths[:_MAX_BY_HAND])} of `{function.name}` {'has' if len(paths) == 1 else 'have'} other keys in"
        f" other calls, {keys:,} so far, and each set of keys is traced. Pass what varies as values: one tensor with"
        " the keys, and one with what is stored there."
    )
    return Fix("same_keys", text, None, evidence="What the function does with the keys is not recorded.")


def _line(function: FunctionFacts, one: _Key) -> str:
    """Nothing where the dictionary, or what it lies in, is None."""
    root = _argument(function, one.path)
    return unless_around_is_none(function, one.path, one.line, root=root, argument=variable_passed(function, root))


def _argument(function: FunctionFacts, path: str) -> str:
    """In which argument it lies: `args[1]` and `options['k']` are arguments of their own."""
    paths = [argument for argument, _ in function.traces[0].lookup.signature.arguments]
    return next((a for a in paths if path == a or path.startswith((f"{a}.", f"{a}["))), parameter_of(path))


def _by_hand(function: FunctionFacts, found: Sequence[_Key]) -> list[str]:
    """Where a dictionary that lacks one is written out in the call."""
    lines: dict[str, None] = {}
    for one in found:
        root = _argument(function, one.path)
        lacking = {calling_frame(function, trace) for trace in function.traces if node_of(trace, one.path) is None}
        lines |= dict.fromkeys(lines_without_the_variable(function, root, lacking))
    return [*lines][:_MAX_BY_HAND]


def _text(function: FunctionFacts, found: Sequence[_Key]) -> str:
    verb = "is" if len(found) == 1 else "are"
    value = "a value that you choose" if all(one.refused for one in found) else "a neutral value"
    if all(one.is_by_default or (one.default and one.value is None) for one in found):
        value = f"the value that the code takes ({listed(list(dict.fromkeys(one.default for one in found)))})"
    return (
        f"{listed([one.path for one in found])} of `{function.name}` {verb} there in some calls and"
        f" missing in others. Give it the same keys at every call, with {value} where there is none."
    )


def _notes(function: FunctionFacts, found: Sequence[_Key]) -> list[str]:
    """By what the graphs do with them, where that is known of all."""
    known = {
        one.path + below: neutral_by_graph(function, one.path + below)
        for one in found
        if one.value is not None and not one.is_by_default
        for below in one.value.tensors
    }
    told: dict[tuple[str, str], list[str]] = {}
    for path, neutral in known.items():
        if neutral is not None:
            told.setdefault((neutral.word, _operations(neutral)), []).append(path)
    notes = [
        f"The graphs take {listed(paths)} in {taken}: {word} are neutral for that."
        for (word, taken), paths in told.items()
    ]
    more = {name for neutral in known.values() if neutral is not None for name in neutral.differs or ()}
    if more:
        notes.append(
            f"Where it is there, graphs differ in more than that ({_listed(more)}): ones may change results, too."
        )
    is_open = any(neutral is None for neutral in known.values())
    return [*notes, _NEUTRAL] if is_open else notes


def _told_of_refused(one: _Key) -> Iterator[str]:
    alike: dict[str, list[str]] = {}
    for path, neutral in one.refused.items():
        if not neutral.taken:
            told = "No value of {} is known to be neutral."
        elif neutral.word == NONE:
            told = f"The graphs take {{}} in {_operations(neutral)}: no value is known to be neutral for that."
        else:
            told = (
                f"With {neutral.word} for {{}} graphs differ from those that lack {{}} all the same"
                f" ({_listed(neutral.differs or ())}): no value is known to be neutral."
            )
        alike.setdefault(told, []).append(f"`{path}`")
    return (told.format(_and(paths), "it" if len(paths) == 1 else "them") for told, paths in alike.items())


def _operations(neutral: NeutralValue) -> str:
    names = {name.removesuffix(" from") for name in neutral.taken}
    # what is normalized by their sum is told by what else differs
    return _listed(names - _SUMS if neutral.word == ONES and names > _SUMS & names else names)


def _listed(names: Collection[str]) -> str:
    return _and([name if " " in name else f"`{name}`" for name in sorted(names) if name]) or "constants"


def _and(told: Sequence[str]) -> str:
    more = [] if len(told) <= _MAX_TOLD else [f"{len(told) - _MAX_TOLD} more"]
    told = [*told[:_MAX_TOLD], *more]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def _missing_keys(function: FunctionFacts) -> list[_Key]:
    """Nothing where they are too many to be written out, or of objects' addresses."""
    sometimes = {
        path: one
        for path, one in _sometimes(function).items()
        if _can_be_in_one([*one.keys]) and not _are_of_addresses(one)
    }
    if sum(len(one.missing) for one in sometimes.values()) > _MOST_KEYS:
        return []
    found = []
    for path, one in sometimes.items():
        root = _argument(function, path)
        passed = variable_passed(function, root) + path[len(root) :]
        for key in one.missing:
            value = neutral_value(one.nodes, key)
            default = default_of(function, path + key)
            by_default = value.with_default(default) if value is not None and default else None
            if by_default is not None:
                found.append(_Key(path, key, one.keys[key], by_default, passed, {}, "", default))
                continue
            refused = {} if value is None else _refused(function, path + key, value)
            like = node_text(one.keys[key]) if value is not None and value.is_of_one_shape else ""
            if value is not None:
                value = None if refused else value.with_added(functools.partial(_is_added, function, path + key))
            found.append(_Key(path, key, one.keys[key], value, passed, refused, like, default))
    return found


def _is_added(function: FunctionFacts, path: str, below: str) -> bool:
    neutral = neutral_by_graph(function, path + below)
    return neutral is not None and neutral.word == ZEROS


def _refused(function: FunctionFacts, path: str, value: Neutral) -> dict[str, NeutralValue]:
    """By their paths: its tensors for which nothing is known to be neutral. Of texts nothing is but by the graphs."""
    found = {
        path + below: neutral_by_graph(function, path + below)
        or (NeutralValue(NONE) if one.dtype == "string" else None)
        for below, one in value.tensors.items()
    }
    return {at: neutral for at, neutral in found.items() if neutral is not None and not is_neutral(neutral)}


class _Dictionaries:
    """What is passed at one path. `keys`: all that it ever has, with what is passed there first."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.keys: dict[str, Node] = {}
        self._times: Counter[str] = Counter()
        self._of_failed: set[str] = set()
        self._of_others: set[str] = set()

    def add(self, node: Node, *, failed: bool = False) -> None:
        self.nodes.append(node)
        (self._of_failed if failed else self._of_others).update([key for key, _ in node.children])
        for key, child in node.children:
            self.keys.setdefault(key, child)
            self._times[key] += 1

    @property
    def missing(self) -> list[str]:
        """Without what failed calls alone had, which others do without: it may be why they failed."""
        wrong = self._of_failed - self._of_others if self._of_others else frozenset()
        return [key for key in self.keys if self._times[key] < len(self.nodes) and key not in wrong]


def _sometimes(function: FunctionFacts) -> dict[str, _Dictionaries]:
    """Of each dictionary that changes its keys, outermost first."""
    changes = [change for _, change in function.with_cause("structure") if change.is_of_a_key]
    if not changes:
        return {}
    found = _dictionaries(function)
    paths = {_container_of(found, change.path): None for change in changes}
    return {path: found[path] for path in sorted(paths, key=len) if path in found and found[path].keys}


def _dictionaries(function: FunctionFacts) -> dict[str, _Dictionaries]:
    """All of each path, each distinct argument once, in time order."""
    found: dict[str, _Dictionaries] = defaultdict(_Dictionaries)
    seen: set[int] = set()
    for trace in function.traces:
        for pair in trace.lookup.signature.arguments:
            if id(pair) in seen:
                continue
            seen.add(id(pair))
            below = [pair]
            while below:
                path, node = below.pop()
                if node.kind == "dict":
                    found[path].add(node, failed=trace.lookup.failed)
                below += [(path + key, child) for key, child in node.children if child.kind in CONTAINERS]
    return dict(found)


def _container_of(dictionaries: Mapping[str, _Dictionaries], path: str) -> str:
    """The dictionary that has what is at `path` as a key, which may hold brackets; "" if there is none."""
    places = [place for place, letter in enumerate(path) if letter == "["]
    around = ((path[:place], path[place:]) for place in places)
    return next((at for at, key in around if at in dictionaries and key in dictionaries[at].keys), "")


def _can_be_in_one(keys: Sequence[str]) -> bool:
    """Whether all of them can be keys of one dictionary that TensorFlow takes: it sorts them."""
    try:
        values: list[Any] = [ast.literal_eval(key[1:-1]) for key in keys]
        values.sort()
        return len(set(values)) == len(keys)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # objects, or of several types
        return False
