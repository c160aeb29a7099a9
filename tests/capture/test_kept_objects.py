"""Models that the program keeps beside each other need a trace each; those that are made again and again may not."""

from __future__ import annotations

import ast
import importlib
import pathlib
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

import keras
import numpy as np
import pytest

from tb_retrace_plugin.capture.code import scopes
from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.code.filled_containers import is_made_once
from tb_retrace_plugin.capture.code.made_for_call import (
    closed_over_for_each_run,
    model_made_again,
    passed_for_each_run,
)
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.capture.conftest import RecordFixture

pytestmark = pytest.mark.newest  # lines and classes of Python's: TensorFlow has no part in it

_MODELS = """
import tensorflow as tf

class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])
    @tf.function
    def step(self, x):
        return tf.reduce_sum(self.w * x)

def built():
    net = Net()
    net.w.assign([2.0, 1.0])
    return net

def sized(k):
    return Net() if k else built()

class Trainer:
    def __init__(self, names="ab"):
        self.nets = {name: Net() for name in names}
        self.net = Net()
        self.made = {}
    def go(self):
        for name in self.nets:
            train(self.nets[name], x)
    def reset(self):
        self.net = Net()
    def run(self):
        train(self.net, x)
    def get(self, name):
        self.made[name] = Net()
        train(self.made[name], x)

@tf.function
def train(net, x):
    return tf.reduce_sum(net.w * x)

def made(net, rate=1.0):
    @tf.function
    def inner(x):
        return net.w * x * rate
    return inner

x = tf.ones([2])
"""


