import type { GraphTable } from "../data/comparison";
import { Items } from "./items";
import { type Placed, placeLevel, type Size } from "./layout";
import { Levels } from "./level";
import { boxSize, HEADER, PADDING } from "./measure";
import type { ItemKind, Scene, SceneItem, SceneLine } from "./scene";
import { differing } from "./status";

/** How many boxes the first picture has, about: as many as can be read in half a window. */
const FIRST_BOXES = 26;
/** Scopes larger than this are opened by the user only: the first picture must not wait for them. */
const FIRST_ROWS = 20_000;
/** Opening everything stops there: at so many boxes, lines, and rows gone through. */
export const MOST_BOXES = 1_500;
const MOST_LINES = 5_000;
const MOST_ROWS = 4_000_000;

/** What is open of one graph, and the picture that follows from it. Lives in the worker. */
export class GraphView {
  readonly items: Items;
  private readonly levels: Levels;
  private open = new Set<number>();
  private placed = new Map<number, { inner: Placed; sizes: Size[] }>();
  private readonly parents = new Map<number, number>();

  constructor(
    readonly index: number,
    readonly table: GraphTable,
    fold: boolean,
  ) {
    this.items = new Items(table);
    this.levels = new Levels(this.items, fold);
    this.openFirst();
  }

  setFold(fold: boolean, keep: number | null): void {
    if (this.levels.folds === fold) return;
    this.levels.setFold(fold);
    this.placed.clear();
    this.parents.clear();
    // Buckets are others now; what was open of the scopes stays so.
    const scopes = [...this.open].filter((item) => this.items.isScope(item));
    this.open = new Set();
    for (const scope of scopes) this.revealItem(scope, true);
    if (keep !== null) this.reveal(keep);
  }

  private children(item: number): number[] {
    const { items } = this.levels.of(item);
    for (const child of items) this.parents.set(child, item);
    return items;
  }

  canOpen(item: number): boolean {
    return !this.items.isRow(item);
  }

  isOpen(item: number): boolean {
    return this.open.has(item);
  }

  setOpen(item: number, open: boolean): void {
    if (!this.items.has(item) || !this.canOpen(item) || item === this.items.root || open === this.open.has(item)) return;
    if (open) this.open.add(item);
    else this.open.delete(item);
    this.forget(item);
  }

  private forget(item: number): void {
    for (let at: number | undefined = item; at !== undefined; at = this.parents.get(at)) this.placed.delete(at);
  }

  /** Opens an item and all that is in it, as far as the picture stays drawable: outer ones first. Returns whether everything is open. */
  openAll(item: number): boolean {
    const waiting = [item];
    const spent = { boxes: this.count(), lines: 0, rows: 0 };
    for (let at = 0; at < waiting.length; at += 1) {
      const next = waiting[at]!;
      if (!this.canOpen(next)) continue;
      spent.rows += this.items.tally(next).rows;
      if (spent.rows > MOST_ROWS) return false;
      const children = this.children(next);
      if (next !== this.items.root && !this.open.has(next)) {
        spent.boxes += children.length;
        spent.lines += this.levels.of(next).edges.length;
        if (spent.boxes > MOST_BOXES || spent.lines > MOST_LINES) return false;
        this.setOpen(next, true);
      }
      waiting.push(...children);
    }
    return true;
  }

  closeAll(item: number): void {
    for (const open of [...this.open]) if (open === item || this.isWithin(open, item)) this.setOpen(open, false);
  }

  private isWithin(item: number, outer: number): boolean {
    for (let at = this.parents.get(item); at !== undefined; at = this.parents.get(at)) if (at === outer) return true;
    return false;
  }

  private count(): number {
    const below = (item: number): number => this.children(item).reduce((sum, child) => sum + 1 + (this.open.has(child) ? below(child) : 0), 0);
    return below(this.items.root);
  }

  /** Opens whatever hides a row. */
  reveal(row: number): void {
    if (row >= 0 && row < this.table.rows) this.revealItem(row, false);
  }

  /** Opens scopes by their names; those that are not there are ignored. */
  openPaths(paths: readonly string[]): void {
    const known = new Map(this.items.scopes.path.map((path, scope) => [path, scope]));
    for (const path of paths) {
      const scope = known.get(path);
      if (scope) this.revealItem(this.items.root + scope, true);
    }
  }

  private revealItem(wanted: number, itself: boolean): void {
    const row = this.items.isRow(wanted) ? wanted : (this.items.firstRow(wanted) ?? -1);
    let at = this.items.root;
    while (row >= 0) {
      const child = this.children(at).find((candidate) => this.items.holds(candidate, row));
      if (child === undefined || this.items.isRow(child)) return;
      if (child === wanted && !itself) return;
      this.setOpen(child, true);
      if (child === wanted) return;
      at = child;
    }
  }

  /** What shows first: what changed, opened as far as it can be read; of equal graphs, what fits. */
  private openFirst(): void {
    let boxes = this.children(this.items.root).length;
    const waiting = [...this.children(this.items.root)];
    const anything = differing(this.items.tally(this.items.root)) > 0;
    for (;;) {
      let best = -1;
      let bestSize = Infinity;
      for (const item of waiting) {
        const tally = this.items.tally(item);
        if (!this.canOpen(item) || this.open.has(item) || tally.rows > FIRST_ROWS) continue;
        // What only a or only b has, or is alike, is told by its box; what mixes is worth opening.
        if (anything && (differing(tally) === 0 || tally.added === tally.rows || tally.removed === tally.rows)) continue;
        if (this.items.bucketKind(item) === "alike") continue;
        const size = this.children(item).length;
        if (size < bestSize) [best, bestSize] = [item, size];
      }
      if (best < 0 || boxes + bestSize > FIRST_BOXES) return;
      this.open.add(best);
      boxes += bestSize;
      waiting.splice(waiting.indexOf(best), 1);
      waiting.push(...this.children(best));
    }
  }

