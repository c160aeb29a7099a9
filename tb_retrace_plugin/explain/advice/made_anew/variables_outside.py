"""A function that creates variables on every call: TensorFlow's second trace of it fails, and so do later ones."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Owner, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.made_anew.variables_first import made_before, owners_of
from tb_retrace_plugin.explain.advice.source.code import is_dotted_name
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_EACH_TIME, CREATES_VARIABLES_LATE
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_trainer

_UP_TO_CALLS = "Whether later calls are traced again is up to what they pass."
_MOST_NAMED = 3


def _on_every_call(function: FunctionFacts) -> list[Traced]:
    """Traces that failed because they created variables once more."""
    made = [t for t in function.avoidable if t.kind == "variable_creation" and t.lookup.failed]
    return [t for t in made if t.evidence == CREATES_VARIABLES_EACH_TIME]


def propose_before(function: FunctionFacts) -> Fix | None:
    """For variables of a later call, such as those of the optimizer of a second model."""
    if _on_every_call(function) or not any(t.evidence == CREATES_VARIABLES_LATE for t in function.avoidable):
        return None
    late = f"A later call of `{function.name}` creates variables, which TensorFlow allows in the first call only"
    owners = owners_of(function)
    if owners and all(one.kind == "variable" for one in owners):
        made = listed([one.name for one in owners][:_MOST_NAMED])
        is_of_self = all(one.name.startswith("self.") for one in owners)
        where = "where its object is made" if is_of_self else "before the first call"
        if any(t.evidence == CREATES_VARIABLES_LATE and not t.lookup.failed for t in function.avoidable):
            them = "it" if len(owners) == 1 else "them"  # they are those of the later call, then
            names = [one.name if is_dotted_name(one.name) else "…" for one in owners[:_MOST_NAMED]]
            return Fix(
                "create_variables_before",
                f"{late}: {made}. Create {them} {where}, and only use {them} in it.",
                None,
                other="\n".join(f"{name} = tf.Variable(…)  # {where}" for name in dict.fromkeys(names)),
                evidence=_UP_TO_CALLS,
            )
        if holders := _that_hold(function, owners):
            each = f"where each {listed(holders)} is made"
            names = [one.name for one in owners[:_MOST_NAMED]]
            return Fix(
                "create_variables_before",
                f"{late}: those of another {listed(holders)}, as the first one's were ({made}). Create them {each}, in"
                " its `__init__`, say, and only use them in the call.",
                None,
                other="\n".join(f"{name} = tf.Variable(…)  # {each}" for name in dict.fromkeys(names)),
                evidence=_UP_TO_CALLS,
            )
        return Fix(
            "create_variables_before",
            f"{late}: as that created {made}, its code may create others in calls that need them. Create them all"
            f" {where}, and only use them in it.",
            None,
            other=f"{'self.' if is_of_self else ''}… = tf.Variable(…)  # {where}: what some calls alone create, too",
            evidence=_UP_TO_CALLS,
        )
    text = (
        f"{late}: those of an optimizer or a layer that is used for the first time, say, or a tf.Variable that its code"
        " makes in some calls. Create them before the call, or make a `tf.function` of their own for each model and"
        " optimizer."
    )
    code = _as_the_first_has_them(function) or (
        # not `model.build`: Keras 3 builds none of the layers of a subclassed model that has no `build`
        "model(inputs)  # once before the first call with this model: it makes its variables\n"
        "optimizer.build(model.trainable_variables)  # and with this optimizer"
    )
    return Fix("create_variables_before", text, None, other=code, evidence=_UP_TO_CALLS)


def _other_objects(function: FunctionFacts) -> list[str]:
    """Paths of those that are others in the later calls."""
    late = [trace for trace in function.avoidable if trace.evidence == CREATES_VARIABLES_LATE]
    changes = [change for trace in late for change in trace.changes]
    return list(dict.fromkeys(c.path for c in changes if c.cause in ("object_identity", "python_type")))


def _that_hold(function: FunctionFacts, owners: Sequence[Owner]) -> list[str]:
    """Those of the other objects that hold all these variables; [] if some are held by others."""
    found = [one for one in _other_objects(function) if any(owner.name.startswith(f"{one}.") for owner in owners)]
    within = tuple(f"{path}." for path in found)
    return found if all(owner.name.startswith(within) for owner in owners) else []


def _as_the_first_has_them(function: FunctionFacts) -> str:
    """What makes those that the first call has created, where such objects alone are others in the later ones."""
    others = {*_other_objects(function)}
    owners = owners_of(function)
    if not others or not others <= {one.name for one in owners} or not all(one.kind for one in owners):
        return ""
    return made_before(function, owners).replace("the first call", "the first call with each", 1)


def propose_in_keras(function: FunctionFacts) -> Fix | None:
    """Of the step of a Keras model, which runs the user's own loss, metrics and layers."""
    if not is_of_a_trainer(function.file) or not _on_every_call(function):
        return None
    text = (
        "What Keras traces of the model (its `call`, its own `train_step`, a layer, the loss or a metric) creates"
        " variables on every call, which TensorFlow refuses after the first trace. Create the tf.Variable, the layer or"
        " the optimizer once, where the model or the loss is made, and only use it there."
    )
    code = "weights = tf.Variable(…)  # once, outside of what is called; tf.constant(…) where it never changes"
    return Fix(
        "create_variables_outside", text, Candidate(variables_outside=True), other=code,
        assumes="nothing else makes a trace fail",
    )  # fmt: skip


def propose(function: FunctionFacts) -> Fix | None:
    traces = _on_every_call(function)
    if not traces:
        return None
    text = (
        f"`{function.name}` creates variables on every call, which TensorFlow refuses after the first trace. Create the"
        " layer, the optimizer or the tf.Variable once, outside the function, and only use it inside."
    )
    parameters = [path for path, _ in traces[0].lookup.signature.arguments]
    shown = ", ".join(parameters) if all(path.isidentifier() for path in parameters) else "…"
    used = f"@tf.function\ndef {function.name}({shown}):\n    …  # uses it"
    if not function.name.isidentifier():
        used = f"f = tf.function(lambda {shown}: …)  # uses it"
    code = f"layer = …  # the keras layer, optimizer or tf.Variable: once, outside; built there\n\n{used}"
    return Fix(
        "create_variables_outside", text, Candidate(variables_outside=True), other=code,
        outside={"variables_once": True},
        assumes="nothing else makes a trace fail, and that layers and optimizers are built before the first call",
    )  # fmt: skip
