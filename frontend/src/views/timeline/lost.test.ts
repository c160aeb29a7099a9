import { expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { lostBy } from "./lost";

it("counts as the verdict does: retraces with all in them, once, and recompilations", () => {
  const first = aTrace({ seq: 1, kind: "first", traceUs: 900, firstCallUs: 90, recompilationUs: 7 });
  const outer = aTrace({ seq: 2, kind: "recreated", traceUs: 500, ownUs: 100, firstCallUs: 50, lookupUs: 2 });
  const between = aTrace({ seq: 3, kind: "first", traceUs: 400, ownUs: 100, parentSeq: 2, nested: true });
  const inner = aTrace({ seq: 4, kind: "retrace", traceUs: 300, firstCallUs: 5, parentSeq: 3, nested: true });
  const inFirst = aTrace({ seq: 5, kind: "retrace", traceUs: 30, parentSeq: 1, nested: true });
  const all = [first, outer, between, inner, inFirst];
  expect(all.map(lostBy(all))).toEqual([7, 552, 0, 5, 30]);
});

it("ends in a damaged recording's loop", () => {
  const loop = [aTrace({ seq: 1, parentSeq: 2 }), aTrace({ seq: 2, kind: "first", parentSeq: 1 })];
  expect(loop.map(lostBy(loop))).toEqual([1000, 0]);
});
