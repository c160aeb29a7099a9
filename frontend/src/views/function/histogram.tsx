import type { JSX } from "preact";
import { count, plural } from "../../base/format";
import type { Histogram } from "../../data/function_page";

const HEIGHT = 26;

/** How often each size or number was traced, as bars. */
export function Bars({ histogram, what }: { histogram: Histogram; what: string }): JSX.Element {
  const { bars, low, high, distinct } = histogram;
  const most = Math.max(...bars.map((bar) => bar.count), 1);
  const label = `${what}: ${plural(distinct, "number")} from ${number(low)} to ${number(high)}`;
  return (
    <figure class="bars">
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map((bar, index) => {
          const height = bar.count > 0 ? Math.max(1.5, (bar.count / most) * HEIGHT) : 0;
          return (
            <rect key={index} x={index + 0.06} y={HEIGHT - height} width={0.88} height={height}>
              <title>{`${bar.from === bar.to ? number(bar.from) : `${number(bar.from)} to ${number(bar.to)}`}: ${plural(bar.count, "trace")}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span class="number">{number(low)}</span>
        <span>{what}</span>
        <span class="number">{number(high)}</span>
      </figcaption>
    </figure>
  );
}

/** A size, or a Python number with as many digits as tell something. */
export function number(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value < 0 ? `−${count(-value)}` : count(value);
  return `${Number(value.toPrecision(4))}`;
}
