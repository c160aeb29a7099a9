import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { plural } from "../../base/format";
import { changeRows, type ShownRow, type TraceDetail } from "../../data/detail";
import { selectSeq } from "../../state/store";
import { CauseMark } from "../cause_mark";

const UNCHANGED_SHOWN = 4;
/** A signature can have tens of thousands of leaves; the page shows no more than this. */
const MOST_ROWS = 500;

/** The signature, leaf by leaf: the closest earlier trace against this one, only what changed lit. */
export function ChangeTable({ detail }: { detail: TraceDetail }): JSX.Element | null {
  const open = useSignal(false);
  const { changed, unchanged } = changeRows(detail);
  if (changed.length + unchanged.length === 0) {
    return <p class="muted">{detail.kind === "first" ? "The function takes no arguments." : "The signature shows no arguments."}</p>;
  }
  const compared = detail.closest !== null || changed.some((row) => row.closest !== null);
  const fold = unchanged.length > UNCHANGED_SHOWN + 1;
  const rows = [...changed, ...(fold && !open.value ? unchanged.slice(0, changed.length ? 0 : UNCHANGED_SHOWN) : unchanged)];
  const shown = rows.slice(0, MOST_ROWS);
  const hidden = changed.length + unchanged.length - shown.length;
  return (
    <>
      <table class="change-table" data-testid="change-table">
        <thead>
          <tr>
            <th scope="col" style={{ width: "34%" }}>
              Argument
            </th>
            {compared && (
              <th scope="col">
                {detail.closest ? (
                  <button type="button" class="link" title="Go to the closest earlier trace" onClick={() => selectSeq(detail.closest!.seq)}>
                    Closest earlier, #{detail.closest.n}
                  </button>
                ) : (
                  "Before"
                )}
              </th>
            )}
            <th scope="col">{detail.failed ? "This trace" : `This trace, #${detail.n}`}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <Leaf key={index} row={row} compared={compared} marked={changed.length > 1} />
          ))}
        </tbody>
      </table>
      {fold && (
        <button type="button" class="link fold" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          {open.value ? "Hide what did not change" : `Show ${plural(hidden, changed.length ? "unchanged argument" : "more argument")}`}
        </button>
      )}
      {open.value && hidden > 0 && <p class="muted fold">{plural(hidden, "more argument")} not shown.</p>}
    </>
  );
}

/** Several changes are told apart by the marks of their causes. */
function Leaf({ row, compared, marked }: { row: ShownRow; compared: boolean; marked: boolean }): JSX.Element {
  return (
    <tr class={row.changed ? "changed" : undefined}>
      <th scope="row">
        <span class="path">
          {marked && row.changed && row.cause && <CauseMark cause={row.cause} />}
          <span>{row.path || "(the call itself)"}</span>
        </span>
      </th>
      {compared && <td class="old">{row.closest === null || row.closest === "" ? <span class="absent">not there</span> : row.closest}</td>}
      <td class="now">{row.now === "" ? <span class="absent">not there</span> : row.now}</td>
    </tr>
  );
}
