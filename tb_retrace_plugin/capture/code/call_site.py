"""Where a trace was asked for: the Python call stack, user frames marked, source lines read at trace time."""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import io
import linecache
import os
import sys
import sysconfig
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from types import CodeType, FrameType
from typing import NamedTuple

import tb_retrace_plugin
from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.executed_again import first_file
from tb_retrace_plugin.capture.code.folded_lines import as_written
from tb_retrace_plugin.schema import retrace_pb2 as pb

_MAX_FRAMES = 100
#: Of a line, and of a statement over several: long pipelines are written so.
_MAX_SOURCE = 300
_MAX_STATEMENT = 1000
_MAX_LINES = 24
#: After and before which no space is put where lines are joined.
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}", ".")
#: Ends a line that goes on in the next one.
_JOINS = "\\"
_OWN = os.path.dirname(os.path.abspath(tb_retrace_plugin.__file__)) + os.sep
_RUNNER = os.path.join(_OWN, "commands", "run.py")
_STANDARD = tuple(
    {os.path.realpath(path) + os.sep for name in ("stdlib", "platstdlib") if (path := sysconfig.get_paths().get(name))}
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class CallSite(NamedTuple):
    """`stack_id` is a digest of the frames: equal stacks are written once. `line`: of the user's
    innermost frame, which calls, with its file."""

    stack_id: str
    stack: pb.Stack
    line: tuple[str, int] = ("", 0)


#: The opcode of an inline cache, which instructions have since Python 3.11, and how far such units are apart.
_CACHE, _UNIT = 0, 2
_BEFORE_A_CALL = dis.opmap.get("PRECALL", -1)
#: By each frame's code, as a number, and the place in it; with the codes, so that no other one gets such a number.
_sites: dict[tuple[int, ...], tuple[CallSite, list[CodeType]]] = {}
_MAX_SITES = 64


@functools.lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """False for TensorFlow, Keras, anything installed, Python's own library, generated code and ourselves."""
    if file.startswith(("<frozen", "<__array_function__", "<string>")) or "__autograph_generated_file" in file:
        return False
    if any(part in file for part in _INSTALLED):
        return False
    real = os.path.realpath(file)
    return not real.startswith((_OWN, *_STANDARD)) and not any(part in real for part in _INSTALLED)


def read_call_site() -> CallSite:
    """The stack of the calling thread, innermost first, without our own frames and what `tb-retrace run` adds."""
    key: list[int] = []
    innermost: FrameType | None = sys._getframe(1)
    frame = innermost
    while frame is not None:
        key += (id(frame.f_code), frame.f_lasti)
        frame = frame.f_back
    place = tuple(key)
    known = _sites.get(place)
    if known is None:  # a retrace in a loop comes from the same lines again and again
        if len(_sites) >= _MAX_SITES:
            _sites.clear()
        known = _sites[place] = _call_site(tf_seam.extract_stack(), _frames(innermost)), list(_codes(innermost))
    return known[0]


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    yield from (each.f_code for each in _frames(frame))


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _call_site(everything: list[tuple[str, int, str]], running: Iterable[FrameType] = ()) -> CallSite:
    running = list(running)
    everything = as_written(everything, running)
    runner = next((i for i, frame in enumerate(everything) if frame[0] == _RUNNER), len(everything))
    # a cell that is run again is one place, whatever IPython calls it
    frames = [
        (first_file(file), line, name, instruction)
        for (file, line, name), instruction in zip(
            everything[:runner], _instructions(everything, running), strict=False
        )
        if not file.startswith(_OWN)
    ]
    digest = blake2b(digest_size=8)
    for file, line, function, instruction in frames:
        digest.update(f"{file}\0{line}\0{function}\0{instruction}\0".encode("utf-8", "surrogatepass"))
    stack = pb.Stack(frames_left_out=max(0, len(frames) - _MAX_FRAMES))
    kept = frames if len(frames) <= _MAX_FRAMES else frames[: _MAX_FRAMES // 2] + frames[-(_MAX_FRAMES // 2) :]
    for file, line, function, instruction in kept:
        user = is_user_file(file)
        stack.frames.add(
            file=_clean(file), line=line, function=_clean(function), user=user, instruction=instruction,
            source=_clean(statement(file, line) if user else linecache.getline(file, line).strip()[:_MAX_SOURCE]),
        )  # fmt: skip
    calls = next(((frame.file, frame.line) for frame in stack.frames if frame.user), ("", 0))
    return CallSite(digest.hexdigest(), stack, calls)


def _instructions(everything: Sequence[tuple[str, int, str]], running: Iterable[FrameType]) -> Iterator[int]:
    """For each frame of TensorFlow's stack, which lacks some; 0 of a library's, and of what AutoGraph generated."""
    left, at = list(running), 0
    for place in everything:
        found = (
            next((i for i in range(at, len(left)) if _is_at(left[i], place)), None) if is_user_file(place[0]) else None
        )
        yield _instruction(left[found]) if found is not None else 0
        at = at if found is None else found + 1


def _instruction(frame: FrameType) -> int:
    """Where it begins: of a property that is got again Python 3.12 tells where that instruction's caches end. Of a call
    of a builtin (`iter(dataset)`) that it has made a few times Python 3.11 tells the instruction before the call."""
    code, at = frame.f_code.co_code, frame.f_lasti
    while at > 0 and code[at] == _CACHE:
        at -= _UNIT
    if at >= 0 and code[at] == _BEFORE_A_CALL:
        at += _UNIT
        while code[at] == _CACHE:
            at += _UNIT
    return at


def _is_at(frame: FrameType, place: tuple[str, int, str]) -> bool:
    code = frame.f_code
    return code.co_filename == place[0] and code.co_name == place[2] and frame.f_lineno == place[1]


def statement(file: str, line: int) -> str:
    """The line; with those around it that it shares brackets with, or that a backslash joins it to, as one."""
    for first in _first_lines(file, line):
        if _is_whole(text := _joined(file, first)):
            return text
    text = _joined(file, line)
    return text if len(text) <= _MAX_SOURCE or _is_whole(text) else text[:_MAX_SOURCE]


def _first_lines(file: str, line: int) -> list[int]:
    """Where the brackets open that are open when the line begins, the outermost first."""
    first, deepest, depth, is_joined = [], 0, 0, True
    for earlier in range(line - 1, max(0, line - _MAX_LINES), -1):
        text = linecache.getline(file, earlier).strip()
        if not text or text.endswith(":"):  # a block begins: nothing is open, and most lines are found so
            break
        if not text.startswith("#"):
            depth += _open_brackets(_without_comment(text))
        is_joined = is_joined and text.endswith(_JOINS)
        if depth > deepest or is_joined:
            first.append(earlier)
            deepest = max(depth, deepest)
    return first[::-1]


def _joined(file: str, line: int) -> str:
    """The line; with those that follow it, as one, where it ends within brackets or with a backslash."""
    text = linecache.getline(file, line).strip()
    code = _without_comment(text)
    if _open_brackets(code) <= 0 and not code.endswith(_JOINS):
        return text
    text = code
    for following in range(line + 1, line + _MAX_LINES):
        if (_open_brackets(text) <= 0 and not text.endswith(_JOINS)) or len(text) > _MAX_STATEMENT:
            break
        text = text.removesuffix(_JOINS).rstrip()
        more = _without_comment(linecache.getline(file, following).strip())
        text += more if text.endswith(_OPEN) or more.startswith(_CLOSE) else f" {more}"
    return text


def _is_whole(text: str) -> bool:
    """Whether it is a statement, or the line that one with a body begins with: not of brackets in texts, say."""
    if len(text) > _MAX_STATEMENT:
        return False
    for around in ("{}", "{} pass", "if 0: pass\n{} pass"):
        with contextlib.suppress(SyntaxError, ValueError, MemoryError, RecursionError):
            ast.parse(around.replace("{}", text))
            return True
    return False


def _without_comment(line: str) -> str:
    if "#" in line:
        try:
            for token in tokenize.generate_tokens(io.StringIO(line).readline):
                if token.type == tokenize.COMMENT:
                    return line[: token.start[1]].rstrip()
        except (tokenize.TokenError, SyntaxError):  # a part of a text over several lines, say
            pass
    return line


def _open_brackets(text: str) -> int:
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _clean(text: str) -> str:
    """Protobuf strings must be valid UTF-8; file names need not be."""
    return text.encode("utf-8", "replace").decode("utf-8")
