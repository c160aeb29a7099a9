import { asArray, asCounts, asFlag, asNumber, asObject, asText, type Json, numberOrNull, textOrNull } from "./guards";

/**
 * Two graphs compared, as `GET compare` and `GET compare_node` give them (docs/http_api.md). Graphs are columns over the rows of the
 * union of both; what does not fit is left out and counted, so that the tab can say so.
 */

/** More rows than TensorFlow could run; a tab that tried would be killed for memory. */
export const MAX_ROWS = 2_000_000;
const MAX_INPUTS = 12_000_000;
/** Lists that are for reading, not for computing, are cut here. */
const MAX_FACTS = 5_000;
const MAX_LINES = 200;

export const IN_A = 1;
export const IN_B = 2;
export const ATTRIBUTES = 4;
export const INPUTS = 8;
export const RENAMED = 16;
/** Of inputs: an edge that only says "after". */
export const CONTROL = 4;

/** An answer that cannot be shown; the message is for the user. */
export class ComparisonError extends Error {}

export interface Counts {
  same: number;
  changed: number;
  rewired: number;
  added: number;
  removed: number;
  renamed: number;
}

export interface Side {
  session: string;
  run: string;
  seq: number;
  n: number;
  step: number | null;
  timeNs: string;
  function: { name: string; qualname: string; file: string; line: number; library: boolean };
  nodes: number;
  bytes: number;
  omitted: string[];
}

export interface Fact {
  name: string;
  a: string | null;
  b: string | null;
}

export interface OpCount {
  op: string;
  a: number;
  b: number;
}

export interface Facts {
  inputs: Fact[];
  outputs: Fact[];
  captures: Fact[];
  variables: Fact[];
  ops: OpCount[];
}

/** The answer without its graphs' rows: what is read, not drawn. */
export interface Overview {
  a: Side;
  b: Side;
  sentence: string;
  details: string[];
  notices: string[];
  counts: Counts;
  facts: Facts;
}

/** One graph of the union, a row per node in creation order. Arrays are as long as `rows`, unless said otherwise. */
export interface GraphTable {
  name: string;
  nameA: string | null;
  nameB: string | null;
  counts: Counts;
  rows: number;
  names: string[];
  opNames: string[];
  op: Int32Array;
  flags: Uint8Array;
  renamedFrom: Map<number, string>;
  /** `shapeA` and `shapeB` point into it; −1: not known. */
  texts: string[];
  shapeA: Int32Array;
  shapeB: Int32Array;
  /** Which graph of the answer the node calls; −1: none. */
  calls: Int32Array;
  /** `rows + 1` long: the inputs of row i are those from `inputStart[i]` to `inputStart[i + 1]`. */
  inputStart: Int32Array;
  inputNode: Int32Array;
  inputFlags: Uint8Array;
}

export interface Comparison {
  overview: Overview;
  graphs: GraphTable[];
}

export interface NodeDetail {
  nameA: string | null;
  nameB: string | null;
  opA: string | null;
  opB: string | null;
  deviceA: string | null;
  deviceB: string | null;
  attributes: { key: string; a: string | null; b: string | null; changed: boolean }[];
  inputs: { a: string | null; b: string | null; changed: boolean }[];
  consumers: { name: string; node: number }[];
  consumersLeftOut: number;
}

