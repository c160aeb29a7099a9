import { describe, expect, it } from "vitest";
import { readParameters, writeParameters } from "./fragment";
import { DEFAULT_SETTINGS, fromParameters, type Settings, toParameters } from "./settings";

const chosen: Settings = {
  axis: "step",
  filters: { session: "20240101-host-7", causes: ["shape", "python_value"], avoidableOnly: true, library: false, text: "a&b=c #ü 100%" },
  sort: { key: "total", descending: true },
  selected: { session: "20240101-host-7", seq: 12 },
};

describe("settings in the URL", () => {
  it("come back as they were", () => {
    const fragment = writeParameters("retrace", toParameters(chosen))!;
    expect(fragment.split("&")[0]).toBe("retrace");
    expect(fromParameters(readParameters(fragment))).toEqual(chosen);
  });

  it("leave a plain URL when nothing was chosen", () => {
    expect(writeParameters("retrace", toParameters(DEFAULT_SETTINGS))).toBe("retrace");
    expect(fromParameters({})).toEqual(DEFAULT_SETTINGS);
  });

  it("fall back to the defaults for what makes no sense", () => {
    const parameters = { axis: "moon", sort: "-constructor", trace: "../etc/1", library: "maybe" };
    expect(fromParameters(parameters)).toEqual(DEFAULT_SETTINGS);
    expect(fromParameters({ trace: "abc/-1" }).selected).toBeNull();
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
