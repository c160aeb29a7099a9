"""What a verdict rests on, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange


@dataclass(unsafe_hash=True, slots=True)
class Verdict:
    """`word`: of `vocabulary.VERDICTS`; `evidence`: one sentence."""

    word: str
    evidence: str


@dataclass(slots=True)
class Facts:
    """What the verdict rests on.

    `same_graph`: whether the closest trace has the same graph and the same captured objects; None: not known.
    `gone`: paths of objects that the closest trace was made for and that no longer exist.
    `own_eq`: paths of objects whose class says by an `__eq__` which are equal.
    `saving`: it was traced for a SavedModel.
    `passed`: path of a function of the same code in place of the closest trace's -> what it closes over otherwise.
    `closure`: of a new function object, what it closes over otherwise than the closest trace's; None: not known.
    `other_variables`: where a key is missing, whether its graph captures variables that the closest trace's does not,
    or fewer.
    `captures_others`: whether its graph captures others than the closest trace's, but for tensors that it closes over;
    `captures_unpassed`: but for those that functions which are passed close over;
    `other_nodes`: whether it is another graph, whatever is captured.
    `other_attributes`: whether its graph is of the same operations as the closest trace's, with other attributes;
    `same_operations`: with the same, and the same operations.
    `asked_in_python`: by path, or name of what it closes over, what a library's code takes numbers for that are others.
    `asked_of_holders`: what is said where it takes one for what lies in an object or a dictionary that is another one,
    or what a function that is passed has of its own, by the path or name of those.
    `other_tensors`: whether its graph is the same but for tensors that it captures; `other_tensors_and_numbers`: but
    for those and constants that are fractions, where objects alone differ that may hold some.
    `other_metrics`: whether its graph is the same but for what it captures, and metrics of Keras are all that differs.
    `variables_alone`: it has the same operations on other variables, and objects are all that differs, as where a model
    is made anew.
    `other_resources`: whether its graph captures a lookup table, a summary writer or the like in place of another.
    `text_alone`: whether its graph is the same but for constants that are the strings passed; `names_alone`: but for
    names of its operations.
    `numbers_alone`: whether it is but for constants that are fractions, where an object is passed or closed over that
    may hold some, or for those that are any numbers, where a range is passed.
    `sizes_alone`: whether its graph is the same, on the same objects, but for sizes of tensors that it takes, where
    objects are others and sizes are. `captures_the_same`: whether it is on the same objects, where objects are others
    that hold no other numbers, as far as is known.
    `passed_numbers_alone`: whether it is but for constants that are the numbers passed, which are others too.
    `held`: numbers that are read of objects that are passed, and are others -> before and now; of functions that are
    passed by a path and a name with a blank between them.
    `hold_the_same`: paths of objects that hold what the closest trace's did, where that is plain values; none where
    a number that is read of the instance is another one.
    `captures_variables`: whether its graph captures variables that the closest trace's does not, or fewer, where an
    object is another one.
    `other_size`: whether its graph has another number of nodes than the closest trace's; `more_nodes`: how many more.
    `each_shape`: why unknown dimensions would not do, a clause; "" if they would, as far as is known.
    `near`: there, whether nothing but near sizes (near_shapes.py) tells it from some earlier trace.
    `last_batch`: whether its first dimensions alone differ, smaller than those of all earlier ones, which had one size.
    `recursive`: traces of the function are nested in its own. `goes_through_trees`: a plain function that it calls
    calls itself, as what goes through nested tuples does. `creates_variables_late`: TensorFlow refused it for that.
    `initial_value_of_a_call`: TensorFlow could not initialize variables apart from the call, as that passes a value.
    `wraps`: the new object was made of a tf.function of the same code, and compiles as that one does: "alike";
    otherwise, "otherwise"; tf.data made it, "tf.data"; "": it was not.
    `in_a_dataset`: tf.data made it, and not for Keras, and passes it elements.
    `other_lines`: there, that other lines have built its dataset than all earlier ones; `other_data`: that it is made
    of other data than those that the same lines have built.
    `wider`: there, that it serves what the trace before it, of the same call, serves, and more.
    `many_variables`: a variable that differs has been of many shapes and dtypes before; `gone_variables`: those that
    the closest trace was made for no longer exist.
    `other_functions`: what it closes over of other code than the closest trace's, no earlier one closed over either.
    `same_functions`: of functions that are passed, by path, whether they are of the code of the closest trace's and
    close over the same, where that is known.
    `functions_of_other_code`: paths of those that are passed in place of such of other code; none that is nearer was.
    `narrower`: the closest trace serves more than it was traced for.
    `step_of_keras`: Keras made it around a model's step, and passes its batches.
    `made_by_each_compile`: Keras makes it when a model that was compiled, or compiled again, is first used.
    `same_captures`: whether its graph captures what the closest trace's does, and that is something.
    `restored`: it is of a SavedModel that was loaded.
    `in_a_pipeline_of_keras`: Keras makes it in a call of a model on what is no dataset.
    `made_by_each_export`: Keras makes it when it exports a model.
    `made_by_each_iterator`: TensorFlow makes it for an iterator over a distributed dataset.
    `made_by_each_call`: TensorFlow makes a tf.function of it at each call outside of one, as `tf.vectorized_map` does.
    """

    kind: str
    changes: tuple[Change, ...] = ()
    failed: bool = False
    generalized: bool = False
    same_graph: bool | None = None
    saving: bool = False
    gone: frozenset[str] = frozenset()
    own_eq: frozenset[str] = frozenset()
    passed: dict[str, tuple[ClosureChange, ...]] = field(default_factory=dict)
    closure: tuple[ClosureChange, ...] | None = None
    captures_others: bool = False
    captures_unpassed: bool = False
    other_variables: bool = False
    other_attributes: bool = False
    same_operations: bool = False
    other_nodes: bool = False
    asked_in_python: Mapping[str, str] = field(default_factory=dict)
    asked_of_holders: Mapping[str, str] = field(default_factory=dict)
    other_size: bool = False
    more_nodes: int = 0
    other_tensors: bool = False
    other_tensors_and_numbers: bool = False
    other_metrics: bool = False
    variables_alone: bool = False
    other_resources: bool = False
    text_alone: bool = False
    names_alone: bool = False
    captures_variables: bool = False
    numbers_alone: bool = False
    sizes_alone: bool = False
    captures_the_same: bool = False
    passed_numbers_alone: bool = False
    held: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    each_shape: str = ""
    near: bool = False
    last_batch: bool = False
    recursive: bool = False
    goes_through_trees: bool = False
    creates_variables_late: bool = False
    initial_value_of_a_call: bool = False
    made_by_each_call: bool = False
    made_by_each_compile: bool = False
    step_of_keras: bool = False
    same_captures: bool = False
    in_a_pipeline_of_keras: bool = False
    restored: bool = False
    made_by_each_export: bool = False
    made_by_each_iterator: bool = False
    wraps: str = ""
    narrower: bool = False
    in_a_dataset: bool = False
    wider: bool = False
    other_lines: bool = False
    other_data: bool = False
    many_variables: bool = False
    gone_variables: bool = False
    other_functions: bool = True
    same_functions: Mapping[str, bool] = field(default_factory=dict)
    functions_of_other_code: frozenset[str] = frozenset()
    hold_the_same: frozenset[str] = frozenset()
