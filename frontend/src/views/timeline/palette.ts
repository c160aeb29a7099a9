import { narrowParts, patternPath, TILE } from "../../base/patterns";
import { causeWord } from "../../data/words";

/** The theme's colours for a canvas, read from the style sheet once per theme. */
export interface Palette {
  background: string;
  raised: string;
  sunken: string;
  line: string;
  lineStrong: string;
  text: string;
  muted: string;
  accent: string;
  accentText: string;
  focus: string;
  error: string;
  xla: string;
  selectedRow: string;
  onCause: string;
  sans: string;
  cause: (cause: string) => string;
  /** What is drawn over a cause's colour; null for none. */
  pattern: (cause: string) => CanvasPattern | null;
  /** A colour with a cause's cuts, for a narrow span of that height whose top is the origin. */
  narrow: (cause: string, colour: string, height: number) => CanvasPattern | string;
  /** A diagonal hatch in a colour. */
  hatch: (colour: string) => CanvasPattern | string;
}

export function readPalette(root: HTMLElement, context: CanvasRenderingContext2D): Palette {
  const style = getComputedStyle(root);
  const value = (name: string): string => style.getPropertyValue(name).trim() || "#888";
  const causes = new Map<string, string>();
  const patterns = new Map<string, CanvasPattern | null>();
  const narrow = new Map<string, CanvasPattern | string>();
  const onCause = value("--on-cause");
  const hatches = new Map<string, CanvasPattern | string>();
  return {
    background: value("--bg"),
    raised: value("--bg-raised"),
    sunken: value("--bg-sunken"),
    line: value("--line"),
    lineStrong: value("--line-strong"),
    text: value("--text"),
    muted: value("--text-muted"),
    accent: value("--accent"),
    accentText: value("--accent-text"),
    focus: value("--focus"),
    error: value("--error"),
    xla: value("--xla"),
    selectedRow: value("--bg-hover"),
    onCause,
    sans: value("--sans"),
    cause: (cause) => {
      const name = causeWord(cause).colour;
      const held = causes.get(name);
      if (held !== undefined) return held;
      const colour = value(`--cause-${name}`);
      causes.set(name, colour);
      return colour;
    },
    pattern: (cause) => {
      const name = causeWord(cause).colour;
      const held = patterns.get(name);
      if (held !== undefined) return held;
      const made = makePattern(context, patternPath(name), onCause);
      patterns.set(name, made);
      return made;
    },
    narrow: (cause, colour, height) => {
      const name = causeWord(cause).colour;
      const key = `${name} ${colour} ${height}`;
      const held = narrow.get(key);
      if (held !== undefined) return held;
      const made = makeNarrow(context, name, colour, height);
      narrow.set(key, made);
      return made;
    },
    hatch: (colour) => {
      const held = hatches.get(colour);
      if (held !== undefined) return held;
      const made = makeHatch(context, colour);
      hatches.set(colour, made);
      return made;
    },
  };
}

/** As sharp as the screen. */
function makeTile(width: number, height: number, draw: (pen: CanvasRenderingContext2D) => void, context: CanvasRenderingContext2D): CanvasPattern | null {
  const density = Math.ceil(window.devicePixelRatio || 1);
  const tile = document.createElement("canvas");
  tile.width = width * density;
  tile.height = height * density;
  const pen = tile.getContext("2d");
  if (!pen) return null;
  pen.scale(density, density);
  draw(pen);
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(1 / density));
  return pattern;
}

function makePattern(context: CanvasRenderingContext2D, path: string, colour: string): CanvasPattern | null {
  if (path === "") return null;
  return makeTile(
    TILE,
    TILE,
    (pen) => {
      pen.strokeStyle = colour;
      pen.globalAlpha = 0.42;
      pen.lineWidth = 1.4;
      pen.lineCap = "round";
      pen.stroke(new Path2D(path));
    },
    context,
  );
}

function makeHatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const size = 6;
  const draw = (pen: CanvasRenderingContext2D): void => {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (const shift of [-size, 0, size]) {
      pen.moveTo(shift - 1, size + 1);
      pen.lineTo(shift + size + 1, -1);
    }
    pen.stroke();
  };
  return makeTile(size, size, draw, context) ?? colour;
}

function makeNarrow(context: CanvasRenderingContext2D, name: string, colour: string, height: number): CanvasPattern | string {
  const draw = (pen: CanvasRenderingContext2D): void => {
    pen.fillStyle = colour;
    for (const [top, tall] of narrowParts(name, height)) pen.fillRect(0, top, 1, tall);
  };
  return makeTile(1, height, draw, context) ?? colour;
}
