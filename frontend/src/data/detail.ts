import { asArray, asFlag, asNumber, asObject, asText, numberOrNull, textOrNull } from "./guards";

/** One trace in full, as `GET trace` gives it (docs/http_api.md). */

export interface Change {
  cause: string;
  path: string;
  old: string;
  now: string;
}

export interface SignatureRow {
  path: string;
  now: string;
  /** null: the compared trace has no such leaf, or there is no compared trace. */
  closest: string | null;
  changed: boolean;
  cause: string | null;
}

export interface StackFrame {
  file: string;
  line: number;
  function: string;
  source: string;
  user: boolean;
}

export interface Advice {
  rule: string;
  text: string;
  code: string | null;
  tracesBefore: number | null;
  tracesAfter: number | null;
  secondsSaved: number | null;
  evidence: string;
  /** Counted and not recorded one by one: the numbers are of the others. */
  tracesNotTried: number;
  /** What speaks for other results with it. */
  warnings: string[];
  /** What else the code may need, or another way. */
  notes: string[];
}

/** XLA compiled the trace's graph, in the call that `seconds` is of. */
export interface XlaCompilation {
  k: number;
  step: number | null;
  seconds: number;
  /** Concrete shapes where the trace left some open, and values that XLA needs; `old`: of what it is compared with. */
  shapes: { path: string; shape: string; old: string | null }[];
  shapesLeftOut: number;
  failed: boolean;
  gradient: boolean;
  backward: boolean;
}

/** A Python value that the graph still holds although the program has changed it. */
export interface StaleValue {
  name: string;
  kind: string;
  traced: string;
  now: string;
}

/** A profile session ran during the trace. */
export interface ProfileSpan {
  /** As the Profile tab names it; null: it is not below this logdir. */
  run: string | null;
  tool: string;
  span: string;
  /** Whether this TensorBoard has a Profile tab. */
  installed: boolean;
  /** Where to look or, if there is nowhere, why and what to do. */
  text: string;
}

export interface TraceDetail {
  session: string;
  run: string;
  function: { name: string; qualname: string; file: string; line: number; library: boolean };
  seq: number;
  n: number;
  object: number;
  step: number | null;
  timeNs: string;
  kind: string;
  verdict: string;
  failed: boolean;
  nested: boolean;
  generalized: boolean;
  parentSeq: number | null;
  changes: Change[];
  traceSeconds: number;
  ownTraceSeconds: number;
  firstCallSeconds: number | null;
  /** 0: not measured, as it is with few cached signatures. */
  lookupSeconds: number;
  error: string | null;
  sentence: string;
  kindText: string;
  evidence: string;
  closest: { seq: number; n: number } | null;
  signature: SignatureRow[];
  context: [string, string][];
  tracedSignature: { path: string; type: string }[];
  stack: StackFrame[];
  stackFramesLeftOut: number;
  /** `omitted`: why it was not stored; null if it was, or if the trace failed. */
  graph: { nodes: number; bytes: number; sha256: string | null; omitted: string | null; attributesDropped: number };
  /** Where TensorBoard's own Graphs tab lists it. */
  graphsTab: { run: string; tag: string } | null;
  profile: ProfileSpan | null;
  memory: { before: number | null; after: number | null };
  thread: string;
  reduceRetracing: boolean;
  jitCompile: boolean;
  cachedBefore: number | null;
  /** All that were recorded; `xla` has the latest of them. */
  xlaCompilations: number;
  xla: XlaCompilation[];
  stale: StaleValue[];
  advice: Advice[];
  previousSameCause: number | null;
  nextSameCause: number | null;
}

