import { expect, it } from "vitest";
import { buildScopes, type Scopes } from "./scopes";
import { random } from "./testing";

const rowsIn = (scopes: Scopes, path: string): number[] => {
  const scope = scopes.path.indexOf(path);
  return [...scopes.order.slice(scopes.start[scope], scopes.end[scope])].sort((a, b) => a - b);
};

/** What holds of any names: every row lies once in the root, and in its own scope and all above it. */
function expectSound(names: readonly string[], scopes: Scopes): void {
  expect([...scopes.order].sort((a, b) => a - b)).toEqual(names.map((_, row) => row));
  expect(scopes.count).toBeLessThanOrEqual(4 * names.length + 64);
  names.forEach((name, row) => {
    expect(scopes.order[scopes.position[row]!]).toBe(row);
    for (let scope = scopes.of[row]!; scope >= 0; scope = scopes.parent[scope]!) {
      expect(scopes.position[row]!).toBeGreaterThanOrEqual(scopes.start[scope]!);
      expect(scopes.position[row]!).toBeLessThan(scopes.end[scope]!);
      expect(name === scopes.path[scope] || scope === 0 || name.startsWith(`${scopes.path[scope]}/`)).toBe(true);
    }
  });
}

it("makes a scope of each part of a name", () => {
  const names = ["x", "a/b/c", "a/d", "a/b/e", "f/g"];
  const scopes = buildScopes(names);
  expectSound(names, scopes);
  expect(scopes.path).toEqual(["", "a", "a/b", "f"]);
  expect(rowsIn(scopes, "a")).toEqual([1, 2, 3]);
  expect(rowsIn(scopes, "a/b")).toEqual([1, 3]);
  expect(scopes.first[scopes.path.indexOf("a")]).toBe(1);
});

it("puts a node into the scope that has its name", () => {
  const names = ["dense/MatMul/ReadVariableOp", "dense/MatMul", "dense/MatMul_1"];
  const scopes = buildScopes(names);
  expectSound(names, scopes);
  expect(rowsIn(scopes, "dense/MatMul")).toEqual([0, 1]);
});

it("orders scopes by their first node, wherever that is read", () => {
  const scopes = buildScopes(["b/x", "a/b/c", "a", "b/y"]);
  expect(scopes.first[scopes.path.indexOf("a")]).toBe(1);
  expect(scopes.first[scopes.path.indexOf("b")]).toBe(0);
});

it("takes any names", () => {
  for (const names of [
    [],
    ["", "", ""],
    ["/", "//", "/a", "a/", "a//b", "//a//"],
    ["same", "same", "same/x", "same"],
    ["__proto__/x", "constructor", "toString/valueOf"],
    [`${"a/".repeat(5000)}b`, `${"/".repeat(5000)}`],
  ]) {
    expectSound(names, buildScopes(names));
  }
});

it("takes random names", () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const next = random(seed);
    const names = Array.from({ length: 60 }, () => Array.from({ length: Math.floor(next() * 5) }, () => "ab/"[Math.floor(next() * 3)]).join(next() < 0.5 ? "/" : ""));
    expectSound(names, buildScopes(names));
  }
});

it("stays small whatever the names", () => {
  const names = Array.from({ length: 3000 }, (_, row) => Array.from({ length: 60 }, (_, part) => `${row}_${part}`).join("/"));
  const scopes = buildScopes(names);
  expect(scopes.count).toBeLessThanOrEqual(4 * 3000 + 64);
  expectSound(names.slice(0, 50), buildScopes(names.slice(0, 50)));
});
