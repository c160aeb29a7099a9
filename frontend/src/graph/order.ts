import { grouped } from "./scopes";

/**
 * How deep each node of a graph lies: along every edge between nodes that are in no common cycle the depth grows. So what is of one depth
 * can be bucketed without making a cycle. Pure; time and memory grow with nodes and edges, whatever the graph.
 */

/**
 * Depths of nodes 0…n−1 for edges from[e] → to[e]. With `kept`, the depth grows only along edges that touch a kept node: runs of others
 * have one depth, and all others of a depth can become one bucket.
 */
export function depths(n: number, from: Int32Array, to: Int32Array, kept?: Uint8Array): Int32Array {
  const [start, list] = grouped(from, n);
  const component = components(n, start, list, to);
  // Components are numbered against the edges' direction: the last one has no predecessor.
  const [memberStart, members] = grouped(component.of, component.count);
  const depth = new Int32Array(component.count);
  for (let index = component.count - 1; index >= 0; index -= 1) {
    for (let at = memberStart[index]!; at < memberStart[index + 1]!; at += 1) {
      const node = members[at]!;
      for (let edge = start[node]!; edge < start[node + 1]!; edge += 1) {
        const target = to[list[edge]!]!;
        const other = component.of[target]!;
        if (other === index) continue;
        const step = !kept || kept[node] || kept[target] ? 1 : 0;
        depth[other] = Math.max(depth[other]!, depth[index]! + step);
      }
    }
  }
  const result = new Int32Array(n);
  for (let node = 0; node < n; node += 1) result[node] = depth[component.of[node]!]!;
  lowerSources(n, from, to, result, kept);
  return result;
}

/** A node without predecessors (a constant, an argument) lies as close as it can to what uses it first. */
function lowerSources(n: number, from: Int32Array, to: Int32Array, depth: Int32Array, kept: Uint8Array | undefined): void {
  const fed = new Uint8Array(n);
  const least = new Int32Array(n).fill(0x7fffffff);
  for (let edge = 0; edge < from.length; edge += 1) {
    const [source, target] = [from[edge]!, to[edge]!];
    if (source === target) continue;
    fed[target] = 1;
    const step = !kept || kept[source] || kept[target] ? 1 : 0;
    least[source] = Math.min(least[source]!, depth[target]! - step);
  }
  for (let node = 0; node < n; node += 1) if (!fed[node] && least[node] !== 0x7fffffff) depth[node] = Math.max(depth[node]!, least[node]!);
}

/** Tarjan's strongly connected components, without recursion. */
function components(n: number, start: Int32Array, list: Int32Array, to: Int32Array): { of: Int32Array; count: number } {
  const of = new Int32Array(n).fill(-1);
  const found = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const next = start.slice(0, n);
  const open = new Int32Array(n);
  const path = new Int32Array(n);
  let opened = 0;
  let clock = 0;
  let count = 0;
  for (let root = 0; root < n; root += 1) {
    if (found[root] !== -1) continue;
    let depth = 0;
    path[0] = root;
    found[root] = low[root] = clock++;
    open[opened++] = root;
    while (depth >= 0) {
      const node = path[depth]!;
      if (next[node]! < start[node + 1]!) {
        const target = to[list[next[node]!]!]!;
        next[node]! += 1;
        if (found[target] === -1) {
          found[target] = low[target] = clock++;
          open[opened++] = target;
          path[++depth] = target;
        } else if (of[target] === -1) low[node] = Math.min(low[node]!, found[target]!);
        continue;
      }
      depth -= 1;
      if (depth >= 0) low[path[depth]!] = Math.min(low[path[depth]!]!, low[node]!);
      if (low[node] !== found[node]) continue;
      let member: number;
      do {
        member = open[--opened]!;
        of[member] = count;
      } while (member !== node);
      count += 1;
    }
  }
  return { of, count };
}
