"""What is said of a trace: never more than its evidence allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tb_retrace_plugin.explain.differences.change import NO_SUCH_KEY, OTHER_SEQUENCE, Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.keras_metrics import are_metrics
from tb_retrace_plugin.explain.earlier_traces.compiled import Compiled, Recompiled, recompiled
from tb_retrace_plugin.explain.verdict.asked_in_python import all_asked_in_python
from tb_retrace_plugin.explain.verdict.asked_ranks import all_asked_dtypes, all_asked_ranks
from tb_retrace_plugin.explain.verdict.decided_in_python import all_decided_in_python
from tb_retrace_plugin.explain.verdict.evidence import COMPILED_ALIKE, TENSORS_OF_A_FUNCTION, closed_over
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge, needs_the_graph
from tb_retrace_plugin.explain.words.sentence import change_text, trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature
from tb_retrace_plugin.schema.vocabulary import CAUSES, VERDICTS


def test_facts_that_are_not_told_are_shared_and_cannot_be_changed() -> None:
    facts: Any = Facts("retrace")
    assert facts == Facts("retrace", passed={}, held={}, more_nodes=0)
    assert replace(facts, failed=True) == Facts("retrace", failed=True) != facts
    with pytest.raises(TypeError):
        facts.decided_in_python["x"] = "if x"


LIST_OR_TUPLE = Change("structure", "v", "[…]", "(…)", ("variable", OTHER_SEQUENCE))


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        (Facts("first"), "needed"),
        (Facts("variable_creation", (Change("variable_creation", ""),)), "needed"),
        (Facts("variable_creation", (Change("variable_creation", ""),), failed=True), "avoidable"),
        (Facts("variable_creation", failed=True, initial_value_of_a_call=True), "unknown"),
        # what other lines build, what the same lines build of other data, and a state that is widened
        (
            Facts(
                "recreated",
                (Change("recreated_function", ""),),
                same_graph=True,
                in_a_dataset=True,
                other_lines=True,
                closure=(),
            ),
            "bounded",
        ),
        (
            Facts(
                "recreated",
                (Change("recreated_function", ""),),
                same_graph=True,
                in_a_dataset=True,
                other_data=True,
                closure=(),
            ),
            "unknown",
        ),
        (
            Facts(
                "recreated",
                (Change("recreated_function", ""),),
                same_graph=False,
                in_a_dataset=True,
                wider=True,
                closure=(),
            ),
            "bounded",
        ),
        (
            Facts("recreated", (Change("recreated_function", ""),), same_graph=True, in_a_dataset=True, closure=()),
            "avoidable",
        ),
        (Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"),)), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"),), generalized=True), "bounded"),
        # `**kwargs` of a layer, which Keras passes as an argument where it builds it
        (Facts("retrace", (Change("structure", "kwargs", "{}", "not passed"),), of_a_layer=True), "bounded"),
        (Facts("retrace", (Change("structure", "kwargs", "{}", "not passed"),)), "avoidable"),
        # within another function's trace it is passed what that was widened to
        (Facts("retrace", (Change("shape", "x", "(1, 4)", "(None, 4)"),), reduce_retracing=True), "bounded"),
        (Facts("retrace", (Change("shape", "x", "(1, 4)", "(None, 5)"),), reduce_retracing=True), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(None, 4)", "(1, 4)"),), reduce_retracing=True), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(1, 4)", "(None, 4)"),)), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(1, 4)", "(None, 4)"),), each_shape="XLA …"), "bounded"),
        (Facts("retrace", (Change("shape", "x", "(None, 4)", "(1, 4)"),), each_shape="XLA …"), "unknown"),
        (Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"),), generalized=True, failed=True), "avoidable"),
        (Facts("retrace", (Change("rank", "x", "(1,)", "()"),), generalized=True), "avoidable"),
        # under XLA a few shapes can be what the program pads to
        (Facts("retrace", (Change("shape", "x", "(9,)", "(8,)"),), each_shape="XLA compiles", near=True), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(9,)", "(2,)"),), each_shape="XLA compiles"), "unknown"),
        (Facts("retrace", (Change("rank", "x", "(9,)", "()"),), each_shape="XLA compiles"), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(9, 2)", "(2, 2)"),), each_shape="XLA", last_batch=True), "avoidable"),
        (Facts("retrace", (Change("shape", "x", "(9,)", "(2,)"),), generalized=True, each_shape="XLA"), "bounded"),
        (Facts("retrace", (Change("python_value", "x", "1", "2"),)), "avoidable"),
        (Facts("retrace", (Change("python_value", "x", "1", "2"),), captures_others=True), "unknown"),
        (Facts("retrace", (Change("structure", "x['k']", NO_SUCH_KEY, "float32 (2,)"),)), "avoidable"),
        (
            Facts("retrace", (Change("structure", "x['k']", NO_SUCH_KEY, "float32 (2,)"),), other_variables=True),
            "unknown",  # a model for each key
        ),
        # `ksize` of a pool; the slope of `tf.nn.leaky_relu` can be multiplied with
        (Facts("retrace", (Change("python_value", "x", "1", "2"),), other_attributes=True), "unknown"),
        (Facts("retrace", (Change("python_value", "x", "0.1", "0.2"),), other_attributes=True), "avoidable"),
        (Facts("retrace", (Change("python_value", "x", "True", "False"),)), "bounded"),
        (Facts("retrace", (Change("python_value", "x", "'a'", "'b'"),)), "unknown"),
        # of several bools in a list there are more than two combinations
        (Facts("retrace", (Change("python_value", "x[0]", "True", "False", ("bools",)),)), "avoidable"),
        # the graph has nothing of it
        (Facts("retrace", (Change("python_value", "x", "'a'", "'b'"),), same_graph=True), "avoidable"),
        (Facts("retrace", (Change("python_value", "x", "True", "False"),), same_graph=True), "bounded"),
        (Facts("retrace", (Change("python_value", "x", "'a'", "'b'"),), same_graph=False), "unknown"),
        (
            Facts("retrace", (Change("python_value", "x", "'a'", "'b'"),), same_graph=False, text_alone=True),
            "avoidable",
        ),
        (Facts("retrace", (Change("python_type", "x", "None", "3"),)), "bounded"),
        (Facts("retrace", (Change("python_type", "x", "3", "int32 ()"),)), "avoidable"),
        # a loss as a function, and as an object that is called
        (Facts("retrace", (Change("python_type", "f", "function mae #2", "Huber object #3"),)), "unknown"),
        (
            Facts(
                "retrace", (Change("python_type", "m", "deleted Deep object #2", "Wide object #3"),), same_graph=False
            ),
            "bounded",
        ),
        (Facts("retrace", (Change("python_type", "m", "Deep object #2", "Wide object #3"),)), "unknown"),
        (
            Facts("retrace", (Change("python_type", "m", "Deep object #2", "Wide object #3"),), same_graph=True),
            "avoidable",
        ),
        (
            Facts("retrace", (Change("python_type", "m", "Deep object #2", "Deep object #3"),), same_graph=False),
            "unknown",  # a class that was made again
        ),
        (
            Facts("retrace", (Change("python_type", "f", "function mae #2", "Huber object #3"),), same_graph=True),
            "avoidable",
        ),
        (
            Facts("retrace", (Change("python_type", "f", "function mae #2", "Huber object #3"),), same_graph=False),
            "bounded",
        ),
        # a flag that some calls do not pass; one that makes no difference
        (Facts("retrace", (Change("structure", "kwargs['hidden']", "not passed", "True"),)), "bounded"),
        (Facts("retrace", (Change("structure", "options['hidden']", "False", "no such key"),)), "bounded"),
        (
            Facts("retrace", (Change("structure", "kwargs['hidden']", "not passed", "False"),), same_graph=True),
            "avoidable",
        ),
        (Facts("retrace", (Change("structure", "kwargs['bias']", "not passed", "1.0"),)), "avoidable"),
        # a TensorArray is known by its identity
        (
            Facts(
                "retrace",
                (
                    Change(
                        "composite_spec", "ta", "TensorArrayTraceType(value=a) #1", "TensorArrayTraceType(value=a) #2"
                    ),
                ),
            ),
            "avoidable",
        ),
        (
            Facts("retrace", (Change("object_identity", "t", "T #1", "T #2"),), same_graph=False, other_resources=True),
            "unknown",
        ),
        (Facts("recreated", (Change("recreated_function", ""),), same_graph=True), "avoidable"),
        (Facts("recreated", (Change("recreated_function", ""),)), "unknown"),
        # what `compile` was given anew is the model's, which is closed over
        (
            Facts(
                "recreated",
                (Change("recreated_function", ""), Change("structure", "data", "a", "b")),
                closure=(),
                made_by_each_compile=True,
            ),
            "unknown",
        ),
        (
            Facts("recreated", (Change("recreated_function", ""), Change("shape", "x", "a", "b")), closure=()),
            "avoidable",
        ),
        (Facts("recreated", (Change("object_identity", "self", "a", "b"),)), "unknown"),
        (Facts("retrace", (Change("object_identity", "c", "a #1", "a #2"),)), "unknown"),
        (Facts("retrace", (Change("object_identity", "c", "a #1", "a #2"),), same_graph=False), "unknown"),
        (Facts("retrace", (Change("object_identity", "c", "a #1", "a #2"),), same_graph=True), "avoidable"),
        (Facts("retrace", (Change("composite_spec", "r", "a", "b", ("shape", "rank")),)), "avoidable"),
        (Facts("retrace", (Change("composite_spec", "r", "a", "b", ("shape", "dtype")),)), "avoidable"),
        (Facts("retrace", (Change("composite_spec", "r", "a", "b", ("shape", "python_value")),)), "unknown"),
        # as a tensor's
        (Facts("retrace", (Change("composite_spec", "r", "a", "b", ("shape",)),), generalized=True), "bounded"),
        (Facts("retrace", (Change("composite_spec", "r", "a", "b", ("dtype",)),), generalized=True), "avoidable"),
        (Facts("retrace", (Change("shape", "v", "(2,)", "(3,)", ("variable",)),)), "bounded"),
        (Facts("retrace", (Change("dtype", "v", "a", "b", ("variable",)),)), "bounded"),  # its cast is a trace as well
        (Facts("retrace", (Change("shape", "v", "(2,)", "(3,)", ("variable",)),), many_variables=True), "unknown"),
        (Facts("retrace", (Change("dtype", "v", "a", "b", ("variable",)),), gone_variables=True), "unknown"),
        # what is trained, and what is a class's own to take
        (Facts("retrace", (Change("structure", "v", "list of 2", "list of 4", ("variable",)),)), "unknown"),
        (Facts("retrace", (LIST_OR_TUPLE,), same_graph=True), "avoidable"),
        (Facts("retrace", (LIST_OR_TUPLE,), same_graph=False), "unknown"),
        (Facts("retrace", (Change("structure", "b.xs", "tuple of 2", "tuple of 4", ("field",)),)), "unknown"),
        (Facts("retrace", (Change("structure", "v", "list of 2", "list of 4"),)), "avoidable"),
        # an IntEnum's, and a number
        (Facts("retrace", (Change("python_value", "x", "Level.LOW", "Level.HIGH"),)), "bounded"),
        (Facts("retrace", (Change("python_value", "x", "Opt.A", "Opt.A|B"),)), "bounded"),
        (Facts("retrace", (Change("python_value", "x", "0.5", "1.5"),)), "avoidable"),
        # a classmethod's class
        (Facts("recreated", (Change("object_identity", "self", "class A", "class B"),), same_graph=True), "unknown"),
        (Facts("retrace", (Change("context", "device_functions", "none", "GPU"),)), "bounded"),
        (Facts("retrace", (Change("unknown", ""),)), "unknown"),
        (Facts("retrace", ()), "unknown"),
        # all of the changes would have to be undone
        (Facts("retrace", (Change("python_value", "x", "True", "False"), Change("dtype", "y", "a", "b"))), "bounded"),
        (Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"), Change("dtype", "y", "a", "b"))), "avoidable"),
    ],
)
def test_verdicts(facts: Facts, verdict: str) -> None:
    found = judge(facts)
    assert found.word == verdict
    assert found.word in VERDICTS
    assert found.evidence.endswith(".")


def test_no_signature_is_said_to_serve_what_failed() -> None:
    found = judge(Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"),), failed=True))
    assert (found.word, found.evidence) == ("avoidable", "The trace failed: this call cannot work as it is.")
    widened = Facts("retrace", (Change("shape", "x", "(1,)", "(2,)"),), failed=True, generalized=True)
    assert judge(widened).evidence.startswith("reduce_retracing widened `x`, and the trace failed: a size that it has")


def trace(*changes: tuple[str, str, str, str], **fields: object) -> pb.Trace:
    record = pb.Trace(function=pb.Function(name="step"), kind="retrace", **fields)  # type: ignore[arg-type]
    for cause, path, old, new in changes:
        record.changes.add(cause=cause, path=path, old=old, new=new)
    return record


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("()", "[float32 (), float32 ()]", "bounded"), ("(float32 (2,),)", "()", "bounded"), ("()", "[]", "avoidable"),
        ("[]", "{}", "avoidable"), ("{}", "()", "avoidable"),  # of one class both could be
        ("(float32 (),)", "(float32 (), float32 ())", "avoidable"), ("{}", "{'mask': float32 ()}", "avoidable"),
    ],
)  # fmt: skip
def test_a_sequence_that_is_empty_in_some_calls_takes_one_trace_more(old: str, new: str, word: str) -> None:
    verdict = judge(Facts("retrace", (Change("structure", "parameters", old, new),)))
    assert verdict.word == word
    assert ("empty" in verdict.evidence) == (word == "bounded")


def test_sentences() -> None:
    first = pb.Trace(function=pb.Function(name="f"), kind="first")
    assert trace_sentence(first) == "`f` was traced for the first time."
    assert (
        trace_sentence(trace(("shape", "x", "(32, 10)", "(7, 10)"), step=12))
        == "`step` was traced again at step 12 because `x` changed shape: (32, 10) → (7, 10)."
    )
    assert (
        trace_sentence(trace(("shape", "x", "(1,)", "(2,)"), ("dtype", "y", "a", "b"), closest_n=3, failed=True))
        == "`step` was traced again because `x` changed shape: (1,) → (2,) and `y` changed dtype: a → b "
        "(compared with trace 3), and the trace failed."
    )
    assert "reason is not known" in trace_sentence(trace())
    many = trace(*[("dtype", f"x{i}", "int32", "int64") for i in range(9)])
    assert trace_sentence(many).endswith("and 5 more things changed.")
    assert trace_sentence(trace(*[("dtype", f"x{i}", "a", "b") for i in range(5)])).endswith(
        "and 1 more thing changed."
    )


def test_shapes_that_change_alike_are_one_change() -> None:
    batch = [
        ("shape", name, f"(32{rest})", f"(7{rest})") for name, rest in (("x", ", 10"), ("y", ","), ("w", ", 2, None"))
    ]
    told = "`x`, `y` and `w` changed shape alike: dimension 0 from 32 to 7 (`x`: (32, 10) → (7, 10))"
    assert trace_sentence(trace(*batch)) == f"`step` was traced again because {told}."
    flag = ("python_value", "training", "True", "False")
    assert trace_sentence(trace(flag, *batch)).endswith(f"True → False and {told}.")
    others = [
        ("shape", "a", "(32, 10)", "(7, 11)"),
        ("shape", "b", "(32, 10)", "(32, 7)"),
        ("shape", "c", "(32,)", "(7,)"),
    ]
    assert "alike" not in trace_sentence(trace(*others))  # in two dimensions, in another one, and one by itself
    assert "alike" not in trace_sentence(trace(*batch[:2]))
    many = [("shape", f"x{i}", "(1,)", "(None,)") for i in range(9)]
    assert trace_sentence(trace(*many)) == (
        "`step` was traced again because `x0`, `x1`, `x2`, `x3`, `x4` and 4 more changed shape alike: dimension 0"
        " from 1 to None (`x0`: (1,) → (None,))."
    )


@pytest.mark.parametrize("cause", [*CAUSES, "a cause of a later version"])
def test_every_cause_has_words(cause: str) -> None:
    text = trace_sentence(trace((cause, "x", "old", "new")))
    assert text.startswith("`step` was traced again because ")
    assert text.endswith(".")
    assert change_text(pb.Change(cause="shape", path="x", old="(1,)", new="(2,)")) == "x: shape (1,) → (2,)"


def test_a_new_object_is_told_by_what_it_reads() -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)

    def judged(*closure: ClosureChange) -> tuple[str, str]:
        verdict = judge(Facts("recreated", change, same_graph=False, closure=closure))
        return verdict.word, verdict.evidence

    word, text = judged(ClosureChange("scale", "0", "1", True, is_global=True))
    assert (word, "reads `scale`: 0 → 1." in text) == ("avoidable", True)
    word, text = judged(ClosureChange("a", "0", "1", True), ClosureChange("b", "0", "1", True, is_global=True))
    assert (word, "closes over `a`: 0 → 1, `b`: 0 → 1." in text) == ("avoidable", True)
    word, text = judged(ClosureChange("shuffle", "True", "False", False))
    assert (word, "but two" in text) == ("bounded", True)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("Mode.SUM", "Mode.MEAN", "bounded"),
        ("tf.float32", "tf.float64", "bounded"),
        ("Config object #1", "Config object #2", "unknown"),
        ("class a.B", "class a.C", "unknown"),
        ("Mode.SUM", "Config object #2", "unknown"),
    ],
)
def test_enum_members_and_dtypes_are_but_so_many(old: str, new: str, word: str) -> None:
    verdict = judge(Facts("retrace", (Change("object_identity", "x", old, new),), same_graph=False))
    assert verdict.word == word


def test_a_number_that_may_end_a_recursion_is_not_said_to_be_avoidable() -> None:
    change = (Change("python_value", "n", "3", "2"),)
    assert judge(Facts("retrace", change)).word == "avoidable"
    assert judge(Facts("retrace", change, recursive=True)).word == "unknown"


def test_iterators_are_not_told_to_be_one() -> None:
    for cause, new in (
        ("object_identity", "generator object #2"),
        ("python_value", "enumerate value"),
        ("object_identity", "Rows iterator #2"),
    ):
        for same_graph in (True, False, None):
            verdict = judge(Facts("retrace", (Change(cause, "data", "…", new),), same_graph=same_graph))
            assert verdict.word == "avoidable"
            assert "uses it up" in verdict.evidence
    assert (
        "uses it up" not in judge(Facts("retrace", (Change("object_identity", "data", "…", "Zip object #2"),))).evidence
    )


@pytest.mark.parametrize(
    ("cause", "old", "new", "word"),
    [
        ("python_type", "0.1", "float32 ()", "avoidable"),
        ("python_type", "True", "bool (4,)", "avoidable"),
        ("python_type", "Variable float32 (1,)", "float32 (1,)", "avoidable"),
        ("python_type", "'a'", "string ()", "avoidable"),
        ("python_type", "str ‹3fa94c01›", "b'a'", "avoidable"),
        ("python_type", "np.str_('a')", "string ()", "avoidable"),
        # each chooses what is done, as far as is known
        ("python_type", "'auto'", "0.2", "unknown"),
        ("python_type", "'auto'", "float32 ()", "unknown"),
        ("python_type", "0.1", "Decay object #1", "unknown"),
        ("python_type", "Decay object #1", "float32 <unknown>", "unknown"),
        ("python_type", "'a'", "PosixPath('a')", "unknown"),
        ("dtype", "int64", "bool", "avoidable"),
        ("dtype", "string", "int64", "unknown"),
        ("dtype", "resource HandleData(dtype: DT_FLOAT)", "resource HandleData(dtype: DT_INT32)", "unknown"),
    ],
)
def test_what_one_type_holds(cause: str, old: str, new: str, word: str) -> None:
    for texts in ((old, new), (new, old)):
        assert judge(Facts("retrace", (Change(cause, "x", *texts),), same_graph=False)).word == word
        assert judge(Facts("retrace", (Change(cause, "x", *texts),), failed=True)).word == "avoidable"
    if cause == "python_type":
        assert judge(Facts("retrace", (Change(cause, "x", old, new),), same_graph=True)).word == "avoidable"


def test_a_bool_in_place_of_a_number_and_several_bools_may_choose_code() -> None:
    for old, new in (("False", "0.5"), ("0.5", "False")):
        change = (Change("python_value", "rate", old, new),)
        assert judge(Facts("retrace", change, other_size=True)).word == "unknown"
        assert judge(Facts("retrace", change)).word == "unknown"  # no tensor takes the place of both
        assert judge(Facts("retrace", change, same_graph=True)).word == "avoidable"
    bools = tuple(Change("python_value", f"frozen[{n}]", "True", "False", ("bools",)) for n in range(2))
    assert judge(Facts("retrace", bools)).word == "avoidable"
    assert judge(Facts("retrace", bools, other_size=True)).word == "unknown"
    beside = (*bools, Change("python_value", "k", "1", "2"))  # which may be what decides
    assert judge(Facts("retrace", beside, other_size=True)).word == "avoidable"


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("float64 ()", "False", "bounded"),  # `if offset is not False:`
        ("True", "float32 (3,)", "bounded"),
        ("False", "bool ()", "avoidable"),
        ("1.0", "float32 ()", "avoidable"),
    ],
)
def test_a_bool_in_place_of_numbers_may_say_that_there_are_none(old: str, new: str, word: str) -> None:
    change = [Change("python_type", "offset", old, new)]
    assert judge(Facts("retrace", change, same_graph=False)).word == word
    assert judge(Facts("retrace", change, same_graph=True)).word == "avoidable"
    assert judge(Facts("retrace", change)).word == "avoidable"
    assert needs_the_graph(change[0]) == (word == "bounded")


@pytest.mark.parametrize(
    "change",
    [
        Change("shape", "x", "(4,)", "(2,)"),
        Change("rank", "x", "(4, 4)", "(4,)"),
        Change("structure", "tree", "(float32 (), float32 ())", "float32 ()"),
    ],
)
def test_what_a_function_that_calls_itself_takes_apart(change: Change) -> None:
    assert judge(Facts("retrace", [change])).word == "avoidable"
    verdict = judge(Facts("retrace", [change], recursive=True))
    assert verdict.word == "unknown"
    assert verdict.evidence.startswith("It calls itself: ")


@pytest.mark.parametrize(
    ("cause", "evidence"),
    [
        ("shape", "Both shapes of `x` fit a signature with unknown dimensions."),
        ("dtype", "`x` can be cast to one dtype before the call."),
        ("object_identity", "TensorFlow compares `x` by identity; one object would not differ."),
    ],
)
def test_a_sentence_of_one_argument_says_nothing_of_the_others(cause: str, evidence: str) -> None:
    changes = (Change(cause, "x", "function f #1", "function f #2"), Change("shape", "y", "(1,)", "(2,)"))
    verdict = judge(Facts("retrace", changes, same_functions={"x": True}))
    assert (verdict.word, verdict.evidence) == ("avoidable", evidence)


def test_another_graph_of_nothing_but_what_is_made_anew_has_read_something_unknown() -> None:
    """A step and a metric that are made for each epoch, and layers that are no longer frozen: one step would stay."""
    changes = (
        Change("recreated_function", "", "object 1", "object 2"),
        Change("object_identity", "metric", "function f #1", "function f #2"),
    )
    known: dict[str, Any] = {"closure": (), "same_functions": {"metric": True}}
    another = judge(Facts("recreated", changes, same_graph=False, other_nodes=True, **known))
    assert another.word == "unknown"
    assert "graph is another one" in another.evidence
    kept = judge(Facts("retrace", changes[1:], same_graph=False, same_functions={"metric": True}))
    assert kept.word == "unknown"
    holds = judge(Facts("recreated", changes, same_graph=False, closure=(), hold_the_same=frozenset({"metric"})))
    assert holds.word == "unknown"
    smaller = (*changes, Change("shape", "x", "(2,)", "(1,)"))
    assert judge(Facts("recreated", smaller, same_graph=False, **known)).word == "avoidable"
    assert judge(Facts("recreated", changes, same_graph=None, **known)).word == "avoidable"


def test_a_function_made_anew_that_closes_over_something_else_is_another_one() -> None:
    changes = (Change("object_identity", "x", "function f #1", "function f #2"), Change("shape", "y", "(1,)", "(2,)"))
    other = (ClosureChange("k", "0.5", "0.7", True), ClosureChange("a", "float32 ()", "float32 ()", False, False, True))
    verdict = judge(Facts("retrace", changes, passed={"x": other}))
    assert (verdict.word, verdict.evidence) == (
        "unknown",
        "`x` is a function made anew, which closes over `k`: 0.5 → 0.7, another `a`. What is passed as an argument of"
        " its own needs no function made anew.",
    )
    alone = judge(Facts("retrace", changes[:1], same_graph=False, passed={"x": other}))
    assert alone == verdict
    assert judge(Facts("retrace", changes)).word == "unknown"  # nothing is known of the functions
    assert judge(Facts("retrace", changes[:1], same_graph=True, passed={"x": other})).word == "avoidable"


OTHER_CONFIG = Change("object_identity", "cfg", "Config object #1", "Config object #2")
OTHER_STEP = Change("python_value", "step", "1", "2")


def test_an_object_that_holds_the_same_is_told_to_be_one() -> None:
    changes, same = (OTHER_CONFIG, OTHER_STEP), frozenset({"cfg"})
    verdict = judge(Facts("retrace", changes, same_graph=False, hold_the_same=same, numbers_alone=True))
    assert (verdict.word, verdict.evidence) == (
        "avoidable",
        "TensorFlow compares `cfg` by identity; this one holds the same: one object would do.",
    )
    gone = judge(Facts("retrace", changes, same_graph=False, hold_the_same=same, gone=same, own_eq=same))
    assert (
        "the earlier object no longer exists, so nothing can match its trace; this one holds the same" in gone.evidence
    )


def test_what_is_gone_is_not_said_to_be_unequal() -> None:
    """An equal one of a frozen dataclass has nothing to be equal to."""
    gone, other = frozenset({"cfg"}), Change("object_identity", "other", "Config object #3", "Config object #4")
    facts = Facts("retrace", (OTHER_CONFIG, other), same_graph=False, gone=gone, own_eq=gone | {"other"})
    assert "`cfg` by a weak reference, and the earlier object no longer exists" in judge(facts).evidence
    alive = Facts("retrace", (OTHER_CONFIG, other), same_graph=False, own_eq=gone)
    assert "compares `cfg` by its `__eq__`, and it is not equal" in judge(alive).evidence


def test_where_nothing_else_differs_something_unknown_made_another_graph() -> None:
    """`self.by`, say, which one object for all calls would leave at its first value."""
    same = frozenset({"cfg"})
    assert judge(Facts("retrace", (OTHER_CONFIG,), same_graph=False, hold_the_same=same)).word == "unknown"
    assert judge(Facts("retrace", (OTHER_CONFIG,), same_graph=True, hold_the_same=same)).word == "avoidable"


def test_a_number_that_a_library_asks_in_python_needs_a_graph_for_each_value() -> None:
    uses = ["tf.norm(ord=step)", "tf.split(k)"]
    asked = all_asked_in_python(uses, (OTHER_STEP, Change("python_value", "k", "1", "2")), ())
    assert asked == {"step": "`ord` of `tf.norm`"}
    verdict = judge(Facts("retrace", (OTHER_STEP,), asked_in_python=asked))
    assert (verdict.word, verdict.evidence) == (
        "unknown",
        "`step` is `ord` of `tf.norm` in its code, for which TensorFlow takes a Python number alone: each value needs a"
        " graph. Whether there are few or many is not known.",
    )
    closure = (ClosureChange("step", "2", "inf", True),)
    asked = all_asked_in_python(uses, (), closure)
    new = (Change("recreated_function", "", "object 1", "object 2"),)
    verdict = judge(Facts("recreated", new, same_graph=False, closure=closure, asked_in_python=asked))
    assert verdict.word == "unknown"
    assert "closes over `step`: 2 → inf. `step` is `ord` of `tf.norm` in its code" in verdict.evidence


def test_a_number_by_which_python_decides_needs_a_graph_for_each_value() -> None:
    decided = all_decided_in_python(["math.exp(n)", "[… for … in range(step)]"], (OTHER_STEP,))
    assert decided == {"step": "[… for … in range(step)]"}
    verdict = judge(Facts("retrace", (OTHER_STEP,), decided_in_python=decided))
    assert (verdict.word, verdict.evidence) == (
        "unknown",
        "Python decides by `step` what is built (`[… for … in range(step)]`), and takes no tensor for it: each value"
        " needs a graph. Whether there are few or many is not known.",
    )
    pair = Node(
        "tuple", children=(("[0]", Node("literal", "int", value="2")), ("[1]", Node("literal", "int", value="0")))
    )
    more, way = Change("structure", "moves", "list of 2", "list of 1"), "if moves[...] != 0: found.append(…)"
    for part in (pair, pair.children[0][1]):
        decided = all_decided_in_python([way], (more,), [("moves", Node("list", children=(("[0]", part),)))])
        verdict = judge(Facts("retrace", (more,), decided_in_python=decided))
        assert verdict.word == "unknown"
        assert verdict.evidence.startswith(f"Python decides by `moves` what is built (`{way}`)")
    of_tensors = [("moves", Node("list", children=(("[0]", Node("tensor")),)))]
    assert all_decided_in_python([way], (more,), of_tensors) == {}  # of which AutoGraph makes a part of the graph
    other = Change("python_value", "step", "'a'", "'b'")
    assert all_decided_in_python(["LOSSES[step] of a dict of objects"], (other,)) == {}  # of which judge knows
    assert all_decided_in_python(["RATES[step] of a list"], (OTHER_STEP,)) == {}  # numbers, say, which may be tensors
    product = "(1 + step) * advantages with advantages"  # in brackets, and no list
    assert all_decided_in_python([product], (OTHER_STEP,)) == {}
    layers = Node("list", children=(("[0]", Node("variable", shape=(2,))), ("[1]", Node("variable", shape=(3,)))))
    chosen = ["layers[step] of an argument"]
    assert all_decided_in_python(chosen, (OTHER_STEP,), [("layers", layers)]) == {"step": "layers[step]"}
    assert all_decided_in_python(chosen, (OTHER_STEP,), [("layers", Node("tensor"))]) == {}
    assert all_decided_in_python(["[1, …] * step", "(None,) * step"], (OTHER_STEP,)) == {"step": "[1, …] * step"}


def test_a_string_beside_numbers_makes_no_other_graph_but_for_those() -> None:
    changes = (Change("python_value", "name", "'a'", "'b'"), OTHER_STEP)
    named = judge(Facts("retrace", changes, same_graph=False, names_alone=True, beside_numbers=True))
    assert (named.word, "but numbers passed: it makes no difference" in named.evidence) == ("avoidable", True)
    held = judge(Facts("retrace", changes, same_graph=False, text_alone=True, beside_numbers=True))
    assert (held.word, "but numbers passed: a tensor of strings would do" in held.evidence) == ("avoidable", True)
    assert judge(Facts("retrace", changes, same_graph=False)).word == "unknown"


def test_what_an_object_holds_otherwise_is_said_beside_a_new_function_too() -> None:
    """No `__eq__` makes those equal."""
    new = Change("recreated_function", "", "object 1", "object 2")
    facts = Facts("recreated", (new, OTHER_CONFIG), same_graph=True, hold_others=frozenset({"cfg"}))
    assert judge(facts).evidence == (
        "The graph is the same for another `cfg`, though it holds other values. The new tf.function object has the same"
        " graph and captures as an earlier one."
    )
    assert "though it holds" not in judge(Facts("recreated", (new, OTHER_CONFIG), same_graph=True)).evidence


FUNCTION = Change("object_identity", "f", "function g #1", "function g #2")
OTHER_TENSOR = ClosureChange("t", "float32 (2,)", "float32 (2,)", False, is_tensor=True)


@pytest.mark.parametrize(
    ("closure", "facts", "word"),
    [
        ((OTHER_TENSOR,), {}, "avoidable"),
        ((OTHER_TENSOR, ClosureChange("rate", "0.1", "0.2", True)), {}, "avoidable"),
        ((OTHER_TENSOR, ClosureChange("n", "1", "2", True)), {}, "unknown"),  # of what dtype it is to be is not known
        ((OTHER_TENSOR, ClosureChange("model", "M object", "M object", False)), {}, "unknown"),
        ((OTHER_TENSOR,), {"same_operations": False}, "unknown"),
        ((OTHER_TENSOR,), {"captures_unpassed": True}, "unknown"),
    ],
)
def test_what_a_passed_function_closes_over_can_be_passed_to_it(
    closure: tuple[ClosureChange, ...], facts: dict[str, bool], word: str
) -> None:
    known = {"same_operations": True, **facts}
    verdict = judge(Facts("retrace", (FUNCTION,), same_graph=False, passed={"f": closure}, **known))  # type: ignore[arg-type]
    assert verdict.word == word
    assert verdict.evidence.endswith(TENSORS_OF_A_FUNCTION) == (word == "avoidable")


def test_of_a_method_of_another_object_it_is_said_what_can_be_passed() -> None:
    method = Change("object_identity", "act", "method act #1", "method act #2")
    verdict = judge(Facts("retrace", (method,), same_graph=False))
    assert verdict.word == "unknown"
    assert "What the method reads of its own object can be passed in arguments of their own" in verdict.evidence


def test_which_of_several_numbers_sets_an_attribute_is_not_known() -> None:
    """`max_iterations` and `parallel_iterations` of a loop, of which the one is a constant of its graph."""
    numbers = Change("python_value", "most", "8", "10"), Change("python_value", "parallel", "10", "1")
    evidence = judge(Facts("retrace", numbers, other_attributes=True)).evidence
    assert "if `most` or `parallel` sets them, each value needs a graph" in evidence
    alone = judge(Facts("retrace", numbers[1:], other_attributes=True)).evidence
    assert "`parallel` sets them, and each value needs a graph" in alone


def test_a_new_object_of_the_same_closure() -> None:
    change = (Change("recreated_function", ""),)

    def judged(**facts: object) -> tuple[str, str]:
        verdict = judge(Facts("recreated", change, same_graph=False, closure=(), **facts))  # type: ignore[arg-type]
        return verdict.word, verdict.evidence

    word, evidence = judged(captures_others=True)
    assert (word, evidence.startswith("The graph is the same, and captures other variables or tensors")) == (
        "unknown",
        True,
    )
    # a model under the same global name: Keras' second one is called `sequential_1`
    word, evidence = judged(captures_others=True, other_nodes=True)
    assert (word, evidence.startswith("It captures other variables or tensors, such as those of a model")) == (
        "unknown",
        True,
    )
    # so it is where it was called with another shape too: a lambda that reads a model which was loaded anew
    of_a_shape = (*change, Change("shape", "x", "(2,)", "(3,)"))
    facts = Facts("recreated", of_a_shape, same_graph=False, closure=(), captures_others=True, other_nodes=True)
    assert judge(facts).word == "unknown"
    assert judge(replace(facts, captures_others=False)).word == "avoidable"
    assert judged() == (  # it returns something else
        "unknown",
        "The graph is another one; code, arguments and closed-over values are not. What else it reads is not known.",
    )
    # `tf.function(evaluate)` again, after `model.bias += 5.0`, and one that draws its constants
    word, evidence = judged(held={"model.bias": ("0.0", "5.0")}, drawn=("np.random.randn()",))
    assert (word, "reads `model.bias`: 0.0 → 5.0, and each graph" in evidence) == ("unknown", True)
    word, evidence = judged(drawn=("np.random.randn()",))
    assert (word, "While it is traced it does `np.random.randn()`, and each graph" in evidence) == ("unknown", True)
    # the earlier trace has unknown dimensions: it would have served this call
    assert judged(narrower=True) == (
        "avoidable",
        "The new tf.function object closes over the same values as an earlier one.",
    )
    word, evidence = judged(wraps="alike")
    assert (word, "made of a tf.function" in evidence) == ("avoidable", True)
    assert judged(wraps="otherwise")[0] == "unknown"


def test_what_a_new_object_reads_otherwise_is_not_forgotten_beside_another_shape() -> None:
    """Layers that are trained from some epoch on, in larger batches: one function went on without training them."""
    changes = Change("recreated_function", ""), Change("shape", "x", "(2,)", "(3,)")

    def judged(reads: dict[str, tuple[str, str]] | None, **facts: object) -> str:
        known = {"same_graph": False, "closure": (), "read_otherwise": reads, **facts}
        return judge(Facts("recreated", changes, **known)).word  # type: ignore[arg-type]

    trained, rate = {"dense.trainable": ("False", "True")}, {"cfg.rate": ("0.1", "0.2")}
    assert judged(trained) == judged({**trained, "dense_2.trainable": ("", "True")}) == "bounded"
    assert judged({**trained, **rate}) == judged(rate) == "unknown"
    assert judged(None) == judged({}) == judged({"cfg.name": ("", "'a'")}) == judged(trained, same_graph=True)
    assert judged(None) == "avoidable"
    # of another object that is passed it is part of what is told
    assert judged({"x.trained": ("False", "True")}) == judged({"net": ("Net #1", "Net #2")}) == "avoidable"


def test_sizes_that_come_with_another_model_need_a_trace() -> None:
    resized = Change("shape", "x", "(3, 2)", "(3, 4)")
    assert judge(Facts("retrace", (resized,), same_graph=False)).word == "avoidable"
    verdict = judge(Facts("retrace", (resized,), same_graph=False, other_models=True))
    assert (verdict.word, "other variables in place of all" in verdict.evidence) == ("bounded", True)


def test_another_object_of_the_same_beside_what_an_argument_needs_a_trace_for() -> None:
    """`def step(x, training)` made in each call, with the flag by turns: one object would do for both."""
    new, flag = Change("recreated_function", ""), Change("python_value", "training", "True", "False")

    def judged(*changes: Change, **facts: object) -> tuple[str, bool]:
        told = judge(Facts("recreated", changes, same_graph=False, **{"closure": (), **facts}))  # type: ignore[arg-type]
        return told.word, told.evidence.endswith("closes over the same values: one would do for both.")

    assert judged(new, flag) == ("bounded", True)
    assert judged(new, Change("python_value", "k", "1", "2")) == ("avoidable", False)
    assert judged(flag) == ("bounded", False)
    # one that closes over others, or is bound to another object, is another one for more than the flag
    assert judged(new, flag, closure=(ClosureChange("rate", "0.1", "0.2", True),))[1] is False
    assert judged(new, Change("object_identity", "self", "a", "b"), flag)[1] is False
    assert judged(new, flag, in_a_dataset=True)[1] is False


def test_a_classmethod_is_bound_to_a_class() -> None:
    record = trace(("object_identity", "self", "class A", "class B"))
    assert "because it is bound to another class: class A → class B." in trace_sentence(record)


def test_an_object_made_anew_that_gives_the_same_graph_for_other_sizes() -> None:
    size = Change("shape", "x", "(1, 4)", "(5, 4)")
    instance = Facts(
        "recreated", (Change("object_identity", "self", "A object #1", "A object #2"), size),
        same_graph=False, other_nodes=True,
    )  # fmt: skip
    assert judge(instance).word == "unknown"
    instance.sizes_alone = True
    assert judge(instance).word == "avoidable"
    assert "but for sizes and names, is that of another instance" in judge(instance).evidence
    passed = Facts(
        "retrace", (size, Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2")),
        same_graph=False, sizes_alone=True, gone=frozenset({"cfg"}),
    )  # fmt: skip
    assert judge(passed).word == "avoidable"
    # before what is said of the shape, which comes first: `__eq__` would not help
    assert "`cfg` by a weak reference, and the earlier object no longer exists" in judge(passed).evidence


def test_what_the_object_changes_may_be_captured() -> None:
    verdict = judge(Facts("retrace", (Change("object_identity", "m", "M object #1", "M object #2"),), same_graph=False))
    other = "`m` is another object, and the graph is another or captures other objects."
    assert verdict.evidence.startswith(other)


def test_an_instance_of_a_subclass_is_another_instance() -> None:
    change = (Change("python_type", "self", "A object #1", "B object #2"),)
    assert judge(Facts("recreated", change, same_graph=False)).word == "unknown"
    assert judge(Facts("recreated", change, same_graph=True)).word == "avoidable"
    other = Facts("recreated", change, same_graph=False, other_nodes=True, same_operations=True, captures_others=True)
    assert judge(other) == Verdict(
        "bounded",
        "Each instance is traced for itself. `self` is an object of another class, and the graph is another one: each"
        " class needs one, and there are only so many.",
    )
    # a number that both have; one of the same class, that was made anew; and what may be passed as arguments
    assert judge(replace(other, captures_others=False)).word == "unknown"
    again = (Change("object_identity", "self", "A object #1", "A object #2"),)
    assert judge(replace(other, changes=again)).word == "unknown"
    assert judge(replace(other, other_nodes=False)).word == "unknown"


def test_variables_of_a_later_call() -> None:
    changes = (Change("object_identity", "model", "Model object #1", "Model object #2"),)
    verdict = judge(Facts("retrace", changes, failed=True, creates_variables_late=True))
    assert verdict.word == "avoidable"
    assert "creates variables" in verdict.evidence


def test_a_sentence_calls_an_iterator_one() -> None:
    change = pb.Change(cause="python_value", path="pairs", old="enumerate value", new="zip value")
    trace = pb.Trace(kind="retrace", function=pb.Function(name="f"), changes=[change])
    assert trace_sentence(trace) == (
        "`f` was traced again because `pairs` is another Python iterator: enumerate value → zip value."
    )


@pytest.mark.parametrize(
    ("closure", "facts", "word"),
    [
        ("tensor", {}, "avoidable"),
        ("tensor", {"captures_others": True}, "unknown"),
        ("tensor", {"other_nodes": True}, "unknown"),
        ("number", {}, "avoidable"),
        ("number", {"captures_others": True}, "unknown"),
        ("number", {"other_attributes": True}, "unknown"),
        ("number", {"other_nodes": True}, "avoidable"),  # the number itself is in it
    ],
)
def test_something_else_that_is_read_is_told(closure: str, facts: dict[str, bool], word: str) -> None:
    old, new = ("float32 ()",) * 2 if closure == "tensor" else ("1", "2")
    change = ClosureChange("eta", old, new, is_number=closure == "number", is_tensor=closure == "tensor")
    changes = (Change("recreated_function", "", "object 1", "object 2"),)
    verdict = judge(Facts("recreated", changes, same_graph=False, closure=(change,), **facts))  # type: ignore[arg-type]
    assert verdict.word == word
    assert (" too" in verdict.evidence) == (word == "unknown" and "other_attributes" not in facts)


def test_a_graph_for_another_size_reads_nothing_else() -> None:
    """It names the shapes of what it takes; of as many nodes it is told to be the same but for these."""
    change = ClosureChange("centre", "float32 (3,)", "float32 (3,)", False, is_tensor=True)
    changes = (Change("recreated_function", "", "object 1", "object 2"), Change("shape", "x", "(4, 3)", "(5, 3)"))
    facts = Facts("recreated", changes, same_graph=False, closure=(change,), other_nodes=True)
    assert judge(facts).word == "avoidable"
    assert judge(replace(facts, other_size=True)).word == "unknown"


@pytest.mark.parametrize(
    ("what", "same", "word"),
    [
        ("function <lambda>", True, "avoidable"),
        ("function <lambda>", False, "unknown"),  # of another number, say: one for all would compute something else
        ("method run", True, "avoidable"),  # a new one at each `norm.run`
        ("method run", False, "unknown"),
        ("Config object", None, "unknown"),
    ],
)
def test_functions_are_one_where_what_they_close_over_is(what: str, same: bool | None, word: str) -> None:
    changes = (Change("object_identity", "f", f"{what} #1", f"{what} #2"), Change("shape", "y", "(1,)", "(2,)"))
    known = {} if same is None else {"f": same}
    assert judge(Facts("retrace", changes, same_functions=known)).word == word


def test_a_list_of_other_functions_is_not_told_to_be_one() -> None:
    def ops(*numbers: int) -> Signature:
        children = tuple((f"[{n}]", Node("object", "function", value=f"function f #{n}", identity=n)) for n in numbers)
        return Signature((("ops", Node("list", "list", children=children)),))

    (change,) = diff_signatures(ops(1, 2), ops(1, 2, 3))
    assert judge(Facts("retrace", (change,))).word == "unknown"


def test_a_rank_that_may_be_asked_for() -> None:
    change = Change("rank", "obs", "(3,)", "(2, 3)")
    for other_size in (False, True):
        evidence = judge(Facts("retrace", (change,), other_size=other_size)).evidence
        assert (evidence == "`obs` can be of one rank at every call.") == other_size


def test_a_rank_that_is_asked_for_needs_a_graph_of_its_own() -> None:
    asked = all_asked_ranks(["len(x.shape) of rank follows .obs"], [Change("rank", "obs", "(3,)", "(2, 3)")])
    assert asked == {"obs": "len(x.shape)"}
    change = Change("rank", "obs", "(3,)", "(2, 3)")
    beside = Change("python_value", "rate", "0.1", "0.2")
    for changes, other_size, word in (
        ((change,), True, "bounded"), ((change,), False, "avoidable"), ((change, beside), True, "avoidable"),
    ):  # fmt: skip
        verdict = judge(Facts("retrace", changes, other_size=other_size, asked_ranks=asked))
        assert verdict.word == word
        assert ("(`len(x.shape)`)" in verdict.evidence) == (word == "bounded")


def test_strings_or_not_where_the_code_asks_for_the_dtype() -> None:
    change = Change("dtype", "x", "string", "float32")
    asked = all_asked_dtypes(["y.dtype == tf.string of dtype", "x.dtype == tf.string of dtype"], [change])
    assert asked == {"x": "x.dtype == tf.string"}
    verdict = judge(Facts("retrace", (change, Change("rank", "x", "()", "(None, 8)")), asked_dtypes=asked))
    assert (verdict.word, "(`x.dtype == tf.string`): two ways" in verdict.evidence) == ("bounded", True)
    assert judge(Facts("retrace", (change,))).word == "unknown"
    assert not all_asked_dtypes(["box.x.dtype == tf.string of dtype"], [change])
    assert not all_asked_dtypes(["x.dtype == tf.float16 of dtype"], [change])  # it is neither


def test_an_object_that_holds_other_tensors() -> None:
    """A state of a plain class, made anew at each step, whose tensors can be passed; not so of a function."""
    for path, word in (("state", "avoidable"), ("self", "unknown")):
        change = Change("object_identity", path, "State object #1", "State object #2")
        verdict = judge(Facts("retrace", (change,), same_graph=False, other_tensors=True))
        assert verdict.word == word
        assert "the same but for tensors that it captures: passed as arguments" in verdict.evidence
    function = Change("object_identity", "loss", "function loss #1", "function loss #2")
    assert judge(Facts("retrace", (function,), same_graph=False, other_tensors=True)).word == "unknown"
    state = Change("object_identity", "state", "State object #1", "State object #2")
    assert judge(Facts("retrace", (state, function), same_graph=False, other_tensors=True)).word == "unknown"
    two = state, Change("object_identity", "goal", "Goal object #3", "Goal object #4")
    both = judge(Facts("retrace", two, same_graph=False, other_tensors=True))
    assert both.word == "avoidable"
    assert both.evidence.startswith("`state` and `goal` are other objects, and its graph is the same but for tensors")


def test_an_object_that_holds_other_tensors_and_fractions() -> None:
    for path, word in (("state", "avoidable"), ("self", "unknown")):
        change = Change("object_identity", path, "State object #1", "State object #2")
        verdict = judge(Facts("retrace", (change,), same_graph=False, other_tensors_and_numbers=True))
        assert verdict.word == word
        assert ("captures and for fractions, such as numbers of that, which can be" in verdict.evidence) == (
            word == "avoidable"
        )
    function = Change("object_identity", "loss", "function loss #1", "function loss #2")
    assert judge(Facts("retrace", (function,), same_graph=False, other_tensors_and_numbers=True)).word == "unknown"


@pytest.mark.parametrize(("path", "word"), [("name", "avoidable"), ("name['a']", "avoidable"), ("mode", "unknown")])
def test_what_nothing_in_the_code_reads_need_not_be_passed(path: str, word: str) -> None:
    """`class_name`, say, whose sizes change with it."""
    sizes = Change("shape", "x", "(1,)", "(2,)")
    changes = (sizes, Change("python_value", path, "'car'", "'dog'"))
    verdict = judge(Facts("retrace", changes, same_graph=False, unread=frozenset({"name"})))
    assert verdict.word == word
    flag = (Change("python_value", "name", "True", "False"),)
    assert judge(Facts("retrace", flag, unread=frozenset({"name"}))).word == "bounded"  # two traces, at most


def test_a_metric_that_may_be_made_anew() -> None:
    changes = tuple(Change("object_identity", path, "Mean object #1", "Mean object #2") for path in ("loss", "rate"))
    for some in (changes[:1], changes):
        verdict = judge(Facts("retrace", some, same_graph=False, other_metrics=True))
        assert verdict.word == "unknown"
        assert verdict.evidence.startswith("`loss` is another metric, and its graph is the same but for the variables.")
        assert "call its `reset_state()` before each pass" in verdict.evidence


@pytest.mark.parametrize(("owner", "is_one"), [
    ("keras.src.metrics.regression_metrics.MeanSquaredError", True), ("tf_keras.src.metrics.base_metric.Mean", True),
    ("tensorflow.python.keras.metrics.Mean", True), ("keras.src.optimizers.sgd.SGD", False),
    ("metrics.Mean", False), ("Mean", False),
])  # fmt: skip
def test_which_objects_are_metrics(owner: str, is_one: bool) -> None:
    node = Node("object", owner, value="Mean object #2", identity=2)
    signature = Signature((("seen", Node("tuple", "tuple", children=(("[0]", node),))),))
    change = Change("object_identity", "seen[0]", "Mean object #1", "Mean object #2")
    assert are_metrics(signature, [change], {}) == is_one
    assert not are_metrics(signature, [change, Change("shape", "x", "(1,)", "(2,)")], {})
    assert not are_metrics(signature, [], {})


@pytest.mark.parametrize(("module", "is_one"), [("keras.src.metrics.metric", True), ("game.metrics", False)])
def test_metrics_of_a_class_of_the_users_are_such(module: str, is_one: bool) -> None:
    base = type("Metric", (), {"__module__": module})
    own = type("Dice", (base,), {"__module__": "__main__"})()
    change = Change("object_identity", "self", "Dice object #1", "Dice object #2")
    assert are_metrics(Signature(()), [change], {"self": own}) == is_one
    verdict = judge(Facts("recreated", (change,), same_graph=False, other_metrics=is_one))
    assert verdict.word == "unknown"
    assert verdict.evidence.startswith("`self` is another metric, and its graph is the same") == is_one


_ANEW = (Change("recreated_function", ""),)
_OTHER_STEP = ClosureChange("step_function", "Trainer.train_step", "Trainer.test_step", False, is_function=True)
_OTHER_MODEL = (ClosureChange("self", "Functional object", "Functional object", False),)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (Facts("recreated", _ANEW, closure=(), made_by_each_compile=True), "learning_rate = …"),
        # the step for evaluation, of a model that another optimizer was compiled for
        (Facts("recreated", _ANEW, closure=(), made_by_each_compile=True, same_graph=True), "learning_rate = …"),
        (
            Facts("recreated", _ANEW, closure=_OTHER_MODEL, made_by_each_compile=True, same_graph=True),
            "with the variables of an earlier one",
        ),
        (Facts("recreated", _ANEW, closure=_OTHER_MODEL, made_by_each_compile=True), "Different models need one each."),
        (
            Facts("recreated", _ANEW, closure=_OTHER_MODEL, made_by_each_compile=True, same_captures=True),
            "with the variables of an earlier one",
        ),
        (Facts("recreated", _ANEW, closure=_OTHER_MODEL, in_a_pipeline_of_keras=True), "no tf.data.Dataset"),
        (
            Facts("recreated", _ANEW, closure=_OTHER_MODEL, in_a_pipeline_of_keras=True),
            "`predict_on_batch`, and calls on a tf.data.Dataset, build none.",
        ),
        (Facts("recreated", _ANEW, closure=_OTHER_MODEL, restored=True), "load it once and keep it"),
        # a sub-model for each picture, in a tf.function of the user's
        (Facts("recreated", _ANEW, closure=_OTHER_MODEL, same_captures=True), "a Keras model of the same layers, make"),
        (Facts("recreated", _ANEW, closure=_OTHER_MODEL), "Whether one object could serve both is not known."),
        (
            Facts("recreated", _ANEW, closure=(_OTHER_STEP,), made_by_each_compile=True, other_functions=False),
            "there was one for this step before",
        ),
    ],
)
def test_what_keras_makes_is_told_in_its_terms(facts: Facts, told: str) -> None:
    verdict = judge(facts)
    assert verdict.word == "unknown"
    assert told in verdict.evidence


def test_fewer_variables_than_before_need_a_graph_of_their_own() -> None:
    """Whatever else is another one; not where nothing reads how many they are, or the graph is the same."""
    variable = "tf.Variable float32 (4,)"
    fewer = ClosureChange("train", f"[{variable}, {variable}]", f"[{variable}]", False)
    reads = {"len(train)": ("2", "1"), "opt": ("SGD #1", "SGD #2")}
    facts = Facts(
        "recreated", _ANEW, closure=(fewer,), same_graph=False, other_nodes=True, other_size=True, read_otherwise=reads
    )
    verdict = judge(facts)
    assert (verdict.word, "each variable of `train`" in verdict.evidence) == ("bounded", True)
    beside = replace(facts, closure=(ClosureChange("opt", "SGD object", "SGD object", False), fewer))
    assert judge(beside).word == "bounded"
    assert judge(replace(facts, read_otherwise={})).word == judge(replace(facts, other_nodes=False)).word == "unknown"


@pytest.mark.parametrize("same_graph", [True, False])
def test_a_model_that_is_compiled_again(same_graph: bool) -> None:
    facts = Facts("recreated", _ANEW, closure=(), made_by_each_compile=True, same_graph=same_graph)
    four = ["a", "b", "c", "d"]
    assert judge(replace(facts, recompiled=Recompiled(four, (), {}))) == Verdict(
        "bounded",
        "Keras makes this function anew when the model is compiled again, as it has to be here: it trains `a`, `b`, `c`"
        " and 1 more, which were frozen. Each needs a trace, once.",
    )
    both = judge(replace(facts, recompiled=Recompiled(four[:1], four[1:2], {"loss": ("'mse'", "'mae'")}))).evidence
    assert "`a`, which was frozen and it leaves frozen `b`, which was trained and with `loss`: 'mse' → 'mae'." in both
    alike = replace(facts, compiled_alike=True)
    assert judge(replace(alike, variables_fit=True)) == Verdict("avoidable", COMPILED_ALIKE)
    assert judge(alike).word == ("avoidable" if same_graph else "unknown")  # another graph, for whatever reason
    read = {"model.alpha": ("0.0", "0.5")}
    if not same_graph:
        unknown = judge(replace(facts, read_otherwise=read))
        assert unknown.evidence.endswith("This one reads `model.alpha`: 0.0 → 0.5.")
        assert judge(replace(facts, step_within=unknown.evidence)) == unknown
        phases = {"model.phase": ("'a'", "'b'"), "model.optimizer": ("SGD #1", "SGD #2")}
        how = {"model.phase": "self.phase == 'a'"}
        chosen = judge(replace(facts, read_otherwise=phases, chosen_in_python=how))
        assert chosen.word == "bounded"
        assert "reads `model.phase`: 'a' → 'b'. Python chooses by it" in chosen.evidence
        assert judge(replace(facts, step_within=chosen.evidence)) == chosen
        assert judge(replace(facts, read_otherwise={**phases, **read}, chosen_in_python=how)).word == "unknown"


_ADAM = {"optimizer": "Adam", "optimizer.beta_1": "0.9", "loss": "'mse'"}
_SGD = {"optimizer": "SGD", "optimizer.momentum": "0.0", "loss": "'mse'"}


@pytest.mark.parametrize(
    ("before", "now", "others", "found"),
    [
        (Compiled(frozenset("ab"), _ADAM), Compiled(frozenset("b"), _ADAM), [], (["a"], [], {})),
        (Compiled(frozenset("b"), _ADAM), Compiled(frozenset("c"), _ADAM), [], (["b"], ["c"], {})),
        (Compiled(frozenset(), _ADAM), Compiled(frozenset(), _SGD), [], ([], [], {"optimizer": ("Adam", "SGD")})),
        (Compiled(frozenset(), _ADAM), Compiled(frozenset(), _ADAM), [], None),
        (Compiled(frozenset(), _ADAM), Compiled(frozenset(), {**_ADAM, "loss": None}), [], None),
        # as one before the last
        (Compiled(frozenset(), _ADAM), Compiled(frozenset(), _SGD), [Compiled(frozenset(), _SGD)], None),
    ],
)
def test_what_a_model_is_compiled_again_for(
    before: Compiled, now: Compiled, others: list[Compiled], found: tuple[object, ...] | None
) -> None:
    assert recompiled(before, now, [before, *others]) == found


_NUMBER = (ClosureChange("k", "1", "2", is_number=True),)


@pytest.mark.parametrize("closure", [_OTHER_MODEL, _NUMBER])
def test_datasets_of_other_lines_need_a_trace_each_whatever_they_are_made_with(
    closure: tuple[ClosureChange, ...],
) -> None:
    verdict = judge(Facts("recreated", _ANEW, closure=closure, other_lines=True, other_data=True))
    assert (verdict.word, "other lines build this one" in verdict.evidence) == ("bounded", True)
    assert ("closes over `k`: 1 → 2. `tf.data`" in verdict.evidence) == (closure is _NUMBER)


@pytest.mark.parametrize(("kept", "word"), [("once", "bounded"), ("again", "unknown"), ("", "avoidable")])
def test_datasets_that_are_kept_beside_each_other_have_a_number_each(kept: str, word: str) -> None:
    verdict = judge(Facts("recreated", _ANEW, closure=_NUMBER, same_graph=False, in_a_dataset=True, kept_beside=kept))
    assert (verdict.word, "`k`: 1 → 2" in verdict.evidence) == (word, True)
    assert ("keeps this one beside others" in verdict.evidence) == bool(kept)


def test_an_equal_dataset_could_be_the_same_where_it_is_kept_beside_others() -> None:
    assert judge(Facts("recreated", _ANEW, same_graph=True, kept_beside="once")).word == "avoidable"


def test_what_keras_makes_of_arrays() -> None:
    facts = Facts("recreated", _ANEW, closure=_OTHER_MODEL, in_a_pipeline_of_keras=True, of_arrays=True)
    assert (judge(facts).word, "Calls on a tf.data.Dataset" in judge(facts).evidence) == ("avoidable", True)
    facts.other_calls = True
    assert (judge(facts).word, "Each needs a trace, once." in judge(facts).evidence) == ("bounded", True)
    facts.same_graph = True  # as where a loop is written out
    assert judge(facts).word == "avoidable"
    facts.other_methods = True  # `evaluate` after `predict` of as many rows
    assert judge(facts).word == "bounded"


@pytest.mark.parametrize(("generated", "word"), [("again", "avoidable"), ("elsewhere", "bounded"), ("", "unknown")])
def test_what_keras_makes_of_a_generator(generated: str, word: str) -> None:
    facts = Facts(
        "recreated", _ANEW, closure=_OTHER_MODEL, in_a_pipeline_of_keras=True, generated=generated, same_graph=False
    )
    assert judge(facts).word == word
    facts.same_graph = True  # of a call elsewhere it is one more dataset all the same
    assert judge(facts).word == (word if generated else "avoidable")


@pytest.mark.parametrize(
    ("before", "word"), [("again", "avoidable"), ("elsewhere", "bounded"), ("keras", "unknown"), ("unknown", "unknown")]
)
def test_what_an_iterator_over_a_distributed_dataset_makes(before: str, word: str) -> None:
    verdict = judge(Facts("recreated", _ANEW, closure=(), made_by_each_iterator=before))
    assert (verdict.word, "`steps_per_epoch`" in verdict.evidence) == (word, before == "keras")


def test_the_sizes_of_arrays_are_no_numbers_of_the_users_to_pass() -> None:
    """`predict` of other rows: `num_samples` of Keras' own `permutation`."""
    sizes = (ClosureChange("num_samples", "6", "9", is_number=True),)
    verdict = judge(Facts("recreated", _ANEW, closure=sizes, in_a_pipeline_of_keras=True))
    assert (verdict.word, "as a tensor would do" in verdict.evidence) == ("avoidable", False)
    assert "`num_samples`: 6 → 9. Keras makes it anew in each call of `fit`" in verdict.evidence
    assert judge(Facts("recreated", _ANEW, closure=sizes)).evidence.endswith("as a tensor would do.")


