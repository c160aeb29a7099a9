"""Programs as in people's issue threads: what is reported, against what TensorFlow did and an expert would say.

The expectations were written down from reading each program, before it was recorded: traces, causes, paths, verdicts,
and where advice promises a number of traces, the program with that change made by hand.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tests.support.counted_demo import ROOT
from tests.support.stores import load
from tests.support.tensorflow_version import IS_OLDEST
from tests.support.unseen_expected import EXPECTED
from tests.support.unseen_mended import MENDED

PROGRAMS = {path.stem: path for path in sorted((ROOT / "tests" / "support" / "unseen").glob("*.py"))}
#: With a test of their own each.
OF_THEIR_OWN = {"generator_dataset_in_every_epoch", "jit_with_sentences", "reduce_in_every_epoch"}
#: Tables of all programs: a test that looks one up is not of all.
OF_ALL = {"PROGRAMS", "EXPECTED", "MENDED"}
#: With the oldest TensorFlow a few: what is advised is computed by the viewer, which knows no TensorFlow.
#: From Python 3.13 on a class is passed to a tf.function that is a classmethod, and its advice is another.
OF_EARLIER_PYTHONS = {"scores_by_class_methods"} if sys.version_info >= (3, 13) else set()
MENDED_HERE = sorted({*sorted(MENDED)[:: 20 if IS_OLDEST else 1]} - OF_EARLIER_PYTHONS)
RUN_HERE = [name for place, name in enumerate(PROGRAMS) if not IS_OLDEST or place % 12 == 0 or name in MENDED_HERE]
#: So many that a second process, which loads TensorFlow first, is worth it.
_MANY = 30


def run_all(programs: list[Path], results: Path, *options: str) -> None:
    """Each in a fork of its own, under `tb-retrace run`; many from two processes: others are at their end by then."""
    results.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.support.run_gallery", str(results), *options]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}

    def run(some: list[Path]) -> None:
        done = subprocess.run(
            [*command, *map(str, some)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1800,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]

    parts = [programs[::2], programs[1::2]] if len(programs) > _MANY else [programs]
    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(run, parts))


@functools.cache
def report_of(log_dir: Path) -> list[dict[str, Any]]:
    store = Store(FileGraphs(str(log_dir)).blob)
    store.add(read_logdir(str(log_dir)))
    (session,) = json.loads(json.dumps(report(store)))["sessions"]
    functions: list[dict[str, Any]] = session["functions"]
    return functions


def own_attempts(results: Path, name: str) -> Counter[str]:
    """How often TensorFlow traced each function of the program, also in vain: of a program that is not recorded."""
    attempts = json.loads((results / f"{name}.json").read_text("utf-8"))["attempts"]
    return Counter(f"{a['name']} at {a['place']}" for a in attempts if "site-packages" not in a["place"])


def words(advice: dict[str, Any]) -> str:
    return " ".join([*advice["warnings"], advice["text"], *advice["notes"]])


def asked_for(request: pytest.FixtureRequest, names: list[str]) -> list[str]:
    """Those that the tests of this run are of, by parameters, by name or by a table: for `-k` no others are run."""
    asked: set[str] = set()
    for item in request.session.items:
        if isinstance(item, pytest.Function) and item.module is request.module:
            code = item.function.__code__
            asked |= set(constants_of(code))
            tables = [globals().get(name) for name in code.co_names if name not in OF_ALL]
            asked |= {str(name) for table in tables if isinstance(table, dict) for name in table}
            asked |= {str(value) for value in item.callspec.params.values()} if hasattr(item, "callspec") else set()
    return [name for name in names if name in asked]


def constants_of(code: CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, CodeType):
            yield from constants_of(constant)


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("unseen") / "as_they_are"
    run_all([PROGRAMS[name] for name in asked_for(request, list(PROGRAMS))], directory)
    return directory


@pytest.fixture(scope="module")
def mended(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs with their advice put in by hand, counted by TensorFlow; those with a test of their own are recorded."""
    sources = tmp_path_factory.mktemp("mended")
    for name in asked_for(request, MENDED_HERE):
        changes = MENDED[name][1]
        source = PROGRAMS[name].read_text("utf-8")
        for pattern, replacement in changes:
            source, count = re.subn(pattern, replacement, source, flags=re.MULTILINE)
            assert count, (name, pattern)
        (sources / f"{name}.py").write_text(source, "utf-8")
    directory = sources / "results"
    programs = sorted(sources.glob("*.py"))
    run_all([program for program in programs if program.stem not in OF_THEIR_OWN], directory, "--bare")
    run_all([program for program in programs if program.stem in OF_THEIR_OWN], directory)
    return directory


def test_every_program_has_its_expectations() -> None:
    assert set(EXPECTED) == set(PROGRAMS)


@pytest.mark.parametrize("name", RUN_HERE)
def test_traces_are_as_many_as_tensorflow_counted(name: str, results: Path) -> None:
    counted = json.loads((results / f"{name}.json").read_text("utf-8"))
    ours = {f"{f['file']}:{f['line']}": f for f in report_of(results / name)}
    # a program is given by its relative path, and is recorded with the path that Python knows
    for place, count in counted["counts"].items():
        if count and "__autograph_generated_file" not in place:
            function = next(f for where, f in ours.items() if where.endswith(place) or place.endswith(where))
            assert (function["traces"], function["objects"]) == (count, counted["objects"][place]), place
    assert sum(f["traces"] for f in report_of(results / name)) == sum(not a["failed"] for a in counted["attempts"])
    assert sum(f["failed_traces"] for f in ours.values()) == sum(a["failed"] for a in counted["attempts"])


@pytest.mark.parametrize("name", RUN_HERE)
def test_each_retrace_has_its_cause_path_and_verdict(name: str, results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / name)}
    for function_name, (objects, failed, later) in EXPECTED[name].items():
        function = functions[function_name]
        assert (function["objects"], function["failed_traces"]) == (objects, failed)
        told = [
            (e["kind"], ", ".join(f"{c['cause']} {c['path']}" for c in e["changes"]), e["verdict"])
            for e in function["events"]
            if e["kind"] != "first"
        ]
        assert told == later, function_name
    own = {f["name"] for f in functions.values() if not f["library"]}
    assert own <= set(EXPECTED[name])


@pytest.mark.newest
def test_the_code_of_a_change_is_that_of_the_program(results: Path) -> None:
    """A default value that the line leaves out, a name that the caller gives, a function that no decorator makes."""

    def code(name: str, rule: str) -> str:
        (function,) = report_of(results / name)
        return str(next(a["code"] for a in function["advice"] if a["rule"] == rule))

    assert code("default_and_passed_in_a_line", "tensor_for_python_number").splitlines() == [
        "level = smooth(series, width=tf.constant(3.0))",
        "difference = smooth(series, width=tf.constant(3.0)) - smooth(series, tf.constant(6.0))",
        "twice = smooth(smooth(series, tf.constant(2.0)), width=tf.constant(3.0))",
    ]
    assert code("cache_that_begins_as_none", "tensor_for_python_number") == (
        "if kept is not None: kept['position'] = tf.constant(kept['position'])"
    )
    signature = "input_signature=[{'input_ids': tf.TensorSpec([1, None], tf.int32)}]"
    assert (
        code("made_of_a_method", "input_signature") == f"tf.function(….eager_serving, {signature})  # where it is made"
    )


@pytest.mark.newest
def test_a_model_that_is_made_for_each_fold_can_be_kept(results: Path) -> None:
    """With an optimizer, whose learning rate is a variable, too: all are set back to what they were."""
    (step,) = report_of(results / "models_of_each_fold")
    (advice,) = step["advice"]
    assert (advice["rule"], advice["traces_before"], advice["traces_after"]) == ("keep_model", 3, 1)
    assert advice["code"].splitlines()[2:] == [
        "initial_opt = [variable.numpy() for variable in opt.variables]  # once, when all of them are made",
        "for variable, start in zip(opt.variables, initial_opt): variable.assign(start)  # before each run",
    ]


@pytest.mark.newest
def test_statements_over_several_lines_are_read_whole(results: Path) -> None:
    """A `shuffle` that stands in another line of the pipeline is warned of; what is called is found."""
    (pipeline,) = report_of(results / "pipelines_in_brackets")
    assert pipeline["advice"][0]["code"].startswith("dataset = (tf.data.Dataset.from_tensor_slices(images).map(scaled")
    assert "a `shuffle` begins anew in each dataset" in pipeline["advice"][0]["warnings"][0]
    codes = {f["name"]: f["advice"][0]["code"] for f in report_of(results / "shares_over_several_lines")}
    assert codes == {
        "report": 'print("über", float(report(values, tf.constant(0.5 / (i + 1)))))',
        "blended": "return (tf.reduce_sum(blended(values, tf.convert_to_tensor(share),)) + 1.0)",
    }


@pytest.mark.newest
def test_what_is_bound_or_decorated_first_is_passed_so(results: Path) -> None:
    codes = {f["name"]: f["advice"][0]["code"] for f in report_of(results / "partials_of_one_value")}
    assert codes["scaled"].startswith("compiled_scaled = tf.function(functools.partial(scaled, …))  # once")
    assert codes["total"].startswith("compiled_total = tf.function(…)  # once")
    long = next(f for f in report_of(results / "logged_methods") if f["name"] == "length")
    assert long["advice"][0]["code"].startswith("longepisode = LongEpisode(…)  # once")


