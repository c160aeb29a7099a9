/**
 * A pattern for each cause, so that colour is not the only sign: lines and dots on a tile of 8 × 8, as the path of an SVG. Drawn on the
 * timeline and in the legend alike.
 */

export const TILE = 8;

const PATTERNS: Record<string, string> = {
  shape: "M-1 1 L1 -1 M-1 9 L9 -1 M7 9 L9 7",
  rank: "M-1 -1 L9 9 M-1 7 L1 9 M7 -1 L9 1",
  dtype: "M2 2 h.01 M6 6 h.01",
  "python-value": "M0 2 H8 M0 6 H8",
  "python-type": "M2 0 V8 M6 0 V8",
  structure: "M0 4 H8 M4 0 V8",
  "object-identity": "M0 0 L8 8 M8 0 L0 8",
  "variable-identity": "M0 3 H8 M0 5 H8",
  "composite-spec": "M0 6 L4 2 L8 6",
  capture: "M2 4 H6 M4 2 V6",
  context: "M0 2 L4 6 L8 2",
  "recreated-function": "M4 1.5 A2.5 2.5 0 1 0 4.01 1.5",
  "variable-creation": "M2 2 H6 V6 H2 Z",
  unknown: "M4 4 h.01",
  first: "",
};

/** By the name of a cause's colour; "" for none. */
export function patternPath(colour: string): string {
  return Object.hasOwn(PATTERNS, colour) ? PATTERNS[colour]! : "";
}
