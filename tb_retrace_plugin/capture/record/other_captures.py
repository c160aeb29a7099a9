"""What a graph captures otherwise than an earlier one. Graphs' keys: `hash:number,number:outputs` (trace_graphs.py)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.tensor_arrays import is_tensor_array
from tb_retrace_plugin.schema.signature import NOT_PASSED

#: Causes that leave to a function's code, or to what it closes over, what its graph captures.
_CAUSES = frozenset({"python_value", "shape", "recreated_function"})
#: With which it captures what those hold.
_OF_OTHER_OBJECTS = frozenset({"object_identity", "recreated_function", "variable_identity", "python_type"})
#: Which choose none of the variables that a function reads.
_OF_SIZES = frozenset({"shape", "composite_spec"})
#: As many digits as a number of layers has, and more.
_WHOLE = re.compile(r"-?\d{1,9}")


def captures_others(
    before: str,
    now: str,
    changes: Sequence[Change],
    concrete_function: Any,
    are_closed_over: Callable[[Sequence[Any]], bool],
) -> bool:
    """Whether something is captured in place of another that is none of what the function closes over.

    Of the same function object it is asked of variables, and other resources: tensors may be made in each trace. There
    it may be one more of them for a larger whole number, too, as in a loop over so many layers.
    """
    was, captures = _captured(before, now)
    causes = {change.cause for change in changes}
    if was == captures or not causes <= _CAUSES:
        return False
    earlier, captured = _numbers(was), _numbers(captures)
    is_new = "recreated_function" in causes
    tensors = tf_seam.captured_tensors(concrete_function)
    if len(earlier) != len(captured):
        are_variables = not captured or any(map(tf_seam.is_resource, tensors))
        if is_new or not are_variables:
            return is_new
        return _grow_with_a_number(changes, earlier, captured) or _are_chosen(changes, was, captures, tensors)
    others = [tensor for tensor, a, b in zip(tensors, earlier, captured, strict=False) if a != b]
    return not are_closed_over(others) if is_new else any(map(tf_seam.is_resource, others))


def captures_unpassed(
    before: str, now: str, concrete_function: Any, are_passed: Callable[[Sequence[Any]], bool]
) -> bool:
    """Whether something is captured in place of another that is of no function that was passed."""
    was, captures = _captured(before, now)
    earlier, captured = _numbers(was), _numbers(captures)
    if len(earlier) != len(captured):
        return True
    tensors = tf_seam.captured_tensors(concrete_function)
    others = [tensor for tensor, a, b in zip(tensors, earlier, captured, strict=False) if a != b]
    return bool(others) and not are_passed(others)


def captures_other_tensors(before: str, now: str, changes: Sequence[Change], concrete_function: Any) -> bool:
    """Whether tensors that it reads from around it, not through other arguments, are others in the same object's graph.

    A program that keeps its state in such has it in each graph as it was when that was traced. Of variables it is asked
    where sizes alone changed: then as many others are those of a model, say, that has taken the place of another. What
    is read for a key, or an option, that one call lacks is no other one, if the rest is still captured.
    """
    was, captures = _captured(before, now)
    if was == captures:
        return False
    causes = {change.cause for change in changes}
    if not causes.isdisjoint(_OF_OTHER_OBJECTS) or any(map(is_tensor_array, changes)):  # what that holds is captured
        return False
    earlier, captured = was.split(","), captures.split(",")
    keys = [change for change in changes if change.is_of_a_key or NOT_PASSED in (change.old, change.new)]
    of_sizes = [change for change in changes if change.cause in _OF_SIZES]
    if keys and len(keys) + len(of_sizes) == len(changes) and set(_numbers(was)) < set(_numbers(captures)):
        return False
    tensors = zip(tf_seam.captured_tensors(concrete_function), captured, strict=False)
    others = [tensor for tensor, number in tensors if number not in earlier]
    if len(earlier) == len(captured) and causes <= _OF_SIZES and any(map(tf_seam.is_resource, others)):
        return True
    return any(map(tf_seam.is_eager_tensor, others))


def captures_other_variables(before: str, now: str, concrete_function: Any) -> bool:
    """Whether it captures variables, or other resources, that the earlier one does not, or fewer of what that does."""
    was, captures = _captured(before, now)
    earlier, captured = set(was.split(",")), captures.split(",")
    pairs = zip(tf_seam.captured_tensors(concrete_function), captured, strict=False) if was != captures else ()
    return earlier > set(captured) or any(n not in earlier and tf_seam.is_resource(tensor) for tensor, n in pairs)


def captures_none_of_its_variables(before: str, now: str, concrete_function: Any) -> bool:
    """Whether it captures variables, and not one that the earlier one captures."""
    was, captures = _captured(before, now)
    earlier = set(was.split(","))
    pairs = zip(tf_seam.captured_tensors(concrete_function), captures.split(","), strict=False)
    variables = {number for tensor, number in pairs if tf_seam.is_resource(tensor)}
    return bool(variables) and earlier.isdisjoint(variables)


def captures_tensors_beside(
    before: str, now: str, concrete_function: Any, are_closed_over: Callable[[Sequence[Any]], bool]
) -> bool:
    """Whether it captures tensors that the earlier one does not and that the function does not close over."""
    was, captures = _captured(before, now)
    earlier = set(was.split(","))
    pairs = zip(tf_seam.captured_tensors(concrete_function), captures.split(","), strict=False)
    others = [tensor for tensor, n in pairs if n not in earlier and tf_seam.is_eager_tensor(tensor)]
    return was != captures and not are_closed_over(others)


def captures_other_resources(before: str, now: str, concrete_function: Any) -> bool:
    """Whether something that it captures in place of another is a lookup table, a summary writer or the like."""
    was, captures = _captured(before, now)
    earlier = set(was.split(","))
    pairs = zip(tf_seam.captured_tensors(concrete_function), captures.split(","), strict=False)
    return was != captures and any(n not in earlier and tf_seam.is_other_resource(tensor) for tensor, n in pairs)


def differs_in_tensors_alone(before: str, now: str, concrete_function: Any) -> bool:
    """Whether the graph is the same and returns the same, and captures other tensors, and nothing else, in place of
    some. Of keys of graphs, or of those without numbers."""
    was, captures = _captured(before, now)
    if was == captures or other_nodes(before, now) or before.split(":", 2)[2] != now.split(":", 2)[2]:
        return False
    earlier, captured = was.split(","), captures.split(",")
    others = captured_in_place(before, now, concrete_function)
    return len(earlier) == len(captured) and bool(others) and all(map(tf_seam.is_eager_tensor, others))


def captured_in_place(before: str, now: str, concrete_function: Any) -> list[Any]:
    """Tensors that the later graph, of as many, captures where the earlier one has others. Of either kind of keys."""
    earlier, captured = (numbers.split(",") for numbers in _captured(before, now))
    tensors = tf_seam.captured_tensors(concrete_function)
    return [tensor for tensor, a, b in zip(tensors, earlier, captured, strict=False) if a != b]


def _grow_with_a_number(changes: Sequence[Change], earlier: Sequence[str], captured: Sequence[str]) -> bool:
    """Whether the graph of the larger number captures all that the other does, and as many more for each one more: so
    many that a loop up to the number would capture them, and not what an `if step > 1000` begins to use."""
    before, now = set(earlier), set(captured)
    if not (before < now or now < before):
        return False
    numbers = [(c.old, c.new) for c in changes if c.cause == "python_value" and _WHOLE.fullmatch(c.old)]
    whole = [(int(old), int(new)) for old, new in numbers if _WHOLE.fullmatch(new)]
    counts = [((old, len(before)), (new, len(now))) for old, new in whole]
    return any(_is_a_loop(*(pair if pair[0] < pair[1] else pair[::-1])) for pair in counts)


def _are_chosen(changes: Sequence[Change], was: str, captures: str, tensors: Sequence[Any]) -> bool:
    """Whether each graph captures what the other does not, and a whole number tells them apart, as an index does."""
    if not any(c.cause == "python_value" and _WHOLE.fullmatch(c.old) and _WHOLE.fullmatch(c.new) for c in changes):
        return False
    earlier, captured = _numbers(was), _numbers(captures)
    others = [tensor for tensor, number in zip(tensors, captured, strict=False) if number not in earlier]
    return not set(earlier) <= set(captured) and any(map(tf_seam.is_resource, others))


def _is_a_loop(small: tuple[int, int], large: tuple[int, int]) -> bool:
    """Of two numbers, and how much was captured for each."""
    numbers, captured = large[0] - small[0], large[1] - small[1]
    if numbers < 1 or captured < 1 or captured % numbers:
        return False
    return small[1] >= small[0] * (captured // numbers)


def _numbers(captured: str) -> list[str]:
    return captured.split(",") if captured else []


def _captured(before: str, now: str) -> tuple[str, str]:
    """The same text twice if they are not known."""
    return (before.split(":", 2)[1], now.split(":", 2)[1]) if before and now and before != now else ("", "")


def other_nodes(before: str, now: str) -> bool:
    """Whether it is another graph, whatever is captured; False if that is not known."""
    return bool(before and now) and before.partition(":")[0] != now.partition(":")[0]


def captures_the_same(before: str, now: str) -> bool:
    """Whether it captures what the other does, be that nothing; False if that is not known."""
    return bool(before and now) and before.split(":", 2)[1] == now.split(":", 2)[1]


def same_captures(before: str, now: str) -> bool:
    """Whether it captures what the other does, and that is something; False if that is not known."""
    was, captures = (before.split(":", 2)[1], now.split(":", 2)[1]) if before and now else ("", "")
    return bool(was) and was == captures
