"""A trace is avoidable if from some earlier one all that differs can be avoided, which need not be the closest."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.from_records import facts_from_records
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.earlier_traces.history import Entry, History
from tb_retrace_plugin.explain.earlier_traces.kind import twin_but_sizes
from tb_retrace_plugin.explain.verdict.earlier_trace import judge_by_an_earlier, rests_on
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature, signature_to_proto


def literal(value: object) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=hash(value) + 1000)


def thing(identity: int) -> Node:
    return Node("object", type_name="Config", value=f"Config object #{identity}", identity=identity)


def signature(**arguments: Node) -> Signature:
    return Signature(tuple(arguments.items()))


def judged(*signatures: Signature) -> tuple[Entry, list[Change], Verdict]:
    """The closest of the last, what differs, and the verdict as the recorder comes to it."""
    history = History()
    *earlier, wanted = signatures
    for n, one in enumerate(earlier, start=1):
        history.add(Entry(one, 1, "s", seq=10 * n, n=n))
    found = history.closest(wanted, object_number=1, scope="s")
    assert found is not None

    def facts_of(_: Entry, changes: list[Change]) -> Facts:
        return Facts("retrace", tuple(changes), same_graph=False)

    facts = facts_of(*found)
    verdict = judge(facts)
    if verdict.word != "avoidable":
        verdict = judge_by_an_earlier(facts, history, wanted, "", 1, "s", facts_of) or verdict
    return *found, verdict


def step(reward: float, done: bool, action: int = 0) -> Signature:
    return signature(action=literal(action), reward=literal(reward), done=literal(done))


def test_a_flag_that_was_seen_before_is_not_the_reason() -> None:
    closest, changes, verdict = judged(step(0.1, False, 1), step(0.2, True), step(0.3, False))
    assert (closest.n, [c.path for c in changes]) == (2, ["reward", "done"])  # as ever: the fewest leaves
    assert verdict == Verdict(
        "avoidable",
        "Trace 1 had the same `done`; compared with that one: Each value of the Python number `action` is traced; a"
        " tensor would not be.",
    )


def test_a_flag_that_was_seen_beside_other_keys_is_not_the_reason() -> None:
    """A dictionary that grows, and a flag that is so by turns."""
    tensor = Node("tensor", dtype="float32", shape=(2,))

    def call(keys: str, on: bool) -> Signature:
        state = Node("dict", "dict", children=tuple((f"['{key}']", tensor) for key in keys))
        return signature(state=state, on=literal(on))

    closest, _, verdict = judged(call("a", True), call("a", False), call("ab", True), call("ab", False))
    assert closest.n == 3
    assert verdict == Verdict(
        "avoidable",
        "Trace 2 had the same `on`; compared with that one: `state['b']` can have one structure at every call.",
    )
    assert judged(call("a", True), call("ab", False))[2].word == "bounded"


def test_a_tensor_that_has_been_of_other_sizes_is_not_the_reason() -> None:
    """States that are None at the first call of each size, and a tensor after it."""

    def call(size: int, states: Node) -> Signature:
        return signature(x=Node("tensor", dtype="float32", shape=(size,)), states=states)

    def state(size: int) -> Node:
        return Node("tensor", dtype="float32", shape=(size,))

    none = literal(None)
    assert judged(call(1, none), call(1, state(1)))[2].word == "bounded"
    closest, changes, verdict = judged(call(1, none), call(1, state(1)), call(2, none), call(2, state(2)))
    assert (closest.n, [c.path for c in changes]) == (3, ["states"])
    assert verdict.word == "avoidable"
    assert rests_on(verdict.evidence) == (2, "Both shapes of `x` fit a signature with unknown dimensions.")
    # a tensor of several is no number's like
    assert judged(call(1, none), call(1, literal(1.5)), call(2, none), call(2, state(2)))[2].word == "bounded"
    verdict = judged(call(1, literal(1.5)), call(1, none), call(1, Node("tensor", dtype="float32", shape=())))[2]
    assert verdict.word == "avoidable"
    assert rests_on(verdict.evidence) == (1, "`states` can be of one type at every call.")


def test_none_is_one_of_two_ways_until_the_other_has_been() -> None:
    """Ids that a request may ban, as a list: of another length they are further from the last ones than None is."""

    def call(ids: Node, size: int = 1) -> Signature:
        return signature(x=Node("tensor", dtype="float32", shape=(size,)), ids=ids)

    def these(*ids: object) -> Node:
        return Node("list", "list", children=tuple((f"[{i}]", literal(one)) for i, one in enumerate(ids)))

    none = literal(None)
    assert judged(call(none), call(these(1, 2)))[2].word == "bounded"
    closest, changes, verdict = judged(call(none), call(these(1, 2)), call(these(4)))
    assert (closest.n, [c.path for c in changes]) == (1, ["ids"])
    assert verdict.word == "avoidable"
    assert rests_on(verdict.evidence) == (2, "`ids` can have one structure at every call.")
    # what others need is not known
    named = judged(call(none), call(these("a", "b")), call(these("c")))[2]
    assert named == Verdict(
        "unknown",
        "Trace 2 had the like of `ids`; compared with that one: `ids` holds Python strings: with others, something"
        " else may be computed.",
    )
    pair = Node("tuple", "tuple", children=these(1, 2).children)
    assert judged(call(none), call(pair), call(these(4)))[2].word == "bounded"


def test_what_was_never_seen_stays_bounded() -> None:
    assert judged(step(0.1, False), step(0.2, True))[2].word == "bounded"

    def flags(a: bool, b: bool) -> Signature:
        return signature(a=literal(a), b=literal(b))

    traced = flags(True, True), flags(True, False), flags(False, True)
    assert judged(*traced, flags(False, False))[2].word == "bounded"


def test_what_else_stays_is_looked_for_too() -> None:
    def call(rate: float, training: bool, verbose: bool, size: int) -> Signature:
        shape = Node("tensor", dtype="float32", shape=(size,))
        return signature(rate=literal(rate), training=literal(training), verbose=literal(verbose), x=shape)

    # the nearest with the same `training` has another `verbose`
    traced = call(0.1, True, True, 4), call(0.3, True, False, 5), call(0.3, False, True, 5)
    closest, _, verdict = judged(*traced, call(0.3, True, True, 5))
    assert closest.n == 3
    assert verdict.word == "avoidable"
    assert verdict.evidence.startswith("Trace 1 had the same `training` and `verbose`; compared with that one: ")


def test_an_earlier_one_of_the_same_graph() -> None:
    """Three names, of which the first and the last are one to the graph."""
    history = History()
    names = [signature(name=literal(f"agent_{n}")) for n in range(3)]
    for n, graph in enumerate(("one", "two"), start=1):
        history.add(Entry(names[n - 1], 1, "s", n, n, graph_key=graph))

    def facts_of(entry: Entry, changes: list[Change]) -> Facts:
        return Facts("retrace", tuple(changes), same_graph=entry.graph_key == "one")

    facts = facts_of(history.entries[1], [Change("python_value", "name", "'agent_1'", "'agent_2'")])
    assert judge(facts).word == "unknown"
    verdict = judge_by_an_earlier(facts, history, names[2], "one", 1, "s", facts_of)
    assert verdict is not None
    assert rests_on(verdict.evidence) == (
        1,
        "The graph is the same: it makes no difference whether `name` is the one or the other.",
    )
    assert judge_by_an_earlier(facts, history, names[2], "three", 1, "s", facts_of) is None
    assert judge_by_an_earlier(facts, history, names[2], "one", 2, "s", facts_of) is None


def test_an_earlier_one_of_the_same_graph_but_for_sizes() -> None:
    """Objects of two kinds by turns, and a size that grows; a function's own, and instances."""

    def call(number: int, name: str) -> Signature:
        return signature(**{name: thing(number)}, x=Node("tensor", dtype="float32", shape=(number,)))

    history = History()
    for n, graph in enumerate(("one", "two"), start=1):
        history.add(Entry(call(n, "obj"), 1, "s", n, n, graph_key=f"{graph} {n}", without_sizes=graph))
    wanted = call(3, "obj")

    def facts_of(entry: Entry, changes: list[Change]) -> Facts:
        return Facts("retrace", tuple(changes), same_graph=False, sizes_alone=entry.without_sizes == "one")

    facts = facts_of(history.entries[1], diff_signatures(history.entries[1].signature, wanted))
    assert judge(facts).word == "unknown"
    asked = facts, history, wanted, "one 3", 1, "s", facts_of
    verdict = judge_by_an_earlier(*asked, without_sizes="one")
    assert verdict is not None
    assert rests_on(verdict.evidence) == (
        1,
        "TensorFlow compares `obj` by identity, and the graph is the same but for sizes and names:"
        " one object would do.",
    )  # fmt: skip
    assert judge_by_an_earlier(*asked, without_sizes="three") is None

    instances = History()
    for n, graph in enumerate(("one", "two"), start=1):
        instances.add(Entry(call(n, "self"), n, "s", n, n, without_sizes=graph))
    latest = instances.entries[1], diff_signatures(instances.entries[1].signature, call(3, "self"))
    found = twin_but_sizes(instances, call(3, "self"), "one", latest)
    assert found is not None
    assert (found[0].n, [c.path for c in found[1]]) == (1, ["self", "x"])
    nearer = latest[0], latest[1][:1]  # with the size of now
    assert twin_but_sizes(instances, call(3, "self"), "one", nearer) is None


