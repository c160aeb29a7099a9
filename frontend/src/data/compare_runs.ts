import { asArray, asCounts, asFlag, asNumber, asObject, asText, numberOrNull, textOrNull } from "./guards";

/** Two recordings side by side, as `GET compare_runs` gives them (docs/http_api.md, docs/compare.md). */

export const CHANGES = ["worse", "better", "new", "gone", "same"] as const;
/** By counts of traces; what is `same` may still have other causes. */
export type RunChange = (typeof CHANGES)[number];

export interface RunCounts {
  traces: number;
  failedTraces: number;
  retraces: number;
  recompilations: number;
  traceSeconds: number;
  firstCallSeconds: number;
  lookupSeconds: number;
  recompilationSeconds: number;
  secondsLost: number;
  avoidableSeconds: number;
}

export interface FunctionCounts extends RunCounts {
  /** How many retraces each is a cause of. */
  causes: Record<string, number>;
  /** The trace to look at first. */
  costliest: { session: string; seq: number } | null;
}

export interface Code {
  name: string;
  qualname: string;
  file: string;
  line: number;
  library: boolean;
}

/** A function's code; null on the side that lacks it, never on both. */
export interface FunctionPair {
  name: string;
  library: boolean;
  codeA: Code | null;
  codeB: Code | null;
  /** How the one was found in the other. */
  matched: string | null;
  change: RunChange;
  a: FunctionCounts | null;
  b: FunctionCounts | null;
  causesGone: string[];
  causesNew: string[];
}

export interface RunSide extends RunCounts {
  sessions: string[];
  programs: string[];
  runSeconds: number | null;
}

export interface RunsComparison {
  sentence: string;
  detail: string;
  notices: string[];
  a: RunSide;
  b: RunSide;
  functions: FunctionPair[];
}

/** An answer that is no comparison; the message is for the user. */
export class RunsComparisonError extends Error {}

/** Raises RunsComparisonError. */
export function readRunsComparison(answer: unknown): RunsComparison {
  const json = asObject(answer);
  if (!Array.isArray(json["functions"])) {
    throw new RunsComparisonError("The answer is not a comparison of recordings. Is the plugin of another version than this page? Reload the page.");
  }
  return {
    sentence: asText(json["sentence"]),
    detail: asText(json["detail"]),
    notices: texts(json["notices"]),
    a: readSide(json["a"]),
    b: readSide(json["b"]),
    functions: json["functions"].map(readPair).filter((pair) => pair !== null),
  };
}

function readPair(value: unknown): FunctionPair | null {
  const json = asObject(value);
  const [a, b] = [readFunctionCounts(json["a"]), readFunctionCounts(json["b"])];
  if (!a && !b) return null;
  const change = CHANGES.find((word) => word === json["change"]) ?? "same";
  return {
    name: asText(json["name"], "?"),
    library: asFlag(json["library"]),
    codeA: a && readCode(json["code_a"]),
    codeB: b && readCode(json["code_b"]),
    matched: textOrNull(json["matched"]),
    change: !a ? "new" : !b ? "gone" : change === "new" || change === "gone" ? "same" : change,
    a,
    b,
    causesGone: texts(json["causes_gone"]),
    causesNew: texts(json["causes_new"]),
  };
}

function readFunctionCounts(value: unknown): FunctionCounts | null {
  if (typeof value !== "object" || value === null) return null;
  const json = asObject(value);
  const costliest = asObject(json["costliest"]);
  const [session, seq] = [textOrNull(costliest["session"]), numberOrNull(costliest["seq"])];
  return { ...readCounts(value), causes: asCounts(json["causes"]), costliest: session !== null && seq !== null ? { session, seq } : null };
}

function readCode(value: unknown): Code {
  const json = asObject(value);
  return { name: asText(json["name"], "?"), qualname: asText(json["qualname"]), file: asText(json["file"]), line: asNumber(json["line"]), library: asFlag(json["library"]) };
}

function readSide(value: unknown): RunSide {
  const json = asObject(value);
  return { ...readCounts(value), sessions: texts(json["sessions"]), programs: texts(json["programs"]), runSeconds: numberOrNull(json["run_seconds"]) };
}

function readCounts(value: unknown): RunCounts {
  const json = asObject(value);
  const number = (name: string): number => Math.max(0, asNumber(json[name]));
  return {
    traces: number("traces"),
    failedTraces: number("failed_traces"),
    retraces: number("retraces"),
    recompilations: number("recompilations"),
    traceSeconds: number("trace_seconds"),
    firstCallSeconds: number("first_call_seconds"),
    lookupSeconds: number("lookup_seconds"),
    recompilationSeconds: number("recompilation_seconds"),
    secondsLost: number("seconds_lost"),
    avoidableSeconds: number("avoidable_seconds"),
  };
}

function texts(value: unknown): string[] {
  return asArray(value).filter((text): text is string => typeof text === "string" && text !== "");
}
