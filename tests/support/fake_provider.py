"""A data provider in memory, for what a real one cannot be made to do on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf.message import Message
from tensorboard.data import provider


class FakeProvider:
    """`data[run][tag]` is what a read delivers; `fail` is asked before each read and may raise."""

    def __init__(self) -> None:
        self.data: dict[str, dict[str, Any]] = {}
        self.content = b"1"
        self.reads: list[list[str]] = []
        self.listings = 0
        self.blob_reads: list[str] = []
        self.fail: Callable[[list[str]], None] = lambda tags: None
        self.before_listing: Callable[[], None] = lambda: None
        self.withheld: set[str] = set()
        self.blobs: dict[str, dict[str, dict[str, tuple[bytes, str]]]] = {}
        self.wall_times: dict[str, float] = {}

    def put(self, run: str, tag: str, message: Message | Any) -> None:
        array = np.array(message.SerializeToString(), dtype=object) if isinstance(message, Message) else message
        self.data.setdefault(run, {})[tag] = array

    def put_blob(self, run: str, tag: str, blob: bytes, *, plugin: str = "retrace", display_name: str = "") -> None:
        self.blobs.setdefault(plugin, {}).setdefault(run, {})[tag] = blob, display_name

    def list_blob_sequences(self, ctx: object, *, experiment_id: str, plugin_name: str) -> dict[str, dict[str, Any]]:
        return {
            run: {
                tag: provider.BlobSequenceTimeSeries(
                    max_step=0, max_wall_time=0.0, max_length=1, plugin_content=self.content, description="",
                    display_name=display_name,
                )
                for tag, (_, display_name) in tags.items()
            }
            for run, tags in self.blobs.get(plugin_name, {}).items()
        }  # fmt: skip

    def read_blob_sequences(
        self,
        ctx: object,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int,
        run_tag_filter: provider.RunTagFilter,
    ) -> dict[str, dict[str, list[Any]]]:
        assert isinstance(downsample, int)
        found: dict[str, dict[str, list[Any]]] = {}
        for run, tags in self.blobs.get(plugin_name, {}).items():
            for tag in tags:
                if run_tag_filter.tags is None or tag in run_tag_filter.tags:
                    reference = provider.BlobReference(blob_key=f"{plugin_name}:{run}:{tag}")
                    datum = provider.BlobSequenceDatum(step=0, wall_time=1.0, values=(reference,))
                    found.setdefault(run, {})[tag] = [datum]
        return found

    def read_blob(self, ctx: object, *, blob_key: str) -> bytes:
        self.blob_reads.append(blob_key)
        plugin, run, tag = blob_key.split(":", 2)
        return self.blobs[plugin][run][tag][0]

    def list_tensors(self, ctx: object, *, experiment_id: str, plugin_name: str) -> dict[str, dict[str, Any]]:
        assert plugin_name == "retrace"
        self.listings += 1
        self.before_listing()
        series = provider.TensorTimeSeries(
            max_step=0, max_wall_time=0.0, plugin_content=self.content, description="", display_name=""
        )
        return {run: dict.fromkeys(list(tags), series) for run, tags in list(self.data.items())}

    def read_tensors(
        self,
        ctx: object,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int,
        run_tag_filter: provider.RunTagFilter,
    ) -> dict[str, dict[str, list[Any]]]:
        assert isinstance(downsample, int)
        asked = sorted(run_tag_filter.tags)
        self.reads.append(asked)
        self.fail(asked)
        return {
            run: {
                tag: [provider.TensorDatum(step=0, wall_time=self.wall_times.get(tag, 1.0), numpy=self.data[run][tag])]
                for tag in asked
                if tag in self.data[run] and tag not in self.withheld
            }
            for run in run_tag_filter.runs
            if run in self.data
        }
