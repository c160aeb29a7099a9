"""Many sizes of one dimension where each must be static: pad to the next of a few sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import depends_on_the_size
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.shapes.bucket_sizes import Buckets, best_buckets, wasted_by
from tb_retrace_plugin.explain.advice.shapes.built_by_size import built_by_size
from tb_retrace_plugin.explain.advice.shapes.shapes import changing, changing_paths, unknown_dimensions_fail
from tb_retrace_plugin.explain.advice.source.code import assignment
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.near_shapes import all_far, far_apart

#: Fewer sizes than this are not worth a function that pads.
_MIN_SIZES = 4
_MOST_BUCKETS = 8
#: As few buckets as keep the mean waste at or below this.
_MEAN_WASTE = 0.25

#: What is copied.
PAD = '''\
def pad_to_bucket(x, axis, buckets):
    """`x` with zeros at the end of `axis`, up to the next bucket; larger than all: as it is, and traced."""
    missing = next((bucket - x.shape[axis] for bucket in buckets if bucket >= x.shape[axis]), 0)
    return tf.pad(x, [[0, missing] if i == axis else [0, 0] for i in range(len(x.shape))])'''

#: Of shares of padding.
EACH_COUNTS_ONCE = "How often each size came is not recorded: each counts once."

Dimension = tuple[str, int]  # path of a tensor, axis


def propose(function: FunctionFacts) -> Fix | None:
    """Under XLA, or where a trace with unknown dimensions failed; and where one size for all would waste much."""
    paths = changing_paths(function)
    is_unrolled = "" if function.jit_compile else built_by_size(function, paths)
    if not paths or not (function.jit_compile or is_unrolled or unknown_dimensions_fail(function)):
        return None
    plan = planned(_sizes(function, paths))
    if plan is None:
        return None
    wraps = plan.wraps
    text = f"{changing(function, paths)} shape, and "
    if function.jit_compile:
        text += (
            "with `jit_compile=True` XLA compiles for each shape: unknown dimensions would save the trace and not the"
            " compilation."
        )
    elif is_unrolled:
        text += f"{depends_on_the_size(function)}. {is_unrolled}."
    else:
        text += "a trace with unknown dimensions failed."
    code = plan.code
    unnamed = {path: wrap for path, wrap in wraps.items() if not _can_be_replaced(function, path)}
    for path, wrap in unnamed.items():
        code += f"\n\n{wrap.format(path)}  # in place of {path}"
    return Fix(
        "shape_buckets", f"{text} {plan.text}", Candidate(buckets=plan.buckets), other=code,
        calls={path: wrap for path, wrap in wraps.items() if path not in unnamed},
        assumes="padding, with a mask where it is needed, does not change the result",
        notes=[EACH_COUNTS_ONCE],
        before=("pad_to_one_shape", *(("input_signature", "reduce_retracing") if is_unrolled else ())),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """`buckets`: of each axis of the tensor at a path. `wraps`: how it is padded. `code`: tables, and what pads."""

    buckets: Mapping[str, Mapping[int, tuple[int, ...]]]
    wraps: dict[str, str]
    text: str
    code: str


def planned(groups: Mapping[tuple[int, ...], tuple[Dimension, ...]]) -> Plan | None:
    """`groups`: dimensions by the sizes that they had, at the same calls. None where one shape does."""
    chosen = {
        dimensions: (table, _choice(table, sizes))
        for sizes, dimensions in groups.items()
        if len(set(sizes)) >= _MIN_SIZES and (table := best_buckets(sizes, _MOST_BUCKETS))
    }
    if all(len(buckets.sizes) == 1 for _, buckets in chosen.values()):
        return None
    by_path: dict[str, dict[int, tuple[int, ...]]] = {}
    wraps: dict[str, str] = {}
    for dimensions, (_, buckets) in chosen.items():
        for path, axis in dimensions:
            by_path.setdefault(path, {})[axis] = buckets.sizes
            shown = f"({', '.join(map(str, buckets.sizes))}{',' if len(buckets.sizes) == 1 else ''})"
            wraps[path] = f"pad_to_bucket({wraps.get(path, '{}')}, {axis}, {shown})"
    parts = [_sentence(dimensions, table, buckets) for dimensions, (table, buckets) in chosen.items()]
    tables = [_table(dimensions, table, buckets) for dimensions, (table, buckets) in chosen.items()]
    return Plan(by_path, wraps, " ".join(parts), "\n".join([*tables, PAD]))


def _sizes(function: FunctionFacts, paths: list[str]) -> dict[tuple[int, ...], tuple[Dimension, ...]]:
    """Dimensions that vary, by their sizes in each trace that worked: those of the same sizes vary together.

    Empty if a changing argument is not a tensor of one rank with all dimensions known in each, or if a trace was
    widened: which other sizes it served is not recorded.
    """
    working = [trace for trace in function.traces if not trace.lookup.failed]
    if any(trace.lookup.traced is not None for trace in working):
        return {}
    groups: dict[tuple[int, ...], tuple[Dimension, ...]] = {}
    for path in paths:
        nodes = [node_of(trace, path) for trace in working]
        shapes = [node.shape for node in nodes if node is not None and node.kind == "tensor" and node.shape is not None]
        if len(shapes) < len(nodes) or len({len(shape) for shape in shapes}) != 1:
            return {}
        if any(size < 0 for shape in shapes for size in shape):
            return {}
        for axis, sizes in enumerate(zip(*shapes, strict=True)):
            if len(set(sizes)) > 1:
                groups[sizes] = (*groups.get(sizes, ()), (path, axis))
    return groups


def _choice(table: list[Buckets], sizes: tuple[int, ...]) -> Buckets:
    """The fewest that waste little and are far apart; else as many as keep each size near its bucket.

    What was padded to sizes that are far apart is not judged to have more shapes than are needed (verdict.py).
    """
    little = (buckets for buckets in table if buckets.mean_waste <= _MEAN_WASTE and all_far(buckets.sizes))
    return next(little, None) or wasted_by(far_apart(sizes), sizes)


def _sentence(dimensions: tuple[Dimension, ...], table: list[Buckets], buckets: Buckets) -> str:
    sizes = ", ".join(map(str, buckets.sizes))
    said = f"Pad {_named(dimensions)} to "
    said += f"{sizes}" if len(buckets.sizes) == 1 else f"the next of {len(buckets.sizes)} buckets {sizes}"
    said += f": at most {_percent(buckets.most_waste)} of it is padding, {_percent(buckets.mean_waste)} on average over"
    said += " the sizes seen"
    if len(buckets.sizes) > 1:
        said += f" (with one size for all {_percent(table[0].mean_waste)})"
    return said + "."


def _table(dimensions: tuple[Dimension, ...], table: list[Buckets], chosen: Buckets) -> str:
    """For who weighs traces against padding otherwise."""
    lines = [f"# padding of {_named(dimensions, '')}: mean over the sizes seen, most, buckets"]
    for buckets in table if chosen in table else [*table, chosen]:
        shown = ", ".join(map(str, buckets.sizes))
        lines.append(f"#   {_percent(buckets.mean_waste):>5}  {_percent(buckets.most_waste):>5}  {shown}")
    return "\n".join(lines)


def _named(dimensions: tuple[Dimension, ...], quote: str = "`") -> str:
    by_axis: dict[int, list[str]] = {}
    for path, axis in dimensions:
        by_axis.setdefault(axis, []).append(path)
    return " and ".join(
        f"dimension {axis} of {listed(paths) if quote else ', '.join(paths)}" for axis, paths in by_axis.items()
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _can_be_replaced(function: FunctionFacts, path: str) -> bool:
    """Whether a call can be written with something else at `path`, or a line before it that puts it there."""
    return bool(assignment(function, path, "{}"))
