"""The tab's own files, listed once at start: a request chooses among them and never names a path."""

from __future__ import annotations

import os
import re

_MIME_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
}
_SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/-]*")

#: Stands in for a bundle that was not built, which happens only in a source checkout.
MISSING_BUNDLE = b"""export function render() {
  document.documentElement.lang = "en";
  document.title = "Retrace";
  const message = document.createElement("p");
  message.dataset.testid = "bundle-missing";
  message.style.cssText = "font: 16px sans-serif; margin: 3em; max-width: 40em";
  message.textContent =
    "The Retrace tab has not been built in this checkout. Run `make frontend` in it and start TensorBoard again.";
  document.body.append(message);
}
"""


def static_directory() -> str:
    """Where the build puts the bundle."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")


def list_static_files(directory: str) -> dict[str, tuple[str, str]]:
    """Route (`/index.js`, `/static/…`) to (path, MIME type), for every file of a known type under `directory`."""
    found: dict[str, tuple[str, str]] = {}
    for parent, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(parent, name)
            relative = os.path.relpath(path, directory).replace(os.sep, "/")
            mime_type = _MIME_TYPES.get(os.path.splitext(name)[1])
            if mime_type is not None and _SAFE_NAME.fullmatch(relative):
                found[f"/{relative}"] = (path, mime_type)
    return found
