import type { JSX } from "preact";

/** Plain text in which what stands between backticks is code; a backtick without a partner is just a backtick. */
export function CodeText({ text }: { text: string }): JSX.Element {
  const parts = text.split("`");
  if (parts.length % 2 === 0) {
    const last = parts.pop();
    parts.push(`${parts.pop()}\`${last}`);
  }
  return <>{parts.map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}
