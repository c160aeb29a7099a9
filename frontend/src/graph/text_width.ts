/** About how wide a text is in the sans-serif font at a size, without a canvas. Pure. */
export function textWidth(text: string, size: number, most = 200): number {
  let ems = 0;
  const length = Math.min(text.length, most);
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x2e7f) ems += 1;
    else if (NARROW.has(code)) ems += 0.31;
    else if (WIDE.has(code)) ems += 0.88;
    else if (code >= 65 && code <= 90) ems += 0.7;
    else ems += 0.575;
  }
  return ems * size;
}

const codes = (text: string): Set<number> => new Set([...text].map((sign) => sign.charCodeAt(0)));
const NARROW = codes("iljtfrI.,:;'|!()[] /-");
const WIDE = codes("mwMW@%—");
