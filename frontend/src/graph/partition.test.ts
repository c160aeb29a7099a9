import { describe, expect, it } from "vitest";
import { type Bucket, type Children, MOST_CHILDREN, partition } from "./partition";
import { CHANGED, SAME } from "./status";
import { hasCycle, random } from "./testing";

interface Given {
  n: number;
  edges: readonly (readonly [number, number])[];
  alike?: (index: number) => number;
  changed?: (index: number) => boolean;
  scope?: (index: number) => boolean;
  control?: boolean;
}

function children({ n, edges, alike = () => 0, changed = () => false, scope = () => false, control = false }: Given): Children {
  const each = <T extends Int32Array | Uint8Array>(made: T, value: (index: number) => number): T => {
    for (let index = 0; index < n; index += 1) made[index] = value(index);
    return made;
  };
  return {
    n,
    from: Int32Array.from(edges.map(([from]) => from)),
    to: Int32Array.from(edges.map(([, to]) => to)),
    control: new Uint8Array(edges.length).fill(control ? 1 : 0),
    alike: each(new Int32Array(n), alike),
    kind: each(new Int32Array(n), (index) => alike(index) % 3),
    status: each(new Uint8Array(n), (index) => (changed(index) ? 1 << CHANGED : 1 << SAME)),
    isScope: each(new Uint8Array(n), (index) => (scope(index) ? 1 : 0)),
  };
}

function expectSound(given: Given, buckets: readonly Bucket[]): void {
  expect(buckets.flatMap((bucket) => bucket.members).sort((a, b) => a - b)).toEqual(Array.from({ length: given.n }, (_, index) => index));
  const place = new Map(buckets.flatMap((bucket, at) => bucket.members.map((member) => [member, at] as const)));
  const between = given.edges.map(([from, to]) => [place.get(from)!, place.get(to)!] as const);
  if (!hasCycle(given.n, given.edges)) expect(hasCycle(buckets.length, between)).toBe(false);
  for (const bucket of buckets) if (bucket.kind === "unchanged") for (const member of bucket.members) expect(given.changed?.(member) ?? false).toBe(false);
}

const chain = (n: number): [number, number][] => Array.from({ length: n - 1 }, (_, index) => [index, index + 1]);

describe("few children", () => {
  it("are shown as they are", () => {
    const buckets = partition(children({ n: 7, edges: chain(7), changed: (index) => index === 3 }), true);
    expect(buckets.map((bucket) => bucket.members)).toEqual([[0], [1], [2], [3], [4], [5], [6]]);
  });

  it("are shown as they are if all or nothing changed", () => {
    for (const changed of [true, false]) expect(partition(children({ n: 40, edges: chain(40), changed: () => changed }), true)).toHaveLength(40);
  });
});

describe("folding", () => {
  const given = { n: 40, edges: chain(40), changed: (index: number) => index === 20 };

  it("keeps what changed and its neighbours, and folds the runs before and after", () => {
    const buckets = partition(children(given), true);
    expect(buckets.map((bucket) => [bucket.kind, bucket.members.length])).toEqual([["unchanged", 19], ["one", 1], ["one", 1], ["one", 1], ["unchanged", 18]]);
    expect(buckets[2]!.members).toEqual([20]);
  });

  it("does nothing if it is off", () => expect(partition(children(given), false)).toHaveLength(40));

  it("takes no control edge for a neighbour", () => {
    const buckets = partition(children({ ...given, control: true }), true);
    expect(buckets.map((bucket) => bucket.members.length)).toEqual([20, 1, 19]);
  });

  it("keeps unchanged scopes where there is room", () => {
    const buckets = partition(children({ ...given, scope: (index) => index === 5 }), true);
    expect(buckets.find((bucket) => bucket.members.length === 1 && bucket.members[0] === 5)).toBeDefined();
  });
});

describe("bucketing", () => {
  it("puts alike siblings of one depth together", () => {
    // An optimizer: the same three ops for each of 500 variables.
    const edges = Array.from({ length: 500 }, (_, index) => [[3 * index, 3 * index + 1], [3 * index + 1, 3 * index + 2]] as [number, number][]).flat();
    const buckets = partition(children({ n: 1500, edges, alike: (index) => index % 3 }), true);
    expect(buckets.map((bucket) => [bucket.kind, bucket.members.length])).toEqual([["alike", 500], ["alike", 500], ["alike", 500]]);
  });

  it("takes what does the same if names tell nothing", () => {
    const buckets = partition(children({ n: 300, edges: [], alike: (index) => index }), true);
    expect(buckets.map((bucket) => bucket.members.length)).toEqual([100, 100, 100]);
  });

  it("cuts a long chain into ranges", () => {
    const given = { n: 10_000, edges: chain(10_000), alike: (index: number) => index };
    const buckets = partition(children(given), false);
    expectSound(given, buckets);
    expect(buckets.length).toBeLessThanOrEqual(MOST_CHILDREN);
    expect(buckets.length).toBeGreaterThan(MOST_CHILDREN / 3);
  });

  it("always splits what is too much, even if all of it is alike", () => {
    for (const n of [MOST_CHILDREN + 1, 89_527]) {
      const buckets = partition(children({ n, edges: [] }), true);
      expect(buckets.length).toBeGreaterThan(1);
      expect(buckets.length).toBeLessThanOrEqual(MOST_CHILDREN);
    }
  });
});

it("never makes a cycle, never loses a child, never shows too many: random graphs", () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const next = random(seed);
    const n = 1 + Math.floor(next() * 220);
    const cyclic = next() < 0.2;
    const edges = Array.from({ length: Math.floor(n * (0.3 + next() * 2)) }, () => {
      const from = Math.floor(next() * n);
      const to = next() < 0.7 ? Math.min(n - 1, from + 1 + Math.floor(next() * 5)) : Math.floor(next() * n);
      return cyclic ? ([from, to] as const) : ([Math.min(from, to), Math.max(from, to)] as const);
    });
    const stems = 1 + Math.floor(next() * (next() < 0.5 ? 6 : n));
    const names = Array.from({ length: n }, () => Math.floor(next() * stems));
    const share = next();
    const changes = Array.from({ length: n }, () => next() < share * share);
    const scopes = Array.from({ length: n }, () => next() < 0.1);
    const given = { n, edges, alike: (index: number) => names[index]!, changed: (index: number) => changes[index]!, scope: (index: number) => scopes[index]! };
    for (const fold of [true, false]) {
      const buckets = partition(children(given), fold);
      expectSound(given, buckets);
      expect(buckets.length).toBeLessThanOrEqual(MOST_CHILDREN);
      if (n > 1) expect(buckets.length).toBeGreaterThan(1);
    }
  }
});
