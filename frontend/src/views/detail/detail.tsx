import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, place, wallClock } from "../../base/format";
import type { Advice, TraceDetail } from "../../data/detail";
import { causeOf, causeWord, kindLabel } from "../../data/words";
import { detail, detailError, functions, phase, select, selected, selectedTrace, selectSeq } from "../../state/store";
import { functionView } from "../../state/function_page";
import { CodeText } from "../code_text";
import { OpenFunction } from "../function/open_function";
import { AdviceList } from "./advice";
import { ChangeTable } from "./change_table";
import { Cost } from "./cost";
import { GraphOfTrace } from "./graph";
import { StaleValues } from "./stale";
import { CallSite, Stack } from "./stack";
import { StartHere } from "./start_here";
import { isRecompilation, XlaCompilations } from "./xla";

/** "Why was this traced?" for the chosen trace. */
export function Detail(): JSX.Element {
  const trace = selectedTrace.value;
  const full = detail.value;
  const body = useRef<HTMLDivElement>(null);
  const key = full ? `${full.session}/${full.seq}` : "";
  useEffect(() => body.current?.scrollTo(0, 0), [key]);
  if (selected.value === null) return <Pane heading="Choose a trace" body={<StartHere />} />;
  if (!trace) {
    const text = phase.value === "ready" ? "This trace is not in the data: the run may have been deleted, or recorded again." : "";
    return <Pane heading="Trace not found" body={<p class="placeholder">{text}</p>} closable />;
  }
  const name = functions.value[trace.function]?.name ?? "?";
  const current = full !== null && full.seq === trace.seq && full.session === selected.value.session;
  return (
    <aside class="trace-detail" aria-label="Why was this traced?" data-testid="trace-detail" data-session={selected.value.session} data-seq={trace.seq} aria-busy={!current && !detailError.value}>
      <div class="detail-head">
        <div class="heading">
          <div class="eyebrow">Why was this traced?</div>
          <h2 title={name}>
            {name} {trace.failed ? "(failed trace)" : `#${trace.n}`}
          </h2>
        </div>
        {!functionView.value && <OpenFunction trace={selected.value} name={name} label="All its traces" />}
        <Neighbour seq={current ? full.previousSameCause : null} sign="‹" label="Previous trace with the same cause (p)" />
        <Neighbour seq={current ? full.nextSameCause : null} sign="›" label="Next trace with the same cause (n)" />
        <CloseButton />
      </div>
      <div class={`detail-body${current || detailError.value ? "" : " waiting"}`} ref={body} tabIndex={0} role="region" aria-label="Explanation">
        {detailError.value ? (
          <p class="error-text" role="alert">
            {detailError.value} Trying again with the next update.
          </p>
        ) : (
          full && <Explanation detail={full} cause={causeOf(full.seq === trace.seq ? trace : { cause: full.changes[0]?.cause ?? null, kind: full.kind })} />
        )}
      </div>
    </aside>
  );
}

function Pane({ heading, body, closable = false }: { heading: string; body: JSX.Element; closable?: boolean }): JSX.Element {
  return (
    <aside class="trace-detail" aria-label="Why was this traced?" data-testid="trace-detail">
      <div class="detail-head">
        <div class="heading">
          <div class="eyebrow">Why was this traced?</div>
          <h2>{heading}</h2>
        </div>
        {closable && <CloseButton />}
      </div>
      <div class="detail-body" tabIndex={0} role="region" aria-label={heading}>
        {body}
      </div>
    </aside>
  );
}

/** Of what is compiled again without a trace. */
function isOfXla(advice: Advice): boolean {
  return advice.rule.endsWith("_for_xla");
}

