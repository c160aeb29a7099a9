import { expect, it } from "vitest";
import { clamp, pan, reveal, toPixel, toValue, zoom } from "./view_window";

const whole = { from: 0, to: 1000 };

it("maps values to pixels and back", () => {
  const window = { from: 100, to: 300 };
  expect(toPixel(window, 400, 150)).toBe(100);
  expect(toValue(window, 400, toPixel(window, 400, 222))).toBeCloseTo(222);
});

it("zooms about the anchor", () => {
  const zoomed = zoom({ from: 0, to: 100 }, 0.5, 20);
  expect(zoomed).toEqual({ from: 10, to: 60 });
  expect(toPixel(zoomed, 100, 20)).toBe(toPixel({ from: 0, to: 100 }, 100, 20));
});

it("stays within the whole, and no narrower than allowed", () => {
  expect(clamp({ from: -50, to: 50 }, whole, 1)).toEqual({ from: 0, to: 100 });
  expect(clamp({ from: 950, to: 1050 }, whole, 1)).toEqual({ from: 900, to: 1000 });
  expect(clamp({ from: -500, to: 5000 }, whole, 1)).toEqual(whole);
  expect(clamp({ from: 10, to: 10.1 }, whole, 5)).toEqual({ from: 10, to: 15 });
});

it("reveals with the least movement", () => {
  const window = { from: 100, to: 200 };
  expect(reveal(window, 120, 130)).toBe(window);
  expect(reveal(window, 210, 220)).toEqual(pan(window, 30));
  expect(reveal(window, 50, 60)).toEqual(pan(window, -60));
  const wide = reveal(window, 300, 600);
  expect(wide.from).toBeLessThan(300);
  expect(wide.to).toBeGreaterThan(600);
});
