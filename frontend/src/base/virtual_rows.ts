/** Which rows of equal height a scrolled viewport shows. Pure. */

export interface RowRange {
  /** First row to draw. */
  start: number;
  /** One past the last row to draw. */
  end: number;
}

export function visibleRows(scrollTop: number, viewport: number, rowHeight: number, rows: number, overscan: number): RowRange {
  const start = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  const end = Math.min(rows, Math.ceil((scrollTop + viewport) / rowHeight) + overscan);
  return { start: Math.min(start, rows), end: Math.max(end, Math.min(start, rows)) };
}

/** The scroll position nearest to `scrollTop` at which row `index` is whole in view. */
export function scrollToRow(scrollTop: number, viewport: number, rowHeight: number, index: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return Math.max(0, top + rowHeight - viewport);
  return scrollTop;
}
