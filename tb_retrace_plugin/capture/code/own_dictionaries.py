"""Local variables that are given a dictionary which the code makes there, such as `losses = {}`, and that alone."""

from __future__ import annotations

import collections
import itertools
from types import CodeType

from tb_retrace_plugin.capture.code.instructions import instructions

#: The last of what makes one that is written out.
_MAKES = frozenset({"BUILD_MAP", "BUILD_CONST_KEY_MAP", "DICT_UPDATE", "DICT_MERGE", "MAP_ADD"})
_KEEPS = frozenset({"STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_NAME", "STORE_DEREF"})
#: `self.cache["last"] = losses` has so many between.
_FAR = 5


def own_dictionaries(code: CodeType) -> frozenset[str]:
    """Not of what is kept under another name: what is put there may be read by that."""
    listed = [one for one in instructions(code) if one.opname not in ("CACHE", "PRECALL", "NOP")]
    given = collections.Counter(one.argval for one in listed if one.opname in ("STORE_FAST", "DELETE_FAST"))
    own = {
        one.argval
        for before, one in itertools.pairwise(listed)
        if one.opname == "STORE_FAST" and before.opname in _MAKES
        if given[one.argval] == 1 and not one.is_jump_target  # `self.losses or {}`
    }
    for place, one in enumerate(listed):
        if not one.opname.startswith("LOAD_FAST") or one.argval not in own:
            continue
        later = [more.opname for more in listed[place + 1 : place + 1 + _FAR]]
        if later[:1] == ["LOAD_CONST"]:  # `losses["kl"] = …` itself
            continue
        ends = next((n for n, opname in enumerate(later) if opname.startswith("CALL")), len(later))
        if not _KEEPS.isdisjoint(later[:ends]):
            own.discard(one.argval)
    return frozenset(own).difference(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
