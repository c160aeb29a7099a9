"""What one function's source does with numbers by Python's own means, name by name."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from tb_retrace_plugin.capture.code.asked_by_libraries import ASKING, IN_A_LIST, KERAS_OPS, KEYWORDS, asked_of
from tb_retrace_plugin.capture.code.chosen_by_tests import asked_for, breaks, chosen, chosen_numbers, computed_with
from tb_retrace_plugin.capture.code.given_whole import TAKE_A_LIST
from tb_retrace_plugin.capture.code.gone_through import THROUGH
from tb_retrace_plugin.capture.code.helpers import STAY_NUMBERS
from tb_retrace_plugin.capture.code.inner_functions import RUN_LATER
from tb_retrace_plugin.capture.code.made_tensors import is_a_tensor, is_held
from tb_retrace_plugin.capture.code.run_later import RunLater
from tb_retrace_plugin.capture.code.source_tree import assigned, assigned_once, lies_in
from tb_retrace_plugin.capture.code.written_lists import is_named_within, items, leaves
from tb_retrace_plugin.capture.code.written_shapes import is_a_shape, is_shape

#: That take no symbolic tensor, AutoGraph or not; what it converts (`int`, `float`, `abs`, `range` in a `for`) does.
_BUILTINS = frozenset({"min", "max", "sorted", "round", "divmod", "bool", "str", "repr", "format"})
_MODULES = frozenset({"math", "np", "numpy"})
#: Calls in which a text is for whoever reads along.
_LOGS = frozenset({"debug", "info", "warning", "error"})
#: That go through a list, and through no symbolic tensor.
_REDUCE = frozenset({"sum", "max", "min"})
#: Of `tf.summary`, with the place of the step, which is of int64.
_SUMMARIES = frozenset({"scalar", "histogram", "image", "text", "audio", "write"})
_STEP = 2
_AS_A_STEP = " as a step"
#: That take Python's numbers alone.
_MAKE_TENSORS = frozenset({"tf.constant", "tensorflow.constant"})
_ANEW = " anew"
#: Whose first argument is called with the others.
_PARTIALS = frozenset({"partial", "functools.partial"})
#: Methods of Python's numbers.
_OF_A_NUMBER = frozenset({"bit_length", "bit_count", "is_integer", "as_integer_ratio", "hex", "to_bytes"})
#: That takes a tensor as well, and prints its value.
_PRINT = "tf.print"
#: Of `tf.image`, which ask of so many numbers after the image, in Python, whether they are in bounds.
_DRAWS = {
    f"{stateless}random_{name}": count
    for stateless in ("", "stateless_")
    for name, count in (("brightness", 1), ("contrast", 2), ("hue", 1), ("saturation", 2))
}
#: Which take numbers of Python's alone, and after how many arguments.
_SETS_SHAPE = {"set_shape": 0, "ensure_shape": 1, "TensorShape": 0}
#: Of a ragged tensor, with the shape that comes of it.
_DENSE = "to_tensor"
_ARRAY = "ndarray"
_ITEM_OF_WHAT_IS_WRITTEN: dict[type[ast.expr], str] = {ast.List: "[…]", ast.Tuple: "(…)", ast.Dict: "{…}"}
#: Of which the source is worth parsing.
LOOKED_FOR = frozenset(
    _BUILTINS | _MODULES | THROUGH | _DRAWS.keys() | _SETS_SHAPE.keys() | ASKING | TAKE_A_LIST | {_DENSE}
    | {KERAS_OPS, "int", "len", "range", "shape", "get_shape", "ndim", "constant", "unstack", "print", "get", "summary"}
    | _OF_A_NUMBER | RUN_LATER
)  # fmt: skip
_RAISES = "raise"
_ASSERTS = "assert "
#: That names operations: the graphs show what they are called, and a tensor's name is refused.
_NAMES = "name_scope"
IN_PARTS = " in parts"
#: What is asked for of such a part, in Python.
SHAPE = ".shape"
KEPT = " kept"
#: Of what may be a tensor, or a list.
OF_AN_ARGUMENT = " of an argument"
#: Which are a tensor of int32 where they are chosen in the graph.
_OF_WHOLE = " of whole numbers"
_RATES, _OPTIMIZER = frozenset({"learning_rate", "lr"}), "opt"
#: What an index may be written of, and its characters, to be told as it is.
_WRITTEN = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Slice, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop),
    ast.expr_context,
)
_MOST_WRITTEN, _MOST_REPEATED = 60, 20
#: Attributes that take no index but a Python number, or take tensors.
_NO_TABLES = frozenset({"shape", "at", "loc", "iloc", "T"})
#: Of a condition, which is told by its numbers else.
_MAX_CONDITION = 60


def _is_a_rate(target: ast.Attribute) -> bool:
    """Whether it is an optimizer's, by its names: Keras assigns it to a variable of the optimizer's, in the graph."""
    owner = target.value
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    return target.attr in _RATES and _OPTIMIZER in name.lower()


class _WithoutConstants(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Name("…") if node.value is not ... else node


class UsesOfNumbers:
    def __init__(
        self, numbers: set[str], tables: Mapping[str, str], tree: ast.AST, function: Any, held: Collection[str] = (),
        hashing: Collection[str] = (),
    ) -> None:  # fmt: skip
        """`function`: whose source it is. `held`: names of what it closes over, in which numbers may lie that a
        library's code asks in Python. `hashing`: of functions that look up what they are passed, as of
        `functools.lru_cache`."""
        self._function = function
        self._numbers, self._lists, self._held = numbers, lists_in(tree), {*held}
        self._no_tensors = _BUILTINS - numbers | {*hashing}
        self._asked_for, self._computed_with = asked_for(tree), computed_with(tree)
        once = assigned_once(tree)
        self._run_later = RunLater(tree)
        self._computed = {name: each for name, each in once.items() if isinstance(each, ast.BinOp | ast.Call)}
        self._listed = {
            name: each for name, each in once.items() if isinstance(each, ast.List | ast.Tuple | ast.ListComp)
        }
        made = (name for name, each in once.items() if isinstance(each, ast.Call) and _is_of_numpy(each))
        self._tables = {**dict.fromkeys(made, _ARRAY), **tables}
        self._reduced: dict[int, str] = {}  # by the ids of parts of tables: what makes one number of them

    def of(self, node: ast.AST) -> Iterator[str]:
        """Outermost first; nothing within what is printed or raised, nor of an annotation."""
        if id(node) in self._run_later.functions:
            return
        if isinstance(node, ast.Raise | ast.Assert):
            yield from self._asserted(node) if isinstance(node, ast.Assert) else ()
            return
        if isinstance(node, ast.Match) and self._is_asked(node.subject):
            yield f"match {ast.unparse(node.subject)}:"
        called = _called(node.func) if isinstance(node, ast.Call) else ""
        if called == "print" or called.rpartition(".")[2] in (*_LOGS, _NAMES):
            return
        if isinstance(node, ast.keyword) and node.arg == "name":
            return
        if isinstance(node, ast.expr):
            yield from self._use(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            pairs = assigned(node) if isinstance(node, ast.Assign) else [(node.target, node.value)]
            yield from (kept for target, value in pairs for kept in self._kept(target, value))
        elif isinstance(node, ast.For):
            yield from self._broken_off(node)
        elif isinstance(node, ast.If):
            yield from self._raised(node)
            yield from self._chosen(node)
        yield from self._truths(node)
        skipped = {"annotation", "returns", "decorator_list"}
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and name not in skipped:
                    yield from self.of(child)

    def _kept(self, target: ast.expr, value: ast.expr) -> Iterator[str]:
        """What the code puts where others find it, but in what it makes itself: a graph's tensor is none to them."""
        if isinstance(target, ast.Attribute) and not (self._is_of_its_own(target) or _is_a_rate(target)):
            text = ast.unparse(target)
            fits = len(text) <= _MOST_WRITTEN
            yield from (f"{text} = {number}{KEPT}" for number in self._in(value) if fits and ".shape" not in number)

    def _is_of_its_own(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Call) or (isinstance(node, ast.Name) and node.id in self._computed)

    def _truths(self, node: ast.AST) -> Iterator[str]:
        """Where a number, or what is computed of it, is asked whether it is 0: TensorFlow asks bools alone."""
        if isinstance(node, ast.If | ast.IfExp) and self._is_for_its_truth(node.test):
            number = ast.unparse(node.test)
            yield f"if {number}:" if isinstance(node, ast.If) else f"… if {number} else …"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and self._is_for_its_truth(node.operand):
            yield f"not {ast.unparse(node.operand)}"
        elif isinstance(node, ast.BoolOp):
            word = "or" if isinstance(node.op, ast.Or) else "and"
            yield from (f"{ast.unparse(one)} {word} …" for one in node.values if self._is_for_its_truth(one))

    def _is_for_its_truth(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            numbers = list(self._in(node))
            return bool(numbers) and not any(".shape" in number for number in numbers)
        return self._is_asked(node)

    def _is_asked(self, node: ast.expr) -> bool:
        return self._is_number(node) and not any(map(is_shape, ast.walk(node)))

    def _broken_off(self, node: ast.For) -> Iterator[str]:
        """What ends a loop over another `range` by a number: AutoGraph ends none of Python's by a tensor."""
        is_range = isinstance(node.iter, ast.Call) and _called(node.iter.func) == "range"
        if not is_range or any(self._in_all(node.iter.args if isinstance(node.iter, ast.Call) else [])):
            return
        for test in breaks(node):
            if any(".shape" not in number for number in self._asked(test)):
                text = ast.unparse(test)
                yield f"if {text if len(text) <= _MAX_CONDITION else '…'}: break"

    def _raised(self, node: ast.If) -> Iterator[str]:
        """What decides in Python whether something is raised: in the graph of a tensor it is, whatever its value."""
        for lines, ends in ((node.body, f": {_RAISES}"), (node.orelse, f": … else: {_RAISES}")):
            if any(isinstance(line, ast.Raise) for line in lines):
                numbers = list(dict.fromkeys(self._asked(node.test)))
                whole = f"if {ast.unparse(node.test)}{ends}"
                fits = len(whole) <= _MAX_CONDITION
                yield from [whole] * bool(numbers) if fits else [f"if … {number} …{ends}" for number in numbers]

    def _chosen(self, node: ast.If) -> Iterator[str]:
        """What it chooses in Python by a number."""
        numbers = list(dict.fromkeys(self._asked(node.test)))
        fits = len(test := ast.unparse(node.test)) <= _MAX_CONDITION
        for what in chosen(node, self._asked_for) if numbers else ():
            yield from [f"if {test}: {what}"] if fits else [f"if … {number} …: {what}" for number in numbers]
        for name, value, other in chosen_numbers(node, self._computed_with) if numbers else ():
            shown = [test] if fits else [f"… {number} …" for number in numbers]
            yield from (f"{name} = {value} if {one} else {other}{_OF_WHOLE}" for one in shown)

    def _asserted(self, node: ast.Assert) -> Iterator[str]:
        numbers = list(dict.fromkeys(self._asked(node.test)))
        whole = f"{_ASSERTS}{ast.unparse(node.test)}"
        yield from [whole] * bool(numbers) if len(whole) <= _MAX_CONDITION else [f"{_ASSERTS}… {n} …" for n in numbers]

    def _asked(self, test: ast.expr) -> Iterator[str]:
        """Numbers in a condition, but for what is only asked to be None."""
        if isinstance(test, ast.BoolOp):
            for each in test.values:
                yield from self._asked(each)
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield from self._asked(test.operand)
        elif isinstance(test, ast.Compare):
            if not any(isinstance(op, ast.Is | ast.IsNot) for op in test.ops):
                yield from (n for n in self._in_all([test.left, *test.comparators]) if ".shape" not in n)
        elif isinstance(test, ast.Name):
            yield from self._in(test)

    def _use(self, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.Call) and node.args and _called(node.func) in _PARTIALS:
            node = ast.Call(node.args[0], node.args[1:], node.keywords)  # what it is to be called with
        if isinstance(node, ast.BinOp):
            yield from (f"int({number}){_OF_WHOLE}" for number in self._made_whole(node))
        if isinstance(node, ast.Call):
            yield from self._run_later.of(node, self._is_number)
            for keyword in (each for each in node.keywords if each.arg in KEYWORDS):
                numbers = self._in_all(items(keyword.value))
                yield from (f"{ast.unparse(node.func)}({keyword.arg}={number})" for number in numbers)
            called = _called(node.func)
            module, _, name = called.rpartition(".")
            if called in _REDUCE and len(node.args) == 1:
                self._reduced[id(node.args[0])] = called
            if name in _SUMMARIES and ast.unparse(node.func).endswith(f"summary.{name}"):
                steps = node.args[_STEP : _STEP + 1] + _by_keyword(node, "step")
                yield from (f"{number}{_AS_A_STEP}" for number in self._in_all(steps))
            elif called in self._no_tensors or (module in _MODULES and name):
                yield from (f"{called}({number})" for number in self._in_all([*chain(*map(self._given, node.args))]))
            elif name in _DRAWS:
                given = node.args[1 : 1 + _DRAWS[name]]
                given += [keyword.value for keyword in node.keywords if keyword.arg != "seed"]
                yield from (f"{ast.unparse(node.func)}({number})" for number in self._in_all(given))
            elif asked := asked_of(node.func, name):
                yield from self._asked_by_a_library(node, asked)
            elif name in _SETS_SHAPE:
                numbers = self._in_all([*chain(*map(items, node.args[_SETS_SHAPE[name] :]))])
                yield from (f"{ast.unparse(node.func)}({number})" for number in numbers if ".shape" not in number)
            elif name == _DENSE:
                for shape in (*node.args[1:2], *_by_keyword(node, "shape")):
                    has_none = any(isinstance(one, ast.Constant) and one.value is None for one in items(shape))
                    numbers = self._in_all(items(shape) if has_none else [])
                    yield from (f"{name}([None, {number}])" for number in numbers)
            elif name == "get" and isinstance(node.func, ast.Attribute) and node.args:
                table = self._written(node.func.value)
                yield from (f"{table}.get({number})" for number in self._in(node.args[0]) if table)
            elif name in _OF_A_NUMBER and isinstance(node.func, ast.Attribute) and self._is_number(node.func.value):
                yield f"int.{name}({ast.unparse(node.func.value)})"
            elif called in _MAKE_TENSORS:
                has_a_shape = len(node.args) > 2 or any(each.arg == "shape" for each in node.keywords)
                yield from self._made_anew(called, node.args[:1], ", shape=…" if has_a_shape else "")
            elif called == _PRINT:
                yield from (f"{called}({ast.unparse(each)})" for each in node.args if self._is_number(each))
            elif _is_text(getattr(node.func, "value", None)) and name == "format":
                yield from (f"str.format({n})" for n in self._in_all([*node.args, *(k.value for k in node.keywords)]))
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            kind = self._tables.get(node.value.id)
            if isinstance(node.ctx, ast.Store) and kind == _ARRAY:
                if any(self._in_parts(node.slice)):
                    yield f"{node.value.id}[{self._parts(node.slice)}] = …"
            elif isinstance(node.slice, ast.Slice | ast.Tuple):
                bounds = list(self._in_parts(node.slice)) if not (kind or "").startswith("dict") else []
                if kind and bounds:
                    sliced = f"{node.value.id}[{self._parts(node.slice)}]"
                    yield f"{f'{by}({sliced})' if (by := self._reduced.get(id(node))) else sliced} of a {kind}"
                elif any(".shape" not in bound for bound in self._in_bounds(node.slice)):
                    yield f"{node.value.id}[{self._written_parts(node.slice)}]{IN_PARTS}"
            elif kind:
                yield from (f"{node.value.id}[{number}] of a {kind}" for number in self._in(node.slice))
            elif written := self._lists.get(node.value.id):
                yield from (f"{written}[{number}]" for number in self._in_index(node.slice))
            elif node.value.id in self._numbers:
                numbers = (number for number in self._in_index(node.slice) if ".shape" not in number)
                yield from (f"{node.value.id}[{number}]{OF_AN_ARGUMENT}" for number in numbers)
        elif isinstance(node, ast.Subscript) and (written := _ITEM_OF_WHAT_IS_WRITTEN.get(type(node.value))):
            yield from (f"{written}[{number}]" for number in self._in_index(node.slice))
            if isinstance(node.slice, ast.Slice) and any(self._in_parts(node.slice)):
                yield f"{written}[{self._parts(node.slice)}]"
        elif isinstance(node, ast.Subscript) and self._is_of_a_tensor(node.value):
            if any(".shape" not in bound for bound in self._in_bounds(node.slice)):
                yield f"{ast.unparse(node.value)}[{self._written_parts(node.slice)}]{IN_PARTS}"
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            if (name := ast.unparse(node.value)).replace(".", "").isidentifier() and node.value.attr not in _NO_TABLES:
                yield from (f"{name}[{number}] of a member" for number in self._in_index(node.slice))
                if any(".shape" not in bound for bound in self._in_bounds(node.slice)):
                    yield f"{name}[{self._parts(node.slice)}] of a member"
        elif isinstance(node, ast.Attribute) and is_shape(node) and isinstance(node.value, ast.Subscript):
            if any(".shape" not in bound for bound in self._in_bounds(node.value.slice)):
                part = node.value
                yield f"{ast.unparse(part.value)}[{self._written_parts(part.slice)}]{SHAPE}{IN_PARTS}"
        elif isinstance(node, ast.FormattedValue):
            yield from (f'f"{{{number}}}"' for number in self._in(node.value))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            yield from (f'"%" % {number}' for number in self._in_all(values))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, ast.List | ast.Tuple) and is_a_shape(other):
                    numbers = (number for number in self._in_all([*leaves(one)]) if ".shape" not in number)
                    yield from (f"[…{number}…] + ….shape" for number in numbers)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, ast.List | ast.Tuple):
                    yield from self._repeated(one, list(self._in(other)))
        elif isinstance(node, ast.IfExp) and all(map(_is_whole, (node.body, node.orelse))):
            if any(self._asked(node.test)) and len(text := ast.unparse(node)) <= _MAX_CONDITION:
                yield f"{text}{_OF_WHOLE}"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            yield from (f"{number} in (…)" for number in self._in(node.left) if ".shape" not in number)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            for each in node.generators:
                if isinstance(each.iter, ast.Call) and _called(each.iter.func) == "range":
                    yield from (f"[… for … in range({number})]" for number in self._in_all(each.iter.args))
                yield from (f"[… for … if … {number} …]" for test in each.ifs for number in self._asked(test))

    def _made_whole(self, node: ast.BinOp) -> Iterator[str]:
        """Numbers that `int` is asked of where something is computed with that, but with what is written and whole."""
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Call) and _called(one.func) == "int" and not _is_whole(other):
                yield from self._in_all(one.args)

    def _is_of_a_tensor(self, node: ast.expr) -> bool:
        """Of `self.table`, or `net.table`, which takes tensors as bounds, and by place."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return False
        if (name := node.value.id) == "self":
            return is_a_tensor(self._function, node.attr)
        return name not in self._numbers and is_held(self._function, name, node.attr)

    def _made_anew(self, called: str, given: list[ast.expr], more: str) -> Iterator[str]:
        """`tf.constant(n)`, `tf.constant(…n…)` of what is computed of it, and `tf.constant([…n…])` of
        `[[1.0, n], [n, 1.0]]`, of a name that stands for such a list, and of `[float(one) for one in n]`."""
        for each in given:
            listed = self._listed.get(each.id) if isinstance(each, ast.Name) else each
            if self._is_number(each):
                yield f"{called}({ast.unparse(each)}{more}){_ANEW}"
            elif isinstance(listed, ast.List | ast.Tuple):
                numbers = dict.fromkeys(self._in_all([*leaves(listed)]))
                yield from (f"{called}([…{number}…]{more}){_ANEW}" for number in numbers)
            elif isinstance(listed, ast.ListComp):
                through = [one.iter for one in listed.generators if is_named_within(listed.elt, one.target)]
                lists = [ast.unparse(one) for one in through if self._is_number(one)]
                lists += [number.removesuffix("[...]") for number in self._in(listed.elt)]
                yield from (f"{called}([…{name}…]{more}){_ANEW}" for name in dict.fromkeys(lists))
            else:
                computed = self._asked(each.test) if isinstance(each, ast.IfExp) else self._in(each)
                numbers = dict.fromkeys(number for number in computed if ".shape" not in number)
                yield from (f"{called}(…{number}…{more}){_ANEW}" for number in numbers)

    def _given(self, value: ast.expr) -> list[ast.expr]:
        return items(self._listed.get(value.id, value) if isinstance(value, ast.Name) else value)

    def _asked_by_a_library(self, node: ast.Call, asked: Mapping[str, int]) -> Iterator[str]:
        for name, place in asked.items():
            given = node.args[place : place + 1] + _by_keyword(node, name)
            given = [*chain(*map(self._given, given))] if name in IN_A_LIST else given
            held = [ast.unparse(e) for e in given if not isinstance(e, ast.Name) and lies_in(e, self._held)]
            whole = ast.unparse(node.func)
            called = whole if whole.replace(".", "").isidentifier() else whole.rpartition(".")[2]  # of a chain of calls
            yield from (f"{called}({name}={number})" for number in (*self._in_all(given), *held))

    def _written(self, node: ast.expr) -> str:
        """A dictionary that is a global, or is written there; "" of anything else."""
        if isinstance(node, ast.Dict):
            return _ITEM_OF_WHAT_IS_WRITTEN[ast.Dict]
        return node.id if isinstance(node, ast.Name) and self._tables.get(node.id, "").startswith("dict") else ""

    def _repeated(self, value: ast.List | ast.Tuple, numbers: list[str]) -> Iterator[str]:
        """`[1] * n`, `(n, …) * n`, which hold no tensor: as it is written; else `[…] * n`."""
        within = list(leaves(value))
        are_numbers = bool(within) and all(_is_constant(each) or ast.unparse(each) in numbers for each in within)
        text = ast.unparse(value)
        if len(text) > _MOST_REPEATED:
            text = f"{text[0]}{ast.unparse(value.elts[0])}, …{text[-1]}"
        for number in numbers:
            if are_numbers and ".shape" not in number:
                yield f"{text} * {number}"
            elif isinstance(value, ast.List):
                yield f"[…] * {number}"

    def _in_all(self, nodes: list[ast.expr]) -> Iterator[str]:
        for node in nodes:
            yield from self._in(node)

    def _in_index(self, node: ast.expr) -> Iterator[str]:
        return iter(()) if isinstance(node, ast.Slice | ast.Tuple) else self._in(node)

    def _in_bounds(self, index: ast.expr) -> Iterator[str]:
        """Numbers in the bounds of slices: an index leaves the sizes of other dimensions known."""
        for each in index.elts if isinstance(index, ast.Tuple) else [index]:
            yield from self._in_parts(each) if isinstance(each, ast.Slice) else ()

    def _in_parts(self, index: ast.expr) -> Iterator[str]:
        """Numbers in the bounds of a slice, or in an index of several dimensions."""
        if isinstance(index, ast.Tuple):
            for each in index.elts:
                yield from self._in_parts(each)
        elif isinstance(index, ast.Slice):
            for bound in (index.lower, index.upper, index.step):
                yield from self._in(bound) if bound is not None else ()
        else:
            yield from self._in(index)

    def _written_parts(self, index: ast.expr) -> str:
        """As it is written, without constants, where that names all numbers in it: `x[top:top + size]`."""
        nodes = list(ast.walk(index))
        named = {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)}
        if not (named.issuperset(self._in_parts(index)) and all(isinstance(node, _WRITTEN) for node in nodes)):
            return self._parts(index)
        told = _WithoutConstants().visit(copy.deepcopy(index))
        text = ", ".join(map(ast.unparse, told.elts)) if isinstance(told, ast.Tuple) else ast.unparse(told)
        return text if len(text) <= _MOST_WRITTEN else self._parts(index)

    def _parts(self, index: ast.expr) -> str:
        """As it is written, what numbers are computed with left out."""
        if isinstance(index, ast.Tuple):
            return ", ".join(map(self._parts, index.elts))
        if isinstance(index, ast.Slice):
            lower, upper = ("" if bound is None else self._parts(bound) for bound in (index.lower, index.upper))
            return f"{lower}:{upper}" + ("" if index.step is None else f":{self._parts(index.step)}")
        return ast.unparse(index) if self._is_number(index) else " … ".join(dict.fromkeys(self._in(index))) or "…"

    def _in(self, node: ast.expr) -> Iterator[str]:
        """Numbers in what is computed of them, or looked up with them: `-0.1 * n`, `state.step + 1`, `RATES[n]`."""
        if isinstance(node, ast.BinOp):
            yield from self._in(node.left)
            yield from self._in(node.right)
        elif isinstance(node, ast.UnaryOp):
            yield from self._in(node.operand)
        elif isinstance(node, ast.Call) and _is_of_python(_called(node.func)):
            yield from self._in_all(node.args)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self._tables:
            yield from self._in_index(node.slice)
        elif self._is_number(node):
            yield ast.unparse(node)
        elif isinstance(node, ast.Name) and (computed := self._computed.pop(node.id, None)) is not None:
            yield from self._in(computed)  # popped for that long: one may be computed of itself
            self._computed[node.id] = computed
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple | ast.Constant):
            yield from [f"{ast.unparse(node.value)}[...]"] * self._is_number(node.value)

    def _is_number(self, node: ast.expr) -> bool:
        return lies_in(node, self._numbers)


def lists_in(tree: ast.AST) -> dict[str, str]:
    """Local names that are lists or dictionaries which are written there: `hidden = [x, y]`, and how they are told."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if (written := _ITEM_OF_WHAT_IS_WRITTEN.get(type(node.value))) is not None:
                found[node.targets[0].id] = written
            else:
                others.add(node.targets[0].id)
    return {name: written for name, written in found.items() if name not in others}


def _by_keyword(call: ast.Call, name: str) -> list[ast.expr]:
    """Also of what is passed by `**options`: `options['ord']`."""
    given = [each.value for each in call.keywords if each.arg == name]
    spread = [each.value for each in call.keywords if each.arg is None]
    return given + [ast.Subscript(each, ast.Constant(name), ast.Load()) for each in spread]


def _is_of_numpy(call: ast.Call) -> bool:
    return _called(call.func).partition(".")[0] in ("np", "numpy")


def _is_of_python(called: str) -> bool:
    """Whether a number comes of numbers by it."""
    return called in STAY_NUMBERS or called.partition(".")[0] in _MODULES


def _is_whole(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) is int


def _is_constant(value: ast.expr) -> bool:
    return isinstance(value.operand if isinstance(value, ast.UnaryOp) else value, ast.Constant)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        value = function.value
        return f"{value.id if isinstance(value, ast.Name) else '…'}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
