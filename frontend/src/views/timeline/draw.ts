import { narrowParts } from "../../base/patterns";
import { toPixel } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import { causeOf, causeWord } from "../../data/words";
import { type Box, boxesAt, LEAST_WIDTH, MARK_WIDTH, type MarkBox, marksInView } from "./boxes";
import { type Frame, ticksOf } from "./frame";
import { LANE_WIDTH } from "./model";
import { HEADING_HEIGHT, laneBounds, placeInside, placeOf, type Row, rowAt } from "./rows";
import type { Span } from "./lanes";
import { stepBands } from "./step_clock";

/** Draws the rows of spans. */

/** What was drawn, for finding what is under the pointer. */
export interface DrawnRow {
  row: number;
  /** Nested ones later: they are drawn on top. */
  lanes: Box[][];
  unplaced: Box[];
  marks: MarkBox[];
}

/** Widths from which a pattern and a letter can be told; what is narrower has cuts instead, if it is so high. */
const PATTERN_WIDTH = 7;
const LETTER_WIDTH = 13;
const CUT_HEIGHT = 14;
/** Between the left edges of two step bands, CSS pixels. */
export const BAND_WIDTH = 110;

export function drawBody(pen: CanvasRenderingContext2D, frame: Frame): DrawnRow[] {
  const { chart, palette, width, height, left, scrollTop } = frame;
  const plot = width - left;
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  const first = Math.max(0, rowAt(chart, scrollTop));
  const below = rowAt(chart, scrollTop + height - 1);
  const last = below < 0 ? chart.rows.length : below + 1;
  const bottom = Math.min(height, chart.height - scrollTop);

  drawBands(pen, frame);
  const place = placeOf(chart, frame.selected);
  if (place) {
    const row = chart.rows[place.row]!;
    pen.fillStyle = palette.selectedRow;
    pen.fillRect(0, row.body - scrollTop, width, row.height);
  }
  pen.fillStyle = palette.line;
  for (const value of ticksOf(frame).values) pen.fillRect(Math.round(left + toPixel(frame.view, plot, value)), 0, 1, bottom);
  for (let index = first; index < last; index += 1) {
    const row = chart.rows[index]!;
    if (row.heads) {
      pen.fillStyle = palette.raised;
      pen.fillRect(0, row.top - scrollTop, width, HEADING_HEIGHT);
      pen.fillStyle = palette.line;
      pen.fillRect(0, row.body - scrollTop - 1, width, 1);
    }
    pen.fillRect(0, row.body + row.height - scrollTop - 1, width, 1);
  }

  const drawn: DrawnRow[] = [];
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, plot, height);
  pen.clip();
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `700 11px ${palette.sans}`;
  for (let index = first; index < last; index += 1) {
    const row = chart.rows[index]!;
    const lanes = row.lanes.map((lane) => boxesAt(lane, frame.view, plot, left));
    lanes.forEach((boxes, lane) => {
      const [top, tall] = laneBounds(row, lane);
      pen.translate(0, row.body - scrollTop + top);
      for (const box of boxes) drawBox(pen, frame, box, tall);
      pen.translate(0, scrollTop - row.body - top);
    });
    const marks = shift(marksInView(row.marks, frame.view, plot), left);
    for (const mark of marks) drawMark(pen, frame, mark, row.body - scrollTop, row.height);
    drawn.push({ row: index, lanes, unplaced: [], marks });
  }
  drawKin(pen, frame);
  if (frame.hovered) outline(pen, frame, frame.hovered, palette.text, 1);
  if (frame.selected) outline(pen, frame, frame.selected, palette.accent, 2);
  drawArea(pen, frame, 0, bottom);
  pen.restore();
  if (left > 0) drawLane(pen, frame, drawn, bottom);
  return drawn;
}