function Explanation({ detail: full, cause }: { detail: TraceDetail; cause: string }): JSX.Element {
  const first = full.kind === "first";
  const settled = full.advice.length === 0 && full.stale.length === 0 && !full.xla.some(isRecompilation);
  return (
    <>
      <p class="sentence" data-testid="sentence">
        <CodeText text={full.sentence} />
      </p>
      <CallSite detail={full} />
      <div class="tags">
        {full.failed && <span class="tag failed">failed</span>}
        <span class={full.verdict === "avoidable" ? "tag avoidable" : "tag"}>{full.verdict}</span>
        <span class="tag" title={full.kindText}>
          {kindLabel(full.kind)}
        </span>
        {full.changes.length > 0 && causeWord(cause).label !== kindLabel(full.kind) && (
          <span class="tag" title={causeWord(cause).meaning}>
            {causeWord(cause).label}
          </span>
        )}
        {full.nested && <span class="tag">nested</span>}
        {full.generalized && <span class="tag">generalized</span>}
        {full.function.library && <span class="tag">library</span>}
        {full.jitCompile && <span class="tag">XLA</span>}
      </div>
      {full.evidence && (
        <p class="evidence" data-testid="evidence">
          <CodeText text={full.evidence} />
        </p>
      )}
      {first && !full.failed && <p class="calm">A first trace is needed: it builds the graph that all later calls reuse.{settled && " There is nothing to fix here."}</p>}
      {full.error && (
        <section>
          <h3>The error</h3>
          <p class="error-text mono">{full.error}</p>
        </section>
      )}
      {full.stale.length > 0 && (
        <section>
          <h3>Stale values</h3>
          <StaleValues stale={full.stale} />
        </section>
      )}
      {full.advice.length > 0 && (
        <section>
          <h3>{full.advice.every(isOfXla) ? "How to compile less often" : first ? "How to avoid the later ones" : "How to avoid it"}</h3>
          <AdviceList advice={full.advice} />
        </section>
      )}
      <section>
        <h3>{first ? "What it was traced for" : "What changed"}</h3>
        <ChangeTable detail={full} />
        {full.tracedSignature.length > 0 && <Generalized detail={full} />}
      </section>
      {(full.xla.length > 0 || (full.jitCompile && full.nested)) && (
        <section>
          <h3>
            XLA compilations
            {full.xlaCompilations > 0 && <span class="muted">{count(full.xlaCompilations)}</span>}
          </h3>
          <XlaCompilations detail={full} />
        </section>
      )}
      <section>
        <h3>Its graph</h3>
        <GraphOfTrace detail={full} />
      </section>
      <section>
        <h3>
          Where
          <span class="muted">innermost first</span>
        </h3>
        <Stack detail={full} />
      </section>
      <section>
        <h3>What it cost</h3>
        <Cost detail={full} cause={cause} />
      </section>
      <section>
        <h3>Recorded</h3>
        <Recorded detail={full} />
      </section>
    </>
  );
}

function Generalized({ detail: full }: { detail: TraceDetail }): JSX.Element {
  return (
    <>
      <p class="muted fold">TensorFlow generalized the signature and traced for:</p>
      <dl class="facts-list fold mono">
        {full.tracedSignature.map((leaf, index) => [<dt key={`p${index}`}>{leaf.path}</dt>, <dd key={`t${index}`}>{leaf.type}</dd>])}
      </dl>
    </>
  );
}

function Recorded({ detail: full }: { detail: TraceDetail }): JSX.Element {
  const facts: [string, string][] = [
    ["Function", full.function.qualname || full.function.name],
    ["Defined at", place(full.function.file, full.function.line) || "not known"],
    ["Function object", `number ${count(full.object)} of this code`],
    ["Step", full.step === null ? "not known" : count(full.step)],
    ["Time", wallClock(full.timeNs) || "not known"],
    ["Run", full.run === "" || full.run === "." ? "the log directory itself" : full.run],
  ];
  if (full.thread) facts.push(["Thread", full.thread]);
  if (full.cachedBefore !== null) facts.push(["Traces cached before", count(full.cachedBefore)]);
  facts.push(["reduce_retracing", full.reduceRetracing ? "True" : "False"]);
  for (const [field, value] of full.context) facts.push([field, value]);
  return (
    <dl class="facts-list">
      {facts.map(([name, value], index) => [<dt key={`n${index}`}>{name}</dt>, <dd key={`v${index}`}>{value}</dd>])}
    </dl>
  );
}

function Neighbour({ seq, sign, label }: { seq: number | null; sign: string; label: string }): JSX.Element {
  return (
    <button type="button" class="button small icon" disabled={seq === null} aria-label={label} title={label} onClick={() => seq !== null && selectSeq(seq)}>
      {sign}
    </button>
  );
}

function CloseButton(): JSX.Element {
  return (
    <button type="button" class="button small icon" aria-label="Close (Escape)" title="Close (Escape)" onClick={() => select(null)}>
      ×
    </button>
  );
}
