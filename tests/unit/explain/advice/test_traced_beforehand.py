"""Changing shapes beside an object, a flag or None: traced with unknown dimensions before the first call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.code_of_fixes import code_of
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, Frame, FunctionFacts, MadeBefore, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.verdict.evidence import OTHER_VARIABLES
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import (
    advice,
    call,
    history,
    literal,
    mapping,
    number,
    numbers,
    numbers_of,
    tensor,
    thing,
)
from tests.unit.explain.advice.test_one_dtype import ragged

FIRST = "# once, before the first call\n"
NOT_TRAINING = {"kwargs['training']": literal(False)}


def best(*calls: dict[str, Node], source: str = "", name: str = "step", **fields: object) -> Advice:
    return advice(history(*calls, source=source), name, **fields)[0]


def test_once_for_each_value_of_a_mode() -> None:
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", None) for n in (1, 16)]
    found = best(*calls, source="action = agent.step(x, mode)")
    assert numbers([found]) == [("trace_beforehand", 4, 2)]
    assert found.in_one == (
        "`x` of `step` changes shape, and an input signature cannot declare `mode`. Trace it with unknown dimensions"
        " before the first call, once for each of 2 kinds of calls: calls of every shape find that trace."
    )
    asks = "agent.step.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), {})"
    assert found.code == FIRST + "\n".join(map(asks.format, ("'a'", None)))
    assert found.apply is None
    assert why_by_hand(found.rule) == "what comes before the first call is written in the source"


@pytest.mark.parametrize(
    ("source", "callee"),
    [
        ('STEPS["train"](x, **options)', 'STEPS["train"]'),
        ("self.steps[0](x, mode)", "self.steps[0]"),
        ("STEPS[name](x, mode)", "step"),  # which one it is, is known there alone
        ("sum(hook(x, mode) for hook in HOOKS)", "step"),
    ],
)
def test_what_lies_in_a_registry_is_asked_there(source: str, callee: str) -> None:
    calls = [{"x": tensor(n, 4), "mode": literal("a")} for n in (1, 16)] + [{"x": tensor(4, 4), "mode": literal("b")}]
    found = best(*calls, source=source)
    assert found.code == f"{FIRST}{callee}.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), 'a')"


def test_names_of_a_helper_are_said_to_be_its_own() -> None:
    def told(around: str) -> str:
        traces = history(*({"x": tensor(n, 4), "net": thing(1, "Net")} for n in (1, 16)), source="step(x, net)")
        outer = Frame("train.py", 30, "<module>", around, True)
        stacks = [[replace(f, function="run") if f.user else f for f in trace.stack] for trace in traces]
        traces = [replace(trace, stack=(*own, outer)) for trace, own in zip(traces, stacks, strict=True)]
        return (advice(traces, "step")[0].code or "").splitlines()[0]

    assert told("run(x, net=Net())") == "# once, before the first call, with `net` as `run` has it"
    assert told("run()") == "# once, before the first call"


def test_what_makes_the_variables_otherwise_comes_before() -> None:
    calls = [{"x": tensor(n, 4), "mode": literal("a")} for n in (1, 16)] + [{"x": tensor(4, 4), "mode": literal("b")}]
    said = "The first call of `fit` makes the variables of {}: if this function uses them, ask for the trace after that"
    found = best(*calls, made_before=MadeBefore("fit", ("net", "head")))
    assert (found.rule, said.format("`net` and `head`") in found.in_one) == ("trace_beforehand", True)
    assert said.format("the model") in best(*calls, made_before=MadeBefore("fit", ("self",))).in_one
    assert "makes the variables" not in best(*calls).in_one


def test_what_a_call_of_tf_function_made_has_a_name_of_its_own() -> None:
    """`predict = tf.function(model.score)`, of which two calls in a line may be the one: the method has no traces."""
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", "b") for n in (1, 16)]
    made = {"undecorated": True, "qualname": "Model.score"}
    found = best(*calls, source="mean, var = predict(load(n, 2), 'a')", name="score", **made)
    assert (found.code or "").startswith(
        "# once, before the first call, where `compiled_score` is what `tf.function(….score)` makes\n"
        "compiled_score.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), 'a')"
    )
    (decorated,) = {line.partition(".get")[0] for line in (best(*calls, name="score").code or "").splitlines()[1:]}
    assert decorated == "score"


def test_what_a_line_of_two_calls_does_not_name_has_the_name_of_the_other_kind() -> None:
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", "b") for n in (1, 16)]
    traces = history(*calls, source="agent(x, mode)")
    traces[2:] = [replace(one, stack=call("agent(x, mode); agent(y, mode)")) for one in traces[2:]]
    found = advice(traces, "__call__", qualname="Agent.__call__")[0]
    asks = "agent.__call__.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), {})"
    assert found.code == FIRST + "\n".join(map(asks.format, ("'a'", "'b'")))


def test_what_creates_variables_is_traced_first_whatever_its_shapes() -> None:
    """TensorFlow refuses to create them once another kind of call has been traced."""
    calls = [(8, True), (8, True), (32, False), (5, False)]
    traces = history(*({"x": tensor(n, 4), "training": literal(flag)} for n, flag in calls), source="step(x, training)")
    created = replace(traces[1].lookup, variables_created=True)
    traces[1] = replace(traces[1], lookup=created, kind="variable_creation", verdict="needed", changes=())
    found = advice(traces, "step")[0]
    assert numbers([found]) == [("trace_beforehand", 4, 3)]
    asks = "step.get_concrete_function(tf.TensorSpec([{}, 4], tf.float32), {})"
    assert found.code == FIRST + "\n".join([asks.format(8, True), asks.format(None, False)])


def test_an_infinity_is_written_as_python_reads_it() -> None:
    calls = [{"x": tensor(n), "norm": norm} for norm in (number(float("-inf")), literal(None)) for n in (1, 16)]
    asks = "step.get_concrete_function(tf.TensorSpec([None], tf.float32), {})"
    assert best(*calls).code == FIRST + "\n".join(map(asks.format, ("float('-inf')", None)))


def test_objects_are_passed_as_the_caller_has_them() -> None:
    calls = [{"model": thing(1), "x": tensor(n)} for n in (2, 3)]
    code = "step.get_concrete_function(net, tf.TensorSpec([None], tf.float32))"
    assert best(*calls, source="loss = step(net, x)").code == FIRST + code
    for source in ("def scores(self, x): return step(self.net, x)", "def scores(x, *, net=None): return step(net, x)"):
        held = "self.net" if "self" in source else "net"  # as in a function of several lines
        assert best(*calls, source=source).code == FIRST + code.replace("(net", f"({held}")
    # made by the line itself, or unknown: nobody can write it before
    for source in ("loss = step(Model(), x)", "[step(net, x) for net in nets]", ""):
        assert "trace_beforehand" not in [one.rule for one in advice(history(*calls, source=source), "step")]
    two = [{"model": thing(which), "x": tensor(n)} for n in (2, 3) for which in (1, 2)]
    judged = [replace(trace, verdict="avoidable") for trace in history(*two, source="step(net, x)")]
    (found,) = [one for one in advice(judged, "step") if one.rule == "trace_beforehand"]
    assert found.traces_after == 2
    assert "Trace it with unknown dimensions before the first call with each `model`: calls of every" in found.in_one
    assert found.code == f"# once with each model, before the first call\n{code}"
    for passed in ("nets[name]", "self.net"):  # kept, and another by turns: what each is called is not known
        named = [replace(trace, stack=call(f"step({passed}, x)")) for trace in judged]
        (found,) = [one for one in advice(named, "step") if one.rule == "trace_beforehand"]
        of_each = code if passed == "self.net" else code.replace("net,", "model,")
        assert found.code == f"# once with each model, before the first call\n{of_each.replace('net,', 'self.net,')}"
    handed = [replace(trace, stack=call("step(x=x, **options)")) for trace in judged]  # by the parameter's name
    (found,) = [one for one in advice(handed, "step") if one.rule == "trace_beforehand"]
    assert (found.code or "").endswith(code.replace("net,", "model,"))
    made = [replace(trace, stack=call("step(Net(), x)")) for trace in judged]
    assert "trace_beforehand" not in [one.rule for one in advice(made, "step")]


def test_objects_in_a_dictionary_are_passed_with_it() -> None:
    members = [mapping(model=thing(k), optimizer=thing(k + 10)) for k in (1, 2)]
    calls = [
        {"member": one, "x": tensor(n), "w": w} for one in members for w in (literal(None), tensor(1)) for n in (2, 3)
    ]
    traces = [replace(t, verdict="avoidable") for t in history(*calls, source="step(members[name], x, w)")]
    (found,) = [one for one in advice(traces, "step") if one.rule == "trace_beforehand"]
    assert found.traces_after == 4
    assert "with each `member`, once for each of 2 kinds of calls that it is passed in: calls" in found.in_one
    asks = "step.get_concrete_function(member, tf.TensorSpec([None], tf.float32), {})"
    said = "# once with each member that is passed so, before the first call\n"
    assert found.code == said + "\n".join(map(asks.format, (None, "tf.TensorSpec([1], tf.float32)")))


def in_folds(source: str, folds: int = 2, models: int = 9) -> Advice | None:
    """Each fold passes its number and a model, which is another one for each of so many."""
    calls = [{"model": thing(1 + k % models), "x": tensor(n), "k": literal(k)} for k in range(folds) for n in (2, 3)]
    traces = [
        replace(t, verdict="avoidable" if n % 2 else "unknown") for n, t in enumerate(history(*calls, source=source))
    ]
    found = [one for one in advice(traces, "step") if one.rule == "trace_beforehand"]
    return found[0] if found else None


def test_each_object_is_traced_in_the_calls_that_it_is_passed_in() -> None:
    """A fold's model comes with the number of its fold: with each of both there would be four traces."""
    asks = "step.get_concrete_function(net, tf.TensorSpec([None], tf.float32), {})"
    found = in_folds("step(net, x, fold)")  # by their names, which stand for what goes with one another
    assert found is not None
    assert numbers([found]) == [("trace_beforehand", 4, 2)]
    assert "before the first call with each `model`: calls of every shape" in found.in_one
    assert found.code == f"# once with each model, before the first call\n{asks.format('fold')}"
    many = in_folds("step(net, x, fold)", folds=9)
    assert many is not None
    assert (many.traces_after, many.code) == (9, found.code)
    found = in_folds("step(net, x, fold % 2)")
    assert found is not None
    assert "with each `model`, once for each of 2 kinds of calls that it is passed in: calls" in found.in_one
    said = "# once with each model that is passed so, before the first call\n"
    assert found.code == said + "\n".join(map(asks.format, (0, 1)))
    assert in_folds("step(net, x, fold % 9)", folds=9) is None  # a line for each is too many
    shared = in_folds("step(net, x, fold)", folds=4, models=2)  # one model comes with several numbers
    assert shared is not None
    assert shared.code == said + "\n".join(map(asks.format, range(4)))


