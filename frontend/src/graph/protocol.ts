import type { Counts, OpCount, Overview } from "../data/comparison";
import type { Scene } from "./scene";
import type { Status, Tally } from "./status";

/** What the page asks the worker, and what it answers. Everything is plain data. */

/** A node: its graph, and its row there. */
export interface Place {
  graph: number;
  row: number;
}

export type Request =
  | { kind: "load"; url: string; fold: boolean; graph: number; row: number; open: readonly string[] }
  /** Another graph, or the same; `row` ≥ 0 is brought into the picture. */
  | { kind: "show"; graph: number; row: number }
  | { kind: "open"; graph: number; item: number; open: boolean; all: boolean }
  | { kind: "fold"; fold: boolean; graph: number; row: number }
  /** The next (1) or previous (−1) difference as seen from a row; without one, the first or last. */
  | { kind: "step"; from: Place | null; step: 1 | -1 }
  | { kind: "search"; graph: number; text: string }
  | { kind: "about"; graph: number; item: number };

export interface GraphName {
  name: string;
  nameA: string | null;
  nameB: string | null;
  rows: number;
  counts: Counts;
  differing: number;
}

export interface Loaded {
  overview: Overview;
  graphs: GraphName[];
  /** How many nodes differ, over all graphs. */
  differences: number;
  scene: Scene;
  /** Milliseconds of the worker's own work, for the benchmark. */
  spent: Record<string, number>;
}

export interface Step {
  place: Place;
  scene: Scene;
}

export interface Hit extends Place {
  name: string;
  op: string;
  status: Status;
}

export interface Hits {
  text: string;
  total: number;
  hits: Hit[];
}

/** What the columns tell of an item; `compare_node` adds the attributes of a single node. */
export interface About {
  graph: number;
  item: number;
  /** −1: it is not a single node. */
  row: number;
  /** Its whole name; of a bucket, that of what it was made in. */
  path: string;
  tally: Tally;
  /** Of a node: which difference it is, counted from 1 over all graphs; 0: it does not differ. */
  difference: number;
  inputs: { row: number; name: string; flags: number }[];
  inputsLeftOut: number;
  /** Of several nodes: their ops, most different first, and the first that differ. */
  ops: OpCount[];
  differing: Hit[];
}

export type Answer =
  | { id: number; value: Loaded | Scene | Step | Hits | About | null }
  | { id: number; error: string }
  /** Work under way, in words. */
  | { progress: string };
