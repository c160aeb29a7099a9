import type { Camera } from "../../graph/camera";
import { HEADER, LABEL_SIZE, SMALL_SIZE, subtitleOf, tallyMarks, titleOf } from "../../graph/measure";
import type { Scene, SceneItem, SceneLine } from "../../graph/scene";
import type { Palette } from "./palette";
import { isThere, type LineTone, lineToneOf, type Mark, marksOf, type Side, signOf, type Tone, toneOf } from "./tones";

/** Draws a scene as one side has it. What can be told once per scene is told once (`Plan`), so that a frame is only strokes. */

export interface Plan {
  open: SceneItem[];
  closed: [Tone, SceneItem[]][];
  lines: [LineTone, SceneLine[]][];
  /** Texts cut to their boxes, by item; filled as they are drawn. */
  texts: Map<SceneItem, { title: string; width: number; subtitle: string }>;
}

export interface Frame {
  scene: Scene;
  plan: Plan;
  side: Side;
  camera: Camera;
  width: number;
  height: number;
  density: number;
  palette: Palette;
  chosen: SceneItem | null;
  hovered: SceneItem | null;
}

type Pen = CanvasRenderingContext2D;
const RADIUS = 5;
const DETAIL_SCALE = 0.34;
const SMALL_TEXT_SCALE = 0.5;
const STACK = 3;

export function planOf(scene: Scene, side: Side): Plan {
  const closed = new Map<Tone, SceneItem[]>();
  const lines = new Map<LineTone, SceneLine[]>();
  for (const item of scene.items) if (!item.open) push(closed, toneOf(item, side), item);
  for (const line of scene.lines) push(lines, lineToneOf(line, side), line);
  return { open: scene.items.filter((item) => item.open), closed: [...closed], lines: [...lines], texts: new Map() };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

export function drawPane(pen: Pen, frame: Frame): void {
  const { camera, density, palette, width, height } = frame;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  const scale = camera.scale * density;
  pen.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
  const view = { left: camera.x, top: camera.y, right: camera.x + width / camera.scale, bottom: camera.y + height / camera.scale };
  const inView = (item: SceneItem): boolean => item.x < view.right && item.x + item.width > view.left && item.y < view.bottom && item.y + item.height > view.top;
  const hair = Math.max(1, 0.9 / camera.scale);
  pen.lineWidth = hair;

  for (const item of frame.plan.open) if (inView(item)) drawOpen(pen, frame, item);
  drawLines(pen, frame, view, hair);
  for (const [tone, items] of frame.plan.closed) drawClosed(pen, frame, tone, items.filter(inView), hair);
  const emphasized = new Set([frame.hovered, frame.chosen]);
  for (const item of emphasized) if (item) outline(pen, item, item === frame.chosen ? palette.accent : palette.muted, (item === frame.chosen ? 2.5 : 1.5) * hair);
  if (camera.scale < DETAIL_SCALE * 0.6) return;
  pen.textBaseline = "alphabetic";
  for (const item of frame.plan.open) if (inView(item)) writeHeader(pen, frame, item);
  if (camera.scale < DETAIL_SCALE) return;
  for (const [tone, items] of frame.plan.closed) for (const item of items) if (inView(item)) write(pen, frame, tone, item);
}

function drawOpen(pen: Pen, frame: Frame, item: SceneItem): void {
  const ghost = !isThere(item, frame.side);
  const [fill, line] = frame.palette.scope;
  pen.beginPath();
  pen.roundRect(item.x, item.y, item.width, item.height, RADIUS + 1);
  if (!ghost) {
    pen.fillStyle = item.depth % 2 ? frame.palette.background : fill;
    pen.fill();
  }
  pen.strokeStyle = line;
  pen.setLineDash(ghost ? [5, 4] : []);
  pen.stroke();
  pen.setLineDash([]);
}

function drawClosed(pen: Pen, frame: Frame, tone: Tone, items: readonly SceneItem[], hair: number): void {
  if (items.length === 0) return;
  const { palette, camera } = frame;
  const rounded = camera.scale >= DETAIL_SCALE;
  const box = (item: SceneItem, shift: number): void => {
    if (rounded) pen.roundRect(item.x + shift, item.y + shift, item.width, item.height, RADIUS);
    else pen.rect(item.x + shift, item.y + shift, item.width, item.height);
  };
  pen.strokeStyle = palette.edge[tone];
  pen.fillStyle = palette.fill[tone];
  if (tone === "ghost") pen.setLineDash([4, 4]);
  const stacked = items.filter((item) => item.kind !== "op" && item.kind !== "scope");
  for (const [list, shift] of [[stacked, STACK], [items, 0]] as const) {
    if (list.length === 0) continue;
    pen.beginPath();
    for (const item of list) box(item, shift);
    if (tone !== "ghost") pen.fill();
    pen.lineWidth = hair * (tone === "plain" || tone === "group" || tone === "unchanged" || tone === "ghost" ? 1 : 1.4);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.lineWidth = hair;
}

function outline(pen: Pen, item: SceneItem, colour: string, width: number): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.roundRect(item.x - width / 2, item.y - width / 2, item.width + width, item.height + width, RADIUS + width / 2);
  pen.stroke();
}

function drawLines(pen: Pen, frame: Frame, view: { left: number; top: number; right: number; bottom: number }, hair: number): void {
  const { palette, camera } = frame;
  const fine = camera.scale >= DETAIL_SCALE;
  const chosen = frame.chosen ? frame.scene.items.indexOf(frame.chosen) : -1;
  const hovered = frame.hovered ? frame.scene.items.indexOf(frame.hovered) : -1;
  const lit: SceneLine[] = [];
  const colour: Record<LineTone, string> = { plain: palette.line, control: palette.line, added: palette.edge.added, removed: palette.edge.removed, ghost: palette.line };
  for (const [tone, lines] of frame.plan.lines) {
    pen.strokeStyle = pen.fillStyle = colour[tone];
    pen.setLineDash(tone === "control" ? [2, 3] : tone === "ghost" ? [4, 4] : []);
    pen.globalAlpha = tone === "ghost" ? 0.5 : tone === "control" ? 0.8 : 1;
    pen.lineWidth = hair * (tone === "added" || tone === "removed" ? 1.6 : 1.1);
    const drawn: SceneLine[] = [];
    pen.beginPath();
    for (const line of lines) {
      if (!touches(line, view)) continue;
      if (tone !== "ghost" && (touchesItem(line, chosen) || touchesItem(line, hovered))) lit.push(line);
      else {
        trace(pen, line.points, fine);
        drawn.push(line);
      }
    }
    pen.stroke();
    pen.setLineDash([]);
    if (fine && tone !== "ghost") heads(pen, drawn);
  }
  pen.globalAlpha = 1;
  for (const [index, ink] of [[hovered, palette.muted], [chosen, palette.accent]] as const) {
    const mine = lit.filter((line) => touchesItem(line, index));
    if (mine.length === 0) continue;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = hair * 2;
    pen.beginPath();
    for (const line of mine) trace(pen, line.points, fine);
    pen.stroke();
    if (fine) heads(pen, mine);
  }
  pen.lineWidth = hair;
}

function touchesItem(line: SceneLine, index: number): boolean {
  return index >= 0 && (line.from === index || line.to === index);
}

/** A line lies within the box of its points. */
function touches({ points }: SceneLine, view: { left: number; top: number; right: number; bottom: number }): boolean {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    left = Math.min(left, points[at]!);
    right = Math.max(right, points[at]!);
    top = Math.min(top, points[at + 1]!);
    bottom = Math.max(bottom, points[at + 1]!);
  }
  return left < view.right && right > view.left && top < view.bottom && bottom > view.top;
}

