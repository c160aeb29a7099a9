"""What is found in a code is remembered as long as it lives, and for no other that gets its place in memory."""

from __future__ import annotations

import gc
from types import CodeType
from typing import Any

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.function_place import first_qualname


def made(text: str = "lambda: 1") -> CodeType:
    return compile(text, "made.py", "eval")


def test_each_code_has_its_own() -> None:
    found: ByCode[str] = ByCode()
    one, equal = made(), made()
    assert one == equal
    assert found.put(one, "of one") == "of one"
    assert (found.get(one), found.get(equal)) == ("of one", None)
    found.put(equal, "of the equal one")
    found.put(one, "of one again")
    assert (found.get(one), found.get(equal)) == ("of one again", "of the equal one")


def test_one_def_is_known_by_one_name() -> None:
    """By which Python 3.10 tells it, whose codes have no qualified names."""
    one, other = made(), made()
    names = [first_qualname(code, name) for code, name in ((one, "step_0"), (other, "step_1"), (one, "step_2"))]
    assert names == ["step_0", "step_1", "step_0"]


def test_it_goes_with_the_code() -> None:
    found: ByCode[list[int]] = ByCode()
    code: Any = made()
    found.put(code, [1])
    found.put(code, [2])
    del code
    gc.collect()
    assert not found._found


def test_another_code_in_the_same_place_is_another() -> None:
    found: ByCode[int] = ByCode()
    for number in range(1000):  # most are made where the last one was
        code = made(f"{number}")
        assert found.get(code) is None
        assert found.put(code, number) == found.get(code) == number
        del code
    assert len(found._found) <= 1
