"""Objects that hold other numbers each time, passed or closed over: what is read of them can be tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tb_retrace_plugin.explain.advice.datasets.closed_over_in_dataset import in_a_dataset
from tb_retrace_plugin.explain.advice.evidence.constant_values import has_values, natural_dtype
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced, is_idle
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import is_of_a_library
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    how_often,
    merged_objects,
    names_of_closure,
    objects_of_closure,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import define_once, defined_once
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import (
    DECIDED_ONCE,
    WHOLE,
    code_that_takes,
    code_that_takes_numbers,
    constants_of,
    kinds_left,
    made_one,
    owner_of,
    read_elsewhere,
    read_of,
    taken_as,
    tensor_of,
)
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import COMPUTED_IN_PYTHON, NEEDS_A_NUMBER
from tb_retrace_plugin.explain.differences.number_holders import is_another_holder
from tb_retrace_plugin.explain.verdict.evidence import (
    NUMBERS_OF_AN_OBJECT,
    TENSORS_OF_AN_OBJECT,
    how_it_has,
    told_of_functions,
    told_of_held,
    told_of_holders,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_OF_A_LIBRARY = (
    "`{0}` is a library's class. What its own code reads of it is passed so: make one in the function, of the tensor"
    " (`{0}(…)`), where its code takes one; else keep one for each value, which needs a trace each."
)
_ToldBy = Callable[[str], Mapping[str, tuple[str, str]]]
#: That `tf.constant` is given.
_DTYPE = re.compile(r", tf\.(\w+)\)$")
#: Classes of which an object is a number as a whole.
_NUMBERS = frozenset({"Decimal", "Fraction"})


def propose(function: FunctionFacts) -> Fix | None:
    """Of arguments."""
    found = sorted((t for t in _held(function) if t.kind == "retrace"), key=lambda trace: len(trace.changes))
    beside = {c.path for t in function.avoidable if t.evidence.endswith(TENSORS_OF_AN_OBJECT) for c in t.changes}
    beside |= {path for trace in found for path in told_of_functions(trace.evidence)}  # such as what a partial binds
    changed = [
        c for t in found for c in t.changes if is_another_holder(c) and c.path not in beside and not is_idle(t, c)
    ]
    owners = {change.path: owner_of(change.new) for change in reversed(changed)}
    paths = list(dict.fromkeys(change.path for change in changed))
    if not paths:
        return None
    found = [trace for trace in found if any(change.path in paths for change in trace.changes)]
    about = [(t, c) for t, c in function.with_cause("object_identity", "python_value", held=True) if c.path in paths]
    identities = {key: root for path in paths for key, root in made_one(function, about, path).items()}
    told = [values for trace in found for values in told_of_holders(trace.evidence).values()]
    constants, dtype = constants_of(function, found, told)
    one = len(paths) == 1
    is_number = all(owner.rpartition(".")[2] in _NUMBERS for owner in owners.values())
    others = read_elsewhere(function, paths, _numbers_beside(found))
    kinds = max(kinds_left(function, identities, path) for path in paths)
    what = " and ".join(f"`{path}` of `{function.name}` is another `{owners[path]}`" for path in paths)
    it, of_it = ("it", "it is") if one else ("them", "they are")
    named = named_numbers(function, found, paths, told_of_holders) if _tells_all(found) else {}
    those = f"fractions{constants}, which are read or computed of {it}{others} in Python"
    if named:
        those = f"{listed([name for own in named.values() for name, _ in own])}{constants}, which Python reads of {it}"
    text = f"{what} in each trace, and the graphs differ in nothing but {those}. "
    if is_number:
        text += f"Pass {'it as a tensor' if one else 'them as tensors'} at every call."
        notes = [f"What Python makes of {it} within the function (`float(…)`, `.numerator`) is made before the call."]
    else:
        text += (
            f"Pass these numbers as tensors, in arguments of their own, and for what else is read of {it} the same"
            " object each time, or none."
        )
        notes = [
            f"As long as {of_it} passed anew, there is a trace for each.",
            DECIDED_ONCE,
            *_of_libraries(found, {} if named else owners),
            *([] if named else [COMPUTED_IN_PYTHON]),
            *([NEEDS_A_NUMBER] if any(_holds_whole(trace) for trace in found) else []),
        ]
        if kinds > 1:
            these = "these" if named else "fractions"
            text += (
                f" Other graphs differ in more than {these}: keep one object for each of {kinds} kinds, and pass that"
                " of the call's kind. One for all may give the results of one kind."
            )
    tensors = {path: tensor_of(f"{path}.…", dtype) for path in paths}
    code = code_that_takes_numbers(function, found[0], named, kinds) if named else ""
    return Fix(
        "pass_numbers_of_object", text, Candidate(identities=identities),
        calls={path: tensor_of("float({})", dtype) for path in paths} if is_number else {},
        other="" if is_number else code or code_that_takes(function, found[0], tensors, "number", kinds),
        added=dict.fromkeys((f"{path}_number" for path in paths), ""),  # an object is declared by no signature
        asked_with=_asked_with(found, named) if code and kinds == 1 else {},
        reads_anew=read_of(function, paths), assumes=_assumes(paths), notes=notes,
    )  # fmt: skip


def _of_libraries(found: Sequence[Traced], owners: Mapping[str, str]) -> list[str]:
    """What the user can do where a library's code reads the numbers."""
    of = [owner for path, owner in owners.items() if any(is_of_a_library(trace, path) for trace in found)]
    return [_OF_A_LIBRARY.format(owner) for owner in dict.fromkeys(of)]


