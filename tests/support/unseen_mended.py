"""Programs of tests/support/unseen with their advice put in by hand."""

from __future__ import annotations

#: Program -> what to change in it, as its advice says -> rule of that advice.
MENDED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "optimizer_of_each_step": ("same_object", [
        (r"^    optimizer = make_optimizer\(\)\n(?=    loss)", ""),
        (r"^for start", "optimizer = make_optimizer()  # once, before the loop\n\\g<0>"),
    ]),
    "prices_of_each_day": ("tensor_for_python_sequence", [(r"2\.0\), prices\)", "2.0), tf.constant(prices))")]),
    # one of each kind is kept
    "augmenters_in_turns": ("pass_numbers_of_object", [
        (r"x, settings: x(.*)settings\.strength", r"x, strength: x\1strength"),
        (r"augment\(x, settings\):", "augment(x, settings, settings_number):"),
        (r"\(x, settings\)$", "(x, settings_number)"),
        (r"^for epoch", "kept = {kind: Settings(0.0, kind) for kind in KINDS}\n\\g<0>"),
        (r"Settings\(0\.1 \* epoch, kind\)", "kept[kind], tf.constant(0.1 * epoch)"),
    ]),
    "crops_of_two_kinds": ("same_object+tensor_for_python_number", [
        (r"^for step", "kept_crop = {size: Crop(size) for size in (4, 5)}  # once, before the loop\n\\g<0>"),
        (r"Crop\(4 \+ step % 2\), step\)", "kept_crop[4 + step % 2], tf.constant(step))"),
    ]),
    "critics_of_each_agent": ("trace_beforehand", [(
        r"agent = Agent\(.*\)$",
        "\\g<0>\n    for critic in (agent.critic_a, agent.critic_b):\n"
        "        agent._update.get_concrete_function("
        "tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32), critic)",
    )]),
    "boxes_in_sizes_of_pictures": ("tensor_for_python_number", [
        (r"tf\.constant\((corners|threshold)", r"tf.convert_to_tensor(\1"),
        (
            r"scaled\(boxes, size, threshold\)\.",
            "scaled(boxes, tuple(tf.constant(n, tf.float32) for n in size), tf.constant(threshold)).",
        ),
    ]),
    "losses_of_each_scale": ("same_object+trace_beforehand", [
        (r"^        losses = make_losses\(\)\n", ""),
        (
            r"^for epoch",
            "losses = make_losses()\n"
            "train_step.get_concrete_function(tf.TensorSpec([None, 4], tf.float32),"
            " tf.TensorSpec([None, 2], tf.float32), losses)\n\\g<0>",
        ),
    ]),
    # what comes of it is computed before the call
    "taps_of_a_filter": ("tensor_for_python_number", [
        (r"\* sum\(taps\(count\)\)", "* gain"), (r"signal, count\):", "signal, gain):"),
        (r"\[4\]\), count\)", "[4]), tf.constant(sum(taps(count))))"),
    ]),
    "rounds_of_each_agent": ("create_function_once+trace_beforehand", [(
        r"^        for _ in range",
        "        train_step = self.__dict__.setdefault('step', train_step)\n"
        "        train_step.get_concrete_function(\n"
        "          self.model, tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None, 2], tf.float32), criterion\n"
        "        )\n\\g<0>",
    )]),
    "penalties_of_a_trained_module": ("input_signature", [
        (r"self\.penalty = 0\.5$", "self.penalty = tf.Variable(0.5, trainable=False)"),
        (r"regression\.penalty = penalty$", "regression.penalty.assign(penalty)"),
        (r"@tf\.function$", "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])"),
    ]),
    "samples_of_growing_requests": ("tensor_for_python_number", [
        (r"sample\(count, temperature\)$", "sample(tf.constant(count), tf.constant(temperature, tf.float32))"),
        (r"tf\.random\.normal\(x\.shape\)", "tf.random.normal(tf.shape(x))"),
    ]),
    "members_of_a_population": ("keep_number_in_variable", [
        (r"self\.rate = rate$", "self.rate = tf.Variable(rate)"),
        (r"self\.rate = best\.rate \* 0\.8\n +self\.compile\(\)$", "self.rate.assign(best.rate * 0.8)"),
    ]),
    "iterators_over_replicas": ("alike_datasets", [(r", drop_remainder=training", "")]),
    "weights_that_are_rounded": ("tensor_for_python_number", [(
        r"train_step\(points, weights\)$",
        "train_step(points, {**weights, 'boundary': tf.constant(weights['boundary'])})",
    )]),
    "words_that_are_banned": ("tensor_for_python_sequence+trace_beforehand", [
        (
            r"^for banned",
            "best.get_concrete_function(tf.TensorSpec([], tf.float32), tf.TensorSpec([None], tf.int32))\n\\g<0>",
        ),
        (r", banned\)\)\)$", r", None if banned is None else tf.constant(banned))))"),
    ]),
    "noise_of_a_shape": ("tensor_for_python_number+same_object", [
        (r"noise\(2 \* generation \+ member, parameters.shape, sigma\)",
         "noise(tf.constant(2 * generation + member), tuple(parameters.shape), tf.constant(sigma))"),
    ]),
    "negatives_of_a_last_batch": ("tensor_for_python_number+pad_to_one_shape", [(
        r"train_step\(inputs, labels, (.*)\)$",
        r"train_step(np.resize(inputs, 8), np.resize(labels, (8, 1)), tf.constant(\1, tf.float32))",
    )]),
    "weights_of_several_tasks": ("input_signature", [
        (
            r"@tf.function$",
            "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None], tf.float32)])",
        ),
        (r"^trainer = .*$", r"\g<0>\ntrainer.state.weights = [tf.Variable(one) for one in trainer.state.weights]"),
        (r"weights\[i\] = (.*)$", r"weights[i].assign(\1)"),
    ]),
    "levels_of_a_growing_critic": ("tensor_for_python_number", [(r"\(i \+ 1\) / 4", r"tf.constant(\g<0>)")]),
    "images_of_types_and_sizes": ("one_dtype+trace_beforehand", [
        (r"^serve\(tf\.zeros\(\[10, 12, 3\]",
         r"serve.get_concrete_function(tf.TensorSpec([None, 12, 3], tf.float32))\n"
         r"serve.get_concrete_function(tf.TensorSpec([None, None, 12, 3], tf.float32))\n\g<0>"),
        (r"tf\.zeros\(.*, tf\.uint8\)", r"tf.cast(\g<0>, tf.float32)"),
    ]),
    "texts_of_one_request_or_several": ("tensor_for_python_number+trace_beforehand", [
        (
            r"^(    +)MODELS\[version\] = (Scorer.*)$",
            r"\1MODELS[version] = model = \2\n\1model.score.get_concrete_function("
            "tf.TensorSpec([None], tf.int64), tf.TensorSpec([], tf.float32), None)",
        ),
        (r'request\.get\("temperature", 1\.0\)', r"tf.constant(\g<0>, tf.float32)"),
    ]),
    "molecules_of_a_loader": ("tensor_for_python_number+trace_beforehand", [
        (
            r"^for _ in range\(2\):$",
            "ROWS = {'x': tf.TensorSpec([None, 3], tf.float32), 'ids': tf.TensorSpec([None], tf.int64),"
            " 'n_graphs': tf.TensorSpec([], tf.int32)}\n"
            "step.get_concrete_function(ROWS, True)\nstep.get_concrete_function(ROWS, False)\n\\g<0>",
        ),
        (r"len\(sizes\)}", r"tf.constant(len(sizes))}"),
    ]),
    "examples_of_one_builder": ("build_dataset_once", [
        (r"^for epoch", r"dataset_1 = make_dataset(6)\ndataset_2 = make_dataset(8, train=False)\n\g<0>"),
        (r"in make_dataset\(6\)", "in dataset_1"), (r"in make_dataset\(8, train=False\)", "in dataset_2"),
    ]),
    "shots_of_a_meta_learner": ("input_signature", [
        (
            r"@tf.function$",
            "@tf.function(input_signature=[tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1], tf.float32),"
            " tf.TensorSpec([], tf.int32)])",
        ),
        (r"^learner = .*$", r"\g<0>\nlearner.alpha = tf.Variable(learner.alpha)"),
        (r"learner.alpha = 0.05", "learner.alpha.assign(0.05)"),
    ]),
    "autoencoders_of_two_sizes": ("trace_beforehand", [
        (r"shape=mean\.shape\)", "shape=tf.shape(mean))"),
        (
            r"^    for epoch",
            "    train_step.get_concrete_function(model, tf.TensorSpec([None, 6], tf.float32), optimizer)\n\\g<0>",
        ),
    ]),
    "words_and_how_many": ("tensor_for_python_number+pad_to_one_shape", [
        (r"trainer\.step\(words, targets, state, count\)",
         "trainer.step(tf.pad(words, [[0, 6 - count], [0, 0]]), tf.pad(targets, [[0, 6 - count], [0, 0]]),"
         " state, tf.constant(count, tf.float32))"),
    ]),
    "search_over_settings": ("create_variables_first", [(
        r"^    step = .*$",
        r"    model(x)\n    optimizer.build(model.trainable_variables)\n\g<0>",
    )]),
    "batches_of_a_loader": ("tensor_for_python_number", [
        (r"evaluate\(start_index, end_index\)$", "evaluate(tf.constant(start_index), tf.constant(end_index))"),
        (r"(data_loader\.test_\w+)\[", r"tf.convert_to_tensor(\1)["),
    ]),
    "batches_named_by_strings": ("unused_argument+input_signature", [
        (r"^@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"),
        (r"def total\(x, name\)", "def total(x, name='train')"), (r", name\)$", ", 'train')"),
    ]),
    "methods_of_each_loss": ("pass_number_of_function", [
        (r"def value\(self, x\):", "def value(self, x, weight):"), (r"return self\.weight", "return weight"),
        (r"def step\(loss, x\):", "def step(loss, x, loss_weight):"),
        (r"return loss\(x\)", "return loss(x, loss_weight)"),
        (r"^x = ", "kept_loss = Weighted(0).value\nx = "),
        (
            r"step\((.*)\.value, x\)",
            r"step(kept_loss, x, loss_weight=tf.constant(\1.value.__self__.weight, tf.float32))",
        ),
    ]),
    "readings_that_may_be_missing": ("input_signature", [(
        r"^@tf.function$", "@tf.function(input_signature=[tf.OptionalSpec(tf.TensorSpec([None], tf.float32)),"
        " tf.TensorSpec([], tf.float32)])",
    )]),
    "splits_by_one_builder": ("build_dataset_once", [
        (r"^    train, val = .*\n", ""), (r"data\.dataset\(split\):", "datasets[split]:"),
        (r"in tf\.data\.Dataset\.from_generator.*:", "in of_source[source]:"),
        (r"^total = 0\.0", "of_source = {source: tf.data.Dataset.from_generator(source,"
         " output_signature=tf.TensorSpec([], tf.int32)).map(negated) for source in (ascending, descending)}\n"
         "datasets = {split: data.dataset(split) for split in FILES}\n"
         "train = make(ROWS[:8])\nval = make(ROWS[8:])\ntotal = 0.0"),
    ]),
    "trainers_with_a_mask": ("trace_beforehand", [(
        r"^( +)trainer = .*$",
        r"\g<0>\n\1trainer.step.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), None)"
        r"\n\1trainer.step.get_concrete_function("
        "tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.float32))",
    )]),
    "masks_of_what_is_shifted": ("input_signature", [
        (
            r"^@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32),"
            " tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.float32)])",
        ),
        (r"shifted\.shape\[1\]", "tf.shape(shifted)[1]"),
    ]),
    "iterators_of_two_datasets": ("alike_datasets", [(r", drop_remainder=True", "")]),
    "instances_of_each_request": ("one_instance+input_signature", [
        (r"    @tf.function$", "    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])"),
        (r"^(for rows.*\n)    (scaler =.*\n)", r"\2\1"),
    ]),
    "settings_of_each_request": ("same_object+trace_beforehand", [
        (r"^(for rows.*\n)    (settings =.*\n)", r"\2"
         r"clipped.get_concrete_function(tf.TensorSpec([None, 4], tf.float32), settings)\n\1"),
    ]),
    "closures_of_a_last_batch": ("pass_closed_over_tensor", [
        (r"(?s)^def train_step.*?\n\n\n", "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32),"
         " tf.TensorSpec([None, 1], tf.float32)])\ndef inner_step(x, y):\n    with tf.GradientTape() as tape:\n"
         "        loss = tf.reduce_mean((x @ weight - y) ** 2)\n"
         "    weight.assign_sub(0.1 * tape.gradient(loss, weight))\n    return loss\n\n\n"),
        (r"train_step\(x, y\)$", "inner_step(x, y)"),
    ]),
    "steps_cast_beside_summaries": ("tensor_for_python_number", [(r", step\)$", ", tf.constant(step, tf.int64))")]),
    "datasets_of_each_training": ("tensor_in_dataset", [
        (r"^def training.*\n    mean, std = .*\n", "mean, std = tf.Variable(0.0), tf.Variable(0.0)\n"),
        (r"^    (def prepared|    return \(|train =|test =)", r"\1"),
        (r"^    return \[", "\n\ndef training(epochs):\n    mean.assign(0.5)\n    std.assign(0.2)\n    return ["),
    ]),
    "module_with_a_step": ("input_signature", [(
        r"^@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32),"
        " tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.float32)])",
    )]),
    "finetuned_in_two_phases": ("trace_beforehand", [(
        r"^for phase in (.*):$", r"for phase in \1:\n    train_step.get_concrete_function("
        "tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32), phase)",
    )]),
    "server_with_versions": ("trace_beforehand", [(
        r"^for version", "for model in versions.values():\n    predict.get_concrete_function("
        "model, tf.TensorSpec([None, 3], tf.float32))\nfor version",
    )]),
    "windows_flat_mapped": ("build_dataset_once", [
        (r"^for epoch", "dataset = windows(tf.range(10.0), 3, 1)\nfor epoch"),
        (r"in windows\(tf.range\(10.0\), 3, 1\)", "in dataset"),
    ]),
    "generators_of_each_length": ("input_signature", [
        (r"steps=steps\)\)", "steps=steps), input_signature=[tf.TensorSpec([1, None], tf.int32)])"),
    ]),
    "metrics_of_two_passes": ("trace_beforehand", [(
        r"^for epoch", "update.get_concrete_function("
        "train, tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1], tf.float32), None)\nfor epoch",
    )]),
    "scorer_of_an_export": ("trace_beforehand", [(
        r"^for n in", "scorer.score.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), False)\n"
        "scorer.score.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), True)\nfor n in",
    )]),
    "weights_of_inner_steps": ("tensor_for_python_number+trace_beforehand", [
        (
            r"^for epoch",
            "adapt.get_concrete_function(weights, tf.TensorSpec([None, 1], tf.float32),"
            " tf.TensorSpec([None, 1], tf.float32), 1, tf.TensorSpec([], tf.float32))\n"
            "adapt.get_concrete_function([tf.TensorSpec([1, 4], tf.float32), tf.TensorSpec([4, 1], tf.float32)],"
            " tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1], tf.float32), 3,"
            " tf.TensorSpec([], tf.float32))\nfor epoch",
        ),
        (r"steps=1\)", "steps=1, rate=tf.constant(0.01))"), (r"rate=(0.01 / .*)\)$", r"rate=tf.constant(\1))"),
    ]),
    "weights_by_keyword": ("tensor_for_python_number", [
        (r"content\(real, made, \*\*options\)", "content(real, made, **{k: tf.constant(v) if k == 'weight' else"
         " tf.constant(v, tf.float32) if k == 'sharpness' else v for k, v in options.items()})"),
        (r'weight=options\["weight"\]', 'weight=tf.constant(options["weight"])'),
    ]),
    "limits_beside_masked_values": ("tensor_component", [
        (r"return \(self.limit,\), \(self.values,\)", "return (), (self.values, tf.convert_to_tensor(self.limit))"),
        (r"cls\(\*metadata, \*components\)", "cls(components[1], components[0])"),
    ]),
    "sizes_of_capped_values": ("reduce_retracing", [(r"^@tf.function$", "@tf.function(reduce_retracing=True)")]),
    "penalties_of_subclasses": ("one_instance", [
        (r"^for _ in range\(3\):\n    model = .*", "ridge = Ridge(2.0)\nlasso = Lasso(3.0)\nfor _ in range(3):"),
        (r"model\.loss\(x\)", "ridge.loss(x)"), (r"model\.norm", "ridge.norm"),
        (r"^    other = .*\n", ""), (r"other\.norm", "lasso.norm"),
    ]),
    "folds_of_a_search": ("pass_closed_over_tensor+input_signature", [
        (r"(?s)    @tf.function\n.*?std\n\n", ""),
        (r"^def scaled", "@tf.function(input_signature=[tf.TensorSpec([None, 5], tf.float32),"
         " tf.TensorSpec([5], tf.float32), tf.TensorSpec([5], tf.float32)])\n"
         "def standardize(x, mean, std):\n    return (x - mean) / std\n\n\ndef scaled"),
        (r"standardize\(X\[rows\]\)", "standardize(X[rows], mean, std)"),
    ]),
    "sizes_that_come_again": ("number_in_dataset", [
        (r"^for size in (.*):$", r"size = tf.Variable(6)\ndataset = pipeline(size)\n"
         r"for number in \1:\n    size.assign(number)"),
        (r"in pipeline\(size\)\] == \[size, size\]", "in dataset] == [number, number]"),
    ]),
    "exports_of_each_epoch": ("create_function_once", [
        (r"(?s)    @tf.function\(.*?weights\)}\n\n", ""),
        (r"^def export", "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name='x')])\n"
         "def serve(x):\n    return {'y': tf.matmul(x, module.weights)}\n\n\ndef export"),
    ]),
    "scores_of_partials": ("create_function_once+input_signature", [
        (r"^    score = .*\n", ""), (r"score\(x, 3", "compiled_adapted(x, 3"),
        (r"^def evaluate", "compiled_adapted = tf.function(functools.partial(adapted, steps=2, rate=0.1),"
         " input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.float32)])\n\n\ndef evaluate"),
    ]),
    "rates_beside_replicas": ("input_signature", [
        (r"^@tf.function$", "@tf.function(input_signature=[*distributed.element_spec, tf.TensorSpec([], tf.float32)])"),
    ]),
    "scores_by_class_methods": ("trace_beforehand", [(
        r"^for rows",
        "Scorer.score.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32))\n"
        "weighted.get_concrete_function("
        "tf.TensorSpec([None], tf.float32), gewichte=tf.TensorSpec([None], tf.float32))\nfor rows",
    )]),
    "shares_over_several_lines": ("tensor_for_python_number", [
        (r"0\.5 / \(i \+ 1\)", "tf.constant(0.5 / (i + 1))"), (r"^( +)share,$", r"\1tf.convert_to_tensor(share),"),
    ]),
    "pipelines_in_brackets": ("build_dataset_once", [
        (r"(?s)^for epoch in range\(3\):\n(    dataset = .*?\n    \)\n)", r"if True:\n\1for epoch in range(3):\n"),
    ]),
    "logged_methods": ("one_instance", [
        (r"^for _", "episode = Episode()\nlongepisode = LongEpisode()\nfor _"),
        (r"Episode\(\)\.value", "episode.value"), (r"LongEpisode\(\)\.length", "longepisode.length"),
    ]),
    "partials_of_one_value": ("create_function_once", [
        (r"^for _", "compiled_scaled = tf.function(functools.partial(scaled, 3.0))\n"
         "compiled_total = tf.function(doubled(total))\nfor _"),
        (r"^    compiled = tf.function.func.*\n    print\(float\(compiled\(x", "    print(float(compiled_scaled(x"),
        (r"^    compiled = .*\n    print\(float\(compiled\(x", "    print(float(compiled_total(x"),
    ]),
    "steps_of_pictures_and_summaries": ("tensor_for_python_number", [
        (r"picture, step\)$", "picture, tf.constant(step, tf.int64))"),
        (r"(?s)^for count in .*", ""),  # nothing is promised of a dataset in place of a list
    ]),
    "heatmap_of_each_class": ("tensor_for_python_number", [(r"index=int\(index\)", "index=tf.constant(int(index))")]),
    "windows_of_a_property": ("build_dataset_once", [
        (r"^(window = .*)", r"\1\ndataset_1 = window.train\ndataset_2 = window.val"),
        (r"\(window.train, window.val\)", "(dataset_1, dataset_2)"),
    ]),
    "buffer_of_each_trial": ("one_instance", [
        (r"^for trial", "buffer = Buffer(8)\nfor trial"), (r"^    buffer = Buffer\(8\)\n", ""),
    ]),
    "warm_up_in_float64": ("tensor_for_python_number+one_dtype", [
        (r"np.zeros\(\(16, 4\)\), (.*), 0.0\)", r"tf.cast(np.zeros((16, 4)), tf.float32), \1, tf.constant(0.0))"),
        (r"0.1 \*\* \(epoch \+ 1\)", r"tf.constant(0.1 ** (epoch + 1))"),
    ]),
    "weight_of_each_epoch": ("tensor_for_python_number", [(r"other, w\)$", "other, tf.constant(w, tf.float32))")]),
    "executors_of_agents": ("tensor_for_python_number", [
        (r"seen, self.epsilon\)", "seen, tf.constant(self.epsilon))"),
    ]),
    "frames_of_each_video": ("pass_closed_over_tensor", [
        (r"(?s)    @tf.function.*?start:end\]\n\n", ""),
        (r"slice_driving\((start, min.*?\))\) for", r"slice_driving(\1, video) for"),
        (r"^def animate", "@tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32),"
         " tf.TensorSpec([10, 2, 2, 3], tf.float32)])\ndef slice_driving(start, end, video):\n"
         "    return video[start:end]\n\n\ndef animate"),
    ]),
    "export_under_names": ("input_signature", [(
        r"@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None], tf.int32, name='ids'),"
        " tf.TensorSpec([], tf.float32, name='temperature')])",
    )]),
    "bias_in_some_batches": ("same_keys", [
        (r"^(    )(assert .*score\(batch)", r"\1batch.setdefault('bias', tf.zeros([3], tf.float32))\n\1\2"),
        (r'score\(\{"x": tf.ones\(\[3, 2\]\)\}', 'score({"x": tf.ones([3, 2]), "bias": tf.zeros([3])}'),
    ]),
    "configurations_of_each_epoch": ("pass_numbers_of_object", [
        (r"config\):$", "config, config_number):"), (r"config\.rate \* g", "config_number * g"),
        (r"^config, kernels", "kept_config = Config(0.1)\nconfig, kernels"),
        (r"constant\(0\.5\), config\)$", "constant(0.5), kept_config, config_number=tf.constant(config.rate))"),
        (r"x \* float\(share\)", "x * share"),
        (r"decimal\.Decimal\(n\) / 10\)", "tf.constant(float(decimal.Decimal(n) / 10)))"),
        (r"(?s)def energy.*?return value\(x\)\n", "@tf.function\ndef value(x, kernel_number):\n"
         "    return tf.reduce_sum(tf.exp(-x / kernel_number))\n"),
        (r"energy\(kernels\[n\], (.*)\)$", r"value(\1, tf.constant(kernels[n].scale))"),
        (r"^def pooled\(x, pool\)", "def pooled(x, pool, pool_axis)"), (r"x, pool\.axis\)", "x, pool_axis)"),
        (r"2\]\), pool\)$", "2]), pools[0], pool_axis=tf.constant(pool.axis))"),
    ]),
    "configurations_of_annealed_steps": ("pass_numbers_of_object+tensor_for_python_number", [
        (r"config, temperature\):$", "config, temperature, config_number):"), (r"config\.rate", "config_number"),
        (r"^for step", "kept_config = Config(0.1)\nfor step"),
        (r"Config\((0.1 .*)\), (.*)\)$", r"kept_config, tf.constant(\2), config_number=tf.constant(\1))"),
    ]),
    "objects_beside_a_last_batch": ("pass_numbers_of_object", [
        (r"config, penalty\):$", "config, penalty, config_number, penalty_number):"),
        (r"config\.rate", "config_number"), (r"penalty\.weight \*", "penalty_number *"),
        (r"^for step", "kept_config, kept_penalty = Config(0.1), Penalty(0.5)\nfor step"),
        (r"Config\((0.1 \* \(1 \+ step\))\), Penalty\((.*)\)\)$",
         r"kept_config, kept_penalty, tf.constant(\1), tf.constant(\2))"),
    ]),
    "rows_of_a_range": ("tensor_for_python_sequence", [
        (r"range\(start, start \+ 4\)", "tf.constant(range(start, start + 4))"),
        (r"(?s)^for count in .*", ""),  # nothing is promised of these
    ]),
    "functions_of_a_handler": ("create_function_once", [
        (r"    def handle", "    def make(self):\n"
         "        self.compiled_scaled = tf.function(Handler._scaled, autograph=False)\n"
         "        self.compiled_score = tf.function(functools.partial(self.score, power=2.0))\n"
         "        self.f = tf.function(lambda v: v + 1.0, input_signature=[tf.TensorSpec([], tf.float32)])\n\n"
         "    def handle"),
        (r"tf.function\(Handler._scaled, autograph=False\)\(x\)", "self.compiled_scaled(x)"),
        (r"tf.function\(functools.partial\(self.score, power=2.0\)\)\(scaled\)", "self.compiled_score(scaled)"),
        (r"^        last = .*\n", ""), (r"return last", "return self.f"),
        (r"handler = Handler\(\)", "handler = Handler()\nhandler.make()"),
    ]),
    "grids_with_arrays": ("equal_objects", [(
        r"(    def __init__\(self, size\):\n.*\n)", r"\1" """
    def __eq__(self, other):
        if type(other) is not type(self) or vars(other).keys() != vars(self).keys():
            return False
        return all(np.array_equal(value, vars(other)[name]) for name, value in vars(self).items())

    def __hash__(self):
        return hash(type(self))
""",
    )]),
    "cells_of_a_notebook": ("create_function_once", [
        (r"\(STEP, LOOP\), \(MODEL", "(LOOP,), (MODEL"),
    ]),
    "noise_levels_of_a_diffusion": ("tensor_for_python_number", [
        (r"self\.(alphas|betas)\[t\]", r"tf.gather(self.\1, t)"), (r"denoise\(x, t\)$", "denoise(x, tf.constant(t))"),
    ]),
    "gates_of_a_circuit": ("tensor_for_python_sequence", [
        (r"enumerate\(angles\)", "enumerate(tf.unstack(angles))"), (r"0\.0\]\), angles", "0.0]), tf.constant(angles)"),
    ]),
    "margins_of_a_loss": ("pass_number_of_function", [
        (r"(?s)def train\(.*?(?=    @tf)", ""), (r"(?s)    return \[step.*?\n\n", ""),
        (r"    @tf.function\n    def step\(x\)", "@tf.function\ndef step(x, margin, hard=False)"),
        (r"        value = loss", "    value = hinge(margin)"), (r"        return value \+", "    return value +"),
        (r"    train\(0\.25 \* epoch\)", "    step(tf.ones([2]), tf.constant(0.25 * epoch))"),
        (r"train\(0\.75, hard=True\)", "step(tf.ones([2]), tf.constant(0.75), True)"),
    ]),
    "kl_that_is_annealed": ("tensor_for_python_number", [
        (r"if beta:", "if beta != 0:"), (r"min\(1\.0, epoch / 3\)", "tf.constant(min(1.0, epoch / 3))"),
    ]),
    "closures_of_minibatches": ("pass_closed_over_tensor", [
        (r"(?s)def training_loss_closure.*?return evaluated\(\)", "def closure(batch):\n"
         "    return tf.reduce_mean((2 * batch - scale * batch) ** 2)\n\n\n@tf.function\ndef evaluated(batch):\n"
         "    with tf.GradientTape() as tape:\n        loss = closure(batch)\n"
         "    scale.assign_sub(0.1 * tape.gradient(loss, scale))\n    return loss"),
        (r"minimize\(training_loss_closure\((.*)\)\)$", r"evaluated(\1)"),
        (r"(?s)^for power in .*", ""),  # nothing is promised of a number
    ]),
    "brightness_of_bytes": ("tensor_for_python_number", [
        (r"scaled\(picture, n\)", "scaled(picture, tf.constant(n, tf.uint8))"),
        (r"repeated\(picture, n\)", "repeated(picture, tf.constant(n))"), (r"if times:", "if times != 0:"),
    ]),
    "losses_per_row": ("input_signature", [
        (r"@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])"),
        (r"x.shape\[0\] or 1", "tf.cast(tf.shape(x)[0], tf.float32)"),
        (r"x.get_shape\(\)\[0\]", "tf.cast(tf.shape(x)[0], tf.float32)"),
    ]),
    "tokens_that_are_lengthened": ("tensor_for_python_sequence", [
        (r"tokens \+ \[0\]", "tf.concat([tokens, [0]], 0)"), (r"\(tokens\)\)", "(tf.constant(tokens)))"),
    ]),
    "files_and_keys": ("tensor_for_python_string", [
        (r"load\(file,", "load(tf.constant(file),"), (r"find\(keys\)\.", "find([tf.constant(n) for n in keys])."),
        (r"(?s)^for mode in .*", ""),  # nothing is promised of these
    ]),
    "logs_of_each_epoch": ("tensor_for_python_number", [
        (r"tf.print\(f.epoch \{epoch\}:., ", 'tf.print("epoch", epoch, ":", '),
        (r"\{f.mean_\{epoch\}.: (.*)\}$", r'{"mean": \1}'),
        (r"\(tf.ones\(\[2\]\), epoch\)", "(tf.ones([2]), tf.constant(epoch))"),
    ]),
    "schedules_computed_in_python": ("tensor_for_python_number", [
        (r"math.exp\(", "tf.math.exp("), (r"TEMPERATURES\[step\]", "tf.gather(TEMPERATURES, step)"),
        (r"tf.concat\(\[x\] \* times, 0\)", "tf.repeat(x, times, 0)"),
        (r"decayed\(x, n\)", "decayed(x, tf.constant(n, tf.float32))"),
        (r"(cooled|repeated)\(x, n\)", r"\1(x, tf.constant(n))"),
    ]),
    "optimizer_of_the_users_own": ("trace_beforehand", [
        (r"self.rate = rate", "self.rate = tf.Variable(rate)"),
        (r"^for rows", "step.get_concrete_function(optimizer, tf.TensorSpec([None, 2], tf.float32))\nfor rows"),
        (r"optimizer.rate \*= 0.5", "optimizer.rate.assign(optimizer.rate * 0.5)"),
    ]),
    "advantages_of_episodes": ("tensor_for_python_number+pad_to_one_shape", [(
        r"    advantages\(tf.range\(steps, dtype=tf.float32\), tf.ones\(\[steps \+ 1\]\), lam\)",
        "    rewards, values = tf.range(steps, dtype=tf.float32), tf.ones([steps + 1])\n"
        "    rewards, values = (tf.pad(v, [[0, 5 - steps]]) for v in (rewards, values))\n"
        "    advantages(rewards, values, tf.constant(lam))",
    )]),
    "clip_beside_a_kl_that_decides": ("tensor_for_python_number", [
        (r", clip, kl\)\)", ", tf.constant(clip), tf.constant(kl)))"),
    ]),
    "losses_of_two_deltas": ("one_instance", [
        (r"^for delta in", "hubers = {delta: Huber(delta) for delta in (1.0, 1.5)}\nfor delta in"),
        (r"    Huber\(delta\)\(", "    hubers[delta]("),
        (r"(?s)^for rate in .*", ""),  # nothing of this rule
    ]),
    "activation_with_python_bounds": ("tensor_for_python_number", [
        (r"soft_shrink\(x.*\)$", "soft_shrink(x, tf.constant(-1.0), tf.constant(1.0))"),
    ]),
    "agent_with_a_clip_schedule": ("input_signature", [(
        r"    @tf.function\n",
        "    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None], tf.int64),\n"
        "                                  tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])\n",
    )]),
    "states_that_outgrow_a_constant": ("input_signature", [
        (r"^@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None, 16], tf.float32)])"),
    ]),
    "augmented_images_in_some_batches": ("same_keys", [(
        r"^    loss\(batch", "    batch.setdefault('augmented', {'image': tf.zeros([2, 4], tf.float32)})\n"
        "    batch.setdefault('weights', tf.ones([2], tf.float32))\n    loss(batch",
    )]),
    "default_and_passed_in_a_line": ("tensor_for_python_number", [
        (r"^level = .*", "level = smooth(series, width=tf.constant(3.0))"),
        (r"^diff.*", "difference = smooth(series, width=tf.constant(3.0)) - smooth(series, tf.constant(6.0))"),
        (r"^twice = .*", "twice = smooth(smooth(series, tf.constant(2.0)), width=tf.constant(3.0))"),
    ]),
    "made_of_a_method": ("input_signature", [
        (r"tf.function\(self.eager_serving\)",
         "tf.function(self.eager_serving, input_signature=[{'input_ids': tf.TensorSpec([1, None], tf.int32)}])"),
    ]),
    "cache_that_begins_as_none": ("tensor_for_python_number", [
        (r"^    decode\(", (
            "    if kept is not None: kept['position'] = tf.constant(kept['position'])\n    decode("
        )),
    ]),
    "gradients_of_methods": ("same_object+trace_beforehand", [
        (
            r"^detector, trainer = .*$",
            r"\g<0>\ndetector.func = detector.loss\nkept_step = {True: trainer.train, False: trainer.evaluate}\n"
            "detector.operator.gradient.get_concrete_function("
            "detector.func, tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.int64))\n"
            "for step in kept_step.values():\n"
            "    run_epoch.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), step)",
        ),
        (r"gradient\(self\.loss", "gradient(self.func"),
        (r"run_epoch\(batch, self\.train\) if .*$", "run_epoch(batch, kept_step[training])"),
    ]),
    "bound_method_as_argument": ("same_object", [
        (r"trainer = Trainer\(\)", "trainer = Trainer()\nloss_function = trainer.loss"),
        (r"epoch\(trainer.loss", "epoch(loss_function"),
    ]),
    "keys_that_are_equal": ("input_signature", [(
        r"@tf.function\ndef macro",
        "@tf.function(input_signature=[{0: tf.TensorSpec([None], tf.float32), 1: tf.TensorSpec([None], tf.float32)}])\n"
        "def macro",
    )]),
    "config_object_per_call": ("same_object", [
        (r"^for _ in range\(4\):", "config = Config(0.5, 2)\nfor _ in range(4):"), (r"Config\(0.5, 2\)\)", "config)"),
    ]),
    "epsilon_of_an_agent": ("tensor_for_python_number", [
        (r"epsilon=epsilon", "epsilon=tf.constant(epsilon)"),
        (r"np.float32\)\)  #.*", "np.float32), tf.constant(1.0))"),
    ]),
    "generator_with_a_partial_batch": ("input_signature", [(
        r"@tf.function",
        "@tf.function(input_signature=[tf.TensorSpec([None, 5], tf.float32), tf.TensorSpec([None, 1], tf.float32)])",
    )]),
    "decoder_over_a_dimension": ("pad_to_one_shape", [
        (r"train_step\(tf.constant\(inp\), tf.constant\(targ\)\)",
         "train_step(tf.pad(inp, [[0, 0], [0, 6 - said], [0, 0]]), tf.pad(targ, [[0, 0], [0, 6 - to_say]]))"),
    ]),
    "posteriors_of_each_step": ("pass_tensors_of_object", [
        (r"^def elbo\(dist, x\):$", "def elbo(dist, x, dist_tensors):\n    dist = Normal(*dist_tensors)"),
        (r"^found = ", "kept_dist = None\nfound = "),
        (r"elbo\(posterior, (.*)\)\)\)$", r"elbo(kept_dist, \1, dist_tensors=(posterior.loc, posterior.scale))))"),
    ]),
    "beliefs_with_a_width": ("pass_tensors_of_object", [
        (r"^def score\(belief, x\):$", "def score(belief, x, belief_tensors):\n    belief = Belief(*belief_tensors)"),
        (r"^found = ", "kept_belief = None\nfound = "),
        (
            r"score\(belief, (.*)\)\)\)$",
            r"score(kept_belief, \1, belief_tensors=(belief.loc, tf.constant(belief.width)))))",
        ),
    ]),
    "settings_of_two_functions": ("same_object", [
        (r"^evaluate\(Settings\(\), ", "settings = Settings()\nevaluate(settings, "),
        (r"^kept = Settings\(\)", "kept = settings"), (r"train\(Settings\(\), ", "train(settings, "),
    ]),
    "lambdas_of_several_models": ("input_signature", [
        (r"model\(x\)\)$", "model(x), input_signature=[tf.TensorSpec([None], tf.float32)])"),
    ]),
    "levels_of_a_generator": (
        "tensor_for_python_number", [
            (r", level, alpha\)$", ", level, tf.constant(alpha, tf.float32))"),
            (r"\), step\)$", "), tf.constant(step))"),
        ],
    ),
    "layers_that_fade_in": ("tensor_for_python_number", [(r"\), alpha, level\)", "), tf.constant(alpha), level)")]),
    "numbers_of_other_dtypes": ("tensor_for_python_number", [(
        r", accumulated, gamma, step\)$",
        ", tf.constant(accumulated, tf.float32), tf.constant(gamma, tf.float64), tf.constant(step, tf.int64))",
    )]),
    "kernel_of_each_chain": ("create_function_once+same_object", [
        (r"^def sample\(.*$", ""),
        (r"^    (@tf.function|def one_step.*|    return state .*)$", r"\1"),
        (r"^    for _ in", "def sample(kernel, state):\n    for _ in"),
        (r"^(for _chain.*)\n    (kernel = .*)$", r"\2\n\1"),
    ]),
    "discount_that_is_annealed": ("input_signature", [
        (r"self.gamma = 0.5$", "self.gamma = tf.Variable(0.5)"),
        (r"agent.gamma = (.*)$", r"agent.gamma.assign(\1)"),
        (r"@tf.function", "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"),
    ]),
    "dataset_reads_a_number": ("number_in_dataset", [
        (r"^strength = 0.0", (
            "strength = tf.Variable(0.0)\n"
            "dataset = tf.data.Dataset.from_tensor_slices(x).map(lambda row: row + strength).batch(2)"
        )),
        (r"    strength = 0.1 \* epoch\n    dataset = .*", "    strength.assign(0.1 * epoch)"),
    ]),
    "scales_in_steps_of_a_dataset": ("build_dataset_once", [
        (r"^for epoch in range\(2\):", "dataset = prepared([0.5, 2.0, 3.0])\nfor epoch in range(2):"),
        (r"in prepared\(.*\):", "in dataset:"),
    ]),
    "jit_with_sentences": ("shape_buckets", [
        (r"^@tf.function", (
            "def pad_to_bucket(x, axis, buckets):\n"
            "    missing = next((bucket - x.shape[axis] for bucket in buckets if bucket >= x.shape[axis]), 0)\n"
            "    return tf.pad(x, [[0, missing] if i == axis else [0, 0] for i in range(len(x.shape))])\n\n\n"
            "@tf.function"
        )),
        (r"\+= embed\(tokens, weights\)",
         "+= embed(pad_to_bucket(tokens, 0, (7, 13, 31)), pad_to_bucket(weights, 0, (7, 13, 31)))"),
    ]),
    "lambda_in_a_loop": ("pass_closed_over_number", [
        (r"x = tf.ones\(\[3\]\)", "x = tf.ones([3])\nf = tf.function(lambda v, scale: v * tf.cast(scale, tf.float32))"),
        (r"tf.function\(lambda v: .*", "f(x, tf.constant(scale))"),
    ]),
    "chain_lengths_from_numpy": ("tensor_for_python_number", [
        (r"chain\(10, state, step_size\)", "chain(tf.constant(10), state, step_size)"),
        (r"chain\(20, state, 0.1\)", "chain(tf.constant(20), state, tf.constant(0.1))"),
    ]),
    "loss_of_each_batch": ("pass_closed_over_tensor", [
        (r"(?s)^def minimize.*?\n\n    w", (
            "@tf.function\ndef loss(x, y):\n    return tf.reduce_sum((x * w - y) ** 2)\n\n\ndef minimize(x, y):\n    w"
        )),
        (r"loss\(\)\)", "loss(x, y))"),
    ]),
    "minibatch_as_lists": ("tensor_for_python_number", [
        (r"^learn\((\[.*\]), (\[.*\]), (.*)\)",
         r"learn([tf.constant(n) for n in \1], [tf.constant(n) for n in \2], \3)"),
    ]),
    "names_of_agents": ("unused_argument", [(r"act\(agent, tf.ones", "act('agent_0', tf.ones")]),
    "pairs_closed_over": ("pass_closed_over_tensor", [
        (r"(?s)^def minimize.*?\n\n    w", (
            "@tf.function\ndef loss(pair):\n    x, y = pair\n"
            "    return tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)\n\n\ndef minimize(pair):\n    w"
        )),
        (r"loss\(\) \*", "loss(pair) *"),
    ]),
    "wrapped_at_each_fit": ("create_function_once", [
        (r"    def evaluate", "    @tf.function\n    def evaluate"), (r"        self.evaluate = tf.function.*\n", ""),
    ]),
    "mask_sometimes_missing": ("same_keys", [
        (r"score\(\{\"values\": values\}\)", 'score({"values": values, "mask": tf.ones([3])})'),
    ]),
    "losses_made_per_call": ("same_object", [
        (r"^kept = \[\]", "loss = keras.losses.Huber()"), (r"    kept.append.*\n", ""), (r"kept\[-1\]", "loss"),
    ]),
    "mixed_precision_inputs": ("one_dtype", [(
        r"normalize\(tf.constant\(data\) if .*",
        "normalize(tf.cast(tf.constant(data) if i % 2 else tf.constant(data, tf.float32), tf.float32))",
    )]),
    "numpy_scalars": ("tensor_for_python_number", [
        (r"apply\(tf.ones\(\[2\]\), (0.\d)\)", r"apply(tf.ones([2]), tf.constant(\1))"),
    ]),
    "numpy_numbers_in_a_factory": ("pass_closed_over_number", [
        (r"^def make_step\(rate\):\n    @tf.function\n    def step\(x\):\n        return x \* rate\n\n    return step",
         "@tf.function\ndef step(x, rate):\n    return x * rate"),
        (r"make_step\(rate\)\(x\)", "step(x, tf.constant(rate))"),
    ]),
    "options_as_keywords": ("tensor_for_python_number", [
        (r"gain=(2\.5|2)(\.0)?", r"gain=tf.constant(\1, tf.float32)"),
    ]),
    "factory_of_losses_and_rates": ("pass_closed_over_number", [
        (r"make_step\(loss, rate\):", "make_step(loss):"), (r"def step\(x\)", "def step(x, rate)"),
        (r"^for rate in", "steps = {loss: make_step(loss) for loss in (squared, absolute)}\nfor rate in"),
        (r"step = make_step\(loss, rate\)", "step = steps[loss]"),
        (r"step\(tf.ones\(\[2\]\)\)", "step(tf.ones([2]), tf.constant(rate))"),
    ]),
    "steps_called_in_many_ways": ("tensor_for_python_number", [
        (r"rate=(0.05 / .*)\)", r"rate=tf.constant(\1))"), (r"step\(\*batch\)", "step(*batch, rate=tf.constant(0.1))"),
        (r"limit=limit,", "limit=None if limit is None else tf.constant(limit), rate=tf.constant(0.1),"),
        (r"= clipped\(gradient, limit\)", "= clipped(gradient, tf.convert_to_tensor(limit))"),
    ]),
    "states_of_one_and_of_many": ("trace_beforehand", [(
        r"^for size", "for test in (False, True):\n"
        "    policy.act.get_concrete_function(scale, tf.TensorSpec([None, 4], tf.float32), test)\nfor size",
    )]),
    "flag_beside_last_batches": ("pad_to_one_shape", [(r"batch\((.)\)", r"batch(\1, drop_remainder=True)")]),
    "optimizer_beside_a_last_batch": ("pad_to_one_shape", [(r"batch\(8\)", "batch(8, drop_remainder=True)")]),
    "partials_of_powers": ("pass_closed_over_number+tensor_for_python_number", [
        (r"^def power", "@tf.function\ndef power"),
        (r"^fs = .*\nfor f in fs:", "for n in (2, 3):"),
        (r"f\(tf.constant\(2.0\), scale=(...)\)", r"power(tf.constant(2.0), scale=tf.constant(\1), n=tf.constant(n))"),
    ]),
    "points_of_two_dtypes": ("one_dtype+input_signature", [
        (r"@tf.function", "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float64)])"),
        (r"p.loss_grad\((tf.constant.*)\)$", r"p.loss_grad(tf.cast(\1, tf.float64))"),
    ]),
    "queries_over_a_catalogue": ("tensor_in_dataset", [
        (r"^for number", "variable = tf.Variable([0.0, 0.0])\ndataset = ranked(variable)\nfor number"),
        (r"query = (tf.constant.*)$", r"query = variable.assign(\1)"), (r"in ranked\(query\)", "in dataset"),
    ]),
    "reduce_in_every_epoch": ("reduce_in_a_function", [
        (r"^state = tf", (
            "@tf.function\ndef reduced(prices, state):\n    return prices.reduce(state, add)\n\n\nstate = tf"
        )),
        (r"    state = prices.*$", "    state = reduced(prices, state)"),
    ]),
    "requests_as_lists": ("tensor_for_python_sequence", [(r"infer\(r\)", "infer(tf.constant(r))")]),
    "ridge_of_each_fold": ("pass_closed_over_tensor", [
        (r"^def step_of.*\n", ""), (r"^    @tf.function", "@tf.function"),
        (r"^    def step.*", "def step(rate, x, y, penalty):\n    if True:"),
        (r"^    return step\n", ""), (r"        step = .*\n", ""),
        (r"step\((tf.*)\)\)$", r"step(\1, x, y, tf.constant(penalty)))"),
    ]),
    "pictures_enlarged_by_a_factor": ("input_signature", [
        (r"@tf.function", "@tf.function(input_signature=[tf.TensorSpec([1, None, None, 1], tf.float32),"
         " tf.TensorSpec([], tf.int32)])"),
        (r"picture\.shape\[(\d)\]", r"tf.shape(picture)[\1]"),
    ]),
    "models_with_the_number_of_their_fold": ("trace_beforehand", [
        (r"^    net = Net.*",
         r"\g<0>\n    step.get_concrete_function(net, tf.TensorSpec([None, 4], tf.float32), fold)"),
    ]),
    "partials_with_a_default": ("pass_closed_over_number", [
        (r"^def focal.*", "@tf.function\ndef focal(y, alpha, gamma=2):"), (r"^    loss = .*\n", ""),
        (r"loss\((tf.*)\)$", r"focal(\1, tf.constant(alpha))"),
    ]),
    "limits_in_a_tuple_of_a_dictionary": ("tensor_for_python_number", [
        (r"    update.*", "    limits['r'] = tuple(tf.constant(n) for n in limits['r'])\n"
         "    update([tf.constant(n) for n in rewards], limits)"),
    ]),
    "whole_numbers_of_several_widths": ("one_dtype", [
        (r"shard\(ids\)\.", "shard(tf.cast(ids, tf.int64))."),
        (r"brighten\(picture\)\.", "brighten(tf.cast(picture, tf.int32))."),
        (r"(?s)^by_width = .*", ""),  # nothing is promised of these
    ]),
    "steps_of_a_trainers_rate": ("pass_closed_over_number", [
        (r"step\(gradient\)", "step(gradient, rate)"), (r"self\.rate \*", "rate *"), (r"^    step = .*\n", ""),
        (r"^trainer = Trainer\(\)", "trainer = Trainer()\nstep = trainer.make()"),
        (r"step\(tf.constant\(1.0\)\)", "step(tf.constant(1.0), tf.constant(trainer.rate))"),
    ]),
    "ids_of_text_and_numbers": ("tensor_for_python_sequence", [
        (r"^for ids in .*\n.*\n", ""),  # nothing is promised of these
        (r"row_sums\(\[\[1.0, 2.0\]\]\)", "row_sums(tf.constant([[1.0, 2.0]]))"),
    ]),
    "string_keys_of_a_vocabulary": ("tensor_for_python_string", [
        (r"tokenize\(text\)$", "tokenize(tf.constant(text))"),
    ]),
    "partial_of_a_step": ("pass_closed_over_number", [
        (r"^def step", "@tf.function\ndef step"), (r"    compiled = .*", "    rate = 0.1 / (epoch + 1)"),
        (r"compiled\(tf.ones\(\[2\]\)\)", "step(tf.ones([2]), tf.constant(rate))"),
    ]),
    "sampler_defined_per_call": ("create_function_once", [
        (r"(?s)        @tf.function\n        def chain\(current\):\n(.*?)\n        return", "        return"),
        (r"class Sampler:", (
            "step_size = tf.constant(0.1)\n\n\n@tf.function\ndef chain(current):\n    for _ in tf.range(3):\n"
            "        current = current - step_size * current\n    return current\n\n\nclass Sampler:"
        )),
    ]),
    "sequences_grow_while_decoding": ("input_signature", [(
        r"@tf.function",
        "@tf.function(input_signature=[tf.TensorSpec([2, None], tf.int32), tf.TensorSpec([2, 4], tf.float32)])",
    )]),
    "models_of_an_ensemble": ("trace_beforehand", [
        (r"^(for rows.*)", r"for member in members:\n"
         r"    predict.get_concrete_function(member, tf.TensorSpec([None, 2], tf.float32))\n\1"),
    ]),
    "ragged_rows_and_a_mode": ("trace_beforehand", [
        (r"^(for mode.*)", r"for mode in ('sum', 'max'):\n"
         r"    pool.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32), mode)\n\1"),
    ]),
    "summaries_of_some_steps": ("tensor_for_python_number", [(r", step\)$", ", tf.constant(step, tf.int64))")]),
    "sizes_of_noise": ("tensor_for_python_number", [
        (r"batch_size, decibels\)$", "tf.constant(batch_size), tf.constant(decibels))"),
    ]),
    "shape_from_python": ("tensor_for_python_number", [
        (r"^    resize\(image, size\)$", "    resize(image, tuple(tf.constant(n) for n in size))"),
    ]),
    "generator_dataset_in_every_epoch": ("build_dataset_once", [
        (r"^for epoch in range\(3\):", "epoch = 0\nif True:"),
        (r"^    for batch in", "for epoch in range(3):\n    for batch in"),
    ]),
    "tf_data_in_every_epoch": ("build_dataset_once", [
        (r"^for _ in range\(3\):", "once = dataset()\nfor _ in range(3):"),
        (r"for batch in dataset\(\):", "for batch in once:"),
    ]),
    "settings_of_two_contents": ("same_object+pass_numbers_of_object", [
        (r"settings\):", "settings, settings_rate):"), (r"settings\.rate", "settings_rate"),
        (r"^for rate", "square = lambda x: x * x\nkept_settings = Settings(0.5)\nfor rate"),
        (r"solve\(lambda.*", "solve(square, tf.constant(1.5), kept_settings, settings_rate=tf.constant(rate))"),
    ]),
    "rates_of_all_dtypes": ("one_dtype", [
        (r"descend\(tf.ones\(\[2\]\), (.*)\)$", r"descend(tf.ones([2]), tf.cast(\1, tf.float64))"),
        (r"total\((tf.*)\)$", r"total(tf.cast(\1, tf.float32))"),
    ]),
    "widths_of_layers": ("tensor_for_python_sequence+input_signature", [
        (r"^for widths in .*\n.*\n", ""),  # nothing is promised of these
        (r"embed\(tf.ones\(\[9, 2\]\), tokens", "embed(tf.ones([9, 2]), tf.constant(tokens)"),
        (r"@tf.function\ndef embed", "@tf.function(input_signature=[tf.TensorSpec([9, 2], tf.float32), tf.TensorSpec("
         "[None], tf.int32)])\ndef embed"),
    ]),
    "weights_of_some_batches": ("same_keys", [
        (r"    assert", "    batch.setdefault('weights', tf.ones_like(batch['guess']))\n    assert"),
    ]),
    "losses_scaled_anew": ("pass_number_of_function+tensor_for_python_number", [
        (r"loss, rate\)", "loss, rate, loss_weight)"), (r"loss\(w\)", "loss(w, loss_weight)"),
        (r"    for epoch", "    kept_loss = lambda w, weight: weight * tf.reduce_sum(w * w)\n    for epoch"),
        (r"step\(w, lambda.*, (0.1.*)\)$", r"step(w, kept_loss, tf.constant(\1), loss_weight=tf.constant(weight))"),
    ]),
    "losses_of_a_script": ("pass_closed_over_tensor", [
        (r"(?s)def minimize.*?def step\(\):(.*?)        return loss\n.*?    return loss\n",
         r"@tf.function\ndef step(data):\1        return loss\n"),
        (r"loss = loss_of\(\)", "loss = loss_of(data)"),
        (r"^for number", "def loss_of(data):\n    return tf.reduce_sum(tf.square(w - data))\n\n\nfor number"),
        (r"    print.*", "    step(data)\n    print(step(data).numpy())"),
    ]),
    "rows_beside_what_partials_bind": ("input_signature", [
        (r"keep=True\)\)", "keep=True), input_signature=[tf.TensorSpec([None, 2], tf.float32)])"),
        (r"(\"max\"\)|scale=3.0\))\)", r"\1, input_signature=[tf.TensorSpec([None], tf.float32)])"),
    ]),
    "partials_of_a_method": ("tensor_for_python_number", [(r", k / 2\)", ", tf.constant(k / 2))")]),
    "curriculum_of_lengths_and_ratios": ("tensor_for_python_number+pad_to_one_shape", [(
        r"    unroll\(tf.ones\(\[4, length, 2\]\), ratio\)",
        "    x = tf.pad(tf.ones([4, length, 2]), [[0, 0], [0, 5 - length], [0, 0]])\n    unroll(x, tf.constant(ratio))",
    )]),
    "gradients_summed_over_steps": ("tensor_for_python_number", [
        (r"% every", "% tf.cast(every, tf.int32)"),
        (r", step, 2 if step < 3 else 3\)", ", tf.constant(step), tf.constant(2 if step < 3 else 3, tf.float32))"),
    ]),
    "rates_behind_a_local_name": ("tensor_for_python_number", [
        (r'"rate": 0.1', '"rate": tf.Variable(0.1)'),
        (r'(CONFIG.*) \*= 0.5', r"\1.assign(\1 * 0.5)"),
        (r"0.5 \+ epoch / 10\)", "tf.constant(0.5 + epoch / 10))"),
    ]),
    "prices_in_two_fractions": ("tensor_for_python_number", [
        (r"spot=(spot|99.5)", r"spot=tf.constant(\1)"), (r"spot=100.1", "spot=tf.constant(100.1, tf.float64)"),
        (r"are_calls=calls", "are_calls=None if calls is None else [tf.constant(n) for n in calls]"),
    ]),
    "metric_that_refuses_a_weight": ("trace_beforehand", [(
        r"^for rows", "update.get_concrete_function(tf.TensorSpec([None], tf.float32),"
        " tf.TensorSpec([None], tf.float32), None)\nfor rows",
    )]),
    "loop_with_two_limits": ("tensor_for_python_number", [
        (r"\), limit\)", "), tf.constant(limit))"), (r"20 \* parallel,", "tf.constant(20 * parallel),"),
    ]),
    "scales_in_a_type_of_ones_own": ("tensor_field", [
        (r": (float|int)$", ": tf.Tensor"), (r"n / 4, n\)", "n / 4, tf.constant(n, tf.float32))"),
    ]),
    "texts_as_lists_and_tensors": ("tensor_for_python_string+input_signature", [
        (r"^@tf.function$", "@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])"),
        (r"lengths\(texts\)\.", "lengths(tf.constant(texts))."),
    ]),
    "shifts_by_default": ("create_function_once", [
        (r"(?s)    @tf.function\n.*?shift\n\n", ""), (r"shifted\(x\)", "shifted(x, shift=shift)"),
        (r"^for epoch", "@tf.function\ndef shifted(x, shift):\n    return x + shift\n\n\nfor epoch"),
    ]),
    "rates_that_come_again": ("tensor_for_python_number", [(r"(0\.\d+)(?=\)|,)", r"tf.constant(\1)")]),
    "steps_counted_above": ("tensor_for_python_number+reduce_retracing", [
        (r"images, rate\)$", "images, tf.constant(rate))"),
        (r"^    @tf.function$", "    @tf.function(reduce_retracing=True)"),
    ]),
    "methods_below_a_timer": ("one_instance", [(
        r"(?s)^for gain in.*", "filters = [Filter(1.5), Filter(2.5)]\nfor number in (0, 1, 1):\n"
        "    filters[number].run(tf.ones([2]), 1.0)\n",
    )]),
    "methods_of_two_distributions": ("same_object", [
        (r"^for step", "posterior_log_prob = posterior.log_prob\nprior_log_prob = prior.log_prob\nfor step"),
        (r"(?<=expected\()(\w+)\.log_prob", r"\1_log_prob"),
    ]),
    "batches_of_texts_of_each_length": ("trace_beforehand", [(
        r"^for length", "train_step.get_concrete_function("
        "tf.TensorSpec([None, 5], tf.int32), tf.TensorSpec([None, 4], tf.float32), True)\n"
        "train_step.get_concrete_function("
        "tf.TensorSpec([None, 7], tf.int32), tf.TensorSpec([None, 4], tf.float32), False)\nfor length",
    )]),
    "tokens_of_a_cached_decoder": ("tensor_for_python_number+unused_argument+trace_beforehand", [
        (
            r"^for temperature",
            "next_token.get_concrete_function(tf.TensorSpec([1, None], tf.int32), 0, tf.TensorSpec([], tf.float32),"
            " tf.TensorSpec([1, None, 4], tf.float32))\n\\g<0>",
        ),
        (r"ids, step, temperature, past\)", "ids, 0, tf.constant(temperature, tf.float32), past)"),
    ]),
    "rotations_by_numpy": ("tensor_for_python_number", [
        (r"turn\(pixels\)", "turn(pixels, degrees)"), (r"\[image\]", "[image, degrees]"),
        (r"picture, degrees\)", "picture, tf.constant(degrees))"),
        (r"picture, alpha\)", "picture, None if alpha is None else tf.constant(alpha))"),
    ]),
    "flags_of_an_actor": ("one_dtype+input_signature", [
        (r"^@tf.function$",
         "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.bool)])"),
        (r"action\(batch, test\)$", "action(tf.cast(batch, tf.float32), test)"),
    ]),
    "epochs_over_datasets_of_folds": ("pass_closed_over_tensor", [
        (r"(?s)\n    @tf.function\n.*?return total\n", ""),
        (r"^def train", "@tf.function\ndef epoch(dataset):\n    total = 0.0\n    for batch in dataset:\n"
         "        weight.assign_sub(0.01 * tf.reduce_mean(batch))\n        total += tf.reduce_sum(batch) * weight\n"
         "    return total\n\n\ndef train"),
        (r"epoch\(\)$", "epoch(dataset)"),
    ]),
    "rows_in_batches_of_each_size": ("build_dataset_once", [
        (r"^def make", "kept = tf.data.Dataset.from_tensor_slices(rows).map(scaled)\n\n\ndef make"),
        (r"return tf.data.*$", "return kept.batch(size)"),
    ]),
    "options_left_out_of_calls": ("same_keywords", [
        (r"score\(x\)", "score(x, bias=tf.constant(0.0), weight=tf.constant(2.0))"),
        (r"bias=i \* 0.5\)", "bias=tf.constant(i * 0.5, tf.float32), weight=tf.constant(2.0))"),
        (r"weight=tf.constant\(3.0\)\)", "weight=tf.constant(3.0), bias=tf.constant(0.0))"),
        (r"bias=1.0\)", "bias=tf.constant(1.0))"),
    ]),
    "losses_with_a_weight_each": ("pass_numbers_of_instance", [
        (
            r"^class Loss:",
            "@tf.function\ndef loss_value(x, scale, weight):\n    return weight * scale * tf.reduce_sum(x * x)\n\n\n"
            "\\g<0>",
        ),
        (r"(?s)    @tf.function\n    def value.*?\n\n", "    def value(self, x, scale=1.0):\n"
         "        return loss_value(x, scale, tf.constant(self.weight))\n\n"),
    ]),
    "list_of_losses_grows": ("same_structure", [
        (r"smoothed\(history\)$", "smoothed(tf.stack(history))"),
        (r"@tf.function", "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"),
        (r"tf.add_n\(history\) / len\(history\)", "tf.reduce_sum(history, 0) / tf.cast(len(history), tf.float32)"),
    ]),
    "options_of_others_left_out": ("same_keywords", [
        (r"scale=2.0\)", "scale=tf.constant(2.0), bias=tf.constant(0.0))"),
        (r"\(x, bias=1.0\)", "(x, bias=tf.constant(1.0), scale=tf.constant(1.0))"),
        (r"scale=3.0, bias=1.0\)", "scale=tf.constant(3.0), bias=tf.constant(1.0))"),
        (r"adjusted\(x\)", "adjusted(x, bias=tf.constant(0.0), scale=tf.constant(1.0))"),
    ]),
    "steps_over_each_iterator": ("pass_closed_over_tensor", [
        (
            r"(?s)def steps_of.*    return step\n",
            "@tf.function\ndef step(scale, batches):\n"
            "    return scale * tf.cast(tf.reduce_sum(next(batches)), tf.float32)\n",
        ),
        (r"step = steps_of\(iter\(data\)\)", "batches = iter(data)"),
        (r"constant\(0.5\)\)", "constant(0.5), batches)"),
    ]),
    "scales_of_lines_and_loops": ("pass_closed_over_number", [
        (r"(?s)def scale_by.*    return scaled\n", "@tf.function\ndef scaled(x, factor):\n    return x * factor\n"),
        (r"scale_by\((\w+)\)\(x\)", r"scaled(x, tf.constant(\1, tf.float32))"),
    ]),
    "agents_that_wrap_decorated_methods": ("create_function_once+input_signature", [
        (r"tf\.function\((self\.\w+)\)", r"\1"),
        (
            r"^    @tf.function\n    def _train",
            "    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None],"
            " tf.float32)])\n    def _train",
        ),
    ]),
    "learners_of_each_number_of_steps": ("trace_beforehand", [(
        r"^        for shots in",
        "        self.meta_loss.get_concrete_function([tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1],"
        " tf.float32)], [tf.TensorSpec([None, 1], tf.float32), tf.TensorSpec([None, 1], tf.float32)], variables)\n"
        "\\g<0>",
    )]),
    "attacks_on_a_model": ("same_object", [
        (r"loss_fn = tf\.nn\.\w+$", "loss_fn = cross_entropy"), (r"logits\(model\), ", "model, "),
    ]),
    "iterators_or_batches": ("trace_beforehand", [
        (r"^batches = ", "train_step.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))\n\\g<0>"),
    ]),
    "loops_as_long_as_asked": ("input_signature", [(
        r"@tf.function$",
        "@tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.int32),"
        " tf.TensorSpec([], tf.bool)])",
    )]),
    "phases_and_modes": ("tensor_for_python_number+unused_argument+trace_beforehand", [
        (
            r"^for i, n",
            "step.get_concrete_function(tf.TensorSpec([None], tf.float32), 'd', None, b'train')\n"
            "step.get_concrete_function(tf.TensorSpec([None], tf.float32), 'g', tf.TensorSpec([], tf.float32),"
            " b'train')\n\\g<0>",
        ),
        (r"alpha=(0.1 \* i)\)", r"alpha=tf.constant(\1, tf.float32), mode=b'train')"),
        (r'mode=b"eval"', 'mode=b"train"'),
    ]),
    "modes_dtypes_and_shapes": ("tensor_for_python_number+trace_beforehand", [
        (
            r"^for mode in Mode",
            "".join(
                f"prepared.get_concrete_function(tf.TensorSpec([None], tf.float32), Mode.{mode}, tf.float32, {shape})\n"
                for mode, shape in (
                    ("TRAIN", None), ("EVAL", None), ("TEST", None), ("TEST", "[tf.TensorSpec([], tf.int32)] * 2"),
                )
            ) + "\\g<0>",
        ),
        (r"shape=[\[(](\S+, \d)[\])]", r"shape=[tf.constant(n) for n in (\1)]"),
    ]),
    "settings_kept_and_made": ("same_object+trace_beforehand", [
        (
            r"^for i in range",
            "settings = Settings(2.0)\n"
            "runner.run.get_concrete_function(tf.TensorSpec([None], tf.float32), settings, 0)\n"
            "runner.run.get_concrete_function(tf.TensorSpec([None], tf.float32), settings, 1)\n\\g<0>",
        ),
        (r", (kept|Settings\(2\.0\)), (\d)\)", r", settings, \2)"),
    ]),
    "lenses_of_each_ray": ("pass_tensors_of_instance", [
        (r"^class Lens:", "@tf.function\ndef lens_bend(rays, matrix):\n    return rays @ matrix\n\n\n\\g<0>"),
        (
            r"(?s)    @tf.function\n    def bend.*?\n\n",
            "    def bend(self, rays):\n        return lens_bend(rays, self.matrix)\n\n",
        ),
    ]),
    "scores_by_a_default_model": ("input_signature", [
        (r"@tf\.function$", "@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])"),
    ]),
    "members_of_several_enums": ("trace_beforehand", [
        (
            r"^for n",
            "SPEC = tf.TensorSpec([None], tf.float32)\n"
            "step.get_concrete_function(SPEC, Mode.TRAIN, Parts.BIAS, Level.LOW)\n"
            "step.get_concrete_function(SPEC, Mode.TRAIN, Parts.BIAS | Parts.SCALE, Level.LOW)\n"
            "step.get_concrete_function(SPEC, Mode.EVAL, Parts.BIAS, Level.LOW)\n"
            "step.get_concrete_function(SPEC, Mode.EVAL, Parts.BIAS | Parts.SCALE, Level.LOW)\n\\g<0>",
        ),
    ]),
    "texts_of_other_counts": ("tensor_for_python_number+tensor_for_python_string+trace_beforehand", [
        (
            r"^requests = ",
            "SPECS = tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.int32)\n"
            "server.predict.get_concrete_function(*SPECS, None)\n"
            "server.predict.get_concrete_function(*SPECS, tf.TensorSpec([], tf.float32))\n\\g<0>",
        ),
        (
            r"predict\(texts, count, threshold\)$",
            "predict(tf.constant(texts), tf.constant(count), None if threshold is None else tf.constant(threshold))",
        ),
    ]),
    "sums_of_each_fit": ("pass_closed_over_number+trace_beforehand", [
        (
            r"^        @tf\.function\n        def step\(x, mode\)",
            "    @tf.function\n    def step(self, x, mode, alpha)",
        ),
        (r"^            (y = |return )", r"        \1"), (r"^    def fit.*\n", ""),
        (r"^        for n in", "    def fit(self, alpha):\n\\g<0>"),
        (r"step\((.*), mode\)$", r"self.step(\1, mode, tf.constant(alpha))"),
        (
            r"^for alpha",
            "SPECS = {'x': tf.TensorSpec([None, 2], tf.float32), 'alpha': tf.TensorSpec([], tf.float32)}\n"
            "trainer.step.get_concrete_function(SPECS['x'], 'sum', alpha=SPECS['alpha'])\n"
            "trainer.step.get_concrete_function(SPECS['x'], 'mean', alpha=SPECS['alpha'])\n\\g<0>",
        ),
    ]),
    "steps_of_each_epoch": ("create_function_once+trace_beforehand", [
        (
            r"^for epoch in range\(3\):\n    (step = .*)",
            "\\1\nSPECS = [tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32)]\n"
            "step.get_concrete_function(*SPECS, True)\n"
            "step.get_concrete_function(*SPECS, False)\nfor epoch in range(3):",
        ),
    ]),
}  # fmt: skip
