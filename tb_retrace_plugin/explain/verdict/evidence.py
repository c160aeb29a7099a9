"""Sentences of evidence that more than one place knows, and what they say."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from tb_retrace_plugin.explain.differences.closure import NOT_READ, ClosureChange
from tb_retrace_plugin.explain.differences.keras_losses import LOSS

XLA_COMPILES_EACH_SHAPE = "with `jit_compile=True` XLA compiles for each shape"
UNKNOWN_DIMENSIONS_FAILED = "a trace with unknown dimensions failed"
IN_DIMENSIONS_ALONE = "in its dimensions alone"
LAST_BATCH = "looks like a dataset's last batch"
CHOSEN_BY = "Python chooses by `{}`"
CHOSEN = f"{CHOSEN_BY} among what the code has (`{{}}`): each needs a graph, and there are only so many."
EACH_CHOSEN = ": each needs a trace, and there are only so many."
#: Of the path, and of how.
CHOSEN_AMONG = re.compile(CHOSEN_BY.format("([^`]+)") + r" among what the code has \(`([^`]+)`\)")
EACH_NUMBER = "Each value of the Python number"
OTHER_VARIABLES = "The graph captures other variables"
CREATES_VARIABLES_EACH_TIME = "The function creates variables on every call; create them outside, once."
CREATES_VARIABLES_LATE = "It creates variables, which TensorFlow allows in a function's first call only."
#: Values that are told of.
_MOST_READ = 4
#: After the name of one, which has no variables and no numbers.
OF_A_STRATEGY = " (a distribution strategy)"
OF_A_LOSS = " (a loss)"
OF_A_METHOD = " (a method of an object)"
_IS_METHOD = re.compile(r"method object( #\d+)?")
_IS_STRATEGY = re.compile(r"\w*Strategy(V\d)? object( #\d+)?")
#: After that of a container, which may hold models or variables.
OF_SEVERAL = {"tuple": " (a tuple)", "list": " (a list)", "dict": " (a dictionary)"}
_IS_OF_SEVERAL = re.compile(rf"({'|'.join(OF_SEVERAL)}) object( #\d+)?")
SAME_GRAPH_AND_CAPTURES = "The new tf.function object has the same graph and captures as an earlier one."
#: After that, of what a `functools.partial` binds otherwise.
BINDS_ANOTHER = "`functools.partial` binds another"
CLOSES_OVER_THE_SAME = "The new tf.function object closes over the same values as an earlier one."
SAME_GRAPH_OF_OBJECTS = "the graph is the same: one object would do."
OF_TWO_CLASSES = (
    "`{}` is an object of another class, and the graph is another one: each class needs one, and there are only so"
    " many."
)
AN_OBJECT_OR_A_FUNCTION = "`{}` is an object or a function, and the graph is another one: each needs one."
OF_ANOTHER_INSTANCE = "The graph and its captures are those of another instance: one would do."
#: After that of a trace that an argument alone needs.
ONE_OBJECT_FOR_BOTH = "The tf.function object is another one, and closes over the same values: one would do for both."
WIDENED_STATE = (
    "What the function returns as the next state has another shape than the state that it began with: `tf.data` makes"
    " it anew for a state whose dimensions are unknown there. A state of one shape throughout needs no such trace."
)
MADE_OF_ONE = "The new tf.function object was made of a tf.function of the same code: that one would do."
MADE_BY_EACH_CALL = "TensorFlow makes this function anew at each call outside a tf.function, and traces it."
TRACED_TWICE = (
    "TensorFlow traces a first call that creates variables twice; where they are created before it, once is enough."
)
WIDENED = "reduce_retracing widened `{}`: the new trace serves later shapes too."
WIDENED_AND_FAILED = (
    "reduce_retracing widened `{0}`, and the trace failed: a size that it has left unknown is None in `{0}.shape`, and"
    " `tf.shape({0})` gives it. Without reduce_retracing each shape is traced by itself."
)
TENSOR_OF_STRINGS = "and nothing else in it differs: a tensor of strings would do."
TENSOR_OF_STRINGS_BESIDE_NUMBERS = "and nothing else in it differs but numbers passed: a tensor of strings would do."
TENSOR_OF_NUMBERS = "and nothing else in it differs: a tensor of them would do."
#: Of a function of TensorFlow's own.
STANDS_IN = (
    "It does nothing: TensorFlow runs it in place of a tf.function whose first call created variables and then failed"
    " while it was traced, and such calls give None."
)
CAPTURES_THE_SAME = "the graph captures the same"
A_BOOL_WOULD_DO = "is a bool or a number, and the graph is the same: a bool would do at every call."
NONE_OR_A_BOOL = "is None or a bool, and the graph is the same: the bool would do at every call."
NAMES_ALONE = "names operations, and nothing else in the graph differs: it makes no difference to what is computed."
NAMES_BESIDE_NUMBERS = (
    "names operations, and nothing else in the graph differs but numbers passed: it makes no difference to what is"
    " computed."
)
#: Of an object that is another one, with the same graph: another value is no reason for a trace.
HOLDS_OTHERS = "though it holds other values"
#: Of one beside which something else makes the graph another one.
HOLDS_OTHERS_BESIDE = "Another {} is passed, which holds other values."
#: Of an object that a trace was made for: no other one equals it.
IS_GONE = "the earlier object no longer exists"
#: Of numbers that the object has whose method a function made anew is.
IN_VARIABLES = "kept in tf.Variables that are assigned to, this needs no trace."
NUMBERS_OF_AN_OBJECT = "passed as tensors of their own, these need no trace."
FRACTIONS_ALONE = f"its graph is the same but for fractions, such as numbers of that: {NUMBERS_OF_AN_OBJECT}"
THESE_ALONE = f"its graph is the same but for numbers of that: {NUMBERS_OF_AN_OBJECT}"
TENSORS_OF_A_FUNCTION = "its graph has the same operations: passed to the function as arguments, these need no trace."
WHICH_HOLDS = "is another object, which holds"
A_FUNCTION_MADE_ANEW = "a function made anew, which"
OTHER_METADATA = "holds other numbers, and its graph is the same but for fractions: as a tensor these need no trace."
ASKED_IN_PYTHON = "for which TensorFlow takes a Python number alone: each value needs a graph."
DECIDED_IN_PYTHON = "and takes no tensor for it: each value needs a graph."
OTHER_ATTRIBUTES = "The graph has the same operations with other attributes"
TENSORS_OF_AN_OBJECT = (
    "passed as arguments, in a tuple, a dictionary or a tf.experimental.ExtensionType, these need no trace."
)
OTHER_TENSORS = f"its graph is the same but for tensors that it captures: {TENSORS_OF_AN_OBJECT}"
OTHER_TENSORS_AND_NUMBERS = (
    "its graph is the same but for tensors that it captures and for fractions, such as numbers of that, which can be"
    f" tensors, too: {TENSORS_OF_AN_OBJECT}"
)
EACH_FUNCTION = "There are only so many functions, and each needs a trace of its own."
#: Before the earlier sizes of a tensor that is closed over.
AFTER_ONE_OF = ", after one of ("
ANOTHER_METRIC = "is another metric"
OTHER_VARIABLES_OF_OBJECTS = "the graph has the same operations, on other variables"
#: The same, where that is another trace's than the one that this is compared with.
AS_AN_EARLIER_GRAPH = "an earlier graph has as many operations, on other variables of the same shapes"
#: Of such that are of other shapes, as those of a network of another width.
BESIDE_ANOTHER_MODEL = (
    "With another shape of `{}` the function reads other variables in place of all those before, of other shapes:"
    " models that differ so need a trace each."
)
OF_OTHER_SHAPES = "no earlier graph has variables of such shapes: models that differ so need a trace each."
#: Of a new function object, which closes over the objects or is the method of one.
ALIKE_VARIABLES = "its graph has as many operations as an earlier one, on other variables of the same shapes"
#: Of one that closes over nothing, as one at module level.
#: Before names of what is closed over: variables by themselves, and what has some.
OTHER_VARIABLES_BY_NAME, OBJECTS_WITH_SUCH = "other variables", "and what has such"
#: The same of tensors and arrays beside those.
OTHER_TENSORS_BY_NAME = "other tensors"
READS_OTHERS = "It reads a model or variables from around it that are others"
#: Of a function that Keras makes for each model.
ANOTHER_MODEL_ALIKE = f"Keras makes this function for each model. This is another one, and {ALIKE_VARIABLES}."
OF_A_MODEL_FOR_OTHER_PARTS = (
    "Keras makes this function for each model. What this one is given has other parts, as with sample weights, than all"
    " before: that needs a trace, once, also where one model is trained for all."
)
#: After the line that does, of such a model.
MADE_AGAIN_ALIKE = (
    "makes a new one alike each time. One that is made once, and whose variables are set back before each run, needs no"
    " trace."
)
OF_THE_SAME_WEIGHTS = (
    "Keras makes this function for each model, and this is another one, with the variables of an earlier one. If it is"
    " made of the same layers (`keras.Model(…)` in a loop, or in a function), make it once and keep it. Models with"
    " other outputs need one each, or one model that has them all."
)
#: Of a function that was loaded.
LOADED = "It is a function of a SavedModel that was loaded again, or of another one"
LOADED_ALIKE = f"{LOADED}, and {ALIKE_VARIABLES}."
NO_TRACE = "that needs no trace."
#: After the line that does, of an instance.
MAKES_ANOTHER = "makes another one each time"
IF_MADE_ALIKE = (
    "If {} made alike for each run of several, such as a fold or a trial, make {} once and set the variables back"
    f" before each run: {NO_TRACE} Those that are kept side by side need one each."
)
#: Where lines show it, with the code.
MADE_FOR_EACH_RUN = (
    "New ones are made alike for each run (`{}`), and kept nowhere, as far as the lines show. Make {} once and set the"
    f" variables back before each run: {NO_TRACE}"
)
#: Of an object, with the code that shows it.
OF_TWO_VALUES = "There are but two such objects to make."
OF_EACH_STEP = "Keras makes one such function for each of a model's steps:"
COMPILED_FOR_OTHER_PARTS = (
    "Keras makes this function anew when the model is compiled again. It was compiled with the same as before, and what"
    " it is given has other parts, as with sample weights, than all before: that needs a trace, once, also of a model"
    " that is compiled once."
)
COMPILED_ALIKE = (
    "Keras makes this function anew when the model is compiled again. It was compiled with the same as before, but for"
    " a learning rate at most: compiling it once would do."
)
IS_KEPT = "The program keeps it beside others (`{}`): each that it keeps needs a trace, once."
OTHER_RESOURCE = "the graph captures another lookup table, summary writer or the like"
MADE_FOR_EACH_CALL = (
    "A new one is made for each call (`{}`). One that is made once, and assigned to where it is to begin anew, needs no"
    " trace."
)
#: What a number or tensor is that is another one each time, a clause after it.
CLOSED_OVER = "that it closes over"
BOUND = "that `functools.partial` binds"
MEMBER = "`{}` is a member of an Enum, which has only so many."


#: Of each function that was passed: its path, what it has, and how.
_OF_A_FUNCTION = re.compile(rf"`([^`]+)` is {A_FUNCTION_MADE_ANEW}( .*?)(?=, `[^`]+` is |, and its graph|\. )")
OF_OTHER_DATA = (
    "`tf.data` makes this function anew for each dataset, and this one is made of other data, or in other steps, than"
    " the earlier ones that these lines have built. Each of those needs a trace, or one tf.function of your own, which"
    " takes the data and does all that is done with the dataset; whether that can be is not known."
)
COULD_SERVE_BOTH = "Whether one object could serve both is not known."


def says_it_was_widened_and_failed(evidence: str) -> bool:
    return evidence.endswith(WIDENED_AND_FAILED.rpartition("}")[2])


def says_a_string_is_a_constant(evidence: str) -> bool:
    return evidence.endswith((TENSOR_OF_STRINGS, TENSOR_OF_STRINGS_BESIDE_NUMBERS))


def says_a_string_names_operations(evidence: str) -> bool:
    return evidence.endswith((NAMES_ALONE, NAMES_BESIDE_NUMBERS))


def told_of_functions(evidence: str) -> dict[str, str]:
    """By path what is said of functions that are passed: " reads `scale`: 2.0 → 3.0"."""
    return dict(_OF_A_FUNCTION.findall(evidence))


#: Each number that an object holds, before and now.
_HELD = re.compile(r"`([^`]+)`: (\S+) → (\S+?)(?=, `|, and its graph|, $)")
#: Before those of an instance of which nothing else makes the graph another one.
BUT_FOR_ITS_OWN = "and its graph is the same but for"
_OF_AN_INSTANCE = re.compile(r"`(self\.[^`]+)`: (\S+) → (\S+?)(?=, `|\. )")
TENSORS_OF_ITS_OWN = "tensors or variables of its own"
FRACTIONS_OF_ITS_OWN = "fractions, which are read or computed of"
_ITS_TENSORS = re.compile(rf"{TENSORS_OF_ITS_OWN} \(([^)]+)\)")
_BEFORE_A_FUNCTION = re.compile(rf".*?, (?=`[^`]+` is {A_FUNCTION_MADE_ANEW})")


def told_of_held(evidence: str) -> dict[str, tuple[str, str]]:
    """Which numbers of objects are all that makes the graph another one, by name; {} where that is not said."""
    return told_of_holders(evidence) if evidence.endswith(THESE_ALONE) else {}


def told_of_holders(evidence: str) -> dict[str, tuple[str, str]]:
    """Which numbers of objects are others, by name; where shapes are, too, it is not known whether these are all."""
    told = evidence.partition(WHICH_HOLDS)[2]
    own = _BEFORE_A_FUNCTION.match(told)
    return {name: (old, new) for name, old, new in _HELD.findall(own[0] if own else told)}


def told_of_an_instance(evidence: str) -> dict[str, tuple[str, str]]:
    """The same of an instance that is traced for itself."""
    told = evidence.partition(BUT_FOR_ITS_OWN)[2]
    return {name: (old, new) for name, old, new in _OF_AN_INSTANCE.findall(told)}


def told_of_its_tensors(evidence: str) -> list[str]:
    """By which names a method reads of its instance the tensors that are all that makes its graph another one, but for
    `told_of_an_instance`."""
    told = _ITS_TENSORS.search(evidence.partition(BUT_FOR_ITS_OWN)[2])
    return re.findall(r"`([^`]+)`", told[1]) if told else []


def says_what_is_its_own(evidence: str) -> bool:
    """Whether all that an instance's graph differs by is told by name."""
    return bool(told_of_an_instance(evidence) or told_of_its_tensors(evidence))


