import { asArray, asCounts, asFlag, asNumber, asObject, asText, type Json, numberOrNull, textOrNull } from "./guards";

/** The overview as `GET digest` gives it (docs/http_api.md), with the columns of `traces` turned into rows. */

export interface Notice {
  severity: string;
  text: string;
}

export interface Summary {
  sentence: string;
  detail: string;
  traces: number;
  retraces: number;
  failed: number;
  functions: number;
  secondsLost: number;
  avoidableSeconds: number;
  runSeconds: number | null;
  share: number | null;
  recompilations: number;
  /** A sentence about stale Python values; "" if there are none. */
  stale: string;
}

export interface Session {
  id: string;
  run: string;
  worker: number | null;
  host: string;
  pid: number | null;
  program: string;
  tensorflow: string;
  keras: string;
  python: string;
  startedNs: string;
  lastNs: string;
  ended: boolean;
  losses: Record<string, number>;
  summary: Summary;
}

export interface TracedFunction {
  /** Index into `Digest.sessions`. */
  session: number;
  name: string;
  qualname: string;
  /** What it is, of what a library made: "the step that fit runs on a batch"; "" of the user's own. */
  role: string;
  file: string;
  line: number;
  library: boolean;
  traces: number;
  objects: number;
  failedTraces: number;
  /** Of both: counted, and not among the traces of this data. */
  omittedTraces: number;
  traceSeconds: number;
  firstCallSeconds: number;
  lookupSeconds: number;
  avoidableSeconds: number;
  causes: Record<string, number>;
  /** By XLA; null: not known. */
  xlaCompilations: number | null;
  recompilations: number;
  recompilationSeconds: number;
  /** Names of Python values that its graphs hold and that have changed since. */
  stale: string[];
}

export interface Trace {
  /** `<session index>:<seq>`: the row's identity within a generation. */
  key: string;
  session: number;
  function: number;
  seq: number;
  n: number;
  object: number;
  step: number | null;
  startUs: number;
  /** With the traces nested in it. */
  traceUs: number;
  /** Without them. */
  ownUs: number;
  /** null: not measured. */
  firstCallUs: number | null;
  /** TensorFlow's look through the cached signatures before it traced; 0: not measured, as it is with few. */
  lookupUs: number;
  kind: string;
  verdict: string;
  cause: string | null;
  path: string;
  change: string;
  failed: boolean;
  nested: boolean;
  generalized: boolean;
  parentSeq: number | null;
  nodes: number;
  /** By XLA, for new shapes or values, without a trace. */
  recompilations: number;
  recompilationUs: number;
  /** How many Python values its graph holds that have changed since. */
  stale: number;
  /** The process's resident memory around the trace, KiB; null: not measured. */
  memoryBefore: number | null;
  memoryAfter: number | null;
  /** A profile session ran from its start to its end. */
  profiled: boolean;
  /** Of the answer that brought this row: another one may mean another explanation. */
  revision: number;
}

/** XLA compiled a trace's graph again, for new shapes or values and without a trace. */
export interface Recompilation {
  /** `<session index>:<seq>:<k>`. */
  key: string;
  /** The trace's key. */
  trace: string;
  k: number;
  step: number | null;
  startUs: number;
  us: number;
  change: string;
  failed: boolean;
}

export interface Digest {
  schema: number;
  generation: string;
  revision: number;
  notices: Notice[];
  summary: Summary;
  sessions: Session[];
  functions: TracedFunction[];
  traces: Trace[];
  /** Position in `traces` by key. */
  byKey: Map<string, number>;
  recompilations: Recompilation[];
}

/** An answer that is not a digest: the message is for the user. */
export class DigestError extends Error {}

export function traceKey(session: number, seq: number): string {
  return `${session}:${seq}`;
}

/**
 * The next state of the overview. An answer of another generation, or one that says `reset`, replaces what was held; any other adds
 * its rows, by (session, seq). Arrays that did not change stay the same objects. Raises DigestError.
 */
