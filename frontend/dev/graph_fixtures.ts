/**
 * Answers of `GET compare` as docs/http_api.md has them, made up after Keras' train steps: blocks of layers, their gradients, and an
 * optimizer whose scope is flat. The same arguments give the same answer.
 */

type Json = Record<string, unknown>;

/** What differs from a to b. `same`: nothing. */
export type Difference = "same" | "shapes" | "inserted" | "trained";

const [IN_A, IN_B, ATTRIBUTES, INPUTS, RENAMED] = [1, 2, 4, 8, 16];

class Builder {
  names: string[] = [];
  op: number[] = [];
  flags: number[] = [];
  shapeA: number[] = [];
  shapeB: number[] = [];
  calls: number[] = [];
  inputStart = [0];
  inputNode: number[] = [];
  inputFlags: number[] = [];
  renamed: [number, string][] = [];
  private readonly ops = new Map<string, number>();
  private readonly texts = new Map<string, number>();

  /** Adds a node; control inputs have a negative number, −1 − row. Returns its row. */
  add(name: string, op: string, inputs: readonly number[], [a, b]: readonly [string, string] = ["", ""], flags = IN_A | IN_B, calls = -1): number {
    const row = this.names.push(name) - 1;
    this.op.push(index(this.ops, op));
    this.flags.push(flags);
    this.shapeA.push(a && flags & IN_A ? index(this.texts, a) : -1);
    this.shapeB.push(b && flags & IN_B ? index(this.texts, b) : -1);
    this.calls.push(calls);
    for (const input of inputs) {
      const source = input < 0 ? -1 - input : input;
      this.inputNode.push(source);
      this.inputFlags.push((flags & 3 & (this.flags[source] ?? 3)) | (input < 0 ? 4 : 0) || flags & 3);
    }
    this.inputStart.push(this.inputNode.length);
    return row;
  }

  counts(): Json {
    const is = (test: (flags: number) => boolean): number => this.flags.filter(test).length;
    const both = (flags: number): boolean => (flags & 3) === 3;
    return {
      added: is((flags) => (flags & 3) === IN_B),
      removed: is((flags) => (flags & 3) === IN_A),
      changed: is((flags) => both(flags) && (flags & ATTRIBUTES) !== 0),
      rewired: is((flags) => both(flags) && (flags & (ATTRIBUTES | INPUTS)) === INPUTS),
      same: is((flags) => both(flags) && (flags & (ATTRIBUTES | INPUTS)) === 0),
      renamed: this.renamed.length,
    };
  }

  graph(name: string): Json {
    for (const [row] of this.renamed) this.flags[row]! |= RENAMED;
    return {
      name,
      name_a: name,
      name_b: name,
      counts: this.counts(),
      names: this.names,
      op_names: [...this.ops.keys()],
      op: this.op,
      flags: this.flags,
      renamed_node: this.renamed.map(([row]) => row),
      renamed_from: this.renamed.map(([, from]) => from),
      texts: [...this.texts.keys()],
      shape_a: this.shapeA,
      shape_b: this.shapeB,
      calls: this.calls,
      input_start: this.inputStart,
      input_node: this.inputNode,
      input_flags: this.inputFlags,
    };
  }
}

function index(map: Map<string, number>, key: string): number {
  const held = map.get(key);
  if (held !== undefined) return held;
  map.set(key, map.size);
  return map.size - 1;
}

/** Nodes that a block of layers adds, with its gradients and its variables' updates. */
const PER_BLOCK = 97;

