"""Which changes `tb-retrace try` can make to a running program: those of a declaration, and of what is passed."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.code import spec_code
from tb_retrace_plugin.explain.what_if import Candidate


def applicable(candidates: Sequence[Candidate]) -> dict[str, object] | None:
    """All of them together as plain data (`apply` in docs/report_json.md); None if one of them needs other source."""
    together = Candidate()
    for candidate in candidates:
        together = together.with_(candidate)
    from_source = together.objects or together.identities or together.keys or together.sequences
    if from_source or together.padded or together.buckets or together.variables_outside:
        return None
    found: dict[str, object] = {}
    if together.input_signature is not None:
        specs = [spec_code(node) for _, node in together.input_signature]
        if None in specs:
            return None
        found["input_signature"] = f"[{', '.join(map(str, specs))}]"
    elif together.numbers:  # what is declared as a tensor is converted by TensorFlow
        found["tensors"] = dict(together.numbers)
    if together.dtypes:
        found["casts"] = dict(together.dtypes)
    if together.reduce_retracing:
        found["reduce_retracing"] = True
    return found or None
