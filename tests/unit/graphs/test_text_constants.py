"""Graphs that are the same but for strings that were passed."""

from __future__ import annotations

from tensorboard.compat.proto import function_pb2, types_pb2

from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.text_constants import hash_without_text


def hashed(*texts: bytes, passed: bytes, op: str = "ReadFile", name: str = "read") -> str:
    definition = function_pb2.FunctionDef()
    constant = definition.node_def.add(name="filename", op="Const")
    constant.attr["dtype"].type = types_pb2.DT_STRING
    constant.attr["value"].tensor.string_val.extend(texts)
    definition.node_def.add(name=name, op=op, input=["filename"])
    return hash_without_text([FunctionGraph(definition)], lambda text: text == passed)


def test_a_string_that_was_passed_makes_no_difference() -> None:
    assert hashed(b"a", passed=b"a") == hashed(b"b", passed=b"b") != ""


def test_what_is_computed_of_it_does() -> None:
    assert hashed(b"a.txt", passed=b"a") == ""
    assert hashed(b"a", b"rest", passed=b"a") == ""  # both in one constant


def test_so_does_anything_else() -> None:
    one = hashed(b"a", passed=b"a")
    assert one != hashed(b"b", passed=b"b", op="MatchingFiles")
    assert one != hashed(b"b", passed=b"b", name="b")  # a name scope of that name


def test_other_dtypes_are_left_alone() -> None:
    definition = function_pb2.FunctionDef()
    constant = definition.node_def.add(name="k", op="Const")
    constant.attr["dtype"].type = types_pb2.DT_FLOAT
    constant.attr["value"].tensor.float_val.append(1)
    assert hash_without_text([FunctionGraph(definition)], lambda text: True) == ""


def _listed(*texts: bytes, op: str = "StringLength") -> str:
    definition = function_pb2.FunctionDef()
    constant = definition.node_def.add(name="texts", op="Const")
    constant.attr["dtype"].type = types_pb2.DT_STRING
    constant.attr["value"].tensor.string_val.extend(texts)
    constant.attr["value"].tensor.tensor_shape.dim.add(size=len(texts))
    definition.node_def.add(name="length", op=op, input=["texts"])
    return hash_without_text([FunctionGraph(definition)], lambda text: text in b"abc")


def test_nor_does_the_length_of_a_list_of_them() -> None:
    assert _listed(b"a", b"b") == _listed(b"c") != ""
    assert _listed(b"a", b"b") != _listed(b"c", op="StringUpper")
    assert _listed(b"a") != hashed(b"a", passed=b"a", op="StringLength", name="length")  # of another rank
