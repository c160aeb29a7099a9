"""A small part of tests/benchmarks/fuzz_requests.py."""

from __future__ import annotations

import random
from collections import Counter

from tests.support.mutated_requests import PREFIX, check_answer, make_request, site

_REQUESTS = 1500


def test_whatever_is_asked_the_answer_is_one() -> None:
    statuses: Counter[int] = Counter()
    answered: set[str] = set()
    asked = site(random.Random(7))
    for number in range(_REQUESTS):
        method, url, headers, body = make_request(random.Random(f"test:{number}"), asked)
        answer = asked.ask(method, url, headers, body)
        statuses[answer.status] += 1
        if answer.status == 200:
            answered.add(url.partition("?")[0].removeprefix(PREFIX))
        try:
            check_answer(method, url, answer, asked.routes)
        except AssertionError as error:
            raise AssertionError(f"{method} {url} {headers}: {error}") from error
    assert statuses[200] > _REQUESTS / 5  # most are nearly right, or it is only the refusals that are tried
    assert answered >= {route for route in asked.routes if "." not in route}  # each of them, workers too, is got past
    assert min(statuses[400], statuses[404], statuses[405]) > _REQUESTS / 50


def test_an_address_that_is_no_utf_8_is_refused() -> None:
    answer = site(random.Random(1)).get(f"{PREFIX}/digest?\xffgeneration=x&since=0")
    assert (answer.status, answer.body[:40]) == (400, b'{"error":"The address holds bytes that a')
