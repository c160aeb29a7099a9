import { type Comparison, IN_A, IN_B } from "../data/comparison";
import { GraphView } from "./graph_view";
import type { About, GraphName, Hit, Hits, Loaded, Place, Step } from "./protocol";
import type { Scene } from "./scene";
import { differing, SAME, statusOf } from "./status";

const MOST_HITS = 300;
const MOST_INPUTS = 200;
const MOST_LISTED = 100;

/** One comparison in the worker: its graphs' views, made when they are looked at, and what is asked of all of them. */
export class Session {
  private readonly views = new Map<number, GraphView>();
  private fold: boolean;
  /** All nodes that differ, graph by graph in the order of creation. */
  private readonly differences: Place[] = [];
  private lower: string[][] = [];

  constructor(
    private readonly comparison: Comparison,
    fold: boolean,
  ) {
    this.fold = fold;
    comparison.graphs.forEach((table, graph) => {
      for (let row = 0; row < table.rows; row += 1) if (statusOf(table.flags[row]!) !== SAME) this.differences.push({ graph, row });
    });
  }

  private view(graph: number): GraphView {
    const table = this.comparison.graphs[graph];
    if (!table) throw new RangeError("There is no such graph in this comparison.");
    let view = this.views.get(graph);
    if (!view) this.views.set(graph, (view = new GraphView(graph, table, this.fold)));
    return view;
  }

  /** `graph`, `row` and `open` come from the URL: what makes no sense is ignored. */
  loaded(graph: number, row: number, open: readonly string[], spent: Record<string, number>): Loaded {
    const { overview, graphs } = this.comparison;
    const known = Number.isInteger(graph) && graph >= 0 && graph < graphs.length ? graph : 0;
    const view = this.view(known);
    if (open.length) view.openPaths(open);
    const per = new Int32Array(graphs.length);
    for (const place of this.differences) per[place.graph]! += 1;
    const names = graphs.map((table, index): GraphName => ({ name: table.name, nameA: table.nameA, nameB: table.nameB, rows: table.rows, counts: table.counts, differing: per[index]! }));
    return { overview, graphs: names, differences: this.differences.length, scene: this.show(known, row), spent };
  }

  show(graph: number, row: number): Scene {
    const view = this.view(graph);
    if (row >= 0) view.reveal(row);
    return view.scene(row);
  }

  open(graph: number, item: number, open: boolean, all: boolean): Scene {
    const view = this.view(graph);
    if (!all) view.setOpen(item, open);
    else if (open) view.openAll(item);
    else view.closeAll(item);
    return view.scene(item);
  }

  setFold(fold: boolean, graph: number, row: number): Scene {
    this.fold = fold;
    for (const view of this.views.values()) view.setFold(fold, view.index === graph && row >= 0 ? row : null);
    return this.view(graph).scene(row);
  }

  step(from: Place | null, step: 1 | -1): Step | null {
    const { differences } = this;
    if (differences.length === 0) return null;
    // The first difference that is not before `from`.
    let low = 0;
    let high = differences.length;
    while (from && low < high) {
      const middle = (low + high) >> 1;
      if (before(differences[middle]!, from)) low = middle + 1;
      else high = middle;
    }
    const here = from !== null && low < differences.length && same(differences[low]!, from);
    const at = !from ? (step > 0 ? 0 : -1) : step > 0 ? (here ? low + 1 : low) : low - 1;
    const place = differences[(at + differences.length) % differences.length]!;
    return { place, scene: this.show(place.graph, place.row) };
  }

  /** Every word must be in the node's name, its name in a, or its op. The graph at hand comes first. */
  search(graph: number, text: string): Hits {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const { graphs } = this.comparison;
    const result: Hits = { text, total: 0, hits: [] };
    if (words.length === 0) return result;
    const order = [graph, ...graphs.keys()].filter((value, index) => index === 0 || value !== graph);
    for (const index of order) {
      const table = graphs[index];
      if (!table) continue;
      const names = (this.lower[index] ??= table.names.map((name) => name.toLowerCase()));
      const ops = table.opNames.map((op) => op.toLowerCase());
      for (let row = 0; row < table.rows; row += 1) {
        const op = ops[table.op[row]!] ?? "";
        const found = words.every((word) => names[row]!.includes(word) || op.includes(word) || (table.renamedFrom.get(row)?.toLowerCase().includes(word) ?? false));
        if (!found) continue;
        result.total += 1;
        if (result.hits.length < MOST_HITS) result.hits.push(this.hit(index, row));
      }
    }
    return result;
  }

  private hit(graph: number, row: number): Hit {
    const table = this.comparison.graphs[graph]!;
    return { graph, row, name: table.names[row]!, op: table.opNames[table.op[row]!] ?? "?", status: statusOf(table.flags[row]!) };
  }

  about(graph: number, item: number): About | null {
    const { items, table } = this.view(graph);
    if (!items.has(item)) return null;
    const tally = items.tally(item);
    const about: About = { graph, item, row: -1, path: items.path(item), tally, difference: 0, inputs: [], inputsLeftOut: 0, ops: [], differing: [] };
    if (items.isRow(item)) {
      about.row = item;
      about.difference = this.differences.findIndex((place) => place.graph === graph && place.row === item) + 1;
      const [from, to] = [table.inputStart[item]!, table.inputStart[item + 1]!];
      about.inputsLeftOut = Math.max(0, to - from - MOST_INPUTS);
      for (let at = from; at < Math.min(to, from + MOST_INPUTS); at += 1) {
        const row = table.inputNode[at]!;
        about.inputs.push({ row, name: table.names[row]!, flags: table.inputFlags[at]! });
      }
      return about;
    }
    const ops = new Map<number, { a: number; b: number }>();
    const rows: number[] = [];
    items.eachRow(item, (row) => {
      const op = table.op[row]!;
      const held = ops.get(op) ?? { a: 0, b: 0 };
      if (table.flags[row]! & IN_A) held.a += 1;
      if (table.flags[row]! & IN_B) held.b += 1;
      ops.set(op, held);
      if (statusOf(table.flags[row]!) !== SAME) rows.push(row);
    });
    const counts = [...ops].map(([op, { a, b }]) => ({ op: table.opNames[op] ?? "?", a, b }));
    about.ops = counts.sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a) || y.a + y.b - x.a - x.b).slice(0, MOST_LISTED);
    about.differing = differing(tally) ? rows.sort((x, y) => x - y).slice(0, MOST_LISTED).map((row) => this.hit(graph, row)) : [];
    return about;
  }
}

function before(a: Place, b: Place): boolean {
  return a.graph < b.graph || (a.graph === b.graph && a.row < b.row);
}

function same(a: Place, b: Place): boolean {
  return a.graph === b.graph && a.row === b.row;
}
