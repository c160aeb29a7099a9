"""Python objects as arguments, compared by identity, of which one would do.

`__hash__` alone was measured not to help: TensorFlow compares with `==`. Both methods do.
"""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.reading import merged_identities
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.iterators import is_iterator
from tb_retrace_plugin.explain.what_if import Candidate

#: Classes that a user cannot give methods to.
_NOT_THE_USERS = frozenset({"TensorShape", "deque", "frozenset", "partial", "set"})
_METHODS = """\
class {name}:
    …
    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self):
        return hash(tuple(sorted(vars(self).items())))"""


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
    # what no longer exists equals nothing, whatever its class says
    gone = any(_is_gone(trace, change) for trace, change in found)
    if gone or not rest.startswith("object") or not owner.isidentifier():
        how = "holds it by a weak reference only" if gone else "compares it by identity"
        text = (
            f"`{path}` of `{function.name}` is another Python object in each trace, and TensorFlow {how}."
            " Make it once, outside the loop, keep it, and pass the same object each time."
        )
        if gone and owner.isidentifier():
            text += f" `__eq__` would not help: the earlier `{owner}` no longer exists when the next one is compared."
            if rest.startswith("object") and owner not in _NOT_THE_USERS:
                text += " A `__tf_tracing_type__` would: TensorFlow keeps what it returns as long as the trace."
        if owner == "TensorShape":
            text += f" Or pass the dimensions: `tuple({path})` is compared by its numbers."
        code = f"{path} = {owner + '(…)' if gone and owner.isidentifier() else '…'}  # once, before the loop"
        return Fix(
            "same_object", text, Candidate(identities=identities), other=code if path.isidentifier() else "",
            assumes="one object can serve all calls",
        )  # fmt: skip
    text = (
        f"`{path}` of `{function.name}` is another `{owner}` in each trace, with the same graph: TensorFlow compares"
        f" them by identity. Give `{owner}` `__eq__` and `__hash__`, both (a frozen dataclass has them), or a"
        " `__tf_tracing_type__`, or pass the same object each time, or the values in it as tensors."
    )
    return Fix(
        "equal_objects", text, Candidate(identities=identities), other=_METHODS.format(name=owner),
        outside={"equal_classes": [owner]} if owner not in _NOT_THE_USERS else None,
        assumes="objects that gave the same graph have equal attributes",
    )  # fmt: skip


def _is_gone(trace: Traced, change: Change) -> bool:
    return change.old.startswith("deleted ") or "no longer exists" in trace.evidence
