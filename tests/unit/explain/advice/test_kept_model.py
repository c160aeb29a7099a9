"""Models and optimizers that are made anew for each run of several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Owner, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.objects.kept_model import DRAWN_ANEW
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.evidence import OF_A_MODEL_FOR_OTHER_PARTS
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import call, history, literal, recreated, tensor, thing


def models(count: int, *, tensors_beside: bool = False) -> list[Traced]:
    traces = history(*({"model": thing(n), "optimizer": thing(n + 10)} for n in range(1, count + 1)))
    changes = tuple(
        Change("object_identity", path, "Net object #1", "Net object #2") for path in ("model", "optimizer")
    )
    facts = Facts("retrace", changes, same_graph=False, variables_alone=True, tensors_beside=tensors_beside)
    verdict = judge(facts)
    assert verdict.word == "unknown"
    assert "`model` and `optimizer` are other objects, and the graph has the same operations, on other variables" in (
        verdict.evidence
    )
    later = (replace(t, verdict=verdict.word, evidence=verdict.evidence, changes=changes) for t in traces[1:])
    return [traces[0], *later]


def test_those_of_each_fold_are_kept_and_set_back() -> None:
    traces = [replace(trace, stack=call("train_step(net, optimizer)")) for trace in models(3)]
    (found,) = advise(FunctionFacts("train_step", traces))
    assert (found.rule, found.traces_after, found.apply) == ("keep_model", None, None)
    assert "`model` and `optimizer` of `train_step` are other objects in 3 traces" in found.text
    assert "begins with the same ones each time" in found.warnings[0]
    assert "such as a class around a model, holds what has some: `net.….variables`" in found.notes[1]
    assert (found.code or "").splitlines()[:2] == [
        "initial_net = [variable.numpy() for variable in net.variables]  # once, when all of them are made",
        "for variable, start in zip(net.variables, initial_net): variable.assign(start)  # before each run",
    ]


def test_what_lines_show_to_be_kept_is_not_told_to_be_made_once() -> None:
    first, *later = models(4)
    assert advise(FunctionFacts("train_step", [first, *(replace(t, verdict="bounded") for t in later)])) == []


def test_a_random_generator_begins_anew_by_itself() -> None:
    """It has no `variables`."""
    kind = "tensorflow.python.ops.stateful_random_ops.Generator"
    traces = [replace(trace, stack=call("train_step(net, rng)")) for trace in models(3)]
    of_generators = []
    for trace in traces:
        model, (path, node) = trace.lookup.signature.arguments
        signature = Signature((model, (path, replace(node, type_name=kind))))
        of_generators.append(replace(trace, lookup=replace(trace.lookup, signature=signature)))
    (found,) = advise(FunctionFacts("train_step", of_generators))
    assert (found.code or "").splitlines()[2:] == [
        "rng.reset_from_seed(seed)  # before each run, in place of making another"
    ]


def test_tensors_that_they_hold_are_to_be_variables_too() -> None:
    """Or the graph that is kept has the data of the first."""
    (without,) = advise(FunctionFacts("train_step", models(3)))
    assert not any("such as data" in one for one in without.warnings)
    (found,) = advise(FunctionFacts("train_step", models(3, tensors_beside=True)))
    assert "such as data that an object holds, are others each time" in found.warnings[1]


def test_a_partial_has_no_variables_to_set_back() -> None:
    """`functools.partial(loss, weights=model.trainable_variables)`: one is kept, and is given none back."""
    traces = [replace(trace, stack=call("train_step(net, loss)")) for trace in models(3)]
    of_partials = [
        replace(
            trace,
            lookup=replace(
                trace.lookup,
                signature=history({"model": thing(n), "optimizer": thing(n + 10, "partial")})[0].lookup.signature,
            ),
        )
        for n, trace in enumerate(traces)
    ]
    assert "loss.variables" in (advise(FunctionFacts("train_step", traces))[0].code or "")
    (found,) = advise(FunctionFacts("train_step", of_partials))
    assert "`model` and `optimizer` of `train_step` are other objects" in found.text
    assert "net.variables" in (found.code or "")
    assert "loss" not in (found.code or "")


def asked(*numbers: int) -> list[Traced]:
    """A model for each number, with a batch of another size each time."""
    traces = history(*({"net": thing(n), "x": tensor(place + 1)} for place, n in enumerate(numbers)))
    change = Change("object_identity", "net", "Net object #1", "Net object #2")
    verdict = judge(Facts("retrace", (change,), same_graph=False, variables_alone=True))
    seen = {numbers[0]}
    for place, number in enumerate(numbers[1:], 1):
        word, evidence, changes = (
            ("bounded", "", traces[place].changes)
            if number in seen
            else (verdict.word, verdict.evidence, (change, *traces[place].changes))
        )
        seen.add(number)
        traces[place] = replace(traces[place], verdict=word, evidence=evidence, changes=changes)
    return traces


def test_models_that_are_asked_by_turns_are_kept_side_by_side() -> None:
    """An ensemble of which each is asked again, with a batch of another size."""
    assert [one.rule for one in advise(FunctionFacts("ask", asked(1, 2, 3)))] == ["keep_model"]
    assert [one.rule for one in advise(FunctionFacts("ask", asked(1, 1, 2, 2, 3, 3)))] == ["keep_model"]
    assert advise(FunctionFacts("ask", asked(1, 2, 3, 1, 2, 3))) == []


def test_what_comes_between_two_calls_with_a_model_that_is_kept_may_be_made_anew() -> None:
    (found,) = advise(FunctionFacts("ask", asked(1, 2, 3, 4, 1)))
    assert found.rule == "keep_model"
    assert "is another object in 4 traces" in found.text


def test_the_one_that_is_made_anew_is_not_the_one_that_another_line_passes() -> None:
    """`loss(self.net)` and `loss(self.net ** -1)`: to set back `self.net` would undo what it has learned."""
    first, *others = models(3)
    traces = [replace(first, stack=call("step(self.net, opt)"))]
    traces += [replace(trace, stack=call("step(self.net ** -1, opt)", line=8)) for trace in others]
    (found,) = advise(FunctionFacts("step", traces))
    assert "initial_model = [variable.numpy() for variable in model.variables]" in (found.code or "")
    assert "self.net" not in found.in_one


def reading(count: int) -> list[Traced]:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    facts = Facts("recreated", change, same_graph=False, other_nodes=True, closure=(), captures_others=True)
    verdict = judge(replace(facts, variables_fit=True))
    assert verdict.word == "unknown"
    assert "Whether one object could serve both is not known." in judge(facts).evidence  # of other shapes
    first, *others = recreated(count, None)
    return [first, *(replace(one, verdict=verdict.word, evidence=verdict.evidence) for one in others)]


def test_a_model_that_a_function_at_module_level_reads_is_kept_and_set_back() -> None:
    """A loop over folds in a script, which defines the step in it."""
    (found,) = advise(FunctionFacts("step", reading(3)))
    assert (found.rule, found.traces_after) == ("keep_model", None)
    assert found.text.startswith("`step` reads a model, or other objects with variables, from around it that are")
    assert "`model` stands for each that it reads there" in found.in_one
    read = {"net": ["Net #1", "Net #2", "Net #3"], "kept": ["Net #9"] * 3}
    (named,) = advise(FunctionFacts("step", reading(3), objects_read=read))
    assert named.text.startswith("`net` of `step` is another object in 2 traces of new tf.function objects")
    assert "in net.variables]" in (named.code or "")
    assert advise(FunctionFacts("step", reading(2))) == []


def test_functions_that_are_called_by_turns_are_kept_side_by_side() -> None:
    """A step made for each model of several, which are trained by turns."""
    again = [replace(trace, kind="retrace", verdict="bounded", evidence="", changes=()) for trace in reading(3)]
    assert [one.rule for one in advise(FunctionFacts("step", reading(3)))] == ["keep_model"]
    assert advise(FunctionFacts("step", [*reading(3), *again])) == []


def instances(count: int, old: str, made: str = "") -> list[Traced]:
    change = (Change("object_identity", "self", f"{old}Agent object #1", "Agent object #2"),)
    facts = Facts("recreated", change, same_graph=False, other_nodes=True, variables_fit=True)
    verdict = judge(replace(facts, made_for_each_call={"self": made} if made else {}))
    first, *others = (replace(one, stack=call("self.step(x)")) for one in recreated(count, None))
    return [first, *(replace(o, changes=change, verdict=verdict.word, evidence=verdict.evidence) for o in others)]


def test_an_instance_of_each_run_is_kept_and_what_it_holds_is_set_back() -> None:
    """An agent for each seed, whose method is the tf.function."""
    (found,) = advise(FunctionFacts("step", instances(3, "deleted "), qualname="Agent.step"))
    assert (found.rule, found.traces_after) == ("keep_model", None)
    assert "`step` was traced for 3 instances of `Agent`, each of which was gone when the next came" in found.text
    assert (found.code or "").startswith("agent = Agent(…)  # once, before the loop\ninitial = [variable.numpy() for")
    assert advise(FunctionFacts("step", instances(3, ""), qualname="Agent.step")) == []  # layers side by side, say
    assert advise(FunctionFacts("step", instances(2, "deleted "), qualname="Agent.step")) == []
    (found,) = advise(FunctionFacts("step", instances(3, "", "agent = Agent(seed)"), qualname="Agent.step"))
    assert "for 3 instances of `Agent`, which `agent = Agent(seed)` makes, and the graphs" in found.text


def test_what_an_instances_first_call_made_variables_of_is_set_back_by_name() -> None:
    made = [replace(trace, created_for=(Owner("self.net", "model"),)) for trace in instances(3, "deleted ")]
    (found, *_) = advise(FunctionFacts("step", made, qualname="Agent.step"))
    assert "variable.numpy() for variable in agent.net.variables]" in (found.code or "")
    assert "What else `agent` has variables in, that were made before" in "".join(found.notes)
    for owner in ("net", "self.nets[0]"):  # of a global, or by another way
        others = [*made[:2], replace(made[2], created_for=(Owner(owner, "model"),))]
        (found, *_) = advise(FunctionFacts("step", others, qualname="Agent.step"))
        assert "for variable in agent.….variables]" in (found.code or "")


def test_the_learning_rate_of_each_optimizer_is_assigned() -> None:
    """`SGD(0.1 / (epoch + 1))`: set back it would have the first one's."""
    traces = models(3)
    keras = thing(11, "keras.src.optimizers.sgd.SGD")
    for place, trace in enumerate(traces):
        arguments = (("model", thing(place + 1)), ("optimizer", replace(keras, identity=place + 11)))
        signature = replace(trace.lookup.signature, arguments=arguments)
        traces[place] = replace(trace, lookup=replace(trace.lookup, signature=signature))
    (found,) = advise(FunctionFacts("train_step", [replace(t, stack=call("train_step(net, opt)")) for t in traces]))
    assert [note for note in found.notes if "`opt.learning_rate.assign(…)`" in note]
    (plain,) = advise(FunctionFacts("train_step", models(3)))
    assert "learning_rate" not in plain.in_one


