"""Arguments that are another object of the same class each time: what is read of them can be passed instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import Merged, node_of
from tb_retrace_plugin.explain.advice.made_anew.defined_once import self_of
from tb_retrace_plugin.schema.signature import ANOTHER

DECIDED_ONCE = "What an `if` decides in Python by what that object holds is decided once for all calls then."
_OWNER = re.compile(rf"(?:{ANOTHER} )?([\w.]*).*", re.DOTALL)
_READS = "in place of what it reads of {} and is another {} each time"


def owner_of(text: str) -> str:
    """Of a change's text: the class."""
    return _OWNER.sub(r"\1", text)


def made_one(function: FunctionFacts, about: Sequence[tuple[Traced, object]], path: str) -> dict[tuple[str, int], int]:
    """As a Candidate has them: one for all that were passed at `path` in the traces `about`, compared by identity or by
    value; not for those with which it failed."""
    merged = Merged()
    for trace, _ in about:
        if trace.lookup.failed:
            continue
        now = node_of(trace, path)
        before = node_of(function.traces[trace.closest], path) if trace.closest is not None else None
        if now is not None and before is not None and now.kind == before.kind and now.kind in ("object", "literal"):
            merged.merge(now.identity, before.identity)
    return {(path, number): root for number, root in merged.replaced.items()}


def kinds_left(function: FunctionFacts, identities: Mapping[tuple[str, int], int], path: str) -> int:
    """How many objects are left, of those that succeeded, when those that are alike are made one."""
    nodes = [node_of(trace, path) for trace in function.traces if not trace.lookup.failed]
    passed = [node.identity for node in nodes if node is not None and node.kind in ("object", "literal")]
    return len({identities.get((path, number), number) for number in passed})


def code_that_takes(function: FunctionFacts, trace: Traced, passed: Mapping[str, str], what: str, kinds: int) -> str:
    """A parameter more for each path of `passed`, at the end, named after `what` is read: how calls pass it. "" if the
    names cannot be written so."""
    parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
    if not all(path.isidentifier() for path in (*parameters, *passed)) or not function.name.isidentifier():
        return ""
    added = {path: f"{path}_{what}" for path in passed}
    once = "once" if kinds == 1 else f"once for each of the {kinds} kinds"
    kept = [f"kept_{path} = {path}  # {once}, before the loop" for path in passed]
    given = [f"kept_{path}" if path in passed else path for path in parameters]
    given += [f"{added[path]}={value}" for path, value in passed.items()]
    comment = _READS.format(listed(list(passed)).replace("`", ""), what.removesuffix("s"))
    names = ", ".join([*parameters, *added.values()])
    return "\n".join(
        [
            f"@tf.function\ndef {function.name}({self_of(function)}{names}):  # {comment}\n    …\n",
            *kept,
            f"…\n{function.name_where_made}({', '.join(given)})",
        ]
    )
