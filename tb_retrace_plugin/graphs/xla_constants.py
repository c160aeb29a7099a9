"""Arguments whose value XLA needs while it compiles: it compiles a graph anew for each value of them.

As TensorFlow's `BackwardsConstAnalysis` finds them (compiler/tf2xla/const_analysis.cc), from the inputs that its XLA
kernels are registered to need as constants (compiler/tf2xla/kernels).
Imported by the training process: standard library and protobuf only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Operation -> numbers of the inputs that it needs as constants; below 0 from the end.
_CONSTANT_INPUTS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        (
            "Empty", "Fill", "ParameterizedTruncatedNormal", "RandomStandardNormal", "RandomUniform",
            "RandomUniformInt", "StatelessParameterizedTruncatedNormal", "StatelessRandomNormal",
            "StatelessRandomUniform", "StatelessRandomUniformFullInt", "StatelessRandomUniformInt",
            "StatelessTruncatedNormal", "TruncatedNormal", "Split", "Concat", "TensorArrayV3", "AvgPoolGrad",
            "AvgPool3DGrad", "Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput",
        ),
        (0,),
    ),
    **dict.fromkeys(
        (
            "All", "Any", "ArgMax", "ArgMin", "BatchToSpace", "Bincount", "BroadcastTo", "ConjugateTranspose",
            "Conv2DBackpropFilter", "Conv3DBackpropFilterV2", "Cumprod", "Cumsum", "CumulativeLogsumexp",
            "DenseBincount", "DepthwiseConv2dNativeBackpropFilter", "EuclideanNorm", "ExpandDims", "Max", "Mean", "Min",
            "MirrorPad", "MirrorPadGrad", "Multinomial", "OneHot", "Pad", "PadV2", "Prod", "Reshape", "ResizeBilinear",
            "ResizeNearestNeighbor", "Reverse", "ReverseV2", "RngReadAndSkip", "RngSkip", "SpaceToBatch",
            "SparseToDense", "StatelessMultinomial", "Sum", "Tile", "TopKV2", "Transpose", "UniqueV2",
        ),
        (1,),
    ),
    **dict.fromkeys(
        (
            "GatherV2", "InTopKV2", "MatrixSetDiagV2", "MatrixSetDiagV3", "NonMaxSuppressionV3", "NonMaxSuppressionV4",
            "Roll", "ScatterNd", "SegmentMaxV2", "SegmentMinV2", "SegmentProdV2", "SegmentSumV2", "UnsortedSegmentMax",
            "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum", "LinSpace",
        ),
        (2,),
    ),
    **dict.fromkeys(
        ("BroadcastArgs", "BroadcastGradientArgs", "EmptyTensorList", "ListDiff", "TensorListReserve"), (0, 1)
    ),
    **dict.fromkeys(
        (
            "BatchToSpaceND", "MatrixDiagPartV2", "MatrixDiagPartV3", "MaxPoolV2", "Slice", "SpaceToBatchND", "SplitV",
            "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulUniform", "StatefulUniformFullInt",
            "StatefulUniformInt",
        ),
        (1, 2),
    ),
    **dict.fromkeys(
        (
            "StatelessRandomNormalV2", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformIntV2",
            "StatelessRandomUniformV2", "StatelessTruncatedNormalV2",
        ),
        (0, 3),
    ),
    **dict.fromkeys(("ResourceStridedSliceAssign", "StridedSlice", "TensorStridedSliceUpdate"), (1, 2, 3)),
    **dict.fromkeys(("MatrixDiagV2", "MatrixDiagV3"), (1, 2, 3, 4)),
    "ConcatV2": (-1,),
    "ImageProjectiveTransformV3": (2, 3),
    "MaxPoolGradV2": (3, 4),
    "Range": (0, 1, 2),
    "StridedSliceGrad": (0, 1, 2, 3),
}  # fmt: skip
#: They look at shapes alone: what is known of those while it compiles is not asked of the arguments.
_OF_SHAPES = frozenset({"Rank", "Shape", "ShapeN", "Size", "TensorListLength", "VariableShape"})
#: Each output is the input of the same number, or becomes it.
_PASS_ON = frozenset({"IdentityN", "StatelessWhile", "While"})
_WHILE = frozenset({"StatelessWhile", "While"})
_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_BRANCHES = {
    "If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch"),
    "Case": ("branches",), "StatelessCase": ("branches",),
}  # fmt: skip
_MAX_DEPTH = 50


def constant_arguments(definitions: Sequence[Any]) -> frozenset[int]:
    """Numbers of the arguments of the first FunctionDef that XLA needs as constants; the others are its library."""
    return _Analysis(definitions).arguments_of(definitions[0].signature.name) if definitions else frozenset()


def constant_nodes(definitions: Sequence[Any]) -> frozenset[tuple[str, str]]:
    """(function, node) of what XLA computes while it compiles: were a `Const` among them an argument, it would compile
    for each value of it."""
    analysis = _Analysis(definitions)
    for definition in definitions:
        analysis.arguments_of(definition.signature.name)
    return frozenset(analysis.nodes)


class _Analysis:
    """`nodes`: (function, node) of those that are found to be needed as constants."""

    def __init__(self, definitions: Sequence[Any]) -> None:
        self.nodes: set[tuple[str, str]] = set()
        self._definitions: Mapping[str, Any] = {definition.signature.name: definition for definition in definitions}
        self._known: dict[str, frozenset[int]] = {}
        self._depth = 0

    def arguments_of(self, name: str) -> frozenset[int]:
        definition = self._definitions.get(name)
        if definition is None or self._depth >= _MAX_DEPTH:
            return frozenset()
        if name not in self._known:
            self._known[name] = frozenset()  # a function that calls itself
            self._depth += 1
            try:
                self._known[name] = frozenset(self._arguments_of(_Function(definition), name))
            finally:
                self._depth -= 1
        return self._known[name]

    def _arguments_of(self, function: _Function, function_name: str) -> Iterator[int]:
        constant: set[str] = set()
        found: set[str] = set()
        for node in function.nodes.values():
            if node.op not in _OF_SHAPES:
                inputs = function.inputs(node)
                found.update(function.source(inputs[i]) for i in self._constant_inputs(node, inputs))
        while found:
            name = found.pop()
            if name in constant:
                continue
            constant.add(name)
            node = function.nodes.get(name)
            if node is None:
                if name in function.arguments:
                    yield function.arguments[name]
            elif node.op not in _OF_SHAPES:
                self.nodes.add((function_name, name))
                found.update(map(function.source, function.inputs(node)))

    def _constant_inputs(self, node: Any, inputs: Sequence[str]) -> list[int]:
        count = len(inputs)
        if node.op in _WHILE:
            body = self._definitions.get(node.attr["body"].func.name)
            needed = self.arguments_of(node.attr["cond"].func.name) | self.arguments_of(node.attr["body"].func.name)
            indices = [] if body is None else [i for i in needed if _Function(body).is_loop_invariant(i)]
        elif node.op in _CALLS:
            indices = list(self.arguments_of(node.attr["f"].func.name))
        elif node.op in _BRANCHES:
            branches = [node.attr[key] for key in _BRANCHES[node.op]]
            names = [function.name for value in branches for function in (*value.list.func, value.func)]
            indices = [1 + i for i in frozenset().union(*map(self.arguments_of, names))]
        elif node.op in ("DynamicStitch", "ParallelDynamicStitch"):
            indices = list(range(count // 2))
        elif node.op == "ConcatOffset":
            indices = list(range(count))
        else:
            indices = [i % count for i in _CONSTANT_INPUTS.get(node.op, ()) if -count <= i < count]
        return [i for i in indices if i < count]


class _Function:
    """A FunctionDef whose inputs can be followed. Sources are names of nodes or of arguments."""

    def __init__(self, definition: Any) -> None:
        self.nodes: dict[str, Any] = {node.name: node for node in definition.node_def}
        self.arguments: dict[str, int] = {arg.name: i for i, arg in enumerate(definition.signature.input_arg)}
        self._definition = definition

    @staticmethod
    def inputs(node: Any) -> list[str]:
        return [text for text in node.input if not text.startswith("^")]

    def source(self, text: str) -> str:
        """The name that an input such as `node:output:0` comes from, through what passes it on."""
        for _ in range(len(self.nodes) + 1):
            name, _, output = text.partition(":")
            node = self.nodes.get(name)
            if node is None or node.op not in _PASS_ON:
                return name
            number = output.rpartition(":")[2]
            inputs = self.inputs(node)
            if not number.isdecimal() or int(number) >= len(inputs):
                return name
            text = inputs[int(number)]
        return name

    def is_loop_invariant(self, argument: int) -> bool:
        """Of a loop's body: whether it gives back the argument as it was."""
        signature = self._definition.signature
        if argument >= min(len(signature.input_arg), len(signature.output_arg)):
            return False
        result = self._definition.ret.get(signature.output_arg[argument].name, "")
        return self.source(result) == str(signature.input_arg[argument].name)
