"""What a picture of the tab must have, whatever the fonts: nothing cut, nothing on top of another, something drawn."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Frame, Page

_LAYOUT = """() => {
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) problems.push(`the page is ${root.scrollWidth} wide in a window of ${innerWidth}`);
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";
  const say = (node) => JSON.stringify(node.data.trim().slice(0, 60)) + " in " + node.parentElement.outerHTML.slice(0, 120);
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement;
    if (node.data.trim() === "" || of.closest("option, script, style, .visually-hidden")) continue;
    if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      if (right - left < 1) continue;
      let seen = { left, top, right, bottom };
      let cut = "";
      for (let up = of; up && up !== document.body; up = up.parentElement) {
        const style = getComputedStyle(up);
        const box = up.getBoundingClientRect();
        const beside = seen.left < box.left - 1.5 || seen.right > box.right + 1.5;
        const above = seen.top < box.top - 3 || seen.bottom > box.bottom + 3;
        // A name may end in an ellipsis; a number may not: the rest is another number.
        const ends = style.textOverflow === "ellipsis" && !up.matches(".right");
        if (beside && hides(style.overflowX) && !ends) cut ||= "cut at the side";
        if (above && hides(style.overflowY)) cut ||= "cut above or below";
        if (style.overflowX !== "visible") [seen.left, seen.right] = [Math.max(seen.left, box.left), Math.min(seen.right, box.right)];
        if (style.overflowY !== "visible") [seen.top, seen.bottom] = [Math.max(seen.top, box.top), Math.min(seen.bottom, box.bottom)];
        if (style.position === "fixed") break;
        if (hides(style.overflowY) || style.overflowY === "visible") continue;
        // What has been scrolled below a head that stays.
        for (const head of up.children)
          if (getComputedStyle(head).position === "sticky" && !head.contains(of)) seen.top = Math.max(seen.top, head.getBoundingClientRect().bottom);
      }
      if (cut) problems.push(`${cut}: ${say(node)}`);
      if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) texts.push({ node, ...seen });
    }
  }
  const touch = (a, b, by) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > by && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;
  const modal = document.querySelector("dialog[open], .export-menu");
  const apart = texts.filter(({ node }) => !modal || modal.contains(node));
  apart.forEach((a, index) => {
    for (const b of apart.slice(index + 1)) if (a.node !== b.node && touch(a, b, 3)) problems.push(`on top of another: ${say(a.node)} and ${say(b.node)}`);
  });
  const controls = [...document.querySelectorAll("button, input, select, a[href], summary")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }) && (!modal || modal.contains(control)))
    .map((control) => ({ control, ...control.getBoundingClientRect().toJSON() }))
    .filter(({ control, right, bottom }) => right > 0 && bottom > 0 && control.closest("header, .timeline-title, .toolbar"));
  controls.forEach((a, index) => {
    if (a.right > innerWidth + 1) problems.push(`beyond the window: ${a.control.outerHTML.slice(0, 120)}`);
    for (const b of controls.slice(index + 1))
      if (touch(a, b, 1) && !a.control.contains(b.control)) problems.push(`controls on top of one another: ${a.control.outerHTML.slice(0, 120)} and ${b.control.outerHTML.slice(0, 120)}`);
  });
  return [...new Set(problems)];
}"""  # noqa: E501

#: Counts, in every frame, what is drawn with a pattern, and the texts on canvases.
_WATCH = """(() => {
  const drawn = window.retraceDrawn = { patterns: 0, texts: [] };
  const pen = CanvasRenderingContext2D.prototype;
  for (const name of ["fillRect", "fill"]) {
    const as = pen[name];
    pen[name] = function (...given) {
      if (this.fillStyle instanceof CanvasPattern) drawn.patterns += 1;
      return as.apply(this, given);
    };
  }
  const write = pen.fillText;
  pen.fillText = function (text, ...given) {
    if (drawn.texts.length < 10_000) drawn.texts.push(String(text));
    return write.call(this, text, ...given);
  };
})();"""

_CANVASES = """() => {
  const style = getComputedStyle(document.documentElement);
  const names = [...document.styleSheets, ...document.adoptedStyleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule.selectorText === ":root").flatMap((rule) => [...rule.style]).filter((name) => name.startsWith("--cause-"));
  const number = (name) => parseInt(style.getPropertyValue(name).trim().slice(1), 16);
  const causes = new Map(names.map((name) => [number(name), name]));
  return [...document.querySelectorAll("canvas")].filter((canvas) => canvas.checkVisibility() && canvas.width && canvas.height).map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4) colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return { colours: colours.size, causes: [...colours].flatMap((colour) => causes.get(colour) ?? []) };
  });
}"""  # noqa: E501


#: Of each row that is whole in view its commonest cause, and at which heights that cause's colour is drawn.
_RULED = """() => {
  const style = getComputedStyle(document.documentElement);
  const causes = [...document.querySelectorAll("[data-testid=cause-chip]")].map((chip) => chip.style.getPropertyValue("--cause").slice(4, -1));
  const canvas = document.querySelector(".timeline-plot canvas");
  const pen = canvas.getContext("2d");
  const { top, bottom } = canvas.getBoundingClientRect();
  return [...document.querySelectorAll("[data-testid=timeline-row]")].flatMap((row) => {
    const box = row.getBoundingClientRect();
    if (box.top < top || box.bottom > bottom) return [];
    const tall = Math.floor(box.height);
    const { data } = pen.getImageData(0, Math.round(box.top - top), canvas.width, tall);
    const drawn = causes.map((cause) => {
      const colour = parseInt(style.getPropertyValue(cause).trim().slice(1), 16);
      const counts = new Array(tall).fill(0);
      for (let at = 0; at < data.length; at += 4)
        if (((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]) === colour) counts[Math.floor(at / 4 / canvas.width)] += 1;
      return { cause, counts, sum: counts.reduce((a, b) => a + b, 0) };
    });
    const { cause, counts } = drawn.reduce((a, b) => (b.sum > a.sum ? b : a));
    return [[cause, counts.map((count) => (count > Math.max(...counts) / 2 ? "#" : ".")).join("").replace(/^\\.+|\\.+$/g, "")]];
  });
}"""  # noqa: E501


@dataclass(frozen=True)
class Drawn:
    """`colours`: their number on each canvas; `causes`: tokens of those on any; `patterns`: how many fills with one."""

    colours: list[int]
    causes: set[str]
    patterns: int
    texts: set[str]


def watch_drawing(page: Page) -> None:
    """Before the page is opened."""
    page.add_init_script(_WATCH)


def layout_problems(frame: Frame) -> list[str]:
    """Texts and controls that are cut, beyond the window or on top of one another; one line each."""
    problems: list[str] = frame.evaluate(_LAYOUT)
    return problems


def rows_ruled(frame: Frame) -> list[tuple[str, str]]:
    """Of each row that is whole in view its commonest cause, and how it is drawn, from top to bottom: `####..####`."""
    return [(cause, ruled) for cause, ruled in frame.evaluate(_RULED)]


def what_is_drawn(frame: Frame) -> Drawn:
    canvases = frame.evaluate(_CANVASES)
    drawn = frame.evaluate("window.retraceDrawn")
    causes = {cause for canvas in canvases for cause in canvas["causes"]}
    return Drawn([canvas["colours"] for canvas in canvases], causes, drawn["patterns"], set(drawn["texts"]))
