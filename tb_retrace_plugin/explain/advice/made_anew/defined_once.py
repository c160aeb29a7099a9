"""A function that is made anew, defined once and passed what it closed over: as its user would write it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import are_all_of_one_kind, is_written_as_default, nodes_at
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import declared_with, known_keywords
from tb_retrace_plugin.explain.advice.source.code import with_added_specs

#: Of a function: what makes it.
_IN_A_FUNCTION = re.compile(r"(?:^|<locals>\.)(\w+)\.<locals>\.\w+$")
_OBJECTS = "An object that is made there, such as a loss, is made once, too: each other one that is passed is traced."
#: The class, and the method of it that makes the function.
_IN_A_METHOD = re.compile(r"(?:^|\.)(\w+)\.(\w+)\.<locals>\.\w+$")
_NAMES = re.compile(r"\w+")
_OPENS, _CLOSES = "@tf.function(", ")"


def defined_once(
    function: FunctionFacts, parameters: Sequence[str], specs: Mapping[str, str], passed: Sequence[str], *,
    are_bound: bool = False,
) -> str:  # fmt: skip
    """`specs`: new parameters, as `Fix.added` has them, for which the call passes `passed`. "" if something cannot be
    written as a name. `are_bound`: they are the function's own, which a partial binds by their places."""
    names = [_parameter(name) for name in specs]
    instead = [f"{name} in place of {of}" for name, of in zip(names, specs, strict=True) if name != of]
    defaults = {path: default for path in parameters if (default := _default(function, path))}
    required = [path for path in parameters if path not in defaults]  # the caller's line may have no name for others
    if not all(name.isidentifier() for name in (*parameters, *names)):
        return ""
    if instead and len({*parameters, *names}) < len(parameters) + len(names):
        return ""
    # what a partial binds by its name, or a lambda has as a default, is a parameter already
    own = [path for path, _ in function.traces[0].lookup.signature.arguments if path in specs or path in required]
    in_order = [*own, *(path for path in required if path not in own), *(name for name in specs if name not in own)]
    called = dict(zip(specs, names, strict=True))
    values = dict(zip(specs, passed, strict=True))
    taken = ", ".join(
        [*(called.get(path, path) for path in in_order), *(f"{path}={default}" for path, default in defaults.items())]
    )
    call = f"({', '.join(values.get(path, path) for path in in_order)})"
    is_all = not specs.keys() & set(own)
    keywords = _keywords(function, list(specs.values()) if is_all else [""])
    once = ", with ".join(["once", *([" and ".join(instead)] if instead else [])])
    if function.name == "<lambda>":
        given = f", {keywords}" if keywords else ""
        name = "compiled" if "f" in {*parameters, *names} else "f"
        return f"{name} = tf.function(lambda {taken}: …{given})  # {once}\n…\n{name}{call}"
    if not function.name.isidentifier():
        return ""
    if are_bound:  # before the others, or between them
        compiled = f"compiled_{function.name.lstrip('_')}"
        made = f"{compiled} = tf.function({function.name_where_made}{''.join(f', {one}' for one in [keywords] if one)})"
        named = [f"{name}={value}" for name, value in zip([*required, *names], [*required, *passed], strict=True)]
        which = f"{once}, in place of each functools.partial; what else that binds is passed, too"
        return f"{made}  # {which}\n…\n{compiled}({', '.join(named)})"
    if not is_all and function.name_where_made != function.name and function.passed.startswith("functools.partial("):
        # a method that takes them already: a decorator would be of all instances
        compiled = f"compiled_{function.name.lstrip('_')}"
        given = f", {keywords}" if keywords else ""
        made = (
            f"{compiled} = tf.function({function.name_where_made}{given})  # {once}, in place of each functools.partial"
        )
        return f"{made}\n…\n{compiled}({_as_declared(function, values, defaults)})"
    decorator = f"{_OPENS}{keywords}{_CLOSES}" if keywords else "@tf.function"
    return f"{decorator}\ndef {function.name}({self_of(function)}{taken}):  # {once}\n    …\n\n{function.called}{call}"


def _as_declared(function: FunctionFacts, values: Mapping[str, str], defaults: Mapping[str, str]) -> str:
    """Arguments in the order of the parameters, by name after one that need not be passed."""
    shown = []
    by_name = False
    for path, _ in function.traces[0].lookup.signature.arguments:
        if path in defaults and path not in values:
            by_name = True
        elif path != "self":
            value = values.get(path, path)
            shown.append(f"{path}={value}" if by_name or path in function.keyword_only else value)
    return ", ".join(shown)


