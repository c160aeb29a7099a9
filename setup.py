"""Metadata and build of `tensorboard-plugin-retrace`. The tab's bundle is built here when its sources have changed."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "build_backend"))

from frontend_bundle import ensure_bundle  # noqa: E402


class BuildPyWithBundle(build_py):
    """Wheels and editable installs both come through here."""

    def run(self) -> None:
        ensure_bundle()
        if not self.editable_mode:  # build/ may hold chunks of an older bundle, whose names carry other hashes
            shutil.rmtree(Path(self.build_lib, "tb_retrace_plugin", "backend", "static"), ignore_errors=True)
        super().run()


class SdistWithBundle(sdist):
    """The source distribution carries the bundle, so that a wheel made from it needs no node."""

    def run(self) -> None:
        ensure_bundle()
        super().run()


TEST = ["pytest>=8", "pytest-xdist>=3", "hypothesis>=6.100", "playwright>=1.44", "build>=1.2"]

setup(
    name="tensorboard-plugin-retrace",
    version=runpy.run_path(str(ROOT / "tb_retrace_plugin" / "version.py"))["__version__"],
    description="Which tf.function was traced again, when, from where, because of what, at what cost",
    long_description=(ROOT / "README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=">=3.10",
    packages=find_packages(include=["tb_retrace_plugin", "tb_retrace_plugin.*"]),
    package_data={"tb_retrace_plugin": ["py.typed", "schema/*.proto", "schema/*.pyi", "backend/static/**"]},
    include_package_data=False,
    zip_safe=False,
    install_requires=[
        "tensorboard>=2.16",
        # As TensorBoard and TensorFlow 2.16 have it; the generated code in schema/ runs on all of these.
        "protobuf>=3.20.3,!=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,!=4.24.0",
        "werkzeug>=1.0.1",
        'tomli>=1.1; python_version < "3.11"',  # for retrace.toml; tomllib since
        "zstandard>=0.19",  # graphs: half of zlib's size, and a fiftieth of it against an earlier graph
    ],
    extras_require={
        "tensorflow": ["tensorflow>=2.16"],
        "test": TEST,
        "dev": [*TEST, "ruff>=0.6", "mypy>=1.11", "types-protobuf", "types-setuptools"],
    },
    entry_points={
        "console_scripts": ["tb-retrace = tb_retrace_plugin.commands.main:main"],
        "pytest11": ["retrace = tb_retrace_plugin.gate.pytest_plugin"],
        "tensorboard_plugins": ["retrace = tb_retrace_plugin.tensorboard_loader:RetraceLoader"],
    },
    cmdclass={"build_py": BuildPyWithBundle, "sdist": SdistWithBundle},
    keywords=["tensorboard", "tensorflow", "tf.function", "retracing", "profiling", "keras"],
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
