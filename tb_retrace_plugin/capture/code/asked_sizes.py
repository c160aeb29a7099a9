"""Sizes of tensors that a function's source asks for by their number, or whether it is known: None is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.source_tree import lies_in

_ALL = "is_fully_defined"
#: Where None in a shape says that a size is unknown.
_TAKE_NONE = frozenset({"set_shape", "ensure_shape", "TensorShape", "TensorSpec"})
_TAKE_NONE_BY_NAME = frozenset({"element_shape", "shape_invariants"})
#: That make a tensor of a shape, and take none that is not wholly known: `tf.zeros`, `tf.random.normal`; `np.prod`.
_MADE_OF_A_SHAPE = frozenset(
    {
        *("zeros", "ones", "fill", "broadcast_to", "reshape", "normal", "uniform", "truncated_normal", "prod"),
        *("stateless_normal", "stateless_uniform", "stateless_truncated_normal"),
    }
)
#: Also of a `tf.random.Generator`, which has the shape first; of NumPy's that is `size=`. `sample` of a distribution.
_DRAWS = frozenset({"normal", "uniform", "truncated_normal", "sample"})
_SHAPE_BY_NAME = frozenset({"shape", "sample_shape"})
#: Makes a list, as long as a size: it has to be known.
_UNSTACK = "unstack"
#: As modules are imported; what a method of the same name does with a shape is not known.
_IN_MODULES = frozenset({"tf", "tensorflow", "keras", "np", "numpy", "tnp", "math"})


def asked_sizes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`x.shape[1]`, also where `_, length = x.shape` asks for it; not in a shape that may be unknown."""
    unknown = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Call) for part in _may_be_none(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and id(node) not in unknown and (shape := shape_of(node.value, parameters)):
            index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
            if isinstance(index, ast.Constant) and type(index.value) is int:
                yield f"{shape}[{ast.unparse(node.slice)}]"
        elif isinstance(node, ast.Assign) and (shape := shape_of(node.value, parameters)):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple | ast.List) else []
                if all(isinstance(name, ast.Name) for name in names):
                    kept = (axis for axis, name in enumerate(names) if not getattr(name, "id", "_").startswith("_"))
                    yield from (f"{shape}[{axis}]" for axis in kept)


