import { CONTROL, IN_A, IN_B } from "../data/comparison";
import type { Items } from "./items";
import { type Children, partition } from "./partition";

/** What an opened item shows: its children, bucketed where they are many, and the edges between them. */
export interface Level {
  items: number[];
  /** Ends are indices into `items`; −1 is what lies outside of the opened item. */
  edges: LevelEdge[];
}

export interface LevelEdge {
  from: number;
  to: number;
  /** How many of the graph's edges it stands for, in a and in b. */
  a: number;
  b: number;
  /** All of them only say "after". */
  control: boolean;
}

interface RawEdges {
  from: Int32Array;
  to: Int32Array;
  flags: Uint8Array;
}

/** Levels of one graph, made when they are asked for. Time grows with the rows of the item and their inputs. */
export class Levels {
  private held = new Map<number, Level>();
  /** For each row, which entry of the level at hand holds it; −1 between uses. */
  private readonly entryOf: Int32Array;

  constructor(
    readonly items: Items,
    private fold: boolean,
  ) {
    this.entryOf = new Int32Array(items.table.rows).fill(-1);
  }

  get folds(): boolean {
    return this.fold;
  }

  setFold(fold: boolean): void {
    if (fold === this.fold) return;
    this.fold = fold;
    this.held = new Map();
  }

  of(item: number): Level {
    const held = this.held.get(item);
    if (held) return held;
    const made = this.make(item);
    this.held.set(item, made);
    return made;
  }

  private make(parent: number): Level {
    const { items } = this;
    const entries = items.entries(parent);
    const raw = this.rawEdges(entries, parent === items.root);
    const buckets = partition(describe(items, entries, parent, raw), this.fold);
    const place = new Int32Array(entries.length);
    const shown = buckets.map((bucket, index) => {
      for (const member of bucket.members) place[member] = index;
      const members = bucket.members.map((member) => entries[member]!);
      return members.length === 1 ? members[0]! : items.makeBucket(bucket.kind, members, parent);
    });
    return { items: shown, edges: aggregate(raw, place, shown.length) };
  }

  /** The edges between entries and, unless it is the root, across the border: the outside is entry −1. */
  private rawEdges(entries: readonly number[], isRoot: boolean): RawEdges {
    const { items, entryOf } = this;
    const { inputStart, inputNode, inputFlags } = items.table;
    const [consumerStart, consumers] = items.consumers;
    const { readers } = items;
    let most = 0;
    entries.forEach((entry, index) =>
      items.eachRow(entry, (row) => {
        entryOf[row] = index;
        most += inputStart[row + 1]! - inputStart[row]! + (isRoot ? 0 : consumerStart[row + 1]! - consumerStart[row]!);
      }),
    );
    const from = new Int32Array(most);
    const to = new Int32Array(most);
    const flags = new Uint8Array(most);
    let count = 0;
    const add = (source: number, target: number, flag: number): void => {
      if (source === target) return;
      from[count] = source;
      to[count] = target;
      flags[count] = flag;
      count += 1;
    };
    entries.forEach((entry, index) =>
      items.eachRow(entry, (row) => {
        for (let at = inputStart[row]!; at < inputStart[row + 1]!; at += 1) add(entryOf[inputNode[at]!]!, index, inputFlags[at]!);
        if (isRoot) return;
        for (let at = consumerStart[row]!; at < consumerStart[row + 1]!; at += 1) {
          const input = consumers[at]!;
          if (entryOf[readers[input]!] === -1) add(index, -1, inputFlags[input]!);
        }
      }),
    );
    for (const entry of entries) items.eachRow(entry, (row) => void (entryOf[row] = -1));
    return { from: from.subarray(0, count), to: to.subarray(0, count), flags: flags.subarray(0, count) };
  }
}

function describe(items: Items, entries: readonly number[], parent: number, raw: RawEdges): Children {
  const n = entries.length;
  const alike = new Int32Array(n);
  const kind = new Int32Array(n);
  const status = new Uint8Array(n);
  const isScope = new Uint8Array(n);
  entries.forEach((entry, index) => {
    [alike[index], kind[index]] = items.likeness(entry, parent);
    status[index] = items.statusBits(entry);
    isScope[index] = items.isScope(entry) ? 1 : 0;
  });
  const inside = (index: number): boolean => raw.from[index]! >= 0 && raw.to[index]! >= 0;
  let count = 0;
  const from = new Int32Array(raw.from.length);
  const to = new Int32Array(raw.from.length);
  const control = new Uint8Array(raw.from.length);
  for (let index = 0; index < raw.from.length; index += 1) {
    if (!inside(index)) continue;
    control[count] = raw.flags[index]! & CONTROL ? 1 : 0;
    from[count] = raw.from[index]!;
    to[count] = raw.to[index]!;
    count += 1;
  }
  return { n, from: from.subarray(0, count), to: to.subarray(0, count), control: control.subarray(0, count), alike, kind, status, isScope };
}

function aggregate(raw: RawEdges, place: Int32Array, count: number): LevelEdge[] {
  const edges = new Map<number, LevelEdge>();
  for (let index = 0; index < raw.from.length; index += 1) {
    const from = raw.from[index]! < 0 ? -1 : place[raw.from[index]!]!;
    const to = raw.to[index]! < 0 ? -1 : place[raw.to[index]!]!;
    if (from === to) continue;
    const key = (from + 1) * (count + 1) + to + 1;
    let edge = edges.get(key);
    if (!edge) edges.set(key, (edge = { from, to, a: 0, b: 0, control: true }));
    const flags = raw.flags[index]!;
    if (flags & IN_A) edge.a += 1;
    if (flags & IN_B) edge.b += 1;
    if (!(flags & CONTROL)) edge.control = false;
  }
  return [...edges.values()];
}
