import type { Trace } from "../data/digest";
import type { OrderKey } from "./function_parameters";
import { totalUs } from "./sort";

/** The rows of a function's table and their order. Pure. */

/** A row of the table: which row of the answer, and the trace as the overview has it. */
export interface PageRow {
  index: number;
  seq: number;
  closestSeq: number | null;
  trace: Trace | null;
}

/** Equal ones stay in the order of time; what is not known comes last, in both directions. */
export function orderRows(given: readonly PageRow[], key: OrderKey, descending: boolean): PageRow[] {
  const value = ({ trace, index }: PageRow): number | null => (key === "n" ? index : !trace ? null : key === "step" ? trace.step : totalUs(trace));
  const sign = descending ? -1 : 1;
  return [...given].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return one === other ? a.index - b.index : one === null ? 1 : -1;
    return (one - other) * sign || a.index - b.index;
  });
}
