import { count } from "../../base/format";
import { timeLabel } from "../../base/ticks";
import { toPixel } from "../../base/view_window";
import { costBins, LEAST_WIDTH } from "./boxes";
import { BAND_WIDTH, drawArea, profileEdges } from "./draw";
import { type Frame, ticksOf } from "./frame";
import { LANE_WIDTH } from "./model";
import type { Chart } from "./rows";
import { stepBands } from "./step_clock";

/** Draws the head of the timeline: the cost over the whole axis, its ticks, and where steps and profile sessions begin. */

export const MINIMAP_HEIGHT = 28;
const TICKS_HEIGHT = 24;
const STEPS_HEIGHT = 18;

export function headHeight(withSteps: boolean): number {
  return MINIMAP_HEIGHT + TICKS_HEIGHT + (withSteps ? STEPS_HEIGHT : 0);
}

export function drawHead(pen: CanvasRenderingContext2D, frame: Frame, height: number): void {
  const { palette, width, left, view, chart } = frame;
  const plot = width - left;
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = palette.sunken;
  pen.fillRect(left, 0, plot, MINIMAP_HEIGHT);
  drawCost(pen, frame);

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
  const below = MINIMAP_HEIGHT + TICKS_HEIGHT;
  const ticks = ticksOf(frame);
  for (const value of ticks.values) {
    const x = Math.round(left + toPixel(view, plot, value));
    pen.fillStyle = palette.line;
    pen.fillRect(x, below - 5, 1, height - below + 5);
    const label = frame.axis === "time" ? timeLabel(value, ticks.step) : count(value);
    const half = pen.measureText(label).width / 2;
    if (x - half < left + 2 || x + half > width - 2) continue;
    pen.fillStyle = palette.muted;
    pen.textAlign = "center";
    pen.fillText(label, x, MINIMAP_HEIGHT + 12);
  }
  if (height > below) drawSteps(pen, frame, below, height);
  drawProfiles(pen, frame);
  drawArea(pen, frame, MINIMAP_HEIGHT, height);
  pen.fillStyle = palette.line;
  pen.fillRect(0, height - 1, width, 1);
  if (left > 0) {
    pen.fillStyle = palette.background;
    pen.fillRect(0, MINIMAP_HEIGHT, LANE_WIDTH, height - MINIMAP_HEIGHT - 1);
    pen.fillStyle = palette.muted;
    pen.textAlign = "left";
    pen.fillText(`no step · ${count(chart.unplaced)}`, 6, MINIMAP_HEIGHT + 12);
    pen.fillStyle = palette.lineStrong;
    pen.fillRect(LANE_WIDTH - 1, MINIMAP_HEIGHT, 1, height - MINIMAP_HEIGHT);
  }
}

/** Worked out once for a chart and a width: the minimap stays while the view moves. */
let held: { chart: Chart; bins: number; lost: Float64Array; avoidable: Float64Array; most: number } | null = null;

function drawCost(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { palette, left, chart } = frame;
  const count = Math.ceil((frame.width - left) / LEAST_WIDTH);
  if (held?.chart !== chart || held.bins !== count) {
    const bins = costBins(chart.rows, chart.whole, count);
    held = { chart, bins: count, ...bins, most: Math.sqrt(bins.lost.reduce((a, b) => Math.max(a, b), 0)) || 1 };
  }
  const { lost, avoidable, most } = held;
  // The square root keeps small costs visible beside large ones.
  const bar = (value: number): number => (value > 0 ? Math.max(2, (Math.sqrt(value) / most) * (MINIMAP_HEIGHT - 4)) : 0);
  for (const [shown, colour] of [[false, palette.muted], [true, palette.accent]] as const) {
    pen.fillStyle = colour;
    lost.forEach((value, index) => {
      const tall = bar(value);
      const good = value > 0 ? tall * ((avoidable[index] ?? 0) / value) : 0;
      const [y, high] = shown ? [MINIMAP_HEIGHT - good, good] : [MINIMAP_HEIGHT - tall, tall - good];
      if (high > 0) pen.fillRect(left + index * LEAST_WIDTH, y, LEAST_WIDTH - 0.5, high);
    });
  }
}

/** The steps of the traces at which the bands below begin. */
function drawSteps(pen: CanvasRenderingContext2D, frame: Frame, top: number, bottom: number): void {
  const { palette, left, chart } = frame;
  const clock = frame.clocks.get(chart.sessions[0] ?? -1);
  if (!clock) return;
  const plot = frame.width - left;
  pen.textAlign = "left";
  for (const band of stepBands(clock, frame.view, plot, BAND_WIDTH)) {
    const [from, end] = [left + Math.max(0, Math.round(band.x)), left + Math.min(plot, Math.round(band.end))];
    if (band.shaded) {
      pen.fillStyle = palette.raised;
      pen.fillRect(from, top, end - from, bottom - top);
    }
    if (band.x < 0) continue; // it began before
    pen.fillStyle = palette.lineStrong;
    pen.fillRect(from, top, 1, bottom - top);
    const label = `step ${count(band.step)}`;
    if (from + pen.measureText(label).width + 8 > end) continue;
    pen.fillStyle = palette.muted;
    pen.fillText(label, from + 4, (top + bottom) / 2);
  }
}

/** A bracket over each profile session, with its name where there is room. */
function drawProfiles(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { palette, left } = frame;
  for (const profile of frame.profiles) {
    const [from, to] = profileEdges(frame, profile);
    if (to < left || from > frame.width) continue;
    pen.fillStyle = palette.accent;
    pen.fillRect(Math.max(left, from), MINIMAP_HEIGHT + 1, to - Math.max(left, from), 3);
    const label = "profile";
    const wide = pen.measureText(label).width + 8;
    const x = Math.max(left, from);
    if (to - x < wide) continue;
    pen.fillStyle = palette.background;
    pen.fillRect(x, MINIMAP_HEIGHT + 4, wide, 15);
    pen.fillStyle = palette.accentText;
    pen.textAlign = "left";
    pen.fillText(label, x + 4, MINIMAP_HEIGHT + 12);
  }
}
