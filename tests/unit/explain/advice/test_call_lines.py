"""The user's own line of a call, found by the function's name or, where that is another one, by what it passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.source.call_lines import call_code
from tb_retrace_plugin.explain.advice.source.code import UNLESS_NONE
from tb_retrace_plugin.explain.advice.source.edited_calls import rewritten
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature

PARAMETERS = ("x", "lr", "training")
WRAPS = {"lr": "tf.constant({})"}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("loss = agent.step(x, 0.1 / (i + 1))", "loss = agent.step(x, tf.constant(0.1 / (i + 1)))"),
        ("loss = agent(x, lr=rate(i), training=True)", "loss = agent(x, lr=tf.constant(rate(i)), training=True)"),
        ("print(float(agent(x, i)))", "print(float(agent(x, tf.constant(i))))"),
        ("größe, é = agent(x, 'grüße' if é else k), 'ü'", "größe, é = agent(x, tf.constant('grüße' if é else k)), 'ü'"),
        ("for loss in steps[0](x, 2): # of two", "for loss in steps[0](x, tf.constant(2)):"),
        ("loss = agent(*batch, 0.1)", None),
        ("loss = agent(x, **options)", "loss = agent(x, **{**options, 'lr': tf.constant(options['lr'])})"),
        ("loss = agent(x, **options())", None),
        ("loss = agent(*batch, **options)", None),
        ("loss = agent(x)", None),  # it is passed by somebody else
        ("loss = agent(x, 0.1, verbose=True)", None),
        ("loss = tf.add(x, 0.1)", None),
        ("agent(x, 0.1) + other(x, 0.2)", None),  # which of them?
        ("loss = x @ y", None),
        ("losses = starmap(_step, calls)", None),  # which calls it
        ("losses = each(agent._step, 0.1)", None),
    ],
)
def test_a_call_by_another_name(line: str, changed: str | None) -> None:
    assert rewritten(line, "_step", PARAMETERS, WRAPS, optional={"training"}, any_name=True) == changed
    assert rewritten(line, "_step", PARAMETERS, WRAPS) is None  # where another function may have called it


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("step(tf.cast(a, tf.float64))", "step(tf.cast(tf.cast(a, tf.float64), tf.float32))"),
        ("step(tf.cast(a, kinds[i]))", "step(tf.cast(tf.cast(a, kinds[i]), tf.float32))"),
        ("step(tf.cast(a, tf.float32))", None),  # as it is to be
    ],
)
def test_a_cast_to_another_dtype_is_cast(line: str, changed: str | None) -> None:
    assert rewritten(line, "step", ["x"], {"x": "tf.cast({}, tf.float32)"}) == changed


def test_a_name_that_the_line_gives_stays() -> None:
    assert rewritten("step(x, (c := Config()))", "step", ["x", "k"], {"k": "kept"}) == "step(x, (c := kept))"
    unless_none = {"k": UNLESS_NONE + "tf.constant({0})"}
    assert rewritten("step(x, (c := get(i)))", "step", ["x", "k"], unless_none) == (
        "step(x, (None if (c := get(i)) is None else tf.constant(c)))"
    )


def test_what_stars_take_has_no_name_to_pass_it_by() -> None:
    """Neither a caller's name nor a parameter's: `args[1]=…` is no Python."""
    signature = Signature((("x", Node("tensor")), ("args[0]", Node("tensor", dtype="float64"))))
    function = FunctionFacts("step", [Traced(Lookup(signature))])
    wraps = {"args[0]": "tf.cast({}, tf.float32)"}
    code = call_code(function, wraps, Candidate(dtypes={"args[0]": "float32"}))
    assert code == "tf.cast(args[0], tf.float32)  # in place of args[0], at each call"


def test_the_functions_own_name_comes_first() -> None:
    line, changed = "loss = step(x, decay(0.1, i))", "loss = step(x, tf.constant(decay(0.1, i)))"
    assert rewritten(line, "step", PARAMETERS, WRAPS, optional={"training"}, any_name=True) == changed


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("r = fast(**tok(k), lr=2)", None),  # `tok(k)` may be it as well
        ("r = fast(**tok(k, 1, 2, 3), lr=2)", "r = fast(**tok(k, 1, 2, 3), lr=tf.constant(2))"),
        ("agent.step(env.step(x, k), k)", None),  # which `step`?
        ("agent.step(x, 1) + agent.step(x, 2)", "agent.step(x, tf.constant(1)) + agent.step(x, tf.constant(2))"),
        ("Agent.step(agent, x, k, True)", None),
        ("step(k)", None),  # a partial of it, which has passed something before
        ("step.get_concrete_function(spec, 0.1)", "step.get_concrete_function(spec, tf.constant(0.1))"),
        ("try: out = step(x, k)", "try: out = step(x, tf.constant(k))"),
        ("except Error: out = step(x, k)", "except Error: out = step(x, tf.constant(k))"),
        ("else: out = step(x, k)", "else: out = step(x, tf.constant(k))"),
        ("elif step(x, k):", "elif step(x, tf.constant(k)):"),
        ("b=step(x, k))", None),  # of a longer statement
        ("out.append(fast(x, k))", "out.append(fast(x, tf.constant(k)))"),  # known by another name here
        ("seen.add(slow(fast(x, k), k))", None),
        ("pool.add(x, k)", "pool.add(x, tf.constant(k))"),
        ("losses = [float(slow(b)) for b in batches(va, 3)]", None),  # what is gone through is not it
        ("losses = [fast(b, k) for b in batches(va, 3)]", "losses = [fast(b, tf.constant(k)) for b in batches(va, 3)]"),
        ("for row in fast(x, k):", "for row in fast(x, tf.constant(k)):"),
    ],
)
def test_a_line_is_changed_where_it_is_certain_which_call_it_is(line: str, changed: str | None) -> None:
    optional = {"training", *(["lr"] if "tok" in line else [])}
    assert rewritten(line, "step", PARAMETERS, WRAPS, optional=optional, any_name=True) == changed


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("loss = step(x, lr)", "loss = step(x, tf.constant(lr))"),  # `training` is bound by its name
        ("loss = fast(x, lr)", "loss = fast(x, tf.constant(lr))"),
        (
            "losses = [float(fast(x, lr)) for x in batches(va, 3)]",
            "losses = [float(fast(x, tf.constant(lr))) for x in batches(va, 3)]",
        ),
        ("loss = step(lr, training)", "loss = step(tf.constant(lr), training)"),  # the first is bound by its place
        ("loss = step(lr=0.1, training=training)", None),  # by a name it may be either
        ("loss = step(training, 0.1)", None),
        ("loss = step(a, 0.1)", None),
        ("losses = starmap(step, lr)", None),
    ],
)
def test_a_call_of_a_partial_is_known_by_the_names_of_what_it_passes(line: str, changed: str | None) -> None:
    assert rewritten(line, "step", PARAMETERS, WRAPS, any_name=True) == changed
    assert rewritten(line, "step", PARAMETERS, WRAPS) is None


def test_of_a_partial_no_call_with_all_parameters_is_made_up() -> None:
    signature = Signature((("x", Node("tensor")), ("lr", Node("literal", "float", "0.1")), ("k", Node("tensor"))))
    traced = Traced(Lookup(signature), stack=(Frame("train.py", 3, "main", "step(a, 0.1)", True),))
    code = call_code(FunctionFacts("step", [traced]), WRAPS, Candidate(numbers={"lr": "float32"}))
    assert code == "tf.constant(lr)  # in place of lr, at each call"


def frame(file: str, *, user: bool = False) -> Frame:
    return Frame(file, 1, "f", "", user)


@pytest.mark.parametrize(
    ("within", "directly"),
    [
        ((), True),
        (("/x/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py",), True),
        (("C:\\tensorflow\\python\\eager\\x.py",), True),
        (("/x/tensorflow/python/eager/x.py", "/x/site-packages/scipy/optimize/_minimize.py"), False),
        (("/x/keras/src/trainer.py",), False),
    ],
)
def test_who_called(within: tuple[str, ...], directly: bool) -> None:
    stack = (*map(frame, within), frame("/home/user/train.py", user=True), frame("/usr/lib/python3/runpy.py"))
    traced = Traced(Lookup(Signature()), stack=stack)
    assert FunctionFacts("step", [traced]).calls_directly(traced) is directly


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("step(*batch, 0.1)", "step(*batch, tf.constant(0.1))"),  # the last parameter
        ("step(*batch, lr=0.1)", "step(*batch, lr=tf.constant(0.1))"),
        ("step(**batch, lr=0.1)", "step(**batch, lr=tf.constant(0.1))"),
        ("step(*everything)", None),
        ("step(*batch, *rest, 0.1)", None),
    ],
)
def test_what_is_starred(line: str, changed: str | None) -> None:
    assert rewritten(line, "step", ("x", "lr"), WRAPS) == changed


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("step(x)", "step(x, lr=tf.constant(0.5))"),
        ("step(x,)", "step(x, lr=tf.constant(0.5))"),
        ("step()", None),  # it has to be passed `x`
        ("step(*batch)", None),
    ],
)
def test_what_is_left_to_its_default(line: str, changed: str | None) -> None:
    assert rewritten(line, "step", ("x", "lr"), WRAPS, defaults={"lr": "0.5"}) == changed
    several = {"lr": "tf.constant({})", "rho": "tf.constant({})"}
    defaults = {"lr": "0.5", "rho": "2"}
    both = None if changed is None else changed.replace("0.5)", "0.5), rho=tf.constant(2)")
    assert rewritten(line, "step", ("x", "lr", "rho"), several, defaults=defaults) == both
    assert rewritten(line, "step", ("x", "lr"), WRAPS, defaults={"lr": "None"}) is None  # as it is


def test_a_starred_call_that_may_leave_something_to_its_default_is_not_guessed() -> None:
    assert rewritten("step(*batch, 0.1)", "step", PARAMETERS, WRAPS, optional={"training"}) is None


def traced(line: str, number: int, *, nested: bool = False, **values: object) -> Traced:
    def node(value: object) -> Node:
        if value is Ellipsis:
            return Node("tensor", dtype="float32", shape=(2,))
        return Node("literal", type_name=type(value).__name__, value=repr(value), identity=hash(value) + 1000)

    signature = Signature(tuple((name, node(value)) for name, value in values.items()))
    called = Frame("/home/user/train.py", number, "main", line, True)
    return Traced(Lookup(signature), stack=(called,), nested=nested)


NUMBERS = Candidate(numbers={"lr": "float32"})


def code(*traces: Traced, candidate: Candidate = NUMBERS, wraps: dict[str, str] = WRAPS, **fields: object) -> str:
    return call_code(FunctionFacts("step", traces, **fields), wraps, candidate)  # type: ignore[arg-type]


def test_every_line_that_calls_is_shown() -> None:
    defaults = frozenset({"lr"})
    traces = [traced("step(x, rate)", 1, x=..., lr=0.1), traced("step(x)", 2, x=..., lr=0.5)]
    assert code(*traces, with_default=defaults).splitlines() == [
        "step(x, tf.constant(rate))", "step(x, lr=tf.constant(0.5))",
    ]  # fmt: skip
    unread = traced("step(*arguments)", 3, x=..., lr=0.1)
    assert code(*traces, unread, with_default=defaults).splitlines()[2:] == [
        "# and by hand in line 3: step(*arguments)"
    ]
    wide = {"lr": "tf.constant({}, tf.float32)"}  # of what is written as a whole number another tensor would come
    assert code(*traces, unread, wraps=wide, with_default=defaults).splitlines()[2:] == [
        "# and by hand, with tf.constant(…, tf.float32), in line 3: step(*arguments)"
    ]
    many = [traced(f"step(x{n}, rate)", n, x=..., lr=0.1) for n in range(9)]
    assert code(*many).splitlines()[5:] == ["# … and so in 4 more lines"]
    assert code(unread) == "tf.constant(lr)  # in place of lr, at each call"  # none can be read: made up
    assert code(traced("", 3, x=..., lr=0.1)) == "step(x, tf.constant(lr))"


def test_lines_that_the_cache_has_served_are_changed_as_well() -> None:
    """Of which no trace is recorded: with the others changed they would be traced."""

    def elsewhere(*lines: str) -> list[str]:
        others = tuple(Frame("/home/user/train.py", n, "", line, True) for n, line in enumerate(lines, 2))
        first = replace(traced("loss = step(x, 0.1)", 1, x=..., lr=0.1), other_calls=others)
        return code(first, traced("step(x, 0.2)", 3, x=..., lr=0.2)).splitlines()[2:]

    assert elsewhere("return step(v, 0.1)", "step(x, 0.2)") == ["return step(v, tf.constant(0.1))"]
    assert elsewhere("step(v, rate)  # again") == ["step(v, tf.convert_to_tensor(rate))"]
    assert elsewhere("step(v, **given)") == ["step(v, **{**given, 'lr': tf.convert_to_tensor(given['lr'])})"]
    assert elsewhere("self.step(v, 0.1)", "_", "step(v, tf.constant(0.1))", "step(v, None)", "step(v)") == []
    assert elsewhere("step(*arguments)") == ["# and by hand in line 2: step(*arguments)"]


def test_a_default_value_is_that_of_a_line_that_leaves_it_out() -> None:
    """What a line traced last was passed, perhaps, by another of its calls."""
    both = [traced("step(x) - step(x, 6.0)", 1, x=..., lr=value) for value in (0.5, 6.0)]
    defaults = frozenset({"lr"})
    assert code(*both, with_default=defaults) == "step(x, tf.constant(lr))"
    alone = traced("y = step(x)", 2, x=..., lr=0.5)
    assert code(alone, *both, with_default=defaults).splitlines() == [
        "y = step(x, lr=tf.constant(0.5))", "step(x, lr=tf.constant(0.5)) - step(x, tf.constant(6.0))",
    ]  # fmt: skip
    made_again = traced("y = step(x)", 2, x=..., lr=0.7)  # with another default value
    assert code(alone, made_again, *both, with_default=defaults) == "step(x, tf.constant(lr))"
    # a `functools.partial` passes it: the line could not, if it calls others, too
    bound = [traced("total += step(x)", 3, x=..., lr=value) for value in (0.5, 6.0)]
    assert code(alone, *bound, with_default=defaults).splitlines() == [
        "y = step(x, lr=tf.constant(0.5))", "# and by hand in line 3: total += step(x)",
    ]  # fmt: skip


def test_what_a_librarys_call_leaves_out_is_the_default() -> None:
    """As Keras calls a loss that it is given: `model.fit(…)` cannot pass it anything."""
    own, fitted = traced("step(x, 6.0)", 1, x=..., lr=6.0), traced("model.fit(x)", 2, x=..., lr=0.5)
    keras = Frame("/site-packages/keras/src/losses/loss.py", 9, "call", "self.fn(y, p)", False)
    fitted = replace(fitted, stack=(keras, *fitted.stack))
    uses = {"with_default": frozenset({"lr"}), "python_uses": ("lr: 0.5 by default",)}
    assert code(own, fitted, **uses).splitlines() == [
        "step(x, tf.constant(6.0))",
        "def step(…, lr=tf.constant(0.5)):  # the library's call in line 2 leaves it out",
    ]
    other = {**uses, "python_uses": ("lr: 0.7 by default",)}
    assert code(own, fitted, **other).splitlines()[1:] == ["# and by hand in line 2: model.fit(x)"]


def test_a_whole_number_among_floats_becomes_a_float() -> None:
    """TensorFlow serves it with the trace of the equal float, which a tensor of whole numbers would not be."""
    found = code(traced("step(x, 3.0), step(x, -2), step(x, rate)", 1, x=..., lr=3.0))
    assert found == "step(x, tf.constant(3.0)), step(x, tf.constant(-2, tf.float32)), step(x, tf.constant(rate))"


def test_what_is_in_an_argument_is_changed_under_the_lines_own_name() -> None:
    def holding(number: int, line: str, *, none: bool = False) -> Traced:
        traced_ = traced(line, 1, lr=0.1)
        at = Node("literal", "NoneType", value="None") if none else Node(
            "dict", "dict", children=(("['n']", Node("literal", "int", value=str(number), identity=number)),)
        )  # fmt: skip
        return replace(traced_, lookup=Lookup(Signature((("batch", at), *traced_.lookup.signature.arguments))))

    def of(line: str, *more: Traced, both: bool = False) -> list[str]:
        wraps = {"batch['n']": "tf.constant({})", **(WRAPS if both else {})}
        numbers = {"batch['n']": "int32", **({"lr": "float32"} if both else {})}
        traces = [*more, holding(1, line), holding(2, line)]
        return code(*traces, candidate=Candidate(numbers=numbers), wraps=wraps).splitlines()

    # in a copy, so that what the caller has stays as it is
    assert of("step(b, 0.1)") == ["step({**b, 'n': tf.constant(b['n'])}, 0.1)"]
    assert of("step(b, rate)", both=True) == ["step({**b, 'n': tf.constant(b['n'])}, tf.constant(rate))"]
    assert of("step({'n': rate(i), 'm': 2}, 0.1)") == ["step({'n': tf.constant(rate(i)), 'm': 2}, 0.1)"]
    assert of("for b in data: step(b, 0.1)") == ["for b in data: step({**b, 'n': tf.constant(b['n'])}, 0.1)"]
    optional = of("step(b, 0.1)", holding(0, "step(b, 0.1)", none=True))
    assert optional == ["if b is not None: b['n'] = tf.constant(b['n'])"]
    unnamed = ["batch['n'] = tf.constant(batch['n'])  # before each call, in what it passes for batch"]
    looked_up = """step({**data[i]["x"], 'n': tf.constant(data[i]["x"]['n'])}, 0.1)"""
    assert of('step(data[i]["x"], 0.1)') == [looked_up]
    assert of("step({'n': 1, **more}, 0.1)") == of("step(next(data), 0.1)") == of("step(data[i + 1], 0.1)") == unnamed
    empty = replace(holding(1, ""), lookup=Lookup(Signature((("batch", Node("dict", "dict")),))))
    assert of("step(b, 0.1)", empty) == ["if 'n' in b: b['n'] = tf.constant(b['n'])"]
    both_missing = of("step(b, 0.1)", empty, holding(0, "step(b, 0.1)", none=True))
    assert both_missing == ["if b is not None and 'n' in b: b['n'] = tf.constant(b['n'])"]


def test_a_dictionary_of_a_users_class_is_not_copied() -> None:
    """`Config(dict)` with attributes of its own: a plain one lacks those."""

    def of(key: str = "['n']", **fields: str) -> str:
        held = Node("dict", "dict", children=((key, Node("literal", "int", value="1", identity=1)),), **fields)
        trace = replace(traced("step(cfg)", 1, x=...), lookup=Lookup(Signature((("cfg", held),))))
        return code(trace, candidate=Candidate(numbers={f"cfg{key}": "int32"}), wraps={f"cfg{key}": "tf.constant({})"})

    assert of() == "step({**cfg, 'n': tf.constant(cfg['n'])})"
    assert of("[3]") == "step({**cfg, 3: tf.constant(cfg[3])})"
    assert of(class_name="train.Config") == "cfg['n'] = tf.constant(cfg['n'])"
    assert of("['{n}']") == "cfg['{n}'] = tf.constant(cfg['{n}'])"


@pytest.mark.parametrize(
    ("line", "where"),
    [("step(x)", "what cfg has by default"), ("step(*batch)", "what it passes for cfg"),
     ("step(x, {**cfg})", "what it passes for cfg"), ("loop(step)", "what it passes for cfg")],
)  # fmt: skip
def test_what_changes_in_a_default_value_is_changed_there(line: str, where: str) -> None:
    """`def step(x, cfg=CFG)`: the program changes CFG, and its calls pass nothing for it."""
    trace = traced(line, 1, x=...)
    cfg = Node("dict", "dict", children=(("['n']", Node("literal", "float", value="0.5", identity=1)),))
    trace = replace(trace, lookup=Lookup(Signature((*trace.lookup.signature.arguments, ("cfg", cfg)))))
    function = FunctionFacts("step", [trace], with_default=frozenset({"cfg"}))
    changed = call_code(function, {"cfg['n']": "tf.constant({})"}, Candidate(numbers={"cfg['n']": "float32"}))
    assert changed == f"cfg['n'] = tf.constant(cfg['n'])  # before each call, in {where}"
    cfg = Node("list", "list", children=tuple((f"[{i}]", cfg.children[0][1]) for i in range(4)))
    trace = replace(trace, lookup=Lookup(Signature((*trace.lookup.signature.arguments[:-1], ("cfg", cfg)))))
    function = FunctionFacts("step", [trace], with_default=frozenset({"cfg"}))
    whole = call_code(function, {"cfg": "tf.constant({})"}, Candidate(stacked={"cfg": "float32"}))
    assert ("# cfg: what it has by default" in whole) == (line == "step(x)")


def test_an_option_that_is_none_in_some_calls_of_a_line() -> None:
    traces = [traced("step(x, lr)", 1, x=..., lr=None), traced("step(x, lr)", 1, x=..., lr=0.1)]
    assert code(*traces) == "step(x, None if lr is None else tf.constant(lr))"
    traces = [traced("step(x, 0.1) if fast else step(x, lr)", 1, x=..., lr=value) for value in (None, 0.1)]
    assert code(*traces) == "step(x, tf.constant(0.1)) if fast else step(x, None if lr is None else tf.constant(lr))"
    # where this line passes None, the other's trace may have served
    apart = [traced("step(x, None)", 1, x=..., lr=None), traced("step(x, lr)", 2, x=..., lr=0.1)]
    assert code(*apart) == "step(x, None if lr is None else tf.constant(lr))"
    computed = [traced("step(x)", 1, x=..., lr=None), traced("step(x, 0.1 / epoch)", 2, x=..., lr=0.1)]
    assert code(*computed, with_default=frozenset({"lr"})) == "step(x, tf.constant(0.1 / epoch))"


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("step(x, None if greedy else 0.5 * n)", "step(x, None if greedy else tf.constant(0.5 * n))"),
        ("step(x, rate if n else None)", "step(x, None if rate is None else tf.constant(rate) if n else None)"),
        ("step(x, float(rates[0]))", "step(x, tf.constant(float(rates[0])))"),
        ("step(x, next(rates))", "step(x, None if (given := next(rates)) is None else tf.constant(given))"),
        ("step(x, None if lr is None else tf.constant(lr))", None),
        ("step(x, [1, 2])", "step(x, tf.constant([1, 2]))"),
        ("step(x, [n for n in rates])", "step(x, tf.constant([n for n in rates]))"),
        ('step(x, f"{n}")', 'step(x, tf.constant(f"{n}"))'),
        ("step(x, lambda v: v)", "step(x, tf.constant(lambda v: v))"),
        ("step(x, None)", None),
    ],
)
def test_what_is_computed_beside_none_is_computed_once(line: str, changed: str | None) -> None:
    wraps = {"lr": UNLESS_NONE + "tf.constant({0})"}
    assert rewritten(line, "step", ("x", "lr"), wraps) == changed


def test_within_another_trace_it_may_be_a_tensor_already() -> None:
    assert code(traced("step(x, lr)", 1, nested=True, x=..., lr=0.1)) == "step(x, tf.convert_to_tensor(lr))"


def test_a_cast_keeps_its_dtype_of_a_number_that_is_written_out() -> None:
    wraps = {"lr": "tf.cast({}, tf.float32)"}
    assert rewritten("step(x, 2.0)", "step", ("x", "lr"), wraps) == "step(x, tf.cast(2.0, tf.float32))"
    wraps = {"lr": "tf.constant({}, tf.float32)"}
    assert rewritten("step(x, 2.0)", "step", ("x", "lr"), wraps) == "step(x, tf.constant(2.0))"


def test_one_line_is_written_in_one_way() -> None:
    """AutoGraph's frame of a line and Python's own (`<listcomp>`) have other names."""
    within, plain = traced("step(x, lr)", 1, nested=True, x=..., lr=0.1), traced("step(x, lr)", 1, x=..., lr=0.5)
    own = replace(plain, stack=(replace(plain.stack[0], function="<listcomp>"),))
    assert code(within, own) == code(own, within) == "step(x, tf.convert_to_tensor(lr))"


def test_names_that_a_call_does_not_have_are_not_made_up() -> None:
    parts = {"parts[0]": ..., "parts[1]": ..., "lr": 0.1}
    assert code(traced("step()", 1, **parts)) == "step(…, lr=tf.constant(lr))"
    assert code(traced("run()", 1, x=..., lr=0.1)) == "tf.constant(lr)  # in place of lr, at each call"
    assert code(traced("step(x, **hp())", 1, x=..., lr=0.1)) == "tf.constant(lr)  # in place of lr, at each call"


def test_what_comes_of_stars_is_made_a_tensor_in_the_dictionary() -> None:
    hp = traced("step(x, **self.hp)", 1, x=..., lr=0.1)
    assert code(hp) == "step(x, **{**self.hp, 'lr': tf.constant(self.hp['lr'])})"
    by_default = code(hp, with_default=frozenset({"lr"}))  # it may well be missing
    assert by_default == "step(x, **{k: tf.constant(v) if k == 'lr' else v for k, v in {'lr': 0.1, **self.hp}.items()})"
    others = [hp, traced("step(x, **self.hp)", 1, x=..., lr=0.5)]
    told = code(*others, with_default=frozenset({"lr"}), python_uses=["lr: 0.25 by default"])
    assert "for k, v in {'lr': 0.25, **self.hp}.items()})" in told
    for unknown in ([], ["lr: nan by default"], ["rate: 1.0 by default"]):
        told = code(*others, with_default=frozenset({"lr"}), python_uses=unknown)
        assert told.endswith("{'lr': …, **self.hp}.items()})  # …: the value that the parameter has by default")
    inner = traced("step(x, **hp)", 1, x=..., **{"hp['lr']": 0.1})
    wraps, numbers = {"hp['lr']": "tf.constant({})"}, Candidate(numbers={"hp['lr']": "float32"})
    assert code(inner, wraps=wraps, candidate=numbers) == "step(x, **{**hp, 'lr': tf.constant(hp['lr'])})"
    two = rewritten(
        "f(**o)", "f", ("a", "b"), {"a": "tf.constant({})", "b": UNLESS_NONE + "tf.constant({0})"}, optional={"b"}
    )
    assert two == (
        "f(**{k: tf.constant(v) if k == 'a' else (None if v is None else tf.constant(v)) if k == 'b' else v"
        " for k, v in {'b': …, **o}.items()})"
    )
    alike = rewritten("f(**o)", "f", ("a", "b"), {"a": "tf.constant({})", "b": "tf.constant({})"}, optional={"b"})
    assert alike == "f(**{k: tf.constant(v) if k in ('a', 'b') else v for k, v in {'b': …, **o}.items()})"


def below(outer: str, *wrappers: str, **arguments: object) -> Traced:
    """Called by lines of decorators, innermost first."""
    one = traced(wrappers[0], 3, **arguments)
    frames = [Frame("/home/user/timer.py", n, "called", source, True) for n, source in enumerate(wrappers[1:])]
    return replace(one, stack=(*one.stack, *frames, Frame("/home/user/train.py", 9, "main", outer, True)))


def test_above_a_decorator_that_hands_on_it_is_the_callers_line_that_changes() -> None:
    wrapper, outer = "return f(*args, **kwargs)", "loss = step(x, lr)"
    changed = "loss = step(x, tf.constant(lr))"
    assert code(below(outer, wrapper, x=..., lr=0.1)) == changed
    assert code(below(outer, "out = f(*a)", wrapper, x=..., lr=0.1)) == changed
    of_a_method = below("self.step(x, lr=rate)", "return f(self, *args, **kwargs)", self=..., x=..., lr=0.1)
    assert code(of_a_method, bound_as="self") == "self.step(x, lr=tf.constant(rate))"
    # another one's call, and one that adds something of its own
    by_hand = "tf.constant(lr)  # in place of lr, at each call"
    assert code(below("run(x, lr)", wrapper, x=..., lr=0.1)) == by_hand
    assert code(below(outer, "return f(x, *args)", x=..., lr=0.1)) == by_hand
    assert code(below(outer, "return f(*with_rate(args))", x=..., lr=0.1)) == by_hand


@pytest.mark.parametrize(
    ("outer", "changed"),
    [
        ("loss = run(step, x, lr)", "loss = run(step, x, tf.constant(lr))"),
        ("loss = run(self.step, x, lr=rate(i))", "loss = run(self.step, x, lr=tf.constant(rate(i)))"),
        ("loss = run('train', step, x, lr)", "loss = run('train', step, x, tf.constant(lr))"),
        ("loss = run(other, x, lr)", None),
        ("loss = later(step, x, lr)", None),  # it is not what hands it on
        ("loss = run(step, x, lr, log=True)", None),  # which may be of `run` itself
        ("loss = run(step, x, lr) + run(step, y, lr)", None),
        ("loss = run(step)", None),
    ],
)
def test_a_function_that_is_handed_on_with_what_it_is_called_with(outer: str, changed: str | None) -> None:
    one = below(outer, "result = fn(*args, **kwargs)", x=..., lr=0.1)
    one = replace(one, stack=(replace(one.stack[0], function="run"), *one.stack[1:]))
    assert code(one) == (changed or "tf.constant(lr)  # in place of lr, at each call")


def test_several_changes_are_one_line() -> None:
    """Each by itself, pasted, would leave the other out."""
    traces = [
        replace(traced("step(x, lr)", 1, x=..., lr=lr), verdict="avoidable", changes=changes, closest=closest)
        for lr, changes, closest in (
            (0.1, (), None),
            (0.2, (Change("python_value", "lr", "0.1", "0.2"), Change("dtype", "x", "float64", "float32")), 0),
        )
    ]
    double = Signature((("x", Node("tensor", dtype="float64", shape=(2,))), traces[0].lookup.signature.arguments[1]))
    traces[0] = replace(traces[0], lookup=Lookup(double), kind="first", verdict="needed")
    (found,) = [a for a in advise(FunctionFacts("step", traces)) if "+" in a.rule]
    assert found.rule == "tensor_for_python_number+one_dtype"
    assert found.code == "step(tf.cast(x, tf.float64), tf.constant(lr))"
    (found,) = [a for a in advise(FunctionFacts("step", traces, keyword_only=frozenset({"lr"}))) if "+" in a.rule]
    assert found.code == "step(tf.cast(x, tf.float64), lr=tf.constant(lr))"


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("step(x, y, z)", "step(x, y, z, lr=tf.constant(0.5))"),
        ("step(x, y, lr=2.0)", "step(x, y, lr=tf.constant(2.0))"),
    ],
)
def test_what_follows_star_arguments_is_passed_by_name(line: str, changed: str) -> None:
    known = {"defaults": {"lr": "0.5"}, "optional": {"lr"}, "keyword_only": {"lr"}}
    assert rewritten(line, "step", ("x", "extra[0]", "lr"), WRAPS, **known) == changed  # type: ignore[arg-type]
    # how many more there are is not known from a call without one
    assert rewritten(line, "step", ("x", "lr"), WRAPS, **known) is None  # type: ignore[arg-type]
