"""TensorFlow's FunctionType and FunctionContext as our own `Signature`: plain data that keeps nothing alive."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import itertools
import re
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.capture.values.identity import EqualObjects, SameObjects, text_identity, value_identity
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.plain_values import key_text, member_text
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.values.static_attribute import in_class
from tb_retrace_plugin.schema.signature import COMPARES, DELETED, METADATA, Node, Signature, shape_text

_MAX_TEXT = 120
#: Of datasets and iterators, which spell out each of their elements.
_MAX_SPEC_TEXT = 600
_TENSOR_SPEC = re.compile(r"TensorSpec\(shape=(\([^()]*\)|<unknown>), dtype=(\w+), name=None\)")
_MAX_DEPTH = 60
#: Custom trace types that are compared with, each by its own method.
_MAX_CUSTOM_TYPES = 1000
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
#: Of a class that is not built into Python (`Py_TPFLAGS_HEAPTYPE`).
_HEAP_TYPE = 1 << 9
_DEVICE = re.compile(r"<[\w.]+ object> \(spec: (.*)\)")
_MODULE = re.compile(r"(?<=<)(?:\w+\.)+(?=\w+ object>)")
#: Variables whose id in the process is not known are numbered from here, per signature.
_UNKNOWN_VARIABLE = 1 << 62


class SignatureReader:
    """Reads signatures of one session: objects get numbers that stay theirs for the session. Not thread-safe."""

    def __init__(self, values: Values | None = None, note_object: Callable[[int, Any], None] | None = None) -> None:
        """`values`: how they are shown; short ones if None. `note_object`: takes objects that are arguments."""
        self._note_object = note_object
        self._values = values or Values()
        self._objects = SameObjects()
        self._equal_objects = self.equal_objects()
        self._same_objects = SameObjects()
        self._custom_types: dict[int, weakref.ReferenceType[Any]] = {}
        self._custom_numbers = itertools.count(1)
        self._classes: dict[str, int] = {}
        self._types = tf_seam.trace_types()
        self._plain_context: Any = None

    def equal_objects(self) -> EqualObjects:
        """For what one function's code is passed."""
        return EqualObjects(self._objects)

    def read(
        self,
        function_type: Any,
        context: Any,
        polymorphic_type: Any,
        variable_ids: Mapping[Any, int] | None = None,
        captures: Mapping[str, Any] | None = None,
        instance: weakref.ReferenceType[Any] | None = None,
        instance_class: str = "",
        variadic: str = "",
        element: Sequence[tuple[str, tf_seam.Nest]] | None = None,
        equal_objects: EqualObjects | None = None,
    ) -> Signature:
        """`polymorphic_type` tells `*args` and `**kwargs` from named parameters.

        `variable_ids`: alias id -> the variable's id in the process; without it variables are known only apart.
        `instance`: what a method is bound to; it becomes the argument `self`. `instance_class`: for one that is gone.
        `variadic`, `element`: of `tf_seam.variadic_name` and `tf_seam.element_arguments`.
        `captures`: name to trace type; those of `function_type` if None. `equal_objects`: of the function's code; if
        None those of the call before.
        """
        if equal_objects is not None:
            self._equal_objects = equal_objects
        aliases = dict(variable_ids or {})
        arguments = tuple(
            [
                (path, self._node(parameter.type_constraint, aliases, 0))
                for path, parameter in _paths(function_type, polymorphic_type, variadic, self._values)
            ]
        )
        if element is not None:
            tensors = [node for _, node in arguments]
            arguments = tuple((path, _nested(nest, tensors, self._values)) for path, nest in element)
        if instance is not None:
            arguments = (("self", self._object(instance, instance_class, is_self=True)), *arguments)
        types = function_type.captures if captures is None else captures
        captured = tuple([(str(name), self._node(kind, aliases, 0)) for name, kind in types.items()]) if types else ()
        return Signature(arguments, captured, {} if context is None else self._context(context))

    def may_wait(self, function_type: Any, context: Any) -> bool:
        """Whether a signature reads the same a while later, in another thread too, and runs nothing of the program's.

        One in a context of its own is read at once: that may hold a graph, or a strategy.
        """
        known = self._plain_context
        return known is not None and known == context.context and tf_seam.is_of_plain_values(function_type)

    def is_gone(self, text: str) -> bool:
        """Whether the object that a change names (`Config object #3`) no longer exists."""
        number = text.rpartition(" #")[2]
        return number.isdecimal() and not self._objects.is_alive(int(number))

    def captured_key(self, tensors: list[Any], *, by_name: bool = False, by_numbers: bool = False) -> str:
        """Equal for equal lists of the same objects (by `is`). `by_name`: those of the graph around it. `by_numbers`:
        or tensors of a few equal numbers."""
        if not tensors:
            return ""
        names = [
            (by_name and tf_seam.name_in_its_graph(tensor)) or (by_numbers and tf_seam.digest_of_a_few(tensor))
            for tensor in tensors
        ]
        return ",".join(
            [name or str(self._same_objects.number(tensor)) for name, tensor in zip(names, tensors, strict=True)]
        )

    def _context(self, context: Any) -> dict[str, str]:
        eager = context.context
        if self._plain_context is not None and self._plain_context == eager:  # nearly always
            return {}
        fields = self._context_fields(context)
        if not fields:  # any other may hold a graph or a strategy of the user's, which must not be kept
            self._plain_context = eager
        return fields

    def _context_fields(self, context: Any) -> dict[str, str]:
        fields = {}
        for name, value in tf_seam.context_fields(context).items():
            if value is None or value is False or value == () or (type(value) is int and value == 0):
                continue
            fields[name] = self._context_text(value)
        return fields

    def _context_text(self, value: Any) -> str:
        if isinstance(value, (str, bool, int)):
            return str(value)[:_MAX_TEXT]
        if isinstance(value, (tuple, list)):
            return ", ".join(self._context_text(v) for v in value)[:_MAX_TEXT]
        if type(value).__name__.endswith("Graph"):
            return f"{type(value).__name__} #{self._same_objects.number(value)}"
        if hasattr(value, "name") and isinstance(value.name, str):  # an enum, such as the variable policy
            return value.name
        try:
            text = _DEVICE.sub(r"\1", _ADDRESS.sub("", str(value))) or "any device"
        except Exception:
            text = ""
        return text[:_MAX_TEXT] or f"{type(value).__name__} #{self._same_objects.number(value)}"

    def _node(self, kind: Any, aliases: dict[Any, int], depth: int) -> Node:
        try:
            return self._read(kind, aliases, depth)
        except RecursionError:
            raise
        except Exception as error:  # a hostile object: it differs from every other
            let_signals_through(error)
            return Node("unknown", type_name=type(kind).__name__, value=f"cannot be read ({type(error).__name__})")

    def _read(self, kind: Any, aliases: dict[Any, int], depth: int) -> Node:
        t = self._types
        if depth > _MAX_DEPTH:
            return Node("unknown", value="nested too deeply")
        if type(kind) is t.Literal:  # by class first: what TensorFlow's abstract classes are asked takes longer
            return self._literal(kind.value)
        if isinstance(kind, t.TensorSpec):
            name = self._values.shown(kind.name, "name") if kind.name else ""
            return Node("tensor", "", _dtype_text(kind.dtype), _shape(kind.shape), name)
        if isinstance(kind, t.Literal):
            return self._literal(kind.value)
        if isinstance(kind, t.Weakref):
            return self._object(tf_seam.referent(kind))
        if isinstance(kind, (t.Tuple, t.List)):
            word = "tuple" if isinstance(kind, t.Tuple) else "list"
            parts = kind.components if word == "tuple" else kind.components_tuple.components
            return self._container(word, word, ((f"[{i}]", p) for i, p in enumerate(parts)), aliases, depth)
        if isinstance(kind, t.NamedTuple):
            pairs = zip(kind.attribute_names, kind.attributes.components, strict=True)
            fields = ((f".{n}", p) for n, p in pairs)
            node = self._container("named_tuple", kind.type_name, fields, aliases, depth)
            node.class_name = tf_seam.module_of_class(kind)
            return node
        if isinstance(kind, t.Attrs):
            named = kind.named_attributes
            pairs = zip(named.attribute_names, named.attributes.components, strict=True)
            return self._container("attrs", named.type_name, ((f".{n}", p) for n, p in pairs), aliases, depth)
        if isinstance(kind, t.Dict):
            keyed = ((self._key(k), part) for k, part in kind.mapping.items())
            node = self._container("dict", "dict", keyed, aliases, depth)
            node.class_name = tf_seam.users_mapping(kind)
            return node
        if isinstance(kind, t.VariableSpec):
            return self._variable(kind, aliases)
        if isinstance(kind, t.CustomNest):
            return self._custom_nest(kind, aliases, depth)
        if isinstance(kind, t.TypeSpec):
            return self._type_spec(kind, aliases, depth)
        return self._custom(kind)

    def _container(self, word: str, type_name: str, pairs: Any, aliases: dict[Any, int], depth: int) -> Node:
        children = tuple((key, self._node(part, aliases, depth + 1)) for key, part in pairs)
        return Node(word, type_name=type_name, children=children)

    def _literal(self, value: Any) -> Node:
        if value is self._types.nan:
            return Node(
                "literal", type_name="float", value=self._values.shown("nan", "float"), identity=text_identity(b"nan")
            )
        text, identity = self._values.text(value, _MAX_TEXT), self._values.identity(value_identity(value))
        return Node("literal", type(value).__name__, "", None, text, identity)

    def _object(self, reference: Any, class_name: str = "", *, is_self: bool = False) -> Node:
        number = self._equal_objects.number(reference)
        target = reference()
        if target is None:
            what = f"{DELETED} {class_name} object" if class_name else f"{DELETED} object"
            return Node("object", type_name=class_name or "?", value=f"{what} #{number}", identity=number)
        if is_a(target, type):
            return Node("object", type_name="class", value=f"class {target.__qualname__}"[:_MAX_TEXT], identity=number)
        name = type(target).__name__
        type_name = name if is_self else _full_name(type(target))
        if is_a(target, enum.Enum):  # its members are values, compared by identity
            return Node(
                "object",
                type_name=name,
                value=self._values.shown(member_text(target)[:_MAX_TEXT], name),
                identity=number,
            )
        if is_a(target, self._types.DType):
            return Node("object", type_name=name, value=f"tf.{target.name}"[:_MAX_TEXT], identity=number)
        if self._note_object is not None and not is_self:
            self._note_object(number, target)
        own_name = getattr(target, "__name__", None) if callable(target) else None
        is_iterator = not is_self and _is_of_a_users_iterator(type(target))
        label = f"{name} {own_name if isinstance(own_name, str) else 'iterator' if is_iterator else 'object'}"
        compares = COMPARES if in_class(type(target), COMPARES) is not object.__eq__ else ""
        return Node("object", type_name, "", None, f"{label} #{number}"[:_MAX_TEXT], number, class_name=compares)

    def _variable(self, kind: Any, aliases: dict[Any, int]) -> Node:
        # TensorFlow numbers distinct variables in order of appearance; which arguments share one is what matters
        if kind.alias_id is not None and kind.alias_id not in aliases:
            aliases[kind.alias_id] = _UNKNOWN_VARIABLE + len(aliases)
        return Node(
            "variable",
            dtype=_dtype_text(kind.dtype),
            shape=_shape(kind.shape),
            value=f"trainable={bool(kind.trainable)}",
            identity=aliases.get(kind.alias_id, 0),
        )

    def _custom_nest(self, kind: Any, aliases: dict[Any, int], depth: int) -> Node:
        metadata = kind.metadata
        try:
            identity = value_identity(metadata)
        except Exception:  # TensorFlow allows metadata that cannot be hashed and compares it by ==
            identity = text_identity(_safe_repr(metadata).encode("utf-8", "surrogatepass"))
        of_metadata = Node(
            "custom",
            type_name=type(metadata).__name__,
            value=self._values.text(metadata, _MAX_TEXT),
            identity=self._values.identity(identity),
        )
        pairs = zip(_component_keys(kind), kind.components, strict=True)
        node = self._container("custom_nest", kind.value_type.__name__, pairs, aliases, depth)
        children = (*node.children, (METADATA, of_metadata))
        return dataclasses.replace(node, identity=self._class_number(kind.value_type), children=children)

    def _type_spec(self, kind: Any, aliases: dict[Any, int], depth: int) -> Node:
        parts = tf_seam.serialized_type_spec(kind)
        is_extension = isinstance(kind, self._types.ExtensionTypeSpec)
        name = type(kind).__name__
        identity = self._class_number(type(kind))
        if is_extension:
            children = [(f".{field}", self._field(part, aliases, depth)) for field, part in parts]
        else:
            leaves = tf_seam.flatten_nest(parts)
            children = [(f"#{i}", self._part(leaf, aliases, depth)) for i, leaf in enumerate(leaves)]
            identity = self._values.identity(text_identity(f"{identity}/{_nesting(parts)}".encode("utf-8", "replace")))
        text = "" if is_extension else self._values.shown(_spec_text(kind), name)
        type_name = name.removesuffix(".Spec") if is_extension else name
        if is_extension and name == "Spec":
            type_name = type(kind).__qualname__.removesuffix(".Spec").rsplit(".", 1)[-1]
        return Node(
            "composite", type_name=type_name, value=text, identity=identity, children=tuple(children)
        )  # fmt: skip

    def _field(self, part: Any, aliases: dict[Any, int], depth: int) -> Node:
        """Of an ExtensionType."""
        if type(part) is dict:
            pairs = [(self._key(key), part[key]) for key in part]
        elif type(part) in (tuple, list):
            pairs = [(f"[{i}]", item) for i, item in enumerate(part)]
        else:
            return self._part(part, aliases, depth)
        if depth > _MAX_DEPTH:
            return Node("unknown", value="nested too deeply")
        word = type(part).__name__
        children = tuple((key, self._field(item, aliases, depth + 1)) for key, item in pairs)
        return Node(word, type_name=word, children=children)

    def _part(self, part: Any, aliases: dict[Any, int], depth: int) -> Node:
        """One attribute of a TypeSpec: a trace type of its own, a shape, a dtype or a plain value."""
        if type(part).__name__ == "TensorShape":
            return Node("tensor", shape=_shape(part))
        if type(part).__name__ == "DType":
            return Node("tensor", dtype=_dtype_text(part), shape=())
        if isinstance(part, self._types.TraceType):
            return self._node(part, aliases, depth + 1)
        try:
            return self._literal(part)
        except Exception:
            text = _safe_repr(part)
            identity = self._values.identity(text_identity(text.encode("utf-8", "surrogatepass")))
            text = self._values.shown(text, type(part).__name__)
            return Node("literal", type_name=type(part).__name__, value=text, identity=identity)

    def _custom(self, kind: Any) -> Node:
        """A trace type of the user's (or of TensorFlow's) that only it can compare."""
        number = self._custom_number(kind)
        return Node(
            "custom",
            type_name=type(kind).__name__,
            value=self._values.shown(_custom_text(kind, number), type(kind).__name__),
            identity=number,
        )

    def _custom_number(self, kind: Any) -> int:
        for number, known in list(self._custom_types.items()):
            other = known()
            if other is None:
                del self._custom_types[number]
                continue
            try:
                if other.is_subtype_of(kind) and kind.is_subtype_of(other):
                    return number
            except Exception:
                continue
        number = next(self._custom_numbers)
        with contextlib.suppress(TypeError):  # one that cannot be referred to weakly is like no other
            self._custom_types[number] = weakref.ref(kind)
        if len(self._custom_types) > _MAX_CUSTOM_TYPES:  # the oldest
            del self._custom_types[next(iter(self._custom_types))]
        return number

    def _key(self, key: Any) -> str:
        return f"[{_key_text(key, self._values)}]"

    def _class_number(self, cls: type) -> int:
        return self._same_objects.number(cls)


