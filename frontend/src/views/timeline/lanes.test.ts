import { expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { firstAtLeast, inWindow, makeLane, spanOf } from "./lanes";

const span = (from: number, to: number) => ({ trace: aTrace({ seq: from }), from, traced: to, to });

it("finds what reaches into the window, a long one that began early too", () => {
  const lane = makeLane([span(90, 95), span(0, 100), span(10, 11), span(120, 130)]);
  expect([...lane.from]).toEqual([0, 10, 90, 120]);
  const [start, end] = inWindow(lane, { from: 50, to: 110 });
  expect(lane.spans.slice(start, end).filter((one) => one.to >= 50).map((one) => one.from)).toEqual([0, 90]);
  expect(inWindow(lane, { from: 200, to: 300 })).toEqual([4, 4]);
});

it("halves its way to the first that is not smaller", () => {
  expect([0, 1, 2, 3, 9].map((value) => firstAtLeast([1, 2, 2, 5], value))).toEqual([0, 0, 1, 3, 4]);
});

it("finds a trace's span among those that begin with it", () => {
  const twins = [{ ...span(5, 6), trace: aTrace({ seq: 1 }) }, { ...span(5, 7), trace: aTrace({ seq: 2 }) }];
  expect(spanOf(makeLane(twins), aTrace({ seq: 2 }), 5, 0)?.to).toBe(7);
  expect(spanOf(makeLane(twins), aTrace({ seq: 3 }), 5, 0)).toBeNull();
});
