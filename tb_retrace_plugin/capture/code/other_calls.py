"""Lines of a file that call a function by its name: the cache may serve them, and then nothing else tells of them."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence

from tb_retrace_plugin.capture.code.call_site import statement
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Of a file; a longer one is a table.
_MAX_LINES = 20_000
_MOST = 20
_OPENS = re.compile(r"\s*((async\s+)?def|class)\b")
_DEFINES = re.compile(r"\s*((async\s+)?def\b|class\b|#)")


def other_calls(name: str, file: str, besides: int) -> list[pb.Frame]:
    """`besides`: of the line that is known to. What is written in a text or a comment is not told apart. Where several
    functions are defined by that name, those of the same function's lines alone."""
    text = linecache.getlines(file) if name.isidentifier() else []
    if len(text) > _MAX_LINES:
        return []
    call, defines = re.compile(rf"(?<!\w){name}\("), re.compile(rf"\s*(async\s+)?def\s+{name}\(")
    are_several = sum(1 for source in text if name in source and defines.match(source)) > 1
    scope = _scope(text, besides)
    found = []
    for line, source in enumerate(text, 1):
        if line == besides or name not in source or not call.search(source) or _DEFINES.match(source):
            continue
        if are_several and _scope(text, line) != scope:
            continue
        found.append(pb.Frame(file=file, line=line, source=statement(file, line), user=True))
        if len(found) == _MOST:
            break
    return found


def _scope(text: Sequence[str], line: int) -> int:
    """The line of the function or class around a line, by how far they are indented; 0: none."""
    indent = _indent(text[line - 1]) if 0 < line <= len(text) else 0
    for number in range(line - 1, 0, -1):
        source = text[number - 1]
        if indent and source.strip() and _indent(source) < indent:
            if _OPENS.match(source):
                return number
            indent = _indent(source)
    return 0


def _indent(source: str) -> int:
    return len(source) - len(source.lstrip())
