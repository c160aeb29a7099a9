import { seconds } from "../../base/format";
import type { FunctionCounts, FunctionPair } from "../../data/compare_runs";
import { CAUSE_ORDER } from "../../data/words";

/** How functions are grouped, and what is said of each. Pure. */

export interface Group {
  key: "worse" | "better" | "new" | "gone" | "other" | "same";
  sign: string;
  title: string;
  pairs: FunctionPair[];
}

const GROUPS: Omit<Group, "pairs">[] = [
  { key: "worse", sign: "▲", title: "Traced more often" },
  { key: "better", sign: "▼", title: "Traced less often" },
  { key: "other", sign: "~", title: "Traced as often, for other reasons" },
  { key: "new", sign: "+", title: "Only after" },
  { key: "gone", sign: "−", title: "Only before" },
  { key: "same", sign: "=", title: "Traced as often in both" },
];

/** In the server's order within each group; empty groups are left out. */
export function groupsOf(pairs: readonly FunctionPair[]): Group[] {
  return GROUPS.map((group) => ({ ...group, pairs: pairs.filter((pair) => groupOf(pair) === group.key) })).filter((group) => group.pairs.length > 0);
}

function groupOf(pair: FunctionPair): Group["key"] {
  return pair.change === "same" && (pair.causesNew.length > 0 || pair.causesGone.length > 0) ? "other" : pair.change;
}

export interface CauseRow {
  cause: string;
  a: number;
  b: number;
  /** `gone` and `new` are of functions that both have: what is on one side alone has all its causes there. */
  fate: "gone" | "new" | "both";
}

/** Causes of a function's retraces on both sides, those that came or went first. */
export function causesOf(pair: FunctionPair): CauseRow[] {
  const rank = (cause: string): number => (CAUSE_ORDER.includes(cause) ? CAUSE_ORDER.indexOf(cause) : CAUSE_ORDER.length);
  const rows = [...new Set([...Object.keys(pair.a?.causes ?? {}), ...Object.keys(pair.b?.causes ?? {})])].map((cause): CauseRow => {
    const [a, b] = [pair.a?.causes[cause] ?? 0, pair.b?.causes[cause] ?? 0];
    const matched = pair.a !== null && pair.b !== null;
    return { cause, a, b, fate: matched && pair.causesNew.includes(cause) ? "new" : matched && pair.causesGone.includes(cause) ? "gone" : "both" };
  });
  const order = { new: 0, gone: 1, both: 2 };
  return rows.sort((one, other) => order[one.fate] - order[other.fate] || rank(one.cause) - rank(other.cause) || (one.cause < other.cause ? -1 : 1));
}

/** What the bars show of a side. */
export function barValue(side: FunctionCounts | null, bars: "traces" | "seconds"): number | null {
  if (!side) return null;
  return bars === "traces" ? side.traces + side.failedTraces + side.recompilations : side.secondsLost;
}

/** Nothing is `0 s`, not some number of microseconds. */
export function spent(value: number | null): string {
  return value === 0 ? "0 s" : seconds(value);
}
