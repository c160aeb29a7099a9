"""What is recorded of a trace, with TensorFlow's own tracing count as oracle."""

from __future__ import annotations

import collections
import functools
import gc
import os
import subprocess
import sys
import textwrap
import threading
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin import set_step
from tb_retrace_plugin.capture.python_state.closure import ClosureReader
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.explain.verdict.evidence import STANDS_IN
from tb_retrace_plugin.explain.verdict.new_objects import COMPILED_OTHERWISE, WIDENED_OTHERWISE
from tb_retrace_plugin.schema.signature import iter_leaves, signature_from_proto
from tests.capture.conftest import RecordFixture, changes


def test_shape(recording: RecordFixture) -> None:
    @tf.function
    def total(data: Any) -> Any:
        return tf.reduce_sum(data)

    with recording() as r:
        for length in (3, 5, 3, 2):
            total(tf.ones([length]))
    assert r.count("total") == total.experimental_get_tracing_count() == 3
    first, second, third = r.of("total")
    assert (first.kind, first.verdict, changes(first)) == ("first", "needed", [])
    assert (second.kind, second.verdict) == ("retrace", "avoidable")
    assert changes(second) == [("shape", "data", "(3,)", "(5,)")]
    assert changes(third) == [("shape", "data", "(5,)", "(2,)")]  # the latest of several as close
    assert (third.closest_n, third.closest_seq, third.n) == (2, second.seq, 3)
    assert all(t.trace_duration_ns > 0 and t.nodes > 0 and t.graph_sha256 for t in r.of("total"))
    assert all(r.first_calls[t.seq].duration_ns > 0 and not r.first_calls[t.seq].failed for t in r.of("total"))
    assert first.function.file == __file__
    assert not first.function.library
    stack = r.stacks[first.stack_id]
    user = [f for f in stack.frames if f.user]
    assert user[0].file == __file__
    assert user[0].source == "total(tf.ones([length]))"


# fmt: off
def test_a_call_over_several_lines_is_one_line(recording: RecordFixture) -> None:
    @tf.function
    def scaled(x: Any, rate: float, training: bool = False) -> Any:
        return x * rate

    with recording() as r:
        scaled(
            tf.ones([2]),
            rate=0.5, training=True,
        )
        scaled(tf.ones([3]),  # comments are left out
               # of a call (over several lines,
               0.5)
        scaled(tf.ones([4]), 0.5)  # and not (elsewhere
        opened = "("
        losses = [  # in the middle of a statement
            scaled(tf.ones([5]), rate)
            for rate in (0.5,)
        ]
        total = (
            tf.data.Dataset.range(3)
            .reduce(
                scaled(tf.ones([6]), 0.5)[0] * len(losses) * len(opened),
                lambda s, _: s + 1.0
            )
        )
        assert total == 3.5
    sources = [next(f.source for f in r.stacks[t.stack_id].frames if f.user) for t in r.of("scaled")]
    assert [" ".join(source.split()) for source in sources] == [
        "scaled(tf.ones([2]), rate=0.5, training=True,)", "scaled(tf.ones([3]), 0.5)",
        "scaled(tf.ones([4]), 0.5) # and not (elsewhere",
        "losses = [scaled(tf.ones([5]), rate) for rate in (0.5,)]",
        "total = (tf.data.Dataset.range(3).reduce("
        "scaled(tf.ones([6]), 0.5)[0] * len(losses) * len(opened), lambda s, _: s + 1.0))",
    ]
# fmt: on


def test_an_object_whose_call_is_a_function_of_its_own(recording: RecordFixture) -> None:
    """`tf.data` makes a function of the object; the one that its class has is traced within that."""

    class Scale:
        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * 2

    with recording() as r:
        list(tf.data.Dataset.range(2).map(Scale()))
    (outer,), (inner,) = r.of("Scale"), r.of("__call__")
    assert (outer.function.file, outer.function.line) == (inner.function.file, inner.function.line)
    assert (outer.function.file, outer.function.library) == (__file__, False)
    assert outer.function.qualname != inner.function.qualname


def test_dtype_of_failed_traces(recording: RecordFixture) -> None:
    @tf.function
    def add(x: Any, y: Any) -> Any:
        return x + y

    with recording() as r:
        for dtype in (tf.int32, tf.float32, tf.int64):
            try:
                add(tf.constant(1, dtype), tf.constant(1.0))
            except Exception as error:
                assert "AddV2" in str(error) or "type" in str(error)  # noqa: PT017
    assert r.count("add") == add.experimental_get_tracing_count() == 1
    assert [t.failed for t in r.of("add")] == [True, False, True]
    failed = r.of("add")[2]
    assert changes(failed) == [("dtype", "x", "float32", "int64")]
    assert failed.error.startswith(("TypeError", "InvalidArgumentError", "ValueError"))
    assert failed.seq not in r.first_calls


def test_python_values(recording: RecordFixture) -> None:
    @tf.function
    def scale(x: Any, by: Any = 1) -> Any:
        return x * tf.cast(by, tf.float32)

    with recording() as r:
        for by in (1, 2, 1.0, True, None, tf.constant(2), np.int64(2), "3"):
            if by is None or isinstance(by, str):
                continue
            scale(tf.ones([2]), by)
    assert r.count("scale") == scale.experimental_get_tracing_count() == 4
    assert [changes(t) for t in r.of("scale")] == [
        [],
        [("python_value", "by", "1", "2")],
        [("python_type", "by", "2", "int32 ()")],
        [("dtype", "by", "int32", "int64")],
    ]


def test_structure_keys_and_keywords(recording: RecordFixture) -> None:
    @tf.function
    def step(batch: Any, *rest: Any, **options: Any) -> Any:
        return batch["x"] + 1.0

    x = tf.ones([2])
    with recording() as r:
        step({"x": x})
        step({"x": x, "mask": x})
        step({"x": x}, 1)
        step({"x": x}, training=True)
        step({"x": x}, [1, 2])
        step({"x": x}, [1, 2, 3])
    assert r.count("step") == step.experimental_get_tracing_count() == 6
    assert [changes(t) for t in r.of("step")][1:] == [
        [("structure", "batch['mask']", "no such key", "float32 (2,)")],
        [("structure", "rest", "0 arguments", "1 argument")],
        [("structure", "options['training']", "not passed", "True")],
        [("structure", "rest[0]", "1", "[1, 2]")],
        [("structure", "rest[0]", "list of 2", "list of 3")],
    ]


def test_objects(recording: RecordFixture) -> None:
    class Config:
        pass

    class Valued:
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Valued)

        def __hash__(self) -> int:
            return 1

    @tf.function
    def use(config: Any) -> Any:
        return tf.constant(1)

    one, two = Config(), Config()
    with recording() as r:
        use(one)
        use(two)
        use(one)
        use(Valued())
        keep = Valued()
        use(keep)
        use(Valued())
    assert r.count("use") == use.experimental_get_tracing_count()
    second = r.of("use")[1]
    assert changes(second) == [("object_identity", "config", "Config object #1", "Config object #2")]
    assert second.verdict == "avoidable"


