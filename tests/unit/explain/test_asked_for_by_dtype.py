"""Concrete functions that a program asks for with several dtypes may be meant to be several."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.asked_for import asked_for_by_dtype
from tb_retrace_plugin.explain.verdict.facts import Verdict
from tb_retrace_plugin.schema import retrace_pb2 as pb

_CAST = Verdict("avoidable", "`ids` can be cast to one dtype before the call.")
_DTYPE = Change("dtype", "ids", "int32 (None,)", "int64 (None,)")
_FUNCTION = "/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py"
_ASKS = pb.Frame(file=_FUNCTION, function="get_concrete_function")
_USER = pb.Frame(file="export.py", function="<module>", user=True)


def test_one_for_each_dtype_is_not_known_to_be_avoidable() -> None:
    found = asked_for_by_dtype(_CAST, [_DTYPE], [pb.Frame(file=_FUNCTION, function="_initialize"), _ASKS, _USER])
    assert found is not None
    assert found.word == "unknown"
    assert "another dtype of `ids`" in found.evidence


@pytest.mark.parametrize(
    ("changes", "frames"),
    [
        ([_DTYPE], [pb.Frame(file=_FUNCTION, function="__call__"), _USER]),
        ([_DTYPE, Change("shape", "x")], [_ASKS, _USER]),
        # of what it is given
        (
            [_DTYPE],
            [_ASKS, pb.Frame(file="/site-packages/tensorflow/python/data/ops/map_op.py", function="map"), _USER],
        ),
        ([_DTYPE], [_USER, _ASKS]),
    ],
)
def test_all_else_is_as_it_was(changes: list[Change], frames: list[pb.Frame]) -> None:
    assert asked_for_by_dtype(_CAST, changes, frames) is None
