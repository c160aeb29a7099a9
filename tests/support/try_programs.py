"""Runs `tb-retrace try` on programs, from one process that has TensorFlow loaded and unused.

`python -m tests.support.try_programs RESULTS.json` with {name: arguments of `tb-retrace try`} as standard input writes
{name: [exit code, standard output, standard error]}. Each run of a program is a fork of this process, as in
run_gallery.py.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import IO

import keras  # noqa: F401  (programs import it: loaded once for all)
import tensorflow as tf  # noqa: F401
from tensorflow.python.eager import context

from tb_retrace_plugin.capture import api, apply_change  # noqa: F401  (likewise)
from tb_retrace_plugin.capture.applied import change, equal_classes  # noqa: F401
from tb_retrace_plugin.commands import try_child, try_runs
from tb_retrace_plugin.commands.main import main as tb_retrace

_LIMIT_S = 120


def start(request: str, out: IO[bytes], err: IO[bytes]) -> int:
    """In place of a fresh Python, which would load TensorFlow again."""
    child = os.fork()
    if child == 0:
        signal.alarm(_LIMIT_S)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(fd, "w", closefd=False)) for fd in (1, 2))
        code = 1
        try:
            code = try_child.main(request)
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main() -> None:
    assert context.context()._context_handle is None, "TensorFlow is in use: a fork of it would not be a fresh start"
    try_runs.start = start
    gc.collect()
    gc.freeze()  # as in run_gallery.py
    answers = {}
    for name, arguments in json.load(sys.stdin).items():
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = tb_retrace(["try", *arguments])
        answers[name] = [code, out.getvalue(), err.getvalue()]
    Path(sys.argv[1]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
