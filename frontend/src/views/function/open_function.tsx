import type { JSX } from "preact";
import { openFunction } from "../../state/function_page";
import type { TraceId } from "../../state/settings";

/** Opens the page of a trace's function. */
export function OpenFunction({ trace, name, label }: { trace: TraceId; name: string; label: string }): JSX.Element {
  return (
    <button
      type="button"
      class="button small"
      data-testid="open-function"
      title={`All traces of ${name}: what varied, and what a change would do (o)`}
      onClick={(event) => {
        event.stopPropagation();
        openFunction(trace);
      }}
    >
      {label}
    </button>
  );
}
