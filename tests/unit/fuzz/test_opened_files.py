"""No file is opened by a name from a record: the corpus names sources that are there, and more are added."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from google.protobuf.message import DecodeError

from tb_retrace_plugin.schema import tags
from tests.support.fuzzed_case import run_case
from tests.support.mutated_records import MESSAGES, Case, Item, corpus, make_case, submessages
from tests.support.mutated_requests import PREFIX, Site

_EVENTS = ("open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir", "subprocess.Popen")
_watching: list[list[str]] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event in (
        "open",
        "os.listdir",
        "os.scandir",
        "os.remove",
        "os.rename",
        "os.mkdir",
        "subprocess.Popen",
    ):
        _watching[-1].append(f"{event} {arguments[0]}")


sys.addaudithook(_hook)  # there is no way to take one away


@contextmanager
def watched() -> Iterator[list[str]]:
    """What is opened, listed, removed or run meanwhile; modules that are loaded late apart."""
    found: list[str] = []
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.pop()
        prefixes = tuple(f"{event} {os.path.realpath(sys.prefix)}" for event in ("open", "os.listdir", "os.scandir"))
        base = tuple(f"{event} {os.path.realpath(sys.base_prefix)}" for event in ("open", "os.listdir", "os.scandir"))
        found[:] = [one for one in found if not one.startswith(prefixes + base) and ".pyc" not in one]
        # Python's parser and tokenizer look for the lines of what they cannot take in files of these very names
        found[:] = [one for one in found if one not in ("open <unknown>", "open <string>")]


def test_the_watch_sees_a_file() -> None:
    with watched() as found:
        Path(__file__).read_text(encoding="utf-8")
    assert found == [f"open {__file__}"]


def test_readers_and_answers_open_the_event_files_alone(tmp_path: Path) -> None:
    run_case(Case(list(corpus()["shape_of_an_argument"]), 0, random.Random(1)), tmp_path)  # what is loaded late
    for number in range(60):
        case = make_case(5, number)
        case.items = [_naming(item) for item in case.items]
        with watched() as found:
            run_case(case, tmp_path)
        assert [one for one in found if str(tmp_path) not in one] == []


def test_requests_open_nothing() -> None:
    asked = Site([_naming(item) for item in corpus()["shape_of_an_argument"]])
    (session,) = asked.known["session"]
    urls = [
        "digest", "report", "csv", "chrome_trace", f"trace?session={session}&seq=2",
        f"function?session={session}&seq=2",
        f"compare?session_b={session}&seq_b=2", f"compare_runs?a={session}&b={session}",
        f"trace?session={__file__}&seq=1",
    ]  # fmt: skip
    for url in urls:
        asked.get(f"{PREFIX}/{url}")
    for url in urls:
        with watched() as found:
            assert asked.get(f"{PREFIX}/{url}").status in (200, 400, 404)
        assert found == [], url


def _naming(item: Item) -> Item:
    """Every `file` and `program` in it is this file, which is there."""
    tag = tags.parse_tag(item.tag)
    if tag is None or tag.kind == "graph":
        return item
    message = MESSAGES[tag.kind]()
    try:
        message.ParseFromString(item.payload)
    except DecodeError:
        return item
    for one in submessages(message):
        for field in one.DESCRIPTOR.fields:
            if field.name in ("file", "program"):
                setattr(one, field.name, __file__)
    return replace(item, payload=message.SerializeToString())
