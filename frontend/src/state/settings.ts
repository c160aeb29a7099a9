import { DEFAULT_FILTERS, filterParameters, type Filters, rangeText, readFilters, readRange, type StepRange } from "./filter_parameters";
import { type FunctionView, functionParameters, readFunction } from "./function_parameters";
import { isSortKey, type Sort } from "./sort";
import type { Parameters } from "./fragment";

/** What the user chose: everything that the URL keeps. Pure. */

export { DEFAULT_FILTERS, type Filters };

export type Axis = "time" | "step";

/** Microseconds since the session's start, or steps. */
export type AxisRange = StepRange;

export interface TraceId {
  session: string;
  seq: number;
}

/** Two traces' graphs side by side. */
export interface Compared {
  /** null: the closest earlier trace of `b`. */
  a: TraceId | null;
  b: TraceId;
  /** Which graph of the comparison: 0 is the traced function's, then its library functions'. */
  graph: number;
  /** The chosen node's row in it; −1: none. */
  row: number;
  /** Names of opened scopes; empty: what shows first. */
  open: readonly string[];
}

/** Two recordings side by side. */
export interface ComparedRuns {
  /** Ids of the sessions before, and after: those of a side count together. */
  a: readonly string[];
  b: readonly string[];
  /** What the bars show. */
  bars: "traces" | "seconds";
  /** Whether functions that were traced as often in both are listed. */
  same: boolean;
}

export interface Settings {
  axis: Axis;
  /** The part of the axis in view, in its unit; null: where the traces are. */
  view: AxisRange | "whole" | null;
  /** The part that is summed up. */
  area: AxisRange | null;
  /** Whether the memory curve is shown. */
  memory: boolean;
  filters: Filters;
  sort: Sort;
  selected: TraceId | null;
  compared: Compared | null;
  runs: ComparedRuns | null;
  /** A session of the job whose workers are compared. */
  workers: string | null;
  /** A function's page. */
  function: FunctionView | null;
}

export const DEFAULT_SETTINGS: Settings = { axis: "time", view: null, area: null, memory: true, filters: DEFAULT_FILTERS, sort: { key: "verdict", descending: false }, selected: null, compared: null, runs: null, workers: null, function: null };

/** A URL is no place for more. */
const MOST_OPEN_CHARACTERS = 1_500;

/** Only what differs from the defaults, so that a plain URL stays plain. */
export function toParameters({ axis, view, area, memory, filters, sort, selected, compared, runs, workers, function: page }: Settings): Parameters {
  const parameters: Parameters = {};
  if (axis !== DEFAULT_SETTINGS.axis) parameters["axis"] = axis;
  if (view) parameters["view"] = view === "whole" ? view : rangeText(rounded(view));
  if (area) parameters["area"] = rangeText(rounded(area));
  if (!memory) parameters["memory"] = "0";
  Object.assign(parameters, filterParameters(filters));
  const defaultSort = DEFAULT_SETTINGS.sort;
  if (sort.key !== defaultSort.key || sort.descending !== defaultSort.descending) parameters["sort"] = `${sort.descending ? "-" : ""}${sort.key}`;
  if (selected) parameters["trace"] = traceText(selected);
  if (compared) {
    parameters["graphs"] = compared.a ? `${traceText(compared.a)}..${traceText(compared.b)}` : traceText(compared.b);
    if (compared.graph > 0) parameters["graph"] = `${compared.graph}`;
    if (compared.row >= 0) parameters["node"] = `${compared.row}`;
    const open = openText(compared.open);
    if (open) parameters["open"] = open;
  }
  if (runs) {
    parameters["runs"] = `${runs.a.join(",")}..${runs.b.join(",")}`;
    if (runs.bars !== "traces") parameters["bars"] = runs.bars;
    if (runs.same) parameters["same"] = "1";
  }
  if (workers) parameters["workers"] = workers;
  if (page) Object.assign(parameters, { function: traceText(page.trace) }, functionParameters(page));
  return parameters;
}

function rounded({ from, to }: AxisRange): AxisRange {
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  return { from: round(from), to: round(to) };
}

/** Needs both ends, and something between them. */
function readAxisRange(text = ""): AxisRange | null {
  const range = readRange(text);
  return range && Number.isFinite(range.from) && Number.isFinite(range.to) && range.to > range.from ? range : null;
}

function traceText({ session, seq }: TraceId): string {
  return `${session}/${seq}`;
}

function readTrace(text: string): TraceId | null {
  const trace = /^([0-9a-z-]+)\/(\d{1,15})$/.exec(text);
  return trace ? { session: trace[1]!, seq: Number(trace[2]) } : null;
}

/** As many as fit, one a line. */
function openText(open: readonly string[]): string {
  let text = "";
  for (const path of open) {
    if (path.includes("\n") || text.length + path.length + 1 > MOST_OPEN_CHARACTERS) continue;
    text += text ? `\n${path}` : path;
  }
  return text;
}

function readCompared(parameters: Parameters): Compared | null {
  const traces = (parameters["graphs"] ?? "").split("..").map(readTrace);
  const [first, second] = traces;
  if (!first || traces.length > 2 || second === null) return null;
  const number = (text: string | undefined, otherwise: number): number => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : otherwise);
  return {
    a: second ? first : null,
    b: second ?? first,
    graph: number(parameters["graph"], 0),
    row: number(parameters["node"], -1),
    open: (parameters["open"] ?? "").split("\n").filter((path) => path !== ""),
  };
}

function readRuns(parameters: Parameters): ComparedRuns | null {
  const [, a, b] = /^([0-9a-z,-]+)\.\.([0-9a-z,-]+)$/.exec(parameters["runs"] ?? "") ?? [];
  const ids = (text: string | undefined): string[] => [...new Set((text ?? "").split(",").filter((id) => id !== ""))];
  if (!ids(a).length || !ids(b).length) return null;
  return { a: ids(a), b: ids(b), bars: parameters["bars"] === "seconds" ? "seconds" : "traces", same: parameters["same"] === "1" };
}

/** Anything that does not make sense becomes the default. */
export function fromParameters(parameters: Parameters): Settings {
  const sort = parameters["sort"] ?? "";
  const key = sort.replace(/^-/, "");
  return {
    axis: parameters["axis"] === "step" ? "step" : "time",
    view: parameters["view"] === "whole" ? "whole" : readAxisRange(parameters["view"]),
    area: readAxisRange(parameters["area"]),
    memory: parameters["memory"] !== "0",
    filters: readFilters(parameters),
    sort: isSortKey(key) ? { key, descending: sort.startsWith("-") } : DEFAULT_SETTINGS.sort,
    selected: readTrace(parameters["trace"] ?? ""),
    compared: readCompared(parameters),
    runs: readRuns(parameters),
    workers: /^[0-9a-z-]{1,64}$/.test(parameters["workers"] ?? "") ? parameters["workers"]! : null,
    function: readFunction(parameters, readTrace(parameters["function"] ?? "")),
  };
}
