"""What advice rests on: one function's recorded traces; and what a rule proposes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Graphs
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.number_holders import is_another_holder, is_another_range
from tb_retrace_plugin.explain.verdict.evidence import (
    NUMBERS_OF_AN_OBJECT,
    TENSOR_OF_NUMBERS,
    TENSORS_OF_A_FUNCTION,
    TENSORS_OF_AN_OBJECT,
    THESE_ALONE,
    told_of_functions,
    told_of_held,
)
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.explain.words.place import is_cell

#: So many compilations are looked at.
MOST_COMPILED = 5_000
#: Ends the evidence of a trace that an object, or a range, was made for which holds other numbers, or tensors.
HELD = NUMBERS_OF_AN_OBJECT, TENSOR_OF_NUMBERS, TENSORS_OF_AN_OBJECT, TENSORS_OF_A_FUNCTION
#: As signatures write one.
_FUNCTION = re.compile(r"(function|method) .* #\d+")
#: Evidence of advice that helps only together with another.
NOT_BY_ITSELF = "By itself it saves no trace: something else changed at the same calls."


@dataclass(frozen=True, slots=True)
class Frame:
    """Of a call stack; `source` is the line's text, "" if it is not known. `instruction`: tells two calls of a line
    apart; 0 if it is not known."""

    file: str
    line: int
    function: str
    source: str
    user: bool
    instruction: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Owner:
    """Of variables that a first call created; as in `schema/retrace.proto`. `in_a_scope`: they are to be made in that
    of a distribution strategy."""

    name: str
    kind: str
    given: str = ""
    count: int = 1
    in_a_scope: bool = False


@dataclass(frozen=True, slots=True)
class Traced:
    """One recorded trace. `closest`: place of the trace it is compared with among the function's; None: not known.

    `cost_ns`: of the trace with all that is nested in it, and of its first execution; `first_call_ns`: of that alone.
    `stack`: innermost first.
    `other_tensors`: the function reads other tensors or variables from around it than in that trace.
    `bound_by_name`: parameters that a `functools.partial` which tf.function was passed binds by their names.
    `loaded_again`: its file was executed again since its code was first seen.
    `created_for`: what the variables belong to that it created, as a first call's first trace may.
    `other_calls`: lines that call a function of its name, too, of which traces may be recorded or none.
    `output_signature`: as code, of a dataset that Keras made of a generator or a PyDataset, of which it is a part.
    `nodes`: of its graph; 0: not known. `nested`: made within another trace; `nests`: others were made within it.
    `jit_compile`: XLA compiles it.
    """

    lookup: Lookup
    kind: str = "retrace"
    verdict: str = "avoidable"
    evidence: str = ""
    changes: tuple[Change, ...] = ()
    closest: int | None = None
    cost_ns: int = 0
    stack: tuple[Frame, ...] = ()
    nodes: int = 0
    nested: bool = False
    first_call_ns: int = 0
    nests: bool = False
    other_tensors: bool = False
    bound_by_name: frozenset[str] = frozenset()
    loaded_again: bool = False
    created_for: tuple[Owner, ...] = ()
    other_calls: tuple[Frame, ...] = ()
    output_signature: str = ""
    jit_compile: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    """XLA has compiled the graph of the trace at place `trace`. `shapes`: of arguments with unknown dimensions.

    `values`: of arguments that XLA needs as constants, as text. `changed`: paths of what made it compile again; empty
    for the first time. `cost_ns`: of the call that did. `frame`: the user's line with that call, if it is known.
    """

    trace: int
    shapes: Mapping[str, tuple[int, ...]]
    values: Mapping[str, str]
    changed: frozenset[str] = frozenset()
    gradient: bool = False
    cost_ns: int = 0
    frame: Frame | None = None
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """`avoidable`: how many of the `traces` that can be avoided are within some of `names` that can be, too; `outside`:
    are within none."""

    names: tuple[str, ...]
    avoidable: int
    traces: int
    outside: int = 0


@dataclass(frozen=True, slots=True)
class UseWithin:
    """What a function `name`, traced within this one, does with the number that this one is passed at `path`.

    `decides`: it takes no tensor for what comes of that, `name(size=…)`, and needs a graph for each value.
    """

    path: str
    name: str
    use: str
    decides: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """Another function that the user's line, or only the one around it, gives to `tf.data`, and that was another one.

    `names`: of what it closes over that was; empty: not known.
    """

    name: str
    names: tuple[str, ...]
    same_line: bool


@dataclass(frozen=True, slots=True)
class MadeBefore:
    """Of what variables were made in the first call of another function, `called`, before this one's; by its names."""

    called: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """The traces of one function's code, in time order; parameters that are keyword-only or have a default value.

    `omitted`: how many more there were, counted and not recorded one by one: what is counted here is a part.
    `python_numbers`: paths of numbers that are proposed to stay what they are; `closed_over_stay`: so are those that it
    closes over.
    `values_read`: what is no argument, by name, that took several values -> at each of the traces; None: not known.
    `objects_read`: the same, of models, variables and tensors, as texts that tell them apart.
    `read_by_keras`: those values that code of Keras' own reads, which may take no tensor there.
    `drawn`: what is another one in each trace by itself, as code: `np.random.normal()`, `self.updates`.
    `type_questions`: where its code asks of what type an argument is: `isinstance(k, …)`. `python_uses`: what it does
    with a number by Python's own means: `math.exp(n)`, `TABLE[n] of a list`.
    `counted`: numbers from around it that it counts, and does not read.
    `jit_compile`: XLA compiles one of them, and, where that is `compiled_in_part`, not all.
    `compiled`: what XLA compiled without failing, of graphs that it compiled again without a trace.
    `given_others`: functions of other steps of its dataset, which get elements of another shape, or so, from each.
    `undecorated`: its `def` has no decorator: a call of `tf.function` made it one; `passed_as`: of what, where that was
    made of it: `functools.partial(step, …)`. `bound_as`: what a method calls its `self`, where that is another name;
    "self" where that is passed as any argument is.
    `distributes`: the program iterates over datasets that are distributed to devices. `within`: the one other function
    of the user's in whose traces those that can be avoided were made, if they were made in any; None: there is none
    such. `uses_within`: what of a tensor would be something else in functions traced within this one's traces, without
    an error. `beside`: what is in the same datasets, as far as lines tell. `made_before`: variables that it may read.
    """

    name: str
    traces: Sequence[Traced]
    library: bool = False
    jit_compile: bool = False
    compiled_in_part: bool = False
    file: str = ""
    keyword_only: frozenset[str] = frozenset()
    with_default: frozenset[str] = frozenset()
    omitted: int = 0
    qualname: str = ""
    python_numbers: frozenset[str] = frozenset()
    closed_over_stay: bool = False
    values_read: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    objects_read: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    read_by_keras: Collection[str] = ()
    drawn: Sequence[str] = ()
    type_questions: Sequence[str] = ()
    python_uses: Sequence[str] = ()
    counted: Sequence[str] = ()
    undecorated: bool = False
    passed_as: str = ""
    bound_as: str = ""
    compiled: Sequence[Compiled] = ()
    distributes: bool = False
    within: Within | None = None
    uses_within: Sequence[UseWithin] = ()
    beside: Sequence[Beside] = ()
    given_others: Sequence[str] = ()
    made_before: MadeBefore | None = None
    graphs: Graphs = field(default_factory=Graphs, compare=False, repr=False)

    @property
    def is_object(self) -> bool:
        """Whether it is the `__call__` of an object; `name` is that of its class."""
        return self.qualname == f"{self.name}.__call__"

    @property
    def is_defined_in_a_cell(self) -> bool:
        """Of a notebook, and in no function or class: it is made anew when the cell is run again."""
        return "." not in self.qualname and is_cell(self.file)

    @property
    def is_loaded_again(self) -> bool:
        """Whether each object but the first was made by another execution of the file that its `def` is in."""
        made = [trace.loaded_again for trace in self.traces if trace.kind == "recreated"]
        return bool(made) and all(made) and not self.is_defined_in_a_cell

    @property
    def self_is_passed(self) -> bool:
        """As any argument is, by a function above that `tf.function` knows nothing of."""
        return self.bound_as == "self"

    @property
    def name_where_made(self) -> str:
        """As a call of `tf.function` is passed it, if nothing is made of it first."""
        owner = self.qualname.rpartition(".")[0]
        return f"….{self.name}" if owner and not owner.endswith("<locals>") else self.name

    @property
    def called(self) -> str:
        """As its users call it: an object that has a `__call__` by a name like its class's."""
        owner = self.qualname.rpartition(".")[0].rpartition(".")[2]
        if self.name != "__call__" or not owner.isidentifier():
            return self.name_where_made
        taken = {owner, *(path for path, _ in self.traces[0].lookup.signature.arguments)}
        return owner.lower() if owner.lower() not in taken else f"one_{owner}"

    @property
    def passed(self) -> str:
        """What a call of `tf.function` is passed."""
        return self.passed_as or self.name_where_made

    @property
    def at_least(self) -> str:
        """Said before a number of what is counted over the recorded traces."""
        return "at least " if self.omitted else ""

    @property
    def knows_what_is_compared(self) -> bool:
        """Whether the trace that each retrace was compared with is recorded, where some were counted only."""
        return not (self.omitted and any(t.closest is None for t in self.avoidable))

    @property
    def avoidable(self) -> list[Traced]:
        return [trace for trace in self.traces if trace.verdict == "avoidable"]

    def with_cause(self, *causes: str, held: bool = False) -> list[tuple[Traced, Change]]:
        """The changes of avoidable traces that have one of the causes. `held`: with those of which each object holds
        other numbers or tensors, so that one cannot take the place of another."""
        found = [(t, change) for t in self.avoidable for change in t.changes if change.cause in causes]
        return found if held else [(t, c) for t, c in found if not (t.evidence.endswith(HELD) and _is_held(t, c))]

    def caller(self, trace: Traced) -> Frame | None:
        """The innermost frame of the user's own code."""
        return next((frame for frame in trace.stack if frame.user), None)

    def calls_directly(self, trace: Traced) -> bool:
        """Whether the line of `caller` called it, through nothing but TensorFlow."""
        within = [f.file.replace("\\", "/") for f in itertools.takewhile(lambda frame: not frame.user, trace.stack)]
        # what a dataset calls is passed its elements, and not what the line passes
        return all("/tensorflow/python/" in file and "/tensorflow/python/data/" not in file for file in within)


