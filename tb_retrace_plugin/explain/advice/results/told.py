"""What speaks for other results with a change, by all that is known of it; what is certain comes first."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.results.counters import told_of_counters
from tb_retrace_plugin.explain.advice.results.frozen_values import told_of_frozen_values
from tb_retrace_plugin.explain.advice.results.known_sizes import told_of_known_sizes
from tb_retrace_plugin.explain.advice.results.no_data import told_of_no_data
from tb_retrace_plugin.explain.advice.results.other_graphs import told_of_other_graphs
from tb_retrace_plugin.explain.advice.results.other_objects import told_of_other_objects
from tb_retrace_plugin.explain.advice.results.seeds import told_of_seeds
from tb_retrace_plugin.explain.advice.results.texts import told_of_texts
from tb_retrace_plugin.explain.advice.results.type_questions import told_of_type_questions
from tb_retrace_plugin.explain.advice.results.uses_within import told_of_uses_within
from tb_retrace_plugin.explain.advice.results.whole_numbers import told_of_digits, told_of_whole_numbers


def told_of_results(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool]) -> Advice:
    """`stays`: for each trace, whether it would still be made."""
    told = told_of_seeds(told_of_no_data(advice, fixes), function)
    told = told_of_frozen_values(told, function, fixes, stays)
    told = told_of_type_questions(told_of_other_graphs(told, function, fixes), function, merged(fixes), fixes)
    told = told_of_known_sizes(told_of_other_objects(told, function, fixes, stays), function, fixes)
    told = told_of_digits(told_of_whole_numbers(told, function, fixes), function, fixes)
    told = told_of_counters(told, function)
    return told_of_uses_within(told_of_texts(told, function, fixes), function, fixes)
