import { describe, expect, it } from "vitest";
import { aRecompilation, aTrace } from "../../data/testing";
import { boxAt, boxesAt, boxesInView, costBins, LEAST_WIDTH, markAt, marksInView } from "./boxes";
import { makeLane, type Span } from "./lanes";
import type { Mark } from "./rows";

function aSpan(from: number, traced: number, to: number, verdict = "needed"): Span {
  return { trace: aTrace({ seq: from, startUs: from, traceUs: traced - from, firstCallUs: to - traced, verdict }), from, traced, to };
}

describe("boxesInView", () => {
  it("scales spans and divides them into tracing and first execution", () => {
    expect(boxesInView(makeLane([aSpan(100, 150, 200)]), { from: 0, to: 1000 }, 500)).toMatchObject([{ x: 50, traced: 25, width: 50, count: 1 }]);
  });

  it("keeps the shortest span visible", () => {
    expect(boxesInView(makeLane([aSpan(100, 101, 102)]), { from: 0, to: 1e9 }, 500)).toMatchObject([{ width: LEAST_WIDTH, traced: LEAST_WIDTH }]);
  });

  it("leaves out what is out of view, but not what reaches into it", () => {
    const spans = [aSpan(0, 10, 20), aSpan(30, 40, 500), aSpan(450, 460, 470), aSpan(2000, 2001, 2002)];
    expect(boxesInView(makeLane(spans), { from: 400, to: 1400 }, 1000).map((box) => box.span.from)).toEqual([30, 450]);
  });

  it("never draws more boxes than pixels, and shows the costliest of each place", () => {
    const spans = Array.from({ length: 10_000 }, (_, index) => aSpan(index * 10, index * 10 + (index === 5000 ? 9 : 1), index * 10 + (index === 5000 ? 9 : 1)));
    const boxes = boxesInView(makeLane(spans), { from: 0, to: 100_000 }, 600);
    expect(boxes.length).toBeLessThanOrEqual(600 / LEAST_WIDTH + 1);
    expect(boxes.reduce((sum, box) => sum + box.count, 0)).toBe(10_000);
    expect(boxes.some((box) => box.span.from === 50_000)).toBe(true);
  });
});

describe("boxesAt", () => {
  const lane = makeLane([aSpan(100, 150, 200)]);
  it("keeps what it worked out while the view stays, and only then", () => {
    const boxes = boxesAt(lane, { from: 0, to: 1000 }, 500, 30);
    expect(boxes[0]!.x).toBe(80);
    expect(boxesAt(lane, { from: 0, to: 1000 }, 500, 30)).toBe(boxes);
    expect(boxesAt(lane, { from: 50, to: 1000 }, 500, 30)[0]!.x).toBeCloseTo(30 + (50 * 500) / 950);
    expect(boxesAt(lane, { from: 0, to: 1000 }, 500, 0)[0]!.x).toBe(50);
  });
});

describe("marksInView", () => {
  const aMark = (from: number, us = 1): Mark => ({ recompilation: aRecompilation({ startUs: from, us }), trace: aTrace(), from, to: from + us });

  it("never draws more marks than pixels, and shows the costliest of each place", () => {
    const marks = Array.from({ length: 10_000 }, (_, index) => aMark(index * 10, index === 5000 ? 9 : 1));
    const boxes = marksInView(marks, { from: 0, to: 100_000 }, 600);
    expect(boxes.length).toBeLessThanOrEqual(600 / 3 + 1);
    expect(boxes.reduce((sum, box) => sum + box.count, 0)).toBe(10_000);
    expect(boxes.some((box) => box.mark.from === 50_000)).toBe(true);
  });

  it("keeps what reaches into view, and finds the nearest line", () => {
    const boxes = marksInView([aMark(0), aMark(300, 200), aMark(450, 10), aMark(454, 10), aMark(2000)], { from: 400, to: 1400 }, 1000);
    expect(boxes.map((box) => [box.x, box.width])).toEqual([[-100, 200], [50, 10], [54, 10]]);
    expect(markAt(boxes, 52, 3)?.mark.from).toBe(450);
    expect(markAt(boxes, 54, 3)?.mark.from).toBe(454);
    expect(markAt(boxes, 80, 3)).toBeNull();
  });
});

describe("boxAt", () => {
  const boxes = boxesInView(makeLane([aSpan(0, 100, 100), aSpan(50, 60, 60), aSpan(200, 201, 201)]), { from: 0, to: 1000 }, 1000);
  it("finds what is on top", () => expect(boxAt(boxes, 55, 4)?.span.from).toBe(50));
  it("finds what is near enough", () => expect(boxAt(boxes, 205, 4)?.span.from).toBe(200));
  it("finds nothing where nothing is", () => expect(boxAt(boxes, 150, 4)).toBeNull());
});

it("bins cost without losing or inventing any", () => {
  const spans = [aSpan(0, 10, 40), aSpan(35, 50, 100, "avoidable"), aSpan(99, 100, 130)];
  const { lost, avoidable } = costBins([{ function: 0, lanes: [makeLane(spans)], marks: [] }], { from: 0, to: 100 }, 10);
  expect(lost.reduce((sum, value) => sum + value, 0)).toBeCloseTo(40 + 65 + 31);
  expect(avoidable.reduce((sum, value) => sum + value, 0)).toBeCloseTo(65);
  expect(avoidable.slice(0, 3)).toEqual(new Float64Array(3));
});

it("bins what lies inside another function's row only on its own", () => {
  const inner = { trace: aTrace({ function: 1, ownUs: 7 }), from: 5, traced: 6, to: 6 };
  const rows = [0, 1].map((index) => ({ function: index, lanes: [makeLane([inner])], marks: [] }));
  expect(costBins(rows, { from: 0, to: 100 }, 1).lost[0]).toBe(7);
});

it("bins recompilations at their own time, not at their trace's", () => {
  const trace = aTrace({ traceUs: 10, ownUs: 10, recompilationUs: 70 });
  const mark: Mark = { recompilation: aRecompilation({ us: 70 }), trace, from: 95, to: 165 };
  const { lost } = costBins([{ function: 0, lanes: [makeLane([{ trace, from: 0, traced: 10, to: 10 }])], marks: [mark] }], { from: 0, to: 100 }, 10);
  expect(lost[9]).toBe(70);
  expect(lost.reduce((sum, value) => sum + value, 0)).toBeCloseTo(80);
});
