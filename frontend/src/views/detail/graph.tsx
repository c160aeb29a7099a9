import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { hostAddress, showInGraphsTab } from "../../base/host";
import type { TraceDetail } from "../../data/detail";
import { openComparison } from "../../state/graphs";
import { CodeText } from "../code_text";
import { PickTrace } from "../graphs/pick_trace";

/** This trace's graph: beside another one's (the closest earlier trace's, or any other's), and in TensorBoard's other tabs. */
export function GraphOfTrace({ detail }: { detail: TraceDetail }): JSX.Element {
  if (detail.failed) return <p class="muted">A failed trace has no graph.</p>;
  return (
    <>
      <Compare detail={detail} />
      <dl class="other-tabs">
        <dt>Graphs tab</dt>
        <dd>
          <GraphsTab detail={detail} />
        </dd>
        <dt>Profile tab</dt>
        <dd>
          <ProfileTab detail={detail} />
        </dd>
      </dl>
    </>
  );
}

function GraphsTab({ detail }: { detail: TraceDetail }): JSX.Element {
  const place = detail.graphsTab;
  if (!place) {
    return (
      <span class="muted" data-testid="no-graphs-tab">
        Not written there. Record with <code>graphs_tab="retraces"</code>, or write recorded graphs there: <code>tb-retrace graphs-tab LOGDIR</code>
      </span>
    );
  }
  return (
    <>
      <button type="button" class="link" data-testid="open-graphs-tab" onClick={() => void showInGraphsTab(place.run, place.tag)}>
        Open in the Graphs tab
      </button>
      <span class="muted">
        {" "}
        as <code>{place.tag}</code> of run <code>{place.run}</code>. Reload the page if it is not listed yet.
      </span>
    </>
  );
}

function ProfileTab({ detail }: { detail: TraceDetail }): JSX.Element {
  const profile = detail.profile;
  if (!profile) {
    return (
      <span class="muted" data-testid="no-profile">
        No profile session ran at that moment.
      </span>
    );
  }
  return (
    <>
      {profile.run !== null && profile.installed && (
        <a class="link" data-testid="open-profile" href={hostAddress({ run: profile.run, tool: profile.tool }, "profile")} target="_blank" rel="noopener">
          Open in the Profile tab
        </a>
      )}{" "}
      <span class="muted">
        <CodeText text={profile.text} />
      </span>
    </>
  );
}

function Compare({ detail }: { detail: TraceDetail }): JSX.Element {
  const picking = useSignal(false);
  const opener = useRef<HTMLButtonElement>(null);
  const mine = { session: detail.session, seq: detail.seq };
  return (
    <>
      {detail.graph.sha256 === null && (
        <p class="muted fold-before" data-testid="graph-omitted">
          The graph of this trace was not stored{detail.graph.omitted ? `: ${detail.graph.omitted}` : ""}.
        </p>
      )}
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
