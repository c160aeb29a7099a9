"""What a function's bytecode loads from outside of it: globals, closures, attributes of objects. Nothing is run."""

from __future__ import annotations

import collections
import dis
import inspect
import sys
from types import CodeType
from typing import Any, Literal, NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.inner_functions import RUN_FIRST, codes_that_run, runs_what_it_passes_on
from tb_retrace_plugin.capture.code.instructions import instructions
from tb_retrace_plugin.capture.code.only_said import Places, only_said
from tb_retrace_plugin.capture.code.own_dictionaries import own_dictionaries
from tb_retrace_plugin.schema.vocabulary import CHOSEN_GLOBAL

_MAX_ATTRIBUTES = 5
#: As an attribute: what `with` gives a name.
ENTERED = "__enter__()"
#: As an attribute: what a call without arguments gives, of which a weak reference's is known (`self.owner().rate`).
REFERENT = "()"
#: SETUP_WITH: of Python 3.10.
_ENTER = ("BEFORE_WITH", "SETUP_WITH")
#: As an attribute: what `vars` gives as well.
_ALL = "__dict__"
#: Methods of dictionaries that read all that they hold.
_READ_ALL = ("items", "keys", "values")
#: The first parameter, of whatever name, and the others.
PARAMETERS = ("self", "argument")
#: Bases whose own value is no plain one.
OBJECTS = ("self", "argument", "super", "class")
_SUPER, _GETATTR, _TYPE, _VARS = (("global", name) for name in ("super", "getattr", "type", "vars"))
#: Instructions that give a parameter another value.
_STORES = frozenset({"STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"})
_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})
#: By which code may read what is a parameter under no name.
_READ_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir", "_getframe", "currentframe"})


#: `len(x)`, `bool(x)`, `max(x)`, `min(x)`, `any(x)`, `all(x)`, `key in x`, `hasattr(x, key)`.
Asks = Literal["", "len", "bool", "max", "min", "any", "all", "in", "hasattr"]


class Part(NamedTuple):
    """`[:, 1:2]` of an array, `[None]` of a dictionary. `places`: numbers, None, `...`, and what slices begin with, end
    with and step by."""

    text: str
    places: tuple[Any, ...]

    @property
    def as_index(self) -> tuple[Any, ...]:
        return tuple(slice(*place) if type(place) is tuple else place for place in self.places)


class Item(NamedTuple):
    """`["rate"]`, `[0]` or `[0, 1]`: of a dictionary, a list, a tuple or an array, by a key that is written out, or a
    name."""

    key: str | int | tuple[int, ...] | Name | Part

    @property
    def text(self) -> str:
        if type(self.key) is Part:
            return self.key.text
        if type(self.key) is tuple:  # evidence lists names, with a comma and a space between
            return f"[{','.join(map(str, self.key))}]"
        return f"[{self.key.text if isinstance(self.key, Name) else repr(self.key)}]"


