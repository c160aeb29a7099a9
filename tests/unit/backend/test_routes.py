"""The routes, in process; test_real_tensorboard.py asks them of a real TensorBoard."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tensorboard.plugins import base_plugin
from werkzeug.test import Client, TestResponse

from tb_retrace_plugin.analysis.jobs.jobs import Job
from tb_retrace_plugin.backend import plugin as plugin_module
from tb_retrace_plugin.backend.kept_workers import KeptWorkers
from tb_retrace_plugin.backend.plugin import RetracePlugin
from tb_retrace_plugin.events.data_provider import ProviderReader
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.fake_provider import FakeProvider
from tests.support.logdirs import STARTED_NS, EventFile, Recording
from tests.support.stores import load, new_recording

ROUTES = {"/digest", "/trace", "/function", "/what_if", "/compare", "/compare_node", "/report", "/compare_runs", "/csv",
          "/chrome_trace", "/workers"}  # fmt: skip
HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\x00"


class Routes:
    def __init__(self, provider: FakeProvider) -> None:
        self.plugin = RetracePlugin(base_plugin.TBContext(data_provider=provider))
        self.apps = self.plugin.get_plugin_apps()

    def get(self, url: str, method: str = "GET", **options: object) -> TestResponse:
        route = url.partition("?")[0]
        return Client(self.apps[route]).open(url, method=method, **options)  # type: ignore[arg-type]


def provide(directory: Path) -> FakeProvider:
    provider = FakeProvider()
    for item in read_logdir(str(directory)):
        assert isinstance(item, Record)
        tag = {
            "session": lambda t: tags.session_tag(t.session),
            "trace": lambda t: tags.trace_tag(t.session, int(t.key)),
            "stack": lambda t: tags.stack_tag(t.session, t.key),
            "end": lambda t: tags.end_tag(t.session, int(t.key)),
        }[item.tag.kind](item.tag)
        provider.put(item.run, tag, item.message)
    return provider


@pytest.fixture
def routes(tmp_path: Path) -> Routes:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(HOSTILE, source=HOSTILE)
    recording.end(60)
    return Routes(provide(tmp_path))


@pytest.mark.parametrize("url", ["/digest", "/trace?session=session-1&seq=2", "/report"])
def test_answers_are_json_that_no_browser_takes_for_anything_else(routes: Routes, url: str) -> None:
    response = routes.get(url)
    assert response.status_code == 200
    assert response.content_type == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert json.loads(response.data)
    assert b"\x00" not in response.data
    assert "\\u202e" in response.get_data(as_text=True)  # as text it could turn other text around


def test_answers_are_compressed_for_who_takes_that(routes: Routes) -> None:
    response = routes.get("/digest", headers={"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(response.data))["schema"] == 1


def test_the_digest_continues_where_the_last_answer_ended(routes: Routes) -> None:
    first = json.loads(routes.get("/digest").data)
    assert first["traces"]["seq"] == [1, 2]
    url = f"/digest?generation={first['generation']}&since={first['revision']}"
    assert json.loads(routes.get(url).data)["traces"]["seq"] == []
    assert json.loads(routes.get(f"/digest?generation=old&since={first['revision']}").data)["reset"] is True


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/digest?generation=abc", 400),
        ("/digest?generation=abc&since=x", 400),
        ("/digest?generation=abc&since=-1", 400),
        ("/digest?generation=abc&since=99999999999999999999", 400),
        ("/digest?generation=abc&since=٣", 400),
        ("/trace", 400),
        ("/trace?session=session-1", 400),
        ("/trace?session=session-1&seq=one", 400),
        ("/trace?session=session-1&seq=", 400),
        ("/trace?session=session-1&seq=99", 404),
        ("/trace?session=../../etc/passwd&seq=1", 404),
    ],
)
def test_wrong_parameters_are_told_in_json(routes: Routes, url: str, status: int) -> None:
    response = routes.get(url)
    assert response.status_code == status
    assert response.content_type == "application/json"
    assert set(json.loads(response.data)) == {"error"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("url", ["/digest", "/trace?session=session-1&seq=1", "/report", "/index.js"])
def test_only_get_is_answered(routes: Routes, url: str, method: str) -> None:
    response = routes.get(url, method=method)
    assert response.status_code == 405
    assert response.headers["Allow"] == "GET"


def test_a_provider_that_fails_is_told_and_not_fatal(routes: Routes, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ConnectionError("secret detail")

    monkeypatch.setattr(ProviderReader, "poll", fail)
    response = routes.get("/digest")
    assert response.status_code == 500
    assert "ConnectionError" in json.loads(response.data)["error"]
    assert b"secret" not in response.data
    monkeypatch.undo()
    assert routes.get("/digest").status_code == 200


def test_the_report_is_for_download(routes: Routes) -> None:
    response = routes.get("/report")
    assert "attachment" in response.headers["Content-Disposition"]
    assert json.loads(response.data)["sessions"][0]["functions"][1]["name"] == HOSTILE


def test_data_of_other_types_is_told_in_the_digest(tmp_path: Path) -> None:
    provider = FakeProvider()
    provider.put("run", tags.trace_tag("abc", 1), np.array(1.0))
    answer = json.loads(Routes(provider).get("/digest").data)
    assert answer["traces"]["seq"] == []
    assert [notice["severity"] for notice in answer["notices"]] == ["warning"]


def test_the_tab_is_named_and_activated_by_data_alone(routes: Routes) -> None:
    metadata = routes.plugin.frontend_metadata()
    assert (metadata.es_module_path, metadata.tab_name) == ("/index.js", "Retrace")
    assert routes.plugin.is_active() is False


def test_a_missing_bundle_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(plugin_module, "static_directory", lambda: str(tmp_path / "nothing"))
    response = Routes(FakeProvider()).get("/index.js")
    assert response.status_code == 200
    assert response.mimetype == "text/javascript"
    assert b"make frontend" in response.data
    assert b"export function render" in response.data


def test_the_bundle_is_served_by_name_and_chunks_may_be_cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "index.js").write_text("export const render = 1")
    (tmp_path / "static" / "view-1a2b.js").write_text("2")
    (tmp_path / "secret.txt").write_text("no")
    monkeypatch.setattr(plugin_module, "static_directory", lambda: str(tmp_path))
    routes = Routes(FakeProvider())
    assert set(routes.apps) == {*ROUTES, "/index.js", "/static/view-1a2b.js"}
    entry, chunk = routes.get("/index.js"), routes.get("/static/view-1a2b.js")
    assert entry.data == b"export const render = 1"
    assert "no-cache" in entry.headers["Cache-Control"]
    assert "max-age" in chunk.headers["Cache-Control"]
    assert entry.mimetype == chunk.mimetype == "text/javascript"
    (tmp_path / "index.js").unlink()
    assert routes.get("/index.js").status_code == 404


def test_workers_of_a_job(tmp_path: Path) -> None:
    provider = FakeProvider()
    for run, session, worker in (
        ("fit/retrace/worker0", "s-0", 0),
        ("fit/retrace/worker1", "s-1", 1),
        ("a", "b", None),
    ):
        start = pb.SessionStart(schema=1, id=session, started_ns=STARTED_NS, worker=worker)
        provider.put(run, tags.session_tag(session), start)
    plugin = Routes(provider)
    answer = json.loads(plugin.get("/workers?session=s-1").data)
    assert (answer["run"], answer["sentence"]) == ("fit", "Nothing was traced by any worker.")
    assert plugin.get("/workers?session=s-0").data == plugin.get("/workers?session=s-1").data
    for url, status in (("", 400), ("?session=b", 404), ("?session=s-9", 404)):
        assert plugin.get(f"/workers{url}").status_code == status


def test_an_answer_about_workers_is_kept_until_one_of_them_traces(tmp_path: Path) -> None:
    recordings = [Recording(EventFile(tmp_path / f"w{n}"), f"s-{n}").start(worker=n) for n in range(2)]
    store, kept = load(tmp_path), KeptWorkers()
    first = kept.of(Job("fit", store.sessions), store.generation)
    assert kept.of(Job("fit", store.sessions), store.generation) is first
    recordings[1].trace()
    store.add(read_logdir(str(tmp_path)))
    again = kept.of(Job("fit", store.sessions), store.generation)
    assert [session["traces"] for session in again["sessions"]] == [0, 1]
    assert kept.of(Job("fit", store.sessions), "another") is not again
