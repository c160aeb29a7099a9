"""A tf.function that is made once is made as it was each time: of what its line gives it, and its traces show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, Traced
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import made_in, with_keywords
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, call, numbers, recreated, tensor, thing

_INSTEAD = "  # once, before the loop; call it in place of what is made anew"


def made_at(line: str, times: int = 3) -> list[Traced]:
    return [replace(trace, stack=call(line)) for trace in recreated(times)]


def test_what_a_method_makes_reads_self_as_a_method() -> None:
    def told(qualname: str, **fields: object) -> bool:
        return (
            "(`def serve(self, x)`, decorated)" in advice(recreated(3), "serve", qualname=qualname, **fields)[0].in_one
        )

    assert told("Model.predict.<locals>.serve")
    assert told("main.<locals>.Model.predict.<locals>.serve")
    assert not told("predict.<locals>.serve")
    assert not told("main.<locals>.predict.<locals>.serve")
    assert not told("Model.predict.<locals>.serve", undecorated=True)


def test_the_call_in_the_line_is_what_to_make_once() -> None:
    (found,) = advice(made_at("return tf.function(Trainer._impl, autograph=False)(x)"), "_impl")
    assert found.code == f"compiled_impl = tf.function(Trainer._impl, autograph=False){_INSTEAD}"
    (found,) = advice(made_at("y = tf.function(lambda v: v * 2, autograph=False)(x)"), "<lambda>")
    assert found.code == f"f = tf.function(lambda v: v * 2, autograph=False){_INSTEAD}"
    assert not found.notes
    (found,) = advice(made_at("y = tf.function(lambda v: v * self.w)(x)"), "<lambda>")
    assert [note.partition(":")[0] for note in found.notes] == ["`self` is there in a method alone"]
    bound = "tf.function(functools.partial(self.run, k=2))"
    assert made_in(f"return {bound}(x)", "run") == bound


def test_what_is_loaded_anew_stands_in_no_loop() -> None:
    traces = [replace(trace, loaded_again=trace.kind == "recreated") for trace in recreated(3)]
    (found,) = advice(traces, "serve", qualname="serve", file="/srv/model.py")
    assert numbers([found]) == [("create_function_once", 3, 1)]
    assert "Execute `model.py` once" in found.text
    assert "loop" not in found.in_one
    assert found.code == "serve(…)  # the same object each time: execute `model.py` once"


def test_a_method_that_is_called_on_its_class_as_well_is_defined_once_already() -> None:
    """Nothing is made anew: `Net.step(net, x)` and `net.step(x)` are two functions."""

    def told(*owners: int) -> str:
        traces = made_at("y = step(x)", len(owners))
        for place, owner in enumerate(owners):
            signature = Signature((("self", thing(owner, "Net")), *traces[place].lookup.signature.arguments))
            traces[place] = replace(traces[place], lookup=replace(traces[place].lookup, signature=signature))
        (found,) = advice(traces, "step")
        assert numbers([found]) == [("create_function_once", len(owners), len({*owners}))]
        return found.in_one if found.code is None else ""

    assert told(1, 1).endswith("(`Net.step(…)`), and one for each instance. Call it on the instance each time.")
    assert told(1, 1, 2) == ""


def test_what_no_line_shows_is_to_stay() -> None:
    said = "Give `tf.function` there whatever else it is given where it is made now, such as `autograph=False`."
    for traces, name in ((recreated(3), "step"), (recreated(3), "<lambda>"), (made_at("step(x)"), "step")):
        (found,) = advice(traces, name)
        assert found.notes == (said,)
    (found,) = advice(made_at("y = tf.function(step, autograph=False)(x)"), "step")
    assert found.notes == ()


def test_of_several_calls_and_of_other_lines_none_is_taken() -> None:
    assert made_in("a, b = tf.function(run), tf.function(run)", "run") == ""
    assert made_in("return tf.function(walk)(run)", "run") == ""
    traces = made_at("return tf.function(run)(x)")
    traces[1] = replace(traces[1], stack=call("return tf.function(run, jit_compile=True)(x)"))
    (found,) = advice(traces, "run")
    assert "jit_compile" not in (found.code or "")


def test_keywords_that_traces_show_stay() -> None:
    traces = [replace(t, lookup=replace(t.lookup, reduce_retracing=True)) for t in recreated(3)]
    (found,) = advice(traces, "step", jit_compile=True)
    assert (found.code or "").startswith("@tf.function(reduce_retracing=True, jit_compile=True)\ndef step(x):")
    (found,) = advice(recreated(3), "step", jit_compile=True, compiled_in_part=True)
    assert (found.code or "").startswith("@tf.function\ndef step(x):")
    assert "XLA compiles some of the tf.function objects" in found.in_one
    declared = Signature((("x", Node("tensor", dtype="float32", shape=(-1,))),))
    traces = [replace(t, lookup=Lookup(declared, t.lookup.object_number)) for t in recreated(3)]
    (found,) = advice(traces, "<lambda>")
    spec = "input_signature=[tf.TensorSpec([None], tf.float32)]"
    assert (found.code or "").startswith(f"f = tf.function(…, {spec})  # once")
    both = Signature(tuple((name * 9, Node("tensor", dtype="float32", shape=(-1, -1, 3))) for name in "xyz"))
    wide = [replace(t, lookup=Lookup(both, t.lookup.object_number)) for t in traces]
    (found,) = advice(wide, "<lambda>")
    assert (found.code or "").startswith("f = tf.function(…,\n    input_signature=[\n")
    nested = [replace(trace, nested=True) for trace in traces]  # there dimensions are unknown without being declared
    (found,) = advice(nested, "<lambda>")
    assert (found.code or "").startswith("f = tf.function(…)  # once")


def test_what_is_declared_besides_is_added() -> None:
    assert with_keywords("tf.function(f, autograph=False)", "jit_compile=True") == (
        "tf.function(f, autograph=False, jit_compile=True)"
    )
    signature = "input_signature=[tf.TensorSpec([None], tf.float32)]"
    assert with_keywords("tf.function(f, reduce_retracing=True)", signature) == f"tf.function(f, {signature})"
    assert with_keywords("tf.function(lambda x: …)", signature) == f"tf.function(lambda x: …, {signature})"


def test_a_method_that_a_call_made_a_function_has_another_name_there() -> None:
    def code(line: str, **fields: object) -> str:
        traces = made_at(line)
        for place, trace in enumerate(traces):
            change = replace(
                trace.changes[0] if trace.changes else recreated(2)[1].changes[0], cause="object_identity", path="self",
                old="Agent object #1", new="Agent object #2",
            )  # fmt: skip
            signature = Signature((("self", thing(place + 1, "Agent")), *trace.lookup.signature.arguments))
            lookup = replace(trace.lookup, signature=signature)
            traces[place] = replace(trace, lookup=lookup, changes=(change,) if trace.changes else ())
        return next(one.code or "" for one in advice(traces, "_step", **fields) if one.rule == "one_instance")

    made: dict[str, object] = {"undecorated": True, "qualname": "Agent._step"}
    assert "agent.…(…)  # in place of: run(agent, x)" in code("run(agent, x)", **made)
    assert code("agent.step(x)", **made) == "agent = Agent(…)  # once, before the loop"  # as it has been made
    assert code("agent._step(x)", **made) == "agent = Agent(…)  # once, before the loop"  # the line stays as it is
    assert "agent._step(…)" in code("agent.step(x)", qualname="Agent._step")


def test_a_static_method_takes_no_self() -> None:
    evidence = "The new tf.function object reads `RATE`: 1.0 → 2.0. One object that is passed it as a tensor would do."
    traces = [replace(trace, evidence=evidence) if trace.changes else trace for trace in recreated(3)]
    (found,) = advice(traces, "fwd", qualname="Model.fwd")
    assert (found.code or "").startswith("@tf.function\ndef fwd(x, RATE):")
    signature = Signature((("self", thing(1, "Model")), *traces[0].lookup.signature.arguments))
    traces = [replace(t, lookup=replace(t.lookup, signature=signature)) for t in traces]
    (found,) = advice(traces, "fwd", qualname="Model.fwd")
    assert (found.code or "").startswith("@tf.function\ndef fwd(self, x, RATE):")


def test_a_function_that_is_passed_what_it_closed_over_stays_declared() -> None:
    def of(declared: Signature, **fields: object) -> str:
        evidence = "The new tf.function object closes over another `video` of float32 (9, 4). One object that is passed"
        evidence += " it as an argument would do."
        traces = [replace(trace, evidence=evidence) if trace.changes else trace for trace in recreated(3)]
        traces = [replace(t, lookup=Lookup(declared, t.lookup.object_number)) for t in traces]
        (found,) = advice(traces, "cut", **fields)
        return f"{found.in_one}\n{found.code}"

    def tensor(name: str, *shape: int) -> tuple[str, Node]:
        return name, Node("tensor", dtype="int32", shape=shape)

    compiled = of(Signature((tensor("x", 3),)), jit_compile=True)
    assert "\n@tf.function(jit_compile=True)\ndef cut(x, video):" in compiled
    known = of(Signature((tensor("x", -1),)))
    specs = "tf.TensorSpec([None], tf.int32), tf.TensorSpec([9, 4], tf.float32)"
    assert f"\n@tf.function(input_signature=[{specs}])\ndef cut(x, video):" in known
    hidden = of(Signature((tensor("start"), tensor("end"))))
    stays = "makes tensors of `start` and `end`, that stays, and declares `video` (tf.TensorSpec([9, 4], tf.float32))"
    assert stays in hidden
    assert "\n@tf.function\ndef cut(start, end, video):" in hidden
    assert "input_signature" not in of(Signature((tensor("x", 3),)))


def test_what_lines_do_not_pass_is_bound_by_a_partial() -> None:
    two = Node("literal", type_name="int", value="2")
    signature = Signature((("x", Node("tensor", dtype="float32", shape=(3,))), ("steps", two)))

    def code(line: str, **fields: object) -> str:
        traces = [replace(t, lookup=Lookup(signature, t.lookup.object_number)) for t in made_at(line)]
        (found,) = advice(traces, "loss", undecorated=True, **{"passed_as": "functools.partial(loss, …)", **fields})
        return found.code or ""

    partial = f"compiled_loss = tf.function(functools.partial(loss, steps=2)){_INSTEAD}"
    untold = partial.replace("steps=2", "…")
    assert code("total += float(score(x))") == partial
    assert code("total += float(score(x))", passed_as="") == f"compiled_loss = tf.function(loss){_INSTEAD}"
    assert code("total += float(score(x))", passed_as="…") == f"compiled_loss = tf.function(…){_INSTEAD}"
    assert code("total += float(score(x, 2))") == untold  # a keyword that it takes by default, say
    assert code("total += float(score(*batch))") == untold
    assert code("total += float(score(x))", with_default=frozenset({"steps"})) == untold
    assert code("total = score()") == untold  # `x` is bound, too


def test_what_is_asked_for_without_arguments_is_declared() -> None:
    declared = Signature((("x", Node("tensor", dtype="float32", shape=(-1,))),))

    def code(line: str) -> str:
        asks = Frame("/tensorflow/python/eager/def_function.py", 1, "get_concrete_function", "", False)
        traces = [
            replace(t, lookup=Lookup(declared, t.lookup.object_number), stack=(asks, *call(line))) for t in recreated(3)
        ]
        (found,) = advice(traces, "serve")
        return found.code or ""

    spec = "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"
    assert code("save(model, signatures=serve.get_concrete_function())").startswith(spec)
    assert code("save(model, signatures=serve.get_concrete_function(spec))").startswith("@tf.function\n")


@pytest.mark.parametrize(
    "source", ["step(x)", "make(t)(x)", "step(x, t)", "step(x, t=t)", "step(*both)"]
)  # fmt: skip
def test_tensors_that_are_default_values_are_passed_at_each_call(source: str) -> None:
    """One for all would go on with the first's, without an error."""
    arguments = (("x", tensor(2)), ("t", tensor(2)))
    traces = [
        replace(t, lookup=replace(t.lookup, signature=Signature(arguments)), stack=call(source)) for t in recreated(3)
    ]
    (found,) = advice(traces, "step", with_default=frozenset({"t"}))
    is_left_out = source.endswith("(x)")
    assert ("the default value of `t` is another tensor each time" in found.in_one) == is_left_out
    assert (found.apply is None) == is_left_out
    assert (found.code or "").endswith("\n\nstep(…, t=t)") == is_left_out
    (found,) = advice(traces, "step")  # it has none: the call passes it in another way
    assert found.warnings == ()


def test_what_a_dataset_calls_is_passed_its_elements() -> None:
    maps = Frame("/site-packages/tensorflow/python/data/ops/structured_function.py", 1, "wrapper_helper", "", False)
    arguments = (("x", tensor(2)), ("t", tensor(2)))
    traces = [
        replace(t, lookup=replace(t.lookup, signature=Signature(arguments)), stack=(maps, *call("rows.map(made)")))
        for t in recreated(3)
    ]
    (found,) = advice(traces, "step", with_default=frozenset({"t"}))
    assert found.warnings == ()


def test_tensorflow_of_another_name() -> None:
    for makes in ("tf.function", "tfl.function", "function"):
        assert made_in(f"y = {makes}(T.step)(x)", "step") == f"{makes}(T.step)"
    assert made_in("y = jax.jit(T.step)(x)", "step") == ""
