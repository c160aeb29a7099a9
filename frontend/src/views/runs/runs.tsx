import type { JSX } from "preact";
import { answer, askAgain, closeRuns, problem, runs, sides } from "../../state/runs";
import { sameSide } from "../../state/sides";
import { CodeText } from "../code_text";
import { Snippet } from "../snippet";
import { Head } from "./head";
import { Pairs } from "./pairs";
import { Totals } from "./totals";

/** Two recordings side by side, before and after a change: the answer in words, the sums, then function by function. */
export function Runs(): JSX.Element {
  return (
    <div class="runs" data-testid="runs">
      <Head />
      {content()}
    </div>
  );
}

function content(): JSX.Element | null {
  const pair = runs.value;
  if (!pair) return null;
  if (sides.value.length < 2) return <OnlyOne />;
  if (sameSide(pair.a, pair.b)) return <SameTwice />;
  if (problem.value !== null) return <Failed text={problem.value} />;
  if (answer.value === null) return <Waiting />;
  return (
    <main class="runs-body" tabIndex={-1}>
      {answer.value.functions.length === 0 ? (
        <Nothing />
      ) : (
        <>
          <Totals compared={answer.value} />
          <Pairs compared={answer.value} />
        </>
      )}
    </main>
  );
}

function OnlyOne(): JSX.Element {
  return (
    <main class="state" data-testid="runs-only-one">
      <div>
        <h1>There is only one recording here</h1>
        <p class="lead">Comparing needs two: one before a change, one after it. Make the change, then record the program again, below the same log directory. It shows up here by itself.</p>
        <Snippet code="tb-retrace run --logdir logs/after train.py" what="recording a program again" />
      </div>
    </main>
  );
}

function SameTwice(): JSX.Element {
  return (
    <main class="state" data-testid="runs-same">
      <div>
        <h1>This is the same recording twice</h1>
        <p class="lead">Nothing differs between a recording and itself. Choose another one above, before or after.</p>
      </div>
    </main>
  );
}

function Nothing(): JSX.Element {
  return (
    <div class="state" data-testid="runs-nothing">
      <div>
        <h2>Nothing was traced in either</h2>
        <p class="lead">Neither recording holds a trace of a tf.function.</p>
      </div>
    </div>
  );
}

function Waiting(): JSX.Element {
  return (
    <main class="state loading" data-testid="runs-loading">
      <div role="status">
        <div class="spinner" aria-hidden="true" />
        <p class="lead">Comparing the two recordings…</p>
      </div>
    </main>
  );
}

function Failed({ text }: { text: string }): JSX.Element {
  return (
    <main class="state" data-testid="runs-error">
      <div role="alert">
        <h1>These recordings cannot be compared</h1>
        <p class="problem">
          <CodeText text={text} />
        </p>
        <p class="lead">Above, others can be chosen.</p>
        <p>
          <button type="button" class="button" onClick={askAgain}>
            Try again
          </button>{" "}
          <button type="button" class="button" onClick={closeRuns}>
            Back to the traces
          </button>
        </p>
      </div>
    </main>
  );
}
