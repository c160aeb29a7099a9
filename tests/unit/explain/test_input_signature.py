"""Input signatures given as code: read as data, and refused with what is allowed."""

from __future__ import annotations

import re

import pytest

from tb_retrace_plugin.explain.what_if.input_signature import (
    InputSignatureError,
    Nest,
    Spec,
    parse_input_signature,
    specs_in,
)

ONE = (Spec("TensorSpec", (-1, 10), "float32"),)


@pytest.mark.parametrize(
    "code",
    [
        "[tf.TensorSpec([None, 10])]",
        "(tf.TensorSpec([None, 10], tf.float32),)",
        "tf.TensorSpec(shape=(None, 10), dtype='float32')",
        "[tensorflow.TensorSpec(tf.TensorShape([None, 10]), tf.dtypes.float32, name=None)]",
        "input_signature=[TensorSpec([None, 10])]",
        "@tf.function(input_signature=[tf.TensorSpec([None, 10], tf.float32)])",
        "@tf.function(\n    input_signature=[\n        tf.TensorSpec([None, 10], tf.float32),\n    ]\n)",
        "tf.function(input_signature=(tf.TensorSpec([None, 10]),))",
    ],
)
def test_the_ways_to_write_one(code: str) -> None:
    assert parse_input_signature(code) == ONE


def test_each_kind_of_specification_and_container() -> None:
    code = """[
        tf.TensorSpec(None, tf.half, "x"), tf.TensorSpec([]),
        {"a": [tf.SparseTensorSpec([2, None], tf.int32)], 3: (tf.SparseTensorSpec(),)},
        Batch(tf.TensorSpec([1]), ids=tf.RaggedTensorSpec([None, None], tf.int64, 1, tf.int32)),
        tf.RaggedTensorSpec(ragged_rank=2),
        tf.IndexedSlicesSpec([9, 2], tf.float32, tf.int32, tf.int64, [None]), tf.IndexedSlicesSpec([None, 2]),
        tf.OptionalSpec(tf.TensorSpec([None], tf.int32)),
    ]"""
    first, scalar, mapping, batch, ragged, slices, rows, optional = parse_input_signature(code)
    assert first == Spec("TensorSpec", None, "float16", "x")
    assert scalar == Spec("TensorSpec", ())
    assert mapping == Nest(
        "dict",
        (Nest("list", (Spec("SparseTensorSpec", (2, -1), "int32"),)), Nest("tuple", (Spec("SparseTensorSpec"),))),
        ("a", 3),
    )
    assert isinstance(batch, Nest)
    assert (batch.word, batch.type_name, batch.keys) == ("named_tuple", "Batch", ("", "ids"))
    assert batch.items[1] == Spec("RaggedTensorSpec", (-1, -1), "int64", ragged_rank=1, row_splits_dtype="int32")
    assert ragged == Spec("RaggedTensorSpec", ragged_rank=2)
    word = "IndexedSlicesSpec"
    assert slices == Spec(word, (9, 2), indices_dtype="int32", dense_shape_dtype="int64", indices_shape=(-1,))
    assert rows == Spec(word, (-1, 2), indices_shape=(-1,))  # as many indices as rows
    assert optional == Spec("OptionalSpec", (-1,), "int32")
    assert len(list(specs_in((first, scalar, mapping, batch, ragged, slices, rows, optional)))) == 10


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "not Python"),
        ("[", "not Python"),
        ("[]", "empty"),
        ("[None]", "cannot be declared as None"),
        ("[tf.TensorSpec()]", "no shape"),
        ("[tf.OptionalSpec(tf.RaggedTensorSpec([None, None]))]", "can be read here"),
        ("[tf.TensorSpec([None], tf.float33)]", "`tf.float33` is no dtype"),
        ("[tf.TensorSpec([None], float)]", "`float` is no dtype"),
        ("[tf.TensorSpec([x])]", "`x` is no dimension"),
        ("[tf.TensorSpec([-1])]", "`-1` is no dimension"),
        ("[tf.TensorSpec([True])]", "`True` is no dimension"),
        ("[tf.TensorSpec(5)]", "`5` is no shape"),
        ("[tf.TensorSpec([1], shape=[1])]", "takes shape, dtype, name, each once"),
        ("[tf.TensorSpec([1], size=1)]", "takes shape, dtype, name"),
        ("[tf.TensorSpec(*[1])]", "takes shape"),
        ("[tf.TensorSpec([1], name=name)]", "is no name"),
        ("[tf.RaggedTensorSpec()]", "ragged_rank is needed"),
        ("[tf.RaggedTensorSpec([None], ragged_rank='1')]", "is no ragged_rank"),
        ("[tf.RaggedTensorSpec([None], row_splits_dtype=tf.float32)]", "tf.int32 or tf.int64"),
        ("[__import__('os').system('true')]", "is no specification"),
        ("[os.TensorSpec([None])]", "is no specification"),
        ("[tf.zeros([1])]", "`tf.zeros([1])` is no specification"),
        ("[lambda: 0]", "is no specification"),
        ("[{**x}]", "no key"),
        ("[{True: tf.TensorSpec([])}]", "no key"),
        ("[Batch()]", "has no fields"),
        ("[Batch(**x)]", "cannot be read"),
        ("@tf.function(reduce_retracing=True)", "only input_signature"),
        ("@tf.function(input_signature=[tf.TensorSpec([])], jit_compile=True)", "only input_signature"),
        ("[" * 60 + "tf.TensorSpec([])" + "]" * 60, "too deeply"),
        ("[" + "tf.TensorSpec([1]), " * 10_000 + "]", "too long"),
        ("(" * 5000, "not Python"),
        ("tf.TensorSpec([])\0", "not Python"),
    ],
)
def test_what_is_none_is_refused_with_what_is_allowed(code: str, said: str) -> None:
    with pytest.raises(InputSignatureError, match=re.escape(said)):
        parse_input_signature(code)
