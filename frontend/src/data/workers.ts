import { asArray, asFlag, asNumber, asObject, asText, numberOrNull, textOrNull } from "./guards";

/** The workers of one job, as `GET workers` gives them (docs/http_api.md, docs/workers.md). “Places” are those in `workers`. */

export interface Worker {
  session: string;
  number: number;
  host: string;
  pid: number;
  ended: boolean;
  traces: number;
  failedTraces: number;
  traceSeconds: number;
  /** At most; null: not known. */
  waitedSeconds: number | null;
  /** How long others waited for it, at most. */
  waitedForSeconds: number | null;
}

export interface WorkerCounts {
  traces: number;
  failedTraces: number;
  traceSeconds: number;
  /** The trace to look at first. */
  costliest: TraceOf | null;
}

interface TraceOf {
  session: string;
  seq: number;
}

export interface WorkersFunction {
  name: string;
  qualname: string;
  file: string;
  line: number;
  library: boolean;
  /** Per place; null: not traced there. */
  counts: (WorkerCounts | null)[];
  differs: boolean;
  /** The first trace that the workers do not share, in words. */
  difference: string;
  waitedSeconds: number | null;
}

export interface WaitedStep {
  step: number;
  /** Place in `functions`. */
  of: number;
  /** Place of the worker that was waited for. */
  straggler: number;
  trace: TraceOf;
  /** Per place. */
  traceSeconds: number[];
  waitedSeconds: number[];
}

export interface Workers {
  run: string;
  expected: number | null;
  sentence: string;
  difference: string;
  waiting: string;
  notices: string[];
  workers: Worker[];
  functions: WorkersFunction[];
  functionsLeftOut: number;
  steps: WaitedStep[];
  stepsLeftOut: number;
}

/** An answer that is none; the message is for the user. */
export class WorkersError extends Error {}

/** Raises WorkersError. */
export function readWorkers(answer: unknown): Workers {
  const json = asObject(answer);
  if (!Array.isArray(json["sessions"]) || !Array.isArray(json["functions"])) {
    throw new WorkersError("The answer is not one about workers. Is the plugin of another version than this page? Reload the page.");
  }
  const workers = json["sessions"].map(readWorker);
  const functions = json["functions"].map((value) => readFunction(value, workers.length));
  return {
    run: asText(json["run"]),
    expected: numberOrNull(json["expected"]),
    sentence: asText(json["sentence"]),
    difference: asText(json["difference"]),
    waiting: asText(json["waiting"]),
    notices: asArray(json["notices"]).filter((text): text is string => typeof text === "string" && text !== ""),
    workers,
    functions,
    functionsLeftOut: asNumber(json["functions_left_out"]),
    steps: asArray(json["steps"])
      .map((value) => readStep(value, workers.length))
      .filter((step) => step !== null)
      .filter(({ of, straggler }) => functions[of] !== undefined && workers[straggler] !== undefined),
    stepsLeftOut: asNumber(json["steps_left_out"]),
  };
}

function readWorker(value: unknown): Worker {
  const json = asObject(value);
  return {
    session: asText(json["id"]),
    number: asNumber(json["worker"]),
    host: asText(json["host"]),
    pid: asNumber(json["pid"]),
    ended: asFlag(json["ended"]),
    traces: asNumber(json["traces"]),
    failedTraces: asNumber(json["failed_traces"]),
    traceSeconds: asNumber(json["trace_seconds"]),
    waitedSeconds: numberOrNull(json["waited_seconds"]),
    waitedForSeconds: numberOrNull(json["waited_for_seconds"]),
  };
}

function readFunction(value: unknown, workers: number): WorkersFunction {
  const json = asObject(value);
  const counts = asArray(json["workers"]);
  return {
    name: asText(json["name"], "?"),
    qualname: asText(json["qualname"]),
    file: asText(json["file"]),
    line: asNumber(json["line"]),
    library: asFlag(json["library"]),
    counts: Array.from({ length: workers }, (_, place) => readCounts(counts[place])),
    differs: asFlag(json["differs"]),
    difference: asText(json["difference"]),
    waitedSeconds: numberOrNull(json["waited_seconds"]),
  };
}

function readCounts(value: unknown): WorkerCounts | null {
  if (typeof value !== "object" || value === null) return null;
  const json = asObject(value);
  return { traces: asNumber(json["traces"]), failedTraces: asNumber(json["failed_traces"]), traceSeconds: asNumber(json["trace_seconds"]), costliest: readTrace(json["costliest"]) };
}

function readTrace(value: unknown): TraceOf | null {
  const json = asObject(value);
  const [session, seq] = [textOrNull(json["session"]), numberOrNull(json["seq"])];
  return session !== null && seq !== null ? { session, seq } : null;
}

function readStep(value: unknown, workers: number): WaitedStep | null {
  const json = asObject(value);
  const trace = readTrace(value);
  const [step, of, straggler] = [numberOrNull(json["step"]), numberOrNull(json["function"]), numberOrNull(json["worker"])];
  if (!trace || step === null || of === null || straggler === null) return null;
  const perWorker = (values: unknown): number[] => Array.from({ length: workers }, (_, place) => asNumber(asArray(values)[place]));
  return { step, of, straggler, trace, traceSeconds: perWorker(json["trace_seconds"]), waitedSeconds: perWorker(json["waited_seconds"]) };
}
