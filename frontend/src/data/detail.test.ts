import { expect, it } from "vitest";
import { changeRows, readDetail } from "./detail";

it("reads an empty answer without failing, unknown as null", () => {
  const detail = readDetail({});
  expect(detail.firstCallSeconds).toBeNull();
  expect(detail.closest).toBeNull();
  expect(detail.memory).toEqual({ before: null, after: null });
  expect(detail.graph.sha256).toBeNull();
});

it("reads the time both as a number and as digits", () => {
  expect(readDetail({ event: { time_ns: "1700000000000000001" } }).timeNs).toBe("1700000000000000001");
  expect(readDetail({ event: { time_ns: 1700000000000000000 } }).timeNs).toBe("1700000000000000000");
});

it("reads compilations with what changed, and stale values", () => {
  const detail = readDetail({
    xla_compilations: 2,
    xla: [
      { k: 1, seconds: 0.5, shapes: { x: "(4, 3)", y: "(1,)" }, changes: [] },
      { k: 2, step: 7, shapes: { x: "(5, 3)", y: "(1,)" }, changes: [{ path: "x", old: "(4, 3)", new: "(5, 3)" }], gradient: true },
      "damaged",
      {
        k: 3,
        shapes: { x: "(6, 3)" },
        values: { n: "3", m: "1" },
        changes: [
          { cause: "shape", path: "x", old: "(5, 3)", new: "(6, 3)" },
          { cause: "value", path: "n", old: "2", new: "3" },
        ],
      },
    ],
    stale: [{ name: "lr", kind: "global", traced: "0.1", now: "0.01" }, null],
  });
  expect(detail.xla[0]!.shapes).toEqual([{ path: "x", shape: "(4, 3)", old: null }, { path: "y", shape: "(1,)", old: null }]);
  expect(detail.xla[1]).toMatchObject({ k: 2, step: 7, gradient: true, failed: false, shapes: [{ path: "x", shape: "(5, 3)", old: "(4, 3)" }, { old: null }] });
  expect(detail.xla[3]!.shapes).toEqual([{ path: "x", shape: "(6, 3)", old: "(5, 3)" }, { path: "n", shape: "3", old: "2" }, { path: "m", shape: "1", old: null }]);
  expect(detail.xla[2]).toMatchObject({ k: 0, step: null, shapes: [] });
  expect(detail.stale[0]).toEqual({ name: "lr", kind: "global", traced: "0.1", now: "0.01" });
});

it("shows every change, also those that no leaf shows", () => {
  const detail = readDetail({
    event: { changes: [{ cause: "shape", path: "x", old: "(1)", new: "(2)" }, { cause: "structure", path: "batch", old: "{a, b}", new: "{a}" }] },
    signature: [
      { path: "batch['a']", now: "int32", closest: "int32", changed: false, cause: null },
      { path: "x", now: "(2)", closest: "(1)", changed: true, cause: "shape" },
    ],
  });
  const { changed, unchanged } = changeRows(detail);
  expect(changed.map((row) => [row.path, row.closest, row.now, row.gone])).toEqual([
    ["x", "(1)", "(2)", false],
    ["batch", "{a, b}", "{a}", true],
  ]);
  expect(unchanged.map((row) => row.path)).toEqual(["batch['a']"]);
});

it("reads where other tabs show the trace, and that none does", () => {
  const profile = { run: "fit/2024", tool: "trace_viewer@", span: "retrace step", installed: true, text: "Look there." };
  const detail = readDetail({ graphs_tab: { run: "retrace_graphs/x", tag: "step #2" }, profile });
  expect(detail.graphsTab).toEqual({ run: "retrace_graphs/x", tag: "step #2" });
  expect(detail.profile).toEqual(profile);
  expect(readDetail({ profile: { text: "Not saved." } }).profile).toMatchObject({ run: null, installed: false, text: "Not saved." });
  for (const nothing of [null, undefined, 5, {}]) expect(readDetail({ graphs_tab: nothing, profile: nothing })).toMatchObject({ graphsTab: null, profile: null });
});
