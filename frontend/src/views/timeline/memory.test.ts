import { expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { BLOCK, extremes, growthIn, memoryCurves, memoryRange } from "./memory";
import { grownText } from "./words";

const traces = [
  aTrace({ seq: 3, startUs: 300, traceUs: 10, step: 3, memoryBefore: 1500, memoryAfter: 1400 }),
  aTrace({ seq: 1, startUs: 100, traceUs: 50, step: 1, memoryBefore: 1000, memoryAfter: 1300 }),
  aTrace({ seq: 2, startUs: 110, traceUs: 10, step: 1, memoryBefore: 1000, memoryAfter: 1200, nested: true, parentSeq: 1 }),
  aTrace({ seq: 4, startUs: 400, traceUs: 10, step: null, memoryBefore: 1400, memoryAfter: 1400 }),
  aTrace({ seq: 5, startUs: 500, traceUs: 10, step: 5, memoryBefore: null, memoryAfter: 9000 }),
];

it("has two readings for each outer trace that was measured, in the order of time", () => {
  const [curve] = memoryCurves(traces, "time");
  expect([...curve!.at]).toEqual([100, 150, 300, 310, 400, 410]);
  expect([...curve!.kib]).toEqual([1000, 1300, 1500, 1400, 1400, 1400]);
  expect(curve!.traces.map((trace) => trace.seq)).toEqual([1, 3, 4]);
  expect(memoryRange([curve!], { from: 0, to: 1000 })).toEqual({ least: 1000, most: 1500 });
  expect(memoryRange([curve!], { from: 320, to: 390 })).toEqual({ least: 1400, most: 1400 }); // the readings around it
});

it("keeps sessions apart, and over steps leaves out what has none", () => {
  const other = aTrace({ session: 1, seq: 1, step: 1, memoryBefore: 1, memoryAfter: 2 });
  expect(memoryCurves([...traces, other], "step").map(({ session, traces: held }) => [session, held.length])).toEqual([[0, 2], [1, 1]]);
  expect(memoryRange(memoryCurves([aTrace()], "time"), { from: 0, to: 1 })).toBeNull();
});

it("never goes back on the axis, whatever threads do", () => {
  const overlapping = [aTrace({ seq: 1, startUs: 0, traceUs: 100, memoryBefore: 1, memoryAfter: 2 }), aTrace({ seq: 2, startUs: 50, traceUs: 10, memoryBefore: 1, memoryAfter: 2 })];
  expect([...memoryCurves(overlapping, "time")[0]!.at]).toEqual([0, 100, 100, 100]);
});

it("counts the growth of nested traces once, and a fall as one", () => {
  expect(growthIn(traces, (trace) => trace.parentSeq !== null)).toEqual({ kib: 200, traces: 3 });
  expect(growthIn([traces[2]!], () => false)).toEqual({ kib: 200, traces: 1 });
});

it("says what was measured", () => {
  expect(grownText({ kib: 412 * 1024, traces: 300 })).toBe("+412 MiB in 300 traces, 1.37 MiB each");
  expect(grownText({ kib: -2048, traces: 1 })).toBe("−2.00 MiB in 1 trace");
  expect(grownText({ kib: 0, traces: 2 })).toBe("unchanged in 2 traces, 0 B each");
});

it("finds extremes over many readings as over each of them", () => {
  const long = Array.from({ length: 5 * BLOCK }, (_, seq) => aTrace({ seq, startUs: seq * 10, traceUs: 5, memoryBefore: (seq * 7919) % 1009, memoryAfter: (seq * 104_729) % 997 }));
  const [curve] = memoryCurves(long, "time");
  for (const [start, end] of [[0, curve!.kib.length], [1, 2], [BLOCK - 1, 3 * BLOCK + 1], [BLOCK, 2 * BLOCK]] as const) {
    const given = [...curve!.kib.slice(start, end)];
    expect(extremes(curve!, start, end)).toEqual([Math.min(...given), Math.max(...given)]);
  }
  const [low, high] = extremes(curve!, 3, 3);
  expect(low).toBeGreaterThan(high);
});
