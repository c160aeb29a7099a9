"""Random programs, recorded and mended.

`python -m tests.benchmarks.fuzz_programs [--programs N] [--seed 1]
[--keras | --compiled | --objects | --kept | --handed | --training | --agents | --stale | --xla | --distributed]`

Of each, TensorFlow's own counts are the oracle of the traces reported; what advice can be applied from outside
(`tb-retrace try`) is, and TensorFlow counts again: the promise. Told as well is what works no more without a note or a
warning that it may not, what can be avoided without advice (`--all`), and what is unknown (`--all`).
With `--xla`, XLA's dumps are the oracle of each function's compilations. Ends with 1 if a count or a promise was wrong.
With `--by-hand` each advice's code is put into the source, as far as that says all, and TensorFlow counts again, too.
`--keep DIR`: programs and recordings stay there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tests.support.advised_keras import with_advised_calls
from tests.support.advised_lines import with_advised_lines
from tests.support.random_agent_programs import random_agent_program
from tests.support.random_compile_programs import random_compile_program
from tests.support.random_distributed_programs import random_distributed_program
from tests.support.random_handed_programs import random_handed_program
from tests.support.random_kept_programs import random_kept_program
from tests.support.random_keras_programs import random_keras_program
from tests.support.random_object_programs import random_object_program
from tests.support.random_programs import random_program
from tests.support.random_stale_programs import random_stale_program
from tests.support.random_training_programs import random_training_program
from tests.support.random_xla_programs import random_xla_program

ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {
    **os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1",
}  # fmt: skip


def functions_of(log_dir: Path) -> list[dict[str, Any]]:
    store = Store(FileGraphs(str(log_dir)).blob)
    store.add(read_logdir(str(log_dir)))
    sessions = json.loads(json.dumps(report(store)))["sessions"]
    return [function for session in sessions for function in session["functions"]]


def recorded(programs: list[Path], results: Path, *options: str) -> dict[str, str]:
    """What each printed."""
    results.mkdir()
    command = [sys.executable, "-m", "tests.support.run_gallery", str(results), *options, *map(str, programs)]
    done = subprocess.run(command, cwd=ROOT, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    parts = [part.partition("\n") for part in done.stdout.split("=== ")[1:]]  # some programs end with an error
    return {Path(name).stem: printed for name, _, printed in parts}


def tried(programs: list[Path], answers: Path) -> dict[str, tuple[int, str, str]]:
    asked = json.dumps({path.stem: ["--format", "json", "--from-advice", str(path)] for path in programs})
    command = [sys.executable, "-m", "tests.support.try_programs", str(answers)]
    subprocess.run(command, cwd=ROOT, env=_ENVIRONMENT, input=asked, text=True, capture_output=True, check=True)
    found: dict[str, tuple[int, str, str]] = json.loads(answers.read_text("utf-8"))
    return found


def miscounted(functions: list[dict[str, Any]], counted: dict[str, int], of: str = "traces") -> list[str]:
    ours: Counter[str] = Counter()
    for function in functions:  # lambdas of one line have one place
        if of == "objects" and function["failed_traces"]:  # of those that failed TensorFlow counts none
            counted = {place: count for place, count in counted.items() if not place.endswith(f":{function['line']}")}
        ours[f"{function['file']}:{function['line']}"] += function[of]
    told = []
    for place, count in counted.items():
        found = next((number for where, number in ours.items() if where.endswith(place) or place.endswith(where)), 0)
        if "__autograph_generated_file" not in place and found != count:
            told.append(f"{place}: TensorFlow counts {count} {of}, reported are {found}")
    return told


def broken(answer: tuple[int, str, str], functions: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Promises that were not kept; results that are others without a word of it."""
    try:
        outcome = json.loads(answer[1])
    except ValueError:
        return [f"it could not be tried: {answer[2][-500:]}"], []
    first = [f["advice"][0] for f in functions if f["advice"]]
    is_told = any(one["notes"] or one["warnings"] or "write `" in one["text"] for one in first)
    ended = outcome["same_end"] or is_told  # else the promise is not of a program that fails before
    promises = [
        f"{change['function']['name']}: {change['rule']} was to leave {change['traces_predicted']}"
        f" of {change['traces_before']}, and left {change['traces_after']}"
        for change in outcome["changes"]
        if ended and change["traces_after"] > (change["traces_predicted"] or 0) and not _is_refused(change)
    ]
    rules = [change["rule"] for change in outcome["changes"]]
    others = [] if is_told or (outcome["same_end"] and not outcome["output_differences"]) else [f"results, by {rules}"]
    return promises, others


