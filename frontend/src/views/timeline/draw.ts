import { roundTicks, type Ticks, timeLabel, timeTicks } from "../../base/ticks";
import { toPixel, type ViewWindow } from "../../base/view_window";
import { count } from "../../base/format";
import type { Trace } from "../../data/digest";
import { causeOf, causeWord } from "../../data/words";
import type { Axis } from "../../state/settings";
import { type Box, boxesInView, costBins, LEAST_WIDTH, MARK_WIDTH, type MarkBox, marksInView } from "./boxes";
import { HEAD_HEIGHT, LANE_WIDTH, ROW_HEIGHT } from "./model";
import type { Palette } from "./palette";
import type { Chart, Mark, Row, Span } from "./rows";

/** Draws the timeline on two canvases: the head (cost over the whole axis, ticks) and the body (rows of spans). */

export interface Frame {
  chart: Chart;
  view: ViewWindow;
  axis: Axis;
  /** Size of the body canvas, CSS pixels; the head is as wide. */
  width: number;
  height: number;
  scrollTop: number;
  /** Where the axis begins. */
  left: number;
  palette: Palette;
  selected: Trace | null;
  hovered: Trace | null;
  /** 0 to 1: how far a trace has faded in. */
  presence: (trace: Trace) => number;
}

/** What was drawn, for finding what is under the pointer. */
export interface DrawnRow {
  row: number;
  /** Nested last: they are drawn on top. */
  lanes: [outer: Box[], nested: Box[]];
  unplaced: Box[];
  marks: MarkBox[];
}

export const MINIMAP_HEIGHT = 28;
const LANE_Y: [number, number][] = [
  [8, 26],
  [20, 16],
];

export function drawBody(pen: CanvasRenderingContext2D, frame: Frame): DrawnRow[] {
  const { chart, palette, width, height, left, scrollTop } = frame;
  const plot = width - left;
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT));
  const last = Math.min(chart.rows.length, Math.ceil((scrollTop + height) / ROW_HEIGHT));
  const bottom = Math.min(height, chart.rows.length * ROW_HEIGHT - scrollTop);
  const place = frame.selected ? chart.places.get(frame.selected.key) : undefined;
  if (place) {
    pen.fillStyle = palette.selectedRow;
    pen.fillRect(0, place.row * ROW_HEIGHT - scrollTop, width, ROW_HEIGHT);
  }
  pen.fillStyle = palette.line;
  for (const value of ticksOf(frame).values) pen.fillRect(Math.round(left + toPixel(frame.view, plot, value)), 0, 1, bottom);
  for (let index = first; index < last; index += 1) pen.fillRect(0, (index + 1) * ROW_HEIGHT - scrollTop - 1, width, 1);

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
    const lanes = row.lanes.map((spans) => shift(boxesInView(spans, frame.view, plot), left)) as [Box[], Box[]];
    lanes.forEach((boxes, lane) => {
      const [top, tall] = LANE_Y[lane]!;
      for (const box of boxes) drawBox(pen, frame, box, index * ROW_HEIGHT - scrollTop + top, tall);
    });
    const marks = shift(marksInView(row.marks, frame.view, plot), left);
    for (const mark of marks) drawMark(pen, frame, mark, index * ROW_HEIGHT - scrollTop);
    drawn.push({ row: index, lanes, unplaced: [], marks });
  }
  drawKin(pen, frame);
  if (frame.hovered) outline(pen, frame, frame.hovered, palette.text, 1);
  if (frame.selected) outline(pen, frame, frame.selected, palette.accent, 2);
  pen.restore();
  if (left > 0) drawLane(pen, frame, drawn, bottom);
  return drawn;
}

function shift<T extends { x: number }>(boxes: T[], by: number): T[] {
  for (const box of boxes) box.x += by;
  return boxes;
}

/** A recompilation: a line over the row's whole height with a head, and a bar below for how long it took. */
function drawMark(pen: CanvasRenderingContext2D, frame: Frame, box: MarkBox, y: number): void {
  const x = Math.round(box.x);
  // Far zoomed in, edges lie beyond the canvas by more than it can draw exactly.
  const [from, to] = [Math.max(x, -8), Math.min(x + box.width, frame.width + 8)];
  // Apart from the spans that it may lie on.
  pen.fillStyle = frame.palette.background;
  pen.fillRect(x - 1, y + 7, MARK_WIDTH + 2, ROW_HEIGHT - 11);
  pen.fillStyle = box.mark.recompilation.failed ? frame.palette.error : frame.palette.xla;
  pen.fillRect(x, y + 4, MARK_WIDTH, ROW_HEIGHT - 8);
  if (box.width > MARK_WIDTH) pen.fillRect(from, y + ROW_HEIGHT - 7, to - from, 3);
  pen.beginPath();
  pen.moveTo(x - 3, y + 3);
  pen.lineTo(x + MARK_WIDTH + 3, y + 3);
  pen.lineTo(x + MARK_WIDTH / 2, y + 9);
  pen.fill();
}

