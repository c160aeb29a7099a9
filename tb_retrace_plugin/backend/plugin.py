"""The plugin as TensorBoard sees it: routes as in docs/http_api.md, and nothing that writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tensorboard import errors, plugin_util
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from tensorboard.util import tb_logging
from werkzeug import wrappers
from werkzeug.datastructures import MultiDict

from tb_retrace_plugin.analysis.exports.chrome_trace import chrome_trace
from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.exports.traces_csv import traces_csv
from tb_retrace_plugin.analysis.jobs.jobs import job_of
from tb_retrace_plugin.analysis.pages.compare_runs import compare_runs
from tb_retrace_plugin.analysis.pages.comparison import Comparison, compare_node
from tb_retrace_plugin.analysis.pages.detail import trace_detail
from tb_retrace_plugin.analysis.pages.function_page import function_page
from tb_retrace_plugin.analysis.pages.what_if import WhatIfError, what_if
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.backend.comparisons import Comparisons
from tb_retrace_plugin.backend.kept_workers import KeptWorkers
from tb_retrace_plugin.backend.other_tabs import OtherTabs
from tb_retrace_plugin.backend.provider_store import ProviderStore, Reading
from tb_retrace_plugin.backend.static_files import MISSING_BUNDLE, list_static_files, static_directory
from tb_retrace_plugin.backend.what_if_request import read_change
from tb_retrace_plugin.explain.what_if.input_signature import InputSignatureError
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.schema.tags import PLUGIN_NAME

logger = tb_logging.get_logger()

_WsgiApp = Callable[..., Any]
#: Files under /static/ carry a hash of their content in their name.
_HASHED_EXPIRES_SECONDS = 30 * 24 * 3600
#: Sessions of one side of a comparison: a URL holds no more.
_MAX_SESSIONS = 64
_CHUNK_CHARACTERS = 64 * 1024


class RequestError(Exception):
    """A request that cannot be answered; the text says what is wrong and what to do."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class Later:
    """The rest of an answer, for what takes long: the store is not held meanwhile. `finish(context, experiment)`."""

    finish: Callable[[Any, str], Any]


@dataclass(frozen=True, slots=True)
class Download:
    """An answer that is sent while it is made: it may be long, and the store is not held meanwhile."""

    pieces: Iterator[str]
    mime_type: str
    name: str


class RetracePlugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """Serves recordings below the logdir, and the tab that shows them."""

    plugin_name = PLUGIN_NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        logdir = context.logdir or ""
        self._store = ProviderStore(context.data_provider, logdir="" if "://" in logdir else logdir)
        self._other_tabs = OtherTabs(context)
        self._comparisons = Comparisons(context.data_provider)
        self._kept_workers = KeptWorkers()
        self._static_files = list_static_files(static_directory())

    def is_active(self) -> bool:
        """TensorBoard asks only while it knows of no data of ours, and data makes the tab active without us."""
        return False

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="Retrace")

    def get_plugin_apps(self) -> dict[str, _WsgiApp]:
        apps: dict[str, _WsgiApp] = {
            "/index.js": _get_only(lambda request: _respond(request, MISSING_BUNDLE, "text/javascript")),
            "/digest": self._json_route(_digest),
            "/trace": self._json_route(self._trace),
            "/function": self._json_route(_function),
            "/what_if": self._json_route(_what_if),
            "/compare": self._json_route(self._compare),
            "/compare_node": self._json_route(self._compare_node),
            "/compare_runs": self._json_route(_compare_runs),
            "/workers": self._json_route(self._workers),
            "/chrome_trace": self._json_route(_chrome_trace),
            "/csv": self._json_route(_csv),
            "/report": self._json_route(_report, [("Content-Disposition", 'attachment; filename="retrace.json"')]),
        }
        for route, (path, mime_type) in self._static_files.items():
            apps[route] = _static_app(route, path, mime_type)
        return apps

    def _json_route(
        self, answer: Callable[[Reading, MultiDict[str, str]], Any], headers: list[tuple[str, str]] | None = None
    ) -> _WsgiApp:
        def serve(request: wrappers.Request) -> wrappers.Response:
            context = plugin_util.context(request.environ)
            experiment = plugin_util.experiment_id(request.environ)
            try:
                parameters = request.args
            except ValueError:
                error = {"error": "The address holds bytes that are not UTF-8. Encode its parameters."}
                return _respond_json(request, error, 400)
            try:
                with self._store.reading(context, experiment) as reading:
                    content = answer(reading, parameters)
                if isinstance(content, Later):
                    content = content.finish(context, experiment)
            except RequestError as error:
                return _respond_json(request, {"error": str(error)}, error.status)
            except errors.PublicError as error:
                return _respond_json(request, {"error": f"TensorBoard cannot read the logdir: {error}"}, 500)
            except Exception as error:
                logger.exception("Retrace could not answer %s", request.path)
                text = f"Retrace could not answer ({type(error).__name__}). TensorBoard's own output says more."
                return _respond_json(request, {"error": text}, 500)
            if isinstance(content, Download):
                return _respond_download(request, content)
            return _respond_json(request, content, 200, headers)

        return _get_only(serve)

    def _trace(self, reading: Reading, parameters: Mapping[str, str]) -> Later:
        event = _event(reading, parameters.get("session"), parameters.get("seq", ""), "?session=ID&seq=NUMBER")
        detail = trace_detail(event)

        def add_other_tabs(context: Any, experiment: str) -> dict[str, Any]:
            detail["graphs_tab"] = self._other_tabs.graphs_tab(context, experiment, event)
            detail["profile"] = self._other_tabs.profile(event)
            return detail

        return Later(add_other_tabs)

    def _workers(self, reading: Reading, parameters: Mapping[str, str]) -> dict[str, Any]:
        (session,) = _sessions(reading, parameters.get("session", "").partition(",")[0], "?session=ID")
        job = job_of(reading.store.sessions, session)
        if job is None:
            raise RequestError(404, "This recording is no worker's: TF_CONFIG did not say so when it began.")
        return self._kept_workers.of(job, reading.store.generation)

    def _compare(self, reading: Reading, parameters: Mapping[str, str]) -> Later:
        return self._compared(reading, parameters, lambda comparison: comparison.answer)

    def _compare_node(self, reading: Reading, parameters: Mapping[str, str]) -> Later:
        graph, node = parameters.get("graph", ""), parameters.get("node", "")
        if not _is_number(graph) or not _is_number(node):
            raise RequestError(400, "Say which node: &graph=NUMBER&node=NUMBER, as in the answer of `compare`.")

        def one_node(comparison: Comparison) -> dict[str, Any]:
            found = compare_node(comparison, int(graph), int(node))
            if found is None:
                raise RequestError(404, "No such node in this comparison. Reload the page.")
            return found

        return self._compared(reading, parameters, one_node)

    def _compared(
        self, reading: Reading, parameters: Mapping[str, str], answer: Callable[[Comparison], dict[str, Any]]
    ) -> Later:
        what = "?session_a=ID&seq_a=NUMBER&session_b=ID&seq_b=NUMBER"
        b = _event(reading, parameters.get("session_b"), parameters.get("seq_b", ""), what)
        a = b.closest
        if "session_a" in parameters or "seq_a" in parameters:
            a = _event(reading, parameters.get("session_a"), parameters.get("seq_a", ""), what)
        if a is None:
            text = "There is no earlier trace to compare it with. Say which other: &session_a=ID&seq_a=NUMBER."
            raise RequestError(404, text)
        left = a

        def compare(context: Any, experiment: str) -> dict[str, Any]:
            try:
                return answer(self._comparisons.of(context, experiment, left, b))
            except GraphError as error:
                raise RequestError(404, str(error)) from error

        return Later(compare)


def _digest(reading: Reading, parameters: Mapping[str, str]) -> dict[str, Any]:
    generation = parameters.get("generation")
    since = parameters.get("since", "0" if generation is None else None)
    if since is None or not _is_number(since):
        raise RequestError(400, "`since` must be the `revision` of an earlier answer, with its `generation`.")
    return reading.digest.latest(generation, int(since))


def _function(reading: Reading, parameters: Mapping[str, str]) -> Later:
    group = _group(reading, parameters)
    return Later(lambda context, experiment: function_page(group))


def _what_if(reading: Reading, parameters: MultiDict[str, str]) -> Later:
    group = _group(reading, parameters)

    def answer(context: Any, experiment: str) -> dict[str, Any]:
        try:
            return what_if(group, read_change(parameters))
        except (WhatIfError, InputSignatureError) as error:
            raise RequestError(400, str(error)) from error

    return Later(answer)


def _group(reading: Reading, parameters: Mapping[str, str]) -> FunctionGroup:
    """The function of one of its traces, as it is now: the store grows while it is looked at."""
    event = _event(reading, parameters.get("session"), parameters.get("seq", ""), "?session=ID&seq=NUMBER")
    return replace(event.function, events=list(event.function.events))