def by_hand(
    programs: list[Path], functions: dict[str, list[dict[str, Any]]], printed: dict[str, str], directory: Path
) -> tuple[int, int]:
    """Of each advice with a number, whose code can be put in: how many, and of how many the number was not kept.

    Told as well is where something else is `printed` without a word of it.
    """
    directory.mkdir()
    promised: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for path in programs:
        for number, function in enumerate(functions[path.stem]):
            for place, one in enumerate(function["advice"]):
                # of what is not used one line shows the value for all
                is_told = one["traces_after"] is not None and "unused_argument" not in one["rule"]
                is_shown = re.search("pass_(number|tensor)s?_of", one["rule"]) is None or "kept_" in (one["code"] or "")
                code = one["code"] if is_told and is_shown else ""
                put_in = with_advised_calls if function["library"] else with_advised_lines
                changed = put_in(path.read_text("utf-8"), function, code) if code else None
                if changed is not None:
                    name = f"{path.stem}_{number}_{place}"
                    (directory / f"{name}.py").write_text(changed, "utf-8")
                    promised[name] = function, one
    results = directory / "results"
    now = recorded([directory / f"{name}.py" for name in promised], results, "--bare") if promised else {}
    wrong = 0
    for name, (function, one) in promised.items():
        source = (directory / f"{name}.py").read_text("utf-8").splitlines()
        result = results / f"{name}.json"
        counts = json.loads(result.read_text("utf-8"))["counts"] if result.exists() else {}
        counted = sum(n for place, n in counts.items() if _is_of(source, place, function))
        is_told = bool(one["warnings"] or one["notes"] or "write `" in one["text"])
        if counted > one["traces_after"] or not (counted or is_told or one["traces_after"] == 0):
            wrong += 1
            promise = f"{one['rule']} was to leave {one['traces_after']}, and by hand left {counted}"
            print(f"{name}: {function['name']}: {promise}", flush=True)
        elif now[name] != printed[name.partition("_")[0]] and not is_told:
            print(f"{name}: {function['name']}: other results, by {one['rule']}", flush=True)
    return len(promised), wrong


def _is_of(source: list[str], place: str, function: dict[str, Any]) -> bool:
    if function["library"]:
        return place.endswith(f"{function['file']}:{function['line']}")
    return _defines(source, place, function["name"])


def _defines(source: list[str], place: str, name: str) -> bool:
    """Whether the function of that name begins there, with its decorator."""
    lines = itertools.dropwhile(lambda line: not line.strip().startswith("def "), source[_line_of(place) - 1 :])
    return next(lines, "").strip().startswith(f"def {name.rpartition('.')[2]}(")


def _line_of(place: str) -> int:
    return int(place.rpartition(":")[2])


def _is_refused(change: dict[str, Any]) -> bool:
    """It makes nothing one that holds other values, read or not."""
    return any(problem.startswith("another one is not the same: ") for problem in change["problems"])


def warned(answer: tuple[int, str, str]) -> list[str]:
    """What works no more, or gives other results, with a note or a warning that it may not."""
    try:
        outcome = json.loads(answer[1])
    except ValueError:
        return []
    rules = [change["rule"] for change in outcome["changes"]]
    return [] if outcome["same_end"] else [f"works no more, as was told, by {rules}"]


def unexplained(functions: list[dict[str, Any]]) -> list[str]:
    """Of a library's functions only where no function has advice: there, one change is for several of them."""
    told = []
    is_advised = any(function["advice"] for function in functions)
    for function in functions:
        if function["library"] and is_advised:
            continue
        events = [event for event in function["events"] if not event["failed"]]
        words = [event["verdict"] for event in events]
        causes = [f"{change['cause']} {change['path']}" for event in events for change in event["changes"]]
        if "avoidable" in words and not function["advice"]:
            told.append(f"{function['name']}: avoidable without advice, {words}, {causes}")
        elif "unknown" in words:
            told.append(f"{function['name']}: unknown, {words}, {causes}")
    return told


#: Of a module that XLA dumps, if it was compiled for a call that Python made: which pass, and the function.
_COMPILED = re.compile(r"module_\d+\.a_(inference___backward|inference|forward)_(.+?)(?:_\d+)+__XlaMustCompile.*")


def compiled_otherwise(program: Path, functions: list[dict[str, Any]]) -> list[str]:
    """Of functions whose compilations are all seen, as far as that is told: XLA's own count of each pass."""
    dumps = program.with_suffix(".dumps")
    names = [path.name for path in dumps.iterdir()] if dumps.exists() else []
    dumped = Counter(
        (found[2], found[1])
        for name in names
        if name.endswith("before_optimizations.txt") and (found := _COMPILED.fullmatch(name))
    )
    ours = Counter(
        (f["name"], "forward" if one["gradient"] else "inference___backward" if one["backward"] else "inference")
        for f in functions
        for one in f["xla"]
        if not one["failed"]
    )
    has_failed = {f["name"] for f in functions if any(one["failed"] for one in f["xla"])}
    return [
        f"{name}, {which}: XLA compiled {dumped[name, which]}, reported are {ours[name, which]}"
        for name, which in dumped | ours
        if dumped[name, which] != ours[name, which] and name not in has_failed
    ]


