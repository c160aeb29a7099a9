"""What goes through a list or a number in Python: a loop that is built as often as it has items, and collects in a
list."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from tb_retrace_plugin.capture.code.source_tree import assigned, lies_in
from tb_retrace_plugin.capture.code.written_shapes import is_shape

#: That go through what they are given, and through no symbolic tensor, which `for x in n` does.
THROUGH = frozenset({"enumerate", "zip", "map", "filter", "reversed", "list", "tuple", "sum"})
#: So many numbers at least are made one tensor, which cannot be unpacked; fewer are tensors one by one.
FEWEST_UNPACKED = 4
_CONCATENATE = frozenset({"concat", "concatenate"})
#: Of a list: what is added to it within a loop of the graph is lost.
_GROWS = frozenset({"append", "extend", "insert"})


def gone_through(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`enumerate(n) through`, `[… for … in n] through`, `a, b, c, d = n through`: also of a part, `n[::-1]`; `for … in
    n through` where that collects in a list, else `for … in n by turns`; `range(len(n)) of length` where that does,
    and `len(n) of length` where it is no loop's; and `list(range(n))`, of a number."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    of_loops = {id(each) for loop in loops for each in ast.walk(loop.iter)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (called := _name(node.func)) in THROUGH - parameters:
            yield from (f"{called}({ast.unparse(each)}) through" for each in node.args if _is_of(each, parameters))
            ranges = [a for a in node.args if isinstance(a, ast.Call) and _name(a.func) == "range"]
            yield from (f"{called}(range({n}))" for each in ranges for n in _numbers_in(each, parameters))
        elif isinstance(node, ast.Call) and _name(node.func) == "len" and id(node) not in of_loops:
            whole = (each for each in node.args if _is_of(each, parameters) and not is_shape(each))
            yield from (f"len({ast.unparse(each)}) of length" for each in whole)
        elif isinstance(node, ast.comprehension) and _is_of(node.iter, parameters):
            yield f"[… for … in {ast.unparse(node.iter)}] through"
        elif isinstance(node, ast.For) and _is_of(node.iter, parameters):
            items = "…, …" if isinstance(node.target, ast.Tuple) else "…"
            is_through = isinstance(node.target, ast.Tuple) or _all_grown(node)
            yield f"for {items} in {ast.unparse(node.iter)} {'through' if is_through else 'by turns'}"
        if isinstance(node, ast.For | ast.comprehension):
            yield from _by_its_length(node, parameters)
        elif isinstance(node, ast.Assign) and lies_in(node.value, parameters) and not is_shape(node.value):
            many = [each for each in node.targets if isinstance(each, ast.Tuple | ast.List)]
            names = [", ".join(map(ast.unparse, each.elts)) for each in many if len(each.elts) >= FEWEST_UNPACKED]
            yield from (f"{name} = {ast.unparse(node.value)} through" for name in names)


def grown_by_numbers(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`out.append(…) in range(n)`: in the graph's loop that a tensor makes of it, a list collects nothing, and takes
    nothing at its index, `out[…] = … in range(n)`; `total = 0 before range(n)`: nor does a number become one of another
    dtype; `ids = concat(…, 1) over range(n)`: nor a tensor one of another shape; and `for … in layers[:n] by a number`,
    or `[… for … in layers[:n]]`, which AutoGraph leaves to Python, as it does `for … in enumerate(layers[:n])`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            is_python = isinstance(node, ast.comprehension)
            parts = (f"for … in {part}" for part in _by_a_bound(node.iter, parameters))
            yield from (f"[… {use}]" if is_python else f"{use} by a number" for use in parts)
            yield from (f"for … in {use}" for use in _in_python(node.iter, parameters))
    for loop, numbers in loops_over_numbers(tree, parameters):
        grown = [*_all_grown(loop, _off_by_default(tree)), *_filled(loop, tree)]
        yield from (f"{each} in range({number})" for number in numbers for each in grown[:1])
        begun = _begun(loop, tree) if not grown else []
        yield from (f"{each} before range({number})" for number in numbers for each in begun[:1])
        yield from (f"{each} over range({number})" for number in numbers for each in _lengthened(loop))


def loops_over_numbers(tree: ast.AST, parameters: set[str]) -> Iterator[tuple[ast.For, list[str]]]:
    """Each `for … in range(n)`, with the numbers that it ends by."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and _is_range(node.iter) and (numbers := _numbers_in(node.iter, parameters)):
            yield node, numbers


