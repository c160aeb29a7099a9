"""Graphs of traces in TensorBoard's own Graphs tab, through a real TensorBoard with both loaders."""

from __future__ import annotations

import json
import shutil
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorboard.backend.event_processing import event_file_loader
from tensorboard.compat.proto import graph_pb2

from tb_retrace_plugin import record, set_step, start, stop
from tb_retrace_plugin.capture.session import graphs_tab
from tb_retrace_plugin.commands.main import main
from tests.support.tensorboard_process import PATIENCE_SECONDS, TensorBoard, run_tensorboard


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("graphs_tab")

    @tf.function
    def train_step(x: Any) -> Any:
        for _ in tf.range(2):
            x = tf.nn.relu(x)
        return tf.reduce_sum(x)

    @tf.function
    def other(x: Any) -> Any:
        return x + 1.0

    with record(directory):
        for rows in (1, 2, 3):
            train_step(tf.ones([rows, 4]))
        other(tf.ones([2]))
    return directory


def get(board: TensorBoard, route: str, **parameters: str) -> bytes:
    url = f"{board.address}data/plugin/graphs/{route}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=240) as response:
        content: bytes = response.read()
    return content


def runs(board: TensorBoard, count: int) -> dict[str, list[str]]:
    """Tags with graphs by run, once there are so many."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        info = json.loads(get(board, "info"))
        tags = {run: sorted(t for t, row in item["tags"].items() if row["op_graph"]) for run, item in info.items()}
        if sum(map(len, tags.values())) >= count:
            return tags
        assert time.monotonic() < deadline, tags
        time.sleep(0.2)


@pytest.mark.parametrize("load_fast", ["true", "false"])
def test_chosen_traces_are_there_one_tag_each(logdir: Path, load_fast: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = shutil.copytree(logdir, logdir.parent / f"chosen_{load_fast}")
    assert main(["graphs-tab", str(chosen), "--function", "train_step", "--trace", "1", "--trace", "3"]) == 0
    assert "2 graphs written" in capsys.readouterr().out
    with run_tensorboard(f"--logdir={chosen}", f"--load_fast={load_fast}", forked=True) as board:
        (run,) = runs(board, 2)
        assert run.startswith("retrace_graphs/")
        assert runs(board, 2)[run] == ["train_step #1", "train_step #3"]
        text = get(board, "graph", run=run, tag="train_step #3").decode()
        # more of them while TensorBoard looks on; what is there stays
        assert main(["graphs-tab", str(chosen), "--function", "train_step", "--function", "other"]) == 0
        told = capsys.readouterr().out
        assert "2 graphs written" in told
        assert "2 graphs there already" in told
        assert runs(board, 4)[run] == ["other #1", "train_step #1", "train_step #2", "train_step #3"]
        digest = board.wait_for_traces(4)
        links = {}
        for seq in digest["traces"]["seq"]:
            trace = board.get_json(f"trace?session={digest['sessions'][0]['id']}&seq={seq}")
            links[trace["function"]["name"], trace["event"]["n"]] = trace["graphs_tab"]
        assert links["train_step", 2] == {"run": run, "tag": "train_step #2"}
        assert None not in links.values()
    graph = text_format.Parse(text, graph_pb2.GraphDef())
    nodes = {node.name: node for node in graph.node}
    assert nodes["x"].op == "Placeholder"
    assert [dim.size for dim in nodes["x"].attr["_output_shapes"].list.shape[0].dim] == [3, 4]
    assert nodes["while"].op == "StatelessWhile"
    assert len(graph.library.function) == 2


@pytest.mark.parametrize("load_fast", ["true", "false"])
def test_what_is_chosen_beforehand_is_written_while_recording(tmp_path: Path, load_fast: str) -> None:
    def make(factor: float) -> Any:
        @tf.function
        def call(x: Any) -> Any:
            return x * factor

        return call

    @tf.function
    def call(x: Any) -> Any:  # the same name, other code
        return x + 1.0

    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={load_fast}", forked=True) as board:
        start(tmp_path / "fit", graphs=False, graphs_tab="all")
        try:
            set_step(7)
            call(tf.ones([1]))
            make(2.0)(tf.ones([1]))
            (run,) = runs(board, 2)
            assert run.startswith("fit/retrace_graphs/")
            place = f"({Path(__file__).name}:"
            assert [tag.partition(place)[:2] for tag in runs(board, 2)[run]] == [
                ("call #1, step 7", ""),
                ("call #1, step 7 ", place),
            ]
            call(tf.ones([2]))
            assert "call #2, step 7" in runs(board, 3)[run]
        finally:
            set_step(None)
            stop()


def test_retraces_alone_or_by_name_and_never_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def other(x: Any) -> Any:
        return x * 2.0

    def tags(directory: Path) -> list[str]:
        found = []
        for path in sorted(directory.rglob("*.retrace-graphs")):
            for event in event_file_loader.LegacyEventFileLoader(str(path)).Load():
                found += [value.tag for value in event.summary.value]
        return found

    with record(tmp_path / "retraces", graphs_tab="retraces"):
        for size in (1, 2, 3):
            step(tf.ones([size]))
    assert tags(tmp_path / "retraces") == ["step #2", "step #3"]
    monkeypatch.setattr(graphs_tab, "MAX_GRAPHS_OF_A_FUNCTION", 2)
    with record(tmp_path / "names", graphs_tab=["other", other.python_function.__qualname__]):
        for size in (4, 5, 6):
            step(tf.ones([size]))
            other(tf.ones([size]))
    assert tags(tmp_path / "names") == ["other #1", "other #2"]
    assert main(["report", str(tmp_path / "names")]) == 0
    assert "1 graph left out of what is written for the Graphs tab" in capsys.readouterr().err
    with record(tmp_path / "none"):
        step(tf.ones([7]))
    assert [path.name for path in (tmp_path / "none").iterdir()] == ["retrace"]
    for wrong in ("", [], 3, [1], True):
        with pytest.raises(TypeError, match="graphs_tab must be"), record(tmp_path, graphs_tab=wrong):  # type: ignore[arg-type]
            pass


def test_a_directory_that_cannot_be_written_costs_no_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "retrace_graphs").write_text("in the way")

    @tf.function
    def step(x: Any) -> Any:
        return x * 2.0

    with record(tmp_path, graphs_tab="all"):
        assert float(step(tf.constant(2.0))) == 4.0
        step(tf.ones([2]))
    assert "retrace_graphs" in caplog.text
    assert main(["report", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "could not be written for the Graphs tab" in told.err
    assert "`step` was traced twice" in told.out
    assert main(["graphs-tab", str(tmp_path)]) == 2
    assert "cannot write below" in capsys.readouterr().err


def test_what_cannot_be_written_is_said(logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graphs-tab", str(logdir), "--function", "nobody"]) == 2
    assert "no function 'nobody'" in capsys.readouterr().err
    assert main(["graphs-tab", str(logdir), "--trace", "1"]) == 2
    assert "--function NAME" in capsys.readouterr().err
    with record(tmp_path, graphs=False):
        tf.function(lambda x: x + 1.0)(tf.ones([1]))
    assert main(["graphs-tab", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "graphs=False" in told.out
    assert "no graph of these traces" in told.err
    assert not (tmp_path / "retrace_graphs").exists()
