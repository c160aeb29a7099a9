"""Python objects as arguments: what is promised of one object is what the code says, for all that are passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.evidence import (
    CREATES_VARIABLES_LATE,
    FRACTIONS_ALONE,
    HOLDS_OTHERS,
    MADE_FOR_EACH_CALL,
    OTHER_VARIABLES_OF_OBJECTS,
    SAME_GRAPH_OF_OBJECTS,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate, changed_node
from tb_retrace_plugin.schema.signature import METADATA, Node
from tests.unit.explain.advice.test_advice_rules import advice, call, history, literal, number, numbers, tensor, thing

GONE = "TensorFlow holds `cfg` by a weak reference, and the earlier object no longer exists"


def named(kind: str, number: int, text: str) -> Node:
    return Node("object", kind, value=text, identity=number)


def of_two_graphs(type_name: str, source: str = "step(Cfg(rate))") -> list[Traced]:
    """Objects 1 and 2 give one graph, 3 and 4 another one."""
    traces = history(*({"cfg": thing(n, type_name)} for n in (1, 2, 3, 4)), source=source, same_graph=True)
    traces[2] = replace(traces[2], verdict="unknown")
    return [replace(trace, evidence=GONE) for trace in traces]


def test_one_object_for_each_graph() -> None:
    (found,) = advice(of_two_graphs("Cfg"), "step")
    assert numbers([found]) == [("same_object", 4, 2)]
    assert "Make one for each graph (2 at most)" in found.in_one
    assert found.code == ("kept_cfg = {…: Cfg(…), …}  # one for each graph, once, before the loop\n\nstep(kept_cfg[…])")
    assert "one object can serve all calls of one graph" in found.evidence


def test_another_model_whose_variables_come_too_late_is_none_in_place_of_the_first() -> None:
    first, late = history({"model": thing(1, "Net")}, {"model": thing(2, "Net")}, source="step(model)", same_graph=True)
    assert any("object" in one.rule for one in advice([first, replace(late, evidence=GONE)], "step"))
    late = replace(late, evidence=CREATES_VARIABLES_LATE)
    assert [one.rule for one in advice([first, late], "step")] == ["create_variables_before"]


def test_one_of_another_class_with_the_same_graph_is_none_more() -> None:
    """A lambda that calls the model: the model does in its place."""
    same = f"TensorFlow compares `model` by identity, and {SAME_GRAPH_OF_OBJECTS}"
    kinds = [
        named("keras.src.Net", 1, "Net object #1"),
        *(named("function", n, f"function <lambda> #{n}") for n in (2, 3)),
    ]
    traces = history(*({"model": kind} for kind in kinds), source="step(model)", same_graph=True)
    other = Change("python_type", "model", "Net object #1", "function <lambda> #2")
    traces = [traces[0], *(replace(trace, evidence=same) for trace in traces[1:])]
    traces[1] = replace(traces[1], changes=(other,))
    (found,) = [one for one in advice(traces, "step") if one.rule == "same_object"]
    assert (found.traces_after, "Make it once" in found.in_one) == (1, True)
    traces[1] = replace(traces[1], evidence="", verdict="unknown")
    (found,) = [one for one in advice(traces, "step") if one.rule == "same_object"]
    assert found.traces_after == 2


def test_few_that_come_again_are_not_others_in_each_trace() -> None:
    losses = [named("function", n, f"function loss_{n} #{n}") for n in (1, 2)]
    calls = [{"loss": loss, "mode": literal(mode)} for mode in "abc" for loss in losses]
    texts = [one.in_one for one in advice(history(*calls, source="step(loss, x)", same_graph=True), "step")]
    assert any("`loss` of `step` is one of 2 Python objects, and TensorFlow compares" in text for text in texts), texts


def test_what_has_a_trace_type_of_its_own_has_numbers_of_another_kind() -> None:
    """An object may have the same at other calls, which is made one with another object."""
    change = Candidate(identities={("cfg", 4): 3, (f"cfg{METADATA}", 4): 3})
    made = {path: changed_node(Node("custom", identity=4), path, change).identity for path, _ in change.identities}
    assert made == {"cfg": 4, f"cfg{METADATA}": 3}
    assert changed_node(thing(4), "cfg", change).identity == 3


@pytest.mark.parametrize(
    ("constants", "kinds"),
    [
        ((Constant("int32", (8, 1), (4, 1), of_gradient=True), Constant("float32", 0.125, 0.25)), 1),
        ((Constant("float32", (1.0,) * 8, (1.0,) * 4, resized=True), Constant("int32", 24, 12)), 1),
        ((Constant("float32", 0.5, 0.25),), 2),  # the objects' own, though it is as the sizes are
        ((Constant("int32", (8, 3), (4, 5)),), 2),
        ((Constant("string", "a", "b"),), 2),
        ((Constant("float32"),), 2),
    ],
)
def test_objects_of_a_last_batch_are_one_with_the_others_where_sizes_explain_its_graph(
    constants: tuple[Constant, ...], kinds: int
) -> None:
    calls = [({"cfg": thing(n, "Cfg"), "x": tensor(4 if n % 3 == 0 else 8, 3)}) for n in (1, 2, 3, 4, 5, 6)]
    traces = history(*calls, source="step(cfg, x)", same_graph=True)
    cfg = Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2")
    shape = Change("shape", "x", "(8, 3)", "(4, 3)")
    closest = {1: 0, 2: 1, 3: 1, 4: 3, 5: 2}
    traces = [
        replace(
            trace, closest=closest.get(n), evidence=GONE, changes=(cfg, shape) if n == 2 else (cfg,) if n else (),
        )
        for n, trace in enumerate(traces)
    ]  # fmt: skip
    pair = GraphPair(True, constants, captures=True)

    def left(evidence: str) -> bool:
        traces[2] = replace(traces[2], verdict="unknown", evidence=evidence)
        graphs = Graphs(lambda one, other: pair if 2 in (one, other) else None)
        (found,) = [one for one in advise(FunctionFacts("step", traces, graphs=graphs)) if one.rule == "same_object"]
        assert found.traces_after == 2
        return "Make it once" in found.text

    assert left(f"{GONE}; the graph captures the same, and whether one object would do is not known.") == (kinds == 1)
    assert not left(f"{GONE}; whether one object would do is not known.")


def test_the_line_that_made_what_is_kept_passes_it_too() -> None:
    traces = history(*({"cfg": thing(n, "keras.src.Cfg")} for n in (1, 2, 3)), source="step(x, Cfg())", same_graph=True)
    traces[0] = replace(traces[0], stack=call("for cfg in (Cfg(), Cfg(2)): step(x, cfg)  # some", 3))
    (found,) = advice(traces, "step")
    assert "# to be passed in line 3 too: for cfg in (Cfg(), Cfg(2)): step(x, cfg)" in (found.code or "").splitlines()
    assert "line 7" not in (found.code or "")


def test_all_that_are_new_at_once_are_kept() -> None:
    def arguments(n: int) -> dict[str, Node]:
        return {"f": named("function", 2 * n, f"function <lambda> #{2 * n}"), "cfg": thing(2 * n + 1, "Cfg")}

    traces = history(*map(arguments, (1, 2, 3)), source="solve(lambda x: x, Cfg(1))", same_graph=True)
    both = [replace(trace, evidence=GONE.replace("cfg", "f")) for trace in traces]
    (found,) = advice(both, "solve")
    assert numbers([found]) == [("same_object", 3, 1)]
    assert (found.code or "").splitlines() == [
        "f = …  # once, before the loop",
        "cfg = Cfg(…)  # once, before the loop",
        "",
        "solve(f, cfg)",
    ]
    assert "`__eq__`" not in found.in_one  # it is not known that `cfg` still exists, nor that it does not
    both = [replace(trace, evidence="") for trace in traces]
    (found,) = advice(both, "solve")
    assert numbers([found]) == [("equal_objects+same_object", 3, 1)]


def test_of_each_of_two_that_lines_make_for_each_call_it_is_told_what_changes() -> None:
    """A federated round: each client gets a model and an optimizer of its own."""

    def arguments(n: int) -> dict[str, Node]:
        return {
            "model": named("keras.src.models.Sequential", 2 * n, f"Sequential object #{2 * n}"),
            "opt": named("keras.src.optimizers.SGD", 2 * n + 1, f"SGD object #{2 * n + 1}"),
        }

    made = MADE_FOR_EACH_CALL.format("`, `".join(("net = make()", "sgd = SGD(rate)")))
    told = f"`model` and `opt` are other objects, and {OTHER_VARIABLES_OF_OBJECTS}. {made}"
    traces = history(*map(arguments, (1, 2, 3)), source="update(net, sgd)", same_graph=True)
    (found,) = advice([replace(trace, evidence=told) for trace in traces], "update")
    assert numbers([found]) == [("same_object", 3, 1)]
    assert found.code == "net = make()  # once, before the loop\nsgd = SGD(rate)  # once, before the loop"
    assert [text.partition(" goes on with")[0] for text in found.warnings] == [
        "This changes results: `net`", "This changes results: `sgd`",
    ]  # fmt: skip
    assert [note[-32:] for note in found.notes] == ["(`sgd.learning_rate.assign(…)`)."]


def test_objects_of_two_classes_get_methods_both() -> None:
    traces = history(*({"a": thing(n, "A"), "b": thing(n + 9, "B")} for n in (1, 2)), same_graph=True)
    (found,) = advice(traces)
    assert numbers([found]) == [("equal_objects", 2, 1)]
    assert "Give `A` and `B`" in found.in_one
    assert (found.code or "").count("def __eq__") == 2
    assert found.apply == {"equal_classes": ["A", "B"]}


def test_what_holds_other_values_is_not_made_equal() -> None:
    """`__eq__` would compare what the graph does not depend on, such as a name."""
    traces = history(*({"cfg": thing(n, "Cfg")} for n in (1, 2, 3)), same_graph=True)
    told = "TensorFlow compares `cfg` by identity, and the graph is the same, though it holds other values: one object."
    (found,) = advice([*traces[:2], replace(traces[2], evidence=told)], "step")
    assert numbers([found]) == [("same_object", 3, 1)]
    assert "an `__eq__` and a `__hash__` that leave these values out" in found.in_one
    of_another = told.replace("`cfg`", "`other`")
    (found,) = advice([*traces[:2], replace(traces[2], evidence=of_another)], "step")
    assert numbers([found]) == [("equal_objects", 3, 1)]


def test_what_has_a_name_is_not_made_once() -> None:
    traces = history(*({"owner": named("type", n, f"class {'AB'[n]}")} for n in (0, 1)), same_graph=True)
    traces = [replace(trace, verdict="avoidable") for trace in traces]
    (found,) = advice(traces, "scale")
    assert numbers([found]) == [("unused_argument", 2, 1)]
    assert "class B in place of class A" in found.in_one
    assert found.code is None


def test_shapes_are_passed_as_their_dimensions() -> None:
    traces = history(*({"shape": thing(n, "TensorShape"), "x": tensor(2)} for n in (1, 2)), same_graph=True)
    (found,) = advice([replace(trace, stack=call("h = init(x.shape, x)")) for trace in traces], "init")
    assert numbers([found]) == [("same_object", 2, 1)]
    assert found.code == "h = init(tuple(x.shape), x)"
    assert "once" not in found.in_one
    assert "A tuple has no `as_list()`" in found.in_one
    # beside numbers in the same line, and where it is known which hold the same
    calls = [{"shape": thing(n, "TensorShape"), "n": number(n)} for n in (1, 2, 3)]
    traces = [replace(trace, stack=call("h = init(x.shape, n)")) for trace in history(*calls, same_graph=True)]
    both = advice(traces, "init")[0]
    assert numbers([both]) == [("tensor_for_python_number+same_object", 3, 1)]
    assert both.code == "h = init(tuple(x.shape), tf.constant(n))"
    others = [replace(t, evidence=t.evidence.replace("is the same:", f"is the same, {HOLDS_OTHERS}:")) for t in traces]
    assert any(HOLDS_OTHERS in t.evidence for t in others)
    found = next(a for a in advice(others, "init") if "same_object" in a.rule)
    assert found.traces_after is None
    assert "h = init(tuple(x.shape)" in (found.code or "")


def test_all_traces_are_gone_through_as_often_whatever_their_number() -> None:
    class Counted(list[Traced]):
        times = 0

        def __iter__(self) -> Iterator[Traced]:
            Counted.times += 1
            return super().__iter__()

    def times(count: int) -> int:
        traces = history(*({"cfg": thing(n, "Cfg"), "k": number(n)} for n in range(count)), same_graph=True)
        Counted.times = 0
        (found,) = advise(FunctionFacts("step", Counted(traces)))
        assert numbers([found]) == [("equal_objects+tensor_for_python_number", count, 1)]
        return Counted.times

    assert 0 < times(40) == times(20)


def test_objects_that_one_mode_tells_apart_and_another_does_not_are_not_made_one() -> None:
    """Configurations of which training reads a rate, and evaluation does not."""
    calls = [{"mode": literal(mode), "cfg": thing(n, "Cfg")} for n in (1, 2, 3) for mode in ("train", "eval")]
    traces = history(*calls, same_graph=True)
    others = {0: (None, "needed"), 1: (0, "unknown"), 2: (0, "unknown"), 3: (1, "avoidable"), 4: (2, "unknown"),
              5: (3, "avoidable")}  # fmt: skip
    cfg = Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2")
    mode = Change("python_value", "mode", "'train'", "'eval'")
    traces = [
        replace(trace, closest=others[n][0], verdict=others[n][1], changes=(mode if n == 1 else cfg,), evidence="")
        for n, trace in enumerate(traces)
    ]
    (found,) = advice(traces, "step")
    assert numbers([found]) == [("same_object", 6, None)]
    assert "one object in place of all would change results" in found.in_one
    assert found.apply is None
    same = GraphPair(True, captures=True, renumbered=True)  # as of variables that an optimizer made in the first call
    for pair, is_one in ((same, True), (replace(same, renumbered=False), False), (GraphPair(False), False)):
        graphs = Graphs(lambda one, other, pair=pair: pair)
        first = advise(FunctionFacts("step", traces, graphs=graphs))[0]
        assert ("would change results" not in first.in_one) is is_one


@pytest.mark.parametrize(
    ("lines", "graphs", "held", "kept"),
    [
        (("a = mean(p.density, x)", "b = mean(q.density, x)"), "abab", "", ("p", "q")),
        (("a = mean(p.density, x)", "b = mean(q.density, x)"), "aaaa", "", ("p", "q")),  # variables of one shape
        (("a = mean(p.density, x) - mean(q.density, x)",), "abab", "", ("p", "q")),
        (("a = mean(p.density, x)",), "abab", "", ()),  # of several objects, or of one that changes
        (("a = mean(p.density, x)",), "aaaa", FRACTIONS_ALONE, ()),
        (("a = mean(p.density, x) - mean(q.density, x)",), "aaaa", "", ()),  # which of them is not known
        (("a = mean(self.p.density, x)",), "aaaa", "", ()),  # there is no loop to keep it before
        (("a = mean(densities[0], x)",), "aaaa", "", ()),
    ],
)
def test_methods_are_kept_in_variables_where_lines_tell_of_which_objects_they_are(
    lines: tuple[str, ...], graphs: str, held: str, kept: tuple[str, ...]
) -> None:
    calls = [{"fn": named("object", n, f"method density #{n}"), "x": tensor(3)} for n in range(1, 5)]
    change = Change("object_identity", "fn", "method density #1", "method density #2")
    traces = [
        replace(trace, stack=call(lines[n % len(lines)]), evidence=held or GONE, verdict="avoidable" if n else "needed",
                changes=(change,) if n else ())
        for n, trace in enumerate(history(*calls, same_graph=True))
    ]  # fmt: skip
    compare = Graphs(lambda one, other: GraphPair(graphs[one] == graphs[other]))
    found = advise(FunctionFacts("mean", traces, graphs=compare))
    told = [one for one in found if "which Python makes anew" in one.text]
    assert numbers(told) == ([("same_object", 4, len(kept))] if kept else [])
    for one in told:
        assert (one.code or "").startswith(
            "\n".join(f"{p}_density = {p}.density  # once, before the loop" for p in kept)
        )
        assert f"{kept[0]}_density, x)" in (one.code or "").splitlines()[len(kept) + 1]
        assert not any("Make one" in other.text or "Make it once" in other.text for other in found)
