"""Finding a recorded function by what a person calls it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tb_retrace_plugin.schema import retrace_pb2 as pb


def is_called(function: pb.Function, wanted: str) -> bool:
    """`wanted`: the name, the qualified name, `file.py:12`, `file.py:name`, or with more of the path before."""
    if wanted in (function.name, function.qualname):
        return True
    file, colon, rest = wanted.rpartition(":")
    if not colon or rest not in (str(function.line), function.name, function.qualname):
        return False
    ours, theirs = _parts(function.file), _parts(file)
    return bool(theirs) and ours[-len(theirs) :] == theirs


def _parts(file: str) -> list[str]:
    return [part for part in os.path.normpath(file).replace("\\", "/").split("/") if part not in ("", ".")]


def functions_called(functions: Iterable[pb.Function], wanted: str) -> list[pb.Function]:
    """Each code once, in order."""
    found: dict[tuple[str, int, str, str], pb.Function] = {}
    for function in functions:
        if is_called(function, wanted):
            found.setdefault((function.file, function.line, function.qualname, function.variant), function)
    return list(found.values())
