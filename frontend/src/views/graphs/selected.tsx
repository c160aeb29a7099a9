import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, plural } from "../../base/format";
import { CONTROL, IN_A, IN_B, type NodeDetail, nodeOfInput } from "../../data/comparison";
import { titleOf } from "../../graph/measure";
import type { About, Hit } from "../../graph/protocol";
import type { SceneItem } from "../../graph/scene";
import { differing } from "../../graph/status";
import { about, chosenItem, enter, goTo, loaded, node, nodeError, setOpen } from "../../state/graphs";
import { OpTable } from "./facts";
import { LongName, MarkSign, TallyMarks } from "./marks";
import { HitLine } from "./results";
import { MARKS, marksOf } from "./tones";
import { TwoSided } from "./two_sided";

const LINKS_SHOWN = 12;

/** What is known of the chosen item. */
export function Selected(): JSX.Element {
  const item = chosenItem.value;
  const known = about.value;
  if (!item || !known || known.item !== item.item) return <p class="placeholder">{item ? "" : "Choose a node in a picture or in the outline: it is told here what differs about it."}</p>;
  return item.kind === "op" ? <Node item={item} about={known} /> : <Group item={item} about={known} />;
}

function Node({ item, about: known }: { item: SceneItem; about: About }): JSX.Element {
  const full = node.value;
  const called = item.calls >= 0 ? loaded.value?.graphs[item.calls] : undefined;
  const marks = marksOf(item.flags);
  return (
    <div data-testid="graph-node" data-row={known.row} aria-busy={!full && !nodeError.value}>
      <h3 class="node-name mono">
        <LongName text={known.path || "(no name)"} />
      </h3>
      <div class="tags">
        <span class="tag mono">{item.op}</span>
        {marks.map((mark) => (
          <span key={mark} class={`tag ${mark}`} title={MARKS.find((entry) => entry.mark === mark)!.meaning}>
            <MarkSign mark={mark} /> {mark}
          </span>
        ))}
        {marks.length === 0 && <span class="tag">unchanged</span>}
        {item.labelA && <span class="tag">renamed</span>}
      </div>
      {item.labelA && (
        <p class="muted fold">
          In A it is called <code>{full?.nameA ?? item.labelA}</code>.
        </p>
      )}
      {called && (
        <p class="fold">
          <button type="button" class="button small" data-testid="enter-function" onClick={() => void enter(item)}>
            Open the function that it calls{called.differing > 0 && `: ${plural(called.differing, "difference")}`}
          </button>
        </p>
      )}
      {nodeError.value && (
        <p class="error-text" role="alert">
          {nodeError.value}
        </p>
      )}
      {full && <Attributes full={full} item={item} />}
      <Inputs full={full} about={known} graph={known.graph} />
      {full && <Consumers full={full} graph={known.graph} />}
    </div>
  );
}

function Attributes({ full, item }: { full: NodeDetail; item: SceneItem }): JSX.Element {
  const own = [
    { name: "op", a: full.opA, b: full.opB },
    { name: "device", a: full.deviceA, b: full.deviceB },
    { name: "output", a: item.flags & IN_A ? item.shapeA || null : null, b: item.flags & IN_B ? item.shapeB || null : null },
  ].filter((row) => ((row.a ?? "") !== "" || (row.b ?? "") !== "") && !(row.name === "output" && full.attributes.some(({ key }) => key === "output shapes")));
  const both = (item.flags & (IN_A | IN_B)) === (IN_A | IN_B);
  const rows = [
    ...own.filter((row) => row.name !== "op" || row.a !== row.b).map((row) => ({ ...row, changed: both && row.a !== row.b })),
    ...full.attributes.map((row) => ({ name: row.key, a: row.a, b: row.b, changed: both && row.changed })),
  ];
  return (
    <section>
      <h3>
        Attributes
        <span class="muted">{count(full.attributes.length)}</span>
      </h3>
      {both ? <TwoSided rows={rows} head="Attribute" what="attribute" testId="node-attributes" /> : <OneSided rows={rows.map((row) => [row.name, row.a ?? row.b ?? ""])} />}
    </section>
  );
}

