import { describe, expect, it } from "vitest";
import type { SceneItem } from "../../graph/scene";
import { NOTHING } from "../../graph/status";
import { nearest } from "./nearest";
import { describe as inWords, lineToneOf, marksOf, toneOf } from "./tones";

const item = (given: Partial<SceneItem>): SceneItem => ({
  item: 0, kind: "op", parent: -1, depth: 0, label: "mul", labelA: "", path: "mul", firstRow: 0, op: "Mul", shapeA: "", shapeB: "", flags: 3, tally: NOTHING, calls: -1, open: false, canOpen: false, x: 0, y: 0, width: 10, height: 10,
  ...given,
});

describe("tones", () => {
  it("tell of a node on each side", () => {
    const tones = (flags: number): string[] => [toneOf(item({ flags }), "a"), toneOf(item({ flags }), "b")];
    expect(tones(3)).toEqual(["plain", "plain"]);
    expect(tones(1)).toEqual(["removed", "ghost"]);
    expect(tones(2)).toEqual(["ghost", "added"]);
    expect(tones(3 | 4 | 8)).toEqual(["changed", "changed"]);
    expect(tones(3 | 8)).toEqual(["rewired", "rewired"]);
    expect(marksOf(3 | 4 | 8)).toEqual(["changed", "rewired"]);
  });

  it("tell of several nodes", () => {
    const tally = { ...NOTHING, rows: 5 };
    expect(toneOf(item({ kind: "scope", tally: { ...tally, added: 5 } }), "a")).toBe("ghost");
    expect(toneOf(item({ kind: "scope", tally: { ...tally, added: 5 } }), "b")).toBe("added");
    expect(toneOf(item({ kind: "scope", tally: { ...tally, added: 4 } }), "a")).toBe("group");
    expect(toneOf(item({ kind: "alike", tally: { ...tally, changed: 5 } }), "a")).toBe("changed");
    expect(toneOf(item({ kind: "unchanged", tally }), "b")).toBe("unchanged");
  });

  it("tell of lines", () => {
    const line = { from: 0, to: 1, a: 1, b: 1, control: false, points: [] };
    expect([lineToneOf(line, "a"), lineToneOf({ ...line, a: 0 }, "a"), lineToneOf({ ...line, a: 0 }, "b"), lineToneOf({ ...line, b: 0 }, "a"), lineToneOf({ ...line, control: true }, "b")]).toEqual(["plain", "ghost", "added", "removed", "control"]);
  });

  it("are said in words, too", () => {
    expect(inWords(item({ flags: 3 | 4 | 8 }))).toBe("Mul, changed, rewired");
    expect(inWords(item({ kind: "scope", tally: { ...NOTHING, rows: 5, added: 1, changed: 2 } }))).toBe("1 added, 2 changed");
    expect(inWords(item({ kind: "scope", tally: { ...NOTHING, rows: 5 } }))).toBe("unchanged");
  });
});

it("goes to the nearest box in a direction", () => {
  const at = (label: string, x: number, y: number): SceneItem => item({ label, x, y });
  const [middle, right, far, below] = [at("middle", 0, 0), at("right", 40, 5), at("far", 90, 0), at("below", 5, 60)];
  const scene = { graph: 0, root: 9, items: [middle, right, far, below], lines: [], width: 100, height: 100, folds: true, focus: -1 };
  const camera = { x: 0, y: 0, scale: 1 };
  const pane = { width: 100, height: 100 };
  expect(nearest(scene, middle, [1, 0], camera, pane)?.label).toBe("right");
  expect(nearest(scene, middle, [0, 1], camera, pane)?.label).toBe("below");
  expect(nearest(scene, middle, [-1, 0], camera, pane)).toBeNull();
  expect(nearest(scene, null, [0, 1], camera, pane)?.label).toBe("right");
});
