import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { count } from "../../base/format";
import { CAUSE_ORDER, causeWord } from "../../data/words";
import { axis, changeFilters, filters, functions, helpOpen, shown } from "../../state/store";
import { CauseMark } from "../cause_mark";
import { switchAxis } from "../timeline/model";
import { FilteredLine } from "./filtered_line";
import { furtherFilters, FurtherFilters } from "./further_filters";

/** How many chips have room between the search field and the switches. */
const MOST_BESIDE = 6;

const panelOpen = signal(false);

/** What to look at: text, causes, verdict, library functions and more; and the axis of the timeline. */
export function Toolbar(): JSX.Element {
  const chosen = filters.value;
  const hasLibrary = functions.value.some((of) => of.library);
  const further = furtherFilters(chosen);
  const onlyAvoidable = chosen.verdicts.length === 1 && chosen.verdicts[0] === "avoidable";
  return (
    <>
      <div class="toolbar" role="search">
        <div class="search-field">
          <input
            type="search"
            data-testid="search"
            placeholder="Filter traces"
            aria-label="Filter traces by function, file, argument or change"
            value={chosen.text}
            onInput={(event) => changeFilters({ text: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              if (chosen.text) changeFilters({ text: "" });
              else event.currentTarget.blur();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <CauseChips />
        <div class="switches">
          <button
            type="button"
            class="button"
            data-testid="avoidable-only"
            aria-pressed={onlyAvoidable}
            title="Only traces that a change to the program removes"
            onClick={() => changeFilters({ verdicts: onlyAvoidable ? [] : ["avoidable"] })}
          >
            Avoidable only
          </button>
          {hasLibrary && (
            <button
              type="button"
              class="button"
              data-testid="library"
              aria-pressed={chosen.library}
              title="Functions traced from library code only, such as Keras' own tf.data functions"
              onClick={() => changeFilters({ library: !chosen.library })}
            >
              Library
              {shown.value.hiddenLibrary > 0 && <span class="muted">{count(shown.value.hiddenLibrary)} hidden</span>}
            </button>
          )}
          <button
            type="button"
            class="button"
            data-testid="more-filters"
            aria-expanded={panelOpen.value}
            aria-controls="further-filters"
            title="By verdict, function, run, worker, steps"
            onClick={() => (panelOpen.value = !panelOpen.value)}
          >
            Filters{further > 0 && <span class="badge">{further}</span>}
          </button>
          <div class="segments" role="group" aria-label="Axis of the timeline">
            <button type="button" class="button" data-testid="axis-time" aria-pressed={axis.value === "time"} onClick={() => switchAxis("time")}>
              Time
            </button>
            <button type="button" class="button" data-testid="axis-step" aria-pressed={axis.value === "step"} onClick={() => switchAxis("step")}>
              Step
            </button>
          </div>
          <button type="button" class="button icon" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (helpOpen.value = true)}>
            ?
          </button>
        </div>
      </div>
      {panelOpen.value && <FurtherFilters />}
      <FilteredLine />
    </>
  );
}

function CauseChips(): JSX.Element {
  const chosen = filters.value.causes;
  const counts = shown.value.causeCounts;
  const causes = [...new Set([...counts.keys(), ...chosen])].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const toggle = (cause: string): void => changeFilters({ causes: chosen.includes(cause) ? chosen.filter((other) => other !== cause) : [...chosen, cause] });
  return (
    <div class={causes.length > MOST_BESIDE ? "chips many" : "chips"} role="group" aria-label="Show only these causes">
      {causes.map((cause) => {
        const word = causeWord(cause);
        return (
          <button
            key={cause}
            type="button"
            class="chip"
            data-testid="cause-chip"
            data-cause={cause}
            style={{ "--cause": `var(--cause-${word.colour})` }}
            aria-pressed={chosen.includes(cause)}
            title={word.meaning}
            onClick={() => toggle(cause)}
          >
            <CauseMark cause={cause} />
            {word.label}
            <span class="number">{count(counts.get(cause) ?? 0)}</span>
          </button>
        );
      })}
    </div>
  );
}

function rank(cause: string): number {
  const index = CAUSE_ORDER.indexOf(cause);
  return index < 0 ? CAUSE_ORDER.length : index;
}
