"""What the code is known to do with its numbers by Python's own means: what fails of a tensor, and what is silent."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.key_defaults import BY_DEFAULT
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import is_none, nodes_at
from tb_retrace_plugin.explain.differences.paths import sequence_of
from tb_retrace_plugin.explain.verdict.asked_in_python import ASKED, asked_in_python, is_about, is_named_in
from tb_retrace_plugin.explain.verdict.decided_in_python import OF_AN_ARGUMENT, UNCONVERTED, grows_if, items_of
from tb_retrace_plugin.explain.what_if.candidate import is_bool, is_number

_WRITES = ('f"{', '"%" % ', "str(", "repr(", "format(", "str.format(")
_REPEATS = "[…] * "
_PRINTS = "tf.print("
_AS_A_STEP = " as a step"
_KEPT = " kept"
_ARRAYS = re.compile(r"(np|numpy)\.(arange|empty|eye|full|identity|linspace|logspace|ones|zeros)\(")
#: What TensorFlow makes of the same; a size alone is no shape to it.
_MADE = {
    "arange": "tf.range(…)", "eye": "tf.eye(…)", "full": "tf.fill([…], …)", "identity": "tf.eye(…)",
    "linspace": "tf.linspace(…)", "ones": "tf.ones([…])", "zeros": "tf.zeros([…])",
}  # fmt: skip
_THROUGH = " through"
_GIVEN_WHOLE = " given whole"
_UNREAD = " unread"
#: Ends the name of an argument in a path.
_ROOT = re.compile(r"[.\[]")
_BEFORE = " before range"
_LENGTHENED = re.compile(r"(\w+) = concat\(…, (.+)\) over range\((.+)\)")
_ROWS = "for …, … in "
_SUMS, _LENGTHS = "sum(", "len("
#: Of a list: the largest of all, and what gives that of a tensor.
_OF_ALL = {"max": "tf.reduce_max", "min": "tf.reduce_min", "sorted": "tf.sort"}
_BY_TURNS, _LENGTH, _ANEW = " by turns", " of length", " anew"
#: Of `math`, where `tf.math` calls it so, too; NumPy's by these names as well.
_SAME_NAMES = (
    *("exp", "expm1", "log", "log1p", "sqrt", "pow", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos"),
    *("atan", "atan2", "floor", "ceil", "lgamma", "erf", "square", "abs", "sign", "maximum", "minimum"),
)
_OTHER_NAMES = {"min": "tf.minimum", "max": "tf.maximum", "math.fabs": "tf.abs", "np.power": "tf.pow"}
_CALL = re.compile(r"([\w.…]+)\(")
_PART = re.compile(r"\[[^\[\]]*:[^\[\]]*\]")
_LOOKED_UP = re.compile(
    r"([\w.]+)\[(.+)\] of a (list|tuple|dict|ndarray|float64 ndarray|member|list of objects|dict of objects)"
)
#: `sum(TABLE[:n])`.
_REDUCED = re.compile(r"(sum|max|min)\(([\w.]+\[.+\] of a (?:list|tuple|ndarray|float64 ndarray))")
_ITEM = re.compile(rf"(\w+)\[(.+)\]{OF_AN_ARGUMENT}")
#: A slice of what is no list and no array, as far as is known: a tensor's.
_IN_PARTS = " in parts"
_SHAPE = ".shape"
#: What a number chooses between.
_OF_WHOLE = " of whole numbers"
#: Of a tensor's, as what is made of it fails where that is unknown.
_OF_SHAPE = " of shape"
OF_OBJECTS = (" of a list of objects", " of a dict of objects")
_FLOAT64 = " of a float64 ndarray"
_OF_A_MEMBER = " of a member"
#: What a number is asked for by itself.
_TRUTH = re.compile(r"if (.+):|… if (.+) else …|not (.+)|(.+) (?:and|or) …")
_RANGE = re.compile(r"(\w+)\(range\((.+)\)\)")
_OF_RANGES = {
    "list": "{}", "tuple": "{}", "sum": "tf.reduce_sum({})", "reversed": "tf.reverse({}, [0])",
}  # fmt: skip
_AMONG = re.compile(r"(.+) in \(…\)")
_TO_A_SHAPE = re.compile(r"\[…(.+)…\] \+ ….shape")
_BREAKS = ": break"
_DRAWS = re.compile(r"[\w.]*?(stateless_)?random_(brightness|contrast|hue|saturation)\(")
_SETS_SHAPE = re.compile(r"[\w.]*(\.(set|ensure)_shape|\bTensorShape)\(")
#: Of a ragged tensor, as `shape`.
_DENSE = re.compile(r"to_tensor\(\[None, .+\]\)")
#: Of what is computed, and of loops, which have rules of their own.
_IS_NO_FAILURE = re.compile(
    r" with [^()]+$| (by a number|by turns|of length|anew|by default|given whole|as a step|unread|kept)$"
    r"|^[^[(]+\.(append|extend|insert)\(…\) in range\(|( \+= \[…\]|\[…\] = …) in range\(| (before|over) range\("
    r"|\) calls itself$"
)
_COMPUTES = re.compile(r" with [^()]+$")
#: `if n > 3: mode = '…'`, of what is asked for in Python later.
_DECIDES = re.compile(r"if .+: \w+ = ('…'|lambda …)")
_RAISES = ": raise"
_ASSERTS = "assert "
_MATCHES = re.compile(r"match (.+):")
#: Of what TensorFlow's and Keras' own code asks in Python: `tf.nn.softmax(axis=n)`.
_BY_KEYWORD = ASKED
#: `tf.py_function runs n`: what Python runs with the graph.
_RUNS = re.compile(r"([\w.]+) runs (.+)")
#: As what it is passed tensors, where that is not `inp`.
_GIVEN = {"from_generator": "args"}
_COMPREHENDED = re.compile(r"\[… for … in range\((.+)\)\]")


def is_asked_in_python(function: FunctionFacts, name: str) -> bool:
    """Whether the code does anything with it but compute: what is built may be of its doing."""
    return any(is_named_in(use, name) for use in function.python_uses if not _COMPUTES.search(use))


def writes(function: FunctionFacts, names: Iterable[str]) -> dict[str, str]:
    """Of those that Python writes into a text: how."""
    return _of(function, names, lambda use: use.startswith(_WRITES))


def repeats(function: FunctionFacts, names: Iterable[str]) -> dict[str, str]:
    """Of those that a list is repeated by: how."""
    return _of(function, names, lambda use: use.startswith(_REPEATS))


def keeps(function: FunctionFacts, names: Iterable[str]) -> dict[str, str]:
    """Of those that the code gives an attribute, or what is computed of them: how."""
    found = _of(function, names, lambda use: use.endswith(_KEPT))
    return {name: use.removesuffix(_KEPT) for name, use in found.items()}


def gives_something_else(use: str, name: str) -> bool:
    """Whether it is such a use of this number that fails of no tensor, and gives something else."""
    return use.startswith((*_WRITES, _REPEATS)) and is_about(use, name)


def prints(function: FunctionFacts, names: Iterable[str]) -> frozenset[str]:
    """Of those that the code prints by `tf.print`, which takes a tensor as well."""
    return frozenset(_of(function, names, lambda use: use.startswith(_PRINTS)))


def makes_an_array(function: FunctionFacts, name: str) -> bool:
    """Whether NumPy makes one whose size follows it, which takes no tensor."""
    return bool(_of(function, [name], lambda use: bool(_ARRAYS.match(use))))


def is_a_step(function: FunctionFacts, name: str) -> bool:
    """Whether a summary is written for it as the step, in the source."""
    return f"{name}{_AS_A_STEP}" in function.python_uses


def looks_up(function: FunctionFacts, name: str) -> bool:
    """Whether a list is indexed with it."""
    found = _of(function, [name], lambda use: bool(_LOOKED_UP.fullmatch(use)) and " of a dict" not in use)
    return bool(found)


def what_takes_no_tensor(function: FunctionFacts, names: Iterable[str]) -> list[str]:
    """Notes on what fails of a tensor; none if nothing is known to."""
    asked = list(names)
    numbers = [name for name in asked if any(map(is_number, nodes_at(function, name)))]
    notes = _what_takes_no_tensor(function, asked)
    return [functools.reduce(by_its_range, numbers, note) for note in notes]


def by_its_range(text: str, number: str) -> str:
    """With a name for what a loop over the `range` of the number has."""
    each = f"{number}[...]"
    return (
        f"{text.replace(each, 'i')} `i` is what the loop over the `range` of `{number}` has." if each in text else text
    )


def _what_takes_no_tensor(function: FunctionFacts, asked: Sequence[str]) -> list[str]:
    arguments = function.traces[0].lookup.signature.arguments if function.traces else ()
    uses = [
        use
        for use in function.python_uses
        if not (use.startswith((*_WRITES, _REPEATS, _PRINTS)) or use.endswith((_THROUGH, _IN_PARTS, _OF_SHAPE)))
        and not _IS_NO_FAILURE.search(use)
        and not (use.endswith(OF_AN_ARGUMENT) and not items_of(use, arguments))
        and any(is_about(use, name) and not _asks_for_items(use, name) for name in asked)
    ]
    truths = [use for use in uses if _TRUTH.fullmatch(use)]
    whole = [use.removesuffix(_OF_WHOLE) for use in uses if use.endswith(_OF_WHOLE)]
    uses = [use for use in uses if not (use in truths or use.endswith(_OF_WHOLE))]
    # None is asked for by `is`, and a tensor of bools for its truth
    of_none = [name for name in asked if _is_an_option(function, name)]
    truths = [use for use in truths if not any(is_about(use, name) for name in of_none)]
    replaced = {use: instead for use in uses if (instead := _instead(use))}
    of_members = {use: instead for use, instead in replaced.items() if use.endswith(_OF_A_MEMBER)}
    known = {use: instead for use, instead in replaced.items() if use not in of_members}
    notes = []
    if known:
        wide = " That is of float64: cast it to what it is computed with." if any(map(_is_float64, known)) else ""
        notes.append(f"{_take(known, 'no tensor')}: write {_code(known.values())}.{wide}")
    if of_members:
        one = len(of_members) == 1
        where = "that is a list or an array" if one else "these are lists or arrays"
        notes.append(f"{_take(of_members, 'no tensor')} where {where}: of numbers, write {_code(of_members.values())}.")
    counted = {use: found[1] for use in uses if use not in replaced and (found := _COMPREHENDED.fullmatch(use))}
    notes += [
        f"`{use}` in it takes no tensor: where these are tensors of one shape, write"
        f" `tf.map_fn(…, tf.range({count}), fn_output_signature=…)`."
        for use, count in counted.items()
    ]
    chosen = [use for use in uses if use not in replaced and use.endswith(OF_OBJECTS)]
    if chosen:
        notes.append(f"{_take(chosen, 'no tensor')}: `tf.switch_case` chooses between functions in the graph.")
    notes += what_raises(function, asked)
    raised = [use for use in uses if _ends_it(use)]
    if broken := [use for use in uses if use.endswith(_BREAKS)]:
        notes.append(
            f"{_take(broken, 'no tensor')} in a loop that Python goes through: write `tf.range(…)` in place of `range`."
        )
    matched = {use: found[1] for use in uses if (found := _MATCHES.fullmatch(use))}
    notes += [f"`{use}` in it takes no tensor: write `if {name} == …:` in its place." for use, name in matched.items()]
    decided = [use for use in uses if _DECIDES.fullmatch(use) or grows_if(use)]
    if decided:
        notes.append(f"{_take(decided, 'no tensor')}: decide that before the call, and pass what comes of it.")
    run = {use: (found[1], found[2]) for use in uses if (found := _RUNS.fullmatch(use))}
    notes += [
        f"What `{called}` runs has no value of a tensor that it reads from around it: pass `{number}` in its"
        f" `{_GIVEN.get(called.rpartition('.')[2], 'inp')}`, and take it as an argument there."
        for called, number in run.values()
    ]
    if told := [use for use in uses if _SETS_SHAPE.match(use)]:
        notes.append(f"{_take(told, 'no tensor')}: a size that a tensor holds is not known there, write None for it.")
    if dense := [use for use in uses if _DENSE.match(use)]:
        notes.append(f"{_take(dense, 'no tensor')} beside None: write -1 there.")
    if named := [use for use in uses if _BY_KEYWORD.match(use)]:
        notes.append(f"{_take(named, 'no tensor')}: a Python number alone.")
    if rest := [
        _shown(use)
        for use in uses
        if use not in {*replaced, *counted, *chosen, *raised, *broken, *matched, *decided, *run, *told, *dense, *named}
    ]:
        take, it = ("takes", "it") if len(rest) == 1 else ("take", "them")
        notes.append(f"{listed(rest)} in it {take} no tensor: compute {it} before the call, and pass what comes of it.")
    if whole:
        are = "is a tensor" if len(whole) == 1 else "are tensors"
        notes.append(
            f"{listed(whole)} in it {are} of int32 then: where it meets fractions, write `tf.cast(…, tf.float32)`"
            " around it, or fractions (`1.0`) there if it meets nothing else."
        )
    if truths:
        written = [f"`{_by_zero(use)}` for `{use}`" for use in truths]
        notes.append(f"TensorFlow takes no tensor of numbers for a condition: write {_and(written)}.")
    return notes


def _is_an_option(function: FunctionFacts, name: str) -> bool:
    """None in some calls, or a bool in all that pass no tensor."""
    nodes = list(nodes_at(function, name))
    return any(map(is_none, nodes)) or (any(map(is_bool, nodes)) and not any(map(is_number, nodes)))


def asked_by_a_library(function: FunctionFacts, name: str) -> str:
    """As `asked_in_python` has it."""
    return asked_in_python(function.python_uses, name)


def is_read(function: FunctionFacts) -> bool:
    """Whether its source was: what that does not say of a number, the function itself does not do."""
    frames = (frame for trace in function.traces[:1] for frame in trace.stack)
    is_told = not all(BY_DEFAULT.fullmatch(use) or use.endswith(_UNREAD) for use in function.python_uses)
    return is_told or any(frame.source and frame.file == function.file for frame in frames)


def is_unread(function: FunctionFacts, path: str) -> bool:
    """Whether it is, or lies in, an argument that nothing in the function's own code reads."""
    return f"{_ROOT.split(path, maxsplit=1)[0]}{_UNREAD}" in function.python_uses