@pytest.mark.newest
def test_what_is_made_once_is_made_as_it_was(results: Path) -> None:
    """With the keywords that it has, and called by the name of the tf.function."""
    made = {f["name"]: f["advice"][0]["code"] for f in report_of(results / "functions_of_a_handler")}
    assert made["_scaled"].startswith("compiled_scaled = tf.function(Handler._scaled, autograph=False)  # once")
    assert made["score"].startswith("compiled_score = tf.function(functools.partial(self.score, power=2.0))  # once")
    (agent,) = report_of(results / "agents_that_are_unpickled")
    assert agent["advice"][0]["code"] == "loaded = Agent(…)  # once, before the loop"  # the line stays as it is


@pytest.mark.newest
def test_what_a_passed_generator_draws_is_no_number_of_it(results: Path) -> None:
    """One that is kept would give the numbers of its first draw for ever."""
    for function in report_of(results / "noise_of_python_generators"):
        assert function["advice"] == []
        assert "draw them outside and pass them as tensors" in function["events"][1]["evidence"]


@pytest.mark.newest
def test_a_dataset_whose_state_grows_is_one(results: Path) -> None:
    """Of the two traces for each no other dataset is the cause."""
    advice = {f["name"]: f["advice"][0] for f in report_of(results / "states_that_grow")}
    assert {name: (a["rule"], a["traces_after"]) for name, a in advice.items()} == {
        "history": ("build_dataset_once", 2), "collected": ("reduce_in_a_function", 2),
    }  # fmt: skip
    assert "it was built 3 times. Build the dataset once, outside the loop" in advice["history"]["text"]
    assert advice["history"]["code"].endswith("# once, before the loop")
    assert advice["collected"]["text"].endswith("traced with it, again for a wider state.")


@pytest.mark.newest
def test_datasets_of_other_data_are_not_said_to_be_one(results: Path) -> None:
    halved, doubled = (
        next(f for f in report_of(results / "splits_by_one_builder") if f["name"] == name)
        for name in ("halved", "doubled")
    )
    assert "other lines build this one" in halved["events"][1]["evidence"]
    assert [event["closest_n"] for event in halved["events"]] == [None, 1, 1, 2]
    assert "made of other data, or in other steps" in doubled["events"][1]["evidence"]
    assert "Build the 2 datasets that differ once each" in doubled["advice"][0]["text"]
    (service,) = report_of(results / "lines_of_a_request")
    assert service["advice"] == []
    assert "one tf.function of your own, which takes the data" in service["events"][1]["evidence"]


@pytest.mark.newest
def test_what_the_guides_say_is_advised(results: Path) -> None:
    """As users copy them, with a change that is traced again."""

    def functions(name: str) -> dict[str, dict[str, Any]]:
        return {f["name"]: f for f in report_of(results / name)}

    steps = functions("steps_of_pictures_and_summaries")
    (step,) = steps["train_step"]["advice"]
    assert step["code"] == "train_step(picture, 2.0 * picture, tf.constant(step, tf.int64))"
    assert (
        "from_tensor_slices(tuple(map(list, zip(*[(i, 2 * i) for i in range(count)]))))"
        in (steps["fit"]["advice"][0]["code"])
    )
    heatmap = functions("heatmap_of_each_class")["heatmap"]["advice"][0]
    assert heatmap["code"].endswith("index=tf.constant(int(index)))")
    assert not re.search("name operations|capture other things", words(heatmap))
    window = functions("windows_of_a_property")["split_window"]["advice"][0]
    assert window["code"].splitlines() == [
        "dataset_1 = window.train  # once, before the loop", "dataset_2 = window.val  # once, before the loop",
    ]  # fmt: skip
    assert functions("buffer_of_each_trial")["update"]["advice"][0]["code"] == (
        "buffer = Buffer(…)  # once, before the loop"
    )


@pytest.mark.newest
def test_what_a_graph_of_a_guide_still_holds(results: Path) -> None:
    (train,) = (f for f in report_of(results / "metrics_of_each_epoch") if f["name"] == "train_step")
    assert {(s["n"], s["name"]) for s in train["stale"]} == {(1, "metric"), (2, "metric")}
    (beforehand,) = [one for one in train["advice"] if one["rule"] == "trace_beforehand"]
    assert "a metric that each epoch makes anew" in " ".join(beforehand["warnings"])
    (follow,) = (f for f in report_of(results / "target_that_is_replaced") if f["name"] == "follow")
    assert [s["name"] for s in follow["stale"]] == ["target"]
    stale = [s for f in report_of(results / "loss_of_a_distiller") for s in f["stale"]]
    assert {(s["name"], s["traced"], s["now"]) for s in stale} == {("model.alpha", "0.1", "0.5")}


@pytest.mark.newest
def test_what_a_compiled_loss_a_layer_and_a_regularizer_read_is_told(results: Path) -> None:
    stale = [s for f in report_of(results / "losses_that_are_annealed") for s in f["stale"]]
    names = ("beta", "gain", "dense.kernel_regularizer.factor")
    assert {(s["name"], s["traced"], s["now"]) for s in stale} == {(name, "0.1", "0.3") for name in names}


@pytest.mark.newest
def test_values_of_the_standard_library_are_told_apart(results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "dates_and_paths")}
    told = [(c["old"], c["new"]) for name in ("weigh", "tag") for c in functions[name]["events"][1]["changes"]]
    assert told == [
        ("datetime.date(2020, 1, 1)", "datetime.date(2021, 1, 1)"), ("PurePosixPath('a')", "PurePosixPath('b')"),
    ]  # fmt: skip


@pytest.mark.newest
def test_an_error_is_recorded_with_what_it_says_in_the_end(results: Path) -> None:
    (function,) = [f for f in report_of(results / "new_optimizer_in_each_fold") if f["name"] == "train_step"]
    (failed,) = [event["error"] for event in function["events"] if event["failed"]]
    assert failed.startswith("ValueError: in user code:")
    assert "only supports singleton tf.Variables created on the first call" in failed.splitlines()[-1]
    assert [a["rule"] for a in function["advice"]] == ["create_variables_before"]


@pytest.mark.newest
def test_a_number_that_decides_what_is_built_is_said_to(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "numbers_of_splits")}
    assert [a["rule"] for a in advice["heads"]] == ["operation_attribute"]
    assert "`n`, which is `num_or_size_splits` of `tf.split` in its code" in words(advice["heads"][0])
    # its graphs differ in a constant alone
    assert [a["rule"] for a in advice["refine"]] == ["tensor_for_python_number"]
    assert "such as `tf.split`, cannot take a tensor" not in words(advice["refine"][0])


@pytest.mark.newest
def test_what_takes_no_tensor_within_and_what_a_test_chooses_are_said(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "ensembles_of_each_evaluation")}
    (decided,) = advice["test_step"]
    assert (decided["rule"], decided["traces_after"]) == ("decided_in_python", None)
    assert "Python decides by it what is built: `ensemble_crossentropy(ensemble_size=…)`." in decided["text"]
    (number,) = advice["utility"]
    assert (number["rule"], number["traces_after"]) == ("tensor_for_python_number", 1)
    assert "`if lmbda < 1e-12: kind = '…'` in it takes no tensor: decide that before the call" in words(number)


@pytest.mark.newest
def test_what_the_graphs_tell_of_numbers_and_sizes(results: Path) -> None:
    def advice(name: str) -> list[dict[str, Any]]:
        (function,) = report_of(results / name)
        found: list[dict[str, Any]] = function["advice"]
        return found

    (tensors,) = advice("numbers_of_other_dtypes")
    assert (
        "tf.constant(accumulated, tf.float32), tf.constant(gamma, tf.float64), tf.constant(step, tf.int64)"
        in (tensors["code"])
    )
    (fades,) = advice("layers_that_fade_in")  # no tensor is asked for that would index a list of layers
    assert fades["code"] == "train_step(tf.ones([4 * level, 3]), tf.constant(alpha, tf.float32), level)"
    padded, *unknown = advice("decoder_over_a_dimension")
    assert [one["rule"] for one in unknown] == ["input_signature", "reduce_retracing"]
    assert all("For shapes (3, 4) and (3, 6) of `targ` the graphs have" in words(one) for one in (padded, *unknown))


@pytest.mark.newest
def test_what_a_tensor_would_change_without_an_error_is_said_first(results: Path) -> None:
    def texts(name: str) -> dict[str, str]:
        return {f["name"]: words(f["advice"][0]) for f in report_of(results / name) if f["advice"]}

    for text in texts("logs_of_each_epoch").values():
        assert text.startswith('This may change results: the code writes `epoch` into a text (`f"{epoch}"`).')
    computed = texts("schedules_computed_in_python")
    assert computed["repeated"].startswith("This may change results: the code repeats a list (`[…] * times`)")
    assert "`math.exp(step)` in it takes no tensor: write `tf.math.exp(…)`." in computed["decayed"]
    assert "write `tf.gather(TEMPERATURES, step)`." in computed["cooled"]
    (stacked,) = texts("windows_of_gradients").values()
    assert "`tf.concat`, which gives a stacked tensor back as it is, without an error" in stacked
    (deciding,) = texts("clip_beside_a_kl_that_decides").values()
    assert "so `kl` decides what is built" in deciding
    assert "`clip` may decide" not in deciding