/** Corners are rounded off where there is room to see it. */
function trace(pen: Pen, points: readonly number[], fine: boolean): void {
  const last = points.length - 2;
  pen.moveTo(points[0]!, points[1]!);
  if (!fine || last < 4) {
    for (let at = 2; at <= last; at += 2) pen.lineTo(points[at]!, points[at + 1]!);
    return;
  }
  for (let at = 2; at < last; at += 2) {
    const [x, y, nextX, nextY] = [points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!];
    const whole = at === last - 2;
    pen.quadraticCurveTo(x, y, whole ? nextX : (x + nextX) / 2, whole ? nextY : (y + nextY) / 2);
  }
}

function heads(pen: Pen, lines: readonly SceneLine[]): void {
  pen.beginPath();
  for (const { points } of lines) {
    const at = points.length - 2;
    const [x, y] = [points[at]!, points[at + 1]!];
    const length = Math.hypot(x - points[at - 2]!, y - points[at - 1]!) || 1;
    const [dx, dy] = [((x - points[at - 2]!) / length) * 6, ((y - points[at - 1]!) / length) * 6];
    pen.moveTo(x, y);
    pen.lineTo(x - dx - dy * 0.45, y - dy + dx * 0.45);
    pen.lineTo(x - dx + dy * 0.45, y - dy - dx * 0.45);
    pen.closePath();
  }
  pen.fill();
}

function writeHeader(pen: Pen, frame: Frame, item: SceneItem): void {
  const { palette } = frame;
  const ghost = !isThere(item, frame.side);
  chevron(pen, item.x + 11, item.y + HEADER / 2 + 1, true, palette.muted);
  pen.font = `600 ${LABEL_SIZE}px ${palette.sans}`;
  const { title, width } = textsOf(pen, frame, item, item.width - 34, 0);
  pen.fillStyle = ghost ? palette.muted : palette.text;
  pen.fillText(title, item.x + 20, item.y + HEADER / 2 + 5);
  if (frame.camera.scale >= SMALL_TEXT_SCALE && !ghost) writeMarks(pen, frame, item, item.x + 28 + width, item.y + HEADER / 2 + 5, item.x + item.width - 8);
}

