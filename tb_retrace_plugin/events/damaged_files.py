"""Where TensorBoard stops reading a file of ours without a word: at a record that is damaged in the middle.

Nothing is read twice: a look goes from one record's length to the next, from where the last one ended. Only the first
record that TensorBoard has not delivered is checked, and only where a recording seems not to have ended.
"""

from __future__ import annotations

import os
import stat
import struct
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import event_pb2

from tb_retrace_plugin.events.encode import FILE_SUFFIX
from tb_retrace_plugin.events.framing import masked_crc32c
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import tags

#: A logdir that was looked at is not looked at again for so long.
_PAUSE_SECONDS = 5.0
_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_GRAPHS = tags.graph_tag("")
_MAX_LENGTH = 1 << 31
#: Files of one run, and records of one file, that are looked at; and bytes of a record whose checksum is looked at.
_MAX_FILES = 100
_MAX_RECORDS = 2_000_000
_MAX_CHECKED = 4 << 20


@dataclass(slots=True)
class _Walked:
    """A file: where its records begin, and what is known of the place where no next one can be found."""

    offsets: list[int] = field(default_factory=list)
    end: int = 0
    is_damaged: bool = False
    suspected: int = -1
    is_told: bool = False


class DamagedFiles:
    """Those below `logdir`, a directory on this machine. Thread-safe."""

    def __init__(self, logdir: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._logdir = os.path.expanduser(logdir)
        self._clock = clock
        self._looking = threading.Lock()
        self._walked: dict[str, _Walked] = {}
        self._looked: float | None = None
        self._found: list[Problem] = []

    def look(self, runs: Iterable[str], is_known: Callable[[str, str], bool]) -> list[Problem]:
        """What was found since the last time, and looks anew beside: the file system may be slow.

        `runs`: of recordings without an end. `is_known`: by run and tag, whether TensorBoard has delivered a record. A
        damaged one is told of when it was found so twice: the first time it may have been written just then.
        """
        found, self._found = self._found, []
        runs = list(runs)
        is_time = self._looked is None or self._clock() - self._looked >= _PAUSE_SECONDS
        if runs and is_time and self._looking.acquire(blocking=False):
            self._looked = self._clock()
            try:
                arguments = runs, is_known
                threading.Thread(target=self._look, args=arguments, name="retrace-damage", daemon=True).start()
            except RuntimeError:  # no more threads
                self._looking.release()
        return found

    def _look(self, runs: list[str], is_known: Callable[[str, str], bool]) -> None:
        """`_looking` is held, and released at the end."""
        try:
            found = []
            for run in runs:
                directory = os.path.join(self._logdir, run)
                try:
                    names = sorted(n for n in os.listdir(directory) if n.endswith(FILE_SUFFIX) and "tfevents" in n)
                except OSError:  # TensorBoard says so
                    continue
                for name in names[:_MAX_FILES]:
                    found += self._look_at(os.path.join(directory, name), run, is_known)
            self._found = self._found + found
        finally:
            self._looking.release()

    def _look_at(self, path: str, run: str, is_known: Callable[[str, str], bool]) -> list[Problem]:
        walked = self._walked.setdefault(path, _Walked())
        if walked.is_told:
            return []
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
                return []
            with open(path, "rb", buffering=0) as file:
                at = _damaged_at(file.fileno(), walked, lambda tag: is_known(run, tag))
        except OSError:
            return []
        before, walked.suspected = walked.suspected, at
        if at < 0 or at != before:
            return []
        walked.is_told = True
        text = f"{path}: damaged at byte {at}. TensorBoard reads no further: what was recorded later is missing here."
        return [Problem("error", f"{text} `tb-retrace report` reads what can still be read, and says what cannot.")]


def _damaged_at(file: int, walked: _Walked, is_known: Callable[[str], bool]) -> int:
    """The damaged record that TensorBoard did not get past; -1: none is known."""
    _walk(file, walked)
    offsets = walked.offsets

    def delivered(place: int) -> bool | None:
        """None: a record that is not asked for says nothing."""
        tag = _tag(file, offsets[place])
        if tag is None:
            return False
        return is_known(tag) if tag and not tag.startswith(_GRAPHS) else None

    def all_delivered(place: int) -> bool:
        while place >= 0 and (known := delivered(place)) is None:
            place -= 1
        return place < 0 or bool(known)

    # they are delivered in their order
    unknown = bisect_left(range(len(offsets)), True, key=lambda place: not all_delivered(place))
    first = unknown
    while first and delivered(first - 1) is None:
        first -= 1
    for offset in offsets[first : unknown + 1]:
        if _is_broken(file, offset):
            return offset
    return walked.end if walked.is_damaged and unknown == len(offsets) else -1


def _walk(file: int, walked: _Walked) -> None:
    """Notes where the records begin that came since."""
    size = os.fstat(file).st_size
    while not walked.is_damaged and len(walked.offsets) < _MAX_RECORDS:
        header = os.pread(file, _HEADER.size, walked.end)
        if len(header) < _HEADER.size:
            return
        length, crc = _HEADER.unpack(header)
        if masked_crc32c(header[:8]) != crc or length > _MAX_LENGTH:
            walked.is_damaged = True
            return
        end = walked.end + _HEADER.size + length + _FOOTER.size
        if end > size:
            return
        walked.offsets.append(walked.end)
        walked.end = end


def _tag(file: int, offset: int) -> str | None:
    """Of the record there; "" for one without, None for one that cannot be parsed."""
    try:
        values = event_pb2.Event.FromString(_data(file, offset)[0]).summary.value
    except (DecodeError, ValueError):
        return None
    return str(values[0].tag) if values else ""


def _is_broken(file: int, offset: int) -> bool:
    data, crc = _data(file, offset)
    return len(data) <= _MAX_CHECKED and masked_crc32c(data) != crc


def _data(file: int, offset: int) -> tuple[bytes, int]:
    length, _ = _HEADER.unpack(os.pread(file, _HEADER.size, offset))
    content = os.pread(file, length + _FOOTER.size, offset + _HEADER.size)
    if len(content) < length + _FOOTER.size:
        raise OSError("the file has become shorter")
    return content[:length], _FOOTER.unpack(content[length:])[0]
