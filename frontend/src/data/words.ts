/**
 * The words of the records (`tb_retrace_plugin/schema/vocabulary.py`) as the tab shows them. A word that is not known is shown as it is.
 */

export interface CauseWord {
  /** Short name for badges and chips. */
  label: string;
  /** One character drawn on the span, so that colour is not the only sign. */
  letter: string;
  /** One line for tooltips. */
  meaning: string;
  /** Name of the colour, `--cause-<colour>` in `base/theme.css`. */
  colour: string;
}

const CAUSE_WORDS: Record<string, CauseWord> = {
  shape: { label: "shape", letter: "S", meaning: "a tensor with other dimensions", colour: "shape" },
  rank: { label: "rank", letter: "R", meaning: "a tensor with another number of dimensions", colour: "rank" },
  dtype: { label: "dtype", letter: "D", meaning: "a tensor of another dtype", colour: "dtype" },
  python_value: { label: "Python value", letter: "V", meaning: "another Python value: each is a constant in the graph", colour: "python-value" },
  python_type: { label: "Python type", letter: "T", meaning: "another Python type, or a Python value where a tensor was", colour: "python-type" },
  structure: { label: "structure", letter: "{", meaning: "a container of another type, length or with other keys", colour: "structure" },
  object_identity: { label: "other object", letter: "O", meaning: "another Python object, compared by identity", colour: "object-identity" },
  variable_identity: {
    label: "variable identity",
    letter: "=",
    meaning: "variables that are the same object where they were not, or the reverse",
    colour: "variable-identity",
  },
  composite_spec: {
    label: "composite spec",
    letter: "P",
    meaning: "another specification of a composite tensor, dataset iterator or custom type",
    colour: "composite-spec",
  },
  capture: { label: "capture", letter: "C", meaning: "another captured value", colour: "capture" },
  context: { label: "context", letter: "X", meaning: "another place of tracing: device, strategy, graph, XLA or SavedModel", colour: "context" },
  recreated_function: { label: "new function object", letter: "N", meaning: "a new tf.function object for the same code", colour: "recreated-function" },
  variable_creation: {
    label: "variable creation",
    letter: "2",
    meaning: "the first call created variables, which needs a second trace",
    colour: "variable-creation",
  },
  unknown: { label: "unknown", letter: "?", meaning: "not to be told from what TensorFlow shows", colour: "unknown" },
  // Not a cause: what stands for one where a trace has none.
  first: { label: "first trace", letter: "1", meaning: "the first trace of this code", colour: "first" },
};

/** The order of chips and legends: the most telling first. */
export const CAUSE_ORDER = Object.keys(CAUSE_WORDS);

export function causeWord(cause: string): CauseWord {
  const known = Object.hasOwn(CAUSE_WORDS, cause) ? CAUSE_WORDS[cause] : undefined;
  return known ?? { label: cause.replaceAll("_", " "), letter: "?", meaning: "a cause that this version of the tab does not know", colour: "unknown" };
}

/** What a trace is coloured and filtered by: its first cause, else (a first trace has none) its kind. */
export function causeOf(trace: { cause: string | null; kind: string }): string {
  if (trace.cause !== null) return trace.cause;
  return trace.kind === "recreated" ? "recreated_function" : trace.kind === "retrace" ? "unknown" : trace.kind;
}

const KIND_LABELS: Record<string, string> = {
  first: "first",
  variable_creation: "variable creation",
  retrace: "retrace",
  recreated: "re-created",
};

export function kindLabel(kind: string): string {
  return (Object.hasOwn(KIND_LABELS, kind) ? KIND_LABELS[kind] : undefined) ?? kind.replaceAll("_", " ");
}

const VERDICT_MEANINGS: Record<string, string> = {
  needed: "There is no way round it.",
  bounded: "It happens a small, fixed number of times.",
  avoidable: "A change to the program removes it.",
  unknown: "What was recorded does not tell.",
};

export function verdictMeaning(verdict: string): string {
  return (Object.hasOwn(VERDICT_MEANINGS, verdict) ? VERDICT_MEANINGS[verdict] : undefined) ?? "";
}
