"""What a concrete function's graph holds."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Container, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.private import SeamMissingError, hot
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.graphs.slim import FunctionGraph, Shape

_MAX_OUTPUT_DEPTH = 8
_CONTAINERS = (dict, list, tuple)
#: The file of what AutoGraph puts around a function that it is to leave alone.
_DO_NOT_CONVERT = "tensorflow/python/autograph/impl/api.py"
#: How far what an object has is looked into, at how many objects, and items of what it has in lists.
_MAX_DEPTH, _MAX_WITHIN, _MAX_ITEMS, _MAX_KEPT = 3, 64, 1000, 20_000
#: Operations that call functions, and the attribute that has a dtype for each of their outputs.
_OUTPUTS_OF_CALLS = {
    **dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), "Tout"),
    **dict.fromkeys(("If", "StatelessIf", "Case", "StatelessCase"), "Tout"),
    **dict.fromkeys(("While", "StatelessWhile"), "T"),
}


def outer_graphs(func_graph: Any) -> Iterator[Any]:
    """The function graphs around one, innermost first."""
    graph = getattr(func_graph, "outer_graph", None)
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def captured_tensors(concrete_function: Any) -> list[Any]:
    """The outside tensors that a traced graph captures by value."""
    return [external for external, _ in concrete_function.graph.captures]


def name_in_its_graph(tensor: Any) -> str:
    """Of a tensor that a graph under way computes, or takes: the same in each trace of that; "" of one with a value."""
    is_one = is_a(tensor, hot("tensorflow", "Tensor")) and type(tensor).__name__ != "EagerTensor"
    return str(tensor.name) if is_one else ""


def python_function(token: bytes) -> Any:
    """What `tf.py_function` or the like was given, by its token in the graph; None for what is not known."""
    function = hot("tensorflow.python.ops.script_ops", "_py_funcs").get(token.decode())
    if type(function).__name__ == "EagerFunc":
        function = getattr(function, "_func", None)
    if type(function) is FunctionType and function.__code__.co_filename.endswith(_DO_NOT_CONVERT):
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        function = cells["func"].cell_contents if "func" in cells else None
    return function


def variables_captured(concrete_function: Any) -> str:
    """A digest of the dtypes and shapes of the variables that a traced graph captures, in its order; after a colon, in
    none: a first call that creates some captures these before others."""
    held = [getattr(tensor, "_handle_data", None) for tensor in captured_tensors(concrete_function)]
    return _variables([one.SerializeToString(deterministic=True) for one in held if one is not None and one.is_set])


def _variables(texts: list[bytes]) -> str:
    return f"{_digest(texts)}:{_digest(sorted(texts))}"


def captures_other_state(concrete_function: Any) -> bool:
    """Whether it captures a lookup table, a summary writer or the like."""
    return any(map(is_other_resource, captured_tensors(concrete_function)))


def _digest(texts: list[bytes]) -> str:
    return hashlib.blake2b(repr(texts).encode(), digest_size=8).hexdigest()


#: Of a graph that captures none.
NO_VARIABLES = _variables([])


def output_structure(concrete_function: Any) -> str:
    """What a graph does not tell of what is returned: the containers around its outputs; "" for one tensor, or none."""
    return _structure(getattr(concrete_function.graph, "structured_outputs", None), 0)


def _structure(value: Any, depth: int) -> str:
    if value is None:
        return "None"
    if depth < _MAX_OUTPUT_DEPTH:
        if isinstance(value, dict):
            items = [f"{_key_text(key)}: {_structure(item, depth + 1)}" for key, item in value.items()]
            return f"{type(value).__name__}({', '.join(items)})"
        if isinstance(value, tuple | list):
            return f"{type(value).__name__}({', '.join([_structure(item, depth + 1) for item in value])})"
    return ""


def _key_text(key: Any) -> str:
    """A user's `__repr__` is not run."""
    return repr(key) if type(key) in (str, int) else type(key).__name__


def is_resource(tensor: Any) -> bool:
    """Whether it is the handle of a variable, or of something else that keeps its state."""
    return str(getattr(tensor.dtype, "name", "")) == "resource"


def is_other_resource(tensor: Any) -> bool:
    """Whether it is the handle of what keeps a state and is no variable: a lookup table, a summary writer. That of a
    variable knows the shape and dtype of what it holds."""
    return is_resource(tensor) and not getattr(getattr(tensor, "_handle_data", None), "is_set", False)


def variable_handle(value: Any) -> Any:
    """What a graph captures of a variable; None of all else, and of one of another kind (a mirrored one)."""
    if type(value).__name__ != "ResourceVariable" or not is_written_in(type(value), "tensorflow."):
        return None
    handle = getattr(value, "handle", None)
    return handle if type(handle).__name__ == "EagerTensor" else None


