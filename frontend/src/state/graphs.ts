import { computed, effect, signal, untracked } from "@preact/signals";
import { busy } from "../base/idle";
import { compareNodeRoute, compareRoute, getJson, RequestError } from "../data/client";
import { type NodeDetail, readNodeDetail } from "../data/comparison";
import { GraphClient } from "../graph/client";
import type { About, Hits, Loaded, Place, Request, Step } from "../graph/protocol";
import type { Scene, SceneItem } from "../graph/scene";
import { fitAll, lookAt, place, stayWith } from "./graph_camera";
import type { Compared, TraceId } from "./settings";
import { change, settings } from "./store";

/** Two graphs side by side: what was loaded, what is shown of it, what is chosen. The pictures are made in a worker. */

export const loaded = signal<Loaded | null>(null);
/** Work under way, in words. */
export const progress = signal("");
export const problem = signal<string | null>(null);
export const scene = signal<Scene | null>(null);
/** The chosen item; `item` is the worker's number for it. */
export const chosen = signal<{ graph: number; item: number } | null>(null);
export const about = signal<About | null>(null);
export const node = signal<NodeDetail | null>(null);
export const nodeError = signal<string | null>(null);
export const folds = signal(true);
export const query = signal("");
export const hits = signal<Hits | null>(null);
/** The graphs that were gone through to the one in view, from which each was called. */
export const trail = signal<Place[]>([]);

export const compared = computed(() => settings.value.compared);
export const chosenItem = computed<SceneItem | null>(() => {
  const id = chosen.value;
  const shown = scene.value;
  return (id && shown?.graph === id.graph && shown.items.find((item) => item.item === id.item)) || null;
});

let client: GraphClient | null = null;
let nodeRequest: AbortController | null = null;

export function openComparison(b: TraceId, a: TraceId | null): void {
  change({ compared: { a, b, graph: 0, row: -1, open: [] } });
}

export function closeComparison(): void {
  change({ compared: null });
}

function note(next: Partial<Compared>): void {
  const now = settings.peek().compared;
  if (now) change({ compared: { ...now, ...next } });
}

/** Follows the settings: loads what they ask for. */
export function followComparison(): void {
  let asked = "";
  effect(() => {
    const wanted = compared.value;
    const key = wanted ? JSON.stringify([wanted.a, wanted.b]) : "";
    if (key === asked) return;
    asked = key;
    untracked(() => load(wanted));
  });
}

export function reload(): void {
  load(compared.peek());
}

