"""Keys that are there in some calls only: what is advised is written for every key that the number is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Graphs, NeutralValue
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
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


def test_no_value_stands_for_a_key_that_holds_an_address() -> None:
    """`{str(sampler.loss_fn): …}`: other objects are other keys, also in the next run."""
    key = "<bound method Sampler.loss_fn of <__main__.Sampler object at 0x7f51c{}>>"
    calls = [mapping(x=tensor(2), **{key.format(n): tensor(3)}) for n in range(3)]
    traces = history(*({"batch": one} for one in calls))
    (found,) = advice(traces)
    assert numbers([found]) == [("same_keys", 3, None)]
    assert "`batch` of `train_step` has keys that hold an object's address in memory" in found.in_one
    assert not found.code
    verdicts = [judge(Facts(trace.kind, trace.changes)) for trace in traces[1:]]
    assert {verdict.word for verdict in verdicts} == {"avoidable"}
    assert all("holds an object's address in memory" in verdict.evidence for verdict in verdicts)


def test_a_number_is_not_neutral_and_not_counted() -> None:
    calls = [mapping(), mapping(gain=literal(2.0)), mapping(gain=literal(2.0), shift=tensor())]
    counted, told = advice(history(*({"options": one} for one in calls)))
    assert numbers([counted, told]) == [("same_keys", 3, 2), ("same_keys", 3, None)]
    assert "gain" not in counted.in_one
    assert "gain" not in (counted.code or "")
    assert told.code == "options['gain'] = tf.constant(options.get('gain', …))  # what is neutral"
    assert not any("int32" in note for note in told.notes)
    (whole,) = advice(history({"options": mapping()}, {"options": mapping(gain=literal(2))}))
    assert whole.notes[-1].startswith("`tf.constant` makes a whole number one of int32: where the code computes in")
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


def of(word: str, *taken: str, differs: set[str] | None = None) -> NeutralValue:
    return NeutralValue(word, frozenset(taken), None if differs is None else frozenset(differs))


def keys_of(neutral: NeutralValue | None, tensor_there: Node | None = None, *, swapped: bool = False) -> Advice:
    calls = [{"batch": mapping(x=tensor(2))}, {"batch": mapping(b=tensor_there or tensor(2), x=tensor(2))}]
    asked = []

    def neutral_for(place: int, number: int, lacking: int | None) -> NeutralValue | None:
        asked.append((place, number, lacking))
        return neutral

    traces = history(*(calls[::-1] if swapped else calls))
    (found,) = advise(FunctionFacts("f", traces, graphs=Graphs(neutral=neutral_for)))
    assert asked == [(0, 0, 1) if swapped else (1, 0, 0)]  # keys are sorted; each is asked once
    return found


@pytest.mark.parametrize(
    ("neutral", "value", "said"),
    [
        (of("zeros", "AddV2"), "zeros", "The graphs take `batch['b']` in `AddV2`: zeros are neutral for that."),
        (of("ones", "RealDiv", differs=set()), "ones", "The graphs take `batch['b']` in `RealDiv`: ones are neutral"),
        (of("ones", "Mul", differs={"Sum", "DivNoNan", "Mean"}), "ones", "(`DivNoNan`, `Mean` and `Sum`): ones may"),
        (of("ones", "Mul", "Sum", differs={"Sum"}), "ones", "take `batch['b']` in `Mul`: ones are neutral for that."),
        (of("ones", "Sum"), "ones", "take `batch['b']` in `Sum`: ones are neutral for that."),
        (None, "ones", "Ones are neutral for what the code multiplies with"),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_which_value_is_neutral_by_what_the_graphs_do(
    neutral: NeutralValue | None, value: str, said: str, swapped: bool
) -> None:
    found = keys_of(neutral, swapped=swapped)
    assert found.code == f"batch.setdefault('b', tf.{value}([2], tf.float32))  # or what is neutral"
    assert said in found.in_one
    assert found.traces_after == 1
    assert isinstance(found.apply, dict)
    assert found.apply["keys"]["batch['b']"].get("zeros", False) == (value == "zeros")


@pytest.mark.parametrize(
    ("neutral", "said"),
    [
        (of("none", "ConcatV2"), "take `batch['b']` in `ConcatV2`: no value is known to be neutral for that."),
        (of("none", "Mul", "Sub from"), "in `Mul` and `Sub`: no value"),
        # as of a task's labels: `abs(output - 0)` is a loss, too, where there was none
        (of("zeros", "Sub", differs={"Abs", "Mean"}), "With zeros for `batch['b']` graphs differ from those that lack"),
        (of("ones", "Mul", differs={"AddV2"}), "With ones for `batch['b']` graphs differ from those that lack"),
        (of("zeros", "AddV2", differs={"the constant 1", "the constant 2"}), "(the constant 1 and the constant 2)"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_known_is_left_to_choose_and_no_number_is_promised(
    neutral: NeutralValue, said: str
) -> None:
    found = keys_of(neutral)
    assert found.code == "batch.setdefault('b', …)  # what you choose: float32 (2,)"
    assert said in found.in_one
    assert "with a value that you choose where there is none" in found.text
    assert (found.traces_after, found.seconds_saved, found.apply) == (None, None, None)
    assert found.evidence == "What a neutral value would be is not known."


def test_texts_have_a_neutral_value_by_the_graphs_alone() -> None:
    text = Node("tensor", dtype="string", shape=(2,))
    found = keys_of(of("zeros", "StringJoin"), text)
    assert found.code == "batch.setdefault('b', tf.zeros([2], tf.string))  # or what is neutral"
    assert found.traces_after == 1
    found = keys_of(None, text)
    assert found.code == "batch.setdefault('b', …)  # what you choose: string (2,)"
    assert (found.traces_after, found.notes) == (None, ("No value of `batch['b']` is known to be neutral.",))


def test_a_call_that_lacks_it_is_compared_with_where_numbers_changed_as_well() -> None:
    """Snapshots that are added one for each task: what is computed of one is a loss, too, where there was none."""
    calls = [
        {"n": literal(0), "old": mapping(x=tensor(2))},
        {"n": literal(1), "old": mapping(b=tensor(2), x=tensor(2))},
    ]
    asked = []

    def neutral_for(place: int, number: int, lacking: int | None) -> NeutralValue:
        asked.append((place, number, lacking))
        return of("zeros", "Sub", differs=differs)

    differs: set[str] = {"Square", "Sum", "the constant 0.5"}
    graphs = Graphs(neutral=neutral_for)
    found = next(a for a in advise(FunctionFacts("f", history(*calls), graphs=graphs)) if "same_keys" in a.rule)
    assert asked == [(1, 0, 0)]
    assert "With zeros for `old['b']` graphs differ from those that lack it all the same (`Square` and `Sum`)" in (
        found.in_one
    )
    differs = {"the constant 0.5"}  # a number that was passed
    graphs = Graphs(neutral=neutral_for)
    found = next(a for a in advise(FunctionFacts("f", history(*calls), graphs=graphs)) if "same_keys" in a.rule)
    assert "old.setdefault('b', tf.zeros([2], tf.float32))" in (found.code or "")
    # of a size that changed, too, it tells nothing
    asked.clear()
    other = [calls[0], {"n": literal(1), "old": mapping(b=tensor(2), x=tensor(3))}]
    advise(FunctionFacts("f", history(*other), graphs=Graphs(neutral=neutral_for)))
    assert asked == [(1, 0, None)]


def test_several_that_are_refused_alike_are_told_in_one_note() -> None:
    inner = mapping(w=tensor(2), b=tensor(3))
    calls = [{"old": mapping(x=tensor(2))}, {"old": mapping(k=inner, x=tensor(2))}]
    graphs = Graphs(neutral=lambda place, number, lacking: of("zeros", "Sub", differs={"Sum"}))
    (found,) = advise(FunctionFacts("f", history(*calls), graphs=graphs))
    assert len(found.notes) == 1
    told = "With zeros for `old['k']['w']` and `old['k']['b']` graphs differ from those that lack them"
    assert told in found.notes[0]


def test_graphs_that_take_it_in_several_ways_have_to_agree() -> None:
    calls = [{"batch": mapping(x=tensor(n))} for n in (2, 3)]
    calls += [{"batch": mapping(b=tensor(7), x=tensor(n))} for n in (2, 3, 4)]
    for words, after in (("ones ones ones", 3), ("ones none ones", None), ("ones zeros ones", None)):
        by_place = dict(zip((2, 3, 4), words.split(), strict=True))
        graphs = Graphs(neutral=lambda place, number, lacking, by=by_place: of(by[place], "Mul"))  # type: ignore[misc]
        found = next(a for a in advise(FunctionFacts("f", history(*calls), graphs=graphs)) if a.rule == "same_keys")
        assert found.traces_after == after
        assert ("…" in (found.code or "")) == (after is None)


@pytest.mark.parametrize("path", ["args[0]", "options['batch']"])
def test_what_stars_take_is_changed_by_the_callers_name(path: str) -> None:
    calls = [{path: mapping(x=tensor(2))}, {path: mapping(x=tensor(2), mask=tensor(2))}]
    source = "step(**{'a': 1}, batch=rows)" if "options" in path else "step(rows)"
    (found,) = advice(history(*calls, source=source), "step")
    assert (found.code or "").startswith("rows.setdefault('mask', ")


def test_a_counter_is_to_be_passed_as_a_dictionary_first() -> None:
    calls = [replace(mapping(a=literal(n), b=literal(1)), class_name="Counter") for n in (2, 3, 4)]
    (found,) = advice(history(*({"x": tensor(2), "counts": one} for one in calls)))
    assert numbers([found]) == [("tensor_for_python_number", 3, 1)]
    assert found.warnings[0].startswith("`counts` is of `collections.Counter`, which TensorFlow makes anew of pairs")
    assert "Pass `dict(counts)` at every call first" in found.warnings[0]
    assert found.apply is None


@pytest.mark.parametrize("failed", [False, True])
def test_a_key_that_failed_calls_alone_had_is_not_asked_for(failed: bool) -> None:
    """`inputs` in place of `x`; what they lack, and calls that work have, is."""
    calls = [mapping(x=tensor(2)), mapping(inputs=tensor(2)), mapping(x=tensor(2), b=tensor(2))]
    traces = history(*({"batch": one} for one in calls))
    traces[1] = replace(traces[1], lookup=replace(traces[1].lookup, failed=failed))
    code = "\n".join(found.code or "" for found in advice(traces) if found.rule == "same_keys")
    assert ("setdefault('inputs'" in code) is not failed
    assert all(f"setdefault('{key}'" in code for key in "xb")