def test_a_keras_layer_is_built_before() -> None:
    """By Keras, which calls it: what is asked for of its `call` goes past that."""
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", None) for n in (1, 16)]
    by_keras = Frame("/site-packages/keras/src/layers/layer.py", 9, "__call__", "", False)

    def told(name: str, *library: Frame) -> bool:
        traces = [replace(t, stack=(*library, *t.stack)) for t in history(*calls, source="y = block(x, mode)")]
        (found,) = [one for one in advice(traces, name) if "trace_beforehand" in one.rule]
        return "of a class that holds other layers, and has no `build` of its own, each of those" in found.in_one

    assert told("call", by_keras)
    assert not told("call")
    assert not told("loss", by_keras)


def test_each_object_is_named_where_its_line_is_no_other_ones() -> None:
    calls = [{"model": thing(1 + k), "x": tensor(n), "k": literal(k)} for k in (0, 1) for n in (2, 3)]
    lines = (("step(real, x, 0)", 3), ("step(fake, x, 1)", 5))
    traces = [
        replace(trace, stack=tuple(replace(frame, source=source, line=line) for frame in trace.stack))
        for trace, (source, line) in zip(
            history(*calls, source="step"), [each for each in lines for _ in range(2)], strict=True
        )
    ]
    (found, *_) = advice(traces, "step")
    assert "before the first call, once for each of 2 kinds of calls: calls" in found.in_one
    asks = "step.get_concrete_function({}, tf.TensorSpec([None], tf.float32), {})"
    assert found.code == FIRST + "\n".join((asks.format("real", 0), asks.format("fake", 1)))


