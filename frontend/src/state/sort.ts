import type { Digest, Trace } from "../data/digest";
import { causeOf, CAUSE_ORDER } from "../data/words";

/** The order of the list. Pure. */

const SORT_KEYS = ["time", "function", "n", "step", "kind", "change", "tracing", "first", "total", "verdict"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Sort {
  key: SortKey;
  descending: boolean;
}

export function isSortKey(text: string): text is SortKey {
  return (SORT_KEYS as readonly string[]).includes(text);
}

/** The lookup and the first execution as far as they were measured, tracing with what is nested in it, XLA's recompilations: microseconds. */
export function totalUs(trace: Trace): number {
  return trace.lookupUs + trace.traceUs + (trace.firstCallUs ?? 0) + trace.recompilationUs;
}

/** What a trace adds to a sum over traces: without those nested in it, which are counted themselves. Microseconds. */
export function costUs(trace: Trace): number {
  return spanUs(trace) + trace.recompilationUs;
}

/** The part of it that lies at the trace's own place in time. */
export function spanUs(trace: Trace): number {
  return trace.lookupUs + trace.ownUs + (trace.firstCallUs ?? 0);
}

/** By verdict, the costliest of equal ones come first; else they stay in the order of time. What is not known comes last, in both directions. */
export function sortTraces(traces: readonly Trace[], data: Pick<Digest, "functions" | "sessions">, sort: Sort): Trace[] {
  const offsets = sessionOffsets(data);
  const time = (trace: Trace): number => (offsets[trace.session] ?? 0) + trace.startUs;
  const value = valueOf(sort.key, data, time);
  const sign = sort.descending ? -1 : 1;
  const cost = sort.key === "verdict" ? totalUs : () => 0;
  const keyed = traces.map((trace) => ({ trace, value: value(trace), cost: cost(trace), time: time(trace) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1;
    } else if (a.value !== b.value) {
      return a.value < b.value ? -sign : sign;
    }
    return b.cost - a.cost || a.time - b.time || a.trace.session - b.trace.session || a.trace.seq - b.trace.seq;
  });
  return keyed.map((entry) => entry.trace);
}

function valueOf(key: SortKey, data: Pick<Digest, "functions">, time: (trace: Trace) => number): (trace: Trace) => number | string | null {
  switch (key) {
    case "time":
      return time;
    case "function":
      return (trace) => data.functions[trace.function]?.name.toLowerCase() ?? null;
    case "n":
      return (trace) => trace.n;
    case "step":
      return (trace) => trace.step;
    case "kind":
      return (trace) => trace.kind;
    case "change":
      return (trace) => {
        const order = CAUSE_ORDER.indexOf(causeOf(trace));
        return `${(order < 0 ? 99 : order).toString().padStart(2, "0")} ${trace.change}`;
      };
    case "tracing":
      return (trace) => trace.traceUs;
    case "first":
      return (trace) => trace.firstCallUs;
    case "total":
      return totalUs;
    case "verdict":
      return (trace) => ["avoidable", "bounded", "unknown", "needed"].indexOf(trace.verdict);
  }
}

/** When each session started, in microseconds after the earliest. */
function sessionOffsets({ sessions }: Pick<Digest, "sessions">): number[] {
  const starts = sessions.map((session) => (/^\d{1,20}$/.test(session.startedNs) ? BigInt(session.startedNs) : null));
  const known = starts.filter((start) => start !== null);
  const earliest = known.reduce((least, start) => (start < least ? start : least), known[0] ?? 0n);
  return starts.map((start) => (start === null ? 0 : Number((start - earliest) / 1000n)));
}