#: Programs, with what is said of their second trace and later ones.
_PASSED = """
nets = [Net() for _ in range(3)]
for net in nets:
    train(net, x)
# bounded bounded

nets = [Net(), Net()]
for _ in range(2):
    for i in range(2):
        train(nets[i], x)
# bounded

class Both(Trainer):
    @tf.function
    def both(self, flag):
        if flag > 0:
            for name in self.nets:
                train(self.nets[name], x)
        return x
own = Both()
own.both(tf.constant(1))
# bounded

nets = {n: Net() for n in 'ab'}
for _ in range(2):
    for n, net in nets.items():
        train(net, x)
# bounded

nets = (Net(), Net())
for y, net in zip((x, x), nets):
    train(net, y)
# bounded

nets = []
for _ in range(2):
    net = Net()
    train(net, x)
    nets.append((net, 1))
# bounded

nets = {}
for a in 'ab':
    for b in 'c':
        net = Net()
        nets[a, b] = net
        train(net, x)
# bounded

nets = [Net() for _ in range(2)]
losses = [train(net, x) for net in nets]
# bounded

online = Net()
target = Net()
train(online, x)
train(x=x, net=target)
# bounded

online, target = Net(), built()
for _ in range(2):
    print(train(online, x), train(target, x))
# bounded

if x.shape[0] == 2:
    online = Net()
    target = Net()
elif x.shape[0] == 3:
    online = target = built()
    target = built()
else:
    online, target = built(), built()
train(online, x)
train(target, x)
# unknown

def main(kind):
    if kind == 'alike':
        online = Net()
        target = Net()
    elif kind == 'given':
        online = built()
        target = built()
    else:
        raise ValueError
    for _ in range(2):
        print(train(online, x), train(target, x))
main('given')
# bounded

def main(kind):
    for _ in range(2):
        if kind == 'alike':
            online = Net()
        else:
            online = built()
        train(online, x)
main('given')
# unknown

def main(kind):
    online = Net()
    if kind == 'alike':
        target = Net()
        target = built()
    else:
        target = built()
    train(online, x)
    train(target, x)
main('alike')
# unknown

online, target = Net(), built()
online, target = target, online
train(online, x)
train(target, x)
# unknown

online = Net()
for _ in range(2):
    print(train(online, x), train(Net(), x))
# unknown unknown

class Plain:
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])
plains = [Plain() for _ in range(2)]
for plain in plains:
    train(plain, x)
# bounded

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
def run(two):
    for _ in range(2):
        for net in (two.a, two.b):
            train(net, x)
run(Two())
# bounded

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
def run(two):
    for _ in range(2):
        train(two.a, x)
        train(two.b, x)
run(Two())
# bounded

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
    def nets(self):
        return [self.a, self.b]
    def go(self):
        for net in self.nets():
            train(net, x)
two = Two()
two.go()
two.go()
# bounded

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
    @property
    def nets(self):
        return self.a, self.b
class Owner:
    def __init__(self):
        self.two = Two()
    def go(self):
        for net in self.two.nets:
            train(net, x)
Owner().go()
# bounded

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
def run(two):
    train(two.a, x)
run(Two())
run(Two())
# unknown

class Two:
    def __init__(self):
        self.a, self.b = Net(), Net()
    def nets(self):
        return [self.a, Net()]
for _ in range(2):
    for net in Two().nets():
        train(net, x)
# each unknown

def run(net):
    train(net, x)
def other(net):
    train(net, x)
run(Net())
other(Net())
# unknown

def run(net, n):
    for _ in range(n):
        train(net, x)
for net in (nets := [Net(), Net()]):
    run(net, 2)
# unknown

def run(net, n):
    for _ in range(n):
        train(net, x)
nets = [Net(), Net()]
for net in nets:
    run(n=2, net=net)
# bounded

def main():
    nets = [Net(), Net()]
    for net in nets:
        train(net, x)
main()
# bounded

trainer = Trainer()
for _ in range(2):
    trainer.go()
# bounded

nets = [Net() for _ in range(2)]
def run(i):
    train(nets[i], x)
for i in range(2):
    run(i)
# bounded

for _ in range(2):
    net = Net()
    train(net, x)
# avoidable

for _ in range(2):
    nets = [Net(), Net()]
    for net in nets:
        train(net, x)
# each unknown

def run():
    nets = [Net(), Net()]
    for net in nets:
        train(net, x)
for _ in range(2):
    run()
# each unknown

def run():
    net = Net()
    train(net, x)
for _ in range(2):
    run()
# avoidable

for _ in range(2):
    Trainer().go()
# each unknown

trainer = Trainer()
for _ in range(2):
    trainer.reset()
    trainer.run()
# unknown

trainer = Trainer()
for _ in range(2):
    trainer.get('a')
# unknown

nets = [Net(), Net()]
for _ in range(2):
    for i in range(2):
        train(nets[i], x)
        nets[i] = Net()
# each unknown

nets = {}
def run(k):
    if k not in nets:
        nets[k] = Net()
    train(nets[k], x)
for _ in range(2):
    for k in 'ab':
        run(k)
# bounded

import functools
@functools.lru_cache(maxsize=None)
def cached(k):
    return Net()
for _ in range(2):
    for k in 'ab':
        train(cached(k), x)
# bounded

from functools import cache
@cache
def cached(k):
    return Net()
for _ in range(2):
    for k in 'ab':
        net = cached(k)
        train(net, x)
# bounded

import functools
@functools.lru_cache(maxsize=1)
def cached(k):
    return Net()
for k in 'aba':
    train(cached(k), x)
# unknown unknown

nets = {}
def get(k):
    nets[k] = Net()
def run(k):
    get(k)
    train(nets[k], x)
for _ in range(2):
    run(1)
# unknown

def nets():
    for _ in range(2):
        yield Net()
for net in nets():
    train(net, x)
# unknown

kept = {}
for fold in range(2):
    net = Net()
    train(net, x)
    kept['best'] = net
# unknown

kept = {}
for fold in range(2):
    for k in 'ab':
        net = Net()
        train(net, x)
        kept[k] = net
# each unknown

scores = []
for fold in range(2):
    net = Net()
    scores.append(train(net, x))
# avoidable

net = None
def reset():
    global net
    net = Net()
for _ in range(2):
    reset()
    train(net, x)
# unknown

import threading
def run():
    net = Net()
    train(net, x)
for thread in [threading.Thread(target=run) for _ in range(2)]:
    thread.start()
    thread.join()
# unknown

class app:
    def run(main):
        main()
def main():
    both = [Net(), Net()]
    train(both[0], x)
    for net in both:
        train(net, x)
app.run(main)
# bounded

nets = [Net(), Net()]
for net in nets:
    net = Net()
    train(net, x)
# unknown

pool = []
for _ in range(2):
    net = Net()
    pool.append(net)
    pool = pool[-1:]
    train(net, x)
# unknown

pool = []
for _ in range(2):
    net = Net()
    pool.append(net)
    train(net, x)
    pool.pop(0)
# unknown

import collections
pool = collections.deque(maxlen=1)
for _ in range(2):
    net = Net()
    pool.append(net)
    train(net, x)
# unknown

nets = map(lambda _: Net(), range(2))
for net in nets:
    train(net, x)
# unknown

run = lambda net: train(net, x)
nets = [Net(), Net()]
for net in nets:
    run(net)
# unknown

def run():
    net = Net()
    train(net, x)
run()
run()
# unknown

def warmed():
    net = Net()
    train(net, x)
    return net
one = warmed()
other = warmed()
# bounded

def warmed():
    net = Net()
    train(net, x)
    return net
for _ in range(2):
    net = warmed()
# unknown

def warmed():
    net = Net()
    train(net, x)
    return net
warmed()
warmed()
# unknown

for _ in range(3):
    train(Net(), x)
# avoidable avoidable

for _ in range(2):
    net = built()
    net.w.assign([1.0, 1.0])
    train(net=net, x=x)
# avoidable

for _ in range(2):
    train(net=built(), x=x)
# avoidable

for fold in range(2):
    net = Net()
    for _ in range(2):
        train(net, x)
# avoidable

for fold in range(2):
    net = Net()
    train(net, x)
    train(net, x)
# avoidable

for fold in range(2):
    net = sized(fold)
    train(net, x)
# unknown

best = None
for _ in range(2):
    net = Net()
    train(net, x)
    best = net
# unknown

def run(net):
    train(net, x)
for _ in range(2):
    run(Net())
# unknown

net = Net()
train(net, x)
net = Net()
train(net, x)
# unknown
"""


def test_the_name_that_calls_use_is_what_tf_function_made(recording: RecordFixture, tmp_path: pathlib.Path) -> None:
    program = """
def _of(net, x):
    return tf.reduce_sum(net.w * x)
compiled = tf.function(_of, autograph=False)
nets = [Net(), Net()]
for i in range(4):
    compiled(nets[i % 2], x)
"""
    assert _words(recording, tmp_path, program, "_of") == ["bounded"]


@pytest.mark.parametrize(("beside", "word"), [("rates[i % 2]", "bounded"), ("Rate(0.1 * i)", "unknown")])
def test_what_is_kept_beside_settings_of_its_own(
    recording: RecordFixture, tmp_path: pathlib.Path, beside: str, word: str
) -> None:
    program = f"""
class Rate:
    def __init__(self, rate):
        self.rate = rate
@tf.function
def step(net, rate, x):
    return tf.reduce_sum(net.w * x) * rate.rate
nets = [Net(), Net()]
rates = [Rate(0.1), Rate(0.2)]
for i in range(2):
    step(nets[i % 2], {beside}, x)
"""
    assert _words(recording, tmp_path, program, "step") == [word]


