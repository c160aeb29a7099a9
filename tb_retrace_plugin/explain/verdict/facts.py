"""What a verdict rests on, and what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.earlier_traces.compiled import Recompiled


@dataclass(unsafe_hash=True, slots=True)
class Verdict:
    """`word`: of `vocabulary.VERDICTS`; `evidence`: one sentence."""

    word: str
    evidence: str


FAILED = Verdict("avoidable", "The trace failed: this call cannot work as it is.")


@dataclass
class _Traced:
    """The trace, what it differs in from the closest one, and what is known of the function.

    `generalized`: TensorFlow has widened what it was called with. `reduce_retracing`: it was asked to do so.
    `recursive`: traces of the function are nested in its own. `goes_through_trees`: its parameters of
    which a part may be passed to a plain function that calls itself, as what goes through nested tuples does.
    `creates_variables_late`: TensorFlow refused it for that. `initial_value_of_a_call`: TensorFlow could not initialize
    variables apart from the call, as that passes a value. `drawn`: what the code draws or counts while it is traced.
    """

    kind: str
    changes: tuple[Change, ...] = ()
    failed: bool = False
    generalized: bool = False
    reduce_retracing: bool = False
    recursive: bool = False
    goes_through_trees: Collection[str] = ()
    creates_variables_late: bool = False
    initial_value_of_a_call: bool = False
    drawn: tuple[str, ...] = ()


@dataclass
class _Graph:
    """What its graph has otherwise than that of the closest trace.

    `same_graph`: whether that has the same graph and the same captured objects; None: not known.
    `other_nodes`: whether it is another graph, whatever is captured. `other_size`: whether it has another number of
    nodes; `more_nodes`: how many more. `other_attributes`: whether it is of the same operations, with other attributes;
    `same_operations`: with the same, and the same operations; `other_operations`: other ones, as far as is known.

    What it captures. `same_captures`: what the other does, and that is something. `captures_the_same`: the same, where
    objects are others that hold no other numbers, as far as is known. `captures_others`: others, but for
    tensors that it closes over; `captures_unpassed`: but for those that functions which are passed close over.
    `captures_variables`: variables that the other does not, or fewer, where an object is another one;
    `other_variables`: the same, where a key is missing. `other_resources`: a lookup table, a summary writer or the like
    in place of another.

    Whether it is the same but for something. `other_tensors`: tensors that it captures; `other_tensors_and_numbers`:
    those and constants that are fractions, where objects alone differ that may hold some. `other_metrics`: what it
    captures, and metrics of Keras are all that differs. `variables_alone`: the same operations on other variables, and
    objects are all that differs, as where a model is made anew; `metrics_beside`: these are metrics of Keras, and
    numbers or sizes differ, too. `tensors_beside`: beside other variables it captures other tensors. `variables_fit`:
    of other variables that it captures, whether an earlier graph of as many nodes has captured such of the same dtypes
    and shapes; False: none of any size has; None: not known, or none are others. `other_models`: all of its variables
    are others, of other dtypes or shapes, than those that the closest trace's graph captures. `text_alone`: constants
    that are the strings passed; `names_alone`: names of its operations; `beside_numbers`: it is the one or the other,
    and constants that are the numbers passed, which are others too. `numbers_alone`: constants that are fractions,
    where
    an object is passed or closed over that may hold some, or those that are any numbers, where a range is passed.
    `passed_numbers_alone`: constants that are the numbers passed, which are others too. `sizes_alone`: sizes of tensors
    that it takes, on the same objects, where objects are others and sizes are.
    """

    same_graph: bool | None = None
    other_nodes: bool = False
    other_size: bool = False
    more_nodes: int = 0
    other_attributes: bool = False
    same_operations: bool = False
    other_operations: bool = False
    same_captures: bool = False
    captures_the_same: bool = False
    captures_others: bool = False
    captures_unpassed: bool = False
    captures_variables: bool = False
    other_variables: bool = False
    other_resources: bool = False
    other_tensors: bool = False
    other_tensors_and_numbers: bool = False
    other_metrics: bool = False
    metrics_beside: bool = False
    variables_alone: bool = False
    variables_fit: bool | None = None
    other_models: bool = False
    tensors_beside: bool = False
    text_alone: bool = False
    names_alone: bool = False
    beside_numbers: bool = False
    numbers_alone: bool = False
    passed_numbers_alone: bool = False
    sizes_alone: bool = False


@dataclass
class _Passed:
    """What is passed otherwise than to the closest trace.

    `gone`: paths of objects that the closest trace was made for and that no longer exist.
    `own_eq`: paths of objects whose class says by an `__eq__` which are equal.
    `passed`: path of a function of the same code in place of the closest trace's -> what it closes over otherwise.
    `same_functions`: of functions that are passed, by path, whether they are of the code of the closest trace's and
    close over the same, where that is known.
    `functions_of_other_code`: paths of those that are passed in place of such of other code; none that is nearer was.
    `held`: numbers that are read of objects that are passed, and are others -> before and now; of functions that are
    passed by a path and a name with a blank between them.
    `read_otherwise`: by name, all that a new function object, or a method of another instance, reads of Python
    otherwise -> before and now, "" where it is not read; None: not known.
    `made_again`: names of Keras models that a new function object closes over in place of such of the same layers.
    `own_tensors`: by which names a method reads of its instance what its graph captures in place of others, all of it.
    `flags`: bools and texts that a method reads of its own object, and are others -> before and now.
    `hold_the_same`: paths of objects that hold what the closest trace's did, where that is plain values; none where
    a number that is read of the instance is another one. `hold_others`: of those that hold other plain values.
    `asked_in_python`: by path, or name of what it closes over, what a library's code takes numbers for that are others.
    `asked_ranks`: by path of a tensor of another rank, how the code asks for that in Python, as code; `asked_dtypes`:
    the same of another dtype.
    `decided_in_python`: by path of a number that is another one, what Python decides by it, as code.
    `chosen_in_python`: by path, or name of what it closes over, of a string or a number that is another one, how the
    code chooses by it among what is written, or kept, there, as code, where it does nothing else with it.
    `asked_of_holders`: what is said where it takes one for what lies in an object or a dictionary that is another one,
    or what a function that is passed has of its own, by the path or name of those.
    `kept_objects`: by path of an object that is another one, how the program keeps it beside others, as code; "self" is
    also the model whose function Keras makes, "()" the tf.function itself.
    `made_for_each_call`: by path of such an argument, the code that makes another one for each call;
    `made_for_each_run`: the code that makes all such, or all that it closes over, alike for each run of several.
    `unread`: parameters that nothing in the code reads.
    """

    gone: frozenset[str] = frozenset()
    own_eq: frozenset[str] = frozenset()
    passed: Mapping[str, tuple[ClosureChange, ...]] = field(default_factory=dict)
    same_functions: Mapping[str, bool] = field(default_factory=dict)
    functions_of_other_code: frozenset[str] = frozenset()
    held: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    read_otherwise: Mapping[str, tuple[str, str]] | None = None
    made_again: tuple[str, ...] = ()
    own_tensors: tuple[str, ...] = ()
    flags: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    hold_the_same: frozenset[str] = frozenset()
    hold_others: frozenset[str] = frozenset()
    asked_in_python: Mapping[str, str] = field(default_factory=dict)
    asked_ranks: Mapping[str, str] = field(default_factory=dict)
    asked_dtypes: Mapping[str, str] = field(default_factory=dict)
    decided_in_python: Mapping[str, str] = field(default_factory=dict)
    chosen_in_python: Mapping[str, str] = field(default_factory=dict)
    kept_objects: Mapping[str, str] = field(default_factory=dict)
    made_for_each_call: Mapping[str, str] = field(default_factory=dict)
    made_for_each_run: str = ""
    asked_of_holders: Mapping[str, str] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()


@dataclass
class _Sizes:
    """Sizes of what is passed, beside those of earlier traces.

    `each_shape`: why unknown dimensions would not do, a clause; "" if they would, as far as is known.
    `near`: whether nothing but near sizes (near_shapes.py) tells it from some earlier trace.
    `last_batch`: whether its first dimensions alone differ, smaller than those of all earlier ones, which had one size.
    `many_variables`: a variable that differs has been of many shapes and dtypes before; `gone_variables`: those that
    the closest trace was made for no longer exist.
    """

    each_shape: str = ""
    near: bool = False
    last_batch: bool = False
    many_variables: bool = False
    gone_variables: bool = False


@dataclass
class _Maker:
    """Who makes the function object, of what.

    `closure`: of a new function object, what it closes over otherwise than the closest trace's; None: not known.
    `other_functions`: what it closes over of other code than the closest trace's, no earlier one closed over either.
    `other_classes`: the same of objects, by their classes.
    `wraps`: it was made of a tf.function of the same code, and compiles as that one does: "alike"; otherwise,
    "otherwise"; "": it was not. `wider`: there, that it serves what the trace before it, of
    the same call, serves, and more. `narrower`: the closest trace serves more than it was traced for.
    `in_a_dataset`: tf.data made it, and not for Keras, and passes it elements. `other_lines`: there, that other lines
    have built its dataset than all earlier ones; `other_data`: that it is made of other data than those that the same
    lines have built; `kept_beside`: as the function of that name has it, of those.
    `saving`: it was traced for a SavedModel; `restored`: it is of one that was loaded.
    `step_of_keras`: Keras made it around a model's step, and passes its batches. `made_by_each_compile`: Keras makes it
    when a model that was compiled, or compiled again, is first used; `recompiled`: for what that needs a graph, as no
    earlier function of that step did; `compiled_alike`: with the same, but for a number as learning rate,
    and it reads nothing otherwise; `step_within`: the evidence of the verdict on a step that it was traced around;
    `made_by_each_export`: when it
    exports a model;
    `in_a_pipeline_of_keras`: in a call of a model on what is no dataset; `other_calls`: there, that other calls than
    this one made all earlier ones; `other_methods`: and calls of other methods those with its graph; `of_arrays`:
    there, of arrays; `generated`: there, of a generator or a PyDataset: "elsewhere", if other calls made the earlier
    ones, "again", if the same calls have made one of the same elements.
    `of_a_layer`: it is called `call`, as what Keras calls of a layer is.
    `made_by_each_iterator`: TensorFlow makes it for an iterator over a distributed dataset, "again", if the same lines
    have iterated over the same data for the same device, "elsewhere", if not, "keras", if Keras does, or "unknown";
    `of_a_loop`: of a loop or a condition of the function that is traced around it; `made_by_each_call`: at each call
    outside of a tf.function, as `tf.vectorized_map` does; `stands_in`: in place of one whose first call failed.
    `compiled_otherwise`: XLA compiles it, and none of the earlier ones, or all of those; `widened_otherwise`: the same
    of `reduce_retracing`.
    """

    closure: tuple[ClosureChange, ...] | None = None
    other_functions: bool = True
    other_classes: bool = True
    wraps: str = ""
    wider: bool = False
    narrower: bool = False
    in_a_dataset: bool = False
    other_lines: bool = False
    other_data: bool = False
    kept_beside: str = ""
    saving: bool = False
    restored: bool = False
    step_of_keras: bool = False
    made_by_each_compile: bool = False
    recompiled: Recompiled | None = None
    compiled_alike: bool = False
    step_within: str = ""
    made_by_each_export: bool = False
    in_a_pipeline_of_keras: bool = False
    other_calls: bool = False
    other_methods: bool = False
    of_arrays: bool = False
    generated: str = ""
    of_a_layer: bool = False
    made_by_each_iterator: str = ""
    of_a_loop: bool = False
    made_by_each_call: bool = False
    stands_in: bool = False
    compiled_otherwise: bool = False
    widened_otherwise: bool = False


@dataclass
class Facts(_Maker, _Sizes, _Passed, _Graph, _Traced):
    """What the verdict rests on."""

    if not TYPE_CHECKING:  # one that is generated sets a hundred fields one by one, nearly all as they are by default

        def __init__(self, kind: str, changes: tuple[Change, ...] = (), **others: Any) -> None:
            self.__dict__.update(_BY_DEFAULT)
            self.__dict__.update(others, kind=kind, changes=changes)


_NOTHING: Mapping[str, Any] = MappingProxyType({})  # all share it: it cannot be changed
_BY_DEFAULT = {one.name: _NOTHING if one.default is MISSING else one.default for one in fields(Facts)}
