import { batch, effect, type Signal, untracked, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { count, duration, plural } from "../../base/format";
import { darkMode } from "../../base/host";
import { frameScheduler } from "../../base/idle";
import { timeLabel } from "../../base/ticks";
import { pan, span, toValue, zoom } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import { causeOf, causeWord } from "../../data/words";
import { arrivals, axis, functions, select, selectedTrace, shown } from "../../state/store";
import { boxAt, markAt } from "./boxes";
import { brush } from "./brush";
import { fitCanvas } from "./canvas";
import { type DrawnRow, drawBody } from "./draw";
import { MEMORY_HEIGHT } from "./draw_memory";
import { drawHead, headHeight } from "./draw_head";
import type { Frame } from "./frame";
import { area, canFit, chart, clocks, fit, hasMemory, hasSteps, isWhole, memoryShown, plotLeft, profiles, revealTrace, setArea, setView, view } from "./model";
import { MemoryTrack, toggleMemory } from "./memory_track";
import { Names } from "./names";
import { type Direction, neighbour, tracesOf } from "./neighbours";
import { type Palette, readPalette } from "./palette";
import { laneBounds, placeOf, ROW_HEIGHT, rowAt } from "./rows";
import { type Hover, Tooltip } from "./tooltip";

/** What is always to be seen of the rows, CSS pixels, however low the window. */
const LEAST_ROWS = 2.5 * ROW_HEIGHT;
const FADE_MS = 700;
const ARROWS: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" };

/** Rows of functions, spans of traces, over time or step. */
export function Timeline(): JSX.Element {
  const head = useRef<HTMLCanvasElement>(null);
  const body = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const scrollTop = useSignal(0);
  const hover = useSignal<Hover | null>(null);
  const dragging = useSignal(false);
  const drawn = useRef<DrawnRow[]>([]);
  const wheel = useRef<((event: WheelEvent) => void) | null>(null);
  const memoryFrame = useSignal<(() => Frame) | null>(null);

  // Sizes: the canvas covers what the scroller shows of the rows.
  useEffect(() => {
    const box = scroller.current!;
    const measure = (): void => {
      const width = plot.current!.clientWidth;
      const height = box.clientHeight;
      if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    observer.observe(plot.current!);
    return () => observer.disconnect();
  }, []);

  // Drawing: once per frame, whenever anything that it reads changes.
  useEffect(() => {
    const bodyPen = body.current!.getContext("2d");
    const headPen = head.current!.getContext("2d");
    if (!bodyPen || !headPen) return;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)");
    let palette: Palette | null = null;
    const makeFrame = (now: number, fading: () => void): Frame => ({
      chart: chart.peek(),
      view: view.peek(),
      axis: axis.peek(),
      ...size.peek(),
      scrollTop: scrollTop.peek(),
      left: plotLeft.peek(),
      palette: (palette ??= readPalette(document.documentElement, bodyPen)),
      selected: selectedTrace.peek(),
      hovered: hover.peek()?.trace ?? null,
      clocks: clocks.peek(),
      profiles: profiles.peek(),
      area: area.peek(),
      presence: (trace) => {
        const at = arrivals.size === 0 || still.matches ? undefined : arrivals.get(trace.key);
        if (at === undefined || now - at >= FADE_MS) return 1;
        fading();
        return Math.max(0.05, (now - at) / FADE_MS);
      },
    });
    const draw = (): void => {
      const { width, height } = size.peek();
      if (width <= 0) return;
      let fading = false;
      const frame = makeFrame(performance.now(), () => (fading = true));
      drawn.current = height > 0 ? drawBody(fitCanvas(body.current!, bodyPen, width, height), frame) : [];
      const tall = headHeight(hasSteps.peek());
      drawHead(fitCanvas(head.current!, headPen, width, tall), frame, tall);
      memoryFrame.value = () => frame;
      if (fading) queueMicrotask(frames.request);
    };
    const frames = frameScheduler(draw);
    const stopTheme = effect(() => {
      void darkMode.value;
      palette = null;
    });
    const stopDraw = effect(() => {
      void [size.value, scrollTop.value, hover.value, chart.value, view.value, axis.value, plotLeft.value, selectedTrace.value, darkMode.value];
      void [clocks.value, profiles.value, area.value];
      frames.request();
    });
    return () => {
      stopTheme();
      stopDraw();
      frames.cancel();
    };
  }, []);

  // A trace chosen elsewhere comes into view.
  useEffect(
    () =>
      effect(() => {
        const trace = selectedTrace.value;
        untracked(() => {
          const place = placeOf(chart.value, trace);
          const box = scroller.current;
          if (!trace || !place || !box || box.clientHeight === 0) return;
          const { top, body: own, height } = chart.value.rows[place.row]!;
          if (top < box.scrollTop) box.scrollTop = top;
          else if (own + height > box.scrollTop + box.clientHeight) box.scrollTop = own + height - box.clientHeight;
          revealTrace(trace);
        });
      }),
    [],
  );

  const under = (event: PointerEvent | MouseEvent): Hover | null => {
    const bounds = body.current!.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top + scrollTop.peek();
    const index = rowAt(chart.peek(), y);
    const row = drawn.current.find((entry) => entry.row === index);
    const of = chart.peek().rows[index];
    if (!row || !of) return null;
    const at = { x: event.clientX, y: event.clientY };
    if (x < plotLeft.peek()) {
      const box = boxAt(row.unplaced, x, 4);
      return box && { trace: box.span.trace, count: box.count, ...at };
    }
    const mark = markAt(row.marks, x, 3);
    if (mark) return { trace: mark.mark.trace, recompilation: mark.mark.recompilation, count: mark.count, ...at };
    // The lane at the pointer first, then those nearest to it.
    const away = (lane: number): number => {
      const [top, tall] = laneBounds(of, lane);
      return Math.max(0, of.body + top - y, y - of.body - top - tall);
    };
    const lanes = row.lanes.map((_, lane) => lane).sort((a, b) => away(a) - away(b));
    for (const lane of lanes) {
      const box = boxAt(row.lanes[lane]!, x, lane === 0 ? 4 : 2);
      if (box) return { trace: box.span.trace, count: box.count, ...at };
    }
    return null;
  };

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    const begin = { x: event.clientX, y: event.clientY, view: view.peek(), scroll: scroller.current!.scrollTop };
    if (event.shiftKey) {
      event.preventDefault();
      chooseArea(event, target, dragging);
      return;
    }
    const perPixel = span(begin.view) / Math.max(1, size.peek().width - plotLeft.peek());
    target.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent): void => {
      if (!dragging.peek() && Math.hypot(now.clientX - begin.x, now.clientY - begin.y) < 4) return;
      dragging.value = true;
      hover.value = null;
      setView(pan(begin.view, (begin.x - now.clientX) * perPixel));
      scroller.current!.scrollTop = begin.scroll + begin.y - now.clientY;
    };
    const end = (now: PointerEvent): void => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", end);
      target.removeEventListener("pointercancel", end);
      if (!dragging.peek() && now.type === "pointerup") {
        const found = under(now);
        if (found) select(found.trace);
      }
      dragging.value = false;
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
  };

  // Not passive, so that the page does not scroll as well; Preact cannot say so.
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const width = Math.max(1, size.peek().width - plotLeft.peek());
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        setView(pan(view.peek(), ((event.deltaX || event.deltaY) * unit * span(view.peek())) / width));
        return;
      }
      const x = event.clientX - body.current!.getBoundingClientRect().left - plotLeft.peek();
      setView(zoom(view.peek(), Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.002))), toValue(view.peek(), width, x)));
    };
    wheel.current = onWheel;
    const stops = [body.current!, head.current!].map(onWheelOf);
    return () => stops.forEach((stop) => stop());
  }, []);
  const onWheelOf = (target: HTMLElement): (() => void) => {
    const listener = (event: WheelEvent): void => wheel.current?.(event);
    target.addEventListener("wheel", listener, { passive: false });
    return () => target.removeEventListener("wheel", listener);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = ARROWS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) {
      if (direction === "left" || direction === "right") setView(pan(view.peek(), (direction === "left" ? -0.15 : 0.15) * span(view.peek())));
      return;
    }
    const next = neighbour(chart.peek(), selectedTrace.peek(), direction);
    if (next) select(next);
  };

  const tall = headHeight(hasSteps.value);
  const least = tall + Math.min(LEAST_ROWS, chart.value.height) + (memoryShown.value ? MEMORY_HEIGHT + 1 : 0) + 1;
  return (
    <section class="timeline" aria-label="Timeline" data-testid="timeline" style={{ "--head": `${tall}px`, "--least": `${least}px` }}>
      <div class="timeline-head">
        <Title />
        <canvas
          ref={head}
          aria-hidden="true"
          onPointerDown={(event) => {
            if (!event.shiftKey) return brush(event, head.current!);
            event.preventDefault();
            chooseArea(event, head.current!, dragging);
          }}
          onDblClick={fit}
        />
      </div>
      <div
        class="timeline-body"
        ref={scroller}
        style={{ height: `${Math.max(ROW_HEIGHT, chart.value.height)}px` }}
        onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
      >
        <Names scrollTop={scrollTop} height={size.value.height} />
        <div
          ref={plot}
          class={`timeline-plot${dragging.value ? " dragging" : hover.value ? " pointing" : ""}`}
          role="listbox"
          tabIndex={0}
          aria-label="Traces by function. Arrow keys go from trace to trace."
          aria-activedescendant={placeOf(chart.value, selectedTrace.value) ? "timeline-option" : undefined}
          onKeyDown={onKeyDown}
          onPointerDown={onPointerDown}
          onPointerMove={(event) => {
            if (!dragging.value && event.buttons === 0) hover.value = under(event);
          }}
          onPointerLeave={() => (hover.value = null)}
          onDblClick={fit}
        >
          <canvas ref={body} aria-hidden="true" />
          <ActiveOption />
        </div>
      </div>
      {memoryShown.value && <MemoryTrack frame={memoryFrame} wheelTargets={onWheelOf} />}
      {hover.value && <Tooltip hover={hover.value} />}
    </section>
  );
}

