"""A tf.function that is made again and again with nothing in it changed: each object knows nothing of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    are_all_of_one_kind,
    how_often,
    made_of_others,
    merged_objects,
    node_of,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import (
    STAYS,
    binds_tensors,
    known_keywords,
    made_in,
    with_bound,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import where_it_reads_locals
from tb_retrace_plugin.explain.advice.made_anew.own_defaults import own_defaults, told_of_defaults
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.evidence import BINDS_ANOTHER, ONE_OBJECT_FOR_BOTH, made_for_each_run
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node

_ONE_DECORATOR = "with one decorator"
#: `self.step = tf.function(self._step)`, of a decorated method.
_IT_ITSELF = ": where another `tf.function(…)` is given the decorated one, use that itself"
_OUTSIDE = "outside the loop or function that makes {}"

_SELF = re.compile(r"\bself\.")
_IN_A_METHOD = (
    "`self` is there in a method alone: where the loop is around calls of that, make it in `__init__`, as an attribute"
    " of `self`, and call that of one instance."
)
#: As the evidence names what is bound.
_BOUND = re.compile(r"`(\w+)`: ")
_BINDS = (
    "This changes results where `functools.partial` binds another tensor each time that it is made: one function keeps"
    " the first. Bind none, and pass it at each call."
)
_BINDS_OTHERS = (
    "`functools.partial` binds another {} each time, and one function keeps the first. The graphs are the same for what"
    " this run binds: where that comes to mean something else for each, keep one function for each."
)


def propose(function: FunctionFacts) -> Fix | None:
    traces = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    traces = [t for t in traces if not is_given_to_tf_data(t) and not made_for_each_run(t.evidence)]
    beside = [trace for trace in function.traces if trace.evidence.endswith(ONE_OBJECT_FOR_BOTH)]
    objects = merged_objects(function, [*traces, *beside] if traces else [])
    if not objects:
        return None
    if owner := _one_owner(function, objects):
        return _of_one_instance(function, objects, owner)
    kinds = len(set(objects.values()))
    is_one = are_all_of_one_kind(function, objects)
    as_others = "with the same graph or the same closed-over values"
    text = f"`{function.name}` was made {function.at_least}{how_often(objects)}, and each tf.function object was"
    in_a_cell = function.is_defined_in_a_cell
    is_twice = not function.undecorated and objects.keys() <= made_of_others(function)
    is_twice = is_twice and not any(made_in(source_line(function.caller(t)), function.name) for t in traces)
    if is_twice:
        text = (
            f"`{function.name}` is a tf.function that was made of a tf.function, and each of the {times_made(objects)}"
            f" is traced. Decorate it once{_IT_ITSELF}."
        )
    elif is_one and function.is_loaded_again:
        text += (
            f" traced anew, {as_others}: the code that holds it was executed again each time. Execute"
            f" {_holder(function)} once, without `importlib.reload`, `%run` or the like for what has not changed."
        )
    elif is_one:
        where = "in a cell of its own that is run once, and in no loop" if in_a_cell else _OUTSIDE.format("it")
        text += f" traced anew, {as_others}. Define it once, {where}."
    else:
        of_kinds = f"of {kinds} kinds" if kinds > 1 else "beside some of other kinds"
        where = "in cells of their own that are run once" if in_a_cell else _OUTSIDE.format("them")
        text += (
            f" traced anew, {as_others} as others, {of_kinds}. Define one of each kind once, {where}, and call that:"
            " one for all may give the results of one kind."
        )
    defaults = own_defaults(function, [trace for trace in function.traces if trace.lookup.object_number in objects])
    binds = binds_tensors(function)
    others = _bound_otherwise(traces)
    of_each = f"once for each of the {kinds} kinds" if kinds > 1 else "once for each kind"
    once = "once" if is_one else of_each
    once = _ONE_DECORATOR if is_twice else once
    of_one_kind = "" if is_one or is_twice else " of one kind"
    return Fix(
        "create_function_once", text, Candidate(objects=objects),
        other=code_of_one(
            function, traces, once, known_keywords(function) if is_one else (), defaults
        ),
        outside=None if defaults or binds or others else {"one_function": True},
        assumes=f"what it reads from around it can be the same for all calls{of_one_kind}",
        notes=[] if is_twice or function.is_loaded_again else _notes(function, traces),
        warnings=[*told_of_defaults(defaults), *([_BINDS] if binds else []), *others],
    )  # fmt: skip


def _bound_otherwise(traces: Sequence[Traced]) -> list[str]:
    """What is said of Python values that partials bind, by the names in the evidence."""
    told = [trace.evidence.partition(BINDS_ANOTHER)[2] for trace in traces]
    names = list(dict.fromkeys(name for text in told for name in _BOUND.findall(text)))
    return [_BINDS_OTHERS.format(" and another ".join(f"`{name}`" for name in names))] if names else []


def _notes(function: FunctionFacts, traces: Sequence[Traced]) -> list[str]:
    made_there = _made_there(function, traces)
    if not made_there:
        return [*where_it_reads_locals(function), STAYS]
    return [_IN_A_METHOD] if _SELF.search(made_there) else []


def _one_owner(function: FunctionFacts, objects: Mapping[int, int]) -> Node | None:
    """What all of these objects of a decorated method are bound to, or are passed as `self`; None if it is several."""
    traces = [trace for trace in function.traces if trace.lookup.object_number in {*objects, *objects.values()}]
    owners = [node_of(trace, "self") for trace in traces]
    first = owners[0] if owners else None
    if first is None or first.kind != "object" or function.undecorated or objects.keys() <= made_of_others(function):
        return None
    return first if all(one is not None and one.identity == first.identity for one in owners) else None


def _of_one_instance(function: FunctionFacts, objects: Mapping[int, int], owner: Node) -> Fix:
    name, kind = function.name, owner.value.partition(" ")[0]
    return Fix(
        "create_function_once",
        f"`{name}` has {times_made(objects)} tf.function objects for one and the same `{kind}`: TensorFlow has one for"
        f" calls on the class (`{kind}.{name}(…)`), and one for each instance. Call it on the instance each time.",
        Candidate(objects=objects), assumes="the calls can be made so",
    )  # fmt: skip


def _holder(function: FunctionFacts) -> str:
    name = function.file.replace("\\", "/").rpartition("/")[2]
    return f"`{name}`" if name.endswith(".py") else "that"


def _made_there(function: FunctionFacts, traces: Sequence[Traced]) -> str:
    """The call of `tf.function` in the line that calls what it makes; "" if that is another one, or several are."""
    made = {made_in(source_line(function.caller(trace)), function.name) for trace in traces}
    return made.pop() if len(made) == 1 else ""


def code_of_one(
    function: FunctionFacts, traces: Sequence[Traced], once: str, keywords: Sequence[str], defaults: Sequence[str] = ()
) -> str:
    """`keywords`: that `tf.function` is given now, as far as is known. `defaults`: that calls have to pass."""
    name = function.name
    passed = ", ".join(f"{path}={path}" for path in defaults)
    call = f"\n…\n{{}}(…, {passed})" if passed else ""
    if function.is_defined_in_a_cell:
        once += ", in a cell of its own"
    instead = "call it in place of what is made anew"
    if made_there := _made_there(function, traces):  # with all that it is given there
        called = f"compiled_{name.lstrip('_')}" if name.isidentifier() else "f"
        return f"{called} = {made_there}  # {once}, before the loop; {instead}{call.format(called)}"
    if function.is_loaded_again:
        called = name if name.isidentifier() else "f"
        return f"{called}(…)  # the same object each time: execute {_holder(function)} {once}"
    given = "".join(f", {keyword}" for keyword in keywords).replace(", \n", ",\n")
    if not name.isidentifier():  # a lambda
        called = call.format("f") or "\n…\nf(…)"
        return f"f = tf.function(…{given})  # {once}, before the loop{called}  # the same object each time"
    if function.is_object:
        return (
            f"compiled = tf.function({name}(…){given})  # {once}, before the loop\n"
            "…\ncompiled(…)  # the same object each time"
        )
    if function.undecorated:
        called = f"compiled_{name.lstrip('_')}"
        compiled = f"{called} = tf.function({with_bound(function)}{given})"
        return f"{compiled}  # {once}, before the loop; {instead}{call.format(called)}"
    parameters = [path for path, _ in traces[0].lookup.signature.arguments]
    shown = ", ".join(parameters) if all(path.isidentifier() for path in parameters) else "…"
    decorator = f"@tf.function({given.removeprefix(',').removeprefix(' ')})" if given else "@tf.function"
    if parameters[:1] == ["self"]:
        return f"{decorator}\ndef {name}({shown}):  # {once}: in its class\n    …"
    where = "" if function.is_defined_in_a_cell or once == _ONE_DECORATOR else ": at module level, or before the loop"
    return f"{decorator}\ndef {name}({shown}):  # {once}{where}\n    …" + call.format(name).replace("…", "", 1)