def test_another_step_of_another_model_is_bounded() -> None:
    assert judge(Facts("recreated", _ANEW, closure=(_OTHER_STEP,), made_by_each_compile=True)).word == "bounded"
    both = (*_OTHER_MODEL, _OTHER_STEP)  # a teacher is trained, and its student evaluated
    verdict = judge(Facts("recreated", _ANEW, closure=both, made_by_each_compile=True))
    assert verdict.word == "bounded"
    assert "of another model, and of `Trainer.test_step`" in verdict.evidence
    # clients of other numbers of rows: the earlier test step is not the closest trace
    facts = Facts("recreated", _ANEW, closure=both, made_by_each_compile=True, other_functions=False)
    verdict = judge(facts)
    assert (verdict.word, verdict.evidence.endswith("Different models need one each.")) == ("unknown", True)


@pytest.mark.parametrize(
    ("other_nodes", "other_classes", "word"), [(1, 1, "bounded"), (0, 1, "unknown"), (1, 0, "unknown")]
)
def test_a_model_of_another_class_needs_its_steps(other_nodes: int, other_classes: int, word: str) -> None:
    """A policy, and a model without weights that draws by what it gives."""
    other = (ClosureChange("self", "Policy object", "Sampler object", False),)
    verdict = judge(
        Facts(
            "recreated", _ANEW, closure=other, made_by_each_compile=True, same_graph=False,
            other_nodes=bool(other_nodes), other_classes=bool(other_classes),
        )
    )  # fmt: skip
    assert (verdict.word, "of this class" in verdict.evidence) == (word, word == "bounded")