@pytest.mark.newest
def test_what_changes_results_without_an_error_is_told_first(results: Path) -> None:
    def told(name: str) -> dict[str, str]:
        return {f["name"]: " ".join(f["advice"][0]["warnings"]) for f in report_of(results / name)}

    assert "the default value of `shift` is another tensor" in told("shifts_by_default")["shifted"]
    assert "each trace reads `self.capacity` (4, 8, 9, …) anew" in told("pools_that_are_enlarged")["mean"]
    side_by_side = {f["name"]: f["advice"] for f in report_of(results / "datasets_side_by_side")}
    assert not side_by_side["<lambda>"]  # one tf.Variable would have the last number in all of them
    assert "each pass has the first one's" in " ".join(side_by_side["doubled"][0]["warnings"])
    digits = told("digits_and_keys")
    assert all("a float32 has seven digits" in digits[name] for name in ("corrected", "bucket"))
    (distance,) = (words(f["advice"][0]) for f in report_of(results / "digits_and_keys") if f["name"] == "distance")
    assert "graphs differ from those that lack it all the same (`Square`): no value is known to be neutral." in distance
    assert "zeros are neutral" not in distance


@pytest.mark.newest
@pytest.mark.parametrize(
    ("program", "changing", "same"),
    [
        ("batches_of_whole_and_real_numbers", {"average", "brighten"}, {"normalized"}),
        ("shares_of_a_ranking", {"kept", "best"}, {"first"}),
        ("tokens_that_are_lengthened", {"ended"}, {"plain"}),
        ("losses_per_row", {"per_row", "guarded"}, {"both_ways"}),
        ("brightness_of_bytes", set(), {"scaled", "repeated"}),
    ],
)
def test_only_what_changes_results_is_said_to(program: str, changing: set[str], same: set[str], results: Path) -> None:
    """What each prints with its advice put in was compared by hand."""
    texts = {f["name"]: [words(a) for a in f["advice"]] for f in report_of(results / program)}
    said = {name: {text.startswith("This may change results: ") for text in found} for name, found in texts.items()}
    assert said == {name: {name in changing} for name in changing | same}


@pytest.mark.newest
def test_the_rate_of_an_argument_that_a_retrace_picked_up(results: Path) -> None:
    (step,) = report_of(results / "optimizer_of_the_users_own")
    assert [(s["n"], s["name"], s["traced"]) for s in step["stale"]] == [
        (1, "optimizer.rate", "0.1"), (2, "optimizer.rate", "0.05"), (3, "optimizer.rate", "0.025"),
    ]  # fmt: skip
    said = "By itself this can change results: each trace reads `optimizer.rate` (0.1, 0.05, 0.025) anew"
    assert all(words(one).startswith(said) for one in step["advice"])


@pytest.mark.newest
def test_models_made_again_by_one_line_are_made_once(results: Path) -> None:
    loaded = {f["name"]: f for f in report_of(results / "model_loaded_for_each_request")}["restored_function_body"]
    (advice,) = loaded["advice"]
    assert (advice["rule"], advice["traces_after"]) == ("load_saved_model_once", None)
    asked = {f["name"]: f for f in report_of(results / "layers_asked_one_by_one")}["one_step_on_data_distributed"]
    (advice,) = asked["advice"]
    assert (advice["rule"], advice["traces_after"]) == ("keep_model", None)
    assert advice["code"].startswith("kept = keras.Model(model.input, layer.output)")


@pytest.mark.newest
def test_a_number_that_a_retrace_picked_up_is_said_to_stay_what_it_was(results: Path) -> None:
    (function,) = report_of(results / "discount_that_is_annealed")
    assert [(a["rule"], a["traces_after"]) for a in function["advice"]] == [
        ("input_signature", 1), ("reduce_retracing", 2),
    ]  # fmt: skip
    for advice in function["advice"]:
        assert words(advice).startswith("By itself this can change results: each trace reads `self.gamma` (0.7, 0.8,")
        assert "self.gamma = tf.Variable(…, trainable=False)" in advice["code"]


@pytest.mark.newest
@pytest.mark.parametrize(
    ("program", "function", "rules", "said"),
    [
        ("rates_in_a_dictionary", "discounted", "input_signature reduce_retracing",
         r"^By itself this can change results: each trace reads `config\['gamma'\]` \(0\.7, 0\.8, 0\.9\) anew"),
        ("rates_in_a_dictionary", "returns", "tensor_for_python_number",
         r"^By itself this can change results: each trace reads `config\['gamma'\]`"),
        ("rates_in_a_dictionary", "step", "pass_closed_over_number", r"`options\['rate'\]` and `options\['decay'\]`"),
        ("rates_behind_a_local_name", "step", "tensor_for_python_number",
         r"^By itself this can change results: each trace reads `CONFIG\['optimizer'\]\['rate'\]` \(0.1, 0.05"),
        ("settings_that_are_replaced", "step", "input_signature reduce_retracing",
         r"^By itself this can change results: each trace reads `settings\.rate` \(0\.5, 0\.25, 0\.16.*named tuple"),
        ("configurations_that_evaluation_does_not_read", "run_batch", "pass_numbers_of_object",
         r"for what else is read of it the same object each time, or none"),
        ("trainers_that_clip_later", "train_step", "input_signature reduce_retracing",
         r"^By itself this can change results: each trace reads `self\.clip` \(None, 0\.1\) and (?!.*what is built)"),
        ("layers_added_by_lambdas", "run", "tensor_for_python_number",
         r"^By itself this can change results: each trace reads `len\(layers\)` \(1, 2, 3\) anew"),
        ("settings_that_come_later", "scaled", "input_signature reduce_retracing",
         r"^By itself this can change results: each trace reads `'weight' in registry` \(False, True\) and `hasattr"),
        ("drawn_while_traced", "explore", "input_signature reduce_retracing",
         r"^By itself this can change results: `self\.rng\.normal\(\)` is evaluated in Python"),
        ("drawn_while_traced", "update", "input_signature reduce_retracing",
         r"^By itself this can change results: `self\.updates` is evaluated in Python"),
        ("drawn_while_traced", "evaluate", "input_signature reduce_retracing", r"^`batch` of `evaluate` changes shape"),
        ("drawn_while_traced", "cooled", "input_signature reduce_retracing",
         r"^By itself this can change results: `temperatures` is evaluated in Python"),
        ("states_kept_in_an_object", "cell", "tensor_for_python_number",
         r"^By itself this can change results: the function reads other tensors or variables from around it"),
        ("asked_for_rank_and_dtype", "act", "trace_beforehand one_rank",
         r"asks for the rank in Python \(`observation\.shape\.rank`\)(: each rank needs a trace|, so what is)"),
        ("asked_for_rank_and_dtype", "brightness", "one_dtype", r"^This may change results: for uint8 and float32"),
        ("seeds_of_operations", "stateless", "tensor_for_python_number", r"Pass it as a tensor at every call\.$"),
        ("seeds_of_operations", "stateful", "stateless_seed", r"the seed of its `RandomStandardNormal`"),
        ("seeds_of_operations", "noisy", "tensor_for_python_number", r"^This changes what is drawn"),
    ],
)  # fmt: skip
def test_what_would_change_results_is_said(program: str, function: str, rules: str, said: str, results: Path) -> None:
    advice = next(f["advice"] for f in report_of(results / program) if f["name"] == function)
    assert " ".join(one["rule"] for one in advice) == rules
    for one in advice:
        assert re.search(said, words(one)), words(one)


@pytest.mark.newest
def test_what_is_read_anew_and_not_recorded_is_seen_in_the_graphs(results: Path) -> None:
    (function,) = (f for f in report_of(results / "rate_of_a_layer") if f["name"] == "step")
    assert [a["rule"] for a in function["advice"]] == ["input_signature", "reduce_retracing"]
    for advice in function["advice"]:
        assert words(advice).startswith(
            "This may change results: for shapes (2, 2) and (3, 2) of `x` the graphs differ"
        )
        assert "a constant of float32 (0.5 and 0.25), which the sizes do not explain" in words(advice)


@pytest.mark.newest
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("model_loaded_anew", "By itself this can change results: the function reads other tensors or variables"),
        ("layers_frozen_in_between",
         "By itself this can change results: each trace reads `dense.trainable` (False, True) anew, and with fewer"),
        ("loss_scale_beside_casts",
         "By itself this can change results: each trace reads `scale.value` (8.0, 16.0) anew, and with fewer"),
    ],
)  # fmt: skip
def test_what_no_argument_tells_is_seen_in_the_graphs(program: str, said: str, results: Path) -> None:
    (function,) = (f for f in report_of(results / program) if f["advice"])
    for advice in function["advice"]:
        assert words(advice).startswith(said)


@pytest.mark.newest
def test_random_operations_with_seeds_are_said_to_begin_anew(results: Path) -> None:
    (function,) = report_of(results / "noise_with_a_seed")
    assert [a["traces_after"] for a in function["advice"]] == [1]
    assert words(function["advice"][0]).startswith("This changes what is drawn: random operations in it have seeds")


