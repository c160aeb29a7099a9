"""Mutated records through the readers and all answers: python -m tests.benchmarks.fuzz_records [--records N] [--seed 1]

Ends with 1 if anything was raised, took longer than --limit seconds, or was no JSON. `--case N`: one case of the seed.
"""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import time
import traceback
from pathlib import Path

from tests.support.fuzzed_case import run_case, temporary_directory
from tests.support.mutated_records import make_case

_MAX_FAILURES = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000, help="mutated records in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="this case alone")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds that a case may take")
    arguments = parser.parse_args()
    began = time.perf_counter()
    counts = dict.fromkeys(("cases", "mutated", "accepted", "problems", "answer_bytes", "failures"), 0)
    slowest = 0.0, -1
    number = arguments.first if arguments.case is None else arguments.case
    with temporary_directory() as directory:
        while counts["mutated"] < (arguments.records if arguments.case is None else 1):
            case = make_case(arguments.seed, number)
            if counts["cases"] % 20 == 0:  # a hang: says where, and ends
                faulthandler.dump_traceback_later(40 * arguments.limit, exit=True)
            start = time.process_time()  # the machine may be busy
            try:
                outcome = run_case(case, Path(directory))
                counts["accepted"] += outcome.accepted
                counts["problems"] += outcome.problems
                counts["answer_bytes"] += outcome.answer_bytes
            except Exception:
                counts["failures"] += 1
                print(f"--- seed {arguments.seed}, case {number}\n{traceback.format_exc(limit=-5)}", flush=True)
            seconds = time.process_time() - start
            slowest = max(slowest, (seconds, number))
            if seconds > arguments.limit:
                counts["failures"] += 1
                print(f"--- seed {arguments.seed}, case {number} took {seconds:.1f} s", flush=True)
            counts["cases"] += 1
            counts["mutated"] += case.mutated
            number += 1
            if counts["cases"] % 2000 == 0:
                print(_line(counts, began, slowest), flush=True)
            if counts["failures"] >= _MAX_FAILURES:
                break
    faulthandler.cancel_dump_traceback_later()
    print(_line(counts, began, slowest))
    return 1 if counts["failures"] else 0


def _line(counts: dict[str, int], began: float, slowest: tuple[float, int]) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    return (
        f"{told}; {time.perf_counter() - began:.0f} s, slowest case {slowest[0] * 1000:.0f} ms (number {slowest[1]}), "
        f"at most {peak} MB resident"
    )


if __name__ == "__main__":
    sys.exit(main())