@pytest.mark.parametrize(
    ("closure", "parts", "word"),
    [(0, 3, "bounded"), (0, 2, "unknown"), (1, 3, "unknown")],
)
def test_a_model_for_data_of_other_parts_needs_its_steps(closure: int, parts: int, word: str) -> None:
    """A fold with sample weights, after one without; of another step's data nothing follows."""
    texts = [", ".join(["float32 (None, 5)"] * count) for count in (2, parts)]
    spec = Change("composite_spec", "iterator", *(f"IteratorSpec(({text}),)" for text in texts))
    others = (*_OTHER_MODEL, *([_OTHER_STEP] if closure else []))
    verdict = judge(
        Facts("recreated", (*_ANEW, spec), closure=others, made_by_each_compile=True, other_functions=False)
    )
    assert (verdict.word, "as with sample weights" in verdict.evidence) == (word, word == "bounded")


def test_a_name_of_a_specification_is_a_part_of_the_signature() -> None:
    calls = [Signature((("x", Node("tensor", dtype="float32", shape=(4,), value=name)),)) for name in ("", "images")]
    verdict = judge(Facts("retrace", tuple(diff_signatures(*calls))))
    assert (verdict.word, verdict.evidence) == (
        "bounded", "`x` is a specification with a name: TensorFlow traces for each name.",
    )  # fmt: skip