def _is_range(node: ast.expr) -> bool:
    """Also backwards, or a part of it."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_range(node.value)
    called = _name(node.func) if isinstance(node, ast.Call) else ""
    return called == "range" or (called == "reversed" and isinstance(node, ast.Call) and any(map(_is_range, node.args)))


def recurs(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`rest(n) calls itself`: that is once for all of a tensor, and does not end. Also of a number that is closed over,
    and asked for whether it goes on."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            calls = [n for n in ast.walk(function) if _is_call_of(n, function)]
            if calls:
                outer = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n.func) == function.name]
                passed = dict.fromkeys(n for call in outer for each in call.args for n in _numbers_in(each, parameters))
                passed |= dict.fromkeys(_ending(function, parameters)) if function is not tree else {}
                yield from (f"{function.name}({number}) calls itself" for number in passed)


def _is_call_of(node: ast.AST, function: ast.FunctionDef) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) == function.name


def _ending(function: ast.FunctionDef, parameters: set[str]) -> Iterator[str]:
    """Numbers that tests ask, of which one way alone calls it again, or returns before that."""
    own = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp) and (numbers := _numbers_in(node.test, parameters - own)):
            ways = [each if isinstance(each, list) else [each] for each in (node.body, node.orelse)]
            again = [any(_is_call_of(n, function) for one in way for n in ast.walk(one)) for way in ways]
            ends = any(isinstance(one, ast.Return) for way in ways for one in way)
            if again[0] != again[1] or (ends and not any(again)):
                yield from numbers


def _by_its_length(node: ast.For | ast.comprehension, parameters: set[str]) -> Iterator[str]:
    is_range = isinstance(node.iter, ast.Call) and _name(node.iter.func) in ("range", "reversed")
    if is_range and (isinstance(node, ast.comprehension) or _all_grown(node)):
        for each in ast.walk(node.iter):
            if (
                isinstance(each, ast.Call)
                and _name(each.func) == "len"
                and each.args
                and _is_of(each.args[0], parameters)
            ):
                yield f"range({ast.unparse(each)}) of length"


def _all_grown(loop: ast.For, off: Collection[str] = ()) -> list[str]:
    """But for where one of `off` asks for it."""
    return sorted({grown(each) for line in loop.body for each in _without(line, off)} - {""})


def _filled(loop: ast.For, tree: ast.AST) -> Iterator[str]:
    """Lists made in the code, of which the loop sets one item after the other."""
    turns = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for node in (each for line in loop.body for each in ast.walk(line)):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            at = {each.id for each in ast.walk(node.slice) if isinstance(each, ast.Name)}
            if not at.isdisjoint(turns) and _is_a_list(node.value.id, tree):
                yield f"{node.value.id}[…] = …"


def _is_a_list(name: str, tree: ast.AST) -> bool:
    """`[None] * n` and `[None for …]`, too."""
    values = [
        value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for one, value in assigned(node)
        if isinstance(one, ast.Name) and one.id == name
    ]
    return bool(values) and all(map(_makes_a_list, values))


def _makes_a_list(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return isinstance(value.left, ast.List) or isinstance(value.right, ast.List)
    return isinstance(value, ast.List | ast.ListComp)


def _without(node: ast.AST, off: Collection[str]) -> Iterator[ast.AST]:
    is_off = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id in off
    yield node
    for child in node.orelse if is_off and isinstance(node, ast.If) else ast.iter_child_nodes(node):
        yield from _without(child, off)


def _off_by_default(tree: ast.AST) -> set[str]:
    """Flags: of `def walk(x, keep=False)` it is not known that anything asks to keep."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            taken, by_name = [*node.args.posonlyargs, *node.args.args], node.args.kwonlyargs
            given: list[tuple[ast.arg, ast.expr | None]] = [*zip(by_name, node.args.kw_defaults, strict=True)]
            given += zip(reversed(taken), reversed(node.args.defaults), strict=False)
            found |= {name.arg for name, value in given if isinstance(value, ast.Constant) and value.value is False}
    return found


