"""Which rules there are, and what each kind of them is tried for."""

from __future__ import annotations

from collections.abc import Callable

from tb_retrace_plugin.explain.advice.datasets import (
    alike_datasets,
    dataset_once,
    dataset_reduce,
    distributed_batches,
    distributed_datasets,
    distributed_iterators,
    library_datasets,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.keras import (
    compiled_model,
    compiled_once,
    keras_batch_sizes,
    keras_generators,
    keras_on_batch,
    keras_pipeline,
)
from tb_retrace_plugin.explain.advice.made_anew import (
    closed_over_number,
    closed_over_tensor,
    create_once,
    kept_instance,
    library_objects,
    numbers_in_variables,
    numbers_of_functions,
    numbers_of_objects,
    one_instance,
    tensors_of_functions,
    tensors_of_objects,
    variables_outside,
    vectorized,
)
from tb_retrace_plugin.explain.advice.objects import (
    equal_objects,
    kept_generator,
    kept_keras_model,
    kept_method,
    kept_metric,
    kept_model,
    made_once,
    python_iterator,
    same_object,
)
from tb_retrace_plugin.explain.advice.python_values import (
    bool_or_none,
    bool_or_number,
    bool_or_tensor,
    decided_in_python,
    of_a_called_library,
    of_a_loaded_function,
    one_dtype,
    operation_attribute,
    row_splits,
    same_type,
    stateless_seed,
    strategy_numbers,
    tensor_component,
    tensor_field,
    tensor_for_number,
    tensor_for_range,
    tensor_for_sequence,
    tensor_for_string,
    unused_argument,
)
from tb_retrace_plugin.explain.advice.shapes import (
    one_rank,
    shape_buckets,
    shapes,
    shapes_of_libraries,
    strategy_shapes,
    traced_beforehand,
    widened_and_failed,
)
from tb_retrace_plugin.explain.advice.structures import (
    left_out_keywords,
    one_or_several,
    same_keys,
    same_structure,
    stacked_array,
)

Rule = Callable[[FunctionFacts], Fix | None]
#: Changes to calls, classes, or where things are made.
RULES: tuple[Rule, ...] = (
    create_once.propose,
    dataset_once.propose,
    dataset_reduce.propose,
    closed_over_number.propose,
    closed_over_tensor.propose,
    numbers_in_variables.propose,
    one_instance.propose,
    variables_outside.propose,
    equal_objects.propose,
    same_object.propose,
    same_object.propose_beside_numbers,
    same_object.propose_named,
    kept_method.propose,
    numbers_of_functions.propose,
    numbers_of_functions.propose_closed_over,
    numbers_of_objects.propose,
    numbers_of_objects.propose_closed_over,
    tensors_of_objects.propose,
    tensors_of_objects.propose_closed_over,
    tensors_of_functions.propose,
    unused_argument.propose,
    tensor_for_number.propose,
    tensor_field.propose,
    tensor_component.propose,
    tensor_for_sequence.propose,
    tensor_for_range.propose,
    tensor_for_string.propose,
    bool_or_tensor.propose_tensor,
    bool_or_number.propose,
    bool_or_none.propose,
    one_dtype.propose,
    row_splits.propose,
    same_keys.propose,
    alike_datasets.propose,
)
#: Of these one is enough: they are tried one by one.
SHAPE_RULES: tuple[Rule, ...] = (
    distributed_batches.propose,
    shapes.propose_reduce_retracing,
    shape_buckets.propose,
    shapes.propose_one_shape,
)
#: What cannot be replayed.
UNTRIED: tuple[Rule, ...] = (
    variables_outside.propose_before,
    kept_instance.propose,
    python_iterator.propose,
    same_object.propose_dimensions,
    same_object.propose_what_is_read,
    same_keys.propose_unknown,
    left_out_keywords.propose,
    same_structure.propose,
    one_or_several.propose,
    stacked_array.propose,
    bool_or_tensor.propose_python,
    tensor_for_string.propose_what_is_asked,
    same_type.propose,
    stateless_seed.propose,
    operation_attribute.propose,
    decided_in_python.propose,
    kept_metric.propose,
    kept_generator.propose,
    kept_model.propose,
    one_rank.propose,
    distributed_batches.propose_whole_batches,
    widened_and_failed.propose,
)
#: Of verdicts that are not known, too.
UNKNOWN: tuple[Rule, ...] = (
    operation_attribute.propose,
    decided_in_python.propose,
    kept_metric.propose,
    kept_generator.propose,
    kept_model.propose,
)
#: For functions of libraries, of verdicts that are not known.
UNKNOWN_OF_LIBRARIES: tuple[Rule, ...] = (
    kept_keras_model.propose,
    made_once.propose_loaded,
    made_once.propose_of_the_same_layers,
)
#: For functions of libraries.
LIBRARY: tuple[Rule, ...] = (
    keras_pipeline.propose,
    keras_pipeline.propose_beside,
    keras_generators.propose,
    keras_batch_sizes.propose,
    variables_outside.propose_in_keras,
    keras_on_batch.propose_dtype,
    keras_on_batch.propose_keys,
    keras_on_batch.propose_one_method,
    compiled_once.propose,
    kept_keras_model.propose,
    made_once.propose_loaded,
    made_once.propose_of_the_same_layers,
    library_datasets.propose,
    distributed_datasets.propose,
    distributed_iterators.propose,
    library_objects.propose_declared,
    library_objects.propose,
    traced_beforehand.propose_loaded,
    of_a_loaded_function.propose_numbers,
    of_a_loaded_function.propose_strings,
    of_a_loaded_function.propose_what_was_saved,
    of_a_called_library.propose,
    shapes_of_libraries.propose,
    strategy_numbers.propose,
    strategy_shapes.propose_signature,
    strategy_shapes.propose_reduce,
    strategy_shapes.propose_each,
    compiled_model.propose_signature,
    compiled_model.propose_beforehand,
    compiled_model.propose_reduce,
    vectorized.propose,
    vectorized.propose_forward,
)