def test_what_keras_passes_to_a_step_is_not_the_users_to_change() -> None:
    """`fit` and `train_on_batch` by turns."""
    change = Change("structure", "data", "tuple of 2", "tuple of 3")
    assert judge(Facts("retrace", (change,))).word == "avoidable"
    verdict = judge(Facts("retrace", (change,), step_of_keras=True))
    assert verdict.word == "bounded"
    assert verdict.evidence.startswith("Keras passes `data` as (x, y) or (x, y, sample_weight)")
    made_anew = Facts("recreated", (Change("recreated_function", "", "", ""), change), step_of_keras=True)
    assert judge(made_anew).word == "unknown"
    lists = Change("structure", "data[0]", "list of 2", "list of 3")
    assert judge(Facts("retrace", (lists,), step_of_keras=True)).word == "avoidable"


@pytest.mark.parametrize("change", [
    Change("python_type", "n", "0.5", "None"),
    Change("python_value", "mode", "'a'", "'c'"),
    Change("structure", "x", "Variable float32 (2,)", "list of 1", ("variable",)),
    Change("object_identity", "cfg", "Cfg object #1", "Cfg object #2"),
], ids=["none", "string", "structure", "object"])  # fmt: skip
def test_a_call_that_fails_cannot_work_as_it_is_whatever_differs(change: Change) -> None:
    """It is traced at each call: no number of traces bounds it."""
    assert judge(Facts("retrace", (change,), failed=True)) == Verdict(
        "avoidable", "The trace failed: this call cannot work as it is."
    )
    assert judge(Facts("retrace", (change,))).word != "avoidable"


