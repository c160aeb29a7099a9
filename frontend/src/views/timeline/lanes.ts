import type { ViewWindow } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import { costUs } from "../../state/sort";

/** Spans beside each other, quick to search and to go through. Pure. */

/** One trace on the axis; values are microseconds since the session's start, or steps. */
export interface Span {
  trace: Trace;
  from: number;
  /** End of tracing, start of the first execution. */
  traced: number;
  /** End of the first execution, or `traced` where none was measured. */
  to: number;
}

/** Spans in the order of `from`, with what every frame asks for in columns. */
export interface Lane {
  spans: readonly Span[];
  from: Float64Array;
  to: Float64Array;
  /** The latest end so far: it only rises, so what reaches into view is found by halving. */
  reach: Float64Array;
  /** Microseconds lost. */
  lost: Float64Array;
}

export const NO_LANE: Lane = makeLane([]);

export function makeLane(spans: Span[]): Lane {
  spans.sort((a, b) => a.from - b.from || a.trace.seq - b.trace.seq);
  const size = spans.length;
  const lane: Lane = { spans, from: new Float64Array(size), to: new Float64Array(size), reach: new Float64Array(size), lost: new Float64Array(size) };
  let reach = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < size; index += 1) {
    const span = spans[index]!;
    reach = Math.max(reach, span.to);
    lane.from[index] = span.from;
    lane.to[index] = span.to;
    lane.reach[index] = reach;
    lane.lost[index] = costUs(span.trace);
  }
  return lane;
}

/** The first index, from `start` on, whose value is at least `value`, in values that only rise. */
export function firstAtLeast(values: ArrayLike<number>, value: number, start = 0): number {
  let [low, high] = [start, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Indexes from which and below which spans can be in the window; some between may not be. */
export function inWindow(lane: Lane, { from, to }: ViewWindow): [start: number, end: number] {
  return [firstAtLeast(lane.reach, from), firstAtLeast(lane.from, to)];
}

/** The span of a trace that lies near `from`: at it, or less than `within` after it. */
export function spanOf(lane: Lane, trace: Trace, from: number, within: number): Span | null {
  for (let index = firstAtLeast(lane.from, from); index < lane.from.length && lane.from[index]! <= from + within; index += 1) {
    if (lane.spans[index]!.trace.key === trace.key) return lane.spans[index]!;
  }
  return null;
}
