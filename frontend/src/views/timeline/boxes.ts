import type { ViewWindow } from "../../base/view_window";
import { lostUs } from "../../state/sort";
import type { Span } from "./rows";

/** Spans as boxes of pixels. Pure. */

export const LEAST_WIDTH = 3;

export interface Box {
  /** Left edge, CSS pixels. */
  x: number;
  /** Width of the tracing part. */
  traced: number;
  /** Whole width, never below `LEAST_WIDTH`. */
  width: number;
  /** The span that the box shows: of several in the same place the costliest. */
  span: Span;
  /** How many spans lie in this place. */
  count: number;
}

/**
 * The boxes in view, left to right; `spans` must be in the order of `from`. Spans too short to be told apart become one box, so that
 * there are never more boxes than pixels.
 */
export function boxesInView(spans: readonly Span[], window: ViewWindow, width: number): Box[] {
  const scale = width / (window.to - window.from);
  const boxes: Box[] = [];
  let last: Box | null = null;
  for (const span of spans) {
    const x = (span.from - window.from) * scale;
    if (x > width) break;
    const exact = (span.to - span.from) * scale;
    const drawn = Math.max(LEAST_WIDTH, exact);
    if (x + drawn < 0) continue;
    if (last && exact <= LEAST_WIDTH && last.width <= LEAST_WIDTH && x < last.x + LEAST_WIDTH) {
      last.count += 1;
      if (lostUs(span.trace) > lostUs(last.span.trace)) last.span = span;
      continue;
    }
    last = { x, width: drawn, traced: exact <= LEAST_WIDTH ? drawn : (span.traced - span.from) * scale, span, count: 1 };
    boxes.push(last);
  }
  return boxes;
}

/** The box at `x`, within `reach` pixels: the one drawn last where they overlap, else the nearest. */
export function boxAt(boxes: readonly Box[], x: number, reach: number): Box | null {
  let nearest: Box | null = null;
  let distance = reach;
  for (let index = boxes.length - 1; index >= 0; index -= 1) {
    const box = boxes[index]!;
    const away = x < box.x ? box.x - x : x > box.x + box.width ? x - box.x - box.width : 0;
    if (away === 0) return box;
    if (away <= distance) {
      nearest = box;
      distance = away;
    }
  }
  return nearest;
}

/** Microseconds lost per bin over the whole axis, and the avoidable part of it. */
export function costBins(spans: Iterable<Span>, whole: ViewWindow, bins: number): { lost: Float64Array; avoidable: Float64Array } {
  const lost = new Float64Array(Math.max(1, bins));
  const avoidable = new Float64Array(lost.length);
  const scale = lost.length / (whole.to - whole.from);
  for (const span of spans) {
    const from = Math.min(lost.length - 1, Math.max(0, Math.floor((span.from - whole.from) * scale)));
    const to = Math.min(lost.length - 1, Math.max(from, Math.floor((span.to - whole.from) * scale)));
    const share = lostUs(span.trace) / (to - from + 1);
    for (let bin = from; bin <= to; bin += 1) {
      lost[bin]! += share;
      if (span.trace.verdict === "avoidable") avoidable[bin]! += share;
    }
  }
  return { lost, avoidable };
}