def is_eager_tensor(tensor: Any) -> bool:
    """Whether it has a value of its own; not one of a graph that is being traced."""
    return type(tensor).__name__ == "EagerTensor" and not is_resource(tensor)


def holds_tensors(value: Any) -> bool:
    """Whether a graph that reads it from around it captures it, or what it is made of: a tensor, a variable, a model.

    Of a list or dictionary that TensorFlow has wrapped it is not known: it may hold anything.
    """
    try:
        trackable = hot("tensorflow.python.trackable.base", "Trackable")
    except SeamMissingError:
        return is_eager_tensor(value)
    if is_a(value, trackable):
        return not is_written_in(type(value), "tensorflow.python.trackable.")
    return is_eager_tensor(value)


def has_models(instance: Any, *, alone_in: Any = None) -> bool:
    """Whether it has a model, an optimizer or a module in an attribute, or what it has there does, as a trainer has an
    agent with networks: no variable or function by itself.

    `alone_in`: a traced graph that captures no variable besides of it that may be of another shape. Nothing of the
    program's is run.
    """
    try:
        kind = hot("tensorflow.python.trackable.autotrackable", "AutoTrackable")
    except SeamMissingError:
        return False
    held = _held_within(instance, kind)
    if not any(is_a(value, kind) for value in held):
        return False
    if alone_in is None:
        return True
    captured = {id(tensor) for tensor in captured_tensors(alone_in)}
    variables = {id(one) for one in held if _is_sized_variable(one, captured)}
    return not variables or variables <= _kept_by_layers([one for one in held if is_a(one, kind)], kind)


def _kept_by_layers(tracked: list[Any], kind: type) -> set[int]:
    """Of a model, its layers and those within: what each keeps, such as variables that a trainer has in a list, too."""
    kept: set[int] = set()
    within = tracked[:_MAX_WITHIN]
    while within and len(kept) < _MAX_KEPT:
        values = [value for value in itertools.chain.from_iterable(map(_attributes, within)) if id(value) not in kept]
        # TensorFlow and Keras wrap lists of the user's
        lists = [value for value in values if is_a(value, list) and not _is_an_object(value)]
        values += itertools.chain.from_iterable(itertools.islice(one, _MAX_ITEMS) for one in lists)
        within = [value for value in values if is_a(value, kind) and id(value) not in kept]
        kept.update(map(id, values))
    return kept


def _held_within(instance: Any, tracked: type) -> list[Any]:
    """What it has, what lies in lists and dictionaries there, and what objects have among these but for `tracked`."""
    held: list[Any] = []
    within, known = [instance], {id(instance)}
    for _ in range(_MAX_DEPTH):
        values = list(itertools.chain.from_iterable(map(_attributes, within)))
        several = [value for value in values if type(value) in _CONTAINERS]
        items = (value.values() if isinstance(value, dict) else value for value in several)
        values += itertools.islice(itertools.chain.from_iterable(items), _MAX_ITEMS)
        held += values
        within = [one for one in values if id(one) not in known and not is_a(one, tracked) and _is_an_object(one)]
        del within[_MAX_WITHIN:]
        known.update(map(id, within))
    return held


def _attributes(value: Any) -> list[Any]:
    try:
        return [*object.__getattribute__(value, "__dict__").values()]
    except AttributeError:
        return []


def _is_an_object(value: Any) -> bool:
    """Of a class of the user's."""
    is_code = is_a(value, type | ModuleType | FunctionType | MethodType)
    return not is_code and not is_written_in(type(value), ("builtins", "tensorflow", "keras", "tf_keras", "numpy"))


def _is_sized_variable(value: Any, captured: Container[int]) -> bool:
    handle = variable_handle(value)
    return handle is not None and id(handle) in captured and value.shape.rank != 0


def _node_count(graph: Any) -> int:
    return int(graph.num_operations()) if hasattr(graph, "num_operations") else len(graph.get_operations())


class TracedFunctionGraph(NamedTuple):
    """One function of a traced graph: its name in the runtime, its FuncGraph (None: not built), inputs and nodes.

    What comes after these, somebody's gradient has added since. `shapes`: None where they are still to be read.
    """

    name: str
    graph: Any
    inputs: list[Any]
    nodes: int
    shapes: _Shapes | None = None


def traced_graph(concrete_function: Any) -> list[TracedFunctionGraph]:
    """What a graph holds as it was traced: the function first, then its library."""
    graph = concrete_function.graph
    found = [TracedFunctionGraph(concrete_function.name, graph, list(graph.inputs), _node_count(graph))]
    for name, function in graph._functions.items():
        inner = getattr(function, "_cached_graph", None)  # `.graph` would build it
        if inner is None:
            found.append(TracedFunctionGraph(name, None, [], 0))
        else:
            found.append(TracedFunctionGraph(name, inner, list(inner.inputs), _node_count(inner)))
    return found