@pytest.mark.parametrize(
    ("pairs", "again", "word"),
    [
        ("[[Net(), Net()] for _ in 'ab']", "", "bounded"),
        ("[[Net(), Net()] for _ in 'ab']", "pair[0] = Net()", "unknown"),
        ("([Net(), Net()] for _ in 'ab')", "", "unknown"),
    ],
)
def test_what_lies_in_a_container_is_kept_with_that(
    recording: RecordFixture, tmp_path: pathlib.Path, pairs: str, again: str, word: str
) -> None:
    program = f"""
@tf.function
def step(pair, x):
    return tf.reduce_sum(pair[0].w * pair[1].w * x)
pairs = {pairs}
for pair in pairs:
    step(pair, x)
    {again}
"""
    assert _words(recording, tmp_path, program, "step") == [word]


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ("agents = [Agent() for _ in 'ab']", "bounded"),
        ("a = Agent()\nb = Agent()", "bounded"),
        ("a = Better()\nb = Better()", "bounded"),
        (
            "class All:\n    def __init__(self):\n        self.all = [Agent() for _ in 'ab']\nall_of_them = All()",
            "bounded",
        ),
        (
            "class Two:\n    def __init__(self):\n        self.a = Agent()\n        self.b = Agent()\ntwo = Two()",
            "bounded",
        ),
        ("a = Agent()\na = Agent()", "unknown"),
        ("for _ in 'ab':\n    a = Agent()", "unknown"),
        ("for _ in 'ab':\n    Agent()", "unknown"),
        ("def trial():\n    return Agent()\nfor _ in 'ab':\n    trial()", "unknown"),
    ],
)
def test_what_calls_its_method_where_it_is_made(
    recording: RecordFixture, tmp_path: pathlib.Path, lines: str, word: str
) -> None:
    program = f"""
class Agent:
    def __init__(self):
        self.net = Net()
        self.sync()
    @tf.function
    def sync(self):
        self.net.w.assign(self.net.w * 0.5)
class Better(Agent):
    def __init__(self):
        super().__init__()
{lines}
"""
    assert _words(recording, tmp_path, program, "sync") == [word]


@pytest.mark.parametrize(("item", "word"), [("", "bounded"), ("both.nets.update(a=Net())", "unknown")])
def test_a_method_that_is_called_as_a_dictionary_s_is_fills_nothing(
    recording: RecordFixture, tmp_path: pathlib.Path, item: str, word: str
) -> None:
    program = f"""
class Both:
    def __init__(self):
        self.nets = dict(a=Net(), b=Net())
    def update(self):
        pass
both = Both()
for name, net in both.nets.items():
    train(net, x)
    both.update()
{item}
"""
    assert _words(recording, tmp_path, program, "train") == [word]


@pytest.mark.parametrize(("held", "word"), [("Sized(n)", "bounded"), ("tf.Variable([1.0] * n)", "unknown")])
def test_what_an_object_is_given_anew_in_other_sizes(
    recording: RecordFixture, tmp_path: pathlib.Path, held: str, word: str
) -> None:
    """A model of other sizes needs a trace; a variable may be one of unknown size, or passed."""
    program = f"""
class Sized(tf.Module):
    def __init__(self, n):
        self.w = tf.Variable([1.0] * n)
class Growing:
    def grow(self, n):
        self.held = {held}
        self.run = tf.function(self._run)
    def _run(self, x):
        return tf.reduce_sum(getattr(self.held, "w", self.held) * x)
growing = Growing()
for n in (2, 3):
    growing.grow(n)
    growing.run(tf.ones([n]))
"""
    assert _words(recording, tmp_path, program, "_run") == [word]


@pytest.mark.parametrize("program", [part.strip() for part in _PASSED.split("\n\n")])
def test_what_is_passed(recording: RecordFixture, tmp_path: pathlib.Path, program: str) -> None:
    words = program.rpartition("# ")[2].split()
    assert _words(recording, tmp_path, program, "train") == (["unknown"] * 3 if words[0] == "each" else words)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("nets = [Net() for _ in range(2)]\nfor _ in range(2):\n    for net in nets:\n        net.step(x)", "bounded"),
        ("one = Net()\nother = Net()\none.step(x)\nother.step(x)", "bounded"),
        ("for _ in range(2):\n    net = Net()\n    net.step(x)", "unknown"),
        (
            "nets = [Net(), Net()]\nfor n in (1, 2):\n    some = nets if n > 1 else nets[:1]\n    for net in some:\n"
            "        net.step(x)",
            "bounded",
        ),
        ("import random\nnets = [Net(), Net()]\nfor net in random.sample(nets, 2):\n    net.step(x)", "bounded"),
        (
            "import random\nnets = [Net(), Net()]\nrandom.seed(0)\nfor _ in range(9):\n    net = random.choice(nets)\n"
            "    net.step(x)",
            "bounded",
        ),
        ("old = Net()\nfor n in (1, 2):\n    net = old if n == 1 else Net()\n    net.step(x)", "unknown"),
    ],
)
def test_whose_method_it_is(recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str) -> None:
    assert _words(recording, tmp_path, program, "step") == words.split()