def of_two_models(encoded: tuple[int, ...], decoded: list[tuple[int, ...]], sources: tuple[str, str]) -> Advice | None:
    """One is called with pictures of one shape, the other one with codes of several."""
    calls = [{"model": thing(1), "x": tensor(*encoded)}, *({"model": thing(2), "x": tensor(*one)} for one in decoded)]
    lines = [(sources[0], 3), *[(sources[1], 3 if sources[0] == sources[1] else 5)] * len(decoded)]
    traces = [
        replace(
            trace, verdict="avoidable" if n > 1 else "unknown",
            stack=tuple(replace(frame, source=source, line=line) for frame in trace.stack),
        )
        for n, (trace, (source, line)) in enumerate(zip(history(*calls, source="forward"), lines, strict=True))
    ]  # fmt: skip
    found = [one for one in advice(traces, "forward") if one.rule == "trace_beforehand"]
    return found[0] if found else None


def test_what_no_one_object_changes_is_not_unknown() -> None:
    """Keras refuses an unknown rank: pictures are passed to the encoder, codes to the decoder."""
    lines = ("z = forward(encoder, x)", "y = forward(decoder, z)")
    for pictures in ((1, 8, 8, 3), (1, 8)):
        found = of_two_models(pictures, [(16, 4), (1, 4)], lines)
        assert found is not None
        assert numbers([found]) == [("trace_beforehand", 3, 2)]
        assert "before the first call: calls of every shape" in found.in_one
        asks = "forward.get_concrete_function(decoder, tf.TensorSpec([None, 4], tf.float32))"
        assert found.code == FIRST + asks
    one_line = ("forward(model, x)",) * 2  # which does not say which of both it passes
    assert of_two_models((1, 8, 8, 3), [(16, 4), (1, 4)], one_line) is None
    alike = of_two_models((1, 8), [(16, 4), (1, 4)], one_line)
    assert alike is not None
    assert "with each `model`" in alike.in_one
    assert "[None, x.shape[1]]" in alike.code


