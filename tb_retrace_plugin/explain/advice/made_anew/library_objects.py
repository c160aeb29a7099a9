"""Library code in new tf.function objects that the user makes: a model compiled, or a SavedModel loaded, in a loop."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.library_code import (
    RESTORED,
    is_called_by_the_user,
    is_made_by_what_is_traced,
    is_of_a_strategy,
)
from tb_retrace_plugin.explain.advice.evidence.reading import are_all_of_one_kind, how_often, merged_objects
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import made_in, with_keywords
from tb_retrace_plugin.explain.advice.shapes.shapes import propose_input_signature
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.evidence import MADE_BY_EACH_CALL
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_DECORATOR = "@tf.function("


def propose(function: FunctionFacts) -> Fix | None:
    traces = [
        trace
        for trace, _ in function.with_cause("recreated_function")
        if is_called_by_the_user(trace)
        and trace.evidence != MADE_BY_EACH_CALL
        and not is_given_to_tf_data(trace)
        and not is_made_by_what_is_traced(trace)
    ]
    objects = merged_objects(function, traces)
    if not objects:
        return None
    times = f"{function.at_least}{how_often(objects)}"
    kinds = len(set(objects.values()))
    if function.file.replace("\\", "/").endswith(RESTORED):
        text = (
            f"A SavedModel was loaded {times}, and its functions were traced anew for each. Load"
            f" {'it' if kinds == 1 else 'each'} once, before the loop, and keep it."
        )
        return Fix("load_saved_model_once", text, Candidate(objects=objects),
                   other="model = tf.saved_model.load(…)  # once, before the loop",
                   assumes="what was loaded is the same each time")  # fmt: skip
    if is_of_a_strategy(function):
        text = (
            "`strategy.run` makes a function of its own for each strategy and each tf.function that it is given:"
            f" {times} so far, with the same graph. Make the strategy and the tf.function once, and keep both."
        )
        return Fix("strategy_once", text, Candidate(objects=objects),
                   other="strategy = …  # once, before the loop; and so the tf.function that it runs",
                   assumes="one strategy and one tf.function can serve all calls")  # fmt: skip
    is_one = are_all_of_one_kind(function, objects)
    make, once, of_kind = ("it once", "once", "") if is_one else ("one for each", "once for each", " of one kind")
    which = " Others are of other kinds, such as those of several models." if not is_one else ""
    which = f" They are of {kinds} kinds, such as those of several models." if kinds > 1 else which
    text = (
        f"`{function.name}` was made into a tf.function {times}, and each tf.function object was traced anew.{which}"
        f" Make {make}, outside the loop or function that makes it."
    )
    return Fix("create_function_once", text, Candidate(objects=objects),
               other=f"compiled = {_made(function, traces)}  # {once}, before the loop",
               assumes=f"what it reads from around it can be the same for all calls{of_kind}")  # fmt: skip


def propose_declared(function: FunctionFacts) -> Fix | None:
    """Where shapes change, too: made once, with its shapes declared."""
    made = propose(function)
    if made is None or made.candidate is None or made.rule != "create_function_once":
        return None
    declared = propose_input_signature(function, made.candidate)
    if declared is None or declared.candidate is None or not declared.decorator.startswith(_DECORATOR):
        return None
    call, _, comment = made.other.partition("  # ")
    compiled = with_keywords(call.partition(" = ")[2], declared.decorator.removeprefix(_DECORATOR)[:-1])
    return Fix(
        "create_function_once+input_signature", f"{made.text} {declared.text}",
        made.candidate.with_(declared.candidate), other=f"# {comment}\ncompiled = {compiled}",
        assumes=f"{made.assumes}, and that {declared.assumes}", notes=[*made.notes, *declared.notes],
    )  # fmt: skip


def _made(function: FunctionFacts, traces: Sequence[Traced]) -> str:
    """The call of `tf.function` as the user's lines have it, if they have one and the same."""
    made = {made_in(source_line(function.caller(trace)), function.name) for trace in traces}
    return (made.pop() if len(made) == 1 else "") or "tf.function(…)"
