"""Needed, bounded or avoidable: what a trace's own evidence allows to say, and no more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.closure import ARRAY, ClosureChange
from tb_retrace_plugin.explain.held_numbers import closes_over_another_holder, is_another_holder, is_another_range
from tb_retrace_plugin.explain.iterators import has_a_part_more, is_iterator
from tb_retrace_plugin.explain.lengths import ALIKE, OF_A_CLASS, UNLIKE, grows_by_more
from tb_retrace_plugin.explain.value_texts import (
    DTYPE,
    EMPTY,
    MEMBER_NAME,
    NUMBERED_OBJECT,
    are_bools,
    holds_strings,
    is_number,
    is_whole,
    one_type_holds,
)
from tb_retrace_plugin.schema.signature import NOT_PASSED, is_class


@dataclass(unsafe_hash=True, slots=True)
class Verdict:
    """`word`: of `vocabulary.VERDICTS`; `evidence`: one sentence."""

    word: str
    evidence: str


@dataclass(slots=True)
class Facts:
    """What the verdict rests on.

    `same_graph`: whether the closest trace has the same graph and the same captured objects; None: not known.
    `gone`: an object that the closest trace was made for no longer exists.
    `saving`: it was traced for a SavedModel.
    `passed`: path of a function of the same code in place of the closest trace's -> what it closes over otherwise.
    `closure`: of a new function object, what it closes over otherwise than the closest trace's; None: not known.
    `captures_others`: whether its graph captures others than the closest trace's, but for tensors that it closes over;
    `other_nodes`: whether it is another graph, whatever is captured.
    `other_attributes`: whether its graph is of the same operations as the closest trace's, with other attributes.
    `other_tensors`: whether its graph is the same but for tensors that it captures.
    `other_metrics`: whether its graph is the same but for what it captures, and metrics of Keras are all that differs.
    `text_alone`: whether its graph is the same but for constants that are the strings passed.
    `numbers_alone`: whether it is but for constants that are fractions, where an object is passed or closed over that
    may hold some, or for those that are any numbers, where a range is passed.
    `other_size`: whether its graph has another number of nodes than the closest trace's; `more_nodes`: how many more.
    `each_shape`: why unknown dimensions would not do, a clause; "" if they would, as far as is known.
    `near`: there, whether nothing but near sizes (near_shapes.py) tells it from some earlier trace.
    `last_batch`: whether its first dimensions alone differ, smaller than those of all earlier ones, which had one size.
    `recursive`: traces of the function are nested in its own. `creates_variables_late`: TensorFlow refused it for that.
    `wraps`: the new object was made of a tf.function of the same code, and compiles as that one does: "alike";
    otherwise, "otherwise"; tf.data made it, "tf.data"; "": it was not.
    `many_variables`: a variable that differs has been of many shapes and dtypes before.
    `other_functions`: what it closes over of other code than the closest trace's, no earlier one closed over either.
    `same_functions`: of functions that are passed, by path, whether they are of the code of the closest trace's and
    close over the same, where that is known.
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
    gone: bool = False
    passed: dict[str, tuple[ClosureChange, ...]] = field(default_factory=dict)
    closure: tuple[ClosureChange, ...] | None = None
    captures_others: bool = False
    other_attributes: bool = False
    other_nodes: bool = False
    other_size: bool = False
    more_nodes: int = 0
    other_tensors: bool = False
    other_metrics: bool = False
    text_alone: bool = False
    numbers_alone: bool = False
    each_shape: str = ""
    near: bool = False
    last_batch: bool = False
    recursive: bool = False
    creates_variables_late: bool = False
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
    many_variables: bool = False
    other_functions: bool = True
    same_functions: Mapping[str, bool] = field(default_factory=dict)


XLA_COMPILES_EACH_SHAPE = "with `jit_compile=True` XLA compiles for each shape"
UNKNOWN_DIMENSIONS_FAILED = "a trace with unknown dimensions failed"

