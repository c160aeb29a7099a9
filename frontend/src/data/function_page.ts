import { type Advice, readAdvice } from "./detail";
import { asArray, asFlag, asNumber, asObject, asText, numberOrNull, textOrNull } from "./guards";

/** One function with the signatures of its traces, as `GET function` gives it (docs/http_api.md). */

export interface Bar {
  from: number;
  to: number;
  count: number;
}

export interface Histogram {
  low: number;
  high: number;
  distinct: number;
  bars: Bar[];
}

export interface Dimension {
  /** Rows in which the size was unknown already. */
  unknown: number;
  histogram: Histogram | null;
}

export interface Leaf {
  part: string;
  path: string;
  texts: string[];
  /** A place in `texts` per row; −1: the row has no such leaf. */
  cells: Int32Array;
  /** Row → what the closest earlier trace had left in the cache; null: nothing. */
  marked: Map<number, string | null>;
  values: { text: string; count: number }[];
  distinct: number;
  absent: number;
  /** null: not a tensor that can be asked about. */
  dimensions: Dimension[] | null;
  /** A Python number that could be a tensor. */
  number: boolean;
  histogram: Histogram | null;
}

export interface ConstantLeaf {
  part: string;
  path: string;
  text: string;
  shape: number[] | null;
  number: boolean;
}

export interface FunctionPage {
  session: string;
  run: string;
  function: { name: string; qualname: string; file: string; line: number; library: boolean };
  /** Lines of the user's, the commonest first. */
  calledFrom: { file: string; line: number; function: string; traces: number }[];
  calledFromLeftOut: number;
  sentence: string;
  varied: string;
  fix: string;
  traces: number;
  failedTraces: number;
  retraces: number;
  objects: number;
  reduceRetracing: boolean;
  jitCompile: boolean;
  cost: { own: number; nested: number; firstCall: number; lookup: number; recompilation: number; lost: number; avoidable: number };
  rows: { seq: number; closestSeq: number | null }[];
  rowsLeftOut: number;
  leaves: Leaf[];
  leavesLeftOut: number;
  constant: ConstantLeaf[];
  constantLeftOut: number;
  problem: string | null;
  advice: Advice[];
  stale: { name: string; text: string }[];
  staleLeftOut: number;
  /** What each graph has of its own trace, as a sentence; "" if nothing. */
  drawn: string;
  hiddenCompilations: boolean;
}

export function readFunctionPage(answer: unknown): FunctionPage {
  const json = asObject(answer);
  const of = asObject(json["function"]);
  const cost = asObject(json["cost"]);
  const rows = asObject(json["rows"]);
  const closest = asArray(rows["closest_seq"]);
  const read = asArray(rows["seq"]).map((seq, index) => ({ seq: asNumber(seq), closestSeq: numberOrNull(closest[index]) }));
  return {
    session: asText(json["session"]),
    run: asText(json["run"]),
    function: { name: asText(of["name"], "?"), qualname: asText(of["qualname"]), file: asText(of["file"]), line: asNumber(of["line"]), library: asFlag(of["library"]) },
    calledFrom: asArray(json["called_from"]).map((value) => {
      const site = asObject(value);
      return { file: asText(site["file"]), line: asNumber(site["line"]), function: asText(site["function"]), traces: asNumber(site["traces"]) };
    }),
    calledFromLeftOut: asNumber(json["called_from_left_out"]),
    sentence: asText(json["sentence"]),
    varied: asText(json["varied"]),
    fix: asText(json["fix"]),
    traces: asNumber(json["traces"]),
    failedTraces: asNumber(json["failed_traces"]),
    retraces: asNumber(json["retraces"]),
    objects: asNumber(json["objects"]),
    reduceRetracing: asFlag(json["reduce_retracing"]),
    jitCompile: asFlag(json["jit_compile"]),
    cost: {
      own: asNumber(cost["own_seconds"]),
      nested: asNumber(cost["nested_seconds"]),
      firstCall: asNumber(cost["first_call_seconds"]),
      lookup: asNumber(cost["lookup_seconds"]),
      recompilation: asNumber(cost["recompilation_seconds"]),
      lost: asNumber(cost["lost_seconds"]),
      avoidable: asNumber(cost["avoidable_seconds"]),
    },
    rows: read,
    rowsLeftOut: asNumber(json["rows_left_out"]),
    leaves: asArray(json["leaves"]).map((leaf) => readLeaf(leaf, read.length)),
    leavesLeftOut: asNumber(json["leaves_left_out"]),
    constant: asArray(json["constant"]).map(readConstant),
    constantLeftOut: asNumber(json["constant_left_out"]),
    problem: textOrNull(json["problem"]),
    advice: asArray(json["advice"]).map(readAdvice),
    stale: asArray(json["stale"]).map((value) => {
      const stale = asObject(value);
      return { name: asText(stale["name"]), text: asText(stale["text"]) };
    }),
    staleLeftOut: asNumber(json["stale_left_out"]),
    drawn: asText(json["drawn"]),
    hiddenCompilations: asFlag(json["hidden_compilations"]),
  };
}

function readLeaf(value: unknown, rows: number): Leaf {
  const json = asObject(value);
  const texts = asArray(json["texts"]).map((text) => asText(text));
  const place = (given: unknown): number => {
    const number = asNumber(given, -1);
    return Number.isInteger(number) && number >= 0 && number < texts.length ? number : -1;
  };
  const given = asArray(json["cells"]);
  const cells = Int32Array.from({ length: rows }, (_, row) => place(given[row]));
  const was = asArray(json["was"]);
  const marked = new Map<number, string | null>();
  for (const [index, row] of asArray(json["marked"]).entries()) {
    const number = asNumber(row, -1);
    if (Number.isInteger(number) && number >= 0 && number < rows) marked.set(number, texts[place(was[index])] ?? null);
  }
  return {
    part: asText(json["part"]),
    path: asText(json["path"]),
    texts,
    cells,
    marked,
    values: asArray(json["values"]).flatMap((pair) => {
      const [at, count] = asArray(pair);
      const text = texts[place(at)];
      return text === undefined ? [] : [{ text, count: asNumber(count) }];
    }),
    distinct: asNumber(json["distinct"]),
    absent: asNumber(json["absent"]),
    dimensions: Array.isArray(json["dimensions"])
      ? json["dimensions"].map((entry) => ({ unknown: asNumber(asObject(entry)["unknown"]), histogram: readHistogram(asObject(entry)["histogram"]) }))
      : null,
    number: asFlag(json["number"]),
    histogram: readHistogram(json["histogram"]),
  };
}

function readConstant(value: unknown): ConstantLeaf {
  const json = asObject(value);
  const shape = json["shape"];
  return {
    part: asText(json["part"]),
    path: asText(json["path"]),
    text: asText(json["text"]),
    shape: Array.isArray(shape) ? shape.map((size) => asNumber(size, -1)) : null,
    number: asFlag(json["number"]),
  };
}

function readHistogram(value: unknown): Histogram | null {
  const json = asObject(value);
  const bars = asArray(json["bars"]).map((bar) => {
    const [from, to, count] = asArray(bar);
    return { from: asNumber(from), to: asNumber(to), count: asNumber(count) };
  });
  return bars.length ? { low: asNumber(json["low"]), high: asNumber(json["high"]), distinct: asNumber(json["distinct"]), bars } : null;
}
