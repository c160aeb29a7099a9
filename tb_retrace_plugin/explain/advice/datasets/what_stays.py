"""What a dataset that is built once keeps from one pass to the next: a `shuffle` goes on with its order, or a cache."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Beside, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import builders, method_that_builds
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line

SAME_EACH_TIME = "the dataset can be the same each time, with a `shuffle` that goes on with its order"
NO_CACHE = "no `cache` keeps the elements that were made before"
_SHUFFLES = (
    "This changes the order of elements: a `shuffle` begins anew in each dataset that is built, and in one that is"
    " built once it goes on. With a seed and `reshuffle_each_iteration=False` each pass has the first one's."
)
_ONE_ORDER = (
    "This changes the order of elements: with `reshuffle_each_iteration=False` and no seed of its own each dataset that"
    " is built has another order, and of one that is built once each pass has the first one's."
)
_CACHES = (
    "This changes results: a `cache` keeps the elements that were made in the first pass. Leave it out, or put it"
    " before `{}`."
)
_DATA = (
    "This changes results where {} {} other data in some of the calls, as in a request: a dataset that is built once"
    " has the first ones. Build one for each then, or do what it does in a tf.function of your own, made once."
)
_PARTS = (
    "This changes results where {} {} other data each time: a dataset that is built once has the first. Build one for"
    " each then, before the loop."
)
_BESIDE = (
    "This changes results {}: {} closes over {}, and a dataset that is built once keeps the first. Do what is"
    " advised of {} as well, or build one dataset for each."
)
_OTHER_ELEMENTS = (
    "This may change results, or fail: {} {} elements of another shape from each dataset. Where another step makes them"
    " so with what changes, such as `padded_batch`, a dataset that is built once keeps the first value of it."
)
_MAX_TEXT = 60
#: Methods that make a dataset of what they are given.
_OF_DATA = frozenset({"from_tensor_slices", "from_tensors"})


def told_of_data(traces: Sequence[Traced]) -> tuple[str, ...]:
    """Of data that a function is handed, as far as the lines show that build the dataset in it."""
    in_functions = [trace for trace in traces if any(f.function != "<module>" for f in builders(trace)[:1])]
    parts = list(dict.fromkeys(part for argument in _data_of(traces) for part in _changing_parts(argument)))
    if parts:
        return (_PARTS.format(listed(parts), "is" if len(parts) == 1 else "are"),)
    names = list(dict.fromkeys(name for argument in _data_of(in_functions) for name in _data_in(argument)))
    return (_DATA.format(listed(names), "is" if len(names) == 1 else "are"),) if names else ()


def told_of_beside(beside: Sequence[Beside]) -> tuple[str, ...]:
    """Of other functions in the dataset, which are others each time."""
    told = []
    for one in beside:
        name = f"`{one.name}`"
        what = f"another {listed(list(one.names))} each time" if one.names else "something else each time"
        if one.same_line:
            told.append(_BESIDE.format("by itself", f"{name}, which the same line gives to the dataset,", what, name))
        else:
            told.append(_BESIDE.format(f"where {name} is a part of the same dataset", "it", what, name))
    return tuple(told)


def told_of_elements(given_others: Sequence[str]) -> tuple[str, ...]:
    """Of functions of other steps, to which elements come in other shapes."""
    if not given_others:
        return ()
    return (_OTHER_ELEMENTS.format(listed(list(given_others)), "gets" if len(given_others) == 1 else "get"),)


def _data_of(traces: Sequence[Traced]) -> list[ast.expr]:
    calls = [call for call in _calls(traces) if isinstance(call.func, ast.Attribute) and call.func.attr in _OF_DATA]
    return [argument for call in calls for argument in call.args]


def _changing_parts(argument: ast.expr) -> list[str]:
    """`X[: 8 * epoch]`: parts of data that a variable chooses, which a loop may change."""
    found = [node for node in ast.walk(argument) if isinstance(node, ast.Subscript) and _data_in(node.slice)]
    inner = {id(below) for node in found for below in ast.walk(node) if below is not node}
    return [text for node in found if id(node) not in inner and len(text := ast.unparse(node)) <= _MAX_TEXT]


def _data_in(argument: ast.expr) -> list[str]:
    """Names in it, but for modules and functions: a constant is the same each time."""
    nodes = list(ast.walk(argument))
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    roots = {id(node) for function in called for node in ast.walk(function)}
    names = [node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in roots]
    return [name for name in names if not name.isupper()]


def told_of_shuffle(traces: Sequence[Traced]) -> tuple[str, ...]:
    """Warnings, as far as the lines show that build the dataset."""
    found = dict.fromkeys(filter(None, map(_of_shuffle, _calls(traces))))
    return tuple(found)


def told_of_cache(traces: Sequence[Traced]) -> tuple[str, ...]:
    """The same, where what the function reads is another in each pass."""
    built = method_that_builds(traces[0])
    methods = [call.func.attr for call in _calls(traces) if isinstance(call.func, ast.Attribute)]
    is_kept = built in methods and "cache" in methods[methods.index(built) :]
    return (_CACHES.format(built),) if is_kept else ()


def _of_shuffle(call: ast.Call) -> str:
    """What is said of it, if it shuffles: with a seed in the same order in each dataset, or in one order in each."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "shuffle":
        return ""
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if len(call.args) > 1:
        given["seed"] = ast.unparse(call.args[1])
    if len(call.args) > 2:
        given["reshuffle_each_iteration"] = ast.unparse(call.args[2])
    is_seeded = given.get("seed", "None") != "None"
    if given.get("reshuffle_each_iteration") == "False":
        return "" if is_seeded else _ONE_ORDER
    return _SHUFFLES if is_seeded else ""


def _calls(traces: Sequence[Traced]) -> list[ast.Call]:
    """In the lines that build the datasets, in the order in which they run."""
    sources = dict.fromkeys(source_line(frame) for trace in traces for frame in builders(trace))
    trees = [tree for source in sources if (tree := parsed(source)) is not None]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return found[::-1]  # of a chain, the last one is walked first
