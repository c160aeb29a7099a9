import type { ViewWindow } from "../../base/view_window";
import { lostUs, spanUs } from "../../state/sort";
import type { Mark, Span } from "./rows";

/** Spans as boxes of pixels. Pure. */

export const LEAST_WIDTH = 3;
/** Of a recompilation's line. */
export const MARK_WIDTH = 2;

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

export interface MarkBox {
  /** Left edge, CSS pixels. */
  x: number;
  /** How long it took, in pixels; 0 if too short to be seen. */
  width: number;
  /** Of several in the same place the costliest. */
  mark: Mark;
  count: number;
}

/** The marks in view, left to right; `marks` must be in the order of `from`. Those closer than `MARK_WIDTH` become one. */
export function marksInView(marks: readonly Mark[], window: ViewWindow, width: number): MarkBox[] {
  const scale = width / (window.to - window.from);
  const boxes: MarkBox[] = [];
  let last: MarkBox | null = null;
  for (const mark of marks) {
    const x = (mark.from - window.from) * scale;
    if (x > width) break;
    const exact = (mark.to - mark.from) * scale;
    if (x + Math.max(MARK_WIDTH, exact) < 0) continue;
    if (last && x < last.x + MARK_WIDTH + 1) {
      last.count += 1;
      last.width = Math.max(last.width, x + exact - last.x);
      if (mark.recompilation.us > last.mark.recompilation.us) last.mark = mark;
      continue;
    }
    last = { x, width: exact, mark, count: 1 };
    boxes.push(last);
  }
  return boxes;
}

/** The mark whose line is within `reach` pixels of `x`. */
export function markAt(boxes: readonly MarkBox[], x: number, reach: number): MarkBox | null {
  let nearest: MarkBox | null = null;
  let distance = reach;
  for (const box of boxes) {
    const away = Math.abs(x - box.x - MARK_WIDTH / 2);
    if (away > distance) continue;
    nearest = box;
    distance = away;
  }
  return nearest;
}

/** Microseconds lost per bin over the whole axis, and the avoidable part of it. */
export function costBins(spans: Iterable<Span>, whole: ViewWindow, bins: number, marks: Iterable<Mark> = []): { lost: Float64Array; avoidable: Float64Array } {
  const lost = new Float64Array(Math.max(1, bins));
  const avoidable = new Float64Array(lost.length);
  const scale = lost.length / (whole.to - whole.from);
  for (const span of spans) {
    const from = Math.min(lost.length - 1, Math.max(0, Math.floor((span.from - whole.from) * scale)));
    const to = Math.min(lost.length - 1, Math.max(from, Math.floor((span.to - whole.from) * scale)));
    const share = spanUs(span.trace) / (to - from + 1);
    for (let bin = from; bin <= to; bin += 1) {
      lost[bin]! += share;
      if (span.trace.verdict === "avoidable") avoidable[bin]! += share;
    }
  }
  for (const mark of marks) {
    lost[Math.min(lost.length - 1, Math.max(0, Math.floor((mark.from - whole.from) * scale)))]! += mark.recompilation.us;
  }
  return { lost, avoidable };
}
