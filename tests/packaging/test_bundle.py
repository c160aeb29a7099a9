"""When the tab's bundle is built: when its sources changed, and only then; node is asked for only then, too."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BUILD_BACKEND = Path(__file__).resolve().parent.parent.parent / "build_backend"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BUILD_BACKEND / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bundle() -> Iterator[ModuleType]:
    yield _load("frontend_bundle")
    del sys.modules["frontend_bundle"]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    frontend = tmp_path / "frontend"
    (frontend / "src").mkdir(parents=True)
    (frontend / "package.json").write_text("{}")
    (frontend / "src" / "main.ts").write_text("export const one = 1;\n")
    return frontend


@pytest.fixture
def built(bundle: ModuleType, sources: Path, tmp_path: Path) -> Path:
    static = tmp_path / "static"
    static.mkdir()
    (static / "index.js").write_text("export function render() {}")
    (static / bundle.DIGEST_FILE).write_text(bundle.sources_digest(sources))
    return static


def test_a_bundle_of_these_sources_is_fresh(bundle: ModuleType, sources: Path, built: Path) -> None:
    assert not bundle.is_stale(sources, built)


def test_a_changed_a_new_and_a_removed_source_make_it_stale(bundle: ModuleType, sources: Path, built: Path) -> None:
    source = sources / "src" / "main.ts"
    source.write_text("export const one = 2;\n")
    assert bundle.is_stale(sources, built)
    source.write_text("export const one = 1;\n")
    assert not bundle.is_stale(sources, built)
    (sources / "src" / "new.ts").touch()
    assert bundle.is_stale(sources, built)
    (sources / "src" / "new.ts").unlink()
    source.unlink()
    assert bundle.is_stale(sources, built)


def test_a_renamed_source_makes_it_stale(bundle: ModuleType, sources: Path, built: Path) -> None:
    (sources / "src" / "main.ts").rename(sources / "src" / "other.ts")
    assert bundle.is_stale(sources, built)


@pytest.mark.parametrize("name", ["src/main.test.ts", "node_modules/a/index.js", "dev/mock.ts", ".cache/x"])
def test_what_is_not_in_the_bundle_does_not_make_it_stale(
    bundle: ModuleType, sources: Path, built: Path, name: str
) -> None:
    (sources / name).parent.mkdir(parents=True, exist_ok=True)
    (sources / name).write_text("anything")
    assert not bundle.is_stale(sources, built)


def test_line_endings_do_not_make_it_stale(bundle: ModuleType, sources: Path, built: Path) -> None:
    (sources / "src" / "main.ts").write_bytes(b"export const one = 1;\r\n")
    assert not bundle.is_stale(sources, built)


def test_a_missing_bundle_or_digest_is_stale(bundle: ModuleType, sources: Path, built: Path) -> None:
    (built / bundle.DIGEST_FILE).unlink()
    assert bundle.is_stale(sources, built)
    assert bundle.is_stale(sources, built.parent / "nowhere")


def test_a_bundle_without_sources_is_right_as_it_is(bundle: ModuleType, built: Path) -> None:
    assert not bundle.is_stale(built.parent / "nowhere", built)


@pytest.mark.parametrize(
    ("stale", "node", "asked_for"), [(True, None, True), (True, "/usr/bin/node", False), (False, None, False)]
)
@pytest.mark.parametrize("target", ["wheel", "sdist", "editable"])
def test_node_is_required_only_to_build_where_none_is(
    bundle: ModuleType, monkeypatch: pytest.MonkeyPatch, stale: bool, node: str | None, asked_for: bool, target: str
) -> None:
    backend = _load("retrace_build")
    monkeypatch.setattr(backend, "is_stale", lambda: stale)
    monkeypatch.setattr(backend, "find_node", lambda: node)
    monkeypatch.setattr(backend.build_meta, f"get_requires_for_build_{target}", lambda settings: ["wheel"])
    requirements = getattr(backend, f"get_requires_for_build_{target}")()
    assert requirements == (["wheel", bundle.NODE_REQUIREMENT] if asked_for else ["wheel"])


def test_a_node_that_is_too_old_is_not_used(
    bundle: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for version, usable in (("v18.20.0", False), ("v20.1.0", True)):
        binaries = tmp_path / version / "bin"
        (tmp_path / version / "lib" / "node_modules" / "npm" / "bin").mkdir(parents=True)
        (tmp_path / version / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js").touch()
        binaries.mkdir()
        (binaries / "node").write_text(f"#!/bin/sh\necho {version}\n")
        (binaries / "node").chmod(0o755)
        monkeypatch.setenv("PATH", f"{binaries}:/usr/bin:/bin")
        monkeypatch.setattr(bundle.importlib.util, "find_spec", lambda name: None)
        assert (bundle.find_node() == binaries / "node") is usable
