"""Functions as arguments, made anew for other numbers that they close over: one that takes these as tensors will do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    how_often,
    merged_objects,
    names_of_closure,
    node_of,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import (
    define_once,
    defined_once,
    self_of,
    where_it_reads_locals,
)
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import (
    WHOLE,
    as_passed,
    constants_of,
    kinds_left,
    made_one,
    tensor_of,
    with_more,
)
from tb_retrace_plugin.explain.advice.source.own_lines import in_lines_of
from tb_retrace_plugin.explain.differences.closure import OF, OF_ITSELF
from tb_retrace_plugin.explain.verdict.evidence import (
    A_FUNCTION_MADE_ANEW,
    NUMBERS_OF_AN_OBJECT,
    how_it_has,
    told_of_functions,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: Of what a function closes over, before and now.
#: The same, of a function that is closed over: its number, and its own name.
_WITHIN = re.compile(rf"`([^`]+){OF}([^`]+)`: (\S+) → ([^\s,]+)")
_VALUES = re.compile(r"`[^`]+`: (\S+) → ([^\s,]+)")


def propose(function: FunctionFacts) -> Fix | None:
    traces = [t for t in function.avoidable if A_FUNCTION_MADE_ANEW in t.evidence and _is_of_numbers(t)]
    traces.sort(key=lambda trace: len(trace.changes))
    names: dict[str, list[str]] = {}
    for trace in traces:
        for path, told in told_of_functions(trace.evidence).items():
            found = names.setdefault(path, [])
            found += [name for name in names_of_closure(told) if name not in found]
    if not names:
        return None
    paths = list(names)
    # with those of the same numbers, which one in place of all serves as well
    about = [(t, c) for t, c in function.with_cause("object_identity", held=True) if c.path in paths]
    identities = {key: root for path in paths for key, root in made_one(function, about, path).items()}
    said = [text for trace in traces for text in told_of_functions(trace.evidence).values()]
    constants, dtype = constants_of(function, traces, [both for text in said for both in _VALUES.findall(text)])
    kinds = max(kinds_left(function, identities, path) for path in paths)
    of_all = list(dict.fromkeys(name for own in names.values() for name in own))
    number, it, a_tensor = ("number", "it", "a tensor") if len(of_all) == 1 else ("numbers", "them", "tensors")
    clause = how_it_has([told for t in traces for told in told_of_functions(t.evidence).values()])
    if len(paths) > 1:
        clause = clause.replace("it reads", "they read").replace("it closes over", "they close over")
    are = "is another function" if len(paths) == 1 else "are other functions"
    keep = "Pass one function each time" if len(paths) == 1 else "Pass the same functions each time"
    text = (
        f"{listed(paths)} of `{function.name}` {are} in each trace, made for other values of the Python"
        f" {number} {listed(of_all)} {clause}, and the graphs differ in nothing but fractions{constants}. {keep},"
        f" which {'takes' if len(paths) == 1 else 'take'} {it} as"
        f" {'an argument' if a_tensor == 'a tensor' else 'arguments'}, and pass {it} as {a_tensor} at every call."
    )
    if kinds > 1:
        text += f" Other graphs differ in more than fractions: keep one for each of {kinds} kinds."
    code = code_that_passes(function, traces[0], names, lambda name: tensor_of(name, dtype), identities)
    asked_with = {path: f"kept_{path}" for path in names}
    asked_with |= dict.fromkeys(_taken_as(names), f"tf.TensorSpec([], tf.{dtype.removeprefix(WHOLE)})")
    return Fix(
        "pass_number_of_function", text, Candidate(identities=identities), other=code,
        added=dict.fromkeys(of_all, ""),  # a function is declared by no signature
        asked_with=asked_with if code and kinds == 1 else {},
        reads_anew=of_all,
        assumes=f"{listed(paths)} {'works' if len(paths) == 1 else 'work'} on {a_tensor} for {listed(of_all)}",
    )  # fmt: skip


def propose_closed_over(function: FunctionFacts) -> Fix | None:
    """Of functions that a new tf.function object closes over: it can make them itself, of what it is passed."""
    found = [t for t in function.avoidable if _is_of_numbers(t) and A_FUNCTION_MADE_ANEW not in t.evidence]
    told = {t.evidence: _WITHIN.findall(t.evidence) for t in found if t.kind == "recreated"}
    within = dict.fromkeys(pair[:2] for pairs in told.values() for pair in pairs)
    if not within:
        return None
    found = [trace for trace in found if told.get(trace.evidence)]
    own = [name for t in found for name in names_of_closure(t.evidence) if OF not in name]
    names = list(dict.fromkeys([name for name, _ in within] + own))
    makes = list(dict.fromkeys(made for _, made in within))
    alike = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, [*found, *alike])
    constants, dtype = constants_of(function, found, [pair[2:] for pairs in told.values() for pair in pairs])
    number, it = ("number", "it as a tensor argument") if len(names) == 1 else ("numbers", "them as tensor arguments")
    made_of = f"make {listed(makes)} within it, of what is passed"
    text = (
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, for other values of the Python {number}"
        f" {listed(names)}, of which {listed(makes)} {'is' if len(makes) == 1 else 'are'} made, and the graphs differ"
        f" in nothing but fractions{constants}. {define_once(function, objects)}, pass {it}, and {made_of}."
    )
    specs = dict.fromkeys(names, f"tf.TensorSpec([], tf.{dtype.removeprefix(WHOLE)})")
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != "self"]
    code = defined_once(function, parameters, specs, [tensor_of(name, dtype) for name in names])
    lines = "".join(f"    {name} = …  # made here, of what is passed\n" for name in makes)
    code = code.replace("    …\n", f"{lines}    …\n", 1)
    return Fix(
        "pass_number_of_function", text, Candidate(objects=objects), other=code, added=specs, reads_anew=names,
        assumes=f"{listed(makes)} works on tensors for {listed(names)}", notes=where_it_reads_locals(function, names),
    )  # fmt: skip


def _is_of_numbers(trace: Traced) -> bool:
    return trace.evidence.endswith(NUMBERS_OF_AN_OBJECT)


def _taken_as(names: Mapping[str, list[str]]) -> dict[str, tuple[str, str]]:
    """New parameters, and of which function's what."""
    return {f"{path}_{name.rpartition('.')[2]}": (path, name) for path, own in names.items() for name in own}


