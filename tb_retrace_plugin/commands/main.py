"""`tb-retrace`: one file per verb, each with `add_parser(subparsers)`, which sets `main(args) -> int` as a default."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tb_retrace_plugin.commands import check, compare, compare_graphs, graphs_tab, report, run, try_, what_if
from tb_retrace_plugin.version import __version__

#: As the shell tells of a program whose reader has gone, such as `| head`.
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one verb. Returns its exit code: 0, 1 where a verb says no, 2 for what the user must set right.

    141 if nobody reads on.
    """
    parser = argparse.ArgumentParser(
        prog="tb-retrace",
        description="Find out which tf.function was traced again, when, from where, because of what, at what cost.",
    )
    parser.add_argument("--version", action="version", version=f"tb-retrace {__version__}")
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in (run, report, compare, check, what_if, try_, compare_graphs, graphs_tab):
        verb.add_parser(subparsers)
    args = parser.parse_args(argv)
    try:
        code: int = args.main(args)
        sys.stdout.flush()
    except BrokenPipeError:
        if args.verb == "run":  # it may be the program's own
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to flush at exit
        return _BROKEN_PIPE
    return code
