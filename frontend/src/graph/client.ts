import { busy } from "../base/idle";
import type { Answer, Request } from "./protocol";

/** The worker as the page sees it: a question, an answer. A new comparison takes a new worker, so that an old one can be given up at once. */
export class GraphClient {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void; done: () => void }>();
  private last = 0;

  constructor(private readonly onProgress: (text: string) => void) {
    this.worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "retrace-graphs" });
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.receive(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(`The part of the tab that draws graphs stopped${event.message ? ` (${event.message})` : ""}. Reload the page.`);
    };
  }

  /** Rejects with an Error whose message is for the user; never settles once closed. */
  ask<T>(request: Request): Promise<T> {
    const id = (this.last += 1);
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: never) => void, reject, done: busy() });
      this.worker.postMessage({ id, request });
    });
  }

  close(): void {
    this.worker.terminate();
    for (const { done } of this.waiting.values()) done();
    this.waiting.clear();
  }

  private receive(answer: Answer): void {
    if ("progress" in answer) {
      this.onProgress(answer.progress);
      return;
    }
    const waiting = this.waiting.get(answer.id);
    if (!waiting) return;
    this.waiting.delete(answer.id);
    if ("error" in answer) waiting.reject(new Error(answer.error));
    else waiting.resolve(answer.value as never);
    setTimeout(waiting.done); // not idle before the answer has been used
  }

  private fail(text: string): void {
    for (const { reject, done } of this.waiting.values()) {
      reject(new Error(text));
      done();
    }
    this.waiting.clear();
  }
}
