"""Needed, bounded or avoidable: what a trace's own evidence allows to say, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import OF_STRINGS, OTHER_SEQUENCE, Change, is_a_flag
from tb_retrace_plugin.explain.differences.iterators import has_a_part_more, is_iterator
from tb_retrace_plugin.explain.differences.lengths import (
    ALIKE,
    OF_A_CLASS,
    UNLIKE,
    grows_by_more,
    is_of_longer_lists,
)
from tb_retrace_plugin.explain.differences.metadata_numbers import differs_in_numbers, is_of_metadata
from tb_retrace_plugin.explain.differences.number_holders import are_of_two_classes, is_another_holder, is_another_range
from tb_retrace_plugin.explain.differences.tensor_arrays import is_tensor_array
from tb_retrace_plugin.explain.differences.value_texts import (
    EMPTY,
    MEMBER_NAME,
    NUMBERED_OBJECT,
    are_bools,
    holds_strings,
    is_bool_or_numbers,
    is_number,
    is_whole,
    one_type_holds,
)
from tb_retrace_plugin.explain.verdict.composites import told_of_composites, told_of_variables, told_of_widened
from tb_retrace_plugin.explain.verdict.evidence import (
    A_BOOL_WOULD_DO,
    ALIKE_VARIABLES,
    AN_OBJECT_OR_A_FUNCTION,
    CHOSEN,
    CLOSES_OVER_THE_SAME,
    CREATES_VARIABLES_EACH_TIME,
    CREATES_VARIABLES_LATE,
    EACH_NUMBER,
    HOLDS_OTHERS,
    HOLDS_OTHERS_BESIDE,
    IN_DIMENSIONS_ALONE,
    IS_GONE,
    MEMBER,
    NAMES_ALONE,
    NAMES_BESIDE_NUMBERS,
    NO_TRACE,
    NONE_OR_A_BOOL,
    NUMBERS_OF_AN_OBJECT,
    OF_ANOTHER_INSTANCE,
    OF_TWO_CLASSES,
    ONE_OBJECT_FOR_BOTH,
    OTHER_METADATA,
    OTHER_TENSORS,
    OTHER_VARIABLES,
    STANDS_IN,
    TENSOR_OF_NUMBERS,
    TENSOR_OF_STRINGS,
    TENSOR_OF_STRINGS_BESIDE_NUMBERS,
    TENSORS_BESIDE,
    TENSORS_OF_A_FUNCTION,
    TRACED_TWICE,
    made_for_each_call,
    other_attributes,
    says_variables_of_objects_differ,
    told_of_asked,
    told_of_decided,
)
from tb_retrace_plugin.explain.verdict.facts import FAILED, Facts, Verdict
from tb_retrace_plugin.explain.verdict.keras_models import KERAS_PREDICT, is_another_in_a_tuple
from tb_retrace_plugin.explain.verdict.new_objects import judge_new_object
from tb_retrace_plugin.explain.verdict.objects import differ_in_fractions, held, judge_object, of_an_instance
from tb_retrace_plugin.explain.verdict.sizes import judge_sizes, judge_variable
from tb_retrace_plugin.schema.signature import DELETED, NOT_PASSED, is_class, parameter_of

_KERAS_BATCH = (
    "Keras passes `{}` as (x, y) or (x, y, sample_weight): `fit` and `evaluate` as the data has it, `train_on_batch`"
    " and `test_on_batch` always as the latter. Each is traced."
)
_KERAS_EXECUTION = (
    "Keras passes `{}`, the batches of one execution, as a list: as many as `steps_per_execution`, and in the last"
    " execution of a pass what is left. Each number of them is traced."
)
_ALIKE = Verdict("avoidable", CLOSES_OVER_THE_SAME)
#: Ends the evidence of an object that is another one for what it holds: one kept as it is would not do.
_OF_AN_OBJECT = NUMBERS_OF_AN_OBJECT, TENSORS_OF_A_FUNCTION
_TUPLE = re.compile(r"tuple of \d")
_LIST = re.compile(r"list of \d+")
_OF_A_CLASS = (
    "`{}` holds objects of a class that TensorFlow knows by its fields: with others, something else may be computed."
)
_OTHER_VARIABLES = (
    "`{}` holds another number of tensors, and the graph captures other variables: each may have one of its own."
)
#: In a text that Python makes of an object which has none of its own.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_KEY_OF_AN_ADDRESS = "The key of `{}` holds an object's address in memory: one that names what it is can be the same."
_VARIABLES_OF_A_KEY = (
    "`{}` is there in some calls only, and the graph captures other variables: what those calls have of their own, such"
    " as a model for each key, which no value for it leaves out. Whether all calls can have it is not known."
)
_UNROLLED = (
    "`{}` holds another number of tensors of several shapes, and the graph has more that follows from it: what is"
    " unrolled in a loop over them needs a graph for each number. Whether there are few or many is not known."
)
_TREE = (
    "It calls a function that calls itself: if that goes through `{}`, as through a tree, each structure needs a graph."
    " One for all needs the tree in tensors: the values, and for each which are its children, which a loop of the graph"
    " goes through."
)
_LEAF_OF_A_TREE = (
    "It calls a function that calls itself: if that goes through a tree and asks of what type `{}` is, it cannot be a"
    " tensor as it is. Whether one would do is not known."
)
_NO_CAST = (
    "`{}` is of strings in some calls and not in others: no cast makes one of the other, and whether one would do is"
    " not known."
)
_ASKED_DTYPE = (
    "`{}` is of strings in some calls and not in others, and the code asks for that in Python (`{}`): two ways, two"
    " traces."
)
#: Dtypes that say what they refer to; no tensor's.
_HANDLES = ("resource", "variant")
_OF_ANOTHER_RESOURCE = (
    "`{}` is the handle of what has another dtype or shape, such as a variable: no cast makes one of the other, and"
    " whether one would do is not known."
)
_NO_DIFFERENCE = "The graph is the same: it makes no difference whether `{}` is the one or the other."
_BUT_FOR_NUMBERS = (
    "The graph is the same but for numbers that are passed: it makes no difference whether `{}` is the one or the"
    " other."
)
_OTHER_SEQUENCE = "The graph is the same: `{}` is a list or a tuple, and either would do for what it holds."
_INITIAL_VALUE_OF_A_CALL = (
    "The initial value of a variable depends on an argument, or in a distribution strategy on that of another replica:"
    " TensorFlow cannot compute it apart from the call, and decides in the graph whether it is initialized. Whether one"
    " that does not depend on it, or a variable that is made before the first call, would do is not known."
)
#: What Keras passes for `**kwargs` where it is none.
_NO_OPTIONS = {"{}", NOT_PASSED}
_OPTIONS_OF_A_LAYER = (
    "Keras passes `{}` as an empty dictionary where it finds out what the layer gives, and not where it calls it: one"
    " trace more."
)
_TENSOR_ARRAY = (
    "is a tf.TensorArray: TensorFlow traces for each one, whatever it holds. The tensor that its `stack()` gives needs"
    " no trace but for another shape."
)
_NOT_HELD = (
    "The trace failed, and nothing holds the instance: TensorFlow does so by a weak reference alone, and `self` is None"
    " in it. One that is kept in a variable is there."
)
_RANK = {"needed": 0, "bounded": 1, "unknown": 2, "avoidable": 3}


def judge(facts: Facts) -> Verdict:
    """A trace can be avoided if each of its changes can: undoing some of them would have traced all the same."""
    if facts.stands_in:
        return Verdict("avoidable", STANDS_IN)
    if facts.kind == "first":
        if facts.failed:
            return FAILED
        return Verdict("needed", "Every function is traced once.")
    if facts.kind == "variable_creation":
        if facts.failed:
            if facts.initial_value_of_a_call:
                return Verdict("unknown", _INITIAL_VALUE_OF_A_CALL)
            return Verdict("avoidable", CREATES_VARIABLES_EACH_TIME) if facts.creates_variables_late else FAILED
        if facts.creates_variables_late:
            return Verdict("avoidable", CREATES_VARIABLES_LATE)
        return Verdict("needed", TRACED_TWICE)
    if facts.creates_variables_late:
        return Verdict("avoidable", CREATES_VARIABLES_LATE)
    if facts.saving:
        return Verdict("bounded", "Saving a SavedModel traces each function once more for each signature.")
    if facts.made_by_each_export:
        return Verdict("bounded", "Keras makes this function anew for each export of a model.")
    verdicts = [_judge_change(change, facts) for change in facts.changes]
    if not verdicts:
        return Verdict("unknown", "TensorFlow's cache did not match, and no difference is visible.")
    worst = min(verdicts, key=_order) if len(verdicts) > 1 else verdicts[0]
    if "()" in facts.kept_objects and any(change.cause == "structure" for change in facts.changes):
        made = (v for c, v in zip(facts.changes, verdicts, strict=True) if c.cause == "recreated_function")
        worst = next(made, worst)
    if worst.word == "bounded" and _is_made_anew_alike(facts, verdicts):
        worst = Verdict("bounded", f"{worst.evidence} {ONE_OBJECT_FOR_BOTH}")
    if facts.hold_others and HOLDS_OTHERS not in worst.evidence:
        worst = _beside_what_they_hold(worst, sorted(facts.hold_others - {"self"}), facts)
    if ALIKE_VARIABLES in worst.evidence:
        worst = Verdict(worst.word, worst.evidence.replace(NO_TRACE, _but_for_what_else_differs(facts.changes)))
    if facts.tensors_beside and says_variables_of_objects_differ(worst.evidence):
        worst = Verdict(worst.word, f"{worst.evidence} {TENSORS_BESIDE}")
    return FAILED if facts.failed and worst.word != "avoidable" else worst


def _beside_what_they_hold(worst: Verdict, others: Sequence[str], facts: Facts) -> Verdict:
    names = " and ".join(f"`{path}`" for path in others)
    if others and facts.same_graph:  # no methods make these equal
        return Verdict(worst.word, f"The graph is the same for another {names}, {HOLDS_OTHERS}. {worst.evidence}")
    if others and worst.word == "avoidable" and not any(f"`{path}" in worst.evidence for path in others):
        return Verdict(worst.word, f"{HOLDS_OTHERS_BESIDE.format(names)} {worst.evidence}")
    return worst


def _but_for_what_else_differs(changes: Sequence[Change]) -> str:
    """One object for all leaves what is passed beside it as it is."""
    others = [f"`{c.path}`" for c in changes if c.cause not in ("object_identity", "recreated_function")]
    more = [f"{len(others) - 2} more"] if len(others) > 3 else others[2:]
    return f"{NO_TRACE[:-1]} but one for {' or '.join([*others[:2], *more])}." if others else NO_TRACE


def _is_made_anew_alike(facts: Facts, verdicts: Sequence[Verdict]) -> bool:
    """Whether it is another function object of the same, beside what an argument needs a trace for."""
    made = [v for c, v in zip(facts.changes, verdicts, strict=True) if c.cause == "recreated_function"]
    return made == [_ALIKE] and not facts.in_a_dataset and all(change.path != "self" for change in facts.changes)


def _order(verdict: Verdict) -> tuple[int, bool, bool]:
    """Of those that can be avoided an object's comes first: others' evidence is of what they are by themselves. Of what
    is not known, what is told of the graph: that an object is gone tells nothing of whether one would do."""
    is_told = IS_GONE if verdict.word == "avoidable" else ALIKE_VARIABLES
    of_an_object = verdict.evidence.endswith(_OF_AN_OBJECT) or bool(made_for_each_call(verdict.evidence))
    return _RANK[verdict.word], not of_an_object, is_told not in verdict.evidence


def needs_the_graph(change: Change) -> bool:
    """Whether the verdict depends on whether the graph is another one."""
    if change.cause == "python_value":
        return not is_number(change.new) and not are_bools(change.old, change.new)
    if change.cause == "python_type":
        return not one_type_holds(change.old, change.new) or is_bool_or_numbers(change.old, change.new)
    if change.cause == "structure":
        return (
            change.is_of_a_key
            or is_a_flag(change)
            or not {"one_number", "string", ALIKE, OTHER_SEQUENCE}.isdisjoint(change.parts)
        )
    return change.cause in ("object_identity", "unknown") or is_of_metadata(change)


def what_stays(facts: Facts) -> list[str]:
    """Paths of what differs and cannot be avoided, as far as is known."""
    return [c.path for c in facts.changes if _judge_change(c, facts).word != "avoidable"]


def _judge_change(change: Change, facts: Facts) -> Verdict:
    path = change.path
    is_in_a_tree = bool(facts.goes_through_trees) and parameter_of(path) in facts.goes_through_trees
    if change.cause in ("shape", "rank", "dtype") and "variable" in change.parts:
        return judge_variable(change, facts)
    if change.cause in ("shape", "rank"):
        return judge_sizes(change, facts)
    if change.cause == "dtype":
        if holds_strings(change.old) != holds_strings(change.new):
            if path in facts.asked_dtypes and not facts.failed:
                return Verdict("bounded", _ASKED_DTYPE.format(path, facts.asked_dtypes[path]))
            return FAILED if facts.failed else Verdict("unknown", _NO_CAST.format(path))
        if change.new.startswith(_HANDLES) and change.old.startswith(_HANDLES):
            return Verdict("unknown", _OF_ANOTHER_RESOURCE.format(path))
        return Verdict("avoidable", f"`{path}` can be cast to one dtype before the call.")
    if change.cause in ("object_identity", "python_value", "python_type") and is_iterator(change.new):
        return Verdict("avoidable", f"`{path}` is a Python iterator: tracing uses it up, so each call has another one.")
    if path == "self" and change.cause == "object_identity" and is_class(change.new):
        return Verdict("unknown", "Each class is traced for itself; whether one would do is not known.")
    if path == "self" and facts.failed and change.new.startswith(f"{DELETED} "):
        return Verdict("avoidable", _NOT_HELD)
    if path == "self" and change.cause in ("object_identity", "python_type"):
        if facts.same_graph:
            return Verdict("avoidable", OF_ANOTHER_INSTANCE)
        if facts.sizes_alone:
            return Verdict(
                "avoidable", "The graph, but for sizes and names, is that of another instance: one would do."
            )
        if path in facts.hold_the_same and len(facts.changes) > 1:  # what else differs makes it another graph
            return Verdict("avoidable", "The instance holds what an earlier one did: one would do.")
        if facts.other_tensors and not facts.own_tensors:
            return Verdict("unknown", f"Each instance is traced for itself, and {OTHER_TENSORS}")
        return of_an_instance(facts)
    if change.cause == "python_value":
        is_a_number = is_number(change.new)
        if not is_a_number and MEMBER_NAME.fullmatch(change.old) and MEMBER_NAME.fullmatch(change.new):
            return Verdict("bounded", MEMBER.format(path))
        if "bools" in change.parts:
            bools = path.rpartition("[")[0]
            if facts.other_size and all("bools" in c.parts for c in facts.changes):
                return Verdict(
                    "unknown", f"The bools in `{bools}` are others, and may decide what the graph is built of."
                )
            return Verdict("avoidable", f"Each combination of the bools in `{bools}` is traced; a tensor would not be.")
        are = are_bools(change.old), are_bools(change.new)
        if all(are):
            return Verdict("bounded", f"`{path}` is a bool: two values, two traces.")
        if facts.unread and parameter_of(path) in facts.unread:
            return Verdict("avoidable", f"Nothing in the code of the function reads `{parameter_of(path)}`.")
        if facts.recursive and is_a_number:
            return Verdict("unknown", f"It calls itself: if that ends by `{path}`, it cannot be a tensor.")
        if is_in_a_tree and is_a_number and path.endswith("]"):
            return Verdict("unknown", _LEAF_OF_A_TREE.format(path))
        if path in facts.chosen_in_python:
            return Verdict("bounded", CHOSEN.format(path, facts.chosen_in_python[path]))
        if is_a_number and facts.captures_others:
            return Verdict("unknown", f"{OTHER_VARIABLES}: if `{path}` chooses among them, it cannot be a tensor.")
        if path in facts.asked_in_python:
            return Verdict("unknown", told_of_asked(path, facts.asked_in_python[path]))
        if path in facts.decided_in_python:
            return Verdict("unknown", told_of_decided(path, facts.decided_in_python[path]))
        if facts.other_attributes and is_whole(change.new):
            whole = [c for c in facts.changes if c.cause == "python_value" and is_whole(c.new)]
            names = " or ".join(f"`{c.path}`" for c in whole[:3])
            return Verdict("unknown", other_attributes(names, facts.changes))
        if any(are) and facts.same_graph:
            return Verdict("avoidable", f"`{path}` {A_BOOL_WOULD_DO}")
        if any(are):  # `if rate:`
            return Verdict("unknown", f"`{path}` is a bool or a number, which may decide what the graph is built of.")
        if is_a_number:
            return Verdict("avoidable", f"{EACH_NUMBER} `{path}` is traced; a tensor would not be.")
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        if facts.passed_numbers_alone and not is_another_holder(change):
            return Verdict("avoidable", _BUT_FOR_NUMBERS.format(path))
        if facts.text_alone:
            would_do = TENSOR_OF_STRINGS_BESIDE_NUMBERS if facts.beside_numbers else TENSOR_OF_STRINGS
            return Verdict("avoidable", f"The graph holds `{path}` as a constant, {would_do}")
        if facts.names_alone:
            return Verdict("avoidable", f"`{path}` {NAMES_BESIDE_NUMBERS if facts.beside_numbers else NAMES_ALONE}")
        if facts.numbers_alone and len(facts.changes) == 1 and is_another_range(change):
            return Verdict("avoidable", f"The graph holds the numbers of `{path}` as constants, {TENSOR_OF_NUMBERS}")
        if is_another_holder(change) and differ_in_fractions(facts):
            return held(path, facts)
        return Verdict("unknown", f"Whether `{path}` takes few or many values is not known.")
    if change.cause == "python_type":
        if "None" in (change.old, change.new):
            if is_in_a_tree and not facts.same_graph and not path.isidentifier():
                return Verdict("unknown", _TREE.format(path))
            if facts.same_graph and (are_bools(change.old) or are_bools(change.new)):
                return Verdict("avoidable", f"`{path}` {NONE_OR_A_BOOL}")
            return Verdict("bounded", f"`{path}` is None or not: two ways, two traces.")
        if NUMBERED_OBJECT.fullmatch(change.old) and NUMBERED_OBJECT.fullmatch(
            change.new
        ):  # a function, then an object that is called
            if facts.same_graph is False and are_of_two_classes(change):
                is_one = any(
                    one.removeprefix(f"{DELETED} ").startswith("function ") for one in (change.old, change.new)
                )
                return Verdict("bounded", (AN_OBJECT_OR_A_FUNCTION if is_one else OF_TWO_CLASSES).format(path))
            return judge_object(change, facts)
        if is_bool_or_numbers(change.old, change.new) and facts.same_graph is False and not facts.failed:
            return Verdict("bounded", f"`{path}` is a Python bool or a tensor of numbers: few ways, a trace each.")
        if one_type_holds(change.old, change.new):
            return Verdict("avoidable", f"`{path}` can be of one type at every call.")
        if facts.failed:
            return FAILED
        if path in facts.chosen_in_python:
            return Verdict("bounded", CHOSEN.format(path, facts.chosen_in_python[path]))
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        return Verdict(
            "unknown", f"`{path}` is of types of which none can hold the other; whether one would do is not known."
        )
    by_keras = facts.step_of_keras and facts.kind == "retrace"  # of a new object it is told why that was made
    if change.cause == "structure" and by_keras and all(map(_TUPLE.fullmatch, (change.old, change.new))):
        return Verdict("bounded", _KERAS_BATCH.format(path))
    if (
        change.cause == "structure"
        and by_keras
        and path == "data"
        and all(map(_LIST.fullmatch, (change.old, change.new)))
    ):
        return Verdict("bounded", _KERAS_EXECUTION.format(path))
    if change.cause == "structure" and by_keras and path == "data[0]" and is_another_in_a_tuple(change):
        return Verdict("bounded", KERAS_PREDICT.format(path))
    if change.cause == "composite_spec" and by_keras and has_a_part_more(change.old, change.new):
        return Verdict("bounded", _KERAS_BATCH.format(path))
    if change.cause == "structure" and "one_number" in change.parts and not facts.same_graph:
        return Verdict("unknown", f"`{path}` is one Python number or several; whether either would do is not known.")
    if change.cause == "structure" and path in facts.decided_in_python:
        return Verdict("unknown", told_of_decided(path, facts.decided_in_python[path]))
    by_lists = is_of_longer_lists(facts.changes, facts.more_nodes)
    if change.cause == "structure" and "numbers" in change.parts and facts.other_size and not by_lists:
        return Verdict("unknown", f"`{path}` holds other Python numbers, which may decide what the graph is built of.")
    if change.cause == "structure" and OTHER_SEQUENCE in change.parts and facts.same_graph:
        return Verdict("avoidable", _OTHER_SEQUENCE.format(path))
    if change.cause == "structure" and "variable" in change.parts:
        return Verdict("unknown", f"`{path}` holds variables: with others, something else may be computed.")
    if change.cause == "structure" and "object" in change.parts:
        return Verdict("unknown", f"`{path}` holds Python objects: with others, something else may be computed.")
    if change.cause == "structure" and "field" in change.parts:
        return Verdict("unknown", f"`{path}` is a part of an object; whether it can have one structure is not known.")
    if change.cause == "structure" and "strings_or_tensor" in change.parts:
        if facts.failed:
            return FAILED
        return Verdict("avoidable", f"`{path}` is a list of Python strings or a tensor of them: a tensor would do.")
    if change.cause == "structure" and is_a_flag(change) and not facts.same_graph:
        return Verdict("bounded", f"`{path}` is a bool that some calls do not pass: there are but three ways.")
    if change.cause == "structure" and "string" in change.parts:
        if facts.same_graph:
            return Verdict("avoidable", _NO_DIFFERENCE.format(path))
        if facts.text_alone and OF_STRINGS in change.parts:
            would_do = TENSOR_OF_STRINGS_BESIDE_NUMBERS if facts.beside_numbers else TENSOR_OF_STRINGS
            return Verdict("avoidable", f"The graph holds `{path}` as a constant, {would_do}")
        return Verdict("unknown", f"`{path}` holds Python strings: with others, something else may be computed.")
    if change.cause == "structure" and OF_A_CLASS in change.parts:
        return Verdict("unknown", _OF_A_CLASS.format(path))
    if change.cause == "structure" and ALIKE in change.parts and facts.captures_others:
        return Verdict("unknown", _OTHER_VARIABLES.format(path))
    if change.cause == "structure" and change.is_of_a_key and facts.other_variables:
        return Verdict("unknown", _VARIABLES_OF_A_KEY.format(path))
    if change.cause == "structure" and UNLIKE in change.parts and grows_by_more(change, facts.more_nodes):
        return Verdict("unknown", _UNROLLED.format(path))
    if change.cause == "structure" and facts.recursive:
        return Verdict("unknown", f"It calls itself: `{path}` may be a part of what an outer call was given.")
    if change.cause == "structure" and is_in_a_tree and not facts.same_graph:
        return Verdict("unknown", _TREE.format(path))
    if change.cause == "structure" and (change.old in EMPTY) != (change.new in EMPTY) and not _are_empty(change):
        return Verdict("bounded", f"`{path}` is empty or not: one trace more.")
    if change.cause == "structure" and ALIKE in change.parts:
        return Verdict("avoidable", f"`{path}` holds tensors of one shape and dtype, which can be one tensor.")
    if change.cause == "structure" and change.is_of_a_key and _ADDRESS.search(path):
        return Verdict("avoidable", _KEY_OF_AN_ADDRESS.format(path))
    if change.cause == "structure" and facts.of_a_layer and {change.old, change.new} == _NO_OPTIONS:
        return Verdict("bounded", _OPTIONS_OF_A_LAYER.format(path))
    if change.cause == "structure":
        return Verdict("avoidable", f"`{path}` can have one structure at every call.")
    if change.cause == "object_identity":
        return judge_object(change, facts)
    if is_of_metadata(change) and facts.numbers_alone and differs_in_numbers(change):
        return Verdict("avoidable", f"`{path}` {OTHER_METADATA}")
    if change.cause == "composite_spec" and (told := told_of_variables(change)):
        return Verdict("bounded", told)
    if change.cause == "composite_spec" and change.parts == ("name",):
        return Verdict("bounded", f"`{path}` is a specification with a name: TensorFlow traces for each name.")
    if change.cause == "composite_spec" and facts.generalized and (told := told_of_widened(change)):
        return FAILED if facts.failed else Verdict("bounded", told)
    if change.cause == "composite_spec" and change.parts and set(change.parts) <= {"shape", "rank"}:
        return Verdict("avoidable", f"`{path}` differs {IN_DIMENSIONS_ALONE}, which a signature can leave unknown.")
    if change.cause == "composite_spec" and change.parts and set(change.parts) <= {"shape", "rank", "dtype"}:
        if ("string" in change.old) != ("string" in change.new):
            return Verdict("unknown", _NO_CAST.format(path))
        return Verdict("avoidable", f"`{path}` can be of one dtype, and its dimensions unknown to the signature.")
    if change.cause == "composite_spec" and is_tensor_array(change):
        return Verdict("avoidable", f"`{path}` {_TENSOR_ARRAY}")
    if change.cause == "composite_spec" and (told := told_of_composites(change)):
        return FAILED if facts.failed else Verdict("unknown", told)
    if change.cause == "recreated_function":
        return judge_new_object(facts)
    if change.cause == "variable_identity":
        return Verdict("bounded", f"There are only so many ways in which `{path}` can share variables.")
    if change.cause == "context" and path == "parent_graph" and "none" not in (change.old, change.new):
        return Verdict("unknown", "Another `tf.Graph` is being built; whether one graph could serve is not known.")
    if change.cause == "context":
        return Verdict("bounded", f"TensorFlow traces once per {path.replace('_', ' ')}.")
    return Verdict("unknown", "What was recorded does not tell whether this can be avoided.")


def _are_empty(change: Change) -> bool:
    """Of another class each."""
    return EMPTY | {"{}"} >= {change.old, change.new}
