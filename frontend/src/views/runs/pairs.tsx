import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, place, plural } from "../../base/format";
import type { Code, FunctionCounts, FunctionPair, RunsComparison } from "../../data/compare_runs";
import { causeWord } from "../../data/words";
import { changeRuns, runs, showFunction, showTraces } from "../../state/runs";
import { CauseMark } from "../cause_mark";
import { Bars } from "./bars";
import { barValue, causesOf, type Group, groupsOf, spent } from "./groups";
import { SideMark } from "./side_mark";

/** Rows of a group that are in the page until more are asked for. */
const FIRST_ROWS = 200;
const COLUMNS = 6;

/** Function by function: traces and seconds before and after, and which causes came or went. */
export function Pairs({ compared }: { compared: RunsComparison }): JSX.Element {
  const { bars, same } = runs.value ?? { bars: "traces" as const, same: false };
  const groups = groupsOf(compared.functions);
  const common = compared.functions.some((pair) => pair.a && pair.b);
  const most = compared.functions.reduce((least, { a, b }) => Math.max(least, barValue(a, bars) ?? 0, barValue(b, bars) ?? 0), 0);
  return (
    <>
      {!common && (
        <p class="runs-apart" data-testid="runs-apart">
          The two have no function in common. Functions are matched by file, line and name; recordings of two different programs cannot say what a change did.
        </p>
      )}
      <table class="runs-table" data-testid="runs-table">
        <thead>
          <tr>
            <th scope="col">Function</th>
            <th scope="col" class="bars">
              <BarsSwitch bars={bars} />
            </th>
            <th scope="col" class="right">
              Traces
            </th>
            <th scope="col" class="right" title="Tracing and first executions of retraces, and XLA's recompilations">
              Lost
            </th>
            <th scope="col" class="right tracing" title="Its own tracing, first traces too">
              Tracing
            </th>
            <th scope="col" title="Of retraces">
              Causes
            </th>
          </tr>
        </thead>
        {groups.map((group) => (
          <GroupRows key={group.key} group={group} most={most} bars={bars} open={group.key !== "same" || same || groups.length === 1} foldable={group.key === "same" && groups.length > 1} />
        ))}
      </table>
    </>
  );
}

function BarsSwitch({ bars }: { bars: "traces" | "seconds" }): JSX.Element {
  const choices = [
    ["traces", "Traces", "Traces, failed ones and XLA's recompilations together"],
    ["seconds", "Time lost", "Tracing and first executions of retraces, and XLA's recompilations"],
  ] as const;
  return (
    <span class="bars-switch">
      <span class="segments" role="group" aria-label="What the bars show">
        {choices.map(([value, label, title]) => (
          <button key={value} type="button" class="button small" title={title} data-testid={`bars-${value}`} aria-pressed={bars === value} onClick={() => changeRuns({ bars: value })}>
            {label}
          </button>
        ))}
      </span>
      <span class="bars-legend">
        <SideMark which="a" /> before <SideMark which="b" /> after
      </span>
    </span>
  );
}