def test_an_object_with_a_graph_of_the_same_size_may_be_made_anew() -> None:
    """A model that is loaded before each evaluation; or two networks, of which each needs a trace."""
    change = Change("object_identity", "model", "Functional object #1", "Functional object #2")
    facts = [
        Facts("retrace", (change,), same_graph=False, other_size=size, captures_variables=captures)
        for size, captures in ((False, True), (True, True), (False, False))
    ]
    said = [judge(one).evidence for one in facts]
    assert ["If `model` is made or loaded anew for each call" in evidence for evidence in said] == [True, False, False]
    # one that has no variables is no model
    assert ["can be passed in arguments of their own" in evidence for evidence in said] == [False, False, True]


def test_of_a_variable_that_is_made_anew_it_is_told_what_it_could_be() -> None:
    def evidence(cause: str, old: str, new: str) -> str:
        return judge(Facts("retrace", (Change(cause, "v", old, new, ("variable",)),), gone_variables=True)).evidence

    assert "no longer exists: they are made anew, and each shape of theirs" in evidence("shape", "(2, 3)", "(4, 3)")
    assert evidence("shape", "(2, 3)", "(4, 3)").endswith(
        "made with `shape=[None, 3]`, kept and assigned to needs one trace, if the code does not need the sizes."
    )
    assert "`shape=[None]`" in evidence("shape", "(2,)", "(4,)")
    others = ("shape", "(None, 3)", "(4, 3)"), ("rank", "(2,)", "(2, 2)"), ("dtype", "float32", "float64")
    assert all(evidence(*one).endswith("is not known.") for one in others)