def test_each_of_several_functions_has_an_encoder_and_a_decoder() -> None:
    """Keras refuses an unknown rank there, too."""
    calls = [
        (which, {"model": thing(10 * which + place), "x": tensor(*shape)})
        for which in (1, 2)
        for place, shape in ((1, (1, 8, 8, 3)), (2, (1, 4)), (2, (16, 4)))
    ]
    lines = {4: ("self.forward(self.encoder, x)", 3), 2: ("self.forward(self.decoder, z)", 5)}
    shapes = [len(arguments["x"].shape or ()) for _, arguments in calls]
    traces = [
        replace(t, stack=tuple(replace(f, source=lines[rank][0], line=lines[rank][1]) for f in t.stack))
        for t, rank in zip(of_objects(*calls, source="self.forward(model, x)"), shapes, strict=True)
    ]
    found = next(one for one in advice(traces, "forward") if one.rule == "trace_beforehand")
    assert numbers([found]) == [("trace_beforehand", 6, 4)]
    asks = "self.forward.get_concrete_function(self.decoder, tf.TensorSpec([None, 4], tf.float32))"
    assert found.code == f"# once for each of the 2 tf.function objects, before its first call\n{asks}"
    assert not any("unknown rank" in note for note in found.notes)


def test_lists_and_what_is_none_at_first_are_named_beside_each_object() -> None:
    """Classes that have been seen, and the model before, of each task of a learner."""
    tasks = [((), None), ((1, 2), 1), ((1, 2, 3), 2)]
    calls = [
        {"net": thing(n + 1), "seen": numbers_of("list", *seen), "before": literal(None) if one is None else thing(one),
         "x": tensor(rows, 4)}
        for n, (seen, one) in enumerate(tasks) for rows in (8, 3)
    ]  # fmt: skip
    found = best(*calls, source="step(net, seen, before, x)")
    assert numbers([found]) == [("trace_beforehand", 6, 3)]
    asks = "step.get_concrete_function(net, seen, before, tf.TensorSpec([None, 4], tf.float32))"
    assert found.code == f"# once with each net, before the first call\n{asks}"


def test_none_and_empty_containers_in_a_named_tuple() -> None:
    def graph(n: int) -> Node:
        children = ((".nodes", tensor(n)), (".info", Node("tuple", "tuple")), (".globals", literal(None)))
        return Node("named_tuple", "Graph", children=children)

    found = best(*({"graph": graph(n)} for n in (2, 3)), source="step(g)")
    code = "step.get_concrete_function(Graph(nodes=tf.TensorSpec([None], tf.float32), info=(), globals=None))"
    assert found.code == FIRST + code


def test_a_number_is_a_tensor_first() -> None:
    calls = [{"model": thing(1), "x": tensor(n), "rate": literal(n / 10)} for n in (2, 3, 4)]
    found = best(*calls, source="step(net, x, rate)")
    assert numbers([found]) == [("tensor_for_python_number+trace_beforehand", 3, 1)]
    assert found.code == (
        f"{FIRST}step.get_concrete_function(net, tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32))"
        "\n\nstep(net, x, tf.constant(rate))"
    )
    assert found.apply is None


def test_a_kind_that_always_failed_is_left_out() -> None:
    """A weight that is a tensor in some calls, of a shape that the metric refuses."""
    calls = [
        {"x": tensor(4), "w": literal(None)},
        {"x": tensor(2), "w": literal(None)},
        {"x": tensor(4), "w": tensor(4)},
    ]
    traces = history(*calls, source="update(x, w)")
    traces[2] = replace(traces[2], lookup=replace(traces[2].lookup, failed=True))
    (found,) = [one for one in advice(traces, "update") if one.rule == "trace_beforehand"]
    assert numbers([found]) == [("trace_beforehand", 3, 2)]
    assert found.code == f"{FIRST}update.get_concrete_function(tf.TensorSpec([None], tf.float32), None)"


def test_what_a_class_of_the_users_holds_is_declared_as_none_of_it() -> None:
    """`inputs.input_ids` of a BatchEncoding: in place of a dictionary TensorFlow would pass a dictionary."""
    calls = [
        {"batch": replace(mapping(ids=tensor(n)), class_name="BatchEncoding"), "how": literal("a")} for n in (2, 3)
    ]
    found = advice(history(*calls, source="encode(batch, how)"), "encode")
    assert [one.rule for one in found if "input_signature" in one.rule] == []
    code = "encode.get_concrete_function(BatchEncoding({'ids': tf.TensorSpec([None], tf.float32)}), 'a')"
    assert [one.code for one in found if one.rule == "trace_beforehand"] == [FIRST + code]


@pytest.mark.parametrize("what", ["nested", "failed", "jit_compile", "objects", "scope"])
def test_where_no_line_before_the_first_call_would_do(what: str) -> None:
    calls = [{"flag": literal(True), "x": tensor(n)} for n in (2, 3)]
    traces = history(*calls, source="step(flag, x)")
    if what == "nested":
        traces = [replace(trace, nested=True) for trace in traces]
    if what == "failed":
        traces.append(replace(traces[0], lookup=replace(traces[0].lookup, failed=True)))
    if what == "objects":
        traces[1] = replace(traces[1], lookup=replace(traces[1].lookup, object_number=2))
    if what == "scope":
        signatures = [replace(trace.lookup.signature, context={"device": "/CPU:1"}) for trace in traces]
        pairs = zip(traces, signatures, strict=True)
        traces = [replace(trace, lookup=replace(trace.lookup, signature=one)) for trace, one in pairs]
    found = advice(traces, "step", jit_compile=what == "jit_compile")
    assert "trace_beforehand" not in [one.rule for one in found]


