"""Which code a traced function is: name and place, the identity that survives re-creation."""

from __future__ import annotations

import inspect
import itertools
import linecache
import re
import sys
import weakref
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.before_autograph import as_written, before_autograph
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.counters import counters
from tb_retrace_plugin.capture.code.executed_again import edited, first_file, is_loaded_again
from tb_retrace_plugin.capture.code.key_defaults import DEFAULT
from tb_retrace_plugin.capture.code.python_uses import python_uses
from tb_retrace_plugin.capture.code.type_questions import type_questions
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Of Keras 3, and of the Keras 2 that TensorFlow takes for `TF_USE_LEGACY_KERAS`.
_KERAS_EXPORTS = "/keras/src/export/"
_KERAS_PIPELINES = ("/keras/src/trainers/data_adapters/", "/tf_keras/src/engine/data_adapter.py")
_KERAS_ARRAYS = ("/data_adapters/array_data_adapter.py", "/tf_keras/src/engine/data_adapter.py")
_KERAS_TRAINERS = ("keras/src/backend/tensorflow/trainer.py", "keras/src/engine/training.py")
#: `for x in dataset` that AutoGraph converts; `while` and `if` of a graph that a tape records within another's.
_CONTROL_FLOW = ("/data/ops/dataset_autograph.py", "/python/ops/while_v2.py", "/python/ops/cond_v2.py")
#: Where `tf.data` makes a function of what goes from one element to the next.
_CARRY = {("reduce", "dataset_ops.py"), ("__init__", "scan_op.py"), ("_make_reduce_func", "grouping.py")}
_DEFINES = ("def ", "async def ")
#: In a line of its own, by a name alone.
_DECORATOR = re.compile(r"@(\w+)(?:\(.*\))?$")
#: Of TensorFlow and of Python, which make no tf.function.
_OTHER_DECORATOR = re.compile(
    r"@(?:\w+\.)*(?:do_not_convert|custom_gradient|recompute_grad|with_name_scope|staticmethod|classmethod)\b"
)
_MOST_DECORATORS = 5
#: Defaults that are told, and of how many characters.
_PLAIN = frozenset({bool, int, float, str})
_MAX_DEFAULT = 60
#: In a variant, before the digest of code that lies where other code did.
_EDITED = " edited "
#: A function that is traced again and again is read once, until it is given other code (as by IPython's autoreload).
_known: weakref.WeakKeyDictionary[FunctionType, tuple[CodeType, pb.Function]] = weakref.WeakKeyDictionary()
_qualnames: ByCode[str] = ByCode()


def function_of(function: Any) -> pb.Function:
    """Name, qualified name, file and line of the Python function behind a tf.function (or tf.data) trace.

    Not the caller's to change: of a plain function it is the same each time.
    """
    if type(function) is not FunctionType:
        return _read(function)
    known = _known.get(function)
    if known is None or known[0] is not function.__code__:
        known = _known[function] = function.__code__, _read(function)
    return known[1]


def _read(function: Any) -> pb.Function:
    own_code = getattr(function, "__code__", None)
    code = own_code or getattr(type(function).__call__, "__code__", None)
    name = getattr(function, "__name__", None) or type(function).__name__
    qualname = _own_qualname(function, own_code) or (name if own_code or not code else f"{name}.__call__")
    place = code if own_code or code is None else _written_by_the_user(function, code)
    place = place or _of_a_decorated_call(function)
    file, line = (str(place.co_filename), int(place.co_firstlineno)) if place is not None else ("", 0)
    if "__autograph_generated_file" in file:
        file, line, qualname = before_autograph(file, line, str(qualname))
    elif (wrapped := _generated_within(function)) is not None:  # whose name `functools.wraps` has taken
        place_within = str(wrapped.co_filename), int(wrapped.co_firstlineno)
        qualname = before_autograph(*place_within, str(qualname))[2]
    file = first_file(file)
    written = as_written(function) if type(function) is FunctionType else function
    source = place if written is function else written.__code__
    library, variant = not file or not is_user_file(file), _variant(function, code)
    loaded_again = False
    if isinstance(place, CodeType) and (not library or file == "<string>"):  # which `exec` gives to all
        if digest := edited(file, line, str(qualname), variant, place):
            variant = f"{variant}{_EDITED}{digest}".lstrip()
        else:
            loaded_again = is_loaded_again(file, line, str(qualname), variant, place)
    return pb.Function(
        name=str(name),
        qualname=str(qualname),
        file=file,
        line=line,
        library=library,
        variant=variant,
        keyword_only=_keyword_only(code) or tf_seam.restored_keyword_only(function),
        with_default=_with_default(function, code),
        undecorated=own_code is not None and is_user_file(file) and _is_undecorated(function, place, str(qualname)),
        type_questions=type_questions(source),
        python_uses=python_uses(source, written),
        loaded_again=loaded_again,
        counted=counters(source),
    )


