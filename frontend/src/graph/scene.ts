/** What the page draws of a graph: boxes and lines with places, made in the worker and sent as it is. Units: CSS pixels at scale 1. */

import type { Tally } from "./status";

export type ItemKind = "op" | "scope" | "alike" | "unchanged" | "range";

export interface SceneItem {
  item: number;
  kind: ItemKind;
  /** Index into the scene's items of what it is drawn in; −1: of the graph itself. A parent comes before its children. */
  parent: number;
  depth: number;
  label: string;
  /** Its name in a, where it has another one there; else "". */
  labelA: string;
  /** The whole name of a node or scope; of a bucket, that of the scope that it is in. */
  path: string;
  /** The first of the rows that it holds. */
  firstRow: number;
  /** The op of a single node; else "". */
  op: string;
  /** dtype and shape of its first output, as it is in a and in b; "" if not known. */
  shapeA: string;
  shapeB: string;
  flags: number;
  tally: Tally;
  /** The graph that it calls; −1: none. */
  calls: number;
  open: boolean;
  canOpen: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface SceneLine {
  /** Indices into the scene's items: what it begins and ends at. A line that goes through a border begins or ends at the box. */
  from: number;
  to: number;
  a: number;
  b: number;
  control: boolean;
  points: number[];
}

export interface Scene {
  graph: number;
  /** The number of the graph itself as an item. */
  root: number;
  items: SceneItem[];
  lines: SceneLine[];
  width: number;
  height: number;
  folds: boolean;
  /** The index in `items` that was asked for; −1: none. */
  focus: number;
}
