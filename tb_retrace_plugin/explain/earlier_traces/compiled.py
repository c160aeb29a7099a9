"""What a Keras model was compiled with when a function was made of one of its steps, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

#: Its class; what it was made with follows, by `optimizer.momentum` and the like.
OPTIMIZER = "optimizer"


class Compiled(NamedTuple):
    """`frozen`: layers with weights that are not trained. `settings`: what `compile` was given, by name, as text, but
    for a learning rate that is a number, which an optimizer keeps in a variable; None: not known. `made`: one and the
    same object as long as it is not compiled again."""

    frozen: frozenset[str]
    settings: Mapping[str, str | None]
    made: object = None

    def is_like(self, other: Compiled | None) -> bool:
        """As far as is known."""
        return other is not None and (self.frozen, self.settings) == (other.frozen, other.settings)

    def is_again(self, before: Compiled) -> bool:
        """Whether the model was compiled again, with all the same."""
        return self.has_settings_of(before) and self.is_like(before) and self.made is not before.made

    def has_settings_of(self, other: Compiled | None) -> bool:
        """Also of another model: what `compile` was given is known, and all the same."""
        is_known = bool(self.settings) and None not in self.settings.values()
        return is_known and other is not None and self.settings == other.settings


class Recompiled(NamedTuple):
    """What a function made by another `compile` needs a graph for: layers that are `trained` and were not, `frozen` and
    were not, and `settings` that are others, each with the earlier one."""

    trained: Sequence[str]
    frozen: Sequence[str]
    settings: Mapping[str, tuple[str, str]]


def recompiled(before: Compiled, now: Compiled, all_before: Iterable[Compiled | None]) -> Recompiled | None:
    """None where nothing is known to differ, or one of `all_before`, of the same step, was compiled so."""
    if any(now.is_like(one) for one in all_before):
        return None
    settings = {
        name: (was, text)
        for name, text in now.settings.items()
        if text is not None and (was := before.settings.get(name)) is not None and was != text
    }
    if OPTIMIZER in settings:  # what another one has of the same name is no reason
        settings = {name: both for name, both in settings.items() if not name.startswith(f"{OPTIMIZER}.")}
    trained, frozen = sorted(before.frozen - now.frozen), sorted(now.frozen - before.frozen)
    return Recompiled(trained, frozen, settings) if trained or frozen or settings else None
