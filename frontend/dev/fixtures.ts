/**
 * Answers as docs/http_api.md has them, made up: any number of traces over a training with the usual mistakes in it.
 * The same number gives the same answer.
 */

type Json = Record<string, unknown>;

interface Row {
  session: number;
  function: number;
  seq: number;
  n: number;
  object: number;
  step: number | null;
  start_us: number;
  trace_us: number;
  own_us: number;
  first_call_us: number | null;
  kind: string;
  verdict: string;
  cause: string | null;
  path: string;
  change: string;
  failed: boolean;
  nested: boolean;
  generalized: boolean;
  parent_seq: number | null;
  nodes: number;
}

const CHANGES: [cause: string, path: string, old: string, now: string, verdict: string][] = [
  ["shape", "batch['image']", "float32 (32, 28, 28, 1)", "float32 (17, 28, 28, 1)", "avoidable"],
  ["python_value", "step", "41", "42", "avoidable"],
  ["dtype", "x", "float32 (32, 10)", "float64 (32, 10)", "bounded"],
  ["python_type", "training", "bool True", "tensor bool ()", "avoidable"],
  ["structure", "history", "list of 3", "list of 4", "avoidable"],
  ["object_identity", "tokenizer", "<Tokenizer 1>", "<Tokenizer 2>", "avoidable"],
  ["rank", "mask", "int32 (32,)", "int32 (32, 1)", "bounded"],
  ["recreated_function", "", "tf.function object 1", "tf.function object 2", "avoidable"],
  ["variable_identity", "args[2]", "same as args[1]", "another", "unknown"],
  ["composite_spec", "data[0].ids", "RaggedTensorSpec([None, None])", "RaggedTensorSpec([32, None])", "bounded"],
  ["capture", "scale", "0.5", "0.25", "avoidable"],
  ["context", "device", "/CPU:0", "/GPU:0", "needed"],
  ["moon_phase", "tide", "low", "high", "perhaps"],
  ["unknown", "", "", "", "unknown"],
];

const NAMES = ["train_step", "Model.call", "compute_loss_with_a_rather_long_name_for_a_function", "eval_step", "augment", "<b>bold</b>", "one_step_on_data", "decode"];

