"""`tb-retrace try … script.py args…`: runs a program as it is and with a change applied from outside, and compares."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.pages.compare_runs import compare_runs
from tb_retrace_plugin.analysis.sessions.select import functions_called
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.analysis.sessions.wording import seconds_text
from tb_retrace_plugin.commands.compare import compare_lines
from tb_retrace_plugin.commands.recordings import fail, names_text
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.commands.try_changes import change_lines
from tb_retrace_plugin.commands.try_runs import Outcome, Program, differences, median_seconds, run_program
from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.advice.source.code import traces_text
from tb_retrace_plugin.explain.what_if.input_signature import InputSignatureError, parse_input_signature
from tb_retrace_plugin.explain.words.place import place_text
from tb_retrace_plugin.schema import retrace_pb2 as pb

TRY_SCHEMA = 1


@dataclass(slots=True)
class Trial:
    """A change to one function. `predicted`: traces with it, failed ones too, where advice gave a number."""

    function: pb.Function
    apply: dict[str, Any]
    rule: str = ""
    predicted: int | None = None
    objects: int = 0
    problems: list[str] = field(default_factory=list)
    counts: tuple[int, int] = (0, 0)

    def request(self) -> dict[str, Any]:
        return {
            "file": self.function.file, "line": self.function.line, "qualname": self.function.qualname, **self.apply,
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """What is changed, in full."""
        yield place_text(self.function)
        yield from (f"    {line}" for line in change_lines(self.apply))


class CannotTry(Exception):
    """The message says why and what to do."""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "try",
        help="run a program as it is and with a change, and compare",
        description="Runs a program as it is, and with a change applied from outside; no file is changed.",
        usage="tb-retrace try [--from-advice | --function F (--input-signature CODE | --reduce-retracing)] "
        "[--repeat N] [--logdir DIR] [--format text|json] (script.py | -m module) [args ...]",
    )
    how = parser.add_argument_group("the change")
    how.add_argument("--from-advice", action="store_true", help="what the advice on the first run says (the default)")
    how.add_argument("--function", metavar="F", help="the function to change: its name, or file.py:line")
    how.add_argument("--input-signature", default="", metavar="CODE", help="such as '[tf.TensorSpec([None, 10])]'")
    how.add_argument("--reduce-retracing", action="store_true", help="declare it with reduce_retracing=True")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="run each of the two N times (default: 1)")
    parser.add_argument("--logdir", metavar="DIR", help="keep both recordings: DIR/before and DIR/after")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: see docs/try.md")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module, as with python -m")
    parser.add_argument("program", help="a script, or a module's name after -m")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="the program's own arguments")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Returns 0 if the program ends with the change as it does without; 1 if not; 2 if nothing could be tried."""
    make_printable(sys.stdout)
    try:
        _check(args)
        with tempfile.TemporaryDirectory(prefix="retrace-try-") as scratch:
            return _try(args, Path(args.logdir or scratch))
    except (CannotTry, InputSignatureError) as error:
        return fail("try", str(error))
    except KeyboardInterrupt:
        return fail("try", "interrupted.")


def _check(args: argparse.Namespace) -> None:
    explicit = bool(args.input_signature or args.reduce_retracing)
    if explicit and args.from_advice:
        raise CannotTry("--from-advice takes the change from the advice: give it, or a change of your own.")
    if explicit and not args.function:
        raise CannotTry("say with --function which function is to be changed.")
    if args.input_signature:
        parse_input_signature(args.input_signature)
    if args.repeat < 1:
        raise CannotTry("--repeat is a whole number from 1 on.")
    if not args.module and not os.path.isfile(args.program):
        raise CannotTry(f"cannot read {args.program!r}: no such file.")
    if args.logdir and any(os.path.exists(os.path.join(args.logdir, name)) for name in ("before", "after")):
        raise CannotTry(f"{args.logdir} holds an earlier try; give another --logdir.")


