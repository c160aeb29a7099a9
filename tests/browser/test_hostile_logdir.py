"""Markup in every string of every record, by reflection over the records' fields: each view shows it as text.

TensorBoard's content policy stops scripts as well; so what is looked for first is an element made from the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.protobuf.message import Message
from playwright.sync_api import Page
from tensorboard.compat.proto import attr_value_pb2

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.graphs import stored
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.labelled_graphs import FLOAT, Builder
from tests.support.logdirs import SECOND, STARTED_NS, EventFile
from tests.support.mutated_records import MESSAGES, fill_strings
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

OpenTab = Callable[..., Tab]
SESSIONS = ("hostile-a", "hostile-b")
#: Of one job; the second one traces longer, and once more.
WORKERS = ("hostile-w0", "hostile-w1")
TRACES = 6
ALL_TRACES = TRACES * (len(SESSIONS) + len(WORKERS)) - 1
#: Of these words the page and the analysis know some; the other traces have markup in them.
KNOWN_WORDS = {
    "kind": ["first", "retrace", "retrace", "recreated"],
    "verdict": ["needed", "avoidable", "bounded", "unknown"],
    "cause": ["", "shape", "python_value", "recreated_function"],
}

MADE_OF_TEXT = """() => {
  const found = [];
  for (const one of document.querySelectorAll("*")) {
    if (one.matches(".hacked, img[src='x']")) found.push(one.outerHTML);
    for (const attribute of one.attributes) {
      if (/^on/i.test(attribute.name) || /^\\s*javascript:/i.test(attribute.value)) {
        found.push(`${one.tagName} ${attribute.name}=${attribute.value}`);
      }
    }
  }
  return found;
}"""


def markup(field: str) -> str:
    return f"""<img src=x class=hacked onerror="hacked='{field}'">`"""


#: Of a directory. TensorBoard's data server cannot read graphs of a run whose name has a quotation mark in it.
RUN = "<img src=x class=hacked onerror=hacked='run'>`"


def filled(message: Message) -> Message:
    fill_strings(message, markup)
    return message


def graph(batch: int) -> bytes:
    """Names, ops, attributes and devices of markup; no colon or slash in it, which have a meaning there."""
    text = markup("graph")
    b = Builder(batch)
    b.definition.signature.name = text
    b.definition.attr[text].s = text.encode()
    x = b.argument(f"{text}argument", FLOAT, (batch, 4), "x")
    for number in range(batch):
        named = attr_value_pb2.AttrValue(s=text.encode())
        function = attr_value_pb2.AttrValue()
        function.func.name = text
        x = b.node(f"{text}/{text}{number}", text, [x], f"{number}", (batch, 4), **{text: named, f"{text}f": function})
        b.definition.node_def[-1].device = text
    function = b.done(x).function
    content = pb.GraphContent(functions=[function.data])
    shapes = content.shapes.add(inputs=function.inputs, nodes=function.nodes)
    for one in function.shapes:
        shapes.table.append(len(one))
        for shape in one:
            shapes.table.extend([len(shape or ()), *(size or -1 for size in shape or ())])
    return content.SerializeToString()


