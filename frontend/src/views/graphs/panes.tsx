import { effect, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, bytes as bytesText } from "../../base/format";
import { darkMode } from "../../base/host";
import { frameScheduler } from "../../base/idle";
import type { Side as SideOf } from "../../data/comparison";
import { toWorld } from "../../graph/camera";
import type { Scene, SceneItem } from "../../graph/scene";
import { bringIntoView, camera, moveBy, pane, setPane, zoomBy } from "../../state/graph_camera";
import { choose, chosenItem, enter, loaded, scene, setOpen } from "../../state/graphs";
import { drawPane, itemAt, onChevron, type Plan, planOf } from "./draw";
import { nearest } from "./nearest";
import { type Palette, readPalette } from "./palette";
import { describe, type Side } from "./tones";

const PAN_KEYS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** a on the left, b on the right, seen by one camera. */
export function Panes(): JSX.Element {
  const canvases = { a: useRef<HTMLCanvasElement>(null), b: useRef<HTMLCanvasElement>(null) };
  const first = useRef<HTMLDivElement>(null);
  const hovered = useSignal<SceneItem | null>(null);
  const dragging = useSignal(false);

  useEffect(() => {
    const box = first.current!;
    const measure = (): void => {
      if (box.clientWidth !== pane.peek().width || box.clientHeight !== pane.peek().height) setPane({ width: box.clientWidth, height: box.clientHeight });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    let palette: Palette | null = null;
    let planned: Scene | null = null;
    const plans: Partial<Record<Side, Plan>> = {};
    const draw = (): void => {
      const shown = scene.peek();
      const { width, height } = pane.peek();
      if (width <= 0 || height <= 0) return;
      palette ??= readPalette(document.documentElement);
      for (const side of ["a", "b"] as const) {
        const canvas = canvases[side].current!;
        const pen = sized(canvas, width, height);
        if (!pen) continue;
        if (!shown) {
          pen.clearRect(0, 0, canvas.width, canvas.height);
          continue;
        }
        if (planned !== shown) {
          plans.a = planOf(shown, "a");
          plans.b = planOf(shown, "b");
          planned = shown;
        }
        const density = window.devicePixelRatio || 1;
        drawPane(pen, { scene: shown, plan: plans[side]!, side, camera: camera.peek(), width, height, density, palette, chosen: chosenItem.peek(), hovered: hovered.peek() });
      }
      if (shown) document.documentElement.dataset["retraceGraph"] = `${shown.items.length}`;
    };
    const frames = frameScheduler(draw);
    const stopTheme = effect(() => {
      void darkMode.value;
      palette = null;
    });
    const stopDraw = effect(() => {
      void [scene.value, camera.value, pane.value, chosenItem.value, hovered.value, darkMode.value];
      frames.request();
    });
    return () => {
      stopTheme();
      stopDraw();
      frames.cancel();
      delete document.documentElement.dataset["retraceGraph"];
    };
  }, []);

  useEffect(
    () =>
      effect(() => {
        void scene.value;
        hovered.value = null;
      }),
    [],
  );

  const pointOf = (event: MouseEvent): [number, number] => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return toWorld(camera.peek(), event.clientX - bounds.left, event.clientY - bounds.top);
  };
  const under = (event: MouseEvent): SceneItem | null => {
    const shown = scene.peek();
    return shown ? itemAt(shown, ...pointOf(event)) : null;
  };

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const target = event.currentTarget as HTMLElement;
    let last = { x: event.clientX, y: event.clientY };
    const begin = last;
    target.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent): void => {
      if (!dragging.peek() && Math.hypot(now.clientX - begin.x, now.clientY - begin.y) < 4) return;
      dragging.value = true;
      hovered.value = null;
      if (scene.peek()) moveBy(last.x - now.clientX, last.y - now.clientY, scene.peek()!);
      last = { x: now.clientX, y: now.clientY };
    };
    const end = (now: PointerEvent): void => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", end);
      target.removeEventListener("pointercancel", end);
      const shown = scene.peek();
      if (!dragging.peek() && now.type === "pointerup" && shown) {
        const item = under(now);
        choose(shown.graph, item?.item ?? null);
        if (item && onChevron(item, ...pointOf(now))) void setOpen(item, !item.open);
      }
      dragging.value = false;
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
  };

  const onDoubleClick = (event: MouseEvent): void => {
    const item = under(event);
    if (!item || onChevron(item, ...pointOf(event))) return;
    activate(item);
  };

  // Not passive, so that the page does not scroll as well; Preact cannot say so.
  useEffect(() => {
    const targets = [canvases.a.current!, canvases.b.current!];
    const onWheel = (event: WheelEvent): void => {
      const shown = scene.peek();
      if (!shown) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        moveBy((event.deltaX || event.deltaY) * unit, 0, shown);
        return;
      }
      const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect();
      zoomBy(Math.exp(Math.max(-0.5, Math.min(0.5, -event.deltaY * unit * 0.0022))), event.clientX - bounds.left, event.clientY - bounds.top);
    };
    for (const target of targets) target.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      for (const target of targets) target.removeEventListener("wheel", onWheel);
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const shown = scene.peek();
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = PAN_KEYS[event.key];
    const now = chosenItem.peek();
    if (by && event.shiftKey) moveBy(by[0] * pane.peek().width * 0.2, by[1] * pane.peek().height * 0.2, shown);
    else if (by) {
      const next = nearest(shown, now, by, camera.peek(), pane.peek());
      if (next) {
        choose(shown.graph, next.item);
        bringIntoView(next);
      }
    } else if ((event.key === "Enter" || event.key === " ") && now) activate(now);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const sides = loaded.value?.overview;
  return (
    <div
      class={`panes${dragging.value ? " dragging" : hovered.value ? " pointing" : ""}`}
      role="group"
      tabIndex={0}
      aria-label="Both graphs, drawn. Arrow keys go from node to node, Enter opens and closes; the outline has the same as a tree."
      data-testid="graph-panes"
      onKeyDown={onKeyDown}
    >
      {(["a", "b"] as const).map((side) => (
        <div class="pane" key={side}>
          <PaneHead side={side} of={sides?.[side] ?? null} />
          <div class="pane-picture" ref={side === "a" ? first : null}>
            <canvas
              ref={canvases[side]}
              aria-hidden="true"
              data-testid={`graph-canvas-${side}`}
              onPointerDown={onPointerDown}
              onPointerMove={(event) => {
                if (!dragging.value && event.buttons === 0) hovered.value = under(event);
              }}
              onPointerLeave={() => (hovered.value = null)}
              onDblClick={onDoubleClick}
            />
          </div>
        </div>
      ))}
      {hovered.value && <div class="pane-hint">{hint(hovered.value)}</div>}
    </div>
  );
}

