"""The user's lines that build datasets, as they read before the loop."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import builders, method_that_builds
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line

#: Lines that are shown.
_MAX_LINES = 3
_MAX_NAMES = 3
_NAMED = "dataset = "
#: Where the line calls a function of that name.
_OTHERWISE = "batches = "
_CALLS_SO = re.compile(r"(?<![\w.])dataset\(")
#: How methods call the function that they are given, where it is passed by name.
_FUNCTIONS = frozenset({"map_func", "predicate", "key_func", "scan_func", "transformation_func"})
#: By which `from_generator` is told what elements are, which those of another kind would not fit.
_OF_ELEMENTS = frozenset({"output_signature", "output_shapes", "output_types"})
#: What takes one as an argument.
_TAKE_DATASETS = frozenset({
    *("fit", "evaluate", "predict", "enumerate", "iter", "list", "zip", "tqdm", "experimental_distribute_dataset"),
})  # fmt: skip
#: In names of datasets, and of functions that build them.
_DATA = re.compile(r"(?:^|_)(?:ds|data|datasets?|loaders?|pipelines?|batches)(?:$|_|\d)")
#: Methods of a dataset that give something else.
_NO_DATASET = frozenset({"as_numpy_iterator", "cardinality", "get_single_element", "reduce", "save"})
#: Of which another variable makes another value.
_COMPUTED = (ast.BinOp, ast.UnaryOp, ast.Subscript, ast.JoinedStr, ast.FormattedValue)


def built_once(traces: Sequence[Traced], kinds: int = 1, closed_over: Sequence[str] = ()) -> str:
    """For each line that builds one of the datasets; "" if none is known. `kinds`: of datasets that differ;
    `closed_over`: in what they do."""
    stacks = {builders(trace): method_that_builds(trace) for trace in traces}
    lines = dict.fromkeys(line for stack in stacks for line in _lines(stack, stacks, traces))
    shown = [line for line in lines if line][:_MAX_LINES]
    built = [line[len(_NAMED) :] for line in shown if line.startswith(_NAMED)]
    name = _NAMED if not any(map(_CALLS_SO.search, built)) else _OTHERWISE  # a name for both would hide the function
    if len(built) == 1 and name != _NAMED:
        shown = [f"{name}{line[len(_NAMED) :]}" if line.startswith(_NAMED) else line for line in shown]
    if len(built) > 1:
        numbered = {f"{_NAMED}{text}": f"{_NAMED[:-3]}_{i} = {text}" for i, text in enumerate(built, 1)}
        shown = [numbered.get(line, line) for line in shown]
    once = "once" if kinds <= max(len(set(_places(stacks))), len(shown)) else "once for each"
    if closed_over:
        once = f"once for each {' and '.join(closed_over[:_MAX_NAMES])}"
    return "\n".join(f"{line}  # {once}, before the loop" for line in shown)


def lines_that_build(traces: Sequence[Traced]) -> int:
    """In how many lines, of those that are shown, the datasets are built."""
    stacks = {builders(trace): method_that_builds(trace) for trace in traces}
    return len({(frame.file, frame.line) for frame in _places(stacks)})


def _places(stacks: Mapping[tuple[Frame, ...], str]) -> Iterator[Frame]:
    yield from (stack[_line(stack, method, list(stacks))[1]] for stack, method in stacks.items() if stack)


def uses_besides_the_function(stack: tuple[Frame, ...], method: str, names: Sequence[str]) -> bool:
    """Whether the line that builds the dataset uses one of the names outside of functions, and of what makes the one
    that `method` is given: such a use, as in `window(n)`, reads it once, while the dataset is built."""
    tree = parsed(source_line(stack[0])) if stack else None
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    functions = [_given_to(node, method) for node in nodes if isinstance(node, ast.Call)]
    functions += [node.body for node in nodes if isinstance(node, ast.Lambda)]
    given = {id(node) for function in functions for node in ast.walk(function)}
    used = {ast.unparse(node) for node in nodes if id(node) not in given and _is_read(node)}
    return not used.isdisjoint(names)


def names_passed(traces: Sequence[Traced], *, computed: bool) -> list[str]:
    """Variables that the lines pass as they are to what builds the datasets, but for functions: `skip(epoch)`; and in
    the line that calls a function which builds and returns one: `pipeline(x, epoch)`. `computed`: also those that what
    is passed is computed of."""
    found: dict[str, None] = {}
    stacks = {builders(trace): method_that_builds(trace) for trace in traces}
    for stack, method in stacks.items():
        for depth in dict.fromkeys((0, _line(stack, method, list(stacks))[1]) if stack else ()):
            called = stack[depth - 1].function if depth else method
            found |= dict.fromkeys(_names_passed_in(source_line(stack[depth]), method, called, computed))
    return list(found)[:_MAX_NAMES]


def _names_passed_in(line: str, method: str, called: str, computed: bool) -> Iterator[str]:
    """`called`: what the line calls in order to build it: what is handed to others, as the dataset is, is no matter."""
    tree = parsed(line)
    statement = tree.body[0] if tree is not None and tree.body else None
    if statement is None:
        return
    built: list[ast.AST] = [chain for chain in _chains(statement) if _calls(chain, called)] or [statement]
    nodes = [node for part in built for node in ast.walk(part)]
    within = {id(n) for node in nodes if isinstance(node, ast.Lambda) for n in ast.walk(node)}
    bound = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # by itself
    for call in (node for node in nodes if isinstance(node, ast.Call) and id(node) not in within):
        is_partial = ast.unparse(call.func).rpartition(".")[2] == "partial"  # of the function that `method` is given
        given = [*call.args[is_partial:], *(each.value for each in call.keywords if each.arg not in _OF_ELEMENTS)]
        names = (name for each in given if each is not _given_to(call, method) for name in chosen_by(each, computed))
        yield from (name for name in names if not name.isupper() and name not in bound)


def chosen_by(argument: ast.expr, computed: bool) -> Iterator[str]:
    """A variable that is passed, or that what is passed is chosen by: `"train" if step % 2 == 0 else "test"`; if asked
    for, also that it is computed of: `2 + epoch`, `files[epoch]`."""
    if isinstance(argument, ast.Name):
        yield argument.id
    elif isinstance(argument, _COMPUTED) and computed:
        for part in ast.iter_child_nodes(argument):
            yield from chosen_by(part, computed) if isinstance(part, ast.expr) else ()
    elif isinstance(argument, ast.IfExp):
        called = {id(n) for call in ast.walk(argument) if isinstance(call, ast.Call) for n in ast.walk(call.func)}
        yield from (n.id for n in ast.walk(argument) if isinstance(n, ast.Name) and id(n) not in called)


def _given_to(call: ast.Call, method: str) -> ast.AST:
    """What it is given first, or by name as a function; nothing for another method's call."""
    function = call.func
    if (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) != method:
        return ast.Pass()
    by_name = (keyword.value for keyword in call.keywords if keyword.arg in _FUNCTIONS)
    return next(by_name, call.args[0] if call.args else ast.Pass())


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)


