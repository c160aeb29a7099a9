"""A call of a Keras model on arrays as the user wrote it, with a dataset in their place."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.facts import Frame
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line

#: Parameters in their order, as far as they are passed by position.
_PARAMETERS = {
    "fit": ("x", "y", "batch_size", "epochs", "verbose", "callbacks"),
    "evaluate": ("x", "y", "batch_size", "verbose", "sample_weight"),
    "predict": ("x", "batch_size", "verbose"),
    "train_on_batch": ("x", "y", "sample_weight", "class_weight"),
}
_OF_ARRAYS = ("x", "y", "sample_weight")
#: What a dataset does itself.
_OF_THE_DATASET = frozenset({*_OF_ARRAYS, "batch_size", "shuffle"})
_HELD_OUT = ("validation_data", "validation_split")
_OF_VALIDATION = frozenset({*_HELD_OUT, "validation_batch_size"})
#: What a function that passes on what it is given calls it: there may be a batch size in it.
_PASSED_ON = "args"
#: So many of the method's own parameters are named in a call that passes them on.
_FEWEST_NAMED = 2
#: Keras' own, where none is given.
_BATCH_SIZE = "32"
#: Of what is made: rarely one that a program which passes arrays has already.
_NAMES = ("batches", "dataset", "all_batches")
#: In the place of `class_weight`.
SAMPLE_WEIGHTS = (
    "Make a dataset of `(x, y, weights)` once, with the class weight of each row as its sample weight, and leave"
    " `class_weight` out."
)
#: Beside a dataset that calls may share.
ALL_ROWS = "It takes all rows that it is given as one batch; so does the model itself (`model(x, training=False)`)."
ONCE = "once, before the loop, if the arrays are always the same"
#: How many rows a dataset has.
_CARDINALITY = "cardinality()"
_IN_PLACE_OF = "  # in place of: "
_WORD = re.compile(r"\w+")
_GIVEN_BATCH_SIZE = re.compile(r"\bbatch_size=([\w.]+)")


def takes_arrays(frame: Frame, method: str) -> bool:
    """Whether the user's line passes what only arrays have."""
    call = call_of(source_line(frame), method)
    given = _given(call, method) if call is not None else None
    return given is not None and ("y" in given or "batch_size" in given)


def takes_named_arrays(frame: Frame, method: str) -> bool:
    """Whether nothing in the user's line says that the arrays are others at each call, as `x[rows]` does."""
    call = call_of(source_line(frame), method)
    given = _given(_unpacked(call), method) if call is not None else None
    arrays = [given[name] for name in (*_OF_ARRAYS, "validation_data") if name in given] if given is not None else []
    arrays = [part for array in arrays for part in _parts(array)]
    arrays = [array.of if isinstance(array, _AllArrays) else array for array in arrays]
    return all(isinstance(n, ast.Name | ast.Attribute | ast.expr_context) for array in arrays for n in ast.walk(array))


def _parts(array: ast.expr) -> list[ast.expr]:
    if not isinstance(array, ast.Tuple | ast.List):
        return [array]
    return [part for one in array.elts for part in _parts(one)]


def on_batch(frame: Frame) -> str:
    """The user's line with `predict_on_batch` for each `predict`; "" if more is passed than that takes."""
    line = source_line(frame)
    changed = line.encode()  # columns are bytes
    calls = sorted(_calls(line, "predict"), key=lambda call: call.col_offset, reverse=True)
    if any((one.end_col_offset or 0) > other.col_offset for other, one in pairwise(calls)):  # one within another
        return ""
    for call in calls:
        given = given_to(call, "predict")
        if given is None or "x" not in given or given.keys() - {"x", "batch_size", "verbose"}:
            return ""
        model = ast.get_source_segment(line, call.func) or ""
        passed = f"{model}_on_batch({ast.get_source_segment(line, given['x']) or '…'})"
        changed = changed[: call.col_offset] + passed.encode() + changed[call.end_col_offset :]
    shown = changed.decode() if calls else "model.predict_on_batch(x)"
    return f"{shown}{_IN_PLACE_OF}{line or f'{frame.file}:{frame.line}'}"


