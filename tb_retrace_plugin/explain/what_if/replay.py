"""What if: the recorded lookups of one function's code, replayed under a change, by TensorFlow's own rules.

TensorFlow's rules in short (2.16 to 2.21, `core/function/polymorphism`). A lookup is served if the cache holds, for the
same function object, scope and context, a signature of which it is a subtype; otherwise it is traced and added. Two
signatures can be subtypes of each other only if they differ in nothing but shapes (and names of tensors), so a
signature is compiled to its *skeleton*, which is compared as a whole, and its *leaves*, which are compared by the rules
for shapes. With `reduce_retracing` what is traced is the most specific common supertype of the lookup and of every
cached signature that has one with it: just those of the same skeleton.

Only lookups that traced are recorded. A call that was served from the cache is served in the replay too if the change
keeps subtypes subtypes: it was served by a trace, that trace's own lookup is replayed and served before it, and what
serves the one serves the other. Widening shapes, one object for several, one dtype and added keys keep subtypes. A
Python number that becomes a tensor does as long as its Python type stays the same: `1`, `1.0` and `True` share a trace
as numbers, and would not as tensors. For what `reduce_retracing` widened in the recording, `traced` stands for all the
calls that it served.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tb_retrace_plugin.explain.differences.diff import diff_nodes
from tb_retrace_plugin.explain.differences.iterators import how_many_parts
from tb_retrace_plugin.explain.differences.nearness import is_within
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE, Candidate, changed_node
from tb_retrace_plugin.schema.signature import CONTAINERS, METADATA, Node, Signature, iter_leaves

#: TypeSpecs whose common supertype is made part by part. Others (iterators, datasets, the user's) have their own rule.
BY_PARTS = frozenset({"RaggedTensorSpec", "SparseTensorSpec", "IndexedSlicesSpec", "OptionalSpec"})


Shape = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """One recorded trace. `traced`: what was traced, where `reduce_retracing` made it wider than `signature`.

    `variables_created`: it is the second trace of a first call, made because the first one created variables.
    """

    signature: Signature
    object_number: int = 1
    variables_created: bool = False
    failed: bool = False
    reduce_retracing: bool = False
    traced: Signature | None = None


def replay(
    lookups: Sequence[Lookup], candidate: Candidate = NO_CHANGE, memory: Memory | None = None
) -> list[bool] | None:
    """For each lookup, in time order, whether it would still be traced; None if TensorFlow's answer is not known.

    A lookup that failed is traced, fails again and serves nothing, unless what is cached serves it, or the change gives
    it the very signature of a lookup that succeeded. `memory`: of the same lookups, for several replays of them.
    """
    caches: dict[Hashable, _Cache] = {}
    paths_seen: dict[Hashable, Hashable] = {}
    nests_seen: dict[Hashable, Hashable] = {}
    creating: set[int] = set()
    compiler = _Compiler(candidate, memory if memory is not None else Memory())
    traced: list[bool] = []
    works = _working_signatures(lookups, compiler) if candidate.changes_arguments else frozenset()
    wide = _wide_leaves(lookups, candidate, compiler) if candidate.traced_wide else {}
    for lookup in lookups:
        number = candidate.objects.get(lookup.object_number, lookup.object_number)
        failed = lookup.failed and not candidate.variables_outside
        if lookup.variables_created and not candidate.variables_outside:
            creating.add(number)
        compiled = compiler.compile(lookup.signature)
        if failed and (compiled.skeleton, compiled.leaves) in works and compiler.changes(lookup.signature):
            failed = lookup.variables_created
        place = number, number in creating, compiled.context
        reduces = lookup.reduce_retracing or candidate.reduce_retracing
        if candidate.input_signature is not None:
            reduces = False
        # TensorFlow takes the common supertype parameter by parameter, by place: other numbers of them confuse it
        if reduces and (compiled.is_odd or paths_seen.setdefault(place, compiled.paths) != compiled.paths):
            return None
        # and makes one of two that have none in a component of a class with `__tf_flatten__`; what two specifications
        # have in common, such as of datasets or distributions, is for their class to say, but of equal ones
        if reduces and any(nests_seen.setdefault((place, head), nest) != nest for head, nest in compiled.nests):
            return None
        key = place, compiled.paths, compiled.skeleton
        cache = caches.get(key)
        if cache is None:
            cache = caches[key] = _Cache()
        if cache.serves(compiled.leaves):
            traced.append(False)
            continue
        if failed and candidate.input_signature is not None and not fits(lookup.signature, candidate):
            traced.append(False)  # refused with a TypeError, before anything is traced
            continue
        traced.append(True)
        if failed:
            continue
        leaves = wide.get(_wide_key(number, compiled, candidate), compiled.leaves)
        cache.add(cache.generalize(leaves) if reduces else leaves)
    return traced


def _wide_leaves(
    lookups: Sequence[Lookup], candidate: Candidate, compiler: _Compiler
) -> dict[Hashable, tuple[_Leaf, ...]]:
    """What serves all lookups of one function object that nothing but shapes tells apart."""
    found: dict[Hashable, tuple[_Leaf, ...]] = {}
    for lookup in lookups:
        one = compiler.compile(lookup.signature)
        key = _wide_key(candidate.objects.get(lookup.object_number, lookup.object_number), one, candidate)
        wide = found.setdefault(key, one.leaves)
        found[key] = tuple((common_shape(a[0], b[0]), a[1]) for a, b in zip(wide, one.leaves, strict=True))
    return found


def _wide_key(number: int, one: _Compiled, candidate: Candidate) -> Hashable:
    """By which lookups are served by one trace."""
    apart: list[Hashable] = []
    if candidate.traced_by_rank:
        apart += [None if shape is None else len(shape) for shape, _ in one.leaves]
    if candidate.traced_by_sizes:
        apart += [None if shape is None else shape[1:] for shape, _ in one.leaves]
    # of which no line asks for one of unknown sizes: batches of a distributed dataset
    apart += [nest for head, nest in one.nests if isinstance(head, tuple) and head[0] == "composite"]
    return number, one.context, one.paths, one.skeleton, tuple(apart)


def fits(signature: Signature, candidate: Candidate) -> bool:
    """Whether the declared input signature takes this call."""
    declared = dict(candidate.input_signature or ())
    given = {path: node for path, node in signature.arguments if path != "self" and path not in candidate.bound}
    if declared.keys() != given.keys():
        return False
    return not any(diff_nodes(declared[p], changed_node(node, p, candidate), p) for p, node in given.items())


def _working_signatures(lookups: Sequence[Lookup], compiler: _Compiler) -> frozenset[Hashable]:
    """What succeeded, as changed: the same code does with the same signature what it did."""
    if not any(lookup.failed for lookup in lookups):
        return frozenset()
    compiled = [compiler.compile(lookup.signature) for lookup in lookups if not lookup.failed]
    return frozenset((one.skeleton, one.leaves) for one in compiled)


def tensor_of_optional(node: Node) -> Node | None:
    """What an OptionalSpec holds; None for another structure, whose keys are not recorded."""
    (tensor,) = [child for _, child in node.children] if len(node.children) == 1 else (None,)
    is_one = tensor is not None and tensor.kind == "tensor" and node.value.startswith(f"OptionalSpec({tensor.dtype} ")
    return tensor if is_one else None


def reproduces(lookups: Sequence[Lookup], memory: Memory | None = None) -> bool:
    """Whether the replay without a change traces every recorded lookup, as the program did."""
    traced = replay(lookups, NO_CHANGE, memory)
    return traced is not None and all(traced)


# --- signatures as keys ---

_Leaf = tuple[Shape, str]  # shape, name
_Nest = tuple[Hashable, Hashable]  # class, metadata and number of components; the skeleton


@dataclass(frozen=True, slots=True)
class _Compiled:
    paths: Hashable
    skeleton: Hashable
    leaves: tuple[_Leaf, ...]
    context: Hashable
    is_odd: bool  # how reduce_retracing widens it is not known
    nests: tuple[_Nest, ...]


@dataclass(frozen=True, slots=True)
class _Argument:
    skeleton: Hashable
    leaves: tuple[_Leaf, ...]
    variables: tuple[int, ...]  # identities in the order of the skeleton
    appearance: tuple[int, ...]  # the same in the order in which TensorFlow meets them
    is_odd: bool
    nests: tuple[_Nest, ...]


class Memory:
    """What is compiled of the lookups of one function, whatever the change."""

    def __init__(self) -> None:
        self.arguments: dict[int, tuple[object, _Argument]] = {}
        self.signatures: dict[int, tuple[object, _Compiled]] = {}


class _Compiler:
    """Compiles each distinct argument once: signatures of one function share most of theirs."""

    def __init__(self, candidate: Candidate, memory: Memory) -> None:
        self._candidate = candidate
        self._declared: tuple[tuple[str, Node], ...] | None = candidate.input_signature
        self._memory = memory
        self._changed: dict[int, tuple[object, _Argument]] = {}
        self._leaves = {
            *candidate.numbers, *candidate.dtypes, *candidate.padded, *candidate.buckets, *candidate.keys,
            *candidate.sequences, *candidate.stacked, *candidate.bools, *(path for path, _ in candidate.identities),
        }  # fmt: skip
        self._touched: dict[str, bool] = {}

    def compile(self, signature: Signature) -> _Compiled:
        arguments = signature.arguments
        if self._declared is not None:
            own = arguments[:1] if arguments and arguments[0][0] == "self" else ()
            return self._compile(signature, (*own, *self._declared))
        if self._leaves:
            return self._compile(signature, arguments)
        known = self._memory.signatures.get(id(signature))
        if known is None:  # what it is known by is held: its id is not another one's
            known = self._memory.signatures[id(signature)] = signature, self._compile(signature, arguments)
        return known[1]

    def _compile(self, signature: Signature, arguments: tuple[tuple[str, Node], ...]) -> _Compiled:
        parts = [self._argument(pair) for pair in (*arguments, *signature.captures)]
        skeleton: list[Hashable] = [part.skeleton for part in parts]
        leaves: list[_Leaf] = []
        is_odd = has_variables = False
        for part in parts:
            leaves += part.leaves
            is_odd |= part.is_odd
            has_variables |= bool(part.variables)
        if has_variables:
            numbers: dict[int, int] = {}
            for part in parts:
                for identity in part.appearance:
                    numbers.setdefault(identity, len(numbers))
            skeleton.append(tuple([numbers[identity] for part in parts for identity in part.variables]))
        return _Compiled(
            paths=tuple([path for path, _ in arguments]),
            skeleton=tuple(skeleton),
            leaves=tuple(leaves),
            context=frozenset(signature.context.items()),
            is_odd=is_odd or bool(signature.captures),
            nests=tuple([nest for part in parts for nest in part.nests]),
        )

    def changes(self, signature: Signature) -> bool:
        """Whether the change makes another signature of it."""
        return any(changed_node(node, path, self._candidate) != node for path, node in signature.arguments)

    def _argument(self, pair: tuple[str, Node]) -> _Argument:
        # of what is declared nothing is passed; an instance is beside that
        touched = (self._declared is None or pair[0] == "self") and self._is_touched(pair[0])
        arguments = self._changed if touched else self._memory.arguments
        known = arguments.get(id(pair))
        if known is None:
            path, node = pair
            if touched:
                node = changed_node(node, path, self._candidate)
            known = arguments[id(pair)] = pair, _compile_argument(node)
        return known[1]

    def _is_touched(self, name: str) -> bool:
        """Whether the change is about some leaf of the argument."""
        touched = self._touched.get(name)
        if touched is None:
            touched = self._touched[name] = any(leaf.startswith(name) for leaf in self._leaves)
        return touched


def _compile_argument(node: Node) -> _Argument:
    appearance: list[int] = []
    nests: list[_Nest] = []
    skeleton, leaves, variables, is_odd = _walk(node, appearance, nests)
    return _Argument(skeleton, tuple(leaves), tuple(variables), tuple(appearance), is_odd, tuple(nests))


def _walk(node: Node, appearance: list[int], nests: list[_Nest]) -> tuple[Hashable, list[_Leaf], list[int], bool]:
    kind = node.kind
    if kind == "tensor":
        return (kind, node.dtype), [(node.shape, node.value)], [], False
    if kind == "variable":
        appearance.append(node.identity)
        return (kind, node.dtype, node.value), [(node.shape, "")], [node.identity], False
    if kind in ("literal", "object"):
        return (kind, node.identity), [], [], False
    if kind == "absent":
        return kind, [], [], False
    if kind not in CONTAINERS:
        return (kind, node.identity or object()), [], [], True
    parts = [(key, _walk(child, appearance, nests)) for key, child in node.children]
    if kind == "dict":
        parts.sort(key=lambda part: part[0])
    head: tuple[Hashable, ...] = (kind,)
    is_odd = any(part[3] for _, part in parts)
    if kind in ("named_tuple", "attrs"):
        head = (kind, node.type_name)
    elif kind in ("composite", "custom_nest"):
        head = (kind, node.type_name, node.identity)
    skeleton = (*head, *((key, part[0]) for key, part in parts))
    if kind == "custom_nest":
        components = [part for key, part in parts if key != METADATA]
        metadata = tuple([part[0] for key, part in parts if key == METADATA])
        nests.append(((*head, metadata, len(components)), skeleton))
        is_odd = any(part[3] or part[2] for part in components)  # part[2]: variables
    leaves = [leaf for _, part in parts for leaf in part[1]]
    if kind == "composite" and node.value and node.type_name not in BY_PARTS:
        nests.append(((kind, node.type_name, how_many_parts(node.value)), (skeleton, tuple(leaves))))
    return skeleton, leaves, [number for _, part in parts for number in part[2]], is_odd


# --- one skeleton's part of TensorFlow's cache ---


class _Cache:
    """A recording can have thousands of entries, and a change can leave each of them open somewhere: what serves more
    than its equals is found by which dimensions are open, not by going through the entries."""

    __slots__ = ("_entries", "_exact", "_general", "_named")

    def __init__(self) -> None:
        self._entries: list[tuple[_Leaf, ...]] = []
        self._exact: set[tuple[_Leaf, ...]] = set()
        self._general: dict[tuple[_Open, ...], set[tuple[_Leaf, ...]]] = {}
        self._named: list[tuple[_Leaf, ...]] = []  # compared one by one: a name serves itself and no name

    def serves(self, wanted: tuple[_Leaf, ...]) -> bool:
        if wanted in self._exact:
            return True
        if any(tuple(map(_opened, wanted, opened)) in entries for opened, entries in self._general.items()):
            return True
        return any(all(map(_leaf_serves, entry, wanted)) for entry in self._named)

    def generalize(self, wanted: tuple[_Leaf, ...]) -> tuple[_Leaf, ...]:
        for entry in self._entries:
            if all(a[1] == b[1] for a, b in zip(wanted, entry, strict=True)):
                pairs = zip(wanted, entry, strict=True)
                wanted = tuple((common_shape(a[0], b[0]), a[1]) for a, b in pairs)
        return wanted

    def add(self, leaves: tuple[_Leaf, ...]) -> None:
        self._entries.append(leaves)
        self._exact.add(leaves)
        if any(name for _, name in leaves):
            self._named.append(leaves)
        elif any(shape is None or -1 in shape for shape, _ in leaves):
            self._general.setdefault(tuple([_open_in(shape) for shape, _ in leaves]), set()).add(leaves)


_Open = tuple[int, ...] | None  # dimensions; None: all, and how many there are


def _open_in(shape: Shape) -> _Open:
    return None if shape is None else tuple([place for place, size in enumerate(shape) if size == -1])


def _opened(leaf: _Leaf, opened: _Open) -> _Leaf:
    shape, name = leaf
    if opened is None:
        return None, name
    if not opened or shape is None:
        return leaf
    return tuple([-1 if place in opened else size for place, size in enumerate(shape)]), name


def _leaf_serves(cached: _Leaf, wanted: _Leaf) -> bool:
    if wanted[1] and wanted[1] != cached[1]:  # a TensorSpec's name is part of the key
        return False
    return shape_serves(cached[0], wanted[0])


def shape_serves(cached: Shape, wanted: Shape) -> bool:
    """Whether a graph traced for the one shape serves the other."""
    if cached is None or cached == wanted:
        return True
    if wanted is None or len(cached) != len(wanted):
        return False
    return all(c in (-1, w) for c, w in zip(cached, wanted, strict=True))


def common_shape(one: Shape, other: Shape) -> Shape:
    """The most specific shape that serves both: unknown dimensions where they differ, unknown rank if ranks do."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple([a if a == b else -1 for a, b in zip(one, other, strict=True)])


