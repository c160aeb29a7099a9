import { count, plural } from "../base/format";
import type { SceneItem } from "./scene";
import { differing, type Tally } from "./status";
import { textWidth } from "./text_width";
import { stemOf } from "./items";

/** How large boxes are, and what is written in them. Shared by the layout (worker) and the drawing (page). Pure. */

export const LABEL_SIZE = 12;
export const SMALL_SIZE = 10.5;
export const HEADER = 26;
export const PADDING = 12;
const LINE = 15;
const LEAST_WIDTH = 60;
const MOST_WIDTH = 210;
const MARK = 16;
const BOLD = 1.07;

type Shown = Pick<SceneItem, "kind" | "label" | "labelA" | "op" | "shapeA" | "shapeB" | "tally" | "flags">;

/** The first line, in a or in b. */
export function titleOf(item: Shown, inA: boolean): string {
  switch (item.kind) {
    case "alike":
      return `${item.label} ×${count(rowsIn(item, inA))}`;
    case "unchanged":
      return `${count(item.tally.rows)} unchanged`;
    default:
      return inA && item.labelA ? item.labelA : item.label;
  }
}

/** How many there are in a or in b; where there are none, how many are missing. */
function rowsIn({ tally }: Shown, inA: boolean): number {
  return tally.rows - (inA ? tally.added : tally.removed) || tally.rows;
}

/** The second line, in a or in b; "" if there is none. Of what holds several nodes the tally follows it. */
export function subtitleOf(item: Shown, inA: boolean): string {
  if (item.kind === "alike" || item.kind === "unchanged") return "";
  if (item.kind !== "op") return plural(rowsIn(item, inA), "op");
  const op = item.op !== "" && stemOf(item.label) !== item.op ? item.op : "";
  const shape = inA ? item.shapeA : item.shapeB;
  return op && shape ? `${op}  ${shape}` : op || shape;
}

/** `+3`, `−1`, … of what holds several nodes, in the order in which they are drawn. */
export function tallyMarks(tally: Tally): { status: "added" | "removed" | "changed" | "rewired"; text: string }[] {
  const marks: { status: "added" | "removed" | "changed" | "rewired"; text: string }[] = [];
  if (tally.added) marks.push({ status: "added", text: `+${count(tally.added)}` });
  if (tally.removed) marks.push({ status: "removed", text: `−${count(tally.removed)}` });
  if (tally.changed) marks.push({ status: "changed", text: `~${count(tally.changed)}` });
  if (tally.rewired) marks.push({ status: "rewired", text: `⤳${count(tally.rewired)}` });
  return marks;
}

export function boxSize(item: Shown): { width: number; height: number } {
  const title = Math.max(textWidth(titleOf(item, true), LABEL_SIZE), textWidth(titleOf(item, false), LABEL_SIZE)) * (item.kind === "op" ? 1 : BOLD) + (item.kind === "op" ? 0 : 13);
  const marks = item.kind === "op" ? "" : tallyMarks(item.tally).map((mark) => mark.text).join("  ");
  const sub = [subtitleOf(item, true), subtitleOf(item, false)].map((text) => textWidth(marks && text ? `${text}   ${marks}` : text || marks, SMALL_SIZE));
  const second = Math.max(...sub);
  const badge = item.kind === "op" && differing(item.tally) > 0 ? MARK : 0;
  const width = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, title + badge + 22, second + 22));
  return { width: Math.ceil(width), height: second > 0 ? 2 * LINE + 12 : LINE + 11 };
}
