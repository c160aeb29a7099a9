"""Forward and backward passes: where a gradient tape records a call, TensorFlow makes functions of their own for them.

They are made in the first such call, for each kind of tape, and kept in dictionaries of the concrete function. Nothing
of ours is run in later calls.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture.tf_seam.runtime import executing_eagerly

_KEPT_IN = ("_first_order_tape_functions", "_higher_order_tape_functions")


class WatchedPasses:
    """Sees what of one concrete function is executed for the first time, in calls that its first one does not tell of.

    None of this is called for what is called while a graph is built: it executes nothing.
    """

    __slots__ = ()

    def forward_made(self, backward: Any) -> Callable[[], None] | None:
        """A tape records a call: its forward pass, new, is executed now. `backward`: the concrete function for it.

        What it returns is called once the forward pass is over, unless that fails.
        """
        raise NotImplementedError

    def plain_call(self) -> Callable[[bool], None] | None:
        """The first call that no tape records. What it returns is called with whether it failed."""
        raise NotImplementedError

    def cope(self, error: Exception) -> bool:
        """An error of the above: the call goes on unless this says that it is the program's."""
        raise NotImplementedError

    def watch_forward(self, concrete_function: Any) -> None:
        for name in _KEPT_IN:
            pairs = _Pairs(getattr(concrete_function, name))
            pairs.passes = self
            setattr(concrete_function, name, pairs)

    def watch_plain_call(self, concrete_function: Any) -> None:
        inference = concrete_function._inference_function
        reference, plain = weakref.ref(inference), type(inference).call_preflattened

        def call_preflattened(arguments: Any) -> Any:
            function = reference()
            if not executing_eagerly():
                return plain(function, arguments)
            function.__dict__.pop("call_preflattened", None)
            end, has_failed = _begun(self, self.plain_call), True
            try:
                result = plain(function, arguments)
                has_failed = False
                return result
            finally:
                if end is not None:
                    _begun(self, end, has_failed)

        inference.__dict__["call_preflattened"] = call_preflattened


class _Pairs(dict[Any, Any]):
    """Looked up in each call, by the dictionary's own code; told when something is put in."""

    passes: WatchedPasses

    def __setitem__(self, key: Any, pair: Any) -> None:
        super().__setitem__(key, pair)
        _begun(self.passes, _watch, pair, self.passes)


def _watch(pair: Any, passes: WatchedPasses) -> None:
    reference: Callable[[], Any] = weakref.ref(pair)
    plain_forward, plain_record = type(pair).forward, type(pair).record

    def forward(arguments: Any, tangents: Any) -> Any:
        pair = reference()
        if not executing_eagerly():
            return plain_forward(pair, arguments, tangents)
        pair.__dict__.pop("forward", None)
        result = plain_forward(pair, arguments, tangents)
        end = _begun(passes, passes.forward_made, getattr(pair, "_backward", None))
        if end is not None:
            call = id(arguments)  # the same list is recorded, unless the pass fails: then it is another call's

            def record(outputs: Any, arguments: Any, tangents: Any) -> Any:
                pair = reference()
                pair.__dict__.pop("record", None)
                if id(arguments) == call:
                    _begun(passes, end)
                return plain_record(pair, outputs, arguments, tangents)

            pair.__dict__["record"] = record
        return result

    pair.__dict__["forward"] = forward


def _begun(passes: WatchedPasses, ours: Callable[..., Any], *arguments: Any) -> Any:
    """What our own code returns; None where it fails."""
    try:
        return ours(*arguments)
    except Exception as problem:
        if passes.cope(problem):
            raise
        return None