/** What is shown, and how much of the axis. Apart, because it changes with every movement. */
function Title(): JSX.Element {
  const text = statusText();
  return (
    <div class="timeline-title">
      <h2 title="Functions, the costliest first">By time lost</h2>
      <div class="zoom">
        {hasMemory.value && !memoryShown.value && <ZoomButton label="Show the memory curve (m)" sign="M" act={toggleMemory} />}
        <ZoomButton label="Sum up what is in view (e); Shift and drag: a part of it" sign="Σ" act={sumUpView} />
        <ZoomButton label="Zoom out (−)" sign="−" act={() => zoomBy(1.5)} disabled={isWhole.value} />
        <ZoomButton label="Zoom in (+)" sign="+" act={() => zoomBy(1 / 1.5)} />
        <ZoomButton label={isWhole.value && canFit.value ? "Show where the traces are (0)" : "Show the whole axis (0)"} sign="⤢" act={fit} disabled={!canFit.value} />
      </div>
      <div class="status" role="status" title={text} data-testid="timeline-status">
        {text}
      </div>
    </div>
  );
}

/** Follows one drag over a part of the axis, which is then summed up; a click without a drag forgets it. */
function chooseArea(event: PointerEvent, target: HTMLElement, dragging: Signal<boolean>): void {
  const bounds = target.getBoundingClientRect();
  const width = bounds.width - plotLeft.peek();
  const value = (now: PointerEvent): number => toValue(view.peek(), width, Math.min(width, Math.max(0, now.clientX - bounds.left - plotLeft.peek())));
  const start = value(event);
  let moved = false;
  target.setPointerCapture(event.pointerId);
  const move = (now: PointerEvent): void => {
    if (!moved && Math.abs(now.clientX - event.clientX) < 4) return;
    moved = true;
    const end = value(now);
    batch(() => {
      dragging.value = true;
      setArea({ from: Math.min(start, end), to: Math.max(start, end) });
    });
  };
  const end = (): void => {
    target.removeEventListener("pointermove", move);
    target.removeEventListener("pointerup", end);
    target.removeEventListener("pointercancel", end);
    dragging.value = false;
    if (!moved) setArea(null);
  };
  target.addEventListener("pointermove", move);
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}

