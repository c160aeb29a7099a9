import { describe, expect, it } from "vitest";
import { readWorkers, WorkersError } from "./workers";

const FUNCTION = { name: "f", workers: [null, { traces: 3, trace_seconds: 2, costliest: { session: "s1", seq: 2 } }], differs: true, waited_seconds: 2 };
const STEP = { step: 4, function: 0, worker: 1, session: "s1", seq: 2, trace_seconds: [0, 1], waited_seconds: [1] };
const ANSWER = { sentence: "…", sessions: [{ id: "s0", worker: 0, waited_seconds: 2 }, { id: "s1", worker: 1, waited_seconds: null }], functions: [FUNCTION], steps: [STEP], notices: ["a", "", 7] };

describe("readWorkers", () => {
  it("keeps what is known apart from what is not", () => {
    const { workers, functions, steps, notices } = readWorkers(ANSWER);
    expect(workers.map((worker) => worker.waitedSeconds)).toEqual([2, null]);
    expect(functions[0]!.counts.map((counts) => counts?.traces ?? null)).toEqual([null, 3]);
    expect(steps[0]).toMatchObject({ step: 4, straggler: 1, trace: { session: "s1", seq: 2 }, waitedSeconds: [1, 0] });
    expect(notices).toEqual(["a"]);
  });

  it("leaves out steps of functions or workers that are not there", () => {
    const steps = [{ ...STEP, function: 1 }, { ...STEP, worker: 2 }, { ...STEP, worker: -1 }, { ...STEP, step: null }, null];
    expect(readWorkers({ ...ANSWER, steps }).steps).toEqual([]);
  });

  it("has a cell per worker whatever comes", () => {
    expect(readWorkers({ ...ANSWER, functions: [{ workers: "?" }, null] }).functions.map(({ counts }) => counts)).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it("says what to do about an answer of another kind", () => {
    for (const other of [null, [], {}, { sessions: [], functions: 3 }]) expect(() => readWorkers(other)).toThrow(WorkersError);
  });
});
