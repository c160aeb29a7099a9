"""A Keras model that is compiled again with the same, but for a learning rate: it can be compiled once."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import RESET, gathered_by_metrics, method_of
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import how_often, merged_objects
from tb_retrace_plugin.explain.verdict.evidence import COMPILED_ALIKE, OF_EACH_STEP
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: What applies the optimizer.
_TRAIN = ("fit", "train_on_batch")
_COMPILE = "model.compile(…)  # {}"
#: Where all compiles are alike, and where others need a function each.
_ONCE, _SELDOM = "once, before the loop", "only where more than the learning rate is another one"
_RATE = "model.optimizer.learning_rate = …  # in place of compiling again with another one"
_GOES_ON = (
    "This changes results where each `compile` is given a new optimizer, or the name of one: a new one begins anew, and"
    " the one that is kept goes on with its state. Where it is to begin anew, set it back before each call: `for"
    " variable, start in zip(model.optimizer.variables, initial): variable.assign(start)`, with"
    " `model.optimizer.build(model.trainable_variables)` and `initial = [variable.numpy() for variable in"
    " model.optimizer.variables]` once, after `compile`; the learning rate is assigned after that."
)


def propose(function: FunctionFacts) -> Fix | None:
    found = [trace for trace in function.traces if trace.evidence == COMPILED_ALIKE]
    objects = merged_objects(function, found)
    if not objects:
        return None
    trains = any(method_of(trace) in _TRAIN for trace in found)
    gathered = gathered_by_metrics(found)
    made_anew = [trace.evidence for trace in function.traces if trace.kind == "recreated"]
    is_once = all(said == COMPILED_ALIKE or said.startswith(OF_EACH_STEP) for said in made_anew)
    once = _ONCE if is_once else _SELDOM
    text = (
        f"Keras made `{function.name}` {function.at_least}{how_often(objects)} for a model that was compiled again with"
        f" the same, but for a learning rate at most. Compile it {once}"
        f"{', and set its learning rate where that is' if trains else ''}."
    )
    code = [_COMPILE.format(once), *[_RATE] * trains, *[f"{RESET}  # in place of compiling again"] * bool(gathered)]
    return Fix(
        "compile_once", text, Candidate(objects=objects), other="\n".join(code), assumes="the model is compiled so",
        warnings=[*[_GOES_ON] * trains, *gathered],
    )  # fmt: skip
