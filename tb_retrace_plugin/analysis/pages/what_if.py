"""What if a function were declared, or called, otherwise: how many of its recorded traces there would be.

By TensorFlow's own rules on what was recorded (`explain/what_if/replay.py`); for the command line and for the tab.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.for_advice.advice import facts_of
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, quoted, seconds_text, times_text
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import signature_code
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number
from tb_retrace_plugin.explain.what_if.declared import refusals, undeclared
from tb_retrace_plugin.explain.what_if.input_signature import DTYPES, Declared, Spec, parse_input_signature, specs_in
from tb_retrace_plugin.explain.what_if.replay import Lookup, common_arguments, replay, reproduces
from tb_retrace_plugin.explain.words.made_by_libraries import as_sentence, named_text
from tb_retrace_plugin.schema.signature import Node, iter_leaves, node_text

WHAT_IF_SCHEMA = 1
_INT32 = 2**31 - 1
#: Refused calls that are told one by one.
_REFUSED_LISTED = 200
_PATHS_SHOWN = 8
_NUMBER = re.compile(r"-?[0-9]{1,9}")
#: What a parameter's default value can be recorded as.
_MAY_BE_DEFAULT = ("literal", "object", "absent")


class WhatIfError(ValueError):
    """The change cannot be asked about; the message says why and what can be."""


@dataclass(frozen=True, slots=True)
class Change:
    """`input_signature`: code, alone; or any of the others together.

    `unknown`: tensors, or single dimensions of them: `x`, `x[0]`, `batch['image'][1]`. `tensors`: Python numbers to be
    passed as tensors: `lr`, or with a dtype `lr=float32`.
    """

    input_signature: str = ""
    reduce_retracing: bool = False
    unknown: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()


def what_if(group: FunctionGroup, change: Change) -> dict[str, Any]:
    """See docs/what_if.md. Raises WhatIfError, and InputSignatureError for code that is no input signature."""
    try:
        facts = facts_of(group)
    except ValueError as error:
        raise WhatIfError(f"The recorded signatures of {group.function.name} cannot be read: {error}.") from None
    if change.input_signature and (change.reduce_retracing or change.unknown or change.tensors):
        raise WhatIfError("An input signature declares everything: no other change can be asked about with it.")
    if not (change.input_signature or change.reduce_retracing or change.unknown or change.tensors):
        raise WhatIfError("Say what to change: an input signature, reduce_retracing, unknown dimensions or tensors.")
    trial = _declared(facts, change) if change.input_signature else _changed(facts, change)
    if not _reproduces(facts):
        trial.stays, trial.code = None, None
        trial.caveats.insert(0, "The recorded signatures alone do not explain every trace: no number can be given.")
    return _answer(group, facts, change, trial)


#: The facts asked about last, and whether the rules explain them: one question follows another.
_asked_last: tuple[FunctionFacts, bool] | None = None


def _reproduces(facts: FunctionFacts) -> bool:
    global _asked_last
    last = _asked_last
    if last is None or last[0] is not facts:
        last = _asked_last = facts, reproduces([trace.lookup for trace in facts.traces])
    return last[1]


@dataclass(slots=True)
class _Trial:
    """`stays`: for each trace whether it would be made; None: not known. `refused`: place of a trace -> why."""

    stays: list[bool] | None
    refused: dict[int, str]
    caveats: list[str]
    code: str | None = None


def _declared(facts: FunctionFacts, change: Change) -> _Trial:
    declared = parse_input_signature(change.input_signature)
    lookups = [trace.lookup for trace in facts.traces]
    refused = {}
    caveats = []
    for place, lookup in enumerate(lookups):
        if reasons := refusals(declared, lookup.signature):
            refused[place] = "; ".join(reasons)
    left_out = _left_out(declared, lookups, refused)
    if left_out:
        caveats.append(
            f"Not declared: {list_text(left_out, _PATHS_SHOWN)}. TensorFlow then takes the default value alone; "
            "that it is the one of most calls is assumed."
        )
    accepted = [lookup for place, lookup in enumerate(lookups) if place not in refused]
    if any(not lookup.failed for lookup in accepted):  # all of them are served by the trace that works
        accepted = [replace(lookup, failed=lookup.failed and lookup.variables_created) for lookup in accepted]
    # what accepted calls become is one and the same, whatever it is
    arguments = tuple((f"#{i}", Node("tensor")) for i in range(len(declared)))
    made = replay(accepted, Candidate(input_signature=arguments)) if accepted else []
    stays: list[bool] | None = None
    if made is not None:
        flags = iter(made)
        stays = [place not in refused and next(flags) for place in range(len(lookups))]
    if refused:
        caveats.append(
            "A call that does not fit raises a TypeError; a sparse or ragged tensor of another shape, and a whole "
            "number out of the dtype's range, may pass unchecked. NumPy arrays are converted to the declared dtype, "
            "tensors are not; which of them was passed is not recorded."
        )
    if any(spec.shape is None or -1 in spec.shape for spec in specs_in(declared)):
        paths = [path for (path, _), spec in zip(_own(lookups[0]), declared, strict=False) if isinstance(spec, Spec)]
        caveats += _unknown_caveats(facts, accepted, paths)
    return _Trial(stays, refused, caveats)


def _left_out(declared: Sequence[Declared], lookups: list[Lookup], refused: dict[int, str]) -> list[str]:
    """Arguments that are not declared, with the value of most calls; calls that pass another one are refused."""
    counts: dict[tuple[tuple[str, Node], ...], int] = {}
    rests = [undeclared(declared, lookup.signature) for lookup in lookups]
    for place, rest in enumerate(rests):
        needs = [quoted(path) for path, node in rest if node.kind not in _MAY_BE_DEFAULT]
        if place not in refused and needs:
            refused[place] = f"no specification for {list_text(needs, _PATHS_SHOWN)}"
        elif place not in refused:
            counts[rest] = counts.get(rest, 0) + 1
    usual = max(counts, key=lambda rest: counts[rest], default=())
    for place, rest in enumerate(rests):
        if place not in refused and rest != usual:
            differing = [f"{quoted(path)} is {node_text(node)}" for path, node in rest if (path, node) not in usual]
            refused[place] = f"{', '.join(differing) or 'other arguments'}, and it is not declared"
    return [f"{quoted(path)} ({node_text(node)})" for path, node in usual]


def _changed(facts: FunctionFacts, change: Change) -> _Trial:
    lookups = [trace.lookup for trace in facts.traces]
    candidate = Candidate(numbers=_numbers(lookups, change.tensors), reduce_retracing=change.reduce_retracing)
    opened = _dimensions(lookups, change.unknown)
    if opened:
        lookups = _with_unknown(lookups, opened)
    stays = replay(lookups, candidate)
    caveats = []
    if opened or change.reduce_retracing:
        paths = list(opened) if opened else list(dict.fromkeys(p for p, _ in _tensor_leaves(lookups)))
        caveats += _unknown_caveats(facts, [trace.lookup for trace in facts.traces], paths)
    if candidate.numbers:
        caveats.append(
            "The code must work on a tensor where it had a number. `1`, `1.0` and `True` shared a trace as numbers; "
            "as tensors of other dtypes they do not."
        )
    if change.reduce_retracing and all(lookup.reduce_retracing for lookup in lookups):
        caveats.append("The function has reduce_retracing already.")
    code = None
    if stays is not None and sum(stays) == 1 and not change.reduce_retracing:
        arguments = common_arguments([lookup.signature for lookup in lookups], candidate)
        code = signature_code(arguments) if arguments else None
    if stays is None:
        caveats.insert(0, "How TensorFlow would widen these arguments is not known: no number can be given.")
    return _Trial(stays, {}, caveats, code)


# --- paths ---


def _own(lookup: Lookup) -> tuple[tuple[str, Node], ...]:
    return tuple(pair for pair in lookup.signature.arguments if pair[0] != "self")


def _leaves(lookups: Sequence[Lookup]) -> Iterator[tuple[str, Node]]:
    """Each distinct argument's once."""
    seen: set[int] = set()
    for lookup in lookups:
        for pair in _own(lookup):
            if id(pair) not in seen:
                seen.add(id(pair))
                yield from iter_leaves(*pair)