def test_an_object_that_is_gone(recording: RecordFixture) -> None:
    class Config:
        pass

    @tf.function
    def use(x: Any, config: Any) -> Any:
        return x

    kept = Config()
    with recording() as r:
        use(1.0, kept)
        use(1.0, Config())
        use(1.0, Config())
    _, after_kept, after_gone = r.of("use")
    assert (after_kept.verdict, after_gone.verdict) == ("avoidable", "avoidable")
    assert "no longer exists" not in after_kept.evidence
    assert "no longer exists" in after_gone.evidence


def test_methods_of_several_instances(recording: RecordFixture) -> None:
    class Model:
        @tf.function
        def call(self, x: Any) -> Any:
            return x + 1

    models = [Model(), Model()]
    with recording() as r:
        for model in models:
            model.call(tf.ones([2]))
            model.call(tf.ones([2]))
    assert r.count("call") == sum(m.call.experimental_get_tracing_count() for m in models) == 2
    second = r.of("call")[1]
    assert (second.kind, second.object) == ("recreated", 2)
    assert [c[:2] for c in changes(second)] == [("object_identity", "self")]


def test_recreated_function(recording: RecordFixture) -> None:
    made = []
    with recording() as r:
        for _ in range(3):
            double = tf.function(lambda x: x * 2)
            double(tf.ones([2]))
            made.append(double)
        made[0](tf.ones([3]))
    traces = r.of("<lambda>")
    assert len(traces) == sum(f.experimental_get_tracing_count() for f in made) == 4
    assert [t.kind for t in traces] == ["first", "recreated", "recreated", "retrace"]
    assert [t.object for t in traces] == [1, 2, 3, 1]
    assert changes(traces[1]) == [("recreated_function", "", "object 1", "object 2")]
    assert traces[1].verdict == "avoidable"  # the same graph, the same captures
    assert traces[0].graph_sha256 == traces[1].graph_sha256
    assert changes(traces[3]) == [("shape", "x", "(2,)", "(3,)")]
    assert traces[3].closest_n == 1


def test_recreated_function_with_other_captures_is_not_called_avoidable(recording: RecordFixture) -> None:
    with recording() as r:
        for value in (1.0, 2.0):
            net = tf.Module()
            net.variable = tf.Variable(value)
            tf.function(lambda x: x * net.variable)(tf.ones([2]))  # noqa: B023
        for size in (2, 3):
            variable = tf.Variable(tf.ones([size]))
            tf.function(lambda x: tf.reduce_sum(x) * variable)(tf.ones([2]))  # noqa: B023
    traces = r.of("<lambda>")
    assert [t.verdict for t in traces] == ["needed", "unknown", "needed", "unknown"]


def test_recreated_function_with_another_variable_could_be_passed_that(recording: RecordFixture) -> None:
    with recording() as r:
        for value in (1.0, 2.0):
            variable = tf.Variable(value)
            tf.function(lambda x: x * variable)(tf.ones([2]))  # noqa: B023
    traces = r.of("<lambda>")
    assert [t.verdict for t in traces] == ["needed", "avoidable"]
    assert "another `variable` of tf.Variable float32 ()" in traces[1].evidence
    double = tf.function(lambda x, variable: x * variable)
    for value in (1.0, 2.0):
        double(tf.ones([2]), tf.Variable(value))
    assert double.experimental_get_tracing_count() == 1


def test_function_objects_are_told_apart_after_their_end(recording: RecordFixture) -> None:
    """The cache's id is reused by Python as soon as a function object is gone."""
    with recording() as r:
        for _ in range(20):
            tf.function(lambda x: x - 2)(tf.ones([2]))
            gc.collect()
    assert [t.object for t in r.of("<lambda>")] == list(range(1, 21))


def test_variable_creation(recording: RecordFixture) -> None:
    holder: list[Any] = []

    @tf.function
    def create_once(x: Any) -> Any:
        if not holder:
            holder.append(tf.Variable(2.0))
        return x * holder[0]

    with recording() as r:
        create_once(tf.ones([2]))
        create_once(tf.ones([3]))
    assert r.count("create_once") == create_once.experimental_get_tracing_count() == 3
    assert [t.kind for t in r.of("create_once")] == ["first", "variable_creation", "retrace"]
    assert [t.verdict for t in r.of("create_once")] == ["needed", "needed", "avoidable"]
    assert changes(r.of("create_once")[2]) == [("shape", "x", "(2,)", "(3,)")]
    (initializer,) = r.of("initialize_variables")
    assert (initializer.kind, initializer.verdict) == ("variable_creation", "needed")
    assert initializer.function.library


def test_a_variable_whose_initial_value_depends_on_an_argument(recording: RecordFixture) -> None:
    """TensorFlow cannot initialize it apart from the call, and goes on without."""
    holder: list[Any] = []

    @tf.function
    def normalized(x: Any) -> Any:
        if not holder:
            holder.append(tf.Variable(tf.reduce_mean(x)))
        return x - holder[0]

    with recording() as r:
        normalized(tf.ones([2]))
    assert r.count("normalized") == normalized.experimental_get_tracing_count() == 2
    assert [t.verdict for t in r.of("normalized")] == ["needed", "needed"]
    (initializer,) = r.of("initialize_variables")
    assert (initializer.failed, initializer.verdict) == (True, "unknown")
    assert initializer.evidence.startswith("The initial value of a variable depends on an argument, or")


def test_a_second_trace_of_a_first_call_that_fails_for_another_reason(recording: RecordFixture) -> None:
    holder: list[Any] = []

    @tf.function
    def create(x: Any) -> Any:
        if holder:
            raise KeyError("b")
        holder.append(tf.Variable(1.0))
        return x * holder[0]

    with recording() as r, pytest.raises(KeyError):
        create(tf.ones([2]))
    _, second = r.of("create")
    assert (second.kind, second.failed, second.verdict) == ("variable_creation", True, "avoidable")
    assert second.evidence == "The trace failed: this call cannot work as it is."


def test_what_takes_no_unknown_size_fails_once_it_is_widened(recording: RecordFixture) -> None:
    @tf.function(reduce_retracing=True)
    def elbos(values: Any) -> Any:
        return tf.TensorArray(tf.float32, size=values.shape[0]).unstack(values).stack()

    with recording() as r:
        elbos(tf.ones([2]))
        with pytest.raises(ValueError, match="size"):
            elbos(tf.ones([3]))
    _, second = r.of("elbos")
    assert (second.failed, second.generalized, second.verdict) == (True, True, "avoidable")
    assert "reduce_retracing widened `values`, and the trace failed" in second.evidence


def test_variables_created_on_every_call(recording: RecordFixture) -> None:
    @tf.function
    def create(x: Any) -> Any:
        return x * tf.Variable(2.0)

    with recording() as r:
        for length in (2, 3):
            with pytest.raises(ValueError, match="only supports singleton"):
                create(tf.ones([length]))
    assert r.count("create") == create.experimental_get_tracing_count() == 1
    _, second, third = r.of("create")
    assert (second.kind, second.failed, second.verdict) == ("variable_creation", True, "avoidable")
    assert third.failed
    assert changes(third) == [("shape", "x", "(2,)", "(3,)")]