def _try(args: argparse.Namespace, directory: Path) -> int:
    program = Program(args.program, args.args, args.module)
    say = _sayer(args)
    times = "" if args.repeat == 1 else f", {args.repeat} times each"
    say(f"Runs the program as it is and then with a change{times}. No file of it is changed; whatever it")
    say("writes or sends, it writes or sends each time.")
    say(f"before: {program}")
    before = _runs(program, directory / "before", args.repeat)
    trials, not_applicable = _choose(args, before[0])
    for function, advice in not_applicable:
        for line in _by_hand(function, advice):
            say(line)
    if not trials:
        _nothing_to_try(args, before[0], not_applicable)
    say("The change, in the second run alone:")
    for trial in trials:
        for line in trial.lines():
            say(f"  {line}")
    say(f"after: {program}")
    after = _runs(program, directory / "after", args.repeat, [trial.request() for trial in trials])
    if problem := next((outcome.problem for outcome in after if outcome.problem), ""):
        raise CannotTry(f"nothing could be changed in this TensorFlow: {problem}.")
    for trial, said in zip(trials, after[0].changes, strict=False):
        trial.objects, trial.problems = said["objects"], said["problems"]
        trial.counts = _count(trial.function, before[0]), _count(trial.function, after[0])
    answer = _answer(before, after, trials, not_applicable)
    if args.format == "json":
        print(json.dumps(answer, indent=1, allow_nan=False))
    else:
        for line in _lines(answer, before, after, trials, Style.of(sys.stdout)):
            print(line)
        if args.logdir:
            print(f"Both recordings: {directory / 'before'}, {directory / 'after'}")
    return 0 if answer["same_end"] else 1


def _by_hand(function: pb.Function, advice: Advice) -> Iterator[str]:
    """Why it is not done here, and what to do."""
    why = why_by_hand(advice.rule, advice.evidence)
    yield f"To be tried in the source: {place_text(function)}: {advice.rule}: {why}."
    yield f"  {advice.text}"
    yield from (f"  careful: {warning}" for warning in advice.warnings)
    yield from (f"      {line}".rstrip() for line in (advice.code or "").splitlines())
    yield from (f"  note: {note}" for note in advice.notes)
    if advice.traces_after is not None:
        yield f"      {traces_text(advice.traces_before, advice.traces_after)} promised"


def _sayer(args: argparse.Namespace) -> Any:
    """Progress is for people: on standard error where the answer is for programs."""
    stream = sys.stderr if args.format == "json" else sys.stdout
    style = Style.of(stream)
    make_printable(stream)
    return lambda text: print(style.code(plain(text)), file=stream, flush=True)


def _runs(program: Program, directory: Path, repeat: int, changes: Sequence[dict[str, Any]] = ()) -> list[Outcome]:
    if repeat == 1:
        return [run_program(program, directory, changes)]
    return [run_program(program, directory / f"{number}", changes) for number in range(1, repeat + 1)]


# --- which change ---


def _choose(args: argparse.Namespace, before: Outcome) -> tuple[list[Trial], list[tuple[pb.Function, Advice]]]:
    groups = [group for session in before.store.sessions for group in session.functions.values()]
    if args.function:
        named = functions_called([group.function for group in groups], args.function)
        if len(named) != 1:
            raise CannotTry(_which(args.function, named, groups, before))
        groups = [group for group in groups if group.function == named[0]]
    if args.input_signature or args.reduce_retracing:
        apply: dict[str, Any] = {"input_signature": args.input_signature} if args.input_signature else {}
        apply |= {"reduce_retracing": True} if args.reduce_retracing else {}
        return [Trial(named[0], apply)], []
    return _from_advice(groups)


def _from_advice(groups: Sequence[FunctionGroup]) -> tuple[list[Trial], list[tuple[pb.Function, Advice]]]:
    """The best advice on each function that can be applied from outside, and functions with advice that cannot."""
    trials: list[Trial] = []
    others: list[tuple[pb.Function, Advice]] = []
    seen: set[tuple[str, int, str]] = set()
    for group in groups:
        place = _place(group.function)
        advice = advice_of(group)
        if not advice or place in seen:
            continue
        seen.add(place)
        best = next((one for one in advice if one.apply), None)
        if best is None or best.apply is None:
            others += [(group.function, one) for one in advice]
        else:
            if advice[0] is not best:
                others.append((group.function, advice[0]))
            predicted = best.traces_after if not group.omitted else None  # it was tried on a part of the traces
            if predicted is not None:  # and other lambdas of the line, which are counted with it, stay as they are
                predicted += sum(_traces(one) for one in groups if one is not group and _place(one.function) == place)
            trials.append(Trial(group.function, dict(best.apply), best.rule, predicted))
    return trials, others


def _which(wanted: str, named: list[pb.Function], groups: Sequence[FunctionGroup], before: Outcome) -> str:
    if not groups:
        return _no_traces(before)
    if not named:
        names = list(dict.fromkeys(group.function.qualname for group in groups if not group.function.library))
        return f"no function {wanted!r} was traced. Traced were: {names_text(names)}."
    places = [f"{function.file}:{function.line}" for function in named]
    return f"{wanted!r} names several functions: {names_text(places)}. Say which."


