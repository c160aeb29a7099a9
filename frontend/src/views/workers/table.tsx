import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, place, plural, seconds } from "../../base/format";
import type { Worker, WorkerCounts, Workers, WorkersFunction } from "../../data/workers";
import { showWorkersTrace } from "../../state/workers";

/** Columns and rows that are in the page until more are asked for. */
const FIRST_WORKERS = 8;
const FIRST_ROWS = 100;

/** Function by worker: traces and seconds of tracing; rows in which the workers differ are marked. */
export function Functions({ found }: { found: Workers }): JSX.Element {
  const columns = useSignal(FIRST_WORKERS);
  const rows = useSignal(FIRST_ROWS);
  const shown = found.workers.slice(0, columns.value);
  const hidden = found.workers.length - shown.length;
  const known = found.workers.some(({ waitedSeconds }) => waitedSeconds !== null);
  const most = Math.max(...found.functions.flatMap(({ counts }) => counts.map((of) => of?.traceSeconds ?? 0)), 0);
  const left = found.functions.length - rows.value;
  return (
    <section class="workers-section" aria-label="Functions by worker">
      <div class="workers-scroll">
        <table class="workers-table" data-testid="workers-table">
          <thead>
            <tr>
              <th scope="col">Function</th>
              {shown.map((worker) => (
                <th key={worker.session} scope="col" title={`${worker.host}, process ${worker.pid}`}>
                  Worker {worker.number}
                  <span class="host">{worker.host}</span>
                </th>
              ))}
              {known && (
                <th scope="col" class="right" title="At each step the longest that a worker waited for another's tracing of it, at most">
                  Waited for it, up to
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {found.functions.slice(0, rows.value).map((of, index) => (
              <Row key={index} of={of} shown={shown} known={known} most={most} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All functions</th>
              {shown.map((worker) => (
                <td key={worker.session}>
                  {plural(worker.traces, "trace")}
                  {worker.failedTraces > 0 && ` + ${count(worker.failedTraces)} failed`} <span class="muted">· {seconds(worker.traceSeconds)}</span>
                </td>
              ))}
              {known && <td />}
            </tr>
            {known && (
              <>
                <Waits title="Waited for others, up to" value={(worker) => worker.waitedSeconds} shown={shown} all={found.workers} />
                <Waits title="Kept others waiting, up to" value={(worker) => worker.waitedForSeconds} shown={shown} all={found.workers} />
              </>
            )}
          </tfoot>
        </table>
      </div>
      {(hidden > 0 || left > 0 || found.functionsLeftOut > 0) && (
        <p class="workers-more">
          {hidden > 0 && (
            <button type="button" class="button small" data-testid="more-workers" onClick={() => (columns.value += 4 * FIRST_WORKERS)}>
              Show {count(Math.min(hidden, 4 * FIRST_WORKERS))} more of {count(found.workers.length)} workers
            </button>
          )}
          {left > 0 && (
            <button type="button" class="button small" data-testid="more-functions" onClick={() => (rows.value += FIRST_ROWS)}>
              Show {count(Math.min(left, FIRST_ROWS))} more of {plural(found.functions.length, "function")}
            </button>
          )}
          {found.functionsLeftOut > 0 && <span class="muted">{plural(found.functionsLeftOut, "function")} more, not listed</span>}
        </p>
      )}
    </section>
  );
}

function Row({ of, shown, known, most }: { of: WorkersFunction; shown: readonly Worker[]; known: boolean; most: number }): JSX.Element {
  return (
    <tr class={of.differs ? "differs" : undefined} data-testid="workers-row" data-function={of.name}>
      <th scope="row" title={`${of.qualname || of.name}\n${of.file}:${of.line}`}>
        <span class="workers-name">
          <span class="differs-mark" title={of.differs ? of.difference.replaceAll("`", "") : undefined}>
            {of.differs && (
              <>
                <span aria-hidden="true">≠</span>
                <span class="visually-hidden">The workers differ in </span>
              </>
            )}
          </span>
          <span class={of.library ? "name library" : "name"}>{of.name}</span>
        </span>
        <span class="place">{place(of.file, of.line)}</span>
      </th>
      {shown.map((worker, index) => (
        <Cell key={worker.session} of={of} counts={of.counts[index] ?? null} worker={worker} most={most} />
      ))}
      {known && <td class="right">{of.waitedSeconds ? seconds(of.waitedSeconds) : "–"}</td>}
    </tr>
  );
}

function Cell({ of, counts, worker, most }: { of: WorkersFunction; counts: WorkerCounts | null; worker: Worker; most: number }): JSX.Element {
  if (!counts) {
    return (
      <td class="muted">
        <span aria-hidden="true">–</span>
        <span class="visually-hidden">not traced</span>
      </td>
    );
  }
  const { costliest } = counts;
  const text = `${plural(counts.traces, "trace")}${counts.failedTraces > 0 ? ` + ${count(counts.failedTraces)} failed` : ""}`;
  return (
    <td>
      {costliest ? (
        <button type="button" class="link" title={`Worker ${worker.number}'s traces of ${of.name}`} aria-label={`${text} of ${of.name} on worker ${worker.number}: show them`} onClick={() => showWorkersTrace(costliest, of)}>
          {text}
        </button>
      ) : (
        text
      )}{" "}
      <span class="muted">· {seconds(counts.traceSeconds)}</span>
      <span class="worker-bar" aria-hidden="true">
        <i style={{ width: `${most > 0 ? (100 * counts.traceSeconds) / most : 0}%` }} />
      </span>
    </td>
  );
}

function Waits({ title, value, shown, all }: { title: string; value: (worker: Worker) => number | null; shown: readonly Worker[]; all: readonly Worker[] }): JSX.Element {
  const most = Math.max(...all.map((worker) => value(worker) ?? 0));
  return (
    <tr>
      <th scope="row">{title}</th>
      {shown.map((worker) => {
        const waited = value(worker);
        return <td key={worker.session}>{waited ? waited === most ? <strong>{seconds(waited)}</strong> : seconds(waited) : "–"}</td>;
      })}
      <td />
    </tr>
  );
}
