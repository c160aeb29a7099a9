import type { ViewWindow } from "../../base/view_window";
import { causeOf } from "../../data/words";
import { spanUs } from "../../state/sort";
import { firstAtLeast } from "./lanes";
import { growthIn, type Growth } from "./memory";
import type { Chart } from "./rows";
import type { Trace } from "../../data/digest";

/** What a part of the axis adds up to. Pure. */

export interface AreaSum {
  traces: number;
  retraces: number;
  failed: number;
  functions: number;
  /** Microseconds, each counted once: tracing without what is nested, first executions, XLA's recompilations. */
  tracingUs: number;
  firstUs: number;
  lookupUs: number;
  recompilationUs: number;
  recompilations: number;
  avoidableUs: number;
  /** By cause, the costliest first. */
  causes: { cause: string; traces: number; us: number }[];
  growth: Growth;
  /** Smallest and largest step; null if none is known. */
  steps: { from: number; to: number } | null;
}

/** Over the traces of the chart that begin in the area, and the recompilations that do. */
export function sumArea(chart: Chart, area: ViewWindow): AreaSum {
  const sum: AreaSum = {
    traces: 0, retraces: 0, failed: 0, functions: 0, tracingUs: 0, firstUs: 0, lookupUs: 0, recompilationUs: 0, recompilations: 0, avoidableUs: 0,
    causes: [], growth: { kib: 0, traces: 0 }, steps: null,
  };
  const causes = new Map<string, { cause: string; traces: number; us: number }>();
  const inside = new Set<Trace>();
  for (const row of chart.rows) {
    const before = sum.traces;
    for (const lane of row.lanes) {
      const end = firstAtLeast(lane.from, area.to);
      for (let index = firstAtLeast(lane.from, area.from); index < end; index += 1) {
        const { trace } = lane.spans[index]!;
        if (trace.function !== row.function) continue; // it is on its own row, too
        inside.add(trace);
        sum.traces += 1;
        if (trace.failed) sum.failed += 1;
        else if (trace.kind === "retrace" || trace.kind === "recreated") sum.retraces += 1;
        sum.tracingUs += trace.ownUs;
        sum.firstUs += trace.firstCallUs ?? 0;
        sum.lookupUs += trace.lookupUs;
        if (trace.verdict === "avoidable") sum.avoidableUs += spanUs(trace);
        const name = causeOf(trace);
        let cause = causes.get(name);
        if (!cause) causes.set(name, (cause = { cause: name, traces: 0, us: 0 }));
        cause.traces += 1;
        cause.us += spanUs(trace);
        if (trace.step !== null) {
          sum.steps ??= { from: trace.step, to: trace.step };
          sum.steps.from = Math.min(sum.steps.from, trace.step);
          sum.steps.to = Math.max(sum.steps.to, trace.step);
        }
      }
    }
    for (const mark of row.marks) {
      if (mark.from < area.from || mark.from >= area.to) continue;
      sum.recompilations += 1;
      sum.recompilationUs += mark.recompilation.us;
    }
    if (sum.traces > before) sum.functions += 1;
  }
  sum.causes = [...causes.values()].sort((a, b) => b.us - a.us || b.traces - a.traces);
  sum.growth = growthIn([...inside], (trace) => {
    const root = chart.nested.get(trace)?.root;
    return root !== undefined && inside.has(root);
  });
  return sum;
}