/** Raises ComparisonError if there is nothing to show, or too much. */
export function readComparison(answer: unknown): Comparison {
  const json = asObject(answer);
  const graphs = asArray(json["graphs"]).map(asObject);
  if (graphs.length === 0) throw new ComparisonError("The answer holds no graph. Restart TensorBoard and reload the page: the tab and its server may be of different versions.");
  const rows = graphs.reduce((sum, graph) => sum + asArray(graph["names"]).length, 0);
  if (rows > MAX_ROWS) throw new ComparisonError(`The two graphs have ${rows.toLocaleString("en")} nodes; the tab shows at most ${MAX_ROWS.toLocaleString("en")}.`);
  const lost = { rows: 0, inputs: 0 };
  let inputs = 0;
  const tables = graphs.map((graph) => {
    const table = readGraph(graph, graphs.length, lost, MAX_INPUTS - inputs);
    inputs += table.inputNode.length;
    return table;
  });
  const facts = asObject(json["facts"]);
  const notices = texts(json["notices"]);
  if (lost.rows) notices.push(`${lost.rows.toLocaleString("en")} nodes are incomplete in the answer; what is missing is shown as not known.`);
  if (lost.inputs) notices.push(`${lost.inputs.toLocaleString("en")} inputs name no node of their graph, or are too many, and are not drawn.`);
  const overview: Overview = {
    a: readSide(json["a"]),
    b: readSide(json["b"]),
    sentence: asText(json["sentence"]),
    details: texts(json["details"]),
    notices,
    counts: readCounts(json["counts"]),
    facts: {
      inputs: readFacts(facts["inputs"]),
      outputs: readFacts(facts["outputs"]),
      captures: readFacts(facts["captures"]),
      variables: readFacts(facts["variables"]),
      ops: asArray(facts["ops"])
        .slice(0, MAX_FACTS)
        .map(asObject)
        .map((row) => ({ op: asText(row["op"], "?"), a: asNumber(row["a"]), b: asNumber(row["b"]) })),
    },
  };
  return { overview, graphs: tables };
}

function readSide(value: unknown): Side {
  const json = asObject(value);
  const of = asObject(json["function"]);
  return {
    session: asText(json["session"]),
    run: asText(json["run"]),
    seq: asNumber(json["seq"]),
    n: asNumber(json["n"]),
    step: numberOrNull(json["step"]),
    timeNs: asText(json["time_ns"]),
    function: { name: asText(of["name"], "?"), qualname: asText(of["qualname"]), file: asText(of["file"]), line: asNumber(of["line"]), library: asFlag(of["library"]) },
    nodes: asNumber(json["nodes"]),
    bytes: asNumber(json["bytes"]),
    omitted: texts(json["omitted"]),
  };
}

function readCounts(value: unknown): Counts {
  const counts = asCounts(value);
  const of = (name: string): number => counts[name] ?? 0;
  return { same: of("same"), changed: of("changed"), rewired: of("rewired"), added: of("added"), removed: of("removed"), renamed: of("renamed") };
}

function readFacts(value: unknown): Fact[] {
  return asArray(value)
    .slice(0, MAX_FACTS)
    .map(asObject)
    .map((row) => ({ name: asText(row["name"], "?"), a: textOrNull(row["a"]), b: textOrNull(row["b"]) }));
}

function texts(value: unknown): string[] {
  return asArray(value)
    .slice(0, MAX_LINES)
    .map((text) => asText(text))
    .filter((text) => text !== "");
}

function readGraph(json: Json, graphCount: number, lost: { rows: number; inputs: number }, mostInputs: number): GraphTable {
  const givenNames = asArray(json["names"]);
  const rows = givenNames.length;
  const names = new Array<string>(rows);
  for (let row = 0; row < rows; row += 1) names[row] = asText(givenNames[row]);
  const opNames = asArray(json["op_names"]).map((name) => asText(name, "?"));
  const shapes = asArray(json["texts"]).map((text) => asText(text));
  const flags = new Uint8Array(rows);
  const givenFlags = asArray(json["flags"]);
  for (let row = 0; row < rows; row += 1) {
    const value = givenFlags[row];
    const known = typeof value === "number" && Number.isInteger(value) && (value & (IN_A | IN_B)) !== 0;
    if (!known) lost.rows += 1;
    flags[row] = known ? value & 31 : IN_A | IN_B;
  }
  return {
    name: asText(json["name"], "?"),
    nameA: textOrNull(json["name_a"]),
    nameB: textOrNull(json["name_b"]),
    counts: readCounts(json["counts"]),
    rows,
    names,
    opNames,
    op: indices(json["op"], rows, opNames.length),
    flags,
    renamedFrom: readRenamed(json, rows),
    texts: shapes,
    shapeA: indices(json["shape_a"], rows, shapes.length),
    shapeB: indices(json["shape_b"], rows, shapes.length),
    calls: indices(json["calls"], rows, graphCount),
    ...readInputs(json, rows, lost, mostInputs),
  };
}