@pytest.mark.newest
def test_an_attribute_is_not_asked_for_as_a_tensor(results: Path) -> None:
    (function,) = report_of(results / "seed_of_an_operation")
    assert [a["rule"] for a in function["advice"]] == ["stateless_seed"]


@pytest.mark.newest
def test_an_attribute_is_told_and_the_length_of_an_array_is_none(results: Path) -> None:
    told = {f["name"]: f["advice"] for f in report_of(results / "numbers_that_are_attributes")}
    rules = {name: " ".join(one["rule"] for one in advice) for name, advice in told.items()}
    assert rules == {
        "activate": "operation_attribute", "pooled": "operation_attribute", "strided": "operation_attribute",
        "powers": "tensor_for_python_number",
    }  # fmt: skip
    for name, attribute in (("activate", "alpha"), ("pooled", "ksize"), ("strided", "strides")):
        assert f"which is `{attribute}` of `" in words(told[name][0])
    assert told["powers"][0]["code"] == "powers(tf.constant(k))"


@pytest.mark.newest
def test_what_python_computes_of_a_size_is_told(results: Path) -> None:
    told = {f["name"]: f["advice"] for f in report_of(results / "sizes_read_in_python")}
    for name, advice in told.items():
        assert [one["rule"] for one in advice] == ["input_signature", "reduce_retracing"]
        for one in advice:
            assert ("which follow the size: where Python computes them" in words(one)) == (name != "measured")


@pytest.mark.newest
def test_a_size_of_one_that_is_asked_for_is_told_first(results: Path) -> None:
    told = {f["name"]: f["advice"] for f in report_of(results / "pictures_of_one_channel")}
    (advice,) = told["coloured"]
    assert words(advice).startswith("This may change results: for shapes (2, 2, 1) and (2, 2, 3) of `picture` the")
    assert "an unknown one is never that" in words(advice)
    assert all("may change results" not in words(one) for one in told["train"])


@pytest.mark.newest
def test_one_for_all_is_not_asked_for_where_some_are_of_another_kind(results: Path) -> None:
    told = {f["name"]: f["advice"] for f in report_of(results / "losses_of_two_deltas")}
    outside, one = told["__call__"]
    assert [(a["rule"], a["traces_after"]) for a in (outside, one)] == [
        ("pass_numbers_of_instance", 1),
        ("one_instance", 2),
    ]
    assert "Make one `Huber` for each graph" in words(one)
    assert "Define one of each kind once" in words(told["step"][0])


@pytest.mark.newest
def test_an_array_of_the_module_is_closed_over(results: Path) -> None:
    function = next(f for f in report_of(results / "weights_of_the_module") if f["name"] == "<lambda>")
    ((rule, after, evidence),) = [(a["rule"], a["traces_after"], a["evidence"]) for a in function["advice"]]
    assert (rule, after) == ("tensor_in_dataset", 1)
    assert "which `tf.constant` and NumPy's functions do not" in evidence


@pytest.mark.newest
def test_a_function_in_a_function_is_where_its_user_wrote_it(results: Path) -> None:
    """AutoGraph has converted the outer one: the inner one's code is that of a file which nobody knows."""
    path = PROGRAMS["functions_inside_functions"]
    lines = path.read_text("utf-8").splitlines()
    for function in report_of(results / path.stem):
        assert function["file"].endswith(path.name)
        assert not function["library"]
        line = lines[function["line"] - 1].strip()
        assert line.startswith("more = tf.function(lambda" if function["name"] == "<lambda>" else "@tf.function")
        if function["name"] in ("scaled", "step"):
            assert lines[function["line"]].strip().startswith(f"def {function['name']}(")


@pytest.mark.newest
def test_numbers_in_a_tuple_that_is_closed_over_are_told(results: Path) -> None:
    (session,) = load(results / "kernels_by_shape").sessions
    told = [trace.record.evidence for trace in session.events.values() if trace.record.kind == "recreated"]
    assert "`shape`: (2,) → (3,)." in told[0]
    assert "`shape`: (3,) → (2, 2)." in told[1]


@pytest.mark.newest
def test_iterators_are_not_told_to_be_made_once(results: Path) -> None:
    for function in report_of(results / "python_iterators_as_arguments"):
        assert [a["rule"] for a in function["advice"]] == ["python_iterator"]


@pytest.mark.newest
def test_what_is_compiled_in_a_loop_is_made_once_before_it(results: Path, tmp_path: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "compiled_in_the_loop")}
    promised = {
        "Reward": ("create_function_once", 2), "infer": ("create_function_once", 2),
        "Sequential": ("create_function_once", 2), "restored_function_body": ("load_saved_model_once", 1),
    }  # fmt: skip
    for name, promise in promised.items():
        assert promise in [(a["rule"], a["traces_after"]) for a in functions[name]["advice"]]
    source = PROGRAMS["compiled_in_the_loop"].read_text("utf-8")
    for line in (
        "scored = tf.function(reward)",
        "compiled = tf.function(model)",
        "loaded = tf.saved_model.load(saved)",
    ):
        source = source.replace(f"    {line}\n", "").replace("for size in", f"{line}\nfor size in")
    source = source.replace("    def infer", "    @tf.function\n    def infer")
    source = source.replace("tf.function(self.infer)(x)", "self.infer(x)")
    (tmp_path / "once.py").write_text(source, "utf-8")
    run_all([tmp_path / "once.py"], tmp_path / "results")
    after = {f["name"]: f["traces"] for f in report_of(tmp_path / "results" / "once")}
    assert {name: after[name] for name in promised} == {name: traces for name, (_, traces) in promised.items()}


@pytest.mark.newest
def test_what_is_vectorized_outside_a_function_is_told_to_go_into_one(results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "vectorized_eagerly")}
    (advice,) = functions["f"]["advice"]
    assert (advice["rule"], advice["traces_after"]) == ("vectorize_in_a_function", None)
    assert "6 times" in words(advice)
    assert "    # return tape.jacobian(y, weights)\n" in advice["code"]
    # inside one there is none: all six are of the calls outside
    assert functions["compiled"]["traces"] == 1


@pytest.mark.newest
def test_what_is_unrolled_within_another_trace_is_padded(results: Path) -> None:
    """Its first trace is within that one's, as those are that create variables."""
    (function,) = [f for f in report_of(results / "states_observed_within_a_step") if f["name"] == "observe"]
    assert [advice["rule"] for advice in function["advice"]] == ["pad_to_one_shape", "input_signature"]
    assert "A Python loop over a dimension fails where its size is unknown" in words(function["advice"][1])


@pytest.mark.newest
def test_a_function_of_tensorflows_is_traced_beforehand_where_the_user_compiles_it(results: Path) -> None:
    (function,) = report_of(results / "an_operation_by_itself")
    (advice,) = function["advice"]
    assert (advice["rule"], advice["traces_before"], advice["traces_after"]) == ("trace_beforehand", 3, 1)
    code = "product.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([3, None], tf.float32), "
    assert code in advice["code"]


@pytest.mark.newest
def test_xla_compiled_once_for_each_length(results: Path) -> None:
    (function,) = [f for f in report_of(results / "jit_with_lengths") if f["name"] == "total"]
    assert (function["traces"], function["xla_compilations"]) == (1, 3)


@pytest.mark.newest
def test_buckets_are_as_many_compilations_as_promised(results: Path, mended: Path) -> None:
    (before,), (after,) = ([f for f in report_of(d / "jit_with_sentences") if f["name"] == "embed"]
                           for d in (results, mended))  # fmt: skip
    assert [a["rule"] for a in before["advice"]] == ["shape_buckets", "pad_to_one_shape"]
    promise = before["advice"][0]["traces_after"]
    assert (before["traces"], before["xla_compilations"]) == (11, 11)
    assert (after["traces"], after["xla_compilations"]) == (promise, promise)
    # what was done is not asked for again
    assert after["advice"] == []
    assert [event["verdict"] for event in after["events"]] == ["needed", *["unknown"] * (promise - 1)]
    assert (before["avoidable_seconds"] > 0, after["avoidable_seconds"]) == (True, 0)
    # the code that was put in is the advice's own
    padding = MENDED["jit_with_sentences"][1][1][1]
    assert padding in before["advice"][0]["code"]


@pytest.mark.parametrize("name", [name for name in MENDED_HERE if name not in OF_THEIR_OWN])
def test_advice_keeps_its_promise(name: str, results: Path, mended: Path) -> None:
    rule = MENDED[name][0]
    promises = [
        a["traces_after"]
        for f in report_of(results / name)
        if not f["library"]
        for a in f["advice"]
        if a["rule"] == rule
    ]
    assert promises
    assert sorted(own_attempts(mended, name).values()) == sorted(promises)