IN_DIMENSIONS_ALONE = "in its dimensions alone"
LAST_BATCH = "looks like a dataset's last batch"
EACH_NUMBER = "Each value of the Python number"
OTHER_VARIABLES = "The graph captures other variables"
CREATES_VARIABLES_LATE = "It creates variables, which TensorFlow allows in a function's first call only."
SAME_GRAPH_AND_CAPTURES = "The new tf.function object has the same graph and captures as an earlier one."
CLOSES_OVER_THE_SAME = "The new tf.function object closes over the same values as an earlier one."
CAPTURES_OTHERS = (
    "The graph is the same, and captures other variables or tensors: those of another object, say, whose method it is."
    " Whether one object could serve both is not known."
)
CAPTURES_OTHERS_TOO = (
    "It captures other variables or tensors, such as those of a model that was made anew, and its graph is another one,"
    " which may be so in names alone. Whether one object could serve both is not known."
)
MADE_BY_EACH_CALL = "TensorFlow makes this function anew at each call outside a tf.function, and traces it."
MADE_BY_EACH_COMPILE = (
    "Keras makes this function anew when the model is compiled again, or the one that it keeps (`train_function`, say)"
    " is reset. Whether it had to be is not known: another loss, and layers that are frozen or not, need it; another"
    " learning rate does not (`model.optimizer.learning_rate = …`, which also keeps the optimizer's state), nor does"
    " another number that the model reads, if it is a tf.Variable."
)
_OF_ANOTHER_MODEL = (
    "Keras makes this function for each model, and this is another one. One that is built or loaded anew for each call"
    " can be made once and kept; whether it is such a one is not known. Different models need one each."
)
_OF_THE_SAME_WEIGHTS = (
    "Keras makes this function for each model, and this is another one, with the variables of an earlier one. If it is"
    " made of the same layers (`keras.Model(…)` in a loop, or in a function), make it once and keep it. Models with"
    " other outputs need one each, or one model that has them all."
)
_OF_A_MODEL_OR_COMPILE = (
    "Keras makes this function for each model, and anew when a model is compiled again; there was one for this step"
    " before. Whether that one could serve is not known."
)
_RESTORED = (
    "It is a function of a SavedModel that was loaded again, or of another one. If it is the same, load it once and"
    " keep it; whether it is, is not known."
)
_IN_A_PIPELINE_OF_KERAS = (
    "Keras builds an input pipeline of its own in each call of `fit`, `evaluate` or `predict` on what is no"
    " tf.data.Dataset, and this function is a part of it. One call, with all epochs or inputs, builds one; whether that"
    " would do is not known."
)
MADE_BY_EACH_ITERATOR = (
    "TensorFlow makes this function anew for each iterator over a distributed dataset; whether fewer would do is not"
    " known."
)
TENSOR_OF_STRINGS = "and nothing else in it differs: a tensor of strings would do."
TENSOR_OF_NUMBERS = "and nothing else in it differs: a tensor of them would do."
NUMBERS_OF_AN_OBJECT = "passed as tensors of their own, these need no trace."
_FRACTIONS_ALONE = f"its graph is the same but for fractions, such as numbers of that: {NUMBERS_OF_AN_OBJECT}"
OTHER_ATTRIBUTES = "The graph has the same operations with other attributes"
OTHER_TENSORS = (
    "its graph is the same but for tensors that it captures: passed as arguments, in a tuple, a dictionary or a"
    " tf.experimental.ExtensionType, these need no trace"
)
_ANOTHER_METRIC = "is another metric"
_OTHER_METRIC = (
    f"`{{}}` {_ANOTHER_METRIC}, and its graph is the same but for the variables. If it is made anew for each pass over"
    " the data, make it once and call its `reset_state()` before each pass: that needs no trace. Metrics that are kept"
    " side by side need one each."
)
_KERAS_BATCH = (
    "Keras passes `{}` as (x, y) or (x, y, sample_weight): `fit` and `evaluate` as the data has it, `train_on_batch`"
    " and `test_on_batch` always as the latter. Each is traced."
)
_TUPLE = re.compile(r"tuple of \d")
_OF_A_CLASS = (
    "`{}` holds objects of a class that TensorFlow knows by its fields: with others, something else may be computed."
)
_OTHER_VARIABLES = (
    "`{}` holds another number of tensors, and the graph captures other variables: each may have one of its own."
)
_UNROLLED = (
    "`{}` holds another number of tensors of several shapes, and the graph has more that follows from it: what is"
    " unrolled in a loop over them needs a graph for each number. Whether there are few or many is not known."
)
_WIDENED = "reduce_retracing widened `{}`: the new trace serves later shapes too."
NUMBERS_AND_TENSORS = "One object that is passed them, the numbers as tensors, as arguments would do."
MEMBER = "`{}` is a member of an Enum, which has only so many."
EACH_FUNCTION = "There are only so many functions, and each needs a trace of its own."
_WRAPS = {
    "alike": Verdict(
        "avoidable", "The new tf.function object was made of a tf.function of the same code: that one would do."
    ),
    "otherwise": Verdict(
        "unknown", "The new tf.function object was made of a tf.function of the same code, and compiles it otherwise."
    ),
    "tf.data": Verdict(
        "bounded", "`tf.data` makes a function of its own of the tf.function that it is given: each is traced once."
    ),
}
_NO_CAST = "`{}` is of strings or is not: no cast makes the one of the other, and whether one would do is not known."
_NO_DIFFERENCE = "The graph is the same: it makes no difference whether `{}` is the one or the other."
_FAILED = Verdict("avoidable", "The trace failed: this call cannot work as it is.")

