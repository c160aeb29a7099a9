import { describe, expect, it } from "vitest";
import type { Session } from "../data/digest";
import { aSession } from "../data/testing";
import { defaultPair, sameSide, sidesOf } from "./sides";

let next = 0;
function session(id: string, run: string, given: Partial<Session> = {}): Session {
  next += 1;
  return aSession({ id, run, startedNs: `${1_700_000_000_000_000_000n + BigInt(next) * 1_000_000_000n}`, ...given });
}

describe("sides", () => {
  it("are recordings, in the order of their starts", () => {
    const sides = sidesOf([session("b", "before/retrace"), session("a", "after/retrace"), session("z", "old/retrace", { startedNs: "5" })]);
    expect(sides.map((side) => [side.name, side.ids])).toEqual([
      ["old", ["z"]],
      ["before", ["b"]],
      ["after", ["a"]],
    ]);
  });

  it("take a launch's workers together, and the next launch's apart", () => {
    const workers = [1, 0].map((worker) => session(`one-${worker}`, `fit/retrace/worker${worker}`, { worker }));
    const again = [0, 1].map((worker) => session(`two-${worker}`, `fit/retrace/worker${worker}`, { worker }));
    const sides = sidesOf([...again, ...workers, session("w", "else/retrace/worker3", { worker: 3 })]);
    expect(sides.map((side) => side.ids)).toEqual([["one-0", "one-1"], ["two-0", "two-1"], ["w"]]);
    expect(sides[0]!.name).toMatch(/^fit · 2 workers · 2023-11-1\d /);
    expect(sides[2]!.name).toBe("else · worker 3");
  });

  it("of one name are told apart by their starts", () => {
    const names = sidesOf([session("a", "retrace", { program: "train.py" }), session("b", "retrace", { program: "train.py" })]).map((side) => side.name);
    expect(names[0]).toMatch(/^train\.py · 2023-11-1\d /);
    expect(new Set(names).size).toBe(2);
  });
});

describe("the pair to begin with", () => {
  const sides = sidesOf([session("a1", "a/retrace"), session("b1", "b/retrace"), session("c1", "c/retrace"), session("c2", "c/retrace")]);
  const ids = (picked: string | null, of = sides): string[] | undefined => defaultPair(of, picked)?.map((side) => side.ids[0]!);

  it("is the two latest of different runs, the older one first", () => {
    expect(ids(null)).toEqual(["b1", "c2"]);
    expect(ids("nowhere")).toEqual(["b1", "c2"]);
  });

  it("has the picked one in it", () => {
    expect(ids("c1")).toEqual(["b1", "c1"]);
    expect(ids("a1")).toEqual(["a1", "c2"]);
  });

  it("is of one program where that can be", () => {
    const [old, fixed, others] = [session("old", "old/retrace", { program: "/a/train.py" }), session("fixed", "fixed/retrace", { program: "/b/train.py" }), session("x", "x/retrace", { program: "/a/x.py" })];
    expect(ids("fixed", sidesOf([old, fixed, others]))).toEqual(["old", "fixed"]);
    expect(ids(null, sidesOf([old, fixed, others]))).toEqual(["fixed", "x"]);
  });

  it("is of one run where there is no other", () => {
    expect(ids(null, sides.slice(2))).toEqual(["c1", "c2"]);
  });

  it("needs two", () => {
    expect(ids(null, sides.slice(3))).toBeUndefined();
    expect(ids(null, [])).toBeUndefined();
  });

  it("knows a side whatever the order of its sessions", () => {
    expect(sameSide(["a", "b"], ["b", "a"])).toBe(true);
    expect(sameSide(["a"], ["b", "a"])).toBe(false);
  });
});
