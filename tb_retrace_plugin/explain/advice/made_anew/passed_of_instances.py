"""A decorated method of instances that differ in numbers and tensors alone: a function outside of the class is passed
them, and serves all instances."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.changed_with_objects import paths_beside, what_else
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    are_all_of_one_kind,
    merged_identities,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import known_keywords
from tb_retrace_plugin.explain.advice.made_anew.numbers_of_objects import dtypes_of_numbers, named_numbers
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import WHOLE, constants_of, with_more
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import COMPUTED_IN_PYTHON, number_dtype
from tb_retrace_plugin.explain.advice.source.code import with_added_specs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.evidence import (
    OF_ANOTHER_INSTANCE,
    is_computed,
    says_what_is_its_own,
    told_of_an_instance,
    told_of_its_tensors,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import DELETED

_SELF = "self"
_SHARED = (
    "What else the method reads of `self`, such as variables, is the same for these instances: pass it as an argument,"
    " too, or read it from what they have it of."
)

_SEVERAL = (
    "The graphs have {} as constants of {}: where the code needs another than that of the tensor, `tf.cast({}, …)`."
)
#: Of instances that differ in tensors or variables: two of a program are no reason to write it otherwise.
_FEWEST = 3
_DTYPE = re.compile(r", tf\.(\w+)\)$")


def propose(function: FunctionFacts) -> Fix | None:
    """Whatever the verdict: each instance has a tf.function of its own, as it is written."""
    found = [t for t in function.traces if _of_an_instance(t) and says_what_is_its_own(t.evidence)]
    beside = {path: number_dtype(function, path) for path in paths_beside(_changes(found), "python_value")}
    if not found:
        return None
    same = [t for t in function.traces if _of_an_instance(t) and t.evidence.endswith(OF_ANOTHER_INSTANCE)]
    objects = merged_objects(function, [*found, *same])
    identities = merged_identities(function, [*found, *same], _SELF)
    # of others the same number may choose the graph
    if not objects or not are_all_of_one_kind(function, objects):
        return None
    if function.is_object or function.passed_as or not function.name.isidentifier() or None in beside.values():
        return None
    _, of_constants = constants_of(function, found)
    computed = of_constants.removeprefix(WHOLE) if any(is_computed(t.evidence) for t in found) else ""
    (named,) = named_numbers(function, found, [_SELF], told_of_an_instance, computed).values() or ((),)
    held = list(dict.fromkeys(name for trace in found for name in told_of_its_tensors(trace.evidence)))
    if held and times_made(objects) < _FEWEST:
        return None
    owner = found[0].changes[0].new.removeprefix(f"{DELETED} ").partition(" ")[0]
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != _SELF]
    passed = [*((name, name) for name in held), *named]
    new = [re.sub(r"\W+", "_", name.removeprefix(f"{_SELF}.")).strip("_") for name, _ in passed]
    taken = [*parameters, *new]
    if not passed or not all(map(str.isidentifier, (owner, *taken))) or len({*taken}) < len(taken):
        return None
    own = with_more(function, parameters, [])
    outside = f"{owner.lower()}_{function.name.strip('_')}"
    these = listed([name for name, _ in passed])
    it = "it" if len(passed) == 1 else "them"
    how = (
        ("as a tensor" if len(named) == 1 else "as tensors")
        if not held
        else "as an argument"
        if it == "it"
        else "as arguments"
    )
    if held and named:
        how += f", {listed([name for name, _ in named])} as {'a tensor' if len(named) == 1 else 'tensors'}"
    alike = f"fractions, which are read or computed of {these}" if computed and not held else these
    text = (
        f"`{function.name}` was traced for {function.at_least}{times_made(objects)} instances of `{owner}`, whose"
        f" graphs differ in nothing but {alike}: each instance has a tf.function of its own. Decorate a function"
        f" outside of the class, in place of the method, and pass {it} {how}."
    )
    dtypes = dtypes_of_numbers(function, found, told_of_an_instance)
    several = {name: of for name, of in dtypes.items() if len(of) > 1}
    notes = [_SEVERAL.format(f"`{name}`", listed(of), name.rpartition(".")[2]) for name, of in several.items()]
    as_tensors = {path: dtype[0] for path, dtype in beside.items() if dtype is not None}
    given = [f"tf.constant({one}, tf.{as_tensors[one]})" if one in as_tensors else one for one in parameters]
    bare = "as it is, in place of tf.function(…) of it" if function.undecorated else "not decorated"
    decorator = _decorator(function, [value for _, value in passed])
    code = (
        f"{decorator}\ndef {outside}({', '.join(taken)}):  # what the method did, with"
        f" {', '.join(f'{one} for {name}' for one, (name, _) in zip(new, passed, strict=True))}\n    …\n\n"
        f"class {owner}:\n    def {function.name}({', '.join([_SELF, own] if own else [_SELF])}):  # {bare}\n"
        f"        return {outside}({', '.join([*given, *(value for _, value in passed)])})"
    )
    notes += [COMPUTED_IN_PYTHON] if computed else []
    as_numbers = [*(name for name, _ in named), *as_tensors]
    return Fix(
        "pass_tensors_of_instance" if held else "pass_numbers_of_instance", text + what_else(_changes(found)),
        Candidate(objects=objects, identities=identities, numbers=as_tensors), other=code,
        assumes=f"the code works on tensors for {listed(as_numbers)}" if as_numbers else "",
        notes=[*notes, _SHARED],
    )  # fmt: skip


def _of_an_instance(trace: Traced) -> bool:
    """Whether nothing but that is another one, and numbers that calls pass."""
    paths = [change.path for change in trace.changes]
    return _SELF in paths and {*paths} == {_SELF, *paths_beside(trace.changes, "python_value")}


def _changes(traces: Sequence[Traced]) -> list[Change]:
    return [change for trace in traces for change in trace.changes]


def _decorator(function: FunctionFacts, tensors: Sequence[str]) -> str:
    """As the method has it now, as far as that is known."""
    keywords = known_keywords(function)
    if not keywords:
        return "@tf.function"
    decorator = f"@tf.function({', '.join(keywords)})"
    if not keywords[0].startswith("input_signature="):
        return decorator
    dtypes = (found[1] if (found := _DTYPE.search(tensor)) else "" for tensor in tensors)
    return with_added_specs(decorator, [f"tf.TensorSpec([], tf.{dtype})" if dtype else "…" for dtype in dtypes])
