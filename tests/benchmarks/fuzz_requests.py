"""Mutated requests to TensorBoard with our routes: python -m tests.benchmarks.fuzz_requests [--requests 20000]

Ends with 1 if anything was raised, answered with a 500, no JSON, or took more than --limit seconds of the processor.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import random
import resource
import sys
import time
import traceback
from collections import Counter

from tests.support.mutated_requests import check_answer, make_request, site

_MAX_FAILURES = 20
#: Requests to one logdir before another is taken.
_PER_SITE = 500


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=2.0)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # a 500 is a failure here, and says what it was
    began = time.perf_counter()
    statuses: Counter[int] = Counter()
    failures = 0
    slowest = 0.0, ""
    for number in range(arguments.requests):
        if number % _PER_SITE == 0:
            asked = site(random.Random(f"{arguments.seed} {number // _PER_SITE}"))
            faulthandler.dump_traceback_later(600, exit=True)  # a hang: says where, and ends
        method, url, headers, body = make_request(random.Random(f"{arguments.seed}:{number}"), asked)
        start = time.process_time()
        try:
            answer = asked.ask(method, url, headers, body)
            statuses[answer.status] += 1
            check_answer(method, url, answer, asked.routes)
        except Exception:
            failures += 1
            print(f"--- {number}: {method} {url[:400]} {headers}\n{traceback.format_exc(limit=-4)}", flush=True)
        seconds = time.process_time() - start
        slowest = max(slowest, (seconds, f"{method} {url[:200]}"))
        if seconds > arguments.limit:
            failures += 1
            print(f"--- {number}: {method} {url[:400]} took {seconds:.1f} s", flush=True)
        if failures >= _MAX_FAILURES:
            break
    faulthandler.cancel_dump_traceback_later()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = ", ".join(f"{count:,} × {status}" for status, count in sorted(statuses.items()))
    print(f"{sum(statuses.values()):,} requests: {told}; {failures} failures; {time.perf_counter() - began:.0f} s")
    print(f"slowest {slowest[0] * 1000:.0f} ms: {slowest[1]}\nat most {peak} MB resident")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
