"""Shapes and values for which XLA compiled a trace's graph again: no declaration saves that, fewer of them do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import is_of_a_trainer
from tb_retrace_plugin.explain.advice.evidence.facts import MOST_COMPILED, Compiled, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.shapes.shape_buckets import EACH_COUNTS_ONCE, Dimension, planned
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.advice.source.edited_calls import rewritten
from tb_retrace_plugin.explain.what_if.candidate import bucket_of

_MAX_LINES = 3
_PAD = "tf.pad({}, …)"
_NOT_BY_ITSELF = "By itself it saves no compilation: values that XLA needs changed at the same calls."
_AND_NOT = "and not the compilation. "
_PAD_ITS_DATA = (
    "Pad what the model is given to one shape, or to a few; or compile the model without XLA, where one graph serves"
    " all of them."
)
_Shapes = tuple[tuple[int, ...], ...]  # one for each path


def propose(function: FunctionFacts) -> list[Fix]:
    fixes = [fix for fix in (_of_shapes(function), _of_values(function)) if fix is not None]
    return sorted(fixes, key=lambda fix: fix.evidence == _NOT_BY_ITSELF)


def propose_in_keras(function: FunctionFacts) -> list[Fix]:
    """Of the step of a model, whose calls are none of the user's."""
    fix = _of_shapes(function) if is_of_a_trainer(function.file) else None
    if fix is None:
        return []
    text = fix.text.partition(_AND_NOT)[0] + _AND_NOT + _PAD_ITS_DATA
    code = "model.compile(…, jit_compile=False)  # or pad what it is given"
    return [replace(fix, text=text, other=code, notes=[], evidence="XLA compiles once for each shape.")]


def _of_shapes(function: FunctionFacts) -> Fix | None:
    again = [one for one in function.compiled if one.changed & one.shapes.keys()]
    paths = list(dict.fromkeys(path for one in again for path in one.shapes if path in one.changed))
    graphs = {one.trace for one in again}
    compiled = [one for one in function.compiled if one.trace in graphs and all(path in one.shapes for path in paths)]
    shapes = [tuple(one.shapes[path] for path in paths) for one in compiled]
    if not again or len(set(shapes)) < 2:
        return None
    seen = f"{_at_least(function)}{plural(len(set(shapes)), 'shape')}"
    text = (
        f"XLA compiled `{function.name}` for {seen} of {listed(paths)}, each at its first call: unknown dimensions save"
        f" the trace, {_AND_NOT}"
    )
    notes = ["Without `jit_compile=True` one graph serves all of them."]
    plan = planned(_by_sizes(paths, shapes))
    if plan is not None:
        text, wraps, code = text + plan.text, plan.wraps, [plan.code]
        notes.append(EACH_COUNTS_ONCE)
        padded = [_padded(shape, [plan.buckets.get(path, {}) for path in paths]) for shape in shapes]
    else:
        text += "Pad to one shape, or to a few."
        wraps, code, padded = dict.fromkeys(paths, _PAD), _largest(paths, shapes), [()] * len(shapes)
        if len(set(shapes)) == 2 and _is_of_first_dimensions(shapes):
            notes.insert(0, "Of a dataset's last batch, `drop_remainder=True` leaves it out.")
    before, after = _compilations(compiled, shapes), _compilations(compiled, padded)
    saved_ns = sum(one.cost_ns for one in before) - sum(one.cost_ns for one in after)
    evidence = _NOT_BY_ITSELF
    if len(after) < len(before):
        evidence = (
            f"XLA compiles once for each shape: {plural(len(before), 'compilation')} → {len(after):,} if it is padded"
            f" so, {saved_ns / 1e6:,.0f} ms less; of a larger shape one may take longer."
        )
    shown = "\n\n".join([*code, _calls(function, again, wraps)])
    return Fix("pad_for_xla", text, None, other=shown, evidence=evidence, notes=notes)


def _of_values(function: FunctionFacts) -> Fix | None:
    again = [one for one in function.compiled if one.changed & one.values.keys()]
    paths = list(dict.fromkeys(path for one in again for path in one.values if path in one.changed))
    if not again:
        return None
    values = "the value" if len(paths) == 1 else "the values"
    text = (
        f"XLA needs {values} of {listed(paths)} of `{function.name}` while it compiles, as a size or a bound of what it"
        f" computes, and compiles for each new one: {_at_least(function)}{plural(len(again), 'time')} so far. Pass few"
        " values, such as the next of a few sizes, with a mask; or compile without `jit_compile=True` what needs them."
    )
    return Fix("few_values_for_xla", text, None, evidence="What the value decides is not recorded.")


def _at_least(function: FunctionFacts) -> str:
    return "at least " if len(function.compiled) >= MOST_COMPILED else function.at_least


def _by_sizes(paths: Sequence[str], shapes: Sequence[_Shapes]) -> dict[tuple[int, ...], tuple[Dimension, ...]]:
    """Dimensions that vary, by their sizes in each distinct set of shapes; empty where a rank does."""
    groups: dict[tuple[int, ...], tuple[Dimension, ...]] = {}
    for place, path in enumerate(paths):
        of_path = [shape[place] for shape in dict.fromkeys(shapes)]
        if len(set(map(len, of_path))) != 1 or any(size < 0 for shape in of_path for size in shape):
            return {}
        for axis, sizes in enumerate(zip(*of_path, strict=True)):
            if len(set(sizes)) > 1:
                groups[sizes] = (*groups.get(sizes, ()), (path, axis))
    return groups


def _largest(paths: Sequence[str], shapes: Sequence[_Shapes]) -> list[str]:
    """A comment on what to pad to, where all are of one rank."""
    found = {
        path: [max(sizes) for sizes in zip(*of_path, strict=True)]
        for path, of_path in zip(paths, zip(*shapes, strict=True), strict=True)
        if len(set(map(len, of_path))) == 1
    }
    return [f"# the largest so far: {', '.join(f'{path} {shape}' for path, shape in found.items())}"] if found else []


def _padded(shapes: _Shapes, buckets: Sequence[Mapping[int, tuple[int, ...]]]) -> _Shapes:
    return tuple(
        tuple(bucket_of(size, sizes.get(axis, ())) for axis, size in enumerate(shape))
        for shape, sizes in zip(shapes, buckets, strict=True)
    )


def _is_of_first_dimensions(shapes: Sequence[_Shapes]) -> bool:
    return len({tuple(shape[1:] for shape in one) for one in shapes}) == 1


def _compilations(compiled: Sequence[Compiled], shapes: Sequence[_Shapes]) -> list[Compiled]:
    """Those that are the first of their graph for the shapes; each pass is compiled apart."""
    first: dict[object, Compiled] = {}
    for one, shape in zip(compiled, shapes, strict=True):
        first.setdefault((one.trace, one.gradient, one.backward, *one.values.items(), shape), one)
    return list(first.values())


def _calls(function: FunctionFacts, again: Sequence[Compiled], wraps: Mapping[str, str]) -> str:
    """The lines that compiled again, with what is padded there."""
    parameters = [name for name, _ in function.traces[0].lookup.signature.arguments if name != "self"]
    lines: dict[str, None] = {}
    for frame in dict.fromkeys(one.frame for one in again):
        line = frame and rewritten(
            frame.source, function.name, parameters, wraps,
            optional=function.with_default, keyword_only=function.keyword_only, any_name=True,
        )  # fmt: skip
        if line:
            lines[line] = None
    by_name = "\n".join(f"{wrap.format(path)}  # in place of {path}, at each call" for path, wrap in wraps.items())
    return "\n".join([*lines][:_MAX_LINES]) or by_name
