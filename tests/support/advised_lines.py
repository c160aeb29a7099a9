"""A program's own lines changed as the code of an advice shows them, as its reader would: each in place of the line
that it is most like."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from typing import Any

from tests.support.advised_definitions import done_outside, takes_more

#: Of the code: something is left to the reader.
_LEFT_OPEN = ("…", "with each", "for each", "by hand", "# in place of")
_LEAST_ALIKE = 0.55
#: A line that does not call the function has to be nearly the same.
_LEAST_ALIKE_OF_OTHERS = 0.8
_STATEMENT = re.compile(r"\s*(def|class|@)")
_TENSORS = re.compile(r"tf\.(constant|convert_to_tensor)\(|, tf\.(float|int)\d+(?=\))")
#: Of `f(**{**given, 'n': tf.constant(given['n'])})`.
_OPTIONS = re.compile(r"\*\*\{\*\*(\w+), .*\}(?=\))")
#: One object is made, once: how, is in the program.
_KEPT = re.compile(r"((?!kept_)\w+) = .+  # once, before the loop")
#: The same, of what a call is passed.
_KEPT_SO = re.compile(r"kept_\w+ = .+  # once, before the loop(; .*)?")
_KEEPS = """\
_KEPT = {}


def _kept(name, make):
    if name not in _KEPT:
        _KEPT[name] = make()
    return _KEPT[name]