/** A small generator of pseudo-random numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function makeDigest(traces: number, sessionCount: number): Json {
  const next = random(traces + 7);
  const perSession = Math.max(1, Math.min(traces > 1000 ? 200 : traces > 20 ? 12 : 3, traces));
  const functions = Array.from({ length: traces ? perSession * sessionCount : 0 }, (_, index) => {
    const local = index % perSession;
    const base = NAMES[local % NAMES.length]!;
    return {
      session: Math.floor(index / perSession),
      name: local < NAMES.length ? base : `${base}_${local}`,
      qualname: `Trainer.fit.<locals>.${base}`,
      file: local % NAMES.length === 6 ? "/usr/lib/python3/site-packages/keras/src/backend/tensorflow/trainer.py" : `/home/me/project/${base.replace(/\W/g, "")}.py`,
      line: 12 + local * 7,
      library: local % NAMES.length === 6,
      traces: 0,
      objects: 1,
      failed_traces: 0,
      trace_seconds: 0,
      first_call_seconds: 0,
      avoidable_seconds: 0,
      causes: {} as Record<string, number>,
    };
  });
  const rows: Row[] = [];
  const clock = new Array<number>(sessionCount).fill(400_000);
  const seqs = new Array<number>(sessionCount).fill(0);
  let outer: Row | null = null;
  for (let index = 0; index < traces; index += 1) {
    const session = index % sessionCount;
    const local = index / sessionCount < perSession ? Math.floor(index / sessionCount) : Math.floor(perSession * next() ** 2.2);
    const functionIndex = session * perSession + Math.min(local, perSession - 1);
    const of = functions[functionIndex]!;
    const own = Math.round(2000 + 900_000 * next() ** 4);
    const nested: boolean = outer !== null && outer.session === session && next() < 0.3 && own < outer.trace_us;
    const failed = next() < 0.02;
    const first = of.traces === 0;
    const [cause, path, old, now, verdict] = CHANGES[Math.floor(CHANGES.length * next() ** 1.8)]!;
    const start = nested ? outer!.start_us + Math.round((outer!.trace_us - own) * next()) : clock[session]!;
    if (!failed) of.traces += 1;
    else of.failed_traces += 1;
    const row: Row = {
      session,
      function: functionIndex,
      seq: (seqs[session] = seqs[session]! + 1),
      n: Math.max(1, of.traces),
      object: cause === "recreated_function" ? of.traces : 1,
      step: next() < 0.08 ? null : Math.floor(index * 1.7),
      start_us: start,
      trace_us: own,
      own_us: own,
      first_call_us: failed || nested || next() < 0.1 ? null : Math.round(own * (0.2 + next())),
      kind: first ? "first" : cause === "recreated_function" ? "recreated" : "retrace",
      verdict: first ? "needed" : verdict,
      cause: first ? null : cause,
      path: first ? "" : path,
      change: first ? "" : `${path}${path ? ": " : ""}${cause.replaceAll("_", " ")} ${old} → ${now}`,
      failed,
      nested,
      generalized: next() < 0.05,
      parent_seq: nested ? outer!.seq : null,
      nodes: Math.round(40 + 6000 * next()),
    };
    if (nested) outer!.own_us = Math.max(0, outer!.own_us - own);
    else {
      outer = row;
      clock[session] = start + own + (row.first_call_us ?? 0) + Math.round(2_000_000 * next() ** 3);
    }
    if (row.cause) of.causes[row.cause] = (of.causes[row.cause] ?? 0) + 1;
    rows.push(row);
  }
  const summary = makeSummary(rows, functions.length);
  const columns: Record<string, unknown[]> = {};
  for (const key of Object.keys(rows[0] ?? { session: 0, seq: 0, function: 0 })) columns[key] = rows.map((row) => row[key as keyof Row]);
  return {
    schema: 1,
    generation: `mock${traces}`,
    revision: traces,
    reset: false,
    notices: traces > 20 ? [{ severity: "warning", text: "3 graphs were left out: the budget of `max_graph_bytes` was used up." }] : [],
    summary,
    sessions: Array.from({ length: sessionCount }, (_, index) => ({
      id: `20240501-120000-host-${4000 + index}`,
      run: `experiments/fit_${index}/retrace`,
      worker: sessionCount > 1 ? index : null,
      host: "host",
      pid: 4000 + index,
      program: "train.py",
      tensorflow: "2.21.0",
      keras: "3.12.0",
      python: "3.11.4",
      started_ns: "1714557600000000000",
      last_ns: String(1714557600n * 1_000_000_000n + BigInt(clock[index] ?? 0) * 1100n),
      ended: index % 2 === 1,
      losses: {},
      summary,
    })),
    functions,
    traces: columns,
  };
}

function makeSummary(rows: Row[], functions: number): Json {
  const lost = rows.reduce((sum, row) => sum + row.own_us + (row.first_call_us ?? 0), 0) / 1e6;
  const few = rows.length < 2;
  return {
    sentence: few ? "Nothing was traced twice." : `\`train_step\` was traced ${Math.ceil(rows.length / 3)} times: ${lost.toFixed(1)} s lost, 18 % of the run.`,
    detail: few ? `${rows.length} first trace.` : "92 % by `batch['image']` changing shape. One change removes 34.",
    traces: rows.length,
    retraces: Math.max(0, rows.length - functions),
    failed: rows.filter((row) => row.failed).length,
    functions,
    seconds_lost: lost,
    avoidable_seconds: lost * 0.8,
    run_seconds: lost * 5,
    share: 0.18,
  };
}

export function makeDetail(digest: Json, session: string, seq: number): Json | null {
  const sessions = digest["sessions"] as { id: string; run: string }[];
  const columns = digest["traces"] as Record<string, unknown[]>;
  const sessionIndex = sessions.findIndex((candidate) => candidate.id === session);
  const at = (columns["seq"] ?? []).findIndex((value, index) => value === seq && columns["session"]![index] === sessionIndex);
  if (at < 0) return null;
  const row = Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, values[at]])) as unknown as Row;
  const of = (digest["functions"] as { name: string }[])[row.function]!;
  const change = CHANGES.find(([cause]) => cause === row.cause);
  const changed = change && row.kind !== "first";
  const unchanged = Array.from({ length: 9 }, (_, index) => ({ path: `weights[${index}]`, now: `Variable float32 (${64 + index}, 128)`, closest: changed ? `Variable float32 (${64 + index}, 128)` : null, changed: false, cause: null }));
  const same = (columns["seq"] as number[]).filter((_, index) => columns["function"]![index] === row.function && columns["cause"]![index] === row.cause);
  const frame = (file: string, line: number, name: string, source: string, user: boolean): Json => ({ file, line, function: name, source, user });
  return {
    session,
    run: sessions[sessionIndex]!.run,
    function: of,
    event: {
      ...row,
      time_ns: 1714557600000000000 + row.start_us * 1000,
      closest_n: changed ? Math.max(1, row.n - 1) : null,
      changes: changed ? [{ cause: row.cause, path: row.path, old: change[2], new: change[3] }] : [],
      trace_seconds: row.trace_us / 1e6,
      own_trace_seconds: row.own_us / 1e6,
      first_call_seconds: row.first_call_us === null ? null : row.first_call_us / 1e6,
      error: row.failed ? "TypeError: in user code:\n\n    File \"train.py\", line 14, in train_step\n\n    TypeError: Expected float32, but got None of type 'NoneType'." : null,
    },
    sentence: changed ? `\`${of.name}\` was traced again at step ${row.step} because \`${row.path}\` changed: ${change[2]} → ${change[3]}.` : `\`${of.name}\` was traced for the first time.`,
    kind_text: "the same tf.function object was traced again for a new signature",
    evidence: changed ? "17 of 20 traces differ in this dimension alone; `reduce_retracing=True` would have made 2 of them." : "",
    closest: changed ? { seq: Math.max(1, row.seq - 1), n: Math.max(1, row.n - 1) } : null,
    signature: [...(changed ? [{ path: row.path, now: change[3], closest: change[2], changed: true, cause: row.cause }] : []), ...unchanged],
    context: { device: "/job:localhost/replica:0/task:0/device:CPU:0", strategy: "none" },
    traced_signature: row.generalized ? [{ path: "batch['image']", type: "float32 (None, 28, 28, 1)" }] : [],
    stack: [
      frame("/usr/lib/python3/site-packages/tensorflow/python/eager/polymorphic_function/tracing_compilation.py", 304, "_create_concrete_function", "concrete_function = _create_concrete_function(", false),
      frame("/usr/lib/python3/site-packages/keras/src/backend/tensorflow/trainer.py", 371, "fit", "logs = self.train_function(iterator)", false),
      frame("/home/me/project/train.py", 48, "run_epoch", "loss = train_step(batch, tf.constant(step), training=True)", true),
      frame("/home/me/project/a_folder/with_a_rather_long_file_name_for_a_module.py", 1012, "Trainer.fit_with_a_long_method_name_too", "for batch in tqdm(dataset.take(steps_per_epoch), desc=f'epoch {epoch}', disable=not verbose, leave=False):", true),
      frame("/home/me/project/train.py", 90, "<module>", "main()", true),
    ],
    stack_frames_left_out: 2,
    graph: { nodes: row.nodes, bytes: row.nodes * 127, sha256: "ab12" },
    memory: { before_bytes: 512 * 2 ** 20, after_bytes: 530 * 2 ** 20 },
    thread: "MainThread",
    reduce_retracing: false,
    jit_compile: row.cause === "context",
    cached_before: row.n - 1,
    advice: changed && row.verdict === "avoidable" ? [{ rule: "pin_shape", text: `Declare \`${row.path}\` with an unknown first dimension:`, code: "@tf.function(input_signature=[\n    tf.TensorSpec([None, 28, 28, 1], tf.float32),\n])", traces_before: 37, traces_after: 2, seconds_saved: 31.4, evidence: "Replayed over the 37 recorded signatures." }] : [],
    previous_same_cause: same.filter((other) => other < seq).pop() ?? null,
    next_same_cause: same.find((other) => other > seq) ?? null,
  };
}
