import { type Recompilation, type Session, type Summary, type Trace, type TracedFunction, traceKey } from "./digest";

/** Values for tests: complete, with only what matters given. */

export function aTrace(given: Partial<Trace> = {}): Trace {
  const { session = 0, seq = 0, traceUs = 1000 } = given;
  return {
    key: traceKey(session, seq),
    session,
    function: 0,
    seq,
    n: seq + 1,
    object: 0,
    step: null,
    startUs: seq * 10_000,
    traceUs,
    ownUs: traceUs,
    firstCallUs: null,
    lookupUs: 0,
    kind: "retrace",
    verdict: "unknown",
    cause: null,
    path: "",
    change: "",
    failed: false,
    nested: false,
    generalized: false,
    parentSeq: null,
    nodes: 0,
    recompilations: 0,
    recompilationUs: 0,
    stale: 0,
    memoryBefore: null,
    memoryAfter: null,
    profiled: false,
    revision: 1,
    ...given,
  };
}

export function aRecompilation(given: Partial<Recompilation> = {}): Recompilation {
  const { k = 2, trace = "0:0" } = given;
  return { key: `${trace}:${k}`, trace, k, step: null, startUs: k * 5_000, us: 100, change: "x: shape (2,) → (3,)", failed: false, ...given };
}

export function aFunction(given: Partial<TracedFunction> = {}): TracedFunction {
  return {
    session: 0,
    name: "step",
    qualname: "step",
    role: "",
    file: "/home/me/train.py",
    line: 1,
    library: false,
    traces: 1,
    objects: 1,
    failedTraces: 0,
    omittedTraces: 0,
    traceSeconds: 0,
    firstCallSeconds: 0,
    lookupSeconds: 0,
    avoidableSeconds: 0,
    causes: {},
    xlaCompilations: null,
    recompilations: 0,
    recompilationSeconds: 0,
    stale: [],
    ...given,
  };
}

const SUMMARY: Summary = { sentence: "", detail: "", traces: 0, retraces: 0, failed: 0, functions: 0, secondsLost: 0, avoidableSeconds: 0, runSeconds: null, share: null, recompilations: 0, stale: "" };

export function aSession(given: Partial<Session> = {}): Session {
  return {
    id: "s0",
    run: "run",
    worker: null,
    host: "",
    pid: null,
    program: "",
    tensorflow: "",
    keras: "",
    python: "",
    startedNs: "",
    lastNs: "",
    ended: false,
    losses: {},
    summary: SUMMARY,
    ...given,
  };
}
