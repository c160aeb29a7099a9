"""The code of one fix, or of several together: one declaration, one call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import with_keywords
from tb_retrace_plugin.explain.advice.source.call_lines import call_code
from tb_retrace_plugin.explain.advice.source.code import with_added_specs, with_wrapped_arguments
from tb_retrace_plugin.explain.advice.source.one_definition import with_one_definition
from tb_retrace_plugin.explain.advice.source.own_lines import in_own_lines
from tb_retrace_plugin.explain.advice.source.undeclared import with_defaults

#: How the code of a rule declares the function.
_DECORATOR = re.compile(r"^@(tf\.function)(\(.*\))?$", re.MULTILINE)
#: How it makes one of what is passed to it, with all that it is given.
_CALL = re.compile(r"^(\w+ = )(tf\.function\(.*\))(?=  # |$)", re.MULTILINE)
#: A line that asks for a trace, of what has a name.
_ASKED = re.compile(r"^(\w+)\.get_concrete_function\(", re.MULTILINE)


def code_of(function: FunctionFacts, fixes: Sequence[Fix]) -> str:
    parts = with_one_definition([fix.other for fix in fixes if fix.other])
    compiled = _compiled_elsewhere(function, parts)
    if compiled:
        parts = [part.replace(f"@tf.function\ndef {function.name}(", f"def {function.name}(") for part in parts]
    added = [spec for fix in fixes for spec in fix.added.values()]
    # of what declares new parameters by itself, the one that declares the others as well
    decorators = [fix.decorator for fix in fixes if fix.decorator and not fix.added]
    for decorator in decorators or [fix.decorator for fix in fixes if fix.decorator]:
        if added and any(fix.rule == "input_signature" for fix in fixes):
            decorator = with_added_specs(decorator, added)
        parts = _declared(function, parts, decorator)
    undeclared = {path: value for fix in fixes for path, value in fix.undeclared.items()}
    parts = [with_defaults(part, undeclared, function.keyword_only, function.called) for part in parts]
    calls: dict[str, str] = {}
    written = ""  # with the lines that call
    for fix in fixes:
        for path, wrap in fix.calls.items():
            calls[path] = wrap.replace("{}", calls[path]) if path in calls else wrap
    if calls:
        called = f"\n{function.name}(", f"\n{function.called}("
        place = next((i for i, part in enumerate(parts) if any(call in part for call in called)), None)
        of_arguments = {path: wrap for path, wrap in calls.items() if path.isidentifier()}
        # what is kept by a parameter's name takes the place of what lines make
        inner = {path: wrap for path, wrap in calls.items() if path not in of_arguments or wrap == path}
        if place is not None and not inner:  # one call, not two
            parts[place] = with_wrapped_arguments(parts[place], calls)
        elif place is not None and (
            own := in_own_lines(function, with_wrapped_arguments(parts[place], of_arguments), inner)
        ):
            parts[place] = written = own
        elif place is not None and inner.keys() <= of_arguments.keys():
            parts[place] = with_wrapped_arguments(parts[place], calls)
        else:
            parts.append(call_code(function, calls, merged(fixes)))
    parts = [part if part == written else in_own_lines(function, part, {}) or part for part in parts]
    if compiled:
        parts = [
            _asked_of(part.replace(f"\n{function.called}(", f"\n{compiled}("), function, compiled) for part in parts
        ]
    return "\n\n".join(filter(None, parts))


def _compiled_elsewhere(function: FunctionFacts, parts: Sequence[str]) -> str:
    """The name under which one part makes a tf.function of what has no decorator, and needs none then; "" of others."""
    if not function.undecorated:
        return ""
    made = re.compile(rf"^(compiled_\w+) = tf\.function\({re.escape(function.name)}\b")
    return next((found[1] for part in parts if (found := made.match(part))), "")


def _asked_of(part: str, function: FunctionFacts, compiled: str) -> str:
    """With a trace asked for of what is made there, whatever the line that calls it has it as."""
    found = _ASKED.search(part)
    if found is None:
        return part
    part = part.replace(f", where `{found[1]}` is `{function.name}`, the tf.function", "")
    return _ASKED.sub(lambda one: one[0].replace(found[1], compiled, 1) if one[1] == found[1] else one[0], part)


def _declared(function: FunctionFacts, parts: Sequence[str], decorator: str) -> list[str]:
    """The parts with what a decorator declares: in the place of a bare one, or in the call of `tf.function`."""
    place = next((i for i, part in enumerate(parts) if _DECORATOR.search(part)), None)
    if place is not None:
        declared = _DECORATOR.sub(lambda found: _decorated(found, decorator), parts[place], count=1)
        return [*parts[:place], declared, *parts[place + 1 :]]
    is_lambda = not function.name.isidentifier()
    declaration, _, defaults = decorator.partition("\ndef ")
    keywords = declaration[len("@tf.function(") : -1]
    for i, part in enumerate(parts):
        made = _CALL.sub(lambda found: found[1] + with_keywords(found[2], keywords), part, count=1)
        if made != part:
            return [*parts[:i], made, *parts[i + 1 :]]
    if not (function.is_object or is_lambda or function.undecorated or function.passed_as):
        return [*parts, decorator]
    of = f"{function.name}(…)" if function.is_object else "…" if is_lambda else function.passed
    made = with_keywords(f"tf.function({of})", keywords)
    if function.is_object or is_lambda:
        return [*parts, f"{'compiled' if function.is_object else 'f'} = {made}"]
    return [*parts, f"{made}  # where it is made", *([f"def {defaults}"] if defaults else [])]


def _decorated(found: re.Match[str], decorator: str) -> str:
    """`found`: a decorator, whose other keywords stay."""
    declaration, newline, defaults = decorator.partition("\ndef ")
    if found[2] is None:
        return decorator
    return f"@{with_keywords(found[1] + found[2], declaration[len('@tf.function(') : -1])}{newline}{defaults}"
