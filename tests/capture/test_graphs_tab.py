"""Graphs of traces in TensorBoard's own Graphs tab, through a real TensorBoard with both loaders."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorboard.compat.proto import graph_pb2

from tb_retrace_plugin import record
from tb_retrace_plugin.commands.main import main
from tests.support.tensorboard_process import TensorBoard, run_tensorboard


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
    with urllib.request.urlopen(url, timeout=60) as response:
        content: bytes = response.read()
    return content


@pytest.mark.parametrize("load_fast", ["true", "false"])
def test_chosen_traces_are_there_one_tag_each(logdir: Path, load_fast: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graphs-tab", str(logdir), "--function", "train_step"]) == 0
    assert "3 graphs written" in capsys.readouterr().out
    assert main(["graphs-tab", str(logdir), "--function", "train_step", "--trace", "1", "--trace", "3"]) == 0
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={load_fast}") as board:
        board.wait_for_digest(lambda digest: len(digest["functions"]) >= 2)
        info = json.loads(get(board, "info"))
        tags = info["retrace_graphs"]["tags"]
        assert sorted(tags) == ["train_step #1", "train_step #3"]
        assert all(tag["op_graph"] for tag in tags.values())
        text = get(board, "graph", run="retrace_graphs", tag="train_step #3").decode()
    graph = text_format.Parse(text, graph_pb2.GraphDef())
    nodes = {node.name: node for node in graph.node}
    assert nodes["x"].op == "Placeholder"
    assert [dim.size for dim in nodes["x"].attr["_output_shapes"].list.shape[0].dim] == [3, 4]
    assert nodes["while"].op == "StatelessWhile"
    assert len(graph.library.function) == 2


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
    assert "none of these traces" in told.err
    assert not (tmp_path / "retrace_graphs").exists()
