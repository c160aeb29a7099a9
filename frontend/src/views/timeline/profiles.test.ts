import { expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { profilesOf } from "./profiles";

const traces = [
  aTrace({ seq: 1, startUs: 0, traceUs: 10, step: 1 }),
  aTrace({ seq: 2, startUs: 100, traceUs: 10, step: 2, profiled: true }),
  aTrace({ seq: 3, startUs: 105, traceUs: 1, step: 2, nested: true }),
  aTrace({ seq: 4, startUs: 200, traceUs: 30, step: null, profiled: true }),
  aTrace({ seq: 5, startUs: 300, traceUs: 10, step: 4 }),
  aTrace({ seq: 6, startUs: 400, traceUs: 10, step: 5, profiled: true }),
  aTrace({ session: 1, seq: 1, startUs: 0, traceUs: 10, step: 9, profiled: true }),
];

it("reaches from the first trace that a profile saw to the last, and ends at one that it did not see", () => {
  expect(profilesOf([...traces].reverse(), "time")).toEqual([
    { session: 0, from: 100, to: 230, traces: 2 },
    { session: 0, from: 400, to: 410, traces: 1 },
    { session: 1, from: 0, to: 10, traces: 1 },
  ]);
});
it("has no place for what has no step", () => {
  expect(profilesOf(traces, "step").map(({ from, to }) => [from, to])).toEqual([[2, 3], [5, 6], [9, 10]]);
});
it("is empty without any", () => expect(profilesOf([traces[0]!], "time")).toEqual([]));
