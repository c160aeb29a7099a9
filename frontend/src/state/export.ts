import { signal } from "@preact/signals";
import { busy } from "../base/idle";
import { saveFile } from "../base/save";
import { exportRoute, getText, RequestError } from "../data/client";
import { linesOf, traceName } from "../data/csv_lines";
import { pickedSession, sessions, shown } from "./store";

/** Files to take along: of the picked session, or of all. */

export type ExportKind = "chrome_trace" | "csv" | "report";

const NAMES: Record<ExportKind, [name: string, type: string]> = {
  chrome_trace: ["retrace-chrome-trace.json", "application/json"],
  csv: ["retrace-traces.csv", "text/csv"],
  report: ["retrace.json", "application/json"],
};

/** What is being made; null: nothing. */
export const making = signal<string | null>(null);
export const exportProblem = signal<string | null>(null);

/** Asks the server, and keeps of its table what the list shows. */
export function exportFile(kind: ExportKind): Promise<void> {
  return makeFile(kind, async () => {
    const text = await getText(exportRoute(kind, pickedSession.value?.id ?? null));
    const [name, type] = NAMES[kind];
    return { content: new Blob([kind === "csv" ? linesOf(text, shownTraces()) : text], { type }), name };
  });
}

/** Makes a file and saves it; says what went wrong. One at a time. */
export async function makeFile(what: string, make: () => Promise<{ content: Blob; name: string }>): Promise<void> {
  if (making.value !== null) return;
  making.value = what;
  exportProblem.value = null;
  const done = busy();
  try {
    const { content, name } = await make();
    saveFile(content, name);
  } catch (error) {
    exportProblem.value = error instanceof RequestError ? error.message : "The file could not be made.";
    if (!(error instanceof RequestError)) console.error(error);
  } finally {
    making.value = null;
    done();
  }
}

function shownTraces(): Set<string> {
  return new Set(shown.value.traces.map((trace) => traceName(sessions.value[trace.session]?.id ?? "", trace.seq)));
}
