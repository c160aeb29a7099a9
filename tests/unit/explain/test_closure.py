"""What of two functions' closures differs, and which of several earlier ones is the nearest."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import (
    NOT_READ,
    VARIABLE,
    Callee,
    ClosedOver,
    ClosureChange,
    diff_closures,
    distance,
)
from tb_retrace_plugin.explain.differences.number_holders import with_numbers_read
from tb_retrace_plugin.explain.earlier_traces.history import Entry, History
from tb_retrace_plugin.explain.earlier_traces.kind import (
    has_other_classes,
    has_other_functions,
    nearer_by_closure,
    twin,
)
from tb_retrace_plugin.explain.verdict.decided_in_python import all_decided_in_python
from tb_retrace_plugin.explain.verdict.evidence import MADE_OF_ONE, closed_over
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature


def number(value: float, name: str = "rate") -> ClosedOver:
    return ClosedOver(name, hash(value) or 1, repr(value), True)


def function(callee: Callee, name: str = "loss") -> ClosedOver:
    return ClosedOver(name, hash(callee), f"function {callee.name}", False, callee=callee)


MSE, MAE = Callee("losses.py:1", "mse"), Callee("losses.py:5", "mae")


def step_of(loss: Callee, *others: int) -> Callee:
    return Callee("train.py:3", "step", (*others, loss))


def is_other_function(old: Callee, new: Callee) -> bool:
    (change,) = diff_closures((function(old),), (function(new),)) or ()
    return change.is_function


def test_another_function_is_told_by_its_code() -> None:
    assert is_other_function(MSE, MAE)
    (change,) = diff_closures((function(step_of(MSE, 7)),), (function(step_of(MAE, 7)),)) or ()
    assert (change.is_function, change.old, change.new) == (True, "mse", "mae")  # not `step`, which is the same code
    assert not diff_closures((function(step_of(MSE)),), (function(step_of(MSE)),))


def test_the_same_code_with_something_else_in_it_is_not() -> None:
    assert not is_other_function(step_of(MSE, 7), step_of(MSE, 8))
    assert not is_other_function(step_of(MSE, 7), step_of(MAE, 8))
    assert not is_other_function(step_of(MSE), step_of(MAE, 8))
    assert not is_other_function(MSE, Callee(MSE.place, "mse", (3,)))
    (change,) = diff_closures((function(MSE),), (number(2.0, "loss"),)) or ()
    assert not change.is_function
    assert not change.is_number


def judged(old: tuple[ClosedOver, ...], new: tuple[ClosedOver, ...]) -> tuple[str, str]:
    change = Change("recreated_function", "", "object 1", "object 2")
    verdict = judge(Facts("recreated", (change,), same_graph=False, closure=diff_closures(old, new)))
    return verdict.word, verdict.evidence


def test_verdicts() -> None:
    assert judged((function(MSE),), (function(MAE),)) == (
        "bounded",
        "The new tf.function object closes over another function: `loss` is `mae`, was `mse`. There are only so many"
        " functions, and each needs a trace of its own.",
    )
    word, evidence = judged((function(MSE), number(1.0)), (function(MAE), number(2.0)))
    assert word == "unknown"
    assert "`loss`: mse → mae, `rate`: 1.0 → 2.0" in evidence


def test_what_a_function_that_is_closed_over_reads_is_told_by_way_of_it() -> None:
    """Once, although it is also what the tf.function reads: `closure` of a script."""

    def closures(data: int) -> tuple[ClosedOver, ...]:
        read = ClosedOver("data", data, "float32 (2,)", False, True, True, None, "float32 (2,)", (data,))
        callee = Callee("fit.py:9", "<lambda>")
        return ClosedOver("closure", 100 + data, "function", False, callee=callee, inside=(read,)), read

    assert judged(closures(1), closures(2)) == (
        "avoidable",
        "The new tf.function object reads another `data of closure` of float32 (2,). One object that is passed it as an"
        " argument would do.",
    )
    (alone,) = diff_closures(closures(1)[1:], closures(2)[1:]) or ()
    assert alone.name == "data"


def test_what_a_function_has_that_the_one_around_it_has_too_is_told_once() -> None:
    def closures(model: int, rate: int) -> tuple[ClosedOver, ...]:
        own = ClosedOver("model", model, "Sequential object", False)
        inside = own, number(float(rate), "rate")
        callee = Callee("fit.py:9", "inner")
        return ClosedOver("inner", 100 + 10 * model + rate, "function", False, callee=callee, inside=inside), own

    def names(old: tuple[ClosedOver, ...], new: tuple[ClosedOver, ...]) -> list[str]:
        return [change.name for change in diff_closures(old, new) or ()]

    assert names(closures(1, 1), closures(2, 1)) == ["model"]
    assert names(closures(1, 1), closures(2, 2)) == ["rate of inner", "model"]
    closes_over_both = [(*closures(model, rate), number(float(rate), "rate")) for model, rate in ((1, 1), (1, 2))]
    assert names(*closes_over_both) == ["rate of inner", "rate"]  # one that is passed does not come to `inner`
    # by what it closes over in turn, too, an earlier one is the nearest
    assert distance(closures(1, 1), closures(2, 1)) < distance(closures(1, 1), closures(2, 2))


def test_attributes_of_another_object_are_others_by_themselves() -> None:
    one, other = (ClosedOver("self", n, "Trainer object", False) for n in (1, 2))
    (change,) = diff_closures((one, number(0.1, "self.rate")), (one, number(0.2, "self.rate"))) or ()
    assert (change.name, change.is_number) == ("self.rate", True)
    (change,) = diff_closures((one, number(0.1, "self.rate")), (other, number(0.2, "self.rate"))) or ()
    assert change.name == "self"


def test_other_numbers_are_nearer_than_another_function() -> None:
    base = (function(MSE), number(1.0))
    assert distance(base, base) == 0
    assert distance(base, (function(MSE), number(2.0))) == 1
    assert distance(base, (function(MAE), number(1.0))) == 3
    assert distance(base, (function(MAE), number(2.0))) == 4
    assert distance(base, (function(MSE),)) == 3


def tensors(identity: int, spec: str) -> ClosedOver:
    return ClosedOver("batch", identity, spec, False, is_tensor=True, spec=spec)


def numbers(*values: float) -> ClosedOver:
    return ClosedOver("weights", hash(values) or 1, repr(list(values)), True, spec=f"{len(values)} numbers")


def test_tensors_of_one_shape_are_nearer_than_others() -> None:
    four, other_four, two = tensors(1, "float32 (4, 3)"), tensors(2, "float32 (4, 3)"), tensors(3, "float32 (2, 3)")
    assert distance((four,), (other_four,)) == 1
    assert distance((four,), (two,)) == 3
    assert distance((numbers(1.0, 2.0),), (numbers(1.0, 3.0),)) == 1
    assert distance((numbers(1.0, 2.0),), (numbers(1.0, 2.0, 3.0),)) == 3


def variables(*identities: int) -> tuple[ClosedOver, ...]:
    spec = f"{VARIABLE}float32 (3,)"
    return tuple(
        ClosedOver(name, number, spec, False, is_tensor=True, spec=spec, tensors=(number,))
        for name, number in zip("ab", identities, strict=True)
    )


def test_variables_are_passed_where_the_same_are_one_and_the_same() -> None:
    assert [c.is_tensor for c in diff_closures(variables(1, 2), variables(3, 4)) or ()] == [True, True]
    assert [c.is_tensor for c in diff_closures(variables(1, 1), variables(3, 3)) or ()] == [True, True]
    assert [c.is_tensor for c in diff_closures(variables(1, 2), variables(3, 3)) or ()] == [False, False]


def test_what_could_be_passed_as_tensors_of_one_shape() -> None:
    pair = "(float32 (4, 2), float32 (4,))"
    assert judged((tensors(1, pair),), (tensors(2, pair),)) == (
        "avoidable",
        f"The new tf.function object closes over another `batch` of {pair}. One object that is passed it as an argument"
        " would do.",
    )
    assert judged((tensors(1, pair),), (tensors(2, "(float32 (2, 2), float32 (2,))"),))[0] == "unknown"
    word, evidence = judged((numbers(1.0, 2.0),), (numbers(1.0, 3.0),))
    assert (word, "`weights`: [1.0, 2.0] → [1.0, 3.0]. One object" in evidence) == ("avoidable", True)
    assert judged((numbers(1.0, 2.0),), (numbers(1.0),))[0] == "unknown"


def test_functions_of_the_same_code_are_nearer_than_others() -> None:
    """A dataset of each of two kinds is built in each epoch: of the two before, the third is like the first."""
    window, constant = Callee("data.py:1", "window", (1,)), Callee("data.py:9", "constant", (2,))
    again = (function(Callee("data.py:1", "window", (3,))),)
    assert distance((function(window),), again) == 2
    assert distance((function(constant),), again) == 3
    closures: dict[int, tuple[ClosedOver, ...] | None] = {1: (function(window),), 2: (function(constant),), 3: again}
    history = History()
    x = Signature((("x", Node("tensor", dtype="float32", shape=(2,))),))
    for n in (1, 2):
        history.add(Entry(x, n, "s", n, n, graph_key=str(n), closure=closures[n]))
    found = history.closest(x)
    assert found is not None
    near = nearer_by_closure(history, x, closures, 3, (found[0], [Change("recreated_function", "")]))
    assert near is not None
    assert near[0].n == 1
    # whatever it is compared with: what has been there before may be there again, and again
    assert not has_other_functions(closures, 3)
    assert has_other_functions({1: closures[1], 2: closures[2]}, 2)
    change = diff_closures(closures[2], closures[3])
    new = Change("recreated_function", "")
    facts = Facts("recreated", (new,), same_graph=False, closure=change, other_functions=False)
    assert judge(facts).word == "unknown"


def test_of_those_of_the_same_code_one_of_the_same_shapes_is_nearer() -> None:
    """Steps of a client with 12 rows, of one with 16, and an evaluation: the first one's step again is like that."""

    def sized(rows: int) -> Signature:
        return Signature((("x", Node("tensor", dtype="float32", shape=(rows,))),))

    steps = [Callee("trainer.py:1", "train", (n,)) for n in range(3)]
    closures: dict[int, tuple[ClosedOver, ...] | None] = {
        1: (function(steps[0]),), 2: (function(steps[1]),), 3: (function(Callee("trainer.py:9", "test", (9,))),),
        4: (function(steps[2]),),
    }  # fmt: skip
    history = History()
    for n, rows in ((1, 12), (2, 16), (3, 12)):
        history.add(Entry(sized(rows), n, "s", n, n, graph_key=str(n), closure=closures[n]))
    found = history.closest(sized(12))
    assert found is not None
    assert found[0].n == 3
    near = nearer_by_closure(history, sized(12), closures, 4, (found[0], [Change("recreated_function", "")]))
    assert near is not None
    assert near[0].n == 1


