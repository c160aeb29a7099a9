"""What the user must know about the recording itself: what was lost, and what could not be read."""

from __future__ import annotations

from tb_retrace_plugin.analysis.sessions.losses import uncounted_functions
from tb_retrace_plugin.analysis.sessions.session import Session
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, quoted
from tb_retrace_plugin.events.records import Problem

#: So many problems are told one by one; a thousand lines would tell less.
MAX_PROBLEMS = 20
_FUNCTIONS_LISTED = 4

#: The recorder's counters: what is counted, and what its loss means to the reader.
_LOSSES = {
    "traces_not_recorded": ("trace", "could not be recorded; counts and costs are too low by that."),
    "traces_not_described": ("trace", "could not be described and left out; counts and costs are too low by that."),
    "records_not_written": ("record", "could not be written; look for a full disk, or a log directory that went away."),
    "graphs_over_budget": ("graph", "left out to save space; the traces themselves are all here."),
    "graphs_not_stored": ("graph", "could not be stored; the traces themselves are all here."),
    "graphs_tab_over_budget": ("graph", "left out of what is written for the Graphs tab."),
    "graphs_tab_not_written": ("graph", "could not be written for the Graphs tab."),
    "compilations_over_budget": ("XLA compilation", "left out to save space; there are more than are shown."),
    "compilations_not_described": ("XLA compilation", "could not be described and left out."),
    "stale_values_over_budget": ("stale Python value", "left out to save space; there are more than are shown."),
    "stale_values_not_compared": ("comparison", "of Python values failed; stale values may be missing."),
    "calls_not_watched": ("call", "could not be watched; first executions or XLA compilations may be missing."),
    "lookups_not_timed": ("lookup", "could not be timed; what lookups took is too little by that."),
    "draws_not_read": ("function", "could not be looked into; advice may not say that it would change results."),
    "owners_not_read": ("trace", "of which it could not be read what the variables belong to that it created."),
    "other_calls_not_read": ("function", "of which other calls are not known; advice may leave out lines to change."),
    "compile_not_read": (
        "trace",
        "of which it could not be read what the model was compiled with; why a model was compiled again is not told.",
    ),
    "held_numbers_not_read": ("trace", "of which numbers in objects could not be read; less is known to be avoidable."),
    "recursion_not_read": (
        "function",
        "could not be looked into; what goes through a tree may be said to be avoidable.",
    ),
    "first_calls_lost": ("first execution", "could not be recorded; costs are too low by that."),
    "traces_not_told": ("trace", "recorded without all that belongs to it, such as its place in a profile."),
    "event_files_lost": ("event file", "went away while it was written, with the traces in it."),
    "hook_taken_away": ("time", "another tool took Retrace's hook away: traces of that time may be missing."),
    "close_failed": ("event file", "could not be closed in order; the end of the recording may be missing."),
}


def notices(store: Store) -> list[Problem]:
    """Reading problems first, then each session's own losses, in the order of the sessions."""
    told = store.problems[:MAX_PROBLEMS]
    if (more := len(store.problems) - len(told)) > 0:
        told.append(Problem("warning", f"… and {count_text(more, 'more record')} could not be read."))
    return told + [problem for session in store.sessions for problem in _session_notices(session)]


def _session_notices(session: Session) -> list[Problem]:
    found = []
    run = session.run
    if session.start is None:
        found.append(f"{run}: the start of the recording is missing; times count from its first trace.")
    if session.missing:
        verb = "is" if session.missing == 1 else "are"
        found.append(
            f"{run}: {count_text(session.missing, 'trace')} of {len(session.events) + session.missing:,} "
            f"{verb} missing from the files; counts and costs are too low by that."
        )
    if session.end is not None:
        lost_stacks = sum(
            bool(e.record.stack_id) and e.record.stack_id not in session.stacks for e in session.events.values()
        )
        if lost_stacks:
            found.append(f"{run}: the call stack of {count_text(lost_stacks, 'trace')} is missing from the files.")
    if session.ran_eagerly:
        found.append(
            f"{run}: functions ran eagerly for some time, and were not traced meanwhile: "
            "`tf.config.run_functions_eagerly(True)`, or Keras' `run_eagerly=True` for a model's own functions."
        )
    groups = sorted(session.functions.values(), key=lambda group: -group.omitted_traces)
    if omitted := [group for group in groups if group.omitted]:
        total = sum(group.omitted_traces for group in omitted)
        counts = [f"{group.omitted_traces:,} of {quoted(group.function.name)}" for group in omitted]
        found.append(
            f"{run}: {count_text(total, 'trace')} like others that are shown ({list_text(counts, _FUNCTIONS_LISTED)}) "
            f"{'was' if total == 1 else 'were'} counted and not recorded one by one: all totals are exact, "
            "lists and timelines show a part."
        )
    for text in uncounted_functions(session):
        found.append(f"{run}: {text}; counts and costs are too low by that.")
    for name, count in sorted(session.losses.items()):
        if count > 0:
            found.append(f"{run}: {_loss_text(name, count)}")
    return [Problem("warning", text) for text in found]


def _loss_text(name: str, count: int) -> str:
    words = _LOSSES.get(name)
    if words is None:  # a counter of a later version
        return f"not everything was recorded: {name.replace('_', ' ')}: {count:,}."
    noun, what_it_means = words
    return f"{count_text(count, noun)} {what_it_means}"