def _nothing_to_try(args: argparse.Namespace, before: Outcome, others: Sequence[object]) -> None:
    if not before.traces:
        raise CannotTry(_no_traces(before))
    if others:
        raise CannotTry("none of the advice can be applied from outside; it is a change of the source, as said above.")
    raise CannotTry("no trace of this run can be avoided by a change that is known: there is nothing to try.")


def _no_traces(before: Outcome) -> str:
    if not before.imported_tensorflow:
        words = "\n  ".join(before.last_words)
        return f"the program did not import TensorFlow ({before.ended}).\n  {words}".rstrip()
    return f"the program traced no tf.function ({before.ended})."


# --- the answer ---


def _count(function: pb.Function, outcome: Outcome) -> int:
    """Its traces, failed ones too."""
    groups = [group for session in outcome.store.sessions for group in session.functions.values()]
    return sum(_traces(group) for group in groups if _place(group.function) == _place(function))


def _traces(group: FunctionGroup) -> int:
    return len(group.events) + group.omitted_traces


def _place(function: pb.Function) -> tuple[str, int, str]:
    return function.file, function.line, function.qualname


def _answer(
    before: list[Outcome],
    after: list[Outcome],
    trials: Sequence[Trial],
    not_applicable: Sequence[tuple[pb.Function, Advice]],
) -> dict[str, Any]:
    one, other = before[0], after[0]
    return {
        "schema": TRY_SCHEMA,
        "changes": [
            {
                "function": code_json(trial.function),
                "apply": trial.apply,
                "rule": trial.rule or None,
                "objects": trial.objects,
                "problems": trial.problems,
                "traces_before": trial.counts[0],
                "traces_predicted": trial.predicted,
                "traces_after": trial.counts[1],
            }
            for trial in trials
        ],
        "not_applicable": [
            {"function": code_json(function), "rule": advice.rule, "why": why_by_hand(advice.rule, advice.evidence)}
            for function, advice in not_applicable
        ],
        "before": [outcome.to_json() for outcome in before],
        "after": [outcome.to_json() for outcome in after],
        "same_end": (one.exit, one.exception) == (other.exit, other.exception),
        "output_differences": differences(one.stdout, other.stdout),
        "compared": compare_runs(one.store.sessions, other.store.sessions),
    }


def _lines(
    answer: dict[str, Any], before: list[Outcome], after: list[Outcome], trials: Sequence[Trial], style: Style
) -> Iterator[str]:
    yield ""
    for trial in trials:
        yield from _trial_lines(trial, style)
    yield f"  seconds: {_seconds(before)} before, {_seconds(after)} after (the whole program)"
    for word, outcomes in (("before", before), ("after", after)):
        if len({outcome.traces for outcome in outcomes}) > 1:
            counts = ", ".join(str(outcome.traces) for outcome in outcomes)
            yield style.warn(f"  traces {word} differ from run to run: {counts}")
    one, other = before[0], after[0]
    if answer["same_end"]:
        yield f"  ended: {plain(other.ended)}, both times"
    else:
        yield style.warn(plain(f"  ended: before: {one.ended}"))
        yield style.warn(plain(f"         after: {other.ended}"))
    if not answer["same_end"] or other.exit:
        for line in other.last_words:
            yield style.dim(f"    {plain(line)}")
    if not answer["output_differences"]:
        yield "  printed: the same"
    else:
        yield style.warn("  printed otherwise (- before, + after):")
        for line in answer["output_differences"]:
            yield f"    {plain(line)}"
    yield ""
    yield from compare_lines(answer["compared"], style)


def _trial_lines(trial: Trial, style: Style) -> Iterator[str]:
    how = "not everywhere as said" if trial.objects else "not changed"
    for problem in trial.problems:
        yield style.warn(plain(f"{place_text(trial.function)} was {how}: {problem}"))
    if not trial.objects and not trial.problems:
        yield style.warn(plain(f"{place_text(trial.function)} was not declared in the second run: nothing was changed"))
    was, now = trial.counts
    text = f"{place_text(trial.function)}: {traces_text(was, now)}"
    if trial.predicted is not None:
        text += ", as predicted" if trial.predicted == now else f"; {trial.predicted:,} predicted"
    yield style.bold(style.code(plain(text)))
    if trial.predicted is not None and trial.predicted < now and not trial.problems:
        yield "  A call that was served before, and so was not recorded, may need a trace now (docs/try.md)."


def _seconds(outcomes: Sequence[Outcome]) -> str:
    text = seconds_text(median_seconds(outcomes))
    if len(outcomes) > 1:
        found = sorted(outcome.seconds for outcome in outcomes)
        text += f" ({seconds_text(found[0])} to {seconds_text(found[-1])})"
    return text