"""


def with_advised_lines(source: str, function: dict[str, Any], code: str) -> str | None:
    """None where the code leaves something open, or it is not clear where it belongs. `function`: of the report."""
    lines = source.splitlines()
    name = function["name"].rpartition(".")[2]
    if source.count(f"def {name}(") != 1:
        return None
    called = re.compile(rf"\b({re.escape(name)}|{re.escape(name.lstrip('_'))})\b")
    given = code.split("\n\n")
    if (is_done := done_outside(lines, given)) is not None:
        changed = "\n".join(lines) + "\n"
        return changed if is_done and len(given) == 2 else None
    given = [block for block in given if not (is_done := takes_more(lines, block))]
    if is_done is False:
        return None
    blocks, kept = _without_what_is_kept(given, lines)
    for block in sorted(blocks, key=lambda one: "get_concrete_function" in one):  # what is kept is told by the calls
        if any(text in block for text in _LEFT_OPEN):
            return None
        first = block.splitlines()[0]
        if block.startswith("@tf.function"):
            done = _declared(lines, name, block.partition("\ndef ")[0])
        elif "get_concrete_function" in block:
            done = _asked_for(lines, name, block, kept)
        elif "tf.function(" in first:
            done = _made(lines, name, block)
        else:
            done = _called(lines, called, block, kept)
        if not done:
            return None
    if not all(kept.values()) or _is_left_out(lines, called, blocks, kept):
        return None
    changed = "\n".join(lines) + "\n"
    return (_KEEPS + changed if kept else changed) if changed != source else None


def _without_what_is_kept(blocks: list[str], lines: list[str]) -> tuple[list[str], dict[str, str]]:
    """And by the names of what is kept the code that does so, where a line makes it; "" where a call does."""
    kept: dict[str, str] = {}
    others = []
    for block in blocks:
        head, left_out, calls = block.partition("\n…\n")
        if left_out and all(map(_KEPT_SO.fullmatch, head.splitlines())):
            kept |= {line.partition(" = ")[0]: "" for line in head.splitlines()}
            others.append(calls)
            continue
        found = [_KEPT.fullmatch(line) for line in block.splitlines()]
        if not all(found):
            others.append(block)
            continue
        for match in found:
            name = match[1] if match else ""
            kept[name] = ""
            for place, line in enumerate(lines):
                made = re.fullmatch(rf"(\s*){re.escape(name)} = (.+)", line)
                if made:
                    kept[name] = f"_kept({name!r}, lambda: {made[2]})"
                    lines[place] = f"{made[1]}{name} = {kept[name]}"
    return others, kept


def _is_left_out(lines: list[str], called: re.Pattern[str], blocks: list[str], kept: dict[str, str]) -> bool:
    """Whether a line calls the function as it was, where all the others are to pass what is kept: of lines that become
    equal the code shows one."""
    if not any(name in block for block in blocks for name in kept):
        return False
    calls = [line for line in lines if re.search(rf"{called.pattern}\(", line) and not _STATEMENT.match(line)]
    kept_ones = re.compile(rf"_kept\(|\b({'|'.join(map(re.escape, kept))})\b(?!=)")
    return not all(map(kept_ones.search, calls))


def _declared(lines: list[str], name: str, declaration: str) -> bool:
    places = [
        place
        for place, line in enumerate(lines[:-1])
        if line.strip().startswith("@tf.function") and re.search(rf"def {name}\(", lines[place + 1])
    ]
    if len(places) == 1:
        lines[places[0]] = _indented(declaration, lines[places[0]])
    return len(places) == 1


def _made(lines: list[str], name: str, block: str) -> bool:
    places = [place for place, line in enumerate(lines) if "= tf.function(" in line and name in line]
    if len(places) == 1:
        head = "" if re.match(r"\w+ = ", block) else lines[places[0]].strip().partition("tf.function(")[0]
        lines[places[0]] = _indented(head + block, lines[places[0]])
    return len(places) == 1


def _asked_for(lines: list[str], name: str, block: str, kept: dict[str, str]) -> bool:
    """Before the first loop after its definition, or what runs it."""
    if helper := re.search(r" as `(\w+)` has (?:it|them)", block):  # its own names, which are there at each call
        begins = next(place for place, line in enumerate(lines) if f"def {helper[1]}(" in line)
        lines[begins] += "\n" + _indented(block, f"    {lines[begins]}")
        return True
    hidden = re.search(r"where `(\w+)` is `(\w+)`, the tf.function", block)
    if hidden and any(line.startswith(f"def {name}(") for line in lines):  # as a decorator calls it
        block = block.replace(f"{hidden[1]}.get_concrete_function", f"{hidden[2]}.get_concrete_function")
    for own, code in kept.items():  # of the first epoch
        block = re.sub(rf"\b{own}\b(?!=)", lambda _, code=code: code, block)
    if kept:
        block = f"{' = '.join(one for one in ('epoch', 'step', 'i') if one != name)} = 0\n{block}"
    asked = next(line for line in block.splitlines() if "get_concrete_function" in line)
    called = asked.partition(".get_concrete_function")[0]
    calls = (place for place, line in enumerate(lines) if f"{called}(" in line and not _STATEMENT.match(line))
    place = next(calls, 0)
    begins = next((p for p in range(place, 0, -1) if lines[p].lstrip().startswith("def ")), None)
    if begins is not None and re.search(rf"[(, ]{called.partition('.')[0]}\b", lines[begins].partition("def ")[2]):
        lines[begins] += "\n" + _indented(block, f"    {lines[begins]}")  # what calls it is passed it
        return True
    defined = next(place for place, line in enumerate(lines) if f"def {name}(" in line)
    names = set(re.findall(r"\b[^\W\d]\w*\b", asked))
    if any(re.match(rf"\s+({'|'.join(names)}) = ", line) for line in lines[defined:place]):  # known in the loop alone
        once = f"if 'asked' not in globals():\n    globals()['asked'] = True\n{textwrap.indent(block, '    ')}"
        lines[place] = f"{_indented(once, lines[place])}\n{lines[place]}"
        return True
    places = [
        place
        for place, line in enumerate(lines)
        if place > defined and line.startswith(("for ", "main()", "results = ["))
    ]
    if places:
        lines[places[0]] = f"{block}\n{lines[places[0]]}"
    return bool(places)


def _called(lines: list[str], called: re.Pattern[str], block: str, kept: dict[str, str]) -> bool:
    before: list[str] = []
    changed: set[int] = set()
    for statement in _statements(block):
        calls = called.search(statement) is not None
        likely = [line if not calls or called.search(line) else "" for line in lines]
        alike, place = _most_alike(likely, statement, changed)
        least = _LEAST_ALIKE if calls else _LEAST_ALIKE_OF_OTHERS
        if alike < least:
            before.append(statement)
            continue
        like = lines[place]
        statement = _with_kept(like, statement, kept) if calls else statement
        for each in (each for each, line in enumerate(lines) if line == like):  # equal lines are shown once
            lines[each] = "\n".join(_indented(one, like) for one in [*before, statement])
            changed.add(each)
        before = []
    return not before


def _with_kept(before: str, after: str, kept: dict[str, str]) -> str:
    """With what the line made, made once, where what is kept is passed in its place."""
    try:
        made, passed = (list(ast.walk(ast.parse(line.strip()))) for line in (before, after))
    except SyntaxError:
        return after
    by_keyword = {node.arg: node.value for node in made if isinstance(node, ast.keyword)}
    for node in passed:
        if isinstance(node, ast.Call):
            given = next((n for n in made if isinstance(n, ast.Call) and ast.dump(n.func) == ast.dump(node.func)), None)
            pairs = [*zip(node.args, given.args, strict=False)] if given is not None else []
            pairs += [(one.value, by_keyword[one.arg]) for one in node.keywords if one.arg in by_keyword]
            for new, old in pairs:
                if not isinstance(new, ast.Name) or new.id not in kept:
                    continue
                if new.id.startswith("kept_") or not isinstance(old, ast.Name):
                    kept[new.id] = kept[new.id] or f"_kept({new.id!r}, lambda: {ast.unparse(old)})"
                    new.id = kept[new.id]
    return ast.unparse(passed[0])


def _most_alike(lines: list[str], statement: str, changed: set[int]) -> tuple[float, int]:
    own = _OPTIONS.sub(r"**\1", _TENSORS.sub(lambda found: "(" if found[1] else "", " ".join(statement.split())))
    return max(
        (difflib.SequenceMatcher(None, own, line.strip()).ratio(), place)
        for place, line in enumerate(lines)
        if place not in changed and "\n" not in line and not _STATEMENT.match(line)
    )


def _statements(block: str) -> list[str]:
    """Each with all of its lines, without comments."""
    found: list[str] = []
    open_ = ""
    for line in block.splitlines():
        line = re.sub(r"(^|  )# .*$", "", line)
        if not line.strip():
            continue
        open_ = f"{open_}\n{line}" if open_ else line
        plain = re.sub(r"'[^']*'|\"[^\"]*\"", "", open_)
        if sum(map(plain.count, "([{")) <= sum(map(plain.count, ")]}")):
            found.append(open_)
            open_ = ""
    return [*found, open_] if open_ else found


def _indented(text: str, like: str) -> str:
    indent = like[: len(like) - len(like.lstrip())]
    return "\n".join(indent + line for line in text.splitlines())