def test_same_variable_twice(recording: RecordFixture) -> None:
    @tf.function
    def add(a: Any, b: Any, c: Any) -> Any:
        return a + b + c

    one, two, three = (tf.Variable(float(i)) for i in range(3))
    with recording() as r:
        add(one, one, two)
        add(two, two, three)  # other variables, same sharing: a cache hit
        add(one, two, three)
    assert r.count("add") == add.experimental_get_tracing_count() == 2
    assert changes(r.of("add")[1]) == [("variable_identity", "b", "the same variable as a", "a variable of its own")]


def test_reduce_retracing(recording: RecordFixture) -> None:
    @tf.function(reduce_retracing=True)
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with recording() as r:
        for length in (2, 3, 4, 5):
            total(tf.ones([length]))
    assert r.count("total") == total.experimental_get_tracing_count() == 2
    second = r.of("total")[1]
    assert (second.generalized, second.verdict) == (True, "bounded")
    assert changes(second) == [("shape", "x", "(2,)", "(3,)")]
    assert list(second.signature.arguments[0].type.shape) == [3]
    assert list(second.traced_signature.arguments[0].type.shape) == [-1]


def test_unknown_dimensions_serve_later_shapes(recording: RecordFixture) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with recording() as r:
        for shape in ([1, 2], [2, 2], [3, 1]):
            total(tf.ones(shape))
    assert r.count("total") == total.experimental_get_tracing_count() == 1


def test_the_module_of_a_named_tuple(recording: RecordFixture) -> None:
    @tf.function
    def total(batch: Any) -> Any:
        return tf.reduce_sum(batch.x)

    here = collections.namedtuple("Pair", ["x"])
    run = collections.namedtuple("Pair", ["x"], module="__main__")
    with recording() as r:
        total(here(tf.ones([2])))
        total(run(tf.ones([3])))
    found = [signature_from_proto(trace.signature).arguments[0][1] for trace in r.of("total")]
    assert [(node.kind, node.type_name, node.class_name) for node in found] == [
        ("named_tuple", "Pair", __name__), ("named_tuple", "Pair", ""),
    ]  # fmt: skip


def test_a_loop_over_a_dataset_goes_with_the_function_around_it(recording: RecordFixture) -> None:
    dataset = tf.data.Dataset.range(4)
    w = tf.Variable(1.0)

    @tf.function
    def epoch(rate: float) -> Any:
        total = 0.0
        for x in dataset:
            total += rate * tf.cast(x, tf.float32) * w
        return total

    @tf.function
    def check(rate: float) -> Any:
        total = 0.0
        for x in dataset:
            total += tf.cast(x, tf.float32) * w
        return total

    with recording() as r:
        for n in range(3):
            epoch(0.5 * n)
        for n in range(2):
            check(0.5 * n)
    within = {t.seq for t in r.of("epoch")}
    alike = [t for t in r.of("scan_body") if t.parent_seq not in within]  # the second has the graph of the first
    assert [t.verdict for t in alike] == ["unknown", "unknown"]
    loops = [t for t in r.of("scan_body") if t.parent_seq in within]
    assert [(t.kind, t.nested) for t in loops] == [("first", True), ("recreated", True), ("recreated", True)]
    assert [t.verdict for t in loops[1:]] == ["unknown", "unknown"]
    assert all("a loop or a condition in the function that is traced around it" in t.evidence for t in loops[1:])


def test_nested_traces(recording: RecordFixture) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return x + 1

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) * 2

    with recording() as r:
        outer(tf.ones([2]))
        outer(tf.ones([3]))
    assert r.count("inner") == inner.experimental_get_tracing_count() == 2
    (outer_first, outer_second), (inner_first, inner_second) = r.of("outer"), r.of("inner")
    assert inner_first.nested
    assert not outer_first.nested
    assert (inner_first.parent_seq, inner_second.parent_seq) == (outer_first.seq, outer_second.seq)
    assert 0 < inner_first.trace_duration_ns <= outer_first.nested_duration_ns < outer_first.trace_duration_ns
    assert inner_first.seq not in r.first_calls  # it ran as part of `outer`
    frames = [f for f in r.stacks[inner_first.stack_id].frames if f.user]
    assert frames[0].source == "return inner(x) * 2"  # AutoGraph's code mapped back


def test_get_concrete_function_is_of_the_same_object(recording: RecordFixture) -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2

    with recording() as r:
        for length in (1, 2):
            double.get_concrete_function(tf.TensorSpec([length]))
            gc.collect()
        double(tf.ones([3]))
    assert r.count("double") == double.experimental_get_tracing_count() == 3
    assert [(t.kind, t.object) for t in r.of("double")] == [("first", 1), ("retrace", 1), ("retrace", 1)]


def compiled_by_the_user(function: Any) -> Any:
    return tf.function(function)


class CompiledByTheUser:
    def __init__(self, function: Any) -> None:
        self.function = tf.function(function)


alias = tf.function


def test_whether_a_decorator_made_it(recording: RecordFixture) -> None:
    def logged(function: Any) -> Any:
        def wrapper(*args: Any) -> Any:
            return function(*args)

        return wrapper

    def kept(function: Any) -> Any:
        return functools.wraps(function)(lambda self, data: function(self, data))

    @tf.function
    def decorated(data: Any) -> Any:
        @tf.function
        def inner(data: Any) -> Any:  # AutoGraph's, when it is traced
            return data + 1.0

        return inner(data)

    @tf.function
    @logged
    def wrapped(data: Any) -> Any:
        return data

    @functools.cache
    def cached(data: Any) -> Any:
        return data

    @compiled_by_the_user
    def of_own(data: Any) -> Any:
        return data

    @CompiledByTheUser
    def of_a_class(data: Any) -> Any:
        return data

    @alias
    def of_another_name(data: Any) -> Any:
        return data

    def bare(data: Any) -> Any:
        return data

    @tf.autograph.experimental.do_not_convert
    def unconverted(data: Any) -> Any:
        return data

    class Model:
        def method(self, data: Any) -> Any:
            return data

        @kept
        def checked(self, data: Any) -> Any:
            return data

        @tf.function
        def own(self, data: Any) -> Any:
            return data

    model = Model()
    with recording() as r:
        model.own(tf.ones([2]))
        for function in (
            decorated,
            wrapped,
            of_own,
            of_a_class.function,
            of_another_name,
            *map(tf.function, (cached.__wrapped__, bare, unconverted, model.method, model.checked)),
        ):
            function(tf.ones([2]))
    assert {trace.function.name: trace.function.undecorated for trace in r.traces} == {
        "decorated": False, "inner": False, "wrapper": False, "cached": False, "bare": True, "method": True,
        "unconverted": True, "checked": True, "own": False, "of_own": True, "of_a_class": True,
        "of_another_name": False,
    }  # fmt: skip


OF_A_LIBRARY = """
def scoped(function):
    def wrapper(self, *args, **kwargs):
        return function(self, *args, **kwargs)
    return wrapper

def summed(function):
    def total(*args, **kwargs):
        return function(*args, **kwargs) + 1.0
    return total
"""


