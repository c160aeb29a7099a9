import { useSignal } from "@preact/signals";
import type { ComponentChild, JSX } from "preact";
import { plural } from "../../base/format";

/** A row of a table of what a and b have. */
export interface TwoSidedRow {
  name: ComponentChild;
  a: string | null;
  b: string | null;
  changed: boolean;
}

const EQUAL_SHOWN = 6;
const MOST_SHOWN = 400;

/** What differs first and lit, the rest on demand. Without a `head`, names are long and stand above their values. */
export function TwoSided({ rows, head, what, testId }: { rows: readonly TwoSidedRow[]; head: string | null; what: string; testId: string }): JSX.Element {
  const all = useSignal(false);
  const changed = rows.filter((row) => row.changed);
  const equal = rows.filter((row) => !row.changed);
  const few = rows.length <= EQUAL_SHOWN;
  const list = [...changed, ...(all.value || few ? equal : equal.slice(0, changed.length ? 0 : EQUAL_SHOWN))].slice(0, MOST_SHOWN);
  const hidden = rows.length - list.length;
  return (
    <>
      {list.length > 0 && (
        <table class={`change-table two-sided${head === null ? " stacked" : ""}`} data-testid={testId}>
          <thead>
            <tr>
              {head !== null && (
                <th scope="col" style={{ width: "32%" }}>
                  {head}
                </th>
              )}
              <th scope="col">
                <span class="side-letter">A</span>
              </th>
              <th scope="col">
                <span class="side-letter">B</span>
              </th>
            </tr>
          </thead>
          {head === null ? (
            list.map((row, index) => (
              <tbody key={index} class={row.changed ? "changed" : undefined}>
                <tr>
                  <th scope="rowgroup" colSpan={2}>
                    {row.name}
                  </th>
                </tr>
                <tr class={row.changed ? "changed" : undefined}>
                  <Values row={row} />
                </tr>
              </tbody>
            ))
          ) : (
            <tbody>
              {list.map((row, index) => (
                <tr key={index} class={row.changed ? "changed" : undefined}>
                  <th scope="row">{row.name}</th>
                  <Values row={row} />
                </tr>
              ))}
            </tbody>
          )}
        </table>
      )}
      {!few && equal.length > 0 && (all.value || hidden > 0) && (
        <button type="button" class="link fold" aria-expanded={all.value} onClick={() => (all.value = !all.value)}>
          {all.value ? `Hide equal ${what}s` : changed.length ? `Show ${plural(equal.length, `equal ${what}`)}` : `Show ${plural(hidden, `more ${what}`)}`}
        </button>
      )}
      {all.value && hidden > 0 && <p class="muted fold">{plural(hidden, `more ${what}`)} not shown.</p>}
    </>
  );
}

function Values({ row }: { row: TwoSidedRow }): JSX.Element {
  if (!row.changed && row.a === row.b) return <td colSpan={2}>{row.a ?? ""}</td>;
  return (
    <>
      <td class="old">{row.a ?? <span class="absent">not there</span>}</td>
      <td class="now">{row.b ?? <span class="absent">not there</span>}</td>
    </>
  );
}
