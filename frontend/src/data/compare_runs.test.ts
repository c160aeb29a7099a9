import { describe, expect, it } from "vitest";
import { readRunsComparison, RunsComparisonError } from "./compare_runs";

const COUNTS = {
  traces: 40,
  failed_traces: 1,
  retraces: 39,
  recompilations: 2,
  trace_seconds: 0.5,
  first_call_seconds: 0.25,
  recompilation_seconds: 0.125,
  seconds_lost: 0.75,
  avoidable_seconds: 0.7,
};
const CODE = { name: "step", qualname: "M.step", file: "/a/train.py", line: 3, library: false };
const ROW = {
  name: "step",
  library: false,
  code_a: CODE,
  code_b: CODE,
  matched: "place",
  change: "better",
  a: { ...COUNTS, causes: { shape: 39 }, costliest: { session: "s", seq: 7 } },
  b: { ...COUNTS, traces: 1, causes: {}, costliest: { session: "t", seq: 1 } },
  causes_gone: ["shape"],
  causes_new: [],
};

describe("two recordings side by side", () => {
  it("are read as they were given", () => {
    const side = { ...COUNTS, sessions: ["s"], programs: ["train.py"], run_seconds: 12 };
    const answer = readRunsComparison({ schema: 1, sentence: "S.", detail: "D.", notices: ["N."], a: side, b: { ...side, run_seconds: null }, functions: [ROW] });
    expect(answer).toMatchObject({ sentence: "S.", detail: "D.", notices: ["N."], a: { traces: 40, failedTraces: 1, secondsLost: 0.75, runSeconds: 12, programs: ["train.py"] }, b: { runSeconds: null } });
    expect(answer.functions[0]).toMatchObject({
      name: "step",
      codeA: CODE,
      matched: "place",
      change: "better",
      a: { traces: 40, recompilations: 2, recompilationSeconds: 0.125, causes: { shape: 39 }, costliest: { session: "s", seq: 7 } },
      b: { traces: 1, costliest: { session: "t", seq: 1 } },
      causesGone: ["shape"],
      causesNew: [],
    });
  });

  it("that are none are refused", () => {
    for (const answer of [null, 7, "text", [], {}, { functions: "none" }]) expect(() => readRunsComparison(answer)).toThrow(RunsComparisonError);
  });

  it("have defaults for what is missing or makes no sense", () => {
    const row = { ...ROW, change: "sideways", causes_gone: [1, "", "dtype"], matched: 4, code_b: null, b: { traces: "x", retraces: -3, causes: { shape: "y" }, costliest: { session: 1 } } };
    const answer = readRunsComparison({ functions: [row, { ...ROW, a: null, b: null }, "x", { ...ROW, b: 7, change: "better" }, { ...ROW, a: null }, { ...ROW, change: "gone" }] });
    expect(answer.functions.map((pair) => pair.change)).toEqual(["same", "gone", "new", "same"]);
    expect(answer.functions[0]).toMatchObject({ causesGone: ["dtype"], matched: null, codeB: { name: "?", line: 0 }, b: { traces: 0, retraces: 0, causes: {}, costliest: null } });
    expect(answer.functions[2]!.codeA).toBeNull();
    expect(answer.a).toMatchObject({ traces: 0, runSeconds: null, sessions: [] });
  });
});
