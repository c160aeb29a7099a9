"""How graphs use numbers, in sentences."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.python_values.number_in_words import what_is_not_known, what_it_decides
from tb_retrace_plugin.explain.advice.python_values.use import Together, Use


def test_numbers_of_one_use_are_told_in_one_note() -> None:
    whole, both = Use(("int32",)), Use(("int32", "float32"))
    uses = {"box[0]": whole, "box[1]": whole, "rate": both, "size": whole}
    chosen = dict.fromkeys(uses, "int64") | {"size": "int32"}
    assert what_is_not_known(uses, chosen) == [
        "In the graphs `box[0]` and `box[1]` became constants of int32: whether int64 does instead is not known.",
        "In the graphs `rate` became constants of int32 and float32: a tensor has one dtype, and the code would have to"
        " cast it for the others.",
    ]
    (alone,) = what_is_not_known({"n": whole}, {"n": "int64"})
    assert alone.startswith("In the graphs it became constants of int32:")


def test_what_a_number_may_choose_is_told_of_each() -> None:
    uses = {"a": Use(same_graphs="1 and 2"), "b": Use(same_graphs="3 and 4")}
    found = what_is_not_known(uses, dict.fromkeys(uses, "int32"))
    assert [note.partition(" Where ")[0] for note in found] == [
        "For 1 and 2 the graphs are the same: if the code makes no use of `a`, leave it out instead.",
        "For 3 and 4 the graphs are the same: if the code makes no use of `b`, leave it out instead.",
    ]
    (used, _) = what_is_not_known(uses, dict.fromkeys(uses, "int32"), is_used=True)
    assert used.startswith("For 1 and 2 the graphs are the same: where `a` chooses in Python what is used")


def test_what_changed_in_a_new_function_object_did_not_change_at_once_with_another() -> None:
    (alone, both) = Together(("steps",), 342, 506), Together(("steps", "rate"), 342, 506)
    said = "the graphs have 342 and 506 nodes, so `steps` may decide what is built"
    assert what_it_decides({"steps": Use(may_decide=alone)}) == (
        f"Where `steps` changed in a new tf.function object, {said}"
    )
    assert what_it_decides({"steps": Use(may_decide=both)}) == f"Where `steps` and `rate` changed at once, {said}"
