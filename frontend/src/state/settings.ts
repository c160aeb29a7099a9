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

export interface Settings {
  axis: Axis;
  filters: Filters;
  sort: Sort;
  selected: TraceId | null;
}

export const DEFAULT_FILTERS: Filters = { session: null, causes: [], avoidableOnly: false, library: true, text: "" };
export const DEFAULT_SETTINGS: Settings = { axis: "time", filters: DEFAULT_FILTERS, sort: { key: "time", descending: false }, selected: null };

/** Only what differs from the defaults, so that a plain URL stays plain. */
export function toParameters({ axis, filters, sort, selected }: Settings): Parameters {
  const parameters: Parameters = {};
  if (axis !== DEFAULT_SETTINGS.axis) parameters["axis"] = axis;
  if (filters.session !== null) parameters["session"] = filters.session;
  if (filters.causes.length) parameters["causes"] = filters.causes.join(",");
  if (filters.avoidableOnly) parameters["avoidable"] = "1";
  if (!filters.library) parameters["library"] = "0";
  if (filters.text) parameters["q"] = filters.text;
  const defaultSort = DEFAULT_SETTINGS.sort;
  if (sort.key !== defaultSort.key || sort.descending !== defaultSort.descending) parameters["sort"] = `${sort.descending ? "-" : ""}${sort.key}`;
  if (selected) parameters["trace"] = `${selected.session}/${selected.seq}`;
  return parameters;
}

/** Anything that does not make sense becomes the default. */
export function fromParameters(parameters: Parameters): Settings {
  const sort = parameters["sort"] ?? "";
  const key = sort.replace(/^-/, "");
  const trace = /^([0-9a-z-]+)\/(\d{1,15})$/.exec(parameters["trace"] ?? "");
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
    selected: trace ? { session: trace[1]!, seq: Number(trace[2]) } : null,
  };
}
