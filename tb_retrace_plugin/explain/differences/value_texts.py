"""What the texts of a change tell of the values that it is of, as signatures write them."""

from __future__ import annotations

import re

from tb_retrace_plugin.schema.signature import hidden_type

#: How signatures write TensorFlow's dtypes and the members of an Enum; other objects have a number.
DTYPE = re.compile(r"tf\.[a-z]\w*")
MEMBER_NAME = re.compile(r"[^\W\d]\w*\.\w+(\|\w+)*")
NUMBERED_OBJECT = re.compile(r".+ #\d+")
#: Sequences of nothing; a dictionary may lack any of its keys.
EMPTY = frozenset({"()", "[]"})
#: A number of NumPy's: its type, and the number.
OF_NUMPY = re.compile(r"np\.(\w+)\(([^()]+)\)")
_BOOLS = frozenset({"True", "False"})
_TENSOR = re.compile(r"(Variable )?([a-z]\w*) [(<]")
_STRINGS = frozenset({"str", "bytes", "str_", "bytes_"})
_STRING = re.compile(r"(b|np\.(str|bytes)_\()?['\"]")


def are_bools(*texts: str) -> bool:
    if _BOOLS.issuperset(texts):
        return True
    # the end first: it is asked of each number that is traced for
    return texts[-1].endswith("›") and all(text in _BOOLS or hidden_type(text) == "bool" for text in texts)


def are_texts(*texts: str) -> bool:
    return all(text.startswith(("'", '"')) for text in texts)


def is_bool_or_numbers(one: str, other: str) -> bool:
    """A Python bool in some calls, and in others a tensor of numbers: `False` in place of what there is not."""
    flag, tensor = (one, _TENSOR.match(other)) if are_bools(one) else (other, _TENSOR.match(one))
    return are_bools(flag) and tensor is not None and tensor[2] not in ("bool", "string")


def is_whole(text: str) -> bool:
    """A fraction that sets an attribute, such as the slope of `tf.nn.leaky_relu`, can be multiplied with instead."""
    return hidden_type(text) == "int" or OF_NUMPY.sub(r"\2", text).lstrip("-").isdecimal()


def is_number(text: str) -> bool:
    if text.isdecimal() or hidden_type(text) in ("int", "float", "complex"):
        return True
    try:
        complex(text)
    except ValueError:
        return False
    return True


def one_type_holds(*texts: str) -> bool:
    """Whether all are numbers, or all are strings, as tensors can be."""
    return all(map(holds_strings, texts)) or all(map(_holds_numbers, texts))


def holds_strings(text: str) -> bool:
    """Of a Python value, a tensor, or a dtype."""
    if tensor := _TENSOR.match(text):
        return tensor[2] == "string"
    return text == "string" or hidden_type(text) in _STRINGS or _STRING.match(text) is not None


def _holds_numbers(text: str) -> bool:
    if tensor := _TENSOR.match(text):
        return tensor[2] != "string"
    return is_number(text) or are_bools(text)


def is_close(value: object, text: str, dtype: str) -> bool:
    """Whether a constant of `dtype` is the number that a change writes out."""
    if isinstance(value, bool) or not isinstance(value, int | float | complex):
        return False
    try:
        number = complex(OF_NUMPY.sub(r"\2", text))
        if value == number or (value != value and number != number):  # infinite, or NaN
            return True
        precision = 2e-3 if dtype in ("float16", "bfloat16") else 1e-6
        return abs(value - number) <= precision * abs(number)
    except (ValueError, OverflowError):
        return False
