/** What of the picture a pane shows, and how large: one for both panes. Pure; world units are CSS pixels at scale 1. */

export interface Camera {
  /** The world's point at the pane's left top. */
  x: number;
  y: number;
  scale: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PaneSize {
  width: number;
  height: number;
}

export const LEAST_SCALE = 0.02;
export const MOST_SCALE = 3;
/** Below it, labels cannot be read. */
export const READABLE = 0.72;
const MARGIN = 16;

export function toScreen(camera: Camera, x: number, y: number): [x: number, y: number] {
  return [(x - camera.x) * camera.scale, (y - camera.y) * camera.scale];
}

export function toWorld(camera: Camera, x: number, y: number): [x: number, y: number] {
  return [x / camera.scale + camera.x, y / camera.scale + camera.y];
}

/** Scales by `factor` so that the pane's point (x, y) stays where it is. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor));
  const [worldX, worldY] = toWorld(camera, x, y);
  return { x: worldX - x / scale, y: worldY - y / scale, scale };
}

/** Moves by pixels of the pane. */
export function panBy(camera: Camera, x: number, y: number): Camera {
  return { ...camera, x: camera.x + x / camera.scale, y: camera.y + y / camera.scale };
}

/** The whole box, not larger than life. */
export function fitted(box: Box, pane: PaneSize, least = LEAST_SCALE): Camera {
  const scale = Math.max(least, Math.min(1, (pane.width - 2 * MARGIN) / Math.max(1, box.width), (pane.height - 2 * MARGIN) / Math.max(1, box.height)));
  return centred(box, pane, scale);
}

/** The box's middle in the pane's; of a box that is larger than the pane, its top. */
export function centred(box: Box, pane: PaneSize, scale: number): Camera {
  const tall = box.height * scale > pane.height - 2 * MARGIN;
  return {
    x: box.x + box.width / 2 - pane.width / 2 / scale,
    y: tall ? box.y - MARGIN / scale : box.y + box.height / 2 - pane.height / 2 / scale,
    scale,
  };
}

/** The least movement that brings the box into view, as much of it as fits, its left top first. */
export function revealing(camera: Camera, box: Box, pane: PaneSize): Camera {
  const along = (from: number, length: number, at: number, pixels: number): number => {
    const view = pixels / camera.scale;
    const margin = Math.min(MARGIN / camera.scale, view / 4);
    if (from + length + margin > at + view) at = from + length + margin - view;
    return from - margin < at ? from - margin : at;
  };
  return { ...camera, x: along(box.x, box.width, camera.x, pane.width), y: along(box.y, box.height, camera.y, pane.height) };
}

/** So that what was at `before` and is now at `after` stays at its place in the pane. */
export function following(camera: Camera, before: Box, after: Box): Camera {
  return { ...camera, x: camera.x + after.x - before.x, y: camera.y + after.y - before.y };
}

/** Keeps some of the picture in view. */
export function held(camera: Camera, scene: PaneSize, pane: PaneSize): Camera {
  const clamp = (at: number, length: number, pixels: number): number => {
    const view = pixels / camera.scale;
    const least = Math.min(40 / camera.scale, length / 2);
    return Math.min(length - least, Math.max(least - view, at));
  };
  return { ...camera, x: clamp(camera.x, scene.width, pane.width), y: clamp(camera.y, scene.height, pane.height) };
}

/** Shows no more emptiness around the picture than it must. */
export function filled(camera: Camera, scene: PaneSize, pane: PaneSize): Camera {
  const along = (at: number, length: number, pixels: number): number => {
    const view = pixels / camera.scale;
    const margin = MARGIN / camera.scale;
    return length + 2 * margin <= view ? (length - view) / 2 : Math.min(length + margin - view, Math.max(-margin, at));
  };
  return { ...camera, x: along(camera.x, scene.width, pane.width), y: along(camera.y, scene.height, pane.height) };
}

/** The scale at which a picture that does not fit is looked at first. */
export function comfortable(pane: PaneSize): number {
  return Math.min(1, Math.max(0.8, pane.width / 520));
}

export function between(from: Camera, to: Camera, share: number): Camera {
  const part = (a: number, b: number): number => a + (b - a) * share;
  return { x: part(from.x, to.x), y: part(from.y, to.y), scale: part(from.scale, to.scale) };
}
