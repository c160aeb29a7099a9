import type { JSX } from "preact";
import { answer, changeRuns, closeRuns, runs, sideOf, sides } from "../../state/runs";
import { helpOpen, loadError } from "../../state/store";
import { CodeText } from "../code_text";
import { SideMark } from "./side_mark";

/** Which two, and the answer in words. */
export function Head(): JSX.Element | null {
  const pair = runs.value;
  if (!pair) return null;
  const compared = answer.value;
  return (
    <header class="runs-head">
      <div class="runs-title">
        <button type="button" class="button" data-testid="close-runs" title="Back to the traces (Escape)" onClick={closeRuns}>
          ← Traces
        </button>
        <div class="runs-pair" role="group" aria-label="The two recordings">
          <PickSide which="a" ids={pair.a} />
          <button type="button" class="button icon" aria-label="Swap before and after" title="Swap before and after" data-testid="swap-runs" onClick={() => changeRuns({ a: pair.b, b: pair.a })}>
            ⇄
          </button>
          <PickSide which="b" ids={pair.b} />
        </div>
        <button type="button" class="button icon help-button" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (helpOpen.value = true)}>
          ?
        </button>
      </div>
      {loadError.value !== null && (
        <ul class="notices" role="status">
          <li class="error">
            <strong>Error</strong>
            <span>{loadError.value} What you see is the last answer; trying again.</span>
          </li>
        </ul>
      )}
      {compared && (
        <div class="runs-answer" data-testid="runs-answer">
          <h1>
            <CodeText text={compared.sentence} />
          </h1>
          {compared.detail && (
            <p class="detail" data-testid="runs-detail">
              <CodeText text={compared.detail} />
            </p>
          )}
          {compared.notices.length > 0 && (
            <ul class="notices" data-testid="runs-notices">
              {compared.notices.map((text, index) => (
                <li key={index} class="warning">
                  <strong>Note</strong>
                  <span>
                    <CodeText text={text} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </header>
  );
}

const WORDS = { a: "Before", b: "After" };

function PickSide({ which, ids }: { which: "a" | "b"; ids: readonly string[] }): JSX.Element {
  const known = sideOf(ids);
  const value = known ? known.ids.join(",") : ids.join(",");
  return (
    <label class="pick-side">
      <SideMark which={which} /> {WORDS[which]}
      <select data-testid={`pick-run-${which}`} value={value} onChange={(event) => changeRuns({ [which]: event.currentTarget.value.split(",") })}>
        {!known && <option value={value}>{ids.length === 1 ? ids[0] : `${ids.length} sessions`}</option>}
        {[...sides.value].reverse().map((side) => (
          <option key={side.ids[0]} value={side.ids.join(",")}>
            {side.name}
          </option>
        ))}
      </select>
    </label>
  );
}
