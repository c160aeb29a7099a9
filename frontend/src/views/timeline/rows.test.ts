import { describe, expect, it } from "vitest";
import { aFunction, aRecompilation, aSession, aTrace } from "../../data/testing";
import { buildChart, HEADING_HEIGHT, laneBounds, LANE_HEIGHT, placeInside, placeOf, ROW_HEIGHT, rowAt } from "./rows";

const functions = [aFunction({ name: "cheap" }), aFunction({ name: "dear" })];

describe("over time", () => {
  it("has a row per function, the costliest first, nested time counted once", () => {
    const traces = [
      aTrace({ seq: 0, function: 0, kind: "first", traceUs: 900, ownUs: 100 }),
      aTrace({ seq: 1, function: 1, traceUs: 500, firstCallUs: 50, nested: true }),
    ];
    const { rows } = buildChart(traces, traces, functions, [aSession()], "time");
    expect(rows.map((row) => [row.name, row.lostUs, row.costUs])).toEqual([["dear", 550, 550], ["cheap", 0, 100]]);
    expect(rows[0]!.lanes[1]!.spans[0]).toMatchObject({ from: 10_000, traced: 10_500, to: 10_550 });
  });

  it("reaches to the session's last sign of life", () => {
    const session = aSession({ startedNs: "5000000000", lastNs: "65000000000" });
    const { whole } = buildChart([aTrace({ startUs: 10 })], [aTrace({ startUs: 10 })], functions, [session], "time");
    expect(whole.to).toBeCloseTo(60e6 * 1.01);
    expect(whole.from).toBeLessThanOrEqual(0);
  });

  it("knows where the traces are, when that is a small part of a long training", () => {
    const session = aSession({ startedNs: "0", lastNs: "3600000000000" });
    const traces = [aTrace({ seq: 0, startUs: 2e6, traceUs: 1e6 }), aTrace({ seq: 1, startUs: 8e6, traceUs: 1e6, firstCallUs: 1e6 })];
    const { traced, whole } = buildChart(traces.slice(0, 1), traces, functions, [session], "time");
    expect(traced.from).toBeCloseTo(2e6 - 0.08e6);
    expect(traced.to).toBeCloseTo(10e6 + 0.08e6);
    expect(whole.to).toBeGreaterThan(3600e6);
    for (const [start, axis] of [[2000e6, "time"], [8e6, "step"]] as const) {
      const spread = [traces[0]!, { ...traces[1]!, startUs: start }];
      const chart = buildChart(spread, spread, functions, [session], axis);
      expect(chart.traced).toBe(chart.whole);
    }
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
  const traces = [aTrace({ seq: 0, function: 0, kind: "first", traceUs: 100, recompilationUs: 5_000 }), aTrace({ seq: 1, function: 1, traceUs: 900, verdict: "avoidable" })];
  const recompilations = [
    aRecompilation({ k: 3, startUs: 90_000, us: 10, step: 70 }),
    aRecompilation({ k: 2, startUs: 80_000, us: 20, step: null }),
    aRecompilation({ k: 2, trace: "0:9" }),
  ];

  it("lie on their function's row in the order of time, and count for its place", () => {
    const { rows, whole } = buildChart(traces, traces, functions, [], "time", recompilations);
    expect(rows.map((row) => [row.name, row.lostUs, row.avoidableUs])).toEqual([["cheap", 5_000, 0], ["dear", 900, 900]]);
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
    const { spans } = chart.rows[0]!.lanes[0]!;
    expect(spans.map((span) => span.from)).toEqual([4, 4.4, 5]);
    expect(spans[0]!.to).toBeLessThanOrEqual(spans[1]!.from);
    expect(spans[1]!.to).toBeLessThan(5);
    expect(chart.unplaced).toBe(1);
    expect(chart.rows[0]!.unplaced.map((trace) => trace.seq)).toEqual([3]);
    expect(placeOf(chart, traces[3]!)).toEqual({ row: 0, lane: 0, span: null });
    expect(placeOf(chart, traces[2]!)!.span!.from).toBe(5);
  });

  it("divides a step's width as tracing and first execution were divided", () => {
    const span = buildChart([aTrace({ step: 1, traceUs: 300, firstCallUs: 100 })], [aTrace({ step: 1, traceUs: 300, firstCallUs: 100 })], functions, [aSession()], "step").rows[0]!.lanes[0]!.spans[0]!;
    expect((span.traced - span.from) / (span.to - span.from)).toBeCloseTo(0.75);
  });
});

describe("nested traces", () => {
  const traces = [
    aTrace({ seq: 1, function: 0, startUs: 0, traceUs: 1000 }),
    aTrace({ seq: 2, function: 1, startUs: 100, traceUs: 500, nested: true, parentSeq: 1 }),
    aTrace({ seq: 3, function: 2, startUs: 200, traceUs: 100, nested: true, parentSeq: 2 }),
    aTrace({ seq: 4, function: 1, startUs: 5000, traceUs: 100 }),
  ];
  const three = [aFunction({ name: "outer" }), aFunction({ name: "middle" }), aFunction({ name: "inner" })];
  const chart = buildChart(traces, traces, three, [aSession()], "time");
  const seqs = (name: string): number[][] => chart.rows.find((row) => row.name === name)!.lanes.map((lane) => lane.spans.map((span) => span.trace.seq));

  it("are stacked on the row of the outermost, by depth, and are on their own function's row, too", () => {
    expect(seqs("outer")).toEqual([[1], [2], [3]]);
    expect(seqs("middle")).toEqual([[4], [2]]);
    expect(seqs("inner")).toEqual([[], [3]]);
    const outer = chart.rows.find((row) => row.name === "outer")!;
    expect(outer.height).toBe(ROW_HEIGHT + LANE_HEIGHT);
    const [top, tall] = laneBounds(outer, 2);
    expect(top + tall).toBeLessThan(outer.height);
  });

  it("count once, on their own row", () => {
    expect(chart.rows.flatMap((row) => row.traces).length).toBe(4);
  });

  it("are found in both places", () => {
    expect(chart.rows[placeOf(chart, traces[2]!)!.row]!.name).toBe("inner");
    const inside = placeInside(chart, traces[2]!)!;
    expect([chart.rows[inside.row]!.name, inside.lane]).toEqual(["outer", 2]);
    expect(placeInside(chart, traces[0]!)).toBeNull();
    expect(placeOf(chart, aTrace({ seq: 99 }))).toBeNull();
  });

  it("stay on their own row when a filter hides what they happened in", () => {
    const alone = buildChart([traces[1]!], traces, three, [aSession()], "time");
    expect(alone.rows.map((row) => [row.name, row.lanes.map((lane) => lane.spans.length)])).toEqual([["middle", [0, 1]]]);
  });
});

describe("several sessions", () => {
  const traces = [
    aTrace({ session: 0, seq: 1, function: 0, ownUs: 50 }),
    aTrace({ session: 1, seq: 1, function: 1, ownUs: 90 }),
    aTrace({ session: 0, seq: 2, function: 2, ownUs: 60 }),
    aTrace({ session: 1, seq: 2, function: 3, ownUs: 10 }),
  ];
  const names = ["a", "b", "c", "d"].map((name) => aFunction({ name }));
  const chart = buildChart(traces, traces, names, [aSession(), aSession()], "time");

  it("have their rows together, the costliest session first, each by time lost", () => {
    expect(chart.rows.map((row) => [row.name, row.heads])).toEqual([["c", true], ["a", false], ["b", true], ["d", false]]);
    expect(chart.sessions).toEqual([0, 1]);
  });

  it("have a heading each, and every height belongs to one row", () => {
    expect(chart.height).toBe(4 * ROW_HEIGHT + 2 * HEADING_HEIGHT);
    expect(chart.rows.map((row) => rowAt(chart, row.top))).toEqual([0, 1, 2, 3]);
    expect(chart.rows.map((row) => rowAt(chart, row.body + row.height - 1))).toEqual([0, 1, 2, 3]);
    expect([rowAt(chart, -1), rowAt(chart, chart.height)]).toEqual([-1, -1]);
  });
});
