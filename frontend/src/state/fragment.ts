/**
 * The tab's state in TensorBoard's URL: `#retrace&p.retrace.axis=step&p.retrace.trace=…`. Pure; what belongs to others stays as it is.
 */

const TAB = "retrace";
const PREFIX = "p.retrace.";

export type Parameters = Record<string, string>;

export function readParameters(fragment: string): Parameters {
  const parameters: Parameters = {};
  for (const part of fragment.split("&")) {
    const equals = part.indexOf("=");
    if (!part.startsWith(PREFIX) || equals < 0) continue;
    parameters[part.slice(PREFIX.length, equals)] = decode(part.slice(equals + 1));
  }
  return parameters;
}

/** The fragment with these parameters instead of the tab's old ones; null if another tab is in view, whose URL is not ours. */
export function writeParameters(fragment: string, parameters: Parameters): string | null {
  const parts = fragment.split("&").filter((part) => part !== "");
  const tab = parts[0] && !parts[0].includes("=") ? parts.shift() : TAB;
  if (tab !== TAB) return null;
  const others = parts.filter((part) => !part.startsWith(PREFIX));
  const ours = Object.entries(parameters).map(([key, value]) => `${PREFIX}${key}=${encodeURIComponent(value)}`);
  return [TAB, ...others, ...ours].join("&");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
