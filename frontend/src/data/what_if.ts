import { asArray, asNumber, asObject, asText, numberOrNull, textOrNull } from "./guards";

/** What a change would leave of a function's recorded traces, as `GET what_if` gives it (docs/what_if.md). */
export interface WhatIfAnswer {
  sentence: string;
  tracesBefore: number;
  /** null: not known. */
  tracesAfter: number | null;
  served: number | null;
  refused: { seq: number; n: number; reason: string }[];
  refusedCount: number;
  /** Traces that would be made; null: not known. */
  stays: Set<number> | null;
  secondsSaved: number | null;
  code: string | null;
  caveats: string[];
}

export type Fate = "made" | "served" | "refused" | "unknown";

export function readWhatIf(answer: unknown): WhatIfAnswer {
  const json = asObject(answer);
  const stays = json["stays"];
  return {
    sentence: asText(json["sentence"]),
    tracesBefore: asNumber(json["traces_before"]),
    tracesAfter: numberOrNull(json["traces_after"]),
    served: numberOrNull(json["served"]),
    refused: asArray(json["refused"]).map((value) => {
      const call = asObject(value);
      return { seq: asNumber(call["seq"]), n: asNumber(call["n"]), reason: asText(call["reason"]) };
    }),
    refusedCount: asNumber(json["refused_count"]),
    stays: Array.isArray(stays) ? new Set(stays.map((seq) => asNumber(seq, -1))) : null,
    secondsSaved: numberOrNull(json["seconds_saved"]),
    code: textOrNull(json["code"]),
    caveats: asArray(json["caveats"]).map((text) => asText(text)),
  };
}

/** What would become of each recorded trace. Which calls are refused is listed up to a number only. */
export function fates(answer: WhatIfAnswer): (seq: number) => Fate {
  const refused = new Set(answer.refused.map((call) => call.seq));
  const allListed = answer.refusedCount <= refused.size;
  const { stays } = answer;
  return (seq) => {
    if (refused.has(seq)) return "refused";
    if (!stays) return "unknown";
    if (stays.has(seq)) return "made";
    return allListed ? "served" : "unknown";
  };
}
