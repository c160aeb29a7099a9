// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { mergeDigest } from "../../data/digest";
import { readFunctionPage } from "../../data/function_page";
import { readWhatIf } from "../../data/what_if";
import { answer, ask, openFunction, page, pageError } from "../../state/function_page";
import { digest } from "../../state/store";
import { FunctionView } from "./page";

const HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>";

it("markup in recorded names stays text on the function's page", async () => {
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  digest.value = mergeDigest(null, {
    schema: 1, generation: "g", revision: 1, sessions: [{ id: "s", ended: true }], functions: [{ session: 0, name: HOSTILE }],
    traces: { session: [0], seq: [1], n: [1], function: [0], kind: [HOSTILE], verdict: [HOSTILE], cause: [HOSTILE], change: [HOSTILE] },
    recompilations: { session: [0], seq: [1], k: [2], us: [5], change: [HOSTILE] },
  });
  openFunction({ session: "s", seq: 1 });
  page.value = readFunctionPage({
    session: "s", function: { name: HOSTILE, file: HOSTILE, qualname: HOSTILE }, sentence: HOSTILE, varied: HOSTILE, fix: HOSTILE, problem: HOSTILE,
    rows: { seq: [1] },
    leaves: [{ part: "argument", path: HOSTILE, texts: [HOSTILE, HOSTILE], cells: [0], marked: [0], was: [1], values: [[0, 1]], distinct: 1, number: true }],
    constant: [{ part: "argument", path: HOSTILE, text: HOSTILE, number: true }],
    advice: [{ text: HOSTILE, code: HOSTILE, evidence: HOSTILE }],
    stale: [{ name: HOSTILE, text: HOSTILE }],
    drawn: HOSTILE,
  });
  ask({ tensors: [HOSTILE] });
  answer.value = readWhatIf({ sentence: HOSTILE, code: HOSTILE, caveats: [HOSTILE], refused: [{ seq: 1, n: 1, reason: HOSTILE }], refused_count: 1, traces_before: 1, traces_after: 1 });
  await act(() => render(<FunctionView />, place));
  expect(place.querySelectorAll("img, script")).toHaveLength(0);
  // Title, place, three sentences, stale value, what was drawn, problem; card with its value; constant's path and text; heads and cells of the table;
  // advice thrice, two editors, answer with code, caveat and reason, a recompilation.
  expect((place.textContent ?? "").split(HOSTILE).length - 1).toBe(26);
  pageError.value = HOSTILE;
  await act(() => render(<FunctionView />, place));
  expect(place.querySelectorAll("img, script")).toHaveLength(0);
  expect(place.querySelector(".problem")!.textContent).toBe(HOSTILE);
});
