"""TensorFlow's private modules by name: what is missing is said in words."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any


class SeamMissingError(RuntimeError):
    """This TensorFlow lacks what Retrace hooks into; the message says what."""


def load(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SeamMissingError(f"{name} cannot be imported ({error})") from error


def attribute(module: str, name: str) -> Any:
    try:
        return getattr(load(module), name)
    except AttributeError as error:
        raise SeamMissingError(f"{module}.{name} is missing") from error


#: For what each trace needs; `check` looks again.
hot = functools.lru_cache(maxsize=None)(attribute)
hot_module = functools.lru_cache(maxsize=None)(load)
