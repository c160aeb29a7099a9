import { expect, it } from "vitest";
import { aFunction, aSession, aTrace } from "../../data/testing";
import { neighbour } from "./neighbours";
import { buildChart } from "./rows";

const traces = [
  aTrace({ seq: 0, startUs: 0, traceUs: 5000, step: 1 }),
  aTrace({ seq: 1, startUs: 100_000, nested: true, step: null }),
  aTrace({ seq: 2, startUs: 200_000, step: 2 }),
  aTrace({ seq: 3, startUs: 190_000, function: 1, traceUs: 1, step: 9 }),
  aTrace({ seq: 4, startUs: 10_000, function: 1, traceUs: 1, step: 9 }),
];
const chart = buildChart(traces, traces, [aFunction(), aFunction()], [aSession()], "time");
const seq = (from: number | null, direction: Parameters<typeof neighbour>[2]): number | undefined =>
  neighbour(chart, from === null ? null : traces[from]!, direction)?.seq;

it("starts at the top left", () => expect(seq(null, "right")).toBe(0));
it("walks a row, nested traces included, and stops at its ends", () => {
  expect(seq(0, "right")).toBe(1);
  expect(seq(1, "right")).toBe(2);
  expect(seq(2, "right")).toBeUndefined();
  expect(seq(0, "left")).toBeUndefined();
  expect(seq(1, "last")).toBe(2);
  expect(seq(2, "first")).toBe(0);
});
it("changes rows to what is nearest in time", () => {
  expect(seq(2, "down")).toBe(3);
  expect(seq(0, "down")).toBe(4);
  expect(seq(3, "up")).toBe(2);
  expect(seq(0, "up")).toBeUndefined();
});
it("goes through traces without a step first", () => {
  const steps = buildChart(traces, traces, [aFunction(), aFunction()], [aSession()], "step");
  expect(neighbour(steps, traces[0]!, "left")?.seq).toBe(1);
});
