import type { JSX } from "preact";
import { loadError, retry, sessions } from "../../state/store";
import { Snippet } from "../snippet";

const CALLBACK = `from tb_retrace_plugin import RetraceCallback

model.fit(x, y, callbacks=[RetraceCallback("logs")])`;

const RECORD = `from tb_retrace_plugin import record

with record("logs"):
    train()`;

const COMMAND = "tb-retrace run --logdir logs train.py";

export function Loading(): JSX.Element {
  return (
    <main class="state loading" data-testid="loading-state">
      <h1 class="visually-hidden">Retrace</h1>
      <div role="status">
        <div class="spinner" aria-hidden="true" />
        <p class="lead">Reading the recorded traces…</p>
      </div>
    </main>
  );
}

/** Nothing was traced, or nothing was recorded: then how to record. */
export function Empty(): JSX.Element {
  const waiting = sessions.value.length > 0;
  const over = waiting && sessions.value.every((session) => session.ended);
  return (
    <main class="state" data-testid="empty-state">
      <div>
        <h1>{over ? "Nothing was traced while recording" : waiting ? "Recording: nothing has been traced yet" : "No traces have been recorded here yet"}</h1>
        <p class="lead">
          {over
            ? "The recording has ended. TensorFlow traced no tf.function while it ran: none was called, they had all been traced before, or functions ran eagerly."
            : waiting
            ? "A program is being recorded, or was, and has called no tf.function so far. Traces show up here as they happen."
            : "Retrace shows every time TensorFlow traces a tf.function: when, from which line, because of which argument, at what cost. Record a program in one of three ways, with the log directory that TensorBoard reads; traces show up here while it runs."}
        </p>
        {!waiting && <WaysToRecord />}
      </div>
    </main>
  );
}

function WaysToRecord(): JSX.Element {
  return (
    <>
      <h2>In a Keras model</h2>
      <Snippet code={CALLBACK} what="recording with a Keras callback" />
      <h2>In any other program</h2>
      <Snippet code={RECORD} what="recording a block of code" />
      <h2>Without changing the program</h2>
      <Snippet code={COMMAND} what="recording a program from the command line" />
    </>
  );
}

/** Nothing could be read, not even once. */
export function Failed(): JSX.Element {
  return (
    <main class="state" data-testid="error-state">
      <div role="alert">
        <h1>The recorded traces cannot be read</h1>
        <p class="problem">{loadError.value}</p>
        <p>What to do:</p>
        <ul>
          <li>
            If TensorBoard was stopped, start it again with the same <code>--logdir</code> and port.
          </li>
          <li>If it runs, look at its terminal: it says there what went wrong.</li>
        </ul>
        <p class="lead">This page keeps trying.</p>
        <p>
          <button type="button" class="button" onClick={retry}>
            Try now
          </button>
        </p>
      </div>
    </main>
  );
}
