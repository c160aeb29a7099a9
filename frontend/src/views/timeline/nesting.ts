import { type Trace, traceKey } from "../../data/digest";

/** Which traces happened inside which. Pure. */

export interface Nested {
  trace: Trace;
  /** The outermost trace that it happened in, of those given. */
  root: Trace;
  /** 1: directly inside it. */
  depth: number;
}

/** Those of `traces` that happened inside another of them. A damaged recording's loops end: a parent starts before its children. */
export function nestedIn(traces: readonly Trace[]): Map<Trace, Nested> {
  const wanted = new Set<string>();
  for (const trace of traces) if (trace.parentSeq !== null) wanted.add(traceKey(trace.session, trace.parentSeq));
  if (wanted.size === 0) return new Map();
  const parents = new Map<string, Trace>();
  for (const trace of traces) if (wanted.has(trace.key)) parents.set(trace.key, trace);
  const found = new Map<Trace, Nested>();
  for (const trace of traces) {
    let root = trace;
    let depth = 0;
    for (let parent = parentOf(root, parents); parent; parent = parentOf(root, parents)) {
      root = parent;
      depth += 1;
    }
    if (depth > 0) found.set(trace, { trace, root, depth });
  }
  return found;
}

function parentOf(trace: Trace, parents: ReadonlyMap<string, Trace>): Trace | undefined {
  if (trace.parentSeq === null || trace.parentSeq >= trace.seq) return undefined;
  return parents.get(traceKey(trace.session, trace.parentSeq));
}