def _tensor_leaves(lookups: Sequence[Lookup]) -> list[tuple[str, Node]]:
    return [(path, node) for path, node in _leaves(lookups) if node.kind == "tensor"]


def _numbers(lookups: Sequence[Lookup], wanted: Sequence[str]) -> dict[str, str]:
    """Path -> the dtype of the tensor."""
    found: dict[str, str] = {}
    for text in wanted:
        path, _, dtype = text.partition("=")
        path, dtype = path.strip(), dtype.strip().removeprefix("tf.")
        if dtype and dtype not in DTYPES:
            raise WhatIfError(f"{dtype} is no dtype: {path}=float32 is how to give one.")
        nodes = [node for leaf, node in _leaves(lookups) if leaf == path]
        values = [node for node in nodes if is_number(node)]
        others = [node for node in nodes if not is_number(node) and node.kind != "tensor"]
        if not values or others:
            known = list(dict.fromkeys(leaf for leaf, node in _leaves(lookups) if is_number(node)))
            what = f"is {node_text(others[0])} in some call" if others else "was never passed a Python number"
            raise WhatIfError(f"`{path}` {what}. {_known_text('Python numbers', known)}")
        found[path] = dtype or _natural(values, [node.dtype for node in nodes if node.kind == "tensor"])
    return found