/** Steps, where the head can name them, and profile sessions, behind the rows of their session. */
function drawBands(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { chart, palette, left, scrollTop, view } = frame;
  const plot = frame.width - left;
  for (const session of chart.sessions) {
    const mine = chart.rows.filter((row) => row.session === session);
    const [top, bottom] = [mine[0]!.body - scrollTop, mine[mine.length - 1]!.body + mine[mine.length - 1]!.height - scrollTop];
    if (bottom < 0 || top > frame.height) continue;
    const clock = frame.clocks.get(session);
    if (clock && chart.sessions.length === 1) {
      pen.fillStyle = palette.raised;
      for (const band of stepBands(clock, view, plot, BAND_WIDTH)) {
        if (!band.shaded) continue;
        const from = Math.max(0, Math.round(band.x));
        pen.fillRect(left + from, top, Math.min(plot, Math.round(band.end)) - from, bottom - top);
      }
    }
    for (const profile of frame.profiles) {
      if (profile.session !== session) continue;
      const [from, to] = profileEdges(frame, profile);
      if (to < left || from > frame.width) continue;
      pen.globalAlpha = 0.12;
      pen.fillStyle = palette.accent;
      pen.fillRect(from, top, to - from, bottom - top);
      pen.globalAlpha = 1;
      for (const edge of [from, to - 1]) pen.fillRect(edge, top, 1, bottom - top);
    }
  }
}

/** Left and right edge, wide enough to be seen. */
export function profileEdges(frame: Frame, { from, to }: { from: number; to: number }): [number, number] {
  const plot = frame.width - frame.left;
  const start = frame.left + toPixel(frame.view, plot, from);
  return [Math.max(start, frame.left - 20), Math.min(Math.max(start + 4, frame.left + toPixel(frame.view, plot, to)), frame.width + 20)];
}

/** The chosen part of the axis. */
export function drawArea(pen: CanvasRenderingContext2D, frame: Frame, top: number, bottom: number): void {
  const { area, palette, left } = frame;
  if (!area) return;
  const plot = frame.width - left;
  const from = Math.max(left - 4, left + toPixel(frame.view, plot, area.from));
  const to = Math.min(frame.width + 4, left + toPixel(frame.view, plot, area.to));
  if (to < left || from > frame.width) return;
  pen.globalAlpha = 0.1;
  pen.fillStyle = palette.focus;
  pen.fillRect(from, top, to - from, bottom - top);
  pen.globalAlpha = 1;
  for (const edge of [from, to - 1]) pen.fillRect(Math.round(edge), top, 1, bottom - top);
}

function shift<T extends { x: number }>(boxes: T[], by: number): T[] {
  if (by !== 0) for (const box of boxes) box.x += by;
  return boxes;
}

/** A recompilation: a line over the row's whole height with a head, and a bar below for how long it took. */
function drawMark(pen: CanvasRenderingContext2D, frame: Frame, box: MarkBox, y: number, tall: number): void {
  const x = Math.round(box.x);
  // Far zoomed in, edges lie beyond the canvas by more than it can draw exactly.
  const [from, to] = [Math.max(x, -8), Math.min(x + box.width, frame.width + 8)];
  // Apart from the spans that it may lie on.
  pen.fillStyle = frame.palette.background;
  pen.fillRect(x - 1, y + 7, MARK_WIDTH + 2, tall - 11);
  pen.fillStyle = box.mark.recompilation.failed ? frame.palette.error : frame.palette.xla;
  pen.fillRect(x, y + 4, MARK_WIDTH, tall - 8);
  if (box.width > MARK_WIDTH) pen.fillRect(from, y + tall - 7, to - from, 3);
  pen.beginPath();
  pen.moveTo(x - 3, y + 3);
  pen.lineTo(x + MARK_WIDTH + 3, y + 3);
  pen.lineTo(x + MARK_WIDTH / 2, y + 9);
  pen.fill();
}

