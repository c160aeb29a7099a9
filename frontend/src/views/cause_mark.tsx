import type { JSX } from "preact";
import { causeWord } from "../data/words";

/** The coloured letter of a cause. What it means is in text beside it, so it is hidden from assistive technology. */
export function CauseMark({ cause }: { cause: string }): JSX.Element {
  const word = causeWord(cause);
  return (
    <span class="cause-mark" style={{ "--cause": `var(--cause-${word.colour})` }} title={`${word.label}: ${word.meaning}`} aria-hidden="true">
      {word.letter}
    </span>
  );
}
