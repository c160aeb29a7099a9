"""A traced function's signature as plain Python data: TensorFlow's trace types without TensorFlow.

`Node` mirrors one `TraceType`; `identity` stands for the comparison that TensorFlow makes by value or by object:
two nodes of one session have the same non-zero identity exactly if TensorFlow's `==` on their trace types is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Kinds of `Node` that hold other nodes.
CONTAINERS = frozenset({"tuple", "list", "named_tuple", "attrs", "dict", "composite", "custom_nest"})
#: What the metadata of a class with `__tf_flatten__` has in place of a key: it is no attribute.
METADATA = ".__tf_flatten__()[0]"
_MAX_DEPTH = 64
#: No dimension is larger; nor is any number that a browser reads as it is.
_MAX_SIZE = 2**53 - 1

_KIND_TO_PROTO = {name.lower(): number for name, number in pb.TypeNode.Kind.items()}
_PROTO_TO_KIND = {number: kind for kind, number in _KIND_TO_PROTO.items()}


@dataclass(unsafe_hash=True, slots=True)  # frozen ones, as they are meant to be, take three times as long to make
class Node:
    """One trace type; never changed. `shape`: None if the rank is unknown (or there is none), -1: unknown dimension.

    `class_name`: of a dictionary, if it is of a class of the user's; TensorFlow compares its keys and what they hold.
    Of a named tuple the module of its class. Of an object COMPARES, if its class has an `__eq__` of its own, by which
    TensorFlow compares those that exist.
    """

    kind: str
    type_name: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    value: str = ""
    identity: int = 0
    children: tuple[tuple[str, Node], ...] = ()
    class_name: str = field(default="", compare=False)


@dataclass(slots=True)
class Signature:
    """Never changed. Arguments and captures as (path, node), in order; `context` as field -> text."""

    arguments: tuple[tuple[str, Node], ...] = ()
    captures: tuple[tuple[str, Node], ...] = ()
    context: dict[str, str] = field(default_factory=dict)


#: Of an object's class.
COMPARES = "__eq__"
#: The text of an argument that a call has not.
NOT_PASSED = "not passed"
#: Before the text of what differs from something with the same text; of an object that no longer exists.
ANOTHER = "another"
DELETED = "deleted"
_HIDDEN = re.compile(r"(\w+) ‹[0-9a-f]{8}›")


def hidden_text(type_name: str, digest: bytes) -> str:
    """What stands for a value that is not recorded, such as `int ‹3fa94c01›`."""
    return f"{re.sub(r'[^A-Za-z0-9_]', '_', type_name)[:40]} ‹{digest[:4].hex()}›"


def hidden_type(text: str) -> str:
    """The type of the value that such a text stands for; "" for any other text."""
    match = _HIDDEN.fullmatch(text) if text.endswith("›") else None
    return match[1] if match else ""


def declares_fields(node: Node) -> bool:
    """Whether its class says what each part of it is. What `__tf_flatten__` takes from attributes may be anything."""
    return node.kind == "composite" or (node.kind == "custom_nest" and any(key[0] == "[" for key, _ in node.children))


def is_class(text: str) -> bool:
    """Of an object as a change names it: what a classmethod is bound to is one."""
    return text.removeprefix(f"{ANOTHER} ").startswith("class ")


def node_to_proto(node: Node, message: pb.TypeNode) -> None:
    message.kind = _KIND_TO_PROTO[node.kind]
    if node.type_name:
        message.type_name = node.type_name
    if dtype := node.class_name or node.dtype:  # what has a class has no dtype
        message.dtype = dtype
    if node.shape is None:
        message.unknown_rank = True
    elif node.shape:
        message.shape.extend(node.shape)
    if node.value:
        message.value = node.value
    if node.identity:
        message.identity = node.identity
    for key, child in node.children:
        message.keys.append(key)
        node_to_proto(child, message.children.add())


def node_from_proto(message: pb.TypeNode, depth: int = 0) -> Node:
    """Raises ValueError if the tree is deeper than any real signature (records are untrusted).

    A size that cannot be is an unknown one.
    """
    if depth > _MAX_DEPTH:
        raise ValueError(f"a signature nested more than {_MAX_DEPTH} deep")
    has_class = message.kind in (pb.TypeNode.DICT, pb.TypeNode.OBJECT, pb.TypeNode.NAMED_TUPLE)
    keys = list(message.keys)
    keys += [f"[{i}]" for i in range(len(keys), len(message.children))]
    return Node(
        kind=_PROTO_TO_KIND.get(message.kind, "unknown"),
        type_name=message.type_name,
        dtype="" if has_class else message.dtype,
        class_name=message.dtype if has_class else "",
        shape=None if message.unknown_rank else tuple([d if -1 <= d <= _MAX_SIZE else -1 for d in message.shape]),
        value=message.value,
        identity=message.identity,
        children=tuple((k, node_from_proto(c, depth + 1)) for k, c in zip(keys, message.children, strict=False)),
    )


def signature_to_proto(signature: Signature, message: pb.Signature) -> None:
    for target, pairs in ((message.arguments, signature.arguments), (message.captures, signature.captures)):
        for path, node in pairs:
            argument = target.add()
            argument.path = path
            node_to_proto(node, argument.type)
    for name, text in signature.context.items():
        message.context[name] = text


def signature_from_proto(message: pb.Signature) -> Signature:
    """Raises ValueError for trees deeper than any real signature."""
    return Signature(
        tuple((a.path, node_from_proto(a.type)) for a in message.arguments),
        tuple((c.path, node_from_proto(c.type)) for c in message.captures),
        dict(message.context),
    )


def shape_text(shape: tuple[int, ...] | None) -> str:
    """As TensorFlow prints it: `(None, 10)`; `<unknown>` for an unknown rank."""
    if shape is None:
        return "<unknown>"
    dims = ["None" if d < 0 else str(d) for d in shape]
    return f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"


def node_text(node: Node, limit: int = 160) -> str:
    """One line for one node, such as `float32 (32, 10)`, `3`, `Config object #2`, `{'a': …, 'b': …}`."""
    text = _node_text(node, 0)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def two_texts(old: Node, new: Node, limit: int = 160) -> tuple[str, str]:
    """One line for each of two nodes that differ: of long ones the part where they begin to."""
    texts = [_node_text(old, 0), _node_text(new, 0)]
    if texts[0] == texts[1]:
        texts[1] = f"{ANOTHER} {texts[1]}"
    if max(map(len, texts)) <= limit:
        return texts[0], texts[1]
    first = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    if first < limit // 2:
        return node_text(old, limit), node_text(new, limit)
    head = texts[0][: texts[0].find("(", 0, limit // 4) + 1]  # the class
    start = max(first - limit // 4, len(head))
    end = start + limit - len(head)
    old_text, new_text = (f"{head}…{text[start:end]}{'…' if len(text) > end else ''}" for text in texts)
    return old_text, new_text


def _node_text(node: Node, depth: int) -> str:
    if node.kind == "tensor":
        name = f" name={node.value!r}" if node.value else ""
        return f"{node.dtype} {shape_text(node.shape)}{name}"
    if node.kind == "variable":
        return f"Variable {node.dtype} {shape_text(node.shape)}" + (" not trainable" if "False" in node.value else "")
    if node.kind == "absent":
        return NOT_PASSED
    if node.kind not in CONTAINERS:
        return node.value or node.type_name or "?"
    if depth > 3:
        return "…"
    shown = node.children[:8]
    dots = ["…"] if len(node.children) > len(shown) else []
    if node.kind == "dict":
        return "{" + ", ".join([f"{k[1:-1]}: {_node_text(c, depth + 1)}" for k, c in shown] + dots) + "}"
    if node.kind == "composite" and node.value:
        return node.value
    if node.kind in ("named_tuple", "attrs", "composite", "custom_nest"):
        fields = [(k[1:] if k != METADATA else "metadata", c) for k, c in shown]
        return f"{node.type_name}({', '.join([f'{k}={_node_text(c, depth + 1)}' for k, c in fields] + dots)})"
    inner = ", ".join([_node_text(c, depth + 1) for _, c in shown] + dots)
    if node.kind == "list":
        return f"[{inner}]"
    return f"({inner},)" if len(node.children) == 1 else f"({inner})"


def iter_leaves(path: str, node: Node) -> Iterator[tuple[str, Node]]:
    """Every leaf under `node` with its path; an empty container and a composite tensor count as leaves."""
    if node.kind in CONTAINERS and node.children and not (node.kind == "composite" and node.value):
        for key, child in node.children:
            yield from iter_leaves(path + key, child)
    else:
        yield path, node


def with_own_eq(signature: Signature) -> frozenset[str]:
    """Paths of objects whose class has an `__eq__` of its own."""
    leaves = (leaf for argument, node in signature.arguments for leaf in iter_leaves(argument, node))
    return frozenset(path for path, leaf in leaves if leaf.class_name == COMPARES)


def parameter_of(path: str) -> str:
    """`batch` of ``batch['x'].shape``."""
    return path.partition("[")[0].partition(".")[0]


def is_of_star_keywords(argument: str) -> bool:
    """Whether an argument's path is that of one which `**options` takes: `options['k']`, and not `args[2]`."""
    bracket, rest = argument.partition("[")[1:]
    return bool(bracket) and not rest[:-1].isdecimal()


def is_of_star_arguments(argument: str) -> bool:
    """Whether an argument's path is that of one which `*args` takes: `args[2]`."""
    return "[" in argument and not is_of_star_keywords(argument)


def leaf_rows(message: pb.Signature) -> list[tuple[str, str]]:
    """(path, text) of every leaf of a recorded signature, arguments first, then captures."""
    signature = signature_from_proto(message)
    return [
        (leaf_path, node_text(leaf))
        for path, node in (*signature.arguments, *signature.captures)
        for leaf_path, leaf in iter_leaves(path, node)
    ]