_DENSE, _SPARSE = "float32 (3, 3)", "SparseTensorSpec(([3, 3]), float32)"
_RAGGED = "RaggedTensorSpec(([2, None]), float32, 1, int64)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            _DENSE,
            _SPARSE,
            ["is a sparse tensor, and was a dense tensor", "Passed as `tf.sparse.to_dense(x)`, it needs"],
        ),
        (_SPARSE, "float32 <unknown>", ["is a dense tensor, and was a sparse tensor"]),
        (_DENSE, _RAGGED, ["is a ragged tensor, and was a dense", "`x.to_tensor()`", "padding does not matter"]),
        (_RAGGED, _SPARSE, ["`x.to_tensor()` or `tf.sparse.to_dense(x)`"]),
        (
            "RaggedTensorSpec(([4, None, 3]), float32, 1, int64)",
            "RaggedTensorSpec(([2, None, None]), float32, 2, int64)",
            ["of ragged rank 2, and was of 1", "both are dense tensors of 3 dimensions"],
        ),
        (
            _RAGGED,
            "RaggedTensorSpec(([2, None, None]), float32, 2, int64)",
            ["as many traces as ranks that are passed. Their numbers of dimensions differ too"],
        ),
    ],
)
def test_of_ragged_sparse_and_dense_tensors_it_is_told_what_makes_them_one(old: str, new: str, said: list[str]) -> None:
    parts = ("python_value", "shape") if old.startswith("R") and new.startswith("R") else ()
    verdict = judge(Facts("retrace", (Change("composite_spec", "x", old, new, parts),)))
    assert verdict.word == "unknown"
    assert all(text in verdict.evidence for text in said)
    # others are what they were
    of_datasets = judge(Facts("retrace", (Change("composite_spec", "x", "DatasetSpec(a)", "DatasetSpec(b)"),)))
    assert of_datasets.evidence == "What was recorded does not tell whether this can be avoided."
    failed = judge(Facts("retrace", (Change("composite_spec", "x", old, new, parts),), failed=True))
    assert failed.word == "avoidable"


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("trainable=True", "trainable=False", "bounded"),
        ("distributed Variable float32 (2,)", "distributed Variable float32 (3,)", "bounded"),
        ("distributed Variable float32 (2,)", "Variable float32 (2,)", "bounded"),
        ("distributed Variable float32 (2,)", "float32 (2,)", "unknown"),
    ],
)
def test_there_are_only_so_many_variables(old: str, new: str, word: str) -> None:
    assert judge(Facts("retrace", (Change("composite_spec", "w", old, new),))).word == word