def _begun(loop: ast.For, tree: ast.AST) -> list[str]:
    """Whole numbers first, which fractions are added to more often than those of another dtype."""
    lines = [each for line in loop.body for each in ast.walk(line)]
    changed = {n.target.id for n in lines if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    before = (node for node in ast.walk(tree) if isinstance(node, ast.Assign) and node.lineno < loop.lineno)
    found = [
        (type(value.value) is float, f"{one.id} = {value.value!r}")
        for node in before
        for one, value in assigned(node)
        if isinstance(one, ast.Name) and one.id in changed
        if isinstance(value, ast.Constant) and type(value.value) in (int, float)
    ]
    return [text for _, text in sorted(found, key=lambda each: each[0])]


def _lengthened(loop: ast.For) -> Iterator[str]:
    """`ids = tf.concat([ids, …], axis=1)`, with the axis as far as it is written."""
    for node in (each for line in loop.body for each in ast.walk(line)):
        call = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func).rpartition(".")[2] not in _CONCATENATE:
            continue
        parts = call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else []
        axis = next((one.value for one in call.keywords if one.arg == "axis"), None)
        written = ast.unparse(axis or (call.args[1] if len(call.args) > 1 else ast.Constant(...)))
        names = {one.id for one in parts if isinstance(one, ast.Name)}
        targets = [one for one in node.targets if isinstance(one, ast.Name)] if isinstance(node, ast.Assign) else []
        at = written if written.removeprefix("-").isdigit() else "…"
        yield from (f"{one.id} = concat(…, {at})" for one in targets if one.id in names)


def _in_python(through: ast.expr, parameters: set[str]) -> Iterator[str]:
    """`enumerate(layers[…n…])`, which goes through no tensor."""
    if isinstance(through, ast.Call) and (called := _name(through.func)) in THROUGH:
        for each in through.args:
            yield from (f"{called}({part})" for part in _by_a_bound(each, parameters))
            yield from (f"{called}({use})" for use in _in_python(each, parameters))


def _by_a_bound(part: ast.expr, parameters: set[str]) -> Iterator[str]:
    if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) and not lies_in(part.value, parameters):
        name = ast.unparse(part.value)
        if name.replace(".", "").isidentifier():
            yield from (f"{name}[…{n}…]" for n in _numbers_in(part.slice, parameters))


def _numbers_in(node: ast.AST, parameters: set[str]) -> list[str]:
    """Outermost, each once; nothing of sizes, nor of what is called."""
    if isinstance(node, ast.expr) and lies_in(node, parameters):
        return [] if any(map(is_shape, ast.walk(node))) else [ast.unparse(node)]
    if isinstance(node, ast.Call) and _name(node.func) not in ("range", "int", "abs", "reversed"):
        return []
    within = (number for child in ast.iter_child_nodes(node) for number in _numbers_in(child, parameters))
    return list(dict.fromkeys(within))


def grown(node: ast.AST) -> str:
    """`out.append(…)`, `out += […]`; "" of what adds to no list."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWS:
        return f"{node.func.value.id}.{node.func.attr}(…)" if isinstance(node.func.value, ast.Name) else ""
    is_list = isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List)
    return f"{ast.unparse(node.target)} += […]" if isinstance(node, ast.AugAssign) and is_list else ""


def _is_of(node: ast.expr, parameters: set[str]) -> bool:
    is_part = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return lies_in(node.value if isinstance(node, ast.Subscript) and is_part else node, parameters)


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""
