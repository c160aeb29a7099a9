"""What looks like a dataset's last batch, and what does not."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.what_if.last_batch import smaller_batch, without_shapes
from tb_retrace_plugin.schema.signature import Node, Signature

Shape = tuple[int, ...] | None


def of(*shapes: Shape, dtype: str = "float32") -> Signature:
    return Signature(tuple((f"x{i}", Node("tensor", dtype=dtype, shape=shape)) for i, shape in enumerate(shapes)))


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (of((32, 8)), of((7, 8)), True),
        (of((32, 8), (32,)), of((7, 8), (7,)), True),
        (of((32, 8), (10,)), of((7, 8), (10,)), True),  # a table that is the same
        (of((7, 8)), of((32, 8)), False),  # a last batch is not the larger
        (of((32, 8), (32,)), of((7, 8), (6,)), False),  # of two sizes
        (of((32, 8)), of((7, 9)), False),
        (of((32, 8)), of((32, 7)), False),
        (of((32,)), of((7,)), False),  # a length, it may be
        (of((32, 8)), of((7, 8), (7,)), False),
        (of((32, 8)), of((32, 8)), False),
        (of((32, 8)), of((0, 8)), False),
        (of((-1, 8)), of((7, 8)), False),
        (of(None), of((7, 8)), False),
        (of((32, 8)), of((7, 8), dtype="float64"), False),
        (of((32, 8)), Signature(of((7, 8)).arguments, context={"device": "GPU"}), False),
        (of((32, 8)), Signature((("x0", Node("literal", value="1")),)), False),
    ],
)
def test_the_first_dimension_alone_is_smaller(before: Signature, now: Signature, expected: bool) -> None:
    assert smaller_batch(before, now) == ((32, 7) if expected else None)


def test_within_containers() -> None:
    def nested(size: int) -> Signature:
        parts = ((key, Node("tensor", dtype="int32", shape=(size, 4))) for key in ("['a']", "['b']"))
        return Signature((("features", Node("dict", type_name="dict", children=tuple(parts))),))

    assert smaller_batch(nested(16), nested(3)) == (16, 3)
    assert smaller_batch(nested(3), nested(16)) is None
    assert without_shapes(nested(3)) == without_shapes(nested(16))


def test_batches_of_one_kind() -> None:
    assert without_shapes(of((32, 8), ())) == without_shapes(of((7, 9), ()))
    for other in (of((7, 8)), of((7, 8), (), dtype="int32"), of((7, 8), (), ())):
        assert without_shapes(other) != without_shapes(of((32, 8), ()))
    on_gpu = Signature(of((32, 8)).arguments, context={"device": "GPU"})
    assert without_shapes(on_gpu) != without_shapes(of((32, 8)))
