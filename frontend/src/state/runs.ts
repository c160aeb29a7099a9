import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { busy } from "../base/idle";
import { compareRunsRoute, getJson, RequestError } from "../data/client";
import { type FunctionPair, readRunsComparison, type RunsComparison, RunsComparisonError } from "../data/compare_runs";
import { DEFAULT_FILTERS } from "./filter_parameters";
import { functionId } from "./filters";
import { openFunction } from "./function_page";
import type { ComparedRuns } from "./settings";
import { defaultPair, sameSide, type Side, sidesOf } from "./sides";
import { change, filters, sessions, settings } from "./store";

/** Two recordings side by side: which, and what the server says about them. */

export const runs = computed(() => settings.value.runs);
export const sides = computed(() => sidesOf(sessions.value));
/** The last answer about the two at hand; it stays while a newer one is on its way. */
export const answer = signal<RunsComparison | null>(null);
export const problem = signal<string | null>(null);
const attempts = signal(0);

/** Opens the comparison with the two that are most likely meant. */
export function openRuns(): void {
  const pair = defaultPair(sides.value, filters.value.session);
  if (pair) change({ runs: { a: pair[0].ids, b: pair[1].ids, bars: "traces", same: false } });
}

export function closeRuns(): void {
  change({ runs: null });
}

export function changeRuns(next: Partial<ComparedRuns>): void {
  const now = settings.peek().runs;
  if (now) change({ runs: { ...now, ...next } });
}

/** Shows one side's traces of a function, the costliest of them chosen. */
export function showTraces(pair: FunctionPair, which: "a" | "b"): void {
  const now = settings.peek().runs;
  const code = which === "a" ? pair.codeA : pair.codeB;
  const counts = which === "a" ? pair.a : pair.b;
  if (!now || !code) return;
  const side = sideOf(now[which]);
  const alone = now[which].length === 1;
  const wanted = { ...DEFAULT_FILTERS, session: alone ? now[which][0]! : null, run: alone ? null : (side?.run ?? null), function: functionId(code) };
  change({ runs: null, view: null, area: null, filters: wanted, selected: counts?.costliest ?? null });
}

/** Opens a function's page: as it is after, or before where it is gone. */
export function showFunction(pair: FunctionPair): void {
  const trace = (pair.b ?? pair.a)?.costliest;
  if (!trace) return;
  batch(() => {
    closeRuns();
    openFunction(trace);
  });
}

export function sideOf(ids: readonly string[]): Side | undefined {
  return sides.value.find((side) => sameSide(side.ids, ids));
}

export function askAgain(): void {
  attempts.value += 1;
}

/** Follows the choice of the two, and what is recorded in them meanwhile. */
export function followRuns(): void {
  let asked = "";
  let pair = "";
  let request: AbortController | null = null;
  effect(() => {
    const wanted = runs.value;
    const askable = wanted !== null && !sameSide(wanted.a, wanted.b) && sides.value.length > 1;
    const ids = askable ? [...wanted.a, ...wanted.b] : [];
    const recorded = sessions.value.filter((session) => ids.includes(session.id)).map(({ summary, ended, losses }) => [summary, ended, losses]);
    const version = askable ? JSON.stringify([wanted.a, wanted.b, recorded, attempts.value]) : "";
    if (version === asked) return;
    asked = version;
    request?.abort();
    request = null;
    const nextPair = askable ? JSON.stringify([wanted.a, wanted.b]) : "";
    untracked(() => {
      if (nextPair !== pair) answer.value = null;
      problem.value = null;
    });
    pair = nextPair;
    if (!askable) return;
    const mine = new AbortController();
    request = mine;
    const done = busy();
    getJson(compareRunsRoute(wanted.a, wanted.b), mine.signal)
      .then((json) => {
        if (!mine.signal.aborted) answer.value = readRunsComparison(json);
      })
      .catch((error: unknown) => {
        if (mine.signal.aborted) return;
        asked = ""; // the next answer of the overview asks again
        answer.value = null;
        problem.value = error instanceof RequestError || error instanceof RunsComparisonError ? error.message : "The two recordings could not be compared.";
      })
      .finally(done);
  });
}
