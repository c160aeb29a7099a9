import { computed } from "@preact/signals";
import { clamp, reveal, span, type ViewWindow } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import type { Axis, Settings } from "../../state/settings";
import { axis, change, functions, inScope, recompilations, sessions, settings, shown } from "../../state/store";
import { sumArea } from "./area";
import { growthIn, memoryCurves, memoryRange } from "./memory";
import { profilesOf } from "./profiles";
import { buildChart, placeOf } from "./rows";
import { type StepClock, stepClock } from "./step_clock";

/** What the timeline shows and which part of it. */

/** Width of the lane for traces without a step, CSS pixels. */
export const LANE_WIDTH = 84;

export const chart = computed(() => buildChart(shown.value.traces, inScope.value, functions.value, sessions.value, axis.value, recompilations.value));

const bySession = computed(() => {
  const traces = new Map<number, Trace[]>();
  for (const trace of inScope.value) {
    const held = traces.get(trace.session);
    if (held) held.push(trace);
    else traces.set(trace.session, [trace]);
  }
  return traces;
});
/** By session. Over steps the axis itself tells. */
export const clocks = computed(
  (): ReadonlyMap<number, StepClock | null> => (axis.value === "step" ? new Map() : new Map([...bySession.value].map(([session, traces]) => [session, stepClock(traces)]))),
);
/** Whether the head can name the steps: of several sessions each has its own. */
export const hasSteps = computed(() => chart.value.sessions.length === 1 && Boolean(clocks.value.get(chart.value.sessions[0]!)));
export const profiles = computed(() => profilesOf(inScope.value, axis.value));

/** All that was read, whatever the filters hide: the memory is the process's. */
export const curves = computed(() => memoryCurves(inScope.value, axis.value));
export const hasMemory = computed(() => curves.value.length > 0);
/** Of what is in view, so that growth shows however little it is. */
export const range = computed(() => memoryRange(curves.value, view.value));
export const memoryShown = computed(() => hasMemory.value && settings.value.memory);
/** Over the traces that are shown. */
export const growth = computed(() => growthIn(shown.value.traces, (trace) => chart.value.nested.has(trace)));

/** The part of the axis that is summed up, and its sum. */
export const area = computed(() => settings.value.area);
export const areaSum = computed(() => (area.value ? sumArea(chart.value, area.value) : null));

export function setArea(window: ViewWindow | null): void {
  change({ area: window && { from: Math.max(window.from, chart.value.whole.from), to: Math.min(window.to, chart.value.whole.to) } });
}

/** The narrowest window, in the axis's unit. */
function least(): number {
  return axis.value === "time" ? 200 : 1;
}

export const view = computed(() => {
  const { whole, traced } = chart.value;
  const chosen = settings.value.view;
  return chosen === "whole" ? whole : chosen ? clamp(chosen, whole, least()) : traced;
});
export const isWhole = computed(() => isAllOfIt(view.value));
/** Whether `fit` would change it. */
export const canFit = computed(() => !isWhole.value || chart.value.traced !== chart.value.whole);
/** Where the axis begins on the canvas: behind the lane, if there is one. */
export const plotLeft = computed(() => (chart.value.unplaced > 0 ? LANE_WIDTH : 0));

export function setView(window: ViewWindow): void {
  const next = clamp(window, chart.value.whole, least());
  change({ view: isAllOfIt(next) ? allOfIt() : next });
}

/** The whole axis; where that is in view, what has traces. */
export function fit(): void {
  if (canFit.value) change({ view: isWhole.value ? null : allOfIt() });
}

function isAllOfIt(window: ViewWindow): boolean {
  return span(window) >= span(chart.value.whole) * 0.9999;
}

function allOfIt(): "whole" | null {
  return chart.value.traced === chart.value.whole ? null : "whole";
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
  const found = placeOf(chart.value, trace)?.span;
  if (!found) return;
  const width = Math.max(found.to - found.from, least());
  setView({ from: found.from - width * 1.5, to: found.to + width * 1.5 });
}

/** Moves the view so that the trace is in it. */
export function revealTrace(trace: Trace): void {
  const found = placeOf(chart.value, trace)?.span;
  if (!found || isWhole.value) return;
  const next = reveal(view.value, found.from, found.to);
  if (next !== view.value) setView(next);
}
