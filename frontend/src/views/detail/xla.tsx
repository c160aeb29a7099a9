import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { count, plural, seconds, UNKNOWN } from "../../base/format";
import type { TraceDetail, XlaCompilation } from "../../data/detail";

const SHOWN = 8;
const SHAPES_SHOWN = 8;

/** When XLA compiled this trace's graph, for which shapes and values, and how long that call took. */
export function XlaCompilations({ detail }: { detail: TraceDetail }): JSX.Element {
  const all = useSignal(false);
  if (detail.xla.length === 0) {
    return <p class="muted">It is called inside another function's graph: XLA's compilations there are not seen.</p>;
  }
  const rows = all.value ? detail.xla : detail.xla.slice(0, SHOWN);
  const earlier = detail.xlaCompilations - detail.xla.length;
  return (
    <>
      {earlier > 0 && <p class="muted fold-before">{plural(earlier, "earlier one")} not shown.</p>}
      <table class="change-table xla-table" data-testid="xla-compilations">
        <thead>
          <tr>
            <th scope="col" class="narrow">
              #
            </th>
            <th scope="col" class="step">
              Step
            </th>
            <th scope="col">Shapes, values</th>
            <th scope="col" class="time" title="Of the call that compiled: compilation and execution">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((compilation, index) => (
            <Row key={index} compilation={compilation} />
          ))}
        </tbody>
      </table>
      {rows.length < detail.xla.length && (
        <button type="button" class="link fold" onClick={() => (all.value = true)}>
          Show {plural(detail.xla.length - rows.length, "later one")}
        </button>
      )}
      {detail.xla.some(isRecompilation) && (
        <p class="muted fold">
          XLA compiles for concrete shapes, and for the value of a tensor that it needs as a constant, such as a size: what is new in one that the trace left open is compiled again,
          without a trace.
        </p>
      )}
    </>
  );
}

export function isRecompilation(compilation: XlaCompilation): boolean {
  return compilation.k > 1 && compilation.shapes.some((shape) => shape.old !== null);
}

function Row({ compilation }: { compilation: XlaCompilation }): JSX.Element {
  // What changed comes first: of hundreds of arguments it must be among those shown.
  const shapes = [...compilation.shapes.filter((shape) => shape.old !== null), ...compilation.shapes.filter((shape) => shape.old === null)];
  const left = shapes.length - SHAPES_SHOWN + compilation.shapesLeftOut;
  return (
    <tr>
      <th scope="row">{count(compilation.k)}</th>
      <td>{compilation.step === null ? UNKNOWN : count(compilation.step)}</td>
      <td>
        {shapes.slice(0, SHAPES_SHOWN).map((shape, index) => (
          <div key={index}>
            {shape.path}{" "}
            {shape.old === null ? (
              shape.shape
            ) : (
              <mark class="new-shape" title={`was ${shape.old}`}>
                {shape.shape}
              </mark>
            )}
          </div>
        ))}
        {left > 0 && <div class="absent">{plural(left, "more argument")}</div>}
        {shapes.length === 0 && <div class="absent">all known when it was traced</div>}
        {(compilation.k === 1 || compilation.gradient || compilation.backward || compilation.failed) && (
          <div class="absent">
            {[compilation.k === 1 && "first call", compilation.gradient && "forward pass for a gradient", compilation.backward && "backward pass", compilation.failed && "failed"].filter(Boolean).join(", ")}
          </div>
        )}
      </td>
      <td>{seconds(compilation.seconds)}</td>
    </tr>
  );
}
