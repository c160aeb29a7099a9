import { signal } from "@preact/signals";

/**
 * TensorBoard around the tab: its dark mode, its URL, its reload message, and whether the tab is the one in view. The parent is of
 * the same origin; should that ever end, each of these falls back to the tab's own window.
 */

export const darkMode = signal(false);
export const inView = signal(true);

function parentWindow(): Window {
  try {
    return window.parent.document ? window.parent : window;
  } catch {
    return window;
  }
}

/** Follows the class `dark-mode` of TensorBoard's body. */
export function followDarkMode(): void {
  const body = parentWindow().document.body;
  const read = (): void => {
    darkMode.value = body.classList.contains("dark-mode");
  };
  read();
  new MutationObserver(read).observe(body, { attributes: true, attributeFilter: ["class"] });
}

/** A tab that is not in view has no height; a page in the background is hidden. */
export function followVisibility(): void {
  const read = (): void => {
    inView.value = !document.hidden && window.innerHeight > 0;
  };
  read();
  document.addEventListener("visibilitychange", read);
  window.addEventListener("resize", read);
}

/** The fragment of TensorBoard's URL, without `#`. */
export function readFragment(): string {
  return parentWindow().location.hash.replace(/^#/, "");
}

/** Replaces the fragment without a new entry in the history. */
export function replaceFragment(fragment: string): void {
  const host = parentWindow();
  if (host.location.hash.replace(/^#/, "") === fragment) return;
  host.history.replaceState(host.history.state, "", `${host.location.pathname}${host.location.search}#${fragment}`);
}

export function onFragmentChange(listener: () => void): void {
  parentWindow().addEventListener("hashchange", listener);
}

/** The address of TensorBoard's page with another query and fragment: a link to another of its tabs. */
export function hostAddress(query: Record<string, string>, fragment: string): string {
  const parameters = Object.entries(query).map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  return `${parentWindow().location.pathname}?${parameters.join("&")}#${fragment}`;
}

const GRAPHS_TAB_PATIENCE_MS = 8_000;

/** What we touch of the Graphs tab's controls. No link leads to a graph in it; this is how its own menus choose. */
interface GraphControls extends HTMLElement {
  datasets?: { name?: string; tags?: { tag?: string }[] }[];
  _selectedRunIndex?: number;
  _selectedTagIndex?: number;
}

/** Opens TensorBoard's Graphs tab and chooses a graph there; resolves with whether it could be chosen. */
export async function showInGraphsTab(run: string, tag: string): Promise<boolean> {
  const host = parentWindow();
  host.location.hash = "graphs";
  for (const end = performance.now() + GRAPHS_TAB_PATIENCE_MS; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const controls = host.document.querySelector("tf-graph-dashboard")?.shadowRoot?.querySelector<GraphControls>("tf-graph-controls");
    const runIndex = controls?.datasets?.findIndex((dataset) => dataset.name === run) ?? -1;
    const tagIndex = controls?.datasets?.[runIndex]?.tags?.findIndex((entry) => entry.tag === tag) ?? -1;
    if (!controls || tagIndex < 0) continue;
    // A new run takes its first tag, a moment later.
    controls._selectedRunIndex = runIndex;
    await new Promise((resolve) => setTimeout(resolve, 60));
    controls._selectedTagIndex = tagIndex;
    return true;
  }
  return false;
}

/** Keys pressed in the tab, or in TensorBoard around it while the tab is in view: its tab bar has the focus at first. */
export function onKeyDown(listener: (event: KeyboardEvent) => void): void {
  document.addEventListener("keydown", listener);
  const host = parentWindow();
  if (host === window) return;
  host.document.addEventListener("keydown", (event) => {
    if (inView.value) listener(event);
  });
}

/** Calls `listener` whenever TensorBoard reloads its data (its plugin protocol: a message port, answered by `isReply`). */
export function onDataReloaded(listener: () => void): void {
  if (window.parent === window) return;
  const channel = new MessageChannel();
  channel.port1.onmessage = (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (typeof message !== "object" || message === null) return;
    const { type, id, isReply } = message as Record<string, unknown>;
    if (isReply) return;
    if (type === "experimental.DataReloaded") listener();
    channel.port1.postMessage({ type, id, payload: null, error: null, isReply: true });
  };
  window.parent.postMessage("experimental.bootstrap", window.location.origin, [channel.port2]);
}
