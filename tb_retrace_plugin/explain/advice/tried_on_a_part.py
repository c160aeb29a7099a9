"""Advice where some traces were counted and not recorded one by one: what it says is of the others alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import plural


def told_of_a_part(advice: Iterable[Advice], function: FunctionFacts) -> list[Advice]:
    """The same advice; if it rests on a part of the traces, it says so."""
    if not function.omitted:
        return list(advice)
    recorded = len(function.traces)
    text = (
        f" Of {plural(recorded + function.omitted, 'trace')} {recorded:,} {'was' if recorded == 1 else 'were'} recorded"
        f" one by one: numbers are of {'that one' if recorded == 1 else 'these'} alone."
    )
    omitted = function.omitted
    return [replace(one, evidence=(one.evidence + text).lstrip(), traces_not_tried=omitted) for one in advice]
