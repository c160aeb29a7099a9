import { type GraphTable, IN_A, IN_B, readComparison } from "../data/comparison";

/** Graphs for tests: nodes with only what matters given. */

export interface NodeGiven {
  name: string;
  op?: string;
  /** Names, or rows; `^name` is a control input. */
  inputs?: (string | number)[];
  flags?: number;
  calls?: number;
  a?: string;
  b?: string;
  from?: string;
}

/** As the server would answer. */
export function anAnswer(...graphs: NodeGiven[][]): Record<string, unknown> {
  return { schema: 1, a: { session: "s", seq: 1 }, b: { session: "s", seq: 2 }, sentence: "", graphs: graphs.map(columns), facts: {}, counts: {} };
}

function columns(nodes: readonly NodeGiven[], index: number): Record<string, unknown> {
  const opNames = [...new Set(nodes.map((node) => node.op ?? "Op"))];
  const texts = [...new Set(nodes.flatMap((node) => [node.a ?? "", node.b ?? ""]))].filter((text) => text !== "");
  const rows = new Map(nodes.map((node, row) => [node.name, row]));
  const start = [0];
  const sources: number[] = [];
  const inputFlags: number[] = [];
  for (const node of nodes) {
    for (const input of node.inputs ?? []) {
      const control = typeof input === "string" && input.startsWith("^");
      sources.push(typeof input === "number" ? input : (rows.get(input.replace(/^\^/, "")) ?? -1));
      inputFlags.push(((node.flags ?? 3) & 3) | (control ? 4 : 0));
    }
    start.push(sources.length);
  }
  const renamed = nodes.map((node, row) => [row, node.from] as const).filter(([, from]) => from !== undefined);
  return {
    name: `graph_${index}`,
    name_a: `graph_${index}`,
    name_b: `graph_${index}`,
    names: nodes.map((node) => node.name),
    op_names: opNames,
    op: nodes.map((node) => opNames.indexOf(node.op ?? "Op")),
    flags: nodes.map((node) => node.flags ?? IN_A | IN_B),
    renamed_node: renamed.map(([row]) => row),
    renamed_from: renamed.map(([, from]) => from),
    texts,
    shape_a: nodes.map((node) => texts.indexOf(node.a ?? "")),
    shape_b: nodes.map((node) => texts.indexOf(node.b ?? "")),
    calls: nodes.map((node) => node.calls ?? -1),
    input_start: start,
    input_node: sources,
    input_flags: inputFlags,
  };
}

export function aTable(nodes: NodeGiven[]): GraphTable {
  return readComparison(anAnswer(nodes)).graphs[0]!;
}

/** Pseudo-random numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Whether edges from[i] → to[i] over n nodes make a cycle (Kahn's algorithm, unlike what is tested). */
export function hasCycle(n: number, edges: readonly (readonly [number, number])[]): boolean {
  const missing = new Array<number>(n).fill(0);
  const out = Array.from({ length: n }, () => [] as number[]);
  for (const [from, to] of edges) {
    if (from === to) continue;
    out[from]!.push(to);
    missing[to]! += 1;
  }
  const ready = missing.flatMap((count, node) => (count === 0 ? [node] : []));
  let seen = 0;
  while (ready.length) {
    seen += 1;
    for (const to of out[ready.pop()!]!) if ((missing[to]! -= 1) === 0) ready.push(to);
  }
  return seen < n;
}
