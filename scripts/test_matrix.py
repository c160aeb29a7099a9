"""Runs the tests on many versions and writes docs/versions.md: `make test-matrix`, or with MATRIX="ROW …" some rows.

A row is a Python, a TensorFlow with its Keras, and the oldest or newest protobuf that it goes with. Each has an
environment of its own (.venv-matrix/ROW), made anew for each run, and removed after one that passed unless `--keep`:
it takes 2 GB. The tests are all of tests/unit and tests/capture, in two processes. The table names the commit: where
others edit the tree meanwhile, run it in a clone. `python3 scripts/test_matrix.py --list` names the rows.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "versions.md"
FOLDER = ROOT / ".venv-matrix"
_TESTS = ("pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100")
_PACKAGES = ("tensorflow", "keras", "tf_keras", "protobuf", "tensorboard", "numpy")
_VERSIONS = "import sys, importlib.metadata as m; print(sys.version.split()[0], *[m.version(p) for p in sys.argv[1:]])"


class Row(NamedTuple):
    """`extra`: requirements beside TensorFlow's; `environment`: variables for the tests."""

    python: int
    tensorflow: str
    extra: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    note: str = ""


#: protobuf: TensorFlow 2.16 and 2.18 need one below 5 and 6, 2.21 one from 6.31.1 and below 8. All have tf_keras, for
#: the tests that need it; where `environment` chooses it, it is also what `tf.keras` is.
ROWS = {
    "py310-tf216-oldest-protobuf": Row(10, "2.16.2", ("setuptools<82", "protobuf==3.20.3"), note="oldest of all"),
    "py311-tf216": Row(11, "2.16.2", ("setuptools<82",), note="newest below 5"),
    "py312-tf216": Row(12, "2.16.2", ("setuptools<82",), note="newest below 5"),
    "py310-tf218-oldest-protobuf": Row(10, "2.18.1", ("setuptools<82", "protobuf==3.20.3"), note="oldest of all"),
    "py311-tf218-tf_keras": Row(11, "2.18.1", ("setuptools<82",), (("TF_USE_LEGACY_KERAS", "1"),), "newest below 6"),
    "py312-tf218": Row(12, "2.18.1", ("setuptools<82",), note="newest below 6"),
    "py310-tf221-oldest-protobuf": Row(10, "2.21.0", ("protobuf==6.31.1",), note="TensorFlow's oldest"),
    "py311-tf221": Row(11, "2.21.0", note="newest of all"),
    "py312-tf221-tf_keras": Row(12, "2.21.0", (), (("TF_USE_LEGACY_KERAS", "1"),), "newest of all"),
    "py313-tf221": Row(13, "2.21.0", note="newest of all"),
}


class Result(NamedTuple):
    versions: list[str]  # of Python and _PACKAGES
    summary: str  # as pytest ends: "1817 passed in 300 s"
    passed: bool


def python_of(name: str) -> Path:
    return FOLDER / name / "bin" / "python"


