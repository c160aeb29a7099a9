"""Recordings gone wrong, field by field: what a damaged, foreign or hostile logdir may hold.

Protobuf messages are changed by reflection, so that most records still parse and new fields are covered.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import zstandard
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from tensorboard.compat.proto import event_pb2, types_pb2

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.events import records as readable
from tb_retrace_plugin.events.framing import Frame, masked_crc32c, read_frames
from tb_retrace_plugin.events.packed import MAX_BYTES, Unpacker
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags, vocabulary

CORPUS = Path(__file__).parent / "corpus"

MARKUP = "<img src=x onerror=\"window.hacked='{0}'\"><script>window.hacked='{0}'</script>"
STRINGS = [
    "", " ", "\x00", "\n", "\r\n\x1b[31m", "`", "``", "`x` `", "…", "²", "٣", "\u202e", "\ufeff", "💥" * 9, "é" * 300,
    "x", "self", "x[0]", "args[0]", "kwargs['a']", "x['a'][0].b", "x[", "]", "[[[[", "x." * 400, "[0]" * 300,
    "'", '"', "\\",
    "nan", "inf", "-inf", "1e999", "-0", "0", "1", "True", "None", "9" * 5000, "-" + "9" * 400, "0x" + "f" * 99,
    "1_000",
    "float32", "int64", "complex128", "string", "resource", "variant", "bool", "<unknown>",
    "/etc/passwd", "../../../etc/passwd", "C:\\a\\b.py", "file:///etc/passwd", "\\\\host\\share", "/dev/zero",
    "a/b//c.py",
    "<lambda>", "<module>", "lambda x: (", "def f(x", "@tf.function", "train_step(batch, *a, **k)", "f(" * 300,
    "(" * 4000,
    "train_step(\x00)", "f(x=1, x=2)", "await x", "f'{x!r:{y}}'", "{}", "{0}", "%s %d", "${x}", "{{7*7}}",
    MARKUP.format("m"), "javascript:alert(1)", "</script>", "<!--", "&lt;b&gt;", "]]>",
    *vocabulary.CAUSES, *vocabulary.KINDS, *vocabulary.VERDICTS,
    "tensor", "recorded with graphs=False", "device", "strategy", "traces_not_recorded", "a counter of a later version",
]  # fmt: skip
INTEGERS = [
    0, 1, 2, 3, 4, 5, 7, 10, 99, 1000, 65_536, -1, -2, -1000, 2**31 - 1, -(2**31), 2**31, 2**32, 2**53 - 1, 2**53,
    2**62, 2**63 - 1, -(2**63), 1_700_000_000_000_000_000, 1_700_000_100_000_000_000, 10**18,
]  # fmt: skip
TIMES = [0.0, -1.0, 1.7e9, 1e18, 1e300, math.inf, -math.inf, math.nan, 5e-324, 9e9, 253402300800.0]
_INT32 = (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_SFIXED32)
_UINT32 = (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32)
_UINT64 = (FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_FIXED64)


@dataclass
class Item:
    """One datum as it goes into an event: `payload` is a serialized message, or whatever stands in its place."""

    tag: str
    payload: bytes
    wall_time: float = 1.7e9
    content: bytes = b"1"
    plugin: str = tags.PLUGIN_NAME
    dtype: int = types_pb2.DT_STRING
    values: int = 1

    def event(self) -> bytes:
        event = event_pb2.Event(wall_time=self.wall_time)
        value = event.summary.value.add(tag=self.tag)
        value.metadata.plugin_data.plugin_name = self.plugin
        value.metadata.plugin_data.content = self.content
        value.tensor.dtype = self.dtype
        value.tensor.string_val.extend([self.payload] * self.values)
        return bytes(event.SerializeToString(deterministic=True))


def framed(data: bytes) -> bytes:
    """As it lies in an event file."""
    header = struct.pack("<Q", len(data))
    crcs = masked_crc32c(header), masked_crc32c(data)
    return header + struct.pack("<I", crcs[0]) + data + struct.pack("<I", crcs[1])


MESSAGES: dict[str, type[Message]] = {**readable.MESSAGES, "graph": pb.StoredGraph}


@cache
def corpus() -> dict[str, list[Item]]:
    """The kept recordings: name -> its data in the order of writing, traces as they were before they were packed.

    `every_field` is of version 2 of the records, all others of version 1.
    """
    return {name: _unpacked(items) for name, items in recorded().items()}


def _unpacked(items: list[Item]) -> list[Item]:
    unpacker = Unpacker()
    found = []
    for item in items:
        tag = tags.parse_tag(item.tag)
        trace = pb.Trace.FromString(item.payload) if tag is not None and tag.kind == "trace" else pb.Trace()
        if tag is not None and trace.packed:
            item = replace(item, payload=unpacker.unpack(tag.session, tag.key, trace))
        found.append(item)
    return found


@cache
def recorded() -> dict[str, list[Item]]:
    """The kept recordings as they lie in their files."""
    found = {}
    for path in sorted(CORPUS.glob("*.retrace")):
        items = []
        with path.open("rb") as file:
            for frame in read_frames(file):
                assert isinstance(frame, Frame), path
                event = event_pb2.Event.FromString(frame.data)
                for value in event.summary.value:
                    items.append(Item(value.tag, value.tensor.string_val[0], event.wall_time))
        found[path.stem] = items
    assert found, f"no recordings in {CORPUS}"
    return found


# --- fields, by reflection ---


def is_repeated(one: FieldDescriptor) -> bool:
    found = getattr(one, "is_repeated", None)  # protobuf 6; before, `label`
    return bool(found) if found is not None else one.label == FieldDescriptor.LABEL_REPEATED


def is_map(one: FieldDescriptor) -> bool:
    return one.message_type is not None and one.message_type.GetOptions().map_entry


def submessages(message: Message, depth: int = 0) -> Iterator[Message]:
    """`message` and all messages in it; those of maps are plain values here."""
    yield message
    if depth > 40:
        return
    for one, value in message.ListFields():
        if one.message_type is not None and not is_map(one):
            for child in value if is_repeated(one) else [value]:
                yield from submessages(child, depth + 1)


def fill_strings(message: Message, text: Callable[[str], str], where: str = "", depth: int = 0) -> None:
    """Puts `text(name of the field)` into every string there is, and makes one where a list or message is empty.

    Fields that refer to another record (`stack_id`, hashes) too: whoever calls sets them afterwards if they must hold.
    """
    for one in message.DESCRIPTOR.fields:
        name = f"{where}.{one.name}" if where else one.name
        value = getattr(message, one.name)
        if is_map(one):
            entry = one.message_type.fields_by_name
            keys = list(value) or ([1] if entry["key"].type != FieldDescriptor.TYPE_STRING else [""])
            for key in keys:
                old = value.get(key, 1)
                value.pop(key, None)
                new_key = text(f"{name}.key") if entry["key"].type == FieldDescriptor.TYPE_STRING else key
                value[new_key] = text(f"{name}.value") if entry["value"].type == FieldDescriptor.TYPE_STRING else old
        elif one.message_type is not None:
            if is_repeated(one):
                if not value and depth < 5:
                    value.add()
                children = list(value)
            else:
                children = [value] if depth < 5 else []
            for child in children:
                fill_strings(child, text, name, depth + 1)
        elif one.type == FieldDescriptor.TYPE_STRING:
            if is_repeated(one):
                count = max(1, len(value))
                del value[:]
                value.extend(text(name) for _ in range(count))
            else:
                setattr(message, one.name, text(name))


@dataclass
class Mutator:
    """Changes messages and data; `pool`: what is borrowed from other records of the corpus, by type."""

    rng: random.Random
    pool: dict[str, list[Message]] = field(default_factory=dict)

    def integer(self) -> int:
        if self.rng.random() < 0.3:
            return self.rng.randrange(40)
        return self.rng.choice(INTEGERS)

    def string(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.0008:
            return rng.choice("x<`[(💥\n") * rng.choice([10_000, 30_000, 100_000, 1_000_000])
        if kind < 0.8:
            return rng.choice(STRINGS)
        if kind < 0.9:
            return rng.choice(STRINGS) + rng.choice(STRINGS)
        return "".join(
            chr(rng.choice([rng.randrange(128), rng.randrange(0x800), 0x1F600])) for _ in range(rng.randrange(30))
        )

    def value(self, one: FieldDescriptor) -> Any:
        """Any value of a field that is no message."""
        rng = self.rng
        if one.type == FieldDescriptor.TYPE_STRING:
            return self.string()
        if one.type == FieldDescriptor.TYPE_BYTES:
            return rng.randbytes(rng.randrange(200))
        if one.type == FieldDescriptor.TYPE_BOOL:
            return rng.random() < 0.5
        if one.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
            return rng.choice(TIMES)
        number = self.integer()
        if one.type in _INT32 or one.type == FieldDescriptor.TYPE_ENUM:
            return (number + 2**31) % 2**32 - 2**31
        if one.type in _UINT32:
            return number % 2**32
        return number % 2**64 if one.type in _UINT64 else number

    def mutate(self, message: Message) -> None:
        """One change somewhere in it."""
        rng = self.rng
        inside = [m for m in submessages(message) if m.DESCRIPTOR.fields]
        target = rng.choice(inside) if rng.random() < 0.8 else message
        one = rng.choice(target.DESCRIPTOR.fields)
        if rng.random() < 0.08:
            target.ClearField(one.name)
        elif is_map(one):
            self._mutate_map(getattr(target, one.name), one)
        elif one.message_type is not None:
            self._mutate_message(target, one)
        elif is_repeated(one):
            self._mutate_list(getattr(target, one.name), one)
        else:
            setattr(target, one.name, self.value(one))

    def _mutate_map(self, values: Any, one: FieldDescriptor) -> None:
        entry = one.message_type.fields_by_name
        for _ in range(self.rng.choice([1, 1, 1, 3, 100])):
            values[self.value(entry["key"])] = self.value(entry["value"])

    def _mutate_message(self, target: Message, one: FieldDescriptor) -> None:
        rng = self.rng
        borrowed = self.pool.get(one.message_type.full_name)
        if not is_repeated(one):
            child = getattr(target, one.name)
            if borrowed and rng.random() < 0.5:
                child.CopyFrom(rng.choice(borrowed))
            elif one.message_type.full_name == pb.TypeNode.DESCRIPTOR.full_name and rng.random() < 0.2:
                self._nest(child)
            else:
                child.SetInParent()
                self.mutate(child)
            return
        children = getattr(target, one.name)
        how = rng.random()
        if how < 0.4 or not children:
            count = rng.choice([1, 1, 1, 2, 30]) if rng.random() < 0.98 else 1000
            for _ in range(count):
                child = children.add()
                if borrowed and rng.random() < 0.8:
                    child.CopyFrom(rng.choice(borrowed))
                else:
                    self.mutate(child)
        elif how < 0.6:
            del children[rng.randrange(len(children))]
        elif how < 0.8:
            copies = [type(child).FromString(child.SerializeToString(deterministic=True)) for child in children]
            rng.shuffle(copies)
            del children[:]
            children.extend(copies)
        else:
            child = children.add()
            child.CopyFrom(rng.choice(list(children)))
            self.mutate(child)

    def _mutate_list(self, values: Any, one: FieldDescriptor) -> None:
        rng = self.rng
        how = rng.random()
        if how < 0.4 or not values:
            values.extend(self.value(one) for _ in range(rng.choice([1, 1, 2, 40])))
        elif how < 0.8:
            values[rng.randrange(len(values))] = self.value(one)
        else:
            del values[rng.randrange(len(values)) :]

    def _nest(self, node: Message) -> None:
        """Deeper and deeper; parsers end at 100 levels."""
        for _ in range(self.rng.choice([5, 30, 62, 63, 64, 65, 66, 80, 95])):
            node.kind = self.rng.choice([4, 5, 6, 8, 10])  # type: ignore[attr-defined]
            node.keys.append(self.string()[:20])  # type: ignore[attr-defined]
            node = node.children.add()  # type: ignore[attr-defined]

    # --- data ---

    def record(self, item: Item, others: list[Item]) -> Item:
        """A mutated copy: mostly of its fields, now and then of all around them."""
        rng = self.rng
        tag = tags.parse_tag(item.tag)
        new = Item(item.tag, item.payload, item.wall_time)
        if tag is not None and rng.random() < 0.9:
            message = MESSAGES[tag.kind].FromString(item.payload)
            for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
                self.mutate(message)
            if tag.kind == "trace" and rng.random() < 0.9:  # else it is refused
                message.seq = int(tag.key)  # type: ignore[attr-defined]
            if tag.kind in ("xla", "stale") and rng.random() < 0.5:
                message.seq = rng.randrange(1, 12)  # type: ignore[attr-defined]
            new.payload = message.SerializeToString(deterministic=True)
            if rng.random() < 0.85:
                return new
        for _ in range(rng.choice([1, 1, 2])):
            self._around(new, others)
        return new

    def _around(self, item: Item, others: list[Item]) -> None:
        rng = self.rng
        how = rng.randrange(14)
        payload = item.payload
        if how == 0:
            item.payload = payload[: rng.randrange(len(payload) + 1)]
        elif how == 1 and payload:
            changed = bytearray(payload)
            for _ in range(rng.choice([1, 1, 4, 30])):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            item.payload = bytes(changed)
        elif how == 2:
            item.payload = payload + self._unknown_field()
        elif how == 3:
            other = rng.choice(others)
            item.payload = (
                payload[: rng.randrange(len(payload) + 1)] + other.payload[rng.randrange(len(other.payload) + 1) :]
            )
        elif how == 4:
            item.payload = payload + rng.choice(others).payload  # protobuf merges the two
        elif how == 5:
            item.payload = rng.randbytes(rng.randrange(400))
        elif how == 6:
            item.tag = rng.choice(others).tag
        elif how == 7:
            session, key = rng.choice(["session-x", "a", "", "A", "../x", "é", "a" * 65]), str(self.integer())
            kind = rng.choice(list(MESSAGES))
            rest = [f"{kind}/{session}/{rng.choice([key, self.string()])}", f"session/{session}", self.string()]
            item.tag = rng.choice(["retrace/", "retrace//", "", "x/"]) + rng.choice(rest)
        elif how in (8, 9):
            item.wall_time = rng.choice(TIMES)
        elif how == 10:
            item.content = rng.choice(
                [b"3", b"99999999", b"9" * 400, b"", b"-1", b"\xff\xfe", "²".encode(), b"1.5", b"x" * 10_000]
            )
        elif how == 11:
            item.plugin = rng.choice(["retrace", "", "scalars", self.string()])
        elif how == 12:
            item.dtype = rng.choice([0, 1, 3, 7, 9, 10, 20, 23])
        else:
            item.values = rng.choice([0, 2, 50 if len(payload) < 100_000 else 2])  # checksums in Python take long

    def _unknown_field(self) -> bytes:
        """A field of a later version, of any wire type; groups nest."""
        rng = self.rng
        number = rng.choice([100, 1000, 2**29 - 1])
        kind = rng.randrange(4)
        if kind == 0:
            return _varint(number << 3) + _varint(self.integer() % 2**64)
        if kind == 1:
            return _varint(number << 3 | 1) + rng.randbytes(8)
        if kind == 2:
            text = rng.randbytes(rng.randrange(300))
            return _varint(number << 3 | 2) + _varint(len(text)) + text
        depth = rng.choice([1, 20, 99, 150, 5000])
        return _varint(number << 3 | 3) * depth + _varint(number << 3 | 4) * rng.choice([depth, depth - 1])


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


@cache
def _borrowed() -> dict[str, list[Message]]:
    pool: dict[str, list[Message]] = {}
    for items in corpus().values():
        for item in items:
            tag = tags.parse_tag(item.tag)
            if tag is not None and tag.kind != "graph":
                for message in submessages(MESSAGES[tag.kind].FromString(item.payload)):
                    known = pool.setdefault(message.DESCRIPTOR.full_name, [])
                    if len(known) < 300:
                        known.append(message)
    return pool


@dataclass
class Case:
    """Hostile recordings: `mutated` of its data are not as they were recorded."""

    items: list[Item]
    mutated: int
    rng: random.Random

    def file(self) -> bytes:
        """As an event file; now and then the file itself is damaged."""
        rng = self.rng
        parts = [framed(encode.encode_file_version(1.7e9)), *(framed(item.event()) for item in self.items)]
        if rng.random() < 0.1:
            at = rng.randrange(len(parts))
            part = bytearray(parts[at])
            how = rng.randrange(4)
            if how == 0:
                part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
            elif how == 1:
                del part[rng.randrange(len(part)) :]
            elif how == 2:
                part[:0] = rng.randbytes(rng.randrange(30))
            else:  # an impossible length with a right checksum
                header = struct.pack("<Q", rng.choice([0, 2**31, 2**40, 2**63, 2**64 - 1]))
                part[:12] = header + struct.pack("<I", masked_crc32c(header))
            parts[at] = bytes(part)
        return b"".join(parts)


def _packed(items: list[Item], rng: random.Random) -> list[Item]:
    """Some of the traces as a recorder packs them, and a few as none does."""
    found = []
    bases: dict[str, tuple[int, bytes]] = {}
    for item in items:
        tag = tags.parse_tag(item.tag)
        if tag is None or tag.kind != "trace" or not tag.key.isascii() or not tag.key.isdecimal() or len(tag.key) > 18:
            found.append(item)
            continue
        if rng.random() < 0.4:
            found.append(item)
            continue
        record = pb.Trace()
        dictionary = None
        if tag.session in bases and rng.random() < 0.8:
            record.base_seq, content = bases[tag.session]
            dictionary = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        else:
            bases[tag.session] = int(tag.key), item.payload
        record.packed = zstandard.ZstdCompressor(dict_data=dictionary).compress(item.payload)
        if rng.random() < 0.15:
            _repack_badly(record, rng)
        found.append(replace(item, payload=record.SerializeToString(deterministic=True)))
    return found


def _repack_badly(record: pb.Trace, rng: random.Random) -> None:
    how = rng.randrange(6)
    if how == 0:  # against another one, or one that is not there
        record.base_seq = rng.choice([0, 1, 2, -1, 10**6, 2**63 - 1])
    elif how == 1:
        damaged = bytearray(record.packed)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        record.packed = bytes(damaged)
    elif how == 2:
        record.packed = record.packed[: rng.randrange(len(record.packed))] or b"\0"
    elif how == 3:  # a bomb, with its size and without
        bomb = zstandard.ZstdCompressor(write_content_size=rng.random() < 0.5)
        record.packed = bomb.compress(bytes(rng.choice([MAX_BYTES, MAX_BYTES + 1, 10 << 20])))
    elif how == 4:  # in itself
        record.packed = zstandard.ZstdCompressor().compress(record.SerializeToString(deterministic=True))
    else:
        record.packed = rng.randbytes(rng.randrange(1, 100))


def _in_session(tag_text: str, session: str) -> str:
    tag = tags.parse_tag(tag_text)
    return tag_text.replace(f"/{tag.session}", f"/{session}", 1) if tag is not None and tag.session else tag_text


def make_case(seed: int, number: int, records: int = 30) -> Case:
    """The same for the same numbers, whatever ran before; `records` of one to four recordings at most, and copies."""
    rng = random.Random(seed * 1_000_003 + number)
    mutator = Mutator(rng, _borrowed())
    names = sorted(corpus())
    recorded = [item for name in rng.sample(names, rng.choice([1, 2, 3, 4])) for item in corpus()[name]]
    base = [recorded[place] for place in sorted(rng.sample(range(len(recorded)), min(records, len(recorded))))]
    if rng.random() < 0.2:  # all claim to be one recording: numbers collide
        base = [Item(_in_session(item.tag, "one"), item.payload, item.wall_time) for item in base]
    items: list[Item] = []
    mutated = 0
    for item in base:
        if rng.random() < 0.9:
            items.append(mutator.record(item, base))
            mutated += 1
        else:
            items.append(item)
        if rng.random() < 0.03:  # the same record again, mutated otherwise
            items.append(mutator.record(item, base))
            mutated += 1
    how = rng.random()
    if how < 0.15:
        rng.shuffle(items)
    elif how < 0.2:
        items.reverse()
    return Case(_packed(items, rng), mutated, rng)
