"""Objects that hold other tensors each time: these are passed, and none takes another object's place."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.made_anew.tensors_of_objects import propose_closed_over
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import COMPUTED_IN_PYTHON
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.evidence import says_numbers_differ
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge
from tests.unit.explain.advice.test_advice_rules import advice, history, number, numbers, recreated, tensor, thing


def holding(*places: int, source: str = "elbo(dist, x)") -> list[Traced]:
    """Each holds another tensor."""
    traces = history(*({"dist": thing(n, "Normal"), "x": tensor(2)} for n in places), source=source)
    for place, trace in enumerate(traces[1:], 1):
        verdict = judge(Facts("retrace", trace.changes, same_graph=False, other_tensors=True))
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    return traces


def test_the_tensors_are_passed_beside_one_object() -> None:
    (found,) = advice(holding(1, 2, 3), "elbo")
    assert numbers([found]) == [("pass_tensors_of_object", 3, 1)]
    assert "`dist` of `elbo` is another `Normal` in each trace, and the graphs differ in nothing but" in found.text
    assert found.code == (
        "@tf.function\n"
        "def elbo(dist, x, dist_tensors):  # in place of what it reads of dist and is another tensor each time\n"
        "    …\n\nkept_dist = dist  # once, before the loop\n…\nelbo(kept_dist, x, dist_tensors=(dist.…,))"
    )
    assert found.apply is None


def test_one_object_is_kept_for_each_kind_of_graphs() -> None:
    traces = holding(1, 2, 3, 4)
    other = judge(Facts("retrace", traces[2].changes, same_graph=False))
    traces[2] = replace(traces[2], verdict=other.word, evidence=other.evidence)
    (found,) = advice(traces, "elbo")
    assert numbers([found]) == [("pass_tensors_of_object", 4, 2)]
    assert "keep one object for each of 2 kinds" in found.text


def test_fractions_beside_the_tensors_are_tensors_too() -> None:
    """Of some calls the tensors alone differ, of some the fractions: one piece of advice tells of both."""
    traces = holding(1, 2, 3, 4)
    for place, facts in ((1, {"other_tensors_and_numbers": True}), (2, {"numbers_alone": True})):
        verdict = judge(Facts("retrace", traces[place].changes, same_graph=False, **facts))  # type: ignore[arg-type]
        traces[place] = replace(traces[place], verdict=verdict.word, evidence=verdict.evidence)
    (found,) = advice(traces, "elbo")
    assert numbers([found]) == [("pass_tensors_of_object", 4, 1)]
    assert "such as those of it, and fractions, which are read or computed of it in Python." in found.text
    assert "dist_tensors=(dist.…, tf.constant(dist.…))" in (found.code or "")


def test_objects_of_the_same_graph_are_served_too() -> None:
    traces = holding(1, 2, 3)
    traces[1] = replace(traces[1], evidence=judge(Facts("retrace", traces[1].changes, same_graph=True)).evidence)
    assert numbers(advice(traces, "elbo"))[0] == ("pass_tensors_of_object", 3, 1)


def test_the_tensors_of_several_objects_that_are_others_at_once() -> None:
    traces = history(*({"a": thing(n, "Belief"), "b": thing(n + 9, "Goal")} for n in (1, 2, 3)), source="kl(a, b)")
    for place, trace in enumerate(traces[1:], 1):
        verdict = judge(Facts("retrace", trace.changes, same_graph=False, other_tensors=True))
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    (found,) = advice(traces, "kl")
    assert numbers([found]) == [("pass_tensors_of_object", 3, 1)]
    assert found.text.startswith("`a` of `kl` is another `Belief` and `b` of `kl` is another `Goal` in each trace")
    assert "def kl(a, b, a_tensors, b_tensors):" in (found.code or "")
    assert "kl(kept_a, kept_b, a_tensors=(a.…,), b_tensors=(b.…,))" in (found.code or "")


def test_an_object_that_is_closed_over() -> None:
    """Where other objects than this differ, or it has other numbers that decide, nothing is said."""
    another = ClosureChange("data", "Data object", "Data object", False)
    change = (Change("recreated_function", "", "object 1", "object 2"),)

    def made(kind: str, *closure: ClosureChange) -> Verdict:
        facts = Facts("recreated", change, same_graph=False, closure=closure)
        facts.read_otherwise = {"data.rate": ("0.5", "0.25")}
        setattr(facts, kind, True)
        return judge(facts)

    pair = GraphPair(False, (Constant("float64", 0.0, 0.5),))
    for kind, numbered in (("other_tensors", False), ("other_tensors_and_numbers", True)):
        verdict = made(kind, another)
        assert (verdict.word, says_numbers_differ(verdict.evidence)) == ("avoidable", numbered)
        assert "closes over another `data`, reads `data.rate`: 0.5 → 0.25, and its graph is" in verdict.evidence
        traces = [replace(t, evidence=verdict.evidence, verdict=verdict.word) for t in recreated(3)[1:]]
        (found,) = advice([recreated(1)[0], *traces], "loss")
        assert numbers([found]) == [("pass_tensors_of_object", 3, 1)]
        assert "(x, data_tensors, data_number)" in (found.code or "") if numbered else "(x, data_tensors)" in found.code
        assert (found.code or "").endswith("loss(x, (data.…,)" + (", tf.constant(data.…))" if numbered else ")"))
        assert (COMPUTED_IN_PYTHON in found.notes) == numbered
        facts = FunctionFacts("loss", [recreated(1)[0], *traces], graphs=Graphs(lambda one, other: pair))
        declared = {"data_tensors": "", **({"data_number": "tf.TensorSpec([], tf.float64)"} if numbered else {})}
        assert getattr(propose_closed_over(facts), "added", None) == declared
    beside = ClosureChange("how", "'a'", "'b'", False)
    assert made("other_tensors", another, beside).word == "unknown"
    assert made("other_nodes", another).word == "unknown"


def test_instances_that_differ_in_tensors_alone_need_one_function_outside() -> None:
    of_self = Change("object_identity", "self", "deleted Lens object #1", "Lens object #2")
    verdict = judge(Facts("recreated", (of_self,), same_graph=False, other_tensors=True, own_tensors=("self.m",)))
    assert "the same but for tensors or variables of its own (`self.m`). If instances are many" in verdict.evidence
    traces = history(*({"self": thing(n, "Lens"), "x": tensor(2)} for n in range(3)))
    for place in (1, 2):
        traces[place] = replace(
            traces[place], kind="recreated", changes=(of_self,), verdict=verdict.word, evidence=verdict.evidence,
            lookup=replace(traces[place].lookup, object_number=place + 1),
        )  # fmt: skip
    (found,) = advice(traces, "bend", qualname="Lens.bend")
    assert (verdict.word, numbers([found])) == ("unknown", [("pass_tensors_of_instance", 3, 1)])
    assert "def lens_bend(x, m):" in (found.code or "")
    assert "        return lens_bend(x, self.m)" in (found.code or "")
    assert why_by_hand(found.rule) == "a function outside of the class has to take the tensors as arguments"
    assert advice(traces[:2], "bend", qualname="Lens.bend") == []  # two are few
    # an instance of another kind needs its own
    other = judge(Facts("recreated", (of_self,), same_graph=False, other_nodes=True))
    assert advice([*traces[:2], replace(traces[2], evidence=other.evidence)], "bend", qualname="Lens.bend") == []


def test_beside_instances_what_changes_their_calls() -> None:
    of_self = Change("object_identity", "self", "deleted Lens object #1", "Lens object #2")
    verdict = judge(Facts("recreated", (of_self,), same_graph=False, other_tensors=True, own_tensors=("self.m",)))
    each = [(n, k) for n in (1, 2, 3) for k in (0, 1)]
    traces = history(*({"self": thing(n, "Lens"), "k": number(k)} for n, k in each), source="lens.bend(k)")
    for place, (n, k) in enumerate(each):
        lookup = replace(traces[place].lookup, object_number=n)
        traces[place] = replace(traces[place], lookup=lookup)
        if place and not k:
            traces[place] = replace(
                traces[place], kind="recreated", changes=(of_self,), verdict=verdict.word, evidence=verdict.evidence,
                closest=place - 2,
            )  # fmt: skip
    found = advice(traces, "bend", qualname="Lens.bend")
    assert numbers(found) == [
        ("pass_tensors_of_instance+tensor_for_python_number", 6, 1),
        ("pass_tensors_of_instance", 6, 2),
        ("tensor_for_python_number", 6, 3),
    ]
    code = found[0].code or ""
    assert "        return lens_bend(k, self.m)" in code
    assert code.endswith("\nlens.bend(tf.constant(k))")