function drawBox(pen: CanvasRenderingContext2D, frame: Frame, box: Box, y: number, tall: number): void {
  const { palette } = frame;
  const { trace } = box.span;
  const cause = causeOf(trace);
  const colour = trace.failed ? palette.error : palette.cause(cause);
  // Far zoomed in, edges lie beyond the canvas by more than it can draw exactly.
  const x = Math.max(box.x, -8);
  const end = Math.min(box.x + box.width, frame.width + 8);
  const traced = Math.min(Math.max(box.x + box.traced, x), end);
  pen.globalAlpha = frame.presence(trace);
  pen.fillStyle = colour;
  if (trace.failed && end - x > LEAST_WIDTH + 2) {
    pen.fillStyle = palette.background;
    pen.fillRect(x, y, end - x, tall);
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, end - x - 2, tall - 2);
  } else {
    pen.fillRect(x, y, Math.max(traced - x, Math.min(1, end - x)), tall);
    if (end - traced > 0.5) {
      pen.fillStyle = palette.background;
      pen.fillRect(traced, y, end - traced, tall);
      pen.fillStyle = palette.hatch(colour);
      pen.fillRect(traced, y, end - traced, tall);
      pen.fillStyle = colour;
      pen.fillRect(traced, y, end - traced, 1);
      pen.fillRect(traced, y + tall - 1, end - traced, 1);
      pen.fillRect(end - 1, y, 1, tall);
    }
  }
  const [from, to] = [Math.max(x, 0), Math.min(trace.failed ? end : traced, frame.width)];
  if (to - from >= 13) {
    pen.fillStyle = trace.failed ? colour : palette.onCause;
    pen.fillText(trace.failed ? "×" : causeWord(cause).letter, (from + to) / 2, y + tall / 2 + 0.5);
  }
  pen.globalAlpha = 1;
}

/** Lines from the chosen trace to the one it is nested in, and to those nested in it. */
function drawKin(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { selected, chart } = frame;
  if (!selected) return;
  pen.strokeStyle = frame.palette.accent;
  pen.lineWidth = 1;
  pen.setLineDash([3, 2]);
  const connect = (parent: { row: number; span: Span | null } | undefined, child: { row: number; span: Span | null } | undefined): void => {
    if (!parent?.span || !child?.span || parent.row === child.row) return;
    const x = Math.round(frame.left + toPixel(frame.view, frame.width - frame.left, child.span.from)) + 0.5;
    const down = child.row > parent.row;
    pen.beginPath();
    pen.moveTo(x, parent.row * ROW_HEIGHT - frame.scrollTop + (down ? LANE_Y[0]![0] + LANE_Y[0]![1] : LANE_Y[0]![0]));
    pen.lineTo(x, child.row * ROW_HEIGHT - frame.scrollTop + (down ? LANE_Y[1]![0] : LANE_Y[1]![0] + LANE_Y[1]![1]));
    pen.stroke();
  };
  const mine = chart.places.get(selected.key);
  if (selected.parentSeq !== null) connect(chart.places.get(`${selected.session}:${selected.parentSeq}`), mine);
  for (const place of chart.places.values()) {
    const trace = place.span?.trace;
    if (trace && trace.parentSeq === selected.seq && trace.session === selected.session) connect(mine, place);
  }
  pen.setLineDash([]);
}

