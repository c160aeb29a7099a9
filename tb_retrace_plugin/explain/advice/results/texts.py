"""Numbers that Python writes into texts, repeats a list by, or keeps: of a tensor something else comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.advice.made_anew.closed_over_use import use_of_closed_over
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.python_uses import keeps, prints, repeats, writes

#: Of the evidence of advice on such a number.
HAS_TO_WRITE_A_TENSOR = "The code has to write the number into its texts in another way."
HAS_TO_KEEP_A_NUMBER = "The code has to keep the number elsewhere."
HAS_TO_REPEAT_A_TENSOR = "The code has to repeat the list in another way."


def told_of_texts(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with what such a use of what becomes a tensor gives."""
    arguments = dict.fromkeys(path for fix in fixes if fix.candidate for path in fix.candidate.numbers)
    uses = {path: use_of(function, path) for path in arguments}
    uses |= {name: use_of_closed_over(function, name) for fix in fixes for name in fix.reads_anew}
    if repeated := repeats(function, uses):
        name, how = next(iter(repeated.items()))
        advice = _by_hand(
            advice,
            f"{MAY}the code repeats a list (`{how}`), and of a tensor that is a product, without an error: `tf.tile`"
            " and `tf.repeat` take one.",
            HAS_TO_REPEAT_A_TENSOR,
        )
    if kept := keeps(function, uses):
        name, how = next(iter(kept.items()))
        advice = _by_hand(
            advice,
            f"{MAY}the code keeps `{name}`, or what it computes of it (`{how}`): of a tensor that is one of this"
            " graph's, which fails wherever else it is read. Keep the number where the function is called.",
            HAS_TO_KEEP_A_NUMBER,
        )
    printed = prints(function, uses)
    written = {name: use.texts for name, use in uses.items() if use.texts and name not in printed}
    how_written = writes(function, uses)
    if not written and not how_written:
        return advice
    names = list(how_written or written)
    name, it = names[0], "it" if len(names) == 1 else listed(names)
    if how_written:
        what = f"the code writes {listed(names)} into a text (`{how_written[name]}`). There"
    else:
        shown = name if name.isidentifier() else "n"
        what = (
            f"for {written[name]} of `{name}` the graphs hold other texts. Where Python formats {it} (`str({shown})`,"
        )
        what += f' `f"{{{shown}}}"`),'
    return _by_hand(
        advice,
        f"{MAY}{what} a tensor becomes `Tensor(…)`, without an error: `tf.print` and `tf.strings.format` take it as an"
        " argument of its own, and `tf.strings.as_string` makes text of it.",
        HAS_TO_WRITE_A_TENSOR,
    )


def _by_hand(advice: Advice, warning: str, why: str) -> Advice:
    return replace(advice.warned(warning), apply=None, evidence=f"{advice.evidence} {why}".lstrip())
