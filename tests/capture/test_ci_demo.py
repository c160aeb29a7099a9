"""`demo/ci/`: its tests are green, red on the regression with the reason, and green again after the fix."""

from __future__ import annotations

import linecache
import re
import runpy
import shutil
from pathlib import Path

import pytest
import tensorflow as tf  # noqa: F401  (loaded before pytester's runs, which forget what is loaded within them)

from tb_retrace_plugin import record
from tb_retrace_plugin.commands.main import main

pytestmark = pytest.mark.newest  # test_gate.py tries the same
pytest_plugins = ["pytester"]
DEMO = Path(__file__).resolve().parents[2] / "demo" / "ci"
README = (DEMO / "README.md").read_text()


def run_tests(pytester: pytest.Pytester) -> pytest.RunResult:
    linecache.clearcache()  # the program is another one each time, in one process
    return pytester.runpytest_inprocess("-p", "no:cacheprovider")


def test_red_on_the_regression_and_green_after_the_fix(pytester: pytest.Pytester) -> None:
    shutil.copytree(DEMO, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "logs"))
    program = pytester.path / "training.py"
    run_tests(pytester).assert_outcomes(passed=2)
    program.write_text((DEMO / "training_regressed.py").read_text())
    red = run_tests(pytester)
    red.assert_outcomes(failed=2)
    said = red.stdout.str()
    assert "x changed shape: (11,) → (100,)" in said
    # what the README shows is what is said
    (shown,) = re.findall(r"^train_step \(training.py:11\).*?(?=\n```)", README, re.M | re.S)
    assert shown in said
    program.write_text((DEMO / "training.py").read_text())
    run_tests(pytester).assert_outcomes(passed=2)


@pytest.mark.parametrize(("name", "code", "traces"), [("training", 0, 1), ("training_regressed", 1, 40)])
def test_a_recording_against_the_budget(
    name: str, code: int, traces: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with record(tmp_path):
        runpy.run_path(str(DEMO / f"{name}.py"), run_name="__main__")
    assert main(["check", str(tmp_path), "--budget", str(DEMO / "retrace.toml")]) == code
    said = capsys.readouterr().out
    assert (f"train_step` ({DEMO.relative_to(Path.cwd())}" in said) == (code == 1)
    assert ("40 traces → 1" in said) == (traces == 40)


def test_the_regression_differs_as_the_readme_says() -> None:
    good, bad = ((DEMO / f"{name}.py").read_text() for name in ("training", "training_regressed"))
    (diff,) = re.findall(r"```diff\n(.*?)```", README, re.S)
    old, new = ("".join(f"{line[1:]}\n" for line in diff.splitlines() if line[0] == sign) for sign in "-+")
    assert good.partition("\n")[2].replace(old, new) == bad.partition("\n")[2]


def test_the_workflow_calls_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"run: tb-retrace (\w+) (.*)", (DEMO / "workflow.yml").read_text())
    assert [verb for verb, _ in lines] == ["run", "check", "check"]
    for verb, options in lines:
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        helped = capsys.readouterr().out
        assert all(option in helped for option in re.findall(r"--[\w-]+", options))
