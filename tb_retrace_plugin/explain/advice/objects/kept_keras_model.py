"""A Keras model that is built and compiled anew for each run of several, such as a fold: one can be set back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import (
    RESET,
    gathered_by_metrics,
    library_that_calls,
    method_of,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.other_constants import told_of_other_constants
from tb_retrace_plugin.explain.advice.evidence.reading import Merged
from tb_retrace_plugin.explain.advice.objects.kept_model import DRAWN_ANEW, WHICH_IS_NOT_KNOWN
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.verdict.evidence import OF_A_MODEL_FOR_OTHER_PARTS, made_again_by, says_a_model_is_alike
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: From one line: two models of two lines are kept side by side, as an encoder and a decoder.
_FEWEST = 2
#: What changes the optimizer's variables, too.
_TRAIN = ("fit", "train_on_batch")
_TRAINS = """\
# once, before the loop, when the model is built and compiled; without an input shape `model(x[:1])` builds it
model.optimizer.build(model.trainable_variables)
variables = model.variables + model.optimizer.variables
initial = [variable.numpy() for variable in variables]
# before each run
for variable, start in zip(variables, initial): variable.assign(start)"""
_OPTIMIZER = "optimizer"
_ALONE = "the models differ in their variables alone"
_RUNS = """\
# once, before the loop, when the model is built or loaded
initial = model.get_weights()
# before each run: `initial`, or the weights that this one has
model.set_weights(initial)"""
_IF_TRAINED = (
    "If a model is built anew for each run of several, such as a fold or a trial, build and compile one, before the"
    " loop, and set its variables back before each run: that needs no trace."
)
_IF_ASKED = (
    "If a model is built or loaded anew for each run of several, such as a request, make one, before the loop, and set"
    " its weights before each run where they are others: that needs no trace."
)
_MADE = (
    "{} makes a new one alike for each run: build and compile one, before the loop, and set its variables back before"
    " each run, which needs no trace."
)
_SIDE_BY_SIDE = "Models that are kept side by side, or differ in more than their variables, need a trace each."
_RATE = (
    "The learning rate is one of the optimizer's variables: where each run has another one, assign it after that"
    " (`model.optimizer.learning_rate.assign(…)`)."
)


def propose(function: FunctionFacts) -> Fix | None:
    alike = [trace for trace in function.traces if says_a_model_is_alike(trace.evidence)]
    made = [trace for trace in alike if made_again_by(trace.evidence)]
    found, objects = made or alike, _of_one_step(function, made)
    lines = Counter(_line(trace) for trace in found)
    if not found or (not made and max(lines.values()) < _FEWEST) or all(map(library_that_calls, found)):
        return None
    trains = any(method_of(trace) in _TRAIN for trace in function.traces)
    again = " and ".join(dict.fromkeys(f"`{made_again_by(trace.evidence)}`" for trace in made))
    how = _IF_TRAINED if trains else _IF_ASKED
    text = (
        f"Keras makes `{function.name}` for each model, and in {plural(len(found), 'trace')} its graph has as many"
        f" operations as for an earlier one, on other variables of the same shapes."
        f" {_MADE.format(again) if made else how}"
    )
    notes = [_SIDE_BY_SIDE, _RATE] if trains else [_SIDE_BY_SIDE]
    gathered = gathered_by_metrics(found)
    warnings = [*([DRAWN_ANEW] if trains else []), *told_of_other_constants(function, found), *gathered]
    code = (_TRAINS if trains else _RUNS) + f"\n{RESET}" * bool(gathered)
    if objects:
        created = {one.kind for trace in function.traces for one in trace.created_for}
        builds_all = trains and created == {_OPTIMIZER}  # as the code does; metrics by name make theirs when called
        replaced, assumes = Candidate(objects=objects, variables_outside=builds_all), _ALONE
        return Fix("keep_model", text, replaced, other=code, assumes=assumes, warnings=warnings, notes=notes)
    return Fix("keep_model", text, None, other=code, evidence=WHICH_IS_NOT_KNOWN, warnings=warnings, notes=notes)


def _of_one_step(function: FunctionFacts, traces: Sequence[Traced]) -> dict[int, int]:
    """The function objects of `traces`, each made one with the first that was made in the same place: Keras makes one
    for `train_step` and one for `test_step`. So are those that the same lines make for data of other parts."""
    places = set(map(_place, traces))
    of_other_parts = (t for t in function.traces if t.evidence == OF_A_MODEL_FOR_OTHER_PARTS and _place(t) in places)
    first: dict[tuple[tuple[str, int], ...], int] = {}
    for trace in function.traces:
        first.setdefault(_place(trace), trace.lookup.object_number)
    merged = Merged()
    for trace in (*traces, *of_other_parts):
        merged.merge(trace.lookup.object_number, first[_place(trace)])
    return merged.replaced


def _place(trace: Traced) -> tuple[tuple[str, int], ...]:
    return tuple((frame.file, frame.line) for frame in trace.stack)


def _line(trace: Traced) -> tuple[str, int]:
    """The user's, that calls Keras."""
    return next(((frame.file, frame.line) for frame in trace.stack if frame.user), ("", 0))
