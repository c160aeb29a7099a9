"""A small part of tests/benchmarks/fuzz_records.py; and that the mutations are what they are meant to be."""

from __future__ import annotations

from pathlib import Path

from tb_retrace_plugin.graphs import stored
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.fuzzed_case import Outcome, run_case
from tests.support.mutated_records import MESSAGES, corpus, fill_strings, make_case, recorded, submessages

_RECORDS = 3000


def test_whatever_the_records_hold_every_answer_is_json(tmp_path: Path) -> None:
    mutated = number = 0
    total = Outcome()
    while mutated < _RECORDS:
        case = make_case(20261121, number)
        try:
            outcome = run_case(case, tmp_path)
        except Exception as error:
            raise AssertionError(f"python -m tests.benchmarks.fuzz_records --seed 20261121 --case {number}") from error
        mutated += case.mutated
        number += 1
        total.accepted += outcome.accepted
        total.problems += outcome.problems
    assert total.accepted > mutated / 2  # most parse, or it is only the parser that is tried
    assert total.problems > mutated / 50


def test_a_case_is_the_same_again() -> None:
    one, again = make_case(3, 7), make_case(3, 7)
    assert one.items == again.items
    assert one.file() == again.file()
    assert one.items != make_case(3, 8).items


def test_cases_have_every_kind_of_record() -> None:
    items = [item for number in range(120) for item in make_case(1, number).items]
    assert set(MESSAGES) <= {item.tag.split("/")[1] for item in items if item.tag.startswith("retrace/")}


def test_the_corpus_sets_every_field_of_every_message() -> None:
    """What it lacks: provoke it in tests/support/every_field.py, then `python -m tests.support.write_corpus`."""
    found: set[str] = set()
    kinds: set[int] = set()
    for items in [*recorded().values(), *corpus().values()]:
        graphs = {item.tag.split("/")[2]: item.payload for item in items if item.tag.startswith("retrace/graph/")}
        messages = [MESSAGES[item.tag.split("/")[1]].FromString(item.payload) for item in items]
        messages += [pb.GraphContent.FromString(stored.decode(sha, graphs[sha], graphs.get)) for sha in graphs]
        for message in [one for whole in messages for one in submessages(whole)]:
            found.update(field.full_name for field, _ in message.ListFields())
            if isinstance(message, pb.TypeNode):
                kinds.add(message.kind)
    known = {field.full_name for one in pb.DESCRIPTOR.message_types_by_name.values() for field in one.fields}
    assert sorted(known - found) == []
    rare = {pb.TypeNode.UNKNOWN, pb.TypeNode.ABSENT}  # what cannot be read, and what no signature of ours has
    assert set(pb.TypeNode.Kind.values()) - kinds == rare


def test_every_string_is_filled() -> None:
    trace = pb.Trace()
    fill_strings(trace, lambda name: f"<{name}>")
    assert trace.function.name == "<function.name>"
    assert trace.signature.arguments[0].type.children[0].keys[0] == "<signature.arguments.type.children.keys>"
    assert dict(trace.signature.context) == {"<signature.context.key>": "<signature.context.value>"}
    for message in submessages(trace):
        for field in message.DESCRIPTOR.fields:
            if field.type == field.TYPE_STRING:
                assert getattr(message, field.name), field.full_name