@pytest.mark.parametrize("within", ["first", "retrace", "variable_creation"])
def test_what_another_function_calls_just_so_stays_as_it_is(within: str) -> None:
    """A model, within a step, which may make its variables, with `training=True`, and outside of it without."""
    within_step, outside = {"training": literal(True)}, {"training": literal(False)}
    step = Frame("train.py", 9, "train_step", "forward(x, True)", True)

    def beforehand(*steps: int) -> list[Advice]:
        sizes = [*((n, within_step) for n in steps), *((n, outside) for n in (4, 3))]
        traces = history(*({"x": tensor(n), **flag} for n, flag in sizes), source="forward(x, False)")
        nested = [replace(one, nested=True, kind=within, stack=(step,)) for one in traces[: len(steps)]]
        return [one for one in advice([*nested, *traces[len(steps) :]], "forward") if one.rule == "trace_beforehand"]

    (found,) = beforehand(8)
    assert numbers([found]) == [("trace_beforehand", 3, 2)]
    assert " before the first call outside of other functions:" in found.in_one
    asks = "forward.get_concrete_function(tf.TensorSpec([None], tf.float32), False)"
    assert found.code == f"# once, before the first call outside of other functions\n{asks}"
    assert beforehand(8, 5) == []  # what the step passes decides


def test_a_loaded_function_is_traced_once_it_is_loaded() -> None:
    def code(source: str, *frames: str) -> str | None:
        traces = history(*({"inputs": tensor(1, n)} for n in (2, 3)), source=source)
        inner = tuple(Frame("/tensorflow/python/saved_model/load.py", 1, name, "", False) for name in frames)
        traces = [replace(trace, stack=(*inner, *trace.stack)) for trace in traces]
        file = "/site-packages/tensorflow/python/saved_model/function_deserialization.py"
        found = advice(traces, "restored_function_body", library=True, file=file)
        return found[0].code if found else None

    asks = "get_concrete_function(tf.TensorSpec([1, None], tf.float32))"
    after = "# once, after it is loaded\n"
    assert code("y = model.encode(ids)") == f"{after}model.encode.{asks}"
    assert code("print(model(ids).numpy())", "_call_attribute") == f"{after}model.__call__.{asks}"
    assert code("") == f"{after}….{asks}"


def test_ragged_tensors_of_other_sizes_are_of_one_kind() -> None:
    """Their text has the sizes in it."""
    calls = [{"x": ragged("float32", rows=n), "mode": literal(mode)} for mode in ("a", "b") for n in (2, 3)]
    found = best(*calls, source="step(x, mode)")
    assert numbers([found]) == [("trace_beforehand", 4, 2)]
    asks = "step.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32), {})"
    assert found.code == FIRST + "\n".join(map(asks.format, ("'a'", "'b'")))


def test_what_no_specification_is_written_for_is_not_passed_with_its_sizes() -> None:
    """`step.get_concrete_function(batch)` traces for the sizes that the caller's batch has, and serves no other."""
    batches = [Node("composite", "Batch.Spec", identity=1, children=((".x", tensor(n)),)) for n in (2, 3, 4)]
    told = advice(history(*({"batch": batch} for batch in batches), source="step(batch)"), "step")
    assert numbers(told) == [("reduce_retracing", 3, 2)]


@pytest.mark.parametrize("path", ["kwargs['rate']", "options['rate']"])
def test_what_is_passed_by_its_name_alone_cannot_be_declared(path: str) -> None:
    """Whatever its `**options` are called: TensorFlow refuses the declaration where the function is defined."""
    calls = [{"x": tensor(n), path: tensor()} for n in (2, 3)]
    told = advice(history(*calls, source="step(x, rate=rate)"), "step")
    assert "input_signature" not in [one.rule for one in told]
    found = next(one for one in told if one.rule == "trace_beforehand")
    assert f"an input signature cannot declare `{path}`. Trace" in found.in_one
    assert found.code == FIRST + (
        "step.get_concrete_function(tf.TensorSpec([None], tf.float32), rate=tf.TensorSpec([], tf.float32))"
    )