def _natural(values: Sequence[Node], tensors: Sequence[str]) -> str:
    if len(set(tensors)) == 1:
        return tensors[0]
    types = {node.type_name for node in values}
    if types & {"float", "complex"}:
        return "complex128" if "complex" in types else "float32"
    return "int32" if all(_fits_int32(node.value) for node in values) else "int64"


def _fits_int32(value: str) -> bool:
    try:
        return abs(int(value)) <= _INT32
    except ValueError:  # too long to be recorded in full
        return False


def _dimensions(lookups: Sequence[Lookup], wanted: Sequence[str]) -> dict[str, set[int] | None]:
    """Path of a tensor -> its dimensions to be unknown; None: all of them."""
    ranks: dict[str, int] = {}
    for path, node in _tensor_leaves(lookups):
        ranks[path] = max(ranks.get(path, 0), len(node.shape or ()))
    found: dict[str, set[int] | None] = {}
    for text in wanted:
        text = text.strip()
        head, bracket, last = text.rpartition("[")
        number = last.removesuffix("]").strip()
        if bracket and head in ranks and _NUMBER.fullmatch(number):
            dimension = int(number)
            if not -ranks[head] <= dimension < ranks[head]:
                raise WhatIfError(f"`{head}` has {count_text(ranks[head], 'dimension')}, no {dimension}.")
            dims = found.setdefault(head, set())
            if dims is not None:
                dims.add(dimension)
        elif text in ranks:
            found[text] = None
        else:
            raise WhatIfError(f"`{text}` was never passed a tensor. {_known_text('Tensors', list(ranks))}")
    return found


def _known_text(what: str, paths: list[str]) -> str:
    if not paths:
        return f"{what} in the recorded calls: none."
    return f"{what} in the recorded calls: {list_text([quoted(path) for path in paths], _PATHS_SHOWN)}."


def _with_unknown(lookups: list[Lookup], opened: dict[str, set[int] | None]) -> list[Lookup]:
    known: dict[int, tuple[str, Node]] = {}

    def widened(pair: tuple[str, Node]) -> tuple[str, Node]:
        if id(pair) not in known:
            known[id(pair)] = pair[0], _opened(pair[1], pair[0], opened)
        return known[id(pair)]

    return [
        replace(lookup, signature=replace(lookup.signature, arguments=tuple(map(widened, lookup.signature.arguments))))
        for lookup in lookups
    ]


def _opened(node: Node, path: str, opened: dict[str, set[int] | None]) -> Node:
    if node.kind == "tensor":
        if path not in opened or node.shape is None:
            return node
        rank, dims = len(node.shape), opened[path]
        unknown = set(range(rank)) if dims is None else {d % rank for d in dims if -rank <= d < rank}
        return replace(node, shape=tuple([-1 if d in unknown else size for d, size in enumerate(node.shape)]))
    if not node.children or node.kind == "composite":
        return node
    return replace(node, children=tuple([(key, _opened(child, path + key, opened)) for key, child in node.children]))


