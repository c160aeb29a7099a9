"""The words of a trace record, and what they mean. Users read these words; keep them TensorFlow's."""

from __future__ import annotations

import re

KINDS: dict[str, str] = {
    "first": "the first trace of this code",
    "variable_creation": "the second trace of a first call that created variables",
    "retrace": "the same tf.function object was traced again for a new signature",
    "recreated": "the same code was traced again in a new tf.function object",
}

CAUSES: dict[str, str] = {
    "shape": "a tensor with other dimensions",
    "rank": "a tensor with another number of dimensions",
    "dtype": "a tensor of another dtype",
    "python_value": "another Python value: each is a constant in the graph",
    "python_type": "another Python type, or a Python value where a tensor was",
    "structure": "a container of another type, length or with other keys",
    "object_identity": "another Python object, compared by identity",
    "variable_identity": "variables that are the same object where they were not, or the reverse",
    "composite_spec": "another specification of a composite tensor, dataset iterator or custom type",
    "capture": "another captured value",
    "context": "another place of tracing: device, strategy, graph, XLA or SavedModel",
    "recreated_function": "a new tf.function object for the same code",
    "variable_creation": "the first call created variables, which needs a second trace",
    "unknown": "not to be told from what TensorFlow shows",
}

VERDICTS: dict[str, str] = {
    "needed": "there is no way round it",
    "bounded": "it happens a small, fixed number of times",
    "avoidable": "a change to the program removes it",
    "unknown": "what was recorded does not tell",
}

#: Ends the kind of an `Owner` whose variables are to be made in the scope of a distribution strategy.
IN_A_SCOPE = " in a scope"
#: Kind of a `StaleValue` of which another graph holds what is now, and calls tell the two apart: not told as stale.
CHOSEN = "chosen"
#: The same, of a global.
CHOSEN_GLOBAL = "chosen global"


#: Names of stale values that are what Python answers: `len(layers)`, `bool(hooks)`, `hasattr(self, 'rate')`,
#: `'rate' in cfg`.
ANSWER = re.compile(r"(?:len|bool|hasattr)\(|(?:'.*'|\".*\"|-?\d+) in ")


def span_name(function: str) -> str:
    """What a trace of the function is called in a profile. `#` would end the name there."""
    return f"tf.function trace: {function.replace('#', '')}"