_WITHIN = """
def within(net):
    inner = made(net)
    @tf.function
    def outer(x):
        return inner(x) + 1.0
    return outer

"""


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("for _ in range(3):\n    net = Runs()\n    for _ in range(2):\n        net.step(x)", "net = Runs()"),
        ("def run():\n    net = Runs()\n    return net.step(x)\nfor _ in range(3):\n    run()", "net = Runs()"),
        ("for _ in range(3):\n    net = Runs()\n    net.run(x)", "net = Runs()"),  # by a method of its own
        ("for _ in range(3):\n    net = Runs()\n    net.held(x)", "net = Runs()"),
        ("kept = []\nfor _ in range(3):\n    net = Runs()\n    kept.append(net)\n    net.step(x)", ""),
        ("def run():\n    net = Runs()\n    net.step(x)\n    return net\nnets = [run() for _ in range(3)]", ""),
        ("net = Runs()\nnet.step(x)\nnet = Runs()\nnet.step(x)", ""),  # two lines, of which each makes one
    ],
)
def test_the_line_that_makes_an_instance_again(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, told: str
) -> None:
    """Though it may not be gone when the next is traced: what holds its own tf.function waits for the collector."""
    runs = """
import itertools
names = itertools.count()
class Runs:
    def __init__(self):
        self.scope = f"run_{next(names)}"  # as Keras numbers a model's layers
        self.nets = [Net(), Net()]
        self.held = tf.function(self._held)
    def _held(self, x):
        with tf.name_scope(self.scope):
            return tf.reduce_sum(self.nets[0].w * self.nets[1].w + x)
    @tf.function
    def step(self, x):
        return self._held(x)
    def run(self, x):
        return self.step(x)

"""
    path = tmp_path / "program.py"
    path.write_text(_MODELS + runs + program)
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    evidence = [trace.evidence for trace in r.traces][-1]
    assert ("makes another one each time" in evidence) == bool(told)
    assert not told or f"`{told}` makes another one each time. If it was made alike" in evidence


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (
            "steps = {n: made(Net()) for n in 'ab'}\nfor _ in range(2):\n    for n in steps:\n        steps[n](x)",
            "bounded",
        ),
        ("steps = [made(Net()) for n in 'ab']\ntotal = [len(step(x)) for step in steps]", "bounded"),
        ("one = made(Net())\nother = made(Net())\none(x)\nother(x)", "bounded"),
        ("for _ in range(2):\n    step = made(Net())\n    step(x)", "unknown"),
        ("for _ in range(2):\n    steps = [made(Net())]\n    for step in steps:\n        step(x)", "unknown"),
        ("for _ in range(2):\n    made(Net())(x)", "unknown"),
        # what calls it is kept, and it is not
        (
            "class Served:\n    def __call__(self, x):\n        self.fn = made(Net())\n        return self.fn(x)\n"
            "served = Served()\nfor _ in range(2):\n    served(x)",
            "unknown",
        ),
        # with the one around it, which closes over it
        (_WITHIN + "steps = [within(Net()) for _ in 'ab']\nfor step in steps:\n    step(x)", "bounded"),
        (_WITHIN + "for _ in 'ab':\n    within(Net())(x)", "unknown"),
        # one that is passed the number as a tensor would do
        ("net = Net()\nsteps = [made(net, n) for n in (1.0, 2.0)]\nfor step in steps:\n    step(x)", "avoidable"),
    ],
)
def test_functions_that_are_made_for_each(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str
) -> None:
    assert _words(recording, tmp_path, program, "inner") == words.split()


_BY_KEY = """
class Heads:
    def __init__(self):
        self.fns, self.nets = {}, {n: Net() for n in 'ab'}
    def fn(self, n):
        if n not in self.fns:
            self.fns[n] = made(self.nets[n])
        return self.fns[n]
    def got(self, n):
        fn = self.fns.get(n)
        if fn is None:
            fn = self.fns[n] = made(self.nets[n])
        return fn
    def again(self, n):
        self.others[n] = made(self.nets[n])
        return self.others[n]
    def run(self, n, x):
        return self.fn(n)(x)
    def call(self, n, x):
        self.fn(n)
        return self.fns[n](x)

"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("heads = Heads()\nfor n in 'aba':\n    heads.fn(n)(x)", "bounded"),
        ("heads = Heads()\nfor n in 'aba':\n    heads.got(n)(x)", "bounded"),
        ("heads = Heads()\nfor n in 'aba':\n    step = heads.fn(n)\n    step(x)", "bounded"),
        ("heads = Heads()\nfor n in 'aba':\n    heads.run(n, x)", "bounded"),
        ("heads = Heads()\nfor n in 'aba':\n    heads.call(n, x)", "bounded"),
        ("for _ in range(2):\n    heads = Heads()\n    heads.run('a', x)", "unknown"),
        ("heads = Heads()\nheads.others = {}\nfor n in 'aa':\n    heads.again(n)(x)", "avoidable"),
        ("heads = Heads()\nheads.others = {}\nfor n in 'ab':\n    heads.again(n)(x)", "unknown"),
        ("heads = Heads()\nfor n in 'ab':\n    heads.run(n, x)\n    heads.fns.clear()", "unknown"),
    ],
)
def test_functions_that_are_made_when_they_are_first_asked_for(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str
) -> None:
    assert _words(recording, tmp_path, _BY_KEY + program, "inner") == words.split()


_BY_NUMBER = """
class Wrapped:
    def __init__(self):
        self.fns, self.kinds = {}, {}
    def __call__(self, *args):
        count = len(args)
        if count not in self.fns:
            self.kinds[count] = [object()] * count
            self.fns[count] = self.made(count)
        return self.fns[count](*args)
    def made(self, count):
        def inner(*given):
            return tf.add_n(given) * float(len(self.kinds[count]))
        return tf.function(inner)

class Concrete(Wrapped):
    def __call__(self, *args):
        count = len(args)
        if count not in self.fns:
            self.kinds[count] = [object()] * count
            def inner(*given):
                return tf.add_n(given) * float(len(self.kinds[count]))
            self.fns[count] = tf.function(inner).get_concrete_function(*args)
        return self.fns[count](*args)

class Again(Concrete):
    def __call__(self, *args):
        self.kinds[len(args)] = [object()] * len(args)
        return self.made(len(args)).get_concrete_function(*args)(*args)

