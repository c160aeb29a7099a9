"""`start`, `stop`, `record`: recording without Keras' `fit`, in the manner of `tf.profiler.experimental`."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import is_from_signal_handler, never_raises, problem_text
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.on_retrace import OnRetrace, RetracePolicy
from tb_retrace_plugin.capture.session import beside_execution
from tb_retrace_plugin.capture.session.event_sink import LogDirError
from tb_retrace_plugin.capture.session.graphs_tab import Choice, check_choice
from tb_retrace_plugin.capture.session.recorder import Recorder
from tb_retrace_plugin.capture.values.shown import check_values
from tb_retrace_plugin.capture.watch import hook
from tb_retrace_plugin.capture.watch.steps import at_each_step, no_longer_at_each_step

_lock = threading.RLock()  # a signal handler may stop what is being started


class Recording:
    """A session that can be begun and ended several times; it opens its file at once. For the callback and `run`."""

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *,
        verbose: int = 0,
        graphs: bool = True,
        graphs_tab: Choice = None,
        on_retrace: OnRetrace = None,
        after_step: int = 0,
        values: str = "short",
    ) -> None:
        """Raises LogDirError if `log_dir` is not one to write to, TypeError or ValueError for other arguments."""
        self.recorder: Recorder | None = None
        self._active = False
        self.policy = RetracePolicy(on_retrace, after_step) if on_retrace is not None else None
        if self.policy is None and after_step:
            raise ValueError("after_step says from when on_retrace is meant: give on_retrace too")
        check_choice(graphs_tab)
        check_values(values)
        if values == "none" and graphs_tab is not None:
            raise ValueError('graphs hold values as constants: graphs_tab cannot be had with values="none"')
        path = os.fspath(log_dir)
        if not isinstance(path, str) or not path:
            raise TypeError(f"log_dir must be a path, not {log_dir!r}")
        if (problem := _unsupported()) is not None:
            warn_once("seam", problem)
            return
        tellers = () if self.policy is None else (self.policy,)
        self.recorder = Recorder(
            path, verbose=verbose, graphs=graphs, graphs_tab=graphs_tab, tellers=tellers, values=values
        )
        atexit.register(self._close_at_exit)

    def begin(self) -> None:
        if self.recorder is not None and not self._active:
            self.recorder.attach()
            self._active = True

    def end(self) -> None:
        if self.recorder is not None and self._active:
            self.recorder.detach()
            self._active = False

    def close(self) -> None:
        if self.recorder is not None:
            self.end()
            atexit.unregister(self._close_at_exit)
            self.recorder = None

    def deliver(self) -> None:
        """Does what `on_retrace` asks for, here and now; raises what it asks to raise."""
        if self.policy is not None:
            self.policy.deliver()

    @never_raises
    def _close_at_exit(self) -> None:
        self.close()
        if self.policy is not None:
            self.policy.deliver_at_exit()


class _NoRecording:
    """What `start` holds where recording could not begin for a fault of Retrace's own."""

    recorder = policy = None

    def begin(self) -> None:
        return

    end = close = deliver = begin


def begun_recording(log_dir: str | os.PathLike[str], **options: Any) -> Recording | _NoRecording:
    """Raises what Recording raises for what the user can mend; what else goes wrong is told, and training goes on."""
    for _ in range(2):  # what went wrong by chance does not go wrong twice
        recording = None
        try:
            recording = Recording(log_dir, **options)
            recording.begin()
            return recording
        except (LogDirError, TypeError, ValueError):
            raise
        except Exception as error:
            if is_from_signal_handler(error):
                raise
            problem = error
            with contextlib.suppress(Exception):
                if recording is not None:
                    recording.close()
    warn_once("start", f"Retrace could not begin to record ({problem_text(problem)}). Training goes on without it.")
    return _NoRecording()


def _unsupported() -> str | None:
    """Why this TensorFlow cannot be recorded, in words; None if it can."""
    try:
        tf_seam.check()
    except tf_seam.SeamMissingError as error:
        import tensorflow as tf

        return (
            f"Retrace cannot record with TensorFlow {tf.__version__}: {error}. "
            "Nothing is recorded; training goes on. Retrace is tested with TensorFlow 2.16 to 2.21."
        )
    return None


