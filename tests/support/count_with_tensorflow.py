"""Runs a program as `__main__` and prints, as JSON, how often TensorFlow itself says that each tf.function was traced.

`python count_with_tensorflow.py RESULT.json [--run LOGDIR] program.py args…`; with `--run` through `tb-retrace run`.

Every `tf.function` that is created is kept alive, so that even those which the program drops can be asked at the end.
"""

from __future__ import annotations

import collections
import functools
import inspect
import json
import runpy
import sys
from pathlib import Path
from typing import Any

from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.util import tf_decorator

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


def main() -> None:
    result, *rest = sys.argv[1:]
    polymorphic_function.Function.__init__ = create_and_keep
    if rest[0] == "--run":
        from tb_retrace_plugin.commands.main import main as tb_retrace

        tb_retrace(["run", "--logdir", *rest[1:]])
    else:
        sys.argv = rest
        sys.path[0] = str(Path(rest[0]).parent)
        runpy.run_path(rest[0], run_name="__main__")
    counts: collections.Counter[str] = collections.Counter()
    for function in created:
        code = innermost(function.python_function)
        place = f"{code.__code__.co_filename}:{code.__code__.co_firstlineno} {code.__qualname__}"
        counts[place] += function.experimental_get_tracing_count()
    Path(result).write_text(json.dumps({place: count for place, count in counts.items() if count}))


if __name__ == "__main__":
    main()
