import { describe, expect, it } from "vitest";
import { aFunction, aRecompilation, aSession, aTrace } from "../../data/testing";
import { buildChart } from "./rows";

const functions = [aFunction({ name: "cheap" }), aFunction({ name: "dear" })];

describe("over time", () => {
  it("has a row per function, the costliest first, nested time counted once", () => {
    const traces = [
      aTrace({ seq: 0, function: 0, traceUs: 900, ownUs: 100 }),
      aTrace({ seq: 1, function: 1, traceUs: 500, firstCallUs: 50, nested: true }),
    ];
    const { rows } = buildChart(traces, traces, functions, [aSession()], "time");
    expect(rows.map((row) => [row.name, row.lostUs])).toEqual([["dear", 550], ["cheap", 100]]);
    expect(rows[0]!.lanes[1][0]).toMatchObject({ from: 10_000, traced: 10_500, to: 10_550 });
  });

  it("reaches to the session's last sign of life", () => {
    const session = aSession({ startedNs: "5000000000", lastNs: "65000000000" });
    const { whole } = buildChart([aTrace({ startUs: 10 })], [aTrace({ startUs: 10 })], functions, [session], "time");
    expect(whole.to).toBeCloseTo(60e6 * 1.01);
    expect(whole.from).toBeLessThanOrEqual(0);
  });

  it("covers what filters hide", () => {
    const hidden = aTrace({ seq: 1, startUs: 9e6, step: 40 });
    const shown = aTrace({ seq: 0, step: 3 });
    expect(buildChart([shown], [shown, hidden], functions, [], "time").whole.to).toBeGreaterThan(9e6);
    const { whole } = buildChart([shown], [shown, hidden], functions, [], "step");
    expect(whole.from).toBeLessThanOrEqual(3);
    expect(whole.to).toBeGreaterThanOrEqual(41);
  });

  it("is never empty", () => {
    for (const axis of ["time", "step"] as const) {
      const { whole } = buildChart([], [], functions, [], axis);
      expect(whole.to).toBeGreaterThan(whole.from);
    }
  });
});

describe("recompilations", () => {
  const traces = [aTrace({ seq: 0, function: 0, traceUs: 100, recompilationUs: 5_000 }), aTrace({ seq: 1, function: 1, traceUs: 900, verdict: "avoidable" })];
  const recompilations = [
    aRecompilation({ k: 3, startUs: 90_000, us: 10, step: 70 }),
    aRecompilation({ k: 2, startUs: 80_000, us: 20, step: null }),
    aRecompilation({ k: 2, trace: "0:9" }),
  ];

  it("lie on their function's row in the order of time, and count for its place", () => {
    const { rows, whole } = buildChart(traces, traces, functions, [], "time", recompilations);
    expect(rows.map((row) => [row.name, row.lostUs, row.avoidableUs])).toEqual([["cheap", 5_100, 0], ["dear", 900, 900]]);
    expect(rows[0]!.marks.map((mark) => [mark.recompilation.k, mark.from, mark.to])).toEqual([[2, 80_000, 80_020], [3, 90_000, 90_010]]);
    expect(rows[1]!.marks).toEqual([]);
    expect(whole.to).toBeGreaterThan(90_010);
  });

  it("lie within their step, which the axis reaches", () => {
    const { rows, whole } = buildChart(traces, traces, functions, [], "step", recompilations);
    expect(rows[0]!.marks.map((mark) => Math.floor(mark.from))).toEqual([70]);
    expect(whole.to).toBeGreaterThan(71);
  });

  it("go with their trace when a filter hides it", () => {
    const { rows } = buildChart([traces[1]!], traces, functions, [], "time", recompilations);
    expect(rows.flatMap((row) => row.marks)).toEqual([]);
  });
});

describe("over step", () => {
  it("keeps traces of one step inside it, side by side, and counts those without a step", () => {
    const traces = [aTrace({ seq: 0, step: 4 }), aTrace({ seq: 1, step: 4 }), aTrace({ seq: 2, step: 5 }), aTrace({ seq: 3, step: null })];
    const chart = buildChart(traces, traces, functions, [aSession()], "step");
    const spans = chart.rows[0]!.lanes[0];
    expect(spans.map((span) => span.from)).toEqual([4, 4.4, 5]);
    expect(spans[0]!.to).toBeLessThanOrEqual(spans[1]!.from);
    expect(spans[1]!.to).toBeLessThan(5);
    expect(chart.unplaced).toBe(1);
    expect(chart.rows[0]!.unplaced.map((trace) => trace.seq)).toEqual([3]);
    expect(chart.places.get("0:3")).toEqual({ row: 0, span: null });
    expect(chart.places.get("0:2")!.span!.from).toBe(5);
  });

  it("divides a step's width as tracing and first execution were divided", () => {
    const span = buildChart([aTrace({ step: 1, traceUs: 300, firstCallUs: 100 })], [aTrace({ step: 1, traceUs: 300, firstCallUs: 100 })], functions, [aSession()], "step").rows[0]!.lanes[0][0]!;
    expect((span.traced - span.from) / (span.to - span.from)).toBeCloseTo(0.75);
  });
});
