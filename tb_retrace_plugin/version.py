"""The one place of the version: `setup.py` reads it, records carry it."""

__version__ = "0.1.0"
