"""What all tests share: no GPU, little talk from TensorFlow, and one Chromium for all that needs a browser."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("retrace", deadline=None)  # no test depends on the machine's speed
settings.load_profile("retrace")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


@pytest.fixture(autouse=True, scope="module")
def small_collections() -> None:
    """What was imported is never garbage: going through TensorFlow's objects takes a third of a second each time."""
    if not gc.get_freeze_count():  # at first, and where a test has thawed them
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without windows if there is such a one: it takes a third less of the processor.

    Without any the test fails: it must not look as if the tab had been tried.
    """
    from playwright.sync_api import sync_playwright  # not there in the environment of the oldest TensorFlow

    executable = next(
        filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None
    )
    assert executable, "the browser tests need Chromium; on Debian: apt-get install chromium-headless-shell"
    quiet = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        arguments = [*root, *quiet, "--no-first-run"]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments, timeout=240_000)
        yield browser
        browser.close()
