import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { bytes, count, plural } from "../../base/format";
import type { Fact, OpCount, Overview } from "../../data/comparison";
import { LongName } from "./marks";
import { TwoSided } from "./two_sided";

const OPS_SHOWN = 12;

/** What the two concrete functions are: inputs, outputs, captures, variables, and what ops they are made of. */
export function FactsPanel({ overview }: { overview: Overview }): JSX.Element {
  const { a, b, facts } = overview;
  const sizes = [
    { name: "Nodes", a: count(a.nodes), b: count(b.nodes), changed: a.nodes !== b.nodes },
    { name: "Raw graph", a: bytes(a.bytes), b: bytes(b.bytes), changed: bytes(a.bytes) !== bytes(b.bytes) },
  ];
  return (
    <div data-testid="graph-facts">
      <section>
        <h3>Size</h3>
        <TwoSided rows={sizes} head="What" what="size" testId="facts-size" />
      </section>
      <FactTable title="Inputs" what="input" facts={facts.inputs} />
      <FactTable title="Outputs" what="output" facts={facts.outputs} />
      <FactTable title="Captures" what="capture" facts={facts.captures} />
      <FactTable title="Variables" what="variable" facts={facts.variables} />
      {facts.ops.length > 0 && (
        <section>
          <h3>
            Ops by type
            <span class="muted">{plural(facts.ops.length, "type")}</span>
          </h3>
          <OpTable ops={facts.ops} />
        </section>
      )}
    </div>
  );
}

function FactTable({ title, what, facts }: { title: string; what: string; facts: readonly Fact[] }): JSX.Element | null {
  if (facts.length === 0) return null;
  return (
    <section>
      <h3>
        {title}
        <span class="muted">{count(facts.length)}</span>
      </h3>
      <TwoSided rows={facts.map((fact) => ({ ...fact, name: <LongName text={fact.name} />, changed: fact.a !== fact.b }))} head={null} what={what} testId={`facts-${what}`} />
    </section>
  );
}

/** Ops with how many there are in a and in b, most different first. */
export function OpTable({ ops }: { ops: readonly OpCount[] }): JSX.Element {
  const all = useSignal(false);
  const different = ops.filter((row) => row.a !== row.b).length;
  const most = Math.max(OPS_SHOWN, Math.min(different, 40));
  const rows = all.value ? ops : ops.slice(0, most);
  return (
    <>
      <table class="change-table op-table" data-testid="op-counts">
        <thead>
          <tr>
            <th scope="col">Op</th>
            <th scope="col" class="right">
              <span class="side-letter">A</span>
            </th>
            <th scope="col" class="right">
              <span class="side-letter">B</span>
            </th>
            <th scope="col" class="right">
              <span aria-hidden="true">±</span>
              <span class="visually-hidden">Difference</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <th scope="row">{row.op}</th>
              <td class="right">{count(row.a)}</td>
              <td class="right">{count(row.b)}</td>
              <td class={`right ${row.b > row.a ? "more" : row.b < row.a ? "less" : "muted"}`}>{row.b === row.a ? "=" : row.b > row.a ? `+${count(row.b - row.a)}` : `−${count(row.a - row.b)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ops.length > most && (
        <button type="button" class="link fold" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? "Show fewer" : `Show ${plural(ops.length - most, "more op type")}`}
        </button>
      )}
    </>
  );
}
