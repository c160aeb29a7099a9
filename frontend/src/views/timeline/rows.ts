import type { Recompilation, Session, Trace, TracedFunction } from "../../data/digest";
import { lostUs, spanUs } from "../../state/sort";
import type { Axis } from "../../state/settings";
import type { ViewWindow } from "../../base/view_window";

/** Rows and spans of the timeline: what is where, before any pixel. Pure. */

/** One trace on the axis; values are microseconds since the session's start, or steps. */
export interface Span {
  trace: Trace;
  from: number;
  /** End of tracing, start of the first execution. */
  traced: number;
  /** End of the first execution, or `traced` where none was measured. */
  to: number;
}

/** One recompilation by XLA on the axis. */
export interface Mark {
  recompilation: Recompilation;
  trace: Trace;
  from: number;
  to: number;
}

export interface Row {
  /** Index into the digest's functions. */
  function: number;
  name: string;
  lostUs: number;
  avoidableUs: number;
  /** Spans in the order of `from`; those nested in another trace have a lane of their own, below. */
  lanes: [outer: Span[], nested: Span[]];
  /** Traces that have no place on a step axis, in the order of time. */
  unplaced: Trace[];
  /** In the order of `from`; none for a recompilation without a step on a step axis. */
  marks: Mark[];
}

export interface Chart {
  rows: Row[];
  /** The whole of the axis; never empty. */
  whole: ViewWindow;
  /** How many traces have no step. */
  unplaced: number;
  /** Row and span of each trace by key; the span is null for a trace without a step. */
  places: Map<string, { row: number; span: Span | null }>;
}

/** The share of a step's width that its traces take, so that neighbouring steps stay apart. */
const STEP_FILL = 0.8;
const LEAST_TIME_US = 1_000;

/** Recompilations are shown with their traces. `scope` is what the axis covers: more than `traces` where filters hide some, so that the axis stays when filters change. */
export function buildChart(
  traces: readonly Trace[],
  scope: readonly Trace[],
  functions: readonly TracedFunction[],
  sessions: readonly Session[],
  axis: Axis,
  recompilations: readonly Recompilation[] = [],
): Chart {
  const marks = marksByTrace(recompilations, axis);
  const byFunction = new Map<number, Trace[]>();
  for (const trace of traces) {
    const held = byFunction.get(trace.function);
    if (held) held.push(trace);
    else byFunction.set(trace.function, [trace]);
  }
  const rows: Row[] = [];
  let unplaced = 0;
  for (const [index, mine] of byFunction) {
    mine.sort((a, b) => a.startUs - b.startUs || a.seq - b.seq);
    const row: Row = { function: index, name: functions[index]?.name ?? "?", lostUs: 0, avoidableUs: 0, lanes: [[], []], unplaced: [], marks: [] };
    for (const trace of mine) {
      row.lostUs += lostUs(trace);
      if (trace.verdict === "avoidable") row.avoidableUs += spanUs(trace);
      for (const mark of marks.get(trace.key) ?? []) row.marks.push({ ...mark, trace });
    }
    row.marks.sort((a, b) => a.from - b.from);
    if (axis === "step") row.unplaced = mine.filter((trace) => trace.step === null);
    unplaced += row.unplaced.length;
    for (const span of axis === "time" ? mine.map(timeSpan) : stepSpans(mine)) row.lanes[span.trace.nested ? 1 : 0].push(span);
    rows.push(row);
  }
  rows.sort((a, b) => b.lostUs - a.lostUs || a.function - b.function);
  return { rows, unplaced, whole: axis === "time" ? wholeTime(scope, sessions, marks) : wholeSteps(scope, marks), places: placesOf(rows) };
}

function marksByTrace(recompilations: readonly Recompilation[], axis: Axis): Map<string, Omit<Mark, "trace">[]> {
  const marks = new Map<string, Omit<Mark, "trace">[]>();
  for (const recompilation of recompilations) {
    const { step, startUs, us } = recompilation;
    if (axis === "step" && step === null) continue;
    const from = axis === "time" ? startUs : step! + STEP_FILL / 2;
    const mark = { recompilation, from, to: axis === "time" ? from + us : from };
    const held = marks.get(recompilation.trace);
    if (held) held.push(mark);
    else marks.set(recompilation.trace, [mark]);
  }
  return marks;
}

function placesOf(rows: readonly Row[]): Chart["places"] {
  const places: Chart["places"] = new Map();
  rows.forEach((row, index) => {
    for (const lane of row.lanes) for (const span of lane) places.set(span.trace.key, { row: index, span });
    for (const trace of row.unplaced) places.set(trace.key, { row: index, span: null });
  });
  return places;
}

function timeSpan(trace: Trace): Span {
  const traced = trace.startUs + trace.traceUs;
  return { trace, from: trace.startUs, traced, to: traced + (trace.firstCallUs ?? 0) };
}

/** Traces of the same step share its width, in the order of time. */
function stepSpans(traces: readonly Trace[]): Span[] {
  const byStep = new Map<number, Trace[]>();
  for (const trace of traces) {
    if (trace.step === null) continue;
    const held = byStep.get(trace.step);
    if (held) held.push(trace);
    else byStep.set(trace.step, [trace]);
  }
  const spans: Span[] = [];
  for (const [step, mine] of byStep) {
    const width = STEP_FILL / mine.length;
    mine.forEach((trace, index) => {
      const from = step + (index * STEP_FILL) / mine.length;
      const total = trace.traceUs + (trace.firstCallUs ?? 0);
      spans.push({ trace, from, traced: from + (total > 0 ? (width * trace.traceUs) / total : width), to: from + width });
    });
  }
  return spans.sort((a, b) => a.from - b.from);
}

/** From the session's start to its end or last sign of life, over the sessions in scope. */
function wholeTime(scope: readonly Trace[], sessions: readonly Session[], marks: ReadonlyMap<string, readonly Omit<Mark, "trace">[]>): ViewWindow {
  let from = 0;
  let to = LEAST_TIME_US;
  const seen = new Set<number>();
  for (const trace of scope) {
    from = Math.min(from, trace.startUs);
    to = Math.max(to, timeSpan(trace).to);
    for (const mark of marks.get(trace.key) ?? []) to = Math.max(to, mark.to);
    seen.add(trace.session);
  }
  for (const index of seen) {
    const session = sessions[index];
    if (session && /^\d{1,20}$/.test(session.startedNs) && /^\d{1,20}$/.test(session.lastNs)) {
      to = Math.max(to, Number((BigInt(session.lastNs) - BigInt(session.startedNs)) / 1000n));
    }
  }
  const margin = (to - from) * 0.01;
  return { from: from - margin, to: to + margin };
}

function wholeSteps(scope: readonly Trace[], marks: ReadonlyMap<string, readonly Omit<Mark, "trace">[]>): ViewWindow {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const reach = (step: number): void => {
    first = Math.min(first, step);
    last = Math.max(last, step + 1);
  };
  for (const { key, step } of scope) {
    if (step !== null) reach(step);
    for (const mark of marks.get(key) ?? []) reach(Math.floor(mark.from));
  }
  if (first > last) return { from: 0, to: 1 };
  const margin = Math.max(0.2, (last - first) * 0.01);
  return { from: first - margin, to: last + margin };
}
