"""Loops through a distributed dataset again and again: TensorFlow makes functions for each iterator and each device."""

from __future__ import annotations

import ast

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts
from tb_retrace_plugin.explain.advice.source.code import plural, source_line
from tb_retrace_plugin.explain.verdict.new_objects import ITERATED_AGAIN

_FILE = "/data/ops/multi_device_iterator_ops.py"
_MAX_LOOPS = 3
#: What gives more than the batches.
_OF_MORE = frozenset({"enumerate", "zip"})


def makes(function: FunctionFacts) -> bool:
    """Whether it is one of those functions."""
    return function.file.replace("\\", "/").endswith(_FILE)


def propose(function: FunctionFacts) -> Fix | None:
    again = [trace for trace, _ in function.with_cause("recreated_function") if trace.evidence == ITERATED_AGAIN]
    if not makes(function) or not again:
        return None
    lines = list(dict.fromkeys(function.caller(trace) for trace in again))
    text = (
        f"TensorFlow makes `{function.name}` for each iterator over a distributed dataset and each device, and"
        f" {function.at_least}{plural(len(again), 'time')} there was one for the same data before. Make one iterator,"
        " over the dataset that repeats, and take as many batches of it as there are in a pass."
    )
    return Fix(
        "distributed_iterator_once", text, None, other="\n".join(dict.fromkeys(map(_code, lines[:_MAX_LOOPS]))),
        traces_after=len(function.traces) - len(again),
        evidence="TensorFlow makes such functions for an iterator alone; one over a dataset that repeats has no end.",
        notes=[
            "Where the dataset does not know its length (of a generator, say), count the batches of a pass once.",
            "`.repeat()` at the dataset's end lets a `shuffle` before it go on with its order.",
        ],
    )  # fmt: skip


def _code(frame: Frame | None) -> str:
    """The loop as it is to be; `dataset`: what is distributed in it."""
    batch, batches, which, instead, counted = "batch", "batches", "", "", "_"
    tree = _for_loop(source_line(frame))
    if tree is not None:
        head = source_line(frame).strip()[: tree.body[0].col_offset].strip()  # its body may stand in the line, too
        instead = f"  # in place of: {head}"
        target, over = tree.target, tree.iter
        match target, over:
            case ast.Tuple(elts=[number, each]), ast.Call(func=ast.Name(id="enumerate"), args=[whole], keywords=[]):
                counted, target, over = ast.unparse(number), each, whole
        is_of_more = any(isinstance(one, ast.Name) and one.id in _OF_MORE for one in ast.walk(over))
        batch = batch if is_of_more else ast.unparse(target)
        if isinstance(over, ast.Name):
            batches, which = f"{over.id}_batches", f"; dataset: what `{over.id}` was made of"
    return (
        f"{batches} = iter(strategy.experimental_distribute_dataset(dataset.repeat()))"
        f"  # once, before all loops{which}\n"
        f"for {counted} in range(len(dataset)):{instead}\n    {batch} = next({batches})"
    )


def _for_loop(line: str) -> ast.For | None:
    for text in (f"{line.strip()} pass", line.strip()):
        try:
            (statement,) = ast.parse(text).body
        except (SyntaxError, ValueError):
            continue
        return statement if isinstance(statement, ast.For) else None
    return None
