import { bytes, count, plural } from "../../base/format";
import type { Growth } from "./memory";

/** Sentences of the timeline. Pure. */

/** `+412 MiB in 300 traces, 1.37 MiB each`: what was measured before and after them, and no more than that. */
export function grownText({ kib, traces }: Growth): string {
  const each = traces > 1 ? `, ${bytes((kib / traces) * 1024)} each` : "";
  return `${grown(kib)} in ${plural(traces, "trace")}${each}`;
}

/** `+1.4 MiB`, `−200 KiB`, `unchanged`. */
export function grown(kib: number): string {
  if (kib === 0) return "unchanged";
  return `${kib > 0 ? "+" : ""}${bytes(kib * 1024)}`;
}

/** What the numbers are, for who asks. */
export const MEMORY_MEANING =
  "The process's resident memory, read before and after each trace. What it grew by while traces ran is no proof that they hold it: " +
  "memory that was freed may stay with the process, and other threads run as well.";

export function memoryTitle(sessions: number): string {
  return sessions > 1 ? `Memory of ${count(sessions)} processes` : "Process memory";
}
