import { describe, expect, it } from "vitest";
import { readFunctionPage } from "../../data/function_page";
import { editableLeaves, toggled, withEverythingThatVaried } from "./editable";

const sizes = (low: number, high: number, distinct = low === high ? 1 : 2): object => ({ unknown: 0, histogram: { low, high, distinct, bars: [[low, high, 3]] } });
const page = readFunctionPage({
  rows: { seq: [1, 2] },
  leaves: [
    { part: "argument", path: "x", texts: ["float32 (7, 10)", "float32 (32, 10)"], dimensions: [sizes(7, 32), sizes(10, 10)] },
    { part: "argument", path: "n", texts: ["1", "2"], number: true },
    { part: "argument", path: "config", texts: ["Config #1", "Config #2"] },
    { part: "context", path: "device", texts: ["a", "b"] },
    { part: "argument", path: "u", texts: ["float32 (None,)", "float64 (None,)"], dimensions: [{ unknown: 2, histogram: null }] },
  ],
  constant: [
    { part: "argument", path: "w", text: "float32 (64, None)", shape: [64, -1] },
    { part: "argument", path: "training", text: "True" },
    { part: "capture", path: "c", text: "float32 ()", shape: [] },
    { part: "argument", path: "k", text: "3", number: true },
  ],
});

describe("what can be asked about", () => {
  const { varied, constant, fixed } = editableLeaves(page);

  it("is tensors and numbers among the arguments", () => {
    expect(varied.map(({ path, sizes, dtype, number }) => [path, sizes, dtype, number])).toEqual([
      ["x", ["7…32", "10"], "float32", false],
      ["n", null, "", true],
      ["u", ["None"], "", false],
    ]);
    expect(constant.map(({ path, sizes, number }) => [path, sizes, number])).toEqual([
      ["w", ["64", "None"], false],
      ["k", null, true],
    ]);
    expect(fixed).toBe(2);
  });

  it("can be all that varied, and nothing else", () => {
    expect(withEverythingThatVaried(varied)).toEqual({ unknown: ["x[0]"], tensors: ["n"] });
  });

  it("is put in and taken out by a click, also where all of a tensor was asked about", () => {
    const [x] = varied;
    expect(toggled([], "x[0]", x!)).toEqual(["x[0]"]);
    expect(toggled(["y[0]", "x[0]"], "x[0]", x!)).toEqual(["y[0]"]);
    expect(toggled(["x"], "x[0]", x!)).toEqual(["x[1]"]);
  });
});
