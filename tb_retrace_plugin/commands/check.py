"""`tb-retrace check LOGDIR --budget retrace.toml`: whether a recording stays within a budget, for CI."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.budgets.budget import BudgetError, load_budget
from tb_retrace_plugin.analysis.budgets.judge_budget import Judged, Judgement, judge
from tb_retrace_plugin.analysis.budgets.write_budget import budget_text
from tb_retrace_plugin.commands.junit import junit_of_error, junit_xml
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, open_logdir
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.explain.words.place import place_text

_CODES = {"within": 0, "over": 1, "unjudged": 2}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "check",
        help="fail if a recording is over a budget for traces",
        description="Judges recordings by a budget. Exits with 0 (within), 1 (over) or 2 (cannot judge).",
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with recordings")
    parser.add_argument("--budget", metavar="FILE", default="retrace.toml", help="default: retrace.toml (docs/gate.md)")
    parser.add_argument("--format", choices=("text", "json", "junit"), default="text", help="see docs/gate.md")
    parser.add_argument(
        "--write-budget", metavar="FILE", nargs="?", const="retrace.toml", help="write what was recorded as a budget"
    )
    parser.add_argument("--warm-up-steps", metavar="N", type=int, default=0, help="for --write-budget")
    parser.add_argument(
        "--libraries", action="store_true", help="for --write-budget: functions of Keras and others too"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Returns 0, 1 or 2 as the verb promises."""
    try:
        if args.write_budget is not None:
            return _write(args)
        budget = load_budget(args.budget)
        store = open_logdir(args.logdir, tell=False)
    except (BudgetError, NothingRecorded) as error:
        if args.format == "json":
            print(json.dumps({"schema": 1, "result": "unjudged", "error": str(error)}, indent=1))
        elif args.format == "junit":
            print(junit_of_error(str(error)))
        return fail("check", str(error))
    judgement = judge(store.sessions, budget, store.problems)
    make_printable(sys.stdout)
    if args.format == "json":
        print(json.dumps(judgement.to_json(), indent=1, allow_nan=False))
    elif args.format == "junit":
        print(junit_xml(judgement))
    else:
        for line in _lines(judgement, Style.of(sys.stdout)):
            print(line)
    return _CODES[judgement.result]


def _write(args: argparse.Namespace) -> int:
    if args.warm_up_steps < 0:
        return fail("check", "--warm-up-steps is a whole number from 0 on.")
    store = open_logdir(args.logdir)
    text = budget_text(store.sessions, warm_up_steps=args.warm_up_steps, libraries=args.libraries)
    if args.write_budget == "-":
        make_printable(sys.stdout)
        print(text, end="")
        return 0
    path = os.path.expanduser(args.write_budget)
    try:
        with open(path, "x", encoding="utf-8") as file:  # one that is there may have been written with care
            file.write(text)
    except FileExistsError:
        return fail("check", f"{path} is there already; remove it, or give another name.")
    except OSError as error:
        return fail("check", f"cannot write {path}: {error.strerror}.")
    print(f"Wrote {path}. From now on: tb-retrace check LOGDIR --budget {path}")
    return 0


def _lines(judgement: Judgement, style: Style) -> Iterator[str]:
    over = [one for one in judgement.judged if one.findings]
    runs = {one.session.run for one in judgement.judged}
    for one in over:
        for finding in one.findings:
            run = f"{one.session.run}: " if len(runs) > 1 else ""
            yield style.warn("over budget:") + " " + style.code(plain(run + finding.text))
            for line in finding.explanation:
                yield style.code(plain(line))
        yield ""
    for one in judgement.judged:
        if not one.findings:
            yield style.dim(plain(f"within: {_what(one)}: {one.traces:,} trace{'' if one.traces == 1 else 's'}"))
    for text in judgement.unsure:
        yield f"cannot judge: {plain(text)}"
    for text in judgement.notes:
        yield style.dim(f"note: {plain(text)}")
    functions = sum(one.function is not None for one in judgement.judged)
    said = {
        "over": f"OVER BUDGET: {len(over)} of {len(judgement.judged)} checks failed.",
        "unjudged": "CANNOT JUDGE.",
        "within": f"Within the budget: {functions} function{'' if functions == 1 else 's'}.",
    }
    yield style.bold(said[judgement.result])


def _what(one: Judged) -> str:
    return place_text(one.function).replace("`", "") if one.function is not None else "all functions together"
