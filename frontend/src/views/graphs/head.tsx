import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { count } from "../../base/format";
import type { Counts } from "../../data/comparison";
import { closeComparison, compared, loaded, openComparison } from "../../state/graphs";
import type { TraceId } from "../../state/settings";
import { findTrace, functions, helpOpen, sessions } from "../../state/store";
import { CodeText } from "../code_text";
import { MarkSign } from "./marks";
import { PickTrace } from "./pick_trace";
import { MARKS } from "./tones";

const DETAILS_SHOWN = 2;
/** About as many characters as a line holds: longer ones are cut until they are asked for. */
const LONG_DETAIL = 150;

/** Which two, and the answer in words: what is read before anything is looked at. */
export function Head(): JSX.Element {
  const overview = loaded.value?.overview;
  return (
    <header class="graphs-head">
      <div class="graphs-title">
        <button type="button" class="button" data-testid="close-graphs" title="Back to the traces (Escape)" onClick={closeComparison}>
          ← Traces
        </button>
        <Pair />
        <button type="button" class="button icon help-button" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </div>
      {overview && (
        <div class="graphs-answer" data-testid="graphs-answer">
          <h1>
            <CodeText text={overview.sentence} />
          </h1>
          <Details details={overview.details} />
          <Legend counts={overview.counts} />
          <Notices notices={[...overview.a.omitted.map((text) => `Left out of the left graph: ${text}`), ...overview.b.omitted.map((text) => `Left out of the right graph: ${text}`), ...overview.notices]} />
        </div>
      )}
    </header>
  );
}

function Pair(): JSX.Element | null {
  const pair = compared.value;
  const picking = useSignal<"a" | "b" | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const side = picking.value;
  if (!pair) return null;
  const answered = loaded.value?.overview;
  const a = pair.a ?? (answered ? { session: answered.a.session, seq: answered.a.seq } : null);
  const open = (of: "a" | "b") => (event: MouseEvent): void => {
    opener.current = event.currentTarget as HTMLElement;
    picking.value = of;
  };
  return (
    <div class="pair" role="group" aria-label="The two traces">
      <SideButton letter="A" id={a} closest={pair.a === null} onClick={open("a")} />
      <button type="button" class="button icon" aria-label="Swap left and right" title="Swap left and right" data-testid="swap-sides" disabled={a === null} onClick={() => a && openComparison(a, pair.b)}>
        ⇄
      </button>
      <SideButton letter="B" id={pair.b} closest={false} onClick={open("b")} />
      {side && (
        <PickTrace
          side={side}
          other={side === "a" ? pair.b : a}
          onPick={(id) => (side === "a" ? openComparison(pair.b, id) : openComparison(id, a))}
          onClose={() => {
            picking.value = null;
            opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function SideButton({ letter, id, closest, onClick }: { letter: "A" | "B"; id: TraceId | null; closest: boolean; onClick: (event: MouseEvent) => void }): JSX.Element {
  const name = id ? traceName(id) : "closest earlier trace";
  return (
    <button type="button" class="button side-button" data-testid={`pick-${letter.toLowerCase()}`} title="Choose another trace" onClick={onClick}>
      <span class="side-letter">{letter}</span>
      <span class="side-name">{name}</span>
      {closest && id && <span class="muted">closest earlier</span>}
      <span class="visually-hidden">: choose another trace</span>
      <span aria-hidden="true" class="muted">
        ▾
      </span>
    </button>
  );
}

/** `train_step #2 · step 10`; of a trace that the digest lacks, its numbers. */
export function traceName(id: TraceId): string {
  const trace = findTrace(id);
  if (!trace) return `trace ${id.seq}`;
  const name = functions.value[trace.function]?.name ?? "?";
  const several = sessions.value.length > 1 ? (sessions.value[trace.session]?.run.replace(/\/?retrace(\/worker\d+)?$/, "") ?? "") : "";
  return [`${name} ${trace.failed ? "(failed)" : `#${trace.n}`}`, trace.step === null ? "" : `step ${count(trace.step)}`, several].filter(Boolean).join(" · ");
}

function Details({ details }: { details: readonly string[] }): JSX.Element | null {
  const all = useSignal(false);
  if (details.length === 0) return null;
  const shown = all.value ? details : details.slice(0, DETAILS_SHOWN);
  const cut = details.length > DETAILS_SHOWN || details.some((text) => text.length > LONG_DETAIL);
  return (
    <div class="answer-details">
      <ul class={all.value ? undefined : "cut"}>
        {shown.map((text, index) => (
          <li key={index}>
            <CodeText text={text} />
          </li>
        ))}
      </ul>
      {cut && (
        <button type="button" class="link" aria-expanded={all.value} data-testid="more-details" onClick={() => (all.value = !all.value)}>
          {all.value ? "Less" : details.length > DETAILS_SHOWN ? `${count(details.length - DETAILS_SHOWN)} more` : "More"}
        </button>
      )}
    </div>
  );
}

function Legend({ counts }: { counts: Counts }): JSX.Element {
  return (
    <ul class="legend" aria-label="Nodes by what became of them" data-testid="graph-counts">
      {MARKS.map(({ mark, word, meaning }) => (
        <li key={mark} title={meaning} class={counts[mark] === 0 ? "none" : undefined}>
          <MarkSign mark={mark} /> <span class="number">{count(counts[mark])}</span> {word}
        </li>
      ))}
      {counts.renamed > 0 && (
        <li title="the same node under another name">
          <span class="number">{count(counts.renamed)}</span> renamed
        </li>
      )}
      <li title="the same in both graphs">
        <span class="mark-sign same" aria-hidden="true">
          =
        </span>{" "}
        <span class="number">{count(counts.same)}</span> the same
      </li>
    </ul>
  );
}

function Notices({ notices }: { notices: readonly string[] }): JSX.Element | null {
  if (notices.length === 0) return null;
  return (
    <ul class="notices" data-testid="graph-notices">
      {notices.map((text, index) => (
        <li key={index} class="warning">
          <strong>Note</strong>
          <span>
            <CodeText text={text} />
          </span>
        </li>
      ))}
    </ul>
  );
}
