import type { JSX } from "preact";
import { bytes, count, seconds } from "../../base/format";
import type { TraceDetail } from "../../data/detail";
import { causeWord } from "../../data/words";

/** What the trace cost, split into what it was spent on. */
export function Cost({ detail, cause }: { detail: TraceDetail; cause: string }): JSX.Element {
  const own = detail.ownTraceSeconds;
  const nested = Math.max(0, detail.traceSeconds - own);
  const first = detail.firstCallSeconds;
  const lookup = detail.lookupSeconds;
  const total = lookup + own + nested + (first ?? 0);
  const { before, after } = detail.memory;
  const part = (value: number): JSX.CSSProperties => ({ flexGrow: total > 0 ? value / total : 0 });
  return (
    <div class="cost" data-testid="cost" style={{ "--cause": `var(--cause-${causeWord(cause).colour})` }}>
      <div class="cost-bar" aria-hidden="true">
        {lookup > 0 && <i class="lookup" style={part(lookup)} />}
        {own > 0 && <i class="own" style={part(own)} />}
        {nested > 0 && <i class="nested" style={part(nested)} />}
        {first !== null && first > 0 && <i class="first" style={part(first)} />}
      </div>
      <dl class="facts-list">
        {lookup > 0 && (
          <>
            <dt title="TensorFlow compared the call with each signature in the function's cache before it traced">
              <span class="swatch lookup" /> Lookup
            </dt>
            <dd>
              {seconds(lookup)} <span class="muted">through {count(detail.cachedBefore)} cached signatures</span>
            </dd>
          </>
        )}
        <dt>
          <span class="swatch own" /> Tracing
        </dt>
        <dd>{seconds(own)}</dd>
        {nested > 0 && (
          <>
            <dt>
              <span class="swatch nested" /> Traces nested in it
            </dt>
            <dd>{seconds(nested)}</dd>
          </>
        )}
        <dt>
          <span class="swatch first" /> First execution
        </dt>
        <dd>{first === null ? <span class="muted">{notMeasured(detail)}</span> : seconds(first)}</dd>
        <dt>Graph</dt>
        <dd>
          {count(detail.graph.nodes)} nodes
          {detail.graph.bytes > 0 && `, ${bytes(detail.graph.bytes)}`}
          {detail.graph.attributesDropped > 0 && <span class="muted"> ({count(detail.graph.attributesDropped)} large constants left out)</span>}
          {detail.graph.omitted !== null && <span class="muted"> (not stored: {detail.graph.omitted})</span>}
        </dd>
        {after !== null && (
          <>
            <dt>Process memory</dt>
            <dd>
              {bytes(after)}
              {before !== null && ` (${after >= before ? "+" : ""}${bytes(after - before)} during the trace)`}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

function notMeasured(detail: TraceDetail): string {
  if (detail.failed) return "none: the trace failed";
  if (detail.nested) return "part of the outer function's";
  return "not measured";
}
