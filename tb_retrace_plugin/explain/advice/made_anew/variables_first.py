"""First calls that are traced twice, as they create variables: where these exist before, once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import library_that_calls
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Owner
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.source.call_lines import called_on, variable_passed
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_trainer

#: A second trace of a graph of so many nodes takes a second or so: it is told whatever else there is to tell.
_LARGE_NODES = 2_000
#: Of smaller ones so many are told, where nothing else can be avoided.
_MANY = 3
_BEFORE = "# before the first call"
#: Where it is not recorded what they belong to.
_CODE = (
    f"{_BEFORE}\n"
    "model(inputs)  # a Keras model, once: it makes its variables\n"
    "optimizer.build(model.trainable_variables)\n"
    "v = tf.Variable(…)  # any other: where what holds it is made"
)
_OF_KERAS = (
    "# before `fit`, of each optimizer that `train_step` applies, with the variables that it applies it to\n"
    "optimizer.build(model.trainable_variables)"
)
#: What there has to be before the next.
_ORDER = ("metrics", "made", "layer", "losses", "variable", "optimizer")
#: Of what `compile` is given, as text.
_COMPILED = {"metrics": "metrics that `compile` is given by name", "losses": "losses of several outputs"}
_CALLS = ("made", "layer")
#: Not of a model's own weights: Keras' initializers draw the same (measured, with a seed).
_CALLED = "Each call is one more of {}: what is updated, counted or drawn in it is so once more."
_DRAWN = (
    "An initial value that `tf.random` draws is another one outside of the function, whatever `tf.random.set_seed` was"
    " given; `tf.random.stateless_normal` and the like draw the same."
)
_SCOPE = "with strategy.scope():  # the one that they are used in"
#: What a model is called where it is trained.
_TRAINED = re.compile(r"(?<![\w.)\]])([^\W\d][\w.]*)\.(?:fit|train_on_batch)\(")
#: Of a list.
_ITEM = re.compile(r"(.+)\[\d+\]")
#: A name in code that is no attribute.
_ROOT = re.compile(r"(?<![\w.])[^\W\d]\w*")


def propose(function: FunctionFacts) -> Fix | None:
    """Where the second traces are worth a change. Of Keras' own step it is the model's optimizers, as Keras builds all
    but those that a `train_step` of the user's own applies."""
    if function.library and not is_of_a_trainer(function.file):
        return None
    creating = [trace for trace in function.traces if trace.kind == "variable_creation"]
    if not creating or any(trace.lookup.failed for trace in creating):
        return None
    if function.library and all(map(library_that_calls, creating)):  # which compiles the model, too, perhaps
        return None
    is_large = any(trace.nodes >= _LARGE_NODES for trace in creating)
    if not is_large and (function.avoidable or len(creating) < _MANY):
        return None
    owners = owners_of(function)
    of_each = f" of each of {plural(len(creating), 'tf.function object')}" if len(creating) > 1 else ""
    text = f"The first call{of_each} of `{function.name}` creates variables, and TensorFlow traces such a call twice."
    text += f" Create them before it: {_those(function, owners)}."
    code = made_before(function, owners) or (_OF_KERAS if function.library else _CODE)
    return Fix(
        "create_variables_first", text, Candidate(variables_outside=True), other=code, executes=True,
        assumes="all that the first call creates can be created before it", notes=_notes(function, owners),
    )  # fmt: skip


def owners_of(function: FunctionFacts) -> list[Owner]:
    """What variables of first calls belong to, in the order in which it is to be made; each name once."""
    found: dict[tuple[str, str], Owner] = {}
    for trace in function.traces:
        for one in trace.created_for:
            known = found.setdefault((one.kind, one.name), one)
            if one.kind == "optimizer" and one.given != known.given:  # each object has its own
                found[one.kind, one.name] = replace(known, given="")
    return sorted(found.values(), key=lambda one: _ORDER.index(one.kind) if one.kind in _ORDER else len(_ORDER))


def _with_lists(owners: Sequence[Owner]) -> list[Owner]:
    """Variables that are all items of one list, from its first on, as one: a list that is empty takes no items by their
    places."""
    of_lists: dict[str, list[Owner]] = {}
    for one in owners:
        if one.kind == "variable" and (item := _ITEM.fullmatch(one.name)) is not None:
            of_lists.setdefault(item[1], []).append(one)
    whole = {
        holder: of_it
        for holder, of_it in of_lists.items()
        if len(of_it) > 1 and [one.name for one in of_it] == [f"{holder}[{n}]" for n in range(len(of_it))]
    }
    found: dict[Owner, None] = {}
    for one in owners:
        item = _ITEM.fullmatch(one.name)
        of_it = whole.get(item[1], []) if item is not None and one.kind == "variable" else []
        given = f"{of_it[0].given}, {of_it[1].given}{', …' if len(of_it) > 2 else ''}" if of_it else ""
        found[Owner(item[1], "list", given, len(of_it)) if item is not None and of_it else one] = None
    return [*found]


