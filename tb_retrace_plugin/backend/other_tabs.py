"""Where TensorBoard's other tabs show a trace: its graph in the Graphs tab, its span in the Profile tab."""

from __future__ import annotations

import threading
from typing import Any

from tensorboard.plugins import base_plugin

from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.backend.kept_fresh import KeptFresh
from tb_retrace_plugin.events.graphs_tab import Place, list_graphs_tab
from tb_retrace_plugin.events.profile_sessions import ProfileSessions
from tb_retrace_plugin.schema import tags
from tb_retrace_plugin.schema.vocabulary import span_name

#: The Profile tab's tool that shows spans.
_TOOL = "trace_viewer@"
#: TensorBoard lists all tags of all runs for it, and how long that takes depends on them.
_KEEP_SECONDS = 10.0
_MAX_EXPERIMENTS = 4
_INSTALL = "`pip install xprof` where TensorBoard runs and start it again to see it there."


class OtherTabs:
    """Of one TensorBoard."""

    def __init__(self, context: base_plugin.TBContext) -> None:
        self._provider = context.data_provider
        self._lock = threading.Lock()
        self._listings: dict[str, KeptFresh[dict[str, Place]]] = {}
        # TensorBoard adds the others to it after us
        self._plugins = context.plugin_name_to_instance if context.plugin_name_to_instance is not None else {}
        logdir = context.logdir or ""
        self._is_spec = not logdir
        self._profiles = ProfileSessions(logdir) if logdir and "://" not in logdir else None

    def graphs_tab(self, context: Any, experiment_id: str, event: TraceEvent) -> dict[str, str] | None:
        """`graphs_tab` of the `trace` route. Raises what the data provider raises if it cannot answer at all."""
        with self._lock:
            listing = self._listings.setdefault(experiment_id, KeptFresh(_KEEP_SECONDS))
            while len(self._listings) > _MAX_EXPERIMENTS:
                del self._listings[next(iter(self._listings))]
        places = listing.get(lambda: list_graphs_tab(self._provider, context, experiment_id))
        place = places.get(tags.trace_tag(event.session.id, event.seq))
        return None if place is None else {"run": place.run, "tag": place.tag}

    def profile(self, event: TraceEvent) -> dict[str, Any] | None:
        """`profile` of the `trace` route."""
        trace = event.record
        if not trace.profiled:
            return None
        run = None
        if self._profiles is not None:
            run = self._profiles.run_with(event.session.id, event.seq, trace.time_ns)
        span, installed = span_name(trace.function.name), "profile" in self._plugins
        return {
            "run": run,
            "tool": _TOOL,
            "span": span,
            "installed": installed,
            "text": self._text(run, span, installed),
        }

    def _text(self, run: str | None, span: str, installed: bool) -> str:
        if run is not None:
            where = f"The profile session `{run}` has this trace as the span `{span}`."
            return f"{where} Look in the Profile tab's trace viewer." if installed else f"{where} {_INSTALL}"
        if self._profiles is None:
            with_what = "--logdir_spec" if self._is_spec else "a logdir on another file system"
            return f"A profile session ran during this trace. With {with_what} it is not looked for: use --logdir."
        return (
            "A profile session ran during this trace, but no profile below this logdir has it: it was not saved, or "
            "lies elsewhere. Start TensorBoard on a directory that holds both."
        )
