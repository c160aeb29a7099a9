"""Each rule on evidence that is made up, and the cases where no rule may fire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Owner, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.evidence import (
    CREATES_VARIABLES_EACH_TIME,
    LAST_BATCH,
    MADE_OF_ONE,
    TENSOR_OF_STRINGS,
    WIDENED_AND_FAILED,
)
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature

SECOND = 1_000_000_000


def tensor(*shape: int, dtype: str = "float32") -> Node:
    return Node("tensor", dtype=dtype, shape=shape)


def number(value: float) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=hash(value) + 1000)


def literal(value: object) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=hash(value) or -1)


def thing(identity: int, type_name: str = "Settings") -> Node:
    return Node("object", type_name=type_name, value=f"{type_name} object #{identity}", identity=identity)


def mapping(**children: Node) -> Node:
    return Node("dict", type_name="dict", children=tuple((f"['{key}']", node) for key, node in children.items()))


def call(source: str, line: int = 7) -> tuple[Frame, ...]:
    library = Frame("/site-packages/tensorflow/python/eager/x.py", 1, "_initialize", "", False)
    return library, Frame("/home/user/train.py", line, "main", source, True)


def history(*signatures: dict[str, Node], source: str = "", same_graph: bool | None = None) -> list[Traced]:
    """Retraces of one object, each compared with the one before, judged as the recorder judges."""
    traces: list[Traced] = []
    for arguments in signatures:
        lookup = Lookup(Signature(tuple(arguments.items())))
        if not traces:
            traces.append(Traced(lookup, "first", "needed", cost_ns=SECOND, stack=call(source)))
            continue
        changes = tuple(diff_signatures(traces[-1].lookup.signature, lookup.signature))
        verdict = judge(Facts("retrace", changes, same_graph=same_graph))
        traces.append(
            Traced(
                lookup, "retrace", verdict.word, verdict.evidence, changes, len(traces) - 1, SECOND, call(source)
            )
        )  # fmt: skip
    return traces


def recreated(count: int, closure: tuple[ClosureChange, ...] | None = (), *, same_graph: bool = True) -> list[Traced]:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    verdict = judge(Facts("recreated", change, same_graph=same_graph, closure=closure))
    traces = [Traced(Lookup(Signature((("x", tensor(2)),))), "first", "needed", cost_ns=SECOND, stack=call("f(x)"))]
    for n in range(1, count):
        lookup = replace(traces[0].lookup, object_number=n + 1)
        traces.append(
            replace(
                traces[0], lookup=lookup, kind="recreated", verdict=verdict.word, evidence=verdict.evidence,
                changes=change, closest=n - 1,
            )
        )  # fmt: skip
    return traces


def advice(traces: list[Traced], name: str = "train_step", **fields: object) -> list[Advice]:
    return advise(FunctionFacts(name, traces, **fields))  # type: ignore[arg-type]


def numbers(found: list[Advice]) -> list[tuple[str, int, int | None]]:
    return [(a.rule, a.traces_before, a.traces_after) for a in found]


def of_several_models(*objects: int, models: Sequence[int]) -> list[Traced]:
    """Of `lambda x, m=m: m(x)`, in these function objects with these models, a trace for a size each."""
    traces = history(*({"x": tensor(n + 2), "m": thing(models[n], "Model")} for n in range(len(objects))))
    for place, number in enumerate(objects):
        trace = replace(traces[place], lookup=replace(traces[place].lookup, object_number=number))
        if place and objects[place - 1] == number:
            changes = (Change("shape", "x", f"({place + 1},)", f"({place + 2},)"),)
            verdict = judge(Facts("retrace", changes))
            trace = replace(trace, changes=changes, verdict=verdict.word, evidence=verdict.evidence)
        traces[place] = trace
    return traces


def test_what_stars_take_is_padded_by_the_name_that_its_caller_has_for_it() -> None:
    calls = ({"kwargs['mask']": tensor(1, n), "batch": mapping(ids=tensor(1, n))} for n in (3, 4))
    (found, *_) = advice(history(*calls), jit_compile=True)
    assert found.code == (
        "mask = tf.pad(mask, …)  # to [1, 4], the largest so far\n"
        "batch['ids'] = tf.pad(batch['ids'], …)  # to [1, 4], the largest so far"
    )


def test_an_object_that_each_function_has_by_default_stays_undeclared() -> None:
    of_default = {"with_default": frozenset({"m"}), "undecorated": True}
    best, *_ = advice(of_several_models(1, 1, 1, 2, 2, models=(7, 7, 7, 8, 8)), "<lambda>", **of_default)
    assert numbers([best]) == [("input_signature", 5, 2)]
    assert best.code == "f = tf.function(…, input_signature=[tf.TensorSpec([None], tf.float32)])"
    assert "`m` stays undeclared, as the default value that each function has of its own." in best.notes
    assert best.apply is None
    passed = of_several_models(1, 1, 1, 2, 2, models=(7, 7, 8, 8, 8))  # by some calls
    assert "input_signature" not in [one.rule for one in advice(passed, "<lambda>", **of_default)]
    required = advice(of_several_models(1, 1, 1, 2, 2, models=(7, 7, 7, 8, 8)), "step")
    assert "input_signature" not in [one.rule for one in required]


def test_changing_shapes_of_arguments_that_can_be_declared() -> None:
    traces = history(*({"x": tensor(n, 8), "y": mapping(a=tensor(n), b=tensor(3))} for n in range(2, 7)))
    best, second = advice(traces)
    assert numbers([best, second]) == [("input_signature", 5, 1), ("reduce_retracing", 5, 2)]
    assert best.code == (
        "@tf.function(\n    input_signature=[\n        tf.TensorSpec([None, 8], tf.float32),\n"
        "        {'a': tf.TensorSpec([None], tf.float32), 'b': tf.TensorSpec([3], tf.float32)},\n    ]\n)"
    )
    assert (best.seconds_saved, second.seconds_saved) == (4, 3)
    assert "the 5 recorded signatures need 1 trace; it assumes that" in best.evidence


def test_keyword_only_parameters_cannot_be_declared() -> None:
    traces = history(*({"x": tensor(n), "y": tensor(n)} for n in (1, 2, 3)))
    assert [a.rule for a in advice(traces)] == ["input_signature", "reduce_retracing"]
    best, other = advice(traces, keyword_only=frozenset({"y"}))
    assert (best.rule, other.rule) == ("trace_beforehand", "reduce_retracing")
    specs = "tf.TensorSpec([None], tf.float32), y=tf.TensorSpec([None], tf.float32)"
    assert best.code == f"# once, before the first call\ntrain_step.get_concrete_function({specs})"


def test_a_default_value_of_a_number_is_said_to_stay_one() -> None:
    traces = history(*({"x": tensor(3), "rate": literal(n)} for n in (1, 2)))
    assert advice(traces)[0].evidence.endswith("an equal number of another Python type.")
    by_default = advice(traces, with_default=frozenset({"rate", "other"}))
    assert by_default[0].evidence.endswith("another Python type, or leaves `rate` to its default.")


def test_numbers_are_replaced_where_they_can_be() -> None:
    def holding(kind: str, number: int) -> Node:
        return Node(kind, "Item", children=((".label", literal(number)),))

    def code(kind: str, source: str = "") -> str | None:
        traces = history(*({"item": holding(kind, n)} for n in (1, 2)), source=source)
        found = advice(traces, name="learn")
        return found[0].code if found else "no advice"

    assert code("named_tuple") == "item = item._replace(label=tf.constant(item.label))"
    assert code("attrs") == "item = attrs.evolve(item, label=tf.constant(item.label))"
    # as the line that calls names it: what the caller has stays as it is, for all that reads it later
    assert code("attrs", "learn(self.it)") == "learn(attrs.evolve(self.it, label=tf.constant(self.it.label)))"
    in_a_loop = "out = [learn(i._replace(label=tf.constant(i.label))) for i in items]"
    assert code("named_tuple", "out = [learn(i) for i in items]") == in_a_loop
    unnamed = "item = item._replace(label=tf.constant(item.label))  # before each call, in what it passes for item"
    assert code("named_tuple", "learn(make())") == unnamed
    inner = Node("named_tuple", "Outer", children=((".item", holding("named_tuple", 1)),))
    other = Node("named_tuple", "Outer", children=((".item", holding("named_tuple", 2)),))
    nested = "tf.constant(outer.item.label)  # in place of outer.item.label, in what it passes for outer"
    assert advice(history({"outer": inner}, {"outer": other}), name="learn")[0].code == nested
    assert code("composite", "learn(item)").startswith("class Item(")  # a field has the type that its class declares


def test_complex_numbers_are_numbers() -> None:
    def code(*values: Node) -> str | None:
        found = advice(history(*({"z": value} for value in values)))
        return found[0].code if found else "no advice"

    assert code(literal(1j), literal(2j)) == "train_step(tf.constant(z))"
    assert code(literal(1j), literal(2.0)) == "train_step(tf.constant(z, tf.complex128))"
    assert code(literal(1j), tensor(dtype="complex64"), literal(2j)) == "train_step(tf.constant(z, tf.complex64))"
    assert "tf.constant" not in str(code(literal(1j), tensor(), literal(2j)))


def test_numbers_that_never_change_are_not_said_to() -> None:
    seeds = [Node("tuple", "tuple", children=(("[0]", literal(n)), ("[1]", literal(7)))) for n in range(3)]
    (found, *_) = advice(history(*({"seed": seed} for seed in seeds)))
    assert (
        "for each value of the Python number `seed[0]` (3 values so far). Pass `seed[0]` and `seed[1]`" in found.in_one
    )


def test_numbers_in_tuples_and_lists_are_made_one_sequence() -> None:
    def sequence(kind: str, *numbers: int) -> Node:
        return Node(kind, kind, children=tuple((f"[{i}]", literal(n)) for i, n in enumerate(numbers)))

    pairs = [sequence("tuple", 4, 4), sequence("tuple", 5, 5), sequence("list", 4, 4)]
    traces = history(*({"x": tensor(3), "size": pair} for pair in pairs), source="resize(x, size)")
    found = {a.rule: a for a in advice(traces, name="resize")}
    numbers_of, structure = found["tensor_for_python_number"], found["same_structure"]
    assert (numbers_of.code, numbers_of.traces_after) == ("resize(x, tuple(tf.constant(n) for n in size))", 1)
    assert (structure.code, structure.traces_after) == ("resize(x, tuple(size))", 2)
    assert numbers_of.apply == {"sequences": {"size": "tuple"}, "tensors": {"size[0]": "int32", "size[1]": "int32"}}
    assert structure.apply == {"sequences": {"size": "tuple"}}
    # where there is none in some calls
    sizes = [Node("literal", "NoneType", value="None"), *pairs[1:]]
    traces = history(*({"x": tensor(3), "size": size} for size in sizes), source="resize(x, size)")
    (structure,) = [one for one in advice(traces, name="resize") if one.rule == "same_structure"]
    assert structure.code == "resize(x, None if size is None else tuple(size))"
    # of other lengths, each of which is needed
    names = [sequence(kind, *range(n)) for kind, n in (("tuple", 1), ("tuple", 2), ("list", 2), ("list", 1))]
    traces = history(*({"names": each} for each in names), source="resize(names)")
    traces = [
        replace(trace, verdict=word)
        for trace, word in zip(traces, ("needed", "unknown", *["avoidable"] * 2), strict=True)
    ]
    traces[3] = replace(traces[3], changes=traces[2].changes, closest=0)
    (structure,) = advice(traces, name="resize")
    assert (structure.rule, structure.code, structure.traces_after) == ("same_structure", "resize(tuple(names))", 2)


def test_a_list_of_numbers_that_grows_is_written_whole() -> None:
    code = "step(x, [tf.constant(n, tf.float32) for n in list(recent)])"
    lists = [numbers_of("list", *numbers) for numbers in ((1.0,), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0))]
    traces = history(*({"x": tensor(3), "history": each} for each in lists), source="step(x, list(recent))")
    (found, *_) = [a for a in advice(traces, name="step") if a.rule == "tensor_for_python_number"]
    assert (found.code, found.traces_after) == (code, 2)


def numbers_of(kind: str, *values: object) -> Node:
    children = (numbers_of(kind, *v) if isinstance(v, tuple) else literal(v) for v in values)
    return Node(kind, kind, children=tuple((f"[{i}]", child) for i, child in enumerate(children)))


def test_each_number_that_is_to_be_a_tensor_is_named() -> None:
    """Also of one value, which is a tensor in other calls: without it there is a trace more."""
    calls = [(1.0, 0.1, 0.5), (1.0, 0.2, 0.5), (1.0, 0.2, 0.7)]
    passed = [{"a": number(a), "b": number(b), "c": number(c)} for a, b, c in calls]
    passed.append({"a": tensor(), "b": number(0.2), "c": number(0.7)})
    found = advice(history(*passed))[0]
    assert numbers([found]) == [("tensor_for_python_number", 4, 1)]
    assert "values of the Python numbers `b` and `c`. Pass `b`, `c` and `a` as tensors" in found.text


def test_a_list_of_numbers_in_some_calls_and_a_tensor_in_others() -> None:
    passed = [numbers_of("list", 1, 2), numbers_of("list", 3, 4, 5), tensor(2, dtype="int32"), tensor(3, dtype="int32")]
    best, second = advice(history(*({"x": node} for node in passed), source="train_step(x)"))[:2]
    assert numbers([best, second]) == [
        ("tensor_for_python_sequence+input_signature", 4, 1), ("tensor_for_python_sequence", 4, 2),
    ]  # fmt: skip
    assert second.code == "train_step(tf.constant(x))"
    assert second.apply == {"tensors": {"x": "int32"}}
    assert best.apply == {"input_signature": "[tf.TensorSpec([None], tf.int32)]", "tensors": {"x": "int32"}}
    nested = [numbers_of("tuple", (0.5, 1.5)), tensor(1, 2, dtype="float64")]
    (found,) = advice(history(*({"x": node} for node in nested)))
    assert (found.code, found.traces_after) == ("train_step(tf.constant(x, tf.float64))", 1)


def test_long_lists_of_numbers_are_one_tensor() -> None:
    """A replayed batch as Python lists: no position is known to stay as it is."""
    passed = [numbers_of("list", 0.5, 0.25, 4.0, 2.5), numbers_of("list", 0.5, 0.75, 4.0, 2.5)]
    found = advice(history(*({"x": node} for node in passed), source="train_step(x)"))
    (whole,) = [one for one in found if one.rule == "tensor_for_python_sequence"]
    assert (whole.traces_after, whole.code, whole.apply) == (
        1,
        "train_step(tf.constant(x))",
        {"tensors": {"x": "float32"}},
    )
    longer = [*passed, numbers_of("list", *(n + 0.5 for n in range(6)))]
    assert ("tensor_for_python_sequence+input_signature", 3, 1) in numbers(advice(history(*({"x": n} for n in longer))))
    big = [numbers_of("list", 1, 2, 3, n) for n in (4, 2**31)]
    assert "train_step(tf.constant(x, tf.int64))" in [a.code for a in advice(history(*({"x": node} for node in big)))]
    short = [numbers_of("tuple", 224, 224), numbers_of("tuple", 224, 256)]  # height, width
    assert "tensor_for_python_sequence" not in [a.rule for a in advice(history(*({"x": node} for node in short)))]


def test_what_makes_no_tensor_is_not_told_to_be_one() -> None:
    for node in (
        numbers_of("list", 1, (2, 3)),
        numbers_of("list", (1, 2), (3,)),
        numbers_of("list", 1, "a"),
        numbers_of("list", 0.5),  # whole numbers cannot hold it
        numbers_of("list"),
        numbers_of("named_tuple", 1, 2),
    ):
        for shapes in ({"x": node}, {"x": tensor(2, dtype="int32")}), ({"x": tensor(2, dtype="int32")}, {"x": node}):
            assert "tensor_for_python_sequence" not in [a.rule for a in advice(history(*shapes))]


def test_one_dtype_is_needed_before_a_signature_of_it() -> None:
    """Declared as float64, TensorFlow refuses float32: without the cast the signature would be no advice."""
    passed = [tensor(5, 3, dtype="float64"), tensor(6, 3, dtype="float64"), tensor(7, 3, dtype="float64"), tensor(5, 3)]
    best, *others = advice(history(*({"x": node} for node in passed)))
    assert numbers([best]) == [("one_dtype+input_signature", 4, 1)]
    assert {a.traces_after for a in others} == {3}


def test_numbers_that_are_passed_by_keyword_are_wrapped_there() -> None:
    def code(source: str, **more: Node) -> str | None:
        traces = history(*({"x": tensor(2), **more, "options['gain']": literal(n)} for n in (0.5, 1.5)), source=source)
        return advice(traces, name="augment")[0].code

    flip = {"options['flip']": literal(True)}
    assert code("y = augment(x, gain=gain, flip=True)", **flip) == "y = augment(x, gain=tf.constant(gain), flip=True)"
    assert code("y = augment(x, **options)") == ("y = augment(x, **{**options, 'gain': tf.constant(options['gain'])})")
    assert code("") == "augment(…, gain=tf.constant(gain))"


def test_what_concrete_functions_were_asked_for_with() -> None:
    """A specification cannot be cast, and a number that becomes a tensor has to be passed to the concrete function."""
    asks = Frame("/site-packages/tensorflow/python/eager/x.py", 1, "get_concrete_function", "", False)

    def found(*signatures: dict[str, Node]) -> Advice:
        traces = history(*signatures, source="step.get_concrete_function(spec, k)")
        return advice([replace(trace, stack=(asks, *trace.stack)) for trace in traces], name="step")[0]

    of_number = found(*({"x": tensor(2), "k": literal(n)} for n in (1, 2, 3)))
    assert (of_number.code, of_number.traces_after) == ("step.get_concrete_function(spec, tf.constant(k))", 1)
    assert "gives takes it as an argument then: pass it where that is called." in of_number.in_one
    of_dtype = found(*({"x": tensor(2, dtype=dtype)} for dtype in ("int32", "int64")))
    assert (of_dtype.rule, of_dtype.code, of_dtype.apply) == ("one_dtype", None, None)
    assert of_dtype.in_one.endswith("with that dtype, and cast what it is called with.")


def test_a_class_method_cannot_be_declared() -> None:
    """TensorFlow knows by the name `self` alone what is not to be: it refuses the class's definition."""
    traces = history(*({"self": thing(1, "Model"), "x": tensor(n)} for n in (1, 2, 3)))
    found = advice(traces, "net", bound_as="cls")
    assert [one.rule for one in found] == ["trace_beforehand", "reduce_retracing"]
    assert "an input signature cannot declare `cls`. Trace" in found[0].in_one
    where_it_is_called = {"bound_as": "this", "undecorated": True}
    assert advice(traces, "net", **where_it_is_called)[0].rule == "input_signature"


