/** Numbers as people read them. All functions are pure; `null` means "not known" and is written as `UNKNOWN`. */

export const UNKNOWN = "–";

/** A duration in microseconds with three significant digits and its unit: `850 µs`, `12.3 ms`, `1.25 s`, `3 min 05 s`. */
export function duration(us: number | null): string {
  if (us === null || !Number.isFinite(us)) return UNKNOWN;
  const sign = us < 0 ? "−" : "";
  const value = Math.abs(us);
  if (value < 999.5) return `${sign}${Math.round(value)} µs`;
  if (value < 999_500) return `${sign}${significant(value / 1e3)} ms`;
  if (value < 99_950_000) return `${sign}${significant(value / 1e6)} s`;
  const seconds = Math.round(value / 1e6);
  if (seconds < 3600) return `${sign}${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(value / 60e6);
  return `${sign}${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** Seconds as a duration. */
export function seconds(value: number | null): string {
  return duration(value === null ? null : value * 1e6);
}

/** An integer with thin separators: `12 345`. */
export function count(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return UNKNOWN;
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** `1 trace`, `2 traces`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Bytes in binary units: `93.2 KiB`. */
export function bytes(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return UNKNOWN;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const sign = value < 0 ? "−" : "";
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= 1023.5 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${sign}${unit === 0 ? Math.round(rest) : significant(rest)} ${units[unit]}`;
}

/** As it stands at the beginning of a line. */
export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The last part of a path, of either kind of separator. */
export function basename(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts[parts.length - 1] || path;
}

/** `train.py:12`; without a line only the file, without a file nothing. */
export function place(file: string, line: number): string {
  if (!file) return "";
  return line > 0 ? `${basename(file)}:${line}` : basename(file);
}

/** Local time of day and date of unix nanoseconds given as decimal digits; "" if they are none. */
export function wallClock(ns: string): string {
  if (!/^\d{1,20}$/.test(ns)) return "";
  const date = new Date(Number(BigInt(ns) / 1_000_000n));
  if (Number.isNaN(date.getTime()) || date.getTime() === 0) return "";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function significant(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

function two(value: number): string {
  return value.toString().padStart(2, "0");
}
