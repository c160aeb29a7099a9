"""`RetraceCallback`: recording around Keras' `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import os
from typing import Any

import keras

from tb_retrace_plugin.capture.failure import never_raises
from tb_retrace_plugin.capture.notice import warn_once


class RetraceCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Records every trace from the callback's creation to the end of training, to `<log_dir>/retrace/`.

    ```
    model.fit(x, y, callbacks=[RetraceCallback("logs")])
    ```

    Args:
      log_dir: where `tensorboard --logdir` looks, or a run's directory below it.
      verbose: 1 prints one sentence at each retrace.
      graphs: False leaves the graphs out of the records.
      graphs_tab: graphs that are also written to `<log_dir>/retrace_graphs/`, where TensorBoard's own Graphs tab finds
        them: "retraces", "all", or the name of a function or several. At most 20 of one function.
      on_retrace: what to do about a retrace after the warm-up: "warn" warns at once; "raise" ends training with a
        RetraceError, at the end of the batch; a function is called with a `Retrace` at the end of the batch. All of
        them say why, and what stops it. Meant are retraces that a change to the program would avoid, as far as is
        known: none that happen a small fixed number of times, and no functions that Keras makes anew.
      after_step: so many steps are warm-up. Steps count from 0, over all epochs.
      values: how values of arguments are recorded: "none" (only that they changed), "short" texts, or "full".

    Raises LogDirError, before training starts, if the directory is not one to write to. On a Keras backend other than
    TensorFlow it says once that there is no `tf.function` to record, and does nothing.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        verbose: int = 0,
        graphs: bool = True,
        *,
        graphs_tab: Any = None,
        on_retrace: Any = None,
        after_step: int = 0,
        values: str = "short",
    ) -> None:
        super().__init__()
        self._recording: Any = None
        self._first_step = 0
        self._last_step = -1
        backend = _backend()
        if backend != "tensorflow":
            warn_once(
                "backend",
                f"Keras runs on {backend}: there is no tf.function for Retrace to record. Training goes on.",
            )
            return
        from tb_retrace_plugin.capture.api import begun_recording

        self._recording = begun_recording(
            log_dir,
            verbose=verbose,
            graphs=graphs,
            graphs_tab=graphs_tab,
            on_retrace=on_retrace,
            after_step=after_step,
            values=values,
        )

    def on_train_begin(self, logs: Any = None) -> None:
        self._begin()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._first_step = self._last_step + 1

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._recording is not None:
            self._last_step = self._first_step + batch
            self._set_step(self._last_step)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._last_step = max(self._last_step, self._first_step + batch)
        self._flush()
        self._deliver()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._deliver()

    def on_train_end(self, logs: Any = None) -> None:
        self._end()
        self._deliver()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self._deliver()

    def on_test_end(self, logs: Any = None) -> None:
        self._deliver()

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self._deliver()

    def on_predict_end(self, logs: Any = None) -> None:
        self._deliver()

    def on_test_begin(self, logs: Any = None) -> None:
        self._begin()

    def on_predict_begin(self, logs: Any = None) -> None:
        self._begin()

    def _implements_train_batch_hooks(self) -> bool:
        """tf_keras, which is `tf.keras` where TF_USE_LEGACY_KERAS is set, asks every callback these."""
        return True

    def _implements_test_batch_hooks(self) -> bool:
        return True

    def _implements_predict_batch_hooks(self) -> bool:
        return True

    @never_raises
    def _begin(self) -> None:
        if self._recording is not None:
            self._recording.begin()
            if self._recording.recorder is not None and getattr(self.model, "run_eagerly", False):
                self._recording.recorder.ran_eagerly()

    @never_raises
    def _set_step(self, step: int | None) -> None:
        from tb_retrace_plugin.capture.watch.steps import set_keras_step

        set_keras_step(step)

    @never_raises
    def _flush(self) -> None:
        if self._recording is not None and self._recording.recorder is not None:
            self._recording.recorder.flush()

    def _deliver(self) -> None:
        """Here, and not within TensorFlow's tracing, `on_retrace` may raise and run the user's code."""
        if self._recording is None or self._recording.policy is None:
            return
        try:
            self._recording.deliver()
        except BaseException:
            self._end()  # Keras calls no further hook
            raise

    @never_raises
    def _end(self) -> None:
        if self._recording is not None:
            self._set_step(None)
            self._recording.end()


def _backend() -> str:
    return str(keras.backend.backend())
