"""Objects of the user's own classes as arguments, compared by identity, that could be equal.

`__hash__` alone was measured not to help: TensorFlow compares with `==`. Both methods do. `==` of arrays is an array,
and `np.array_equal` compares all else as `==` does.
"""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import passed_objects
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_METHODS = """\
class {name}:
    …
    def __eq__(self, other):
        if type(other) is not type(self) or vars(other).keys() != vars(self).keys():
            return False
        return all(np.array_equal(value, vars(other)[name]) for name, value in vars(self).items())

    def __hash__(self):
        return hash(type(self))  # whatever it holds: lists and dictionaries have none"""

_NOTES = (
    "Compare all that the graph depends on, and nothing else: a name that differs makes them unequal. A class with"
    " `__slots__` has no `vars`: its attributes are named one by one.",
    "A frozen dataclass of hashable fields has both methods. Or pass the same object each time, or the values in it as"
    " tensors, or give the class a `__tf_tracing_type__`.",
)


def propose(function: FunctionFacts) -> Fix | None:
    objects = [one for one in passed_objects(function) if one.can_be_equal]
    if not objects:
        return None
    owners = list(dict.fromkeys(one.owner for one in objects))
    graph = "the same graph" if all(one.left(function) == 1 for one in objects) else "the graph of an earlier one"
    what = [f"`{one.path}` of `{function.name}` is another `{one.owner}` in each trace" for one in objects]
    text = (
        f"{', and '.join(what)}, with {graph}: TensorFlow compares them by identity. Give {listed(owners)} `__eq__` and"
        " `__hash__`, both."
    )
    methods = [_METHODS.format(name=owner) for owner in owners]
    return Fix(
        "equal_objects", text,
        Candidate(identities={key: root for one in objects for key, root in one.identities.items()}),
        other="\n\n".join(["import numpy as np", *methods]), outside={"equal_classes": owners},
        assumes="objects that gave the same graph have equal attributes", notes=_NOTES,
    )  # fmt: skip
