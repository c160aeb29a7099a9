"""A stored graph as it is read: functions with their nodes and shapes. What comes from a file is not trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import function_pb2, graph_pb2

from tb_retrace_plugin.graphs.slim import Shape
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: More than TensorFlow could run; larger graphs are refused before anything is built from them.
MAX_NODES = 2_000_000
_MAX_FUNCTIONS = 20_000
#: TensorFlow's own limit is 254.
_MAX_RANK = 1000


@dataclass(frozen=True, slots=True)
class GraphFunction:
    """One function of a graph. `shapes`: distinct lists of output shapes, which `inputs` and `nodes` point to.

    `inputs` has a number per `signature.input_arg`, `nodes` one per `node_def`; both are empty if shapes are not known.
    """

    definition: Any
    data: bytes = b""  # the definition as it is stored
    shapes: Sequence[tuple[Shape, ...]] = ()
    inputs: Sequence[int] = ()
    nodes: Sequence[int] = ()

    @property
    def name(self) -> str:
        return str(self.definition.signature.name)


def read_graph(content: bytes) -> list[GraphFunction]:
    """The traced function, then its library. Raises GraphError."""
    try:
        message = pb.GraphContent.FromString(content)
        if len(message.functions) > _MAX_FUNCTIONS:
            raise GraphError(f"it has {len(message.functions):,} functions; at most {_MAX_FUNCTIONS:,} are read")
        functions = [function_pb2.FunctionDef.FromString(data) for data in message.functions]
    except (DecodeError, ValueError, RecursionError) as error:
        raise error if isinstance(error, GraphError) else GraphError("it is damaged") from error
    if not functions:
        raise GraphError("it is empty")
    if sum(len(function.node_def) for function in functions) > MAX_NODES:
        raise GraphError(f"it has more than {MAX_NODES:,} nodes")
    unknown = [pb.FunctionShapes()] * (len(functions) - len(message.shapes))
    parts = zip(functions, message.functions, [*message.shapes, *unknown], strict=False)
    return [_function(*part) for part in parts]


def _function(definition: Any, data: bytes, shapes: pb.FunctionShapes) -> GraphFunction:
    """Without shapes where they do not fit: a wrong shape is worse than none."""
    lists = _shape_lists(shapes.table)
    inputs, nodes = list(shapes.inputs), list(shapes.nodes)
    counts = len(definition.signature.input_arg), len(definition.node_def)
    if (len(inputs), len(nodes)) != counts or max(*inputs, *nodes, 0, 0) >= len(lists):
        return GraphFunction(definition, data)
    return GraphFunction(definition, data, lists, inputs, nodes)


def _shape_lists(table: Sequence[int]) -> list[tuple[Shape, ...]]:
    numbers = iter(table)
    lists = []
    try:
        for outputs in numbers:
            lists.append(tuple([_shape(numbers) for _ in range(min(outputs, len(table)))]))
    except StopIteration:
        return []
    return lists


def _shape(numbers: Iterator[int]) -> Shape:
    rank = next(numbers)
    if rank < 0:
        return None
    if rank > _MAX_RANK:
        raise StopIteration
    return tuple([None if dim < 0 else dim for dim in [next(numbers) for _ in range(rank)]])


def to_graph_def(functions: Sequence[GraphFunction]) -> Any:
    """A GraphDef as TensorBoard's Graphs tab shows it: arguments as `Placeholder`, results as `_Retval` nodes.

    Inputs keep the form of function bodies (`node:output:0`), which that tab reads as well.
    """
    graph_def = graph_pb2.GraphDef()
    traced = functions[0]
    for index, argument in enumerate(traced.definition.signature.input_arg):
        node = graph_def.node.add(name=argument.name, op="Placeholder")
        node.attr["dtype"].type = argument.type
        for key, value in traced.definition.arg_attr[index].attr.items():
            node.attr[key].CopyFrom(value)
        _add_output_shapes(node, traced, traced.inputs, index)
    for index, node in enumerate(traced.definition.node_def):
        copy = graph_def.node.add()
        copy.CopyFrom(node)
        _add_output_shapes(copy, traced, traced.nodes, index)
    for argument in traced.definition.signature.output_arg:
        node = graph_def.node.add(name=f"{argument.name}_retval", op="_Retval")
        node.attr["T"].type = argument.type
        if argument.name in traced.definition.ret:
            node.input.append(traced.definition.ret[argument.name])
    for function in functions[1:]:
        copy = graph_def.library.function.add()
        copy.CopyFrom(function.definition)
        for index, node in enumerate(copy.node_def):
            _add_output_shapes(node, function, function.nodes, index)
    return graph_def


def _add_output_shapes(node: Any, function: GraphFunction, rows: Sequence[int], index: int) -> None:
    if not rows:
        return
    shapes = node.attr["_output_shapes"].list.shape
    del shapes[:]
    for shape in function.shapes[rows[index]]:
        proto = shapes.add(unknown_rank=shape is None)
        for size in shape or ():
            proto.dim.add(size=-1 if size is None else size)
