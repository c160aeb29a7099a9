"""Which changes `tb-retrace try` can make to a running program (`capture/applied/` has a file for each way)."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix
from tb_retrace_plugin.explain.advice.python_values.one_dtype import cast_path
from tb_retrace_plugin.explain.advice.source.code import spec_code
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: Rules whose numbers are no arguments by themselves, for a class declares them, and whose dtypes are of no cast.
_OF_PARTS = frozenset({"tensor_field", "one_row_splits_dtype"})


def applicable(fixes: Sequence[Fix]) -> dict[str, object] | None:
    """All of them together as plain data (`apply` in docs/report_json.md); None if one of them needs other source."""
    together = Candidate()
    found: dict[str, object] = {}
    for fix in fixes:
        candidate = fix.candidate or Candidate()
        if fix.outside is not None:
            found |= fix.outside
        elif (
            fix.candidate is None
            or _needs_source(candidate)
            or fix.rule in _OF_PARTS
            or (fix.rule == "input_signature" and not fix.decorator)
        ):
            return None
        together = together.with_(candidate)
    if together.input_signature is not None:
        if "closed_over" in found:  # TensorFlow declares no argument that is keyword-only
            return None
        if "input_signature" not in found:
            specs = [spec_code(node) for _, node in together.input_signature]
            if None in specs:
                return None
            found["input_signature"] = f"[{', '.join(map(str, specs))}]"
    elif together.numbers:  # what is declared as a tensor is converted by TensorFlow
        found["tensors"] = dict(together.numbers)
    if together.stacked:
        found["tensors"] = {**dict(together.numbers if together.input_signature is None else {}), **together.stacked}
    if together.sequences:
        found["sequences"] = dict(together.sequences)
    if together.dtypes:
        found["casts"] = {cast_path(path): dtype for path, dtype in together.dtypes.items()}
    if together.reduce_retracing:
        found["reduce_retracing"] = True
    return found or None


def _needs_source(candidate: Candidate) -> bool:
    made = candidate.objects or candidate.identities or candidate.variables_outside
    return bool(
        made or candidate.bools or candidate.keys or candidate.padded or candidate.buckets or candidate.traced_wide
    )
