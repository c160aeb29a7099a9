import { describe, expect, it } from "vitest";
import { IN_A, IN_B, ATTRIBUTES } from "../data/comparison";
import { makeFlat, makeGraph } from "../../dev/graph_fixtures";
import { readComparison } from "../data/comparison";
import { GraphView, MOST_BOXES } from "./graph_view";
import { HEADER } from "./measure";
import { MOST_CHILDREN } from "./partition";
import type { Scene, SceneItem } from "./scene";
import { aTable, type NodeGiven, random } from "./testing";

const view = (nodes: NodeGiven[], fold = true): GraphView => new GraphView(0, aTable(nodes), fold);
const labels = (scene: Scene): string[] => scene.items.map((item) => `${"  ".repeat(item.depth)}${item.label}`);
const named = (scene: Scene, label: string): SceneItem => {
  const item = scene.items.find((candidate) => candidate.label === label);
  if (!item) throw new Error(`no ${label} among ${labels(scene).join("; ")}`);
  return item;
};

/** Boxes lie in their parents and not on their siblings; lines go from box to box. */
function expectSound(scene: Scene): void {
  const inside = (inner: SceneItem, outer: { x: number; y: number; width: number; height: number }): boolean =>
    inner.x >= outer.x - 0.5 && inner.y >= outer.y - 0.5 && inner.x + inner.width <= outer.x + outer.width + 0.5 && inner.y + inner.height <= outer.y + outer.height + 0.5;
  const siblings = new Map<number, SceneItem[]>();
  scene.items.forEach((item, index) => {
    expect(item.parent).toBeLessThan(index);
    const parent = scene.items[item.parent];
    expect(inside(item, parent ?? { x: 0, y: 0, width: scene.width, height: scene.height })).toBe(true);
    if (parent) {
      expect(parent.open).toBe(true);
      expect(item.y).toBeGreaterThanOrEqual(parent.y + HEADER - 0.5);
      expect(item.depth).toBe(parent.depth + 1);
    }
    siblings.set(item.parent, [...(siblings.get(item.parent) ?? []), item]);
  });
  for (const [parent, list] of siblings) {
    expect(list.length).toBeLessThanOrEqual(MOST_CHILDREN);
    for (let a = 0; a < list.length; a += 1)
      for (let b = 0; b < a; b += 1) {
        const [p, q] = [list[a]!, list[b]!];
        const apart = p.x + p.width <= q.x + 0.5 || q.x + q.width <= p.x + 0.5 || p.y + p.height <= q.y + 0.5 || q.y + q.height <= p.y + 0.5;
        expect(apart, `${p.label} on ${q.label} in ${scene.items[parent]?.label ?? "the graph"}`).toBe(true);
      }
  }
  for (const line of scene.lines) {
    expect(line.points.length).toBeGreaterThanOrEqual(4);
    expect(line.points.every(Number.isFinite)).toBe(true);
    expect(line.a + line.b).toBeGreaterThan(0);
    const near = (item: SceneItem | undefined, x: number, y: number): boolean =>
      !item || (x >= item.x - 1 && x <= item.x + item.width + 1 && y >= item.y - 1 && y <= item.y + item.height + 1);
    expect(near(scene.items[line.from], line.points[0]!, line.points[1]!)).toBe(true);
    expect(near(scene.items[line.to], line.points.at(-2)!, line.points.at(-1)!)).toBe(true);
  }
}

const dense: NodeGiven[] = [
  { name: "x", op: "Placeholder" },
  { name: "dense/MatMul/ReadVariableOp", op: "ReadVariableOp" },
  { name: "dense/MatMul", op: "MatMul", inputs: ["x", "dense/MatMul/ReadVariableOp"], a: "float32 (2, 3)", b: "float32 (4, 3)" },
  { name: "dense/BiasAdd", op: "BiasAdd", inputs: ["dense/MatMul"] },
  { name: "only/one/deep/Neg", op: "Neg", inputs: ["dense/BiasAdd"] },
  { name: "Identity", op: "Identity", inputs: ["only/one/deep/Neg", "^dense/BiasAdd"] },
];