export function sumUpView(): void {
  setArea(view.peek());
}

function ZoomButton({ label, sign, act, disabled = false }: { label: string; sign: string; act: () => void; disabled?: boolean }): JSX.Element {
  return (
    <button type="button" class="button small icon" aria-label={label} title={label} disabled={disabled} onClick={act}>
      {sign}
    </button>
  );
}

/** The chosen trace as an option of the list box, for assistive technology. */
function ActiveOption(): JSX.Element | null {
  const trace = selectedTrace.value;
  const place = placeOf(chart.value, trace);
  const order = useMemo(() => (place ? tracesOf(chart.value.rows[place.row]!) : []), [chart.value, place?.row]);
  if (!trace || !place) return null;
  return (
    <div class="visually-hidden" role="option" id="timeline-option" aria-selected="true" aria-posinset={order.indexOf(trace) + 1} aria-setsize={order.length}>
      {describe(trace)}
    </div>
  );
}

function describe(trace: Trace): string {
  const name = functions.value[trace.function]?.name ?? "?";
  return [
    `${name}, ${trace.failed ? "failed trace" : `trace ${trace.n}`}`,
    trace.step === null ? "" : `step ${trace.step}`,
    trace.change || causeWord(causeOf(trace)).label,
    duration(trace.traceUs),
    trace.verdict,
  ]
    .filter(Boolean)
    .join(", ");
}

function statusText(): string {
  const { rows } = chart.value;
  const traces = shown.value.traces.length;
  const all = `${plural(traces, "trace")}, ${plural(rows.length, "function")}`;
  if (isWhole.value) return all;
  const { from, to } = view.value;
  if (axis.value === "step") return `step ${count(Math.max(0, Math.floor(from)))}–${count(Math.ceil(to))} · ${all}`;
  const step = span(view.value) / 10;
  const { to: end } = chart.value.whole;
  return `${timeLabel(Math.max(0, from), step)}–${timeLabel(to, step)} of ${timeLabel(end, end / 10)} · ${all}`;
}

export function zoomBy(factor: number): void {
  const now = view.peek();
  setView(zoom(now, factor, (now.from + now.to) / 2));
}
