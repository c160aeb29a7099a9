import type { GraphTable } from "../data/comparison";
import { IN_A, IN_B } from "../data/comparison";
import type { BucketKind } from "./partition";
import { buildScopes, grouped, type Scopes } from "./scopes";
import { ADDED, CHANGED, NOTHING, REMOVED, REWIRED, statusBits, statusOf, sum, type Tally } from "./status";

interface Bucket {
  kind: BucketKind;
  members: readonly number[];
  /** The item that it was made in. */
  parent: number;
  tally: Tally;
  label: string | null;
}

/**
 * What can be drawn of a graph, as numbers: its rows, then its scopes, then buckets of them, which are made when a level needs them.
 * An item holds rows; its children are items, too. Pure but for the buckets that it remembers.
 */
export class Items {
  readonly scopes: Scopes;
  readonly root: number;
  private readonly firstBucket: number;
  private readonly buckets: Bucket[] = [];
  /** How many of the rows up to each position of `scopes.order` are changed, rewired, added, removed. */
  private readonly before: Int32Array[];
  /** Rows that use each row: those of row i are `consumers[consumerStart[i]…consumerStart[i + 1]]`, as indices of inputs. */
  private lazyConsumers: [Int32Array, Int32Array] | null = null;
  private readonly stems = new Map<string, number>();

  constructor(readonly table: GraphTable) {
    this.scopes = buildScopes(table.names);
    this.root = table.rows;
    this.firstBucket = table.rows + this.scopes.count;
    const { order } = this.scopes;
    this.before = [CHANGED, REWIRED, ADDED, REMOVED].map((status) => {
      const total = new Int32Array(table.rows + 1);
      for (let at = 0; at < order.length; at += 1) total[at + 1] = total[at]! + (statusOf(table.flags[order[at]!]!) === status ? 1 : 0);
      return total;
    });
  }

  isRow(item: number): boolean {
    return item < this.root;
  }

  isScope(item: number): boolean {
    return item >= this.root && item < this.firstBucket;
  }

  bucketKind(item: number): BucketKind | null {
    return item >= this.firstBucket ? this.bucket(item).kind : null;
  }

  /** The scope of that item number. */
  scope(item: number): number {
    return item - this.root;
  }

  private bucket(item: number): Bucket {
    const bucket = this.buckets[item - this.firstBucket];
    if (!bucket) throw new RangeError("no such item");
    return bucket;
  }

  has(item: number): boolean {
    return Number.isInteger(item) && item >= 0 && item < this.firstBucket + this.buckets.length;
  }

  makeBucket(kind: BucketKind, members: readonly number[], parent: number): number {
    this.buckets.push({ kind, members, parent, tally: members.map((member) => this.tally(member)).reduce(sum, NOTHING), label: null });
    return this.firstBucket + this.buckets.length - 1;
  }

  tally(item: number): Tally {
    if (item >= this.firstBucket) return this.bucket(item).tally;
    if (item < this.root) {
      const status = statusOf(this.table.flags[item]!);
      const is = (other: number): number => (status === other ? 1 : 0);
      return { rows: 1, changed: is(CHANGED), rewired: is(REWIRED), added: is(ADDED), removed: is(REMOVED) };
    }
    const { start, end } = this.scopes;
    const [from, to] = [start[this.scope(item)]!, end[this.scope(item)]!];
    const [changed, rewired, added, removed] = this.before.map((total) => total[to]! - total[from]!) as [number, number, number, number];
    return { rows: to - from, changed, rewired, added, removed };
  }

  statusBits(item: number): number {
    return item < this.root ? 1 << statusOf(this.table.flags[item]!) : statusBits(this.tally(item));
  }

  /** Calls `visit` with every row of the item. */
  eachRow(item: number, visit: (row: number) => void): void {
    if (item < this.root) visit(item);
    else if (item < this.firstBucket) {
      const { order, start, end } = this.scopes;
      const to = end[this.scope(item)]!;
      for (let at = start[this.scope(item)]!; at < to; at += 1) visit(order[at]!);
    } else for (const member of this.bucket(item).members) this.eachRow(member, visit);
  }

  firstRow(item: number): number | null {
    if (item < this.root) return item;
    if (item >= this.firstBucket) {
      const first = this.bucket(item).members[0];
      return first === undefined ? null : this.firstRow(first);
    }
    const at = this.scopes.start[this.scope(item)]!;
    return at < this.scopes.end[this.scope(item)]! ? this.scopes.order[at]! : null;
  }

  holds(item: number, row: number): boolean {
    if (item < this.root) return item === row;
    if (item >= this.firstBucket) return this.bucket(item).members.some((member) => this.holds(member, row));
    const at = this.scopes.position[row]!;
    return at >= this.scopes.start[this.scope(item)]! && at < this.scopes.end[this.scope(item)]!;
  }

