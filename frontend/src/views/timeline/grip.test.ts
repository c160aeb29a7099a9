import { expect, it } from "vitest";
import { dragged, gripAt } from "./grip";

it("takes hold of edges, of the window, or begins a new one", () => {
  expect(gripAt(101, 100, 200, false)).toBe("from");
  expect(gripAt(197, 100, 200, false)).toBe("to");
  expect(gripAt(150, 100, 200, false)).toBe("move");
  expect(gripAt(300, 100, 200, false)).toBe("new");
  expect(gripAt(100, 0, 400, true)).toBe("new");
});

it("drags", () => {
  const begin = { from: 10, to: 20 };
  expect(dragged("from", begin, 10, 5)).toEqual({ from: 5, to: 20 });
  expect(dragged("from", begin, 10, 25)).toEqual({ from: 20, to: 25 });
  expect(dragged("to", begin, 20, 30)).toEqual({ from: 10, to: 30 });
  expect(dragged("move", begin, 15, 17)).toEqual({ from: 12, to: 22 });
  expect(dragged("new", begin, 50, 40)).toEqual({ from: 40, to: 50 });
});
