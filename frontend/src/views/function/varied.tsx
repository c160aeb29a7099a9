import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, plural } from "../../base/format";
import type { FunctionPage, Leaf } from "../../data/function_page";
import { page } from "../../state/function_page";
import { Bars } from "./histogram";

const VALUES_SHOWN = 3;
const CONSTANT_SHOWN = 6;

/** A card per argument that varied; those that never did in one line. */
export function Varied(): JSX.Element | null {
  const shown = page.value;
  if (!shown) return null;
  return (
    <section class="varied" aria-label="What varied" tabIndex={0}>
      {shown.problem && <p class="error-text">{shown.problem}</p>}
      {shown.leaves.length > 0 && (
        <ul class="varied-cards" data-testid="varied">
          {shown.leaves.map((leaf) => (
            <Card key={`${leaf.part} ${leaf.path}`} leaf={leaf} rows={shown.rows.length} />
          ))}
        </ul>
      )}
      {shown.leavesLeftOut > 0 && <p class="muted">{plural(shown.leavesLeftOut, "more argument")} varied, less telling than these, and {shown.leavesLeftOut === 1 ? "is" : "are"} not shown.</p>}
      <TheSame shown={shown} />
    </section>
  );
}

function Card({ leaf, rows }: { leaf: Leaf; rows: number }): JSX.Element {
  const dimensions = (leaf.dimensions ?? []).flatMap(({ histogram }, index) => (histogram && histogram.distinct > 1 ? [{ histogram, index }] : []));
  const few = leaf.distinct <= VALUES_SHOWN;
  const bars = leaf.histogram && leaf.histogram.distinct > VALUES_SHOWN ? leaf.histogram : null;
  const values = bars || (dimensions.length > 0 && !few) ? [] : leaf.values.slice(0, VALUES_SHOWN);
  return (
    <li class="varied-card">
      <div class="card-head">
        <span class="path" title={leaf.path}>
          {leaf.path || "(the call itself)"}
        </span>
        {leaf.part !== "argument" && <span class="muted">{leaf.part}</span>}
        <span class="muted number">{plural(leaf.distinct, dimensions.length ? "shape" : leaf.dimensions ? "type" : "value")}</span>
      </div>
      {!few && dimensions.slice(0, 3).map(({ histogram, index }) => <Bars key={index} histogram={histogram} what={`dimension ${index}`} />)}
      {bars && <Bars histogram={bars} what="value" />}
      {values.length > 0 && (
        <ul class="card-values">
          {values.map((value, index) => (
            <li key={index}>
              <span class="text" title={value.text}>
                {value.text || "(empty)"}
              </span>
              <span class="share" aria-hidden="true">
                <i style={{ width: `${(value.count / Math.max(1, rows)) * 100}%` }} />
              </span>
              <span class="number">{count(value.count)}×</span>
            </li>
          ))}
        </ul>
      )}
      {values.length > 0 && leaf.distinct > values.length && <p class="muted">{count(leaf.distinct - values.length)} more</p>}
      {leaf.absent > 0 && <p class="muted">not there in {plural(leaf.absent, "trace")}</p>}
      <p class="muted">
        {leaf.marked.size > 0 ? `≠ closest earlier trace: ${count(leaf.marked.size)}×` : "never unlike the closest earlier trace"}
      </p>
    </li>
  );
}

function TheSame({ shown }: { shown: FunctionPage }): JSX.Element | null {
  const all = useSignal(false);
  const total = shown.constant.length + shown.constantLeftOut;
  if (total === 0) {
    return shown.leaves.length || shown.problem ? null : <p class="muted">The function takes no arguments.</p>;
  }
  const listed = all.value ? shown.constant : shown.constant.slice(0, CONSTANT_SHOWN);
  return (
    <p class="the-same" data-testid="the-same">
      <span class="muted">{shown.rows.length > 1 ? "The same in all:" : "Traced for:"}</span>{" "}
      {listed.map((leaf, index) => (
        <span key={index} class="same-leaf">
          <code>{leaf.path}</code> {leaf.text}
        </span>
      ))}
      {total > CONSTANT_SHOWN && (
        <button type="button" class="link" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? "Less" : `${count(total - CONSTANT_SHOWN)} more`}
        </button>
      )}
      {all.value && shown.constantLeftOut > 0 && <span class="muted"> and {count(shown.constantLeftOut)} that are not listed</span>}
    </p>
  );
}
