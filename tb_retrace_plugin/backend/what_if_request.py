"""The question of a what-if, as it stands in a URL."""

from __future__ import annotations

from collections.abc import Iterable

from werkzeug.datastructures import MultiDict

from tb_retrace_plugin.analysis.pages.what_if import Change, WhatIfError

_KNOWN = frozenset({"session", "seq", "input_signature", "reduce_retracing", "unknown", "tensor"})
_MOST_PATHS = 500
_MOST_CHARACTERS = 500
_MOST_CODE = 20_000


def read_change(parameters: MultiDict[str, str]) -> Change:
    """Raises WhatIfError for what is too long, or is no question."""
    unknown = [name for name in parameters if name not in _KNOWN]
    if unknown:
        raise WhatIfError(f"Known parameters: {', '.join(sorted(_KNOWN))}.")
    code = parameters.get("input_signature", "")
    if len(code) > _MOST_CODE:
        raise WhatIfError(f"The input signature is longer than {_MOST_CODE:,} characters.")
    reduce = parameters.get("reduce_retracing", "0")
    if reduce not in ("0", "1"):
        raise WhatIfError("`reduce_retracing` is 1 or 0.")
    return Change(
        input_signature=code,
        reduce_retracing=reduce == "1",
        unknown=_paths("unknown", parameters.getlist("unknown")),
        tensors=_paths("tensor", parameters.getlist("tensor")),
    )


def _paths(name: str, given: Iterable[str]) -> tuple[str, ...]:
    paths = tuple(dict.fromkeys(given))
    if len(paths) > _MOST_PATHS or any(len(path) > _MOST_CHARACTERS for path in paths):
        raise WhatIfError(f"`{name}` can be given {_MOST_PATHS} times, with {_MOST_CHARACTERS} characters each.")
    return paths
