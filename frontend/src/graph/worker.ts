import { ComparisonError, readComparison } from "../data/comparison";
import { asObject, asText } from "../data/guards";
import { warmUp } from "./layout";
import type { Answer, Loaded, Request } from "./protocol";
import { Session } from "./session";

/** The worker: fetches an answer, holds it, and draws up pictures of it, so that the page never waits. */

/** Longer than any text that a browser can hold. */
const MOST_BYTES = 500_000_000;
const scope = self as unknown as { postMessage(message: Answer): void; onmessage: ((event: MessageEvent<{ id: number; request: Request }>) => void) | null };

let session: Session | null = null;

scope.onmessage = (event) => {
  const { id, request } = event.data;
  answer(request).then(
    (value) => scope.postMessage({ id, value }),
    (error: unknown) => {
      if (!(error instanceof ComparisonError) && !(error instanceof RangeError)) console.error(error);
      scope.postMessage({ id, error: error instanceof Error && error.message ? error.message : "The graphs could not be drawn." });
    },
  );
};

async function answer(request: Request): Promise<Exclude<Answer, { progress: string } | { error: string }>["value"]> {
  if (request.kind === "load") return load(request);
  if (!session) throw new ComparisonError("The graphs are not loaded. Reload the page.");
  switch (request.kind) {
    case "show":
      return session.show(request.graph, request.row);
    case "open":
      return session.open(request.graph, request.item, request.open, request.all);
    case "fold":
      return session.setFold(request.fold, request.graph, request.row);
    case "step":
      return session.step(request.from, request.step);
    case "search":
      return session.search(request.graph, request.text);
    case "about":
      return session.about(request.graph, request.item);
  }
}

async function load(request: Request & { kind: "load" }): Promise<Loaded> {
  const spent: Record<string, number> = {};
  let last = performance.now();
  const note = (what: string): void => {
    const now = performance.now();
    spent[what] = now - last;
    last = now;
  };
  scope.postMessage({ progress: "Reading and comparing the two graphs…" });
  const text = await fetchText(request.url, () => note("wait"));
  note("receive");
  scope.postMessage({ progress: "Drawing them…" });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ComparisonError("TensorBoard answered with something that is not JSON.");
  }
  note("parse");
  const comparison = readComparison(json);
  note("decode");
  session = new Session(comparison, request.fold);
  const loaded = session.loaded(request.graph, request.row, request.open, spent);
  note("draw");
  return loaded;
}

async function fetchText(url: string, onStart: () => void): Promise<string> {
  let response: Response;
  let bytes: ArrayBuffer;
  try {
    const answer = fetch(url, { credentials: "same-origin" });
    warmUp();
    response = await answer;
    onStart();
    bytes = await response.arrayBuffer();
  } catch {
    throw new ComparisonError("TensorBoard does not answer. Is it still running?");
  }
  if (bytes.byteLength > MOST_BYTES) throw new ComparisonError(`The answer takes ${Math.round(bytes.byteLength / 1e6)} MB; the tab reads at most ${MOST_BYTES / 1e6} MB.`);
  const text = new TextDecoder().decode(bytes);
  if (response.ok) return text;
  let error = "";
  try {
    error = asText(asObject(JSON.parse(text))["error"]);
  } catch {
    // Not ours: the status says what is known.
  }
  throw new ComparisonError(error || `TensorBoard answered ${response.status}.`);
}
