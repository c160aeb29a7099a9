"""One golden test per cause, on signatures without TensorFlow."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.differences.change import OTHER_SEQUENCE, Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.differences.lengths import ALIKE
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature, two_texts


def tensor(*shape: int, dtype: str = "float32", name: str = "") -> Node:
    return Node("tensor", dtype=dtype, shape=shape, value=name)


def literal(value: object) -> Node:
    return Node("literal", type(value).__name__, value=repr(value), identity=hash(value) + 10)


def thing(number: int, type_name: str = "Config") -> Node:
    return Node("object", type_name, value=f"{type_name} object #{number}", identity=number)


def sequence(kind: str, *parts: Node) -> Node:
    return Node(kind, kind, children=tuple((f"[{i}]", part) for i, part in enumerate(parts)))


def mapping(**parts: Node) -> Node:
    return Node("dict", "dict", children=tuple((f"[{k!r}]", part) for k, part in parts.items()))


def variable(number: int, *shape: int, trainable: bool = True) -> Node:
    return Node("variable", dtype="float32", shape=shape, value=f"trainable={trainable}", identity=number)


def spec(text: str, *parts: Node, type_name: str = "RaggedTensorSpec") -> Node:
    children = tuple((f"#{i}", part) for i, part in enumerate(parts))
    return Node("composite", type_name, value=text, identity=5, children=children)


UNKNOWN_RANK = Node("tensor", dtype="float32", shape=None)

CASES = [
    ("shape", tensor(32, 10), tensor(7, 10), [Change("shape", "x", "(32, 10)", "(7, 10)")]),
    ("shape served by unknown dimension", tensor(-1, 10), tensor(7, 10), []),
    ("only the known dimension counts", tensor(-1, 10), tensor(7, 9), [Change("shape", "x", "(None, 10)", "(7, 9)")]),
    ("unknown is not served by known", tensor(7), tensor(-1), [Change("shape", "x", "(7,)", "(None,)")]),
    ("rank", tensor(3), tensor(3, 1), [Change("rank", "x", "(3,)", "(3, 1)")]),
    ("unknown rank serves all", UNKNOWN_RANK, tensor(3, 1), []),
    ("known rank serves no unknown", tensor(3), UNKNOWN_RANK, [Change("rank", "x", "(3,)", "<unknown>")]),
    ("dtype", tensor(dtype="int32"), tensor(), [Change("dtype", "x", "int32", "float32")]),
    ("dtype and shape", tensor(1, dtype="int32"), tensor(2),
     [Change("dtype", "x", "int32", "float32"), Change("shape", "x", "(1,)", "(2,)")]),
    ("python_value", literal(3), literal(4), [Change("python_value", "x", "3", "4")]),
    ("int to float is another value", literal(3), literal(2.5), [Change("python_value", "x", "3", "2.5")]),
    ("1 and True are equal", literal(1), literal(True), []),
    ("int to str", literal(3), literal("a"), [Change("python_type", "x", "3", "'a'")]),
    ("None to tensor", literal(None), tensor(2), [Change("python_type", "x", "None", "float32 (2,)")]),
    ("None to dict", literal(None), mapping(a=literal(1)), [Change("python_type", "x", "None", "{'a': 1}")]),
    ("python value to tensor", literal(60), tensor(dtype="int32"), [Change("python_type", "x", "60", "int32 ()")]),
    ("variable to tensor", variable(1, 2), tensor(2),
     [Change("python_type", "x", "Variable float32 (2,)", "float32 (2,)")]),
    ("object_identity", thing(1), thing(2),
     [Change("object_identity", "x", "Config object #1", "Config object #2")]),
    ("object of another class", thing(1), thing(2, "Model"),
     [Change("python_type", "x", "Config object #1", "Model object #2")]),
    ("length", sequence("list", tensor()), sequence("list", tensor(), tensor()),
     [Change("structure", "x", "list of 1", "list of 2")]),
    ("list to tuple", sequence("list", tensor()), sequence("tuple", tensor()),
     [Change("structure", "x", "[float32 ()]", "(float32 (),)")]),
    ("tensor to list", tensor(2), sequence("list", tensor(2)),
     [Change("structure", "x", "float32 (2,)", "[float32 (2,)]")]),
    ("key came", mapping(a=tensor()), mapping(a=tensor(), mask=tensor(2)),
     [Change("structure", "x['mask']", "no such key", "float32 (2,)")]),
    ("key went and leaf changed", mapping(a=tensor(), b=literal(1)), mapping(a=tensor(1)),
     [Change("rank", "x['a']", "()", "(1,)"), Change("structure", "x['b']", "1", "no such key")]),
    ("deep leaf", mapping(a=sequence("tuple", tensor(), sequence("list", literal(1)))),
     mapping(a=sequence("tuple", tensor(), sequence("list", literal(2)))),
     [Change("python_value", "x['a'][1][0]", "1", "2")]),
    ("named tuple's field", Node("named_tuple", "P", children=((".x", literal(1)),)),
     Node("named_tuple", "P", children=((".x", literal(2)),)), [Change("python_value", "x.x", "1", "2")]),
    ("another named tuple", Node("named_tuple", "P", children=((".x", literal(1)),)),
     Node("named_tuple", "Q", children=((".x", literal(1)),)), [Change("structure", "x", "P(x=1)", "Q(x=1)")]),
    ("composite_spec is one leaf", spec("Ragged(2)", tensor(2)), spec("Ragged(3)", tensor(3)),
     [Change("composite_spec", "x", "Ragged(2)", "Ragged(3)")]),
    ("composite to tensor", spec("Ragged(2)", tensor(2)), tensor(2),
     [Change("composite_spec", "x", "Ragged(2)", "float32 (2,)")]),
    ("variable's trainable", variable(1), variable(2, trainable=False),
     [Change("composite_spec", "x", "trainable=True", "trainable=False")]),
    ("another variable alone", variable(1, 2), variable(2, 2), []),
    ("tensor spec's name", tensor(2, name="a"), tensor(2, name="b"),
     [Change("composite_spec", "x", "float32 (2,) name='a'", "float32 (2,) name='b'")]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_one_argument(old: Node, new: Node, expected: list[Change]) -> None:
    assert diff_signatures(Signature((("x", old),)), Signature((("x", new),))) == expected
    assert diff_signatures(Signature((("x", new),)), Signature((("x", new),))) == []


def test_variable_identity() -> None:
    one = Signature((("a", variable(1)), ("b", variable(1)), ("c", variable(2))))
    two = Signature((("a", variable(5)), ("b", variable(6)), ("c", variable(7))))
    other = Signature((("a", variable(8)), ("b", variable(8)), ("c", variable(9))))
    half = Signature((("a", variable(1)), ("b", variable(3)), ("c", variable(2))))
    sharing = Change("variable_identity", "b", "the same variable as a", "a variable of its own")
    assert diff_signatures(one, half) == [sharing]
    assert [c.path for c in diff_signatures(one, two)] == ["a", "b"]  # b alone would share with none of the new ones
    assert diff_signatures(one, other) == []


def test_which_variables_share_is_what_counts() -> None:
    """`mix(a, b)`, `mix(d, a)`: another shape, and as before two variables."""
    cached = Signature((("x", variable(1, 2)), ("y", variable(2, 2))))
    wanted = Signature((("x", variable(4, 3)), ("y", variable(1, 2))))
    assert [(c.cause, c.path) for c in diff_signatures(cached, wanted)] == [("shape", "x")]


def test_a_variable_that_is_put_back_is_any_of_its_like() -> None:
    """`ema(b, a)`, `ema(a, 1.0)`: with `a` again in its place, which is the other one now, it would share."""
    cached = Signature((("shadow", variable(2)), ("var", variable(1))))
    wanted = Signature((("shadow", variable(1)), ("var", tensor())))
    assert [(c.cause, c.path) for c in diff_signatures(cached, wanted)] == [("python_type", "var")]


def test_what_differs_is_never_shown_twice_as_the_same() -> None:
    old, new = (Node("literal", "Level", value="Level value", identity=n) for n in (1, 2))
    assert two_texts(old, new) == ("Level value", "another Level value")
    assert is_iterator(two_texts(*[Node("literal", "zip", value="zip value", identity=n) for n in (1, 2)])[1])


def test_variables_and_fields_are_told_in_structures() -> None:
    def parts(old: Node, new: Node) -> list[tuple[str, ...]]:
        return [c.parts for c in diff_signatures(Signature((("x", old),)), Signature((("x", new),)))]

    two, three = sequence("list", variable(1), variable(2)), sequence("list", variable(1), variable(2), variable(3))
    assert parts(two, three) == [("variable",)]
    assert parts(mapping(a=tensor(1)), mapping(a=tensor(1), b=variable(1))) == [("variable",)]
    assert parts(sequence("list", tensor(1)), sequence("list", literal(1), tensor(1))) == [()]

    def batch(**extra: Node) -> Node:
        return Node("composite", "Batch", identity=5, children=((".extra", mapping(**extra)),))

    found = diff_signatures(Signature((("b", batch(a=tensor(1))),)), Signature((("b", batch(c=tensor(1))),)))
    assert [(c.cause, c.path, c.parts) for c in found] == [
        ("structure", "b.extra['c']", ("field",)), ("structure", "b.extra['a']", ("field",)),
    ]  # fmt: skip

    def flattened(key: str, count: int) -> Node:
        """Of a class with `__tf_flatten__`: an attribute may be anything, and what has no name may not."""
        return Node("custom_nest", "State", identity=6, children=((key, sequence("tuple", *[tensor()] * count)),))

    assert [parts(flattened(key, 1), flattened(key, 2)) for key in (".seen", "[0]")] == [[(ALIKE,)], [("field",)]]


def test_variables_that_change_otherwise_are_named_once() -> None:
    one = Signature((("a", variable(1)), ("b", variable(1))))
    two = Signature((("a", tensor()), ("b", variable(1))))
    assert [c.path for c in diff_signatures(one, two)] == ["a"]


def test_number_of_arguments() -> None:
    one = Signature((("args[0]", literal(1)),))
    two = Signature((("args[0]", literal(2)), ("args[1]", literal(1))))
    assert diff_signatures(one, two) == [
        Change("structure", "args", "1 argument", "2 arguments"),
        Change("python_value", "args[0]", "1", "2"),
    ]


def test_keywords() -> None:
    one = Signature((("kw['a']", literal(1)),))
    two = Signature((("kw['b']", literal(1)),))
    assert [(c.cause, c.path) for c in diff_signatures(one, two)] == [
        ("structure", "kw['b']"),
        ("structure", "kw['a']"),
    ]


def test_context() -> None:
    one, two = Signature(context={}), Signature(context={"device_functions": "/GPU:0"})
    assert diff_signatures(one, two) == [Change("context", "device_functions", "none", "/GPU:0")]


def test_captures_beyond_the_looked_up_ones_do_not_matter() -> None:
    cached = Signature(captures=(("a", tensor(2)), ("b", tensor(1))))
    assert diff_signatures(cached, Signature(captures=(("a", tensor(2)),))) == []
    assert diff_signatures(cached, Signature(captures=(("a", tensor(3)),))) == [
        Change("capture", "a", "float32 (2,)", "float32 (3,)")
    ]
    assert diff_signatures(Signature(), Signature(captures=(("a", tensor(3)),))) == [
        Change("capture", "a", "not captured", "float32 (3,)")
    ]


def test_long_texts_are_shown_where_they_begin_to_differ() -> None:
    shared = ", ".join(f"float32 (None, {i})" for i in range(30))
    old, new = (Node("composite", "IteratorSpec", value=f"IteratorSpec(({shared}, {end}))") for end in ("a", "b"))
    texts = two_texts(old, new)
    assert [text[-4:] for text in texts] == [" a))", " b))"]
    assert all(text.startswith("IteratorSpec(…") and len(text) <= 161 for text in texts)
    early = two_texts(old, Node("composite", "DatasetSpec", value=f"DatasetSpec(({shared}))"))
    assert [text[:7] for text in early] == ["Iterato", "Dataset"]
    assert all(text.endswith("…") and len(text) == 160 for text in early)


def test_one_of_several_bools_is_told() -> None:
    """Together they have more than two values."""

    def parts(*pairs: tuple[object, object]) -> list[tuple[str, ...]]:
        cached, wanted = (sequence("tuple", *(literal(pair[i]) for pair in pairs)) for i in (0, 1))
        changes = diff_signatures(Signature((("x", cached),)), Signature((("x", wanted),)))
        return [change.parts for change in changes]

    assert parts((True, False), (False, False)) == [("bools",)]
    assert parts((True, False), (1.5, 2.5)) == [(), ()]
    assert parts((True, False), (True, False), (1.5, 2.5)) == [("bools",), ("bools",), ()]


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (literal(0), sequence("tuple", literal(0), literal(1)), "unknown"),
        (sequence("list", literal(3), literal(3)), literal(3), "unknown"),
        (sequence("tuple", literal(0)), sequence("list", literal(0)), "avoidable"),
        (sequence("tuple", tensor()), literal(0), "avoidable"),
    ],
)
def test_one_number_or_several_as_an_axis_is(old: Node, new: Node, word: str) -> None:
    changes = tuple(diff_signatures(Signature((("axis", old),)), Signature((("axis", new),))))
    assert [change.cause for change in changes] == ["structure"]
    assert judge(Facts("retrace", changes, same_graph=False)).word == word
    assert judge(Facts("retrace", changes, same_graph=True)).word == "avoidable"


COLUMNS = [sequence("list", *map(literal, "abc"[:n])) for n in range(3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (COLUMNS[1], COLUMNS[2]),
        (COLUMNS[0], COLUMNS[1]),
        (COLUMNS[2], sequence("tuple", *map(literal, "ab"))),
        (mapping(x=tensor()), mapping(x=tensor(), mode=literal("a"))),
    ],
)
def test_strings_choose_what_is_computed_unless_the_graph_is_the_same(old: Node, new: Node) -> None:
    changes = tuple(diff_signatures(Signature((("columns", old),)), Signature((("columns", new),))))
    assert [change.cause for change in changes] == ["structure"]
    words = {same: judge(Facts("retrace", changes, same_graph=same)).word for same in (True, False, None)}
    assert words == {True: "avoidable", False: "unknown", None: "unknown"}


@pytest.mark.parametrize(
    ("new", "word"),
    [
        (sequence("list", *map(literal, "abc")), "avoidable"),
        (sequence("list", *map(literal, ("a", "b", 3))), "unknown"),
        (sequence("list"), "unknown"),  # it makes a tensor of another dtype
        (sequence("tuple", *map(literal, "abc")), "unknown"),
        (mapping(a=literal("a")), "unknown"),
    ],
)
def test_a_longer_list_of_strings_that_is_a_constant_can_be_a_tensor(new: Node, word: str) -> None:
    changes = tuple(diff_signatures(Signature((("texts", COLUMNS[2]),)), Signature((("texts", new),))))
    assert judge(Facts("retrace", changes, same_graph=False, text_alone=True)).word == word
    assert judge(Facts("retrace", changes, same_graph=False)).word == "unknown"


@pytest.mark.parametrize(("now", "alike"), [(variable(2, 2), True), (variable(2, 3), False), (literal(1), False)])
def test_a_tuple_of_what_a_list_holds_is_told_apart(now: Node, alike: bool) -> None:
    lists = [Signature((("x", sequence(kind, node)),)) for kind, node in (("list", variable(1, 2)), ("tuple", now))]
    (change,) = diff_signatures(*lists)
    assert (change.cause, OTHER_SEQUENCE in change.parts) == ("structure", alike)