export function mergeDigest(held: Digest | null, answer: unknown): Digest {
  const json = asObject(answer);
  if (!("traces" in json) || !("sessions" in json) || !("functions" in json)) {
    throw new DigestError("The answer is not an overview of traces. Is the plugin of another version than this page? Reload the page.");
  }
  const generation = asText(json["generation"]);
  const base = held && held.generation === generation && !asFlag(json["reset"]) ? held : null;
  const rows = readTraces(asObject(json["traces"]), asNumber(json["revision"]));
  const recompiled = readRecompilations(asObject(json["recompilations"]));
  const { traces, byKey } = base && rows.length === 0 ? base : upsert(base, rows);
  return {
    schema: asNumber(json["schema"], 1),
    generation,
    revision: asNumber(json["revision"]),
    notices: sameIfEqual(base?.notices, asArray(json["notices"]).map(readNotice)),
    summary: sameIfEqual(base?.summary, readSummary(json["summary"])),
    sessions: sameIfEqual(base?.sessions, asArray(json["sessions"]).map(readSession)),
    functions: mergeFunctions(base?.functions, asArray(json["functions"])),
    traces,
    byKey,
    recompilations: base && recompiled.length === 0 ? base.recompilations : upsertByKey(base?.recompilations ?? [], recompiled),
  };
}

/** An answer holds those that are new or changed, each with its index. */
function mergeFunctions(held: TracedFunction[] | undefined, answer: readonly unknown[]): TracedFunction[] {
  if (held && answer.length === 0) return held;
  const functions = held ? held.slice() : [];
  answer.forEach((value, position) => {
    const index = asNumber(asObject(value)["index"], position);
    // One that is missing would leave a hole.
    if (Number.isInteger(index) && index >= 0 && index <= functions.length) functions[index] = readFunction(value);
  });
  return functions;
}

function upsertByKey(held: readonly Recompilation[], rows: readonly Recompilation[]): Recompilation[] {
  const byKey = new Map(held.map((row) => [row.key, row]));
  for (const row of rows) byKey.set(row.key, row);
  return [...byKey.values()];
}

function upsert(base: Digest | null, rows: Trace[]): Pick<Digest, "traces" | "byKey"> {
  const traces = base ? base.traces.slice() : [];
  const byKey = new Map(base?.byKey);
  for (const row of rows) {
    const index = byKey.get(row.key);
    if (index === undefined) {
      byKey.set(row.key, traces.length);
      traces.push(row);
    } else {
      traces[index] = row;
    }
  }
  return { traces, byKey };
}

function readRecompilations(columns: Json): Recompilation[] {
  const column = (name: string): unknown[] => asArray(columns[name]);
  const [session, seq, number] = [column("session"), column("seq"), column("k")];
  const [step, start, us, change, failed] = [column("step"), column("start_us"), column("us"), column("change"), column("failed")];
  const rows: Recompilation[] = [];
  for (let row = 0; row < Math.min(session.length, seq.length, number.length); row += 1) {
    const [of, trace, k] = [numberOrNull(session[row]), numberOrNull(seq[row]), numberOrNull(number[row])];
    if (of === null || trace === null || k === null) continue;
    rows.push({
      key: `${of}:${trace}:${k}`,
      trace: traceKey(of, trace),
      k,
      step: numberOrNull(step[row]),
      startUs: asNumber(start[row]),
      us: Math.max(0, asNumber(us[row])),
      change: asText(change[row]),
      failed: asFlag(failed[row]),
    });
  }
  return rows;
}

function readTraces(columns: Json, revision: number): Trace[] {
  const column = (name: string): unknown[] => asArray(columns[name]);
  const session = column("session");
  const seq = column("seq");
  const of = column("function");
  const [n, object, step] = [column("n"), column("object"), column("step")];
  const [start, inclusive, own, firstCall, lookup] = [column("start_us"), column("trace_us"), column("own_us"), column("first_call_us"), column("lookup_us")];
  const [kind, verdict, cause] = [column("kind"), column("verdict"), column("cause")];
  const [path, change] = [column("path"), column("change")];
  const [failed, nested, generalized] = [column("failed"), column("nested"), column("generalized")];
  const [parent, nodes] = [column("parent_seq"), column("nodes")];
  const [recompilations, recompilation, stale] = [column("recompilations"), column("recompilation_us"), column("stale")];
  const [memoryBefore, memoryAfter, profiled] = [column("memory_before_kib"), column("memory_after_kib"), column("profiled")];
  const word = interner();
  const rows: Trace[] = [];
  for (let row = 0; row < Math.min(session.length, seq.length, of.length); row += 1) {
    const [sessionIndex, number, functionIndex] = [numberOrNull(session[row]), numberOrNull(seq[row]), numberOrNull(of[row])];
    if (sessionIndex === null || number === null || functionIndex === null) continue;
    const traceUs = Math.max(0, asNumber(inclusive[row]));
    const named = textOrNull(cause[row]);
    rows.push({
      key: traceKey(sessionIndex, number),
      session: sessionIndex,
      function: functionIndex,
      seq: number,
      n: asNumber(n[row]),
      object: asNumber(object[row]),
      step: numberOrNull(step[row]),
      startUs: asNumber(start[row]),
      traceUs,
      ownUs: Math.max(0, asNumber(own[row], traceUs)),
      firstCallUs: numberOrNull(firstCall[row]),
      lookupUs: asNumber(lookup[row]),
      kind: word(asText(kind[row], "unknown")),
      verdict: word(asText(verdict[row], "unknown")),
      cause: named === null ? null : word(named),
      path: word(asText(path[row])),
      change: asText(change[row]),
      failed: asFlag(failed[row]),
      nested: asFlag(nested[row]),
      generalized: asFlag(generalized[row]),
      parentSeq: numberOrNull(parent[row]),
      nodes: asNumber(nodes[row]),
      recompilations: asNumber(recompilations[row]),
      recompilationUs: Math.max(0, asNumber(recompilation[row])),
      stale: asNumber(stale[row]),
      memoryBefore: numberOrNull(memoryBefore[row]),
      memoryAfter: numberOrNull(memoryAfter[row]),
      profiled: asFlag(profiled[row]),
      revision,
    });
  }
  return rows;
}

