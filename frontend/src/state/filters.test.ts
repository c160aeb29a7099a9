import { expect, it } from "vitest";
import { aFunction, aSession, aTrace } from "../data/testing";
import { applyFilters, functionId, isFiltered, sessionName } from "./filters";
import { DEFAULT_FILTERS } from "./filter_parameters";

const data = {
  sessions: [aSession({ id: "one", run: "fit/retrace/worker0", worker: 0 }), aSession({ id: "two", run: "eval/retrace/worker1", worker: 1 })],
  functions: [aFunction({ name: "train_step", file: "/home/me/train.py", line: 12 }), aFunction({ name: "map_fn", library: true }), aFunction({ session: 1, name: "train_step" })],
  traces: [
    aTrace({ seq: 0, kind: "first", cause: null, verdict: "needed" }),
    aTrace({ seq: 1, cause: "shape", verdict: "avoidable", change: "x: shape (32, 10) → (7, 10)" }),
    aTrace({ seq: 2, cause: "dtype", verdict: "bounded" }),
    aTrace({ seq: 3, function: 1, cause: "shape", verdict: "unknown" }),
    aTrace({ session: 1, seq: 0, function: 2, kind: "recreated", cause: null }),
  ],
};
const shown = (filters: Partial<typeof DEFAULT_FILTERS>): string[] => applyFilters(data, { ...DEFAULT_FILTERS, ...filters }).traces.map((trace) => trace.key);

it("shows everything by default", () => expect(shown({})).toHaveLength(5));
it("filters by session", () => expect(shown({ session: "two" })).toEqual(["1:0"]));
it("ignores a session that is not there", () => expect(shown({ session: "gone" })).toHaveLength(5));
it("filters by several causes, a first trace counting as one", () => expect(shown({ causes: ["dtype", "first"] })).toEqual(["0:0", "0:2"]));
it("filters by several verdicts", () => expect(shown({ verdicts: ["avoidable", "needed"] })).toEqual(["0:0", "0:1"]));
it("filters by run and by worker", () => {
  expect(shown({ run: "fit" })).toHaveLength(4);
  expect(shown({ worker: 1 })).toEqual(["1:0"]);
  expect(shown({ run: "fit", worker: 1 })).toEqual([]);
});
it("filters by function, over all sessions", () => {
  expect(functionId(data.functions[0]!)).toBe("step@train.py:12");
  expect(shown({ function: "step@train.py:12" })).toEqual(["0:0", "0:1", "0:2"]);
});
it("filters by steps, both ends included, and hides what has none", () => {
  const stepped = { ...data, traces: [null, 4, 5, 9, 10].map((step, seq) => aTrace({ seq, step })) };
  const keys = (from: number, to: number): string[] => applyFilters(stepped, { ...DEFAULT_FILTERS, steps: { from, to } }).traces.map((trace) => trace.key);
  expect(keys(5, 9)).toEqual(["0:2", "0:3"]);
  expect(keys(9, Number.POSITIVE_INFINITY)).toEqual(["0:3", "0:4"]);
});
it("takes the picked session for a place to look, not for a filter", () => {
  expect(isFiltered({ ...DEFAULT_FILTERS, session: "two" })).toBe(false);
  for (const given of [{ run: "fit" }, { worker: 0 }, { verdicts: ["needed"] }, { steps: { from: 1, to: 2 } }, { text: "x" }, { library: false }]) {
    expect(isFiltered({ ...DEFAULT_FILTERS, ...given })).toBe(true);
  }
});
it("finds words anywhere in the trace, all of them", () => {
  expect(shown({ text: "TRAIN.py:12 (7," })).toEqual(["0:1"]);
  expect(shown({ text: "re-created" })).toEqual(["1:0"]);
  expect(shown({ text: "train_step nowhere" })).toEqual([]);
  expect(shown({ text: "SHAPE (.*" })).toEqual([]);
});

it("hides library functions and says how many", () => {
  const result = applyFilters(data, { ...DEFAULT_FILTERS, library: false });
  expect(result.traces).toHaveLength(4);
  expect(result.hiddenLibrary).toBe(1);
});

it("counts causes as if none were chosen", () => {
  const counts = applyFilters(data, { ...DEFAULT_FILTERS, causes: ["dtype"] }).causeCounts;
  expect(Object.fromEntries(counts)).toEqual({ first: 1, shape: 2, dtype: 1, recreated_function: 1 });
});

it("counts verdicts as if none were chosen, and causes within the verdicts that are", () => {
  const result = applyFilters(data, { ...DEFAULT_FILTERS, verdicts: ["avoidable"], causes: ["shape"] });
  expect(Object.fromEntries(result.verdictCounts)).toEqual({ avoidable: 1, unknown: 1 });
  expect(Object.fromEntries(result.causeCounts)).toEqual({ shape: 1 });
});

it("names sessions", () => {
  expect(sessionName(aSession({ run: "fit/retrace", worker: 2 }))).toBe("fit · worker 2");
  expect(sessionName(aSession({ run: "fit/retrace/worker1", worker: 1 }))).toBe("fit · worker 1");
  expect(sessionName(aSession({ run: "retrace", program: "/home/me/train.py" }))).toBe("train.py");
  expect(sessionName(aSession({ run: "retrace" }))).toBe("run");
  expect(sessionName(aSession({ run: ".", program: "train.py" }))).toBe("train.py");
});
