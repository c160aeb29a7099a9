"""Objects and ranges that hold other numbers each time: what is read is passed, and none takes another's place."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import (
    advice,
    history,
    literal,
    number,
    numbers,
    recreated,
    tensor,
    thing,
)


def judged(*changes: Change, **fields: object) -> Verdict:
    return judge(Facts("retrace", changes, same_graph=False, numbers_alone=True, **fields))  # type: ignore[arg-type]


def holding(*nodes: Node, source: str = "") -> list[Traced]:
    """Each holds another fraction."""
    traces = history(*({"x": tensor(2), "cfg": node} for node in nodes), source=source)
    for place, trace in enumerate(traces[1:], 1):
        verdict = judged(*trace.changes)
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    return traces


def test_an_object_is_avoidable_by_the_numbers_that_it_holds() -> None:
    of_object = Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2")
    assert judged(of_object).word == "avoidable"
    assert judged(of_object, passed={"cfg": (ClosureChange("k", "1", "2", True),)}).word == "unknown"
    assert judged(Change("python_value", "rate", "Decimal('0.1')", "Decimal('0.2')")).word == "avoidable"
    assert judged(Change("python_value", "rate", "P value", "another P value")).word == "avoidable"  # of the user's
    for old, new in (
        ("module object #1", "module object #2"),
        ("function f #1", "function g #2"),
        ("class A", "class B"),
    ):
        assert judged(Change("object_identity", "lib", old, new)).word == "unknown"
    assert judged(Change("python_value", "mode", "'a'", "'b'")).word == "unknown"  # it may choose one of a table
    mode = Change("python_value", "mode", "'a'", "'b'")
    assert judged(of_object, mode).word == judged(mode, of_object).word == "unknown"
    other = judge(Facts("retrace", (of_object,), same_graph=False))
    assert other.word == "unknown"


def test_what_changes_beside_it_is_fractions_too() -> None:
    of_object = Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2")
    for beside in (
        Change("object_identity", "net", "Net object #3", "Net object #4"),
        Change("python_value", "rate", "0.5", "0.25"),
        Change("shape", "x", "(32, 8)", "(7, 8)"),
    ):
        for changes in ((of_object, beside), (beside, of_object)):
            verdict = judged(*changes)
            assert verdict.word == "avoidable"
            assert "is another object, and its graph is the same but for fractions" in verdict.evidence
            assert judge(Facts("retrace", changes, same_graph=False)).word == "unknown"


def test_an_object_of_a_library_is_to_be_made_within() -> None:
    """What its own code reads of it no caller passes."""
    losses = [replace(thing(number, "Huber"), type_name="keras.src.losses.Huber") for number in (1, 2)]
    (found,) = advice(holding(*losses), "step")
    assert (found.rule, found.traces_after) == ("pass_numbers_of_object", 1)
    assert any("make one in the function, of the tensor (`Huber(…)`)" in note for note in found.notes)
    (found,) = advice(holding(thing(1, "Cfg"), thing(2, "Cfg")), "step")
    assert "library" not in found.in_one


def test_what_leaves_the_data_as_they_are_is_advised_beside_what_pads() -> None:
    """Of each phase's last batch, which is the smaller one: padding saves a trace more, and changes results."""
    arguments = [
        {"x": tensor(size, 4), "cfg": thing(n, "Cfg"), "rate": literal(0.5 / n)} for n in (1, 2, 3) for size in (8, 5)
    ]
    traces = history(*arguments, source="step(x, Cfg(n), 0.5 / n)")
    for place, trace in enumerate(traces[1:], 1):
        of_object = any(change.cause == "object_identity" for change in trace.changes)
        verdict = judged(*trace.changes) if of_object else Verdict("avoidable", "")
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    found = numbers(advice(traces, "step"))
    assert found[:2] == [
        ("pass_numbers_of_object+tensor_for_python_number+pad_to_one_shape", 6, 1),
        ("pass_numbers_of_object+tensor_for_python_number", 6, 2),
    ]


