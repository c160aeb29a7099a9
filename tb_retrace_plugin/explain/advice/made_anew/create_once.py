"""A tf.function that is made again and again with nothing in it changed: each object knows nothing of the others."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    are_all_of_one_kind,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.candidate import Candidate

_OUTSIDE = "outside the loop or function that makes {}"


def propose(function: FunctionFacts) -> Fix | None:
    traces = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    traces = [trace for trace in traces if not is_given_to_tf_data(trace)]
    objects = merged_objects(function, traces)
    if not objects:
        return None
    kinds = len(set(objects.values()))
    is_one = are_all_of_one_kind(function, objects)
    as_others = "with the same graph or the same closed-over values"
    text = f"`{function.name}` was made {function.at_least}{times_made(objects)} times, and each tf.function object was"
    in_a_cell = function.is_defined_in_a_cell
    if is_one:
        where = "in a cell of its own that is run once, and in no loop" if in_a_cell else _OUTSIDE.format("it")
        text += f" traced anew, {as_others}. Define it once, {where}."
    else:
        of_kinds = f"of {kinds} kinds" if kinds > 1 else "beside some of other kinds"
        where = "in cells of their own that are run once" if in_a_cell else _OUTSIDE.format("them")
        text += (
            f" traced anew, {as_others} as others, {of_kinds}. Define one of each kind once, {where}, and call that:"
            " one for all may give the results of one kind."
        )
    of_each = f"once for each of the {kinds} kinds" if kinds > 1 else "once for each kind"
    return Fix(
        "create_function_once", text, Candidate(objects=objects),
        other=_code(function, traces[0], "once" if is_one else of_each),
        outside={"one_function": True},
        assumes=f"what it reads from around it can be the same for all calls{'' if is_one else ' of one kind'}",
    )  # fmt: skip


def _code(function: FunctionFacts, trace: Traced, once: str) -> str:
    name = function.name
    if function.is_defined_in_a_cell:
        once += ", in a cell of its own"
    if not name.isidentifier():  # a lambda
        return f"f = tf.function(…)  # {once}, before the loop\n…\nf(…)  # the same object each time"
    if function.is_object:
        return (
            f"compiled = tf.function({name}(…))  # {once}, before the loop\n…\ncompiled(…)  # the same object each time"
        )
    if function.undecorated:
        compiled = f"compiled_{name.lstrip('_')} = tf.function({function.name_where_made})"
        return f"{compiled}  # {once}, before the loop; call it in place of what is made anew"
    if f"tf.function({name}" in source_line(function.caller(trace)):
        return f"compiled_{name} = tf.function({name})  # {once}, before the loop"
    parameters = [path for path, _ in trace.lookup.signature.arguments]
    shown = ", ".join(parameters) if all(path.isidentifier() for path in parameters) else "…"
    if parameters[:1] == ["self"]:
        return f"@tf.function\ndef {name}({shown}):  # {once}: in its class\n    …"
    where = "" if function.is_defined_in_a_cell else ": at module level, or before the loop"
    return f"@tf.function\ndef {name}({shown}):  # {once}{where}\n    …"