@pytest.mark.newest
def test_what_helpers_and_later_traces_read_is_told(results: Path) -> None:
    """A list that a helper goes through, also of a function made anew; a rate where a first trace has no step."""
    (weighted,) = report_of(results / "weights_of_several_tasks")
    assert {stale["name"] for stale in weighted["stale"]} == {"self.state.weights"}
    assert [len(a["warnings"]) for a in weighted["advice"]] == [1, 1]
    assert "Make each number of `self.state.weights` a tf.Variable, too." in weighted["advice"][0]["warnings"][0]
    (solved,) = report_of(results / "points_of_each_round")
    (advice,) = solved["advice"]
    assert (advice["rule"], advice["traces_after"]) == ("pass_closed_over_tensor", 1)
    assert "two of the graphs differ in a constant of float32 (1 and 2)" in advice["warnings"][0]
    (adapted,) = report_of(results / "shots_of_a_meta_learner")
    warned = {a["rule"]: "each trace reads `self.alpha` (0.01, 0.05) anew" in words(a) for a in adapted["advice"]}
    # the last has a trace for each of the sizes, with which the rate changes
    assert warned == {"trace_beforehand": True, "input_signature": True, "tensor_for_python_number": False}


@pytest.mark.newest
def test_what_is_called_is_not_what_is_gone_through(results: Path) -> None:
    (step,) = report_of(results / "molecules_of_a_loader")
    lines = step["advice"][0]["code"].splitlines()
    assert [line.partition("(")[0] for line in lines[1:3]] == ["step.get_concrete_function"] * 2
    assert lines[4].startswith("batch['n_graphs'] = tf.constant(batch['n_graphs'])  # before each call")
    codes = {f["name"]: f["advice"][0]["code"] for f in report_of(results / "examples_of_one_builder")}
    assert codes["scaled"] == "dataset = make_dataset(8, train=False)  # once, before the loop"
    assert "dataset_1 = make_dataset(6)" in codes["<lambda>"]


@pytest.mark.newest
def test_what_a_mode_decides_is_not_said_to_be_of_a_size(results: Path) -> None:
    (function,) = report_of(results / "network_in_two_modes")
    assert [a["rule"] for a in function["advice"]] == ["input_signature", "reduce_retracing"]
    assert all("each trace reads `self.is_train`" in " ".join(map(str, a.values())) for a in function["advice"])
    assert not any("nodes" in words(a) for a in function["advice"])


@pytest.mark.newest
def test_which_fraction_a_number_goes_with_is_told(results: Path) -> None:
    (function,) = report_of(results / "prices_in_two_fractions")
    said = "Where `strikes` is float64, a Python number goes with it, and a tensor of float32 does not: pass `spot` as"
    assert [said in words(a) for a in function["advice"]] == [True]


@pytest.mark.newest
def test_a_number_that_says_which_variables_are_made_stays_one(results: Path) -> None:
    (function,) = [f for f in report_of(results / "tables_made_on_demand") if f["name"] == "encode"]
    assert [a["rule"] for a in function["advice"]] == ["create_variables_before"]


@pytest.mark.newest
def test_the_same_graph_of_other_variables_is_not_another_graph(results: Path) -> None:
    (function,) = report_of(results / "losses_of_two_learners")
    evidence = [event["evidence"] for event in function["events"][2:]]
    assert ["its graph is the same but for tensors or variables of its own" in text for text in evidence] == [
        True,
        True,
    ]


@pytest.mark.newest
def test_a_loaded_function_is_traced_once_for_all_lengths(results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "loaded_model_asked_with_sentences")}
    (advice,) = functions["restored_function_body"]["advice"]
    assert (advice["rule"], advice["traces_before"], advice["traces_after"]) == ("trace_beforehand", 3, 1)
    specs = ", ".join(["tf.TensorSpec([1, None], tf.int32)"] * 2)
    code = f"# once, after it is loaded\nmodel.__call__.get_concrete_function([{specs}], False)"
    assert advice["code"] == code


@pytest.mark.newest
def test_weights_that_did_not_exist_are_told(results: Path) -> None:
    """And nothing is said to be unrolled: that graph has what makes the weights."""
    (call,) = [f for f in report_of(results / "layer_traced_while_it_is_built") if f["name"] == "call"]
    assert ["while Keras built the layer" in words(advice) for advice in call["advice"]] == [True]


@pytest.mark.newest
def test_what_is_made_for_other_tensors_is_not_made_one_for_its_numbers(results: Path) -> None:
    """With the penalty alone as an argument, all folds would be fitted to the first one's data."""
    (function,) = report_of(results / "ridge_of_each_fold")
    told = {advice["rule"]: advice["traces_after"] for advice in function["advice"]}
    assert told == {"pass_closed_over_tensor": 1, "pass_closed_over_number": 3}


@pytest.mark.newest
def test_what_partials_bind_is_left_out_of_what_is_declared(results: Path) -> None:
    functions = {f["name"]: f["advice"][0] for f in report_of(results / "rows_beside_what_partials_bind")}
    assert {name: (a["rule"], a["traces_after"]) for name, a in functions.items()} == {
        "total": ("input_signature", 2), "score": ("input_signature", 1), "rate": ("input_signature", 1),
    }  # fmt: skip
    spec = "input_signature=[tf.TensorSpec([None], tf.float32)])  # where it is made"
    assert functions["rate"]["code"] == f"tf.function(functools.partial(….rate, …), {spec}"


@pytest.mark.newest
def test_what_a_partial_of_a_method_binds_has_its_parameters_name(results: Path) -> None:
    (function,) = report_of(results / "partials_of_a_method")
    assert "a functools.partial that binds `level`: 1 → 2" in function["events"][3]["evidence"]


@pytest.mark.newest
def test_what_is_unrolled_is_padded_first_where_a_number_changes_too(results: Path) -> None:
    (function,) = report_of(results / "curriculum_of_lengths_and_ratios")
    assert [a["rule"] for a in function["advice"]] == [
        "tensor_for_python_number+pad_to_one_shape", "tensor_for_python_number", "input_signature",
    ]  # fmt: skip


@pytest.mark.newest
def test_sizes_that_the_source_asks_for_are_told(results: Path) -> None:
    (function,) = report_of(results / "pictures_enlarged_by_a_factor")
    said = "`picture.shape[1]` and `picture.shape[2]` in it are None then"
    assert {a["rule"] for a in function["advice"] if said in words(a)} == {"input_signature", "reduce_retracing"}


@pytest.mark.newest
def test_of_the_parts_of_a_librarys_dataset_the_outermost_is_advised(results: Path, mended: Path) -> None:
    before, after = (
        {f["name"]: f for f in report_of(d / "generator_dataset_in_every_epoch")} for d in (results, mended)
    )
    (advice,) = before.pop("flat_map_fn")["advice"]
    for part in before.values():
        ((rule, text),) = [(a["rule"], a["text"]) for a in part["advice"]]
        assert rule == "mend_the_outer"
        assert "is traced within `flat_map_fn`" in text
    assert (advice["rule"], advice["traces_before"], advice["traces_after"]) == ("build_dataset_once", 3, 1)
    assert "from_generator(pictures, output_signature=shapes)  # once, before the loop" in advice["code"]
    assert {name: f["traces"] for name, f in after.items()} == dict.fromkeys(["flat_map_fn", *before], 1)


@pytest.mark.newest
def test_what_reduce_runs_is_traced_with_the_function_around_it(results: Path, mended: Path) -> None:
    before, after = ({f["name"]: f for f in report_of(d / "reduce_in_every_epoch")} for d in (results, mended))
    (advice,) = before["add"]["advice"]
    assert (advice["rule"], advice["traces_before"], advice["traces_after"]) == ("reduce_in_a_function", 4, 1)
    assert {name: f["traces"] for name, f in after.items()} == {"add": 1, "reduced": 1}
    # the code that was put in is the advice's own
    assert "def reduced(prices, state):\n    return prices.reduce(state, add)\n" in advice["code"]
    assert advice["code"].endswith("\nstate = reduced(prices, state)")


@pytest.mark.newest
def test_what_is_another_in_a_librarys_dataset_is_told(results: Path) -> None:
    evidence = {
        trace.record.function.name: trace.record.evidence
        for session in load(results / "generator_of_each_fold").sessions
        for trace in session.events.values()
        if trace.record.verdict == "unknown"
    }
    for part in ("flat_map_fn", "get_iterator_id_fn"):
        assert "the generator of this one, or what that closes over, is another one" in evidence[part]


@pytest.mark.newest
def test_a_dataset_made_once_has_its_pipeline_already(results: Path, tmp_path: Path) -> None:
    told = {f["name"]: f for f in report_of(results / "evaluate_in_a_callback")}
    source = PROGRAMS["evaluate_in_a_callback"].read_text("utf-8")
    source = source.replace("import numpy", "import tensorflow as tf\nimport numpy")
    source = source.replace(
        "arrays = x[:4], y[:4]", "batches = tf.data.Dataset.from_tensor_slices((x[:4], y[:4])).batch(4)"
    )
    source = source.replace("evaluate(*arrays, ", "evaluate(batches, ")
    (tmp_path / "once.py").write_text(source, "utf-8")
    run_all([tmp_path / "once.py"], tmp_path / "results")
    after = {f["name"]: f["traces"] for f in report_of(tmp_path / "results" / "once")}
    advised = 0
    for name, function in told.items():
        for advice in function["advice"]:
            assert (advice["rule"], advice["traces_after"]) == ("keras_dataset_once", after[name])
            advised += function["traces"] - after[name]
    assert advised >= 6  # of two functions at least, three calls


