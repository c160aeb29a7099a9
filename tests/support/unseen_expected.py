"""What is to be reported of each program in tests/support/unseen: written down before it was recorded."""

from __future__ import annotations

import sys

Later = tuple[str, str, str]
#: Program -> function -> (function objects, failed traces, each later trace: kind, causes with paths, verdict).
EXPECTED: dict[str, dict[str, tuple[int, int, list[Later]]]] = {
    # those that hold what an earlier one held need no trace of their own
    "crops_of_two_kinds": {
        "augment": (1, 0, [
            ("retrace", "object_identity crop, python_value seed", verdict)
            for verdict in ("unknown", *["avoidable"] * 4)
        ]),
    },
    # what goes through the model is not passed the dictionary, and no tensor is the same as that there is none
    "gradients_gathered_beside_optimizers": {
        "step": (1, 0, [("retrace", "structure optimizers['gathered']", "avoidable")]),
        "weighted": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
        "shifted": (1, 0, [("retrace", "python_type offset", "bounded")]),
    },
    # each agent has two critics, passed in lines of their own, beside one another
    "critics_of_each_agent": {
        "_update": (2, 0, [
            ("retrace", "object_identity critic", "unknown"),
            ("retrace", "shape states, shape values", "avoidable"),
            ("retrace", "object_identity critic", "avoidable"),
            ("recreated", "object_identity self, object_identity critic", "unknown"),
            ("retrace", "object_identity critic", "unknown"),
            ("retrace", "shape states, shape values", "avoidable"),
            ("retrace", "object_identity critic", "avoidable"),
        ]),
    },
    # a list by its name, and what is computed, are no constant of a tensor
    "boxes_in_sizes_of_pictures": {
        "scaled": (1, 0, [
            ("retrace", "python_value size[0], python_value size[1]", "avoidable"),
            ("retrace", "python_value size[0], python_value size[1], python_value threshold", "avoidable"),
        ]),
    },
    # the graph goes on with the first one's variables
    "target_that_is_replaced": {"follow": (1, 0, [])},
    # the gradients' sizes are the batch's: the losses are the same
    "losses_of_each_scale": {
        "train_step": (1, 0, [
            ("retrace", f"{shapes}object_identity losses[0], object_identity losses[1]", "avoidable")
            for shapes in ("", "shape images, shape boxes, ", "", "", "")
        ]),
    },
    "taps_of_a_filter": {"filtered": (1, 0, [("retrace", "python_value count", "avoidable")] * 2)},
    # the last has another agent's model, and its own agent's step would do
    "rounds_of_each_agent": {
        "train_step": (6, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , shape observations, shape actions", "avoidable"),
            ("recreated", "recreated_function , object_identity model", "unknown"),
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , object_identity model", "avoidable"),
        ]),
    },
    # a module's step would train the penalty, were that a variable like the others
    "penalties_of_a_trained_module": {"step": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    # of the second layer's model no earlier one has the variables
    "layers_asked_one_by_one": {
        "one_step_on_data_distributed": (6, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "unknown")] * 4,
        ]),
    },
    # whether it is the same one is not known; how one would do is told
    "model_loaded_for_each_request": {
        "encode": (1, 0, []),
        "restored_function_body": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
    },
    # no tensor is an index of the list that the loop fills
    "levels_filled_by_a_loop": {
        "pyramid": (1, 0, [*[("retrace", "python_value first", "unknown")] * 2, ("retrace", "shape x", "avoidable")]),
    },
    # of a tensor the noise has no known shape: it is drawn by `tf.shape(x)` then
    "samples_of_growing_requests": {
        "sample": (1, 0, [
            ("retrace", "python_value count", "avoidable"),
            ("retrace", "python_value count, python_value temperature", "avoidable"),
        ]),
    },
    # the first rate is each member's own, later ones are shared: tf.Variables need no trace
    "members_of_a_population": {
        "_step": (7, 0, [
            *[("recreated", "object_identity self", "bounded")] * 2,
            *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
    },
    "iterators_over_replicas": {
        "steps": (1, 0, [("retrace", "composite_spec iterator", "avoidable")]),
    },
    # what the program reads of its own dictionary later, and rounds, stays a number
    "weights_that_are_rounded": {
        "train_step": (1, 0, [("retrace", "python_value weights['boundary']", "avoidable")] * 2),
    },
    # None or not is no reason for a third trace
    "words_that_are_banned": {
        "best": (1, 0, [
            ("retrace", "python_type banned", "bounded"), ("retrace", "python_type banned", "avoidable"),
            ("retrace", "structure banned", "avoidable"),
        ]),
    },
    "noise_of_a_shape": {
        "noise": (1, 0, [
            ("retrace", "python_value seed", "avoidable"),
            ("retrace", "python_value seed, object_identity shape, python_value sigma", "avoidable"),
            ("retrace", "python_value seed", "avoidable"),
        ]),
    },
    # a number that an operation takes follows the size
    "negatives_of_a_last_batch": {
        "train_step": (1, 0, [
            ("retrace", "python_value progress", "avoidable"),
            ("retrace", "shape inputs, shape labels, python_value progress", "avoidable"),
            *[("retrace", "python_value progress", "avoidable")] * 3,
        ]),
    },
    # a list of weights is read by the helper that goes through it
    "weights_of_several_tasks": {
        "joint_step": (1, 0, [("retrace", "shape x, shape y", "avoidable")] * 2),
    },
    # the points are the reason; what else the graphs differ in is warned of
    "points_of_each_round": {"train_step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    # a level chooses blocks, as many or not; a rate could be a tensor
    "levels_of_a_growing_critic": {
        "step": (1, 0, [
            *[("retrace", "python_value alpha", "avoidable")] * 2,
            *[("retrace", "python_value level", "unknown"), *[("retrace", "python_value alpha", "avoidable")] * 2] * 2,
        ]),
    },
    # what serves several ranks is none that the code can ask for its rank
    "texts_of_one_request_or_several": {
        "score": (2, 0, [
            ("retrace", "shape ids", "avoidable"),
            ("recreated", "object_identity self, python_value temperature", "bounded"),
            ("retrace", "rank ids, python_value temperature", "avoidable"),
            ("retrace", "python_value temperature, python_type top", "bounded"),
            ("retrace", "rank ids, python_type top", "bounded"),
            ("retrace", "shape ids", "avoidable"),
        ]),
    },
    "molecules_of_a_loader": {
        "step": (1, 0, [
            ("retrace", "shape batch['x'], shape batch['ids']", "avoidable"),
            ("retrace", "shape batch['x'], shape batch['ids'], python_value batch['n_graphs']", "avoidable"),
            ("retrace", "shape batch['x'], shape batch['ids'], python_value train", "bounded"),
            ("retrace", "shape batch['x'], shape batch['ids'], python_value batch['n_graphs']", "avoidable"),
        ]),
    },
    "examples_of_one_builder": {
        "<lambda>": (6, 0, [
            ("recreated", "recreated_function ", "bounded"),
            *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
        "scaled": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
    },
    # without a step nothing is read of the rate
    "shots_of_a_meta_learner": {
        "adapted": (1, 0, [
            *[("retrace", "python_value n", "avoidable")] * 2,
            ("retrace", "shape x, shape y", "avoidable"),
            *[("retrace", "python_value n", "avoidable")] * 2,
        ]),
    },
    # each is asked again after the others: they are kept side by side
    "models_of_an_ensemble_asked_again": {
        "predict": (1, 0, [
            *[("retrace", "object_identity model", "bounded")] * 3, *[("retrace", "shape x", "bounded")] * 4,
        ]),
    },
    # the model's own method asks a size that is unknown then
    "autoencoders_of_two_sizes": {
        "train_step": (1, 0, [
            ("retrace", "shape x", "avoidable"),
            ("retrace", "object_identity model, object_identity optimizer", "bounded"),
            ("retrace", "shape x", "avoidable"),
        ]),
    },
    # as many as the words: what is built depends on these
    "words_and_how_many": {
        "step": (1, 0, [("retrace", "shape words, shape targets, python_value count", "avoidable")] * 2),
    },
    # two traces for each model, of which one can be avoided, although "needed" as the program is
    "search_over_settings": {
        "step": (8, 0, [
            ("variable_creation", "variable_creation ", "needed"),
            ("recreated", "recreated_function ", "bounded"),
            ("variable_creation", "variable_creation ", "needed"),
            *[
                ("recreated", "recreated_function ", "unknown"),
                ("variable_creation", "variable_creation ", "needed"),
            ] * 6,
        ]),
    },
    # no class says what an attribute is: a tensor would do, and several stacked into one
    "states_in_a_dataclass": {
        "damped": (1, 0, [("retrace", "python_value state.step", "avoidable")] * 3),
        "total": (1, 0, [("retrace", "python_value state.step, structure state.seen", "avoidable")] * 3),
    },
    # each `one.value` is another object; a number is all that the methods read
    "methods_of_each_loss": {"step": (1, 0, [("retrace", "object_identity loss", "avoidable")] * 6)},
    # names of operations make no difference; what is printed is in the graph
    "blocks_named_by_strings": {
        "block": (1, 0, [("retrace", "python_value name", "avoidable")] * 2),
        "scaled": (1, 0, [("retrace", "python_value name, python_value rate", "avoidable")] * 2),
        "padded": (1, 0, [("retrace", "python_value name, python_value rate", "unknown")] * 2),
        "tagged": (1, 0, [("retrace", "python_value name, python_value rate", "avoidable")] * 2),
        "announced": (1, 0, [("retrace", "python_value name", "unknown")] * 2),
    },
    # whichever object's method it is: other data need another dataset
    "augmenters_of_each_dataset": {
        "image": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
        "shift": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
    },
    # which of the two it is decides no more than the dtype of a constant in the one, and nothing in the other
    "flags_as_numbers": {
        "total": (1, 0, [("retrace", "python_value level", word) for word in ("avoidable", "unknown", "avoidable")]),
        "raised": (1, 0, [("retrace", "python_value level", word) for word in ("unknown", "unknown", "avoidable")]),
    },
    # whether the last batch's would do is not recorded; the graphs tell, but where the number is the size by chance
    # of the one the sizes alone differ, which gradients hold; the other's weights are numbers of rows
    "losses_of_a_last_batch": {
        name: (1, 0, [
            ("retrace", "object_identity loss", "avoidable"),
            ("retrace", "object_identity loss, shape x", verdict),
            *[("retrace", "object_identity loss", "avoidable")] * 3,
        ])
        for name, verdict in (("gradient", "avoidable"), ("weighted", "unknown"))
    },
    # a name that comes again is none that differs
    "batches_named_by_strings": {
        "total": (1, 0, [
            *[("retrace", "shape x, python_value name", "avoidable")] * 2, *[("retrace", "shape x", "avoidable")] * 2,
        ]),
    },
    # no tensor can be one, whatever holds it; a rate beside it can
    "orders_that_objects_hold": {
        "passed": (1, 0, [("retrace", "object_identity settings", "unknown")] * 2),
        "rated": (1, 0, [("retrace", "object_identity settings", "avoidable")] * 2),
        "applied": (1, 0, [("retrace", "object_identity norm", "unknown")] * 2),
        "closed": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
    },
    # a seed each; what is drawn can be passed
    "noise_of_python_generators": {
        "noisy": (1, 0, [("retrace", "python_value rng", "unknown")] * 2),
        "jittered": (1, 0, [("retrace", "object_identity source", "unknown")] * 2),
    },
    "readings_that_may_be_missing": {"scaled": (1, 0, [("retrace", "composite_spec reading", "avoidable")] * 3)},
    # each of two lines builds one pipeline; and one line two, of other data, in each epoch
    "splits_by_one_builder": {
        "halved": (4, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 2,
        ]),
        **{
            name: (4, 0, [
                ("recreated", "recreated_function ", "unknown"),
                *[("recreated", "recreated_function ", "avoidable")] * 2,
            ])
            for name in ("doubled", "negated")
        },
    },
    # a state that grows is traced twice in each dataset
    "states_that_grow": {
        name: (6, 0, [
            ("recreated", "recreated_function , shape state", "bounded"),
            *[("recreated", "recreated_function ", "avoidable")] * 4,
        ])
        for name in ("history", "collected")
    },
    "folds_of_other_sizes": {
        "train_step": (1, 0, [
            ("retrace", "object_identity model, python_value rate", "unknown"),
            ("retrace", "object_identity model, shape x, shape y, python_value rate", "unknown"),
        ]),
    },
    "trainers_with_a_mask": {
        "step": (2, 0, [
            ("retrace", "python_type mask", "bounded"), ("retrace", "shape x", "avoidable"),
            ("retrace", "python_type mask", "avoidable"),
            ("recreated", "object_identity self", "unknown"), ("retrace", "python_type mask", "bounded"),
            ("retrace", "shape x", "avoidable"), ("retrace", "python_type mask", "avoidable"),
        ]),
    },
    "masks_of_what_is_shifted": {
        "train_step": (1, 0, [
            ("retrace", "shape source, shape target, python_value rate", "avoidable"),
            ("retrace", "shape target, python_value rate", "avoidable"),
            ("retrace", "python_value rate", "avoidable"),
        ]),
    },
    "arrays_of_tensors": {"summed": (1, 0, [("retrace", "composite_spec ta", "avoidable")] * 3)},
    # batches of two serve themselves of what was traced for an unknown size
    "iterators_of_two_datasets": {
        "run": (1, 0, [("retrace", "composite_spec iterator", "avoidable")]),
    },
    "datasets_interleaved_by_files": {"<lambda>": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    # a flag that is not passed is False: that one can be avoided
    "optional_outputs_by_flags": {
        "forward": (1, 0, [
            ("retrace", "structure kwargs['return_hidden']", "bounded"),
            ("retrace", "python_value kwargs['return_hidden']", "avoidable"),
            ("retrace", "structure kwargs['return_attention']", "bounded"), ("retrace", "shape x", "avoidable"),
        ]),
    },
    "images_of_types_and_sizes": {
        "serve": (1, 0, [
            ("retrace", "shape image", "avoidable"), ("retrace", "dtype image, rank image", "avoidable"),
            ("retrace", "shape image", "avoidable"),
        ]),
    },
    "instances_of_each_request": {
        "transform": (4, 0, [("recreated", "object_identity self, shape x", "avoidable")] * 3),
    },
    "settings_of_each_request": {
        "clipped": (1, 0, [("retrace", "shape x, object_identity settings", "avoidable")] * 3),
    },
    "closures_of_a_last_batch": {"inner_step": (6, 0, [("recreated", "recreated_function ", "avoidable")] * 5)},
    "steps_cast_beside_summaries": {
        "decayed": (1, 0, [("retrace", "python_value step", "avoidable")] * 2),
    },
    "datasets_of_each_training": {
        "prepared": (6, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
    },
    # a table and a writer have no variables to set back
    "tables_of_each_request": {"lookup": (1, 0, [("retrace", "object_identity table", "unknown")] * 2)},
    "writers_of_each_epoch": {"step": (1, 0, [("retrace", "object_identity writer", "unknown")] * 2)},
    "module_with_a_step": {
        "step": (1, 0, [("retrace", "shape images, shape labels, python_value num_images", "avoidable")]),
    },
    "finetuned_in_two_phases": {
        "train_step": (1, 0, [
            ("retrace", "shape x, shape y", "avoidable"), ("retrace", "structure variables", "unknown"),
            ("retrace", "shape x, shape y", "avoidable"),
        ]),
    },
    # two functions are named so
    "windows_flat_mapped": {"<lambda>": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "server_with_versions": {
        "predict": (1, 0, [
            ("retrace", "object_identity model", "bounded"), *[("retrace", "shape x", "avoidable")] * 2,
        ]),
    },
    "population_of_agents": {"fitness": (1, 0, [("retrace", "structure members", "avoidable")] * 2)},
    # whether one model would do for all folds is not known; how one would is told
    "models_of_each_fold": {
        "train_step": (1, 0, [("retrace", "object_identity model, object_identity optimizer", "avoidable")] * 2),
    },
    "weights_by_keyword": {
        "content": (1, 0, [
            ("retrace", "python_value weight, python_value sharpness", "avoidable"),
            ("retrace", "python_value weight, python_value sharpness", "avoidable"),
        ]),
        "texture": (1, 0, [("retrace", "python_value weight", "avoidable")] * 2),
    },
    # of the metrics of each validation it is not known whether one would do
    "metrics_of_two_passes": {
        "update": (1, 0, [
            ("retrace", "shape y, shape p", "avoidable"),
            ("retrace", "object_identity metrics[0], object_identity metrics[1], python_type w", "bounded"),
            *[("retrace", "object_identity metrics[0], object_identity metrics[1]", "unknown")] * 2,
        ]),
    },
    "scorer_of_an_export": {
        "score": (1, 0, [
            ("retrace", "python_value normalize", "bounded"),
            *[("retrace", "shape x", "avoidable"), ("retrace", "python_value normalize", "avoidable")] * 2,
            ("retrace", "composite_spec x, context variable_policy", "bounded"),
            ("retrace", "python_value normalize", "bounded"),
            *[("retrace", "shape x", "bounded"), ("retrace", "python_value normalize", "bounded")] * 2,
        ]),
    },
    "weights_of_inner_steps": {
        "adapt": (1, 0, [
            ("retrace", "python_type ws[0], python_type ws[1], python_value steps", "avoidable"),
            *[("retrace", "shape x, shape y", "avoidable")] * 2, *[("retrace", "python_value rate", "avoidable")] * 2,
        ]),
    },
    # one dataset of the other texts is needed
    "texts_of_two_splits": {
        "tokens": (6, 0, [
            ("recreated", "recreated_function ", "unknown"), *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
    },
    "generators_of_each_length": {
        "generate": (3, 0, [
            *[("recreated", "recreated_function , python_value steps", "unknown")] * 2,
            *[("retrace", "shape ids", "avoidable")] * 6,
        ]),
    },
    # by passing the gain, and binding none
    "gains_bound_to_a_partial": {
        "amplified": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
        "trimmed": (1, 0, [("retrace", "python_value k", "avoidable")] * 2),
    },
    "limits_beside_masked_values": {
        "capped": (1, 0, [("retrace", "composite_spec batch.__tf_flatten__()[0]", "avoidable")] * 2),
    },
    "sizes_of_capped_values": {"total": (1, 0, [("retrace", "shape batch.values", "avoidable")] * 3)},
    # two functions are named `loss`
    "penalties_of_subclasses": {
        "loss": (3, 0, [("recreated", "object_identity self", "avoidable")] * 2),
        "norm": (1, 0, [
            *[("retrace", "object_identity self", "avoidable")] * 2, ("retrace", "python_type self", "unknown"),
            ("retrace", "object_identity self", "avoidable"),
        ]),
    },
    "mean_of_the_first_batch": {
        "normalized": (1, 0, [
            ("variable_creation", "variable_creation ", "needed"), ("retrace", "shape x", "avoidable"),
        ]),
        "initialize_variables": (1, 1, [("variable_creation", "variable_creation ", "unknown")]),
    },
    "steps_for_some_variables": {
        "step": (4, 0, [
            ("recreated", "recreated_function ", "bounded"), ("retrace", "python_type loss", "bounded"),
            ("recreated", "recreated_function , object_identity loss", "bounded"),
            ("recreated", "recreated_function ", "bounded"), ("retrace", "python_type loss", "bounded"),
        ]),
    },
    # its variables of other sizes are in no graph: the model's are what needs the trace
    "weights_kept_beside_a_model": {"evaluate": (2, 0, [("recreated", "object_identity self", "bounded")])},
    # a model for each key: none can be updated before it is there
    "modules_added_to_a_trainer": {
        "_do_update": (3, 0, [
            ("recreated", "recreated_function , structure batch['opponent']", "unknown"),
            ("recreated", "recreated_function , structure batch['league']", "unknown"),
        ]),
    },
    "networks_of_fixed_sizes": {"serve": (1, 0, [("retrace", "shape picture", "avoidable")] * 2)},
    "pool_of_pictures": {
        "train_step": (1, 0, [
            *[("retrace", "structure pool", "avoidable")] * 2,
            ("retrace", "structure pool, python_value cycle", "avoidable"),
            ("retrace", "python_value cycle", "avoidable"),
        ]),
    },
    "pieces_of_a_helper": {
        "augment": (1, 0, [("retrace", "python_value copies", "avoidable")]),
        "tiled": (1, 0, [("retrace", "python_value times", "avoidable")]),
        "scaled": (1, 0, [("retrace", "python_value options['gain']", "avoidable")] * 2),
        "summary": (1, 0, [("retrace", "dtype x", "avoidable")]),
        "center": (1, 0, [("retrace", "dtype x", "avoidable")]),
    },
    "noise_of_the_same_shape": {
        "perturbed": (1, 0, [("retrace", "shape data.pictures", "avoidable")]),
        "padded": (1, 0, [("retrace", "shape data.pictures", "avoidable")]),
    },
    # one that is passed the mean and the deviation serves all folds and all widths
    "folds_of_a_search": {
        "standardize": (6, 0, [
            *[("retrace", "shape x", "avoidable")] * 2,
            *[
                ("recreated", "recreated_function ", "avoidable"), *[("retrace", "shape x", "avoidable")] * 2,
            ] * 5,
        ]),
    },
    "views_of_each_epoch": {
        name: (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2) for name in ("<lambda>", "view")
    },
    "pictures_of_two_kinds": {
        "augmented": (2, 0, [("recreated", "recreated_function ", "unknown")]),
        "prepared": (6, 0, [
            ("recreated", "recreated_function ", "unknown"), *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
    },
    "sizes_that_come_again": {"<lambda>": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3)},
    "exports_of_each_epoch": {"serve": (2, 0, [("recreated", "recreated_function ", "avoidable")])},
    "scores_of_partials": {
        "adapted": (4, 0, [
            ("recreated", "recreated_function , shape x, shape y", "avoidable"),
            *[("recreated", "recreated_function ", "avoidable")] * 2,
        ]),
    },
    "rates_beside_replicas": {
        "step": (1, 0, [
            ("retrace", "composite_spec x, composite_spec y", "avoidable"),
            *[("retrace", "python_value rate", "avoidable")] * 2,
        ]),
        **{
            f"_{name}_func": (4, 0, [
                ("recreated", "recreated_function ", "bounded"),  # of the second device
                *[("recreated", "recreated_function ", "avoidable")] * 2,
            ])
            for name in ("init", "remote_init", "next", "remote_next", "finalize", "remote_finalize")
        },
    },
    "scores_by_class_methods": {
        "score": (1, 0, [("retrace", "shape values", "avoidable")] * 3),
        "weighted": (1, 0, [("retrace", "shape values, shape options['gewichte']", "avoidable")] * 3),
    },
    "shares_over_several_lines": {
        name: (1, 0, [("retrace", "python_value share", "avoidable")] * 2) for name in ("report", "blended")
    },
    "pipelines_in_brackets": {"scaled": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "logged_methods": {
        "value": (1, 0, [("retrace", "object_identity self", "avoidable")] * 2),
        "length": (3, 0, [("recreated", "object_identity self", "avoidable")] * 2),
    },
    "partials_of_one_value": {
        name: (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2) for name in ("scaled", "total")
    },
    "steps_of_pictures_and_summaries": {
        "train_step": (1, 0, [("retrace", "python_value step", "avoidable")] * 2),
        "fit": (1, 0, [("retrace", "structure dataset", "avoidable")]),
    },
    # whether the weight chooses the metric is not known
    "metrics_of_each_epoch": {
        "train_step": (1, 0, [
            ("retrace", "shape x", "avoidable"), ("retrace", "python_value weight", "unknown"),
            ("retrace", "shape x", "avoidable"),
        ]),
    },
    "heatmap_of_each_class": {
        "heatmap": (1, 0, [
            ("retrace", "python_type index", "bounded"), ("retrace", "python_value index", "avoidable"),
        ]),
    },
    "windows_of_a_property": {
        "split_window": (4, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 2,
        ]),
    },
    "buffer_of_each_trial": {"update": (3, 0, [("recreated", "object_identity self", "avoidable")] * 2)},
    "loss_of_a_distiller": {},
    # the user can keep what `loss_closure` returns, and the saver; not what `minimize` and `total` make
    "losses_of_a_library": {
        name: (3, 0, [("recreated", "recreated_function ", "unknown")] * 2)
        for name in ("<lambda>", "evaluate", "add", "action")
    },
    "weight_of_each_epoch": {"train_step": (1, 0, [("retrace", "python_value w", "avoidable")] * 2)},
    "frames_of_each_video": {"slice_driving": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "batches_of_a_sampler": {"sample": (1, 0, [("retrace", "shape at", "avoidable")] * 2)},
    # the first agents may be few or many
    "executors_of_agents": {
        "policy": (1, 0, [
            *[("retrace", "python_value agent", "bounded")] * 2,
            *[
                ("retrace", "python_value epsilon", "avoidable"),
                *[("retrace", "python_value agent", "avoidable")] * 2,
            ] * 3,
        ]),
    },
    "batches_of_a_loader": {
        "evaluate": (1, 0, [("retrace", "python_value start_index, python_value end_index", "avoidable")] * 2),
    },
    "batches_chosen_by_a_number": {
        "differential_rate": (1, 0, [("retrace", "python_value i_batch", "avoidable")] * 3),
    },
    "warm_up_in_float64": {
        "step": (1, 0, [
            ("retrace", "dtype images, python_value rate", "avoidable"),
            *[("retrace", "python_value rate", "avoidable")] * 2,
        ]),
    },
    "export_under_names": {
        "infer": (1, 0, [
            ("retrace", "shape ids", "avoidable"), ("retrace", "python_value temperature", "avoidable"),
            ("retrace", "shape ids", "avoidable"),
            ("retrace", "shape ids, composite_spec ids, python_type temperature", "bounded"),
        ]),
    },
    "fit_and_single_batches": {
        "one_step_on_data": (1, 0, [
            ("retrace", "structure data", "bounded"), ("retrace", "shape data[0], shape data[1]", "bounded"),
        ]),
    },
    "few_shots_of_a_task": {
        "adapt": (1, 0, [
            ("retrace", "python_type weights[0], python_type weights[1], python_value rate", "avoidable"),
            *[("retrace", "shape x, shape y", "avoidable")] * 2,
        ]),
    },
    "counters_by_value": {
        "decayed": (1, 0, [
            ("retrace", "python_value step", "avoidable"), ("retrace", "python_type step", "avoidable"),
            ("retrace", "dtype step", "avoidable"), ("retrace", "python_type step", "avoidable"),
        ]),
    },
    "bias_in_some_batches": {
        "score": (1, 0, [
            ("retrace", "structure batch['bias']", "avoidable"), ("retrace", "python_value augment", "bounded"),
        ]),
    },
    "configurations_of_each_epoch": {
        "descend": (1, 0, [("retrace", "object_identity config", "avoidable")] * 2),
        "priced": (1, 0, [("retrace", "python_value share", "avoidable")] * 2),
        "pooled": (1, 0, [("retrace", "object_identity pool", "avoidable")]),
        "value": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
    },
    "configurations_of_annealed_steps": {
        "annealed": (1, 0, [
            ("retrace", "object_identity config", "avoidable"),
            ("retrace", "object_identity config, python_value temperature", "avoidable"),
            ("retrace", "object_identity config", "avoidable"),
            ("retrace", "object_identity config, python_value temperature", "avoidable"),
            ("retrace", "object_identity config", "avoidable"),
        ]),
    },
    "objects_beside_a_last_batch": {
        "penalized": (1, 0, [
            ("retrace", "object_identity config, object_identity penalty", "avoidable"),
            ("retrace", "shape batch, object_identity config, object_identity penalty", "avoidable"),
            *[("retrace", "object_identity config, object_identity penalty", "avoidable")] * 3,
        ]),
    },
    "rows_of_a_range": {
        "rows": (1, 0, [("retrace", "python_value places", "avoidable")] * 2),
        "unrolled": (1, 0, [("retrace", "python_value steps", "unknown")]),
    },
    "functions_of_a_handler": {
        name: (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)
        for name in ("_scaled", "score", "<lambda>")
    },
    "grids_with_arrays": {"integrate": (1, 0, [("retrace", "object_identity grid", "avoidable")] * 2)},
    "agents_that_are_unpickled": {
        "_step": (3, 0, [("recreated", "object_identity self", "avoidable")] * 2),
    },
    # of other lines each time
    "lines_of_a_request": {"prepare": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2)},
    # as many as fit and evaluate are called, in lines of their own
    "phases_written_out": {
        name: (6, 0, [
            ("recreated", "recreated_function ", "bounded"),  # the first of `evaluate`
            *[("recreated", "recreated_function ", "avoidable")] * 4,
        ])
        for name in ("grab_batch", "slice_batch_indices", "permutation")
    },
    "losses_that_are_annealed": {"one_step_on_data": (1, 0, []), "multi_step_on_iterator": (1, 0, [])},
    "fit_epoch_by_epoch": {
        "one_step_on_data": (2, 0, [("recreated", "recreated_function , shape data[0], shape data[1]", "bounded")]),
        "multi_step_on_iterator": (2, 0, [("recreated", "recreated_function , composite_spec iterator", "bounded")]),
    },
    "arrays_of_dtypes_on_batch": {
        "one_step_on_data": (1, 0, [
            ("retrace", "python_type data[2]", "bounded"), ("retrace", "dtype data[0]", "avoidable"),
            ("retrace", "dtype data[1]", "avoidable"),
        ]),
    },
    "sub_model_of_each_picture": {
        "one_step_on_data_distributed": (4, 0, [("recreated", "recreated_function ", "unknown")] * 3),
    },
    "annealed_by_a_reset": {
        "multi_step_on_iterator": (4, 0, [("recreated", "recreated_function ", "unknown")] * 3),
    },
    "batches_of_lengths_in_every_epoch": {
        "generator_next_fn": (6, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 4,
        ]),
        "multi_step_on_iterator": (2, 0, [("recreated", "recreated_function ", "bounded")]),
    },
    "predictions_on_replicas": {"one_step_on_data_distributed": (1, 0, [])},
    "cells_of_a_notebook": {
        "train_step": (3, 0, [
            ("recreated", "recreated_function ", "avoidable"), ("recreated", "recreated_function ", "unknown"),
        ]),
    },
    "noise_levels_of_a_diffusion": {"denoise": (1, 0, [("retrace", "python_value t", "avoidable")] * 4)},
    "gates_of_a_circuit": {
        "energy": (1, 0, [
            ("retrace", ", ".join(f"python_value angles[{i}]" for i in range(4)), "avoidable"),
        ] * 3),
    },
    # the step can make the loss of a margin that it is passed
    "margins_of_a_loss": {
        "step": (4, 0, [
            ("recreated", "recreated_function ", "avoidable"), ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function ", "bounded"),
        ]),
    },
    "kl_that_is_annealed": {"bound": (1, 0, [("retrace", "python_value beta", "avoidable")] * 3)},
    "closures_of_minibatches": {
        "evaluated": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
        "powered": (2, 0, [("recreated", "recreated_function ", "avoidable")]),
    },
    "rewards_of_growing_batches": {
        "step": (1, 0, [
            ("retrace", "shape x, shape y", "bounded"), ("retrace", "python_type weights", "bounded"),
            ("retrace", "shape x, shape y, shape weights", "bounded"),
        ]),
    },
    "batches_of_whole_and_real_numbers": {
        "average": (1, 0, [("retrace", "dtype x", "avoidable")]),
        "brighten": (1, 0, [("retrace", "dtype pixels", "avoidable")]),
        "normalized": (1, 0, [("retrace", "dtype pixels", "avoidable")]),
    },
    "shares_of_a_ranking": {
        "kept": (1, 0, [("retrace", "python_value share", "avoidable")] * 2),
        "best": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
        "first": (1, 0, [("retrace", "python_value rows", "avoidable")] * 2),
    },
    "tokens_that_are_lengthened": {
        name: (1, 0, [("retrace", ", ".join(f"python_value tokens[{i}]" for i in range(4)), "avoidable")] * 2)
        for name in ("ended", "plain")
    },
    "losses_per_row": {
        name: (1, 0, [("retrace", "shape x", "avoidable")] * 2) for name in ("per_row", "guarded", "both_ways")
    },
    "brightness_of_bytes": {
        "scaled": (1, 0, [("retrace", "python_value factor", "avoidable")] * 2),
        "repeated": (1, 0, [("retrace", "python_value times", "avoidable")] * 2),
    },
    "entropy_as_text_or_number": {
        "actor_loss": (1, 0, [
            ("retrace", "python_type coefficient", "unknown"), ("retrace", "python_type coefficient", "avoidable"),
        ]),
        "drop": (1, 0, [("retrace", "python_value rate", "unknown"), ("retrace", "python_value rate", "avoidable")]),
        "reduced": (1, 0, [("retrace", "structure axis", "unknown"), ("retrace", "structure axis", "avoidable")]),
        "select": (1, 0, [("retrace", "structure columns", "unknown"), ("retrace", "structure columns", "avoidable")]),
        "frozen": (1, 0, [("retrace", "python_value flags[1]", "unknown")]),
    },
    "ridge_of_each_fold": {"step": (6, 0, [("recreated", "recreated_function ", "avoidable")] * 5)},
    "pictures_enlarged_by_a_factor": {
        "enlarge": (1, 0, [
            ("retrace", "python_value factor", "avoidable"),
            *[("retrace", "shape picture", "avoidable"), ("retrace", "python_value factor", "avoidable")] * 2,
        ]),
    },
    "models_with_the_number_of_their_fold": {
        "step": (1, 0, [
            ("retrace", "shape x", "avoidable"),
            *[
                ("retrace", "object_identity net, python_value fold", "unknown"),
                ("retrace", "shape x", "avoidable"),
            ] * 2,
        ]),
    },
    "partials_with_a_default": {
        "focal": (3, 0, [("recreated", "recreated_function , python_value alpha", "avoidable")] * 2),
    },
    "limits_in_a_tuple_of_a_dictionary": {
        "update": (1, 0, [
            ("retrace", "python_value rewards[0], python_value rewards[2]", "avoidable"),
            ("retrace", "python_value rewards[0], python_value rewards[2], python_value limits['r'][1]", "avoidable"),
            ("retrace", "python_value rewards[0], python_value rewards[2]", "avoidable"),
        ]),
    },
    "whole_numbers_of_several_widths": {
        "shard": (1, 0, [("retrace", "dtype ids", "avoidable")]),
        "brighten": (1, 0, [("retrace", "dtype picture", "avoidable")]),
        "lookup": (1, 0, [("retrace", "dtype ids", "unknown")]),
    },
    "generators_of_each_seed": {
        "sample": (1, 0, [("retrace", "object_identity rng", "unknown")] * 2),
        "noisy": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
    },
    "steps_of_a_trainers_rate": {"step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "ids_of_text_and_numbers": {
        "bucket": (1, 0, [("retrace", "dtype ids", "unknown"), ("retrace", "dtype ids", "avoidable")]),
        "row_sums": (1, 0, [("retrace", "dtype x", "unknown"), ("retrace", "structure x", "avoidable")]),
    },
    "files_and_keys": {
        "load": (1, 0, [("retrace", "python_value path", "avoidable")] * 2),
        "find": (1, 0, [
            ("retrace", "python_value keys[0]", "avoidable"), ("retrace", "python_value keys[1]", "avoidable"),
        ]),
        "activate": (1, 0, [("retrace", "python_value mode", "bounded")]),
        "described": (1, 0, [("retrace", "python_value name", "unknown")]),
        "weighted": (1, 0, [("retrace", "python_value key", "unknown")]),
        "by_name": (1, 0, [("retrace", "python_value key", "unknown")]),
    },
    "logs_of_each_epoch": {
        "evaluate": (1, 0, [("retrace", "python_value epoch", "avoidable")] * 2),
        "metrics": (1, 0, [("retrace", "python_value epoch", "avoidable")] * 2),
    },
    "schedules_computed_in_python": {
        "decayed": (1, 0, [("retrace", "python_value step", "avoidable")] * 2),
        "cooled": (1, 0, [("retrace", "python_value step", "avoidable")] * 2),
        "repeated": (1, 0, [("retrace", "python_value times", "avoidable")] * 2),
    },
    "optimizer_of_the_users_own": {"step": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "advantages_of_episodes": {
        "advantages": (1, 0, [
            ("retrace", "shape rewards, shape values", "avoidable"),
            ("retrace", "shape rewards, shape values, python_value lam", "avoidable"),
            ("retrace", "python_value lam", "avoidable"),
        ]),
    },
    "windows_of_gradients": {"apply": (1, 0, [("retrace", "structure gradients, structure rows", "avoidable")])},
    "clip_beside_a_kl_that_decides": {
        "update": (1, 0, [
            ("retrace", "python_value kl", "avoidable"),
            *[("retrace", "python_value clip, python_value kl", "avoidable")] * 2,
        ]),
    },
    "model_loaded_anew": {"predict": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "layers_frozen_in_between": {"train_step": (1, 0, [("retrace", "shape x, shape y", "avoidable")] * 2)},
    "loss_scale_beside_casts": {"step": (1, 0, [("retrace", "dtype x", "avoidable")])},
    "summaries_of_some_steps": {"train_step": (1, 0, [("retrace", "python_value step", "avoidable")] * 4)},
    "sizes_of_noise": {
        "error_rate": (1, 0, [
            ("retrace", "python_value batch_size", "avoidable"),
            ("retrace", "python_value decibels", "avoidable"),
            ("retrace", "python_value batch_size", "avoidable"),
        ]),
    },
    "rate_of_a_layer": {"step": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "numbers_that_are_attributes": {
        "activate": (1, 0, [("retrace", "python_value slope", "avoidable")] * 2),
        "pooled": (1, 0, [("retrace", "python_value size", "unknown")] * 2),
        "strided": (1, 0, [("retrace", "python_value strides[0], python_value strides[1]", "unknown")] * 2),
        "powers": (1, 0, [("retrace", "python_value n", "avoidable")] * 2),
    },
    "sizes_read_in_python": {
        name: (1, 0, [("retrace", "shape x", "avoidable")] * 2)
        for name in ("mean", "scaled", "placed", "looked_up", "measured")
    },
    "pictures_of_one_channel": {
        "coloured": (1, 0, [("retrace", "shape picture", "avoidable")]),
        "train": (1, 0, [("retrace", "shape x, shape mask", "avoidable")] * 2),
    },
    # what an unknown shape would never end
    "recursion_over_halves": {
        "total": (1, 0, [("retrace", "shape x", "unknown")] * 3),
        "tree": (1, 0, [("retrace", "structure node", "unknown")] * 2),
    },
    "losses_of_two_deltas": {
        "__call__": (4, 0, [
            *[("recreated", "object_identity self", "avoidable")] * 2, ("recreated", "object_identity self", "unknown"),
        ]),
        "step": (4, 0, [
            ("recreated", "recreated_function ", "avoidable"), ("recreated", "recreated_function ", "unknown"),
            ("recreated", "recreated_function ", "avoidable"),
        ]),
    },
    "models_of_an_ensemble": {
        "predict": (1, 0, [
            ("retrace", "object_identity member", "bounded"),
            *[("retrace", "shape x", "avoidable"), ("retrace", "object_identity member", "avoidable")] * 2,
        ]),
    },
    "noise_with_a_seed": {"augment": (1, 0, [("retrace", "python_value epoch", "avoidable")] * 2)},
    "seed_of_an_operation": {"sample": (1, 0, [("retrace", "python_value seed", "avoidable")] * 2)},
    "weights_of_the_module": {"<lambda>": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "ragged_rows_and_a_mode": {
        "pool": (1, 0, [
            *[("retrace", "composite_spec words", "avoidable")] * 2,
            ("retrace", "python_value mode", "bounded"),
            *[("retrace", "composite_spec words", "avoidable")] * 2,
        ]),
    },
    "activation_with_python_bounds": {
        "soft_shrink": (1, 0, [
            ("retrace", "python_value lower, python_value upper", "avoidable"),
            ("retrace", "python_value upper", "avoidable"),
        ]),
    },
    "agent_with_a_clip_schedule": {
        "update": (1, 0, [
            ("retrace", "shape obs, shape act, shape adv", "avoidable"),
            *[("retrace", "python_value clip", "avoidable")] * 4,
        ]),
    },
    "augmented_images_in_some_batches": {
        "loss": (1, 0, [
            ("retrace", "structure batch['augmented']", "avoidable"),
            ("retrace", "structure batch['weights']", "avoidable"),
        ]),
    },
    "agents_of_each_discount": {"learn": (4, 0, [("recreated", "object_identity self", "unknown")] * 3)},
    # a flag has two values; of a text there may be more
    "functions_made_again_for_a_flag": {
        "_run_event": (3, 0, [
            ("recreated", "recreated_function ", "bounded"), ("recreated", "recreated_function ", "avoidable"),
        ]),
        "_reduce": (4, 0, [
            *[("recreated", "recreated_function ", "avoidable")] * 2, ("recreated", "recreated_function ", "unknown"),
        ]),
    },
    "gradients_of_methods": {
        "gradient": (1, 0, [
            ("retrace", "object_identity func", "avoidable"),
            ("retrace", "object_identity func, shape inputs, shape labels", "avoidable"),
        ]),
        "run_epoch": (1, 0, [
            ("retrace", "object_identity step", "bounded"), *[("retrace", "object_identity step", "avoidable")] * 2,
            ("retrace", "shape batch, object_identity step", "avoidable"),
            ("retrace", "object_identity step", "avoidable"),
        ]),
    },
    "bound_method_as_argument": {
        "epoch": (1, 0, [("retrace", "object_identity loss_function", "avoidable")] * 3),
    },
    # that it failed is of the int64, and so is it no dtype to make tensors of
    "chain_lengths_from_numpy": {
        "sample_chain": (1, 1, [
            ("retrace", "python_value num_results, python_type step_size", "avoidable"),
            ("retrace", "python_type num_results", "avoidable"),
        ]),
    },
    "chosen_by_a_number": {
        "advantages": (1, 0, [("retrace", "python_value player", "bounded")] * 2),
        "acquisition": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
    },
    # by passing its tensors, or an ExtensionType
    "posteriors_of_each_step": {"elbo": (1, 0, [("retrace", "object_identity dist", "avoidable")] * 3)},
    "beliefs_with_a_width": {"score": (1, 0, [("retrace", "object_identity belief", "avoidable")] * 3)},
    "settings_of_two_functions": {
        "evaluate": (1, 0, [("retrace", "object_identity settings", "avoidable")]),
        "train": (1, 0, [("retrace", "object_identity settings", "avoidable")] * 3),
    },
    "prices_of_each_day": {
        "discounted": (1, 0, [
            ("retrace", "structure prices", "unknown"),
            ("retrace", "python_value prices[0], python_value prices[1], python_value prices[2]", "avoidable"),
            ("retrace", "structure prices", "avoidable"),
            ("retrace", "python_value prices[0], python_value prices[2]", "avoidable"),
        ]),
    },
    "augmenters_in_turns": {
        "augment": (1, 0, [
            ("retrace", "object_identity settings", "unknown"),
            *[("retrace", "object_identity settings", "avoidable")] * 4,
        ]),
    },
    "lambdas_of_several_models": {
        "<lambda>": (3, 0, [
            *[("retrace", "shape x", "avoidable")] * 2,
            *[
                ("recreated", "recreated_function , object_identity model", "unknown"),
                *[("retrace", "shape x", "avoidable")] * 2,
            ] * 2,
        ]),
    },
    "cache_that_begins_as_none": {
        "decode": (1, 0, [
            ("retrace", "python_type cache", "bounded"),
            *[("retrace", "python_value cache['position']", "avoidable")] * 2,
        ]),
    },
    "default_and_passed_in_a_line": {
        "smooth": (1, 0, [
            ("retrace", "python_value width", "avoidable"),
            ("retrace", "python_value width", "avoidable"),
            ("retrace", "rank series", "avoidable"),
        ]),
    },
    "made_of_a_method": {
        "eager_serving": (2, 0, [
            *[("retrace", "shape inputs['input_ids']", "avoidable")] * 2,
            ("recreated", "object_identity self", "unknown"),
            *[("retrace", "shape inputs['input_ids']", "avoidable")] * 2,
        ]),
    },
    "decoder_over_a_dimension": {
        "train_step": (1, 0, [
            ("retrace", "shape inp", "avoidable"), ("retrace", "shape targ", "avoidable"),
            ("retrace", "shape inp, shape targ", "avoidable"),
        ]),
    },
    "layers_that_fade_in": {
        "train_step": (1, 0, [
            *[("retrace", "python_value alpha", "avoidable")] * 2,
            *[
                ("retrace", "shape images, python_value level", "unknown"),
                *[("retrace", "python_value alpha", "avoidable")] * 2,
            ] * 2,
        ]),
    },
    # a list is indexed by no tensor
    "levels_of_a_generator": {
        "averaged": (1, 0, [("retrace", "python_value step", "avoidable")] * 5),
        "generate": (1, 0, [
            *[("retrace", "python_value alpha", "avoidable")] * 2,
            *[
                ("retrace", "python_value level", "unknown"), *[("retrace", "python_value alpha", "avoidable")] * 2,
            ] * 2,
        ]),
    },
    "numbers_of_other_dtypes": {
        "train_step": (1, 0, [
            ("retrace", "python_value accumulated", "avoidable"),
            ("retrace", "python_value gamma", "avoidable"),
            ("retrace", "python_value step", "avoidable"),
            ("retrace", "python_value accumulated, python_value step", "avoidable"),
        ]),
    },
    "functions_inside_functions": {
        "step": (1, 0, [("retrace", "python_value n", "avoidable")]),
        "scaled": (2, 0, [
            ("retrace", "python_value k", "avoidable"),
            ("recreated", "recreated_function ", "avoidable"),
            ("retrace", "python_value k", "avoidable"),
        ]),
        "shifted": (2, 0, [("recreated", "recreated_function ", "avoidable")]),
        "<lambda>": (2, 0, [("recreated", "recreated_function ", "avoidable")]),
    },
    "kernel_of_each_chain": {
        "one_step": (4, 0, [("recreated", "recreated_function , object_identity kernel", "avoidable")] * 3),
    },
    # each temperature needs a function, and each list of steps a graph; one bound method would do
    "scores_of_each_request": {
        "search": (1, 0, [
            ("retrace", "object_identity score, python_value max_length", "avoidable"),
            ("retrace", "shape ids, object_identity score", "unknown"),
            ("retrace", "object_identity score", "avoidable"),
        ]),
        "refine": (1, 0, [("retrace", "structure steps", "unknown")]),
        "penalized": (1, 0, [("retrace", "object_identity penalize, python_value weight", "avoidable")]),
    },
    "kernels_by_shape": {
        "kernel": (3, 0, [
            ("recreated", "recreated_function , shape x", "unknown"),
            ("recreated", "recreated_function , rank x", "unknown"),
        ]),
    },
    # the partial has the first graph, the weighted one is made anew
    "losses_of_all_kinds": {
        "loss": (1, 0, [
            ("retrace", "object_identity fn", "bounded"),
            ("retrace", "python_type fn", "bounded"),
            ("retrace", "object_identity fn", "avoidable"),
            ("retrace", "python_type fn", "avoidable"),
            ("retrace", "object_identity fn", "avoidable"),
            ("retrace", "python_value reduction", "bounded"),
        ]),
    },
    "loss_of_each_batch": {"loss": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    # the fourth is nearest to the third, and differs from the second in nothing that need be
    "minibatch_as_lists": {
        "learn": (1, 0, [
            (
                "retrace",
                "python_value rewards[0], python_value rewards[1], python_value dones[0], python_value explore",
                "bounded",
            ),
            ("retrace", "python_value rewards[0], python_value rewards[1], python_value dones[1]", "avoidable"),
            ("retrace", "python_value dones[0], python_value explore", "avoidable"),
        ]),
    },
    "names_of_agents": {"act": (1, 0, [("retrace", "python_value agent", "avoidable")] * 2)},
    "pairs_closed_over": {
        "loss": (4, 0, [
            ("recreated", "recreated_function ", "unknown"),
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function ", "avoidable"),
        ]),
    },
    "wrapped_at_each_fit": {"evaluate": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "config_object_per_call": {"step": (1, 0, [("retrace", "object_identity config", "avoidable")] * 3)},
    # the Python objects that are called, and library code, are the user's to make once all the same
    "compiled_in_the_loop": {
        "double": (1, 0, []),
        "Reward": (3, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , shape x", "avoidable"),
        ]),
        "infer": (3, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , shape x", "avoidable"),
        ]),
        "Sequential": (3, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , shape args[0]", "avoidable"),
        ]),
        "restored_function_body": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
    },
    "scales_in_steps_of_a_dataset": {
        "<lambda>": (
            6, 0,
            [("recreated", "recreated_function ", "unknown")] * 2
            + [("recreated", "recreated_function ", "avoidable")] * 3,
        ),
    },
    "dataset_reads_a_number": {"<lambda>": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "rates_in_a_dictionary": {
        "discounted": (1, 0, [("retrace", "shape rewards", "avoidable")] * 2),
        "step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
        "returns": (1, 0, [("retrace", "python_value scale", "avoidable")] * 2),
        "scaled": (1, 0, [("retrace", "python_value scale", "avoidable")] * 2),
    },
    "drawn_while_traced": {
        "explore": (1, 0, [("retrace", "shape observations", "avoidable")] * 2),
        "update": (1, 0, [("retrace", "shape batch", "avoidable")] * 2),
        "evaluate": (1, 0, [("retrace", "shape batch", "avoidable")] * 2),
        "cooled": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
    },
    "rates_that_come_again": {"decayed": (1, 0, [("retrace", "python_value rate", "avoidable")] * 2)},
    "states_kept_in_an_object": {"cell": (1, 0, [("retrace", "python_value rate", "avoidable")] * 2)},
    "asked_for_rank_and_dtype": {
        "act": (1, 0, [("retrace", "rank observation", "bounded"), ("retrace", "shape observation", "avoidable")]),
        "brightness": (1, 0, [("retrace", "dtype picture", "avoidable")]),
    },
    "seeds_of_operations": {
        "stateless": (1, 0, [("retrace", "python_value seed", "avoidable")] * 2),
        "stateful": (1, 0, [("retrace", "python_value seed", "avoidable")] * 2),
        "noisy": (1, 0, [("retrace", "python_value scale", "avoidable")] * 2),
    },
    "dates_and_paths": {
        "weigh": (1, 0, [("retrace", "python_value day", "avoidable")]),
        "tag": (1, 0, [("retrace", "python_value path", "unknown")]),
    },
    "decorator_hides_the_step": {
        "encode": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
        "decode": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
    },
    "discount_that_is_annealed": {
        "discounted": (1, 0, [("retrace", "shape rewards", "avoidable")] * 2),
    },
    "enum_and_type_arguments": {
        "scale": (1, 0, [("retrace", "python_value level", "bounded")]),
        "reduce": (1, 0, [
            ("retrace", "object_identity mode", "bounded"), ("retrace", "object_identity dtype", "bounded"),
        ]),
    },
    "epsilon_of_an_agent": {"act": (1, 0, [("retrace", "python_value epsilon", "avoidable")] * 4)},
    "error_then_success": {"project": (1, 2, [])},
    "evaluate_in_a_callback": {},
    "frozen_config": {"step": (1, 0, [("retrace", "object_identity config", "avoidable")])},
    "gan_with_two_optimizers": {
        "update": (1, 0, [("retrace", "object_identity model, object_identity optimizer", "unknown")]),
    },
    "generator_with_a_partial_batch": {
        "train_step": (1, 0, [("retrace", "shape batch, shape labels", "avoidable")]),
    },
    "jit_with_lengths": {"total": (1, 0, [])},
    # 3, 12 and 30 are far from what came before them
    "jit_with_sentences": {
        "embed": (1, 0, [
            ("retrace", "shape tokens, shape weights", "unknown" if length in (3, 12, 30) else "avoidable")
            for length in (3, 12, 5, 30, 11, 4, 28, 6, 13, 31)
        ]),
    },
    "keyword_order": {
        "combine": (1, 0, [
            ("retrace", "structure extra['bias']", "avoidable"), ("retrace", "structure extra['shift']", "avoidable"),
        ]),
    },
    "lambda_in_a_loop": {"<lambda>": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3)},
    "list_of_losses_grows": {"smoothed": (1, 0, [("retrace", "structure history", "avoidable")] * 3)},
    "losses_made_per_call": {"train_step": (1, 0, [("retrace", "object_identity loss", "avoidable")] * 2)},
    "mask_sometimes_missing": {
        "score": (1, 0, [
            ("retrace", "python_type features['mask']", "bounded"),
            ("retrace", "structure features['mask']", "avoidable"),
        ]),
    },
    "methods_of_two_subclasses": {
        "forward": (2, 0, [("recreated", "python_type self", "bounded")]),
        # up to Python 3.12 a classmethod asks the tf.function below it for one bound to the class
        "scale": (1, 0, [("retrace", "object_identity cls", "avoidable")])
        if sys.version_info >= (3, 13)
        else (2, 0, [("recreated", "object_identity self", "unknown")]),
    },
    "mixed_precision_inputs": {"normalize": (1, 0, [("retrace", "dtype x", "avoidable")])},
    "model_compiled_and_called": {"Sequential": (1, 0, [("retrace", "shape args[0]", "avoidable")] * 2)},
    "vectorized_eagerly": {
        "compiled": (1, 0, []),
        "f": (6, 0, [("recreated", "recreated_function ", "avoidable")] * 5),
    },
    "settings_of_two_contents": {
        "solve": (1, 0, [
            ("retrace", "object_identity f, object_identity settings", "avoidable"),
        ] * 3),
    },
    "rates_of_all_dtypes": {
        "descend": (1, 0, [("retrace", "python_type rate", "avoidable"), ("retrace", "dtype rate", "avoidable")]),
        "total": (1, 0, [("retrace", "composite_spec values", "avoidable")]),
    },
    "widths_of_layers": {
        "network": (1, 0, [("retrace", "structure widths", "unknown")] * 2),
        "embed": (1, 0, [("retrace", "structure tokens", "avoidable")]),
    },
    "subclassed_model_compiled": {"Ranker": (1, 0, [("retrace", "shape args[0]", "avoidable")] * 2)},
    "mode_as_a_string": {
        "run": (1, 0, [("retrace", "python_value mode", "bounded"), ("retrace", "python_type reduction", "bounded")]),
    },
    "named_tuples_of_tensors": {
        "learn": (1, 0, [
            ("retrace", "shape transition.state, shape transition.action, shape transition.done", "avoidable"),
            ("retrace", "dtype transition.done", "avoidable"),
            ("retrace", "python_type transition.done", "avoidable"),
        ]),
    },
    "optimizer_of_each_step": {
        "train_step": (1, 0, [("retrace", "object_identity optimizer", "avoidable")] * 3),
    },
    "new_optimizer_in_each_fold": {
        "train_step": (1, 1, [
            ("variable_creation", "variable_creation ", "needed"),
            ("retrace", "object_identity model, object_identity optimizer", "avoidable"),
        ]),
    },
    "functions_made_after_a_change": {
        "evaluate": (2, 0, [("recreated", "recreated_function ", "unknown")]),
        "simple_function": (2, 0, [("recreated", "recreated_function ", "unknown")]),
    },
    "ensembles_of_each_evaluation": {
        "ensemble_crossentropy": (1, 0, [("retrace", "shape logits, python_value ensemble_size", "unknown")]),
        "test_step": (1, 0, [("retrace", "python_value num_eval_samples", "avoidable")]),
        "utility": (1, 0, [("retrace", "python_value lmbda", "avoidable")] * 2),
    },
    "numbers_of_splits": {
        "heads": (1, 0, [("retrace", "python_value n", "unknown")] * 2),
        "refine": (1, 0, [("retrace", "python_value steps", "avoidable")] * 2),
    },
    "numpy_scalars": {
        "apply": (1, 0, [("retrace", "python_type rate", "avoidable"), ("retrace", "python_value rate", "avoidable")]),
    },
    "numpy_numbers_in_a_factory": {"step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "partial_of_a_step": {
        "step": (3, 0, [("recreated", "recreated_function , python_value rate", "avoidable")] * 2),
    },
    "python_iterators_as_arguments": {
        "epoch": (1, 0, [("retrace", "object_identity data", "avoidable")] * 2),
        "weigh": (1, 0, [("retrace", "python_value pairs", "avoidable")] * 2),
    },
    # as a tensor, the number could not end the recursion
    "recursion_on_a_number": {
        "power": (1, 0, [("retrace", "python_value n", "unknown")] * 3),
        "even": (1, 0, [("retrace", "python_value n", "unknown")]),
        "odd": (1, 0, [("retrace", "python_value n", "unknown")]),
    },
    "classes_with_fields": {
        "message": (1, 0, [
            ("retrace", "composite_spec g.__tf_flatten__()[0]", "unknown"),
            *[("retrace", "shape g.nodes, shape g.edges", "avoidable")] * 2,
        ]),
        "loss": (1, 0, [
            ("retrace", "python_type b.mask", "bounded"),
            ("retrace", "structure b.extra['b']", "unknown"),
            *[("retrace", "shape b.x, shape b.extra['a']", "avoidable")] * 3,
        ]),
    },
    # None or not: two of the first size, and all others are of other sizes
    "states_after_the_first_call": {
        "generate": (1, 0, [
            ("retrace", "python_type states", "bounded"),
            *[("retrace", "shape x", "avoidable"), ("retrace", "python_type states", "avoidable")] * 3,
        ]),
        "masked": (1, 0, [
            ("retrace", "python_type mask", "bounded"), ("retrace", "shape x, shape mask", "avoidable"),
        ]),
    },
    # a variable's own identity is no part of the key; of pictures there may be any number
    "variables_as_arguments": {
        "mix": (1, 0, [
            ("retrace", "variable_identity one, variable_identity three", "bounded"),
            ("retrace", "shape one", "bounded"),
        ]),
        "total": (1, 0, [("retrace", "dtype x", "bounded")]),
        "step": (1, 0, [
            *[("retrace", "shape image", "unknown")] * 10,
        ]),
        "train": (1, 0, [("retrace", "structure variables", "unknown")]),
    },
    "keys_that_are_equal": {
        "macro": (1, 0, [("retrace", "shape per_class[0], shape per_class[1]", "avoidable")]),
    },
    "sampler_defined_per_call": {"chain": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3)},
    "sequences_grow_while_decoding": {"next_token": (1, 0, [("retrace", "shape tokens", "avoidable")] * 4)},
    "shape_from_python": {
        "resize": (1, 0, [
            ("retrace", "python_value size[0], python_value size[1]", "avoidable"),
            ("retrace", "structure size", "avoidable"),
        ]),
    },
    "static_argument_of_a_layer": {"__call__": (1, 0, [("retrace", "python_value training", "bounded")])},
    # the generator itself is Python that runs in each iteration: only what makes it another one counts
    "generator_dataset_in_every_epoch": {
        name: (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)
        for name in ("flat_map_fn", "get_iterator_id_fn", "generator_next_fn", "finalize_fn")
    },
    "generator_of_each_fold": {
        name: (3, 0, [("recreated", "recreated_function ", word) for word in ("unknown", "avoidable")])
        for name in ("flat_map_fn", "get_iterator_id_fn", "generator_next_fn", "finalize_fn")
    },
    "tf_data_in_every_epoch": {"<lambda>": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "two_models_of_a_class": {"predict": (3, 0, [("recreated", "object_identity self", "bounded")] * 2)},
    "variables_made_on_demand": {
        "network": (1, 0, [("variable_creation", "variable_creation ", "needed")]),
        "train": (1, 0, []),
    },
    "bounded_set_of_sizes": {"features": (1, 0, [("retrace", "shape image", "avoidable")] * 2)},
    "custom_gradient_and_map_fn": {"step": (1, 0, [("retrace", "shape xs", "avoidable")])},
    "dataset_argument": {"epoch": (1, 0, [])},
    "decorator_without_wraps": {
        # one code to Python, and so to us: what the two objects close over tells them apart
        "inner": (2, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("retrace", "shape args[0]", "avoidable")] * 2,
        ]),
    },
    "device_scopes": {"f": (1, 0, [])},
    "dict_of_features_in_another_order": {"f": (1, 0, [("retrace", "structure features['c']", "avoidable")])},
    "extension_type": {
        "total": (1, 0, [
            ("retrace", "shape masked.values", "avoidable"), ("retrace", "python_value masked.scale", "avoidable"),
        ]),
    },
    "function_in_a_property": {"_forward": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "get_concrete_function_by_hand": {"double": (1, 0, [("retrace", "shape x", "avoidable")])},
    "jacobian_with_pfor": {"jacobian": (1, 0, [("retrace", "shape x", "avoidable")])},
    "learning_rate_schedule_object": {"train": (1, 0, [("retrace", "object_identity schedule", "avoidable")] * 2)},
    "nested_helper_with_python_loop": {
        "network": (1, 0, [("retrace", "shape x", "avoidable")]),
        "layer": (1, 0, [
            *[("retrace", "python_value index", "avoidable")] * 2, ("retrace", "shape x", "avoidable"),
            *[("retrace", "python_value index", "avoidable")] * 2,
        ]),
    },
    "none_default_then_tensor": {"rnn": (1, 0, [("retrace", "python_type state", "bounded")])},
    "numpy_int_arguments": {
        "tile": (1, 0, [
            ("retrace", "python_type times", "avoidable"), ("retrace", "python_value times", "avoidable"),
            ("retrace", "dtype times", "avoidable"),
        ]),
    },
    "predict_on_tensors_of_many_sizes": {"serve": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "options_as_keywords": {
        "augment": (1, 0, [
            ("retrace", "structure options['flip']", "bounded"),
            ("retrace", "structure options['gain']", "avoidable"),
            ("retrace", "python_value options['gain']", "avoidable"),
            ("retrace", "structure options['bias']", "avoidable"),
        ]),
    },
    "factory_of_losses_and_rates": {
        "step": (4, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 2,
        ]),
    },
    "keras_fit_with_validation": {
        "one_step_on_data": (2, 0, [("recreated", "recreated_function ", "bounded")]),
        "multi_step_on_iterator": (2, 0, [("recreated", "recreated_function ", "bounded")]),
    },
    "steps_called_in_many_ways": {
        "step": (1, 0, [
            *[("retrace", "python_value rate", "avoidable")] * 3, ("retrace", "python_type limit", "bounded"),
            ("retrace", "python_value rate", "avoidable"), ("retrace", "python_value limit", "avoidable"),
        ]),
        "clipped": (1, 0, [("retrace", "python_value limit", "avoidable")]),
    },
    # of the last two the functions are the same, and of the others none
    "flow_of_each_rate": {
        "solve": (1, 0, [
            *[("retrace", "object_identity flow, shape points", "avoidable")] * 2,  # its rate alone
            ("retrace", "object_identity flow, shape points", "bounded"),  # a function of other code
            ("retrace", "object_identity flow, shape points", "avoidable"),
        ]),
    },
    "layer_traced_while_it_is_built": {"call": (1, 0, [("retrace", "shape x", "avoidable")])},
    "loaded_model_asked_with_sentences": {
        "__call__": (1, 0, [
            ("retrace", "composite_spec inputs[0], composite_spec inputs[1], context variable_policy", "bounded"),
        ]),
        "restored_function_body": (1, 0, [("retrace", "shape inputs[0], shape inputs[1]", "avoidable")] * 2),
    },
    "states_of_one_and_of_many": {
        "act": (1, 0, [
            ("retrace", "python_value test", "bounded"),
            *[("retrace", "shape states", "avoidable"), ("retrace", "python_value test", "avoidable")] * 2,
        ]),
    },
    "flag_beside_last_batches": {
        "step": (1, 0, [
            ("retrace", "shape x, shape y", "avoidable"), ("retrace", "python_value training", "bounded"),
            ("retrace", "shape x, shape y", "avoidable"),
        ]),
    },
    "optimizer_beside_a_last_batch": {"train_step": (1, 0, [("retrace", "shape x, shape y", "avoidable")])},
    "partials_of_powers": {
        "power": (2, 0, [
            ("retrace", "python_value scale", "avoidable"),
            ("recreated", "recreated_function , python_value n", "avoidable"),
            ("retrace", "python_value scale", "avoidable"),
        ]),
    },
    "points_of_two_dtypes": {
        "loss_grad": (1, 0, [
            # of the first trace's shape
            *[("retrace", "shape pts", "avoidable")] * 2, ("retrace", "dtype pts", "avoidable"),
        ]),
    },
    "reduce_in_every_epoch": {"add": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3)},
    "requests_as_lists": {
        "infer": (1, 0, [
            ("retrace", "structure tokens", "avoidable"),
            ("retrace", "structure tokens[0]", "avoidable"),
            ("retrace", "structure tokens", "avoidable"),
            *[("retrace", "shape tokens", "avoidable")] * 2,
            *[("retrace", "python_value temperature", "avoidable")] * 2,
        ]),
    },
    "queries_over_a_catalogue": {
        "score": (6, 0, [
            ("recreated", "recreated_function ", word)
            for word in ("avoidable", "avoidable", "bounded", "avoidable", "avoidable")
        ]),
    },
    "ragged_batches": {"lengths": (1, 0, [("retrace", "composite_spec words", "avoidable")] * 2)},
    "reduce_retracing_of_two_dimensions": {"crop": (1, 0, [("retrace", "shape image", "bounded")] * 2)},
    "states_that_outgrow_a_constant": {"encode": (1, 0, [("retrace", "shape words", "avoidable")] * 5)},
    "instances_that_nothing_holds": {"scaled": (3, 3, [])},
    "sizes_in_two_steps_of_a_dataset": {
        "smaller": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3),
        "shaped": (4, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            ("recreated", "recreated_function , shape image", "unknown"),
            ("recreated", "recreated_function ", "avoidable"),
        ]),
    },
    "sparse_features": {"total": (1, 0, [("retrace", "composite_spec features", "avoidable")] * 2)},
    "string_keys_of_a_vocabulary": {"tokenize": (1, 0, [("retrace", "python_value text", "avoidable")] * 2)},
    "threads_share_a_function": {"work": (1, 0, [("retrace", "shape x", "avoidable")])},
    "variables_of_two_shapes": {
        "update": (1, 0, [
            ("retrace", "shape variable, shape gradient", "bounded"),
            ("retrace", "rank variable, rank gradient", "bounded"),
        ]),
    },
    # Keras' own functions alone
    "compile_again": {
        "one_step_on_data": (3, 0, [
            ("recreated", "recreated_function ", "bounded"),  # trains what was frozen
            ("recreated", "recreated_function ", "avoidable"),  # compiled with the same as before
        ]),
        "multi_step_on_iterator": (3, 0, [
            ("recreated", "recreated_function ", "bounded"),  # trains what was frozen
            ("recreated", "recreated_function ", "avoidable"),  # compiled with the same as before
        ]),
    },
    "compile_with_another_optimizer": {
        "one_step_on_data": (2, 0, [
            ("retrace", "shape data[0]", "bounded"),
            ("recreated", "recreated_function , structure data", "bounded"),  # the other optimizer needs it
            ("variable_creation", "variable_creation ", "needed"),
        ]),
    },
    "keras_fit_twice_with_other_batches": {
        "one_step_on_data": (1, 0, [("retrace", "shape data[0], shape data[1]", "bounded")]),
        "multi_step_on_iterator": (1, 0, [("retrace", "composite_spec iterator", "bounded")]),
    },
    "evaluation_with_other_sizes": {
        "permutation": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3),
        "slice_batch_indices": (4, 0, [("recreated", "recreated_function ", "avoidable")] * 3),
        "grab_batch": (4, 0, [("recreated", "recreated_function , shape data", "avoidable")] * 3),
        "one_step_on_data_distributed": (1, 0, [("retrace", "shape data[0]", "bounded")]),
    },
    "model_rebuilt_in_a_search": {
        # fit shuffles and predict does not: of each model's two pipelines each has its like in the model before
        "permutation": (8, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "recreated_function ", "avoidable")] * 6,
        ]),
        # a model of another rate could be the one before; of another width it needs a trace
        **{
            name: (4, 0, [("recreated", "recreated_function ", word) for word in ("avoidable", "avoidable", "bounded")])
            for name in ("multi_step_on_iterator", "one_step_on_data_distributed")
        },
    },
    "weights_of_some_batches": {
        "loss": (1, 0, [
            ("retrace", "shape batch['guess'], shape batch['truth'], structure batch['weights']", "avoidable"),
            ("retrace", "shape batch['guess'], shape batch['truth'], shape batch['weights']", "bounded"),
            ("retrace", "structure batch['weights']", "avoidable"),
        ]),
    },
    "losses_scaled_anew": {
        "step": (1, 0, [("retrace", "object_identity loss, python_value rate", "avoidable")] * 3),
    },
    "losses_of_a_script": {"step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "rows_beside_what_partials_bind": {
        "total": (2, 0, [
            ("recreated", "recreated_function , python_value axis", "avoidable"),
            *[("retrace", "shape x", "avoidable")] * 4,
        ]),
        "score": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
        "rate": (1, 0, [("retrace", "shape x", "avoidable")] * 2),
    },
    # a level's function is kept beside the others
    "partials_of_a_method": {
        "train": (2, 0, [
            *[("retrace", "python_value alpha", "avoidable")] * 2,
            ("recreated", "recreated_function , shape noise", "bounded"),
            *[("retrace", "python_value alpha", "avoidable")] * 2,
        ]),
    },
    "configurations_that_evaluation_does_not_read": {
        "run_batch": (1, 0, [
            ("retrace", "object_identity mode", "bounded"),
            *[
                ("retrace", "object_identity config", "avoidable"),
                ("retrace", "object_identity mode", "avoidable"),
            ] * 2,
        ]),
    },
    "curriculum_of_lengths_and_ratios": {
        "unroll": (1, 0, [
            *[("retrace", "shape x, python_value ratio", "avoidable")] * 2,
            ("retrace", "python_value ratio", "avoidable"),
        ]),
    },
    "gradients_summed_over_steps": {
        "accumulate": (1, 0, [
            *[("retrace", "python_value step", "avoidable")] * 2,
            ("retrace", "python_value step, python_value every", "avoidable"),
            *[("retrace", "python_value step", "avoidable")] * 2,
        ]),
    },
    "settings_that_are_replaced": {"step": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "rates_behind_a_local_name": {"step": (1, 0, [("retrace", "python_value alpha", "avoidable")] * 2)},
    "network_in_two_modes": {"forward": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "prices_in_two_fractions": {
        "price": (1, 0, [
            *[("retrace", "python_value spot", "avoidable")] * 2,
            ("retrace", "dtype strikes, python_value spot, python_type dtype", "bounded"),
            ("retrace", "python_type are_calls", "bounded"),
            ("retrace", "python_value are_calls[1], python_value are_calls[2]", "avoidable"),
        ]),
    },
    "metric_that_refuses_a_weight": {
        "update": (1, 3, [
            *[("retrace", "python_type sample_weight", "avoidable")] * 2,  # what fails is traced at each call
            ("retrace", "shape targets, shape predictions", "avoidable"),
            ("retrace", "python_type sample_weight", "avoidable"),
        ]),
    },
    "tables_made_on_demand": {
        "encode": (1, 1, [
            ("variable_creation", "variable_creation ", "needed"), ("retrace", "shape ids", "avoidable"),
            ("retrace", "python_value size", "avoidable"),
        ]),
    },
    "loops_of_each_trainer": {
        "loop": (4, 0, [
            ("recreated", "recreated_function ", "unknown"), ("recreated", "recreated_function ", "bounded"),
            ("recreated", "recreated_function , composite_spec batches", "unknown"),
        ]),
    },
    "losses_of_two_learners": {
        "loss": (4, 0, [
            ("recreated", "recreated_function ", "bounded"), *[("recreated", "object_identity self", "unknown")] * 2,
        ]),
    },
    "loop_with_two_limits": {
        "minimize": (1, 0, [
            *[("retrace", "python_value limit", "avoidable")] * 2,
            *[("retrace", "python_value limit, python_value parallel", "unknown")] * 2,
        ]),
    },
    "sentences_compiled_by_xla": {"encode": (1, 0, [])},
    "scales_in_a_type_of_ones_own": {
        "restored": (1, 0, [("retrace", "python_value q.scale, python_value q.shift", "avoidable")] * 3),
        "scaled": (1, 0, [("retrace", "python_value q.scale", "avoidable")] * 3),
    },
    "lists_of_layers_and_pyramids": {
        "heads": (1, 0, [("retrace", "structure levels", "unknown")] * 2),
        "network": (1, 0, [("retrace", "structure weights", "unknown")] * 2),
        "scaled": (1, 0, [("retrace", "structure outputs", "unknown")] * 2),
        "stack": (1, 0, [("retrace", "structure layers", "unknown")] * 2),
    },
    "texts_as_lists_and_tensors": {
        "lengths": (1, 0, [("retrace", "structure texts", "avoidable")] * 2),
    },
    # by passing the shift: one that keeps its default has the first one's
    "shifts_by_default": {"shifted": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    # what is clipped has other operations, of whatever size
    "trainers_that_clip_later": {
        "train_step": (2, 0, [
            *[("retrace", "shape x", "avoidable")] * 2, ("recreated", "object_identity self", "unknown"),
            *[("retrace", "shape x", "avoidable")] * 2,
        ]),
    },
    "layers_added_by_lambdas": {"run": (1, 0, [("retrace", "python_value scale", "avoidable")] * 2)},
    "settings_that_come_later": {"scaled": (1, 0, [("retrace", "shape x", "avoidable")] * 3)},
    "pools_that_are_enlarged": {
        "mean": (3, 0, [
            ("retrace", "shape x", "avoidable"),
            *[("recreated", "object_identity self", "avoidable"), ("retrace", "shape x", "avoidable")] * 2,
        ]),
    },
    "datasets_side_by_side": {
        name: (3, 0, [("recreated", "recreated_function ", word)] * 2)
        for name, word in (("<lambda>", "bounded"), ("doubled", "avoidable"))
    },
    "digits_and_keys": {
        "corrected": (1, 0, [("retrace", "python_value beta", "avoidable")] * 2),
        "bucket": (1, 0, [("retrace", "python_value ident", "avoidable")] * 2),
        "distance": (1, 0, [("retrace", "structure batch['reference']", "avoidable")]),
    },
    # an input signature would take what is passed as `self` for the images
    "steps_counted_above": {
        "step": (1, 0, [
            *[("retrace", "shape images", "avoidable")] * 2, *[("retrace", "python_value rate", "avoidable")] * 2,
        ]),
    },
    "kernels_of_each_width": {
        "<lambda>": (2, 0, [("recreated", "recreated_function ", "avoidable")]),
        "filtered": (1, 0, [("retrace", "python_value width", "avoidable")]),
    },
    "methods_below_a_timer": {
        "_run": (3, 0, [("recreated", "object_identity self", word) for word in ("unknown", "avoidable")]),
    },
    "paths_of_checkpoints": {
        "averaged": (1, 0, [(
            "retrace", ", ".join(
                "structure weights['/mnt/experiments/2026-11-25/language-mo…"
                f"{digest}…odels/{'language-models/' * 3}{end}']"
                for digest, end in (("1b3dc653", "checkpoint-2000"), ("984bdffe", "checkpoint-1000"))
            ), "avoidable",
        )]),
        "norm": (1, 0, [("retrace", "composite_spec weight", "bounded")]),
    },
    "rows_read_in_threads": {
        "whiten": (1, 0, [("retrace", "shape row", "avoidable")]),
        "read": (1, 0, []),
    },
    "predictions_of_several_steps": {"multi_step_on_data": (1, 0, [("retrace", "structure data", "bounded")])},
    "weights_of_replicas": {
        "norm": (1, 0, [
            *[("retrace", "composite_spec weight", "bounded")] * 2,
            *[("retrace", "object_identity how", "bounded")] * 2,
        ]),
    },
    "settings_that_compare": {
        "smoothed": (1, 0, [("retrace", "object_identity settings", "avoidable")]),
        "total": (1, 0, [("retrace", "python_value values", "avoidable")]),
    },
    "datasets_of_an_augmenter": {
        "shifted": (2, 0, [("recreated", "recreated_function ", "avoidable")]),
        "score": (2, 0, [("recreated", "recreated_function ", "unknown")]),
    },
    "methods_of_two_distributions": {
        "expected": (1, 0, [
            ("retrace", "object_identity density", "unknown"),
            *[("retrace", "object_identity density", "avoidable")] * 7,
        ]),
    },
    "batches_of_texts_of_each_length": {
        "train_step": (1, 0, [
            *[("retrace", "shape words, shape state", "avoidable")] * 2,
            ("retrace", "shape words, python_value is_forced", "bounded"),
            *[("retrace", "shape words, shape state", "avoidable")] * 2,
        ]),
    },
    # a loop over the steps fails where their number is unknown
    "states_observed_within_a_step": {
        "train": (1, 0, []),
        "observe": (1, 0, [("retrace", "shape embed", "avoidable")]),
    },
    # what the trace after the variables were made has read is known to the objects made later
    "reductions_of_an_aligner": {
        "_train_step": (3, 0, [
            ("variable_creation", "variable_creation ", "needed"),
            ("recreated", "recreated_function ", "bounded"), ("recreated", "recreated_function ", "unknown"),
        ]),
    },
    # what nothing reads is passed as one value, in the trace that is asked for, too
    "tokens_of_a_cached_decoder": {
        "next_token": (1, 0, [
            ("retrace", "shape ids, python_value step, python_type past", "bounded"),
            ("retrace", "shape ids, python_value step, shape past", "avoidable"),
            *[("retrace", "python_value temperature", "avoidable")] * 3,
        ]),
    },
    # Python that the graph runs takes it as an argument; None or not is no reason for a third trace
    "rotations_by_numpy": {
        "turned": (1, 0, [("retrace", "python_value degrees", "avoidable")] * 2),
        "blended": (1, 0, [
            ("retrace", "python_type alpha", "bounded"), ("retrace", "python_type alpha", "avoidable"),
        ]),
    },
    # of a bool and a tensor all calls pass one, or a signature makes it that
    "flags_of_an_actor": {
        "action": (1, 0, [
            ("retrace", "dtype state", "avoidable"), ("retrace", "shape state", "avoidable"),
            ("retrace", "python_value test", "bounded"), ("retrace", "python_type test", "avoidable"),
        ]),
    },
    "epochs_over_datasets_of_folds": {
        "epoch": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
        "scan_body": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
        "reduce_body": (3, 0, [("recreated", "recreated_function ", "unknown")] * 2),
    },
    # what is of another batch size comes after what is traced
    "rows_in_batches_of_each_size": {
        "scaled": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2),
    },
    # a value that the code itself takes can be passed
    "options_left_out_of_calls": {
        "score": (1, 0, [
            ("retrace", "structure options['bias']", "avoidable"),
            *[("retrace", "python_value options['bias']", "avoidable")] * 2,
            ("retrace", "structure options['weight']", "avoidable"),
            ("retrace", "structure options['bias']", "avoidable"),
        ]),
    },
    # each instance has a tf.function, and one outside of the class serves all
    "losses_with_a_weight_each": {"value": (4, 0, [("recreated", "object_identity self", "unknown")] * 3)},
    "models_of_several_classes": {"step": (1, 0, [("retrace", "python_type model", "bounded")] * 2)},
    # none of them changes while all are passed
    "options_of_others_left_out": {
        "adjusted": (1, 0, [
            ("retrace", "structure options['bias'], structure options['scale']", "avoidable"),
            ("retrace", "structure options['scale']", "avoidable"),
            ("retrace", "structure options['bias']", "avoidable"),
        ]),
    },
    "steps_over_each_iterator": {"step": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    "scales_of_lines_and_loops": {"scaled": (3, 0, [("recreated", "recreated_function ", "avoidable")] * 2)},
    # the decorated methods would do, which each agent wraps again
    "agents_that_wrap_decorated_methods": {
        "_train_step": (4, 0, [
            ("recreated", "recreated_function ", "avoidable"),
            *[("retrace", "shape states, shape rewards", "avoidable")] * 2,
            ("recreated", "recreated_function ", "avoidable"), ("recreated", "object_identity self", "unknown"),
            *[("retrace", "shape states, shape rewards", "avoidable")] * 2,
        ]),
    },
    # each trainer's function is passed its own learner's variables
    "learners_of_each_number_of_steps": {
        "meta_loss": (2, 0, [
            ("retrace", "shape batch[0], shape batch[1], shape other[0], shape other[1]", "avoidable"),
            ("recreated", "object_identity self", "unknown"),
            ("retrace", "shape batch[0], shape batch[1], shape other[0], shape other[1]", "avoidable"),
        ]),
    },
    # the lambda that calls the model gives its graph
    "attacks_on_a_model": {
        "compute_gradient": (1, 0, [
            ("retrace", "python_type model_fn, object_identity loss_fn", "avoidable"),
            *[("retrace", "object_identity model_fn", "avoidable")] * 2,
        ]),
    },
    # the iterator's own trace stays as it is
    "iterators_or_batches": {
        "train_step": (1, 0, [
            ("retrace", "composite_spec data", "unknown"), ("retrace", "shape data", "avoidable"),
        ]),
    },
    # the call that passed a tensor shows that the loop takes one
    "loops_as_long_as_asked": {
        "run": (1, 0, [
            *[("retrace", "python_value n", "avoidable")] * 2, ("retrace", "python_type n", "avoidable"),
            ("retrace", "rank x, python_value verbose", "bounded"),
            ("retrace", "rank x, python_type verbose", "avoidable"),
        ]),
    },
    # the mode that is asked for beforehand is the one that calls are told to pass
    "phases_and_modes": {
        "step": (1, 0, [
            ("retrace", "python_value phase, python_type alpha", "bounded"),
            ("retrace", "python_value mode", "avoidable"),
            *[
                ("retrace", "shape x", "avoidable"), ("retrace", "shape x, python_value alpha", "avoidable"),
                ("retrace", "python_value mode", "avoidable"),
            ] * 2,
        ]),
    },
    # each member of the Enum needs a trace, and no more: one for all sizes
    "modes_dtypes_and_shapes": {
        "prepared": (1, 0, [
            *[("retrace", "shape x", "avoidable"), ("retrace", "object_identity mode", "bounded")] * 2,
            ("retrace", "shape x", "avoidable"), ("retrace", "object_identity dtype", "bounded"),
            ("retrace", "python_type shape", "bounded"),
            ("retrace", "python_value shape[0], python_value shape[1]", "avoidable"),
            ("retrace", "shape x, structure shape", "avoidable"),
        ]),
    },
    # one object for both phases, in both lines
    "settings_kept_and_made": {
        "run": (1, 0, [
            ("retrace", "object_identity settings, python_value phase", "avoidable"),
            ("retrace", "shape x", "avoidable"),
            ("retrace", "object_identity settings, python_value phase", "avoidable"),
            *[("retrace", "object_identity settings", "avoidable")] * 2,
        ]),
    },
    # how one function would do for all of them is told
    "lenses_of_each_ray": {"bend": (4, 0, [("recreated", "object_identity self", "unknown")] * 3)},
    "scores_by_a_default_model": {"score": (1, 0, [("retrace", "shape x", "avoidable")] * 2)},
    "an_operation_by_itself": {"matmul": (1, 0, [("retrace", "shape a, shape b", "avoidable")] * 2)},
    # each pair of members that is passed needs a trace, and no more: one for both sizes
    "members_of_several_enums": {
        "step": (1, 0, [
            ("retrace", "object_identity parts", "bounded"), ("retrace", "object_identity mode", "bounded"),
            ("retrace", "object_identity parts", "bounded"), ("retrace", "shape x", "avoidable"),
            ("retrace", "object_identity parts", "avoidable"), ("retrace", "object_identity mode", "avoidable"),
            ("retrace", "object_identity parts", "avoidable"), ("retrace", "python_value level", "bounded"),
        ]),
    },
    "texts_of_other_counts": {
        "predict": (1, 0, [
            ("retrace", "structure texts, python_value count", "avoidable"),
            ("retrace", "python_value texts[0], python_value texts[1], python_type threshold", "bounded"),
            ("retrace", "python_value threshold", "avoidable"), ("retrace", "python_type threshold", "avoidable"),
        ]),
    },
    # the first call of each mode is needed, and of one function alone
    "sums_of_each_fit": {
        "step": (3, 0, [
            one for kind in ("", "recreated", "recreated") for one in (
                *([(kind, "recreated_function ", "avoidable")] if kind else []),
                ("retrace", "python_value mode", "bounded"),
                *[("retrace", "shape x", "avoidable"), ("retrace", "python_value mode", "avoidable")] * 2,
            )
        ]),
    },
    "steps_of_each_epoch": {
        "step": (3, 0, [
            one for kind in ("", "recreated", "recreated") for one in (
                *([(kind, "recreated_function ", "avoidable")] if kind else []),
                ("retrace", "shape x, shape y", "avoidable"),
                ("retrace", "shape x, shape y, python_value training", "bounded"),
                ("retrace", "shape x, shape y", "avoidable"),
            )
        ]),
    },
}  # fmt: skip