def _parameter(name: str) -> str:
    """What a new one is called for `rate`, for `self.rate` or `cfg["rate"]`, and for `sizes[0]`."""
    parts = _NAMES.findall(name) if " " not in name else []
    if name.isidentifier() or not parts:
        return name
    return parts[-1] if parts[-1].isidentifier() else "_".join(parts)


def declares_as_well(function: FunctionFacts, specs: Mapping[str, str]) -> list[str]:
    """A note where numbers may be tensors by an `input_signature` that no trace shows; none where none can be."""
    arguments = [(path, node) for path, node in function.traces[0].lookup.signature.arguments if path != "self"]
    scalars = [path for path, node in arguments if node.kind == "tensor" and node.shape == ()]
    is_known = bool(declared_with(function)) or any(trace.nested for trace in function.traces)
    first = function.traces[0].lookup.signature.arguments
    are_same = all(trace.lookup.signature.arguments == first for trace in function.traces)
    if is_known or not scalars or not are_same or any(node.kind != "tensor" for _, node in arguments):
        return []
    added = [f"`{name}`" + (f" ({spec})" if spec else "") for name, spec in specs.items()]
    of = "a tensor" if len(scalars) == 1 else "tensors"
    return [
        f"If it is an `input_signature` that makes {of} of {listed(scalars)}, that stays,"
        f" and declares {' and '.join(added)} as well."
    ]


def _keywords(function: FunctionFacts, specs: Sequence[str]) -> str:
    """What `tf.function` is given now, as far as is known; a signature declares the new parameters as well."""
    found = []
    for keyword in known_keywords(function):
        if keyword != declared_with(function):
            found.append(keyword)
        elif all(specs):
            found.append(with_added_specs(f"{_OPENS}{keyword}{_CLOSES}", specs)[len(_OPENS) : -len(_CLOSES)])
    return ", ".join(found)


def where_it_reads_locals(function: FunctionFacts, besides: Sequence[str] = ()) -> list[str]:
    """A note for a function that a method or a function makes: outside of it there is no `self`, or what is local.
    `besides`: names of what it is advised to be passed."""
    if (function.undecorated and not besides) or not function.name.isidentifier():
        return []
    what = "other local variables" if besides else "local variables"
    if maker := _IN_A_FUNCTION.search(function.qualname):
        return [
            f"If it reads {what} of `{maker[1]}`, which makes it, define it once where these are, or pass them as"
            f" arguments, which an `input_signature` has to declare, too. {_OBJECTS}"
        ]
    found = _IN_A_METHOD.search(function.qualname)
    if found is None:
        return []
    owner, method = found.groups()
    parameters = [path for path, _ in function.traces[0].lookup.signature.arguments]
    parameters += [name for name in besides if name not in parameters]
    shown = ", ".join(["self", *parameters]) if all(path.isidentifier() for path in parameters) else "self, …"
    return [
        f"If it reads `self` of the method `{method}` that makes it, make it a method of `{owner}`"
        f" (`def {function.name}({shown})`, decorated), and call that of one instance; what else it reads of `{method}`"
        f" is passed to it. {_OBJECTS}"
    ]


def self_of(function: FunctionFacts) -> str:
    """Before a method's other parameters; "" for a static one, and for a function."""
    paths = [path for path, _ in function.traces[0].lookup.signature.arguments]
    return "self, " if function.name_where_made != function.name and "self" in paths else ""


def define_once(function: FunctionFacts, objects: Mapping[int, int]) -> str:
    """`objects`: that are made one, as `merged_objects` tells."""
    if are_all_of_one_kind(function, objects):
        return "Define it once"
    roots = len(set(objects.values()) - objects.keys())
    return (
        "Others differ in more: define one for these"
        if roots == 1
        else f"Define the {roots} that differ in more than that once each"
    )


def _default(function: FunctionFacts, path: str) -> str:
    """What a parameter that need not be passed is at every call, as code; "" if it differs, or cannot be written."""
    nodes = list(nodes_at(function, path)) if path in function.with_default else []
    values = {node.value for node in nodes if is_written_as_default(path, node)}
    return values.pop() if len(values) == 1 and len({node.kind for node in nodes}) == 1 else ""
