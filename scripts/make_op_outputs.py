"""Writes tb_retrace_plugin/graphs/op_outputs.py from the ops of the installed TensorFlow. Run when one brings new ops.

    .venv/bin/python scripts/make_op_outputs.py > tb_retrace_plugin/graphs/op_outputs.py

Ops that are in the present table and that this TensorFlow lacks are kept.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tb_retrace_plugin.graphs.op_outputs import RULE_OF_OP

_HEAD = '''"""How to tell the type of an op's first output. Written by scripts/make_op_outputs.py, not by hand.

`=float32`: always that; `T`: its attribute T; `Tout[0]`: the first type in its attribute Tout. The tests hold it to the
registries of the TensorFlow versions that they run on. The viewer has no TensorFlow to ask.
"""

from __future__ import annotations

_OPS = {'''
_TAIL = """}

#: Rule by op; ops without outputs are not in it.
RULE_OF_OP = {op: rule for rule, ops in _OPS.items() for op in ops.split()}"""


def registry_rules() -> Iterator[tuple[str, str]]:
    """(op, rule) of each op that has an output."""
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.dtypes import as_dtype
    from tensorflow.python.client import pywrap_tf_session

    ops = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    for op in ops.op:
        if op.name.startswith("_") or not op.output_arg:
            continue
        first = op.output_arg[0]
        if first.type:
            yield op.name, f"={as_dtype(first.type).name}"
        elif first.type_attr:
            yield op.name, first.type_attr
        elif first.type_list_attr:
            yield op.name, f"{first.type_list_attr}[0]"


def main() -> None:
    rules = {**RULE_OF_OP, **dict(registry_rules())}
    by_rule: dict[str, list[str]] = {}
    for op, rule in sorted(rules.items()):
        by_rule.setdefault(rule, []).append(op)
    print(_HEAD)
    for rule, ops in sorted(by_rule.items()):
        text = textwrap.fill(" ".join(ops), 112, break_long_words=False, break_on_hyphens=False)
        print(f'    "{rule}": """\n{textwrap.indent(text, " " * 8)}\n    """,')
    print(_TAIL)


if __name__ == "__main__":
    main()
