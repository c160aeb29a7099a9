"""What `tb-retrace try` changes, in words: a line for each thing that is done to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tb_retrace_plugin.explain.advice.evidence.listed import listed


def change_lines(apply: Mapping[str, Any]) -> Iterator[str]:
    """Of `apply` of docs/report_json.md; each continues a line that names the function."""
    if signature := apply.get("input_signature"):
        yield f"is declared with input_signature={signature}"
    if apply.get("reduce_retracing"):
        yield "is declared with reduce_retracing=True"
    for path, dtype in apply.get("tensors", {}).items():
        what = "string" if dtype == "string" else "number"
        yield f"is called with tf.constant({path}, tf.{dtype}) for the Python {what} {path}"
    for path, dtype in apply.get("casts", {}).items():
        yield f"is called with tf.cast({path}, tf.{dtype}) for {path}"
    for path, word in apply.get("sequences", {}).items():
        yield f"is called with {word}({path}) for {path}"
    for path, spec in apply.get("keys", {}).items():
        yield f"is called with {path} = tf.ones({spec['shape']}, tf.{spec['dtype']}) where there is none"
    if apply.get("one_function"):
        yield "where it is made again: calls go to the first tf.function of this code that has the same options, closes"
        yield "over and reads what is equal and, of a method, is bound to an instance with equal attributes"
    if names := apply.get("closed_over"):
        yield f"where it is made again: calls go to one tf.function that is passed {listed(names)} as a tensor"
    for name in apply.get("equal_classes", ()):
        yield f"each class {name} that a file of yours defines is given `__eq__` and `__hash__` over all of its"
        yield "attributes, as in the advice"
    if apply.get("variables_once"):
        yield "the variables that it creates are created outside at its first trace, and are the same in later ones"
    if "drop_remainder" in apply:
        given = apply["drop_remainder"]
        yield f"every `batch` of a dataset in your files is called with drop_remainder={given}, which"
        yield "leaves smaller last batches out" if given else "gives the last batch what is left"
    if apply.get("one_pipeline"):
        yield "where a dataset is built again: what tf.data traced is used again, if it closes over and reads what"
        yield "is equal and gets elements of the same types"