function write(pen: Pen, frame: Frame, tone: Tone, item: SceneItem): void {
  const { palette, camera } = frame;
  const ghost = tone === "ghost";
  const isOp = item.kind === "op";
  const marks = isOp && !ghost ? marksOf(item.flags) : [];
  const hasSecond = item.height > 30;
  const left = item.x + 9;
  const indent = item.canOpen ? 11 : 0;
  if (item.canOpen) chevron(pen, left + 1, item.y + (hasSecond ? 14 : item.height / 2), false, palette.muted);
  pen.font = `${item.kind === "unchanged" ? "italic 400" : item.canOpen ? "600" : "500"} ${LABEL_SIZE}px ${palette.sans}`;
  const { title, subtitle } = textsOf(pen, frame, item, item.width - 17 - indent - marks.length * 15, item.width - 17);
  pen.fillStyle = ghost || item.kind === "unchanged" ? palette.muted : palette.text;
  pen.fillText(title, left + indent, item.y + (hasSecond ? 18 : item.height / 2 + 4));
  marks.forEach((mark, index) => badge(pen, palette, mark, item.x + item.width - 7 - 13 - (marks.length - 1 - index) * 15, item.y + 7));
  if (hasSecond && camera.scale >= SMALL_TEXT_SCALE) {
    pen.font = `400 ${SMALL_SIZE}px ${palette.sans}`;
    const differs = isOp && !ghost && item.shapeA !== "" && item.shapeB !== "" && item.shapeA !== item.shapeB;
    pen.fillStyle = differs ? palette.edge.changed : palette.muted;
    pen.fillText(subtitle, left, item.y + 33);
    if (!isOp && !ghost) writeMarks(pen, frame, item, left + (subtitle ? pen.measureText(subtitle).width + 8 : 0), item.y + 33, item.x + item.width - 6);
  }
}

/** What is written in a box, cut to fit; the pen's font is the title's. */
function textsOf(pen: Pen, frame: Frame, item: SceneItem, titleWidth: number, subtitleWidth: number): { title: string; width: number; subtitle: string } {
  const held = frame.plan.texts.get(item);
  if (held) return held;
  const inA = frame.side === "a";
  const title = fit(pen, titleOf(item, inA), titleWidth);
  const texts = { title, width: pen.measureText(title).width, subtitle: "" };
  if (subtitleWidth > 0) {
    const font = pen.font;
    pen.font = `400 ${SMALL_SIZE}px ${frame.palette.sans}`;
    const ghost = !isThere(item, frame.side);
    texts.subtitle = fit(pen, ghost ? `only in ${inA ? "B" : "A"}` : subtitleOf(item, inA), subtitleWidth);
    pen.font = font;
  }
  frame.plan.texts.set(item, texts);
  return texts;
}

function writeMarks(pen: Pen, frame: Frame, item: SceneItem, from: number, y: number, to: number): void {
  pen.font = `600 ${SMALL_SIZE}px ${frame.palette.sans}`;
  let x = from;
  for (const { status, text } of tallyMarks(item.tally)) {
    const width = pen.measureText(text).width;
    if (x + width > to) return;
    pen.fillStyle = frame.palette.edge[status];
    pen.fillText(text, x, y);
    x += width + 6;
  }
}

function badge(pen: Pen, palette: Palette, mark: Mark, x: number, y: number): void {
  pen.fillStyle = palette.edge[mark];
  pen.beginPath();
  pen.roundRect(x, y, 13, 13, 3);
  pen.fill();
  pen.fillStyle = palette.onMark;
  pen.font = `700 ${mark === "changed" ? 15 : 11}px ${palette.sans}`;
  pen.textAlign = "center";
  pen.fillText(signOf(mark), x + 6.5, y + (mark === "changed" ? 12 : 10.5));
  pen.textAlign = "left";
}

function chevron(pen: Pen, x: number, y: number, open: boolean, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  if (open) {
    pen.moveTo(x - 4, y - 2);
    pen.lineTo(x + 4, y - 2);
    pen.lineTo(x, y + 3);
  } else {
    pen.moveTo(x - 2, y - 4);
    pen.lineTo(x - 2, y + 4);
    pen.lineTo(x + 3, y);
  }
  pen.closePath();
  pen.fill();
}

/** A text that fits, with an ellipsis in its middle: names differ at their ends. */
function fit(pen: Pen, text: string, width: number): string {
  const source = text.length > 300 ? `${text.slice(0, 150)}…${text.slice(-149)}` : text;
  let result = source;
  for (let keep = source.length - 1; keep > 1 && pen.measureText(result).width > width; keep -= Math.max(1, Math.floor(keep / 12))) {
    result = `${source.slice(0, Math.ceil(keep * 0.4))}…${source.slice(source.length - Math.floor(keep * 0.6))}`;
  }
  return result;
}

/** The innermost item at a point of the world. */
export function itemAt(scene: Scene, x: number, y: number): SceneItem | null {
  for (let index = scene.items.length - 1; index >= 0; index -= 1) {
    const item = scene.items[index]!;
    if (x >= item.x && x <= item.x + item.width && y >= item.y && y <= item.y + item.height) return item;
  }
  return null;
}

/** Whether the point is on the sign that opens and closes an item. */
export function onChevron(item: SceneItem, x: number, y: number): boolean {
  return item.canOpen && x < item.x + 22 && y < item.y + HEADER;
}
