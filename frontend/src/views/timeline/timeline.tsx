import { effect, untracked, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { count, duration, plural } from "../../base/format";
import { darkMode } from "../../base/host";
import { frameScheduler } from "../../base/idle";
import { timeLabel } from "../../base/ticks";
import { pan, span, toValue, zoom } from "../../base/view_window";
import { scrollToRow } from "../../base/virtual_rows";
import type { Trace } from "../../data/digest";
import { causeOf, causeWord } from "../../data/words";
import { arrivals, axis, functions, select, selectedTrace, shown } from "../../state/store";
import { boxAt, markAt } from "./boxes";
import { brush } from "./brush";
import { type DrawnRow, drawBody, drawHead, type Frame } from "./draw";
import { chart, fit, HEAD_HEIGHT, isWhole, plotLeft, revealTrace, ROW_HEIGHT, setView, view } from "./model";
import { Names } from "./names";
import { type Direction, neighbour, tracesOf } from "./neighbours";
import { type Palette, readPalette } from "./palette";
import { type Hover, Tooltip } from "./tooltip";

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
    const draw = (): void => {
      const { width, height } = size.peek();
      if (width <= 0) return;
      palette ??= readPalette(document.documentElement, bodyPen);
      const now = performance.now();
      let fading = false;
      const frame: Frame = {
        chart: chart.peek(),
        view: view.peek(),
        axis: axis.peek(),
        width,
        height,
        scrollTop: scrollTop.peek(),
        left: plotLeft.peek(),
        palette,
        selected: selectedTrace.peek(),
        hovered: hover.peek()?.trace ?? null,
        presence: (trace) => {
          const at = still.matches ? undefined : arrivals.get(trace.key);
          if (at === undefined || now - at >= FADE_MS) return 1;
          fading = true;
          return Math.max(0.05, (now - at) / FADE_MS);
        },
      };
      drawn.current = height > 0 ? drawBody(fitCanvas(body.current!, bodyPen, width, height), frame) : [];
      drawHead(fitCanvas(head.current!, headPen, width, HEAD_HEIGHT), frame);
      if (fading) queueMicrotask(frames.request);
    };
    const frames = frameScheduler(draw);
    const stopTheme = effect(() => {
      void darkMode.value;
      palette = null;
    });
    const stopDraw = effect(() => {
      void [size.value, scrollTop.value, hover.value, chart.value, view.value, axis.value, plotLeft.value, selectedTrace.value, darkMode.value];
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
          const place = trace && chart.value.places.get(trace.key);
          const box = scroller.current;
          if (!trace || !place || !box || box.clientHeight === 0) return;
          box.scrollTop = scrollToRow(box.scrollTop, box.clientHeight, ROW_HEIGHT, place.row);
          revealTrace(trace);
        });
      }),
    [],
  );

  const under = (event: PointerEvent | MouseEvent): Hover | null => {
    const bounds = body.current!.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top + scrollTop.peek();
    const row = drawn.current.find((entry) => entry.row === Math.floor(y / ROW_HEIGHT));
    if (!row) return null;
    const low = y % ROW_HEIGHT >= 20;
    const inLane = x < plotLeft.peek();
    const mark = inLane ? null : markAt(row.marks, x, 3);
    if (mark) return { trace: mark.mark.trace, recompilation: mark.mark.recompilation, count: mark.count, x: event.clientX, y: event.clientY };
    const box = inLane ? boxAt(row.unplaced, x, 4) : ((low ? boxAt(row.lanes[1], x, 2) : null) ?? boxAt(row.lanes[0], x, 4) ?? boxAt(row.lanes[1], x, 4));
    return box ? { trace: box.span.trace, count: box.count, x: event.clientX, y: event.clientY } : null;
  };

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    const begin = { x: event.clientX, y: event.clientY, view: view.peek(), scroll: scroller.current!.scrollTop };
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
    const targets = [body.current!, head.current!];
    for (const target of targets) target.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      for (const target of targets) target.removeEventListener("wheel", onWheel);
    };
  }, []);

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

  const rows = chart.value.rows.length;
  return (
    <section class="timeline" aria-label="Timeline" data-testid="timeline">
      <div class="timeline-head">
        <div class="timeline-title">
          <h2>Functions by time lost</h2>
          <div class="status" role="status" data-testid="timeline-status">
            {statusText()}
          </div>
          <div class="zoom">
            <ZoomButton label="Zoom out (−)" sign="−" act={() => zoomBy(1.5)} disabled={isWhole.value} />
            <ZoomButton label="Zoom in (+)" sign="+" act={() => zoomBy(1 / 1.5)} />
            <ZoomButton label="Show the whole axis (0)" sign="⤢" act={fit} disabled={isWhole.value} />
          </div>
        </div>
        <canvas ref={head} aria-hidden="true" onPointerDown={(event) => brush(event, head.current!)} onDblClick={fit} />
      </div>
      <div class="timeline-body" ref={scroller} style={{ height: `${Math.max(1, rows) * ROW_HEIGHT}px` }} onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}>
        <Names scrollTop={scrollTop.value} height={size.value.height} />
        <div
          ref={plot}
          class={`timeline-plot${dragging.value ? " dragging" : hover.value ? " pointing" : ""}`}
          role="listbox"
          tabIndex={0}
          aria-label="Traces by function. Arrow keys go from trace to trace."
          aria-activedescendant={selectedTrace.value && chart.value.places.has(selectedTrace.value.key) ? "timeline-option" : undefined}
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
      {hover.value && <Tooltip hover={hover.value} />}
    </section>
  );
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
  const place = trace && chart.value.places.get(trace.key);
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
  if (axis.value === "step") return `${all} · step ${count(Math.max(0, Math.floor(from)))}–${count(Math.ceil(to))}`;
  const step = span(view.value) / 10;
  return `${all} · ${timeLabel(Math.max(0, from), step)}–${timeLabel(to, step)}`;
}

export function zoomBy(factor: number): void {
  const now = view.peek();
  setView(zoom(now, factor, (now.from + now.to) / 2));
}

/** Sizes a canvas to CSS pixels at the screen's density, and gives its pen back. */
function fitCanvas(canvas: HTMLCanvasElement, pen: CanvasRenderingContext2D, width: number, height: number): CanvasRenderingContext2D {
  const density = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  pen.setTransform(density, 0, 0, density, 0, 0);
  return pen;
}
