"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence


def seconds_text(seconds: float) -> str:
    """`0 s`, `under 1 ms`, `410 ms`, `4.1 s`, `41 s`, `2 min 3 s`, `3 h 5 min`."""
    if seconds <= 0:
        return "0 s"
    if seconds < 0.001:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if round(seconds) < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def percent_text(share: float) -> str:
    """`share` from 0 to 1: `18 %`; never `0 %` for something, nor `100 %` for less than all."""
    if share <= 0:
        return "0 %"
    if share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def count_text(count: int, noun: str, plural: str = "") -> str:
    """`1 trace`, `2 traces`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def times_text(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def list_text(texts: Sequence[str], most: int) -> str:
    """`a`, `a and b`, `a, b and c`; `a, b, c and 4 more` beyond `most`."""
    shown = list(texts[:most])
    if len(texts) > most:
        shown.append(f"{len(texts) - most:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def quoted(name: str) -> str:
    """A name as code; a backtick in it would end the code early."""
    return "`" + name.replace("`", "'") + "`"
