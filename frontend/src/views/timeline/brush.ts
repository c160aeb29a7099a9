import { toPixel, toValue } from "../../base/view_window";
import { MINIMAP_HEIGHT } from "./draw_head";
import { dragged, gripAt } from "./grip";
import { chart, isWhole, plotLeft, setView, view } from "./model";

/** Follows one drag on the head of the timeline. */
export function brush(event: PointerEvent, canvas: HTMLCanvasElement): void {
  if (event.button !== 0) return;
  const bounds = canvas.getBoundingClientRect();
  const width = bounds.width - plotLeft.peek();
  const { whole } = chart.peek();
  const begin = view.peek();
  // On the ticks below the minimap a drag marks a part of what is in view.
  const inMinimap = event.clientY - bounds.top < MINIMAP_HEIGHT;
  const shownWindow = inMinimap ? whole : begin;
  const pixel = (now: PointerEvent): number => Math.min(width, Math.max(0, now.clientX - bounds.left - plotLeft.peek()));
  const value = (now: PointerEvent): number => toValue(shownWindow, width, pixel(now));
  const start = value(event);
  const grip = inMinimap ? gripAt(pixel(event), toPixel(whole, width, begin.from), toPixel(whole, width, begin.to), isWhole.peek()) : "new";
  canvas.setPointerCapture(event.pointerId);
  let moved = false;
  let last = begin;
  const move = (now: PointerEvent): void => {
    if (!moved && Math.abs(now.clientX - event.clientX) < 4) return;
    moved = true;
    last = dragged(grip, begin, start, value(now));
    if (inMinimap) setView(last);
  };
  const end = (): void => {
    canvas.removeEventListener("pointermove", move);
    canvas.removeEventListener("pointerup", end);
    canvas.removeEventListener("pointercancel", end);
    if (moved && !inMinimap) setView(last);
    if (!moved && inMinimap && grip === "new" && !isWhole.peek()) {
      const half = (begin.to - begin.from) / 2;
      setView({ from: start - half, to: start + half });
    }
  };
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
}
