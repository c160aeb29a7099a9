"""One Python number in some calls, and several in others: no tensor of one number is several, but as many can be."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.source.call_lines import variable_passed
from tb_retrace_plugin.explain.what_if.candidate import is_number

_SEVERAL = ("list", "tuple")
_NEEDS_A_NUMBER = (
    "What asks how it is passed (`isinstance`) falls away then; what needs a Python number, such as `tf.split`, cannot"
    " take a tensor."
)


def propose(function: FunctionFacts) -> Fix | None:
    """Of numbers that are traced for each value where they are alone."""
    paths = dict.fromkeys(c.path for _, c in function.with_cause("python_value") if c.path.isidentifier())
    for path in paths:
        nodes = list(nodes_at(function, path))
        kinds = {node.kind for node in nodes if node.kind in _SEVERAL}
        lengths = {len(node.children) for node in nodes if node.kind in _SEVERAL}
        values = [node for node in nodes if node.kind not in _SEVERAL]
        values += [child for node in nodes if node.kind in _SEVERAL for _, child in node.children]
        if len(kinds) != 1 or len(lengths) != 1 or lengths == {0} or not all(map(is_number, values)):
            continue
        if all(node.kind in _SEVERAL for node in nodes):
            continue
        (kind,), (length,) = kinds, lengths
        name = variable_passed(function, path)
        same = ", ".join([name] * length) + ("," if (kind, length) == ("tuple", 1) else "")
        several = f"({same})" if kind == "tuple" else f"[{same}]"
        text = (
            f"`{path}` of `{function.name}` is one Python number in some calls, and a {kind} of {length} in others, and"
            f" it is traced for each value. If one stands for {length} equal ones, pass as many at every call, as"
            " tensors."
        )
        code = (
            f"{name} = {name} if isinstance({name}, {kind}) else {several}  # before the call\n"
            f"{kind}(tf.constant(n) for n in {name})  # in place of {path}, at each call"
        )
        return Fix(
            "one_or_several", text, None, other=code, notes=[_NEEDS_A_NUMBER],
            evidence="Not replayed: what one number stands for, only the author of the code knows.",
        )  # fmt: skip
    return None