def code_of(
    method: str, frame: Frame, why: str, *, validates: bool = False, kinds: Mapping[str, str] | None = None,
    number: int = 1, beside: Sequence[str] = (), earlier: str = "",
) -> str:  # fmt: skip
    """For `fit` and `evaluate`. `why`: a comment beside the dataset. `validates`: `fit` builds one of the arrays for
    validation, too. `kinds`: of what is passed, by parameter, as far as it is known: lists are one tensor to a
    dataset. `number`: of the line, where there are several, each with a dataset of its own. `beside`: the sources of
    all of these lines. `earlier`: what is told of another method that the line calls, too."""
    line = written = source_line(frame)
    data_name, held_name = free_names([line, *beside], number)
    before = f"{earlier}\n" if earlier else ""
    made_before, _, changed_before = earlier.rpartition("\n")
    if call_of(changed_before := changed_before.partition(_IN_PLACE_OF)[0], method) is not None:
        line, before = changed_before, f"{made_before}\n"
    call = call_of(line, method)
    given = _given(_unpacked(call), method, may_split=validates) if call is not None else None
    if call is None or given is None or (validates and given.keys().isdisjoint(_HELD_OUT)):
        place = written or f"{frame.file}:{frame.line}"
        return before + _made_up(method, written, place, why, (data_name, held_name), validates=validates)
    text = {name: ast.get_source_segment(line, value) or "…" for name, value in given.items()}
    text |= {name: _with_tuples(line, given[name]) for name in (*_OF_ARRAYS, "validation_data") if name in given}
    kinds = kinds or {}
    lists = [name for name, kind in kinds.items() if kind in ("list", "tuple")]
    text |= {name: f"tuple({text[name]})" for name in lists if isinstance(given.get(name), ast.Name)}
    model = ast.get_source_segment(line, call.func) or f"model.{method}"
    own = _OF_THE_DATASET | _OF_VALIDATION if validates else _OF_THE_DATASET
    kept = [f"{name}={value}" for name, value in text.items() if name not in own]
    arrays = [text[name] for name in _OF_ARRAYS if name in text]
    tensors = f"({', '.join(arrays)})" if len(arrays) > 1 else arrays[0]
    if isinstance(given["x"], _AllArrays):
        tensors = f"tuple({text['x']})"
    is_shuffled = method == "fit" and text.get("shuffle") != "False"
    # columns are bytes
    start, end = (line.encode()[:at].decode() for at in (call.col_offset, call.end_col_offset or 0))
    batch = text.get("batch_size", _BATCH_SIZE)
    if why == ONCE and not isinstance(given.get("batch_size", ast.Constant(0)), ast.Constant):
        why = ONCE.replace(" are", f" and `{batch}` are")
    rows = _rows(given, line, kinds) if is_shuffled else ""
    held, size = text.get("validation_data", "None"), text.get("validation_batch_size", batch)
    if validates and held == "None":
        part = text["validation_split"]
        share = part if isinstance(given["validation_split"], ast.Constant | ast.Name | ast.Attribute) else f"({part})"
        data = f"{data_name} = tf.data.Dataset.from_tensor_slices({tensors})  # {why}"
        made = _made_without_the_last(data, (data_name, held_name), share, (batch, size), is_shuffled=is_shuffled)
    else:
        made = _made(data_name, tensors, rows, batch, why)
        made += f"\n{held_name} = tf.data.Dataset.from_tensor_slices({held}).batch({size})" if validates else ""
    if validates:
        kept.insert(0, f"validation_data={held_name}")
    changed = f"{start}{model}({', '.join([data_name, *kept])}){line[len(end) :]}"
    return f"{before}{made}\n{changed}{_IN_PLACE_OF}{written}"


def _made(name: str, tensors: str, rows: str, batch: str, why: str) -> str:
    """`rows`: how many are shuffled; "": none are."""
    data = f"tf.data.Dataset.from_tensor_slices({tensors})"
    if "(" in rows.removeprefix("len("):  # what computes the array is not to run twice
        return f"{name} = {data}  # {why}\n{name} = {name}.shuffle({name}.cardinality()).batch({batch})"
    return f"{name} = {data}{f'.shuffle({rows})' if rows else ''}.batch({batch})  # {why}"


def _made_without_the_last(
    data: str, names: tuple[str, str], share: str, sizes: tuple[str, str], *, is_shuffled: bool
) -> str:
    """As `validation_split` holds out a share of the rows. `names`, `sizes`: of both datasets."""
    name, held = names
    count = f"{name}_kept"
    return (
        f"{data}\n{count} = int(len({name}) * (1 - {share}))  # `validation_split` holds out the rows after these\n"
        f"{held} = {name}.skip({count}).batch({sizes[1]})\n"
        f"{name} = {name}.take({count}){f'.shuffle({count})' if is_shuffled else ''}.batch({sizes[0]})"
    )