def test_what_stars_take_is_passed_in_its_place() -> None:
    """`def h(*args, **kwargs)`, called with and without a flag."""
    calls = [{"args[0]": tensor(n, 2), **flag} for flag in ({}, NOT_TRAINING) for n in (2, 3, 4)]
    found = best(*calls, name="h", source="h(x, training=False)")
    assert numbers([found]) == [("trace_beforehand", 6, 2)]
    asks = "h.get_concrete_function(tf.TensorSpec([None, 2], tf.float32){})"
    assert found.code == FIRST + "\n".join(map(asks.format, ("", ", training=False")))
    # one that is left out before them has no place that could be left out
    kinds = [{"scale": Node("absent"), "mode": literal(mode)} for mode in "ab"]
    after = [{**kind, "args[0]": tensor(n, 2)} for kind in kinds for n in (2, 3, 4)]
    assert all(told.rule != "trace_beforehand" for told in advice(history(*after, source="h(x)"), "h"))


def test_a_tf_function_of_a_model_that_is_told_by_turns_whether_it_trains() -> None:
    """`f = tf.function(model)`, of whose `training` no input signature says anything."""
    calls = [{"args[0]": tensor(n, 2), **flag} for flag in ({}, NOT_TRAINING) for n in (2, 3, 4)]
    inner = Frame("/tensorflow/python/eager/polymorphic_function/polymorphic_function.py", 1, "__call__", "", False)
    lines = [call("f(x)")] * 3 + [call("f(x, training=False)")] * 3
    traces = [replace(trace, stack=(inner, *line)) for trace, line in zip(history(*calls), lines, strict=True)]
    file = "/site-packages/keras/src/utils/traceback_utils.py"
    (found,) = advice(traces, "Sequential", library=True, file=file)
    assert numbers([found]) == [("trace_beforehand", 6, 2)]
    first = f"{FIRST.rstrip()}, where `f` is the tf.function\n"
    asks = "f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32){})"
    assert found.code == first + "\n".join(map(asks.format, ("", ", training=False")))


def test_a_librarys_code_may_need_the_sizes() -> None:
    """`generate = tf.function(model.generate)`, which makes a mask of `input_ids.shape`."""
    traces = [replace(t, nodes=9) for t in history(*({"ids": tensor(1, n)} for n in (4, 5, 6)), source="f(ids)")]
    told = "The graphs hold numbers that follow these sizes: where the library's Python computes them of a shape"
    for dtype, is_told in (("int32", True), ("float32", False)):
        pair = GraphPair(True, (Constant(dtype, (1, 4), (1, 5)),))
        graphs = Graphs(lambda one, other, pair=pair: pair)
        (found,) = advice(traces, "f", library=True, file="/site-packages/lm/generate.py", graphs=graphs)
        assert numbers([found]) == [("trace_beforehand", 3, 1)]
        assert (told in found.in_one) == is_told


def test_a_wrapper_that_calls_it_by_another_name_is_told() -> None:
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", None) for n in (1, 16)]
    for source, told in (("return f(x, mode)", ", where `f` is `step`, the tf.function"), ("step(x, mode)", "")):
        assert (best(*calls, source=source).code or "").startswith(f"# once, before the first call{told}\n")


@pytest.mark.parametrize(
    ("outer", "code"),
    [
        # what a decorator made has no `get_concrete_function`, though it has the name
        ("step(x, mode)", ["# once, before the first call, where `f` is `step`, the tf.function", "f"]),
        ("run(self.step, x, mode)", ["# once, before the first call", "self.step"]),
    ],
)
def test_what_hands_on_all_that_it_is_passed(outer: str, code: list[str]) -> None:
    calls = [{"x": tensor(n, 4), "mode": literal(mode)} for mode in ("a", None) for n in (1, 16)]
    traces = history(*calls, source="return f(*args, **kwargs)")
    inner = next(frame for frame in traces[0].stack if frame.user)
    frames = (replace(inner, function="run"), Frame("/home/user/train.py", 9, "main", outer, True))
    found = advice([replace(trace, stack=frames) for trace in traces], "step")[0]
    first, asked, *_ = (found.code or "").splitlines()
    assert [first, asked.partition(".get_concrete_function(")[0]] == code


def test_what_is_made_once_is_asked_for_by_its_own_name() -> None:
    """The line that calls it has a name for what it makes anew."""
    function = FunctionFacts("step", history({"x": tensor(2)}), undecorated=True)
    made = Fix("create_function_once", "", None, other="compiled_step = tf.function(step)  # once")
    where = "# once, before the first call, where `run` is `step`, the tf.function"
    asked = Fix("trace_beforehand", "", None, other=f"{where}\nrun.get_concrete_function(spec)")
    line = "# once, before the first call\ncompiled_step.get_concrete_function(spec)"
    assert code_of(function, [made, asked]) == f"{made.other}\n\n{line}"
    assert code_of(function, [asked]) == asked.other


def test_traces_of_kinds_that_captured_other_variables() -> None:
    """A metric that each epoch makes anew: what is traced before the first call captures the first one."""
    calls = [{"x": tensor(n, 4), "rate": literal(rate)} for rate in ("a", "b") for n in (1, 16)]
    traces = history(*calls, source="step(x, rate)")
    others = [
        replace(trace, evidence=f"{OTHER_VARIABLES}: if `rate` chooses") if place == 2 else trace
        for place, trace in enumerate(traces)
    ]
    (found,) = [one for one in advice(others, "step") if one.rule == "trace_beforehand"]
    assert "such as those of a metric that each epoch makes anew" in found.in_one
    (plain,) = [one for one in advice(traces, "step") if one.rule == "trace_beforehand"]
    assert not plain.warnings


