import type { ViewWindow } from "../../base/view_window";
import { spanUs } from "../../state/sort";
import { inWindow, type Lane, type Span } from "./lanes";
import type { Mark, Row } from "./rows";

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

const held = new WeakMap<Lane, { from: number; to: number; width: number; left: number; boxes: Box[] }>();

/** The same as last time, `left` pixels to the right, as long as the view stays: for pointing, scrolling and choosing nothing is worked out anew. */
export function boxesAt(lane: Lane, { from, to }: ViewWindow, width: number, left: number): Box[] {
  const last = held.get(lane);
  if (last && last.from === from && last.to === to && last.width === width && last.left === left) return last.boxes;
  const boxes = boxesInView(lane, { from, to }, width);
  if (left !== 0) for (const box of boxes) box.x += left;
  held.set(lane, { from, to, width, left, boxes });
  return boxes;
}

/** The boxes in view, left to right. Spans too short to be told apart become one box, so that there are never more boxes than pixels. */
export function boxesInView(lane: Lane, window: ViewWindow, width: number): Box[] {
  const { spans, lost } = lane;
  const { from, to } = lane;
  const scale = width / (window.to - window.from);
  const boxes: Box[] = [];
  const [start, end] = inWindow(lane, { from: window.from - LEAST_WIDTH / scale, to: window.to });
  let last: Box | null = null;
  let small = Number.NEGATIVE_INFINITY; // right edge of the last box, if that is one of the smallest
  let costliest = 0;
  for (let index = start; index < end; index += 1) {
    const x = (from[index]! - window.from) * scale;
    const exact = (to[index]! - from[index]!) * scale;
    if (exact <= LEAST_WIDTH && x < small) {
      last!.count += 1;
      if (lost[index]! > costliest) {
        costliest = lost[index]!;
        last!.span = spans[index]!;
      }
      continue;
    }
    const drawn = exact > LEAST_WIDTH ? exact : LEAST_WIDTH;
    if (x + drawn < 0) continue;
    const span = spans[index]!;
    last = { x, width: drawn, traced: exact <= LEAST_WIDTH ? drawn : (span.traced - span.from) * scale, span, count: 1 };
    small = exact <= LEAST_WIDTH ? x + LEAST_WIDTH : Number.NEGATIVE_INFINITY;
    costliest = lost[index]!;
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

/** Microseconds lost per bin over the whole axis, and the avoidable part of it. A trace inside another's row counts on its own only. */
export function costBins(rows: readonly Pick<Row, "function" | "lanes" | "marks">[], whole: ViewWindow, bins: number): { lost: Float64Array; avoidable: Float64Array } {
  const lost = new Float64Array(Math.max(1, bins));
  const avoidable = new Float64Array(lost.length);
  const scale = lost.length / (whole.to - whole.from);
  const bin = (value: number): number => Math.min(lost.length - 1, Math.max(0, Math.floor((value - whole.from) * scale)));
  for (const row of rows) {
    for (const lane of row.lanes) {
      for (const { trace, from, to } of lane.spans) {
        if (trace.function !== row.function) continue;
        const [first, last] = [bin(from), bin(to)];
        const share = spanUs(trace) / (last - first + 1);
        for (let index = first; index <= last; index += 1) {
          lost[index]! += share;
          if (trace.verdict === "avoidable") avoidable[index]! += share;
        }
      }
    }
    for (const mark of row.marks) lost[bin(mark.from)]! += mark.recompilation.us;
  }
  return { lost, avoidable };
}
