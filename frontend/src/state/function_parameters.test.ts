import { describe, expect, it } from "vitest";
import { DEFAULT_ORDER, functionParameters, isAsked, NO_QUESTION, readFunction } from "./function_parameters";

const trace = { session: "s", seq: 4 };

describe("a function's page in the URL", () => {
  it("is plain when nothing is asked", () => {
    const view = readFunction({}, trace)!;
    expect(view).toEqual({ trace, question: NO_QUESTION, order: DEFAULT_ORDER });
    expect(functionParameters(view)).toEqual({});
    expect(readFunction({ any: "x" }, null)).toBeNull();
  });

  it("takes the default for what makes no sense", () => {
    const view = readFunction({ any: "\n\nx[0]\nx[0]", order: "-constructor", reduce: "yes" }, trace)!;
    expect(view).toEqual({ trace, question: { ...NO_QUESTION, unknown: ["x[0]"] }, order: DEFAULT_ORDER });
  });

  it("leaves out what is too long for one", () => {
    const unknown = Array.from({ length: 900 }, (_, index) => `x${index}[0]`);
    expect(functionParameters({ trace, question: { ...NO_QUESTION, unknown, tensors: ["n"] }, order: DEFAULT_ORDER })).toEqual({ tensor: "n" });
  });

  it("knows a question", () => {
    expect(isAsked(NO_QUESTION)).toBe(false);
    expect(isAsked({ ...NO_QUESTION, inputSignature: "  " })).toBe(false);
    for (const asked of [{ unknown: ["x"] }, { tensors: ["n"] }, { reduceRetracing: true }, { inputSignature: "[]" }]) expect(isAsked({ ...NO_QUESTION, ...asked })).toBe(true);
  });
});