def _nested(nest: tf_seam.Nest, tensors: list[Node], values: Values) -> Node:
    if nest.word == "tensor":
        return tensors[nest.tensor]
    children = tuple(
        (_shown_key(key, nest.word, values), _nested(child, tensors, values)) for key, child in nest.children
    )
    return Node(nest.word, type_name=nest.type_name, children=children)


def _shown_key(key: str, word: str, values: Values) -> str:
    return f"[{values.hide('key', key[1:-1])}]" if values.hides and word == "dict" else key


def _full_name(kind: type) -> str:
    """With its module, of a class that is not the user's."""
    module = kind.__module__
    file = getattr(sys.modules.get(module), "__file__", None) if isinstance(module, str) else None
    return f"{module}.{kind.__name__}" if isinstance(file, str) and not is_user_file(file) else kind.__name__


def _is_of_a_users_iterator(kind: type) -> bool:
    """Whether a class that is not built into Python has a `__next__`; the others are known by name."""
    return any("__next__" in vars(base) and base.__flags__ & _HEAP_TYPE for base in kind.__mro__)


def _paths(function_type: Any, polymorphic_type: Any, variadic: str, values: Values) -> list[tuple[str, Any]]:
    """Parameters with their paths: `x`, `args[2]`, `kwargs['training']`."""
    parameters = function_type.parameters
    declared = polymorphic_type.parameters if polymorphic_type is not None else {}
    if parameters.keys() == declared.keys() and not variadic:  # each has a name, as nearly always
        return list(parameters.items())
    variadic = next((n for n, p in declared.items() if p.kind is p.VAR_POSITIONAL), variadic)
    keywords = next((n for n, p in declared.items() if p.kind is p.VAR_KEYWORD), None)
    result = []
    for name, parameter in parameters.items():
        path = name
        index = name[len(variadic) + 1 :] if variadic and name.startswith(f"{variadic}_") else ""
        if parameter.kind is parameter.POSITIONAL_ONLY and index.isdecimal():
            path = f"{variadic}[{index}]"
        elif parameter.kind is parameter.KEYWORD_ONLY and keywords and name not in declared:
            path = f"{keywords}[{_key_text(name, values)}]"
        result.append((path, parameter))
    return result