def test_a_number_beside_it_is_passed_as_a_tensor_too() -> None:
    """It changed where the object did, whose numbers the fractions may be as well."""
    arguments = [{"x": tensor(2), "cfg": thing(n, "Cfg"), "rate": literal(0.5 / n)} for n in (1, 2, 3)]
    traces = history(*arguments, source="step(x, Cfg(), 0.5 / n)")
    for place, trace in enumerate(traces[1:], 1):
        verdict = judged(*trace.changes)
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    found = advice(traces, "step")
    assert numbers(found)[0] == ("pass_numbers_of_object+tensor_for_python_number", 3, 1)
    assert "which are read or computed of it, or are `rate`, in Python" in found[0].text
    assert any("by Python's own means" in note for note in found[0].notes)
    call = "step(x, kept_cfg, tf.constant(rate), cfg_number=tf.constant(cfg.…))"
    assert f"\n{call}" in (found[0].code or "")
    of_method = advice(traces, "step", qualname="Trainer.step", bound_as="self")
    assert (of_method[0].code or "").endswith(f"\n….{call}")  # one call, not two
    by_name = advice(traces, "step", keyword_only=frozenset({"rate"}))[0].code or ""
    assert by_name.endswith("\nstep(x, kept_cfg, rate=tf.constant(rate), cfg_number=tf.constant(cfg.…))")


def test_an_object_that_is_called_is_by_a_name_like_its_class() -> None:
    """`….__call__(x, …)` is nothing that anyone writes."""
    traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source="total += loss(x, Cfg(rate))")
    (found,) = advice(traces, "__call__", qualname="make.<locals>.Loss.__call__")
    assert (found.code or "").endswith("\n…\nloss(x, kept_cfg, cfg_number=tf.constant(cfg.…))")
    (of_that_name,) = advice(traces, "__call__", qualname="Cfg.__call__")
    assert "\none_Cfg(x, kept_cfg, " in (of_that_name.code or "")
    beside = [{"x": tensor(2), "cfg": thing(n, "Cfg"), "rate": literal(0.5 / n)} for n in (1, 2, 3)]
    numbered = history(*beside, source="loss(x, Cfg(), 0.5 / n)")
    for place, trace in enumerate(numbered[1:], 1):
        verdict = judged(*trace.changes)
        numbered[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    together = advice(numbered, "__call__", qualname="Loss.__call__")[0].code or ""
    assert together.endswith("\nloss(x, kept_cfg, tf.constant(rate), cfg_number=tf.constant(cfg.…))")  # one call


def test_no_object_is_made_equal_to_one_with_other_numbers() -> None:
    traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source="step(x, Cfg(rate))")
    (found,) = advice(traces, "step")
    assert numbers([found]) == [("pass_numbers_of_object", 3, 1)]
    assert "another `Cfg` in each trace" in found.in_one
    assert found.code == (
        "@tf.function\n"
        "def step(x, cfg, cfg_number):  # in place of what it reads of cfg and is another number each time\n"
        "    …\n\nkept_cfg = cfg  # once, before the loop\n…\nstep(x, kept_cfg, cfg_number=tf.constant(cfg.…))"
    )
    assert found.apply is None


def test_a_parameter_with_a_default_keeps_it() -> None:
    calls = [{"x": tensor(2), "cfg": thing(n, "Cfg"), "training": literal(True)} for n in (1, 2, 3)]
    traces = history(*calls, source="step(x, Cfg(rate))")
    for place, trace in enumerate(traces[1:], 1):
        verdict = judged(*trace.changes)
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    facts = {"with_default": frozenset({"training"}), "python_uses": ("training: True by default",)}
    (found,) = advice(traces, "step", **facts)
    assert "\ndef step(x, cfg, training=True, *, cfg_number):  # in place of what it reads" in (found.code or "")
    (found,) = advice(traces, "step", with_default=frozenset({"training"}))
    assert "\ndef step(x, cfg, training=…, *, cfg_number):  # in place" in (found.code or "")


def test_objects_of_the_same_graph_are_served_too() -> None:
    traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source="step(x, Cfg(rate))")
    same = judge(Facts("retrace", traces[1].changes, same_graph=True))
    traces[1] = replace(traces[1], evidence=same.evidence)
    found = advice(traces, "step")
    assert numbers(found) == [("pass_numbers_of_object", 3, 1), ("equal_objects", 3, 2)]


def test_one_object_is_kept_for_each_kind_of_graphs() -> None:
    """As where an `if` on what it holds decides what is built."""
    traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3, 4)), source="step(x, Cfg(rate))")
    other = judge(Facts("retrace", traces[2].changes, same_graph=False))
    traces[2] = replace(traces[2], verdict=other.word, evidence=other.evidence)
    (found,) = advice(traces, "step")
    assert numbers([found]) == [("pass_numbers_of_object", 4, 2)]
    assert "keep one object for each of 2 kinds" in found.text
    assert "kept_cfg = cfg  # once for each of the 2 kinds, before the loop" in (found.code or "")


