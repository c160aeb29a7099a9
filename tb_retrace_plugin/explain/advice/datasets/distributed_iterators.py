"""Loops through a distributed dataset again and again: TensorFlow makes functions for each iterator and each device."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

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
        "distributed_iterator_once", text, None, other=_codes(lines[:_MAX_LOOPS]),
        traces_after=len(function.traces) - len(again),
        evidence="TensorFlow makes such functions for an iterator alone; one over a dataset that repeats has no end.",
        notes=[
            "Where the dataset does not know its length (of a generator, say), count the batches of a pass once.",
            "`.repeat()` at the dataset's end lets a `shuffle` before it go on with its order.",
        ],
    )  # fmt: skip


def _codes(lines: Sequence[Frame | None]) -> str:
    codes: dict[str, str] = {}  # by name of what gives the batches
    for line in lines:
        names = (name if number == 1 else f"{name}_{number}" for number in itertools.count(1) for name in [_name(line)])
        name = next(one for one in names if one not in codes or codes[one] == _code(line, one))
        codes[name] = _code(line, name)
    return "\n".join(codes.values())


def _name(frame: Frame | None) -> str:
    tree = _for_loop(source_line(frame))
    over = _distributed(_of_batches(tree)[1]) if tree is not None else None
    return f"{over.attr if isinstance(over, ast.Attribute) else over.id}_batches" if over is not None else "batches"


def _code(frame: Frame | None, batches: str) -> str:
    """The loop as it is to be; `dataset`: what is distributed in it, where the line does not say that."""
    batch, which, instead, counted = "batch", "", "", "_"
    dataset, distributed = "dataset", "strategy.experimental_distribute_dataset(dataset.repeat())"
    tree = _for_loop(source_line(frame))
    if tree is not None:
        head = source_line(frame).strip()[: tree.body[0].col_offset].strip()  # its body may stand in the line, too
        instead = f"  # in place of: {head}"
        counter, over, target = _of_batches(tree)
        counted = counter or counted
        is_of_more = any(isinstance(one, ast.Name) and one.id in _OF_MORE for one in ast.walk(over))
        batch = batch if is_of_more else ast.unparse(target)
        given = _distributed(over)
        if given is not None and isinstance(over, ast.Call):
            dataset = ast.unparse(given)
            distributed = f"{ast.unparse(over.func)}({dataset}.repeat())"
        elif given is not None:
            which = f"; dataset: what `{ast.unparse(over)}` was made of"
    return (
        f"{batches} = iter({distributed})  # once, before all loops{which}\n"
        f"for {counted} in range(len({dataset})):{instead}\n    {batch} = next({batches})"
    )


def _of_batches(loop: ast.For) -> tuple[str, ast.expr, ast.expr]:
    """What counts them, if anything does, what they are taken from, and what each is to be."""
    match loop.target, loop.iter:
        case ast.Tuple(elts=[number, each]), ast.Call(func=ast.Name(id="enumerate"), args=[whole], keywords=[]):
            return ast.unparse(number), whole, each
    return "", loop.iter, loop.target


def _distributed(over: ast.expr) -> ast.Name | ast.Attribute | None:
    """The dataset that a loop distributes, or what it takes as one that is."""
    match over:
        case ast.Call(func=ast.Attribute(attr="experimental_distribute_dataset"), args=[given], keywords=[]):
            return given if isinstance(given, ast.Name | ast.Attribute) else None
    return over if isinstance(over, ast.Name) else None


def _for_loop(line: str) -> ast.For | None:
    for text in (f"{line.strip()} pass", line.strip()):
        try:
            (statement,) = ast.parse(text).body
        except (SyntaxError, ValueError):
            continue
        return statement if isinstance(statement, ast.For) else None
    return None
