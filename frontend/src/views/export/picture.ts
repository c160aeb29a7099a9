import { count, duration, place, plural, wallClock } from "../../base/format";
import { isFiltered, sessionName } from "../../state/filters";
import { axis, filters, functions, inScope, pickedSession, sessions, settings, shown, summary } from "../../state/store";
import { causeOf, CAUSE_ORDER, causeWord } from "../../data/words";
import { filterWords } from "../header/filtered_line";
import { drawBody } from "../timeline/draw";
import { drawHead, headHeight } from "../timeline/draw_head";
import { drawMemory, MEMORY_HEIGHT } from "../timeline/draw_memory";
import type { Frame } from "../timeline/frame";
import { chart, clocks, curves, hasSteps, memoryShown, plotLeft, profiles, range, view } from "../timeline/model";
import { type Palette, readPalette } from "../timeline/palette";
import { HEADING_HEIGHT, type Row, rowAt } from "../timeline/rows";
import { fitText, pictureDensity, plainText, wrapChips } from "./text";

/** The timeline as a picture: what it shows now, all of its rows, with names, title and legend, in the current theme. */

const NAMES_WIDTH = 248;
const LEAST_WIDTH = 700;
const MARGIN = 16;
const TITLE_HEIGHT = 58;
const LEGEND_LINE = 24;
const NOTE_HEIGHT = 26;
/** Of a cause's sign in the legend: its letter, then how a narrow span of it looks. */
const SIGN_WIDTH = 28;
/** CSS pixels; canvases have their limits. */
const MOST_HEIGHT = 15_000;

export async function timelinePicture(): Promise<{ content: Blob; name: string }> {
  const canvas = drawPicture();
  const content = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!content) throw new Error("The browser made no picture.");
  return { content, name: "retrace-timeline.png" };
}

function drawPicture(): HTMLCanvasElement {
  const shownNow = chart.peek();
  const plot = Math.max(LEAST_WIDTH, document.querySelector("[data-testid=timeline] .timeline-plot")?.clientWidth ?? 0);
  const width = NAMES_WIDTH + plot;
  const head = headHeight(hasSteps.peek());
  const body = Math.max(24, Math.min(shownNow.height, MOST_HEIGHT));
  const memory = memoryShown.peek() && range.peek() ? MEMORY_HEIGHT : 0;
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("The browser has no canvas.");
  const palette = readPalette(document.documentElement, pen);
  pen.font = `12px ${palette.sans}`;
  const causes = shownCauses();
  const legend = wrapChips(
    causes.map((cause) => SIGN_WIDTH + 9 + pen.measureText(causeWord(cause).label).width),
    width - 2 * MARGIN,
  );
  const lines = (legend[legend.length - 1]?.line ?? -1) + 1;
  const height = TITLE_HEIGHT + head + body + memory + lines * LEGEND_LINE + NOTE_HEIGHT;

  const density = pictureDensity(width, height);
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  pen.scale(density, density);
  pen.fillStyle = palette.background;
  pen.fillRect(0, 0, width, height);
  drawTitle(pen, palette, width);

  const frame: Frame = {
    chart: shownNow,
    view: view.peek(),
    axis: axis.peek(),
    width: plot,
    height: body,
    scrollTop: 0,
    left: plotLeft.peek(),
    palette,
    selected: null,
    hovered: null,
    presence: () => 1,
    clocks: clocks.peek(),
    profiles: profiles.peek(),
    area: settings.peek().area,
  };
  let y = TITLE_HEIGHT;
  part(pen, density, NAMES_WIDTH, y, plot, head, (own) => drawHead(own, frame, head));
  y += head;
  part(pen, density, NAMES_WIDTH, y, plot, body, (own) => drawBody(own, frame));
  drawNames(pen, palette, y, body);
  y += body;
  const scale = range.peek();
  if (memory && scale) {
    part(pen, density, NAMES_WIDTH, y, plot, memory, (own) => drawMemory(own, frame, curves.peek(), scale, null));
    pen.font = `12px ${palette.sans}`;
    pen.fillStyle = palette.muted;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.fillText("Process memory", MARGIN, y + memory / 2);
    y += memory;
  }
  pen.fillStyle = palette.line;
  pen.fillRect(NAMES_WIDTH - 1, TITLE_HEIGHT, 1, y - TITLE_HEIGHT);
  for (const edge of [TITLE_HEIGHT, y]) pen.fillRect(0, edge, width, 1);
  causes.forEach((cause, index) => drawChip(pen, palette, cause, MARGIN + legend[index]!.x, y + legend[index]!.line * LEGEND_LINE + LEGEND_LINE / 2 + 3));
  drawNote(pen, palette, height, width, shownNow.height > body ? shownNow.rows.length - rowAt(shownNow, body) : 0);
  return canvas;
}

/** On a canvas of its own: what draws it clears and clips as it likes. */
function part(pen: CanvasRenderingContext2D, density: number, x: number, y: number, width: number, height: number, draw: (own: CanvasRenderingContext2D) => void): void {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const own = canvas.getContext("2d");
  if (!own) return;
  own.scale(density, density);
  draw(own);
  pen.drawImage(canvas, x, y, width, height);
}

