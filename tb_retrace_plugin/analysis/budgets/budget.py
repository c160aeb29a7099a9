"""A budget for traces: what `retrace.toml` may say. docs/gate.md says what each key means."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.schema.vocabulary import CAUSES

_COUNTS = ("traces", "retraces", "failed_traces", "recompilations")
_LIMITS = (*_COUNTS, "avoidable_seconds", "causes")
_TABLES = ("warm_up_steps", "all", "default", "functions")


class BudgetError(ValueError):
    """The budget cannot be used; the message names the key and says what is allowed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """At most so many; None: not limited. `causes`: those that retraces may have.

    Of a function, `failed_traces` is 0 unless given: a trace that fails serves nothing.
    """

    traces: int | None = None
    retraces: int | None = None
    failed_traces: int | None = 0
    recompilations: int | None = None
    avoidable_seconds: float | None = None
    causes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """`functions`: by what a function is called. `default`: for each function of the user's without an entry."""

    functions: Mapping[str, Limits] = field(default_factory=dict)
    default: Limits | None = None
    all: Limits | None = None
    warm_up_steps: int = 0


def read_budget(tables: Mapping[str, Any]) -> Budget:
    """A budget from what a TOML file holds. Raises BudgetError."""
    _known_keys(tables, _TABLES, "")
    warm_up = tables.get("warm_up_steps", 0)
    if not _is_count(warm_up):
        raise BudgetError(f"`warm_up_steps` is {_shown(warm_up)}; a whole number from 0 on is allowed.")
    functions = tables.get("functions", {})
    if not isinstance(functions, Mapping):
        raise BudgetError(f"`functions` is {_shown(functions)}; tables such as [functions.train_step] are allowed.")
    found = Budget(
        functions={name: _limits(limits, f"functions.{name}") for name, limits in functions.items()},
        default=_limits(tables["default"], "default") if "default" in tables else None,
        all=_limits(tables["all"], "all") if "all" in tables else None,
        warm_up_steps=warm_up,
    )
    if not (found.functions or found.default or found.all):
        raise BudgetError("The budget limits nothing. Give [all], [default] or [functions.NAME].")
    return found


def _limits(table: Any, where: str) -> Limits:
    if not isinstance(table, Mapping):
        raise BudgetError(f"`{where}` is {_shown(table)}; a table with some of {', '.join(_LIMITS)} is allowed.")
    _known_keys(table, _LIMITS, f"{where}.")
    if not table:
        raise BudgetError(f"`{where}` limits nothing. Allowed are {', '.join(_LIMITS)}.")
    for key in _COUNTS:
        if key in table and not _is_count(table[key]):
            raise BudgetError(f"`{where}.{key}` is {_shown(table[key])}; a whole number from 0 on is allowed.")
    seconds = table.get("avoidable_seconds")
    if seconds is not None and not _is_seconds(seconds):
        raise BudgetError(
            f"`{where}.avoidable_seconds` is {_shown(seconds)}; a number of seconds from 0 on is allowed."
        )
    causes = table.get("causes")
    if causes is not None:
        if not isinstance(causes, list):
            raise BudgetError(f'`{where}.causes` is {_shown(causes)}; a list such as ["shape"] is allowed.')
        for cause in causes:
            if cause not in CAUSES:
                raise BudgetError(f"`{where}.causes` has {_shown(cause)}; allowed are {', '.join(CAUSES)}.")
    values: dict[str, Any] = {"failed_traces": None if where == "all" else 0, **table}
    values["causes"] = tuple(causes) if causes is not None else None
    return Limits(**values)


def _known_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise BudgetError(f"`{where}{key}` is not known here. Allowed are {', '.join(known)}.")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def load_budget(path: str) -> Budget:
    """Raises BudgetError."""
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        with open(path, "rb") as file:
            tables = toml.load(file)
    except OSError as error:
        raise BudgetError(f"cannot read {path}: {error.strerror}. `--write-budget {path}` makes one.") from None
    except (toml.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BudgetError(f"{path} is not TOML: {error}") from None
    try:
        return read_budget(tables)
    except BudgetError as error:
        raise BudgetError(f"{path}: {error}") from None
