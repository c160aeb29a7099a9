import type { JSX } from "preact";
import { duration } from "../../base/format";
import type { Trace } from "../../data/digest";
import { causeOf, causeWord } from "../../data/words";
import { totalUs } from "../../state/sort";
import { functions, select, shown } from "../../state/store";
import { CauseMark } from "../cause_mark";

const MOST = 6;

/** The traces most worth looking at. Pure. */
export function worthALook(traces: readonly Trace[]): { traces: Trace[]; avoidable: boolean } {
  const costliest = (of: readonly Trace[]): Trace[] => [...of].sort((a, b) => totalUs(b) - totalUs(a)).slice(0, MOST);
  const avoidable = traces.filter((trace) => trace.verdict === "avoidable");
  return avoidable.length ? { traces: costliest(avoidable), avoidable: true } : { traces: costliest(traces), avoidable: false };
}

/** What the pane shows while no trace is chosen. */
export function StartHere(): JSX.Element {
  const start = worthALook(shown.value.traces);
  return (
    <>
      <p class="placeholder">A span of the timeline or a row of the list tells what changed, where the call was made and what it cost.</p>
      {start.traces.length > 0 && (
        <section>
          <h3>{start.avoidable ? "Costliest avoidable traces" : "Costliest traces"}</h3>
          <ul class="starts">
            {start.traces.map((trace) => (
              <li key={trace.key}>
                <button type="button" data-testid="start-here" onClick={() => select(trace)}>
                  <CauseMark cause={causeOf(trace)} />
                  <span class="name">
                    {functions.value[trace.function]?.name ?? "?"} {trace.failed ? "(failed)" : `#${trace.n}`}
                  </span>
                  <span class="number">{duration(totalUs(trace))}</span>
                  <span class="text">{trace.change || causeWord(causeOf(trace)).label}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
