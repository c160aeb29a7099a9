import type { ComponentChild } from "preact";
import { count, duration, UNKNOWN } from "../../base/format";
import type { FunctionPage, Leaf } from "../../data/function_page";
import type { Fate } from "../../data/what_if";
import { causeOf, causeWord, kindLabel, verdictMeaning } from "../../data/words";
import type { OrderKey } from "../../state/function_parameters";
import type { PageRow } from "../../state/page_rows";
import { totalUs } from "../../state/sort";
import { CauseMark } from "../cause_mark";

/** The columns of the table of traces: those that stay in view, the leaves that varied, and the rest. */

export interface PageColumn {
  key: string;
  label: string;
  title: string;
  width: number;
  right: boolean;
  order?: OrderKey;
  leaf?: Leaf;
  cell: (row: PageRow) => ComponentChild;
  hint?: (row: PageRow) => string | undefined;
}

const CHARACTER = 7.3;
const PADDING = 34;
const NARROWEST = 90;
const WIDEST = 300;

const GONE = <span class="muted">{UNKNOWN}</span>;

export const FATES: Record<Fate, { label: string; meaning: string }> = {
  made: { label: "stays", meaning: "It would be traced with the change, too" },
  served: { label: "gone", meaning: "A trace before it would serve the call" },
  refused: { label: "error", meaning: "The call does not fit the input signature: TensorFlow raises a TypeError" },
  unknown: { label: UNKNOWN, meaning: "Not known" },
};

export function frozenColumns(fateOf: ((seq: number) => Fate) | null): PageColumn[] {
  const columns: PageColumn[] = [
    {
      key: "n",
      label: "#",
      title: "Which trace of the function",
      width: 58,
      right: true,
      order: "n",
      cell: ({ trace }) => (!trace ? GONE : trace.failed ? <span class="failed">×</span> : count(trace.n)),
      hint: ({ trace }) => (trace?.failed ? "Failed: a failed trace has no number" : undefined),
    },
    { key: "step", label: "Step", title: "The training step", width: 66, right: true, order: "step", cell: ({ trace }) => (trace?.step === null || !trace ? GONE : count(trace.step)) },
    {
      key: "total",
      label: "Time",
      title: "Tracing with what is nested in it, first execution and XLA's recompilations",
      width: 78,
      right: true,
      order: "total",
      cell: ({ trace }) => (trace ? <span class="strong">{duration(totalUs(trace))}</span> : GONE),
    },
  ];
  if (fateOf) {
    columns.push({
      key: "fate",
      label: "What if",
      title: "What would become of the trace with the change that is asked about",
      width: 70,
      right: false,
      cell: ({ seq }) => <span class={`fate ${fateOf(seq)}`}>{FATES[fateOf(seq)].label}</span>,
      hint: ({ seq }) => FATES[fateOf(seq)].meaning,
    });
  }
  return columns;
}

export function otherColumns(page: FunctionPage): PageColumn[] {
  return [
    {
      key: "cause",
      label: "Cause",
      title: "The first change against the closest earlier trace",
      width: 150,
      right: false,
      cell: ({ trace }) =>
        trace ? (
          <>
            <CauseMark cause={causeOf(trace)} />
            <span class="cause-label">{causeWord(causeOf(trace)).label}</span>
          </>
        ) : (
          GONE
        ),
      hint: ({ trace }) => (trace ? `${causeWord(causeOf(trace)).meaning}${trace.change ? `\n${trace.change}` : ""}` : undefined),
    },
    ...(page.objects > 1
      ? [{ key: "object", label: "Object", title: "Which tf.function object of this code", width: 64, right: true, cell: ({ trace }: PageRow) => (trace ? count(trace.object) : GONE) }]
      : []),
    ...page.leaves.map((leaf): PageColumn => leafColumn(leaf)),
    { key: "kind", label: "Kind", title: "First trace, retrace, or a new function object", width: 104, right: false, cell: ({ trace }) => (!trace ? GONE : trace.failed ? <span class="failed">failed</span> : kindLabel(trace.kind)) },
    {
      key: "verdict",
      label: "Verdict",
      title: "Whether a change to the program removes it",
      width: 98,
      right: false,
      cell: ({ trace }) => (trace ? <span class={trace.verdict === "avoidable" ? "avoidable" : "muted"}>{trace.verdict}</span> : GONE),
      hint: ({ trace }) => (trace ? verdictMeaning(trace.verdict) || undefined : undefined),
    },
    { key: "tracing", label: "Tracing", title: "Tracing, with the traces nested in it", width: 78, right: true, cell: ({ trace }) => (trace ? duration(trace.traceUs) : GONE) },
    { key: "first", label: "First run", title: "First execution of the new graph", width: 78, right: true, cell: ({ trace }) => (trace?.firstCallUs == null ? GONE : duration(trace.firstCallUs)) },
  ];
}

/** A cell that differs from the closest earlier trace carries a sign, not its colour alone. */
function leafColumn(leaf: Leaf): PageColumn {
  const text = ({ index }: PageRow): string | undefined => leaf.texts[leaf.cells[index] ?? -1];
  const longest = leaf.texts.reduce((most, one) => Math.max(most, one.length), leaf.path.length);
  return {
    key: `${leaf.part} ${leaf.path}`,
    label: leaf.path || "(the call itself)",
    title: leaf.part === "argument" ? leaf.path : `${leaf.part}: ${leaf.path}`,
    width: Math.round(Math.min(WIDEST, Math.max(NARROWEST, longest * CHARACTER + PADDING))),
    right: false,
    leaf,
    cell: (row) => {
      const shown = text(row);
      return (
        <>
          {leaf.marked.has(row.index) && (
            <span class="differs">
              <span aria-hidden="true">≠</span>
              <span class="visually-hidden">differs: </span>
            </span>
          )}
          <span class={shown ? "value" : "absent"}>{shown === undefined ? "not there" : shown || "(empty)"}</span>
        </>
      );
    },
    hint: (row) => {
      const was = leaf.marked.get(row.index);
      return [text(row) ?? "not there", was !== undefined && `the closest earlier trace: ${was ?? "not there"}`].filter(Boolean).join("\n");
    },
  };
}

/** Left edges of columns side by side, and the right edge of the last. Pure. */
export function leftEdges(columns: readonly { width: number }[]): number[] {
  const edges = [0];
  for (const { width } of columns) edges.push(edges[edges.length - 1]! + width);
  return edges;
}

/** Which of the columns with these edges lie between `from` and `to`: first, and one past the last. Pure. */
export function columnsInView(edges: readonly number[], from: number, to: number): [number, number] {
  let start = 0;
  while (start < edges.length - 1 && edges[start + 1]! <= from) start += 1;
  let end = start;
  while (end < edges.length - 1 && edges[end]! < to) end += 1;
  return [start, end];
}
