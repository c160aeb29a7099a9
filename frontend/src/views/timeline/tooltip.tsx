import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { bytes, count, duration } from "../../base/format";
import type { Recompilation, Trace } from "../../data/digest";
import { causeOf, causeWord, kindLabel } from "../../data/words";
import { functions } from "../../state/store";
import { CauseMark } from "../cause_mark";
import { grown } from "./words";

export interface Hover {
  trace: Trace;
  /** The trace's recompilation that is pointed at, if it is not the trace itself. */
  recompilation?: Recompilation;
  /** Pointed at on the memory curve. */
  memory?: boolean;
  /** How many lie in the same place. */
  count: number;
  /** Pointer, CSS pixels of the page. */
  x: number;
  y: number;
}

/** What is under the pointer. For the pointer only: assistive technology reads the chosen trace instead. */
export function Tooltip({ hover }: { hover: Hover }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { trace, recompilation } = hover;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    const x = hover.x + 16 + width > window.innerWidth ? Math.max(4, hover.x - width - 12) : hover.x + 16;
    const y = hover.y + 16 + height > window.innerHeight ? Math.max(4, hover.y - height - 12) : hover.y + 16;
    element.style.transform = `translate(${x}px, ${y}px)`;
  });
  const cause = causeOf(trace);
  const word = causeWord(cause);
  return (
    <div class="tooltip" ref={box} aria-hidden="true" style={{ "--cause": `var(--cause-${word.colour})` }}>
      <div class="title">
        <CauseMark cause={cause} />
        {functions.value[trace.function]?.name ?? "?"} #{trace.n}
        {trace.failed && <span class="tag failed">failed</span>}
      </div>
      {recompilation ? <Recompiled recompilation={recompilation} /> : <Traced trace={trace} memory={hover.memory ?? false} />}
      {hover.count > 1 && <p class="muted">{count(hover.count - 1)} more in this place: zoom in</p>}
    </div>
  );
}

function Recompiled({ recompilation }: { recompilation: Recompilation }): JSX.Element {
  return (
    <>
      <div class="what">{recompilation.change}</div>
      <dl>
        <dt>
          <span class="swatch xla" />
          {recompilation.failed ? "Compiling by XLA failed" : "Compiled by XLA, no trace"}
        </dt>
        <dd>{duration(recompilation.us)}</dd>
        <dt>Step</dt>
        <dd>{recompilation.step === null ? "not known" : count(recompilation.step)}</dd>
      </dl>
    </>
  );
}

function Traced({ trace, memory }: { trace: Trace; memory: boolean }): JSX.Element {
  const { memoryBefore: before, memoryAfter: after } = trace;
  return (
    <>
      <div class="what">{trace.change || causeWord(causeOf(trace)).label}</div>
      <dl>
        <dt>Kind, verdict</dt>
        <dd>
          {kindLabel(trace.kind)}, {trace.verdict}
        </dd>
        <dt>Step</dt>
        <dd>{trace.step === null ? "not known" : count(trace.step)}</dd>
        <dt>
          <span class="swatch own" />
          Tracing
        </dt>
        <dd>{duration(trace.traceUs)}</dd>
        {trace.lookupUs > 0 && (
          <>
            <dt>Lookup before it</dt>
            <dd>{duration(trace.lookupUs)}</dd>
          </>
        )}
        <dt>
          <span class="swatch first" />
          First execution
        </dt>
        <dd>{trace.firstCallUs === null ? "not measured" : duration(trace.firstCallUs)}</dd>
        {before !== null && after !== null && (memory || after !== before) && (
          <>
            <dt>Process memory</dt>
            <dd>
              {memory && `${bytes(before * 1024)} → ${bytes(after * 1024)}, `}
              {grown(after - before)}
            </dd>
          </>
        )}
        {trace.profiled && (
          <>
            <dt>Profile session</dt>
            <dd>ran meanwhile</dd>
          </>
        )}
      </dl>
    </>
  );
}
