import { computed, effect, signal, untracked } from "@preact/signals";
import { busy } from "../base/idle";
import { getJson, RequestError, workersRoute } from "../data/client";
import { readWorkers, type Workers, WorkersError } from "../data/workers";
import { DEFAULT_FILTERS } from "./filter_parameters";
import { functionId } from "./filters";
import { sides } from "./runs";
import type { Side } from "./sides";
import { change, filters, sessions, settings } from "./store";

/** The workers of one job: which job, and what the server says about it. */

/** A session of it. */
export const workersOf = computed(() => settings.value.workers);
/** Launches with several workers. */
export const launches = computed(() => sides.value.filter(({ ids }) => ids.length > 1));
export const answer = signal<Workers | null>(null);
export const problem = signal<string | null>(null);
const attempts = signal(0);

export function launchOf(session: string | null): Side | undefined {
  return launches.value.find(({ ids }) => session !== null && ids.includes(session));
}

/** Opens the picked session's, or else the latest launch. */
export function openWorkers(): void {
  const all = launches.value;
  const side = launchOf(filters.value.session) ?? all[all.length - 1];
  if (side) showWorkers(side.ids[0]!);
}

export function showWorkers(session: string): void {
  change({ workers: session });
}

export function closeWorkers(): void {
  change({ workers: null });
}

/** Shows one worker's traces of a function, one of them chosen. */
export function showWorkersTrace(trace: { session: string; seq: number }, of: Parameters<typeof functionId>[0]): void {
  change({ workers: null, view: null, area: null, filters: { ...DEFAULT_FILTERS, library: true, session: trace.session, function: functionId(of) }, selected: trace });
}

export function askAgain(): void {
  attempts.value += 1;
}

/** Follows the choice of the job, and what is recorded of it meanwhile. */
export function followWorkers(): void {
  let asked = "";
  let job = "";
  let request: AbortController | null = null;
  effect(() => {
    const wanted = workersOf.value;
    const ids = launchOf(wanted)?.ids ?? [wanted];
    const recorded = sessions.value.filter(({ id }) => ids.includes(id)).map(({ summary, ended, losses }) => [summary, ended, losses]);
    const version = wanted === null ? "" : JSON.stringify([wanted, recorded, attempts.value]);
    if (version === asked) return;
    asked = version;
    request?.abort();
    request = null;
    untracked(() => {
      if ((wanted ?? "") !== job) answer.value = null;
      problem.value = null;
    });
    job = wanted ?? "";
    if (wanted === null) return;
    const mine = new AbortController();
    request = mine;
    const done = busy();
    getJson(workersRoute(wanted), mine.signal)
      .then((json) => {
        if (!mine.signal.aborted) answer.value = readWorkers(json);
      })
      .catch((error: unknown) => {
        if (mine.signal.aborted) return;
        asked = ""; // the next answer of the overview asks again
        answer.value = null;
        problem.value = error instanceof RequestError || error instanceof WorkersError ? error.message : "The workers could not be compared.";
      })
      .finally(done);
  });
}