def test_what_a_librarys_decorator_hides_is_told_by_its_own_name(recording: RecordFixture, tmp_path: Path) -> None:
    """As Sonnet's of a module's methods; not a function of its own that calls what it is given."""
    library: dict[str, Any] = {}
    exec(compile(OF_A_LIBRARY, str(tmp_path / "site-packages" / "scopes.py"), "exec"), library)
    scoped, summed = library["scoped"], library["summed"]

    class Critic:
        @tf.function
        @scoped
        def value(self, data: Any) -> Any:
            return data * 2.0

        @tf.function
        @scoped
        def score(self, data: Any) -> Any:
            return data + 1.0

    def loss(data: Any) -> Any:
        return data

    critic, total = Critic(), tf.function(summed(loss))
    with recording() as r:
        for size in (2, 3):
            critic.value(tf.ones([size]))
            critic.score(tf.ones([size]))
            total(tf.ones([size]))
    names = [("value", False), ("score", False), ("total", True)]
    assert [(trace.function.name, trace.function.library) for trace in r.traces] == names * 2
    assert {trace.function.file for trace in r.traces[:2]} == {__file__}
    assert len({(trace.function.qualname, trace.function.line) for trace in r.traces}) == 3


def test_what_is_made_of_a_function_first_is_told(recording: RecordFixture) -> None:
    def logged(function: Any) -> Any:
        return functools.wraps(function)(lambda *args: function(*args))

    def scaled(factor: float, data: Any) -> Any:
        return data * factor

    def plain(data: Any) -> Any:
        return data

    @tf.function
    @logged
    def decorated(data: Any) -> Any:
        return data

    @logged
    def above(factor: float, data: Any) -> Any:
        return data * factor

    class Model:
        @classmethod
        @tf.function
        def shared(cls, data: Any) -> Any:
            return data

        def method(self, data: Any) -> Any:
            return data

        @tf.function
        def own(this, data: Any) -> Any:
            return data

        @logged
        @tf.function
        def step(self, data: Any) -> Any:
            return data

        @tf.Module.with_name_scope
        @tf.function
        def scoped(self, data: Any) -> Any:
            return data

        name_scope = tf.name_scope("model")

    made = map(tf.function, (functools.partial(scaled, 2.0), logged(plain), Model().method))
    model = Model()
    with recording() as r:
        for function in (*made, decorated, Model.shared, model.own, functools.partial(Model.step, model), model.scoped):
            function(tf.ones([2]))
        tf.function(functools.partial(above, 2.0))(tf.ones([2]))
    assert [(t.function.name, t.function.passed_as, t.function.bound_as) for t in r.traces] == [
        ("scaled", "functools.partial(scaled, …)", ""), ("plain", "…", ""), ("method", "", ""),
        ("decorated", "", ""), ("shared", "", "cls" if sys.version_info < (3, 13) else ""), ("own", "", "this"),
        ("step", "", "self"), ("scoped", "", "self"), ("above", "functools.partial(above, …)", ""),
    ]  # fmt: skip


def test_a_self_that_is_bound_is_passed_by_no_call(recording: RecordFixture) -> None:
    """An input signature over what is left is then taken."""

    def logged(function: Any) -> Any:
        return functools.wraps(function)(lambda *args: function(*args))

    class Model:
        def rate(self, data: Any, mode: str = "sum") -> Any:
            return tf.reduce_sum(data) if mode == "sum" else data

        def score(self, mode: str, data: Any) -> Any:
            return self.rate(data, mode)

    model, partial = Model(), functools.partial
    bound = (
        partial(model.rate, mode="sum"), partial(model.score, "sum"), partial(Model.score, model, "sum"),
        partial(Model.rate, model, mode="sum"), logged(model.rate), partial(logged(model.score), "sum"),
    )  # fmt: skip
    left = (partial(Model.rate, mode="sum"), logged(Model.rate))
    signature = [tf.TensorSpec([None])]
    with recording() as r:
        for function in bound:
            declared = tf.function(function, input_signature=signature)
            for size in (2, 3):
                declared(tf.ones([size]))
        for function in left:
            tf.function(function)(model, tf.ones([2]))
    assert [t.function.bound_as for t in r.traces] == [""] * len(bound) + ["self"] * len(left)
    for function in left:
        with pytest.raises((TypeError, ValueError)):
            tf.function(function, input_signature=signature)(model, tf.ones([2]))


def test_what_a_partial_binds_by_name_cannot_be_passed_by_place(recording: RecordFixture) -> None:
    """Nor what comes after it: an input signature that declares it is refused."""

    def scaled(x: Any, k: Any, rate: Any = 1.0, *, shift: Any = 0.0) -> Any:
        return x * k * rate + shift

    named, placed = functools.partial(scaled, k=2.0), functools.partial(scaled, tf.ones([2]), 2.0)
    with recording() as r:
        tf.function(named)(tf.ones([2]))
        tf.function(placed)()
        tf.function(functools.partial(named, shift=1.0))(tf.ones([2]))
    assert [list(t.function.keyword_only) for t in r.traces] == [
        ["shift", "k", "rate"], ["shift"], ["shift", "k", "rate"],
    ]  # fmt: skip
    assert [list(t.function.bound_by_name) for t in r.traces] == [["k"], [], ["shift", "k"]]
    with pytest.raises(TypeError, match="too many positional arguments"):
        tf.function(named, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([])])(tf.ones([2]))


def test_tf_data_functions_are_the_users(recording: RecordFixture) -> None:
    def double(x: Any) -> Any:
        return x * 2

    with recording() as r:
        for _ in range(2):
            list(tf.data.Dataset.range(3).map(double))
    traces = r.of("double")
    assert len(traces) == 2
    assert (traces[1].kind, traces[1].verdict) == ("recreated", "avoidable")
    assert (traces[0].function.file, traces[0].function.library) == (__file__, False)


def test_what_tf_data_makes_of_a_tf_function_is_another_function(recording: RecordFixture) -> None:
    """Each counts its own traces."""

    class Augmented:
        @tf.function
        def image(self, x: tf.Tensor, by: float = 2.0) -> tf.Tensor:
            return tf.cast(x, tf.float32) * by

    augmented = Augmented()
    with recording() as r:
        for _ in range(2):
            list(tf.data.Dataset.range(3).map(augmented.image).filter(tf.function(lambda x: x > 1)))
        augmented.image(tf.constant(1.0))
    made = [trace for trace in r.of("image") if trace.function.variant == "tf.data"]
    own = [trace for trace in r.of("image") if trace not in made]
    assert len(own) == augmented.image.experimental_get_tracing_count() == 2
    assert [(trace.kind, trace.object) for trace in own] == [("first", 1), ("retrace", 1)]
    assert [(trace.kind, trace.object) for trace in made] == [("first", 1), ("recreated", 2)]
    assert [trace.verdict for trace in made] == ["needed", "avoidable"]
    lambdas = {trace.function.variant for trace in r.of("<lambda>")}
    assert len(lambdas) == 2
    assert {variant.removeprefix("tf.data ") for variant in lambdas} < lambdas


