"""`function` and `what_if`, in process, asked rightly and wrongly."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.stores import new_recording
from tests.unit.backend.test_routes import HOSTILE, Routes, provide

WHO = {"session": "session-1", "seq": 2}


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Routes:
    directory = tmp_path_factory.mktemp("logs")
    recording = new_recording(directory)
    for size in (1, 2, 3):
        recording.trace(shape=(size, 10))
    recording.trace(HOSTILE)
    recording.end(60)
    return Routes(provide(directory))


def get(routes: Routes, route: str, parameters: Any) -> tuple[int, dict[str, Any]]:
    response = routes.get(f"/{route}?{urlencode(parameters, doseq=True)}")
    assert response.content_type == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    return response.status_code, json.loads(response.data)


def test_a_function_is_found_by_any_of_its_traces(routes: Routes) -> None:
    answers = [get(routes, "function", {**WHO, "seq": seq}) for seq in (1, 3)]
    assert answers[0] == answers[1]
    status, page = answers[0]
    assert (status, page["schema"], page["session"], page["traces"]) == (200, 1, "session-1", 3)
    assert page["function"]["name"] == "train_step"
    assert get(routes, "function", {**WHO, "seq": 4})[1]["function"]["name"] == HOSTILE


def test_a_change_is_answered_as_by_the_command(routes: Routes) -> None:
    status, answer = get(routes, "what_if", {**WHO, "unknown": ["x[0]"]})
    assert (status, answer["traces_before"], answer["traces_after"], answer["stays"]) == (200, 3, 1, [1])
    assert answer["change"] == {"input_signature": None, "reduce_retracing": False, "unknown": ["x[0]"], "tensors": []}
    status, answer = get(routes, "what_if", {**WHO, "reduce_retracing": "1", "unknown": ["x[0]", "x[1]", "x[0]"]})
    assert (status, answer["traces_after"], answer["change"]["unknown"]) == (200, 1, ["x[0]", "x[1]"])
    status, answer = get(routes, "what_if", {**WHO, "input_signature": "[tf.TensorSpec([None, 10])]"})
    assert (status, answer["traces_after"], answer["refused_count"]) == (200, 1, 0)


@pytest.mark.parametrize("route", ["function", "what_if"])
@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({}, 400),
        ({"session": "session-1"}, 400),
        ({"session": "session-1", "seq": "-1"}, 400),
        ({"session": "session-1", "seq": "1e3"}, 400),
        ({"session": "session-1", "seq": "9" * 40}, 400),
        ({"session": "session-1", "seq": "99"}, 404),
        ({"session": "../../etc/passwd", "seq": "1"}, 404),
        ({"session": HOSTILE, "seq": "1"}, 404),
    ],
)
def test_a_function_that_is_not_there(routes: Routes, route: str, parameters: dict[str, str], status: int) -> None:
    found, answer = get(routes, route, parameters)
    assert (found, set(answer)) == (status, {"error"})


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({}, "Say what to change"),
        ({"unknown": ["y"]}, "was never passed a tensor"),
        ({"unknown": [HOSTILE]}, "was never passed a tensor"),
        ({"unknown": ["x[9]"]}, "has 2 dimensions"),
        ({"unknown": ["x[" + "9" * 400 + "]"]}, "was never passed a tensor"),
        ({"unknown": ["x" * 501]}, "500 characters"),
        ({"unknown": [f"x[{n}]" for n in range(501)]}, "500 times"),
        ({"tensor": ["training"]}, "is True in some call"),
        ({"tensor": ["x"]}, "was never passed a Python number"),
        ({"tensor": ["x=float33"]}, "no dtype"),
        ({"reduce_retracing": "yes"}, "is 1 or 0"),
        ({"reduce_retracing": "1", "input_signature": "[tf.TensorSpec([])]"}, "no other change"),
        ({"remove": "1"}, "Known parameters"),
        ({"input_signature": "__import__('os').system('true')"}, "no specification"),
        ({"input_signature": "tf.TensorSpec([None]"}, "is not Python"),
        ({"input_signature": "\x00"}, ""),
        ({"input_signature": "[" * 19_999}, ""),
        ({"input_signature": "-" * 19_999 + "1"}, ""),
        ({"input_signature": "a" + ".a" * 9_000}, ""),
        ({"input_signature": "a" + "()" * 9_000}, ""),
        ({"input_signature": "1" + "+1" * 9_000}, ""),
        ({"input_signature": "[tf.TensorSpec([" + "9" * 5_000 + "])]"}, ""),
        ({"input_signature": "[" * 90 + "tf.TensorSpec([])" + "]" * 90}, "nested too deeply"),
        ({"input_signature": "[" + " " * 20_000 + "]"}, "20,000 characters"),
        ({"input_signature": HOSTILE}, ""),
    ],
)
def test_a_question_that_cannot_be_answered(routes: Routes, question: dict[str, Any], said: str) -> None:
    status, answer = get(routes, "what_if", {**WHO, **question})
    assert (status, set(answer)) == (400, {"error"})
    assert said in answer["error"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD"])
@pytest.mark.parametrize("route", ["function", "what_if"])
def test_only_get(routes: Routes, route: str, method: str) -> None:
    assert routes.get(f"/{route}?session=session-1&seq=1", method=method).status_code == 405
