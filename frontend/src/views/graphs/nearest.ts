import type { Camera, PaneSize } from "../../graph/camera";
import type { Scene, SceneItem } from "../../graph/scene";

/** The box that an arrow key goes to: the nearest in that direction; at first, the one nearest to the pane's left top. Pure. */
export function nearest(scene: Scene, from: SceneItem | null, [dx, dy]: readonly [number, number], camera: Camera, pane: PaneSize): SceneItem | null {
  const start = from ?? { x: camera.x + pane.width / camera.scale / 2, y: camera.y, width: 0, height: 0 };
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2];
  let best: SceneItem | null = null;
  let least = Infinity;
  for (const item of scene.items) {
    if (item === from || (item.open && from)) continue;
    const [alongX, alongY] = [item.x + item.width / 2 - x, item.y + item.height / 2 - y];
    const ahead = from ? alongX * dx + alongY * dy : 0;
    if (from && ahead <= 1) continue;
    const aside = Math.abs(alongX * dy) + Math.abs(alongY * dx);
    const distance = from ? ahead + aside * 2.5 : Math.hypot(alongX, alongY);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}
