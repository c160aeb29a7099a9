"""Methods that a function calls on what it is passed, `model.encode(x)`, and on what its own object has,
`self.model.encode(x)`. Nothing in its code says of which class that is; where of the user's classes that the function's
module has one alone has such a method, it is that one's."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.known_packages import is_known
from tb_retrace_plugin.capture.code.other_names import parameters_of
from tb_retrace_plugin.capture.code.source_tree import source_tree
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
#: Names of a module that are looked at.
_MOST_NAMES = 512


class OfAnArgument(str):
    """`model.encode`: a name of the caller's own does not hide it, as it begins with one."""

    __slots__ = ()


def methods_of_arguments(function: Any, code: CodeType) -> dict[str, FunctionType]:
    known = getattr(function, "__globals__", None)
    if type(known) is not dict or not code.co_argcount:
        return {}
    kinds = dict.fromkeys(_classes_of(known))
    methods: dict[str, FunctionType] = {}
    for name in sorted({*code.co_names} - _OF_OTHERS):
        found = {id(one): one for kind in kinds if (one := _method(kind, name)) is not None}
        if len(found) == 1:
            methods[name] = found.popitem()[1]
    # most functions call none: their source is not read for it
    called = _called(code) if methods else ()
    return {OfAnArgument(f"{of}.{name}"): methods[name] for of, name in called if name in methods}


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
        kind = value if isinstance(value, type) else type(value)
        if not is_known(in_class(kind, "__module__")):
            yield kind


def _method(kind: type, name: str) -> FunctionType | None:
    value = tf_seam.plain_function(in_class(kind, name))
    is_one = type(value) is FunctionType and value.__code__.co_varnames[:1] == ("self",)
    return value if is_one and is_user_file(value.__code__.co_filename) else None
