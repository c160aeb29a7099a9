import { ATTRIBUTES, IN_A, IN_B, INPUTS } from "../../data/comparison";
import type { SceneItem, SceneLine } from "../../graph/scene";
import { differing, type Status } from "../../graph/status";

/** How an item or a line looks on a side, and the words and signs of each kind of difference. Pure. */

export type Side = "a" | "b";
export type Mark = "added" | "removed" | "changed" | "rewired";
export type Tone = Mark | "plain" | "group" | "unchanged" | "ghost";

export const MARKS: readonly { mark: Mark; sign: string; word: string; meaning: string }[] = [
  { mark: "added", sign: "+", word: "added", meaning: "only in the right graph" },
  { mark: "removed", sign: "−", word: "removed", meaning: "only in the left graph" },
  { mark: "changed", sign: "~", word: "changed", meaning: "other attributes: dtype, shape, value" },
  { mark: "rewired", sign: "⤳", word: "rewired", meaning: "the same node with other inputs" },
];

export function signOf(mark: Mark): string {
  return MARKS.find((entry) => entry.mark === mark)!.sign;
}

export function markOfStatus(status: Status): Mark | null {
  return ([null, "changed", "rewired", "added", "removed"] as const)[status];
}

/** All that is to be said of a node: its attributes and its inputs may both differ. */
export function marksOf(flags: number): Mark[] {
  if (!(flags & IN_A)) return ["added"];
  if (!(flags & IN_B)) return ["removed"];
  return [...(flags & ATTRIBUTES ? (["changed"] as const) : []), ...(flags & INPUTS ? (["rewired"] as const) : [])];
}

export function isThere(item: SceneItem, side: Side): boolean {
  if (item.kind === "op") return (item.flags & (side === "a" ? IN_A : IN_B)) !== 0;
  return item.tally.rows > (side === "a" ? item.tally.added : item.tally.removed);
}

export function toneOf(item: SceneItem, side: Side): Tone {
  if (!isThere(item, side)) return "ghost";
  if (item.kind === "op") return marksOf(item.flags)[0] ?? "plain";
  const { rows, added, removed, changed, rewired } = item.tally;
  if (added === rows) return "added";
  if (removed === rows) return "removed";
  if (item.kind === "alike" && changed === rows) return "changed";
  if (item.kind === "alike" && rewired === rows) return "rewired";
  return item.kind === "unchanged" ? "unchanged" : "group";
}

export type LineTone = "plain" | "control" | "added" | "removed" | "ghost";

export function lineToneOf(line: SceneLine, side: Side): LineTone {
  if ((side === "a" ? line.a : line.b) === 0) return "ghost";
  if (line.a === 0) return "added";
  if (line.b === 0) return "removed";
  return line.control ? "control" : "plain";
}

/** One line for assistive technology: what it is and what became of it. */
export function describe(item: SceneItem): string {
  if (item.kind === "op") {
    const marks = marksOf(item.flags);
    return [item.op && item.op !== item.label ? item.op : "", ...marks].filter(Boolean).join(", ");
  }
  const { tally } = item;
  if (differing(tally) === 0) return "unchanged";
  return MARKS.filter(({ mark }) => tally[mark] > 0)
    .map(({ mark, word }) => `${tally[mark]} ${word}`)
    .join(", ");
}
