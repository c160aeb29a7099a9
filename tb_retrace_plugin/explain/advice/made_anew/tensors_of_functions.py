"""Functions as arguments, made anew for other tensors that they close over: one that takes these will do."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import names_of_closure
from tb_retrace_plugin.explain.advice.made_anew.closed_over_tensor import MAY_BE_PASSED, passes_variables
from tb_retrace_plugin.explain.advice.made_anew.numbers_of_functions import code_that_passes
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import kinds_left, made_one, tensor_of
from tb_retrace_plugin.explain.verdict.evidence import TENSORS_OF_A_FUNCTION, how_it_has, told_of_functions
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_NUMBER = re.compile(r"`([^`]+)`: ")


def propose(function: FunctionFacts) -> Fix | None:
    traces = [trace for trace in function.avoidable if trace.evidence.endswith(TENSORS_OF_A_FUNCTION)]
    names: dict[str, list[str]] = {}
    numbers: set[str] = set()
    told_of = [pair for trace in traces for pair in told_of_functions(trace.evidence).items()]
    for path, told in told_of:
        found = names.setdefault(path, [])
        found += [name for name in names_of_closure(told) if name not in found]
        numbers.update(_NUMBER.findall(told))
    if not names:
        return None
    paths, of_all = list(names), list(dict.fromkeys(name for own in names.values() for name in own))
    about = [(t, c) for t, c in function.with_cause("object_identity", held=True) if c.path in paths]
    identities = {key: root for path in paths for key, root in made_one(function, about, path).items()}
    kinds = max(kinds_left(function, identities, path) for path in paths)
    one = len(paths) == 1
    clause = how_it_has([told for _, told in told_of])
    clause = clause if one else clause.replace("it reads", "they read").replace("it closes", "they close")
    what = "other tensors and numbers" if numbers else "other tensors or variables"
    own_numbers = [name for name in of_all if name in numbers]
    as_tensors = f", {listed(own_numbers)} as {'a tensor' if len(own_numbers) == 1 else 'tensors'}," if numbers else ""
    text = (
        f"{listed(paths)} of `{function.name}` {'is another function' if one else 'are other functions'} in each trace,"
        f" made anew for {what} {clause}, {listed(of_all)}, and the graphs have the same operations. Pass"
        f" {'one function' if one else 'the same functions'} each time, which {'takes' if one else 'take'}"
        f" {'it as an argument' if len(of_all) == 1 else 'them as arguments'}, and pass"
        f" {'it' if len(of_all) == 1 else 'them'}{as_tensors} at every call."
    )
    if kinds > 1:
        text += f" Others differ in more: keep one for each of {kinds} kinds."
    may_be_passed = any(map(passes_variables, function.traces))
    return Fix(
        "pass_tensors_of_function", text, None if may_be_passed else Candidate(identities=identities),
        other=code_that_passes(
            function, traces[0], names, lambda name: tensor_of(name, "float32") if name in numbers else name, identities
        ),
        evidence=MAY_BE_PASSED if may_be_passed else "",
        added=dict.fromkeys(of_all, ""),  # a function is declared by no signature
        reads_anew=of_all,
        assumes=f"{listed(paths)} {'reads' if one else 'read'} {listed(of_all)} from the new arguments",
    )  # fmt: skip
