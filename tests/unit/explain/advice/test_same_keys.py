"""Keys that are there in some calls only: what is advised is written for every key that the number is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import GraphPair, Graphs
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, call, history, literal, mapping, numbers, tensor

NONE = Node("literal", "NoneType", value="None", identity=1)


def keyed(**children: Node) -> Node:
    """Keys as they are written: `keyed(**{"0": …})` has the number 0."""
    return Node("dict", "dict", children=tuple((f"[{key}]", node) for key, node in children.items()))


def test_a_container_is_written_with_what_it_holds() -> None:
    aug = mapping(img=tensor(2, 3), pair=Node("tuple", "tuple", children=(("[0]", tensor()), ("[1]", NONE))))
    calls = [mapping(x=tensor(2)), mapping(x=tensor(2), aug=aug), mapping(x=tensor(2), aug=aug, w=tensor(2))]
    (found,) = advice(history(*({"batch": one} for one in calls)))
    assert numbers([found]) == [("same_keys", 3, 1)]
    assert (found.code or "").splitlines() == [
        "batch.setdefault('aug', {'img': tf.ones([2, 3], tf.float32), 'pair': (tf.ones([], tf.float32), None)})"
        "  # or what is neutral",
        "batch.setdefault('w', tf.ones([2], tf.float32))  # or what is neutral",
    ]
    assert found.apply is None


def test_what_a_container_holds_has_the_size_of_the_call() -> None:
    sizes = (2, 2, 3, 3)
    calls = [mapping(x=tensor(n, 8), **({"aug": mapping(img=tensor(n))} if i % 2 else {})) for i, n in enumerate(sizes)]
    found = next(a for a in advice(history(*({"batch": one} for one in calls))) if a.rule == "same_keys")
    assert found.code == (
        "batch.setdefault('aug', {'img': tf.ones(tf.shape(batch['x'])[:1], tf.float32)})  # or what is neutral"
    )
    assert found.traces_after == 2


def test_keys_of_a_container_that_is_missing_too() -> None:
    calls = [mapping(), mapping(aug=mapping(a=tensor(1))), mapping(aug=mapping(a=tensor(1), b=tensor(2)))]
    calls = [mapping(x=tensor(2), **{key[2:-2]: node for key, node in one.children}) for one in calls]
    (found,) = advice(history(*({"batch": one} for one in calls)))
    assert found.traces_after == 1
    assert (found.code or "").splitlines() == [
        "batch.setdefault('aug', {'a': tf.ones([1], tf.float32)})  # or what is neutral",
        "batch['aug'].setdefault('b', tf.ones([2], tf.float32))  # or what is neutral",
    ]


def test_an_inner_dictionary_that_is_empty_lacks_the_key() -> None:
    calls = [mapping(x=tensor(2), aug=mapping(**inner)) for inner in ({}, {"a": tensor(1)})]
    (found,) = advice(history(*({"batch": one} for one in calls)))
    assert numbers([found]) == [("same_keys", 2, 1)]
    assert found.code == "batch['aug'].setdefault('a', tf.ones([1], tf.float32))  # or what is neutral"


def test_keys_that_are_data_are_not_written_out() -> None:
    users = [mapping(**{f"user {n}": tensor(2), "all": tensor(3)}) for n in range(30)]
    (found,) = advice(history(*({"batch": one} for one in users)))
    assert numbers([found]) == [("same_keys", 30, None)]
    assert "`batch` of `train_step` has other keys in other calls, 30 so far" in found.in_one
    assert not found.code
    (few,) = advice(history(*({"batch": one} for one in users[:3])))
    assert numbers([few]) == [("same_keys", 3, 1)]


def test_a_number_is_not_neutral_and_not_counted() -> None:
    calls = [mapping(), mapping(gain=literal(2.0)), mapping(gain=literal(2.0), shift=tensor())]
    counted, told = advice(history(*({"options": one} for one in calls)))
    assert numbers([counted, told]) == [("same_keys", 3, 2), ("same_keys", 3, None)]
    assert "gain" not in counted.in_one
    assert "gain" not in (counted.code or "")
    assert told.code == "options['gain'] = tf.constant(options.get('gain', …))  # what is neutral"
    modes = {"options": mapping()}, {"options": mapping(mode=literal("fast"))}
    assert not advice(history(*modes, same_graph=False))
    alone = advice(history(*modes, same_graph=True))
    assert [(a.rule, a.traces_after, a.evidence) for a in alone] == [
        ("same_keys", None, "What a neutral value would be is not known.")
    ]


def test_keys_that_do_not_fit_into_one_dictionary() -> None:
    def rules(*keys: str) -> list[tuple[str, int, int | None]]:
        found = advice(history(*({"features": keyed(**{key: tensor(2)})} for key in keys)))
        assert all(a.code is None for a in found)
        return numbers(found)

    assert rules("0", "'0'") == [("same_keys", 2, None)]  # TensorFlow sorts them
    assert rules("0", "0.0") == [("same_keys", 2, None)]  # the same key
    assert rules("<Color.RED: 1>", "<Color.BLUE: 2>") == [("same_keys", 2, None)]
    found = advice(history(*({"features": keyed(**{key: tensor(2)})} for key in ("0", "1"))))
    assert numbers(found) == [("same_keys", 2, 1)]


def test_a_key_with_brackets() -> None:
    calls = [mapping(x=tensor(2)), mapping(x=tensor(2), **{"mask[0]": tensor(2)})]
    (found,) = advice(history(*({"batch": one} for one in calls)))
    assert found.code == "batch.setdefault('mask[0]', tf.ones([2], tf.float32))  # or what is neutral"
    assert found.traces_after == 1


def test_a_dictionary_that_is_written_out_in_a_call_is_changed_by_hand() -> None:
    """The others have the caller's own name."""
    with_key, without = mapping(x=tensor(2), w=tensor(2)), mapping(x=tensor(2))
    traces = history({"batch": with_key}, {"batch": without})
    lines = 'train_step({"x": x, "w": w})', "train_step(f)", 'train_step({"x": x})'
    traces.append(replace(traces[1]))
    traces = [replace(t, stack=call(line, n)) for n, (t, line) in enumerate(zip(traces, lines, strict=True), 1)]
    found = advice(traces)[0]
    assert (found.code or "").splitlines() == [
        "f.setdefault('w', tf.ones([2], tf.float32))  # or what is neutral",
        '# and by hand in line 3: train_step({"x": x})',
    ]