def propose_closed_over(function: FunctionFacts) -> Fix | None:
    found = [t for t in _held(function) if any(c.cause == "recreated_function" for c in t.changes)]
    names = list(dict.fromkeys(name for trace in found for name in objects_of_closure(trace.evidence)))
    if not names:
        return None
    alike = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    if is_given_to_tf_data(found[0]):
        constants, _ = constants_of(function, found)
        why = f"for another {listed(names)} each time, of which nothing but fractions{constants} differs in the graphs"
        return in_a_dataset(function, found, names, why, tensors=False, equal=alike, hold_numbers=True)
    objects = merged_objects(function, [*found, *alike])  # defined once, it serves those of equal numbers as well
    constants, dtype = constants_of(function, found)
    of_it = "it" if len(names) == 1 else "them"
    text = (
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, for another {listed(names)} each"
        f" time {how_it_has([found[0].evidence])}, and the graphs differ in nothing but fractions{constants}, which are"
        f" read or computed of {of_it}{read_elsewhere(function, names)} in Python."
        f" {define_once(function, objects)}, and pass these numbers as tensor arguments."
    )
    if function.is_object and names == [function.name]:  # tf.function was given the object itself
        text = (
            f"A tf.function was made of another `{function.name}` {function.at_least}{how_often(objects)}, and"
            f" the graphs differ in nothing but fractions{constants}, which are read or computed of"
            f" it{read_elsewhere(function, names)} in Python. Make it of one `{function.name}`, once, and pass these"
            " numbers as tensor arguments, which its `__call__` has to take."
        )
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != "self"]
    numbers = [f"{name}_number" for name in names] if all(name.isidentifier() for name in names) else []
    tensors = [tensor_of(f"{name}.…", dtype) for name in names]
    specs = dict.fromkeys(numbers, f"tf.TensorSpec([], tf.{dtype.removeprefix(WHOLE)})")
    return Fix(
        "pass_numbers_of_object", text, Candidate(objects=objects),
        other=_made_of_one(function, parameters, dtype)
        if function.is_object and names == [function.name]
        else defined_once(function, parameters, specs, tensors)
        if numbers
        else "",
        added=specs,
        reads_anew=read_of(function, names), assumes=_assumes(names), notes=[COMPUTED_IN_PYTHON],
    )  # fmt: skip


def _tells_all(traces: Sequence[Traced]) -> bool:
    """Whether traces tell all numbers that are read, and others no more."""
    known = {name for trace in traces for name in told_of_held(trace.evidence)}
    told = [told_of_holders(trace.evidence) for trace in traces]
    return all(one and one.keys() <= known for one in told)


