from __future__ import annotations

import io

import pytest

from tb_retrace_plugin.commands.terminal import Style, make_printable, plain


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_keeps_text_and_shows_what_could_steer_a_terminal() -> None:
    assert plain("größe → `x`") == "größe → `x`"
    assert plain("a\nb\x1b[2J\x9b\x7f\u202e") == "a\\nb\\x1b[2J\\x9b\\x7f\\u202e"


def test_colours_only_on_a_terminal_and_not_against_the_users_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert Style.of(Terminal()).colour
    assert not Style.of(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "")
    assert not Style.of(Terminal()).colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not Style.of(Terminal()).colour


def test_code_is_bold_on_a_terminal_and_in_backticks_elsewhere() -> None:
    assert Style(True).code("`f` was traced") == "\x1b[1mf\x1b[22m was traced"
    assert Style(False).code("`f` was traced") == "`f` was traced"
    assert Style(False).bold("x") == Style(False).dim("x") == Style(False).warn("x") == "x"


def test_a_stream_is_made_to_take_any_character() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    make_printable(stream)
    stream.write("→")
    make_printable(io.StringIO())  # takes everything already
