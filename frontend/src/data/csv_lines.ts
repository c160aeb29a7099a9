/**
 * The lines of `GET csv` of these traces, and the header. A trace is one line there, beginning with its session and seq, neither of
 * which needs quotes. Pure.
 */
export function linesOf(csv: string, traces: ReadonlySet<string>): string {
  const kept: string[] = [];
  for (let from = 0, first = true; from < csv.length; first = false) {
    const end = csv.indexOf("\n", from);
    const next = end < 0 ? csv.length : end + 1;
    const line = csv.slice(from, next);
    if (first || traces.has(identity(line))) kept.push(line);
    from = next;
  }
  return kept.join("");
}

/** As `traceName` makes it. */
function identity(line: string): string {
  const [session = "", seq = ""] = line.split(",", 2);
  return traceName(session.replace(/^'/, ""), seq);
}

export function traceName(session: string, seq: number | string): string {
  return `${session},${seq}`;
}