x = tf.ones([2])
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("w = Wrapped()\nfor _ in range(2):\n    print(w(x), w(x, x), w(x, x, x))", "bounded bounded"),
        ("w = Concrete()\nw(x)\nw(x, x)", "bounded"),
        ("for _ in range(2):\n    w = Concrete()\n    w(x)\n    w(x, x)", "unknown avoidable avoidable"),
        ("w = Again()\nw(x)\nw(x, x)", "unknown"),
    ],
)
def test_functions_of_so_many_arguments_each(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str
) -> None:
    assert _words(recording, tmp_path, _BY_NUMBER + program, "inner") == words.split()


_WRAPPED = """
class Loop:
    def __init__(self, size):
        self.size = size
        self.go = tf.function(self._go)
    def _go(self, x):
        return tf.ones([self.size])

class Called:
    def __init__(self, size):
        self.size = size
    @tf.function
    def __call__(self, x):
        return tf.ones([self.size])
"""


@pytest.mark.parametrize(
    ("program", "function", "word"),
    [
        ("loops = {n: Loop(n) for n in (1, 2)}\nfor n in loops:\n    loops[n].go(x)", "_go", "bounded"),
        ("for n in (1, 2):\n    loop = Loop(n)\n    loop.go(x)", "_go", "unknown"),
        ("loops = {n: Called(n) for n in (1, 2)}\nfor n in loops:\n    print(loops[n](x).numpy().round(4))", "__call__",
         "bounded"),
        ("for n in (1, 2):\n    loop = Called(n)\n    print(loop(x).numpy().round(4))", "__call__", "unknown"),
    ],
)  # fmt: skip
def test_methods_that_an_attribute_has_or_that_the_object_is(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, function: str, word: str
) -> None:
    assert _words(recording, tmp_path, f"{_WRAPPED}\n{program}", function) == [word]


def test_equal_graphs_of_instances_that_hold_nothing_stay_avoidable(
    recording: RecordFixture, tmp_path: pathlib.Path
) -> None:
    program = "class Plain:\n    @tf.function\n    def step(self, x):\n        return x\n"
    program += "nets = [Plain(), Plain()]\nfor net in nets:\n    net.step(x)"
    assert _words(recording, tmp_path, program, "step") == ["avoidable"]


@pytest.mark.parametrize(("keeps", "word"), [("models[k] = model", "bounded"), ("last = model", "unknown")])
def test_keras_models(recording: RecordFixture, tmp_path: pathlib.Path, keeps: str, word: str) -> None:
    program = f"models = {{}}\nfor k in range(2):\n    model = build()\n    {keeps}\n    model.predict(rows, verbose=0)"
    assert _of_keras_models(recording, tmp_path, program) == [word]


_LAYERS = """
import keras
import tensorflow as tf

class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)
    @tf.function
    def call(self, x):
        return self.dense(x)

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.blocks = [Block(), Block()]
    @tf.function
    def call(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return x

class Eager(keras.Model):
    def call(self, x):
        return Net()(x)

def ran(net):
    return tf.reduce_sum(net(x))

loss = keras.losses.MeanSquaredError()
x = tf.ones([1, 2])
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("one, other = Net(), Net()\none(x)\nother(x)", "bounded"),
        ("one = Net()\nother = Net()\none(x)\nother(x)", "bounded"),
        ("one = Net()\nother = Net()\nran(one)\nran(net=other)", "bounded"),
        ("nets = [Net(), Net()]\nfor net in nets:\n    ran(net)", "bounded"),
        ("for _ in range(2):\n    net = Net()\n    ran(net)", "unknown"),
        ("for _ in range(2):\n    Net()(x)", "unknown"),
        ("eager = Eager()\nfor _ in range(2):\n    eager(x)", "unknown"),
        ("for _ in range(2):\n    net = Net()\n    loss(x, net(x))", "unknown"),
        ("one = Net()\nother = Net()\nloss(x, one(x))\nloss(x, other(x))", "unknown"),  # of which of them is not seen
    ],
)
def test_layers_and_what_they_hold(recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str) -> None:
    """Whose `call` is a tf.function of its own, traced within another's."""
    path = tmp_path / "program.py"
    path.write_text(_LAYERS + program)
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    last = max(trace.function.line for trace in r.traces)
    of_nets = [trace.verdict for trace in r.traces if trace.function.line == last]
    of_blocks = [trace.verdict for trace in r.traces if trace.function.line < last]
    assert [verdict for verdict in of_nets if verdict != "needed"] == [words]
    assert {*of_blocks[1:]} == {words} if words == "bounded" else "bounded" not in of_blocks


