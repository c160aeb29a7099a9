"""A Python number that is an attribute of an operation, as `ksize` of `MaxPool` is, or that a library's code asks in
Python, as `axis` of `tf.nn.softmax`: no tensor can be."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import names_of_closure
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import number_paths
from tb_retrace_plugin.explain.advice.python_values.use import Use
from tb_retrace_plugin.explain.verdict.evidence import says_each_value_needs_a_graph


def propose(function: FunctionFacts) -> Fix | None:
    paths = dict.fromkeys(number_paths(function))
    for trace in function.traces:
        if says_each_value_needs_a_graph(trace.evidence):
            paths |= {change.path: None for change in trace.changes if change.cause == "python_value"}
            paths |= dict.fromkeys(names_of_closure(trace.evidence) if trace.kind == "recreated" else ())
    return told_of(function, {path: use_of(function, path) for path in paths})


def told_of(function: FunctionFacts, uses: Mapping[str, Use]) -> Fix | None:
    """`uses`: of numbers, by their names. A seed has a rule of its own."""
    named = [(name, use.attribute) for name, use in uses.items() if use.attribute and not use.seeds]
    if not named:
        return None
    name, attribute = named[0]
    return Fix(
        "operation_attribute",
        f"`{function.name}` is traced for each value of `{name}`, which is {attribute}: TensorFlow takes"
        " a Python number alone for it, and each value needs a graph, unless the code does the same with operations"
        " that take a tensor.",
        None,
        evidence="Not replayed: other operations would have to be called.",
    )