def free_names(lines: Sequence[str], number: int) -> tuple[str, str]:
    """For a dataset and for the one for validation: no names that the user's lines have for something else."""
    used = {word for line in lines for word in _WORD.findall(line)}
    last = "" if number == 1 else f"_{number}"
    name = next((name for name in _NAMES if used.isdisjoint({name, f"held_{name}"})), _NAMES[0])
    return f"{name}{last}", f"held_{name}{last}"


def told_of_lists(frame: Frame, method: str, code: str) -> list[str]:
    """Notes, where a name may be that of a list of arrays. `code`: as `code_of` gives it."""
    call = call_of(source_line(frame), method)
    given = _given(call, method) if call is not None else None
    x, y = (given.get(name) if given is not None else None for name in ("x", "y"))
    notes = [f"If `{x.id}` is a list of arrays, write `tuple({x.id})`."] if isinstance(x, ast.Name) else []
    if isinstance(y, ast.Name) and f".shuffle(len({y.id}))" in code:
        notes.append(
            f"If `{y.id}` is a list or a dictionary of arrays, `len({y.id})` is how many these are: write how many rows"
            " there are."
        )
    return notes


def told_of_options(frame: Frame, method: str) -> list[str]:
    """A note on what `**options` may pass that Keras takes of no dataset."""
    line = source_line(frame)
    call = call_of(line, method)
    names = [k.value for k in call.keywords if k.arg is None] if call is not None else []
    return [
        f"Of `**{ast.get_source_segment(line, name)}` what is of the arrays, such as `batch_size`, `sample_weight`,"
        " `shuffle` and `validation_split`, is the dataset's then: `(x, y, weights)`."
        for name in names[:1]
    ]


def told_of_fixed_batches(frame: Frame, method: str) -> list[str]:
    """A note on batches of which each has the size that is passed, as a model may need that has states."""
    call = call_of(source_line(frame), method)
    given = _given(call, method, may_split=True) if call is not None else None
    if given is None or method != "fit" or "batch_size" not in given or not _is_false(given.get("shuffle")):
        return []
    batch = ast.get_source_segment(source_line(frame), given["batch_size"]) or "…"
    return [
        "Where the model's own batch size is fixed (`batch_shape`, a stateful RNN), write"
        f" `.batch({batch}, drop_remainder=True)`: all rows are in such batches then."
    ]


def _rows(given: dict[str, ast.expr], line: str, kinds: Mapping[str, str]) -> str:
    """How many examples there are, as code: `len` of a dictionary, which `x` may be, tells its keys."""
    names = [name for name in ("y", "sample_weight", "x") if name in given]
    # a name may be that of a dictionary; of what is written as a list the first is an array
    told = (name for name in names if name in kinds or not isinstance(given[name], ast.Name | ast.Attribute))
    name = next(told, names[0])
    array = given[name]
    if kinds.get(name, "tensor") != "tensor" and isinstance(array, ast.Name | ast.Attribute):
        return _CARDINALITY
    if isinstance(array, _AllArrays):
        return f"len({ast.get_source_segment(line, array)}[0])"
    while True:
        parts = array.values if isinstance(array, ast.Dict) else getattr(array, "elts", [])
        if not parts:
            return f"len({ast.get_source_segment(line, array) or '…'})"
        array = parts[0]


def told_of_order(code: str) -> list[str]:
    """A warning, where `fit` would have shuffled the arrays itself."""
    return ["This changes the order of rows: the dataset shuffles in one of its own."] if ".shuffle(" in code else []


def passes_on(frame: Frame, method: str) -> bool:
    """Whether the user's line calls something of a library's with the names of the method's own parameters."""
    call = call_of(source_line(frame), method)
    return call is not None and _takes_the_same(call, method)


def told_of_another(frame: Frame, method: str) -> list[str]:
    """A note, where what the line calls is not the method itself, such as a tuner's `search` for `fit`."""
    line = source_line(frame)
    call = call_of(line, method)
    if call is None or _calls(line, method):
        return []
    called = ast.get_source_segment(line, call.func)
    return [f"`{called}` calls `{method}`: what it passes on may be a dataset."]


def call_of(line: str, method: str) -> ast.Call | None:
    """Of the method, or of what passes on to it what the line passes, by the names of the method's own parameters."""
    found = _calls(line, method)
    if not found and (tree := parsed(line)) is not None:
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        found = [call for call in calls if isinstance(call.func, ast.Attribute) and _takes_the_same(call, method)]
    return found[0] if len(found) == 1 else None