  /** What lies directly in an item, unbucketed, in the order of creation. A scope with a single entry stands for that entry. */
  entries(item: number): number[] {
    if (item < this.root) return [];
    if (item >= this.firstBucket) return [...this.bucket(item).members];
    const { childStart, children, rowStart, rows, first } = this.scopes;
    const scope = this.scope(item);
    const found: number[] = [];
    let child = childStart[scope]!;
    for (let at = rowStart[scope]!; at < rowStart[scope + 1]!; at += 1) {
      for (; child < childStart[scope + 1]! && first[children[child]!]! < rows[at]!; child += 1) found.push(this.only(children[child]!));
      found.push(rows[at]!);
    }
    for (; child < childStart[scope + 1]!; child += 1) found.push(this.only(children[child]!));
    return found;
  }

  private only(scope: number): number {
    const { childStart, children, rowStart, rows } = this.scopes;
    let inner = scope;
    for (;;) {
      const scopes = childStart[inner + 1]! - childStart[inner]!;
      const own = rowStart[inner + 1]! - rowStart[inner]!;
      if (scopes + own !== 1) return this.root + inner;
      if (own === 1) return rows[rowStart[inner]!]!;
      inner = children[childStart[inner]!]!;
    }
  }

  /** The name within what encloses it. */
  label(item: number, parent: number): string {
    const around = this.scopePath(parent);
    if (item >= this.firstBucket) return this.bucketLabel(item);
    const name = item < this.root ? this.table.names[item]! : this.scopes.path[this.scope(item)]!;
    if (item < this.root && around !== "" && name === around) return `(${name.slice(name.lastIndexOf("/") + 1)})`;
    const inner = around !== "" && name.startsWith(`${around}/`) ? name.slice(around.length + 1) : name;
    return inner === "" ? "(no name)" : inner;
  }

  /** The whole name of a node or scope; of a bucket, the scope's that it is in. */
  path(item: number): string {
    return item < this.root ? this.table.names[item]! : this.scopePath(item);
  }

  private scopePath(item: number): string {
    let at = item;
    while (at >= this.firstBucket) at = this.bucket(at).parent;
    return at >= this.root ? this.scopes.path[this.scope(at)]! : "";
  }

  /** A bucket's members and where it was made. */
  bucketOf(item: number): { kind: BucketKind; members: readonly number[]; parent: number } | null {
    return item >= this.firstBucket ? this.bucket(item) : null;
  }

  /** What a bucket's members have in common, or its first and last. */
  bucketLabel(item: number): string {
    const bucket = this.bucket(item);
    bucket.label ??= this.nameBucket(bucket);
    return bucket.label;
  }

  private nameBucket({ kind, members, parent }: Bucket): string {
    const [first, last] = [members[0]!, members[members.length - 1]!];
    if (kind !== "alike") return `${this.label(first, parent)} … ${this.label(last, parent)}`;
    const stem = stemOf(this.label(first, parent));
    if (members.every((member) => stemOf(this.label(member, parent)) === stem)) return stem;
    return first < this.root ? this.opName(first) : stem;
  }

  /** Two numbers for bucketing: entries called alike, and entries that do the same. */
  likeness(item: number, parent: number): [alike: number, kind: number] {
    const op = item < this.root ? this.table.op[item]! : -1;
    const stem = stemOf(this.label(item, parent));
    const alike = this.stem(op < 0 ? `/${stem}` : `${this.table.opNames[op]!} ${stem}`);
    return [alike, op < 0 ? this.table.opNames.length + alike : op];
  }

  private stem(text: string): number {
    const held = this.stems.get(text);
    if (held !== undefined) return held;
    this.stems.set(text, this.stems.size);
    return this.stems.size - 1;
  }

  /** Indices into `inputNode` of those inputs that read a row, by row. */
  get consumers(): [start: Int32Array, list: Int32Array] {
    this.lazyConsumers ??= grouped(this.table.inputNode, this.table.rows);
    return this.lazyConsumers;
  }

  /** Which row each input belongs to. */
  private lazyReaders: Int32Array | null = null;
  get readers(): Int32Array {
    if (this.lazyReaders) return this.lazyReaders;
    const { rows, inputStart, inputNode } = this.table;
    const readers = new Int32Array(inputNode.length);
    for (let row = 0; row < rows; row += 1) readers.fill(row, inputStart[row]!, inputStart[row + 1]!);
    this.lazyReaders = readers;
    return readers;
  }

  opName(row: number): string {
    return this.table.opNames[this.table.op[row]!] ?? "?";
  }

  inA(row: number): boolean {
    return (this.table.flags[row]! & IN_A) !== 0;
  }

  inB(row: number): boolean {
    return (this.table.flags[row]! & IN_B) !== 0;
  }
}

/** A name without what tells it from its siblings: `block_1_conv_12` → `block_*_conv`. */
export function stemOf(label: string): string {
  return label.replace(/_\d+$/, "").replace(/\d+/g, "*");
}