def test_variables_of_a_function_that_is_made_anew_may_be_made_with_it() -> None:
    shape = Change("shape", "image", "(1, 12, 12, 3)", "(1, 12, 16, 3)", ("variable",))
    made = Change("recreated_function", "", "object 1", "object 2")
    closed_over = (ClosureChange("extractor", "Model #1", "Model #2", False),)
    assert judge(Facts("recreated", (made, shape), closure=closed_over)).word == "unknown"
    assert judge(Facts("recreated", (made, shape), closure=())).word == "bounded"
    assert judge(Facts("retrace", (shape,))).word == "bounded"


def test_an_instance_that_nothing_holds_is_told() -> None:
    change = Change("object_identity", "self", "Scaler object #1", "deleted Scaler object #2")
    assert "nothing holds the instance" in judge(Facts("recreated", (change,), failed=True)).evidence
    assert "nothing holds" not in judge(Facts("recreated", (change,))).evidence


def test_keras_lists_the_batches_of_an_execution() -> None:
    change = Change("structure", "data", "list of 3", "list of 1", ("unlike",))
    assert judge(Facts("retrace", (change,), step_of_keras=True)).word == "bounded"
    assert judge(Facts("retrace", (change,))).word == "avoidable"


def test_how_tensorflow_compares_objects_is_said() -> None:
    change = Change("object_identity", "config", "Config object #1", "Config object #2")
    facts = Facts("retrace", (change,), same_graph=True)
    assert "compares `config` by identity" in judge(facts).evidence
    facts.own_eq = frozenset({"config"})
    assert "compares `config` by its `__eq__`, and it is not equal" in judge(facts).evidence


