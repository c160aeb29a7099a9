"""Text from the program as it can be recorded."""

from __future__ import annotations


def clean(text: str, limit: int) -> str:
    """Protobuf strings must be valid UTF-8; names and messages need not be."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit else text[: limit - 1] + "…"
