"""A tf.function made anew for each tensor that it closes over, of sizes that change: batches, of which the last is
smaller. One that takes it as an argument, and leaves its sizes unknown, will do."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER_NUMBERS,
    CLOSES_OVER_SIZES,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import define_once, self_of
from tb_retrace_plugin.explain.advice.source.code import signature_code, with_added_specs
from tb_retrace_plugin.explain.verdict.evidence import how_it_has
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import common_shape

#: Of evidence: `x`: float32 (4, 2) → float32 (3, 2), and another `y` of float32 (2,).
_SIZES = re.compile(r"`([^`]+)`: (\w+) (\([^()]*\)) → \w+ (\([^()]*\))")
_ANOTHER = re.compile(r"another `([^`]+)` of (\w+) (\([^()]*\))(?=, |\. )")


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [trace for trace, _ in function.with_cause("recreated_function")]
    sized = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_SIZES)]
    if not sized or is_given_to_tf_data(sized[0]) or function.jit_compile:
        return None
    traces = [trace for trace in recreated if not trace.evidence.endswith(CLOSES_OVER_NUMBERS)]
    objects = merged_objects(function, traces)
    shapes = _shapes(traces)
    them = "it as an argument" if len(shapes) == 1 else "them as arguments"
    names = listed(list(shapes)).replace(" of ", "` of `")
    text = (
        f"`{function.name}` was made {function.at_least}{times_made(objects)} times, each time for other tensors"
        f" {how_it_has([trace.evidence for trace in sized])}, {names}, of several sizes: a graph keeps what it"
        f" was traced with. {define_once(function, objects)}, pass {them}, and leave unknown the sizes that change."
    )
    notes = [
        f"{listed(holders)} {'has' if len(holders) == 1 else 'have'} to take `{name}` as an argument, too, and to be"
        " defined once as well."
        for name, *holders in (name.split(" of ") for name in shapes)
        if holders
    ]
    own = [pair for pair in function.traces[0].lookup.signature.arguments if pair[0] != "self"]
    are_same = all(
        [pair for pair in trace.lookup.signature.arguments if pair[0] != "self"] == own for trace in function.traces
    )
    specs = [f"tf.TensorSpec({_shown(shape)}, tf.{dtype})" for dtype, shape in shapes.values()]
    declared = signature_code(own) if own else "@tf.function(input_signature=[])"
    assumes = "nothing else that it reads has changed, and that the code does not need the unknown dimensions"
    if declared is None or not are_same:
        evidence = "Not replayed: how many sizes there are of what it is passed then is not known."
        return Fix("pass_closed_over_tensor", text, None, evidence=evidence, notes=notes)
    taken = [*(path for path, _ in own), *shapes]
    code = with_added_specs(declared, specs)
    if all(name.isidentifier() for name in (*taken, function.name)):
        code += f"\ndef {function.name}({self_of(function)}{', '.join(taken)}):  # once\n    …\n\n"
        code += f"{function.called}({', '.join(taken)})"
    else:
        code = ""
    return Fix(
        "pass_closed_over_tensor", text, Candidate(objects=objects), other=code,
        assumes=f"{assumes} while it is traced", notes=notes,
    )  # fmt: skip


def _shapes(traces: list[Traced]) -> dict[str, tuple[str, tuple[int, ...] | None]]:
    """Of each tensor by its name: dtype, and the shape that serves all."""
    found: dict[str, tuple[str, tuple[int, ...] | None]] = {}
    for trace in traces:
        texts = [(name, dtype, shape) for name, dtype, *both in _SIZES.findall(trace.evidence) for shape in both]
        for name, dtype, text in texts + _ANOTHER.findall(trace.evidence):
            shape = tuple(-1 if size == "None" else int(size) for size in re.findall(r"\d+|None", text))
            found[name] = dtype, common_shape(found[name][1], shape) if name in found else shape
    return found


def _shown(shape: tuple[int, ...] | None) -> str:
    return "None" if shape is None else f"[{', '.join('None' if size < 0 else str(size) for size in shape)}]"
