"""Dictionaries that have a key in some calls only."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import node_of, nodes_at
from tb_retrace_plugin.explain.advice.source.call_lines import lines_without_the_variable, variable_passed
from tb_retrace_plugin.explain.advice.source.code import listed, unless_around_is_none
from tb_retrace_plugin.explain.advice.structures.neutral_values import Neutral, neutral_value
from tb_retrace_plugin.explain.candidate import Candidate, is_number
from tb_retrace_plugin.schema.signature import Node

MISSING = "no such key"
_MAX_BY_HAND = 3
_ROOT = re.compile(r"[^.\[]*")


@dataclass(frozen=True, slots=True)
class _Key:
    """One that is missing in some calls. `node`: what others pass. `value`: what is neutral there; None: not known.

    `passed`: how the call has the dictionary.
    """

    container: str
    key: str
    node: Node
    value: Neutral | None
    passed: str

    @property
    def path(self) -> str:
        return self.container + self.key

    @property
    def line(self) -> str:
        name = self.key[1:-1]
        if self.value is not None:
            return f"{self.passed}.setdefault({name}, {self.value.code(self.passed)})  # or what is neutral"
        if is_number(self.node):
            return f"{self.passed}{self.key} = tf.constant({self.passed}.get({name}, …))  # what is neutral"
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
            if one.value.is_of_one_shape:
                outside[one.path] = {"shape": list(one.value.node.shape or ()), "dtype": one.value.node.dtype}
    as_there = "shape and dtype as in the calls that have the key"
    if shaped_like:
        as_there = "dtype as in the calls that have the key, in that shape"
    return Fix(
        "same_keys", _text(function, found),
        Candidate(keys={path: tuple(added.items()) for path, added in keys.items()}, shaped_like=shaped_like),
        other="\n".join([*(_line(function, one) for one in found), *_by_hand(function, found)]),
        outside={"keys": outside} if len(outside) == len(found) else None,
        assumes=f"a neutral value can be passed, of the same {as_there}",
    )  # fmt: skip


def propose_unknown(function: FunctionFacts) -> Fix | None:
    """The others. What a Python value is, is a part of the signature: a neutral one would be another trace."""
    found = [key for key in _missing_keys(function) if key.value is None]
    if found:
        text = _text(function, found)
        if numbers := [one.path for one in found if is_number(one.node)]:
            text += f" Pass {listed(numbers)} as {'a tensor' if len(numbers) == 1 else 'tensors'}: a Python number that"
            text += " is another one is traced."
        code = "\n".join([*(_line(function, one) for one in found), *_by_hand(function, found)])
        evidence = "Which shape a neutral value would have is not known."
        if all(one.node.kind != "tensor" for one in found):
            evidence = "What a neutral value would be is not known."
        return Fix("same_keys", text, None, other=code, evidence=evidence)
    mixed = [path for path, keys in _sometimes(function).items() if not _can_be_in_one(list(keys))]
    if not mixed:
        return None
    text = (
        f"{listed(mixed)} of `{function.name}` {'has' if len(mixed) == 1 else 'have'} other keys in other calls, which"
        " are not known to fit into one dictionary: TensorFlow sorts keys. Use the same keys at every call."
    )
    return Fix("same_keys", text, None, evidence="Which keys all calls could have is not recorded.")


def _line(function: FunctionFacts, one: _Key) -> str:
    """Nothing where the dictionary, or what it lies in, is None."""
    root = _ROOT.match(one.path)[0]  # type: ignore[index]
    return unless_around_is_none(function, one.path, one.line, root=root, argument=variable_passed(function, root))


def _by_hand(function: FunctionFacts, found: Sequence[_Key]) -> list[str]:
    """Where a dictionary that lacks one is written out in the call."""
    lines: dict[str, None] = {}
    for one in found:
        root = _ROOT.match(one.path)[0]  # type: ignore[index]
        lacking = {function.caller(trace) for trace in function.traces if node_of(trace, one.path) is None}
        lines |= dict.fromkeys(lines_without_the_variable(function, root, lacking))
    return [*lines][:_MAX_BY_HAND]


def _text(function: FunctionFacts, found: Sequence[_Key]) -> str:
    verb = "is" if len(found) == 1 else "are"
    return (
        f"{listed([one.path for one in found])} of `{function.name}` {verb} there in some calls and"
        " missing in others. Give it the same keys at every call, with a neutral value where there is none."
    )


def _missing_keys(function: FunctionFacts) -> list[_Key]:
    found = []
    for path, keys in _sometimes(function).items():
        if _can_be_in_one(list(keys)):
            nodes = _dictionaries_at(function, path)
            missing = [key for key in keys if any(key not in dict(node.children) for node in nodes)]
            root = _ROOT.match(path)[0]  # type: ignore[index]
            passed = variable_passed(function, root) + path[len(root) :]
            found += [_Key(path, key, keys[key], neutral_value(nodes, key), passed) for key in missing]
    return found


def _sometimes(function: FunctionFacts) -> dict[str, dict[str, Node]]:
    """Of each dictionary that changes its keys, outermost first: all that it ever has, with what is passed there."""
    changes = [change for _, change in function.with_cause("structure") if MISSING in (change.old, change.new)]
    found: dict[str, dict[str, Node]] = {}
    for path in sorted({_container_of(function, change.path): None for change in changes}, key=len):
        union: dict[str, Node] = {}
        for node in _dictionaries_at(function, path):
            for key, child in node.children:
                union.setdefault(key, child)
        if union:
            found[path] = union
    return found


def _container_of(function: FunctionFacts, path: str) -> str:
    """The dictionary that has what is at `path` as a key, which may hold brackets; "" if there is none."""
    places = [place for place, letter in enumerate(path) if letter == "["]
    return next(
        (path[:i] for i in places for node in _dictionaries_at(function, path[:i]) if path[i:] in dict(node.children)),
        "",
    )


def _dictionaries_at(function: FunctionFacts, path: str) -> list[Node]:
    return [node for node in nodes_at(function, path) if node.kind == "dict"]


def _can_be_in_one(keys: Sequence[str]) -> bool:
    """Whether all of them can be keys of one dictionary that TensorFlow takes: it sorts them."""
    try:
        values: list[Any] = [ast.literal_eval(key[1:-1]) for key in keys]
        values.sort()
        return len(set(values)) == len(keys)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # objects, or of several types
        return False
