"""TensorBoard's entry point to Retrace. Whatever is wrong with Retrace, TensorBoard must start.

So this module imports the standard library and TensorBoard alone, and nothing in it raises.
"""

from __future__ import annotations

import argparse
from typing import Any

from tensorboard.plugins import base_plugin
from tensorboard.util import tb_logging

logger = tb_logging.get_logger()


class RetraceLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Loads the plugin, or says in one line why not."""

    def fix_flags(self, flags: argparse.Namespace) -> None:
        """Asks for every record to be kept, unless the user asked for something else."""
        try:
            samples = flags.samples_per_plugin
            if isinstance(samples, dict):
                samples.setdefault("retrace", 0)
        except Exception as error:
            logger.warning("Retrace: could not ask for all records to be kept (%s).", error)

    def load(self, context: Any) -> base_plugin.TBPlugin | None:
        """The plugin; None if it cannot be loaded, which leaves TensorBoard without the Retrace tab."""
        try:
            from tb_retrace_plugin.backend.plugin import RetracePlugin

            return RetracePlugin(context)
        except Exception as error:
            logger.error(
                "The Retrace tab is left out: its plugin could not be loaded (%s: %s). "
                "Reinstall it: pip install --force-reinstall tensorboard-plugin-retrace",
                type(error).__name__,
                error,
            )
            return None
