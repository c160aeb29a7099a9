"""The PEP 517 build backend: setuptools', asking for node only when the bundle must be built and none is there.

The metadata and the build itself are in `setup.py`; this module only answers what the build needs.
"""

from __future__ import annotations

from typing import Any

from frontend_bundle import NODE_REQUIREMENT, find_node, is_stale
from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401
    build_editable,
    build_sdist,
    build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_node()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *_node()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *_node()]


def _node() -> list[str]:
    return [NODE_REQUIREMENT] if is_stale() and find_node() is None else []
