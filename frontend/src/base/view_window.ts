/** The part of an axis that is in view. Values are in the axis's unit (microseconds or steps), positions in CSS pixels. Pure. */

export interface ViewWindow {
  from: number;
  to: number;
}

export function span(window: ViewWindow): number {
  return window.to - window.from;
}

export function toPixel(window: ViewWindow, width: number, value: number): number {
  return ((value - window.from) / span(window)) * width;
}

export function toValue(window: ViewWindow, width: number, pixel: number): number {
  return window.from + (pixel / Math.max(1, width)) * span(window);
}

/** Moves and shrinks a window so that it lies within `whole` and is no narrower than `least`. */
export function clamp(window: ViewWindow, whole: ViewWindow, least: number): ViewWindow {
  const width = Math.min(Math.max(span(window), least), span(whole));
  const from = Math.min(Math.max(window.from, whole.from), whole.to - width);
  return { from, to: from + width };
}

/** Scales by `factor` (below 1 zooms in) so that `anchor` stays where it is. */
export function zoom(window: ViewWindow, factor: number, anchor: number): ViewWindow {
  return { from: anchor - (anchor - window.from) * factor, to: anchor + (window.to - anchor) * factor };
}

export function pan(window: ViewWindow, by: number): ViewWindow {
  return { from: window.from + by, to: window.to + by };
}

/** The least movement that brings [from, to] into view, with a margin; the scale is kept where it fits. */
export function reveal(window: ViewWindow, from: number, to: number): ViewWindow {
  const margin = span(window) * 0.1;
  if (from >= window.from && to <= window.to) return window;
  if (to - from > span(window)) return { from: from - (to - from) * 0.1, to: to + (to - from) * 0.1 };
  return from < window.from ? pan(window, from - margin - window.from) : pan(window, to + margin - window.to);
}