/** Opens or closes what holds others; goes into the function that a node calls. */
export function activate(item: SceneItem): void {
  if (item.canOpen) void setOpen(item, !item.open);
  else if (item.calls >= 0) void enter(item);
}

function PaneHead({ side, of }: { side: Side; of: SideOf | null }): JSX.Element {
  return (
    <div class="pane-head">
      <span class="side-letter" aria-hidden="true">
        {side.toUpperCase()}
      </span>
      {of && (
        <>
          <strong title={`${of.function.file}:${of.function.line}`}>
            {of.function.name} #{of.n}
          </strong>
          <span class="muted">
            {count(of.nodes)} nodes{of.bytes > 0 && ` · ${bytesText(of.bytes)}`}
          </span>
        </>
      )}
    </div>
  );
}

function hint(item: SceneItem): string {
  const does = item.canOpen ? `double click ${item.open ? "closes" : "opens"}` : item.calls >= 0 ? "double click goes into the function" : "";
  const name = item.kind === "op" || item.kind === "scope" ? item.path : item.kind === "unchanged" ? "Unchanged nodes, folded" : item.label;
  return [name || "(no name)", describe(item), does].filter(Boolean).join(" · ");
}

/** Sizes a canvas to CSS pixels at the screen's density, and gives its pen. */
function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const density = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  return canvas.getContext("2d", { alpha: false });
}