/** One string for equal ones: JSON has a copy for each row. */
function interner(): (text: string) => string {
  const held = new Map<string, string>();
  return (text) => {
    const known = held.get(text);
    if (known !== undefined) return known;
    held.set(text, text);
    return text;
  };
}

function readNotice(value: unknown): Notice {
  const json = asObject(value);
  return { severity: asText(json["severity"], "warning"), text: asText(json["text"]) };
}

function readSummary(value: unknown): Summary {
  const json = asObject(value);
  return {
    sentence: asText(json["sentence"]),
    detail: asText(json["detail"]),
    traces: asNumber(json["traces"]),
    retraces: asNumber(json["retraces"]),
    failed: asNumber(json["failed"]),
    functions: asNumber(json["functions"]),
    secondsLost: asNumber(json["seconds_lost"]),
    avoidableSeconds: asNumber(json["avoidable_seconds"]),
    runSeconds: numberOrNull(json["run_seconds"]),
    share: numberOrNull(json["share"]),
    recompilations: asNumber(json["recompilations"]),
    stale: asText(json["stale"]),
  };
}

function readSession(value: unknown): Session {
  const json = asObject(value);
  return {
    id: asText(json["id"]),
    run: asText(json["run"]),
    worker: numberOrNull(json["worker"]),
    host: asText(json["host"]),
    pid: numberOrNull(json["pid"]),
    program: asText(json["program"]),
    tensorflow: asText(json["tensorflow"]),
    keras: asText(json["keras"]),
    python: asText(json["python"]),
    startedNs: asText(json["started_ns"]),
    lastNs: asText(json["last_ns"]),
    ended: asFlag(json["ended"]),
    losses: asCounts(json["losses"]),
    summary: readSummary(json["summary"]),
  };
}

function readFunction(value: unknown): TracedFunction {
  const json = asObject(value);
  return {
    session: asNumber(json["session"]),
    name: asText(json["name"], "?"),
    qualname: asText(json["qualname"]),
    role: asText(json["role"]).replaceAll("`", ""),
    file: asText(json["file"]),
    line: asNumber(json["line"]),
    library: asFlag(json["library"]),
    traces: asNumber(json["traces"]),
    objects: asNumber(json["objects"]),
    failedTraces: asNumber(json["failed_traces"]),
    omittedTraces: asNumber(json["omitted_traces"]),
    traceSeconds: asNumber(json["trace_seconds"]),
    firstCallSeconds: asNumber(json["first_call_seconds"]),
    lookupSeconds: asNumber(json["lookup_seconds"]),
    avoidableSeconds: asNumber(json["avoidable_seconds"]),
    causes: asCounts(json["causes"]),
    xlaCompilations: numberOrNull(json["xla_compilations"]),
    recompilations: asNumber(json["recompilations"]),
    recompilationSeconds: asNumber(json["recompilation_seconds"]),
    stale: asArray(json["stale"]).map((name) => asText(name)),
  };
}

/** What is equal keeps its identity, so that nothing is worked out again for it. */
function sameIfEqual<T>(held: T | undefined, next: T): T {
  return held !== undefined && JSON.stringify(held) === JSON.stringify(next) ? held : next;
}
