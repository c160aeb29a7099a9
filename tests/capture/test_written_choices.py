"""Arguments by which code chooses among what it has: few graphs, however often it is called."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from tb_retrace_plugin.capture.code.written_choices import choices_by_names, written_choices
from tb_retrace_plugin.capture.record.chosen_in_python import _number_alone
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tests.capture.conftest import RecordFixture

HEADS: Any = {"a": 1.0}


def scaled(x: Any, how: str) -> Any:
    if how in ("a", "b"):
        return x
    return x + 1


def of_a_module(x: Any, how: str) -> Any:
    return x * len(how)


def chooses(x: Any, mode: str, cfg: Any, kind: str, side: str | None, *, act: str) -> Any:
    if mode == "train":
        x = x + 1
    elif mode.lower() == "eval" or mode.startswith("e"):
        x = scaled(x, mode)
    name = cfg["name"]
    if name == "u":
        x = x * HEADS[cfg["task"]]
    else:
        print(name, kind)
        raise ValueError(f"{name} of {kind}")
    x = scaled(scaled(x, how=kind), kind)
    match act:
        case "relu" | "tanh":
            x = -x
    return x if side and not cfg["left"] else -x


class Batched(NamedTuple):
    x: Any
    split: str
    kind: str

    def rows_of(self) -> Any:
        return tf.shape(self.x)[0] + len(self.kind)

    def shuffled_by(self) -> Any:
        return self._replace(x=self.x)


def asks_a_method(batch: Batched) -> Any:
    x = batch.x + 1 if batch.split == "train" else batch.x
    return x * batch.rows_of() if batch.kind == "a" else x


def asks_a_method_that_does_more(batch: Batched) -> Any:
    return batch.x if batch.split == "train" else batch.shuffled_by()


def looks_up(self: Any, x: Any, a: str, b: str, c: str, d: str, e: str, f: int, g: str) -> Any:
    x = self.heads.get(a)(x) + getattr(tf.nn, b)(x) + HEADS[f"{c}_head"] + getattr(self, f"head_{d}", None)(x)
    x = self.more["k"][f](x) + self.nets[a][g](x)
    return x if e in self.heads and e not in HEADS else -x


def looks_up_by_more(self: Any, x: Any, a: str, b: str, c: str, d: str) -> Any:
    x = self.heads.get("k", a)(x) + getattr(a, "upper")() + scaled(x, f"{c}!")  # noqa: B009
    return x if b in d else -x


def names_by_it(self: Any, x: Any, i: int, name: str, key: str) -> Any:
    x = self.models[i](x) + self.made[key]
    tf.summary.scalar(f"loss/{i}", x)
    tf.summary.scalar(f"loss/{name}", x if name == "a" else -x)
    self.made[key] = x
    return x


def by_texts(x: Any, a: str, b: str, c: str) -> Any:
    return x * HEADS[a + "_head"] * HEADS["%s_head" % b] * HEADS["{}_head".format(c)]  # noqa: UP031, UP032


def does_more(x: Any, mode: str, cfg: Any, kind: str, act: str, side: str, k: Any = -1, m: Any = 0) -> Any:
    m = m or "b"
    x = x * HEADS[k] * HEADS[-k]
    if mode == "train" and cfg["name"] == "u" and side == "left":
        x = x + tf.strings.length(mode)
    tf.summary.scalar(f"{side}/loss", x)
    return of_a_module(x, act) + scaled(x, kind + "!") + unseen(cfg)


def unseen(cfg: Any) -> Any:
    return [*cfg]


class Bandit(tf.Module):
    def __init__(self) -> None:
        self.arms = [tf.Variable(float(n)) for n in range(3)]
        self.other = [tf.Variable(float(n)) for n in range(3)]

    def arm(self, i: int) -> Any:
        return self.arms[i]

    @tf.function
    def pull(self, x: Any, i: int, rate: float) -> Any:
        return x * self.arm(i) * rate

    @tf.function
    def shifted(self, x: Any, i: int) -> Any:
        return x * self.other[i] + i


def test_what_code_does_nothing_else_with() -> None:
    assert written_choices(chooses.__code__, chooses) == [
        "mode: mode == 'train'", "cfg['name']: cfg['name'] == 'u'", "cfg['task']: HEADS[cfg['task']]",
        "kind: kind in ('a', 'b')", "act: match act",
        "side: if side and (not cfg['left'])", "cfg['left']: if cfg['left']",
    ]  # fmt: skip


def test_what_it_looks_up_by() -> None:
    assert written_choices(looks_up.__code__, looks_up) == [
        "a: self.heads.get(a)", "b: getattr(tf.nn, b)", "c: HEADS[f'{c}_head']", "d: getattr(self, f'head_{d}', None)",
        "f: self.more['k'][f]", "g: self.nets[a][g]", "e: e in self.heads",
    ]  # fmt: skip
    assert written_choices(by_texts.__code__, by_texts) == [
        "a: HEADS[a + '_head']", "b: HEADS['%s_head' % b]", "c: HEADS['{}_head'.format(c)]",
    ]  # fmt: skip
    assert written_choices(looks_up_by_more.__code__, looks_up_by_more) == ["b: b in d"]


def test_what_it_looks_up_by_may_be_in_texts_too() -> None:
    """Of what it compares there may be as many as of texts; and of what it keeps by that as many as it is passed."""
    assert written_choices(names_by_it.__code__, names_by_it) == ["i: self.models[i]"]


def test_what_it_does_more_with_is_left_out() -> None:
    """Also where the whole that it lies in is passed on."""
    assert written_choices(does_more.__code__, does_more) == []


class Heads(tf.Module):
    def __init__(self) -> None:
        self.weights = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}

    def chosen(self, x: Any, task: str) -> Any:
        return x if task == "a" else -x

    def step_of(self, task: str) -> Any:
        @tf.function
        def step(x: Any) -> Any:
            return self.chosen(x, task) * self.weights[task]

        return step

    def named(self, task: str) -> Any:
        @tf.function
        def said(x: Any) -> Any:
            return tf.strings.join([x, task]) if task == "a" else tf.strings.join([task, x])

        return said


def test_what_a_method_of_a_parameter_reads_itself_alone_is_read_otherwise() -> None:
    found = written_choices(asks_a_method.__code__, asks_a_method)
    assert [one for one in found if "split" in one or "kind" in one] == ["batch.split: batch.split == 'train'"]
    assert not written_choices(asks_a_method_that_does_more.__code__, asks_a_method_that_does_more)


def test_what_functions_made_for_each_close_over(recording: RecordFixture) -> None:
    heads = Heads()
    with recording() as recorded:
        for task in ("a", "b"):
            heads.step_of(task)(tf.ones([]))
            heads.named(task)(tf.constant("x"))
    told = {(t.function.name, t.n): (t.verdict, t.evidence) for t in recorded.read().traces}
    assert told["step", 2][0] == "bounded"
    assert "Python chooses by it among what the code has (`task == 'a'`)" in told["step", 2][1]
    assert told["said", 2][0] == "unknown"


def test_many_are_not_so_many(recording: RecordFixture) -> None:
    users = {f"u{n}": tf.Variable([float(n)] * (n + 1)) for n in range(28)}

    @tf.function
    def of_user(user: str) -> Any:
        return users[user] + 1.0

    with recording() as recorded:
        for user in users:
            of_user(user)
    verdicts = [trace.verdict for trace in recorded.read().traces]
    assert verdicts == ["needed"] + ["bounded"] * 24 + ["unknown"] * 3


def test_verdicts(recording: RecordFixture) -> None:
    @tf.function
    def step(x: Any, mode: str, *, act: str = "relu") -> Any:
        x = scaled(x, mode) if mode != "none" else x
        return of_a_module(x, act)

    bandit = Bandit()
    with recording() as recorded:
        step(tf.ones([2]), "a")
        step(tf.ones([2]), "c")
        step(tf.ones([2]), "c", act="softmax")
        step(tf.ones([2]), "b")  # the graph of "a"
        for i in (0, 1):
            bandit.pull(tf.ones([2]), i, 0.5)
        bandit.pull(tf.ones([2]), 1, 0.25)
        for i in (0, 1):
            bandit.shifted(tf.ones([2]), i)
    told = {(t.function.name, t.n): (t.verdict, t.evidence) for t in recorded.read().traces}
    assert told["step", 2][0] == "bounded"
    assert told["step", 2][1].startswith("Python chooses by `mode` among what the code has (`mode != 'none'`)")
    assert told["step", 3] == ("unknown", "Whether `act` takes few or many values is not known.")
    assert told["step", 4][0] == "avoidable"
    assert told["pull", 2] == (
        "bounded",
        "Python chooses by `i` among what the code has (`self.arms[i]`): each needs a graph, and there are only so"
        " many.",
    )
    assert told["pull", 3][0] == "avoidable"  # the number can be a tensor
    assert told["shifted", 2][0] == "unknown"


def test_a_number_that_chooses_among_what_is_written_there(recording: RecordFixture) -> None:
    """Of other operations; where other numbers alone come of it they can be passed."""

    @tf.function
    def cast(x: Any, bits: int) -> Any:
        return tf.cast(x, {16: tf.float16, 32: tf.float32, 64: tf.float64}[bits])

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * {1: 0.5, 2: 0.25}[k]

    with recording() as r:
        for bits in (16, 32, 64):
            cast(tf.ones([2]), bits)
        for k in (1, 2):
            scaled(tf.ones([2]), k)
    assert [trace.verdict for trace in r.of("cast")] == ["needed", "bounded", "bounded"]
    assert "among what the code has (`{…}[bits]`)" in r.of("cast")[1].evidence
    assert r.of("scaled")[1].verdict == "avoidable"


def test_a_number_that_texts_stand_in_place_of(recording: RecordFixture) -> None:
    """No tensor can be: it is compared with a text, too, whatever its graphs are; by itself it can."""

    @tf.function
    def of_one(x: Any, mode: Any = "both") -> Any:
        a, b = x + 1.0, x * 2.0
        if mode == "both":
            return tf.minimum(a, b)
        return a if mode == 1 else b

    @tf.function
    def of_two(x: Any, mode: int) -> Any:
        a, b = x + 1.0, x * 2.0
        return a if mode == 1 else b

    with recording() as r:
        for mode in (1, 2, "both"):
            of_one(tf.ones([2]), mode)
        for mode in (1, 2):
            of_two(tf.ones([2]), mode)
    assert [trace.verdict for trace in r.of("of_one")] == ["needed", "bounded", "bounded"]
    assert all("(`mode == 'both'`)" in trace.evidence for trace in r.of("of_one")[1:])
    assert r.of("of_two")[1].verdict == "avoidable"


OPERATIONS = [tf.nn.relu, tf.tanh]
RATES = [0.5, 0.25]
WEIGHTS = [tf.Variable(1.0), tf.Variable(2.0)]


def test_a_number_by_which_a_new_function_object_looks_up(recording: RecordFixture) -> None:
    """As of one that is passed: each operation needs a graph; other numbers alone, or more that is read, tell nothing
    of the kind."""

    @tf.function
    def passed(x: Any, n: int) -> Any:
        return OPERATIONS[n](x)

    def made(n: int, more: str) -> tuple[Any, ...]:
        @tf.function
        def looks_up(x: Any) -> Any:
            return OPERATIONS[n](x)

        @tf.function
        def goes_through(x: Any) -> Any:
            for weight in WEIGHTS[:n]:
                x = x * weight
            return x

        @tf.function
        def scales(x: Any) -> Any:
            return x * RATES[n]

        @tf.function
        def reads_more(x: Any) -> Any:
            return OPERATIONS[n](x) if more == "a" else -OPERATIONS[n](x)

        return looks_up, goes_through, scales, reads_more

    with recording() as r:
        for n, more in enumerate("ab"):
            passed(tf.ones([]), n)
            for function in made(n, more):
                function(tf.ones([]))
    told = {trace.function.name: (trace.verdict, trace.evidence) for trace in r.read().traces if trace.n == 2}
    assert told["passed"][0] == told["looks_up"][0] == told["goes_through"][0] == "bounded"
    assert (
        "closes over `n`: 0 → 1. Python chooses by it among what the code has (`OPERATIONS[n]`)" in told["looks_up"][1]
    )
    assert "(`WEIGHTS[:n]`)" in told["goes_through"][1]
    assert told["scales"][0] == "avoidable"
    assert told["reads_more"][0] == "unknown"


class Trainer:
    def __init__(self) -> None:
        self.w, self.v = tf.Variable(1.0), tf.Variable(2.0)
        self.phase, self.text = "warm", "a"

    def step(self, x: Any) -> Any:
        if self.phase == "joint":
            return self.v * self.w * x
        return x * self.w if self.phase in ("warm", "hot") else x * self.v

    def joins(self, x: Any) -> Any:
        if self.text == "":
            return x
        return tf.strings.join([tf.strings.as_string(x), self.text])


def test_texts_by_which_a_function_that_is_made_anew_chooses(recording: RecordFixture) -> None:
    assert choices_by_names(Trainer.step.__code__, Trainer.step) == ["self.phase: self.phase == 'joint'"]
    assert choices_by_names(Trainer.joins.__code__, Trainer.joins) == []
    trainer = Trainer()
    with recording() as r:
        for trainer.phase, trainer.text in (("warm", "a"), ("joint", "b")):
            tf.function(trainer.step)(tf.ones([]))
            tf.function(trainer.joins)(tf.ones([]))
    told = {trace.function.name: (trace.verdict, trace.evidence) for trace in r.read().traces if trace.n == 2}
    assert told["step"][0] == "bounded"
    assert "reads `self.phase`: 'warm' → 'joint'. Python chooses by it among" in told["step"][1]
    assert told["joins"][0] == "unknown"


def test_a_number_that_alone_differs() -> None:
    number, anew = Change("python_value", "n", "1", "2"), Change("recreated_function", "f", "", "")
    closed_over = ClosureChange("k", "1", "2", is_number=True)
    assert _number_alone(Facts("retrace", ())) == ""
    assert _number_alone(Facts("retrace", (number,))) == "n"
    assert _number_alone(Facts("retrace", (number, Change("shape", "x", "(1,)", "(2,)")))) == ""
    assert _number_alone(Facts("recreated", (anew,), closure=(closed_over,))) == "k"
    assert _number_alone(Facts("recreated", (anew, number), closure=(closed_over,))) == ""
    assert _number_alone(Facts("recreated", (anew,), closure=(closed_over,), other_data=True)) == ""
