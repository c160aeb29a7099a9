from __future__ import annotations

from pathlib import Path

from tb_retrace_plugin.backend.static_files import list_static_files


def test_files_of_known_types_are_listed_by_route(tmp_path: Path) -> None:
    for name in ("index.js", "static/view-abc123.js", "static/a.css", "static/a.wasm"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    assert list_static_files(str(tmp_path)) == {
        "/index.js": (str(tmp_path / "index.js"), "text/javascript"),
        "/static/view-abc123.js": (str(tmp_path / "static/view-abc123.js"), "text/javascript"),
        "/static/a.css": (str(tmp_path / "static/a.css"), "text/css"),
        "/static/a.wasm": (str(tmp_path / "static/a.wasm"), "application/wasm"),
    }


def test_other_files_and_odd_names_are_not_served(tmp_path: Path) -> None:
    for name in (".digest", "notes.txt", "page.html", "a*.js", ".hidden.js", "two words.js"):
        (tmp_path / name).write_text("x")
    assert list_static_files(str(tmp_path)) == {}


def test_a_bundle_that_was_not_built_is_an_empty_list(tmp_path: Path) -> None:
    assert list_static_files(str(tmp_path / "nothing")) == {}
