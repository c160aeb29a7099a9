"""Code that was executed again, by a notebook's cell or `importlib.reload`: the same as before, or edited."""

from __future__ import annotations

import linecache
import re
import weakref
from hashlib import blake2b
from types import CodeType

#: IPython's and Colab's names of a cell: how manieth it is that was run, and a digest of its text.
_CELL = re.compile(r"(?:^<|[/\\])ipython-input-\d+-([0-9a-f]+)(?:>|\.py)$")
#: Of a program that writes its functions itself there may be no end.
_MAX_KNOWN = 10_000
_cells: dict[str, str] = {}
#: By file, line, qualified name and variant.
_codes: dict[tuple[str, int, str, str], tuple[str, weakref.ReferenceType[CodeType]]] = {}


def first_file(file: str) -> str:
    """The name that a cell of this text had when it was run first; any other file's is its own."""
    cell = _CELL.search(file) if "ipython-input-" in file else None
    if cell is None or (cell[1] not in _cells and len(_cells) >= _MAX_KNOWN):
        return file
    return _cells.setdefault(cell[1], file)


def edited(file: str, line: int, qualname: str, variant: str, code: CodeType) -> str:
    """What tells code from the first that was seen at its place; "" of that one, and of what AutoGraph converted."""
    place = file, line, qualname, variant
    if "__autograph_generated_file" in code.co_filename or (place not in _codes and len(_codes) >= _MAX_KNOWN):
        return ""
    digest = blake2b(_text(code).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    first, _ = _codes.setdefault(place, (digest, weakref.ref(code)))
    if first == digest:
        return ""
    linecache.checkcache(code.co_filename)  # the lines are others, too
    return digest


def is_loaded_again(file: str, line: int, qualname: str, variant: str, code: CodeType) -> bool:
    """Whether what lies in no function there was seen before, as other code that does the same: its file was loaded or
    executed again. To be asked after `edited`."""
    _, first = _codes.get((file, line, qualname, variant), ("", None))
    return first is not None and first() is not code and "<locals>" not in qualname


def _text(code: CodeType) -> str:
    """What it does, wherever it lies."""
    constants = [_constant(constant) for constant in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return f"{code.co_code!r} {names} {code.co_flags} {constants}"


def _constant(constant: object) -> str:
    if isinstance(constant, CodeType):
        return _text(constant)
    if isinstance(constant, frozenset):  # in no order
        return f"frozenset {sorted(map(repr, constant))}"
    return repr(constant)
