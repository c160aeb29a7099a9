"""Objects that hold other tensors each time, passed or closed over, such as a state or a distribution: the tensors can
be arguments, and fractions beside them tensors, too."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import CLOSES_OVER, how_often, merged_objects, objects_of_closure
from tb_retrace_plugin.explain.advice.made_anew.defined_once import define_once, defined_once, where_it_reads_locals
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import (
    DECIDED_ONCE,
    WHOLE,
    code_that_takes,
    constants_of,
    kinds_left,
    made_one,
    owner_of,
    read_elsewhere,
    read_of,
    tensor_of,
)
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import COMPUTED_IN_PYTHON
from tb_retrace_plugin.explain.verdict.evidence import TENSORS_OF_AN_OBJECT, how_it_has, says_numbers_differ
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_INSTEAD = (
    "Or make the class a `tf.experimental.ExtensionType` with a field for each tensor{}, and for all else that the"
    " function reads of it: it is passed as it is then."
)
_FIELDS = ", one declared as a `tf.Tensor` for each of these numbers"


_METHODS = "Methods of {} that read these have to take them, too; what else it reads is that of one object of its kind."


def propose(function: FunctionFacts) -> Fix | None:
    """Of arguments."""
    found = [t for t in function.avoidable if t.kind == "retrace" and t.evidence.endswith(TENSORS_OF_AN_OBJECT)]
    paths = list(dict.fromkeys(change.path for trace in found for change in trace.changes))
    if not paths:
        return None
    about = [(t, c) for t, c in function.with_cause("object_identity", held=True) if c.path in paths]
    identities = {key: root for path in paths for key, root in made_one(function, about, path).items()}
    with_numbers = [t for t, _ in about if says_numbers_differ(t.evidence)]
    owners = {change.path: owner_of(change.new) for trace in found for change in trace.changes}
    kinds = max(kinds_left(function, identities, path) for path in paths)
    it, they = ("it", "it is") if len(paths) == 1 else ("them", "they are")
    what = " and ".join(f"`{path}` of `{function.name}` is another `{owners[path]}`" for path in paths)
    passed = {path: f"({path}.…,)" for path in paths}
    fractions = numbers = ""
    if with_numbers:
        constants, dtype = constants_of(function, with_numbers)
        fractions = f" and fractions{constants}, which are read or computed of {it}{read_elsewhere(function, paths)}"
        fractions += " in Python"
        numbers = ", these numbers as tensors, too"
        held = {change.path for trace in with_numbers for change in trace.changes}
        passed |= {path: f"({path}.…, {tensor_of(f'{path}.…', dtype)})" for path in paths if path in held}
    text = (
        f"{what} in each trace, and the graphs differ in nothing but tensors that they capture, such as those of"
        f" {it}{',' if fractions else ''}{fractions}."
        f" Pass these tensors as arguments of their own{numbers}, and for what else is read of {it} the same object"
        " each time, or none."
    )
    if kinds > 1:
        alike = "tensors and fractions" if fractions else "tensors"
        text += (
            f" Other graphs differ in more than {alike}: keep one object for each of {kinds} kinds, and pass that of"
            " the call's kind. One for all may give the results of one kind."
        )
    return Fix(
        "pass_tensors_of_object", text, Candidate(identities=identities),
        other=code_that_takes(function, found[0], passed, "tensors", kinds),
        added=dict.fromkeys((f"{path}_tensors" for path in paths), ""),  # an object is declared by no signature
        reads_anew=read_of(function, paths) if fractions else [],
        assumes=f"the code reads the tensors{' and the numbers' if fractions else ''} of {listed(paths)} from the new"
        " arguments",
        notes=[
            f"As long as {they} passed anew, there is a trace for each.", DECIDED_ONCE,
            *([COMPUTED_IN_PYTHON] if fractions else []),
            _INSTEAD.format(_FIELDS if fractions else ""),
        ],
    )  # fmt: skip


def propose_closed_over(function: FunctionFacts) -> Fix | None:
    found = [t for t in function.avoidable if t.kind == "recreated" and t.evidence.endswith(TENSORS_OF_AN_OBJECT)]
    names = list(dict.fromkeys(name for trace in found for name in objects_of_closure(trace.evidence)))
    if not names or function.is_object:
        return None
    alike = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, [*found, *alike])  # defined once, it serves those of the same as well
    with_numbers = [trace for trace in found if says_numbers_differ(trace.evidence)]
    it = "it" if len(names) == 1 else "them"
    fractions = numbers = dtype = ""
    if with_numbers:
        constants, dtype = constants_of(function, with_numbers)
        fractions = f", and fractions{constants}, which are read or computed of {it}{read_elsewhere(function, names)}"
        fractions += " in Python"
        numbers = ", and these numbers as tensors"
    text = (
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, for another {listed(names)} each time"
        f" {how_it_has([found[0].evidence])}, and the graphs differ in nothing but tensors that they capture, such as"
        f" those of {it}{fractions}. {define_once(function, objects)}, and pass these tensors as arguments{numbers}."
    )
    parameters = [path for path, _ in found[0].lookup.signature.arguments if path != "self"]
    specs = dict.fromkeys((f"{name}_tensors" for name in names), "")
    passed = [f"({name}.…,)" for name in names]
    if with_numbers:
        spec = f"tf.TensorSpec([], tf.{dtype.removeprefix(WHOLE)})"
        specs |= dict.fromkeys((f"{name}_number" for name in names), spec)
        passed += [tensor_of(f"{name}.…", dtype) for name in names]
    are_names = all(name.isidentifier() for name in names)
    return Fix(
        "pass_tensors_of_object", text, Candidate(objects=objects),
        other=defined_once(function, parameters, specs, passed) if are_names else "", added=specs,
        reads_anew=read_of(function, names) if fractions else [],
        assumes=f"the code reads the tensors{' and the numbers' if fractions else ''} of {listed(names)} from the new"
        " arguments",
        notes=[
            _METHODS.format(listed(names)), *([COMPUTED_IN_PYTHON] if fractions else []),
            *([] if "self" in names else where_it_reads_locals(function, names)),
        ],
    )  # fmt: skip
