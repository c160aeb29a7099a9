"""Numbers in the metadata of a class with `__tf_flatten__`: they can be components, tensors, in its place."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import Merged, chains_to, node_of
from tb_retrace_plugin.explain.verdict.evidence import OTHER_METADATA
from tb_retrace_plugin.explain.what_if.candidate import Candidate


def propose(function: FunctionFacts) -> Fix | None:
    found = [
        (trace, change) for trace, change in function.with_cause("composite_spec") if OTHER_METADATA in trace.evidence
    ]
    paths = list(dict.fromkeys(change.path for _, change in found))
    owners = {path: _class_at(function, path) for path in paths}
    if not paths or not all(owners.values()):
        return None
    identities: dict[tuple[str, int], int] = {}
    for path in paths:
        merged = Merged()
        for trace, change in found:
            now = node_of(trace, path)
            before = node_of(function.traces[trace.closest], path) if trace.closest is not None else None
            if change.path == path and now is not None and before is not None:
                merged.merge(now.identity, before.identity)
        identities |= {(path, number): root for number, root in merged.replaced.items()}
    classes = list(dict.fromkeys(owners.values()))
    text = (
        f"`{function.name}` is traced for each value of numbers in {listed(paths)}: TensorFlow compares by value what"
        f" `__tf_flatten__` of {listed(classes)} returns first. Return them in what comes second, as tensors, and take"
        " them from there in `__tf_unflatten__`."
    )
    code = "\n\n".join(
        f"class {owner}:\n    def __tf_flatten__(self):\n        return (…), (…, tf.convert_to_tensor(self.…))"
        for owner in classes
    )
    return Fix(
        "tensor_component", text, Candidate(identities=identities), other=code,
        assumes="the code works on tensors for these numbers, and nothing else of what comes first differs",
    )  # fmt: skip


def _class_at(function: FunctionFacts, path: str) -> str:
    """The one class that has the metadata at `path`; "" if they are several."""
    owners = {chain[-2][1].type_name if len(chain) > 1 else "" for chain in chains_to(function, path)}
    owner = owners.pop() if len(owners) == 1 else ""
    return owner if owner.isidentifier() else ""