def test_a_distribution_strategy_has_no_variables_to_set_back() -> None:
    traces = models(3)
    for place, trace in enumerate(traces):
        arguments = (("model", thing(place + 11, "MirroredStrategy")), ("optimizer", thing(place + 1)))
        signature = replace(trace.lookup.signature, arguments=arguments)
        traces[place] = replace(trace, lookup=replace(trace.lookup, signature=signature))
    traces = [replace(trace, stack=call("train_step(strategy, net)")) for trace in traces]
    (found,) = advise(FunctionFacts("train_step", traces))
    assert "strategy" not in (found.code or "")
    assert "A distribution strategy has no variables: keep one." in found.notes


def test_what_changed_with_them_is_told() -> None:
    kept = ("metrics[0]", "metrics[1]")
    objects = [Change("object_identity", path, "Mean object #1", "Mean object #2") for path in kept]
    number, size = Change("python_value", "rate", "0.5", "0.25"), Change("shape", "x", "(3, 2)", "(4, 2)")
    changes = (*objects, number, size)
    verdict = judge(Facts("retrace", changes, same_graph=False, variables_alone=True))
    assert verdict.word == "unknown"
    assert verdict.evidence.endswith(" What changed with them (`rate`, `x`) can be avoided by itself.")
    traces = [replace(trace, evidence=verdict.evidence, changes=changes) for trace in models(3)]
    (found,) = advise(FunctionFacts("train_step", [models(3)[0], *traces[1:]]))
    assert "before each run: that needs no trace. Pass `rate` as a tensor, too. Leave dimensions of `x`" in found.text
    assert [line.partition(" ")[0] for line in (found.code or "").splitlines()[::2]] == ["initial", "initial_1"]


