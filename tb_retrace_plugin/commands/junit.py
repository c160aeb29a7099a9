"""A judgement as JUnit XML, for what shows test results in CI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from tb_retrace_plugin.analysis.budgets.judge_budget import Judged, Judgement
from tb_retrace_plugin.commands.terminal import plain
from tb_retrace_plugin.explain.words.place import place_text

#: What XML 1.0 cannot hold in any form.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(judgement: Judgement) -> str:
    """One test case per function and session; what cannot be judged is an error."""
    return _xml(judgement.judged, judgement.unsure if judgement.result == "unjudged" else [])


def junit_of_error(text: str) -> str:
    """Where there was nothing to judge, or nothing to judge it by: no file at all would look like no test."""
    return _xml([], [text])


def _xml(judged: Sequence[Judged], errors: Sequence[str]) -> str:
    failures = sum(bool(one.findings) for one in judged)
    total = len(judged) + len(errors)
    counts = {"tests": str(total), "failures": str(failures), "errors": str(len(errors)), "skipped": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "tb-retrace check", **counts})
    for one in judged:
        case = ElementTree.SubElement(suite, "testcase", {"classname": _text(one.session.run), "name": _name(one)})
        if one.findings:
            message = " ".join(_text(finding.text) for finding in one.findings)
            body = "\n".join(_text(line) for finding in one.findings for line in [finding.text, *finding.explanation])
            ElementTree.SubElement(case, "failure", {"type": "OverBudget", "message": message}).text = body
    for text in errors:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "recording", "name": "can be judged"})
        ElementTree.SubElement(case, "error", {"type": "CannotJudge", "message": _text(text)})
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def _name(one: Judged) -> str:
    return _text(place_text(one.function)) if one.function is not None else "all functions together"


def _text(text: str) -> str:
    return _NOT_XML.sub("?", plain(text).replace("`", ""))
