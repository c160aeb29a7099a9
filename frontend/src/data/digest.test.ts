import { describe, expect, it } from "vitest";
import { DigestError, mergeDigest } from "./digest";

interface Row {
  session: number;
  seq: number;
  change?: string;
}

function answer(rows: Row[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    schema: 1,
    generation: "g1",
    revision: rows.length,
    reset: false,
    notices: [],
    summary: { sentence: "s" },
    sessions: [{ id: "a" }],
    functions: [{ session: 0, name: "f" }],
    traces: {
      session: rows.map((row) => row.session),
      seq: rows.map((row) => row.seq),
      function: rows.map(() => 0),
      change: rows.map((row) => row.change ?? ""),
      step: rows.map(() => null),
      first_call_us: rows.map(() => null),
    },
    ...more,
  };
}

const changes = (digest: ReturnType<typeof mergeDigest>): string[] => digest.traces.map((trace) => `${trace.key} ${trace.change}`);

describe("mergeDigest", () => {
  it("adds new rows and updates known ones in place, by session and seq", () => {
    const first = mergeDigest(null, answer([{ session: 0, seq: 0, change: "a" }, { session: 1, seq: 0, change: "b" }]));
    const second = mergeDigest(first, answer([{ session: 0, seq: 0, change: "A" }, { session: 0, seq: 1, change: "c" }], { revision: 9 }));
    expect(changes(second)).toEqual(["0:0 A", "1:0 b", "0:1 c"]);
    expect(second.revision).toBe(9);
    expect(changes(first)).toEqual(["0:0 a", "1:0 b"]);
  });

  it("adds and updates recompilations, by session, seq and k", () => {
    const recompilations = (rows: [k: number, change: string][]): Record<string, unknown> => ({
      recompilations: {
        session: rows.map(() => 0),
        seq: rows.map(() => 1),
        k: rows.map(([k]) => k),
        start_us: rows.map(() => 5),
        us: rows.map(() => -5),
        change: rows.map(([, change]) => change),
        step: rows.map(() => null),
      },
    });
    const first = mergeDigest(null, answer([], recompilations([[2, "a"], [3, "b"]])));
    const same = mergeDigest(first, answer([]));
    expect(same.recompilations).toBe(first.recompilations);
    const next = mergeDigest(same, answer([], recompilations([[3, "B"], [4, "c"]])));
    expect(next.recompilations.map((row) => [row.key, row.change])).toEqual([["0:1:2", "a"], ["0:1:3", "B"], ["0:1:4", "c"]]);
    expect(next.recompilations[0]).toMatchObject({ trace: "0:1", startUs: 5, us: 0, step: null, failed: false });
    expect(mergeDigest(next, answer([], { reset: true })).recompilations).toEqual([]);
  });

  it("gives a row that came again another revision, so that its explanation is asked for again", () => {
    const first = mergeDigest(null, answer([{ session: 0, seq: 0 }, { session: 0, seq: 1 }]));
    const second = mergeDigest(first, answer([{ session: 0, seq: 0 }], { revision: 9 }));
    expect(second.traces.map((trace) => trace.revision)).toEqual([9, 2]);
  });

  it("keeps what did not change as the same objects", () => {
    const first = mergeDigest(null, answer([{ session: 0, seq: 0 }]));
    const second = mergeDigest(first, answer([], { functions: [] }));
    expect(second.traces).toBe(first.traces);
    expect(second.functions).toBe(first.functions);
    expect(second.summary).toBe(first.summary);
    const third = mergeDigest(second, answer([], { summary: { sentence: "other" } }));
    expect(third.summary.sentence).toBe("other");
  });

  it("updates the functions that an answer holds, by index, and keeps the others", () => {
    const named = (index: number, name: string): Record<string, unknown> => ({ index, session: 0, name });
    const first = mergeDigest(null, answer([], { functions: [named(0, "f"), named(1, "g")] }));
    const second = mergeDigest(first, answer([], { functions: [named(1, "G"), named(2, "h"), named(7, "beyond")] }));
    expect(second.functions.map((of) => of.name)).toEqual(["f", "G", "h"]);
    expect(second.functions[0]).toBe(first.functions[0]);
    expect(first.functions.map((of) => of.name)).toEqual(["f", "g"]);
    expect(mergeDigest(second, answer([], { functions: [] })).functions).toBe(second.functions);
  });

  it("drops what it holds on reset and on another generation", () => {
    const first = mergeDigest(null, answer([{ session: 0, seq: 0 }, { session: 0, seq: 1 }]));
    expect(changes(mergeDigest(first, answer([{ session: 0, seq: 5 }], { reset: true })))).toEqual(["0:5 "]);
    expect(changes(mergeDigest(first, answer([{ session: 0, seq: 5 }], { generation: "g2" })))).toEqual(["0:5 "]);
    expect(mergeDigest(first, answer([], { reset: true })).traces).toEqual([]);
  });

  it("reads null as not known, and unknown words as they are", () => {
    const json = answer([{ session: 0, seq: 0 }]);
    Object.assign(json["traces"] as object, { kind: ["teleported"], cause: ["moon_phase"], verdict: ["perhaps"], own_us: [null], trace_us: [70] });
    const trace = mergeDigest(null, json).traces[0]!;
    expect(trace).toMatchObject({ step: null, firstCallUs: null, kind: "teleported", cause: "moon_phase", verdict: "perhaps", ownUs: 70 });
  });

  it("survives values of wrong types", () => {
    const json = answer([{ session: 0, seq: 0 }]);
    json["sessions"] = [null, 3, { id: 7, losses: { a: "x", b: 2 } }];
    json["functions"] = "none";
    json["notices"] = [{ text: "t" }];
    (json["traces"] as Record<string, unknown>)["session"] = ["zero"];
    const digest = mergeDigest(null, json);
    expect(digest.traces).toEqual([]);
    expect(digest.functions).toEqual([]);
    expect(digest.sessions.map((session) => session.id)).toEqual(["", "", ""]);
    expect(digest.sessions[2]!.losses).toEqual({ b: 2 });
    expect(digest.notices).toEqual([{ severity: "warning", text: "t" }]);
  });

  it("refuses an answer that is no digest", () => {
    expect(() => mergeDigest(null, { error: "x" })).toThrow(DigestError);
    expect(() => mergeDigest(null, "<html>")).toThrow(DigestError);
  });
});