def test_a_network_and_its_target_may_be_meant() -> None:
    assert advise(FunctionFacts("train_step", models(2))) == []


def closed_over(count: int, *, alike: bool | None = True, strategy: ClosureChange | None = None) -> list[Traced]:
    closure = () if strategy is None else (strategy,)
    closure += tuple(
        ClosureChange(name, f"{kind} object", f"{kind} object", False)
        for name, kind in (("net", "Net"), ("opt", "Adam"))
    )
    closure += (ClosureChange("rate", "0.5", "0.25", True),)
    changes = (Change("recreated_function", ""),)
    facts = Facts("recreated", changes, same_graph=False, closure=closure, captures_others=True, variables_fit=alike)
    verdict = judge(facts)
    assert verdict.word == ("bounded" if alike is False else "unknown")
    told = {
        True: "as many operations as an earlier one, on other variables of the same shapes. If they were made alike",
        False: "`rate`: 0.5 → 0.25, and no earlier graph has variables of such shapes: models that differ so need a",
        None: "Whether one object could serve both is not known.",
    }
    assert told[alike] in verdict.evidence
    return [
        replace(trace, verdict=verdict.word, evidence=verdict.evidence) if trace.kind == "recreated" else trace
        for trace in recreated(count, None, same_graph=False)
    ]


