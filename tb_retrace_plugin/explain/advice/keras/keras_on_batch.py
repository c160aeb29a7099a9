"""What `train_on_batch`, `test_on_batch` and `predict_on_batch` are passed, Keras' functions get as it is.

So they do of what `predict` is passed, but for fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.keras.keras_code import ALL_ROWS, on_batch
from tb_retrace_plugin.explain.advice.python_values import one_dtype
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.what_if.replay import Lookup, replay
from tb_retrace_plugin.schema.signature import Node, Signature

#: Methods of a model -> the paths in Keras' functions of what they are passed.
_OF_TRAINING = {"data[0]": "x", "data[1]": "y", "data[2]": "sample_weight"}
_METHODS = {
    "train_on_batch": _OF_TRAINING,
    "test_on_batch": _OF_TRAINING,
    "predict_on_batch": {"data[0][0]": "x"},
    "predict": {"data[0][0]": "x", "data[0]": "x"},  # the elements of a dataset of arrays
}
#: Of `predict`'s lines, that are shown.
_MOST_LINES = 4
_OF_A_DATASET = "Where `predict` is given a dataset, make its elements tuples instead: `dataset.map(lambda x: (x,))`."


def propose_dtype(function: FunctionFacts) -> Fix | None:
    changes = function.with_cause("dtype")
    named = _named(changes)
    fix = one_dtype.propose(function) if named else None
    if fix is None or fix.candidate is None or not fix.candidate.dtypes.keys() <= named.keys():
        return None
    if fix.candidate.numbers or fix.candidate.stacked:  # none of an array's
        return None
    dtypes = {named[path]: dtype for path, dtype in fix.candidate.dtypes.items()}
    come, it = ("comes", "it") if len(dtypes) == 1 else ("come", "each")
    text = (
        f"{_passed(changes)} casts {_cast(changes)}: {listed(list(dtypes))} {come} in several dtypes, and each is"
        f" traced. Pass {it} in one.{_in_the_traces({path: named[path] for path in fix.candidate.dtypes})}"
    )
    code = "\n".join(f'{name} = np.asarray({name}, "{dtype}")  # before each call' for name, dtype in dtypes.items())
    return replace(fix, text=text, calls={}, other=code)


def propose_keys(function: FunctionFacts) -> Fix | None:
    changes = [(trace, change) for trace, change in function.with_cause("structure") if change.is_of_a_key]
    named = _named(changes)
    if not named:
        return None
    text = (
        f"{listed(list(named.values()))} {'is' if len(named) == 1 else 'are'} there in some calls of {_passed(changes)}"
        " and missing in others. Pass the same keys in every call: leave out those that no input of the model has."
        f"{_in_the_traces(named)}"
    )
    return Fix("same_keys", text, None, evidence="Which keys the model reads is not recorded.")


def propose_one_method(function: FunctionFacts) -> Fix | None:
    """`predict` passes on what it is given, and `predict_on_batch` a tuple of that: each needs a trace."""
    of_methods: dict[str, list[Traced]] = {"predict": [], "predict_on_batch": []}
    for trace in function.traces:
        of_methods.get(_method_of(trace), []).append(trace)
    predicted = [trace for trace in of_methods["predict"] if _x_of(trace.lookup.signature).kind == "tensor"]
    others = [trace.lookup.signature for trace in of_methods["predict_on_batch"]]
    if not predicted or not any(_x_of(signature).kind == "tuple" for signature in others):
        return None
    needed = replay([_in_a_tuple(trace.lookup) if trace in predicted else trace.lookup for trace in function.traces])
    if needed is None or sum(needed) >= len(function.traces):
        return None
    frames = dict.fromkeys(filter(None, map(function.caller, predicted)))
    codes = [on_batch(frame) for frame in list(frames)[:_MOST_LINES]]
    text = (
        f"`predict` passes `{function.name}` its input as it is, and `predict_on_batch` a tuple of it: each is traced."
        " Call `predict_on_batch` in both places."
    )
    return Fix(
        "keras_predict_once", text, None, traces_after=sum(needed),
        other="\n".join(codes) if all(codes) else "",
        notes=[ALL_ROWS, _OF_A_DATASET],
        evidence="Replayed by TensorFlow's rules, with a tuple in each of its traces.",
    )  # fmt: skip


def _x_of(signature: Signature) -> Node:
    """What Keras' function is passed as the input; a node of no kind if there is none such."""
    data = dict(signature.arguments).get("data")
    return data.children[0][1] if data is not None and data.kind in ("tuple", "list") and data.children else Node("")


def _in_a_tuple(lookup: Lookup) -> Lookup:
    def changed(signature: Signature) -> Signature:
        (key, bare), *rest = dict(signature.arguments)["data"].children
        inner = Node("tuple", type_name="tuple", children=(("[0]", bare),))
        arguments = [
            (name, replace(node, children=((key, inner), *rest)) if name == "data" else node)
            for name, node in signature.arguments
        ]
        return replace(signature, arguments=tuple(arguments))

    traced = lookup.traced
    return replace(lookup, signature=changed(lookup.signature), traced=changed(traced) if traced is not None else None)


def _named(changes: Sequence[tuple[Traced, Change]]) -> dict[str, str]:
    """Paths that change, as the user who calls the method knows them; {} if some are no such."""
    found: dict[str, str] = {}
    for trace, change in changes:
        parameters = _METHODS.get(_method_of(trace), {})
        inner = next((path for path in parameters if change.path == path or change.path.startswith(f"{path}[")), None)
        if inner is None:
            return {}
        found[change.path] = parameters[inner] + change.path[len(inner) :]
    return found


def _in_the_traces(named: Mapping[str, str]) -> str:
    """By which path each is to be found there: Keras' function has names of its own."""
    told = [f"`{path}` is your `{name}`" for path, name in named.items()]
    return f" In the traces of Keras' function {' and '.join(told)}."


def _cast(changes: Sequence[tuple[Traced, Change]]) -> str:
    return "fractions alone, to one dtype" if any(_method_of(t) == "predict" for t, _ in changes) else "nothing"


def _passed(changes: Sequence[tuple[Traced, Change]]) -> str:
    return listed(list(dict.fromkeys(_method_of(trace) for trace, _ in changes)))


def _method_of(trace: Traced) -> str:
    for frame in trace.stack:
        if frame.user:
            break
        if frame.function in _METHODS and "/keras/" in frame.file.replace("\\", "/"):
            return frame.function
    return ""