def test_another_object_or_scope_is_no_earlier_trace() -> None:
    history = History()
    history.add(Entry(step(0.1, False), 2, "s", 1, 1))
    history.add(Entry(step(0.2, True), 1, "s", 2, 2))
    history.add(Entry(step(0.1, False), 1, "other", 3, 3))
    history.add(Entry(step(0.1, False), 1, "s", 0, 0))  # before the recording: it has no number to be told by
    wanted = step(0.3, False)
    found = history.closest(wanted, object_number=1, scope="s")
    assert found is not None
    facts = Facts("retrace", (Change("python_value", "done", "True", "False"),))
    assert judge_by_an_earlier(facts, history, wanted, "", 1, "s", lambda *_: facts) is None


def test_evidence_tells_what_it_rests_on() -> None:
    assert rests_on("`done` is a bool: two values, two traces.") is None
    assert rests_on("Trace 12 had the same `a['b: c']`, `d` and 2 more; compared with that one: So it is.") == (
        12,
        "So it is.",
    )


def record(seq: int, one: Signature, verdict: Verdict, closest: int, changes: list[Change]) -> pb.Trace:
    trace = pb.Trace(seq=seq, n=seq, object=1, kind="retrace" if closest else "first", closest_seq=closest)
    trace.function.name = "step"
    trace.verdict, trace.evidence = verdict.word, verdict.evidence
    for c in changes:
        trace.changes.add(cause=c.cause, path=c.path, old=c.old, new=c.new)
    signature_to_proto(one, trace.signature)
    return trace


