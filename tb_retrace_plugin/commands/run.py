"""`tb-retrace run [--logdir D] [-v] script.py args…`: records a program without changing a line of it."""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from typing import Any, NoReturn

#: Seconds of processor time.
_LONG_S = 1.0


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "run",
        help="run a Python program and record its traces",
        description="Runs a Python program unchanged and records every trace of its tf.functions.",
        usage="tb-retrace run [--logdir DIR] [-v] [--no-graphs] [--graphs-tab WHICH] [--values HOW]"
        " (script.py | -m module) [args …]",
    )
    parser.add_argument("--logdir", default="logs", help="where to write, for tensorboard --logdir (default: logs)")
    parser.add_argument("-v", "--verbose", action="store_true", help="print one sentence at each retrace")
    parser.add_argument("--no-graphs", action="store_true", help="do not store the traced graphs")
    parser.add_argument(
        "--graphs-tab", metavar="WHICH", action="append",
        help="also write graphs for TensorBoard's own Graphs tab: retraces, all, or a function (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--values", choices=("none", "short", "full"), default="short",
        help="how values of arguments are recorded (default: short texts)",
    )  # fmt: skip
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module, as with python -m")
    parser.add_argument("program", help="a script, or a module's name after -m")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="the program's own arguments")
    parser.set_defaults(main=main)
    return parser


def main(args: argparse.Namespace) -> int:
    """Runs the program as `__main__`; its exceptions and its `SystemExit` go through as they would without us."""
    code, file, spec = _load(args.program, args.module)
    if (problem := _cannot_write(args.logdir)) is not None:
        print(f"tb-retrace run: {problem}", file=sys.stderr)
        return 2
    recording = _RecordWhenTensorFlowIsThere(os.path.abspath(args.logdir) if _is_local(args.logdir) else args.logdir)
    which = args.graphs_tab[0] if args.graphs_tab and len(args.graphs_tab) == 1 else args.graphs_tab
    recording.options = {"verbose": int(args.verbose), "graphs": not args.no_graphs, "graphs_tab": which}
    recording.options["values"] = args.values
    sys.meta_path.insert(0, recording)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=file, __spec__=spec, __builtins__=__builtins__)
    if spec is not None:
        module.__package__ = spec.parent
    sys.modules["__main__"] = module
    sys.argv = [file, *args.args]
    sys.path[0] = os.getcwd() if args.module else os.path.dirname(os.path.abspath(file))
    if "tensorflow" in sys.modules:
        recording.start()
    try:
        exec(code, module.__dict__)  # the user's own program, as they asked
    finally:
        recording.finish()
    return 0


def _load(program: str, is_module: bool) -> tuple[types.CodeType, str, importlib.machinery.ModuleSpec | None]:
    """The program's code, file and (for a module) spec. Exits with status 2 and one line if it cannot be had."""
    if is_module:
        sys.path.insert(0, os.getcwd())
        try:
            spec = importlib.util.find_spec(program)
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(f"{program}.__main__")
        except (ImportError, ValueError):
            spec = None
        finally:
            sys.path.pop(0)
        if spec is not None and isinstance(spec.loader, importlib.abc.InspectLoader):
            code = spec.loader.get_code(spec.name)
            if code is not None:
                return code, spec.origin or program, spec
        _exit(f"there is no module {program!r} that can be run")
    try:
        with open(program, "rb") as source:
            return compile(source.read(), program, "exec", dont_inherit=True), program, None
    except OSError as error:
        _exit(f"cannot read {program!r}: {error.strerror}")


def _exit(message: str) -> NoReturn:
    print(f"tb-retrace run: {message}", file=sys.stderr)
    raise SystemExit(2)


def _is_local(log_dir: str) -> bool:
    return "://" not in log_dir


def _cannot_write(log_dir: str) -> str | None:
    """Why a local directory cannot be written, before the program runs; other filesystems are TensorFlow's to try."""
    if not _is_local(log_dir):
        return None
    try:
        os.makedirs(os.path.join(log_dir, "retrace"), exist_ok=True)
    except OSError as error:
        return f"cannot write to {log_dir!r}: {error.strerror}. Choose another directory with --logdir."
    if not os.access(os.path.join(log_dir, "retrace"), os.W_OK):
        return f"cannot write to {log_dir!r}: no permission. Choose another directory with --logdir."
    return None


class _RecordWhenTensorFlowIsThere(importlib.abc.MetaPathFinder):
    """Starts recording right after the program's own `import tensorflow`: the program may first set its environment."""

    def __init__(self, log_dir: str) -> None:
        self.log_dir = log_dir
        self.options: dict[str, Any] = {}
        self._recording: Any = None

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_record(module: types.ModuleType) -> None:
            load(module)
            self.start()

        spec.loader.exec_module = load_and_record  # type: ignore[method-assign]
        return spec

    def start(self) -> None:
        from tb_retrace_plugin.capture.api import Recording
        from tb_retrace_plugin.capture.session.event_sink import LogDirError

        try:
            self._recording = Recording(self.log_dir, **self.options)
            self._recording.begin()
        except LogDirError as error:
            print(f"tb-retrace run: {error}", file=sys.stderr)

    def finish(self) -> None:
        recorder = self._recording.recorder if self._recording is not None else None
        if recorder is None:
            if "tensorflow" not in sys.modules:
                print("tb-retrace run: the program did not import TensorFlow; nothing was recorded.", file=sys.stderr)
            return
        recorder.flush()
        others = " Other processes that it started are recorded if each calls `tb_retrace_plugin.start`."
        print(
            f"tb-retrace run: {recorder.traces} trace{'' if recorder.traces == 1 else 's'} recorded in {self.log_dir}. "
            f"Look: tb-retrace report {self.log_dir}, or tensorboard --logdir {self.log_dir}."
            f"{others if _has_started_processes() else ''}",
            file=sys.stderr,
        )


def _has_started_processes() -> bool:
    """Whether others that may have traced run, or ran: such as took longer than it takes to import TensorFlow."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.active_children():
        return True
    try:
        import resource
    except ImportError:  # on Windows
        return False
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime >= _LONG_S
