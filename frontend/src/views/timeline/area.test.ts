import { expect, it } from "vitest";
import { aFunction, aRecompilation, aSession, aTrace } from "../../data/testing";
import { sumArea } from "./area";
import { buildChart } from "./rows";

const traces = [
  aTrace({ seq: 1, function: 0, kind: "first", cause: null, startUs: 0, traceUs: 100, ownUs: 100, step: 1 }),
  aTrace({ seq: 2, function: 0, cause: "shape", startUs: 1000, traceUs: 300, ownUs: 200, firstCallUs: 50, lookupUs: 30, step: 7, verdict: "avoidable", memoryBefore: 10, memoryAfter: 25, recompilationUs: 400, recompilations: 1 }),
  aTrace({ seq: 3, function: 1, cause: "dtype", startUs: 1100, traceUs: 100, ownUs: 100, nested: true, parentSeq: 2, step: 7, memoryBefore: 12, memoryAfter: 20 }),
  aTrace({ seq: 4, function: 1, cause: "shape", startUs: 1500, traceUs: 10, ownUs: 10, failed: true, step: null }),
  aTrace({ seq: 5, function: 1, cause: "shape", startUs: 2000, traceUs: 10, ownUs: 10, step: 9 }),
];
const recompilations = [aRecompilation({ trace: "0:2", k: 2, startUs: 1900, us: 400 }), aRecompilation({ trace: "0:2", k: 3, startUs: 9000, us: 1 })];
const chart = buildChart(traces, traces, [aFunction(), aFunction()], [aSession()], "time", recompilations);

it("adds up what begins in the area, each trace once although nested ones are on two rows", () => {
  expect(sumArea(chart, { from: 1000, to: 2000 })).toEqual({
    traces: 3, retraces: 2, failed: 1, functions: 2, tracingUs: 310, firstUs: 50, lookupUs: 30, recompilationUs: 400, recompilations: 1, avoidableUs: 280,
    causes: [{ cause: "shape", traces: 2, us: 290 }, { cause: "dtype", traces: 1, us: 100 }],
    growth: { kib: 15, traces: 1 },
    steps: { from: 7, to: 7 },
  });
});

it("counts a nested trace's growth where its outer one is not in the area", () => {
  expect(sumArea(chart, { from: 1050, to: 1200 }).growth).toEqual({ kib: 8, traces: 1 });
});

it("is nothing where nothing is", () => {
  const sum = sumArea(chart, { from: 3000, to: 4000 });
  expect([sum.traces, sum.functions, sum.steps, sum.causes]).toEqual([0, 0, null, []]);
});
