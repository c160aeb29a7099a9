import { effect, untracked, useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, plural } from "../../base/format";
import { scrollToRow, visibleRows } from "../../base/virtual_rows";
import { DEFAULT_ORDER } from "../../state/function_parameters";
import { changeFunction, fateOf, functionView, ordered, page } from "../../state/function_page";
import type { PageRow } from "../../state/page_rows";
import { change, selected } from "../../state/store";
import { columnsInView, frozenColumns, leftEdges, otherColumns, type PageColumn } from "./table_columns";

const ROW_HEIGHT = 26;
const HEAD_HEIGHT = 30;

/** All traces of the function; only the cells in view are in the page, in both directions. */
export function TraceTable(): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const left = useSignal(0);
  const size = useSignal({ width: 0, height: 0 });
  const frozen = useComputed(() => frozenColumns(fateOf.value));
  const others = useComputed(() => (page.value ? otherColumns(page.value) : []));
  const edges = useComputed(() => leftEdges(others.value));

  useEffect(() => {
    const box = scroller.current!;
    const measure = (): void => void (size.value = { width: box.clientWidth, height: Math.max(0, box.clientHeight - HEAD_HEIGHT) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  // The chosen trace comes into view when it is chosen, not when the user scrolls or others arrive.
  useEffect(
    () =>
      effect(() => {
        const seq = selected.value?.seq;
        untracked(() => {
          const box = scroller.current;
          const index = seq === undefined ? -1 : ordered.value.findIndex((row) => row.seq === seq);
          if (index >= 0 && box && box.clientHeight > 0) box.scrollTop = scrollToRow(box.scrollTop, box.clientHeight - HEAD_HEIGHT, ROW_HEIGHT, index);
        });
      }),
    [],
  );

  const shown = page.value;
  const rows = ordered.value;
  const chosen = selected.value && shown && selected.value.session === shown.session ? selected.value.seq : null;
  const { start, end } = visibleRows(top.value, size.value.height, ROW_HEIGHT, rows.length, 6);
  const inView = rows.slice(start, end);
  const frozenWidth = frozen.value.reduce((sum, column) => sum + column.width, 0);
  const [first, last] = columnsInView(edges.value, left.value - 200, left.value + Math.max(400, size.value.width - frozenWidth) + 200);
  const width = frozenWidth + (edges.value[edges.value.length - 1] ?? 0);
  const grid = { frozen: frozen.value, frozenWidth, others: others.value, edges: edges.value, first, last };

  const choose = (row: PageRow | undefined): void => {
    if (row && shown) change({ selected: { session: shown.session, seq: row.seq } });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = Math.max(1, Math.floor(size.value.height / ROW_HEIGHT) - 1);
    const index = rows.findIndex((row) => row.seq === chosen);
    const target = { ArrowDown: index + 1, ArrowUp: index < 0 ? 0 : index - 1, PageDown: index + by, PageUp: index - by, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined || rows.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    choose(rows[Math.min(Math.max(target, 0), rows.length - 1)]);
  };

  return (
    <section class="page-table" aria-label="Traces of this function">
      <div
        class="page-scroller"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label="All traces of this function"
        aria-rowcount={rows.length + 1}
        aria-colcount={frozen.value.length + others.value.length}
        aria-activedescendant={inView.some((row) => row.seq === chosen) ? rowId(chosen!) : undefined}
        data-testid="function-table"
        onScroll={(event) => {
          top.value = event.currentTarget.scrollTop;
          left.value = event.currentTarget.scrollLeft;
        }}
        onKeyDown={onKeyDown}
      >
        <div class="page-head" role="row" aria-rowindex={1} style={{ width: `${width}px` }}>
          <Cells grid={grid} cell={(column) => <Head column={column} />} role="columnheader" />
        </div>
        <div class="page-rows" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT}px`, width: `${width}px` }}>
          {inView.map((row, offset) => (
            <div
              key={row.seq}
              id={rowId(row.seq)}
              class={`page-row${fateOf.value ? ` ${fateOf.value(row.seq)}` : ""}`}
              role="row"
              aria-rowindex={start + offset + 2}
              aria-selected={row.seq === chosen}
              style={{ top: `${(start + offset) * ROW_HEIGHT}px`, width: `${width}px` }}
              data-testid="function-row"
              data-seq={row.seq}
              onClick={() => choose(row)}
            >
              <Cells grid={grid} cell={(column) => column.cell(row)} row={row} role="gridcell" />
            </div>
          ))}
        </div>
      </div>
      {shown && shown.rowsLeftOut > 0 && (
        <p class="page-note">
          The latest {count(rows.length)} are shown; {plural(shown.rowsLeftOut, "earlier trace")} left out.
        </p>
      )}
    </section>
  );
}

interface Grid {
  frozen: readonly PageColumn[];
  frozenWidth: number;
  others: readonly PageColumn[];
  edges: readonly number[];
  first: number;
  last: number;
}

function Cells({ grid, cell, row, role }: { grid: Grid; cell: (column: PageColumn) => preact.ComponentChild; row?: PageRow; role: "gridcell" | "columnheader" }): JSX.Element {
  const of = (column: PageColumn, index: number, style: JSX.CSSProperties): JSX.Element => {
    const marked = row && column.leaf?.marked.has(row.index);
    const order = role === "columnheader" && column.order ? ariaSort(column) : undefined;
    return (
      <div key={column.key} role={role} aria-colindex={index + 1} aria-sort={order} class={`cell${column.right ? " right" : ""}${column.leaf ? " leaf" : ""}${marked ? " marked" : ""}`} style={style} title={row ? column.hint?.(row) : column.title}>
        {cell(column)}
      </div>
    );
  };
  return (
    <>
      <div class="frozen" role="presentation" style={{ width: `${grid.frozenWidth}px` }}>
        {grid.frozen.map((column, index) => of(column, index, { width: `${column.width}px` }))}
      </div>
      {grid.others.slice(grid.first, grid.last).map((column, offset) => {
        const index = grid.first + offset;
        return of(column, grid.frozen.length + index, { position: "absolute", left: `${grid.frozenWidth + grid.edges[index]!}px`, width: `${column.width}px` });
      })}
    </>
  );
}

function ariaSort(column: PageColumn): "ascending" | "descending" | "none" {
  const order = functionView.value?.order ?? DEFAULT_ORDER;
  return order.key !== column.order ? "none" : order.descending ? "descending" : "ascending";
}

function Head({ column }: { column: PageColumn }): JSX.Element {
  const key = column.order;
  if (!key) return <span class={column.leaf ? "mono" : undefined}>{column.label}</span>;
  const sorted = ariaSort(column);
  const sort = (): void => changeFunction({ order: { key, descending: sorted === "none" ? key === "total" : sorted === "ascending" } });
  return (
    <button type="button" data-testid={`order-${key}`} onClick={sort}>
      {column.label}
      {sorted !== "none" && <span aria-hidden="true">{sorted === "descending" ? " ↓" : " ↑"}</span>}
    </button>
  );
}

function rowId(seq: number): string {
  return `function-row-${seq}`;
}
