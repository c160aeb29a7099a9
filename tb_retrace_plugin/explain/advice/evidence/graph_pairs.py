"""What two traces' graphs tell of a Python number that differs between them: it is a constant, or decides more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Constant:
    """One that differs; `old` and `new`: a tuple if it is no scalar, None if its value is not kept.

    `compiled_in`: XLA compiles the graph, and needs it to. `of_gradient`: TensorFlow made it for the backward pass.
    `is_named_so`: its node is called `Const`, as what `tf.constant` makes is, and not after what it is for. `of_slice`:
    it bounds one, as `n` does in `x[:n]`, by a number of Python's own. `resized`: it is of another shape in each, as
    `tf.ones([n])` is. `is_asked_for`: it may be what `tf.shape` gives. `is_cast`: nothing but `tf.cast` takes it, which
    takes any dtype. `is_like`: it is of `tf.ones_like` or such. `of_reshape`: `tf.reshape`
    is given it.
    """

    dtype: str
    old: Any = None
    new: Any = None
    compiled_in: bool = False
    of_gradient: bool = False
    is_named_so: bool = False
    of_slice: bool = False
    resized: bool = False
    is_asked_for: bool = False
    is_cast: bool = False
    is_like: bool = False
    of_reshape: bool = False


@dataclass(frozen=True, slots=True)
class GraphPair:
    """`alike`: of the same operations, wired alike; only then the rest is known.

    `attribute`: `"Split", "num_split"` of an operation, if one differs; `numbers`: with both values each that is a
    number, or in a list of whole ones. `captures`: whether they capture other things, as far as names and shapes tell;
    `renumbered`: they have other numbers in their names, and nothing else tells them apart. `seeded`: whether the first
    draws random numbers with a seed, and `casts`: whether they have the same operations but for casts, alike or not;
    `forward`: but for constants and what gradients are computed by. `names`: of an operation that has another one in
    each. `assigned`: to how many variables each assigns, where they are not alike. `fractions`: the first two that
    constants hold in the one and in the other, if they have as many, of whatever dtype, and not the same. `computes`:
    an operation that computes in one dtype in the one and in another in the other, and both dtypes, if they have the
    same operations but for casts; `gives`: both dtypes of the first result that is of another one in each. `held`:
    dtypes of the fractions that are constants of the first; None: not known.
    `summaries`: whether the first writes such, by a step that it holds. `filled`: whether they have other numbers of
    nodes for how TensorFlow makes constants of many elements, and are alike. `gradients_alone`: whether they are not,
    and of the same operations, constants too, but for those that gradients are computed by. `creates`: whether either
    creates variables, where they are not alike.
    """

    alike: bool
    constants: tuple[Constant, ...] = ()
    attribute: tuple[str, str] | None = None
    captures: bool = False
    numbers: tuple[tuple[str, str, float, float], ...] = ()
    seeded: bool = False
    casts: bool = True
    forward: bool = True
    names: tuple[str, str] | None = None
    assigned: tuple[int, int] = (0, 0)
    fractions: tuple[float, float] | None = None
    computes: tuple[str, str, str] | None = None
    gives: tuple[str, str] | None = None
    held: frozenset[str] | None = field(default=None, compare=False)
    renumbered: bool = False
    summaries: bool = False
    filled: bool = False
    gradients_alone: bool = False
    creates: bool = False


@dataclass(frozen=True, slots=True)
class NeutralValue:
    """What put in for a tensor changes nothing where the graph takes it. `word`: "zeros", "ones" or "none".

    `taken`: by which operations. `differs`: in what the graph with it computes more or less than one that lacks the
    tensor: operations, `the constant 2`; None: not known.
    """

    word: str
    taken: frozenset[str] = frozenset()
    differs: frozenset[str] | None = None


@dataclass(eq=False, slots=True)
class Graphs:
    """Of one function. `compare`: of two traces, by their places; None where their graphs are not known. `taken_by`: of
    a trace, by its place, which operations take its tensor of that number; None where that is not known. `neutral`: of
    the same, what is neutral for it, and the place of a trace that lacks it alone; None where that is not known.
    `differentiates`: whether a trace's graph holds a gradient; None where it is not known. `rounds`: which operation of
    it rounds what is divided by a size; "" for none.

    `known`: what rules found out, by what it is about: they ask again and again.
    """

    compare: Callable[[int, int], GraphPair | None] = lambda one, other: None
    taken_by: Callable[[int, int], frozenset[str] | None] = lambda place, number: None
    neutral: Callable[[int, int, int | None], NeutralValue | None] = lambda place, number, lacking: None
    differentiates: Callable[[int], bool | None] = lambda place: None
    rounds: Callable[[int], str] = lambda place: ""
    known: dict[object, Any] = field(default_factory=dict)

    def once(self, about: object, find: Callable[[], Any]) -> Any:
        if about not in self.known:
            self.known[about] = find()
        return self.known[about]