def is_computed(evidence: str) -> bool:
    """Whether graphs may have what is computed of an instance's numbers, in place of these."""
    return f"{FRACTIONS_OF_ITS_OWN} `self." in evidence


def says_of_another_model(evidence: str) -> bool:
    """Whether sizes are others because a model of other sizes has taken the place of that before."""
    return BESIDE_ANOTHER_MODEL.partition("{}")[2] in evidence


def says_a_metric_is_another(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return ANOTHER_METRIC in evidence


#: Of several objects, all that are named.
_OTHERS = re.compile(r"((?:`[^`]+`(?:, | and )?){2,}) are other objects")
_MADE = re.compile(MADE_FOR_EACH_CALL.replace("(`{}`)", r"\(`(.+?)`\)"))


def made_for_each_call(evidence: str) -> list[str]:
    """The code that makes objects with variables, on which results may depend; [] where that is not said."""
    made = _MADE.search(evidence)
    return made[1].split("`, `") if made else []


def what_makes(path: str, evidence: str) -> str:
    """Of that code what makes the one that is passed there; "" where that is not known."""
    codes, others = made_for_each_call(evidence), _OTHERS.search(evidence)
    paths = re.findall(r"`([^`]+)`", others[1]) if others else []
    if len(codes) > 1 and len(codes) != len(paths):
        return ""
    return dict(zip(paths, codes, strict=True)).get(path, "") if len(codes) > 1 else "".join(codes)


_FOR_A_RUN = re.compile(r"New ones are made alike for each run \(`(.+?)`\)")


def made_for_each_run(evidence: str) -> list[str]:
    """The code that makes objects alike for each run of several; [] where that is not said."""
    made = _FOR_A_RUN.search(evidence)
    return made[1].split("`, `") if made else []


def says_variables_of_objects_differ(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return OTHER_VARIABLES_OF_OBJECTS in evidence or ALIKE_VARIABLES in evidence


#: Of graphs that capture other variables.
TENSORS_BESIDE = "It captures other tensors, too, such as data that an object holds."


def says_a_model_is_alike(evidence: str) -> bool:
    """Of a function that Keras makes for each model."""
    return evidence.startswith(ANOTHER_MODEL_ALIKE)


def made_again_by(evidence: str) -> str:
    """The code that makes such a model, alike each time; "" where that is not said."""
    made = evidence.removesuffix(f" {MADE_AGAIN_ALIKE}")
    is_said = says_a_model_is_alike(evidence) and made != evidence
    return made.removeprefix(ANOTHER_MODEL_ALIKE).strip().strip("`") if is_said else ""


def says_a_model_is_made_of_the_same(evidence: str) -> bool:
    """Of a function that Keras makes for each model."""
    return evidence.endswith(OF_THE_SAME_WEIGHTS)


def says_it_is_loaded_again(evidence: str) -> bool:
    """Or another SavedModel like it."""
    return evidence.startswith(LOADED_ALIKE)


def says_numbers_differ(evidence: str) -> bool:
    """Whether objects hold other fractions than an earlier call's, whatever else."""
    return evidence.endswith((FRACTIONS_ALONE, OTHER_TENSORS_AND_NUMBERS))


def says_each_value_needs_a_graph(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return OTHER_ATTRIBUTES in evidence or ASKED_IN_PYTHON in evidence or says_python_decides(evidence)


def says_python_decides(evidence: str) -> bool:
    """Whether that is what makes a verdict `unknown`."""
    return DECIDED_IN_PYTHON in evidence


def told_of_asked(name: str, asked: str) -> str:
    """`asked`: as `asked_in_python` has it."""
    return f"`{name}` is {asked} in its code, {ASKED_IN_PYTHON} Whether there are few or many is not known."


def told_of_decided(name: str, how: str) -> str:
    """`how`: as `decided_in_python` has it."""
    return (
        f"Python decides by `{name}` what is built (`{how}`), {DECIDED_IN_PYTHON} Whether there are few or many is not"
        " known."
    )


def other_attributes(names: str, changes: Sequence[object]) -> str:
    """`changes`: all that differ; of several, each may have set them."""
    sets = f"{names} sets them, and" if len(changes) == 1 else f"if {names} sets them,"
    return (
        f"{OTHER_ATTRIBUTES}, which no tensor can set: {sets} each value needs a graph. Whether there are few or many"
        " is not known."
    )


def has_it(closure: Sequence[ClosureChange]) -> str:
    """What a function does with what is another one each time: a verb."""
    if all(c.is_global for c in closure):
        return "reads"
    if all(c.is_bound for c in closure):
        return "binds"
    return "closes over or binds" if any(c.is_bound for c in closure) else "closes over"


def how_it_has(evidence: Sequence[str]) -> str:
    """The same of several traces, as a clause after what it is."""
    for verb, clause in ((" reads ", "that it reads"), (" binds ", BOUND)):
        if all(verb in text and " closes over " not in text for text in evidence):
            return clause
    return CLOSED_OVER


def is_a_method(change: ClosureChange) -> bool:
    return _IS_METHOD.fullmatch(change.new) is not None


def _another(change: ClosureChange) -> str:
    kind = OF_A_STRATEGY if _IS_STRATEGY.fullmatch(change.new) else OF_A_LOSS if change.new.endswith(LOSS) else ""
    if is_a_method(change):
        kind = OF_A_METHOD
    elif several := _IS_OF_SEVERAL.fullmatch(change.new):
        kind = OF_SEVERAL[several[1]]
    return f"another `{change.name}`{kind}"


def closed_over(closure: Sequence[ClosureChange], most: int = 3) -> str:
    closure = [c for c in closure if not (c.is_global and NOT_READ in (c.old, c.new))] or closure
    if len(closure) > most:  # values say more than that it is another one
        closure = sorted(closure, key=lambda c: c.old == c.new)
    texts = [f"`{c.name}`: {c.old} → {c.new}" if c.old != c.new else _another(c) for c in closure]
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def told_of_values(values: Mapping[str, tuple[str, str]]) -> str:
    """Those of a plain name."""
    return ", ".join(f"`{name}`: {old} → {new}" for name, (old, new) in values.items() if " " not in name)


def told_of_reads(
    read_otherwise: Mapping[str, tuple[str, str]] | None,
    first: Mapping[str, tuple[str, str]] | None = None,
    without: Collection[str] = (),
) -> str:
    """What both traces read, otherwise, after `first`: of all that the first few, but for those names."""
    both_read = {name: both for name, both in (read_otherwise or {}).items() if all(both)}
    values = [(name, both) for name, both in {**(first or {}), **both_read}.items() if name not in without]
    return told_of_values(dict(values[:_MOST_READ]))


def told_of_chosen(
    read_otherwise: Mapping[str, tuple[str, str]] | None, chosen: Mapping[str, str], without: Collection[str] = ()
) -> str:
    """What both traces read otherwise, if all that is texts by which the code chooses (`chosen`: how)."""
    names = [name for name, both in (read_otherwise or {}).items() if all(both) and name not in without]
    if not names or not chosen.keys() >= {*names}:
        return ""
    how = ", ".join(f"`{chosen[name]}`" for name in names[:_MOST_READ])
    told = told_of_reads(read_otherwise, without=without)
    it = "it" if len(names) == 1 else "them"
    return f"{told}. Python chooses by {it} among what the code has ({how}){EACH_CHOSEN}"
