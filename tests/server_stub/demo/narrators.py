"""Finds the processes that tell a narrative among the children of this one, which has others too."""

from __future__ import annotations

import multiprocessing
from multiprocessing.process import BaseProcess


def narrators() -> list[BaseProcess]:
    """Those that are alive."""
    return [child for child in multiprocessing.active_children() if child.name == "narrator"]