_RANK = {"needed": 0, "bounded": 1, "unknown": 2, "avoidable": 3}


def judge(facts: Facts) -> Verdict:
    """A trace can be avoided if each of its changes can: undoing some of them would have traced all the same."""
    if facts.kind == "first":
        if facts.failed:
            return _FAILED
        return Verdict("needed", "Every function is traced once.")
    if facts.kind == "variable_creation":
        if facts.failed:
            return Verdict("avoidable", "The function creates variables on every call; create them outside, once.")
        return Verdict("needed", "TensorFlow traces a function that creates variables twice on its first call.")
    if facts.creates_variables_late:
        return Verdict("avoidable", CREATES_VARIABLES_LATE)
    if facts.saving:
        return Verdict("bounded", "Saving a SavedModel traces each function once more for each signature.")
    if facts.made_by_each_export:
        return Verdict("bounded", "Keras makes this function anew for each export of a model.")
    verdicts = [_judge_change(change, facts) for change in facts.changes]
    if not verdicts:
        return Verdict("unknown", "TensorFlow's cache did not match, and no difference is visible.")
    return min(verdicts, key=lambda verdict: _RANK[verdict.word])


def needs_the_graph(change: Change) -> bool:
    """Whether the verdict depends on whether the graph is another one."""
    if change.cause == "python_value":
        return not is_number(change.new) and not are_bools(change.old, change.new)
    if change.cause == "python_type":
        return not one_type_holds(change.old, change.new)
    if change.cause == "structure":
        return not {"one_number", "string", ALIKE}.isdisjoint(change.parts)
    return change.cause in ("object_identity", "unknown")


def what_stays(facts: Facts) -> list[str]:
    """Paths of what differs and cannot be avoided, as far as is known."""
    return [c.path for c in facts.changes if _judge_change(c, facts).word != "avoidable"]