function GroupRows({ group, most, bars, open, foldable }: { group: Group; most: number; bars: "traces" | "seconds"; open: boolean; foldable: boolean }): JSX.Element {
  const shown = useSignal(FIRST_ROWS);
  const title = (
    <>
      <span class={`change-sign ${group.key}`} aria-hidden="true">
        {group.sign}
      </span>
      {group.title} <span class="muted number">{count(group.pairs.length)}</span>
    </>
  );
  return (
    <tbody data-testid={`runs-${group.key}`}>
      <tr class="group">
        <th scope="rowgroup" colSpan={COLUMNS}>
          {foldable ? (
            <button type="button" class="group-button" data-testid="toggle-same" aria-expanded={open} onClick={() => changeRuns({ same: !open })}>
              {title}
              <span class="muted">{open ? "hide" : "show"}</span>
            </button>
          ) : (
            title
          )}
        </th>
      </tr>
      {open && group.pairs.slice(0, shown.value).map((pair, index) => <PairRow key={index} pair={pair} group={group.key} most={most} bars={bars} />)}
      {open && group.pairs.length > shown.value && (
        <tr>
          <td colSpan={COLUMNS}>
            <button type="button" class="button small" onClick={() => (shown.value += FIRST_ROWS)}>
              Show {count(Math.min(FIRST_ROWS, group.pairs.length - shown.value))} more of {count(group.pairs.length)}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function PairRow({ pair, group, most, bars }: { pair: FunctionPair; group: Group["key"]; most: number; bars: "traces" | "seconds" }): JSX.Element {
  const code = pair.codeB ?? pair.codeA;
  const moved = pair.matched !== null && pair.codeA && pair.codeB && where(pair.codeA) !== where(pair.codeB);
  return (
    <tr data-testid="runs-row" data-function={pair.name} class={group}>
      <th scope="row" title={code ? `${code.qualname || code.name}\n${code.file}:${code.line}${moved && pair.codeA ? `\nbefore: ${pair.codeA.qualname || pair.codeA.name} in ${pair.codeA.file}:${pair.codeA.line}` : ""}` : undefined}>
        <button type="button" class={pair.library ? "link name library" : "link name"} data-testid="open-function" onClick={() => showFunction(pair)}>
          {pair.name}
        </button>
        <span class="place">
          {moved && pair.codeA ? `${where(pair.codeA)} → ` : ""}
          {code ? where(code) : ""}
        </span>
      </th>
      <td class="bars">
        <Bars a={barValue(pair.a, bars)} b={barValue(pair.b, bars)} most={most} />
      </td>
      <td class="right">
        <TracesLink pair={pair} which="a" /> <span aria-hidden="true">→</span> <TracesLink pair={pair} which="b" />
      </td>
      <td class="right">
        <Change a={pair.a} b={pair.b} text={(side) => spent(side.secondsLost)} />
      </td>
      <td class="right tracing">
        <Change a={pair.a} b={pair.b} text={(side) => spent(side.traceSeconds)} />
      </td>
      <td>
        <Causes pair={pair} />
      </td>
    </tr>
  );
}

function where(code: Code): string {
  return place(code.file, code.line);
}

function Change({ a, b, text }: { a: FunctionCounts | null; b: FunctionCounts | null; text: (side: FunctionCounts) => string }): JSX.Element {
  return (
    <>
      {a ? text(a) : <span class="muted">–</span>} <span aria-hidden="true">→</span> {b ? text(b) : <span class="muted">–</span>}
    </>
  );
}

/** A side's traces, as a link to them in the timeline. */
function TracesLink({ pair, which }: { pair: FunctionPair; which: "a" | "b" }): JSX.Element {
  const side = pair[which];
  const word = which === "a" ? "before" : "after";
  if (!side) return <span class="muted">–</span>;
  const more = [side.failedTraces > 0 && `${count(side.failedTraces)} failed`, side.recompilations > 0 && `${count(side.recompilations)} by XLA`].filter(Boolean).join(", ");
  return (
    <>
      <button
        type="button"
        class="link number"
        data-testid={`traces-${which}`}
        title={`${plural(side.traces, "trace")} ${word}: show them in the timeline`}
        aria-label={`${plural(side.traces, "trace")} of ${pair.name} ${word}: show them in the timeline`}
        onClick={() => showTraces(pair, which)}
      >
        {count(side.traces)}
      </button>
      {more && <span class="muted more"> + {more}</span>}
    </>
  );
}

function Causes({ pair }: { pair: FunctionPair }): JSX.Element {
  const rows = causesOf(pair);
  if (rows.length === 0) return <span class="muted">not retraced</span>;
  return (
    <ul class="run-causes">
      {rows.map(({ cause, a, b, fate }) => (
        <li key={cause} class={fate} title={causeWord(cause).meaning}>
          <CauseMark cause={cause} />
          <span class="cause-name">{causeWord(cause).label}</span>
          <span class="number muted">
            {pair.a ? count(a) : "–"} → {pair.b ? count(b) : "–"}
          </span>
          {fate !== "both" && <span class={`tag ${fate}`}>{fate}</span>}
        </li>
      ))}
    </ul>
  );
}
