"""Why `tb-retrace try` cannot make a change from outside: by the rule that advises it."""

from __future__ import annotations

_WHERE_MADE = "where a function, a dataset or an object is made is written in the source"
_PADDING = "padding can change results: whether the code needs a mask, only its author knows"

_WHY = {
    "create_function_once": _WHERE_MADE,
    "build_dataset_once": _WHERE_MADE,
    "one_instance": _WHERE_MADE,
    "same_object": _WHERE_MADE,
    "load_saved_model_once": _WHERE_MADE,
    "strategy_once": _WHERE_MADE,
    "python_iterator": "the code reads the iterator that it is given",
    "create_variables_before": "where variables are created is written in the source",
    "create_variables_outside": "where variables are created is written in the source",
    "pass_closed_over_number": "the function has to take the number as an argument",
    "number_in_dataset": "the function has to read the number from a tf.Variable",
    "equal_objects": "which attributes make two objects equal, only the author of their class knows",
    "same_keys": "which value is neutral for a missing key, only the author of the code knows",
    "same_structure": "the code reads the structure that it is given",
    "same_type": "which type all calls could have, only their author knows",
    "alike_datasets": "a dataset that drops its last batch yields other elements",
    "pad_to_one_shape": _PADDING,
    "shape_buckets": _PADDING,
    "keras_predict_once": "which calls can be one is written in the source",
    "keras_dataset_once": "what `fit` and `evaluate` are given is written in the source",
}


def why_by_hand(rule: str) -> str:
    """A clause for advice whose `apply` is None. `rule`: as in advice, with several joined by `+`."""
    reasons = dict.fromkeys(_WHY[part] for part in rule.split("+") if part in _WHY)
    return "; ".join(reasons) or "not all that it is passed can be declared from outside"
