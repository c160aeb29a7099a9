"""Lists of an object's, a global or a closed-over one, to which code adds while it is traced, and of which it reads how
many items they hold, or these: `self.seen.append(x)` and `len(self.seen)`. They are longer in each trace."""

from __future__ import annotations

import ast
from collections import Counter
from types import CodeType

from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

GROW = frozenset({"append", "appendleft", "extend", "insert"})
_TAKE = frozenset({"pop", "popleft"})
_BASES = frozenset({"self", "global", "closure"})


@once_per_code
def grown_lists(code: CodeType) -> list[str]:
    """As they are written, and `self.queue.pop()` of what it takes from one; not of what it assigns itself."""
    if (GROW | _TAKE).isdisjoint(code.co_names):
        return []
    source, names = source_tree(code), names_of(code)
    outside = {text for text, name in names.by_text if name.base in _BASES}
    if source is None or not outside:
        return []
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    methods = [call.func for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in GROW | _TAKE]
    whole = read_whole(code)
    read = whole.read | whole.counted
    read |= {
        ast.unparse(node.value)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    }
    found: dict[str, None] = {}
    balanced = stacks(source.tree)
    for method in methods:
        text, last = ast.unparse(method.value), ast.unparse(method.value).rpartition(".")[2]
        if f"{text}.{method.attr}" not in outside or last in names.stored or text in balanced:
            continue
        if method.attr in _TAKE:
            found[f"{text}.{method.attr}()"] = None
        elif text in read:
            found[text] = None
    return list(found)


def stacks(tree: ast.AST) -> set[str]:
    """Lists from which the code takes what it has put there itself, as often: `stack.append(x)` and `stack.pop()`."""
    put: Counter[str] = Counter()
    others: set[str] = set()
    taken: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text, method = ast.unparse(node.func.value), node.func.attr
            if method == "append":
                put[text] += 1
            elif method == "pop" and [ast.unparse(one) for one in node.args] in ([], ["-1"]):
                taken[text] += 1
            elif method in GROW | _TAKE:
                others.add(text)
    return {text for text, count in put.items() if taken[text] == count and text not in others}
