import { clamp, span, type ViewWindow } from "../../base/view_window";
import type { Recompilation, Session, Trace, TracedFunction } from "../../data/digest";
import type { Axis } from "../../state/settings";
import { costUs, spanUs } from "../../state/sort";
import { firstAtLeast, type Lane, makeLane, type Span, spanOf } from "./lanes";
import { lostBy } from "./lost";
import { type Nested, nestedIn } from "./nesting";

/** Rows and spans of the timeline: what is where, before any pixel of the axis. Pure. */

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
  /** Index into the digest's sessions. */
  session: number;
  name: string;
  /** What its traces cost, first ones too; what was lost to retraces and recompilations. Microseconds. */
  costUs: number;
  lostUs: number;
  avoidableUs: number;
  /** The function's own, in the order of time. */
  traces: Trace[];
  /**
   * Its outer traces; then, a lane for each depth, what was traced inside them, of whatever function; in the first of those also its
   * own traces that happened inside another function's.
   */
  lanes: Lane[];
  /** Traces that have no place on a step axis, in the order of time. */
  unplaced: Trace[];
  /** In the order of `from`; none for a recompilation without a step on a step axis. */
  marks: Mark[];
  /** The first of its session where there are several: its name stands above. */
  heads: boolean;
  /** CSS pixels from the first row's top: of the heading, if it has one, and of the row below it. */
  top: number;
  body: number;
  height: number;
}

export interface Chart {
  axis: Axis;
  rows: Row[];
  /** Of all rows, CSS pixels. */
  height: number;
  /** The whole of the axis; never empty. */
  whole: ViewWindow;
  /** The part of it that has traces, where that is a small one: a long training often traces in its first seconds alone. Else the whole. */
  traced: ViewWindow;
  /** How many traces have no step. */
  unplaced: number;
  /** Sessions that have rows, in their order. */
  sessions: number[];
  nested: Map<Trace, Nested>;
  /** Position in `rows` by function. */
  rowOf: Map<number, number>;
  /** Each row's `top`, for finding what is in view. */
  tops: Float64Array;
}

export const ROW_HEIGHT = 42;
export const HEADING_HEIGHT = 24;
/** Of a lane of nested traces, with the gap above it. */
export const LANE_HEIGHT = 9;
/** What is nested deeper shares the last lane. */
const MOST_LANES = 4;
/** The share of a step's width that its traces take, so that neighbouring steps stay apart. */
export const STEP_FILL = 0.8;
const LEAST_TIME_US = 1_000;
/** Of the whole axis; above it the traces are not looked at apart. */
const MOST_TRACED = 0.25;

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
  const nested = nestedIn(traces);
  const lostUs = lostBy(scope);
  const byFunction = new Map<number, Trace[]>();
  for (const trace of traces) {
    const held = byFunction.get(trace.function);
    if (held) held.push(trace);
    else byFunction.set(trace.function, [trace]);
  }
  const lanes = axis === "time" ? timeLanes(traces, nested) : stepLanes(byFunction);
  const rows: Row[] = [];
  let unplaced = 0;
  for (const [index, mine] of byFunction) {
    mine.sort((a, b) => a.startUs - b.startUs || a.seq - b.seq);
    const row: Row = {
      function: index, session: mine[0]!.session, name: functions[index]?.name ?? "?", costUs: 0, lostUs: 0, avoidableUs: 0, traces: mine,
      lanes: (lanes.get(index) ?? [[]]).map(makeLane), unplaced: [], marks: [], heads: false, top: 0, body: 0, height: ROW_HEIGHT,
    };
    for (const trace of mine) {
      row.lostUs += lostUs(trace);
      row.costUs += costUs(trace);
      if (trace.verdict === "avoidable") row.avoidableUs += spanUs(trace);
      for (const mark of marks.get(trace.key) ?? []) row.marks.push({ ...mark, trace });
    }
    row.marks.sort((a, b) => a.from - b.from);
    if (axis === "step") row.unplaced = mine.filter((trace) => trace.step === null);
    unplaced += row.unplaced.length;
    row.height = ROW_HEIGHT + Math.max(0, row.lanes.length - 2) * LANE_HEIGHT;
    rows.push(row);
  }
  const ordered = orderBySession(rows);
  const traced = axis === "time" ? tracedTime(scope, marks) : wholeSteps(scope, marks);
  const whole = axis === "time" ? wholeTime(traced, scope, sessions) : traced;
  let height = 0;
  rows.forEach((row, index) => {
    row.heads = ordered.length > 1 && row.session !== rows[index - 1]?.session;
    row.top = height;
    row.body = height + (row.heads ? HEADING_HEIGHT : 0);
    height = row.body + row.height;
  });
  return {
    axis,
    rows,
    height,
    unplaced,
    sessions: ordered,
    whole,
    traced: span(traced) < MOST_TRACED * span(whole) ? clamp(traced, whole, 0) : whole,
    nested,
    rowOf: new Map(rows.map((row, index) => [row.function, index])),
    tops: Float64Array.from(rows, (row) => row.top),
  };
}