def test_what_is_neutral_depends_on_what_the_code_does_with_it() -> None:
    """Ones, where the code adds what is passed, change the results."""
    said = "Ones are neutral for what the code multiplies with, such as a mask or weights; for what it adds, zeros are."
    (found,) = advice(history({"batch": mapping(x=tensor(2))}, {"batch": mapping(x=tensor(2), b=tensor(2))}))
    assert said in found.in_one
    text = Node("tensor", dtype="string", shape=(2,))
    (found,) = advice(history({"batch": mapping(x=tensor(2))}, {"batch": mapping(x=tensor(2), b=text)}))
    assert said not in found.in_one


@pytest.mark.parametrize(
    ("taken", "value", "said"),
    [
        ({"AddV2"}, "zeros", "The graphs only add `batch['b']`: zeros are neutral."),
        ({"Sub", "BiasAdd"}, "zeros", "The graphs only add `batch['b']`: zeros are neutral."),
        ({"Mul", "Sum"}, "ones", "Ones are neutral for what the code multiplies with"),
        ({"ConcatV2"}, "ones", "neither add nor multiply with `batch['b']`: no value is known to be neutral."),
        ({"StatelessIf"}, "ones", "Ones are neutral for what the code multiplies with"),
        (None, "ones", "Ones are neutral for what the code multiplies with"),
    ],
)
def test_which_value_is_neutral_by_what_the_graphs_do(taken: set[str] | None, value: str, said: str) -> None:
    calls = [{"batch": mapping(x=tensor(2))}, {"batch": mapping(b=tensor(2), x=tensor(2))}]
    asked = []

    def taken_by(place: int, number: int) -> frozenset[str] | None:
        asked.append((place, number))
        return None if taken is None else frozenset(taken)

    facts = FunctionFacts("f", history(*calls), graphs=Graphs(taken_by=taken_by))
    (found,) = advise(facts)
    assert found.code == f"batch.setdefault('b', tf.{value}([2], tf.float32))  # or what is neutral"
    assert said in found.in_one
    assert asked == [(1, 0)]  # keys are sorted
    assert isinstance(found.apply, dict)
    assert found.apply["keys"]["batch['b']"].get("zeros", False) == (value == "zeros")


