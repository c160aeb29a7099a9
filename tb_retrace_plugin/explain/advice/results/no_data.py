"""What is passed that is no data, padding and values for missing keys: it counts as such, without an error."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix

PADS = frozenset({"pad_to_one_shape", "shape_buckets", "pad_for_xla"})
_DROPS = "drop_remainder=True"
_PADDING = "padding counts as data in a mean, a product, a softmax or a batch normalization, without an error"
_TEXT = "This changes results unless it is masked or cut off: {}."
_OR_LEAVES_OUT = "This changes results: `drop_remainder=True` leaves examples out, and without a mask {}."
_KEYS = (
    "This changes results unless the value is neutral: calls that lack a key run as those that have it do, also where"
    " the code asks for it (`if 'mask' in batch`) or goes through all of them (`batch.values()`, `len(batch)`)."
)


def told_of_no_data(advice: Advice, fixes: Sequence[Fix]) -> Advice:
    """The advice, with what comes of data that is made up, or left out."""
    if padding := [fix for fix in fixes if fix.rule in PADS]:
        drops = any(_DROPS in fix.other for fix in padding)
        advice = advice.warned((_OR_LEAVES_OUT if drops else _TEXT).format(_PADDING))
    if any(fix.rule == "same_keys" and fix.candidate is not None for fix in fixes):
        advice = advice.warned(_KEYS)
    return advice
