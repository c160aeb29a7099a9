"""A Python iterator as an argument: no two calls can share one, and what it gives becomes part of the graph."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.differences.iterators import is_iterator


def propose(function: FunctionFacts) -> Fix | None:
    found = function.with_cause("object_identity", "python_value", "python_type")
    paths = list(dict.fromkeys(change.path for _, change in found if is_iterator(change.new)))
    if not paths:
        return None
    one = len(paths) == 1
    text = (
        f"{listed(paths)} of `{function.name}` {'is a Python iterator' if one else 'are Python iterators'}: tracing"
        f" uses {'it' if one else 'them'} up and unrolls the loop over {'it' if one else 'them'}. Pass a list, if it"
        " has as many elements each time, or a `tf.data.Dataset`, which is iterated over in the graph."
    )
    code = "\n".join(f"{path} = list({path})  # or a tf.data.Dataset" for path in paths if path.isidentifier())
    return Fix("python_iterator", text, None, other=code, evidence="What the iterators give is not recorded.")
