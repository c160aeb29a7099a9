import type { Trace } from "../../data/digest";
import type { Axis } from "../../state/settings";

/** When a profile session ran, as far as traces tell: each says whether one ran from its start to its end. Pure. */

export interface Profile {
  session: number;
  /** From the first such trace to the last in a row: the profile session was at least that long. In the axis's unit. */
  from: number;
  to: number;
  traces: number;
}

/** In the order of sessions and time; `traces` in any order. A trace that no profile saw ends a profile. */
export function profilesOf(traces: readonly Trace[], axis: Axis): Profile[] {
  if (!traces.some((trace) => trace.profiled)) return [];
  // What is nested began while its outer trace ran: it says nothing that the other does not.
  const ordered = traces
    .filter((trace) => !trace.nested && (axis === "time" || trace.step !== null))
    .sort((a, b) => a.session - b.session || a.startUs - b.startUs);
  const profiles: Profile[] = [];
  let open: Profile | null = null;
  for (const trace of ordered) {
    if (!trace.profiled || open?.session !== trace.session) open = null;
    if (!trace.profiled) continue;
    const from = axis === "time" ? trace.startUs : trace.step!;
    const to = axis === "time" ? trace.startUs + trace.traceUs : trace.step! + 1;
    if (!open) profiles.push((open = { session: trace.session, from, to, traces: 0 }));
    open.from = Math.min(open.from, from);
    open.to = Math.max(open.to, to);
    open.traces += 1;
  }
  return profiles;
}
