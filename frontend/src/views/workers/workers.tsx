import type { JSX } from "preact";
import { answer, askAgain, closeWorkers, launches, launchOf, problem, showWorkers, workersOf } from "../../state/workers";
import { helpOpen, loadError } from "../../state/store";
import { CodeText } from "../code_text";
import { Steps } from "./steps";
import { Functions } from "./table";

/** The workers of one job: the answer in words, function by worker, then where they waited. */
export function WorkersView(): JSX.Element {
  return (
    <div class="workers" data-testid="workers">
      <Head />
      {content()}
    </div>
  );
}

function content(): JSX.Element {
  if (problem.value !== null) return <Failed text={problem.value} />;
  const found = answer.value;
  if (found === null) return <Waiting />;
  return (
    <main class="workers-body" tabIndex={-1}>
      {found.functions.length > 0 ? <Functions found={found} /> : <Nothing />}
      <p class="workers-evidence" data-testid="workers-evidence">
        <CodeText text={found.waiting} />
      </p>
      {found.steps.length > 0 && <Steps found={found} />}
    </main>
  );
}

function Head(): JSX.Element {
  const found = answer.value;
  return (
    <header class="workers-head">
      <div class="workers-title">
        <button type="button" class="button" data-testid="close-workers" title="Back to the traces (Escape)" onClick={closeWorkers}>
          ← Traces
        </button>
        <PickJob />
        <button type="button" class="button icon help-button" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </div>
      {loadError.value !== null && (
        <ul class="notices" role="status">
          <li class="error">
            <strong>Error</strong>
            <span>{loadError.value} What you see is the last answer; trying again.</span>
          </li>
        </ul>
      )}
      {found && (
        <div class="workers-answer" data-testid="workers-answer">
          <h1>
            <CodeText text={found.sentence} />
          </h1>
          {found.difference && (
            <p class="detail" data-testid="workers-difference">
              First difference: <CodeText text={found.difference} />
            </p>
          )}
          {found.notices.length > 0 && (
            <ul class="notices" data-testid="workers-notices">
              {found.notices.map((text, index) => (
                <li key={index} class="warning">
                  <strong>Note</strong>
                  <span>
                    <CodeText text={text} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </header>
  );
}

function PickJob(): JSX.Element {
  const side = launchOf(workersOf.value);
  const all = launches.value;
  if (side && all.length < 2) return <span class="job-name">{side.name}</span>;
  return (
    <select aria-label="Job" data-testid="pick-job" value={side?.ids[0] ?? ""} onChange={(event) => showWorkers(event.currentTarget.value)}>
      {!side && <option value="">{answer.value ? "One worker" : "Choose a job"}</option>}
      {[...all].reverse().map(({ ids, name }) => (
        <option key={ids[0]} value={ids[0]}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Nothing(): JSX.Element {
  return (
    <div class="state" data-testid="workers-nothing">
      <div>
        <h2>No worker traced anything</h2>
        <p class="lead">No trace of a tf.function is recorded for any of them.</p>
      </div>
    </div>
  );
}

function Waiting(): JSX.Element {
  return (
    <main class="state loading" data-testid="workers-loading">
      <div role="status">
        <div class="spinner" aria-hidden="true" />
        <p class="lead">Comparing the workers…</p>
      </div>
    </main>
  );
}

function Failed({ text }: { text: string }): JSX.Element {
  return (
    <main class="state" data-testid="workers-error">
      <div role="alert">
        <h1>These workers cannot be compared</h1>
        <p class="problem">
          <CodeText text={text} />
        </p>
        <p>
          <button type="button" class="button" onClick={askAgain}>
            Try again
          </button>{" "}
          <button type="button" class="button" onClick={closeWorkers}>
            Back to the traces
          </button>
        </p>
      </div>
    </main>
  );
}
