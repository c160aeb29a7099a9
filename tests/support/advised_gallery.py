"""Where in the gallery's programs their advice goes: a line for each piece that promises a number of traces."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.advised_source import DECORATOR, METHODS, Edit


@dataclass(frozen=True)
class Put:
    """Edits as in `advised_source.advised`."""

    program: str
    function: str
    rule: str
    edits: tuple[Edit, ...]
    own: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        return f"{self.program}-{self.function}-{self.rule}"


RELAXED = "@tf.function(reduce_retracing=True)"
LAYER = "    layer = keras.layers.Conv2D(2, 3)  # to change: move this line above the function\n"
#: Layers are built before the first call: the advice says that it assumes so.
BUILT = "layer = keras.layers.Conv2D(2, 3)\nlayer.build([1, 8, 8, 1])\n@tf.function\n"
PREDICT_ON_BATCH = (
    (("ON BATCH", "model.predict_on_batch(np.ones((2, 4), np.float32))"),),
    (("model.predict(np.ones((2, 4), np.float32), verbose=0)", "ON BATCH"),),
)

PUTS = (
    Put(
        "batches_with_other_keys",
        "loss",
        "same_keys",
        (("SET", "batch.setdefault('mask', tf.ones([2], tf.float32))"),),
        (
            (
                'print(loss({"parts": [part, part]}).numpy())',
                "for batch in BATCHES:\n    SET\n    print(loss(batch).numpy())",
            ),
            (
                'print(loss({"parts": [part, part], "mask": tf.constant([1.0, 0.0])}).numpy())',
                "",
            ),
            (
                'print(loss({"parts": [part, part, part]}).numpy())',
                "",
            ),
            (
                "BATCHES",
                '{"parts": [part] * 2}, {"parts": [part] * 2, "mask": tf.constant([1.0, 0.0])}, {"parts": [part] * 3}',
            ),
        ),
    ),
    Put(
        "concrete_functions_for_export",
        "scaled",
        "tensor_for_python_number",
        (
            (
                "scaled.get_concrete_function(tf.TensorSpec([None, 4]), 2.0)",
                "scaled.get_concrete_function(tf.TensorSpec([None, 4]), tf.constant(2.0))",
            ),
            (
                "scaled.get_concrete_function(tf.TensorSpec([None, 4]), 0.5)",
                "scaled.get_concrete_function(tf.TensorSpec([None, 4]), tf.constant(0.5))",
            ),
            ("BY", "tf.constant(2.0)"),  # at every call, the one that was served too
        ),
        (("scaled(tf.ones([rows, 4]), 2.0)", "scaled(tf.ones([rows, 4]), BY)"),),
    ),
    Put(
        "dataset_iterators",
        "first",
        "alike_datasets",
        (("HOW", "batch"),),
        (("batch(4, drop_remainder=True)", "HOW(4)"),),
    ),
    Put(
        "dtype_of_an_argument",
        "add",
        "one_dtype",
        (
            (
                "print(add(x, tf.constant([0.5, 0.5])).numpy())",
                "print(add(tf.cast(x, tf.float32), tf.constant([0.5, 0.5])).numpy())",
            ),
        ),
    ),
    Put(
        "equal_looking_objects",
        "scaled",
        "equal_objects",
        (("# METHODS\n", METHODS),),
        (("        self.scale = scale\n", "        self.scale = scale\n\n# METHODS\n"),),
    ),
    Put(
        "hash_without_eq",
        "scaled",
        "equal_objects",
        (("# METHODS\n", METHODS),),
        (("    def __hash__(self) -> int:\n        return hash(self.scale)\n", "# METHODS\n"),),
    ),
    Put(
        "function_defined_in_a_loop",
        "square",
        "create_function_once",
        (("ONCE", "@tf.function\ndef square(x):"),),
        (
            ("for number in range(3):\n\n", ""),
            ("    @tf.function  # to change: move the function above the loop\n", ""),
            ("    def square(x: tf.Tensor) -> tf.Tensor:\n        return", "ONCE\n    return"),
            ("    print(", "for number in range(3):\n    print("),
        ),
    ),
    *(
        Put("keras_predict_in_a_loop", name, "keras_predict_once", *PREDICT_ON_BATCH)
        for name in ("permutation", "slice_batch_indices", "grab_batch")
    ),
    Put(
        "layer_created_on_every_call",
        "blur",
        "create_variables_outside",
        (("ONCE", "def blur(image):"),),
        ((LAYER, ""), ("def blur(image: tf.Tensor) -> tf.Tensor:", "ONCE"), ("@tf.function\n", BUILT)),
    ),
    Put(
        "layer_created_on_every_call_other_batch",
        "blur",
        "create_variables_outside+input_signature",
        (("@tf.function", DECORATOR),),
        ((LAYER, ""), ("@tf.function\n", BUILT)),
    ),
    Put(
        "layer_created_on_every_call_other_batch",
        "blur",
        "create_variables_outside",
        (("ONCE", "def blur(images):"),),
        ((LAYER, ""), ("def blur(images: tf.Tensor) -> tf.Tensor:", "ONCE"), ("@tf.function\n", BUILT)),
    ),
    Put(
        "method_of_throwaway_instances",
        "smooth",
        "one_instance",
        (("Smoother().smooth(", "smoother.smooth("),),
        (("for _ in", "smoother = Smoother()\nfor _ in"),),
    ),
    Put(
        "nested_functions",
        "entropy",
        "input_signature",
        (("@OUTER", DECORATOR),),
        (("@tf.function  # to", "@OUTER  # to"),),
    ),
    Put(
        "nested_functions",
        "normalized",
        "input_signature",
        (("@INNER", DECORATOR),),
        (("@tf.function\ndef normalized", "@INNER\ndef normalized"),),
    ),
    Put(
        "number_from_the_enclosing_function",
        "power",
        "pass_closed_over_number",
        (("ONCE", "@tf.function\ndef power(x, exponent):"), ("CALL", "power(x, tf.constant(exponent))")),
        (
            ("def make_power(exponent: float) -> Any:\n    @tf.function\n", ""),
            ("    def power(x: tf.Tensor) -> tf.Tensor:", "ONCE"),
            ("\n    return power\n", "\nx = tf.constant(3.0)\n"),
            ("make_power(exponent)(tf.constant(3.0))", "CALL"),
        ),
    ),
    Put(
        "numpy_arrays_of_two_dtypes",
        "spread",
        "one_dtype",
        (
            (
                "print(spread(np.array([1.0, 2.0, 4.0])).numpy())",
                "print(spread(tf.cast(np.array([1.0, 2.0, 4.0]), tf.float32)).numpy())",
            ),
            ("LAST", "tf.float32"),
        ),
        (("spread(np.array([3.0, 7.0, 9.0]))", "spread(tf.cast(np.array([3.0, 7.0, 9.0]), LAST))"),),
    ),
    Put(
        "python_number_in_a_loop",
        "learning_rate",
        "tensor_for_python_number",
        (("print(learning_rate(step).numpy())", "print(learning_rate(tf.constant(step)).numpy())"),),
    ),
    Put("python_number_or_tensor", "resize", "input_signature", (("@tf.function", DECORATOR),)),
    Put(
        "python_number_or_tensor",
        "resize",
        "tensor_for_python_number",
        tuple(
            (
                f"print(resize(tf.ones([1, {n}, {n}, 3]), 50).shape)",
                f"print(resize(tf.ones([1, {n}, {n}, 3]), tf.constant(50)).shape)",
            )
            for n in (100, 120)
        ),
    ),
    Put("ragged_tensors", "words_per_text", "input_signature", (("@tf.function", DECORATOR),)),
    Put("rank_of_an_argument", "norm", "input_signature", (("@tf.function", DECORATOR),)),
    Put("rank_of_an_argument", "norm", "reduce_retracing", (("@tf.function", RELAXED),)),
    Put("several_threads", "total", "input_signature", (("@tf.function", DECORATOR),)),
    Put("several_threads", "total", "reduce_retracing", (("@tf.function", RELAXED),)),
    Put("shape_of_a_matrix", "total", "input_signature", (("@tf.function", DECORATOR),)),
    Put("shape_of_an_argument", "total", "input_signature", (("@tf.function", DECORATOR),)),
    Put("shape_of_an_argument", "total", "reduce_retracing", (("@tf.function", RELAXED),)),
    Put(
        "tf_data_functions",
        "double",
        "build_dataset_once",
        (("ONCE", "dataset = tf.data.Dataset.range(3).map(double)"),),
        (
            ("    dataset = tf.data.Dataset.range(3).map(double)", "    pass"),
            ("for _ in", "ONCE\nfor _ in"),
        ),
    ),
)

#: (program, function, rule) of advice that promises no number.
WITHOUT_A_NUMBER = {
    ("compiled_again_for_each_shape", "total", "pad_for_xla"),
    ("batches_with_other_keys", "loss", "same_structure"),
}
#: Programs with an avoidable trace and no advice, and why.
NO_ADVICE = {"failed_trace": "no call with that shape can work: the shape itself has to be mended"}