def test_those_that_a_function_of_each_trial_closes_over() -> None:
    (found,) = advise(FunctionFacts("train_step", closed_over(4)))
    assert (found.rule, found.traces_after, found.apply) == ("keep_model", None, None)
    assert "`net` and `opt` of `train_step` are other objects in 3 traces of new tf.function objects" in found.text
    assert "make them and `train_step` once, before the loop" in found.text
    assert found.text.endswith(" Pass `rate` as a tensor, too.")  # it would read that of the first trial
    assert [line.partition(" ")[0] for line in (found.code or "").splitlines()[::2]] == ["initial_net", "initial_opt"]
    counted = [replace(one, evidence=one.evidence.replace("`rate`", "`len(net_vars)`")) for one in closed_over(4)]
    assert "Pass" not in advise(FunctionFacts("train_step", counted))[0].text  # which follows the models
    assert not advise(FunctionFacts("train_step", closed_over(2)))  # side by side, perhaps
    for other in (False, None):
        assert not advise(FunctionFacts("train_step", closed_over(4, alike=other)))


def test_a_strategy_that_is_closed_over_is_told_by_its_class() -> None:
    """Whatever its name: it has no variables to set back."""
    strategy = ClosureChange("s", "MirroredStrategy object", "MirroredStrategy object", False)
    traces = closed_over(4, strategy=strategy)
    assert "another `s` (a distribution strategy), another `net`, another `opt`, `rate`: 0.5" in traces[-1].evidence
    (found,) = advise(FunctionFacts("train_step", traces))
    assert [line.partition(" ")[0] for line in (found.code or "").splitlines()[::2]] == ["initial_net", "initial_opt"]
    assert "A distribution strategy has no variables: keep one." in found.notes
    settings = replace(strategy, old="TrainingStrategyOptions object", new="TrainingStrategyOptions object")
    assert "(a distribution" not in closed_over(4, strategy=settings)[-1].evidence


def test_where_nothing_but_a_loss_is_seen_that_is_not_what_has_the_variables() -> None:
    """`f.iter = tf.Variable(0)`: an attribute of the function that is made anew."""
    alone = [
        replace(one, evidence=one.evidence.replace("another `net`, another `opt`, ", "another `loss` (a loss), "))
        for one in closed_over(4)
    ]
    (found,) = advise(FunctionFacts("f", alone))
    assert "`loss` of `f` is another object" in found.text
    assert "loss" not in (found.code or "")
    assert (found.code or "").startswith("initial_model = [")
    assert any(note.startswith("`model` stands for each that it reads there") for note in found.notes)


def test_a_list_that_is_closed_over_has_no_variables_of_its_own() -> None:
    """Such as `weights = model.trainable_variables` of Keras 3, or a list of models."""
    weights = ClosureChange("weights of loss", "list object", "list object", False)
    traces = closed_over(4, strategy=weights)
    assert "another `weights of loss` (a list), another `net`" in traces[-1].evidence
    (found,) = advise(FunctionFacts("train_step", traces))
    code = (found.code or "").splitlines()
    assert code[0].startswith(
        'variables_of_weights = [variable for one in tf.nest.flatten(weights) for variable in getattr(one, "variables",'
    )
    assert code[1].startswith("initial_weights = [variable.numpy() for variable in variables_of_weights]")
    assert code[2].startswith("for variable, start in zip(variables_of_weights, initial_weights): variable.assign(")
    assert code[3].startswith("initial_net = [variable.numpy() for variable in net.variables]")


def test_a_loss_and_a_metric_beside_a_model() -> None:
    """As in the step of a tuner's trial: a loss of Keras' own has no variables, and a metric's are set back."""
    loss = ClosureChange("loss_fn", "MeanSquaredError loss object", "MeanSquaredError loss object", False)
    metric = replace(loss, name="mean", old="Mean metric", new="Mean metric")
    (found,) = advise(FunctionFacts("train_step", closed_over(4, strategy=loss)))
    assert "`loss_fn`, `net` and `opt` of `train_step` are other objects" in found.text
    assert found.text.endswith(" Pass `rate` as a tensor, too.")  # none of them is left out
    assert [line.partition(" ")[0] for line in (found.code or "").splitlines()[::2]] == ["initial_net", "initial_opt"]
    assert "A distribution strategy has no variables: keep one." not in found.notes
    (found,) = advise(FunctionFacts("train_step", closed_over(4, strategy=metric)))
    assert (found.code or "").startswith("initial_mean = [")


def test_a_loss_that_is_passed_has_no_variables_to_set_back() -> None:
    traces = models(3)
    keras = thing(11, "keras.src.losses.losses.MeanSquaredError")
    for place, trace in enumerate(traces):
        arguments = (("model", thing(place + 1)), ("optimizer", replace(keras, identity=place + 11)))
        signature = replace(trace.lookup.signature, arguments=arguments)
        traces[place] = replace(trace, lookup=replace(trace.lookup, signature=signature))
    (found,) = advise(FunctionFacts("train_step", [replace(t, stack=call("train_step(net, loss)")) for t in traces]))
    assert (found.code or "").count("initial_net = ") == 1
    assert "loss" not in (found.code or "")
    assert "A distribution strategy has no variables: keep one." not in found.notes


