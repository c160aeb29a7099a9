import type { JSX } from "preact";
import { place } from "../../base/format";
import { askAgain, closeFunction, functionView, listedFunction, page, pageError } from "../../state/function_page";
import { helpOpen, selected } from "../../state/store";
import { CodeText } from "../code_text";
import { Detail } from "../detail/detail";
import { Side } from "./side";
import { TraceTable } from "./table";
import { Varied } from "./varied";

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
          {of && <span class="muted">{place(of.file, of.line)}</span>}
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
