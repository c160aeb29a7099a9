import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { place, plural } from "../../base/format";
import type { FunctionPage } from "../../data/function_page";
import { askAgain, closeFunction, functionView, listedFunction, page, pageError } from "../../state/function_page";
import { helpOpen, selected } from "../../state/store";
import { CodeText } from "../code_text";
import { Detail } from "../detail/detail";
import { Side } from "./side";
import { TraceTable } from "./table";
import { Varied } from "./varied";

const STALE_SHOWN = 2;

/** One function: the answer in words, then what varied, then all its traces, and what a change would do to them. */
export function FunctionView(): JSX.Element {
  return (
    <div class="function-page" data-testid="function-page" aria-busy={!page.value && !pageError.value}>
      <Head />
      {pageError.value !== null ? <Failed text={pageError.value} /> : page.value === null ? <Waiting /> : <Shown />}
    </div>
  );
}

function Head(): JSX.Element {
  const shown = page.value;
  const of = shown?.function ?? listedFunction.value;
  return (
    <header class="function-head">
      <div class="function-title">
        <button type="button" class="button" data-testid="close-function" title="Back to the traces (Escape)" onClick={closeFunction}>
          ← Traces
        </button>
        <span class="function-name">
          <strong title={of?.qualname}>{of?.name ?? "Function"}</strong>
          {of?.file && <span class="muted">defined at {place(of.file, of.line)}</span>}
          {shown && <CalledFrom shown={shown} />}
          {of?.library && <span class="tag">library</span>}
          {shown?.jitCompile && <span class="tag">XLA</span>}
          {shown?.reduceRetracing && <span class="tag">reduce_retracing</span>}
        </span>
        <button type="button" class="button icon help-button" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </div>
      {shown && (
        <div class="function-answer" data-testid="function-answer">
          <h1>
            <CodeText text={shown.sentence} />
          </h1>
          {shown.varied && (
            <p>
              <CodeText text={shown.varied} />
            </p>
          )}
          {shown.stale.length > 0 && <Stale shown={shown} />}
          {shown.drawn && (
            <p data-testid="function-drawn">
              <span class="tag stale">check results</span> <CodeText text={shown.drawn} />
            </p>
          )}
          {shown.fix && (
            <p class="function-fix">
              <CodeText text={shown.fix} />
            </p>
          )}
        </div>
      )}
    </header>
  );
}

/** The commonest place; all of them for who points at it. */
function CalledFrom({ shown }: { shown: FunctionPage }): JSX.Element | null {
  const [first, ...others] = shown.calledFrom;
  if (!first) return null;
  const more = others.length + shown.calledFromLeftOut;
  const all = shown.calledFrom.map((site) => `${site.file}:${site.line}${site.function ? ` in ${site.function}` : ""}: ${plural(site.traces, "trace")}`);
  return (
    <span class="muted" data-testid="called-from" title={[...all, shown.calledFromLeftOut > 0 ? "…" : ""].filter(Boolean).join("\n")}>
      called at {place(first.file, first.line)}
      {more > 0 && ` and ${plural(more, "other place")}`}
    </span>
  );
}

/** Wrong results, not time: said before any change is proposed. */
function Stale({ shown }: { shown: FunctionPage }): JSX.Element {
  const all = useSignal(false);
  const listed = all.value ? shown.stale : shown.stale.slice(0, STALE_SHOWN);
  const more = shown.stale.length - STALE_SHOWN;
  return (
    <p data-testid="function-stale">
      <span class="tag stale">check results</span>{" "}
      {listed.map((value, index) => (
        <span key={index}>
          {index > 0 && "; "}
          <CodeText text={value.text} />
        </span>
      ))}
      .{" "}
      {more > 0 && (
        <button type="button" class="link" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? "Less" : `${more} more`}
        </button>
      )}
      {all.value && shown.staleLeftOut > 0 && ` ${plural(shown.staleLeftOut, "more name")} not listed.`}
    </p>
  );
}

function Shown(): JSX.Element {
  return (
    <main class="main">
      <div class="function-main">
        <Varied />
        <TraceTable />
      </div>
      {selected.value ? <Detail /> : <Side />}
    </main>
  );
}

function Waiting(): JSX.Element {
  return (
    <main class="state loading" data-testid="function-loading">
      <div role="status">
        <div class="spinner" aria-hidden="true" />
        <p class="lead">Reading the function's traces…</p>
      </div>
    </main>
  );
}

function Failed({ text }: { text: string }): JSX.Element {
  return (
    <main class="state" data-testid="function-error">
      <div role="alert">
        <h1>This function cannot be shown</h1>
        <p class="problem">
          <CodeText text={text} />
        </p>
        <p class="lead">Trace {functionView.value ? `${functionView.value.trace.seq} of recording ${functionView.value.trace.session}` : ""} was asked for.</p>
        <p>
          <button type="button" class="button" onClick={askAgain}>
            Try again
          </button>{" "}
          <button type="button" class="button" onClick={closeFunction}>
            Back to the traces
          </button>
        </p>
      </div>
    </main>
  );
}