def test_a_method_is_set_back_by_its_object() -> None:
    closure = (ClosureChange("step", "method object", "method object", False),)
    changes = (Change("recreated_function", ""), Change("type_spec", "batches", "IteratorSpec(a)", "IteratorSpec(b)"))
    facts = Facts("recreated", changes, same_graph=False, closure=closure, captures_others=True, variables_fit=True)
    verdict = judge(facts)
    assert "closes over another `step` (a method of an object), and its graph" in verdict.evidence
    assert "that needs no trace but one for `batches`. Those" in verdict.evidence
    traces = [
        replace(trace, verdict=verdict.word if place else "needed", evidence=verdict.evidence if place else "")
        for place, trace in enumerate(recreated(3, None, same_graph=False))
    ]
    (found,) = advise(FunctionFacts("loop", traces))
    assert "for variable in step.__self__.….variables]" in (found.code or "")
    assert "batches" not in (found.code or "")


def test_variables_by_themselves_beside_what_has_them() -> None:
    """As of an optimizer that minimizes a method over its variables."""
    variables = ClosureChange(
        "variables", "(tf.Variable float32 (),)", "(tf.Variable float32 (),)", False, is_tensor=True
    )
    closure = (ClosureChange("loss", "method object", "method object", False), variables)
    changes = (Change("recreated_function", ""),)
    facts = Facts("recreated", changes, same_graph=False, closure=closure, captures_others=True, variables_fit=True)
    verdict = judge(facts)
    assert verdict.evidence.startswith(
        "The new tf.function object closes over other variables (`variables`) and what has such (`loss`), with another"
        " `loss` (a method of an object), and its graph has as many operations as an earlier one, on other variables of"
        " the same shapes. If all that was made"
    )
    traces = [
        replace(trace, verdict=verdict.word if place else "needed", evidence=verdict.evidence if place else "")
        for place, trace in enumerate(recreated(3, None, same_graph=False))
    ]
    (found,) = advise(FunctionFacts("step", traces))
    assert (found.rule, found.traces_after) == ("keep_model", None)
    assert "for variable, start in zip(loss.__self__.….variables, initial): variable.assign" in (found.code or "")
    its = "zip(tf.nest.flatten(variables), initial_variables): variable.assign(start)"
    assert f"for variable, start in {its}" in (found.code or "")
    data = replace(variables, old="float32 (3,)", new="float32 (3,)")
    verdict = judge(replace(facts, closure=(closure[0], data)))
    assert "closes over other tensors (`variables`), another `loss` (a method of an object), and" in verdict.evidence
    assert "as many operations" in verdict.evidence
    traces = [replace(t, evidence=verdict.evidence if place else "") for place, t in enumerate(traces)]
    (found,) = advise(FunctionFacts("step", traces))
    assert found.text.endswith("that needs no trace. Pass `variables` as an argument, too.")
    assert "zip(variables" not in (found.code or "")
    assert "as many" not in judge(replace(facts, closure=(closure[0], data), in_a_dataset=True)).evidence


def test_objects_of_other_sizes_need_a_trace_each() -> None:
    change = Change("object_identity", "model", "Net object #1", "Net object #2")
    of_objects = Facts("retrace", (change,), same_graph=False, variables_alone=True, variables_fit=False)
    verdict = judge(of_objects)
    assert verdict.word == "bounded"
    assert verdict.evidence.endswith(
        "and no earlier graph has variables of such shapes: models that differ so need a trace each."
    )
    size = Change("shape", "x", "(2, 4)", "(2, 8)")
    deeper = Facts("retrace", (change, size), same_graph=False, other_nodes=True, variables_fit=False)
    assert judge(deeper).word == "bounded"
    decoder = replace(deeper, changes=(change, Change("rank", "x", "(1, 8, 8, 3)", "(1, 4)")))
    assert judge(decoder).word == "bounded"
    assert judge(replace(deeper, variables_fit=None)).word == "unknown"
    again = judge(replace(deeper, variables_fit=True))  # as one before the closest
    assert (again.word, "an earlier graph has as many operations" in again.evidence) == ("unknown", True)
    assert judge(replace(deeper, variables_fit=True, kept_objects={"model": "nets[name]"})).word == "bounded"
    anew = replace(deeper, changes=(Change("recreated_function", "", "object 1", "object 2"), change), closure=())
    told = judge(replace(anew, kind="recreated", variables_fit=True, kept_objects={"model": "nets[name]"}))
    assert (told.word, "an earlier graph has as many operations" in told.evidence) == ("unknown", True)
    assert judge(replace(deeper, variables_fit=True, made_for_each_call={"model": "Net()"})).word == "avoidable"
    instance = Change("object_identity", "self", "Trainer object #1", "Trainer object #2")
    words = {
        fit: judge(Facts("recreated", (instance,), same_graph=False, other_nodes=True, variables_fit=fit))
        for fit in (True, False, None)
    }
    assert [verdict.word for verdict in words.values()] == ["unknown", "bounded", "unknown"]
    assert "If it was made alike for each run of several" in words[True].evidence
    assert words[None].evidence.endswith("this one has another graph or captures other objects.")
    same = judge(Facts("recreated", (instance,), same_graph=False, other_nodes=True, same_captures=True))
    assert same.word == "unknown"  # a Keras model of the same layers, say, whose operations have other names
    assert "this one captures what an earlier one does. If what it holds is made anew of that" in same.evidence


