"""A tf.function made anew for each tensor that it closes over, a batch: one that takes it as an argument will do."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.datasets.closed_over_in_dataset import in_a_dataset
from tb_retrace_plugin.explain.advice.evidence.constant_values import has_values
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data, method_that_runs
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY, READ_ANEW, values_read_anew
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    CLOSES_OVER_NUMBERS,
    CLOSES_OVER_TENSORS,
    how_often,
    merged_objects,
)
from tb_retrace_plugin.explain.advice.evidence.sizes_in_graphs import FLOATS, is_of_sizes
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import declared_with
from tb_retrace_plugin.explain.advice.made_anew.closed_over_use import size_of
from tb_retrace_plugin.explain.advice.made_anew.defined_once import (
    declares_as_well,
    define_once,
    defined_once,
    where_it_reads_locals,
)
from tb_retrace_plugin.explain.advice.python_values.python_uses import what_goes_through, what_takes_no_tensor
from tb_retrace_plugin.explain.advice.shapes.shapes import UNKNOWN_DIMENSIONS_DO
from tb_retrace_plugin.explain.advice.source.code import spec_code, with_added_specs
from tb_retrace_plugin.explain.differences.closure import ARRAY, DATASET, ITERATOR, holds_variables
from tb_retrace_plugin.explain.verdict.asked_for import ASKS
from tb_retrace_plugin.explain.verdict.evidence import AFTER_ONE_OF, how_it_has
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import common_arguments
from tb_retrace_plugin.schema.signature import iter_leaves

_NAMED = re.compile(r"another `([^`]+)` of ")
_SPECS = re.compile(
    rf"another `([^`]+)` of (.*?)(?:{re.escape(AFTER_ONE_OF)}([\d, ]*)\))?(?=, another `| and \d+ more\.|\. One object)"
)
_SIZES = re.compile(r"\((\d+(?:, \d+)*),?\)$")
_TENSOR = re.compile(r"(\w+) \(((?:None|[-\d, ])*?),?\)")
_DATASET_SPEC, _ITERATOR_SPEC = "tf.data.DatasetSpec", "tf.data.IteratorSpec"
#: Of graphs, that are read for one number.
_MOST_PAIRS = 2
_WIDENS = "@tf.function(reduce_retracing=True)"
_NOT_DECLARED = "Not replayed: what it is called with besides is declared by no input signature."
_ASKED = (
    "Where the code asks for such a size in Python, as `{0}.shape[0]` or `len({0})`, it is unknown then:"
    " `tf.shape({0})[0]` is a tensor."
)
_ARRAYS = ", and that the code works on a tensor where it has an array, which NumPy's own functions do not"
MAY_BE_PASSED = "Not replayed: a call that is passed one variable twice has a trace of its own."
#: As `WITHIN` has it.
_INNER = re.compile(r"(.+?)((?: of \w+)+)")
#: Of evidence that names both.
_NUMBERS = re.compile(r"`([^`]+)`: [^`→]+ → (.+?)(?=, `|, another `|\. One object)")
_BOTH = re.compile(r"`([^`]+)`: ([^`→]+) → (.+?)(?=, `|, another `|\. One object)")
_CAST = "Where `{0}` meets fractions, `tf.cast({0}, …)` makes it one of their dtype, which no tensor becomes by itself."
_SEVERAL = re.compile(r"another `[^`]+` of [\[({]")


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [trace for trace, _ in function.with_cause("recreated_function")]
    traces = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_TENSORS)]
    # those that differ in fractions alone are served as well; what a whole number is for its own rule tells
    others = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_NUMBERS)]
    traces += [trace for trace in others if traces and not any(map(str.isdecimal, _numbers_in(trace).values()))]
    numbers = {name: text for trace in traces for name, text in _numbers_in(trace).items()}
    equal = [trace for trace in recreated if traces and not trace.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, traces + equal)  # defined once, it serves those of equal tensors as well
    names = list(dict.fromkeys(name for trace in traces for name in _NAMED.findall(trace.evidence)))
    if not objects or not names:
        return None
    of_variables = [holds_variables(trace.evidence) for trace in traces]
    tensor = "tensor" if not any(of_variables) else "variable" if all(of_variables) else "tensor or variable"
    if all(DATASET in trace.evidence for trace in traces) and tensor == "tensor":
        tensor = "iterator" if all(ITERATOR in trace.evidence for trace in traces) else "dataset"
    inner = [match.groups() for name in names if (match := _INNER.fullmatch(name))]
    if is_given_to_tf_data(traces[0]):
        if inner and method_that_runs(traces[0]):  # a tf.function around it would have to be passed what is within
            return None
        names = [_INNER.sub(r"\1", name) for name in names]
        what = f"another {tensor}" if len(names) == 1 else f"other {tensor}s"
        if numbers:
            what, names = f"other {tensor}s and numbers", [*names, *numbers]
        equal = [trace for trace in equal if is_given_to_tf_data(trace)]
        why = f"each time for {what}: {listed(names)}"
        fix = in_a_dataset(function, traces, names, why, tensors=True, equal=equal)
        return fix and replace(fix, assumes=fix.assumes + _of_numbers(numbers))
    what, them = f"another {tensor}", "it as an argument"
    if len(names) > 1:
        what, them = f"other {tensor}s", "them as arguments"
    if any(_SEVERAL.search(trace.evidence) for trace in traces):
        what = f"other {tensor}s"
    are_arrays = any(ARRAY in trace.evidence for trace in traces)
    if are_arrays:
        what = what.replace("tensor", "array")
    text = (
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, each time for {what}"
        f" {how_it_has([trace.evidence for trace in traces])}, {listed(names)}: a graph keeps what it was traced with."
    )
    if numbers:
        text = text.replace(": a graph keeps", f", and other numbers, {listed([*numbers])}: a graph keeps")
        them = f"them as arguments, {listed([*numbers])} as {'a tensor' if len(numbers) == 1 else 'tensors'}"
    text += f" {define_once(function, objects)} and pass {them}."
    notes = []
    for functions in dict.fromkeys(functions for _, functions in inner):
        own = listed([name for name, by in inner if by == functions])
        holders = functions.split(" of ")[1:]
        text = text.replace(f"{functions}`", "`" + "".join(f" of `{holder}`" for holder in holders))
        have = "has" if len(holders) == 1 else "have"
        notes.append(f"{listed(holders)} {have} to take {own} as an argument, too, and to be defined once as well.")
    arguments = [path for path, _ in traces[0].lookup.signature.arguments]
    parameters = [path for path in arguments if path != "self" and path not in names and path not in numbers]
    dtypes = {name: _dtypes_of(function, traces, name) for name in numbers}
    natural = {name: _natural(text) for name, text in numbers.items()}
    passed = {name: dtypes[name][0] if len(dtypes[name]) == 1 else natural[name] for name in numbers}
    made = {
        name: f"tf.constant({name})" if passed[name] == natural[name] else f"tf.constant({name}, tf.{passed[name]})"
        for name in numbers
    }
    widened = _common_sizes(traces)
    specs = dict(spec for trace in traces for spec in _specs_in(_SPECS.sub(widened, trace.evidence)))
    specs |= {name: f"tf.TensorSpec([{size_of(numbers[name])}], tf.{dtype})" for name, dtype in passed.items()}
    new = {name: specs.get(name, "") for name in (*names, *numbers)}
    code = defined_once(function, parameters, new, [*names, *made.values()])
    notes += declares_as_well(function, new)
    notes += where_it_reads_locals(function, [*new]) if code else []
    notes += what_takes_no_tensor(function, [*numbers])
    notes += [sentence for name in numbers for sentence in what_goes_through(function, name)]
    notes += [_CAST.format(name) for name, text in numbers.items() if text.isdecimal() and len(dtypes[name]) != 1]
    may_be_passed = any(of_variables) and any(map(passes_variables, function.traces))
    candidate, evidence = (None, MAY_BE_PASSED) if may_be_passed else (Candidate(objects=objects), "")
    if candidate is not None:  # what functools.partial binds by its name is an argument as well
        candidate = replace(candidate, numbers={name: dtype for name, dtype in passed.items() if name in arguments})
    decorator = sizes = ""
    if resized := [
        name for name, spec in specs.items() if "None" in spec and not spec.startswith((_DATASET_SPEC, _ITERATOR_SPEC))
    ]:
        candidate, decorator = _declared(function, candidate, specs) if candidate is not None else (None, "")
        decorator, evidence = (
            (decorator or _WIDENS) if code else "",
            evidence or ("" if candidate is not None else _NOT_DECLARED),
        )
        text += (
            f" {listed(resized)} {'has' if len(resized) == 1 else 'have'} several sizes, which have to be unknown to"
        )
        text += " the signature: each is traced else."
        notes += [_ASKED.format(resized[0])]
        sizes = f", and that {UNKNOWN_DIMENSIONS_DO}"
    elif declared_with(function) and not all(new.values()):  # without its signature each size is traced
        undeclared = listed([name for name, spec in new.items() if not spec])
        text += f" Its `input_signature` cannot declare {undeclared}, and goes:"
        if beforehand := _traced_beforehand(function, code, new):
            code = beforehand
            text += (
                " trace it with the unknown dimensions before the first call, and calls of every size find that trace."
            )
        else:
            candidate, decorator, evidence = None, _WIDENS if code else "", evidence or _NOT_DECLARED
            text += " `reduce_retracing=True` widens a size when it changes, at the price of one more trace."
    return Fix(
        "pass_closed_over_tensor", text, candidate, other=code, evidence=evidence, decorator=decorator,
        added={name: spec for name, spec in specs.items() if name not in arguments},
        assumes=f"nothing else that it reads has changed{_ARRAYS if are_arrays else ''}{_of_numbers(numbers)}{sizes}",
        reads_anew=[*numbers], notes=notes, warnings=[] if numbers else _differ_in_more(function, traces),
    )  # fmt: skip


def _differ_in_more(function: FunctionFacts, traces: Sequence[Traced]) -> list[str]:
    """A warning, if two of the graphs differ in numbers that no size of what is closed over explains."""
    places = {id(trace): place for place, trace in enumerate(function.traces)}
    for trace in traces[:_MOST_PAIRS]:
        pair = function.graphs.compare(trace.closest, places[id(trace)]) if trace.closest is not None else None
        if pair is None or not pair.alike or values_read_anew(function, trace.closest or 0, places[id(trace)]):
            continue
        told = ((_SIZES.search(one[2]), one[3]) for one in _SPECS.finditer(trace.evidence))
        sizes = [
            (int(old), int(new))
            for now, before in told
            if now is not None and before
            for old, new in zip(_whole_in(before), _whole_in(now[1]), strict=False)
        ]
        odd = [one for one in pair.constants if one.dtype.startswith(FLOATS) and not one.of_gradient]
        odd = [one for one in odd if not is_of_sizes(one, sizes)]
        if odd:
            values = [f" ({one.old:g} and {one.new:g})" for one in odd if isinstance(one.old, float)]
            return [f"{MAY}two of the graphs differ in a constant of {odd[0].dtype}{''.join(values[:1])}.{READ_ANEW}"]
    return []


def _whole_in(sizes: str) -> list[str]:
    return re.findall(r"\d+", sizes)


def _traced_beforehand(function: FunctionFacts, code: str, new: Mapping[str, str]) -> str:
    """`code`, with the trace for what a signature declares now; "" if it cannot be written. `new`: parameters, and how
    each is declared."""
    arguments = [pair for pair in function.traces[0].lookup.signature.arguments if pair[0] != "self"]
    specs = [spec_code(node) for _, node in arguments]
    defined, blank, call = code.rpartition("\n\n")
    if None in specs or not blank or any(path in function.with_default for path, _ in arguments):
        return ""
    own = {path for path, _ in arguments}
    passed = ", ".join([*map(str, specs), *(spec or name for name, spec in new.items() if name not in own)])
    asks = f"{function.called}.{ASKS}({passed})  # once, before the first call"
    return f"{defined}{blank}{asks}\n{call}"


def _declared(function: FunctionFacts, candidate: Candidate, specs: Mapping[str, str]) -> tuple[Candidate | None, str]:
    """The change with an input signature, and its code; None and "" where what it takes can be declared in none."""
    objects = candidate.objects
    arguments = common_arguments((t.lookup.signature for t in function.traces if not t.lookup.failed), candidate)
    by_name = function.self_is_passed or function.keyword_only or (function.bound_as and not function.undecorated)
    if len(set(objects.values()) - objects.keys()) > 1:  # each kind would have a signature of its own
        return None, ""
    if arguments is None or by_name or not all(specs.values()):
        return None, ""
    codes = [spec_code(node) for _, node in arguments]
    if None in codes or any(path in function.with_default for path, _ in arguments):
        return None, ""
    declared = f"@tf.function(input_signature=[{', '.join(map(str, codes))}])"
    own = {path for path, _ in arguments}
    added = [spec for name, spec in specs.items() if name not in own]
    return replace(candidate, input_signature=arguments), with_added_specs(declared, added)


def _common_sizes(traces: Sequence[Traced]) -> Callable[[re.Match[str]], str]:
    """Gives what is said of a tensor with None for its sizes that differ in some of the traces."""
    every: dict[str, set[tuple[str, ...]]] = {}
    for told in (found for trace in traces for found in _SPECS.finditer(trace.evidence)):
        now = _SIZES.search(told[2])
        texts = [now[1], *([told[3].rstrip(", ")] if told[3] else [])] if now is not None else []
        every.setdefault(told[1], set()).update(tuple(text.split(", ")) for text in texts)
    common = {}
    for name, shapes in every.items():
        if len(shapes) > 1:  # of several ranks, which are of functions of several kinds, the shortest tells enough
            dims = ["None" if len(set(sizes)) > 1 else sizes[0] for sizes in zip(*shapes, strict=False)]
            common[name] = f"({', '.join(dims)})"

    def widened(told: re.Match[str]) -> str:
        if told[1] not in common:
            return told[0]
        return f"another `{told[1]}` of {_SIZES.sub(common[told[1]], told[2])}"

    return widened


def passes_variables(trace: Traced) -> bool:
    leaves = [leaf for path, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(path, node)]
    return any(leaf.kind == "variable" for leaf in leaves)


def _natural(text: str) -> str:
    """What `tf.constant` makes of a number, or of a list of such, as recorded."""
    items = [item.strip() for item in text.strip("[]()").split(",")]
    return "int32" if all(item.isdecimal() for item in items if item) else "float32"


def _numbers_in(trace: Traced) -> dict[str, str]:
    return {name: text.lstrip("-") for name, text in _NUMBERS.findall(trace.evidence)}


def _dtypes_of(function: FunctionFacts, traces: Sequence[Traced], name: str) -> list[str]:
    """Of the constants that hold such a number in two of the graphs."""
    places = {id(trace): place for place, trace in enumerate(function.traces)}
    told = [(trace, old, new) for trace in traces for one, old, new in _BOTH.findall(trace.evidence) if one == name]
    dtypes: dict[str, None] = {}
    for trace, old, new in told[:_MOST_PAIRS]:
        pair = function.graphs.compare(trace.closest, places[id(trace)]) if trace.closest is not None else None
        dtypes |= {c.dtype: None for c in (pair.constants if pair is not None else ()) if has_values(c, old, new)}
    return [*dtypes]


def _of_numbers(numbers: Collection[str]) -> str:
    return f", and that the code works on a tensor for {listed([*numbers])}" if numbers else ""


def _specs_in(evidence: str) -> list[tuple[str, str]]:
    evidence = evidence.replace(ARRAY, "")
    found = [(name, text) for name, text, _ in _SPECS.findall(evidence)]
    of_variables = [(name, "") for name, text in found if holds_variables(text)]  # no input signature declares those
    found = [(name, text) for name, text in found if not holds_variables(text)]
    return of_variables + [(name, _spec_of(text)) for name, text in found]


def _spec_of(text: str) -> str:
    spec = _TENSOR.sub(r"tf.TensorSpec([\2], tf.\1)", text.removeprefix(ITERATOR).removeprefix(DATASET))
    if text.startswith(ITERATOR):
        return f"{_ITERATOR_SPEC}({spec})"
    return f"{_DATASET_SPEC}({spec})" if text.startswith(DATASET) else spec
