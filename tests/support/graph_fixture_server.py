"""The tab's bundle in a page that stands for TensorBoard, with a made-up answer of `GET compare`.

No TensorBoard, no TensorFlow: what it measures is the tab's own part. TensorBoard's content security policy is sent
along.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tb_retrace_plugin.backend.static_files import list_static_files, static_directory

_HOST = """<!doctype html><html><head><style>html, body { height: 100%; margin: 0 }
body { display: flex; flex-direction: column }
header { background: #f57c00; flex: none; height: 64px } iframe { border: 0; flex: 1; width: 100% }</style></head>
<body><header></header><iframe src="/data/plugin/retrace/plugin_entry.html?name=retrace"></iframe></body></html>"""
_ENTRY = """<!doctype html><head><meta charset="utf-8"></head><body>
<script type="module" src="/entry.js"></script></body>"""
_SCRIPT = 'import("/data/plugin/retrace/index.js").then((tab) => tab.render());'
_POLICY = (
    "default-src 'self'; font-src 'self' data:; frame-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
    "style-src 'self' data: 'unsafe-inline'; connect-src 'self'; script-src 'self' 'unsafe-eval'"
)
_BASE = "/data/plugin/retrace/"


class GraphFixture:
    """An answer of `GET compare`, in a digest with its two traces. `address`: the page, with a slash at the end."""

    def __init__(self, compare: bytes) -> None:
        self.compare = gzip.compress(compare, compresslevel=3)
        self.answer: dict[str, Any] = json.loads(compare)
        self.address = ""

    def digest(self) -> dict[str, Any]:
        summary = {"sentence": "`train_step` was traced 2 times.", "detail": "", "stale": ""}
        name = self.answer["a"]["function"]
        columns: dict[str, list[Any]] = {
            "session": [0, 0], "function": [0, 0], "seq": [1, 2], "n": [1, 2], "object": [1, 1], "step": [10, 20],
            "start_us": [0, 9_000_000], "trace_us": [900_000, 800_000], "own_us": [900_000, 800_000],
            "kind": ["first", "retrace"], "verdict": ["needed", "avoidable"], "cause": [None, "shape"],
            "path": ["", "x"], "change": ["", "x: shape (32, 96, 96, 3) → (32, 128, 128, 3)"], "nodes": [1000, 1000],
        }  # fmt: skip
        session = {"id": self.answer["a"]["session"], "run": "fit", "started_ns": "1700000000000000000", "ended": True}
        return {
            "schema": 1, "generation": "g", "revision": 1, "reset": False, "notices": [], "summary": summary,
            "sessions": [session], "functions": [{**name, "session": 0, "traces": 2}], "traces": columns,
        }  # fmt: skip

    def trace(self, seq: int) -> dict[str, Any]:
        side = self.answer["b" if seq == 2 else "a"]
        return {
            "session": side["session"], "run": "fit", "function": side["function"],
            "event": {"seq": seq, "n": seq, "kind": "retrace", "verdict": "avoidable", "changes": []},
            "sentence": "`train_step` was traced.", "closest": {"seq": 1, "n": 1} if seq == 2 else None,
            "graph": {"nodes": 1000, "bytes": 100_000, "sha256": "ab"},
        }  # fmt: skip

    def node(self, graph: int, row: int) -> dict[str, Any]:
        columns = self.answer["graphs"][graph]
        name, op = columns["names"][row], columns["op_names"][columns["op"][row]]
        start = columns["input_start"]
        inputs = [columns["names"][at] for at in columns["input_node"][start[row] : start[row + 1]]]
        return {
            "name_a": name, "name_b": name, "op_a": op, "op_b": op, "device_a": None, "device_b": None,
            "attributes": [{"key": "T", "a": "float32", "b": "float32", "changed": False}],
            "inputs": [{"a": text, "b": text, "changed": False} for text in inputs],
            "consumers": [], "consumers_left_out": 0,
        }  # fmt: skip


@contextlib.contextmanager
def serve_graph_fixture(compare: bytes) -> Iterator[GraphFixture]:
    """Serves the answer until the block ends."""
    fixture = GraphFixture(compare)
    files = list_static_files(static_directory())
    assert "/index.js" in files, "The tab is not built: make frontend"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            route = parts.path
            if route == "/":
                self._send(_HOST.encode(), "text/html")
            elif route == f"{_BASE}plugin_entry.html":
                self._send(_ENTRY.encode(), "text/html")
            elif route == "/entry.js":
                self._send(_SCRIPT.encode(), "text/javascript")
            elif route == f"{_BASE}compare":
                self._send(fixture.compare, "application/json", gzipped=True)
            elif route == f"{_BASE}compare_node":
                query = parse_qs(parts.query)
                self._json(fixture.node(int(query["graph"][0]), int(query["node"][0])))
            elif route == f"{_BASE}trace":
                self._json(fixture.trace(int(parse_qs(parts.query)["seq"][0])))
            elif route == f"{_BASE}digest":
                self._json(fixture.digest())
            elif f"/{route.removeprefix(_BASE)}" in files:
                path, mime_type = files[f"/{route.removeprefix(_BASE)}"]
                self._send(Path(path).read_bytes(), mime_type)
            else:
                self._json({"error": "not here"}, 404)

        def _json(self, content: Any, status: int = 200) -> None:
            self._send(json.dumps(content).encode(), "application/json", status=status)

        def _send(self, body: bytes, mime_type: str, *, status: int = 200, gzipped: bool = False) -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{mime_type}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            if gzipped:
                self.send_header("Content-Encoding", "gzip")
            if mime_type == "text/html":
                self.send_header("Content-Security-Policy", _POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    fixture.address = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield fixture
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
