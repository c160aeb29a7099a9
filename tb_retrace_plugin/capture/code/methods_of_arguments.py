"""Methods that a function calls on what it is passed, `model.encode(x)`, and on what its own object has,
`self.model.encode(x)`. Nothing in its code says of which class that is; where of the user's classes that the function's
module has one alone has such a method, it is that one's."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator, Mapping
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.known_packages import is_known
from tb_retrace_plugin.capture.code.other_names import parameters_of
from tb_retrace_plugin.capture.code.source_tree import source_tree
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: Of Python's containers, and of what programs have of TensorFlow's, Keras' and others: which of these it is that a
#: function is passed is not known.
_OF_OTHERS = frozenset(
    {
        *(name for kind in (dict, list, set, str, bytes) for name in dir(kind)),
        *("update_state", "result", "reset_state", "apply_gradients", "apply", "assign", "assign_add", "assign_sub"),
        *("call", "build", "numpy", "read", "write", "stack", "gather", "sample", "log_prob", "mean", "entropy"),
        *("fit", "evaluate", "predict", "compile", "summary", "train_step", "test_step", "predict_step"),
        *("train_on_batch", "test_on_batch", "predict_on_batch", "get_weights", "set_weights", "get_layer", "add_loss"),
        *(
            "compute_loss",
            "minimize",
            "gradient",
            "watch",
            "lookup",
            "save",
            "restore",
            "reduce",
            "run",
            "map",
            "batch",
        ),
    }
)
#: Names of a module that are looked at, and modules that are known.
_MOST_NAMES, _MOST_INDEXES = 512, 64
_Index: TypeAlias = dict[str, dict[int, weakref.ref[FunctionType]]]
#: By the ids of modules' names: with the ids of what these had then.
_indexes: dict[int, tuple[tuple[int, ...], _Index]] = {}


class OfAnArgument(str):
    """`model.encode`: a name of the caller's own does not hide it, as it begins with one."""

    __slots__ = ()


def methods_of_arguments(function: Any, code: CodeType) -> dict[str, FunctionType]:
    known = getattr(function, "__globals__", None)
    if type(known) is not dict or not code.co_argcount:
        return {}
    index = _index_of(known)
    methods: dict[str, FunctionType] = {}
    for name in code.co_names:
        found = index.get(name)
        if found is not None and len(found) == 1 and (method := next(iter(found.values()))()) is not None:
            methods[name] = method
    # most functions call none: their source is not read for it
    called = _called(code) if methods else ()
    return {OfAnArgument(f"{of}.{name}"): methods[name] for of, name in called if name in methods}


def _index_of(around: dict[str, Any]) -> _Index:
    """Made once for a module, until it has other names or values."""
    values = tuple([id(value) for value in islice(list(around.values()), _MOST_NAMES)])
    known = _indexes.get(id(around))
    if known is None or known[0] != values:
        if len(_indexes) >= _MOST_INDEXES:
            _indexes.clear()
        known = _indexes[id(around)] = values, _made(around)
    return known[1]


def _made(around: Mapping[str, Any]) -> _Index:
    """Methods by name, each function by its id: of several classes it may be one that they inherit."""
    index: _Index = {}
    for kind in dict.fromkeys(_classes_of(around)):
        for base in type.mro(kind):
            names = {} if is_known(in_class(base, "__module__")) else type.__dict__["__dict__"].__get__(base)
            for name, attribute in names.items():
                method = tf_seam.plain_function(attribute) if name not in _OF_OTHERS else None
                if type(method) is FunctionType and _is_theirs(method):
                    index.setdefault(name, {})[id(method)] = weakref.ref(method)
    return index


def _called(code: CodeType) -> set[tuple[str, str]]:
    """`model`, `encode` of `model.encode(…)`, of its parameters, but those that it assigns to."""
    parameters, source = parameters_of(code) - names_of(code).reassigned, source_tree(code)
    calls = (node.func for node in ast.walk(source.tree) if isinstance(node, ast.Call)) if source else ()
    found = set()
    for each in calls:
        if isinstance(each, ast.Attribute):
            is_passed = isinstance(each.value, ast.Name) and each.value.id in parameters
            if holder := ast.unparse(each.value) if is_passed else own_attribute(each.value):
                found.add((holder, each.attr))
    return found


def own_attribute(node: ast.expr) -> str:
    """`self.model`; "" of anything else."""
    is_one = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return ast.unparse(node) if is_one else ""


def _classes_of(around: Mapping[str, Any], *, within: bool = True) -> Iterator[type]:
    """Of a module, of the objects that it has, and of the user's modules that it has imported."""
    for value in islice(list(around.values()), _MOST_NAMES):
        if type(value) is ModuleType:
            file = value.__dict__.get("__file__")
            if within and type(file) is str and is_user_file(file):
                yield from _classes_of(value.__dict__, within=False)
            continue
        kind = value if is_a(value, type) else type(value)
        if not is_known(in_class(kind, "__module__")):
            yield kind


def _is_theirs(method: FunctionType) -> bool:
    code = method.__code__
    return code.co_varnames[:1] == ("self",) and is_user_file(code.co_filename)
