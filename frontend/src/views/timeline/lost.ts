import { type Trace, traceKey } from "../../data/digest";

/**
 * What a trace lost by being made, microseconds, as `analysis/sessions/cost.py` and with it the verdict count it: a retrace's time with all that
 * is nested in it, unless a retrace around it has that time already, its lookup and its first execution; XLA's recompilations of any trace. `all`:
 * the traces that may be around those asked about. Pure.
 */
export function lostBy(all: readonly Trace[]): (trace: Trace) => number {
  const wanted = new Set<string>();
  for (const trace of all) if (trace.parentSeq !== null) wanted.add(traceKey(trace.session, trace.parentSeq));
  const parents = new Map<string, Trace>();
  if (wanted.size > 0) for (const trace of all) if (wanted.has(trace.key)) parents.set(trace.key, trace);
  const around = ({ session, seq, parentSeq }: Trace): Trace | undefined =>
    parentSeq === null || parentSeq >= seq ? undefined : parents.get(traceKey(session, parentSeq)); // a damaged recording's loops end
  const withinRetrace = (trace: Trace): boolean => {
    for (let outer = around(trace); outer; outer = around(outer)) if (isRetrace(outer)) return true;
    return false;
  };
  return (trace) => (isRetrace(trace) ? (withinRetrace(trace) ? 0 : trace.traceUs) + trace.lookupUs + (trace.firstCallUs ?? 0) : 0) + trace.recompilationUs;
}

export function isRetrace({ kind }: Trace): boolean {
  return kind === "retrace" || kind === "recreated";
}
