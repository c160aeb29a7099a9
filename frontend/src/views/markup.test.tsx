// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it } from "vitest";
import { type Advice, readDetail } from "../data/detail";
import { mergeDigest } from "../data/digest";
import { detail, digest, select } from "../state/store";
import { CodeText } from "./code_text";
import { AdviceList } from "./detail/advice";
import { Detail } from "./detail/detail";
import { Header } from "./header/header";
import { TraceList } from "./list/list";
import { Snippet } from "./snippet";

const HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>";
let place: HTMLElement;

beforeEach(() => {
  place = document.createElement("div");
  document.body.replaceChildren(place);
  digest.value = null;
  detail.value = null;
});

async function show(content: Parameters<typeof render>[0]): Promise<void> {
  await act(() => render(content, place));
}

function expectOnlyText(times: number): void {
  expect(place.querySelectorAll("img, script")).toHaveLength(0);
  expect((place.textContent ?? "").split(HOSTILE)).toHaveLength(times + 1);
}

const answer = {
  schema: 1,
  generation: "g",
  revision: 1,
  reset: false,
  notices: [{ severity: HOSTILE, text: HOSTILE }],
  summary: { sentence: `${HOSTILE} was traced`, detail: `\`${HOSTILE}\``, stale: HOSTILE },
  sessions: [{ id: "s", run: HOSTILE, tensorflow: HOSTILE, ended: true }],
  functions: [{ session: 0, name: HOSTILE, file: HOSTILE }],
  traces: { session: [0], seq: [1], function: [0], kind: [HOSTILE], verdict: [HOSTILE], cause: [HOSTILE], change: [HOSTILE] },
};

describe("markup in recorded names", () => {
  it("stays text in the header", async () => {
    digest.value = mergeDigest(null, answer);
    await show(<Header />);
    // Sentence, detail, stale values, run, TensorFlow's version, notice, and the chip of an unknown cause.
    expectOnlyText(7);
  });

  it("stays text in the list", async () => {
    digest.value = mergeDigest(null, answer);
    // happy-dom lays nothing out: the list draws the rows beyond the edge of an empty view.
    await show(<TraceList />);
    expect(place.querySelectorAll("[data-testid=trace-row]")).toHaveLength(1);
    expectOnlyText(4);
  });

  it("stays text in the explanation", async () => {
    digest.value = mergeDigest(null, answer);
    select(digest.value.traces[0]!);
    detail.value = readDetail({
      session: "s",
      run: HOSTILE,
      function: { name: HOSTILE, qualname: HOSTILE, file: HOSTILE },
      event: { seq: 1, n: 1, error: HOSTILE, kind: "retrace", verdict: HOSTILE, changes: [{ cause: "shape", path: HOSTILE, old: HOSTILE, new: HOSTILE }] },
      sentence: HOSTILE,
      evidence: HOSTILE,
      signature: [{ path: HOSTILE, now: HOSTILE, closest: HOSTILE, changed: true, cause: "shape" }],
      context: { [HOSTILE]: HOSTILE },
      xla: [{ k: 2, shapes: { [HOSTILE]: HOSTILE }, changes: [{ path: HOSTILE, old: "(1,)" }] }],
      stale: [{ name: HOSTILE, traced: HOSTILE, now: HOSTILE, kind: HOSTILE }],
      stack: [{ file: "f", line: 1, function: HOSTILE, source: HOSTILE, user: true }],
      thread: HOSTILE,
    });
    await show(<Detail />);
    // Heading, sentence, verdict, cause, evidence, error, three cells, frame and its source, function, run, thread, context twice,
    // a compilation's path and shape, a stale value's name and two values.
    expectOnlyText(22);
    select(null);
  });

  it("stays text in advice", async () => {
    await show(<AdviceList advice={[{ rule: "r", text: HOSTILE, code: HOSTILE, tracesBefore: 3, tracesAfter: 1, secondsSaved: null, evidence: HOSTILE, tracesNotTried: 0, warnings: [HOSTILE], notes: [HOSTILE] }]} />);
    expectOnlyText(5);
  });
});

describe("AdviceList", () => {
  const one = (warnings: string[]): Advice => ({ rule: "r", text: "Do.", code: null, tracesBefore: 3, tracesAfter: 1, secondsSaved: null, evidence: "", tracesNotTried: 0, warnings, notes: [] });
  it("repeats no warning that stands above", async () => {
    await show(<AdviceList advice={[one(["Results change."]), one(["Results change.", "Another."])]} />);
    const said = [...place.querySelectorAll(".careful")].map((warning) => warning.textContent);
    expect(said).toEqual(["Careful Results change.", "Careful as above", "Careful Another."]);
  });
  it("notes below the change what to look at, each once", async () => {
    await show(<AdviceList advice={[{ ...one([]), notes: ["`tf.split` takes no tensor."] }, { ...one([]), notes: ["`tf.split` takes no tensor.", "Or pad."] }]} />);
    const lists = [...place.querySelectorAll(".notes")].map((list) => [...list.children].map((note) => note.textContent));
    expect(lists).toEqual([["tf.split takes no tensor."], ["Or pad."]]);
  });
});

describe("CodeText", () => {
  const shown = async (text: string): Promise<string> => {
    await show(<CodeText text={text} />);
    return place.innerHTML;
  };
  it("makes code of what is between backticks", async () => expect(await shown("`f` took `x`")).toBe("<code>f</code> took <code>x</code>"));
  it("leaves a lone backtick alone", async () => expect(await shown("a `b` c ` d")).toBe("a <code>b</code> c ` d"));
  it("leaves plain text alone", async () => expect(await shown("nothing")).toBe("nothing"));
});

describe("advised code", () => {
  it("may go on where the first call's arguments begin, and is whole to whoever reads or copies it", async () => {
    const code = "loss = train_step(tf.constant(step))\nx = f()\n\n# a comment";
    await show(<Snippet code={code} what="the change" />);
    expect(place.querySelector("pre")!.textContent).toBe(code);
    const breaks = [...place.querySelectorAll("wbr")].map((at) => at.previousSibling?.textContent);
    expect(breaks).toEqual(["loss = train_step("]);
  });
});
