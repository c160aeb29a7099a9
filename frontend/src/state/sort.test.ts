import { expect, it } from "vitest";
import { aFunction, aSession, aTrace } from "../data/testing";
import { isSortKey, costUs, sortTraces, totalUs } from "./sort";

const data = { functions: [aFunction({ name: "beta" }), aFunction({ name: "Alpha" })], sessions: [aSession({ startedNs: "2000000000" }), aSession({ startedNs: "1000000000" })] };
const keys = (traces: ReturnType<typeof sortTraces>): string[] => traces.map((trace) => trace.key);

it("sorts by wall time over sessions that started at different times", () => {
  const traces = [aTrace({ seq: 0, startUs: 10 }), aTrace({ session: 1, seq: 0, startUs: 999_999 }), aTrace({ session: 1, seq: 1, startUs: 1_000_011 })];
  expect(keys(sortTraces(traces, data, { key: "time", descending: false }))).toEqual(["1:0", "0:0", "1:1"]);
  expect(keys(sortTraces(traces, data, { key: "time", descending: true }))).toEqual(["1:1", "0:0", "1:0"]);
});

it("puts what is not known last in both directions", () => {
  const traces = [aTrace({ seq: 0, step: null }), aTrace({ seq: 1, step: 5 }), aTrace({ seq: 2, step: 7 })];
  expect(keys(sortTraces(traces, data, { key: "step", descending: false }))).toEqual(["0:1", "0:2", "0:0"]);
  expect(keys(sortTraces(traces, data, { key: "step", descending: true }))).toEqual(["0:2", "0:1", "0:0"]);
});

it("keeps equal ones in the order of time", () => {
  const traces = [aTrace({ seq: 3, startUs: 30 }), aTrace({ seq: 1, startUs: 10 }), aTrace({ seq: 2, startUs: 20, function: 1 })];
  expect(keys(sortTraces(traces, data, { key: "function", descending: true }))).toEqual(["0:1", "0:3", "0:2"]);
});

it("puts the avoidable first", () => {
  const traces = ["needed", "unknown", "avoidable", "bounded"].map((verdict, seq) => aTrace({ seq, verdict }));
  expect(sortTraces(traces, data, { key: "verdict", descending: false }).map((trace) => trace.verdict)).toEqual(["avoidable", "bounded", "unknown", "needed"]);
});

it("puts the costliest of a verdict first, in both directions", () => {
  const traces = ["needed", "avoidable", "needed", "avoidable"].map((verdict, seq) => aTrace({ seq, verdict, traceUs: 10 + seq, firstCallUs: null }));
  expect(keys(sortTraces(traces, data, { key: "verdict", descending: false }))).toEqual(["0:3", "0:1", "0:2", "0:0"]);
  expect(keys(sortTraces(traces, data, { key: "verdict", descending: true }))).toEqual(["0:2", "0:0", "0:3", "0:1"]);
});

it("totals with nested traces, and sums without them", () => {
  const trace = aTrace({ traceUs: 100, ownUs: 60, firstCallUs: 7 });
  expect(totalUs(trace)).toBe(107);
  expect(costUs(trace)).toBe(67);
  expect(totalUs(aTrace({ traceUs: 100, firstCallUs: null }))).toBe(100);
});

it("knows its own keys only", () => {
  expect(isSortKey("total")).toBe(true);
  expect(isSortKey("toString")).toBe(false);
});