  /** `focus`: the item that the caller wants to find in the scene. */
  scene(focus: number): Scene {
    const scene: Scene = { graph: this.index, root: this.items.root, items: [], lines: [], width: 0, height: 0, folds: this.levels.folds, focus: -1 };
    const { inner } = this.place(this.items.root);
    scene.width = inner.width;
    scene.height = inner.height;
    this.draw(scene, this.items.root, -1, 0, 0, 0, null);
    scene.focus = scene.items.findIndex((item) => item.item === focus);
    return scene;
  }

  private place(item: number): { inner: Placed; sizes: Size[] } {
    const held = this.placed.get(item);
    if (held) return held;
    const level = this.levels.of(item);
    const sizes = this.children(item).map((child): Size => {
      const box = boxSize(this.describe(child, item));
      if (!this.open.has(child)) return box;
      const { inner } = this.place(child);
      return { width: Math.max(box.width, inner.width + 2 * PADDING), height: inner.height + HEADER + PADDING };
    });
    const made = { inner: placeLevel(level, sizes), sizes };
    this.placed.set(item, made);
    return made;
  }

  /** Where lines from outside enter an opened item, relative to it; null if they are not drawn inside. */
  private port(item: number, side: "from" | "to"): number | null {
    const { edges } = this.levels.of(item);
    const { inner } = this.place(item);
    const index = edges.findIndex((edge, at) => edge[side] < 0 && inner.lines[at]!.length > 0);
    const line = inner.lines[index];
    return line ? line[side === "from" ? 0 : line.length - 2]! : null;
  }

  private draw(scene: Scene, parent: number, parentIndex: number, depth: number, left: number, top: number, box: SceneItem | null): void {
    const level = this.levels.of(parent);
    const { inner, sizes } = this.place(parent);
    const indices: number[] = [];
    level.items.forEach((child, at) => {
      const item: SceneItem = {
        ...this.describe(child, parent),
        parent: parentIndex,
        depth,
        open: this.open.has(child),
        x: left + inner.x[at]!,
        y: top + inner.y[at]!,
        width: sizes[at]!.width,
        height: sizes[at]!.height,
      };
      indices.push(scene.items.push(item) - 1);
      if (item.open) this.draw(scene, child, indices[at]!, depth + 1, item.x + this.indent(child, item), item.y + HEADER, item);
    });
    level.edges.forEach((edge, at) => {
      const points = inner.lines[at]!.map((value, index) => value + (index % 2 ? top : left));
      if (points.length === 0) return;
      const from = indices[edge.from] ?? parentIndex;
      const to = indices[edge.to] ?? parentIndex;
      // A line goes on where an opened box is entered or left.
      if (edge.from < 0 && box) points.unshift(points[0]!, box.y);
      else if (scene.items[from]?.open) this.bend(scene.items[from]!, "to", points);
      if (edge.to < 0 && box) points.push(points[points.length - 2]!, box.y + box.height);
      else if (scene.items[to]?.open) this.bend(scene.items[to]!, "from", points);
      const line: SceneLine = { from, to, a: edge.a, b: edge.b, control: edge.control, points };
      scene.lines.push(line);
    });
  }

  /** Leads a line that comes in at the top (or goes out at the bottom) to where it goes on inside; lines against the flow stay. */
  private bend(item: SceneItem, side: "from" | "to", points: number[]): void {
    const port = this.port(item.item, side);
    const end = side === "from" ? points.length - 2 : 0;
    const next = side === "from" ? end - 2 : 2;
    const edge = side === "from" ? item.y : item.y + item.height;
    const against = side === "from" ? points[next + 1]! > edge : points[next + 1]! < edge;
    if (port !== null && !against) points.splice(end, 2, item.x + this.indent(item.item, item) + port, edge);
  }

  /** What is inside a box stands in its middle. */
  private indent(item: number, box: Size): number {
    return (box.width - this.place(item).inner.width) / 2;
  }

  private describe(item: number, parent: number): Omit<SceneItem, "parent" | "depth" | "open" | "x" | "y" | "width" | "height"> {
    const { items, table } = this;
    const bucket = items.bucketOf(item);
    const isRow = items.isRow(item);
    const kind: ItemKind = isRow ? "op" : bucket ? (bucket.kind === "one" ? "range" : bucket.kind) : "scope";
    const renamed = isRow ? table.renamedFrom.get(item) : undefined;
    return {
      item,
      kind,
      label: bucket ? items.bucketLabel(item) : items.label(item, parent),
      labelA: renamed === undefined ? "" : renamed.slice(renamed.lastIndexOf("/") + 1),
      path: items.path(item),
      firstRow: items.firstRow(item) ?? -1,
      op: isRow ? items.opName(item) : "",
      shapeA: isRow ? (table.texts[table.shapeA[item]!] ?? "") : "",
      shapeB: isRow ? (table.texts[table.shapeB[item]!] ?? "") : "",
      flags: isRow ? table.flags[item]! : 0,
      tally: items.tally(item),
      calls: isRow ? table.calls[item]! : -1,
      canOpen: !isRow,
    };
  }
}
