"""Which of the functions that are made within a function run when it does, and not at each execution of its graph."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType

from tb_retrace_plugin.capture.code.instructions import instructions

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
#: TensorFlow calls what these are given while it traces (`run` of a distribution strategy, `minimize` of an optimizer),
#: and so does TensorFlow Probability…
_TRACED = frozenset({
    "case", "cond", "custom_gradient", "foldl", "foldr", "map_flat_values", "map_fn", "map_structure", "minimize",
    "recompute_grad", "run", "scan", "switch_case", "vectorized_map", "while_loop",
    "HamiltonianMonteCarlo", "MetropolisAdjustedLangevinAlgorithm", "NoUTurnSampler", "RandomWalkMetropolis",
    "SliceSampler", "bfgs_minimize", "fit_surrogate_posterior", "lbfgs_minimize", "monte_carlo_variational_loss",
    "nelder_mead_minimize", "value_and_gradient",
})  # fmt: skip
#: … and what these are given, whenever the graph is executed.
RUN_LATER = frozenset({"eager_py_func", "from_generator", "numpy_function", "py_function", "py_func"})
#: Python's own, which call what they are passed first.
RUN_FIRST = frozenset({"filter", "map", "reduce"})

#: Whether `PUSH_NULL` comes after what is called, and not before it.
_FOLLOWS = sys.version_info >= (3, 13)
#: Of a function with a closure, up to where it is made.
_MAKES = frozenset({"LOAD_CLOSURE", "BUILD_TUPLE", "LOAD_CONST"})
#: Python 3.13 has no LOAD_CLOSURE.
_OF_A_CLOSURE = frozenset({"LOAD_FAST", "LOAD_FAST_BORROW"} if _FOLLOWS else ())
#: Of `functools.reduce`.
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def codes_that_run(code: CodeType) -> Iterator[CodeType]:
    """The code, its comprehensions, and of the functions made in it those that it calls, or TensorFlow for it.

    Others may run later, when values are others.
    """
    yield code
    within = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    if not within:
        return
    passed_on = runs_what_it_passes_on(code)
    called = set() if passed_on else _called(code)
    for inner in within:
        if passed_on or inner in called or inner.co_name in _COMPREHENSIONS:
            yield from codes_that_run(inner)


def runs_what_it_passes_on(code: CodeType) -> bool:
    """Whether functions that it passes to others run when it does."""
    names = set(code.co_names)
    return bool(names & _TRACED) and not names & RUN_LATER


def _called(code: CodeType) -> set[CodeType]:
    """Those that are given a name here and called by it, or called where they are made."""
    made: dict[str, CodeType] = {}
    called: set[CodeType] = set()
    loaded: CodeType | None = None
    before = name = ""
    null_pushed = runs_first = False
    for instruction in instructions(code):
        operation, argument = instruction.opname, instruction.argval
        if operation in ("CACHE", "NOP", "PRECALL") or (operation == "PUSH_NULL" and runs_first):
            continue
        is_loaded = operation.startswith(("LOAD_FAST", "LOAD_DEREF"))
        if operation == "LOAD_CONST" and isinstance(argument, CodeType):
            loaded = argument
        elif operation in ("STORE_FAST", "STORE_DEREF"):
            if loaded is not None and before in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"):
                made[str(argument)] = loaded
            else:
                made.pop(str(argument), None)
            loaded = None
        elif operation == "PUSH_NULL" and _FOLLOWS:
            if loaded is not None and before in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"):
                called.add(loaded)
            elif name in made:
                called.add(made[name])
        elif operation == "MAKE_FUNCTION" and loaded is not None and (null_pushed or runs_first):
            called.add(loaded)
        elif is_loaded and str(argument) in made and (runs_first or (null_pushed and before == "PUSH_NULL")):
            called.add(made[str(argument)])
        null_pushed = not _FOLLOWS and (operation == "PUSH_NULL" or (null_pushed and operation in _MAKES))
        is_of_functools = operation in _ATTRIBUTES and argument == "reduce" and name == "functools"
        is_one = operation == "LOAD_GLOBAL" and argument in RUN_FIRST
        runs_first = is_of_functools or is_one or (runs_first and (operation in _MAKES or operation in _OF_A_CLOSURE))
        name = str(argument) if is_loaded or operation == "LOAD_GLOBAL" else ""
        before = operation
    return called
