"""First calls that are traced twice, as they create variables: where these exist before, once."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import is_of_a_trainer
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: A second trace of a graph of so many nodes takes a second or so: it is told whatever else there is to tell.
_LARGE_NODES = 2_000
#: Of smaller ones so many are told, where nothing else can be avoided.
_MANY = 3
_CODE = (
    "# before the first call\n"
    "model(inputs)  # a Keras model, once: it makes its variables\n"
    "optimizer.build(model.trainable_variables)\n"
    "v = tf.Variable(…)  # any other: where what holds it is made"
)
_OF_KERAS = (
    "# before `fit`, of each optimizer that `train_step` applies, with the variables that it applies it to\n"
    "optimizer.build(model.trainable_variables)"
)


def propose(function: FunctionFacts) -> Fix | None:
    """Where the second traces are worth a change. Of Keras' own step it is the model's optimizers, as Keras builds all
    but those that a `train_step` of the user's own applies."""
    if function.library and not is_of_a_trainer(function.file):
        return None
    creating = [trace for trace in function.traces if trace.kind == "variable_creation"]
    if not creating or any(trace.lookup.failed for trace in creating):
        return None
    is_large = any(trace.nodes >= _LARGE_NODES for trace in creating)
    if not is_large and (function.avoidable or len(creating) < _MANY):
        return None
    of_each = f" of each of {plural(len(creating), 'tf.function object')}" if len(creating) > 1 else ""
    text = (
        f"The first call{of_each} of `{function.name}` creates variables, and TensorFlow traces such a call twice."
        " Create them before it: those of layers, of the optimizer, and any `tf.Variable` of its own."
    )
    code = _OF_KERAS if function.library else _CODE
    return Fix(
        "create_variables_first", text, Candidate(variables_outside=True), other=code, executes=True,
        assumes="all that the first call creates can be created before it",
    )  # fmt: skip