def test_a_twin_may_be_an_earlier_instance() -> None:
    """Instances of scales 1, 2, 1: the third has the graph of the first."""

    def of(instance: int) -> Signature:
        self_ = Node("object", type_name="Sampler", value=f"Sampler object #{instance}", identity=instance)
        return Signature((("self", self_), ("x", Node("tensor", dtype="float32", shape=(2,)))))

    history = History()
    for n, graph in enumerate(("one", "two"), start=1):
        history.add(Entry(of(n), n, "s", n, n, graph_key=graph))
    found = twin(history, of(3), "one", 3)
    assert found is not None
    assert (found[0].n, [(c.cause, c.path) for c in found[1]]) == (1, [("object_identity", "self")])
    assert twin(history, of(3), "three", 3) is None
    other = Signature((of(3).arguments[0], ("x", Node("tensor", dtype="float32", shape=(3,)))))
    assert twin(history, other, "one", 3) is None


def test_the_nearest_object_is_the_one_that_closes_over_most_of_the_same() -> None:
    signature = Signature((("x", Node("tensor", dtype="float32", shape=(2,))),))
    closures = {
        n: (function(loss), number(rate))
        for n, (loss, rate) in enumerate([(MSE, 0.1), (MAE, 0.1), (MSE, 0.2), (MAE, 0.2)], 1)
    }
    history = History()
    for n in (1, 2, 3):
        history.add(Entry(signature, n, "", n, n, closure=closures[n]))
    changes = [Change("recreated_function", "", "object 3", "object 4")]
    found = nearer_by_closure(history, signature, dict(closures), 4, (history.entries[2], changes))
    assert found is not None
    assert found[0].object_number == 2
    assert found[1] == [Change("recreated_function", "", "object 2", "object 4")]
    # no nearer one than the latest
    assert (
        nearer_by_closure(history, signature, {3: closures[3], 4: closures[4]}, 4, (history.entries[2], changes))
        is None
    )
    # one of another signature is further away, whatever it closes over
    other = Signature((("x", Node("tensor", dtype="float32", shape=(3,))),))
    assert nearer_by_closure(history, other, dict(closures), 4, (history.entries[2], changes)) is None


