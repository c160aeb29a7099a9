"""The pytest plugin: `@pytest.mark.max_traces(n)` and `--retrace-budget FILE`.

pytest loads this in every run of every project where Retrace is installed: it imports nothing else until it is used.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

_MARK = "max_traces(n, function=None): fail if a tf.function is traced more than n times in the test, and say why"
_HELP = "fail each test that goes over this budget for traces (retrace.toml), and say why"


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("retrace").addoption("--retrace-budget", metavar="FILE", default=None, help=_HELP)


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", _MARK)
    if path := config.getoption("--retrace-budget"):
        from tb_retrace_plugin.analysis.budgets.budget import BudgetError, load_budget

        try:
            config.retrace_budget = load_budget(path)
        except BudgetError as error:
            raise pytest.UsageError(f"--retrace-budget: {error}") from None


@pytest.hookimpl(hookwrapper=True)  # the old way: the new one is an error in pytest before 7.4
def pytest_runtest_call(item: Any) -> Generator[None, Any, None]:
    marks = list(item.iter_markers("max_traces"))
    budget = getattr(item.config, "retrace_budget", None)
    if not marks and budget is None:
        yield
        return
    from tb_retrace_plugin.gate.pytest_test import TestGate

    gate = TestGate(marks, budget)
    gate.start()
    outcome = yield
    problem = gate.stop(judge=outcome.excinfo is None)
    if problem is not None:
        _fail(outcome, problem)


def _fail(outcome: Any, problem: BaseException) -> None:
    if hasattr(outcome, "force_exception"):
        outcome.force_exception(problem)
    else:  # pluggy before 1.1
        outcome._excinfo = (type(problem), problem, None)
