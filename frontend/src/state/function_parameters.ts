import type { Parameters } from "./fragment";
import type { TraceId } from "./settings";

/** What is chosen on a function's page, and how the URL keeps it. Pure. */

/** A change that is asked about: an input signature alone, or any of the others. */
export interface Question {
  /** `x[0]`: a dimension of unknown size; `x`: all of x's. */
  unknown: readonly string[];
  /** Python numbers passed as tensors: `lr`, or `lr=float32`. */
  tensors: readonly string[];
  reduceRetracing: boolean;
  inputSignature: string;
}

const ORDER_KEYS = ["n", "step", "total"] as const;
export type OrderKey = (typeof ORDER_KEYS)[number];

export interface FunctionView {
  /** Any one trace of the function. */
  trace: TraceId;
  question: Question;
  order: { key: OrderKey; descending: boolean };
}

export const NO_QUESTION: Question = { unknown: [], tensors: [], reduceRetracing: false, inputSignature: "" };
export const DEFAULT_ORDER: FunctionView["order"] = { key: "n", descending: false };

/** A URL is no place for more: what is longer is kept until the page is left, and no longer. */
const MOST_CHARACTERS = 3_000;

export function isAsked(question: Question): boolean {
  return question.unknown.length > 0 || question.tensors.length > 0 || question.reduceRetracing || question.inputSignature.trim() !== "";
}

/** Without the trace itself; only what differs from the defaults. */
export function functionParameters({ question, order }: FunctionView): Parameters {
  const parameters: Parameters = {};
  const unknown = question.unknown.join("\n");
  const tensors = question.tensors.join("\n");
  if (unknown && unknown.length <= MOST_CHARACTERS) parameters["any"] = unknown;
  if (tensors && tensors.length <= MOST_CHARACTERS) parameters["tensor"] = tensors;
  if (question.reduceRetracing) parameters["reduce"] = "1";
  if (question.inputSignature && question.inputSignature.length <= MOST_CHARACTERS) parameters["declare"] = question.inputSignature;
  if (order.key !== DEFAULT_ORDER.key || order.descending) parameters["order"] = `${order.descending ? "-" : ""}${order.key}`;
  return parameters;
}

/** Anything that does not make sense becomes the default. */
export function readFunction(parameters: Parameters, trace: TraceId | null): FunctionView | null {
  if (!trace) return null;
  const lines = (name: string): string[] => [...new Set((parameters[name] ?? "").split("\n").filter((line) => line !== ""))];
  const order = parameters["order"] ?? "";
  const key = ORDER_KEYS.find((known) => known === order.replace(/^-/, ""));
  return {
    trace,
    question: { unknown: lines("any"), tensors: lines("tensor"), reduceRetracing: parameters["reduce"] === "1", inputSignature: parameters["declare"] ?? "" },
    order: key ? { key, descending: order.startsWith("-") } : DEFAULT_ORDER,
  };
}
