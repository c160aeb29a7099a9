/** Text and sizes of the picture. Pure. */

/** As much of it as fits, with `…` for the rest. */
export function fitText(text: string, room: number, width: (text: string) => number): string {
  if (width(text) <= room) return text;
  let [fits, all] = [0, text.length];
  while (fits < all) {
    const middle = Math.ceil((fits + all) / 2);
    if (width(`${text.slice(0, middle)}…`) <= room) fits = middle;
    else all = middle - 1;
  }
  return `${text.slice(0, fits)}…`;
}

/** Without the backticks that mark code. */
export function plainText(text: string): string {
  return text.replaceAll("`", "");
}

/** Where chips of these widths lie, in lines no longer than `room`. */
export function wrapChips(widths: readonly number[], room: number): { x: number; line: number }[] {
  let [x, line] = [0, 0];
  return widths.map((width) => {
    if (x > 0 && x + width > room) {
      x = 0;
      line += 1;
    }
    const at = { x, line };
    x += width;
    return at;
  });
}

/** Browsers give no canvas with longer sides than this, or with more pixels. */
const MOST_SIDE = 16_000;
const MOST_PIXELS = 60_000_000;

/** Pixels per CSS pixel: two, for paper and sharp screens, unless the picture would be too large. */
export function pictureDensity(width: number, height: number): number {
  return Math.min(2, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
}