export function readDetail(answer: unknown): TraceDetail {
  const json = asObject(answer);
  const event = asObject(json["event"]);
  const of = asObject(json["function"]);
  const closest = asObject(json["closest"]);
  const graph = asObject(json["graph"]);
  const memory = asObject(json["memory"]);
  const closestSeq = numberOrNull(closest["seq"]);
  const traceSeconds = asNumber(event["trace_seconds"]);
  const time = event["time_ns"];
  return {
    session: asText(json["session"]),
    run: asText(json["run"]),
    function: {
      name: asText(of["name"], "?"),
      qualname: asText(of["qualname"]),
      file: asText(of["file"]),
      line: asNumber(of["line"]),
      library: asFlag(of["library"]),
    },
    seq: asNumber(event["seq"]),
    n: asNumber(event["n"]),
    object: asNumber(event["object"]),
    step: numberOrNull(event["step"]),
    timeNs: typeof time === "number" && time > 0 ? BigInt(Math.round(time)).toString() : asText(time),
    kind: asText(event["kind"], "unknown"),
    verdict: asText(event["verdict"], "unknown"),
    failed: asFlag(event["failed"]),
    nested: asFlag(event["nested"]),
    generalized: asFlag(event["generalized"]),
    parentSeq: numberOrNull(event["parent_seq"]),
    changes: asArray(event["changes"]).map((value) => {
      const change = asObject(value);
      return { cause: asText(change["cause"], "unknown"), path: asText(change["path"]), old: asText(change["old"]), now: asText(change["new"]) };
    }),
    traceSeconds,
    ownTraceSeconds: asNumber(event["own_trace_seconds"], traceSeconds),
    firstCallSeconds: numberOrNull(event["first_call_seconds"]),
    lookupSeconds: asNumber(event["lookup_seconds"]),
    error: textOrNull(event["error"]),
    sentence: asText(json["sentence"]),
    kindText: asText(json["kind_text"]),
    evidence: asText(json["evidence"]),
    closest: closestSeq === null ? null : { seq: closestSeq, n: asNumber(closest["n"]) },
    signature: asArray(json["signature"]).map((value) => {
      const row = asObject(value);
      return {
        path: asText(row["path"]),
        now: asText(row["now"]),
        closest: textOrNull(row["closest"]),
        changed: asFlag(row["changed"]),
        cause: textOrNull(row["cause"]),
      };
    }),
    context: Object.entries(asObject(json["context"])).map(([field, value]) => [field, asText(value, String(value))]),
    tracedSignature: asArray(json["traced_signature"]).map((value) => {
      const row = asObject(value);
      return { path: asText(row["path"]), type: asText(row["type"]) };
    }),
    stack: asArray(json["stack"]).map((value) => {
      const frame = asObject(value);
      return {
        file: asText(frame["file"]),
        line: asNumber(frame["line"]),
        function: asText(frame["function"]),
        source: asText(frame["source"]),
        user: asFlag(frame["user"]),
      };
    }),
    stackFramesLeftOut: asNumber(json["stack_frames_left_out"]),
    graph: {
      nodes: asNumber(graph["nodes"]),
      bytes: asNumber(graph["bytes"]),
      sha256: textOrNull(graph["sha256"]),
      omitted: textOrNull(graph["omitted"]),
      attributesDropped: asNumber(graph["attributes_dropped"]),
    },
    graphsTab: readGraphsTab(json["graphs_tab"]),
    profile: readProfile(json["profile"]),
    memory: { before: numberOrNull(memory["before_bytes"]), after: numberOrNull(memory["after_bytes"]) },
    thread: asText(json["thread"]),
    reduceRetracing: asFlag(json["reduce_retracing"]),
    jitCompile: asFlag(json["jit_compile"]),
    cachedBefore: numberOrNull(json["cached_before"]),
    xlaCompilations: asNumber(json["xla_compilations"]),
    xla: asArray(json["xla"]).map(readCompilation),
    stale: asArray(json["stale"]).map((value) => {
      const stale = asObject(value);
      return { name: asText(stale["name"]), kind: asText(stale["kind"]), traced: asText(stale["traced"]), now: asText(stale["now"]) };
    }),
    advice: asArray(json["advice"]).map(readAdvice),
    previousSameCause: numberOrNull(json["previous_same_cause"]),
    nextSameCause: numberOrNull(json["next_same_cause"]),
  };
}

export function readAdvice(value: unknown): Advice {
  const advice = asObject(value);
  return {
    rule: asText(advice["rule"]),
    text: asText(advice["text"]),
    code: textOrNull(advice["code"]),
    tracesBefore: numberOrNull(advice["traces_before"]),
    tracesAfter: numberOrNull(advice["traces_after"]),
    secondsSaved: numberOrNull(advice["seconds_saved"]),
    evidence: asText(advice["evidence"]),
    tracesNotTried: numberOrNull(advice["traces_not_tried"]) ?? 0,
    warnings: asArray(advice["warnings"]).map((warning) => asText(warning)),
    notes: asArray(advice["notes"]).map((note) => asText(note)),
  };
}

function readGraphsTab(value: unknown): TraceDetail["graphsTab"] {
  const place = asObject(value);
  const tag = textOrNull(place["tag"]);
  return tag === null ? null : { run: asText(place["run"]), tag };
}

function readProfile(value: unknown): ProfileSpan | null {
  const profile = asObject(value);
  const text = textOrNull(profile["text"]);
  if (text === null) return null;
  return { run: textOrNull(profile["run"]), tool: asText(profile["tool"]), span: asText(profile["span"]), installed: asFlag(profile["installed"]), text };
}

function readCompilation(value: unknown): XlaCompilation {
  const json = asObject(value);
  const changes = asArray(json["changes"]).map(asObject);
  const old = (isValue: boolean): Map<string, string> =>
    new Map(changes.filter((change) => (change["cause"] === "value") === isValue).map((change) => [asText(change["path"]), asText(change["old"])]));
  const texts = (key: string, was: Map<string, string>): XlaCompilation["shapes"] =>
    Object.entries(asObject(json[key])).map(([path, text]) => ({ path, shape: asText(text), old: was.get(path) ?? null }));
  return {
    k: asNumber(json["k"]),
    step: numberOrNull(json["step"]),
    seconds: asNumber(json["seconds"]),
    shapes: [...texts("shapes", old(false)), ...texts("values", old(true))],
    shapesLeftOut: asNumber(json["shapes_left_out"]),
    failed: asFlag(json["failed"]),
    gradient: asFlag(json["gradient"]),
    backward: asFlag(json["backward"]),
  };
}

export interface ShownRow extends SignatureRow {
  /** Where the row stands for a change that no leaf of this trace shows (a leaf that went, a container). */
  gone: boolean;
}

/** Rows of the change table: changed leaves and changes without a leaf first, then the unchanged, in the signature's order. */
export function changeRows(detail: TraceDetail): { changed: ShownRow[]; unchanged: ShownRow[] } {
  const rows = detail.signature.map((row) => ({ ...row, gone: false }));
  const changed = rows.filter((row) => row.changed);
  const shown = new Set(changed.map((row) => row.path));
  for (const change of detail.changes) {
    if (shown.has(change.path)) continue;
    shown.add(change.path);
    changed.push({ path: change.path, now: change.now, closest: change.old, changed: true, cause: change.cause, gone: true });
  }
  const unchanged = rows.filter((row) => !row.changed && !shown.has(row.path));
  return { changed, unchanged };
}