def is_idle(trace: Traced, change: Change) -> bool:
    """Whether it is an object of which nothing that is read makes the graph another one, where what does is known."""
    if not trace.evidence.endswith(THESE_ALONE) or not is_another_holder(change):
        return False
    named = change.path in told_of_functions(trace.evidence)
    return not named and not any(name.startswith(f"{change.path}.") for name in told_of_held(trace.evidence))


def _is_held(trace: Traced, change: Change) -> bool:
    """Whether it may be what the evidence is of: it names functions that close over something else."""
    if change.cause == "object_identity" and _FUNCTION.fullmatch(change.new):
        return change.path in told_of_functions(trace.evidence)
    if is_idle(trace, change):
        return False
    if change.path == "self" and trace.evidence.endswith(THESE_ALONE):  # of what holds none of these
        return any(name.startswith("self.") for name in told_of_held(trace.evidence))
    if change.cause == "recreated_function" and trace.evidence.endswith(TENSORS_OF_A_FUNCTION):
        return False  # which closes over the same, or the evidence would be of that
    of_objects = change.cause in ("object_identity", "recreated_function")
    return of_objects or is_another_holder(change) or is_another_range(change)


@dataclass(frozen=True, slots=True)
class Fix:
    """What one rule proposes.

    `candidate`: the change as lookups show it; None if it cannot be replayed. `assumes`: what the replay cannot know,
    the end of a sentence that begins with "it assumes that". `decorator`, `calls` (path of an argument -> how it is
    wrapped) and `other` make up the code: parts that several fixes together can be written from. `before`: rules that
    it is better than although they may leave fewer traces. `added`: new parameters at the end -> how an input signature
    declares them, "" if it cannot. `asked_with`: where it cannot, what `get_concrete_function` is passed all the same,
    by parameter, those that are new as well. `executes`: first executions stay, as where XLA compiles in them.
    `outside`: how `tb-retrace try` makes the same change without the source, where `candidate` alone does not say so;
    None: it cannot.
    `reads_anew`: names of what is no argument that the changed code passes, or reads anew at each call. `warnings`,
    `notes`: as in `Advice`. `beside_others`: one of the notes, about tensors of other dtypes: for where these are not
    cast.
    `lengths_known`: paths of what is to be a tensor whose length the code needs.
    `undeclared`: parameters that an input signature leaves out -> the default value that each needs, as code.
    `only_together`: it is a part of another fix, for what is done about the rest in another way.
    """

    rule: str
    text: str
    candidate: Candidate | None
    assumes: str = ""
    decorator: str = ""
    calls: Mapping[str, str] = field(default_factory=dict)
    other: str = ""
    evidence: str = ""  # in place of the replay's, where there is none, or it does not tell how many are left
    traces_after: int | None = None  # known without a replay
    before: tuple[str, ...] = ()
    added: Mapping[str, str] = field(default_factory=dict)
    asked_with: Mapping[str, str] = field(default_factory=dict)
    executes: bool = False
    outside: Mapping[str, object] | None = None
    reads_anew: Sequence[str] = ()
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    beside_others: str = ""
    undeclared: Mapping[str, str] = field(default_factory=dict)
    lengths_known: frozenset[str] = frozenset()
    only_together: bool = False

    @property
    def changes_calls_alone(self) -> bool:
        has_keys = self.candidate is not None and bool(self.candidate.keys)
        return has_keys or (self.candidate is not None and bool(self.calls) and not (self.other or self.decorator))


def merged(fixes: Iterable[Fix]) -> Candidate:
    """What all of them change."""
    together = Candidate()
    for fix in fixes:
        if fix.candidate is not None:
            together = together.with_(fix.candidate)
    return together


@dataclass(frozen=True, slots=True)
class Advice:
    """See docs/report_json.md. Traces are counted with those that failed. `apply`: what can be done from outside.

    `warnings`: what speaks for other results with it. `notes`: what else the code may need, or another way, to be read
    by who makes the change. `traces_not_tried`: counted and not recorded one by one; numbers are of the others.
    """

    rule: str
    text: str
    code: str | None
    traces_before: int
    traces_after: int | None
    seconds_saved: float | None
    evidence: str
    apply: dict[str, object] | None = None
    traces_not_tried: int = 0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def warned(self, warning: str) -> Advice:
        return replace(self, warnings=(*self.warnings, warning.strip()))

    @property
    def in_one(self) -> str:
        """What to know first, then what to do, where there is but one line for all."""
        return " ".join([*self.warnings, self.text, *self.notes])

    def to_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}
