import { busy } from "../base/idle";
import { asObject, asText } from "./guards";

/** A request that did not give what was asked for; the message is for the user. */
export class RequestError extends Error {}

/** The JSON of a route, relative to the tab's own address. Raises RequestError; an aborted request raises AbortError. */
export async function getJson(route: string, signal?: AbortSignal): Promise<unknown> {
  const done = busy();
  try {
    let response: Response;
    try {
      response = await fetch(route, { credentials: "same-origin", cache: "no-store", ...(signal ? { signal } : {}) });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new RequestError("TensorBoard does not answer. Is it still running?");
    }
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new RequestError(`TensorBoard answered ${response.status} with something that is not JSON.`);
    }
    if (!response.ok) throw new RequestError(asText(asObject(json)["error"]) || `TensorBoard answered ${response.status}.`);
    return json;
  } finally {
    done();
  }
}

export function digestRoute(held: { generation: string; revision: number } | null): string {
  if (!held) return "digest";
  return `digest?generation=${encodeURIComponent(held.generation)}&since=${held.revision}`;
}

export function traceRoute(session: string, seq: number): string {
  return `trace?session=${encodeURIComponent(session)}&seq=${seq}`;
}