def _lines(stack: tuple[Frame, ...], stacks: Mapping[tuple[Frame, ...], str], traces: Sequence[Traced]) -> list[str]:
    """The line; where several calls in it build one each, each of those."""
    found, depth = _line(stack, stacks[stack], list(stacks))
    if not found.startswith(_NAMED):
        return [found]
    alike = [one for trace in traces if len(one := builders(trace)) > depth and one[depth] == stack[depth]]
    if len({one[depth].instruction for one in alike}) < 2:
        return [found]
    tree = parsed(line := source_line(stack[depth]))
    called = stack[depth - 1].function if depth else stacks[stack]
    calls = [call for call in _chains(tree.body[0]) if _calls(call, called)] if tree is not None else []
    built = [ast.get_source_segment(line, _dataset_of(call)) or "…" for call in calls]
    return [f"{_NAMED}{text}" for text in built] or [found]


def _line(stack: tuple[Frame, ...], method: str, stacks: list[tuple[Frame, ...]]) -> tuple[str, int]:
    """With the place of its frame: where a function builds the dataset and returns it, or builds several, the line that
    calls the function."""
    shared = max((_common(stack, other) for other in stacks if other != stack), default=0)
    start = shared if shared < len(stack) else 0
    for depth in range(len(stack)):
        line = source_line(stack[depth])
        found = _as_a_statement(line, stack[depth - 1].function if depth else method)
        if found != line or depth == len(stack) - 1:  # what goes through it has it built, whoever calls that
            return found, depth
        is_handed_on = line.startswith("return ") or _returns_a_dataset(line, stack[depth], stack[depth + 1])
        if depth >= start and not is_handed_on:
            return found, depth
    return "", 0


