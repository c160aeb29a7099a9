import { fitAll, lookAt, moveBy, pane, zoomBy } from "../../state/graph_camera";
import { choose, chosenItem, closeComparison, hits, scene, search, step } from "../../state/graphs";

const ZOOM = 1.3;
const MOVES: Record<string, [number, number]> = { w: [0, -1], a: [-1, 0], s: [0, 1], d: [1, 0] };

/** Keys of the graphs view that work wherever the focus is. Returns whether the key is one. */
export function actOnGraphs(key: string): boolean {
  const shown = scene.peek();
  if (key === "Escape") {
    if (hits.peek()) search("");
    else if (chosenItem.peek() && shown) choose(shown.graph, null);
    else closeComparison();
    return true;
  }
  if (!shown) return false;
  const now = chosenItem.peek();
  const move = MOVES[key];
  if (move) {
    moveBy(move[0] * pane.peek().width * 0.15, move[1] * pane.peek().height * 0.15, shown);
    return true;
  }
  switch (key) {
    case "n":
    case "p":
      void step(key === "n" ? 1 : -1);
      return true;
    case "/":
      document.querySelector<HTMLInputElement>("[data-testid=graph-search]")?.focus();
      return true;
    case "+":
    case "=":
      zoomBy(ZOOM);
      return true;
    case "-":
    case "−":
      zoomBy(1 / ZOOM);
      return true;
    case "0":
      fitAll(shown);
      return true;
    case "f":
      if (now) lookAt(now, shown);
      return true;
    default:
      return false;
  }
}
