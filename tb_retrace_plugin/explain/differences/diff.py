"""What keeps a cached signature from serving a wanted one, leaf by leaf, by TensorFlow's own subtyping rules.

The rules mirror `FunctionType.is_supertype_of` and the `is_subtype_of` of each trace type (TensorFlow 2.16 to 2.21,
`core/function/trace_type/default_types.py`, `python/framework/type_spec.py`): containers are covariant in their
parts and compare nothing else but class, length and keys, so the leaves that do not fit are both sufficient (put them
back and the cached graph is found) and minimal (leave one out and it is not).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.differences.aliases import diff_aliases
from tb_retrace_plugin.explain.differences.change import NO_SUCH_KEY, OF_STRINGS, OTHER_SEQUENCE, Change
from tb_retrace_plugin.explain.differences.lengths import parts_of_length
from tb_retrace_plugin.schema.signature import (
    CONTAINERS,
    NOT_PASSED,
    Node,
    Signature,
    declares_fields,
    node_text,
    shape_text,
    two_texts,
)

_NUMBERS = frozenset({"bool", "int", "float", "complex"})
_STRINGS = frozenset({"str", "bytes"})
_path_of = operator.itemgetter(0)
_SEQUENCES = frozenset({"tuple", "list"})
_BY_FIELD = frozenset({"named_tuple", "attrs"})


def diff_signatures(cached: Signature, wanted: Signature) -> list[Change]:
    """The changes from `cached` to `wanted`; empty exactly if a graph traced for `cached` serves `wanted`."""
    changes: list[Change] = []
    if list(map(_path_of, cached.arguments)) == list(map(_path_of, wanted.arguments)):  # nearly always
        for (path, old_node), (_, new_node) in zip(cached.arguments, wanted.arguments, strict=True):
            changes += diff_nodes(old_node, new_node, path)
    else:
        _diff_arguments(dict(cached.arguments), dict(wanted.arguments), changes)
    changes += diff_aliases(cached, wanted, [change.path for change in changes])
    cached_captures = dict(cached.captures) if wanted.captures else {}
    for path, node in wanted.captures:  # the cached trace may capture more than the lookup knows of
        old = cached_captures.get(path)
        if old is None:
            changes.append(Change("capture", path, "not captured", node_text(node)))
        elif diff_nodes(old, node, path):
            changes.append(Change("capture", path, *two_texts(old, node)))
    for name in sorted({*cached.context, *wanted.context}) if cached.context or wanted.context else ():
        old_text, new_text = cached.context.get(name, ""), wanted.context.get(name, "")
        if old_text != new_text:
            changes.append(Change("context", name, old_text or "none", new_text or "none"))
    return changes


def _diff_arguments(cached: dict[str, Node], wanted: dict[str, Node], changes: list[Change]) -> None:
    variadic = _variadic_lengths(cached), _variadic_lengths(wanted)
    for name in sorted({*variadic[0], *variadic[1]}):
        old_length, new_length = variadic[0].get(name, 0), variadic[1].get(name, 0)
        if old_length != new_length:
            given = [[n for p, n in arguments.items() if _variadic_name(p) == name] for arguments in (cached, wanted)]
            texts = _count("argument", old_length), _count("argument", new_length)
            changes.append(_of_another_length(name, (given[0], given[1]), texts))
    resized = {name for name in {*variadic[0], *variadic[1]} if variadic[0].get(name, 0) != variadic[1].get(name, 0)}
    for path in [*wanted, *(p for p in cached if p not in wanted)]:
        if _variadic_name(path) in resized:
            # the argument count is one change; arguments that both have are compared all the same
            if path in cached and path in wanted:
                changes += diff_nodes(cached[path], wanted[path], path)
            continue
        old, new = cached.get(path), wanted.get(path)
        if old is None and new is not None:
            changes.append(_structure(path, [new], NOT_PASSED, node_text(new)))
        elif new is None and old is not None:
            changes.append(_structure(path, [old], node_text(old), NOT_PASSED))
        elif old is not None and new is not None:
            changes += diff_nodes(old, new, path)


def _variadic_name(path: str) -> str:
    """`args` for `args[2]`, "" for anything else at the top level (a `kwargs['a']` is named by its key)."""
    name, bracket, rest = path.partition("[")
    return name if bracket and rest[:-1].isdecimal() else ""


def _variadic_lengths(arguments: dict[str, Node]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for path in arguments:
        if name := _variadic_name(path):
            lengths[name] = lengths.get(name, 0) + 1
    return lengths


def diff_nodes(cached: Node, wanted: Node, path: str) -> list[Change]:
    """The changes under one node; empty exactly if `wanted` is a subtype of `cached`."""
    if cached.kind != wanted.kind:
        cause = _cause_of_kinds(cached, wanted)
        if cause == "structure":
            change = _structure(path, [cached, wanted], *two_texts(cached, wanted))
            if _are_strings_and_a_tensor(cached, wanted) or _are_strings_and_a_tensor(wanted, cached):
                return [replace(change, parts=("strings_or_tensor",))]
            if _is_the_other_sequence(cached, wanted):
                return [replace(change, parts=(*change.parts, OTHER_SEQUENCE))]
            return [replace(change, parts=("one_number",)) if _are_one_and_several(cached, wanted) else change]
        return [Change(cause, path, *two_texts(cached, wanted))]
    kind = wanted.kind
    if kind == "tensor":
        return _diff_tensor(cached, wanted, path)
    if kind == "variable":
        return _diff_variable(cached, wanted, path)
    if kind == "literal":
        if cached.identity == wanted.identity:
            return []
        same = cached.type_name == wanted.type_name or {cached.type_name, wanted.type_name} <= _NUMBERS
        return [Change("python_value" if same else "python_type", path, *two_texts(cached, wanted))]
    if kind == "object":
        if cached.identity == wanted.identity:
            return []
        cause = "object_identity" if cached.type_name == wanted.type_name else "python_type"
        return [Change(cause, path, *two_texts(cached, wanted))]
    if kind in _SEQUENCES:
        lengths = len(cached.children), len(wanted.children)
        if lengths[0] != lengths[1]:
            counts = _count(kind, lengths[0]), _count(kind, lengths[1])
            if _hold_numbers(cached, wanted):
                return [Change("structure", path, *counts, ("numbers",))]
            change = _of_another_length(path, (_items(cached), _items(wanted)), counts)
            are_strings = all(map(_holds_strings_alone, (cached, wanted)))
            return [replace(change, parts=(*change.parts, OF_STRINGS)) if are_strings else change]
        changes = _diff_children(cached, wanted, path)
        return _of_bools(changes, wanted, path) if changes and _holds_bools(wanted) else changes
    if kind in _BY_FIELD:
        if cached.type_name != wanted.type_name or [k for k, _ in cached.children] != [k for k, _ in wanted.children]:
            return [_structure(path, [cached, wanted], *two_texts(cached, wanted))]
        return _diff_children(cached, wanted, path)
    if kind == "dict":
        return _diff_dict(cached, wanted, path)
    if kind in ("composite", "custom_nest"):
        return _diff_composite(cached, wanted, path)
    if kind == "absent":
        return []
    same_type = cached.identity and cached.identity == wanted.identity
    return [] if same_type else [Change("composite_spec", path, *two_texts(cached, wanted))]


def _structure(path: str, nodes: Sequence[Node], old: str, new: str) -> Change:
    """`nodes`: what it is of, before and now."""
    parts = tuple(kind for kind in ("variable", "object") if any(_holds(node, kind) for node in nodes))
    strings = ("string",) if any(map(_holds_a_string, nodes)) else ()
    return Change("structure", path, old, new, parts + strings)


def _is_the_other_sequence(cached: Node, wanted: Node) -> bool:
    """Whether it is a list in place of a tuple, or the other way round, and holds nothing else than that."""
    if not {cached.kind, wanted.kind} <= _SEQUENCES or len(cached.children) != len(wanted.children):
        return False
    return not _diff_children(cached, wanted, "")


def _items(node: Node) -> list[Node]:
    return [child for _, child in node.children]


def _of_another_length(path: str, items: tuple[list[Node], list[Node]], texts: tuple[str, str]) -> Change:
    """`items`, `texts`: before and now."""
    change = _structure(path, [*items[0], *items[1]], *texts)
    return change if change.parts else replace(change, parts=parts_of_length(*items))


def _holds_a_string(node: Node) -> bool:
    if node.kind == "literal":
        return node.type_name in _STRINGS
    return any(_holds_a_string(child) for _, child in node.children)


def _holds_strings_alone(node: Node) -> bool:
    return bool(node.children) and all(child.type_name in _STRINGS for _, child in node.children)


def _holds(node: Node, kind: str) -> bool:
    return node.kind == kind or any(_holds(child, kind) for _, child in node.children)


def _cause_of_kinds(cached: Node, wanted: Node) -> str:
    if "None" in (cached.value, wanted.value) and "literal" in (cached.kind, wanted.kind):
        return "python_type"
    composites = {"composite", "custom", "unknown"}
    if cached.kind in composites or wanted.kind in composites:
        return "composite_spec"
    if cached.kind in CONTAINERS or wanted.kind in CONTAINERS:
        return "structure"
    return "python_type"


def _diff_shape(cached: Node, wanted: Node, path: str) -> list[Change]:
    if cached.shape is None or cached.shape == wanted.shape:
        return []
    old, new = shape_text(cached.shape), shape_text(wanted.shape)
    if wanted.shape is None or len(cached.shape) != len(wanted.shape):
        return [Change("rank", path, old, new)]
    if all(c in (-1, w) for c, w in zip(cached.shape, wanted.shape, strict=True)):
        return []
    return [Change("shape", path, old, new)]


def _diff_tensor(cached: Node, wanted: Node, path: str) -> list[Change]:
    changes = []
    if cached.dtype != wanted.dtype:
        changes.append(Change("dtype", path, cached.dtype, wanted.dtype))
    changes += _diff_shape(cached, wanted, path)
    if wanted.value and wanted.value != cached.value:  # a TensorSpec's name is part of the key
        changes.append(Change("composite_spec", path, *two_texts(cached, wanted), ("name",)))
    return changes


def _diff_variable(cached: Node, wanted: Node, path: str) -> list[Change]:
    changes = []
    if cached.dtype != wanted.dtype:
        changes.append(Change("dtype", path, cached.dtype, wanted.dtype, ("variable",)))
    changes += [replace(change, parts=("variable",)) for change in _diff_shape(cached, wanted, path)]
    if cached.value != wanted.value:
        changes.append(Change("composite_spec", path, cached.value, wanted.value))
    return changes


def _diff_children(cached: Node, wanted: Node, path: str) -> list[Change]:
    changes = []
    for (key, old), (_, new) in zip(cached.children, wanted.children, strict=True):
        changes += diff_nodes(old, new, path + key)
    return changes


def _hold_numbers(*nodes: Node) -> bool:
    return all(child.kind == "literal" and child.type_name in _NUMBERS for node in nodes for _, child in node.children)


def _are_one_and_several(*nodes: Node) -> bool:
    """Whether one is a Python number, and the other a list or tuple of such, as an axis is."""
    one = [node for node in nodes if node.kind == "literal" and node.type_name in _NUMBERS]
    several = [node for node in nodes if node.kind in _SEQUENCES and _hold_numbers(node)]
    return len(one) == len(several) == 1


def _are_strings_and_a_tensor(several: Node, tensor: Node) -> bool:
    """Whether it is a list or tuple of Python strings, and a tensor of such."""
    if several.kind not in _SEQUENCES or tensor.kind != "tensor" or tensor.dtype != "string":
        return False
    return _holds_strings_alone(several)


def _holds_bools(node: Node) -> bool:
    """Whether it holds several: together they have more than two values."""
    return sum([child.type_name == "bool" for _, child in node.children]) > 1


def _of_bools(changes: list[Change], node: Node, path: str) -> list[Change]:
    bools = {path + key for key, child in node.children if child.type_name == "bool"}
    is_one = [change.cause == "python_value" and change.path in bools for change in changes]
    return [replace(c, parts=("bools",)) if one else c for c, one in zip(changes, is_one, strict=True)]


def _diff_dict(cached: Node, wanted: Node, path: str) -> list[Change]:
    old_children, new_children = dict(cached.children), dict(wanted.children)
    changes = []
    for key in [*new_children, *(k for k in old_children if k not in new_children)]:
        old, new = old_children.get(key), new_children.get(key)
        if old is None and new is not None:
            changes.append(_structure(path + key, [new], NO_SUCH_KEY, node_text(new)))
        elif new is None and old is not None:
            changes.append(_structure(path + key, [old], node_text(old), NO_SUCH_KEY))
        elif old is not None and new is not None:
            changes += diff_nodes(old, new, path + key)
    return changes


def _diff_composite(cached: Node, wanted: Node, path: str) -> list[Change]:
    same_class = cached.type_name == wanted.type_name and cached.identity == wanted.identity
    same_keys = [k for k, _ in cached.children] == [k for k, _ in wanted.children]
    if same_class and same_keys:
        changes = _diff_children(cached, wanted, path)
        if cached.kind == "custom_nest" or not wanted.value:
            is_field = declares_fields(wanted)
            return [replace(c, parts=("field",)) if is_field and c.cause == "structure" else c for c in changes]
        if not changes:
            return []
        # a spec with a text of its own (ragged, sparse, iterator…) is one leaf for its user
        parts = tuple(change.cause for change in changes)
        return [Change("composite_spec", path, *two_texts(cached, wanted), parts)]
    return [Change("composite_spec", path, *two_texts(cached, wanted))]


def _count(what: str, number: int) -> str:
    if what in _SEQUENCES:
        return f"{what} of {number}"
    return f"{number} {what}{'' if number == 1 else 's'}"
