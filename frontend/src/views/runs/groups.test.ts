import { describe, expect, it } from "vitest";
import { type FunctionPair, readRunsComparison } from "../../data/compare_runs";
import { barWidth } from "./bars";
import { barValue, causesOf, groupsOf } from "./groups";

function pair(given: Record<string, unknown>): FunctionPair {
  const [found] = readRunsComparison({ functions: [{ name: "f", a: {}, b: {}, change: "same", ...given }] }).functions;
  return found!;
}

describe("functions of two recordings", () => {
  it("are grouped by what became of them, in the server's order within", () => {
    const pairs = [
      pair({ name: "s1" }),
      pair({ name: "b1", change: "better" }),
      pair({ name: "w", change: "worse", causes_new: ["shape"] }),
      pair({ name: "g", b: null }),
      pair({ name: "o", causes_gone: ["shape"] }),
      pair({ name: "n", a: null, causes_new: ["shape"] }),
      pair({ name: "b2", change: "better" }),
    ];
    expect(groupsOf(pairs).map((group) => [group.key, group.pairs.map(({ name }) => name).join(" ")])).toEqual([
      ["worse", "w"],
      ["better", "b1 b2"],
      ["other", "o"],
      ["new", "n"],
      ["gone", "g"],
      ["same", "s1"],
    ]);
    expect(groupsOf([])).toEqual([]);
  });

  it("say which causes came and which went", () => {
    const both = pair({ a: { causes: { dtype: 2, shape: 5 } }, b: { causes: { shape: 1, alien: 1, rank: 3 } }, causes_gone: ["dtype"], causes_new: ["alien", "rank"] });
    expect(causesOf(both)).toEqual([
      { cause: "rank", a: 0, b: 3, fate: "new" },
      { cause: "alien", a: 0, b: 1, fate: "new" },
      { cause: "dtype", a: 2, b: 0, fate: "gone" },
      { cause: "shape", a: 5, b: 1, fate: "both" },
    ]);
    expect(causesOf(pair({ a: null, b: { causes: { shape: 1 } }, causes_new: ["shape"] }))).toEqual([{ cause: "shape", a: 0, b: 1, fate: "both" }]);
  });

  it("have bars that show what change is judged by, and never nothing for something", () => {
    const { a } = pair({ a: { traces: 3, failed_traces: 1, recompilations: 2, seconds_lost: 0.5 } });
    expect([barValue(a, "traces"), barValue(a, "seconds"), barValue(null, "traces")]).toEqual([6, 0.5, null]);
    expect([barWidth(5, 20), barWidth(0, 20), barWidth(null, 20), barWidth(1, 0)]).toEqual(["max(2px, 25.00%)", "0", "0", "0"]);
    expect(barWidth(1, 1e9)).toContain("max(2px");
  });
});
