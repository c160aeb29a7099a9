import { signal } from "@preact/signals";
import { busy } from "../base/idle";
import { between, type Box, type Camera, centred, comfortable, filled, fitted, following, held, panBy, type PaneSize, READABLE, revealing, zoomAt } from "../graph/camera";
import type { Scene } from "../graph/scene";
import { differing } from "../graph/status";

/** The one camera of both panes, and how it moves. */

export const camera = signal<Camera>({ x: 0, y: 0, scale: 1 });
/** Of one pane; both have the same. */
export const pane = signal<PaneSize>({ width: 0, height: 0 });

const GLIDE_MS = 180;
let gliding: (() => void) | null = null;
let waiting: Scene | null = null;

function stop(): void {
  gliding?.();
  gliding = null;
}

function jump(to: Camera): void {
  stop();
  camera.value = to;
}

function glide(to: Camera): void {
  stop();
  const from = camera.peek();
  const far = Math.abs(to.x - from.x) * to.scale > pane.peek().width * 3 || Math.abs(to.y - from.y) * to.scale > pane.peek().height * 3;
  if (far || window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
    camera.value = to;
    return;
  }
  const done = busy();
  const begin = performance.now();
  let frame = 0;
  const step = (now: number): void => {
    const share = Math.min(1, (now - begin) / GLIDE_MS);
    camera.value = share >= 1 ? to : between(from, to, 1 - (1 - share) ** 3);
    if (share >= 1) stop();
    else frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  gliding = () => {
    cancelAnimationFrame(frame);
    done();
  };
}

export function setPane(size: PaneSize): void {
  pane.value = size;
  if (waiting && size.width > 0 && size.height > 0) place(waiting);
}

/** The first look at a scene: all of it if that can be read, else its chosen item, its first difference, or its top. */
export function place(scene: Scene): void {
  const size = pane.peek();
  waiting = size.width > 0 && size.height > 0 ? null : scene;
  if (waiting) return;
  const whole = { x: 0, y: 0, width: scene.width, height: scene.height };
  const all = fitted(whole, size);
  if (all.scale >= READABLE) return jump(all);
  const point = scene.items[scene.focus] ?? scene.items.find((item) => !item.open && differing(item.tally) > 0);
  const first = fitted(whole, size, comfortable(size));
  jump(filled(point ? revealing(first, point, size) : first, scene, size));
}

export function fitAll(scene: Scene): void {
  glide(fitted({ x: 0, y: 0, width: scene.width, height: scene.height }, pane.peek()));
}

/** Looks at an item from where its labels can be read. */
export function lookAt(box: Box, scene: PaneSize): void {
  const size = pane.peek();
  const scale = Math.max(READABLE, Math.min(1, camera.peek().scale));
  const to = box.width * scale > size.width || box.height * scale > size.height ? fitted(box, size, READABLE) : centred(box, size, scale);
  glide(filled(to, scene, size));
}

export function bringIntoView(box: Box): void {
  glide(revealing(camera.peek(), box, pane.peek()));
}

/** After an item was opened or closed it stays where it is; what opened comes into view. */
export function stayWith(before: Box | null, after: Box | null): void {
  if (!after) return;
  if (before) jump(following(camera.peek(), before, after));
  const now = camera.peek();
  const size = pane.peek();
  const fits = after.width * now.scale <= size.width && after.height * now.scale <= size.height;
  glide(fits || now.scale <= READABLE ? revealing(now, after, size) : fitted(after, size, READABLE));
}

export function zoomBy(factor: number, x = pane.peek().width / 2, y = pane.peek().height / 2): void {
  jump(zoomAt(camera.peek(), factor, x, y));
}

export function moveBy(x: number, y: number, scene: Scene): void {
  jump(held(panBy(camera.peek(), x, y), scene, pane.peek()));
}