def _returns_a_dataset(line: str, within: Frame, caller: Frame) -> bool:
    """Whether it is a statement of a function that builds a dataset in several, as far as the line that calls the
    function shows: it goes through what comes of it, hands it on as a dataset, or names it so."""
    tree, assigned = parsed(source_line(caller)), _statement(line)
    if tree is None or within.function == "<module>" or not isinstance(assigned, ast.Assign):
        return False
    if not all(isinstance(target, ast.Name) for target in assigned.targets):  # `self.data = …` is kept
        return False
    calls = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and _calls(node, within.function)}
    return any(_takes_a_dataset(node, calls, within.function) for node in ast.walk(tree))


def _takes_a_dataset(node: ast.AST, calls: Collection[int], name: str) -> bool:
    if isinstance(node, ast.For | ast.comprehension):
        return id(node.iter) in calls
    if isinstance(node, ast.Call):
        function = node.func
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return called in _TAKE_DATASETS and any(id(argument) in calls for argument in given)
    if isinstance(node, ast.Assign) and id(node.value) in calls:
        named = [n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)]
        return any(map(_DATA.search, [name, *named]))
    return False


def _common(one: Sequence[Frame], other: Sequence[Frame]) -> int:
    """How many of the innermost frames are the same."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _as_a_statement(line: str, called: str) -> str:
    """`dataset = make(…)` of `for batch in make(…):`; the line itself where that is what it says, or cannot be read."""
    statement = _statement(line)
    if statement is None:
        return line
    found: ast.expr | None = next((call for call in _chains(statement) if _calls(call, called)), None)
    if found is None:
        found = _property(statement, called)
    if found is None and isinstance(statement, ast.For):
        found = statement.iter
    if found is None:
        return line
    whole, found = found, _dataset_of(found)
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return) and statement.value is found is whole:
        return line
    return f"{_NAMED}{ast.get_source_segment(line, found) or '…'}"


def _dataset_of(call: ast.expr) -> ast.expr:
    """Without what gives something else of it in the end."""
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _NO_DATASET:
        call = call.func.value
    return call


def _statement(line: str) -> ast.stmt | None:
    """What the line says; of `if train: ds = …` and `else: ds = …` what is done there."""
    tree = parsed(line)
    statement = tree.body[0] if tree is not None and tree.body else None
    while isinstance(statement, ast.If):
        statement = (statement.orelse or statement.body)[-1]
    return statement


def _chains(statement: ast.stmt) -> Iterator[ast.expr]:
    """Calls that are not the beginning of another: `d.map(f).batch(2)`, and not its `d.map(f)`."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    inner = {id(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)}
    yield from (call for call in calls if id(call) not in inner)


def _property(statement: ast.stmt, name: str) -> ast.expr | None:
    """The `w.train` of `model.fit(w.train)`, if a property of that name is what runs there."""
    read = [node for node in ast.walk(statement) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)]
    return next((node for node in read if node.attr == name), None)


def _calls(chain: ast.expr, name: str) -> bool:
    """Whether one of the calls of a chain is of that name."""
    at: ast.expr = chain
    while isinstance(at, ast.Call | ast.Attribute):
        if isinstance(at, ast.Call):
            function = at.func
            if (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) == name:
                return True
            at = function
        else:
            at = at.value
    return False
