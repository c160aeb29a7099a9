"""`tb-retrace what-if LOGDIR --function F …`: how many recorded traces a change would have served."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.pages.what_if import Change, WhatIfError, what_if
from tb_retrace_plugin.analysis.sessions.select import is_called
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, names_text, open_logdir
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.explain.what_if.input_signature import InputSignatureError
from tb_retrace_plugin.explain.words.place import place_text

#: Refused calls that are written out.
_REFUSED_SHOWN = 5


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "what-if",
        help="ask how many recorded traces a change to a function would have served",
        description="Replays the recorded traces of a function by TensorFlow's rules, under a change. Nothing is run.",
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with recordings")
    parser.add_argument("--function", required=True, metavar="F", help="a function's name, or file.py:line")
    parser.add_argument("--input-signature", default="", metavar="CODE", help="such as '[tf.TensorSpec([None, 10])]'")
    parser.add_argument("--reduce-retracing", action="store_true", help="declare it with reduce_retracing=True")
    parser.add_argument(
        "--unknown", action="append", default=[], metavar="X", help="x[0]: a dimension of unknown size; x: all of x's"
    )
    parser.add_argument(
        "--tensor", action="append", default=[], metavar="X", help="a Python number passed as a tensor; or lr=float32"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: see docs/what_if.md")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Prints one answer per recording with the function. Returns 0; 2 if the question cannot be answered."""
    change = Change(args.input_signature, args.reduce_retracing, tuple(args.unknown), tuple(args.tensor))
    try:
        store = open_logdir(args.logdir)
        groups = [group for group in store.functions if is_called(group.function, args.function)]
        if not groups:
            names = list(dict.fromkeys(group.function.qualname for group in store.functions))
            return fail("what-if", f"no function {args.function!r} in the recording. Recorded: {names_text(names)}.")
        places = list(dict.fromkeys(f"{g.function.file}:{g.function.line}" for g in groups))
        if len(places) > 1:
            return fail("what-if", f"{args.function!r} names several functions: {names_text(places)}. Say which.")
        answers = [what_if(group, change) for group in groups]
    except (NothingRecorded, WhatIfError, InputSignatureError) as error:
        return fail("what-if", str(error))
    make_printable(sys.stdout)
    if args.format == "json":
        print(json.dumps({"schema": answers[0]["schema"], "answers": answers}, indent=1, allow_nan=False))
        return 0
    style = Style.of(sys.stdout)
    for group, answer in zip(groups, answers, strict=True):
        if len(groups) > 1:
            print(style.code(plain(f"{group.session.run}: {place_text(group.function)}")))
        for line in _lines(answer, style):
            print(line)
    return 0


def _lines(answer: dict[str, Any], style: Style) -> Iterator[str]:
    yield style.bold(style.code(plain(answer["sentence"])))
    for line in (answer["code"] or "").splitlines():
        yield f"  {plain(line)}"
    refused = answer["refused"]
    for call in refused[:_REFUSED_SHOWN]:
        yield f"  does not fit: trace #{call['n']}: {style.code(plain(call['reason']))}"
    if (more := answer["refused_count"] - len(refused[:_REFUSED_SHOWN])) > 0:
        yield style.dim(f"  … and {more} more that do not fit")
    for caveat in answer["caveats"]:
        yield style.dim(f"  note: {plain(caveat)}")
