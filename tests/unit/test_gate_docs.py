"""What docs/gate.md shows is what the program takes."""

from __future__ import annotations

import re
from pathlib import Path

from tb_retrace_plugin.analysis.budgets.budget import load_budget, read_budget

ROOT = Path(__file__).resolve().parents[2]
GATE = (ROOT / "docs" / "gate.md").read_text("utf-8")


def test_the_budget_on_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", GATE, re.S)
    (tmp_path / "retrace.toml").write_text(text)
    budget = load_budget(str(tmp_path / "retrace.toml"))
    assert (budget.warm_up_steps, set(budget.functions)) == (10, {"train_step", "data.py:augment"})


def test_every_key_is_in_the_table() -> None:
    from tb_retrace_plugin.analysis.budgets import budget

    table = GATE[GATE.index("| key, in `[all]`") : GATE.index("### JSON")]
    keys = re.findall(r"^\| `(\w+)` \| ", table, re.M)
    assert keys == list(budget._LIMITS)
    for key in keys:
        read_budget({"default": {key: [] if key == "causes" else 1}})


def test_every_field_of_a_retrace_is_in_the_table() -> None:
    from dataclasses import fields

    from tb_retrace_plugin.capture.on_retrace import Retrace

    table = GATE[GATE.index("| field of `Retrace` |") : GATE.index("Meant are retraces")]
    documented = re.findall(
        r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| `"))
    )
    public = [field.name for field in fields(Retrace) if not field.name.startswith("_")]
    assert sorted(documented) == sorted([*public, "explanation", "fix"])
