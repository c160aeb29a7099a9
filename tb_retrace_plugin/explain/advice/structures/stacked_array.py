"""A `tf.TensorArray` as an argument: TensorFlow traces for each one, whatever it holds; what it holds is a tensor."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.structures.made_of import made_of
from tb_retrace_plugin.explain.differences.tensor_arrays import is_tensor_array

_NOTE = (
    "The function takes a tensor then: where it needs a TensorArray, it makes one of it"
    " (`tf.TensorArray({0}.dtype, tf.shape({0})[0]).unstack({0})`). What holds elements of several shapes cannot be"
    " stacked."
)


def propose(function: FunctionFacts) -> Fix | None:
    found = function.with_cause("composite_spec")
    paths = list(dict.fromkeys(change.path for _, change in found if is_tensor_array(change)))
    if not paths:
        return None
    are, them = ("is a `tf.TensorArray`", "it holds") if len(paths) == 1 else ("are TensorArrays", "they hold")
    text = (
        f"{listed(paths)} of `{function.name}` {are}, and TensorFlow traces for each one, whatever it holds. Pass"
        f" what {them} as a tensor, whose number of elements can be unknown."
    )
    code = made_of(function, paths, "{}.stack()")
    evidence = "Of what shapes the stacked tensors are is not recorded."
    return Fix("stack_tensor_array", text, None, other=code, evidence=evidence, notes=[_NOTE.format(paths[0])])