def test_a_self_that_is_passed_as_any_argument_is_cannot_be_declared() -> None:
    """TensorFlow leaves out what is called `self`, and takes what is passed in its place for the first one declared."""
    traces = history(*({"self": thing(1, "Model"), "x": tensor(n)} for n in (1, 2, 3)))
    assert [one.rule for one in advice(traces, "net", bound_as="self")] == ["reduce_retracing"]
    assert advice(traces, "net")[0].rule == "input_signature"
    numbers = history(
        *({"self": thing(1, "Model"), "x": tensor(2), "n": literal(n)} for n in (1, 2, 3)),
        source="return net(self, x, n)",
    )
    assert advice(numbers, "net", bound_as="self")[0].code == "return net(self, x, tf.constant(n))"


def test_what_no_decorator_made_is_declared_where_it_is_made() -> None:
    def codes(traces: list[Traced], name: str = "net", **fields: object) -> list[str | None]:
        return [found.code for found in advice(traces, name=name, **fields)]

    of_shapes = history(*({"x": tensor(n)} for n in (1, 2, 3)))
    spec = "input_signature=[tf.TensorSpec([None], tf.float32)]"
    assert codes(of_shapes)[0] == f"@tf.function({spec})"
    made = "  # where it is made"
    undecorated: dict[str, object] = {"undecorated": True, "qualname": "net"}
    assert codes(of_shapes, **undecorated) == [
        f"tf.function(net, {spec}){made}", f"tf.function(net, reduce_retracing=True){made}",
    ]  # fmt: skip
    of_method = {**undecorated, "qualname": "Model.net"}
    assert codes(of_shapes, **of_method)[1] == f"tf.function(….net, reduce_retracing=True){made}"
    bound = {**undecorated, "passed_as": "functools.partial(net, …)"}
    assert codes(of_shapes, **bound)[0] == f"tf.function(functools.partial(net, …), {spec}){made}"
    assert (codes(recreated(3), **bound)[0] or "").startswith(
        "compiled_net = tf.function(functools.partial(net, …))  #"
    )
    with_default = history(*({"x": tensor(n), "training": literal(True)} for n in (1, 2, 3)))
    assert codes(with_default, **undecorated)[0] == f"tf.function(net, {spec}){made}\n\ndef net(…, training=True):"

    again = recreated(3)
    assert codes(again, **undecorated) == [
        "compiled_net = tf.function(net)  # once, before the loop; call it in place of what is made anew"
    ]
    wider = [replace(t, lookup=replace(t.lookup, object_number=t.lookup.object_number + 3)) for t in of_shapes]
    mixed = [*again, replace(wider[0], kind="recreated", changes=again[1].changes, verdict="avoidable", closest=0)]
    mixed += [replace(t, closest=3) for t in wider[1:]]
    assert (
        f"compiled_net = tf.function(net, {spec})  # once, before the loop; call it in place of what is made anew"
        in codes(mixed, **undecorated)
    )
    declared = [code for code in codes(mixed, name="<lambda>") if code and spec in code]
    assert declared[0].startswith(f"f = tf.function(…, {spec})  # once")


@pytest.mark.parametrize(
    "file",
    [
        "/tmp/ipykernel_12/3612804845.py",
        "<ipython-input-3-e16ab41d383a>",
        "/tmp/ipython-input-3-3612.py",
        "<timed exec>",
    ],
)
def test_a_function_of_a_notebook_is_defined_in_a_cell_of_its_own(file: str) -> None:
    (found,) = advice(recreated(3), qualname="train_step", file=file)
    assert found.text.endswith(" Define it once, in a cell of its own that is run once, and in no loop.")
    assert found.code == "@tf.function\ndef train_step(x):  # once, in a cell of its own\n    …"
    (within,) = advice(recreated(3), qualname="fit.<locals>.train_step", file=file)
    assert within.text.endswith(" Define it once, outside the loop or function that makes it.")
    (undecorated,) = advice(recreated(3), qualname="train_step", file=file, undecorated=True)
    assert (undecorated.code or "").startswith(
        "compiled_train_step = tf.function(train_step)  # once, in a cell of its"
    )


def test_a_lambda_that_takes_a_number_is_declared_in_its_own_call() -> None:
    """The declaration was lost beside the code of the number."""
    traces = recreated(2, (ClosureChange("n", "2", "3", True),), same_graph=False)
    changes = (*traces[1].changes, Change("shape", "x", "(2,)", "(3,)"))
    lookup = replace(traces[1].lookup, signature=Signature((("x", tensor(3)),)))
    found = advice([traces[0], replace(traces[1], lookup=lookup, changes=changes)], name="<lambda>")[0]
    specs = "input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)]"
    assert (found.code or "").startswith(f"f = tf.function(lambda x, n: …, {specs})  # once")


def test_a_missing_key_is_given_under_the_name_that_the_call_has() -> None:
    def code(source: str, *first: dict[str, Node]) -> str | None:
        signatures = ({"aux": mapping(a=tensor(2))}, {"aux": mapping(a=tensor(2), b=tensor(3))})
        return advice(history(*first, *signatures, source=source), name="net")[0].code

    add = "{0}.setdefault('b', tf.ones([3], tf.float32))  # or what is neutral"
    assert code("net(kept.parts)") == add.format("kept.parts")
    assert code("net(make())") == code("net(**made)") == code("") == add.format("aux")
    assert code("net(kept)", {"aux": literal(None)}) == f"if kept is not None: {add.format('kept')}"


def of_tensors(*names: str, is_global: bool = False) -> tuple[ClosureChange, ...]:
    spec = "float32 (4,)"
    return tuple(ClosureChange(name, spec, spec, False, is_global=is_global, is_tensor=True) for name in names)


def test_a_function_made_again_for_a_tensor_takes_it_as_an_argument() -> None:
    (found,) = advice(recreated(3, of_tensors("batch"), same_graph=False), "loss")
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert found.code == "@tf.function\ndef loss(x, batch):  # once\n    …\n\nloss(x, batch)"
    assert found.in_one == (
        "`loss` was made 3 times, each time for another tensor that it closes over, `batch`: a graph keeps what it was"
        " traced with. Define it once and pass it as an argument."
    )
    (found,) = advice(recreated(3, of_tensors("x_0", "y_0", is_global=True), same_graph=False), "<lambda>")
    assert found.code == "f = tf.function(lambda x, x_0, y_0: …)  # once\n…\nf(x, x_0, y_0)"
    assert "for other tensors that it reads, `x_0` and `y_0`:" in found.in_one
    (found,) = advice(recreated(3, of_tensors("f"), same_graph=False), "<lambda>")
    assert found.code == "compiled = tf.function(lambda x, f: …)  # once\n…\ncompiled(x, f)"  # no two of one name
    other_shape = replace(of_tensors("batch")[0], new="float32 (5,)", is_tensor=False)
    assert advice(recreated(3, (other_shape,), same_graph=False), "loss") == []


def test_what_is_made_once_and_what_is_wrapped_is_one_call() -> None:
    traces = recreated(2, (ClosureChange("n", "2", "3", True),), same_graph=False)
    traces = [
        replace(t, lookup=replace(t.lookup, signature=Signature((("x", tensor(2)), ("scale", literal(s)), ("n", n)))))
        for t, s, n in zip(traces, (1.0, 2.0), (literal(2), literal(3)), strict=True)
    ]
    changes = (*traces[1].changes, Change("python_value", "scale", "1.0", "2.0"), Change("python_value", "n", "2", "3"))
    best = advice([traces[0], replace(traces[1], changes=changes)], name="power")[0]
    assert numbers([best]) == [("pass_closed_over_number+tensor_for_python_number", 2, 1)]
    assert best.code is not None
    assert best.code.splitlines()[-1] == "power(x, tf.constant(scale, tf.float32), tf.constant(n))"
    assert best.code.count("power(") == 2  # with its definition
    assert best.in_one.count("cannot take a tensor") == 1


def test_arguments_that_cannot_be_declared_leave_reduce_retracing_with_its_own_number() -> None:
    traces = history(*({"x": tensor(n), "optimizer": thing(1)} for n in range(2, 7)))
    assert numbers(advice(traces)) == [("reduce_retracing", 5, 2)]


def test_python_values_that_stay_the_same_are_defaults_and_not_declared() -> None:
    def flagged(**flags: object) -> list[Traced]:
        return history(*({"x": tensor(n), **{k: literal(v) for k, v in flags.items()}} for n in range(2, 7)))

    best, second = advice(flagged(training=True))
    assert numbers([best, second]) == [("input_signature", 5, 1), ("reduce_retracing", 5, 2)]
    assert best.code == (
        "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])\ndef train_step(…, training=True):"
    )
    assert best.in_one.endswith(
        " `training` is the same at every call and stays undeclared, with that value as its default;"
        " TensorFlow then refuses any other."
    )
    assert best.evidence.endswith(", and that no call passes another `training`.")
    assert best.apply is None  # whether it has a default is not known
    by_default = advice(flagged(training=True), with_default=frozenset({"training"}))[0]
    assert by_default.apply == {"input_signature": "[tf.TensorSpec([None], tf.float32)]"}
    some = advice(flagged(rate=0.5, mode="a'b", mask=None), keyword_only=frozenset({"mode", "mask"}))[0]
    assert some.code is not None
    assert some.code.endswith("""def train_step(…, rate=0.5, *, mode="a'b", mask=None):""")