def test_what_is_added_to_in_a_part_of_the_graph_alone_has_no_neutral_value() -> None:
    """As of a task's labels: `abs(output - 0)` is a loss, too, where there was none."""
    calls = [{"batch": mapping(x=tensor(2))}, {"batch": mapping(b=tensor(2), x=tensor(2))}]
    for more, said in ((4, "zeros are neutral."), (40, "but have 40 nodes more where it is there: what these")):
        traces = [replace(t, nodes=9 + n * more) for n, t in enumerate(history(*calls))]
        facts = FunctionFacts("f", traces, graphs=Graphs(taken_by=lambda place, number: frozenset({"Sub"})))
        (found,) = advise(facts)
        assert said in found.in_one


@pytest.mark.parametrize("path", ["args[0]", "options['batch']"])
def test_what_stars_take_is_changed_by_the_callers_name(path: str) -> None:
    calls = [{path: mapping(x=tensor(2))}, {path: mapping(x=tensor(2), mask=tensor(2))}]
    source = "step(**{'a': 1}, batch=rows)" if "options" in path else "step(rows)"
    (found,) = advice(history(*calls, source=source), "step")
    assert (found.code or "").startswith("rows.setdefault('mask', ")


@pytest.mark.parametrize(
    ("taken", "pair", "said"),
    [
        ("Sub", GraphPair(False, only_second=frozenset({"Sub", "Square"})), "more where it is there (`Square`)"),
        ("AddV2", GraphPair(False, only_second=frozenset({"AddV2"}), fractions=(1.0, 2.0)), "(a constant: 1 → 2)"),
        ("AddV2", GraphPair(False, only_second=frozenset({"AddV2", "Cast"})), "zeros are neutral."),
        ("Mul", GraphPair(False, only_second=frozenset({"Mul"})), ""),
        ("Mul", GraphPair(False, only_second=frozenset({"Mul", "AddV2"})), "(`AddV2`, `Mul`): ones may change results"),
        ("Mul", GraphPair(False, only_second=frozenset({"Mul"}), only_first=frozenset({"Mean"})), "(`Mean`): ones may"),
    ],
)  # fmt: skip
def test_what_else_the_graphs_compute_where_the_key_is_there(taken: str, pair: GraphPair, said: str) -> None:
    calls = [{"batch": mapping(x=tensor(2))}, {"batch": mapping(b=tensor(2), x=tensor(2))}]
    for order in (calls, calls[::-1]):
        asked: list[bool] = []

        def compare(one: int, other: int, order: list[dict[str, Node]] = order, asked: list[bool] = asked) -> GraphPair:
            asked.append(
                "b" in str(order[other]["batch"].children) and "['b']" not in str(order[one]["batch"].children)
            )
            return pair

        graphs = Graphs(compare, taken_by=lambda place, number: frozenset({taken}))
        (found,) = advise(FunctionFacts("f", history(*order), graphs=graphs))
        assert said in found.in_one
        assert ("more" in found.in_one) == (said not in ("", "zeros are neutral."))
        assert all(asked)  # first the one that lacks it