/** Sorts rows by time lost, then by cost, those of a session together; the sessions, too, the costliest first. */
function orderBySession(rows: Row[]): number[] {
  const lost = new Map<number, number>();
  for (const row of rows) lost.set(row.session, (lost.get(row.session) ?? 0) + row.lostUs);
  const sessions = [...lost.keys()].sort((a, b) => lost.get(b)! - lost.get(a)! || a - b);
  const rank = new Map(sessions.map((session, index) => [session, index]));
  rows.sort((a, b) => rank.get(a.session)! - rank.get(b.session)! || b.lostUs - a.lostUs || b.costUs - a.costUs || a.function - b.function);
  return sessions;
}

/** Where a trace is on its function's row; the span is null for a trace without a step, the whole null for one that is not shown. */
export function placeOf(chart: Chart, trace: Trace | null): { row: number; lane: number; span: Span | null } | null {
  const row = trace ? chart.rowOf.get(trace.function) : undefined;
  if (!trace || row === undefined) return null;
  const found = placeIn(chart, row, trace);
  if (found) return { row, ...found };
  return chart.rows[row]!.unplaced.some((other) => other.key === trace.key) ? { row, lane: 0, span: null } : null;
}

/** The same on the row of the trace that it happened in, if that is another's. */
export function placeInside(chart: Chart, trace: Trace | null): { row: number; lane: number; span: Span } | null {
  const root = trace ? chart.nested.get(trace)?.root : undefined;
  const row = root && root.function !== trace?.function && chart.axis === "time" ? chart.rowOf.get(root.function) : undefined;
  if (!trace || row === undefined) return null;
  const found = placeIn(chart, row, trace);
  return found && { row, ...found };
}

function placeIn(chart: Chart, row: number, trace: Trace): { lane: number; span: Span } | null {
  const from = chart.axis === "time" ? trace.startUs : trace.step;
  if (from === null) return null;
  const { lanes } = chart.rows[row]!;
  for (let lane = 0; lane < lanes.length; lane += 1) {
    const span = spanOf(lanes[lane]!, trace, from, chart.axis === "time" ? 0 : 1);
    if (span) return { lane, span };
  }
  return null;
}

/** The row at a height, its heading included; −1 below the last. */
export function rowAt(chart: Chart, y: number): number {
  if (y < 0 || y >= chart.height) return -1;
  const index = firstAtLeast(chart.tops, y);
  return chart.tops[index] === y ? index : index - 1;
}

