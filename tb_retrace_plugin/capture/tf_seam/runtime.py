"""Of the process and the thread: stacks, eager execution, the cluster, the profiler."""

from __future__ import annotations

import contextlib
import sys
import threading
from types import CodeType
from typing import Any

from tb_retrace_plugin.capture.tf_seam.private import SeamMissingError, hot, hot_module


def extract_stack() -> list[tuple[str, int, str]]:
    """(file, line, function), innermost first, AutoGraph's generated code mapped back to the user's lines."""
    stack = hot("tensorflow.python.util.tf_stack", "extract_stack")(stacklevel=1)
    return [(*_written_at(frame.filename, frame.lineno), frame.name) for frame in reversed(list(stack))]


def _written_at(file: str, line: int) -> tuple[str, int]:
    """TensorFlow maps what runs within a trace; a `py_function` made of generated code runs in a thread of its own."""
    if "__autograph_generated_file" not in file:
        return file, line
    return _place_in_converted(file, line) or (file, line)


def original_place(file: str, line: int) -> tuple[str, int] | None:
    """Where a line of AutoGraph's generated code comes from: of a function that runs in this thread, or has run."""
    mappers = hot("tensorflow.python.util.tf_stack", "_source_mapper_stacks").get(threading.get_ident())
    found = mappers[-1].get_effective_source_map().get((file, line)) if mappers else None
    return _place_in_converted(file, line) if found is None else (str(found[0]), int(found[1]))


def converted_code(file: str) -> CodeType | None:
    """Of which function AutoGraph has made what a generated file holds."""
    with contextlib.suppress(SeamMissingError, AttributeError, RuntimeError):  # as below
        converted = hot("tensorflow.python.autograph.impl.api", "_TRANSPILER")._cache._cache
        for code, by_options in list(converted.items()):
            if any(getattr(one.module, "__file__", None) == file for one in list(by_options.values())):
                return code if isinstance(code, CodeType) else None
    return None


def _place_in_converted(file: str, line: int) -> tuple[str, int] | None:
    """As above, of a function that has returned: what it defined is traced later. AutoGraph keeps what it converted."""
    # not known in this TensorFlow, or another thread converts something now
    with contextlib.suppress(SeamMissingError, AttributeError, RuntimeError):
        converted = hot("tensorflow.python.autograph.impl.api", "_TRANSPILER")._cache._cache
        for factory in [one for by_options in list(converted.values()) for one in list(by_options.values())]:
            if getattr(factory.module, "__file__", None) == file:
                for generated, origin in factory.source_map.items():
                    if (generated.filename, generated.lineno) == (file, line):
                        return str(origin.loc.filename), int(origin.loc.lineno)
    return None


def executing_eagerly() -> bool:
    return bool(sys.modules["tensorflow"].executing_eagerly())


def functions_run_eagerly() -> bool:
    """Whether `tf.config.run_functions_eagerly(True)` is on: then nothing is traced."""
    return bool(sys.modules["tensorflow"].config.functions_run_eagerly())


def collective_tasks() -> int:
    """Processes that this one's collective operations wait for, itself counted; 0: it belongs to no such cluster."""
    try:
        server = hot("tensorflow.python.eager.context", "context")()._collective_ops_server_def
        tasks = sum(len(job.tasks) for job in server.cluster.job if job.name in ("chief", "worker")) if server else 0
    except (SeamMissingError, AttributeError):  # not known in this TensorFlow
        return 0
    return tasks if tasks > 1 else 0


def start_profiler_span(name: str) -> Any:
    """A span in the profile session that runs now, begun; None if none does."""
    span = sys.modules["tensorflow"].profiler.experimental.Trace(name)
    return span if getattr(span, "_traceme", None) is not None else None


def is_profiled() -> bool:
    """Whether a profile session runs, whoever started it."""
    # the profiler sets it, up to TensorFlow 2.17 or so
    enabled = hot_module("tensorflow.python.profiler.trace").enabled
    return bool(enabled() if callable(enabled) else enabled)
