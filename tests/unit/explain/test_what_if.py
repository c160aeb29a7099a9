"""Replays of recorded lookups under a change. tests/capture/test_advice_is_exact.py holds them against TensorFlow."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tb_retrace_plugin.explain.differences.diff import diff_nodes
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import (
    Lookup,
    Memory,
    common_arguments,
    common_shape,
    common_supertype,
    replay,
    reproduces,
    shape_serves,
)
from tb_retrace_plugin.schema.signature import METADATA, Node, Signature


def tensor(*shape: int, dtype: str = "float32", name: str = "") -> Node:
    return Node("tensor", dtype=dtype, shape=shape, value=name)


def number(value: float) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=hash(value) + 1000)


def text(value: str) -> Node:
    return Node("literal", type_name="str", value=repr(value), identity=hash(value) or 1)


def variable(identity: int) -> Node:
    return Node("variable", dtype="float32", shape=(2,), value="trainable=True", identity=identity)


def mapping(**children: Node) -> Node:
    return Node("dict", type_name="dict", children=tuple((f"['{key}']", node) for key, node in children.items()))


UNKNOWN_RANK = Node("tensor", dtype="float32")


def lookup(object_number: int = 1, /, **arguments: Node) -> Lookup:
    return Lookup(Signature(tuple(arguments.items())), object_number)


def count(lookups: list[Lookup], candidate: Candidate) -> int | None:
    assert reproduces(lookups)
    traced = replay(lookups, candidate)
    return None if traced is None else sum(traced)


@pytest.mark.parametrize(
    ("cached", "wanted", "serves"),
    [
        ((2, 3), (2, 3), True),
        ((-1, 3), (2, 3), True),
        ((2, 3), (-1, 3), False),
        ((-1, 3), (2, 4), False),
        ((-1,), (2, 3), False),
        (None, (2, 3), True),
        (None, None, True),
        ((2,), None, False),
    ],
)
def test_shapes_serve_as_the_diff_says(
    cached: tuple[int, ...] | None, wanted: tuple[int, ...] | None, serves: bool
) -> None:
    assert shape_serves(cached, wanted) is serves
    old, new = (Node("tensor", dtype="float32", shape=shape) for shape in (cached, wanted))
    assert bool(diff_nodes(old, new, "x")) is not serves
    common = common_shape(cached, wanted)
    assert shape_serves(common, cached)
    assert shape_serves(common, wanted)


def test_without_a_change_every_recorded_lookup_is_traced() -> None:
    lookups = [lookup(x=tensor(2)), lookup(x=tensor(3)), lookup(2, x=tensor(2))]
    assert replay(lookups) == [True, True, True]
    assert not reproduces([lookup(x=tensor(2)), lookup(x=tensor(2))])


def test_a_signature_with_unknown_dimensions_serves_what_comes_after_it_not_before() -> None:
    lookups = [lookup(x=tensor(2)), lookup(x=tensor(-1)), lookup(x=tensor(3))]
    assert replay(lookups) == [True, True, False]


def test_a_name_is_part_of_the_key_only_if_the_lookup_has_one() -> None:
    named, other = tensor(2, name="a"), tensor(2, name="b")
    assert replay([lookup(x=named), lookup(x=tensor(2))]) == [True, False]
    assert replay([lookup(x=tensor(2)), lookup(x=named)]) == [True, True]
    assert replay([lookup(x=named), lookup(x=other)], Candidate(reduce_retracing=True)) == [True, True]


def test_the_order_of_keys_does_not_matter_and_that_of_variables_does() -> None:
    assert replay([lookup(x=mapping(a=tensor(1), b=tensor(2))), lookup(x=mapping(b=tensor(2), a=tensor(1)))]) == [
        True,
        False,
    ]
    assert replay([lookup(x=variable(1), y=variable(2)), lookup(x=variable(7), y=variable(5))]) == [True, False]
    assert replay([lookup(x=variable(1), y=variable(2)), lookup(x=variable(3), y=variable(3))]) == [True, True]


def test_reduce_retracing_widens_with_the_first_change() -> None:
    lookups = [lookup(x=tensor(n, 4)) for n in range(1, 7)]
    assert replay(lookups, Candidate(reduce_retracing=True)) == [True, True, False, False, False, False]


def test_reduce_retracing_cannot_relax_a_shape_when_a_python_value_differs_too() -> None:
    lookups = [lookup(x=tensor(n), step=number(n)) for n in range(1, 7)]
    assert count(lookups, Candidate(reduce_retracing=True)) == 6
    tensors = Candidate(numbers={"step": "int32"})
    assert count(lookups, tensors) == 6
    assert count(lookups, tensors.with_(Candidate(reduce_retracing=True))) == 2


def test_reduce_retracing_is_not_predicted_where_the_rule_is_not_known() -> None:
    other_number_of_arguments = [lookup(x=tensor(1)), lookup(x=tensor(1), y=tensor(1))]
    assert count(other_number_of_arguments, Candidate(reduce_retracing=True)) is None
    custom = Node("custom", type_name="Mine", value="Mine", identity=1)
    assert count([lookup(x=custom), lookup(x=replace(custom, identity=2))], Candidate(reduce_retracing=True)) is None


@pytest.mark.parametrize("type_name", ["DatasetSpec", "IteratorSpec"])
def test_reduce_retracing_leaves_equal_datasets_and_iterators_as_they_are(type_name: str) -> None:
    one, other = (Node("composite", type_name, value=f"{type_name}({n})", identity=n) for n in (1, 2))
    lookups = [lookup(it=one, x=tensor(size), n=number(n)) for size, n in ((2, 1), (3, 1), (4, 1), (2, 2), (5, 2))]
    assert count(lookups, Candidate(reduce_retracing=True)) == 4  # measured
    reducing = [replace(lookup(it=one, n=number(n)), reduce_retracing=True) for n in (4, 3)]
    assert reproduces(reducing)
    assert count([*lookups, lookup(it=other, x=tensor(2), n=number(1))], Candidate(reduce_retracing=True)) is None


def test_iterators_over_tuples_of_other_lengths_have_nothing_in_common() -> None:
    """As Keras passes them, with sample weights and without."""
    texts = [f"IteratorSpec(({', '.join(['float32 (None, 5)'] * count)}),)" for count in (2, 3)]
    specs = [Node("composite", "IteratorSpec", value=text, identity=n) for n, text in enumerate(texts, 1)]
    assert reproduces([replace(lookup(it=one), reduce_retracing=True) for one in specs])
    alike = replace(specs[0], value=texts[0].replace("5", "6"), identity=3)
    assert count([lookup(it=one) for one in (*specs, alike)], Candidate(reduce_retracing=True)) is None


def test_what_reduce_retracing_widened_in_the_recording_is_widened_in_the_replay() -> None:
    lookups = [replace(lookup(x=tensor(n)), reduce_retracing=True) for n in (1, 2)]
    assert reproduces(lookups)
    assert not reproduces([*lookups, lookups[-1]])


def test_an_input_signature_is_one_trace_for_each_object_and_context() -> None:
    lookups = [lookup(x=tensor(1)), lookup(x=tensor(2)), lookup(2, x=tensor(3))]
    arguments = common_arguments([item.signature for item in lookups], Candidate())
    assert arguments == (("x", tensor(-1)),)
    assert count(lookups, Candidate(input_signature=arguments)) == 2
    elsewhere = replace(lookups[1], signature=replace(lookups[1].signature, context={"parent_graph": "Graph #1"}))
    assert count([lookups[0], elsewhere], Candidate(input_signature=arguments)) == 2
    assert count(lookups, Candidate(input_signature=arguments, objects={2: 1})) == 1


def test_what_an_input_signature_refuses_traces_nothing() -> None:
    lookups = [lookup(x=tensor(1)), replace(lookup(x=tensor(1, 1)), failed=True), lookup(x=tensor(2))]
    assert replay(lookups, Candidate(input_signature=(("x", tensor(-1)),))) == [True, False, False]


def test_a_failed_trace_stays_unless_the_change_gives_it_what_worked() -> None:
    wrong = replace(lookup(x=tensor(2, dtype="int32")), failed=True)
    lookups = [wrong, lookup(x=tensor(2)), wrong]
    assert replay(lookups) == [True, True, True]
    assert replay(lookups, Candidate(dtypes={"x": "float32"})) == [True, False, False]
    assert replay(lookups, Candidate(dtypes={"x": "float64"})) == [True, False, False]
    assert replay(lookups, Candidate(dtypes={"y": "float32"})) == [True, True, True]


def test_variables_of_a_first_call_need_a_second_trace() -> None:
    first = lookup(x=tensor(2))
    second = replace(first, variables_created=True)
    assert replay([first, second]) == [True, True]
    assert replay([first, second, lookup(x=tensor(3))], Candidate(variables_outside=True)) == [True, False, True]
    # another object that creates variables is served, once it is the same object
    again = [replace(first, object_number=2), replace(second, object_number=2)]
    assert replay([first, second, *again], Candidate(objects={2: 1})) == [True, True, False, False]


def test_objects_and_identities_become_one() -> None:
    one, other = (Node("object", type_name="A", value=f"A object #{n}", identity=n) for n in (1, 2))
    lookups = [lookup(1, self=one, x=tensor(1)), lookup(2, self=other, x=tensor(1))]
    assert count(lookups, Candidate(objects={2: 1})) == 2
    assert count(lookups, Candidate(objects={2: 1}, identities={("self", 2): 1})) == 1


def test_instances_become_one_beside_a_declared_signature() -> None:
    instances = [lookup(n, self=Node("object", identity=n), x=tensor(n)) for n in (1, 2, 3)]
    one = Candidate(objects={2: 1, 3: 1}, identities={("self", 2): 1, ("self", 3): 1})
    assert count(instances, one) == 3
    assert count(instances, one.with_(Candidate(input_signature=(("x", tensor(-1)),)))) == 1


def test_added_keys_and_padding() -> None:
    full = mapping(a=tensor(1), mask=tensor(1))
    lookups = [lookup(x=mapping(a=tensor(1))), lookup(x=full)]
    assert count(lookups, Candidate(keys={"x": full.children})) == 1
    lookups = [lookup(x=tensor(n, 3)) for n in (1, 5, 2)]
    assert count(lookups, Candidate(padded={"x": (5, 3)})) == 1


def test_one_memory_serves_several_replays() -> None:
    lookups = [lookup(x=tensor(n), step=number(n)) for n in range(1, 5)]
    memory = Memory()
    tensors = Candidate(numbers={"step": "int32"})
    for candidate in (Candidate(), tensors, Candidate(reduce_retracing=True), tensors):
        assert replay(lookups, candidate, memory) == replay(lookups, candidate)


def test_common_supertypes() -> None:
    assert common_supertype(tensor(1, 2), tensor(3, 2)) == tensor(-1, 2)
    assert common_supertype(tensor(1, 2), tensor(3)) == UNKNOWN_RANK
    assert common_supertype(tensor(1), tensor(1, dtype="int32")) is None
    assert common_supertype(number(1), number(2)) is None
    assert common_supertype(tensor(1), number(2)) is None
    nested = mapping(a=mapping(b=tensor(1))), mapping(a=mapping(b=tensor(2)))
    assert common_supertype(*nested) == mapping(a=mapping(b=tensor(-1)))
    assert common_supertype(mapping(a=tensor(1)), mapping(b=tensor(1))) is None


def test_common_arguments_leave_self_out_and_need_the_same_arguments() -> None:
    one = Node("object", identity=1)
    signatures = [Signature((("self", one), ("x", tensor(n)), ("how", text("sum")))) for n in (1, 2)]
    assert common_arguments(signatures, Candidate()) == (("x", tensor(-1)), ("how", text("sum")))
    assert common_arguments([*signatures, Signature((("x", tensor(1)),))], Candidate()) is None


def test_what_is_cached_is_found_as_if_each_entry_was_asked() -> None:
    random = Random(5)
    shapes: list[tuple[int, ...] | None] = [
        None, (), *((a,) for a in (-1, 2, 3)), *((a, b) for a in (-1, 2, 3) for b in (-1, 2))
    ]  # fmt: skip
    served = 0
    for _ in range(300):
        lookups = []
        for _ in range(12):
            x, y = (Node("tensor", dtype="float32", shape=random.choice(shapes)) for _ in range(2))
            lookups.append(lookup(x=replace(x, value=random.choice(["", "", "", "a", "b"])), y=y))
        cached: list[Lookup] = []
        expected = []
        for one in lookups:
            expected.append(not any(_serves(earlier, one) for earlier in cached))
            if expected[-1]:
                cached.append(one)
        assert replay(lookups) == expected
        served += expected.count(False)
    assert 300 < served < 3000  # both happen often


def _serves(cached: Lookup, wanted: Lookup) -> bool:
    pairs = zip(cached.signature.arguments, wanted.signature.arguments, strict=True)
    return all(shape_serves(c.shape, w.shape) and w.value in ("", c.value) for (_, c), (_, w) in pairs)


def nest(metadata: str, *components: Node) -> Node:
    """Of a class with `__tf_flatten__`."""
    parts = [(f".{name}", node) for name, node in zip("abc", components, strict=False)]
    of_metadata = Node("custom", type_name="tuple", value=metadata, identity=hash(metadata) or 1)
    return Node("custom_nest", type_name="Masked", identity=1, children=(*parts, (METADATA, of_metadata)))


def test_reduce_retracing_widens_components_of_a_class_with_tf_flatten() -> None:
    reduced = Candidate(reduce_retracing=True)
    sizes = [lookup(m=nest("(0.5,)", tensor(n), tensor(n, 1))) for n in (2, 3, 4, 5)]
    assert count(sizes, reduced) == 2
    others = [lookup(m=nest("(0.25,)", tensor(n), tensor(n, 1))) for n in (2, 3, 4)]
    assert count([*sizes, *others], reduced) == 4
    # of components without a common supertype TensorFlow makes one type all the same, with None in their place
    assert count([*sizes, lookup(m=nest("(0.5,)", tensor(2), tensor(2, 1, dtype="int32")))], reduced) is None
    assert count([*sizes, lookup(m=nest("(0.25,)", tensor(2), number(1.0)))], reduced) == 3
    assert count([lookup(m=nest("()", variable(1))), lookup(m=nest("()", tensor(2)))], reduced) is None
