import type { JSX } from "preact";
import { count } from "../../base/format";
import type { Tally } from "../../graph/status";
import { type Mark, MARKS, signOf } from "./tones";

const MOST_CHARACTERS = 600;

/** The sign of a difference, in its colour. What it means is in text beside it, or in `title`. */
export function MarkSign({ mark }: { mark: Mark }): JSX.Element {
  const { word, meaning } = MARKS.find((entry) => entry.mark === mark)!;
  return (
    <span class={`mark-sign ${mark}`} title={`${word}: ${meaning}`} aria-hidden="true">
      {signOf(mark)}
    </span>
  );
}

/** `+3 −1` of what holds several nodes. */
export function TallyMarks({ tally }: { tally: Tally }): JSX.Element {
  return (
    <>
      {MARKS.filter(({ mark }) => tally[mark] > 0).map(({ mark, sign, word }) => (
        <span key={mark} class={`tally ${mark}`} title={`${count(tally[mark])} ${word}`}>
          {sign}
          {count(tally[mark])}
        </span>
      ))}
    </>
  );
}

/** A name that is broken where its parts end, if it must be. */
export function LongName({ text }: { text: string }): JSX.Element {
  const parts = text.slice(0, MOST_CHARACTERS).split(/(?<=[/_])/);
  return (
    <>
      {parts.map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
      {text.length > MOST_CHARACTERS && "…"}
    </>
  );
}
