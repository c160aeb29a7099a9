"""Keywords that `**options` take in some calls only, where the code says what it takes in place of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.key_defaults import default_of, is_a_number
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import node_of, nodes_at
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number
from tb_retrace_plugin.explain.advice.python_values.decided_in_python import decided_by
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import number_dtype
from tb_retrace_plugin.explain.advice.source.call_lines import calling_frame
from tb_retrace_plugin.explain.advice.source.code import plural, without_comment
from tb_retrace_plugin.explain.advice.source.edited_calls import rewritten
from tb_retrace_plugin.explain.advice.source.source_calls import calling_line
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number
from tb_retrace_plugin.explain.what_if.replay import replay, reproduces
from tb_retrace_plugin.schema.signature import NOT_PASSED, Node, Signature

_MOST_LINES = 4
_IS_ALWAYS_PASSED = "Where the code asks whether {0} passed (`if 'name' in options`), {0} always then."
_WHOLE = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})


def propose(function: FunctionFacts) -> Fix | None:
    """Of scalar tensors and numbers, as tensors: then all calls pass the same."""
    changed = [c.path for _, c in function.with_cause("structure") if NOT_PASSED in (c.old, c.new)]
    dtypes = {path: dtype for path in dict.fromkeys(changed) if (dtype := _dtype(function, path))}
    lookups = [trace.lookup for trace in function.traces]
    if not dtypes or not reproduces(lookups):
        return None
    numbers = {path: dtype for path, dtype in dtypes.items() if any(map(is_number, nodes_at(function, path)))}
    added = [replace(one, signature=_with(one.signature, dtypes)) for one in lookups]
    added = [replace(one, traced=None) if one.traced is not None else one for one in added]
    stays = replay(added, Candidate(numbers=numbers))
    if stays is None or not sum(stays) < len(stays):
        return None
    one = len(dtypes) == 1
    defaults = listed(list(dict.fromkeys(default_of(function, path) for path in dtypes)))
    as_tensors = (
        f" Pass {'it' if one else 'them'} as {'a tensor' if one else 'tensors'} at every call." if numbers else ""
    )
    text = (
        f"{listed(list(dtypes))} of `{function.name}` {'is' if one else 'are'} passed in some calls and left out in"
        f" others. Pass {'it' if one else 'them'} in all calls, as what the code takes where one leaves"
        f" {'it' if one else 'them'} out ({defaults}).{as_tensors}"
    )
    wraps = {path: _tensor("{}", dtype, of_floats=False) for path, dtype in numbers.items()}
    evidence = (
        f"Replayed by TensorFlow's rules, the {plural(len(lookups), 'recorded signature')} need"
        f" {plural(sum(stays), 'trace')}; it assumes that the code does with {'it' if one else 'them'} what it does"
        " where nothing is passed."
    )
    return Fix(
        "same_keywords", text, None, other=_lines(function, dtypes, wraps), evidence=evidence,
        traces_after=sum(stays), notes=[_IS_ALWAYS_PASSED.format("it is" if one else "they are")],
    )  # fmt: skip


def _dtype(function: FunctionFacts, path: str) -> str:
    """Of the scalar that all calls can pass; "" if there is none."""
    default, nodes = default_of(function, path), list(nodes_at(function, path))
    if not is_a_number(default) or not path.endswith("']") or not nodes:
        return ""
    if all(map(is_number, nodes)):
        if _sets_an_attribute(function, path):
            return ""
        fix = tensor_for_number.propose(function)
        found = fix.candidate.numbers.get(path, "") if fix is not None and fix.candidate is not None else ""
        known = number_dtype(function, path) if not found and len(nodes) > 1 else None
        if known is not None and not use_of(function, path).attribute and not decided_by(function, path):
            found = known[0]  # none changed while all were passed
        if not found and len(nodes) == 1:  # of one value it is no number that changes
            found = "int32" if nodes[0].type_name == "int" and default.lstrip("-").isdecimal() else "float32"
    else:
        scalars = {node.dtype for node in nodes if node.kind == "tensor" and node.shape == ()}
        found = scalars.pop() if len(scalars) == 1 and all(n.kind == "tensor" and n.shape == () for n in nodes) else ""
    fits = found not in ("string", "bool") and (found not in _WHOLE or default.lstrip("-").isdecimal())
    return found if fits else ""


def _sets_an_attribute(function: FunctionFacts, path: str) -> bool:
    """Whether graphs of calls that pass it, and of such that leave it alone out, differ in attributes of operations,
    such as the strides of a convolution: no tensor can be passed there."""
    for place, trace in enumerate(function.traces):
        if trace.closest is not None and [change.path for change in trace.changes] == [path]:
            pair = function.graphs.compare(trace.closest, place)
            if pair is not None and pair.attribute:
                return True
    return False


def _with(signature: Signature, dtypes: Mapping[str, str]) -> Signature:
    """TensorFlow sorts keywords that `**options` take."""
    there = {path for path, _ in signature.arguments}
    added = [(path, Node("tensor", dtype=dtype, shape=())) for path, dtype in dtypes.items() if path not in there]
    if not added:
        return signature
    options = {path.partition("[")[0] for path in dtypes}
    own = [pair for pair in signature.arguments if not _is_of(pair[0], options)]
    others = [pair for pair in signature.arguments if _is_of(pair[0], options)]
    return replace(signature, arguments=(*own, *sorted([*others, *added], key=lambda pair: pair[0])))


def _is_of(path: str, options: set[str]) -> bool:
    return path.endswith("]") and path.partition("[")[0] in options


def _tensor(number: str, dtype: str, *, of_floats: bool) -> str:
    plain = "float32" if of_floats else "int32"
    return f"tf.constant({number})" if dtype == plain else f"tf.constant({number}, tf.{dtype})"


def _lines(function: FunctionFacts, dtypes: Mapping[str, str], wraps: Mapping[str, str]) -> str:
    """The calls that leave some out, with what they pass then, and those that pass Python numbers."""
    needed: dict[Frame, dict[str, str]] = {}  # by path how it is passed
    for trace in function.traces:
        frame = calling_frame(function, trace)
        if frame is not None and frame.source:
            nodes = {path: node_of(trace, path) for path in dtypes}
            own = needed.setdefault(frame, {})
            own.update((p, _default(function, p, dtypes[p])) for p, node in nodes.items() if node is None)
            own.update((p, wraps[p]) for p, node in nodes.items() if node is not None and is_number(node))
    found = dict.fromkeys(_line(function, frame, given) for frame, given in needed.items() if given)
    return "\n".join(list(found)[:_MOST_LINES])


def _default(function: FunctionFacts, path: str, dtype: str) -> str:
    default = default_of(function, path)
    return _tensor(default, dtype, of_floats=not default.lstrip("-").isdecimal())


def _keyword(path: str) -> str:
    return path.partition("['")[2].removesuffix("']")


def _line(function: FunctionFacts, frame: Frame, given: Mapping[str, str]) -> str:
    passed = [path for trace in function.traces for path, _ in trace.lookup.signature.arguments]
    parameters = [path for path in dict.fromkeys(passed) if path != "self"]
    optional = {*function.with_default, *parameters}
    wraps = {path: code for path, code in given.items() if "{}" in code}
    more = [f"{_keyword(path)}={code}" for path, code in given.items() if path not in wraps]
    code = frame.source
    if wraps:
        code = (
            rewritten(
                code, function.name, parameters, wraps, optional=optional - wraps.keys(),
                keyword_only=function.keyword_only,
            )
            or ""
        )  # fmt: skip
    line = calling_line(code, function.name, parameters, optional, function.keyword_only)
    if line is None or len(line.calls) != 1 or line.calls[0].has_stars:
        told = [*more, *(f"{_keyword(path)}={code.format('…')}" for path, code in wraps.items())]
        return f"# and by hand, with {', '.join(told)}, in line {frame.line}: {without_comment(frame.source)}"
    end = line.calls[0].node.end_col_offset or 0
    return "".join([line.code[: end - 1], *(f", {one}" for one in more), line.code[end - 1 :]])