def test_an_object_with_the_same_operations_is_nearer_than_one_that_closes_over_more_of_the_same() -> None:
    """A scaler of each window, and one step or three: the number decides what is built."""
    signature = Signature((("x", Node("tensor", dtype="float32", shape=(2,))),))
    closures = {
        n: (function(scaler), number(steps))
        for n, (scaler, steps) in enumerate([(MSE, 1), (MSE, 3), (MAE, 1), (MAE, 3)], 1)
    }
    history = History()
    for n in (1, 2, 3):
        history.add(Entry(signature, n, "", n, n, closure=closures[n], without_numbers="one" if n % 2 else "three"))
    changes = [Change("recreated_function", "", "object 3", "object 4")]
    found = (history.entries[2], changes)
    assert nearer_by_closure(history, signature, dict(closures), 4, found) is None
    near = nearer_by_closure(history, signature, dict(closures), 4, found, "three")
    assert near is not None
    assert near[0].object_number == 2
    assert nearer_by_closure(history, signature, dict(closures), 4, found, "five") is None


def closure_over(*inside: ClosedOver, place: str = "losses.py:9") -> ClosedOver:
    callee = Callee(place, "closure", tuple(value.identity for value in inside))
    return ClosedOver("loss", hash(callee), "function closure", False, callee=callee, inside=inside)


