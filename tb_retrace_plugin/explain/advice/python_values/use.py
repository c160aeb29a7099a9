"""How graphs use a number, as the graphs of traces that it alone tells apart say."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.evidence.constant_values import (
    has_values,
    holds_values,
    is_near,
    loses_digits,
)
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair
from tb_retrace_plugin.explain.differences.value_texts import is_close

FLOATS = ("float", "bfloat")
#: Of a float32, relatively.
_DIGITS = 2**-22
_NUMERIC = ("float", "bfloat", "int", "uint", "complex")
#: Attributes that are texts: what `tf.print(f"step {n}")` and the like write.
TEXTS = frozenset({("StringFormat", "template"), ("CheckNumerics", "message")})
#: That a tensor does as well for, or another rule is about.
_NO_NUMBERS = frozenset({"seed", "seed2", "num_elements", "N"})
#: In the name of an operation.
_IN_A_NAME = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
#: The end of a name, or of a scope, where Keras and TensorFlow have numbered equal ones: `functional_1_1`.
_NUMBERED = re.compile(r"(_\d+)+(?=/|$)")


@dataclass(frozen=True, slots=True)
class Together:
    """What changed at once, and the sizes of both graphs: other operations, if they are of one."""

    paths: tuple[str, ...]
    before: int
    now: int


@dataclass(frozen=True, slots=True)
class Use:
    """`dtypes`: of the constants that differ where the number does. `example`: two values for which the graphs differ
    in nothing else, "" if there are none. `same_graphs`: two values for which they do not differ at all; `captures`:
    for which they differ in what they capture.

    `computed`: none of these constants, if any, is the number itself. `decides`: a clause, if something else than
    constants differs; `may_decide`: if that may be of its doing. `floats`: dtype of constants that differ where other
    things did too, and may be computed from it. `compiled_in`: XLA needs one of them while it compiles. `partly`: some
    are neither the number nor its sum or difference with 1. `seeds`: operation of which it is the seed, "" if of none.
    `only`: dtype of all constants that differ, if it is one of fractions. `beside`: some of the constants are the
    number and some are not. `by_itself`: one that is the number may be what `tf.constant` made. `attribute`: it is
    one of an operation, such as "`num_split` of `Split`", and no tensor can be, or what one is computed of; "" if it is
    none. `names`: of an operation, for two values, if it is named with the number. `resizes`: it sets the size of a
    constant. `anew`: what it seems to decide does not grow with it, and may be read anew by each trace. `texts`: two
    values for which the graphs hold other texts, "" if there are none. `others`: it reads other tensors from around it,
    too. `summaries`: nothing but those may hold it, by a step computed of it. `digits`: a value of which a float32 has
    too few digits for what Python computes of it, "" if none is known. `step`: the source writes a summary with it as
    the step.
    """

    dtypes: tuple[str, ...] = ()
    example: str = ""
    same_graphs: str = ""
    captures: str = ""
    computed: bool = False
    decides: str = ""
    may_decide: Together | None = None
    floats: str = ""
    compiled_in: bool = False
    partly: bool = False
    seeds: str = ""
    beside: bool = False
    by_itself: bool = False
    attribute: str = ""
    only: str = ""
    names: tuple[str, str] | None = None
    resizes: bool = False
    anew: bool = False
    texts: str = ""
    others: bool = False
    summaries: bool = False
    step: bool = False
    digits: str = ""

    @property
    def dtype(self) -> str:
        """The one that all of them have, "" if that is not known."""
        return self.dtypes[0] if len(self.dtypes) == 1 else ""

    @property
    def is_constant(self) -> bool:
        """Whether all that is known of it is that it makes constants of one dtype."""
        return bool(self.example and self.dtype) and not (
            self.decides or self.may_decide or self.captures or self.resizes or self.texts
        )


def use_in(compared: Sequence[tuple[tuple[str, str], GraphPair]], decides: str = "") -> Use:
    """`compared`: two values, and the graphs of two traces that they alone tell apart."""
    dtypes: dict[str, None] = {}
    example = same = captures = texts = digits = ""
    computed, partly, seeds = True, False, ""
    beside = by_itself = resizes = False
    attribute = ""
    names = None
    for (old, new), pair in compared:
        values = f"{old} and {new}"
        constants = [constant for constant in pair.constants if not constant.resized]
        resizes = resizes or len(constants) < len(pair.constants)
        own = [holds_values(constant, old, new) for constant in constants]
        beside = beside or (any(own) and any(map(_is_another, constants, own)))
        by_itself = by_itself or any(c.is_named_so and is_own for c, is_own in zip(constants, own, strict=True))
        attribute = attribute or attribute_that_is(pair, old, new) or _attribute_computed_of_it(pair)
        dtypes |= dict.fromkeys(c.dtype for c in _of_set_dtypes(constants, own) if c.dtype.startswith(_NUMERIC))
        computed = computed and all(c.old is not None and not holds_values(c, old, new) for c in constants)
        digits = digits or (new if any(loses_digits(c, old, new) for c in constants) else "")
        partly = partly or not all(is_near(c, old, new) for c in constants)
        if pair.attribute is not None and pair.attribute[1] in ("seed", "seed2"):
            seeds = pair.attribute[0]
        names = names or (pair.names if _are_named_with(pair.names, old, new) else None)
        other = _other_than_numbers(values, pair)
        decides = decides or other
        has_texts = pair.attribute in TEXTS or any(constant.dtype == "string" for constant in constants)
        if has_texts:
            texts = texts or values
        if pair.alike and pair.captures:
            captures = captures or values
        elif has_texts:
            continue
        elif not other and pair.constants:
            example = example or values
        elif not other and not are_one_constant(old, new):
            same = same or values
    return Use(
        tuple(dtypes), example, "" if dtypes or captures else same, captures, computed and bool(dtypes), decides,
        compiled_in=any(constant.compiled_in for _, pair in compared for constant in pair.constants),
        partly=partly and bool(dtypes), seeds=seeds,
        beside=beside, by_itself=by_itself, attribute=attribute, names=names, resizes=resizes, texts=texts,
        summaries=bool(same) and not dtypes and all(pair.summaries for _, pair in compared), digits=digits,
    )  # fmt: skip


def are_one_constant(old: str, new: str) -> bool:
    """Whether a float32 may be the same of both: of graphs without another constant that says nothing."""
    try:
        one, other = complex(old), complex(new)
    except ValueError:
        return False
    return abs(one - other) <= _DIGITS * abs(one)


def _of_set_dtypes(constants: Sequence[Constant], own: Sequence[bool]) -> Sequence[Constant]:
    """Without those that are cast, which a tensor of any dtype can be, and without a gradient's beside a whole number
    of the code's own, which sets a size: of a mean over so many rows; all, if no other one is the number."""
    numbers = [c for c, is_own in zip(constants, own, strict=True) if is_own and not c.is_cast]
    is_size = bool(numbers) and all(c.of_gradient or c.dtype.startswith("int") for c in numbers)
    is_size = is_size and not all(c.of_gradient for c in numbers)
    left = [constant for constant in constants if not (is_size and constant.of_gradient)]
    return [constant for constant in left if not (numbers and constant.is_cast)]


