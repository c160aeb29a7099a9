"""A program's source with a piece of advice put in: what is written into it is the advice's own code."""

from __future__ import annotations

import re
from collections.abc import Iterable

Edit = tuple[str, str]

#: In place of text that is found in the advice's code.
DECORATOR, METHODS = "@DECORATOR", "METHODS"


def advised(source: str, code: str, edits: Iterable[Edit], own: Iterable[Edit] = ()) -> str:
    """`own`: (old, new) that the program's author writes, done first. `edits`: the same, each new text found in `code`.

    A new text that is `DECORATOR` is the declaration in `code`, one that is `METHODS` the methods of its class.
    """
    for old, new in own:
        assert old in source, old
        source = source.replace(old, new)
    for old, new in edits:
        assert old in source, old
        if new == DECORATOR:
            (new,) = re.findall(r"@tf\.function\(.*?\]\s*\)(?=\n|$)", code, re.S)
        elif new == METHODS:
            new = code[code.index("    def __eq__") :] + "\n"
            imported = "".join(re.findall(r"^import .*\n", code, re.M))
            before = "import tensorflow" if "import tensorflow" in source else ""  # after what has to be first
            source = source.replace(before, f"{imported}{before}", 1)
        assert new.rstrip("\n") in code, code
        if old.startswith("@"):  # a declaration that is one of several lines is as deep as the one in its place
            indent = re.findall(rf"^( *){re.escape(old)}", source, re.M)[0]
            new = new.replace("\n", "\n" + indent)
        source = source.replace(old, new)
    return source