/** About `nodes` nodes. */
export function makeGraph(nodes: number, difference: Difference): Builder {
  const g = new Builder();
  const blocks = Math.max(1, Math.round(nodes / PER_BLOCK));
  const shapes = difference === "shapes";
  const trained = difference === "trained" ? IN_A : IN_A | IN_B;
  const at = (channels: number): [string, string] => [`float32 (32, 96, 96, ${channels})`, shapes ? `float32 (32, 128, 128, ${channels})` : `float32 (32, 96, 96, ${channels})`];
  const x = g.add("x", "Placeholder", [], at(3), 3 | (shapes ? ATTRIBUTES : 0));
  const y = g.add("y", "Placeholder", [], ["int64 (32,)", "int64 (32,)"]);
  let last = x;
  const outputs: number[] = [];
  const variables: number[][] = [];
  for (let block = 0; block < blocks; block += 1) {
    const own = difference === "inserted" && block === Math.floor(blocks / 2) ? IN_B : IN_A | IN_B;
    const scope = `functional_1/block_${block}`;
    const first = g.names.length;
    const mine: number[] = [];
    for (const part of ["expand", "depthwise", "project"]) {
      const layer = `${scope}/${part}`;
      const held = g.add(`${layer.replaceAll("/", "_")}_convolution_readvariableop_resource`, "Placeholder", [], ["resource ()", "resource ()"], own);
      mine.push(held);
      const kernel = g.add(`${layer}/convolution/ReadVariableOp`, "ReadVariableOp", [held], ["float32 (3, 3, 32, 32)", "float32 (3, 3, 32, 32)"], own);
      const conv = g.add(`${layer}/convolution`, part === "depthwise" ? "DepthwiseConv2dNative" : "Conv2D", [last, kernel], at(32), own);
      const scale = g.add(`${layer}_BN/batchnorm/Const`, "Const", [], ["float32 ()", "float32 ()"], own);
      const mean = g.add(`${layer}_BN/moments/mean`, "Mean", [conv, scale], ["float32 (32,)", "float32 (32,)"], own | (shapes && block % 3 === 0 ? ATTRIBUTES : 0));
      const normal = g.add(`${layer}_BN/batchnorm/mul`, "Mul", [conv, mean], at(32), own);
      last = g.add(`${layer}_relu/Relu6`, "Relu6", [normal], at(32), own);
    }
    outputs.push(last);
    variables.push(mine);
    if (difference === "inserted" && block > blocks / 2) for (let row = first; row < g.names.length; row += 1) g.renamed.push([row, g.names[row]!.replace(`block_${block}`, `block_${block - 1}`)]);
  }
  const loss = g.add("sparse_categorical_crossentropy/weighted_loss/value", "Sum", [last, y], ["float32 ()", "float32 ()"]);
  let gradient = g.add("ones", "Const", [], ["float32 ()", "float32 ()"], trained);
  const updates: [number, number][] = [];
  for (let block = blocks - 1; block >= 0; block -= 1) {
    const own = difference === "inserted" && block === Math.floor(blocks / 2) ? IN_B : trained;
    variables[block]!.forEach((variable, part) => {
      const scope = `gradient_tape/functional_1/block_${block}/${["expand", "depthwise", "project"][part]}`;
      const shape = g.add(`${scope}/convolution/ShapeN`, "Const", [], ["int32 (4,)", "int32 (4,)"], own | (shapes && own === 3 ? ATTRIBUTES : 0));
      const input = g.add(`${scope}/convolution/Conv2DBackpropInput`, "Conv2DBackpropInput", [shape, gradient], at(32), own);
      const filter = g.add(`${scope}/convolution/Conv2DBackpropFilter`, "Conv2DBackpropFilter", [outputs[Math.max(0, block - 1)]!, gradient], ["float32 (3, 3, 32, 32)", "float32 (3, 3, 32, 32)"], own);
      for (let rest = 0; rest < 9; rest += 1) g.add(`${scope}_BN/batchnorm/mul_${rest}`, rest % 2 ? "Mul" : "Sum", [gradient, input], ["float32 (32,)", "float32 (32,)"], own);
      gradient = g.add(`${scope}_relu/Relu6Grad`, "Relu6Grad", [input, outputs[block]!], at(32), own);
      updates.push([variable, filter]);
    });
  }
  const total = g.add("AddN", "AddN", [gradient, loss], ["float32 ()", "float32 ()"], trained);
  optimizer(g, updates, trained);
  g.add("cond", "StatelessIf", [total], ["float32 ()", "float32 ()"], 3, 1);
  g.add("Identity", "Identity", [loss, -1 - total], ["float32 ()", "float32 ()"], difference === "trained" ? 3 | INPUTS : 3);
  return g;
}

const STEPS = ["ReadVariableOp", "Sub", "Mul", "AssignAddVariableOp", "ReadVariableOp", "Square", "Sub", "Mul", "AssignAddVariableOp", "Sqrt", "AddV2", "RealDiv", "Mul", "AssignSubVariableOp"];

/** As Keras names it: everything in one scope, numbered over all variables. */
function optimizer(g: Builder, updates: readonly (readonly [number, number])[], flags: number): void {
  const numbers = new Map<string, number>();
  const numbered = (op: string): string => {
    const number = numbers.get(op) ?? 0;
    numbers.set(op, number + 1);
    return number ? `adam/${op}_${number}` : `adam/${op}`;
  };
  for (const [variable, gradient] of updates) {
    let last = gradient;
    for (const op of STEPS) last = g.add(numbered(op), op, op === "ReadVariableOp" ? [variable] : op.startsWith("Assign") ? [variable, last] : [last, gradient], ["float32 (3, 3, 32, 32)", "float32 (3, 3, 32, 32)"], flags);
  }
}

/** One scope with `children` nodes side by side, as a large model's optimizer is. */
export function makeFlat(children: number): Builder {
  const g = new Builder();
  const updates: [number, number][] = [];
  for (let variable = 0; variable < Math.ceil(children / STEPS.length); variable += 1) {
    const held = g.add(`dense_${variable}_resource`, "Placeholder", [], ["resource ()", "resource ()"]);
    updates.push([held, g.add(`gradient_tape/dense_${variable}/MatMul`, "MatMul", [held], ["float32 (8, 8)", "float32 (8, 8)"])]);
  }
  optimizer(g, updates, IN_A | IN_B);
  return g;
}