_ALIKE = "model = build()`, `opt = Adam()"
_BOTH = {"model": "Sequential", "opt": "Adam"}


@pytest.mark.parametrize("made", [_ALIKE, ""])
def test_what_lines_make_alike_for_each_run_is_one_that_is_set_back(made: str) -> None:
    """Not one that goes on, as of what is made anew with the same in it."""

    def advised(facts: Facts, traces: list[Traced]) -> Advice:
        verdict = judge(replace(facts, same_graph=False, variables_fit=True, made_for_each_run=made))
        assert verdict.word == ("avoidable" if made else "unknown")
        later = (replace(one, verdict=verdict.word, evidence=verdict.evidence) for one in traces[1:])
        (found,) = advise(FunctionFacts("step", [traces[0], *later]))
        assert (found.rule, found.traces_after) == ("keep_model", 1 if made else None)
        assert DRAWN_ANEW in found.warnings
        assert ("`model = build()` and `opt = Adam()` make new ones alike for each run: make them" in found.text) == (
            bool(made)
        )
        assert ("If new ones are made alike for each run" in found.text) != bool(made)
        return found

    closure = tuple(ClosureChange(name, f"{kind} object", f"{kind} object", False) for name, kind in _BOTH.items())
    anew = recreated(4, closure, same_graph=False)
    found = advised(Facts("recreated", anew[1].changes, closure=closure), anew)
    assert "start in zip(opt.variables, initial_opt)" in (found.code or "")
    passed = history(*({"model": thing(n), "opt": thing(n + 9), "x": tensor(3)} for n in (1, 2, 3)))
    for alone in (True, False):
        advised(Facts("retrace", passed[1].changes, variables_alone=alone, other_nodes=not alone), passed)


def of_keras(count: int, method: str, *, fit: bool | None, lines: int = 1, made: str = "") -> list[Traced]:
    """Functions that Keras made for as many models, which a line has `made`."""
    closure = (ClosureChange("self", "Sequential object", "Sequential object", False),)
    facts = Facts("recreated", (Change("recreated_function", ""),), same_graph=False, closure=closure)
    made_again = {"self": made} if made else {}
    verdict = judge(replace(facts, made_by_each_compile=True, variables_fit=fit, made_for_each_call=made_again))
    assert verdict.word == ("bounded" if fit is False else "avoidable" if made else "unknown")
    trainer = Frame("/site-packages/keras/src/backend/tensorflow/trainer.py", 1, method, "", False)
    traces = recreated(count, None, same_graph=False)
    return [
        replace(
            trace,
            stack=(trainer, Frame("/home/user/folds.py", 7 + place % lines, "main", f"model.{method}(x, y)", True)),
            verdict=verdict.word if place else "needed",
            evidence=verdict.evidence if place else "",
        )
        for place, trace in enumerate(traces)
    ]


@pytest.mark.parametrize("method", ["fit", "train_on_batch"])
def test_models_that_keras_trains_one_after_the_other_are_one_that_is_set_back(method: str) -> None:
    (found,) = advise(FunctionFacts("multi_step", of_keras(4, method, fit=True), library=True))
    assert (found.rule, found.traces_after, found.apply) == ("keep_model", None, None)
    assert "in 3 traces its graph has as many operations as for an earlier one" in found.text
    assert "variables = model.variables + model.optimizer.variables" in (found.code or "")
    assert "begins with the same ones each time" in found.warnings[0]
    (asked,) = advise(FunctionFacts("one_step", of_keras(4, "predict", fit=True), library=True))
    assert "model.set_weights(initial)" in (asked.code or "")
    assert "optimizer" not in asked.in_one


def test_a_model_that_a_line_makes_alike_for_each_run_could_be_one() -> None:
    """Keras makes a function for its `train_step`, and one for its `test_step`, in another place."""
    trained = of_keras(3, "fit", fit=True, made="model = build()")
    frame, users = trained[0].stack
    tested = [replace(one, stack=(replace(frame, line=2), users)) for one in trained]
    both = [one for pair in zip(trained, tested, strict=True) for one in pair]
    both = [replace(t, lookup=replace(t.lookup, object_number=n + 1)) for n, t in enumerate(both)]
    both[1] = replace(both[1], verdict="bounded", evidence="")
    (found,) = advise(FunctionFacts("multi_step", both, library=True))
    assert (found.rule, found.traces_before, found.traces_after) == ("keep_model", 6, 2)
    assert "`model = build()` makes a new one alike for each run: build and compile one" in found.text


