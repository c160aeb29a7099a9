import { basename, place } from "../base/format";
import type { Digest, Session, Trace, TracedFunction } from "../data/digest";
import { causeOf, causeWord, kindLabel } from "../data/words";
import { type Filters, filterParameters } from "./filter_parameters";

/** Which traces are shown. Pure. */

export interface Shown {
  traces: Trace[];
  /** How many each cause would show, all other filters applied. */
  causeCounts: Map<string, number>;
  /** The same for each verdict. */
  verdictCounts: Map<string, number>;
  /** How many are hidden only because they are library functions'. */
  hiddenLibrary: number;
}

export function applyFilters(data: Pick<Digest, "traces" | "functions" | "sessions">, filters: Filters): Shown {
  const matches = textMatcher(filters.text, data.functions);
  const causes = new Set(filters.causes);
  const verdicts = new Set(filters.verdicts);
  const sessions = sessionMatcher(data.sessions, filters);
  const steps = filters.steps;
  const ofFunction = data.functions.map((of) => filters.function === null || functionId(of) === filters.function);
  const traces: Trace[] = [];
  const causeCounts = new Map<string, number>();
  const verdictCounts = new Map<string, number>();
  let hiddenLibrary = 0;
  for (const trace of data.traces) {
    if (sessions && !sessions[trace.session]) continue;
    if (!ofFunction[trace.function]) continue;
    if (steps && (trace.step === null || trace.step < steps.from || trace.step > steps.to)) continue;
    if (!matches(trace)) continue;
    const cause = causeOf(trace);
    const byCause = causes.size === 0 || causes.has(cause);
    const byVerdict = verdicts.size === 0 || verdicts.has(trace.verdict);
    if (!filters.library && data.functions[trace.function]?.library) {
      if (byCause && byVerdict) hiddenLibrary += 1;
      continue;
    }
    if (byVerdict) causeCounts.set(cause, (causeCounts.get(cause) ?? 0) + 1);
    if (byCause) verdictCounts.set(trace.verdict, (verdictCounts.get(trace.verdict) ?? 0) + 1);
    if (byCause && byVerdict) traces.push(trace);
  }
  return { traces, causeCounts, verdictCounts, hiddenLibrary };
}

/** By index, whether a session's traces are shown; null: all are. What is not there hides nothing. */
function sessionMatcher(sessions: readonly Session[], { session, run, worker }: Filters): boolean[] | null {
  const one = sessions.some((candidate) => candidate.id === session) ? session : null;
  if (one === null && run === null && worker === null) return null;
  return sessions.map((candidate) => (one === null || candidate.id === one) && (run === null || runName(candidate) === run) && (worker === null || candidate.worker === worker));
}

/**
 * Every word of `text` must be somewhere in the trace: its function, place, path, change, cause or kind. No text is put together per
 * trace: what there are few of is searched once, so that a hundred thousand traces are filtered while one types.
 */
function textMatcher(text: string, functions: readonly TracedFunction[]): (trace: Trace) => boolean {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return () => true;
  const matchers = words.map((word) => {
    const pattern = new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
    const ofFunction = functions.map((of) => pattern.test(`${of.qualname || of.name} ${of.name} ${of.file} ${place(of.file, of.line)}`));
    const known = new Map<string, boolean>();
    const amongFew = (few: string): boolean => {
      let found = known.get(few);
      if (found === undefined) known.set(few, (found = pattern.test(few)));
      return found;
    };
    const failed = pattern.test("failed");
    return (trace: Trace): boolean =>
      ofFunction[trace.function] === true ||
      (trace.failed && failed) ||
      amongFew(trace.kind) ||
      amongFew(kindLabel(trace.kind)) ||
      amongFew(trace.verdict) ||
      amongFew(causeWord(causeOf(trace)).label) ||
      amongFew(trace.path) ||
      (trace.change !== "" && pattern.test(trace.change));
  });
  return (trace) => matchers.every((matches) => matches(trace));
}

/** Whether anything but the picked session narrows the traces down. */
export function isFiltered(filters: Filters): boolean {
  return Object.keys(filterParameters({ ...filters, session: null })).length > 0;
}

/** Names the same code in every session: what the URL keeps of it. */
export function functionId(of: Pick<TracedFunction, "qualname" | "name" | "file" | "line">): string {
  return `${of.qualname || of.name}@${place(of.file, of.line)}`;
}

/** What a filter by run is called: the run without the directories that recordings always lie in. */
export function runName(session: Session): string {
  const own = session.run.replace(/(^|\/)retrace(\/worker\d+)?$/, "");
  return own === "" || own === "." ? basename(session.program) || "run" : own;
}

/** How a session is called in the picker. */
export function sessionName(session: Session): string {
  const run = runName(session);
  return session.worker === null ? run : `${run} · worker ${session.worker}`;
}