/** Top and height of a lane within its row: nested ones are flat, but not where nothing else is in the row. */
export function laneBounds(row: Row, lane: number): [top: number, height: number] {
  if (row.lanes.length === 1) return [8, 26];
  if (lane > 0 && row.lanes.length === 2 && row.lanes[0]!.spans.length === 0) return [16, 16];
  return lane === 0 ? [6, 22] : [30 + (lane - 1) * LANE_HEIGHT, LANE_HEIGHT - 1];
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

export function timeSpan(trace: Trace): Span {
  const traced = trace.startUs + trace.traceUs;
  return { trace, from: trace.startUs, traced, to: traced + (trace.firstCallUs ?? 0) };
}

/** By function, lanes by depth. A nested trace is on two rows: its own, and that of the outer trace whose time it is part of. */
function timeLanes(traces: readonly Trace[], nested: ReadonlyMap<Trace, Nested>): Map<number, Span[][]> {
  const lanes = new Map<number, Span[][]>();
  const put = (of: number, lane: number, span: Span): void => {
    let mine = lanes.get(of);
    if (!mine) lanes.set(of, (mine = [[]]));
    while (mine.length <= lane) mine.push([]);
    mine[lane]!.push(span);
  };
  for (const trace of traces) {
    const span = timeSpan(trace);
    const inside = nested.get(trace);
    if (!inside) {
      put(trace.function, trace.nested ? 1 : 0, span);
      continue;
    }
    const depth = inside.depth + (inside.root.nested ? 1 : 0);
    put(inside.root.function, Math.min(MOST_LANES - 1, depth), span);
    if (inside.root.function !== trace.function) put(trace.function, 1, span);
  }
  return lanes;
}

/** Over steps nothing has a length, so nothing lies inside anything: nested traces have a lane of their own. */
function stepLanes(byFunction: ReadonlyMap<number, Trace[]>): Map<number, Span[][]> {
  const lanes = new Map<number, Span[][]>();
  for (const [index, mine] of byFunction) {
    const spans = stepSpans(mine);
    const inner = spans.filter((span) => span.trace.nested);
    lanes.set(index, inner.length ? [spans.filter((span) => !span.trace.nested), inner] : [spans]);
  }
  return lanes;
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
    mine.sort((a, b) => a.startUs - b.startUs || a.seq - b.seq);
    const width = STEP_FILL / mine.length;
    mine.forEach((trace, index) => {
      const from = step + (index * STEP_FILL) / mine.length;
      const total = trace.traceUs + (trace.firstCallUs ?? 0);
      spans.push({ trace, from, traced: from + (total > 0 ? (width * trace.traceUs) / total : width), to: from + width });
    });
  }
  return spans;
}

/** From the first trace's start to the end of the last, with a margin. */
function tracedTime(scope: readonly Trace[], marks: ReadonlyMap<string, readonly Omit<Mark, "trace">[]>): ViewWindow {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const trace of scope) {
    from = Math.min(from, trace.startUs);
    to = Math.max(to, trace.startUs + trace.traceUs + (trace.firstCallUs ?? 0));
    if (marks.size > 0) for (const mark of marks.get(trace.key) ?? []) to = Math.max(to, mark.to);
  }
  if (from > to) return { from: 0, to: LEAST_TIME_US };
  return withMargin({ from, to: Math.max(to, from + LEAST_TIME_US) });
}

/** From the session's start to its end or last sign of life, over the sessions in scope, and all that has traces. */
function wholeTime(traced: ViewWindow, scope: readonly Trace[], sessions: readonly Session[]): ViewWindow {
  let last = 0;
  for (const index of new Set(scope.map((trace) => trace.session))) {
    const session = sessions[index];
    if (session && /^\d{1,20}$/.test(session.startedNs) && /^\d{1,20}$/.test(session.lastNs)) {
      last = Math.max(last, Number((BigInt(session.lastNs) - BigInt(session.startedNs)) / 1000n));
    }
  }
  const run = withMargin({ from: 0, to: Math.max(last, LEAST_TIME_US) });
  return { from: Math.min(run.from, traced.from), to: Math.max(run.to, traced.to) };
}

function withMargin({ from, to }: ViewWindow): ViewWindow {
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
    if (marks.size > 0) for (const mark of marks.get(key) ?? []) reach(Math.floor(mark.from));
  }
  if (first > last) return { from: 0, to: 1 };
  const margin = Math.max(0.2, (last - first) * 0.01);
  return { from: first - margin, to: last + margin };
}
