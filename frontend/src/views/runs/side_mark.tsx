import type { JSX } from "preact";

/** How a side's bars look: hatched before, filled after. */
export function SideMark({ which }: { which: "a" | "b" }): JSX.Element {
  return <span class={`side-mark ${which === "a" ? "before" : "after"}`} aria-hidden="true" />;
}
