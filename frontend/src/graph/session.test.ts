import { describe, expect, it } from "vitest";
import { ATTRIBUTES, IN_A, IN_B, INPUTS, readComparison, RENAMED } from "../data/comparison";
import type { Place, Step } from "./protocol";
import { Session } from "./session";
import { ADDED, CHANGED, REMOVED, SAME } from "./status";
import { anAnswer } from "./testing";

const CHANGED_FLAGS = IN_A | IN_B | ATTRIBUTES;

const made = (): Session =>
  new Session(
    readComparison(
      anAnswer(
        [
          { name: "x", op: "Placeholder", flags: CHANGED_FLAGS },
          { name: "body/Mul", op: "Mul", inputs: ["x"] },
          { name: "body/Add", op: "AddV2", inputs: ["body/Mul", "^x"], flags: IN_B },
          { name: "cond", op: "StatelessIf", inputs: ["body/Add"], flags: IN_A | IN_B | INPUTS, calls: 1 },
          { name: "Old", op: "Neg", inputs: ["x"], flags: IN_A },
          { name: "mul_9", op: "Mul", flags: IN_A | IN_B | RENAMED, from: "legacy/mul_8" },
        ],
        [{ name: "x", op: "Placeholder" }, { name: "mul", op: "Mul", inputs: ["x"], flags: CHANGED_FLAGS }],
      ),
    ),
    true,
  );

describe("loading", () => {
  it("tells of each graph, and counts differences over all of them", () => {
    const loaded = made().loaded(0, -1, [], {});
    expect(loaded.graphs.map((graph) => [graph.name, graph.rows, graph.differing])).toEqual([["graph_0", 6, 4], ["graph_1", 2, 1]]);
    expect(loaded.differences).toBe(5);
    expect(loaded.scene).toMatchObject({ graph: 0, focus: -1 });
  });

  it("goes where the URL says, and to the first graph if that makes no sense", () => {
    expect(made().loaded(1, 1, [], {}).scene).toMatchObject({ graph: 1, focus: 1 });
    for (const graph of [-1, 2, 0.5, NaN]) expect(made().loaded(graph, 10_000, ["nowhere"], {}).scene).toMatchObject({ graph: 0, focus: -1 });
  });
});

describe("stepping through differences", () => {
  it("goes over all graphs, and round", () => {
    const session = made();
    const seen = [];
    let from: Place | null = null;
    for (let count = 0; count < 6; count += 1) {
      const step: Step = session.step(from, 1)!;
      from = step.place;
      seen.push([step.place.graph, step.place.row]);
      expect(step.scene.items[step.scene.focus]!.item).toBe(step.place.row);
    }
    expect(seen).toEqual([[0, 0], [0, 2], [0, 3], [0, 4], [1, 1], [0, 0]]);
    expect(session.step({ graph: 0, row: 0 }, -1)!.place).toEqual({ graph: 1, row: 1 });
    expect(session.step(null, -1)!.place).toEqual({ graph: 1, row: 1 });
  });

  it("begins anywhere", () => {
    expect(made().step({ graph: 0, row: 1 }, 1)!.place).toEqual({ graph: 0, row: 2 });
    expect(made().step({ graph: 0, row: 1 }, -1)!.place).toEqual({ graph: 0, row: 0 });
    expect(made().step({ graph: 0, row: 5 }, 1)!.place).toEqual({ graph: 1, row: 1 });
    expect(made().step({ graph: 7, row: 5 }, 1)!.place).toEqual({ graph: 0, row: 0 });
  });

  it("has nowhere to go in equal graphs", () => {
    expect(new Session(readComparison(anAnswer([{ name: "x" }])), true).step(null, 1)).toBeNull();
  });
});

describe("searching", () => {
  const names = (text: string, graph = 0): string[] => made().search(graph, text).hits.map((hit) => `${hit.graph}:${hit.name}`);
  it("finds by name, whatever the case", () => expect(names("BODY/m")).toEqual(["0:body/Mul"]));
  it("finds by op", () => expect(names("addv2")).toEqual(["0:body/Add"]));
  it("finds all words, the graph at hand first", () => {
    expect(names("mul")).toEqual(["0:body/Mul", "0:mul_9", "1:mul"]);
    expect(names("mul", 1)).toEqual(["1:mul", "0:body/Mul", "0:mul_9"]);
    expect(names("mul body")).toEqual(["0:body/Mul"]);
  });
  it("finds by the name in a", () => expect(names("legacy")).toEqual(["0:mul_9"]));
  it("finds nothing for nothing", () => expect(made().search(0, "  ")).toMatchObject({ total: 0, hits: [] }));
  it("says what became of what it found", () => expect(made().search(0, "x").hits.map((hit) => hit.status)).toEqual([CHANGED, SAME]));
  it("counts all and lists some", () => {
    const many = new Session(readComparison(anAnswer(Array.from({ length: 1000 }, (_, row) => ({ name: `node_${row}` })))), true);
    expect(many.search(0, "node")).toMatchObject({ total: 1000, hits: { length: 300 } });
  });
});

describe("what is told of an item", () => {
  it("of a node: which difference it is, and where its inputs are", () => {
    const about = made().about(0, 2)!;
    expect(about).toMatchObject({ row: 2, path: "body/Add", difference: 2 });
    expect(about.inputs).toEqual([{ row: 1, name: "body/Mul", flags: IN_B }, { row: 0, name: "x", flags: IN_B | 4 }]);
    expect(made().about(0, 1)!.difference).toBe(0);
    expect(made().about(1, 1)!.difference).toBe(5);
  });

  it("of a scope: its ops in a and in b, and what differs in it", () => {
    const session = made();
    const scope = session.loaded(0, -1, [], {}).scene.items.find((item) => item.kind === "scope")!;
    const about = session.about(0, scope.item)!;
    expect(about).toMatchObject({ row: -1, path: "body", tally: { rows: 2, added: 1 } });
    expect(about.ops).toEqual([{ op: "AddV2", a: 0, b: 1 }, { op: "Mul", a: 1, b: 1 }]);
    expect(about.differing.map((hit) => [hit.name, hit.status])).toEqual([["body/Add", ADDED]]);
  });

  it("of what is not there: nothing", () => {
    for (const item of [-1, 1e6, 0.5, NaN]) expect(made().about(0, item)).toBeNull();
    expect(() => made().about(9, 0)).toThrow("no such graph");
  });

  it("statuses are told apart", () => expect(made().search(0, "neg").hits[0]!.status).toBe(REMOVED));
});