def of_objects(*calls: tuple[int, dict[str, Node]], source: str) -> list[Traced]:
    traces = history(*({"self": thing(90 + number), **arguments} for number, arguments in calls), source=source)
    seen: set[int] = set()
    found = []
    for trace, (which, _) in zip(traces, calls, strict=True):
        verdict = "avoidable" if which in seen else "unknown"
        seen.add(which)
        found.append(replace(trace, lookup=replace(trace.lookup, object_number=which), verdict=verdict))
    return found


def test_the_function_of_each_instance() -> None:
    calls = [
        (which, {"x": tensor(n, 3), "mask": mask})
        for which in (1, 2)
        for n in (4, 6)
        for mask in (literal(None), tensor(n))
    ]
    (found, *_) = advice(of_objects(*calls, source="loss = trainer.step(x, mask)"), "step")
    assert numbers([found]) == [("trace_beforehand", 8, 4)]
    assert (
        "before the first call of each of the 2 tf.function objects, once for each of 2 kinds of calls: " in found.text
    )
    asks = "trainer.step.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), {})"
    said = "# once for each of the 2 tf.function objects, before its first call\n"
    assert found.code == said + "\n".join(map(asks.format, ("None", "tf.TensorSpec([None], tf.float32)")))


def test_each_instance_passes_a_value_of_its_own() -> None:
    def of(*values: str | float | None, source: str = "return self.step(x, self.noise)") -> list[Advice]:
        calls = [
            (1 + k % 2, {"x": tensor(n, 3), "noise": literal(one)}) for k, one in enumerate(values) for n in (4, 6)
        ]
        return advice(of_objects(*calls, source=source), "step")

    asks = "self.step.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), self.noise)"
    for values in ((0.1, 0.2), ("a", None)):
        found = of(*values)[0]
        assert numbers([found]) == [("trace_beforehand", 4, 2)]
        assert found.code == f"# once for each of the 2 tf.function objects, before its first call\n{asks}"
    # not where it has no name, or changes in the calls of one
    assert "trace_beforehand" not in [one.rule for one in of(0.1, 0.2, source="self.step(x, 0.1 * k)")]
    assert "trace_beforehand" not in [one.rule for one in of("a", "b", "c", "b")]


def test_each_function_has_a_model_of_its_own() -> None:
    calls = [
        (which, {"model": thing(which), "x": tensor(n), "mode": literal(flag)})
        for which in (1, 2)
        for flag in ("a", None)
        for n in (4, 6)
    ]
    (found, *_) = advice(of_objects(*calls, source="loss = step(net, x, mode)"), "step")
    assert numbers([found]) == [("trace_beforehand", 8, 4)]
    asks = "step.get_concrete_function(net, tf.TensorSpec([None], tf.float32), {})"
    said = "# once for each of the 2 tf.function objects, before its first call\n"
    assert found.code == said + "\n".join(map(asks.format, ("'a'", None)))
    # one of them is passed both
    by_turns = [(1, one) for _, one in calls[:6]] + [(2, one) for _, one in calls[4:]]
    rules = [one.rule for one in advice(of_objects(*by_turns, source="loss = step(net, x, mode)"), "step")]
    assert "trace_beforehand" not in rules


def test_what_the_kinds_look_up_may_not_be_there_yet() -> None:
    calls = [{"x": tensor(n), "task": literal(task), "old": literal(None)} for task in ("a", "b") for n in (2, 3)]
    found = best(*calls, source="step(x, task, old)", python_uses=("heads[task] of a list of objects",))
    assert found.rule == "trace_beforehand"
    assert found.notes == ("`heads[task]` in it is looked up then: ask for each kind once that is there.",)


def test_where_the_functions_of_instances_are_not_called_alike() -> None:
    flags = [(which, {"x": tensor(n, which), "mode": literal("a")}) for which in (3, 5) for n in (4, 6)]
    of_two_widths = [*flags, *((which, {**arguments, "mode": literal("b")}) for which, arguments in flags)]
    of_one_kind = [one for one in of_two_widths if one[0] == 3 or dict(one[1])["mode"].value == "'a'"]
    for calls in (of_two_widths, of_one_kind):
        found = advice(of_objects(*calls, source="net.step(x, mode)"), "step")
        assert "trace_beforehand" not in [one.rule for one in found]


