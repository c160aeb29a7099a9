"""Arguments that are another object of the same class each time: what is read of them can be passed instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.constant_values import has_values
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.key_defaults import told_defaults
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import Merged, node_of
from tb_retrace_plugin.explain.advice.made_anew.defined_once import self_of
from tb_retrace_plugin.schema.signature import ANOTHER

DECIDED_ONCE = "What an `if` decides in Python by what that object holds is decided once for all calls then."
#: Before the dtype of numbers some of which are whole.
WHOLE = "whole "
_MOST_PAIRS = 2
_OWNER = re.compile(rf"(?:{ANOTHER} )?([\w.]*).*", re.DOTALL)
#: In what is read of an object: `ops[0].rate`.
_NO_NAME = re.compile(r"\W+")
_READS = "in place of what it reads of {} and is another {} each time"


def owner_of(text: str) -> str:
    """Of a change's text: the class."""
    return _OWNER.sub(r"\1", text)


def made_one(function: FunctionFacts, about: Sequence[tuple[Traced, object]], path: str) -> dict[tuple[str, int], int]:
    """As a Candidate has them: one for all that were passed at `path` in the traces `about`, compared by identity or by
    value; not for those with which it failed."""
    merged = Merged()
    for trace, _ in about:
        if trace.lookup.failed:
            continue
        now = node_of(trace, path)
        before = node_of(function.traces[trace.closest], path) if trace.closest is not None else None
        if now is not None and before is not None and now.kind == before.kind and now.kind in ("object", "literal"):
            merged.merge(now.identity, before.identity)
    return {(path, number): root for number, root in merged.replaced.items()}


def kinds_left(function: FunctionFacts, identities: Mapping[tuple[str, int], int], path: str) -> int:
    """How many objects are left, of those that succeeded, when those that are alike are made one."""
    nodes = [node_of(trace, path) for trace in function.traces if not trace.lookup.failed]
    passed = [node.identity for node in nodes if node is not None and node.kind in ("object", "literal")]
    return len({identities.get((path, number), number) for number in passed})


def code_that_takes(function: FunctionFacts, trace: Traced, passed: Mapping[str, str], what: str, kinds: int) -> str:
    """A parameter more for each path of `passed`, at the end, named after `what` is read: how calls pass it. "" if the
    names cannot be written so."""
    added = {path: {f"{path}_{what}": value} for path, value in passed.items()}
    comment = _READS.format(listed(list(passed)).replace("`", ""), what.removesuffix("s"))
    return _code_with(function, trace, added, comment, kinds)


def code_that_takes_numbers(
    function: FunctionFacts, trace: Traced, numbers: Mapping[str, Sequence[tuple[str, str]]], kinds: int
) -> str:
    """The same, for each path a parameter more for each of the `numbers` that are read of it: names, and as tensors."""
    added = {path: {taken_as(path, name): tensor for name, tensor in own} for path, own in numbers.items()}
    names = [name for own in numbers.values() for name, _ in own]
    return _code_with(function, trace, added, f"in place of {listed(names).replace('`', '')}", kinds)


def taken_as(path: str, name: str) -> str:
    """The parameter for what is read of the object at `path`."""
    return f"{path}_{_NO_NAME.sub('_', name.removeprefix(f'{path}.'))}"


def _code_with(
    function: FunctionFacts, trace: Traced, added: Mapping[str, Mapping[str, str]], comment: str, kinds: int
) -> str:
    """`added`: by path, parameters more and what calls pass for them."""
    parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
    new = {name: value for own in added.values() for name, value in own.items()}
    if not all(name.isidentifier() for name in (*parameters, *added, *new)) or not function.name.isidentifier():
        return ""
    if len({*parameters, *new}) < len(parameters) + sum(map(len, added.values())):
        return ""
    once = "once" if kinds == 1 else f"once for each of the {kinds} kinds"
    kept = [f"kept_{path} = {path}  # {once}, before the loop" for path in added]
    given = [as_passed(function, path, f"kept_{path}" if path in added else path) for path in parameters]
    given += [f"{name}={value}" for name, value in new.items()]
    taken = with_more(function, parameters, list(new))
    return "\n".join(
        [
            f"@tf.function\ndef {function.name}({self_of(function)}{taken}):  # {comment}\n    …\n",
            *kept,
            f"…\n{function.called}({', '.join(given)})",
        ]
    )


def as_passed(function: FunctionFacts, name: str, value: str) -> str:
    """How a call passes it."""
    return f"{name}={value}" if name in function.keyword_only else value


def with_more(function: FunctionFacts, parameters: Sequence[str], new: Sequence[str]) -> str:
    """Parameters of a `def`, with their defaults: after one that has any, new ones are passed by name alone."""
    told = told_defaults(function)
    first = next((i for i, name in enumerate(parameters) if name in function.keyword_only), len(parameters))
    own = [f"{name}={told.get(name, '…')}" if name in function.with_default else name for name in parameters]
    by_name = [*own[first:], *new]
    star = ["*"] if by_name and (first < len(own) or any(name in function.with_default for name in parameters)) else []
    return ", ".join([*own[:first], *star, *by_name])


def constants_of(
    function: FunctionFacts, traces: Sequence[Traced], told: Collection[tuple[str, str]] = ()
) -> tuple[str, str]:
    """What the first graphs tell of the numbers, a clause, and the dtype that they have: `WHOLE` before it where some
    of them are whole, for these may be Python's whole numbers, of which `tf.constant` makes int32. `told`: their
    values, where these are known, and others may have changed beside them."""
    dtypes: dict[str, None] = {}
    shown = whole = ""
    for trace in traces[:_MOST_PAIRS]:
        place = next(i for i, one in enumerate(function.traces) if one is trace)
        pair = function.graphs.compare(trace.closest, place) if trace.closest is not None else None
        for constant in pair.constants if pair is not None else ():
            dtypes[constant.dtype] = None
            numbers = (constant.old, constant.new)
            if any(isinstance(number, float) and number.is_integer() for number in numbers):
                whole = WHOLE
            is_told = not told or any(has_values(constant, *both) for both in told)
            if not shown and is_told and isinstance(constant.old, float) and isinstance(constant.new, float):
                shown = f": {constant.old:.6g} → {constant.new:.6g}"
    found = " and ".join(dtypes)
    return (f" ({found}{shown})" if found else ""), whole + next(iter(dtypes)) if len(dtypes) == 1 else "float32"


def tensor_of(number: str, dtype: str) -> str:
    if number.startswith("float("):
        dtype = dtype.removeprefix(WHOLE)
    return f"tf.constant({number})" if dtype == "float32" else f"tf.constant({number}, tf.{dtype.removeprefix(WHOLE)})"


def read_of(function: FunctionFacts, names: Sequence[str]) -> list[str]:
    return [read for read in function.values_read if any(read.startswith(f"{name}.") for name in names)]


def read_elsewhere(function: FunctionFacts, names: Sequence[str], beside: Sequence[str] = ()) -> str:
    """What else takes other values, and may be what makes the graphs differ: a clause. `beside`: that is passed."""
    own = read_of(function, names)
    others = [name for name, values in function.values_read.items() if name not in own and len({*values} - {None}) > 1]
    told = [f"are {listed(beside)}"] if beside else []
    told += [f"are {listed(others)}, which each trace reads anew"] if others else []
    return "".join(f", or {one}" for one in told) + ("," if told else "")
