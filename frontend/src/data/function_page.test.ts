import { describe, expect, it } from "vitest";
import { whatIfRoute } from "./client";
import { readFunctionPage } from "./function_page";
import { fates, readWhatIf } from "./what_if";

describe("a function's page", () => {
  it("is read from an empty or damaged answer without failing", () => {
    for (const answer of [{}, null, 5, { rows: 3, leaves: "x", constant: [null], advice: [7], stale: [[]], cost: [] }]) {
      const page = readFunctionPage(answer);
      expect(page.rows).toEqual([]);
      expect(page.leaves).toEqual([]);
      expect(page.cost.lost).toBe(0);
      expect(page.problem).toBeNull();
    }
  });

  it("has a cell for each row, and none that points nowhere", () => {
    const page = readFunctionPage({
      rows: { seq: [4, 5, 9], closest_seq: [null, 4] },
      leaves: [{ path: "x", texts: ["a", "b"], cells: [0, 7], marked: [1, 99, -1, 2], was: [0, 0, 0, -1], values: [[1, 2], [9, 1]], dimensions: [{ histogram: { bars: [] } }, null] }],
    });
    expect(page.rows).toEqual([{ seq: 4, closestSeq: null }, { seq: 5, closestSeq: 4 }, { seq: 9, closestSeq: null }]);
    const [leaf] = page.leaves;
    expect([...leaf!.cells]).toEqual([0, -1, -1]);
    expect([...leaf!.marked]).toEqual([[1, "a"], [2, null]]);
    expect(leaf!.values).toEqual([{ text: "b", count: 2 }]);
    expect(leaf!.dimensions).toEqual([{ unknown: 0, histogram: null }, { unknown: 0, histogram: null }]);
  });
});

describe("a what-if", () => {
  it("is asked with every part escaped", () => {
    const route = whatIfRoute({ session: "s", seq: 3 }, { unknown: ["b['x&y'][0]", "z"], tensors: ["n=int64"], reduceRetracing: true, inputSignature: "" });
    const parameters = new URLSearchParams(route.split("?")[1]);
    expect(parameters.getAll("unknown")).toEqual(["b['x&y'][0]", "z"]);
    expect([parameters.get("tensor"), parameters.get("reduce_retracing"), parameters.has("input_signature")]).toEqual(["n=int64", "1", false]);
  });

  it("says what would become of each trace", () => {
    const fate = fates(readWhatIf({ stays: [1, 4], refused: [{ seq: 3, reason: "no" }], refused_count: 1 }));
    expect([1, 2, 3, 4].map(fate)).toEqual(["made", "served", "refused", "made"]);
    expect([1, 2].map(fates(readWhatIf({ stays: [1], refused: [], refused_count: 5 })))).toEqual(["made", "unknown"]);
    expect([1].map(fates(readWhatIf({ stays: null })))).toEqual(["unknown"]);
  });
});
