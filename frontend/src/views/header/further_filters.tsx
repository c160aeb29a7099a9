import type { JSX } from "preact";
import { count } from "../../base/format";
import { verdictMeaning } from "../../data/words";
import { functionId, runName } from "../../state/filters";
import type { Filters } from "../../state/filter_parameters";
import { changeFilters, filters, functions, sessions, shown } from "../../state/store";

const VERDICTS = ["avoidable", "bounded", "needed", "unknown"];

/** How many of the filters of this panel are set. */
export function furtherFilters({ verdicts, function: of, run, worker, steps }: Filters): number {
  return [verdicts.length > 0, of !== null, run !== null, worker !== null, steps !== null].filter(Boolean).length;
}

/** By verdict, function, run, worker and steps. */
export function FurtherFilters(): JSX.Element {
  const chosen = filters.value;
  const runs = unique(sessions.value.map(runName));
  const workers = unique(sessions.value.flatMap(({ worker }) => (worker === null ? [] : [worker]))).sort((a, b) => a - b);
  return (
    <div class="further-filters" id="further-filters" role="group" aria-label="Further filters" data-testid="further-filters">
      <Verdicts />
      <label>
        Function
        <select data-testid="filter-function" value={chosen.function ?? ""} onChange={(event) => changeFilters({ function: event.currentTarget.value || null })}>
          <option value="">All</option>
          {functionOptions(chosen.function).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {(runs.length > 1 || chosen.run !== null) && (
        <label>
          Run
          <select data-testid="filter-run" value={chosen.run ?? ""} onChange={(event) => changeFilters({ run: event.currentTarget.value || null })}>
            <option value="">All</option>
            {unique([...runs, ...(chosen.run === null ? [] : [chosen.run])]).map((run) => (
              <option key={run} value={run}>
                {run}
              </option>
            ))}
          </select>
        </label>
      )}
      {(workers.length > 1 || chosen.worker !== null) && (
        <label>
          Worker
          <select
            data-testid="filter-worker"
            value={chosen.worker ?? ""}
            onChange={(event) => changeFilters({ worker: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}
          >
            <option value="">All</option>
            {unique([...workers, ...(chosen.worker === null ? [] : [chosen.worker])]).map((worker) => (
              <option key={worker} value={worker}>
                {worker}
              </option>
            ))}
          </select>
        </label>
      )}
      <Steps />
    </div>
  );
}

function Verdicts(): JSX.Element {
  const chosen = filters.value.verdicts;
  const counts = shown.value.verdictCounts;
  const words = unique([...VERDICTS, ...counts.keys(), ...chosen]).filter((verdict) => counts.has(verdict) || chosen.includes(verdict));
  const toggle = (verdict: string): void =>
    changeFilters({ verdicts: chosen.includes(verdict) ? chosen.filter((other) => other !== verdict) : [...chosen, verdict] });
  return (
    <div class="verdicts" role="group" aria-label="Show only these verdicts">
      <span aria-hidden="true">Verdict</span>
      {words.map((verdict) => (
        <button
          key={verdict}
          type="button"
          class="button small"
          data-testid="filter-verdict"
          data-verdict={verdict}
          aria-pressed={chosen.includes(verdict)}
          title={verdictMeaning(verdict)}
          onClick={() => toggle(verdict)}
        >
          {verdict} <span class="number muted">{count(counts.get(verdict) ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}

function Steps(): JSX.Element {
  const steps = filters.value.steps;
  const read = (text: string, otherwise: number): number => (text.trim() === "" || !Number.isFinite(Number(text)) ? otherwise : Math.round(Number(text)));
  const set = (from: number, to: number): void => changeFilters({ steps: Number.isFinite(from) || Number.isFinite(to) ? { from, to } : null });
  const [from, to] = [steps?.from ?? Number.NEGATIVE_INFINITY, steps?.to ?? Number.POSITIVE_INFINITY];
  const shownAs = (value: number): string => (Number.isFinite(value) ? `${value}` : "");
  return (
    <div class="steps" role="group" aria-label="Show only these steps; traces without a step are hidden then">
      <label>
        Steps
        <input
          type="number"
          data-testid="filter-step-from"
          placeholder="first"
          aria-label="From step"
          value={shownAs(from)}
          onChange={(event) => set(read(event.currentTarget.value, Number.NEGATIVE_INFINITY), to)}
        />
      </label>
      <span aria-hidden="true">–</span>
      <input
        type="number"
        data-testid="filter-step-to"
        placeholder="last"
        aria-label="To step"
        value={shownAs(to)}
        onChange={(event) => set(from, read(event.currentTarget.value, Number.POSITIVE_INFINITY))}
      />
    </div>
  );
}

/** The code of every function once, the costliest first, over all sessions. */
function functionOptions(chosen: string | null): [id: string, label: string][] {
  const costs = new Map<string, number>();
  for (const of of functions.value) {
    const id = functionId(of);
    costs.set(id, (costs.get(id) ?? 0) + of.lookupSeconds + of.traceSeconds + of.firstCallSeconds);
  }
  if (chosen !== null && !costs.has(chosen)) costs.set(chosen, 0);
  return [...costs].sort((a, b) => b[1] - a[1]).map(([id]) => [id, id.replace("@", " · ")]);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
