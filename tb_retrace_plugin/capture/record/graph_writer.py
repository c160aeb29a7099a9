"""Writes the graph of each trace: a small one into the trace's record, a larger one by itself, once per content.

Later graphs of a function are written against an earlier one. There are budgets.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.graphs.attribute_hash import AttributeHash, attribute_hash
from tb_retrace_plugin.graphs.number_constants import hash_without_numbers
from tb_retrace_plugin.graphs.passed_numbers import PassedNumbers, passed_numbers
from tb_retrace_plugin.graphs.read_graph import read_graph
from tb_retrace_plugin.graphs.slim import FunctionGraph, SlimGraph, slim_graph
from tb_retrace_plugin.graphs.stored import Base, base_memory, encode
from tb_retrace_plugin.graphs.text_constants import hash_without_text
from tb_retrace_plugin.graphs.without_names import hash_without_names, without_names
from tb_retrace_plugin.graphs.without_sizes import hash_without_sizes

#: A graph up to this is packed with its trace's record: by itself its tag and hash alone would take as much.
MAX_SMALL_BYTES = 4096
#: Graphs above this many nodes, and all graphs once this many compressed bytes are written, are counted, not stored.
MAX_GRAPH_NODES = 1_000_000
MAX_GRAPH_BYTES_WRITTEN = 512 << 20
#: So many graphs of one function's code are stored; after them one of `_ONE_OF`, unless a verdict needs it.
MAX_GRAPHS_OF_A_FUNCTION = 64
_ONE_OF = 10
#: Of larger graphs it is not asked which numbers they hold: each node is looked at.
_MAX_NODES_OF_PASSED = 20_000
#: Nor of those which they are whatever the sizes: each is serialized once more; or the names, which takes longer.
_MAX_NODES_OF_SIZES = 5_000
_MAX_NODES_OF_NAMES = 2_000
#: What earlier graphs may take that are held in memory to store later ones against; the least used go first.
MAX_BASE_MEMORY = 64 << 20
#: Of so many functions the latest graph is at hand, if it is no larger, to be compared with the next but for names.
_MAX_LATEST, _MAX_LATEST_BYTES = 32, 256 << 10
#: Hashes of graphs that are in the file already; a graph that comes again after so many others is written again.
_MAX_WRITTEN = 20_000
#: A graph that takes more than this part of its size against the base is not of the base's kind.
_POOR = 0.1


class StoredGraph(NamedTuple):
    """`sha256` is "" and `omitted` says why where the graph was not stored. `raw_bytes`: 0 if it was not exported.

    `content`: of a small graph, which is not written by itself: it belongs into the trace's record.

    `calls_python`: tokens of the Python functions that it calls: an equal graph may call others. `is_collective`: it
    waits for other devices or processes to run it too. `attributes`: None if they were not asked for.
    `without_text`: its hash without the strings that were passed, or without names of operations if it holds none; ""
    if that was not asked for.
    `without_numbers`: that without constants that are numbers; `without_sizes`: without shapes of what it takes;
    `passed`: the numbers that were passed; `passed_but_text`: the same, of the graph as `without_text` has it.
    """

    sha256: str
    raw_bytes: int = 0
    attributes_dropped: int = 0
    omitted: str = ""
    over_budget: bool = False
    calls_python: tuple[bytes, ...] = ()
    is_collective: bool = False
    content: bytes = b""
    attributes: AttributeHash | None = None
    without_text: str = ""
    without_numbers: str = ""
    without_sizes: str = ""
    passed: PassedNumbers | None = None
    passed_but_text: PassedNumbers | None = None


class Literals(NamedTuple):
    """What Python values among the arguments may have made of a graph. `numbers`: some are numbers.

    `is_text`: whether a string is one of them; None: none are. `fractions`: some may hold numbers, fractions at least;
    `whole`: some hold whole ones, and nothing else. `objects`: some are those. `passed_as`: as `passed_numbers` has it;
    None: nothing is passed beside numbers. `own`: whether an instance whose method it is has some, beside no others.
    `models`: something that it closes over may hold variables.
    """

    numbers: bool = False
    is_text: Callable[[bytes], bool] | None = None
    fractions: bool = False
    whole: bool = False
    objects: bool = False
    passed_as: Callable[[object, str], frozenset[str]] | None = None
    own: bool = False
    models: bool = False


#: Of `StoredGraph`: `attributes`, `without_text`, `without_numbers`, `without_sizes`, `passed`, `passed_but_text`.
_Hashes = tuple[AttributeHash | None, str, str, str, PassedNumbers | None, PassedNumbers | None]


def _stored(slim: SlimGraph, hashes: _Hashes, content: bytes = b"") -> StoredGraph:
    sha256, _, raw_bytes, dropped, calls_python = slim
    return StoredGraph(sha256, raw_bytes, dropped, "", False, calls_python, slim.is_collective, content, *hashes)


def _slim(
    concrete_function: Any, graph: list[tf_seam.TracedFunctionGraph], literals: Callable[[], Literals], own_name: str
) -> tuple[SlimGraph, _Hashes]:
    functions = tf_seam.function_graphs(graph)
    if own_name:  # nothing in the graph calls it by its own
        functions[0].definition.signature.name = f"__inference_{own_name}_0"
    slim = slim_graph(functions)
    made = literals()
    attributes, without_text, without_numbers, without_sizes = None, "", "", ""
    is_asked = made.passed_as is not None and graph[0].nodes <= _MAX_NODES_OF_PASSED
    passed = passed_numbers(functions, made.passed_as) if is_asked and made.passed_as is not None else None
    if made.numbers or made.fractions or made.models:
        attributes = attribute_hash(functions)
    if made.objects and graph[0].nodes <= _MAX_NODES_OF_SIZES:
        without_sizes = hash_without_sizes(functions)
    passed_but_text = None
    if made.is_text:
        without_text, bare = hash_without_text(functions, made.is_text), functions
        if not without_text and graph[0].nodes <= _MAX_NODES_OF_NAMES:
            bare = without_names(functions)
            without_text = hash_without_names(bare)
        if without_text and passed is not None and made.passed_as is not None:
            passed_but_text = passed_numbers(bare, made.passed_as)
    if made.fractions or made.whole or (made.own and graph[0].nodes <= _MAX_NODES_OF_PASSED):
        captured = len(tf_seam.captured_tensors(concrete_function))
        whole = made.whole and not (made.fractions or made.own)
        without_numbers = hash_without_numbers(functions, whole=whole, captured=captured)
    return slim, (attributes, without_text, without_numbers, without_sizes, passed, passed_but_text)


def _without_names(content: bytes) -> str:
    return hash_without_names(without_names([FunctionGraph(one.definition) for one in read_graph(content)]))


class GraphWriter:
    """Graphs of one session. `write(sha256, blob)` raises what the filesystem raises. Not thread-safe."""

    def __init__(self, write: Callable[[str, bytes], None], *, enabled: bool) -> None:
        self._write = write
        self._enabled = enabled
        self._written: OrderedDict[str, None] = OrderedDict()
        self._bytes = 0
        self._seen: Counter[Hashable] = Counter()
        self._bases: OrderedDict[Hashable, Base] = OrderedDict()
        self._base_bytes = 0
        self._in_use: Base | None = None
        self._latest: OrderedDict[Hashable, tuple[str, bytes]] = OrderedDict()
        self._latest_two: list[tuple[str, bytes]] = []

    def store(
        self, concrete_function: Any, graph: list[tf_seam.TracedFunctionGraph], code: Hashable, *, needed: bool,
        trace_omitted: bool = False, literals: Callable[[], Literals] = Literals, own_name: str = "",
    ) -> StoredGraph:  # fmt: skip
        """Writes the graph, as it was traced, unless it is small, or there already.

        `code`: graphs of the same are stored against each other.
        `needed`: something depends on which graph it is, so that it is stored however many there are.
        `trace_omitted`: its trace is not recorded; then nothing is written, and the hash told where it is needed.
        `own_name`: that the `def` has, where functions of the code were given others.
        `literals`: gives those of which it is to be told what they have made of it; asked where there is a graph.
        Raises whatever exporting or writing raises.
        """
        if not self._enabled:
            return StoredGraph("", omitted="recorded with graphs=False")
        if graph[0].nodes > MAX_GRAPH_NODES:
            return StoredGraph("", omitted=f"it has more than {MAX_GRAPH_NODES:,} nodes", over_budget=True)
        if self._bytes > MAX_GRAPH_BYTES_WRITTEN:
            limit = MAX_GRAPH_BYTES_WRITTEN >> 20
            return StoredGraph("", omitted=f"the recording had already written {limit} MiB of graphs", over_budget=True)
        if trace_omitted:
            if not needed:
                return StoredGraph("", omitted="its trace was counted only")
            slim, hashes = _slim(concrete_function, graph, literals, own_name)
            return _stored(slim, hashes)
        self._seen[code] += 1
        if not needed and (seen := self._seen[code]) > MAX_GRAPHS_OF_A_FUNCTION and seen % _ONE_OF:
            limit = MAX_GRAPHS_OF_A_FUNCTION
            return StoredGraph("", omitted=f"after {limit} graphs of a function one of {_ONE_OF} is stored")
        slim, hashes = _slim(concrete_function, graph, literals, own_name)
        self._keep_latest(code, slim)
        if len(slim.content) <= MAX_SMALL_BYTES:
            return _stored(slim, hashes, slim.content)
        if slim.sha256 not in self._written:
            blob = self._encode(slim.sha256, slim.content, code)
            self._write(slim.sha256, blob)
            self._written[slim.sha256] = None
            self._bytes += len(blob)
            if len(self._written) > _MAX_WRITTEN:
                self._written.popitem(last=False)
        return _stored(slim, hashes)

    def is_but_for_names(self, sha256: str) -> bool:
        """Whether the latest graph is the one of its code before, of that hash, but for names of operations."""
        if [sha for sha, _ in self._latest_two[:-1]] != [sha256]:
            return False
        before, now = (_without_names(content) for _, content in self._latest_two)
        return before == now

    def forget(self) -> None:
        """Another file is written: it is to hold what its graphs need."""
        self._written.clear()
        self._bases.clear()
        self._base_bytes = 0
        self._in_use = None

    def _keep_latest(self, code: Hashable, slim: SlimGraph) -> None:
        before = self._latest.pop(code, None)
        self._latest_two = []
        if len(slim.content) > _MAX_LATEST_BYTES:
            return
        now = slim.sha256, slim.content
        self._latest[code] = now
        self._latest_two = [before, now] if before is not None else []
        if len(self._latest) > _MAX_LATEST:
            self._latest.popitem(last=False)

    def _encode(self, sha256: str, content: bytes, code: Hashable) -> bytes:
        base = self._bases.get(code)
        if base is not None:
            if self._in_use is not base and self._in_use is not None:
                self._in_use.rest()
            self._in_use = base
            self._bases.move_to_end(code)
            blob = encode(content, base)
            if len(blob) < _POOR * len(content):
                return blob
        whole = encode(content)
        if base is not None and len(blob) < len(whole) // 2:
            return blob
        if base_memory(content) <= MAX_BASE_MEMORY:
            self._keep_base(code, Base(sha256, content))
        return whole

    def _keep_base(self, code: Hashable, base: Base) -> None:
        if (old := self._bases.pop(code, None)) is not None:
            self._base_bytes -= old.memory_bytes
        self._bases[code] = base
        self._base_bytes += base.memory_bytes
        while self._base_bytes > MAX_BASE_MEMORY:
            self._base_bytes -= self._bases.popitem(last=False)[1].memory_bytes
