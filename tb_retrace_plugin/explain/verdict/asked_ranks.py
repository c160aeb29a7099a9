"""Ranks that the code is known to ask for in Python: what an unknown one gives fails, or decides otherwise. Dtypes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.asked_in_python import is_named_in
from tb_retrace_plugin.schema.signature import parameter_of

#: As capture/code/asked_ranks.py and sizes_of_computed.py write it.
_ASKED = re.compile(r"(.+) of rank(?: follows (\.\w+(?:, \.\w+)*))?")
_ASKED_DTYPE = re.compile("(.+) of dtype")


def asked_rank(uses: Sequence[str], paths: Sequence[str]) -> str:
    """As code, of tensors at `paths`, or of what is computed of them; "" if none is known."""
    for use in uses:
        found = _ASKED.fullmatch(use)
        if found is None:
            continue
        roots = (found[2] or "").split(", ")
        for path in paths:
            is_its = re.search(rf"(?<![\w.]){re.escape(path)}\.(?:shape|ndim)\b", found[1]) is not None
            if is_its or f".{parameter_of(path)}" in roots:
                return found[1]
    return ""


def all_asked_dtypes(uses: Sequence[str], changes: Iterable[Change]) -> dict[str, str]:
    """Of the tensors whose dtype differs, by their paths, how the code asks whether it is the one or the other."""
    asked = [found[1] for use in uses if (found := _ASKED_DTYPE.fullmatch(use))]
    return {
        c.path: one
        for c in changes if c.cause == "dtype"
        for one in reversed(asked) if is_named_in(one, f"{c.path}.dtype") and (c.old in one or c.new in one)
    }  # fmt: skip


def all_asked_ranks(uses: Sequence[str], changes: Iterable[Change]) -> dict[str, str]:
    """Of the tensors whose rank differs, by their paths."""
    return {c.path: asked for c in changes if c.cause == "rank" and (asked := asked_rank(uses, [c.path]))}
