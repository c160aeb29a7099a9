import { describe, expect, it } from "vitest";
import { readParameters, writeParameters } from "./fragment";
import { DEFAULT_SETTINGS, fromParameters, type Settings, toParameters } from "./settings";

const chosen: Settings = {
  axis: "step",
  view: { from: -1.5, to: 20.25 },
  area: { from: 3, to: 4.125 },
  memory: false,
  filters: {
    session: "20240101-host-7",
    run: "a/b c",
    worker: 0,
    causes: ["shape", "python_value"],
    verdicts: ["avoidable", "unknown"],
    function: "Trainer.<lambda>@train.py:3",
    steps: { from: 10, to: Number.POSITIVE_INFINITY },
    library: false,
    text: "a&b=c #ü 100%",
  },
  sort: { key: "total", descending: true },
  selected: { session: "20240101-host-7", seq: 12 },
  compared: { a: { session: "other-run", seq: 3 }, b: { session: "20240101-host-7", seq: 12 }, graph: 2, row: 0, open: ["a/b c", "ü=&%"] },
  workers: "20240101-host-7",
  runs: { a: ["other-run", "x-2"], b: ["20240101-host-7"], bars: "seconds", same: true },
  function: {
    trace: { session: "20240101-host-7", seq: 12 },
    question: { unknown: ["x[0]", "batch['ü&=%']"], tensors: ["lr=float32"], reduceRetracing: true, inputSignature: "[\n  tf.TensorSpec([None])\n]" },
    order: { key: "total", descending: true },
  },
};

describe("settings in the URL", () => {
  it("come back as they were", () => {
    const fragment = writeParameters("retrace", toParameters(chosen))!;
    expect(fragment.split("&")[0]).toBe("retrace");
    expect(fromParameters(readParameters(fragment))).toEqual(chosen);
    expect(fromParameters(toParameters({ ...DEFAULT_SETTINGS, view: "whole" })).view).toBe("whole");
  });

  it("leave a plain URL when nothing was chosen", () => {
    expect(writeParameters("retrace", toParameters(DEFAULT_SETTINGS))).toBe("retrace");
    expect(fromParameters({})).toEqual(DEFAULT_SETTINGS);
  });

  it("fall back to the defaults for what makes no sense", () => {
    const parameters = { axis: "moon", sort: "-constructor", trace: "../etc/1", library: "maybe" };
    expect(fromParameters(parameters)).toEqual(DEFAULT_SETTINGS);
    expect(fromParameters({ view: "1..", area: "5..5", steps: "..", worker: "-1" })).toEqual(DEFAULT_SETTINGS);
    expect(fromParameters({ steps: "9..3" }).filters.steps).toEqual({ from: 3, to: 9 });
    expect(fromParameters({ steps: "..3" }).filters.steps).toEqual({ from: Number.NEGATIVE_INFINITY, to: 3 });
    expect(fromParameters({ trace: "abc/-1" }).selected).toBeNull();
    for (const graphs of ["", "a/1..", "..a/1", "a/1..b/2..c/3", "a/x"]) expect(fromParameters({ graphs }).compared).toBeNull();
    for (const runs of ["", "a", "a..", "..b", "a..b..c", ",..b", "a/1..b"]) expect(fromParameters({ runs }).runs).toBeNull();
    expect(fromParameters({ runs: "a,a,,c..b", bars: "moons" }).runs).toEqual({ a: ["a", "c"], b: ["b"], bars: "traces", same: false });
    expect(fromParameters({ graphs: "s/4", graph: "-1", node: "x" }).compared).toEqual({ a: null, b: { session: "s", seq: 4 }, graph: 0, row: -1, open: [] });
  });

  it("keep no more opened scopes than a URL can hold", () => {
    const open = Array.from({ length: 500 }, (_, index) => `scope_${index}`);
    const parameters = toParameters({ ...chosen, compared: { ...chosen.compared!, open } });
    expect(parameters["open"]!.length).toBeLessThanOrEqual(1500);
    expect(fromParameters(parameters).compared!.open).toEqual(open.slice(0, fromParameters(parameters).compared!.open.length));
  });
});

describe("the fragment", () => {
  it("keeps what others wrote", () => {
    expect(writeParameters("retrace&run=x&p.retrace.q=old&p.other.q=1", { q: "new" })).toBe("retrace&run=x&p.other.q=1&p.retrace.q=new");
  });

  it("is not written while another tab is in view", () => {
    expect(writeParameters("scalars&run=x", { q: "new" })).toBeNull();
    expect(writeParameters("", { q: "new" })).toBe("retrace&p.retrace.q=new");
  });

  it("reads broken escapes as they are", () => {
    expect(readParameters("retrace&p.retrace.q=100%&p.other.q=1&p.retrace.bare")).toEqual({ q: "100%" });
  });
});
