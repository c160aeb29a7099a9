"""What is known of a tensor that is ragged, sparse or dense by turns, or of several ragged ranks: each is traced.

And of variables that differ in more than their shape or dtype.
"""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.evidence import WIDENED

#: Class of a specification -> what it is of, and a dense tensor made of it.
_KINDS = {
    "RaggedTensorSpec": ("a ragged tensor", "{}.to_tensor()"),
    "SparseTensorSpec": ("a sparse tensor", "tf.sparse.to_dense({})"),
    "IndexedSlicesSpec": ("`tf.IndexedSlices`", "tf.convert_to_tensor({})"),
}
_OF_A_CLASS = re.compile(rf"({'|'.join(_KINDS)})\(")
_DENSE = re.compile(r"[a-z]+\d* (\((\d+|None)?(, ?(\d+|None))*,?\)|<unknown>)")
_RAGGED = re.compile(r"RaggedTensorSpec\(\(\[(.*)\]\), \w+, (\d+), int(?:32|64)\)")
_TWO_KINDS = (
    "`{path}` is {new}, and was {old}: no signature takes both, so that each is traced. Passed as {dense}, it needs no"
    " trace but that of a dense tensor of its shape, if the code takes that{padding}; where the code computes with each"
    " in a way of its own, there are as many traces as kinds. Which of it holds is not known."
)
_RANKS = (
    "`{path}` is of ragged rank {new}, and was of {old}: a signature has one, so that each ragged rank is traced, and"
    " there are as many traces as ranks that are passed."
)
_ONE_DENSE_RANK = (
    " Passed as `{path}.to_tensor()`, which pads, both are dense tensors of {count} dimensions, for which one signature"
    " does. Whether the code takes these is not known."
)
_CLASS = re.compile(r"([A-Za-z_]\w*)\(")
_TWO_CLASSES = (
    "`{}` has the specification of another class, `{}`, and had `{}`: no signature takes both, so that each class is"
    " traced. Whether one would do is not known."
)
_WIDENED = "reduce_retracing widened the specification of `{}`: the new trace serves the earlier one's calls, too."
#: A class of the user's or a library's own, which TensorFlow's signature does not say the parts of.
_OTHER_SIZES = (
    "`{}` has other sizes in its specification, of the class `{}`. Where that can leave them unknown,"
    " `reduce_retracing=True`, or one of unknown sizes in an `input_signature`, needs fewer traces; whether it can is"
    " not known."
)
_SHAPE = re.compile(r"\((?:\d+|None)(?:, (?:\d+|None))*,?\)")
_SIZE = re.compile(r"\d+|None")
_TRAINABLE = {f"trainable={word}" for word in (True, False)}
_VARIABLE = re.compile(r"(distributed )?Variable ")
_OTHER_DIMENSIONS = " Their numbers of dimensions differ too; whether one would do is not known."


def told_of_variables(change: Change) -> str:
    """Evidence that a trace is bounded; "" where it is not of variables alone."""
    if {change.old, change.new} == _TRAINABLE:
        return f"`{change.path}` is a trainable variable or another: two kinds, two traces."
    if all(map(_VARIABLE.match, (change.old, change.new))):
        return f"`{change.path}` is a variable of another kind, shape or dtype: there are only so many variables."
    return ""


def told_of_composites(change: Change) -> str:
    """A verdict's evidence; "" where nothing more is known of them."""
    old, new = _kind(change.old), _kind(change.new)
    if not old or not new:
        return _of_other_classes(change)
    if old != new:
        made = dict.fromkeys(_KINDS[kind][1] for kind in (old, new) if kind in _KINDS)
        return _TWO_KINDS.format(
            path=change.path,
            new=_named(new),
            old=_named(old),
            dense=" or ".join(f"`{code.format(change.path)}`" for code in made),
            padding=", and padding does not matter" if "RaggedTensorSpec" in (old, new) else "",
        )
    before, now = _RAGGED.fullmatch(change.old), _RAGGED.fullmatch(change.new)
    if before is None or now is None or before[2] == now[2]:
        return ""
    told = _RANKS.format(path=change.path, new=now[2], old=before[2])
    counts = {match[1].count(",") + 1 for match in (before, now)}
    if len(counts) > 1:
        return told + _OTHER_DIMENSIONS
    return told + _ONE_DENSE_RANK.format(path=change.path, count=counts.pop())


def told_of_widened(change: Change) -> str:
    """Evidence that a trace is bounded, of what `reduce_retracing` has widened; "" of two classes."""
    if set(change.parts) == {"shape"}:
        return WIDENED.format(change.path)
    old, new = (_CLASS.match(text) for text in (change.old, change.new))
    return _WIDENED.format(change.path) if old and new and old[1] == new[1] and not change.parts else ""


def _of_other_classes(change: Change) -> str:
    """Of two distributions, say; or of one class, and other sizes: of a graph, say."""
    old, new = (_CLASS.match(text) for text in (change.old, change.new))
    if not old or not new:
        return ""
    if old[1] != new[1]:
        return _TWO_CLASSES.format(change.path, new[1], old[1])
    before, now = (_SHAPE.sub(_of_unknown_sizes, text) for text in (change.old, change.new))
    return _OTHER_SIZES.format(change.path, new[1]) if before == now and change.old != change.new else ""


def _of_unknown_sizes(shape: re.Match[str]) -> str:
    return _SIZE.sub("?", shape[0])


def _kind(text: str) -> str:
    if match := _OF_A_CLASS.match(text):
        return match[1]
    return "dense" if _DENSE.fullmatch(text) else ""


def _named(kind: str) -> str:
    return _KINDS[kind][0] if kind in _KINDS else "a dense tensor"
