"""The packages as a user gets them, built from a copy of this checkout, and an environment to install them into."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", "node_modules", "logs", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)


def run(*command: str | Path, cwd: Path, path: str | None = None) -> str:
    """Runs a command and returns what it printed; fails the test with its output if the command fails."""
    # Nothing of this checkout or of pytest's own environment may reach what is tried here.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    if path is not None:
        environment["PATH"] = path
    result = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stdout}"
    return result.stdout


class Environment:
    """A virtual environment with pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scripts = folder / "bin"
        self.python = self.scripts / "python"
        venv.create(folder, with_pip=True)

    @property
    def package(self) -> Path:
        """Where our package is installed in it."""
        (found,) = self.folder.glob("lib/python3*/site-packages/tb_retrace_plugin")
        return found


@pytest.fixture(scope="session")
def source_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("source") / "retrace"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    assert (copy / "tb_retrace_plugin/backend/static/index.js").is_file(), "no bundle: run `make frontend` first"
    return copy


@pytest.fixture(scope="session")
def wheel(source_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ".", cwd=source_copy)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="session")
def sdist(source_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ".", cwd=source_copy)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A fresh environment with our wheel and what it requires: TensorBoard, and no TensorFlow."""
    environment = Environment(tmp_path_factory.mktemp("installed") / "venv")
    run(environment.python, "-m", "pip", "install", "--quiet", wheel, cwd=wheel.parent)
    return environment


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A logdir with a recording of real TensorFlow: `double` traced three times, for three shapes."""
    log_dir = tmp_path_factory.mktemp("recorded")
    program = log_dir / "program.py"
    program.write_text(
        "import tensorflow as tf\n"
        "@tf.function\n"
        "def double(x):\n"
        "    return 2 * x\n"
        "for length in (1, 2, 3, 2):\n"
        "    double(tf.zeros(length))\n"
    )
    log_dir /= "logs"
    run(sys.executable, "-m", "tb_retrace_plugin", "run", "--logdir", log_dir, program, cwd=ROOT)
    return log_dir
