"""What a function is that Keras or TensorFlow made, told by the calls of the user's: its name means nothing to them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tb_retrace_plugin.explain.words.place import is_of_keras, is_of_keras_or_tensorflow
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Of Keras 3, and of the Keras 2 that TensorFlow takes for `TF_USE_LEGACY_KERAS`.
_STEPS = ("keras/src/backend/tensorflow/trainer.py", "keras/src/engine/training.py")
_PIPELINES = ("/data_adapters/", "/tf_keras/src/engine/data_adapter.py")
_OF_ARRAYS = ("ArrayDataAdapter.", "TensorLikeDataAdapter.")
_DATASETS = "/tensorflow/python/data/"
#: By the end of its file, what is made wherever the user calls something: its role, and short.
_WHEREVER = {
    "/tensorflow/python/saved_model/function_deserialization.py": (
        "a function of a SavedModel that was loaded", "SavedModel",
    ),
    "/tensorflow/python/eager/forwardprop.py": (
        "a function that `tf.autodiff.ForwardAccumulator` traces for a kind of operation", "ForwardAccumulator",
    ),
    "/tensorflow/python/data/ops/multi_device_iterator_ops.py": (
        "a part of the iterators over a distributed dataset", "iterators",
    ),
    "/tensorflow/python/eager/polymorphic_function/tracing_compilation.py": (
        "what TensorFlow runs in place of a tf.function whose first call failed", "first call failed",
    ),
    "/tensorflow/python/data/ops/dataset_autograph.py": ("the body of a `for` loop over a dataset", "for loop"),
}  # fmt: skip
#: Methods of a model that run its steps; `fit` evaluates in between.
_RUN_STEPS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
#: What stands around the functions that a user calls, by the name of a frame.
_AROUND = frozenset({
    "binary_op_wrapper", "error_handler", "get_concrete_function", "inner", "new_func",
    "op_dispatch_handler", "wrapped", "wrapper",
})  # fmt: skip
LAMBDA = "<lambda>"
#: What the variant begins with of the function that tf.data makes of a tf.function.
OF_A_DATASET = "tf.data"
_CLASS_WEIGHTS = "class_weights_map_fn"
#: Says to everybody what it does.
_INITIALIZER = "initialize_variables"
_MOST_CALLS = 3
_PART = "a part of "


class MadeBy(NamedTuple):
    """`role`: as in "a part of the input pipeline that `fit` makes of arrays". `label`: short, and its name."""

    role: str
    label: str


def is_of_a_trainer(file: str) -> bool:
    """Whether it is where Keras makes functions of a model's steps."""
    return file.replace("\\", "/").endswith(_STEPS)


def is_of_a_pipeline(file: str) -> bool:
    """Whether it is what Keras makes a dataset of arrays with."""
    return any(part in file.replace("\\", "/") for part in _PIPELINES)


def made_by(function: pb.Function, stacks: Iterable[pb.Stack | None]) -> MadeBy | None:
    """None of the user's functions, of other libraries', and of what is called as its user knows it (a layer's class).
    Of a lambda that a dataset runs, of which a line may have several, what it is given to; of what tf.data makes of a
    tf.function, by what.

    `stacks`: of its traces.
    """
    if function.variant.startswith(OF_A_DATASET):
        return _of_a_tf_function(function, [stack for stack in stacks if stack is not None])
    if not function.library and function.name == LAMBDA:
        return _given(function, [stack for stack in stacks if stack is not None])
    if not function.library or not is_of_keras_or_tensorflow(function.file):
        return None
    if function.name[:1].isupper() or function.name == _INITIALIZER:
        return None
    known = [stack for stack in stacks if stack is not None]
    calls = list(dict.fromkeys(call for stack in known if (call := _call(function, stack))))
    named = _listed([f"`{call}`" for call in calls])
    short = ", ".join(calls[:_MOST_CALLS])
    makes, runs = ("makes", "runs") if len(calls) == 1 else ("make", "run")
    for file, told in _WHEREVER.items():
        if _plain(function.file).endswith(file):
            return _made(*told, function)
    if not calls:
        return None
    if is_of_a_trainer(function.file):
        is_loop = function.name.startswith("multi_")
        what = "loop over batches" if is_loop else "step"
        on_a_batch = "" if is_loop or all(call.endswith("_on_batch") for call in calls) else " on a batch"
        return _made(f"the {what} that {named} {runs}{on_a_batch}", f"{what.split()[0]} of {short}", function)
    if function.name.endswith(_CLASS_WEIGHTS):
        return _made(f"what {named} {makes} of `class_weight`", f"class_weight of {short}", function)
    of_what = _listed(list(dict.fromkeys(of for stack in known if (of := _passed(function, stack)))))
    if of_what:
        what = "input pipeline" if is_of_a_pipeline(function.file) else "dataset"
        return _made(f"{_PART}the {what} that {named} {makes} of {of_what}", f"pipeline of {short}", function)
    if any(_DATASETS in _plain(frame.file) for stack in known for frame in _between(stack)):
        return _made(f"{_PART}the dataset that {named} {makes}", f"dataset of {short}", function)
    return _made(f"a function that {named} {'traces' if len(calls) == 1 else 'trace'}", short, function)


