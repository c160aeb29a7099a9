"""What the verdict of a trace tells of the one that it is within, which passes its arguments on."""

from __future__ import annotations

from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.explain.verdict.asked_in_python import asked_in_python
from tb_retrace_plugin.explain.verdict.decided_in_python import deciding_uses
from tb_retrace_plugin.explain.verdict.evidence import CHOSEN_AMONG
from tb_retrace_plugin.schema import retrace_pb2 as pb


def decided_for_the_outer(record: pb.Trace) -> dict[tuple[str, str], str]:
    """Numbers, by their texts, of which a trace needs a graph for each, for what it is traced within: that passes them
    on, as far as the values tell."""
    uses = record.function.python_uses
    numbers = [change for change in record.changes if change.cause == "python_value" and is_number(change.new)]
    is_alone = len(numbers) == len(record.changes) == 1
    found = [c for c in numbers if is_alone or deciding_uses(uses, c.path) or asked_in_python(uses, c.path)]
    return {(change.old, change.new): f"{record.function.name}({change.path}=…)" for change in found}


def chosen_for_the_outer(record: pb.Trace) -> dict[tuple[str, str], str]:
    """Texts, likewise, by which it chooses."""
    texts = {change.path: (change.old, change.new) for change in record.changes if change.cause == "python_value"}
    found = ((one[1], one[2]) for one in CHOSEN_AMONG.finditer(record.evidence) if one[1] in texts)
    return {texts[path]: f"{how} of {record.function.name}" for path, how in found}
