import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { narrowParts, patternPath, TILE } from "../../base/patterns";
import { CAUSE_ORDER, causeWord } from "../../data/words";
import { functionView } from "../../state/function_page";
import { compared } from "../../state/graphs";
import { runs } from "../../state/runs";
import { helpOpen } from "../../state/store";
import { workersOf } from "../../state/workers";
import { CauseMark } from "../cause_mark";
import { MarkSign } from "../graphs/marks";
import { MARKS } from "../graphs/tones";
import { SideMark } from "../runs/side_mark";

const KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["/"], "Filter traces"],
      [["n", "p"], "Next, previous trace with the same cause"],
      [["o"], "Open the page of the chosen trace's function"],
      [["Esc"], "Close the sum, then the trace"],
      [["?"], "This help"],
    ],
  ],
  [
    "Timeline",
    [
      [["w", "s"], "Zoom in, out (also +, −, mouse wheel)"],
      [["a", "d"], "Move left, right (also Shift+arrows, drag)"],
      [["0"], "Show the whole axis, then where the traces are (also double click)"],
      [["f"], "Zoom to the chosen trace"],
      [["e"], "Sum up what is in view (Shift+drag: a part of it)"],
      [["m"], "Show or hide the memory curve"],
      [["←", "→", "↑", "↓"], "Go from trace to trace, when in focus"],
    ],
  ],
  [
    "List",
    [
      [["↑", "↓"], "Go from trace to trace, when in focus"],
      [["PgUp", "PgDn", "Home", "End"], "Go further"],
    ],
  ],
];

const FUNCTION_KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["n", "p"], "Next, previous trace with the same cause"],
      [["Esc"], "Close the trace; then back to the traces"],
      [["?"], "This help"],
    ],
  ],
  [
    "Table",
    [
      [["↑", "↓"], "Go from trace to trace, when in focus"],
      [["←", "→"], "Further columns, when in focus"],
      [["PgUp", "PgDn", "Home", "End"], "Go further"],
    ],
  ],
];

const GRAPH_KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["n", "p"], "Next, previous difference"],
      [["/"], "Find nodes by name and op"],
      [["+", "−"], "Zoom in, out (also mouse wheel)"],
      [["w", "a", "s", "d"], "Move the picture (also drag, Shift+arrows)"],
      [["0"], "Show all"],
      [["f"], "Go to the chosen node"],
      [["Esc"], "Let go of the node; then back to the traces"],
    ],
  ],
  [
    "Pictures",
    [
      [["←", "→", "↑", "↓"], "Go from node to node, when in focus"],
      [["Enter"], "Open or close; go into the function that a node calls (also double click)"],
    ],
  ],
  [
    "Outline",
    [
      [["↑", "↓", "Home", "End"], "Go from node to node, when in focus"],
      [["→", "←"], "Open, close; further in, further out"],
    ],
  ],
];

const RUNS_KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["Esc"], "Back to the traces"],
      [["?"], "This help"],
    ],
  ],
];

/** Keys and signs. */
export function Help(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useLayoutEffect(() => {
    if (open && dialog.current && !dialog.current.open) dialog.current.showModal();
  }, [open]);
  if (!open) return null;
  const graphs = compared.value !== null;
  const twoRuns = !graphs && runs.value !== null;
  const workers = !graphs && !twoRuns && workersOf.value !== null;
  const close = (): void => void (helpOpen.value = false);
  return (
    <dialog ref={dialog} class="help" data-testid="help" aria-labelledby="help-title" onClose={close} onClick={(event) => event.target === event.currentTarget && close()}>
      <button type="button" class="button small icon close" aria-label="Close help" onClick={close}>
        ×
      </button>
      <h2 id="help-title">Keys and signs</h2>
      {(graphs ? GRAPH_KEYS : twoRuns || workers ? RUNS_KEYS : functionView.value ? FUNCTION_KEYS : KEYS).map(([where, keys]) => (
        <div key={where}>
          <h3>{where}</h3>
          <dl>
            {keys.map(([names, what]) => [
              <dt key={`k${what}`}>
                {names.map((name, index) => (
                  <span key={name}>
                    {index > 0 && " "}
                    <kbd>{name}</kbd>
                  </span>
                ))}
              </dt>,
              <dd key={`d${what}`}>{what}</dd>,
            ])}
          </dl>
        </div>
      ))}
      {graphs ? <GraphSigns /> : twoRuns ? <RunsSigns /> : workers ? <WorkersSigns /> : <TraceSigns />}
    </dialog>
  );
}

