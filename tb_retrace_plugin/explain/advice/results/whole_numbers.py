"""Numbers that Python computes of one with more digits than a tensor has: of that they may be others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.made_anew.closed_over_use import natural_of_closed_over, use_of_closed_over
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.use import FLOATS, Use
from tb_retrace_plugin.explain.what_if.candidate import is_number

_WHOLE = ("int", "uint")
_AS_PRECISE = ("float64", "complex128")


def told_of_digits(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with of which numbers a float32 has too few digits for what is computed of them."""
    found = {name: use.digits for name, dtype, use in _uses(function, fixes) if dtype == "float32" and use.digits}
    if not found:
        return advice
    names, value = listed(list(found)), next(iter(found.values()))
    it = "it" if len(found) == 1 else "them"
    return advice.warned(
        f"{MAY}a float32 has seven digits, and what Python computes of {names} depends on more ({value}): of a tensor"
        " it may be another number, without an error, as `1 - 0.99999999` is 0. Compute it before the call, and pass"
        f" what comes of it, or make {it} {'a tensor' if len(found) == 1 else 'tensors'} of float64, and cast that."
    )


def told_of_whole_numbers(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with of which fractions the graphs hold whole numbers, without an error on a tensor's."""
    names = list(dict.fromkeys(name for name, use in _fractions(function, fixes) if _makes_whole(use)))
    if not names:
        return advice
    one = len(names) == 1
    return advice.warned(
        f"{MAY}for {listed(names)} the graphs hold whole numbers that Python computes of {'it' if one else 'them'}, and"
        " of a tensor, which has fewer digits, they may be others, without an error: `int(0.29 * 100)` is 28, and 29 of"
        " a float32. Compute them before the call, and pass those."
    )


def _fractions(function: FunctionFacts, fixes: Sequence[Fix]) -> Iterator[tuple[str, Use]]:
    """Of those that become tensors: none of the values that are told is a whole number."""
    for fix in fixes:
        for path, dtype in (fix.candidate.numbers if fix.candidate else {}).items():
            types = {node.type_name for node in nodes_at(function, path) if is_number(node)}
            if types == {"float"} and dtype not in _AS_PRECISE:
                yield path, use_of(function, path)
        for name in fix.reads_anew:
            if natural_of_closed_over(function, name).startswith(FLOATS):
                yield name, use_of_closed_over(function, name)


def _uses(function: FunctionFacts, fixes: Sequence[Fix]) -> Iterator[tuple[str, str, Use]]:
    """Of those that become tensors, with the tensors' dtype."""
    for fix in fixes:
        for path, dtype in (fix.candidate.numbers if fix.candidate else {}).items():
            yield path, dtype, use_of(function, path)
        for name in fix.reads_anew:
            use, natural = use_of_closed_over(function, name), natural_of_closed_over(function, name)
            yield name, use.dtype or natural or "float32", use


def _makes_whole(use: Use) -> bool:
    return any(dtype.startswith(_WHOLE) for dtype in use.dtypes)
