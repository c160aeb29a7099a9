"""Requests that no client of ours makes: through TensorBoard's whole application, to a logdir gone wrong."""

from __future__ import annotations

import gzip
import io
import json
import random
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_from_bytes

import numpy as np
from tensorboard.backend import application
from tensorboard.plugins import base_plugin
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tb_retrace_plugin.backend.plugin import RetracePlugin
from tests.support.fake_provider import FakeProvider
from tests.support.mutated_records import STRINGS, Item, corpus

PREFIX = "/data/plugin/retrace"
_METHODS = ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "", "GET\x00", "X" * 300]
_PARAMETERS = [
    "session", "seq", "session_a", "seq_a", "session_b", "seq_b", "graph", "node", "generation", "since", "a", "b",
    "input_signature", "reduce_retracing", "unknown", "tensors", "function", "runs", "format", "x",
]  # fmt: skip
_VALUES = [
    "0", "1", "2", "3", "-1", "00001", "1.5", "1e3", "9" * 15, "9" * 16, "9" * 17, "9" * 400, "²", "٣", "NaN",
    "inf", "0x1", "+1",
    " 1", "1 ", "1\n", "true", "null", "[]", "{}", ",", ",,,,", "a,b", "../../etc/passwd", "/etc/passwd", "\x00",
    "%00", "session-1,",
    "[tf.TensorSpec([None], tf.float32)]", "[tf.TensorSpec(" + "[" * 500, "__import__('os')", "(" * 3000,
    "[" * 90 + "]" * 90,
    "x", "x[0]", "x=float32", "batch['a']", *STRINGS,
]  # fmt: skip
_HEADERS = [
    ("Accept-Encoding", "gzip"), ("Accept-Encoding", "gzip;q=0, *"), ("Accept-Encoding", "\x01"), ("Content-Type",
    "text/html"),
    ("If-None-Match", "*"), ("Range", "bytes=0-10"), ("Range", "bytes=9-1"), ("Host", "evil.example"), ("Origin",
    "http://evil.example"),
    ("Accept", "text/html"), ("Content-Length", "99999999999"), ("X-HTTP-Method-Override", "DELETE"), ("Cookie",
    "a" * 5000),
]  # fmt: skip


class BadResponse(AssertionError):
    """A response that no request may get."""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Site:
    """TensorBoard's application with our plugin alone, on whatever the items hold."""

    items: list[Item]
    app: Any = field(init=False)
    known: dict[str, list[str]] = field(init=False)
    routes: list[str] = field(init=False)

    def __post_init__(self) -> None:
        provider = FakeProvider()
        for item in self.items:
            if "/graph/" in item.tag:
                provider.put_blob("fit/retrace", item.tag, item.payload)
            else:
                provider.put("fit/retrace", item.tag, np.array(item.payload, dtype=object))
        plugin = RetracePlugin(base_plugin.TBContext(data_provider=provider))
        self.routes = list(plugin.get_plugin_apps())
        self.app = application.TensorBoardWSGI([plugin], data_provider=provider, experimental_plugins=[])
        self.known = {"session": [], "seq": []}
        digest = json.loads(self.get(f"{PREFIX}/digest").body)
        self.known["session"] = [session["id"] for session in digest["sessions"]]
        self.known["seq"] = [str(seq) for seq in digest["traces"]["seq"]]
        self.known["generation"] = [digest["generation"]]

    def get(self, url: str) -> Answer:
        return self.ask("GET", url, [], b"")

    def ask(self, method: str, url: str, headers: list[tuple[str, str]], body: bytes) -> Answer:
        """Raises whatever the application raises."""
        path, _, query = url.partition("?")
        builder = EnvironBuilder(path="/", method="GET")
        environ = builder.get_environ()
        environ["REQUEST_METHOD"] = method
        environ["PATH_INFO"] = path  # as a server hands it over: already unquoted, bytes as latin-1
        environ["QUERY_STRING"] = query
        environ["wsgi.input"] = io.BytesIO(body)
        environ["wsgi.errors"] = io.StringIO()
        for name, value in headers:
            key = name.upper().replace("-", "_")
            environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
        chunks, status, found = run_wsgi_app(self.app, environ)
        content = b"".join(chunks)
        names = {name.lower(): value for name, value in found.items()}
        if names.get("content-encoding") == "gzip":
            content = gzip.decompress(content)
        return Answer(int(status.split()[0]), names, content)


def site(rng: random.Random) -> Site:
    """Of a few recordings of the corpus, among them a job's."""
    names = ["two_workers", *rng.sample(sorted(set(corpus()) - {"two_workers"}), 3)]
    return Site([item for name in names for item in corpus()[name]])