def _own_qualname(function: Any, own_code: Any) -> str | None:
    """As its `def` has it: a factory may name each of what it makes (`step.__qualname__ = f"step_{i}"`), and all are
    one code. Of what `functools.wraps` has named it is that of the function within, which tells its wrappers apart."""
    qualname: str | None = getattr(function, "__qualname__", None)
    if type(function) is not FunctionType or hasattr(function, "__wrapped__"):
        return qualname
    if not is_user_file(str(own_code.co_filename)) or "__autograph_generated_file" in str(own_code.co_filename):
        return qualname
    found: str | None = getattr(own_code, "co_qualname", None)  # since Python 3.11
    return found or first_qualname(own_code, str(qualname))


def _generated_within(function: Any) -> CodeType | None:
    """The code of what is wrapped, if AutoGraph has generated that."""
    for _ in range(_MOST_DECORATORS):
        function = getattr(function, "__wrapped__", None)
        code = getattr(function, "__code__", None)
        if code is not None and "__autograph_generated_file" in code.co_filename:
            return code if isinstance(code, CodeType) else None
    return None


def first_qualname(code: CodeType, qualname: str) -> str:
    """Under which a code was seen first: there is but one `def` of it, whatever what it makes is named."""
    known = _qualnames.get(code)
    return _qualnames.put(code, qualname) if known is None else known


def _is_undecorated(function: Any, code: Any, qualname: str) -> bool:
    """Where there are decorators, a function's first line is the first one's: those of the user's own (as far as they
    are functions and classes by name) call `tf.function` elsewhere, if one does. Not known of what AutoGraph converted.

    What takes any arguments may be what a decorator makes of another function, which is decorated.
    """
    if "<locals>" in qualname and code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return False
    file, first = str(code.co_filename), code.co_firstlineno
    if "__autograph_generated_file" in code.co_filename:
        return False
    for number in range(first, first + _MOST_DECORATORS):
        line = linecache.getline(file, number).strip()
        if line.startswith(_DEFINES):
            return True
        if _OTHER_DECORATOR.match(line):
            continue
        named = _DECORATOR.match(line)
        made = getattr(function, "__globals__", {}).get(named[1]) if named is not None else None
        of_class = (one for one in vars(made).values() if type(one) is FunctionType) if type(made) is type else ()
        codes = [one.__code__ for one in ([made] if type(made) is FunctionType else of_class)]
        if not codes or not all(is_user_file(one.co_filename) for one in codes):
            return False
    return False


def _of_a_decorated_call(called: Any) -> Any:
    """The code of an object's `__call__` that is a tf.function, which has traces of its own; None if it is none."""
    function = getattr(type(called).__call__, "python_function", None)
    return function.__code__ if type(function) is FunctionType else None


def _written_by_the_user(called: Any, code: Any) -> Any:
    """The code of what `called`, a Keras model or layer, has for its user to write; else that of its `__call__`."""
    if not is_user_file(str(code.co_filename)):
        own = getattr(getattr(type(called), "call", None), "__code__", None)
        if isinstance(own, CodeType) and is_user_file(str(own.co_filename)):
            return own
    return code


def _keyword_only(code: Any) -> tuple[str, ...]:
    if not isinstance(code, CodeType) or not code.co_kwonlyargcount:
        return ()
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


def _with_default(function: Any, code: Any) -> tuple[str, ...]:
    defaults, keyword_defaults = getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
    if not isinstance(code, CodeType) or not (defaults or keyword_defaults):
        return ()
    names = code.co_varnames[: code.co_argcount]
    return (*names[len(names) - len(defaults or ()) :], *(keyword_defaults or ()))


def values_by_default(function: Any) -> Iterator[str]:
    """`rate: 0.5 by default`, of numbers and texts: what a call with `**options` may leave out."""
    code, defaults = getattr(function, "__code__", None), getattr(function, "__defaults__", None) or ()
    known = dict(zip(_with_default(function, code), defaults, strict=False))
    for name, value in (known | (getattr(function, "__kwdefaults__", None) or {})).items():
        if type(value) in _PLAIN and len(text := repr(value)) <= _MAX_DEFAULT:
            yield f"{name}: {text}{DEFAULT}"


