"""Runs the benchmark programs and writes what they print into docs/benchmarks.md: python -m tests.benchmarks [NAME …]

With names, only the sections of those programs are written anew. A program that fails leaves its section as it was.
What stands below a section's output was written by hand and stays.
"""

from __future__ import annotations

import ast
import datetime
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"
#: In the order of the data's way; the others of this folder are checks of robustness that count failures, not time.
PROGRAMS = (
    "recording_beside_peers", "cached_call", "trace_overhead", "growth", "graph_bytes", "viewer_beside_scalars",
    "viewer_under_load", "tab", "graph_difference", "graphs_tab", "graph_view",
)  # fmt: skip

_HEAD = """\
# Benchmarks

Written by `make bench` (`make bench BENCH="NAME …"` for some of it) from what the programs in `tests/benchmarks/`
print; each says how it measures at its top. Times of two tools are compared within one run, in turns: the ratio is
what counts, the seconds are this machine's. Ratios are medians of pairs, and beside them is how far they spread.

| question | section |
|---|---|
| Training with many retraces beside no tool and each peer: time, bytes, memory | recording_beside_peers, graph_bytes |
| What a call that needs no trace pays, and what one trace pays | cached_call, trace_overhead |
| TensorBoard with many traces, beside as many scalar points | viewer_beside_scalars, viewer_under_load |
| The tab, beside Scalars | tab |
| Comparing two graphs, beside the Graphs tab opening one | graphs_tab, graph_view, graph_difference |
| How each grows with traces, signatures cached, nodes, workers | growth, and the last lines of viewer_beside_scalars |
"""
#: TensorFlow's own start-up messages.
_NOISE = re.compile(r"^(WARNING: All log messages|[IWE]0000 |\d{4}-\d\d-\d\d .*(oneDNN|cpu_feature|cuda))")


def main(names: list[str]) -> int:
    unknown = set(names) - set(PROGRAMS)
    if unknown:
        print(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(PROGRAMS)}.", file=sys.stderr)
        return 2
    sections = _sections()
    failed = []
    for name in names or PROGRAMS:
        output = _run(name)
        if output is None:
            failed.append(name)
        else:
            by_hand = sections.get(name, "").rpartition("\n```\n")[2]
            sections[name] = f"Measured on {datetime.date.today()}: {_machine()}.\n\n```\n{output}\n```\n{by_hand}"
            DOCUMENT.write_text(_document(sections), "utf-8")
    if failed:
        print(f"\nFAILED: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str) -> str | None:
    print(f"=== {name}", flush=True)
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", **os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", f"tests.benchmarks.{name}"]
    lines = []
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if not _NOISE.match(line):
                lines.append(line)
    return "".join(lines).strip("\n") if process.returncode == 0 else None


def _sections() -> dict[str, str]:
    """What the document has of each program."""
    if not DOCUMENT.exists():
        return {}
    parts = re.split(r"^## (\w+)\n\n.*\n\n", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip("\n") + "\n" for part in parts[2::2]), strict=True))


def _document(sections: dict[str, str]) -> str:
    return "\n".join(
        [_HEAD, *(f"## {name}\n\n{_summary(name)}\n\n{sections[name]}" for name in PROGRAMS if name in sections)]
    )


def _summary(name: str) -> str:
    docstring = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text("utf-8"))) or ""
    return docstring.partition("\n")[0]


def _machine() -> str:
    model = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), ""
    )
    memory = next((int(line.split()[1]) >> 20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    owners = metadata.packages_distributions()  # TensorFlow may be tensorflow-cpu's
    versions = ", ".join(
        f"{name} {metadata.version(owners[name][0])}" for name in ("tensorflow", "keras", "tensorboard")
    )
    cores = os.cpu_count() or 1
    processor = model or platform.processor()
    return f"{cores} cores of {processor}, {memory} GiB, Python {platform.python_version()}, {versions}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