def role_of(function: pb.Function, stacks: Iterable[pb.Stack | None]) -> str:
    """ "" of what its user wrote, and may know by its name."""
    made = made_by(function, stacks)
    return made.role if made is not None else ""


def _of_a_tf_function(function: pb.Function, stacks: Iterable[pb.Stack]) -> MadeBy:
    calls = _calls_of_datasets(function, stacks)
    made = f"what {_listed([f'`{call}`' for call in calls])} {'makes' if len(calls) == 1 else 'make'}"
    return _made(
        f"{made if calls else 'what `tf.data` makes'} of a tf.function",
        ", ".join(calls[:_MOST_CALLS]) or "tf.data",
        function,
    )


def _calls_of_datasets(function: pb.Function, stacks: Iterable[pb.Stack]) -> list[str]:
    """Those of the user's."""
    of_datasets = [one for one in stacks if any(_DATASETS in _plain(frame.file) for frame in _between(one))]
    return list(dict.fromkeys(call for stack in of_datasets if (call := _call(function, stack))))


def _given(function: pb.Function, stacks: Iterable[pb.Stack]) -> MadeBy | None:
    calls = _calls_of_datasets(function, stacks)
    if not calls:
        return None
    are = "is" if len(calls) == 1 else "are"
    named = _listed([f"`{call}`" for call in calls])
    return _made(f"the lambda that {named} {are} given", ", ".join(calls[:_MOST_CALLS]), function)


def _made(role: str, label: str, function: pb.Function) -> MadeBy:
    return MadeBy(role, f"{label} · {function.name}")


def named_text(name: str, role: str) -> str:
    """`` `step` ``; of what is known by its role: ``the step that `fit` runs on a batch (`one_step_on_data`)``."""
    quoted = "`" + name.replace("`", "'") + "`"
    return f"{role} ({quoted})" if role else quoted


def whole_of(role: str) -> str:
    """What that is a part of; "" if it is none."""
    return role.removeprefix(_PART) if role.startswith(_PART) else ""


def as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _between(stack: pb.Stack) -> Iterator[pb.Frame]:
    """The libraries' frames below the innermost line of the user's, innermost first; none where it is not known."""
    if any(frame.user for frame in stack.frames):
        yield from itertools.takewhile(lambda frame: not frame.user, stack.frames)


def _call(function: pb.Function, stack: pb.Stack) -> str:
    """What the user called, by its name; of a step the method that runs it, which `fit` may have called."""
    frames = [frame for frame in _between(stack) if is_of_keras_or_tensorflow(frame.file)]
    if is_of_a_trainer(function.file):
        runs = (f.function for f in frames if f.function in _RUN_STEPS and is_of_keras(f.file))
        return next(runs, "")
    called = next((f.function for f in reversed(frames) if f.function not in _AROUND), "")
    return "" if called.startswith("_") else called  # an iteration or an object that is called or made: by no name


def _passed(function: pb.Function, stack: pb.Stack) -> str:
    """What Keras made a dataset of; "" if it is no such part."""
    if is_of_a_pipeline(function.file):
        return "arrays" if function.qualname.startswith(_OF_ARRAYS) else "what it is passed"
    if _DATASETS not in _plain(function.file):
        return ""
    adapters = [frame for frame in _between(stack) if is_of_a_pipeline(frame.file)]
    if not adapters:
        return ""
    if any("py_dataset" in frame.file for frame in adapters):
        return "a PyDataset"
    # of Keras 2, where what is made of a Sequence begins with what is made of a generator
    return "a Sequence" if any(frame.source.startswith("super().") for frame in adapters) else "a generator"


def _listed(texts: list[str]) -> str:
    shown = texts[:_MOST_CALLS]
    if len(texts) > len(shown):
        shown.append(f"{len(texts) - len(shown)} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _plain(file: str) -> str:
    return file.replace("\\", "/")
