import { effect } from "@preact/signals";
import { h, render as renderInto } from "preact";
import { darkMode, followDarkMode, followVisibility, onKeyDown } from "./base/host";
import { showIdle } from "./base/idle";
import { addStyles } from "./base/style";
import theme from "./base/theme.css?inline";
import { followFunction } from "./state/function_page";
import { followComparison } from "./state/graphs";
import { followRuns } from "./state/runs";
import { digest, start } from "./state/store";
import { followWorkers } from "./state/workers";
import { App } from "./views/app";
import app from "./views/app.css?inline";
import detail from "./views/detail/detail.css?inline";
import functionPage from "./views/function/function.css?inline";
import graphs from "./views/graphs/graphs.css?inline";
import graphsSide from "./views/graphs/side.css?inline";
import filters from "./views/header/filters.css?inline";
import header from "./views/header/header.css?inline";
import help from "./views/help/help.css?inline";
import exportMenu from "./views/export/export.css?inline";
import { onKey } from "./views/keys";
import list from "./views/list/list.css?inline";
import runs from "./views/runs/runs.css?inline";
import states from "./views/states/states.css?inline";
import timeline from "./views/timeline/timeline.css?inline";
import workers from "./views/workers/workers.css?inline";

/** TensorBoard calls this once in the tab's page. */
export function render(): void {
  const root = document.documentElement;
  root.lang = "en";
  document.title = "Retrace";
  addStyles(theme, header, exportMenu, filters, timeline, list, detail, states, help, graphs, graphsSide, runs, workers, functionPage, app);
  followDarkMode();
  followVisibility();
  effect(() => void root.classList.toggle("dark", darkMode.value));
  showIdle(root);
  effect(() => {
    root.dataset["retraceTraces"] = String(digest.value?.traces.length ?? 0);
  });
  onKeyDown(onKey);
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  renderInto(h(App, null), place);
  start();
  followComparison();
  followFunction();
  followRuns();
  followWorkers();
}
