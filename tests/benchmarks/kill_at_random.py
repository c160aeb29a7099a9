"""`kill -9` at random moments: is every trace that was finished before readable?

`.venv/bin/python -m tests.benchmarks.kill_at_random [times]`. Bar of the project: 100 of 100.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.support.killed import kill


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", type=int, nargs="?", default=100, help="how often one is killed")
    times = parser.parse_args().times
    dice = random.Random(11)
    finished = lost = cut = bad = 0
    with tempfile.TemporaryDirectory() as directory:
        for number in range(times):
            killed = kill(Path(directory) / str(number), dice)
            finished, lost, cut = finished + killed.finished, lost + len(killed.lost), cut + killed.cut
            if killed.lost or killed.problems:
                bad += 1
                print(f"kill {number}: of {killed.finished} finished {killed.lost} lost; {killed.problems}", flush=True)
    print(
        f"{times - bad} of {times} kills: every finished trace readable; {finished:,} finished, {lost} lost,"
        f" {cut} times the record being written was cut off"
    )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