def _takes_the_same(call: ast.Call, method: str) -> bool:
    named = {keyword.arg for keyword in call.keywords}
    known = {*_PARAMETERS[method], *_OF_THE_DATASET, *_OF_VALIDATION}
    return len(named & known) >= _FEWEST_NAMED and None not in named


def _calls(line: str, method: str) -> list[ast.Call]:
    tree = parsed(line)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    return [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]


def _given(call: ast.Call, method: str, *, may_split: bool = False) -> dict[str, ast.expr] | None:
    """Arguments by name, in their order; None if some are not told, or there is no such dataset of them.

    `may_split`: a part for validation is taken of the arrays before.
    """
    given = given_to(call, method)
    if given is None:
        return None
    given = {name: value for name, value in given.items() if name not in _OF_THE_DATASET or not _is_none(value)}
    # lists of numbers are one tensor to a dataset; a part for validation cannot be taken of one
    is_list = any(isinstance(array := given.get(name), ast.List) and not _holds_arrays(array) for name in _OF_ARRAYS)
    has_parts = "sample_weight" in given and "y" not in given
    splits = "validation_split" in given and not may_split
    return None if "x" not in given or is_list or has_parts or splits else given


def _holds_arrays(array: ast.List) -> bool:
    """Of `[images, boxes]`, as a model with several inputs takes them: by their names, or as calls give them."""
    return all(isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript) for part in array.elts)


def _with_tuples(line: str, value: ast.expr) -> str:
    """As it is written, a list of arrays as a tuple: the list would be one tensor to a dataset."""
    text = ast.get_source_segment(line, value) or "…"
    if isinstance(value, ast.Tuple) and any(isinstance(part, ast.List) and _holds_arrays(part) for part in value.elts):
        return f"({', '.join(_with_tuples(line, part) for part in value.elts)})"
    if not isinstance(value, ast.List) or not _holds_arrays(value):
        return text
    return f"({text[1:-1].strip().removesuffix(',')}{',' if len(value.elts) == 1 else ''})"


class _AllArrays(ast.expr):
    """The `batch` of `model.fit(*batch)`: what is passed by position, all of it. `of`: as it is written."""

    def __init__(self, of: ast.expr) -> None:
        super().__init__()
        self.of = of


def _unpacked(call: ast.Call) -> ast.Call:
    """With a starred name, or call, that is all that it passes by position as one argument."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Starred):
        return call
    value = call.args[0].value
    if (
        not isinstance(value, ast.Name | ast.Attribute | ast.Call)
        or (isinstance(value, ast.Name) and value.id == _PASSED_ON)
        or not {k.arg for k in call.keywords}.isdisjoint(_OF_ARRAYS)
    ):
        return call
    every = ast.copy_location(_AllArrays(value), value)
    return ast.copy_location(ast.Call(call.func, [every], call.keywords), call)


def given_to(call: ast.Call, method: str) -> dict[str, ast.expr] | None:
    """Arguments by name, in their order; None if some are not told."""
    parameters = _PARAMETERS[method]
    if len(call.args) > len(parameters) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    given = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        given[keyword.arg] = keyword.value
    return given


def _is_false(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _passes_more_than_it_names(line: str, method: str) -> bool:
    """There may be a batch size in `*args` or `**options`."""
    call = call_of(line, method)
    return call is not None and (
        any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)
    )


def _made_up(method: str, line: str, place: str, why: str, names: tuple[str, str], *, validates: bool) -> str:
    data, held = names
    batch = _GIVEN_BATCH_SIZE.search(line)
    shuffled = ".shuffle(len(x))" if method == "fit" and "shuffle=False" not in line else ""
    batched = f".batch({batch[1] if batch else '…' if _passes_more_than_it_names(line, method) else _BATCH_SIZE})"
    made = f"{data} = tf.data.Dataset.from_tensor_slices((x, y)){shuffled}{batched}  # {why}"
    if validates:
        made += (
            f"\n{held} = tf.data.Dataset.from_tensor_slices((x_held, y_held)){batched}  # of the arrays for validation"
        )
        return f"{made}\nmodel.{method}({data}, validation_data={held}, …){_IN_PLACE_OF}{place}"
    return f"{made}\nmodel.{method}({data}, …){_IN_PLACE_OF}{place}"
