import type { ViewWindow } from "../../base/view_window";

/** Taking hold of the minimap. Pure. */

const EDGE = 6;

export type Grip = "from" | "to" | "move" | "new";

/** What a press at `x` on the minimap takes hold of. */
export function gripAt(x: number, from: number, to: number, whole: boolean): Grip {
  if (whole) return "new";
  if (Math.abs(x - from) <= EDGE) return "from";
  if (Math.abs(x - to) <= EDGE) return "to";
  return x > from && x < to ? "move" : "new";
}

/** The window after dragging a grip from value `start` to value `now`. */
export function dragged(grip: Grip, begin: ViewWindow, start: number, now: number): ViewWindow {
  switch (grip) {
    case "from":
      return ordered(now, begin.to);
    case "to":
      return ordered(begin.from, now);
    case "move":
      return { from: begin.from + now - start, to: begin.to + now - start };
    case "new":
      return ordered(start, now);
  }
}

function ordered(a: number, b: number): ViewWindow {
  return a < b ? { from: a, to: b } : { from: b, to: a };
}
