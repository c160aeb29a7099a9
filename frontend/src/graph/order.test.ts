import { expect, it } from "vitest";
import { depths } from "./order";
import { random } from "./testing";

const of = (n: number, edges: readonly (readonly [number, number])[], kept?: readonly number[]): number[] => [
  ...depths(n, Int32Array.from(edges.map(([from]) => from)), Int32Array.from(edges.map(([, to]) => to)), kept && Uint8Array.from({ length: n }, (_, node) => (kept.includes(node) ? 1 : 0))),
];

it("grows along a chain", () => expect(of(4, [[0, 1], [1, 2], [2, 3]])).toEqual([0, 1, 2, 3]));
it("takes the longest way", () => expect(of(4, [[0, 1], [1, 2], [0, 2], [2, 3], [0, 3]])).toEqual([0, 1, 2, 3]));
it("lowers what nothing feeds to just above what it feeds", () => expect(of(4, [[0, 1], [1, 2], [3, 2]])).toEqual([0, 1, 2, 1]));
it("gives all of a cycle one depth", () => expect(of(4, [[0, 1], [1, 2], [2, 1], [2, 3]])).toEqual([0, 1, 1, 2]));
it("ignores edges to itself", () => expect(of(2, [[0, 0], [0, 1], [1, 1]])).toEqual([0, 1]));
it("grows only at kept nodes if there are some", () => expect(of(6, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]], [3])).toEqual([0, 0, 0, 1, 2, 2]));

it("grows along every edge of a random graph without cycles", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const next = random(seed);
    const n = 2 + Math.floor(next() * 40);
    const edges = Array.from({ length: n * 2 }, () => {
      const [a, b] = [Math.floor(next() * n), Math.floor(next() * n)];
      return [Math.min(a, b), Math.max(a, b)] as const;
    }).filter(([a, b]) => a !== b);
    const all = of(n, edges);
    for (const [from, to] of edges) expect(all[to]!).toBeGreaterThan(all[from]!);
    const kept = Array.from({ length: n }, (_, node) => node).filter(() => next() < 0.3);
    const some = of(n, edges, kept);
    for (const [from, to] of edges) expect(some[to]! - some[from]!).toBeGreaterThanOrEqual(kept.includes(from) || kept.includes(to) ? 1 : 0);
  }
});

it("goes through a long chain and a large ring without recursion", () => {
  const n = 200_000;
  const from = Int32Array.from({ length: n }, (_, node) => node);
  const ring = depths(n, from, from.map((node) => (node + 1) % n));
  expect(ring.every((depth) => depth === 0)).toBe(true);
  const chain = depths(n, from.subarray(1), from.subarray(0, n - 1));
  expect(chain[0]).toBe(n - 1);
});