describe("the picture", () => {
  it("opens what fits, has a node of a scope's name inside it, and a chain of scopes as one", () => {
    const scene = view(dense).scene(-1);
    expectSound(scene);
    expect(labels(scene)).toEqual(["x", "dense", "  MatMul", "    ReadVariableOp", "    (MatMul)", "  BiasAdd", "only/one/deep/Neg", "Identity"]);
    expect(named(scene, "(MatMul)")).toMatchObject({ op: "MatMul", shapeA: "float32 (2, 3)", shapeB: "float32 (4, 3)", path: "dense/MatMul" });
  });

  it("leads the inputs of a scope through its border to the node that reads them", () => {
    const scene = view(dense).scene(-1);
    const box = named(scene, "dense");
    const line = scene.lines.find((candidate) => scene.items[candidate.from]?.label === "x")!;
    expect(scene.items[line.to]).toBe(box);
    expect(line.points.at(-1)).toBeCloseTo(box.y);
    const inner = scene.lines.find((candidate) => scene.items[candidate.from] === box && scene.items[candidate.to]?.label === "MatMul")!;
    expect([inner.points[0], inner.points[1]]).toEqual([line.points.at(-2), box.y]);
  });

  it("tells control edges, and edges of one graph only", () => {
    const scene = view([
      { name: "a" },
      { name: "b", inputs: ["a"] },
      { name: "c", inputs: ["^a"] },
      { name: "d", inputs: ["a"], flags: IN_B },
    ]).scene(-1);
    const lines = scene.lines.map(({ to, a, b, control }) => [scene.items[to]!.label, a, b, control]);
    expect(lines).toEqual([["b", 1, 1, false], ["c", 1, 1, true], ["d", 0, 1, false]]);
  });

  it("shows a renamed node under both names", () => {
    expect(named(view([{ name: "block_2/mul", from: "block_1/mul" }]).scene(-1), "block_2/mul")).toMatchObject({ labelA: "mul" });
  });
});

describe("opening", () => {
  it("and closing gives the same picture again", () => {
    const graph = view(dense);
    const first = graph.scene(-1);
    const box = named(first, "dense");
    graph.setOpen(box.item, false);
    const closed = graph.scene(box.item);
    expect(labels(closed)).toEqual(["x", "dense", "only/one/deep/Neg", "Identity"]);
    expect(closed.items[closed.focus]!.label).toBe("dense");
    expect(named(closed, "dense").tally.rows).toBe(3);
    graph.setOpen(box.item, true);
    expect(graph.scene(-1)).toEqual(first);
  });

  it("ignores items that are not there, or hold nothing", () => {
    const graph = view(dense);
    const before = graph.scene(-1);
    for (const item of [-1, 0, 0.5, 1e9, NaN, before.root]) graph.setOpen(item, true);
    expect(graph.scene(-1)).toEqual(before);
  });

  it("everything stops where the picture would be too large", () => {
    const graph = new GraphView(0, fixture(20_000, "shapes"), true);
    expect(graph.openAll(graph.items.root)).toBe(false);
    const scene = graph.scene(-1);
    expect(scene.items.length).toBeGreaterThan(MOST_BOXES / 2);
    expect(scene.items.length).toBeLessThanOrEqual(MOST_BOXES + MOST_CHILDREN);
    expectSound(scene);
    graph.closeAll(graph.items.root);
    expect(graph.scene(-1).items.every((item) => !item.open)).toBe(true);
  });

  it("by name finds scopes, and ignores what is no scope", () => {
    const graph = new GraphView(0, fixture(2_000, "same"), true);
    graph.closeAll(graph.items.root);
    graph.openPaths(["functional_1/block_3", "x", "nowhere/at/all", ""]);
    expect(graph.scene(-1).items.some((item) => item.open && item.path === "functional_1/block_3")).toBe(true);
  });
});

const fixture = (nodes: number, difference: "same" | "shapes" | "inserted" | "trained"): ReturnType<typeof aTable> => readComparison({ graphs: [makeGraph(nodes, difference).graph("g")] }).graphs[0]!;

describe("graphs like Keras'", () => {
  it.each(["same", "shapes", "inserted", "trained"] as const)("that differ as %s are sound, and every node can be reached", (difference) => {
    const table = fixture(3_000, difference);
    for (const fold of [true, false]) {
      const graph = new GraphView(0, table, fold);
      const first = graph.scene(-1);
      expectSound(first);
      expect(first.items.filter((item) => !item.open).reduce((sum, item) => sum + item.tally.rows, 0)).toBe(table.rows);
      for (let row = 0; row < table.rows; row += 271) {
        graph.reveal(row);
        const scene = graph.scene(row);
        expect(scene.items[scene.focus]).toMatchObject({ item: row, kind: "op", path: table.names[row] });
      }
      expectSound(graph.scene(-1));
    }
  });

  it("with a flat scope of 89,527 children open in buckets", () => {
    const table = readComparison({ graphs: [makeFlat(89_527).graph("g")] }).graphs[0]!;
    const graph = new GraphView(0, table, true);
    const adam = graph.scene(-1).items.find((item) => item.label === "adam")!;
    expect(adam.tally.rows).toBeGreaterThan(89_000);
    graph.setOpen(adam.item, true);
    const scene = graph.scene(adam.item);
    expectSound(scene);
    const buckets = scene.items.filter((item) => item.parent === scene.focus);
    expect(buckets.length).toBeLessThan(MOST_CHILDREN);
    expect(buckets.some((item) => item.label === "Sqrt" && item.kind === "alike" && item.tally.rows === 6_395)).toBe(true);
  });
});

