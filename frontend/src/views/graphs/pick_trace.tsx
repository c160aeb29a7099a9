import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, plural } from "../../base/format";
import type { Trace } from "../../data/digest";
import { causeOf } from "../../data/words";
import { applyFilters } from "../../state/filters";
import { DEFAULT_FILTERS, type TraceId } from "../../state/settings";
import { digest, findTrace, functions, traceId } from "../../state/store";
import { CauseMark } from "../cause_mark";
import { traceName } from "./head";

const MOST_LISTED = 200;

/** Any recorded trace, of any function, session and run; those of the other side's function first. */
export function PickTrace({ side, other, onPick, onClose }: { side: "a" | "b"; other: TraceId | null; onPick: (id: TraceId) => void; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal("");
  const at = useSignal(0);
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);

  const found = candidates(text.value, other);
  const listed = found.slice(0, MOST_LISTED);
  const index = Math.min(at.value, listed.length - 1);
  // the browser gives the focus back where it was; it cannot while the rest of the page is inert
  const close = (): void => dialog.current?.close();
  const pick = (trace: Trace | undefined): void => {
    const id = trace && traceId(trace);
    if (!id) return;
    close();
    onPick(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + 8, PageUp: index - 8 }[event.key];
    if (target !== undefined) {
      at.value = Math.min(Math.max(target, 0), listed.length - 1);
      document.getElementById(optionId(at.value))?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") pick(listed[index]);
    else return;
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} class="help pick-trace" aria-labelledby="pick-title" data-testid="pick-trace" onClose={onClose} onKeyDown={onKeyDown} onClick={(event) => event.target === event.currentTarget && close()}>
      <button type="button" class="button small icon close" aria-label="Close" onClick={close}>
        ×
      </button>
      <h2 id="pick-title">{side === "a" ? "Left: the trace to compare with" : "Right: the trace to look at"}</h2>
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="pick-list"
        aria-activedescendant={listed.length ? optionId(index) : undefined}
        aria-label="Filter traces by function, file, argument or change"
        placeholder="Filter traces"
        autofocus
        value={text.value}
        data-testid="pick-filter"
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      <p class="muted" role="status">
        {plural(found.length, "trace")}
        {found.length > listed.length && `; the first ${count(listed.length)} are listed`}
      </p>
      <div id="pick-list" class="pick-list" role="listbox" aria-label="Traces">
        {listed.map((trace, row) => (
          <div key={trace.key} id={optionId(row)} role="option" aria-selected={row === index} class="pick-option" data-testid="pick-option" data-seq={trace.seq} onClick={() => pick(trace)}>
            <CauseMark cause={causeOf(trace)} />
            <span class="name">{traceName(traceId(trace)!)}</span>
            <span class="muted">{plural(trace.nodes, "node")}</span>
            <span class="text muted">{trace.change}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}

function optionId(row: number): string {
  return `pick-${row}`;
}

/** Traces with a graph that the text matches: of the other side's code first, then by name; the latest first. */
function candidates(text: string, other: TraceId | null): Trace[] {
  const data = digest.value;
  if (!data) return [];
  const of = other ? findTrace(other) : null;
  const mine = of ? functions.value[of.function] : undefined;
  const traces = applyFilters(data, { ...DEFAULT_FILTERS, text }).traces.filter((trace) => !trace.failed && sessionIsKnown(trace));
  const rank = (trace: Trace): number => {
    const its = functions.value[trace.function];
    if (!mine || !its || its.qualname !== mine.qualname || its.file !== mine.file) return 2;
    return trace.function === of?.function ? 0 : 1;
  };
  return traces.map((trace) => ({ trace, rank: rank(trace) })).sort((x, y) => x.rank - y.rank || y.trace.session - x.trace.session || y.trace.seq - x.trace.seq).map(({ trace }) => trace);
}

function sessionIsKnown(trace: Trace): boolean {
  return traceId(trace) !== null;
}