# --- the answer ---


def _unknown_caveats(facts: FunctionFacts, lookups: Sequence[Lookup], paths: Sequence[str]) -> list[str]:
    found = [
        "Where a dimension is unknown, the code sees None while it is traced: what needs the number there (a reshape, "
        "`range(x.shape[0])`, some layers) fails. A recording does not show that; `tb-retrace try` runs it."
    ]
    if facts.jit_compile:
        wanted = set(paths)
        shapes = {
            tuple(leaf.shape for path, leaf in _leaves([lookup]) if leaf.kind == "tensor" and path in wanted)
            for lookup in lookups
        }
        found.append(
            "With jit_compile=True XLA compiles for each concrete shape, with or without a trace: "
            f"{count_text(len(shapes), 'set')} of shapes {'is' if len(shapes) == 1 else 'are'} recorded. Seconds that "
            "its compilation took are not saved."
        )
    return found


def _answer(group: FunctionGroup, facts: FunctionFacts, change: Change, trial: _Trial) -> dict[str, Any]:
    stays = trial.stays
    if group.omitted:
        whole = count_text(len(facts.traces) + group.omitted_traces, "trace")
        trial.caveats.append(f"Of {whole} {len(facts.traces):,} were recorded one by one: numbers are of these alone.")
    before = len(facts.traces)
    gone = [t for t, stay in zip(facts.traces, stays, strict=True) if not stay] if stays is not None else []
    served = before - len(trial.refused) - sum(stays) if stays is not None else None
    # what is refused is not saved: the program stops there
    saved = None
    if stays is not None:
        refused = {id(facts.traces[place]) for place in trial.refused}
        saved = sum(trace.cost_ns for trace in gone if id(trace) not in refused) / 1e9
    return {
        "schema": WHAT_IF_SCHEMA,
        "session": group.session.id,
        "run": group.session.run,
        "function": code_json(group.function),
        "change": {
            "input_signature": change.input_signature or None,
            "reduce_retracing": change.reduce_retracing,
            "unknown": list(change.unknown),
            "tensors": list(change.tensors),
        },
        "sentence": _sentence(group, change, before, stays, len(trial.refused), saved),
        "traces_before": before,
        "traces_after": sum(stays) if stays is not None else None,
        "served": served,
        "refused": [
            {"seq": group.events[place].seq, "n": group.events[place].record.n, "reason": reason}
            for place, reason in list(trial.refused.items())[:_REFUSED_LISTED]
        ],
        "refused_count": len(trial.refused),
        "stays": [group.events[i].seq for i, stay in enumerate(stays) if stay] if stays is not None else None,
        "seconds_saved": saved,
        "code": trial.code,
        "caveats": trial.caveats,
    }


def _sentence(
    group: FunctionGroup, change: Change, before: int, stays: list[bool] | None, refused: int, saved: float | None
) -> str:
    name = as_sentence(named_text(group.function.name, tally_of(group).role))
    made = f"{name} was traced {times_text(before)}"
    if group.omitted:
        made += " in what is recorded one by one"
    how = _change_text(change)
    if stays is None:
        return f"{made}; how often {how} is not known."
    if refused == before:
        return f"{made}; {how} none of these calls would fit."
    text = f"{made}; {how} it would be {times_text(sum(stays))}"
    if saved:
        text += f", {seconds_text(saved)} less"
    if refused:
        text += f", and {count_text(refused, 'recorded call')} would not fit"
    return text + "."


def _change_text(change: Change) -> str:
    if change.input_signature:
        return "with this input signature"
    parts = []
    if change.unknown:
        parts.append(f"{list_text([quoted(text) for text in change.unknown], _PATHS_SHOWN)} of unknown size")
    if change.tensors:
        names = [quoted(text.partition("=")[0].strip()) for text in change.tensors]
        parts.append(f"{list_text(names, _PATHS_SHOWN)} as {'a tensor' if len(names) == 1 else 'tensors'}")
    if change.reduce_retracing:
        parts.append("reduce_retracing")
    return "with " + " and ".join(parts)
