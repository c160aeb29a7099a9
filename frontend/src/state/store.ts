import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { inView, onDataReloaded, onFragmentChange, readFragment, replaceFragment } from "../base/host";
import { busy, loaded } from "../base/idle";
import { digestRoute, getJson, RequestError, traceRoute } from "../data/client";
import { readDetail, type TraceDetail } from "../data/detail";
import { type Digest, DigestError, mergeDigest, type Summary, type Trace, traceKey } from "../data/digest";
import { Poller } from "../data/poller";
import { applyFilters, type Shown } from "./filters";
import { readParameters, writeParameters } from "./fragment";
import { DEFAULT_FILTERS, type Filters } from "./filter_parameters";
import { fromParameters, type Settings, toParameters, type TraceId } from "./settings";
import { sortTraces } from "./sort";

/** The one place of state: what the server said, what the user chose, and what follows from both. */

// What the server said.
export const digest = signal<Digest | null>(null);
/** Why the last request failed; null while all is well. */
export const loadError = signal<string | null>(null);
/** When traces came in after the first answer, by key (`performance.now()`): they fade in. */
export const arrivals = new Map<string, number>();
/** The chosen trace in full; it stays while the next one is on its way. */
export const detail = signal<TraceDetail | null>(null);
export const detailError = signal<string | null>(null);

// What the user chose.
export const settings = signal<Settings>(fromParameters(readParameters(readFragment())));
export const helpOpen = signal(false);

// What follows.
const EMPTY_DATA: Pick<Digest, "traces" | "functions" | "sessions" | "recompilations"> = { traces: [], functions: [], sessions: [], recompilations: [] };
const traces = computed(() => digest.value?.traces ?? EMPTY_DATA.traces);
export const functions = computed(() => digest.value?.functions ?? EMPTY_DATA.functions);
export const recompilations = computed(() => digest.value?.recompilations ?? EMPTY_DATA.recompilations);
export const sessions = computed(() => digest.value?.sessions ?? EMPTY_DATA.sessions);
export const filters = computed(() => settings.value.filters);
export const sort = computed(() => settings.value.sort);
export const axis = computed(() => settings.value.axis);
export const selected = computed(() => settings.value.selected);

export const shown: ReadonlySignal<Shown> = computed(() =>
  applyFilters({ traces: traces.value, functions: functions.value, sessions: sessions.value }, filters.value),
);
export const listed = computed(() => sortTraces(shown.value.traces, { functions: functions.value, sessions: sessions.value }, sort.value));
/** The chosen trace's row; null if none is chosen or it is not (or no longer) there. */
export const selectedTrace: ReadonlySignal<Trace | null> = computed(() => {
  const choice = selected.value;
  return choice ? findTrace(choice) : null;
});
/** The chosen session, if it is there. */
export const pickedSession = computed(() => sessions.value.find((session) => session.id === filters.value.session) ?? null);
export const summary: ReadonlySignal<Summary | null> = computed(() => pickedSession.value?.summary ?? digest.value?.summary ?? null);

/** All traces of the chosen session, or of all: what the filters choose from. */
export const inScope = computed(() => {
  const index = pickedSession.value ? sessions.value.indexOf(pickedSession.value) : -1;
  return index < 0 ? traces.value : traces.value.filter((trace) => trace.session === index);
});

export type Phase = "loading" | "failed" | "empty" | "ready";
export const phase: ReadonlySignal<Phase> = computed(() => {
  if (digest.value === null) return loadError.value === null ? "loading" : "failed";
  return traces.value.length === 0 ? "empty" : "ready";
});

export function findTrace(id: TraceId): Trace | null {
  const data = digest.value;
  if (!data) return null;
  const session = data.sessions.findIndex((candidate) => candidate.id === id.session);
  const index = data.byKey.get(traceKey(session, id.seq));
  return index === undefined ? null : (data.traces[index] ?? null);
}

export function traceId(trace: Trace): TraceId | null {
  const session = sessions.value[trace.session];
  return session ? { session: session.id, seq: trace.seq } : null;
}

// What the user does.
export function change(next: Partial<Settings>): void {
  settings.value = { ...settings.value, ...next };
}

export function changeFilters(next: Partial<Filters>): void {
  change({ filters: { ...settings.value.filters, ...next } });
}

export function clearFilters(): void {
  change({ filters: { ...DEFAULT_FILTERS, session: settings.value.filters.session } });
}

