import { effect, type ReadonlySignal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { bytes } from "../../base/format";
import { toPixel } from "../../base/view_window";
import { change, select } from "../../state/store";
import { fitCanvas } from "./canvas";
import { drawMemory, MEMORY_HEIGHT, memoryY } from "./draw_memory";
import type { Frame } from "./frame";
import { firstAtLeast } from "./lanes";
import { curves, growth, memoryShown, plotLeft, range, view } from "./model";
import { type Hover, Tooltip } from "./tooltip";
import { grownText, MEMORY_MEANING, memoryTitle } from "./words";

/** How near to a reading the pointer must be, CSS pixels along the axis. */
const REACH = 12;

interface Pointed {
  session: number;
  index: number;
}

/** The process's memory, on the axis of the rows above. `frame`: what those show, null before there is a size. */
export function MemoryTrack({ frame, wheelTargets }: { frame: ReadonlySignal<(() => Frame) | null>; wheelTargets: (target: HTMLElement) => () => void }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<unknown[]>([]);
  const hover = useSignal<Hover | null>(null);
  const pointed = useSignal<Pointed | null>(null);

  useEffect(() => wheelTargets(canvas.current!), []);
  useEffect(
    () =>
      effect(() => {
        const make = frame.value;
        const scale = range.value;
        const pen = canvas.current?.getContext("2d");
        const shown = curves.value;
        const at = pointed.value;
        if (!make || !scale || !pen) return;
        const now = make();
        const seen = [now.view, now.width, now.left, now.palette, now.area, shown, scale, at];
        if (seen.every((value, index) => value === drawn.current[index])) return; // what is new is not this track's
        drawn.current = seen;
        drawMemory(fitCanvas(canvas.current!, pen, now.width, MEMORY_HEIGHT), now, shown, scale, at);
      }),
    [],
  );

  const under = (event: MouseEvent): Pointed | null => {
    const bounds = canvas.current!.getBoundingClientRect();
    const plot = bounds.width - plotLeft.peek();
    const [x, y] = [event.clientX - bounds.left - plotLeft.peek(), event.clientY - bounds.top];
    const window = view.peek();
    const value = window.from + (x / Math.max(1, plot)) * (window.to - window.from);
    let best: (Pointed & { away: number }) | null = null;
    for (const curve of curves.peek()) {
      const next = firstAtLeast(curve.at, value);
      for (const reading of [next - 1, next]) {
        if (reading < 0 || reading >= curve.at.length) continue;
        const away = Math.abs(toPixel(window, plot, curve.at[reading]!) - x);
        // Between several curves, the one at the pointer's height.
        const rank = away + Math.abs(memoryY(curve.kib[reading]!, range.peek()!) - y) * (curves.peek().length > 1 ? 1 : 0);
        if (away <= REACH && (!best || rank < best.away)) best = { session: curve.session, index: reading >> 1, away: rank };
      }
    }
    return best;
  };
  const traceAt = (at: Pointed | null): Hover["trace"] | undefined => curves.peek().find(({ session }) => session === at?.session)?.traces[at?.index ?? -1];

  const sum = growth.value;
  return (
    <div class="memory-track" data-testid="memory-track" role="group" aria-label={memoryTitle(curves.value.length)}>
      <div class="memory-title" title={MEMORY_MEANING}>
        <span class="name">{memoryTitle(curves.value.length)}</span>
        <button type="button" class="button small icon" aria-label="Hide the memory curve" title="Hide the memory curve (m)" onClick={() => change({ memory: false })}>
          ×
        </button>
        <span class="growth" data-testid="memory-growth">
          {sum.traces > 0 ? grownText(sum) : "no trace shown"}
        </span>
        <span class="visually-hidden">
          <MemoryRange />
          {MEMORY_MEANING}
        </span>
      </div>
      <canvas
        ref={canvas}
        aria-hidden="true"
        style={{ height: `${MEMORY_HEIGHT}px` }}
        onPointerMove={(event) => {
          const at = under(event);
          const trace = traceAt(at);
          pointed.value = at;
          hover.value = trace ? { trace, memory: true, count: 1, x: event.clientX, y: event.clientY } : null;
        }}
        onPointerLeave={() => {
          pointed.value = null;
          hover.value = null;
        }}
        onClick={(event) => {
          const trace = traceAt(under(event));
          if (trace) select(trace);
        }}
      />
      {hover.value && <Tooltip hover={hover.value} />}
    </div>
  );
}

/** Apart, because it changes with every movement. */
function MemoryRange(): JSX.Element | null {
  const scale = range.value;
  return scale && <>In view between {bytes(scale.least * 1024)} and {bytes(scale.most * 1024)}. </>;
}

/** Hides the curve or brings it back. */
export function toggleMemory(): void {
  change({ memory: !memoryShown.value });
}
