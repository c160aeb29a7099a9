"""One difference between two signatures."""

from __future__ import annotations

from dataclasses import dataclass, field

from tb_retrace_plugin.schema.signature import NOT_PASSED

#: `old` or `new` of a dictionary's key that the other lookup had not.
NO_SUCH_KEY = "no such key"

_NONE_PASSED = frozenset({NO_SUCH_KEY, NOT_PASSED})
_BOOLS = frozenset({"True", "False"})

#: In `parts`, of a list and a tuple that hold the same.
OTHER_SEQUENCE = "other_sequence"
#: Of lists of Python strings, and of nothing else, that have other lengths.
OF_STRINGS = "of_strings"


@dataclass(unsafe_hash=True, slots=True)
class Change:
    """Never changed. `cause`: a word of `vocabulary.CAUSES`; `old` and `new`: short texts, "" if there is none.

    `parts`: of a change that stands for several of a composite's parts, their causes; of a variable, or the structure
    of what holds some, ("variable",); of structure within a class that declares its fields, ("field",); of one of
    several bools in a list or tuple, ("bools",); of the length of one that holds numbers alone, ("numbers",); of such a
    one and a number, ("one_number",); of the structure of what holds Python strings, ("string",), and `OF_STRINGS` too
    where it is the length of one that holds nothing else; of a list of such and a tensor of strings,
    ("strings_or_tensor",); of a list and a tuple of the same, `OTHER_SEQUENCE` too; of the length
    of one that holds tensors or what is of a class of its own, a word of `lengths`. It is not recorded.
    """

    cause: str
    path: str
    old: str = ""
    new: str = ""
    parts: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_of_a_key(self) -> bool:
        """Whether a dictionary has the key in one of the two only."""
        return NO_SUCH_KEY in (self.old, self.new)


def is_a_flag(change: Change) -> bool:
    """Whether it is a bool in some calls that others do not pass: it chooses code, as `return_hidden=True` does."""
    old, new = change.old, change.new
    return {old, new} & _NONE_PASSED != set() and {old, new} & _BOOLS != set()
