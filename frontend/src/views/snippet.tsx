import type { JSX } from "preact";
import { CopyButton } from "./copy_button";

/** Code to take along. */
export function Snippet({ code, what }: { code: string; what: string }): JSX.Element {
  return (
    <div class="snippet">
      <pre tabIndex={0} aria-label={what}>
        {code.split("\n").map((line, index) => [index > 0 && "\n", line && <span class="line">{line}</span>])}
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}