def test_one_instance_alone_is_called_as_the_variables_are_made() -> None:
    """A model that is trained beside its average, which is not: what that is never called with is not asked for."""
    train = [(1, {"x": tensor(4, 3), "mode": literal(True)})] * 2
    alone = [(which, {"x": tensor(n, 3), "mode": literal(False)}) for which, n in ((1, 4), (1, 5), (2, 2), (2, 3))]
    both = [train[0], train[0], *alone[:2], *((2, arguments) for _, arguments in train), *alone[2:]]
    for calls, is_told in (([*train, *alone], False), (both, True)):
        traces = of_objects(*calls, source="net.step(x, mode)")
        for place in range(1, len(traces)):
            if calls[place] == calls[place - 1]:
                lookup = replace(traces[place].lookup, variables_created=True)
                traces[place] = replace(traces[place], kind="variable_creation", lookup=lookup, verdict="needed")
        assert ("trace_beforehand" in [one.rule for one in advice(traces, "step")]) == is_told


def test_a_number_that_changed_with_a_flag_alone_is_told() -> None:
    """It could be declared, and its next value beside the same flag would be traced."""
    calls = [
        {"x": tensor(n, 4), "rate": literal(rate), "late": literal(late)}
        for rate, late in ((0.5, False), (0.25, True))
        for n in (1, 16)
    ]
    found = best(*calls, source="loss = step(x, rate, late)")
    assert "an input signature cannot declare `late`. Trace" in found.text
    assert found.notes[-1].startswith("`rate` changed together with `late` alone so far: a Python number is traced for")
    kept = best(*calls, source="loss = step(x, rate, late)", python_numbers=frozenset({"rate"}))
    assert "cannot declare `rate` and `late`. Trace" in kept.text
    assert not any("`rate` changed" in note for note in kept.notes)


def test_beside_numbers_and_flags_that_reduce_retracing_cannot_widen() -> None:
    """It needs a trace more for each kind, and more where sizes change one after the other."""
    calls = [{"x": tensor(9 - n, 4), "step": literal(n), "late": literal(n > 2)} for n in range(6)]
    traces = history(*calls, source="loss = step(x, n, late=n > 2)")
    traces = [replace(trace, lookup=replace(trace.lookup, reduce_retracing=True)) for trace in traces]
    found = advice(traces, "step")[0]
    assert numbers([found]) == [("tensor_for_python_number+trace_beforehand", 6, 2)]
    asks = "step.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([], tf.int32), {})"
    assert found.code is not None
    assert found.code.startswith(FIRST + "\n".join(map(asks.format, (False, True))))


@pytest.mark.parametrize(
    ("nodes_of_a_row", "pair", "is_told"),
    [
        (0, GraphPair(True), True),
        (0, GraphPair(False, gradients_alone=True), True),
        (3, GraphPair(False), False),  # a loop goes over the batch, too
        (0, GraphPair(True, numbers=(("Split", "num_split", 6.0, 2.0),)), False),
        (0, None, False),
    ],
)
def test_the_batch_alone_is_unknown_where_another_size_decides(
    nodes_of_a_row: int, pair: GraphPair | None, is_told: bool
) -> None:
    sizes = [(rows, length) for rows in (6, 2, 3) for length in (5, 7)]
    traces = history(
        *({"words": tensor(*size), "is_forced": literal(True)} for size in sizes), source="step(words, is_forced)"
    )
    traces = [
        replace(t, nodes=100 + 9 * length + nodes_of_a_row * rows)
        for t, (rows, length) in zip(traces, sizes, strict=True)
    ]
    graphs = Graphs(lambda one, other: pair if sizes[one][1] == sizes[other][1] else GraphPair(False))
    found = advice(traces, "step", graphs=graphs)
    beforehand = [one for one in found if one.rule == "trace_beforehand"]
    assert numbers(beforehand) == ([("trace_beforehand", 6, 2)] if is_told else [])
    for one in beforehand:
        assert "have 145 and 163 nodes: each size needs a trace of its own. Trace it with an unknown batch" in one.text
        asks = "step.get_concrete_function(tf.TensorSpec([None, {}], tf.float32), True)"
        assert one.code == FIRST + "\n".join(map(asks.format, (5, 7)))
        assert not any("tf.shape(words)[1]" in note for note in one.notes)


@pytest.mark.parametrize(
    ("constant", "is_told"),
    [
        (Constant("float32", 0.25, 0.5), True),
        (Constant("int32", (4, -1), (2, -1)), True),
        (Constant("int32", 4, 2, of_gradient=True), False),
        (Constant("float32", 0.25, 0.75), False),  # of something else
    ],
)
def test_numbers_that_follow_the_batchs_size(constant: Constant, is_told: bool) -> None:
    sizes = [(rows, length) for rows in (4, 2) for length in (5, 7)]
    traces = history(*({"x": tensor(*size), "flag": literal(True)} for size in sizes), source="step(x, flag)")
    traces = [replace(t, nodes=9 * length) for t, (_, length) in zip(traces, sizes, strict=True)]
    same = GraphPair(True, constants=(constant,))
    graphs = Graphs(lambda one, other: same if sizes[one][1] == sizes[other][1] else GraphPair(False))
    (found,) = [one for one in advice(traces, "step", graphs=graphs) if one.rule == "trace_beforehand"]
    assert (
        any(note.startswith("For other batch sizes the graphs hold other numbers") for note in found.notes) == is_told
    )
