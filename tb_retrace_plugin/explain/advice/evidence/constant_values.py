"""Whether constants of graphs hold a Python number, as precisely as their dtype does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.differences.value_texts import OF_NUMPY, is_close

_WHOLE = re.compile(r"(u?)int(8|16|32|64)")
#: By how much of itself a float32 may differ from the number that it is made of, and a result before that is told.
_FLOAT32, _TOLD = 2.0**-24, 1e-3


def has_values(constant: Constant, old: str, new: str) -> bool:
    """Whether a scalar has the number's values, as precisely as its dtype holds them."""
    return is_close(constant.old, old, constant.dtype) and is_close(constant.new, new, constant.dtype)


def holds_values(constant: Constant, old: str, new: str) -> bool:
    """Whether a constant, or an element of it, has the number's values."""
    if not isinstance(constant.old, tuple) or not isinstance(constant.new, tuple):
        return has_values(constant, old, new)
    pairs = zip(constant.old, constant.new, strict=False)  # a tensor of equal elements may be kept as one
    return any(has_values(Constant(constant.dtype, a, b), old, new) for a, b in pairs)


def is_near(constant: Constant, old: str, new: str) -> bool:
    """Whether it is the number, its negative, or one more or less or 1 less it, which a tensor gives as well."""
    if holds_values(constant, old, new) or not _is_written_out(constant.old) or not _is_written_out(constant.new):
        return True
    try:
        numbers = complex(old), complex(new)
    except ValueError:
        return True
    for sign, offset in ((-1, 0), (1, 1), (1, -1), (-1, 1)):
        texts = [str(sign * number + offset) for number in numbers]
        if has_values(constant, texts[0], texts[1]):
            return True
    return False


def _is_written_out(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def holds(dtype: str, natural: str) -> bool:
    """Whether a tensor of `dtype` can stand for numbers that a `natural` one holds."""
    if dtype.startswith("complex") or natural.startswith("complex"):
        return dtype.startswith("complex")
    if dtype.startswith(("float", "bfloat")):
        return True
    return natural != "float32" and dtype in ("int32", "int64") and (natural == "int32" or dtype == "int64")


def fits(dtype: str, value: str) -> bool:
    """Whether a tensor of whole numbers of `dtype` can hold a whole number; of one that is not
    recorded in full, whether it is the widest."""
    found = _WHOLE.fullmatch(dtype)
    if found is None:
        return False
    try:
        number, bits = int(value), int(found[2])
    except ValueError:
        return dtype == "int64"
    return number >> bits == 0 if found[1] else number >> (bits - 1) in (0, -1)


def loses_digits(constant: Constant, old: str, new: str) -> bool:
    """Whether what is computed of a number in Python is another one if computed of a float32: `1 - 0.9999999`, and
    `123456789 % 10`. How far it is from both values tells how much it depends on the number's last digits."""
    if constant.dtype != "float32" or not (_is_real(constant.old) and _is_real(constant.new)):
        return False
    try:
        numbers = float(old), float(new)
    except (ValueError, OverflowError):
        return False
    step = abs(numbers[1] - numbers[0])
    largest = max(abs(constant.old), abs(constant.new))
    if not 0 < step < float("inf") or not 0 < largest < float("inf"):
        return False
    error = max(map(abs, numbers)) * _FLOAT32 * abs(constant.new - constant.old) / step
    least = min(filter(None, (abs(constant.old), abs(constant.new))))
    return bool(error > _TOLD * least)


def natural_dtype(values: Iterable[str]) -> str:
    """That of `tf.constant` for each of these numbers; "" where some are whole and others are not."""
    dtypes = {_dtype(value) for value in values}
    return "".join(dtypes) if len(dtypes) == 1 else ""


def _dtype(value: str) -> str:
    of_numpy = OF_NUMPY.fullmatch(value)
    return of_numpy[1] if of_numpy else "int32" if value.lstrip("-").isdecimal() else "float32"


def _is_real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
