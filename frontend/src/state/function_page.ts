import { computed, effect, signal, untracked } from "@preact/signals";
import { busy } from "../base/idle";
import { functionRoute, getJson, RequestError, whatIfRoute } from "../data/client";
import { type FunctionPage, readFunctionPage } from "../data/function_page";
import { fates, readWhatIf, type WhatIfAnswer } from "../data/what_if";
import { DEFAULT_ORDER, type FunctionView, isAsked, NO_QUESTION, type Question } from "./function_parameters";
import { orderRows, type PageRow } from "./page_rows";
import type { TraceId } from "./settings";
import { change, digest, findTrace, functions, selected, settings } from "./store";

/** A function's page: what the server says of it, and what is asked. */

export const functionView = computed(() => settings.value.function);
/** The last answer about the function at hand; it stays while a newer one is on its way. */
export const page = signal<FunctionPage | null>(null);
export const pageError = signal<string | null>(null);
export const answer = signal<WhatIfAnswer | null>(null);
export const answerError = signal<string | null>(null);
export const asking = signal(false);

export const rows = computed<PageRow[]>(() => {
  const shown = page.value;
  if (!shown || !digest.value) return [];
  return shown.rows.map(({ seq, closestSeq }, index) => ({ index, seq, closestSeq, trace: findTrace({ session: shown.session, seq }) }));
});
export const ordered = computed(() => {
  const { key, descending } = functionView.value?.order ?? DEFAULT_ORDER;
  return orderRows(rows.value, key, descending);
});
export const fateOf = computed(() => (answer.value ? fates(answer.value) : null));
/** The function as the overview has it. */
export const listedFunction = computed(() => {
  const trace = functionView.value ? findTrace(functionView.value.trace) : null;
  return trace ? (functions.value[trace.function] ?? null) : null;
});

export function openFunction(trace: TraceId): void {
  change({ function: { trace, question: NO_QUESTION, order: DEFAULT_ORDER }, selected: null });
}

/** Back to the traces, where the one that was looked at last is chosen. */
export function closeFunction(): void {
  const view = settings.peek().function;
  change({ function: null, selected: selected.peek() ?? view?.trace ?? null });
}

export function changeFunction(next: Partial<FunctionView>): void {
  const now = settings.peek().function;
  if (now) change({ function: { ...now, ...next } });
}

export function ask(next: Partial<Question>): void {
  const now = settings.peek().function;
  if (now) changeFunction({ question: { ...now.question, ...next } });
}

/** A long answer is asked for again at most this share of the time: a run may be adding traces all along. */
const PAUSE = 4;
/** While text is typed, or chips are clicked one after the other, one question is enough. */
const PATIENCE_MS = 120;
const attempts = signal(0);

export function askAgain(): void {
  attempts.value += 1;
}

export function followFunction(): void {
  followPage();
  followQuestion();
}

function followPage(): void {
  let asked = "";
  let shownFor = "";
  let request: AbortController | null = null;
  let timer = 0;
  let nextAt = 0;
  effect(() => {
    const view = functionView.value;
    const trace = view ? findTrace(view.trace) : null;
    const wanted = view && digest.value ? view.trace : null;
    const version = wanted ? JSON.stringify([wanted, trace && functions.value[trace.function], digest.value?.generation, attempts.value]) : "";
    if (version === asked) return;
    clearTimeout(timer);
    const key = wanted ? `${wanted.session}/${trace?.function ?? "?"}` : "";
    const wait = nextAt - performance.now();
    if (key !== "" && key === shownFor && wait > 0) {
      timer = window.setTimeout(askAgain, wait);
      return;
    }
    asked = version;
    request?.abort();
    request = null;
    untracked(() => {
      if (key !== shownFor) page.value = null;
      pageError.value = null;
    });
    shownFor = key;
    if (!wanted) return;
    const mine = new AbortController();
    request = mine;
    const began = performance.now();
    const done = busy();
    getJson(functionRoute(wanted), mine.signal)
      .then((json) => {
        if (mine.signal.aborted) return;
        page.value = readFunctionPage(json);
        nextAt = performance.now() + PAUSE * (performance.now() - began);
      })
      .catch((error: unknown) => {
        if (mine.signal.aborted) return;
        page.value = null;
        pageError.value = error instanceof RequestError ? error.message : "This function could not be read.";
      })
      .finally(done);
  });
}

function followQuestion(): void {
  let asked = "";
  let request: AbortController | null = null;
  let timer = 0;
  let settle = (): void => undefined;
  effect(() => {
    const view = functionView.value;
    const shown = page.value;
    const key = view && shown && isAsked(view.question) ? JSON.stringify([view.trace, view.question, shown.traces, shown.failedTraces, shown.cost]) : "";
    if (key === asked) return;
    asked = key;
    request?.abort();
    clearTimeout(timer);
    settle();
    if (!view || key === "") {
      untracked(() => {
        answer.value = answerError.value = null;
        asking.value = false;
      });
      return;
    }
    const mine = new AbortController();
    request = mine;
    const done = busy();
    settle = () => {
      done();
      if (request === mine) asking.value = false;
    };
    asking.value = true;
    timer = window.setTimeout(() => {
      getJson(whatIfRoute(view.trace, view.question), mine.signal)
        .then((json) => {
          if (mine.signal.aborted) return;
          answer.value = readWhatIf(json);
          answerError.value = null;
        })
        .catch((error: unknown) => {
          if (mine.signal.aborted) return;
          answer.value = null;
          answerError.value = error instanceof RequestError ? error.message : "This question could not be answered.";
        })
        .finally(settle);
    }, PATIENCE_MS);
  });
}
