import { describe, expect, it } from "vitest";
import { aTable, anAnswer } from "../graph/testing";
import { ATTRIBUTES, ComparisonError, CONTROL, IN_A, IN_B, INPUTS, MAX_ROWS, nodeOfInput, readComparison, readNodeDetail, RENAMED } from "./comparison";

const graph = (columns: Record<string, unknown>): ReturnType<typeof readComparison> => readComparison({ graphs: [columns] });

describe("a comparison", () => {
  it("is read as it was given", () => {
    const table = aTable([
      { name: "x", op: "Placeholder", a: "float32 (2,)", b: "float32 (3,)", flags: IN_A | IN_B | ATTRIBUTES },
      { name: "y", op: "Neg", inputs: ["x", "^x"], flags: IN_A | IN_B | INPUTS | RENAMED, from: "z", calls: 0 },
    ]);
    expect(table.rows).toBe(2);
    expect(table.names).toEqual(["x", "y"]);
    expect([...table.op].map((op) => table.opNames[op])).toEqual(["Placeholder", "Neg"]);
    expect([...table.flags]).toEqual([7, 27]);
    expect(table.texts[table.shapeA[0]!]).toBe("float32 (2,)");
    expect(table.texts[table.shapeB[0]!]).toBe("float32 (3,)");
    expect([table.shapeA[1], table.shapeB[1]]).toEqual([-1, -1]);
    expect([...table.inputStart]).toEqual([0, 0, 2]);
    expect([...table.inputNode]).toEqual([0, 0]);
    expect([...table.inputFlags]).toEqual([3, 3 | CONTROL]);
    expect(table.renamedFrom.get(1)).toBe("z");
    expect([...table.calls]).toEqual([-1, 0]);
  });

  it("keeps what was left out of it readable", () => {
    const { overview } = readComparison({ ...anAnswer([{ name: "x" }]), notices: ["one", 2, ""], details: null, counts: { changed: 3, same: "x" }, a: { omitted: ["a constant"] } });
    expect(overview.notices).toEqual(["one"]);
    expect(overview.details).toEqual([]);
    expect(overview.counts).toEqual({ same: 0, changed: 3, rewired: 0, added: 0, removed: 0, renamed: 0 });
    expect(overview.a.omitted).toEqual(["a constant"]);
  });
});

describe("a broken comparison", () => {
  it("without graphs is refused", () => {
    for (const answer of [null, 7, "text", [], {}, { graphs: [] }, { graphs: "none" }]) expect(() => readComparison(answer)).toThrow(ComparisonError);
  });

  it("with more rows than can be shown is refused, and says how many", () => {
    const names = { length: 0 } as unknown as string[];
    expect(() => graph({ names })).not.toThrow();
    expect(() => graph({ names: new Array(MAX_ROWS + 1) })).toThrow("2,000,001 nodes");
  });

  it("has defaults for missing, short and senseless columns, and says so", () => {
    const { graphs, overview } = graph({ names: ["a", null, "c"], op_names: ["Op"], op: [0, 5, "x"], flags: [3, 0, "y"], shape_a: [-7], calls: [1, 0.5, 0] });
    const table = graphs[0]!;
    expect(table.names).toEqual(["a", "", "c"]);
    expect([...table.op]).toEqual([0, -1, -1]);
    expect([...table.flags]).toEqual([3, 3, 3]);
    expect([...table.shapeA]).toEqual([-1, -1, -1]);
    expect([...table.calls]).toEqual([-1, -1, 0]);
    expect(overview.notices).toEqual(["2 nodes are incomplete in the answer; what is missing is shown as not known."]);
  });

  it("keeps no input that names no node, and reads none twice", () => {
    const columns = { names: ["a", "b", "c"], flags: [3, 3, 3], input_node: [0, 9, -1, 1.5, 1], input_flags: [3, 3, 3, 3, 0] };
    const { graphs, overview } = graph({ ...columns, input_start: [0, 2, 4, 5] });
    expect([...graphs[0]!.inputStart]).toEqual([0, 1, 1, 2]);
    expect([...graphs[0]!.inputNode]).toEqual([0, 1]);
    expect([...graphs[0]!.inputFlags]).toEqual([3, 3]);
    expect(overview.notices[0]).toContain("3 inputs name no node");
    for (const starts of [[0, 5, 0, 5], [5, 4, 3, 2], [0, 99, 1, 2], "no", [], [0, 5, 5, 5, 5, 5]]) {
      const table = graph({ ...columns, input_start: starts }).graphs[0]!;
      expect(table.inputNode.length).toBeLessThanOrEqual(2);
      expect(table.inputStart[3]).toBe(table.inputNode.length);
      for (let row = 0; row < 3; row += 1) expect(table.inputStart[row]!).toBeLessThanOrEqual(table.inputStart[row + 1]!);
    }
  });

  it("is not misled by names that objects have anyway", () => {
    const table = aTable([{ name: "__proto__" }, { name: "constructor/toString", inputs: ["__proto__"] }]);
    expect(table.names).toEqual(["__proto__", "constructor/toString"]);
    expect([...table.inputNode]).toEqual([0]);
  });
});

describe("a node", () => {
  it("is read, and is empty where it makes no sense", () => {
    const detail = readNodeDetail({
      name_a: null,
      name_b: "y",
      op_b: "Neg",
      attributes: [{ key: "T", a: null, b: "float32", changed: true }, 5],
      inputs: [{ a: "x", b: "y", changed: true }],
      consumers: [{ name: "z", node: 4 }, { name: "q" }],
      consumers_left_out: 3,
    });
    expect(detail.nameA).toBeNull();
    expect(detail.attributes).toEqual([
      { key: "T", a: null, b: "float32", changed: true },
      { key: "?", a: null, b: null, changed: false },
    ]);
    expect(detail.consumers.map((consumer) => consumer.node)).toEqual([4, -1]);
    expect(detail.consumersLeftOut).toBe(3);
    expect(readNodeDetail(null)).toMatchObject({ nameA: null, attributes: [], inputs: [], consumers: [], consumersLeftOut: 0 });
  });
});

it("knows the node that an input names", () => {
  expect(["x", "x:1", "^x", "a/b:output:0", "^a:b/c"].map(nodeOfInput)).toEqual(["x", "x", "x", "a/b", "a:b/c"]);
});
