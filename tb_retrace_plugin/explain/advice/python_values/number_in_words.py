"""How graphs use numbers, in sentences of advice to pass them as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.python_values.use import FLOATS, Use

#: Where what it chooses is a tensor, or which one is read changes beside it.
_CHOOSES = (
    "What the function reads from around it are other tensors then, too: if {} chooses them from a list, stack them"
    " into one (`tf.stack`), once, and let `tf.gather` choose."
)


def what_it_decides(uses: Mapping[str, Use]) -> str:
    """Sentences on numbers that decide what is built, the last without its end; "" if none is known to."""
    sentences = []
    for path, use in uses.items():
        what = "the number" if len(uses) == 1 else listed([path])
        if use.decides:
            decides = "may decide" if use.anew else "decides"
            sentences.append(f"{use.decides}, so {what} {decides} what is built")
    for together in dict.fromkeys(use.may_decide for use in uses.values() if use.may_decide and not use.decides):
        paths = [path for path, use in uses.items() if use.may_decide == together]
        have = (
            f"{together.before:,} and {together.now:,} nodes" if together.before != together.now else "other operations"
        )
        at_once = " at once" if len(together.paths) > 1 else " in a new tf.function object"
        sentences.append(
            f"Where {listed(list(together.paths))} changed{at_once}, the graphs have {have}, so"
            f" {' or '.join(f'`{path}`' for path in paths)} may decide what is built"
        )
    return ". ".join(sentences)


def what_is_not_known(uses: Mapping[str, Use], chosen: Mapping[str, str], *, is_used: bool = False) -> list[str]:
    """Notes on tensors of the `chosen` dtypes that may not do; none if nothing says so. `is_used`: one is known to be,
    by Python's own means."""
    of_several: dict[str, list[str]] = {}
    for path, use in uses.items():
        if (constants := _constants(use, chosen[path])) is not None:
            of_several.setdefault(constants, []).append(path)
    notes = []
    for path, use in uses.items():
        name = "it" if len(uses) == 1 else listed([path])
        if use.names is not None:
            notes.append(
                f"The graphs name operations with {name} (`{use.names[0]}` and `{use.names[1]}`), which a tensor"
                " cannot do: name them without it."
            )
        if (constants := _constants(use, chosen[path])) is not None:
            alike = of_several[constants]
            if path == alike[0]:
                notes.append(constants.replace("{}", "it" if len(uses) == 1 else listed(alike)))
        elif (use.summaries or use.step) and chosen[path] == "int64":
            notes.append(
                f"For {use.same_graphs} the graphs are the same, and write summaries, whose step is of int64: as such"
                f" a step {name} can be a tensor; where it chooses in Python what is used, or becomes text, it cannot."
                if use.summaries
                else f"The code writes summaries with {name} as the step, which is of int64."
            )
        elif (values := use.captures or use.same_graphs) and not use.decides:
            how = "capture other things: where" if use.captures else "are the same: where"
            if not use.captures and not is_used:
                how = f"are the same: {_LEFT_OUT.format(name)} Where"
            notes.append(
                f"For {values} the graphs {how} {name} chooses in Python what is used, such as an element of a"
                " list, or becomes text, such as a name, it cannot be a tensor."
            )
            if use.others:
                notes.append(_CHOOSES.format(name))
    return notes


_LEFT_OUT = "if the code makes no use of {}, leave it out instead."


def _constants(use: Use, dtype: str) -> str | None:
    """Of what the graphs hold in a number's place; `{}` is what it is called."""
    if len(use.dtypes) > 1:
        return (
            f"In the graphs {{}} became constants of {_and(use.dtypes)}: a tensor has one dtype, and the code"
            " would have to cast it for the others."
        )
    if use.floats and not dtype.startswith(FLOATS):
        return (
            f"In the graphs constants of {use.floats} differ, which may be computed from {{}}: there the code"
            f" would have to cast a tensor of {dtype}."
        )
    if use.dtypes and use.dtype != dtype:
        return f"In the graphs {{}} became constants of {use.dtype}: whether {dtype} does instead is not known."
    return None


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
