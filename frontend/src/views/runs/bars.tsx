import type { JSX } from "preact";

/** Before over after, to a common scale: hatched and filled, so that colour is not the only sign. The numbers are in text beside it. */
export function Bars({ a, b, most }: { a: number | null; b: number | null; most: number }): JSX.Element {
  return (
    <span class="paired-bars" aria-hidden="true">
      {[a, b].map((value, index) => (
        <i key={index} class={index === 0 ? "before" : "after"} style={{ width: barWidth(value, most) }} />
      ))}
    </span>
  );
}

/** Something is never drawn as nothing. Pure. */
export function barWidth(value: number | null, most: number): string {
  if (!value || most <= 0) return "0";
  return `max(2px, ${Math.min(100, (value / most) * 100).toFixed(2)}%)`;
}
