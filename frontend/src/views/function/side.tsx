import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, duration, plural, seconds, UNKNOWN } from "../../base/format";
import type { FunctionPage } from "../../data/function_page";
import { listedFunction, page, rows } from "../../state/function_page";
import { change, recompilations } from "../../state/store";
import { AdviceList } from "../detail/advice";
import { WhatIf } from "./what_if";

const XLA_SHOWN = 8;
const MOST_XLA = 200;

/** What to change, what a change would do, and what it all cost. */
export function Side(): JSX.Element {
  const shown = page.value!;
  return (
    <aside class="trace-detail function-side" aria-label="What to change, and what it cost">
      <div class="detail-body" tabIndex={0} role="region" aria-label="This function" data-testid="function-side">
        <h2 class="visually-hidden">This function</h2>
        <section>
          <h3>What to change</h3>
          {shown.advice.length > 0 ? <AdviceOf shown={shown} /> : <p class="muted">{shown.fix ? "No rule of Retrace proposes a change here." : shown.retraces > 0 ? "Nothing is proposed." : "Nothing: it was not traced again."}</p>}
        </section>
        <WhatIf />
        <section>
          <h3>What it cost</h3>
          <CostSplit shown={shown} />
        </section>
        <Xla shown={shown} />
      </div>
    </aside>
  );
}

/** The change that removes most; others take room from the question of one's own. */
function AdviceOf({ shown }: { shown: FunctionPage }): JSX.Element {
  const all = useSignal(false);
  const others = shown.advice.length - 1;
  return (
    <>
      <AdviceList advice={all.value ? shown.advice : shown.advice.slice(0, 1)} />
      {others > 0 && (
        <button type="button" class="link fold" aria-expanded={all.value} data-testid="more-advice" onClick={() => (all.value = !all.value)}>
          {all.value ? "Less" : plural(others, "other way", "other ways")}
        </button>
      )}
    </>
  );
}

function CostSplit({ shown }: { shown: FunctionPage }): JSX.Element {
  const { own, nested, firstCall, lookup, recompilation, lost, avoidable } = shown.cost;
  const total = own + nested + firstCall + lookup + recompilation;
  const parts: [className: string, label: string, value: number][] = [
    ["own", "Tracing", own],
    ["nested", "Other traces nested in it", nested],
    ["first", "First executions", firstCall],
    ["lookup", "Lookups in its cache", lookup],
    ["recompiled", "Recompilations by XLA", recompilation],
  ];
  const measured = parts.filter(([name, , value]) => value > 0 || name === "own");
  const bars = measured.filter(([, , value]) => value > 0);
  return (
    <div class="cost" data-testid="function-cost" style={{ "--cause": "var(--accent)" }}>
      <div class="cost-bar" aria-hidden="true">
        {bars.map(([name, , value]) => (
          <i key={name} class={name} style={{ flexGrow: value / total }} />
        ))}
      </div>
      <dl class="facts-list">
        {measured.map(([name, label, value]) => [
          <dt key={`t${name}`}>
            <span class={`swatch ${name}`} /> {label}
          </dt>,
          <dd key={`d${name}`}>{seconds(value)}</dd>,
        ])}
        <dt>Lost to retraces</dt>
        <dd>{seconds(lost)}</dd>
        <dt>{recompilation > 0 ? "Traces that can be avoided" : "Can be avoided"}</dt>
        <dd>{seconds(avoidable)}</dd>
      </dl>
    </div>
  );
}

function Xla({ shown }: { shown: FunctionPage }): JSX.Element | null {
  const all = useSignal(false);
  const of = listedFunction.value;
  const byKey = new Map(rows.value.flatMap(({ trace }) => (trace ? [[trace.key, trace] as const] : [])));
  const found = recompilations.value.flatMap((one) => {
    const trace = byKey.get(one.trace);
    return trace ? [{ ...one, trace }] : [];
  });
  if (!shown.jitCompile && found.length === 0) return null;
  const listed = all.value ? found.slice(0, MOST_XLA) : found.slice(0, XLA_SHOWN);
  const choose = (seq: number): void => change({ selected: { session: shown.session, seq } });
  return (
    <section data-testid="function-xla">
      <h3>
        XLA <span class="muted">{of?.xlaCompilations == null ? "compilations not known" : plural(of.xlaCompilations, "compilation")}</span>
      </h3>
      {shown.hiddenCompilations && <p class="muted fold-before">It is called inside another function's graph: XLA's compilations there are not seen.</p>}
      {found.length > 0 && (
        <table class="change-table xla-table">
          <thead>
            <tr>
              <th scope="col" class="narrow">
                #
              </th>
              <th scope="col" class="step">
                Step
              </th>
              <th scope="col">New shapes, values</th>
              <th scope="col" class="time" title="Of the call that compiled: compilation and execution">
                Time
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map((one) => (
              <tr key={one.key}>
                <th scope="row">
                  <button type="button" class="link" title="The trace whose graph was compiled" onClick={() => choose(one.trace.seq)}>
                    {count(one.trace.n)}
                  </button>
                </th>
                <td>{one.step === null ? UNKNOWN : count(one.step)}</td>
                <td>
                  {one.change}
                  {one.failed && <div class="absent">failed</div>}
                </td>
                <td>{duration(one.us)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {listed.length < found.length && (
        <button type="button" class="link fold" disabled={all.value} onClick={() => (all.value = true)}>
          {all.value ? `${plural(found.length - listed.length, "later one")} not shown` : `Show ${plural(Math.min(found.length, MOST_XLA) - listed.length, "later one")}`}
        </button>
      )}
    </section>
  );
}
