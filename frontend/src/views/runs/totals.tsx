import type { JSX } from "preact";
import { count } from "../../base/format";
import type { RunsComparison, RunSide } from "../../data/compare_runs";
import { Bars } from "./bars";
import { spent } from "./groups";

interface Figure {
  label: string;
  title: string;
  a: number | null;
  b: number | null;
  text: (value: number | null) => string;
}

/** Sums over all functions, each to a scale of its own. */
export function Totals({ compared }: { compared: RunsComparison }): JSX.Element {
  const figure = (label: string, title: string, value: (side: RunSide) => number | null, text: (value: number | null) => string): Figure => ({
    label,
    title,
    a: value(compared.a),
    b: value(compared.b),
    text,
  });
  const figures = [
    figure("Traces", "Successful traces", (side) => side.traces, count),
    figure("Failed traces", "Traces that raised", (side) => side.failedTraces, count),
    figure("Lost to retraces", "Lookups, tracing and first executions of retraces, and XLA's recompilations", (side) => side.secondsLost, spent),
    figure("Of it avoidable", "Of traces that a change to the program removes", (side) => side.avoidableSeconds, spent),
    figure("Tracing", "All tracing, first traces too", (side) => side.traceSeconds, spent),
    figure("First executions", "Of all new graphs: optimisation and, where used, XLA", (side) => side.firstCallSeconds, spent),
    figure("Lookups", "TensorFlow's looks through cached signatures before it traced", (side) => side.lookupSeconds, spent),
    figure("XLA recompilations", "For new shapes or values, without a trace", (side) => side.recompilations, count),
    figure("Recorded time", "From the start of recording to its end or last sign of life", (side) => side.runSeconds, spent),
  ].filter(({ a, b, label }) => label === "Traces" || label === "Lost to retraces" || Boolean(a) || Boolean(b));
  return (
    <dl class="runs-totals" data-testid="runs-totals">
      {figures.map(({ label, title, a, b, text }) => (
        <div key={label} title={title}>
          <dt>{label}</dt>
          <dd>
            <span class="number">
              <span class="visually-hidden">before: </span>
              {text(a)} <span aria-hidden="true">→</span> <span class="visually-hidden">, after: </span>
              <strong>{text(b)}</strong>
            </span>
            <Bars a={a} b={b} most={Math.max(a ?? 0, b ?? 0)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
