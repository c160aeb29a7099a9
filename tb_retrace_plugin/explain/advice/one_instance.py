"""A decorated method of instances that come and go: each has a tf.function of its own."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.code import source_line
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import merged_identities, merged_objects
from tb_retrace_plugin.explain.what_if import Candidate


def propose(function: FunctionFacts) -> Fix | None:
    found = [(t, change) for t, change in function.with_cause("object_identity") if change.path == "self"]
    traces = [trace for trace, _ in found]
    objects = merged_objects(function, traces)
    if not objects:
        return None
    owner = found[0][1].new.removeprefix("deleted ").partition(" ")[0] or "object"
    text = (
        f"`{function.name}` was traced for {function.at_least}{len(objects) + 1} instances of `{owner}`, with the same"
        f" graph: each instance has a tf.function of its own. Make one `{owner}` and call its method each time."
    )
    variable = owner.lower() if owner.lower() != owner else f"one_{owner}"
    line = source_line(function.caller(traces[0]))
    call = f"{variable}(…)" if function.name == "__call__" else f"{variable}.{function.name}(…)"
    code = f"{variable} = {owner}(…)  # once, before the loop\n…\n{call}"
    if line:
        code += f"  # in place of: {line}"
    return Fix(
        "one_instance", text, Candidate(objects=objects, identities=merged_identities(function, traces, "self")),
        other=code, outside={"one_function": True}, assumes="one instance can serve all calls",
    )  # fmt: skip