def test_advice_goes_by_the_trace_that_the_verdict_rests_on() -> None:
    """Two objects with a graph each, and rates: the objects are not advised to be made one."""

    def call(rate: float, config: int) -> Signature:
        return signature(rate=literal(rate), config=thing(config))

    signatures = call(0.1, 1), call(0.2, 2), call(0.2, 1)
    closest, changes, verdict = judged(*signatures)
    assert (closest.n, [c.path for c in changes], verdict.word) == (2, ["config"], "avoidable")
    needed, unknown = Verdict("needed", "."), Verdict("unknown", ".")
    records = [
        record(1, signatures[0], needed, 0, []),
        record(2, signatures[1], unknown, 1, []),
        record(3, signatures[2], verdict, 2, changes),
    ]
    facts = facts_from_records(records, {}, {})
    (third,) = facts.avoidable
    assert (third.closest, [c.path for c in third.changes]) == (0, ["rate"])
    assert [(a.rule, a.traces_after) for a in advise(facts)] == [("tensor_for_python_number", 2)]
    # where that trace is not recorded, nothing is known of what differs
    (third,) = facts_from_records(records[1:], {}, {}).avoidable
    assert (third.closest, third.changes) == (None, ())


def test_a_model_that_was_passed_before_is_not_the_reason_where_another_flag_is() -> None:
    """Two models, each with a tensor and without: no new one is made for the fourth trace."""
    tensor, none = Node("tensor", dtype="float32", shape=()), Node("literal", "NoneType", value="None", identity=7)
    models = thing(1), thing(2)
    calls = [signature(model=model, clip=clip) for model in models for clip in (none, tensor)]
    closest, changes, verdict = judged(calls[0], calls[1], calls[2], calls[3])
    assert (closest.n, [change.path for change in changes]) == (2, ["model"])
    assert verdict == Verdict(
        "bounded", "Trace 3 had the same `model`; compared with that one: `clip` is None or not: two ways, two traces."
    )
    assert judged(calls[0], calls[1], calls[2])[2].word == "unknown"  # the first with another one
