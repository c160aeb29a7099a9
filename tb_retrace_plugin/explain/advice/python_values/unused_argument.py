"""A string, say, that is traced for each of its values, of which none makes another graph: it need not be passed.

So it is with a number that nothing in the function's code reads.
"""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import Merged, node_of, nodes_at
from tb_retrace_plugin.explain.advice.evidence.strings_in_graphs import holds_strings
from tb_retrace_plugin.explain.advice.python_values.python_uses import is_unread
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import number_dtype
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_LATE, says_a_string_names_operations
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node, hidden_type

_NUMBERS = frozenset({"bool", "int", "float", "complex"})
_NO_OBJECTS = frozenset({"python_value", "shape", "rank", "dtype"})


def propose(function: FunctionFacts) -> Fix | None:
    identities: dict[tuple[str, int], int] = {}
    calls: dict[str, str] = {}
    in_dictionaries: dict[str, list[str]] = {}
    left_out = True
    for path in dict.fromkeys(change.path for _, change in function.with_cause("python_value")):
        if path == "self" or (number_dtype(function, path) is not None and not is_unread(function, path)):
            continue
        merged = _with_the_first(function, path, _merged(function, path))
        if not merged:
            continue
        identities.update({(path, number): root for number, root in merged.items()})
        values = list(nodes_at(function, path))
        if not _are_one_in_each_object(function, path, merged):
            left_out = False
        elif not (code := _literal(values[0])):
            continue
        elif key := _key_in_a_dictionary(function, path):
            in_dictionaries.setdefault(key[0], []).append(f"{key[1]}: {code}")
        else:
            calls[path] = code
    if not identities:
        return None
    # the caller's own dictionary stays as it is: what it does with the value besides is not known
    calls.update({name: f"{{{{**{{}}, {', '.join(items)}}}}}" for name, items in in_dictionaries.items()})
    paths = list(dict.fromkeys(path for path, _ in identities))
    count = len({node.identity for node in nodes_at(function, paths[0])})
    seen = f" ({function.at_least}{plural(count, 'value')} so far)" if len(paths) == 1 else ""
    it, one = ("it", "one value") if len(paths) == 1 else ("them", "one value of each")
    text = f"`{function.name}` is traced for each value of {listed(paths)}{seen}, and "
    if left_out:
        each = " of each tf.function object" if len({t.lookup.object_number for t in function.traces}) > 1 else ""
        is_named = any(says_a_string_names_operations(trace.evidence) for trace in function.avoidable)
        but_for = " but for names of operations" if is_named else ""
        if all(is_unread(function, path) for path in paths):
            text += f"nothing in its code reads {'it' if len(paths) == 1 else 'them'}."
        else:
            text += f"the graph{each} is the same for all of them{but_for}."
        text += f" Leave {it} out of the arguments, or pass {one} at every call."
    else:
        text += "the graph is the same for some of them. Pass one in place of those that give the same graph."
    return Fix(
        "unused_argument", text, Candidate(identities=identities), calls=calls if left_out else {},
        assumes=f"nothing but the graph depends on {listed(paths)}",
    )  # fmt: skip


def _are_one_in_each_object(function: FunctionFacts, path: str, merged: dict[int, int]) -> bool:
    """Whether each tf.function object was seen to make no difference between all the values that it is passed."""
    found: dict[int, set[int]] = {}
    for trace in function.traces:
        if (node := node_of(trace, path)) is not None:
            found.setdefault(trace.lookup.object_number, set()).add(merged.get(node.identity, node.identity))
    return all(len(values) == 1 for values in found.values())


def _key_in_a_dictionary(function: FunctionFacts, path: str) -> tuple[str, str] | None:
    """(argument, key as code) of what lies in one that is a plain dictionary in every call."""
    name, bracket, key = path.partition("[")
    nodes = list(nodes_at(function, name))
    if not bracket or not name.isidentifier() or not nodes or "{" in key or "}" in key:
        return None
    is_plain = all(node.kind == "dict" and not node.class_name for node in nodes)
    return (name, key[:-1]) if is_plain and any(f"[{key}" == at for at, _ in nodes[0].children) else None


def _merged(function: FunctionFacts, path: str) -> dict[int, int]:
    """The values at `path` that were seen to make no difference, each made one with that which it is compared with;
    none where other traces of two of them did not show it: a constant may be another number by chance as well."""
    merged = Merged()
    if is_unread(function, path):
        values = [node for node in nodes_at(function, path) if node.kind == "literal"]
        for node in values[1:]:
            merged.merge(node.identity, values[0].identity)
        return merged.replaced
    differing: list[tuple[int, int]] = []
    for trace in function.traces:
        if all(
            change.path != path or change.cause != "python_value" or is_iterator(change.new) for change in trace.changes
        ):
            continue
        if trace.closest is None or trace.lookup.failed or trace.evidence == CREATES_VARIABLES_LATE:
            continue
        now, before = _value(trace, path), _value(function.traces[trace.closest], path)
        if now is None or before is None:
            continue
        if trace.verdict == "unknown" and all(change.cause in _NO_OBJECTS for change in trace.changes):
            differing.append((now.identity, before.identity))
        elif trace.verdict == "avoidable" and not holds_strings(function, trace, path):
            merged.merge(now.identity, before.identity)
    found = merged.replaced
    return {} if any(found.get(a, a) == found.get(b, b) for a, b in differing) else found


def _with_the_first(function: FunctionFacts, path: str, merged: dict[int, int]) -> dict[int, int]:
    """Each made one with that which came first in time, which calls are told to pass: others may ask for it, too."""
    first: dict[int, int] = {}
    for node in nodes_at(function, path) if merged else ():
        first.setdefault(merged.get(node.identity, node.identity), node.identity)
    numbers = {*merged, *merged.values()}
    found = {number: first.get(root, root) for number in numbers for root in [merged.get(number, number)]}
    return {number: root for number, root in found.items() if number != root}


def _value(trace: Traced, path: str) -> Node | None:
    """None for a number, which can be avoided whatever the graph is, and for a bool, which is bounded."""
    node = node_of(trace, path)
    return node if node is not None and node.kind == "literal" and node.type_name not in _NUMBERS else None


def _literal(node: Node) -> str:
    """Its Python code, as a text that is formatted; "" where the record does not hold all of it."""
    if node.kind != "literal" or "…" in node.value or hidden_type(node.value):
        return ""
    return node.value.replace("{", "{{").replace("}", "}}")