/** With its top at the pen's origin. */
function drawBox(pen: CanvasRenderingContext2D, frame: Frame, box: Box, tall: number): void {
  const { palette } = frame;
  const { trace } = box.span;
  const cause = causeOf(trace);
  const colour = trace.failed ? palette.error : palette.cause(cause);
  const presence = frame.presence(trace);
  if (presence < 1) pen.globalAlpha = presence;
  if (box.width <= LEAST_WIDTH) {
    const cut = !trace.failed && tall >= CUT_HEIGHT;
    pen.fillStyle = cut ? palette.narrow(cause, colour, tall) : colour;
    pen.fillRect(box.x, 0, LEAST_WIDTH, tall);
    if (trace.failed) waist(pen, palette.background, box.x, LEAST_WIDTH, tall);
    if (presence < 1) pen.globalAlpha = 1;
    return;
  }
  pen.fillStyle = colour;
  // Far zoomed in, edges lie beyond the canvas by more than it can draw exactly.
  const x = Math.max(box.x, -8);
  const end = Math.min(box.x + box.width, frame.width + 8);
  const traced = Math.min(Math.max(box.x + box.traced, x), end);
  if (trace.failed && end - x > LEAST_WIDTH + 2) {
    pen.fillStyle = palette.background;
    pen.fillRect(x, 0, end - x, tall);
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, 1, end - x - 2, tall - 2);
  } else if (trace.failed) {
    pen.fillRect(x, 0, end - x, tall);
    waist(pen, palette.background, x, end - x, tall);
  } else {
    pen.fillRect(x, 0, Math.max(traced - x, Math.min(1, end - x)), tall);
    if (end - traced > 0.5) {
      pen.fillStyle = palette.background;
      pen.fillRect(traced, 0, end - traced, tall);
      patterned(pen, palette.hatch(colour), box.x, traced, end, tall);
      pen.fillStyle = colour;
      pen.fillRect(traced, 0, end - traced, 1);
      pen.fillRect(traced, tall - 1, end - traced, 1);
      pen.fillRect(end - 1, 0, 1, tall);
    }
    if (traced - x >= PATTERN_WIDTH) patterned(pen, palette.pattern(cause), box.x, x, traced, tall);
    else if (box.traced < PATTERN_WIDTH && tall >= CUT_HEIGHT) cutAcross(pen, palette.background, causeWord(cause).colour, x, end, tall);
  }
  const [from, to] = [Math.max(x, frame.left), Math.min(trace.failed ? end : traced, frame.width)];
  if (to - from >= LETTER_WIDTH && tall >= 14) {
    const middle = (from + to) / 2;
    if (!trace.failed) {
      pen.fillStyle = colour;
      pen.fillRect(middle - 6, 0, 12, tall);
    }
    pen.fillStyle = trace.failed ? colour : palette.onCause;
    pen.fillText(trace.failed ? "×" : causeWord(cause).letter, middle, tall / 2 + 0.5);
  }
  if (presence < 1) pen.globalAlpha = 1;
}

/** Too narrow for a frame with a cross in it: a failed trace is thin between its ends. */
function waist(pen: CanvasRenderingContext2D, background: string, x: number, width: number, tall: number): void {
  const ends = Math.round(tall / 4);
  pen.fillStyle = background;
  for (const left of [x, x + (width + 1) / 2]) pen.fillRect(left, ends, (width - 1) / 2, tall - 2 * ends);
}

/** As on a narrow span, for one whose tracing is narrow and whose first execution is not: both are cut. */
function cutAcross(pen: CanvasRenderingContext2D, background: string, colour: string, from: number, to: number, tall: number): void {
  pen.fillStyle = background;
  // Whole pixels, or a fringe of the edges stays.
  const [left, right] = [Math.floor(from), Math.ceil(to)];
  let above = 0;
  for (const [top, height] of narrowParts(colour, tall)) {
    if (top > above) pen.fillRect(left, above, right - left, top - above);
    above = top + height;
  }
}

/** Fills a part of a box with a pattern that moves with the box. */
function patterned(pen: CanvasRenderingContext2D, pattern: CanvasPattern | string | null, origin: number, from: number, to: number, tall: number): void {
  if (!pattern || to <= from) return;
  // Far zoomed in, the box begins further away than a canvas can place.
  const anchor = origin < -1000 ? 0 : origin;
  pen.translate(anchor, 0);
  pen.fillStyle = pattern;
  pen.fillRect(from - anchor, 0, to - from, tall);
  pen.translate(-anchor, 0);
}

