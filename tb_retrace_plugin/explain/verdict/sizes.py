"""Of other sizes, or another rank, of a tensor; and of a variable of another shape or dtype."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.evidence import BESIDE_ANOTHER_MODEL, LAST_BATCH, WIDENED, WIDENED_AND_FAILED
from tb_retrace_plugin.explain.verdict.facts import FAILED, Facts, Verdict
from tb_retrace_plugin.explain.verdict.new_objects import judge_new_object

_MADE_ANEW = (
    "`{0}` is a variable of another {1}, and the earlier one no longer exists: they are made anew, and each {1} of"
    " theirs is traced. How many there will be is not known."
)
_ASSIGNED_TO = (
    " One that is made with `shape={}`, kept and assigned to needs one trace, if the code does not need the sizes."
)
_SHAPE = re.compile(r"\((?:\d+, )*\d*,?\)")
_PASSED_WIDE = (
    "`{}` is passed with unknown dimensions, as reduce_retracing leaves them: the new trace serves those before."
)
_ASKED_RANK = (
    "The code asks for the rank of `{}` in Python (`{}`), and builds another graph: each rank needs one, and there are"
    " only so many."
)
_PASSED_UNKNOWN = "`{}` is passed with unknown dimensions: the new trace serves those before, though {}."


def judge_variable(change: Change, facts: Facts) -> Verdict:
    path = change.path
    what = "dtype" if change.cause == "dtype" else "shape"
    if facts.gone_variables:
        return Verdict("unknown", f"{_MADE_ANEW.format(path, what)}{_of_unknown_sizes(change)}")
    if facts.many_variables or _is_of_a_function_made_anew(facts):
        return Verdict("unknown", f"`{path}` is a variable of another {what}; how many there are is not known.")
    return Verdict("bounded", f"`{path}` is a variable of another {what}: there are only so many variables.")


def judge_sizes(change: Change, facts: Facts) -> Verdict:
    """Of a tensor's shape or rank."""
    path = change.path
    if facts.failed:
        return Verdict("avoidable", WIDENED_AND_FAILED.format(path)) if facts.generalized else FAILED
    if facts.generalized and change.cause == "shape":
        return Verdict("bounded", WIDENED.format(path))
    if change.cause == "shape" and _serves(change.new, change.old):
        if facts.reduce_retracing:
            return Verdict("bounded", _PASSED_WIDE.format(path))
        if facts.each_shape and not facts.recursive:
            return Verdict("bounded", _PASSED_UNKNOWN.format(path, facts.each_shape))
    if facts.other_models:  # one was put in another's place, or the sizes choose one
        return Verdict("bounded", BESIDE_ANOTHER_MODEL.format(path))
    if facts.recursive:  # `if x.shape[0] == 1` would never be so, and the trace never end
        return Verdict("unknown", f"It calls itself: if the shape of `{path}` ends that, it cannot be unknown.")
    if facts.each_shape:
        return _judge_static_shape(change, facts)
    # beside others it is left open: what is advised about these may be in one with each rank's trace
    if change.cause == "rank" and facts.other_size and path in facts.asked_ranks and len(facts.changes) == 1:
        return Verdict("bounded", _ASKED_RANK.format(path, facts.asked_ranks[path]))
    if change.cause == "rank" and facts.other_size:  # it may be asked for
        return Verdict("avoidable", f"`{path}` can be of one rank at every call.")
    return Verdict("avoidable", f"Both shapes of `{path}` fit a signature with unknown dimensions.")


def _is_of_a_function_made_anew(facts: Facts) -> bool:
    """For something else that it closes over: its variables may be made anew with it."""
    is_made = any(change.cause == "recreated_function" for change in facts.changes)
    return is_made and judge_new_object(facts).word == "unknown"


def _of_unknown_sizes(change: Change) -> str:
    """What such a variable is made with; "" where ranks differ, or shapes are not fully known."""
    if change.cause != "shape" or not all(map(_SHAPE.fullmatch, (change.old, change.new))):
        return ""
    old, new = ([int(size) for size in re.findall(r"\d+", text)] for text in (change.old, change.new))
    if len(old) != len(new):
        return ""
    sizes = [str(b) if a == b else "None" for a, b in zip(old, new, strict=True)]
    return _ASSIGNED_TO.format(f"[{', '.join(sizes)}]")


def _serves(wide: str, narrow: str) -> bool:
    """Whether a shape with unknown dimensions takes the other one."""
    sizes = [text.strip("()").replace(" ", "").rstrip(",").split(",") for text in (wide, narrow)]
    pairs = [*zip(*sizes, strict=True)] if len(sizes[0]) == len(sizes[1]) else []
    return "None" in wide and bool(pairs) and all(one in ("None", other) for one, other in pairs)


def _judge_static_shape(change: Change, facts: Facts) -> Verdict:
    path, why = change.path, facts.each_shape[0].upper() + facts.each_shape[1:]
    if change.cause == "rank":
        return Verdict("avoidable", f"{why}; `{path}` can be reshaped to one rank before the call.")
    if facts.last_batch:
        old, new = (text.strip("()").partition(",")[0] for text in (change.old, change.new))
        return Verdict(
            "avoidable",
            f"{why}; {new} in place of {old} in the first dimension alone {LAST_BATCH}, which `drop_remainder=True`"
            " leaves out, or padding fills up.",
        )
    if facts.near:
        return Verdict(
            "avoidable", f"{why}; padded to one shape with an earlier call, `{path}` is at most a third padding."
        )
    return Verdict(
        "unknown",
        f"{why}, and that of `{path}` is far from those before. Whether it is meant to have these few, such as sizes to"
        " pad to, or could do with fewer (a dataset's last batch: `drop_remainder=True`), is not known.",
    )
