import { ATTRIBUTES, IN_A, IN_B, INPUTS } from "../data/comparison";

/** What became of a node from a to b. Each node has one; attributes weigh more than inputs. Pure. */

export const SAME = 0;
export const CHANGED = 1;
export const REWIRED = 2;
export const ADDED = 3;
export const REMOVED = 4;
export type Status = 0 | 1 | 2 | 3 | 4;

export function statusOf(flags: number): Status {
  if (!(flags & IN_A)) return ADDED;
  if (!(flags & IN_B)) return REMOVED;
  if (flags & ATTRIBUTES) return CHANGED;
  return flags & INPUTS ? REWIRED : SAME;
}

/** How many nodes of each kind something holds. */
export interface Tally {
  rows: number;
  changed: number;
  rewired: number;
  added: number;
  removed: number;
}

export const NOTHING: Readonly<Tally> = { rows: 0, changed: 0, rewired: 0, added: 0, removed: 0 };

export function differing(tally: Tally): number {
  return tally.changed + tally.rewired + tally.added + tally.removed;
}

export function sum(a: Tally, b: Tally): Tally {
  return {
    rows: a.rows + b.rows,
    changed: a.changed + b.changed,
    rewired: a.rewired + b.rewired,
    added: a.added + b.added,
    removed: a.removed + b.removed,
  };
}

/** The statuses that occur, a bit each: what may be bucketed together has the same. */
export function statusBits(tally: Tally): number {
  const same = tally.rows > differing(tally) ? 1 << SAME : 0;
  return same | (tally.changed ? 1 << CHANGED : 0) | (tally.rewired ? 1 << REWIRED : 0) | (tally.added ? 1 << ADDED : 0) | (tally.removed ? 1 << REMOVED : 0);
}
