"""`on_retrace`: warm up, then be told of each retrace, or forbid it.

A trace is observed within TensorFlow's tracing, where nothing may be raised and no code of the user's may run: what is
to be done about it waits for the next safe point, which the callback's hooks, `set_step` and `stop` are.
"""

from __future__ import annotations

import collections
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import key_of
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.capture.notice import logger, warn_once
from tb_retrace_plugin.explain.words.made_by_libraries import role_of
from tb_retrace_plugin.explain.words.place import frame_text, place_text, user_frame
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Traces that are kept to explain later ones, over all functions; the oldest go first.
_MAX_KEPT = 2000
#: Warnings of one function and cause; the report has them all.
_MAX_ALIKE = 10
#: Retraces that wait for a safe point, and that one error tells of.
_MAX_WAITING = 1000
_MAX_TOLD = 3

OnRetrace = str | Callable[["Retrace"], Any] | None


class RetraceWarning(UserWarning):
    """A function was traced again after the warm-up."""


class RetraceError(RuntimeError):
    """A function was traced again after the warm-up, with `on_retrace="raise"`. `retraces`: those that are meant."""

    def __init__(self, message: str, retraces: Sequence[Retrace]) -> None:
        super().__init__(message)
        self.retraces = tuple(retraces)


@dataclass(frozen=True)
class Retrace:
    """One retrace, as `on_retrace` is given it.

    `function`, `qualname`, `file`, `line`: the traced code. `step`: None if not known. `trace`: how many-th successful
    trace of this code it was. `cause`, `path`, `old`, `new`: of the first change, such as "shape", "x", "(32, 10)",
    "(7, 10)"; `changes` has all of them. `called_from`: "train.py:57: train_step(batch)", "" if only library code
    called. `seconds`: tracing took. `failed`: the trace raised. `sentence`: why, in one sentence.
    """

    function: str
    qualname: str
    file: str
    line: int
    step: int | None
    trace: int
    cause: str
    path: str
    old: str
    new: str
    changes: tuple[tuple[str, str, str, str], ...]
    called_from: str
    seconds: float
    failed: bool
    sentence: str
    _record: pb.Trace = field(repr=False, compare=False)
    _recent: _RecentTraces = field(repr=False, compare=False)

    @cached_property
    def explanation(self) -> str:
        """Several lines: the function, what changed, where it was called, and the change that stops it, if known."""
        return "\n".join(_plain(line) for line in self._recent.explained([self._record]))

    @cached_property
    def fix(self) -> str | None:
        """Warnings, and what to change, in words and code; None if nothing is known that helps. Computed when read."""
        advice = _explanation().advice_for(*self._recent.of(self._record))
        return _plain(f"{advice[0].in_one}\n{advice[0].code or ''}".rstrip()) if advice else None


def _retrace(record: pb.Trace, stack: pb.Stack, recent: _RecentTraces) -> Retrace:
    changes = tuple((c.cause, c.path, c.old, c.new) for c in record.changes)
    cause, path, old, new = changes[0] if changes else ("unknown", "", "", "")
    frame = user_frame(stack)
    sentence = _plain(trace_sentence(record, role_of(record.function, [stack])))
    return Retrace(
        function=record.function.name, qualname=record.function.qualname, file=record.function.file,
        line=record.function.line, step=record.step if record.HasField("step") else None, trace=record.n,
        cause=cause, path=path, old=old, new=new, changes=changes,
        called_from=frame_text(frame) if frame is not None else "", seconds=record.trace_duration_ns / 1e9,
        failed=record.failed, sentence=sentence, _record=record, _recent=recent,
    )  # fmt: skip


def _plain(text: str) -> str:
    return text.replace("`", "")


class _RecentTraces:
    """The latest traces of each function, to explain one by. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._traces: dict[Any, list[pb.Trace]] = {}
        self._stacks: dict[str, pb.Stack] = {}
        self._count = 0

    def add(self, record: pb.Trace, stack: pb.Stack) -> None:
        with self._lock:
            self._traces.setdefault(key_of(record.function), []).append(record)
            self._stacks[record.stack_id] = stack
            self._count += 1
            if self._count > _MAX_KEPT:
                longest = max(self._traces.values(), key=len)
                del longest[: len(longest) // 2 + 1]
                self._traces = {key: traces for key, traces in self._traces.items() if traces}
                self._count = sum(map(len, self._traces.values()))
                used = {trace.stack_id for traces in self._traces.values() for trace in traces}
                self._stacks = {key: stack for key, stack in self._stacks.items() if key in used}

    def of(self, record: pb.Trace) -> tuple[list[pb.Trace], dict[str, pb.Stack]]:
        """This function's, this trace among them."""
        with self._lock:
            traces = list(self._traces.get(key_of(record.function), ()))
            return traces or [record], dict(self._stacks)

    def explained(self, records: Sequence[pb.Trace]) -> list[str]:
        """All of one function."""
        traces, stacks = self.of(records[0])
        place = place_text(records[0].function, role_of(traces[0].function, map(stacks.get, _stack_ids(traces))))
        return [place, *_explanation().explain_traces(traces, stacks, about=records)]