def test_what_a_function_that_is_closed_over_closes_over_itself() -> None:
    """`def loss(): return f(batch)`, made anew for each batch, in a tf.function that is made anew."""
    first, other, longer = tensors(1, "float32 (3,)"), tensors(2, "float32 (3,)"), tensors(3, "float32 (4,)")
    assert judged((closure_over(first),), (closure_over(other),)) == (
        "avoidable",
        "The new tf.function object closes over another `batch of loss` of float32 (3,). One object that is passed it"
        " as an argument would do.",
    )
    word, evidence = judged((closure_over(first),), (closure_over(longer),))
    assert (word, "`batch of loss`: float32 (3,) → float32 (4,)." in evidence) == ("unknown", True)
    word, evidence = judged((closure_over(number(1.5)),), (closure_over(number(2.5)),))
    assert (word, "`rate of loss`: 1.5 → 2.5." in evidence) == ("unknown", True)  # how it is used there is not read
    twice = [(closure_over(closure_over(value)),) for value in (first, other)]
    assert "another `batch of loss of loss` of" in judged(*twice)[1]


def test_functions_of_other_code_are_told_as_a_whole() -> None:
    old, new = closure_over(tensors(1, "float32 (3,)")), closure_over(tensors(2, "float32 (3,)"), place="losses.py:30")
    (change,) = diff_closures((old,), (new,)) or ()
    assert (change.name, change.is_tensor, change.is_function) == ("loss", False, True)
    (change,) = diff_closures((closure_over(number(1.5)),), (closure_over(number(1.5, "b"), number(2, "c")),)) or ()
    assert change.name == "loss"


def test_a_partial_of_a_tf_function_is_made_of_that_one() -> None:
    change = Change("recreated_function", "", "object 1", "object 2")
    bound = ClosureChange("k", "not set", "3.0", False, is_bound=True)

    def judged_of(*closure: ClosureChange, wraps: str = "alike") -> str:
        return judge(Facts("recreated", (change,), same_graph=False, closure=closure, wraps=wraps)).evidence

    assert judged_of(bound) == MADE_OF_ONE
    assert judged_of(bound, wraps="") != MADE_OF_ONE
    assert judged_of(bound, ClosureChange("rate", "1.0", "2.0", True)) != MADE_OF_ONE


def test_a_global_that_was_not_found_before_is_not_said_to_have_changed() -> None:
    """Of a helper in a module that is loaded in the first trace, say."""
    found = ClosureChange("JAX_MODE", NOT_READ, "False", False, is_global=True)
    kernel = ClosureChange("kernel", "Kernel object", "Kernel object", False)
    assert closed_over([kernel, found]) == "another `kernel`"
    assert closed_over([found]) == "`JAX_MODE`: not read → False"


def test_a_tensor_of_other_sizes_is_told_from_another_one() -> None:
    def resized(old: str, new: str) -> bool:
        one, other = (ClosedOver("x", n, spec, False, is_tensor=True, spec=spec) for n, spec in enumerate((old, new)))
        (change,) = diff_closures((one,), (other,)) or ()
        assert not (change.is_tensor and change.is_resized)
        return change.is_resized

    assert resized("float32 (2, 3)", "float32 (4, 3)")
    assert resized("ndarray float32 (2,)", "ndarray float32 (4,)")
    assert not resized("float32 (2, 3)", "float32 (2, 3)")
    assert not resized("float32 (2, 3)", "float32 (2,)")
    assert not resized("float32 (2, 3)", "float64 (4, 3)")
    assert not resized("float32 (2,)", "ndarray float32 (4,)")
    assert not resized(f"{VARIABLE}float32 (2,)", f"{VARIABLE}float32 (4,)")
    assert not resized("(float32 (2,),)", "(float32 (4,),)")


