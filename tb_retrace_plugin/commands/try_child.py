"""What `tb-retrace try` runs in a process of its own: a program, recorded, with or without a change.

`main(request.json)`; the request names the program, where to record, the changes, and where to say how it ended.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import sys
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def main(request_path: str) -> int:
    """Ends as the program does: its exceptions go through."""
    request = json.loads(Path(request_path).read_text("utf-8"))
    from tb_retrace_plugin.commands.main import main as tb_retrace

    changes: list[Any] = []
    outcome: dict[str, Any] = {"exit": 0, "exception": None, "problem": None}
    if request["changes"]:
        from tb_retrace_plugin.capture.applied import equal_classes
        from tb_retrace_plugin.capture.applied.change import AppliedChange

        changes = [AppliedChange(**change) for change in request["changes"]]
        equal_classes.install(changes)

    def apply() -> None:
        from tb_retrace_plugin.capture.apply_change import apply_changes
        from tb_retrace_plugin.capture.tf_seam import SeamMissingError

        try:
            apply_changes(changes)
        except SeamMissingError as error:
            outcome["problem"] = str(error)

    if request["changes"] and "tensorflow" in sys.modules:
        apply()
    elif request["changes"]:
        sys.meta_path.insert(0, _AfterTensorFlow(apply))
    module = ["-m"] if request["module"] else []
    began = time.monotonic()
    try:
        return tb_retrace(["run", "--logdir", request["logdir"], *module, request["program"], *request["args"]])
    except SystemExit as error:
        outcome["exit"] = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        raise
    except BaseException as error:
        outcome["exit"] = 1
        outcome["exception"] = _text(error)
        raise
    finally:
        outcome["seconds"] = time.monotonic() - began
        outcome["tensorflow"] = "tensorflow" in sys.modules
        outcome["changes"] = [{"objects": c.objects, "problems": c.all_problems()} for c in changes]
        Path(request["result"]).write_text(json.dumps(outcome), "utf-8")


def _text(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return f"{type(error).__name__}: {message}"[:2000]


class _AfterTensorFlow(importlib.abc.MetaPathFinder):
    """Calls something right after the program's own `import tensorflow`."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_call(module: types.ModuleType) -> None:
            load(module)
            self._call()

        spec.loader.exec_module = load_and_call  # type: ignore[method-assign]
        return spec