def some_is_served(wanted: Iterable[Signature], cached: Iterable[Signature]) -> bool:
    """Whether some of `wanted` is a subtype of some of `cached`, whatever the object, the scope and the context."""
    compiler = _Compiler(NO_CHANGE, Memory())
    caches: dict[Hashable, _Cache] = {}

    def parts(signature: Signature) -> tuple[Hashable, tuple[_Leaf, ...]]:
        arguments = tuple([pair for pair in signature.arguments if pair[0] != "self"])
        compiled = compiler.compile(Signature(arguments, signature.captures))
        return (compiled.paths, compiled.skeleton), compiled.leaves

    for signature in cached:
        key, leaves = parts(signature)
        caches.setdefault(key, _Cache()).add(leaves)
    found = map(parts, wanted)
    return any(key in caches and caches[key].serves(leaves) for key, leaves in found)


# --- the minimal generalisation ---


def common_supertype(one: Node, other: Node) -> Node | None:
    """The most specific node that serves both; None if there is none, or none that can be told."""
    if one == other:
        return one
    if one.kind != other.kind:
        return None
    if one.kind == "tensor":
        if one.dtype != other.dtype:
            return None
        name = one.value if one.value == other.value else ""
        return replace(one, shape=common_shape(one.shape, other.shape), value=name)
    if one.kind not in CONTAINERS and one.kind not in ("object", "literal"):
        return None
    if (one.type_name, one.identity) != (other.type_name, other.identity):
        return None
    if one.kind not in CONTAINERS:  # made one, whatever each of them is called
        return one if one.identity else None
    theirs = dict(other.children)
    if [*dict(one.children)] != [*theirs] and (one.kind != "dict" or {*dict(one.children)} != {*theirs}):
        return None
    children = []
    for key, child in one.children:
        common = common_supertype(child, theirs[key])
        if common is None:
            return None
        children.append((key, common))
    return replace(one, children=tuple(children))


