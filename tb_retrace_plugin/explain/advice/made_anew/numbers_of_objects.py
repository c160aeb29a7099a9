"""Objects that hold other numbers each time, passed or closed over: what is read of them can be tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    Merged,
    merged_objects,
    node_of,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import define_once, defined_once, self_of
from tb_retrace_plugin.explain.candidate import Candidate
from tb_retrace_plugin.explain.verdict.evidence import NUMBERS_OF_AN_OBJECT
from tb_retrace_plugin.schema.signature import ANOTHER

#: Of the evidence of a new function object: what it closes over.
_ANOTHER = re.compile(r"another `([^`]+)`")
#: Classes of which an object is a number as a whole.
_NUMBERS = frozenset({"Decimal", "Fraction"})
_OWNER = re.compile(rf"(?:{ANOTHER} )?([\w.]*).*", re.DOTALL)
_MOST_PAIRS = 2
_READS = "in place of what it reads of {} and is another number each time"

#: Before the dtype of numbers some of which are whole.
_WHOLE = "whole "


def propose(function: FunctionFacts) -> Fix | None:
    """Of arguments."""
    found = [t for t in _held(function) if t.kind == "retrace" and len(t.changes) == 1]
    paths = list(dict.fromkeys(trace.changes[0].path for trace in found))
    if not paths:
        return None
    about = [(t, c) for t, c in function.with_cause("object_identity", "python_value", held=True) if c.path in paths]
    identities = {key: root for path in paths for key, root in _merged(function, about, path).items()}
    owners = {t.changes[0].path: _OWNER.sub(r"\1", t.changes[0].new) for t in found}
    constants, dtype = _constants(function, found)
    one = len(paths) == 1
    is_number = all(owner.rpartition(".")[2] in _NUMBERS for owner in owners.values())
    others = _read_elsewhere(function, paths)
    kinds = max(_kinds(function, identities, path) for path in paths)
    what = " and ".join(f"`{path}` of `{function.name}` is another `{owners[path]}`" for path in paths)
    it, of_it = ("it", "it is") if one else ("them", "they are")
    text = (
        f"{what} in each trace, and the graphs differ in nothing but fractions{constants}, which are read or computed"
    )
    text += f" of {it}{others} in Python. "
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
            "What an `if` decides in Python by what that object holds is decided once for all calls then.",
        ]
        if kinds > 1:
            text += (
                f" Other graphs differ in more than fractions: keep one object for each of {kinds} kinds, and pass that"
                " of the call's kind. One for all would give the results of one kind."
            )
    return Fix(
        "pass_numbers_of_object", text, Candidate(identities=identities),
        calls={path: _tensor("float({})", dtype) for path in paths} if is_number else {},
        other="" if is_number else _code(function, found[0], paths, dtype, kinds),
        added=dict.fromkeys((f"{path}_number" for path in paths), ""),  # an object is declared by no signature
        reads_anew=_read_of(function, paths), assumes=_assumes(paths), notes=notes,
    )  # fmt: skip


def propose_closed_over(function: FunctionFacts) -> Fix | None:
    found = [t for t in _held(function) if any(c.cause == "recreated_function" for c in t.changes)]
    found = [trace for trace in found if not is_given_to_tf_data(trace)]
    names = list(dict.fromkeys(name for trace in found for name in _ANOTHER.findall(trace.evidence)))
    if not names:
        return None
    alike = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, [*found, *alike])  # defined once, it serves those of equal numbers as well
    constants, dtype = _constants(function, found)
    verb = "reads" if " reads " in found[0].evidence else "closes over"
    of_it = "it" if len(names) == 1 else "them"
    text = (
        f"`{function.name}` was made {function.at_least}{times_made(objects)} times, for another {listed(names)} each"
        f" time that it {verb}, and the graphs differ in nothing but fractions{constants}, which are read or"
        f" computed of {of_it}{_read_elsewhere(function, names)} in Python."
        f" {define_once(function, objects)}, and pass these numbers as tensor arguments."
    )
    if function.is_object and names == [function.name]:  # tf.function was given the object itself
        text = (
            f"A tf.function was made of another `{function.name}` {function.at_least}{times_made(objects)} times, and"
            f" the graphs differ in nothing but fractions{constants}, which are read or computed of"
            f" it{_read_elsewhere(function, names)} in Python. Make it of one `{function.name}`, once, and pass these"
            " numbers as tensor arguments, which its `__call__` has to take."
        )
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != "self"]
    numbers = [f"{name}_number" for name in names] if all(name.isidentifier() for name in names) else []
    tensors = [_tensor(f"{name}.…", dtype) for name in names]
    specs = dict.fromkeys(numbers, f"tf.TensorSpec([], tf.{dtype.removeprefix(_WHOLE)})")
    return Fix(
        "pass_numbers_of_object", text, Candidate(objects=objects),
        other=_made_of_one(function, parameters, dtype)
        if function.is_object and names == [function.name]
        else defined_once(function, parameters, specs, tensors)
        if numbers
        else "",
        added=specs,
        reads_anew=_read_of(function, names), assumes=_assumes(names),
    )  # fmt: skip


def _made_of_one(function: FunctionFacts, parameters: Sequence[str], dtype: str) -> str:
    """`tf.function` of an object, whose class has to take the numbers where it is called."""
    passed = [path if path.isidentifier() else "…" for path in parameters]
    return (
        f"compiled = tf.function({function.name}(…))  # once, before the loop\n"
        f"…\ncompiled({', '.join([*passed, _tensor('…', dtype)])})"
    )


def _held(function: FunctionFacts) -> list[Traced]:
    return [trace for trace in function.avoidable if trace.evidence.endswith(NUMBERS_OF_AN_OBJECT)]


def _merged(function: FunctionFacts, about: Sequence[tuple[Traced, object]], path: str) -> dict[tuple[str, int], int]:
    """One object for all that were passed there, compared by identity or by value."""
    merged = Merged()
    for trace, _ in about:
        now = node_of(trace, path)
        before = node_of(function.traces[trace.closest], path) if trace.closest is not None else None
        if now is not None and before is not None and now.kind == before.kind and now.kind in ("object", "literal"):
            merged.merge(now.identity, before.identity)
    return {(path, number): root for number, root in merged.replaced.items()}


def _constants(function: FunctionFacts, traces: Sequence[Traced]) -> tuple[str, str]:
    """What the first graphs tell of the numbers, a clause, and the dtype that they have: `_WHOLE` before it where some
    of them are whole, for these may be Python's whole numbers, of which `tf.constant` makes int32."""
    dtypes: dict[str, None] = {}
    shown = whole = ""
    for trace in traces[:_MOST_PAIRS]:
        place = next(i for i, one in enumerate(function.traces) if one is trace)
        pair = function.graphs.compare(trace.closest, place) if trace.closest is not None else None
        for constant in pair.constants if pair is not None else ():
            dtypes[constant.dtype] = None
            numbers = (constant.old, constant.new)
            if any(isinstance(number, float) and number.is_integer() for number in numbers):
                whole = _WHOLE
            if not shown and isinstance(constant.old, float) and isinstance(constant.new, float):
                shown = f": {constant.old:.6g} → {constant.new:.6g}"
    found = " and ".join(dtypes)
    return (f" ({found}{shown})" if found else ""), whole + next(iter(dtypes)) if len(dtypes) == 1 else "float32"


