"""A `tf.random.Generator` that is made anew for each seed: it can begin anew by itself."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import name_in_code
from tb_retrace_plugin.explain.verdict.random_generators import another_generator

#: Two may be kept side by side, as one for each of two purposes.
_FEWEST = 2


def propose(function: FunctionFacts) -> Fix | None:
    found = [(trace, name) for trace in function.traces if (name := another_generator(trace.evidence))]
    if len(found) < _FEWEST:
        return None
    names = list(dict.fromkeys(name for _, name in found))
    are, them = ("is another tf.random.Generator", "it") if len(names) == 1 else ("are other generators", "them")
    is_passed = all(trace.kind == "retrace" for trace, _ in found)
    text = f"{listed(names)} of `{function.name}` {are} in {len(found) + 1} traces, whose graphs are the same."
    text += f" If a new one is made for each seed, make {them} once, before the loop"
    text += ", and" if is_passed else f"; define `{function.name}` once, after that; and"
    text += " call `reset_from_seed(seed)` in place of making another."
    notes = [
        "Of the same algorithm, it draws the same numbers then as a new one of that seed.",
        "Generators that are kept side by side, or go on where they are, need one each.",
    ]
    code = "\n".join(f"{name_in_code(name)}.reset_from_seed(seed)  # in place of making another" for name in names)
    evidence = "Not replayed: which of them could be one is not known."
    return Fix("keep_generator", text, None, other=code, evidence=evidence, notes=notes)