@pytest.mark.newest
def test_what_is_passed_by_turns_or_built_in_several_statements_is_named(results: Path) -> None:
    def code(name: str, rule: str) -> set[str]:
        return {str(a["code"]) for f in report_of(results / name) for a in f["advice"] if a["rule"] == rule}

    specs = "tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32)"
    assert code("finetuned_in_two_phases", "trace_beforehand") == {
        f"# once with each variables, before the first call\ntrain_step.get_concrete_function({specs}, phase)"
    }
    assert code("server_with_versions", "trace_beforehand") == {
        "# once with each model, before the first call\n"
        "predict.get_concrete_function(model, tf.TensorSpec([None, 3], tf.float32))"
    }
    # both functions are in the one dataset that the function returns
    assert code("windows_flat_mapped", "build_dataset_once") == {
        "dataset = windows(tf.range(10.0), 3, 1)  # once, before the loop"
    }
    (interleaved,) = report_of(results / "datasets_interleaved_by_files")  # the epoch seeds a shuffle in another line
    assert "or with another `epoch`, build one for each." in words(interleaved["advice"][0])
    assert code("arrays_of_tensors", "stack_tensor_array") == {"print(float(summed(ta.stack())))"}
    assert code("population_of_agents", "same_structure") == {
        "fitness(tf.nest.map_structure(lambda *parts: tf.stack(parts), *[member() for _ in range(size)]),"
        " tf.ones([5, 2]))"
    }


@pytest.mark.newest
def test_a_size_of_what_is_computed_of_an_argument_is_told_of(results: Path) -> None:
    (train_step,) = report_of(results / "masks_of_what_is_shifted")
    assert "`shifted.shape[1]` in it follows from `target`, and may be None then" in words(train_step["advice"][0])


@pytest.mark.newest
def test_what_changes_with_a_model_is_told_beside_it(results: Path) -> None:
    (train_step,) = report_of(results / "folds_of_other_sizes")
    (advice,) = train_step["advice"]
    assert advice["rule"] == "keep_model"
    assert "Pass `rate` as a tensor, too. Leave dimensions of `x` and `y` that change unknown, too." in advice["text"]


@pytest.mark.newest
def test_a_rank_that_is_asked_for_is_not_to_be_unknown(results: Path) -> None:
    """Of a name of the code's own, and no traces differ in ranks alone."""
    (serve,) = report_of(results / "images_of_types_and_sizes")
    assert [one["rule"] for one in serve["advice"]] == ["one_dtype+trace_beforehand", "one_rank"]
    assert all("The code asks for the rank in Python (`len(x.shape)`)" in words(one) for one in serve["advice"])


@pytest.mark.newest
def test_what_holds_no_variables_is_not_told_to_be_set_back(results: Path) -> None:
    for name in ("tables_of_each_request", "writers_of_each_epoch"):
        (function,) = report_of(results / name)
        assert function["advice"] == []
        assert "captures another lookup table, summary writer or the like" in function["events"][-1]["evidence"]


#: Program -> function -> its advice -> the program with that put in.
OF_KERAS = {
    "fit_epoch_by_epoch": ("grab_batch", "keras_dataset_once", [
        ("best = 1e9", "import tensorflow as tf\n\nbest = 1e9\n"
         "batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)\n"
         "held_batches = tf.data.Dataset.from_tensor_slices((xv, yv)).batch(4)"),
        ("fit(x, y, validation_data=(xv, yv), batch_size=4, epochs=1, verbose=0, shuffle=False)",
         "fit(batches, validation_data=held_batches, epochs=1, verbose=0)"),
    ]),
    "phases_written_out": ("grab_batch", "keras_dataset_once", [
        ("import keras\n", "import keras\nimport tensorflow as tf\n"),
        ("losses = []\n", "losses = []\n"
         "batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)\n"
         "batches_2 = tf.data.Dataset.from_tensor_slices((xt, yt)).batch(4)\n"),
        ("model.fit(x, y, batch_size=4, verbose=0, shuffle=False)", "model.fit(batches, verbose=0)"),
        ("evaluate(xt, yt, batch_size=4, verbose=0)", "evaluate(batches_2, verbose=0)"),
    ]),
    "batches_of_lengths_in_every_epoch": ("flat_map_fn", "keras_generator_once", [
        ("import numpy as np\n", "import numpy as np\nimport tensorflow as tf\n"),
        ("held = Batches([4, 6])\n", """held = Batches([4, 6])
def in_order(data):
    return (tuple(data[i]) for i in range(len(data)))
batches = tf.data.Dataset.from_generator(
    lambda: in_order(Batches([3, 5, 7])),
    output_signature=(tf.TensorSpec([None, None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32)),
).prefetch(tf.data.AUTOTUNE)
batches_2 = tf.data.Dataset.from_generator(
    lambda: in_order(held),
    output_signature=(tf.TensorSpec([None, None, 3], tf.float32), tf.TensorSpec([None, 1], tf.float32)),
).prefetch(tf.data.AUTOTUNE)
"""),
        ("model.fit(Batches([3, 5, 7]),", "model.fit(batches,"), ("model.evaluate(held,", "model.evaluate(batches_2,"),
    ]),
    "arrays_of_dtypes_on_batch": ("one_step_on_data", "one_dtype", [
        ("print(model.train_on_batch(x, y))",
         'x = np.asarray(x, "float32")\ny = np.asarray(y, "int64")\nprint(model.train_on_batch(x, y))'),
    ]),
}  # fmt: skip


@pytest.mark.newest
def test_advice_on_keras_functions_keeps_its_promise(results: Path, tmp_path: Path) -> None:
    for name, (_, _, changes) in OF_KERAS.items():
        source = PROGRAMS[name].read_text("utf-8")
        for old, new in changes:
            assert old in source
            source = source.replace(old, new)
        (tmp_path / f"{name}.py").write_text(source, "utf-8")
    run_all(sorted(tmp_path.glob("*.py")), tmp_path / "results")
    for name, (function_name, rule, _) in OF_KERAS.items():
        before = {f["name"]: f for f in report_of(results / name)}[function_name]
        (advice,) = before["advice"]
        after = {f["name"]: f["traces"] for f in report_of(tmp_path / "results" / name)}
        assert (advice["rule"], advice["traces_after"]) == (rule, after.get(function_name, 0))
        for line in advice["code"].splitlines():  # what was put in is the advice's own
            assert line.partition("  #")[0] in (tmp_path / f"{name}.py").read_text("utf-8")


@pytest.mark.newest
def test_what_a_function_that_is_made_anew_reads_or_draws_is_told(results: Path) -> None:
    told = {f["name"]: f["events"][-1]["evidence"] for f in report_of(results / "functions_made_after_a_change")}
    assert "reads `model.bias`: 0.0 → 5.0, and each graph" in told["evaluate"]
    assert "it does `np.random.randn()`, and each graph holds" in told["simple_function"]


@pytest.mark.newest
def test_what_keras_makes_anew_is_told_in_its_users_words(results: Path) -> None:
    def told(program: str, name: str) -> str:
        function = {f["name"]: f for f in report_of(results / program)}[name]
        return str(function["events"][-1]["evidence"])

    assert "with the variables of an earlier one" in told("sub_model_of_each_picture", "one_step_on_data_distributed")
    assert "(`train_function`, say) is reset" in told("annealed_by_a_reset", "multi_step_on_iterator")
    assert "of a generator, PyDataset or Sequence in each call" in told(
        "batches_of_lengths_in_every_epoch", "finalize_fn"
    )
    (advice,) = {f["name"]: f for f in report_of(results / "predictions_on_replicas")}["grab_batch"]["advice"]
    assert (advice["rule"], advice["code"]) == ("keras_predict_once", None)
    assert "`model(x, training=False)`" in words(advice)


@pytest.mark.parametrize("name", RUN_HERE)
def test_no_rule_fires_where_nothing_is_known_to_be_avoidable(name: str, results: Path) -> None:
    """By what was expected of each function, not by what the tool says."""
    avoidable = {
        function
        for function, (_, failed, later) in EXPECTED[name].items()
        if failed or any(verdict == "avoidable" for _, _, verdict in later)
    }
    without_a_number = ("load_saved_model_once", None)  # whether it is the same one is not known
    told = {
        f["name"]: {a["rule"] for a in f["advice"] if (a["rule"], a["traces_after"]) != without_a_number}
        for f in report_of(results / name)
    }
    # of why a number is no tensor, of what XLA compiles again, and of what may be kept: no trace is promised
    others = {"operation_attribute", "pad_for_xla", "few_values_for_xla", "keep_generator", "keep_model"}
    others |= {"pass_numbers_of_instance", "pass_tensors_of_instance"}  # where instances are many
    others |= {"create_variables_first"}  # the second trace is needed as long as its first call creates variables
    advised = {function for function, rules in told.items() if rules - others}
    # Keras' own functions are not all written down
    assert {f["name"] for f in report_of(results / name) if f["name"] in advised and not f["library"]} <= avoidable
    assert advised & EXPECTED[name].keys() <= avoidable


