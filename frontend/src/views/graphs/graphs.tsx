import { effect, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { chosen, closeComparison, hits, loaded, problem, progress, reload } from "../../state/graphs";
import { CodeText } from "../code_text";
import { Bar } from "./bar";
import { FactsPanel } from "./facts";
import { Head } from "./head";
import { Outline } from "./outline";
import { Panes } from "./panes";
import { Results } from "./results";
import { Selected } from "./selected";

/** Two traces' graphs: first the answer in words, then both side by side, an outline of them, and what is chosen. */
export function Graphs(): JSX.Element {
  return (
    <div class="graphs" data-testid="graphs">
      <Head />
      {problem.value !== null ? <Failed text={problem.value} /> : loaded.value === null ? <Waiting /> : <Shown />}
    </div>
  );
}

function Shown(): JSX.Element {
  return (
    <main class="graphs-body">
      <Bar />
      <div class="graphs-main">
        <nav class="graphs-outline" aria-label="Nodes">
          {hits.value ? <Results hits={hits.value} /> : <Outline />}
        </nav>
        <Panes />
        <SidePanel />
      </div>
    </main>
  );
}

function SidePanel(): JSX.Element {
  const tab = useSignal<"chosen" | "facts">("facts");
  // What is chosen is what is asked about.
  useEffect(() => effect(() => void (tab.value = chosen.value ? "chosen" : tab.peek())), []);
  const overview = loaded.value?.overview;
  const tabs = [
    ["chosen", "Node"],
    ["facts", "Both functions"],
  ] as const;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    tab.value = tab.value === "chosen" ? "facts" : "chosen";
    document.getElementById(`graphs-tab-${tab.value}`)?.focus();
  };
  return (
    <aside class="graphs-side" aria-label="Details">
      <div class="side-tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
        {tabs.map(([name, label]) => (
          <button key={name} id={`graphs-tab-${name}`} type="button" role="tab" aria-selected={tab.value === name} aria-controls="graphs-side-body" tabIndex={tab.value === name ? 0 : -1} onClick={() => (tab.value = name)}>
            {label}
          </button>
        ))}
      </div>
      <div id="graphs-side-body" class="detail-body" role="tabpanel" tabIndex={0} aria-labelledby={`graphs-tab-${tab.value}`}>
        <h2 class="visually-hidden">{tab.value === "chosen" ? "The chosen node" : "Both functions"}</h2>
        {tab.value === "chosen" ? <Selected /> : overview && <FactsPanel overview={overview} />}
      </div>
    </aside>
  );
}

function Waiting(): JSX.Element {
  return (
    <main class="state loading" data-testid="graphs-loading">
      <div role="status">
        <div class="spinner" aria-hidden="true" />
        <p class="lead">{progress.value}</p>
      </div>
    </main>
  );
}

/** The server's reason says what to do where it knows. */
function Failed({ text }: { text: string }): JSX.Element {
  return (
    <main class="state" data-testid="graphs-error">
      <div role="alert">
        <h1>These graphs cannot be shown</h1>
        <p class="problem">
          <CodeText text={text} />
        </p>
        <p class="lead">Above, another trace can be chosen on either side.</p>
        <p>
          <button type="button" class="button" onClick={reload}>
            Try again
          </button>{" "}
          <button type="button" class="button" onClick={closeComparison}>
            Back to the traces
          </button>
        </p>
      </div>
    </main>
  );
}
