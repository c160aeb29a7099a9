"""`python -m tb_retrace_plugin` is `tb-retrace`."""

from __future__ import annotations

import sys

from tb_retrace_plugin.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