def _component_keys(kind: Any) -> list[str]:
    """Attribute names of a CustomNest class's components, found by unflattening markers; `[i]` where that fails."""
    markers = [object() for _ in kind.components]
    keys = [f"[{i}]" for i in range(len(markers))]
    try:
        value = kind.value_type.__tf_unflatten__(kind.metadata, tuple(markers))
        names = {id(v): n for n, v in vars(value).items()}
    except Exception:
        return keys
    return [f".{names[id(m)]}" if id(m) in names else key for m, key in zip(markers, keys, strict=True)]


def _nesting(parts: Any) -> str:
    """The containers in a TypeSpec's parts, with their keys, which its subtyping compares; "" of a leaf."""
    if isinstance(parts, Mapping):
        items = sorted([f"{key_text(key, _MAX_TEXT)}: {_nesting(parts[key])}" for key in parts])
        return f"dict({', '.join(items)})"
    if isinstance(parts, (tuple, list)):
        return f"{type(parts).__name__}({', '.join(map(_nesting, parts))})"
    return ""


def _shape(shape: Any) -> tuple[int, ...] | None:
    if shape.rank is None:
        return None
    return tuple([-1 if d is None else int(d) for d in shape.as_list()])


def _dtype_text(dtype: Any) -> str:
    name = str(getattr(dtype, "name", dtype))
    handle = getattr(dtype, "_handle_data", None)
    if handle is not None and name in ("resource", "variant"):  # part of such a dtype's equality
        text = f"{name} {' '.join(str(handle).split())}"
        # what differs may come late
        return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}… {text_identity(text.encode()) % 10**6}"
    return name


def _key_text(key: Any, values: Values) -> str:
    return values.shown(key_text(key, values.limit(_MAX_TEXT)), "key")


def _safe_repr(value: Any, most: int = _MAX_TEXT) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"{type(value).__name__} (its repr fails)"
    return text if len(text) <= most else text[: most - 1] + "…"


def _custom_text(kind: Any, number: int) -> str:
    """Its repr; where that tells an object by its address, by the number that stands for it."""
    if (variable := tf_seam.distributed_variable(kind)) is not None:
        return f"distributed Variable {variable[1].name} {shape_text(variable[0])}"
    text = _safe_repr(kind)
    plain = _MODULE.sub("", _ADDRESS.sub("", text))
    return text if plain == text else f"{plain} #{number}"


def _spec_text(kind: Any) -> str:
    text = _safe_repr(kind, _MAX_SPEC_TEXT).replace("TensorShape(", "(").replace("tf.", "")
    return _TENSOR_SPEC.sub(r"\2 \1", text) or type(kind).__name__