function WorkersSigns(): JSX.Element {
  return (
    <>
      <h3>Rows</h3>
      <ul class="signs">
        <li>
          <span class="differs-mark">≠</span> The workers did not trace it alike: as often, for the same reasons, and at the same steps where they run in step
        </li>
      </ul>
      <p class="muted">Bars are seconds of tracing, to one scale. Waiting is inferred from what each traced at the same step: at most so long.</p>
    </>
  );
}

function TraceSigns(): JSX.Element {
  return (
    <>
        <h3>Spans</h3>
        <ul class="signs">
          <li>
            <span class="swatch own" /> Tracing
          </li>
          <li>
            <span class="swatch first" /> First execution of the new graph
          </li>
          <li>
            <span class="swatch low" /> Nested in another trace
          </li>
          <li>
            <span class="swatch failed">×</span> Failed
          </li>
          <li>
            <span class="swatch xla" /> Compiled by XLA for new shapes or values, without a trace
          </li>
          <li>
            <span class="swatch profile" /> A profile session ran, at least so long
          </li>
          <li>
            <span class="swatch memory" /> Process memory while a trace ran
          </li>
        </ul>
        <h3>Causes: letter, pattern, and cuts where a span is narrow</h3>
        <ul class="signs">
          {CAUSE_ORDER.map((cause) => (
            <li key={cause} title={causeWord(cause).meaning}>
              <CauseMark cause={cause} />
              <PatternSwatch colour={causeWord(cause).colour} />
              <NarrowSwatch colour={causeWord(cause).colour} /> {causeWord(cause).label}
            </li>
          ))}
        </ul>
    </>
  );
}

function RunsSigns(): JSX.Element {
  return (
    <>
      <h3>Bars</h3>
      <ul class="signs">
        <li>
          <SideMark which="a" /> Before
        </li>
        <li>
          <SideMark which="b" /> After, to the same scale
        </li>
      </ul>
      <p class="muted">“By XLA” are compilations for new shapes or values, without a trace. What is more or less often goes by traces, failed ones and these together.</p>
    </>
  );
}

/** A cause's colour and pattern, as on a span. */
function PatternSwatch({ colour }: { colour: string }): JSX.Element {
  return (
    <svg class="pattern-swatch" width="32" height="16" aria-hidden="true" style={{ "--cause": `var(--cause-${colour})` }}>
      <rect width="32" height="16" rx="2" />
      {[0, 1, 2, 3].flatMap((column) => [0, 1].map((row) => <path key={`${column}${row}`} d={patternPath(colour)} transform={`translate(${column * TILE} ${row * TILE})`} />))}
    </svg>
  );
}

/** The same on a narrow span. */
function NarrowSwatch({ colour }: { colour: string }): JSX.Element {
  return (
    <svg class="narrow-swatch" width="4" height="24" aria-hidden="true" style={{ "--cause": `var(--cause-${colour})` }}>
      {narrowParts(colour, 24).map(([top, height]) => (
        <rect key={top} y={top} width="4" height={height} />
      ))}
    </svg>
  );
}

function GraphSigns(): JSX.Element {
  return (
    <>
      <h3>Nodes</h3>
      <ul class="signs">
        {MARKS.map(({ mark, word, meaning }) => (
          <li key={mark}>
            <MarkSign mark={mark} /> {word}: {meaning}
          </li>
        ))}
        <li>
          <span class="swatch absent-node" /> Not in this graph; its place in the other
        </li>
        <li>
          <span class="swatch folded-node" /> Several nodes: alike, or unchanged
        </li>
      </ul>
      <p class="muted">A dotted line only says that one node runs after another.</p>
    </>
  );
}
