import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { count, plural } from "../../base/format";
import type { Hit, Hits } from "../../graph/protocol";
import { goTo, loaded, scene } from "../../state/graphs";
import { MarkSign } from "./marks";
import { markOfStatus } from "./tones";

/** What the search found, in place of the outline. */
export function Results({ hits }: { hits: Hits }): JSX.Element {
  const at = useSignal(-1);
  useEffect(() => void (at.value = -1), [hits]);
  const pick = (index: number): void => {
    const hit = hits.hits[index];
    if (!hit) return;
    at.value = index;
    void goTo(hit);
    document.getElementById(hitId(index))?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = { ArrowDown: at.value + 1, ArrowUp: Math.max(0, at.value - 1), Home: 0, End: hits.hits.length - 1 }[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    pick(Math.min(target, hits.hits.length - 1));
  };
  return (
    <div class="results">
      <p class="results-count muted" role="status" data-testid="graph-hits">
        {hits.total === 0 ? "No node has that in its name or op." : `${plural(hits.total, "node")} found${hits.total > hits.hits.length ? `, the first ${count(hits.hits.length)} listed` : ""}`}
      </p>
      {hits.hits.length > 0 && (
        <div
          class="results-list"
          role="listbox"
          tabIndex={0}
          aria-label="Nodes found"
          aria-activedescendant={at.value >= 0 ? hitId(at.value) : undefined}
          data-testid="graph-results"
          onKeyDown={onKeyDown}
        >
          {hits.hits.map((hit, index) => (
            <div key={`${hit.graph}.${hit.row}`} id={hitId(index)} role="option" aria-selected={index === at.value} class="result" data-testid="graph-result" onClick={() => pick(index)}>
              <HitLine hit={hit} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function hitId(index: number): string {
  return `graph-hit-${index}`;
}

/** A node by name, with its op, what became of it, and its graph if that is another one. */
export function HitLine({ hit }: { hit: Hit }): JSX.Element {
  const mark = markOfStatus(hit.status);
  const graph = hit.graph === scene.value?.graph ? null : loaded.value?.graphs[hit.graph];
  return (
    <>
      <span class="result-name">
        {mark && <MarkSign mark={mark} />}
        <span class="tail" title={hit.name}>
          {hit.name || "(no name)"}
        </span>
      </span>
      <span class="result-op muted">
        {hit.op}
        {mark && <span class="visually-hidden">, {mark}</span>}
        {graph && ` · in ${graph.name}`}
      </span>
    </>
  );
}