/** A column of indices below `below`; −1 where there is none. */
function indices(value: unknown, rows: number, below: number): Int32Array {
  const given = asArray(value);
  const column = new Int32Array(rows);
  for (let row = 0; row < rows; row += 1) column[row] = index(given[row], below);
  return column;
}

function index(value: unknown, below: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < below ? value : -1;
}

function readRenamed(json: Json, rows: number): Map<number, string> {
  const names = asArray(json["renamed_from"]);
  const renamed = new Map<number, string>();
  asArray(json["renamed_node"]).forEach((value, position) => {
    const row = index(value, rows);
    if (row >= 0) renamed.set(row, asText(names[position]));
  });
  return renamed;
}

function readInputs(json: Json, rows: number, lost: { inputs: number }, most: number): Pick<GraphTable, "inputStart" | "inputNode" | "inputFlags"> {
  const starts = asArray(json["input_start"]);
  const nodes = asArray(json["input_node"]);
  const flags = asArray(json["input_flags"]);
  const length = Math.min(nodes.length, most);
  const inputStart = new Int32Array(rows + 1);
  const inputNode = new Int32Array(length);
  const inputFlags = new Uint8Array(length);
  let kept = 0;
  let next = index(starts[0], nodes.length + 1);
  let read = 0;
  for (let row = 0; row < rows; row += 1) {
    inputStart[row] = kept;
    const from = next;
    next = index(starts[row + 1], nodes.length + 1);
    // Every input is read at most once, whatever the starts say.
    if (from < read || next < from) continue;
    read = next;
    for (let at = from; at < next; at += 1) {
      const source = index(nodes[at], rows);
      if (source < 0 || kept === length) {
        lost.inputs += 1;
        continue;
      }
      const flag = flags[at];
      const known = typeof flag === "number" && (flag & (IN_A | IN_B)) !== 0;
      inputNode[kept] = source;
      inputFlags[kept] = known ? flag & 7 : IN_A | IN_B;
      kept += 1;
    }
  }
  inputStart[rows] = kept;
  return { inputStart, inputNode: inputNode.subarray(0, kept), inputFlags: inputFlags.subarray(0, kept) };
}

export function readNodeDetail(answer: unknown): NodeDetail {
  const json = asObject(answer);
  return {
    nameA: textOrNull(json["name_a"]),
    nameB: textOrNull(json["name_b"]),
    opA: textOrNull(json["op_a"]),
    opB: textOrNull(json["op_b"]),
    deviceA: textOrNull(json["device_a"]),
    deviceB: textOrNull(json["device_b"]),
    attributes: asArray(json["attributes"])
      .slice(0, MAX_FACTS)
      .map(asObject)
      .map((row) => ({ key: asText(row["key"], "?"), a: textOrNull(row["a"]), b: textOrNull(row["b"]), changed: asFlag(row["changed"]) })),
    inputs: asArray(json["inputs"])
      .slice(0, MAX_FACTS)
      .map(asObject)
      .map((row) => ({ a: textOrNull(row["a"]), b: textOrNull(row["b"]), changed: asFlag(row["changed"]) })),
    consumers: asArray(json["consumers"])
      .slice(0, MAX_FACTS)
      .map(asObject)
      .map((row) => ({ name: asText(row["name"]), node: asNumber(row["node"], -1) })),
    consumersLeftOut: asNumber(json["consumers_left_out"]),
  };
}

/** The node that an input names: without the mark of a control edge and the number of the output. */
export function nodeOfInput(text: string): string {
  return text.replace(/^\^/, "").replace(/(:[^/:]*)+$/, "");
}
