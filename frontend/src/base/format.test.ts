import { describe, expect, it } from "vitest";
import { basename, bytes, count, duration, place, plural, seconds, wallClock } from "./format";

describe("duration", () => {
  it.each([
    [0, "0 µs"],
    [850, "850 µs"],
    [999.6, "1.00 ms"],
    [12_345, "12.3 ms"],
    [999_600, "1.00 s"],
    [1_254_000, "1.25 s"],
    [99_960_000, "1 min 40 s"],
    [185_000_000, "3 min 05 s"],
    [3_599_600_000, "1 h 00 min"],
    [-2_500, "−2.50 ms"],
  ])("%d µs is %s", (us, text) => expect(duration(us)).toBe(text));

  it("says that it does not know", () => {
    expect(duration(null)).toBe("–");
    expect(seconds(null)).toBe("–");
    expect(duration(Number.NaN)).toBe("–");
  });
});

it("groups digits and counts things", () => {
  expect(count(1234567)).toBe("1\u202f234\u202f567");
  expect(count(999)).toBe("999");
  expect(plural(1, "trace")).toBe("1 trace");
  expect(plural(2, "trace")).toBe("2 traces");
});

it("writes bytes in binary units", () => {
  expect(bytes(512)).toBe("512 B");
  expect(bytes(95_437)).toBe("93.2 KiB");
  expect(bytes(1024 * 1024 - 1)).toBe("1.00 MiB");
  expect(bytes(-2048)).toBe("−2.00 KiB");
  expect(bytes(null)).toBe("–");
});

it("names places shortly", () => {
  expect(basename("/home/me/train.py")).toBe("train.py");
  expect(basename("C:\\me\\train.py")).toBe("train.py");
  expect(basename("/")).toBe("/");
  expect(place("/a/b.py", 3)).toBe("b.py:3");
  expect(place("/a/b.py", 0)).toBe("b.py");
  expect(place("", 3)).toBe("");
});

it("reads wall clock from digits only", () => {
  expect(wallClock("1700000000000000000")).toMatch(/^2023-11-1[45] \d\d:\d\d:\d\d$/);
  expect(wallClock("0")).toBe("");
  expect(wallClock("<b>")).toBe("");
});
