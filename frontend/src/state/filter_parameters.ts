import type { Parameters } from "./fragment";

/** What narrows the traces down, and how the URL keeps it. Pure. */

/** Both ends are shown. */
export interface StepRange {
  from: number;
  to: number;
}

export interface Filters {
  /** Session id; null: all. */
  session: string | null;
  run: string | null;
  worker: number | null;
  /** Causes and verdicts to show; empty: all. */
  causes: readonly string[];
  verdicts: readonly string[];
  /** As `functionId` names it. */
  function: string | null;
  /** Hides traces without a step. */
  steps: StepRange | null;
  library: boolean;
  text: string;
}

export const DEFAULT_FILTERS: Filters = {
  session: null,
  run: null,
  worker: null,
  causes: [],
  verdicts: [],
  function: null,
  steps: null,
  library: true,
  text: "",
};

/** Only what differs from the defaults. */
export function filterParameters(filters: Filters): Parameters {
  const parameters: Parameters = {};
  if (filters.session !== null) parameters["session"] = filters.session;
  if (filters.run !== null) parameters["run"] = filters.run;
  if (filters.worker !== null) parameters["worker"] = `${filters.worker}`;
  if (filters.causes.length) parameters["causes"] = filters.causes.join(",");
  if (filters.verdicts.length) parameters["verdicts"] = filters.verdicts.join(",");
  if (filters.function !== null) parameters["only"] = filters.function;
  if (filters.steps) parameters["steps"] = rangeText(filters.steps);
  if (!filters.library) parameters["library"] = "0";
  if (filters.text) parameters["q"] = filters.text;
  return parameters;
}

/** Anything that does not make sense becomes the default. */
export function readFilters(parameters: Parameters): Filters {
  const words = (name: string): string[] => (parameters[name] ?? "").split(",").filter((word) => word !== "");
  const steps = readRange(parameters["steps"] ?? "");
  return {
    session: parameters["session"] || null,
    run: parameters["run"] || null,
    worker: /^\d{1,9}$/.test(parameters["worker"] ?? "") ? Number(parameters["worker"]) : null,
    causes: words("causes"),
    verdicts: words("verdicts"),
    function: parameters["only"] || null,
    steps,
    library: parameters["library"] !== "0",
    text: parameters["q"] ?? "",
  };
}

/** `10..20`; an end that is infinite is left out. */
export function rangeText({ from, to }: StepRange): string {
  return `${Number.isFinite(from) ? from : ""}..${Number.isFinite(to) ? to : ""}`;
}

/** null if it is none, or all there is. */
export function readRange(text: string): StepRange | null {
  const found = /^(-?\d{1,15}(?:\.\d{1,9})?)?\.\.(-?\d{1,15}(?:\.\d{1,9})?)?$/.exec(text);
  if (!found || (found[1] === undefined && found[2] === undefined)) return null;
  const from = found[1] === undefined ? Number.NEGATIVE_INFINITY : Number(found[1]);
  const to = found[2] === undefined ? Number.POSITIVE_INFINITY : Number(found[2]);
  return from <= to ? { from, to } : { from: to, to: from };
}
