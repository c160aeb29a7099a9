import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CAUSE_ORDER, causeWord } from "../../data/words";
import { helpOpen } from "../../state/store";
import { CauseMark } from "../cause_mark";

const KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["/"], "Filter traces"],
      [["n", "p"], "Next, previous trace with the same cause"],
      [["Esc"], "Close the trace"],
      [["?"], "This help"],
    ],
  ],
  [
    "Timeline",
    [
      [["w", "s"], "Zoom in, out (also +, −, mouse wheel)"],
      [["a", "d"], "Move left, right (also Shift+arrows, drag)"],
      [["0"], "Show the whole axis (also double click)"],
      [["f"], "Zoom to the chosen trace"],
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

/** Keys and signs. */
export function Help(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open && dialog.current && !dialog.current.open) dialog.current.showModal();
  }, [open]);
  if (!open) return null;
  const close = (): void => void (helpOpen.value = false);
  return (
    <dialog ref={dialog} class="help" data-testid="help" aria-labelledby="help-title" onClose={close} onClick={(event) => event.target === event.currentTarget && close()}>
      <button type="button" class="button small icon close" aria-label="Close help" onClick={close}>
        ×
      </button>
      <h2 id="help-title">Keys and signs</h2>
      {KEYS.map(([where, keys]) => (
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
          <span class="swatch xla" /> Compiled by XLA for new shapes, without a trace
        </li>
      </ul>
      <h3>Causes</h3>
      <ul class="signs">
        {CAUSE_ORDER.map((cause) => (
          <li key={cause} title={causeWord(cause).meaning}>
            <CauseMark cause={cause} /> {causeWord(cause).label}
          </li>
        ))}
      </ul>
    </dialog>
  );
}