function outline(pen: CanvasRenderingContext2D, frame: Frame, trace: Trace, colour: string, thick: number): void {
  const place = frame.chart.places.get(trace.key);
  if (!place?.span) return;
  const plot = frame.width - frame.left;
  const from = Math.max(frame.left + toPixel(frame.view, plot, place.span.from), -20);
  const to = Math.min(Math.max(frame.left + toPixel(frame.view, plot, place.span.to), from + LEAST_WIDTH), frame.width + 20);
  if (to < -10 || from > frame.width + 10) return;
  const [top, tall] = LANE_Y[trace.nested ? 1 : 0]!;
  const gap = thick + 1;
  pen.strokeStyle = colour;
  pen.lineWidth = thick;
  pen.strokeRect(from - gap + thick / 2, place.row * ROW_HEIGHT - frame.scrollTop + top - gap + thick / 2, to - from + 2 * gap - thick, tall + 2 * gap - thick);
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
    const y = entry.row * ROW_HEIGHT - frame.scrollTop;
    for (const box of entry.unplaced) {
      const { trace } = box.span;
      const [top, tall] = LANE_Y[trace.nested ? 1 : 0]!;
      drawBox(pen, frame, box, y + top, tall);
      for (const [candidate, colour, thick] of [[frame.hovered, palette.text, 1], [frame.selected, palette.accent, 2]] as const) {
        if (candidate?.key !== trace.key) continue;
        pen.strokeStyle = colour;
        pen.lineWidth = thick;
        pen.strokeRect(box.x - thick, y + top - thick, box.width + 2 * thick, tall + 2 * thick);
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

export function drawHead(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { palette, width, left, view, chart } = frame;
  const plot = width - left;
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, HEAD_HEIGHT);
  pen.fillStyle = palette.sunken;
  pen.fillRect(left, 0, plot, MINIMAP_HEIGHT);

  const bins = costBins(allSpans(chart), chart.whole, Math.ceil(plot / LEAST_WIDTH), allMarks(chart));
  // The square root keeps small costs visible beside large ones.
  const most = Math.sqrt(bins.lost.reduce((a, b) => Math.max(a, b), 0)) || 1;
  const bar = (value: number): number => (value > 0 ? Math.max(2, (Math.sqrt(value) / most) * (MINIMAP_HEIGHT - 4)) : 0);
  bins.lost.forEach((value, index) => {
    const tall = bar(value);
    if (tall === 0) return;
    const avoidable = tall * ((bins.avoidable[index] ?? 0) / value);
    pen.fillStyle = palette.muted;
    pen.fillRect(left + index * LEAST_WIDTH, MINIMAP_HEIGHT - tall, LEAST_WIDTH - 0.5, tall - avoidable);
    pen.fillStyle = palette.accent;
    pen.fillRect(left + index * LEAST_WIDTH, MINIMAP_HEIGHT - avoidable, LEAST_WIDTH - 0.5, avoidable);
  });

  const from = left + toPixel(chart.whole, plot, view.from);
  const to = Math.max(from + 3, left + toPixel(chart.whole, plot, view.to));
  pen.globalAlpha = 0.6;
  pen.fillStyle = palette.background;
  pen.fillRect(left, 0, from - left, MINIMAP_HEIGHT);
  pen.fillRect(to, 0, width - to, MINIMAP_HEIGHT);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.lineStrong;
  pen.lineWidth = 1;
  pen.strokeRect(from + 0.5, 0.5, to - from - 1, MINIMAP_HEIGHT - 1);
  pen.fillStyle = palette.muted;
  for (const edge of [from, to - 3]) pen.fillRect(edge, MINIMAP_HEIGHT / 2 - 6, 3, 12);

  pen.font = `11px ${palette.sans}`;
  pen.textBaseline = "middle";
  const ticks = ticksOf(frame);
  for (const value of ticks.values) {
    const x = Math.round(left + toPixel(view, plot, value));
    pen.fillStyle = palette.line;
    pen.fillRect(x, HEAD_HEIGHT - 5, 1, 5);
    const label = frame.axis === "time" ? timeLabel(value, ticks.step) : count(value);
    const half = pen.measureText(label).width / 2;
    if (x - half < left + 2 || x + half > width - 2) continue;
    pen.fillStyle = palette.muted;
    pen.textAlign = "center";
    pen.fillText(label, x, MINIMAP_HEIGHT + 12);
  }
  pen.fillStyle = palette.line;
  pen.fillRect(0, HEAD_HEIGHT - 1, width, 1);
  if (left > 0) {
    pen.fillStyle = palette.muted;
    pen.textAlign = "left";
    pen.fillText(`no step · ${count(chart.unplaced)}`, 6, MINIMAP_HEIGHT + 12);
    pen.fillStyle = palette.lineStrong;
    pen.fillRect(LANE_WIDTH - 1, MINIMAP_HEIGHT, 1, HEAD_HEIGHT - MINIMAP_HEIGHT);
  }
}

function ticksOf({ axis, view, width, left }: Frame): Ticks {
  const most = Math.max(2, (width - left) / 90);
  return axis === "time" ? timeTicks(view.from, view.to, most) : roundTicks(view.from, view.to, most, true);
}

function* allMarks(chart: Chart): Iterable<Mark> {
  for (const row of chart.rows) yield* row.marks;
}

function* allSpans(chart: Chart): Iterable<Span> {
  for (const row of chart.rows) for (const lane of row.lanes) yield* lane;
}