def code_that_passes(
    function: FunctionFacts, trace: Traced, names: Mapping[str, list[str]], given_as: Callable[[str], str],
    identities: Mapping[tuple[str, int], int],
) -> str:  # fmt: skip
    """ "" if something cannot be written as a name. `names`: of what each of the functions closes over, `given_as`: how
    a call passes it; `identities`: of those that one function takes the place of."""
    parameters = [name for name, _ in trace.lookup.signature.arguments if name != "self"]
    added = _taken_as(names)
    if not all(name.isidentifier() for name in (function.name, *parameters, *added)):
        return ""
    if len({*parameters, *added}) < len(parameters) + sum(map(len, names.values())):
        return ""
    given = [as_passed(function, name, f"kept_{name}" if name in names else name) for name in parameters]
    given += [
        f"{new}={given_as(name).replace(OF_ITSELF, f'{path}.{OF_ITSELF}')}" for new, (path, name) in added.items()
    ]
    taken = with_more(function, parameters, list(added))
    kept = [
        f"kept_{path} = …  # once, before the loop: with a parameter for {listed(own).replace('`', '')}"
        for path, own in names.items()
    ]
    code = (
        f"@tf.function\ndef {function.name}({self_of(function)}{taken}):  # passes {' and '.join(names)} what"
        f" {'it' if len(names) == 1 else 'they'} closed over\n    …\n\n" + "\n".join(kept) + f"\n…\n"
        f"{function.called}({', '.join(given)})"
    )
    made = {*identities, *((path, root) for (path, _), root in identities.items())}
    nodes = [(one, path, node_of(one, path)) for one in function.traces for path in names]
    of_these = [one for one, path, node in nodes if node is not None and (path, node.identity) in made]
    it = "it" if sum(map(len, names.values())) == 1 else "them"
    return in_lines_of(function, code, of_these, f"with a function that takes {it}, too")
