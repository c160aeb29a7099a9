"""Losses of Keras' own classes, which have no variables, as a model has; one of the user's may hold a model."""

from __future__ import annotations

import re

#: Classes of Keras 3, of tf_keras, and of TensorFlow's own Keras.
CLASS = re.compile(r"(?:tf_|tensorflow\.python\.)?keras\.(?:\w+\.)*losses\.(?:\w+\.)*\w+")

_BASE = "Loss"

#: Ends what a closed-over one is told as, after its class's name.
LOSS = " loss object"


def is_a_loss_of_keras(kind: type) -> bool:
    is_one = any(base.__name__ == _BASE and CLASS.fullmatch(f"{base.__module__}.{_BASE}") for base in kind.__mro__)
    return is_one and CLASS.fullmatch(f"{kind.__module__}.{kind.__name__}") is not None
