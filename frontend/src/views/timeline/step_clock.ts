import { roundTicks } from "../../base/ticks";
import { toPixel, type ViewWindow } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import { firstAtLeast } from "./lanes";

/** Where on the axis of time which training step was: known at traces only, and nothing is made up between them. Pure. */

export interface StepClock {
  /** Microseconds since the session's start; both rise. */
  times: Float64Array;
  steps: Float64Array;
}

/** Of one session's traces, in any order. null if fewer than two steps are known. */
export function stepClock(traces: readonly Trace[]): StepClock | null {
  const known = traces.filter((trace) => trace.step !== null).sort((a, b) => a.startUs - b.startUs);
  const times: number[] = [];
  const steps: number[] = [];
  for (const { startUs, step } of known) {
    // Another epoch or another thread may count anew: what was reached stays reached.
    if (steps.length > 0 && step! <= steps[steps.length - 1]!) continue;
    times.push(startUs);
    steps.push(step!);
  }
  return steps.length < 2 ? null : { times: Float64Array.from(times), steps: Float64Array.from(steps) };
}

export interface StepBand {
  /** The step of the trace at which the band begins. */
  step: number;
  /** Its left edge, CSS pixels; may lie before the window. */
  x: number;
  /** Of the next band, or the window's end. */
  end: number;
  /** Every other one is shaded; it stays the same while the window moves. */
  shaded: boolean;
}

/** Bands in view: each begins at the first trace at or after a round step. */
export function stepBands(clock: StepClock, window: ViewWindow, width: number, least: number): StepBand[] {
  const last = clock.steps.length - 1;
  const at = (time: number): number => clock.steps[Math.min(last, Math.max(0, firstAtLeast(clock.times, time)))]!;
  const [from, to] = [at(window.from), at(window.to)];
  const { step: distance } = roundTicks(from, Math.max(to, from + 1), Math.max(1, width / least), true);
  const bands: StepBand[] = [];
  for (let number = Math.floor(from / distance) - 1; number * distance <= to; number += 1) {
    const index = firstAtLeast(clock.steps, number * distance);
    if (index > last) break;
    const x = toPixel(window, width, clock.times[index]!);
    const before = bands[bands.length - 1];
    if (before && before.x === x) {
      before.shaded = number % 2 !== 0;
      continue;
    }
    if (before) before.end = x;
    bands.push({ step: clock.steps[index]!, x, end: width, shaded: number % 2 !== 0 });
  }
  return bands.filter((band) => band.end > 0 && band.x < width);
}