def make_request(rng: random.Random, site: Site) -> tuple[str, str, list[tuple[str, str]], bytes]:
    """(method, URL, headers, body): most of them nearly right."""
    method = "GET" if rng.random() < 0.9 else rng.choice(_METHODS)
    files = [route for route in site.routes if "." in route]
    route = rng.choice(files) if rng.random() < 0.05 else rng.choice([r for r in site.routes if r not in files])
    if rng.random() < 0.12:
        route = rng.choice([
            route + "/", route * 2, "/" + route, route.upper(), route + "\x00", route + ";x", "/..",
            "/../../etc/passwd",
            "/static/../plugin.py", "/static/%2e%2e/plugin.py", "/static/..\\plugin.py", "/static//etc/passwd",
            "/static/",
            "/static/" + "a" * 5000, "/", "", "/plugin.py", "/\xff\xfe", "/retrace.proto", route[:-1],
        ])  # fmt: skip
    pairs = []
    if rng.random() < 0.8:  # nearly what the route asks for
        pairs += _usual(rng, site, route)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 6])):
        pairs.append((rng.choice(_PARAMETERS), _value(rng, site)))
    if pairs and rng.random() < 0.3:
        at = rng.randrange(len(pairs))
        pairs[at] = pairs[at][0], _value(rng, site)
    rng.shuffle(pairs)
    query = "&".join(f"{quote(name)}={_quoted(rng, value)}" for name, value in pairs)
    if rng.random() < 0.05:
        query = rng.choice(
            [query + "&", "&&" + query, query.replace("=", ""), query + "=%", "%", "=" * 50, query * 30, "\xff" + query]
        )
    headers = rng.sample(_HEADERS, rng.choice([0, 0, 1, 3]))
    return (
        method,
        f"{PREFIX}{route}" + (f"?{query}" if query else ""),
        headers,
        rng.randbytes(rng.choice([0, 0, 0, 100])),
    )


def _usual(rng: random.Random, site: Site, route: str) -> list[tuple[str, str]]:
    def known(name: str) -> str:
        return rng.choice(site.known[name] or ["1"])

    if route == "/digest":
        return [("generation", known("generation")), ("since", rng.choice(["0", "1", "2", "99"]))]
    if route.startswith("/compare"):
        pairs = [(f"{name}_{side}", known(name)) for side in "ab" for name in ("session", "seq")]
        if route == "/compare_runs":
            return [(side, ",".join(known("session") for _ in range(rng.choice([1, 1, 2])))) for side in "ab"]
        return pairs + ([("graph", "0"), ("node", str(rng.randrange(40)))] if route == "/compare_node" else [])
    change = [("reduce_retracing", "1")] if route == "/what_if" and rng.random() < 0.5 else []
    return [("session", known("session")), ("seq", known("seq")), *change]


def _value(rng: random.Random, site: Site) -> str:
    if rng.random() < 0.3:
        return rng.choice(site.known[rng.choice(["session", "seq", "generation"])] or ["1"])
    return rng.choice(_VALUES)


def _quoted(rng: random.Random, value: str) -> str:
    if rng.random() < 0.9:
        return quote(value)
    return rng.choice([quote_from_bytes(rng.randbytes(8)), "%zz", "%u0041", "+", quote(quote(value)), "%ed%a0%80"])


def check_answer(method: str, url: str, answer: Answer, routes: list[str]) -> None:
    """Raises BadResponse."""
    path = url.partition("?")[0].removeprefix(PREFIX)
    if answer.status not in (200, 304, 400, 404, 405):
        raise BadResponse(f"status {answer.status}: {answer.body[:300]!r}")
    if b"root:x:0" in answer.body or b"Traceback" in answer.body:
        raise BadResponse(f"it tells what it must not: {answer.body[:300]!r}")
    if path not in routes:
        return  # TensorBoard's own answer
    if method.upper() != "GET":
        if answer.status != 405:
            raise BadResponse(f"{method} was answered with {answer.status}")
        return
    kind = answer.headers["content-type"].partition(";")[0]
    if kind not in ("application/json", "text/javascript", "text/css", "text/csv", "image/svg+xml"):
        raise BadResponse(f"as {kind}")
    if answer.headers.get("x-content-type-options") != "nosniff":
        raise BadResponse("a browser may take it for something else")
    if kind == "application/json":
        content = json.loads(answer.body, parse_constant=_refuse)
        if answer.status != 200 and not (isinstance(content, dict) and content.get("error")):
            raise BadResponse(f"status {answer.status} without a reason: {answer.body[:300]!r}")


def _refuse(constant: str) -> None:
    raise BadResponse(f"{constant} is no JSON")
