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
  context: "M0 6 H2 V2 H6 V6 H8",
  "recreated-function": "M4 1.5 A2.5 2.5 0 1 0 4.01 1.5",
  "variable-creation": "M2 2 H6 V6 H2 Z",
  unknown: "M4 4 h.01",
  first: "",
};

/**
 * What a span has in place of a pattern where it is too narrow for one: cuts across it, in twelfths of its height from the top (`.`
 * is cut). Number, place and width of the cuts tell the causes apart, three pixels wide and without colour; rows of such spans look ruled.
 */
const CUTS: Record<string, string> = {
  shape: "#####..#####",
  rank: "####....####",
  dtype: "#.#.#.#.#.##",
  "python-value": "###..##..###",
  "python-type": "########..##",
  structure: "##..########",
  "object-identity": "##.##..##.##",
  "variable-identity": "#..#..######",
  "composite-spec": "######..#..#",
  capture: "#..######..#",
  context: "##....######",
  "recreated-function": "######.#.#.#",
  "variable-creation": "#.#.#.######",
  unknown: "######....##",
  first: "############",
};

/** By the name of a cause's colour: what is left of a narrow span of that height, whole pixels, as tops and heights. */
export function narrowParts(colour: string, height: number): [top: number, height: number][] {
  const cuts = Object.hasOwn(CUTS, colour) ? CUTS[colour]! : CUTS["first"]!;
  const at = (cell: number): number => Math.round((cell * height) / cuts.length);
  return [...cuts.matchAll(/#+/g)].map(({ index, 0: run }) => [at(index), at(index + run.length) - at(index)]);
}

/** By the name of a cause's colour; "" for none. */
export function patternPath(colour: string): string {
  return Object.hasOwn(PATTERNS, colour) ? PATTERNS[colour]! : "";
}
