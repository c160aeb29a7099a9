"""What is to be changed for one function, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import function_of


@dataclass(slots=True)
class AppliedChange:
    """One function's. Keys as in `apply` of docs/report_json.md. `objects`: tf.functions that were changed.

    `done`: keys of what was made use of, among those that may find nothing to change.
    """

    file: str
    line: int
    qualname: str
    input_signature: str = ""
    reduce_retracing: bool = False
    tensors: Mapping[str, str] = field(default_factory=dict)
    casts: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sequences: Mapping[str, str] = field(default_factory=dict)
    one_function: bool = False
    closed_over: Sequence[str] = ()
    dtypes: Mapping[str, str] = field(default_factory=dict)  # of `closed_over`, where Python's type does not say it
    equal_classes: Sequence[str] = ()
    variables_once: bool = False
    drop_remainder: bool | None = None
    one_pipeline: bool = False
    objects: int = 0
    problems: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def is_about(self, function: Any) -> bool:
        return (function.file, function.line, function.qualname) == (self.file, self.line, self.qualname)

    @property
    def is_made_at_calls(self) -> bool:
        """Whether calls of the function go another way."""
        passed = self.tensors or self.casts or self.keys or self.sequences
        return bool(passed or self.one_function or self.closed_over or self.variables_once)

    def say(self, problem: object) -> None:
        """Once each, and no more than a reader takes in."""
        text = f"{type(problem).__name__}: {problem}" if isinstance(problem, Exception) else str(problem)
        if text[:500] not in self.problems and len(self.problems) < 8:
            self.problems.append(text[:500])

    def all_problems(self) -> list[str]:
        """With what was asked for and found nothing to change."""
        missing = []
        if "equal_classes" not in self.done:
            missing += [f"no file of yours defines a class {name}" for name in self.equal_classes]
        if self.drop_remainder is not None and "drop_remainder" not in self.done:
            missing.append("no file of yours calls `batch` of a dataset")
        return [*self.problems, *missing]


def change_of(python_function: Any, changes: Sequence[AppliedChange]) -> AppliedChange | None:
    """The one that is about a function of the user's; tf.data declares its functions itself."""
    traced = tf_seam.unwrapped(python_function)
    if traced.structured is not None:
        return None
    function = function_of(traced.python)
    return next((change for change in changes if change.is_about(function)), None)