def test_what_is_a_number_as_a_whole_is_converted() -> None:
    nodes = [Node("literal", "Decimal", value=f"Decimal('0.{n}')", identity=n) for n in (1, 2, 3)]
    (found,) = advice(holding(*nodes, source="price(x, Decimal(n) / 10)"), "price")
    assert numbers([found]) == [("pass_numbers_of_object", 3, 1)]
    assert found.code == "price(x, tf.constant(float(Decimal(n) / 10)))"


def test_what_is_closed_over_is_passed() -> None:
    closure = (ClosureChange("cfg", "Cfg object", "Cfg object", False),)
    verdict = judge(
        Facts(
            "recreated", (Change("recreated_function", "", "object 1", "object 2"),), same_graph=False, closure=closure,
            numbers_alone=True,
        )
    )  # fmt: skip
    assert verdict.word == "avoidable"
    traces = [replace(trace, evidence=verdict.evidence) if trace.changes else trace for trace in recreated(3)]
    pair = GraphPair(True, (Constant("float64", 0.5, 0.25),))
    (found,) = advise(FunctionFacts("step", traces, graphs=Graphs(lambda one, other: pair)))
    assert numbers([found]) == [("pass_numbers_of_object", 3, 1)]
    assert "(float64: 0.5 → 0.25)" in found.text
    assert found.code == (
        "@tf.function\ndef step(x, cfg_number):  # once\n    …\n\nstep(x, tf.constant(cfg.…, tf.float64))"
    )


def test_what_is_read_anew_may_be_what_differs() -> None:
    traces = holding(*(thing(n, "Cfg") for n in (1, 2)), source="step(x, Cfg())")
    (found,) = advice(traces, "step", values_read={"GAIN": ["1.0", "2.0"], "cfg.rate": ["1.0", "2.0"]})
    assert "of it, or are `GAIN`, which each trace reads anew, in Python" in found.text
    assert found.warnings[0].startswith("By itself this can change results: each trace reads `GAIN`")
    assert "`cfg.rate`" not in found.in_one


def test_a_range_can_be_a_tensor() -> None:
    ranges = [Node("literal", "range", value=f"range({n}, {n + 4})", identity=n + 1) for n in (0, 4, 8)]
    (found,) = advice(holding(*ranges, source="pick(x, range(n, n + 4))"), "pick")
    assert numbers([found]) == [("tensor_for_python_sequence", 3, 1)]
    assert found.code == "pick(x, tf.constant(range(n, n + 4)))"
    assert found.apply == {"tensors": {"cfg": "int32"}}
    longer = judged(Change("python_value", "idx", "range(0, 2)", "range(0, 3)"))
    assert longer.word == "unknown"


def test_a_plain_value_holds_nothing() -> None:
    traces = holding(literal("a"), literal("b"))
    assert advice(traces, "step") == []


def test_numbers_are_named_where_sizes_differ_too() -> None:
    """Of such a trace it is not known that they are all; of another one it is, by its graph."""
    calls = [
        {"x": tensor(2), "cfg": thing(1, "Cfg")},
        {"x": tensor(2), "cfg": thing(2, "Cfg")},
        {"x": tensor(3), "cfg": thing(3, "Cfg")},
    ]
    traces = history(*calls, source="step(x, Cfg(rate))")
    alone, sizes = traces[1:]
    exact = judge(
        Facts("retrace", alone.changes, same_graph=False, passed_numbers_alone=True, held={"cfg.rate": ("0.5", "0.25")})
    )
    also = judged(*sizes.changes, held={"cfg.rate": ("0.25", "0.75")})
    assert also.evidence.startswith("`cfg` is another object, which holds `cfg.rate`: 0.25 → 0.75, and its graph")
    traces[1] = replace(alone, verdict=exact.word, evidence=exact.evidence)
    traces[2] = replace(sizes, verdict=also.word, evidence=also.evidence)
    found = advice(traces, "step")[0]
    assert "cfg_rate=tf.constant(cfg.rate)" in (found.code or "")
    of_item = Facts(
        "retrace", alone.changes, same_graph=False, passed_numbers_alone=True, held={"cfg.ops[0].by": ("0.5", "0.25")}
    )
    item = judge(of_item)
    found = advice([traces[0], replace(alone, verdict=item.word, evidence=item.evidence)], "step")[0]
    assert "cfg_ops_0_by=tf.constant(cfg.ops[0].by)" in (found.code or "")
    more = judged(*sizes.changes, held={"cfg.rate": ("0.25", "0.75"), "cfg.mix": ("0.5", "0.1")})
    traces[2] = replace(traces[2], evidence=more.evidence)
    assert "cfg_number=tf.constant(cfg.…)" in (advice(traces, "step")[0].code or "")


