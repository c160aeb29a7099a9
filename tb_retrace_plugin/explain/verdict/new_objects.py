"""Of a tf.function object that was made anew: whether an earlier one would do."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.explain.differences.value_texts import are_bools
from tb_retrace_plugin.explain.verdict.closed_over_anew import judge_closure, read_besides
from tb_retrace_plugin.explain.verdict.evidence import (
    ALIKE_VARIABLES,
    BINDS_ANOTHER,
    CLOSES_OVER_THE_SAME,
    COULD_SERVE_BOTH,
    IF_MADE_ALIKE,
    IN_VARIABLES,
    IS_KEPT,
    LOADED,
    LOADED_ALIKE,
    MADE_BY_EACH_CALL,
    MADE_FOR_EACH_RUN,
    MADE_OF_ONE,
    OF_OTHER_DATA,
    OF_OTHER_SHAPES,
    OF_THE_SAME_WEIGHTS,
    OF_TWO_VALUES,
    READS_OTHERS,
    SAME_GRAPH_AND_CAPTURES,
    WIDENED_STATE,
    closed_over,
    has_it,
    told_of_chosen,
    told_of_reads,
)
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.keras_models import (
    MADE_BY_EACH_COMPILE,
    judge_recompiled,
    made_by_each_compile,
    of_another_model,
)
from tb_retrace_plugin.explain.verdict.keras_pipelines import judge_by_calls
from tb_retrace_plugin.explain.verdict.objects import nothing_differs

CAPTURES_OTHERS = (
    "The graph is the same, and captures other variables or tensors: those of another object, say, whose method it is."
    " Whether one object could serve both is not known."
)
CAPTURES_OTHERS_TOO = (
    "It captures other variables or tensors, such as those of a model that was made anew, and its graph is another one,"
    " which may be so in names alone. Whether one object could serve both is not known."
)
READS_ALIKE = f"{READS_OTHERS}, and {ALIKE_VARIABLES}. {IF_MADE_ALIKE.format('they were', 'them, and this function,')}"
_IF_THE_SAME = "If it is the same, load it once and keep it; whether it is, is not known."
_RESTORED = f"{LOADED}. {_IF_THE_SAME}"
_BY_EACH_ITERATOR = "TensorFlow makes this function anew for each iterator over a distributed dataset, and each device"
ITERATED_AGAIN = f"{_BY_EACH_ITERATOR}. One iterator over a dataset that repeats would do for all passes over the data."
_MADE_BY_EACH_ITERATOR = {
    "again": Verdict("avoidable", ITERATED_AGAIN),
    "elsewhere": Verdict("bounded", f"{_BY_EACH_ITERATOR}. One of other lines, or over other data, needs a trace."),
    "keras": Verdict(
        "unknown",
        f"{_BY_EACH_ITERATOR}, and Keras makes an iterator for each pass over the data. Where the dataset repeats and"
        " `fit` is told `steps_per_epoch`, one serves all epochs of a call; whether that would do is not known.",
    ),
    "unknown": Verdict("unknown", f"{_BY_EACH_ITERATOR}; whether fewer would do is not known."),
}  # fmt: skip
OTHER_ELEMENTS = "the elements of this one are of another "
_OF_OTHER_ELEMENTS = (
    f"`tf.data` makes this function anew for each dataset, and {OTHER_ELEMENTS}{{}}. Datasets that"
    " differ so need a trace each. One dataset for all of the data, whose elements leave unknown what differs (of"
    " `from_generator` with an `output_signature`, say), needs one; whether it can be so is not known."
)
OF_OTHER_LINES = (
    "`tf.data` makes this function anew for each dataset, and other lines build this one than the earlier ones. Each"
    " that the program keeps needs a trace, once."
)
_OTHERS_OF_ITS_LINES = (
    "`tf.data` makes this function anew for each dataset, and the program keeps this one beside others that the same"
    " lines build"
)
_KEPT_BESIDE = {
    "once": Verdict("bounded", f"{_OTHERS_OF_ITS_LINES}. Each needs a trace, once."),
    "again": Verdict(
        "unknown",
        f"{_OTHERS_OF_ITS_LINES}. Those that it has at one time need a trace each; whether one of before would do is"
        " not known.",
    ),
}
OF_A_LOOP = (
    "TensorFlow makes this function of a loop or a condition in the function that is traced around it, anew in each"
    " trace of that one: it goes with that trace, if that can be avoided."
)
COMPILED_OTHERWISE = (
    "XLA compiles the new tf.function object (`jit_compile`) and none of the earlier ones, or all of those and not this"
    " one: what is compiled and what is not is traced for itself."
)
WIDENED_OTHERWISE = (
    "TensorFlow is to widen shapes for the new tf.function object (`reduce_retracing`) and for none of the earlier"
    " ones, or for all of those and not for this one: each such kind is traced for itself, once."
)
_ANOTHER_GRAPH = "The graph is another one; code, arguments and closed-over values are not."
_READS_OTHERS = (
    "The new tf.function object reads {}, and each graph holds its own. Where the code takes tensors there,"
    " tf.Variables that are assigned to, or tensors that are passed, need no trace; whether it does is not known."
)
_READS_OTHER_NUMBERS = f"The new tf.function object reads {{}}, and nothing else in its graph differs: {IN_VARIABLES}"
_DRAWS = (
    f"{_ANOTHER_GRAPH} While it is traced it does {{}}, and each graph holds what came of that. Whether one object"
    " could serve both is not known."
)
#: That are told of.
_MOST_NUMBERS = 3
_OF_ELEMENTS = frozenset({"shape", "rank", "dtype", "structure"})
_WRAPS = {
    "alike": Verdict("avoidable", MADE_OF_ONE),
    "otherwise": Verdict(
        "unknown", "The new tf.function object was made of a tf.function of the same code, and compiles it otherwise."
    ),
}


def judge_new_object(facts: Facts) -> Verdict:
    if facts.made_by_each_call:
        return Verdict("avoidable", MADE_BY_EACH_CALL)
    if facts.made_by_each_iterator:
        return _MADE_BY_EACH_ITERATOR[facts.made_by_each_iterator]
    if facts.made_by_each_compile and (verdict := judge_recompiled(facts)) is not None:  # with the same graph, too
        return verdict
    if facts.same_graph and facts.made_by_each_compile:  # an optimizer, say, may have had to be another one
        of_a_model = facts.closure and not any(c.is_function for c in facts.closure)
        why = OF_THE_SAME_WEIGHTS if of_a_model else MADE_BY_EACH_COMPILE
        return Verdict("unknown", f"The graph and its captures are those of an earlier one. {why}")
    if facts.of_a_loop:  # with the same graph, too: of the loops in another function each needs one
        return Verdict("unknown", OF_A_LOOP)
    if facts.compiled_otherwise:
        return Verdict("bounded", COMPILED_OTHERWISE)
    if facts.widened_otherwise:
        return Verdict("bounded", WIDENED_OTHERWISE)
    if (verdict := judge_by_calls(facts)) is not None:
        return verdict
    if facts.other_lines:
        return Verdict("bounded", f"{_told_of_values(facts)}{OF_OTHER_LINES}")
    if facts.kept_beside and (facts.other_data or facts.same_graph is False):
        kept = _KEPT_BESIDE[facts.kept_beside]
        return Verdict(kept.word, f"{_told_of_values(facts)}{kept.evidence}")
    # whatever it closes over, such as the object whose method it is; not where it is not known what else it reads
    if facts.other_data and (facts.closure or facts.same_graph is not False):
        return Verdict("unknown", OF_OTHER_DATA)
    if facts.same_graph:
        return Verdict("avoidable", f"{SAME_GRAPH_AND_CAPTURES}{_told_of_bound(facts)}")
    if facts.closure is None:
        return Verdict("unknown", "The new tf.function object has another graph or captures other objects.")
    if facts.closure and facts.restored:
        return _of_a_loaded_model(facts)
    if facts.closure and facts.made_by_each_compile and not any(c.is_function for c in facts.closure):
        return of_another_model(facts)
    if facts.closure and facts.wraps == "alike" and all(c.is_bound for c in facts.closure):
        return _WRAPS["alike"]  # a partial of the tf.function itself binds as much
    if facts.closure:
        return judge_closure(facts, facts.closure)
    if facts.made_by_each_compile:
        return Verdict("unknown", made_by_each_compile(facts))
    if facts.wider:
        return Verdict("bounded", WIDENED_STATE)
    if facts.in_a_dataset and (others := _OF_ELEMENTS & {change.cause for change in facts.changes}):
        return Verdict("unknown", _OF_OTHER_ELEMENTS.format(" or ".join(sorted(others))))
    differs, told = not nothing_differs(facts), told_of_reads(facts.read_otherwise)
    besides = read_besides(facts, [change.path for change in facts.changes]) if differs else {}
    if told_of_reads(besides) and not facts.captures_others:  # which of both made its graph another one is not known
        return _judge_reads(besides)
    if (differs and not facts.captures_others) or facts.same_graph is None or facts.narrower:
        return Verdict("avoidable", CLOSES_OVER_THE_SAME)
    if facts.wraps and not differs:
        return _WRAPS[facts.wraps]
    if chosen := told_of_chosen(facts.read_otherwise, facts.chosen_in_python):
        return Verdict("bounded", f"The new tf.function object reads {chosen}")
    if facts.captures_others and facts.variables_fit and facts.made_for_each_run:
        made = MADE_FOR_EACH_RUN.format(facts.made_for_each_run, "them, and this function,")
        return Verdict("avoidable", f"{READS_OTHERS}, and {ALIKE_VARIABLES}. {made}")
    if facts.captures_others and facts.variables_fit:
        return Verdict("unknown", READS_ALIKE)
    if facts.captures_others and facts.variables_fit is False:
        return Verdict("bounded", f"The new tf.function object reads other variables, and {OF_OTHER_SHAPES}")
    if facts.captures_others:
        reads = f"The new tf.function object reads {told}. " if told else ""
        return Verdict("unknown", f"{reads}{CAPTURES_OTHERS_TOO if facts.other_nodes else CAPTURES_OTHERS}")
    if numbers := [f"`{name}`: {old} → {new}" for name, (old, new) in facts.held.items() if " " not in name]:
        told = ", ".join(numbers[:_MOST_NUMBERS])
        if facts.passed_numbers_alone and not facts.in_a_dataset and len(facts.held) <= _MOST_NUMBERS:
            return Verdict("avoidable", _READS_OTHER_NUMBERS.format(told))
        return Verdict("unknown", _READS_OTHERS.format(told))
    if facts.drawn:
        return Verdict("unknown", _DRAWS.format(", ".join(f"`{text}`" for text in facts.drawn[:3])))
    if facts.flags:
        return _judge_flags(facts.flags)
    if told:
        return _judge_reads(facts.read_otherwise or {})
    if facts.made_again and facts.same_captures and not facts.other_size:  # names of operations have the model's
        are = "is a Keras model" if len(facts.made_again) == 1 else "are Keras models"
        made = f"{' and '.join(f'`{name}`' for name in facts.made_again)} {are} made again of the same layers"
        return Verdict("avoidable", f"{CLOSES_OVER_THE_SAME} {made}: make that once, too.")
    return Verdict("unknown", f"{_ANOTHER_GRAPH} What else it reads is not known.")


def _judge_reads(others: Mapping[str, tuple[str, str]]) -> Verdict:
    reads = f"The new tf.function object reads {told_of_reads(others)}."
    told = [both for both in others.values() if all(both)]
    if told and all(are_bools(*both) for both in told):  # of layers, whether each is trained
        return Verdict("bounded", f"{reads} {OF_TWO_VALUES}")
    return Verdict("unknown", f"{reads} {COULD_SERVE_BOTH}")


def _of_a_loaded_model(facts: Facts) -> Verdict:
    if kept := facts.kept_objects.get("()"):
        return Verdict("bounded", f"{LOADED}. {IS_KEPT.format(kept)}")
    return Verdict("unknown", f"{LOADED_ALIKE} {_IF_THE_SAME}" if facts.variables_fit else _RESTORED)


def _told_of_values(facts: Facts) -> str:
    """Of a function in a dataset: which numbers and tensors it closes over."""
    values = [c for c in facts.closure or () if c.is_number or c.is_tensor or c.is_resized]
    return f"The new tf.function object {has_it(values)} {closed_over(values)}. " if values else ""


def _judge_flags(flags: Mapping[str, tuple[str, str]]) -> Verdict:
    made = (
        f"The new tf.function object reads {', '.join(f'`{name}`: {a} → {b}' for name, (a, b) in [*flags.items()][:3])}"
    )
    if all(are_bools(*pair) for pair in flags.values()):
        return Verdict("bounded", f"{made}. {OF_TWO_VALUES}")
    return Verdict(
        "unknown", f"{made}, and its graph is another one. Whether one object could serve both is not known."
    )


def _told_of_bound(facts: Facts) -> str:
    """Of Python values that a partial binds, and that leave the graph as it is."""
    bound = [c for c in facts.closure or () if c.is_bound and not c.is_tensor and c.old != c.new]
    if not bound or facts.in_a_dataset or facts.in_a_pipeline_of_keras:
        return ""
    return f" {BINDS_ANOTHER} {', '.join(f'`{c.name}`: {c.old} → {c.new}' for c in bound[:3])}."
