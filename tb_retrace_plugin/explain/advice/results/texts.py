"""Numbers that Python writes into texts (`tf.print(f"step {n}")`): of a tensor it writes no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.advice.made_anew.closed_over_use import use_of_closed_over
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.source.code import listed


def told_of_texts(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice; first of all where graphs hold other texts for other values of what becomes a tensor."""
    arguments = dict.fromkeys(path for fix in fixes if fix.candidate for path in fix.candidate.numbers)
    uses = {path: use_of(function, path) for path in arguments}
    uses |= {name: use_of_closed_over(function, name) for fix in fixes for name in fix.reads_anew}
    written = {name: use.texts for name, use in uses.items() if use.texts}
    if not written:
        return advice
    name, values = next(iter(written.items()))
    shown = name if name.isidentifier() else "n"
    what = "it" if len(written) == 1 else listed(list(written))
    return replace(
        advice,
        text=f"{MAY}for {values} of `{name}` the graphs hold other texts. Where Python formats {what} (`str({shown})`,"
        f' `f"{{{shown}}}"`), a tensor becomes `Tensor(…)` there, without an error: `tf.print` and'
        f" `tf.strings.format` take it as an argument of its own, and `tf.strings.as_string` makes text of it."
        f" {advice.text}",
        apply=None,
    )
