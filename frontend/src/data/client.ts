import { busy } from "../base/idle";
import { asObject, asText } from "./guards";

/** A request that did not give what was asked for; the message is for the user. */
export class RequestError extends Error {}

/** The JSON of a route, relative to the tab's own address. Raises RequestError; an aborted request raises AbortError. */
export async function getJson(route: string, signal?: AbortSignal): Promise<unknown> {
  const done = busy();
  try {
    const { text, response } = await ask(route, signal);
    const json = parse(text, response);
    if (!response.ok) throw new RequestError(asText(asObject(json)["error"]) || `TensorBoard answered ${response.status}.`);
    return json;
  } finally {
    done();
  }
}

/** What a route for downloads answers, which may be long. Raises RequestError. */
export async function getText(route: string): Promise<string> {
  const { text, response } = await ask(route);
  if (!response.ok) throw new RequestError(asText(asObject(parse(text, response))["error"]) || `TensorBoard answered ${response.status}.`);
  return text;
}

async function ask(route: string, signal?: AbortSignal): Promise<{ text: string; response: Response }> {
  try {
    const response = await fetch(route, { credentials: "same-origin", cache: "no-store", ...(signal ? { signal } : {}) });
    return { text: await response.text(), response };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestError("TensorBoard does not answer. Is it still running?");
  }
}

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(`TensorBoard answered ${response.status} with something that is not JSON.`);
  }
}

export function digestRoute(held: { generation: string; revision: number } | null): string {
  if (!held) return "digest";
  return `digest?generation=${encodeURIComponent(held.generation)}&since=${held.revision}`;
}

export function traceRoute(session: string, seq: number): string {
  return `trace?session=${encodeURIComponent(session)}&seq=${seq}`;
}

/** By any one of its traces. */
export function functionRoute({ session, seq }: Id): string {
  return `function?session=${encodeURIComponent(session)}&seq=${seq}`;
}

interface Asked {
  unknown: readonly string[];
  tensors: readonly string[];
  reduceRetracing: boolean;
  inputSignature: string;
}

export function whatIfRoute({ session, seq }: Id, { unknown, tensors, reduceRetracing, inputSignature }: Asked): string {
  const parameters = new URLSearchParams({ session, seq: `${seq}` });
  if (inputSignature) parameters.set("input_signature", inputSignature);
  if (reduceRetracing) parameters.set("reduce_retracing", "1");
  for (const path of unknown) parameters.append("unknown", path);
  for (const path of tensors) parameters.append("tensor", path);
  return `what_if?${parameters.toString()}`;
}

type Id = { session: string; seq: number };

/** Without `a`, the server takes the closest earlier trace. */
export function compareRoute(a: Id | null, b: Id): string {
  return `compare?${compareParameters(a, b)}`;
}

/** A file: of one session, or of all. */
export function exportRoute(kind: string, session: string | null): string {
  return session === null ? kind : `${kind}?session=${encodeURIComponent(session)}`;
}

/** Sessions before, and after. */
export function compareRunsRoute(a: readonly string[], b: readonly string[]): string {
  const list = (ids: readonly string[]): string => ids.map(encodeURIComponent).join(",");
  return `compare_runs?a=${list(a)}&b=${list(b)}`;
}

/** By any session of the job. */
export function workersRoute(session: string): string {
  return `workers?session=${encodeURIComponent(session)}`;
}

export function compareNodeRoute(a: Id, b: Id, graph: number, row: number): string {
  return `compare_node?${compareParameters(a, b)}&graph=${graph}&node=${row}`;
}

function compareParameters(a: Id | null, b: Id): string {
  const of = (side: string, id: Id): string => `session_${side}=${encodeURIComponent(id.session)}&seq_${side}=${id.seq}`;
  return a ? `${of("a", a)}&${of("b", b)}` : of("b", b);
}
