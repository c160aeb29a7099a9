import type { JSX } from "preact";
import { count, plural, seconds } from "../../base/format";
import type { Advice } from "../../data/detail";
import { CodeText } from "../code_text";
import { Snippet } from "../snippet";

/** What to change, what it brings, and how that is known. */
export function AdviceList({ advice }: { advice: readonly Advice[] }): JSX.Element {
  const warnedAbove = (warning: string, index: number): boolean => advice.slice(0, index).some((other) => other.warnings.includes(warning));
  const notes = (item: Advice, index: number): string[] => item.notes.filter((note) => !advice.slice(0, index).some((other) => other.notes.includes(note)));
  return (
    <>
      {advice.map((item, index) => (
        <div class="advice" key={index}>
          <p>
            <CodeText text={item.text} />
          </p>
          {item.warnings.map((warning) => (
            <p class="careful" role="note" key={warning}>
              <strong>Careful</strong> {warnedAbove(warning, index) ? "as above" : <CodeText text={warning} />}
            </p>
          ))}
          {item.tracesBefore !== null && item.tracesAfter !== null && (
            <p class="effect">
              {plural(item.tracesBefore, item.tracesNotTried ? "recorded trace" : "trace")} → {count(item.tracesAfter)}
              {item.secondsSaved !== null && `, ${seconds(item.secondsSaved)} saved`}
            </p>
          )}
          {item.code && <Snippet code={item.code} what="the change" />}
          {notes(item, index).length > 0 && (
            <ul class="notes" aria-label="To look at where it is changed">
              {notes(item, index).map((note) => (
                <li key={note}>
                  <CodeText text={note} />
                </li>
              ))}
            </ul>
          )}
          {item.evidence && (
            <p class="evidence">
              <CodeText text={item.evidence} />
            </p>
          )}
        </div>
      ))}
    </>
  );
}
