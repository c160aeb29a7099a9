/**
 * Reading of JSON that may be older, newer or broken: every guard returns the value if it has the type, and a stated default if not.
 * Nothing here throws.
 */

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function asNumber(value: unknown, otherwise = 0): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function asFlag(value: unknown): boolean {
  return value === true;
}

/** An object's entries whose values are numbers. */
export function asCounts(value: unknown): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [key, entry] of Object.entries(asObject(value))) {
    const number = numberOrNull(entry);
    if (number !== null) counts[key] = number;
  }
  return counts;
}
