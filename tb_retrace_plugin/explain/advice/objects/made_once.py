"""Models that one line makes again of what is there: loaded from a directory, or made of layers of an earlier one."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import library_that_calls
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.library_code import is_called_by_the_user
from tb_retrace_plugin.explain.advice.objects.kept_model import WHICH_IS_NOT_KNOWN
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.evidence import says_a_model_is_made_of_the_same, says_it_is_loaded_again

#: From one line: two models of two lines are kept side by side, as an encoder and a decoder.
_FEWEST = 2
_LOADS = re.compile(r"\b(?:[^\W\d]\w*\.)*load(?=\()")
_EACH = "Models that are kept side by side, or are of other files, need one each."
_OUTPUTS = "Models with other outputs need one each, or one model that has them all."


def propose_loaded(function: FunctionFacts) -> Fix | None:
    """Whether it is the same SavedModel each time is not recorded."""
    found = [one for one in function.traces if says_it_is_loaded_again(one.evidence) and is_called_by_the_user(one)]
    if not found or max(Counter(map(_line, found)).values()) < _FEWEST:
        return None
    loads = {match[0] for one in found if (match := _LOADS.search(source_line(function.caller(one))))}
    load = loads.pop() if len(loads) == 1 else "tf.saved_model.load"
    text = (
        f"In {len(found)} traces functions of a SavedModel were traced anew that was loaded again, or of another one"
        " like it. If one is loaded anew for each call, or each request, load it once, before the loop, and keep it:"
        " that needs no trace."
    )
    code = f"model = {load}(…)  # once, before the loop"
    return Fix("load_saved_model_once", text, None, other=code, evidence=WHICH_IS_NOT_KNOWN, notes=[_EACH])


def propose_of_the_same_layers(function: FunctionFacts) -> Fix | None:
    """`keras.Model(model.input, layer.output).predict(x)`, in a loop or a function."""
    found = [one for one in function.traces if says_a_model_is_made_of_the_same(one.evidence)]
    lines = Counter(map(_line, found))
    if not found or max(lines.values()) < _FEWEST or all(map(library_that_calls, found)):
        return None
    text = (
        f"Keras makes `{function.name}` for each model, and in {len(found)} traces that was another one with the"
        " variables of an earlier one, and as many operations. If it is made of the same layers each time, make it"
        " once, before the loop, and keep it: that needs no trace."
    )
    code = f"kept = {_made(function, found)}  # once, before the loop; of several one each"
    return Fix("keep_model", text, None, other=code, evidence=WHICH_IS_NOT_KNOWN, notes=[_OUTPUTS])


def _made(function: FunctionFacts, traces: Sequence[Traced]) -> str:
    """The call that makes the model, if the lines that ask it have one and the same."""
    made = {text for one in traces for text in _models_made(source_line(function.caller(one)))}
    return made.pop() if len(made) == 1 else "keras.Model(…)"


def _models_made(line: str) -> list[str]:
    try:
        calls = [node for node in ast.walk(ast.parse(line.strip())) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return []
    return [ast.unparse(one) for one in calls if ast.unparse(one.func).rpartition(".")[2] == "Model"]


def _line(trace: Traced) -> tuple[str, int]:
    """The user's, that asks the model."""
    return next(((frame.file, frame.line) for frame in trace.stack if frame.user), ("", 0))
