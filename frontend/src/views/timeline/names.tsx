import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { capitalized, count, duration, place, plural } from "../../base/format";
import { totalUs } from "../../state/sort";
import { openFunction } from "../../state/function_page";
import { functions, select, selectedTrace, sessions, traceId } from "../../state/store";
import { sessionName } from "../../state/filters";
import { isRetrace } from "./lost";
import { chart, revealTrace } from "./model";
import { HEADING_HEIGHT, placeOf, type Row, rowAt } from "./rows";

const OVERSCAN = 4;

/** The functions' names beside their rows; only those in view are in the page. */
export function Names({ scrollTop, height }: { scrollTop: ReadonlySignal<number>; height: number }): JSX.Element {
  const { rows, height: whole } = chart.value;
  const most = rows.reduce((sum, row) => Math.max(sum, row.lostUs), 0) || 1;
  const chosen = placeOf(chart.value, selectedTrace.value)?.row;
  const top = scrollTop.value;
  const start = Math.max(0, rowAt(chart.value, Math.max(0, top)) - OVERSCAN);
  const last = rowAt(chart.value, top + height);
  const inView = rows.slice(start, (last < 0 ? rows.length : last + 1) + OVERSCAN);
  return (
    <div class="timeline-names" style={{ height: `${whole}px` }}>
      {inView.map((row, index) => (
        <>
          {row.heads && (
            <div key={`s${row.session}`} class="timeline-session" style={{ top: `${row.top}px`, height: `${HEADING_HEIGHT}px` }} data-testid="timeline-session">
              {sessions.value[row.session] ? sessionName(sessions.value[row.session]!) : "?"}
            </div>
          )}
          <Name key={row.function} row={row} most={most} chosen={chosen === start + index} />
          <OpenPage key={`p${row.function}`} row={row} />
        </>
      ))}
    </div>
  );
}

/** To the function's page. */
function OpenPage({ row }: { row: Row }): JSX.Element {
  const open = (): void => {
    const id = row.traces[0] && traceId(row.traces[0]);
    if (id) openFunction(id);
  };
  return (
    <button
      type="button"
      class="timeline-open"
      style={{ top: `${row.body}px`, height: `${row.height}px` }}
      title={`All traces of ${row.name}: what varied, and what a change would do`}
      aria-label={`All traces of ${row.name}`}
      data-testid="timeline-open"
      data-function={row.name}
      onClick={open}
    >
      <span aria-hidden="true">≡</span>
    </button>
  );
}

function Name({ row, most, chosen }: { row: Row; most: number; chosen: boolean }): JSX.Element {
  const of = functions.value[row.function];
  const inView = row.traces.length;
  // A failed trace is drawn too, but TensorFlow's count has successful ones only.
  const all = (of?.traces ?? inView) + (of?.failedTraces ?? 0);
  const share = (us: number): string => `${(us / most) * 100}%`;
  const title = [
    of?.qualname || row.name,
    of?.file && `${of.file}:${of.line}`,
    of && capitalized(of.role),
    of && `${plural(of.traces, "trace")}${of.failedTraces ? `, ${count(of.failedTraces)} failed` : ""}, ${of.omittedTraces ? "at least " : ""}${plural(of.objects, "tf.function object")}`,
    of && of.omittedTraces > 0 && `${plural(of.omittedTraces, "trace")} of these counted and not recorded one by one: not drawn, and not in the times below`,
    of && of.recompilations > 0 && `Compiled by XLA ${plural(of.recompilations, "time")} without a trace`,
    of && of.stale.length > 0 && `Stale Python values: ${of.stale.join(", ")}`,
    `${duration(row.costUs)} tracing${of?.recompilations ? "," : " and"} first executions${of?.recompilations ? " and recompilations" : ""}`,
    `${duration(row.lostUs)} lost to traces after the first${of?.recompilations ? ", and to recompilations" : ""}; ${duration(row.avoidableUs)} ${of?.recompilations ? "of the traces " : ""}can be avoided`,
    "Click: choose its costliest retrace",
  ];
  const chooseCostliest = (): void => {
    const retraces = row.traces.filter(isRetrace);
    const costliest = (retraces.length > 0 ? retraces : row.traces).reduce((best, trace) => (totalUs(trace) > totalUs(best) ? trace : best));
    select(costliest);
    revealTrace(costliest);
  };
  return (
    <button
      type="button"
      class={`timeline-row${chosen ? " selected" : ""}`}
      style={{ top: `${row.body}px`, height: `${row.height}px` }}
      title={title.filter(Boolean).join("\n")}
      data-testid="timeline-row"
      data-function={row.name}
      data-traces={of?.traces ?? inView}
      onClick={chooseCostliest}
    >
      <span class={of?.library ? "name library" : "name"}>{row.name}</span>
      <span class="count">{inView === all ? `${count(all)}×` : `${count(inView)} of ${count(all)}`}</span>
      <span class="place">{(of && place(of.file, of.line)) || "place not known"}</span>
      <span class="cost">{row.lostUs > 0 ? duration(row.lostUs) : "–"}</span>
      <span class="share" aria-hidden="true">
        <i style={{ width: share(row.avoidableUs) }} />
        <i style={{ width: share(Math.max(0, row.lostUs - row.avoidableUs)) }} />
      </span>
    </button>
  );
}