def _judge_change(change: Change, facts: Facts) -> Verdict:
    path = change.path
    if change.cause in ("shape", "rank", "dtype") and "variable" in change.parts:
        what = "dtype" if change.cause == "dtype" else "shape"
        if facts.many_variables:
            return Verdict("unknown", f"`{path}` is a variable of another {what}; how many there are is not known.")
        return Verdict("bounded", f"`{path}` is a variable of another {what}: there are only so many variables.")
    if change.cause in ("shape", "rank"):
        if facts.failed:
            return _FAILED
        if facts.generalized and change.cause == "shape":
            return Verdict("bounded", _WIDENED.format(path))
        if facts.recursive:  # `if x.shape[0] == 1` would never be so, and the trace never end
            return Verdict("unknown", f"It calls itself; if the shape of `{path}` ends that, it cannot be unknown.")
        if facts.each_shape:
            return _judge_static_shape(change, facts)
        if change.cause == "rank" and facts.other_size:  # it may be asked for
            return Verdict("avoidable", f"`{path}` can be of one rank at every call.")
        return Verdict("avoidable", f"Both shapes of `{path}` fit a signature with unknown dimensions.")
    if change.cause == "dtype":
        if holds_strings(change.old) != holds_strings(change.new):
            return _FAILED if facts.failed else Verdict("unknown", _NO_CAST.format(path))
        return Verdict("avoidable", f"`{path}` can be cast to one dtype before the call.")
    if change.cause in ("object_identity", "python_value", "python_type") and is_iterator(change.new):
        return Verdict("avoidable", f"`{path}` is a Python iterator: tracing uses it up, so each call has another one.")
    if path == "self" and change.cause == "object_identity" and is_class(change.new):
        return Verdict("unknown", "Each class has a tf.function of its own; whether one would do is not known.")
    if path == "self" and change.cause in ("object_identity", "python_type"):
        if facts.same_graph:
            return Verdict("avoidable", "The graph and its captures are those of another instance: one would do.")
        if facts.other_tensors:
            return Verdict("unknown", f"Each instance has a tf.function of its own, and {OTHER_TENSORS}.")
        return Verdict(
            "unknown",
            "Each instance has a tf.function of its own; this one has another graph or captures other objects.",
        )
    if change.cause == "python_value":
        if MEMBER_NAME.fullmatch(change.old) and MEMBER_NAME.fullmatch(change.new):
            return Verdict("bounded", MEMBER.format(path))
        if "bools" in change.parts:
            bools = path.rpartition("[")[0]
            if facts.other_size and all("bools" in c.parts for c in facts.changes):
                return Verdict(
                    "unknown", f"The bools in `{bools}` are others, and may decide what the graph is built of."
                )
            return Verdict("avoidable", f"Each combination of the bools in `{bools}` is traced; a tensor would not be.")
        if are_bools(change.old, change.new):
            return Verdict("bounded", f"`{path}` is a bool: two values, two traces.")
        if facts.recursive and is_number(change.new):
            return Verdict("unknown", f"It calls itself; if `{path}` ends that, it cannot be a tensor.")
        if is_number(change.new) and facts.captures_others:
            return Verdict("unknown", f"{OTHER_VARIABLES}: if `{path}` chooses among them, it cannot be a tensor.")
        if is_whole(change.new) and facts.other_attributes:
            whole = [c for c in facts.changes if c.cause == "python_value" and is_whole(c.new)]
            names = " or ".join(f"`{c.path}`" for c in whole[:3])
            return Verdict("unknown", _other_attributes(names, facts.changes))
        is_bool = [are_bools(text) for text in (change.old, change.new)]
        if any(is_bool) and facts.other_size:  # `if rate:`
            return Verdict("unknown", f"`{path}` is a bool or a number, which may decide what the graph is built of.")
        if is_number(change.new) or (any(is_bool) and is_number(change.old)):
            return Verdict("avoidable", f"{EACH_NUMBER} `{path}` is traced; a tensor would not be.")
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        if facts.text_alone:
            return Verdict("avoidable", f"The graph holds `{path}` as a constant, {TENSOR_OF_STRINGS}")
        if facts.numbers_alone and len(facts.changes) == 1 and is_another_range(change):
            return Verdict("avoidable", f"The graph holds the numbers of `{path}` as constants, {TENSOR_OF_NUMBERS}")
        if facts.numbers_alone and len(facts.changes) == 1 and is_another_holder(change):
            return _held(path)
        return Verdict("unknown", f"Whether `{path}` takes few or many values is not known.")
    if change.cause == "python_type":
        if "None" in (change.old, change.new):
            return Verdict("bounded", f"`{path}` is None or not: two ways, two traces.")
        if NUMBERED_OBJECT.fullmatch(change.old) and NUMBERED_OBJECT.fullmatch(
            change.new
        ):  # a function, then an object that is called
            return _judge_object(change, facts)
        if one_type_holds(change.old, change.new):
            return Verdict("avoidable", f"`{path}` can be of one type at every call.")
        if facts.failed:
            return _FAILED
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        return Verdict(
            "unknown", f"`{path}` is of types of which none can hold the other; whether one would do is not known."
        )
    by_keras = facts.step_of_keras and facts.kind == "retrace"  # of a new object it is told why that was made
    if change.cause == "structure" and by_keras and all(map(_TUPLE.fullmatch, (change.old, change.new))):
        return Verdict("bounded", _KERAS_BATCH.format(path))
    if change.cause == "composite_spec" and by_keras and has_a_part_more(change.old, change.new):
        return Verdict("bounded", _KERAS_BATCH.format(path))
    if change.cause == "structure" and "one_number" in change.parts and not facts.same_graph:
        return Verdict("unknown", f"`{path}` is one Python number or several; whether either would do is not known.")
    if change.cause == "structure" and "numbers" in change.parts and facts.other_size:
        return Verdict("unknown", f"`{path}` holds other Python numbers, which may decide what the graph is built of.")
    if change.cause == "structure" and "variable" in change.parts:
        return Verdict("unknown", f"`{path}` holds variables: with others, something else may be computed.")
    if change.cause == "structure" and "object" in change.parts:
        return Verdict("unknown", f"`{path}` holds Python objects: with others, something else may be computed.")
    if change.cause == "structure" and "field" in change.parts:
        return Verdict("unknown", f"`{path}` is in a class of its own; whether it can have one structure is not known.")
    if change.cause == "structure" and "strings_or_tensor" in change.parts:
        if facts.failed:
            return _FAILED
        return Verdict("avoidable", f"`{path}` is a list of Python strings or a tensor of them: a tensor would do.")
    if change.cause == "structure" and "string" in change.parts:
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        return Verdict("unknown", f"`{path}` holds Python strings: with others, something else may be computed.")
    if change.cause == "structure" and OF_A_CLASS in change.parts:
        return Verdict("unknown", _OF_A_CLASS.format(path))
    if change.cause == "structure" and ALIKE in change.parts and facts.captures_others:
        return Verdict("unknown", _OTHER_VARIABLES.format(path))
    if change.cause == "structure" and UNLIKE in change.parts and grows_by_more(change, facts.more_nodes):
        return Verdict("unknown", _UNROLLED.format(path))
    if change.cause == "structure" and facts.recursive:
        return Verdict("unknown", f"It calls itself; `{path}` may be a part of what it was given.")
    if change.cause == "structure" and (change.old in EMPTY) != (change.new in EMPTY):
        return Verdict("bounded", f"`{path}` is empty or not: one trace more.")
    if change.cause == "structure" and ALIKE in change.parts:
        return Verdict("avoidable", f"`{path}` holds tensors of one shape and dtype, which can be one tensor.")
    if change.cause == "structure":
        return Verdict("avoidable", f"`{path}` can have one structure at every call.")
    if change.cause == "object_identity":
        return _judge_object(change, facts)
    if change.cause == "composite_spec" and change.parts == ("name",):
        return Verdict("bounded", f"`{path}` is a specification with a name: TensorFlow traces for each name.")
    if change.cause == "composite_spec" and facts.generalized and set(change.parts) == {"shape"}:
        return Verdict("bounded", _WIDENED.format(path))
    if change.cause == "composite_spec" and change.parts and set(change.parts) <= {"shape", "rank"}:
        return Verdict("avoidable", f"`{path}` differs {IN_DIMENSIONS_ALONE}, which a signature can leave unknown.")
    if change.cause == "composite_spec" and change.parts and set(change.parts) <= {"shape", "rank", "dtype"}:
        if ("string" in change.old) != ("string" in change.new):
            return Verdict("unknown", _NO_CAST.format(path))
        return Verdict("avoidable", f"`{path}` can be of one dtype, and its dimensions unknown to the signature.")
    if change.cause == "recreated_function":
        return _judge_new_object(facts)
    if change.cause == "variable_identity":
        return Verdict("bounded", f"There are only so many ways in which `{path}` can share variables.")
    if change.cause == "context" and path == "parent_graph" and "none" not in (change.old, change.new):
        return Verdict("unknown", "Another `tf.Graph` is being built; whether one graph could serve is not known.")
    if change.cause == "context":
        return Verdict("bounded", f"TensorFlow traces once per {path.replace('_', ' ')}.")
    return Verdict("unknown", "What was recorded does not tell whether this can be avoided.")


