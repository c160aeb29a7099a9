"""Runs programs as `__main__` and writes, as JSON, how often TensorFlow itself says that each tf.function was traced.

`python count_with_tensorflow.py LOGDIRS program.py… --run program.py…`: each program runs in a fork of its own, as in
run_gallery.py, and is given LOGDIRS/<name>; after `--run` by `tb-retrace run`. Counts: LOGDIRS/<name>/counted.json.

Every `tf.function` that is created is kept alive, so that even those which the program drops can be asked at the end.
"""

from __future__ import annotations

import collections
import functools
import gc
import inspect
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.util import tf_decorator

from tests.support import end_of_fork

created: list[Any] = []
create = polymorphic_function.Function.__init__


def create_and_keep(self: Any, *args: Any, **kwargs: Any) -> None:
    create(self, *args, **kwargs)
    created.append(self)


def innermost(function: Any) -> Any:
    """The function that was written in the program or in Keras, inside AutoGraph's and tf.data's wrappers."""
    function = inspect.unwrap(tf_decorator.unwrap(function)[1])
    while isinstance(function, functools.partial):
        function = inspect.unwrap(function.func)
    if not inspect.isroutine(function):  # a callable object
        kind = type(function)
        is_written = _is_of_keras(kind.__call__) and hasattr(kind, "call") and not _is_of_keras(kind.call)
        function = kind.call if is_written else kind.__call__
    for wrapper in (function, inspect.getclosurevars(function).nonlocals.get("wrapper_helper")):
        if inspect.isfunction(wrapper) and wrapper.__code__.co_filename.endswith("structured_function.py"):
            owner = inspect.getclosurevars(wrapper).nonlocals.get("self")
            if owner is not None:
                return innermost(owner._func)
    return getattr(function, "__func__", function)


def _is_of_keras(function: Any) -> bool:
    return function.__module__.partition(".")[0] in ("keras", "tf_keras")


def run_and_count(program: str, log_dir: Path, *, from_outside: bool) -> None:
    polymorphic_function.Function.__init__ = create_and_keep
    os.chdir(log_dir)
    if from_outside:
        from tb_retrace_plugin.commands.main import main as tb_retrace

        tb_retrace(["run", "--logdir", str(log_dir), program])
    else:
        sys.argv = [program, str(log_dir)]
        sys.path[0] = str(Path(program).parent)
        runpy.run_path(program, run_name="__main__")
    counts: collections.Counter[str] = collections.Counter()
    for function in created:
        code = innermost(function.python_function)
        place = f"{code.__code__.co_filename}:{code.__code__.co_firstlineno} {code.__qualname__}"
        counts[place] += function.experimental_get_tracing_count()
    (log_dir / "counted.json").write_text(json.dumps({place: count for place, count in counts.items() if count}))


def main() -> int:
    import keras  # noqa: F401  (programs import it: loaded once for all)

    log_dirs, *programs = sys.argv[1:]
    assert context.context()._context_handle is None, "TensorFlow is in use: a fork of it would not be a fresh start"
    gc.collect()
    gc.freeze()
    failed = from_outside = False
    for program in programs:
        if program == "--run":
            from_outside = True
            continue
        if (child := os.fork()) == 0:
            run_and_count(program, Path(log_dirs, Path(program).stem), from_outside=from_outside)
            end_of_fork.end()
        failed |= os.waitpid(child, 0)[1] != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