export function select(trace: Trace | null): void {
  change({ selected: trace ? traceId(trace) : null });
}

export function selectSeq(seq: number): void {
  const session = selected.value?.session;
  if (session !== undefined) change({ selected: { session, seq } });
}

// How it runs.
/** Sessions that neither ended nor were heard of for so long are taken for killed. */
const SILENT_NS = 3_600_000_000_000n;
const poller = new Poller(askForDigest, () => inView.value, isLive);

function isLive(): boolean {
  const now = BigInt(Date.now()) * 1_000_000n;
  return sessions.peek().some((session) => !session.ended && /^\d{1,20}$/.test(session.lastNs) && now - BigInt(session.lastNs) < SILENT_NS);
}

export function retry(): void {
  void poller.poke();
}

/** Starts polling and keeps the URL and the chosen trace's detail in step with the state. */
export function start(): void {
  void poller.poke();
  onDataReloaded(() => void poller.poke());
  let wasInView = inView.value;
  effect(() => {
    if (inView.value && !wasInView) {
      void poller.poke();
      writeUrl();
    }
    wasInView = inView.value;
  });
  effect(() => {
    void settings.value;
    writeUrlSoon();
  });
  onFragmentChange(() => {
    const parameters = readParameters(readFragment());
    if (Object.keys(parameters).length) settings.value = fromParameters(parameters);
    else writeUrl();
  });
  followDetail();
}

const URL_PAUSE_MS = 350;
let urlWritten = Number.NEGATIVE_INFINITY;
let urlTimer: ReturnType<typeof setTimeout> | null = null;

/** At once, but not again and again while the view moves: browsers refuse more than a few writes a second. */
function writeUrlSoon(): void {
  if (urlTimer !== null) return;
  const wait = URL_PAUSE_MS - (performance.now() - urlWritten);
  if (wait <= 0) {
    writeUrl();
    return;
  }
  const done = busy();
  urlTimer = setTimeout(() => {
    urlTimer = null;
    writeUrl();
    done();
  }, wait);
}

function writeUrl(): void {
  urlWritten = performance.now();
  const fragment = writeParameters(readFragment(), toParameters(settings.value));
  if (fragment !== null) replaceFragment(fragment);
}

async function askForDigest(): Promise<boolean> {
  const held = digest.peek();
  try {
    const next = mergeDigest(held, await getJson(digestRoute(held)));
    const changed = !held || next.generation !== held.generation || next.revision !== held.revision || next.traces !== held.traces;
    if (held && held.generation === next.generation) noteArrivals(held, next);
    digest.value = next;
    loadError.value = null;
    return changed;
  } catch (error) {
    loadError.value = error instanceof RequestError || error instanceof DigestError ? error.message : "The overview could not be read.";
    if (!(error instanceof RequestError) && !(error instanceof DigestError)) console.error(error);
    return false;
  } finally {
    loaded();
  }
}

function noteArrivals(held: Digest, next: Digest): void {
  if (next.traces === held.traces) return;
  const now = performance.now();
  for (const [key, at] of arrivals) if (now - at > 2_000) arrivals.delete(key);
  for (const trace of next.traces) if (!held.byKey.has(trace.key)) arrivals.set(trace.key, now);
}

/** Fetches the chosen trace, and again when its row or its neighbours changed. */
function followDetail(): void {
  let asked = "";
  let request: AbortController | null = null;
  effect(() => {
    const trace = selectedTrace.value;
    const id = selected.value;
    // Neighbours of the same cause come and go with the function's number of traces.
    const version = trace && id ? JSON.stringify([id, trace, functions.value[trace.function]?.traces]) : "";
    if (version === asked) return;
    asked = version;
    request?.abort();
    detailError.value = null;
    if (!trace || !id) {
      request = null;
      detail.value = null;
      return;
    }
    const mine = new AbortController();
    request = mine;
    const done = busy();
    getJson(traceRoute(id.session, id.seq), mine.signal)
      .then((answer) => {
        if (!mine.signal.aborted) detail.value = readDetail(answer);
      })
      .catch((error: unknown) => {
        if (mine.signal.aborted) return;
        asked = ""; // the next answer of the overview asks again
        detail.value = null;
        detailError.value = error instanceof RequestError ? error.message : "This trace could not be read.";
      })
      .finally(done);
  });
}