def test_two_lambdas_of_one_line_are_two_functions(recording: RecordFixture) -> None:
    with recording() as r:
        for _ in range(2):
            first, second = tf.function(lambda x: x + 1), tf.function(lambda x: x * 2)  # noqa: E731, RUF100
            first(1), second(1)
    codes = collections.Counter(t.function.variant for t in r.of("<lambda>"))
    assert sorted(codes.values()) == [2, 2]
    assert [t.kind for t in r.traces] == ["first", "first", "recreated", "recreated"]


def test_two_calls_of_one_line_are_told_apart(recording: RecordFixture) -> None:
    def made(n: int) -> tf.data.Dataset:
        return tf.data.Dataset.range(n).map(lambda row: row + 1)

    def program() -> None:
        for _ in range(2):
            _ = made(2), made(3)

    with recording() as r:
        program()
    stacks = [[f for f in r.stacks[t.stack_id].frames if f.user] for t in r.traces if "<lambda>" in t.function.qualname]
    assert len({tuple((f.file, f.line) for f in stack) for stack in stacks}) == 1
    one, other, one_again, other_again = [tuple(f.instruction for f in stack) for stack in stacks]
    assert (one, other) == (one_again, other_again)
    # in the line that calls twice alone
    assert [a == b for a, b in zip(one, other, strict=True)][:3] == [True, False, True]
    assert 0 not in one


def test_restored_functions_are_told_apart(recording: RecordFixture, tmp_path: Path) -> None:
    class Module(tf.Module):  # type: ignore[misc]
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def double(self, x: Any) -> Any:
            return x * 2

        @tf.function
        def triple(self, x: Any, *, training: bool = False) -> Any:
            return x * 3

    module = Module()
    module.triple.get_concrete_function(tf.TensorSpec([None]))
    tf.saved_model.save(module, str(tmp_path / "saved"))
    restored = tf.saved_model.load(str(tmp_path / "saved"))
    with recording() as r:
        restored.double(tf.ones([2]))
        restored.triple(tf.ones([2]))
    assert [(t.function.variant, t.kind) for t in r.traces] == [("double", "first"), ("triple", "first")]
    assert [[*t.function.keyword_only] for t in r.traces] == [[], ["training"]]


def test_what_keras_makes_for_each_export_is_no_mistake(recording: RecordFixture, tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    with recording() as r:
        for number in range(2):
            model.export(str(tmp_path / str(number)), verbose=False)
    recreated = [trace for trace in r.traces if trace.kind == "recreated"]
    # the last Keras for Python 3.10 makes the second of them otherwise
    expected = {"__call__", "serving_default"} if sys.version_info >= (3, 11) else {"__call__"}
    assert {trace.function.name for trace in recreated} >= expected
    assert {trace.verdict for trace in recreated} == {"bounded"}
    made = {trace.function.name for trace in recreated if "for each export of a model" in trace.evidence}
    assert made >= expected


def test_a_nearer_signature_of_another_structure_is_the_closest(recording: RecordFixture) -> None:
    @tf.function
    def use(batch: Any, a: Any, b: Any) -> Any:
        return batch["x"]

    with recording() as r:
        use({"x": tf.ones([1]), "mask": tf.ones([1])}, tf.ones([1]), tf.ones([1]))
        use({"x": tf.ones([2])}, tf.ones([2]), tf.ones([2]))
        use({"x": tf.ones([2]), "mask": tf.ones([2])}, tf.ones([2]), tf.ones([2]))
    last = r.of("use")[2]
    assert (last.closest_n, changes(last)) == (2, [("structure", "batch['mask']", "no such key", "float32 (2,)")])


def test_names_of_arguments_behind_an_input_signature(recording: RecordFixture) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([2])])
    def add(*parts: Any) -> Any:
        return parts[0]

    def pair(first: Any, second: Any) -> Any:
        return first

    with recording() as r:
        add(tf.ones([3]), tf.ones([2]))
        for length in (2, 3):
            tf.data.Dataset.from_tensor_slices((tf.ones([length, length]), tf.ones([length]))).map(pair)
    assert [a.path for a in r.of("add")[0].signature.arguments] == ["parts[0]", "parts[1]"]
    assert ("shape", "first", "(2,)", "(3,)") in changes(r.of("pair")[1])


def test_names_of_the_parts_of_a_tf_data_element(recording: RecordFixture) -> None:
    point = collections.namedtuple("point", "a b")

    class Scale:
        def apply(self, batch: Any, *rest: Any) -> Any:
            return rest[0]

    def whole(element: Any) -> Any:
        return element["x"]

    element = {"y": point(tf.ones([2]), tf.ones([2])), "x": tf.ones([2])}
    with recording() as r:
        tf.data.Dataset.from_tensor_slices((element, tf.ones([2]), tf.ones([2]))).map(Scale().apply)
        tf.data.Dataset.from_tensors(element).map(whole)
        tf.data.Dataset.range(6).batch(2).map(lambda x: tf.RaggedTensor.from_row_lengths(x, [2])).map(
            functools.partial(lambda offset, ragged: ragged, 3)
        )
    paths = {
        t.function.name: [
            path for name, node in signature_from_proto(t.signature).arguments for path, _ in iter_leaves(name, node)
        ]
        for t in r.traces
    }
    assert paths["apply"] == ["batch['x']", "batch['y'].a", "batch['y'].b", "rest[0]", "rest[1]"]
    assert paths["whole"] == ["element['x']", "element['y'].a", "element['y'].b"]
    assert paths["<lambda>"] == ["ragged"]


def test_a_new_object_of_a_function_is_judged_by_what_it_closes_over(recording: RecordFixture) -> None:
    def make(number: Any, helper: Any) -> Any:
        @tf.function
        def scaled(x: Any) -> Any:
            return helper(x) * tf.cast(number, x.dtype)

        return scaled

    def make_helper() -> Any:
        return tf.function(lambda x: x + 1)

    table = {"a": 1}
    cases: list[tuple[int, Any, int]] = [
        (3, make_helper(), 2),  # the first
        (3, make_helper(), 2),  # a helper that was made anew, of the same code
        (4, make_helper(), 2),  # another number, so another graph
        (4, make_helper(), 5),  # only another shape, so another graph as well
        (4, lambda x: x - table["a"], 5),  # another helper
    ]
    with recording() as r:
        for number, helper, length in cases:
            make(number, helper)(tf.ones([length]))
    second, third, fourth, fifth = r.of("scaled")[1:]
    assert (second.verdict, third.verdict, fourth.verdict) == ("avoidable", "avoidable", "avoidable")
    assert "same graph" in second.evidence
    assert "`number`: 3 → 4" in third.evidence
    assert "closes over the same values" in fourth.evidence
    assert fifth.verdict == "bounded"
    assert "`helper`" in fifth.evidence


def test_what_an_object_of_the_same_closure_needs_a_trace_for_does_a_new_one(recording: RecordFixture) -> None:
    layers = [tf.keras.layers.Dense(1), tf.keras.layers.Dense(1)]
    for layer in layers:
        layer.build([2, 2])

    def make(layer: Any) -> Any:
        @tf.function
        def scaled(x: tf.Tensor, weights: Any = None) -> tf.Tensor:
            return layer(x) if weights is None else layer(x) * weights

        return scaled

    with recording() as r:
        for weights in (None, tf.ones([2, 1])):
            for layer in layers:
                make(layer)(tf.ones([2, 2]), weights)
    assert [trace.verdict for trace in r.of("scaled")] == ["needed", "unknown", "bounded", "bounded"]
    assert r.of("scaled")[3].evidence.startswith("Trace 2 had the same `layer`; compared with that one: `weights`")