def gone_over(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`for … in range(x.shape[1])`, also of `n` where that is such a size: it has to be known."""
    sizes = _named_sizes(tree, parameters)
    for node in ast.walk(tree):
        called = node.iter if isinstance(node, ast.For | ast.comprehension) else None
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "range":
            yield from (f"for … in range({size})" for each in called.args if (size := _size(each, parameters, sizes)))


def _may_be_none(call: ast.Call) -> Iterator[ast.expr]:
    """Sizes that are passed as they are, as a part of a shape: of `h.set_shape([None, x.shape[1]])`."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    shapes = [*call.args, *(each.value for each in call.keywords)] if name in _TAKE_NONE else []
    shapes += [each.value for each in call.keywords if each.arg in _TAKE_NONE_BY_NAME]
    while shapes:
        shape = shapes.pop()
        if isinstance(shape, ast.List | ast.Tuple):
            shapes += shape.elts
        else:
            yield shape


def made_of_shapes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`tf.zeros(x.shape)`, `tf.reshape(…, x.shape[:-1] + …)`, `tf.unstack(x) of shape`: fails of an unknown size."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        called = ast.unparse(node.func)
        is_in_a_module = called.partition(".")[0] in _IN_MODULES - parameters
        if not is_in_a_module and node.func.attr not in _DRAWS:
            continue
        if node.func.attr in _MADE_OF_A_SHAPE | _DRAWS:
            passed = [*node.args, *(each.value for each in node.keywords)]
            if not is_in_a_module:
                passed = node.args[:1] or [each.value for each in node.keywords if each.arg in _SHAPE_BY_NAME]
            for place, each in enumerate(passed):
                if shape := _whole_or_part(each, parameters):
                    yield f"{called}({'…, ' if place else ''}{shape})"
        elif node.func.attr == _UNSTACK and len(node.args) == 1 and not node.keywords:
            (whole,) = node.args
            if isinstance(whole, ast.Subscript) and isinstance(whole.slice, ast.Slice):
                whole = whole.value  # of an unknown size, a part is of one, too
            if lies_in(whole, parameters):
                yield f"{ast.unparse(node)} of shape"


def _whole_or_part(node: ast.expr, parameters: set[str]) -> str:
    """`x.shape`, `x.shape[:-1]`, and with more: `x.shape[:-1] + …`, `[*x.shape[:-1], …]`; "" of anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if before := _whole_or_part(node.left, parameters):
            return before if before.endswith("…") else f"{before} + …"
        after = _whole_or_part(node.right, parameters)
        return f"… + {after}" if after and "…" not in after else ""
    if isinstance(node, ast.List | ast.Tuple):
        starred = [each.value for each in node.elts if isinstance(each, ast.Starred)]
        found = _whole_or_part(starred[0], parameters) if len(starred) == 1 else ""
        if not found or "…" in found:
            return ""
        before = "" if isinstance(node.elts[0], ast.Starred) else "…, "
        after = "" if isinstance(node.elts[-1], ast.Starred) else ", …"
        return f"[{before}*{found}{after}]"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        shape = shape_of(node.value, parameters) if all(each is None or _is_whole(each) for each in bounds) else ""
        return f"{shape}[{ast.unparse(node.slice)}]" if shape else ""
    return shape_of(node, parameters)


def _is_whole(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(value, ast.Constant) and type(value.value) is int


def asked_whether_known(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`x.shape[0] is None`, `x.shape[0] or …`, `if x.shape[0]`, `x.shape.is_fully_defined()`, and `[:x.shape[0]]`, but
    of what `x` is itself, of which None takes as much: also of `n` where that is `x.shape[0]`. Nothing where the other
    way asks `tf.shape`, which gives the same."""
    sizes = _named_sizes(tree, parameters)
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and not _asks_in_the_graph(node):
            yield from (f"{size} or …" for value in node.values[:-1] if (size := _size(value, parameters, sizes)))
        elif isinstance(node, ast.If | ast.IfExp) and not _asks_in_the_graph(node):
            test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
            if size := _size(test, parameters, sizes):
                yield f"if {size}"
            yield from _asked_in(node.test, parameters, sizes)
        elif isinstance(node, ast.Subscript):
            yield from _slices(node, parameters, sizes)


def _slices(node: ast.Subscript, parameters: set[str], sizes: dict[str, str]) -> Iterator[str]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            lower, upper = (_size(bound, parameters, sizes) if bound else "" for bound in (part.lower, part.upper))
            if (size := lower or upper) and size.rpartition(".shape[")[0] != ast.unparse(node.value):
                yield f"[{lower}:{upper}]"


def _asked_in(test: ast.expr, parameters: set[str], sizes: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            size = _size(node.left, parameters, sizes)
            if size and isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None:
                yield f"{size} is None"
        elif isinstance(node, ast.Attribute) and node.attr == _ALL and (shape := shape_of(node.value, parameters)):
            yield f"{shape}.{_ALL}()"


def _named_sizes(tree: ast.AST, parameters: set[str]) -> dict[str, str]:
    """What names stand for: `n = x.shape[0]`, `n, _ = x.shape`; not of one that is assigned to again."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, set()).add(_size(node.value, parameters, {}))
        elif isinstance(node, ast.Assign):
            shape = shape_of(node.value, parameters)
            for target in node.targets:
                for axis, name in enumerate(target.elts if isinstance(target, ast.Tuple | ast.List) else []):
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, set()).add(f"{shape}[{axis}]" if shape else "")
    return {name: size for name, (size, *others) in found.items() if size and not others}


def _size(node: ast.expr, parameters: set[str], sizes: dict[str, str]) -> str:
    if isinstance(node, ast.Name):
        return sizes.get(node.id, "")
    return next(asked_sizes(node, parameters), "") if isinstance(node, ast.Subscript) else ""


def _asks_in_the_graph(node: ast.AST) -> bool:
    """`tf.shape(x)`, `tf.size(x)`."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(isinstance(called, ast.Attribute) and called.attr in ("shape", "size") for called in calls)


def shape_of(node: ast.expr, parameters: set[str]) -> str:
    """`x.shape`, also where it is `x.get_shape()`, or a list of either; "" of what is none."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "as_list":
        return shape_of(node.func.value, parameters)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple"):
        return shape_of(node.args[0], parameters) if len(node.args) == 1 else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get_shape":
        return f"{ast.unparse(node.func.value)}.shape" if lies_in(node.func.value, parameters) else ""
    is_one = isinstance(node, ast.Attribute) and node.attr == "shape" and lies_in(node.value, parameters)
    return ast.unparse(node) if is_one else ""
