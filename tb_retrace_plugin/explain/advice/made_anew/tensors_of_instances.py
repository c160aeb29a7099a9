"""A decorated method of instances that differ in tensors alone: a function outside of the class serves all of them."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import (
    are_all_of_one_kind,
    merged_identities,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import known_keywords
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import with_more
from tb_retrace_plugin.explain.verdict.evidence import INSTANCE_OF_OTHER_TENSORS
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import DELETED

_SELF, _TENSORS = "self", "tensors"
_SHARED = "Other instances may hold numbers that decide what is built: pass those, too, or read them of what all share."


def propose(function: FunctionFacts) -> Fix | None:
    """Whatever the verdict: each instance has a tf.function of its own, as it is written."""
    found = [trace for trace in function.traces if _is_such(trace)]
    objects, identities = merged_objects(function, found), merged_identities(function, found, _SELF)
    if not objects or not are_all_of_one_kind(function, objects):
        return None
    if function.is_object or function.passed_as or function.undecorated or not function.name.isidentifier():
        return None
    owner = found[0].changes[0].new.removeprefix(f"{DELETED} ").partition(" ")[0]
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != _SELF]
    keywords = ", ".join(known_keywords(function))
    declares = "input_signature" in keywords  # which would have to hold them
    if declares or _TENSORS in parameters or not all(map(str.isidentifier, (owner, *parameters))):
        return None
    outside = f"{owner.lower()}_{function.name.strip('_')}"
    own = with_more(function, parameters, [])
    text = (
        f"`{function.name}` was traced for {function.at_least}{times_made(objects)} instances of `{owner}`, whose"
        " graphs differ in nothing but tensors that they capture: each instance has a tf.function of its own. Decorate"
        " a function outside of the class, in place of the method, and pass it the tensors that it reads of `self`."
    )
    code = (
        f"@tf.function{f'({keywords})' if keywords else ''}\n"
        f"def {outside}({', '.join([*parameters, _TENSORS])}):  # what the method did, with these in place of `self`\n"
        f"    …\n\nclass {owner}:\n    def {function.name}({', '.join([_SELF, own] if own else [_SELF])}):"
        f"  # not decorated\n        return {outside}({', '.join([*parameters, '(self.…,)'])})"
    )
    return Fix(
        "pass_tensors_of_instance", text, Candidate(objects=objects, identities=identities), other=code,
        assumes="the tensors are of one dtype and shape in all instances, and nothing else is read of `self`",
        notes=[_SHARED],
    )  # fmt: skip


def _is_such(trace: Traced) -> bool:
    return trace.evidence == INSTANCE_OF_OTHER_TENSORS and [change.path for change in trace.changes] == [_SELF]