def test_instances_that_differ_in_numbers_alone_need_one_function_outside() -> None:
    of_self = Change("object_identity", "self", "Loss object #1", "Loss object #2")
    held = {"self.weight": ("0.5", "0.25"), "self.n": ("2", "3")}
    verdict = judge(Facts("recreated", (of_self,), same_graph=False, passed_numbers_alone=True, held=held))
    traces = history(*({"self": thing(n, "Loss"), "x": tensor(2)} for n in range(3)))
    for place in (1, 2):
        lookup = replace(traces[place].lookup, object_number=place + 1)
        traces[place] = replace(
            traces[place], kind="recreated", changes=(of_self,), lookup=lookup, verdict=verdict.word,
            evidence=verdict.evidence,
        )  # fmt: skip
    (found,) = advice(traces, "value", qualname="Loss.value")
    assert numbers([found]) == [("pass_numbers_of_instance", 3, 1)]
    assert found.code is not None
    assert "def loss_value(x, weight, n):" in found.code
    assert "return loss_value(x, tf.constant(self.weight), tf.constant(self.n))" in found.code
    # beside a number that calls pass
    more = Change("python_value", "x", "1.5", "2.5")
    beside = [
        replace(
            trace, changes=(of_self, more),
            lookup=replace(trace.lookup, signature=Signature((("self", thing(n, "Loss")), ("x", number(n + 0.5))))),
        )
        for n, trace in enumerate(traces)
    ]  # fmt: skip
    beside[0] = replace(beside[0], changes=())
    (found,) = advice(beside, "value", qualname="Loss.value")
    assert numbers([found]) == [("pass_numbers_of_instance", 3, 1)]
    assert "return loss_value(tf.constant(x, tf.float32), tf.constant(self.weight)" in (found.code or "")
    assert found.text.endswith("Pass `x` as a tensor, too.")
    # of an item in a list of its own
    held = {"self.ops[0].by": ("1.0", "2.0")}
    of_item = judge(Facts("recreated", (of_self,), same_graph=False, passed_numbers_alone=True, held=held))
    named = [traces[0], *(replace(trace, evidence=of_item.evidence) for trace in traces[1:])]
    (found,) = advice(named, "value", qualname="Loss.value")
    assert "def loss_value(x, ops_0_by):  # what the method did, with ops_0_by for self.ops[0].by" in (found.code or "")
    assert "return loss_value(x, tf.constant(self.ops[0].by))" in (found.code or "")
    constants = (Constant("float32", 2.0, 3.0), Constant("int32", 2.0, 3.0), Constant("float32", 0.5, 0.25))
    pair = GraphPair(True, constants)
    (found,) = advice(traces, "value", qualname="Loss.value", jit_compile=True, graphs=Graphs(lambda one, other: pair))
    assert (found.code or "").startswith("@tf.function(jit_compile=True)\ndef loss_value(x, weight, n):")
    assert "have `self.n` as constants of `float32` and `int32`" in found.in_one
    # of what is computed of them in Python, which takes no tensor
    assert not any("by Python's own means" in note for note in found.notes)
    held = {"self.rate": ("1.0", "2.0")}
    computed = judge(
        Facts("recreated", (of_self,), same_graph=False, numbers_alone=True, held=held, read_otherwise=held)
    )
    named = [traces[0], *(replace(trace, evidence=computed.evidence) for trace in traces[1:])]
    exp = GraphPair(True, (Constant("float32", 2.718, 7.389),))
    (found,) = advice(named, "value", qualname="Loss.value", graphs=Graphs(lambda one, other: exp))
    assert any("by Python's own means" in note for note in found.notes)
    # of one that has another graph the number may choose that
    other = judge(Facts("recreated", (of_self,), same_graph=False, other_nodes=True))
    traces[2] = replace(traces[2], verdict=other.word, evidence=other.evidence)
    assert not advice(traces, "value", qualname="Loss.value")


def test_what_is_closed_over_beside_a_number_may_be_chosen_by() -> None:
    rate = ClosureChange("rate", "0.5", "0.25", True)
    mode = ClosureChange("mode", "'sum'", "'max'", False)
    training = ClosureChange("training", "True", "False", False)
    anew = (Change("recreated_function", "", "object 1", "object 2"),)
    for closure, chosen, word in (
        ((rate, mode), {"mode": "mode == 'sum'"}, "bounded"), ((rate, mode), {}, "unknown"),
        ((rate, training), {}, "bounded"), ((rate, training, mode), {"mode": "mode == 'sum'"}, "bounded"),
    ):  # fmt: skip
        facts = Facts("recreated", anew, same_graph=False, closure=closure, chosen_in_python=chosen)
        assert judge(facts).word == word
