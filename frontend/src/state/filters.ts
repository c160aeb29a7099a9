import { basename, place } from "../base/format";
import type { Digest, Session, Trace, TracedFunction } from "../data/digest";
import { causeOf, causeWord, kindLabel } from "../data/words";
import type { Filters } from "./settings";

/** Which traces are shown. Pure. */

export interface Shown {
  traces: Trace[];
  /** How many each cause would show, all other filters applied. */
  causeCounts: Map<string, number>;
  /** How many are hidden only because they are library functions'. */
  hiddenLibrary: number;
}

export function applyFilters(data: Pick<Digest, "traces" | "functions" | "sessions">, filters: Filters): Shown {
  const matches = textMatcher(filters.text, data.functions);
  const causes = new Set(filters.causes);
  const session = filters.session === null ? -1 : data.sessions.findIndex((candidate) => candidate.id === filters.session);
  const traces: Trace[] = [];
  const causeCounts = new Map<string, number>();
  let hiddenLibrary = 0;
  for (const trace of data.traces) {
    if (session >= 0 && trace.session !== session) continue;
    if (filters.avoidableOnly && trace.verdict !== "avoidable") continue;
    if (!matches(trace)) continue;
    const cause = causeOf(trace);
    if (!filters.library && data.functions[trace.function]?.library) {
      if (causes.size === 0 || causes.has(cause)) hiddenLibrary += 1;
      continue;
    }
    causeCounts.set(cause, (causeCounts.get(cause) ?? 0) + 1);
    if (causes.size === 0 || causes.has(cause)) traces.push(trace);
  }
  return { traces, causeCounts, hiddenLibrary };
}

/** Every word of `text` must be somewhere in the trace: its function, place, path, change, cause or kind. */
function textMatcher(text: string, functions: readonly TracedFunction[]): (trace: Trace) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return () => true;
  const ofFunction = functions.map((of) => `${of.qualname || of.name} ${of.name} ${of.file} ${place(of.file, of.line)}`.toLowerCase());
  return (trace) => {
    const haystack = `${ofFunction[trace.function] ?? ""} ${trace.change} ${trace.path} ${causeWord(causeOf(trace)).label} ${kindLabel(trace.kind)} ${trace.verdict}${trace.failed ? " failed" : ""}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  };
}

export function isFiltered(filters: Filters): boolean {
  return filters.causes.length > 0 || filters.avoidableOnly || filters.text !== "" || !filters.library;
}

/** How a session is called in the picker: its run without the directory that recordings always lie in, and its worker. */
export function sessionName(session: Session): string {
  const own = session.run.replace(/(^|\/)retrace(\/worker\d+)?$/, "");
  const run = own === "" || own === "." ? basename(session.program) || "run" : own;
  return session.worker === null ? run : `${run} · worker ${session.worker}`;
}
