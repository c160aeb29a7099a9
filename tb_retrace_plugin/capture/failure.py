"""What becomes of an error in Retrace's own work: it is counted and told once, and the program does not see it.

One kind of error is not Retrace's: what a signal handler of the program raises while Retrace happens to run, such as a
time-out by SIGALRM. That goes through, as KeyboardInterrupt and SystemExit do.
"""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable
from types import CodeType
from typing import Any, ParamSpec

from tb_retrace_plugin.capture.notice import warn_once

P = ParamSpec("P")


def problem_text(error: BaseException, most: int = 500) -> str:
    """`ValueError: …`; an error's own text may fail, and a user's may be of any length."""
    try:
        text = str(error)[:most]
    except Exception:
        text = "(its message cannot be read)"
    return f"{type(error).__name__}: {text}"


def is_from_signal_handler(error: BaseException) -> bool:
    """Whether a signal handler that the program has set raised it."""
    codes = {code for number in signal.valid_signals() if (code := _code_of_handler(number)) is not None}
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False


def let_signals_through(error: BaseException) -> None:
    """Raises it again if it is the program's own."""
    if is_from_signal_handler(error):
        raise error


def never_raises(function: Callable[P, None]) -> Callable[P, None]:
    """For what the program or Keras calls: an error of ours is told once."""

    @functools.wraps(function)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except Exception as error:
            if is_from_signal_handler(error):
                raise
            problem = f"{function.__name__.strip('_')} failed ({problem_text(error)})"
            warn_once(f"quiet:{function.__qualname__}", f"Retrace: {problem}. Training goes on.")

    return quiet


def _code_of_handler(number: Any) -> CodeType | None:
    handler = signal.getsignal(number)
    if handler is None or isinstance(handler, int):
        return None
    try:
        function = getattr(handler, "__func__", handler)
        code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    except Exception:  # an object with a `__getattr__` of its own
        return None
    return code if isinstance(code, CodeType) else None
