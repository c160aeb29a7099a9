"""One test under a marker or a budget: recorded in memory, judged when it has passed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest

from tb_retrace_plugin.analysis.budgets.budget import Budget
from tb_retrace_plugin.analysis.budgets.judge_budget import judge
from tb_retrace_plugin.gate.in_memory import InMemory, record_in_memory
from tb_retrace_plugin.gate.max_traces import check_arguments, too_many


class TestGate:
    """`marks`: the closest first; of several for one function the closest holds."""

    __test__ = False  # pytest collects classes of this name

    def __init__(self, marks: Sequence[Any], budget: Budget | None) -> None:
        self._limits: dict[Any, int] = {}
        self._problem: BaseException | None = None
        self._budget = budget
        self._stack = contextlib.ExitStack()
        self._recorded: InMemory | None = None
        try:
            for mark in marks:
                n, function = _arguments(*mark.args, **mark.kwargs)
                self._limits.setdefault(function, n)
        except (TypeError, ValueError) as error:
            said = str(error).removeprefix(f"{_arguments.__name__}() ")
            self._problem = _failure(f"@pytest.mark.max_traces(n, function=None): {said}")

    def start(self) -> None:
        try:
            self._recorded = self._stack.enter_context(record_in_memory())
        except Exception as error:
            self._problem = _failure(f"Retrace cannot count traces here: {type(error).__name__}: {error}")

    def stop(self, *, judge: bool) -> BaseException | None:
        """What the test is to fail with; None if nothing. `judge`: it has not failed for another reason."""
        try:
            self._stack.close()
            if not judge:
                return None
            if self._problem is not None:
                return self._problem
            texts = [text for text in self._texts() if text]
        except (LookupError, RuntimeError) as error:
            return _failure(f"Retrace cannot judge this test: {error}") if judge else None
        return _failure("\n".join(texts)) if texts else None

    def _texts(self) -> list[str]:
        recorded = self._recorded
        assert recorded is not None
        texts = [too_many(recorded, n, function) for function, n in self._limits.items()]
        if self._budget is not None:
            for one in judge(recorded.store.sessions, self._budget).judged:
                for finding in one.findings:
                    texts.append("\n".join([finding.text, *finding.explanation]).replace("`", ""))
        return texts


def _arguments(n: Any, function: Any = None) -> tuple[int, Any]:
    check_arguments(n, function)
    return n, function


def _failure(text: str) -> BaseException:
    """Shown as it is: the frames are this plugin's, not the test's."""
    return pytest.fail.Exception(text, pytrace=False)
