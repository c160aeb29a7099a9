import type { JSX } from "preact";
import { count } from "../../base/format";
import { causeWord } from "../../data/words";
import type { Filters } from "../../state/filter_parameters";
import { isFiltered } from "../../state/filters";
import { clearFilters, filters, inScope, shown } from "../../state/store";

/** Says that not everything is shown, and why. */
export function FilteredLine(): JSX.Element | null {
  if (!isFiltered(filters.value)) return null;
  return (
    <div class="filtered-line" data-testid="filtered-line">
      <span role="status">
        Filtered: <strong>{count(shown.value.traces.length)}</strong> of {count(inScope.value.length)}
        <span class="why"> · {filterWords(filters.value).join(" · ")}</span>
      </span>
      <button type="button" class="button small" data-testid="show-all" onClick={clearFilters}>
        Show all
      </button>
    </div>
  );
}

/** The filters in words, the picked session apart. Pure. */
export function filterWords(of: Filters): string[] {
  return [
    of.text && `“${of.text}”`,
    of.causes.length > 0 && of.causes.map((cause) => causeWord(cause).label).join(" or "),
    of.verdicts.length > 0 && of.verdicts.join(" or "),
    of.function !== null && of.function.replace("@", " in "),
    of.run !== null && `run ${of.run}`,
    of.worker !== null && `worker ${of.worker}`,
    of.steps && stepWords(of.steps),
    !of.library && "no library functions",
  ].filter((words): words is string => typeof words === "string" && words !== "");
}

function stepWords({ from, to }: { from: number; to: number }): string {
  if (!Number.isFinite(from)) return `up to step ${count(to)}`;
  if (!Number.isFinite(to)) return `from step ${count(from)} on`;
  return from === to ? `step ${count(from)}` : `steps ${count(from)}–${count(to)}`;
}
