import type { JSX } from "preact";
import { count } from "../../base/format";
import { about, back, chosenItem, folds, goTo, loaded, query, scene, search, setAllOpen, setFold, showGraph, step, trail } from "../../state/graphs";
import { fitAll, lookAt, zoomBy } from "../../state/graph_camera";

/** Which graph, the way through its differences, search, and how much is seen. */
export function Bar(): JSX.Element {
  const all = loaded.value?.differences ?? 0;
  const at = about.value?.difference ?? 0;
  const shown = scene.value;
  return (
    <div class="graphs-bar" role="toolbar" aria-label="Graphs">
      <Way />
      <div class="stepper" role="group" aria-label="Differences">
        <button type="button" class="button icon" aria-label="Previous difference (p)" title="Previous difference (p)" data-testid="previous-change" disabled={all === 0} onClick={() => void step(-1)}>
          ‹
        </button>
        <span class="stepper-text number" role="status" data-testid="change-position">
          {all === 0 ? "no difference" : at > 0 ? `change ${count(at)} of ${count(all)}` : `${count(all)} ${all === 1 ? "change" : "changes"}`}
        </span>
        <button type="button" class="button icon" aria-label="Next difference (n)" title="Next difference (n)" data-testid="next-change" disabled={all === 0} onClick={() => void step(1)}>
          ›
        </button>
      </div>
      <div class="search-field">
        <input
          type="search"
          data-testid="graph-search"
          placeholder="Find nodes"
          aria-label="Find nodes by name and op"
          value={query.value}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              if (query.value) search("");
              else event.currentTarget.blur();
            } else if (event.key === "ArrowDown") {
              event.preventDefault();
              document.querySelector<HTMLElement>("[data-testid=graph-results]")?.focus();
            }
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <div class="switches">
        <button type="button" class="button" aria-pressed={folds.value} data-testid="fold-unchanged" title="Show runs of unchanged nodes as one box with their number" onClick={() => void setFold(!folds.value)}>
          Fold unchanged
        </button>
        <div class="segments">
          <button type="button" class="button icon" aria-label="Open everything that can still be drawn" title="Open everything that can still be drawn" onClick={() => void setAllOpen(true)}>
            ⊞
          </button>
          <button type="button" class="button icon" aria-label="Close everything" title="Close everything" onClick={() => void setAllOpen(false)}>
            ⊟
          </button>
        </div>
        <div class="segments">
          <button type="button" class="button icon" aria-label="Zoom out (−)" title="Zoom out (−)" onClick={() => zoomBy(1 / 1.4)}>
            −
          </button>
          <button type="button" class="button icon" aria-label="Zoom in (+)" title="Zoom in (+)" onClick={() => zoomBy(1.4)}>
            +
          </button>
          <button type="button" class="button icon" aria-label="Show all (0)" title="Show all (0)" onClick={() => shown && fitAll(shown)}>
            ⤢
          </button>
          <button
            type="button"
            class="button icon"
            aria-label="Go to the chosen node (f)"
            title="Go to the chosen node (f)"
            disabled={!chosenItem.value}
            onClick={() => chosenItem.value && shown && lookAt(chosenItem.value, shown)}
          >
            ⊙
          </button>
        </div>
      </div>
    </div>
  );
}

/** The traced graph by its function's name: TensorFlow's own has a number that says nothing. */
function graphName(index: number): string {
  const of = loaded.value;
  return (index === 0 ? of?.overview.b.function.name : of?.graphs[index]?.name) ?? "?";
}

/** The graph in view; if it was gone into from another, the way back. */
function Way(): JSX.Element | null {
  const graphs = loaded.value?.graphs ?? [];
  const shown = scene.value;
  if (!shown || graphs.length < 2) return null;
  return (
    <nav class="way" aria-label="Graph in view">
      {trail.value.map((place, index) => (
        <span key={index}>
          <button type="button" class="link" data-testid="way-back" onClick={() => void back(index)}>
            {graphName(place.graph)}
          </button>
          <span class="muted"> › </span>
        </span>
      ))}
      <select
        aria-label="Graph in view"
        data-testid="graph-picker"
        value={`${shown.graph}`}
        onChange={(event) => {
          const graph = Number(event.currentTarget.value);
          const from = trail.value.find((place) => place.graph === graph);
          void (from ? goTo(from) : showGraph(graph));
        }}
      >
        {graphs.map((graph, index) => (
          <option key={index} value={`${index}`}>
            {graphName(index)}
            {index === 0 ? " (the traced graph)" : ""}
            {graph.nameA === null ? " · only right" : graph.nameB === null ? " · only left" : graph.differing > 0 ? ` · ${count(graph.differing)} ${graph.differing === 1 ? "change" : "changes"}` : " · equal"}
          </option>
        ))}
      </select>
    </nav>
  );
}
