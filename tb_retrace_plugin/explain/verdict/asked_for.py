"""A concrete function that the program asked for with another dtype: it may be meant to have one for each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.facts import Verdict
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: The method that gives one.
ASKS = "get_concrete_function"
_IS_ASKED_FOR = f"The program asks for a concrete function (`{ASKS}`)"
_TENSORFLOW = "/tensorflow/python/"


def asked_for_by_dtype(verdict: Verdict, changes: Sequence[Change], frames: Sequence[pb.Frame]) -> Verdict | None:
    """None: what was said holds. `frames`: innermost first."""
    if verdict.word != "avoidable" or not changes or changes[0].cause != "dtype":  # nearly always
        return None
    if any(change.cause != "dtype" for change in changes):
        return None
    between = list(itertools.takewhile(lambda frame: not frame.user, frames))
    is_asked_for = bool(between) and between[-1].function == ASKS and _TENSORFLOW in _plain(between[-1].file)
    if not is_asked_for:  # `tf.data` asks for one of what it is given, too
        return None
    path = changes[0].path
    return Verdict(
        "unknown",
        f"{_IS_ASKED_FOR} with another dtype of `{path}`. One for each dtype, as of what is exported, needs a graph"
        " each; whether one, and a cast before it is called, would do is not known.",
    )


def says_a_dtype_is_asked_for(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return evidence.startswith(_IS_ASKED_FOR)


def _plain(file: str) -> str:
    return file.replace("\\", "/")
