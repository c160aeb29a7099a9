import { describe, expect, it } from "vitest";
import { fitText, pictureDensity, plainText, wrapChips } from "./text";

const width = (text: string): number => text.length;

describe("text of a picture", () => {
  it("is cut where it does not fit", () => {
    expect(fitText("train_step", 10, width)).toBe("train_step");
    expect(fitText("train_step", 9, width)).toBe("train_st…");
    expect(fitText("train_step", 1, width)).toBe("…");
    expect(fitText("", 0, width)).toBe("");
  });

  it("has no marks for code", () => {
    expect(plainText("`f` was traced")).toBe("f was traced");
  });

  it("wraps into lines", () => {
    expect(wrapChips([40, 40, 40, 200, 10], 100)).toEqual([{ x: 0, line: 0 }, { x: 40, line: 0 }, { x: 0, line: 1 }, { x: 0, line: 2 }, { x: 0, line: 3 }]);
    expect(wrapChips([], 100)).toEqual([]);
  });

  it("is as sharp as a browser's canvas can be", () => {
    expect(pictureDensity(1000, 500)).toBe(2);
    for (const [wide, tall] of [[1200, 15_000], [3000, 15_000], [8000, 8000]] as const) {
      const density = pictureDensity(wide, tall);
      expect(density).toBeGreaterThan(0.5);
      expect(Math.max(wide, tall) * density).toBeLessThanOrEqual(16_000);
      expect(wide * tall * density ** 2).toBeLessThanOrEqual(60_000_001);
    }
  });
});