class Name(NamedTuple):
    """What code loads. `base`: "global", "closure", "self" (a method's first argument), "super" (the same, of which it
    asks a class above), "class" (`type(self)`), "argument" (an object that is passed as one, of its own parameter's
    name) or "layer" (one of Keras' own, or an optimizer, whose code reads it of itself); `path`: what follows it.

    `is_called`: it is loaded to be called there and then. What is only passed on may run at each execution of the graph
    (`tf.py_function`), where it reads the values of then. `asks`: no more is read of it than that; whether it has an
    item or an attribute is asked of what `path` is without its last part. `or_default`: it is asked for by `get` or
    `getattr`, which give something else where it is not there.
    """

    base: str
    name: str
    path: tuple[str | Item, ...]
    is_called: bool = False
    asks: Asks = ""
    or_default: bool = False

    @property
    def last(self) -> str | Item:
        return self.path[-1] if self.path else self.name

    @property
    def last_name(self) -> str:
        """But for items."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), self.name)

    @property
    def text(self) -> str:
        first = {"super": "super()", "class": f"type({self.name})"}.get(self.base, self.name)
        parts = [
            p.text if isinstance(p, Item) else p if p is REFERENT else f".{p}" for p in self.path if p is not ENTERED
        ]
        of = self.path[-1] if self.path else ""
        if self.asks == "in" and isinstance(of, Item):
            return f"{of.text[1:-1]} in {first}{''.join(parts[:-1])}"
        if self.asks == "hasattr":
            return f"hasattr({first}{''.join(parts[:-1])}, {of!r})"
        text = first + "".join(parts)
        return f"{self.asks}({text})" if self.asks else text

    @property
    def kind(self) -> str:
        if self.base in ("layer", CHOSEN_GLOBAL):
            return self.base
        is_attribute = self.base in OBJECTS or any(not isinstance(part, Item) for part in self.path)
        return "attribute" if self.path and is_attribute else self.base


class CodeNames(NamedTuple):
    """`by_text`: what is loaded, with its text. `counted`: last names of what the code assigns, and reads besides.

    `passed_on_runs`: whether functions that it passes to others run when it does. `reassigned`: its parameters that it
    gives other values; `unread`: those that nothing in it reads. `keyed`: texts of those with a key that a name stands
    for; `keys`: parameters that are such keys.
    """

    by_text: tuple[tuple[str, Name], ...]
    stored: frozenset[str | Item]
    counted: frozenset[str]
    passed_on_runs: bool
    reassigned: frozenset[str]
    unread: tuple[str, ...]
    keyed: frozenset[str]
    keys: frozenset[str]


_names: ByCode[CodeNames] = ByCode()


def names_of(code: CodeType) -> CodeNames:
    names = _names.get(code)
    if names is None:
        loaded: dict[Name, None] = {}
        stored: set[str | Item] = set()
        first = code.co_varnames[0] if code.co_argcount else ""
        parameters = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        reads: collections.Counter[str] = collections.Counter()
        passed = parameters.union(variadic_of(code))
        for part in codes_that_run(code):
            _scan(part, first, loaded, stored, reads, is_inner=part is not code, parameters=passed)
        free = set(code.co_freevars)  # a nested function's other free variables are this one's own
        if "setattr" in code.co_names:  # `setattr(self, "rate", …)`
            stored.update(one for one in code.co_consts if isinstance(one, str))
        known = tuple((n.text, n) for n in loaded if n.base != "closure" or n.name in free)
        counted = frozenset(name for name, count in reads.items() if count > 0 and name in stored)
        counted = counted - _assigned_first(code) if counted else counted
        of_parameters = {(i.argval, i.opname) for i in instructions(code) if i.argval in passed}
        reassigned = frozenset(name for name, opname in of_parameters if opname in _STORES)
        read = {name for name, opname in of_parameters if opname.startswith("LOAD")}
        may_read_all = not _READ_LOCALS.isdisjoint(code.co_names)
        unread = () if may_read_all else tuple(p for p in code.co_varnames if p in parameters and p not in read)
        keyed = frozenset(
            text for text, n in known if any(isinstance(p, Item) and isinstance(p.key, Name) for p in n.path)
        )
        of_items = (p.key for _, n in known for p in n.path if isinstance(p, Item) and isinstance(p.key, Name))
        keys = frozenset(key.name for key in of_items if key.base in PARAMETERS and not key.path) - reassigned
        runs = runs_what_it_passes_on(code)
        names = _names.put(code, CodeNames(known, frozenset(stored), counted, runs, reassigned, unread, keyed, keys))
    return names


def _assigned_first(code: CodeType) -> set[str]:
    """Last names of what it gives a value before it reads that, whichever way it goes: nothing of an earlier trace."""
    read: set[str] = set()
    first: set[str] = set()
    behind = 0  # a jump goes past what lies before this
    for instruction in instructions(code):
        if instruction.opcode in _JUMPS:
            behind = max(behind, instruction.argval)
        elif instruction.opname in ("STORE_ATTR", "STORE_GLOBAL") and instruction.offset >= behind:
            first.update({instruction.argval} - read)
        elif instruction.opname.startswith(("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL")):
            read.add(instruction.argval)
    return first


def names_with_inner_functions(code: CodeType) -> tuple[Name, ...]:
    """What the code and the functions made in it load from outside of it, whatever they assign."""
    loaded: dict[Name, None] = {}
    todo = [code]
    while todo:
        part = todo.pop()
        first = code.co_varnames[0] if code.co_argcount else ""
        _scan(part, first, loaded, set(), collections.Counter(), is_inner=part is not code)
        todo += [constant for constant in part.co_consts if isinstance(constant, CodeType)]
    free = set(code.co_freevars)
    return tuple(name for name in loaded if name.base != "closure" or name.name in free)


def variadic_of(code: CodeType) -> tuple[str, ...]:
    """The names of `*args` and `**kwargs`."""
    return tuple(filter(None, rest_of(code)))


def rest_of(code: CodeType) -> tuple[str, str]:
    """The same, "" of what it does not take."""
    by_place, by_name = bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :]
    return names[0] if by_place else "", names[by_place] if by_name else ""


def unread_rest(code: CodeType) -> set[str]:
    """Those of them that nothing in it reads: `def act(self, x, **unused)`."""
    rest = {*variadic_of(code)}
    return rest.difference(one.argval for one in instructions(code) if one.opname.startswith("LOAD")) if rest else rest


class _Aliases:
    """Local variables that are given something from outside once, and nothing else: `cfg = self.cfg`, `a, b = self.of`,
    `with self.scale as scale`.

    `known`: by name, what has been met so far: its base, and the path that follows.
    """

    def __init__(self, code: CodeType) -> None:
        self.known: dict[str, tuple[tuple[str, str], tuple[str | Item, ...]]] = {}
        parameters = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *variadic_of(code))
        stored = collections.Counter(i.argval for i in instructions(code) if i.opname in ("STORE_FAST", "DELETE_FAST"))
        self._once = {name for name, count in stored.items() if count == 1}.difference(parameters)
        #: What a name that follows is given a part of, and which.
        self._taken: tuple[tuple[str, str], tuple[str | Item, ...], int | None] | None = None

    def give(
        self, instruction: Any, base: tuple[str, str] | None, path: tuple[str | Item, ...], *, is_called: bool
    ) -> None:
        """What was just loaded is stored: not where it may have come another way, as of `a if flag else b`."""
        taken, self._taken = self._taken, None
        if instruction.opname == "STORE_FAST" and taken is not None:
            base, path, place = taken
            if place is not None:
                self._taken = base, path, place + 1
            path = (*path, ENTERED if place is None else Item(place))
        elif base is None or is_called:
            return
        elif instruction.opname == "UNPACK_SEQUENCE":
            self._taken = base, path, 0
        elif instruction.opname in _ENTER:
            self._taken = base, path, None
        if instruction.opname == "STORE_FAST" and instruction.argval in self._once and not instruction.is_jump_target:
            self.known[instruction.argval] = base, path


def _gives_all(base: tuple[str, str] | None, path: tuple[str | Item, ...]) -> bool:
    """`vars`, and `dataclasses.asdict`, which gives the same unless a field holds another dataclass."""
    return (base == _VARS and not path) or (base is not None and "asdict" in (*base[1:], *path[-1:]))


def _runs_its_first(loaded: tuple[tuple[str, str], tuple[str | Item, ...], bool] | None) -> bool:
    """`map` of `map(body, xs)`, which is loaded to be called: of what it is passed first."""
    if loaded is None or not loaded[2]:
        return False
    (kind, name), path, _ = loaded
    return kind == "global" and (name in RUN_FIRST if not path else (name, *path) == ("functools", "reduce"))


def _own_class(code: CodeType) -> str:
    """The name of the class that it was written in as a method; what the cell of `super()` is called if that is not
    known, as in Python 3.10."""
    owner = getattr(code, "co_qualname", "").rpartition(".")[0].rpartition(".")[2]
    return str(owner) if owner.isidentifier() else "__class__"


def is_key(value: object) -> bool:
    """Of Python's own, so that looking it up runs nothing of the user's."""
    return type(value) in (str, int) or (type(value) is tuple and all(type(one) is int for one in value))


def _steps(path: tuple[str | Item, ...]) -> int:
    return len(path) - (REFERENT in path)


def _scan(
    code: CodeType, first: str, loaded: dict[Name, None], stored: set[str | Item], reads: collections.Counter[str],
    *, is_inner: bool, parameters: frozenset[str] = frozenset(),
) -> None:  # fmt: skip
    """`first`: the first parameter of the function; in one that is made in it, a free variable. `parameters`: all.

    `reads`: of last names, without what `calls += 1` reads of itself; of an attribute it loads none by its name.
    """
    cells = code.co_freevars if is_inner else code.co_cellvars
    said, places = only_said(code), Places(code)
    is_said = False
    base: tuple[str, str] | None = None
    path: tuple[str | Item, ...] = ()
    is_called = null_pushed = False
    super_is_called = False  # what is found by `super()`, as `super().call(*args)` has it: told before
    super_has_null = False  # the same, where one instruction finds it: Python 3.12 tells it with `super`
    key: str | int | tuple[int, ...] | None = None  # a constant just loaded: what follows tells whether it is one
    # what was loaded before a name, which may be its key
    under: tuple[tuple[str, str], tuple[str | Item, ...], bool] | None = None
    aliases = _Aliases(code)
    own_path = -1  # as long as the path that a local variable stands for: what it was given was read there
    # what `super()`, `super(Net, self)` and `getattr(…, "rate")` have loaded before it
    of_class = asks_super = asks_getattr = asks_type = asks_vars = may_lack = False
    own_class = _own_class(code)

    def finish(*, or_default: bool = False) -> None:
        is_read_there = (len(path) <= own_path and not is_called) or path[-1:] == (REFERENT,)
        if base is not None and (path or base[0] not in OBJECTS or is_called) and not is_said and not is_read_there:
            loaded.setdefault(Name(*base, path, is_called, or_default=or_default))
            if is_called and len(path) > (base[0] in OBJECTS) and path[-1] in _READ_ALL:
                loaded.setdefault(Name(*base, path[:-1]))
            last = path[-1] if path else base[1]
            if not isinstance(last, Item):
                reads[last] += 1

    got: tuple[tuple[str, str], tuple[str | Item, ...]] | None = None  # what a `get` that is being called is asked for
    own: frozenset[str] | None = None
    holder = before = last = ""  # local variables that were loaded: two instructions before, one, and now
    for instruction in instructions(code):
        name, operation = instruction.argval, instruction.opname
        if operation not in ("CACHE", "PRECALL", "NOP"):
            holder, before, last = before, last, str(name) if operation.startswith("LOAD_FAST") else ""
        place = places.of(instruction) if said else None
        if key is not None and operation != "CACHE":
            item, key = Item(key), None
            if base is not None and operation == "BINARY_SUBSCR":
                is_attribute = path[-1:] == (_ALL,) and isinstance(item.key, str)  # `self.__dict__["rate"]`
                path = (*path[:-1], str(item.key)) if is_attribute else (*path, item)
                continue
            if operation in ("STORE_SUBSCR", "COPY", "DUP_TOP_TWO"):  # `c["n"] = …` and `c["n"] += …`
                own = own_dictionaries(code) if own is None and holder else own
                if holder not in (own or ()):
                    stored.add(item)
            finish()
            if base is not None and path[-1:] == ("get",) and is_called:  # `c.get("rate")`, with or without a default
                path, is_called = (*path[:-1], item), False
                finish(or_default=True)
                got = base, path
            elif base is not None and path == ("getenv",) and is_called:  # of what `os.environ` has
                path, is_called = ("environ", item), False
                finish(or_default=True)
            base, path, is_called = None, (), False
        if asks_getattr and base is not None and operation == "LOAD_CONST" and type(name) is str:
            path, is_called, asks_getattr, may_lack = (*path, name), False, False, True
            continue
        if may_lack and operation not in ("CACHE", "PRECALL", "NOP"):
            may_lack = False
            if not operation.startswith("CALL"):  # what it is where there is none follows: `getattr(self, "rate", 0.5)`
                finish(or_default=True)
                base, path = None, ()
        if operation == "LOAD_CONST" and is_key(name) and _steps(path) < _MAX_ATTRIBUTES:
            key = name
            if base is not None:
                continue
        if base is not None and operation in ("LOAD_ATTR", "LOAD_METHOD") and _steps(path) < _MAX_ATTRIBUTES:
            path = (*path, str(name))
            is_called = is_called or operation == "LOAD_METHOD" or "NULL" in instruction.argrepr
            continue
        if operation in ("CACHE", "PRECALL", "NOP"):
            continue
        if got is not None and operation.startswith("CALL") and instruction.arg in (1, 2):
            (base, path), got = got, None
            own_path = len(path)
            continue
        # `c.get("a", {}).get("rate")`
        got = got if operation in ("LOAD_CONST", "BUILD_MAP", "BUILD_LIST") else None
        # Python 3.12 and later have one instruction for all of it
        if base == _SUPER and not path and operation.startswith("CALL") and instruction.arg == 0 and not is_inner:
            base, path, is_called = ("super", first), (), super_is_called
            continue
        if of_class and base == ("self", first) and not path and operation.startswith("CALL") and instruction.arg == 2:
            base, path, is_called, of_class = ("super", first), (), super_is_called, False
            continue
        if asks_type and base == ("self", first) and not path and operation.startswith("CALL") and instruction.arg == 1:
            base, is_called, asks_type = ("class", first), False, False
            continue
        if asks_vars and base is not None and not is_called and operation.startswith("CALL") and instruction.arg == 1:
            path, asks_vars = (*path, _ALL), False
            continue
        if base is not None and is_called and operation.startswith("CALL") and instruction.arg == 0:
            finish()
            path, is_called, asks_getattr, asks_type, asks_vars = (*path, REFERENT), False, False, False, False
            continue
        if operation == "LOAD_SUPER_ATTR" and base == ("self", first) and of_class:
            is_called = super_is_called or super_has_null or "NULL" in instruction.argrepr
            base, path = ("super", first), (str(name),)
            continue
        if operation == "PUSH_NULL":
            if sys.version_info >= (3, 13):  # it follows what is called
                is_called = is_called or base is not None
            else:  # it goes before
                finish()
                base, path, null_pushed = None, (), True
            continue
        finish()
        if operation == "BINARY_SUBSCR" and base is not None and under is not None and not is_called:
            item = Item(Name(*base, path))
            base, path, is_called = under[0], (*under[1], item), under[2]
            under, own_path = None, -1
            if _steps(path) <= _MAX_ATTRIBUTES:
                continue
        aliases.give(instruction, base, path, is_called=is_called)
        under = None if base is None else (base, path, is_called)
        asks_getattr, asks_type, asks_vars = base == _GETATTR, base == _TYPE, _gives_all(base, path)
        of_class = asks_super and base is not None and base[1] in ("__class__", own_class) and not path
        asks_super = base == _SUPER and not path
        base, path, is_called, own_path = None, (), False, -1
        if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
            base = ("global", str(name))
            is_called = null_pushed or "NULL" in instruction.argrepr or _runs_its_first(under)
            if base == _SUPER:
                super_is_called, super_has_null = null_pushed, "NULL" in instruction.argrepr
        elif operation in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
            base = ("self", first) if name == first and first in cells else ("closure", str(name))
            if name != first and name in parameters and name in cells:
                base = ("argument", str(name))
            is_called = null_pushed or _runs_its_first(under)
        elif operation.startswith("LOAD_FAST") and first and not is_inner and name == first:
            base = ("self", first)
            is_called = null_pushed or _runs_its_first(under)
        elif operation.startswith("LOAD_FAST") and not is_inner and name in parameters:
            base = ("argument", str(name))
            is_called = null_pushed
            if under is not None and under[2] and under[1][-1:] == ("get",):  # `self.params.get(name, 0.5)`
                item = Item(Name(*base, ()))
                loaded.setdefault(Name(*under[0], (*under[1][:-1], item), or_default=True))
        elif operation.startswith("LOAD_FAST") and name in aliases.known:
            base, path = aliases.known[name]
            own_path = len(path) - (path[-1:] == (_ALL,))
            is_called = null_pushed
        elif operation in ("STORE_GLOBAL", "STORE_NAME", "STORE_DEREF", "STORE_ATTR", "DELETE_ATTR", "DELETE_GLOBAL"):
            stored.add(str(name))
            reads[str(name)] -= operation != "STORE_ATTR"
        if base is not None and said:
            is_said = place in said
        null_pushed = False
    finish()