def key_of(function: pb.Function) -> tuple[str, int, str, str]:
    """What makes two function objects the same code."""
    return (function.file, function.line, function.qualname, function.variant)


def place_of(function: pb.Function) -> tuple[str, int, str, str]:
    """As `key_of`, whatever the code that lies there is edited to, or compiled from anew."""
    return (function.file, function.line, function.qualname, function.variant.partition(_EDITED.strip())[0].rstrip())


def _variant(function: Any, code: Any) -> str:
    """Where in its line a lambda begins (Python 3.11 and later), else a digest of what it does."""
    if not isinstance(code, CodeType) or code.co_name != "<lambda>":
        return tf_seam.restored_name(function)
    if sys.version_info >= (3, 11):
        columns = [column for _, _, column, _ in code.co_positions() if column]
        return str(min(columns, default=""))
    return blake2b(code.co_code + repr(code.co_names).encode(), digest_size=4).hexdigest()


def is_made_by_each_call(function: pb.Function) -> bool:
    """True for what `tf.vectorized_map` and a tape's `jacobian` trace when they are called outside a tf.function."""
    return function.name == "f" and function.library and "parallel_for" in function.file


def stands_in(function: pb.Function) -> bool:
    """True for what TensorFlow runs in place of a tf.function whose first call failed: the default of its options."""
    own = "/eager/polymorphic_function/tracing_compilation.py"
    return function.library and function.file.replace("\\", "/").endswith(own)


def is_made_by_each_compile(function: pb.Function) -> bool:
    """True for Keras' own steps of training, evaluation and prediction: `compile` throws away those that there are."""
    return function.library and function.file.replace("\\", "/").endswith(_KERAS_TRAINERS)


def is_in_a_pipeline_of_keras(function: pb.Function, stack: pb.Stack) -> bool:
    """True for what Keras makes of arrays, generators and PyDatasets that a model is called on."""
    files = [frame.file.replace("\\", "/") for frame in stack.frames] if function.library else []
    return any(part in file for file in files for part in _KERAS_PIPELINES)


def is_made_of_arrays(function: pb.Function) -> bool:
    """True for what Keras makes of arrays alone, in each call of a model on them."""
    is_in_their_file = function.file.replace("\\", "/").endswith(_KERAS_ARRAYS)
    return function.library and is_in_their_file and not is_of_class_weights(function)


def is_of_class_weights(function: pb.Function) -> bool:
    """True for what Keras maps a dataset with in each call with `class_weight`."""
    return function.library and "class_weight" in function.name


def is_a_call_of_a_model(frame: pb.Frame) -> bool:
    """True for the method of a Keras model that makes such, as others call it."""
    return frame.function in ("fit", "evaluate", "predict") and not frame.user


def runs_what_it_is_given(frames: Sequence[pb.Frame]) -> bool:
    """True for what `Dataset.reduce` or `save` runs at each call, where other methods build a dataset of it.

    `frames`: innermost first.
    """
    between = itertools.takewhile(lambda frame: not frame.user, frames)
    return any(f.function in ("reduce", "save") and "/data/ops/" in f.file.replace("\\", "/") for f in between)


def carries_a_state(frames: Sequence[pb.Frame]) -> bool:
    """True for what `scan`, `reduce` or `group_by_reducer` passes the state that it returned before, and an element."""
    between = itertools.takewhile(lambda frame: not frame.user, frames)
    return any((frame.function, frame.file.replace("\\", "/").rpartition("/")[2]) in _CARRY for frame in between)


def is_restored(function: pb.Function) -> bool:
    """True for a function of a SavedModel that was loaded."""
    return function.library and function.file.replace("\\", "/").endswith("/saved_model/function_deserialization.py")


def is_made_by_each_iterator(function: pb.Function) -> bool:
    """True for what fetches a dataset's elements for the devices that it is distributed to."""
    return function.library and function.file.replace("\\", "/").endswith("data/ops/multi_device_iterator_ops.py")


def is_of_a_loop(function: pb.Function) -> bool:
    """True for what TensorFlow makes of a loop or a condition of the function that is traced around it."""
    return function.library and function.file.replace("\\", "/").endswith(_CONTROL_FLOW)


def is_made_by_each_export(function: pb.Function, stack: pb.Stack) -> bool:
    """True for what Keras makes of a model when it exports it, to whatever format."""
    return function.library and any(_KERAS_EXPORTS in frame.file.replace("\\", "/") for frame in stack.frames)


def is_variable_initializer(function: pb.Function) -> bool:
    """True for the helper that TensorFlow traces to initialize variables which a first call created."""
    return function.name == "initialize_variables" and function.library and "polymorphic_function" in function.file