def make(name: str, row: Row) -> str:
    """ "" or what went wrong."""
    python = f"python3.{row.python}"
    code = "import sys; print(sys.executable)"
    found = _run([python, "-c", code])
    if found.returncode:  # pyenv keeps those that are not chosen from running
        versions = sorted(Path(os.path.expanduser("~/.pyenv/versions")).glob(f"3.{row.python}.*"))
        if not versions:
            return f"no Python 3.{row.python} on PATH"
        python = str(versions[-1] / "bin" / "python")
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    made = _run([python, "-m", "venv", str(FOLDER / name)])
    if made.returncode:
        return f"no environment: {made.stdout[-300:]}"
    pip = [str(python_of(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    setuptools = () if any(part.startswith("setuptools") for part in row.extra) else ("setuptools>=68",)
    for arguments in (
        [f"{_tensorflow()}=={row.tensorflow}", *_TESTS, "wheel", *setuptools, *row.extra],
        ["--no-deps", f"tf_keras=={row.tensorflow.rpartition('.')[0]}.*"],  # it would ask for `tensorflow`, with CUDA
        ["--no-build-isolation", "-e", ".", *[part for part in row.extra if "protobuf" in part]],
    ):
        done = _run([*pip, *arguments])
        if done.returncode:
            return f"not installable: {done.stdout.strip()[-300:]}"
    return ""


def _tensorflow() -> str:
    return "tensorflow-cpu" if sys.platform == "linux" and os.uname().machine == "x86_64" else "tensorflow"


def test(name: str, row: Row) -> Result:
    packages = [_tensorflow(), *_PACKAGES[1:]]
    versions = _run([str(python_of(name)), "-c", _VERSIONS, *packages]).stdout.split()
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1", **dict(row.environment)}
    options = ["-q", "-n", "3", "--dist", "loadfile", "-p", "no:cacheprovider"]  # as in scripts/test.sh
    command = [str(python_of(name)), "-m", "pytest", *options, "tests/unit", "tests/capture"]
    lines = []
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    summary = next(
        (line.strip("= \n") for line in reversed(lines) if re.search(r"\d+ (passed|failed|error)", line)), ""
    )
    summary = re.sub(r" in ([\d.]+)s.*", lambda match: f" in {float(match[1]):.0f} s", summary)
    return Result(versions, summary or f"pytest ended with {process.returncode}", process.returncode == 0)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    except FileNotFoundError as error:
        return subprocess.CompletedProcess(command, 127, str(error))


_HEAD = """\
# Versions

TensorFlow 2.16 to 2.21, Python 3.10 to 3.13 where TensorFlow has wheels (3.13 since 2.20), Keras 3 and `tf_keras`,
protobuf from 3.20.3 to 7. CI runs the two ends (2.16 and 2.21 on one Python) with every change. Each row below is a run
of `make test-matrix`: all of tests/unit and tests/capture at that commit, with 2.16 but for tests marked `newest`. In
rows named `tf_keras`, `tf.keras` is that. Not every combination is a row; each version is in one.

| row | Python | TensorFlow | Keras | tf_keras | protobuf | TensorBoard | NumPy | tests | commit | on |
|---|---|---|---|---|---|---|---|---|---|---|
"""
_PROTOBUF = 1 + _PACKAGES.index("protobuf")


def write(name: str, row: Row, result: Result) -> None:
    """The row in place of an earlier one; one that was never run says so."""
    rows = {row: f"| {row} |{' |' * 7} **not run** | | |" for row in ROWS}
    if DOCUMENT.exists():
        for line in DOCUMENT.read_text("utf-8").splitlines():
            if (cells := line.split("|")) and len(cells) > 3 and cells[1].strip() in ROWS:
                rows[cells[1].strip()] = line
    versions = (result.versions + ["?"] * 7)[:7]
    if row.note:
        versions[_PROTOBUF] += f" ({row.note})"
    tests = result.summary if result.passed else f"**{result.summary}**"
    rows[name] = f"| {' | '.join([name, *versions, tests, _commit()])} | {datetime.date.today()} |"
    DOCUMENT.write_text(_HEAD + "\n".join(rows[known] for known in ROWS) + "\n", "utf-8")


def _commit() -> str:
    """With a + if tracked files differ from it; docs/versions.md, which this writes, apart."""
    commit = _run(["git", "rev-parse", "--short", "HEAD"]).stdout.strip()
    changed = _run(["git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/versions.md"]).stdout
    return f"{commit}+" if changed.strip() else commit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="all of them if none is given")
    parser.add_argument("--list", action="store_true", help="the rows there are")
    parser.add_argument("--keep", action="store_true", help="do not remove environments of runs that passed")
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if options.list or unknown:
        print("\n".join([*(f"no such row: {name}" for name in unknown), *ROWS]))
        return 2 if unknown else 0
    failed = []
    for name in options.rows or ROWS:
        print(f"=== {name}", flush=True)
        problem = make(name, ROWS[name])
        result = Result([], problem, False) if problem else test(name, ROWS[name])
        print(f"=== {name}: {result.summary}", flush=True)
        write(name, ROWS[name], result)
        if not result.passed:
            failed.append(name)
        elif not options.keep:
            shutil.rmtree(FOLDER / name, ignore_errors=True)
    if failed:
        print(f"\nFAILED: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
