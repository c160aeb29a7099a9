"""Of a tf.function object that was made anew: whether an earlier one would do."""

from __future__ import annotations

from tb_retrace_plugin.explain.differences.closure import ARRAY, ClosureChange
from tb_retrace_plugin.explain.differences.keras_metrics import are_closed_over
from tb_retrace_plugin.explain.differences.number_holders import closes_over_another_holder
from tb_retrace_plugin.explain.differences.value_texts import are_bools, is_whole
from tb_retrace_plugin.explain.verdict.evidence import (
    AFTER_ONE_OF,
    ALIKE_VARIABLES,
    ANOTHER_METRIC,
    CLOSES_OVER_THE_SAME,
    EACH_FUNCTION,
    FRACTIONS_ALONE,
    IF_MADE_ALIKE,
    MADE_BY_EACH_CALL,
    MADE_OF_ONE,
    OF_OTHER_SHAPES,
    SAME_GRAPH_AND_CAPTURES,
    WIDENED_STATE,
    closed_over,
    has_it,
    other_attributes,
    told_of_asked,
)
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.keras_pipelines import (
    BY_EACH_CALL_OF_KERAS,
    MADE_OF_ARRAYS,
    MADE_OF_OTHERS,
    judge_by_calls,
)
from tb_retrace_plugin.schema.signature import NOT_PASSED

CAPTURES_OTHERS = (
    "The graph is the same, and captures other variables or tensors: those of another object, say, whose method it is."
    " Whether one object could serve both is not known."
)
CAPTURES_OTHERS_TOO = (
    "It captures other variables or tensors, such as those of a model that was made anew, and its graph is another one,"
    " which may be so in names alone. Whether one object could serve both is not known."
)
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
_OF_THE_SAME_CAPTURES = (
    "It captures what an earlier one does. If what it closes over is made anew of those, such as a Keras model"
    " of the same layers, make that once and keep it, and this function with it; whether it is, is not known."
)
_OF_EACH_STEP = (
    "Keras makes one such function for each of a model's steps: this one is of its `{}`, the earlier one of its `{}`."
    " Each needs a trace of its own."
)
_OF_A_MODEL_OR_COMPILE = (
    "Keras makes this function for each model, and anew when a model is compiled again; there was one for this step"
    " before. Whether that one could serve is not known."
)
_RESTORED = (
    "It is a function of a SavedModel that was loaded again, or of another one. If it is the same, load it once and"
    " keep it; whether it is, is not known."
)
_OTHER_METRICS = (
    f"{{}} {ANOTHER_METRIC}, and the graph is the same but for the variables. If {{}} made anew for each pass over the"
    " data, make {}, and this function, once, and call `reset_state()` before each pass: that needs no trace. Metrics"
    " that are kept side by side need a function each."
)
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
_OF_OTHER_ELEMENTS = (
    "`tf.data` makes this function anew for each dataset, and the elements of this one are of another {}. Datasets that"
    " differ so need a trace each. One dataset for all of the data, whose elements leave unknown what differs (of"
    " `from_generator` with an `output_signature`, say), needs one; whether it can be so is not known."
)
OF_OTHER_LINES = (
    "`tf.data` makes this function anew for each dataset, and other lines build this one than the earlier ones. Each"
    " that the program keeps needs a trace, once."
)
OF_OTHER_DATA = (
    "`tf.data` makes this function anew for each dataset, and this one is made of other data, or in other steps, than"
    " the earlier ones that these lines have built. Each of those needs a trace, or one tf.function of your own, which"
    " takes the data and does all that is done with the dataset; whether that can be is not known."
)
COULD_SERVE_BOTH = "Whether one object could serve both is not known."
ONE_THAT_IS_PASSED = "One object that is passed"
NUMBERS_AND_TENSORS = f"{ONE_THAT_IS_PASSED} them, the numbers as tensors, as arguments would do."
_OF_UNKNOWN_SIZES = NUMBERS_AND_TENSORS.replace(", as arguments", ", and of unknown sizes, as arguments")
OF_A_LOOP = (
    "TensorFlow makes this function of a loop or a condition in the function that is traced around it, anew in each"
    " trace of that one: it goes with that trace, if that can be avoided."
)
_ANOTHER_GRAPH = "The graph is another one; code, arguments and closed-over values are not."
_READS_OTHERS = (
    "The new tf.function object reads {}, and each graph holds its own. Where the code takes tensors there,"
    " tf.Variables that are assigned to, or tensors that are passed, need no trace; whether it does is not known."
)
_DRAWS = (
    f"{_ANOTHER_GRAPH} While it is traced it does {{}}, and each graph holds what came of that. Whether one object"
    " could serve both is not known."
)
_OF_ELEMENTS = frozenset({"shape", "rank", "dtype", "structure"})
_WRAPS = {
    "alike": Verdict("avoidable", MADE_OF_ONE),
    "otherwise": Verdict(
        "unknown", "The new tf.function object was made of a tf.function of the same code, and compiles it otherwise."
    ),
    "tf.data": Verdict(
        "bounded", "`tf.data` makes a function of its own of the tf.function that it is given: each is traced once."
    ),
}


