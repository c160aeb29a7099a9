"""Python values that each trace reads anew: with fewer traces, calls run with what an earlier one has read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import listed
from tb_retrace_plugin.schema.signature import hidden_type

#: Of the evidence of advice on what could be a tensor.
HAS_TO_BE_A_TENSOR = "The code has to work on a tensor for"
#: Values that are listed.
_MOST_LISTED = 3


def told_of_frozen_values(
    advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool] | None = None
) -> Advice:
    """The advice; first of all what it would freeze. `stays`: which traces remain; None: not known."""
    passed = {name for fix in fixes for name in fix.reads_anew}
    frozen = {name: values for name, values in _frozen(function, stays).items() if name not in passed}
    if not frozen:
        return advice
    names = listed(list(frozen))
    shown = " and ".join(f"`{name}` ({_listed(values)})" for name, values in list(frozen.items())[:_MOST_LISTED])
    text = (
        f"By itself this can change results: each trace reads {shown} anew, and with fewer traces calls run with what"
        " an earlier one has read. "
    )
    one = len(frozen) == 1
    if not all(_is_number(value) for values in frozen.values() for value in values):
        return replace(
            advice,
            text=f"{text}Pass {'it as an argument' if one else 'them as arguments'}, too. {advice.text}",
            traces_after=None, seconds_saved=None, apply=None,
            evidence=f"Not replayed: each value of {names} that is passed, and is no tensor, needs a trace of its own.",
        )  # fmt: skip
    how = "Make it a tf.Variable, or pass it as a tensor" if one else "Make them tf.Variables, or pass them as tensors"
    code = "".join(f"{name} = tf.Variable(…)  # once; later: {name}.assign(…)\n" for name in frozen)
    return replace(
        advice,
        text=f"{text}{how}, too. {advice.text}",
        code=f"{code}\n{advice.code}" if advice.code else None,
        evidence=f"{advice.evidence} {HAS_TO_BE_A_TENSOR} {names}, too.".lstrip(),
        apply=None,
    )


def _frozen(function: FunctionFacts, stays: Sequence[bool] | None) -> dict[str, list[str]]:
    """Names of which a trace that goes has read another value than an earlier one; with all that were read."""
    found: dict[str, list[str]] = {}
    for name, values in function.values_read.items():
        earlier: set[str] = set()
        for place, value in enumerate(values[: len(function.traces)]):
            goes = not stays[place] if stays is not None else function.traces[place].verdict == "avoidable"
            if value is None:
                continue
            if goes and earlier - {value}:
                found[name] = list(dict.fromkeys(v for v in values if v is not None))
                break
            if not goes or stays is None:
                earlier.add(value)
    return found


def _listed(values: Sequence[str]) -> str:
    shown = [value.replace("`", "'") for value in values[:_MOST_LISTED]]
    return ", ".join([*shown, *(["…"] if len(values) > _MOST_LISTED else [])])


def _is_number(text: str) -> bool:
    if hidden_type(text) in ("int", "float"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
