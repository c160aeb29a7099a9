"""From the source tree to a tab in a browser, by way of packages and a fresh environment without TensorFlow."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.tab import Tab
from tests.packaging.conftest import Environment, run
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

BUNDLE = "tb_retrace_plugin/backend/static/"


def names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def serve(environment: Environment, log_dir: Path, *flags: str) -> contextlib.AbstractContextManager[TensorBoard]:
    return run_tensorboard(f"--logdir={log_dir}", *flags, python=str(environment.python), cwd=log_dir)


def test_the_wheel_holds_the_package_with_its_bundle_and_nothing_else(wheel: Path) -> None:
    names = names_in_wheel(wheel)
    assert {name.split("/")[0] for name in names} == {
        "tb_retrace_plugin",
        "tensorboard_plugin_retrace-" + wheel.name.split("-")[1] + ".dist-info",
    }
    for needed in ("py.typed", "schema/retrace.proto", "schema/retrace_pb2.py", "schema/retrace_pb2.pyi"):
        assert f"tb_retrace_plugin/{needed}" in names
    assert f"{BUNDLE}index.js" in names
    with zipfile.ZipFile(wheel) as archive:
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        text = archive.read(entry_points).decode()
    assert "retrace = tb_retrace_plugin.tensorboard_loader:RetraceLoader" in text
    assert "tb-retrace = tb_retrace_plugin.commands.main:main" in text
    assert "retrace = tb_retrace_plugin.gate.pytest_plugin" in text


def test_a_wheel_from_the_sdist_needs_no_node_and_is_the_same(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    assert f"{BUNDLE}index.js" in names
    assert {"frontend/package.json", "frontend/package-lock.json"} <= names
    assert not [name for name in names if name.startswith(("frontend/node_modules", "tests", "demo"))]

    broken_tools = tmp_path / "bin"
    broken_tools.mkdir()
    for tool in ("node", "npm", "npx"):
        (broken_tools / tool).write_text("#!/bin/sh\nexit 97\n")
        (broken_tools / tool).chmod(0o755)
    path = f"{broken_tools}{os.pathsep}{os.defpath}"
    (unpacked,) = (folder for folder in tmp_path.iterdir() if (folder / "setup.py").exists())
    requirements = "import retrace_build as b; print(b.get_requires_for_build_wheel())"
    backend = f"import sys; sys.path[:0] = ['build_backend', '.']; {requirements}"
    assert "nodejs" not in run(sys.executable, "-c", backend, cwd=unpacked, path=path)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path / "out", sdist, cwd=tmp_path, path=path)
    (rebuilt,) = (tmp_path / "out").iterdir()
    assert names_in_wheel(rebuilt) == names_in_wheel(wheel)


def test_the_environment_has_no_tensorflow(installed: Environment) -> None:
    code = "import importlib.util as u; print([u.find_spec(name) for name in ('tensorflow', 'keras')])"
    assert run(installed.python, "-c", code, cwd=installed.folder).strip() == "[None, None]"


def test_the_command_reports_without_tensorflow(installed: Environment, recorded: Path) -> None:
    command = installed.scripts / "tb-retrace"
    report = json.loads(run(command, "report", recorded, "--format", "json", cwd=installed.folder))
    (function,) = report["sessions"][0]["functions"]
    assert (function["name"], function["traces"]) == ("double", 3)
    assert "double" in run(command, "report", recorded, cwd=installed.folder)


@pytest.mark.parametrize("loader", ["true", "false"])
def test_tensorboard_serves_the_tab_and_chromium_shows_it(
    installed: Environment, recorded: Path, loader: str, chromium: Browser
) -> None:
    with serve(installed, recorded, f"--load_fast={loader}") as tensorboard:
        digest = tensorboard.wait_for_traces(3)
        assert [function["traces"] for function in digest["functions"]] == [3]
        session = digest["sessions"][0]["id"]
        detail = tensorboard.get_json(f"trace?session={session}&seq={digest['traces']['seq'][-1]}")
        assert detail["event"]["changes"][0]["path"] == "x"
        assert tensorboard.get("index.js")[0] == 200

        tab = Tab(chromium.new_page(), tensorboard.address, "retrace")
        tab.settle(traces=3)
        assert "double" in tab.by_id("verdict").inner_text()
        assert tab.by_id("trace-row").count() == 3
        tab.page.close()
    assert tab.complaints == []  # errors on the console, violations of the content security policy among them


def _raise_at_import(package: Path) -> Path:
    broken = package / "backend" / "plugin.py"
    broken.write_text("raise RuntimeError('deliberately broken')\n")
    return broken


def _lose_the_protobuf_module(package: Path) -> Path:
    lost = package / "schema" / "retrace_pb2.py"
    lost.unlink()
    return lost


def _syntax_error(package: Path) -> Path:
    broken = package / "events" / "data_provider.py"
    broken.write_text("def (:\n")
    return broken


@pytest.fixture
def repaired_afterwards(installed: Environment) -> Iterator[Environment]:
    files = {path: path.read_bytes() for path in installed.package.rglob("*.py")}
    yield installed
    for path, content in files.items():
        path.write_bytes(content)


@pytest.mark.parametrize("damage", [_raise_at_import, _lose_the_protobuf_module, _syntax_error])
def test_tensorboard_starts_even_if_our_package_is_broken(
    repaired_afterwards: Environment, recorded: Path, damage: Callable[[Path], Path]
) -> None:
    damage(repaired_afterwards.package)
    with serve(repaired_afterwards, recorded) as tensorboard:
        with urllib.request.urlopen(f"{tensorboard.address}data/plugins_listing", timeout=60) as answer:
            plugins = json.load(answer)
        assert "scalars" in plugins
        assert "retrace" not in plugins
        assert "The Retrace tab is left out" in tensorboard.output