def common_arguments(signatures: Iterable[Signature], candidate: Candidate) -> tuple[tuple[str, Node], ...] | None:
    """The narrowest arguments, but `self` and what is bound, that serve all signatures after the change, or None.

    A tensor has the name of the specifications that came in its place, where these are named: TensorFlow takes
    specifications of that name, and of none, then.

    Literals, objects and variables may be among them where they are equal in all: whether an input signature can hold
    them is not asked here.
    """
    paths: tuple[str, ...] | None = None
    found: dict[str, Node] = {}
    names: dict[str, set[str]] = {}
    done: set[int] = set()
    held: list[object] = []
    for signature in signatures:
        now = tuple([path for path, _ in signature.arguments if path != "self" and path not in candidate.bound])
        if paths is None:
            paths = now
        elif paths != now:
            return None
        for pair in signature.arguments:
            if id(pair) in done or pair[0] == "self" or pair[0] in candidate.bound:
                continue
            done.add(id(pair))
            held.append(pair)  # ids are those of living objects
            path, node = pair
            node = changed_node(node, path, candidate)
            for at, leaf in iter_leaves(path, node):
                if leaf.kind == "tensor" and leaf.value:
                    names.setdefault(at, set()).add(leaf.value)
            if path in found:
                common = common_supertype(found[path], node)
                if common is None:
                    return None
                found[path] = common
            else:
                found[path] = node
    if paths is None or any(len(several) > 1 for several in names.values()):
        return None
    return tuple((path, _named(found[path], path, names)) for path in paths)


def _named(node: Node, path: str, names: Mapping[str, Collection[str]]) -> Node:
    """With the one name of each tensor that has one."""
    if not any(is_within(at, path) for at in names):
        return node
    if node.kind == "tensor":
        return replace(node, value=next(iter(names[path])))
    return replace(node, children=tuple((key, _named(child, path + key, names)) for key, child in node.children))