function OneSided({ rows }: { rows: readonly [string, string][] }): JSX.Element {
  return (
    <table class="change-table" data-testid="node-attributes">
      <tbody>
        {rows.map(([name, value], index) => (
          <tr key={index}>
            <th scope="row" style={{ width: "32%" }}>
              {name}
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Inputs({ full, about: known, graph }: { full: NodeDetail | null; about: About; graph: number }): JSX.Element | null {
  const all = useSignal(false);
  const rowOf = new Map(known.inputs.map((input) => [input.name, input.row]));
  const rows = full
    ? full.inputs.map(({ a, b, changed }) => ({ a, b, changed, row: rowOf.get(nodeOfInput(b ?? a ?? "")), rowA: rowOf.get(nodeOfInput(a ?? "")) }))
    : known.inputs.map((input) => {
        const text = input.flags & CONTROL ? `^${input.name}` : input.name;
        return { a: input.flags & IN_A ? text : null, b: input.flags & IN_B ? text : null, changed: false, row: input.row, rowA: input.row };
      });
  if (rows.length === 0) return null;
  const sorted = [...rows.filter((row) => row.changed), ...rows.filter((row) => !row.changed)];
  const shown = all.value ? sorted : sorted.slice(0, LINKS_SHOWN);
  const left = rows.length - shown.length;
  return (
    <section>
      <h3>
        Inputs
        <span class="muted">{count(rows.length + (full ? 0 : known.inputsLeftOut))}</span>
      </h3>
      <ol class="node-links" data-testid="node-inputs">
        {shown.map((input, index) => (
          <li key={index} class={input.changed ? "changed" : undefined}>
            {input.changed && input.a !== input.b ? (
              <>
                <Side letter="A" text={input.a} graph={graph} row={input.rowA} />
                <Side letter="B" text={input.b} graph={graph} row={input.row} />
              </>
            ) : (
              <NodeLink text={input.b ?? input.a ?? ""} graph={graph} row={input.row} />
            )}
          </li>
        ))}
      </ol>
      {left > 0 && (
        <button type="button" class="link fold" onClick={() => (all.value = true)}>
          Show {plural(left, "more input")}
        </button>
      )}
    </section>
  );
}

function Side({ letter, text, graph, row }: { letter: string; text: string | null; graph: number; row: number | undefined }): JSX.Element {
  return (
    <div class="node-link-side">
      <span class="side-letter">{letter}</span>
      {text === null ? <span class="absent">not there</span> : <NodeLink text={text} graph={graph} row={row} />}
    </div>
  );
}

function NodeLink({ text, graph, row }: { text: string; graph: number; row: number | undefined }): JSX.Element {
  if (row === undefined || row < 0) return <span class="mono"><LongName text={text} /></span>;
  return (
    <button type="button" class="link mono" title="Go to this node" onClick={() => void goTo({ graph, row })}>
      <LongName text={text} />
    </button>
  );
}

function Consumers({ full, graph }: { full: NodeDetail; graph: number }): JSX.Element | null {
  const all = useSignal(false);
  if (full.consumers.length === 0) return null;
  const shown = all.value ? full.consumers : full.consumers.slice(0, LINKS_SHOWN);
  const left = full.consumers.length - shown.length;
  return (
    <section>
      <h3>
        Used by
        <span class="muted">{count(full.consumers.length + full.consumersLeftOut)}</span>
      </h3>
      <ul class="node-links" data-testid="node-consumers">
        {shown.map((consumer, index) => (
          <li key={index}>
            <NodeLink text={consumer.name} graph={graph} row={consumer.node} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="link fold" onClick={() => (all.value = true)}>
          Show {plural(left, "more node")}
        </button>
      )}
      {all.value && full.consumersLeftOut > 0 && <p class="muted fold">{plural(full.consumersLeftOut, "more node")} not listed.</p>}
    </section>
  );
}

function Group({ item, about: known }: { item: SceneItem; about: About }): JSX.Element {
  const differences = differing(known.tally);
  return (
    <div data-testid="graph-group">
      <h3 class="node-name mono">
        <LongName text={item.kind === "scope" ? known.path : titleOf(item, false)} />
      </h3>
      <div class="tags">
        <span class="tag">{item.kind === "scope" ? "scope" : item.kind === "alike" ? "alike nodes" : "folded nodes"}</span>
        <span class="tag">{plural(known.tally.rows, "node")}</span>
        {differences > 0 ? <TallyMarks tally={known.tally} /> : <span class="tag">unchanged</span>}
      </div>
      <p class="fold">
        <button type="button" class="button small" onClick={() => void setOpen(item, !item.open)}>
          {item.open ? "Close" : "Open"}
        </button>{" "}
        <button type="button" class="button small" onClick={() => void setOpen(item, !item.open, true)}>
          {item.open ? "Close all in it" : "Open all in it"}
        </button>
      </p>
      {known.differing.length > 0 && (
        <section>
          <h3>
            Differences
            <span class="muted">{count(differences)}</span>
          </h3>
          <HitList hits={known.differing} />
          {differences > known.differing.length && <p class="muted fold">The first {count(known.differing.length)} are listed.</p>}
        </section>
      )}
      <section>
        <h3>Ops by type</h3>
        <OpTable ops={known.ops} />
      </section>
    </div>
  );
}

function HitList({ hits }: { hits: readonly Hit[] }): JSX.Element {
  const all = useSignal(false);
  const shown = all.value ? hits : hits.slice(0, LINKS_SHOWN);
  return (
    <>
      <ul class="node-links" data-testid="group-differences">
        {shown.map((hit) => (
          <li key={hit.row}>
            <button type="button" class="hit" onClick={() => void goTo(hit)}>
              <HitLine hit={hit} />
            </button>
          </li>
        ))}
      </ul>
      {shown.length < hits.length && (
        <button type="button" class="link fold" onClick={() => (all.value = true)}>
          Show {plural(hits.length - shown.length, "more")}
        </button>
      )}
    </>
  );
}