def asks_whether_zero(function: FunctionFacts, name: str) -> bool:
    """Whether its source is known to, where it says how."""
    uses = [use for use in function.python_uses if _TRUTH.fullmatch(use) and not _asks_for_items(use, name)]
    return any(is_about(use, name) for use in uses)


def _asks_for_items(use: str, name: str) -> bool:
    """Whether it asks the list or tuple that the number lies in whether it holds any, which one of tensors answers as
    well: `if axes:`, `assert axes`."""
    whole = sequence_of(name)
    asked = next(filter(None, found.groups()), "") if (found := _TRUTH.fullmatch(use)) else use
    asked = asked.removeprefix("if ").removeprefix(_ASSERTS).removesuffix(_RAISES).removesuffix(": … else")
    return whole != name and asked.removeprefix("not ") == whole


def _by_zero(use: str) -> str:
    found = _TRUTH.fullmatch(use)
    by_if, by_else, by_not, by_and = found.groups() if found else ("", "", "", "")
    if by_if or by_else:
        return f"if {by_if} != 0:" if by_if else f"… if {by_else} != 0 else …"
    if by_not:
        return f"{by_not} == 0"
    return f"tf.where({by_and} != 0, {by_and}, …)" if use.endswith(" or …") else f"{by_and} != 0 and …"