def _notes(function: FunctionFacts, owners: Sequence[Owner]) -> list[str]:
    kinds = {one.kind for one in owners}
    called = [_outside(function, one.name) for one in owners if one.kind in _CALLS]
    return [*([_CALLED.format(listed(called))] if called else []), *([_DRAWN] if "variable" in kinds else [])]


def _those(function: FunctionFacts, owners: Sequence[Owner]) -> str:
    owners = _with_lists(owners)
    named = [_outside(function, one.name) for one in owners if one.kind and one.kind not in _COMPILED]
    if compiled := [_COMPILED[one.kind] for one in owners if one.kind in _COMPILED]:
        known = [*dict.fromkeys(compiled), *([listed(named)] if named else [])]
        are_more = len(named) + len(compiled) < len(owners)
        those = " and ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
        return f"those of {those}{', and what else there is' if are_more else ''}"
    if not named:
        return "those of layers, of the optimizer, and any `tf.Variable` of its own"
    return f"those of {listed(named)}{', and what else there is' if len(named) < len(owners) else ''}"


def made_before(function: FunctionFacts, owners: Sequence[Owner]) -> str:
    """A line for each; "" where of none is known what to write."""
    if not any(one.kind for one in owners):
        return ""
    first = "# before `fit`" if function.library else _BEFORE
    lines = [line for one in _with_lists(owners) for line in _lines(function, one)]
    if any(one.in_a_scope for one in owners):
        lines = [_SCOPE, *(f"    {line}" for line in lines)]
    return "\n".join([first, *lines])


def _lines(function: FunctionFacts, owner: Owner) -> list[str]:
    name, given, its = _outside(function, owner.name), _outside(function, owner.given), f"`{function.name}`"
    if owner.kind == "optimizer":
        told = [] if _is_of_each(function, owner) else ["where there is one"]
        told += [] if given else [f"with the variables that {its} applies it to"]
        return [f"{name}.build({given or '…'}){'  # ' * bool(told)}{', '.join(told)}"]
    if owner.kind == "metrics":
        model, of_them = _model(function), "objects in place of names: they have their variables"
        return [f"{model}.compile(…, metrics=[{owner.given}])  # {of_them}"]
    if owner.kind == "losses":
        model = _model(function)
        return [f"{model}.compute_loss(x, y, {model}(x))  # once, of some rows: it makes the means of {owner.name}"]
    if owner.kind == "variable":
        return [f"{name} = tf.Variable(…)  # {owner.given}, with the initial value that {its} gives it"]
    if owner.kind == "list":
        return [f"{name} = [tf.Variable(…), …]  # {owner.given}: each with the initial value that {its} gives it"]
    if owner.kind in ("layer", "made"):
        as_it_is = "" if given and not _parameters_in(function, given) else f", as {its} calls it"
        call = f"{name}({given or '…'})  # once{as_it_is}: it makes its variables"
        return [f"{name} = …  # as {its} makes it", call] if owner.kind == "made" else [call]
    return [f"# and {plural(owner.count, 'variable')} more: {owner.name}"]


def _is_of_each(function: FunctionFacts, owner: Owner) -> bool:
    """Whether each tf.function object that creates variables has one of that name."""
    created = [{one.name for one in trace.created_for} for trace in function.traces if trace.created_for]
    return all(owner.name in names for names in created)


def _model(function: FunctionFacts) -> str:
    """As the lines that train it have it, where these agree."""
    frames = [frame for trace in function.traces if (frame := function.caller(trace)) is not None]
    names = {found[1] for frame in frames for found in _TRAINED.finditer(frame.source)}
    return names.pop() if len(names) == 1 else "model"


def _parameters_in(function: FunctionFacts, code: str) -> set[str]:
    return {path for path, _ in function.traces[0].lookup.signature.arguments} & set(_ROOT.findall(code))


def _outside(function: FunctionFacts, code: str) -> str:
    """With the names that the calls have for what they pass."""
    parameters = _parameters_in(function, code)

    def name(found: re.Match[str]) -> str:
        own = found[0]
        if own == (function.bound_as or "self"):
            return _model(function) if function.library else called_on(function) or own
        return variable_passed(function, own) if own in parameters else own

    return _ROOT.sub(name, code)