_MODULES = """
import tensorflow as tf

class Unit(tf.Module):
    def __init__(self):
        self.w = tf.Variable([2.0])
    @tf.function
    def __call__(self, x):
        return x * self.w

class Net(tf.Module):
    def __init__(self):
        self.units = self.built()
    def built(self):
        return [Unit() for _ in range(2)]
    def __call__(self, x):
        for unit in self.units:
            x = unit(x)
        return x

class Once(tf.Module):
    def __call__(self, x):
        unit = Unit()
        return unit(x)

def doubled(x):
    return x

x = tf.ones([1])
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("net = Net()\nnet(x)", "bounded"),
        (
            "net = Net()\nfor _ in range(2):\n    print(net(doubled(tf.abs(x))))",
            "unknown",
        ),  # which is called so is not seen
        ("net = Net()\nfor _ in range(2):\n    print(net(tf.abs(x)))", "bounded"),
        ("for _ in range(2):\n    net = Net()\n    net(x)", "unknown"),
        ("for _ in range(2):\n    Net()(x)", "unknown"),
        ("once = Once()\nfor _ in range(2):\n    once(x)", "unknown"),
    ],
)
def test_modules_that_a_module_holds(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str
) -> None:
    """By what a method of its own made, and called by its `__call__`, which is no tf.function."""
    path = tmp_path / "program.py"
    path.write_text(_MODULES + program)
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    assert {trace.verdict for trace in r.traces[1:]} == {words}


def test_what_a_library_makes_is_not_what_it_is_called_of(recording: RecordFixture, tmp_path: pathlib.Path) -> None:
    """A search, as a wrapper of Keras for another library has it, is kept; its models are not."""
    library = "class Search:\n    def predict(self, build, rows):\n"
    library += "        for _ in range(2):\n            build().predict(rows, verbose=0)"
    of_the_library: dict[str, type] = {}
    exec(compile(library, str(tmp_path / "site-packages" / "searches.py"), "exec"), of_the_library)
    program = "search = Search()\nsearch.predict(build, rows)"
    assert _of_keras_models(recording, tmp_path, program, **of_the_library) == ["unknown"]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("for _ in range(2):\n    app.model = Net()\n    app.run(x)", "unknown"),
        ("app.run(x)\nother = App()\nother.run(x)", "bounded"),
    ],
)
def test_what_a_file_that_calls_it_gives_an_attribute(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, words: str
) -> None:
    library = tmp_path / "app.py"
    library.write_text(
        f"{_MODELS}\nclass App:\n    def __init__(self):\n        self.model = Net()\n"
        "    def run(self, x):\n        return train(self.model, x)\n"
    )
    names: dict[str, object] = {"__name__": "app"}
    exec(compile(library.read_text(), str(library), "exec"), names)
    path = tmp_path / "program.py"
    path.write_text(f"app = App()\n{program}")
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {**names, "__name__": "__main__"})
    assert [trace.verdict for trace in r.traces if trace.function.name == "train"][1:] == [words]


@pytest.mark.parametrize(("again", "words"), [("", "bounded"), ("    app.model = Net()\n", "unknown")])
def test_what_a_class_of_another_module_has_made(
    recording: RecordFixture, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, again: str, words: str
) -> None:
    (tmp_path / "apps_of_a_base.py").write_text(
        f"{_MODELS}\nclass Base:\n    def __init__(self):\n        self.model = Net()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    program = (
        "from apps_of_a_base import Base, Net, train, x\n"
        "class App(Base):\n    def run(self, x):\n        return train(self.model, x)\n"
        f"apps = [App(), App()]\nfor app in apps:\n{again}    app.run(x)\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    with recording() as r:
        exec(compile(program, str(path), "exec"), {"__name__": "__main__"})
    monkeypatch.delitem(sys.modules, "apps_of_a_base")
    assert [trace.verdict for trace in r.traces if trace.function.name == "train"][1:] == [words]


def test_a_class_above_is_looked_for_where_its_import_says(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of loaded modules whose names end alike it is that one; what a lazy one is asked for it would load."""
    made, given = "def __init__(self):\n        self.net = 1\n", "def run(self):\n        self.net = 2\n"
    for package, body in (("one", made), ("two", given)):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "base.py").write_text(f"class Base:\n    {body}")
    text = "from .base import Base\nclass App(Base):\n    pass\n"
    (tmp_path / "one" / "apps.py").write_text(text)
    (tmp_path / "two" / "apps.py").write_text(text)

    class Lazy(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

    monkeypatch.syspath_prepend(tmp_path)
    names = ["one", "one.base", "one.apps", "two", "two.base", "two.apps"]
    for name in names:
        importlib.import_module(name)
    monkeypatch.setitem(sys.modules, "lazy.base", Lazy("lazy.base"))
    files = [str(tmp_path / package / "apps.py") for package in ("one", "two")]
    assert [is_made_once(file, [], "net") for file in files] == [True, False]
    for name in names:
        monkeypatch.delitem(sys.modules, name)


def _of_keras_models(
    recording: RecordFixture, tmp_path: pathlib.Path, program: str, **given: object
) -> list[str]:  # fmt: skip
    def build() -> keras.Model:
        return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])

    path = tmp_path / "program.py"
    path.write_text(program)
    with recording() as r:
        exec(compile(program, str(path), "exec"), {"build": build, "rows": np.ones([2, 2], np.float32), **given})
    steps = [t for t in r.traces if t.function.name == "one_step_on_data_distributed"]
    return [trace.verdict for trace in steps][1:]


