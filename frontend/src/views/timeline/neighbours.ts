import type { Trace } from "../../data/digest";
import { type Chart, placeOf, type Row } from "./rows";

/** Walking through the timeline by keyboard. Pure. */

export type Direction = "left" | "right" | "up" | "down" | "first" | "last";

/** All traces of a row from left to right. */
export function tracesOf(row: Row): Trace[] {
  if (row.unplaced.length === 0) return row.traces;
  const without = new Set(row.unplaced);
  const placed = row.traces.filter((trace) => !without.has(trace));
  return [...row.unplaced, ...placed.sort((a, b) => (a.step ?? 0) - (b.step ?? 0) || a.startUs - b.startUs || a.seq - b.seq)];
}

/** The next trace in a direction; up and down lead to the one nearest in time. null if there is none. */
export function neighbour(chart: Chart, current: Trace | null, direction: Direction): Trace | null {
  const place = placeOf(chart, current);
  if (!current || !place) return chart.rows[0] ? (tracesOf(chart.rows[0])[0] ?? null) : null;
  if (direction === "up" || direction === "down") {
    const next = chart.rows[place.row + (direction === "up" ? -1 : 1)];
    return next ? nearest(next.traces, current) : null;
  }
  const traces = tracesOf(chart.rows[place.row]!);
  const index = traces.findIndex((trace) => trace.key === current.key);
  const target = { left: index - 1, right: index + 1, first: 0, last: traces.length - 1 }[direction];
  return traces[target] ?? null;
}

function nearest(traces: readonly Trace[], to: Trace): Trace | null {
  let best: Trace | null = null;
  for (const trace of traces) {
    if (!best || Math.abs(trace.startUs - to.startUs) < Math.abs(best.startUs - to.startUs)) best = trace;
  }
  return best;
}