def test_what_cannot_be_a_default_is_not_called_one() -> None:
    def rules(*arguments: dict[str, Node], **fields: object) -> list[str]:
        return [a.rule for a in advice(history(*arguments), **fields)]  # type: ignore[arg-type]

    shapes = [tensor(n) for n in range(2, 7)]
    long = Node("literal", type_name="str", value="'" + 100 * "a" + "…", identity=9)
    hidden = Node("literal", type_name="bool", value="bool ‹12345678›", identity=9)
    for node in (long, hidden, literal(float("nan")), thing(4)):
        assert rules(*({"x": shape, "y": node} for shape in shapes)) == ["reduce_retracing"]
    before = ["trace_beforehand", "reduce_retracing"]
    assert rules(*({"flag": literal(True), "x": shape} for shape in shapes)) == before
    assert rules(*({"x": shape, "args[0]": literal(True)} for shape in shapes)) == before
    assert rules(*({"x": shape, "flag": literal(True)} for shape in shapes), name="<lambda>") == ["reduce_retracing"]


def test_a_last_batch_beside_what_cannot_be_declared() -> None:
    def batch(size: int) -> dict[str, Node]:
        return {"optimizer": thing(1), "x": tensor(size, 3), "y": tensor(size)}

    (found,) = advice(history(batch(8), batch(3)))
    assert numbers([found]) == [("pad_to_one_shape", 2, 1)]
    assert found.in_one == (
        "This changes results: `drop_remainder=True` leaves examples out, and without a mask padding counts as data in"
        " a mean, a product, a softmax or a batch normalization, without an error. `x` and `y` of `train_step` change"
        " shape. If the smaller ones are a dataset's last batches, batch with `drop_remainder=True`, or pad those to"
        " the size of the others; else pad to one shape."
    )
    assert found.code is not None
    assert found.code.startswith("dataset = dataset.batch(8, drop_remainder=True)  # if a dataset makes them\n# or,")
    for sizes in ((3, 8), (8, 3, 4), (8, 6, 8, 9)):
        assert "pad_to_one_shape" not in [a.rule for a in advice(history(*map(batch, sizes)))]


def test_a_last_batch_beside_numbers_that_never_come_again() -> None:
    def batch(size: int, rate: float) -> dict[str, Node]:
        return {"optimizer": thing(1), "x": tensor(size, 3), "rate": literal(rate)}

    calls = [(8, 1.0), (8, 0.9), (3, 0.8), (8, 0.7), (3, 0.6)]
    found = numbers(advice(history(*(batch(*one) for one in calls))))
    assert ("tensor_for_python_number+pad_to_one_shape", 5, 1) in found
    assert ("tensor_for_python_number", 5, 2) in found
    sizes = [(8, 1.0), (8, 0.9), (3, 0.8), (5, 0.7), (3, 0.6)]
    assert not any("pad" in rule for rule, *_ in numbers(advice(history(*(batch(*one) for one in sizes)))))


def test_a_last_batch_beside_a_tensor_of_another_size() -> None:
    """The batch's own sizes cost nothing more: `reduce_retracing` has widened them."""

    def call(batch: int, rows: int, start: int) -> dict[str, Node]:
        return {"x": tensor(batch, 3), "table": tensor(rows, 3), "start": number(start), "key": thing(1)}

    traces = history(call(4, 5, 10), call(4, 10, 0), call(2, 10, 0))
    traces[2] = replace(traces[2], verdict="bounded")
    assert not any("drop_remainder" in (one.code or "") for one in advice(traces))


def test_what_is_padded_is_put_where_it_was() -> None:
    def padded(argument: Callable[[int], Node]) -> str:
        traces = history({"b": argument(9)}, {"b": argument(4)})
        (found,) = advice(traces, jit_compile=True)
        return (found.code or "").splitlines()[-1]

    assert padded(lambda n: mapping(x=tensor(n))) == "b['x'] = tf.pad(b['x'], …)  # to [9], the largest so far"
    pair = lambda n: Node("tuple", type_name="tuple", children=(("[0]", tensor(n)), ("[1]", tensor(2))))  # noqa: E731
    assert padded(pair) == "tf.pad(b[0], …)  # in place of b[0], to [9], the largest so far"
    named = lambda n: Node("named_tuple", type_name="Batch", children=((".x", tensor(n)),))  # noqa: E731
    assert padded(named) == "b = b._replace(x=tf.pad(b.x, …))  # to [9], the largest so far"


def test_last_batches_of_a_flag_s_values() -> None:
    def batch(size: int, mode: str, **more: Node) -> dict[str, Node]:
        return {"mode": literal(mode), "x": tensor(size, 3), **more}

    sizes = ((8, "fit"), (3, "fit"), (4, "test"), (1, "test"))
    beforehand, found = advice(history(*(batch(*one) for one in sizes)))
    assert numbers([beforehand, found]) == [("trace_beforehand", 4, 2), ("pad_to_one_shape", 4, 2)]
    assert found.code is not None
    batched = [f"dataset = dataset.batch({n}, drop_remainder=True)  # if a dataset makes them" for n in (8, 4)]
    assert found.code.splitlines()[:2] == batched
    assert found.code.splitlines()[-1] == "x = tf.pad(x, …)  # to its batch's rows"
    other_objects = history(
        *({"model": thing(n), "x": tensor(size, 2 + n)} for n, size in ((1, 8), (1, 3), (2, 8), (2, 3)))
    )
    assert ("pad_to_one_shape", 4, 2) in numbers(advice(other_objects))  # each has features of its own
    lengths = history(*({"mode": literal("fit"), "x": tensor(*shape)} for shape in ((8, 7), (8, 9), (8, 12), (3, 7))))
    assert "pad_to_one_shape" not in [
        one.rule for one in advice(lengths)
    ]  # more than the last batch is of another size
    three = advice(history(*(batch(*one) for one in (sizes[0], sizes[1], (7, "fit"), *sizes[2:]))))
    assert numbers(three) == [("trace_beforehand", 5, 2), ("reduce_retracing", 5, 4)]
    numbered = advice(history(*({"x": tensor(n, 3), "lr": literal(lr)} for lr in (0.5, 0.25) for n in (8, 3))))
    assert "pad_to_one_shape" not in [one.rule for one in numbered]  # declared, with a tensor for `lr`


def test_a_python_number_in_the_users_own_words() -> None:
    traces = history(
        *({"x": tensor(2), "step": number(n)} for n in range(20)), source="loss = train_step(batch[0], step)  # slow"
    )
    (found,) = advice(traces)
    assert numbers([found]) == [("tensor_for_python_number", 20, 1)]
    assert found.code == "loss = train_step(batch[0], tf.constant(step))"
    assert found.in_one == (
        "`train_step` is traced for each value of the Python number `step` (20 values so far)."
        " Pass it as a tensor at every call. What needs a Python number, such as `tf.split`, cannot take a tensor."
        " Where the code computes with it in fractions, it has to `tf.cast` it."
    )
    assert found.evidence.endswith("and that no call passes an equal number of another Python type.")
    assert found.seconds_saved == 19


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ((1, 2), "train_step(tf.constant(step))"),
        ((0.5, 2.5), "train_step(tf.constant(step))"),
        ((1, 2.5), "train_step(tf.constant(step, tf.float32))"),
        ((1, 2**40), "train_step(tf.constant(step, tf.int64))"),
    ],
)
def test_the_dtype_holds_every_number(values: tuple[float, float], code: str) -> None:
    (found,) = advice(history(*({"step": number(value)} for value in values)))
    assert (found.code, found.traces_after) == (code, 1)


def test_a_number_that_is_a_tensor_elsewhere_takes_its_dtype() -> None:
    (found,) = advice(history({"n": number(50)}, {"n": tensor(dtype="int64")}, {"n": number(60)}))
    assert (found.code, found.traces_after) == ("train_step(tf.constant(n, tf.int64))", 1)
    assert advice(history({"n": number(0.5)}, {"n": tensor(dtype="int64")}))[0].rule == "same_type"


def test_a_number_beside_a_shape_is_fixed_together() -> None:
    both = [{"x": tensor(n), "step": number(n), "how": thing(1)} for n in range(1, 6)]
    assert numbers(advice(history(*both))) == [("tensor_for_python_number+reduce_retracing", 5, 2)]
    declared = [{"x": tensor(n), "step": number(n)} for n in range(1, 6)]
    best, *_ = advice(history(*declared))
    assert numbers([best]) == [("input_signature", 5, 1)]
    assert best.code == (
        "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])"
    )
    assert "works on a tensor for `step`" in best.evidence


def test_a_function_that_is_made_again() -> None:
    (found,) = advice(recreated(4), "square")
    assert numbers([found]) == [("create_function_once", 4, 1)]
    assert found.code == "@tf.function\ndef square(x):  # once: at module level, or before the loop\n    …"
    data = replace(call("dataset = numbers.map(square)")[0], file="/tensorflow/python/data/ops/map_op.py")
    traces = [replace(t, stack=(data, *call("dataset = numbers.map(square)")[1:])) for t in recreated(4)]
    (found,) = advice(traces, "square")
    assert (found.rule, found.code) == ("build_dataset_once", "dataset = numbers.map(square)  # once, before the loop")


def test_a_function_made_again_for_a_number_takes_it_as_an_argument() -> None:
    closure = (ClosureChange("exponent", "1.0", "2.0", True),)
    (found,) = advice(recreated(3, closure, same_graph=False), "power")
    assert numbers([found]) == [("pass_closed_over_number", 3, 1)]
    assert found.code
    assert found.code.endswith("power(x, tf.constant(exponent))")


def test_what_need_not_be_passed_to_a_function_made_again_stays_its_default() -> None:
    traces = recreated(3, (ClosureChange("alpha", "0.1", "0.2", True),), same_graph=False)
    arguments = ("x", tensor(2)), ("gamma", literal(2)), ("mode", literal("sum"))
    traces = [replace(t, lookup=replace(t.lookup, signature=Signature(arguments))) for t in traces]
    (found,) = advice(traces, "focal", with_default=frozenset({"gamma"}))
    head, call_of_it = (found.code or "").split("\n    …\n\n")
    assert head == "@tf.function\ndef focal(x, mode, alpha, gamma=2):  # once"
    assert call_of_it == "focal(x, mode, tf.constant(alpha))"


def test_a_method_that_partials_bind_the_number_of_takes_it_already() -> None:
    traces = recreated(3, (ClosureChange("level", "1", "2", True),), same_graph=False)
    arguments = ("level", literal(1)), ("gamma", literal(2)), ("x", tensor(2))
    traces = [replace(t, lookup=replace(t.lookup, signature=Signature(arguments))) for t in traces]
    (found,) = advice(
        traces, "train", qualname="Gan.train", undecorated=True, with_default=frozenset({"gamma"}),
        passed_as="functools.partial(….train, …)",
    )  # fmt: skip
    assert found.code == (
        "compiled_train = tf.function(….train)  # once, in place of each functools.partial\n…\n"
        "compiled_train(tf.constant(level), x=x)"
    )
    assert any(
        note.startswith("Give `tf.function` there whatever else it is given where it is made now")
        for note in found.notes
    )


@pytest.mark.parametrize(("qualname", "made"), [("Gan.train", "….train"), ("train", "train")])
def test_a_number_that_partials_bind_by_its_place_is_passed_by_its_name(qualname: str, made: str) -> None:
    """`functools.partial(gan.train, level)`: it is no argument any more, and comes before those that are."""
    traces = recreated(3, (ClosureChange("level", "1.0", "2.0", True, is_bound=True),), same_graph=False)
    passed_as = f"functools.partial({made}, …)"
    (found,) = advice(traces, "train", qualname=qualname, undecorated=True, passed_as=passed_as)
    assert found.code == (
        f"compiled_train = tf.function({made})  # once, in place of each functools.partial; what else that binds is"
        " passed, too\n…\ncompiled_train(x=x, level=tf.constant(level))"
    )
    assert "Python number `level` that `functools.partial` binds. Define" in found.text
    in_a_cell = recreated(3, (ClosureChange("level", "1.0", "2.0", True),), same_graph=False)
    (of_a_cell,) = advice(in_a_cell, "train", qualname="make.<locals>.train", undecorated=True, passed_as=passed_as)
    assert "def train(x, level):" in (of_a_cell.code or "")


def test_plain_objects_need_both_methods_never_one() -> None:
    traces = history(*({"x": tensor(2), "settings": thing(n)} for n in range(1, 5)), same_graph=True)
    (found,) = advice(traces)
    assert numbers([found]) == [("equal_objects", 4, 1)]
    assert "`__eq__` and `__hash__`, both" in found.in_one
    assert found.code
    assert "def __eq__" in found.code
    assert "def __hash__" in found.code

    # what the objects hold need not be hashable
    class Settings:
        def __init__(self, *sizes: int) -> None:
            self.sizes = [*sizes]

    methods: dict[str, object] = {}
    exec(found.code.replace("…", "pass"), methods)
    made = methods["Settings"]
    assert isinstance(made, type)
    Settings.__eq__, Settings.__hash__ = made.__eq__, made.__hash__  # type: ignore[method-assign]
    assert (Settings(1) == Settings(1), Settings(1) == Settings(2)) == (True, False)
    assert len({Settings(1), Settings(1), Settings(2)}) == 2
    one, same, other = (Settings() for _ in range(3))
    for settings, values in ((one, [1, 2]), (same, [1, 2]), (other, [1, 3])):
        settings.weights = np.array(values)  # type: ignore[attr-defined]  # `==` of arrays is an array
    assert (one == same, one == other, one == Settings(), one == 1) == (True, False, False, False)


