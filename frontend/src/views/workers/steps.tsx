import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, plural, seconds } from "../../base/format";
import type { WaitedStep, Workers } from "../../data/workers";
import { showWorkersTrace } from "../../state/workers";

/** Rows that are in the page until more are asked for. */
const FIRST_ROWS = 20;

/** At which steps one worker's tracing was waited for, the longest first. */
export function Steps({ found }: { found: Workers }): JSX.Element {
  const rows = useSignal(FIRST_ROWS);
  const left = found.steps.length - rows.value;
  return (
    <section class="workers-section" aria-labelledby="workers-steps">
      <h2 id="workers-steps">Steps at which one traced and others waited</h2>
      <table class="workers-table steps" data-testid="workers-steps">
        <thead>
          <tr>
            <th scope="col" class="right">
              Step
            </th>
            <th scope="col">Function</th>
            <th scope="col">Waited for</th>
            <th scope="col" class="right">
              Its tracing
            </th>
            <th scope="col">Waited, up to</th>
          </tr>
        </thead>
        <tbody>
          {found.steps.slice(0, rows.value).map((step, index) => (
            <Row key={index} step={step} found={found} />
          ))}
        </tbody>
      </table>
      {(left > 0 || found.stepsLeftOut > 0) && (
        <p class="workers-more">
          {left > 0 && (
            <button type="button" class="button small" data-testid="more-steps" onClick={() => (rows.value += 5 * FIRST_ROWS)}>
              Show {count(Math.min(left, 5 * FIRST_ROWS))} more
            </button>
          )}
          {found.stepsLeftOut > 0 && <span class="muted">{plural(found.stepsLeftOut, "step")} more, not listed</span>}
        </p>
      )}
    </section>
  );
}

function Row({ step, found }: { step: WaitedStep; found: Workers }): JSX.Element {
  const of = found.functions[step.of]!;
  const straggler = found.workers[step.straggler]!;
  return (
    <tr data-testid="workers-step">
      <td class="right">{count(step.step)}</td>
      <td class={of.library ? "name library" : "name"}>{of.name}</td>
      <td>
        <button type="button" class="link" aria-label={`Worker ${straggler.number}'s trace of ${of.name} at step ${step.step}`} onClick={() => showWorkersTrace(step.trace, of)}>
          Worker {straggler.number}
        </button>
      </td>
      <td class="right">{seconds(step.traceSeconds[step.straggler] ?? 0)}</td>
      <td>{waited(step, found)}</td>
    </tr>
  );
}

/** `workers 0 and 2: 1.2 s, worker 3: 400 ms`; of many, how many and how long at most. */
function waited(step: WaitedStep, found: Workers): string {
  const numbers = new Map<string, number[]>();
  const waiting = step.waitedSeconds.flatMap((time, index) => (time > 0 ? [{ time, number: found.workers[index]!.number }] : []));
  for (const { time, number } of waiting) numbers.set(seconds(time), [...(numbers.get(seconds(time)) ?? []), number]);
  if (waiting.length > 4 || numbers.size > 3) return `${plural(waiting.length, "worker")}: ${seconds(Math.max(...waiting.map(({ time }) => time)))}`;
  return [...numbers].map(([time, of]) => `${of.length > 1 ? "workers" : "worker"} ${of.join(", ").replace(/, (\d+)$/, " and $1")}: ${time}`).join(", ");
}
