"""A model or an optimizer that is made anew for each run of several, such as a fold: its variables can be set back."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tb_retrace_plugin.explain.advice.evidence.changed_with_objects import paths_beside, what_else
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.other_constants import told_of_other_constants
from tb_retrace_plugin.explain.advice.evidence.reading import (
    merged_identities,
    merged_objects,
    name_in_code,
    nodes_at,
    objects_of_closure,
)
from tb_retrace_plugin.explain.advice.objects.side_by_side import is_called_by_turns, takes_turns
from tb_retrace_plugin.explain.advice.source.call_lines import called_on, variable_passed
from tb_retrace_plugin.explain.differences.keras_losses import CLASS
from tb_retrace_plugin.explain.differences.number_holders import is_another_holder
from tb_retrace_plugin.explain.verdict.evidence import (
    ALIKE_VARIABLES,
    AS_AN_EARLIER_GRAPH,
    MAKES_ANOTHER,
    OBJECTS_WITH_SUCH,
    OF_A_LOSS,
    OF_A_METHOD,
    OF_A_STRATEGY,
    OF_SEVERAL,
    OTHER_TENSORS_BY_NAME,
    OTHER_VARIABLES_BY_NAME,
    OTHER_VARIABLES_OF_OBJECTS,
    READS_OTHERS,
    TENSORS_BESIDE,
    made_for_each_call,
    made_for_each_run,
)
from tb_retrace_plugin.explain.verdict.random_generators import is_class
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import DELETED

#: In the names of Keras' classes.
_OF_OPTIMIZERS = ".optimizers."
#: Two may be kept side by side, as an online network and its target.
_FEWEST = 2
#: Of a name, where it is not recorded of what class it is.
_ALONE = "those that are made differ in their variables alone"
_IS_STRATEGY = re.compile(r"(?i)strategy$")
#: In the evidence of a new function object: what it closes over.
_ANOTHER = re.compile(r"another `([^`]+)`")
#: Beside that: numbers, of which a function that is kept would read the first ones; not how many a list of these holds.
_NUMBERS = re.compile(r"`((?!len\()[^`]+)`: (?:[-\d([]|int|float|inf|nan)[^`→]* → ")
#: The same, where variables by themselves are beside what has some.
_OTHERS = re.compile(rf"(?:{OTHER_VARIABLES_BY_NAME}|{OBJECTS_WITH_SUCH}) \(((?:`[^`]+`(?:, )?)+)\)")
_VARIABLES = re.compile(rf"{OTHER_VARIABLES_BY_NAME} \(((?:`[^`]+`(?:, )?)+)\)")
_CLOSED_OVER_TENSORS = re.compile(rf"{OTHER_TENSORS_BY_NAME} \(((?:`[^`]+`(?:, )?)+)\)")
_STRATEGIES = re.compile(rf"{_ANOTHER.pattern}{re.escape(OF_A_STRATEGY)}")
_LOSSES = re.compile(rf"{_ANOTHER.pattern}{re.escape(OF_A_LOSS)}")
_METHODS = re.compile(rf"{_ANOTHER.pattern}{re.escape(OF_A_METHOD)}")
_SEVERAL = re.compile(rf"{_ANOTHER.pattern}(?:{'|'.join(map(re.escape, OF_SEVERAL.values()))})")
#: Of a container, which may hold variables, or what has some.
_EACH_IN = 'variable for one in tf.nest.flatten({}) for variable in getattr(one, "variables", [one])'
DRAWN_ANEW = (
    "This changes results where a new one would begin with other values, drawn anew: one that is set back begins with"
    " the same ones each time, unless others are assigned."
)
_AS_ANOTHER = "as many operations as one of another trace"
_SIDE_BY_SIDE = "Objects that are kept side by side need a trace each."
_OF_A_METHOD = "{}.__self__.…"
#: A class around a model, as a rule.
_SELF = "self"
_IS_A_METHOD = "`{}` is a method: `{}.….variables` stands for what its object has some in, such as a model."
_HOLDS = "What has no `variables`, such as a class around a model, holds what has some: `{}.….variables`."
_SOME_MODEL = "model"
_STANDS_FOR = "`model` stands for each that it reads there and that has variables, such as a model and its optimizer."
_OF_WHAT_IT_HOLDS = (
    "`{}.….variables` stands for what it has some in, such as its model and its optimizer; a `tf.Module` and a Keras"
    " model have `variables` of their own."
)
_OF_OTHERS_THAT_IT_HOLDS = (
    "What else `{}` has variables in, that were made before the first call, is to be set back, too."
)
_MADE_AGAIN = re.compile(rf"`([^`]+)` {MAKES_ANOTHER}")
_COLLECTS = (
    "What it collects in its attributes, such as a list of losses, or a schedule that has run, has to begin anew before"
    " each run as well."
)
_TENSORS = (
    "This changes results where tensors that the graphs capture beside variables, such as data that an object holds,"
    " are others each time: a graph that is kept has those of the first. Keep them in tf.Variables (with"
    " `trainable=False`, and `shape=[None, …]` where sizes change), and assign to them before each run."
)
_STRATEGY = "A distribution strategy has no variables: keep one."
_OF_STRATEGIES = "Strategy"
_PARTIAL = "partial"
RATE = "The learning rate is one of an optimizer's variables: where each had another one, assign it after that (`{}`)."
WHICH_IS_NOT_KNOWN = "Not replayed: which of them could be one is not known."


def propose(function: FunctionFacts) -> Fix | None:
    of_objects = OTHER_VARIABLES_OF_OBJECTS, AS_AN_EARLIER_GRAPH
    found = [trace for trace in function.traces if any(words in trace.evidence for words in of_objects)]
    found = [t for t in found if not _is_kept(function, t) and not made_for_each_call(t.evidence)]
    if len(found) < _FEWEST:
        return _propose_closed_over(function)
    changes = [change for trace in found for change in trace.changes]
    paths = list(dict.fromkeys(change.path for change in changes if is_another_holder(change)))
    beside = {*paths_beside(changes, "python_value"), *paths_beside(changes, "shape")}
    functions = list(dict.fromkeys(c.path for c in changes if c.path and c.path not in {*paths, *beside}))
    are, them = ("is another object", "it") if len(paths) == 1 else ("are other objects", "them")
    new = "a new one is" if len(paths) == 1 else "new ones are"
    have = "the same operations" if all(of_objects[0] in trace.evidence for trace in found) else _AS_ANOTHER
    text = (
        f"{listed(paths)} of `{function.name}` {are} in {len(found) + 1} traces, whose graphs have {have}, on other"
        f" variables. {_made_alike(found) or f'If {new} made alike for each run, such as a fold, a trial or a client,'}"
        f" make {them} once, before the loop, and set the variables back before each run: that needs no trace."
    )
    if any(change.cause == "recreated_function" for trace in function.traces for change in trace.changes):
        text += f" `{function.name}` is made anew, too, and has no trace yet each time: define it once, where it stays."
    if functions:
        text += (
            f" Keep one function for {listed(functions)}, too, which {'is' if len(functions) == 1 else 'are'} the same."
        )
    text += what_else(changes)
    strategies = [path for path in paths if _are_strategies(function, path)]
    without = [path for path in paths if _are_partials(function, path) or _are_losses(function, path)]
    holders = [path for path in paths if path not in (*strategies, *without)] or paths
    passed = list(dict.fromkeys(variable_passed(function, path, found) for path in holders))
    of_strategies = [_STRATEGY] if strategies and len(holders) < len(paths) else []
    generators = {variable_passed(function, path, found) for path in holders if _are_generators(function, path)}
    others = [name for name in passed if name not in generators]
    notes = [_SIDE_BY_SIDE, *(_HOLDS.format(name) for name in others[:1]), *of_strategies]
    optimizers = (variable_passed(function, path, found) for path in paths if are_optimizers(function, path))
    for name in dict.fromkeys(optimizers):
        notes.append(RATE.format(f"{name}.learning_rate.assign(…)"))
    identities = {key: root for path in paths for key, root in merged_identities(function, found, path).items()}
    return Fix(
        "keep_model",
        text,
        Candidate(identities=identities) if _are_made_alike(found) else None,
        other=_set_back(passed, generators=generators),
        evidence="" if _are_made_alike(found) else WHICH_IS_NOT_KNOWN,
        assumes=_ALONE if _are_made_alike(found) else "",
        warnings=[
            *([DRAWN_ANEW] if others else []),
            *told_of_tensors(found),
            *told_of_other_constants(function, found, len(paths_beside(changes, "python_value"))),
        ],
        notes=notes,
    )


def _are_made_alike(found: Sequence[Traced]) -> bool:
    """As lines show, of each."""
    return all(made_for_each_run(trace.evidence) for trace in found)


def _made_by_lines(found: Sequence[Traced]) -> list[str]:
    """The names that lines give what they make alike."""
    codes = [code for trace in found for code in made_for_each_run(trace.evidence)]
    return list(dict.fromkeys(code.partition(" = ")[0] for code in codes))


def _made_alike(found: Sequence[Traced]) -> str:
    """Begins what is advised; "" where lines do not show it."""
    if not _are_made_alike(found):
        return ""
    codes = dict.fromkeys(code for trace in found for code in made_for_each_run(trace.evidence))
    return f"{listed([*codes])} {'makes a new one' if len(codes) == 1 else 'make new ones'} alike for each run:"


def told_of_tensors(found: Sequence[Traced]) -> list[str]:
    return [_TENSORS] if any(TENSORS_BESIDE in trace.evidence for trace in found) else []


def _is_kept(function: FunctionFacts, trace: Traced) -> bool:
    """Beside another one, as lines show, or as the models of an ensemble are that is asked again and again."""
    return trace.verdict == "bounded" or any(
        is_another_holder(change) and takes_turns(function, trace, change.path) for change in trace.changes
    )


def _propose_closed_over(function: FunctionFacts) -> Fix | None:
    """Of what new tf.function objects close over, or read at module level, or are the methods of."""
    found = [trace for trace in function.traces if ALIKE_VARIABLES in trace.evidence]
    found = [trace for trace in found if not is_called_by_turns(function, trace)]
    names = list(dict.fromkeys(name for trace in found for name in objects_of_closure(trace.evidence)))
    names += [name for name in _in_brackets(_OTHERS, found) if name not in names]
    reads = any(READS_OTHERS in trace.evidence for trace in found)
    names += (_made_by_lines(found) or _read_from_around(function)) if reads else []
    if len(found) < _FEWEST or not (names or reads):
        return _propose_instance(function)
    is_one = len(names) == 1
    it, was, they = ("it", "another object", "is") if is_one else ("them", "other objects", "are")
    new = "a new one is" if is_one else "new ones are"
    what = f"{listed(names)} of `{function.name}` {they} {was}"
    if not names:
        what = f"`{function.name}` reads a model, or other objects with variables, from around it that are others"
    text = (
        f"{what} in {len(found)} traces of new tf.function objects, whose graphs have as many operations as an earlier"
        f" one, on variables of the same shapes."
        f" {_made_alike(found) or f'If {new} made alike for each run, such as a fold or a trial,'} make {it} and"
        f" `{function.name}` once, before the loop, and set the variables back before each run: that needs no trace."
    )
    numbers = list(dict.fromkeys(name for trace in found for name in _NUMBERS.findall(trace.evidence)))
    if tensors := _in_brackets(_CLOSED_OVER_TENSORS, found):
        text += f" Pass {listed(tensors)} as {'an argument' if len(tensors) == 1 else 'arguments'}, too."
    text += what_else((change for trace in found for change in trace.changes), numbers)
    stands_in = [] if names else [_STANDS_FOR]
    names = names or [_SOME_MODEL]
    strategies = {name for trace in found for name in _STRATEGIES.findall(trace.evidence)}
    strategies |= {name for name in names if _IS_STRATEGY.search(name)}
    without = strategies | {name for trace in found for name in _LOSSES.findall(trace.evidence)}
    holders = [name for name in names if name not in without]
    if not holders:  # what has the variables has no name here, such as an attribute of the function (`f.iter`)
        holders, stands_in = [_SOME_MODEL], [_STANDS_FOR]
    variables = _in_brackets(_VARIABLES, found)
    several = [name for trace in found for name in _SEVERAL.findall(trace.evidence)]
    methods = {name: _OF_A_METHOD.format(name) for trace in found for name in _METHODS.findall(trace.evidence)}
    of_objects = [name for name in holders if name not in variables and name not in several]
    of_no_methods = [name for name in of_objects if name not in (*methods, _SELF)]
    its_own = {_SELF: f"{_SELF}.…"} if _SELF in of_objects else {}
    notes = [
        _SIDE_BY_SIDE,
        *([_HOLDS.format(name_in_code(of_no_methods[0]))] if of_no_methods else []),
        *(_IS_A_METHOD.format(name, its.removesuffix(".…")) for name, its in methods.items()),
        *([_OF_WHAT_IT_HOLDS.format(_SELF)] if its_own else []),
        *([_STRATEGY] if strategies and len(holders) < len(names) else []),
    ]
    notes += [*stands_in, *([RATE.format("….learning_rate.assign(…)")] if of_objects else [])]
    holders = [{**methods, **its_own}.get(name, name_in_code(name)) for name in holders]
    return Fix(
        "keep_model",
        text,
        Candidate(objects=merged_objects(function, found)) if _are_made_alike(found) else None,
        other=_set_back([*dict.fromkeys(holders)], variables, several=several),
        evidence="" if _are_made_alike(found) else WHICH_IS_NOT_KNOWN,
        assumes=_ALONE if _are_made_alike(found) else "",
        warnings=[DRAWN_ANEW, *told_of_tensors(found), *told_of_other_constants(function, found, len(numbers))],
        notes=notes,
    )


def _in_brackets(told: re.Pattern[str], traces: Sequence[Traced]) -> list[str]:
    """Names that evidence lists."""
    lists = [names for trace in traces for names in told.findall(trace.evidence)]
    return list(dict.fromkeys(name.strip("`") for names in lists for name in names.split(", ")))


def _read_from_around(function: FunctionFacts) -> list[str]:
    """Names of models and other objects that new tf.function objects have read other ones by."""
    places = [
        (place, trace.closest)
        for place, trace in enumerate(function.traces)
        if READS_OTHERS in trace.evidence and trace.closest is not None
    ]
    return [
        name
        for name, values in function.objects_read.items()
        if any(None not in (values[one], values[other]) and values[one] != values[other] for one, other in places)
    ]


def _propose_instance(function: FunctionFacts) -> Fix | None:
    """Of a method of instances that come and go, such as an agent for each seed: layers that are side by side stay."""
    found = [
        (trace, change)
        for trace in function.traces
        for change in trace.changes
        if change.path == "self" and ALIKE_VARIABLES in trace.evidence
        if change.old.startswith(DELETED) or _MADE_AGAIN.search(trace.evidence)
    ]
    if len(found) < _FEWEST:
        return None
    traces = [trace for trace, _ in found]
    made = list(dict.fromkeys(line for trace in traces for line in _MADE_AGAIN.findall(trace.evidence)))
    all_gone = all(change.old.startswith(DELETED) for _, change in found)
    came = "each of which was gone when the next came" if all_gone or not made else f"which `{made[0]}` makes"
    owner = found[0][1].new.removeprefix(f"{DELETED} ").partition(" ")[0] or "object"
    text = (
        f"`{function.name}` was traced for {len(found) + 1} instances of `{owner}`, {came},"
        " and the graphs have as many operations, on variables of the same shapes. If one is made alike for each run,"
        " such as a seed, a fold or a trial, make one, before the loop, and set its variables back before"
        " each run: that needs no trace."
    )
    known = called_on(function)
    variable = known if known and known != "self" else owner.lower() if owner.lower() != owner else f"one_{owner}"
    held = _created_of_self(function)
    has = _OF_OTHERS_THAT_IT_HOLDS if held else _OF_WHAT_IT_HOLDS
    names = [f"{variable}.{name}" for name in held or ["…"]]
    return Fix(
        "keep_model",
        text,
        None,
        other=f"{variable} = {owner}(…)  # once, before the loop\n{_set_back(names)}",
        evidence=WHICH_IS_NOT_KNOWN,
        warnings=[DRAWN_ANEW, *told_of_tensors(traces), *told_of_other_constants(function, traces), _COLLECTS],
        notes=[_SIDE_BY_SIDE, has.format(variable), RATE.format("….learning_rate.assign(…)")],
    )


def _created_of_self(function: FunctionFacts) -> list[str]:
    """Attributes of the object whose method it is, for which the first calls created variables, and for nothing else;
    none where they are told otherwise for some object."""
    each = [[one.name for one in trace.created_for] for trace in function.traces if trace.created_for]
    names = each[0] if each else []
    attributes = [name.removeprefix(f"{_SELF}.") for name in names]
    are_its_own = all(n.startswith(f"{_SELF}.") and a.isidentifier() for n, a in zip(names, attributes, strict=True))
    return attributes if are_its_own and all(one == names for one in each) else []


def _set_back(
    names: Sequence[str],
    variables: Collection[str] = (),
    generators: Collection[str] = (),
    several: Collection[str] = (),
) -> str:
    """`variables`: of the names, those of variables by themselves, or of lists of such; `generators`: those of random
    generators, which have a way of their own; `several`: those of containers, of what is not known."""
    lines = []
    containers = {*map(name_in_code, several)}
    by_themselves = {*map(name_in_code, variables)}
    for place, name in enumerate(names):  # a caller's name of the parameter's may be another
        if name in generators:
            lines.append(f"{name}.reset_from_seed(seed)  # before each run, in place of making another")
            continue
        own = name.rpartition(".")[2] if name.replace(".", "").isidentifier() else str(place)
        initial = f"initial_{own}" if own != "0" else "initial"
        its = f"tf.nest.flatten({name})" if name in by_themselves else f"{name}.variables"
        if name in containers:
            its = f"variables_of_{own}"
            lines.append(f"{its} = [{_EACH_IN.format(name)}]  # once, when all of them are made")
        lines += [
            f"{initial} = [variable.numpy() for variable in {its}]  # once, when all of them are made",
            f"for variable, start in zip({its}, {initial}): variable.assign(start)  # before each run",
        ]
    return "\n".join(lines)


def are_optimizers(function: FunctionFacts, path: str) -> bool:
    return any(_OF_OPTIMIZERS in node.type_name for node in nodes_at(function, path))


def _are_generators(function: FunctionFacts, path: str) -> bool:
    nodes = list(nodes_at(function, path))
    return bool(nodes) and all(is_class(node.type_name) for node in nodes)


def _are_partials(function: FunctionFacts, path: str) -> bool:
    """`functools.partial(loss, weights=model.trainable_variables)`, which binds some and has none of its own."""
    return all(node.type_name.rpartition(".")[2] == _PARTIAL for node in nodes_at(function, path))


def _are_losses(function: FunctionFacts, path: str) -> bool:
    return all(CLASS.fullmatch(node.type_name) for node in nodes_at(function, path))


def _are_strategies(function: FunctionFacts, path: str) -> bool:
    return all(node.type_name.endswith(_OF_STRATEGIES) for node in nodes_at(function, path))