describe("folding", () => {
  const chain = Array.from({ length: 40 }, (_, row): NodeGiven => ({ name: `n${row}`, inputs: row ? [row - 1] : [], flags: row === 20 ? IN_A | IN_B | ATTRIBUTES : 3 }));

  it("counts what it folded, and can be turned off", () => {
    const graph = view(chain);
    const folded = graph.scene(-1).items;
    expect(folded.map((item) => item.kind)).toEqual(["unchanged", "op", "op", "op", "unchanged"]);
    expect(folded.map((item) => item.tally.rows)).toEqual([19, 1, 1, 1, 18]);
    graph.setFold(false, 3);
    const scene = graph.scene(3);
    expect(scene.items).toHaveLength(40);
    expect(scene.items[scene.focus]!.label).toBe("n3");
  });

  it("keeps what was open", () => {
    const graph = view([...chain, { name: "s/a" }, { name: "s/b" }]);
    const scope = graph.items.root + graph.items.scopes.path.indexOf("s");
    graph.setFold(false, null);
    graph.setOpen(scope, true);
    graph.setFold(true, null);
    expect(graph.isOpen(scope)).toBe(true);
  });
});

describe("hostile graphs", () => {
  const every = (make: (row: number) => NodeGiven): NodeGiven[] => Array.from({ length: 500 }, (_, row) => make(row));
  it.each([
    ["a ring", every((row) => ({ name: `n${row}`, inputs: [(row + 499) % 500] }))],
    ["inputs of itself", every((row) => ({ name: `n${row}`, inputs: [row, row] }))],
    ["equal names", every((row) => ({ name: "same", inputs: [(row * 7) % 500] }))],
    ["no names", every(() => ({ name: "" }))],
    ["only slashes", every((row) => ({ name: "/".repeat(row % 40) }))],
    ["markup", every((row) => ({ name: `<img src=x onerror=alert(${row})>/</script>` }))],
    ["everything reads everything", every((row) => ({ name: `a${row % 7}/n${row}`, inputs: Array.from({ length: 30 }, (_, at) => (row * 13 + at * 17) % 500) }))],
    ["a name of a million letters", [{ name: "x".repeat(1e6) }, { name: `${"a/".repeat(5e5)}b`, inputs: [0] }]],
    ["nothing", []],
  ] as [string, NodeGiven[]][])("%s", (_, nodes) => {
    const graph = view(nodes);
    expectSound(graph.scene(-1));
    graph.openAll(graph.items.root);
    expectSound(graph.scene(-1));
    nodes.forEach((_, row) => row % 97 === 0 && graph.reveal(row));
    expectSound(graph.scene(0));
  });

  it("random names and edges", () => {
    for (let seed = 0; seed < 12; seed += 1) {
      const next = random(seed);
      const part = (): string => ["a", "b", "", "c_1", "c_2"][Math.floor(next() * 5)]!;
      const n = 1 + Math.floor(next() * 150);
      const nodes = Array.from({ length: n }, (): NodeGiven => {
        const flags = [IN_A, IN_B, 3, 3, 3, 7, 11, 15][Math.floor(next() * 8)]!;
        return { name: Array.from({ length: 1 + Math.floor(next() * 4) }, part).join("/"), op: `Op${Math.floor(next() * 4)}`, inputs: Array.from({ length: Math.floor(next() * 3) }, () => Math.floor(next() * n)), flags };
      });
      const graph = view(nodes);
      expectSound(graph.scene(-1));
      graph.openAll(graph.items.root);
      expectSound(graph.scene(-1));
      for (let row = 0; row < n; row += 7) {
        graph.reveal(row);
        const scene = graph.scene(row);
        expect(scene.items[scene.focus]?.item).toBe(row);
      }
    }
  });
});
