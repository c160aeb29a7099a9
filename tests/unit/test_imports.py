"""The package's imports go one way, and what views a recording never needs TensorFlow."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tb_retrace_plugin

PACKAGE = Path(tb_retrace_plugin.__file__).parent
NAME = "tb_retrace_plugin"

#: Folder or module of the package -> the others that it may import.
ALLOWED = {
    "version": set(),
    "schema": {"version"},
    "explain": {"schema"},
    "events": {"schema"},
    "graphs": {"schema"},
    "analysis": {"schema", "explain", "events", "graphs"},
    "capture": {"schema", "explain", "events", "graphs", "version"},
    "backend": {"schema", "explain", "events", "graphs", "analysis", "version"},
    "commands": {"schema", "explain", "events", "graphs", "analysis", "backend", "capture", "version"},
    "gate": {"schema", "explain", "events", "analysis", "capture"},
    "tensorboard_loader": {"backend"},
    "__init__": {"capture", "gate", "version"},
    "__main__": {"commands"},
}
#: (from, to): only inside functions, so that importing the first does not load the second.
ONLY_LAZILY = {
    ("commands", "capture"),
    ("gate", "capture"),
    ("tensorboard_loader", "backend"),
    ("__init__", "capture"),
    ("__init__", "gate"),
}
#: Folder of `explain/advice/` -> the others there that it may import; what is in none of them may import all.
ADVICE = {
    "evidence": set(),
    "source": {"evidence"},
    "objects": {"evidence", "source"},
    "python_values": {"evidence", "source"},
    "shapes": {"evidence", "source", "python_values"},
    "structures": {"evidence", "source", "python_values", "shapes"},
    "datasets": {"evidence", "source", "shapes"},
    "keras": {"evidence", "source", "python_values", "shapes"},
    "made_anew": {"evidence", "source", "python_values", "datasets", "shapes"},
    "results": {"evidence", "source", "shapes", "python_values", "made_anew"},
}
#: Folder of `explain/` -> the others there that it may import.
EXPLAIN = {
    "differences": set(),
    "what_if": {"differences"},
    "earlier_traces": {"differences", "what_if"},
    "words": {"differences"},
    "verdict": {"differences", "earlier_traces", "words"},
    "advice": {"differences", "what_if", "earlier_traces", "words", "verdict"},
}
#: Folder of `capture/` -> the others there that it may import, beside `notice` and `failure`, which import none.
CAPTURE = {
    "values": set(),
    "tf_seam": {"values"},
    "code": {"values", "tf_seam"},
    "python_state": {"values", "tf_seam", "code"},
    "watch": {"values", "tf_seam", "code"},
    "record": {"values", "tf_seam", "code", "python_state", "watch"},
    "session": {"values", "tf_seam", "code", "python_state", "watch", "record"},
    "applied": {"values", "tf_seam", "code", "python_state"},
}
#: Folder of `analysis/` -> the others there that it may import.
ANALYSIS = {
    "sessions": set(),
    "for_advice": {"sessions"},
    "exports": {"sessions", "for_advice"},
    "jobs": {"sessions", "exports"},
    "budgets": {"sessions", "exports"},
    "pages": {"sessions", "for_advice", "exports", "jobs"},
}
TENSORFLOW = {"tensorflow", "keras", "tf_keras"}
MAY_USE_TENSORFLOW = ("capture/", "commands/run.py")
SOURCES = sorted(PACKAGE.rglob("*.py"))


def imports(source: Path) -> Iterator[tuple[str, bool]]:
    """(dotted name, whether it is loaded with the module itself) of each import in a file."""
    yield from _imports_below(ast.parse(source.read_text("utf-8")), at_import=True)


def _imports_below(node: ast.AST, at_import: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, at_import) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports hide where they go"
            yield from ((f"{child.module}.{alias.name}", at_import) for alias in child.names)
        else:
            lazily = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_type_checking(child)
            yield from _imports_below(child, at_import and not lazily)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def part_of(source: Path) -> str:
    first = source.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def part_imported(name: str) -> str | None:
    """The part of our package that a dotted name belongs to; None if it is not ours or is the package itself."""
    parts = name.split(".")
    return parts[1] if parts[0] == NAME and len(parts) > 1 and parts[1] in ALLOWED else None


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(source: Path) -> None:
    part = part_of(source)
    assert part in ALLOWED, f"say in this test what {part} may import"
    for name, at_import in imports(source):
        imported = part_imported(name)
        if imported is None or imported == part:
            continue
        assert imported in ALLOWED[part], f"{part} must not import {imported} ({name})"
        if (part, imported) in ONLY_LAZILY:
            assert not at_import, f"{part} may import {imported} only inside a function ({name})"


#: Folder -> what those within it may import of it, and what all of them may.
FOLDERS = {
    "explain": (EXPLAIN, set()),
    "explain/advice": (ADVICE, set()),
    "capture": (CAPTURE, {"notice", "failure"}),
    "analysis": (ANALYSIS, set()),
}


@pytest.mark.parametrize(
    ("around", "folder"),
    [(around, path.parent.name) for around in FOLDERS for path in sorted(PACKAGE.glob(f"{around}/*/__init__.py"))],
)
def test_folders_within_a_folder_import_one_way(around: str, folder: str) -> None:
    allowed, for_all = FOLDERS[around]
    here = f"{NAME}.{around.replace('/', '.')}."
    for source in (PACKAGE / around / folder).rglob("*.py"):
        for name, _ in imports(source):
            if name.startswith(here):
                imported = name.removeprefix(here).split(".")[0]
                assert imported in {folder, *for_all, *allowed[folder]}, f"{source.name} must not import {name}"


@pytest.mark.parametrize("module", ["notice", "failure"])
def test_what_all_of_capture_may_use_imports_none_of_it(module: str) -> None:
    here = f"{NAME}.capture."
    names = {name for name, _ in imports(PACKAGE / "capture" / f"{module}.py") if name.startswith(here)}
    assert {name.removeprefix(here).split(".")[0] for name in names} <= {"notice"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.relative_to(PACKAGE).as_posix())
def test_only_capture_uses_tensorflow(source: Path) -> None:
    if source.relative_to(PACKAGE).as_posix().startswith(MAY_USE_TENSORFLOW):
        return
    used = {name for name, _ in imports(source) if name.split(".")[0] in TENSORFLOW}
    assert not used


def test_the_loader_needs_only_the_standard_library_and_tensorboard() -> None:
    roots = {name.split(".")[0] for name, at_import in imports(PACKAGE / "tensorboard_loader.py") if at_import}
    assert roots - sys.stdlib_module_names == {"tensorboard"}


WITHOUT_TENSORFLOW = """
import importlib, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "keras", "tf_keras"):
            raise AssertionError(f"tried to import {name}")

sys.meta_path.insert(0, Blocker())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_the_blocker_blocks() -> None:
    assert "tried to import keras" in _import_without_tensorflow(f"{NAME}.capture.keras_callback").stderr


def test_importing_does_not_load_tensorflow() -> None:
    """The package, and each module of what views a recording; the error names the one that does."""
    viewing = (
        ".".join([NAME, *source.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        for source in SOURCES
        if part_of(source) in ("tensorboard_loader", "backend", "commands", "gate")
    )
    result = _import_without_tensorflow(NAME, *viewing)
    assert result.returncode == 0, result.stderr


def _import_without_tensorflow(*modules: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_TENSORFLOW, *modules]
    return subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=False)


def test_recording_loads_nothing_that_gives_advice() -> None:
    """It would take longer than all else of the start."""
    program = f"import sys, {NAME}.capture.python_state.keras_steps, {NAME}.capture.api; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert f"{NAME}.capture.session.recorder" in loaded
    assert [name for name in loaded if name.startswith((f"{NAME}.explain.advice", f"{NAME}.analysis"))] == []
