"""`tf.random.Generator`s in place of others: one that is kept can begin anew by itself.

Imported by the training process.
"""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.schema.signature import Signature

#: Of what a function closes over; an argument has the class's own name.
GENERATOR = "tf.random.Generator object"
_CLASS = re.compile(r"tensorflow\.python\.(?:\w+\.)*stateful_random_ops\.Generator")
_ANOTHER = "is another tf.random.Generator"
_KEEP = (
    "If it is made anew for each seed, keep one, and call its `reset_from_seed(seed)`, which needs no trace. Generators"
    " that are kept side by side need one each."
)


def told_of_generators(verdict: Verdict, facts: Facts, signature: Signature, *, same_nodes: bool) -> Verdict | None:
    """None: what was said holds. `same_nodes`: the graph is the closest trace's, whatever it captures."""
    if verdict.word != "unknown" or not same_nodes:
        return None
    if facts.kind == "retrace":
        nodes = [node_at(signature, c.path) for c in facts.changes if c.cause == "object_identity"]
        if not nodes or len(nodes) < len(facts.changes) or any(n is None or not is_class(n.type_name) for n in nodes):
            return None
        names = [change.path for change in facts.changes]
        told = f"`{names[0]}` {_ANOTHER}, and the graph is the same but for its state."
    else:
        closure = facts.closure or ()
        is_alone = len(facts.changes) == 1 and bool(closure)
        if not is_alone or any(not c.old == c.new == GENERATOR for c in closure):
            return None
        told = f"`{closure[0].name}`, which the new tf.function object closes over, {_ANOTHER}."
    return Verdict("unknown", f"{told} {_KEEP}")


def is_class(type_name: str) -> bool:
    return _CLASS.fullmatch(type_name) is not None


def another_generator(evidence: str) -> str:
    """Which it is, where that is what makes a verdict `unknown`; "" if it is not."""
    found = re.match(rf"`([^`]+)`(?:, which [^`]*,)? {re.escape(_ANOTHER)}", evidence)
    return found[1] if found else ""
