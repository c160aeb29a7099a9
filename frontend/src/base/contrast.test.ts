import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CAUSE_ORDER, causeWord } from "../data/words";
import { MARKS } from "../views/graphs/tones";
import { narrowParts, patternPath } from "./patterns";

/** What axe cannot see: the colours on the canvases, from the style sheets' own tokens. Ratios are those of WCAG 2.2. */

const TEXT = 4.5;
const GRAPHICS = 3;

type Colours = Map<string, string>;

/** The tokens of a style sheet's rule, `name` without its dashes. */
function tokens(file: string, selector: string): [string, string][] {
  const css = readFileSync(new URL(file, import.meta.url), "utf-8");
  const start = css.indexOf(`\n${selector} {`) + 1;
  if (start === 0 && !css.startsWith(`${selector} {`)) throw new Error(`${file} has no rule for ${selector}`);
  const rule = css.slice(start, css.indexOf("}", start));
  return [...rule.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((found) => [found[1]!, found[2]!]);
}

const FILES = ["theme.css", "../views/graphs/graphs.css"];
const light = FILES.flatMap((file) => tokens(file, ":root"));
const THEMES: [string, Colours][] = [
  ["light", new Map(light)],
  ["dark", new Map([...light, ...FILES.flatMap((file) => tokens(file, ":root.dark"))])],
];

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright! + 0.05) / (dark! + 0.05);
}

it("contrast is WCAG's", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
});

const causes = CAUSE_ORDER.map((cause) => `cause-${causeWord(cause).colour}`);
const marks = MARKS.map(({ mark }) => mark);
const grounds = ["bg", "bg-raised", "bg-hover"];

describe.each(THEMES)("in the %s theme", (_, colours) => {
  const poor = (pairs: [string, string][], least: number): string[] =>
    pairs.flatMap(([ink, ground]) => {
      const [over, under] = [colours.get(ink), colours.get(ground)];
      if (!over || !under) return [`no token: ${over ? ground : ink}`];
      const ratio = contrast(over, under);
      return ratio >= least ? [] : [`${ink} on ${ground}: ${ratio.toFixed(2)}`];
    });
  const each = (inks: readonly string[], on: readonly string[]): [string, string][] => inks.flatMap((ink) => on.map((ground): [string, string] => [ink, ground]));

  it("letters can be read on the spans", () => {
    expect(poor(each(["on-cause"], causes), TEXT)).toEqual([]);
  });

  it("spans, marks and lines stand out from every ground of the timeline", () => {
    expect(poor(each([...causes, "error", "xla", "accent", "focus"], grounds), GRAPHICS)).toEqual([]);
  });

  it("axis labels can be read", () => {
    expect(poor(each(["text", "text-muted", "accent-text", "error"], ["bg", "bg-raised", "bg-sunken"]), TEXT)).toEqual([]);
  });

  it("names can be read in the boxes of a graph, and outside of them", () => {
    const boxes = ["bg", "bg-sunken", "graph-bg", "graph-scope", "graph-group", ...marks.map((mark) => `${mark}-bg`)];
    expect(poor(each(["text", "text-muted"], boxes), TEXT)).toEqual([]);
    expect(poor(each(["changed"], ["bg", "graph-bg", "changed-bg"]), TEXT)).toEqual([]);
  });

  it("signs can be read on the badges of a graph, and the badges be told from the boxes", () => {
    expect(poor(each(["on-cause"], marks), TEXT)).toEqual([]);
    expect(poor(marks.flatMap((mark) => each([mark], [`${mark}-bg`, "graph-bg"])), GRAPHICS)).toEqual([]);
  });
});

it("without colour, each cause has a letter and a pattern of its own", () => {
  const letters = CAUSE_ORDER.map((cause) => causeWord(cause).letter);
  expect(letters.filter((letter) => [...letter].length !== 1)).toEqual([]);
  expect(new Set(letters).size).toBe(letters.length);
  const patterns = CAUSE_ORDER.map((cause) => patternPath(causeWord(cause).colour));
  expect(new Set(patterns).size).toBe(patterns.length); // plain is one, too
});

it("without colour, each cause can be told on a narrow span of any height that it has", () => {
  for (const height of [16, 22, 26]) {
    const columns = CAUSE_ORDER.map((cause) => {
      const column = new Array<boolean>(height).fill(false);
      for (const [top, tall] of narrowParts(causeWord(cause).colour, height)) column.fill(true, top, top + tall);
      return column;
    });
    for (const [index, column] of columns.entries()) {
      expect([column[0], column[height - 1]]).toEqual([true, true]); // it keeps its height
      for (const other of columns.slice(0, index)) expect(column.filter((pixel, at) => pixel !== other[at]).length).toBeGreaterThanOrEqual(2);
    }
  }
});

it("without colour, each difference of a graph has a sign of its own", () => {
  expect(new Set(MARKS.map(({ sign }) => sign)).size).toBe(MARKS.length);
});
