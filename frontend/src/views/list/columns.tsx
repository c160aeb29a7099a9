import type { ComponentChild, JSX } from "preact";
import { capitalized, count, duration, UNKNOWN } from "../../base/format";
import { timeLabel } from "../../base/ticks";
import type { Trace, TracedFunction } from "../../data/digest";
import { causeOf, causeWord, kindLabel, verdictMeaning } from "../../data/words";
import { type SortKey, totalUs } from "../../state/sort";
import { openFunction } from "../../state/function_page";
import { traceId } from "../../state/store";
import { CauseMark } from "../cause_mark";

/** The list's columns: what they are called and what they show. */
export interface Column {
  key: SortKey;
  label: string;
  title: string;
  right: boolean;
  cell: (trace: Trace, of: TracedFunction | undefined) => ComponentChild;
  hint?: (trace: Trace, of: TracedFunction | undefined) => string | undefined;
}

const NOT_MEASURED = "Not measured: the new graph has not been executed yet, or not by itself";

export const COLUMNS: readonly Column[] = [
  { key: "time", label: "Time", title: "Since the session's start", right: true, cell: (trace) => sinceStart(trace.startUs) },
  {
    key: "function",
    label: "Function",
    title: "The traced function",
    right: false,
    cell: (trace, of) => <FunctionName trace={trace} name={of?.name ?? "?"} />,
    hint: (_, of) => of && [of.qualname || of.name, `${of.file}:${of.line}`, capitalized(of.role)].filter(Boolean).join("\n"),
  },
  {
    key: "n",
    label: "#",
    title: "Which trace of its function",
    right: true,
    cell: (trace) => (trace.failed ? <span class="failed">×</span> : count(trace.n)),
    hint: (trace) => (trace.failed ? "Failed: a failed trace has no number" : undefined),
  },
  {
    key: "step",
    label: "Step",
    title: "The training step",
    right: true,
    cell: (trace) => (trace.step === null ? <span class="muted">{UNKNOWN}</span> : count(trace.step)),
    hint: (trace) => (trace.step === null ? "No step was known at this trace" : undefined),
  },
  {
    key: "kind",
    label: "Kind",
    title: "First trace, retrace, or a new function object",
    right: false,
    cell: (trace) => (trace.failed ? <span class="failed">failed</span> : kindLabel(trace.kind)),
    hint: (trace) => [kindLabel(trace.kind), trace.failed && "failed", trace.nested && "nested", trace.generalized && "generalized"].filter(Boolean).join(", "),
  },
  {
    key: "change",
    label: "What changed",
    title: "Against the closest earlier trace",
    right: false,
    cell: (trace) => (
      <>
        <CauseMark cause={causeOf(trace)} />
        {trace.change ? <span class="change-text">{trace.change}</span> : <span class="change-text none">{causeWord(causeOf(trace)).label}</span>}
      </>
    ),
    hint: (trace) => `${causeWord(causeOf(trace)).label}${trace.change ? `\n${trace.change}` : ""}`,
  },
  { key: "tracing", label: "Tracing", title: "Tracing, with the traces nested in it", right: true, cell: (trace) => duration(trace.traceUs) },
  {
    key: "first",
    label: "First run",
    title: "First execution of the new graph: optimisation and, where used, XLA",
    right: true,
    cell: (trace) => (trace.firstCallUs === null ? <span class="muted">{UNKNOWN}</span> : duration(trace.firstCallUs)),
    hint: (trace) => (trace.firstCallUs === null ? NOT_MEASURED : undefined),
  },
  {
    key: "total",
    label: "Total",
    title: "Lookup, tracing, first execution and XLA's recompilations, as far as measured",
    right: true,
    cell: (trace) => <span class="strong">{duration(totalUs(trace))}</span>,
    hint: (trace) => (trace.lookupUs > 0 ? `${duration(trace.lookupUs)} of it TensorFlow's lookup among the cached signatures, before the trace` : undefined),
  },
  {
    key: "verdict",
    label: "Verdict",
    title: "Whether a change to the program removes it; of the same verdict the costliest first",
    right: false,
    cell: (trace) => <span class={trace.verdict === "avoidable" ? "avoidable" : "muted"}>{trace.verdict}</span>,
    hint: (trace) => verdictMeaning(trace.verdict) || undefined,
  },
];

/** The columns that grow with the run, as wide as their largest number: custom properties of CSS, in characters. */
export function widths(traces: readonly Trace[]): Record<string, string> {
  let [startUs, n, step] = [0, 0, 0];
  for (const trace of traces) {
    startUs = Math.max(startUs, trace.startUs);
    n = Math.max(n, trace.n);
    step = Math.max(step, trace.step ?? 0);
  }
  return { "--time": `${sinceStart(startUs).length}ch`, "--n": `${count(n).length}ch`, "--step": `${count(step).length}ch` };
}

function sinceStart(us: number): string {
  const step = us < 999_500 ? 1e3 : 1e5; // short programs trace within the first tenths of a second
  return timeLabel(Math.round(us / step) * step, step);
}

/** The list has one tab stop; the keys to a function's page are the arrows and `o`. */
function FunctionName({ trace, name }: { trace: Trace; name: string }): JSX.Element {
  return (
    <button
      type="button"
      class="name link"
      tabIndex={-1}
      data-testid="function-name"
      onClick={(event) => {
        event.stopPropagation();
        const id = traceId(trace);
        if (id) openFunction(id);
      }}
    >
      {name}
    </button>
  );
}