def _are_named_with(names: tuple[str, str] | None, old: str, new: str) -> bool:
    """Whether it may be the numbers that tell them apart: TensorFlow numbers equal names by itself, and Keras what is
    made in each trace (`functional_3`)."""
    if names is None:
        return False
    one, other = (_NUMBERED.sub("", name) for name in names)
    if one != other:
        return True
    parts = [name.split("/") for name in names]
    if len(parts[0]) == len(parts[1]):  # `conv_1`, which both have, is named with neither
        unlike = [pair for pair in zip(*parts, strict=True) if pair[0] != pair[1]]
        names = "/".join(one for one, _ in unlike), "/".join(other for _, other in unlike)
    return all(_has_number(*pair) for pair in zip(names, (old, new), strict=True))


def _has_number(name: str, text: str) -> bool:
    if "." in text and text.replace(".", "_") in name:  # as people write it there
        return True
    return any(math.isclose(float(found), magnitude(text), rel_tol=1e-3) for found in _IN_A_NAME.findall(name))


def _is_another(constant: Constant, is_own: bool) -> bool:
    """Whether it is a fraction that is not the number; in a gradient it is TensorFlow that computes."""
    return not (is_own or constant.of_gradient) and constant.dtype.startswith(FLOATS) and constant.old is not None


def attribute_that_is(pair: GraphPair, old: str, new: str) -> str:
    for operation, attribute, a, b in pair.numbers:
        if is_close(a, old, "float32") and is_close(b, new, "float32"):
            return f"`{attribute}` of `{operation}` in its graph"
    return ""


def _attribute_computed_of_it(pair: GraphPair) -> str:
    """Where graphs of two numbers differ in nothing else."""
    if not pair.numbers or pair.constants or pair.captures:
        return ""
    operation, attribute, *_ = pair.numbers[0]
    is_one = attribute not in _NO_NUMBERS and not attribute.endswith("_mask")
    return f"what `{attribute}` of `{operation}` in its graph is computed of" if is_one else ""


def _other_than_numbers(values: str, pair: GraphPair) -> str:
    """A clause on what of a pair says that the number is more than a constant."""
    if not pair.alike:
        return f"For {values} the graphs have other operations"
    if pair.attribute is not None and pair.attribute not in TEXTS:
        operation, attribute = pair.attribute
        return f"For {values} the graphs differ in `{attribute}` of `{operation}`"
    if odd := [constant for constant in pair.constants if not constant.dtype.startswith((*_NUMERIC, "string"))]:
        return f"For {values} the graphs differ in a {odd[0].dtype}"
    return ""


def computed_floats(pair: GraphPair, numbers: Collection[tuple[str, str]], elsewhere: Collection[str] = ()) -> str:
    """Dtype of float constants that differ and are none of the numbers; "" if there are none.

    `numbers`: what each was, and is. `elsewhere`: dtypes that others make by themselves.
    """
    constants = (constant for constant in pair.constants if not constant.resized)
    odd = (c for c in constants if c.dtype not in elsewhere and not any(has_values(c, *n) for n in numbers))
    return next((constant.dtype for constant in odd if constant.dtype.startswith(FLOATS)), "")


def magnitude(text: str) -> float:
    """Of a number as it was recorded; 0.0 of what is none."""
    try:
        return abs(complex(text))
    except ValueError:
        return 0.0
