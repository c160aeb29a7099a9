"""The Retrace tab as its tests see it: by its `data-testid` hooks, and settled before anything is asked."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Frame,
    Locator,
    Page,
    Request,
    Response,
    ViewportSize,
    expect,
)

from tests.support.tensorboard_process import PATIENCE_SECONDS

PATIENCE_MS = PATIENCE_SECONDS * 1000
_DOCUMENT = "data/plugin_entry.html?name=retrace"
#: Of TensorBoard's bar above the tab, CSS pixels.
_BAR = 64
#: What is told 404, and is not the tab's: TensorBoard's own page asks for its fonts without the path prefix, and a
#: browser for the icon of a page that names none.
_NOT_OURS = ("/font-roboto/", "/favicon.ico")


def new_page(of: Browser | BrowserContext, **options: Any) -> Page:
    """Whose waiting is as patient as all others' is: Playwright's own 30 seconds are few on a busy machine."""
    page = of.new_page(**options)
    page.set_default_timeout(PATIENCE_MS)
    return page


def window_size(width: int, height: int, *, alone: bool) -> ViewportSize:
    """In which the tab is as high as in a window of that height with TensorBoard's bar."""
    return {"width": width, "height": height - _BAR if alone else height}


class Tab:
    """`complaints`: errors on the console (CSP violations are there too), uncaught exceptions, failed requests.

    `expected`: those that contain one of the texts given to `expect_complaints`: what a test brings about. The tab asks
    again every few seconds, so there may be more of them until the page is closed.

    `alone`: what TensorBoard serves for the tab's iframe is opened by itself. With TensorBoard's page around it the
    browser takes seven times as long to load it.
    """

    def __init__(self, page: Page, address: str, fragment: str = "retrace", *, alone: bool = False) -> None:
        self.page = page
        self.alone = alone
        self._found: Frame | None = None
        self.complaints: list[str] = []
        self.expected: list[str] = []
        self._expects: tuple[str, ...] = ()
        self._host = urlsplit(address).netloc
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._complain(f"uncaught: {error}"))
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.goto(f"{address}{_DOCUMENT if alone else ''}#{fragment}")

    @property
    def frame(self) -> Frame:
        """The tab's own document."""
        if self.alone:
            return self.page.main_frame
        if self._found is None or self._found.is_detached():  # to look for it takes as long as what it is asked
            handle = self.page.wait_for_selector(f"iframe[src*='{_DOCUMENT}']", state="attached")
            assert handle is not None
            self._found = handle.content_frame()
            assert self._found is not None
        return self._found

    def by_id(self, test_id: str) -> Locator:
        return self.frame.get_by_test_id(test_id)

    def settle(self, traces: int | None = None) -> None:
        """Waits until the tab is idle, holding `traces` traces if that is given."""
        held = "" if traces is None else f"[data-retrace-traces='{traces}']"
        self.frame.wait_for_selector(f"html[data-retrace-idle='true']{held}", state="attached", timeout=PATIENCE_MS)

    def resize(self, width: int, height: int) -> None:
        """To a window of that size, with TensorBoard's bar in it or, alone, without its height."""
        self.page.set_viewport_size(window_size(width, height, alone=self.alone))

    def row(self, seq: int) -> Locator:
        return self.frame.locator(f"[data-testid='trace-row'][data-seq='{seq}']")

    def choose(self, seq: int) -> None:
        """Chooses a trace in the list and waits for its detail."""
        self.row(seq).click()
        expect(self.by_id("change-table").or_(self.by_id("cost")).first).to_be_visible(timeout=PATIENCE_MS)
        self.settle()

    def set_dark(self, dark: bool) -> None:
        """As TensorBoard's own switch does."""
        self.page.evaluate("dark => document.body.classList.toggle('dark-mode', dark)", dark)
        self.settle()

    def expect_complaints(self, *texts: str) -> None:
        """Those that were made already, and those to come."""
        self._expects += texts
        made, self.complaints[:] = self.complaints[:], []
        for complaint in made:
            self._complain(complaint)

    def _complain(self, complaint: str) -> None:
        expected = any(text in complaint for text in self._expects)
        (self.expected if expected else self.complaints).append(complaint)

    def _on_console(self, message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        if message.type == "error" and not urlsplit(url).path.startswith(_NOT_OURS):
            self._complain(f"console: {message.text} ({url})")

    def _on_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https") and parts.netloc != self._host:
            self._complain(f"request to another host: {request.url}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400 and "retrace" in response.url:
            self._complain(f"status {response.status}: {response.url}")
