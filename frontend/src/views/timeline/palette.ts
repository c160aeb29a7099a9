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
  error: string;
  xla: string;
  selectedRow: string;
  onCause: string;
  sans: string;
  cause: (cause: string) => string;
  /** A diagonal hatch in a colour. */
  hatch: (colour: string) => CanvasPattern | string;
}

export function readPalette(root: HTMLElement, context: CanvasRenderingContext2D): Palette {
  const style = getComputedStyle(root);
  const value = (name: string): string => style.getPropertyValue(name).trim() || "#888";
  const causes = new Map<string, string>();
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
    error: value("--error"),
    xla: value("--xla"),
    selectedRow: value("--bg-hover"),
    onCause: value("--on-cause"),
    sans: value("--sans"),
    cause: (cause) => {
      const name = causeWord(cause).colour;
      const held = causes.get(name);
      if (held !== undefined) return held;
      const colour = value(`--cause-${name}`);
      causes.set(name, colour);
      return colour;
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

function makeHatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const size = 6;
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (!pen) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") ?? colour;
}