_recording: Recording | _NoRecording | None = None


def start(
    log_dir: str | os.PathLike[str],
    *,
    verbose: int = 0,
    graphs: bool = True,
    graphs_tab: Choice = None,
    on_retrace: OnRetrace = None,
    after_step: int = 0,
    values: str = "short",
) -> None:
    """Records every trace of this process to `<log_dir>/retrace/` until `stop()` or the program's end.

    `verbose=1` prints a sentence at each retrace; `graphs=False` leaves the graphs out; `graphs_tab`
    also writes some for TensorBoard's own Graphs tab, as of RetraceCallback. `on_retrace` ("warn", "raise"
    or a function of a `Retrace`) and `after_step`: as of RetraceCallback; warnings come at once, and the others from
    the next `set_step` or `stop`. `values`: how values of arguments are recorded, "none", "short" or "full"
    (docs/what_is_recorded.md). Raises LogDirError if the directory is not one to write to and RuntimeError if a
    recording is running already.
    """
    global _recording
    with _lock:
        if _recording is not None:
            running = _recording.recorder.log_dir if _recording.recorder is not None else "nowhere"
            raise RuntimeError(f"Retrace is already recording to {running!r}; call stop() first.")
        options: dict[str, Any] = {"verbose": verbose, "graphs": graphs, "graphs_tab": graphs_tab, "values": values}
        options.update(on_retrace=on_retrace, after_step=after_step)
        recording: Recording | _NoRecording = _NoRecording()
        for _ in range(2):  # on the way there, too, what went wrong by chance does not go wrong twice
            try:
                recording = begun_recording(log_dir, **options)
                break
            except (LogDirError, TypeError, ValueError):
                raise
            except Exception as error:
                if is_from_signal_handler(error):
                    raise
        if recording.policy is not None:
            at_each_step(recording.deliver)
        _recording = recording


def stop() -> None:
    """Ends what `start` began. Raises RuntimeError if nothing is being recorded, and what `on_retrace` asks for."""
    recording = _stop_if_running()
    if recording is None:
        raise RuntimeError("Retrace is not recording; call start(log_dir) first.")
    if recording.policy is not None:
        recording.deliver()


def _stop_if_running() -> Recording | _NoRecording | None:
    global _recording
    with _lock:
        recording, _recording = _recording, None
        if recording is not None:
            for _ in range(2):  # what went wrong by chance does not go wrong twice
                try:
                    recording.close()
                    no_longer_at_each_step(recording.deliver)
                    break
                except Exception as error:
                    if is_from_signal_handler(error):
                        raise
                    problem = f"Retrace could not end in order ({type(error).__name__}). Training goes on."
                    warn_once("stop", problem)
        return recording


def _forget_after_fork() -> None:
    """A forked child records nothing of its parent's; it may start a recording of its own."""
    global _lock, _recording
    _lock, _recording = threading.RLock(), None
    hook.forget_after_fork()
    beside_execution.forget_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


@contextlib.contextmanager
def record(
    log_dir: str | os.PathLike[str],
    *,
    verbose: int = 0,
    graphs: bool = True,
    graphs_tab: Choice = None,
    on_retrace: OnRetrace = None,
    after_step: int = 0,
    values: str = "short",
) -> Iterator[None]:
    """`with record(log_dir): …`: `start` before and `stop` after, whatever happens between."""
    start(
        log_dir,
        verbose=verbose,
        graphs=graphs,
        graphs_tab=graphs_tab,
        on_retrace=on_retrace,
        after_step=after_step,
        values=values,
    )
    try:
        yield
    finally:
        recording = None
        for _ in range(2):
            try:
                recording = _stop_if_running()  # the program may have stopped it itself
                break
            except Exception as error:
                if is_from_signal_handler(error):
                    raise
    if recording is not None and recording.policy is not None:
        recording.deliver()
