import { pan, span } from "../base/view_window";
import { closeFunction, functionView, openFunction } from "../state/function_page";
import { compared } from "../state/graphs";
import { closeRuns, runs } from "../state/runs";
import { detail, helpOpen, phase, select, selected, selectedTrace, selectSeq } from "../state/store";
import { closeWorkers, workersOf } from "../state/workers";
import { actOnGraphs } from "./graphs/keys";
import { toggleMemory } from "./timeline/memory_track";
import { area, fit, hasMemory, setArea, setView, view, zoomTo } from "./timeline/model";
import { sumUpView, zoomBy } from "./timeline/timeline";

const ZOOM = 1.3;

/** Keys that work wherever the focus is, except where text is typed and in dialogs. */
export function onKey(event: KeyboardEvent): void {
  // not `helpOpen`: a dialog that Escape closed says so in a later task, and the key pressed in between is the user's next
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (!act(event.key)) return;
  event.preventDefault();
}

function act(key: string): boolean {
  if (key === "?") {
    helpOpen.value = true;
    return true;
  }
  if (phase.value !== "ready") return false;
  if (compared.value) return actOnGraphs(key);
  if (runs.value) {
    if (key === "Escape") closeRuns();
    return key === "Escape";
  }
  if (workersOf.value) {
    if (key === "Escape") closeWorkers();
    return key === "Escape";
  }
  if (functionView.value) return actOnFunction(key);
  const move = (share: number): void => setView(pan(view.value, share * span(view.value)));
  switch (key) {
    case "/":
      document.querySelector<HTMLInputElement>("[data-testid=search]")?.focus();
      return true;
    case "Escape":
      if (area.value) setArea(null);
      else select(null);
      return true;
    case "e":
      sumUpView();
      return true;
    case "m":
      if (hasMemory.value) toggleMemory();
      return true;
    case "w":
    case "+":
    case "=":
      zoomBy(1 / ZOOM);
      return true;
    case "s":
    case "-":
    case "−":
      zoomBy(ZOOM);
      return true;
    case "a":
      move(-0.15);
      return true;
    case "d":
      move(0.15);
      return true;
    case "0":
      fit();
      return true;
    case "f":
      if (selectedTrace.value) zoomTo(selectedTrace.value);
      return true;
    case "o":
      if (selected.value && selectedTrace.value) openFunction(selected.value);
      return true;
    case "n":
    case "p":
      goToSameCause(key);
      return true;
    default:
      return false;
  }
}

function goToSameCause(key: "n" | "p"): void {
  const seq = key === "n" ? detail.value?.nextSameCause : detail.value?.previousSameCause;
  if (seq !== null && seq !== undefined) selectSeq(seq);
}

function actOnFunction(key: string): boolean {
  switch (key) {
    case "Escape":
      if (selected.value) select(null);
      else closeFunction();
      return true;
    case "n":
    case "p":
      goToSameCause(key);
      return true;
    default:
      return false;
  }
}

/** The target may be TensorBoard's, whose classes are not this window's: no `instanceof`. */
function isTyping(target: EventTarget | null): boolean {
  const { tagName = "", isContentEditable = false } = (target ?? {}) as Partial<HTMLElement>;
  return isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(tagName);
}