def test_models_that_the_same_line_makes_for_data_of_other_parts_are_the_same_one() -> None:
    """Sample weights from the second fold on: one trace with them, and one without."""
    folds = of_keras(4, "fit", fit=True, made="model = build()")
    weighted = Signature(
        (("iterator", Node("composite", "IteratorSpec", value="IteratorSpec((a, b, c),)", identity=9)),)
    )
    folds = [replace(t, lookup=replace(t.lookup, object_number=n + 1)) for n, t in enumerate(folds)]
    folds[1:] = [replace(t, lookup=replace(t.lookup, signature=weighted)) for t in folds[1:]]
    folds[1] = replace(folds[1], verdict="bounded", evidence=OF_A_MODEL_FOR_OTHER_PARTS)
    (found,) = advise(FunctionFacts("multi_step", folds, library=True))
    assert (found.rule, found.traces_before, found.traces_after) == ("keep_model", 4, 2)


def test_an_optimizer_that_is_built_before_saves_the_second_trace_of_a_first_call() -> None:
    """As the advice's own code builds it; metrics that `compile` is given by name make theirs in the call."""
    traces: list[Traced] = []
    for first in of_keras(3, "fit", fit=True, made="model = build()"):
        again = replace(first.lookup, variables_created=True)
        changes = (Change("variable_creation", ""),)
        second = replace(first, kind="variable_creation", verdict="needed", evidence="", lookup=again, changes=changes)
        traces += [first, replace(second, closest=len(traces))]
    for owners, left in ((("optimizer",), 1), (("optimizer", "compiled_metrics"), 2)):
        created = tuple(Owner(f"model.{kind}", kind) for kind in owners)
        known = [replace(traces[0], created_for=created), *traces[1:]]
        found = advise(FunctionFacts("one_step", known, library=True))[0]
        assert (found.rule, found.traces_before, found.traces_after) == ("keep_model", 6, left)


def test_models_of_other_lines_or_shapes_are_no_runs_of_one() -> None:
    assert not advise(FunctionFacts("multi_step", of_keras(3, "fit", fit=True, lines=2), library=True))
    for other in (False, None):
        assert not advise(FunctionFacts("multi_step", of_keras(4, "fit", fit=other), library=True))
    assert of_keras(2, "fit", fit=False)[1].evidence.endswith(
        "no earlier graph has variables of the same shapes: models, optimizers or steps (`evaluate` after `fit`) that"
        " differ so need a trace each."
    )


def test_a_function_that_is_made_anew_with_them_is_defined_once_too() -> None:
    """`fit` that defines its step: each has no trace yet, whichever model it is passed."""
    first, *later = models(3)
    again = replace(later[1], changes=(Change("recreated_function", "", "object 1", "object 2"), *later[1].changes))
    said = "`train_step` is made anew, too, and has no trace yet each time: define it once, where it stays."
    text = advise(FunctionFacts("train_step", [first, later[0], again]))[0].text
    assert text.endswith(said)
    assert said not in advise(FunctionFacts("train_step", models(3)))[0].text


def warned(
    traces: list[Traced], *constants: Constant, alike: bool = True,
    numbers: tuple[tuple[str, str, float, float], ...] = (), **fields: bool,
) -> list[str]:  # fmt: skip
    """Of other numbers, where the graphs of any two differ in these constants."""
    graphs = Graphs(lambda one, other: GraphPair(alike, constants, numbers=numbers))
    function = FunctionFacts("train_step", [replace(trace, nodes=9) for trace in traces], graphs=graphs, **fields)
    (found,) = advise(function)
    assert found.rule == "keep_model"
    return [warning for warning in found.warnings if warning.startswith("This changes results: the graphs")]


def test_what_each_model_was_made_with_is_in_its_graph() -> None:
    """A rate of a layer, the discount of an agent: one that is kept computes with the first one's."""
    rate, scale = Constant("float32", 0.1, 0.3), Constant("float32", 1.1111111, 1.4285714)
    assert "differ in 2 constants (such as 0.1 and 0.3), which each" in warned(
        of_keras(4, "fit", fit=True), scale, rate, library=True
    )[0]  # fmt: skip
    assert (
        "differ in a constant of float32 (0.1 and 0.3), which each object was made with" in warned(models(3), rate)[0]
    )
    assert warned(closed_over(4), scale, rate)
    assert not warned(closed_over(4), rate)  # of `rate`, which it closes over, it is said
    assert warned(instances(3, "deleted "), rate)
    data = Constant("float32", (0.1, 0.3), (0.1, 0.3, 0.2), resized=True), Constant("float64", None, None)
    assert all(warned(traces, one) for one in data for traces in (models(3), instances(3, "deleted ")))
    assert not warned(models(3), rate, alike=False)
    assert not warned(models(3), replace(rate, of_gradient=True), Constant("int32", (9, 0), (7, 0)))