def told_of_stale(programs: list[Path], results: Path) -> int:
    """What the reports say is stale, against what is known of the programs."""
    recorded(programs, results)
    wrong = 0
    for path in programs:
        names = [stale["name"] for function in functions_of(results / path.stem) for stale in function["stale"]]
        _, is_stale = random_stale_program(int(path.stem[1:]))
        if bool(names) != is_stale:
            wrong += 1
            print(f"{path.stem}: told as stale {names}, {'something' if is_stale else 'nothing'} is", flush=True)
    print(f"{len(programs)} programs, {wrong} told wrong")
    return 1 if wrong else 0


_GENERATORS = {
    "distributed": random_distributed_program, "xla": random_xla_program, "agents": random_agent_program,
    "training": random_training_program, "objects": random_object_program, "kept": random_kept_program,
    "keras": random_keras_program, "compiled": random_compile_program,
    "handed": random_handed_program,
}  # fmt: skip


def _text(seed: int, arguments: argparse.Namespace) -> str:
    if arguments.stale:
        return random_stale_program(seed)[0]
    made = next((make for name, make in _GENERATORS.items() if getattr(arguments, name)), None)
    return made(seed) if made is not None else random_program(seed, arguments.kinds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="of the first; each has the next number")
    parser.add_argument("--kinds", type=int, default=3, help="arguments that change, at most")
    parser.add_argument("--keras", action="store_true", help="of users of Keras, datasets and XLA")
    parser.add_argument("--compiled", action="store_true", help="of users of Keras that compile or build models again")
    parser.add_argument("--objects", action="store_true", help="that make functions and instances again")
    parser.add_argument("--kept", action="store_true", help="that pass objects they keep, and such made for each call")
    parser.add_argument("--handed", action="store_true", help="whose calls lie behind helpers of their own")
    parser.add_argument("--training", action="store_true", help="that train: what calls pass, and from where")
    parser.add_argument("--agents", action="store_true", help="of classes with networks and settings, as in research")
    parser.add_argument("--stale", action="store_true", help="that change what was read: only what is stale")
    parser.add_argument("--xla", action="store_true", help="of functions that XLA compiles")
    parser.add_argument("--distributed", action="store_true", help="of strategies of tf.distribute")
    parser.add_argument("--by-hand", action="store_true", help="put the code of advice into the source, too")
    parser.add_argument("--all", action="store_true", help="tell what is unknown, or has no advice, too")
    parser.add_argument("--keep", type=Path, help="a new directory for programs and recordings")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(arguments.keep or temporary).absolute()
        sources = directory / "programs"
        sources.mkdir(parents=True)
        programs = [sources / f"p{arguments.seed + number}.py" for number in range(arguments.programs)]
        for path in programs:
            seed = int(path.stem[1:])
            path.write_text(_text(seed, arguments), "utf-8")
        results = directory / "results"
        if arguments.stale:
            return told_of_stale(programs, results)
        printed = recorded(programs, results)
        functions = {path.stem: functions_of(results / path.stem) for path in programs}
        compiled = {path.stem: compiled_otherwise(path, functions[path.stem]) for path in programs if arguments.xla}
        may = [p for p in programs if any(a["apply"] for f in functions[p.stem] for a in f["advice"])]
        answers = tried(may, directory / "tried.json")
        wrong = 0
        for path in programs:
            name, outcome = path.stem, json.loads((results / f"{path.stem}.json").read_text("utf-8"))
            told = miscounted(functions[name], outcome["counts"])
            told += miscounted(functions[name], outcome["objects"], "objects")
            told += compiled.get(name, [])
            promises, others = broken(answers[name], functions[name]) if name in answers else ([], [])
            wrong += len(told) + len(promises)
            more = unexplained(functions[name]) if arguments.all else []
            more += warned(answers[name]) if arguments.all and name in answers and not others else []
            for line in (*told, *promises, *others, *more):
                print(f"{name}: {line}", flush=True)
        if arguments.by_hand:
            put_in, not_kept = by_hand(programs, functions, printed, directory / "by_hand")
            print(f"{put_in} times code put into the source, {not_kept} promises not kept")
            wrong += not_kept
    print(f"{len(programs)} programs, advice of {len(may)} tried, {wrong} counts or promises wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
