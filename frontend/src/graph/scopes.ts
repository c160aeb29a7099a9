/**
 * Names as a tree: `block_1/conv/Conv2D` lies in the scope `conv` of the scope `block_1`. A node that has the name of a scope lies in it.
 * Names are untrusted: any number of slashes, empty parts and duplicates make a tree of bounded size. Pure.
 */

export interface Scopes {
  count: number;
  /** Scope 0 is the root, whose parent is −1; a scope comes after its parent. */
  parent: Int32Array;
  /** The scope's whole name, without a slash at its end. */
  path: string[];
  /** Each row's scope. */
  of: Int32Array;
  /** The rows, those of a scope and of all below it side by side: from `start[s]` to `end[s]`. */
  order: Int32Array;
  /** Where each row lies in `order`. */
  position: Int32Array;
  start: Int32Array;
  end: Int32Array;
  /** The first row of each scope, which its place among its siblings follows. */
  first: Int32Array;
  childStart: Int32Array;
  children: Int32Array;
  rowStart: Int32Array;
  rows: Int32Array;
}

/** Deeper parts of a name are one; TensorFlow's own names have far fewer. */
const MAX_DEPTH = 32;

export function buildScopes(names: readonly string[]): Scopes {
  const rows = names.length;
  // A tree of n names with at least two entries in each scope has fewer than n scopes; the rest is chains.
  const most = 4 * rows + 64;
  const parent: number[] = [-1];
  const path: string[] = [""];
  const first: number[] = [0];
  const known = new Map<string, number>();
  const of = new Int32Array(rows);

  const scopeOf = (prefix: string, row: number): number => {
    const found = known.get(prefix);
    if (found !== undefined) return found;
    let scope = 0;
    let depth = 0;
    for (let slash = prefix.indexOf("/"); depth < MAX_DEPTH; slash = prefix.indexOf("/", slash + 1)) {
      const part = slash < 0 ? prefix : prefix.slice(0, slash);
      const held = known.get(part);
      if (held !== undefined) scope = held;
      else {
        if (parent.length >= most) break;
        known.set(part, parent.length);
        parent.push(scope);
        path.push(part);
        first.push(row);
        scope = parent.length - 1;
      }
      depth += 1;
      if (slash < 0) break;
    }
    known.set(prefix, scope);
    return scope;
  };

  let lastPrefix = "";
  let lastScope = 0;
  for (let row = 0; row < rows; row += 1) {
    const name = names[row]!;
    const slash = name.lastIndexOf("/");
    if (slash <= 0) {
      of[row] = 0;
      continue;
    }
    if (slash !== lastPrefix.length || !name.startsWith(lastPrefix)) {
      lastPrefix = name.slice(0, slash);
      lastScope = scopeOf(lastPrefix, row);
    }
    of[row] = lastScope;
  }
  // `dense/MatMul` beside `dense/MatMul/ReadVariableOp` lies in `dense/MatMul`.
  for (let row = 0; row < rows; row += 1) {
    const own = known.get(names[row]!);
    if (own !== undefined && own !== 0 && path[own] === names[row]) of[row] = own;
  }
  return arrange(rows, of, Int32Array.from(parent), path, Int32Array.from(first));
}

/** Lists by scope, and an order in which what lies in a scope lies side by side. */
function arrange(rows: number, of: Int32Array, parent: Int32Array, path: string[], first: Int32Array): Scopes {
  const count = parent.length;
  const [rowStart, rowList] = grouped(of, count);
  const [childStart, children] = grouped(parent, count);
  for (let row = rows - 1; row >= 0; row -= 1) first[of[row]!] = Math.min(first[of[row]!]!, row);
  const size = new Int32Array(count);
  for (let scope = count - 1; scope >= 0; scope -= 1) {
    size[scope]! += rowStart[scope + 1]! - rowStart[scope]!;
    if (scope > 0) {
      size[parent[scope]!]! += size[scope]!;
      first[parent[scope]!] = Math.min(first[parent[scope]!]!, first[scope]!);
    }
  }
  const start = new Int32Array(count);
  const end = new Int32Array(count);
  const order = new Int32Array(rows);
  const position = new Int32Array(rows);
  const filled = new Int32Array(count);
  end[0] = rows;
  for (let scope = 0; scope < count; scope += 1) {
    // Parents come first, so that `start` of this one is known.
    let at = start[scope]!;
    for (let index = rowStart[scope]!; index < rowStart[scope + 1]!; index += 1) {
      order[at] = rowList[index]!;
      position[rowList[index]!] = at;
      at += 1;
    }
    filled[scope] = at;
    for (let index = childStart[scope]!; index < childStart[scope + 1]!; index += 1) {
      const child = children[index]!;
      start[child] = filled[scope]!;
      filled[scope]! += size[child]!;
      end[child] = filled[scope]!;
    }
  }
  return { count, parent, path, of, order, position, start, end, first, childStart, children, rowStart, rows: rowList };
}

/** Indices by the group that they are in, in their own order; those in no group (−1) are left out. */
export function grouped(group: Int32Array, groups: number): [start: Int32Array, list: Int32Array] {
  const start = new Int32Array(groups + 1);
  for (const value of group) if (value >= 0) start[value + 1]! += 1;
  for (let index = 0; index < groups; index += 1) start[index + 1]! += start[index]!;
  const list = new Int32Array(start[groups]!);
  const at = start.slice(0, groups);
  for (let index = 0; index < group.length; index += 1) {
    const value = group[index]!;
    if (value < 0) continue;
    list[at[value]!] = index;
    at[value]! += 1;
  }
  return [start, list];
}