def test_what_a_partial_binds_is_in_a_default_values_place() -> None:
    def clipped(x: Any, limit: float | None = 1.0) -> Any:
        return x if limit is None else tf.clip_by_value(x, -limit, limit)

    reader = ClosureReader(Values("short"))
    for bound, text in ((functools.partial(clipped, limit=None), "None"), (functools.partial(clipped, 3, 2.0), "2.0")):
        closure = reader.read(clipped, [bound])
        assert closure is not None
        assert [value.text for value in closure if value.name == "limit"] == [text]
        assert [value.is_bound for value in closure if value.name == "limit"] == [True]
    (by_default,) = reader.read(clipped) or ()
    assert not by_default.is_bound


def test_what_a_partial_of_a_method_binds_comes_after_self() -> None:
    class Trainer:
        def step(self, level: int, rate: float, x: Any) -> Any:
            return x * level * rate

    reader = ClosureReader(Values("short"))
    closure = reader.read(Trainer.step, [functools.partial(Trainer().step, 2, 0.5)])
    assert closure is not None
    assert [(value.name, value.text) for value in closure] == [("level", "2"), ("rate", "0.5")]


def test_functions_that_close_over_one_another_are_read_once_each() -> None:
    """There is no end of ways through them: the calls that Python makes are the measure, and no time."""

    def made(rate: float) -> Any:
        helpers: list[Any] = []

        def helper() -> Any:
            def one() -> Any:
                return [rate, other_0, other_1, other_2, other_3, other_4, other_5, other_6]

            return one

        other_0, other_1, other_2, other_3, other_4, other_5, other_6 = (helper() for _ in range(7))
        helpers += [other_0, other_1]
        return lambda x: [x, *helpers, other_0]

    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    reader = ClosureReader(Values("short"))
    functions = [made(rate) for rate in (1.0, 1.0, 2.0)]
    sys.setprofile(count)
    try:
        read = [reader.read(function) or () for function in functions]
    finally:
        sys.setprofile(None)
    assert calls < 60_000
    first, second, third = ([value.identity for value in one] for one in read)
    assert first == second != third


def test_a_model_that_is_compiled_again_is_the_same_below_many_functions(recording: RecordFixture) -> None:
    """With several steps per execution Keras wraps a function more around what closes over the model."""
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    with recording() as r:
        for _ in range(2):
            model.compile("sgd", "mse", steps_per_execution=2)
            model.predict_on_batch(np.ones([2, 3], np.float32))
    (_, again) = r.of("multi_step_on_data")
    assert "Keras makes this function anew when the model is compiled again" in again.evidence


def test_what_a_function_reads_of_itself_is_told_by_its_value() -> None:
    """Of a tf.function the code knows the name, and of none what TensorFlow has made of another one."""

    def made(rate: float) -> Any:
        @tf.function
        def step(x: Any) -> Any:
            return x * step.rate if x.shape.rank == 0 else step(x[0])

        step.rate = rate
        return step

    reader = ClosureReader(Values("short"))
    read = [reader.read(made(rate).python_function) or () for rate in (1.0, 1.0, 2.0)]
    assert [[(value.name, value.text) for value in one] for one in read] == [
        [("step.rate", text)] for text in ("1.0", "1.0", "2.0")
    ]
    first, second, third = (one[0].identity for one in read)
    assert first == second != third


def test_what_a_function_that_is_closed_over_reads_of_globals_is_within_it() -> None:
    script = """
def step(closure):
    return lambda: closure()
loss = step(lambda: w * rate * data)
"""
    namespace = {"data": tf.ones([2]), "w": tf.Variable(1.0), "rate": 0.5, "__name__": "__main__"}
    exec(compile(script, str(Path(__file__)), "exec"), namespace)
    reader = ClosureReader(Values("short"))

    def inside() -> dict[str, int]:
        (closure, *_) = reader.read(namespace["loss"]) or ()
        return {value.name: value.identity for value in closure.inside if value.is_global}

    before = inside()
    assert before.keys() == {"data", "w", "rate"}
    namespace["data"] = tf.zeros([2])
    assert {name for name, identity in inside().items() if before[name] != identity} == {"data"}


class Row(NamedTuple):
    rate: float
    steps: int


class Slots:
    __slots__ = ("rate",)

    def __init__(self, rate: float) -> None:
        self.rate = rate


@pytest.mark.parametrize(
    ("held", "other"),
    [
        (types.SimpleNamespace(rate=1.0), types.SimpleNamespace(rate=2.0)),
        (Row(1.0, 2), Row(2.0, 2)),
        (Slots(1.0), Slots(2.0)),
        (collections.defaultdict(int, a=1), collections.defaultdict(int, a=2)),
        ({"a": [range(3)]}, {"a": [range(4)]}),
        (np.dtype("float32"), np.dtype("float64")),
        ({n: n for n in range(100)}, {n: n for n in range(101)}),
        ([{"a": {"b": {"c": {"d": {"e": 1}}}}}], [{"a": {"b": {"c": {"d": {"e": 1}}}}}]),
        (np.mean, np.sum),
        (tf.tanh, tf.exp),
        (functools.partial(tf.reduce_mean, axis=0), functools.partial(tf.reduce_mean, axis=1)),
        (iter([1]), None),
    ],
)
def test_what_has_no_weak_reference_is_told_by_what_it_holds(held: Any, other: Any) -> None:
    """It would be another object each time that it is read, and be named as what has changed."""

    def closed_over(value: Any) -> Any:
        return lambda: value

    reader = ClosureReader(Values("short"))
    first, second, third = (
        identity.identity for value in (held, held, other) for identity in reader.read(closed_over(value)) or ()
    )
    assert (first == second) is (other is not None)
    assert second != third


def test_arrays_that_are_closed_over_are_alike_by_dtype_and_shape() -> None:
    def windowed(window: Any) -> Any:
        return lambda: tf.reduce_sum(window)

    reader = ClosureReader(Values("short"))
    read = [reader.read(windowed(np.zeros(shape, dtype))) or () for shape, dtype in ((8, "f4"), (8, "f4"), (9, "f4"))]
    (first,), (second,), (third,) = read
    assert (first.spec, first.is_tensor, first.tensors) == ("ndarray float32 (8,)", True, ())
    assert first.spec == second.spec != third.spec
    assert first.identity != second.identity
    (names,) = reader.read(windowed(np.array(["a", "b"]))) or ()
    assert not names.is_tensor


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_losses_and_metrics_of_keras_that_are_closed_over_are_told_to_be_such(library: str) -> None:
    """A loss of the user's may hold a model, as one on what its layers give."""
    keras = pytest.importorskip(library)

    class Perceptual(keras.losses.Loss):  # type: ignore[misc, name-defined]
        pass

    def closed_over(value: Any) -> Any:
        return lambda: value

    reader = ClosureReader(Values("short"))
    made = [keras.losses.Huber(), Perceptual(), keras.metrics.Mean(), keras.optimizers.SGD()]
    texts = [value.text for one in made for value in reader.read(closed_over(one)) or ()]
    assert texts == ["Huber loss object", "Perceptual object", "Mean metric", "SGD object"]


