import type { Trace } from "../../data/digest";
import type { Axis } from "../../state/settings";
import type { ViewWindow } from "../../base/view_window";
import { firstAtLeast } from "./lanes";
import { STEP_FILL } from "./rows";

/**
 * The process's resident memory, read before and after each trace. Pure.
 *
 * What grew while a trace ran is not proof that the trace holds it: allocators keep what is freed, and other threads run as well.
 */

/** One session's readings in the order of time, two for each outer trace: before and after it. */
export interface MemoryCurve {
  session: number;
  /** In the axis's unit. */
  at: Float64Array;
  kib: Float64Array;
  /** Of each pair. */
  traces: Trace[];
  /** The least and the most of every `BLOCK` readings, for going over many at once. */
  least: Float64Array;
  most: Float64Array;
}

/** Even: readings come in pairs. */
export const BLOCK = 32;

export function memoryCurves(traces: readonly Trace[], axis: Axis): MemoryCurve[] {
  const bySession = new Map<number, Trace[]>();
  for (const trace of traces) {
    if (trace.nested || trace.memoryBefore === null || trace.memoryAfter === null || (axis === "step" && trace.step === null)) continue;
    const held = bySession.get(trace.session);
    if (held) held.push(trace);
    else bySession.set(trace.session, [trace]);
  }
  return [...bySession].map(([session, mine]) => {
    mine.sort((a, b) => a.startUs - b.startUs || a.seq - b.seq);
    const at = new Float64Array(mine.length * 2);
    const kib = new Float64Array(mine.length * 2);
    mine.forEach((trace, index) => {
      at[2 * index] = axis === "time" ? trace.startUs : trace.step!;
      at[2 * index + 1] = axis === "time" ? trace.startUs + trace.traceUs : trace.step! + STEP_FILL;
      kib[2 * index] = trace.memoryBefore!;
      kib[2 * index + 1] = trace.memoryAfter!;
    });
    // Several threads' traces overlap, and a step that goes back would draw a loop: the order of the axis rules.
    for (let index = 1; index < at.length; index += 1) at[index] = Math.max(at[index]!, at[index - 1]!);
    return { session, at, kib, traces: mine, ...blocks(kib) };
  });
}

function blocks(kib: Float64Array): Pick<MemoryCurve, "least" | "most"> {
  const count = Math.ceil(kib.length / BLOCK);
  const [least, most] = [new Float64Array(count).fill(Number.POSITIVE_INFINITY), new Float64Array(count).fill(Number.NEGATIVE_INFINITY)];
  kib.forEach((value, index) => {
    const block = Math.floor(index / BLOCK);
    if (value < least[block]!) least[block] = value;
    if (value > most[block]!) most[block] = value;
  });
  return { least, most };
}

/** Smallest and largest of the readings from `start` to before `end`; the first is larger than the second if there are none. */
export function extremes({ kib, least, most }: Pick<MemoryCurve, "kib" | "least" | "most">, start: number, end: number): [least: number, most: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let index = start; index < end; ) {
    if (index % BLOCK === 0 && index + BLOCK <= end) {
      low = Math.min(low, least[index / BLOCK]!);
      high = Math.max(high, most[index / BLOCK]!);
      index += BLOCK;
    } else {
      low = Math.min(low, kib[index]!);
      high = Math.max(high, kib[index]!);
      index += 1;
    }
  }
  return [low, high];
}

export interface Growth {
  /** Grown while the traces ran, KiB; may be negative. */
  kib: number;
  /** Over which it was measured: outer ones, their nested ones are part of them. */
  traces: number;
}

/** What memory grew by while these traces ran. A trace within another of them is part of that one's growth. */
export function growthIn(traces: readonly Trace[], isInside: (trace: Trace) => boolean): Growth {
  const growth = { kib: 0, traces: 0 };
  for (const trace of traces) {
    if (trace.memoryBefore === null || trace.memoryAfter === null || isInside(trace)) continue;
    growth.kib += trace.memoryAfter - trace.memoryBefore;
    growth.traces += 1;
  }
  return growth;
}

/** Smallest and largest reading, KiB, of those in view and the two around them; null if there are none. */
export function memoryRange(curves: readonly MemoryCurve[], view: ViewWindow): { least: number; most: number } | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const curve of curves) {
    const start = Math.max(0, firstAtLeast(curve.at, view.from) - 1);
    const [low, high] = extremes(curve, start, Math.min(curve.kib.length, firstAtLeast(curve.at, view.to) + 1));
    [least, most] = [Math.min(least, low), Math.max(most, high)];
  }
  return least > most ? null : { least, most };
}