def _judge_static_shape(change: Change, facts: Facts) -> Verdict:
    path, why = change.path, facts.each_shape[0].upper() + facts.each_shape[1:]
    if change.cause == "rank":
        return Verdict("avoidable", f"{why}; `{path}` can be reshaped to one rank before the call.")
    if facts.last_batch:
        old, new = (text.strip("()").partition(",")[0] for text in (change.old, change.new))
        return Verdict(
            "avoidable",
            f"{why}; {new} in place of {old} in the first dimension alone {LAST_BATCH}, which `drop_remainder=True`"
            " leaves out, or padding fills up.",
        )
    if facts.near:
        return Verdict(
            "avoidable", f"{why}; padded to one shape with an earlier call, `{path}` is at most a third padding."
        )
    return Verdict(
        "unknown",
        f"{why}, and that of `{path}` is far from those before. Whether it is meant to have these few, such as sizes to"
        " pad to, or could do with fewer (a dataset's last batch: `drop_remainder=True`), is not known.",
    )


def _judge_object(change: Change, facts: Facts) -> Verdict:
    path = change.path
    if DTYPE.fullmatch(change.old) and DTYPE.fullmatch(change.new):
        return Verdict("bounded", f"`{path}` is a dtype, of which there are only so many.")
    if MEMBER_NAME.fullmatch(change.old) and MEMBER_NAME.fullmatch(change.new):
        return Verdict("bounded", MEMBER.format(path))
    if facts.same_graph:
        same = f"TensorFlow compares `{path}` by identity, and the graph is the same: one object would do."
        if facts.gone:  # a class with `__eq__` is not compared by identity, but what is gone equals nothing
            same = (
                f"TensorFlow holds `{path}` by a weak reference, and the earlier object no longer exists, so nothing"
                " can match its trace; and the graph is the same: one object would do."
            )
        return Verdict("avoidable", same)
    if closure := facts.passed.get(path):
        verb = "reads" if all(c.is_global for c in closure) else "closes over"
        return Verdict(
            "unknown",
            f"`{path}` is a function made anew, which {verb} {_closed_over(closure)}. What is passed as an argument of"
            " its own needs no function made anew.",
        )
    if facts.other_metrics:
        return Verdict("unknown", _OTHER_METRIC.format(path))
    if facts.same_graph is None or len(facts.changes) > 1:
        if facts.same_functions.get(path) is False:
            return Verdict(
                "unknown",
                f"The function that is passed as `{path}` has other code, or closes over other values, than the earlier"
                " one; whether one would do is not known.",
            )
        if facts.same_functions.get(path):  # made anew
            return Verdict("avoidable", f"TensorFlow compares `{path}` by identity; one object would not differ.")
        return Verdict("unknown", f"`{path}` is compared by identity; whether one object would do is not known.")
    if facts.other_tensors:
        return Verdict("unknown", f"`{path}` is another object, and {OTHER_TENSORS}.")
    if facts.numbers_alone and is_another_holder(change):
        return _held(path)
    return Verdict("unknown", f"`{path}` is another object, and the graph is another or captures other objects.")