function drawTitle(pen: CanvasRenderingContext2D, palette: Palette, width: number): void {
  const picked = pickedSession.peek() ?? (sessions.peek().length === 1 ? sessions.peek()[0]! : null);
  const started = picked ? wallClock(picked.startedNs) : "";
  const scope = picked ? [sessionName(picked), started].filter(Boolean).join(" · ") : plural(sessions.peek().length, "session");
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  pen.fillStyle = palette.text;
  pen.font = `500 16px ${palette.sans}`;
  pen.fillText(fitText(plainText(summary.peek()?.sentence ?? ""), width - 2 * MARGIN, measure(pen)), MARGIN, 25);
  pen.fillStyle = palette.muted;
  pen.font = `12px ${palette.sans}`;
  pen.fillText(fitText(`${scope} · ${plural(shown.peek().traces.length, "trace")}, ${plural(chart.peek().rows.length, "function")}`, width - 2 * MARGIN, measure(pen)), MARGIN, 45);
}

function drawNames(pen: CanvasRenderingContext2D, palette: Palette, top: number, height: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(0, top, NAMES_WIDTH - 1, height);
  pen.clip();
  pen.textBaseline = "middle";
  for (const row of chart.peek().rows) {
    if (row.top >= height) break;
    if (row.heads) {
      const session = sessions.peek()[row.session];
      pen.fillStyle = palette.raised;
      pen.fillRect(0, top + row.top, NAMES_WIDTH, HEADING_HEIGHT);
      pen.fillStyle = palette.muted;
      pen.textAlign = "left";
      pen.font = `600 12px ${palette.sans}`;
      pen.fillText(fitText(session ? sessionName(session) : "?", NAMES_WIDTH - 2 * MARGIN, measure(pen)), MARGIN, top + row.top + HEADING_HEIGHT / 2);
    }
    drawName(pen, palette, row, top + row.body);
  }
  pen.restore();
}

function drawName(pen: CanvasRenderingContext2D, palette: Palette, row: Row, y: number): void {
  const of = functions.peek()[row.function];
  const right = NAMES_WIDTH - 10;
  const line = (left: string, beside: string, at: number, font: string, colours: [string, string]): void => {
    pen.font = font;
    pen.fillStyle = colours[1];
    pen.textAlign = "right";
    pen.fillText(beside, right, at);
    const room = right - MARGIN - 8 - pen.measureText(beside).width;
    pen.fillStyle = colours[0];
    pen.textAlign = "left";
    pen.fillText(fitText(left, room, measure(pen)), MARGIN, at);
  };
  line(row.name, `${count(row.traces.length)}×`, y + 14, `${of?.library ? "italic " : "500 "}13px ${palette.sans}`, [palette.text, palette.text]);
  line((of && place(of.file, of.line)) || "", row.lostUs > 0 ? duration(row.lostUs) : "–", y + 30, `12px ${palette.sans}`, [palette.muted, palette.muted]);
  pen.fillStyle = palette.line;
  pen.fillRect(0, y + row.height - 1, NAMES_WIDTH, 1);
}

/** Those of the shown traces, the most telling first. */
function shownCauses(): string[] {
  const rank = (cause: string): number => (CAUSE_ORDER.includes(cause) ? CAUSE_ORDER.indexOf(cause) : CAUSE_ORDER.length);
  return [...new Set(shown.peek().traces.map(causeOf))].sort((a, b) => rank(a) - rank(b));
}

function drawChip(pen: CanvasRenderingContext2D, palette: Palette, cause: string, x: number, y: number): void {
  const word = causeWord(cause);
  pen.fillStyle = palette.cause(cause);
  pen.beginPath();
  pen.roundRect(x, y - 8, 16, 16, 4);
  pen.fill();
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  pen.font = `700 11px ${palette.sans}`;
  pen.fillStyle = palette.onCause;
  pen.fillText(word.letter, x + 8, y + 0.5);
  pen.translate(x + 19, y - 8);
  pen.fillStyle = palette.narrow(cause, palette.cause(cause), 16);
  pen.fillRect(0, 0, 4, 16);
  pen.translate(-x - 19, 8 - y);
  pen.textAlign = "left";
  pen.font = `12px ${palette.sans}`;
  pen.fillStyle = palette.text;
  pen.fillText(word.label, x + SIGN_WIDTH, y + 0.5);
}

/** What is missing from the picture, so that it stands for itself. */
function drawNote(pen: CanvasRenderingContext2D, palette: Palette, height: number, width: number, rowsLeftOut: number): void {
  const hidden = isFiltered(filters.peek()) ? `Filtered: ${count(shown.peek().traces.length)} of ${count(inScope.peek().length)} traces · ${filterWords(filters.peek()).join(" · ")}` : "";
  const cut = rowsLeftOut > 0 ? `${plural(rowsLeftOut, "function")} more did not fit` : "";
  const text = [`Retrace · ${axis.peek() === "time" ? "time since each session's start" : "training steps"}`, hidden, cut].filter(Boolean).join(" · ");
  pen.font = `12px ${palette.sans}`;
  pen.fillStyle = palette.muted;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(fitText(text, width - 2 * MARGIN, measure(pen)), MARGIN, height - NOTE_HEIGHT / 2);
}

function measure(pen: CanvasRenderingContext2D): (text: string) => number {
  return (text) => pen.measureText(text).width;
}
