"""Whose the variables are that a function's first call created, by the names that its code has for these objects.

Nothing of the program's is run, and none of it is kept.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import Item, Name, names_of
from tb_retrace_plugin.capture.code.source_tree import source_tree
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of, is_users
from tb_retrace_plugin.capture.python_state.keras_steps import step_of
from tb_retrace_plugin.capture.python_state.name_values import value_of
from tb_retrace_plugin.capture.values.containers import items_of, unwrapped
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class
from tb_retrace_plugin.schema.signature import shape_text
from tb_retrace_plugin.schema.vocabulary import IN_A_SCOPE

#: Objects that are looked at; functions that a function calls, and attributes of attributes.
_MOST = 2_000
_MAX_FUNCTIONS = 20
_MAX_DEPTH = 3
#: Variables of one model, and what it is made of.
_MOST_PARTS = 20_000
_MAX_ITEMS = 64
_MAX_TEXT = 80
#: Names of variables that are listed.
_SHOWN = 3
#: Layers and variables that a sum is written of.
_MOST_SUMMED = 6
_KERAS = ("keras.", "tf_keras.")
_LAYERS, _METRICS, _OPTIMIZERS = ("Layer",), ("Metric",), ("Optimizer", "BaseOptimizer", "OptimizerV2")
_VARIABLES = ("Variable", "AutoCastVariable")
#: Where layers and optimizers of Keras 3 and of Keras 2 keep what they have.
_OF_LAYERS = (
    *("_layers", "_trainable_variables", "_non_trainable_variables", "_metrics", "_seed_generators"),
    *("_trainable_weights", "_non_trainable_weights", "_self_tracked_trackables"),
)
_OF_OPTIMIZERS = ("_variables", "_weights", "_hyper", "_iterations", "inner_optimizer", "_optimizer")
_OF_METRICS = ("_variables", "_metrics")
#: Where what `compile` made of the metrics' names lies, by outputs.
_OF_LOSSES = ("_metrics", "metrics")
_OF_COMPILED = ("_flat_metrics", "_flat_weighted_metrics")
#: Begins the names of what TensorFlow has outside of all scopes.
_NO_STRATEGY = "_DefaultDistributionStrategy"
#: Methods of a layer's that are a call of it.
_CALLS = ("call", "__call__")
_INNER_OPTIMIZERS = ("inner_optimizer", "_optimizer")


class Owner(NamedTuple):
    """`kind`: "optimizer", "layer", "made" (a layer that the code makes itself), "variable", "metrics" (which `compile`
    is given by name), "losses" (of several outputs, of each of which Keras keeps the mean); "": how they are created
    before is not known, of those that `name` lists, or of the object. `given`: what an optimizer is built with, a layer
    is called with, as the code has it, what a variable holds, metrics as objects; "": not known. `variables`: how
    many."""

    name: str
    kind: str
    given: str
    variables: int


def owners_of(created: Sequence[Any], function: Any, instance: Any, arguments: Mapping[str, Any]) -> list[Owner]:
    """`arguments`: objects that the function is passed, by its parameters."""
    left = {id(variable): variable for variable in created}
    named, made, run = _named(function, instance, arguments)
    found = list(_reached(named))
    layers = [(name, value) for name, value in found if _is_keras(value, _LAYERS) and not _is_keras(value, _METRICS)]
    layers = [layer for layer in layers if not _runs_by_its_parts(layer, layers, run)]
    owners = []
    for name, value in found:
        if _is_keras(value, _OPTIMIZERS) and (count := _taken(left, _parts_of(value, _OF_OPTIMIZERS))):
            is_built = in_class(type(value), "build") is not MISSING  # not so one of Keras' `legacy`
            given = _applied_to(value, found) if is_built else ""
            kind = f"optimizer{_scope_of(value, _OF_OPTIMIZERS)}" if is_built else ""
            owners.append(Owner(name, kind, given, count))
    owners += [owner for _, value in layers if (owner := _compiled_metrics(value, left)) is not None]
    owners += [owner for _, value in layers if (owner := _compiled_losses(value, left)) is not None]
    called = _Calls(function, [name for name, _ in layers])
    for name, value in layers:
        if count := _taken(left, _parts_of(value, _OF_LAYERS)):
            kind = "made" if name.rpartition(".")[2] in made else "layer"
            kind += _scope_of(value, _OF_LAYERS)
            owners.append(Owner(name, kind, called.given(name), count))
    for name, value in found:
        if (variable := _variable(value)) is not None and left.pop(id(variable), None) is not None:
            shape = None if variable.shape.rank is None else tuple(-1 if d is None else d for d in variable.shape)
            owners.append(Owner(name, "variable", f"{variable.dtype.name} {shape_text(shape)}", 1))
    if left:
        names = [str(variable.name).partition(":")[0] for variable in left.values()]
        owners.append(Owner(", ".join(names[:_SHOWN]), "", "", len(left)))
    return owners


def _runs_by_its_parts(layer: tuple[str, Any], layers: Sequence[tuple[str, Any]], run: Collection[int]) -> bool:
    """Whether the code calls what it has, and not itself: a model of which `train_step` calls encoder and decoder may
    have no `call`."""
    name, value = layer
    within = (f"{name}.", f"{name}[")
    return id(value) not in run and any(id(part) in run for other, part in layers if other.startswith(within))


def _compiled_metrics(model: Any, left: dict[int, Any]) -> Owner | None:
    """Those that Keras makes of what `compile` was given, in the first call."""
    compiled = _held(_held(model).get("_compile_metrics"))
    lists = [one for name in _OF_COMPILED for one in _listed(compiled.get(name))]
    metrics = [metric for one in lists for metric in _listed(_held(one).get("metrics"))]
    taken = {id(metric): _taken(left, _parts_of(metric, _OF_METRICS)) for metric in metrics}
    made = [metric for metric in metrics if taken[id(metric)]]
    if not made:
        return None
    names = [str(_held(metric).get("_name", _held(metric).get("name"))) for metric in made]
    objects = [f"{_made_by(metric)}name={name!r})" for metric, name in zip(made, names, strict=True)]
    return Owner(", ".join(names[:_SHOWN]), "metrics", ", ".join(objects[:_SHOWN]), sum(taken.values()))


def _compiled_losses(model: Any, left: dict[int, Any]) -> Owner | None:
    """The means of losses, where `compile` was given one for each of several outputs."""
    compiled = _held(_held(model).get("_compile_loss"))
    means = [mean for name in _OF_LOSSES for mean in _listed(compiled.get(name))]
    taken = {id(mean): _taken(left, _parts_of(mean, _OF_METRICS)) for mean in means}
    names = [str(_held(mean).get("_name", _held(mean).get("name"))) for mean in means if taken[id(mean)]]
    return Owner(", ".join(names[:_SHOWN]), "losses", "", sum(taken.values())) if names else None


def _listed(value: Any) -> list[Any]:
    value = unwrapped(value)
    return list(value) if issubclass(type(value), list) else []


def _made_by(metric: Any) -> str:
    """A call of its class, without what Keras has by default; of a function that was made one with that."""
    function = _held(metric).get("_fn") if type(metric).__name__ == "MeanMetricWrapper" else None
    passed = f"{function.__name__}, " if isinstance(function, FunctionType) else ""
    return f"keras.metrics.{type(metric).__name__}({passed}"


def _reached(named: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """What a name stands for, and what lies in that: the nearest first."""
    todo = deque((name, value, 0) for name, value in named)
    seen: set[int] = set()
    while todo and len(seen) < _MOST:
        name, value, depth = todo.popleft()
        value = unwrapped(value)
        if id(value) in seen or is_plain(value) or issubclass(type(value), (type, ModuleType)):
            continue
        seen.add(id(value))
        yield name, value
        if depth < _MAX_DEPTH:
            todo.extend((name, part, depth + 1) for name, part in _within(name, value))


def _named(
    function: Any, instance: Any, arguments: Mapping[str, Any]
) -> tuple[list[tuple[str, Any]], set[str | Item], set[int]]:
    """What its code, and that of functions that it calls, has names for; last names of what they assign; what they
    call, by identity."""
    named: list[tuple[str, Any]] = [*arguments.items()]
    made: set[str | Item] = set()
    run: set[int] = set()
    if not isinstance(function, FunctionType):
        return named, made, run
    if instance is not None and function.__code__.co_argcount:
        named.append((function.__code__.co_varnames[0], instance))
    functions, seen = [Called(function, instance)], 0
    if (kept := step_of(function)) is not None:  # Keras hands it on to be called
        model, step = kept
        if isinstance(step, FunctionType) and is_users(step):
            functions.append(Called(step, model))
        else:
            run.add(id(model))
    while functions and seen < _MAX_FUNCTIONS:
        reader, seen = functions.pop(0), seen + 1
        names = names_of(reader.function.__code__)
        made |= names.stored
        for _, name in names.by_text:
            if name.base == "super" and name.is_called:  # of Keras' own methods what they call is not read
                run.add(id(reader.instance))
            value: Any = None
            for length in range(len(name.path) + 1):
                part = name._replace(path=name.path[:length], is_called=True)
                holder = value
                try:
                    value = value_of(part, reader.function, reader.instance)
                except LookupError:
                    break
                if part.base in ("global", "closure") or _is_given(holder, part):
                    named.append((part.text, value))
                if length == len(name.path) and name.is_called:
                    run.add(id(unwrapped(holder if name.path and name.path[-1] in _CALLS else value)))
                runs = name.is_called or names.passed_on_runs  # `strategy.run(self.step, …)`
                if length == len(name.path) and runs and (called := callee_of(value, name, reader)):
                    functions.append(called)
    return named, made, run


def _is_given(holder: Any, part: Name) -> bool:
    """By a property, and so under another name than it lies there."""
    last = part.path[-1] if part.path else None
    return isinstance(last, str) and type(in_class(type(holder), last)) is property


def _within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if issubclass(type(value), (list, tuple)):
        yield from ((f"{name}[{place}]", item) for place, item in enumerate(items_of(value, _MAX_ITEMS)))
    elif issubclass(type(value), dict):
        items = list(dict.items(value))[:_MAX_ITEMS]
        yield from ((f"{name}[{key!r}]", item) for key, item in items if type(key) in (str, int))
    elif not _is_keras(value, (*_METRICS, *_OPTIMIZERS, *_VARIABLES)) and _variable(value) is None:
        own = _is_keras(value, _LAYERS)  # what Keras keeps is gone through otherwise
        held = _held(value)
        yield from (
            (f"{name}.{key}", part)
            for key, part in held.items()
            if key.isidentifier() and not key.startswith("_" if own else ("__", "_self_"))
        )


def _held(value: Any) -> dict[str, Any]:
    if type(in_class(type(value), "__dict__")) is not GetSetDescriptorType:  # none, or a property of the user's
        return {}
    held = object.__getattribute__(value, "__dict__")
    return dict(held) if type(held) is dict else {}


def _is_keras(value: Any, names: Collection[str]) -> bool:
    return any(kind.__name__ in names and is_written_in(kind, _KERAS) for kind in type(value).__mro__)


def _variable(value: Any) -> Any:
    """TensorFlow's own, also of a variable of Keras'; None of all else."""
    if _is_keras(value, _VARIABLES):
        held = _held(value)
        value = held.get("_value", held.get("_variable"))
    return value if _is_tensorflows(value, "BaseResourceVariable") else None


def _is_tensorflows(value: Any, name: str) -> bool:
    return any(kind.__name__ == name and is_written_in(kind, "tensorflow.") for kind in type(value).__mro__)


def _of_each_replica(value: Any) -> Sequence[Any]:
    """The variables that a distribution strategy has in place of one."""
    if _is_keras(value, _VARIABLES):
        value = _held(value).get("_value")
    return _held(value).get("_values", ()) if _is_tensorflows(value, "DistributedVariable") else ()


def _parts_of(value: Any, attributes: Sequence[str]) -> Iterator[Any]:
    """Its variables."""
    return _variables_in(value, lambda _, held: [held[name] for name in attributes if name in held])


def _variables_in(
    value: Any, within: Callable[[Any, dict[str, Any]], Iterable[Any]], *, are_trained: bool = False
) -> Iterator[Any]:
    """`within`: takes an object and what it holds, and gives what of that is gone through. `are_trained`: without those
    of what says that it is not."""
    todo: list[Any] = [value]
    seen: set[int] = set()
    while todo and len(seen) < _MOST_PARTS:
        part = unwrapped(todo.pop())
        if id(part) in seen:
            continue
        seen.add(id(part))
        held = _held(part)
        if are_trained and held.get("_trainable") is False:
            continue
        if (variable := _variable(part)) is not None:
            yield variable
        elif of_each := _of_each_replica(part):
            todo += reversed(of_each)
        elif issubclass(type(part), (list, tuple)):
            todo += reversed(list(part))
        elif issubclass(type(part), dict):
            todo += dict.values(part)
        else:
            todo += within(part, held)


def _scope_of(value: Any, attributes: Sequence[str]) -> str:
    """Ends its kind where its variables are those of a distribution strategy."""
    strategy = _held(value).get("_distribution_strategy")
    is_of_one = strategy is not None and not type(strategy).__name__.startswith(_NO_STRATEGY)
    is_of_one = is_of_one or any("_distributed_container" in _held(one) for one in _parts_of(value, attributes))
    return IN_A_SCOPE if is_of_one else ""


def _taken(left: dict[int, Any], parts: Iterator[Any]) -> int:
    """How many of those that are left it has, which no other has then."""
    count = 0
    for variable in parts if left else ():
        count += left.pop(id(variable), None) is not None
    return count


def _trained_by(value: Any) -> Iterator[Any]:
    """The variables of a layer, or of a `tf.Module`, that its `trainable_variables` are."""
    if _is_keras(value, _LAYERS):
        return _variables_in(value, lambda _, held: [held[n] for n in _OF_LAYERS if n in held], are_trained=True)
    return _variables_in(value, lambda part, held: held.values() if _is_a_module(part) else (), are_trained=True)


def _is_a_module(value: Any) -> bool:
    return _is_tensorflows(value, "Module")


def _applied_to(optimizer: Any, found: Sequence[tuple[str, Any]]) -> str:
    """The variables that an optimizer of Keras' was built for: a list of those, or the sum of those of what is `found`;
    "" if that is not known."""
    held = _held(optimizer)
    for name in _INNER_OPTIMIZERS:
        if name in held:
            return _applied_to(held[name], found)
    own, places = unwrapped(held.get("_trainable_variables")), held.get("_index_dict")  # of Keras 3, of Keras 2
    if isinstance(own, list) and own:
        wanted: set[Any] = {id(one) for one in _variables_in(own, lambda part, held: ())}
        key: Callable[[Any], Any] = id
    elif isinstance(places, dict) and places:
        wanted, key = set(places), lambda variable: _held(variable).get("_unique_id")
    else:
        return ""
    listed = ((name, value) for name, value in found if issubclass(type(value), (list, tuple)))
    if name := next((name for name, value in listed if _are_those(value, wanted, key)), ""):
        return name
    names = []
    for name, value in found:  # the outermost first
        variable = _variable(value)
        is_whole = variable is None and (_is_keras(value, _LAYERS) or _is_a_module(value))
        variables = [variable] if variable is not None else _trained_by(value) if is_whole else ()
        keys = set(map(key, variables))
        if keys and keys <= wanted:
            names.append(f"{name}.trainable_variables" if is_whole else f"[{name}]")
            wanted -= keys
    return "" if wanted or len(names) > _MOST_SUMMED else " + ".join(names)


def _are_those(value: Sequence[Any], wanted: set[Any], key: Callable[[Any], Any]) -> bool:
    variables = list(map(_variable, value))
    if any(one is None for one in variables):
        return False
    return len(variables) == len(wanted) and set(map(key, variables)) == wanted


class _Calls:
    """What layers are called with in a function's source, where that can be computed outside of it as well."""

    def __init__(self, function: Any, layers: Sequence[str]) -> None:
        self._layers = layers
        self._function = function
        found = source_tree(function.__code__) if isinstance(function, FunctionType) else None
        self._calls = [node for node in ast.walk(found.tree) if isinstance(node, ast.Call)] if found else []

    def given(self, layer: str) -> str:
        call = next((call for call in self._calls if ast.unparse(call.func) == layer), None)
        if call is None or not call.args or not all(map(self._is_known, call.args)):
            return ""
        text = ", ".join(map(ast.unparse, call.args))
        return text if len(text) <= _MAX_TEXT else ""

    def _is_known(self, node: ast.expr) -> bool:
        code = self._function.__code__
        parameters = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]} - names_of(code).reassigned
        own = {*code.co_varnames, *code.co_cellvars} - parameters
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id in own:
                return False
            if isinstance(one, ast.Call) and ast.unparse(one.func) not in ("tf.cast", *self._layers):
                return False
            if isinstance(one, ast.NamedExpr | ast.Lambda | ast.comprehension | ast.Starred):
                return False
        return True