def test_a_class_of_a_library_is_not_given_methods() -> None:
    def loss(identity: int) -> Node:
        return replace(thing(identity, "Huber"), type_name="keras.src.losses.losses.Huber")

    traces = history(*({"loss": loss(n)} for n in range(1, 4)), same_graph=True, source="step(keras.losses.Huber())")
    (found,) = advice(traces, "step")
    assert numbers([found]) == [("same_object", 3, 1)]
    assert found.code == "loss = Huber(…)  # once, before the loop\n\nstep(loss)"
    assert found.apply is None


@pytest.mark.parametrize(
    ("values", "source", "code"),
    [
        ("function <lambda>", "run(lambda x: x, tf.constant(5))", "\n\nrun(fn, tf.constant(5))"),
        ("method _loss", "run(self._loss, n)", "\n\nrun(fn, n)"),
        ("method _loss", "run(fn, n)", ""),
        ("function loss", "train()", ""),
    ],
)
def test_what_is_made_at_the_call_is_passed_by_its_name(values: str, source: str, code: str) -> None:
    given = [Node("object", values.split()[0], value=f"{values} #{n}", identity=n) for n in (1, 2, 3)]
    traces = history(*({"fn": one, "n": tensor()} for one in given), same_graph=True, source=source)
    (found,) = advice(traces, "run")
    assert (found.rule, found.code) == ("same_object", f"fn = …  # once, before the loop{code}")


def test_what_one_line_makes_and_another_has_by_a_name_of_its_own() -> None:
    given = [Node("object", "function", value=f"function f #{n}", identity=n) for n in (1, 2, 3)]
    *rest, last = history(*({"fn": one} for one in given), same_graph=True, source="run(lambda x: x)")
    frames = tuple(replace(frame, line=frame.line + 1, source="y = run(cube)") for frame in last.stack)
    (found,) = advice([*rest, replace(last, stack=frames)], "run")
    assert (found.code or "").splitlines()[0] == "fn = …  # once, before the loop"
    assert "y = run(fn)" in (found.code or "")


def test_the_function_that_serves_for_others_is_named() -> None:
    given = [
        Node("object", "function", value=f"function {name} #{n}", identity=n)
        for n, name in enumerate(("_trace_loss", "<lambda>", "<lambda>"), 1)
    ]
    (found,) = advice(history(*({"trace_fn": one} for one in given), same_graph=True), "minimize")
    assert found.code == "trace_fn = _trace_loss  # once, before the loop"


def test_objects_that_are_gone_equal_nothing() -> None:
    traces = history(*({"settings": thing(n)} for n in (1, 2)), same_graph=True)
    gone = Change("object_identity", "settings", "deleted Settings object #1", "Settings object #2")
    (found,) = advice([traces[0], replace(traces[1], changes=(gone,))])
    assert found.rule == "same_object"
    assert found.code == "settings = Settings(…)  # once, before the loop"


def test_instances() -> None:
    traces = history(*({"self": thing(n, "Model"), "x": tensor(2)} for n in (1, 2, 3)), same_graph=True)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n)) for n, t in enumerate(traces, 1)]
    (found,) = advice(traces, "call")
    assert numbers([found]) == [("one_instance", 3, 1)]
    assert found.code == "model = Model(…)  # once, before the loop\n…\nmodel.call(…)"


def test_instances_of_a_layer_that_keras_calls() -> None:
    """`fade.call(…)` would be given what stands for a tensor while a functional model is built."""
    traces = history(*({"self": thing(n, "FadeIn"), "x": tensor(2)} for n in (1, 2, 3)), same_graph=True)
    site = (Frame("grow.py", 12, "grow", "rgb = FadeIn()(alpha, new, old)", True),)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n), stack=site) for n, t in enumerate(traces, 1)]
    (found,) = advice(traces, "call")
    assert (found.code or "").endswith("…\nfadein(…)  # in place of: rgb = FadeIn()(alpha, new, old)")


def test_instances_that_a_decorator_passes_on() -> None:
    """`@logged` above `@tf.function`: there is one tf.function, which is passed `self`."""
    instances = ({"self": thing(n, "Model"), "x": tensor(2)} for n in (1, 2, 3))
    within = Frame("train.py", 7, "logged", "return f(*args)", True)
    around = Frame("train.py", 12, "main", "loss = Model().call(x)", True)
    traces = [replace(t, stack=(within, around)) for t in history(*instances, same_graph=True)]
    (found,) = advice(traces, "call")
    assert numbers([found]) == [("one_instance", 3, 1)]
    assert "the tf.function is passed the instance" in found.in_one
    assert (found.code or "").endswith("model.call(…)  # in place of: loss = Model().call(x)")
    assert found.apply is None
    # of one whose trace failed, for it creates variables, no graph is known: it may do something else
    failed = [replace(t, lookup=replace(t.lookup, failed=True), evidence="It creates variables.") for t in traces[1:]]
    assert all("one_instance" not in one.rule for one in advice([traces[0], *failed], "call"))


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("Small(2).call(x)", "small = Small(…)", "Make one `Small`"),
        ("make(2).call(x)", "model = make(…)", "Make one `Model`"),
        ("model.call(x)", "model = Model(…)", "Make one `Model`"),
    ],
)
def test_an_instance_that_is_gone_may_be_of_a_subclass(line: str, code: str, told: str) -> None:
    traces = history(*({"self": thing(n, "Model"), "x": tensor(2)} for n in (1, 2)), same_graph=True)
    gone = Change("object_identity", "self", "deleted Model object #1", "deleted Model object #2")
    called = Frame("train.py", 12, "main", line, True)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n), stack=(called,)) for n, t in enumerate(traces, 1)]
    (found,) = advice([traces[0], replace(traces[1], changes=(gone,))], "call")
    assert told in found.in_one
    assert (found.code or "").startswith(f"{code}  # once")


@pytest.mark.parametrize(
    "line",
    [
        "penalty = super().call(x)",
        "return super(Small, self).call(x) + 1",
        "dataset = dataset.map(self.call, num_parallel_calls=2)",
    ],
)
def test_a_method_that_a_subclass_calls_by_super_is_not_called_in_its_place(line: str) -> None:
    """`small.call(x)` there would call itself."""
    traces = history(*({"self": thing(n, "Model"), "x": tensor(2)} for n in (1, 2)), same_graph=True)
    called = Frame("train.py", 12, "call", line, True)
    gone = Change("object_identity", "self", "deleted Small object #1", "deleted Small object #2")
    traces = [replace(t, lookup=replace(t.lookup, object_number=n), stack=(called,)) for n, t in enumerate(traces, 1)]
    (found,) = advice([traces[0], replace(traces[1], changes=(gone,))], "call")
    assert found.code == "small = Small(…)  # once, before the loop"


def test_a_property_is_read_and_instances_are_of_the_classes_that_inherit_it() -> None:
    """`@property` above `@tf.function`: there is one tf.function for all, and no call in the line."""
    kinds = ["Ridge", "Ridge", "Lasso", "Lasso"]
    traces = history(*({"self": thing(n, kind)} for n, kind in enumerate(kinds, 1)), same_graph=True)
    traces = [replace(t, stack=(Frame("train.py", 12, "main", "size = model.norm", True),)) for t in traces]
    traces[2] = replace(traces[2], verdict="unknown")
    (found,) = advice(traces, "norm")
    assert numbers([found]) == [("one_instance", 4, 2)]
    assert "4 instances of `Ridge` and `Lasso`, with 2 graphs: " in found.in_one
    assert "Make one for each and call" in found.in_one
    assert found.code == (
        "ridge = Ridge(…)  # once for each graph, before the loop\n"
        "lasso = Lasso(…)  # once for each graph, before the loop\n"
        "…\nridge.norm  # in place of: size = model.norm\nlasso.norm"
    )
    # graphs of one class hold other values than those of the other: neither serves the other
    graphs = Graphs(lambda one, other: GraphPair(True, (Constant("float32", 2.0, 3.0),)))
    (found,) = advise(FunctionFacts("norm", traces, graphs=graphs))
    assert not any("graphs of the same arguments" in warning for warning in found.warnings)


def test_a_tf_function_that_is_made_of_a_decorated_one_has_the_operations_of_that() -> None:
    """Two decorators: the graph of the outer function calls that of the inner one."""
    inner, outer = recreated(2)
    outer = replace(outer, evidence=MADE_OF_ONE)
    wide = Signature((("x", tensor(3)),))
    later = [replace(t, lookup=replace(t.lookup, signature=wide), kind="retrace", closest=n) for n, t in
             enumerate((inner, replace(outer, evidence="")))]  # fmt: skip
    later = [replace(t, verdict="unknown") for t in later]
    graphs = Graphs(lambda one, other: GraphPair(False, forward=False))
    (found, *_) = advise(FunctionFacts("step", [inner, outer, *later], graphs=graphs))
    assert found.rule == "create_function_once"
    assert "is a tf.function that was made of a tf.function" in found.in_one
    assert "Decorate it once: where another `tf.function(…)` is given the decorated one" in found.in_one
    assert "# with one decorator\n" in (found.code or "")
    assert not any("graphs of the same arguments" in warning for warning in found.warnings)


def test_of_a_tf_function_of_a_tf_function_none_is_declared_while_there_are_two() -> None:
    """The decorator's declaration is the inner one's: the outer one goes on being traced for each shape (measured)."""
    inner, outer = recreated(2)
    outer = replace(outer, evidence=MADE_OF_ONE)
    traces = [inner, outer]
    for size in (3, 4):
        changes = (Change("shape", "x", f"({size - 1},)", f"({size},)"),)
        verdict = judge(Facts("retrace", changes))
        wide = Signature((("x", tensor(size)),))
        traces += [
            replace(
                one, lookup=replace(one.lookup, signature=wide), kind="retrace", changes=changes,
                closest=len(traces) - 2, verdict=verdict.word, evidence=verdict.evidence,
            )
            for one in (inner, outer)
        ]  # fmt: skip
    found = advice(traces, "step")
    assert numbers(found) == [("create_function_once+input_signature", 6, 1), ("create_function_once", 6, 3)]


def test_a_method_that_calls_a_method_of_its_own() -> None:
    """`self.update(…)` in `learn`: what is to be called in its place is not in that line. So it is with `self(x)`."""
    for name, line in (("update", "return self.update(x)"), ("__call__", "return self(x)")):
        traces = history(*({"self": thing(n, "Buffer"), "x": tensor(2)} for n in (1, 2)), same_graph=True)
        traces = [
            replace(t, lookup=replace(t.lookup, object_number=n), stack=call(line)) for n, t in enumerate(traces, 1)
        ]
        (found,) = advice(traces, name)
        assert found.code == "buffer = Buffer(…)  # once, before the loop"
        assert "Where the program needs all of them, write it as a function outside of the class" in found.in_one
        (change,) = traces[1].changes
        gone = (replace(change, old=f"deleted {change.old}"),)
        (found,) = advice([traces[0], replace(traces[1], changes=gone)], name)
        assert "Or write it as a function outside of the class" in found.in_one


def test_instances_of_two_graphs() -> None:
    traces = history(*({"self": thing(n, "Model"), "x": tensor(2)} for n in (1, 2, 3, 4)), same_graph=True)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n)) for n, t in enumerate(traces, 1)]
    traces[1] = replace(traces[1], verdict="unknown")
    (found,) = advice([*traces[:2], replace(traces[2], closest=0), replace(traces[3], closest=1)], "call")
    assert numbers([found]) == [("one_instance", 4, 2)]
    assert "4 instances of `Model`, with 2 graphs: " in found.in_one
    assert "Make one `Model` for each" in found.in_one


def test_instances_beside_one_of_another_graph() -> None:
    """`Huber(1.0)` again and again, and `Huber(1.5)` once: one for all would give the first one's results."""
    traces = history(*({"self": thing(n, "Huber"), "x": tensor(2)} for n in (1, 2, 3)), same_graph=True)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n)) for n, t in enumerate(traces, 1)]
    traces[2] = replace(traces[2], verdict="unknown")
    (found,) = advice(traces, "call")
    assert numbers([found]) == [("one_instance", 3, 2)]
    assert "with the same graph, beside others of other graphs: each instance" in found.in_one
    assert "Make one `Huber` for each graph and call" in found.in_one
    assert (found.code or "").startswith("huber = Huber(…)  # once for each graph, before the loop")


