"""Which profile session holds a trace's span: files as the profiler writes them, as far as ids go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_retrace_plugin.events import profile_sessions
from tb_retrace_plugin.events.profile_sessions import ProfileSessions

SESSION = "18e9fcf88b4f60a2-15206-1fea34"
SECOND = 1_000_000_000


def write(logdir: Path, run: str, *ids: str, host: str = "vm", written_s: float = 100.0) -> Path:
    directory, _, session = run.rpartition("/")
    path = logdir / directory / "plugins" / "profile" / session / f"{host}.xplane.pb"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = b"\x0a\x09/host:CPU"
    for text in ids:
        content += b"\x22\x05\x2a" + bytes([len(text)]) + text.encode() + b"7\x08\x01"
    path.write_bytes(content)
    os.utime(path, (written_s, written_s))
    return path


def test_the_run_is_named_as_the_profile_tab_names_it(tmp_path: Path) -> None:
    write(tmp_path, "2026_01_01", f"{SESSION}/1")
    write(tmp_path, "fit/deep/2026_01_02", f"{SESSION}/2", f"{SESSION}/31", host="a.b.c")
    write(tmp_path, "fit/2026_01_03", "another-session/3")
    profiles = ProfileSessions(str(tmp_path))
    found = {seq: profiles.run_with(SESSION, seq, 50 * SECOND) for seq in (1, 2, 3, 31, 317)}
    assert found == {1: "2026_01_01", 2: "fit/deep/2026_01_02", 3: None, 31: "fit/deep/2026_01_02", 317: None}


def test_of_copies_the_one_written_when_the_session_ended(tmp_path: Path) -> None:
    for name, written_s in (("b", 300.0), ("a", 101.0), ("c", 20.0)):
        write(tmp_path, f"{name}/s", f"{SESSION}/1", written_s=written_s)
    assert ProfileSessions(str(tmp_path)).run_with(SESSION, 1, 100 * SECOND) == "a/s"


def test_new_profiles_are_found_and_others_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = profile_sessions._seqs_in
    monkeypatch.setattr(
        profile_sessions, "_seqs_in", lambda file, session: (read.append(file.run), original(file, session))[1]
    )
    now = [0.0]
    profiles = ProfileSessions(str(tmp_path), clock=lambda: now[0])
    write(tmp_path, "one", f"{SESSION}/1")
    assert profiles.run_with(SESSION, 1, 0) == "one"
    assert profiles.run_with(SESSION, 2, 0) is None
    write(tmp_path, "two", f"{SESSION}/2")
    assert profiles.run_with(SESSION, 2, 0) is None  # so soon the directory is not gone through again
    now[0] = 60.0
    assert profiles.run_with(SESSION, 2, 0) == "two"
    assert read == ["one", "two"]


def test_what_is_no_profile_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "empty").write_bytes(b"")
    write(tmp_path, "cut").write_bytes(f"{SESSION}/".encode())
    write(tmp_path, "long").write_bytes(b"\xff" + f"{SESSION}/{'9' * 200}".encode())
    (tmp_path / "plugins" / "profile" / "note.xplane.pb").write_text(f"{SESSION}/1")
    (tmp_path / "loop").symlink_to(tmp_path)
    profiles = ProfileSessions(str(tmp_path))
    assert profiles.run_with(SESSION, 1, 0) is None
    assert ProfileSessions(str(tmp_path / "nowhere")).run_with(SESSION, 1, 0) is None
    write(tmp_path, "large", f"{SESSION}/1")
    monkeypatch.setattr(profile_sessions, "_MAX_BYTES", 10)
    assert ProfileSessions(str(tmp_path)).run_with(SESSION, 1, 0) is None
