"""Of a function that Keras makes anew for each model, and when one is compiled again: could an earlier one serve."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.number_holders import closes_over_another_class
from tb_retrace_plugin.explain.earlier_traces.compiled import Recompiled
from tb_retrace_plugin.explain.verdict.evidence import (
    ANOTHER_MODEL_ALIKE,
    COMPILED_ALIKE,
    COMPILED_FOR_OTHER_PARTS,
    EACH_CHOSEN,
    IS_KEPT,
    MADE_AGAIN_ALIKE,
    OF_A_MODEL_FOR_OTHER_PARTS,
    OF_THE_SAME_WEIGHTS,
    told_of_chosen,
    told_of_reads,
)
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict

_MADE_ANEW = (
    "Keras makes this function anew when the model is compiled again, or the one that it keeps (`train_function`, say)"
    " is reset"
)
MADE_BY_EACH_COMPILE = (
    f"{_MADE_ANEW}. Whether it had to be is not known: another loss, and layers that are frozen or not, need it;"
    " another learning rate does not (`model.optimizer.learning_rate = …`, which also keeps the optimizer's state), nor"
    " does another number that the model reads, if it is a tf.Variable."
)
_OF_ANOTHER_MODEL = (
    "Keras makes this function for each model, and this is another one. One that is built or loaded anew for each call"
    " can be made once and kept; whether it is such a one is not known. Different models need one each."
)
_OF_A_MODEL_OR_COMPILE = (
    "Keras makes this function for each model, and anew when a model is compiled again; there was one for this step"
    " before. Whether that one could serve is not known."
)
_KEPT_MODEL = (
    "If it was built or loaded anew for each run of several, such as a fold, a trial or a request, make one, keep it,"
    " and set its variables before each run where they are others: that needs no trace. Models that are kept side by"
    " side need one each."
)
_OF_A_MODEL_OF_OTHER_SHAPES = (
    "Keras makes this function for each model, and no earlier graph has variables of the same shapes: models,"
    " optimizers or steps (`evaluate` after `fit`) that differ so need a trace each."
)
_OF_A_MODEL_OF_ANOTHER_CLASS = (
    "Keras makes this function for each model, and there was none for one of this class before: it needs a trace, once."
)

#: In the text of a specification.
_TENSOR = re.compile(r"\b(?:float|int|uint|bool|string|complex|bfloat)\w* \(")
_ANEW = "Keras makes this function anew when the model is compiled again, as it has to be here"
#: What a step reads that is told by what the model was compiled with.
_OPTIMIZERS = ("model.optimizer",)
_MOST_NAMED = 3
_MOST_TEXT = 80

KERAS_PREDICT = (
    "Keras passes `{}` as `predict` is given it, and `predict_on_batch` a tuple of that: each is traced, as are batches"
    " of other sizes."
)


def judge_recompiled(facts: Facts) -> Verdict | None:
    """Of a step of a model that was compiled again; None where it is not known for what."""
    if facts.recompiled is not None:
        return Verdict("bounded", _recompiled(facts.recompiled))
    if chosen := told_of_chosen(facts.read_otherwise, facts.chosen_in_python, without=_OPTIMIZERS):
        return Verdict("bounded", f"{_MADE_ANEW}, and this one reads {chosen}")
    if facts.step_within.endswith(EACH_CHOSEN):
        return Verdict("bounded", facts.step_within)
    is_alike = facts.same_graph or facts.variables_fit or facts.same_operations
    if facts.compiled_alike and is_alike:
        return Verdict("avoidable", COMPILED_ALIKE)
    if facts.compiled_alike and any(map(_is_of_other_parts, facts.changes)):
        return Verdict("bounded", COMPILED_FOR_OTHER_PARTS)
    return None


def _is_of_other_parts(change: Change) -> bool:
    """Whether it is of data with more or fewer parts, such as sample weights, as they are or out of an iterator."""
    counts = [len(_TENSOR.findall(text)) for text in (change.old, change.new)]
    return change.cause == "structure" or (change.cause == "composite_spec" and counts[0] != counts[1] and all(counts))


def made_by_each_compile(facts: Facts) -> str:
    """Of one that is not known to be needed, with what it reads that has changed, or one that it was traced around."""
    if facts.step_within.startswith(MADE_BY_EACH_COMPILE):
        return facts.step_within
    told = told_of_reads(facts.read_otherwise)
    return MADE_BY_EACH_COMPILE + (f" This one reads {told}." if told else "")


def _recompiled(why: Recompiled) -> str:
    told = [
        f"it {verb} {_names(names)}, which {'was' if len(names) == 1 else 'were'} {before}"
        for names, verb, before in ((why.trained, "trains", "frozen"), (why.frozen, "leaves frozen", "trained"))
        if names
    ]
    settings = [f"`{name}`: {_short(was)} → {_short(now)}" for name, (was, now) in why.settings.items()]
    if settings:
        more = f" and {len(settings) - _MOST_NAMED} more" if len(settings) > _MOST_NAMED else ""
        told.append(f"with {', '.join(settings[:_MOST_NAMED])}{more}")
    return f"{_ANEW}: {' and '.join(told)}. Each needs a trace, once."


def _short(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def _names(layers: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in layers[:_MOST_NAMED])
    return f"{shown} and {len(layers) - _MOST_NAMED} more" if len(layers) > _MOST_NAMED else shown


def of_another_model(facts: Facts) -> Verdict:
    is_another_step = any(c.is_function for c in facts.closure or ())  # of one of this step nothing is known
    if not is_another_step and any(map(_is_of_other_parts, facts.changes)):
        return Verdict("bounded", OF_A_MODEL_FOR_OTHER_PARTS)
    if facts.same_captures:
        return Verdict("unknown", OF_THE_SAME_WEIGHTS)
    if verdict := _by_variables(facts):
        return verdict
    differs = facts.same_graph is False and facts.other_nodes and not facts.same_operations
    if differs and facts.other_classes and any(map(closes_over_another_class, facts.closure or ())):
        return Verdict("bounded", _OF_A_MODEL_OF_ANOTHER_CLASS)
    return Verdict("unknown", _OF_ANOTHER_MODEL)


def of_a_model_or_compile(facts: Facts) -> Verdict:
    """Of a step of which there was a function before, where it is compared with that of another step."""
    return _by_variables(facts) or Verdict("unknown", _OF_A_MODEL_OR_COMPILE)


def _by_variables(facts: Facts) -> Verdict | None:
    if facts.variables_fit is False:
        return Verdict("bounded", _OF_A_MODEL_OF_OTHER_SHAPES)
    if facts.variables_fit and (kept := facts.kept_objects.get("self")):
        return Verdict("bounded", f"Keras makes this function for each model. {IS_KEPT.format(kept)}")
    if facts.variables_fit and (made := facts.made_for_each_call.get("self")):
        return Verdict("avoidable", f"{ANOTHER_MODEL_ALIKE} `{made}` {MADE_AGAIN_ALIKE}")
    return Verdict("unknown", f"{ANOTHER_MODEL_ALIKE} {_KEPT_MODEL}") if facts.variables_fit else None


def is_another_in_a_tuple(change: Change) -> bool:
    """Whether one is a tuple of one, and that one, or the other, does not serve both: of another size, say."""
    (bare, inner), *others = [
        (a, b[1:-2])
        for a, b in ((change.old, change.new), (change.new, change.old))
        if b.startswith("(") and b.endswith(",)") and not (a.startswith("(") and a.endswith(",)"))
    ] or [("", "")]
    return not others and bare != inner and "None" not in bare + inner
