"""What capture tells the user: each message once, through `logging`, never by an exception."""

from __future__ import annotations

import contextlib
import logging

logger = logging.getLogger("tb_retrace_plugin")
_said: set[str] = set()


def warn_once(key: str, message: str) -> None:
    if key in _said:
        return
    _said.add(key)
    with contextlib.suppress(Exception):
        logger.warning("%s", message)


def forget() -> None:
    """For tests: messages may be said again."""
    _said.clear()