def test_models_of_other_sizes_are_not_compared_in_what_they_were_made_with() -> None:
    """A search that goes through sizes again: each is compared with the one of its own."""
    zeros, rate = Constant("float32", None, None, resized=True), Constant("float32", 0.1, 0.3)

    def told(*of_one_size: Constant) -> bool:
        graphs = Graphs(lambda one, other: GraphPair(True, of_one_size if (other - one) % 2 == 0 else (zeros,)))
        traces = [replace(trace, nodes=9) for trace in models(5)]
        kept = traces[:2] + [replace(trace, verdict="unknown") for trace in traces[2:]]
        kept[1] = replace(kept[1], evidence="no earlier graph has variables of such shapes", verdict="bounded")
        (found,) = advise(FunctionFacts("train_step", kept, graphs=graphs))
        return "which each object was made with" in found.in_one

    assert not told()
    assert told(rate)


def test_so_is_what_its_operations_were_made_with() -> None:
    """A slope of `LeakyReLU`, a pool's size: no constants."""
    assert "differ in `alpha` of `LeakyRelu` (0.1 and 0.2), which" in warned(
        models(3), numbers=(("LeakyRelu", "alpha", 0.1, 0.2),)
    )[0]  # fmt: skip
    assert "`ksize` of `MaxPool` (2 and 3)" in warned(models(3), numbers=(("MaxPool", "ksize", 2, 3),))[0]
    assert not warned(models(3), numbers=(("RandomUniform", "seed2", 7, 9),))


def test_numbers_that_calls_pass_are_not_what_each_model_was_made_with() -> None:
    """`act(observation, 0)` of one agent, and `act(observation, 0.2)` of the next."""

    def told(*numbers: float, rates: tuple[float, ...] = (0.5, 0.5, 0.5)) -> bool:
        traces = []
        for trace, n in zip(models(3), numbers, strict=True):
            arguments = (*trace.lookup.signature.arguments, ("n", literal(n)))
            traces.append(replace(trace, nodes=9, lookup=replace(trace.lookup, signature=Signature(arguments))))

        def compared(one: int, other: int) -> GraphPair:
            pairs = [(values[one] * (1 + 1e-8), values[other] * (1 + 1e-8)) for values in (numbers, rates)]
            return GraphPair(True, tuple(Constant("float32", old, new) for old, new in pairs if old != new))

        found = advise(FunctionFacts("train_step", traces, graphs=Graphs(compared)))
        (kept,) = [one for one in found if one.rule == "keep_model"]
        return "which each object was made with" in kept.in_one

    assert not told(0.1, 0.3, 0.1)
    assert not told(0.1, 0.3, 0.7)
    assert told(0.1, 0.3, 0.1, rates=(0.5, 0.5, 0.75))
    assert told(0.1, 0.3, 0.7, rates=(0.5, 0.6, 0.7))


def test_a_variable_of_a_strategy_has_no_variables_of_its_own() -> None:
    closure = (ClosureChange("weight", "MirroredVariable object", "MirroredVariable object", False),)
    changes = (Change("recreated_function", ""),)
    facts = Facts("recreated", changes, same_graph=False, closure=closure, captures_others=True, variables_fit=True)
    verdict = judge(facts)
    traces = [
        replace(trace, verdict=verdict.word if place else "needed", evidence=verdict.evidence if place else "")
        for place, trace in enumerate(recreated(3, None, same_graph=False))
    ]
    (found,) = advise(FunctionFacts("step", traces))
    assert "zip(tf.nest.flatten(weight), initial_weight)" in (found.code or "")
    assert "weight.variables" not in (found.code or "")


def test_the_object_of_a_function_within_a_method_holds_what_has_variables() -> None:
    """`self` of `def step` within `def train(self)`: a class around a model, as a rule."""
    both = [
        ClosureChange(name, text, text, False) for name, text in (("self", "Trainer object"), ("model", "Net object"))
    ]
    changes = (Change("recreated_function", ""),)
    facts = Facts("recreated", changes, same_graph=False, closure=(*both,), captures_others=True, variables_fit=True)
    evidence = judge(facts).evidence
    traces = [
        replace(trace, verdict="unknown" if place else "needed", evidence=evidence if place else "")
        for place, trace in enumerate(recreated(3, None, same_graph=False))
    ]
    (found,) = advise(FunctionFacts("step", traces))
    assert "for variable in self.….variables]" in (found.code or "")
    assert "for variable in model.variables]" in (found.code or "")
    assert any(note.startswith("`self.….variables` stands for") for note in found.notes)
