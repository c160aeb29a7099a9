import type { JSX } from "preact";
import { count, duration, place, plural } from "../../base/format";
import { visibleRows } from "../../base/virtual_rows";
import { totalUs } from "../../state/sort";
import { functions, pickedSession, select, selectedTrace, sessions } from "../../state/store";
import { sessionName } from "../../state/filters";
import { chart, revealTrace, ROW_HEIGHT } from "./model";
import { tracesOf } from "./neighbours";
import type { Row } from "./rows";

/** The functions' names beside their rows; only those in view are in the page. */
export function Names({ scrollTop, height }: { scrollTop: number; height: number }): JSX.Element {
  const { rows, places } = chart.value;
  const most = rows[0]?.lostUs || 1;
  const chosen = selectedTrace.value ? places.get(selectedTrace.value.key)?.row : undefined;
  const { start, end } = visibleRows(scrollTop, height, ROW_HEIGHT, rows.length, 4);
  return (
    <div class="timeline-names" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
      {rows.slice(start, end).map((row, index) => (
        <Name key={row.function} row={row} top={(start + index) * ROW_HEIGHT} most={most} chosen={chosen === start + index} />
      ))}
    </div>
  );
}

function Name({ row, top, most, chosen }: { row: Row; top: number; most: number; chosen: boolean }): JSX.Element {
  const of = functions.value[row.function];
  const inView = row.lanes[0].length + row.lanes[1].length + row.unplaced.length;
  // A failed trace is drawn too, but TensorFlow's count has successful ones only.
  const all = (of?.traces ?? inView) + (of?.failedTraces ?? 0);
  const session = of && sessions.value.length > 1 && !pickedSession.value ? sessions.value[of.session] : undefined;
  const where = [session && sessionName(session), of && place(of.file, of.line)].filter(Boolean).join(" · ");
  const share = (us: number): string => `${(us / most) * 100}%`;
  const title = [
    of?.qualname || row.name,
    of?.file && `${of.file}:${of.line}`,
    of && `${plural(of.traces, "trace")}${of.failedTraces ? `, ${count(of.failedTraces)} failed` : ""}, ${plural(of.objects, "tf.function object")}`,
    of && of.recompilations > 0 && `Compiled by XLA ${plural(of.recompilations, "time")} without a trace`,
    of && of.stale.length > 0 && `Stale Python values: ${of.stale.join(", ")}`,
    `${duration(row.lostUs)} tracing${of?.recompilations ? "," : " and"} first executions${of?.recompilations ? " and recompilations" : ""}, ${duration(row.avoidableUs)} of it avoidable`,
    "Click: choose its costliest trace",
  ];
  const chooseCostliest = (): void => {
    const costliest = tracesOf(row).reduce((best, trace) => (totalUs(trace) > totalUs(best) ? trace : best));
    select(costliest);
    revealTrace(costliest);
  };
  return (
    <button
      type="button"
      class={`timeline-row${chosen ? " selected" : ""}`}
      style={{ top: `${top}px`, height: `${ROW_HEIGHT}px` }}
      title={title.filter(Boolean).join("\n")}
      data-testid="timeline-row"
      data-function={row.name}
      data-traces={of?.traces ?? inView}
      onClick={chooseCostliest}
    >
      <span class={of?.library ? "name library" : "name"}>{row.name}</span>
      <span class="count">{inView === all ? `${count(all)}×` : `${count(inView)} of ${count(all)}`}</span>
      <span class="place">{where || "place not known"}</span>
      <span class="cost">{duration(row.lostUs)}</span>
      <span class="share" aria-hidden="true">
        <i style={{ width: share(row.avoidableUs) }} />
        <i style={{ width: share(row.lostUs - row.avoidableUs) }} />
      </span>
    </button>
  );
}
