import { computed } from "@preact/signals";
import { clamp, reveal, span, type ViewWindow } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import type { Axis, Settings } from "../../state/settings";
import { axis, change, functions, inScope, recompilations, sessions, settings, shown } from "../../state/store";
import { buildChart } from "./rows";

/** What the timeline shows and which part of it. */

export const ROW_HEIGHT = 42;
export const HEAD_HEIGHT = 52;
/** Width of the lane for traces without a step, CSS pixels. */
export const LANE_WIDTH = 84;

export const chart = computed(() => buildChart(shown.value.traces, inScope.value, functions.value, sessions.value, axis.value, recompilations.value));

/** The narrowest window, in the axis's unit. */
function least(): number {
  return axis.value === "time" ? 200 : 1;
}

const chosen = computed(() => settings.value.view);
export const isWhole = computed(() => chosen.value === null);
export const view = computed(() => {
  const window = chosen.value;
  return window ? clamp(window, chart.value.whole, least()) : chart.value.whole;
});
/** Where the axis begins on the canvas: behind the lane, if there is one. */
export const plotLeft = computed(() => (chart.value.unplaced > 0 ? LANE_WIDTH : 0));

export function setView(window: ViewWindow): void {
  const whole = chart.value.whole;
  const next = clamp(window, whole, least());
  change({ view: span(next) >= span(whole) * 0.9999 ? null : next });
}

export function fit(): void {
  if (settings.value.view) change({ view: null });
}

/** What the other axis showed last. */
const left: Record<Axis, Pick<Settings, "view" | "area">> = { time: { view: null, area: null }, step: { view: null, area: null } };

export function switchAxis(to: Axis): void {
  const { axis: from, view: seen, area: marked } = settings.value;
  if (from === to) return;
  left[from] = { view: seen, area: marked };
  change({ axis: to, ...left[to] });
}

/** Zooms so that the trace fills a good part of the view. */
export function zoomTo(trace: Trace): void {
  const found = chart.value.places.get(trace.key)?.span;
  if (!found) return;
  const width = Math.max(found.to - found.from, least());
  setView({ from: found.from - width * 1.5, to: found.to + width * 1.5 });
}

/** Moves the view so that the trace is in it. */
export function revealTrace(trace: Trace): void {
  const found = chart.value.places.get(trace.key)?.span;
  if (!found || isWhole.value) return;
  const next = reveal(view.value, found.from, found.to);
  if (next !== view.value) setView(next);
}
