import type { JSX } from "preact";
import { count, duration, plural } from "../../base/format";
import { causeWord } from "../../data/words";
import { axis, changeFilters } from "../../state/store";
import { CauseMark } from "../cause_mark";
import type { AreaSum } from "./area";
import { areaSum, area, setArea, setView } from "./model";
import { grownText } from "./words";

const MOST_CAUSES = 4;

/** What the chosen part of the axis adds up to, in words. */
export function AreaBar(): JSX.Element | null {
  const sum = areaSum.value;
  const chosen = area.value;
  if (!sum || !chosen) return null;
  return (
    <div class="area-bar" data-testid="area-bar">
      <div class="words" role="status">
        <p>
          <AreaWords sum={sum} />
        </p>
        {sum.causes.length > 0 && (
          <ul aria-label="By cause">
            {sum.causes.slice(0, MOST_CAUSES).map(({ cause, traces, us }) => (
              <li key={cause} style={{ "--cause": `var(--cause-${causeWord(cause).colour})` }}>
                <CauseMark cause={cause} /> {causeWord(cause).label} <span class="muted">{count(traces)}×</span> {duration(us)}
              </li>
            ))}
            {sum.causes.length > MOST_CAUSES && <li class="muted">{plural(sum.causes.length - MOST_CAUSES, "more cause")}</li>}
          </ul>
        )}
      </div>
      <div class="actions">
        <button type="button" class="button small" onClick={() => setView(chosen)}>
          Zoom to it
        </button>
        {sum.steps && (
          <button
            type="button"
            class="button small"
            data-testid="area-filter"
            title="Shows only traces of these steps, in the list, too"
            onClick={() => {
              changeFilters({ steps: sum.steps });
              setArea(null);
            }}
          >
            Only steps {count(sum.steps.from)}–{count(sum.steps.to)}
          </button>
        )}
        <button type="button" class="button small icon" aria-label="Close the sum" title="Close the sum (Esc)" onClick={() => setArea(null)}>
          ×
        </button>
      </div>
    </div>
  );
}

function AreaWords({ sum }: { sum: AreaSum }): JSX.Element {
  if (sum.traces === 0 && sum.recompilations === 0) return <>Nothing {axis.value === "time" ? "began" : "is"} here.</>;
  const kinds = [sum.retraces > 0 && plural(sum.retraces, "retrace"), sum.failed > 0 && `${count(sum.failed)} failed`].filter(Boolean).join(", ");
  const parts = [
    `${duration(sum.tracingUs)} tracing`,
    sum.lookupUs > 0 && `${duration(sum.lookupUs)} lookups`,
    sum.firstUs > 0 && `${duration(sum.firstUs)} first executions`,
    sum.recompilations > 0 && `${duration(sum.recompilationUs)} in ${plural(sum.recompilations, "compilation")} by XLA without a trace`,
  ].filter(Boolean);
  return (
    <>
      <strong>{plural(sum.traces, "trace")}</strong> of {plural(sum.functions, "function")}
      {kinds && ` (${kinds})`} began here: <strong>{duration(sum.tracingUs + sum.lookupUs + sum.firstUs + sum.recompilationUs)}</strong>, {parts.join(" + ")}.{" "}
      {sum.avoidableUs > 0 && <>{duration(sum.avoidableUs)} of it can be avoided. </>}
      {sum.growth.traces > 0 && `Process memory: ${grownText(sum.growth)}.`}
    </>
  );
}