def named_numbers(
    function: FunctionFacts, traces: Sequence[Traced], paths: Sequence[str], told_by: _ToldBy, computed: str = ""
) -> dict[str, list[tuple[str, str]]]:
    """By path which numbers are read of it, and how each is passed as a tensor. `told_by`: of evidence; `computed`: the
    dtype of constants that are computed of them."""
    dtypes = {name: found[0] for name, found in dtypes_of_numbers(function, traces, told_by).items() if found}
    told = _values_told(traces, told_by)
    tensors: dict[str, str] = {}
    for name, of_name in told.items():
        plain = natural_dtype(of_name)
        dtype = dtypes.get(name, computed or plain or "float32")
        tensors[name] = f"tf.constant({name})" if dtype == plain else f"tf.constant({name}, tf.{dtype})"
    named = {path: [pair for pair in tensors.items() if pair[0].startswith(f"{path}.")] for path in paths}
    return named if sum(map(len, named.values())) == len(tensors) else {}


def _values_told(traces: Sequence[Traced], told_by: _ToldBy) -> dict[str, list[str]]:
    """All values of each number, by name."""
    told: dict[str, list[str]] = {}
    for trace in traces:
        for name, values in told_by(trace.evidence).items():
            told.setdefault(name, []).extend(values)
    return told


def dtypes_of_numbers(function: FunctionFacts, traces: Sequence[Traced], told_by: _ToldBy) -> dict[str, list[str]]:
    """Of the constants that have their values in the graphs, by name, as they come."""
    dtypes: dict[str, dict[str, None]] = {}
    for trace in traces:
        place = next(i for i, one in enumerate(function.traces) if one is trace)
        pair = function.graphs.compare(trace.closest, place) if trace.closest is not None else None
        for name, values in told_by(trace.evidence).items():
            found = [c.dtype for c in (pair.constants if pair is not None else ()) if has_values(c, *values)]
            dtypes.setdefault(name, {}).update(dict.fromkeys(found))
    return {name: list(found) for name, found in dtypes.items()}


def _asked_with(traces: Sequence[Traced], named: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, str]:
    """The objects that are kept, and specifications of their numbers, by the names that the code has for them."""
    told = _values_told(traces, told_of_holders)
    asked = {path: f"kept_{path}" for path in named}
    for path, own in named.items():
        for name, tensor in own:
            given = _DTYPE.search(tensor)
            asked[taken_as(path, name)] = f"tf.TensorSpec([], tf.{given[1] if given else natural_dtype(told[name])})"
    return asked


def _holds_whole(trace: Traced) -> bool:
    values = [value for both in told_of_held(trace.evidence).values() for value in both]
    return any(value.lstrip("-").isdecimal() for value in values)


def _made_of_one(function: FunctionFacts, parameters: Sequence[str], dtype: str) -> str:
    """`tf.function` of an object, whose class has to take the numbers where it is called."""
    passed = [path if path.isidentifier() else "…" for path in parameters]
    return (
        f"compiled = tf.function({function.name}(…))  # once, before the loop\n"
        f"…\ncompiled({', '.join([*passed, tensor_of('…', dtype)])})"
    )


def _held(function: FunctionFacts) -> list[Traced]:
    return [trace for trace in function.avoidable if trace.evidence.endswith(NUMBERS_OF_AN_OBJECT)]


def _numbers_beside(traces: Sequence[Traced]) -> list[str]:
    """Python numbers, and what functions close over, that changed wherever an object did: which of them the fractions
    are of is not known."""
    beside = [
        [c.path for c in trace.changes if c.cause == "python_value" and not is_another_holder(c)] for trace in traces
    ]
    for names, trace in zip(beside, traces, strict=True):
        names += [name for told in told_of_functions(trace.evidence).values() for name in names_of_closure(told)]
    return list(dict.fromkeys(name for names in beside for name in names)) if all(beside) else []


def _assumes(names: Sequence[str]) -> str:
    return f"the code works on tensors for the numbers that it reads of {listed(names)}"