def _held(path: str) -> Verdict:
    return Verdict("avoidable", f"`{path}` is another object, and {_FRACTIONS_ALONE}")


def _judge_new_object(facts: Facts) -> Verdict:
    if facts.made_by_each_call:
        return Verdict("avoidable", MADE_BY_EACH_CALL)
    if facts.made_by_each_iterator:
        return Verdict("unknown", MADE_BY_EACH_ITERATOR)
    if facts.same_graph and facts.made_by_each_compile:  # an optimizer, say, may have had to be another one
        of_a_model = facts.closure and not any(c.is_function for c in facts.closure)
        why = _OF_THE_SAME_WEIGHTS if of_a_model else MADE_BY_EACH_COMPILE
        return Verdict("unknown", f"The graph and its captures are those of an earlier one. {why}")
    if facts.same_graph:
        return Verdict("avoidable", SAME_GRAPH_AND_CAPTURES)
    if facts.closure is None:
        return Verdict("unknown", "The new tf.function object has another graph or captures other objects.")
    if facts.closure and facts.restored:
        return Verdict("unknown", _RESTORED)
    if facts.closure and facts.made_by_each_compile and not any(c.is_function for c in facts.closure):
        return Verdict("unknown", _OF_THE_SAME_WEIGHTS if facts.same_captures else _OF_ANOTHER_MODEL)
    if facts.closure:
        verb = "reads" if all(c.is_global for c in facts.closure) else "closes over"
        made = f"The new tf.function object {verb} {_closed_over(facts.closure)}"
        if facts.captures_others and all(c.is_number or c.is_tensor for c in facts.closure):
            return Verdict("unknown", f"{made}, and something else that its graph captures is another one too.")
        # an array is a constant of the graph
        is_other = facts.other_size if any(ARRAY in c.new for c in facts.closure) else facts.other_nodes
        if is_other and all(c.is_tensor for c in facts.closure):
            return Verdict("unknown", f"{made}, and its graph is another one too: it reads something else.")
        if facts.other_attributes and all(c.is_number and is_whole(c.new) for c in facts.closure):
            names = " or ".join(f"`{c.name}`" for c in facts.closure[:3])
            return Verdict("unknown", f"{made}. {_other_attributes(names, facts.closure)}")
        if all(c.is_number for c in facts.closure):
            them = "it as a tensor" if len(facts.closure) == 1 else "them as tensors"
            return Verdict("avoidable", f"{made}. One object that is passed {them} would do.")
        if all(c.is_tensor for c in facts.closure):
            tensors = ", ".join(f"another `{c.name}` of {c.new}" for c in facts.closure)
            made = f"The new tf.function object {verb} {tensors}"
            them = "it as an argument" if len(facts.closure) == 1 else "them as arguments"
            return Verdict("avoidable", f"{made}. One object that is passed {them} would do.")
        # a whole number may choose what is built, which other tensors hide
        could_be_passed = all(c.is_tensor or (c.is_number and not is_whole(c.new)) for c in facts.closure)
        if could_be_passed and not (facts.other_size or facts.other_attributes):
            both = [f"`{c.name}`: {c.old} → {c.new}" for c in facts.closure if c.is_number]
            both += [f"another `{c.name}` of {c.new}" for c in facts.closure if c.is_tensor]
            made = f"The new tf.function object {verb} {', '.join(both)}"
            return Verdict("avoidable", f"{made}. {NUMBERS_AND_TENSORS}")
        if all(c.is_function for c in facts.closure):
            functions = ", ".join(f"`{c.name}` is `{c.new}`, was `{c.old}`" for c in facts.closure[:3])
            made = f"The new tf.function object {verb} another function: {functions}"
            if not facts.other_functions and facts.made_by_each_compile:
                return Verdict("unknown", _OF_A_MODEL_OR_COMPILE)
            if not facts.other_functions:
                return Verdict("unknown", f"{made}, as an earlier one did. Whether that one could serve is not known.")
            return Verdict("bounded", f"{made}. {EACH_FUNCTION}")
        if all(are_bools(c.old, c.new) for c in facts.closure):
            return Verdict("bounded", f"{made}. There are but two such objects to make.")
        if facts.in_a_pipeline_of_keras:
            return Verdict("unknown", _IN_A_PIPELINE_OF_KERAS)
        is_all = facts.numbers_alone and len(facts.changes) == 1
        if is_all and all(map(closes_over_another_holder, facts.closure)):
            return Verdict("avoidable", f"{made}, and {_FRACTIONS_ALONE}")
        return Verdict("unknown", f"{made}. Whether one object could serve both is not known.")
    if facts.made_by_each_compile:
        return Verdict("unknown", MADE_BY_EACH_COMPILE)
    if facts.wraps == "tf.data" and all(c.new == NOT_PASSED for c in facts.changes if c.cause != "recreated_function"):
        return _WRAPS["tf.data"]  # its elements leave default values to the function
    if len(facts.changes) > 1 or facts.same_graph is None or facts.narrower:
        return Verdict("avoidable", CLOSES_OVER_THE_SAME)
    if facts.wraps:
        return _WRAPS[facts.wraps]
    if facts.captures_others:
        return Verdict("unknown", CAPTURES_OTHERS_TOO if facts.other_nodes else CAPTURES_OTHERS)
    return Verdict(
        "unknown",
        "The graph is another one; code, arguments and closed-over values are not. What else it reads is not known.",
    )


def says_a_metric_is_another(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return _ANOTHER_METRIC in evidence


def says_each_value_needs_a_graph(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return OTHER_ATTRIBUTES in evidence


def _other_attributes(names: str, changes: Sequence[object]) -> str:
    """`changes`: all that differ; of several, each may have set them."""
    sets = f"{names} sets them, and" if len(changes) == 1 else f"if {names} sets them,"
    return (
        f"{OTHER_ATTRIBUTES}, which no tensor can set: {sets} each value needs a graph. Whether there are few or many"
        " is not known."
    )


def _closed_over(closure: Sequence[ClosureChange]) -> str:
    texts = [f"`{c.name}`: {c.old} → {c.new}" if c.old != c.new else f"another `{c.name}`" for c in closure]
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
