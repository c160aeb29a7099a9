import { Graph, layout as runDagre } from "@dagrejs/dagre";
import type { Level, LevelEdge } from "./level";

/** Places a level's children from top to bottom, in boxes of given sizes. Units are those of the boxes (CSS pixels at scale 1). Pure. */

export interface Size {
  width: number;
  height: number;
}

export interface Placed extends Size {
  /** Left and top of each child. */
  x: number[];
  y: number[];
  /** x0, y0, x1, y1, … of each edge of the level, from its source down to its target. */
  lines: number[][];
}

const GAP_X = 16;
const GAP_Y = 30;
const GRID_GAP = 14;
/** Edges beyond these do not take part in placing; they are drawn straight. */
const MOST_EDGES = 150;
/** Where a level has more children with edges across its border, those are not drawn: nearly every child has one. */
const MOST_ACROSS = 10;

const IN = "in";
const OUT = "out";

export function placeLevel(level: Level, sizes: readonly Size[]): Placed {
  const count = level.items.length;
  const x = new Array<number>(count).fill(0);
  const y = new Array<number>(count).fill(0);
  const lines: number[][] = level.edges.map(() => []);
  const across = { in: level.edges.filter((edge) => edge.from < 0).length <= MOST_ACROSS, out: level.edges.filter((edge) => edge.to < 0).length <= MOST_ACROSS };
  const drawn = level.edges.map((edge) => (edge.from < 0 ? across.in : edge.to < 0 ? across.out : true));
  const linked = new Uint8Array(count);
  level.edges.forEach((edge, index) => {
    if (!drawn[index]) return;
    if (edge.from >= 0) linked[edge.from] = 1;
    if (edge.to >= 0) linked[edge.to] = 1;
  });

  let extent: Size = { width: 0, height: 0 };
  if (linked.includes(1)) extent = dagre(level, sizes, linked, drawn, { x, y, lines });
  const loose = level.items.map((_, index) => index).filter((index) => !linked[index]);
  if (loose.length) extent = grid(loose, sizes, extent, { x, y });
  return { ...extent, x, y, lines };
}

function dagre(level: Level, sizes: readonly Size[], linked: Uint8Array, drawn: readonly boolean[], out: { x: number[]; y: number[]; lines: number[][] }): Size {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: GAP_X, edgesep: 12, ranksep: GAP_Y, ranker: "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  sizes.forEach((size, index) => {
    if (linked[index]) graph.setNode(`${index}`, { width: size.width, height: size.height });
  });
  const node = (end: number, port: string): string => {
    if (end >= 0) return `${end}`;
    if (!graph.hasNode(port)) graph.setNode(port, { width: 1, height: 1 });
    return port;
  };
  const placed = new Set<number>();
  level.edges.forEach((edge, index) => {
    if (!drawn[index] || placed.size >= MOST_EDGES) return;
    placed.add(index);
    graph.setEdge(node(edge.from, IN), node(edge.to, OUT), { weight: edge.from < 0 || edge.to < 0 ? 1 : 2 });
  });
  runDagre(graph);
  const { width = 0, height = 0 } = graph.graph();
  level.items.forEach((_, index) => {
    if (!linked[index]) return;
    const at = graph.node(`${index}`) as { x: number; y: number };
    out.x[index] = at.x - sizes[index]!.width / 2;
    out.y[index] = at.y - sizes[index]!.height / 2;
  });
  level.edges.forEach((edge, index) => {
    if (!drawn[index]) return;
    if (!placed.has(index)) {
      out.lines[index] = straight(edge, sizes, out, { width, height });
      return;
    }
    const { points } = graph.edge(node(edge.from, IN), node(edge.to, OUT)) as { points: { x: number; y: number }[] };
    out.lines[index] = points.flatMap((point) => [point.x, point.y]);
  });
  return { width, height };
}

function straight(edge: LevelEdge, sizes: readonly Size[], at: { x: number[]; y: number[] }, extent: Size): number[] {
  const bottom = edge.from < 0 ? [extent.width / 2, 0] : [at.x[edge.from]! + sizes[edge.from]!.width / 2, at.y[edge.from]! + sizes[edge.from]!.height];
  const top = edge.to < 0 ? [extent.width / 2, extent.height] : [at.x[edge.to]! + sizes[edge.to]!.width / 2, at.y[edge.to]!];
  return [...bottom, ...top];
}

/** Children without edges, in rows below the others, about as wide as they are or as a square. */
function grid(loose: readonly number[], sizes: readonly Size[], above: Size, out: { x: number[]; y: number[] }): Size {
  const area = loose.reduce((sum, index) => sum + (sizes[index]!.width + GRID_GAP) * (sizes[index]!.height + GRID_GAP), 0);
  const widest = loose.reduce((most, index) => Math.max(most, sizes[index]!.width), 0);
  const wrap = Math.max(widest, above.width, Math.sqrt(area) * 1.1);
  let x = 0;
  let y = above.height > 0 ? above.height + GAP_Y : 0;
  let tallest = 0;
  let width = above.width;
  for (const index of loose) {
    const size = sizes[index]!;
    if (x > 0 && x + size.width > wrap) {
      x = 0;
      y += tallest + GRID_GAP;
      tallest = 0;
    }
    out.x[index] = x;
    out.y[index] = y;
    x += size.width + GRID_GAP;
    width = Math.max(width, x - GRID_GAP);
    tallest = Math.max(tallest, size.height);
  }
  return { width, height: y + tallest };
}

/** The first layout of a worker takes several times as long as later ones: this is done while an answer is on its way. */
export function warmUp(): void {
  const edges = Array.from({ length: 40 }, (_, index): LevelEdge => ({ from: index % 17, to: (index % 17) + 1 + (index % 5), a: 1, b: 1, control: false }));
  const items = Array.from({ length: 24 }, (_, index) => index);
  placeLevel({ items, edges }, items.map(() => ({ width: 100, height: 40 })));
}
