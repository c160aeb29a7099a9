"""Whether a program keeps what a line makes beside what that has made before, as datasets of several splits."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.code.scopes import (
    COMPREHENSIONS,
    LAMBDA,
    MODULE,
    Scope,
    called_as,
    called_by_the_user,
    name_of,
    names_in,
    nodes_of,
    scope_of,
    tree_of,
    user_frames,
    what_lines_show,
)
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Once: as far as the lines show it is done one time in the program, for each of several.
KEPT_ONCE, KEPT_AGAIN = "once", "again"
_LETS_GO = frozenset({"pop", "popleft", "popitem", "clear", "remove"})
_KEEPS = frozenset({"append", "add", "insert", "appendleft"})
#: Of a dataset, what gives something else.
_USES = frozenset({"reduce", "save", "cardinality", "get_single_element", "element_spec"})
#: By the stack's digest: in a loop the same lines make one after the other.
_known: dict[str, str] = {}


class Kept(NamedTuple):
    """`loops`: of those around what does it, how many are its own."""

    by: ast.AST
    loops: int


def kept_beside(site: CallSite) -> str:
    """Of the call that makes it: KEPT_ONCE, KEPT_AGAIN, or "" of what is not seen to be kept. Nothing is run."""
    return what_lines_show(lambda: _read(site.stack.frames), _known, site.stack_id)


def _read(frames: Sequence[pb.Frame]) -> str:
    """Each frame's function is called in the next one's line."""
    called = called_by_the_user(frames)
    users = user_frames(frames)
    for place, frame in enumerate(users):
        scope = scope_of(frame) if frame.function != LAMBDA else None
        calls = scope.calls(frame.line, called) if scope is not None else []
        where = _where_it_goes(scope, calls) if scope is not None else None
        if where is None or scope is None:
            return ""
        if isinstance(where, Kept):
            is_once = scope.loops(where.by) <= where.loops and runs_once(frame, users[place + 1 :])
            return KEPT_ONCE if is_once else KEPT_AGAIN
        called = {frame.function}
    return ""


def runs_once(frame: pb.Frame, outer: Sequence[pb.Frame]) -> bool:
    """Whether the user's frames around the function (`outer`) are not seen to call it again and again."""
    for caller in outer:
        if frame.function == MODULE:  # whatever runs it, or imports it, does so once
            return True
        scope = scope_of(caller) if caller.function != LAMBDA else None
        calls = _calls_of(scope, caller.line, called_as(frame)) if scope is not None else []
        if scope is None or not calls or any(map(scope.is_repeated, calls)) or is_written_again(calls[0], caller.file):
            return False
        frame = caller
    return frame.function == MODULE  # not of a thread, say


def is_written_again(call: ast.Call, file: str) -> bool:
    """Whether the same is called in other lines, too."""
    tree, text = tree_of(file), ast.unparse(call.func)
    calls = (node for node in (nodes_of(tree) if tree is not None else ()) if isinstance(node, ast.Call))
    return sum(name_of(one) == name_of(call) and ast.unparse(one.func) == text for one in calls) > 1


def _calls_of(scope: Scope, line: int, function: str) -> list[ast.Call]:
    """Also `app.run(main)`."""
    runs = [
        call
        for call in scope.calls(line, {"run"})
        if any(isinstance(one, ast.Name) and one.id == function for one in call.args)
    ]
    return scope.calls(line, {function}) or runs


def _where_it_goes(scope: Scope, calls: Sequence[ast.Call]) -> Kept | str | None:
    """What keeps it; "" where the function returns it; None where neither is seen."""
    apart = [c for c in calls if not any(other is not c and c in scope.around(other) for other in calls)]
    by_statement = {next((id(one) for one in scope.around(c) if isinstance(one, ast.stmt)), 0) for c in apart}
    if len({ast.dump(call) for call in apart}) > 1 and len(by_statement) == 1:  # not `fit(a(1)); evaluate(a(2))`
        return Kept(apart[0], 0)
    return _decided([where_it_is_put(scope, call, set()) for call in calls])


def where_it_is_put(scope: Scope, node: ast.AST, seen: set[ast.Assign], *, as_it_is: bool = False) -> Kept | str | None:
    """From an expression that is, or holds, what was made, in a tuple or the like. `seen`: assignments that were gone
    after; `as_it_is`: what its methods give is another thing, other than a dataset's."""
    for parent in scope.around(node):
        if isinstance(parent, ast.Return):
            return ""
        if isinstance(parent, COMPREHENSIONS):
            is_element = parent.value is node if isinstance(parent, ast.DictComp) else parent.elt is node
            return Kept(parent, 0) if is_element else None
        if isinstance(parent, ast.Call) and parent.func is not node:
            is_kept = isinstance(parent.func, ast.Attribute) and parent.func.attr in _KEEPS
            is_kept = is_kept and _stays(scope, parent.func)
            return Kept(parent, _own_loops(scope, parent, parent.func)) if is_kept else None
        if isinstance(parent, ast.Assign):
            return _given(scope, parent, seen, as_it_is)
        if isinstance(parent, ast.Attribute) and (as_it_is or parent.attr in _USES):
            return None
        if not isinstance(parent, ast.Attribute | ast.Call | ast.Tuple | ast.List | ast.Dict | ast.IfExp):
            return None
        node = parent
    return None


def _given(scope: Scope, assign: ast.Assign, seen: set[ast.Assign], as_it_is: bool) -> Kept | str | None:
    """Where the names that it is given lead."""
    found: list[Kept | str | None] = []
    gone_after = assign in seen
    seen.add(assign)
    for target in assign.targets:
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant) and _stays(scope, target):
            return Kept(assign, max(1, scope.loops_of(assign, names_in(target.slice))))
        if isinstance(target, ast.Name) and not gone_after:
            uses = scope.loads(target.id, assign)
            found += [where_it_is_put(scope, use, seen, as_it_is=as_it_is) for use in uses]
    return _decided(found)


def _stays(scope: Scope, put: ast.expr) -> bool:
    """Whether what it is put into is not seen to let go of some, as a pool of the latest: `put`: `pool.append`."""
    held = put.value if isinstance(put, ast.Attribute | ast.Subscript) else put
    text = ast.unparse(held)
    for node in scope.parents:
        if isinstance(node, ast.Attribute) and node.attr in _LETS_GO and ast.unparse(node.value) == text:
            return False
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del) and ast.unparse(node.value) == text:
            return False
    if not isinstance(held, ast.Name):
        return True
    given = scope.given_once(held.id)
    is_bounded = given is not None and isinstance(given.value, ast.Call) and bool(given.value.keywords)
    return not is_bounded and (given is not None or not scope.is_given(held.id))


def _own_loops(scope: Scope, call: ast.Call, append: ast.expr) -> int:
    """Of those around `models.append(model)`, the ones within which the list stays the same."""
    held = append.value if isinstance(append, ast.Attribute) else append
    given = scope.given_once(held.id) if isinstance(held, ast.Name) else None
    return 1 if given is None else scope.loops(call) - scope.loops(given)


def _decided(found: Sequence[Kept | str | None]) -> Kept | str | None:
    kept = [one for one in found if isinstance(one, Kept)]
    return kept[0] if kept else "" if "" in found else None
