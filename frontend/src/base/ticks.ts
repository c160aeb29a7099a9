/** Where to draw the lines of an axis. Pure. */

export interface Ticks {
  /** Distance between two ticks, in the axis's unit. */
  step: number;
  values: number[];
}

/** Round numbers (1, 2, 5 × 10ⁿ) in [from, to], at most about `most` of them; whole numbers only if `whole`. */
export function roundTicks(from: number, to: number, most: number, whole: boolean): Ticks {
  const span = to - from;
  if (!(span > 0) || most < 1) return { step: 1, values: [] };
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * 0.999_999) ?? 10;
  return between(from, to, whole ? Math.max(1, factor * power) : factor * power);
}

const TIME_STEPS_US = [1e6, 2e6, 5e6, 10e6, 15e6, 30e6, 60e6, 120e6, 300e6, 600e6, 900e6, 1800e6, 3600e6, 7200e6, 14400e6, 21600e6, 43200e6, 86400e6];

/** Ticks of a time axis in microseconds: round below a second and beyond a day, clock-like between. */
export function timeTicks(from: number, to: number, most: number): Ticks {
  const span = to - from;
  if (!(span > 0) || most < 1) return { step: 1, values: [] };
  const raw = span / most;
  if (raw <= 0.5e6) return roundTicks(from, to, most, false);
  const step = TIME_STEPS_US.find((candidate) => candidate >= raw);
  if (step !== undefined) return between(from, to, step);
  const days = roundTicks(from / 86400e6, to / 86400e6, most, true);
  return { step: days.step * 86400e6, values: days.values.map((value) => value * 86400e6) };
}

/** A tick of a time axis, as exact as `step` needs: `0`, `250 ms`, `1.5 s`, `2:05`, `2:05.3`, `1:02:05`. All in microseconds. */
export function timeLabel(us: number, step: number): string {
  if (us === 0) return "0";
  if (us < 0) return `−${timeLabel(-us, step)}`;
  if (step < 1e3 && us < 1e3) return `${round(us, step)} µs`;
  if (step < 1e6 && us < 1e6) return `${round(us / 1e3, step / 1e3)} ms`;
  const total = round(us / 1e6, step / 1e6);
  if (us < 60e6) return `${total} s`;
  const [whole, fraction] = total.split(".");
  const seconds = Number(whole);
  const two = (value: number): string => Math.floor(value).toString().padStart(2, "0");
  const rest = two(seconds % 60) + (fraction ? `.${fraction}` : "");
  const minutes = Math.floor((seconds % 3600) / 60);
  return seconds < 3600 ? `${minutes}:${rest}` : `${Math.floor(seconds / 3600)}:${two(minutes)}:${rest}`;
}

function between(from: number, to: number, step: number): Ticks {
  const values: number[] = [];
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index += 1) values.push(index * step + 0);
  return { step, values };
}

function round(value: number, step: number): string {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return value.toFixed(digits);
}
