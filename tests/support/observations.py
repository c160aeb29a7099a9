"""One real trace, observed again and again with another Python number: what a recorder is given by its hook."""

from __future__ import annotations

import time
from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.session.recorder import Recorder
from tb_retrace_plugin.capture.watch import hook
from tb_retrace_plugin.capture.watch.observation import Observation


class _Keeper:
    """A listener that keeps what an observation is made of."""

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.result: Any = None

    def trace_started(self, o: Observation) -> None:
        self.made = [o.function_type, o.graph, o.options, o.lookup]

    def trace_ended(self, o: Observation) -> None:
        self.result = o.result

    def lost(self, what: str) -> None:
        raise AssertionError(what)

    def first_call_began(self, *_: Any) -> None: ...
    def first_call_ended(self, *_: Any) -> None: ...
    def xla_compiled(self, *_: Any) -> None: ...


class _Context:
    def get_placeholder_mapping(self) -> dict[Any, Any]:
        return {}


class Observations:
    """Of `scaled(x, k)`, which is traced once."""

    def __init__(self) -> None:
        keeper = _Keeper()

        @tf.function
        def scaled(x: Any, k: int) -> Any:
            return x * 2.0 + k

        hook.add_listener(keeper)
        scaled(tf.ones([]), 0)
        hook.remove_listener(keeper)
        self._function = scaled  # keeps what the options refer to weakly
        self._made, self._result = keeper.made, keeper.result

    def hand_over(self, recorder: Recorder, number: int) -> None:
        """As the hook does for a trace with `k=number`, and its first call."""
        function_type, graph, options, lookup = self._made
        literal = type(function_type.parameters["k"].type_constraint)(number)
        parameters = [
            type(p)(p.name, p.kind, p.optional, literal) if p.name == "k" else p
            for p in function_type.parameters.values()
        ]
        wanted = type(function_type)(parameters, captures=function_type.captures)
        o = Observation(wanted, _Context(), graph, options, lookup._replace(function_type=wanted))
        recorder.trace_started(o)
        o.start_ns, o.duration_ns, o.result = time.time_ns(), 1_000_000, self._result
        recorder.trace_ended(o)
        seq = o.seqs[id(recorder)]
        o.let_go()
        recorder.first_call_ended(seq, 500_000, False)
