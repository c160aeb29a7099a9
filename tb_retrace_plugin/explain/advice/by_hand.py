"""Why `tb-retrace try` cannot make a change from outside: by the rule that advises it."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import NOT_BY_ITSELF
from tb_retrace_plugin.explain.advice.results.frozen_values import HAS_TO_BE_A_TENSOR, HAS_TO_TAKE_TENSORS
from tb_retrace_plugin.explain.advice.results.initial_values import HOLDS_INITIAL_VALUES
from tb_retrace_plugin.explain.advice.results.texts import (
    HAS_TO_KEEP_A_NUMBER,
    HAS_TO_REPEAT_A_TENSOR,
    HAS_TO_WRITE_A_TENSOR,
)

_WHERE_MADE = "where a function, a dataset or an object is made is written in the source"
_PADDING = "padding can change results: whether the code needs a mask, only its author knows"

_WHY = {
    "same_object": _WHERE_MADE,
    "load_saved_model_once": _WHERE_MADE,
    "strategy_once": _WHERE_MADE,
    "vectorize_in_a_function": "what is around the call is written in the source",
    "forward_mode_in_a_function": "what is around the call is written in the source",
    "pass_closed_over_tensor": "the function has to take the tensor as an argument",
    "trace_beforehand": "what comes before the first call is written in the source",
    "tensor_component": "what a class returns of `__tf_flatten__` is written in the source",
    "tensor_field": "how a class declares its fields is written in the source",
    "python_iterator": "the code reads the iterator that it is given",
    "create_variables_before": "where variables are created is written in the source",
    "create_variables_first": "where variables are created is written in the source",
    "number_in_dataset": "the function has to read the number from a tf.Variable",
    "tensor_in_dataset": "the function has to read the tensor from a tf.Variable",
    "keras_unknown_batch_size": "what `fit` and `evaluate` are given is written in the source",
    "distributed_iterator_once": "where a loop takes its batches from is written in the source",
    "distribute_dataset_once": "what `fit` and `evaluate` are given is written in the source",
    "same_structure": "the code reads the structure that it is given",
    "one_or_several": "what one number stands for, only the author of the code knows",
    "stack_tensor_array": "the code reads the TensorArray that it is given",
    "unused_argument": "whether anything else depends on the value, only the author of the code knows",
    "one_row_splits_dtype": "what is made of a ragged tensor before a call is written in the source",
    "size_in_the_graph": "how the function asks for a size is written in the source",
    "one_rank": "which rank all calls could have, only their author knows",
    "pass_numbers_of_instance": "a function outside of the class has to take the numbers as arguments",
    "pass_tensors_of_instance": "a function outside of the class has to take the tensors as arguments",
    "pass_numbers_of_object": "the function has to take the numbers as arguments",
    "keep_number_in_variable": "where the object has its number from is written in the source",
    "pass_number_of_function": "the function that is passed has to take the numbers as arguments",
    "pass_tensors_of_function": "the function that is passed has to take the tensors as arguments",
    "pass_tensors_of_object": "the function has to take the tensors as arguments",
    "stateless_seed": "which operation is called is written in the source",
    "operation_attribute": "which operation is called is written in the source",
    "decided_in_python": "the function would have to be written otherwise",
    "mend_the_first_call": "why the first call failed is to be mended in the source",
    "mend_the_outer": "it is the other function that is to be changed",
    "keep_instance": _WHERE_MADE,
    "keep_metric": _WHERE_MADE,
    "keep_generator": _WHERE_MADE,
    "keep_model": _WHERE_MADE,
    "call_as_saved": "what was saved is not recorded",
    "python_bool": "what a bool is made of is in the source, before the call",
    "bool_for_none": "whether anything else depends on it, only the author of the code knows",
    "same_keywords": "the lines that leave them out have to pass them",
    "same_type": "which type all calls could have, only their author knows",
    "pad_to_one_shape": _PADDING,
    "shape_buckets": _PADDING,
    "pad_for_xla": _PADDING,
    "few_values_for_xla": "which values the program can do with, only its author knows",
    "keras_predict_once": "which method of the model is called is written in the source",
    "keras_dataset_once": "what `fit` and `evaluate` are given is written in the source",
    "compile_once": "where a model is compiled is written in the source",
    "keras_generator_once": "what a model is given is written in the source",
}
#: Of rules that are applied from outside mostly: said where nothing else in the advice is the reason.
_MOSTLY_APPLIED = {
    "create_function_once": _WHERE_MADE,
    "build_dataset_once": _WHERE_MADE,
    "reduce_in_a_function": "the tf.function has to take what changes as an argument",
    "one_instance": _WHERE_MADE,
    "pass_closed_over_number": "the function has to take the number as an argument",
    "equal_objects": "the class is not one that can be given methods",
    "same_keys": "which value is neutral for a missing key, only the author of the code knows",
    "alike_datasets": "how the datasets could be built alike, only the author of the code knows",
}


def why_by_hand(rule: str, evidence: str = "") -> str:
    """A clause for advice whose `apply` is None. `rule`: as in advice, with several joined by `+`."""
    if evidence == NOT_BY_ITSELF:
        return "it helps only together with another change, which is to be made in the source"
    if HAS_TO_BE_A_TENSOR in evidence:
        return "a Python value that it reads would stay what it was at an earlier trace"
    if HAS_TO_TAKE_TENSORS in evidence:
        return "a tensor that it reads from around it would stay what it was at an earlier trace"
    if HAS_TO_WRITE_A_TENSOR in evidence:
        return "a text that a number is written into would not hold its value"
    if HAS_TO_KEEP_A_NUMBER in evidence:
        return "a number that the code keeps would be a tensor of one graph's"
    if HAS_TO_REPEAT_A_TENSOR in evidence:
        return "a list that is repeated by a number would be multiplied by a tensor"
    if HOLDS_INITIAL_VALUES in evidence:
        return "what is a tf.function is written in the source"
    parts = rule.split("+")
    reasons = dict.fromkeys(_WHY[part] for part in parts if part in _WHY)
    reasons = reasons or dict.fromkeys(_MOSTLY_APPLIED[part] for part in parts if part in _MOSTLY_APPLIED)
    return "; ".join(reasons) or "not all that it is passed can be declared from outside"
