"""Sets up what the Makefile's targets need, says what it does, and does nothing that is already done.

`python3 scripts/prepare.py PART…` with the parts
  newest    .venv: the newest TensorFlow, this package (editable, which builds the tab's bundle), test and lint tools
  oldest    .venv-oldest: TensorFlow 2.16 and what its tests need
  xprof     .venv-xprof: TensorBoard with the Profile tab, for its tests
  proto     .venv-proto: the protobuf generator (needs Python 3.11)
  headless  the browser for the tests (installed with apt-get when root on Debian or Ubuntu)
  chromium  the browser for the benchmarks (likewise)
  node      what builds and tests the front end, into .venv where there is none on PATH
  bundle    the tab's bundle, if its sources have changed
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUNDLER = ROOT / "build_backend" / "frontend_bundle.py"
STAMP = ".retrace-ready"
_SHELL = "chromium-headless-shell"
sys.path.insert(0, str(ROOT / "build_backend"))

import frontend_bundle  # noqa: E402


class Environment(NamedTuple):
    folder: str
    pythons: tuple[int, int]  # 3.x, from and to: those that TensorFlow has wheels for
    requirements: str
    package: tuple[str, ...]  # how this package is installed into it: pip's arguments
    why: str
    alone: tuple[str, ...] = ()  # installed without what it asks for


ENVIRONMENTS = {
    "newest": Environment(
        ".venv", (10, 13), "newest.txt", ("-e", ".[dev]"), "TensorFlow 2.21, test and lint tools", ("tf_keras==2.21.*",)
    ),
    "oldest": Environment(
        ".venv-oldest",
        (10, 12),
        "oldest.txt",
        ("-e", "."),
        "TensorFlow 2.16.2 and its test tools",
        ("tf_keras==2.16.*",),
    ),
    "xprof": Environment(".venv-xprof", (10, 13), "xprof.txt", ("-e", "."), "TensorBoard with the Profile tab (xprof)"),
    "proto": Environment(".venv-proto", (11, 11), "proto.txt", (), "the protobuf generator"),
}


class Problem(Exception):
    """Cannot be set up; the message says why and what to do."""


def say(text: str) -> None:
    print(f"retrace: {text}", flush=True)


def environment(name: str) -> None:
    wanted = ENVIRONMENTS[name]
    folder = ROOT / wanted.folder
    python = _python_of(wanted)
    requirements = ROOT / "scripts" / "requirements" / wanted.requirements
    inputs = [requirements, ROOT / "setup.py", ROOT / "tb_retrace_plugin" / "version.py"]
    digest = hashlib.sha256(
        repr([str(ROOT), wanted.alone, *(path.read_text("utf-8") for path in inputs)]).encode()
    ).hexdigest()
    stamp = folder / STAMP
    if stamp.is_file() and stamp.read_text("ascii") == digest and _works(python):
        return
    stamp.unlink(missing_ok=True)
    if not _works(python):
        base = find_python(*wanted.pythons, why=wanted.why)
        say(f"{wanted.folder}: creating it with {base}")
        shutil.rmtree(folder, ignore_errors=True)
        _create(base, folder)
    say(f"{wanted.folder}: installing {wanted.why} (a minute or two the first time)")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--upgrade", "pip"], "pip")
    # With setuptools and wheel, so that the package is built in this environment and downloads nothing for it.
    _run([*pip, "wheel", "-r", str(requirements)], wanted.requirements)
    if wanted.alone:  # tf_keras asks for `tensorflow`, with CUDA's libraries
        _run([*pip, "--no-deps", *wanted.alone], " ".join(wanted.alone))
    if wanted.package:
        if frontend_bundle.is_stale():
            _node(python)
        _run([*pip, "--no-build-isolation", *wanted.package], "this package")
    stamp.write_text(digest, "ascii")
    say(f"{wanted.folder}: ready")


def node() -> None:
    """A node for the front end's build and tests: from PATH, else in .venv."""
    _node(_python_of(ENVIRONMENTS["newest"]))