def test_steps(recording: RecordFixture) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x

    with recording() as r:
        step(1)
        set_step(7)
        step(2)
        set_step(None)
        tf.summary.experimental.set_step(9)
        step(3)
        tf.summary.experimental.set_step(tf.Variable(11, dtype=tf.int64))
        step(4)
        tf.summary.experimental.set_step(None)
    assert [t.step if t.HasField("step") else None for t in r.of("step")] == [None, 7, 9, 11]
    with pytest.raises(TypeError, match="integer"):
        set_step("1")  # type: ignore[arg-type]


def test_traces_before_recording_are_compared_with(recording: RecordFixture) -> None:
    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    total(tf.ones([2]))
    with recording() as r:
        total(tf.ones([3]))
    (trace,) = r.of("total")
    assert (trace.kind, trace.cached_before, trace.closest_seq) == ("retrace", 1, 0)
    assert changes(trace) == [("shape", "x", "(2,)", "(3,)")]


def test_threads(recording: RecordFixture) -> None:
    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with recording() as r:
        threads = [threading.Thread(target=lambda n=n: total(tf.ones([n])), name=f"t{n}") for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert r.count("total") == total.experimental_get_tracing_count() == 8
    assert {t.thread for t in r.of("total")} == {f"t{n}" for n in range(1, 9)}
    assert sorted(t.seq for t in r.traces) == list(range(1, len(r.traces) + 1))


def test_composite_arguments(recording: RecordFixture) -> None:
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        label: str

    Point = collections.namedtuple("Point", ["x", "y"])

    @tf.function
    def use(item: Any) -> Any:
        return tf.constant(1)

    with recording() as r:
        use(Masked(tf.ones([2]), "a"))
        use(Masked(tf.ones([3]), "a"))
        use(Masked(tf.ones([3]), "b"))
        use(Point(1, tf.ones([2])))
        use(Point(2, tf.ones([2])))
        use(tf.ragged.constant([[1], [2, 3]]))
        use(tf.ragged.constant([[1], [2, 3], [4]]))
        use(iter(tf.data.Dataset.range(2)))
        use(iter(tf.data.Dataset.range(2).batch(2)))
    assert r.count("use") == use.experimental_get_tracing_count() == 9
    found = [[c[:2] for c in changes(t)] for t in r.of("use")]
    assert found[1] == [("shape", "item.values")]
    assert found[2] == [("python_value", "item.label")]
    assert found[4] == [("python_value", "item.x")]
    assert found[6] == [("composite_spec", "item")]
    assert found[8] == [("composite_spec", "item")]


def test_what_an_iterators_elements_lie_in(recording: RecordFixture) -> None:
    x = tf.ones([4, 2])

    @tf.function
    def use(item: Any) -> Any:
        return tf.constant(1)

    with recording() as r:
        for element in (x, (x,), {"a": x}, {"b": x}, ((x,),)):
            use(iter(tf.data.Dataset.from_tensor_slices(element)))
    assert r.count("use") == use.experimental_get_tracing_count() == 5
    assert [[c[:2] for c in changes(t)] for t in r.of("use")][1:] == [[("composite_spec", "item")]] * 4


def test_nothing_of_the_users_is_kept_alive(recording: RecordFixture) -> None:
    class Thing:
        pass

    with recording():
        thing, variable = Thing(), tf.Variable(1.0)

        @tf.function
        def use(t: Any, v: Any) -> Any:
            return v + 1.0

        use(thing, variable)
        use.get_concrete_function(thing, tf.TensorSpec([2]))  # never executed: its timer stays
        concrete = use.get_concrete_function(thing, variable)
        alive = [weakref.ref(o) for o in (thing, variable, use, concrete, concrete.graph)]
        del thing, variable, use, concrete
        gc.collect()
        assert [ref() for ref in alive] == [None] * len(alive)


#: Python 3.12 tells of instructions in some frames only; functions are counted there all the same.
_OPCODES_ARE_LOST = sys.version_info[:2] == (3, 12)


def python_calls_and_opcodes(call: Callable[[], object]) -> tuple[list[str], int]:
    """Every Python function that runs, and how many bytecode instructions in all."""
    calls: list[str] = []
    opcodes = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal opcodes
        frame.f_trace_opcodes = True
        if event == "call":
            calls.append(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")
        opcodes += event == "opcode" and not _OPCODES_ARE_LOST
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return calls, opcodes


def test_a_cached_call_runs_no_code_of_ours(recording: RecordFixture) -> None:
    def make() -> Any:
        @tf.function
        def total(x: Any) -> Any:
            return tf.reduce_sum(x)

        return total

    x = tf.ones([2])
    never_recorded, recorded = make(), make()
    for _ in range(3):
        never_recorded(x)
    plain = python_calls_and_opcodes(lambda: never_recorded(x))
    with recording():
        for _ in range(3):
            recorded(x)
        while_recording = python_calls_and_opcodes(lambda: recorded(x))
        python_calls_and_opcodes(lambda: never_recorded(x))
    assert plain[1] > 100 or _OPCODES_ARE_LOST
    assert len(plain[0]) > 5
    assert while_recording == plain
    assert python_calls_and_opcodes(lambda: recorded(x)) == plain
    assert not any("tb_retrace_plugin" in call for call in while_recording[0])


@pytest.mark.newest
def test_a_trace_calls_no_more_functions_of_ours(recording: RecordFixture) -> None:
    """Of plain values, asked for: all is done in the calling thread. The most is a tenth above the 218 that were
    counted on 2026-11-29: what is added has to be looked at (docs/benchmarks.md)."""
    ours = 0

    def count(frame: Any, event: str, _argument: Any) -> None:
        nonlocal ours
        ours += event == "call" and "tb_retrace_plugin" in frame.f_code.co_filename

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * 2.0 + k

    x, trace = tf.ones([4]), scaled.get_concrete_function
    before = sys.getprofile()
    with recording() as r:
        for k in range(100):  # from then on a graph in ten is stored
            trace(x, k)
        sys.setprofile(count)
        try:
            for k in range(100, 120):
                trace(x, k)
        finally:
            sys.setprofile(before)
    assert r.count("scaled") == 120
    assert 150 < ours / 20 < 240


def test_the_hook_is_gone_after_recording(recording: RecordFixture) -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    before = tracing_compilation._create_concrete_function
    with recording():
        assert tracing_compilation._create_concrete_function is not before
    assert tracing_compilation._create_concrete_function is before


def test_exceptions_pass_through_unchanged(recording: RecordFixture) -> None:
    class Mine(BaseException):
        pass

    def fail() -> None:
        raise Mine("no")

    with recording() as r, pytest.raises(Mine, match=r"^no$"):
        tf.function(fail, autograph=False)()
    assert [(t.failed, t.error) for t in r.of("fail")] == [(True, "Mine: no")]


def test_hostile_arguments_lose_nothing(recording: RecordFixture) -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError("repr")

        def __str__(self) -> str:
            raise RuntimeError("str")

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(name)

    @tf.function(autograph=False)
    def use(h: Any, text: Any = "") -> Any:
        return tf.constant(1)

    with recording() as r:
        use(Hostile())
        use(Hostile(), "\ud800" * 3)
        use(Hostile(), "x" * 100_000)
    assert r.count("use") == use.experimental_get_tracing_count() == 3
    assert all(len(c.new) <= 300 for t in r.of("use") for c in t.changes)


def test_a_fork_leaves_the_file_alone(tmp_path: Path) -> None:
    program = tmp_path / "forks.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import os, sys
            import tensorflow as tf
            from tb_retrace_plugin import start, stop
            f = tf.function(lambda x: x)
            start({str(tmp_path / "logs")!r})
            f(1)
            child = os.fork()
            if child == 0:
                f.get_concrete_function(2)
                os._exit(0)
            os.waitpid(child, 0)
            f(3)
            stop()
            """
        )
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, str(program)], env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    from tests.capture.conftest import Recorded

    recorded = Recorded(tmp_path / "logs").read()
    assert [changes(t) for t in recorded.of("<lambda>")] == [[], [("python_value", "x", "1", "3")]]
    assert recorded.losses == {}


def test_code_that_was_replaced_in_a_function_has_a_place_of_its_own(recording: RecordFixture) -> None:
    """As IPython's autoreload does when a module was edited."""

    def scaled(x: Any, by: int) -> Any:
        return x * by

    def edited(x: Any, by: int) -> Any:
        return x * by + 1

    compiled = tf.function(scaled, autograph=False)
    before, after = scaled.__code__.co_firstlineno, edited.__code__.co_firstlineno
    with recording() as r:
        compiled(tf.ones([2]), 1)
        scaled.__code__ = edited.__code__
        compiled(tf.ones([2]), 2)
    assert [t.function.line for t in r.of("scaled")] == [before, after]
    assert before < after


def test_metrics_that_are_made_anew(recording: RecordFixture) -> None:
    @tf.function
    def update(metric: Any, x: Any) -> None:
        metric.update_state(x)

    kept = [tf.keras.metrics.Mean() for _ in range(2)]
    with recording() as r:
        for metric in (*kept, tf.keras.metrics.Sum()):
            update(metric, tf.ones([2]))
    assert r.count("update") == update.experimental_get_tracing_count() == 3
    _, another_mean, a_sum = r.of("update")
    assert another_mean.evidence.startswith("`metric` is another metric, and its graph is the same but for the")
    assert (another_mean.verdict, a_sum.verdict) == ("unknown", "bounded")
    assert "reset_state" not in a_sum.evidence  # it is of another class, and computes something else


def test_variables_that_are_made_anew_are_told_from_those_that_are_kept(recording: RecordFixture) -> None:
    @tf.function
    def total(weights: Any) -> Any:
        return tf.reduce_sum(weights["w"])

    kept = [tf.Variable(tf.ones([size])) for size in (2, 3, 4)]
    with recording() as r:
        for variable in kept:
            total({"w": variable})
        for size in (5, 6, 7):
            variable = tf.Variable(tf.ones([size]))
            total({"w": variable})
    # the first new one is compared with one that is kept
    assert [t.verdict for t in r.traces] == ["needed", "bounded", "bounded", "bounded", "unknown", "unknown"]
    assert "`weights['w']` is a variable of another shape, and the earlier one no longer" in r.traces[-1].evidence


def test_no_variable_that_was_passed_is_kept_alive(recording: RecordFixture) -> None:
    @tf.function
    def total(w: Any) -> Any:
        return tf.reduce_sum(w)

    with recording() as r:
        variable = tf.Variable(tf.ones([2]))
        known = weakref.ref(variable)
        total(variable)
        del variable
        assert known() is None
    assert len(r.traces) == 1


def test_what_is_told_of_ragged_sparse_and_dense_tensors_holds(recording: RecordFixture) -> None:
    def total(x: Any) -> Any:
        if isinstance(x, tf.SparseTensor):
            return tf.sparse.reduce_sum(x)
        return tf.reduce_sum(x)

    dense = tf.ones([2, 2, 3])
    once = tf.RaggedTensor.from_row_lengths(tf.ones([4, 3]), [1, 3])
    twice = tf.RaggedTensor.from_nested_row_lengths(tf.ones([12]), [[1, 3], [3] * 4])
    function = tf.function(total)
    with recording() as r:
        for x in (dense, tf.sparse.from_dense(dense), once, twice):
            function(x)
    assert [t.verdict for t in r.traces] == ["needed", "unknown", "unknown", "unknown"]
    told = [t.evidence for t in r.traces]
    assert "Passed as `tf.sparse.to_dense(x)`, it needs no trace but that of a dense tensor" in told[1]
    assert "`x` is a ragged tensor, and was" in told[2]
    assert "`x` is of ragged rank 2, and was of 1" in told[3]
    assert "both are dense tensors of 3 dimensions, for which one signature does." in told[3]
    declared = tf.function(total, input_signature=[tf.TensorSpec([None] * 3)])
    for x in (dense, tf.sparse.to_dense(tf.sparse.from_dense(dense)), once.to_tensor(), twice.to_tensor()):
        assert declared(x) == 12.0
    assert declared.experimental_get_tracing_count() == 1


def test_what_stands_in_for_a_function_whose_first_call_failed(recording: RecordFixture) -> None:
    """As TensorFlow has it: where that had created variables later calls do nothing, and give None."""
    made: list[Any] = []

    @tf.function
    def step(x: Any) -> Any:
        made.append(tf.Variable(1.0))
        return x + undefined  # type: ignore[name-defined]  # noqa: F821

    with recording() as r:
        with pytest.raises(NameError):
            step(tf.ones([2]))
        assert step(tf.ones([2])) is None
        assert step(tf.ones([3])) is None
    failed, *empty = r.traces
    assert (failed.function.name, failed.failed) == ("step", True)
    assert [(t.function.name, t.function.library, t.verdict) for t in empty] == [("<lambda>", True, "avoidable")] * 2
    assert all(t.evidence == STANDS_IN for t in empty)


def test_a_function_object_that_xla_compiles_beside_one_that_it_does_not(recording: RecordFixture) -> None:
    def scaled(x: Any) -> Any:
        return x * 2.0

    plain, compiled, again = tf.function(scaled), tf.function(scaled, jit_compile=True), tf.function(scaled)
    widened, once_more = (tf.function(scaled, reduce_retracing=True) for _ in range(2))
    with recording() as r:
        for function in (plain, compiled, again, widened, once_more):
            function(tf.ones([2]))
    assert [(t.kind, t.verdict) for t in r.of("scaled")] == [
        ("first", "needed"), ("recreated", "bounded"), ("recreated", "avoidable"), ("recreated", "bounded"),
        ("recreated", "avoidable"),
    ]  # fmt: skip
    assert r.of("scaled")[1].evidence == COMPILED_OTHERWISE
    assert r.of("scaled")[3].evidence == WIDENED_OTHERWISE
