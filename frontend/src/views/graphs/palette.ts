import type { Tone } from "./tones";

/** The theme's colours for the panes, read from the style sheet once per theme. */
export interface Palette {
  background: string;
  scope: [fill: string, line: string];
  text: string;
  muted: string;
  line: string;
  lineStrong: string;
  accent: string;
  onMark: string;
  sans: string;
  fill: Record<Tone, string>;
  edge: Record<Tone, string>;
}

export function readPalette(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const value = (name: string): string => style.getPropertyValue(name).trim() || "#888";
  const plain = value("--bg");
  const strong = value("--line-strong");
  return {
    background: value("--graph-bg"),
    scope: [value("--graph-scope"), value("--line-strong")],
    text: value("--text"),
    muted: value("--text-muted"),
    line: value("--graph-line"),
    lineStrong: strong,
    accent: value("--accent"),
    onMark: value("--on-cause"),
    sans: value("--sans"),
    fill: {
      plain,
      group: value("--graph-group"),
      unchanged: value("--bg-sunken"),
      added: value("--added-bg"),
      removed: value("--removed-bg"),
      changed: value("--changed-bg"),
      rewired: value("--rewired-bg"),
      ghost: "",
    },
    edge: {
      plain: strong,
      group: strong,
      unchanged: value("--line"),
      added: value("--added"),
      removed: value("--removed"),
      changed: value("--changed"),
      rewired: value("--rewired"),
      ghost: strong,
    },
  };
}
