import { computed, effect, untracked, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { scrollToRow, visibleRows } from "../../base/virtual_rows";
import type { Trace } from "../../data/digest";
import type { SortKey } from "../../state/sort";
import { arrivals, change, clearFilters, functions, listed, select, selectedTrace, sessions, sort } from "../../state/store";
import { type Column, COLUMNS, widths } from "./columns";

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 30;
/** These are looked at from the largest first. */
const LARGEST_FIRST: ReadonlySet<SortKey> = new Set(["tracing", "first", "total"]);

const columnWidths = computed(() => widths(listed.value));

/** Every trace that passes the filters; only the rows in view are in the page. */
export function TraceList(): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(0);

  useEffect(() => {
    const box = scroller.current!;
    const measure = (): void => void (height.value = Math.max(0, box.clientHeight - HEAD_HEIGHT));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  // The chosen trace comes into view when it is chosen or the order changes, not when the user scrolls or others arrive.
  useEffect(
    () =>
      effect(() => {
        const key = selectedTrace.value?.key;
        void sort.value;
        untracked(() => {
          const box = scroller.current;
          if (key === undefined || !box || box.clientHeight === 0) return;
          const index = listed.value.findIndex((trace) => trace.key === key);
          if (index >= 0) box.scrollTop = scrollToRow(box.scrollTop, box.clientHeight - HEAD_HEIGHT, ROW_HEIGHT, index);
        });
      }),
    [],
  );

  const traces = listed.value;
  const chosen = selectedTrace.value?.key;
  const { start, end } = visibleRows(scrollTop.value, height.value, ROW_HEIGHT, traces.length, 6);
  const inView = traces.slice(start, end);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 1);
    const index = traces.findIndex((trace) => trace.key === chosen);
    const target = { ArrowDown: index + 1, ArrowUp: index < 0 ? 0 : index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: traces.length - 1 }[event.key];
    if (target === undefined || traces.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    select(traces[Math.min(Math.max(target, 0), traces.length - 1)]!);
  };

  return (
    <section class="trace-list" aria-label="Traces">
      <div
        class="list-scroller"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label="All traces"
        aria-rowcount={traces.length + 1}
        aria-colcount={COLUMNS.length}
        aria-activedescendant={inView.some((trace) => trace.key === chosen) ? rowId(chosen!) : undefined}
        data-testid="trace-list"
        style={columnWidths.value}
        onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
      >
        <div class="list-head" role="row" aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <ColumnHead key={column.key} column={column} />
          ))}
        </div>
        <div class="list-rows" role="rowgroup" style={{ height: `${traces.length * ROW_HEIGHT}px` }}>
          {inView.map((trace, offset) => (
            <TraceRow key={trace.key} trace={trace} index={start + offset} chosen={trace.key === chosen} />
          ))}
        </div>
      </div>
      {traces.length === 0 && (
        <p class="list-nothing">
          No trace passes the filters.{" "}
          <button type="button" class="button small" onClick={clearFilters}>
            Show all
          </button>
        </p>
      )}
    </section>
  );
}

function ColumnHead({ column }: { column: Column }): JSX.Element {
  const { key, descending } = sort.value;
  const active = key === column.key;
  const resort = (): void => change({ sort: { key: column.key, descending: active ? !descending : LARGEST_FIRST.has(column.key) } });
  return (
    <div role="columnheader" class={`column-${column.key}${column.right ? " right" : ""}`} aria-sort={active ? (descending ? "descending" : "ascending") : "none"}>
      <button type="button" title={column.title} data-testid={`sort-${column.key}`} onClick={resort}>
        {column.label}
        {active && <span aria-hidden="true">{descending ? " ↓" : " ↑"}</span>}
      </button>
    </div>
  );
}

function TraceRow({ trace, index, chosen }: { trace: Trace; index: number; chosen: boolean }): JSX.Element {
  const of = functions.value[trace.function];
  return (
    <div
      id={rowId(trace.key)}
      class={`list-row${arrivals.has(trace.key) ? " arrived" : ""}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={chosen}
      style={{ top: `${index * ROW_HEIGHT}px` }}
      data-testid="trace-row"
      data-session={sessions.value[trace.session]?.id ?? ""}
      data-seq={trace.seq}
      onClick={() => select(trace)}
    >
      {COLUMNS.map((column) => (
        <div key={column.key} role="gridcell" class={`column-${column.key}${column.right ? " right" : ""}${column.key === "change" ? " what" : ""}`} title={column.hint?.(trace, of)}>
          {column.cell(trace, of)}
        </div>
      ))}
    </div>
  );
}

function rowId(key: string): string {
  return `trace-row-${key.replace(":", "-")}`;
}