def _event(reading: Reading, session_id: str | None, seq: str, what: str) -> TraceEvent:
    """Raises RequestError if there is no such trace; `what`: the parameters that say which, for the error."""
    if not session_id or not _is_number(seq):
        raise RequestError(400, f"Say which trace: {what}, as in the digest.")
    session = reading.store.session(session_id)
    if session is None:
        raise RequestError(404, "No such recording below this logdir; it may have been deleted. Reload the page.")
    event = session.events.get(int(seq))
    if event is None:
        raise RequestError(404, f"No trace {int(seq)} in this recording; it may have been lost. Reload the page.")
    return event


def _compare_runs(reading: Reading, parameters: Mapping[str, str]) -> dict[str, Any]:
    a, b = (_sessions(reading, parameters.get(side, ""), "?a=ID&b=ID") for side in ("a", "b"))
    return compare_runs(a, b)


def _sessions(reading: Reading, ids: str, what: str) -> list[Session]:
    """Those named, with commas between them. Raises RequestError if one is not there."""
    wanted = dict.fromkeys(ids.split(","))
    if not ids or len(wanted) > _MAX_SESSIONS:
        raise RequestError(400, f"Say which recordings: {what}, ids as in the digest, {_MAX_SESSIONS} a side at most.")
    found = [session for name in wanted if (session := reading.store.session(name)) is not None]
    if len(found) < len(wanted):
        raise RequestError(404, "No such recording below this logdir; it may have been deleted. Reload the page.")
    return found


def _asked_for(reading: Reading, parameters: Mapping[str, str]) -> list[Session]:
    """The session that `session` names, or all."""
    if "session" in parameters:
        return _sessions(reading, parameters["session"], "?session=ID")
    return list(reading.store.sessions)


def _report(reading: Reading, parameters: Mapping[str, str]) -> dict[str, Any]:
    return report(reading.store, _asked_for(reading, parameters))


def _chrome_trace(reading: Reading, parameters: Mapping[str, str]) -> Download:
    sessions = _asked_for(reading, parameters)
    return Download(chrome_trace(sessions), "application/json", "retrace-chrome-trace.json")


def _csv(reading: Reading, parameters: Mapping[str, str]) -> Download:
    return Download(traces_csv(_asked_for(reading, parameters)), "text/csv", "retrace-traces.csv")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 17


def _static_app(route: str, path: str, mime_type: str) -> _WsgiApp:
    expires = _HASHED_EXPIRES_SECONDS if route.startswith("/static/") else 0

    def serve(request: wrappers.Request) -> wrappers.Response:
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return _respond_json(request, {"error": "This file is gone. Start TensorBoard again."}, 404)
        return _respond(request, content, mime_type, expires=expires)

    return _get_only(serve)


def _get_only(serve: Callable[[wrappers.Request], wrappers.Response]) -> _WsgiApp:
    @wrappers.Request.application
    def application(request: wrappers.Request) -> wrappers.Response:
        if request.method != "GET":
            error = {"error": "Only GET is answered here."}
            return _respond_json(request, error, 405, [("Allow", "GET")])
        return serve(request)

    return application


def _respond_json(
    request: wrappers.Request, content: Any, status: int, headers: list[tuple[str, str]] | None = None
) -> wrappers.Response:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return _respond(request, text, "application/json", code=status, headers=headers)


def _respond_download(request: wrappers.Request, download: Download) -> wrappers.Response:
    disposition = [("Content-Disposition", f'attachment; filename="{download.name}"')]
    # Said to be encoded, it is left as it is, instead of being compressed as a whole.
    response = _respond(request, b"", download.mime_type, headers=disposition, content_encoding="identity")
    del response.headers["Content-Length"], response.headers["Content-Encoding"]
    response.response = _encoded(download.pieces)
    return response


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    """In chunks that are worth sending."""
    chunk: list[str] = []
    size = 0
    for piece in pieces:
        chunk.append(piece)
        size += len(piece)
        if size >= _CHUNK_CHARACTERS:
            yield "".join(chunk).encode()
            chunk, size = [], 0
    yield "".join(chunk).encode()


def _respond(request: wrappers.Request, content: str | bytes, mime_type: str, **options: Any) -> wrappers.Response:
    response: wrappers.Response = http_util.Respond(request, content, mime_type, **options)
    return response
