import { depths } from "./order";
import { SAME } from "./status";

/**
 * What a level shows when it has too many children, or when most of them did not change: buckets of children. Bucketing never makes a
 * cycle: a bucket lies within one depth (`order.ts`), or is all that lies in a range of depths. Pure.
 */

export interface Children {
  n: number;
  /** Edges between children, by index, in creation order; several between the same two are fine. */
  from: Int32Array;
  to: Int32Array;
  /** 1 for edges that only say "after". */
  control: Uint8Array;
  /** Children with equal numbers are called alike (`AddN_1`, `AddN_2`); with equal `kind` they do the same. */
  alike: Int32Array;
  kind: Int32Array;
  /** Which statuses occur in each (`statusBits`). */
  status: Uint8Array;
  isScope: Uint8Array;
}

export type BucketKind = "one" | "alike" | "unchanged" | "range";

export interface Bucket {
  kind: BucketKind;
  members: number[];
}

/** At most about so many children are drawn of a level. */
export const MOST_CHILDREN = 60;
/** A level this small is shown as it is. */
const SMALL = 10;
/** Unchanged scopes, and neighbours of nodes that changed, are shown where that leaves the picture small. */
const MOST_WITH_CONTEXT = 28;

/** Buckets in the order of their first members; every child is in exactly one. */
export function partition(children: Children, fold: boolean, most = MOST_CHILDREN): Bucket[] {
  const { n } = children;
  let found: Bucket[] | null = null;
  if (fold && n > SMALL) found = foldUnchanged(children, most);
  if (!found && n <= most) return Array.from({ length: n }, (_, index) => ({ kind: "one", members: [index] }));
  found ??= bucketAlike(children, most);
  if (found.length === 1 && n > 1) found = chunks(found[0]!.members, Math.min(most, Math.ceil(Math.sqrt(n))));
  return found.sort((a, b) => a.members[0]! - b.members[0]!);
}

const unchangedOnly = 1 << SAME;

/** null if there is nothing to fold, because all or nothing changed. */
function foldUnchanged(children: Children, most: number): Bucket[] | null {
  const { n, status, isScope, from, to, control } = children;
  const changed = new Uint8Array(n);
  let changes = 0;
  for (let index = 0; index < n; index += 1) if (status[index] !== unchangedOnly) changes += changed[index] = 1;
  if (changes === 0 || changes === n) return null;
  const near = changed.slice();
  for (let edge = 0; edge < from.length; edge += 1) {
    const [source, target] = [from[edge]!, to[edge]!];
    if (control[edge]) continue;
    if (changed[target] && !isScope[target]) near[source] = 1;
    if (changed[source] && !isScope[source]) near[target] = 1;
  }
  const withScopes = (of: Uint8Array): Uint8Array => of.map((value, index) => value | isScope[index]!);
  const { alike, kind } = children;
  // What is kept, what of it is bucketed by, how many boxes that may make; the fullest picture that is small enough is taken.
  const tries: [kept: Uint8Array, by: Int32Array | null, limit: number][] = [
    [withScopes(near), null, MOST_WITH_CONTEXT],
    [withScopes(changed), null, MOST_WITH_CONTEXT],
    [withScopes(changed), alike, MOST_WITH_CONTEXT],
    [near, null, MOST_WITH_CONTEXT],
    [changed, null, most],
    [changed, alike, most],
    [changed, kind, most],
  ];
  for (const [kept, by, limit] of tries) {
    const depth = depths(n, from, to, kept);
    const key = by && alikeKey(depth, by, status);
    // Three kinds of keys that cannot be equal: a child's own, an alike bucket's, and a run's of unchanged ones.
    const groups = group(children, (index) => (!kept[index] ? depth[index]! + 0.5 : key && (kept === changed || !isScope[index]) ? key(index) : -1 - index), kept);
    if (groups.length <= limit) return groups;
    if (by === kind) return ranges(groups, depth, most);
  }
  return null;
}

function bucketAlike(children: Children, most: number): Bucket[] {
  const { n, from, to, status } = children;
  const depth = depths(n, from, to);
  let groups: Bucket[] = [];
  for (const key of [children.alike, children.kind]) {
    groups = group(children, alikeKey(depth, key, status), null);
    if (groups.length <= most) return groups;
  }
  return ranges(groups, depth, most);
}

/** One number for depth, key and status; below 2⁵³ for as many children as a graph can have. */
function alikeKey(depth: Int32Array, key: Int32Array, status: Uint8Array): (index: number) => number {
  const keys = key.reduce((most, value) => Math.max(most, value), 0) + 1;
  return (index) => (depth[index]! * keys + key[index]!) * 32 + status[index]!;
}

function group(children: Children, key: (index: number) => number, kept: Uint8Array | null): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (let index = 0; index < children.n; index += 1) {
    const name = key(index);
    const bucket = buckets.get(name);
    if (!bucket) buckets.set(name, { kind: "one", members: [index] });
    else {
      bucket.members.push(index);
      bucket.kind = kept && !kept[index] ? "unchanged" : "alike";
    }
  }
  return [...buckets.values()];
}

/** Fewer buckets: what lies in a range of depths in one; or where there are few depths, parts of each. */
function ranges(groups: readonly Bucket[], depth: Int32Array, most: number): Bucket[] {
  const byDepth = new Map<number, Bucket[]>();
  for (const bucket of groups) {
    const at = depth[bucket.members[0]!]!;
    const held = byDepth.get(at);
    if (held) held.push(bucket);
    else byDepth.set(at, [bucket]);
  }
  const levels = [...byDepth.keys()].sort((a, b) => a - b).map((at) => byDepth.get(at)!);
  const result: Bucket[] = [];
  if (levels.length <= most / 2) {
    for (const level of levels) {
      const share = Math.max(1, Math.floor((most * level.length) / groups.length));
      for (const part of cut(level, share)) result.push(merge(part));
    }
    return result;
  }
  const target = groups.length / most;
  let part: Bucket[] = [];
  for (const level of levels) {
    if (part.length > 0 && part.length + level.length > target * 1.5) {
      result.push(merge(part));
      part = [];
    }
    part.push(...level);
    if (part.length >= target) {
      result.push(merge(part));
      part = [];
    }
  }
  if (part.length) result.push(merge(part));
  return result.length <= most ? result : cut(result, most).map(merge);
}

function merge(parts: readonly Bucket[]): Bucket {
  if (parts.length === 1) return parts[0]!;
  const members = parts.flatMap((part) => part.members).sort((a, b) => a - b);
  return { kind: "range", members };
}

function chunks(members: readonly number[], parts: number): Bucket[] {
  return cut(members, parts).map((part) => ({ kind: part.length > 1 ? "range" : "one", members: part }));
}

function cut<T>(list: readonly T[], parts: number): T[][] {
  const size = Math.ceil(list.length / Math.max(1, parts));
  const result: T[][] = [];
  for (let at = 0; at < list.length; at += size) result.push(list.slice(at, at + size));
  return result;
}
