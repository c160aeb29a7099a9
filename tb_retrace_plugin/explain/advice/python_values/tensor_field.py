"""A Python number in a field of a tf.experimental.ExtensionType: the class can declare it as a tensor."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import chains_to, nodes_at
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import where_a_number_is_needed, works_on_tensors
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number

#: What TensorFlow makes of a number of that type for a field that is a tensor.
_DTYPES = {"float": "float32", "int": "int32", "complex": "complex128"}


def propose(function: FunctionFacts) -> Fix | None:
    changed = dict.fromkeys(change.path for _, change in function.with_cause("python_value"))
    fields = {path: found for path in changed if (found := _class_and_type(function, path)) is not None}
    if not fields:
        return None
    dtypes = {path: _DTYPES[type_name] for path, (_, type_name) in fields.items()}
    is_one = len(fields) == 1
    classes: dict[str, list[str]] = {}
    for path, (owner, type_name) in fields.items():
        classes.setdefault(owner, []).append(f"    {path.rpartition('.')[2]}: tf.Tensor  # was {type_name}")
    text = (
        f"`{function.name}` is traced for each value of {listed(list(fields))}, which {listed(list(classes))}"
        f" {'declares' if len(classes) == 1 else 'declare'} as {'a Python number' if is_one else 'Python numbers'}."
        f" Declare {'it as a tensor: a number' if is_one else 'them as tensors: numbers'} that the object is made of"
        f" {'is' if is_one else 'are'} converted."
    )
    notes = []
    for path, dtype in dtypes.items():
        if (computed_in := use_of(function, path).dtype) not in ("", dtype):
            notes.append(
                f"The graphs compute with `{path}` in {computed_in}: make it of `tf.constant(…, tf.{computed_in})`."
            )
            dtypes[path] = computed_in
    notes += where_a_number_is_needed(function, dtypes)
    code = "\n".join(
        line for owner, lines in classes.items() for line in (f"class {owner}(tf.experimental.ExtensionType):", *lines)
    )
    return Fix(
        "tensor_field", text, Candidate(numbers=dtypes), other=code,
        assumes=f"the code works on a tensor there{works_on_tensors(function, dtypes)}", notes=notes,
    )  # fmt: skip


def _class_and_type(function: FunctionFacts, path: str) -> tuple[str, str] | None:
    """Of the field's class and of its numbers; None if it is no such field, or not always a number of one type."""
    owners = set()
    for chain in chains_to(function, path):
        if len(chain) < 2 or chain[-1][0] != path:
            return None
        place, around = chain[-2]
        if around.kind != "composite" or not path[len(place) :].startswith("."):
            return None
        owners.add(around.type_name)
    nodes = list(nodes_at(function, path))
    types = {node.type_name for node in nodes}
    if len(owners) != 1 or len(types) != 1 or not all(map(is_number, nodes)):
        return None
    owner = owners.pop()
    return (owner, types.pop()) if owner.isidentifier() else None
