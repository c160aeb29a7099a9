import { expect, it } from "vitest";
import { scrollToRow, visibleRows } from "./virtual_rows";

it("draws what is in view and a few more", () => {
  expect(visibleRows(0, 100, 20, 10_000, 2)).toEqual({ start: 0, end: 7 });
  expect(visibleRows(1010, 100, 20, 10_000, 2)).toEqual({ start: 48, end: 58 });
});

it("stays within the rows, however far the scroll position is", () => {
  expect(visibleRows(5000, 100, 20, 10, 2)).toEqual({ start: 10, end: 10 });
  expect(visibleRows(0, 0, 20, 0, 2)).toEqual({ start: 0, end: 0 });
});

it("scrolls only as far as needed", () => {
  expect(scrollToRow(100, 100, 20, 6)).toBe(100);
  expect(scrollToRow(100, 100, 20, 2)).toBe(40);
  expect(scrollToRow(100, 100, 20, 12)).toBe(160);
});