@pytest.mark.newest
@pytest.mark.parametrize(
    ("program", "made", "is_keras"),
    [
        ("model_compiled_and_called", "tf.function(model)", True),
        ("subclassed_model_compiled", "tf.function(ranker)", False),
    ],
)
def test_a_model_is_declared_where_it_is_compiled(
    program: str, made: str, is_keras: bool, results: Path, tmp_path: Path
) -> None:
    (before,) = report_of(results / program)
    assert before["library"] == is_keras  # and yet its user's to change
    source = PROGRAMS[program].read_text("utf-8")
    if not is_keras:
        lines = source.splitlines()
        assert (Path(before["file"]).name, lines[before["line"] - 1].split("(")[0]) == (f"{program}.py", "    def call")
    assert [(a["rule"], a["traces_after"]) for a in before["advice"]] == [
        ("input_signature", 1),
        ("reduce_retracing", 2),
    ]
    programs = []
    for advice in before["advice"]:
        given = re.fullmatch(r"compiled = tf.function\((?:…|Ranker\(…\)), (.*)\)", advice["code"])
        assert given is not None
        programs.append(tmp_path / f"{advice['rule']}.py")
        programs[-1].write_text(source.replace(made, f"{made[:-1]}, {given[1]})"), "utf-8")
    run_all(programs, tmp_path / "results")
    after = [f["traces"] for program in programs for f in report_of(tmp_path / "results" / program.stem)]
    assert after == [1, 2]


@pytest.mark.newest
def test_a_number_stays_beside_what_is_cast_to_its_dtype(results: Path) -> None:
    (function,) = report_of(results / "warm_up_in_float64")
    assert [a["rule"] for a in function["advice"]] == [
        "tensor_for_python_number+one_dtype", "tensor_for_python_number",
    ]  # fmt: skip
    assert not any("as float64" in words(a) for a in function["advice"])


@pytest.mark.newest
def test_each_argument_is_told_that_has_to_be_of_one_type(results: Path) -> None:
    def text(name: str) -> str:
        (function,) = report_of(results / name)
        return words(next(a for a in function["advice"] if a["rule"] == "same_type"))

    said = text("few_shots_of_a_task")
    assert said.startswith(
        "`weights[0]` and `weights[1]` of `adapt` are of other Python types: Variable float32 (2, 1)"
    )
    assert said.endswith("can be passed as `weights[0].value()` and `weights[1].value()`.")
    said = text("counters_by_value")
    assert "`tf.constant(step)`, of the dtype that tensors have there." in said
    assert said.endswith("A variable that is only read can be passed as `step.value()`.")


@pytest.mark.newest
def test_zeros_are_advised_for_what_is_added(results: Path) -> None:
    (function,) = report_of(results / "bias_in_some_batches")
    assert "The graphs take `batch['bias']` in `AddV2`: zeros are neutral for that." in words(function["advice"][0])
    assert "batch.setdefault('bias', tf.zeros([3], tf.float32))" in function["advice"][0]["code"]


@pytest.mark.newest
@pytest.mark.parametrize(
    ("program", "said", "not_said"),
    [
        ("weight_of_each_epoch", r"3 values so far\)\. Pass it as a tensor at every call\.$", "name operations"),
        ("frames_of_each_video",
         r"of `start` and `end`, that stays, and declares `video` \(tf\.TensorSpec\(\[10, 2, 2, 3\], tf\.float32\)\)",
         "careful"),
        ("batches_of_a_sampler",
         r"^This may change results: a slice by a size \(`\[:at\.shape\[-2\]\]`\) takes", "asks whether"),
        ("batches_chosen_by_a_number",
         r"stack them into one \(`tf\.stack`\), once, and let `tf\.gather` choose", "name operations"),
    ],
)  # fmt: skip
def test_what_people_found_in_the_end_is_said(program: str, said: str, not_said: str, results: Path) -> None:
    (function,) = report_of(results / program)
    for advice in function["advice"]:
        assert re.search(said, words(advice)), words(advice)
        assert not_said not in words(advice)


@pytest.mark.newest
def test_the_headline_blames_what_can_be_avoided(results: Path) -> None:
    """The closest call is another agent's; the one that it could have shared a trace with is the same agent's."""
    detail = summarize(load(results / "executors_of_agents").sessions).detail
    assert re.match(r"\d+ % by new Python values of `epsilon`\.", detail), detail


@pytest.mark.newest
def test_what_else_is_in_a_pipeline_is_told_before_it_is_built_once(results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "views_of_each_epoch")}
    (once,), (number,) = functions["<lambda>"]["advice"], functions["view"]["advice"]
    assert (once["rule"], number["rule"], len(number["warnings"])) == ("build_dataset_once", "number_in_dataset", 1)
    assert number["warnings"][0].startswith("This changes results unless all of the dataset is gone through before the")
    assert once["warnings"] == [
        "This changes results by itself: `view`, which the same line gives to the dataset, closes over another"
        " `strength` each time, and a dataset that is built once keeps the first. Do what is advised of `view` as"
        " well, or build one dataset for each."
    ]
    prepared = next(f for f in report_of(results / "pictures_of_two_kinds") if f["name"] == "prepared")
    assert not any("closes over" in warning for warning in prepared["advice"][0]["warnings"])
    (function,) = report_of(results / "sizes_that_come_again")
    assert "Build one dataset for each `size`, outside the loop" in function["advice"][1]["text"]


@pytest.mark.newest
def test_what_is_made_once_is_declared_and_bound_as_it_was(results: Path) -> None:
    serve = next(f for f in report_of(results / "exports_of_each_epoch") if f["name"] == "serve")
    assert serve["advice"][0]["code"].startswith(
        "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name='x')])\ndef serve(x):"
    )
    (function,) = report_of(results / "scores_of_partials")
    partial = "tf.function(functools.partial(adapted, steps=2, rate=0.1)"
    assert all(partial in advice["code"] for advice in function["advice"])


@pytest.mark.newest
def test_what_is_another_result_is_told_first_and_what_cannot_be_is_not_advised(results: Path) -> None:
    """A model for each key; concrete functions of fixed sizes; a pool that holds nothing yet."""
    (update,) = report_of(results / "modules_added_to_a_trainer")
    assert update["advice"] == []
    (serve,) = report_of(results / "networks_of_fixed_sizes")
    assert all("has no fixed sizes" in advice["warnings"][0] for advice in serve["advice"])
    (step,) = report_of(results / "pool_of_pictures")
    told = next(advice for advice in step["advice"] if advice["rule"] == "same_structure")
    assert "zeros count as data" in told["warnings"][0]


@pytest.mark.newest
def test_what_a_helper_does_with_a_number_is_told_of_whoever_passes_it(results: Path) -> None:
    told = {f["name"]: words(f["advice"][0]) for f in report_of(results / "pieces_of_a_helper")}
    assert "`tiled`, which is traced within it for the same values, does `[…] * times`" in told["augment"]
    assert "the code asks of what type an argument is (`isinstance(options['gain'], …)`)" in told["scaled"]
    assert "compute `Mean` in uint8, for the others in float32" in told["center"]


@pytest.mark.newest
def test_what_is_made_of_a_shape_is_told_by_the_names_of_arguments(results: Path) -> None:
    told = {f["name"]: words(f["advice"][0]) for f in report_of(results / "noise_of_the_same_shape")}
    assert "`tf.random.stateless_normal(data.pictures.shape)` in it fails then" in told["perturbed"]
    assert "`data.pictures.shape[0]` in it is None then" in told["padded"]


@pytest.mark.newest
def test_what_a_partial_binds_is_told_of_and_a_name_of_ones_own_is_not(results: Path) -> None:
    amplified, trimmed = sorted(report_of(results / "gains_bound_to_a_partial"), key=lambda f: f["name"])
    (once,) = amplified["advice"]
    assert once["apply"] is None
    assert "`functools.partial` binds another tensor" in once["warnings"][0]
    assert "min(k)" not in words(trimmed["advice"][0])


@pytest.mark.newest
def test_what_a_bound_number_decides_is_left_to_it_first(results: Path) -> None:
    """A list is as long, which no tensor is; and an input signature leaves out what a partial binds."""
    (function,) = report_of(results / "generators_of_each_length")
    assert [(a["rule"], a["traces_after"]) for a in function["advice"]] == [
        ("input_signature", 3), ("reduce_retracing", 6),
    ]  # fmt: skip
    evidence = function["events"][1]["evidence"]
    assert "decides by `steps` what is built (`tokens.append(…) in range(steps)`), and takes no tensor" in evidence


@pytest.mark.newest
def test_what_else_a_line_builds_a_dataset_of_is_told(results: Path) -> None:
    """One dataset for all would give what is validated on the texts of training."""
    (function,) = report_of(results / "texts_of_two_splits")
    told = {advice["rule"]: advice["notes"] for advice in function["advice"]}
    assert told == {"number_in_dataset": ["Where `split` is another, build one of each."]}


@pytest.mark.newest
def test_a_line_that_autograph_has_converted_is_the_users_in_any_thread(results: Path) -> None:
    (whiten,) = [f for f in report_of(results / "rows_read_in_threads") if f["name"] == "whiten"]
    frames = [next(frame for frame in event["stack"] if frame["user"]) for event in whiten["events"]]
    assert [frame["source"] for frame in frames] == [
        "return tf.py_function(lambda i: whiten(load(i)), [index], tf.float32)"
    ] * 2


