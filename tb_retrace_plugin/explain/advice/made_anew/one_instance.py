"""A decorated method of instances that come and go: each has a tf.function of its own; or, beneath another decorator,
the one of all is passed them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    are_all_of_one_kind,
    merged_identities,
    merged_objects,
    node_of,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.kept_instance import is_gone
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import DELETED

_EACH = "each instance has a tf.function of its own"
_ONE = "the tf.function is passed the instance, by a decorator above it"
_COLLECTS = (
    "This changes results where an instance holds something of its own that other methods use, such as data, or"
    " collects something in its attributes, such as a list: one for all has the first one's, and goes on with it. Keep"
    " what is each one's apart, and begin anew where each instance did."
)
_FUNCTION = (
    "write it as a function outside of the class, decorated there, that is passed what it reads of `self`: tensors and"
    " variables, if anything."
)
_OR_OUTSIDE = f"Or {_FUNCTION} Then instances can keep what is theirs."
#: None was gone when the next came: an agent's two critics, say.
_OUTSIDE = f" Where the program needs all of them, {_FUNCTION}"


def propose(function: FunctionFacts) -> Fix | None:
    found = [(t, change) for t, change in function.with_cause("object_identity") if change.path == "self"]
    found = [(t, change) for t, change in found if not (is_gone(t) or t.lookup.failed)]  # which has no graph
    traces = [trace for trace, _ in found]
    objects = merged_objects(function, traces)
    identities = merged_identities(function, traces, "self")
    merged = objects or {number: root for (_, number), root in identities.items()}
    if not merged:
        return None
    line = source_line(function.caller(traces[0]) if objects else _calling_frame(function, traces[0]))
    owner = found[0][1].new.removeprefix(f"{DELETED} ").partition(" ")[0] or "object"
    maker = ""
    if found[0][1].new.startswith(DELETED):  # then it is the class that has the method
        maker = _made_in_place(line, function.name)
        owner = maker if maker[:1].isupper() and maker.isidentifier() else owner
    graphs = len(set(merged.values()))
    what, make, once, of_graph = "the same graph", f"one `{owner}`", "once", ""
    owners = _classes(found) if not maker else [owner]
    owners = owners if len(owners) > 1 else [owner]
    is_one = are_all_of_one_kind(function, objects) if objects else _are_all_of_one_kind(function, merged)
    if not is_one:
        what = f"{graphs} graphs" if graphs > 1 else "the same graph, beside others of other graphs"
        one = f"one `{owner}`" if len(owners) == 1 else "one"
        make, once, of_graph = f"{one} for each", "once for each graph", " of one graph"
        make += "" if graphs > 1 else " graph"
    text = (
        f"`{function.name}` was traced for {function.at_least}{times_made(merged)} instances of {listed(owners)}, with"
        f" {what}: {_EACH if objects else _ONE}. Make {make} and call its method each time."
    )
    are_there = bool(objects) and not any(change.old.startswith(DELETED) for _, change in found)
    text += _OUTSIDE if are_there else ""
    notes = []
    known = _called_on(line, function) if len(owners) == 1 else ""
    variables = [known] if known else [_variable(name) for name in owners]
    code = "\n".join(
        f"{variable} = {maker or name}(…)  # {once}, before the loop"
        for variable, name in zip(variables, owners, strict=True)
    )
    if _calls_its_own(line, function):  # a method of its own calls it: another line makes the call of that
        notes += [] if are_there else [_OR_OUTSIDE]
    elif not known:  # else the line stays as it is
        first, *others = (_call(function, variable, line) for variable in variables)
        code += "\n…\n" + "\n".join([first + (f"  # in place of: {line}" if line else ""), *others])
    return Fix(
        "one_instance", text, Candidate(objects=objects, identities=identities),
        other=code, outside={"one_function": True} if objects else None,
        assumes=f"one instance can serve all calls{of_graph}", warnings=[_COLLECTS], notes=notes,
    )  # fmt: skip


def _classes(found: Sequence[tuple[Traced, Change]]) -> list[str]:
    """Of the instances that are still there: one that is gone is known by the class that has the method."""
    texts = [text for _, change in found for text in (change.old, change.new) if not text.startswith(DELETED)]
    return list(dict.fromkeys(text.partition(" ")[0] for text in texts))


def _variable(owner: str) -> str:
    return owner.lower() if owner.lower() != owner else f"one_{owner}"


def _call(function: FunctionFacts, variable: str, line: str) -> str:
    # of a Keras layer Keras calls it, which takes what a tf.function does not: `layer(inputs)` of a functional model
    if function.name == "__call__" or (function.name == "call" and line and ".call(" not in line):
        return f"{variable}(…)"
    if _is_read_only(line, function.name):  # a property
        return f"{variable}.{function.name}"
    return f"{variable}.{_name_called(function, line)}(…)"


def _is_read_only(line: str, name: str) -> bool:
    """Whether the line reads an attribute of that name, and calls none."""
    tree = parsed(line)
    nodes = list(ast.walk(tree)) if tree is not None else []
    read = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == name]
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    return bool(read) and not any(node in called for node in read)


def _calls_its_own(line: str, function: FunctionFacts) -> bool:
    """Whether a method of the same object, or of a subclass, makes the call, or hands it on to what makes it."""
    names = "|".join(map(re.escape, _names(function)))
    own = rf"\bself\.(?:{names})\b(?!\.)|\bsuper\([^()]*\)\.(?:{names})\("
    own += r"|\bself\(" if function.name in ("call", "__call__") else ""
    return re.search(own, line) is not None


def _are_all_of_one_kind(function: FunctionFacts, merged: Mapping[int, int]) -> bool:
    """As `are_all_of_one_kind`, of instances that one function object is passed."""
    passed = {node.identity for trace in function.traces if (node := node_of(trace, "self")) is not None}
    return len(set(merged.values())) == 1 and passed <= merged.keys() | merged.values()


def _calling_frame(function: FunctionFacts, trace: Traced) -> Frame | None:
    """The user's line that calls the method by its name, for a decorator of theirs to pass on; else what calls it."""
    by_name = (frame for frame in trace.stack if frame.user and f".{function.name}(" in frame.source)
    return next(by_name, function.caller(trace))


def _called_on(line: str, function: FunctionFacts) -> str:
    """The `model` of `model.method(…)`; "" if the line has no such call, or several."""
    tree = parsed(line)
    found = {
        call.func.value.id
        for call in (ast.walk(tree) if tree is not None else ())
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
        if call.func.attr in _names(function)
    }
    return found.pop() if len(found) == 1 and not found & {"self", "cls"} else ""


def _made_in_place(line: str, method: str) -> str:
    """The `make` of `make(…).method(…)`; "" if the line has no such call, or several."""
    tree = parsed(line)
    found = {
        ast.unparse(call.func.value.func)
        for call in (ast.walk(tree) if tree is not None else ())
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)
        if call.func.attr == method and ast.unparse(call.func.value.func) != "super"
    }
    return found.pop() if len(found) == 1 else ""


def _name_called(function: FunctionFacts, line: str) -> str:
    """Of the tf.function: where a call of `tf.function` made it of the method, that by its own name may run eagerly."""
    if not function.undecorated:
        return function.name
    return next((name for name in _names(function) if f".{name}(" in line), "…")


def _names(function: FunctionFacts) -> list[str]:
    """By which lines call it: `self.step = tf.function(self._step)`."""
    name = function.name
    return list(dict.fromkeys([name, name.lstrip("_") or name])) if function.undecorated else [name]