def _node(python: Path) -> None:
    if subprocess.check_output([str(python), str(BUNDLER), "node"], text=True).strip():
        return
    say(f"no node {frontend_bundle.OLDEST_NODE} or newer on PATH: installing one into {python.parent.parent.name}")
    _run([str(python), "-m", "pip", "install", "--quiet", frontend_bundle.NODE_REQUIREMENT], "node")


def bundle() -> None:
    if frontend_bundle.is_stale():
        node()
        say("building the tab's bundle: frontend/ has changed")
        _run([str(_python_of(ENVIRONMENTS["newest"])), str(BUNDLER), "build"], "the tab's bundle")


def chromium() -> None:
    if not shutil.which("chromium"):
        _install_browser("chromium")


def headless() -> None:
    """The tests' browser: Debian's Chromium without windows, which takes a third less of the processor, else with."""
    if shutil.which(_SHELL):
        return
    if shutil.which("chromium") and not (_is_root() and shutil.which("apt-get")):
        return
    try:
        _install_browser(_SHELL)
    except Problem as problem:
        say(f"no {_SHELL}, so with windows: {problem}")
        chromium()


def _install_browser(name: str) -> None:
    if not _is_root() or not shutil.which("apt-get"):
        raise Problem(f"Chromium is needed as `{name}` on PATH. On Debian: sudo apt-get install {name}")
    _apt_install(name, "the browser")
    if not shutil.which(name):
        raise Problem(f"apt-get installed `{name}`, but there is no such command on PATH: install Chromium by hand")


def find_python(oldest: int, newest: int, why: str) -> str:
    """An interpreter 3.`oldest` to 3.`newest` that can make virtual environments. Raises Problem."""
    bases = {getattr(sys, "_base_executable", sys.executable): None, "python3": None}
    bases.update({f"python3.{minor}": None for minor in (11, 12, 10, 13) if oldest <= minor <= newest})
    seen = []
    for base in bases:
        minor = _minor(base)
        if minor is None:
            continue
        seen.append(f"{base} (3.{minor})")
        if oldest <= minor <= newest:
            return base
    wanted = f"3.{oldest} to 3.{newest}" if oldest != newest else f"3.{oldest}"
    raise Problem(f"{why}: needs Python {wanted} on PATH; found only {', '.join(seen)}")


def _minor(python: str) -> int | None:
    if not shutil.which(python):
        return None
    code = "import sys; assert sys.version_info.major == 3; print(sys.version_info.minor)"
    result = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return int(result.stdout) if result.returncode == 0 else None


def _create(python: str, folder: Path) -> None:
    if not _succeeds(python, "-c", "import venv, ensurepip"):
        if not _is_root() or not shutil.which("apt-get"):
            raise Problem(f"{python} has no venv module. On Debian: sudo apt-get install python3-venv")
        _apt_install("python3-venv", "Python's venv module")
    _run([python, "-m", "venv", str(folder)], str(folder))


def _python_of(wanted: Environment) -> Path:
    return ROOT / wanted.folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def _works(python: Path) -> bool:
    return python.exists() and _succeeds(str(python), "-m", "pip", "--version")


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _apt_install(package: str, why: str) -> None:
    say(f"installing Debian's {package}: {why}")
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], "apt-get update", settings)
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], package, settings)


def _run(command: list[str], what: str, settings: dict[str, str] | None = None) -> None:
    """Runs it from the repository's root, with a sign of life every 20 s. Raises Problem with its output."""
    finished = threading.Event()
    started = time.monotonic()

    def tick() -> None:
        while not finished.wait(20):
            say(f"  … {what}: {time.monotonic() - started:.0f} s so far")

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    finished.set()
    ticker.join()
    if result.returncode:
        raise Problem(f"failed: {' '.join(command)}\n{result.stdout}")


PARTS: dict[str, Callable[[], None]] = {name: functools.partial(environment, name) for name in ENVIRONMENTS}
PARTS |= {"headless": headless, "chromium": chromium, "node": node, "bundle": bundle}


def main() -> int:
    parts = sys.argv[1:]
    unknown = [part for part in parts if part not in PARTS]
    if not parts or unknown:
        print(__doc__, file=sys.stderr)
        return 2
    for part in parts:
        PARTS[part]()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"retrace: {problem}", file=sys.stderr)
        sys.exit(1)
