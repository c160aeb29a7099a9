"""What all tests share: no GPU, little talk from TensorFlow, and the system's Chromium for Playwright."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """For pytest-playwright. A missing browser fails the test: it must not look as if the tab had been tried."""
    chromium = shutil.which("chromium")
    assert chromium, "no `chromium` on PATH; on Debian: apt-get install chromium"
    quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return {"executable_path": chromium, "args": [*root, *quiet, "--no-first-run"]}
