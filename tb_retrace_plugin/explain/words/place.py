"""Where a function lies and where it was called, in words. Imported by the training process."""

from __future__ import annotations

import os
import re

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: As Jupyter, IPython, Colab and IPython's `%%time` name what they run.
_CELL = re.compile(r"[/\\]ipykernel_\d+[/\\]|(?:^<|[/\\])ipython-input-|^<(?:timed exec|magic-timeit)>$")
#: A decorator's call of what it decorates: `f(*args, **kwargs)`, `f(self, *args, **kwargs)`.
_HANDS_ON = re.compile(r"\w\((?:\w+, *)*\*\w+, *\*\*\w+\)")
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
#: Of which verdicts and advice are their own.
_KERAS = ("/keras/", "/tf_keras/")
_KERAS_OR_TENSORFLOW = (*_KERAS, "/tensorflow/")


def is_of_keras_or_tensorflow(file: str) -> bool:
    """Whether it is installed with one of them, of Keras 3 or 2."""
    return _is_of(file, _KERAS_OR_TENSORFLOW)


def is_of_keras(file: str) -> bool:
    return _is_of(file, _KERAS)


def _is_of(file: str, parts: tuple[str, ...]) -> bool:
    """Other packages have folders of such names, for what they do with TensorFlow (`library/tensorflow/train.py`)."""
    package = "/" + re.split(_INSTALLED, file)[-1].replace("\\", "/")
    is_theirs = package.startswith(_KERAS_OR_TENSORFLOW) or not is_installed(file)
    return is_theirs and any(part in package for part in parts)


def is_installed(file: str) -> bool:
    """Among packages, of whichever library."""
    return _INSTALLED.search(file) is not None


def is_cell(file: str) -> bool:
    """Whether it is a notebook's cell, which may be run again."""
    return _CELL.search(file) is not None


def user_frame(stack: pb.Stack | None) -> pb.Frame | None:
    """The innermost frame of the user's own code; None if there is none. Of a decorator that hands on what it is passed
    (`return f(*args, **kwargs)`), and of those above it, the one that calls that: it says more."""
    users = [frame for frame in stack.frames if frame.user] if stack is not None else []
    return next((frame for frame in users if not _HANDS_ON.search(frame.source)), users[0] if users else None)


def frame_text(frame: pb.Frame) -> str:
    """`train.py:17: loss = train_step(batch)`, relative where the file lies below the working directory."""
    source = frame.source.strip()
    return f"{short_path(frame.file)}:{frame.line}" + (f": {source}" if source else "")


def place_text(function: pb.Function, role: str = "") -> str:
    """`` `train_step` (train.py:12)``; by its role ``The step that … (`one_step_on_data`, trainer.py:12)``."""
    name = "`" + function.name.replace("`", "'") + "`"
    place = f"{short_path(function.file)}:{function.line}"
    return f"{role[:1].upper()}{role[1:]} ({name}, {place})" if role else f"{name} ({place})"


def short_path(file: str) -> str:
    """Relative where it lies below the working directory, or is installed."""
    if len(parts := _INSTALLED.split(file)) > 1:
        return parts[-1]
    here = os.getcwd() + os.sep
    return file[len(here) :] if file.startswith(here) else file
