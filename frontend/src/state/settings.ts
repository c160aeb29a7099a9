import { isSortKey, type Sort } from "./sort";
import type { Parameters } from "./fragment";

/** What the user chose: everything that the URL keeps. Pure. */

export type Axis = "time" | "step";

export interface TraceId {
  session: string;
  seq: number;
}

export interface Filters {
  /** Session id; null: all. */
  session: string | null;
  /** Causes to show; empty: all. */
  causes: readonly string[];
  avoidableOnly: boolean;
  library: boolean;
  text: string;
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

export interface Settings {
  axis: Axis;
  filters: Filters;
  sort: Sort;
  selected: TraceId | null;
  compared: Compared | null;
}

export const DEFAULT_FILTERS: Filters = { session: null, causes: [], avoidableOnly: false, library: true, text: "" };
export const DEFAULT_SETTINGS: Settings = { axis: "time", filters: DEFAULT_FILTERS, sort: { key: "time", descending: false }, selected: null, compared: null };

/** A URL is no place for more. */
const MOST_OPEN_CHARACTERS = 1_500;

/** Only what differs from the defaults, so that a plain URL stays plain. */
export function toParameters({ axis, filters, sort, selected, compared }: Settings): Parameters {
  const parameters: Parameters = {};
  if (axis !== DEFAULT_SETTINGS.axis) parameters["axis"] = axis;
  if (filters.session !== null) parameters["session"] = filters.session;
  if (filters.causes.length) parameters["causes"] = filters.causes.join(",");
  if (filters.avoidableOnly) parameters["avoidable"] = "1";
  if (!filters.library) parameters["library"] = "0";
  if (filters.text) parameters["q"] = filters.text;
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
  return parameters;
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

/** Anything that does not make sense becomes the default. */
export function fromParameters(parameters: Parameters): Settings {
  const sort = parameters["sort"] ?? "";
  const key = sort.replace(/^-/, "");
  return {
    axis: parameters["axis"] === "step" ? "step" : "time",
    filters: {
      session: parameters["session"] || null,
      causes: (parameters["causes"] ?? "").split(",").filter((cause) => cause !== ""),
      avoidableOnly: parameters["avoidable"] === "1",
      library: parameters["library"] !== "0",
      text: parameters["q"] ?? "",
    },
    sort: isSortKey(key) ? { key, descending: sort.startsWith("-") } : DEFAULT_SETTINGS.sort,
    selected: readTrace(parameters["trace"] ?? ""),
    compared: readCompared(parameters),
  };
}
