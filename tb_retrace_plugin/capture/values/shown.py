"""How much of arguments' values is recorded: nothing, short texts, or texts in full (docs/what_is_recorded.md)."""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Any

from tb_retrace_plugin.capture.values.plain_values import value_text
from tb_retrace_plugin.schema.signature import hidden_text

WORDS = ("none", "short", "full")
#: What "full" means.
MAX_FULL_TEXT = 10_000


def check_values(values: Any) -> None:
    """Raises ValueError if it is none of `WORDS`."""
    if values not in WORDS:
        raise ValueError(f'values is "none", "short" or "full", not {values!r}')


class Values:
    """Of one session. What is hidden is told apart by a hash whose key is in no record: no value can be tried."""

    def __init__(self, word: str = "short") -> None:
        check_values(word)
        self.word = word
        self.hides = word == "none"
        self._key = secrets.token_bytes(32)

    def limit(self, short: int) -> int:
        """Characters of a text that has `short` of them by default."""
        return MAX_FULL_TEXT if self.word == "full" else short

    def text(self, value: Any, short: int) -> str:
        """As `plain_values.value_text`."""
        if not self.hides or value is None:
            return value_text(value, self.limit(short))
        return self.hide(type(value).__name__, value_text(value, MAX_FULL_TEXT))

    def shown(self, text: str, type_name: str) -> str:
        """A text that was made of a value; what stands for it where values are hidden."""
        return self.hide(type_name, text) if self.hides and text else text

    def hide(self, type_name: str, text: str) -> str:
        """Equal for equal texts, within the session."""
        return hidden_text(type_name, self._hash(text))

    def identity(self, number: int) -> int:
        """A number that stands for a value, so that it tells no more than which are equal."""
        return int.from_bytes(self._hash(str(number)), "little") or 1 if self.hides else number

    def _hash(self, text: str) -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=8).digest()
