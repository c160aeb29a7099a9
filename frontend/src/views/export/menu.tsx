import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../../base/format";
import { exportFile, exportProblem, makeFile, making } from "../../state/export";
import { isFiltered, sessionName } from "../../state/filters";
import { filters, inScope, pickedSession, sessions, shown } from "../../state/store";
import { timelinePicture } from "./picture";

interface Item {
  key: string;
  title: string;
  about: string;
  act: () => Promise<void>;
}

/** Files to take along; says of each whether the filters apply. */
export function ExportMenu(): JSX.Element {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!open.value) return;
    items(menu.current)[0]?.focus();
    const onPointerDown = (event: PointerEvent): void => {
      if (!(event.target instanceof Node) || menu.current?.contains(event.target) || button.current?.contains(event.target)) return;
      open.value = false;
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, [open.value]);

  const close = (): void => {
    open.value = false;
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = items(menu.current);
    const now = all.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: (now + 1) % all.length, ArrowUp: (now - 1 + all.length) % all.length, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation(); // keys of the tab rest while the menu is open
    if (event.key === "Tab") open.value = false;
    if (event.key === "Escape") close();
    else if (next !== undefined) all[next]?.focus();
    else return;
    event.preventDefault();
  };

  return (
    <div class="export">
      <button
        ref={button}
        type="button"
        class="button small"
        data-testid="export"
        aria-haspopup="menu"
        aria-expanded={open.value}
        onClick={() => {
          exportProblem.value = null;
          open.value = !open.value;
        }}
      >
        {making.value === null ? "Export" : "Exporting…"} <span aria-hidden="true">▾</span>
      </button>
      {open.value && (
        <div class="export-menu">
          <p class="scope">Of {scope()}</p>
          <div ref={menu} role="menu" aria-label="Export" data-testid="export-menu" onKeyDown={onKeyDown}>
            {choices().map(({ key, title, about, act }) => (
              <button
                key={key}
                type="button"
                role="menuitem"
                tabIndex={-1}
                data-testid={`export-${key}`}
                disabled={making.value !== null}
                onClick={() => {
                  void act().then(() => {
                    if (exportProblem.value === null && open.value) close();
                  });
                }}
              >
                <span class="title">{title}</span>
                <span class="about">{about}</span>
              </button>
            ))}
          </div>
          {exportProblem.value !== null && (
            <p class="export-problem" role="alert" data-testid="export-problem">
              {exportProblem.value}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function items(menu: HTMLElement | null): HTMLButtonElement[] {
  return [...(menu?.querySelectorAll<HTMLButtonElement>("[role=menuitem]") ?? [])];
}

function scope(): string {
  const picked = pickedSession.value ?? (sessions.value.length === 1 ? sessions.value[0]! : null);
  return picked ? sessionName(picked) : `all ${plural(sessions.value.length, "session")}`;
}

function choices(): Item[] {
  const all = plural(inScope.value.length, "trace");
  const some = shown.value.traces.length === inScope.value.length ? `All ${all}` : `The ${plural(shown.value.traces.length, "trace")} of ${inScope.value.length} that the list shows`;
  const rest = isFiltered(filters.value) ? "; filters do not apply" : "";
  return [
    { key: "chrome-trace", title: "Chrome trace (JSON)", about: `For Perfetto and chrome://tracing. All ${all}${rest}.`, act: () => exportFile("chrome_trace") },
    { key: "csv", title: "Table of traces (CSV)", about: `For spreadsheets and pandas. ${some}: filters apply.`, act: () => exportFile("csv") },
    { key: "report", title: "Report (JSON)", about: `For programs, with stacks and advice. All ${all}${rest}.`, act: () => exportFile("report") },
    { key: "picture", title: "Picture of the timeline (PNG)", about: "All rows of what is shown, in this zoom: filters apply.", act: () => makeFile("picture", timelinePicture) },
  ];
}
