"""What code does with its Python numbers by Python's own means: of a tensor it fails there, or gives something else."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numpy as np

from tb_retrace_plugin.capture.code.as_sizes import as_sizes
from tb_retrace_plugin.capture.code.asked_by_libraries import ASKING, KEYWORDS
from tb_retrace_plugin.capture.code.asked_lengths import computed_of_lengths, sliced_by_lengths
from tb_retrace_plugin.capture.code.asked_ranks import asked_dtypes, asked_ranks
from tb_retrace_plugin.capture.code.asked_sizes import (
    asked_sizes,
    asked_whether_known,
    gone_over,
    made_of_shapes,
)
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.changed_by_loops import changed_by_loops
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.given_whole import given_whole
from tb_retrace_plugin.capture.code.gone_through import gone_through, grown_by_numbers, recurs
from tb_retrace_plugin.capture.code.helpers import (
    IS_OTHER,
    MAX_DEPTH,
    called_in_turn,
    called_on,
    called_with,
    computed_in_turn,
    hashing_among,
    helpers_among,
    methods_called,
)
from tb_retrace_plugin.capture.code.key_defaults import key_defaults
from tb_retrace_plugin.capture.code.methods_of_arguments import methods_of_arguments
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.sizes_of_computed import followed, sizes_of_computed, without_earlier
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree
from tb_retrace_plugin.capture.code.uses_of_numbers import (
    IN_PARTS,
    KEPT,
    LOOKED_FOR,
    OF_AN_ARGUMENT,
    UsesOfNumbers,
)
from tb_retrace_plugin.capture.code.with_fractions import with_fractions
from tb_retrace_plugin.capture.code.worth_parsing import may_use

_Held: TypeAlias = Mapping[int, Mapping[str, FunctionType]]
UNREAD = " unread"
_OWN = ("self", "cls")
_MOST_UNREAD = 8
_FOR, _BY_TURNS = "for … in ", " by turns"
_TABLES = (list, tuple, dict, np.ndarray)
#: What comes before the last of what is called.
_LONG_NAME = re.compile(r"^[\w.]+\.(?=\w+\()")
#: That are told of a function; and sizes of its tensors that it asks for.
_MOST = 12
_MOST_SIZES = 8
_MOST_FRACTIONS = 8
_MOST_DEFAULTS = 8
#: Of a list that are looked at.
_MOST_ITEMS = 64
_MAX_TEXT = 120
#: Functions that are looked at, in search of those whose source is worth parsing.
_MOST_REACHED = 64
_worth_parsing: ByCode[bool] = ByCode()
_asking: ByCode[bool] = ByCode()
#: By which sizes are asked for.
_OF_SIZES = frozenset({"shape", "get_shape", "unstack", "ndim", "len"})


@once_per_code
def python_uses(code: CodeType, function: Any) -> list[str]:
    """`math.exp(n)`, `TABLE[n]`, `TABLE[a:b]`, `self.table[n]`, `f"{n}"`: of its parameters, and of numbers that it
    closes over or reads as globals; `if n:`, `not n` and `n or …`, which ask it whether it is 0; `x[:n] in parts`, what
    goes through lists or numbers (gone_through.py), also of lists of numbers that it closes over, computes with
    fractions (with_fractions.py), and what it takes for missing keys (key_defaults.py): of its parameters; `x.shape[1]`
    of its parameters, which is None once that size is
    unknown, `len(x.shape)`, and `x.shape[1] is None`, which asks for that; `if n > k: raise`;
    `tf.nn.softmax(axis=n)`, which TensorFlow's own code asks in Python; `for … in range(x.shape[1])`; and
    `tf.print(n)`, which explains a text in the graph;
    `if n > k: mode = '…'`, where that is asked for later (chosen_by_tests.py).

    So it is with what functions of the user's do that it calls by name, on `self`, or of a module or an object that it
    knows, of what it passes them, and those in turn (helpers.py).

    `n unread`: a parameter that nothing in the code reads, by its bytecode.

    Names alone: what a number is used with is left out. Nothing of the code is run.
    """
    unread = [f"{name}{UNREAD}" for name in names_of(code).unread if name not in _OWN][:_MOST_UNREAD]
    return [*_uses(code, function, {}), *unread]


def uses_with_held(code: CodeType, function: Any, held: _Held) -> list[str]:
    """The same, with what is known of objects that the code does not tell of: by the ids of codes, what each calls."""
    return _uses(code, function, held)


def _uses(code: CodeType, function: Any, held_by: _Held) -> list[str]:
    def helpers_of(function: Any, code: CodeType) -> dict[str, FunctionType]:
        return {**_helpers_of(function, code), **held_by.get(id(code), {})}

    def asking_of(function: Any, code: CodeType) -> dict[str, FunctionType]:
        return {**_asking_for_sizes(function, code), **held_by.get(id(code), {})}

    known = around(function, code)
    tables = _tables_among(known)
    helpers = helpers_of(function, code)
    asking = asking_of(function, code)
    hashing = hashing_among(known)
    if not (tables or helpers or asking or hashing or may_use(code, LOOKED_FOR, KEYWORDS)):
        return []
    numbers = {name for name, value in known.items() if type(value) in (int, float)}
    parameters = parameters_of(code)
    numbers |= parameters
    source = source_tree(code) if numbers else None
    if source is None:
        return []
    try:
        lists = {name for name in code.co_freevars if _holds_numbers(known.get(name))}
        tree = by_parameters(source.tree, code, parameters, {*numbers, *tables, *lists})
        held = {name for name in code.co_freevars if name in known and name not in numbers}
        uses = [
            *UsesOfNumbers(numbers, tables, tree, function, held, hashing).of(tree),
            *_loops(tree, parameters | lists, known),
        ]
        sizes = [*_sizes(tree, parameters)]
        fractions = [*as_sizes(tree, parameters), *with_fractions(tree, parameters, known)]
        defaults = [*key_defaults(tree, parameters), *given_whole(tree, parameters)]
        for helper, within in called_in_turn(tree, numbers, function, code, helpers_of):
            around_helper = around(helper, helper.__code__)
            cached = hashing_among(around_helper)
            of_helper = UsesOfNumbers(numbers, _tables_among(around_helper), within, helper, (), cached)
            found = (*of_helper.of(within), *_loops(within, parameters, around_helper))
            uses += [IS_OTHER.sub("…", text) for text in found]
            sizes += _sizes(within, parameters)
            defaults += key_defaults(within, parameters)
            more = (*as_sizes(within, parameters), *with_fractions(within, parameters, around_helper))
            fractions += [IS_OTHER.sub("…", text) for text in more]
        for _, within in called_in_turn(tree, parameters, function, code, asking_of):
            sizes += _sizes(within, parameters)
        follows = followed(tree, parameters)
        tree = without_earlier(tree, parameters, follows)
        trees = (tree, *(within for _, within in called_with(tree, {*follows}, asking)))
        sizes += [text for each in trees for text in sizes_of_computed(each, follows)]
        known = {**follows, **{name: {name, *follows.get(name, ())} for name in parameters}}
        for within, of in computed_in_turn(tree, known, parameters, function, code, asking_of):
            sizes += sizes_of_computed(within, of)
    except RecursionError:
        return []
    uses = sorted(dict.fromkeys(uses), key=_matters_less)
    kept = ((uses, _MOST), (sizes, _MOST_SIZES), (fractions, _MOST_FRACTIONS), (defaults, _MOST_DEFAULTS))
    return [*dict.fromkeys(text for texts, most in kept for text in _fitting(dict.fromkeys(texts))[:most])]


def unread_among(uses: Iterable[str]) -> frozenset[str]:
    """The parameters that are told to be unread."""
    return frozenset(use.removesuffix(UNREAD) for use in uses if use.endswith(UNREAD))


def may_ask_in_python(code: CodeType) -> bool:
    """Whether it may call what asks numbers that it is passed in Python, by the names in its bytecode."""
    return not ASKING.isdisjoint(code.co_names)


def may_ask_of_itself(code: CodeType) -> bool:
    """The same of a method, with what its object has: not where its source tells that it passes other arguments of its
    own, and what is written there, alone."""
    if not may_ask_in_python(code):
        return False
    source = source_tree(code)
    if source is None:
        return True
    nodes = list(ast.walk(source.tree))
    calls = [node for node in nodes if isinstance(node, ast.Call) and _is_asking(node.func)]
    if len(calls) < sum(map(_is_asking, nodes)):  # by another name, perhaps
        return True
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own = {*code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]} - stored
    given = [part for call in calls for part in (*call.args, *(keyword.value for keyword in call.keywords))]
    return any(isinstance(part, ast.Name) and part.id not in own for one in given for part in ast.walk(one))


def _is_asking(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr in ASKING) or (
        isinstance(node, ast.Name) and node.id in ASKING
    )


def _helpers_of(function: Any, code: CodeType) -> dict[str, FunctionType]:
    """Of which the source is worth parsing, or of what they call in turn."""
    return {name: helper for name, helper in called_by(function, code).items() if _is_worth(helper)}


def called_by(function: Any, code: CodeType) -> dict[str, FunctionType]:
    known = around(function, code)
    return {**called_on(known, code), **helpers_among(known), **methods_called(function, code)}


def _is_worth(helper: FunctionType) -> bool:
    return leads_to(helper, _worth_parsing, lambda code: may_use(code, LOOKED_FOR, KEYWORDS), called_by)


def _asking_for_sizes(function: Any, code: CodeType) -> dict[str, FunctionType]:
    """The same, of those that ask for sizes."""
    called = _called_or_passed(function, code)
    return {name: one for name, one in called.items() if leads_to(one, _asking, _asks_for_sizes, _called_or_passed)}


def _called_or_passed(function: Any, code: CodeType) -> dict[str, FunctionType]:
    """Also methods of what it is passed."""
    return {**called_by(function, code), **methods_of_arguments(function, code)}


def _asks_for_sizes(code: CodeType) -> bool:
    within = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not _OF_SIZES.isdisjoint(code.co_names) or any(map(_asks_for_sizes, within))


def leads_to(
    helper: FunctionType, known: ByCode[bool], is_such: Callable[[CodeType], bool],
    calls: Callable[[Any, CodeType], Mapping[str, FunctionType]],
) -> bool:  # fmt: skip
    """Whether the code of it, or of what it calls in turn, is such."""
    found = known.get(helper.__code__)
    if found is not None:
        return found
    reached, latest = {id(helper.__code__)}, [helper]  # each once: they may call each other
    for _ in range(MAX_DEPTH):
        if any(is_such(one.__code__) for one in latest):
            return known.put(helper.__code__, True)
        called = {id(each.__code__): each for one in latest for each in calls(one, one.__code__).values()}
        latest = [each for number, each in called.items() if number not in reached]
        reached |= called.keys()
        if len(reached) > _MOST_REACHED:
            break
    return known.put(helper.__code__, False)


def _fitting(texts: Iterable[str]) -> list[str]:
    """Of one that is too long, what is called by its last name alone: it is the number that is told."""
    short = (text if len(text) <= _MAX_TEXT else _LONG_NAME.sub("….", text) for text in texts)
    return [text for text in short if len(text) <= _MAX_TEXT]


def _loops(tree: ast.AST, parameters: set[str], known: Mapping[str, Any]) -> Iterator[str]:
    yield from gone_through(tree, parameters)
    yield from grown_by_numbers(tree, parameters)
    yield from changed_by_loops(tree, parameters, known)
    yield from recurs(tree, parameters)


def _holds_numbers(value: Any) -> bool:
    """Whether it is a list or a tuple of numbers, as which a tensor may come to be passed."""
    is_list = type(value) in (list, tuple) and 0 < len(value) <= _MOST_ITEMS
    return is_list and all(type(one) in (int, float) for one in value)


def _tables_among(known: Mapping[str, Any]) -> dict[str, str]:
    return {name: _kind_of(value) for name, value in known.items() if type(value) in _TABLES}


def _sizes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    yield from asked_whether_known(tree, parameters)
    yield from made_of_shapes(tree, parameters)
    yield from gone_over(tree, parameters)
    yield from sliced_by_lengths(tree, parameters)
    yield from computed_of_lengths(tree, parameters)
    yield from asked_sizes(tree, parameters)
    yield from asked_ranks(tree, parameters)
    yield from asked_dtypes(tree, parameters)


def _matters_less(use: str) -> int:
    """Parts fail of no tensor, what a `for` goes through may be one, and what is asked whether it is 0 is mostly a
    flag, which is to be no tensor."""
    if use.endswith((OF_AN_ARGUMENT, KEPT)):
        return 3
    if use.endswith(IN_PARTS) or (use.startswith(_FOR) and use.endswith(_BY_TURNS)):
        return 3 if use.endswith(IN_PARTS) else 2
    return int(use.startswith(("if ", "… if ", "not ")) or use.endswith(" …"))


def _kind_of(table: Any) -> str:
    """An array of Python's own fractions is told apart, of which TensorFlow makes a tensor of another dtype; and a list
    of layers or functions, of which it makes none; and a dictionary of such, or of texts, which are none to compute."""
    if type(table) in (list, tuple) and any(callable(item) or type(item) is dict for item in table[:_MOST_ITEMS]):
        return "list of objects"
    values = islice(table.values(), _MOST_ITEMS) if type(table) is dict else ()
    if any(callable(value) or type(value) is str for value in values):
        return "dict of objects"
    is_float64 = type(table) is np.ndarray and table.dtype == np.float64
    return "float64 ndarray" if is_float64 else type(table).__name__
