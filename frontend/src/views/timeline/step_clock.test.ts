import { describe, expect, it } from "vitest";
import { aTrace } from "../../data/testing";
import { stepBands, stepClock } from "./step_clock";

const trace = (seq: number, startUs: number, step: number | null) => aTrace({ seq, startUs, step });

describe("stepClock", () => {
  it("knows steps where there were traces, in the order of time, and never goes back", () => {
    const clock = stepClock([trace(3, 300, 30), trace(1, 100, 10), trace(4, 400, 5), trace(2, 200, null), trace(5, 500, 30), trace(6, 600, 31)])!;
    expect([...clock.times]).toEqual([100, 300, 600]);
    expect([...clock.steps]).toEqual([10, 30, 31]);
  });
  it("is none for fewer than two steps", () => expect(stepClock([trace(1, 1, 7), trace(2, 2, 7)])).toBeNull());
});

describe("stepBands", () => {
  const clock = stepClock(Array.from({ length: 101 }, (_, index) => trace(index, index * 1000, index * 7)))!;

  it("begin at traces, at or after round steps, and cover the window without gaps", () => {
    const bands = stepBands(clock, { from: 0, to: 100_000 }, 1000, 100);
    expect(bands.length).toBeGreaterThan(4);
    expect(bands.length).toBeLessThanOrEqual(10);
    for (const band of bands) expect(band.step % 7).toBe(0); // only steps that were seen
    bands.slice(1).forEach((band, index) => expect(bands[index]!.end).toBe(band.x));
    expect(bands[bands.length - 1]!.end).toBe(1000);
  });

  it("keep their shade while the window moves", () => {
    const shades = (from: number): Map<number, boolean> => new Map(stepBands(clock, { from, to: from + 50_000 }, 1000, 100).map((band) => [band.step, band.shaded]));
    const [one, two] = [shades(10_000), shades(14_000)];
    const both = [...one.keys()].filter((step) => two.has(step));
    expect(both.length).toBeGreaterThan(3);
    for (const step of both) expect(one.get(step)).toBe(two.get(step));
  });
});
