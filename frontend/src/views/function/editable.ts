import type { FunctionPage } from "../../data/function_page";

/** What of a recorded signature a what-if can be asked about. Pure. */
export interface EditableLeaf {
  path: string;
  /** What each dimension was, as text; null: not a tensor. */
  sizes: string[] | null;
  /** Which of them varied. */
  varied: boolean[];
  dtype: string;
  number: boolean;
}

export interface Editable {
  varied: EditableLeaf[];
  constant: EditableLeaf[];
  /** How many arguments are neither tensor nor number. */
  fixed: number;
}

export function editableLeaves(page: FunctionPage): Editable {
  const varied: EditableLeaf[] = [];
  const constant: EditableLeaf[] = [];
  let fixed = 0;
  for (const leaf of page.leaves) {
    if (leaf.part !== "argument") continue;
    const dtypes = [...new Set(leaf.texts.map(dtypeOf))];
    const dimensions = leaf.dimensions?.map(({ histogram, unknown }) => ({
      size: histogram === null ? "None" : histogram.distinct === 1 ? `${histogram.low}` : `${histogram.low}…${histogram.high}`,
      varied: histogram !== null && (histogram.distinct > 1 || unknown > 0),
    }));
    if (!dimensions && !leaf.number) fixed += 1;
    else varied.push({ path: leaf.path, sizes: dimensions?.map(({ size }) => size) ?? null, varied: dimensions?.map((dimension) => dimension.varied) ?? [], dtype: dtypes.length === 1 ? dtypes[0]! : "", number: leaf.number });
  }
  for (const leaf of page.constant) {
    if (leaf.part !== "argument") continue;
    if (!leaf.shape && !leaf.number) fixed += 1;
    else constant.push({ path: leaf.path, sizes: leaf.shape?.map((size) => (size < 0 ? "None" : `${size}`)) ?? null, varied: leaf.shape?.map(() => false) ?? [], dtype: dtypeOf(leaf.text), number: leaf.number });
  }
  return { varied, constant, fixed };
}

function dtypeOf(text: string): string {
  return /^[a-z]+\d* (?=[(<])/.exec(text)?.[0].trim() ?? "";
}

/** Every size that varied unknown, every number that varied a tensor. */
export function withEverythingThatVaried(varied: readonly EditableLeaf[]): { unknown: string[]; tensors: string[] } {
  return {
    unknown: varied.flatMap((leaf) => leaf.varied.flatMap((did, index) => (did ? [`${leaf.path}[${index}]`] : []))),
    tensors: varied.filter((leaf) => leaf.number).map((leaf) => leaf.path),
  };
}

/** With the dimension, or without it if it was there; `x` stands for all of x's. */
export function toggled(unknown: readonly string[], path: string, leaf: EditableLeaf): string[] {
  const single = unknown.flatMap((one) => (one === leaf.path ? (leaf.sizes ?? []).map((_, index) => `${leaf.path}[${index}]`) : [one]));
  return single.includes(path) ? single.filter((one) => one !== path) : [...single, path];
}
