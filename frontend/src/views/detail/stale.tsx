import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { plural } from "../../base/format";
import type { StaleValue } from "../../data/detail";

const SHOWN = 8;

/** Python values that the graph still holds although the program has changed them: its results are those of the old ones. */
export function StaleValues({ stale }: { stale: readonly StaleValue[] }): JSX.Element {
  const all = useSignal(false);
  const rows = all.value ? stale : stale.slice(0, SHOWN);
  return (
    <>
      <table class="change-table" data-testid="stale-values">
        <thead>
          <tr>
            <th scope="col" style={{ width: "34%" }}>
              Python value
            </th>
            <th scope="col">In the graph</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((value, index) => (
            <tr class="changed" key={index}>
              <th scope="row" title={value.kind}>
                {value.name}
              </th>
              <td class="old">{value.traced}</td>
              <td class="now">{value.now}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < stale.length && (
        <button type="button" class="link fold" onClick={() => (all.value = true)}>
          Show {plural(stale.length - rows.length, "more value")}
        </button>
      )}
      <p class="muted fold">
        The graph was traced with the old {stale.length === 1 ? "value" : "values"} and goes on using {stale.length === 1 ? "it" : "them"}. Pass what changes as an argument, or make it a{" "}
        <code>tf.Variable</code>; of a model that was replaced, define the function again.
      </p>
    </>
  );
}
