"""Train steps as Keras traces them, made up, with labels that say which node of another graph is the same.

Names are numbered as TensorFlow numbers them, so that something inserted shifts them; labels are not in the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tensorboard.compat.proto import attr_value_pb2, function_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction

FLOAT, INT32, RESOURCE, HALF = 1, 3, 20, 19
Shape = tuple[int | None, ...]


@dataclass
class Labelled:
    function: GraphFunction
    labels: dict[str, str]  # by name


@dataclass
class Builder:
    batch: int | None = 32
    dtype: int = FLOAT
    definition: Any = field(default_factory=function_pb2.FunctionDef)
    labels: dict[str, str] = field(default_factory=dict)
    shapes: dict[tuple[Shape | None, ...], int] = field(default_factory=lambda: {(): 0})
    of_inputs: list[int] = field(default_factory=list)
    of_nodes: list[int] = field(default_factory=list)
    _used: Counter[str] = field(default_factory=Counter)
    _labelled: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.definition.signature.name = "__inference_step_0"

    def unique(self, name: str) -> str:
        """`relu`, `relu_1`, …"""
        self._used[name] += 1
        return name if self._used[name] == 1 else f"{name}_{self._used[name] - 1}"

    def argument(self, name: str, dtype: int, shape: Shape, label: str) -> str:
        index = len(self.definition.signature.input_arg)
        self.definition.signature.input_arg.add(name=name, type=dtype)
        self.definition.arg_attr[index].attr["_user_specified_name"].s = name.encode()
        self.of_inputs.append(self._shape((shape,)))
        self.labels[name] = label
        return name

    def node(
        self, name: str, op: str, inputs: Sequence[str], label: str, shape: Shape | None = None, **attributes: Any
    ) -> str:
        """Returns its output, as an input names it. Labels are numbered where they come again."""
        name = self.unique(name)
        self._labelled[label] += 1
        self.labels[name] = f"{label}#{self._labelled[label]}"
        node = self.definition.node_def.add(name=name, op=op, input=inputs)
        if "T" not in attributes and "dtype" not in attributes:
            attributes["T"] = attr_value_pb2.AttrValue(type=self.dtype)
        for key, value in attributes.items():
            node.attr[key].CopyFrom(value)
        self.of_nodes.append(self._shape(() if shape is None else (shape,)))
        return f"{name}:output:0"

    def constant(self, name: str, values: Sequence[int], label: str) -> str:
        value = attr_value_pb2.AttrValue()
        value.tensor.dtype = INT32
        value.tensor.tensor_shape.dim.add(size=len(values))
        value.tensor.tensor_content = b"".join(v.to_bytes(4, "little", signed=True) for v in values)
        kind = attr_value_pb2.AttrValue(type=INT32)
        return self.node(name, "Const", [], label, (len(values),), value=value, dtype=kind)

    def read(self, name: str, variable: str, label: str, shape: Shape) -> str:
        return self.node(name, "ReadVariableOp", [variable], label, shape, dtype=attr_value_pb2.AttrValue(type=FLOAT))

    def _shape(self, shapes: tuple[Shape | None, ...]) -> int:
        return self.shapes.setdefault(shapes, len(self.shapes))

    def done(self, output: str) -> Labelled:
        self.definition.signature.output_arg.add(name="identity", type=self.dtype)
        self.definition.ret["identity"] = output
        self.labels["identity_retval"] = "result"
        data = self.definition.SerializeToString(deterministic=True)
        function = GraphFunction(self.definition, data, list(self.shapes), self.of_inputs, self.of_nodes)
        return Labelled(function, self.labels)


@dataclass(frozen=True)
class Layer:
    """`label` is the same in another model for the same layer; `kind`: dense, norm or relu."""

    kind: str
    label: str
    units: int = 64


def train_step(
    layers: Sequence[Layer],
    *,
    batch: int | None = 32,
    dtype: int = FLOAT,
    casts: bool = False,
    scopes: Sequence[str] = (),
    optimizer: bool = True,
) -> Labelled:
    """Forward, backward and an optimizer with a flat scope. `scopes`: of each layer, else numbered names.

    `casts`: weights are cast to `dtype`, as mixed precision does.
    """
    b = Builder(batch, dtype)
    x = b.argument("x", FLOAT, (batch, 64), "x")
    labels = b.argument("y", INT32, (batch,), "y")
    variables: list[tuple[str, str, Shape]] = []
    backward: list[Any] = []
    width = 64
    named: Counter[str] = Counter()
    for number, layer in enumerate(layers):
        named[layer.kind] += 1
        numbered = layer.kind if named[layer.kind] == 1 else f"{layer.kind}_{named[layer.kind] - 1}"
        scope = f"model/{scopes[number] if scopes else numbered}"
        own = layer.label
        if layer.kind == "dense":
            kernel, bias = f"{scope}_kernel".replace("/", "_"), f"{scope}_bias".replace("/", "_")
            for name, shape in ((kernel, (width, layer.units)), (bias, (layer.units,))):
                b.argument(name, RESOURCE, (), f"{own}/{name.rpartition('_')[2]}")
                variables.append((name, f"{own}/{name.rpartition('_')[2]}", shape))
            weight = b.read(f"{scope}/MatMul/ReadVariableOp", kernel, f"{own}/read", (width, layer.units))
            if casts:
                weight = b.node(f"{scope}/Cast", "Cast", [weight], f"{own}/cast", (width, layer.units))
            product = b.node(f"{scope}/MatMul", "MatMul", [x, weight], f"{own}/matmul", (batch, layer.units))
            offset = b.read(f"{scope}/BiasAdd/ReadVariableOp", bias, f"{own}/read_bias", (layer.units,))
            backward.append(("dense", scope, own, x, weight, (batch, width), (width, layer.units)))
            x = b.node(f"{scope}/BiasAdd", "BiasAdd", [product, offset], f"{own}/bias", (batch, layer.units))
            width = layer.units
        elif layer.kind == "norm":
            gamma = f"{scope}_gamma".replace("/", "_")
            b.argument(gamma, RESOURCE, (), f"{own}/gamma")
            variables.append((gamma, f"{own}/gamma", (width,)))
            axes = b.constant(f"{scope}/moments/indices", [0], f"{own}/axes")
            mean = b.node(f"{scope}/moments/mean", "Mean", [x, axes], f"{own}/mean", (1, width))
            centred = b.node(f"{scope}/sub", "Sub", [x, mean], f"{own}/sub", (batch, width))
            scale = b.node(f"{scope}/Rsqrt", "Rsqrt", [mean], f"{own}/rsqrt", (1, width))
            read = b.read(f"{scope}/mul/ReadVariableOp", gamma, f"{own}/read", (width,))
            factor = b.node(f"{scope}/mul", "Mul", [scale, read], f"{own}/mul", (1, width))
            backward.append(("norm", scope, own, centred, factor, (batch, width), (width,)))
            x = b.node(f"{scope}/mul_1", "Mul", [centred, factor], f"{own}/mul_1", (batch, width))
        else:
            x = b.node(f"{scope}/Relu", "Relu", [x], f"{own}/relu", (batch, width))
            backward.append(("relu", scope, own, x, x, (batch, width), ()))
    loss = b.node("loss/Loss", "SparseSoftmaxCrossEntropyWithLogits", [x, labels], "loss", (batch,))
    mean = b.node("Mean", "Mean", [loss], "mean", ())
    gradient = b.node("gradient_tape/loss/Loss/mul", "Mul", [mean, x], "grad/loss", (batch, width))
    gradients: dict[str, str] = {}
    for kind, scope, own, left, right, shape, weights in reversed(backward):
        at = f"gradient_tape/{scope}"
        if kind == "relu":
            gradient = b.node(f"{at}/ReluGrad", "ReluGrad", [gradient, left], f"grad/{own}/relu", shape)
        elif kind == "dense":
            bias = b.node(f"{at}/BiasAdd/BiasAddGrad", "BiasAddGrad", [gradient], f"grad/{own}/bias", weights[1:])
            kernel = b.node(f"{at}/MatMul/MatMul_1", "MatMul", [left, gradient], f"grad/{own}/kernel", weights)
            gradients[f"{own}/bias"], gradients[f"{own}/kernel"] = bias, kernel
            gradient = b.node(f"{at}/MatMul/MatMul", "MatMul", [gradient, right], f"grad/{own}/x", shape)
        else:
            size = b.constant(f"{at}/mul_1/Shape", [batch or -1, *shape[1:]], f"grad/{own}/shape")  # type: ignore[list-item]
            times = b.node(f"{at}/mul_1/Mul", "Mul", [gradient, right], f"grad/{own}/mul", shape)
            summed = b.node(f"{at}/mul_1/Sum", "Sum", [times, size], f"grad/{own}/sum", weights)
            gradients[f"{own}/gamma"] = b.node(
                f"{at}/mul_1/Reshape", "Reshape", [summed, size], f"grad/{own}/gamma", weights
            )
            negative = b.node(f"{at}/sub/Neg", "Neg", [times], f"grad/{own}/neg", shape)
            gradient = b.node("AddN", "AddN", [times, negative], f"grad/{own}/x", shape)
    if optimizer:
        rate = b.argument("adam_rate", RESOURCE, (), "rate")
        for variable, own, shape in variables:
            step = f"adam/{own}"
            momentum = f"adam_{variable}_momentum"
            b.argument(momentum, RESOURCE, (), f"{step}/momentum")
            factor = b.read("adam/ReadVariableOp", rate, f"{step}/rate", ())
            old = b.read("adam/sub/ReadVariableOp", momentum, f"{step}/read", shape)
            change = b.node("adam/sub", "Sub", [gradients[own], old], f"{step}/sub", shape)
            scaled = b.node("adam/mul", "Mul", [change, factor], f"{step}/mul", shape)
            b.node("adam/AssignAddVariableOp", "AssignAddVariableOp", [momentum, scaled], f"{step}/assign")
            b.node("adam/AssignSubVariableOp", "AssignSubVariableOp", [variable, scaled], f"{step}/apply")
    return b.done(mean)


def unrolled(times: int, *, batch: int | None = 8) -> Labelled:
    """A Python loop over range(times) in a function, each round reading the same weight."""
    b = Builder(batch)
    x = b.argument("x", FLOAT, (batch, 4), "x")
    b.argument("weight", RESOURCE, (), "weight")
    for i in range(times):
        weight = b.read("MatMul/ReadVariableOp", "weight", f"{i}/read", (4, 4))
        x = b.node("MatMul", "MatMul", [x, weight], f"{i}/matmul", (batch, 4))
        number = b.constant("add/y", [i], f"{i}/y")
        x = b.node("add", "AddV2", [x, number], f"{i}/add", (batch, 4))
        x = b.node("Tanh", "Tanh", [x], f"{i}/tanh", (batch, 4))
    return b.done(b.node("Identity", "Identity", [x], "out", (batch, 4)))


def block(label: str, units: int = 64) -> list[Layer]:
    """As in a transformer, about."""
    return [
        Layer("norm", f"{label}/norm"),
        Layer("dense", f"{label}/up", units * 4),
        Layer("relu", f"{label}/relu"),
        Layer("dense", f"{label}/down", units),
    ]


def precision(a: Labelled, b: Labelled, pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Of the pairs of names how many are right, and of what is the same how much was found."""
    right = sum(a.labels[left] == b.labels[right] for left, right in pairs)
    same = len(set(a.labels.values()) & set(b.labels.values()))
    return right / max(1, len(pairs)), right / max(1, same)