def test_none_or_not_is_one_of_two_ways() -> None:
    """`clip` of a factory: a number beside it could be passed, another object could not. A text is one of many."""
    clip, rate = ClosureChange("clip", "None", "1.0", False), ClosureChange("lr", "0.1", "0.05", True)
    model = ClosureChange("model", "Net #1", "Net #2", False)
    recreated = (Change("recreated_function", "", "", ""),)

    def verdict(*closure: ClosureChange) -> str:
        return judge(Facts("recreated", recreated, same_graph=False, closure=closure)).word

    assert verdict(clip) == verdict(clip, rate) == "bounded"
    assert verdict(ClosureChange("variables", "None", "[tf.Variable float32 (8, 2)]", False)) == "bounded"
    assert verdict(clip, model) == verdict(ClosureChange("mode", "None", "'a'", False)) == "unknown"
    assert verdict(rate) == "avoidable"


def test_what_the_other_one_has_not_is_not_read_or_not_set() -> None:
    global_one, of_self, own = (
        ClosedOver(name, n, "3", True, is_global=is_global)
        for n, (name, is_global) in enumerate([("SIZE", True), ("self.n", False), ("k", False)], 1)
    )
    told = {c.name: (c.old, c.new) for c in diff_closures((), (global_one, of_self, own)) or ()}
    assert told == {"SIZE": ("not read", "3"), "self.n": ("not read", "3"), "k": ("not set", "3")}
    assert {(c.old, c.new) for c in diff_closures((of_self,), ()) or ()} == {("3", "not read")}


def test_globals_of_one_name_are_those_of_their_own_modules() -> None:
    """Helpers in two modules read them: `config.rate` of the one is not that of the other."""
    one, other = (ClosedOver("config.rate", value, repr(value), True, is_global=True) for value in (1, 2))
    assert diff_closures((one, one), (one, one)) == ()
    assert diff_closures((one, other), (one, other)) == ()
    (change,) = diff_closures((one, one), (one, other)) or ()
    assert (change.name, change.old, change.new) == ("config.rate", "1", "2")
    (change,) = diff_closures((one,), (one, other)) or ()
    assert (change.old, change.new) == (NOT_READ, "2")


def test_a_list_in_place_of_none_is_told() -> None:
    """A closure knows plain values alone."""
    none = ClosedOver("self.weights", 1, "None", False)
    changes = diff_closures((none,), ())
    (change,) = with_numbers_read(changes, {"self.weights": ("None", "[1.0, 10.0]")}) or ()
    assert (change.old, change.new) == ("None", "[1.0, 10.0]")
    assert with_numbers_read(changes, {}) == with_numbers_read(changes, {"self.weights": ("None", "")}) == changes


def test_an_object_of_another_class_needs_its_graph() -> None:
    """A solver of a factory, beside what is made anew with it; of the same operations, it may do as much."""
    solver = ClosureChange("solver", "Euler object", "Heun object", False)
    again, model = replace(solver, new="Euler object"), ClosureChange("model", "Net object", "Net object", False)
    text = ClosureChange("mode", "'a'", "'b'", False)
    recreated = (Change("recreated_function", "", "", ""),)

    def verdict(*closure: ClosureChange, **known: bool) -> str:
        facts = Facts("recreated", recreated, same_graph=False, other_nodes=True, closure=closure)
        return judge(replace(facts, **known)).word

    assert verdict(solver) == verdict(solver, model) == "bounded"

    def closed(place: int, solver: str) -> tuple[ClosedOver, ...]:
        return ClosedOver("solver", place, f"{solver} object", False), ClosedOver("rate", place, f"0.{place}", True)

    closures: dict[int, tuple[ClosedOver, ...] | None] = {1: closed(1, "Euler"), 2: closed(2, "Heun")}
    assert has_other_classes({**closures, 3: closed(3, "Kutta")}, 3)
    assert not has_other_classes({**closures, 3: closed(3, "Euler")}, 3)
    assert verdict(solver, other_classes=False) == "unknown"  # of one of before the closest
    assert verdict(solver, same_operations=True) == verdict(solver, text) == verdict(again, model) == "unknown"


def test_a_number_by_which_python_decides_is_no_tensor_where_it_is_closed_over_either() -> None:
    n, m = ClosureChange("n", "2", "3", True), ClosureChange("m", "2", "3", True)
    uses = ["[… for … in range(n)]"]
    decided = all_decided_in_python(uses, (), closure=(n, m))
    assert decided == {"n": "[… for … in range(n)]"}
    facts = Facts("recreated", (Change("recreated_function", "", "", ""),), closure=(n,), decided_in_python=decided)
    assert judge(facts).word == "unknown"
    assert "Python decides by `n` what is built (`[… for … in range(n)]`)" in judge(facts).evidence
    assert judge(replace(facts, closure=(m,))).word == "avoidable"
