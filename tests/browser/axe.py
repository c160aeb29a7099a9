"""axe-core, from `frontend/node_modules`, on the tab's own document."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Frame

from build_backend import frontend_bundle

_SOURCE = frontend_bundle.FRONTEND / "node_modules" / "axe-core" / "axe.min.js"

_RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations", "incomplete", "passes"] });
  const told = ({ id, help, nodes }) => nodes.map((node) => ({
    rule: id, help, html: node.html.slice(0, 200), target: node.target.join(" "),
    why: [...node.any, ...node.all, ...node.none].map((check) => check.message).join("; "),
    data: node.any.map((check) => check.data),
  }));
  return {
    violations: found.violations.flatMap(told), incomplete: found.incomplete.flatMap(told), passes: found.passes.length,
  };
}"""


def run_axe(frame: Frame) -> dict[str, Any]:
    """`violations` and `incomplete` (what axe cannot judge), one per element; `passes`: how many rules passed."""
    assert _SOURCE.is_file(), "axe-core is not installed: .venv/bin/python build_backend/frontend_bundle.py test"
    if not frame.evaluate("'axe' in window"):
        frame.evaluate(_SOURCE.read_text("utf-8"))  # TensorBoard's policy lets no script tag in
    found: dict[str, Any] = frame.evaluate(_RUN)
    return found


def in_words(results: list[dict[str, Any]]) -> list[str]:
    """One line an element."""
    return [f"{result['rule']}: {result['target']} {result['html']} — {result['why']}" for result in results]
