"""The code of one fix, or of several together: one declaration, one call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.source.call_lines import call_code
from tb_retrace_plugin.explain.advice.source.code import with_added_specs, with_wrapped_arguments

#: How the code of a rule declares the function.
_BARE = "@tf.function\n"
#: A call of `tf.function` in it: of a lambda, whose own parentheses are none of its.
_LAMBDA = re.compile(r"tf\.function\((lambda [^\n]*?: …)\)")


def code_of(function: FunctionFacts, fixes: Sequence[Fix]) -> str:
    parts = [fix.other for fix in fixes if fix.other]
    added = [spec for fix in fixes for spec in fix.added.values()]
    for decorator in (fix.decorator for fix in fixes if fix.decorator):
        if added and any(fix.rule == "input_signature" for fix in fixes):
            decorator = with_added_specs(decorator, added)
        parts = _declared(function, parts, decorator)
    calls: dict[str, str] = {}
    for fix in fixes:
        for path, wrap in fix.calls.items():
            calls[path] = wrap.replace("{}", calls[path]) if path in calls else wrap
    if calls:
        place = next((i for i, part in enumerate(parts) if f"\n{function.name}(" in part), None)
        if place is not None and all(path.isidentifier() for path in calls):  # one call, not two
            parts[place] = with_wrapped_arguments(parts[place], calls)
        else:
            parts.append(call_code(function, calls, merged(fixes)))
    return "\n\n".join(filter(None, parts))


def _declared(function: FunctionFacts, parts: Sequence[str], decorator: str) -> list[str]:
    """The parts with what a decorator declares: in the place of a bare one, or in the call of `tf.function`."""
    place = next((i for i, part in enumerate(parts) if _BARE in part), None)
    if place is not None:
        return [*parts[:place], parts[place].replace(_BARE, decorator + "\n", 1), *parts[place + 1 :]]
    is_lambda = not function.name.isidentifier()
    if not (function.is_object or is_lambda or function.undecorated):
        return [*parts, decorator]
    declaration, _, defaults = decorator.partition("\ndef ")
    keywords = declaration[len("@tf.function(") : -1]
    of = f"{function.name}(…)" if function.is_object else "…" if is_lambda else function.name_where_made
    for i, part in enumerate(parts):
        made = part.replace(f"tf.function({of})", _made(of, keywords))
        made = _LAMBDA.sub(lambda match: _made(match[1], keywords), made) if is_lambda else made
        if made != part:
            return [*parts[:i], made, *parts[i + 1 :]]
    if function.is_object or is_lambda:
        return [*parts, f"{'compiled' if function.is_object else 'f'} = {_made(of, keywords)}"]
    return [*parts, f"{_made(of, keywords)}  # where it is made", *([f"def {defaults}"] if defaults else [])]


def _made(of: str, keywords: str) -> str:
    return f"tf.function(\n    {of},{keywords})" if keywords.startswith("\n") else f"tf.function({of}, {keywords})"