def _tensor(number: str, dtype: str) -> str:
    if number.startswith("float("):
        dtype = dtype.removeprefix(_WHOLE)
    return f"tf.constant({number})" if dtype == "float32" else f"tf.constant({number}, tf.{dtype.removeprefix(_WHOLE)})"


def _kinds(function: FunctionFacts, identities: Mapping[tuple[str, int], int], path: str) -> int:
    """How many objects are left, of those that succeeded, when those that are alike but for fractions are made one."""
    nodes = [node_of(trace, path) for trace in function.traces if not trace.lookup.failed]
    passed = [node.identity for node in nodes if node is not None and node.kind in ("object", "literal")]
    return len({identities.get((path, number), number) for number in passed})


def _code(function: FunctionFacts, trace: Traced, paths: Sequence[str], dtype: str, kinds: int) -> str:
    parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
    if not all(path.isidentifier() for path in (*parameters, *paths)) or not function.name.isidentifier():
        return ""
    numbers, own = [f"{path}_number" for path in paths], self_of(function)
    once = "once" if kinds == 1 else f"once for each of the {kinds} kinds"
    kept = [f"kept_{path} = {path}  # {once}, before the loop" for path in paths]
    passed = [f"kept_{path}" if path in paths else path for path in parameters]
    passed += [f"{path}_number={_tensor(f'{path}.…', dtype)}" for path in paths]
    comment = _READS.format(listed(paths).replace("`", ""))
    return "\n".join(
        [
            f"@tf.function\ndef {function.name}({own}{', '.join([*parameters, *numbers])}):  # {comment}\n    …\n",
            *kept,
            f"…\n{function.name_where_made}({', '.join(passed)})",
        ]
    )


def _read_of(function: FunctionFacts, names: Sequence[str]) -> list[str]:
    return [read for read in function.values_read if any(read.startswith(f"{name}.") for name in names)]


def _read_elsewhere(function: FunctionFacts, names: Sequence[str]) -> str:
    """What else takes other values, and may be what makes the graphs differ: a clause."""
    own = _read_of(function, names)
    others = [name for name, values in function.values_read.items() if name not in own and len({*values} - {None}) > 1]
    return f", or are {listed(others)}, which each trace reads anew," if others else ""


def _assumes(names: Sequence[str]) -> str:
    return f"the code works on tensors for the numbers that it reads of {listed(names)}"
