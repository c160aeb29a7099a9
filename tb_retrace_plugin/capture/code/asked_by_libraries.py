"""What TensorFlow's and Keras' own code asks in Python of the numbers that it is passed."""

from __future__ import annotations

import ast
from collections.abc import Mapping

#: As a part of a name, and of the names below.
KERAS_OPS = "ops"
#: TensorFlow's and Keras' own that ask, or compute with, such an argument in Python: its name, and its place.
_ASK: dict[str, dict[str, int]] = {
    **{f"{module}.{name}": {"axis": 1} for module in ("nn", "activations") for name in ("softmax", "log_softmax")},
    **{f"{module}.norm": {"ord": 1} for module in ("tf", "tensorflow", "linalg")},
    "activations.elu": {"alpha": 1},
    "activations.relu": {"negative_slope": 1, "max_value": 2, "threshold": 3},
    "nn.atrous_conv2d": {"rate": 2},
    "nn.ctc_beam_search_decoder": {"beam_width": 2, "top_paths": 3},
    "nn.depth_to_space": {"block_size": 1},
    "nn.space_to_depth": {"block_size": 1},
    "ops.expand_dims": {"axis": 1},
    "ops.image.resize": {"size": 1},
    "ops.linspace": {"num": 2},
    "ops.log_softmax": {"axis": 1},
    "ops.moveaxis": {"source": 1, "destination": 2},
    "ops.norm": {"axis": 2},
    "ops.pad": {"pad_width": 1},
    "ops.softmax": {"axis": 1},
    "ops.tile": {"repeats": 1},
    "random.dropout": {"rate": 1},
    "signal.dct": {"n": 2},
    "signal.linear_to_mel_weight_matrix": {"num_mel_bins": 0, "lower_edge_hertz": 3, "upper_edge_hertz": 4},
    **{f"{module}.split": {"num_or_size_splits": 1} for module in ("tf", "tensorflow")},
    **{f"{module}.{name}": {"axis": 1} for module in ("tf", "tensorflow") for name in ("sort", "argsort")},
    "tf.tensordot": {"axes": 2},
}
#: The same, of methods: of a dataset's, whatever has it.
_METHODS: dict[str, dict[str, int]] = {"prefetch": {"buffer_size": 0}}
_NAMES = frozenset({*(name.rpartition(".")[2] for name in _ASK), *_METHODS})
#: The same without Keras' own, whose names TensorFlow has for what takes a tensor (`tf.tile`).
ASKING = frozenset(name.rpartition(".")[2] for name in _ASK if not name.startswith(KERAS_OPS)) | {*_METHODS}
#: That hold several numbers, of which none is a tensor.
IN_A_LIST = frozenset({"pad_width", "repeats", "size"})
#: By which TensorFlow's and Keras' functions take such numbers, and ask them in Python, whatever they are called.
KEYWORDS = frozenset({"dilations", "dilation_rate", "label_smoothing"})


def asked_of(function: ast.expr, name: str) -> Mapping[str, int] | None:
    """Of what is called, and the last part of its name."""
    if name not in _NAMES:
        return None
    if name in _METHODS:
        return _METHODS[name]
    parts = ast.unparse(function).split(".")
    return _ASK.get(".".join(parts[-3:])) or _ASK.get(".".join(parts[-2:]))