/** Lines from the chosen trace to the one it is nested in, and to those nested in it. */
function drawKin(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { selected, chart } = frame;
  if (!selected) return;
  pen.strokeStyle = frame.palette.accent;
  pen.lineWidth = 1;
  pen.setLineDash([3, 2]);
  const connect = (parent: Trace, child: Trace): void => {
    const [above, below] = [placeOf(chart, parent), placeOf(chart, child)];
    if (!above?.span || !below?.span || above.row === below.row) return;
    const x = Math.round(frame.left + toPixel(frame.view, frame.width - frame.left, below.span.from)) + 0.5;
    const [from, to] = [edges(chart.rows[above.row]!, above.lane), edges(chart.rows[below.row]!, below.lane)];
    const down = below.row > above.row;
    pen.beginPath();
    pen.moveTo(x, (down ? from[1] : from[0]) - frame.scrollTop);
    pen.lineTo(x, (down ? to[0] : to[1]) - frame.scrollTop);
    pen.stroke();
  };
  for (const { trace } of chart.nested.values()) {
    if (trace.session !== selected.session) continue;
    if (trace.parentSeq === selected.seq) connect(selected, trace);
    else if (trace.key === selected.key) {
      const root = chart.nested.get(trace)!.root;
      connect(root, trace);
    }
  }
  pen.setLineDash([]);
}

/** Upper and lower edge of a lane in the chart. */
function edges(row: Row, lane: number): [number, number] {
  const [top, tall] = laneBounds(row, lane);
  return [row.body + top, row.body + top + tall];
}

function outline(pen: CanvasRenderingContext2D, frame: Frame, trace: Trace, colour: string, thick: number): void {
  for (const place of [placeOf(frame.chart, trace), placeInside(frame.chart, trace)]) {
    if (place?.span) outlineAt(pen, frame, place.row, place.lane, place.span, colour, thick);
  }
}

function outlineAt(pen: CanvasRenderingContext2D, frame: Frame, index: number, lane: number, span: Span, colour: string, thick: number): void {
  const plot = frame.width - frame.left;
  const from = Math.max(frame.left + toPixel(frame.view, plot, span.from), -20);
  const to = Math.min(Math.max(frame.left + toPixel(frame.view, plot, span.to), from + LEAST_WIDTH), frame.width + 20);
  if (to < -10 || from > frame.width + 10) return;
  const row = frame.chart.rows[index]!;
  const [top, tall] = laneBounds(row, lane);
  const gap = thick + 1;
  pen.strokeStyle = colour;
  pen.lineWidth = thick;
  pen.strokeRect(from - gap + thick / 2, row.body - frame.scrollTop + top - gap + thick / 2, to - from + 2 * gap - thick, tall + 2 * gap - thick);
}

/** Traces without a step: side by side in a lane of their own, in the order of time, with no meaning in their distance. */
function drawLane(pen: CanvasRenderingContext2D, frame: Frame, drawn: DrawnRow[], bottom: number): void {
  const { palette } = frame;
  const inner = LANE_WIDTH - 14;
  pen.fillStyle = palette.lineStrong;
  pen.fillRect(LANE_WIDTH - 1, 0, 1, bottom);
  for (const entry of drawn) {
    const row = frame.chart.rows[entry.row]!;
    entry.unplaced = laneBoxes(row, inner);
    const [top, tall] = [row.body - frame.scrollTop + 8, 26];
    for (const box of entry.unplaced) {
      const { trace } = box.span;
      pen.translate(0, top);
      drawBox(pen, { ...frame, left: 0 }, box, tall);
      pen.translate(0, -top);
      for (const [candidate, colour, thick] of [[frame.hovered, palette.text, 1], [frame.selected, palette.accent, 2]] as const) {
        if (candidate?.key !== trace.key) continue;
        pen.strokeStyle = colour;
        pen.lineWidth = thick;
        pen.strokeRect(box.x - thick, top - thick, box.width + 2 * thick, tall + 2 * thick);
      }
    }
  }
}

function laneBoxes(row: Row, width: number): Box[] {
  const pitch = Math.min(9, width / Math.max(1, row.unplaced.length));
  const boxes: Box[] = [];
  row.unplaced.forEach((trace, index) => {
    const x = 6 + index * pitch;
    const last = boxes[boxes.length - 1];
    if (last && x < last.x + LEAST_WIDTH) {
      last.count += 1;
      return;
    }
    const wide = Math.max(LEAST_WIDTH, pitch - 2);
    boxes.push({ x, width: wide, traced: wide, count: 1, span: { trace, from: 0, traced: 0, to: 0 } });
  });
  return boxes;
}
