import { describe, expect, it } from "vitest";
import { readFunctionPage } from "../../data/function_page";
import { aTrace } from "../../data/testing";
import { orderRows, type PageRow } from "../../state/page_rows";
import { columnsInView, leftEdges, otherColumns } from "./table_columns";

const row = (index: number, step: number | null, traceUs: number): PageRow => ({ index, seq: index + 1, closestSeq: null, trace: aTrace({ seq: index + 1, step, traceUs, firstCallUs: null }) });

describe("the table of a function's traces", () => {
  it("draws the columns in view alone", () => {
    const edges = leftEdges([{ width: 100 }, { width: 50 }, { width: 200 }]);
    expect(edges).toEqual([0, 100, 150, 350]);
    expect(columnsInView(edges, 0, 90)).toEqual([0, 1]);
    expect(columnsInView(edges, 100, 151)).toEqual([1, 3]);
    expect(columnsInView(edges, 340, 900)).toEqual([2, 3]);
    expect(columnsInView(leftEdges([]), 0, 100)).toEqual([0, 0]);
    expect(columnsInView(edges, 5000, 6000)[1]).toBeLessThanOrEqual(3);
  });

  it("is in order, what is not known last in both directions", () => {
    const rows = [row(0, 5, 30), row(1, null, 10), row(2, 2, 20), { index: 3, seq: 4, closestSeq: null, trace: null }];
    const seqs = (...order: Parameters<typeof orderRows>): number[] => orderRows(...order).map(({ seq }) => seq);
    expect(seqs(rows, "n", true)).toEqual([4, 3, 2, 1]);
    expect(seqs(rows, "step", false)).toEqual([3, 1, 2, 4]);
    expect(seqs(rows, "step", true)).toEqual([1, 3, 2, 4]);
    expect(seqs(rows, "total", true)).toEqual([1, 3, 2, 4]);
  });

  it("says what the closest earlier trace had where a cell differs", () => {
    const page = readFunctionPage({ rows: { seq: [1, 2] }, leaves: [{ path: "x", texts: ["(1)", "(2)"], cells: [0, 1], marked: [1], was: [0] }, { path: "y", texts: ["a"], cells: [-1, 0], marked: [1], was: [-1] }] });
    const hints = otherColumns(page).filter((column) => column.leaf).map((column) => [row(0, 1, 1), row(1, 1, 1)].map((one) => column.hint!(one)));
    expect(hints).toEqual([
      ["(1)", "(2)\nthe closest earlier trace: (1)"],
      ["not there", "a\nthe closest earlier trace: not there"],
    ]);
    expect(otherColumns(page).some((column) => column.key === "object")).toBe(false);
    expect(otherColumns({ ...page, objects: 2 }).some((column) => column.key === "object")).toBe(true);
  });
});
