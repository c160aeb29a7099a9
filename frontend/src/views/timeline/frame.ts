import { roundTicks, type Ticks, timeTicks } from "../../base/ticks";
import type { ViewWindow } from "../../base/view_window";
import type { Trace } from "../../data/digest";
import type { Axis } from "../../state/settings";
import type { Palette } from "./palette";
import type { Profile } from "./profiles";
import type { Chart } from "./rows";
import type { StepClock } from "./step_clock";

/** All that one picture of the timeline is made of. */
export interface Frame {
  chart: Chart;
  view: ViewWindow;
  axis: Axis;
  /** Size of the body canvas, CSS pixels; head and memory are as wide. */
  width: number;
  height: number;
  scrollTop: number;
  /** Where the axis begins. */
  left: number;
  palette: Palette;
  selected: Trace | null;
  hovered: Trace | null;
  /** 0 to 1: how far a trace has faded in. */
  presence: (trace: Trace) => number;
  /** By session. */
  clocks: ReadonlyMap<number, StepClock | null>;
  profiles: readonly Profile[];
  area: ViewWindow | null;
}

export function ticksOf({ axis, view, width, left }: Frame): Ticks {
  const most = Math.max(2, (width - left) / 90);
  return axis === "time" ? timeTicks(view.from, view.to, most) : roundTicks(view.from, view.to, most, true);
}
