"""Functions given to `tf.data`: what was traced of one is used for datasets that the same lines build of the same data
again, in the same way: what is of other data would be kept as a dataset of its own."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.capture.applied.python_state import PythonState, State
from tb_retrace_plugin.capture.code.call_site import read_call_site
from tb_retrace_plugin.capture.code.function_place import function_of
from tb_retrace_plugin.explain.earlier_traces.history import Dataset

#: Traced functions that are kept alive, for one change.
_MAX_KEPT = 100


@dataclass(slots=True)
class _Kept:
    state: State
    given: dict[str, Any]
    dataset: Dataset
    wrapper: Any


def install(changes: Sequence[AppliedChange]) -> None:
    """Raises SeamMissingError."""
    wanted = [change for change in changes if change.one_pipeline]
    if not wanted:
        return
    wrapper_class = tf_seam.dataset_function_class()
    init = wrapper_class.__init__
    parameters = inspect.signature(init)
    missing = {"func", "dataset", "input_structure", "use_legacy_function"} - set(parameters.parameters)
    if missing:
        raise tf_seam.SeamMissingError(f"tf.data's function wrapper takes no {', '.join(sorted(missing))}")
    pipelines = [_Pipeline(change) for change in wanted]

    @functools.wraps(init)
    def shared_init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = parameters.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        del given["self"]
        traced = tf_seam.unwrapped(given.pop("func"))
        function = function_of(traced.python)
        for pipeline in pipelines:
            if pipeline.change.is_about(function):
                pipeline.make(self, traced, given, lambda: init(*bound.args, **bound.kwargs))
                return
        init(*bound.args, **bound.kwargs)

    wrapper_class.__init__ = shared_init


class _Pipeline:
    def __init__(self, change: AppliedChange) -> None:
        self.change = change
        self._states = PythonState()
        self._kept: list[_Kept] = []
        self._lock = threading.RLock()

    def make(
        self, wrapper: Any, traced: tf_seam.TracedFunction, given: dict[str, Any], trace: Callable[[], None]
    ) -> None:
        with self._lock:
            self.change.objects += 1
            known = None
            try:
                known = self._known(traced, given)
            except Exception as error:
                self.change.say(error)
            if known is not None and known.wrapper is not None:
                wrapper.__dict__.update(known.wrapper.__dict__)
                return
            trace()
            if known is not None and len(self._kept) < _MAX_KEPT:
                known.wrapper = wrapper
                self._kept.append(known)

    def _known(self, traced: tf_seam.TracedFunction, given: dict[str, Any]) -> _Kept | None:
        """The one that serves; without a `wrapper`: there is none yet. None where none may be used."""
        import tensorflow as tf

        # what is traced inside a graph may hold tensors of that graph
        if not tf.executing_eagerly() or given["use_legacy_function"]:
            return None
        dataset = given.pop("dataset")
        given["input_structure"] = given["input_structure"] if dataset is None else dataset.element_spec
        lines = tuple(
            (frame.file, frame.line, frame.instruction) for frame in read_call_site().stack.frames if frame.user
        )
        built = Dataset(lines, b"" if dataset is None else tf_seam.data_of(dataset))
        reference = tf_seam.bound_instance(traced)
        state = self._states.of(traced, reference() if reference is not None else None)
        for kept in self._kept:
            if kept.state == state and kept.given == given and kept.dataset == built:
                return kept
        if self._kept:
            names = [name for name in state if state[name] != self._kept[-1].state.get(name)]
            told = ", ".join(f"`{name}`" for name in names[:3]) or "its elements, its data, or the lines that build it"
            self.change.say(f"another one is not the same: {told}")
        return _Kept(state, given, built, None)