def _stack_ids(traces: Sequence[pb.Trace]) -> dict[str, None]:
    return dict.fromkeys(trace.stack_id for trace in traces)


def _explanation() -> ModuleType:
    """All that gives advice: programs that do not ask for it start without, half a second earlier."""
    from tb_retrace_plugin.explain import explanation

    return explanation


class RetracePolicy:
    """What `on_retrace` and `after_step` ask for. A `Teller` of the recorder; `deliver` is called at safe points."""

    def __init__(self, action: OnRetrace, after_step: int) -> None:
        """Raises TypeError or ValueError for what means nothing."""
        if not (action in ("warn", "raise") or callable(action)):
            raise ValueError(f'on_retrace is "warn", "raise" or a function of one argument, not {action!r}')
        if isinstance(after_step, bool) or not isinstance(after_step, int):
            raise TypeError(f"after_step is a whole number of steps, not {after_step!r}")
        if after_step < 0:
            raise ValueError(f"after_step is 0 or more, not {after_step}")
        _explanation()  # now, and not within a trace
        self._action = action
        self._after_step = after_step
        self._recent = _RecentTraces()
        self._lock = threading.RLock()
        self._waiting: list[Retrace] = []
        self._alike: collections.Counter[Any] = collections.Counter()
        self._is_warm = after_step == 0

    def tell(self, record: pb.Trace, stack: pb.Stack) -> None:
        self._recent.add(record, stack)
        if record.HasField("step") and record.step >= self._after_step:
            self._is_warm = True
        elif record.HasField("step") or not self._is_warm:
            return
        if not _is_forbidden(record):
            return
        retrace = _retrace(record, stack, self._recent)
        if self._action == "warn" and self._warned(retrace):
            return
        with self._lock:
            if len(self._waiting) < _MAX_WAITING:
                self._waiting.append(retrace)

    def _warned(self, retrace: Retrace) -> bool:
        """False if the program makes errors of warnings: it is for the next safe point, then."""
        alike = retrace.file, retrace.line, retrace.qualname, retrace.cause
        self._alike[alike] += 1
        if self._alike[alike] > _MAX_ALIKE:
            return True
        try:
            text = retrace.sentence
            if retrace.called_from:
                text += f" Called from {retrace.called_from}"
            if self._alike[alike] == 1 and retrace.fix:
                text += f"\nfix: {retrace.fix}"
            if self._alike[alike] == _MAX_ALIKE:
                text += "\nMore of the same are not told; `tb-retrace report` shows them all."
            warnings.warn(text, RetraceWarning, stacklevel=2)
        except RetraceWarning:
            return False
        except Exception as error:  # the program's own way to show warnings may fail
            warn_once("on_retrace", f"Retrace could not warn of a retrace ({type(error).__name__}: {error}).")
        return True

    def deliver(self) -> None:
        """Raises RetraceError, what the user's function raises, or RetraceWarning where warnings are errors.

        Does nothing while a graph is being built.
        """
        if not self._waiting or not _is_safe_point():
            return
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if self._action == "raise":
            raise RetraceError(self._message(waiting), waiting)
        if self._action == "warn":
            raise RetraceWarning(self._message(waiting))
        if callable(self._action):
            for retrace in waiting:
                self._action(retrace)

    def deliver_at_exit(self) -> None:
        """The program ends without another safe point: nothing can be raised any more."""
        try:
            self.deliver()
        except Exception as error:
            logger.warning("%s", error)

    def _message(self, retraces: Sequence[Retrace]) -> str:
        try:
            return self._explained(retraces)
        except Exception as error:  # the program asked to be stopped; a poorer message does that too
            let_signals_through(error)
            return _plain("\n".join(["traced again:", *(retrace.sentence for retrace in retraces[:_MAX_TOLD])]))

    def _explained(self, retraces: Sequence[Retrace]) -> str:
        by_code: dict[Any, list[pb.Trace]] = {}
        known = {retrace._record.seq for retrace in retraces}
        for retrace in retraces:
            record = retrace._record
            if record.parent_seq not in known:  # what a retrace traced within itself is explained by it
                by_code.setdefault(key_of(record.function), []).append(record)
        lines = [f"traced again after {self._after_step} steps of warm-up:" if self._after_step else "traced again:"]
        for records in list(by_code.values())[:_MAX_TOLD]:
            lines += self._recent.explained(records)
        if len(by_code) > _MAX_TOLD:
            lines.append(f"… and {len(by_code) - _MAX_TOLD} more functions; `tb-retrace report` shows them all.")
        return _plain("\n".join(lines))


def _is_safe_point() -> bool:
    try:
        return tf_seam.executing_eagerly()
    except Exception as error:  # TensorFlow is being unloaded
        let_signals_through(error)
        return False


def _is_forbidden(record: pb.Trace) -> bool:
    """Whether the program is to blame, as far as that is known.

    Not meant are first traces, retraces that happen a small fixed number of times (`training` True and False, the one
    that `reduce_retracing` widens, saving a model), and functions that a library makes anew: Keras makes those of its
    input pipeline for each validation.
    """
    if record.kind not in ("retrace", "recreated") or record.verdict in ("needed", "bounded"):
        return False
    return not (record.kind == "recreated" and record.function.library)
