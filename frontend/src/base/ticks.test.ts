import { expect, it } from "vitest";
import { roundTicks, timeLabel, timeTicks } from "./ticks";

it("chooses round numbers inside the range", () => {
  expect(roundTicks(0, 100, 5, true)).toEqual({ step: 20, values: [0, 20, 40, 60, 80, 100] });
  expect(roundTicks(3, 9, 3, true).values).toEqual([4, 6, 8]);
});

it("never splits a whole number", () => {
  expect(roundTicks(0, 2, 10, true).values).toEqual([0, 1, 2]);
});

it("never gives many more ticks than asked for", () => {
  for (const span of [1e-3, 0.7, 3, 59, 1000, 12345, 9.9e7]) {
    expect(roundTicks(0, span, 8, false).values.length).toBeLessThanOrEqual(10);
    expect(timeTicks(0, span * 1e6, 8).values.length).toBeLessThanOrEqual(10);
  }
});

it("gives nothing for an empty range", () => {
  expect(roundTicks(5, 5, 8, false).values).toEqual([]);
  expect(timeTicks(5, 4, 8).values).toEqual([]);
});

it("uses clock steps between a second and a day", () => {
  expect(timeTicks(0, 120e6, 8).step).toBe(15e6);
  expect(timeTicks(0, 3600e6, 8).step).toBe(600e6);
});

it("labels time as exactly as the step", () => {
  expect(timeLabel(0, 1e6)).toBe("0");
  expect(timeLabel(250e3, 50e3)).toBe("250 ms");
  expect(timeLabel(1.5e6, 0.5e6)).toBe("1.5 s");
  expect(timeLabel(15e6, 5e6)).toBe("15 s");
  expect(timeLabel(125e6, 5e6)).toBe("2:05");
  expect(timeLabel(3725e6, 5e6)).toBe("1:02:05");
  expect(timeLabel(125.3e6, 100e3)).toBe("2:05.3");
  expect(timeLabel(3605.25e6, 10e3)).toBe("1:00:05.25");
  expect(timeLabel(59.96e6, 100e3)).toBe("60.0 s");
  expect(timeLabel(119.96e6, 100e3)).toBe("2:00.0");
  expect(timeLabel(1_000_500, 100)).toBe("1.0005 s");
});
