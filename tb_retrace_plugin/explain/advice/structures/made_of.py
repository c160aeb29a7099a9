"""What calls pass, made something else of in their own lines."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.source.call_lines import rewritten_call

_MAX_LINES = 3


def made_of(function: FunctionFacts, paths: Sequence[str], wrap: str) -> str:
    """Code with what is passed at `paths` wrapped: in the calls themselves, a list that grows is one before them."""
    parameters = [name for name, _ in function.traces[0].lookup.signature.arguments if name != "self"]
    lines: dict[str, None] = {}
    for trace in function.traces if set(paths) <= set(parameters) else ():
        line = rewritten_call(function, trace, dict.fromkeys(paths, wrap))
        if line:
            lines[line] = None
    by_name = "\n".join(f"{wrap.format(path)}  # in place of {path}, at each call" for path in paths[:_MAX_LINES])
    return "\n".join([*lines][:_MAX_LINES]) or by_name
