"""With the keyboard alone: from opening TensorBoard to the copied fix; the focus is always seen and never caught."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.scenes import SCENES, Boards, open_boards
from tests.browser.tab import PATIENCE_MS, Tab

OpenTab = Callable[..., Tab]
MOST_STOPS = 160

#: What has the focus within the tab; null while it is in TensorBoard around it.
_FOCUSED = """() => {
  const at = document.hasFocus() ? document.activeElement : null;
  if (!at || at === document.body || at === document.documentElement) return null;
  window.stops ??= new Map();
  if (!window.stops.has(at)) window.stops.set(at, window.stops.size);
  return { stop: window.stops.get(at), html: at.outerHTML.slice(0, 160) };
}"""

#: Where to look for the sign of focus: the element's box, and a little around it, within the window.
_AROUND = """() => {
  const box = document.activeElement.getBoundingClientRect();
  const [left, top] = [Math.max(0, box.left - 5), Math.max(0, box.top - 5)];
  return {
    x: left, y: top,
    width: Math.min(innerWidth, box.right + 5) - left, height: Math.min(innerHeight, box.bottom + 5) - top,
  };
}"""

#: How many pixels differ between two pictures of the same size.
_DIFFERING = """async ([before, after]) => {
  const pixels = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  };
  const [one, other] = [await pixels(before), await pixels(after)];
  let differing = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) differing += 1;
  return differing;
}"""


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boards]:
    yield from open_boards(tmp_path_factory.mktemp("boards"))


def focused(tab: Tab) -> dict[str, object] | None:
    found: dict[str, object] | None = tab.frame.evaluate(_FOCUSED)
    return found


def press(tab: Tab, *keys: str) -> None:
    for key in keys:
        tab.page.keyboard.press(key)


def tab_until(tab: Tab, selector: str, key: str = "Tab") -> int:
    """Presses the key until the focus is there; how often."""
    for presses in range(1, MOST_STOPS):
        press(tab, key)
        if tab.frame.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
            return presses
    raise AssertionError(f"{key} does not lead to {selector}")


def test_from_opening_to_the_copied_fix(boards: Boards, open_tab: OpenTab) -> None:
    def prepare(page: Page) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    tab = SCENES["retrace chosen"].open(boards, open_tab, prepare=prepare)
    fix = tab.frame.locator(".advice pre").first.inner_text()
    tab = SCENES["overview of all"].open(boards, open_tab, prepare=prepare)
    tab_until(tab, "[role=listbox]")  # from TensorBoard's own bar, through the tab's toolbar
    for _ in range(9):  # to the trace that was lost, through those before
        press(tab, "ArrowRight")
        tab.settle()
        if "was traced again" in tab.by_id("trace-detail").inner_text():
            break
    expect(tab.by_id("sentence")).to_contain_text("because x changed shape", timeout=PATIENCE_MS)
    expect(tab.by_id("stack")).to_contain_text("loss = train_step(batch)")
    tab_until(tab, ".advice .copy")
    press(tab, "Enter")
    expect(tab.frame.locator(".advice .copy").first).to_have_text("Copied")
    assert tab.page.evaluate("navigator.clipboard.readText()") == fix
    assert fix.strip()
    press(tab, "Escape")
    expect(tab.by_id("start-here").first).to_be_visible()


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("retrace chosen", "light"), ("retrace chosen", "dark"), ("filters", "light"), ("function page", "dark"),
        ("compared runs", "light"), ("workers", "dark"), ("graphs", "light"), ("graphs", "dark"),
        ("no recording", "light"),
    ],
)  # fmt: skip
def test_the_focus_is_seen_at_every_stop_and_leaves_again(
    name: str, theme: str, boards: Boards, open_tab: OpenTab
) -> None:
    tab = SCENES[name].open(boards, open_tab)
    tab.set_dark(theme == "dark")
    tab.page.mouse.move(1, 1)
    pictures = tab.page.context.new_cdp_session(tab.page)
    seen: list[object] = []
    unseen: list[str] = []
    for _ in range(MOST_STOPS):
        press(tab, "Tab")
        stop = focused(tab)
        if stop is None:
            if seen:
                break  # out of the tab again
            continue
        assert stop["stop"] not in seen, f"the focus goes round in circles at {stop['html']}"
        seen.append(stop["stop"])
        if not shows_focus(tab, pictures):
            unseen.append(str(stop["html"]))
    else:
        raise AssertionError(f"the focus does not leave the tab: {len(seen)} stops")
    assert len(seen) > 2
    assert "\n".join(unseen) == ""
    for _ in range(len(seen) + 20):  # and all the way back, through TensorBoard's own bar
        press(tab, "Shift+Tab")
        stop = focused(tab)
        if stop is not None and stop["stop"] == seen[0]:
            return
    raise AssertionError("Shift+Tab does not lead back to where Tab began")


def shows_focus(tab: Tab, session: CDPSession) -> bool:
    """Whether the picture around the focused element changes with the focus: by half a line along it, or more."""
    tab.settle()
    clip = tab.frame.evaluate(_AROUND)
    frame = tab.page.locator("iframe[src*='retrace']").bounding_box()
    assert frame is not None
    if clip["width"] <= 0 or clip["height"] <= 0:
        return False
    clip["x"] += frame["x"]
    clip["y"] += frame["y"]
    element = tab.frame.evaluate_handle("document.activeElement").as_element()
    assert element is not None
    pictures = [picture(session, clip)]
    element.evaluate("element => element.blur()")
    tab.settle()
    pictures.append(picture(session, clip))
    element.focus()
    differing: int = tab.page.evaluate(_DIFFERING, pictures)
    return differing >= clip["width"] / 2


def picture(session: CDPSession, clip: dict[str, float]) -> str:
    """A PNG in base64; asked for by itself: what Playwright does around a screenshot takes longer than it."""
    options = {"format": "png", "optimizeForSpeed": True, "clip": {**clip, "scale": 1}}
    answer: dict[str, str] = session.send("Page.captureScreenshot", options)
    return answer["data"]


def test_the_help_gives_the_focus_back(boards: Boards, open_tab: OpenTab) -> None:
    tab = SCENES["overview of all"].open(boards, open_tab)
    tab_until(tab, "[aria-label='Keyboard help']")
    press(tab, "Enter")
    expect(tab.by_id("help")).to_be_visible()
    press(tab, "Escape")
    expect(tab.by_id("help")).to_have_count(0)
    stop = focused(tab)
    assert stop is not None
    assert "Keyboard help" in str(stop["html"])


def test_a_key_right_after_the_help_closed_is_not_lost(boards: Boards, open_tab: OpenTab) -> None:
    """A dialog says that it was closed in a later task: here the next key is pressed before."""
    tab = SCENES["retrace chosen"].open(boards, open_tab)
    press(tab, "?")
    expect(tab.by_id("help")).to_be_visible()
    expect(tab.frame.locator("[data-testid=trace-detail][data-seq]")).to_have_count(1)
    tab.frame.evaluate(
        """() => {
          document.querySelector("dialog[open]").close();
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
        }"""
    )
    expect(tab.frame.locator("[data-testid=trace-detail][data-seq]")).to_have_count(0)  # it was let go
    expect(tab.by_id("help")).to_have_count(0)