function branch(): Builder {
  const g = new Builder();
  const x = g.add("x", "Placeholder", [], ["float32 ()", "float32 ()"]);
  const two = g.add("mul/y", "Const", [], ["float32 ()", "float32 ()"], 3 | ATTRIBUTES);
  g.add("Identity", "Identity", [g.add("mul", "Mul", [x, two], ["float32 ()", "float32 ()"])], ["float32 ()", "float32 ()"]);
  return g;
}

export function makeComparison(made: Builder, sides: { a: Json; b: Json }): Json {
  const graphs = [made.graph("train_step"), branch().graph("cond_true_5")];
  const counts = made.counts() as Record<string, number>;
  const ops = new Map<string, [number, number]>();
  const { op_names: opNames } = graphs[0] as { op_names: string[] };
  made.op.forEach((op, row) => {
    const held = ops.get(opNames[op]!) ?? [0, 0];
    if (made.flags[row]! & IN_A) held[0] += 1;
    if (made.flags[row]! & IN_B) held[1] += 1;
    ops.set(opNames[op]!, held);
  });
  const nodes = (bit: number): number => made.flags.filter((flags) => flags & bit).length;
  return {
    schema: 1,
    a: { ...sides.a, nodes: nodes(IN_A), bytes: nodes(IN_A) * 127, omitted: [] },
    b: { ...sides.b, nodes: nodes(IN_B), bytes: nodes(IN_B) * 127, omitted: ["1 attribute above 1 KB was not stored."] },
    sentence:
      counts["added"] || counts["removed"]
        ? `Not the same: ${counts["added"]} ops only in the right graph, ${counts["removed"]} only in the left; ${counts["same"]} are the same.`
        : `Same structure: ${made.names.length} ops; ${counts["changed"]} attributes differ, all of them dimensions 1 and 2 of \`x\`: one graph with unknown sizes would have served both.`,
    details: ["`Const`: 113 values differ, all shapes.", "`Placeholder`: `shape` of `x` is (32, 96, 96, 3) and (32, 128, 128, 3).", "Library functions: 1 differs."],
    notices: [],
    counts,
    graphs,
    facts: {
      inputs: [
        { name: "x", a: "float32 (32, 96, 96, 3)", b: "float32 (32, 128, 128, 3)" },
        { name: "y", a: "int64 (32,)", b: "int64 (32,)" },
      ],
      outputs: [{ name: "output 0", a: "float32 ()", b: "float32 ()" }],
      captures: [],
      variables: Array.from({ length: 40 }, (_, variable) => ({ name: `block_${variable}/kernel`, a: "float32 (3, 3, 32, 32)", b: "float32 (3, 3, 32, 32)" })),
      ops: [...ops].map(([op, [a, b]]) => ({ op, a, b })).sort((p, q) => Math.abs(q.b - q.a) - Math.abs(p.b - p.a) || q.a - p.a),
    },
  };
}

/** One node of such an answer, as `GET compare_node` gives it. */
export function makeNode(answer: Json, graph: number, row: number): Json | null {
  const g = (answer["graphs"] as Json[])[graph] as { names: string[]; op_names: string[]; op: number[]; flags: number[]; input_start: number[]; input_node: number[]; input_flags: number[] } | undefined;
  const name = g?.names[row];
  if (!g || name === undefined) return null;
  const flags = g.flags[row]!;
  const [inA, inB] = [(flags & IN_A) !== 0, (flags & IN_B) !== 0];
  const side = <T>(there: boolean, value: T): T | null => (there ? value : null);
  const op = g.op_names[g.op[row]!]!;
  const inputs = [];
  for (let input = g.input_start[row]!; input < g.input_start[row + 1]!; input += 1) {
    const text = `${g.input_flags[input]! & 4 ? "^" : ""}${g.names[g.input_node[input]!]!}`;
    const [a, b] = [g.input_flags[input]! & IN_A, g.input_flags[input]! & IN_B];
    inputs.push({ a: side(a !== 0, text), b: side(b !== 0, text), changed: inA && inB && (a === 0) !== (b === 0) });
  }
  const consumers: { name: string; node: number }[] = [];
  let left = 0;
  for (let other = 0; other < g.names.length; other += 1) {
    for (let input = g.input_start[other]!; input < g.input_start[other + 1]!; input += 1) {
      if (g.input_node[input] !== row) continue;
      if (consumers.length < 100) consumers.push({ name: g.names[other]!, node: other });
      else left += 1;
    }
  }
  return {
    name_a: side(inA, name),
    name_b: side(inB, name),
    op_a: side(inA, op),
    op_b: side(inB, op),
    device_a: side(inA, ""),
    device_b: side(inB, ""),
    attributes: [
      { key: "T", a: side(inA, "float32"), b: side(inB, "float32"), changed: false },
      ...(flags & ATTRIBUTES ? [{ key: "value", a: "int32 [32, 96, 96, 3]", b: "int32 [32, 128, 128, 3]", changed: true }] : []),
      { key: "data_format", a: side(inA, '"NHWC"'), b: side(inB, '"NHWC"'), changed: false },
    ],
    inputs,
    consumers,
    consumers_left_out: left,
  };
}
