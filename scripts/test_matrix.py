"""Runs the tests on many versions and writes docs/versions.md: `make test-matrix`, or with MATRIX="ROW …" some rows.

A row is a Python, a TensorFlow with its Keras, and the oldest or newest protobuf that it goes with. Each has an
environment of its own (.venv-matrix/ROW), made anew for each run, and removed after one that passed unless `--keep`:
it takes 2 GB. The tests are tests/unit and tests/capture. `python3 scripts/test_matrix.py --list` names the rows.
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
_VERSIONS = "import sys, importlib.metadata as m; print(sys.version.split()[0], *[m.version(p) for p in sys.argv[1:]])"


class Row(NamedTuple):
    """`extra`: requirements beside TensorFlow's; `environment`: variables for the tests."""

    python: int
    tensorflow: str
    extra: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    note: str = ""


#: protobuf: TensorFlow 2.16 and 2.18 need one below 5 and 6, 2.21 one from 6.31.
ROWS = {
    "py310-tf216-oldest-protobuf": Row(10, "2.16.2", ("setuptools<82", "protobuf==3.20.3"), note="oldest protobuf"),
    "py312-tf216": Row(12, "2.16.2", ("setuptools<82",), note="newest protobuf below 5"),
    "py311-tf218": Row(11, "2.18.1", ("setuptools<82",)),
    "py312-tf218": Row(12, "2.18.1", ("setuptools<82",)),
    "py310-tf221": Row(10, "2.21.*"),
    "py312-tf221": Row(12, "2.21.*"),
    "py313-tf221": Row(13, "2.21.*", note="newest of all"),
    "py311-tf218-tf_keras": Row(
        11, "2.18.1", ("setuptools<82", "tf_keras==2.18.*"), (("TF_USE_LEGACY_KERAS", "1"),), "tf_keras"
    ),
}


class Result(NamedTuple):
    versions: list[str]  # Python, TensorFlow, Keras, protobuf, TensorBoard, NumPy
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
    package = "tensorflow-cpu" if sys.platform == "linux" and os.uname().machine == "x86_64" else "tensorflow"
    setuptools = () if any(part.startswith("setuptools") for part in row.extra) else ("setuptools>=68",)
    wanted = [f"{package}=={row.tensorflow}", *_TESTS, "wheel", *setuptools, *row.extra]
    for arguments in (
        [*wanted],
        ["--no-build-isolation", "-e", ".", *[part for part in row.extra if "protobuf" in part]],
    ):
        done = _run([*pip, *arguments])
        if done.returncode:
            return f"not installable: {done.stdout.strip()[-300:]}"
    return ""


def test(name: str, row: Row) -> Result:
    packages = ["tensorflow-cpu", "tf_keras" if "tf_keras" in name else "keras", "protobuf", "tensorboard", "numpy"]
    versions = _run([str(python_of(name)), "-c", _VERSIONS, *packages]).stdout.split()
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1", **dict(row.environment)}
    command = [str(python_of(name)), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit", "tests/capture"]
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

TensorFlow 2.16 to 2.21, Python 3.10 to 3.13 where TensorFlow has wheels, Keras 3 and `tf_keras`, protobuf from 3.20.3.
CI runs the two ends (2.16 and 2.21 on one Python) with every change. Each row below is a run of `make test-matrix`:
tests/unit and tests/capture.

| row | Python | TensorFlow | Keras | protobuf | TensorBoard | NumPy | tests | on |
|---|---|---|---|---|---|---|---|---|
"""


def write(name: str, row: Row, result: Result) -> None:
    """The row in place of an earlier one."""
    rows = {}
    if DOCUMENT.exists():
        for line in DOCUMENT.read_text("utf-8").splitlines():
            if (cells := line.split("|")) and len(cells) > 3 and cells[1].strip() in ROWS:
                rows[cells[1].strip()] = line
    versions = (result.versions + ["?"] * 6)[:6]
    tests = result.summary if result.passed else f"**{result.summary}**"
    note = f" ({row.note})" if row.note else ""
    cells = [name, *versions[:3], versions[3] + note if "protobuf" in note else versions[3], *versions[4:], tests]
    rows[name] = f"| {' | '.join(cells)} | {datetime.date.today()} |"
    DOCUMENT.write_text(_HEAD + "\n".join(rows[known] for known in ROWS if known in rows) + "\n", "utf-8")


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