function load(wanted: Compared | null): void {
  client?.close();
  client = null;
  nodeRequest?.abort();
  loaded.value = scene.value = about.value = node.value = hits.value = chosen.value = null;
  problem.value = nodeError.value = null;
  trail.value = [];
  query.value = "";
  if (!wanted) return;
  progress.value = "Reading and comparing the two graphs…";
  const mine = new GraphClient((text) => (progress.value = text));
  client = mine;
  const url = new URL(compareRoute(wanted.a, wanted.b), document.baseURI).href;
  mine.ask<Loaded>({ kind: "load", url, fold: folds.peek(), graph: wanted.graph, row: wanted.row, open: wanted.open }).then(
    (answer) => {
      loaded.value = answer;
      scene.value = answer.scene;
      place(answer.scene);
      const focus = answer.scene.items[answer.scene.focus];
      if (focus) choose(answer.scene.graph, focus.item);
    },
    (error: unknown) => {
      if (client === mine) problem.value = messageOf(error);
    },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message ? error.message : "The graphs could not be drawn.";
}

/** Asks the worker at hand; an answer that comes after another comparison was opened is dropped, an error is shown. */
async function ask<T>(request: Request): Promise<T | null> {
  const asked = client;
  if (!asked) return null;
  try {
    const answer = await asked.ask<T>(request);
    return client === asked ? answer : null;
  } catch (error) {
    if (client === asked) problem.value = messageOf(error);
    return null;
  }
}

function showScene(next: Scene): void {
  scene.value = next;
  const scopes = next.items.filter((item) => item.open && item.kind === "scope").map((item) => item.path);
  note({ graph: next.graph, open: scopes });
}

/** Chooses an item of the graph in view. */
export function choose(graph: number, item: number | null): void {
  nodeRequest?.abort();
  node.value = null;
  nodeError.value = null;
  if (item === null) {
    chosen.value = about.value = null;
    note({ row: -1 });
    return;
  }
  chosen.value = { graph, item };
  void ask<About | null>({ kind: "about", graph, item }).then((answer) => {
    const id = chosen.peek();
    if (!answer || id?.graph !== graph || id.item !== item) return;
    about.value = answer;
    note({ row: answer.row });
    if (answer.row >= 0) askForNode(graph, answer.row);
  });
}

function askForNode(graph: number, row: number): void {
  const of = loaded.peek();
  if (!of) return;
  const mine = new AbortController();
  nodeRequest = mine;
  const done = busy();
  getJson(compareNodeRoute(of.overview.a, of.overview.b, graph, row), mine.signal)
    .then((answer) => {
      if (!mine.signal.aborted) node.value = readNodeDetail(answer);
    })
    .catch((error: unknown) => {
      if (!mine.signal.aborted) nodeError.value = error instanceof RequestError ? error.message : "The attributes of this node could not be read.";
    })
    .finally(done);
}

/** Goes to a node, wherever it is: its graph is shown, what hides it is opened. */
export async function goTo(target: Place): Promise<void> {
  const next = await ask<Scene>({ kind: "show", graph: target.graph, row: target.row });
  if (next) arrive(next, target);
}

function arrive(next: Scene, target: Place): void {
  const before = scene.peek();
  if (before && before.graph !== next.graph) trail.value = trailTo(next.graph);
  showScene(next);
  const item = next.items[next.focus];
  if (before?.graph !== next.graph) place(next);
  if (!item) return;
  choose(target.graph, item.item);
  lookAt(item, next);
}

/** Back where it was called from, if the way to this graph went through it. */
function trailTo(graph: number): Place[] {
  const steps = trail.peek();
  const known = steps.findIndex((step) => step.graph === graph);
  return known >= 0 ? steps.slice(0, known) : graph === 0 ? [] : steps;
}

export async function step(by: 1 | -1): Promise<void> {
  const id = chosen.peek();
  const row = about.peek()?.graph === id?.graph && about.peek()?.item === id?.item ? about.peek()?.row : undefined;
  const from = id ? { graph: id.graph, row: row !== undefined && row >= 0 ? row : (firstRowOf(id.item) ?? 0) } : null;
  const answer = await ask<Step | null>({ kind: "step", from, step: by });
  if (answer) arrive(answer.scene, answer.place);
}

function firstRowOf(item: number): number | null {
  return scene.peek()?.items.find((candidate) => candidate.item === item)?.firstRow ?? null;
}

export async function setOpen(item: SceneItem, open: boolean, all = false): Promise<void> {
  const before = scene.peek();
  if (!before || (!item.canOpen && !all)) return;
  const next = await ask<Scene>({ kind: "open", graph: before.graph, item: item.item, open, all });
  if (!next) return;
  const id = chosen.peek();
  showScene(next);
  stayWith(item, next.items[next.focus] ?? null);
  // What was chosen inside is gone: its place is taken by what it was in.
  if (id && !next.items.some((other) => other.item === id.item) && before.items.some((other) => other.item === id.item)) choose(next.graph, item.item);
}

/** Opens or closes everything in view. */
export async function setAllOpen(open: boolean): Promise<void> {
  const before = scene.peek();
  if (!before) return;
  const next = await ask<Scene>({ kind: "open", graph: before.graph, item: before.root, open, all: true });
  if (!next) return;
  showScene(next);
  if (chosen.peek() && !chosenItem.peek()) choose(next.graph, null);
  fitAll(next);
}

export async function setFold(fold: boolean): Promise<void> {
  const now = scene.peek();
  folds.value = fold;
  if (!now) return;
  const row = about.peek()?.row ?? -1;
  const next = await ask<Scene>({ kind: "fold", fold, graph: now.graph, row });
  if (!next) return;
  showScene(next);
  if (chosen.peek() && !chosenItem.peek()) choose(next.graph, null);
  place(next);
}

/** Into the function that a node calls. */
export async function enter(item: SceneItem): Promise<void> {
  const now = scene.peek();
  if (!now || item.calls < 0) return;
  const steps = [...trail.peek(), { graph: now.graph, row: item.item }];
  await showGraph(item.calls);
  if (scene.peek()?.graph === item.calls) trail.value = steps;
}

/** Back to the `index`-th graph of the trail, to the node that was gone through. */
export async function back(index: number): Promise<void> {
  const target = trail.peek()[index];
  if (!target) return;
  const rest = trail.peek().slice(0, index);
  await goTo(target);
  trail.value = rest;
}

export async function showGraph(graph: number): Promise<void> {
  const next = await ask<Scene>({ kind: "show", graph, row: -1 });
  if (!next) return;
  choose(graph, null);
  trail.value = trailTo(graph);
  showScene(next);
  place(next);
}

let lastSearch = 0;
export function search(text: string): void {
  query.value = text;
  const mine = (lastSearch += 1);
  if (text.trim() === "") {
    hits.value = null;
    return;
  }
  void ask<Hits>({ kind: "search", graph: scene.peek()?.graph ?? 0, text }).then((answer) => {
    if (answer && mine === lastSearch) hits.value = answer;
  });
}
