import { basename, plural, wallClock } from "../base/format";
import type { Session } from "../data/digest";
import { runName } from "./filters";

/** What can be compared with what: a recording, or those of all workers of one launch. Pure. */

export interface Side {
  /** Session ids, in the order of workers. */
  ids: string[];
  /** The run, without the workers' directories. */
  run: string;
  name: string;
  /** Without its directory: a change may be tried in another one. */
  program: string;
  startedNs: bigint;
}

/**
 * In the order of their starts. Workers of a run belong together until one of them starts again: that is another launch. Sides
 * of one name are told apart by when they started.
 */
export function sidesOf(sessions: readonly Session[]): Side[] {
  const byStart = sessions.map((session) => ({ session, startedNs: startOf(session) })).sort((a, b) => (a.startedNs < b.startedNs ? -1 : a.startedNs > b.startedNs ? 1 : 0));
  const sides: (Side & { sessions: Session[] })[] = [];
  for (const { session, startedNs } of byStart) {
    const run = runName(session);
    const launch = session.worker === null ? undefined : last(sides, (side) => side.run === run && side.sessions[0]!.worker !== null);
    if (launch && !launch.sessions.some((other) => other.worker === session.worker)) launch.sessions.push(session);
    else sides.push({ ids: [], run, name: "", program: "", startedNs, sessions: [session] });
  }
  const named = sides.map(({ sessions: held, run, startedNs }) => {
    held.sort((a, b) => (a.worker ?? 0) - (b.worker ?? 0));
    const [first] = held;
    const workers = held.length > 1 ? ` · ${plural(held.length, "worker")}` : first!.worker === null ? "" : ` · worker ${first!.worker}`;
    return { ids: held.map(({ id }) => id), run, name: `${run}${workers}`, program: basename(first!.program), startedNs };
  });
  return named.map((side) => {
    const started = wallClock(side.startedNs.toString());
    return named.filter((other) => other.name === side.name).length > 1 && started ? { ...side, name: `${side.name} · ${started}` } : side;
  });
}

function startOf({ startedNs }: Session): bigint {
  return /^\d{1,20}$/.test(startedNs) ? BigInt(startedNs) : 0n;
}

/**
 * The picked side, or else the latest, and the latest of another run beside it: of the same program if there is one, of the same run
 * if there is no other. The older one comes first. null: there is nothing to compare.
 */
export function defaultPair(sides: readonly Side[], picked: string | null): [Side, Side] | null {
  const one = sides.find((side) => picked !== null && side.ids.includes(picked)) ?? sides[sides.length - 1];
  const elsewhere = sides.filter((side) => side.run !== one?.run);
  const other = last(elsewhere, (side) => side.program === one?.program) ?? last(elsewhere, () => true) ?? last(sides, (side) => side !== one);
  if (!one || !other) return null;
  return sides.indexOf(one) < sides.indexOf(other) ? [one, other] : [other, one];
}

function last<T>(items: readonly T[], wanted: (item: T) => boolean): T | undefined {
  return [...items].reverse().find(wanted);
}

export function sameSide(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id));
}
