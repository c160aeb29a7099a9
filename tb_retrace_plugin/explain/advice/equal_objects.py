"""Python objects as arguments, compared by identity, of which one would do.

`__hash__` alone was measured not to help: TensorFlow compares with `==`. Both methods do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tb_retrace_plugin.explain.advice.call_lines import rewritten
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.reading import merged_identities, node_of, nodes_at
from tb_retrace_plugin.explain.candidate import Candidate
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.iterators import is_iterator

#: Classes that a user cannot give methods to.
_NOT_THE_USERS = frozenset({"TensorShape", "deque", "frozenset", "partial", "set"})
_FUNCTION = re.compile(r"function ([^\W\d]\w*) #\d+")
_METHODS = """\
class {name}:
    …
    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self):
        return hash(type(self))  # whatever it holds: lists and dictionaries have none"""


def propose(function: FunctionFacts) -> Fix | None:
    found = [
        (t, change)
        for t, change in function.with_cause("object_identity")
        if change.path != "self" and not t.lookup.failed and not is_iterator(change.new)
    ]
    identities: dict[tuple[str, int], int] = {}
    for path in dict.fromkeys(change.path for _, change in found):
        traces = [trace for trace, change in found if change.path == path]
        identities.update(merged_identities(function, traces, path))
    if not identities:
        return None
    change = found[0][1]
    path, new = change.path, change.new.removeprefix("deleted ")
    owner, _, rest = new.partition(" ")
    is_plain = rest.startswith("object") and owner.isidentifier()
    is_theirs = owner in _NOT_THE_USERS or any(_is_of_a_library(trace, change.path) for trace, change in found)
    # what no longer exists equals nothing, whatever its class says
    gone = any(_is_gone(trace, change) for trace, change in found)
    if gone or is_theirs or not is_plain:
        how = "holds it by a weak reference only" if gone else "compares it by identity"
        text = (
            f"`{path}` of `{function.name}` is another Python object in each trace, and TensorFlow {how}."
            " Make it once, outside the loop, keep it, and pass the same object each time."
        )
        if gone and owner.isidentifier():
            text += f" `__eq__` would not help: the earlier `{owner}` no longer exists when the next one is compared."
            if is_plain and not is_theirs:
                text += " A `__tf_tracing_type__` would: TensorFlow keeps what it returns as long as the trace."
        if owner == "TensorShape":
            text += f" Or pass the dimensions: `tuple({path})` is compared by its numbers."
        made = f"{owner}(…)" if is_plain else _kept_function(function, identities, path) or "…"
        return Fix(
            "same_object", text, Candidate(identities=identities),
            other=f"{path} = {made}  # once, before the loop" if path.isidentifier() else "",
            calls={path: path} if path.isidentifier() and _is_made_at_the_call(function, found, path) else {},
            assumes="one object can serve all calls",
        )  # fmt: skip
    text = (
        f"`{path}` of `{function.name}` is another `{owner}` in each trace, with the same graph: TensorFlow compares"
        f" them by identity. Give `{owner}` `__eq__` and `__hash__`, both (a frozen dataclass of hashable fields has"
        " them), or a `__tf_tracing_type__`, or pass the same object each time, or the values in it as tensors."
    )
    return Fix(
        "equal_objects", text, Candidate(identities=identities), other=_METHODS.format(name=owner),
        outside={"equal_classes": [owner]},
        assumes="objects that gave the same graph have equal attributes, none of them arrays",
    )  # fmt: skip


def _is_of_a_library(trace: Traced, path: str) -> bool:
    node = node_of(trace, path)
    return node is not None and "." in node.type_name


def _kept_function(function: FunctionFacts, identities: Mapping[tuple[str, int], int], path: str) -> str:
    """Name of the function that is passed in place of the others, where they have other names: a default, say."""
    names: dict[int, str] = {}
    for node in nodes_at(function, path):
        match = _FUNCTION.fullmatch(node.value)
        names[node.identity] = match[1] if match else ""
    kept = {names.get(number, "") for number in identities.values()}
    replaced = {names.get(number, "") for at, number in identities if at == path}
    (name,) = kept if len(kept) == 1 else ("",)
    return name if name not in replaced else ""


def _is_made_at_the_call(function: FunctionFacts, found: list[tuple[Traced, Change]], path: str) -> bool:
    """Whether the user's line makes it where it is passed, so that the line has to pass what was kept."""
    for trace, change in found:
        frame = function.caller(trace)
        if change.path != path or frame is None:
            continue
        parameters = [name for name, _ in trace.lookup.signature.arguments if name != "self"]
        marked = rewritten(
            frame.source, function.name, parameters, {path: "\0{}\0"},
            optional=function.with_default, any_name=function.calls_directly(trace),
        )  # fmt: skip
        if marked is not None and not all(part.isidentifier() for part in marked.split("\0")[1::2]):
            return True
    return False


def _is_gone(trace: Traced, change: Change) -> bool:
    return change.old.startswith("deleted ") or "no longer exists" in trace.evidence