def test_lines_that_cannot_be_read_leave_the_trace_as_it_is(
    recording: RecordFixture, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("deep")

    monkeypatch.setattr(scopes, "scope_in", fail)
    program = "nets = [Net(), Net()]\nfor net in nets:\n    train(net, x)"
    assert _words(recording, tmp_path, program, "train") == ["unknown"]


def _words(recording: RecordFixture, tmp_path: pathlib.Path, program: str, function: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(_MODELS + program)
    with recording() as r:
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    return [trace.verdict for trace in r.traces if trace.function.name == function][1:]


#: Each leads to what looks through the file's functions: of what name, of what class, kept by which key.
_LOOKED_FOR = (
    "for _ in range(2):\n    train(made_0(), x)", "for _ in range(2):\n    made(Net())(x)",
    "for _ in range(2):\n    net = built()\n    train(net, x)", "Trainer().run()\nTrainer().run()",
    "nets = {}\nfor k in 'ab':\n    if k not in nets:\n        nets[k] = Net()\n    train(nets[k], x)",
)  # fmt: skip


@pytest.mark.parametrize("program", _LOOKED_FOR)
def test_a_long_file_is_gone_through_a_few_times_and_not_for_each_of_its_functions(
    recording: RecordFixture, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """A trace waits for it: 170 functions took 2 s, and more than 10 s beside other processes, where it was lost."""
    functions = "".join(f"def made_{n}():\n    net = Net()\n    return net\n\n" for n in range(200))
    nodes = sum(1 for _ in ast.walk(ast.parse(_MODELS + functions + program)))
    visited, children = [0], ast.iter_child_nodes

    def counted(node: ast.AST) -> Iterator[ast.AST]:
        visited[0] += 1
        return children(node)

    monkeypatch.setattr(ast, "iter_child_nodes", counted)
    scopes._files.clear()
    assert _words(recording, tmp_path, functions + program, "train") is not None
    assert nodes < visited[0] < 12 * nodes


_SET_UP = """
class Both(Base):
    def __init__(self):
        self.a = None
        {init}
    def _setup(self):
        self._nets()
    def _nets(self):
        {loop}self.a = Net()
    def build(self, shape):
        {build}
    def go(self):
        {go}
    def train(self, x):
        train(self.a, x)

def main():
    both = Both()
    {main}
main()
{module}
"""


@pytest.mark.parametrize(
    ("lines", "is_once"),
    [
        ({"init": "self._setup()"}, True),
        ({"init": "self._setup()", "loop": "for _ in range(2): "}, True),
        ({"main": "both._setup()"}, True),
        ({"init": "self._setup()", "main": "both._setup()"}, False),
        ({"init": "self._setup()", "go": "self._nets()"}, False),
        ({"main": "for _ in range(2): both._setup()"}, False),
        ({"main": "both._setup()", "module": "main()"}, False),
        ({}, False),
        ({"build": "self._setup()"}, True),
        ({"build": "self._setup()", "main": "for _ in range(2): both.build(3)"}, False),
        ({"build": "self._setup()", "go": "self.build(3)"}, False),
        ({"init": "self._setup()", "go": "self.a = Net()"}, False),
        ({"init": "self._setup()", "go": "if self.a is None: self.a = Net()"}, True),
        ({"init": "self._setup()", "go": "if not hasattr(self, 'a'): self.a = Net()"}, True),
        ({"init": "self._setup()", "go": "if not self.b: self.a = Net()"}, False),
    ],
)
def test_what_an_object_sets_up_once(tmp_path: pathlib.Path, lines: dict[str, str], is_once: bool) -> None:
    file = tmp_path / "both.py"
    every = dict.fromkeys(("init", "build", "go", "main"), "pass") | {"loop": "", "module": ""}
    file.write_text(_SET_UP.format(**every | lines))
    assert is_made_once(str(file), [], "a") is is_once


_FOLDS = """
import keras

def build(units=4):
    model = keras.Sequential([keras.layers.Dense(units, activation=kind)])
    model.compile("sgd", "mse")
    return model

def run(x):
    model = build()
    model.fit(x)  # in a function

kind, models = "relu", []
for fold in range(3):
    model = build()
    model.fit(x[fold], epochs=2)  # in a loop
    print(model.evaluate(x[fold]))  # after it
    run(x[fold])
for units in (4, 4):
    sized = build(units)
    sized.fit(x)  # of what the loop gives
for kind in ("relu", "tanh"):
    other = build()
    other.fit(x)  # of what the function reads
for rate in (0.1, 0.2):
    again = keras.Sequential([keras.layers.Dense(4)])
    again.compile(keras.optimizers.SGD(rate), "mse")
    again.fit(x)  # compiled otherwise
def compiled(rate, units):
    optimizer = keras.optimizers.SGD(rate)
    model = keras.Sequential([keras.layers.Dense(units)])
    model.compile(optimizer, "mse")
    return model

def validate(rate, units):
    for fold in range(3):
        one = compiled(rate, units=4)
        one.fit(x)  # passed what compile is given
        wider = compiled(0.1, units)
        wider.fit(x)  # passed what layers are made of

for rate, units in ((0.1, 4), (0.2, 8)):
    validate(rate, units)
for _ in range(3):
    kept = build()
    models.append(kept)
    kept.fit(x)  # kept
for kind in ("relu", "elu"):
    branched = keras.Sequential([keras.layers.Dense(4)])
    if kind == "relu":
        branched.add(keras.layers.ReLU())
    else:
        branched.add(keras.layers.ELU())
    branched.fit(x)  # by branches
best = None
for _ in range(2):
    tried = build()
    tried.fit(x)  # kept if better
    best = tried if best is None else best
for _ in range(2):
    drawn = keras.Sequential([keras.layers.Dense(4, activation=random.choice(["relu", "elu"]))])
    drawn.fit(x)  # drawn
weights = None
for _ in range(2):
    client = build()
    if weights is not None:
        client.set_weights(weights)
    client.fit(x)  # with weights
    weights = client.get_weights()
once = build()
once.fit(x)  # once
"""


@pytest.mark.parametrize(
    ("place", "made"),
    [
        ("in a loop", "model = build()"), ("after it", "model = build()"), ("in a function", "model = build()"),
        ("of what the loop gives", ""), ("of what the function reads", ""), ("compiled otherwise", ""), ("kept", ""),
        ("compiled with what is known to be the same", "again = keras.Sequential([keras.layers.Dense(4)])"),
        ("passed what compile is given", "one = compiled(rate, units=4)"), ("passed what layers are made of", ""),
        ("by branches", ""), ("kept if better", ""), ("drawn", ""), ("once", ""),
        ("with weights", "client = build()"),
    ],
)  # fmt: skip
def test_a_keras_model_that_a_line_makes_alike_for_each_run(tmp_path: pathlib.Path, place: str, made: str) -> None:
    """Of nothing that changes from run to run, and kept nowhere: by the lines alone."""
    program = tmp_path / "folds.py"
    program.write_text(_FOLDS)
    lines = _FOLDS.splitlines()
    is_alike = place.startswith(("compiled with what is known", "passed"))  # but for a learning rate
    mark = "# compiled otherwise" if place.startswith("compiled with") else f"# {place}"
    number = next(n for n, line in enumerate(lines, 1) if line.endswith(mark))
    calls = [(number, "<module>")]
    if place == "in a function":
        calls = [(number, "run"), (lines.index("    run(x[fold])") + 1, "<module>")]
    if place.startswith("passed"):
        calls = [(number, "validate"), (lines.index("    validate(rate, units)") + 1, "<module>")]
    frames = [pb.Frame(file=str(program), line=n, function=name, source=lines[n - 1], user=True) for n, name in calls]
    site = CallSite(str(program) + place, pb.Stack(frames=frames))
    assert model_made_again(site, is_compiled_alike=is_alike) == made


_RUN_OF_A_FOLD = """
import keras, random, tensorflow as tf

def build(units=4):
    return keras.Sequential([keras.layers.Dense(units)])

def keep(one, loss):
    kept.update(model=one)

def show(loss, one):
    print(loss, one.summary())

def keep_all(*models):
    kept.extend(models)

class Best:
    def hold(self, one):
        self.model = one

def fold(data, rate=0.1):
    model = {made}
    optimizer = keras.optimizers.Adam({rate})
    {set_up}
    @tf.function
    def step(x):
        return model(x)
    def epoch():
        for x in data:
            step(x)  # within
    for x in data:
        step(x)  # by itself
    epoch()  # around
    {after}
    print(float(tf.reduce_sum(model(x))))

for k in range(3):
    fold(k)  # each
"""
_ALIKE = "model = build()`, `optimizer = keras.optimizers.Adam(0.1)"


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        ({}, _ALIKE), ({"set_up": "optimizer.build(model.trainable_variables)"}, _ALIKE), ({"rate": "rate"}, ""),
        ({"set_up": "model.build((None, data))"}, ""), ({"made": "build(data)"}, ""), ({"made": "known[0]"}, ""),
        ({"made": "build(random.choice([4, 8]))"}, ""), ({"set_up": "if data: model.add(keras.layers.ReLU())"}, ""),
        ({"after": "return model"}, ""), ({"after": "return step, 1"}, ""), ({"after": "kept.append(model)"}, ""),
        ({"after": "Trainer(model=model)"}, ""), ({"after": "Trainer(step)"}, ""), ({"after": "a = dict(m=model)"}, ""),
        ({"after": "model = build(8)"}, ""), ({"after": "keep(model, 1)"}, ""), ({"after": "show(1, model)"}, _ALIKE),
        ({"after": "best.hold(model)"}, ""), ({"after": "keep_all(model)"}, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("calls", [("by itself", "each"), ("within", "around", "each")])
def test_what_a_function_made_anew_closes_over_is_made_alike_for_each_run(
    tmp_path: pathlib.Path, lines: dict[str, str], made: str, calls: Sequence[str]
) -> None:
    defaults = {"made": "build()", "rate": "0.1", "set_up": "pass", "after": "pass"}
    program = _RUN_OF_A_FOLD.format(**defaults | lines)
    site = _site_of(tmp_path, program, calls)
    assert closed_over_for_each_run(site, "step", ["model", "optimizer"]) == made


@pytest.mark.parametrize(
    ("rate", "after", "word"),
    [
        ("1.0", "pass", "avoidable"),
        ("2.0", "pass", "unknown"),
        ("1.0", "a = [net]", "unknown"),
        ("1.0", "scale = Scale(3.0)", "unknown"),
    ],
)
def test_what_a_function_made_anew_reads_at_module_level_is_made_alike(
    recording: RecordFixture, tmp_path: pathlib.Path, rate: str, after: str, word: str
) -> None:
    """Where nothing else that it reads is another one, and none is kept."""
    program = f"""
class Own(Net):
    def score(self, x):
        return tf.reduce_sum(self.w * x)
class Scale:
    def __init__(self, by):
        self.by = tf.constant(by)
scale = Scale(2.0)
for rate in (1.0, {rate}):
    net, other = Own(), Own()
    @tf.function
    def train(x):
        return (net.score(x) + other.score(x)) * rate * scale.by
    train(x)
    {after}
"""
    assert _words(recording, tmp_path, program, "train") == [word]


_PASSED_FOR_A_FOLD = """
@tf.function
def step(model, optimizer, x):
    return model(x)

def epoch(net, opt, data):
    for x in data:
        step(net, opt, x)  # within

def fold(data):
    model = build()
    optimizer = keras.optimizers.Adam(0.1)
    for x in data:
        step(model, optimizer, x)  # by itself
    epoch(model, optimizer, data)  # around
    {after}

for k in range(3):
    fold(k)  # each
"""


@pytest.mark.parametrize(("after", "made"), [("pass", _ALIKE), ("return optimizer", ""), ("kept[k] = model", "")])
@pytest.mark.parametrize("calls", [("by itself", "each"), ("within", "around", "each")])
def test_what_is_passed_is_made_alike_for_each_run(
    tmp_path: pathlib.Path, after: str, made: str, calls: Sequence[str]
) -> None:
    program = _RUN_OF_A_FOLD.partition("def fold")[0].format() + _PASSED_FOR_A_FOLD.format(after=after)
    site = _site_of(tmp_path, program, calls)
    assert passed_for_each_run(site, "step", ["model", "optimizer", "x"], ["model", "optimizer"], "") == made


_IN = {"by itself": "fold", "within": "epoch", "around": "fold", "each": "<module>"}


def _site_of(tmp_path: pathlib.Path, program: str, calls: Sequence[str]) -> CallSite:
    """`calls`: what the lines end with that call, innermost first."""
    path, lines = tmp_path / "folds.py", program.splitlines()
    path.write_text(program)
    numbers = [next(n for n, line in enumerate(lines, 1) if line.endswith(f"# {call}")) for call in calls]
    frames = [
        pb.Frame(file=str(path), line=number, function=_IN[call], source=lines[number - 1], user=True)
        for call, number in zip(calls, numbers, strict=True)
    ]
    return CallSite(f"{path} {calls}", pb.Stack(frames=frames))
