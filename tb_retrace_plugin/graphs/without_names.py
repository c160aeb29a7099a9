"""Whether two graphs are the same whatever their operations are called: by a string that was passed, say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tb_retrace_plugin.graphs.slim import FunctionGraph, rename_calls, with_source

#: Begins such a hash, that it is taken for no other.
BUT_FOR_NAMES = "names:"
_BESIDE = b"loc:@"


def hash_without_names(bare: Sequence[FunctionGraph]) -> str:
    """Of such as `without_names` gives."""
    digest = hashlib.blake2b(digest_size=8)
    for function in bare:
        digest.update(function.definition.SerializeToString(deterministic=True))
    return f"{BUT_FOR_NAMES}{digest.hexdigest()}"


def without_names(functions: Sequence[FunctionGraph]) -> list[FunctionGraph]:
    """Copies whose operations, arguments, results and functions are called by their order, and without shapes of what
    they take. What an operation is told of names by its attributes stays, but for functions, and for beside which other
    it is to be placed."""
    of_functions = {function.definition.signature.name: f"f{i}" for i, function in enumerate(functions)}
    return [FunctionGraph(_bare(function.definition, of_functions)) for function in functions]


def _bare(definition: Any, of_functions: Mapping[str, str]) -> Any:
    bare = type(definition)()
    bare.CopyFrom(definition)
    bare.arg_attr.clear()
    names = {argument.name: f"a{i}" for i, argument in enumerate(bare.signature.input_arg)}
    names |= {node.name: f"n{i}" for i, node in enumerate(bare.node_def)}
    bare.signature.name = of_functions[bare.signature.name]
    rename_calls(bare.node_def, of_functions)
    for argument in bare.signature.input_arg:
        argument.name = names[argument.name]
    for node in bare.node_def:
        node.name = names[node.name]
        node.ClearField("experimental_debug_info")
        for index, text in enumerate(node.input):
            node.input[index] = with_source(text, names)
        if "_class" in node.attr:  # as the gradient of `tf.gather` has it
            placed = node.attr["_class"].list.s
            placed[:] = [_placed_beside(where, names) for where in placed]
    results = [with_source(bare.ret[result.name], names) for result in bare.signature.output_arg]
    for index, result in enumerate(bare.signature.output_arg):
        result.name = f"r{index}"
    controls = sorted(names.get(name, name) for name in bare.control_ret.values())
    bare.ret.clear()
    bare.ret.update({f"r{index}": text for index, text in enumerate(results)})
    bare.control_ret.clear()
    bare.control_ret.update({f"c{index}": text for index, text in enumerate(controls)})
    del bare.signature.control_output[:]
    return bare


def _placed_beside(where: bytes, names: Mapping[str, str]) -> bytes:
    name = where.removeprefix(_BESIDE).decode()
    return _BESIDE + names[name].encode() if where.startswith(_BESIDE) and name in names else where
