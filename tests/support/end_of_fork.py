"""How a program's fork ends: as Python does, but TensorFlow is left as it is."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn


def end() -> NoReturn:
    """To take TensorFlow down takes as long as most programs do."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
