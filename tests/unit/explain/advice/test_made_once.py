"""Models that one line loads again, or makes again of the same layers."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge
from tests.unit.explain.advice.test_advice_rules import recreated

_LIBRARY = "/site-packages/tensorflow/python/saved_model/function_deserialization.py"
_TRAINER = "/site-packages/keras/src/backend/tensorflow/trainer.py"
CLOSURE = (ClosureChange("self", "Functional object", "Functional object", False),)
NEW = Facts("recreated", (Change("recreated_function", ""),), same_graph=False, closure=CLOSURE)


def judged(count: int, verdict: Verdict, source: str, *, file: str, lines: int = 1) -> list[Traced]:
    traces = recreated(count, None, same_graph=False)
    library = Frame(file, 1, "predict", "", False)
    return [
        replace(
            trace,
            stack=(library, Frame("/home/user/serve.py", 7 + place % lines, "main", source, True)),
            verdict=verdict.word if place else "needed",
            evidence=verdict.evidence if place else "",
        )
        for place, trace in enumerate(traces)
    ]


def loaded(source: str, *, count: int = 3, lines: int = 1, fit: bool | None = True) -> list[Advice]:
    verdict = judge(replace(NEW, restored=True, variables_fit=fit))
    assert verdict.word == "unknown"
    traces = judged(count, verdict, source, file=_LIBRARY, lines=lines)
    return advise(FunctionFacts("restored_function_body", traces, library=True, file=_LIBRARY))


def test_a_model_that_each_call_loads_is_loaded_once() -> None:
    (found,) = loaded("return hub.load(path)(x)")
    assert (found.rule, found.traces_after, found.apply) == ("load_saved_model_once", None, None)
    assert found.code == "model = hub.load(…)  # once, before the loop"
    (elsewhere,) = loaded("y = model.signatures['serving_default'](x)")
    assert (elsewhere.code or "").startswith("model = tf.saved_model.load(…)")


def test_not_of_lines_of_their_own_nor_of_other_shapes() -> None:
    assert not loaded("y = model(x)", lines=2)
    assert not loaded("y = model(x)", fit=None)


def test_models_that_the_program_keeps_need_a_trace_each() -> None:
    verdict = judge(replace(NEW, restored=True, variables_fit=True, kept_objects={"()": "for m in models"}))
    assert verdict.word == "bounded"
    assert "for m in models" in verdict.evidence
    traces = judged(3, verdict, "m(x)", file=_LIBRARY)
    assert not advise(FunctionFacts("restored_function_body", traces, library=True, file=_LIBRARY))


def made(source: str, *, count: int = 3, lines: int = 1) -> list[Advice]:
    verdict = judge(replace(NEW, made_by_each_compile=True, same_captures=True))
    assert verdict.word == "unknown"
    traces = judged(count, verdict, source, file=_TRAINER, lines=lines)
    return advise(FunctionFacts("one_step", traces, library=True, file=_TRAINER))


def test_a_part_of_a_model_is_made_once() -> None:
    (found,) = made("out[i] = keras.Model(model.input, layer.output).predict(x)")
    assert (found.rule, found.traces_after, found.apply) == ("keep_model", None, None)
    assert found.code == "kept = keras.Model(model.input, layer.output)  # once, before the loop; of several one each"
    (elsewhere,) = made("part.predict(x)")
    assert (elsewhere.code or "").startswith("kept = keras.Model(…)")
    assert not made("part.predict(x)", lines=2)