def lasting(traced: list[TracedFunctionGraph]) -> list[TracedFunctionGraph]:
    """As it was traced, whatever becomes of it.

    A gradient that another thread takes adds outputs to the nodes that call other functions (a loop, a branch), and
    touches no node of a graph without them: with them, shapes are read now.
    """
    if len(traced) == 1:
        return traced
    return [one if one.graph is None else one._replace(shapes=_shapes_in(one)) for one in traced]


def function_graphs(traced: list[TracedFunctionGraph]) -> list[FunctionGraph]:
    """Each function's definition, with the shapes that definitions do not hold.

    A FunctionDef comes out of the runtime in a tenth of the time that `as_graph_def` takes for the same nodes.
    """
    shapes = [one.shapes or (None if one.graph is None else _shapes_in(one)) for one in traced]
    # after the shapes: what is done next with the definitions finds them in the processor's caches
    return list(map(_function_graph, function_definitions(traced), shapes))


def function_definitions(traced: list[TracedFunctionGraph]) -> list[Any]:
    """The FunctionDef of each."""
    definition = hot("tensorflow.python.eager.context", "context")().get_function_def
    return [definition(function.name) for function in traced]


class _Shapes(NamedTuple):
    """Of one function, as in FunctionGraph, without those of `operations` where tensors are of another make."""

    captured: list[str]
    operations: list[Any]
    lists: list[tuple[Shape, ...]] | None
    of_inputs: list[int]
    of_nodes: list[int]


def _shapes_in(traced: TracedFunctionGraph) -> _Shapes:
    inputs: dict[Any, None] = {}
    captured: list[str] = []
    # each distinct list is kept once: thousands of tuples would set the garbage collector off
    lists: dict[tuple[Shape, ...], int] = {(): 0}
    of_inputs: list[int] = []
    of_nodes: list[int] = []
    tensors = traced.inputs
    for tensor in tensors:
        operation = tensor.op
        inputs[operation] = None
        name = operation.name
        if name[-1:].isdecimal() and name.rpartition("/")[2].isdecimal():
            captured.append(name)
    operations = [one for one in traced.graph.get_operations()[: traced.nodes] if one not in inputs]
    try:
        for tensor in tensors:
            of_inputs.append(lists.setdefault((_static_shape(tensor),), len(lists)))
        for operation in operations:
            outputs = operation.outputs
            if len(outputs) == 1:  # nearly always; `_static_shape` written out
                dims, is_unknown = outputs[0]._shape
                shapes: tuple[Shape, ...] = (None if is_unknown else tuple(dims),)
            else:
                shapes = tuple([_static_shape(output) for output in outputs])
            of_nodes.append(lists.setdefault(shapes, len(lists)))
    except (AttributeError, TypeError, ValueError):  # tensors of another make
        return _Shapes(captured, operations, None, [], [])
    return _Shapes(captured, operations, list(lists), of_inputs, of_nodes)


def _function_graph(definition: Any, shapes: _Shapes | None) -> FunctionGraph:
    if shapes is None:
        return FunctionGraph(definition)
    captured, operations, lists, of_inputs, of_nodes = shapes
    nodes = definition.node_def
    # the same order, as it always is; comparing every name would take longer than all else
    if lists is not None and len(operations) == len(nodes):
        step = 1 + len(nodes) // 64
        if [operation.name for operation in operations[::step]] == [node.name for node in nodes[::step]]:
            return FunctionGraph(definition, *_as_defined(nodes, lists, of_inputs, of_nodes), captured)
    return FunctionGraph(definition, captured=captured)


def _as_defined(
    nodes: Any, lists: list[tuple[Shape, ...]], of_inputs: list[int], of_nodes: list[int]
) -> tuple[list[tuple[Shape, ...]], list[int], list[int]]:
    """Without the outputs that an earlier gradient has added to calls within a function that is called again."""
    several = [len(shapes) > 1 for shapes in lists]
    cut: dict[int, tuple[Shape, ...]] = {}
    for index, place in enumerate(of_nodes) if any(several) else ():
        if several[place] and (key := _OUTPUTS_OF_CALLS.get(nodes[index].op)):
            count = len(nodes[index].attr[key].list.type)
            if count < len(lists[place]):
                cut[index] = lists[place][:count]
    if not cut:
        return lists, of_inputs, of_nodes
    kept: dict[tuple[Shape, ...], int] = {(): 0}  # as if they had never been there: numbered by their order
    of_inputs = [kept.setdefault(lists[place], len(kept)) for place in of_inputs]
    shapes = (cut.get(index, lists[place]) for index, place in enumerate(of_nodes))
    of_nodes = [kept.setdefault(one, len(kept)) for one in shapes]
    return [*kept], of_inputs, of_nodes


def _static_shape(tensor: Any) -> Shape:
    """As `tensor.shape`, without making a TensorShape that the tensor would keep."""
    dims, is_unknown = tensor._shape
    return None if is_unknown else tuple(dims)
