"""docs/causes/: the programs do what their comments say, by TensorFlow's own count, and are told as the pages show."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tensorflow.python.eager.polymorphic_function import polymorphic_function

from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.schema.vocabulary import CAUSES
from tests.capture.conftest import RecordFixture
from tests.support.count_with_tensorflow import innermost

pytestmark = pytest.mark.newest  # the gallery has a program of each cause
PAGES = Path(__file__).resolve().parents[2] / "docs" / "causes"
HEAD = "import keras\nimport numpy as np\nimport tensorflow as tf\n\n"
SECTIONS = ["What it means", "How it looks", "What to do", "What does not help"]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_COUNT = re.compile(
    r"# (?P<name>\w+): (?P<traces>\d+) traces?(?:, (?P<failed>\d+) failed)?(?:, (?P<xla>\d+) compilations? by XLA)?"
    r"(?:, caused by (?P<causes>.+))?"
)


@dataclass
class Program:
    """`told`: lines that the report has of it. `verdicts`, `advice`: None if nothing is said of them."""

    source: str
    counts: list[dict[str, Any]] = field(default_factory=list)
    verdicts: set[str] | None = None
    advice: list[str] | None = None
    told: list[str] = field(default_factory=list)


def programs(page: Path) -> list[Program]:
    found: list[Program] = []
    for language, text in _BLOCK.findall(page.read_text("utf-8")):
        if language == "text":
            found[-1].told += text.strip().splitlines()
            continue
        assert language == "python", f"{page.name} has a block that nobody runs: {language}"
        program = Program(text)
        for line in text.splitlines():
            if match := _COUNT.fullmatch(line):
                program.counts.append(match.groupdict())
            elif line.startswith("# verdict: "):
                program.verdicts = set(line.removeprefix("# verdict: ").split(", "))
            elif line.startswith("# advice: "):
                said = line.removeprefix("# advice: ")
                program.advice = [] if said == "none" else said.split(", ")
            else:
                assert not line.startswith("# "), f"{page.name}: this says nothing: {line}"
        assert program.counts, f"{page.name}: nothing is said of\n{text}"
        found.append(program)
    return found


ALL = [
    pytest.param(program, id=f"{page.stem}-{number}")
    for page in sorted(PAGES.glob("*.md"))
    for number, program in enumerate(programs(page), start=1)
]


def test_there_is_a_page_for_each_cause_with_each_section() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == {*CAUSES, "README"}
    index = (PAGES / "README.md").read_text("utf-8")
    assert re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\) \|", index, re.M) == [(cause, cause) for cause in CAUSES]
    for cause in CAUSES:
        text = (PAGES / f"{cause}.md").read_text("utf-8")
        assert text.startswith(f"# `{cause}`: ")
        assert re.findall(r"^## (.+)$", text, re.M) == SECTIONS
        assert "```python" in text[text.index("## What does not help") :], f"{cause}: what does not help is not run"
        shown = {cause_of(said) for program in programs(PAGES / f"{cause}.md") for said in causes_of(program)}
        assert (cause in shown) == (cause not in ("capture", "unknown"))


def causes_of(program: Program) -> list[str]:
    return [said for count in program.counts for said in (count["causes"] or "").split(", ") if said]


def cause_of(said: str) -> str:
    return said.partition(" of ")[0]


@pytest.mark.parametrize("program", ALL)
def test_the_program_does_what_the_page_says(
    program: Program, tmp_path: Path, recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[Any] = []
    create = polymorphic_function.Function.__init__

    def create_and_keep(self: Any, *args: Any, **kwargs: Any) -> None:
        create(self, *args, **kwargs)
        created.append(self)

    monkeypatch.setattr(polymorphic_function.Function, "__init__", create_and_keep)
    path = tmp_path / "program.py"  # AutoGraph reads the source
    path.write_text(HEAD + program.source)
    with recording() as r, contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(path))
    store = Store()
    store.add(read_logdir(str(r.log_dir)))
    groups = {group.function.name: group for group in store.functions}
    for count in program.counts:
        objects = [f for f in created if innermost(f.python_function).__name__ == count["name"]]
        assert objects
        assert sum(f.experimental_get_tracing_count() for f in objects) == int(count["traces"])
        group = groups.get(count["name"])
        events = group.events if group is not None else []
        assert sum(not event.record.failed for event in events) == int(count["traces"])
        assert sum(event.record.failed for event in events) == int(count["failed"] or 0)
        changes = [change for event in events for change in event.record.changes]
        named = {f"{change.cause} of {change.path}" if change.path else change.cause for change in changes}
        named = {"context" if name.startswith("context of ") else name for name in named}
        assert named == set((count["causes"] or "").split(", ")) - {""}
        if count["xla"]:
            assert group is not None
            assert group.xla_compilations == int(count["xla"])
    told = [group for group in groups.values() if group.function.name != "initialize_variables"]
    again = [e.record for group in told for e in group.events if e.record.kind != "first"]
    if program.verdicts is not None:
        assert {
            record.verdict for record in again if record.function.name != "initialize_variables"
        } == program.verdicts
    if program.advice is not None:
        assert [advice.rule for group in groups.values() for advice in advice_of(group)] == program.advice
    said = "\n".join(report_lines(store, True, Style(False))) + "\n" + "\n".join(record.evidence for record in again)
    for line in program.told:
        assert line in said, said