@pytest.mark.parametrize(
    ("new", "is_said"), [("Independent_ACTTypeSpec(3, {})", True), ("Normal_ACTTypeSpec(4)", False)]
)
def test_specifications_of_other_classes_are_told(new: str, is_said: bool) -> None:
    change = Change("composite_spec", "d", "Normal_ACTTypeSpec(3)", new)
    verdict = judge(Facts("retrace", (change,)))
    assert verdict.word == "unknown"
    assert (
        verdict.evidence.startswith("`d` has the specification of another class, `Independent_ACTTypeSpec`") == is_said
    )


def test_other_sizes_in_a_specification_of_a_librarys_own_are_told() -> None:
    """Such as of a graph's: its parts are not known, and whether it can leave sizes unknown."""
    old, new = (f"GraphTensorSpec(…{{'h': float32 ({nodes}, 4)}}, int64 (1,), None…" for nodes in (5, 6))
    change = Change("composite_spec", "g", old, new)
    verdict = judge(Facts("retrace", (change,)))
    assert verdict.word == "unknown"
    assert "`g` has other sizes in its specification, of the class `GraphTensorSpec`." in verdict.evidence
    other = Change("composite_spec", "g", old, new.replace("float32", "float64"))
    assert "other sizes" not in judge(Facts("retrace", (other,))).evidence
    widened = judge(Facts("retrace", (change,), generalized=True, reduce_retracing=True))
    assert (widened.word, "widened the specification of `g`" in widened.evidence) == ("bounded", True)
    assert judge(Facts("retrace", (change,), generalized=True, failed=True)).word == "avoidable"


def test_an_object_that_captures_the_same_beside_other_changes_may_be_made_anew() -> None:
    """`explain(model, class_index)` that makes a `keras.Model` of the same layers in each call."""
    model = Change("object_identity", "model", "Functional object #1", "Functional object #2")
    changes = (model, Change("python_value", "class_index", "0", "1"))
    said = "If `model` is made anew of the same for each call, such as a Keras model of the same layers, make it once"
    assert said in judge(Facts("retrace", changes, same_graph=False, captures_the_same=True)).evidence
    assert said not in judge(Facts("retrace", changes, same_graph=False)).evidence


def test_predict_on_batch_of_another_size_than_predict_needs_a_trace() -> None:
    """Of the same size, or of one that an unknown one takes, `predict_on_batch` in both places does without."""

    def word(old: str, new: str, path: str = "data[0]") -> str:
        return judge(Facts("retrace", (Change("structure", path, old, new),), step_of_keras=True)).word

    assert word("float32 (8, 3)", "(float32 (5, 3),)") == word("(float32 (5, 3),)", "float32 (8, 3)") == "bounded"
    assert word("float32 (8, 3)", "(float32 (8, 3),)") == word("float32 (None, 3)", "(float32 (8, 3),)") == "avoidable"
    assert (
        word("float32 (8, 3)", "(float32 (5, 3),)", "data") == word("[float32 (8, 3)]", "float32 (5, 3)") == "avoidable"
    )


def test_of_many_names_those_with_values_come_first() -> None:
    closure = [*(ClosureChange(name, "object", "object", False) for name in "abc"), ClosureChange("w", "1", "2", True)]
    assert closed_over(closure) == "`w`: 1 → 2, another `a`, another `b` and 1 more"
    assert closed_over(closure[2:]) == "another `c`, `w`: 1 → 2"
