"""`tf.random.Generator`s in place of others: one that is kept can begin anew by itself. And Python's and NumPy's.

Imported by the training process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.schema.signature import Signature

#: Of what a function closes over; an argument has the class's own name.
GENERATOR = "tf.random.Generator object"
_CLASS = re.compile(r"tensorflow\.python\.(?:\w+\.)*stateful_random_ops\.Generator")
#: As signatures write them.
_PYTHONS = re.compile(r"(another )?(Generator|RandomState) value|Random object #\d+")
_ANOTHER = "is another tf.random.Generator"
_OF_PYTHON = (
    "another generator of Python's or NumPy's: what it draws while the function is traced is a constant of the graph,"
    " which each call of that has. Where each call is to have other numbers, draw them outside and pass them as"
    " tensors, or draw with `tf.random`: neither needs a trace."
)
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


def told_of_drawn(facts: Facts, drawn: Sequence[str]) -> Verdict | None:
    """Of Python's and NumPy's generators, by what the function draws of arguments; None: what was said holds."""
    paths = [change.path for change in facts.changes]
    are_generators = all(map(_PYTHONS.fullmatch, (change.new for change in facts.changes)))
    if facts.kind != "retrace" or not are_generators or not all(_draws_of(path, drawn) for path in paths):
        return None
    names = " and ".join(f"`{path}`" for path in paths)
    return Verdict("unknown", f"{names} {'is' if len(paths) == 1 else 'are'} {_OF_PYTHON}")


def _draws_of(path: str, drawn: Sequence[str]) -> bool:
    return any(text.startswith(f"{path}.") for text in drawn)


def is_class(type_name: str) -> bool:
    return _CLASS.fullmatch(type_name) is not None


def another_generator(evidence: str) -> str:
    """Which it is, where that is what makes a verdict `unknown`; "" if it is not."""
    found = re.match(rf"`([^`]+)`(?:, which [^`]*,)? {re.escape(_ANOTHER)}", evidence)
    return found[1] if found else ""
