"""Each rule whose change cannot be made from outside says why."""

from __future__ import annotations

import re
from pathlib import Path

from tb_retrace_plugin.explain import advice
from tb_retrace_plugin.explain.advice.by_hand import _MOSTLY_APPLIED, _WHY, why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import NOT_BY_ITSELF

#: `tb-retrace try` makes these always.
FROM_OUTSIDE = {
    "input_signature", "reduce_retracing", "tensor_for_python_number", "tensor_for_python_sequence",
    "tensor_for_python_string", "tensor_for_python_bool", "one_dtype", "create_variables_outside",
}  # fmt: skip


def test_each_rule_is_applied_from_outside_or_says_why_not() -> None:
    (folder,) = advice.__path__
    source = "".join(path.read_text("utf-8") for path in Path(folder).rglob("*.py"))
    rules = set(re.findall(r'Fix\(\s*"(\w+)"', source)) | {
        "keras_predict_once",
        "keras_dataset_once",
        "pass_numbers_of_instance",
    }
    assert len(rules) >= 18
    assert rules == _WHY.keys() | _MOSTLY_APPLIED.keys() | FROM_OUTSIDE
    assert not _WHY.keys() & _MOSTLY_APPLIED.keys()


def test_of_several_rules_each_reason_is_said_once() -> None:
    assert why_by_hand("shape_buckets+pad_to_one_shape").count("padding can change results") == 1
    # what could be done is no reason
    assert why_by_hand("equal_objects+same_object") == why_by_hand("same_object")
    assert why_by_hand("equal_objects+input_signature") == "the class is not one that can be given methods"
    alone = why_by_hand("tensor_for_python_number", NOT_BY_ITSELF)
    assert alone.startswith("it helps only together with another change")
    assert why_by_hand("input_signature") == "not all that it is passed can be declared from outside"
