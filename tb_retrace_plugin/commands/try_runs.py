"""Running one program several times in processes of their own, recorded, and how each run ended."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import IO, Any

import tb_retrace_plugin
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs

#: Of what a program printed: compared, and shown of differences.
_MAX_COMPARED = 4 << 20
_MAX_DIFFERENCES = 24
_ERROR_LINES = 12
#: The package's own parent comes first while it is loaded; `tb-retrace run` puts the script's directory in its place.
_START = (
    "import sys; sys.path[0] = sys.argv[1]; from tb_retrace_plugin.commands.try_child import main; main(sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    args: Sequence[str]
    module: bool

    def __str__(self) -> str:
        return " ".join(["python", *(["-m"] if self.module else []), self.name, *self.args])


@dataclass(slots=True)
class Outcome:
    """Of one run. `exit`: negative for a signal's number. `exception`: what ended the program, "" for nothing."""

    logdir: Path
    exit: int
    exception: str
    seconds: float
    stdout: bytes
    stderr: str
    imported_tensorflow: bool
    problem: str = ""
    changes: list[dict[str, Any]] = field(default_factory=list)
    store: Store = field(default_factory=Store)

    @property
    def ended(self) -> str:
        """`exit code 0`, `TypeError: …`, `killed by SIGKILL`."""
        if self.exception:
            return self.exception
        if self.exit < 0:
            try:
                return f"killed by {signal.Signals(-self.exit).name}"
            except ValueError:
                return f"killed by signal {-self.exit}"
        return f"exit code {self.exit}"

    @property
    def last_words(self) -> list[str]:
        return self.stderr.rstrip().splitlines()[-_ERROR_LINES:]

    @property
    def traces(self) -> int:
        """Failed ones too."""
        return sum(len(session.events) + session.omitted_traces for session in self.store.sessions)

    def to_json(self) -> dict[str, Any]:
        return {"exit": self.exit, "exception": self.exception or None, "seconds": self.seconds, "traces": self.traces}


def run_program(program: Program, directory: Path, changes: Sequence[dict[str, Any]] = ()) -> Outcome:
    """Runs it recorded, below `directory`; its input is empty, and what it prints is kept."""
    directory.mkdir(parents=True)
    logdir, result = directory / "logs", directory / "result.json"
    request = {
        "program": program.name, "args": list(program.args), "module": program.module, "logdir": str(logdir),
        "result": str(result), "changes": list(changes),
    }  # fmt: skip
    (directory / "request.json").write_text(json.dumps(request), "utf-8")
    with (directory / "stdout").open("wb") as out, (directory / "stderr").open("wb") as err:
        code = start(str(directory / "request.json"), out, err)
    said: dict[str, Any] = json.loads(result.read_text("utf-8")) if result.exists() else {}
    with (directory / "stdout").open("rb") as file:
        stdout = file.read(_MAX_COMPARED)
    outcome = Outcome(
        logdir=logdir, exit=code, exception=str(said.get("exception") or ""), seconds=float(said.get("seconds", 0.0)),
        stdout=stdout, stderr=(directory / "stderr").read_bytes()[-100_000:].decode("utf-8", "replace"),
        imported_tensorflow=bool(said.get("tensorflow")), problem=str(said.get("problem") or ""),
        changes=list(said.get("changes", ())),
    )  # fmt: skip
    if logdir.exists():
        outcome.store = Store(FileGraphs(str(logdir)).blob)
        outcome.store.add(read_logdir(str(logdir)))
    return outcome


def start(request: str, out: IO[bytes], err: IO[bytes]) -> int:
    """The exit code of a fresh Python that does what is requested; negative for a signal's number."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(tb_retrace_plugin.__file__)))
    command = [sys.executable, "-c", _START, home, request]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode


def median_seconds(outcomes: Sequence[Outcome]) -> float:
    return statistics.median(outcome.seconds for outcome in outcomes)


def differences(before: bytes, after: bytes) -> list[str]:
    """What was printed otherwise: lines of a diff, empty if nothing was."""
    if before == after:
        return []
    one, other = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    lines = list(unified_diff(one, other, n=0, lineterm=""))[2:]
    shown = [line for line in lines if not line.startswith("@@")]
    if len(shown) > _MAX_DIFFERENCES:
        shown[_MAX_DIFFERENCES:] = [f"… and {len(shown) - _MAX_DIFFERENCES} more lines"]
    return shown or ["(line ends alone)"]