def _and(texts: list[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def what_raises(function: FunctionFacts, names: Iterable[str]) -> list[str]:
    """A note on conditions under which the code raises, which it does of any tensor; none if none is known."""
    asked = list(names)
    raised = [use for use in function.python_uses if _ends_it(use)]
    shown = [use for use in raised if any(is_about(use, n) and not _asks_for_items(use, n) for n in asked)]
    if not shown:
        return []
    raises, its = ("raises", "a tensor's value") if len(shown) == 1 else ("raise", "a tensor's values")
    if any(use.startswith(_ASSERTS) for use in shown):
        raises = "fails" if len(shown) == 1 else "fail"
    return [
        f"{listed(shown)} in it {raises} while it is traced, whatever {its}: check that before the call, or by"
        " `tf.debugging.assert_less` and its like."
    ]


def _ends_it(use: str) -> bool:
    return use.endswith(_RAISES) or use.startswith(_ASSERTS)


def _is_float64(use: str) -> bool:
    return use.endswith(_FLOAT64)


def is_a_place(function: FunctionFacts, name: str) -> bool:
    """Whether the source takes parts of a tensor by it, `x[:n]`: these take whole numbers alone."""
    return any(use.endswith(_IN_PARTS) and is_about(use.removesuffix(_IN_PARTS), name) for use in function.python_uses)


def asks_size_of_part(function: FunctionFacts, names: Iterable[str]) -> bool:
    """Whether the source asks in Python how large a part is that is taken by one: `x[:n].shape[0]`."""
    uses = [use for use in function.python_uses if use.endswith(f"{_SHAPE}{_IN_PARTS}")]
    return any(is_about(use.removesuffix(_IN_PARTS).removesuffix(_SHAPE), name) for use in uses for name in names)


def what_has_no_size(function: FunctionFacts, names: Iterable[str]) -> list[str]:
    """A note on slices by these numbers, which have a known size now; none if none is known."""
    asked = list(names)
    uses = [use.removesuffix(_IN_PARTS) for use in function.python_uses if use.endswith(_IN_PARTS)]
    found = dict.fromkeys(use.removesuffix(_SHAPE) for use in uses)
    shown = [use for use in found if ":" in use and any(is_about(use, name) for name in asked)]
    if not shown:
        return []
    have, them = ("has", "it") if len(shown) == 1 else ("have", "them")
    return [
        f"{listed(shown)} in it {have} no known size then: `.shape` of {them} is None there, and `tf.shape` gives it."
    ]


def _take(uses: Iterable[str], what: str) -> str:
    shown = list(dict.fromkeys(map(_shown, uses)))
    return f"{listed(shown)} in it {'takes' if len(shown) == 1 else 'take'} {what}"


def _code(texts: Iterable[str]) -> str:
    return listed(list(dict.fromkeys(texts)))


def what_goes_through(function: FunctionFacts, name: str) -> list[str]:
    """Sentences on what goes through a list in Python, or makes a tensor of it, which fails of one; none if nothing is
    known to."""
    by_instead: dict[str, list[str]] = {}
    for use in function.python_uses:
        if use.endswith(_THROUGH) and _is_of(use, name):
            by_instead.setdefault(_through_a_tensor(use, name), []).append(use.removesuffix(_THROUGH))
        elif instead := next((to for how, to in _OF_ALL.items() if use == f"{how}({name})"), ""):
            by_instead.setdefault(f"`{instead}({name})`", []).append(use)
    sentences = []
    for instead, uses in by_instead.items():
        shown, go = listed(uses[:3]), "goes" if len(uses) == 1 else "go"
        sentences.append(f"{shown} in it {go} through no tensor: write {instead}.")
    return [*sentences, *what_is_made_anew(function, name)]


def what_needs_its_length(function: FunctionFacts, names: Iterable[str]) -> list[str]:
    """Notes on what goes through lists in Python, but for comprehensions, or asks for their length, where that is to be
    unknown; none if nothing is known to."""
    asked = list(names)
    lengths = [f"len({name})" for name in asked if f"len({name}){_LENGTH}" in function.python_uses]
    counted = [
        f"{listed(lengths)} in it {'is a tensor' if len(lengths) == 1 else 'are tensors'} of int32 then: where it meets"
        " fractions, write `tf.cast(…, tf.float32)`."
    ]
    counted = counted if lengths else []
    uses = [use for use in function.python_uses if use.endswith(_THROUGH) and any(_is_of(use, name) for name in asked)]
    shown = [use.removesuffix(_THROUGH) for use in uses if not use.startswith(("[…", _SUMS))]
    if not shown:
        return counted
    go = "goes" if len(shown) == 1 else "go"
    through = (
        f"{listed(shown[:3])} in it {go} through no tensor of an unknown length: take the tensor as a whole there."
    )
    return [through, *counted]


def _through_a_tensor(use: str, name: str) -> str:
    if use.startswith(_SUMS):
        return f"`tf.reduce_sum({name})`"
    if use.startswith(_ROWS):
        return f"`map(tf.unstack, tf.unstack({name}))` there, which are lists"
    return f"`tf.unstack({name})` there, which is a list"


def what_is_made_anew(function: FunctionFacts, name: str) -> list[str]:
    """A sentence on `tf.constant(n)`, also of a list that it lies in."""
    whole = sequence_of(name)
    made = [use.removesuffix(_ANEW) for use in function.python_uses if use.endswith(_ANEW)]
    found = [use for use in made if is_named_in(use, name) or is_named_in(use, whole)]
    return [f"`{use}` in it takes no tensor: write `{_converted(use)}`." for use in found[:1]]


def _converted(use: str) -> str:
    """`tf.convert_to_tensor` takes no shape."""
    called, _, given = use.partition("constant(")
    value, shape, _ = given.partition(", shape=")
    return f"{called}fill(…, {value})" if shape else f"{called}convert_to_tensor({given}"


def begun(function: FunctionFacts, name: str) -> str:
    """`total = 0` before a loop over `range(n)` that adds to it; "" if there is none such."""
    return next((use.partition(_BEFORE)[0] for use in function.python_uses if use.endswith(f"{_BEFORE}({name})")), "")


def what_a_loop_lengthens(function: FunctionFacts, name: str) -> list[str]:
    """A sentence on `ids = tf.concat([ids, …], 1)` in a loop over `range(n)`."""
    found = [one for use in function.python_uses if (one := _LENGTHENED.fullmatch(use)) and one[3] == name]
    return [
        f"`{tensor}` grows in the loop over `range({name})`: a loop of the graph takes that where it begins with"
        f" `tf.autograph.experimental.set_loop_options(shape_invariants=[({tensor},"
        f" tf.TensorShape({_grown_shape(function, tensor, axis)}))])`."
        for tensor, axis, _ in (one.groups() for one in found)
    ]


def _grown_shape(function: FunctionFacts, name: str, axis: str) -> str:
    """Of an argument, with None for what it grows in, and for what differs from call to call."""
    shapes = [node.shape for node in nodes_at(function, name) if node.kind == "tensor"]
    known = [shape for shape in shapes if shape is not None]
    ranks = {*map(len, known)}
    if len(known) < len(shapes) or len(ranks) != 1 or axis == "…" or not -min(ranks) <= int(axis) < min(ranks):
        return "[…]"
    sizes = [{*each} for each in zip(*known, strict=True)]
    sizes[int(axis)] = {-1}
    return f"[{', '.join(str(*size) if len(size) == 1 and -1 not in size else 'None' for size in sizes)}]"


def is_given_whole(function: FunctionFacts, name: str) -> bool:
    """Whether the code does nothing with a list but hand it on, to what takes a tensor as well."""
    return f"{name}{_GIVEN_WHOLE}" in function.python_uses


def needs_its_length(function: FunctionFacts, name: str) -> bool:
    """Whether Python goes through a list, or as often as it is long: of a tensor that has to be known."""
    uses = [use for use in function.python_uses if use.endswith((_THROUGH, _LENGTH)) and _is_of(use, name)]
    return any(not use.startswith(_SUMS) for use in uses)  # which `tf.reduce_sum` does of any length


def is_gone_through(function: FunctionFacts, name: str) -> bool:
    ends = (_THROUGH, _LENGTH, _BY_TURNS)
    uses = [use for use in function.python_uses if use.endswith(ends) and _is_of(use, name)]
    return any(not use.startswith(_LENGTHS) for use in uses)


def _is_of(use: str, name: str) -> bool:
    """Also of a part of the list, `rewards[::-1]`."""
    return is_named_in(_PART.sub("", use), name)


def _instead(use: str) -> str:
    if use.endswith(OF_OBJECTS):
        return ""
    if found := _ITEM.fullmatch(use):
        return f"tf.stack({found[1]})[{found[2]}]"
    if found := _REDUCED.fullmatch(use.replace("]) of a ", "] of a ")):
        return f"tf.reduce_{found[1]}({_instead(found[2])})"
    if (found := _LOOKED_UP.fullmatch(use)) and found[3] != "dict":
        is_one = ":" not in found[2] and ", " not in found[2]
        return f"tf.gather({found[1]}, {found[2]})" if is_one else f"tf.convert_to_tensor({found[1]})[{found[2]}]"
    if ranged := _RANGE.fullmatch(use):
        return _OF_RANGES[ranged[1]].format(f"tf.range({ranged[2]})") if ranged[1] in _OF_RANGES else ""
    if asked := _AMONG.fullmatch(use):
        return f"tf.reduce_any(tf.equal({asked[1]}, (…)))"
    if _TO_A_SHAPE.fullmatch(use):
        return "[…] + list(….shape)"
    if drawn := _DRAWS.match(use):
        stateless = "stateless_" if drawn[1] else ""
        return f"tf.image.adjust_{drawn[2]}(…, tf.random.{stateless}uniform([], …))"
    if (made := _ARRAYS.match(use)) and made[2] in _MADE:
        return _MADE[made[2]]
    if not (called := _CALL.match(use)):
        return ""
    module, _, name = called[1].rpartition(".")
    if module in ("math", "np", "numpy") and name in _SAME_NAMES:
        return f"tf.math.{name}(…)"
    return f"{_OTHER_NAMES[called[1]]}(…)" if called[1] in _OTHER_NAMES else ""


def _shown(use: str) -> str:
    return use.partition(" of a ")[0].removesuffix(OF_AN_ARGUMENT).removesuffix(UNCONVERTED)


def _of(function: FunctionFacts, names: Iterable[str], is_one: Callable[[str], bool]) -> dict[str, str]:
    uses = [use for use in function.python_uses if is_one(use)]
    found = {name: next((_shown(use) for use in uses if is_about(use, name)), "") for name in names}
    return {name: use for name, use in found.items() if use}