def test_a_string_that_the_graph_has_nothing_of() -> None:
    observation = tensor(2)
    named = [{"name": literal(f"agent_{n}"), "x": observation} for n in range(4)]
    (found,) = advice(history(*named, source="total += train_step(name, x)", same_graph=True))
    assert numbers([found]) == [("unused_argument", 4, 1)]
    assert "each value of `name` (4 values so far), and the graph is the same for all of them." in found.in_one
    assert found.code == "total += train_step('agent_0', x)"
    assert found.apply is None
    assert not advice(history(*named, same_graph=False))
    # of three values two give one graph
    traces = history(*named[:3], same_graph=True)
    traces[1] = replace(traces[1], verdict="unknown")
    (found,) = advice(traces)
    assert numbers([found]) == [("unused_argument", 3, 2)]
    assert "for some of them. Pass one in place of those" in found.in_one
    assert found.code is None
    # another trace of the same two values shows that they differ: in the one the numbers were equal by chance
    pairs = [{"lang": literal(one), "beam": number(n)} for one, n in (("en", 1), ("de", 1), ("de", 2), ("en", 2))]
    traces = history(*pairs, same_graph=True)
    assert any("unused_argument" in one.rule for one in advice(traces))
    traces[1] = replace(traces[1], verdict="unknown")
    assert not any("unused_argument" in one.rule for one in advice(traces))
    # with a number that changes at the same calls
    both = [{"name": literal(f"a{n}"), "step": number(n + 0.5)} for n in range(3)]
    assert ("unused_argument+tensor_for_python_number", 3, 1) in numbers(advice(history(*both, same_graph=True)))
    braces = history({"name": literal("{}")}, {"name": literal("b")}, source="train_step(name)", same_graph=True)
    assert advice(braces)[0].code == "train_step('{}')"
    # two instances, of which each was passed names of its own
    of_two = history(*(one | {"self": thing(1 + n // 2)} for n, one in enumerate(named)), same_graph=True)
    of_two = [replace(t, lookup=replace(t.lookup, object_number=1 + n // 2)) for n, t in enumerate(of_two)]
    of_two[2] = replace(of_two[2], verdict="unknown")
    found = next(one for one in advice(of_two) if one.rule == "unused_argument")
    assert (found.traces_after, found.code) == (2, "train_step('agent_0', x)")
    assert "and the graph of each tf.function object is the same for all of them. Leave it out" in found.in_one
    # the caller's dictionary keeps the name of its file
    batches = [{"batch": mapping(file=literal(f"{n}.jpg"), id=literal(f"{{{n}"), x=observation)} for n in range(3)]
    (found,) = advice(history(*batches, source="boxes = train_step(batch)", same_graph=True))
    assert found.code == "boxes = train_step({**batch, 'file': '0.jpg', 'id': '{0'})"
    of_a_class = [{"batch": replace(one["batch"], class_name="Batch")} for one in batches]
    (found,) = advice(history(*of_a_class, source="boxes = train_step(batch)", same_graph=True))
    assert (found.code or "").splitlines()[0] == "batch['file'] = '0.jpg'"


def test_bools_in_a_list() -> None:
    def holding(kind: str, *values: float) -> Node:
        return Node(kind, kind, children=tuple((f"[{i}]", number(value)) for i, value in enumerate(values)))

    masks = [{"mask": holding("list", *mask)} for mask in ((True, False), (False, False), (False, True))]
    (found,) = advice(history(*masks, source="train_step(mask)"))
    assert numbers([found]) == [("tensor_for_python_number", 3, 1)]
    assert "each combination of the Python values `mask[0]` and `mask[1]`. Pass them as tensors" in found.in_one
    assert "tf.split" not in found.in_one
    assert found.code == "train_step([tf.constant(n) for n in mask])"
    assert found.apply == {"tensors": {"mask[0]": "bool", "mask[1]": "bool"}}
    # an option that some calls leave out
    either = [{"mask": literal(None)}, *masks]
    (found,) = advice(history(*either, source="train_step(mask)"))
    assert found.code == "train_step(None if mask is None else [tf.constant(n) for n in mask])"
    # one alone chooses the code, mostly
    assert not advice(history({"args": holding("tuple", 1.5, True)}, {"args": holding("tuple", 1.5, False)}))


def test_numbers_in_a_tuple_of_a_dictionary_are_made_a_tuple_of_tensors() -> None:
    def limits(*values: float) -> Node:
        return Node("tuple", "tuple", children=tuple((f"[{i}]", number(value)) for i, value in enumerate(values)))

    calls = [{"options": mapping(r=limits(-1.0, top), gain=number(top))} for top in (1.0, 2.0, 3.0)]
    (found,) = advice(history(*calls, source="update(options)"))
    assert numbers([found]) == [("tensor_for_python_number", 3, 1)]
    fractions = "'r': tuple(tf.constant(n, tf.float32) for n in options['r'])"
    assert found.code == f"update({{**options, {fractions}, 'gain': tf.constant(options['gain'], tf.float32)}})"
    deep = [{"options": Node("tuple", "tuple", children=(("[0]", mapping(a=one["options"])),))} for one in calls]
    (found,) = advice(history(*deep, source="update(*all_of_them)"))
    assert found.traces_after == 1
    assert "options[0]['a']['gain'] = tf.constant(options[0]['a']['gain'], tf.float32)" in (found.code or "")


def test_closed_over_lists_and_pairs() -> None:
    (found,) = advice(recreated(3, (ClosureChange("weights", "[1.0, 2.0]", "[1.0, 3.0]", True),), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_number", 3, 1)]
    assert "Python numbers `weights` that it closes over" in found.in_one
    assert "train_step(x, tf.constant(weights))" in (found.code or "")
    pair = "(float32 (4, 2), float32 (4,))"
    (found,) = advice(recreated(3, (ClosureChange("data", pair, pair, False, is_tensor=True),), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "for other tensors that it closes over, `data`" in found.in_one


def test_dtypes_and_failed_traces() -> None:
    traces = history(*({"x": tensor(2, dtype=dtype)} for dtype in ("int32", "float32", "int64")), source="add(x)")
    for place in (0, 2):
        lookup = replace(traces[place].lookup, failed=True)
        traces[place] = replace(traces[place], lookup=lookup, verdict="avoidable")
    (found,) = advice(traces, "add")
    assert numbers([found]) == [("one_dtype", 3, 1)]
    assert found.code == "add(tf.cast(x, tf.float32))"


def test_variables_that_are_created_in_every_call() -> None:
    first = Traced(Lookup(Signature((("image", tensor(2)),))), "first", "needed")
    second = replace(
        first, lookup=replace(first.lookup, variables_created=True, failed=True), kind="variable_creation",
        verdict="avoidable", changes=(Change("variable_creation", ""),), closest=0,
        evidence=CREATES_VARIABLES_EACH_TIME,
    )  # fmt: skip
    assert numbers(advice([first, second])) == [("create_variables_outside", 2, 1)]
    assert (advice([first, second], "<lambda>")[0].code or "").endswith("f = tf.function(lambda image: …)  # uses it")
    again = replace(second.lookup, signature=Signature((("image", tensor(3)),)), variables_created=False)
    change = (Change("shape", "image", "(2,)", "(3,)"),)
    third = replace(second, lookup=again, kind="retrace", changes=change)
    assert numbers(advice([first, second, third])) == [
        ("create_variables_outside+input_signature", 3, 1),
        ("create_variables_outside", 3, 2),
    ]


def test_structures() -> None:
    keys = history({"batch": mapping(a=tensor(2))}, {"batch": mapping(a=tensor(2), mask=tensor(2))})
    (found,) = advice(keys)
    assert numbers([found]) == [("same_keys", 2, 1)]
    assert found.code == "batch.setdefault('mask', tf.ones([2], tf.float32))  # or what is neutral"
    assert found.apply == {"keys": {"batch['mask']": {"shape": [2], "dtype": "float32"}}}
    lists = [Node("list", "list", children=tuple((f"[{i}]", tensor(2)) for i in range(n))) for n in (2, 3)]
    (found,) = advice(history(*({"parts": parts} for parts in lists)))
    assert numbers([found]) == [("same_structure", 2, 1)]
    assert (found.seconds_saved, found.apply, found.warnings) == (1.0, None, ())
    assert (found.code or "").endswith("@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])")
    (found,) = advice(
        history(*({"parts": parts} for parts in lists)), python_uses=["list(parts) through", "len(parts) of length"]
    )
    assert "`len(parts)` in it is a tensor of int32 then: where it meets fractions" in found.in_one
    assert "`list(parts)` in it goes through no tensor of an unknown length" in found.in_one
    # what cannot be declared, and what XLA compiles for each length
    (found,) = advice(history(*({"parts": parts, "net": thing(1)} for parts in lists)))
    assert numbers([found]) == [("same_structure", 2, None)]
    (found,) = advice(history(*({"parts": parts} for parts in lists)), jit_compile=True)
    assert numbers([found]) == [("same_structure", 2, None)]
    # zeros in place of what is not there yet
    (found,) = advice(history({"parts": Node("list", "list")}, {"parts": lists[0]}))
    assert "zeros count as data" in found.warnings[0]


@pytest.mark.parametrize(
    ("masks", "sizes", "value", "after"),
    [
        # of the size of each call, which in the last one is another
        ([tensor(2)], (2, 3), "tf.ones_like(batch['a'])", 2),
        ([tensor(2), tensor(3)], (2, 3, 4), "tf.ones_like(batch['a'])", 3),
        ([tensor(2, dtype="int32")], (2, 3), "tf.ones(tf.shape(batch['a'])[:1], tf.int32)", 2),
        ([tensor(2, dtype="string")], (2, 3), "…", None),
        ([tensor(2, 5)], (2, 3), "tf.ones(tf.concat([tf.shape(batch['a'])[:1], [5]], 0), tf.float32)", 2),
        # None beside tensors
        ([Node("literal", "NoneType", value="None", identity=1), tensor(3)], (2, 3, 4), "None", 3),
        ([tensor(2), Node("literal", "NoneType", value="None", identity=1)], (2, 3, 4), "tf.ones_like(batch['a'])", 3),
        # the same for all, whatever the size
        ([tensor(), tensor()], (2, 3, 4), "tf.ones([], tf.float32)", 3),
        ([tensor(7), tensor(7)], (2, 3, 4), "tf.ones([7], tf.float32)", 3),
        # of no size that is known
        ([tensor(7), tensor(8)], (2, 3, 4), "…", None),
    ],
)
def test_a_neutral_value_has_the_size_of_its_call(
    masks: list[Node], sizes: tuple[int, ...], value: str, after: int | None
) -> None:
    calls = [mapping(a=tensor(size), mask=mask) for size, mask in zip(sizes, masks, strict=False)]
    calls += [mapping(a=tensor(size)) for size in sizes[len(masks) :]]
    calls += [mapping(a=tensor(sizes[0]))]
    traces = history(*({"batch": one} for one in calls), same_graph=True)
    found = next(a for a in advice(traces) if a.rule == "same_keys")
    assert (found.code or "").startswith(f"batch.setdefault('mask', {value})  # ")
    assert found.in_one.startswith("This changes results unless the value is neutral:") == (
        found.traces_after is not None
    )
    assert found.traces_after == after
    assert (found.apply is not None) == value.endswith(("[], tf.float32)", "[7], tf.float32)"))


def iterator(*shape: int) -> Node:
    text = f"IteratorSpec{shape}"
    return Node("composite", "IteratorSpec", value=text, identity=3, children=(("#0", tensor(*shape)),))


@pytest.mark.parametrize(
    ("shapes", "code", "after"),
    [
        (((4,), (-1,)), "batch(batch_size)  # for all datasets, without drop_remainder", 1),
        (((4, 3), (-1, 3)), "batch(batch_size)  # for all datasets, without drop_remainder", 1),
        # of several sizes one is in the way of the others
        (((4,), (8,)), "batch(batch_size)  # for all datasets, without drop_remainder", None),
        (((4,), (8,), (-1,)), "batch(batch_size)  # for all datasets, without drop_remainder", None),
        # one is not batched
        (((-1, 2), (2,)), "batch(batch_size)  # for all datasets", None),
        (((4, 2), (2,), (-1, 2)), "batch(batch_size)  # for all datasets", None),
        # no `batch` does that
        (((4,), (-1, 2)), None, None),
        (((4, 5), (4, -1)), None, None),
    ],
)
def test_datasets_that_are_batched_otherwise(
    shapes: tuple[tuple[int, ...], ...], code: str | None, after: int | None
) -> None:
    (found,) = advice(history(*({"batches": iterator(*shape)} for shape in shapes)))
    assert numbers([found]) == [("alike_datasets", len(shapes), after)]
    assert found.code == (code and f"dataset = dataset.{code}")
    assert (found.apply is not None) == (after is not None)
    assert ("what differs is the size of batches" in found.evidence) == (after is not None)
    assert ("Or `drop_remainder=True` and one batch size for all" in found.in_one) == (after is not None)
    assert any("where a last batch is smaller" in one for one in found.warnings) == (after is not None)


def test_iterators_of_datasets_that_are_batched_otherwise_beside_batches() -> None:
    """`next(data) if hasattr(data, "__next__") else data`."""
    calls = [{"data": node} for node in (iterator(4, 3), iterator(-1, 3), tensor(2, 3))]
    found = next(one for one in advice(history(*calls)) if one.rule == "alike_datasets")
    assert numbers([found]) == [("alike_datasets", 3, 2)]
    assert "Build the datasets in one way: `batch` without `drop_remainder` for all of them" in found.text


def test_distributed_datasets_that_are_batched_otherwise() -> None:
    """They say besides which devices they are spread over, and for which strategy."""

    def spread(batch: int, device: str = "CPU:0") -> Node:
        on = Node("literal", "str", value=f"'{device}'", identity=len(device))
        text = f"DistributedIteratorSpec(({device!r}), (float32 ({batch}, 3)), 139693447022416)"
        children = (("#0", on), ("#1", tensor(batch, 3)))
        return Node("composite", "DistributedIteratorSpec", value=text, identity=3, children=children)

    (found,) = advice(history({"batches": spread(4)}, {"batches": spread(-1)}))
    assert numbers([found]) == [("alike_datasets", 2, 1)]
    assert found.text.startswith("`batches` of `train_step` yields other elements. Build the datasets in one way: ")
    (found,) = advice(history({"batches": spread(4)}, {"batches": spread(8)}))
    assert numbers([found]) == [("alike_datasets", 2, None)]
    # what is spread over others is none of how it is batched
    assert all(
        f.traces_after is None for f in advice(history({"batches": spread(4)}, {"batches": spread(-1, "GPU:10")}))
    )


def test_a_tensor_in_place_of_a_dataset_is_none_that_is_batched_otherwise() -> None:
    traces = history({"batches": tensor(4)}, {"batches": iterator(4)})
    assert traces[1].changes[0].cause == "composite_spec"
    assert "alike_datasets" not in [found.rule for found in advice(traces)]


def test_xla_compiles_for_each_shape() -> None:
    traces = history(*({"x": tensor(n, 3)} for n in (4, 9, 6)))
    (found,) = advice(traces, jit_compile=True)
    assert numbers([found]) == [("pad_to_one_shape", 3, 1)]
    assert "XLA compiles for each shape" in found.in_one
    assert found.code == "x = tf.pad(x, …)  # to [9, 3], the largest so far"
    ranks = history({"x": tensor(4)}, {"x": tensor(4, 4)})
    assert numbers(advice(ranks, jit_compile=True)) == [("pad_to_one_shape", 2, None)]


def test_a_last_batch_is_padded_to_its_own_objects_batches() -> None:
    """A trainer with batches of 40, and one with batches of 16, of which the last has 8."""
    (whole, *_), (first, second) = history({"x": tensor(40, 3)}), history({"x": tensor(16, 3)}, {"x": tensor(8, 3)})
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    first = replace(first, kind="recreated", verdict="unknown", evidence="", changes=change, closest=0)
    own = [replace(one, lookup=replace(one.lookup, object_number=2)) for one in (first, second)]
    traces = [whole, own[0], replace(own[1], closest=1, evidence=f"{LAST_BATCH}.")]
    (found,) = advice(traces, jit_compile=True)
    assert numbers([found]) == [("pad_to_one_shape", 3, 2)]
    assert (found.code or "").splitlines() == [
        "dataset = dataset.batch(16, drop_remainder=True)  # if a dataset makes them",
        "# or, with all of the examples:",
        "x = tf.pad(x, …)  # to 16 rows",
    ]


def test_a_last_batch_that_cannot_be_one() -> None:
    """A damaged record may say anything."""
    for shapes in (((), ()), ((), (2,)), ((2,), (3, 3))):
        traces = history(*({"x": tensor(*shape)} for shape in shapes))
        claimed = [
            replace(t, verdict="avoidable", evidence=f"It {LAST_BATCH}.", changes=(Change("shape", "x", "a", "b"),))
            for t in traces
        ]
        for one in advice(claimed, jit_compile=True):
            assert "drop_remainder" not in (one.code or "")


def keras(count: int, method: str = "predict") -> list[Traced]:
    stack = (
        Frame("/keras/src/trainers/data_adapters/array_data_adapter.py", 142, "get_tf_dataset", "", False),
        Frame("/keras/src/backend/tensorflow/trainer.py", 526, method, "", False),
        Frame("/home/user/train.py", 9, "main", f"guess = model.{method}(x)", True),
    )
    return [replace(trace, stack=stack) for trace in recreated(count)]


def test_predict_in_a_loop() -> None:
    (found,) = advice(keras(5), "permutation", library=True, file="/keras/src/trainers/data_adapters/a.py")
    assert numbers([found]) == [("keras_predict_once", 5, 0)]
    assert found.code == "guess = model.predict_on_batch(x)  # in place of: guess = model.predict(x)"
    assert "Where it is one model, whose weights stay the same between the calls" in found.in_one
    assert found.apply is None


@pytest.mark.parametrize("method", ["evaluate", "fit"])
def test_evaluate_and_fit_on_arrays_in_a_loop(method: str) -> None:
    traces = [*keras(5, method), *keras(1)]
    traces = [replace(trace, lookup=replace(trace.lookup, object_number=i)) for i, trace in enumerate(traces)]
    (found,) = advice(traces, "permutation", library=True, file="/keras/src/trainers/data_adapters/a.py")
    assert numbers([found]) == [("keras_dataset_once", 6, 1)]
    assert found.code is not None
    assert f"guess = model.{method}(batches)  # in place of: guess = model.{method}(x)" in found.code
    assert ".batch(32)" in found.code
    assert (".shuffle(" in found.code) == (method == "fit")
    line = f"model.{method}(x, y, batch_size=size, shuffle=False)"
    traces = [
        replace(trace, stack=(*trace.stack[:-1], replace(trace.stack[-1], source=line))) for trace in traces
    ]  # fmt: skip
    (found,) = advice(traces, "permutation", library=True, file="/keras/src/trainers/data_adapters/a.py")
    assert found.code is not None
    assert found.code.startswith("batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(size)  # once")


DATA = "batches = tf.data.Dataset.from_tensor_slices("
ONCE = "  # once, before the loop, if the arrays are always the same"


@pytest.mark.parametrize(
    ("line", "made", "call"),
    [
        (
            "history = loaded.fit(x_train, y_train, 16, epochs=1, verbose=0)",
            "(x_train, y_train)).shuffle(len(y_train)).batch(16)",
            "history = loaded.fit(batches, epochs=1, verbose=0)",
        ),
        (
            "self.net.fit(x=a, y=b, sample_weight=w, shuffle=False, batch_size=None, callbacks=[c])",
            "(a, b, w)).batch(32)",
            "self.net.fit(batches, callbacks=[c])",
        ),
        ("net.fit(images)", "images).shuffle(len(images)).batch(32)", "net.fit(batches)"),
        # of a list it would make one tensor
        ("net.fit([a, b], y)", "((a, b), y)).shuffle(len(a)).batch(32)", "net.fit(batches)"),
        (
            "net.fit(x=[a], y=[p, out.v], batch_size=8)",
            "((a,), (p, out.v))).shuffle(len(p)).batch(8)",
            "net.fit(batches)",
        ),
        # what no such dataset does
        ("net.fit(a, [1.0, 2.0])", "(x, y)).shuffle(len(x)).batch(32)", "model.fit(batches, …)"),
        ("net.fit(a, b, validation_split=0.1)", "(x, y)).shuffle(len(x)).batch(32)", "model.fit(batches, …)"),
        ("net.fit(*arrays, batch_size=8)", "tuple(arrays)).shuffle(len(arrays[0])).batch(8)", "net.fit(batches)"),
        ("net.fit(", "(x, y)).shuffle(len(x)).batch(32)", "model.fit(batches, …)"),
    ],
)
def test_a_call_on_arrays_is_the_users_own_with_a_dataset(line: str, made: str, call: str) -> None:
    traces = [
        replace(trace, stack=(*trace.stack[:-1], replace(trace.stack[-1], source=line))) for trace in keras(3, "fit")
    ]
    (found,) = advice(traces, "permutation", library=True, file="/keras/src/trainers/data_adapters/a.py")
    assert found.code == f"{DATA}{made}{ONCE}\n{call}  # in place of: {line}"


def test_a_number_that_a_dataset_reads_becomes_a_variable_and_not_an_argument() -> None:
    evidence = "The new tf.function object reads `k`: 1 → 2. One object that is passed it as a tensor would do."
    stack = (
        Frame("/x/tensorflow/python/data/ops/map_op.py", 30, "_map_v2", "", False),
        Frame("/home/user/train.py", 9, "main", "data = data.map(lambda v: v * k)", True),
    )
    traces = [replace(trace, stack=stack, evidence=evidence) for trace in recreated(3)]
    (found,) = advice(traces, "<lambda>")
    assert numbers([found]) == [("number_in_dataset", 3, 1)]
    assert found.code == (
        "kept_k = tf.Variable(k)  # once, before the dataset is built\n…  # `<lambda>` reads kept_k in place of k\n"
        "kept_k.assign(…)  # in the loop"
    )
    assert "the dataset is built, and it was built 3 times, for other" in found.text
    assert not any("takes no tensor" in note for note in found.notes)
    (found,) = advice(traces, "<lambda>", python_uses=("scales[k] of a list",))
    assert "`scales[k]` in it takes no tensor: write `tf.gather(scales, k)`." in found.notes
    # of a tf.function TensorFlow makes one of its own for each dataset, within which that is traced
    (found,) = advice([replace(trace, nested=place == 1) for place, trace in enumerate(traces)], "<lambda>")
    assert "it was built twice" in found.text


def test_of_a_library_only_what_its_user_can_change() -> None:
    traces = history({"x": tensor(2)}, {"x": tensor(3)})
    caller = Frame("/site-packages/other/model.py", 9, "predict", "", False)
    traces = [replace(trace, stack=(caller, *trace.stack)) for trace in traces]
    (found,) = advice(traces, library=True, file="/site-packages/other/model.py")
    assert numbers([found]) == [("pad_to_one_shape", 2, None)]
    assert "largest so far (`x: [3]`). Where they are the library's own" in found.in_one
    assert "masked or cut off" in found.warnings[0]
    assert found.apply is None
    nested = [replace(trace, nested=True) for trace in traces]
    assert advice(nested, library=True, file="/site-packages/other/model.py") == []
    keras = Frame("/site-packages/keras/src/backend/tensorflow/trainer.py", 9, "fit", "", False)
    by_keras = [replace(trace, stack=(trace.stack[0], keras, trace.stack[1])) for trace in recreated(3)]
    assert advice(by_keras, library=True, file="/keras/src/trainers/trainer.py") == []


def test_library_code_in_functions_that_the_user_makes() -> None:
    (found,) = advice(recreated(3), "Sequential", library=True, file="/keras/src/utils/traceback_utils.py")
    assert numbers([found]) == [("create_function_once", 3, 1)]
    assert found.code == "compiled = tf.function(…)  # once, before the loop"
    pfor = Frame("/site-packages/tensorflow/python/framework/func_graph.py", 9, "func_graph_from_py_func", "", False)
    within = [replace(trace, stack=(trace.stack[0], pfor, *trace.stack[1:])) for trace in recreated(3)]
    assert advice(within, "f", library=True, file="/tensorflow/python/ops/parallel_for/pfor.py") == []  # vectorized_map
    place = "/site-packages/tensorflow/python/saved_model/function_deserialization.py"
    (found,) = advice(recreated(3), "restored_function_body", library=True, file=place)
    assert numbers([found]) == [("load_saved_model_once", 3, 1)]
    assert found.in_one.startswith("A SavedModel was loaded 3 times")


def test_library_code_that_the_user_calls_for_changing_shapes() -> None:
    """`compiled = tf.function(model.predict_f)`, once or for each call."""
    lines = [Frame("/site-packages/tensorflow/python/eager/f.py", 9, "__call__", "", False)]
    lines.append(Frame("user.py", 3, "<module>", "mean = compiled(points)", True))
    shapes = history({"x": tensor(2)}, {"x": tensor(3)}, {"x": tensor(5)})
    called = [replace(trace, stack=tuple(lines)) for trace in shapes]
    (found,) = advice(called, "predict_f", library=True, file="/site-packages/other/model.py")
    assert numbers([found]) == [("trace_beforehand", 3, 1)]
    assert (found.code or "").endswith("\ncompiled.get_concrete_function(tf.TensorSpec([None], tf.float32))")

    (found,) = advice(called, "generate", library=True, file="/site-packages/other/model.py", jit_compile=True)
    assert numbers([found]) == [("pad_to_one_shape", 3, 1)]
    assert "`jit_compile=True`" in found.in_one

    anew = [
        replace(made, stack=tuple(lines), lookup=replace(made.lookup, signature=shaped.lookup.signature),
                changes=(*made.changes, *shaped.changes))
        for made, shaped in zip(recreated(3), shapes, strict=True)
    ]  # fmt: skip
    (found,) = advice(anew, "predict_f", library=True, file="/site-packages/other/model.py")
    assert numbers([found]) == [("create_function_once+input_signature", 3, 1)]
    assert (found.code or "").endswith("compiled = tf.function(…, input_signature=[tf.TensorSpec([None], tf.float32)])")
    line = replace(lines[1], source="mean = tf.function(model.predict_f)(points)")
    named = [replace(trace, stack=(lines[0], line)) for trace in anew]
    (found,) = advice(named, "predict_f", library=True, file="/site-packages/other/model.py")
    assert found.code == (
        "# once, before the loop\n"
        "compiled = tf.function(model.predict_f, input_signature=[tf.TensorSpec([None], tf.float32)])"
    )


def test_a_call_of_keras_that_the_user_makes_a_function_of() -> None:
    """`model.call = tf.function(model.call)`: Keras itself makes none of it, and calls it."""
    lines = [Frame("/site-packages/tensorflow/python/eager/f.py", 9, "__call__", "", False)]
    lines.append(Frame("/site-packages/keras/src/layers/layer.py", 9, "__call__", "", False))
    shapes = history(*({"inputs": tensor(n, 3), "training": literal(None)} for n in (1, 2, 3)))
    by_keras = [replace(t, stack=(*lines, Frame("user.py", 3, "act", "self.model(state)", True))) for t in shapes]
    (found,) = advice(by_keras, "call", library=True, file="/site-packages/keras/src/models/sequential.py")
    assert numbers([found]) == [("reduce_retracing", 3, 2)]
    assert found.code == "….call = tf.function(….call, reduce_retracing=True)  # where it is made"
    assert advice(by_keras, "step", library=True, file="/site-packages/keras/src/models/sequential.py") == []


def test_rows_that_another_argument_has_too_are_padded_by_neither() -> None:
    """A batch of fewer rows, judged unknown under XLA: the tokens alone would have rows of zeros, and no lengths."""
    calls = [{"ids": tensor(rows, size), "lengths": tensor(rows)} for rows, size in ((2, 4), (2, 5), (2, 6), (1, 5))]
    traces = history(*calls)
    traces[3] = replace(traces[3], verdict="unknown")
    (found,) = advice(traces, jit_compile=True)
    assert numbers([found]) == [("pad_to_one_shape", 4, 2)]
    assert found.code == "ids = tf.pad(ids, …)  # dimension 1 to 6, the largest so far"


def test_what_is_local_to_the_maker_is_passed_or_stays_there() -> None:
    told = "variables of `evaluate`, which makes it, define it once where these are, or pass them as arguments"
    (found,) = advice(recreated(3), "compute", qualname="evaluate.<locals>.compute")
    objects = "An object that is made there, such as a loss, is made once, too"
    assert any(told in note and objects in note for note in found.notes)
    (found,) = advice(recreated(3), "compute", qualname="Model.evaluate.<locals>.compute")
    assert any("make it a method of `Model`" in note and objects in note for note in found.notes)
    (found,) = advice(recreated(3), "compute", qualname="compute")
    assert not any("local variables" in note for note in found.notes)


def test_an_object_that_is_called_is_made_into_a_function_once() -> None:
    (found,) = advice(recreated(3), "Reward", qualname="Reward.__call__")
    assert numbers([found]) == [("create_function_once", 3, 1)]
    assert found.code is not None
    assert found.code.startswith("compiled = tf.function(Reward(…))  # once")


def test_an_object_that_is_called_is_not_decorated() -> None:
    traces = history(*({"x": tensor(n)} for n in (1, 2)))
    (found,) = advice(traces, "Reward", qualname="Reward.__call__")
    assert found.code == "compiled = tf.function(Reward(…), input_signature=[tf.TensorSpec([None], tf.float32)])"
    change = (Change("recreated_function", "", "object 1", "object 2"), *traces[1].changes)
    again = replace(
        traces[1], lookup=replace(traces[1].lookup, object_number=2), kind="recreated", changes=change,
        evidence="The new tf.function object closes over the same values as an earlier one.",
    )  # fmt: skip
    best = advice([traces[0], again], "Reward", qualname="Reward.__call__")[0]
    assert numbers([best]) == [("create_function_once+input_signature", 2, 1)]
    assert best.code is not None
    assert best.code.startswith(
        "compiled = tf.function(Reward(…), input_signature=[tf.TensorSpec([None], tf.float32)])  #"
    )


def test_an_iterator_is_neither_made_once_nor_replayed() -> None:
    given = [Node("object", "generator", value=f"generator object #{n}", identity=n) for n in (1, 2, 3)]
    (found,) = advice(history(*({"data": one} for one in given), same_graph=True))
    assert numbers([found]) == [("python_iterator", 3, None)]
    assert found.code == "data = list(data)  # or a tf.data.Dataset"
    captured = [replace(one, other_tensors=True) for one in history(*({"data": one} for one in given), same_graph=True)]
    assert advice(captured)[0].warnings == found.warnings  # what the iterators gave
    pairs = [Node("literal", name, value=f"{name} value", identity=n) for n, name in enumerate(["zip", "zip", "map"])]
    assert [a.rule for a in advice(history(*({"pairs": one} for one in pairs)))] == ["python_iterator"]


def test_of_a_class_that_is_not_the_users_no_method_is_asked_for() -> None:
    def text(type_name: str) -> str:
        traces = history({"shape": thing(1, type_name)}, {"shape": thing(2, type_name)}, same_graph=True)
        gone = [replace(trace, evidence="of `shape` the earlier object no longer exists") for trace in traces]
        (found,) = advice(gone)
        assert numbers([found]) == [("same_object", 2, None if type_name == "TensorShape" else 1)]
        return found.in_one

    assert "A `__tf_tracing_type__` would" in text("Settings")
    for type_name in ("frozenset", "TensorShape"):
        assert "__tf_tracing_type__" not in text(type_name)
    assert "`tuple(shape)`" in text("TensorShape")


def test_lists_of_pairs_are_made_datasets() -> None:
    """As the guide of tf.function measures it."""
    lists = [
        Node("list", children=tuple((f"[{i}]", numbers_of("tuple", i, 2 * i)) for i in range(count)))
        for count in (3, 6)
    ]
    traces = history(*({"x": node} for node in lists), source="loss = train_step(pairs)")
    (found,) = advice([replace(trace, nodes=9 * place) for place, trace in enumerate(traces, 1)])  # it is unrolled
    made = "tf.data.Dataset.from_tensor_slices(tuple(map(list, zip(*pairs))))"
    assert (found.rule, found.code) == ("same_structure", f"loss = train_step({made})")
    assert "nothing but go through `x` with a `for`" in found.in_one
    assert "No gradient goes through a loop over a dataset" in found.in_one
    # where one is known to be computed, stacked
    unrolled = [replace(trace, nodes=9 * place) for place, trace in enumerate(traces, 1)]
    (found,) = advise(FunctionFacts("train_step", unrolled, graphs=Graphs(differentiates=lambda place: True)))
    assert found.code == "loss = train_step(tf.nest.map_structure(lambda *parts: tf.stack(parts), *pairs))"
    # and passes datasets to the same function, which needs one trace for those
    dataset = Node("composite", value="DatasetSpec((int32 <unknown>, int32 <unknown>))")
    traces = history(*({"x": node} for node in (*lists, dataset)), source="loss = train_step(pairs)")
    (found,) = advice([replace(trace, nodes=9 * place) for place, trace in enumerate(traces, 1)])
    assert found.code == f"loss = train_step({made})"
    uneven = [*lists, Node("list", children=(("[0]", numbers_of("tuple", 1, 2, 3)),))]
    traces = history(*({"x": node} for node in uneven))
    (found,) = advice([replace(trace, nodes=9 * place) for place, trace in enumerate(traces, 1)])
    assert found.in_one.endswith("Pass one structure at every call.")


def test_only_what_can_be_stacked_is_told_to_be() -> None:
    def told(*lists: list[Node]) -> Advice:
        nodes = [Node("list", children=tuple((f"[{i}]", n) for i, n in enumerate(items))) for items in lists]
        (found,) = advice(history(*({"x": node} for node in nodes)))
        assert found.rule == "same_structure"
        return found

    by_hand = "tf.stack(x)  # in place of x, at each call"
    assert (told([tensor(2)], [tensor(2), tensor(2)]).code or "").startswith(f"{by_hand}\n\n@tf.function(")
    joined = told([tensor(2)], [tensor(2), tensor(2)]).in_one  # `tf.concat` of one tensor is no error
    assert "`tf.concat` gives back as it is, without an error" in joined
    floats = told([literal(1.0)], [literal(1.0), literal(2.0)])
    assert (floats.code, "tf.concat" in floats.in_one) == (by_hand, False)
    passed = [numbers_of("list", *values) for values in ((1, 2), (1, 2, 3))]
    (found,) = advice(history(*({"x": node} for node in passed), source="loss = train_step(lengths)"))
    assert found.code == "loss = train_step(tf.stack(lengths))"  # in the call: elsewhere it may have to be a list
    (found,) = advice(history(*({"x": node} for node in passed)), python_uses=["mask[x] = …"])
    assert "`mask[x] = …` in it takes no tensor: compute it before the call" in found.in_one  # an array of NumPy's
    (found,) = advice(history(*({"x": node} for node in passed)), python_uses=["enumerate(x) through"])
    assert found.in_one.endswith("Pass one structure at every call.")  # Python goes through it
    other_lengths = told([tensor(2)], [tensor(2), tensor(3)])
    assert other_lengths.code == "tf.ragged.stack(x)  # in place of x, at each call"
    assert "one ragged tensor of what it holds" in other_lengths.in_one
    for odd_one in (tensor(), tensor(2, 3)):  # a scalar has no row to be, and what is of several ranks no spec
        assert told([odd_one], [odd_one, tensor(3)]).code is None
    by_parts = told([mapping(a=tensor(2))], [mapping(a=tensor(2))] * 2)
    assert by_parts.code == "tf.nest.map_structure(lambda *parts: tf.stack(parts), *x)  # in place of x, at each call"
    assert "The items of `x` are alike. Stack them part by part into one of that structure" in by_parts.in_one
    other = told([mapping(a=tensor(2))], [mapping(a=tensor(2)), mapping(a=tensor(3))])
    assert (other.code, "tack" in other.in_one) == (None, False)
    assert other.in_one.endswith("Pass one structure at every call.")
    two = [{"x": numbers_of("list", *range(n)), "y": numbers_of("list", *range(n))} for n in (1, 2)]
    found = advice(history(*two, source="loss = train_step(lengths, scores)"))[-1]
    assert "Stack what each holds into one tensor" in found.in_one
    assert found.code == "loss = train_step(tf.stack(lengths), tf.stack(scores))"
    odd = [{"x": numbers_of("list", *range(n)), "y": Node("list", children=(("[0]", mapping()),) * n)} for n in (1, 2)]
    found = advice(history(*odd))[-1]
    assert "Stack what `x` holds into one tensor" in found.in_one
    assert found.code == by_hand
    empty = told([], [tensor(2)])
    assert (empty.code, "tack" in empty.in_one) == (None, False)
    assert "zeros of the later shape" in empty.in_one


def test_a_string_that_graphs_hold_as_a_constant_alone() -> None:
    """`tf.io.read_file(path)`, called with a Python string."""
    evidence = f"The graph holds `x` as a constant, {TENSOR_OF_STRINGS}"

    def held(*values: Node) -> list[Traced]:
        first, *later = history(*({"x": value} for value in values))
        return [first, *(replace(trace, verdict="avoidable", evidence=evidence) for trace in later)]

    constants = held(*map(literal, "abc"))
    (found,) = advice(constants)
    assert (found.rule, found.traces_after, found.code) == (
        "tensor_for_python_string", 1, "train_step(tf.constant(x))",
    )  # fmt: skip
    assert found.in_one.startswith("`train_step` is traced for each value of the Python string `x` (3 values so far).")
    (found,) = advice(constants, python_uses=["if not x: raise", "if not y: raise"])
    assert [note for note in found.notes if "raises" in note] == [
        "`if not x: raise` in it raises while it is traced, whatever a tensor's value: check that before the call,"
        " or by `tf.debugging.assert_less` and its like."
    ]
    # for one of them something else differs: it is a mode, too
    mode = [*constants[:2], replace(constants[2], verdict="unknown", evidence="not known")]
    (found,) = advice(mode)
    assert (found.rule, found.traces_after, found.code) == ("tensor_for_python_string", None, None)
    assert "in more, so Python asks something of it, such as `x.endswith(…)`. Ask that before the call" in found.text
    assert advice([constants[0], *(replace(trace, verdict="unknown", evidence="") for trace in constants[1:])]) == []
    # a dtype beside it makes another graph, whatever the string does
    mixed = history({"x": literal("a")}, {"x": literal("b"), "y": tensor()}, {"x": literal("c")})
    mixed[1] = replace(
        mixed[1], changes=(*mixed[1].changes[:1], replace(mixed[1].changes[0], cause="dtype", path="y")),
        verdict="unknown",
    )  # fmt: skip
    mixed[2] = replace(constants[2], lookup=mixed[2].lookup)
    found = advice(mixed)[0]
    assert found.rule == "tensor_for_python_string"
    assert "and differ in no more where nothing else changed)" in found.evidence
    words = [Node("list", children=(("[0]", literal(text)), ("[1]", literal("z")))) for text in "abc"]
    (found,) = advice(held(*words))
    assert (found.rule, found.traces_after) == ("tensor_for_python_string", 1)
    assert found.code == "x[0] = tf.constant(x[0])"
    # `tf.strings.length(words)`, and `words[0]`
    for constants, code in (
        ([((b"a", b"z"), (b"b", b"z"))], "train_step(tf.constant(x))"),
        ([(b"a", b"b")], "x[0] = tf.constant(x[0])"),
        ([((b"a", b"z"), (b"b", b"z")), (b"a", b"b")], "x[0] = tf.constant(x[0])"),
    ):
        pair = GraphPair(True, tuple(Constant("string", *both) for both in constants))
        (found,) = advice(held(*words), graphs=Graphs(lambda one, other, pair=pair: pair))
        assert (found.code, found.traces_after) == (code, 1)
        assert ("Pass them as one tensor at every call." in found.text) == (code == "train_step(tf.constant(x))")
    # of another length the graph is another one, which tells nothing of how it holds them
    lists = [
        Node("list", children=tuple((f"[{i}]", literal(text)) for i, text in enumerate(one)))
        for one in ("bc", "a", "d")
    ]
    first, other, last = held(*lists)
    pairs = {(0, 1): GraphPair(False), (1, 2): GraphPair(True, (Constant("string", (b"a",), (b"d",)),))}
    traces = [first, replace(other, verdict="unknown", evidence="not known"), last]
    found, *_ = advice(traces, graphs=Graphs(lambda one, other: pairs[one, other]))
    assert numbers([found]) == [("tensor_for_python_string+input_signature", 3, 1)]


def test_a_string_that_graphs_hold_and_a_shape_beside_it() -> None:
    """`return tf.reduce_mean(images, 0), class_name`: one name for all would give the first one's name to each."""
    calls = [{"x": tensor(n), "name": literal(name)} for n, name in ((2, "cat"), (3, "dog"), (2, "bird"))]
    traces = history(*calls)
    traces[2] = replace(
        traces[2], verdict="avoidable", evidence=f"The graph holds `name` as a constant, {TENSOR_OF_STRINGS}"
    )
    traces[1] = replace(traces[1], verdict="avoidable", evidence="Both shapes of `x` fit.")
    held = GraphPair(True, (Constant("string", b"cat", b"dog"),))
    found = advice(traces, graphs=Graphs(lambda one, other: held))
    assert numbers(found[:1]) == [("tensor_for_python_string+input_signature", 3, 1)]
    assert all("unused_argument" not in one.rule for one in found)
    # another shape each time: nothing but the graphs tells
    beside = [traces[0], *(replace(trace, verdict="avoidable") for trace in history(*calls[:2])[1:])]
    found = advice(beside, graphs=Graphs(lambda one, other: held))
    assert numbers(found[:1]) == [("tensor_for_python_string+input_signature", 2, 1)]
    assert all("unused_argument" not in one.rule for one in found)
    found = advice(beside, graphs=Graphs(lambda one, other: GraphPair(True)))
    assert found[0].rule.startswith("unused_argument")


def test_of_two_types_it_is_said_what_one_can_be_passed_as() -> None:
    variable = Node("variable", dtype="float32", shape=(2,), value="trainable=True", identity=1)
    (found,) = advice(history({"x": variable}, {"x": tensor(2)}))
    assert found.in_one.endswith("A variable that is only read can be passed as `x.value()`.")
    # each of several has to be, else nothing is saved
    (found,) = advice(history({"w": variable, "b": variable}, {"w": tensor(2), "b": tensor(2)}))
    assert found.in_one.startswith("`w` and `b` of `train_step` are of other Python types: Variable float32 (2,) → ")
    assert found.in_one.endswith("A variable that is only read can be passed as `w.value()` and `b.value()`.")
    # what changes first is not all that there is
    count = replace(variable, shape=(), dtype="int32")
    (found,) = advice(history({"x": number(1)}, {"x": tensor(dtype="int32")}, {"x": count}))
    assert found.in_one.startswith("`x` of `train_step` is of another Python type: 1 → int32 (), and others. Pass one")
    assert "A Python number can be passed as `tf.constant(x)`, of the dtype that tensors" in found.in_one
    assert found.in_one.endswith("A variable that is only read can be passed as `x.value()`.")
    words = Node("tensor", dtype="string", shape=())
    (found,) = advice(history({"x": words}, {"x": literal("hello")}))
    assert (found.rule, found.traces_after) == ("tensor_for_python_string", 1)
    assert (found.code, found.apply) == ("train_step(tf.constant(x))", {"tensors": {"x": "string"}})
    (found,) = advice(history({"x": words}, {"x": literal("hello")}, {"x": literal("you")}, {"x": literal(3)}))
    assert (found.rule, found.traces_after) == ("same_type", None)
    assert found.in_one.endswith("A Python string can be passed as `tf.constant(x)`.")
    flag = Node("tensor", dtype="bool", shape=())
    (found,) = advice(history({"x": literal(True)}, {"x": flag}))
    assert (found.rule, found.traces_after) == ("tensor_for_python_bool", 1)
    assert (found.code, found.apply) == ("train_step(tf.constant(x))", {"tensors": {"x": "bool"}})
    (found,) = advice(history({"x": literal(b"b")}, {"x": literal("a")}))
    assert found.in_one.endswith("at every call.")


def test_a_number_that_decides_what_is_built_is_said_to() -> None:
    traces = history(*({"x": tensor(8), "n": literal(n)} for n in (1, 2, 4)))
    assert "nodes" not in advice(traces)[0].in_one
    assert "nodes" not in advice([replace(trace, nodes=5) for trace in traces])[0].in_one
    grown = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (5, 6, 8), strict=True)]
    assert "For 1 and 2 the graphs have 5 and 6 nodes, so the number decides" in advice(grown)[0].in_one
    assert "Where the code computes with it in fractions, it has to `tf.cast` it." in advice(grown)[0].in_one


def test_an_optimizer_of_a_later_call_alone_is_built_before_it() -> None:
    """DeepReg's registration: there is no model, only a variable that is passed."""
    traces = history({"optimizer": thing(1), "x": tensor(2)}, {"optimizer": thing(2), "x": tensor(2)})
    verdict = judge(Facts("retrace", traces[1].changes, failed=True, creates_variables_late=True))
    failed = replace(
        traces[1], lookup=replace(traces[1].lookup, failed=True), verdict=verdict.word, evidence=verdict.evidence
    )
    first = replace(traces[0], kind="variable_creation", created_for=(Owner("optimizer", "optimizer", "[w]", 2),))
    (found,) = advice([first, failed])
    assert found.code == "# before the first call with each\noptimizer.build([w])"
    other = replace(failed, changes=(*failed.changes, Change("object_identity", "model", "Net #1", "Net #2")))
    assert "model(inputs)" in (advice([first, other])[0].code or "")


def test_variables_of_a_later_call_are_created_before_it() -> None:
    traces = history({"model": thing(1)}, {"model": thing(2)})
    verdict = judge(Facts("retrace", traces[1].changes, failed=True, creates_variables_late=True))
    failed = replace(
        traces[1], lookup=replace(traces[1].lookup, failed=True), verdict=verdict.word, evidence=verdict.evidence
    )
    (found,) = advice([traces[0], failed])
    assert numbers([found]) == [("create_variables_before", 2, None)]
    again = replace(
        failed, kind="variable_creation", evidence=CREATES_VARIABLES_EACH_TIME,
        changes=(Change("variable_creation", ""),),
    )  # fmt: skip
    assert "create_variables_before" not in [a.rule for a in advice([traces[0], again, failed])]
    assert "only" in found.in_one
    assert found.code is not None
    assert "optimizer.build(" in found.code
    # the code made its own before: no optimizer need be the reason
    for names, code in (
        (("self.mean",), "self.… = tf.Variable(…)  # where"),
        (("TABLES[4]", "w"), "… = tf.Variable(…)"),
    ):
        first = replace(traces[0], created_for=tuple(Owner(name, "variable", "", 1) for name in names))
        (found,) = advice([first, failed])
        assert "its code may create others in calls that need them" in found.in_one
        assert (found.code or "").startswith(code)
    # so did an object that is another one now
    first = replace(traces[0], created_for=(Owner("model.w", "variable", "float32 (2,)", 1),))
    (found,) = advice([first, failed])
    assert "those of another `model`, as the first one's were (`model.w`)" in found.in_one
    assert found.code == "model.w = tf.Variable(…)  # where each `model` is made"
    assert "model.build" not in found.code  # which makes no variables of a subclassed model's layers in Keras 3


@pytest.mark.parametrize(
    "signatures",
    [
        [{"x": tensor(2)}],
        [{"training": literal(True)}, {"training": literal(False)}],
        [{"mask": literal(None)}, {"mask": tensor(2)}],
        [{"how": literal("sum")}, {"how": literal("mean")}],
        [{"settings": thing(1)}, {"settings": thing(2)}],
    ],
)
def test_no_rule_fires_where_every_trace_is_needed_or_bounded_or_unknown(signatures: list[dict[str, Node]]) -> None:
    assert advice(history(*signatures, same_graph=False)) == []


def test_no_rule_fires_for_a_new_object_with_another_graph() -> None:
    assert advice(recreated(3, (ClosureChange("model", "a", "b", False),), same_graph=False)) == []


def test_no_rule_fires_for_shapes_of_which_only_one_works() -> None:
    traces = history({"a": tensor(2, 3)}, {"a": tensor(4, 3)})
    assert advice([traces[0], replace(traces[1], lookup=replace(traces[1].lookup, failed=True))]) == []


def test_what_cannot_be_replayed_promises_nothing() -> None:
    traces = history(*({"x": tensor(2), "step": number(n)} for n in range(3)))
    (found,) = advice([*traces, traces[-1]])  # recorded twice, which the rules do not explain
    assert numbers([found]) == [("tensor_for_python_number", 4, None)]
    assert found.seconds_saved is None


def test_a_lambda_is_not_decorated() -> None:
    (best, second) = advice(history(*({"x": tensor(n)} for n in range(3))), "<lambda>")
    assert best.code == "f = tf.function(…, input_signature=[tf.TensorSpec([None], tf.float32)])"
    assert second.code == "f = tf.function(…, reduce_retracing=True)"


def test_what_helps_only_with_a_change_that_cannot_be_tried_is_told_beside_it() -> None:
    grown = [Node("list", children=tuple((f"[{i}]", tensor(4)) for i in range(length))) for length in range(1, 5)]
    traces = history(*({"batch": batch, "k": number(k)} for k, batch in enumerate(grown)))
    first, second = advice(traces)
    assert (first.rule, first.traces_after) == ("same_structure", 1)
    assert (second.rule, second.traces_after, second.apply) == ("tensor_for_python_number", None, None)
    assert second.evidence == "By itself it saves no trace: something else changed at the same calls."
    # where nothing is left to be done by hand, what does not help is not told
    (only,) = advice(history(*({"batch": batch, "k": number(1)} for batch in grown)))
    assert only.rule == "same_structure"


def test_a_number_that_an_equal_one_of_another_type_may_be_passed_for_is_given_its_dtype() -> None:
    """`1` finds the trace of `1.0`, and is not recorded; nothing equals 0.5."""
    whole, fraction = (history(*({"x": number(v)} for v in vs), source="f(x)") for vs in ((1.0, 0.5), (0.25, 0.5)))
    assert advice(whole, "f")[0].code == "f(tf.constant(x, tf.float32))"
    assert advice(fraction, "f")[0].code == "f(tf.constant(x))"
    lists = history(*({"x": numbers_of("list", *v)} for v in ((1, 2, 3, 4), (0.5, 2, 3, 4))), source="f(x)")
    assert advice(lists, "f")[0].code == "f(tf.constant(x, tf.float32))"
    literals = history(*({"x": number(v)} for v in (1.0, 2.0)), source="f(-1.0)")
    assert advice(literals, "f")[0].code == "f(tf.constant(-1.0))"  # which is a float32 as it is
    mixed = history(*({"x": numbers_of("list", *v)} for v in ((1.0, 0.5), (2.0, 0.25))), source="f(x)")
    assert advice(mixed, "f")[0].code == "f([tf.constant(n, tf.float32) for n in x])"


def test_several_ranks_beside_what_cannot_be_declared_where_they_are_widened() -> None:
    def passed(rank: int) -> dict[str, Node]:
        return {"x": tensor(*[3] * rank), "net": thing(1)}

    traces = history(passed(1), passed(2))
    widened = [replace(one, lookup=replace(one.lookup, reduce_retracing=True)) for one in traces]
    assert "one_rank" in [one.rule for one in advice(widened)]
    assert "one_rank" not in [one.rule for one in advice(traces)]


def test_an_unknown_rank_is_told_of_where_no_graphs_tell_what_it_decides() -> None:
    """Beside another dtype: of ranks alone, graphs that are of one size tell that nothing is."""
    both = advice(history({"x": tensor(4)}, {"x": tensor(4, 4, dtype="int32")}))
    (declared,) = [one for one in both if one.rule == "one_dtype+input_signature"]
    assert "`len(x.shape)` fails" in declared.in_one
    traces = history(*({"x": tensor(*shape)} for shape in ((3,), (4,), (4, 4))))
    alone = advice([replace(trace, nodes=9) for trace in traces])
    assert "input_signature" in [one.rule for one in alone]
    assert not any("len(x.shape)" in one.in_one for one in alone)


def test_a_string_beside_what_is_none_in_some_calls_is_a_constant_all_the_same() -> None:
    calls = [
        {"x": tensor(n), "mask": mask, "name": literal(name)}
        for n, mask, name in (
            (2, tensor(2), "a"),
            (3, literal(None), "b"),
            (4, tensor(2), "c"),
            (5, literal(None), "d"),
        )
    ]
    traces = history(*calls)
    traces[2] = replace(
        traces[2], closest=0, changes=(traces[2].changes[0], traces[2].changes[-1]), verdict="avoidable"
    )
    traces[3] = replace(
        traces[3], closest=1, changes=(traces[3].changes[0], traces[3].changes[-1]), verdict="avoidable"
    )
    assert [trace.verdict for trace in traces] == ["needed", "bounded", "avoidable", "avoidable"]
    held = GraphPair(True, (Constant("string", b"a", b"c"),))
    rules = {one.rule for one in advice(traces, graphs=Graphs(lambda one, other: held))}
    assert any("tensor_for_python_string" in rule for rule in rules)


def test_a_size_that_reduce_retracing_has_left_unknown_is_asked_for_in_the_graph() -> None:
    first, second = history({"x": tensor(2)}, {"x": tensor(3)})
    lookups = [replace(trace.lookup, reduce_retracing=True) for trace in (first, second)]
    failed = replace(
        second, lookup=replace(lookups[1], failed=True, traced=Signature((("x", tensor(-1)),))),
        evidence=WIDENED_AND_FAILED.format("x"),
    )  # fmt: skip
    (found,) = advice([replace(first, lookup=lookups[0]), failed], python_uses=["x.shape[0]"])
    assert (found.rule, found.traces_after, found.apply) == ("size_in_the_graph", None, None)
    assert "made the sizes of `x` of `train_step` unknown that change, and the trace failed" in found.text
    assert found.notes[0].startswith("`x.shape[0]` in it is None then")


def test_of_several_changes_each_says_what_it_assumes_of_what() -> None:
    traces = history(*[{"x": tensor(size), "n": number(size), "k": literal(size > 3)} for size in (3, 4, 5)])
    together = next(one for one in advice(traces) if "tensor_for_python_number+" in one.rule)
    assert "the code works on a tensor for `n`, and that" in together.evidence
    (alone,) = advice(history({"n": number(1)}, {"n": number(2)}))
    assert "the code works on a tensor there, and that" in alone.evidence


@pytest.mark.parametrize(("others", "left"), [((0, 2), None), ((3, 2), 2)])
def test_a_bool_that_an_equal_number_may_have_served(others: tuple[int, ...], left: int | None) -> None:
    """As a tensor no number serves it: how many are left is not known."""
    nodes = [literal(True), *map(number, others)]
    traces = history(*({"x": tensor(2), "w": node} for node in nodes), source="train_step(x, w)")
    traces = [replace(trace, verdict="avoidable" if place else "needed") for place, trace in enumerate(traces)]
    (found,) = [one for one in advice(traces) if one.rule == "tensor_for_python_number"]
    assert (found.traces_after, found.code) == (left, "train_step(x, w if isinstance(w, bool) else tf.constant(w))")
    assert ("`w` is a bool in some calls" in found.evidence) == (left is None)


def test_a_whole_number_among_fractions_is_made_a_fraction() -> None:
    """`make(2)` at one line and `make(4.0)` at another."""
    (found,) = advice(recreated(3, (ClosureChange("n", "2", "4.0", True),), same_graph=False), "step")
    assert (found.code or "").endswith("step(x, tf.constant(n, tf.float32))")


def test_objects_that_the_code_tells_apart_are_not_made_equal() -> None:
    traces = history(*({"x": tensor(2), "c": thing(n), "d": thing(9)} for n in range(1, 5)), same_graph=True)
    assert [one.rule for one in advice(traces, type_questions=["x is d"])] == ["equal_objects"]
    assert [one.rule for one in advice(traces, type_questions=["c is DEFAULT"])] == ["same_object"]
    assert not advice(traces, type_questions=["c is d"])
