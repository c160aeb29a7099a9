"""Reads recordings through TensorBoard's data provider: only what is new, in pages, with either loader behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tensorboard.data import provider as provider_lib

from tb_retrace_plugin.events.packed import Unpacker
from tb_retrace_plugin.events.records import AwaitsAnother, Problem, Record, decode_record, newer_schema_problem
from tb_retrace_plugin.schema import tags

#: Replies of the data server end at 256 MB; a page of records of 2 KB is about 4 MB, and one too large is halved.
_PAGE_TAGS = 2000
#: So many unreadable data in one poll mean that it is not the data.
_MAX_UNREADABLE = 20
#: Of a question that fails because a run goes meanwhile; many go at once where an experiment is deleted.
_MOST_TRIES = 10


@dataclass(slots=True)
class Batch:
    """What one poll found. `vanished`: something read earlier is gone, so everything must be read anew."""

    items: list[Record | Problem] = field(default_factory=list)
    vanished: bool = False


class ProviderReader:
    """Remembers which tags it has read. Not thread-safe: its owner holds a lock."""

    def __init__(self, provider: Any, experiment_id: str) -> None:
        self._provider = provider
        self._experiment_id = experiment_id
        self._seen: dict[str, set[str]] = {}
        self._newer_told: set[str] = set()
        self._unpackers: dict[str, Unpacker] = {}

    def poll(self, context: Any) -> Batch:
        """Reads every tag that appeared since the last poll.

        Raises:
          tensorboard.errors.PublicError, or the data server's own error: the provider cannot answer at all. The next
            poll then begins anew, and may deliver again what was delivered before.
        """
        try:
            return self._poll(context)
        except Exception:
            self._seen.clear()
            self._unpackers.clear()
            raise

    def has_read(self, run: str, tag: str) -> bool:
        """Safe to ask beside a poll."""
        return tag in self._seen.get(run, ())

    def _poll(self, context: Any) -> Batch:
        listing = _again_where_runs_go(
            lambda: self._provider.list_tensors(
                context, experiment_id=self._experiment_id, plugin_name=tags.PLUGIN_NAME
            )
        )
        if any(run not in listing or not seen.issubset(listing[run]) for run, seen in self._seen.items()):
            return Batch(vanished=True)
        batch = Batch()
        for run in sorted(listing):
            series = listing[run]
            seen = self._seen.setdefault(run, set())
            new = sorted((tag for tag in series if tag not in seen), key=_reading_order)
            if run not in self._newer_told:
                newer = (newer_schema_problem(run, series[tag].plugin_content or b"") for tag in new)
                if problem := next((p for p in newer if p), None):
                    self._newer_told.add(run)
                    batch.items.append(problem)
            missing: set[str] = set()
            for start in range(0, len(new), _PAGE_TAGS):
                page = new[start : start + _PAGE_TAGS]
                self._read_page(context, run, page, batch, missing)
                seen.update(tag for tag in page if tag not in missing)
            if new:
                self._unpackers[run].rest()
        return batch

    def _read_page(self, context: Any, run: str, page: list[str], batch: Batch, missing: set[str]) -> None:
        """Adds a page's records to `batch`, and to `missing` the tags that were listed but not delivered (yet)."""
        unreadable = 0
        unpacker = self._unpackers.setdefault(run, Unpacker())
        pending = [page]
        while pending:
            part = pending.pop()
            try:
                data = self._read(context, run, part)
            except Exception as error:
                # One datum that cannot be made an array, or a reply beyond the cap, fails the whole request.
                if len(part) > 1:
                    pending += [part[len(part) // 2 :], part[: len(part) // 2]]
                    continue
                unreadable += 1
                if unreadable > _MAX_UNREADABLE:
                    raise
                batch.items.append(
                    Problem("warning", f"{run}: record {part[0][:200]!r} cannot be read ({type(error).__name__}).")
                )
                continue
            for tag in part:
                series = data.get(tag)
                if not series:
                    missing.add(tag)
                    continue
                datum = series[-1]
                decoded = decode_record(run, tag, _payload(datum.numpy), datum.wall_time, unpacker)
                if isinstance(decoded, AwaitsAnother) and missing:
                    missing.add(tag)
                elif decoded is not None:
                    batch.items.append(decoded)

    def _read(self, context: Any, run: str, page: Iterable[str]) -> dict[str, list[Any]]:
        result = _again_where_runs_go(
            lambda: self._provider.read_tensors(
                context,
                experiment_id=self._experiment_id,
                plugin_name=tags.PLUGIN_NAME,
                downsample=1,
                run_tag_filter=provider_lib.RunTagFilter(runs=[run], tags=list(page)),
            )
        )
        found: dict[str, list[Any]] = result.get(run, {})
        return found


def _again_where_runs_go(ask: Callable[[], Any]) -> Any:
    """What `ask` returns. TensorBoard's Python loader forgets deleted runs one by one, whoever is reading them."""
    for _ in range(_MOST_TRIES - 1):
        try:
            return ask()
        except KeyError:
            continue
    return ask()


def _payload(array: Any) -> object:
    """The bytes in a rank-0 string array; whatever else it is otherwise."""
    value = array.item() if getattr(array, "ndim", None) == 0 else array
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


_KIND_ORDER = {"session": 0, "stack": 1, "trace": 2, "first_calls": 3, "xla": 4, "stale": 5, "omitted": 6, "end": 7}


def _reading_order(tag_text: str) -> tuple[int, str, int, str]:
    """Starts before traces, traces in the order of their numbers."""
    tag = tags.parse_tag(tag_text)
    if tag is None:
        return (9, "", 0, tag_text)
    number = int(tag.key) if tag.key.isdecimal() and len(tag.key) < 19 else 0
    return (_KIND_ORDER.get(tag.kind, 9), tag.session, number, tag.key)
