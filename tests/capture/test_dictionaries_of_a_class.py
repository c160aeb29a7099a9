"""Dictionaries of classes: TensorFlow takes them for equal, and passes each trace the one that it was made for."""

from __future__ import annotations

import collections

import tensorflow as tf
from tensorflow.core.function import trace_type

from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, node_from_proto, node_to_proto


class BatchEncoding(collections.UserDict):  # type: ignore[type-arg]
    """As of Hugging Face's tokenizers."""


def node_of(value: object) -> Node:
    return SignatureReader()._node(trace_type.from_value(value), {}, 0)


def test_a_class_of_the_users_is_recorded_and_not_compared() -> None:
    fields = {"ids": tf.ones([2])}
    plain, ordered, own = map(node_of, (fields, collections.OrderedDict(fields), BatchEncoding(fields)))
    assert (plain.class_name, ordered.class_name, own.class_name) == ("", "", "BatchEncoding")
    assert plain == ordered == own  # the one's trace serves the others
    assert hash(plain) == hash(own)
    message = pb.TypeNode()
    node_to_proto(own, message)
    again = node_from_proto(message)
    assert (again, again.class_name, again.dtype) == (own, "BatchEncoding", "")


def test_a_counter_is_told_for_what_the_code_is_passed_is_another() -> None:
    counted: list[object] = []

    @tf.function
    def step(counts: collections.Counter[str]) -> tf.Tensor:
        counted.append(dict(counts))
        return tf.constant(counts["a"])

    assert int(step(collections.Counter("aab"))) == 0
    assert counted == [{("a", 2): 1, ("b", 1): 1}]  # pairs, counted
    assert node_of(collections.Counter("aab")).class_name == "Counter"
