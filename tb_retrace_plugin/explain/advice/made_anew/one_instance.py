"""A decorated method of instances that come and go: each has a tf.function of its own."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import (
    are_all_of_one_kind,
    merged_identities,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.candidate import Candidate
from tb_retrace_plugin.schema.signature import DELETED


def propose(function: FunctionFacts) -> Fix | None:
    found = [(t, change) for t, change in function.with_cause("object_identity") if change.path == "self"]
    traces = [trace for trace, _ in found]
    objects = merged_objects(function, traces)
    if not objects:
        return None
    owner = found[0][1].new.removeprefix(f"{DELETED} ").partition(" ")[0] or "object"
    graphs = len(set(objects.values()))
    what, make, once, of_graph = "the same graph", f"one `{owner}`", "once", ""
    if not are_all_of_one_kind(function, objects):
        what = f"{graphs} graphs" if graphs > 1 else "the same graph, beside others of other graphs"
        make, once, of_graph = f"one `{owner}` for each", "once for each graph", " of one graph"
        make += "" if graphs > 1 else " graph"
    text = (
        f"`{function.name}` was traced for {function.at_least}{times_made(objects)} instances of `{owner}`, with"
        f" {what}: each instance has a tf.function of its own. Make {make} and call its method each time."
    )
    variable = owner.lower() if owner.lower() != owner else f"one_{owner}"
    line = source_line(function.caller(traces[0]))
    if is_own := f"self.{function.name}(" in line:  # a method of its own calls it: another line makes the call of that
        text += (
            " Or write it as a function outside of the class, decorated there, that is passed what it reads of `self`:"
            " tensors and variables, if anything. Then instances can keep what is theirs."
        )
    call = f"{variable}(…)" if function.name == "__call__" else f"{variable}.{_name_called(function, line)}(…)"
    code = f"{variable} = {owner}(…)  # {once}, before the loop\n…\n{call}"
    if is_own:
        code = f"{variable} = {owner}(…)  # {once}, before the loop"
    elif line:
        code += f"  # in place of: {line}"
    return Fix(
        "one_instance", text, Candidate(objects=objects, identities=merged_identities(function, traces, "self")),
        other=code, outside={"one_function": True}, assumes=f"one instance can serve all calls{of_graph}",
    )  # fmt: skip


def _name_called(function: FunctionFacts, line: str) -> str:
    """Of the tf.function: where a call of `tf.function` made it of the method, that by its own name may run eagerly."""
    is_it = not function.undecorated or f".{function.name}(" in line
    return function.name if is_it else "…"
