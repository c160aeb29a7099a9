import { effect, untracked, useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { scrollToRow, visibleRows } from "../../base/virtual_rows";
import { titleOf } from "../../graph/measure";
import type { Scene, SceneItem } from "../../graph/scene";
import { lookAt } from "../../state/graph_camera";
import { choose, chosenItem, enter, scene, setOpen } from "../../state/graphs";
import { MarkSign, TallyMarks } from "./marks";
import { activate } from "./panes";
import { describe, marksOf } from "./tones";

const ROW_HEIGHT = 24;

/** What the panes show, as a tree: the same boxes, opened and closed together with them. Only the rows in view are in the page. */
export function Outline(): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(0);
  const places = useComputed(() => (scene.value ? placesOf(scene.value) : []));

  useEffect(() => {
    const box = scroller.current!;
    const measure = (): void => void (height.value = box.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  useEffect(
    () =>
      effect(() => {
        const item = chosenItem.value;
        untracked(() => {
          const box = scroller.current;
          const index = item && scene.value ? scene.value.items.indexOf(item) : -1;
          if (box && index >= 0) box.scrollTop = scrollToRow(box.scrollTop, box.clientHeight, ROW_HEIGHT, index);
        });
      }),
    [],
  );

  const items = scene.value?.items ?? [];
  const now = chosenItem.value;
  const { start, end } = visibleRows(scrollTop.value, height.value, ROW_HEIGHT, items.length, 8);

  const go = (item: SceneItem | undefined): void => {
    if (!item || !scene.peek()) return;
    choose(scene.peek()!.graph, item.item);
    lookAt(item, scene.peek()!);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || items.length === 0) return;
    const index = now ? items.indexOf(now) : -1;
    const page = Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 1);
    const target = { ArrowDown: index + 1, ArrowUp: Math.max(0, index - 1), PageDown: index + page, PageUp: index - page, Home: 0, End: items.length - 1 }[event.key];
    if (target !== undefined) go(items[Math.min(Math.max(target, 0), items.length - 1)]);
    else if (event.key === "ArrowRight" && now) {
      if (now.open) go(items[index + 1]);
      else activate(now);
    } else if (event.key === "ArrowLeft" && now) {
      if (now.open) void setOpen(now, false);
      else go(items[now.parent]);
    } else if ((event.key === "Enter" || event.key === " ") && now) activate(now);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      class="outline"
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label="Outline of both graphs"
      aria-activedescendant={now && items.indexOf(now) >= start && items.indexOf(now) < end ? rowId(now) : undefined}
      data-testid="graph-outline"
      onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="outline-rows" role="none" style={{ height: `${items.length * ROW_HEIGHT}px` }}>
        {items.slice(start, end).map((item, offset) => (
          <Row key={item.item} item={item} index={start + offset} chosen={item === now} place={places.value[start + offset]!} />
        ))}
      </div>
    </div>
  );
}

/** The how-manieth of how many siblings each item is. */
function placesOf({ items }: Scene): { at: number; of: number }[] {
  const counts = new Map<number, number>();
  const at = items.map((item) => {
    const next = (counts.get(item.parent) ?? 0) + 1;
    counts.set(item.parent, next);
    return next;
  });
  return items.map((item, index) => ({ at: at[index]!, of: counts.get(item.parent)! }));
}

function Row({ item, index, chosen, place }: { item: SceneItem; index: number; chosen: boolean; place: { at: number; of: number } }): JSX.Element {
  const marks = item.kind === "op" ? marksOf(item.flags) : [];
  const onClick = (event: MouseEvent): void => {
    choose(scene.peek()?.graph ?? 0, item.item);
    if ((event.target as HTMLElement).classList.contains("twisty")) activate(item);
    else if (scene.peek()) lookAt(item, scene.peek()!);
  };
  return (
    <div
      id={rowId(item)}
      class={`outline-row ${item.kind}`}
      role="treeitem"
      aria-level={item.depth + 1}
      aria-posinset={place.at}
      aria-setsize={place.of}
      aria-selected={chosen}
      aria-expanded={item.canOpen ? item.open : undefined}
      style={{ top: `${index * ROW_HEIGHT}px`, paddingLeft: `${6 + Math.min(item.depth, 12) * 13}px` }}
      title={item.path}
      data-testid="outline-row"
      data-item={item.item}
      onClick={onClick}
      onDblClick={() => activate(item)}
    >
      <span class="twisty" aria-hidden="true">
        {item.canOpen ? (item.open ? "▾" : "▸") : ""}
      </span>
      <span class="outline-name">{item.kind === "op" || item.kind === "scope" ? item.label : titleOf(item, false)}</span>
      {marks.map((mark) => (
        <MarkSign key={mark} mark={mark} />
      ))}
      {item.kind !== "op" && <TallyMarks tally={item.tally} />}
      <span class="visually-hidden">{describe(item)}</span>
      {item.calls >= 0 && (
        <button
          type="button"
          class="link calls"
          tabIndex={-1}
          aria-label={`Go into the function that ${item.label} calls`}
          title="Go into the function that it calls"
          onClick={(event) => {
            event.stopPropagation();
            void enter(item);
          }}
        >
          ƒ
        </button>
      )}
    </div>
  );
}

function rowId(item: SceneItem): string {
  return `outline-${item.item}`;
}
