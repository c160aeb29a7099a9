"""Whatever is wrong with Retrace, TensorBoard must start."""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.plugins import base_plugin

from tb_retrace_plugin import tensorboard_loader
from tb_retrace_plugin.tensorboard_loader import RetraceLoader
from tests.support.fake_provider import FakeProvider


def test_it_imports_the_standard_library_and_tensorboard_alone() -> None:
    tree = ast.parse(Path(tensorboard_loader.__file__).read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert imported <= {*sys.stdlib_module_names, "tensorboard"}


def test_all_records_are_asked_for() -> None:
    flags = argparse.Namespace(samples_per_plugin={"images": 5})
    RetraceLoader().fix_flags(flags)
    assert flags.samples_per_plugin == {"images": 5, "retrace": 0}


def test_the_users_own_choice_is_left() -> None:
    flags = argparse.Namespace(samples_per_plugin={"retrace": 7})
    RetraceLoader().fix_flags(flags)
    assert flags.samples_per_plugin == {"retrace": 7}


@pytest.mark.parametrize("flags", [argparse.Namespace(), None, argparse.Namespace(samples_per_plugin=None), object()])
def test_flags_of_another_form_do_not_raise(flags: object) -> None:
    RetraceLoader().fix_flags(flags)  # type: ignore[arg-type]


def test_it_loads_the_plugin() -> None:
    plugin = RetraceLoader().load(base_plugin.TBContext(data_provider=FakeProvider()))
    assert plugin is not None
    assert plugin.plugin_name == "retrace"


LOAD_BROKEN = """
import sys
sys.modules[sys.argv[1]] = None  # its import raises
from tb_retrace_plugin.tensorboard_loader import RetraceLoader
print(RetraceLoader().load(None))
"""


@pytest.mark.parametrize(
    "broken",
    ["tb_retrace_plugin.backend.plugin", "tb_retrace_plugin.schema.retrace_pb2", "google.protobuf.message", "werkzeug"],
)
def test_a_broken_package_costs_the_tab_and_one_line(broken: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOAD_BROKEN, broken], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "None\n")
    (line,) = [line for line in done.stderr.splitlines() if "Retrace" in line]
    assert "The Retrace tab is left out" in line
    assert "Traceback" not in done.stderr
