"""What TensorFlow traces in place of a tf.function whose first call failed, at each later call of it."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.evidence import STANDS_IN

_TEXT = (
    f"`{{}}` is TensorFlow's own. {STANDS_IN} Mend what that trace failed of, and make the tf.function anew, for one"
    " that has failed so stays as it is: in a notebook, run the cell that defines it again."
)


def propose(function: FunctionFacts) -> Fix | None:
    if function.traces[0].evidence != STANDS_IN:
        return None
    frames = [frame for trace in function.traces if (frame := function.caller(trace)) is not None]
    lines = list(dict.fromkeys(source_line(frame) for frame in frames if frame.source))[:3]
    called = "\n".join(f"{line}  # gives None" for line in lines)
    evidence = "Not replayed: what the function itself will trace is not known."
    return Fix("mend_the_first_call", _TEXT.format(function.name), None, other=called, evidence=evidence)
