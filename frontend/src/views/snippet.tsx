import type { ComponentChildren, JSX } from "preact";
import { CopyButton } from "./copy_button";

/** Code to take along. */
export function Snippet({ code, what }: { code: string; what: string }): JSX.Element {
  return (
    <div class="snippet">
      <pre tabIndex={0} aria-label={what}>
        {code.split("\n").map((line, index) => [index > 0 && "\n", line && <span class="line">{breakable(line)}</span>])}
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}

/** A line that is too long for the pane goes on where its first call's arguments begin, rather than in the middle of a word. */
function breakable(line: string): ComponentChildren {
  const begins = line.indexOf("(") + 1;
  if (begins === 0 || line[begins] === ")") return line;
  return [line.slice(0, begins), <wbr />, line.slice(begins)];
}
