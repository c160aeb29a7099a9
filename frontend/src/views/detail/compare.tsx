import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { TraceDetail } from "../../data/detail";
import { openComparison } from "../../state/graphs";
import { PickTrace } from "../graphs/pick_trace";

/** The way to this trace's graph beside another one's: the closest earlier trace's, or any other's. */
export function CompareGraphs({ detail }: { detail: TraceDetail }): JSX.Element {
  const picking = useSignal(false);
  const opener = useRef<HTMLButtonElement>(null);
  const mine = { session: detail.session, seq: detail.seq };
  if (detail.failed) return <p class="muted">A failed trace has no graph.</p>;
  return (
    <>
      {detail.graph.sha256 === null && <p class="muted fold-before">The graph of this trace was not stored: the recording left graphs out (`graphs=False`), or its budget was spent.</p>}
      <div class="compare-actions">
        {detail.closest && (
          <button type="button" class="button" data-testid="compare-graphs" onClick={() => openComparison(mine, null)}>
            Compare with the closest earlier, #{detail.closest.n}
          </button>
        )}
        <button type="button" class="button" ref={opener} data-testid="compare-with" onClick={() => (picking.value = true)}>
          {detail.closest ? "Another trace…" : "Compare with another trace…"}
        </button>
      </div>
      {picking.value && (
        <PickTrace
          side="a"
          other={mine}
          onPick={(id) => openComparison(mine, id)}
          onClose={() => {
            picking.value = false;
            opener.current?.focus();
          }}
        />
      )}
    </>
  );
}