@pytest.mark.newest
def test_a_class_that_compares_its_objects_is_not_told_to(results: Path) -> None:
    """They are not equal by it, and would not be by another that compares all."""
    told = {f["name"]: [a["rule"] for a in f["advice"]] for f in report_of(results / "settings_that_compare")}
    assert told == {"smoothed": ["same_object"], "total": ["python_iterator"]}


@pytest.mark.newest
def test_the_instance_whose_method_a_dataset_was_given_is_told(results: Path) -> None:
    told = {f["name"]: f["events"][1]["evidence"] for f in report_of(results / "datasets_of_an_augmenter")}
    assert told["shifted"].startswith(
        "The new tf.function object closes over another `Augmenter`, and its graph is the"
    )
    assert told["score"].startswith(
        "The new tf.function object closes over another `Scorer`, and its graph has as many operations as an earlier"
    )


@pytest.mark.newest
def test_a_string_that_names_operations_need_not_be_passed(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "blocks_named_by_strings")}
    (one,) = advice["block"]
    assert (one["rule"], one["traces_after"], one["code"]) == ("unused_argument", 1, "block(x, 'encoder')")
    assert "the same for all of them but for names of operations" in one["text"]
    code = "scaled(x, 'encoder', tf.constant(rate))"
    assert [(a["traces_after"], a["code"]) for a in advice["scaled"]] == [(1, code)]
    code = "tagged(x, tf.constant(name), tf.constant(rate))"
    assert [(a["traces_after"], a["code"]) for a in advice["tagged"]] == [(1, code)]
    assert advice["padded"] == []
    assert advice["announced"] == []


@pytest.mark.newest
def test_an_augmenter_is_kept_with_a_variable_where_the_data_are_the_same(results: Path) -> None:
    functions = {f["name"]: f for f in report_of(results / "augmenters_of_each_dataset")}
    assert "made of other data" in functions["image"]["events"][1]["evidence"]
    assert functions["image"]["advice"] == []
    (one,) = functions["shift"]["advice"]
    assert (one["rule"], one["traces_after"]) == ("number_in_dataset", 1)
    assert (
        one["code"].splitlines()[0].endswith("before the dataset is built: Shifted with tf.Variables for its numbers")
    )


@pytest.mark.newest
def test_a_number_that_is_but_asked_for_may_be_a_bool(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "flags_as_numbers")}
    (one,) = advice["total"]
    assert (one["rule"], one["traces_after"], one["code"]) == ("python_bool", 2, "total(x, bool(level))")
    (one,) = advice["raised"]
    assert (one["rule"], one["traces_after"]) == ("tensor_for_python_number", 3)
    assert one["code"] == "raised(x, level if isinstance(level, bool) else tf.constant(level))"


@pytest.mark.newest
def test_a_last_batch_needs_no_object_of_its_own_where_its_size_explains_the_graph(results: Path) -> None:
    texts = {f["name"]: f["advice"][0]["text"] for f in report_of(results / "losses_of_a_last_batch")}
    assert "Make it once, outside the loop" in texts["gradient"]
    assert "Make one for each graph (2 at most)" in texts["weighted"]


def test_lines_that_the_cache_served_are_told_to_change_too(results: Path) -> None:
    (function,) = report_of(results / "rates_that_come_again")
    assert function["advice"][0]["code"].splitlines()[3:] == [
        "return decayed(values, tf.constant(0.25))", "total = evaluated(x) + decayed(x, tf.constant(0.5),)",
    ]  # fmt: skip


@pytest.mark.newest
def test_what_lies_in_a_dataclass_may_be_a_tensor(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "states_in_a_dataclass")}
    (one,) = advice["damped"]
    assert (one["rule"], one["traces_after"]) == ("tensor_for_python_number", 1)
    assert one["code"].startswith("tf.constant(state.step, tf.float32)  # in place of state.step")
    assert [(a["rule"], a["traces_after"]) for a in advice["total"]] == [
        ("same_structure", None), ("tensor_for_python_number", None),
    ]  # fmt: skip


@pytest.mark.newest
def test_a_constant_of_many_elements_asks_for_no_padding(results: Path) -> None:
    """TensorFlow fills it, and makes no other operations of a longer sequence."""
    (encode,) = report_of(results / "states_that_outgrow_a_constant")
    assert [a["rule"] for a in encode["advice"]] == ["input_signature", "reduce_retracing"]
    assert not encode["advice"][0]["warnings"]


@pytest.mark.newest
def test_an_instance_that_nothing_holds_is_to_be_kept(results: Path) -> None:
    (scaled,) = report_of(results / "instances_that_nothing_holds")
    (advice,) = scaled["advice"]
    assert (advice["rule"], advice["traces_after"]) == ("keep_instance", None)
    assert advice["text"].startswith("3 calls of `scaled` failed: nothing holds the instance")
    assert advice["code"].splitlines()[1].startswith("one.scaled(…)  # in place of: total += tf.reduce_sum(Scaler(")


@pytest.mark.newest
def test_another_step_of_a_scripts_dataset_is_told_beside_what_could_be_kept(results: Path) -> None:
    advice = {f["name"]: f["advice"] for f in report_of(results / "sizes_in_two_steps_of_a_dataset")}
    said = "where `shaped` is a part of the same dataset: it closes over another `shape` each time"
    assert [one["rule"] for one in advice["smaller"]] == ["number_in_dataset", "build_dataset_once"]
    assert all(said in one["warnings"][0] for one in advice["smaller"])
    assert advice["smaller"][0]["notes"] == []  # neither the function nor what it is bound to is another


@pytest.mark.newest
def test_a_method_that_is_traced_beforehand_is_the_one_that_is_kept(results: Path) -> None:
    """Python makes another one each time that it is asked for, of which no call would find that trace."""
    code = {f["name"]: f["advice"][0]["code"] for f in report_of(results / "gradients_of_methods") if f["advice"]}
    assert "gradient.get_concrete_function(func, tf.TensorSpec([None, 3], tf.float32), " in code["gradient"]
    assert "run_epoch.get_concrete_function(tf.TensorSpec([None, 3], tf.float32), kept_step[…])" in code["run_epoch"]


@pytest.mark.newest
def test_a_flag_that_a_function_made_again_reads_is_named(results: Path) -> None:
    told = {
        f["name"]: [e["evidence"] for e in f["events"]] for f in report_of(results / "functions_made_again_for_a_flag")
    }
    assert "The new tf.function object reads `self.train`: True → False." in told["_run_event"][1]
    assert "The new tf.function object reads `self.mode`: 'sum' → 'mean', and its graph" in told["_reduce"][3]
    (step,) = (f for f in report_of(results / "reductions_of_an_aligner") if f["name"] == "_train_step")
    evidence = [event["evidence"] for event in step["events"]]
    assert evidence[2].startswith("The new tf.function object reads `self.force_diagonal`: True → False.")
    assert evidence[3].startswith("The new tf.function object reads `self.r`: 4 → 2, ")


@pytest.mark.newest
def test_an_agent_that_is_kept_computes_with_the_first_ones_discount(results: Path) -> None:
    (learn,) = report_of(results / "agents_of_each_discount")
    assert ", and it reads `self.gamma`: 0.5 → 0.75. `agent = Agent(" in learn["events"][1]["evidence"]
    (advice,) = learn["advice"]
    assert advice["rule"] == "keep_model"
    assert "differ in a constant of float32 (0.5 and 0.75), which each object was made with" in words(advice)


@pytest.mark.newest
def test_models_of_an_ensemble_are_not_to_be_one(results: Path) -> None:
    (predict,) = report_of(results / "models_of_an_ensemble_asked_again")
    assert predict["advice"] == []


@pytest.mark.newest
def test_a_size_that_a_method_of_an_argument_asks_for_is_told(results: Path) -> None:
    (step,) = report_of(results / "autoencoders_of_two_sizes")
    advice = step["advice"][0]
    assert (advice["rule"], advice["traces_after"]) == ("trace_beforehand", 2)
    assert advice["notes"] == [
        "`tf.random.normal(mean.shape)` in it fails where a size is unknown that follows from `x`."
        " `tf.random.normal(tf.shape(mean))` does not."
    ]


@pytest.mark.newest
def test_a_loop_over_as_many_words_as_are_passed_is_told(results: Path) -> None:
    (step,) = report_of(results / "words_and_how_many")
    padded, declared = step["advice"][:2]
    assert (padded["rule"], padded["traces_after"]) == ("tensor_for_python_number+pad_to_one_shape", 1)
    assert "what is built depends on the size" in padded["text"]
    assert declared["rule"] == "input_signature"
    assert "A Python loop over a dimension fails where its size is unknown" in declared["notes"][0]


@pytest.mark.newest
def test_a_size_that_a_sampler_takes_as_a_number_is_told(results: Path) -> None:
    (step,) = report_of(results / "negatives_of_a_last_batch")
    clause = "the graphs have 24 and 18 as `num_sampled` of `FixedUnigramCandidateSampler`, for which TensorFlow takes"
    assert clause in step["advice"][0]["text"]
    (declared,) = [one for one in step["advice"] if one["rule"] == "input_signature"]
    assert clause in declared["notes"][0]
