"""The routes of comparisons: what they answer, and what they say when there is nothing to compare."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tb_retrace_plugin.analysis.pages.comparison import MAX_CONSUMERS
from tests.support.small_graphs import record_small_graphs
from tests.support.tensorboard_process import TensorBoard, run_tensorboard


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Any:
    logdir = tmp_path_factory.mktemp("compare")
    record_small_graphs(logdir)
    with run_tensorboard(f"--logdir={logdir}", forked=True) as running:
        digest = running.wait_for_traces(5)
        running.session = digest["sessions"][0]["id"]  # type: ignore[attr-defined]
        yield running


def compare(board: Any, route: str = "compare", **parameters: int | str) -> tuple[int, Any]:
    parameters = {"session_b": board.session, **parameters}
    query = "&".join(f"{key}={value}" for key, value in parameters.items())
    status, _, body = board.get(f"{route}?{query}")
    return status, json.loads(body)


def test_a_retrace_is_compared_with_its_closest(board: TensorBoard) -> None:
    status, answer = compare(board, seq_b=2)
    assert status == 200
    assert (answer["a"]["seq"], answer["b"]["seq"]) == (1, 2)
    assert answer["sentence"].startswith(
        "Same structure: 4 ops; 4 output shapes differ, all dimension 0 of `x` (2 → 5)"
    )
    assert answer["counts"] == {"same": 1, "changed": 4, "rewired": 0, "added": 0, "removed": 0, "renamed": 0}
    (main,) = answer["graphs"]
    assert main["names"] == ["x", "Relu_0", "Relu_1", "Relu_2", "identity_retval"]
    assert [main["op_names"][number] for number in main["op"]] == ["Placeholder", "Relu", "Relu", "Relu", "_Retval"]
    assert main["flags"] == [7, 7, 7, 7, 3]
    assert [main["texts"][number] for number in main["shape_a"][:4]] == ["(2,)"] * 4
    assert [main["texts"][number] for number in main["shape_b"][:4]] == ["(5,)"] * 4
    assert (main["input_start"], main["input_node"]) == ([0, 0, 1, 2, 3, 4], [0, 1, 2, 3])
    assert answer["facts"]["inputs"] == [{"name": "x", "a": "float32 (2,)", "b": "float32 (5,)"}]
    assert answer["facts"]["outputs"] == [{"name": "identity", "a": "float32 (2,)", "b": "float32 (5,)"}]
    assert answer["facts"]["ops"] == [{"op": "Relu", "a": 3, "b": 3}]


def test_any_two_may_be_compared_either_way_round(board: TensorBoard) -> None:
    session = board.session  # type: ignore[attr-defined]
    _, there = compare(board, session_a=session, seq_a=2, seq_b=3)
    _, back = compare(board, session_a=session, seq_a=3, seq_b=2)
    assert (there["counts"]["added"], there["counts"]["removed"]) == (1, 0)
    assert (back["counts"]["added"], back["counts"]["removed"]) == (0, 1)
    _, itself = compare(board, session_a=session, seq_a=3, seq_b=3)
    assert itself["counts"]["same"] == sum(itself["counts"].values())


def test_one_node(board: TensorBoard) -> None:
    status, node = compare(board, "compare_node", seq_b=2, graph=0, node=1)
    assert status == 200
    assert (node["name_a"], node["name_b"], node["op_a"], node["op_b"]) == ("Relu_0", "Relu_0", "Relu", "Relu")
    assert node["attributes"] == [
        {"key": "output shapes", "a": "(2,)", "b": "(5,)", "changed": True},
        {"key": "T", "a": "float32", "b": "float32", "changed": False},
    ]
    assert node["inputs"] == [{"a": "x", "b": "x", "changed": False}]
    assert node["consumers"] == [{"name": "Relu_1", "node": 2}]
    assert node["consumers_left_out"] == 0 < MAX_CONSUMERS
    assert compare(board, "compare_node", seq_b=2, graph=0, node=99)[0] == 404
    assert compare(board, "compare_node", seq_b=2, graph=9, node=0)[0] == 404
    assert compare(board, "compare_node", seq_b=2, graph="-1", node=0)[0] == 400


@pytest.mark.parametrize(
    ("parameters", "status", "text"),
    [
        ({}, 400, "Say which trace"),
        ({"seq_b": 99}, 404, "No trace 99"),
        ({"seq_b": 1}, 404, "no earlier trace"),
        ({"seq_b": 2, "seq_a": 1}, 400, "Say which trace"),
        ({"seq_b": 4}, 404, "was not stored: it has more than 9 nodes"),
        ({"seq_b": 5}, 404, "not in the logdir any more"),
    ],
)
def test_what_cannot_be_compared_is_said(
    board: TensorBoard, parameters: dict[str, int], status: int, text: str
) -> None:
    answered, answer = compare(board, **parameters)
    assert (answered, text in answer["error"]) == (status, True), answer
