"""Retrace: which tf.function was traced again, at which step, from which line, because of which argument.

The names below load TensorFlow (and Keras) when they are first used; importing this package does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb_retrace_plugin.capture.api import record, start, stop
    from tb_retrace_plugin.capture.keras_callback import RetraceCallback
    from tb_retrace_plugin.capture.on_retrace import Retrace, RetraceError, RetraceWarning
    from tb_retrace_plugin.capture.watch.steps import set_step
    from tb_retrace_plugin.gate.max_traces import assert_max_traces

__all__ = [
    "Retrace",
    "RetraceCallback",
    "RetraceError",
    "RetraceWarning",
    "assert_max_traces",
    "record",
    "set_step",
    "start",
    "stop",
]

_WHERE = {
    "Retrace": "tb_retrace_plugin.capture.on_retrace",
    "RetraceCallback": "tb_retrace_plugin.capture.keras_callback",
    "RetraceError": "tb_retrace_plugin.capture.on_retrace",
    "RetraceWarning": "tb_retrace_plugin.capture.on_retrace",
    "assert_max_traces": "tb_retrace_plugin.gate.max_traces",
    "record": "tb_retrace_plugin.capture.api",
    "set_step": "tb_retrace_plugin.capture.watch.steps",
    "start": "tb_retrace_plugin.capture.api",
    "stop": "tb_retrace_plugin.capture.api",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
