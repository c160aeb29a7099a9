"""What a session knows of a function's code, and what one trace of it showed of the program's objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.record.function_objects import FunctionObjects
from tb_retrace_plugin.capture.values.identity import EqualObjects
from tb_retrace_plugin.explain.differences.closure import ClosedOver
from tb_retrace_plugin.explain.earlier_traces.compiled import Compiled
from tb_retrace_plugin.explain.earlier_traces.history import History
from tb_retrace_plugin.schema.signature import Signature


class Code:
    """What a session knows of one function's code."""

    def __init__(self, equal_objects: EqualObjects) -> None:
        self.history = History()
        self.equal_objects = equal_objects
        self.objects = FunctionObjects()
        self.closures: dict[int, tuple[ClosedOver, ...] | None] = {}
        self.traces = 0
        self.failed_open: list[Signature] = []  # with unknown dimensions; the first few
        self.is_recursive = False  # traces of it are nested in its own
        self.made_late: set[int] = set()  # traces that made variables after the first call
        self.drawn: list[str] = []
        self.called_from: set[tuple[str, int]] = set()  # the user's lines, as many as are remembered
        self.searched: set[str] = set()  # stacks and files of callers, for other calls
        self.chosen_within: dict[tuple[str, str], str] = {}  # texts by which one chooses
        self.decided_within: dict[tuple[str, str], str] = {}  # numbers, by texts, by which a trace within one decides
        self.step_within = ""  # of a Keras step: the evidence of the verdict on a step that was traced within it
        self.goes_through_trees: frozenset[str] | None = None  # None: not asked: it has been passed no container


class ReadTrace(NamedTuple):
    """What a trace showed of the program's objects: the signature that was looked up, the one that was traced, and that
    with what it captures by reference. `object`: number of the function object. `held`: numbers that the function reads
    of objects that it is passed, by name, as texts; `holdings`: what these hold, by path (what_it_holds.py);
    `flags`: bools and texts that it reads of the object that it is a method of; `compiled`: what the model of
    Keras' function was compiled with, None of any other function; `kinds`: of
    nodes that arguments are, or "holds"."""

    seq: int
    parent_seq: int
    object: int
    code: Code
    error: str
    scope: str
    wanted: Signature
    traced: Signature
    with_captures: Signature
    held: Mapping[str, str]
    holdings: Mapping[str, Any]
    flags: Mapping[str, str]
    compiled: Compiled | None
    kinds: frozenset[str]