def judge_new_object(facts: Facts) -> Verdict:
    if facts.made_by_each_call:
        return Verdict("avoidable", MADE_BY_EACH_CALL)
    if facts.made_by_each_iterator:
        return _MADE_BY_EACH_ITERATOR[facts.made_by_each_iterator]
    if facts.same_graph and facts.made_by_each_compile:  # an optimizer, say, may have had to be another one
        of_a_model = facts.closure and not any(c.is_function for c in facts.closure)
        why = _OF_THE_SAME_WEIGHTS if of_a_model else MADE_BY_EACH_COMPILE
        return Verdict("unknown", f"The graph and its captures are those of an earlier one. {why}")
    if facts.of_a_loop and not facts.same_graph:
        return Verdict("unknown", OF_A_LOOP)
    if (verdict := judge_by_calls(facts)) is not None:
        return verdict
    if facts.other_lines and not facts.closure:
        return Verdict("bounded", OF_OTHER_LINES)
    # whatever it closes over, such as the object whose method it is; not where it is not known what else it reads
    if facts.other_data and (facts.closure or facts.same_graph is not False):
        return Verdict("unknown", OF_OTHER_DATA)
    if facts.same_graph:
        return Verdict("avoidable", SAME_GRAPH_AND_CAPTURES)
    if facts.closure is None:
        return Verdict("unknown", "The new tf.function object has another graph or captures other objects.")
    if facts.closure and facts.restored:
        return Verdict("unknown", _RESTORED)
    if facts.closure and facts.made_by_each_compile and not any(c.is_function for c in facts.closure):
        return Verdict("unknown", _OF_THE_SAME_WEIGHTS if facts.same_captures else _OF_ANOTHER_MODEL)
    if facts.closure and facts.wraps == "alike" and all(c.is_bound for c in facts.closure):
        return _WRAPS["alike"]  # a partial of the tf.function itself binds as much
    if facts.closure:
        verb = has_it(facts.closure)
        verb = "is of a functools.partial that binds" if verb == "binds" else verb
        made = f"The new tf.function object {verb} {closed_over(facts.closure)}"
        if facts.other_data and all(c.is_number or c.is_tensor or c.is_resized for c in facts.closure):
            return Verdict("unknown", f"{made}. {OF_OTHER_DATA}")
        if facts.captures_others and all(c.is_number or c.is_tensor for c in facts.closure):
            return Verdict("unknown", f"{made}, and something else that its graph captures is another one too.")
        # an array is a constant of the graph
        is_other = facts.other_size if any(ARRAY in c.new for c in facts.closure) else facts.other_nodes
        if is_other and all(c.is_tensor for c in facts.closure):
            return Verdict("unknown", f"{made}, and its graph is another one too: it reads something else.")
        if asked := next((c.name for c in facts.closure if c.name in facts.asked_in_python), ""):
            return Verdict("unknown", f"{made}. {told_of_asked(asked, facts.asked_in_python[asked])}")
        if told := [facts.asked_of_holders[c.name] for c in facts.closure if c.name in facts.asked_of_holders]:
            return Verdict("unknown", f"{made}. {told[0]}")
        if facts.other_attributes and all(c.is_number and is_whole(c.new) for c in facts.closure):
            names = " or ".join(f"`{c.name}`" for c in facts.closure[:3])
            return Verdict("unknown", f"{made}. {other_attributes(names, facts.closure)}")
        if all(c.is_number for c in facts.closure) and facts.in_a_pipeline_of_keras:  # which makes them, too
            return Verdict("avoidable", f"{made}. {BY_EACH_CALL_OF_KERAS}")
        if all(c.is_number for c in facts.closure):
            them = "it as a tensor" if len(facts.closure) == 1 else "them as tensors"
            return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {them} would do.")
        if all(c.is_tensor for c in facts.closure):
            tensors = ", ".join(f"another `{c.name}` of {c.new}" for c in facts.closure)
            made = f"The new tf.function object {verb} {tensors}"
            them = "it as an argument" if len(facts.closure) == 1 else "them as arguments"
            return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {them} would do.")
        are_tensors = all(c.is_tensor or c.is_resized for c in facts.closure)
        if are_tensors and not (facts.other_size or facts.captures_others or facts.in_a_dataset):
            tensors = ", ".join(map(_another_tensor, facts.closure))
            them, as_ = ("it", "as an argument") if len(facts.closure) == 1 else ("them", "as arguments")
            made = f"The new tf.function object {verb} {tensors}"
            return Verdict("avoidable", f"{made}. {ONE_THAT_IS_PASSED} {them}, of unknown sizes, {as_} would do.")
        # a whole number may choose what is built, which other tensors hide if there are other operations
        may_be_resized = not (facts.captures_others or facts.in_a_dataset)
        could_be_passed = all(
            c.is_tensor
            or (c.is_resized and may_be_resized)
            or (c.is_number and (facts.same_operations or not is_whole(c.new)))
            for c in facts.closure
        )
        if could_be_passed and not (facts.other_size or facts.other_attributes):
            both = [f"`{c.name}`: {c.old} → {c.new}" for c in facts.closure if c.is_number]
            both += [_another_tensor(c) for c in facts.closure if not c.is_number]
            made = f"The new tf.function object {verb} {', '.join(both)}"
            them = _OF_UNKNOWN_SIZES if any(c.is_resized for c in facts.closure) else NUMBERS_AND_TENSORS
            return Verdict("avoidable", f"{made}. {them}")
        if all(c.is_function for c in facts.closure):
            if facts.other_functions and facts.made_by_each_compile:
                now, before = (text.rpartition(".")[2] for text in (facts.closure[0].new, facts.closure[0].old))
                return Verdict("bounded", _OF_EACH_STEP.format(now, before))
            functions = ", ".join(f"`{c.name}` is `{c.new}`, was `{c.old}`" for c in facts.closure[:3])
            made = f"The new tf.function object {verb} another function: {functions}"
            if not facts.other_functions and facts.made_by_each_compile:
                return Verdict("unknown", _OF_A_MODEL_OR_COMPILE)
            if not facts.other_functions:
                return Verdict("unknown", f"{made}, as an earlier one did. Whether that one could serve is not known.")
            return Verdict("bounded", f"{made}. {EACH_FUNCTION}")
        if all(are_bools(c.old, c.new) for c in facts.closure):
            return Verdict("bounded", f"{made}. There are but two such objects to make.")
        if are_closed_over(facts.closure) and facts.same_graph is False and not facts.other_nodes:
            words = ("It", "it is", "it") if len(facts.closure) == 1 else ("Each of these", "they are", "them")
            return Verdict("unknown", f"{made}. {_OTHER_METRICS.format(*words)}")
        if facts.in_a_pipeline_of_keras:
            return MADE_OF_ARRAYS if facts.of_arrays else MADE_OF_OTHERS
        is_all = facts.numbers_alone and len(facts.changes) == 1
        if is_all and all(map(closes_over_another_holder, facts.closure)):
            return Verdict("avoidable", f"{made}, and {FRACTIONS_ALONE}")
        if facts.same_captures and all(c.new == c.old for c in facts.closure):
            return Verdict("unknown", f"{made}. {_OF_THE_SAME_CAPTURES}")
        holders = [c for c in facts.closure if closes_over_another_holder(c)]
        if holders and all(c in holders or c.is_number for c in facts.closure):
            if facts.variables_fit is False:
                return Verdict("bounded", f"{made}, and {OF_OTHER_SHAPES}")
            if facts.variables_fit:
                it = (
                    ("it was", "it, and this function,")
                    if len(holders) == 1
                    else ("they were", "them, and this function,")
                )
                return Verdict("unknown", f"{made}, and {ALIKE_VARIABLES}. {IF_MADE_ALIKE.format(*it)}")
        return Verdict("unknown", f"{made}. {COULD_SERVE_BOTH}")
    if facts.made_by_each_compile:
        return Verdict("unknown", MADE_BY_EACH_COMPILE)
    if facts.wraps == "tf.data" and all(c.new == NOT_PASSED for c in facts.changes if c.cause != "recreated_function"):
        return _WRAPS["tf.data"]  # its elements leave default values to the function
    if facts.wider:
        return Verdict("bounded", WIDENED_STATE)
    if facts.in_a_dataset and (others := _OF_ELEMENTS & {change.cause for change in facts.changes}):
        return Verdict("unknown", _OF_OTHER_ELEMENTS.format(" or ".join(sorted(others))))
    if len(facts.changes) > 1 or facts.same_graph is None or facts.narrower:
        return Verdict("avoidable", CLOSES_OVER_THE_SAME)
    if facts.wraps:
        return _WRAPS[facts.wraps]
    if facts.captures_others:
        return Verdict("unknown", CAPTURES_OTHERS_TOO if facts.other_nodes else CAPTURES_OTHERS)
    if numbers := [f"`{name}`: {old} → {new}" for name, (old, new) in facts.held.items() if " " not in name][:3]:
        return Verdict("unknown", _READS_OTHERS.format(", ".join(numbers)))
    if facts.drawn:
        return Verdict("unknown", _DRAWS.format(", ".join(f"`{text}`" for text in facts.drawn[:3])))
    return Verdict("unknown", f"{_ANOTHER_GRAPH} What else it reads is not known.")


def _another_tensor(change: ClosureChange) -> str:
    before = AFTER_ONE_OF + change.old.rpartition(" (")[2] if change.is_resized else ""
    return f"another `{change.name}` of {change.new}{before}"
