"""Lines of a file that call a function by its name: the cache may serve them, and then nothing else tells of them."""

from __future__ import annotations

import linecache
import re

from tb_retrace_plugin.capture.code.call_site import statement
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Of a file; a longer one is a table.
_MAX_LINES = 20_000
_MOST = 20
_DEFINES = re.compile(r"\s*((async\s+)?def\b|class\b|#)")


def other_calls(name: str, file: str, besides: int) -> list[pb.Frame]:
    """`besides`: of the line that is known to. What is written in a text or a comment is not told apart."""
    text = linecache.getlines(file) if name.isidentifier() else []
    if len(text) > _MAX_LINES:
        return []
    call = re.compile(rf"(?<!\w){name}\(")
    found = []
    for line, source in enumerate(text, 1):
        if line != besides and name in source and call.search(source) and not _DEFINES.match(source):
            found.append(pb.Frame(file=file, line=line, source=statement(file, line), user=True))
            if len(found) == _MOST:
                break
    return found
