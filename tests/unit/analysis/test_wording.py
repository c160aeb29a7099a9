from __future__ import annotations

import pytest

from tb_retrace_plugin.analysis.sessions.wording import count_text, percent_text, seconds_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (-1, "0 s"), (0.0004, "under 1 ms"), (0.001, "1 ms"), (0.41, "410 ms"), (0.9994, "999 ms"),
        (0.9996, "1.0 s"), (4.1, "4.1 s"), (9.94, "9.9 s"), (9.96, "10 s"), (41.2, "41 s"), (119.4, "119 s"),
        (123, "2 min 3 s"), (119.6, "2 min 0 s"), (7199, "119 min 59 s"), (11100, "3 h 5 min"),
    ],
)  # fmt: skip
def test_seconds(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0001, "under 1 %"), (0.18, "18 %"), (0.985, "98 %"), (0.999, "over 99 %"), (1, "100 %")],
)
def test_percent(share: float, text: str) -> None:
    assert percent_text(share) == text


def test_counts() -> None:
    assert count_text(1, "trace") == "1 trace"
    assert count_text(0, "trace") == "0 traces"
    assert count_text(12345, "trace") == "12,345 traces"
    assert count_text(2, "this", "these") == "2 these"
