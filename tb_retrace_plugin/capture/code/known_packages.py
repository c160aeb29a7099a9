"""Packages whose functions are none to read: it is known what they take."""

from __future__ import annotations

import sys
from typing import Any

_KNOWN = sys.stdlib_module_names - {"__main__"} | {"tensorflow", "keras", "tf_keras", "numpy", "scipy", "builtins"}


def is_known(module: Any) -> bool:
    """Of a module's name; of what is none, too."""
    return type(module) is not str or module.partition(".")[0] in _KNOWN
