"""Each rule whose change cannot be made from outside says why."""

from __future__ import annotations

import re
from pathlib import Path

from tb_retrace_plugin.explain import advice
from tb_retrace_plugin.explain.advice.by_hand import _WHY, why_by_hand

#: Changes of a declaration, or of what is passed: `tb-retrace try` makes them.
FROM_OUTSIDE = {"input_signature", "reduce_retracing", "tensor_for_python_number", "one_dtype"}


def test_each_rule_is_applied_from_outside_or_says_why_not() -> None:
    (folder,) = advice.__path__
    source = "".join(path.read_text("utf-8") for path in Path(folder).glob("*.py"))
    rules = set(re.findall(r'Fix\(\s*"(\w+)"', source)) | {"keras_predict_once", "keras_dataset_once"}
    assert len(rules) >= 18
    assert rules <= _WHY.keys() | FROM_OUTSIDE


def test_of_several_rules_each_reason_is_said_once() -> None:
    assert why_by_hand("shape_buckets+pad_to_one_shape").count("padding can change results") == 1
    both = why_by_hand("create_variables_outside+input_signature")
    assert both == "where variables are created is written in the source"
    assert why_by_hand("input_signature") == "not all that it is passed can be declared from outside"
