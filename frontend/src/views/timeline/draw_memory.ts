import { bytes } from "../../base/format";
import { toPixel } from "../../base/view_window";
import { drawArea } from "./draw";
import { type Frame, ticksOf } from "./frame";
import { firstAtLeast } from "./lanes";
import { extremes, type MemoryCurve } from "./memory";

/** Draws the process's memory below the rows, on the same axis. */

export const MEMORY_HEIGHT = 64;
const PADDING = 8;

export interface Scale {
  least: number;
  most: number;
}

/** Where a reading in KiB lies, CSS pixels from the track's top. */
export function memoryY(kib: number, { least, most }: Scale): number {
  return MEMORY_HEIGHT - PADDING - ((kib - least) / Math.max(1, most - least)) * (MEMORY_HEIGHT - 2 * PADDING);
}

export function drawMemory(pen: CanvasRenderingContext2D, frame: Frame, curves: readonly MemoryCurve[], scale: Scale, pointed: { session: number; index: number } | null): void {
  const { palette, width, left, view } = frame;
  const plot = width - left;
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, MEMORY_HEIGHT);
  pen.fillStyle = palette.line;
  for (const value of ticksOf(frame).values) pen.fillRect(Math.round(left + toPixel(view, plot, value)), 0, 1, MEMORY_HEIGHT);
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, plot, MEMORY_HEIGHT);
  pen.clip();
  for (const curve of curves) drawCurve(pen, frame, curve, scale);
  const curve = pointed && curves.find(({ session }) => session === pointed.session);
  if (curve) {
    for (const index of [2 * pointed.index, 2 * pointed.index + 1]) {
      pen.beginPath();
      pen.arc(left + toPixel(view, plot, curve.at[index]!), memoryY(curve.kib[index]!, scale), 3, 0, 7);
      pen.fillStyle = palette.accent;
      pen.fill();
      pen.strokeStyle = palette.background;
      pen.lineWidth = 1;
      pen.stroke();
    }
  }
  drawArea(pen, frame, 0, MEMORY_HEIGHT);
  pen.restore();
  pen.font = `11px ${palette.sans}`;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const [value, y] of [[scale.most, 8], [scale.least, MEMORY_HEIGHT - 8]] as const) {
    const label = bytes(value * 1024);
    const wide = pen.measureText(label).width + 8;
    pen.fillStyle = palette.background;
    pen.globalAlpha = 0.8;
    pen.fillRect(width - wide, y - 7, wide, 14);
    pen.globalAlpha = 1;
    pen.fillStyle = palette.muted;
    pen.fillText(label, width - 4, y);
  }
}

/** Thin between traces, thick and in colour while one runs. Where several share a pixel, from the least to the most of them. */
function drawCurve(pen: CanvasRenderingContext2D, frame: Frame, curve: MemoryCurve, scale: Scale): void {
  const { palette, left, view } = frame;
  const { at, kib } = curve;
  const end = Math.min(at.length, firstAtLeast(at, view.to) + 2);
  const unit = (frame.width - left) / (view.to - view.from);
  const toX = (index: number): number => Math.min(Math.max(left + (at[index]! - view.from) * unit, -50), frame.width + 50);
  const between = new Path2D();
  const within = new Path2D();
  const from = Math.max(0, firstAtLeast(at, view.from) - 2);
  for (let index = from; index < end; ) {
    const x = toX(index);
    const next = Math.min(end, Math.max(index + 1, firstAtLeast(at, view.from + (Math.floor(x) + 1 - left) / unit, index)));
    const last = next - 1;
    if (index === from) between.moveTo(x, memoryY(kib[index]!, scale));
    else between.lineTo(x, memoryY(kib[index]!, scale));
    if (last > index) {
      const [least, most] = extremes(curve, index, next);
      const path = index % 2 === 0 || last > index + 1 ? within : between; // whether a trace is among them
      path.moveTo(x, memoryY(least, scale));
      path.lineTo(x, memoryY(most, scale));
      between.moveTo(x, memoryY(kib[last]!, scale));
    }
    if (last % 2 === 0 && next < end) {
      within.moveTo(x, memoryY(kib[last]!, scale));
      within.lineTo(toX(next), memoryY(kib[next]!, scale));
    }
    index = next;
  }
  pen.lineJoin = "round";
  pen.strokeStyle = palette.muted;
  pen.lineWidth = 1;
  pen.stroke(between);
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 2;
  pen.stroke(within);
}
