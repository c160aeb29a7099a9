"""What Keras makes for the input pipeline that it builds in each call of a model on what is no `tf.data.Dataset`."""

from __future__ import annotations

from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict

MADE_OF_OTHERS = Verdict(
    "unknown",
    "Keras builds an input pipeline of its own in each call of `fit`, `evaluate` or `predict` on what is no"
    " tf.data.Dataset, and this function is a part of it. One call, with all epochs or inputs, builds one;"
    " `predict_on_batch`, and calls on a tf.data.Dataset, build none. Whether either would do for the program is not"
    " known.",
)
BY_EACH_CALL_OF_KERAS = (
    "Keras makes it anew in each call of `fit`, `evaluate` or `predict` on what is no tf.data.Dataset."
)
MADE_OF_ARRAYS = Verdict(
    "avoidable",
    "Keras makes this function for the input pipeline that it builds in each call of `fit`, `evaluate` or `predict` on"
    " arrays. Calls on a tf.data.Dataset, and `predict_on_batch`, build none.",
)
_OF_A_GENERATOR = (
    "Keras makes this function for the dataset that it builds of a generator, PyDataset or Sequence in each call of"
    " `fit`, `evaluate` or `predict`"
)
GENERATED_AGAIN = (
    f"{_OF_A_GENERATOR}. One tf.data.Dataset that is built once, and asks for that again each time that it is gone"
    " through, would do."
)
_GENERATED_ELSEWHERE = (
    f"{_OF_A_GENERATOR}, and other calls than this one made the earlier ones. Each needs a trace, once."
)
_OF_OTHER_CALLS = (
    "Keras makes this function for the input pipeline that it builds in each call of `fit`, `evaluate` or `predict` on"
    " what is no tf.data.Dataset, and other calls than this one made the earlier ones. Each needs a trace, once."
)


def judge_by_calls(facts: Facts) -> Verdict | None:
    """By which calls have built such before; None where that does not tell."""
    if facts.generated:
        is_again = facts.generated == "again"
        return Verdict("avoidable", GENERATED_AGAIN) if is_again else Verdict("bounded", _GENERATED_ELSEWHERE)
    if facts.other_calls and (facts.other_methods or not facts.same_graph):
        return Verdict("bounded", _OF_OTHER_CALLS)
    return None