def write_hostile(run: Path, session: str, worker: int | None = None) -> None:
    file = EventFile(run, STARTED_NS)
    if worker is not None:  # where a recorder of several workers writes
        home = file.path.parent / f"worker{worker}"
        home.mkdir()
        file.path.rename(home / file.path.name)
    written: set[str] = set()

    def write(kind: str, tag: str, message: Message) -> None:
        written.add(kind)
        file.write(tag, message, STARTED_NS + SECOND)

    start = filled(pb.SessionStart(started_ns=STARTED_NS, worker=worker, workers=3))
    start.tensorflow += str(worker)  # type: ignore[attr-defined]
    write("session", tags.session_tag(session), start)
    stack_id = markup("stack_id")  # as it stands in a tag, and no slash in it
    write("stack", tags.stack_tag(session, stack_id), filled(pb.Stack(frames=[pb.Frame(user=True), pb.Frame()])))
    for seq in range(1, TRACES + (worker != 0)):
        content = graph(seq + 2)
        sha256 = hashlib.sha256(content).hexdigest()
        file.write_bytes(encode.encode_graph(sha256, stored.encode(content), STARTED_NS / SECOND))
        trace = pb.Trace(
            seq=seq, n=seq, object=1, step=seq, time_ns=STARTED_NS + seq * SECOND, closest_seq=max(0, seq - 1), nodes=9,
            trace_duration_ns=SECOND // 4, memory_after_bytes=seq << 20, generalized=True, jit_compile=True,
            closest_n=seq - 1, collective_tasks=0 if worker is None else 2,
        )  # fmt: skip
        for number in range(2):
            argument = trace.signature.arguments.add()
            argument.type.kind = pb.TypeNode.LITERAL if number else pb.TypeNode.DICT
            argument.type.children.add(kind=pb.TypeNode.TENSOR, shape=[seq])
            argument.type.children.add(kind=pb.TypeNode.OBJECT)
            argument.type.keys.extend(["", ""])
        fill_strings(trace, markup)
        trace.stack_id, trace.graph_sha256 = stack_id, sha256
        trace.failed = seq == TRACES
        for number, argument in enumerate(trace.signature.arguments):
            argument.path += str(number)
            argument.type.value += str(seq)
            argument.type.keys[1] += "2"
        trace.changes[0].old += str(seq)
        if seq <= 4:
            trace.kind, trace.verdict = KNOWN_WORDS["kind"][seq - 1], KNOWN_WORDS["verdict"][seq - 1]
            trace.changes[0].cause = KNOWN_WORDS["cause"][seq - 1] or trace.changes[0].cause
            trace.graph_omitted = trace.error = ""
        if worker:
            trace.trace_duration_ns *= 2
            trace.changes[0].path += " of this worker alone"
        if seq == 1:
            del trace.changes[:]
        write("trace", tags.trace_tag(session, seq), trace)
    for k in (1, 2):
        xla = filled(pb.XlaCompilation(seq=2, k=k, duration_ns=SECOND // 9, time_ns=STARTED_NS + 3 * SECOND))
        xla.stack_id = stack_id  # type: ignore[attr-defined]
        write("xla", tags.xla_tag(session, k), xla)
    stale = filled(pb.StaleValue(seq=2, time_ns=STARTED_NS + 4 * SECOND))
    stale.now += " now"  # type: ignore[attr-defined]
    write("stale", tags.stale_tag(session, 1), stale)
    write(
        "first_calls", tags.first_calls_tag(session, 1), pb.FirstCalls(calls=[pb.FirstCall(seq=1, duration_ns=SECOND)])
    )
    end = pb.SessionEnd(time_ns=STARTED_NS + 60 * SECOND, traces=TRACES + 1, losses={"": 3}, functions_run_eagerly=True)
    write("end", tags.end_tag(session, 1), filled(end))
    for kind in set(MESSAGES) - written - {"graph"}:  # what was added since
        write(kind, f"retrace/{kind}/{session}/1", filled(MESSAGES[kind]()))
    file.write(f"retrace/trace/{markup('tag')}/1", pb.Trace(seq=1), STARTED_NS)  # a problem names it
    file.close()


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TensorBoard]:
    logdir = tmp_path_factory.mktemp("hostile")
    for session in SESSIONS:
        write_hostile(logdir / f"{RUN} {session}", session)
    for worker, session in enumerate(WORKERS):
        write_hostile(logdir / f"{RUN} job", session, worker)
    with run_tensorboard(f"--logdir={logdir}", forked=True) as tensorboard:
        tensorboard.wait_for_traces(ALL_TRACES)
        yield tensorboard


A, B = SESSIONS
#: Fragment, and the fields that the view is known to show.
VIEWS = {
    "overview": ("", ["function.name", "losses.key"]),
    "trace, with words of its own": (
        f"trace={A}/5", ["evidence", "frames.source", "error", "changes.path", "signature.context.key"],
    ),
    "trace, with known words": (f"trace={A}/2", ["evidence", "frames.source", "name", "traced", "shapes.path"]),
    "trace that failed": (f"trace={A}/6", ["error"]),
    "first trace": (f"trace={A}/1", ["evidence"]),
    "graphs": (f"graphs={A}/2..{A}/3", ["graph"]),
    "graphs of two recordings, a node": (f"graphs={A}/2..{B}/4&p.retrace.node=2", ["graph"]),
    "function": (f"function={A}/3", ["function.name"]),
    "workers": (f"workers={WORKERS[0]}", ["function.name", "changes.path", "host", "tensorflow"]),
    "runs": (f"runs={A}..{B}", ["function.name"]),
}  # fmt: skip


def watch(page: Page) -> None:
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))


seen: list[str] = []


@pytest.mark.parametrize("view", VIEWS)
def test_markup_in_any_field_stays_text(board: TensorBoard, open_tab: OpenTab, view: str) -> None:
    parameters, shown = VIEWS[view]
    seen.clear()
    fragment = f"retrace&p.retrace.{parameters}" if parameters else "retrace"
    tab = open_tab(board, fragment=fragment, width=1600, height=3000, prepare=watch)
    tab.settle(ALL_TRACES)
    for field in shown:  # else it is not that view, or the field is not looked at
        tab.frame.wait_for_function(
            "text => document.body.innerText.includes(text)", arg=markup(field).rstrip("`"), timeout=PATIENCE_MS
        )
    hover_everything(tab)
    for frame in tab.page.frames:
        assert frame.evaluate(MADE_OF_TEXT) == []
        assert frame.evaluate("() => window.hacked") is None
    assert seen == []


def hover_everything(tab: Tab) -> None:
    """Tooltips, menus and what unfolds."""
    tab.frame.evaluate("() => document.querySelectorAll('details').forEach((one) => (one.open = true))")
    plots = tab.frame.get_by_role("listbox")
    for number in range(min(plots.count(), 2)):
        box = plots.nth(number).bounding_box()
        if box:
            for part in (0.05, 0.1, 0.5):
                tab.page.mouse.move(box["x"] + box["width"] * part, box["y"] + min(box["height"] - 2, 20))
    tab.page.keyboard.press("?")
    tab.settle()
